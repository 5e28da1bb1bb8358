/* How a kernel walks one sample: dimensions grouped (rule 5.2), the innermost group with a kind for
 * each access. The kinds are all that the generated code depends on; everything else here is data
 * that it is called with. */
#ifndef WEFT_GEOMETRY_H
#define WEFT_GEOMETRY_H

#include "compiler/lang/lang.h"
#include "compiler/loop/walk.h"

enum { MAX_EXPANDED = 2048 };      /* the longest row of several short groups */

/* Whether elements are found by their numbers, with a map. */
static inline bool access_numbered(enum access_kind kind)
{
    return kind == ACCESS_MAPPED || kind == ACCESS_BOUNDED;
}

/* Whether it is one element for a whole row. */
static inline bool access_stays(enum access_kind kind)
{
    return kind == ACCESS_SCALAR || kind == ACCESS_VALUE;
}

struct geometry {
    int64_t volume;
    int merged_count;              /* the groups of rule 5.2, outermost first, */
    int64_t merged[MAX_GROUPS];    /* their extents, */
    int64_t *merged_strides;       /* and strides, [groups][accesses]; of numbers where they are found by these */
    int row_groups;                /* of them, those that are expanded into one row; else 0 */
    int groups;                    /* outer ones */
    int64_t extents[MAX_GROUPS];
    int64_t rows, columns, period; /* as in struct weft_geometry */
    int64_t tile_rows, tile_columns, row_tiles, tiles;
    int64_t *strides;              /* [accesses][groups + 2] */
    int64_t *starts;               /* [accesses] bytes from a tensor's first element to the one that is read first */
    unsigned char *kinds;          /* [accesses], enum access_kind */
    int **offsets;                 /* [accesses] of expanded ones, NULL for others: [columns], in bytes */
    long long *distinct;           /* [accesses] columns after which the elements repeat */
    long long **maps;              /* [accesses] of mapped and bounded ones, NULL for others: as in weft_geometry */
    unsigned fast;                 /* a set of enum fast_path */
    bool wide_numbers;             /* maps take numbers apart that do not fit 32 bits */
    bool chunks;                   /* for a target that computes in chunks */
};

/* `views` are those of the accesses over the dimensions of `shape`; `fast` is a set of enum fast_path:
 * without FAST_SPECIAL all accesses are ACCESS_STRIDED, which serves any strides. For a target that
 * computes in `chunks`, see form.h, no row is expanded, and what is flat is chosen otherwise. */
void make_geometry(struct arena *arena, const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, unsigned fast, bool chunks, struct geometry *geometry);

/* Whether indices of so many elements, or any of `count` strides, do not fit 32 bits. */
bool chunks_are_wide(int64_t volume, const int64_t *strides, int count);

/* Strides in bytes of a tensor of `extents` under a result of `rank` dimensions: aligned at the
 * right, 0 where it stretches. `strides` are in elements, NULL for dense row-major. */
void broadcast_strides(int rank, const int64_t *shape, int tensor_rank, const int64_t *extents,
                       const int64_t *strides, int size, int64_t *result);

/* What geometry promises, tested in builds with assertions: NULL, or what is broken. */
const char *verify_geometry(const struct kernel *kernel, const struct geometry *geometry);

#endif
