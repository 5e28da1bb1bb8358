/* Shapes of every node from the shapes of the inputs: broadcasting (rule 5.1). Works on numbers at a
 * call, and on declared types whose extents are partly unknown when checking. */
#ifndef WEFT_SHAPE_H
#define WEFT_SHAPE_H

#include "compiler/lang/lang.h"

/* An extent is a number, or EXTENT_UNKNOWN or EXTENT_VARIABLE - k as in struct type. */
struct shape {
    int rank;
    uint32_t rigid;                /* bit d: dimension d comes from a size variable and never stretches */
    int64_t extents[WEFT_MAX_RANK];
};

/* What two extents of one dimension broadcast to (rule 5.1): the rule for all who join shapes. A rigid one, that of
 * a size variable, never stretches. */
enum joined {
    JOINED_FIRST, JOINED_SECOND,
    JOINED_OPEN,                   /* a call decides: one is not known */
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

/* `inputs` holds one shape for each input, NULL where nothing is known; so does `shapes`, one for
 * each node, afterwards. False, with diagnostics, when shapes do not broadcast. */
bool infer_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct shape *const *inputs, const struct shape **shapes);
/* The elements of an input that views take as numbers (struct numbers). */
struct contents {
    int count;
    const struct literal *items;   /* NULL: not known */
};
/* The same with such elements: `contents` holds an entry for each input, and may be NULL. */
bool infer_shapes_of(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes);

/* What a size variable stands for: the extent it met first, in input number `input`; -1: none yet. */
struct size_value {
    int64_t extent;
    int input;
};
struct size_values {
    struct size_value *items;     /* of the program's size variables */
    const char *where;             /* ends a message about an input, as " of sample 'a.npy'"; "": nothing */
};

void sizes_init(struct size_values *sizes, struct arena *arena, const struct program *program);
/* The number that a size variable stands for, if it has met one; another extent as it is. */
int64_t sizes_extent(const struct size_values *sizes, int64_t extent);
/* Joins what is said of one extent of input number `input`: *known becomes what is known now. False where the
 * two differ; a size variable that would be two numbers is reported, the rest is the caller's to report. */
bool sizes_join(const struct program *program, struct size_values *sizes, int input, int64_t *known, int64_t next,
                 struct diags *diags);

/* The shape a declared type has: NULL without brackets. */
const struct shape *type_shape(struct arena *arena, const struct type *type);
/* The text of an expression for messages, shortened. */
const char *expression_text(struct arena *arena, const struct program *program, struct span span);
/* "[480, 640, 3]"; unknown extents as ?, size variables by name. */
const char *shape_text(struct arena *arena, const struct program *program, const struct shape *shape);
bool shapes_equal(const struct shape *a, const struct shape *b);
/* Whether all extents are numbers. */
bool shape_known(const struct shape *shape);
/* Whether two shapes surely have as many elements. */
bool shapes_fill(const struct shape *a, const struct shape *b);
/* Number of elements; -1 when it passes what an int64_t of bytes can count. */
int64_t shape_volume(const struct shape *shape);

#endif
