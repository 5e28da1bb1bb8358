/* What the files of lowering share: lower.c goes over the nodes, lower_view.c and lower_join.c follow views,
 * lower_ins.c makes instructions, and lower_end.c adds faults and removes what nothing uses. */
#ifndef WEFT_COMPILER_IR_LOWER_IMPL_H
#define WEFT_COMPILER_IR_LOWER_IMPL_H

#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"

/* An array literal, loaded in a type that it met, under a map. */
struct array_load {
    enum weft_dtype dtype;
    enum meeting how;
    int map, ins, next;
};

/* A use of a node under one map. A node that is read under several maps has several values. */
struct use {
    int node, map;
    int value;                     /* the instruction; -1 before it has one, and for literals */
    int next;                      /* the node's next use; -1: none */
    enum { USE_NEW, USE_BEGUN, USE_DONE } state; /* whether it was lowered */
};

/* Limit on the uses in one kernel: twice the number of nodes that a program may have. */
enum { MAX_USES = 2 * MAX_NODES };

enum { ACCESS_LISTS = 1024 };

/* How a value that is taken becomes 0 where the position lies outside. */
struct guard {
    int number;                    /* the instruction that computes the element's number */
    int inside;                    /* that which compares it, on which the value depends; -1: the load does it all */
};

struct lowering {
    struct arena *arena;
    const struct program *program;
    const struct shape *const *shapes; /* of each node; NULL without views and reductions */
    const struct node *values;     /* as in struct lower_params, never NULL */
    const struct view_args *views; /* as in struct lower_params, never NULL */
    bool loads_numbers;            /* as in struct lower_params */
    const struct reduced *reduced; /* as in struct lower_params */
    const struct temporary *temporaries;
    const struct open_extents *open; /* as in struct lower_params */
    struct kernel *kernel;
    int store_count;
    struct use *uses;
    int use_count;
    int *first_use;                /* [node] -1: no result depends on it */
    int map;                       /* the map under which nodes are being lowered */
    bool taken;                    /* there are maps with taken steps */
    struct guard *guards;
    int guard_count;
    int *joined, joined_count;     /* values that a reduction joins where its value is used: each counts (rule 4.4) */
    int *modes, mode_count;        /* choices between a value and what a mode has outside it (rules 10.1 and 12.3) */
    int *numbers;                  /* [MAX_MAPS] of such a step, the instruction that computes its numbers; -1: none
                                      yet; NULL: of no step */
    int *waiting, waiting_count;   /* uses that are put in order; NULL: none are */
    const struct stored_positions *positions; /* as in struct lower_params */
    int position_count;
    const bool *batches;           /* as in struct lower_params */
    const struct join_piece *piece; /* as in struct lowered_value */
    int *met;                      /* array literals: the node's first entry in `loads`; -1: none */
    struct array_load *loads;
    int load_count;
    int first_access[ACCESS_LISTS], *next_access, next_count; /* lists of loads' accesses, by tensor */
    bool places_merged;            /* divisions at different places in the text may now be one instruction */
    unsigned *holders;             /* [ins] a bit for each 16-bit type that certainly holds the value */
    int holder_count;
    int *table;                    /* hash table of instructions, open addressing */
    uint32_t table_size;           /* a power of two */
};

/* The number of a node's operand. */
static inline int operand_index(const struct lowering *l, const struct node *node, int i)
{
    return l->program->operands[node->operands + i];
}

/* The number of a node. */
static inline int node_number(const struct lowering *l, const struct node *node)
{
    return (int)(node - l->program->nodes);
}

/* lower.c: adds a use of a node; or, while uses are put in order, lets it wait for its turn. False where there are too
 * many. */
bool lower_add_use(struct lowering *l, int node, int map);
/* The value of a node under l->map as `dtype`. Literals and array literals are converted from their full value. */
int lower_value_as(struct lowering *l, int index, enum weft_dtype dtype, enum meeting how);

/* lower_join.c: concat and stack. Adds uses of the operands for a use under this map; the value. */
bool join_uses(struct lowering *l, const struct node *node, int map);
int join_value(struct lowering *l, const struct node *node);
/* Whether the node is a selection by so short a list that its elements are joined, by the same functions. */
bool join_of_list(const struct lowering *l, const struct node *node);

/* lower_view.c: views. */

/* Whether the node reads an input's bytes as another type. */
bool view_is_cast_input(const struct lowering *l, const struct node *node);
/* The map under which a view's operand is read. `map` is that of the view. -1: there are too many maps. */
int view_operand_map(struct lowering *l, const struct node *view, int map);
/* The map of a selection of shape `from` that takes one position in place of the list. */
int view_element_map(struct lowering *l, const struct node *view, int map, const struct shape *from,
                     const struct item *list, int64_t position);

/* lower_neighbour.c: section 10. The map under which the operand of offset or pad is read; their value, where `value`
 * is that of the operand under this map. */
int neighbour_map(struct lowering *l, const struct node *node, int map);
int neighbour_value(struct lowering *l, const struct node *node, int value);
/* correlate and convolve. Adds uses of the operands for a use under this map; the value. */
bool correlate_uses(struct lowering *l, const struct node *node, int map);
int correlate_value(struct lowering *l, const struct node *node);

/* The map of the operand in the space of what is stored with what lies around it, and the value there under l->map. */
int border_map(struct lowering *l, const struct node *node, const struct shape *space);
int border_value(struct lowering *l, const struct node *node, const struct shape *space, enum weft_dtype dtype);

/* lower_weigh.c: a correlate whose terms are gone over in a loop; an element of its k as the weight of a term; one of
 * the numbers that say where terms are. */
int weigh_neighbours(struct lowering *l, const struct node *node);
int weights_value(struct lowering *l, const struct node *node);
int runs_value(struct lowering *l, const struct node *node);

/* separate.c: sums of a correlate whose array literal is an outer product, over a kernel's space: along its last
 * dimensions, of what is stored with what lies around it; and along its first ones, of these. */
int inner_sums(struct lowering *l, const struct node *node, const struct shape *space);
int outer_sums(struct lowering *l, const struct node *node);

/* lower_take.c: take, and lists of positions in selections. Adds uses of take's operands for a use under this map; the
 * value. */
bool take_uses(struct lowering *l, const struct node *node, int map);
int take_value(struct lowering *l, const struct node *node);
/* The map with the step of a list in a selection, whose result has shape `from`, and is dimension `axis` of it; `to` is
 * the same with all of that dimension. */
int take_list_map(struct lowering *l, const struct node *node, int map, const struct shape *from,
                  const struct shape *to);
/* Adds uses of what the numbers of taken steps of a map are computed from. */
bool take_number_uses(struct lowering *l, int map);
/* The instruction that computes the numbers of a taken step. */
int take_number(struct lowering *l, int map);

/* lower_scatter.c: the places of scatter (rule 12.5). Adds uses of the positions for a use under this map; the
 * value. */
bool places_uses(struct lowering *l, const struct node *node, int map);
int places_value(struct lowering *l, const struct node *node);

/* positions.c: index, arange and linspace. Whether there is room for the maps of a use under this map; the value. */
bool position_uses(struct lowering *l, const struct node *node, int map);
int position_value(struct lowering *l, const struct node *node);
/* Loads the int64 numbers 0, 1, .. over a shape of one dimension, under a map. */
int positions_loaded(struct lowering *l, const struct shape *shape, int map, const struct node *node);

/* lower_ins.c: makes instructions, each only once. */

/* The number of a constant, which is added if it is new. `shape` as in struct constant. */
int ins_add_constant(struct lowering *l, int node, const struct shape *shape, enum weft_dtype dtype, const void *data,
                     size_t bytes);
/* Loads it, or another tensor, under a map. */
int ins_add_load_under(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype, int map,
                       struct span span);

/* Sets the size of the hash table. To be called before the first instruction is added. */
void ins_resize_table(struct lowering *l, uint32_t size);
/* Adds an instruction and returns its number. If there is an equal one, returns that one, which keeps the
 * earlier place in the text. */
int ins_add(struct lowering *l, struct ins ins);
/* Whether the instruction divides integers by a value that may be 0, or takes a position that may lie outside. */
bool ins_may_fault(const struct lowering *l, const struct ins *ins);
int ins_add_literal(struct lowering *l, union scalar value, enum weft_dtype dtype, struct span span);
/* A literal whose value comes with the run. No decision is made by its value. */
int ins_add_number(struct lowering *l, struct number_source source, enum weft_dtype dtype, struct span span);
/* Loads what `node` has in memory. A single element is the same under all maps without bounds. */
int ins_add_load(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype,
                 const struct node *node);
/* Adds a row on operands of dtype `source`. Folds it when all operands are literals. */
int ins_add_op(struct lowering *l, enum op op, enum weft_dtype source, enum weft_dtype dtype,
               const int a[3], struct span span);
/* The exponent of a power if it is a small whole literal, else 0; and that power as products. */
int ins_small_exponent(const struct lowering *l, enum op op, enum weft_dtype source, int ins);
int ins_add_power(struct lowering *l, enum weft_dtype dtype, int base, int exponent, struct span span);
/* The value of `ins` converted to another type; see `conversion`. */
int ins_convert(struct lowering *l, int ins, enum weft_dtype to, bool saturate, struct span span);

/* lower_end.c: to be called once all results are stored. */

/* Adds INS_FAULT for divisions by zero and positions outside. They count only where the value is used. */
void lower_faults(struct lowering *l);
/* Removes instructions, literals and accesses that nothing uses. */
void lower_compact(struct lowering *l);

#endif
