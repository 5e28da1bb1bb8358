/* Moving elements between tensors and blocks, for a storage type T; the tokens are those of
 * dialect.h. A block that a row does not fill is padded with the row's last element, so that body and
 * tail of a row are one code. */

//: move head
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR
#elif defined __GNUC__ && !defined __TINYC__
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR __attribute__((simd("notinbranch"), const))
#else
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define VECTOR
#endif
//: move pad
SEPARATE static const T *N(pad)(T *block, const T *from, int m)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j < m ? j : m - 1];
    return block;
}
//: move gather
SEPARATE static const T *N(gather)(T *block, const char *from, i64 step, int m)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = *(const T *)(from + (j < m ? j : m - 1) * step);
    return block;
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
//: move lookup
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
__attribute__((optimize("no-tree-vectorize"))) /* gcc gathers slower than it loads */
#endif
SEPARATE static void N(lookup)(T *block, const T *table, const u8_m *entry)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = table[entry[j]];
}
