/* $ marks what the emitter fills in, a line each. */
$comment
$sizes
$types
$args
$numbers
$helpers
$blocks
/* Each thread computes CHUNKS chunks of BLOCK elements, THREADS chunks apart, from element number `first` of a sample
 * on, whose own begin with number `begin`. Chunks of several elements are all there, but in a chain. In place of those
 * from `end` on the thread's one before, or the last of all, is computed again and not stored, so that loads need no
 * branches. False, with nothing stored: the values ask for single elements, of all threads of a block. */
DEVICE bool OWN(compute)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                    const int begin, const index first, const index end, const int BLOCK, const int CHUNKS)
{
    $literals
    $faults
    $buffers
    int elements[CHUNKS_MOST]; /* of each chunk: BLOCK or 0 */ //~
#if FLAT
    const index period = PERIOD ? PERIOD : (index)s->period.divisor; //~
    index phase = 0; //~
#endif
    index n = end - BLOCK; //~
    UNROLLED
    for (int u = 0; u < CHUNKS; u++) {
        const index own = first + (u * THREADS + (int)threadIdx.x) * BLOCK; //~
        const int m = (BLOCK > 1 && !CHAINED) || own < end ? BLOCK : 0; //~
        n = m ? own : n; //~
        elements[u] = m; //~
        $offsets
#if GROUPS
        uindex rest = divide((uindex)n, &s->columns); //~
        const index i = n - (index)(rest * (uindex)s->columns.divisor); //~
        EACH_GROUP //~
        for (int g = OUTER - 1; g >= 0; g--) { //~
            index digit = (index)rest; //~
            if (g > 0) { //~
                rest = divide(rest, &s->extents[g]); //~
                digit -= (index)(rest * (uindex)s->extents[g].divisor); //~
            } //~
            $groups
        } //~
#else
        const index i = n; //~
#endif
#if FLAT
        const index turn = PERIOD ? (i - begin) / period : (index)divide((uindex)(i - begin), &s->period); //~
        if (u == 0 || BLOCK == 1 || !REPEATS) //~
            phase = i - begin - turn * period; //~
#endif
        $loads
    }
    $checks
    UNROLLED
    for (int u = 0; u < CHUNKS; u++) {
        const int m = elements[u];
        $row
        $operands
        $body
        $results
    }
    $remarks
    return true;
}
$samples
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    const struct weft_args *const args = &parameters; //~
#if MANY
    /* A block takes tiles that follow one another, and so searches once. */ //~
    const tiles_index all = (tiles_index)args->tiles, each = (all + gridDim.x - 1) / gridDim.x; //~
    const tiles_index begin = blockIdx.x * each, step = 1, tiles = begin + each < all ? begin + each : all; //~
    const struct weft_sample *sample = find_sample(args->samples, (tiles_index)args->sample_count, begin); //~
    const struct weft_sample *const last = args->samples + args->sample_count - 1; //~
#else
    const tiles_index begin = blockIdx.x, step = gridDim.x, tiles = (tiles_index)args->tiles; //~
#endif
    for (tiles_index tile = begin; tile < tiles; tile += step) {
#if MANY
        if (sample < last && (tiles_index)sample[1].first_tile <= tile) //~
            sample++; //~
        const struct weft_geometry *const s = sample->geometry; //~
        char *const *const bases = sample->bases; //~
        const int dense = (int)sample->dense; //~
        const index first = (index)(tile - (tiles_index)sample->first_tile) * TILE; //~
#else
        const struct weft_geometry *const s = &args->geometry; //~
        char *const *const bases = args->bases; //~
        const int dense = (int)args->dense; //~
        const index first = (index)tile * TILE; //~
#endif
        const int begin = GROUPS ? 0 : dense >> 1; /* only one row has a choice */ //~
        const index left = (index)s->volume + begin - first, end = first + (left < TILE ? left : TILE); //~
        if (CHUNK > 1 && dense & 1 && first >= begin && left >= TILE + SPARE &&
            compute(args, s, bases, begin, first, end, CHUNK, UNROLL))
            continue;
        ROLLED
        for (index n = first > begin ? first : begin; n < end; n += THREADS * SINGLES)
            compute(args, s, bases, begin, n, end, 1, SINGLES);
    }
}
