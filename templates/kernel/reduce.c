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
        const struct weft_sample *const sample = run.part.tile.sample; //~
        const struct weft_geometry *const s = sample->geometry; //~
        const i64 groups = s->groups, stride = groups + 2, column0 = run.column0, column1 = run.column1; //~
        const int fresh = run.fresh; //~
        i64 head = 0; //~
        (void)head, (void)stride, (void)fresh; //~
        $skip
        $band
        $row
        $run
    }
    $remarks
    $end
}
