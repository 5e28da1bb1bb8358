/* Header of the room dump: prints stages of the pipeline for people (`weft show`). */
#ifndef WEFT_COMPILER_DUMP_DUMP_H
#define WEFT_COMPILER_DUMP_DUMP_H

#include "compiler/dump/surprises.h"
#include "compiler/loop/loop.h"
#include "compiler/lang/lang.h"

/* Prints one token a line: place, kind and text. Returns false at bytes that are not a token, which are reported. */
bool dump_tokens(struct buf *buf, const struct source *source, struct diags *diags);
/* Prints inputs, then bindings and results, with their expressions as indented trees. */
void dump_ast(struct buf *buf, const struct program *program);
/* Prints a type in the language's own words. `program` names the size variables. */
void dump_type(struct buf *buf, const struct program *program, const struct type *type);

/* Prints a slice as the language writes it, or an index, which is its start. */
void dump_slice(struct buf *buf, const struct slice *slice, bool index);

/* Prints every expression with its dtype, and what its operands are converted to. */
void dump_types(struct buf *buf, const struct program *program);
/* Prints how a node gets its value, and what its operands are converted to: "* in int32, operand 1 from uint8". */
void dump_node_rule(struct buf *buf, const struct program *program, const struct node *node);
/* Prints results and bindings as trees, each node with its dtype, its shape, and the rule that gave it them. */
void dump_tree(struct buf *buf, const struct program *program, const struct shape *const *shapes);
/* [node] Whether it is an element of an array literal, or an operand of one. They are not told of, since they would
 * hide the rest. */
const bool *dump_array_elements(struct arena *arena, const struct program *program);
/* A kernel and what its loop was made of. */
struct dumped {
    const struct kernel *kernel;
    const struct shape *space;     /* what it goes over */
    const struct geometry *geometry;
    const struct form *form;
    const struct access_shapes *shapes;
    const struct view_args *views; /* [view_count] with the values of size expressions */
    int chain;                     /* as in struct scheduled */
    int part, parts;               /* it is number `part`, from 1 on, of the kernels that store the same results */
};
/* Prints how a kernel goes over its elements, and what each of its loads and stores reads or writes
 * (docs/debugging.md). */
void dump_groups(struct buf *buf, const struct dumped *dumped);
/* Prints the shape and the layout of each node. */
void dump_shapes(struct buf *buf, const struct program *program, const struct shape *const *shapes,
                 const char *const *layouts);
/* Prints kernels as they are between passes: what they store, where they are to be joined, their instructions. */
void dump_kernels(struct buf *buf, const struct kernel_program *program);
/* Prints of each value that is read as neighbours whether it is computed again for each or stored once, and why. */
void dump_neighbours(struct buf *buf, const struct kernel_program *program);
/* Prints launches in order, each with its kernels, and temporaries with their lifetimes. */
void dump_schedule(struct buf *buf, const struct schedule *schedule);
/* Prints the instructions, one a line. */
void dump_ir(struct buf *buf, const struct kernel *kernel, const struct geometry *geometry,
             const struct form *form);

#endif
