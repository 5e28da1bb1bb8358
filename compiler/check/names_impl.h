/* What the files compiler/check/names*.c share: the program while it is rewritten. */
#ifndef WEFT_COMPILER_CHECK_NAMES_IMPL_H
#define WEFT_COMPILER_CHECK_NAMES_IMPL_H

#include "compiler/check/names.h"
#include "compiler/check/view.h"

/* What is known of a node's dimensions. */
enum sort {
    SORT_SCALAR,                   /* rank 0: goes with both */
    SORT_UNKNOWN,                  /* of no names, and of a rank that is not known */
    SORT_POSITIONAL,               /* of rank 1 or more */
    SORT_NAMED
};

struct value {
    enum sort sort;
    const struct dims *dims;       /* SORT_NAMED */
    const struct dims *kept;       /* what a reduction kept its dimensions for: `dims` and those with extent 1 that it
                                      reduced, as they are; NULL: the node has `dims` */
};

struct naming {
    struct arena *arena;
    struct diags *diags;
    const struct program *from;
    bool *apart;                   /* [from->node_count] whether it is used by more than operations, or a result */
    int at;                        /* the node of `from` that is rewritten */
    struct program *to;            /* grows; node indices are those of `to` unless said otherwise */
    int *map;                      /* [from->node_count] the node that each became */
    struct value *values;          /* of the nodes of `to` */
    int value_count;
    int *aligned;                  /* [from->symbol_count] the node of a binding where it is another than its own; -1 */
    const struct dims **aligned_dims; /* [from->symbol_count] the dimensions under which it was aligned */
    bool *seen;                    /* [from->reduction_count] whether a reduction's axes were found */
    bool last, open, good;         /* `open`: names of inputs are missing that may still come */
};

/* names.c: add nodes of NODE_VIEW and others to `to`. They are marked as made, and have the place of node `like`. */
int names_add(struct naming *n, struct node node, const int *operands, int count, struct value value);
int names_add_view(struct naming *n, struct view_args args, int operand, struct value value);
/* The dimension without labels where an element is taken twice, else with those at these positions (rule 8.9). */
void names_relabel(struct naming *n, struct dim *dim, const int64_t *positions, int count);
/* A node made of one of `from`, at its place. */
int names_copy(struct naming *n, const struct node *node, const int *operands, int count, struct value value);
int names_name(struct naming *n, const struct node *node);
/* What a use of the symbol has. */
struct value names_of_symbol(struct naming *n, int symbol);
/* Binds a node to a hidden name, so that it can be used more than once. names_use makes a use of it. */
int names_share(struct naming *n, int node);
int names_use(struct naming *n, int symbol);
/* The value of a node; the text of its expression. */
struct value names_value(const struct naming *n, int node);
const char *names_text(const struct naming *n, int node);
/* Reports a mistake at the place, and at node `other` unless it is -1: DIAG_DIM_NAME, _DIM_ROLE, _VIEW_ARGUMENT or
 * _AXIS. Returns false, and the rest goes on. */
bool names_wrong(struct naming *n, enum diag_id id, struct span place, int other, const char *text);
/* Where an operand should be named: whether its sort is known. Reports what is not named: `text` says what to write. */
bool names_need(struct naming *n, int node, struct span place, const char *text);
/* Arrays of items with room for WEFT_MAX_RANK, and dimensions made of them. */
const struct dims *names_dims(struct naming *n, int rank, const struct dim *items);

/* names_merge.c */
/* Dimensions that are matched, and whose they are in messages. */
struct side {
    const struct dims *dims;
    struct span span;
    const struct dims *whole;      /* in messages; NULL: `dims` */
};
struct side names_side(const struct naming *n, int node);
/* The dimensions of all sides together (rule 8.5). NULL, with a diagnostic, where they do not match. */
const struct dims *names_merge(struct naming *n, const struct side *sides, int count, struct span place);
/* The node under the dimensions `to`, of which it may lack some: transposed and expanded. */
int names_align(struct naming *n, int node, const struct dims *to);
/* Aligns the operands of an operation. Sets its value; false with a diagnostic. */
bool names_match(struct naming *n, int *nodes, int count, struct span place, struct value *value);
/* named_advice of a node. */
const char *names_advice(const struct naming *n, int node);
/* Names a positional node beside others, which together have `merged`: an array literal lies along their one channel
 * dimension. False, with a diagnostic that shows node `named`, where it does not. */
bool names_place_other(struct naming *n, int node, int named, const struct dims *merged, struct span place);
/* The node with its `rank` dimensions in this order; without a view where that is its own and `value` has no names. */
int names_transpose(struct naming *n, int node, const int *axes, int rank, struct value value);
/* An item that takes all of a dimension. */
extern const struct item names_all;

/* names_axes.c: the one place that resolves axes by name (rule 8.11), for all operations */
enum names_axes { AXES_ANY, AXES_ONE };
/* Replaces names among the axes of `value`, the node `of` in messages, by positions. False, with a diagnostic, where
 * one names nothing. Where it may still learn what they name, n->open. */
bool names_axes(struct naming *n, struct numbers *axes, int of, struct value value, enum names_axes how,
                const char *what);
/* Axes that are these positions. */
void names_set_axes(struct naming *n, struct numbers *axes, const int *at, int count, struct span span);

/* names_reduce.c: nodes that a recipe made */
int names_recipe(struct naming *n, const struct node *node, const int *operands);

/* names_take.c: the node that reads x, along its dimension d, at positions i. `like` has its place. */
int names_take(struct naming *n, const struct node *like, int x, int i, int d);
/* names_join.c: concat, stack and broadcast_to */
int names_join(struct naming *n, const struct node *node, int *operands);
int names_broadcast(struct naming *n, const struct node *node, int operand);

/* names_select.c: x.d[..] */
int names_select(struct naming *n, const struct node *node, const int *operands);
/* names_neighbours.c: offset, pad, correlate and convolve */
int names_neighbours(struct naming *n, const struct node *node, const int *operands);
/* names_views.c: views, joins, take and positions */
/* The positions along dimension `d` of x, with this dimension alone. `like` has their place. */
int names_index(struct naming *n, const struct node *like, int x, int d, enum weft_dtype dtype);
int names_view(struct naming *n, const struct node *node, int *operands);
/* Reports a view by position of a named value. */
void names_by_position(struct naming *n, const struct node *node, int operand);

#endif
