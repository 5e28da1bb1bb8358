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
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        if (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = (s->row_tiles == 1 ? local : local / s->row_tiles) * s->tile_rows;
        const i64 column0 = s->row_tiles == 1 ? 0 : local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[64], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = sample->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        $tile
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            $ends
            $row
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                $operands
                $body
                $results
            }
            for (i64 g = groups; g-- > 0;) { /* the next row */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += s->strides[k * stride + g];
                if (++at[g] < s->extents[g])
                    break;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] -= s->extents[g] * s->strides[k * stride + g];
                at[g] = 0;
            }
        }
    }
    $remarks
    $end
}
