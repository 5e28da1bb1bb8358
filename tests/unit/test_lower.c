/* Lowering: equal instructions are one, what no result needs is left out, and remarks stand in the
 * order of the text with the mask under which they count. */
#include "tests/unit/lowered.h"

#include <stdio.h>

#define INPUTS "input x: f32; input y: f32; input a: i32; input b: i32; input c: bool\n"

static bool same_value(const struct kernel *kernel, const struct ins *a, const struct ins *b)
{
    if (a->kind != b->kind || a->dtype != b->dtype || a->source != b->source)
        return false;
    if (a->kind == INS_LITERAL)
        return kernel->literals[a->index].bits == kernel->literals[b->index].bits;
    return a->op == b->op && a->index == b->index && memcmp(a->a, b->a, sizeof a->a) == 0;
}

static int count_equal(const struct kernel *kernel)
{
    int equal = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int j = 0; j < i; j++)
            equal += kernel->ins[i].kind != INS_STORE && kernel->ins[i].kind != INS_FAULT &&
                     same_value(kernel, &kernel->ins[i], &kernel->ins[j]);
    return equal;
}

/* Every value is an operand of something. */
static void assert_all_used(const struct kernel *kernel)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        bool used = kernel->ins[i].kind == INS_STORE || kernel->ins[i].kind == INS_FAULT;
        for (int j = i + 1; j < kernel->ins_count && !used; j++)
            for (int k = 0; k < 3; k++)
                used = used || kernel->ins[j].a[k] == i;
        assert_true(used);
    }
}

static void equal_expressions_are_one(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(&front, INPUTS "t = x * y\nreturn t + x * y, sqrt(x*y), a + b*0 + c");
    assert_int_equal(count_op(kernel, OP_MUL), 2);
    assert_int_equal(count_equal(kernel), 0);
    front_finish(&front);
    kernel = lower_text(&front, INPUTS "return x - y, y - x, a + b, x + a + b + c");
    assert_int_equal(count_op(kernel, OP_SUB), 2);
    front_finish(&front);
}

static void literals_are_told_apart_by_bits(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(&front, INPUTS "return x * 0.0, y * -0.0, x + 0, a + 0, b, c");
    assert_int_equal(kernel->literal_count, 3); /* 0.0f, -0.0f, 0 */
    assert_int_equal(count_kind(kernel, INS_LITERAL), 3);
    front_finish(&front);
}

static void equal_arrays_are_one(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel =
        lower_text(&front, INPUTS "return x * [1, 2] + [1, 2], a * [1, 2], y * [[1], [2]], b, c");
    assert_int_equal(kernel->constant_count, 3); /* two types, two shapes */
    front_finish(&front);
}

static void constants_are_folded(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(&front, "sqrt(float32(2)) * float32(3) + abs(int8(-200))");
    assert_int_equal(kernel->ins_count, 2);
    assert_int_equal(kernel->literal_count, 1);
    assert_true(kernel->literals[0].f32 == 1.41421354f * 3 - 128);
    front_finish(&front);
}

static void only_what_a_result_needs(void **state)
{
    (void)state;
    static const int second[] = {1};
    struct front front;
    struct kernel *kernel = lower_results(
        &front, INPUTS "return exp(x) + a // b + 7, y * 3 if c else 5", second, 1);
    assert_all_used(kernel);
    assert_int_equal(kernel->fault_count, 0);
    assert_int_equal(kernel->load_count, 2);
    assert_int_equal(kernel->access_count, 3);
    assert_int_equal(kernel->literal_count, 2);
    assert_int_equal(kernel->accesses[2].kind, TENSOR_RESULT);
    assert_int_equal(kernel->accesses[2].index, 1);
    front_finish(&front);
}

/* What may be written in place: inputs that are read at the element being written alone. */
static void what_moves_is_not_read_in_place(void **state)
{
    (void)state;
    static const struct { const char *text, *viewed; } cases[] = {
        {"x + y", "--"}, {"x[::-1] + y", "x-"}, {"x[...] + y", "x-"}, {"x + sum(y)", "-y"}, {"sum(x + y)", "xy"},
        {"t = x + 1; t[0] * y", "x-"}, {"t = sum(x); return y + 1", "--"}, {"reshape(x, -1) + y", "x-"},
        {"reinterpret(x, int32) + y", "--"}, {"reinterpret(x, int32, shape=[-1]) + y", "x-"},
        {"reinterpret(int32(x[1:]), float32) + y[1:]", "xy"}, {"reinterpret(x, int16) * sum(y)", "xy"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct front front;
        const char *text = cases[i].text, *declared = "input x: f32[4]; input y: f32[4]; ";
        char whole[200];
        snprintf(whole, sizeof whole, "%s%s", declared, text);
        front_parse(&front, whole, strlen(whole));
        assert_true(front.good && check(front.programs.items[0]));
        const int *viewed = find_viewed(&front.arena, front.programs.items[0]);
        const char found[] = {viewed[0] >= 0 ? 'x' : '-', viewed[1] >= 0 ? 'y' : '-', '\0'};
        if (strcmp(found, cases[i].viewed) != 0)
            fail_msg("%s: %s, not %s", text, found, cases[i].viewed);
        front_finish(&front);
    }
}

/* The text of fault i's place. */
static void assert_fault(const struct front *front, const struct kernel *kernel, int i, uint32_t start,
                         const char *text)
{
    struct span span = kernel->faults[i].span;
    assert_int_equal(span.start, start + strlen(INPUTS));
    assert_int_equal(span.end - span.start, strlen(text));
    assert_memory_equal(front->source.text + span.start, text, strlen(text));
}

static void faults_are_in_the_order_of_the_text(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(
        &front, INPUTS "p = a // b\nq = b % a\nreturn truncdiv(q, b), q + p, a % 3, x, y, c");
    assert_int_equal(kernel->fault_count, 3);
    assert_int_equal(count_kind(kernel, INS_FAULT), 3);
    assert_fault(&front, kernel, 0, 6, "//");
    assert_fault(&front, kernel, 1, 17, "%");
    assert_fault(&front, kernel, 2, 28, "truncdiv");
    front_finish(&front);
}

/* The only remark; its mask is what `op` computes, OP_COUNT: it always counts. */
static void assert_mask(const char *text, enum op op)
{
    struct front front;
    struct arena arena;
    arena_init(&arena);
    struct kernel *kernel = lower_text(&front, arena_printf(&arena, INPUTS "%s, x, y, a, b, c", text));
    assert_int_equal(kernel->fault_count, 1);
    const struct ins *fault = &kernel->ins[kernel->ins_count - 1];
    assert_int_equal(fault->kind, INS_FAULT);
    if (op == OP_COUNT)
        assert_int_equal(fault->a[2], -1);
    else
        assert_int_equal(kernel->ins[fault->a[2]].op, op);
    front_finish(&front);
    arena_finish(&arena);
}

static void a_remark_counts_where_its_value_is_used(void **state)
{
    (void)state;
    assert_mask("return a // b + 1", OP_COUNT);
    assert_mask("return a // b if b != 0 else 7", OP_NE);
    assert_mask("return 7 if b == 0 else a // b", OP_NOT);
    assert_mask("q = a // b\nreturn -q * 2 if x > y else 7", OP_GT);
    assert_mask("q = a // b\nreturn where(x > y, q, 0), where(x == y, q, 1)", OP_OR);
    assert_mask("return where(x > y, where(x < 2, a % b, 0), 1)", OP_AND);
    assert_mask("q = a // b\nreturn where(x > y, q, 0) + q", OP_COUNT);
    assert_mask("return where(a // b > 0, x, y)", OP_COUNT);
}

/* Until remarks are known divisions stay apart; those that have none do not. */
static void equal_divisions_are_one(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(&front, INPUTS "return a // 7 + a // 7 * (a // 7), b, c, x, y");
    assert_int_equal(count_op(kernel, OP_FLOORDIV), 1);
    front_finish(&front);
    kernel = lower_text(&front, INPUTS "return a // b + a // b * (a // b), a // 7 - a // 7, c, x, y");
    assert_int_equal(count_op(kernel, OP_FLOORDIV), 2);
    assert_int_equal(kernel->fault_count, 1);
    front_finish(&front);
}

static void literal_divisors_are_not_remarked(void **state)
{
    (void)state;
    struct front front;
    struct kernel *kernel = lower_text(&front, INPUTS "return a // 7 + b % -3, x // y, x % 2, c");
    assert_int_equal(kernel->fault_count, 0);
    front_finish(&front);
    kernel = lower_text(&front, INPUTS "return a // int32(0), b, x, y, c"); /* a cast is no literal */
    assert_int_equal(kernel->fault_count, 1);
    front_finish(&front);
}

static void random_kernels_have_no_waste(void **state)
{
    (void)state;
    int instructions = 0, faults = 0;
    for (uint64_t seed = 1000; seed < 1300; seed++) {
        struct arena arena;
        struct front front;
        arena_init(&arena);
        struct kernel *kernel = lower_text(&front, random_text(&arena, seed));
        assert_int_equal(count_equal(kernel), 0);
        assert_all_used(kernel);
        for (int i = 1; i < kernel->fault_count; i++)
            assert_true(kernel->faults[i - 1].span.start < kernel->faults[i].span.start);
        instructions += kernel->ins_count;
        faults += kernel->fault_count;
        front_finish(&front);
        arena_finish(&arena);
    }
    assert_true(instructions > 5000);
    assert_true(faults > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one),
        cmocka_unit_test(literals_are_told_apart_by_bits),
        cmocka_unit_test(equal_arrays_are_one),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(only_what_a_result_needs),
        cmocka_unit_test(what_moves_is_not_read_in_place),
        cmocka_unit_test(faults_are_in_the_order_of_the_text),
        cmocka_unit_test(a_remark_counts_where_its_value_is_used),
        cmocka_unit_test(equal_divisions_are_one),
        cmocka_unit_test(literal_divisors_are_not_remarked),
        cmocka_unit_test(random_kernels_have_no_waste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
