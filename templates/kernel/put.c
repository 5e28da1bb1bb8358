/* A kernel that puts elements to places, which others have stored, laid out like kernel.c: `inner` elements for each of
 * `count` places, in this order. Its tiles are parts of what they are put to; those that follow one another are one
 * part, for which all places are gone over once. $ marks what the emitter fills in, a line each. */
$comment
$types
$sizes
$args
$helpers
$blocks
$entry
{
    $literals
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 tile = begin; tile < end; tile++) {
        while (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 from = (tile - sample->first_tile) * s->tile_columns;
        i64 to = from + s->tile_columns;
        while (tile + 1 < end && (sample == last || sample[1].first_tile > tile + 1))
            tile++, to += s->tile_columns;
        to = to < s->columns ? to : s->columns;
        $row
        for (i64 n = n0; inner == 1 && n < count; n++) {
            const i64 e = n;
            (void)e;
            $operands
            if (k >= from && k < to) {
                $body
            }
        }
        for (i64 n = 0; inner > 1 && n < count; n++) {
            const i64 first = (i64)places[n] * inner, k0 = first < from ? from : first;
            const i64 k1 = places[n] < 0 ? from : first + inner < to ? first + inner : to;
            INDEPENDENT
            for (i64 k = k0; k < k1; k++) {
                const i64 e = n * inner + k - first;
                (void)e;
                $body
            }
        }
    }
}
