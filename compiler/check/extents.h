/* The algebra of extents: with what the shapes of nodes are computed. At a call its values are numbers. While a text is
 * compiled some are not known (EXTENT_UNKNOWN, or a size variable). Ahead of time these are open: the call computes
 * them, and here they are numbered as size variables are. So the rules of shapes are written once. */
#ifndef WEFT_COMPILER_CHECK_EXTENTS_H
#define WEFT_COMPILER_CHECK_EXTENTS_H

#include "compiler/lang/lang.h"

struct shape;
struct size;

enum extent_op {
    EXTENT_GIVEN,                  /* by the call */
    EXTENT_JOIN,                   /* to what a and b broadcast, both of which may be 1 */
    EXTENT_SUM,                    /* a + b */
    EXTENT_PRODUCT,                /* a * b */
    EXTENT_QUOTIENT,               /* a / b if that is a whole number */
    EXTENT_SCALED,                 /* a * factor, rounded; halves away from zero */
    EXTENT_SLICED,                 /* how many of `a` elements the slice takes */
    EXTENT_VOLUME,                 /* the elements of the shape */
    EXTENT_GROUPS,                 /* how many groups of b elements `a` has, at least 1, times c */
    EXTENT_FILLED,                 /* a, or b where a is negative */
    EXTENT_NEGATED,                /* -a */
    EXTENT_PADDED,                 /* a + the slice's start + its stop; -1 if that is negative */
    EXTENT_VALID,                  /* a - b + 1, at least 0 */
    EXTENT_AROUND,                 /* a + b; 0 if a is 0 */
    EXTENT_LANES,                  /* the lanes of each result that a reduction of b elements for each of `a` points, of
                                      which c are inner, leaves to a further kernel (lanes_left, threads_left) */
    /* Facts, which a call may find untrue: */
    EXTENT_EQUAL,                  /* a is b */
    EXTENT_STRETCHES,              /* a is b or 1 */
    EXTENT_BROADCAST,              /* a is b, or one of them is 1 */
    EXTENT_AT_MOST,                /* a is at most b */
    EXTENT_SOME,                   /* a is not 0 */
    EXTENT_FEEDS,                  /* a is not 0, or the shape has no elements */
    EXTENT_EXISTS,                 /* a is not negative: the operation has a value */
    EXTENT_COUNTS,                 /* a is not negative, and not too large for a number of elements */
    EXTENT_NEGATES,                /* a is not INT64_MIN */
    EXTENT_HAS,                    /* the slice's start is an index into `a` elements */
    EXTENT_STEPS,                  /* the slice's step is not 0 */
    EXTENT_FEW_NEGATIVE,           /* of the shape's open extents b at most are negative */
    EXTENT_OP_COUNT
};

/* An operation on extents, or a fact about them. Members that it does not need are 0. */
struct extent_term {
    enum extent_op op;
    int64_t a, b, c;
    const struct shape *shape;
    struct slice slice;
    double factor;
    bool ordered;                  /* EXTENT_LANES: whether the order of elements matters */
    int threads;                   /* the same: those of a block; 0: no GPU */
};

/* Who writes down what a call computes. */
struct open_extents {
    void *user;
    struct arena *arena;
    /* The open extent that is the operation's value. */
    int64_t (*compute)(void *user, const struct extent_term *term);
    /* Ends a call with this note about a place in the text unless the fact is true. */
    void (*require)(void *user, const struct extent_term *fact, struct span span, const char *note);
    /* The value of node n, a size expression (rule 1.10), as an open extent, from those of nodes before it.
     * EXTENT_UNKNOWN: nothing asks for it. */
    int64_t (*size)(void *user, int n, const struct size *sizes);
    /* An example of the shape in which all extents are numbers. NULL: there is no good one. */
    const struct shape *(*example)(void *user, const struct shape *shape);
};

/* The value of an operation. Of numbers it is a number; EXTENT_UNKNOWN if there is none, and the largest int64_t where
 * it is larger. Of open extents it is one; without `open` it is EXTENT_UNKNOWN. */
int64_t extent_compute(const struct open_extents *open, const struct extent_term *term);
#define extent_by(open, ...) extent_compute(open, &(struct extent_term){__VA_ARGS__})
/* False where a fact about numbers is not true. About open extents, it is left to the call, with this note. */
bool extent_require(const struct open_extents *open, struct extent_term fact, struct span span, const char *note, ...)
    __attribute__((format(printf, 4, 5)));
#define extent_fact(...) ((struct extent_term){__VA_ARGS__})
/* Whether two operations are the same. */
bool extent_terms_equal(const struct extent_term *a, const struct extent_term *b);

#endif
