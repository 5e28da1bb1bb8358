/* How a reduction in C joins short rows: sections for the walk of short_rows.c, of which a kernel gets those that it
 * needs. The functions are in templates/shared/joins.c; where the library has them, the kernel carries none.
 *
 * short_direct, short_elements: elements are joined as they lie in memory, or computed, to short_stage
 * short_staged: and then joined
 * short_lanes: or joined to the lanes of their row as they are computed; the lanes are joined by the library
 * short_points_direct, short_points: the same by the library */

//: short_search functions
/* The first of `count` elements that is true; `count` if none is. Words of 8 are looked at from the end, without a
 * branch that a processor would guess wrongly. Up to 7 elements behind them are read. */
static inline i64 OWN(first_of)(const stage_t *from, i64 count)
{
    i64 first = count;
#if defined __GNUC__ && !defined __TINYC__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (i64 e = (count - 1) / 8 * 8; e >= 0; e -= 8) {
        u64 word; /* at any byte */
        __builtin_memcpy(&word, from + e, sizeof word);
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
//: short_stage functions
enum { OWN(STAGED_ROWS) = 4096 }; /* elements that are computed before they are joined, at most */
//: short_stage room
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
//: short_lanes some
const i64 block = s->lanes->block, blocks = PARTED ? (each - 1) / block + 1 : 1; /* of a row */
const i64 room = STAGED_ROWS / ROW / blocks, most = left < room ? left : room;
const int rest = each % ROW; /* elements of a row's last turn */
//: short_lanes points
$row
acc_t *lanes = stage; /* of the block */
for (i64 row = 0; row < more; row++) {
    i64 i = column0 + row * each;
    const i64 last = i + each; /* the end of the row */
    do {
        const i64 behind = PARTED && last - i > block ? i + block : last; /* the end of a block */
        acc_v kept[KEPT]; //~
        for (int k = 0; k < KEPT; k++)
            kept[k] = SPREAD(absent);
        for (; i + ROW <= behind; i += ROW) { /* the last turn of fewer elements is alike */
            ALIGNED stage_t values[ROW]; //~
            $operands
            $body
            for (int k = 0; k < KEPT; k++)
                kept[k] = join_acc_v(kept[k], ((const acc_v *)values)[k]);
        }
//~{
        if (i < behind) {
            ALIGNED stage_t values[ROW];
            const int there = HIDDEN(rest);
            $operands
            $ends
            EACH(j, ROW)
                values[j] = j < rest ? values[j] : absent;
            for (int k = 0; k < KEPT; k++)
                kept[k] = join_acc_v(kept[k], ((const acc_v *)values)[k]);
            i = behind;
        }
//~}
        for (int k = 0; k < KEPT; k++)
            ((acc_v *)lanes)[k] = kept[k];
        lanes += ROW;
    } while (PARTED && i < last);
}
join->blocks(to + point, stage, blocks, more);
//: short_staged points
join_short(to + point, stage, each, more, absent);
//: short_points points
join->beside(to + point, stage, each, more, 0);
//: short_points_direct some
const i64 most = left;
//: short_points_direct points
join->beside(to + point, (const stage_t *)p[SOURCE] + column0, each, more, args->ahead);
