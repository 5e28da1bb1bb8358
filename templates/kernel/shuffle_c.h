/* Elements that do not lie beside each other, gathered into blocks, rows and tiles by shuffles of vectors; for a
 * storage type T, as prelude_c.h. */

//: vector shuffles
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define SIXTEEN(index, o, x, y, z) \
    index((o), x, y, z), index((o + 1), x, y, z), index((o + 2), x, y, z), index((o + 3), x, y, z), \
    index((o + 4), x, y, z), index((o + 5), x, y, z), index((o + 6), x, y, z), index((o + 7), x, y, z), \
    index((o + 8), x, y, z), index((o + 9), x, y, z), index((o + 10), x, y, z), index((o + 11), x, y, z), \
    index((o + 12), x, y, z), index((o + 13), x, y, z), index((o + 14), x, y, z), index((o + 15), x, y, z)
/* SHUFFLE(size, x, y, index, ..): a vector whose byte k is byte index(k, ..) of x and, behind it, y, in elements of
 * this size. */
#if defined __AVX512VBMI__ && defined __AVX512BW__
#define VBMI
enum { OWN(VECTOR_BYTES) = 64 };
typedef u8 OWN(vector) __attribute__((vector_size(64), aligned(1), may_alias));
typedef u32 OWN(words) __attribute__((vector_size(64)));
static inline vector OWN(shuffled)(vector x, vector y, vector order, const int size)
{
    if (size == 4)                 /* in fewer steps than bytes */
        __asm__("vpermt2d %2, %1, %0" : "+v"(x) : "v"(((words)order & 255) / 4), "v"(y));
    else
        __asm__("vpermt2b %2, %1, %0" : "+v"(x) : "v"(order), "v"(y));
    return x;
}
#define SHUFFLE(size, x, y, index, a, b, c) \
    shuffled(x, y, (vector){SIXTEEN(index, 0, a, b, c), SIXTEEN(index, 16, a, b, c), SIXTEEN(index, 32, a, b, c), \
                            SIXTEEN(index, 48, a, b, c)}, size)
/* Bytes of what is at `from` in this order, 0 where they are not its own; only those used are read. */
static inline vector OWN(ordered_bytes)(const char *from, vector order, u64 own, u64 used)
{
    vector x;
    __asm__("vmovdqu8 %1, %0%{%2%}%{z%}" : "=v"(x) : "m"(*(const vector *)from), "Yk"(used));
    __asm__("vpermb %0, %1, %0%{%2%}%{z%}" : "+v"(x) : "v"(order), "Yk"(own));
    return x;
}
static inline vector OWN(permuted)(vector x, vector order)
{
    __asm__("vpermb %0, %1, %0" : "+v"(x) : "v"(order));
    return x;
}
#define ORDER ordered_bytes
#define BY_ORDER
#else
enum { OWN(VECTOR_BYTES) = 16 };
typedef u8 OWN(vector) __attribute__((vector_size(16), aligned(1), may_alias));
#define SHUFFLE(size, x, y, index, a, b, c) __builtin_shufflevector(x, y, SIXTEEN(index, 0, a, b, c))
#ifdef __SSSE3__
typedef char OWN(signs) __attribute__((vector_size(16), aligned(1), may_alias));
#define ORDER(from, order, own, used) \
    ((void)(own), (void)(used), (vector)__builtin_ia32_pshufb128(*(const signs *)(from), (signs)(order)))
static inline vector OWN(permuted)(vector x, vector order)
{
    return (vector)__builtin_ia32_pshufb128((signs)x, (signs)order);
}
#define BY_ORDER
#endif
#endif
#endif
#ifdef SHUFFLE
static inline void OWN(put_vector)(void *to, vector x, int past)
{
#ifdef WIDE
    if (past) {
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(vector *)to) : WIDE(x));
        return;
    }
#endif
    *(vector *)to = x;
}
#endif
/* Elements of a group, and places from which a group's elements come, at most. */
enum { OWN(MOST_INTERLEAVED) = 8, OWN(MOST_SOURCES) = 4, OWN(MOST_COLUMNS) = 512 };
/* How a strip is written: into what is near, where lines are fetched two ahead, or past the caches. */
enum { OWN(NEAR), OWN(CLAIMED), OWN(PAST) };
/* How one element becomes a group of `period`: of a vector of them come so many, each by an order. */
struct OWN(repeated_orders) {
#ifdef BY_ORDER
    vector order[MOST_INTERLEAVED];
#endif
    i64 period;
};
/* How groups are made by ordering the bytes of a vector from each of a few sources: elements that lie near each other
 * and are as far from those of the next group. */
struct OWN(interleaved_source) {
    i64 first, jump, low, above;   /* its first element, bytes to the next group, and between which from there a group
                                      lies */
#ifdef BY_ORDER
    vector order;                  /* where each byte comes from, in the source's vector; 128: from another source */
    u64 own, used;                 /* the bytes that are its own, and those of the source that are used, a bit each */
#endif
};
struct OWN(interleaved_orders) {
    i64 of[MOST_INTERLEAVED];      /* each element's source, */
    i64 offsets[MOST_INTERLEAVED]; /* and how far it is from the first one there */
    struct interleaved_source sources[MOST_SOURCES];
    i64 count, many, period;       /* sources; groups of a vector, 0: none; elements of a group */
    struct repeated_orders same;   /* of groups that are one element each */
};
/* Where a row is whose groups of `period` columns are one element each, turn by turn. */
struct OWN(column_place) {
    const char *first, *behind;    /* the groups' elements, and behind them */
    const char *from, *stop;       /* the next one; up to where a turn reads no more than there are */
    i64 period, pace, rest;        /* bytes of the whole groups of a turn, and the columns behind them */
    i64 next, place;               /* the column that follows, and its place in its group */
    const char *kept;              /* the first of the last groups, once they are copied; else NULL */
};
/* Where the elements of a turn come from: where it begins in front of column `place` of a group, they have the numbers
 * from that column's on, a few for each, which are those of their parts in what the turn reads. */
struct OWN(column_order) {
    i64 period;                    /* 0: nothing is known yet */
    u64 last[32];                  /* elements of the last groups, of which a turn would read more than there are */
    u8 numbers[(MOST_COLUMNS + BLOCK) * 8];
};
/* Of elements of this size: the bytes that a turn reads and writes, and how many parts one has. column_vector(x, y,
 * numbers, size) has those parts of x and, behind it, y that have these numbers. */
#if defined __AVX512BW__ && defined __GNUC__ && !defined __TINYC__
#define COLUMN_READS(size) ((size) == 1 ? 64 : 128)
#define COLUMN_WRITES(size) 256
#define COLUMN_PARTS(size) 1
typedef u8 OWN(column_bytes) __attribute__((vector_size(64), aligned(1), may_alias));
static inline column_bytes OWN(column_vector)(column_bytes x, column_bytes y, const u8 *numbers, const int size)
{
    const column_bytes *const these = (const column_bytes *)numbers;
    column_bytes order = *these;
    if (size == 8)
        __asm__("vpmovzxbq %1, %0" : "=v"(order) : "m"(*these));
    if (size == 4)
        __asm__("vpmovzxbd %1, %0" : "=v"(order) : "m"(*these));
    if (size == 2)
        __asm__("vpmovzxbw %1, %0" : "=v"(order) : "m"(*these));
    if (size == 8)
        __asm__("vpermi2q %2, %1, %0" : "+v"(order) : "v"(x), "v"(y));
    if (size == 4)
        __asm__("vpermi2d %2, %1, %0" : "+v"(order) : "v"(x), "v"(y));
    if (size == 2)
        __asm__("vpermi2w %2, %1, %0" : "+v"(order) : "v"(x), "v"(y));
    if (size > 1)
        return order;
#ifdef __AVX512VBMI__
    __asm__("vpermb %1, %0, %0" : "+v"(order) : "v"(x));
#else
    column_bytes half;             /* no number is above 32 */
    __asm__("vpmovzxbw %t1, %0" : "=v"(y) : "v"(x));
    __asm__("vpmovzxbw %1, %0\n\tvpermw %2, %0, %0\n\tvpmovwb %0, %t0" : "=&v"(order) : "m"(*these), "v"(y));
    __asm__("vpmovzxbw %1, %0\n\tvpermw %2, %0, %0\n\tvpmovwb %0, %t0"
            : "=&v"(half) : "m"(*(const column_bytes *)(numbers + 32)), "v"(y));
    __asm__("vinserti64x4 $1, %t1, %0, %0" : "+v"(order) : "v"(half));
#endif
    return order;
}
#elif defined __AVX2__ && defined __GNUC__ && !defined __TINYC__
#define COLUMN_READS(size) ((size) < 4 ? 16 : 32)
#define COLUMN_WRITES(size) ((size) < 4 ? 32 : 64)
#define COLUMN_PARTS(size) ((size) == 8 ? 2 : (size) == 4 ? 1 : (size))
typedef u8 OWN(column_bytes) __attribute__((vector_size(32), aligned(1), may_alias));
static inline column_bytes OWN(column_vector)(column_bytes x, column_bytes y, const u8 *numbers, const int size)
{
    const column_bytes *const these = (const column_bytes *)numbers;
    column_bytes order;
    if (size < 4)
        __asm__("vpshufb %2, %1, %0" : "=x"(order) : "x"(x), "m"(*these));
    else
        __asm__("vpmovzxbd %2, %0\n\tvpermd %1, %0, %0" : "=&x"(order) : "x"(x), "m"(*these));
    return order;
}
#elif defined BY_ORDER
#define COLUMN_READS(size) 16
#define COLUMN_WRITES(size) 32
#define COLUMN_PARTS(size) (size)
typedef vector OWN(column_bytes);
static inline column_bytes OWN(column_vector)(column_bytes x, column_bytes y, const u8 *numbers, const int size)
{
    return permuted(x, *(const column_bytes *)numbers);
}
#endif
/* Brings bytes `done` and following of the next tile near: `side` bytes of columns that lie `step` apart, from `column`
 * on. Negative: from the first one on of the next rows. */
static inline void OWN(fetch_transposed)(const char *from, i64 step, i64 side, i64 column, i64 done, i64 count)
{
#if defined __GNUC__ && !defined __TINYC__
    from += column < 0 ? side : column * step;
    if (step == side)
        for (i64 k = 0; k < count; k += 64)
            __builtin_prefetch(from + done + k);
    else if (count >= 256) /* of elements of 1 and 2 bytes the shuffles take longer than memory */
        for (i64 k = (u32)done / (u32)side; k < (u32)(done + count) / (u32)side; k++)
            __builtin_prefetch(from + k * step);
#endif
}
/* Brings `count` columns near that lie `step` apart. */
static inline void OWN(fetch_columns)(const char *from, i64 step, i64 count)
{
#if defined __GNUC__ && !defined __TINYC__
    const i64 pace = step > 256 ? step : 64; /* nearer ones have hardly a line between them */
    for (i64 k = 0; k < count * step; k += pace)
        __builtin_prefetch(from + k);
#endif
}
//: move gather
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(T) * step * (int)sizeof(T) + k % (int)sizeof(T))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
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
/* Brings a block whose elements are a step apart. */
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
//: move take_parts
#undef EVERY
#undef FIRST_OF
#undef LATER_OF
#undef WHERE
#undef WHERE_FROM
#undef WHERE_LAST
#undef LINED
#undef QUARTERS
#undef PUT_PART
#undef PART3
#undef PART4
#undef TAKE
#ifdef SHUFFLE
/* Of which byte of all vectors byte k of a part is. */
#define EVERY(k, part, parts, x) ((k / ONE * parts + part) * ONE + k % ONE)
#define PUT_PART(part, y) *(vector *)(to + part * pitch + j) = y;
#ifdef VBMI
/* The same of the first two of more, and of what is then there and the others. */
#define FIRST_OF(k, part, parts, x) (EVERY(k, part, parts, x) & 127)
#define LATER_OF(k, part, parts, x) \
    (EVERY(k, part, parts, x) < 128 ? k : 64 + (parts == 3 ? EVERY(k, part, parts, x) & 63 : k))
#define PART3(part) \
    y = SHUFFLE(ONE, x[0], x[1], FIRST_OF, part, 3, 0); \
    PUT_PART(part, SHUFFLE(ONE, y, x[2], LATER_OF, part, 3, 0))
#define PART4(part) \
    y = SHUFFLE(ONE, x[0], x[1], FIRST_OF, part, 4, 0); \
    z = SHUFFLE(ONE, x[2], x[3], FIRST_OF, part, 4, 0); \
    PUT_PART(part, SHUFFLE(ONE, y, z, LATER_OF, part, 4, 0))
#else
/* In which of three vectors the element of the part is that stands where byte k does: each place has one. */
#define WHERE(k, part) ((k / ONE - part + 3) % 3 == 0 ? 0 : (SIDE + k / ONE - part + 3) % 3 == 0 ? 1 : 2)
#define WHERE_FROM(k, part, x, y) (WHERE(k, part) == 1 ? 16 + k : k)
#define WHERE_LAST(k, part, x, y) (WHERE(k, part) == 2 ? 16 + k : k)
/* Where element k / ONE of the part then stands. */
#define LINED(k, part, x, y) ((k / ONE * 3 + part) % SIDE * ONE + k % ONE)
/* The elements of a vector in the order of their four parts, in 4 bytes each. */
#define QUARTERS(k, x, y, z) (k % 4 / ONE * 4 * ONE + k / 4 * ONE + k % ONE)
#define PART3(part) \
    y = SHUFFLE(ONE, x[0], x[1], WHERE_FROM, part, 0, 0); \
    y = SHUFFLE(ONE, y, x[2], WHERE_LAST, part, 0, 0); \
    PUT_PART(part, SHUFFLE(ONE, y, y, LINED, part, 0, 0))
#define PART4(part, a, b, c, d) \
    PUT_PART(part, (vector)__builtin_shufflevector(w[part / 2], w[part / 2 + 2], a, b, c, d))
#endif
/* `count` elements of each part, whole blocks, from vectors that hold an element of each in turn. */
static inline void N(taken_apart)(T *to, const i64 pitch, const char *from, const int parts, i64 count)
{
    enum { ONE = sizeof(T), SIDE = VECTOR_BYTES / ONE };
    for (i64 j = 0; j < count; j += SIDE, from += VECTOR_BYTES * parts) {
        vector x[4], y, z;
        for (int k = 0; k < parts; k++)
            x[k] = *(const vector *)(from + VECTOR_BYTES * k);
        if (parts == 2) {
            PUT_PART(0, SHUFFLE(ONE, x[0], x[1], EVERY, 0, 2, 0)) PUT_PART(1, SHUFFLE(ONE, x[0], x[1], EVERY, 1, 2, 0))
        } else if (parts == 3) {
            PART3(0) PART3(1) PART3(2)
        } else {
#ifdef VBMI
            PART4(0) PART4(1) PART4(2) PART4(3)
#else
            typedef u32 words4 __attribute__((vector_size(16), aligned(1), may_alias));
            words4 w[4];
            for (int k = 0; k < 4; k++)
                x[k] = SHUFFLE(ONE, x[k], x[k], QUARTERS, 0, 0, 0);
            for (int k = 0; k < 4; k += 2) {
                w[k / 2 * 2] = __builtin_shufflevector((words4)x[k], (words4)x[k + 1], 0, 4, 1, 5);
                w[k / 2 * 2 + 1] = __builtin_shufflevector((words4)x[k], (words4)x[k + 1], 2, 6, 3, 7);
            }
            PART4(0, 0, 1, 4, 5) PART4(1, 2, 3, 6, 7) PART4(2, 0, 1, 4, 5) PART4(3, 2, 3, 6, 7)
#endif
        }
    }
}
#endif
#ifdef VBMI
#define TAKE(kind) \
    __asm__("vperm" kind " %2, %1, %0%{%3%}" : "+v"(y) : "v"(places.order), "m"(*(const vector *)at), "Yk"(own[v]));
/* The same of up to 8 parts, one after the other: each vector gives what it has of the part to the places of a mask,
 * which follow those of the one before. */
static inline __attribute__((always_inline)) void N(taken_out)(T *to, i64 pitch, const char *from, const i64 parts,
                                                               i64 count)
{
    enum { SIDE = VECTOR_BYTES / sizeof(T) };
    union {
        vector order;
        u8 bytes[VECTOR_BYTES];
    } places = {{0}}, next = {{0}}; /* numbers of elements: the lowest byte of each, which wraps */
    for (int k = 0; k < SIDE; k++) {
        places.bytes[k * sizeof(T)] = (u8)(k * parts);
        next.bytes[k * sizeof(T)] = 1;
    }
    for (i64 c = 0; c < parts; c++, to += pitch, places.order += next.order) {
        const char *at = from;
        u64 own[8];
        UNROLLED
        for (int v = 0; v < parts; v++)
            own[v] = ((u64)1 << ((v * SIDE + SIDE - c + parts - 1) / parts - 1) << 1) -
                     ((u64)1 << (v * SIDE - c + parts - 1) / parts);
        for (i64 j = 0; j < count; j += SIDE) {
            vector y = places.order;
            UNROLLED
            for (int v = 0; v < parts; v++, at += VECTOR_BYTES)
                if (sizeof(T) == 4)
                    TAKE("d")
                else if (sizeof(T) == 2)
                    TAKE("w")
                else
                    TAKE("b")
            *(vector *)(to + j) = y;
        }
    }
}
#endif
/* `count` elements that stand `step` apart in memory, and those between them: a row for each of the parts, `pitch`
 * apart, which goes on with its last element to the end of a block. */
SEPARATE static void N(take_parts)(T *to, i64 pitch, const char *from, i64 step, i64 count)
{
    const i64 parts = step / (i64)sizeof(T), whole = count / BLOCK * BLOCK;
    i64 first = 0;
#ifdef SHUFFLE
    first = whole;
    if (parts == 2)
        N(taken_apart)(to, pitch, from, 2, whole);
    else if (parts == 3)
        N(taken_apart)(to, pitch, from, 3, whole);
    else if (parts == 4 && sizeof(T) < 8)
        N(taken_apart)(to, pitch, from, 4, whole);
#ifdef VBMI
    else if (parts == 5)
        N(taken_out)(to, pitch, from, 5, whole);
    else if (parts == 6)
        N(taken_out)(to, pitch, from, 6, whole);
    else if (parts == 7)
        N(taken_out)(to, pitch, from, 7, whole);
    else if (parts == 8)
        N(taken_out)(to, pitch, from, 8, whole);
#endif
    else
        first = 0;
#endif
    for (i64 c = 0; c < parts; c++)
        for (i64 j = first; j < (count + BLOCK - 1) / BLOCK * BLOCK; j++)
            to[c * pitch + j] = ((const T *)from)[(j < count ? j : count - 1) * parts + c];
}
//: move column
#undef COLUMN_TURN
#ifdef COLUMN_READS /* columns of a turn */
#define COLUMN_TURN \
    (COLUMN_WRITES(sizeof(T)) / (int)sizeof(T) < BLOCK ? COLUMN_WRITES(sizeof(T)) / (int)sizeof(T) : BLOCK)
#else
#define COLUMN_TURN BLOCK
#endif
/* Goes to column i. */
static inline void N(go_to_column)(struct column_place *at, i64 i)
{
    if (RARE(i != at->next))
        at->from = at->first + i / at->period * (i64)sizeof(T), at->place = i % at->period;
    at->next = i;
}
/* What is known of a row from column i on. */
static inline struct column_place N(column_at)(struct column_order *order, const char *row, i64 period, i64 columns,
                                               i64 i)
{
#ifdef COLUMN_READS
    enum { PARTS = COLUMN_PARTS(sizeof(T)), READS = COLUMN_READS(sizeof(T)) };
    const u32 part = (1u << 20) / (u32)period + 1; /* of 2 ** 20, for a division */
    for (u32 k = 0; order->period != period && k < ((u32)period + BLOCK) * PARTS; k++)
        order->numbers[k] = (u8)((k / PARTS * part >> 20) * PARTS + k % PARTS);
    order->period = period;
#else
    enum { READS = sizeof(T) };
#endif
    const char *const behind = row + columns / period * (i64)sizeof(T);
    return (struct column_place){row, behind, row + i / period * (i64)sizeof(T), behind - READS, period,
                                 COLUMN_TURN / (u32)period * sizeof(T), COLUMN_TURN % (u32)period, i, i % period, 0};
}
/* The next turn of the row. */
static inline __attribute__((always_inline)) void N(column_turn)(T *to, struct column_order *order,
                                                                 struct column_place *at)
{
    const T *from = (const T *)at->from;
#ifdef COLUMN_READS
    enum { SIDE = sizeof(column_bytes) / sizeof(T), READS = COLUMN_READS(sizeof(T)) / sizeof(T),
           PARTS = COLUMN_PARTS(sizeof(T)) };
    if (RARE(at->from > at->stop)) {
        T *const last = (T *)order->last; /* and the very last one again and again */
        for (int k = 0; !at->kept && k < 2 * READS; k++)
            last[k] = ((const T *)at->behind)[-1];
        if (!at->kept && at->from < at->behind)
            __builtin_memcpy(last, from, at->behind - at->from);
        at->kept = at->kept ? at->kept : at->from;
        const i64 along = (at->from - at->kept) / (i64)sizeof(T);
        from = last + (along < READS ? along : READS);
    }
    column_bytes x, y;
    if (READS < SIDE)
        __asm__("vbroadcasti128 %1, %0" : "=x"(x) : "m"(*(const column_bytes *)from));
    else
        x = *(const column_bytes *)from;
    y = READS > SIDE && at->period < 4 ? *(const column_bytes *)(from + SIDE) : x; /* else the first has all */
    UNROLLED
    for (int k = 0; k < COLUMN_TURN; k += SIDE)
        *(column_bytes *)(to + k) = column_vector(x, y, order->numbers + (at->place + k) * PARTS, sizeof(T));
#else
    for (i64 k = 0, end = at->period - at->place; k < BLOCK; k = end, end += at->period) {
        const T x = *from;
        for (i64 q = k; q < end && q < BLOCK; q++)
            to[q] = x;
        from += (const char *)from < at->stop;
    }
#endif
}
/* The next block of a row in which each element stands for a group of columns; by shuffles. */
static inline __attribute__((always_inline)) const T *N(column)(T *block, struct column_order *order,
                                                                struct column_place *at)
{
    UNROLLED
    for (int k = 0; k < BLOCK; k += COLUMN_TURN) {
        N(column_turn)(block + k, order, at);
        at->from += at->pace, at->place += at->rest;
        if (at->place >= at->period)
            at->place -= at->period, at->from += sizeof(T);
    }
    at->next += BLOCK;
    return block;
}
//: move interleaved
#undef JOIN
#undef ZIPPED
#undef PUT
#undef PUT2
#undef PUT3
#undef PUT4
#ifdef SHUFFLE
/* Of which byte of two vectors byte k is, for vector `part` of those that give an element each of `period` vectors in
 * turn, to which vector `c` is added; before the first is, the others are vector 0. */
#define JOIN(k, part, c, period) \
    ((part * VECTOR_BYTES + k) / (int)sizeof(T) % period == c \
         ? VECTOR_BYTES + (part * VECTOR_BYTES + k) / (int)sizeof(T) / period * (int)sizeof(T) + k % (int)sizeof(T) \
     : c == 1 ? (part * VECTOR_BYTES + k) / (int)sizeof(T) / period * (int)sizeof(T) + k % (int)sizeof(T) : k)
#define ZIPPED(x, y, part, c, period) SHUFFLE((int)sizeof(T), x, y, JOIN, part, c, period)
#define PUT(part, period, y) put_vector(to + part * SIDE, y, past);
#define PUT2(part) PUT(part, 2, ZIPPED(x[0], x[1], part, 1, 2))
#define PUT3(part) PUT(part, 3, ZIPPED(ZIPPED(x[0], x[1], part, 1, 3), x[2], part, 2, 3))
#define PUT4(part) \
    PUT(part, 4, ZIPPED(ZIPPED(ZIPPED(x[0], x[1], part, 1, 4), x[2], part, 2, 4), x[3], part, 3, 4))
/* An element of each of `period` vectors in turn, past the caches or not. */
static inline __attribute__((always_inline)) void N(zip)(T *to, const vector *x, const i64 period, int past)
{
    enum { SIDE = VECTOR_BYTES / sizeof(T) };
    if (period == 2) {
        PUT2(0) PUT2(1)
    } else if (period == 3) {
        PUT3(0) PUT3(1) PUT3(2)
    } else {
        PUT4(0) PUT4(1) PUT4(2) PUT4(3)
    }
}
#endif
/* An element of each of `period` rows in turn, of groups `g` to `end`, past the caches or not; the last vector is over
 * the one before. */
static inline void N(interleave)(T *to, const char *const *at, i64 g, i64 end, const i64 period, int past, i64 ahead)
{
#ifdef SHUFFLE
    enum { SIDE = VECTOR_BYTES / sizeof(T) };
    for (const i64 begin = g; g < end && end - begin >= SIDE; g += SIDE) {
        if (g + SIDE > end)
            g = end - SIDE, past = 0;
        vector x[4];
        for (int c = 0; c < period; c++) {
            x[c] = *(const vector *)(at[c] + g * sizeof(T));
            if (ahead)
                __builtin_prefetch(at[c] + g * sizeof(T) + ahead);
        }
        N(zip)(to + period * g, x, period, past);
    }
#endif
    for (; g < end; g++)
        for (i64 c = 0; c < period; c++)
            to[g * period + c] = *(const T *)(at[c] + g * sizeof(T));
}
SEPARATE static void N(interleaved)(T *to, const char *const *at, i64 g, i64 end, i64 period, int past, i64 ahead)
{
    if (period == 2)
        N(interleave)(to, at, g, end, 2, past, ahead);
    else if (period == 3)
        N(interleave)(to, at, g, end, 3, past, ahead);
    else
        N(interleave)(to, at, g, end, 4, past, ahead);
}
//: move repeat_each
#ifdef BY_ORDER
SEPARATE static void N(find_repeats)(struct repeated_orders *o, i64 period)
{
    enum { SIDE = VECTOR_BYTES / sizeof(T), PARTS = 1 << 20 };
    const u32 part = PARTS / (u32)period + 1; /* divides what is below PARTS / period */
    for (i64 v = 0; v < period; v++) {
        ALIGNED u8 order[VECTOR_BYTES];
        EACH(k, VECTOR_BYTES)
            order[k] = (u8)(((u32)(v * SIDE) + (u32)k / sizeof(T)) * part / PARTS * sizeof(T) + (u32)k % sizeof(T));
        o->order[v] = *(const vector *)order;
    }
    o->period = period;
}
/* Writes each of `count` values `period` times, and up to a vector behind. Whole vectors of values are read. */
static inline void N(repeat_each)(T *to, const T *values, i64 period, i64 count, struct repeated_orders *o)
{
    enum { SIDE = VECTOR_BYTES / sizeof(T) };
    if (o->period != period)
        N(find_repeats)(o, period);
    for (i64 left = (count * period - 1) / SIDE + 1; left > 0; left -= period, values += SIDE) {
        const vector x = *(const vector *)values;
        for (i64 v = 0; v < period && v < left; v++, to += SIDE)
            *(vector *)to = permuted(x, o->order[v]);
    }
}
#else
static inline void N(repeat_each)(T *to, const T *values, i64 period, i64 count, struct repeated_orders *o)
{
    (void)o;
    for (i64 g = 0; g < count; g++)
        for (i64 c = 0; c < period; c++)
            *to++ = values[g];
}
#endif
//: move gather_groups
#ifdef BY_ORDER
static inline void N(find_sources)(struct interleaved_orders *o, const char *const *at, const i64 *jumps, i64 period)
{
    o->count = 0;
    for (i64 c = 0, k; c < period; c++) {
        for (k = 0; k < o->count; k++) {
            struct interleaved_source *const s = &o->sources[k];
            const i64 from = at[c] - at[s->first], to = from + (i64)sizeof(T);
            const i64 low = from < s->low ? from : s->low, above = to > s->above ? to : s->above;
            o->offsets[c] = from;
            if (s->jump == jumps[c] && above - low <= VECTOR_BYTES / 2) {
                s->low = low, s->above = above;
                break;
            }
        }
        if (k == MOST_SOURCES) {
            o->many = 0;
            break;
        }
        if (k == o->count) {
            o->sources[o->count++] = (struct interleaved_source){.first = c, .jump = jumps[c], .above = sizeof(T)};
            o->offsets[c] = 0;
        }
        o->of[c] = k;
    }
}
static inline void N(set_order)(struct interleaved_orders *o, i64 k, i64 period)
{
    struct interleaved_source *const s = &o->sources[k];
    const i64 back = s->jump < 0 ? (o->many - 1) * s->jump : 0;
    u8 order[VECTOR_BYTES];
    int byte = 0;
    s->own = s->used = 0;
    for (i64 g = 0; g < o->many; g++)
        for (i64 c = 0; c < period; c++)
            for (i64 b = 0; b < (i64)sizeof(T); b++, byte++) {
                const i64 place = g * s->jump - back + o->offsets[c] - s->low + b;
                order[byte] = o->of[c] == k ? (u8)place : 128;
                s->own |= (u64)(o->of[c] == k) << byte;
                s->used |= o->of[c] == k ? 1ull << place : 0;
            }
    for (; byte < VECTOR_BYTES; byte++)
        order[byte] = 128;
    s->order = *(const vector *)order;
}
SEPARATE static void N(find_orders)(struct interleaved_orders *o, const char *const *at, const i64 *jumps, i64 period)
{
    o->many = VECTOR_BYTES / (period * (i64)sizeof(T));
    o->period = period;
    N(find_sources)(o, at, jumps, period);
    for (i64 k = 0; k < o->count; k++) {
        const i64 pace = o->sources[k].jump < 0 ? -o->sources[k].jump : o->sources[k].jump;
        const i64 room = VECTOR_BYTES - o->sources[k].above + o->sources[k].low,
                  most = pace ? room / pace + 1 : o->many;
        o->many = o->many < most ? o->many : most;
    }
    for (i64 k = 0; k < o->count && o->many; k++)
        N(set_order)(o, k, period);
}
/* Whether the orders are for groups that lie so; those of other samples may not. */
static inline int N(holds)(const struct interleaved_orders *o, const char *const *at, const i64 *jumps, i64 period)
{
    int other = o->period != period;
    for (i64 c = 0; c < period && !other && o->many; c++) {
        const struct interleaved_source *const s = &o->sources[o->of[c]];
        other = at[c] - at[s->first] != o->offsets[c] || jumps[c] != s->jump;
    }
    return !other;
}
/* What a vector writes too much is written again, or goes behind. Where it would read too much, beyond the groups and
 * the `before` and `after` that the row has on both sides, it makes none. Returns the number of the first group of the
 * rest, which is behind those in front of *first. */
static inline i64 N(ordered)(T *to, const struct interleaved_orders *o, const char *const *at, i64 count, i64 before,
                             i64 after, i64 period, const int sources, i64 *first)
{
    const i64 many = o->many;
    i64 last = count - many, steps[MOST_SOURCES];
    const char *from[MOST_SOURCES];
    vector order[MOST_SOURCES];
    u64 own[MOST_SOURCES], used[MOST_SOURCES];
    *first = 0;
    for (int k = 0; k < sources; k++) {
        const struct interleaved_source *const s = &o->sources[k];
        const i64 low = s->low + (s->jump < 0 ? (many - 1) * s->jump : 0);
        from[k] = at[s->first] + low, steps[k] = many * s->jump;
        order[k] = s->order, own[k] = s->own, used[k] = s->used;
#ifndef VBMI
        while (s->jump < 0 && (*first + before) * s->jump + low + VECTOR_BYTES > s->above && *first < last)
            ++*first;
        while (s->jump >= 0 && last * s->jump + low + VECTOR_BYTES > (count + after - 1) * s->jump + s->above &&
               last >= 0)
            last--;
#endif
    }
    if (last <= *first)
        return *first = 0;
    const i64 out = many * period * (i64)sizeof(T);
    i64 vectors = (last - *first + many - 1) / many;
    const i64 rest = last - *first - vectors * many; /* of the last vector, which is over some of the one before */
    to += *first * period;
    for (int k = 0; k < sources; k++)
        from[k] += *first * o->sources[k].jump;
    for (; vectors >= 4; vectors -= 4) {
        for (int v = 0; v < 4; v++) {
            vector y = ORDER(from[0] + v * steps[0], order[0], own[0], used[0]);
            for (int k = 1; k < sources; k++)
                y |= ORDER(from[k] + v * steps[k], order[k], own[k], used[k]);
            *(vector *)((char *)to + v * out) = y;
        }
        for (int k = 0; k < sources; k++)
            from[k] += 4 * steps[k];
        to = (T *)((char *)to + 4 * out);
    }
    for (; vectors >= 0; vectors--) {
        vector y = {0};
        for (int k = 0; k < sources; k++) {
            y |= ORDER(from[k] + (vectors ? 0 : rest * o->sources[k].jump), order[k], own[k], used[k]);
            from[k] += steps[k];
        }
        *(vector *)((char *)to + (vectors ? 0 : rest * period * (i64)sizeof(T))) = y;
        to = (T *)((char *)to + out);
    }
    return last + many;
}
#endif
/* Whether each row's elements lie beside each other, and groups are short enough for that. */
static inline int N(beside)(const i64 *jumps, i64 period)
{
    int beside = period >= 2 && period <= 4;
    for (i64 c = 0; c < period; c++)
        beside &= jumps[c] == (i64)sizeof(T);
    return beside;
}
/* The same straight into the result for a tile of `count` groups, if vectors can; returns whether they can. Past the
 * caches it begins and ends with a line, but for the row's ends: that has so many groups more before and after. */
SEPARATE static int N(lay_groups)(const struct weft_args *args, T *to, const char *const *at, const i64 *jumps,
                                  i64 period, i64 count, i64 before, i64 after)
{
#ifdef SHUFFLE
    i64 head = 0;
    if (!N(beside)(jumps, period))
        return 0;
    while (args->stream && head < 64 && (u64)(to + head * period) % 64)
        head++;
    if (head == 64)
        return 0;
    const i64 end = count + (head < after ? head : after), first = head < end ? head : end;
    if (!before)
        N(interleaved)(to, at, 0, first, period, 0, 0);
    N(interleaved)(to, at, first, end, period, args->stream && streams(args, to + first * period), args->ahead);
    return 1;
#else
    return 0;
#endif
}
/* Whether each group is one element, which lie beside each other. */
static inline int N(same)(const char *const *at, const i64 *jumps, i64 period)
{
    int same = jumps[0] == (i64)sizeof(T);
    for (i64 c = 1; c < period; c++)
        same &= at[c] == at[0] && jumps[c] == jumps[0];
    return same;
}
/* Groups up to number `end`, and from `next` to the last. */
static inline void N(groups)(T *to, const char *const *at, const i64 *jumps, i64 end, i64 next, i64 count, i64 period)
{
    for (i64 g = 0; g < count; g++) {
        g = g == end ? next : g;
        for (i64 c = 0; c < period && g < count; c++)
            to[g * period + c] = *(const T *)(at[c] + g * jumps[c]);
    }
}
/* `count` groups, with room for a block behind them, of `period` elements: the first ones, and the bytes from group to
 * group; the row has so many more of them before and after. */
SEPARATE static void N(gather_groups)(T *to, const char *const *at, const i64 *jumps, i64 period, i64 count, i64 before,
                                      i64 after, struct interleaved_orders *o, i64 ahead)
{
    i64 first = 0, next = 0;
    if (N(same)(at, jumps, period)) {
#ifdef BY_ORDER
        enum { SIDE = VECTOR_BYTES / sizeof(T) };
        const i64 whole = after >= SIDE ? count : count - count % SIDE;
        ALIGNED T values[SIDE];
        if (whole)
            N(repeat_each)(to, (const T *)at[0], period, whole, &o->same);
        for (i64 g = whole; g < count; g++)
            values[g - whole] = ((const T *)at[0])[g];
        if (whole < count)
            N(repeat_each)(to + whole * period, values, period, count - whole, &o->same);
#else
        N(repeat_each)(to, (const T *)at[0], period, count, &o->same);
#endif
    } else if (N(beside)(jumps, period)) {
        N(interleaved)(to, at, 0, count, period, 0, ahead);
    } else {
#ifdef BY_ORDER
        if (!N(holds)(o, at, jumps, period))
            N(find_orders)(o, at, jumps, period);
        if (o->many && o->count == 1)
            next = N(ordered)(to, o, at, count, before, after, period, 1, &first);
        else if (o->many && o->count == 2)
            next = N(ordered)(to, o, at, count, before, after, period, 2, &first);
        else if (o->many && o->count == 3)
            next = N(ordered)(to, o, at, count, before, after, period, 3, &first);
        else if (o->many)
            next = N(ordered)(to, o, at, count, before, after, period, 4, &first);
#endif
        N(groups)(to, at, jumps, first, next, count, period);
    }
    N(fill)(to + count * period, to[count * period - 1]);
}
