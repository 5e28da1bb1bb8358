/* Where the elements lie for kernels that compute in chunks of registers (compiler/loop/form.h): one text for the
 * library and for ahead-of-time sources, behind templates/shared/grouping.c. */

//: chunks
enum { WIDE_ACCESS = 16 };         /* bytes */

/* Whether rows of their own leave this access aligned: all outer strides are whole chunks of `size`. */
static bool keeps_aligned(const struct grouping *groups, int a, int64_t size)
{
    for (int g = 0; g + 1 < groups->count; g++)
        if (group_strides(groups, g)[a] % size != 0)
            return false;
    return true;
}

/* Whether the two innermost groups run as one where kernels compute in chunks: more of the elements that
 * come from memory then lie in a row, and aligned. What stays along the outer group counts for nothing: it
 * is in a cache. */
SHARED bool chunks_run_flat(const struct grouping *groups)
{
    int64_t flat = 0, apart = 0;
    int inner = groups->count - 1, widest = 1;
    for (int a = 0; groups->count >= 2 && a < groups->accesses; a++)
        if (!groups->walks[a] && group_strides(groups, inner - 1)[a] && groups->sizes[a] > widest)
            widest = groups->sizes[a];
    for (int a = 0; groups->count >= 2 && a < groups->accesses; a++) {
        int64_t step = group_strides(groups, inner)[a], jump = group_strides(groups, inner - 1)[a];
        int size = groups->sizes[a];
        if (groups->walks[a] || jump == 0 || step != size)
            continue;
        flat += flat_kind(jump, step, groups->extents[inner], size) == ACCESS_UNIT ? size : 0;
        apart += keeps_aligned(groups, a, WIDE_ACCESS / widest * size) ? size : 0;
    }
    return flat > apart;
}

/* The number of the first element of one row for which chunks of a result are aligned, so that these begin with number
 * 0; of the first load, where no result is dense. It is less than a chunk's. `at`: addresses of the first elements. */
SHARED int chunks_peel(int block, int loads, int accesses, const unsigned char *kinds, const int *sizes,
                       const uint64_t *at)
{
    int chosen = -1;
    for (int a = accesses - 1; a >= 0; a--)
        if (kinds[a] == ACCESS_UNIT && (a >= loads || chosen < loads))
            chosen = a;
    if (chosen < 0)
        return 0;
    const int bytes = block * sizes[chosen];
    return (int)(at[chosen] % (uint64_t)(bytes < WIDE_ACCESS ? bytes : WIDE_ACCESS)) / sizes[chosen];
}

/* Loads that stay at one element for each period, if that is so long that a chunk meets at most two. */
SHARED void chunks_find_columns(const struct rows *rows, int accesses)
{
    for (int a = 0; a < accesses; a++)
        if (rows->kinds[a] == ACCESS_NESTED && rows->period >= WIDE_ACCESS &&
            rows->strides[(ptrdiff_t)a * (rows->groups + 2) + rows->groups] == 0)
            rows->kinds[a] = ACCESS_COLUMN;
}

/* Whether numbers that some walk takes apart do not fit 32 bits: more elements may be selected from than the loop
 * has. */
SHARED bool numbers_are_wide(const struct grouping *groups)
{
    bool wide = false;
    for (int a = 0; a < groups->accesses; a++)
        for (int i = 0; groups->walks[a] && i < groups->walks[a]->level_count; i++) {
            const struct pieces *pieces = &groups->walks[a]->levels[i].pieces;
            int64_t count = 1;
            for (int k = 0; k < pieces->count; k++)
                count *= pieces->at[k].extent;
            wide = wide || count > INT32_MAX;
        }
    return wide;
}

/* Whether indices, beyond the end by a tile too, or any of `count` strides do not fit 32 bits. */
SHARED bool chunks_are_wide(int64_t volume, const int64_t *strides, int count)
{
    if (volume >= INT32_MAX - (1 << 20))
        return true;
    for (int i = 0; i < count; i++)
        if (strides[i] > INT32_MAX || strides[i] < -INT32_MAX)
            return true;
    return false;
}
