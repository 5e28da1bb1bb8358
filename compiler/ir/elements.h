/* Where one element of a program's results comes from: of each value the element of it that is used there, through
 * broadcasting, views, selections, joins and computed positions. For people who look for a mistake; kernels do not need
 * it. */
#ifndef WEFT_COMPILER_IR_ELEMENTS_H
#define WEFT_COMPILER_IR_ELEMENTS_H

#include "compiler/check/check.h"
#include "compiler/lang/lang.h"

/* An element of a node. */
struct element {
    enum {
        ELEMENT_NONE,              /* none is used, as in the other arm of concat; or many are, as under a reduction */
        ELEMENT_ONE,
        ELEMENT_SEVERAL            /* the value has several uses, of different elements */
    } state;
    int64_t at[WEFT_MAX_RANK];
};

struct elements {
    struct arena *arena;
    const struct program *program; /* typed, with the values of numbers */
    const struct shape *const *shapes; /* of its nodes; all extents are numbers */
    const struct view_args *views; /* with the values of size expressions */
    struct element *items;         /* [node_count] */
    /* The value of element `at` of an integer node that is no literal, where positions are computed. False: it is not
     * known, and what is read there gets no element. */
    bool (*integer)(void *user, int node, const int64_t *at, int64_t *value);
    void *user;
};

/* Says that element `at` of node n is used, for results, before elements_find. */
void elements_use(const struct elements *elements, int n, const int64_t *at);
/* Fills in the elements of all nodes below. */
void elements_find(const struct elements *elements);

#endif
