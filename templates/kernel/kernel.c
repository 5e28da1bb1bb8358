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
    BAND_ROOM //~
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        BAND_VALUES //~
        $band
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */ //~
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            $row
            for (i64 i = column0, m; i < column1; i += m) {
                $turn
                $operands
                $body
                $results
            }
        }
    }
    $remarks
    $end
}
