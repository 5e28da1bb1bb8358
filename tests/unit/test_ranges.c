/* Which integer arithmetic moves to 16 bits, and that the kernel stays sound. What it computes is
 * compared in tests/diff/test_narrow.c. */
#include "tests/unit/lowered.h"

#include "compiler/ir/narrow.h"

#include <stdio.h>

#define INPUTS "input x: u8; input y: u8; input s: i8; input h: i16; input n: i32; input w: u16; input l: i64;"

static struct kernel *narrow_text(struct front *front, const char *text)
{
    char whole[400];
    snprintf(whole, sizeof whole, INPUTS "used = x + y + s + h + n + w + l; return out = %s", text);
    struct kernel *kernel = narrow(&front->arena, lower_results(front, whole, (int[]){0}, 1), NULL);
    const char *broken = verify_kernel(kernel);
    if (broken)
        fail_msg("%s: %s", text, broken);
    return kernel;
}

/* Operations, conversions not counted, that work in `dtype`. */
static int count_in(const struct kernel *kernel, enum weft_dtype dtype)
{
    int count = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        count += kernel->ins[i].kind == INS_OP && op_rows[kernel->ins[i].op].rule != RULE_CONVERT &&
                 kernel->ins[i].source == dtype;
    return count;
}

static void check_counts(const char *text, int in_16, int in_u16, int in_32)
{
    struct front front;
    struct kernel *kernel = narrow_text(&front, text);
    int counts[] = {count_in(kernel, WEFT_INT16), count_in(kernel, WEFT_UINT16),
                    count_in(kernel, WEFT_INT32) + count_in(kernel, WEFT_INT64)};
    if (counts[0] != in_16 || counts[1] != in_u16 || counts[2] != in_32)
        fail_msg("%s: %d in int16, %d in uint16, %d wider", text, counts[0], counts[1], counts[2]);
    front_finish(&front);
}

static void what_fits_moves(void **state)
{
    (void)state;
    check_counts("uint8(clamp(int32(x) + 10, 0, 255))", 2, 0, 0);
    check_counts("uint8((int32(x) + int32(y) + 1) // 2)", 2, 1, 0); /* a quotient without a sign */
    check_counts("uint8((int32(x) - int32(y)) // 2)", 2, 0, 0);
    check_counts("int32(x) * 128", 1, 0, 0);
    check_counts("int32(x) * 129", 0, 1, 0);              /* up to 32895 */
    check_counts("int32(x) * 257", 0, 1, 0);              /* up to 65535 */
    check_counts("int32(x) * 258", 0, 0, 1);
    check_counts("int32(x) * -128", 1, 0, 0);             /* down to -32640 */
    check_counts("int32(x) * -129", 0, 0, 1);
    check_counts("int32(x) * int32(y)", 0, 1, 0);
    check_counts("int32(s) * int32(s)", 1, 0, 0);         /* 16384 at most */
    check_counts("int32(x) - int32(y)", 1, 0, 0);
    check_counts("int64(x) - int64(y)", 1, 0, 0);
    check_counts("abs(int32(h))", 0, 0, 1);               /* 32768 */
    check_counts("-int32(h)", 0, 0, 1);
    check_counts("int32(h) // 2", 1, 0, 0);
    check_counts("int32(h) // -1", 0, 0, 1);
    check_counts("int32(w) % 1000", 0, 1, 0);
    check_counts("int32(w) % 256 * 257", 0, 2, 0);        /* up to 65535 */
    check_counts("fmod(int32(w), 256) * 257", 0, 2, 0);
    check_counts("int32(h) + 1", 0, 0, 1);
    check_counts("where(int32(x) > 100, int32(x), 7)", 2, 0, 0);
    check_counts("(int32(x) + 10) < int32(h)", 2, 0, 0);
    check_counts("int32(x) >> 3 & 7", 2, 0, 0);
    check_counts("int32(x) << 3", 0, 0, 1);
    check_counts("n + 1", 0, 0, 1);
    check_counts("min(n, 100) + int32(x)", 0, 0, 2);      /* n may be far below */
    check_counts("clamp(n, 0, 100) + int32(x)", 1, 0, 1); /* the sum alone */
    check_counts("l % 10 + int64(x)", 1, 0, 1);
}

/* ---- what is computed ---- */

static const enum weft_dtype integers[] = {WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64,
                                           WEFT_UINT8, WEFT_UINT16, WEFT_UINT32, WEFT_UINT64};
enum { INTEGERS = sizeof integers / sizeof *integers, MOST = 2000, PROGRAMS = 5000 };

/* $ is an expression, # a literal, @ a type. Inputs are called i0, i1, .. in the order of `integers`. */
static void integer_expression(struct random *random, struct buf *buf, int depth)
{
    static const char *const shapes[] = {
        "($)+($)", "($)-($)", "($)*($)", "-($)", "~($)", "abs($)", "sign($)", "min($,$)", "max($,$)",
        "clamp($,$,$)", "($)&($)", "($)|($)", "($)^($)", "($)>>#", "($)<<#", "($)>>($)", "($)+#",
        "($)-#", "#-($)", "($)*#", "($)//#", "($)%#", "fmod($,#)", "truncdiv($,#)", "($)//($)",
        "where(($)<($),$,$)", "where(($)==#,$,#)", "int32(float32($))", "@($)", "@($)", "@($)", "wrap($,@)"};
    static const char *const literals[] = {"1", "2", "3", "7", "8", "15", "100", "127", "128", "200", "255",
                                           "256", "257", "32767", "32768", "65535", "65536", "(-1)", "(-3)",
                                           "(-128)", "(-32768)", "(-32769)"};
    if (depth == 0 || random_below(random, 8) == 0) {
        buf_printf(buf, "i%u", random_below(random, INTEGERS));
        return;
    }
    for (const char *c = shapes[random_below(random, sizeof shapes / sizeof *shapes)]; *c; c++)
        switch (*c) {
        case '$': integer_expression(random, buf, depth - 1); break;
        case '#': buf_puts(buf, literals[random_below(random, sizeof literals / sizeof *literals)]); break;
        case '@': buf_puts(buf, type_rows[integers[random_below(random, INTEGERS)]].name); break;
        default: buf_putc(buf, *c);
        }
}

/* The result as it is, as a float and as a wider integer: each reads the narrow value in its own way. */
static const char *integer_text(struct arena *arena, uint64_t seed)
{
    struct random random = {seed};
    struct buf buf = buf_new(arena);
    for (int i = 0; i < INTEGERS; i++)
        buf_printf(&buf, "input i%d: %s\n", i, type_rows[integers[i]].name);
    buf_puts(&buf, "used = i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7\nt = ");
    integer_expression(&random, &buf, 1 + (int)random_below(&random, 5));
    buf_puts(&buf, "\nreturn used, t, float32(t), int64(t), t > 100");
    return buf.text;
}

/* One element; the inputs' values are near the ends of their types, or small. */
static void evaluate(const struct kernel *kernel, const union scalar *inputs, union scalar *stored, bool *faults)
{
    static union scalar v[MOST];
    const union scalar none = {0};
    assert_true(kernel->ins_count <= MOST);
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        union scalar a[3];
        for (int k = 0; k < 3; k++)
            a[k] = ins->a[k] < 0 ? none : v[ins->a[k]];
        switch (ins->kind) {
        case INS_LOAD: v[i] = inputs[kernel->accesses[ins->index].index]; break;
        case INS_LITERAL: v[i] = kernel->literals[ins->index]; break;
        case INS_OP: v[i] = eval_op(ins->op, ins->source, ins->dtype, a[0], a[1], a[2]); break;
        case INS_STORE: stored[ins->index - kernel->load_count] = a[0]; break;
        case INS_FAULT:
            faults[ins->index] = eval_fault(ins->op, ins->source, a[0], a[1], a[2]) &&
                                 (ins->a[2] < 0 || a[2].b1);
            break;
        default: fail_msg("an instruction that lowering does not make");
        }
    }
}

static void random_inputs(struct random *random, union scalar inputs[INTEGERS])
{
    for (int i = 0; i < INTEGERS; i++) {
        int64_t near = (int64_t)random_below(random, 600) - 300;
        unsigned shift = random_below(random, 5);
        near += shift ? ((int64_t)1 << (8 << (shift - 1)) % 64) >> random_below(random, 2) : 0;
        union scalar value = {.i64 = random_below(random, 2) ? near : -near};
        inputs[i] = eval_op(OP_CONVERT, WEFT_INT64, integers[i], value, value, value);
    }
}

/* Whether narrowing changed the kernel. */
static bool check_values(uint64_t seed)
{
    struct front front;
    struct arena arena;
    jmp_buf env;
    struct random random = {seed};
    arena_init(&arena);
    if (ARENA_GUARD(&arena, env))
        fail_msg("out of memory");
    const char *text = integer_text(&arena, seed);
    struct kernel *kernel = lower_text(&front, text), *narrowed = narrow(&front.arena, kernel, NULL);
    const char *broken = verify_kernel(narrowed);
    if (broken)
        fail_msg("%s\n%s", text, broken);
    for (int round = 0; round < 30; round++) {
        union scalar inputs[INTEGERS], stored[2][8] = {{{0}}};
        bool faults[2][MOST] = {{false}};
        random_inputs(&random, inputs);
        evaluate(kernel, inputs, stored[0], faults[0]);
        evaluate(narrowed, inputs, stored[1], faults[1]);
        for (int r = 0; r < kernel->result_count; r++)
            if (stored[0][r].bits != stored[1][r].bits)
                fail_msg("%s\nresult %d differs", text, r);
        assert_memory_equal(faults[0], faults[1], sizeof faults[0]);
    }
    bool changed = narrowed != kernel;
    front_finish(&front);
    arena_finish(&arena);
    return changed;
}

static void random_programs_compute_the_same(void **state)
{
    (void)state;
    int changed = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        changed += check_values(seed);
    assert_true(changed > PROGRAMS / 10);
}

static void what_does_not_stays_the_same_kernel(void **state)
{
    (void)state;
    struct front front;
    char whole[] = INPUTS "used = x + y + s + h + n + w + l; return out = x + y";
    struct kernel *kernel = lower_results(&front, whole, (int[]){0}, 1);
    assert_ptr_equal(narrow(&front.arena, kernel, NULL), kernel);
    front_finish(&front);
}

static void random_programs_stay_sound(void **state)
{
    (void)state;
    int changed = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct front front;
        struct arena arena;
        jmp_buf env;
        arena_init(&arena);
        if (ARENA_GUARD(&arena, env))
            fail_msg("out of memory");
        struct kernel *kernel = lower_text(&front, random_text(&arena, seed));
        struct kernel *narrowed = narrow(&front.arena, kernel, NULL);
        const char *broken = verify_kernel(narrowed);
        if (broken)
            fail_msg("seed %d: %s", (int)seed, broken);
        assert_int_equal(count_kind(narrowed, INS_STORE), count_kind(kernel, INS_STORE));
        assert_int_equal(count_kind(narrowed, INS_FAULT), count_kind(kernel, INS_FAULT));
        changed += narrowed != kernel;
        front_finish(&front);
        arena_finish(&arena);
    }
    assert_true(changed > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_moves),
        cmocka_unit_test(what_does_not_stays_the_same_kernel),
        cmocka_unit_test(random_programs_stay_sound),
        cmocka_unit_test(random_programs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
