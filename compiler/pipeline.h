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
 * Who runs kernels at run time calls them in this order, and so does who prints a stage. Ahead of time shapes
 * hold extents that a call decides (struct open_extents), and loops are made for examples of calls. Between
 * passes the verifiers test what a pass promises, in builds with assertions. */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/lang/lang.h"
#include "compiler/loop/loop.h"
#include "compiler/parse/parse.h"

/* ---- text, types, shapes ---- */

/* The kernels of a text, or its one plain program. False with diagnostics. */
bool pipeline_parse(struct arena *arena, const struct source *source, struct diags *diags,
                    struct programs *programs);
/* Dtypes of all nodes, once the inputs have theirs. False with diagnostics, which go to program->diags. */
bool pipeline_check(struct program *program);
/* Shapes of all nodes from those of the inputs; an entry is NULL where it is not known. `contents` may be NULL.
 * False with diagnostics. */
bool pipeline_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes);
/* Layouts beside such shapes. */
bool pipeline_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                      const struct shape *const *shapes, const struct contents *contents, const char **layouts);

/* ---- a program of kernels ---- */

/* A kernel as lowering makes it, before anything is taken out of it. */
struct lowered {
    struct lowered *next;
    struct kernel *kernel, *narrowed; /* the same without narrow integers, and with */
};

/* Where kernels that depend on no shape are kept from one program of kernels to the next. */
struct lowered_store {
    void *user;
    /* That of these results, made by pipeline_lower in memory that lasts. NULL: memory ran out. May lock. */
    const struct lowered *(*get)(void *user, const int *results, int count);
};
/* Of a program without views. */
struct lowered *pipeline_lower(struct arena *arena, const struct program *program, const int *results, int count,
                               struct diags *diags);

/* What a program of kernels is made from. */
struct pipeline {
    struct arena *arena;
    const struct program *program; /* checked */
    const struct target *target;
    unsigned fast;                 /* a set of enum fast_path that may be taken */
    const bool *taken;             /* [results] that are wanted; NULL: all */
    const struct shape *const *inputs; /* [input_count] */
    const struct shape *const *shapes; /* [node_count] */
    const struct open_extents *open;   /* NULL: all extents are numbers */
    const struct lowered_store *store; /* NULL: none */
    struct diags *diags;
};

/* Results of equal shapes share a kernel; costly values that vary less are materialized in front. False with
 * diagnostics. */
bool pipeline_kernels(const struct pipeline *p, struct kernel_program *program);

/* ---- loops ---- */

/* What a loop is made for. All extents are numbers. */
struct loop_params {
    const struct target *target;
    unsigned fast;                 /* a set of enum fast_path that may be taken */
    bool many;                     /* it has to take a table of samples */
    const struct kernel *kernel;
    const struct shape *space;     /* its iteration space */
    const struct index_map *maps;  /* its maps */
    struct access_shapes shapes;
    struct operands operands;
};

/* How a kernel goes over its elements. */
struct loop {
    struct geometry geometry;
    struct form form;
};

/* False where an input's bytes do not lie as they are reinterpreted: *wrong is the access. */
bool pipeline_loop(struct arena *arena, const struct loop_params *params, struct loop *loop,
                   const struct access **wrong);

/* The text of a kernel: see emit. */
char *pipeline_text(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
                    size_t *scratch);

#endif
