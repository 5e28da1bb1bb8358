/* What a kernel in C does where its rows end, and with rare operands: it is a part of no kernel, so that compiling one
 * takes less time. It is compiled for each instruction set, whose vectors have PIECE bytes. SHARED is what a function
 * begins with. */

//: ends
#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements of a block to where they belong. They are read by the pieces in which the kernel stored them:
 * one that lies in two of these would have to wait for both. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int before = (int)((unsigned long long)block % PIECE), end = before + count * size;
    const char *const from = (const char *)block - before;
    char *const place = (char *)to - before;
#if PIECE == 64
    unsigned long long mask = ~0ull << before;
    for (int k = 0; k < end; k += PIECE, mask = ~0ull)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)(place + k)) : "v"(*(const piece *)(from + k)),
                "Yk"(end - k < PIECE ? mask & ((1ull << (end - k)) - 1) : mask));
#else
    int k = before ? PIECE : 0;
    if (before)
        memcpy(to, block, (size_t)(end < PIECE ? end : PIECE) - (size_t)before);
    for (; k + PIECE <= end; k += PIECE)
        *(piece *)(place + k) = *(const piece *)(from + k);
    if (k < end)
        memcpy(place + k, from + k, (size_t)(end - k));
#endif
}

/* C's remainder m as that of a quotient that is rounded down. */
#define BROUGHT(f, m, b) ((m) == 0 ? __builtin_copysign##f(0, b) : ((m) < 0) != ((b) < 0) ? (m) + (b) : (m))
/* C's fmod, or the remainder of a quotient that is rounded down, where the quotient is 2^21 or more, in float64 2^50,
 * or none of finite numbers. Of sizes: mx and my are their fractions from 1 to 2, `left` is the difference of their
 * exponents. A step takes the nearest multiple of my from mx * 2^25. The quotient there has 26 bits and the halves of
 * my have 27, so all products and differences are exact, also without fused multiply-adds. */
SHARED void fmod_block(void *r, const void *a, const void *b, int count, int size, int down)
{
    typedef unsigned long long words __attribute__((vector_size(PIECE), may_alias));
    typedef long long signs __attribute__((vector_size(PIECE), may_alias));
    typedef double numbers __attribute__((vector_size(PIECE), may_alias));
    enum { LANES = PIECE / 8, SOME = 64, PIECES = SOME / LANES, STEP = 25 };
    const double limit = size == 4 ? 0x1p21 : 0x1p50;
    const unsigned long long one = 1023ull << 52, infinity = 2047ull << 52, fraction = ~0ull >> 12, sign = 1ull << 63;
    numbers x[PIECES] = {{0}}, y[PIECES] = {{0}}, rest[PIECES], high[PIECES], low[PIECES], inverse[PIECES];
    signs left[PIECES], usual[PIECES];
    words power[PIECES], tiny[PIECES];
    int at[SOME];
    for (int from = 0; from < count; from += SOME) {
        const int some = count - from < SOME ? count - from : SOME;
        long long most = 0;
        int found = 0, pieces;
        for (int j = from; j < from + some; j++) {
            const double of_x = size == 4 ? (double)((const float *)a)[j] : ((const double *)a)[j];
            const double of_y = size == 4 ? (double)((const float *)b)[j] : ((const double *)b)[j];
            const double least = __builtin_fabs(of_y);
            ((double *)x)[found] = of_x;
            ((double *)y)[found] = of_y;
            at[found] = j;
            found += !(__builtin_fabs(of_x) < least * limit) | !(least < (double)__builtin_inff());
        }
        pieces = (found + LANES - 1) / LANES;
        for (int k = 0; k < pieces; k++) {
            const numbers of_x = (numbers)((words)x[k] & ~sign), of_y = (numbers)((words)y[k] & ~sign);
            const words few = (words)(of_x < 0x1p-1022) & 54, fewer = (words)(of_y < 0x1p-1022) & 54; /* subnormal */
            const words mx = (words)(of_x * (numbers)(one + (few << 52)));
            const words my = (words)(of_y * (numbers)(one + (fewer << 52)));
            usual[k] = (signs)((words)(of_x >= of_y) & (words)(of_y > 0) & (words)((words)of_x < infinity));
            left[k] = usual[k] & (signs)((mx >> 52) - few - (my >> 52) + fewer);
            power[k] = my & infinity;
            tiny[k] = one - (fewer << 52);
            rest[k] = (numbers)((mx & fraction) | one);
            const numbers divisor = (numbers)((my & fraction) | one);
            high[k] = (numbers)((words)divisor & ~0ull << 26);
            low[k] = divisor - high[k];
            inverse[k] = 1 / divisor;
            for (int lane = 0; lane < LANES; lane++)
                most = left[k][lane] > most ? left[k][lane] : most;
        }
        for (most += most == 0; most > 0; most -= STEP) {
            for (int k = 0; k < pieces; k++) {
                const signs more = (signs)(left[k] > STEP), step = (more & STEP) | (~more & left[k]);
                const numbers large = rest[k] * (numbers)(((words)step << 52) + one);
                const numbers quotient = large * inverse[k] + 0x1.8p52 - 0x1.8p52;
                rest[k] = large - quotient * high[k] - quotient * low[k];
                left[k] -= step;
            }
        }
        for (int k = 0; k < pieces; k++) {
            const words negative = (words)(rest[k] < 0), divisor = (words)(high[k] + low[k]);
            const numbers positive = rest[k] + (numbers)(negative & divisor);
            const words value = (words)(positive * (numbers)power[k] * (numbers)tiny[k]);
            const words of_x = (words)x[k] & ~sign, of_y = (words)y[k] & ~sign;
            const words whole = (words)(of_x < infinity) & (words)(of_y - 1 < infinity);
            const words other = (whole & of_x) | (~whole & ~0ull << 51); /* a, where b is larger; or NaN */
            x[k] = (numbers)(((words)usual[k] & value) | (~(words)usual[k] & other) | ((words)x[k] & sign));
        }
        for (int k = 0; k < found; k++) {
            const double m = ((const double *)x)[k], of_y = ((const double *)y)[k];
            if (size == 4)
                ((float *)r)[at[k]] = down ? BROUGHT(f, (float)m, (float)of_y) : (float)m;
            else
                ((double *)r)[at[k]] = down ? BROUGHT(, m, of_y) : m;
        }
    }
}
#undef BROUGHT

#if PIECE == 16 && (defined __x86_64__ || defined __i386__)
#define FUSED __attribute__((target("fma"))) /* only kernels for processors with these call them */
#else
#define FUSED
#endif
/* r[j] = f(a[j]) for the elements where so(a[j]): side by side, as many as vectors take, so that few of them cost
 * little; `any` is such an operand. */
#define FAR(name, T, so, f, any) \
FUSED SHARED void name(void *r, const void *a, int count) \
{ \
    enum { SOME = 64, TOGETHER = 16 }; \
    for (int from = 0; from < count; from += SOME) { \
        const int some = count - from < SOME ? count - from : SOME; \
        T far[SOME]; \
        int at[SOME], many = 0; \
        for (int next = from; next < from + some; next += TOGETHER) { \
            const T *const x = (const T *)a + next; \
            const int left = from + some - next, these = left < TOGETHER ? left : TOGETHER; \
            int here = these < TOGETHER; /* a few are looked at one by one, more only where one is far */ \
            for (int k = 0; k < TOGETHER && these == TOGETHER; k++) \
                here |= so(x[k]); \
            for (int k = 0; k < these && here; k++) { \
                far[many] = x[k]; \
                at[many] = next + k; \
                many += so(far[many]); \
            } \
        } \
        for (int k = many; k % TOGETHER; k++) \
            far[k] = any; \
        for (int first = 0; first < many; first += TOGETHER) \
            for (int k = first; k < first + TOGETHER; k++) \
                far[k] = f(far[k]); \
        for (int k = 0; k < many; k++) \
            ((T *)r)[at[k]] = far[k]; \
    } \
}
FAR(sinf_block, float, is_beyond, sin_far, 0x1p20f)
FAR(cosf_block, float, is_beyond, cos_far, 0x1p20f)
FAR(tanf_block, float, is_beyond, tan_far, 0x1p20f)
FAR(sin_block, double, is_far_f64, sin_f64_far, 0x1p30)
FAR(cos_block, double, is_far_f64, cos_f64_far, 0x1p30)
#undef FAR
#undef FUSED
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}

#define fmod_block 0 /* no kernel calls these */
#define sinf_block 0
#define cosf_block 0
#define tanf_block 0
#define sin_block 0
#define cos_block 0
#endif

SHARED void divide_block(void *r, const void *a, const void *b, int count, int negative, int cut, int rest)
{
    for (int j = 0; j < count; j++) {
        const long long x = ((const long long *)a)[j], y = ((const long long *)b)[j];
        const unsigned long long dividend = (unsigned long long)x, divisor = (unsigned long long)y;
        unsigned long long quotient = 0, left = 0;
        if (negative && (y == 0 || y == -1)) {
            quotient = y == 0 ? 0 : 0 - dividend;
        } else if (negative) {
            const long long below = !cut & (x % y != 0) & ((x ^ y) < 0);
            quotient = (unsigned long long)(x / y - below);
            left = (unsigned long long)(x % y + (y & -below));
        } else if (y != 0) {
            quotient = dividend / divisor;
            left = dividend % divisor;
        }
        ((unsigned long long *)r)[j] = rest ? left : quotient;
    }
}

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, next_run, find_points, find_rows, row_at,
                                            pad_block, put_block, begin_rows, repeated,
                                            fmod_block, divide_block, sinf_block, cosf_block, tanf_block, sin_block,
                                            cos_block, JOINS};
    return &calls;
}
#undef PIECE
#undef JOINS
