/* Python's slices: see slice.h. One text for the library, which includes it, and for ahead-of-time sources,
 * which carry it. SHARED is what a function begins with. */

//: slices
/* A bound of a slice, counted from the end where it is negative and clipped to low .. high. */
static int64_t slice_bound(int64_t bound, int64_t extent, int64_t low, int64_t high)
{
    bound += bound < 0 ? extent : 0;
    return bound < low ? low : bound > high ? high : bound;
}

/* Which elements of a dimension a slice takes: *count of them, the first at *first (0 where there is none) and
 * the others `step` apart. */
SHARED void slice_resolve(const struct slice *slice, int64_t extent, int64_t *first, int64_t *count)
{
    const int64_t low = slice->step < 0 ? -1 : 0, high = slice->step < 0 ? extent - 1 : extent;
    const uint64_t step = slice->step < 0 ? 0 - (uint64_t)slice->step : (uint64_t)slice->step;
    int64_t start = slice->step < 0 ? high : low, stop = slice->step < 0 ? low : high;
    if (slice->has_start)
        start = slice_bound(slice->start, extent, low, high);
    if (slice->has_stop)
        stop = slice_bound(slice->stop, extent, low, high);
    const int64_t distance = slice->step < 0 ? start - stop : stop - start;
    *count = distance <= 0 ? 0 : (int64_t)((uint64_t)(distance - 1) / step) + 1;
    *first = distance <= 0 ? 0 : start;
}
