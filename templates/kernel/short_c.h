/* How a reduction in C joins short rows: sections for the walk of short_rows.c, of which a kernel gets those that it
 * needs. Rows of up to 16 elements have one in each lane. What is absent is left out: its place holds what changes
 * nothing. As many rows as a row has lanes are joined at once: by shuffles where lanes are 4 bytes and vectors 16 of
 * them, else lane by lane, so that the C compiler makes vectors of them.
 *
 * short: what all of them need
 * short_direct, short_elements: elements are joined as they lie in memory, or computed
 * short_staged: and then joined
 * places, places_direct: the same where the library finds the positions of extremes */

//: short functions
#undef HALVES
enum { OWN(LANE_COUNT) = 16, OWN(STAGED_ROWS) = 4096 }; /* elements that are computed before they are joined, at most */
/* Joins the elements of a row to its lanes. `there`: how many elements may be read, those of later rows among them. */
static inline void OWN(fill_lanes)(acc_t *lanes, const stage_t *from, i64 elements, i64 there, acc_t absent)
{
    acc_v l[LANE_COUNT];
    ALIGNED stage_t end[LANE_COUNT]; /* the elements behind the last whole row of lanes */
    const stage_t none = OF(stage_t, absent);
    const i64 rest = elements % LANE_COUNT, whole = elements - rest;
#if defined __AVX512BW__
    (void)there; /* loads have masks */
    if (rest)
        EACH(j, LANE_COUNT)
            end[j] = j < rest ? from[whole + j] : none;
#else
    if (rest && whole + LANE_COUNT <= there) {
        EACH(j, LANE_COUNT) {
            const stage_t x = from[whole + j];
            end[j] = j < rest ? x : none;
        }
    } else if (rest) {
        ROLLED
        for (i64 j = 0; j < LANE_COUNT; j++)
            end[j] = j < rest ? from[whole + j] : none;
    }
#endif
    const stage_t *const begin = whole ? from : end;
    OVER(k, LANE_COUNT)
        l[k] = AS(acc_v, ((const stage_v *)begin)[k]);
    for (i64 e = LANE_COUNT; e < whole; e += LANE_COUNT)
        OVER(k, LANE_COUNT)
            l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)(from + e))[k]));
    if (whole && rest)
        OVER(k, LANE_COUNT)
            l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)end)[k]));
    OVER(k, LANE_COUNT)
        ((acc_v *)lanes)[k] = l[k];
}
/* Joins the lanes of as many rows, j and j + 8, j + 4, j + 2, j + 1, to one element for each row. */
#if defined WORDS && defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
/* Of vectors i and i + count the lower and the upper half of each row's lanes, beside each other. */
#define HALVES(count, ...) \
    for (int i = 0; i < count; i++) { \
        const words x = ((const words *)lanes)[i], y = ((const words *)lanes)[i + count]; \
        ((words *)lower)[i] = __builtin_shuffle(x, y, (words){__VA_ARGS__}); \
        ((words *)upper)[i] = __builtin_shuffle(x, y, (words){__VA_ARGS__} + count); \
    } \
    EACH(k, count * LANE_COUNT) \
        lanes[k] = join_tree(lower[k], upper[k]);
static inline void OWN(join_rows)(tree_t *to, tree_t *lanes)
{
    typedef i32 words __attribute__((vector_size(64), aligned(4), may_alias));
    ALIGNED tree_t lower[8 * LANE_COUNT], upper[8 * LANE_COUNT];
    HALVES(8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
    HALVES(4, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
    HALVES(2, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29)
    HALVES(1, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
    *(words *)to = __builtin_shuffle(*(const words *)lanes,
                                     (words){0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15});
}
#else
static inline void OWN(join_rows)(tree_t *to, tree_t *lanes)
{
    ALIGNED tree_t half[8 * LANE_COUNT]; /* lane by lane */
    for (int q = 0; q < LANE_COUNT; q++)
        EACH(j, 8)
            half[j * LANE_COUNT + q] = join_tree(lanes[q * LANE_COUNT + j], lanes[q * LANE_COUNT + j + 8]);
    EACH(k, LANE_COUNT) {
        const tree_t a = join_tree(half[k], half[k + 4 * LANE_COUNT]);
        const tree_t b = join_tree(half[k + LANE_COUNT], half[k + 5 * LANE_COUNT]);
        const tree_t c = join_tree(half[k + 2 * LANE_COUNT], half[k + 6 * LANE_COUNT]);
        const tree_t d = join_tree(half[k + 3 * LANE_COUNT], half[k + 7 * LANE_COUNT]);
        to[k] = join_tree(join_tree(a, c), join_tree(b, d));
    }
}
#endif
/* Joins `count` rows that follow one another. */
SEPARATE static void OWN(join_short)(out_t *to, const stage_t *from, i64 elements, i64 count, acc_t absent)
{
    for (i64 q; count > 0; count -= LANE_COUNT, to += LANE_COUNT) {
        ALIGNED acc_t lanes[LANE_COUNT * LANE_COUNT];
        ALIGNED tree_t wide[LANE_COUNT * LANE_COUNT], all[LANE_COUNT];
        const i64 rows = count < LANE_COUNT ? count : LANE_COUNT;
        for (q = 0; q < rows; q++, from += elements)
            fill_lanes(lanes + q * LANE_COUNT, from, elements, (count - q) * elements, absent);
        for (; q < LANE_COUNT; q++)
            EACH(j, LANE_COUNT)
                lanes[q * LANE_COUNT + j] = absent;
        if (sizeof(acc_t) != sizeof(tree_t))
            EACH(j, LANE_COUNT * LANE_COUNT)
                wide[j] = (tree_t)lanes[j];
        join_rows(all, sizeof(acc_t) == sizeof(tree_t) ? (tree_t *)lanes : wide);
        ROLLED
        for (q = 0; q < rows; q++)
            to[q] = OF(out_t, all[q]);
    }
}
//: short_search functions
enum { OWN(STAGED_ROWS) = 4096 };
/* The first of `count` elements that is true; `count` if none is. Words of 8 are looked at from the end, without a
 * branch that a processor would guess wrongly. Up to 7 elements behind them are read. */
static inline i64 OWN(first_of)(const stage_t *from, i64 count)
{
    i64 first = count;
#if defined __GNUC__ && !defined __TINYC__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (i64 e = (count - 1) / 8 * 8; e >= 0; e -= 8) {
        const u64 word = *(const u64_m *)(from + e);
        const i64 at = e + (__builtin_ctzll(word | 1ull << 63) >> 3);
        first = word && at < count ? at : first;
    }
#else
    for (i64 e = count; e-- > 0;)
        first = from[e] ? e : first;
#endif
    return first;
}
static inline void OWN(join_short)(out_t *to, const stage_t *from, i64 elements, i64 count, i64 absent)
{
    ROLLED
    for (i64 q = 0; q < count; q++) {
        const i64 first = first_of(from + q * elements, elements);
        to[q] = (out_t)(first < elements ? first : absent);
    }
}
//: short_direct some
const i64 most = left;
//: short_direct points
join_short(to + point, (const stage_t *)p[SOURCE] + column0, each, more, absent);
//: short_elements room
ALIGNED stage_t stage[STAGED_ROWS + BLOCK];
//: short_elements some
const i64 most = left < STAGED_ROWS / each ? left : STAGED_ROWS / each;
//: short_elements points
$row
for (i64 i = column0, m; i < column1; i += m) {
    m = column1 - i < BLOCK ? column1 - i : BLOCK;
    $operands
    $body
    $results
}
//: short_staged points
join_short(to + point, stage, each, more, absent);
//: places functions
enum { OWN(STAGED_ROWS) = 4096 };
//: places points
join->points(to + point, (const char *)stage, each * (i64)sizeof *stage, each, more, 0);
//: places_direct some
const i64 most = left;
//: places_direct points
join->points(to + point, (const char *)((const stage_t *)p[SOURCE] + column0), each * (i64)sizeof(stage_t), each, more,
             args->ahead);
