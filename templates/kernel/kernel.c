/* $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$library
$helpers
$blocks
$entry
{
    $literals
    $faults
    $buffers
    char *room[ACCESSES], *p[ACCESSES]; //~
    i64 steps[ACCESSES], at[64]; //~
    struct weft_band band = {{0, begin, end}, ACCESSES, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0}; //~
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        const struct weft_sample *const sample = band.tile.sample; //~
        const struct weft_geometry *const s = sample->geometry; //~
        const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step; //~
        const i64 column0 = band.column0, column1 = band.column1; //~
        char *const *const start = band.start; //~
        const int fresh = band.fresh; //~
        $band
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */ //~
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            $row
            for (i64 i = column0, m; i < column1; i += m) {
                $turn
                m = column1 - i < m ? column1 - i : m; /* the last ones are computed as a block, and stored alone */
                head = 0; //~
                $operands
                $body
                $results
            }
        }
    }
    $remarks
    $end
}
