/* What the files of lowering share: lower.c walks the nodes, lower_ins.c makes instructions, lower_end.c adds
 * remarks and leaves out what nothing uses. */
#ifndef WEFT_LOWERING_H
#define WEFT_LOWERING_H

#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"

enum meeting { MEET, CAST, WRAP };

/* An array literal in a type it met, under a map. */
struct array_load {
    enum weft_dtype dtype;
    enum meeting how;
    int map, ins, next;
};

/* A node's value under a map: nodes below a view, and below several, have several values. */
struct use {
    int map;
    int value;                     /* instruction; -1 before it has one, and for literals */
    int next;                      /* the node's next use, -1: none */
};

/* Uses of one kernel: twice as many as a program may have nodes. */
enum { MAX_USES = 2 * MAX_NODES };

enum { ACCESS_LISTS = 1024 };

struct lowering {
    struct arena *arena;
    const struct program *program;
    const struct shape *const *shapes; /* of each node; NULL without views */
    const int *reduced;            /* as in struct lower_params */
    struct kernel *kernel;
    int store_count;
    struct use *uses;
    int use_count;
    int *first_use;                /* [node] -1: the results do not depend on it */
    int map;                       /* under which nodes are lowered now */
    int *met;                      /* array literals: first of `loads` for the node, -1: none */
    struct array_load *loads;
    int load_count;
    int first_access[ACCESS_LISTS], *next_access, next_count; /* loads' accesses; -1: no more */
    bool places_merged;            /* divisions in several places of the text may be one */
    unsigned *holders;             /* [ins] a bit for each 16-bit type that surely holds the value */
    int holder_count;
    int *table;                    /* open addressing over instructions */
    uint32_t table_size;           /* a power of two */
};

/* lower_ins.c: instructions, each numbered once. */

/* Makes room for instructions in the table; to be called before the first is added. */
void ins_resize_table(struct lowering *l, uint32_t size);
/* The number of this instruction: an equal one's where there is one. The earliest place stays. */
int ins_add(struct lowering *l, struct ins ins);
/* Whether it divides integers by what may be 0. */
bool ins_may_fault(const struct lowering *l, const struct ins *ins);
int ins_add_literal(struct lowering *l, union scalar value, enum weft_dtype dtype, struct span span);
/* What `node` has in memory. A single element is the same under all maps without bounds. */
int ins_add_load(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype,
                 const struct node *node);
/* A row on operands of its own dtypes, folded when they are all literals. */
int ins_add_op(struct lowering *l, enum op op, enum weft_dtype source, enum weft_dtype dtype,
               const int a[3], struct span span);
/* The exponent of a power when it is a small whole literal, else 0, and the power as products. */
int ins_small_exponent(const struct lowering *l, enum op op, enum weft_dtype source, int ins);
int ins_add_power(struct lowering *l, enum weft_dtype dtype, int base, int exponent, struct span span);
int ins_convert(struct lowering *l, int ins, enum weft_dtype to, bool saturate, struct span span);

/* lower_end.c: once all results are stored. */

/* Divisions by zero, as remarks that count where their value is used. */
void lower_faults(struct lowering *l);
/* Leaves out what nothing uses. */
void lower_compact(struct lowering *l);

#endif
