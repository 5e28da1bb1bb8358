/* A kernel with reduced dimensions, laid out like kernel.c. $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$library
$helpers
$blocks
$joins
/* Fetches what follows `bytes` from here on. */
static inline void near(const void *from, i64 ahead, i64 bytes)
{
#if defined __GNUC__ && !defined __TINYC__
    for (i64 k = 0; ahead && k < bytes; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* Joins elements to a row of `width` lanes, from lane `at` on. ROW is the width where the C compiler knows it, else
 * 0. */
static void fold(acc_t *lanes, i64 width, i64 at, const stage_t *from, i64 count, i64 ahead)
{
    enum { NEAR = 256 };
    acc_t l[ROW + 1];
    for (; ROW && at && count; count--, from++, at = at + 1 < ROW ? at + 1 : 0)
        lanes[at] = join_acc(lanes[at], (acc_t)*from);
    if (ROW && count >= ROW) {
        for (int j = 0; j < ROW; j++)
            l[j] = lanes[j];
        for (; count >= ROW; count -= ROW, from += ROW) {
            near(from, ahead, ROW * sizeof *from);
            for (int j = 0; j < ROW; j++)
                l[j] = join_acc(l[j], (acc_t)from[j]);
        }
        for (int j = 0; j < ROW; j++)
            lanes[j] = l[j];
    }
    for (i64 run; count; from += run, count -= run, at = at + run < width ? at + run : 0) {
        run = width - at < NEAR ? width - at : NEAR;
        run = count < run ? count : run;
        near(from, ahead, run * sizeof *from);
        INDEPENDENT
        for (i64 j = 0; j < run; j++)
            lanes[at + j] = join_acc(lanes[at + j], (acc_t)from[j]);
    }
}
enum { NEAR_LANES = 4096 };        /* so many lanes are in the nearest cache */
/* The first element, at place `at` of a point, of what is joined in place. */
static inline const stage_t *place_of(const struct weft_sample *sample, i64 point, i64 at)
{
    const struct weft_geometry *const s = sample->geometry;
    const i64 stride = s->groups + 2, row = at < s->columns ? 0 : at / s->columns;
    const char *p = sample->bases[SOURCE];
    i64 number = row + point * s->lanes->rows;
    for (i64 g = s->groups, above; g-- > 0; number = above) {
        above = number < s->extents[g] ? 0 : number / s->extents[g];
        p += (number - above * s->extents[g]) * s->strides[SOURCE * stride + g];
    }
    return (const stage_t *)p + (at - row * s->columns);
}
/* Joins elements that each have many inner ones, four of a lane at a time, so that lanes, which are in a farther cache,
 * are loaded and stored once for four. Returns the element to go on with. */
SEPARATE static i64 fold_rows(acc_t *lanes, const struct weft_sample *sample, i64 point, i64 from, i64 inner, i64 element,
                              i64 limit, i64 ahead)
{
    enum { NEAR = 256 };
    const struct weft_lanes *const r = sample->geometry->lanes;
    for (i64 lane = 0; element + 4 * r->lanes <= limit;) {
        const stage_t *x[4];
        acc_t *const l = lanes + lane * inner;
        for (int k = 0; k < 4; k++)
            x[k] = place_of(sample, point, (element + lane + k * r->lanes) * r->inner + from);
        for (i64 i = 0; i < inner; i += NEAR) {
            const i64 end = inner - i < NEAR ? inner : i + NEAR;
            for (int k = 0; k < 4; k++)
                near(x[k] + i, ahead, (end - i) * sizeof **x);
            INDEPENDENT
            for (i64 j = i; j < end; j++) {
                acc_t a = join_acc(l[j], (acc_t)x[0][j]);
                a = join_acc(a, (acc_t)x[1][j]);
                a = join_acc(a, (acc_t)x[2][j]);
                l[j] = join_acc(a, (acc_t)x[3][j]);
            }
        }
        if (++lane == r->lanes)
            element += 4 * lane, lane = 0;
    }
    return element;
}
/* Joins block `number`, whose lanes are reset, to the tree: level l holds the lanes of 2 ** l blocks. Where the order
 * does not matter, there is level 0 alone. */
static void plant(tree_t *tree, acc_t *lanes, i64 width, i64 number, acc_t absent)
{
    i64 level = 0;
    while (ORDERED && number >> level & 1)
        level++;
    tree_t *const to = tree + level * width;
    INDEPENDENT
    for (i64 j = 0; j < width; j++)
        to[j] = ORDERED || !number ? (tree_t)lanes[j] : (tree_t)join_tree(to[j], (tree_t)lanes[j]);
    for (i64 j = 0; j < width; j++)
        lanes[j] = absent;
    for (i64 l = 0; l < level; l++) {
        const tree_t *const before = tree + l * width;
        INDEPENDENT
        for (i64 j = 0; j < width; j++)
            to[j] = join_tree(before[j], to[j]);
    }
}
/* Joins what the tree holds of `blocks` blocks. Returns the lanes. */
static tree_t *harvest(tree_t *tree, i64 width, i64 blocks)
{
    i64 level = 0;
    while (ORDERED && !(blocks >> level & 1))
        level++;
    tree_t *const to = tree + level * width;
    while (ORDERED && blocks >> ++level) {
        const tree_t *const before = tree + level * width;
        const i64 count = blocks >> level & 1 ? width : 0;
        INDEPENDENT
        for (i64 j = 0; j < count; j++)
            to[j] = join_tree(before[j], to[j]);
    }
    return to;
}
static inline void halve(tree_t *all, const i64 count)
{
    for (i64 j = 0; j < count; j++)
        all[j] = join_tree(all[j], all[j + count]);
}
/* Joins lanes of `inner` elements each, 32 apart, 16, 8, 4, 2 and 1, as far as they are there. */
static void join_lanes(tree_t *all, i64 lanes, i64 inner)
{
    if (ROW) { /* the C compiler knows all of it */
        if (ROW > 32 * INNER)
            halve(all, 32 * INNER);
        if (ROW > 16 * INNER)
            halve(all, 16 * INNER);
        halve(all, 8 * INNER);
        halve(all, 4 * INNER);
        halve(all, 2 * INNER);
        halve(all, INNER);
        return;
    }
    for (i64 apart = MAX_LANES / 2; apart; apart /= 2) {
        const i64 pairs = lanes - apart < apart ? lanes - apart : apart, far = apart * inner;
        INDEPENDENT
        for (i64 j = 0; j < pairs * inner; j++)
            all[j] = join_tree(all[j], all[j + far]);
        lanes = lanes < apart ? lanes : apart;
    }
}
SEPARATE static void keep(tree_t *to, const tree_t *from, i64 count)
{
    for (i64 j = 0; j < count; j++)
        to[j] = from[j];
}
$entry
{
    $literals
    $faults
    $buffers
    stage_t stage[STAGE + BLOCK];
    acc_t fixed_lanes[ROW + 1];
    tree_t fixed_tree[ROW * LEVELS + 1];
    acc_t *const lanes = ROW ? fixed_lanes : (acc_t *)(args->scratch + SCRATCH);
    tree_t *const tree = ROW ? fixed_tree : (tree_t *)(args->scratch + SCRATCH + WIDTH * sizeof(acc_t));
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        while (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const struct weft_lanes *const r = s->lanes;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 chunk = local % r->chunks, window = local / r->chunks % r->windows;
        const i64 point0 = local / r->chunks / r->windows * r->together;
        const i64 point1 = point0 + r->together < r->points ? point0 + r->together : r->points;
        const i64 from = window * r->width, rest = r->inner - from < r->width ? r->inner - from : r->width;
        const i64 inner = ROW ? INNER : rest, first = chunk * r->chunk * r->block;
        const i64 stop = r->elements - first < r->chunk * r->block ? r->elements : first + r->chunk * r->block;
        const i64 width = ROW ? ROW : r->lanes * inner;
        char *p[ACCESSES];
        $tile
        for (i64 j = 0; j < width; j++)
            lanes[j] = absent;
        for (i64 point = point0; point < point1; point++) {
            i64 blocks = 0;
            for (i64 block = first; block < stop; block += r->block) {
                const i64 limit = stop - block < r->block ? stop : block + r->block;
                i64 element = block;
                if (DIRECT && !ROW && width > NEAR_LANES && s->columns % r->inner == 0)
                    element = fold_rows(lanes, sample, point, from, inner, element, limit, args->ahead);
                for (; element < limit; element += r->step) {
                    i64 at = element * r->inner + from, left = (r->step == 1 ? 1 : limit - element) * inner;
                    i64 lane = r->step == 1 ? (element - block) % r->lanes * inner : 0, filled = 0;
                    while (left > 0) { /* a run of elements in a row */
                        const i64 row = at < s->columns ? 0 : at / s->columns, column0 = at - row * s->columns;
                        const i64 run = s->columns - column0 < left ? s->columns - column0 : left;
                        const i64 column1 = column0 + run;
                        i64 number = row + point * r->rows, head = 0;
                        for (int k = 0; k < ACCESSES; k++)
                            p[k] = sample->bases[k];
                        for (i64 g = groups, above; g-- > 0; number = above) {
                            above = number < s->extents[g] ? 0 : number / s->extents[g];
                            for (int k = 0; k < ACCESSES; k++)
                                p[k] += (number - above * s->extents[g]) * s->strides[k * stride + g];
                        }
                        (void)head;
                        at += run;
                        left -= run;
                        if (DIRECT) {
                            fold(lanes, width, lane, (const stage_t *)p[SOURCE] + column0, run, args->ahead);
                            lane = (lane + run) % width;
                            continue;
                        }
                        $row
                        for (i64 i = column0, m; i < column1; i += m) {
                            m = column1 - i < BLOCK ? column1 - i : BLOCK;
                            m = STAGE - filled < m ? STAGE - filled : m;
                            $operands
                            $body
                            $results
                            filled += m;
                            if (filled < STAGE && (left || i + m < column1))
                                continue;
                            fold(lanes, width, lane, stage, filled, 0);
                            for (lane += filled; lane >= width;)
                                lane -= width;
                            filled = 0;
                        }
                    }
                }
                plant(tree, lanes, width, blocks++, absent);
            }
            tree_t *const all = harvest(tree, width, blocks), *const to = (tree_t *)sample->bases[ACCESSES - 1] + from;
            if (r->kept == 1)
                join_lanes(all, r->lanes, inner);
            for (i64 j = 0; j < r->kept; j++)
                keep(to + ((point * r->chunks + chunk) * r->kept + j) * r->inner, all + j * inner, inner);
        }
    }
    $remarks
    $end
}
