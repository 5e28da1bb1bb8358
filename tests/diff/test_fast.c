/* Fast paths against the slow path on the same data: random programs over operands that broadcast,
 * layouts, operands that are outputs, and remarks. Each with everything on, with one path off and
 * with all off must give the same. A few elements are held to the oracle too. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/trees.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Enough elements for a table. */
enum { OUTER = 64, INNER = 65, ALONG_OUTER = 1, ALONG_INNER = 2, STEP = 97 };

/* What is off; the first is the slow path. */
static const char *const variants[] = {"hoist, table, special, row, flat, convert, divisor, narrow", "",
                                       "hoist", "table", "special", "flat", "row", "convert",
                                       "divisor", "narrow"};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- random programs ---- */

static struct tree tree;
static struct tensor inputs[TREE_INPUTS], expected[TREE_RESULTS], outputs[TREE_RESULTS];

static struct tensor tensor_along(enum weft_dtype dtype, unsigned along)
{
    const int64_t shape[] = {along & ALONG_OUTER ? OUTER : 1, INNER};
    if (along & ALONG_OUTER)
        return tensor_new(dtype, 2, (int64_t[]){OUTER, along & ALONG_INNER ? INNER : 1});
    return tensor_new(dtype, along ? 1 : 0, shape + 1);
}

static int64_t volume_along(unsigned along)
{
    return (along & ALONG_OUTER ? OUTER : 1) * (along & ALONG_INNER ? INNER : 1);
}

/* The position of an element of the whole in a tensor that may vary along less. */
static int64_t position(unsigned along, int64_t element)
{
    int64_t inner = along & ALONG_INNER ? element % INNER : 0;
    return (along & ALONG_OUTER ? element / INNER : 0) * (along & ALONG_INNER ? INNER : 1) + inner;
}

static unsigned result_along(int result)
{
    return tree.nodes[tree.results[result]].along;
}

static void make_tensors(void)
{
    for (int i = 0; i < TREE_INPUTS; i++) {
        inputs[i] = tensor_along(tree.inputs[i], tree.along[i]);
        for (int64_t j = 0; j < volume_along(tree.along[i]); j++)
            tensor_set(&inputs[i], j, stream_value(&tree.stream, tree.inputs[i]));
    }
    for (int i = 0; i < tree.result_count; i++) {
        enum weft_dtype dtype = tree.nodes[tree.results[i]].typing.result;
        expected[i] = tensor_along(dtype, result_along(i));
        outputs[i] = tensor_along(dtype, result_along(i));
    }
}

static void free_tensors(void)
{
    for (int i = 0; i < TREE_INPUTS; i++)
        tensor_free(&inputs[i]);
    for (int i = 0; i < tree.result_count; i++) {
        tensor_free(&expected[i]);
        tensor_free(&outputs[i]);
    }
}

static void fail_at(const char *text, const char *variant, int result, int64_t element)
{
    fprintf(stderr, "%s\nwithout '%s' result %d differs at %" PRId64 " (seed %" PRIu64 ")\n", text,
            variant, result, element, values_seed());
    fail();
}

static void check_same(const char *variant)
{
    for (int i = 0; i < tree.result_count; i++)
        for (int64_t j = 0; j < volume_along(result_along(i)); j++)
            if (!oracle_same(outputs[i].dtype, tensor_get(&outputs[i], j), tensor_get(&expected[i], j)))
                fail_at(tree.text, variant, i, j);
}

static void check_oracle(int64_t element)
{
    static union scalar values[TREE_NODES];
    union scalar in[TREE_INPUTS];
    for (int i = 0; i < TREE_INPUTS; i++)
        in[i] = tensor_get(&inputs[i], position(tree.along[i], element));
    for (int i = 0; i < tree.result_count; i++)
        if (tree.nodes[tree.results[i]].kind == TREE_CALL)
            values[tree.results[i]] = tensor_get(&expected[i], position(result_along(i), element));
    tree_evaluate(&tree, in, values);
    for (int i = 0; i < tree.result_count; i++) {
        const struct tree_node *node = &tree.nodes[tree.results[i]];
        union scalar actual = tensor_get(&expected[i], position(node->along, element));
        bool right = node->kind == TREE_CALL
                         ? tree_call_error(&tree, tree.results[i], values) <=
                               typing_bound(node->op, &node->typing)
                         : oracle_same(node->typing.result, actual, values[tree.results[i]]);
        if (!right)
            fail_at(tree.text, "anything", i, element);
    }
}

/* Where the remark of a run points; -1: there is none. */
static long run_variant(const char *variant, const struct tensor *out)
{
    struct tensor in[TREE_INPUTS];
    const char *names[TREE_INPUTS];
    struct weft_error *remark = NULL;
    run_disable(variant);
    struct weft_program *program = run_compile(tree.text);
    int count = (int)weft_program_input_count(program);
    for (int i = 0; i < count; i++) {
        names[i] = weft_program_input_name(program, (size_t)i);
        in[i] = inputs[names[i][0] - 'a'];
    }
    run_program(program, in, names, count, out, tree.result_count, &remark);
    long place = remark ? (long)remark->spans[0].start : -1;
    weft_error_destroy(remark);
    weft_program_destroy(program);
    return place;
}

static void test_trees(void **state)
{
    (void)state;
    long programs = sample_setting("WEFT_PROGRAMS", 30) / 10;
    for (long n = 0; n < programs; n++) {
        tree_generate(&tree, (uint64_t)n + 9000, 2);
        make_tensors();
        long place = run_variant(variants[0], expected);
        for (int v = 1; v < VARIANTS; v++) {
            if (v > 1 && !sample_chosen(n + v))
                continue;
            if (run_variant(variants[v], outputs) != place)
                fail_at(tree.text, variants[v], -1, 0);
            check_same(variants[v]);
        }
        for (int64_t element = 0; element < OUTER * INNER; element += STEP)
            check_oracle(element);
        free_tensors();
    }
}

/* ---- layouts ---- */

enum { CASES = 7, MOST = 3 };
static const struct {
    const char *text;
    enum weft_dtype dtypes[MOST];
    unsigned along[MOST];
    enum weft_dtype result;
} cases[CASES] = {
    {"exp(a) + exp(b) * c", {WEFT_FLOAT64, WEFT_FLOAT64, WEFT_FLOAT32}, {1, 2, 3}, WEFT_FLOAT64},
    {"uint8(255 * (a / 255.0) ** b + c)", {WEFT_UINT8, WEFT_FLOAT32, WEFT_FLOAT32}, {3, 0, 2},
     WEFT_UINT8},
    {"where(sin(a) > c, b // 3, 5)", {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32}, {3, 1, 0}, WEFT_INT32},
    {"(a % 7 == 3) and (b % 5 < c)", {WEFT_UINT8, WEFT_INT64, WEFT_INT8}, {3, 1, 2}, WEFT_BOOL},
    {"(a / 255.0) ** c + (b / 255.0) ** 0.7", {WEFT_UINT8, WEFT_UINT8, WEFT_FLOAT32}, {3, 3, 0}, WEFT_FLOAT32},
    {"float16((a / 255.0) ** 0.45) + b * c", {WEFT_UINT8, WEFT_FLOAT16, WEFT_FLOAT16}, {3, 2, 1}, WEFT_FLOAT16},
    {"(exp(a) * exp(b) + c) * c - min(c, a)", {WEFT_BFLOAT16, WEFT_BFLOAT16, WEFT_BFLOAT16}, {1, 2, 3},
     WEFT_BFLOAT16}};

enum layout { DENSE, REVERSED, SPREAD, TRANSPOSED, LAYOUTS };

/* The same elements, otherwise in memory. `room` owns it. */
static struct tensor laid_out(const struct tensor *dense, enum layout layout, struct tensor *room)
{
    int64_t volume = 1, step = layout == SPREAD ? 3 : 1;
    struct tensor out = *dense;
    for (int d = 0; d < dense->rank; d++)
        volume *= dense->shape[d];
    *room = tensor_line(dense->dtype, volume * step + 1);
    int64_t size = (int64_t)weft_dtype_size(dense->dtype);
    out.data = room->data;
    for (int d = 0; d < dense->rank; d++)
        out.strides[d] *= step;
    if (layout == TRANSPOSED && dense->rank == 2)
        out.strides[0] = 1, out.strides[1] = dense->shape[0];
    for (int d = 0; d < dense->rank && layout == REVERSED; d++) {
        out.data += out.strides[d] * (out.shape[d] - 1) * size;
        out.strides[d] = -out.strides[d];
    }
    for (int64_t i = 0; i < volume; i++) {
        int64_t inner = dense->rank ? dense->shape[dense->rank - 1] : 1;
        const int64_t index[2] = {dense->rank == 2 ? i / inner : i, i % inner};
        scalar_store(tensor_at(&out, index), dense->dtype, tensor_get(dense, i));
    }
    return out;
}

static void check_layout(int n, enum layout layout, const struct tensor *in)
{
    struct tensor given[MOST], rooms[MOST];
    const struct tensor out[2] = {tensor_along(cases[n].result, 3), tensor_along(cases[n].result, 3)};
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < MOST; i++)
        given[i] = laid_out(&in[i], layout, &rooms[i]);
    for (int v = 0; v < VARIANTS; v++) {
        size_t fresh;
        if (v > 1 && !sample_chosen(n + v))
            continue;
        run_disable(variants[v]);
        struct weft_program *program = run_compile(cases[n].text);
        size_t kernels = run_prepare(program, given, names, MOST, &fresh);
        assert_true(v == 0 ? kernels == 1 : v == 1 && run_in_c() ? kernels > 1 : kernels >= 1);
        run_program(program, given, names, MOST, &out[v > 0], 1, NULL);
        weft_program_destroy(program);
        for (int64_t i = 0; v && i < OUTER * INNER; i++)
            if (!oracle_same(cases[n].result, tensor_get(&out[0], i), tensor_get(&out[1], i)))
                fail_at(cases[n].text, variants[v], 0, i);
    }
    for (int i = 0; i < MOST; i++)
        tensor_free(&rooms[i]);
    tensor_free((struct tensor *)&out[0]);
    tensor_free((struct tensor *)&out[1]);
}

static void test_layouts(void **state)
{
    (void)state;
    for (int n = 0; n < CASES; n++) {
        struct tensor in[MOST];
        struct stream stream = stream_init((uint64_t)n + 77);
        for (int i = 0; i < MOST; i++) {
            in[i] = tensor_along(cases[n].dtypes[i], cases[n].along[i]);
            for (int64_t j = 0; j < volume_along(cases[n].along[i]); j++)
                tensor_set(&in[i], j, stream_value(&stream, cases[n].dtypes[i]));
        }
        for (int layout = 0; layout < LAYOUTS; layout++)
            if (sample_chosen(sample_pair(n, layout, LAYOUTS)))
                check_layout(n, layout, in);
        for (int i = 0; i < MOST; i++)
            tensor_free(&in[i]);
    }
}

/* ---- an output that is an input's buffer ---- */

static void check_in_place(const char *text, enum weft_dtype dtype)
{
    struct tensor in = tensor_along(dtype, 3), row = tensor_along(WEFT_FLOAT32, 2);
    struct tensor out = tensor_along(dtype, 3);
    static const char *const names[] = {"a", "row"};
    const struct tensor given[] = {in, row};
    struct stream stream = stream_init(5);
    for (int64_t j = 0; j < OUTER * INNER; j++)
        tensor_set(&in, j, stream_value(&stream, dtype));
    for (int64_t j = 0; j < INNER; j++)
        tensor_set(&row, j, stream_value(&stream, WEFT_FLOAT32));
    run_disable("");
    struct weft_program *program = run_compile(text);
    run_program(program, given, names, 2, &out, 1, NULL);
    run_program(program, given, names, 2, &in, 1, NULL);
    for (int64_t j = 0; j < OUTER * INNER; j++)
        assert_true(oracle_same(dtype, tensor_get(&in, j), tensor_get(&out, j)));
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&out);
    tensor_free(&row);
}

static void test_in_place(void **state)
{
    (void)state;
    check_in_place("uint8(255 * (a / 255.0) ** 0.45 + exp(row) * a)", WEFT_UINT8);
    check_in_place("a * exp(row) + a", WEFT_FLOAT32);
    check_in_place("float16(a * exp(row)) * a + a", WEFT_FLOAT16);
    check_in_place("a * a + bfloat16(row) / a", WEFT_BFLOAT16);
}

/* Which buffers may be shared does not depend on what is hoisted: the second result still reads `row`. */
static void check_shared(const char *text, int first, enum weft_status expected_status)
{
    const struct tensor in[] = {tensor_along(WEFT_FLOAT32, 2), tensor_along(WEFT_FLOAT32, 3)};
    const struct tensor all[] = {in[0], tensor_along(WEFT_FLOAT32, 3)};
    const struct tensor out[] = {all[first], all[!first]};
    static const char *const names[] = {"row", "x"};
    for (int v = 0; v < VARIANTS; v++) {
        run_disable(variants[v]);
        struct weft_program *program = run_compile(text);
        assert_int_equal(run_try(program, in, names, 2, out, 2), expected_status);
        weft_program_destroy(program);
    }
    tensor_free((struct tensor *)&in[0]);
    tensor_free((struct tensor *)&in[1]);
    tensor_free((struct tensor *)&all[1]);
}

static void test_shared(void **state)
{
    (void)state;
    check_shared("return little = row + 1, all = exp(row) + x", 0, WEFT_OVERLAP_ERROR);
    check_shared("return all = exp(row) + x, little = row + 1", 1, WEFT_OK);
}

/* ---- too many classes ---- */

/* Every way that three operands may go along a row of 50: stay, step by one element, step by two. */
static void test_classes(void **state)
{
    (void)state;
    enum { ROWS = 4, COLUMNS = 250, CLASSES = 16 };
    const int64_t shape[] = {ROWS, COLUMNS};
    static const char *const names[] = {"a", "b", "c"};
    size_t all = 0;
    run_disable("");
    struct weft_program *program = run_compile("a * b + c");
    struct tensor out = tensor_new(WEFT_FLOAT32, 2, shape);
    for (int pattern = 0; pattern < 27; pattern++) {
        struct tensor in[3];
        const int steps[] = {pattern % 3, pattern / 3 % 3, pattern / 9};
        size_t fresh;
        for (int k = 0; k < 3; k++) {
            in[k] = tensor_new(WEFT_FLOAT32, 2, (int64_t[]){ROWS, 2 * COLUMNS});
            for (int64_t j = 0; j < 2 * ROWS * COLUMNS; j++)
                ((float *)in[k].memory)[j] = (float)(j + 7 * k);
            in[k].shape[1] = COLUMNS;
            in[k].strides[1] = steps[k];
        }
        assert_int_equal(run_prepare(program, in, names, 3, &fresh), 1);
        all += fresh;
        run_program(program, in, names, 3, &out, 1, NULL);
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
            const int64_t index[] = {i / COLUMNS, i % COLUMNS};
            const float *a = tensor_at(&in[0], index), *b = tensor_at(&in[1], index);
            const float *c = tensor_at(&in[2], index);
            assert_true(tensor_get(&out, i).f32 == *a * *b + *c);
        }
        for (int k = 0; k < 3; k++)
            tensor_free(&in[k]);
    }
    assert_true(all == CLASSES + 1 || (!run_in_c() && all <= CLASSES + 1));
    weft_program_destroy(program);
    tensor_free(&out);
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
        cmocka_unit_test(test_trees), cmocka_unit_test(test_layouts), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_shared), cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests_name("fast", tests, NULL, finish);
}
