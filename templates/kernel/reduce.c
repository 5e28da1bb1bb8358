/* A kernel with reduced dimensions, laid out like kernel.c. $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$library
$helpers
$blocks
$joins
/* Joins `count` staged elements to the lanes: rows of `width`, which the C compiler knows. */
static inline void fold_rows(acc_t *lanes, const int width, const stage_t *stage, i64 count)
{
    acc_t l[64];
    i64 i = 0;
    for (int j = 0; j < width; j++)
        l[j] = lanes[j];
    for (; i + width <= count; i += width)
        for (int j = 0; j < width; j++)
            l[j] = join_acc(l[j], (acc_t)stage[i + j]);
    for (int j = 0; j < width; j++)
        lanes[j] = l[j];
    for (; i < count; i++)
        lanes[i % width] = join_acc(lanes[i % width], (acc_t)stage[i]);
}
/* The same for any width, from lane number `at` on. Where there are few lanes it is 0. */
SEPARATE static void fold(acc_t *lanes, i64 width, i64 at, const stage_t *stage, i64 count)
{
    switch (width) {
    case 16: fold_rows(lanes, 16, stage, count); return;
    case 32: fold_rows(lanes, 32, stage, count); return;
    case 48: fold_rows(lanes, 48, stage, count); return;
    case 64: fold_rows(lanes, 64, stage, count); return;
    }
    for (i64 i = 0, run; i < count; i += run, at = 0) {
        run = width - at < count - i ? width - at : count - i;
        INDEPENDENT
        for (i64 j = 0; j < run; j++)
            lanes[at + j] = join_acc(lanes[at + j], (acc_t)stage[i + j]);
    }
}
/* Joins block `number`, whose lanes are reset, to the tree: level l holds the lanes of 2 ** l blocks. */
SEPARATE static void plant(tree_t *tree, acc_t *lanes, i64 width, i64 number, acc_t absent)
{
    i64 level = 0;
    while (number >> level & 1)
        level++;
    tree_t *const to = tree + level * width;
    INDEPENDENT
    for (i64 j = 0; j < width; j++)
        to[j] = (tree_t)lanes[j], lanes[j] = absent;
    for (i64 l = 0; l < level; l++) {
        const tree_t *const before = tree + l * width;
        INDEPENDENT
        for (i64 j = 0; j < width; j++)
            to[j] = join_tree(before[j], to[j]);
    }
}
/* Joins what the tree holds of `blocks` blocks. Returns the lanes. */
SEPARATE static tree_t *harvest(tree_t *tree, i64 width, i64 blocks)
{
    i64 level = 0;
    while (!(blocks >> level & 1))
        level++;
    tree_t *const to = tree + level * width;
    while (blocks >> ++level) {
        const tree_t *const before = tree + level * width;
        const i64 count = blocks >> level & 1 ? width : 0;
        INDEPENDENT
        for (i64 j = 0; j < count; j++)
            to[j] = join_tree(before[j], to[j]);
    }
    return to;
}
/* Joins lanes of `inner` elements each, 8 apart, 4, 2 and 1, as far as they are there. */
SEPARATE static void join_lanes(tree_t *all, i64 lanes, i64 inner)
{
    for (i64 apart = LANE_COUNT / 2; apart; apart /= 2) {
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
    acc_t *const lanes = (acc_t *)(args->scratch + SCRATCH);
    tree_t *const tree = (tree_t *)(lanes + WIDTH);
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
        const i64 from = window * r->width, inner = r->inner - from < r->width ? r->inner - from : r->width;
        const i64 first = chunk * r->chunk * STAGE, rest = r->elements - first;
        const i64 count = rest < r->chunk * STAGE ? rest : r->chunk * STAGE;
        const i64 width = r->lanes * inner, block = STAGE * inner;
        const i64 capacity = width < STAGE ? STAGE / width * width : STAGE; /* whole rows of few lanes */
        char *p[ACCESSES];
        $tile
        for (i64 j = 0; j < width; j++)
            lanes[j] = absent;
        for (i64 point = point0; point < point1; point++) {
            i64 at = first * r->inner + from, left = count * inner, taken = 0, filled = 0, blocks = 0, ahead = block;
            while (left > 0) { /* a run of elements in a row */
                const i64 row = at / s->columns, column0 = at % s->columns;
                i64 run = s->columns - column0 < left ? s->columns - column0 : left, number = row + point * r->rows;
                if (r->windows > 1 && run > inner - taken % inner)
                    run = inner - taken % inner;
                const i64 column1 = column0 + run;
                i64 head = 0;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] = sample->bases[k];
                for (i64 g = groups; g-- > 0; number /= s->extents[g])
                    for (int k = 0; k < ACCESSES; k++)
                        p[k] += number % s->extents[g] * s->strides[k * stride + g];
                (void)head;
                $row
                for (i64 i = column0, m; i < column1; i += m) {
                    m = column1 - i < BLOCK ? column1 - i : BLOCK;
                    m = capacity - filled < m ? capacity - filled : m;
                    m = ahead < m ? ahead : m;
                    $operands
                    $body
                    $results
                    filled += m;
                    taken += m;
                    left -= m;
                    ahead -= m;
                    if (filled < capacity && left && ahead)
                        continue;
                    fold(lanes, width, (block - ahead - filled) % width, stage, filled);
                    filled = 0;
                    if (ahead && left)
                        continue;
                    plant(tree, lanes, width, blocks++, absent);
                    ahead = block;
                }
                at += run;
                if (r->windows > 1 && taken % inner == 0)
                    at += r->inner - inner;
            }
            tree_t *const all = harvest(tree, width, blocks), *const to = (tree_t *)sample->bases[ACCESSES - 1];
            if (r->chunks == 1) {
                join_lanes(all, r->lanes, inner);
                keep(to + point * r->inner + from, all, inner);
            }
            for (int j = 0; j < LANE_COUNT && r->chunks > 1; j++)
                keep(to + ((point * r->chunks + chunk) * LANE_COUNT + j) * r->inner + from, all + j * inner, inner);
        }
    }
    $remarks
    $end
}
