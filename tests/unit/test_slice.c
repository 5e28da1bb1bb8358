/* Python's slices by the one function that resolves them. The oracle walks: it tries every element. */
#include "tests/unit/front.h"

enum { LARGEST = 5 };

/* Whether Python's slice takes element i: a bound that is left out, counts from the end or lies outside is
 * brought into place first, as the language's reference says it. */
static int64_t bound(bool given, int64_t value, int64_t extent, int64_t absent, bool backwards)
{
    if (!given)
        return absent;
    if (value < 0)
        value += extent;
    if (value < 0)
        return backwards ? -1 : 0;
    if (value >= extent)
        return backwards ? extent - 1 : extent;
    return value;
}

static void compare(const struct slice *slice, int64_t extent)
{
    const bool backwards = slice->step < 0;
    int64_t at = bound(slice->has_start, slice->start, extent, backwards ? extent - 1 : 0, backwards);
    const int64_t end = bound(slice->has_stop, slice->stop, extent, backwards ? -1 : extent, backwards);
    int64_t expected = 0, expected_first = 0, first, count;
    for (; backwards ? at > end : at < end; at += slice->step)
        expected_first = expected++ ? expected_first : at;
    slice_resolve(slice, extent, &first, &count);
    if (count != expected || first != expected_first)
        fail_msg("%lld:%lld:%lld of %lld: %lld elements from %lld, expected %lld from %lld",
                 (long long)slice->start, (long long)slice->stop, (long long)slice->step, (long long)extent,
                 (long long)count, (long long)first, (long long)expected, (long long)expected_first);
}

/* All bounds and steps about all small extents. */
static void small_slices(void **state)
{
    (void)state;
    for (int64_t extent = 0; extent <= LARGEST; extent++)
        for (int64_t start = -LARGEST - 2; start <= LARGEST + 2; start++)
            for (int64_t stop = -LARGEST - 2; stop <= LARGEST + 2; stop++)
                for (int64_t step = -LARGEST - 2; step <= LARGEST + 2; step++)
                    for (int given = 0; given < 4 && step; given++)
                        compare(&(struct slice){start, stop, step, given & 1, given >> 1}, extent);
}

static void expect(struct slice slice, int64_t extent, int64_t first, int64_t count)
{
    int64_t found_first, found_count;
    slice_resolve(&slice, extent, &found_first, &found_count);
    assert_int_equal(found_first, first);
    assert_int_equal(found_count, count);
}

/* Bounds, steps and extents at the ends of int64. */
static void large_slices(void **state)
{
    (void)state;
    expect((struct slice){0, 0, 1, 0, 0}, INT64_MAX, 0, INT64_MAX);
    expect((struct slice){0, 0, -1, 0, 0}, INT64_MAX, INT64_MAX - 1, INT64_MAX);
    expect((struct slice){INT64_MIN, INT64_MAX, INT64_MAX, 1, 1}, INT64_MAX, 0, 1);
    expect((struct slice){INT64_MAX, INT64_MIN, INT64_MIN, 1, 1}, 7, 6, 1);
    expect((struct slice){0, 0, INT64_MIN, 0, 0}, 0, 0, 0);
    expect((struct slice){INT64_MIN, 0, 1, 1, 0}, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_slices), cmocka_unit_test(large_slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
