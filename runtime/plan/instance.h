/* A program and its instances (struct typed): the program typed for certain dtypes of its inputs. */
#ifndef WEFT_RUNTIME_PLAN_INSTANCE_H
#define WEFT_RUNTIME_PLAN_INSTANCE_H

#include "compiler/pipeline/pipeline.h"
#include "runtime/kernels/kernels.h"
#include "runtime/plan/plan_cache.h"

enum { MAX_CLASSES = 16 };

/* An instance. Its program never changes once made. Plans, lowered kernels, texts and classes are
 * guarded by weft_program's mutex. */
struct typed {
    struct typed *next;
    struct arena arena;
    struct program *program;
    struct plan_table plans;
    struct lowered *lowered;
    struct emitted *emitted;       /* texts, the latest first */
    int emitted_count;
    struct plan_class {
        const struct target *target;
        uint64_t hash;             /* class_hash in occasion.c */
    } classes[TARGETS * MAX_CLASSES]; /* MAX_CLASSES for each target; plans of further classes get general kernels */
    int class_count;
};

struct weft_program {
    struct weft_context *context;
    struct arena arena;            /* the memory of everything below except `typed` */
    struct source source;
    enum weft_math math;
    bool advise;                   /* as in weft_compile_params */
    bool ignore_unused;            /* inputs that the text does not have may be given by name */
    unsigned char *alignments;     /* of each input, as in struct tensor */
    struct program *text;          /* as parsed; with the types of inputs as far as they are known */
    struct program *parsed;        /* the same with dimensions matched by name: names and results; inputs are typed as
                                      far as they are declared */
    const char **bindings;
    int binding_count;
    const struct shape *const *shapes;   /* of the inputs, as far as weft_program_specify was told */
    struct tensor *read;           /* [inputs] with the numbers that views take of the values it was told; NULL: none */
    pthread_mutex_t mutex;         /* guards what follows, and the plans */
    bool warned;                   /* what its types lose was told (rule 2.8) */
    bool pictured;                 /* neighbours along what looks like channels were told (rule 10.1) */
    struct typed *typed;
    const struct recent *recent;   /* the record of the plan that ran last, or NULL; recent_call.c */
};

/* A copy of the parsed program with nodes, symbols and results of its own, into which types may be
 * written. */
struct program *program_copy(struct arena *arena, const struct program *parsed);
/* Whether the program has inputs of type number (rule 2.7). */
bool program_has_numbers(const struct program *program);
/* A copy of the program, typed for these dtypes and for the values of numbers; `values` may be NULL where there are
 * none. `ranks` are those of the inputs where program_reads_ranks; NULL: not known. NULL with diagnostics. */
struct program *program_fill(struct arena *arena, const struct program *parsed, const enum weft_dtype *dtypes,
                             const int *ranks, const struct literal *values, struct diags *diags);
/* The instance for these dtypes and ranks, one for each input; found or made. It lives as long as the program. With
 * numbers the dtypes of all nodes count, as `filled` has them, which is then not NULL; for other values of the same
 * instance only `filled` holds them. NULL with diagnostics. Locks the program's mutex. */
struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes, const int *ranks,
                            const struct program *filled, struct diags *diags);

/* Is told what a program becomes while it is compiled and run; see api/debug_impl.h. */
struct plan_observer {
    /* A new instance was typed. */
    void (*typed)(struct weft_program *program, const struct typed *typed);
    /* Kernel k of the schedule of a new plan for this target was made. */
    void (*kernel)(struct weft_program *program, const struct target *target, const struct schedule *schedule, int k);
};

#endif
