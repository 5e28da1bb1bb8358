/* The ways through a CUDA kernel, on the same data, against the C backend's bits: chunks of 16 bytes and single
 * elements, at every place that an operand's type allows, indices of 32 and 64 bits, arguments by value and in a table,
 * more of them than fit by value, quotients by way of reciprocals. What lies around an output must stay as it was. */
#include "tests/gpu/mirror.h"
#include "tests/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Of a room: some bytes, then the operand, somewhere in a line. LENGTH: two tiles of uint8, and a few. */
enum { OPERANDS = 3, OUT = 2, MARGIN = 64, ROOM = 224 << 10, LENGTH = 8192 + 37, UNTOUCHED = 0xa5 };

/* Off in a context for CUDA; the first one has C. The last one is for quotients alone. */
static const char *const forms[] = {"", "", "chunk", "index", "value", "chunk, index, value", "reciprocal"};
enum { FORMS = sizeof forms / sizeof *forms, PLACED = FORMS - 1 };
static struct weft_context *contexts[FORMS];
static struct weft_program *programs[FORMS];

static char *rooms[OPERANDS], *expected;

struct scene {
    const char *text;
    enum weft_dtype dtypes[OPERANDS];
    int rank;
    int64_t shapes[OPERANDS][2];
};

static const struct scene scenes[] = {
    {"max(a, b)", {WEFT_UINT8, WEFT_UINT8, WEFT_UINT8}, 1, {{LENGTH}, {LENGTH}, {LENGTH}}},
    {"float32(a) * b", {WEFT_UINT8, WEFT_FLOAT32, WEFT_FLOAT32}, 1, {{LENGTH}, {LENGTH}, {LENGTH}}},
    {"float16(a + b)", {WEFT_FLOAT16, WEFT_BFLOAT16, WEFT_FLOAT16}, 1, {{LENGTH}, {LENGTH}, {LENGTH}}},
    {"int64(a) * 3 - b", {WEFT_INT16, WEFT_INT64, WEFT_INT64}, 1, {{LENGTH}, {LENGTH}, {LENGTH}}},
    {"float64(a) + b", {WEFT_FLOAT64, WEFT_UINT32, WEFT_FLOAT64}, 1, {{LENGTH}, {LENGTH}, {LENGTH}}},
    /* rows */
    {"max(a, b)", {WEFT_UINT8, WEFT_UINT8, WEFT_UINT8}, 2, {{5, 2048}, {5, 2048}, {5, 2048}}},
    {"float32(a) * b", {WEFT_UINT8, WEFT_FLOAT32, WEFT_FLOAT32}, 2, {{5, 1024}, {1, 1024}, {5, 1024}}},
    /* of a length that no chunk divides */
    {"float32(a) * b", {WEFT_UINT8, WEFT_FLOAT32, WEFT_FLOAT32}, 2, {{5, 1021}, {5, 1}, {5, 1021}}},
    /* a short period */
    {"float32(a) * b", {WEFT_UINT8, WEFT_FLOAT32, WEFT_FLOAT32}, 2, {{2731, 3}, {1, 3}, {2731, 3}}},
};

static int64_t size_of(const struct scene *scene, int k)
{
    return (int64_t)weft_dtype_size(scene->dtypes[k]);
}

/* ---- operands ---- */

/* Where each lies: elements behind a line, and between rows. */
struct places {
    int64_t shift[OPERANDS], gap[OPERANDS];
};

static bool is_real(enum weft_dtype dtype)
{
    return dtype >= WEFT_FLOAT16 && dtype <= WEFT_FLOAT64;
}

/* Any bits; of floating types those of numbers about 1. */
static void fill(const struct scene *scene, int k)
{
    int64_t size = size_of(scene, k);
    for (int64_t i = 0; i < ROOM; i++)
        rooms[k][i] = (char)(i * 41 + i / 251 * 7 + k);
    for (int64_t i = size - 1; is_real(scene->dtypes[k]) && i < ROOM; i += size)
        rooms[k][i] = scene->dtypes[k] == WEFT_FLOAT16 ? 0x3c + i / size % 4 : 0x3f;
}

static DLTensor place(const struct scene *scene, const struct places *places, int k, char *room, int64_t *strides)
{
    strides[scene->rank - 1] = 1;
    if (scene->rank == 2)
        strides[0] = scene->shapes[k][1] + places->gap[k];
    return (DLTensor){.data = room + MARGIN + places->shift[k] * size_of(scene, k), .device = {kDLCPU, 0},
                      .ndim = scene->rank, .dtype = weft_dtype_to_dlpack(scene->dtypes[k]),
                      .shape = (int64_t *)scene->shapes[k], .strides = strides};
}

/* ---- a call ---- */

static void check_status(enum weft_status status, struct weft_error *error, const char *what)
{
    char text[2000] = "";
    if (error)
        weft_error_render(error, text, sizeof text);
    weft_error_destroy(error);
    if (status != WEFT_OK)
        fail_msg("%.200s: %s", what, text);
}

static void call(int form, const struct weft_run_params *params, const char *what)
{
    struct weft_error *error = NULL;
    enum weft_status status = form ? mirror_run(contexts[form], programs[form], params, &error)
                                   : weft_run(programs[form], params, &error);
    check_status(status, error, what);
}

static void run(const struct scene *scene, const struct places *places, int form)
{
    int64_t strides[OPERANDS][2];
    DLTensor tensors[OPERANDS];
    memset(rooms[OUT], UNTOUCHED, ROOM);
    for (int k = 0; k < OPERANDS; k++)
        tensors[k] = place(scene, places, k, rooms[k], strides[k]);
    const struct weft_argument inputs[] = {{.name = "a", .tensors = &tensors[0]},
                                           {.name = "b", .tensors = &tensors[1]}};
    const struct weft_argument output = {.tensors = &tensors[OUT]};
    call(form, &(struct weft_run_params){inputs, 2, &output, 1, NULL}, scene->text);
}

static int64_t first_difference(void)
{
    int64_t i = 0;
    while (i < ROOM && rooms[OUT][i] == expected[i])
        i++;
    return i;
}

static void check(const struct scene *scene, const struct places *places)
{
    run(scene, places, 0);
    memcpy(expected, rooms[OUT], ROOM);
    for (int form = 1; form < PLACED; form++) {
        run(scene, places, form);
        if (memcmp(rooms[OUT], expected, ROOM) != 0)
            fail_msg("%s without '%s': elements %d, %d, %d behind a line, rows %d, %d, %d apart: byte %lld of the "
                     "output differs", scene->text, forms[form], (int)places->shift[0], (int)places->shift[1],
                     (int)places->shift[2], (int)places->gap[0], (int)places->gap[1], (int)places->gap[2],
                     (long long)(first_difference() - MARGIN - places->shift[OUT] * size_of(scene, OUT)));
    }
}

static void compile_all(const char *text)
{
    for (int form = 0; form < FORMS; form++) {
        struct weft_error *error = NULL;
        enum weft_status status = weft_compile(contexts[form], text, NULL, &programs[form], &error);
        check_status(status, error, text);
    }
}

static void destroy_all(void)
{
    for (int form = 0; form < FORMS; form++) {
        weft_program_destroy(programs[form]);
        programs[form] = NULL;
    }
}

/* ---- the tests ---- */

/* At every place that its type allows one operand alone, then all at the same, then each at another. */
static void check_shifts(const struct scene *scene)
{
    for (int k = 0; k < OPERANDS; k++)
        for (int64_t shift = 0; shift * size_of(scene, k) < 16; shift++) {
            struct places places = {{0}, {0}};
            places.shift[k] = shift;
            check(scene, &places);
        }
    for (int64_t shift = 1; shift < 16; shift += 5) {
        check(scene, &(struct places){{shift, shift, shift}, {0}});
        check(scene, &(struct places){{shift, shift + 1, shift + 2}, {0}});
    }
}

static void check_gaps(const struct scene *scene)
{
    for (int64_t gap = 1; gap <= 16; gap += gap < 4 ? 1 : 4)
        for (int k = 0; k < OPERANDS; k++) {
            struct places places = {{0}, {0}};
            places.gap[k] = gap;
            check(scene, &places);
            places.shift[OUT - k] = gap;
            check(scene, &places);
        }
}

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (!sample_chosen((long)i))
            continue;
        compile_all(scenes[i].text);
        fill(&scenes[i], 0);
        fill(&scenes[i], 1);
        check_shifts(&scenes[i]);
        if (scenes[i].rank == 2)
            check_gaps(&scenes[i]);
        destroy_all();
    }
}

/* Samples at every place of a line, of many lengths. */
static void test_batch(void **state)
{
    (void)state;
    enum { SAMPLES = 32, PITCH = ROOM / SAMPLES };
    const struct scene *scene = &scenes[1];
    DLTensor tensors[OPERANDS][SAMPLES];
    int64_t shapes[SAMPLES];
    compile_all(scene->text);
    fill(scene, 0);
    fill(scene, 1);
    for (int s = 0; s < SAMPLES; s++)
        shapes[s] = s * 37 % 1100 + (s == 5 ? 0 : 40);
    for (int k = 0; k < OPERANDS; k++)
        for (int s = 0; s < SAMPLES; s++)
            tensors[k][s] = (DLTensor){.data = rooms[k] + s * PITCH + (s * (k + 3) % 16) * size_of(scene, k),
                                       .device = {kDLCPU, 0}, .ndim = 1,
                                       .dtype = weft_dtype_to_dlpack(scene->dtypes[k]), .shape = &shapes[s]};
    const struct weft_argument inputs[] = {{"a", tensors[0], SAMPLES, true}, {"b", tensors[1], SAMPLES, true}};
    const struct weft_argument output = {.tensors = tensors[OUT], .count = SAMPLES, .batch = true};
    const struct weft_run_params params = {inputs, 2, &output, 1, NULL};
    for (int form = 0; form < PLACED; form++) {
        memset(rooms[OUT], UNTOUCHED, ROOM);
        call(form, &params, scene->text);
        if (form == 0)
            memcpy(expected, rooms[OUT], ROOM);
        else if (memcmp(rooms[OUT], expected, ROOM) != 0)
            fail_msg("a batch without '%s': byte %lld differs", forms[form], (long long)first_difference());
    }
    destroy_all();
}

static void compare_line(const struct weft_argument *inputs, size_t count, int64_t length, const char *what)
{
    DLTensor out = {.data = rooms[OUT], .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &length};
    const struct weft_argument output = {.tensors = &out};
    const struct weft_run_params params = {inputs, count, &output, 1, NULL};
    for (int form = 0; form < 2; form++) {
        memset(rooms[OUT], UNTOUCHED, ROOM);
        call(form, &params, what);
        if (form == 0)
            memcpy(expected, rooms[OUT], ROOM);
        else if (memcmp(rooms[OUT], expected, ROOM) != 0)
            fail_msg("%s: byte %lld differs", what, (long long)first_difference());
    }
}

static void test_many_literals(void **state)
{
    (void)state;
    enum { LITERALS = 1200 };
    static char text[LITERALS * 24];
    int64_t length = 300;
    int at = sprintf(text, "a");
    for (int i = 0; i < LITERALS; i++)
        at += sprintf(text + at, "%s %d.%d", i % 3 ? " +" : " -", i % 89 + 1, i);
    compile_all(text);
    fill(&scenes[1], 1);
    DLTensor a = {.data = rooms[1], .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &length};
    compare_line(&(struct weft_argument){.name = "a", .tensors = &a}, 1, length, "many literals");
    destroy_all();
}

/* Some dense, some of a single element, each somewhere else. */
static void test_many_operands(void **state)
{
    (void)state;
    enum { MANY = 700 };
    static char text[MANY * 16], names[MANY][8];
    static struct weft_argument inputs[MANY];
    static DLTensor tensors[MANY];
    int64_t length = 300, one = 1;
    int at = 0;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        at += sprintf(text + at, "%s%s", i ? i % 2 ? " - " : " + " : "", names[i]);
        tensors[i] = (DLTensor){.data = rooms[1] + 4 * (i * 17 % 1000), .device = {kDLCPU, 0}, .ndim = 1,
                                .dtype = {kDLFloat, 32, 1}, .shape = i % 5 ? &one : &length};
        inputs[i] = (struct weft_argument){.name = names[i], .tensors = &tensors[i]};
    }
    compile_all(text);
    fill(&scenes[1], 1);
    compare_line(inputs, MANY, length, "many operands");
    destroy_all();
}

/* ---- quotients ---- */

enum { PIXELS = 8192, CHANNELS = 3 };

static bool same_numbers(const float *a, const float *b)
{
    for (int i = 0; i < PIXELS * CHANNELS; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && (a[i] == a[i] || b[i] == b[i]))
            return false;
    return true;
}

/* In C, by way of reciprocals, and without; of a NaN any bits. */
static void compare_quotients(const char *text, float mean, float deviation, int channel)
{
    float means[CHANNELS] = {123.675f, 116.28f, 0.0f}, deviations[CHANNELS] = {58.395f, 57.12f, 1.0f};
    int64_t shapes[2][2] = {{PIXELS, CHANNELS}, {CHANNELS}};
    means[channel] = mean;
    deviations[channel] = deviation;
    const DLTensor out = {.data = rooms[OUT], .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1},
                          .shape = shapes[0]};
    DLTensor tensors[] = {out, out, out, out};
    tensors[0].data = rooms[0];
    tensors[0].dtype = (DLDataType){kDLUInt, 8, 1};
    tensors[1].data = means;
    tensors[2].data = deviations;
    tensors[1].ndim = tensors[2].ndim = 1;
    tensors[1].shape = tensors[2].shape = shapes[1];
    const struct weft_argument inputs[] = {{"img", &tensors[0], 1, false}, {"mean", &tensors[1], 1, false},
                                           {"std", &tensors[2], 1, false}};
    const struct weft_argument output = {.tensors = &tensors[3]};
    static const int ways[] = {0, 1, PLACED};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(rooms[OUT], UNTOUCHED, ROOM);
        call(ways[i], &(struct weft_run_params){inputs, 3, &output, 1, NULL}, text);
        if (i == 0)
            memcpy(expected, rooms[OUT], ROOM);
        else if (!same_numbers((const float *)rooms[OUT], (const float *)expected))
            fail_msg("%s without '%s' with a mean of %a and a deviation of %a in channel %d", text, forms[ways[i]],
                     (double)mean, (double)deviation, channel);
    }
}

static void test_quotients(void **state)
{
    (void)state;
    static const char *const texts[] = {"(img / 255 - mean) / std", "(img - mean) / std / 3",
                                        "float32(uint64(float64(img) * 1e18)) / std / std + mean"}; /* up to 2 ** 128 */
    static const float values[] = {0.0f, -0.0f, 1.0f, 3.0f, -57.4f, 0x1p-32f, 0x1p32f, 0x1.000002p32f, 0x1.fffffep-33f,
                                   0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -1e-20f, 1e20f, INFINITY, NAN};
    enum { VALUES = sizeof values / sizeof *values };
    fill(&scenes[0], 0);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        compile_all(texts[t]);
        compare_quotients(texts[t], 0x1p-32f, 0x1p-32f, 0);
        for (int i = 0; i < VALUES; i++) {
            compare_quotients(texts[t], values[i], 57.4f, i % CHANNELS);
            compare_quotients(texts[t], 0.485f, values[i], (i + 1) % CHANNELS);
            compare_quotients(texts[t], values[i], values[(i * 7 + 3) % VALUES], (i + 2) % CHANNELS);
        }
        destroy_all();
    }
}

/* ---- beginning and end ---- */

static int begin(void **state)
{
    (void)state;
    static const char *const flags[] = {"-O0", NULL};
    for (int form = 0; form < FORMS; form++) {
        const struct weft_context_params params = {.target = form ? WEFT_TARGET_CUDA : WEFT_TARGET_C,
                                                   .disable = forms[form], .tier = WEFT_TIER_NONE,
                                                   .cflags = form ? NULL : flags};
        struct weft_error *error = NULL;
        enum weft_status status = weft_context_create(&params, &contexts[form], &error);
        weft_error_destroy(error);
        if (status != WEFT_OK)
            return 1;
    }
    for (int k = 0; k <= OPERANDS; k++)
        if (!(*(k < OPERANDS ? &rooms[k] : &expected) = aligned_alloc(64, ROOM)))
            return 1;
    return setenv("WEFT_TEST_DEVICE", "all", 0);
}

static int end(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        weft_program_destroy(programs[form]);
        weft_context_destroy(contexts[form]);
    }
    for (int k = 0; k < OPERANDS; k++)
        free(rooms[k]);
    free(expected);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_batch),
                                       cmocka_unit_test(test_many_literals), cmocka_unit_test(test_many_operands),
                                       cmocka_unit_test(test_quotients)};
    return cmocka_run_group_tests_name("paths", tests, begin, end);
}
