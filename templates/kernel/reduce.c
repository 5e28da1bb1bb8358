/* A kernel with reduced dimensions, laid out like kernel.c: the library goes over samples, tiles, points and blocks,
 * and the kernel takes elements that follow one another. What it does with them are sections of join_c.h, or of
 * search_c.h where it looks for the first element that is true. $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$library
$helpers
$blocks
$loops
$joins
$functions
$entry
{
    $literals
    $faults
    $buffers
    $room
    while (args->calls->next_run(args, &run)) { /* elements of a point that lie in a row */
        RUN_VALUES //~
        $skip
        $band
        $row
        $run
    }
    $remarks
    $end
}
