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
#else
#define INNER (index)s->lanes.inner
#endif
/* The number of element e behind others. Of whole turns it is a step from the first one's, in 64 bits, so that steps which
 * the compiler knows are part of a load's address. */
#define NUMBER(others) (WHOLE ? (i64)(((others) + element) * INNER + inner) + u * BETWEEN * (i64)(INNER) \
                              : (i64)(((others) + e) * INNER + inner))
#define ALWAYS_WHOLE (SERIAL && UNROLL < LANE_COUNT) /* there are no more elements */
/* What is joined of element `element` of a point and an inner element, and of every BETWEEN-th behind it: UNROLL values. If
 * WHOLE, all of these are there; else the first one is. From element `end` on there are none: `absent` takes their place, and
 * the one before is computed again, so that loads need no branches. */
DEVICE void compute(const struct weft_args *args, const struct weft_geometry *s, char *const *bases, const index point,
                    const index element, const index end, const index inner, const acc_t absent, acc_t *values,
                    const int WHOLE)
{
    const int BLOCK = 1, begin = 0;
    $literals
    $faults
    $buffers
    int elements[UNROLL]; /* of each place: 1 or 0 */
    index e = element;
    UNROLLED
    for (int u = 0; u < UNROLL; u++) {
        const index own = element + u * BETWEEN;
        const int m = WHOLE || own < end;
        e = m ? own : e;
        elements[u] = m;
        $offsets
#if ALONG == ALONG_POINTS
        const i64 i = NUMBER(0);
        uindex rest = (uindex)point;
#elif ALONG == ALONG_ELEMENTS
        const index i = inner;
        uindex rest = (uindex)(point * (index)s->lanes.elements + e);
#else
#if GROUPS
        const index n = (point * (index)s->lanes.elements + e) * INNER + inner;
        uindex rest = divide((uindex)n, &s->columns);
        const index i = n - (index)(rest * (uindex)s->columns.divisor);
#else
        const i64 i = NUMBER(point * (index)s->lanes.elements);
#endif
#endif
#if GROUPS
        EACH_GROUP
        for (int g = OUTER - 1; g >= 0; g--) {
            index digit = (index)rest;
            if (g > 0) {
                rest = divide(rest, &s->extents[g]);
                digit -= (index)(rest * (uindex)s->extents[g].divisor);
            }
            $groups
        }
#endif
        $loads
    }
    UNROLLED
    for (int u = 0; u < UNROLL; u++) {
        const int m = elements[u];
        $row
        $operands
        $body
        $results
    }
    $remarks
}
/* The same, for the place at hand. */
DEVICE void compute_values(const struct weft_args *args, const struct weft_geometry *s, char *const *bases, const index point,
                           const index element, const index end, const index inner, const acc_t absent, acc_t *values)
{
    if (ALWAYS_WHOLE || end - element > (UNROLL - 1) * BETWEEN)
        compute(args, s, bases, point, element, end, inner, absent, values, true);
    else
        compute(args, s, bases, point, element, end, inner, absent, values, false);
}
#if SERIAL
/* Each thread joins all elements of one result: value u of a row of lanes is lane u's. */
DEVICE void join_tile(const struct weft_args *args, const struct weft_geometry *s, char *const *bases, const index tile,
                      const acc_t absent)
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
/* Joins node `number` of a thread to those before it: level l of the tree holds 2 ** l of them. */
DEVICE void plant(tree_t *tree, tree_t x, const int number)
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
DEVICE tree_t harvest(const tree_t *tree, const int count, tree_t x)
{
    UNROLLED
    for (int l = 0; l < LEVELS; l++)
        if (count >> l & 1)
            x = join_tree(tree[l], x);
    return x;
}
/* One lane of the nodes from element `first` on and before `last`, of a point and an inner element. A node is a block, or where
 * the elements are lanes of blocks UNROLL of these. Nodes are joined in pairs. */
DEVICE tree_t join_nodes(const struct weft_args *args, const struct weft_geometry *s, char *const *bases, const index point,
                         const index inner, const int lane, const index first, const index last, const acc_t absent)
{
    tree_t tree[LEVELS];
    acc_t values[UNROLL];
    int count = 0;
    ROLLED
    for (index node = first; node < last; node += NODE) {
#if PARTIAL
        compute_values(args, s, bases, point, node + lane, last, inner, absent, values);
        UNROLLED
        for (int apart = 1; apart < UNROLL; apart *= 2)
            UNROLLED
            for (int u = 0; u + apart < UNROLL; u += 2 * apart)
                values[u] = join_acc(values[u], values[u + apart]);
        plant(tree, (tree_t)values[0], count++);
#else
        const index end = last - node < NODE ? last : node + NODE;
        acc_t x = absent;
        ROLLED
        for (index e = node + lane; e < end; e += UNROLL * LANE_COUNT) {
            compute_values(args, s, bases, point, e, end, inner, absent, values);
            UNROLLED
            for (int u = 0; u < UNROLL; u++)
                x = join_acc(x, values[u]);
        }
        plant(tree, (tree_t)x, count++);
#endif
    }
    return harvest(tree, count, (tree_t)absent);
}
/* The threads of a block stand beside each other as inner elements, lanes, parts of a point's nodes, and points.
 * Each joins a lane of its part; then parts are joined in pairs, then lanes 8, 4, 2 and 1 apart. Where a point has
 * further tiles, its lanes are stored instead. */
DEVICE void join_tile(const struct weft_args *args, const struct weft_geometry *s, char *const *bases, const index tile,
                      const acc_t absent)
{
    __shared__ tree_t shared[THREADS];
    const struct weft_lanes *const r = &s->lanes;
    const uindex chunks = (uindex)r->chunks, windows = (uindex)r->windows;
    const uindex chunk = chunks > 1 ? (uindex)tile % chunks : 0, above = chunks > 1 ? (uindex)tile / chunks : (uindex)tile;
    const uindex window = windows > 1 ? above % windows : 0, group = windows > 1 ? above / windows : above;
    const int t = (int)threadIdx.x, width = LINE ? 1 : (int)r->width, unit = t / (LANE_COUNT * width);
    const int beside = BESIDE ? BESIDE : (int)r->beside;
    const int lane = t / width % LANE_COUNT, part = unit % beside, used = unit / beside < (int)r->together;
    const index point = (index)group * (index)r->together + unit / beside;
    const index inner = LINE ? 0 : (index)window * width + t % width, elements = (index)r->elements;
    const index nodes = (index)r->chunk / beside, first = ((index)chunk * beside + part) * nodes * NODE;
    const bool mine = used && point < (index)r->points && inner < INNER;
    tree_t *const to = (tree_t *)bases[ACCESSES - 1];
    tree_t x = (tree_t)(elements ? absent : NOTHING(absent));
    if (mine && first < elements)
        x = join_nodes(args, s, bases, point, inner, lane, first,
                       elements - first < nodes * NODE ? elements : first + nodes * NODE, absent);
#if BESIDE != 1
    shared[t] = x;
    __syncthreads();
    UNROLLED
    for (int apart = 1; apart < beside; apart *= 2) {
        if (used && part % (2 * apart) == 0) {
            x = join_tree(x, shared[t + apart * LANE_COUNT * width]);
            shared[t] = x;
        }
        __syncthreads();
    }
#endif
    if (chunks > 1) {
        if (mine && part == 0)
            to[((i64)((i64)point * chunks + chunk) * LANE_COUNT + lane) * INNER + inner] = x;
        return;
    }
#if LINE
    UNROLLED
    for (int apart = LANE_COUNT / 2; apart; apart /= 2)
        x = join_tree(x, (tree_t)__shfl_down_sync(~0u, x, apart, LANE_COUNT));
#else
    shared[t] = x;
    __syncthreads();
    UNROLLED
    for (int apart = LANE_COUNT / 2; apart; apart /= 2) {
        if (used && lane < apart) {
            x = join_tree(x, shared[t + apart * width]);
            shared[t] = x;
        }
        __syncthreads();
    }
#endif
    if (mine && part == 0 && lane == 0)
        to[(i64)point * INNER + inner] = x;
}
#endif
$samples
KERNEL weft_kernel(const BY_VALUE struct weft_args parameters)
{
    const struct weft_args *const args = &parameters;
    $absent
#if MANY
    const tiles_index all = (tiles_index)args->tiles, each = (all + gridDim.x - 1) / gridDim.x;
    const tiles_index begin = blockIdx.x * each, step = 1, tiles = begin + each < all ? begin + each : all;
    const struct weft_sample *sample = find_sample(args->samples, (tiles_index)args->sample_count, begin);
    const struct weft_sample *const last = args->samples + args->sample_count - 1;
#else
    const tiles_index begin = blockIdx.x, step = gridDim.x, tiles = (tiles_index)args->tiles;
#endif
    ROLLED
    for (tiles_index tile = begin; tile < tiles; tile += step) {
#if MANY
        while (sample < last && (tiles_index)sample[1].first_tile <= tile)
            sample++;
        join_tile(args, sample->geometry, sample->bases, (index)(tile - (tiles_index)sample->first_tile), absent);
#else
        join_tile(args, &args->geometry, args->bases, (index)tile, absent);
#endif
    }
}
