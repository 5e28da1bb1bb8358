/* Formulas of positions (compiler/dump/sum_impl.h): whatever they are simplified to, their values stay. */
#include "tests/unit/front.h"

#include "compiler/dump/sum_impl.h"

enum { DIMENSIONS = 3, POINTS = 64, VALUES = 12, PROGRAMS = 4000 };

static const int64_t extents[DIMENSIONS] = {4, 6, 12};

static int64_t down(int64_t a, int64_t by)
{
    return (a - ((a % by + by) % by)) / by;
}

static int64_t value_of(const struct sum *sum, const int64_t at[DIMENSIONS])
{
    int64_t value = sum->first;
    for (int i = 0; i < sum->count; i++) {
        const struct atom *atom = sum->terms[i].atom;
        int64_t own = 0;
        if (atom->kind == ATOM_POSITION)
            own = at[atom->d];
        else if (atom->kind == ATOM_QUOTIENT)
            own = down(value_of(atom->of, at), atom->by);
        else if (atom->kind == ATOM_REMAINDER)
            own = value_of(atom->of, at) - atom->by * down(value_of(atom->of, at), atom->by);
        value += sum->terms[i].times * own;
    }
    return value;
}

static uint64_t draws = 1;

static int draw(int below)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (int)((draws >> 33) % (unsigned)below);
}

/* A formula, and its values as they are computed without one. */
struct known {
    struct sum sum;
    int64_t values[POINTS];
};

/* Adds a formula of those before it. */
static void grow(struct arena *arena, struct known *all, int count)
{
    static const int64_t divisors[] = {1, 2, 3, 4, 5, 6, 8, 12, 24, 36, 72};
    const struct known *a = &all[draw(count)], *b = &all[draw(count)];
    struct known *next = &all[count];
    const int kind = draw(5);
    const int64_t by = divisors[draw((int)(sizeof divisors / sizeof *divisors))], often = draw(2) ? by : -by;
    next->sum = kind == 0   ? sum_number(by)
                : kind == 1 ? sum_add(arena, a->sum, b->sum)
                : kind == 2 ? sum_scale(arena, a->sum, often)
                : kind == 3 ? sum_quotient(arena, a->sum, by)
                            : sum_remainder(arena, a->sum, by);
    for (int p = 0; p < POINTS; p++) {
        const int64_t x = a->values[p];
        next->values[p] = kind == 0   ? by
                          : kind == 1 ? x + b->values[p]
                          : kind == 2 ? x * often
                          : kind == 3 ? down(x, by)
                                      : x - by * down(x, by);
    }
}

static void values_stay(void **state)
{
    (void)state;
    struct arena arena;
    for (int n = 0; n < PROGRAMS; n++) {
        struct known all[DIMENSIONS + VALUES];
        int64_t at[POINTS][DIMENSIONS];
        arena_init(&arena);
        for (int p = 0; p < POINTS; p++)
            for (int d = 0; d < DIMENSIONS; d++)
                at[p][d] = draw((int)extents[d]);
        for (int d = 0; d < DIMENSIONS; d++) {
            all[d].sum = sum_position(&arena, d, extents[d]);
            for (int p = 0; p < POINTS; p++)
                all[d].values[p] = at[p][d];
        }
        for (int i = DIMENSIONS; i < DIMENSIONS + VALUES; i++) {
            grow(&arena, all, i);
            for (int p = 0; p < POINTS; p++) {
                assert_int_equal(value_of(&all[i].sum, at[p]), all[i].values[p]);
                assert_true(sum_low(&all[i].sum) <= all[i].values[p] && all[i].values[p] <= sum_high(&all[i].sum));
            }
        }
        arena_finish(&arena);
    }
}

/* ---- texts ---- */

static struct arena *own;

static struct sum d(int dimension)
{
    return sum_position(own, dimension, extents[dimension]);
}

/* a * by + b */
static struct sum both(struct sum a, int64_t by, struct sum b)
{
    return sum_add(own, sum_scale(own, a, by), b);
}

static void assert_text(struct sum sum, const char *expected)
{
    struct buf text = buf_new(own);
    sum_put(&text, &sum);
    assert_string_equal(text.text, expected);
}

static void what_cancels_is_gone(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    own = &arena;
    const struct sum number = both(d(0), 6, d(1)); /* of an element of [4, 6] */
    assert_text(sum_quotient(own, number, 6), "d0");
    assert_text(sum_remainder(own, number, 6), "d1");
    assert_text(sum_quotient(own, number, 3), "d0 * 2 + (d1 // 3)");
    assert_text(sum_remainder(own, number, 3), "d1 mod 3");
    assert_text(sum_quotient(own, number, 24), "0");
    assert_text(sum_quotient(own, sum_quotient(own, d(2), 2), 3), "d2 // 6");
    assert_text(sum_remainder(own, sum_remainder(own, d(2), 6), 3), "d2 mod 3");
    assert_text(both(sum_quotient(own, d(2), 5), 5, sum_remainder(own, d(2), 5)), "d2");
    const struct sum upper = sum_quotient(own, d(2), 2);
    assert_text(both(both(sum_quotient(own, upper, 3), 3, sum_remainder(own, upper, 3)), 2,
                     sum_remainder(own, d(2), 2)), "d2");
    assert_text(sum_add(own, d(0), sum_scale(own, d(0), -1)), "0");
    assert_text(sum_position(own, 0, 1), "0");
    arena_finish(&arena);
}

static void texts(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    own = &arena;
    const struct sum number = both(d(0), 6, d(1));
    assert_text(sum_quotient(own, number, 4), "(d0 * 6 + d1) // 4");
    assert_text(sum_remainder(own, number, 4), "(d0 * 6 + d1) mod 4");
    assert_text(both(d(1), -1, sum_number(5)), "5 - d1");
    assert_text(sum_scale(own, d(1), -1), "-d1");
    assert_text(sum_add(own, d(1), sum_number(-2)), "d1 - 2");
    assert_text(both(d(1), 2, sum_number(1)), "d1 * 2 + 1");
    assert_text(sum_scale(own, sum_quotient(own, d(1), 4), 2), "(d1 // 4) * 2");
    assert_text(sum_remainder(own, sum_quotient(own, d(2), 2), 4), "(d2 // 2) mod 4");
    assert_text(sum_remainder(own, sum_add(own, d(1), sum_number(-1)), 6), "(d1 - 1) mod 6");
    assert_text(sum_taken(own, "i[d0]", 9), "i[d0]");
    assert_text(sum_number(-3), "-3");
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_stay), cmocka_unit_test(what_cancels_is_gone),
                                       cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
