/* What plain.c and plain_place.c share. Texts are C and live as long as the emitter's arena. */
#ifndef WEFT_COMPILER_EMIT_PLAIN_IMPL_H
#define WEFT_COMPILER_EMIT_PLAIN_IMPL_H

#include "compiler/emit/emit_impl.h"

struct plain {
    struct emitter *e;
    const struct plain_host *host;
    const struct shape *space;
    struct buf *out;
    int depth;
    int64_t period;                /* elements after which some accesses begin again; 0: none do */
};

/* Where an element is: its digits along a shape's dimensions, or else its row-major number. */
struct place {
    const struct shape *shape;
    const char *number;            /* NULL: there are digits */
    const char *digits[WEFT_MAX_RANK];
    const char *inside;            /* the condition under which it lies inside; NULL: it does */
    uint64_t value;                /* what is read outside */
};

/* An extent as C: a number, or the name of one that is known only as the program runs. */
const char *plain_extent(struct plain *p, int64_t extent);
/* The text, in parentheses unless it is one name, number or element. */
const char *in_parentheses(struct plain *p, const char *text);
/* The product of a shape's extents from dimension `from` on. */
const char *plain_product(struct plain *p, const struct shape *shape, int from);
/* The row-major number of an element. */
const char *place_number(struct plain *p, const struct place *place);
/* Takes a number apart. */
void place_take_apart(struct plain *p, struct place *place);
/* The same element of what was stretched to the place's shape. */
void place_shrink(struct plain *p, struct place *place, const struct shape *shape);
/* Follows the steps that lead from map `above` to map `map`. */
void place_follow(struct plain *p, int above, int map, struct place *place);
/* The shape of what an access reads or stores. Bytes that are read as other elements are as many as the steps say. */
const struct shape *plain_shape(struct plain *p, int access);

#endif
