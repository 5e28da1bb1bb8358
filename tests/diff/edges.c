/* See edges.h. */
#include "tests/diff/edges.h"

#include "tests/diff/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct list {
    enum weft_dtype dtype;
    union scalar *values;
    int count, room;
};

static uint64_t mask_of(enum weft_dtype t)
{
    return ~(uint64_t)0 >> (64 - 8 * type_rows[t].size);
}

static void add_bits(struct list *list, uint64_t bits)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->values = realloc(list->values, (size_t)list->room * sizeof *list->values);
        assert_non_null(list->values);
    }
    list->values[list->count++].bits = bits & mask_of(list->dtype);
}

static double real_of(enum weft_dtype t, uint64_t bits)
{
    return oracle_convert(t, WEFT_FLOAT64, (union scalar){.bits = bits}).f64;
}

static uint64_t rounded(enum weft_dtype t, double value)
{
    return oracle_convert(WEFT_FLOAT64, t, (union scalar){.f64 = value}).bits;
}

/* ---- integers ---- */

/* +-(2^k) and two on either side; the same with a last bit that is half a unit, or just more, of a float
 * type beside it. */
static void add_integers(struct list *list)
{
    for (int k = 0; k < 64; k++)
        for (int d = -2; d <= 2; d++) {
            add_bits(list, ((uint64_t)1 << k) + (uint64_t)d);
            add_bits(list, -((uint64_t)1 << k) + (uint64_t)d);
        }
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        if (!dtype_is_float(t))
            continue;
        int digits = 1 - ilogb(real_of(t, rounded(t, 1) + 1) - 1);
        for (int k = digits; k < 64; k++)
            for (int d = -1; d <= 1; d++)
                for (uint64_t odd = 1; odd <= 3; odd += 2) {
                    uint64_t value = ((uint64_t)1 << k) + (odd << (k - digits)) + (uint64_t)d;
                    add_bits(list, value);
                    add_bits(list, -value);
                }
    }
}

/* ---- floats ---- */

/* The value, its neighbours, and all that negated. */
static void add_real(struct list *list, double value)
{
    uint64_t sign = rounded(list->dtype, -0.0), bits = rounded(list->dtype, value);
    for (int d = -1; d <= 1; d++) {
        add_bits(list, bits + (uint64_t)d);
        add_bits(list, (bits + (uint64_t)d) ^ sign);
    }
}

/* What rounding to the type `t` turns on: its smallest and largest values, the points halfway between
 * two of them, the threshold of overflow. */
static void add_turns(struct list *list, enum weft_dtype t)
{
    const uint64_t infinity = rounded(t, INFINITY), one = rounded(t, 1);
    const uint64_t normal = infinity & -infinity;
    const uint64_t places[] = {1, 2, 3, normal / 2, normal - 1, normal, normal + 1, one, one + 1, one + 2,
                               infinity - 2, infinity - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double value = real_of(t, places[i]), before = real_of(t, places[i] - 1);
        add_real(list, value);
        add_real(list, before + (value - before) / 2);
        add_real(list, value + (value - before) / 2);
    }
}

static void add_floats(struct list *list)
{
    const uint64_t infinity = rounded(list->dtype, INFINITY), sign = rounded(list->dtype, -0.0);
    const uint64_t quiet = (infinity & -infinity) / 2;
    const uint64_t payloads[] = {1, quiet, quiet | 1, quiet | (quiet - 1), quiet - 1};
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        add_bits(list, infinity | payloads[i]);
        add_bits(list, infinity | payloads[i] | sign);
    }
    add_real(list, 0.1);
    add_bits(list, infinity);
    add_bits(list, infinity | sign);
    for (int k = -30; k <= 130; k++)
        for (double d = -2; d <= 2; d += 0.5)
            add_real(list, ldexp(1, k) + d);
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (dtype_is_float(t))
            add_turns(list, t);
}

const union scalar *edges_of(enum weft_dtype dtype, int *count)
{
    static struct list lists[WEFT_DTYPE_COUNT];
    struct list *list = &lists[dtype];
    list->dtype = dtype;
    if (list->count == 0 && dtype == WEFT_BOOL) {
        add_bits(list, 0);
        add_bits(list, 1);
    } else if (list->count == 0 && type_rows[dtype].size <= 2) {
        for (uint64_t bits = 0; bits <= mask_of(dtype); bits++)
            add_bits(list, bits);
    } else if (list->count == 0 && dtype_is_float(dtype)) {
        add_floats(list);
    } else if (list->count == 0) {
        add_integers(list);
    }
    *count = list->count;
    return list->values;
}
