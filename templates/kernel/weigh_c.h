/* Sums of weighted neighbours (correlate with many elements of k); the tokens are those of dialect.h. `runs` says how
 * many runs of terms there are, and how many elements the terms of a run lie apart; then of each run how many elements
 * its first term lies behind the first one of all, and how many terms it has. Terms are joined in their order. What
 * stands for none of them is -0, to which the first one is added as it is. */

//: move weigh
#undef WEIGHED_BYTES
#ifdef __AVX512F__
#define WEIGHED_BYTES 64
#elif defined __AVX__
#define WEIGHED_BYTES 32
#else
#define WEIGHED_BYTES 16
#endif
#if defined __GNUC__ && !defined __TINYC__
typedef U N(weighed) __attribute__((vector_size(WEIGHED_BYTES), aligned(sizeof(T)), may_alias));
/* A block of elements side by side, all of which are there: some vectors of sums stay in registers while all terms are
 * gone over. */
SEPARATE static void N(weigh)(T *r, const T *x, const T *weights, const i64_m *runs)
{
    enum { VECTORS = BLOCK * sizeof(T) / WEIGHED_BYTES, TURN = VECTORS < 8 ? VECTORS : 8 };
    for (int v = 0; v < VECTORS; v += TURN) {
        const T *weight = weights;
        N(weighed) sums[TURN];
#pragma GCC unroll 8
        for (int k = 0; k < TURN; k++)
            sums[k] = -(N(weighed)){0};
        for (i64 n = 0; n < runs[0]; n++) {
            const T *at = x + runs[2 * n + 2];
            for (const T *const end = weight + runs[2 * n + 3]; weight < end; weight++, at += runs[1]) {
#pragma GCC unroll 8
                for (int k = 0; k < TURN; k++)
                    sums[k] += ((const N(weighed) *)at)[v + k] * (U)*weight;
            }
        }
#pragma GCC unroll 8
        for (int k = 0; k < TURN; k++)
            ((N(weighed) *)r)[v + k] = sums[k];
    }
}
#else
/* A block of elements side by side, all of which are there. */
static void N(weigh)(T *r, const T *x, const T *weights, const i64_m *runs)
{
    for (int j = 0; j < BLOCK; j++)
        r[j] = (T)-(U)0;
    for (i64 n = 0; n < runs[0]; n++)
        for (i64 t = 0; t < runs[2 * n + 3]; t++, weights++)
            for (int j = 0; j < BLOCK; j++)
                r[j] = (T)((U)r[j] + (U)x[runs[2 * n + 2] + t * runs[1] + j] * (U)*weights);
}
#endif
//: move weigh_pairs
#undef PAIR_OF
#define PAIR_OF(a, b) (i32)((u32)(unsigned short)(b) << 16 | (unsigned short)(a))
/* The same of 16-bit integers, whose sums have 32 bits: two terms of a run at once, whose elements are interleaved. */
SEPARATE static void N(weigh_pairs)(i32_m *r, const T *x, const T *weights, const i64_m *runs)
{
    const i64 step = runs[1];
#ifdef WIDE
    enum { VECTORS = BLOCK / 2 / LANES };
    ints sums[2 * VECTORS];
#pragma GCC unroll 8
    for (int k = 0; k < 2 * VECTORS; k++)
        sums[k] = (ints){0};
    for (i64 n = 0; n < runs[0]; n++) {
        const T *at = x + runs[2 * n + 2];
        for (i64 left = runs[2 * n + 3]; left > 0; left -= 2, at += 2 * step) {
            const T *const next = left > 1 ? at + step : at;
            const ints pair = (ints){0} + PAIR_OF(weights[0], left > 1 ? weights[1] : 0);
            weights += left > 1 ? 2 : 1;
#pragma GCC unroll 4
            for (int k = 0; k < VECTORS; k++) {
                const ints a = ((const ints *)at)[k], b = ((const ints *)next)[k];
                ints low, high;
                __asm__("vpunpcklwd %2, %1, %0" : "=" WIDE(low) : WIDE(a), WIDE(b));
                __asm__("vpunpckhwd %2, %1, %0" : "=" WIDE(high) : WIDE(a), WIDE(b));
                __asm__("vpmaddwd %2, %1, %0" : "=" WIDE(low) : WIDE(low), WIDE(pair));
                __asm__("vpmaddwd %2, %1, %0" : "=" WIDE(high) : WIDE(high), WIDE(pair));
                sums[2 * k] = (ints)((words)sums[2 * k] + (words)low);
                sums[2 * k + 1] = (ints)((words)sums[2 * k + 1] + (words)high);
            }
        }
    }
    /* each has four elements of eight */
    for (int k = 0; k < VECTORS; k++)
        for (int q = 0; q < LANES / 4; q++) {
            __builtin_memcpy(r + 2 * LANES * k + 8 * q, (const i32 *)&sums[2 * k] + 4 * q, 16);
            __builtin_memcpy(r + 2 * LANES * k + 8 * q + 4, (const i32 *)&sums[2 * k + 1] + 4 * q, 16);
        }
#else
    for (int j = 0; j < BLOCK; j++)
        r[j] = 0;
    for (i64 n = 0; n < runs[0]; n++)
        for (i64 t = 0; t < runs[2 * n + 3]; t++, weights++)
            for (int j = 0; j < BLOCK; j++)
                r[j] = (i32)((u32)r[j] + (u32)((i32)x[runs[2 * n + 2] + t * step + j] * *weights));
#endif
}
//: move weighed_sum
/* What elements are summed in. */
typedef __typeof__((i32)0 + (T)0) N(weighed_sum) MAY_ALIAS;
//: move weigh_some
/* The first m elements of a block, `apart` bytes apart, and the last one again behind them: nothing else may be
 * remarked on. */
SEPARATE static void N(weigh_some)(N(weighed_sum) *r, const char *x, i64 apart, i64 m, const T *weights,
                                   const i64_m *runs)
{
    for (int j = 0; j < BLOCK; j++)
        r[j] = (N(weighed_sum))-(U)0;
    for (i64 n = 0; n < runs[0]; n++)
        for (i64 t = 0; t < runs[2 * n + 3]; t++, weights++) {
            const char *const at = x + (runs[2 * n + 2] + t * runs[1]) * (i64)sizeof(T);
            for (i64 j = 0; j < m; j++)
                r[j] = (N(weighed_sum))((U)r[j] + (U)*(const T *)(at + j * apart) * (U)*weights);
        }
    for (i64 j = m; j < BLOCK; j++)
        r[j] = r[m - 1];
}
//: move weigh_found
/* The first m elements of a block, found by number. */
SEPARATE static void N(weigh_found)(N(weighed_sum) *r, const char *from, const i64 *map, i64 row, i64 i, int m,
                                    const T *weights, const i64_m *runs)
{
    ALIGNED T block[BLOCK];
    for (int j = 0; j < BLOCK; j++)
        r[j] = (N(weighed_sum))-(U)0;
    for (i64 n = 0; n < runs[0]; n++)
        for (i64 t = 0; t < runs[2 * n + 3]; t++, weights++) {
            const i64 behind = (runs[2 * n + 2] + t * runs[1]) * (i64)sizeof(T);
            const T *const x = N(mapped)(block, from + behind, map, row, i, m);
            for (int j = 0; j < BLOCK; j++)
                r[j] = (N(weighed_sum))((U)r[j] + (U)x[j] * (U)*weights);
        }
}
//: end
