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
    struct weft_band band;
    char *start[ACCESSES], *p[ACCESSES];
    i64 step[ACCESSES];
    args->calls->start(&band, args, begin, end, start, step, ACCESSES);
    while (args->calls->next_tile(&band)) {
        const struct weft_sample *const sample = band.sample;
        const struct weft_geometry *const s = sample->geometry;
        const i64 groups = s->groups, stride = groups + 2, column0 = band.column0;
        $tile
        while (args->calls->next_band(&band)) {
            const i64 column1 = band.column1, rows = band.rows;
            $band
            for (i64 row = 0; row < rows; row++) {
                i64 head = 0; /* elements in front of the first whole block */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] = start[k] + row * step[k];
                $row
                for (i64 i = column0, m; i < column1; i += m) {
                    m = head ? head : BLOCK;
                    m = column1 - i < m ? column1 - i : m;
                    head = 0;
                    $operands
                    $body
                    $results
                }
            }
        }
    }
    $remarks
    $end
}
