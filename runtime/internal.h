/* What the files of the runtime share. Public declarations are in include/weft/weft.h. */
#ifndef WEFT_RUNTIME_INTERNAL_H
#define WEFT_RUNTIME_INTERNAL_H

#include "compiler/emit.h"
#include "compiler/hoist.h"
#include "compiler/kernel.h"
#include "runtime/cuda_device.h"
#include "runtime/first.h"
#include "runtime/remarks.h"
#include "runtime/nvrtc.h"
#include "runtime/threads.h"
#include "runtime/worker.h"
#include "templates/args.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

typedef void weft_kernel_fn(const struct weft_args *args, long long begin, long long end);

/* ---- cc.c: the machine's C compiler ---- */

enum cc_kind { CC_UNKNOWN, CC_GCC, CC_CLANG };

/* Compilers in progress, each on its thread's stack. Once cancelled none is started any more. */
struct cc_process {
    struct cc_process *next;
    pid_t pid;                     /* leads a process group */
};
struct cc_running {
    pthread_mutex_t mutex;
    struct cc_process *first;
    atomic_bool cancelled;
};

struct cc {
    struct cc_running *running;    /* the context's */
    char *path;                    /* as given, for messages; a name is looked up in PATH */
    enum cc_kind kind;             /* found out when it compiles first, and so is what follows */
    bool levels;                   /* knows -march=x86-64-v3 and the like */
    char version[96];              /* the first line of what --version prints */
    char *probed;                  /* the identity of the program that was asked */
    char **flags;                  /* the user's, NULL-terminated */
    char **environment;            /* as it was when the context was made: the host may change its own
                                      while the compiler is started in the background */
    char vector_functions[512];    /* for emit */
};

enum { CC_MAX_FLAGS = 240 };

/* `path` NULL: $WEFT_CC, else cc. `flags` NULL: those of $WEFT_CFLAGS. False: out of memory. */
bool cc_init(struct cc *cc, const char *path, const char *const *flags);
void cc_finish(struct cc *cc);
/* A variable of cc->environment, NULL when it is not set. */
const char *cc_variable(const struct cc *cc, const char *name);
/* Finds out which compiler it is, unless it is still the one of this identity (identity.h; NULL: not
 * known). Starts a process. Not to be called by two threads at once. */
bool cc_probe(struct cc *cc, const char *identity, struct diags *diags);
/* The flags for a kernel, NULL-terminated; their number. */
int cc_flags(const struct cc *cc, enum weft_math math, bool assembly, const char *flags[CC_MAX_FLAGS]);
/* Compiles a kernel's text and loads it: a handle of dlopen. Leaves no process and, but for what is to be `kept`
 * (NULL: nothing), no file. `digest` names the kernel (image.h). *image is a descriptor of the shared object, which
 * the caller closes, or -1. */
struct kept;
void *cc_load(const struct cc *cc, const char *text, enum weft_math math,
              const unsigned char digest[16], const struct kept *kept, int *image, struct diags *diags);
/* The assembly of a kernel's text, from malloc. */
char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags);
/* job.c: ends all compilers in progress; their callers fail and clean up. From any thread. */
void cc_cancel(struct cc_running *running);

/* ---- kernels.c: kernels in memory, each compiled once ---- */

struct loaded {
    struct loaded *next;
    char *key;                     /* how it was compiled, a character, and the text without comments */
    enum weft_math math;
    enum { LOADED_PENDING, LOADED_READY, LOADED_FAILED } state;
    int waiting;                   /* threads that wait for a pending entry */
    void *handle;                  /* of dlopen; NULL while there is only the first kernel */
    struct first_code first;       /* from libtcc; a run may be inside as long as the context lives */
    struct cuda_device *device;    /* NULL: a kernel of C, and what follows is not for it */
    struct CUmod_st *module;
    struct CUfunc_st *function;    /* of a kernel for the device; always final */
    weft_kernel_fn *_Atomic run;   /* the good kernel as soon as there is one */
    atomic_bool final;             /* `run` stays as it is */
    bool building;                 /* a thread makes the good kernel */
    struct loaded *next_job;       /* in the worker's queue */
    struct weft_kernel_info info;  /* how the best kernel so far was got */
};

/* What a plan wants. */
struct kernel_request {
    const char *text;
    enum weft_math math;
    bool exact;                    /* all its rows are: any compiler's kernel has the same bits */
    bool wait;                     /* for the good kernel, where a first one would do */
    struct cuda_device *device;    /* NULL: the kernel is C */
};

/* The kernel for this text: from memory, or made while other threads that want it wait. Lives as
 * long as the context. NULL with a diagnostic. */
struct loaded *kernels_get(struct weft_context *context, const struct kernel_request *request,
                           struct diags *diags, struct weft_kernel_info *info);
/* Waits until the kernel is final, and where it was not completes *info. */
void kernels_settle(struct weft_context *context, struct loaded *loaded,
                    struct weft_kernel_info *info);

struct weft_context {
    struct weft_context *next;     /* worker.c: all contexts of the process */
    struct cc cc;
    pthread_mutex_t cc_mutex;      /* guards what cc found out */
    struct cc_running running;
    enum weft_tier tier;
    bool only_first;               /* the compiler named is libtcc: it makes all kernels, for good */
    unsigned fast;                 /* a set of enum fast_path */
    enum weft_target target;       /* WEFT_TARGET heeded */
    char *arch;                    /* "sm_90", for stages; NULL: not said */
    struct threads threads;
    struct cuda_devices cuda;
    struct remarks remarks;
    struct nvrtc nvrtc;
    void (*log)(void *user, const struct weft_error *record);
    void *user;
    char *cache;                   /* the directory of kernels on disk; NULL: none */
    uint64_t cache_cap;            /* bytes; WEFT_CACHE_SIZE as it was when the context was made */
    char *keep;                    /* the directory for looking into kernels; NULL: none. keep.h */
    unsigned debug;                /* stages to tell, a bit each. debug.h */
    atomic_flag noted;             /* that the directory is of no use was said */
    pthread_mutex_t mutex;         /* guards what follows */
    pthread_cond_t changed;
    struct loaded *buckets[256];
    bool told_no_compiler;
    struct weft_error *_Atomic untold; /* warnings and notes from the background */
    struct worker worker;
};

/* ---- program.c ---- */

enum { MAX_CLASSES = 16 };

/* Plans by their keys, and in the order of their use. All zero: empty. */
struct plan_table {
    struct plan **buckets;
    size_t bucket_count;           /* a power of two */
    int count;
    size_t bytes;                  /* that the plans take */
    struct plan *latest, *oldest;
};

/* A kernel as lowering makes it, before anything is hoisted out of it. */
struct lowered {
    struct lowered *next;
    struct kernel *kernel, *narrowed; /* the same without narrow integers, and with */
};

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

/* ---- cuda_code.c ---- */

/* Machine code for "sm_90", or PTX for "compute_90", from malloc. */
bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags);

/* ---- specify.c: what is known of the inputs ---- */

/* NULL, or what is wrong with the parameters themselves. */
const char *specify_wrong(const struct weft_compile_params *params);
bool program_specify(struct weft_program *program, const struct weft_compile_params *params,
                     struct arena *scratch, struct diags *diags);

/* ---- emitted.c: texts, kept ---- */

/* Never changes once made, but for `loaded`. */
struct emitted {
    struct emitted *next;
    const char *key;
    size_t size;                   /* of the key */
    char *text;
    size_t scratch;                /* bytes that each thread lends the kernel */
    struct form form;
    _Atomic(struct loaded *) loaded; /* the kernel, once there is one */
};

/* The text of a kernel: one that the instance has, or emitted. Lives as long as `arena`; `scratch` is for
 * the work. Takes the program's mutex. */
struct emitted *emitted_get(struct weft_program *program, struct typed *typed, struct arena *arena,
                            struct arena *scratch, const struct kernel *kernel,
                            const struct emit_params *params);

/* ---- plan.c: a typed program on certain shapes and strides ---- */

/* Bytes: a line of the cache. */
enum { TEMPORARY_ALIGNMENT = 64 };

/* A kernel as dividing leaves it; stages show it, plans keep less. */
struct draft {
    struct kernel *kernel;
    const struct shape *shape;     /* that it loops over */
    int order;                     /* of the results that it computes or helps, among all kernels */
    bool shared;                   /* as below */
    struct geometry geometry;
    struct form form;
};

/* A kernel of a plan. */
struct planned {
    const struct kernel *kernel;
    int order;
    bool shared;                   /* depends on no batch: computed once for all samples of the plan */
    struct emitted *emitted;
    struct loaded *loaded;         /* NULL before weft_prepare or weft_run asked for it */
    struct weft_geometry walk;
    const unsigned char *kinds;    /* of the accesses, enum access_kind */
    int64_t tiles;
    unsigned long long *literals;
    double work;                   /* an estimate of its time: bytes moved and instructions, all elements */
    double touched, stored;        /* bytes of all tensors that it walks, of those that it writes */
    struct cuda_planned *cuda;     /* what it has on plan->gpu */
};

struct plan_key {
    int64_t *numbers;
    size_t size;
    uint64_t hash;
};

struct plan {
    struct plan *next;             /* in the bucket */
    struct plan *later, *earlier;  /* used; in the table */
    struct typed *typed;
    const struct target *target;
    struct arena own;              /* where the plan lives */
    size_t bytes_kept;             /* of it, as the table counts them */
    struct plan_key key;           /* see plans.c */
    int device;                    /* as in struct occasion */
    struct cuda_device *gpu;       /* that it is; NULL: it runs in C */
    atomic_int users;              /* runs in progress; raised under the program's mutex alone */
    bool reported;                 /* infos were told: from now on kernels come from memory */
    const struct shape **results;  /* their shapes, NULL for others */
    bool *viewed;                  /* [inputs] read under a view: no output may be their buffer */
    struct planned *kernels;       /* in the order in which they run, hoisted ones first */
    int kernel_count, hoisted_count;
    size_t *temporaries;           /* byte offsets in the memory that a run lends them: in that of all */
    bool *shared;                  /* samples of the plan together, or in that of each */
    size_t shared_bytes, own_bytes;
    unsigned char *bytes;          /* 0 to 255, for TENSOR_BYTES */
    struct weft_kernel_info *infos;
    struct recent *recent;         /* made by the first run; recent.c */
};

/* What a plan is wanted for: tensors, of batches the samples in hand. `outputs` NULL: dense ones, to
 * come. */
struct occasion {
    const struct tensor *inputs, *outputs;
    const bool *taken;             /* the results wanted, by position; NULL: all */
    int device;                    /* it is to run on, as in struct tensor; 0: in C */
    bool wait;                     /* for good kernels, where first ones would do */
    const struct target *target;   /* NULL: the device's; a stage's, which has none */
    bool many;                     /* kernels have to take tables of samples: of matter to CUDA alone */
    int64_t *room;                 /* for keys, used again by the next sample; NULL: from the arena */
};

/* A tensor as the caller described it: strides resolved, in elements, 0 where an extent is 0 or 1. Of a
 * batch it is one sample after the other. */
struct tensor {
    enum weft_dtype dtype;
    int rank;                      /* NO_SHAPE: of a batch without samples, whose type says what is known */
    const int64_t *shape;
    int64_t *strides;
    void *data;
    uintptr_t first, end;          /* the bytes it touches, [first, end); equal when it has no element */
    bool dense;                    /* row-major without gaps */
    int device;                    /* 0: host memory; else one more than the GPU's number */
    bool pinned;                   /* host memory that a GPU can copy from by itself */
    unsigned char alignment;       /* bytes, where it is more than an element's; else 0 */
    size_t given;                  /* one more than the number of the argument for it; 0: none */
    const DLTensor *samples;       /* of a batch */
    bool batch;
    bool slab;                     /* a part of one that is as it was declared */
    int64_t *numbers;              /* [number_count] its elements where views take them as numbers: as */
    int number_count;              /* int64, the bits of a uint64 or of a double; else NULL */
};

enum { NO_SHAPE = -1 };

/* Shapes of all nodes for inputs of these shapes, checked against the declared types. NULL with
 * diagnostics. */
const struct shape **plan_shapes(struct arena *arena, const struct program *program,
                                 const struct tensor *inputs, struct diags *diags);
/* Layouts of all nodes beside such shapes; an entry is NULL where not even the rank is known. NULL with
 * diagnostics. */
const char **plan_layouts(struct arena *arena, const struct program *program,
                          const struct tensor *inputs, const struct shape *const *shapes,
                          struct diags *diags);
/* The plan for an occasion, made when there is none, its kernels loaded; plan->users is raised. NULL with
 * diagnostics, also when the outputs do not fit. */
struct plan *plan_get(struct weft_program *program, struct typed *typed,
                      const struct occasion *occasion, struct diags *diags);
void plan_release(struct plan *plan);
void plan_destroy(struct plan *plan);

/* ---- numbers.c: inputs whose elements views take as numbers ---- */

bool reads_numbers(const struct program *program, int input);
/* Reads them; again for each sample of a batch. False with a diagnostic. */
bool numbers_read(struct tensor *tensor, const char *name, struct diags *diags);
/* Whether the data still hold what was read. */
bool numbers_same(const struct tensor *tensor);
/* For infer_shapes_of. */
const struct contents *numbers_contents(struct arena *arena, const struct program *program,
                                        const struct tensor *inputs);

/* ---- divide.c ---- */

/* Cuts the results into kernels, up to their geometry: drafts, in the order in which they run, and how
 * many of them are hoisted. `shapes` are those of all nodes. Takes the program's mutex. False with
 * diagnostics. */
struct division {
    struct draft *drafts;
    int count;
    const struct target *target;
    struct hoisted hoisted;
    bool *own;                     /* of temporaries, whether each sample has its own */
};
bool divide(struct arena *arena, struct weft_program *program, struct typed *typed,
            const struct shape *const *shapes, const struct occasion *occasion,
            struct division *division, struct diags *diags);
/* The text of a draft for a target, as emitted_get. */
struct emitted *draft_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                           struct typed *typed, const struct target *target, const struct draft *draft);
/* Fills all of `planned` but `loaded`, in plan->own. */
void finish_kernel(struct plan *plan, struct arena *scratch, struct weft_program *program,
                   const struct draft *draft, struct planned *planned);
/* Places temporaries in the memory of a run. */
void place_temporaries(struct plan *plan, const struct division *division);

/* ---- plans.c: plans, kept ---- */

/* The key of an occasion; room for it, which does for all samples of its batches. */
int64_t *plan_key_room(struct arena *arena, const struct program *program,
                       const struct occasion *occasion);
struct plan_key plan_key(struct arena *arena, const struct program *program,
                         const struct occasion *occasion);
/* The plan for a key, its users raised, or NULL. The program's mutex is held, here and below. */
struct plan *plans_find(struct plan_table *table, const struct plan_key *key);
/* False: no memory, and the plan is not kept. */
bool plans_add(struct weft_program *program, struct plan_table *table, struct plan *plan);
/* Drops plans that nobody uses while there are too many. */
void plans_trim(struct weft_program *program, struct plan_table *table);
void plans_destroy(struct plan_table *table);

/* ---- tensor.c ---- */

/* Reads the caller's DLTensor into a tensor that is zeroed, or held one of the same rank, and lives no
 * longer than diags->arena; `what` ("input") and `name` go into messages. */
bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags);
/* "on GPU 0", "in host memory"; lives no longer than diags->arena. */
const char *tensor_place(const struct tensor *tensor, struct diags *diags);
/* The diagnostics after `last` (NULL: all) are about this sample. */
void blame_sample(struct diags *diags, struct diag *last, int64_t i);

static inline bool same_numbers(const int64_t *a, const int64_t *b, int count)
{
    if (!a != !b)
        return false;
    for (int i = 0; a != b && i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Whether an element of the tensor may lie there. */
static inline bool tensor_aligned(const struct tensor *tensor, uintptr_t data)
{
    return !(data & (uintptr_t)(type_rows[tensor->dtype].size - 1)) &&
           (!tensor->alignment || data % tensor->alignment == 0);
}

/* Goes on to sample `i` of a batch, from sample i - 1, if it is like that one and nothing is wrong. */
static inline bool tensor_step(struct tensor *tensor, int64_t i, bool needs_data)
{
    const DLTensor *from = &tensor->samples[i], *before = from - 1;
    uintptr_t data = from->data ? (uintptr_t)from->data + from->byte_offset : 0;
    uintptr_t by = data - (uintptr_t)tensor->data;
    if (from->ndim != tensor->rank || memcmp(&from->dtype, &before->dtype, sizeof from->dtype) != 0 ||
        from->device.device_type != before->device.device_type ||
        from->device.device_id != before->device.device_id ||
        !same_numbers(from->shape, before->shape, tensor->rank) ||
        !same_numbers(from->strides, before->strides, tensor->rank) ||
        (needs_data && (!data || !tensor_aligned(tensor, data))))
        return false;
    tensor->data = (void *)data;
    tensor->first += by;
    tensor->end += by;
    return true;
}

/* What tensor_next found. */
enum next {
    NEXT_SAME,                     /* shape and strides are those of the sample before */
    NEXT_OTHER,
    NEXT_BAD                       /* reported */
};
/* Goes on to sample `i` in any case. */
enum next tensor_next(struct tensor *tensor, int64_t i, bool needs_data, const char *what,
                      const char *name, struct diags *diags);
bool tensors_same(const struct tensor *a, const struct tensor *b);
/* For tensors_overlap: of two whose ranges overlap, whether their elements may. */
bool tensors_meet(const struct tensor *a, const struct tensor *b);
/* Whether an element of one shares bytes with one of the other. Interleaved layouts whose offsets
 * never meet are told apart; what that cannot prove counts as overlapping. */
static inline bool tensors_overlap(const struct tensor *a, const struct tensor *b)
{
    return a->first != a->end && b->first != b->end && a->first < b->end && b->first < a->end &&
           tensors_meet(a, b);
}
bool tensor_overlaps_itself(const struct tensor *tensor);

/* ---- errors ---- */

/* WEFT_INVALID_ARGUMENT, with a record that says why. */
enum weft_status invalid_call(struct weft_error **error, const char *why);

/* Hands the list over: errors to *error (when not NULL), warnings to the log. Returns the status. */
enum weft_status finish_call(const struct weft_context *context, const struct diags *diags,
                             struct weft_error **error);

/* Keeps the warnings and notes for log_untold; from any thread. */
void keep_untold(struct weft_context *context, const struct diags *diags);
/* Tells the log what is kept. Without the context's mutex. */
void log_untold(struct weft_context *context);

#endif
