/* How a tile of a reduction in C joins lanes: sections for the walk of reduce.c, of which a kernel gets those that it
 * needs, in the order of this file. Rows of lanes have whole SIDEs of memory: `pitch` lanes, of which the last ones may
 * be unused. What a tile takes are SEPARATE functions, since the C compiler takes longer for a large one than for its
 * parts. Sums and products of floats join VECTORS, and KEPT vectors of lanes stay in registers while whole blocks are
 * computed, whose values need no memory: stores of them beside two operands took a tenth of the time. Of a loop over 16
 * lanes that also fetches ahead, gcc made 16 additions of one element each with AVX-512.
 *
 * keys, plain: extremes of floats are joined as integers in the same order; other values as they are
 * lanes: what all of them need
 * row, columns: there are ROW lanes; or as many as a call has, of inner elements in a row of memory
 * direct, direct_columns: elements are joined as they lie in memory
 * elements, computed: they are computed, a block at a time */

//: loops head
/* Loops over ALL are unrolled: their lanes stay in registers. ONE_BY_ONE stands in loops of few turns, of which no
 * vectors are to be made. */
#define ALL(j, count) INDEPENDENT for (int j = 0; j < count; j++)
#if defined __GNUC__ && !defined __TINYC__
#define ONE_BY_ONE __asm__ volatile("")
#else
#define ONE_BY_ONE
#endif
#if !defined __GNUC__ || defined __TINYC__
#define VECTOR_OF(bytes, type)
#else
#define VECTOR_OF(bytes, type) __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))
#endif
#if defined __clang__ || defined __AVX512BW__
#define VECTORS(type) VECTOR_OF(64, type)
#define HALF_VECTORS(type) VECTOR_OF(32, type)
#elif defined __AVX2__
#define VECTORS(type) VECTOR_OF(32, type)
#define HALF_VECTORS(type) VECTOR_OF(32, type)
#else
#define VECTORS(type) VECTOR_OF(16, type)
#define HALF_VECTORS(type) VECTOR_OF(16, type)
#endif
#define SPREAD(x) ((x) - (acc_v){0}) /* in all elements of a vector; -0.0 stays */
//: keys functions
#undef AS
#undef OF
#undef MOST
#define MOST (acc_t)((1ull << (8 * sizeof(acc_t) - 1)) - 1)
/* An integer that is ordered as the float is; NaN is beyond infinity. */
static inline acc_t OWN(key_of)(stage_t value)
{
    const union {
        stage_t value;
        acc_t word;
    } x = {value};
    return value != value ? (KEYS > 0 ? MOST : -MOST - 1) : x.word ^ (x.word >> (8 * sizeof(acc_t) - 1) & MOST);
}
/* The float of such an integer. */
static inline stage_t OWN(of_key)(acc_t key)
{
    const union {
        acc_t word;
        stage_t value;
    } x = {key ^ (key >> (8 * sizeof(acc_t) - 1) & MOST)};
    return x.value;
}
#define AS(type, x) key_of(x)
#define OF(type, x) of_key(x)
//: plain functions
#undef AS
#undef OF
#define AS(type, x) (type)(x)
#define OF(type, x) (type)(x)
//: lanes functions
/* Fetches what follows `bytes` from here on. Values that were just computed are near. */
static inline void OWN(near)(const void *from, i64 ahead, i64 bytes)
{
#if defined __GNUC__ && !defined __TINYC__
    if (DIRECT)
        __builtin_prefetch((const char *)from + ahead);
    for (i64 k = 64; DIRECT && k < bytes; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* Joins block `number` to the tree, and resets its lanes: level l holds the lanes of 2 ** l blocks. Where the order
 * does not matter, there is level 0 alone. */
SEPARATE static void OWN(plant)(tree_t *tree, acc_t *lanes, i64 pitch, i64 number, acc_t absent)
{
    for (i64 i = 0; i < pitch; i += SIDE) {
        tree_v x[SIDE], *to = (tree_v *)(tree + i);
        OVER(k, SIDE) {
            x[k] = (tree_v)((acc_v *)(lanes + i))[k];
            ((acc_v *)(lanes + i))[k] = SPREAD(absent);
        }
        for (i64 rest = ORDERED ? number : number > 0; rest & 1; rest >>= 1) {
            ONE_BY_ONE; /* with AVX-512, gcc 12 fails on a join under a mask */
            OVER(k, SIDE)
                x[k] = join_tree_v(to[k], x[k]);
            if (ORDERED)
                to = (tree_v *)((tree_t *)to + pitch);
        }
        OVER(k, SIDE)
            to[k] = x[k];
    }
}
/* Joins what the tree holds of `blocks` blocks to lanes that hold what changes nothing. Returns them. */
SEPARATE static tree_t *OWN(harvest)(tree_t *lanes, tree_t *tree, i64 pitch, i64 blocks)
{
    if (!ORDERED)
        return tree;
    for (; blocks; blocks >>= 1, tree += pitch)
        if (blocks & 1)
            for (i64 i = 0; i < pitch; i += SIDE)
                OVER(k, SIDE)
                    ((tree_v *)(lanes + i))[k] = join_tree_v(((tree_v *)(tree + i))[k], ((tree_v *)(lanes + i))[k]);
    return lanes;
}
//: lanes room
ALIGNED acc_t fixed_lanes[ROW + 1]; //~
ALIGNED tree_t fixed_tree[ROW * LEVELS + 1]; //~
acc_t *const lanes = ROW ? fixed_lanes : (acc_t *)(args->scratch + SCRATCH); //~
tree_t *const tree = ROW ? fixed_tree : (tree_t *)(args->scratch + SCRATCH + WIDTH * sizeof(acc_t)); //~
//: lanes share
const i64 width = ROW ? ROW : r->lanes * inner, pitch = (width + SIDE - 1) / SIDE * SIDE; //~
const acc_t none = first < stop ? absent : nothing; /* what lanes hold before the first block */ //~
const int single = ORDERED && stop - first <= r->block; /* block: its lanes are all that the tree would hold */ //~
//: lanes point
for (i64 i = 0; i < pitch; i += PER_VECTOR)
    *(acc_v *)(lanes + i) = SPREAD(none);
//: lanes join
if (!single)
    plant(tree, lanes, pitch, blocks, absent);
//: lanes leave
tree_t *const all = single ? (tree_t *)lanes : harvest((tree_t *)lanes, tree, pitch, blocks);
out_t *const to = (out_t *)sample->bases[TARGET] + from;
if (r->kept == 1)
    join_lanes(all, r->lanes, inner);
//: row functions
/* Joins elements to a row of ROW lanes, from lane 0 on: at least as many as there are lanes. Of what is joined in place
 * the rest behind the last whole row, too, followed by what changes nothing. Returns the number of these. */
static inline i64 OWN(fold_whole)(acc_t *lanes, const stage_t *from, i64 count, i64 ahead, acc_t absent)
{
    acc_v l[ROW + 1];
    stage_t last[2 * ROW + 1];
    ALL(k, ROW / PER_VECTOR)
        l[k] = ((acc_v *)lanes)[k];
    for (; count >= ROW; count -= ROW, from += ROW) {
        near(from, ahead, ROW * sizeof *from);
        ALL(k, ROW / PER_VECTOR)
            l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)from)[k]));
    }
#if defined VECTOR_ROW && defined __AVX512BW__ && !defined __clang__ && !defined __TINYC__
    if (DIRECT && count) {
        typedef i32 places_v VECTORS(i32);
        const places_v places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        const stage_v rest = *(const stage_v *)(from + count - ROW);
        l[0] = join_acc_v(l[0], (acc_v)__builtin_shuffle(rest, (stage_v)SPREAD(absent), places + (i32)(ROW - count)));
    }
#else
    if (DIRECT && count) {
        ALL(k, ROW / PER_VECTOR) {
            ((stage_v *)last)[k] = ((const stage_v *)(from + count - ROW))[k];
            ((stage_v *)(last + ROW))[k] = OF(stage_v, SPREAD(absent));
        }
        ALL(k, ROW / PER_VECTOR)
            l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)(last + ROW - count))[k]));
    }
#endif
    ALL(k, ROW / PER_VECTOR)
        ((acc_v *)lanes)[k] = l[k];
    return count;
}
/* Joins `count` elements, which is above 0, to a row of ROW lanes, from lane `at` on. Returns the lane of the next
 * one. */
SEPARATE static i64 OWN(fold)(acc_t *lanes, i64 width, i64 at, const stage_t *from, i64 count, i64 ahead, acc_t absent)
{
    for (;;) {
        while (at || count < ROW) {
            ONE_BY_ONE;
            lanes[at] = join_acc(lanes[at], AS(acc_t, *from++));
            at = at + 1 < ROW ? at + 1 : 0;
            if (!--count)
                return at;
        }
        const i64 rest = fold_whole(lanes, from, count, ahead, absent);
        if (DIRECT || !rest)
            return rest;
        from += count - rest;
        count = rest;
    }
}
/* Joins two lanes that are `apart` elements apart. */
static inline tree_t OWN(pair)(const tree_t *all, i64 apart)
{
    return join_tree(all[0], all[apart]);
}
/* Joins lanes of `inner` elements each, 32 apart, 16, 8, 4, 2 and 1, as far as they are there. */
SEPARATE static void OWN(join_lanes)(tree_t *all, i64 lanes, i64 inner)
{
    ROLLED
    for (i64 apart = ROW / 2; apart >= HALF; apart /= 2)
        for (i64 i = 0; i < apart; i += HALF) /* joins HALF lanes even where fewer are used */
            OVER_HALF(k)
                ((half_v *)(all + i))[k] = join_tree_v(((half_v *)(all + i))[k], ((half_v *)(all + i + apart))[k]);
    ROLLED
    for (i64 i = 0; i < INNER; i++, all++) /* vectors would wait for what was just stored */
        all[0] = join_tree(join_tree(pair(all, 4 * INNER), pair(all + 2 * INNER, 4 * INNER)),
                           join_tree(pair(all + INNER, 4 * INNER), pair(all + 3 * INNER, 4 * INNER)));
}
//: row leave
const i64 kept = r->kept * INNER, place = (point * r->chunks + chunk) * kept; //~
for (i64 j = 0; j < kept; j++) {
    ONE_BY_ONE; //~
    to[place + j] = OF(out_t, all[j]);
}
//: columns functions
/* Joins SIDE elements to as many lanes. */
static inline void OWN(join_side)(acc_t *lanes, const stage_t *from)
{
    acc_v *const to = (acc_v *)lanes;
    OVER(k, SIDE)
        to[k] = join_acc_v(to[k], AS(acc_v, ((const stage_v *)from)[k]));
}
/* The same for a row of `width` lanes. */
SEPARATE static i64 OWN(fold)(acc_t *lanes, i64 width, i64 at, const stage_t *from, i64 count, i64 ahead, acc_t absent)
{
    for (;;) {
        for (; count >= SIDE && width - at >= SIDE; count -= SIDE, from += SIDE, at += SIDE) {
            near(from, ahead, SIDE * sizeof *from);
            join_side(lanes + at, from);
        }
        if (at == width)
            at = 0;
        while (width - at < SIDE || count < SIDE) {
            ONE_BY_ONE;
            if (!count--)
                return at;
            lanes[at] = join_acc(lanes[at], AS(acc_t, *from++));
            at = at + 1 < width ? at + 1 : 0;
        }
    }
}
/* Joins elements to those of `to`, which come first. */
static inline void OWN(join_rows)(tree_t *to, const tree_t *from, i64 count)
{
    i64 i = 0;
    for (; i + SIDE <= count; i += SIDE)
        OVER(k, SIDE)
            ((tree_v *)(to + i))[k] = join_tree_v(((tree_v *)(to + i))[k], ((const tree_v *)(from + i))[k]);
    ROLLED
    for (; i < count; i++) {
        ONE_BY_ONE;
        to[i] = join_tree(to[i], from[i]);
    }
}
/* The same where the C compiler does not know how many there are. */
SEPARATE static void OWN(join_lanes)(tree_t *all, i64 lanes, i64 inner)
{
    for (i64 apart = MAX_LANES / 2; apart; apart /= 2) {
        if (lanes > apart)
            join_rows(all, all + apart * inner, (lanes - apart < apart ? lanes - apart : apart) * inner);
        lanes = lanes < apart ? lanes : apart;
    }
}
static inline void OWN(keep)(out_t *to, const tree_t *from, i64 count)
{
    i64 i = 0;
    for (; i + SIDE <= count; i += SIDE)
        EACH(j, SIDE)
            to[i + j] = OF(out_t, from[i + j]);
    ROLLED
    for (; i < count; i++) {
        ONE_BY_ONE;
        to[i] = OF(out_t, from[i]);
    }
}
//: columns leave
for (i64 j = 0; j < r->kept; j++)
    keep(to + ((point * r->chunks + chunk) * r->kept + j) * r->inner, all + j * inner, inner);
//: direct functions
/* Row `number` of what is joined in place. */
static inline const stage_t *OWN(row_of)(const struct weft_args *args, const struct weft_sample *sample,
                                         struct weft_rows *rows, i64 number)
{
    if ((u64)(number - rows->first) >= (u64)rows->count) {
        rows->first = number;
        rows->count = args->calls->find_rows(sample, number, &rows->start, &rows->step, SOURCE, 1);
    }
    return (const stage_t *)(rows->start + (number - rows->first) * rows->step);
}
//: direct share
struct weft_rows rows = {0, 0, 0, 0}; //~
//: direct run
const stage_t *const x = row_of(args, sample, &rows, row + point * r->rows) + column0;
lane = fold(lanes, width, lane, x, run, ahead, absent);
at += run; //~
left -= run; //~
//: direct_columns functions
enum { OWN(NEAR_LANES) = 4096 };        /* so many lanes are in the nearest cache beside what is read */
/* The element at place `at` of a point. */
static inline const stage_t *OWN(place_of)(const struct weft_args *args, const struct weft_sample *sample,
                                           struct weft_rows *rows, i64 point, i64 at)
{
    const struct weft_geometry *const s = sample->geometry;
    const i64 row = at < s->columns ? 0 : at / s->columns;
    return row_of(args, sample, rows, row + point * s->lanes->rows) + at - row * s->columns;
}
/* Joins elements that each have many inner ones, four of a lane at a time, so that lanes, which are in a farther cache,
 * are loaded and stored once for four. Returns the element to go on with. */
SEPARATE static i64 OWN(fold_rows)(const struct weft_args *args, acc_t *lanes, const struct weft_sample *sample,
                                   i64 point, i64 from, i64 inner, i64 element, i64 limit)
{
    const struct weft_lanes *const r = sample->geometry->lanes;
    const i64 ahead = args->ahead / 4;
    struct weft_rows rows = {0, 0, 0, 0};
    for (i64 lane = 0; element + 4 * r->lanes <= limit;) {
        const stage_t *x[4];
        acc_t *const l = lanes + lane * inner;
        ROLLED
        for (int k = 0; k < 4; k++) {
            ONE_BY_ONE;
            x[k] = place_of(args, sample, &rows, point, (element + lane + k * r->lanes) * r->inner + from);
        }
        i64 i = 0;
        for (; i + SIDE <= inner; i += SIDE) {
            near(x[0] + i, ahead, SIDE * sizeof **x);
            near(x[1] + i, ahead, SIDE * sizeof **x);
            near(x[2] + i, ahead, SIDE * sizeof **x);
            near(x[3] + i, ahead, SIDE * sizeof **x);
            OVER(k, SIDE) {
                acc_v a = join_acc_v(((acc_v *)(l + i))[k], AS(acc_v, ((const stage_v *)(x[0] + i))[k]));
                a = join_acc_v(a, AS(acc_v, ((const stage_v *)(x[1] + i))[k]));
                a = join_acc_v(a, AS(acc_v, ((const stage_v *)(x[2] + i))[k]));
                ((acc_v *)(l + i))[k] = join_acc_v(a, AS(acc_v, ((const stage_v *)(x[3] + i))[k]));
            }
        }
        for (; i < inner; i++)
            ROLLED
            for (int k = 0; k < 4; k++) {
                ONE_BY_ONE;
                l[i] = join_acc(l[i], AS(acc_t, x[k][i]));
            }
        if (++lane == r->lanes)
            element += 4 * lane, lane = 0;
    }
    return element;
}
//: direct_columns rows
if (width > NEAR_LANES && s->columns % r->inner == 0)
    element = fold_rows(args, lanes, sample, point, from, inner, element, limit);
//: elements room
ALIGNED stage_t stage[STAGE + BLOCK]; //~
//: elements share
const i64 groups = s->groups, stride = groups + 2; //~
char *start[ACCESSES], *p[ACCESSES]; //~
i64 step[ACCESSES], first_row = 0, rows = 0; /* what start and step are of */ //~
const int fresh = 1; //~
$band
//: elements run
i64 head = 0; //~
const i64 number = row + point * r->rows; //~
if ((u64)(number - first_row) >= (u64)rows) //~
    rows = args->calls->find_rows(sample, first_row = number, start, step, 0, ACCESSES); //~
for (int k = 0; k < ACCESSES; k++) //~
    p[k] = start[k] + (number - first_row) * step[k]; //~
(void)head; //~
at += run; //~
left -= run; //~
$row
//: computed run
ALIGNED stage_t values[BLOCK]; //~
acc_v kept[KEPT + 1]; /* the lanes */ //~
ALL(k, KEPT) //~
    kept[k] = ((acc_v *)lanes)[k]; //~
for (i64 i = column0, m; i < column1; i += m) {
    m = column1 - i < BLOCK ? column1 - i : BLOCK;
    m = STAGE - filled < m ? STAGE - filled : m; //~
    $operands
    $body
    $results
    if (KEPT && m == BLOCK && !lane && !filled) {
        OVER(k, KEPT ? BLOCK : 0) {
            acc_v *const to = kept + k % (KEPT + !KEPT);
            *to = join_acc_v(*to, (acc_v)((const stage_v *)values)[k]);
        }
        continue;
    }
    OVER(k, KEPT ? BLOCK : 0)
        ((stage_v *)(stage + filled))[k] = ((const stage_v *)values)[k];
    filled += m;
    if (filled < STAGE && (left || i + m < column1))
        continue;
    ALL(k, KEPT) //~
        ((acc_v *)lanes)[k] = kept[k]; //~
    lane = fold(lanes, width, lane, stage, filled, 0, absent);
    ALL(k, KEPT) //~
        kept[k] = ((acc_v *)lanes)[k]; //~
    filled = 0;
}
ALL(k, KEPT) //~
    ((acc_v *)lanes)[k] = kept[k]; //~
