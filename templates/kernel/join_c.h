/* What a tile of a reduction in C does with elements and lanes: sections for the walk of reduce.c, of which a kernel gets
 * those that it needs, in the order of this file. templates/shared/joins.c has the functions behind `join`. KEPT
 * vectors of lanes stay in registers while whole blocks are computed, whose values need no memory: stores of them
 * beside two operands took a tenth of the time. Of a loop over 16 lanes that also fetches ahead, gcc made 16 additions
 * of one element each with AVX-512.
 *
 * lanes: what all of them need
 * direct, direct_columns: elements are joined as they lie in memory
 * computed: they are computed, a block at a time */

//: lanes room
ALIGNED acc_t fixed_lanes[ROW + 1]; //~
ALIGNED tree_t fixed_tree[ROW * LEVELS + 1]; //~
acc_t *const lanes = ROW ? fixed_lanes : (acc_t *)(args->scratch + SCRATCH); //~
tree_t *const tree = ROW ? fixed_tree : (tree_t *)(args->scratch + SCRATCH + WIDTH * sizeof(acc_t)); //~
//: lanes share
const i64 width = ROW ? ROW : r->lanes * inner, pitch = (width + SIDE - 1) / SIDE * SIDE; //~
const int single = ORDERED && stop - first <= r->block; /* block: its lanes are all that the tree would hold */ //~
//: lanes point
join->begin(lanes, pitch, first < stop);
//: lanes join
if (!single)
    join->plant(tree, lanes, pitch, blocks);
//: lanes leave
join->finish((out_t *)sample->bases[TARGET] + from, lanes, tree, r, inner, pitch, single ? 0 : blocks,
             point * r->chunks + chunk);
//: direct share
struct weft_rows rows = {0, 0, 0, 0}; //~
//: direct run
const stage_t *const x = (const stage_t *)args->calls->row_at(sample, &rows, SOURCE, row + point * r->rows) + column0;
lane = join->fold(lanes, width, lane, x, run, ahead);
at += run; //~
left -= run; //~
//: direct_columns rows
if (width > NEAR_LANES && s->columns % r->inner == 0)
    element = join->fold_rows(args, lanes, sample, SOURCE, point, from, inner, element, limit);
//: elements room
ALIGNED stage_t stage[STAGE + BLOCK]; //~
//: elements share
const i64 groups = s->groups, stride = groups + 2; //~
char *start[ACCESSES], *p[ACCESSES]; //~
i64 step[ACCESSES], first_row = 0, rows = 0; /* what start and step are of */ //~
const int fresh = 1; //~
$band
//: elements run
i64 head = 0; //~
const i64 number = row + point * r->rows; //~
if ((u64)(number - first_row) >= (u64)rows) //~
    rows = args->calls->find_rows(sample, first_row = number, start, step, 0, ACCESSES); //~
for (int k = 0; k < ACCESSES; k++) //~
    p[k] = start[k] + (number - first_row) * step[k]; //~
(void)head; //~
at += run; //~
left -= run; //~
$row
//: computed run
$held
for (i64 i = column0, m; i < column1; i += m) {
    m = column1 - i < BLOCK ? column1 - i : BLOCK;
    m = STAGE - filled < m ? STAGE - filled : m; //~
    $operands
    $body
    $results
    $keep
    filled += m;
    if (filled < STAGE && (left || i + m < column1))
        continue;
    $give
    lane = join->fold(lanes, width, lane, stage, filled, 0);
    filled = 0;
    $take
}
$give
//: kept held
ALIGNED stage_t values[BLOCK]; //~
acc_v kept[KEPT]; /* the lanes */ //~
ALL(k, KEPT) //~
    kept[k] = ((acc_v *)lanes)[k]; //~
//: kept keep
if (m == BLOCK && !lane && !filled) {
    for (int k = 0; k < BLOCK / PER_VECTOR; k++)
        kept[k % KEPT] = join_acc_v(kept[k % KEPT], ((const acc_v *)values)[k]);
    continue;
}
for (int k = 0; k < BLOCK / PER_VECTOR; k++)
    ((acc_v *)(stage + filled))[k] = ((const acc_v *)values)[k];
//: kept give
ALL(k, KEPT) //~
    ((acc_v *)lanes)[k] = kept[k]; //~
//: kept take
ALL(k, KEPT) //~
    kept[k] = ((acc_v *)lanes)[k]; //~
