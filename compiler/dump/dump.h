/* Printers of stages, for people: what the compiler made of a text. */
#ifndef WEFT_DUMP_H
#define WEFT_DUMP_H

#include "compiler/loop/loop.h"
#include "compiler/lang/lang.h"

/* One token a line: where, what kind, its text. False after a token that is none, which is reported. */
bool dump_tokens(struct buf *buf, const struct source *source, struct diags *diags);
/* Inputs, then bindings and results with their expressions as indented trees. */
void dump_ast(struct buf *buf, const struct program *program);
/* A type in the language's words. `program` names the size variables. */
void dump_type(struct buf *buf, const struct program *program, const struct type *type);

/* Every expression with its dtype, and what its operands are converted to. */
void dump_types(struct buf *buf, const struct program *program);
/* How a kernel walks its results: groups, and the kind of each access. */
void dump_groups(struct buf *buf, const struct kernel *kernel, const struct shape *shape,
                 const struct geometry *geometry, const struct form *form);
/* The instructions, a line each. */
void dump_ir(struct buf *buf, const struct kernel *kernel, const struct geometry *geometry,
             const struct form *form);

#endif
