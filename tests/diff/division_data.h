/* The operands of the test of divisions by zero: iteration spaces that each take another way through a
 * kernel, and what lies in the divisor. */
#ifndef WEFT_DIVISION_DATA_H
#define WEFT_DIVISION_DATA_H

#include "tests/diff/division_forms.h"
#include "tests/diff/run.h"

enum { RANK = 3 };

/* An iteration space; bit d of `along`: the operand varies along dimension d, in order a b c d. `steps`:
 * each operand has a stride of its own. */
struct path {
    const char *name;
    int rank;
    int64_t shape[RANK];
    unsigned along[OPERANDS];
    bool steps, in_place;
};
enum { PATHS = 17 };
extern const struct path paths[PATHS];

/* Of the extents of `path` that it varies along, others 1, with strides that are `step` times dense ones where
 * the path has steps. */
struct tensor operand(const struct path *path, unsigned along, enum weft_dtype dtype, int step);
/* The next index along these dimensions; false, and all zero again, after the last. */
bool next(const struct path *path, unsigned along, int64_t *index);
/* The element of an operand at an index of the space. */
void *element_at(const struct path *path, const struct tensor *t, const int64_t *index);
bool is_empty(const struct path *path);

/* What lies in b: no zero; zeros that c hides; one; many, and the smallest integer over -1. */
enum zeros { NONE, HIDDEN, ONE, MANY, ZEROS };

/* Fills all operands. */
void fill(const struct path *path, struct tensor *in, enum zeros zeros);

#endif
