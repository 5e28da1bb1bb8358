/* The pipeline: the one place that lists the compiler's passes.
 *
 *   text     -> program             pipeline_parse     lex, parse, resolve
 *   types    -> typed program       pipeline_check     check
 *   shapes   -> shapes, layouts     pipeline_shapes    shape, view
 *                                   pipeline_layouts   layout
 *   results  -> program of kernels  pipeline_kernels   lower, reduce, materialize, narrow
 *   tensors  -> loops               pipeline_loop      access, walk, geometry, form
 *   kernel   -> text                pipeline_text      schedule, emit
 *
 * Runs call these functions in this order, and so does the command when it prints a stage. Ahead of time, shapes hold
 * extents that a call decides (struct open_extents), and loops are made for examples of calls. In builds with
 * assertions, verifiers test what each pass promises. */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/lang/lang.h"
#include "compiler/loop/loop.h"
#include "compiler/parse/parse.h"

/* ---- text, types, shapes ---- */

/* Parses the kernels of a text, or its one plain program. Returns false with diagnostics. */
bool pipeline_parse(struct arena *arena, const struct source *source, struct diags *diags,
                    struct programs *programs);
/* Gives all nodes a dtype, once the inputs have theirs. Returns false with diagnostics, which go to program->diags. */
bool pipeline_check(struct program *program);
/* Gives all nodes a shape from those of the inputs; an entry is NULL where it is not known. `contents` may be NULL.
 * Returns false with diagnostics. */
bool pipeline_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes);
/* Gives all nodes a layout beside such shapes. Returns false with diagnostics. */
bool pipeline_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                      const struct shape *const *shapes, const struct contents *contents, const char **layouts);

/* ---- a program of kernels ---- */

/* A kernel as lowering makes it, before anything is materialized. */
struct lowered {
    struct lowered *next;
    struct kernel *kernel, *narrowed; /* without and with narrow integers */
};

/* Where kernels that depend on no shape are kept from one program of kernels to the next. */
struct lowered_store {
    void *user;
    /* Returns the kernel of these results, which pipeline_lower made in memory that lasts. NULL:
     * memory ran out. May lock. */
    const struct lowered *(*get)(void *user, const int *results, int count);
};
/* Lowers results of a program whose kernels do not depend on shapes, for such a store. NULL with a diagnostic. */
struct lowered *pipeline_lower(struct arena *arena, const struct program *program, const int *results, int count,
                               struct diags *diags);

/* The input of pipeline_kernels. */
struct pipeline {
    struct arena *arena;
    const struct program *program; /* typed by pipeline_check */
    const struct target *target;
    unsigned fast;                 /* the fast paths that may be taken, a set of enum fast_path */
    const bool *taken;             /* [results] those that are wanted; NULL: all */
    const struct shape *const *inputs; /* [input_count] */
    const struct shape *const *shapes; /* [node_count] */
    const struct open_extents *open;   /* NULL: all extents are numbers */
    const struct lowered_store *store; /* NULL: none */
    struct diags *diags;
};

/* Makes the program of kernels. Results of equal shapes share a kernel. Costly values that vary over fewer elements are
 * materialized by kernels before it. Returns false with diagnostics. */
bool pipeline_kernels(const struct pipeline *p, struct kernel_program *program);

/* ---- loops ---- */

/* The input of pipeline_loop. All extents must be numbers. */
struct loop_params {
    const struct target *target;
    unsigned fast;                 /* the fast paths that may be taken, a set of enum fast_path */
    bool many;                     /* it must take a table of samples */
    const struct kernel *kernel;
    const struct shape *space;     /* the kernel's iteration space */
    const struct index_map *maps;  /* the kernel's maps */
    struct access_shapes shapes;
    struct operands operands;
};

/* How a kernel goes over its elements. */
struct loop {
    struct geometry geometry;
    struct form form;
};

/* Makes the loop of a kernel. Returns false where an input's bytes do not lie as they are to be reinterpreted;
 * *wrong is then the access. */
bool pipeline_loop(struct arena *arena, const struct loop_params *params, struct loop *loop,
                   const struct access **wrong);

/* Returns the text of a kernel: see emit. */
char *pipeline_text(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
                    size_t *scratch);

#endif
