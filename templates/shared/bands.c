/* How a kernel in C goes over its rows: once for many elements, so it is a part of no kernel. One text for the library,
 * which includes it, and for ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: bands
SHARED void start_bands(struct weft_band *band, const struct weft_args *args, long long begin, long long end, char **p,
                        long long *step, long long accesses)
{
    const struct weft_sample *sample = args->samples;
    band->last = sample + args->sample_count - 1;
    for (long long count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const long long half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    band->sample = sample;
    band->tile = begin;
    band->end = end;
    band->p = p;
    band->step = step;
    band->accesses = accesses;
}

SHARED int next_tile(struct weft_band *band)
{
    if (band->tile >= band->end)
        return 0;
    while (band->sample < band->last && band->sample[1].first_tile <= band->tile)
        band->sample++;
    const struct weft_geometry *const s = band->geometry = band->sample->geometry;
    const long long tile = band->tile++ - band->sample->first_tile, inner = s->groups - 1;
    const long long above = s->row_tiles == 1 ? tile : tile / s->row_tiles, row = above * s->tile_rows;
    band->next = row;
    band->stop = row + s->tile_rows < s->rows ? row + s->tile_rows : s->rows;
    band->column0 = (tile - above * s->row_tiles) * s->tile_columns;
    for (long long g = s->groups, rest = row, outer; g-- > 0; rest = outer) {
        outer = rest < s->extents[g] ? 0 : rest / s->extents[g];
        band->at[g] = rest - outer * s->extents[g];
    }
    for (long long k = 0; k < band->accesses; k++)
        band->step[k] = inner < 0 ? 0 : s->strides[k * (s->groups + 2) + inner];
    return 1;
}

/* Of rows that are not all equally long, the last of a group is a band of its own. */
SHARED int next_band(struct weft_band *band)
{
    const struct weft_geometry *const s = band->geometry;
    const long long inner = s->groups - 1, *const extents = s->extents;
    if (band->next >= band->stop)
        return 0;
    for (long long k = 0; k < band->accesses; k++) {
        const long long *const strides = s->strides + k * (s->groups + 2);
        char *p = band->sample->bases[k];
        for (long long g = 0; g <= inner; g++)
            p += band->at[g] * strides[g];
        band->p[k] = p;
    }
    long long columns = s->columns, more = inner < 0 ? 1 : extents[inner] - band->at[inner];
    if (inner >= 0 && s->last_columns && s->last_columns != columns) {
        columns = more == 1 ? s->last_columns : columns;
        more = more > 1 ? more - 1 : 1;
    }
    band->column1 = band->column0 + s->tile_columns < columns ? band->column0 + s->tile_columns : columns;
    band->rows = more < band->stop - band->next ? more : band->stop - band->next;
    band->next += band->rows;
    for (long long g = inner, steps = band->rows; g >= 0 && (band->at[g] += steps) == extents[g]; g--, steps = 1)
        band->at[g] = 0;
    return 1;
}
