/* How reductions in C join lanes: functions for one operation and the types of its elements, lanes and trees. One text
 * for the library, which has them for what is common (runtime/kernels/joins.c), and for kernels of other kinds and
 * sources made ahead of time, which carry them. A kernel reaches them through struct weft_join.
 *
 * Rows of lanes have whole SIDEs of memory: `pitch` lanes, of which the last ones may be unused. What is called are
 * SEPARATE functions, since the C compiler takes longer for a large one than for its parts. Sums and products of floats
 * join VECTORS; of other joins the C compiler makes them.
 *
 * keys, plain: extremes of floats are joined as integers in the same order; other values as they are
 * own: what all of them need
 * short: rows of up to 16 elements have one in each lane, and as many rows as a row has lanes are joined at once: by
 *   shuffles where lanes are 4 or 8 bytes and vectors 64, else lane by lane, so that the C compiler makes vectors of
 *   them. What is absent is left out: its place holds what changes nothing
 * row, columns: there are ROW lanes; or as many as a call has, of inner elements in a row of memory
 * fold_rows, no_rows: these are joined as they lie in memory, or not */

//: here
#if !defined KIND
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
#if defined __clang__
#define SIDE_BY_SIDE _Pragma("clang loop unroll(full)")
#elif defined __GNUC__ && !defined __TINYC__
#define SIDE_BY_SIDE _Pragma("GCC unroll 4")
#else
#define SIDE_BY_SIDE
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
/* Memory for lanes and their tree; and what a run of elements gives a kernel names for. Lanes in registers. */
#define RUN_ROOM \
    ALIGNED acc_t lanes[ROW + 1]; \
    ALIGNED tree_t tree[ROW * LEVELS + 1]; \
    char *start[ACCESSES], *p[ACCESSES]; \
    i64 step[ACCESSES]; \
    struct weft_run run = {.part.tile = {0, begin, end}, .join = join, .target = TARGET, .accesses = ACCESSES, \
                           .start = start, .p = p, .step = step}; \
    run.lanes = ROW ? (void *)lanes : args->scratch + SCRATCH; \
    run.tree = ROW ? (void *)tree : args->scratch + SCRATCH + WIDTH * sizeof(acc_t);
#define RUN_VALUES \
    const struct weft_sample *const sample = run.part.tile.sample; \
    const struct weft_geometry *const s = sample->geometry; \
    const i64 groups = s->groups, stride = groups + 2, column0 = run.column0, column1 = run.column1; \
    const int fresh = run.fresh; \
    i64 head = 0; \
    (void)head, (void)stride, (void)fresh;
#define TAKE_LANES ALL(k, KEPT) kept[k] = ((acc_v *)run.lanes)[k];
#define GIVE_LANES ALL(k, KEPT) ((acc_v *)run.lanes)[k] = kept[k];
//: here
#else
#if defined KEYS
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
//: here
#else
//: plain functions
#undef AS
#undef OF
#define AS(type, x) (type)(x)
#define OF(type, x) (type)(x)
//: here
#endif
//: own functions
/* Fetches what follows `bytes` from here on. Values that were just computed are near. */
static inline void OWN(near)(const void *from, i64 ahead, i64 bytes)
{
#if defined __GNUC__ && !defined __TINYC__
    for (i64 k = 0; ahead && k < bytes; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* Makes lanes hold what changes nothing; or, where there are no elements, the result without any. */
SEPARATE static void OWN(begin_lanes)(void *lanes, i64 pitch, int some)
{
    const acc_t x = some ? ABSENT : NOTHING;
    for (i64 i = 0; i < pitch; i += PER_VECTOR)
        *(acc_v *)((acc_t *)lanes + i) = SPREAD(x);
}
/* Joins block `number` to the tree, and resets its lanes: level l holds the lanes of 2 ** l blocks. Where the order
 * does not matter, there is level 0 alone. */
SEPARATE static void OWN(plant_lanes)(void *tree, void *lanes, i64 pitch, i64 number)
{
    const acc_t absent = ABSENT;
    for (i64 i = 0; i < pitch; i += SIDE) {
        acc_v *const from = (acc_v *)((acc_t *)lanes + i);
        tree_v x[SIDE], *to = (tree_v *)((tree_t *)tree + i);
        OVER(k, SIDE) {
            x[k] = (tree_v)from[k];
            from[k] = SPREAD(absent);
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
static inline tree_t *OWN(harvest)(tree_t *lanes, tree_t *tree, i64 pitch, i64 blocks)
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
//: here
#if ROW
//: short functions
#undef HALVES
#undef JOIN_HALVES
#undef JOIN_QUARTERS
#undef AS_IT_IS
enum { OWN(LANE_COUNT) = 16 };
#undef REGISTER_ROW
#undef WORD_SIZE
#undef WORD_NAMES
#undef FLOAT_NAMES
#if defined WORDS && (defined KEYS || defined VECTOR_ROW)
#if defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
#define REGISTER_ROW /* a row's lanes are one register, or two */
#endif
#endif
#if WORDS == 64
typedef i64 OWN(row_word);
#define WORD_SIZE "64"
#define WORD_NAMES "q"
#define FLOAT_NAMES "pd"
#elif defined WORDS
typedef i32 OWN(row_word);
#define WORD_SIZE "32"
#define WORD_NAMES "d"
#define FLOAT_NAMES "ps"
#endif
#if defined REGISTER_ROW
typedef row_word OWN(row_words) __attribute__((vector_size(64), aligned(WORDS / 8), may_alias));
enum { OWN(PER_REGISTER) = 512 / WORDS, OWN(ROW_REGISTERS) = LANE_COUNT / PER_REGISTER };
#if defined VECTOR_ROW
static inline row_words OWN(join_words)(row_words a, row_words b)
{
    return (row_words)join_tree_v((tree_v)a, (tree_v)b);
}
static inline row_words OWN(lanes_of)(row_words x)
{
    return x;
}
/* Sums are joined as they are, so all of these are the same. */
static inline void OWN(begin_raw)(row_words x, row_words *nans)
{
    (void)x, (void)nans;
}
static inline row_words OWN(join_raw)(row_words a, row_words b, row_words *nans)
{
    (void)nans;
    return join_words(a, b);
}
/* Four rows of lanes. */
static inline row_words OWN(join_four)(row_words l, const row_words *x, row_words *nans)
{
    SIDE_BY_SIDE
    for (int q = 0; q < 4; q++)
        l = join_raw(l, x[q * ROW_REGISTERS], nans);
    return l;
}
static inline row_words OWN(end_raw)(row_words x, row_words nans)
{
    (void)nans;
    return x;
}
#else
static inline row_words OWN(join_words)(row_words a, row_words b)
{
    row_words most;
#if KEYS > 0
    __asm__("vpmaxs" WORD_NAMES " %2, %1, %0" : "=v"(most) : "v"(a), "v"(b));
#else
    __asm__("vpmins" WORD_NAMES " %2, %1, %0" : "=v"(most) : "v"(a), "v"(b));
#endif
    return most;
}
/* In lanes where a or b is NaN, *keys become the key of NaN. */
static inline void OWN(meet_nans)(row_words *keys, row_words a, row_words b)
{
    const row_words nan = (row_words){0} + (KEYS > 0 ? MOST : -MOST - 1);
    unsigned short unordered;
    __asm__("vcmpunord" FLOAT_NAMES " %2, %1, %0" : "=Yk"(unordered) : "v"(a), "v"(b));
    __asm__("vmovdqa" WORD_SIZE " %1, %0%{%2%}" : "+v"(*keys) : "v"(nan), "Yk"(unordered));
}
/* The keys of numbers. */
static inline row_words OWN(keys_of)(row_words x)
{
    row_words keys = x; /* x ^ (x >> 31 & MOST) */
    __asm__("vpternlog" WORD_NAMES " $0x78, %2, %1, %0" : "+v"(keys) : "v"(x >> (WORDS - 1)),
            "v"((row_words){0} + MOST));
    return keys;
}
static inline row_words OWN(lanes_of)(row_words x)
{
    row_words keys = keys_of(x);
    meet_nans(&keys, x, x);
    return keys;
}
/* The extremes of floats as they are: -0 is below 0, and of a number and NaN it is the number. So NaN is looked for
 * beside it, two vectors at a time: half the instructions that keys of all elements would take. */
static inline row_words OWN(extreme_raw)(row_words a, row_words b)
{
    row_words most;
#if KEYS > 0
    __asm__("vrange" FLOAT_NAMES " $5, %2, %1, %0" : "=v"(most) : "v"(a), "v"(b));
#else
    __asm__("vrange" FLOAT_NAMES " $4, %2, %1, %0" : "=v"(most) : "v"(a), "v"(b));
#endif
    return most;
}
static inline void OWN(begin_raw)(row_words x, row_words *nans)
{
    meet_nans(nans, x, x);
}
static inline row_words OWN(join_raw)(row_words a, row_words b, row_words *nans)
{
    meet_nans(nans, a, b);
    return extreme_raw(a, b);
}
static inline row_words OWN(join_four)(row_words l, const row_words *x, row_words *nans)
{
    enum { NEXT = ROW_REGISTERS };
    const row_words a = join_raw(x[0], x[NEXT], nans), b = join_raw(x[2 * NEXT], x[3 * NEXT], nans);
    return extreme_raw(l, extreme_raw(a, b));
}
static inline row_words OWN(end_raw)(row_words x, row_words nans)
{
    return join_words(keys_of(x), nans);
}
#endif
#endif
/* Joins the elements of a row to its lanes. `there`: how many elements may be read, those of later rows among them. */
#if defined REGISTER_ROW
/* Which of `count` elements a register has, of those from `first` on. */
static inline unsigned short OWN(some_of)(i64 count, i64 first)
{
    return (unsigned short)(count <= first ? 0 : count - first < PER_REGISTER ? (1u << (count - first)) - 1 : ~0u);
}
/* These of `from`; others as in x. */
static inline row_words OWN(load_some)(row_words x, const stage_t *from, unsigned short some)
{
    __asm__("vmovdqu" WORD_SIZE " %1, %0%{%2%}" : "+v"(x) : "m"(*(const row_words *)from), "Yk"(some));
    return x;
}
static inline row_words OWN(unread_words)(acc_t absent)
{
    const union {
        stage_t value;
        row_word word;
    } unread = {OF(stage_t, absent)};
    return (row_words){0} + unread.word;
}
static inline row_words OWN(absent_words)(acc_t absent)
{
    const union {
        acc_t lane;
        row_word word;
    } none = {absent};
    return (row_words){0} + none.word;
}
/* The last elements of a row that are fewer than its lanes: register `number` of them. */
static inline row_words OWN(last_words)(const stage_t *end, i64 rest, int number, acc_t absent)
{
    if (!ORDERED)                  /* of an extreme, elements may be joined twice */
        return *(const row_words *)(end - LANE_COUNT + number * PER_REGISTER);
#if WORDS == 32
    const row_words places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return __builtin_shuffle(*(const row_words *)(end - LANE_COUNT), absent_words(absent),
                             places + (i32)(LANE_COUNT - rest));
#else
    const i64 first = number * PER_REGISTER;
    return load_some(unread_words(absent), end - rest + first, some_of(rest, first));
#endif
}
static inline void OWN(fill_lanes)(acc_t *lanes, const stage_t *from, i64 elements, i64 there, acc_t absent)
{
    enum { TWO = ROW_REGISTERS > 1, NEXT = TWO ? PER_REGISTER : 0 };
    const i64 rest = elements % LANE_COUNT, whole = elements - rest;
    row_words *const own = (row_words *)lanes;
    row_words l, h, nans = absent_words(absent), others = nans; /* a row's first register, and where there are two */
    (void)there;
    if (elements <= LANE_COUNT) {
        own[0] = lanes_of(load_some(unread_words(absent), from, some_of(elements, 0)));
        if (TWO)
            own[1] = lanes_of(load_some(unread_words(absent), from + NEXT, some_of(elements, NEXT)));
        return;
    }
    i64 e = LANE_COUNT;
    l = *(const row_words *)from, h = *(const row_words *)(from + NEXT);
    if (__builtin_expect(e + 4 * LANE_COUNT <= whole, 0)) { /* where rows are short, that would take a jump */
        begin_raw(l, &nans), begin_raw(h, &others);
        for (; e + 4 * LANE_COUNT <= whole; e += 4 * LANE_COUNT) {
            l = join_four(l, (const row_words *)(from + e), &nans);
            if (TWO)
                h = join_four(h, (const row_words *)(from + e + NEXT), &others);
        }
    }
    for (; e < whole; e += LANE_COUNT) {
        l = join_raw(l, *(const row_words *)(from + e), &nans);
        if (TWO)
            h = join_raw(h, *(const row_words *)(from + e + NEXT), &others);
    }
    if (rest) {
        l = join_raw(l, last_words(from + elements, rest, 0, absent), &nans);
        if (TWO)
            h = join_raw(h, last_words(from + elements, rest, 1, absent), &others);
    }
    own[0] = end_raw(l, nans);
    if (TWO)
        own[1] = end_raw(h, others);
}
#else
static inline void OWN(fill_lanes)(acc_t *lanes, const stage_t *from, i64 elements, i64 there, acc_t absent)
{
    acc_v l[LANE_COUNT];
    ALIGNED stage_t end[LANE_COUNT]; /* the elements behind the last whole row of lanes */
    const stage_t none = OF(stage_t, absent);
    const i64 rest = elements % LANE_COUNT, whole = elements - rest;
#if defined __AVX512BW__
    (void)there; /* loads have masks */
    if (!whole) {
        EACH(j, LANE_COUNT)
            lanes[j] = AS(acc_t, j < rest ? from[j] : none);
        return;
    }
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
#endif
/* Joins the lanes of as many rows, j and j + 8, j + 4, j + 2, j + 1, to one element for each row. */
#if defined YMM_ROWS
static inline void OWN(join_rows)(tree_t *to, tree_t *lanes)
{
    join_rows_of_lanes(to, lanes);
}
#elif defined WORDS && defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
/* Of vectors i and i + count the lower and the upper half of each row's lanes, beside each other. */
#if defined REGISTER_ROW
#define HALVES(count, join, from, as, ...) \
    for (int i = 0; i < count; i++) { \
        const row_words x = as((from)[i]), y = as((from)[i + count]); \
        own[i] = join(__builtin_shuffle(x, y, (row_words){__VA_ARGS__}), \
                      __builtin_shuffle(x, y, (row_words){__VA_ARGS__} + count)); \
    }
#else
#define HALVES(count, join, from, as, ...) \
    for (int i = 0; i < count; i++) { \
        const row_words x = (from)[i], y = (from)[i + count]; \
        ((row_words *)lower)[i] = __builtin_shuffle(x, y, (row_words){__VA_ARGS__}); \
        ((row_words *)upper)[i] = __builtin_shuffle(x, y, (row_words){__VA_ARGS__} + count); \
    } \
    EACH(k, count * PER_REGISTER) \
        ((tree_t *)own)[k] = join_tree(lower[k], upper[k]);
#endif
#define AS_IT_IS(x) (x)
/* The lanes in `own`, and the upper half of each row's is joined. */
#if WORDS == 64
#define JOIN_QUARTERS(join, to) \
    for (int q = 0; q < LANE_COUNT; q += PER_REGISTER, own += PER_REGISTER) { \
        HALVES(4, join, own, AS_IT_IS, 0, 1, 2, 3, 8, 9, 10, 11) \
        HALVES(2, join, own, AS_IT_IS, 0, 1, 4, 5, 8, 9, 12, 13) \
        HALVES(1, join, own, AS_IT_IS, 0, 2, 4, 6, 8, 10, 12, 14) \
        *(row_words *)((to) + q) = __builtin_shuffle(*own, (row_words){0, 4, 2, 6, 1, 5, 3, 7}); \
    }
#else
#define JOIN_QUARTERS(join, to) \
    HALVES(4, join, own, AS_IT_IS, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) \
    HALVES(2, join, own, AS_IT_IS, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29) \
    HALVES(1, join, own, AS_IT_IS, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) \
    *(row_words *)(to) = __builtin_shuffle(*own, (row_words){0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15});
#endif
#define IN_HALVES 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#if defined REGISTER_ROW
#if WORDS == 64
#define JOIN_HALVES(join, to, from, as) \
    for (int i = 0; i < LANE_COUNT; i++) \
        own[i] = join(as((from)[2 * i]), as((from)[2 * i + 1])); \
    JOIN_QUARTERS(join, to)
#else
#define JOIN_HALVES(join, to, from, as) \
    HALVES(8, join, from, as, IN_HALVES) \
    JOIN_QUARTERS(join, to)
#endif
/* The same of rows of up to 16 elements where they lie; the lanes are only room. */
static inline void OWN(join_sixteen)(tree_t *to, tree_t *lanes, const stage_t *from, i64 elements, acc_t absent)
{
    row_words *own = (row_words *)lanes;
    const row_words unread = unread_words(absent);
    const unsigned short some = some_of(elements, 0);
    if (elements == LANE_COUNT) {
        JOIN_HALVES(join_words, to, (const row_words *)from, lanes_of)
        return;
    }
#if WORDS == 64
    const unsigned short others = some_of(elements, PER_REGISTER);
    for (int i = 0; i < LANE_COUNT; i++, from += elements) {
        own[i] = lanes_of(load_some(unread, from, some));
        if (elements > PER_REGISTER)
            own[i] = join_words(own[i], lanes_of(load_some(unread, from + PER_REGISTER, others)));
    }
#else
    const row_words low = {IN_HALVES};
    for (int i = 0; i < 8; i++, from += elements) {
        const row_words x = lanes_of(load_some(unread, from, some));
        const row_words y = lanes_of(load_some(unread, from + 8 * elements, some));
        own[i] = join_words(__builtin_shuffle(x, y, low), __builtin_shuffle(x, y, low + 8));
    }
#endif
    JOIN_QUARTERS(join_words, to)
}
#if WORDS == 32
/* The same of rows of up to 8 elements, of which a vector has two, and so no upper half. After each row 8 elements may
 * be read. */
static inline void OWN(join_eights)(tree_t *to, tree_t *lanes, const stage_t *from, i64 elements, acc_t absent)
{
    row_words *own = (row_words *)lanes;
    const unsigned short others = (unsigned short)~(((1u << elements) - 1) * 0x101);
    for (int i = 0; i < 8; i++) {
        row_words x;
        __asm__("vmovdqu32 %1, %t0" : "=v"(x) : "m"(*(const row_words *)(from + i * elements)));
        __asm__("vinserti32x8 $1, %1, %0, %0" : "+v"(x) : "m"(*(const row_words *)(from + (i + 8) * elements)));
        x = lanes_of(x);
        __asm__("vmovdqa32 %1, %0%{%2%}" : "+v"(x) : "v"(absent_words(absent)), "Yk"(others));
        own[i] = x;
    }
    JOIN_QUARTERS(join_words, to)
}
#endif
static inline void OWN(join_rows)(tree_t *to, tree_t *lanes)
{
    row_words *own = (row_words *)lanes;
    JOIN_HALVES(join_words, to, own, AS_IT_IS)
}
#else
static inline void OWN(join_rows)(tree_t *to, tree_t *lanes)
{
    typedef row_word row_words __attribute__((vector_size(64), aligned(WORDS / 8), may_alias));
    enum { PER_REGISTER = 512 / WORDS };
    ALIGNED tree_t lower[8 * LANE_COUNT], upper[8 * LANE_COUNT];
    row_words *own = (row_words *)lanes;
#if WORDS == 64
    for (int i = 0; i < LANE_COUNT; i++) {
        const tree_t *const row = lanes + i * LANE_COUNT;
        EACH(j, PER_REGISTER)
            lanes[i * PER_REGISTER + j] = join_tree(row[j], row[j + PER_REGISTER]);
    }
#else
    HALVES(8, join_tree, own, AS_IT_IS, IN_HALVES)
#endif
    JOIN_QUARTERS(join_tree, to)
}
#endif
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
#if defined BITS
/* Which of up to 64 elements, of which so many are there, are not zero, as bits. */
#if defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
typedef u8 OWN(true_bytes) __attribute__((vector_size(64), aligned(1), may_alias));
#define OWN_TRUE(instruction, beside) \
    __asm__(instruction " %2, %1, %0%{%3%}" : "=Yk"(here) \
            : "v"((true_bytes){0} + (u8)(beside)), "m"(((const true_bytes *)from)[v]), "Yk"(some >> v * each));
#define TRUE_HERE(...) OWN_TRUE(__VA_ARGS__)
static inline __attribute__((always_inline)) u64 OWN(bits_of)(const stage_t *from, i64 there)
{
    enum { EACH_HAS = 64 / sizeof(stage_t) };
    const u64 some = there < 64 ? (1ull << there) - 1 : ~0ull;
    u64 bits = 0;
    for (int v = 0, each = EACH_HAS; v < (int)sizeof(stage_t); v++) {
        u64 here;
        TRUE_HERE(TRUE_BITS)
        bits |= here << v * each;
    }
    return bits;
}
/* The same of the last ones of a row, `rest`, which are fewer than 64 and follow others. */
static inline u64 OWN(last_bits)(const stage_t *from, i64 rest)
{
    enum { EACH_HAS = 64 / sizeof(stage_t) };
    const u64 some = (1ull << rest) - 1;
    u64 bits = BITS(0, 1) ? 0 : ~some;
    for (int v = 0, each = EACH_HAS; v * each < rest; v++) {
        u64 here;
        TRUE_HERE(TRUE_BITS)
        bits |= here << v * each;
    }
    return bits;
}
#else
static inline u64 OWN(bits_of)(const stage_t *from, i64 there)
{
    ALIGNED u8 own[64] = {0};
    const u8 *few = own;
    u64 bits = 0;
#if defined YMM_BITS && TRUE_BYTES == 4
    if (there >= 64)
        return bits_of_many(from);
#endif
    if (there < 64) {
        ROLLED
        for (i64 k = 0; k < there; k++)
            own[k] = from[k] != 0;
    } else if (sizeof *from == 1) {
        few = (const u8 *)from;
    } else {
        EACH(k, 64)
            own[k] = from[k] != 0;
    }
#if defined __SSE2__
    typedef char bytes __attribute__((vector_size(16), aligned(1), may_alias));
    for (int k = 0; k < 4; k++)
        bits |= (u64)(u16)~__builtin_ia32_pmovmskb128(((const bytes *)few)[k] == 0) << 16 * k;
#else
    ROLLED
    for (int k = 0; k < 8; k++) {
        u64 word = 0;
        for (int j = 0; j < 8; j++)
            word |= (u64)(few[8 * k + j] != 0) << 8 * j;
        bits |= (word * 0x0102040810204080ull >> 56) << 8 * k; /* bit by bit, in the last byte */
    }
#endif
    return bits;
}
static inline u64 OWN(last_bits)(const stage_t *from, i64 rest)
{
    return bits_of(from + rest - 64, 64); /* some of them again */
}
#endif
/* Joins `count` rows, 64 elements at a time, to results that lie `apart`. */
static inline void OWN(join_long_bits)(out_t *to, const char *from, i64 step, i64 elements, i64 count, i64 apart,
                                       i64 ahead)
{
    const u64 unchanging = BITS(0, 1) ? 0 : ~0ull, some = elements < 64 ? (1ull << elements) - 1 : ~0ull;
    const i64 follow = step == elements * (i64)sizeof(stage_t) ? elements : 0; /* elements of a row that may be read */
#if defined YMM_BITS
    if (elements >= WIDE) {
        join_wide_bits(to, from, step, elements, count, apart, ahead);
        return;
    }
#endif
    for (i64 q = 0; q < count; q++, from += step) {
        const stage_t *const x = (const stage_t *)from;
        u64 bits = bits_of(x, elements + (count - 1 - q) * follow) | (unchanging & ~some);
        bits = BITS(0, 1) ? bits & some : bits;
        near(x, ahead, (elements < 64 ? elements : 64) * (i64)sizeof *x);
        i64 e = 64;
        for (; e + 64 <= elements; e += 64) {
            near(x + e, ahead, 64 * sizeof *x);
            bits = BITS(bits, bits_of(x + e, 64));
        }
        if (e < elements)
            bits = BITS(bits, last_bits(x + e, elements - e));
        to[q * apart] = BITS(0, 1) ? bits != 0 : bits == unchanging;
    }
}
/* Joins `count` rows, as many at a time as 64 bits hold. */
SEPARATE static void OWN(join_bits)(out_t *to, const stage_t *from, i64 elements, i64 count)
{
    const i64 most = 64 / elements;
    u64 first = 0; /* of each row */
#if defined YMM_BITS
    if (most < 2 || elements >= WIDE) {
#else
    if (most < 2) {
#endif
        join_long_bits(to, (const char *)from, elements * (i64)sizeof *from, elements, count, 1, 0);
        return;
    }
    for (i64 q = 0; q < most; q++)
        first |= 1ull << q * elements;
#if defined YMM_BITS
    const struct row_spread spread = spread_of(elements);
#endif
    for (i64 rows; count > 0; count -= rows, from += rows * elements, to += rows) {
        u64 bits = bits_of(from, count * elements);
        rows = count < most ? count : most;
        i64 side = 1; /* so many elements were joined, each with those behind it */
        for (; 2 * side <= elements; side *= 2)
            bits = BITS(bits, bits >> side);
        if (side < elements)
            bits = BITS(bits, bits >> (elements - side));
#if defined __AVX512BW__ && defined __GNUC__ && !defined __clang__
        if (count >= 64) {             /* what is stored too much is stored again */
            true_bytes x = (true_bytes){0} + 1;
            __asm__("pextq %1, %0, %0" : "+r"(bits) : "r"(first));
            __asm__("vmovdqu8 %0, %0%{%1%}%{z%}" : "+v"(x) : "Yk"(bits));
            *(true_bytes *)to = x;
            continue;
        }
#endif
#if defined YMM_BITS
        if (count >= 32 && most <= 32) { /* the same */
            keep_bits(to, bits, spread);
            continue;
        }
#endif
        (void)first;
        ROLLED
        for (i64 q = 0; q < rows; q++)
            to[q] = (out_t)(bits >> q * elements & 1);
    }
}
#endif
#if defined BYTES
enum { OWN(BYTES_MOST) = 256 };    /* the sum of as many bytes fits 16 bits */
/* Eight bytes as four sums of two. */
static inline u64 OWN(pairs_of)(u64 word)
{
    return (word & 0x00ff00ff00ff00ffull) + (word >> 8 & 0x00ff00ff00ff00ffull);
}
static inline u64 OWN(word_at)(const stage_t *from, i64 bytes)
{
    u64 word = 0;
    __builtin_memcpy(&word, from, (size_t)bytes);
    return word;
}
static inline out_t OWN(sum_of)(u64 sums)
{
    return (out_t)(sums * 0x0001000100010001ull >> 48);
}
/* Adds the bytes of `count` rows that fill so many words, and others. Bytes that were added are shifted out of the last
 * word, which ends with the row. */
static inline __attribute__((always_inline)) void OWN(add_words)(out_t *to, const stage_t *from, i64 elements,
                                                                 i64 count, const i64 words)
{
    const i64 last = elements - 8, rest = elements - 8 * words;
    ROLLED
    for (i64 q = 0; q < count; q++, from += elements) {
        u64 sums = 0;
        for (i64 k = 0; k < words; k++)
            sums += pairs_of(word_at(from + 8 * k, 8));
        if (rest)
            sums += pairs_of(word_at(from + last, 8) >> 8 * (8 - rest));
        to[q] = sum_of(sums);
    }
}
/* Adds the bytes of `count` rows of fewer than eight. Those of the next row are shifted out. */
static inline void OWN(add_few)(out_t *to, const stage_t *from, i64 elements, i64 count)
{
    const i64 there = count * elements - 8, many = there < 0 ? 0 : there / elements + 1; /* eight bytes are read */
    i64 q = 0;
    ROLLED
    for (; q < many; q++, from += elements)
        to[q] = sum_of(pairs_of(word_at(from, 8) << 8 * (8 - elements)));
    for (; q < count; q++, from += elements)
        to[q] = sum_of(pairs_of(word_at(from, elements)));
}
/* Adds the bytes of `count` rows of up to BYTES_MOST elements. */
SEPARATE static void OWN(join_bytes)(out_t *to, const stage_t *from, i64 elements, i64 count)
{
    switch (elements / 8) {
    case 0: add_few(to, from, elements, count); return;
    case 1: add_words(to, from, elements, count, 1); return;
    case 2: add_words(to, from, elements, count, 2); return;
    case 3: add_words(to, from, elements, count, 3); return;
    default: add_words(to, from, elements, count, elements / 8);
    }
}
#endif
/* Joins `count` rows that follow one another. */
SEPARATE static void OWN(join_short)(out_t *to, const stage_t *from, i64 elements, i64 count, acc_t absent)
{
#if defined BITS
    (void)absent;
    join_bits(to, from, elements, count);
    return;
#endif
#if defined KEYS_OF_BYTES
    join_extreme_bytes(to, from, elements, count);
    return;
#endif
#if defined YMM_ROWS
    join_short_rows(to, from, elements, count, absent);
    return;
#endif
#if defined BYTES
    if (elements <= BYTES_MOST) {
        join_bytes(to, from, elements, count);
        return;
    }
#endif
    for (i64 q; count > 0; count -= LANE_COUNT, to += LANE_COUNT) {
        ALIGNED acc_t lanes[LANE_COUNT * LANE_COUNT];
        ALIGNED tree_t wide[LANE_COUNT * LANE_COUNT], all[LANE_COUNT];
        const i64 rows = count < LANE_COUNT ? count : LANE_COUNT;
#if defined REGISTER_ROW
        if (elements <= LANE_COUNT && rows == LANE_COUNT) {
#if WORDS == 32
            if (elements <= 8 && (count - LANE_COUNT) * elements >= 8)
                join_eights(all, (tree_t *)lanes, from, elements, absent);
            else
#endif
                join_sixteen(all, (tree_t *)lanes, from, elements, absent);
            EACH(k, LANE_COUNT)
                to[k] = OF(out_t, all[k]);
            from += LANE_COUNT * elements;
            continue;
        }
#endif
        for (q = 0; q < rows; q++, from += elements)
            fill_lanes(lanes + q * LANE_COUNT, from, elements, (count - q) * elements, absent);
        for (; q < LANE_COUNT; q++)
            EACH(j, LANE_COUNT)
                lanes[q * LANE_COUNT + j] = absent;
        if (sizeof(acc_t) != sizeof(tree_t))
            EACH(j, LANE_COUNT * LANE_COUNT)
                wide[j] = (tree_t)lanes[j];
        join_rows(all, sizeof(acc_t) == sizeof(tree_t) ? (tree_t *)lanes : wide);
        if (rows == LANE_COUNT) {
            EACH(k, LANE_COUNT)
                to[k] = OF(out_t, all[k]);
            continue;
        }
        ROLLED
        for (q = 0; q < rows; q++)
            to[q] = OF(out_t, all[q]);
    }
}
//: row functions
/* The elements behind the last whole row of lanes, which end at `end`, followed by what changes nothing. As many as
 * there are lanes may be read in front of the end. */
static inline void OWN(rest_of)(acc_v *r, const stage_t *end, i64 count)
{
    const acc_t absent = ABSENT;
#if VECTOR_ROW == 1 && defined __AVX512BW__ && !defined __clang__ && !defined __TINYC__
    typedef i32 places_v VECTORS(i32);
    const places_v places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const stage_v last = *(const stage_v *)(end - ROW);
    r[0] = (acc_v)__builtin_shuffle(last, (stage_v)SPREAD(absent), places + (i32)(ROW - count));
#else
    const acc_t some = (acc_t)3;
    const int again = !ORDERED && !(join_acc(some, some) > some); /* what is joined twice changes nothing */
    stage_t last[2 * ROW];
    ALL(k, ROW / PER_VECTOR) {
        ((stage_v *)last)[k] = ((const stage_v *)(end - ROW))[k];
        ((stage_v *)(last + ROW))[k] = OF(stage_v, SPREAD(absent));
    }
    const stage_t *const from = again ? end - ROW : last + ROW - count;
    ALL(k, ROW / PER_VECTOR)
        r[k] = AS(acc_v, ((const stage_v *)from)[k]);
#endif
}
#if defined REGISTER_ROW && defined KEYS
/* Joins two registers of floats to others. */
static inline void OWN(join_pair)(row_words *a, row_words *b, row_words *nans, const row_words *from)
{
    row_words x, y;
    __asm__("vmovdqu64 %1, %0" : "=v"(x) : "m"(from[0])); /* gcc would load it twice */
    __asm__("vmovdqu64 %1, %0" : "=v"(y) : "m"(from[1]));
    meet_nans(nans, x, y);
    *a = extreme_raw(*a, x);
    *b = extreme_raw(*b, y);
}
/* Joins as many of the elements as fill 4 registers each, as floats. Returns how many. */
static inline i64 OWN(join_floats)(acc_v *lanes, const stage_t *from, i64 count, i64 ahead)
{
    enum { TURN = 4 * PER_REGISTER };
    if (ROW < TURN || count < 4 * TURN)
        return 0;
    row_words *const l = (row_words *)lanes, none = (row_words){0} + ABSENT, few = none, others = none;
    const row_words *x = (const row_words *)from;
    row_words a = x[0], b = x[1], c = x[2], d = x[3];
    i64 e = 0;
    for (; e + TURN <= count; e += TURN, x += 4) {
        near(x, ahead, TURN * sizeof *from);
        join_pair(&a, &b, &few, x);
        join_pair(&c, &d, &others, x + 2);
    }
    l[0] = join_words(l[0], end_raw(a, few));
    l[1] = join_words(l[1], end_raw(b, others));
    l[2] = join_words(l[2], end_raw(c, none));
    l[3] = join_words(l[3], end_raw(d, none));
    return e;
}
#endif
/* Joins elements to a row of ROW lanes, from lane 0 on. There are at least ROW elements up to their end. */
static inline void OWN(join_block)(acc_v *l, const stage_t *from, i64 count, i64 ahead)
{
#if defined REGISTER_ROW && defined KEYS
    const i64 taken = join_floats(l, from, count, ahead);
    from += taken, count -= taken;
#elif defined YMM_ROWS && defined KEYS
    join_long(l, from, count, ahead);
    return;
#endif
    for (; count >= 4 * ROW; count -= 4 * ROW) {
        near(from, ahead, 4 * ROW * sizeof *from);
        SIDE_BY_SIDE
        for (int q = 0; q < 4; q++, from += ROW)
            ALL(k, ROW / PER_VECTOR)
                l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)from)[k]));
    }
    for (; count >= ROW; count -= ROW, from += ROW)
        ALL(k, ROW / PER_VECTOR)
            l[k] = join_acc_v(l[k], AS(acc_v, ((const stage_v *)from)[k]));
    if (count) {
        acc_v r[ROW + 1];
        rest_of(r, from + count, count);
        ALL(k, ROW / PER_VECTOR)
            l[k] = join_acc_v(l[k], r[k]);
    }
}
/* The same to lanes in memory; at least as many elements as there are lanes. Returns the lane of the next one. */
static inline i64 OWN(fold_whole)(acc_t *lanes, const stage_t *from, i64 count, i64 ahead)
{
    acc_v l[ROW + 1];
    ALL(k, ROW / PER_VECTOR)
        l[k] = ((acc_v *)lanes)[k];
    join_block(l, from, count, ahead);
    ALL(k, ROW / PER_VECTOR)
        ((acc_v *)lanes)[k] = l[k];
    return count % ROW;
}
/* Joins `count` elements, which is above 0, to a row of ROW lanes, from lane `at` on. Returns the lane of the next
 * one. */
SEPARATE static i64 OWN(fold_run)(void *room, i64 width, i64 at, const void *elements, i64 count, i64 ahead)
{
    acc_t *const lanes = room;
    (void)width;
#if defined BITS
    out_t own;
    join_long_bits(&own, elements, 0, count, 1, 1, ahead);
    lanes[0] = join_acc(lanes[0], own);
    return at;
#endif
    for (const stage_t *from = elements; at || count < ROW;) {
        ONE_BY_ONE;
        lanes[at] = join_acc(lanes[at], AS(acc_t, *from++));
        at = at + 1 < ROW ? at + 1 : 0;
        if (!--count)
            return at;
        elements = from;
    }
    return fold_whole(lanes, elements, count, ahead);
}
/* Joins two lanes that are `apart` elements apart. */
static inline tree_t OWN(pair)(const tree_t *all, i64 apart)
{
    return join_tree(all[0], all[apart]);
}
/* Joins lanes of `inner` elements each, 32 apart, 16, 8, 4, 2 and 1, as far as they are there. */
static inline void OWN(join_lanes)(tree_t *all)
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
/* Joins the lanes of a point to one, unless further kernels join them, and stores them. `blocks`: so many are in the
 * tree; 0: the only one is in the lanes. */
SEPARATE static void OWN(finish_point)(void *to, void *lanes, void *tree, const struct weft_lanes *r, i64 inner,
                                       i64 pitch, i64 blocks, i64 place)
{
    (void)inner;
    tree_t *const all = blocks ? harvest(lanes, tree, pitch, blocks) : lanes;
    if (r->kept == 1)
        join_lanes(all);
    const i64 kept = r->kept * INNER;
    out_t *const out = (out_t *)to + place * kept;
    for (i64 j = 0; j < kept; j++) {
        ONE_BY_ONE;
        out[j] = OF(out_t, all[j]);
    }
}
/* Joins a point of fewer than ROW elements. */
SEPARATE static void OWN(fold_few)(tree_v *x, const stage_t *from, i64 elements)
{
    ALIGNED acc_t lanes[ROW];
    begin_lanes(lanes, ROW, 1);
    fold_run(lanes, ROW, 0, from, elements, 0);
    OVER(k, ROW)
        x[k] = (tree_v)((acc_v *)lanes)[k];
}
/* Joins a block of at least ROW elements up to its end. A join waits for the one before in its lane; meanwhile a
 * processor begins the next block or row. Several rows side by side took up to twice as long where they come from
 * memory. */
static inline void OWN(fold_block)(tree_v *x, const stage_t *from, i64 count, i64 ahead)
{
    const acc_t absent = ABSENT;
    acc_v l[ROW + 1];
    ALL(k, ROW / PER_VECTOR)
        l[k] = SPREAD(absent);
    join_block(l, from, count, ahead);
    OVER(k, ROW)
        x[k] = (tree_v)l[k];
}
/* Joins a point that is a row of several blocks. */
static inline void OWN(fold_blocks)(tree_v *x, const stage_t *from, i64 elements, i64 block, i64 ahead)
{
    enum { DEPTH = ORDERED ? 32 : 1, NEXT = ORDERED ? ROW / PER_VECTOR : 0 }; /* for as many as memory holds */
    ALIGNED tree_t tree[ROW * DEPTH];
    tree_v *to = (tree_v *)tree;
    i64 number = 0, rest;
    for (i64 count; elements; elements -= count, from += count, number++) {
        count = elements < block ? elements : block;
        fold_block(x, from, count, ahead);
        to = (tree_v *)tree;
        for (rest = ORDERED ? number : number > 0; rest & 1; rest >>= 1, to += NEXT) {
            ONE_BY_ONE; /* as in plant_lanes */
            OVER(k, ROW)
                x[k] = join_tree_v(to[k], x[k]);
        }
        OVER(k, ROW)
            to[k] = x[k];
    }
    for (rest = ORDERED ? number / (number & -number) >> 1 : 0; rest; rest >>= 1) {
        to += NEXT;
        if (rest & 1)
            OVER(k, ROW)
                x[k] = join_tree_v(to[k], x[k]);
    }
}
/* Joins the lanes of rows to one element each, unless more of their point are joined later: `kept` is then ROW. */
SEPARATE static void OWN(end_rows)(out_t *to, tree_t *lanes, i64 rows, i64 kept)
{
#if defined KIND
    if (rows == LANE_COUNT) {
        ALIGNED tree_t all[LANE_COUNT];
        for (int q = 1; q <= LANE_COUNT && ROW > LANE_COUNT; q++)
            EACH(j, LANE_COUNT) {
                const tree_t *const l = lanes + q * ROW - ROW + j;
                const tree_t a = join_tree(l[0], l[ROW / 4]), b = join_tree(l[ROW / 2], l[3 * ROW / 4]);
                lanes[q * LANE_COUNT - LANE_COUNT + j] = join_tree(a, b);
            }
        join_rows(all, lanes);
        EACH(k, LANE_COUNT)
            to[k] = OF(out_t, all[k]);
        return;
    }
#endif
    for (; rows > 0; rows--, lanes += ROW, to += kept) {
        if (kept == 1)
            join_lanes(lanes);
        for (i64 j = 0; j < kept; j++) {
            ONE_BY_ONE;
            to[j] = OF(out_t, lanes[j]);
        }
    }
}
/* Joins the elements of some points that are rows, in blocks of so many, and stores what end_rows leaves of them. */
SEPARATE static void OWN(join_points)(void *to, const char *from, i64 step, i64 elements, i64 block, i64 count,
                                      i64 kept, i64 ahead)
{
#if defined KIND
    enum { MANY = LANE_COUNT };
#else
    enum { MANY = 1 };
#endif
#if defined BITS
    for (i64 k = 0; kept > 1 && k < kept * count; k++)
        ((out_t *)to)[k] = ABSENT;
    join_long_bits(to, from, step, elements, count, kept, ahead);
    return;
#endif
    for (i64 k = 0, rows; k < count; k += rows) {
        ALIGNED tree_t lanes[ROW * MANY];
        for (rows = 0; rows < MANY && k + rows < count; rows++, from += step) {
            tree_v x[ROW / PER_VECTOR];
            if (elements < ROW)
                fold_few(x, (const stage_t *)from, elements);
            else if (elements <= block)
                fold_block(x, (const stage_t *)from, elements, ahead);
            else
                fold_blocks(x, (const stage_t *)from, elements, block, ahead);
            OVER(j, ROW)
                ((tree_v *)(lanes + rows * ROW))[j] = x[j];
        }
        end_rows((out_t *)to + k * kept, lanes, rows, kept);
    }
}
#if defined KIND
/* Joins some points that are short rows, one behind the other. */
static void join_beside(void *to, const void *from, i64 elements, i64 count, i64 ahead)
{
    (void)ahead;
    join_short(to, from, elements, count, ABSENT);
}
/* Joins points of which each has the lanes of so many blocks: these in pairs, then the lanes that are left. */
static void join_blocks(void *to, void *lanes, i64 blocks, i64 count)
{
    enum { NEXT = ROW / PER_VECTOR };
    tree_v *own = lanes, *left = lanes;
    for (i64 q = 0; blocks > 1 && q < count; q++, own += blocks * NEXT, left += NEXT) {
        for (i64 all = blocks; all > 1; all = (all + 1) / 2) {
            for (i64 k = 0; k < all / 2; k++)
                OVER(j, ROW)
                    own[k * NEXT + j] = join_tree_v(own[2 * k * NEXT + j], own[(2 * k + 1) * NEXT + j]);
            if (all & 1)
                OVER(j, ROW)
                    own[all / 2 * NEXT + j] = own[(all - 1) * NEXT + j];
        }
        OVER(j, ROW)
            left[j] = own[j];
    }
    join_short(to, lanes, ROW, count, ABSENT);
}
#else
#define join_beside 0 /* the kernel calls it */
#define join_blocks 0
#endif
static const struct weft_join OWN(this_join) = {
    ORDERED, sizeof(out_t), begin_lanes, fold_run, 0, INNER == 1 ? join_points : 0, join_beside,
    ORDERED ? join_blocks : 0, plant_lanes, finish_point
};
//: here
#else
//: columns functions
/* Joins SIDE elements to as many lanes. */
static inline void OWN(join_side)(acc_t *lanes, const stage_t *from)
{
    acc_v *const to = (acc_v *)lanes;
    OVER(k, SIDE)
        to[k] = join_acc_v(to[k], AS(acc_v, ((const stage_v *)from)[k]));
}
/* Joins `count` elements to a row of `width` lanes, from lane `at` on. Returns the lane of the next one. */
SEPARATE static i64 OWN(fold_run)(void *room, i64 width, i64 at, const void *elements, i64 count, i64 ahead)
{
    acc_t *const lanes = room;
    for (const stage_t *from = elements;;) {
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
/* Joins lanes of `inner` elements each, half of them to the other half, until there is one. */
static inline void OWN(join_lanes)(tree_t *all, i64 lanes, i64 inner)
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
/* Joins the lanes of a point to one, unless further kernels join them, and stores them. `blocks`: so many are in the
 * tree; 0: the only one is in the lanes. */
SEPARATE static void OWN(finish_point)(void *to, void *lanes, void *tree, const struct weft_lanes *r, i64 inner,
                                       i64 pitch, i64 blocks, i64 place)
{
    tree_t *const all = blocks ? harvest(lanes, tree, pitch, blocks) : lanes;
    if (r->kept == 1)
        join_lanes(all, r->lanes, inner);
    for (i64 j = 0; j < r->kept; j++)
        keep((out_t *)to + (place * r->kept + j) * r->inner, all + j * inner, inner);
}
//: fold_rows functions
/* The element at place `at` of a point. */
static inline const stage_t *OWN(place_of)(const struct weft_args *args, const struct weft_sample *sample,
                                           struct weft_rows *rows, i64 access, i64 point, i64 at)
{
    const struct weft_geometry *const s = sample->geometry;
    const i64 row = at < s->columns ? 0 : at / s->columns;
    const stage_t *const first = args->calls->row_at(sample, rows, access, row + point * s->lanes->rows);
    return first + at - row * s->columns;
}
/* Joins elements that each have many inner ones, four of a lane at a time, so that lanes, which are in a farther cache,
 * are loaded and stored once for four. Returns the element to go on with. */
SEPARATE static i64 OWN(fold_four)(const struct weft_args *args, void *room, const struct weft_sample *sample,
                                   i64 access, i64 point, i64 from, i64 inner, i64 element, i64 limit)
{
    acc_t *const lanes = room;
    const struct weft_lanes *const r = sample->geometry->lanes;
    const i64 ahead = args->ahead / 4;
    struct weft_rows rows = {0, 0, 0, 0};
    for (i64 lane = 0; element + 4 * r->lanes <= limit;) {
        const stage_t *x[4];
        acc_t *const l = lanes + lane * inner;
        ROLLED
        for (int k = 0; k < 4; k++) {
            ONE_BY_ONE;
            x[k] = place_of(args, sample, &rows, access, point, (element + lane + k * r->lanes) * r->inner + from);
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
static const struct weft_join OWN(this_join) = {
    ORDERED, sizeof(out_t), begin_lanes, fold_run, fold_four, 0, 0, 0, plant_lanes, finish_point
};
//: here
#endif
#if 0
//: no_rows functions
static const struct weft_join OWN(this_join) = {
    ORDERED, sizeof(out_t), begin_lanes, fold_run, 0, 0, 0, 0, plant_lanes, finish_point
};
//: here
#endif
#endif
