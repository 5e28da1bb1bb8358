/* What a reduction in C does with elements and lanes: sections for reduce.c, of which a kernel gets those that it
 * needs, in the order of this file. templates/shared/joins.c has the functions behind `join`. KEPT vectors of lanes
 * stay in registers while whole blocks are computed, whose values need no memory: stores of them beside two operands
 * took a tenth of the time.
 *
 * lanes: what all of them need
 * direct: elements are joined as they lie in memory, which the library does
 * computed: they are computed, a block at a time
 * kept: and lanes stay in registers */

//: lanes room
RUN_ROOM //~
//: direct room
run.direct = 1, run.access = SOURCE, run.accesses = 1; //~
//: direct run
run.lane = join->fold(run.lanes, run.width, run.lane, (const stage_t *)p[0] + column0, run.count, args->ahead);
//: computed room
ALIGNED stage_t stage[STAGE + BLOCK]; //~
i64 filled = 0; /* elements of it that are not joined yet */ //~
//: computed run
$held
for (i64 i = column0, m; i < column1; i += m) {
    m = column1 - i < BLOCK ? column1 - i : BLOCK;
    m = STAGE - filled < m ? STAGE - filled : m; //~
    $operands
    $body
    $results
    $keep
    filled += m; /* elements of `stage`, which wait for more of them */
    if (filled < STAGE && (run.left || i + m < column1))
        continue;
    $give
    run.lane = join->fold(run.lanes, run.width, run.lane, stage, filled, 0);
    $take
    filled = 0;
}
$give
//: kept held
ALIGNED stage_t values[BLOCK]; //~
acc_v kept[KEPT]; /* the lanes */ //~
TAKE_LANES //~
//: kept keep
if (m == BLOCK && !run.lane && !filled) { /* a whole block is joined to lanes in registers */
    for (int k = 0; k < BLOCK / PER_VECTOR; k++)
        kept[k % KEPT] = join_acc_v(kept[k % KEPT], ((const acc_v *)values)[k]);
    continue;
}
for (int k = 0; k < BLOCK / PER_VECTOR; k++)
    ((acc_v *)(stage + filled))[k] = ((const acc_v *)values)[k];
//: kept give
GIVE_LANES //~
//: kept take
TAKE_LANES //~
