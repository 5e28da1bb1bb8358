/* Which integer arithmetic moves to 16 bits, and that the kernel stays sound. What it computes is
 * compared in tests/diff/test_narrow.c. */
#include "tests/unit/lowered.h"

#include "compiler/narrow.h"

#include <stdio.h>

#define INPUTS "input x: u8; input y: u8; input s: i8; input h: i16; input n: i32; input w: u16; input l: i64;"

static struct kernel *narrow_text(struct front *front, const char *text)
{
    char whole[400];
    snprintf(whole, sizeof whole, INPUTS "used = x + y + s + h + n + w + l; return out = %s", text);
    struct kernel *kernel = narrow(&front->arena, lower_results(front, whole, (int[]){0}, 1));
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
    check_counts("uint8((int32(x) + int32(y) + 1) // 2)", 3, 0, 0);
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

static void what_does_not_stays_the_same_kernel(void **state)
{
    (void)state;
    struct front front;
    char whole[] = INPUTS "used = x + y + s + h + n + w + l; return out = x + y";
    struct kernel *kernel = lower_results(&front, whole, (int[]){0}, 1);
    assert_ptr_equal(narrow(&front.arena, kernel), kernel);
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
        struct kernel *narrowed = narrow(&front.arena, kernel);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
