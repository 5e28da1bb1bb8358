/* The shape pass: gives every node a shape from the shapes of the inputs. Holds the rules of broadcasting (rule 5.1)
 * and of size variables (rule 1.8). At a call extents are numbers; when a text is compiled some of them are unknown. */
#ifndef WEFT_COMPILER_CHECK_SHAPE_H
#define WEFT_COMPILER_CHECK_SHAPE_H

#include "compiler/check/extents.h"

/* An extent is a number, EXTENT_UNKNOWN, EXTENT_VARIABLE - k as in struct type, or open (extents.h). */
struct shape {
    int rank;
    uint32_t rigid;                /* bit d: the extent comes from a size variable, so it never stretches */
    int64_t extents[WEFT_MAX_RANK];
};

/* The extent to which two extents broadcast (rule 5.1). All code that joins shapes uses this function. A rigid extent
 * comes from a size variable and never stretches. */
enum joined {
    JOINED_FIRST, JOINED_SECOND,
    JOINED_OPEN,                   /* decided at the call, since one of them is not known */
    JOINED_CLASH
};
static inline enum joined join_extents(int64_t first, bool first_rigid, int64_t second, bool second_rigid)
{
    if (first == second || (second == 1 && !second_rigid))
        return JOINED_FIRST;
    if (first == 1 && !first_rigid)
        return JOINED_SECOND;
    return first < 0 || second < 0 ? JOINED_OPEN : JOINED_CLASH;
}

/* The elements of an input that views take as numbers (struct numbers). */
struct contents {
    int count;
    const struct literal *items;   /* NULL: not known */
};
/* Computes a shape for each node. `inputs` holds a shape for each input, `shapes` receives one for each node; NULL
 * means that nothing is known. `contents` has an entry for each input, or is NULL: no elements are known. `views`,
 * unless it is NULL, receives the program's views with the values of their size expressions, as far as they are known.
 * Ahead of time `open` writes down what a call computes; else it is NULL.
 * Returns false, with diagnostics, when shapes do not broadcast or a view is wrong. */
bool infer_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct shape *const *inputs, const struct contents *contents, const struct open_extents *open,
                  const struct shape **shapes, struct view_args *views);
/* Compares the shapes of results with those that they are declared with, `-> uint8[64, 64, 3]`. False with diagnostics
 * where they differ. */
bool check_results(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *inputs, const struct open_extents *open,
                   const struct shape *const *shapes);
/* The shape to which two shapes broadcast; of open extents a call finds out whether they do, which may be reported at
 * `span`. NULL: they clash in dimension *clash, counted from the end. */
const struct shape *shape_join(struct arena *arena, const struct open_extents *open, const struct shape *a,
                               const struct shape *b, struct span span, int *clash);

/* The value of a size variable: the extent that it met first, in input number `input`; -1: none yet. */
struct size_value {
    int64_t extent;
    int input;
};
struct size_values {
    struct size_value *items;     /* one for each of the program's size variables */
    const char *where;             /* added to messages about an input, such as " of sample 'a.npy'"; may be "" */
};

/* Size variables without values. `where` is "". */
void sizes_init(struct size_values *sizes, struct arena *arena, const struct program *program);
/* The value of a size variable if it has one. Any other extent is returned as it is. */
int64_t sizes_extent(const struct size_values *sizes, int64_t extent);
/* Joins two statements about one extent of input number `input`: *known and `next`. *known becomes what is known
 * now. Returns false where they differ. A size variable with two values is reported here; other differences are
 * for the caller to report. */
bool sizes_join(const struct program *program, struct size_values *sizes, int input, int64_t *known, int64_t next,
                 struct diags *diags);

/* A shape of these extents. */
struct shape *shape_new(struct arena *arena, int rank, const int64_t *extents);
/* The shape that a declared type has. NULL if it has no brackets. */
struct shape *type_shape(struct arena *arena, const struct type *type);
/* The text of an expression, shortened for messages. */
const char *expression_text(struct arena *arena, const struct program *program, struct span span);
/* What to write for it so that it is the same for all of one more dimension at the end. */
const char *stretched_text(struct arena *arena, const char *text);
/* What to write for a named value's only element along a dimension: "s.x[0]". */
const char *first_along_text(struct arena *arena, const char *text, const char *dim);
/* The text of a product, which is told as such, and where it is. */
const char *product_text(struct arena *arena, const struct program *program, const struct product *product);
struct span product_span(const struct product *product);
/* A shape as "[480, 640, 3]", with unknown extents as ? and size variables by name. */
const char *shape_text(struct arena *arena, const struct program *program, const struct shape *shape);
/* Whether ranks and extents are the same. */
bool shapes_equal(const struct shape *a, const struct shape *b);
/* Whether all extents are numbers. */
bool shape_known(const struct shape *shape);
/* Whether two shapes certainly have the same number of elements. Extents that are not numbers are equal only to
 * themselves. */
bool shapes_fill(const struct shape *a, const struct shape *b);
/* The number of elements. -1 when their bytes may not fit int64_t, even if another extent is 0. */
int64_t shape_volume(const struct shape *shape);

#endif
