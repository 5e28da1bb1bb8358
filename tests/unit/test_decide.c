/* What types decide in helpers ahead of time (compiler/aot/decide.c): conditions of every operator, on both sides of
 * their bounds, branches, arms, and what nothing reads any more. */
#include "compiler/aot/print_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The body of a function, decided, without its braces. */
static void decides(const char *body, const char *expected)
{
    struct arena own, *arena = &own;
    arena_init(arena);
    char *text = arena_printf(arena, "static inline u8 f(f32 a, f32 b)\n{\n%s}\n", body);
    char *wanted = arena_printf(arena, "static inline u8 f(f32 a, f32 b)\n{\n%s}\n", expected);
    assert_string_equal(aot_decided(arena, text), wanted);
    arena_finish(arena);
}

/* A condition that holds, never holds, or is not decided: what becomes of a choice by it. */
static void conditions(void **state)
{
    static const struct {
        const char *condition;
        int holds;         /* -1: not decided */
        const char *rest;  /* what a choice then still asks, unless all of it */
    } rows[] = {
        {"1", 1}, {"0", 0}, {"a", -1}, {"-1 < 0", 1}, {"0 < -1", 0},
        {"1 < 2", 1}, {"2 < 2", 0}, {"3 < 2", 0}, {"2 <= 2", 1}, {"3 <= 2", 0}, {"1 <= 2", 1},
        {"3 > 2", 1}, {"2 > 2", 0}, {"1 > 2", 0}, {"2 >= 2", 1}, {"1 >= 2", 0}, {"3 >= 2", 1},
        {"2 == 2", 1}, {"2 == 3", 0}, {"2 != 3", 1}, {"2 != 2", 0},
        {"1 && 1", 1}, {"1 && 0", 0}, {"0 && 1", 0}, {"0 && 0", 0}, {"1 || 0", 1}, {"0 || 1", 1}, {"0 || 0", 0},
        {"a && 0", 0}, {"0 && a", 0}, {"a && 1", -1}, {"1 && a", -1},
        {"a || 1", 1}, {"1 || a", 1}, {"a || 0", -1}, {"0 || a", -1, "a"}, {"1 < 0 || 0 || a > 0", -1, "a > 0"},
        {"a && b", -1}, {"a || b", -1},
        {"a < 1", -1}, {"1 < a", -1}, {"a == a", -1}, {"2 * 3 == 6", 1}, {"2 * 3 == 5", 0}, {"3 * 1 < 2", 0},
        {"a * 0 == 0", -1},
        {"0 && 0 || 1", 1}, {"1 || 0 && 0", 1}, {"1 == 2 < 3", 1}, {"1 < 2 && 2 < 1", 0}, {"(0 || 1) && 0", 0},
        {"sizeof(u8) == 1", 1}, {"sizeof(f64) == 8", 1}, {"sizeof(f32) == 8", 0}, {"sizeof(int) == 4", 1},
        {"sizeof(unsigned) == 4", 1}, {"sizeof(u16) < sizeof(i32)", 1}, {"sizeof(none) == 4", -1},
        {"(u8)-1 < (u8)1", 0}, {"(i8)-1 < (i8)1", 1}, {"(u8)255 == 255", 1}, {"(u8)256 == 0", 1},
        {"(i8)127 == 127", 1},
        {"(i8)128 == -128", 1}, {"(i8)255 == -1", 1}, {"(u16)-1 == 65535", 1}, {"(i16)32768 == -32768", 1},
        {"(u32)-1 < (u32)1", 0}, {"(i32)-1 < (i32)1", 1}, {"(u64)-1 < (u64)1", 0}, {"(i64)-1 < (i64)1", 1},
        {"(u64)1 < (u64)2", 1}, {"(f32)1 == (f32)1", -1}, {"(u8)a == 0", -1}, {"(f64)2 > (f64)1", -1},
        {"010 == 8", -1}, {"0x10 == 16", -1}, {"1.5 < 2", -1}, {"2u == 2", -1}, {"1 < 2 a", -1}, {"2 + 2 == 4", -1},
        {"IS_CONSTANT(a)", 0}, {"IS_CONSTANT(b) && a", 0}, {"1 || IS_CONSTANT(a)", 1}, {"f(1, 2)", -1},
        {"u.word == 0", -1},
        {"a[0] == 0", -1}, {"(1 < 2)", 1}, {"-(1) < 0", 1}, {" 1 < 2 ", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena memory, *arena = &memory;
        const char *own = rows[i].condition;
        arena_init(arena);
        char *choice = arena_printf(arena, "    return %s ? b : c;\n", own);
        const char *left = rows[i].rest ? arena_printf(arena, "    return %s ? b : c;\n", rows[i].rest) : choice;
        decides(choice, rows[i].holds > 0 ? "    return b;\n" : rows[i].holds == 0 ? "    return c;\n" : left);
        char *branch = arena_printf(arena, "    if (%s)\n        return b;\n    return c;\n", own);
        decides(branch, rows[i].holds > 0 ? "    return b;\n" : rows[i].holds == 0 ? "    return c;\n" : branch);
        arena_finish(arena);
    }
}

static void branches(void **state)
{
    (void)state;
    decides("    if (0) {\n        x = 1;\n    } else if (1) {\n        x = 2;\n    } else {\n"
            "        x = 3;\n    }\n    g(x);\n",
          "    x = 2;\n    g(x);\n");
    decides("    if (0)\n        x = 1;\n    else\n        x = 3;\n    g(x);\n", "    x = 3;\n    g(x);\n");
    decides("    if (0) {\n        x = 1;\n    }\n    g(x);\n", "    g(x);\n");
    decides("    if (1) { /* why */\n        x = 1;\n        if (0)\n            y = 2;\n    }\n    g(x);\n",
          "    x = 1;\n    g(x);\n");
    decides("    if (a) {\n        x = 1;\n    } else if (1) {\n        x = 2;\n    }\n    g(x);\n",
          "    if (a) {\n        x = 1;\n    } else if (1) {\n        x = 2;\n    }\n    g(x);\n");
    decides("    if (1) {\n        return a;\n    }\n    g(x);\n    return b;\n", "    return a;\n");
    decides("    if (1) {\n        x = a;\n        g(x);\n    }\n    return b;\n", "    x = a;\n"
            "    g(x);\n    return b;\n");
}

static void arms(void **state)
{
    (void)state;
    decides("    return a ? 1 < 2 ? b : c : d;\n", "    return a ? 1 < 2 ? b : c : d;\n");
    decides("    return 1 < 2 ? a ? b : c : d;\n", "    return a ? b : c;\n");
    decides("    return 2 < 1 ? a ? b : c : d;\n", "    return d;\n");
    decides("    return 2 < 1 ? b : 1 < 2 ? c : d;\n", "    return c;\n");
    decides("    return g((1 ? b : c), (0 ? b : c));\n", "    return g((b), (c));\n");
    decides("    return (0 ? b : c) + a; /* 1 ? 2 : 3 */\n", "    return (c) + a; /* 1 ? 2 : 3 */\n");
    decides("    const f32 x = 1 ? a : b, y = 0 ? a : b;\n    return x + y;\n",
          "    const f32 x = a, y = b;\n    return x + y;\n");
    decides("    const u8 top = (u8)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));\n    return top;\n",
          "    const u8 top = 255;\n    return top;\n");
    decides("    const i16 top = (i16)(~0ull >> (64 - 8 * sizeof(i16) + ((i16)-1 < (i16)1)));\n    return top;\n",
          "    const i16 top = 32767;\n    return top;\n");
    decides("    const u64 top = (u64)(~0ull >> (64 - 8 * sizeof(u64) + ((u64)-1 < (u64)1)));\n    return top;\n",
          "    const u64 top = (u64)(~0ull >> (64 - 8 * sizeof(u64) + ((u64)-1 < (u64)1)));\n    return top;\n");
}

static void unread(void **state)
{
    (void)state;
    decides("    const f32 x = a, y = b;\n    return y;\n", "    const f32 y = b;\n    return y;\n");
    decides("    const f32 x = a;\n    const f32 y = x;\n    return b;\n", "    return b;\n");
    decides("    u8 r;\n    return a;\n", "    return a;\n");
    decides("    u8 r;\n    r = g(a);\n    return r;\n", "    u8 r;\n    r = g(a);\n    return r;\n");
    decides("    union {\n        f32 value;\n        int word;\n    } u = {a}, v;\n    return u.word;\n",
          "    union {\n        f32 value;\n        int word;\n    } u = {a};\n    return u.word;\n");
    decides("    const union {\n        f32 value;\n        int word;\n    } u = {a};\n    return b;\n"
            "", "    return b;\n");
    decides("    const f32 x = a;\n    return u.x;\n", "    return u.x;\n"); /* a member is another name */
    decides("    const f32 x = a;\n    return xx + x1;\n", "    return xx + x1;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions),
        cmocka_unit_test(branches),
        cmocka_unit_test(arms),
        cmocka_unit_test(unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
