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
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        while (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const struct weft_lanes *const r = s->lanes;
        const i64 groups = s->groups, stride = groups + 2, each = r->elements;
        const i64 point0 = (tile - sample->first_tile) * r->together;
        const i64 point1 = point0 + r->together < r->points ? point0 + r->together : r->points;
        const i64 outer = groups ? s->extents[groups - 1] : 1, fewer = s->last_columns / each;
        const i64 round = (outer - 1) * r->beside + fewer; /* points of the innermost outer group */
        out_t *const to = (out_t *)sample->bases[TARGET];
        $tile
        for (i64 point = point0, more; point < point1; point += more) { /* those of a row */
            const i64 turn = point < round ? 0 : point / round, part = (point - turn * round) / r->beside;
            const i64 first = point - turn * round - part * r->beside, row = turn * outer + part;
            more = (part + 1 < outer ? r->beside : fewer) - first;
            more = point1 - point < more ? point1 - point : more;
            $some
            char *p[ACCESSES];
            i64 number = row, head = 0;
            for (int k = 0; k < ACCESSES; k++)
                p[k] = sample->bases[k];
            for (i64 g = groups, above; g-- > 0; number = above) {
                above = number < s->extents[g] ? 0 : number / s->extents[g];
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += (number - above * s->extents[g]) * s->strides[k * stride + g];
            }
            const i64 column0 = first * each, column1 = column0 + more * each;
            (void)head;
            $points
        }
    }
    $remarks
    $end
}
