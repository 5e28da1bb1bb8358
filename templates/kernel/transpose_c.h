/* Columns that become rows: tiles of transposed operands, by shuffles of vectors, into a buffer or straight into the
 * result; for a storage type T, as shuffle_c.h, whose shuffles of vectors it uses. */

//: move strips
#undef PAIR
#undef PAIRS
#undef HALVES
#undef QUARTER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
/* Of which byte of two vectors byte k is, where these give an element each in turn, of their lower or upper halves. */
#define PAIR(k, upper) \
    (k / (int)sizeof(T) % 2 * 16 + k / (int)sizeof(T) / 2 * (int)sizeof(T) + k % (int)sizeof(T) + upper * 8)
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
/* 16 bytes of each of as many columns as a cache line has elements become such lines of as many rows. `past`: they are
 * written past the caches. */
#ifdef __AVX512BW__
#define HALVES(which) \
    if (sizeof(T) == 1) \
        __asm__("vpunpck" which "bw %2, %1, %0" : "=v"(z) : "v"(x[k / 2]), "v"(x[k / 2 + SIDE / 2])); \
    else if (sizeof(T) == 2) \
        __asm__("vpunpck" which "wd %2, %1, %0" : "=v"(z) : "v"(x[k / 2]), "v"(x[k / 2 + SIDE / 2])); \
    else if (sizeof(T) == 4) \
        __asm__("vpunpck" which "dq %2, %1, %0" : "=v"(z) : "v"(x[k / 2]), "v"(x[k / 2 + SIDE / 2])); \
    else \
        __asm__("vpunpck" which "qdq %2, %1, %0" : "=v"(z) : "v"(x[k / 2]), "v"(x[k / 2 + SIDE / 2]));
#define QUARTER(place, k) \
    __asm__("vinserti32x4 %3, %2, %1, %0" : "=v"(z) : "v"(z), "m"(*(const quarter *)(from + (k) * step)), "i"(place));
static inline __attribute__((always_inline)) void N(strip_lines)(bytes *x, const char *from, i64 step)
{
    enum { SIDE = 16 / sizeof(T) };
    bytes y[SIDE], z;
    UNROLLED
    for (int k = 0; k < SIDE; k++) { /* squares beside each other */
        __asm__("vbroadcasti32x4 %1, %0" : "=v"(z) : "m"(*(const quarter *)(from + k * step)));
        QUARTER(1, SIDE + k) QUARTER(2, 2 * SIDE + k) QUARTER(3, 3 * SIDE + k)
        x[k] = z;
    }
    UNROLLED
    for (int width = 1; width < SIDE; width *= 2) {
        UNROLLED
        for (int k = 0; k < SIDE; k += 2) {
            HALVES("l") y[k] = z;
            HALVES("h") y[k + 1] = z;
        }
        UNROLLED
        for (int k = 0; k < SIDE; k++)
            x[k] = y[k];
    }
}
static inline __attribute__((always_inline)) void N(strip)(char *to, i64 pitch, const char *from, i64 step,
                                                           const int past)
{
    enum { SIDE = 16 / sizeof(T) };
    bytes x[SIDE];
    N(strip_lines)(x, from, step);
    UNROLLED
    for (int k = 0; k < SIDE; k++)
        if (past)
            __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)(to + k * pitch)) : "v"(x[k]));
        else
            *(bytes *)(to + k * pitch) = x[k];
}
#else
static inline void N(strip)(char *to, i64 pitch, const char *from, i64 step, const int past)
{
    enum { SIDE = 16 / sizeof(T) };
    ALIGNED T line[4 * SIDE * SIDE];
    for (int k = 0; k < 4; k++)
        N(square)((past ? line : (T *)to) + k * SIDE, past ? 4 * SIDE : pitch / (i64)sizeof(T),
                  from + k * SIDE * step, step);
    for (int k = 0; k < SIDE && past; k++)
        stream(to + k * pitch, line + k * 4 * SIDE, 64);
}
#endif
/* Columns `first` to `end` become rows, `pitch` bytes apart; there are enough of both for a strip. What does not fill
 * one is part of a strip that ends there. Columns that are `next` bytes further on are brought near; where much is
 * written plainly, the lines in which they end, as the rows in front have brought those in which they begin. */
SEPARATE static void N(strips)(char *to, i64 pitch, const char *from, i64 step, i64 rows, i64 first, i64 end, int way,
                               i64 next)
{
    enum { SIDE = 16 / sizeof(T), LINE = 64 / sizeof(T) };
    const i64 last = way == CLAIMED ? (rows - 1) * (i64)sizeof(T) : 0;
    for (i64 j = first, more; j < end; j += more) {
        const i64 c = j + LINE <= end ? j : end - LINE,
                  head = way == PAST ? -(u64)(to + c * sizeof(T)) % 64 / sizeof(T) : 0;
        more = c == j && head ? head : LINE;
        if (next) {
            for (i64 k = 0; k < rows && last; k++)
                __builtin_prefetch(to + k * pitch + (c + 3 * LINE) * (i64)sizeof(T) - 1, 1);
            for (int k = 0; k < LINE; k++)
                __builtin_prefetch(from + (c + k) * step + next + last);
        }
        for (i64 r = 0; r < rows; r += SIDE) {
            const i64 k = r + SIDE <= rows ? r : rows - SIDE;
            char *const o = to + k * pitch + c * (i64)sizeof(T);
            if (way == PAST && !head)
                N(strip)(o, pitch, from + c * step + k * (i64)sizeof(T), step, 1);
            else
                N(strip)(o, pitch, from + c * step + k * (i64)sizeof(T), step, 0);
        }
    }
}
#endif
//: move turn
#ifdef PAIR
/* N(strips) for whole lines. Columns a power of two apart have few places in a cache; where these are too few, as many
 * lines as a strip needs are read at once. */
SEPARATE static void N(all_strips)(char *to, i64 pitch, const char *from, i64 step, i64 rows, i64 first, i64 end,
                                   int way, i64 next)
{
    enum { LINE = 64 / sizeof(T) };
    const u64 power = step & -step;
    ALIGNED u8 lines[64 * LINE];
    if (rows < LINE || LINE * (power < 8192 ? power : 8192) <= 8 * 4096) {
        N(strips)(to, pitch, from, step, rows, first, end, way, next);
        return;
    }
    for (i64 j = first, more; j < end; j += more) {
        const i64 c = j + LINE <= end ? j : end - LINE,
                  head = way == PAST ? -(u64)(to + c * sizeof(T)) % 64 / sizeof(T) : 0;
        more = c == j && head ? head : LINE;
        for (int k = 0; k < LINE && next; k++)
            __builtin_prefetch(from + (c + k) * step + next);
        for (int k = 0; k < LINE; k++)
            __builtin_memcpy(lines + 64 * k, from + (c + k) * step, 64);
        N(strips)(to + c * sizeof(T), pitch, (const char *)lines, 64, rows, 0, LINE, head ? NEAR : way, 0);
    }
}
#endif
/* The same straight into the result, for columns of a tile. Where there are not enough for a strip, and they fit the
 * buffer (of `room` bytes), that is better; returns whether they are written. Where lines are written past the
 * caches a tile begins and ends with one, but for the row's ends. */
SEPARATE static int N(lay)(const struct weft_args *args, char *to, i64 pitch, const char *from, i64 step, i64 rows,
                           i64 column0, i64 column1, i64 total, i64 room)
{
#ifdef PAIR
    enum { SIDE = 16 / sizeof(T), LINE = 64 / sizeof(T) };
    if (rows >= SIDE && column1 - column0 >= LINE) {
        const i64 head = -(u64)to % 64 / sizeof(T); /* tiles are whole lines apart */
        const int past = pitch % 64 == 0 && (u64)to % sizeof(T) == 0 && streams(args, to + head * sizeof(T));
        const int way = past ? PAST : args->claim ? CLAIMED : NEAR;
        const i64 first = column0 && past ? column0 + head : column0;
        const i64 end = column1 < total && past ? column1 + head : column1;
        const i64 next = !args->stream    ? 2 * LINE * step /* caches may hold it: some lines on */
                         : column1 < total ? (column1 - column0) * step
                                           : rows * (i64)sizeof(T) - column0 * step;
        N(all_strips)(to, pitch, from, step, rows, first, end < total ? end : total, way, args->ahead ? next : 0);
        return 1;
    }
#endif
    if (rows * (column1 - column0 + BLOCK) * (i64)sizeof(T) <= room)
        return 0;
    for (i64 j = column0; j < column1; j++)
        for (i64 r = 0; r < rows; r++)
            *(T *)(to + r * pitch + j * (i64)sizeof(T)) = *(const T *)(from + j * step + r * (i64)sizeof(T));
    return 1;
}
/* Columns that lie `step` apart become rows, behind each of which there is room to fill its last block. */
SEPARATE static void N(turn)(T *to, const char *from, i64 step, i64 rows, i64 columns)
{
    const i64 pitch = columns + BLOCK;
    i64 r = 0;
#ifdef PAIR
    if (rows >= 16 / (i64)sizeof(T) && columns >= 64 / (i64)sizeof(T)) {
        N(all_strips)((char *)to, pitch * sizeof(T), from, step, rows, 0, columns, NEAR, 0);
        r = rows;
    }
#endif
    if (r == 0 && rows >= 2 && rows <= 4 && rows * (i64)sizeof(T) == step) {
        i64 j = 0;
        for (; j + BLOCK <= columns; j += BLOCK)
            N(take_parts)(to + j, pitch, from + j * step, step, BLOCK);
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
    for (r = 0; r < rows && columns % BLOCK; r++)
        N(fill)(to + r * pitch + columns, to[r * pitch + columns - 1]);
}
//: move cross
#undef CROSSES_LINES
#undef FROM
#undef PLACED
#undef PUT_PLACED
#if defined PAIR && defined VBMI
/* Of groups in 16 bytes each, `shift` bytes behind their beginning: the first vector of four that vector `part` is made
 * of, and of which byte of that and of the next one byte k is. */
#define FROM(part, period) (64 * (part) / ((period) * (int)sizeof(T)) / 4)
#define PLACED(k, part, period, unused) \
    (((64 * (part) + (k)) / ((period) * (int)sizeof(T)) - 4 * FROM(part, period)) * 16 + \
     (64 * (part) + (k)) % ((period) * (int)sizeof(T)))
#define PUT_PLACED(part) \
    if (part < period) \
        put_vector(o + 64 * part, SHUFFLE((int)sizeof(T), x[FROM(part, period)], x[FROM(part, period) + 1], PLACED, \
                                          part, period, 0), past && (u64)o % 64 == 0);
/* N(cross) of as many groups as a strip has, or more, of up to 16 bytes each, which lie side by side in a row: 16 bytes
 * are read at once, of the last row, behind which there may be nothing, those that end with a group. */
static inline __attribute__((always_inline)) void N(cross_groups)(char *to, i64 pitch, const char *at, i64 jump,
                                                                  i64 rows, i64 count, const i64 period, int past)
{
    enum { LINE = 64 / sizeof(T) };
    const i64 bytes_each = period * (i64)sizeof(T);
    for (i64 j = 0; j < count; j += LINE) {
        const i64 g = j + LINE <= count ? j : count - LINE;
        for (i64 r = 0; r < rows; r++) {
            const int last = r == rows - 1;
            const char *const from = at + g * jump + r * bytes_each - (last ? 16 - bytes_each : 0);
            const i64 step = jump;
            char *const o = to + r * pitch + g * bytes_each;
            vector x[5] = {{0}};
            UNROLLED
            for (int v = 0; v < LINE / 4; v++) {
                bytes z;
                __asm__("vbroadcasti32x4 %1, %0" : "=v"(z) : "m"(*(const quarter *)(from + 4 * v * step)));
                QUARTER(1, 4 * v + 1) QUARTER(2, 4 * v + 2) QUARTER(3, 4 * v + 3)
                if (last && bytes_each == 12)
                    __asm__("vpsrldq %1, %0, %0" : "+v"(z) : "i"(4));
                if (last && bytes_each == 8)
                    __asm__("vpsrldq %1, %0, %0" : "+v"(z) : "i"(8));
                x[v] = (vector)z;
            }
            PUT_PLACED(0) PUT_PLACED(1) PUT_PLACED(2) PUT_PLACED(3)
        }
    }
}
/* N(cross) of as many rows and groups as a strip has, or more, of elements of which all lines of its strips fit
 * registers: they are interleaved there. `inside`: they are elements of one row each, else of some rows. */
#define CROSSES_LINES (sizeof(T) >= 4)
static inline __attribute__((always_inline)) void N(cross_lines)(char *to, i64 pitch, const char *const *at, i64 jump,
                                                                 i64 step, i64 rows, i64 count, const i64 period,
                                                                 int past)
{
    enum { SIDE = 16 / sizeof(T), LINE = 64 / sizeof(T) };
    const int inside = step != (i64)sizeof(T);
    if (inside && period * sizeof(T) <= 16) {
        N(cross_groups)(to, pitch, at[0], jump, rows, count, period, past);
        return;
    }
    for (i64 j = 0; j < count; j += LINE) {
        const i64 g = j + LINE <= count ? j : count - LINE;
        for (i64 k = 0; k < rows; k += SIDE) {
            const i64 r = k + SIDE <= rows ? k : rows - SIDE;
            char *o = to + r * pitch + g * period * (i64)sizeof(T);
            bytes lines[4 * SIDE];
            vector x[4];
            UNROLLED
            for (int c = 0; c < period; c++)
                N(strip_lines)(lines + c * SIDE, (inside ? at[0] + 16 * c : at[c]) + g * jump + r * step, jump);
            UNROLLED
            for (int i = 0; i < SIDE; i++, o += pitch) {
                UNROLLED
                for (int c = 0; c < period; c++)
                    x[c] = period * sizeof(T) > 16 && inside ? (vector)lines[i * period + c]
                                                             : (vector)lines[c * SIDE + i];
                N(zip)((T *)o, x, period, past && (u64)o % 64 == 0);
            }
        }
    }
}
#endif
#if defined PAIR && defined SHUFFLE
/* N(cross) of at least as many rows and groups as a strip has. Strips transpose a few lines of groups, of some rows;
 * their lines are elements of a group, each of some rows, or `inside` of one row each, and these are interleaved. */
static inline void N(cross_strips)(char *to, i64 pitch, const char *const *at, i64 jump, i64 step, i64 rows, i64 count,
                                   i64 period, const int past)
{
    enum { SIDE = 16 / sizeof(T), LINE = 64 / sizeof(T), MANY = 4 * LINE, ROOM = MANY + LINE };
    ALIGNED T lines[4 * SIDE * ROOM];
    const int inside = step != (i64)sizeof(T);
    const i64 many = count < MANY ? count : MANY;
    for (i64 j = 0; j < count; j += many) {
        const i64 g = j + many <= count ? j : count - many;
        for (i64 k = 0; k < rows; k += SIDE) {
            const i64 r = k + SIDE <= rows ? k : rows - SIDE;
            for (i64 c = 0; c < period; c++)
                N(strips)((char *)(lines + c * SIDE * ROOM), ROOM * sizeof(T),
                          (inside ? at[0] + 16 * c : at[c]) + g * jump + r * step, jump, SIDE, 0, many, NEAR, 0);
            for (i64 i = 0; i < SIDE; i++) {
                char *const o = to + (r + i) * pitch + g * period * (i64)sizeof(T);
                const char *parts[4];
                for (i64 c = 0; c < period; c++)
                    parts[c] = (const char *)(lines + (inside ? i * period + c : c * SIDE + i) * ROOM);
                N(interleaved)((T *)o, parts, 0, many, period, past && (u64)o % 64 == 0, 0);
            }
        }
    }
}
#endif
/* `count` groups of `period` elements that lie `jump` apart, the next row's `step` further on, become rows that are
 * `pitch` apart. `past`: past the caches, where whole lines are written. */
SEPARATE static void N(cross)(char *to, i64 pitch, const char *const *at, i64 jump, i64 step, i64 rows, i64 count,
                              i64 period, const int past)
{
#if defined PAIR && defined SHUFFLE
    const int enough = rows >= 16 / (i64)sizeof(T) && count >= 64 / (i64)sizeof(T);
#ifdef CROSSES_LINES
    if (CROSSES_LINES && enough) {
        if (period == 2)
            N(cross_lines)(to, pitch, at, jump, step, rows, count, 2, past);
        else if (period == 3)
            N(cross_lines)(to, pitch, at, jump, step, rows, count, 3, past);
        else
            N(cross_lines)(to, pitch, at, jump, step, rows, count, 4, past);
        return;
    }
#endif
    if (enough) {
        N(cross_strips)(to, pitch, at, jump, step, rows, count, period, past);
        return;
    }
#endif
    for (i64 r = 0; r < rows; r++)
        for (i64 g = 0; g < count; g++)
            for (i64 c = 0; c < period; c++)
                ((T *)(to + r * pitch))[g * period + c] = *(const T *)(at[c] + g * jump + r * step);
}
/* Of `count` groups of the next tile, how many are fetched for each row of this one: all; or half, where vectors read
 * each part in order, so that a processor fetches the others by itself. */
static inline i64 N(cross_share)(i64 parts, i64 count, i64 rows)
{
#ifdef CROSSES_LINES
    count = parts > 1 && CROSSES_LINES ? count / 2 : count;
#endif
    return (count + rows - 1) / rows;
}
/* The same straight into the result, of a kernel that only copies; returns whether it did: lines that go past the
 * caches begin with the row. */
SEPARATE static int N(lay_crossed)(const struct weft_args *args, char *to, i64 pitch, const char *const *at, i64 jump,
                                   i64 step, i64 rows, i64 count, i64 period)
{
    const int past = args->stream && (u64)to % 64 == 0 && pitch % 64 == 0 && streams(args, to);
    if (args->stream && !past)
        return 0;
    N(cross)(to, pitch, at, jump, step, rows, count, period, past);
    return 1;
}
