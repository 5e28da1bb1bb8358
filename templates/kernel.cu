/* $ marks what the emitter fills in, a line each. */
$comment
$sizes
$types
$args
#if GROUPS || FLAT || MAPPED
/* Below 2^31, or 2^63 where indices are wide. */
DEVICE uindex divide(uindex n, const struct weft_divisor *by)
{
    return (HIGH(n, by->multiplier) + n) >> by->shift;
}
#endif
#if MAPPED
/* Bytes behind a tensor's first element to the one at column i of the row whose first element has number
 * `row`. A level takes a number apart into the digits of its pieces, innermost first: the sum of their
 * strides is the next level's number, and bytes in the end. */
DEVICE i64 mapped_to(const i64 *map, i64 row, uindex i)
{
    i64 next = row;
    for (i64 levels = *map++; levels > 0; levels--) {
        for (i64 pieces = *map++; pieces > 0; pieces--, map += 4) {
            uindex digit = i;
            if (pieces > 1) {
                i = divide(i, (const struct weft_divisor *)map);
                digit -= i * (uindex)map[0];
            }
            next += (i64)digit * map[3];
        }
        if (levels > 1) {
            i = (uindex)next;
            next = 0;
        }
    }
    return next;
}
#endif
$helpers
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    const struct weft_args *const args = &parameters;
    $literals
    $faults
    for (i64 tile = blockIdx.x; tile < args->tiles; tile += gridDim.x) {
#if MANY
        const struct weft_sample *sample = args->samples;
        for (i64 count = args->sample_count; count > 1;) { /* the last one that begins no later */
            const i64 half = count / 2;
            if (sample[half].first_tile <= tile)
                sample += half, count -= half;
            else
                count = half;
        }
        const struct weft_geometry *const s = sample->geometry;
        char *const *const bases = sample->bases;
        const uindex first = (uindex)(tile - sample->first_tile) * (THREADS * UNROLL) + threadIdx.x;
#else
        const struct weft_geometry *const s = &args->geometry;
        char *const *const bases = args->bases;
        const uindex first = (uindex)tile * (THREADS * UNROLL) + threadIdx.x;
#endif
        int elements[UNROLL];
        u32 odd = 0; /* not 0: some chunk is not whole, or not aligned */
        $buffers
#if MAPPED
        index column[UNROLL];
#endif
#if FLAT
        index phase[UNROLL];
#endif
        UNROLLED
        for (int u = 0; u < UNROLL; u++) {
            const uindex chunk = first + u * THREADS;
            $offsets
#if GROUPS
            uindex rest = divide(chunk, &s->row_chunks);
            const index i = (index)(chunk - rest * (uindex)s->row_chunks.divisor) * BLOCK;
            EACH_GROUP
            for (int g = OUTER - 1; g >= 0; g--) {
                index digit = (index)rest;
                if (g > 0) {
                    rest = divide(rest, &s->extents[g]);
                    digit -= (index)(rest * (uindex)s->extents[g].divisor);
                }
                $groups
            }
#else
            const index i = (index)chunk * BLOCK;
#endif
#if MAPPED
            column[u] = i;
#endif
#if FLAT
            const index turn = (index)divide((uindex)i, &s->period);
            phase[u] = REPEATS && u > 0 ? phase[0] : i - turn * (index)s->period.divisor;
#endif
            const index left = chunk < (uindex)s->chunks ? (index)s->columns - i : 0;
            elements[u] = left < BLOCK ? (int)left : BLOCK;
            odd |= elements[u] < BLOCK;
            $places
        }
        if (!odd) {
            UNROLLED
            for (int u = 0; u < UNROLL; u++) {
                $whole
            }
        } else {
            UNROLLED
            for (int u = 0; u < UNROLL; u++) {
                const int m = elements[u];
                $parts
            }
        }
        UNROLLED
        for (int u = 0; u < UNROLL; u++) {
            const int m = elements[u];
            $row
            $operands
            $body
            $results
        }
    }
    $remarks
}
