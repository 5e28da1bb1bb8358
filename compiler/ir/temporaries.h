/* The kernels that come before those of results: of reductions, and of positions that are stored. Each stores a
 * temporary, which later kernels read. Where they lie in memory: runtime/plan/planned.c. */
#ifndef WEFT_COMPILER_IR_TEMPORARIES_H
#define WEFT_COMPILER_IR_TEMPORARIES_H

#include "compiler/ir/kernel_program.h"
#include "compiler/ir/operands.h"
#include "compiler/ir/reduce.h"

/* How a value that an input or a temporary has lies in memory; of others, how most of what it is computed from does. */
struct in_memory {
    double bytes;                  /* about how many are read for it */
    const int64_t *strides;        /* [rank] in elements, 0 where it stretches; NULL: not known */
};

/* A kernel has no more than VIEW_MAPS: this leaves room for the maps of what lies below. Where it was not enough,
 * values are stored from fewer maps on. */
enum { MOST_ORDERS = 192 };

/* A program while it is lowered. */
struct lowering {
    struct arena *arena;
    struct diags *diags;
    const struct program *program;
    const struct node *values;     /* as in struct lower_params */
    const struct shape *const *shapes; /* [node_count] */
    const struct view_args *views; /* [view_count] with the values of size expressions; NULL: those of the program */
    const bool *taken;             /* [results] that are wanted; NULL: all */
    unsigned fast;                 /* a set of enum fast_path that may be taken */
    int row_bytes;                 /* of the registers in which the library joins rows of floats: 64, 32; 0: none */
    enum joiner joiner;
    const struct strided *inputs;  /* [input_count] how they lie in memory; NULL: not known */
    const struct open_extents *open; /* NULL: all extents are numbers */
    const bool *batches;           /* as in struct lower_params */
    int64_t launch;                /* the cost of one more kernel, as in struct target */
    int64_t most_orders;           /* maps that one value may be read under, about; what would have more is stored */
    bool apart;                    /* nothing is stored so that kernels take turns by its rows */
    struct kernel_program *kernels; /* made, all of which follow */
    struct reduced *reduced;       /* [node] of reductions, counts and positions */
    struct in_memory *memory;      /* [node]; NULL: nobody asks */
    struct stored_positions *positions;
    int position_count;
    int *room;                     /* as in struct lower_params */
};

/* How kernels are lowered, after what was made so far. */
struct lower_params lower_params(const struct lowering *l);

/* The shape, or an example of it in numbers where it is open; NULL if there is no example. */
const struct shape *in_numbers(const struct open_extents *open, const struct shape *shape);

/* temporaries.c: adds the kernels of what the wanted results read as temporaries: reductions, and positions that are
 * stored. Fills in l->reduced. False with a diagnostic. */
bool lower_temporaries(struct lowering *l);

/* stencils.c: whether the program has what may be worth storing, neighbours (section 10) or a wide join; what is worth
 * storing of the needed nodes, as it is evaluated again and again, [node] a set of enum storing. Add the kernel that
 * stores it; to be called in the order of nodes. False with a diagnostic. */
enum storing {
    STORE_VALUE = 1,
    STORE_BORDER = 2,              /* of a correlate: its operand and what lies around it, */
    STORE_SUMS = 4,                /* and its sums along the last dimensions; */
    STORE_LOOPED = 8,              /* or a loop goes over its terms, whose weights are stored if k is an input */
    STORE_TURNS = 16               /* of a value: kernels shall take turns by its rows */
};
bool any_to_store(const struct lowering *l);
unsigned char *find_stored(const struct lowering *l, const bool *needed);
bool store_value(struct lowering *l, int n, bool turns);
bool store_border(struct lowering *l, int n, bool looped);
bool store_weights(struct lowering *l, int n);
bool store_sums(struct lowering *l, int n);
/* Adds a kernel that stores a node's value as a type. Returns the temporary; -1, with a diagnostic, where there are too
 * many maps. */
int store_as(struct lowering *l, int n, enum weft_dtype dtype);
/* The same of a part of each, as struct lowered_value has them. */
int store_part(struct lowering *l, int n, const struct node *like, enum weft_dtype dtype, enum value_part part);

/* wide_join.c: whether concat or stack joins more values than one kernel chooses among; adds the kernels that store
 * what it joins, piece by piece. False with a diagnostic. */
bool is_wide_join(const struct lowering *l, int n);
bool store_wide_join(struct lowering *l, int n);

/* scatter.c: adds the kernels of a NODE_SCATTER. False with a diagnostic. */
bool lower_scatter(struct lowering *l, int n);

/* order.c: fills in l->memory, where the order of reading is open. */
void find_orders(struct lowering *l);
/* How many parallel dimensions of the operand follow those of `set`, which are reduced, so that neighbours in memory
 * are read one after the other; `inner` where that is not known, or does not matter. any_order: elements may be reduced
 * in any order of dimensions. */
int inner_by_memory(const struct lowering *l, int operand, uint32_t set, bool any_order, int inner);
/* Whether elements that follow each other in row-major order, as in a temporary, lie nearest to each other; true where
 * that is not known. */
bool lies_in_rows(const struct lowering *l, int n);
/* Whether the elements that lie nearest to each other are reduced, but do not follow one another in row-major order. */
bool lies_across(const struct lowering *l, int operand, uint32_t set);
/* Puts reduced dimensions of the operand in the order of memory, outermost first. */
void sort_by_memory(const struct lowering *l, int operand, uint32_t set, int *dimensions, int count);

#endif
