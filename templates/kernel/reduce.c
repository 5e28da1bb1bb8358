/* A kernel with reduced dimensions, laid out like kernel.c: it goes over samples, tiles, points and runs of elements
 * that follow one another. What it does there are sections of join_c.h, or of search_c.h where it looks for the first
 * element that is true. $ marks what the emitter fills in, a line each. */
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
    const i64 ahead = args->ahead; //~
    struct weft_part part = {{0, begin, end}, 0, 0, 0, 0, 0, 0, 0}; //~
    while (args->calls->next_part(args, &part)) { /* some points, or a part of one */
        const struct weft_sample *const sample = part.tile.sample; //~
        const struct weft_geometry *const s = sample->geometry; //~
        const struct weft_lanes *const r = s->lanes; //~
        const int apart = !ROW && r->step == 1; /* elements are taken one by one, not all of a block in a row */ //~
        const i64 from = part.from, inner = ROW ? INNER : part.inner, first = part.element, stop = part.stop; //~
        const i64 chunk = part.chunk, point1 = part.point + part.points; //~
        $share
        for (i64 point = part.point; point < point1; point++) {
            i64 blocks = 0, block = first; //~
            $point
            for (; block < stop || !blocks; block += r->block) {
                const i64 limit = stop - block < r->block ? stop : block + r->block; //~
                i64 element = block; //~
                $rows
                for (; element < limit; element = apart ? element + 1 : limit) {
                    i64 at = element * r->inner + from, left = (apart ? 1 : limit - element) * inner;
                    i64 lane = apart ? (element - block) % r->lanes * inner : 0, filled = 0; //~
                    while (left > 0) { /* a run of elements in a row */
                        const i64 row = at < s->columns ? 0 : at / s->columns, column0 = at - row * s->columns; //~
                        const i64 run = s->columns - column0 < left ? s->columns - column0 : left;
                        const i64 column1 = column0 + run;
                        $run
                    }
                }
                $join
                blocks++; //~
            }
            $leave
        }
    }
    $remarks
    $end
}
