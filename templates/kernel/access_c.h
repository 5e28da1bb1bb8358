/* How loads and stores of each kind of access (compiler/loop/geometry.h) are emitted for C. A line says to which part
 * of templates/kernel/kernel.c it goes, then what: $ is the access's number, T its type in memory, VALUE in
 * registers, LOAD(x) the value of the stored x, NAME what it reads or writes, N(gather) a helper; w_@ is the block
 * of the first of the accesses that are deinterleaved or joined together, CHOICE which of those gives element c; of
 * a load that is turned or interleaved @ is the store. `block: w_$` declares that block; `head: vector` wants that
 * part of the prelude; what is marked `called` is emitted where a function of whole blocks reads the load, `copied`
 * where the kernel only stores what it turns or interleaves, `whole` where ends of rows are read as whole blocks,
 * `masked` where a loop of their own computes them (`unmasked` where none does), and `padded` elsewhere, `lone` where
 * no other load is read in blocks, `runs` where a turn of the loop computes all whole blocks and `single` where it is
 * one, `joining` where it reduces and `swept` elsewhere, `laned` where lanes are joined as elements are computed and
 * `unlaned` elsewhere, `once` for the first access alone, `32nd` for every 32nd access. `headed` names the store whose
 * rows may begin with a short block. A line that begins with + goes on with the one before; `sliding`: where rows slide
 * (compiler/loop/slide.h), `steady` where they do not. At the end is what goes over bands and rows. */

//: load scalar
row: const VALUE a_$ = LOAD(*(const T *)p[$]); /* NAME */
called block: x_$
called row: N(fill)(x_$, a_$);
//: load unit
head: rows
unmasked block: w_$
operands: const T *x_$ = (const T *)p[$] + i; /* NAME */
padded operands: PAD_BLOCK(x_$, w_$, m < BLOCK, 0) //~
whole operands: PAD_BLOCK(x_$, w_$, !long_row, 0) //~
single swept lone operands: fetch(x_$, args->ahead, sizeof *x_$); //~
runs lone step: fetch(x_$, args->ahead, sizeof *x_$); //~
joining lone step: fetch(x_$, args->ahead, sizeof *x_$); //~
runs along: x_$ += BLOCK
//: load wide
head: rows
unmasked block: w_$
operands: const T *x_$ = (const T *)p[$] + i; /* NAME, of which others are read from here, too */
padded operands: PAD_BLOCK(x_$, w_$, m < BLOCK, CHOICE) //~
whole operands: PAD_BLOCK(x_$, w_$, !long_row, CHOICE) //~
single swept lone operands: fetch(x_$, args->ahead, sizeof *x_$); //~
runs lone step: fetch(x_$, args->ahead, sizeof *x_$); //~
joining lone step: fetch(x_$, args->ahead, sizeof *x_$); //~
runs along: x_$ += BLOCK
//: load near
body: const T *const x_$ = x_@ + CHOICE; /* NAME */
//: load tiled
head: rows
block: w_$
band: const i64 next_$ = !args->ahead ? 0 : column1 < s->columns ? (column1 - column0) * (i64)sizeof(T)
+ : s->tile_rows * step[$] - column0 * (i64)sizeof(T); /* to the next tile */ //~
operands: const T *x_$ = (const T *)p[$] + i; /* NAME */
operands: if (RARE(m < BLOCK)) //~
operands:     x_$ = args->calls->pad(w_$, x_$, m, sizeof(T), BLOCK); //~
operands: else //~
operands:     fetch(x_$, next_$, sizeof *x_$); //~
//: load run
operands: const T *const x_$ = (const T *)p[$] + i; /* NAME */
//: load strided
block: w_$
operands: const T *const x_$ = N(gather)(w_$, p[$] + i * s->strides[$ * stride + groups],
+ s->strides[$ * stride + groups], m); /* NAME */
head: vector
operands: FETCH_BELOW($) //~
//: load deinterleaved
head: shuffles
block: w_$
head: vector
row: i64 from_$ = 0, turn_$ = 0; /* the columns in w_$ */
operands: if (i + m > turn_$) {
operands:     from_$ = i, turn_$ = column1 - i < DEINTERLEAVED ? column1 : i + DEINTERLEAVED;
operands:     N(take_parts)(w_$, DEINTERLEAVED + BLOCK, p[$] - s->strides[$ * stride + groups + 1]
+ + i * s->strides[$ * stride + groups], s->strides[$ * stride + groups], turn_$ - i); /* NAME */
operands:     fetch_row(args, s, p[$], s->strides + $ * stride, 1, column0, column1, i, turn_$ - i); //~
operands: }
operands: const T *const x_$ = w_$ + s->strides[$ * stride + groups + 1] / (i64)sizeof(T) * (DEINTERLEAVED + BLOCK)
+ + i - from_$;
//: load beside
operands: const T *const x_$ = w_@ + s->strides[$ * stride + groups + 1] / (i64)sizeof(T) * (DEINTERLEAVED + BLOCK)
+ + i - from_@; /* NAME */
//: load periodic
laned row: const T *const row_$ = (const T *)p[$]; /* NAME, the same for each row */
laned row: ALIGNED T tail_$[ROW] = {0}; /* of which this is the last turn */
laned row: for (int j = 0; j < rest; j++) //~
laned row:     tail_$[j] = row_$[each - rest + j]; //~
laned operands: const T *x_$ = row_$ + (i - last + each);
laned ends: x_$ = tail_$;
unlaned block: w_$
unlaned buffers: struct weft_patterns kept_$ = {{0}, 0, 0, 0, 0, 0}; /* what w_$ has */ //~
swept row: const T *const repeats_$ = (const T *)args->calls->repeated(w_$, &kept_$, s, p[$],
+ s->strides[$ * stride + groups], sizeof(T), BLOCK, column0 + band.head[row & 63]); /* NAME */
joining unlaned row: const T *const repeats_$ = (const T *)args->calls->repeated(w_$, &kept_$, s, p[$],
+ s->strides[$ * stride + groups], sizeof(T), BLOCK, column0); /* NAME */
unlaned once row: const i64 span = kept_$.span, advance = kept_$.advance;
unlaned once row: i64 phase = column0 % span;
unlaned once operands: const i64 pace = m < BLOCK ? m % span : advance;
unlaned body: const T *const x_$ = repeats_$ + phase;
unlaned once step: phase += phase + pace < span ? pace : pace - span;
//: load nested
block: w_$
operands: const T *const x_$ = N(nested)(w_$, p[$], s->strides[$ * stride + groups],
+ s->strides[$ * stride + groups + 1], s->period, i, m); /* NAME */
//: load column
unlaned head: shuffles
unlaned block: w_$
unlaned buffers: struct column_order order_$; //~
unlaned buffers: order_$.period = 0; //~
unlaned row: struct column_place column_$ = N(column_at)(&order_$, p[$], s->period, s->columns, column0); //~
unlaned operands: N(go_to_column)(&column_$, i); //~
unlaned body: const T *const x_$ = N(column)(w_$, &order_$, &column_$); /* NAME */
laned row: const T *const column_$ = (const T *)p[$] + column0 / each; /* NAME, one for each row */
laned operands: ALIGNED T x_$[ROW];
laned operands: EACH(j, ROW)
laned operands:     x_$[j] = column_$[row];
//: load expanded
block: w_$
buffers: const char *from_$ = 0; /* where the row in w_$ begins */ //~
buffers: i64 turn_$ = 0; /* and its columns */ //~
band: if (fresh) //~
band:     from_$ = 0; //~
row: if (p[$] != from_$ || turn_$ < column1)
row:     N(expand)(w_$, from_$ = p[$], s->offsets[$], s->strides[$ * stride + groups],
+ s->strides[$ * stride + groups + 1], s->distinct[$], turn_$ = column1); /* NAME */
single operands: const T *const x_$ = w_$ + i;
runs operands: const T *x_$ = w_$ + i; //~
runs along: x_$ += BLOCK
//: load transposed
head: shuffles
block: w_$
copied band: const int laid_$ = N(lay)(args, start[@], step[@], start[$], s->strides[$ * stride + groups],
+ rows, column0, column1, s->columns, TRANSPOSED); /* in the result */
copied band: if (laid_$)
copied band:     continue;
band: N(turn)(w_$, start[$] + column0 * s->strides[$ * stride + groups], s->strides[$ * stride + groups],
+ rows, column1 - column0); /* NAME */
head: vector
operands: if (args->ahead) /* the next tile */ //~
operands:     fetch_transposed(start[$], s->strides[$ * stride + groups], rows * (i64)sizeof(T),
+ column1 < s->columns ? column1 : -1, (row * (column1 - column0) + i - column0) * (i64)sizeof(T),
+ BLOCK * sizeof(T)); //~
operands: const T *const x_$ = w_$ + row * (column1 - column0 + BLOCK) + i - column0;
//: load across
head: shuffles
block: w_$
buffers: const char *from_$ = 0, *turn_$ = 0; /* where the rows in w_$ begin and end */
row: if (fresh || p[$] < from_$ || p[$] >= turn_$) {
row:     i64 more = run.rows - (p[$] - start[$]) / (i64)sizeof(T); /* no more than lie beside each other, */
row:     const i64 wanted = (run.part.stop - run.at + run.count) / s->columns + 2; /* are in the tile, */
row:     const i64 most = ACROSS / (i64)sizeof(T) / (s->columns + BLOCK); /* have room, */
row:     const i64 line = (64 - (i64)((u64)p[$] % 64)) / (i64)sizeof(T); /* and are in a cache line */
row:     more = more < wanted ? more : wanted;
row:     more = more < most ? more : most;
row:     more = line * (i64)sizeof(T) >= 16 && line < more ? line : more;
row:     from_$ = p[$], turn_$ = from_$ + more * (i64)sizeof(T);
row:     N(turn)(w_$, from_$, s->strides[$ * stride + groups], more, s->columns); /* NAME */
row: }
operands: const T *const x_$ = w_$ + (p[$] - from_$) / (i64)sizeof(T) * (s->columns + BLOCK) + i;
//: load interleaved
head: vector
head: shuffles
block: w_$
buffers: struct interleaved_orders order_$; //~
buffers: order_$.period = order_$.many = order_$.same.period = 0; //~
row: i64 from_$ = 0, turn_$ = 0; /* the columns in w_$ */
row: i64 group_$ = 0, many_$ = 0; /* the first of their groups, and how many there are */
row: const i64 begin_$ = column0 / s->period, end_$ = column1 / s->period;
operands: const int more_$ = i + m > turn_$;
operands: if (more_$) {
operands:     const i64 whole = INTERLEAVED / (i64)sizeof(T) / (3 * BLOCK) * (3 * BLOCK) + 24;
+ /* whole groups, for whole blocks */
operands:     group_$ = i / s->period, from_$ = group_$ * s->period;
operands:     turn_$ = column1 - from_$ < whole ? column1 : from_$ + whole, many_$ = (turn_$ - from_$) / s->period;
operands:     const i64 after = s->columns / s->period - group_$;
operands:     const char *at_$[MOST_INTERLEAVED];
operands:     i64 jump_$[MOST_INTERLEAVED];
operands:     for (i64 c = 0; c < s->period; c++) {
operands:         const i64 a = CHOICE;
operands:         jump_$[c] = s->strides[a * stride + groups + 1];
operands:         at_$[c] = p[a] + group_$ * jump_$[c] + s->offsets[a][c];
operands:     }
copied operands:     if (i == column0 && N(lay_groups)(args, (T *)p[@] + i, at_$, jump_$, s->period, end_$ - group_$,
+ group_$, after - end_$ + group_$))
copied operands:         break;
operands:     N(gather_groups)(w_$, at_$, jump_$, s->period, many_$, group_$, after - many_$, &order_$,
+ args->ahead); /* NAME */
operands:     if (s->period > 4 || jump_$[0] != sizeof(T)) /* others are fetched as they are read */ //~
operands:         fetch_row(args, s, p[$], s->strides + $ * stride, s->period, begin_$, end_$, group_$, many_$); //~
operands: }
operands: const T *const x_$ = w_$ + i - from_$;
//: load crossed
head: vector
head: shuffles
block: w_$
band: const char *at_$[MOST_INTERLEAVED];
band: const i64 jump_$ = s->strides[$ * stride + groups + 1], many_$ = (column1 - column0) / s->period; /* groups */
band: const i64 from_$ = column0 / s->period * jump_$;
band: for (i64 c = 0; c < s->period; c++)
band:     at_$[c] = start[$] + from_$ + s->offsets[$][c];
copied band: if (N(lay_crossed)(args, start[@] + column0 * sizeof(T), step[@], at_$, jump_$, step[$], rows,
+ many_$, s->period)) /* in the result */
copied band:     continue;
band: const i64 pitch_$ = column1 - column0 + BLOCK;
band: N(cross)((char *)w_$, pitch_$ * sizeof(T), at_$, jump_$, step[$], rows, many_$, s->period, 0); /* NAME */
band: for (i64 r = 0; r < rows && pitch_$ % BLOCK; r++)
band:     N(fill)(w_$ + (r + 1) * pitch_$ - BLOCK, w_$[(r + 1) * pitch_$ - BLOCK - 1]);
band: const i64 parts_$ = step[$] == sizeof(T) ? s->period : 1; /* places where groups are read */ //~
band: const i64 share_$ = args->ahead ? N(cross_share)(parts_$, many_$, rows) : 0; /* for each row */ //~
band: const i64 next_$ = column1 < s->columns ? many_$ * jump_$ : rows * step[$] - from_$; /* to the next tile */ //~
row: for (i64 c = 0; share_$ && c < parts_$; c++) //~
row:     fetch_columns(at_$[c] + next_$ + row * share_$ * jump_$, jump_$, share_$); //~
operands: const T *const x_$ = w_$ + row * pitch_$ + i - column0;
//: load joined
head: vector
operands: if (more_@)
operands:     fetch_row(args, s, p[$], s->strides + $ * stride, s->period, begin_@, end_@, group_@, many_@); //~
operands: const T *const x_$ = x_@; /* NAME */
//: load rejoined
operands: const T *const x_$ = x_@; /* NAME */
//: load mapped
block: w_$
operands: const T *const x_$ = N(mapped)(w_$, sample->bases[$], s->maps[$], p[$] - sample->bases[$],
+ i, m); /* NAME */
//: load bounded
block: w_$
operands: const T *const x_$ = N(bounded)(w_$, sample->bases[$], s->maps[$], p[$] - sample->bases[$],
+ i, m); /* NAME */
//: store unit
head: rows
block: w_$
once headed: $, sizeof(T)
operands: T *const o_$ = (T *)p[$] + i; /* NAME */
runs operands: const int n_$ = m >= BLOCK && streams(args, o_$); //~
single operands: const int n_$ = m == BLOCK && streams(args, o_$); //~
steady unmasked operands: T *y_$ = m < BLOCK || n_$ ? OWN_BLOCK(w_$) : o_$;
runs step: PUT_PAST(&o_$[k], n_$, w_$)
runs along: y_$ += n_$ ? 0 : BLOCK
sliding operands: T *const y_$ = row < 0 || m < BLOCK || n_$ ? OWN_BLOCK(w_$) : o_$;
masked operands: T *const y_$ = n_$ ? OWN_BLOCK(w_$) : o_$;
steady padded single results: PUT_BLOCK(o_$, w_$, 0, n_$, w_$)
steady padded runs results: PUT_BLOCK(o_$, w_$, 0, 0, w_$)
sliding results: if (row >= 0) {
sliding results:     PUT_BLOCK(o_$, w_$, 0, n_$, w_$)
sliding results: }
whole single results: PUT_BLOCK(o_$, w_$, back, n_$, w_$)
whole runs results: PUT_BLOCK(o_$, w_$, back, 0, w_$)
//: store held
head: vector
block: w_$
once headed: $, sizeof(T)
single operands: T *const o_$ = (T *)p[$] + i; /* NAME */
runs operands: T *o_$ = (T *)p[$] + i; /* NAME */
operands: const int n_$ = m >= BLOCK && streams(args, o_$); //~
body: IN_REGISTERS(T, y_$, m < BLOCK || n_$ ? w_$ : o_$)
step: N(held)(args, o_$, y_$, w_$, m, n_$);
runs along: o_$ += BLOCK
//: store copied
head: rows
block: w_$
once headed: $, sizeof(T)
operands: T *const o_$ = (T *)p[$] + i; /* NAME */
operands: const int n_$ = m == BLOCK && streams(args, o_$); //~
operands: T *const y_$ = m < BLOCK ? w_$ : o_$;
results: PUT_BLOCK(o_$, w_$, 0, n_$, x_@) //~
//: store run
head: vector
operands: m = column1 - i;
operands: N(copy)(args, (T *)p[$] + i, x_@, m, args->ahead); /* NAME */
//: store gathered
head: vector
operands: m = turn_@ - i;
operands: if (args->stream && turn_@ < column1) /* up to a whole line */
operands:     m -= (u64)((T *)p[$] + turn_@) % 64 / sizeof(T);
operands: N(copy)(args, (T *)p[$] + i, x_@, m, 0); /* NAME */
//: store strided
block: w_$
operands: T *const y_$ = w_$; /* NAME */
results: N(scatter)(p[$] + i * s->strides[$ * stride + groups], s->strides[$ * stride + groups], w_$,
+ m);
//: store reduced
operands: T *const y_$ = CHOICE; /* NAME */
//: store nested
block: w_$
operands: T *const y_$ = w_$; /* NAME */
results: N(spread)(p[$], s->strides[$ * stride + groups], s->strides[$ * stride + groups + 1],
+ s->period, i, w_$, m);
//: store expanded
block: w_$
operands: T *const y_$ = w_$; /* NAME */
results: N(place)(p[$], s->offsets[$] + i, w_$, m);
//: bands steady
while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */
//: rows steady
for (i64 row = 0; row < rows; row++) {
    for (int k = 0; k < ACCESSES; k++)
        p[k] = start[k] + row * step[k]; /* where the row of each begins */
//: bands sliding
while (next_columns(args, &band, whole, KEPT_COLUMNS)) { /* rows that lie beside each other, of so many columns */
//: rows sliding
for (i64 row = goes_on ? 0 : -ROWS_BEFORE; row < rows; row++) { /* the first ones begin what later ones go on with */
    for (int k = 0; k < ACCESSES; k++)
        p[k] = start[k] + (row > 0 ? row : 0) * step[k]; /* where the row of each begins */
//: buffers sliding
i64 whole[2] = {0, 0}; /* the first column of a band, and behind the last one */ //~
i64 kept_from = 0, kept_to = 0; /* those of what is kept */ //~
const struct weft_sample *kept_of = 0; /* of another sample numbers may be others, though its rows follow */ //~
//: follows sliding
int goes_on = sample == kept_of && column0 == kept_from && column1 == kept_to; //~
kept_of = sample, kept_from = column0, kept_to = column1; //~
//: short sliding
const int short_head = m < BLOCK && i + m < column1;
//: stack sliding
ALIGNED unsigned char begun[KEPT_BYTES]; //~
//: lent sliding
unsigned char *const begun = (unsigned char *)args->scratch + KEPT_PLACE; //~
//: tuned sliding
#if defined __AVX512F__ && defined __GNUC__ && !defined __clang__
#pragma GCC target("tune=skylake-avx512") /* else gcc 12 reads an element again for each of its products */
#endif
//: columns sliding
/* Goes on to the next columns of a band, at most `most`. `whole`: all of them. */
static int next_columns(const struct weft_args *args, struct weft_band *band, i64 *whole, i64 most)
{
    if (band->column1 < whole[1]) {
        band->column0 = band->column1;
    } else {
        band->column0 = whole[0];
        if (!args->calls->next_band(args, band))
            return 0;
        whole[0] = band->column0;
        whole[1] = band->column1;
    }
    const i64 columns = whole[1] - whole[0], parts = (columns + most - 1) / most;
    const i64 part = ((columns + parts - 1) / parts + BLOCK - 1) / BLOCK * BLOCK;
    band->column1 = whole[1] - band->column0 < part ? whole[1] : band->column0 + part;
    args->calls->begin_rows(args, band);
    return 1;
}
//: end
