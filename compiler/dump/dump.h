/* Header of the room dump: prints stages of the pipeline for people (`weft show`). */
#ifndef WEFT_COMPILER_DUMP_DUMP_H
#define WEFT_COMPILER_DUMP_DUMP_H

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
/* Prints how a kernel walks its results: groups, rows, and the kind of each access. */
void dump_groups(struct buf *buf, const struct kernel *kernel, const struct shape *shape,
                 const struct geometry *geometry, const struct form *form);
/* Prints the instructions, one a line. */
void dump_ir(struct buf *buf, const struct kernel *kernel, const struct geometry *geometry,
             const struct form *form);

#endif
