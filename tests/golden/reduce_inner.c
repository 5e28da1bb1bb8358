/* joins what lies in memory */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, b1, weft_lanes, weft_geometry, weft_sample, struct weft_calls;, weft_args, weft_tile, weft_band,
@   weft_part, weft_rows, weft_calls, enum { LANES = 16 };, ints, CONVERSION, fetch, __attribute__((always_inline)),
@   fetch_row, first_block, fetch_end, ALL, ONE_BY_ONE, VECTOR_OF, VECTORS fb14f513
#define SPREAD(x) ((x) - (acc_v){0}) /* in all elements of a vector; -0.0 stays */
#undef ROW
#undef DIRECT
@ sizes: ROW 0, DIRECT 1, INNER = 1, STAGE = 64, MAX_LANES = 64, WIDTH = 65536, SCRATCH = 0, SOURCE = 0, ORDERED = 1,
@   LEVELS = 32, SIDE = 16, HALF = 8
@ helpers: stage_t
#undef TARGET
@ sizes: TARGET 1
typedef f32_m acc_t;
/* Joins two elements. */
static inline f32 join_acc(f32 a, f32 b)
{
    return a + b;
}
typedef f32_m tree_t;
/* Joins two elements. */
static inline f32 join_tree(f32 a, f32 b)
{
    return a + b;
}
@ helpers: VECTORS 9fcd3397
#undef join_acc_v
#define join_acc_v(a, b) ((a) + (b))
#undef join_tree_v
#define join_tree_v(a, b) ((a) + (b))
@ sizes: PER_VECTOR = sizeof(acc_v) / sizeof(acc_t), KEPT = 0
#undef OVER
#undef OVER_HALF
#undef VECTOR_ROW
#undef COMPUTED
#define COMPUTED (stage + filled)
#define OVER(k, count) for (int k = 0; k < (count) / PER_VECTOR; k++)
#define OVER_HALF(k) for (int k = 0; k < HALF * sizeof(tree_t) / sizeof(half_v); k++)
#undef AS
#undef OF
#define AS(type, x) (type)(x)
#define OF(type, x) (type)(x)
@ helpers: near, plant, harvest, join_side, fold, join_rows, join_lanes, keep, row_of
enum { NEAR_LANES = 4096 };        /* so many lanes are in the nearest cache beside what is read */
@ helpers: place_of, fold_rows
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* -0.0 */
    const f32 absent = c_0, nothing = 0;
    ALIGNED acc_t fixed_lanes[ROW + 1];
    ALIGNED tree_t fixed_tree[ROW * LEVELS + 1];
    acc_t *const lanes = ROW ? fixed_lanes : (acc_t *)(args->scratch + SCRATCH);
    tree_t *const tree = ROW ? fixed_tree : (tree_t *)(args->scratch + SCRATCH + WIDTH * sizeof(acc_t));
    const i64 ahead = args->ahead;
    struct weft_part part = {{0, begin, end}, 0, 0, 0, 0, 0, 0, 0};
    while (args->calls->next_part(args, &part)) { /* some points, or a part of one */
        const struct weft_sample *const sample = part.tile.sample;
        const struct weft_geometry *const s = sample->geometry;
        const struct weft_lanes *const r = s->lanes;
        const int apart = !ROW && r->step == 1; /* elements are taken one by one, not all of a block in a row */
        const i64 from = part.from, inner = ROW ? INNER : part.inner, first = part.element, stop = part.stop;
        const i64 chunk = part.chunk, point1 = part.point + part.points;
        const i64 width = ROW ? ROW : r->lanes * inner, pitch = (width + SIDE - 1) / SIDE * SIDE;
        const acc_t none = first < stop ? absent : nothing; /* what lanes hold before the first block */
        const int single = ORDERED && stop - first <= r->block; /* block: its lanes are all that the tree would hold */
        struct weft_rows rows = {0, 0, 0, 0};
        for (i64 point = part.point; point < point1; point++) {
            i64 blocks = 0, block = first;
            for (i64 i = 0; i < pitch; i += PER_VECTOR)
                *(acc_v *)(lanes + i) = SPREAD(none);
            for (; block < stop || !blocks; block += r->block) {
                const i64 limit = stop - block < r->block ? stop : block + r->block;
                i64 element = block;
                if (width > NEAR_LANES && s->columns % r->inner == 0)
                    element = fold_rows(args, lanes, sample, point, from, inner, element, limit);
                for (; element < limit; element = apart ? element + 1 : limit) {
                    i64 at = element * r->inner + from, left = (apart ? 1 : limit - element) * inner;
                    i64 lane = apart ? (element - block) % r->lanes * inner : 0, filled = 0;
                    while (left > 0) { /* a run of elements in a row */
                        const i64 row = at < s->columns ? 0 : at / s->columns, column0 = at - row * s->columns;
                        const i64 run = s->columns - column0 < left ? s->columns - column0 : left;
                        const i64 column1 = column0 + run;
                        const stage_t *const x = row_of(args, sample, &rows, row + point * r->rows) + column0;
                        lane = fold(lanes, width, lane, x, run, ahead, absent);
                        at += run;
                        left -= run;
                    }
                }
                if (!single)
                    plant(tree, lanes, pitch, blocks, absent);
                blocks++;
            }
            tree_t *const all = single ? (tree_t *)lanes : harvest((tree_t *)lanes, tree, pitch, blocks);
            out_t *const to = (out_t *)sample->bases[TARGET] + from;
            if (r->kept == 1)
                join_lanes(all, r->lanes, inner);
            for (i64 j = 0; j < r->kept; j++)
                keep(to + ((point * r->chunks + chunk) * r->kept + j) * r->inner, all + j * inner, inner);
        }
    }
}
