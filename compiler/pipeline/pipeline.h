/* The pipeline: every pass from the text of a program to the texts of its kernels and their launches, in the order in
 * which they run. PASSES lists them; pipeline_run runs them, for runs and `weft show`, in C and CUDA. Sources ahead of
 * time go through the same passes up to LOOPS: shapes then hold extents that a call decides (struct open_extents),
 * loops are made for examples of calls, and texts are functions of one source.
 *
 * A run keeps what some of the passes made and goes on from there; the command does the same when it prints a stage. In
 * builds with assertions, a verifier behind each pass tests what it promises. */
#ifndef WEFT_COMPILER_PIPELINE_H
#define WEFT_COMPILER_PIPELINE_H

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/lang/lang.h"
#include "compiler/loop/loop.h"
#include "compiler/parse/parse.h"

/* (name, function, what it makes). What is reduced is lowered before results, which ask where it is. */
#define PASSES(PASS) \
    PASS(PARSE, parse, "programs of a text: lex, parse, resolve") \
    PASS(NAMES, names, "a program whose dimensions are positions: matched by name, and aligned") \
    PASS(CHECK, check, "a dtype for every node") \
    PASS(SHAPES, shapes, "a shape for every node, from those of the inputs") \
    PASS(LAYOUTS, layouts, "letters for the dimensions of every node") \
    PASS(REDUCTIONS, reductions, "kernels of what is reduced, and of positions that are stored") \
    PASS(LOWER, lower, "kernels of results, one for all of a shape") \
    PASS(MATERIALIZE, materialize, "kernels of their own for costly values that vary less") \
    PASS(NARROW, narrow, "16 bits for integers that fit them") \
    PASS(SPLIT, split, "kernels of their own for parts of results that need different operands") \
    PASS(REDUCE, reduce, "how kernels join what they reduce") \
    PASS(LOOPS, loops, "a schedule: the loop and the cost of every kernel, the lifetimes of temporaries") \
    PASS(CHAIN, chain, "chains: kernels that take turns tile by tile, on a GPU in one launch") \
    PASS(TEXT, text, "the text of every kernel, or of what is launched together")

#define PASS(NAME, name, makes) PASS_##NAME,
enum pass { PASSES(PASS) PASS_COUNT };
#undef PASS

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

/* Where texts are kept from one schedule to the next. */
struct text_store {
    void *user;
    /* Returns the text of a kernel, or of several that share a launch, that lasts as long as the schedule. Jumps where
     * memory runs out. May lock. */
    const struct kernel_text *(*get)(void *user, const struct kernel *const *kernels, const struct emit_params *params,
                                     int count);
};

/* What passes read and make. The caller fills in what earlier passes would have made. */
struct pipeline {
    struct arena *arena;           /* for everything that is made, except by PASS_CHECK: that is in the program's own */
    struct diags *diags;
    const struct source *source;   /* PASS_PARSE */
    struct programs programs;      /* made by PASS_PARSE: the kernels of the text, or its one plain program */
    struct program *parsed;        /* the one of them that is used. PASS_NAMES puts another in its place, where it has
                                      names; PASS_CHECK gives it its dtypes */
    bool last;                     /* PASS_NAMES: no more types of inputs will be known */
    const struct program *program; /* from PASS_SHAPES on: the same, checked */
    const struct node *values;     /* its nodes with the literals of this run's numbers; NULL: it has none */
    const struct shape *const *inputs; /* [input_count]; NULL: not known */
    const struct contents *contents; /* [input_count]; NULL: no values are known */
    const struct shape **shapes;   /* [node_count], room for what PASS_SHAPES makes; NULL: not known */
    struct view_args *views;       /* [view_count], room for what PASS_SHAPES makes of the program's views; NULL: it has
                                      no size expressions, or nobody asks */
    const char **layouts;          /* [node_count], room for what PASS_LAYOUTS makes */
    const struct target *target;   /* from here on: PASS_REDUCTIONS and later */
    unsigned fast;                 /* a set of enum fast_path that may be taken */
    int row_bytes;                 /* as in struct lowering */
    const bool *taken;             /* [results] that are wanted; NULL: all */
    bool dense;                    /* results are stored row-major, without gaps */
    const struct operands *operands; /* how the inputs lie in memory; NULL: not known. From PASS_LOOPS on it must be */
    const struct open_extents *open;   /* NULL: all extents are numbers */
    const struct lowered_store *store; /* NULL: none */
    struct kernel_program kernels; /* made */
    struct lowering lowering;      /* made by PASS_REDUCTIONS */
    const struct tuning *tuning;   /* from here on: PASS_LOOPS and later */
    const struct example *examples; /* [example_count] where extents are open: for which calls loops are made */
    int example_count;
    const bool *batches;           /* [input_count] whether it is a batch, of which `inputs` has a sample's shape; NULL:
                                      none is */
    bool many;                     /* kernels must take tables of samples */
    enum shown shown;              /* for whom texts are */
    /* Asked behind PASS_LOOPS: whether there may be such kernels. If not, kernels are made once more with fewer fast
     * paths, of which few classes are enough. NULL: there may. */
    bool (*admit)(void *user, const struct schedule *schedule);
    void *admit_user;
    bool apart;                    /* as in struct lowering. Set where kernels do not take turns that should */
    int64_t most_orders;           /* as in struct lowering; 0: MOST_ORDERS. Lowered where a kernel had too many maps */
    const char *vector_functions;  /* PASS_TEXT: as in struct emit_params */
    const struct text_store *texts;
    struct schedule schedule;      /* made */
};

/* The name of a pass, in lower case. */
const char *pass_name(enum pass pass);

/* Runs the passes from `first` to `last`. Where `admit` refuses what PASS_LOOPS made, p->fast is reduced, p->admit
 * cleared, and those from PASS_REDUCTIONS on run again. False with diagnostics, which the first pass that fails has
 * added; those of PASS_CHECK go to program->diags. */
bool pipeline_run(struct pipeline *p, enum pass first, enum pass last);

#endif
