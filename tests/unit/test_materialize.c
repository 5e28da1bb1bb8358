/* Materialized values: what is taken out of a kernel, into which kernels, in which order, and what is left. */
#include "tests/unit/lowered.h"

#include "compiler/emit/emit.h"
#include "compiler/ir/materialize.h"

#include <stdio.h>

#define INPUTS                                                                                     \
    "input x: f32[1000, 1000]; input row: f32[1000]; input column: f32[1000, 1]; input s: f32[];"   \
    "input n: i32[1000, 1000]; input k: i32[1000]; input d: i32[]; input img: u8[1000, 1000];"      \
    "input other: u8[1000, 1000]; input small: u8[60, 60]; input few: f32[20]; input none: f32[0];" \
    "input eight: f32[125, 1000]; input wide: f32[8, 125, 1000]; input near: f32[126, 1000];"       \
    "input seven: f32[7, 126, 1000];\n"

struct cut {
    struct front front;
    struct kernel *whole, *rest;
    struct materialized materialized;
};

static const struct shape *shape_of_load(const struct kernel *kernel, int a, const struct shape **nodes)
{
    const struct program *program = kernel->program;
    const struct access *access = &kernel->accesses[a];
    if (access->kind == TENSOR_CONSTANT)
        return nodes[kernel->constants[access->index].node];
    return type_shape(kernel->arena, &program->symbols[program->inputs[access->index]].type);
}

/* Every kernel keeps what kernels promise; a temporary is stored before it is read, by one kernel. */
static void check_order(const struct cut *cut)
{
    bool stored[100] = {false};
    assert_true(cut->materialized.temporary_count < 100);
    for (int p = 0; p <= cut->materialized.count; p++) {
        const int last = cut->materialized.count - 1; /* kernels are in the reverse order */
        const struct kernel *kernel = p <= last ? cut->materialized.kernels[last - p].kernel : cut->rest;
        const char *broken = verify_kernel(kernel);
        if (broken)
            fail_msg("%s", broken);
        for (int a = 0; a < kernel->access_count; a++) {
            const struct access *access = &kernel->accesses[a];
            if (access->kind != TENSOR_TEMPORARY && access->kind != TENSOR_TABLE)
                continue;
            assert_int_equal(access->dtype, cut->materialized.temporaries[access->index].dtype);
            assert_int_equal(stored[access->index], a < kernel->load_count);
            stored[access->index] = true;
        }
    }
}

static void lower_cut(struct cut *cut, const char *text)
{
    char whole[4096];
    snprintf(whole, sizeof whole, INPUTS "%s", text);
    cut->whole = lower_text(&cut->front, whole);
}

static void cut_whole(struct cut *cut, unsigned fast)
{
    const struct program *program = cut->whole->program;
    struct arena *arena = &cut->front.arena;
    const struct shape **given = ARENA_ARRAY(arena, const struct shape *, program->input_count);
    const struct shape **nodes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    const struct shape **loads = ARENA_ARRAY(arena, const struct shape *, cut->whole->load_count);
    for (int i = 0; i < program->input_count; i++)
        given[i] = type_shape(arena, &program->symbols[program->inputs[i]].type);
    assert_true(infer_shapes(arena, program, &cut->front.diags, given, NULL, NULL, nodes, NULL));
    for (int a = 0; a < cut->whole->load_count; a++)
        loads[a] = shape_of_load(cut->whole, a, nodes);
    cut->materialized = (struct materialized){0};
    cut->rest = materialize(arena, cut->whole, nodes[program->results[0].node], loads, fast, target_c.launch,
                            &cut->materialized);
    check_order(cut);
}

static void cut_with(struct cut *cut, const char *text, unsigned fast)
{
    lower_cut(cut, text);
    cut_whole(cut, fast);
}

static void cut_text(struct cut *cut, const char *text)
{
    cut_with(cut, text, FAST_ALL);
}

static void assert_whole(const char *text)
{
    struct cut cut;
    cut_text(&cut, text);
    if (cut.rest != cut.whole || cut.materialized.count || cut.materialized.temporary_count)
        fail_msg("materialized from %s", text);
    front_finish(&cut.front);
}

/* How many kernels are materialized, with how many temporaries. */
static void assert_materialized(const char *text, int kernels, int temporaries)
{
    struct cut cut;
    cut_text(&cut, text);
    if (cut.materialized.count != kernels || cut.materialized.temporary_count != temporaries)
        fail_msg("%d kernels, %d temporaries from %s", cut.materialized.count, cut.materialized.temporary_count,
                 text);
    front_finish(&cut.front);
}

static int materialized_ops(const struct cut *cut, enum op op)
{
    int count = 0;
    for (int p = 0; p < cut->materialized.count; p++)
        count += count_op(cut->materialized.kernels[p].kernel, op);
    return count;
}

static void costly_and_small_goes(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return exp(row) + exp(column)");
    assert_int_equal(cut.materialized.count, 2);
    assert_int_equal(count_op(cut.rest, OP_EXP), 0);
    assert_int_equal(cut.rest->load_count, 2);
    assert_int_equal(cut.materialized.kernels[0].shape->rank + cut.materialized.kernels[1].shape->rank, 3);
    front_finish(&cut.front);
    assert_materialized("return x * (1 / row)", 1, 1);
    assert_materialized("return n + k // d", 1, 1);
    assert_materialized("return x + d ** d", 1, 1);
    assert_materialized("return x + sqrt(row)", 1, 1);
    assert_materialized("return x + ((row + 1) * (row + 2) - 3) * (row + 4) * (row + 5)", 1, 1);
    assert_materialized("return x * exp([1.0] + column)", 1, 1);
    assert_materialized("return wide + exp(eight)", 1, 1);
}

static void cheap_or_large_or_little_stays(void **state)
{
    (void)state;
    assert_whole("return x * row + column");
    assert_whole("return x * (row * 2 + 1)");
    assert_whole("return exp(x)");
    assert_whole("return seven + exp(near)");
    assert_whole("return few + exp(s)");
    assert_whole("return none + exp(s)");
    assert_whole("return x + exp(2.0)"); /* once, before the loop */
}

static void equal_values_are_kept_once(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return x * exp(row), x - exp(row), x + sin(row)");
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(cut.materialized.temporary_count, 2);
    assert_int_equal(materialized_ops(&cut, OP_EXP), 1);
    front_finish(&cut.front);
}

static void the_largest_part_goes(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return x * (exp(row) * 2 + row)");
    assert_int_equal(cut.materialized.temporary_count, 1);
    assert_int_equal(count_op(cut.rest, OP_ADD) + count_op(cut.rest, OP_MUL), 1);
    front_finish(&cut.front);
}

static void materialized_kernels_materialize(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return x + exp(row * exp(s)), x * exp(s)");
    assert_int_equal(cut.materialized.count, 2);
    assert_int_equal(cut.materialized.temporary_count, 2);
    assert_int_equal(cut.materialized.kernels[1].shape->rank, 0);
    assert_int_equal(materialized_ops(&cut, OP_EXP), 2);
    front_finish(&cut.front);
}

/* A remark is of the elements that use the quotient, so it stays with the mask of their shape. */
static void remarks_stay(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return where(n > 0, k // d, 7)");
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(count_op(cut.rest, OP_FLOORDIV), 0);
    assert_int_equal(count_kind(cut.rest, INS_FAULT), 1);
    assert_int_equal(count_kind(cut.materialized.kernels[0].kernel, INS_FAULT), 0);
    for (int i = 0; i < cut.rest->ins_count; i++)
        if (cut.rest->ins[i].kind == INS_FAULT) {
            assert_int_equal(cut.rest->ins[i].a[0], -1);
            assert_true(cut.rest->ins[i].a[1] >= 0 && cut.rest->ins[i].a[2] >= 0);
        }
    front_finish(&cut.front);
}

static void functions_of_a_byte_are_tables(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "return uint8(255 * (img / 255.0) ** 2.2 + 0.5)");
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(cut.materialized.kernels[0].shape->extents[0], TABLE_ENTRIES);
    assert_int_equal(cut.materialized.temporaries[0].dtype, WEFT_UINT8);
    assert_int_equal(count_kind(cut.rest, INS_LOOKUP), 1);
    assert_int_equal(count_kind(cut.rest, INS_OP), 0);
    front_finish(&cut.front);
    cut_text(&cut, "return (img + 1) ** s + atan2(other, 2) * (img + 1) ** s");
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(cut.materialized.temporary_count, 2);
    assert_int_equal(count_kind(cut.rest, INS_LOOKUP), 2);
    assert_int_equal(count_kind(cut.materialized.kernels[0].kernel, INS_LOAD), 2); /* the bytes of both, and s */
    front_finish(&cut.front);
    cut_text(&cut, "return n + img // d");
    assert_int_equal(count_kind(cut.rest, INS_LOOKUP), 1);
    assert_int_equal(count_kind(cut.rest, INS_FAULT), 1);
    front_finish(&cut.front);
}

static void other_functions_are_not(void **state)
{
    (void)state;
    assert_whole("return img * 2.0 + 1");
    assert_whole("return exp(img)"); /* in float32 about as fast as a look-up */
    assert_whole("return exp(float64(small))");
    assert_whole("return exp(float64(int8(x)))");
    assert_whole("return exp(float64(img) * x)");
    assert_whole("return exp(float64(img + other))");
}

/* A table within what is materialized, and a materialized value within a table. */
static void both_at_once(void **state)
{
    (void)state;
    struct cut cut;
    cut_text(&cut, "input strip: u8[100, 1, 1000]; input all: f32[100, 8, 1000];"
                   "return all + exp(float64(strip))");
    assert_int_equal(cut.materialized.count, 2);
    assert_int_equal(cut.materialized.kernels[1].shape->extents[0], TABLE_ENTRIES);
    assert_int_equal(count_kind(cut.materialized.kernels[0].kernel, INS_LOOKUP), 1);
    front_finish(&cut.front);
    cut_text(&cut, "return x + img ** exp(s)");
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(cut.rest->load_count, 3);
    front_finish(&cut.front);
}

static void temporaries_stay_below_the_kernel(void **state)
{
    (void)state;
    struct cut cut;
    int64_t elements = 0;
    cut_text(&cut, "return wide + exp(eight), wide + sin(eight), wide + cos(eight), wide + tan(eight),"
                   "wide + log(eight), wide + exp2(eight), wide + log2(eight), wide + tanh(eight),"
                   "wide + atan(eight), wide + asin(eight)");
    for (int t = 0; t < cut.materialized.temporary_count; t++)
        elements += shape_volume(cut.materialized.temporaries[t].shape);
    assert_int_equal(elements, 1000000);
    front_finish(&cut.front);
}

/* A row under a selection goes; where the selection may lie outside, what is computed of its elements is not what
 * is computed of those that are there. */
static void nothing_goes_across_bounds(void **state)
{
    (void)state;
    const struct shape loop = {.rank = 2, .extents = {1000, 1000}}, row = {.rank = 1, .extents = {1000}};
    const struct axis backwards[] = {{0, {.start = 1200, .has_start = true, .step = -1}}};
    for (int bounded = 0; bounded < 2; bounded++) {
        struct index_map maps[] = {{.parent = -1, .to = &loop},
                                   {.from = &row, .to = &row, .axes = backwards,
                                    .outside = bounded ? OUTSIDE_VALUE : OUTSIDE_NONE}};
        struct cut cut;
        lower_cut(&cut, "return x + exp(row)");
        cut.whole->maps = maps;
        cut.whole->map_count = 2;
        for (int a = 0; a < cut.whole->load_count; a++)
            cut.whole->accesses[a].map = cut.whole->accesses[a].index == 1;
        cut_whole(&cut, FAST_ALL);
        assert_int_equal(cut.materialized.count, !bounded);
        front_finish(&cut.front);
    }
}

static void each_has_a_switch(void **state)
{
    (void)state;
    struct cut cut;
    cut_with(&cut, "return exp(row) + img ** s", FAST_ALL & ~FAST_HOIST);
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(count_kind(cut.rest, INS_LOOKUP), 1);
    front_finish(&cut.front);
    cut_with(&cut, "return exp(row) + img ** s", FAST_ALL & ~FAST_TABLE);
    assert_int_equal(cut.materialized.count, 1);
    assert_int_equal(count_kind(cut.rest, INS_LOOKUP), 0);
    front_finish(&cut.front);
    cut_with(&cut, "return exp(row) + img ** s", FAST_ALL & ~(FAST_TABLE | FAST_HOIST));
    assert_ptr_equal(cut.rest, cut.whole);
    front_finish(&cut.front);
}

/* A row has a weight where it has a meaning, and nowhere else. */
static void rows_have_weights(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        assert_int_equal(op_rows[op].weight > 0, op_meaning((enum op)op, WEFT_INT32) != NULL);
        assert_int_equal(op_rows[op].float_weight > 0, op_meaning((enum op)op, WEFT_FLOAT32) != NULL);
    }
    assert_int_equal(op_weight(OP_FLOORDIV, WEFT_INT32), 32);
    assert_int_equal(op_weight(OP_EXP, WEFT_FLOAT32), 16);
    assert_int_equal(op_weight(OP_EXP, WEFT_FLOAT64), 32);
    assert_int_equal(op_weight(OP_NOT, WEFT_BOOL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_weights),
        cmocka_unit_test(costly_and_small_goes),
        cmocka_unit_test(cheap_or_large_or_little_stays),
        cmocka_unit_test(equal_values_are_kept_once),
        cmocka_unit_test(the_largest_part_goes),
        cmocka_unit_test(materialized_kernels_materialize),
        cmocka_unit_test(remarks_stay),
        cmocka_unit_test(functions_of_a_byte_are_tables),
        cmocka_unit_test(other_functions_are_not),
        cmocka_unit_test(both_at_once),
        cmocka_unit_test(temporaries_stay_below_the_kernel),
        cmocka_unit_test(nothing_goes_across_bounds),
        cmocka_unit_test(each_has_a_switch),
    };
    return cmocka_run_group_tests_name("materialize", tests, NULL, NULL);
}
