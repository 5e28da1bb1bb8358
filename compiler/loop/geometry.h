/* The geometry of a kernel on one sample: dimensions joined into groups (rule 5.2), and how each access moves
 * along the innermost group (its kind). The generated code depends on the kinds only. Everything else is data
 * with which it is called. */
#ifndef WEFT_COMPILER_LOOP_GEOMETRY_H
#define WEFT_COMPILER_LOOP_GEOMETRY_H

#include "compiler/lang/lang.h"
#include "compiler/loop/access_kinds.h"
#include "compiler/loop/walk.h"

/* Where a load of ACCESS_NEAR begins. */
struct near {
    int first;                     /* the load that it lies behind, which is ACCESS_UNIT; of others itself */
    int elements;                  /* by so many; of the first one the most of those behind it */
    int row;                       /* where rows slide (slide.h): which of their rows it reads, from 0 on */
    int rows;                      /* of the first one: how many rows they read, but for one; else 0 */
    bool still;                    /* it reads the same element throughout */
};

struct geometry {
    int64_t volume;
    int merged_count;              /* the number of groups by rule 5.2, outermost first */
    int64_t merged[MAX_GROUPS];    /* their extents */
    int64_t *merged_strides;       /* [groups][accesses] their strides, in bytes; in element numbers
                                      where these find elements */
    int row_groups;                /* how many of them are expanded into one row; 0: none */
    int groups;                    /* the number of outer groups */
    int64_t extents[MAX_GROUPS];
    int64_t rows, columns, last_columns, period; /* as in struct weft_geometry */
    struct tiling tiling;
    int64_t *strides;              /* [accesses][groups + 2]; the last of a deinterleaved access is by how many bytes it
                                      is behind the first of those that are loaded together, of an expanded one the
                                      number of columns that lie one stride apart */
    int64_t *starts;               /* [accesses] bytes from a tensor's first element to the first one that is read */
    unsigned char *kinds;          /* [accesses], enum access_kind */
    struct near *near;             /* [accesses] NULL: there are none */
    unsigned char *unread;         /* [accesses] of loads that a few elements keep from ACCESS_DEINTERLEAVED: how
                                      many of each step are not read */
    int64_t slides;                /* rows slide (slide.h): a tile should have so many; 0: none do */
    bool folded;                   /* the period is two groups */
    bool moved;                    /* groups have another order than the space's dimensions */
    int **offsets;                 /* [accesses] of expanded accesses [columns], of interleaved ones [period] offsets in
                                      bytes; of others NULL */
    long long *distinct;           /* [accesses] of expanded accesses: columns after which the elements repeat */
    long long **maps;              /* [accesses] of mapped and bounded accesses, else NULL: as in weft_geometry */
    unsigned fast;                 /* a set of enum fast_path */
    bool wide_numbers;             /* some map takes numbers apart that do not fit 32 bits */
    bool chunks;                   /* the target computes in chunks */
    int peel;                      /* the number of the first element, less than a chunk's elements: chunks begin with
                                      number 0, so that those of what is stored are aligned. `starts` are then
                                      those of number 0 for accesses that step along rows */
};

/* Whether the points of a reduction lie nearer to each other than its outermost elements, in the load of which most is
 * read. */
bool points_are_nearer(const struct kernel *kernel, const struct geometry *g);
/* The load whose elements are stored as they are, side by side, if a kernel does nothing else; -1: it does. */
int copied_load(const struct kernel *kernel, const unsigned char *kinds);
/* Makes the geometry for a kernel over `shape`, with a view for each access. `fast` is a set of enum fast_path. Without
 * FAST_SPECIAL all accesses are ACCESS_STRIDED, which serves any strides. If the target computes in `chunks` (form.h),
 * no row is expanded, and flat rows are chosen by another rule. */
void make_geometry(struct arena *arena, const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, unsigned fast, bool chunks, struct geometry *geometry);

/* Whether indices of `volume` elements, or any of `count` strides, do not fit 32 bits. */
bool chunks_are_wide(int64_t volume, const int64_t *strides, int count);

/* templates/shared/chunks.c. */
int chunks_peel(int block, int loads, int accesses, const unsigned char *kinds, const int *sizes, const uint64_t *at);

/* Computes the strides in bytes of a tensor of `extents` under a result of `rank` dimensions: aligned at the right, 0
 * where it is stretched. `strides` are in elements; NULL: dense and row-major. */
void broadcast_strides(int rank, const int64_t *shape, int tensor_rank, const int64_t *extents,
                       const int64_t *strides, int size, int64_t *result);

/* Verifies what make_geometry promises, in builds with assertions. Returns NULL, or a text that says what is broken. */
const char *verify_geometry(const struct kernel *kernel, const struct geometry *geometry);

#endif
