/* joins what lies in memory */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ALL, ONE_BY_ONE, VECTOR_OF, SIDE_BY_SIDE, VECTORS
#define SPREAD(x) ((x) - (acc_v){0}) /* in all elements of a vector; -0.0 stays */
@ helpers: RUN_ROOM, RUN_VALUES
#define TAKE_LANES ALL(k, KEPT) kept[k] = ((acc_v *)run.lanes)[k];
#define GIVE_LANES ALL(k, KEPT) ((acc_v *)run.lanes)[k] = kept[k];
#undef ROW
@ sizes: ROW 0, INNER = 1, STAGE = 64, MAX_LANES = 64, WIDTH = 65536, SCRATCH = 0, SOURCE = 0, ORDERED = 1, LEVELS = 32,
@   SIDE = 16, HALF = 8
@ helpers: stage_t
#undef TARGET
@ sizes: TARGET 1
@ helpers: acc_t
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const struct weft_join *const join = args->calls->joins[1]; /* sum of float32 */
    RUN_ROOM
    run.direct = 1, run.access = SOURCE, run.accesses = 1;
    while (args->calls->next_run(args, &run)) { /* elements of a point that lie in a row */
        RUN_VALUES
        run.lane = join->fold(run.lanes, run.width, run.lane, (const stage_t *)p[0] + column0, run.count, args->ahead);
    }
}
