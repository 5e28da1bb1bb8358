/* $ marks what the emitter fills in, a line each. */
$comment
$sizes
$types
$args
#if GROUPS || FLAT || MAPPED
/* Of numbers below 2^31, or 2^63 where indices are wide. */
DEVICE uindex divide(uindex n, const struct weft_divisor *by)
{
    return (HIGH(n, by->multiplier) + n) >> by->shift;
}
#endif
#if MAPPED
/* Bytes behind a tensor's first element to the one at column i of the row whose first element has number
 * `row`. A level takes a number apart into the digits of its pieces, innermost first: the sum of their
 * strides is the next level's number, and bytes in the end. */
SEPARATE i64 mapped_to(const i64 *map, i64 row, uindex i)
{
    i64 next = row;
    for (i64 levels = *map++; levels > 0; levels--) {
        i64 pieces = *map++;
        for (next += *map++; pieces > 0; pieces--, map += 4) {
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
$blocks
/* Each thread computes CHUNKS chunks of BLOCK elements, THREADS chunks apart, from element number `first` of a sample
 * on; the sample's own begin with number `begin`. Chunks of several elements are all there. Of single elements those from `end` on are not: in their place the
 * thread's one before, or the last of all, is computed again and not stored, so that loads need no branches. */
DEVICE void compute(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                    const int begin, const index first, const index end, const int BLOCK, const int CHUNKS)
{
    $literals
    $faults
    $buffers
    int elements[CHUNKS_MOST]; /* of each chunk: BLOCK or 0 */
#if FLAT
    const index period = PERIOD ? PERIOD : (index)s->period.divisor;
    index phase = 0;
#endif
    index n = end - BLOCK;
    UNROLLED
    for (int u = 0; u < CHUNKS; u++) {
        const index own = first + (u * THREADS + (int)threadIdx.x) * BLOCK;
        const int m = BLOCK > 1 || own < end ? BLOCK : 0;
        n = m ? own : n;
        elements[u] = m;
        $offsets
#if GROUPS
        uindex rest = divide((uindex)n, &s->columns);
        const index i = n - (index)(rest * (uindex)s->columns.divisor);
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
        const index i = n;
#endif
#if FLAT
        const index turn = PERIOD ? (i - begin) / period : (index)divide((uindex)(i - begin), &s->period);
        if (u == 0 || BLOCK == 1 || !REPEATS)
            phase = i - begin - turn * period;
#endif
        $loads
    }
    UNROLLED
    for (int u = 0; u < CHUNKS; u++) {
        const int m = elements[u];
        $row
        $operands
        $body
        $results
    }
    $remarks
}
#if MANY
/* The sample with this tile: the last one that begins no later. All threads of a warp ask for the same tile, so on a
 * GPU they search 32 ways at once. */
DEVICE const struct weft_sample *find_sample(const struct weft_sample *sample, tiles_index count, tiles_index tile)
{
#ifdef __CUDA_ARCH__
    while (count > 1) {
        const tiles_index apart = (count + 31) / 32, at = threadIdx.x % 32 * apart;
        const bool before = at < count && (tiles_index)sample[at].first_tile <= tile;
        const tiles_index skipped = (__popc(__ballot_sync(~0u, before)) - 1) * apart;
        sample += skipped;
        count = count - skipped < apart ? count - skipped : apart;
    }
#else
    while (count > 1) {
        const tiles_index half = count / 2;
        if ((tiles_index)sample[half].first_tile <= tile)
            sample += half, count -= half;
        else
            count = half;
    }
#endif
    return sample;
}
#endif
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    const struct weft_args *const args = &parameters;
#if MANY
    /* A block takes tiles that follow one another, and so searches once. */
    const tiles_index all = (tiles_index)args->tiles, each = (all + gridDim.x - 1) / gridDim.x;
    const tiles_index begin = blockIdx.x * each, step = 1, tiles = begin + each < all ? begin + each : all;
    const struct weft_sample *sample = find_sample(args->samples, (tiles_index)args->sample_count, begin);
    const struct weft_sample *const last = args->samples + args->sample_count - 1;
#else
    const tiles_index begin = blockIdx.x, step = gridDim.x, tiles = (tiles_index)args->tiles;
#endif
    for (tiles_index tile = begin; tile < tiles; tile += step) {
#if MANY
        if (sample < last && (tiles_index)sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        char *const *const bases = sample->bases;
        const int dense = (int)sample->dense;
        const index first = (index)(tile - (tiles_index)sample->first_tile) * TILE;
#else
        const struct weft_geometry *const s = &args->geometry;
        char *const *const bases = args->bases;
        const int dense = (int)args->dense;
        const index first = (index)tile * TILE;
#endif
        const int begin = GROUPS ? 0 : dense >> 1; /* only one row has a choice */
        const index left = (index)s->volume + begin - first, end = first + (left < TILE ? left : TILE);
        if (CHUNK > 1 && dense & 1 && first >= begin && left >= TILE + SPARE) {
            compute(args, s, bases, begin, first, end, CHUNK, UNROLL);
            continue;
        }
        ROLLED
        for (index n = first > begin ? first : begin; n < end; n += THREADS * SINGLES)
            compute(args, s, bases, begin, n, end, 1, SINGLES);
    }
}
