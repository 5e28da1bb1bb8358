/* Short groups, which run as one row or flat, against a loop in C over the same shape: operands that
 * broadcast, step backwards, overlap themselves or lie far apart, results with gaps, and in place. Every
 * byte of a result's memory is compared, those between its elements too. */
#define _GNU_SOURCE
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { RANK = 5, MOST_ELEMENTS = 6000, UNTOUCHED = 0xa5, X = 0, Y = 1, OUT = 2, OPERANDS = 3 };

/* Values are whole numbers up to 100 in x and up to 2 in y, so a double holds all results. */
static double subtract(double x, double y) { return x - y; }
static double multiply(double x, double y) { return x * y; }
static double larger(double x, double y) { return x > y ? x : y; }

static const struct {
    const char *text;
    enum weft_dtype dtypes[OPERANDS];
    double (*meaning)(double x, double y);
} programs[] = {
    {"x - y", {WEFT_FLOAT32, WEFT_FLOAT32, WEFT_FLOAT32}, subtract},
    {"x - y", {WEFT_FLOAT64, WEFT_FLOAT64, WEFT_FLOAT64}, subtract},
    {"max(x, y)", {WEFT_UINT8, WEFT_UINT8, WEFT_UINT8}, larger},
    {"max(x, y)", {WEFT_INT16, WEFT_INT16, WEFT_INT16}, larger},
    {"uint8(x * y)", {WEFT_UINT8, WEFT_FLOAT32, WEFT_UINT8}, multiply},
    {"x * y", {WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT32}, multiply},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void put(void *to, enum weft_dtype dtype, double value)
{
    switch (dtype) {
    case WEFT_UINT8: *(uint8_t *)to = (uint8_t)value; return;
    case WEFT_INT16: *(int16_t *)to = (int16_t)value; return;
    case WEFT_FLOAT32: *(float *)to = (float)value; return;
    case WEFT_FLOAT64: *(double *)to = value; return;
    default: fail_msg("a type without a line here");
    }
}

static double get(const void *from, enum weft_dtype dtype)
{
    switch (dtype) {
    case WEFT_UINT8: return *(const uint8_t *)from;
    case WEFT_INT16: return *(const int16_t *)from;
    case WEFT_FLOAT32: return *(const float *)from;
    default: return *(const double *)from;
    }
}

/* ---- a case ---- */

struct placed {
    struct tensor tensor;          /* of the whole shape, 0 where it broadcasts */
    size_t bytes;
};

struct group_case {
    int program, rank;
    bool in_place;
    int64_t shape[RANK];
    struct placed at[OPERANDS];
};

static struct stream stream;

static int64_t below(int64_t bound)
{
    return (int64_t)stream_below(&stream, (uint64_t)bound);
}

/* Strides in some order of the dimensions, with gaps, some backwards: no element twice. */
static void spread(struct tensor *t)
{
    int order[RANK];
    int64_t span = 1 + below(2);
    for (int d = 0; d < t->rank; d++)
        order[d] = d;
    for (int d = t->rank - 1; d > 0; d--) {
        int other = (int)below(d + 1), kept = order[d];
        if (below(2))
            order[d] = order[other], order[other] = kept;
    }
    for (int i = t->rank - 1; i >= 0; i--) {
        int d = order[i];
        t->strides[d] = below(3) ? span : -span;
        span = span * t->shape[d] + below(2);
    }
}

static void choose_strides(struct tensor *t, bool result)
{
    int64_t dense = 1;
    int how = (int)below(result ? 2 : 5);
    for (int d = t->rank - 1; d >= 0; d--) {
        bool stays = (how == 2 || how == 3) && below(2);
        t->strides[d] = stays ? 0 : how == 4 ? below(9) - 4 : dense;
        dense *= stays ? 1 : t->shape[d];
    }
    if (how == 1)
        spread(t);
}

/* Memory for the tensor; its data at the element with index 0. */
static void allocate(struct placed *p)
{
    int64_t low = 0, high = 0, size = (int64_t)weft_dtype_size(p->tensor.dtype);
    for (int d = 0; d < p->tensor.rank; d++) {
        int64_t reach = (p->tensor.shape[d] - 1) * p->tensor.strides[d];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    p->bytes = (size_t)((high - low + 1) * size);
    p->tensor.memory = malloc(p->bytes);
    assert_non_null(p->tensor.memory);
    p->tensor.data = (char *)p->tensor.memory - low * size;
}

static void make_case(struct group_case *c, int number)
{
    static const int64_t extents[] = {1, 2, 3, 5, 7, 16, 17, 48, 61};
    int64_t volume = 1;
    *c = (struct group_case){.program = number % PROGRAMS, .rank = 1 + (int)below(RANK)};
    for (int d = c->rank - 1; d >= 0; d--) {
        c->shape[d] = extents[below(d == c->rank - 1 ? 9 : 7)];
        if (volume * c->shape[d] > MOST_ELEMENTS)
            c->shape[d] = 1;
        volume *= c->shape[d];
    }
    for (int k = 0; k < OPERANDS; k++) {
        struct tensor *t = &c->at[k].tensor;
        t->dtype = programs[c->program].dtypes[k];
        t->rank = c->rank;
        memcpy(t->shape, c->shape, sizeof c->shape);
        choose_strides(t, k == OUT);
    }
    c->in_place = programs[c->program].dtypes[X] == programs[c->program].dtypes[OUT] && below(4) == 0;
    if (c->in_place)
        memcpy(c->at[X].tensor.strides, c->at[OUT].tensor.strides, sizeof c->at[X].tensor.strides);
    for (int k = 0; k < OPERANDS; k++)
        allocate(&c->at[k]);
}

/* ---- the run and the loop ---- */

static bool next_index(const struct group_case *c, int64_t *index)
{
    for (int d = c->rank - 1; d >= 0; d--) {
        if (++index[d] < c->shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static void fill(const struct group_case *c, int k)
{
    int64_t index[RANK] = {0}, value = below(50);
    memset(c->at[k].tensor.memory, UNTOUCHED, c->at[k].bytes);
    do
        put(tensor_at(&c->at[k].tensor, index), c->at[k].tensor.dtype,
            (double)(value++ * 7 % (k == X ? 101 : 3)));
    while (next_index(c, index));
}

/* The result's memory as it has to be. */
static char *expected(const struct group_case *c, const struct placed *to)
{
    int64_t index[RANK] = {0};
    char *image = malloc(to->bytes);
    assert_non_null(image);
    memcpy(image, to->tensor.memory, to->bytes);
    do {
        double x = get(tensor_at(&c->at[X].tensor, index), c->at[X].tensor.dtype);
        double y = get(tensor_at(&c->at[Y].tensor, index), c->at[Y].tensor.dtype);
        char *place = tensor_at(&to->tensor, index);
        put(image + (place - (char *)to->tensor.memory), to->tensor.dtype,
            programs[c->program].meaning(x, y));
    } while (next_index(c, index));
    return image;
}

static void describe(const struct group_case *c, const char *without, int number)
{
    fprintf(stderr, "case %d%s, without '%s': %s\n", number, c->in_place ? " in place" : "", without,
            programs[c->program].text);
    for (int d = 0; d < c->rank; d++)
        fprintf(stderr, "  %" PRId64 ": steps %" PRId64 ", %" PRId64 " to %" PRId64 "\n", c->shape[d],
                c->at[X].tensor.strides[d], c->at[Y].tensor.strides[d], c->at[OUT].tensor.strides[d]);
}

/* Strides of 0 become dimensions of 1, which broadcast. */
static struct tensor as_given(const struct tensor *tensor)
{
    struct tensor given = *tensor;
    for (int d = 0; d < given.rank; d++)
        if (given.strides[d] == 0)
            given.shape[d] = 1;
    return given;
}

static void check_case(const struct group_case *c, const char *without, int number)
{
    static const char *const names[] = {"x", "y"};
    const struct placed *to = &c->at[c->in_place ? X : OUT];
    fill(c, X);
    fill(c, Y);
    memset(c->at[OUT].tensor.memory, UNTOUCHED, c->at[OUT].bytes);
    char *image = expected(c, to);
    run_disable(without);
    struct weft_program *program = run_compile(programs[c->program].text);
    const struct tensor in[] = {c->in_place ? c->at[X].tensor : as_given(&c->at[X].tensor),
                                as_given(&c->at[Y].tensor)};
    run_program(program, in, names, 2, &to->tensor, 1, NULL);
    weft_program_destroy(program);
    if (memcmp(image, to->tensor.memory, to->bytes) != 0) {
        describe(c, without, number);
        fail();
    }
    free(image);
}

/* A result stretches nowhere: where the inputs both do, its shape is smaller than the case's. */
static bool has_shape(const struct group_case *c)
{
    for (int d = 0; d < c->rank; d++)
        if (c->shape[d] > 1 && !c->at[X].tensor.strides[d] && !c->at[Y].tensor.strides[d])
            return false;
    return true;
}

static void test_any_groups(void **state)
{
    (void)state;
    stream = stream_init(41);
    for (int n = 0, tried = 0; n < 120; tried++) {
        struct group_case c;
        make_case(&c, tried);
        bool wanted = has_shape(&c);
        if (wanted && sample_chosen(n)) {
            check_case(&c, "", n);
            check_case(&c, "flat", n);
        }
        n += wanted;
        for (int k = 0; k < OPERANDS; k++)
            tensor_free(&c.at[k].tensor);
    }
}

/* ---- columns ---- */

/* How an operand of `outer` x groups x elements lies: all of it, an element for each group, the same ones for each
 * outer one, or a group again and again. */
enum lying { ALL, COLUMN, SHARED_COLUMN, ROW };

static void lie(struct tensor *t, enum weft_dtype dtype, const int64_t *shape, enum lying how)
{
    const int64_t groups = shape[1], inner = shape[2];
    *t = (struct tensor){.dtype = dtype, .rank = 3, .shape = {shape[0], groups, inner}};
    t->strides[0] = how == ALL ? groups * inner : how == COLUMN ? groups : 0;
    t->strides[1] = how == ALL ? inner : how != ROW;
    t->strides[2] = how == ALL || how == ROW;
}

/* An element for each of many short groups, beside whole ones and repeated ones. */
static void test_columns(void **state)
{
    (void)state;
    static const int64_t extents[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 64, 65, 127, 160};
    static const enum lying ways[][2] = {{ALL, COLUMN}, {COLUMN, ALL}, {COLUMN, ROW}, {ALL, SHARED_COLUMN}};
    enum { EXTENTS = sizeof extents / sizeof *extents, WAYS = sizeof ways / sizeof *ways };
    stream = stream_init(43);
    for (int n = 0; n < EXTENTS * PROGRAMS * WAYS; n++) {
        const int program = n % PROGRAMS, way = n / PROGRAMS % WAYS;
        const int64_t inner = extents[n / PROGRAMS / WAYS], least = 256 / inner + 1;
        struct group_case c = {.program = program, .rank = 3,
                               .shape = {way == 3 ? 3 : 1, (least > 24 ? least : 24) + below(70), inner}};
        if (!sample_chosen(n))
            continue;
        for (int k = 0; k < OPERANDS; k++) {
            lie(&c.at[k].tensor, programs[program].dtypes[k], c.shape, k == OUT ? ALL : ways[way][k]);
            allocate(&c.at[k]);
        }
        check_case(&c, "", n);
        check_case(&c, "expand", n);
        for (int k = 0; k < OPERANDS; k++)
            tensor_free(&c.at[k].tensor);
    }
}

/* ---- far apart ---- */

/* Groups of 5 x 2 x 3 whose outermost lies `step` bytes apart: offsets fit an int or not. */
static void check_far(int64_t step, bool backwards)
{
    const size_t room = 4 * (size_t)llabs(step) + 4096;
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct tensor x = {.dtype = WEFT_UINT8, .rank = 3, .shape = {5, 2, 3}, .strides = {step, 3, 1}};
    struct tensor y = tensor_new(WEFT_UINT8, 3, (int64_t[]){5, 1, 3}), out = tensor_new(WEFT_UINT8, 3, x.shape);
    static const char *const names[] = {"x", "y"};
    if (memory == MAP_FAILED)
        skip();
    x.data = memory + (backwards ? 4 * step : 0);
    x.strides[0] = backwards ? -step : step;
    for (int i = 0; i < 30; i++)
        *(uint8_t *)tensor_at(&x, (int64_t[]){i / 6, i / 3 % 2, i % 3}) = (uint8_t)(i * 3);
    for (int i = 0; i < 15; i++)
        ((uint8_t *)y.data)[i] = (uint8_t)(i * 5);
    run_disable("");
    struct weft_program *program = run_compile("max(x, y)");
    run_program(program, (struct tensor[]){x, y}, names, 2, &out, 1, NULL);
    for (int i = 0; i < 30; i++) {
        int a = i * 3, b = (i / 6 * 3 + i % 3) * 5;
        assert_int_equal(((uint8_t *)out.data)[i], a > b ? a : b);
    }
    weft_program_destroy(program);
    tensor_free(&y);
    tensor_free(&out);
    munmap(memory, room);
}

static void test_far_apart(void **state)
{
    (void)state;
    for (int64_t step = (INT32_MAX - 5) / 4 - 1; step <= (INT32_MAX - 5) / 4 + 2; step++) {
        check_far(step, false);
        check_far(step, true);
    }
    check_far(INT64_C(3) << 30, true);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_groups), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_far_apart)};
    return cmocka_run_group_tests_name("groups", tests, NULL, finish);
}
