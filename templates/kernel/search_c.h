/* How a tile of a search in C finds the first element of a point that is true: sections for the walk of reduce.c. It
 * goes over no elements behind that one, nor do further tiles of the same point that the same thread takes.
 *
 * search: what all searches need
 * scan: elements are compared as they lie in memory, so runs of them are passed over first */

//: search functions
/* The first of `count` elements that is true; `count` if none is. There are BLOCK of them in memory. */
static inline i64 OWN(first_true)(const stage_t *from, i64 count)
{
    u64 any = 0;
    i64 i = 0;
    EACH(j, BLOCK / 8) /* of bytes it would take more steps to join a vector to one element */
        any |= ((const u64_m *)from)[j];
    for (i = any ? 0 : count; i < count && !from[i]; i++)
        ONE_BY_ONE;
    return i;
}
//: search room
ALIGNED stage_t stage[BLOCK]; //~
char *start[ACCESSES], *p[ACCESSES]; //~
i64 step[ACCESSES]; //~
struct weft_run run = {.part.tile = {0, begin, end}, .target = TARGET, .accesses = ACCESSES, .absent = absent, //~
                       .start = start, .p = p, .step = step}; //~
//: search skip
const struct weft_lanes *const r = s->lanes; //~
(void)r; //~
if (PASSED_OVER) {
    run.found = -2;
    continue;
}
//: scan functions
/* How many elements stand before the first one that is equal, in whole runs of four blocks. None if NaN is looked
 * for. */
SEPARATE static i64 OWN(pass_over)(const sought_t *x, sought_t sought, i64 count, i64 ahead)
{
    i64 i = 0;
    for (; sought == sought && i + 4 * BLOCK <= count; i += 4 * BLOCK) {
        sought_bits any = 0;
        for (int k = 0; k < 4; k++)
            fetch(x + i + k * BLOCK, ahead, sizeof *x);
        ALL(k, 4 * BLOCK)
            any |= x[i + k] == sought;
        if (any)
            break;
    }
    return i;
}
//: scan run
const sought_t *const x = (const sought_t *)p[SCANNED] + column0;
const i64 passed = run.count < 4 * BLOCK ? 0 : pass_over(x, SOUGHT, run.count, args->ahead);
//: each run
const i64 passed = 0;
//: search run
for (i64 i = column0 + passed, m; i < column1; i += m) {
    m = column1 - i < BLOCK ? column1 - i : BLOCK;
    $operands
    $body
    $results
    const i64 j = first_true(stage, m);
    if (j == m)
        continue;
    run.found = run.at - column1 + i + j;
    break;
}
