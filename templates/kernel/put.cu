/* A kernel that puts elements to places, which others have stored: `inner` elements for each of `count` places, in this
 * order. A tile is a part of what they are put to, and one block's: it goes over all places, as many at once as it has
 * threads, and those of its part are joined in their order, each element by the thread that has its place. So the bits
 * do not depend on blocks. $ marks what the emitter fills in, a line each. */
$comment
$sizes
$types
$args
$numbers
$helpers
$blocks
$samples
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    __shared__ i64 chosen[THREADS]; /* the first element of each place in the tile; -1: it is another tile's */
    const struct weft_args *const args = &parameters;
    const tiles_index tiles = (tiles_index)args->tiles;
    const int own = (int)threadIdx.x;
    $literals
    for (tiles_index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#if MANY
        const struct weft_sample *const sample = find_sample(args->samples, (tiles_index)args->sample_count, tile);
        const struct weft_geometry *const s = sample->geometry;
        char *const *const bases = sample->bases;
        const i64 from = (i64)(tile - (tiles_index)sample->first_tile) * TILE;
#else
        const struct weft_geometry *const s = &args->geometry;
        char *const *const bases = args->bases;
        const i64 from = (i64)tile * TILE;
#endif
        const i64 to = from + TILE < (i64)s->volume ? from + TILE : (i64)s->volume;
        $row
        for (i64 n0 = 0; n0 < count; n0 += THREADS) {
            $operands
            const i64 start = place * inner;
            chosen[own] = place >= 0 && start < to && start + inner > from ? start : -1;
            __syncthreads();
            for (int n = 0; n < THREADS; n++) {
                const i64 first = chosen[n];
                if (first < 0)
                    continue;
                const i64 k0 = first < from ? from : first, k1 = first + inner < to ? first + inner : to;
                for (i64 k = k0 + (own - (int)((k0 - from) % THREADS) + THREADS) % THREADS; k < k1; k += THREADS) {
                    const i64 e = (n0 + n) * inner + k - first;
                    (void)e;
                    $body
                }
            }
            __syncthreads();
        }
    }
}
