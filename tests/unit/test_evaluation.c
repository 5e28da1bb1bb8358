/* The order of a block's loops and calls: a call's result is read in later loops only, stores come
 * last, and values that are needed at one time never share a slot. */
#include "tests/unit/lowered.h"

#include "compiler/loop/evaluation.h"

struct evaluated {
    struct front front;
    struct kernel *kernel;
    struct evaluation evaluation;
};

static void evaluate_text(struct evaluated *s, const char *text)
{
    s->kernel = lower_text(&s->front, text);
    make_evaluation(&s->front.arena, s->kernel, NULL, FAST_ALL, true, &s->evaluation);
}

static bool stays_outside(const struct evaluated *s, int i)
{
    const struct ins *ins = &s->kernel->ins[i];
    return ins->kind == INS_LOAD || ins->kind == INS_LITERAL || s->evaluation.rate[i] != RATE_BLOCK ||
           (ins->kind == INS_STORE && s->evaluation.output[i] >= 0);
}

/* Whether i reads the value of a from where it is kept between loops. */
static bool reads_kept(const struct evaluated *s, int i, int a)
{
    return s->evaluation.level[i] != s->evaluation.level[a] || s->evaluation.call[i] ||
           s->evaluation.call[a];
}

static void check_operand(const struct evaluated *s, const int *position, int i, int a)
{
    const int *level = s->evaluation.level;
    bool call = s->evaluation.call[i], of_call = s->evaluation.call[a];
    assert_true(level[a] <= level[i]);
    assert_true(!of_call || call || level[a] < level[i]);
    if (reads_kept(s, i, a))
        assert_in_range(s->evaluation.slot[a], 0, s->evaluation.slot_count - 1);
    if (level[a] == level[i] && call == of_call)
        assert_true(position[a] < position[i]);
}

/* Every instruction that computes stands in the order once, behind what it reads. */
static void check_order(struct evaluated *s)
{
    const struct kernel *kernel = s->kernel;
    int *position = ARENA_ARRAY(&s->front.arena, int, kernel->ins_count);
    int *seen = ARENA_ARRAY(&s->front.arena, int, kernel->ins_count);
    for (int n = 0; n < s->evaluation.order_count; n++) {
        int i = s->evaluation.order[n];
        position[i] = n;
        seen[i]++;
        if (n)
            assert_true(s->evaluation.level[s->evaluation.order[n - 1]] <= s->evaluation.level[i]);
    }
    for (int i = 0; i < kernel->ins_count; i++) {
        assert_int_equal(seen[i], !stays_outside(s, i));
        for (int k = 0; k < 3 && seen[i]; k++)
            if (kernel->ins[i].a[k] >= 0 && seen[kernel->ins[i].a[k]])
                check_operand(s, position, i, kernel->ins[i].a[k]);
    }
}

static void check_stores(const struct evaluated *s)
{
    int stores = count_kind(s->kernel, INS_STORE), count = s->evaluation.order_count;
    for (int i = 0; i < s->kernel->ins_count; i++)
        stores -= stays_outside(s, i) && s->kernel->ins[i].kind == INS_STORE;
    for (int n = 0; n < count; n++) {
        int i = s->evaluation.order[n];
        assert_int_equal(s->kernel->ins[i].kind == INS_STORE, n >= count - stores);
        if (n >= count - stores)
            assert_int_equal(s->evaluation.level[i], s->evaluation.level_count - 1);
    }
}

/* The last level in which anything reads the value from its slot. */
static int last_reader(const struct evaluated *s, int a)
{
    int last = s->evaluation.level[a];
    for (int i = 0; i < s->kernel->ins_count; i++)
        for (int k = 0; k < 3; k++)
            if (s->kernel->ins[i].a[k] == a && reads_kept(s, i, a) && s->evaluation.level[i] > last)
                last = s->evaluation.level[i];
    return last;
}

/* Returns how many pairs of values share a slot; each must end before the other begins. */
static int check_slots(const struct evaluated *s)
{
    const int *slot = s->evaluation.slot, *level = s->evaluation.level;
    int shared = 0;
    for (int i = 0; i < s->kernel->ins_count; i++)
        for (int j = 0; j < i; j++) {
            if (slot[i] < 0 || slot[i] != slot[j])
                continue;
            shared++;
            assert_true(last_reader(s, i) < level[j] || last_reader(s, j) < level[i]);
        }
    return shared;
}

static void a_result_of_a_call_is_read_later(void **state)
{
    (void)state;
    struct evaluated s;
    evaluate_text(&s, "input x: f32\nexp(x * 2) + 1");
    assert_int_equal(s.evaluation.level_count, 2);
    assert_int_equal(s.evaluation.slot_count, 2);
    for (int i = 0; i < s.kernel->ins_count; i++) {
        const struct ins *ins = &s.kernel->ins[i];
        if (ins->kind == INS_OP)
            assert_int_equal(s.evaluation.level[i], ins->op == OP_ADD);
        if (ins->kind == INS_OP && ins->op != OP_ADD)
            assert_true(s.evaluation.slot[i] >= 0);
    }
    check_order(&s);
    front_finish(&s.front);
}

static void exact_rows_are_one_loop(void **state)
{
    (void)state;
    struct evaluated s;
    evaluate_text(&s, "input x: f32; input n: i32\nreturn ceil(x) * n, n // 3, floor(x) if n > 0 else n");
    assert_int_equal(s.evaluation.level_count, 1);
    assert_int_equal(s.evaluation.slot_count, 0);
    check_order(&s);
    check_stores(&s);
    front_finish(&s.front);
}

/* An output may be the buffer of an input, which a later loop still reads. */
static void early_results_are_stored_last(void **state)
{
    (void)state;
    struct evaluated s;
    evaluate_text(&s, "input x: f32\nreturn x + 1, exp(x), sin(exp(x) + 1), sin(sin(x) + 1) + 1");
    assert_int_equal(s.evaluation.level_count, 3);
    check_order(&s);
    check_stores(&s);
    check_slots(&s);
    front_finish(&s.front);
}

/* The access that a call writes to itself; -1: none does. */
static int output_of(const char *text)
{
    struct evaluated s;
    int output = -1, calls = 0;
    evaluate_text(&s, text);
    for (int i = 0; i < s.kernel->ins_count; i++)
        if (s.evaluation.output[i] >= 0 && s.evaluation.call[i]) {
            output = s.evaluation.output[i];
            calls++;
            assert_int_equal(s.evaluation.slot[i], -1);
        }
    assert_true(calls <= 1);
    check_order(&s);
    check_stores(&s);
    front_finish(&s.front);
    return output;
}

static void the_last_call_writes_the_output(void **state)
{
    (void)state;
    assert_int_equal(output_of("input x: f32\nexp(x)"), 1);
    assert_int_equal(output_of("input x: f32\nuint8(exp(x) + x)"), 1);
    assert_int_equal(output_of("input x: f32\nexp(x) + 1"), -1);
    assert_int_equal(output_of("input x: f32\nreturn a = exp(x), b = x + 1"), -1);
    assert_int_equal(output_of("input x: f32\nt = exp(x)\nreturn a = t, b = t"), -1);
    assert_int_equal(output_of("input n: i32\nexp(where(exp(n) > 1, n // n, 1))"), 1);
}

static void slots_are_used_again(void **state)
{
    (void)state;
    struct evaluated s;
    evaluate_text(&s, "input x: f32\nexp(sin(exp(sin(exp(x)+1)+1)+1)+1)");
    assert_true(check_slots(&s) > 0);
    assert_true(s.evaluation.slot_count <= 4);
    check_order(&s);
    front_finish(&s.front);
}

static void long_loops_are_split(void **state)
{
    (void)state;
    struct evaluated s;
    struct arena arena;
    arena_init(&arena);
    struct buf text = buf_new(&arena);
    buf_puts(&text, "input x: f32\nexp(x)");
    for (int i = 0; i < 1000; i++)
        buf_puts(&text, i % 2 ? " + x" : " * x");
    evaluate_text(&s, text.text);
    int *sizes = ARENA_ARRAY(&arena, int, s.evaluation.level_count), largest = 0;
    for (int i = 0; i < s.evaluation.order_count; i++) {
        int *size = &sizes[s.evaluation.level[s.evaluation.order[i]]];
        largest = ++*size > largest ? *size : largest;
    }
    assert_in_range(largest, 64, 129); /* a store may stand behind the 128 of a loop */
    check_order(&s);
    check_stores(&s);
    check_slots(&s);
    front_finish(&s.front);
    arena_finish(&arena);
}

static void random_kernels_are_scheduled_right(void **state)
{
    (void)state;
    int shared = 0, levels = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct arena arena;
        struct evaluated s;
        arena_init(&arena);
        evaluate_text(&s, random_text(&arena, seed));
        check_order(&s);
        check_stores(&s);
        shared += check_slots(&s);
        levels = s.evaluation.level_count > levels ? s.evaluation.level_count : levels;
        front_finish(&s.front);
        arena_finish(&arena);
    }
    assert_true(shared > 100);
    assert_true(levels >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_of_a_call_is_read_later),
        cmocka_unit_test(exact_rows_are_one_loop),
        cmocka_unit_test(early_results_are_stored_last),
        cmocka_unit_test(the_last_call_writes_the_output),
        cmocka_unit_test(slots_are_used_again),
        cmocka_unit_test(long_loops_are_split),
        cmocka_unit_test(random_kernels_are_scheduled_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
