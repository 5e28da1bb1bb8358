/* The pipeline. pipeline_run lists the passes and runs them in order:
 *
 *   PASS_PARSE         text -> programs               lex, parse, resolve
 *   PASS_CHECK         input types -> all types       check
 *   PASS_SHAPES        input shapes -> all shapes     shape, view
 *   PASS_LAYOUTS       letters of all dimensions      layout
 *   PASS_LOWER         -> a program of kernels        lower
 *   PASS_MATERIALIZE   costly values that vary less get kernels of their own
 *   PASS_NARROW        integers that fit 16 bits are computed in 16
 *   PASS_SPLIT         parts of results that need different operands get kernels of their own
 *   PASS_REDUCE        reduced dimensions become kernels that join lanes
 *
 * Each kernel of that program then gets a loop (pipeline_loop) and a text (emit).
 *
 * A run keeps what some of the passes made and goes on from there; the command does the same when it prints a stage.
 * Ahead of time, shapes hold extents that a call decides (struct open_extents), and loops are made for examples of
 * calls. In builds with assertions, verifiers test what each pass promises. */
#ifndef WEFT_COMPILER_PIPELINE_H
#define WEFT_COMPILER_PIPELINE_H

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/lang/lang.h"
#include "compiler/loop/loop.h"
#include "compiler/parse/parse.h"

/* In the order in which they run. */
enum pass {
    PASS_PARSE, PASS_CHECK, PASS_SHAPES, PASS_LAYOUTS, PASS_LOWER, PASS_MATERIALIZE, PASS_NARROW, PASS_SPLIT,
    PASS_REDUCE, PASS_COUNT
};

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

/* How a value that an input or a temporary has lies in memory; of others, how most of what it is computed from does. */
struct in_memory {
    double bytes;                  /* about how many are read for it */
    const int64_t *strides;        /* [rank] in elements, 0 where it stretches; NULL: not known */
};

/* What passes read and make. The caller fills in what earlier passes would have made. */
struct pipeline {
    struct arena *arena;           /* for everything that is made, except by PASS_CHECK: that is in the program's own */
    struct diags *diags;
    const struct source *source;   /* PASS_PARSE */
    struct programs programs;      /* made by PASS_PARSE: the kernels of the text, or its one plain program */
    struct program *parsed;        /* PASS_CHECK: the one of them that gets its dtypes */
    const struct program *program; /* from PASS_SHAPES on: the same, checked */
    const struct node *values;     /* its nodes with the literals of this run's numbers; NULL: it has none */
    const struct shape *const *inputs; /* [input_count]; NULL: not known */
    const struct contents *contents; /* [input_count]; NULL: no values are known */
    const struct shape **shapes;   /* [node_count], room for what PASS_SHAPES makes; NULL: not known */
    struct view_args *views;       /* [view_count], room for what PASS_SHAPES makes of the program's views; NULL: it has
                                      no size expressions, or nobody asks */
    const char **layouts;          /* [node_count], room for what PASS_LAYOUTS makes */
    const struct target *target;   /* from here on: PASS_LOWER and later */
    unsigned fast;                 /* a set of enum fast_path that may be taken */
    const bool *taken;             /* [results] that are wanted; NULL: all */
    bool dense;                    /* results are stored row-major, without gaps */
    const struct operands *operands; /* PASS_LOWER: how the inputs lie in memory; NULL: not known */
    const struct open_extents *open;   /* NULL: all extents are numbers */
    const struct lowered_store *store; /* NULL: none */
    struct kernel_program kernels; /* made */
    struct reduced *reduced;       /* [node] of reductions, counts and positions */
    struct in_memory *memory;      /* [node]; NULL: nobody asks */
    struct stored_positions *positions;
    int position_count;
};

/* Runs the passes from `first` to `last`. False with diagnostics, which the first pass that fails has added; those of
 * PASS_CHECK go to program->diags. */
bool pipeline_run(struct pipeline *p, enum pass first, enum pass last);

/* ---- loops ---- */

/* The input of pipeline_loop. All extents must be numbers. */
struct loop_params {
    const struct target *target;
    unsigned fast;                 /* the fast paths that may be taken, a set of enum fast_path */
    const struct tuning *tuning;   /* for targets that compute in chunks */
    bool many;                     /* it must take a table of samples */
    bool placed;                   /* the operands are those of a run, so chunks can be aligned to them */
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

#endif
