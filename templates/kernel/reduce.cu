/* A CUDA kernel with reduced dimensions, laid out like kernel.cu. $ marks what the emitter fills in, a line each. */
$comment
$sizes
$types
$args
$numbers
$helpers
$blocks
$joins
#if LINE
#define INNER 1
#elif INNER_KNOWN
#define INNER INNER_KNOWN
#else
#define INNER (index)s->lanes.inner
#endif
//~{
/* The number of element e behind others. Of whole turns it is a step from the first one's, in 64 bits, so that steps
 * which the compiler knows are part of a load's address. */
#define NUMBER(others) (WHOLE ? (i64)(((others) + element) * INNER + inner) + u * BETWEEN * (i64)(INNER) \
                              : (i64)(((others) + e) * INNER + inner))
#if CHUNK > 1 && defined __cplusplus
/* 64 registers, with which NVRTC leaves the loads of a turn in front. */
#undef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, THREADS > 32 ? 1024 / THREADS : 32)
#endif
#define ALWAYS_WHOLE (SERIAL && UNROLL < LANE_COUNT) /* there are no more elements */
//~}
/* What is joined of element `element` of a point and an inner element, and of every BETWEEN-th behind it: UNROLL
 * values. If WHOLE, all of these are there; else the first one is. From element `end` on there are none: `absent` takes
 * their place, and the one before is computed again, so that loads need no branches. BLOCK is 1, or of whole ones
 * CHUNK: each value is followed by those of the next numbers. */
DEVICE void OWN(compute)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                    const index point, const index element, const index end, const index inner, const acc_t absent,
                    acc_t *values, const int WHOLE, const int BLOCK)
{
    const int begin = 0; //~
    $literals
    $faults
    $buffers
    int elements[UNROLL]; /* of each place: 1 or 0 */ //~
    index e = element; //~
    UNROLLED
    for (int u = 0; u < UNROLL; u++) {
        const index own = element + u * BETWEEN; //~
        const int m = WHOLE || own < end; //~
        e = m ? own : e; //~
        elements[u] = m; //~
        $offsets
#if ALONG == ALONG_POINTS
        const i64 i = NUMBER(0); //~
        uindex rest = (uindex)point; //~
#elif ALONG == ALONG_ELEMENTS
        const index i = inner;
        uindex rest = (uindex)(point * (index)s->lanes.elements + e); //~
#else
#if GROUPS
        const index n = (point * (index)s->lanes.elements + e) * INNER + inner; //~
        uindex rest = divide((uindex)n, &s->columns); //~
        const index i = n - (index)(rest * (uindex)s->columns.divisor); //~
#else
        const i64 i = NUMBER(point * (index)s->lanes.elements); //~
#endif
#endif
#if GROUPS
        EACH_GROUP //~
        for (int g = OUTER - 1; g >= 0; g--) { //~
            index digit = (index)rest; //~
            if (g > 0) { //~
                rest = divide(rest, &s->extents[g]); //~
                digit -= (index)(rest * (uindex)s->extents[g].divisor); //~
            } //~
            $groups
        } //~
#endif
        $loads
    }
    UNROLLED
    for (int u = 0; u < UNROLL; u++) {
        const int m = elements[u]; //~
        $row
        $operands
        $body
        $results
    }
    $remarks
}
//~{
/* The same, for the place at hand. */
DEVICE void OWN(compute_values)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                           const index point, const index element, const index end, const index inner,
                           const acc_t absent, acc_t *values)
{
    if (ALWAYS_WHOLE || end - element > (UNROLL - 1) * BETWEEN)
        compute(args, s, bases, point, element, end, inner, absent, values, true, 1);
    else
        compute(args, s, bases, point, element, end, inner, absent, values, false, 1);
}
#if SERIAL
/* Each thread joins all elements of one result: value u of a row of lanes is lane u's. */
DEVICE void OWN(join_tile)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                      const index tile, const bool dense, const acc_t absent)
{
    const index inner = tile * THREADS + (index)threadIdx.x, count = (index)s->lanes.elements;
    acc_t lanes[UNROLL], values[UNROLL];
    tree_t all[UNROLL];
    if (inner >= (index)s->lanes.inner)
        return;
    UNROLLED
    for (int u = 0; u < UNROLL; u++)
        lanes[u] = absent;
    ROLLED
    for (index e = 0; e < count; e += LANE_COUNT) {
        compute_values(args, s, bases, 0, e, count, inner, absent, values);
        UNROLLED
        for (int u = 0; u < UNROLL; u++)
            lanes[u] = join_acc(lanes[u], values[u]);
    }
    UNROLLED
    for (int u = 0; u < UNROLL; u++)
        all[u] = (tree_t)lanes[u];
    UNROLLED
    for (int apart = LANE_COUNT / 2; apart; apart /= 2)
        UNROLLED
        for (int u = 0; u < apart; u++)
            if (u + apart < UNROLL)
                all[u] = join_tree(all[u], all[u + apart]);
    ((tree_t *)bases[ACCESSES - 1])[inner] = all[0];
}
#else
#if ORDERED
/* Joins node `number` of a thread to those before it: level l of the tree holds 2 ** l of them. */
DEVICE void OWN(plant)(tree_t *tree, tree_t x, const int number)
{
    bool carried = true;
    UNROLLED
    for (int l = 0; l < LEVELS; l++) {
        if (carried && number >> l & 1) {
            x = join_tree(tree[l], x);
        } else if (carried) {
            tree[l] = x;
            carried = false;
        }
    }
}
/* What the tree holds of `count` nodes. */
DEVICE tree_t OWN(harvest)(const tree_t *tree, const int count, tree_t x)
{
    UNROLLED
    for (int l = 0; l < LEVELS; l++)
        if (count >> l & 1)
            x = join_tree(tree[l], x);
    return x;
}
#endif
/* Joins whole turns of the thread's places, and single elements of each of them at the end of a block, or where words
 * of them are not aligned. The first place is element `element` + `lane` and an inner element, the others are the next
 * ones. */
DEVICE void OWN(join_places)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                        const index point, const index element, const index end, const int lane, const index inner,
                        const bool dense, const acc_t absent, acc_t *values, acc_t *x)
{
    if (dense && end - element >= UNROLL * LANE_COUNT) {
        compute(args, s, bases, point, element + lane, end, inner, absent, values, true, CHUNK);
        UNROLLED
        for (int u = 0; u < UNROLL * CHUNK; u++)
            x[u % CHUNK] = join_acc(x[u % CHUNK], values[u]);
        return;
    }
    ROLLED
    for (int k = 0; k < CHUNK; k++) {
        const index first = element + lane + (inner + k) / INNER;
        acc_t own = absent;
        UNROLLED
        for (int q = 0; q < CHUNK; q++)
            own = q == k ? x[q] : own;
        if (first < end)
            compute(args, s, bases, point, first, end, (inner + k) % INNER, absent, values, false, 1);
        UNROLLED
        for (int u = 0; u < UNROLL; u++)
            own = first < end ? join_acc(own, values[u]) : own;
        UNROLLED
        for (int q = 0; q < CHUNK; q++)
            x[q] = q == k ? own : x[q];
    }
}
/* The thread's lanes of the nodes from element `first` on and before `last`, of a point. A node is a block, or where
 * the elements are lanes of blocks UNROLL of these. Nodes are joined in pairs, if the order matters; else to what `all`
 * holds. */
DEVICE void OWN(join_nodes)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                       const index point, const int lane, const index inner, const index first, const index last,
                       const bool dense, const acc_t absent, tree_t *all)
{
    acc_t values[UNROLL * CHUNK], x[CHUNK];
#if ORDERED
    tree_t tree[CHUNK][LEVELS];
    int count = 0;
#endif
    ROLLED
    for (index node = first; node < last; node += NODE) {
#if PARTIAL
        compute_values(args, s, bases, point, node + lane, last, inner, absent, values);
        UNROLLED
        for (int apart = 1; apart < UNROLL; apart *= 2)
            UNROLLED
            for (int u = 0; u + apart < UNROLL; u += 2 * apart)
                values[u] = join_acc(values[u], values[u + apart]);
        x[0] = values[0];
#else
        const index end = last - node < NODE ? last : node + NODE;
        UNROLLED
        for (int k = 0; k < CHUNK; k++)
            x[k] = absent;
        ROLLED
        for (index e = node + (CHUNK > 1 ? 0 : lane); e < end; e += UNROLL * LANE_COUNT) {
#if CHUNK > 1
            join_places(args, s, bases, point, e, end, lane, inner, dense, absent, values, x);
#else
            compute_values(args, s, bases, point, e, end, inner, absent, values);
            UNROLLED
            for (int u = 0; u < UNROLL; u++)
                x[0] = join_acc(x[0], values[u]);
#endif
        }
#endif
#if ORDERED
        UNROLLED
        for (int k = 0; k < CHUNK; k++)
            plant(tree[k], (tree_t)x[k], count);
        count++;
    }
    UNROLLED
    for (int k = 0; k < CHUNK; k++)
        all[k] = harvest(tree[k], count, (tree_t)absent);
#else
        UNROLLED
        for (int k = 0; k < CHUNK; k++)
            all[k] = join_tree(all[k], (tree_t)x[k]);
    }
#endif
}
#define EACH_PLACE    \
    UNROLLED          \
    for (int k = 0; k < CHUNK; k++)
/* The threads of a block stand beside each other as inner elements, lanes, parts of a point's nodes, and points; CHUNK
 * inner elements and lanes are one thread's. Each joins the lanes of its part; then parts are joined in pairs, then
 * lanes 8, 4, 2 and 1 apart. Where a point has further tiles, its lanes are stored instead. */
DEVICE void OWN(join_tile)(const struct weft_args *args, const struct weft_geometry *s, char *const *bases,
                      const index tile, const bool dense, const acc_t absent)
{
    __shared__ tree_t shared[THREADS * CHUNK];
    const struct weft_lanes *const r = &s->lanes;
    const uindex chunks = (uindex)r->chunks, windows = (uindex)r->windows;
    const uindex chunk = chunks > 1 ? (uindex)tile % chunks : 0,
                 above = chunks > 1 ? (uindex)tile / chunks : (uindex)tile;
    const uindex window = windows > 1 ? above % windows : 0, group = windows > 1 ? above / windows : above;
    const int t = (int)threadIdx.x * CHUNK, width = LINE || INNER_KNOWN ? INNER : (int)r->width,
              unit = t / (LANE_COUNT * width);
    const int beside = BESIDE ? BESIDE : (int)r->beside, place = t % (LANE_COUNT * width);
    const int part = unit % beside, used = unit / beside < (int)r->together;
    const index point = (index)group * (index)r->together + unit / beside, from = LINE ? 0 : (index)window * width;
    const index elements = (index)r->elements, nodes = (index)r->chunk / beside;
    const index first = ((index)chunk * beside + part) * nodes * NODE;
    const bool mine = used && point < (index)r->points && from + place % width < INNER;
    /* Places of which there are few inner elements are counted through, as their elements are. */
    const bool through = CHUNK > 1 && (LINE || INNER_KNOWN);
    const int lane = through ? 0 : place / width;
    const index inner = through ? place : from + place % width;
    tree_t *const to = (tree_t *)bases[ACCESSES - 1];
    tree_t x[CHUNK];
    EACH_PLACE
        x[k] = (tree_t)(elements ? absent : NOTHING(absent));
    if (mine && first < elements)
        join_nodes(args, s, bases, point, lane, inner, first,
                   elements - first < nodes * NODE ? elements : first + nodes * NODE, dense, absent, x);
#if BESIDE != 1
    EACH_PLACE
        shared[t + k] = x[k];
    __syncthreads();
    UNROLLED
    for (int apart = 1; apart < beside; apart *= 2) {
        if (used && part % (2 * apart) == 0) {
            EACH_PLACE
                shared[t + k] = x[k] = join_tree(x[k], shared[t + k + apart * LANE_COUNT * width]);
        }
        __syncthreads();
    }
#endif
    if (chunks > 1) {
        const i64 at = ((i64)point * chunks + chunk) * LANE_COUNT;
        EACH_PLACE
            if (mine && part == 0)
                to[(at + (place + k) / width) * INNER + from + (place + k) % width] = x[k];
        return;
    }
#if LINE && CHUNK == 1
    UNROLLED
    for (int apart = LANE_COUNT / 2; apart; apart /= 2)
        x[0] = join_tree(x[0], (tree_t)__shfl_down_sync(~0u, x[0], apart, LANE_COUNT));
#else
    EACH_PLACE
        shared[t + k] = x[k];
    __syncthreads();
    UNROLLED
    for (int apart = LANE_COUNT / 2; apart; apart /= 2) {
        EACH_PLACE
            if (used && (place + k) / width < apart)
                shared[t + k] = x[k] = join_tree(x[k], shared[t + k + apart * width]);
        __syncthreads();
    }
#endif
    EACH_PLACE
        if (mine && part == 0 && (place + k) / width == 0)
            to[(i64)point * INNER + from + (place + k) % width] = x[k];
}
#endif
//~}
$samples
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    const struct weft_args *const args = &parameters; //~
    $absent
#if MANY
    const tiles_index all = (tiles_index)args->tiles, each = (all + gridDim.x - 1) / gridDim.x; //~
    const tiles_index begin = blockIdx.x * each, step = 1, tiles = begin + each < all ? begin + each : all; //~
    const struct weft_sample *sample = find_sample(args->samples, (tiles_index)args->sample_count, begin); //~
    const struct weft_sample *const last = args->samples + args->sample_count - 1; //~
#else
    const tiles_index begin = blockIdx.x, step = gridDim.x, tiles = (tiles_index)args->tiles; //~
#endif
    ROLLED
    for (tiles_index tile = begin; tile < tiles; tile += step) {
#if MANY
        while (sample < last && (tiles_index)sample[1].first_tile <= tile)
            sample++; //~
        join_tile(args, sample->geometry, sample->bases, (index)(tile - (tiles_index)sample->first_tile),
                  sample->dense & 1, absent);
#else
        join_tile(args, &args->geometry, args->bases, (index)tile, args->dense & 1, absent);
#endif
    }
}
