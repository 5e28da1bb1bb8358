/* What the files of the runtime share. Public declarations are in include/weft/weft.h. */
#ifndef WEFT_RUNTIME_INTERNAL_H
#define WEFT_RUNTIME_INTERNAL_H

#include "compiler/emit.h"
#include "compiler/kernel.h"
#include "templates/args.h"

#include <errno.h>
#include <pthread.h>

typedef void weft_kernel_fn(const struct weft_args *args, long long begin, long long end);

/* ---- cc.c: the machine's C compiler ---- */

enum cc_kind { CC_UNKNOWN, CC_GCC, CC_CLANG };

struct cc {
    char *path;                    /* as given, for messages; a name is looked up in PATH */
    enum cc_kind kind;             /* found out by the first kernel, and so is the next */
    bool levels;                   /* knows -march=x86-64-v3 and the like */
    char version[128];             /* the first line of --version, cut off; known with the kind */
    char **flags;                  /* the user's, NULL-terminated */
    char vector_functions[512];    /* for emit */
};

/* `path` NULL: $WEFT_CC, else cc. `flags` NULL: those of $WEFT_CFLAGS. False: out of memory. */
bool cc_init(struct cc *cc, const char *path, const char *const *flags);
void cc_finish(struct cc *cc);
/* Finds out which compiler it is. Not to be called by two threads at once. */
bool cc_probe(struct cc *cc, struct diags *diags);
/* The flag for this machine's instruction set; static storage. */
const char *cc_machine_flag(const struct cc *cc);
/* Compiles a kernel's text and loads it: a handle of dlopen. Leaves neither file nor process. */
void *cc_load(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags);
/* The assembly of a kernel's text, from malloc. */
char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags);

/* ---- kernels.c: kernels in memory, each compiled once ---- */

struct loaded {
    struct loaded *next;
    char *key;                     /* the text without comments, and how it was compiled */
    enum { LOADED_PENDING, LOADED_READY, LOADED_FAILED } state;
    int waiting;                   /* threads that wait for a pending entry */
    void *handle;
    weft_kernel_fn *run;
};

/* The kernel for this text: from memory, or compiled while other threads that want it wait. Lives
 * as long as the context. NULL with a diagnostic. */
const struct loaded *kernels_get(struct weft_context *context, const char *text, enum weft_math math,
                                 struct diags *diags, struct weft_kernel_info *info);

struct weft_context {
    struct cc cc;
    unsigned fast;                 /* a set of enum fast_path */
    void (*log)(void *user, const struct weft_error *record);
    void *user;
    pthread_mutex_t mutex;         /* guards what follows, and cc.kind */
    pthread_cond_t changed;
    struct loaded *buckets[256];
    bool probed;
};

/* ---- program.c ---- */

/* The program typed for certain dtypes of its inputs. Never changes once made. */
struct typed {
    struct typed *next;
    struct arena arena;
    struct program *program;
    struct source source;
    struct plan *plans;            /* most recent first */
    int plan_count;
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
    struct program *parsed;        /* names, results; inputs typed as far as known */
    pthread_mutex_t mutex;         /* guards `typed` and the plans */
    struct typed *typed;
};

/* Parses the program's text into `arena`, with the caller's types; NULL with diagnostics. */
struct program *program_parse(struct weft_program *program, struct arena *arena,
                              struct source *source, struct diags *diags);
/* The instance for these dtypes, one for each input; program->mutex is held. */
struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes,
                            struct diags *diags);

/* ---- plan.c: a typed program on certain shapes and strides ---- */

struct planned {
    struct kernel *kernel;
    struct geometry geometry;
    char *text;
    const struct loaded *loaded;   /* NULL before weft_prepare or weft_run asked for it */
    struct weft_sample sample;     /* all but the bases */
    unsigned long long *literals;
    size_t scratch;                /* bytes that each thread lends the kernel */
};

struct plan {
    struct plan *next;
    struct typed *typed;
    struct arena own, *arena;      /* where the plan lives; a stage's plan borrows its caller's */
    int64_t *key;
    size_t key_length;
    int users;                     /* runs in progress; guarded by the program's mutex */
    bool reported;                 /* infos were told: from now on kernels come from memory */
    const struct shape **shapes;   /* of each node */
    struct planned *kernels;
    int kernel_count;
    struct weft_kernel_info *infos;
};

/* A tensor as the caller described it: strides resolved, in elements. */
struct tensor {
    enum weft_dtype dtype;
    int rank;
    const int64_t *shape;
    int64_t strides[WEFT_MAX_RANK];
    void *data;
};

/* Shapes of all nodes for inputs of these shapes, checked against the declared types. */
const struct shape **plan_shapes(struct arena *arena, const struct program *program,
                                 const struct tensor *inputs, struct diags *diags);
/* The plan for these tensors, made when there is none, its kernels loaded; plan->users is raised.
 * `outputs` NULL: dense ones, to come. NULL with diagnostics, also when the outputs do not fit. */
struct plan *plan_get(struct weft_program *program, struct typed *typed, const struct tensor *inputs,
                      const struct tensor *outputs, struct diags *diags);
void plan_release(struct weft_program *program, struct plan *plan);
void plans_destroy(struct plan *plans);
/* Makes kernels and texts for shapes that are known already; loads nothing. `outputs` NULL: dense.
 * For plan_get and stages. */
void plan_kernels(struct plan *plan, const struct tensor *inputs, const struct tensor *outputs,
                  const struct weft_context *context);

/* ---- tensor.c ---- */

/* Reads the caller's DLTensor; `what` ("input") and `name` go into messages. */
bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags);
/* The byte range a tensor touches, [*first, *end); empty when it has no element. */
void tensor_range(const struct tensor *tensor, const char **first, const char **end);
bool tensors_same(const struct tensor *a, const struct tensor *b);
/* Row-major without gaps. */
bool tensor_is_dense(const struct tensor *tensor);
/* Whether an element of one shares bytes with one of the other. Interleaved layouts whose offsets
 * never meet are told apart; what that cannot prove counts as overlapping. */
bool tensors_overlap(const struct tensor *a, const struct tensor *b);
bool tensor_overlaps_itself(const struct tensor *tensor);

/* ---- errors ---- */

/* WEFT_INVALID_ARGUMENT, with a record that says why. */
enum weft_status invalid_call(struct weft_error **error, const char *why);

/* Hands the list over: errors to *error (when not NULL), warnings to the log. Returns the status. */
enum weft_status finish_call(const struct weft_context *context, const struct diags *diags,
                             struct weft_error **error);

#endif
