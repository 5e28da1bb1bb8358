/* How a kernel in C goes over its rows: once for many elements, so it is a part of no kernel. One text for the library,
 * which includes it, and for ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: bands
#if defined __GNUC__ && !defined __TINYC__ && !defined SEPARATE
#define SEPARATE __attribute__((noinline)) /* what few bands need: a call for the others saves fewer registers */
#elif !defined SEPARATE
#define SEPARATE
#endif
/* The sample of the first tile. */
SEPARATE SHARED const struct weft_sample *find_sample(const struct weft_args *args, long long tile)
{
    const struct weft_sample *sample = args->samples;
    for (long long count = args->sample_count; count > 1;) {
        const long long half = count / 2;
        if (sample[half].first_tile <= tile)
            sample += half, count -= half;
        else
            count = half;
    }
    return sample;
}

/* The number of the next tile in its sample, or -1. */
SHARED long long step_tile(const struct weft_args *args, struct weft_tile *tile)
{
    if (tile->next >= tile->end)
        return -1;
    if (!tile->sample)
        tile->sample = args->sample_count > 1 ? find_sample(args, tile->next) : args->samples;
    const struct weft_sample *const last = args->samples + args->sample_count - 1;
    while (tile->sample < last && tile->sample[1].first_tile <= tile->next)
        tile->sample++;
    return tile->next++ - tile->sample->first_tile;
}

/* Quotients of small numbers are often 0. */
SHARED long long divided(long long number, long long by, long long *rest)
{
    const long long quotient = number < by ? 0 : number / by;
    *rest = number - quotient * by;
    return quotient;
}

SHARED int next_tile(const struct weft_args *args, struct weft_band *band)
{
    for (long long tile; (tile = step_tile(args, &band->tile)) >= 0;) {
        const struct weft_geometry *const s = band->tile.sample->geometry;
        long long beside;
        const long long row = divided(tile, s->row_tiles, &beside) * s->tile_rows,
                        first = row > s->before ? row - s->before : 0, stop = row + s->tile_rows + s->beyond;
        if (first >= s->rows || first >= stop)
            continue;
        band->next = first;
        band->stop = stop < s->rows ? stop : s->rows;
        band->column0 = beside * s->tile_columns;
        for (long long g = s->groups, rest = first; g-- > 0;)
            rest = divided(rest, s->extents[g], &band->at[g]);
        return 1;
    }
    return 0;
}

/* How many of the tiles that follow the band's have the same rows, where these are one band. */
SEPARATE SHARED long long tiles_beside(const struct weft_band *band, const struct weft_geometry *s)
{
    if (!band->fresh || band->next != band->stop || s->last_columns != s->columns)
        return 0;
    const long long beside = (s->columns - band->column0 - 1) / s->tile_columns;
    const long long left = band->tile.end - band->tile.next;
    return beside < left ? beside : left;
}

/* Where rows of outer groups begin. Returns how many lie beside each other; of rows that are not all equally long, the
 * last of a group is a band of its own. */
SEPARATE SHARED long long find_groups(struct weft_band *band, const struct weft_geometry *s)
{
    const long long inner = s->groups - 1, *const extents = s->extents;
    for (int k = 0; k < band->banding->accesses; k++) {
        const long long *const strides = s->strides + k * (s->groups + 2);
        char *p = band->tile.sample->bases[k];
        for (long long g = 0; g <= inner; g++)
            p += band->at[g] * strides[g];
        band->room[k] = p;
        band->steps[k] = strides[inner];
    }
    band->start = band->room;
    band->step = band->steps;
    const long long more = extents[inner] - band->at[inner];
    const int uneven = s->last_columns && s->last_columns != s->columns;
    const long long rows = uneven && more > 1 ? more - 1 : more, left = band->stop - band->next;
    if (uneven && more == 1)
        band->column1 = s->last_columns;
    for (long long g = inner, steps = rows < left ? rows : left; g >= 0 && (band->at[g] += steps) == extents[g];
         g--, steps = 1)
        band->at[g] = 0;
    return rows < left ? rows : left;
}

SHARED int find_band(const struct weft_args *args, struct weft_band *band)
{
    band->fresh = band->next >= band->stop;
    if (band->fresh && !next_tile(args, band))
        return 0;
    const struct weft_geometry *const s = band->tile.sample->geometry;
    band->start = band->tile.sample->bases;
    band->step = s->strides;
    band->column1 = s->columns;
    band->rows = s->groups ? find_groups(band, s) : 1;
    if (band->column0 + s->tile_columns < band->column1)
        band->column1 = band->column0 + s->tile_columns;
    band->next += band->rows;
    band->beside = s->row_tiles > 1 ? tiles_beside(band, s) : 0;
    return 1;
}

SHARED void fetch_end(const char *to, long long count, int size, int block)
{
    const long long head = -(unsigned long long)to % 64 / (unsigned)size % (unsigned)block;
    for (long long rest = count < block ? 0 : (count - head) % block * size; rest > 0; rest -= 64)
#if defined __GNUC__ && !defined __TINYC__
        __builtin_prefetch(to + count * size - rest, 1);
#else
        ;
#endif
}

/* Brings what is not whole blocks at the ends of rows of which others go past the caches: plain stores to it hold up
 * those behind them. */
SHARED void fetch_ends(const struct weft_band *band, const char *to, long long step)
{
    enum { SOME = 256 };           /* rows: what a near cache has room for */
    for (long long row = 0; row < band->rows && row < SOME; row++)
        fetch_end(to + row * step, band->column1 - band->column0, band->banding->size, band->banding->block);
}

/* Whether rows begin with a short block: a vector across two cache lines takes as long as two, and goes past no cache.
 * NumPy's arrays often begin at a quarter of a line, all of them. */
SHARED int has_head(const struct weft_args *args, const struct weft_band *band)
{
    enum { LONG_BYTES = 4096 };    /* of a row */
    const struct weft_banding *const banding = band->banding;
    const long long columns = band->column1 - band->column0;
    return args->stream ? banding->size && columns >= banding->block
                        : banding->light && columns * banding->size >= LONG_BYTES;
}

/* How far a row begins from a cache line comes again after 64 rows. */
SEPARATE SHARED void begin_rows(const struct weft_args *args, struct weft_band *band)
{
    const struct weft_banding *const banding = band->banding;
    if (!has_head(args, band)) {
        if (band->headed)
            memset(band->head, 0, sizeof band->head);
        band->headed = 0;
        return;
    }
    const long long step = band->step[banding->access];
    const char *const to = band->start[banding->access] + band->column0 * banding->size;
    const int count = band->rows > 1 && step % 64 ? (int)sizeof band->head : 1;
    if (args->stream && banding->ends)
        fetch_ends(band, to, step);
    for (int k = 0; k < count; k++)
        band->head[k] = (unsigned char)((-(unsigned long long)(to + k * step) % 64) >> banding->shift);
    if (count == 1 && band->rows > 1)
        memset(band->head + 1, band->head[0], sizeof band->head - 1);
    band->headed = 1;
}

/* Goes on to further columns of the same rows. */
SEPARATE SHARED void move_band(struct weft_band *band)
{
    const struct weft_geometry *const s = band->tile.sample->geometry;
    band->beside--;
    band->tile.next++;
    band->column0 += s->tile_columns;
    band->column1 = band->column0 + s->tile_columns < s->columns ? band->column0 + s->tile_columns : s->columns;
}

SHARED int next_band(const struct weft_args *args, struct weft_band *band)
{
    if (band->beside)
        move_band(band);
    else if (!find_band(args, band))
        return 0;
    if (band->headed || has_head(args, band))
        begin_rows(args, band);
    band->more = band->beside || band->next < band->stop || band->tile.next < band->tile.end;
    return 1;
}

/* Gathers `count` elements of one size. */
#define GATHER(name, T) \
SHARED void name(void *to, const char *from, long long step, long long count) \
{ \
    for (long long j = 0; j < count; j++) \
        memcpy((T *)to + j, from + j * step, sizeof(T)); \
}
GATHER(gather_1, unsigned char)
GATHER(gather_2, unsigned short)
GATHER(gather_4, unsigned)
GATHER(gather_8, unsigned long long)
#undef GATHER

/* A pattern comes again after so many elements: in one long row on a cache line, as far as there is room. A vector
 * across two lines takes as long as two. */
SHARED long long pattern_span(const struct weft_geometry *s)
{
    enum { LINE = 16, ROOM = 1088, LONG = 64 };
    long long span = s->period;
    while (s->rows == 1 && span % LINE && 2 * span <= ROOM && LONG * span <= s->columns)
        span *= 2;
    return span;
}

/* A pattern that was just written, element by element, is read by vectors only once all that is written before is on
 * its way, past the caches, too. So of groups of up to SHORT_PERIOD elements several have room. */
SHARED const void *repeated(void *room, struct weft_patterns *kept, const struct weft_geometry *s, const char *from,
                            long long step, int size, int block, long long column)
{
    enum { SHORT_PERIOD = 8, KEPT = sizeof kept->kept / sizeof *kept->kept };
    const long long period = s->period;
    if (kept->of != s) {
        const long long span = pattern_span(s);
        const long long shift = s->rows == 1 ? -(unsigned long long)(column % span * size) % 64 : 0;
        *kept = (struct weft_patterns){{0}, s, 0, span, block % span, shift};
    }
    long long k = kept->turn;
    if (kept->kept[k] && kept->kept[k] != from && period <= SHORT_PERIOD) { /* the first one is in front */
        k = (k + 1) % KEPT;
        for (int j = 0; kept->kept[k] != from && j < KEPT; j++)
            k = kept->kept[j] == from ? j : k;
    }
    char *const pattern = (char *)room + kept->shift + k * (block + SHORT_PERIOD) * size;
    kept->turn = k;
    if (kept->kept[k] == from)
        return pattern;
    kept->kept[k] = from;
    switch (size) {
    case 1: gather_1(pattern, from, step, period); break;
    case 2: gather_2(pattern, from, step, period); break;
    case 4: gather_4(pattern, from, step, period); break;
    default: gather_8(pattern, from, step, period);
    }
    for (long long done = period, all = kept->span + block, more; done < all; done += more) {
        more = done < all - done ? done : all - done;
        memcpy(pattern + done * size, pattern, (size_t)(more * size));
    }
    return pattern;
}

SHARED long long find_rows(const struct weft_sample *sample, long long row, char **p, long long *step, long long access,
                           long long accesses)
{
    const struct weft_geometry *const s = sample->geometry;
    const long long inner = s->groups - 1;
    long long rows = 1;
    for (long long k = 0; k < accesses; k++) {
        p[k] = sample->bases[access + k];
        step[k] = inner < 0 ? 0 : s->strides[(access + k) * (s->groups + 2) + inner];
    }
    for (long long g = inner, at; g >= 0; g--) {
        row = divided(row, s->extents[g], &at);
        rows = g == inner ? s->extents[g] - at : rows;
        for (long long k = 0; k < accesses && at; k++)
            p[k] += at * s->strides[(access + k) * (s->groups + 2) + g];
    }
    return rows;
}

SHARED const void *row_at(const struct weft_sample *sample, struct weft_rows *rows, long long access, long long number)
{
    if (number - rows->first < 0 || number - rows->first >= rows->count) {
        rows->first = number;
        rows->count = find_rows(sample, number, &rows->start, &rows->step, access, 1);
    }
    return rows->start + (number - rows->first) * rows->step;
}

/* How many further tiles of the sample the call has, behind the one that was given last. */
SHARED long long tiles_follow(const struct weft_args *args, const struct weft_tile *tile)
{
    const int last = tile->sample == args->samples + args->sample_count - 1;
    const long long end = last || tile->sample[1].first_tile > tile->end ? tile->end : tile->sample[1].first_tile;
    return end - tile->next;
}

SHARED int next_part(const struct weft_args *args, struct weft_part *part)
{
    const long long tile = step_tile(args, &part->tile);
    if (tile < 0)
        return 0;
    const struct weft_lanes *const r = part->tile.sample->geometry->lanes;
    long long window;
    long long above;
    if (r->across)
        part->chunk = divided(divided(tile, (r->points - 1) / r->together + 1, &above), r->windows, &window);
    else
        above = divided(divided(tile, r->chunks, &part->chunk), r->windows, &window);
    const long long most = r->chunk * r->block;
    const long long follow = r->windows * r->chunks > 1 ? 0 : tiles_follow(args, &part->tile);
    const long long together = (1 + follow) * r->together;
    part->tile.next += follow;
    part->point = above * r->together;
    part->points = r->points - part->point < together ? r->points - part->point : together;
    part->from = window * r->width;
    part->inner = r->inner - part->from < r->width ? r->inner - part->from : r->width;
    part->element = part->chunk * most;
    part->stop = r->elements - part->element < most ? r->elements : part->element + most;
    return 1;
}

/* Joins all points of the part where each is a row, or some of one, which is joined as it lies in memory. Then none is
 * left. */
SHARED void take_points(const struct weft_args *args, struct weft_run *run)
{
    struct weft_part *const part = &run->part;
    const struct weft_sample *const sample = part->tile.sample;
    const struct weft_geometry *const s = sample->geometry;
    const struct weft_lanes *const r = s->lanes;
    const long long elements = part->stop - part->element, end = part->point + part->points;
    if (!run->join->points || r->inner > 1 || s->columns != r->elements || elements <= 0 ||
        (elements < r->elements && !run->join->ordered))
        return;
    const long long first = part->element * s->strides[run->access * (s->groups + 2) + s->groups];
    for (long long count; part->point < end; part->point += count) {
        count = find_rows(sample, part->point, run->start, run->step, run->access, 1);
        count = r->chunks > 1 ? 1 : count < end - part->point ? count : end - part->point;
        const long long place = part->point * r->chunks + part->chunk;
        run->join->points(sample->bases[run->target] + place * r->kept * run->join->size, run->start[0] + first,
                          run->step[0], elements, r->block, count, r->kept, args->ahead);
    }
    part->points = 0;
}

/* Goes to the run's next point, and makes its lanes ready. */
SHARED int next_point(const struct weft_args *args, struct weft_run *run)
{
    for (run->point++; run->point >= run->part.point + run->part.points; run->point = run->part.point) {
        if (!next_part(args, &run->part))
            return 0;
        run->rows = 0;
        run->fresh = 1;
        if (run->direct)
            take_points(args, run);
    }
    const struct weft_sample *const sample = run->part.tile.sample;
    const long long side = run->join && run->join->ordered ? 16 : 64; /* a multiple of SIDE in joins.c */
    run->block = run->part.element;
    run->blocks = 0;
    run->width = sample->geometry->lanes->lanes * run->part.inner;
    run->pitch = (run->width + side - 1) / side * side;
    run->found = run->met == sample && run->met_point == run->point ? -2 : -1;
    if (run->join)
        run->join->begin(run->lanes, run->pitch, run->part.element < run->part.stop);
    return 1;
}

/* Stores what is left of the point. `single`: its only block is still in the lanes. */
SHARED void leave_point(struct weft_run *run, int single)
{
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_lanes *const r = sample->geometry->lanes;
    const long long place = run->point * r->chunks + run->part.chunk;
    char *const to = sample->bases[run->target];
    if (run->join) {
        run->join->finish(to + run->part.from * run->join->size, run->lanes, run->tree, r, run->part.inner, run->pitch,
                          single ? 0 : run->blocks, place);
        return;
    }
    ((long long *)to)[place] = run->found < 0 ? run->absent : run->found;
    if (run->found >= 0) {
        run->met = sample;
        run->met_point = run->point;
    }
}

/* Joins the block to those before it. Returns whether the point has another one. */
SHARED int end_block(struct weft_run *run)
{
    const struct weft_lanes *const r = run->part.tile.sample->geometry->lanes;
    const int single = run->join && run->join->ordered && run->part.stop - run->part.element <= r->block;
    if (run->join && !single)
        run->join->plant(run->tree, run->lanes, run->pitch, run->blocks);
    run->blocks++;
    run->block += r->block;
    if (run->block < run->part.stop && run->found == -1)
        return 1;
    leave_point(run, single);
    return 0;
}

SHARED void begin_block(const struct weft_args *args, struct weft_run *run)
{
    enum { NEAR_LANES = 4096 };    /* so many are in the nearest cache beside what is read */
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_lanes *const r = sample->geometry->lanes;
    run->element = run->block;
    run->limit = run->part.stop - run->block < r->block ? run->part.stop : run->block + r->block;
    if (run->direct && run->join->fold_rows && run->width > NEAR_LANES && sample->geometry->columns % r->inner == 0)
        run->element = run->join->fold_rows(args, run->lanes, sample, run->access, run->point, run->part.from,
                                            run->part.inner, run->element, run->limit);
}

/* Goes to the next elements that are taken together: all of a block, or one with its inner ones. */
SHARED int next_elements(const struct weft_args *args, struct weft_run *run)
{
    while (run->found != -1 || run->element >= run->limit) {
        if ((!run->part.points || !end_block(run)) && !next_point(args, run))
            return 0;
        begin_block(args, run);
    }
    const struct weft_lanes *const r = run->part.tile.sample->geometry->lanes;
    const long long inner = run->part.inner, next = r->step == 1 ? run->element + 1 : run->limit;
    run->at = run->element * r->inner + run->part.from;
    run->left = (next - run->element) * inner;
    run->lane = r->step == 1 ? (run->element - run->block) % r->lanes * inner : 0;
    run->element = next;
    return 1;
}

SHARED int next_run(const struct weft_args *args, struct weft_run *run)
{
    run->fresh = 0;
    if ((run->found != -1 || run->left <= 0) && !next_elements(args, run))
        return 0;
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_geometry *const s = sample->geometry;
    const long long row = divided(run->at, s->columns, &run->column0) + run->point * s->lanes->rows;
    run->count = s->columns - run->column0 < run->left ? s->columns - run->column0 : run->left;
    run->column1 = run->column0 + run->count;
    run->at += run->count;
    run->left -= run->count;
    if (row - run->first_row < 0 || row - run->first_row >= run->rows) {
        run->first_row = row;
        run->rows = find_rows(sample, row, run->start, run->step, run->access, run->accesses);
    }
    for (long long k = 0; k < run->accesses; k++)
        run->p[k] = run->start[k] + (row - run->first_row) * run->step[k];
    return 1;
}

SHARED long long find_points(const struct weft_sample *sample, long long point, long long most, char **p,
                             long long *step, long long accesses, long long *column)
{
    const struct weft_geometry *const s = sample->geometry;
    const struct weft_lanes *const r = s->lanes;
    const long long outer = s->groups ? s->extents[s->groups - 1] : 1, fewer = s->last_columns / r->elements;
    long long inside, first;
    const long long turn = divided(point, (outer - 1) * r->beside + fewer, &inside);
    const long long row = divided(inside, r->beside, &first), count = (row + 1 < outer ? r->beside : fewer) - first;
    find_rows(sample, turn * outer + row, p, step, 0, accesses);
    *column = first * r->elements;
    return count < most ? count : most;
}
