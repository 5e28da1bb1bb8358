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
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    const i64 ahead = args->ahead;
    for (i64 tile = begin; tile < end; tile++) {
        while (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const struct weft_lanes *const r = s->lanes;
        const i64 local = tile - sample->first_tile, chunk = local % r->chunks, above = local / r->chunks;
        const i64 window = ROW ? 0 : above % r->windows;
        const int apart = !ROW && r->step == 1; /* elements are taken one by one, not all of a block in a row */
        const i64 point0 = (ROW ? above : above / r->windows) * r->together;
        const i64 point1 = point0 + r->together < r->points ? point0 + r->together : r->points;
        const i64 from = window * r->width, rest = r->inner - from < r->width ? r->inner - from : r->width;
        const i64 inner = ROW ? INNER : rest, first = chunk * r->chunk * r->block;
        const i64 stop = r->elements - first < r->chunk * r->block ? r->elements : first + r->chunk * r->block;
        $share
        for (i64 point = point0; point < point1; point++) {
            i64 blocks = 0, block = first;
            $point
            for (; block < stop || !blocks; block += r->block) {
                const i64 limit = stop - block < r->block ? stop : block + r->block;
                i64 element = block;
                $rows
                for (; element < limit; element = apart ? element + 1 : limit) {
                    i64 at = element * r->inner + from, left = (apart ? 1 : limit - element) * inner;
                    i64 lane = apart ? (element - block) % r->lanes * inner : 0, filled = 0;
                    while (left > 0) { /* a run of elements in a row */
                        const i64 row = at < s->columns ? 0 : at / s->columns, column0 = at - row * s->columns;
                        const i64 run = s->columns - column0 < left ? s->columns - column0 : left;
                        const i64 column1 = column0 + run;
                        $run
                    }
                }
                $join
                blocks++;
            }
            $leave
        }
    }
    $remarks
    $end
}
