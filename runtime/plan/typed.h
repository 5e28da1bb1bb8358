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
    struct source source;
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
    const char *kernel;            /* name; NULL: the only one */
    const char **wanted;
    size_t wanted_count;
    struct weft_input_type *types; /* copies */
    size_t type_count;
    enum weft_math math;
    unsigned char *alignments;     /* of each input, as in struct tensor */
    struct program *parsed;        /* names, results; inputs typed as far as known */
    pthread_mutex_t mutex;         /* guards what follows and the plans */
    struct typed *typed;
    const struct recent *recent;   /* of the plan that ran last, or NULL; recent.c */
};

/* Parses the program's text into `arena`, with the caller's types; NULL with diagnostics. */
struct program *program_parse(struct weft_program *program, struct arena *arena,
                              struct source *source, struct diags *diags);
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
