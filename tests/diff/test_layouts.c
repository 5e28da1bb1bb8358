/* Layouts and sizes: operands that are dense, transposed, reversed, of stride 0, of odd strides,
 * not aligned to 16 bytes, broadcast along either end, of lower rank, of one element, 0-D;
 * outputs that are dense, transposed, reversed, spread, or the buffer of an input. Every pair of
 * operand layouts on every shape, with rows of every typing rule and element size.
 *
 * Elements are one of few values, so what each pair of them gives is asked once, of a dense run
 * (which test_rows holds to the oracle); by rule 3.4 every layout must give the same bits. Bytes
 * around and between an output's elements must stay. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VALUES = 16, MARGIN = 9, MAX_RANK = 3, UNTOUCHED = 0xa5 };

enum layout {
    DENSE, TRANSPOSED, REVERSED, REVERSED_OUTER, ODD, SHIFTED, REPEATED, REPEATED_INNER,
    STRETCHED_INNER, STRETCHED_OUTER, LOWER_RANK, ONE_ELEMENT, SCALAR, LAYOUTS
};
static const char *const layout_names[LAYOUTS] = {
    "dense", "transposed", "reversed", "reversed outer", "odd strides", "shifted by an element",
    "stride 0", "inner stride 0", "inner extent 1", "outer extent 1", "lower rank", "one element",
    "0-D"};

/* Pairs of dtypes of every element size, each with a few rows, together of every typing rule; the
 * operands are a, b and where there is a third a again. */
enum { ROWS = 4, PAIRS = 7 };
static const enum weft_dtype pairs[PAIRS][2] = {
    {WEFT_UINT8, WEFT_UINT8}, {WEFT_UINT8, WEFT_FLOAT32}, {WEFT_INT16, WEFT_BOOL},
    {WEFT_FLOAT64, WEFT_INT16}, {WEFT_INT64, WEFT_UINT32}, {WEFT_FLOAT32, WEFT_FLOAT32},
    {WEFT_FLOAT16, WEFT_INT16}};
static const enum op rows[PAIRS][ROWS] = {
    {OP_ADD, OP_BITXOR, OP_DIV, OP_AND}, {OP_WHERE, OP_MUL, OP_EQ, OP_MAX},
    {OP_WHERE, OP_SHL, OP_LT, OP_SUB}, {OP_WHERE, OP_ADD, OP_GE, OP_ATAN2},
    {OP_FLOORDIV, OP_MIN, OP_LT, OP_BITAND}, {OP_MUL, OP_OR, OP_MAX, OP_HYPOT},
    {OP_ADD, OP_WHERE, OP_ATAN2, OP_MAX}};

static const char *const names[] = {"a", "b"};

/* ---- tensors of a layout ---- */

/* The shape that an operand of this layout has under an iteration space. */
static int operand_shape(enum layout layout, int rank, const int64_t *space, int64_t *shape)
{
    memcpy(shape, space, (size_t)rank * sizeof *shape);
    switch (layout) {
    case STRETCHED_INNER: shape[rank - 1] = 1; break;
    case STRETCHED_OUTER: shape[0] = 1; break;
    case LOWER_RANK:
        memmove(shape, space + 1, (size_t)(rank - 1) * sizeof *shape);
        return rank - 1;
    case ONE_ELEMENT:
        for (int d = 0; d < rank; d++)
            shape[d] = 1;
        break;
    case SCALAR: return 0;
    default: break;
    }
    return rank;
}

/* Strides of the layout, in elements; returns how many elements lie between the lowest and the
 * highest one, inclusive, and where the first is. */
static int64_t lay_out(enum layout layout, struct tensor *t, int64_t *first)
{
    int64_t count = 1, step = layout == ODD ? 2 + t->dtype % 3 : 1; /* 2, 3 and 4 have code of their own */
    *first = 0;
    for (int i = 0; i < t->rank; i++) {
        int d = layout == TRANSPOSED ? i : t->rank - 1 - i;
        bool reversed = layout == REVERSED || (layout == REVERSED_OUTER && d == 0);
        t->strides[d] = reversed ? -step : step;
        if (layout == REPEATED || (layout == REPEATED_INNER && d == t->rank - 1))
            t->strides[d] = 0;
        int64_t reach = t->shape[d] > 0 ? (t->shape[d] - 1) * t->strides[d] : 0;
        count += reach < 0 ? -reach : reach;
        *first -= reach < 0 ? reach : 0;
        step *= t->shape[d];
        step += layout == ODD || layout == SHIFTED;
    }
    return count;
}

struct placed {
    struct tensor tensor;
    int64_t room;                  /* elements of memory */
};

/* Memory all UNTOUCHED; SHIFTED begins one element behind a multiple of 64 bytes, others on one. */
static struct placed place(enum layout layout, enum weft_dtype dtype, int rank,
                           const int64_t *shape)
{
    struct placed placed = {.tensor = {.dtype = dtype, .rank = rank}};
    struct tensor *t = &placed.tensor;
    size_t size = weft_dtype_size(dtype);
    int64_t first, margin = (int64_t)(64 / size) + (layout == SHIFTED);
    memcpy(t->shape, shape, (size_t)rank * sizeof *shape);
    int64_t count = lay_out(layout, t, &first);
    placed.room = count + margin + MARGIN;
    size_t bytes = ((size_t)placed.room * size + 63) / 64 * 64;
    t->memory = aligned_alloc(64, bytes);
    assert_non_null(t->memory);
    memset(t->memory, UNTOUCHED, bytes);
    t->data = (char *)t->memory + (size_t)(margin + first) * size;
    return placed;
}

/* The number of the value that lies at a place of memory. */
static int code_at(const struct tensor *t, const char *at, int salt)
{
    int64_t position = (at - (const char *)t->memory) / (int64_t)weft_dtype_size(t->dtype);
    return (int)((position * 7 + position / 5 + salt) % VALUES);
}

static void fill(struct placed *placed, const union scalar *values, int salt)
{
    struct tensor *t = &placed->tensor;
    size_t size = weft_dtype_size(t->dtype);
    for (int64_t i = 0; i < placed->room; i++) {
        char *at = (char *)t->memory + (size_t)i * size;
        scalar_store(at, t->dtype, values[code_at(t, at, salt)]);
    }
}

/* The operand's element under an index of the iteration space. */
static char *element(const struct tensor *t, int rank, const int64_t *index)
{
    int64_t own[MAX_RANK];
    for (int d = 0; d < t->rank; d++)
        own[d] = t->shape[d] == 1 ? 0 : index[d + rank - t->rank];
    return tensor_at(t, own);
}

static bool next(int rank, const int64_t *shape, int64_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

/* ---- programs ---- */

struct suite {
    enum weft_dtype dtypes[2];
    union scalar values[2][VALUES];
    int count;
    enum weft_dtype results[ROWS];
    struct weft_program *program;
    union scalar table[ROWS][VALUES][VALUES];
    char text[2000];
};

static void write_text(struct suite *suite, const enum op *ops)
{
    const char *const operands[] = {"a", "b", "a"};
    size_t length = (size_t)snprintf(suite->text, sizeof suite->text, "return ");
    for (int i = 0; i < ROWS; i++) {
        const enum weft_dtype dtypes[] = {suite->dtypes[0], suite->dtypes[1], suite->dtypes[0]};
        struct typing typing;
        char row[100];
        assert_true(typing_of(ops[i], dtypes, op_arity(ops[i]), &typing));
        typing_text(row, sizeof row, ops[i], operands, op_arity(ops[i]));
        length += (size_t)snprintf(suite->text + length, sizeof suite->text - length, "%sr%d = %s",
                                   suite->count ? ", " : "", suite->count, row);
        suite->results[suite->count++] = typing.result;
    }
}

static void choose_values(struct suite *suite, int which)
{
    int all;
    const union scalar *special = values_special(suite->dtypes[which], &all);
    struct stream stream = stream_init((uint64_t)which + 9);
    for (int i = 0; i < VALUES; i++)
        suite->values[which][i] = i < VALUES_FEW ? special[i % all]
                                                 : stream_value(&stream, suite->dtypes[which]);
}

static void make_table(struct suite *suite)
{
    struct tensor inputs[2], outputs[ROWS];
    for (int k = 0; k < 2; k++)
        inputs[k] = tensor_line(suite->dtypes[k], VALUES * VALUES);
    for (int i = 0; i < VALUES * VALUES; i++) {
        tensor_set(&inputs[0], i, suite->values[0][i / VALUES]);
        tensor_set(&inputs[1], i, suite->values[1][i % VALUES]);
    }
    for (int i = 0; i < suite->count; i++)
        outputs[i] = tensor_line(suite->results[i], VALUES * VALUES);
    run_program(suite->program, inputs, names, 2, outputs, suite->count, NULL);
    for (int i = 0; i < suite->count; i++) {
        for (int j = 0; j < VALUES * VALUES; j++)
            suite->table[i][j / VALUES][j % VALUES] = tensor_get(&outputs[i], j);
        tensor_free(&outputs[i]);
    }
    tensor_free(&inputs[0]);
    tensor_free(&inputs[1]);
}

static void make_suite(struct suite *suite, int pair)
{
    memset(suite, 0, sizeof *suite);
    for (int k = 0; k < 2; k++) {
        suite->dtypes[k] = pairs[pair][k];
        choose_values(suite, k);
    }
    write_text(suite, rows[pair]);
    suite->program = run_compile(suite->text);
    make_table(suite);
}

/* ---- one run ---- */

struct setting {
    enum layout operands[2], output;
    int rank;
    int64_t shape[MAX_RANK];
};

static void fail_at(const struct suite *suite, const struct setting *s, int row, const char *what)
{
    fail_msg(
        "%s\nr%d: %s, with %s a (%s), %s b (%s), %s outputs, shape [%lld, %lld, %lld] of rank %d",
        suite->text, row, what, layout_names[s->operands[0]], weft_dtype_name(suite->dtypes[0]),
        layout_names[s->operands[1]], weft_dtype_name(suite->dtypes[1]), layout_names[s->output],
        (long long)s->shape[0], (long long)s->shape[1], (long long)s->shape[2], s->rank);
}

/* Takes the element out again: it must be what the table says. */
static void take(const struct suite *suite, const struct setting *s, int row,
                 const struct tensor *out, const int64_t *index, int code_a, int code_b)
{
    char *at = element(out, s->rank, index);
    union scalar actual = scalar_load(at, out->dtype);
    if (!oracle_same(out->dtype, actual, suite->table[row][code_a][code_b]))
        fail_at(suite, s, row, "an element differs from the dense run's");
    memset(at, UNTOUCHED, weft_dtype_size(out->dtype));
}

static void check_untouched(const struct suite *suite, const struct setting *s, int row,
                            const struct placed *out)
{
    const unsigned char *memory = out->tensor.memory;
    for (int64_t i = 0; i < out->room * (int64_t)weft_dtype_size(out->tensor.dtype); i++)
        if (memory[i] != UNTOUCHED)
            fail_at(suite, s, row, "a byte outside the output was written");
}

static void check_outputs(const struct suite *suite, const struct setting *s,
                          const struct placed *inputs, const struct placed *outputs)
{
    int64_t index[MAX_RANK] = {0}, volume = 1;
    for (int d = 0; d < s->rank; d++)
        volume *= s->shape[d];
    for (bool more = volume > 0; more; more = next(s->rank, s->shape, index)) {
        int codes[2];
        for (int k = 0; k < 2; k++) {
            const struct tensor *t = &inputs[k].tensor;
            codes[k] = code_at(t, element(t, s->rank, index), k);
        }
        for (int i = 0; i < suite->count; i++)
            take(suite, s, i, &outputs[i].tensor, index, codes[0], codes[1]);
    }
    for (int i = 0; i < suite->count; i++)
        check_untouched(suite, s, i, &outputs[i]);
}

/* The broadcast of the two operands' shapes. */
static void result_shape(struct setting *s, const struct placed *inputs)
{
    int rank = 0;
    int64_t shape[MAX_RANK] = {1, 1, 1};
    for (int k = 0; k < 2; k++)
        rank = inputs[k].tensor.rank > rank ? inputs[k].tensor.rank : rank;
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < inputs[k].tensor.rank; d++) {
            int64_t extent = inputs[k].tensor.shape[d];
            int to = d + rank - inputs[k].tensor.rank;
            shape[to] = extent == 1 ? shape[to] : extent;
        }
    s->rank = rank;
    memcpy(s->shape, shape, sizeof shape);
}

static void run_setting(const struct suite *suite, struct setting s)
{
    struct placed inputs[2], outputs[ROWS];
    struct tensor in[2], out[ROWS];
    for (int k = 0; k < 2; k++) {
        int64_t shape[MAX_RANK];
        int rank = operand_shape(s.operands[k], s.rank, s.shape, shape);
        inputs[k] = place(s.operands[k], suite->dtypes[k], rank, shape);
        fill(&inputs[k], suite->values[k], k);
        in[k] = inputs[k].tensor;
    }
    result_shape(&s, inputs);
    for (int i = 0; i < suite->count; i++) {
        outputs[i] = place(s.output, suite->results[i], s.rank, s.shape);
        out[i] = outputs[i].tensor;
    }
    run_program(suite->program, in, names, 2, out, suite->count, NULL);
    check_outputs(suite, &s, inputs, outputs);
    for (int i = 0; i < suite->count; i++)
        tensor_free(&outputs[i].tensor);
    tensor_free(&inputs[0].tensor);
    tensor_free(&inputs[1].tensor);
}

/* ---- the tests ---- */

static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000};

static void test_layouts(void **state)
{
    (void)state;
    static struct suite suite;
    const enum layout outs[] = {TRANSPOSED, DENSE, REVERSED, SHIFTED, ODD};
    for (int pair = 0; pair < PAIRS; pair++) {
        make_suite(&suite, pair);
        for (int a = 0; a < LAYOUTS * LAYOUTS; a++) {
            if (!sample_chosen(sample_pair(a / LAYOUTS, 2 * (a % LAYOUTS) + 3 * pair, LAYOUTS) +
                               LAYOUTS * LAYOUTS * pair))
                continue;
            /* A program for each pair of layouts: one for all would run general kernels after a few. */
            weft_program_destroy(suite.program);
            suite.program = run_compile(suite.text);
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                int64_t n = sizes[i];
                const struct setting settings[] = {
                    {{0}, 0, 1, {n}}, {{0}, 0, 2, {3, n}}, {{0}, 0, 2, {n, 3}},
                    {{0}, 0, 3, {2, n < 100 ? n : 5, 7}}};
                struct setting s = settings[(a + (int)i + pair) % 4];
                s.operands[0] = a / LAYOUTS, s.operands[1] = a % LAYOUTS;
                s.output = s.operands[1] == DENSE ? outs[(a + (int)i) % 5] : DENSE;
                run_setting(&suite, s);
            }
        }
        weft_program_destroy(suite.program);
    }
}

/* An output that is an input's very buffer, for every dtype: rows whose result has its size. */
static void check_in_place(enum weft_dtype t, enum layout layout, int64_t n)
{
    const char *text = t == WEFT_BOOL ? "where(a, b, a) == b" : "where(b == a, a, b * a)";
    struct weft_program *program = run_compile(text);
    const int64_t shape[] = {3, n};
    struct placed placed[2] = {place(layout, t, 2, shape), place(DENSE, t, 2, shape)};
    struct placed apart = place(layout, t, 2, shape);
    struct tensor in[2] = {placed[0].tensor, placed[1].tensor};
    for (int k = 0; k < 2; k++) {
        struct stream stream = stream_init((uint64_t)k + 3);
        union scalar values[VALUES];
        for (int i = 0; i < VALUES; i++)
            values[i] = stream_value(&stream, t);
        fill(&placed[k], values, k);
    }
    const char *order[2];
    for (size_t i = 0; i < 2; i++)
        order[i] = weft_program_input_name(program, i);
    struct tensor ordered[2] = {in[order[0][0] - 'a'], in[order[1][0] - 'a']};
    run_program(program, ordered, order, 2, &apart.tensor, 1, NULL);
    run_program(program, ordered, order, 2, &placed[0].tensor, 1, NULL);
    for (int64_t i = 0; i < 3 * n; i++) {
        const int64_t index[] = {i / n, i % n};
        assert_true(oracle_same(t, scalar_load(tensor_at(&apart.tensor, index), t),
                                scalar_load(tensor_at(&placed[0].tensor, index), t)));
    }
    weft_program_destroy(program);
    tensor_free(&placed[0].tensor);
    tensor_free(&placed[1].tensor);
    tensor_free(&apart.tensor);
}

static void test_in_place(void **state)
{
    (void)state;
    const enum layout layouts[] = {DENSE, REVERSED, ODD, SHIFTED, TRANSPOSED};
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        for (int i = 0; i < 5; i++)
            if (sample_chosen(LAYOUTS * ((t + i) % 4)))
                check_in_place(t, layouts[i], sizes[(t + i) % 7]);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests_name("layouts", tests, NULL, finish);
}
