/* A kernel that reduces short rows, many of which lie in a row of the loop, laid out like kernel.c: it computes some of
 * them as it would any row, and then joins them side by side. How it does so are sections of short_c.h. */
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
    char *start[ACCESSES], *p[ACCESSES]; /* the C compiler need not read p again */ //~
    i64 step[ACCESSES]; //~
    struct weft_part part = {{0, begin, end}, 0, 0, 0, 0, 0, 0, 0}; //~
    while (args->calls->next_part(args, &part)) { /* some points */
        const struct weft_sample *const sample = part.tile.sample; //~
        const struct weft_geometry *const s = sample->geometry; //~
        const i64 groups = s->groups, stride = groups + 2, each = s->lanes->elements; //~
        out_t *const to = (out_t *)sample->bases[TARGET];
        const int fresh = 1; //~
        $band
        for (i64 point = part.point, left = part.points, more; left; point += more, left -= more) {
            $some
            i64 column0, head = 0; //~
            more = args->calls->find_points(sample, point, most, start, step, ACCESSES, &column0);
            const i64 column1 = column0 + more * each; //~
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k];
            (void)head; //~
            $points
        }
    }
    $remarks
    $end
}
