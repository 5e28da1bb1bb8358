/* Elements that are found by their numbers, through access maps whose tables args.h describes; for a storage type T, as
 * prelude_c.h. */

//: move run
/* `count` elements that lie `pace` bytes apart. */
static inline void N(run)(T *to, const char *from, i64 pace, i64 count)
{
    if (pace == (i64)sizeof(T))
        for (i64 j = 0; j < count; j++)
            to[j] = ((const T *)from)[j];
    else if (pace == 0)
        for (const T x = *(const T *)from; count > 0; count--)
            *to++ = x;
    else
        for (i64 j = 0; j < count; j++)
            to[j] = *(const T *)(from + j * pace);
}
//: move elements
/* `count` elements whose numbers are `step` apart. The first level takes a number apart into digits, one for
 * each piece, innermost first; `next`, the level's own place and their strides are a number for the next level, or
 * bytes behind `from` where this is the last. Along the innermost piece those are a step apart again; where it ends,
 * the digits count on: numbers are divided once for a call, or, where they descend, for each element. */
SEPARATE static void N(elements)(T *to, const char *from, const i64 *level, i64 levels, i64 next, i64 number,
                                 i64 step, i64 count)
{
    const i64 n = *level, *extents = level + 2, *strides = extents + n, pace = step * strides[0];
    const i64 inner = n > 1 ? extents[0] : number + step * count + 1;
    i64 digits[64];
    if (n > 1 && step < 0) {
        for (; count > 0; count--, number += step)
            N(elements)(to++, from, level, levels, next, number, 0, 1);
        return;
    }
    next += level[1];
    for (i64 k = 0; k < n; k++) {
        i64 above = 0;
        if (k + 1 < n) /* 32 bits divide faster */
            above = (u64)(number | extents[k]) >> 32 ? number / extents[k]
                                                     : (i64)((u32)number / (u32)extents[k]);
        digits[k] = k + 1 < n ? number - above * extents[k] : number;
        next += digits[k] * strides[k];
        number = above;
    }
    for (i64 digit = digits[0]; count > 0;) {
        if (levels == 1 && step == 1 && n > 1 && inner < 16) { /* not worth a loop for each run */
            i64 more = n > 2 ? extents[1] - digits[1] : count, back = strides[1] - inner * pace;
            for (; count > 0; count--) {
                *to++ = *(const T *)(from + next);
                next += pace;
                if (++digit < inner)
                    continue;
                if (--more == 0)
                    break;
                digit = 0;
                next += back;
                digits[1]++;
            }
            count -= count > 0;
        } else {
            i64 run = step == 1 ? inner - digit : step > 0 ? (inner - digit + step - 1) / step : count;
            run = run < count ? run : count;
            if (levels > 1)
                N(elements)(to, from, strides + n, levels - 1, 0, next, pace, run);
            else
                N(run)(to, from + next, pace, run);
            to += run;
            count -= run;
            digit += run * step;
            next += run * pace;
        }
        if (digit < inner)
            continue;
        const i64 carry = digit < 2 * inner ? 1 : digit / inner;
        digit -= carry * inner;
        digits[1] += carry;
        next += carry * (strides[1] - inner * strides[0]);
        for (i64 k = 1; k + 1 < n && digits[k] >= extents[k]; k++) {
            const i64 more = digits[k] < 2 * extents[k] ? 1 : digits[k] / extents[k];
            digits[k] -= more * extents[k];
            digits[k + 1] += more;
            next += more * (strides[k + 1] - extents[k] * strides[k]);
        }
    }
}
//: move mapped
/* Loads elements that are found by number. */
SEPARATE static const T *N(mapped)(T *block, const char *from, const i64 *map, i64 row, i64 i, int m)
{
    if (map[1] == 1) /* along the row numbers are a step apart, as mostly */
        N(elements)(block, from, map + 5, *map - 1, 0, row + map[2] + i * map[4], map[4], m);
    else
        N(elements)(block, from, map + 1, *map, row, i, 1, m);
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
//: move edge
/* The digit that is read in place of one outside: 1 the nearest, 2 the one as many rounds away, 3 the one that lies as
 * far behind the end, 4 the same where the last one is passed once. *turn is 0, 1 or -1: which way it goes as digits
 * grow. */
static inline i64 N(edge)(i64 digit, i64 low, i64 high, i64 edge, i64 *turn)
{
    const i64 n = high - low, round = edge == 2 ? n : edge == 3 ? 2 * n : 2 * n - 2;
    *turn = 0;
    if (edge == 1 || round == 0)
        return digit < low ? low : high - 1;
    i64 p = (digit - low) % round;
    p += p < 0 ? round : 0;
    *turn = p < n ? 1 : -1;
    return low + (p < n ? p : 2 * n - (edge == 3 ? 1 : 2) - p);
}
//: move edge_digits
/* How many digits, `step` apart, follow one outside that reads `digit`, and read on the same way. */
static inline i64 N(edge_digits)(i64 digit, i64 step, i64 low, i64 high, i64 edge, i64 turn)
{
    if (step != 1 && step != -1)
        return 1;
    return step == turn ? high - digit - (turn < 0 && edge == 4) : digit - low + (turn > 0 || edge == 3);
}
//: move bounded_to
/* Where a digit of some level lies outside its bounds what is read stands in the level. */
static inline const char *N(bounded_to)(const char *from, const i64 *map, i64 row, i64 number)
{
    const i64 *level = map + 1;
    i64 next = row;
    for (i64 levels = *map; levels > 0; levels--) {
        const i64 n = *level, *extents = level + 3, *strides = extents + n, *low = strides + n, *high = low + n;
        const i64 *edges = high + n;
        next += level[1];
        for (i64 k = 0; k < n; k++) {
            i64 digit = number, turn;
            if (k + 1 < n) { /* 32 bits divide faster */
                number = (u64)(number | extents[k]) >> 32 ? number / extents[k] : (i64)((u32)number / (u32)extents[k]);
                digit -= number * extents[k];
            }
            if (digit < low[k] || digit >= high[k]) {
                if (!edges[k])
                    return (const char *)(level + 2);
                digit = N(edge)(digit, low[k], high[k], edges[k], &turn);
            }
            next += digit * strides[k];
        }
        level = edges + n;
        number = next;
        next = 0;
    }
    return from + number;
}
//: move bounded_digits
/* How many digits from one on, `step` apart, are all between the bounds, below them, or above, and not below `least` or
 * from `most` on. */
static inline i64 N(bounded_digits)(i64 digit, i64 step, i64 low, i64 high, i64 least, i64 most)
{
    if (step > 0) {
        const i64 end = digit < low ? low : digit < high ? high : most, count = (end < most ? end : most) - digit;
        return step == 1 ? count : (count + step - 1) / step;
    }
    const i64 last = digit >= high ? high : digit >= low ? low : least;
    return (digit - (last > least ? last : least)) / -step + 1;
}
//: move bounded_run
/* The first of a run of elements, at most `*count`, that lie `*pace` bytes apart. Where a digit of some level lies
 * outside its bounds what is read stands in the level, or is another element. A run ends where the innermost digit of a
 * level goes round, passes a bound, or turns. */
static inline const char *N(bounded_run)(const char *from, const i64 *map, i64 row, i64 number, i64 *pace, i64 *count)
{
    const i64 *level = map + 1;
    i64 next = row;
    *pace = 1;
    for (i64 levels = *map; levels > 0; levels--) {
        const i64 n = *level, *extents = level + 3, *strides = extents + n, *low = strides + n, *high = low + n;
        const i64 *edges = high + n;
        int inside = 1;
        i64 way = 1;
        next += level[1];
        for (i64 k = 0; k < n; k++) {
            i64 digit = number, turn = 1;
            if (k + 1 < n) { /* 32 bits divide faster */
                number = (u64)(number | extents[k]) >> 32 ? number / extents[k] : (i64)((u32)number / (u32)extents[k]);
                digit -= number * extents[k];
            }
            const i64 own = digit, outside = digit < low[k] || digit >= high[k];
            inside = inside && (!outside || edges[k]);
            if (outside && edges[k])
                digit = N(edge)(digit, low[k], high[k], edges[k], &turn);
            next += digit * strides[k];
            if (k == 0)
                way = turn;
            if (k == 0 && *pace && *count > 1) {
                const i64 end = own + *pace * *count, least = n > 1 ? 0 : end, most = n > 1 ? extents[0] : end;
                const int turns = outside && edges[0] && turn;
                const i64 run = turns ? N(edge_digits)(digit, *pace, low[0], high[0], edges[0], turn)
                                      : N(bounded_digits)(own, *pace, low[0], high[0], least, most);
                const i64 rest = turns && n > 1 && *pace == 1 ? most - own : turns && n > 1 ? own + 1 : run;
                *count = run < *count ? run : *count;
                *count = rest < *count ? rest : *count;
            }
        }
        *pace = inside ? *pace * strides[0] * way : 0;
        if (!inside)
            return (const char *)(level + 2);
        level = edges + n;
        number = next;
        next = 0;
    }
    return from + number;
}
//: move bounded
/* Loads elements that are found by number, or what stands for those outside. */
SEPARATE static const T *N(bounded)(T *block, const char *from, const i64 *map, i64 row, i64 i, int m)
{
    for (i64 j = 0, pace, count; j < m; j += count) {
        count = m - j;
        const char *const p = N(bounded_run)(from, map, row, i + j, &pace, &count);
        if (count == BLOCK && pace == (i64)sizeof(T))
            return (const T *)p;
        N(run)(block + j, p, pace, count);
    }
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
//: move taken
/* Elements by numbers that are computed; 0 where a number is negative. */
SEPARATE static void N(taken)(T *block, const char *from, const i64 *map, const i64_m *numbers)
{
    const int plain = *map == 1 && map[1] == 1; /* numbers are a step apart, as mostly */
    int run_long = plain && map[4] == (i64)sizeof(T) && numbers[0] >= 0 && numbers[BLOCK - 1] - numbers[0] == BLOCK - 1;
    if (run_long) {
        i64 apart = 0;
        for (int j = 0; j < BLOCK; j++)
            apart |= numbers[j] - numbers[0] - j;
        run_long = apart == 0;
    }
    if (run_long) { /* neighbours, as of whole rows */
        const T *const run = (const T *)(from + map[2] + numbers[0] * map[4]);
        for (int j = 0; j < BLOCK; j++)
            block[j] = run[j];
        return;
    }
    for (int j = 0; j < BLOCK; j++) {
        const i64 *level = map + 1;
        i64 number = numbers[j];
        if (number < 0) {
            block[j] = 0;
            continue;
        }
        if (plain)
            number = map[2] + number * map[4];
        for (i64 levels = plain ? 0 : *map; levels > 0; levels--) {
            const i64 n = *level, *extents = level + 2, *strides = extents + n;
            i64 next = level[1];
            for (i64 k = 0; k < n; k++) {
                i64 digit = number;
                if (k + 1 < n) {
                    number = (u64)(number | extents[k]) >> 32 ? number / extents[k]
                                                              : (i64)((u32)number / (u32)extents[k]);
                    digit -= number * extents[k];
                }
                next += digit * strides[k];
            }
            level = strides + n;
            number = next;
        }
        block[j] = *(const T *)(from + number);
    }
}
//: move taken_bounded
/* Takes one element, or what stands for one outside. */
SEPARATE static void N(taken_bounded)(T *block, const char *from, const i64 *map, const i64_m *numbers)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = numbers[j] < 0 ? (T)0 : *(const T *)N(bounded_to)(from, map, 0, numbers[j]);
}
