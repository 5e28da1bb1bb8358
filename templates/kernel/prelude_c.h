/* Moving elements between tensors and blocks, for a storage type T; the tokens are those of
 * dialect.h. A block that a row does not fill is padded with the row's last element, so that body and
 * tail of a row are one code. */

//: move head
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static SEPARATE
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR
#elif defined __GNUC__ && !defined __TINYC__
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static /* gcc makes it a part of what calls it, where that is one place */
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR __attribute__((simd("notinbranch"), const))
#else
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define LOCAL static
#define ALIGNED
#define VECTOR
#endif
//: move pad
SEPARATE static const T *N(pad)(T *block, const T *from, int m)
{
    const T last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    N(put)(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
//: move gather
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), index(11, x, y, z), \
    index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(T) * step * (int)sizeof(T) + k % (int)sizeof(T))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector that
 * has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last element. */
static inline const T *N(sieve)(T *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(T), ONE = sizeof(T) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const T *N(pick)(T *block, const T *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return N(sieve)(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
SEPARATE static const T *N(gather)(T *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(T))
        return N(pick)(block, (const T *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(T))
        return N(pick)(block, (const T *)from, 3);
    if (m == BLOCK && sizeof(T) < 8 && step == 4 * (i64)sizeof(T))
        return N(pick)(block, (const T *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(T))
        return N(pick)(block, (const T *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const T *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
//: move part
#undef BYTES
#undef WHERE
#undef EVEN
#undef FROM
#undef LAST
#undef LINED
#undef QUARTERS
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), index(11, x, y, z), \
    index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Of two vectors, every second element. */
#define EVEN(k, part, x, y) ((k / ONE * 2 + part) * ONE + k % ONE)
/* In which of three vectors the element of the part is that stands where byte k does: each place has one. */
#define WHERE(k, part) ((k / ONE - part + 3) % 3 == 0 ? 0 : (SIDE + k / ONE - part + 3) % 3 == 0 ? 1 : 2)
#define FROM(k, part, x, y) (WHERE(k, part) == 1 ? 16 + k : k)
#define LAST(k, part, x, y) (WHERE(k, part) == 2 ? 16 + k : k)
/* Where element k / ONE of the part then stands. */
#define LINED(k, part, x, y) ((k / ONE * 3 + part) % SIDE * ONE + k % ONE)
/* The elements of a vector in the order of their four parts, in 4 bytes each. */
#define QUARTERS(k, x, y, z) (k % 4 / ONE * 4 * ONE + k / 4 * ONE + k % ONE)
#define PART3(part) \
    y = __builtin_shufflevector(x[0], x[1], BYTES(FROM, part, 0, 0)); \
    y = __builtin_shufflevector(y, x[2], BYTES(LAST, part, 0, 0)); \
    *(vector *)(to + part * pitch + j) = __builtin_shufflevector(y, y, BYTES(LINED, part, 0, 0));
#define PART4(part, a, b, c, d) \
    *(words4 *)(to + part * pitch + j) = __builtin_shufflevector(w[part / 2], w[part / 2 + 2], a, b, c, d);
/* A block of each part, from vectors that hold an element of each in turn. */
static inline void N(taken_apart)(T *to, const i64 pitch, const char *from, const int parts)
{
    enum { ONE = sizeof(T), SIDE = 16 / ONE };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    typedef u32 words4 __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * parts) {
        vector x[4], y;
        words4 w[4];
        for (int k = 0; k < parts; k++)
            x[k] = *(const vector *)(from + 16 * k);
        if (parts == 2) {
            *(vector *)(to + j) = __builtin_shufflevector(x[0], x[1], BYTES(EVEN, 0, 0, 0));
            *(vector *)(to + pitch + j) = __builtin_shufflevector(x[0], x[1], BYTES(EVEN, 1, 0, 0));
        } else if (parts == 3) {
            PART3(0) PART3(1) PART3(2)
        } else if (ONE <= 4) {
            for (int k = 0; k < 4; k++)
                x[k] = __builtin_shufflevector(x[k], x[k], BYTES(QUARTERS, 0, 0, 0));
            for (int k = 0; k < 4; k += 2) {
                w[k / 2 * 2] = __builtin_shufflevector((words4)x[k], (words4)x[k + 1], 0, 4, 1, 5);
                w[k / 2 * 2 + 1] = __builtin_shufflevector((words4)x[k], (words4)x[k + 1], 2, 6, 3, 7);
            }
            PART4(0, 0, 1, 4, 5) PART4(1, 2, 3, 6, 7) PART4(2, 0, 1, 4, 5) PART4(3, 2, 3, 6, 7)
        }
    }
}
#endif
/* Elements that stand `step` apart in memory, and those between them: a block for each of the parts, `pitch` apart. */
SEPARATE static void N(part)(T *to, i64 pitch, const char *from, i64 step, int m)
{
    const i64 parts = step / (i64)sizeof(T);
#ifdef WHERE
    if (m == BLOCK && parts == 2)
        N(taken_apart)(to, pitch, from, 2);
    else if (m == BLOCK && parts == 3)
        N(taken_apart)(to, pitch, from, 3);
    else if (m == BLOCK && parts == 4 && sizeof(T) < 8)
        N(taken_apart)(to, pitch, from, 4);
    else
#endif
        for (i64 c = 0; c < parts; c++)
            for (int j = 0; j < BLOCK; j++)
                to[c * pitch + j] = ((const T *)from)[(j < m ? j : m - 1) * parts + c];
}
//: move turn
#undef PAIR
#undef PAIRS
#undef UNROLLED
#if defined __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
/* Of which byte of two vectors byte k is, where these give an element each in turn, of their lower or upper halves. */
#define PAIR(k, upper) (k / (int)sizeof(T) % 2 * 16 + k / (int)sizeof(T) / 2 * (int)sizeof(T) + k % (int)sizeof(T) + upper * 8)
#define PAIRS(upper) \
    PAIR(0, upper), PAIR(1, upper), PAIR(2, upper), PAIR(3, upper), PAIR(4, upper), PAIR(5, upper), PAIR(6, upper), \
    PAIR(7, upper), PAIR(8, upper), PAIR(9, upper), PAIR(10, upper), PAIR(11, upper), PAIR(12, upper), \
    PAIR(13, upper), PAIR(14, upper), PAIR(15, upper)
/* As many elements of each of as many columns as a vector of 16 bytes has, transposed by pairing vectors with those
 * half of all further on. */
static inline void N(square)(T *to, i64 pitch, const char *from, i64 step)
{
    enum { SIDE = 16 / sizeof(T) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    vector x[SIDE], y[SIDE];
    UNROLLED
    for (int k = 0; k < SIDE; k++)
        x[k] = *(const vector *)(from + k * step);
    UNROLLED
    for (int width = 1; width < SIDE; width *= 2) {
        UNROLLED
        for (int k = 0; k < SIDE; k += 2) {
            y[k] = __builtin_shufflevector(x[k / 2], x[k / 2 + SIDE / 2], PAIRS(0));
            y[k + 1] = __builtin_shufflevector(x[k / 2], x[k / 2 + SIDE / 2], PAIRS(1));
        }
        UNROLLED
        for (int k = 0; k < SIDE; k++)
            x[k] = y[k];
    }
    UNROLLED
    for (int k = 0; k < SIDE; k++)
        *(vector *)(to + k * pitch) = x[k];
}
#endif
/* Columns that lie `step` apart become rows, behind each of which there is room for a block. */
SEPARATE static void N(turn)(T *to, const char *from, i64 step, i64 rows, i64 columns)
{
    const i64 pitch = columns + BLOCK;
    i64 r = 0;
#ifdef PAIR
    enum { SIDE = 16 / sizeof(T) };
    const i64 whole = columns / SIDE * SIDE;
    for (; r + SIDE <= rows; r += SIDE) {
        for (i64 j = 0; j < whole; j += SIDE)
            N(square)(to + r * pitch + j, pitch, from + j * step + r * sizeof(T), step);
        for (i64 j = whole; j < columns; j++)
            for (i64 k = r; k < r + SIDE; k++)
                to[k * pitch + j] = *(const T *)(from + j * step + k * sizeof(T));
    }
#endif
    if (r == 0 && rows >= 2 && rows <= 4 && rows * (i64)sizeof(T) == step) {
        i64 j = 0;
        for (; j + BLOCK <= columns; j += BLOCK)
            N(part)(to + j, pitch, from + j * step, step, BLOCK);
        for (; j < columns; j++)
            for (i64 k = 0; k < rows; k++)
                to[k * pitch + j] = *(const T *)(from + j * step + k * sizeof(T));
        r = rows;
    }
    for (; r < rows; r++) {
        i64 j = 0;
        for (; j + BLOCK <= columns; j += BLOCK)
            N(gather)(to + r * pitch + j, from + j * step + r * sizeof(T), step, BLOCK);
        for (; j < columns; j++)
            to[r * pitch + j] = *(const T *)(from + j * step + r * sizeof(T));
    }
    for (r = 0; r < rows; r++)
        N(fill)(to + r * pitch + columns, to[r * pitch + columns - 1]);
}
//: move weave
#undef JOIN
#undef JOINED
#undef PUT2
#undef PUT3
#undef PUT4
#undef BYTES
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), index(11, x, y, z), \
    index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Of which byte of two vectors byte k is, for vector `part` of those that give an element each of `period` vectors in
 * turn, to which vector `c` is added; before the first is, the others are vector 0. */
#define JOIN(k, part, c, period) \
    ((part * 16 + k) / (int)sizeof(T) % period == c \
         ? 16 + (part * 16 + k) / (int)sizeof(T) / period * (int)sizeof(T) + k % (int)sizeof(T) \
     : c == 1 ? (part * 16 + k) / (int)sizeof(T) / period * (int)sizeof(T) + k % (int)sizeof(T) : k)
typedef u8 N(vector) __attribute__((vector_size(16), aligned(1), may_alias));
#define JOINED(x, y, part, c, period) __builtin_shufflevector(x, y, BYTES(JOIN, part, c, period))
#define PUT2(part) *(N(vector) *)(to + 2 * g + part * SIDE) = JOINED(x[0], x[1], part, 1, 2);
#define PUT3(part) *(N(vector) *)(to + 3 * g + part * SIDE) = JOINED(JOINED(x[0], x[1], part, 1, 3), x[2], part, 2, 3);
#define PUT4(part) \
    *(N(vector) *)(to + 4 * g + part * SIDE) = \
        JOINED(JOINED(JOINED(x[0], x[1], part, 1, 4), x[2], part, 2, 4), x[3], part, 3, 4);
#endif
/* An element of each of `period` rows that lie `step` apart, in turn. */
static inline void N(interleave)(T *to, const char *from, i64 step, i64 count, const i64 period)
{
    i64 g = 0;
#ifdef JOINED
    enum { SIDE = 16 / sizeof(T) };
    for (; g + SIDE <= count; g += SIDE) {
        N(vector) x[4];
        for (int c = 0; c < period; c++)
            x[c] = *(const N(vector) *)(from + g * sizeof(T) + c * step);
        if (period == 2) {
            PUT2(0) PUT2(1)
        } else if (period == 3) {
            PUT3(0) PUT3(1) PUT3(2)
        } else {
            PUT4(0) PUT4(1) PUT4(2) PUT4(3)
        }
    }
#endif
    for (; g < count; g++)
        for (i64 c = 0; c < period; c++)
            to[g * period + c] = *(const T *)(from + g * sizeof(T) + c * step);
}
/* Groups up to number `end`, and from `next` to the last. */
static inline void N(groups)(T *to, const char *from, i64 step, i64 jump, i64 end, i64 next, i64 count, const i64 period)
{
    for (i64 g = 0; g < count; g++) {
        g = g == end ? next : g;
        for (i64 c = 0; c < period && g < count; c++)
            to[g * period + c] = *(const T *)(from + g * jump + c * step);
    }
}
#undef SHUFFLES
#ifdef __SSSE3__
#define SHUFFLES
/* Groups of which as many as a vector holds lie within 16 bytes. What a vector reads too much lies among the groups, or
 * the `before` and `after` that the row has on both sides; what it writes too much is written again, or goes behind.
 * Returns the number of the first group of the rest, which is behind those in front of *first. */
static inline i64 N(shuffled)(T *to, const char *from, i64 step, i64 jump, i64 count, i64 before, i64 after,
                              const i64 period, i64 *first)
{
    typedef char order __attribute__((vector_size(16), aligned(1), may_alias));
    const i64 one = sizeof(T), many = 16 / (period * one), back = (many - 1) * jump, side = (period - 1) * step;
    const i64 low = (back < 0 ? back : 0) + (side < 0 ? side : 0), above = (side > 0 ? side : 0) + one;
    char which[16] = {0};
    i64 g = 0, last;
    int k = 0;
    *first = 0;
    if (many == 0 || jump == 0 || (back > 0 ? back : 0) + above - low > 16 || count < 3 * many)
        return 0;
    for (i64 group = 0; group < many; group++)
        for (i64 c = 0; c < period; c++)
            for (i64 byte = 0; byte < one; byte++)
                which[k++] = (char)(group * jump + c * step - low + byte);
    for (; jump < 0 && (g + before) * jump + low + 16 > above && g < count - many; g++)
        ; /* too much would lie in front of all groups */
    *first = g;
    for (last = count - many; jump > 0 && last * jump + low + 16 > (count + after - 1) * jump + above && last > 0; last--)
        ;
    const order mask = *(const order *)which;
    for (; g < last + many; g += 4 * many)
        for (i64 k = 0; k < 4; k++) {
            const i64 at = g + k * many < last ? g + k * many : last;
            *(order *)(to + at * period) = (order)__builtin_ia32_pshufb128(*(const order *)(from + at * jump + low), mask);
        }
    return last + many;
}
#endif
static inline void N(gathered)(T *to, const char *from, i64 step, i64 jump, i64 count, i64 before, i64 after,
                               const i64 period)
{
    i64 first = 0, next = 0;
    if (jump == (i64)sizeof(T)) {
        N(interleave)(to, from, step, count, period);
        return;
    }
#ifdef SHUFFLES
    next = N(shuffled)(to, from, step, jump, count, before, after, period, &first);
#endif
    N(groups)(to, from, step, jump, first, next, count, period);
}
/* `count` groups, with room for a block behind them; the row has so many more of them before and after. */
SEPARATE static void N(weave)(T *to, const char *from, i64 step, i64 jump, i64 period, i64 count, i64 before, i64 after)
{
    if (period == 2)
        N(gathered)(to, from, step, jump, count, before, after, 2);
    else if (period == 3)
        N(gathered)(to, from, step, jump, count, before, after, 3);
    else
        N(gathered)(to, from, step, jump, count, before, after, 4);
    N(fill)(to + count * period, to[count * period - 1]);
}
//: move nested
SEPARATE static const T *N(nested)(T *block, const char *from, i64 step, i64 jump, i64 period, i64 i, int m)
{
    i64 inner = i % period;
    from += i / period * jump;
    for (int j = 0; j < BLOCK; j++) {
        block[j] = *(const T *)(from + inner * step);
        if (j < m - 1 && ++inner == period)
            inner = 0, from += jump;
    }
    return block;
}
//: move repeat
SEPARATE static void N(repeat)(T *pattern, const char *from, i64 step, i64 period)
{
    for (i64 j = 0; j < period; j++)
        pattern[j] = *(const T *)(from + j * step);
    for (i64 j = period; j < period + BLOCK; j++)
        pattern[j] = pattern[j - period];
}
//: move fill
SEPARATE static void N(fill)(T *block, T value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
//: move put
SEPARATE static void N(put)(T *to, const T *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
//: move scatter
SEPARATE static void N(scatter)(char *to, i64 step, const T *block, int m)
{
    for (int j = 0; j < m; j++)
        *(T *)(to + j * step) = block[j];
}
//: move spread
SEPARATE static void N(spread)(char *to, i64 step, i64 jump, i64 period, i64 i, const T *block, int m)
{
    i64 inner = i % period;
    to += i / period * jump;
    for (int j = 0; j < m; j++) {
        *(T *)(to + inner * step) = block[j];
        if (++inner == period)
            inner = 0, to += jump;
    }
}
//: move expand
/* A row of several short groups; what it repeats is gathered once and copied, whole blocks at a time: what
 * goes too far is written again, and behind the row there is room for a block. */
SEPARATE static void N(expand)(T *row, const char *from, const int *offsets, i64 distinct, i64 columns)
{
    for (i64 j = 0; j < distinct; j++)
        row[j] = *(const T *)(from + offsets[j]);
    for (i64 j = distinct; j < columns; j += distinct)
        for (i64 k = 0; k < distinct; k += BLOCK) {
            INDEPENDENT
            for (int q = 0; q < BLOCK; q++)
                row[j + k + q] = row[k + q];
        }
    for (int j = 0; j < BLOCK; j++)
        row[columns + j] = row[columns - 1];
}
//: move place
SEPARATE static void N(place)(char *to, const int *offsets, const T *block, int m)
{
    for (int j = 0; j < m; j++)
        *(T *)(to + offsets[j]) = block[j];
}
//: move run
/* `count` elements that lie `pace` bytes apart. */
static inline void N(run)(T *to, const char *from, i64 pace, i64 count)
{
    if (pace == (i64)sizeof(T))
        for (i64 j = 0; j < count; j++)
            to[j] = ((const T *)from)[j];
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
//: move bounded_to
/* Where a digit of some level lies outside its bounds what is read stands in the level. */
static inline const char *N(bounded_to)(const char *from, const i64 *map, i64 row, i64 number)
{
    const i64 *level = map + 1;
    i64 next = row;
    for (i64 levels = *map; levels > 0; levels--) {
        const i64 n = *level, *extents = level + 3, *strides = extents + n, *low = strides + n, *high = low + n;
        next += level[1];
        for (i64 k = 0; k < n; k++) {
            i64 digit = number;
            if (k + 1 < n) { /* 32 bits divide faster */
                number = (u64)(number | extents[k]) >> 32 ? number / extents[k] : (i64)((u32)number / (u32)extents[k]);
                digit -= number * extents[k];
            }
            if (digit < low[k] || digit >= high[k])
                return (const char *)(level + 2);
            next += digit * strides[k];
        }
        level = high + n;
        number = next;
        next = 0;
    }
    return from + number;
}
//: move bounded
/* Each element by itself. */
SEPARATE static const T *N(bounded)(T *block, const char *from, const i64 *map, i64 row, i64 i, int m)
{
    for (int j = 0; j < m; j++)
        block[j] = *(const T *)N(bounded_to)(from, map, row, i + j);
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
SEPARATE static void N(taken_bounded)(T *block, const char *from, const i64 *map, const i64_m *numbers)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = numbers[j] < 0 ? (T)0 : *(const T *)N(bounded_to)(from, map, 0, numbers[j]);
}
//: move lookup
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
__attribute__((optimize("no-tree-vectorize"))) /* gcc gathers slower than it loads */
#endif
SEPARATE static void N(lookup)(T *block, const T *table, const u8_m *entry)
{
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC unroll 16 /* a processor may guess the end of a loop of 64 steps wrongly each time */
#endif
    for (int j = 0; j < BLOCK; j++)
        block[j] = table[entry[j]];
}
//: vector head
#if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__
enum { LANES = 16 };
#define WIDE "v"
#define BYTES_IN_ORDER {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
#define WORDS_IN_ORDER {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
#elif defined __GNUC__ && !defined __TINYC__ && defined __AVX2__
enum { LANES = 8 };
#define WIDE "x"
#define BYTES_IN_ORDER {0, 4, 1, 5, 2, 6, 3, 7}
#define WORDS_IN_ORDER {0, 1, 4, 5, 2, 3, 6, 7}
#endif
#ifdef WIDE
typedef i32 ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u32 words __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f32 floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u8 bytes __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
typedef u8 quarter __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef u8 half __attribute__((vector_size(2 * LANES), aligned(1), may_alias));
#define EXTEND_u8 "vpmovzxbd"
#define EXTEND_i8 "vpmovsxbd"
#define EXTEND_u16 "vpmovzxwd"
#define EXTEND_i16 "vpmovsxwd"
#define WORDS_u8 "vpackusdw"
#define WORDS_i8 "vpackssdw"
#define WORDS_u16 "vpackusdw"
#define WORDS_i16 "vpackssdw"
#define BYTES_u8 "vpackuswb"
#define BYTES_i8 "vpacksswb"
#define BYTES_u16 ""
#define BYTES_i16 ""
#define FOR(what, type) what##_##type
static inline int streams(const struct weft_args *args, const void *to)
{
    return args->stream && (u64)to % sizeof(bytes) == 0;
}
static inline void stream(void *to, const void *from, int size)
{
    for (int k = 0; k < size; k += sizeof(bytes)) {
        const bytes x = *(const bytes *)((const char *)from + k);
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)((char *)to + k)) : WIDE(x));
    }
}
static inline void fence(void)
{
    __asm__ volatile("sfence" ::: "memory");
}
#else
static inline int streams(const struct weft_args *args, const void *to)
{
    return 0;
}
static inline void stream(void *to, const void *from, int size)
{
}
static inline void fence(void)
{
}
#endif
#ifdef __clang__ /* inline, clang 14 peels the loop behind by an element, and reads across stores */
#define CONVERSION SEPARATE static
#else
#define CONVERSION static inline
#endif
/* Brings what a later block reads near, if the work is large. */
static inline void fetch(const void *from, i64 ahead, int size)
{
#if defined __GNUC__ && !defined __TINYC__
    if (!ahead)
        return;
    for (int k = 0; k < BLOCK * size; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* The same for a load along a row that begins at `p`, of columns i and following, in steps of so many bytes for `period`
 * columns. Where it descends a processor stops at a page; what the next tile or row reads is then fetched, upwards.
 * Not inline, gcc takes calls for ones without an effect. */
#if defined __GNUC__ && !defined __TINYC__
__attribute__((always_inline))
#endif
static inline void fetch_row(const struct weft_args *args, const struct weft_geometry *s, const char *p, const i64 *strides,
                             i64 period, i64 column0, i64 column1, i64 i, i64 count)
{
#if defined __GNUC__ && !defined __TINYC__
    const i64 jump = strides[s->groups + (period > 1)], most = 64 * period;
    if (!args->ahead || jump > most || jump < -most || (column1 - column0) / period * -jump > 16384)
        return;
    if (jump >= 0)
        p += i / period * jump + args->ahead;
    else if (s->row_tiles == 1 && s->groups)
        p += strides[s->groups - 1] + (column1 - i + column0) / period * jump;
    else
        p += (2 * column1 - i) / period * jump;
    for (i64 k = 0, bytes = count / period * (jump < 0 ? -jump : jump); k < bytes; k += 64)
        __builtin_prefetch(p + k);
#endif
}
/* Elements in front of the first block that starts on a cache line. */
static inline i64 first_block(const struct weft_args *args, const char *to, int size)
{
    return args->stream ? (i64)(-(u64)to % 64 / size) % BLOCK : 0;
}
//: widen widen
#ifdef WIDE
CONVERSION void M(widen)(f32_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        ints x;
        floats y;
        if (sizeof(S) == 1)
            __asm__(FOR(EXTEND, S) " %1, %0" : "=" WIDE(x) : "m"(*(const quarter *)(a + j)));
        else
            __asm__(FOR(EXTEND, S) " %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        __asm__("vcvtdq2ps %1, %0" : "=" WIDE(y) : WIDE(x));
        *(floats *)(r + j) = y;
    }
}
#else
CONVERSION void M(widen)(f32_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = (f32)a[j];
}
#endif
//: narrow narrow
#ifdef WIDE
/* Halves to even; above T becomes its largest, NaN 0; below stays below, for the packing to saturate. */
static inline ints M(whole)(const f32_m *a)
{
    const f32 largest = (f32)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    const floats top = (floats){0} + largest;
    floats x = *(const floats *)a;
    ints r;
    if ((T)-1 < (T)1)
        x = (floats)((ints)x & (ints)(x == x));
    __asm__("vminps %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
    __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
    return r;
}
CONVERSION void M(narrow)(T_m *r, const f32_m *a)
{
    const ints words_ = WORDS_IN_ORDER, bytes_ = BYTES_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 4 * LANES / sizeof(T)) {
        ints x = M(whole)(a + j), y = M(whole)(a + j + LANES);
        __asm__(FOR(WORDS, T) " %1, %0, %0" : "+" WIDE(x) : WIDE(y));
        if (sizeof(T) == 1) {
            ints z = M(whole)(a + j + 2 * LANES), w = M(whole)(a + j + 3 * LANES);
            __asm__(FOR(WORDS, T) " %1, %0, %0" : "+" WIDE(z) : WIDE(w));
            __asm__(FOR(BYTES, T) " %1, %0, %0" : "+" WIDE(x) : WIDE(z));
        }
        __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(sizeof(T) == 1 ? bytes_ : words_));
        *(bytes *)(r + j) = (bytes)x; /* an output may have any alignment */
    }
}
#else
CONVERSION void M(narrow)(T_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(roundsat)(a[j]);
}
#endif
//: unpack unpack
#if defined WIDE && defined __F16C__
CONVERSION void M(unpack)(T_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x;
        if (FRACTION == 10) {
            __asm__("vcvtph2ps %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        } else {
            ints y;
            __asm__("vpmovzxwd %1, %0" : "=" WIDE(y) : "m"(*(const half *)(a + j)));
            x = (floats)(y << 16);
        }
        *(floats *)(r + j) = x;
    }
}
#else
CONVERSION void M(unpack)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(decode)(a[j]);
}
#endif
//: pack pack
#if defined WIDE && defined __F16C__
/* The nearest that a bfloat16 holds, in the lower half of each element. */
static inline ints M(rounded)(const S_m *a)
{
    const floats x = *(const floats *)a;
    const words y = (words)x, nan = (words)(x != x);
    return (ints)(((nan & (y | 1 << 22)) | (~nan & (y + 0x7fff + (y >> 16 & 1)))) >> 16);
}
CONVERSION void M(pack)(T_m *r, const S_m *a)
{
    const ints order = WORDS_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 2 * LANES) {
        if (FRACTION == 10) {
            const floats x = *(const floats *)(a + j), y = *(const floats *)(a + j + LANES);
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j)) : WIDE(x));
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j + LANES)) : WIDE(y));
        } else {
            ints x = M(rounded)(a + j), y = M(rounded)(a + j + LANES);
            __asm__("vpackusdw %1, %0, %0" : "+" WIDE(x) : WIDE(y));
            __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(order));
            *(bytes *)(r + j) = (bytes)x;
        }
    }
}
#else
CONVERSION void M(pack)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(encode)(a[j]);
}
#endif
//: nearest nearest
#if defined WIDE && defined __F16C__
CONVERSION void M(nearest)(T_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x = *(const floats *)(a + j);
        half y;
        __asm__("vcvtps2ph $0, %1, %0" : "=" WIDE(y) : WIDE(x));
        __asm__("vcvtph2ps %1, %0" : "=" WIDE(x) : WIDE(y));
        *(floats *)(r + j) = x;
    }
}
#else
CONVERSION void M(nearest)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(to_float16)(a[j]);
}
#endif
