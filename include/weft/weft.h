/* Weft: array expressions compiled to one fused kernel.
 *
 * Compile a text once, ask for the results' dtypes and shapes, run it on your own buffers:
 *
 *     struct weft_context *context;
 *     struct weft_program *program;
 *     struct weft_error *error = NULL;
 *     weft_context_create(NULL, &context, &error);
 *     weft_compile(context, "clamp(img * gain, 128, 255)", NULL, &program, &error);
 *     weft_run(program, &(struct weft_run_params){
 *         .inputs = (struct weft_argument[]){{.name = "img", .tensors = &img},
 *                                            {.name = "gain", .tensors = &gain}}, .input_count = 2,
 *         .outputs = (struct weft_argument[]){{.tensors = &out}}, .output_count = 1}, &error);
 *
 * A batch is one argument with many samples, whose shapes differ as they like; a tensor beside it, here
 * gain, is used with each. weft_infer says which results are batches and weft_infer_samples what shapes
 * their samples have:
 *
 *     DLTensor pictures[256], outs[256];
 *     weft_run(program, &(struct weft_run_params){
 *         .inputs = (struct weft_argument[]){{"img", pictures, 256, true}, {"gain", &gain}},
 *         .input_count = 2,
 *         .outputs = (struct weft_argument[]){{NULL, outs, 256, true}}, .output_count = 1}, &error);
 *
 * Status: every function that can fail returns an enum weft_status; 0 is success, positive values
 * are remarks (the result is complete), negative ones are errors (no output was touched, unless
 * said otherwise). Errors: the last parameter, when not NULL, receives a list owned by the caller
 * (weft_error_destroy); it is set to NULL when there is nothing to tell.
 * On a GPU the same call takes device tensors and a stream and returns at once:
 *
 *     weft_run(program, &(struct weft_run_params){.inputs = ..., .stream = stream}, &error);
 *     cudaStreamSynchronize(stream);
 *     weft_context_status(context, stream, &error);
 *
 * Data: kDLCPU and kDLCUDAHost are host data, kDLCUDA and kDLCUDAManaged device data; no other device can
 * be used. Where one operand is device data the program runs on that GPU, see weft_run.
 * Threads: a context and its programs may be used from any number of threads at once, also with several
 * GPUs; creating and destroying an object is for one thread, after all others have finished with it. A call
 * leaves the thread's current CUDA context as it was.
 * Fork: a child may use what it inherited if no other thread was inside a call with it at the fork,
 * else it makes its own. In a child runs use the calling thread alone (OpenMP's threads are gone), but
 * for contexts that were made after the fork with a parallel_for. CUDA does not outlive a fork: where the
 * parent had used a GPU, a run on one is WEFT_DEVICE_ERROR in the child.
 * Ownership: whatever a create or compile function returned is released by its destroy function; one
 * that fails leaves NULL. Tensors always stay the caller's.
 * Processes: the C compiler is a child of the process, in a process group of its own, also while no call
 * is in progress. SIGCHLD comes for it, and wait() may find it: a host waits for its own by number.
 * No function prints, exits, aborts or changes errno. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

#if defined __GNUC__
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

/* The most dimensions a tensor may have. */
#define WEFT_MAX_RANK 32

/* The most bytes a text may have. */
#define WEFT_MAX_TEXT (1 << 20)

/* The most errors one call reports. */
#define WEFT_MAX_ERRORS 20

enum weft_status {
    WEFT_OK = 0,
    /* Remarks: the results are complete. */
    WEFT_DIVIDE_BY_ZERO = 1,       /* an integer // % truncdiv fmod met a zero; its element is 0 */
    /* Errors. */
    WEFT_INVALID_ARGUMENT = -1,    /* the call itself is wrong: a NULL pointer, an unknown stage */
    WEFT_OUT_OF_MEMORY = -2,
    WEFT_SYNTAX_ERROR = -3,        /* the text does not parse */
    WEFT_NAME_ERROR = -4,          /* an unknown, repeated or missing name */
    WEFT_TYPE_ERROR = -5,          /* a dtype rule is broken */
    WEFT_SHAPE_ERROR = -6,         /* shapes do not broadcast, fit a view or the declared ones; layouts that clash */
    WEFT_INPUT_ERROR = -7,         /* a tensor that cannot be used: device, dtype, alignment, NULL */
    WEFT_OVERLAP_ERROR = -8,       /* an output overlaps an input or another output */
    WEFT_LIMIT_ERROR = -9,         /* a documented bound is exceeded */
    WEFT_COMPILER_ERROR = -10,     /* the machine's C compiler is missing, failed or was killed */
    WEFT_UNSUPPORTED = -11,        /* a feature that this build or machine does not have */
    WEFT_INTERNAL_ERROR = -12,     /* a defect of Weft; the message asks for a report */
    WEFT_CACHE_ERROR = -13,        /* the disk cache cannot be read; from weft_cache_ functions only */
    WEFT_DEVICE_ERROR = -14        /* the GPU or its driver failed a call, or its context is lost */
};

/* The element types, with the DLPack dtype each stands for. A bool is one byte, 0 or 1; DLPack's
 * type code for it is 6, also where the installed dlpack.h is too old to name it. An element of float16
 * (DLPack's kDLFloat of 16 bits) or bfloat16 (kDLBfloat, 4) is the 16 bits of its format. */
enum weft_dtype {
    WEFT_BOOL, WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64,
    WEFT_UINT8, WEFT_UINT16, WEFT_UINT32, WEFT_UINT64,
    WEFT_FLOAT16, WEFT_BFLOAT16, WEFT_FLOAT32, WEFT_FLOAT64,
    WEFT_DTYPE_COUNT
};

/* Size of an element in bytes; 0 for a value outside the enumeration. */
WEFT_API size_t weft_dtype_size(enum weft_dtype dtype);
/* The name in the language, "uint8"; NULL for a value outside the enumeration. Static storage. */
WEFT_API const char *weft_dtype_name(enum weft_dtype dtype);
/* The dtype that the first `length` bytes of `text` name in the language, as "uint8" or "u8";
 * WEFT_DTYPE_COUNT: none. */
WEFT_API enum weft_dtype weft_dtype_from_name(const char *text, size_t length);
WEFT_API DLDataType weft_dtype_to_dlpack(enum weft_dtype dtype);
/* WEFT_UNSUPPORTED when no dtype of Weft corresponds (other codes or widths, lanes != 1). `dtype` is not
 * NULL. */
WEFT_API enum weft_status weft_dtype_from_dlpack(DLDataType type, enum weft_dtype *dtype);

/* ---- errors ---- */

enum weft_severity { WEFT_ERROR, WEFT_WARNING, WEFT_NOTE };

/* A half-open range of bytes of the text the error is about. */
struct weft_span {
    size_t start, end;
};

/* One diagnostic. `code` is stable (it prints as W0042); `spans[0]` is the place itself, the others
 * point at operands. `line` and `column` are those of spans[0].start, from 1; the column counts
 * characters. span_count is 0, and line 0, where there is no text to point at. `input` is the input whose given
 * type or value the error is about; spans are then places in that type's text. All pointers belong to the
 * error. */
struct weft_error {
    enum weft_status status;
    enum weft_severity severity;
    int code;
    int span_count;
    struct weft_span spans[3];
    size_t line, column;
    const char *origin;            /* a file's name, "<expr>" or "<args>" */
    const char *source;            /* the line of text spans point into, NULL if there is none */
    size_t source_start;           /* byte offset of `source` in the whole text */
    const char *message;
    const char *input;             /* NULL: none */
    struct weft_error *next;
};

/* Draws one diagnostic (not NULL), with the line of text and carets under it when there is a place:
 *     <expr>:1:3: error[W0042]: cannot broadcast ...
 * Writes at most `size` bytes with the final NUL and returns the length the whole text has, as
 * snprintf does. `buffer` may be NULL when size is 0. Ends with a newline. */
WEFT_API size_t weft_error_render(const struct weft_error *error, char *buffer, size_t size);
/* Releases the whole list. Takes NULL. */
WEFT_API void weft_error_destroy(struct weft_error *error);

/* What somebody may have meant who wrote `name`, for messages as Weft's own, "did you mean ...": the nearest of
 * `count` names, and the dtype that is nearest or that other languages call so. NULL: nothing is near. */
WEFT_API const char *weft_nearest_name(const char *name, const char *const *names, size_t count);
WEFT_API const char *weft_nearest_dtype(const char *name);

/* ---- contexts ---- */

/* Whether a first call waits for the C compiler, where libtcc's module is installed. It makes a kernel
 * in about a millisecond, many times slower than the good one, which replaces it when the C compiler,
 * in the background, is done. Where there is no C compiler libtcc makes all kernels. */
enum weft_tier {
    WEFT_TIER_EXACT,               /* a first kernel where both have the same bits: all rows are exact, math
                                      is strict, there are no further flags; else the call waits */
    WEFT_TIER_FAST,                /* always: bits may change, within each row's bound, when the good
                                      kernel takes over */
    WEFT_TIER_NONE                 /* never: every call waits for the C compiler */
};

/* Where programs run. */
enum weft_target {
    WEFT_TARGET_AUTO,              /* where the data are: on the GPU of device data, and in C on the host */
    WEFT_TARGET_C,                 /* in C: device data are an error */
    WEFT_TARGET_CUDA               /* on a GPU: host data go there and come back, see weft_run */
};

struct weft_context_params {
    /* The C compiler: a name looked up in PATH or a path. NULL: the environment's WEFT_CC, else cc.
     * "libtcc": no process, all kernels come from the module around libtcc. */
    const char *cc;
    /* Further flags for it, NULL-terminated. They go after Weft's own. NULL: the words of the
     * environment's WEFT_CFLAGS, split at white space, else none. */
    const char *const *cflags;
    /* Called with warnings and notes (never errors, those are returned), from the thread that made
     * the call; what goes wrong in the background is told by a later call, at the latest by
     * weft_context_destroy. The record lives until the callback returns. NULL: they are dropped. */
    void (*log)(void *user, const struct weft_error *record);
    void *user;
    /* Fast paths to do without, words separated by commas, for finding out whether one of them is at
     * fault: flat, expand, stream, row, convert, divisor, narrow, hoist, table, special, chunk, index, value, call,
     * threads, cache, first (docs/design.md says what each does). Results stay the same to the bit. NULL: the
     * environment's WEFT_DISABLE, else none. */
    const char *disable;
    /* The directory that keeps kernels for later processes; it is made, mode 0700, and is not used
     * when it is another user's or a symbolic link. "": none. NULL: the environment's WEFT_CACHE, else
     * weft in XDG_CACHE_HOME, else ~/.cache/weft. What goes wrong there costs time, never a result; the
     * log is told once. */
    const char *cache;
    /* How many threads a run may use, the calling one included; small runs use fewer. 0: OpenMP's own
     * choice (OMP_NUM_THREADS, else the processors). OpenMP ends the process when it cannot start a
     * thread (RLIMIT_NPROC, RLIMIT_AS): 1 or parallel_for for a host with such limits. Runs that happen
     * at once share them: one that finds all in use, or that is called inside a parallel region of OpenMP,
     * computes on its own thread. */
    int threads;
    /* The host's own threads instead of OpenMP's, NULL for none: calls task(data, i) once for each i
     * from 0 to count - 1, in any order, several at once if it likes, and returns when all are done.
     * `count` is at most `threads` (0: the processors there are); `user` is `parallel_user`. Called by
     * several threads at once if weft_run is. */
    void (*parallel_for)(void *user, int count, void (*task)(void *data, int index), void *data);
    void *parallel_user;
    /* What may run until the C compiler is done. */
    enum weft_tier tier;
    /* Where programs run. AUTO: what the environment's WEFT_TARGET (auto, c or cuda) says, else where the
     * data are. The CUDA driver and NVRTC are looked for by the first run on a GPU, not before. */
    enum weft_target target;
    /* The GPU that the stages cuda, ptx and sass are shown for, "sm_90": one that NVRTC knows, no GPU of
     * this kind need be there. Runs always use that of the GPU they are on. NULL: the first GPU's, else
     * sm_90. */
    const char *arch;
    /* A directory for looking into kernels, "": none. NULL: the environment's WEFT_KEEP, else none. Each
     * kernel's source and binary are kept there, under its name and with line numbers for a debugger, and are
     * what runs: no cache and no first kernel is used, and kernels are not shared by programs of other
     * names. docs/debugging.md has examples. Not with cc "libtcc". */
    const char *keep;
    /* Stages to tell of each program that is compiled and each plan that is made, words separated by commas as
     * in weft_program_stage: notes for the log or, beside `keep`, files there. NULL: the environment's
     * WEFT_DEBUG, else none. */
    const char *debug;
};

struct weft_context;

/* `params` may be NULL: defaults throughout. Finds no compiler yet: the first kernel does. Kernels stay
 * loaded until the context goes, so a server of ever new texts makes its context anew from time to time. On a
 * GPU constants stay as well, and tables that go with a layout: 256 MB at most, what comes then is copied by each
 * run; and a few bytes for each integer division of a text on each stream.
 * The environment is read now, and not later. WEFT_INVALID_ARGUMENT when `disable` or `debug` (or their
 * variables) or WEFT_TARGET holds an unknown word, WEFT_CACHE_SIZE is no size, `arch` is no name such as
 * sm_90, or nothing can be kept in `keep`. */
WEFT_API enum weft_status weft_context_create(const struct weft_context_params *params,
                                              struct weft_context **context,
                                              struct weft_error **error);
/* Unloads every kernel, also from the GPUs, and ends the C compiler if it still runs; programs of the
 * context must have been destroyed. Waits until the GPUs that it used have done all that was put on their streams,
 * by anybody. A graph that captured a run may not be launched any more, and no stream may be being captured:
 * CUDA waits for none that is. Takes NULL. */
WEFT_API void weft_context_destroy(struct weft_context *context);

/* What runs on this stream (a cudaStream_t; NULL: the legacy default stream) had to say since it was last
 * asked about that stream. To be called after the caller has synchronized the stream itself: this function
 * waits for nothing, and what is not yet done is told by a later call. WEFT_DIVIDE_BY_ZERO, a remark: an
 * integer division met a zero, and *error has the place of the first such operator in the text of each
 * program concerned; also for runs that a CUDA graph replayed. WEFT_DEVICE_ERROR: the GPU's context is
 * lost, by whatever kernel: no output since is of use, and no later call will be. WEFT_OK: neither, also
 * when the context never ran on a GPU. */
WEFT_API enum weft_status weft_context_status(struct weft_context *context, void *stream,
                                              struct weft_error **error);

/* ---- what the machine has ---- */

enum weft_finding_state {
    WEFT_FOUND,
    WEFT_ABSENT,                   /* not there, and programs run on the host all the same */
    WEFT_BROKEN                    /* there or needed, and does not work */
};

/* One thing weft_doctor looked for. Texts are printable ASCII and newlines. */
struct weft_finding {
    const char *part;              /* "C compiler"; findings of a part come together */
    const char *name;              /* "gcc" */
    enum weft_finding_state state;
    const char *text;              /* where it is and which version, or what is wrong */
    const char *advice;            /* what to do about it; NULL: nothing */
};

/* Looks for what Weft uses or could use: processors, memory, the temporary directory, C compilers,
 * libmvec, libtcc, the disk cache, NVRTC, the CUDA driver and its GPUs. Compiles, loads and runs a small
 * kernel with each C compiler, without any cache, which takes about a second. `params` are those of a
 * context (NULL: defaults). Calls `tell` from this thread for each finding, which lives until the
 * callback returns. CUDA libraries stay loaded.
 * WEFT_OK: programs can run on the host; WEFT_COMPILER_ERROR: they cannot, and the findings say
 * why. */
WEFT_API enum weft_status weft_doctor(const struct weft_context_params *params,
                                      void (*tell)(void *user, const struct weft_finding *finding),
                                      void *user);

/* ---- the language ---- */

/* A row of the language's tables. Texts are static. */
struct weft_operation {
    const char *names;             /* separated by spaces */
    const char *parameters;        /* so are they */
    const char *form;              /* of an operation "infix", "call", ...; "conversion"; "view"; "reduction" */
    const char *signature;         /* of what is no operation, as "cast(x, dtype)"; else NULL */
    const char *rule, *type;       /* the rule for the result's type, and what it says; NULL: none */
    int ulp32, ulp64;              /* how far float32 and float64 may be off; 0: exact; -1: not told */
    const char *doc;               /* what it computes */
};

/* Operations come first, then conversions, views and reductions. False outside the range. */
WEFT_API bool weft_operation_at(size_t index, struct weft_operation *operation);

/* Whether this is a type in the language's words. Errors have places in the text. WEFT_UNSUPPORTED: it is one
 * that is not there yet. */
WEFT_API enum weft_status weft_check_type(const char *text, struct weft_error **error);

/* The value of a literal: dense, row-major, aligned for every dtype; rank 0 for a single number or bool. */
struct weft_literal {
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    void *data;
};

/* Reads a literal expression, true, false or an array literal, and converts it to `dtype` as a cast does;
 * WEFT_DTYPE_COUNT: to the type that it has by itself. WEFT_SYNTAX_ERROR: it is none of these, and *error, whose
 * spans are places in `text`, says why; it is NULL where `text` is another expression, as a name is.
 * `*literal` is one allocation, released by weft_free. */
WEFT_API enum weft_status weft_read_literal(const char *text, enum weft_dtype dtype,
                                            struct weft_literal **literal, struct weft_error **error);

/* ---- programs ---- */

enum weft_math {
    WEFT_MATH_STRICT,              /* every node rounds once, nothing is contracted or reordered */
    WEFT_MATH_FAST                 /* may contract, reassociate and approximate up to 16 ulp */
};

struct weft_argument;

/* What is known of an input besides its declaration. */
struct weft_input_type {
    const char *name;
    /* In the language's own words: "uint8", "uint8[480, 640, 3]@HWC", "float32[h, ?]". NULL: the type of the
     * value's elements. */
    const char *type;
    /* A value, so that its type and its shape, or those of every sample of a batch, are compared with the
     * others' now. Its data are not read, its name is not used, and other values may come to a run. NULL: none. */
    const struct weft_argument *value;
    /* Where the value, or each sample of a batch, comes from, for messages: "'photo.png'". NULL: not told. */
    const char *const *origins;
};

struct weft_compile_params {
    /* What diagnostics call the text; NULL: "<expr>". */
    const char *origin;
    /* Which kernel of a text that holds several; NULL: the only one. */
    const char *kernel;
    /* Types known now, any subset of the inputs; the others come with the first run, and the text
     * is then checked completely. */
    const struct weft_input_type *inputs;
    size_t input_count;
    /* Bindings wanted as results besides those that the text returns. */
    const char *const *results;
    size_t result_count;
    enum weft_math math;
};

struct weft_program;

/* Parses the text (NUL-terminated UTF-8; outside comments ASCII), resolves its names and, where all
 * dtypes are known, types it. `params` may be NULL. No kernel is compiled yet. The context must
 * outlive the program. */
WEFT_API enum weft_status weft_compile(struct weft_context *context, const char *text,
                                       const struct weft_compile_params *params,
                                       struct weft_program **program, struct weft_error **error);
/* Says later, when the names are known, what `inputs` and `results` of weft_compile_params say; the rest of
 * `params` is not used. What was said before of an input is replaced. The text is not parsed again, and what
 * weft_compile had to say of it is told again. For one thread, before the first weft_infer, weft_run and the like,
 * else WEFT_INVALID_ARGUMENT. After another error the program is good for weft_program_destroy only. */
WEFT_API enum weft_status weft_program_specify(struct weft_program *program,
                                               const struct weft_compile_params *params,
                                               struct weft_error **error);
/* What it put on streams is done all the same, and graphs that captured its runs go on to work: kernels are the
 * context's. Takes NULL. */
WEFT_API void weft_program_destroy(struct weft_program *program);

/* The names of the kernels a text holds, in order; `count` is 0 for a plain program. The array is
 * one allocation, released by weft_free. */
WEFT_API enum weft_status weft_kernel_names(const char *text, const char *origin,
                                            const char ***names, size_t *count,
                                            struct weft_error **error);

/* Inputs by position: declared ones first, then by first appearance. Static for the program's life;
 * NULL outside the range. */
WEFT_API size_t weft_program_input_count(const struct weft_program *program);
WEFT_API const char *weft_program_input_name(const struct weft_program *program, size_t index);
WEFT_API size_t weft_program_result_count(const struct weft_program *program);
WEFT_API const char *weft_program_result_name(const struct weft_program *program, size_t index);
/* The names that the text binds, results or not, in order. As above; NULL behind the last one. */
WEFT_API const char *weft_program_binding_name(const struct weft_program *program, size_t index);

struct weft_input_info {
    const char *name;
    enum weft_dtype dtype;         /* declared or specified; WEFT_DTYPE_COUNT: neither */
    struct weft_span span;         /* where the text declares it, else where it uses it first */
};

/* False outside the range. */
WEFT_API bool weft_program_input(const struct weft_program *program, size_t index,
                                 struct weft_input_info *info);

/* The type of each result as far as the inputs' types and values tell it, in the language's words:
 * "uint8[h, ?, 3]@HWC", without brackets where not even the rank is known, and "?" where not all inputs have a
 * type. An extent that differs from sample to sample is not known. The array is one allocation, released by
 * weft_free. */
WEFT_API enum weft_status weft_program_result_types(struct weft_program *program, const char ***types,
                                                    struct weft_error **error);

/* The text of a stage: tokens, ast, types, groups, ir, c, asm, cuda, ptx, sass. Types and extents are those
 * given to weft_compile; a stage that needs one that is missing is an error that names it. "asm" runs the C
 * compiler, "ptx" and "sass" NVRTC, "sass" the toolkit's cuobjdump or nvdisasm as well; all three of CUDA
 * are for weft_context_params.arch and need no GPU. WEFT_UNSUPPORTED where such a tool is missing.
 * `*text` is released by weft_free. */
WEFT_API enum weft_status weft_program_stage(struct weft_program *program, const char *stage,
                                             char **text, struct weft_error **error);
WEFT_API void weft_free(void *memory);

/* What NVRTC makes of the CUDA text of a kernel, strict and without line information: machine code for an
 * architecture, "sm_90", or PTX for such GPUs and later ones, "compute_90", which ends with a NUL that counts.
 * No GPU is needed. `weft build --target cuda` puts it into C sources. WEFT_UNSUPPORTED: there is no NVRTC;
 * WEFT_INVALID_ARGUMENT: it does not know the architecture, and the message lists those that it knows.
 * `*code` is released by weft_free. */
WEFT_API enum weft_status weft_cuda_code(struct weft_context *context, const char *text, const char *arch,
                                         void **code, size_t *size, struct weft_error **error);

/* ---- ahead of time ---- */

/* Instruction sets of x86-64 that a source may be compiled for besides the compiler's own choice; the best that
 * the processor has is chosen at run time. */
enum weft_level { WEFT_X86_64_V2 = 1, WEFT_X86_64_V3 = 2, WEFT_X86_64_V4 = 4 };

struct weft_build_params {
    /* What diagnostics call the text, NULL: "<expr>"; and what comments call it, NULL: the same. */
    const char *origin, *file;
    /* The name of one pair of files for all kernels; NULL: a pair for each. */
    const char *bundle;
    /* C (or AUTO): a set of enum weft_level, and whether large work takes OpenMP's threads. */
    unsigned levels;
    bool openmp;
    enum weft_target target;
    /* CUDA: the architectures that there is machine code for, "sm_90"; none: sm_80, sm_90 and sm_100. */
    const char *const *archs;
    size_t arch_count;
    /* Files without their texts: nothing is compiled. */
    bool names_only;
};

struct weft_file {
    const char *name, *text;       /* an empty text where only names are wanted */
};

/* The kernels of a text as C headers and sources that depend on the C library alone, as `weft build` writes
 * them: in the order of the kernels, a header and then its source. The same text and `params` give the same files;
 * those for CUDA hold what NVRTC makes of them, and only they need a context. `*error` receives warnings
 * as well, also beside WEFT_OK. `*files` is one allocation, released by weft_free. */
WEFT_API enum weft_status weft_build(struct weft_context *context, const char *text,
                                     const struct weft_build_params *params, struct weft_file **files,
                                     size_t *count, struct weft_error **error);

/* ---- running ---- */

/* An input or an output. By name, or by position where name is NULL. `tensors` holds `count`
 * samples of a batch when `batch` is set, of one dtype and one rank, else one tensor (count 0 means 1).
 * All batches of a call have the same count; of a batch without samples `tensors` may be NULL, and the
 * dtype is the declared one. Extents and strides are in elements as DLPack has them; strides NULL: dense,
 * row-major. */
struct weft_argument {
    const char *name;
    const DLTensor *tensors;
    int64_t count;
    bool batch;
};

/* What a result is: shape[0 .. rank). `name` is static for the program's life. A result that depends on
 * a batch is a batch: `shape` is then its first sample's; where it has none the declared extents, 0
 * where they are not known, and rank 0 where not even the rank is. `layout` follows from those of the
 * inputs' types (docs/language.md, 6.4 and 7.4); "" when there is none. */
struct weft_tensor_info {
    const char *name;
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    char layout[WEFT_MAX_RANK + 1];
    bool batch;
    int64_t count;                 /* samples; 1 for a tensor */
};

/* Results for inputs of these dtypes and shapes; data pointers are not read and may be NULL, but for
 * inputs whose elements a view takes as numbers (reshape(x, s)), here as in weft_prepare. All samples
 * of batches are looked at. `results` has room for weft_program_result_count entries. */
WEFT_API enum weft_status weft_infer(struct weft_program *program,
                                     const struct weft_argument *inputs, size_t input_count,
                                     struct weft_tensor_info *results, struct weft_error **error);
/* The extents of every sample of one result, by its position: extents[count][rank], with the count and
 * rank that weft_infer says for it. */
WEFT_API enum weft_status weft_infer_samples(struct weft_program *program,
                                             const struct weft_argument *inputs, size_t input_count,
                                             size_t result, int64_t *extents,
                                             struct weft_error **error);

/* FROM_DISK: from the disk cache, also when another process has just put it there. */
enum weft_kernel_origin {
    WEFT_FROM_MEMORY,
    WEFT_FROM_DISK,
    WEFT_FROM_COMPILER,            /* the machine's, or NVRTC */
    WEFT_FROM_FIRST                /* libtcc, and no better kernel is to come */
};

/* Where one kernel came from, how long getting it took, and how many threads a run of it uses while no
 * other run does: 0 where it runs on a GPU. */
struct weft_kernel_info {
    enum weft_kernel_origin origin;
    double seconds;
    int threads;
    double first_seconds;          /* libtcc's kernel, which ran until this one came; 0: there was none */
};

struct weft_run_params {
    const struct weft_argument *inputs;
    size_t input_count;
    const struct weft_argument *outputs;
    size_t output_count;
    /* The cudaStream_t that a run on a GPU takes its place on; it belongs to the GPU of the operands. NULL:
     * the legacy default stream. Nothing for a run on the host. */
    void *stream;
};

/* Makes the kernels for these inputs now, the good ones, so that weft_run does not wait for a compiler
 * and does not begin with slower ones. Data pointers are not read, but as in weft_infer; outputs may be
 * absent (dense ones, where the inputs are, are assumed). Kernels are made for the GPU that the tensors'
 * devices name, if any, and loaded on it; nothing is put on the stream. `kernels` may be NULL, else it has
 * room for *kernel_count entries; *kernel_count becomes the number there are: at least one for each shape
 * of results, and those that compute temporaries and tables for them, which come first. With batches each
 * kernel is told once, whichever samples it is for. */
WEFT_API enum weft_status weft_prepare(struct weft_program *program,
                                       const struct weft_run_params *params,
                                       struct weft_kernel_info *kernels, size_t *kernel_count,
                                       struct weft_error **error);

/* Computes every result into its output. All inputs and all outputs must be given; an output has
 * the result's dtype and shape, any strides that do not make it overlap itself. It is a batch, of as many
 * samples, where the result depends on one. An output may be the very buffer of an input (same address,
 * element size, shape and strides), of a batch sample by sample; any other overlap, of whichever samples,
 * is WEFT_OVERLAP_ERROR before anything is written. Returns WEFT_DIVIDE_BY_ZERO, with the place of the
 * first such operator in the text, when an integer division met a zero.
 *
 * Device data: the GPU is that of the device operands, all on one, else the call is WEFT_INPUT_ERROR, and
 * so it is where outputs are host data beside device operands. The run is put on `stream` and the call
 * returns: nothing is synchronized, remarks come from weft_context_status. `params` and what it points at
 * are the caller's again at once, device data when the stream has got there. Host inputs beside device ones
 * are copied to the GPU in the order of the stream: what is kDLCPU is read during the call, what is
 * kDLCUDAHost when the stream gets there. A 1-D input that a view takes as numbers is read during the call
 * and has to be host data.
 * Host data alone, with WEFT_TARGET_CUDA: copied to the first GPU and back, on streams of Weft's own; the
 * call returns when the outputs are complete, with their remark. Samples of batches, and parts of large tensors
 * where the program has no views and results of one shape, are on their way at once, and the GPU has to hold but a
 * few of them.
 * The first run with kernels that are not there yet makes and loads them, which takes its time and, in the
 * driver, may synchronize. After weft_prepare with the same shapes, dtypes and devices a run of device
 * tensors allocates and waits for nothing outside the stream and can be captured into a CUDA graph. The
 * graph holds the addresses of that run, and the values of inputs that are kDLCPU; the context, but not the program,
 * lives as long as it is launched.
 * WEFT_UNSUPPORTED: there is no driver, no GPU or no NVRTC, and the message says how to get it.
 * WEFT_OUT_OF_MEMORY: also of the GPU, and the message says how many bytes were wanted.
 * WEFT_DEVICE_ERROR: the driver refused a call; what a kernel does wrong on the GPU only later calls tell.
 * WEFT_INVALID_ARGUMENT: `stream` is another GPU's.
 * On a GPU the first parts of the outputs may have been written when the memory for a further one is missing or the
 * driver refuses a later call: after these two errors outputs hold nothing of use. */
WEFT_API enum weft_status weft_run(struct weft_program *program,
                                   const struct weft_run_params *params,
                                   struct weft_error **error);

/* ---- views ---- */

/* The elements of a tensor, in their order, under another shape (docs/language.md, section 7); nothing is
 * copied. The rules are those of reshape, squeeze, expand_dims and reinterpret in a text. */

/* What such a call fills. The data, their device and byte_offset are the viewed tensor's, whose owner
 * keeps them; `tensor.shape` and `tensor.strides` point into this struct, which is the caller's and must
 * neither be copied nor moved while they are used. Nothing has to be released. */
struct weft_view {
    DLTensor tensor;
    int64_t shape[WEFT_MAX_RANK];
    int64_t strides[WEFT_MAX_RANK];
    char layout[WEFT_MAX_RANK + 1]; /* "": none */
};

/* A pointer that is NULL is an argument that is not given; one that is not, with count 0, is an empty
 * list: shape [] is 0-D. */
struct weft_reshape_params {
    const int64_t *shape;          /* one negative extent takes what is left */
    int shape_count;
    const double *rel_shape;       /* factors of the extents that src_dims picks, else of those in the
                                      same place; not beside shape */
    int rel_shape_count;
    const int64_t *src_dims;       /* -1 inserts an extent of 1; not beside shape */
    int src_dims_count;
    const char *layout;            /* of the view; NULL: the tensor's where it has as many letters as the
                                      view has dimensions */
};

/* `tensor` may lie on any device and have any strides; where its elements do not lie as the view wants
 * them in their order the call is WEFT_INPUT_ERROR. `layout` is the tensor's, NULL for none. `view` is set
 * only on success. */
WEFT_API enum weft_status weft_reshape(const DLTensor *tensor, const char *layout,
                                       const struct weft_reshape_params *params,
                                       struct weft_view *view, struct weft_error **error);
/* Drops dimensions of extent 1; a negative axis counts from the end. */
WEFT_API enum weft_status weft_squeeze(const DLTensor *tensor, const char *layout, const int64_t *axes,
                                       int axis_count, struct weft_view *view,
                                       struct weft_error **error);
/* Inserts extents of 1 at these positions of the view, which has no layout. */
WEFT_API enum weft_status weft_expand_dims(const DLTensor *tensor, const int64_t *axes, int axis_count,
                                           struct weft_view *view, struct weft_error **error);
/* The same bytes as another type. `shape` NULL: the innermost extent changes with the size of an
 * element. */
WEFT_API enum weft_status weft_reinterpret(const DLTensor *tensor, const char *layout,
                                           enum weft_dtype dtype, const int64_t *shape, int shape_count,
                                           struct weft_view *view, struct weft_error **error);

/* ---- the disk cache ---- */

/* `cache` is a word as in weft_context_params.cache. Where there is no directory there are no entries;
 * WEFT_CACHE_ERROR when it is one that a context would not use. Safe beside any number of processes
 * that use the directory. */

/* The directory that a context would use, made or not, "" for none. Released by weft_free. */
WEFT_API enum weft_status weft_cache_path(const char *cache, char **path, struct weft_error **error);

struct weft_cache_entry {
    const char *path;              /* of the file */
    const char *key;               /* 32 hexadecimal digits */
    uint64_t size;                 /* of the file, in bytes */
    int64_t used;                  /* last use, to the minute, in seconds since 1970 */
    const char *compiler;          /* the first line of its --version; "" when not known */
    const char *problem;           /* NULL: sound; else what is wrong, in words */
};

/* Reads and checks every entry and shows it to `visit`, in no order; all pointers are the call's.
 * Nothing is changed: a context replaces a damaged entry when it wants the kernel. */
WEFT_API enum weft_status weft_cache_list(const char *cache,
                                          void (*visit)(void *user,
                                                        const struct weft_cache_entry *entry),
                                          void *user, struct weft_error **error);

/* What was removed. */
struct weft_cache_removed {
    size_t files;
    uint64_t bytes;
    size_t kept;                   /* files that could not be removed: WEFT_CACHE_ERROR */
    int problem;                   /* why, an errno; 0 when there is none */
};

/* Removes what processes that died left behind and, when the entries take more than `cap` bytes, those
 * used longest ago until they do not. cap UINT64_MAX: the environment's WEFT_CACHE_SIZE (bytes, or
 * with K, M, G or T behind), else 256M, which contexts keep to as well. `removed` may be NULL. */
WEFT_API enum weft_status weft_cache_prune(const char *cache, uint64_t cap,
                                           struct weft_cache_removed *removed,
                                           struct weft_error **error);
/* Removes every entry and what belongs to them, and no file that is not Weft's. */
WEFT_API enum weft_status weft_cache_clear(const char *cache, struct weft_cache_removed *removed,
                                           struct weft_error **error);

#ifdef __cplusplus
}
#endif

#endif
