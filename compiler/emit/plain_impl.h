/* What the files of this name share. Texts are C and live as long as the emitter's arena. */
#ifndef WEFT_COMPILER_EMIT_PLAIN_IMPL_H
#define WEFT_COMPILER_EMIT_PLAIN_IMPL_H

#include "compiler/emit/emit_impl.h"

struct plain {
    struct emitter *e;
    const struct plain_host *host;
    const struct shape *space;
    struct buf *out;
    int depth;
    struct buf *rooms;             /* as the host's; or those of its own loop */
    bool *once;                    /* [ins] whether a value is read once, where it needs no name */
    bool *chosen;                  /* [ins] whether operations choose it or another, so that it needs a name */
    const char **texts;            /* [ins] its text then; else NULL */
    bool *needed;                  /* [ins] whether it is computed */
    const char **blocked;          /* [ins] in blocks: the element of the block that has its value; NULL: none. NULL:
                                      there are no blocks */
    bool chunks;                   /* whether blocks may have a fixed number of elements, and a loop for the rest */
    bool rest;                     /* in that loop */
    const char *count;             /* how many elements the innermost loop goes over */
    int inner;                     /* the first of the dimensions that the innermost loop goes over */
    int known;                     /* the instruction whose value is in the result's array already; -1: none */
    int64_t period;                /* elements after which some accesses begin again; 0: none do */
    const char *pattern_start, *pattern_index; /* of what repeats: where a block begins, the element in hand */
};

/* Where an element is: its digits along a shape's dimensions, or else its row-major number. */
struct place {
    const struct shape *shape;
    const char *number;            /* NULL: there are digits */
    const char *digits[WEFT_MAX_RANK];
    const char *inside;            /* the condition under which it lies inside; NULL: it does */
    uint64_t value;                /* what is read outside */
};

/* plain.c: parts of statements. The name of a value, or its text, if it is read where it is needed. */
void plain_indent(struct plain *p);
const char *plain_name(struct plain *p, int i);
/* Opens a loop over so many elements; returns its variable. Closes all that are deeper. */
const char *plain_loop(struct plain *p, const char *name, const char *count);
void plain_end(struct plain *p, int depth);
/* Adds ` = value;` behind what is stored to, and the origin of a value that was not named. */
void plain_assign(struct plain *p, int value, const char *text);
/* Adds the instructions of one element, but for a store of what is reduced: returns that value. */
int plain_body(struct plain *p, const struct place *place);
/* Finds what these instructions need, where some values are known already; NULL: all results and remarks. */
void plain_find_needed(struct plain *p, const bool *wanted);
/* Says that the turns of the loop that follows do not depend on each other. */
void plain_independent(struct plain *p);
/* Whether an access is one of a pattern, in a loop over patterns. */
bool plain_repeats(struct plain *p, int access);
/* Whether each of the first accesses reads or writes the whole space in its order, or one element. */
bool plain_all_flat(struct plain *p, int accesses);
/* The array of an access from a place on. */
const char *plain_offset(struct plain *p, int access, const struct place *place);

/* plain_block.c: whether parts of the innermost loop are computed by functions of a block. */
bool plain_has_blocks(struct plain *p);
/* Opens a loop over blocks of so many elements. */
enum { TOGETHER = 256 };
void plain_open_blocks(struct plain *p, const char *elements, int together);
void plain_open_blocks_of(struct plain *p, const char *elements, const char *together);
/* The number of a block's elements, where it is fixed; else 0. Opens a loop over such blocks, and one over the elements
 * behind the last of them. */
int plain_chunk(struct plain *p);
/* The function that does for one of these what calls do for blocks; NULL: its row does. */
const char *plain_single(struct plain *p, int i);
void plain_open_chunks(struct plain *p, const char *elements, int chunk);
void plain_open_rest(struct plain *p, const char *elements, int chunk);
/* Adds what computes a block that begins at place `first`; `place` is that of its element k. What is reduced goes to
 * `joined`; NULL: results are stored. */
struct joined_to {
    const char *array, *element;   /* from the block's start on, and its element k */
};
void plain_put_stages(struct plain *p, int elements, const struct place *first, const struct place *place,
                      const struct joined_to *joined);
/* Whether a value is in an array of the block; it has its text then. */
bool plain_is_blocked(struct plain *p, int i);

/* plain_join.c */
void plain_search(struct plain *p, const char *target);
void plain_reduction(struct plain *p, const char *target);

/* A reduction as it is written. */
struct joining {
    const char *elements;  /* how many are joined */
    const char *target;    /* what the result is stored to */
    const char *declared;  /* what stands in front of a value that has no definition yet */
    const char *all;       /* the variable that has what was joined so far */
    enum weft_dtype stage; /* of what is joined */
    bool ordered, single;
};

/* The result of no elements. */
const char *plain_nothing(struct plain *p);
/* Two values of which the second may have the type of what is joined, in the one in which it is. */
const char *plain_joined_to(struct plain *p, const char *so_far, const char *value);
/* Adds a section's functions that join values of this kind, once. Returns what stands behind their names. */
const char *plain_put_join(struct plain *p, const char *section);
/* Two joined values. */
const char *plain_joined(struct plain *p, enum weft_dtype dtype, const char *a, const char *b);
/* Whether integers with the bits of floats are joined, which are in the same order. */
bool plain_joins_keys(const struct lanes *lanes, enum weft_dtype stage);
const char *plain_key_type(const struct lanes *lanes);
/* How an integer is to another that it replaces. */
const char *plain_key_before(const struct lanes *lanes);
/* The place of an element of a reduction's space: that of point p, of its element number `element`, and of that one's
 * inner element `inner`. */
struct place reduced_place(struct plain *p, const char *element, const char *inner);
/* The number of a reduction's result. */
const char *result_number(struct plain *p, const char *inner);
/* Adds what a value is that was joined: "sum of x". */
void plain_put_what(struct plain *p);

/* plain_columns.c */
/* Whether columns are joined side by side: not where they are known to be few, and have something of their own. */
bool plain_has_columns(struct plain *p);
/* Joins many columns, so many at a time; the last ones with others once more. Few are joined all at once, by 16 rows of
 * lanes, which lie side by side as the rows do. */
void plain_put_columns(struct plain *p, const struct joining *r, const char *target);

/* The text of a section of templates/kernel/plain.c. */
const char *plain_section(struct plain *p, const char *name, size_t *length);
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
