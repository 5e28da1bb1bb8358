/* Elements that do not lie beside each other, gathered into blocks, rows and tiles by shuffles of vectors; for a storage
 * type T, as prelude_c.h. */

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
