/* A program, and its instances: typed for certain dtypes of its inputs. */
#ifndef WEFT_TYPED_H
#define WEFT_TYPED_H

#include "compiler/pipeline.h"
#include "runtime/kernels/kernels.h"
#include "runtime/plan/plans.h"

enum { MAX_CLASSES = 16 };

/* The program typed for certain dtypes of its inputs. The program never changes once made; the plans,
 * the kernels, the classes and the texts are guarded by weft_program's mutex. */
struct typed {
    struct typed *next;
    struct arena arena;
    struct program *program;
    struct plan_table plans;
    struct lowered *lowered;
    struct emitted *emitted;       /* texts, latest first */
    int emitted_count;
    struct plan_class {
        const struct target *target;
        uint64_t hash;             /* of what plans are compiled for */
    } classes[TARGETS * MAX_CLASSES]; /* MAX_CLASSES of each target; further ones are general */
    int class_count;
};

struct weft_program {
    struct weft_context *context;
    struct arena arena;            /* what follows, but for `typed` */
    struct source source;
    enum weft_math math;
    unsigned char *alignments;     /* of each input, as in struct tensor */
    struct program *parsed;        /* names, results; inputs typed as far as known */
    const char **bindings;
    int binding_count;
    const struct shape *const *shapes;   /* of the inputs, as far as weft_program_specify knows them */
    pthread_mutex_t mutex;         /* guards what follows and the plans */
    struct typed *typed;
    const struct recent *recent;   /* of the plan that ran last, or NULL; recent.c */
};

/* The parsed program once more, with nodes, symbols and results of its own, which types may go into. */
struct program *program_copy(struct arena *arena, const struct program *parsed);
/* The instance for these dtypes, one for each input; program->mutex is held. */
struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes,
                            struct diags *diags);

struct draft;

/* Who is told what a program becomes while it is compiled and run. */
struct plan_observer {
    /* It has its dtypes. */
    void (*typed)(struct weft_program *program, const struct typed *typed);
    /* One kernel of a new plan for this target. */
    void (*kernel)(struct weft_program *program, const struct target *target, const struct draft *draft,
                   const char *text);
};

#endif
