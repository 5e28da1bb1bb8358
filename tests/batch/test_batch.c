/* Random batches against the same samples run one by one, bit for bit: shapes, layouts and classes mixed,
 * tensors beside batches, with one thread and with two, with all fast paths and with none. */
#include "tests/batch/samples.h"
#include "tests/gpu/mirror.h"
#include "tests/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 12 };

/* How a program's inputs are chosen. */
struct scene {
    const char *text;
    const char *names;             /* a letter each */
    enum weft_dtype dtypes[4];
    const char *kinds;             /* for each: b a batch, p a plain tensor, ? either */
    int64_t last;                  /* of every shape, when not 0 */
    int64_t scale;                 /* extents are about so large */
};

static const struct scene scenes[] = {
    {"a * b + k", "abk", {WEFT_FLOAT32, WEFT_FLOAT32, WEFT_FLOAT32}, "bbp", 0, 1},
    {"a * b - 1", "ab", {WEFT_UINT8, WEFT_INT16}, "b?", 0, 1},
    {"exp(a) + sin(b)", "ab", {WEFT_FLOAT32, WEFT_FLOAT64}, "?b", 0, 1},
    {"uint8(x * g + 0.5)", "xg", {WEFT_UINT8, WEFT_FLOAT32}, "bp", 3, 6},
    {"t = a + b\nreturn t * 2, s = a * k, k * 3, t", "abk", {WEFT_INT32, WEFT_INT32, WEFT_INT32}, "bbp", 0, 1},
    {"return k + 1, a * k, k - 1", "ka", {WEFT_FLOAT64, WEFT_FLOAT64}, "pb", 0, 1},
    {"where(a > b, a // 2, b) % 7", "ab", {WEFT_INT64, WEFT_INT32}, "b?", 0, 1},
    {"(x / 255.0) ** g", "xg", {WEFT_UINT8, WEFT_FLOAT32}, "b?", 0, 40},
    {"cbrt(sinh(a)) + cbrt(cosh(b))", "ab", {WEFT_FLOAT64, WEFT_FLOAT64}, "bb", 0, 30},
    {"x * [[1.5], [2]] + [0.25, 0.5, 1]", "x", {WEFT_FLOAT32}, "b", 3, 1},
    {"-x", "x", {WEFT_INT8}, "b", 0, 9},
};

static struct weft_context *contexts[3];
static const char *const disabled[3] = {NULL, NULL, "flat,special,stream,threads"};

static int open_contexts(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const struct weft_context_params params = {.threads = i == 1 ? 2 : 1, .disable = disabled[i]};
        assert_int_equal(weft_context_create(&params, &contexts[i], NULL), WEFT_OK);
    }
    return 0;
}

static int close_contexts(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        weft_context_destroy(contexts[i]);
    return 0;
}

static struct weft_program *compile(struct weft_context *context, const char *text)
{
    struct weft_program *program;
    struct weft_error *error = NULL;
    char message[1000] = "";
    if (weft_compile(context, text, NULL, &program, &error) < 0) {
        weft_error_render(error, message, sizeof message);
        fail_msg("%s", message);
    }
    weft_error_destroy(error);
    return program;
}

/* One call's operands. */
struct trial {
    const struct scene *scene;
    int64_t samples;
    int inputs, results;
    struct operand in[MAX_OPERANDS], out[MAX_OPERANDS];
};

static int64_t extent(const struct scene *scene)
{
    static const int64_t extents[] = {1, 1, 2, 3, 5, 7, 16, 21, 64, 70};
    return extents[random_below(sizeof extents / sizeof *extents)] *
           (scene->scale > 1 ? 1 + random_below((uint32_t)scene->scale) : 1);
}

/* Shapes that broadcast: a sample's own, of which each input stretches what it likes. */
static void add_samples(struct trial *trial, bool alike, bool dense)
{
    const struct scene *scene = trial->scene;
    int rank = scene->last ? 2 + (int)random_below(2) : 1 + (int)random_below(3), ranks[4];
    int64_t shape[SAMPLE_RANK] = {0};
    for (int t = 0; t < trial->inputs; t++)
        ranks[t] = trial->in[t].batch ? (scene->last ? rank : 1 + (int)random_below((uint32_t)rank))
                                      : (scene->last != 0);
    for (int64_t i = 0; i < trial->samples; i++) {
        for (int d = 0; d < rank && (i == 0 || !alike); d++)
            shape[d] = random_below(25) == 0 ? 0
                       : d == 0 && scene->scale > 9 && rank > 1 ? extent(scene) : extent(scene) % 80;
        if (scene->last)
            shape[rank - 1] = scene->last, shape[rank - 2] = scene->text[0] == 'x' ? 2 : shape[rank - 2];
        for (int t = 0; t < trial->inputs; t++) {
            int64_t own[SAMPLE_RANK] = {scene->last ? scene->last : 1};
            for (int d = 0; trial->in[t].batch && d < ranks[t]; d++) {
                own[d] = shape[rank - ranks[t] + d];
                own[d] = random_below(4) == 0 && !alike && !(scene->last && t == 0) ? 1 : own[d];
            }
            if (trial->in[t].batch || i == 0)
                operand_add(&trial->in[t], ranks[t], own, dense || random_below(2));
        }
    }
    for (int t = 0; t < trial->inputs; t++)
        for (int64_t i = 0; i < trial->in[t].count; i++)
            operand_fill(&trial->in[t], i);
}

static void choose(struct trial *trial, const struct scene *scene, int round)
{
    *trial = (struct trial){.scene = scene, .inputs = (int)strlen(scene->names)};
    trial->samples = round == 0 ? 1 : 1 + random_below(MAX_SAMPLES - 1);
    static const char *const names[] = {"a", "b", "g", "k", "x"};
    for (int t = 0; t < trial->inputs; t++) {
        for (int n = 0; n < 5; n++)
            if (names[n][0] == scene->names[t])
                trial->in[t].name = names[n];
        trial->in[t].dtype = scene->dtypes[t];
        trial->in[t].batch = scene->kinds[t] == 'b' || (scene->kinds[t] == '?' && random_below(2));
    }
    add_samples(trial, round % 4 == 1, round % 3 == 0);
}

static void arguments(const struct operand *operands, int count, struct weft_argument *to)
{
    for (int t = 0; t < count; t++)
        to[t] = operand_argument(&operands[t]);
}

/* Outputs of the shapes that the library says. */
static void add_outputs(struct trial *trial, struct weft_program *program, bool dense)
{
    struct weft_argument in[MAX_OPERANDS];
    struct weft_tensor_info infos[MAX_OPERANDS];
    int64_t extents[MAX_SAMPLES * SAMPLE_RANK];
    arguments(trial->in, trial->inputs, in);
    trial->results = (int)weft_program_result_count(program);
    assert_int_equal(weft_infer(program, in, (size_t)trial->inputs, infos, NULL), WEFT_OK);
    for (int r = 0; r < trial->results; r++) {
        struct operand *out = &trial->out[r];
        out->dtype = infos[r].dtype;
        out->batch = infos[r].batch;
        assert_int_equal(infos[r].count, infos[r].batch ? trial->samples : 1);
        assert_int_equal(weft_infer_samples(program, in, (size_t)trial->inputs, (size_t)r, extents, NULL), WEFT_OK);
        assert_memory_equal(extents, infos[r].shape, (size_t)infos[r].rank * sizeof *extents);
        for (int64_t i = 0; i < infos[r].count; i++)
            operand_add(out, infos[r].rank, extents + i * infos[r].rank, dense || random_below(2));
    }
}

static enum weft_status run_batch(struct trial *trial, struct weft_context *context, struct weft_program *program)
{
    struct weft_argument in[MAX_OPERANDS], out[MAX_OPERANDS];
    struct weft_error *error = NULL;
    char message[1000] = "";
    arguments(trial->in, trial->inputs, in);
    arguments(trial->out, trial->results, out);
    const struct weft_run_params params = {in, (size_t)trial->inputs, out, (size_t)trial->results, NULL};
    enum weft_status status = mirror_run(context, program, &params, &error);
    if (error)
        weft_error_render(error, message, sizeof message);
    weft_error_destroy(error);
    if (status < 0)
        fail_msg("%s: %s", trial->scene->text, message);
    return status;
}

/* Runs sample `i` alone and compares. */
static enum weft_status check_sample(struct trial *trial, struct weft_context *context, struct weft_program *program,
                                     int64_t i)
{
    struct weft_argument in[MAX_OPERANDS], out[MAX_OPERANDS];
    struct weft_tensor_info infos[MAX_OPERANDS];
    struct operand own[MAX_OPERANDS] = {{0}};
    for (int t = 0; t < trial->inputs; t++)
        in[t] = sample_argument(&trial->in[t], i);
    assert_int_equal(weft_infer(program, in, (size_t)trial->inputs, infos, NULL), WEFT_OK);
    for (int r = 0; r < trial->results; r++) {
        assert_false(infos[r].batch);
        own[r].dtype = infos[r].dtype;
        operand_add(&own[r], infos[r].rank, infos[r].shape, true);
        out[r] = operand_argument(&own[r]);
    }
    const struct weft_run_params params = {in, (size_t)trial->inputs, out, (size_t)trial->results, NULL};
    enum weft_status status = mirror_run(context, program, &params, NULL);
    for (int r = 0; r < trial->results; r++)
        if (!samples_equal(&own[r], 0, &trial->out[r], trial->out[r].batch ? i : 0))
            fail_msg("%s: result %d of sample %lld differs", trial->scene->text, r, (long long)i);
    for (int r = 0; r < trial->results; r++)
        operand_free(&own[r]);
    assert_true(status >= 0);
    return status;
}

static void free_trial(struct trial *trial)
{
    for (int t = 0; t < trial->inputs; t++)
        operand_free(&trial->in[t]);
    for (int r = 0; r < trial->results; r++)
        operand_free(&trial->out[r]);
}

static void check_scene(const struct scene *scene)
{
    const int number = (int)(scene - scenes);
    static struct trial trial;
    for (int c = 0; c < 3; c++) {
        struct weft_program *program = compile(contexts[c], scene->text);
        struct weft_program *single = compile(contexts[0], scene->text);
        for (int round = 0; round < ROUNDS; round++) {
            if (!sample_chosen(sample_pair(number, round, ROUNDS)))
                continue;
            choose(&trial, scene, round);
            add_outputs(&trial, program, round % 2);
            enum weft_status status = run_batch(&trial, contexts[c], program), worst = WEFT_OK;
            for (int64_t i = 0; i < trial.samples; i++) {
                enum weft_status own = check_sample(&trial, contexts[0], single, i);
                worst = own > worst ? own : worst;
            }
            assert_int_equal(status, worst);
            free_trial(&trial);
        }
        weft_program_destroy(program);
        weft_program_destroy(single);
    }
}

static void samples_one_by_one(void **unused)
{
    (void)unused;
    random_seed(11);
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        check_scene(&scenes[s]);
}

/* ---- cases of their own ---- */

/* A batch of float32 for "a * b" and the like: samples' shapes as a list that ends with rank 0. */
static void put(struct operand *operand, const char *name, int64_t first, int64_t second, float from)
{
    int64_t shape[2] = {first, second};
    operand->name = name;
    operand->batch = true;
    operand->dtype = WEFT_FLOAT32;
    operand_add(operand, second < 0 ? 1 : 2, shape, true);
    float *to = (float *)operand->memory[operand->count - 1];
    for (int64_t n = 0; n < first * (second < 0 ? 1 : second); n++)
        to[n] = from + (float)n;
}

static void run_text(struct trial *trial, const char *text)
{
    static const struct scene none = {.text = "a case"};
    trial->scene = &none;
    for (int c = 0; c < 3; c++) {
        struct weft_program *program = compile(contexts[c], text);
        add_outputs(trial, program, true);
        run_batch(trial, contexts[c], program);
        for (int64_t i = 0; i < trial->samples; i++)
            check_sample(trial, contexts[c], program, i);
        weft_program_destroy(program);
        for (int r = 0; c < 2 && r < trial->results; r++)
            operand_free(&trial->out[r]);
    }
}

/* One-element samples beside larger ones, which is where DALI goes wrong. */
static void one_element_beside_larger(void **unused)
{
    (void)unused;
    static struct trial trial;
    trial = (struct trial){.samples = 2, .inputs = 2};
    put(&trial.in[0], "left", 1, -1, 1), put(&trial.in[0], "left", 6, -1, 2);
    put(&trial.in[1], "right", 5, -1, 10), put(&trial.in[1], "right", 6, -1, 20);
    run_text(&trial, "left + right");
    const float *first = (const float *)trial.out[0].memory[0], *second = (const float *)trial.out[0].memory[1];
    for (int i = 0; i < 5; i++)
        assert_true(first[i] == 11 + (float)i);
    for (int i = 0; i < 6; i++)
        assert_true(second[i] == 22 + 2 * (float)i);
    free_trial(&trial);
}

static void outer_products(void **unused)
{
    (void)unused;
    static struct trial trial;
    trial = (struct trial){.samples = 5, .inputs = 2};
    for (int i = 0; i < 5; i++)
        put(&trial.in[0], "a", 2, 1, 1), put(&trial.in[1], "b", 1, 2, (float)i);
    run_text(&trial, "a * b");
    const float *last = (const float *)trial.out[0].memory[4];
    assert_true(last[0] == 4 && last[1] == 5 && last[2] == 8 && last[3] == 10);
    free_trial(&trial);
}

static void only_empty_samples(void **unused)
{
    (void)unused;
    static struct trial trial;
    trial = (struct trial){.samples = 36, .inputs = 1};
    for (int i = 0; i < 36; i++)
        put(&trial.in[0], "a", 0, 3, 0);
    run_text(&trial, "a * 42");
    free_trial(&trial);
}

/* What samples have in common is computed once, and a table too. */
static void hoisted_and_shared(void **unused)
{
    (void)unused;
    static struct trial trial;
    static const struct scene scene = {.text = "hoisted", .names = "ab"};
    random_seed(5);
    static const char *const texts[] = {"cbrt(sinh(a)) + cbrt(sinh(k))", "cbrt(sinh(k)) * a",
                                        "cbrt(a) * cbrt(sinh(k * 2)) + cbrt(k)"};
    for (int text = 0; text < 3; text++) {
        trial = (struct trial){.scene = &scene, .samples = 9, .inputs = 2};
        trial.in[0] = (struct operand){.name = "a", .batch = true, .dtype = WEFT_FLOAT64};
        trial.in[1] = (struct operand){.name = "k", .dtype = WEFT_FLOAT64};
        operand_add(&trial.in[1], 1, (int64_t[]){200}, true);
        for (int64_t i = 0; i < 9; i++)
            operand_add(&trial.in[0], 2, (int64_t[]){200 + 10 * (i % 4), i == 5 ? 1 : 200}, true);
        for (int64_t i = 0; i < 9; i++)
            operand_fill(&trial.in[0], i);
        operand_fill(&trial.in[1], 0);
        run_text(&trial, texts[text]);
        free_trial(&trial);
    }
}

static void written_in_place(void **unused)
{
    (void)unused;
    static struct trial trial;
    static float before[MAX_SAMPLES][80];
    struct weft_program *program = compile(contexts[1], "a + a * k");
    trial = (struct trial){.scene = &scenes[0], .samples = 30, .inputs = 2, .results = 1};
    for (int64_t i = 0; i < 30; i++) {
        int64_t count = (1 + i % 7) * (1 + i);
        put(&trial.in[0], "a", 1 + i % 7, 1 + i, (float)i);
        memcpy(before[i], trial.in[0].memory[i], (size_t)(count < 80 ? count : 80) * sizeof(float));
    }
    put(&trial.in[1], "k", 1, -1, 3);
    trial.in[1].batch = false;
    trial.out[0].batch = true;
    for (int64_t i = 0; i < 30; i++)
        operand_share(&trial.out[0], &trial.in[0], i);
    run_batch(&trial, contexts[1], program);
    for (int64_t i = 0; i < 30; i++)
        for (int64_t n = 0; n < (1 + i % 7) * (1 + i) && n < 80; n++)
            assert_true(((float *)trial.in[0].memory[i])[n] == before[i][n] * 4);
    weft_program_destroy(program);
    free_trial(&trial);
}

/* What no sample takes part in is computed once, also where it is written over what it is made from. */
static void a_tensor_in_place_beside_a_batch(void **unused)
{
    (void)unused;
    float a[3] = {1, 2, 3}, b = 5, copies[3];
    DLTensor samples[3], results[3], tensor = host_tensor(&b, WEFT_FLOAT32, 0, NULL);
    for (int i = 0; i < 3; i++) {
        samples[i] = host_tensor(&a[i], WEFT_FLOAT32, 0, NULL);
        results[i] = host_tensor(&copies[i], WEFT_FLOAT32, 0, NULL);
    }
    struct weft_program *program = compile(contexts[1], "return r = a, s = b * -7 + 3");
    const struct weft_argument in[] = {{"a", samples, 3, true}, {"b", &tensor, 1, false}};
    const struct weft_argument out[] = {{NULL, results, 3, true}, {NULL, &tensor, 1, false}};
    const struct weft_run_params params = {in, 2, out, 2, NULL};
    assert_int_equal(mirror_run(contexts[1], program, &params, NULL), WEFT_OK);
    assert_true(b == -32 && copies[0] == 1 && copies[2] == 3);
    weft_program_destroy(program);
}

/* Patterns that begin at the same address are others where samples have other shapes. */
static void the_same_memory_in_other_shapes(void **unused)
{
    (void)unused;
    enum { COUNT = 2400 };
    static float a[2][COUNT], copies[2][COUNT];
    static float m[4] = {1, 2, 3, 4};
    int64_t shapes[2][3] = {{10, COUNT / 30, 3}, {10, COUNT / 40, 4}};
    DLTensor samples[2], factors[2], results[2];
    for (int i = 0; i < 2; i++) {
        samples[i] = host_tensor(a[i], WEFT_FLOAT32, 3, shapes[i]);
        factors[i] = host_tensor(m, WEFT_FLOAT32, 1, &shapes[i][2]);
        results[i] = host_tensor(copies[i], WEFT_FLOAT32, 3, shapes[i]);
    }
    struct weft_program *program = compile(contexts[1], "a + m");
    const struct weft_argument in[] = {{"a", samples, 2, true}, {"m", factors, 2, true}};
    const struct weft_argument out = {NULL, results, 2, true};
    const struct weft_run_params params = {in, 2, &out, 1, NULL};
    assert_int_equal(mirror_run(contexts[1], program, &params, NULL), WEFT_OK);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < COUNT; k++)
            assert_true(copies[i][k] == m[k % shapes[i][2]]);
    weft_program_destroy(program);
}

/* More shapes than plans are kept: some are made twice. */
static void very_many_shapes(void **unused)
{
    (void)unused;
    enum { COUNT = 9000 };
    DLTensor *tensors = calloc(2 * COUNT, sizeof *tensors);
    int64_t *shapes = calloc(COUNT, 3 * sizeof *shapes), total = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t *shape = shapes + 3 * i;
        shape[0] = 1 + i % 21, shape[1] = 1 + i / 21 % 21, shape[2] = 1 + i / 441;
        total += shape[0] * shape[1] * shape[2];
    }
    int32_t *x = calloc((size_t)total, sizeof *x), *y = calloc((size_t)total, sizeof *y), at = 0;
    for (int32_t n = 0; n < total; n++)
        x[n] = n;
    for (int64_t i = 0; i < COUNT; i++) {
        tensors[i] = host_tensor(x + at, WEFT_INT32, 3, shapes + 3 * i);
        tensors[COUNT + i] = host_tensor(y + at, WEFT_INT32, 3, shapes + 3 * i);
        at += (int32_t)(shapes[3 * i] * shapes[3 * i + 1] * shapes[3 * i + 2]);
    }
    struct weft_program *program = compile(contexts[1], "x * 3 - 1");
    const struct weft_argument in = {"x", tensors, COUNT, true}, out = {NULL, tensors + COUNT, COUNT, true};
    const struct weft_run_params params = {&in, 1, &out, 1, NULL};
    size_t kernels = 0;
    assert_int_equal(weft_prepare(program, &params, NULL, &kernels, NULL), WEFT_OK);
    assert_in_range(kernels, 1, 3);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(mirror_run(contexts[1], program, &params, NULL), WEFT_OK);
        for (int32_t n = 0; n < total; n++)
            assert_int_equal(y[n], 3 * n - 1);
        memset(y, 0, (size_t)total * sizeof *y);
    }
    weft_program_destroy(program);
    free(tensors), free(shapes), free(x), free(y);
}

/* What depends on no batch depends on none of the numbers of one either, and they are no part of what its
 * plan is found by: here a tensor of one element would be taken for one without dimensions. */
static void numbers_of_batches(void **unused)
{
    (void)unused;
    struct weft_program *program = compile(contexts[0], "return a = reshape(x, s), b = k * 2");
    float x[2] = {1, 2}, a[2], k = 3;
    int64_t two[] = {2}, one[] = {1}, none[] = {0}, column[] = {2, 1};
    for (int turn = 0; turn < 2; turn++) {
        float b = 0;
        DLTensor from = host_tensor(x, WEFT_FLOAT32, 1, turn ? one : two);
        DLTensor plain = host_tensor(&k, WEFT_FLOAT32, turn, one);
        DLTensor numbers = host_tensor(column, WEFT_INT64, 1, turn ? none : two);
        DLTensor to = host_tensor(a, WEFT_FLOAT32, turn ? 0 : 2, column);
        DLTensor twice = host_tensor(&b, WEFT_FLOAT32, turn, one);
        const struct weft_argument in[] = {{"s", &numbers, 1, true}, {"k", &plain, 1, false}, {"x", &from, 1, true}};
        const struct weft_argument out[] = {{"a", &to, 1, true}, {"b", &twice, 1, false}};
        const struct weft_run_params params = {in, 3, out, 2, NULL};
        assert_int_equal(mirror_run(contexts[0], program, &params, NULL), WEFT_OK);
        assert_true(b == 6 && a[0] == 1 && (turn || a[1] == 2));
    }
    weft_program_destroy(program);
}

/* Each element comes 1 to 8 times, as b says: such groups are made in vectors, of which the orders are kept from sample
 * to sample. */
static void groups_of_other_sizes(void **unused)
{
    (void)unused;
    enum { LENGTH = 200, SIZES = 8, TURNS = 2 };
    static const struct scene scene = {"a[:, 0, newaxis] + b", "ab", {WEFT_FLOAT32, WEFT_FLOAT32}, "bb", 0, 1};
    static struct trial trial = {.scene = &scene, .samples = TURNS * SIZES, .inputs = 2};
    const struct weft_context_params params = {.threads = 1, .disable = "first"}; /* libtcc makes no vectors */
    struct weft_context *context;
    assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_OK);
    struct weft_program *program = compile(context, scene.text);
    trial.in[0] = (struct operand){.name = "a", .dtype = WEFT_FLOAT32, .batch = true};
    trial.in[1] = (struct operand){.name = "b", .dtype = WEFT_FLOAT32, .batch = true};
    for (int64_t i = 0; i < trial.samples; i++) {
        operand_add(&trial.in[0], 2, (const int64_t[]){LENGTH, 3}, true);
        operand_add(&trial.in[1], 1, (const int64_t[]){1 + i * (i < SIZES ? 1 : 3) % SIZES}, true);
        operand_fill(&trial.in[0], i);
        operand_fill(&trial.in[1], i);
    }
    add_outputs(&trial, program, true);
    run_batch(&trial, context, program);
    for (int64_t i = 0; i < trial.samples; i++)
        check_sample(&trial, context, program, i);
    free_trial(&trial);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_one_by_one),
        cmocka_unit_test(one_element_beside_larger),
        cmocka_unit_test(outer_products),
        cmocka_unit_test(only_empty_samples),
        cmocka_unit_test(hoisted_and_shared),
        cmocka_unit_test(written_in_place),
        cmocka_unit_test(a_tensor_in_place_beside_a_batch),
        cmocka_unit_test(the_same_memory_in_other_shapes), cmocka_unit_test(very_many_shapes),
        cmocka_unit_test(numbers_of_batches), cmocka_unit_test(groups_of_other_sizes),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
