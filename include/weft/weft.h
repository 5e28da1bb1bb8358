/* Weft: array expressions compiled to fused kernels.
 *
 * Compile a text once, ask for the dtypes and shapes of its results, and run it on your own buffers:
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
 * A batch is one argument with many samples, whose shapes may differ. A tensor beside it, here gain, is used with
 * each sample. weft_infer says which results are batches, and weft_infer_samples what shapes their samples have:
 *
 *     DLTensor pictures[256], outs[256];
 *     weft_run(program, &(struct weft_run_params){
 *         .inputs = (struct weft_argument[]){{"img", pictures, 256, true}, {"gain", &gain}},
 *         .input_count = 2,
 *         .outputs = (struct weft_argument[]){{NULL, outs, 256, true}}, .output_count = 1}, &error);
 *
 * On a GPU the same call takes device tensors and a stream, and returns at once:
 *
 *     weft_run(program, &(struct weft_run_params){.inputs = ..., .stream = stream}, &error);
 *     cudaStreamSynchronize(stream);
 *     weft_context_status(context, stream, &error);
 *
 * Status: every function that can fail returns an enum weft_status. 0 is success. Positive values are remarks:
 * the result is complete. Negative values are errors: no output was touched, unless stated otherwise.
 *
 * Errors: if the last parameter is not NULL, it receives a list owned by the caller (weft_error_destroy), or NULL
 * if there is nothing to report.
 *
 * Data: kDLCPU and kDLCUDAHost are host data, kDLCUDA and kDLCUDAManaged are device data. No other device can be
 * used. If an operand is device data, the program runs on that GPU; see weft_run.
 *
 * Threads: a context and its programs may be used from any number of threads at once, also with several GPUs. An
 * object is created and destroyed by one thread, and destroyed only after all others have finished with it. A
 * call leaves the thread's current CUDA context as it was.
 *
 * Fork: a child may use what it inherited if no other thread was inside a call with it at the fork. Otherwise it
 * must make its own. In a child runs use the calling thread alone, except for contexts made after the fork. CUDA
 * does not survive a fork: if the parent had used a GPU, a run on one is WEFT_DEVICE_ERROR in the child.
 *
 * Ownership: whatever a create or compile function returns is released by its destroy function. If it fails, it
 * sets NULL. Tensors always belong to the caller.
 *
 * Processes: the C compiler is a child of this process, in a process group of its own, and may run while no call
 * is in progress. The host receives SIGCHLD for it, and wait() may return it, so a host should wait for its own
 * children by number.
 *
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
    WEFT_DIVIDE_BY_ZERO = 1,       /* an integer // % truncdiv fmod divided by 0; such elements are 0 */
    WEFT_OUT_OF_RANGE = 2,         /* a position of take lies outside; such elements are 0 */
    /* Errors. */
    WEFT_INVALID_ARGUMENT = -1,    /* the call itself is wrong: a NULL pointer, an unknown stage */
    WEFT_OUT_OF_MEMORY = -2,
    WEFT_SYNTAX_ERROR = -3,        /* the text does not parse */
    WEFT_NAME_ERROR = -4,          /* an unknown, repeated or missing name */
    WEFT_TYPE_ERROR = -5,          /* a rule for dtypes is broken */
    WEFT_SHAPE_ERROR = -6,         /* shapes that do not broadcast or fit a view or declaration; layouts that clash */
    WEFT_INPUT_ERROR = -7,         /* a tensor that cannot be used: device, dtype, alignment, NULL */
    WEFT_OVERLAP_ERROR = -8,       /* an output overlaps an input or another output; see weft_run */
    WEFT_LIMIT_ERROR = -9,         /* a documented limit is exceeded */
    WEFT_COMPILER_ERROR = -10,     /* the machine's C compiler is missing, failed or was killed */
    WEFT_UNSUPPORTED = -11,        /* this build or machine lacks a feature */
    WEFT_INTERNAL_ERROR = -12,     /* a defect of Weft; the message asks for a report */
    WEFT_CACHE_ERROR = -13,        /* the disk cache cannot be read; from weft_cache_ functions only */
    WEFT_DEVICE_ERROR = -14        /* the GPU or its driver failed a call, or its context is lost */
};

/* The element types, each with its DLPack dtype. A bool is one byte, 0 or 1. DLPack's type code for it is 6, also
 * where the installed dlpack.h is too old to name it. An element of float16 (DLPack's kDLFloat of 16 bits) or
 * bfloat16 (kDLBfloat, 4) is the 16 bits of its format. */
enum weft_dtype {
    WEFT_BOOL, WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64,
    WEFT_UINT8, WEFT_UINT16, WEFT_UINT32, WEFT_UINT64,
    WEFT_FLOAT16, WEFT_BFLOAT16, WEFT_FLOAT32, WEFT_FLOAT64,
    WEFT_DTYPE_COUNT
};

/* The size of an element in bytes; 0 for a value outside the enumeration. */
WEFT_API size_t weft_dtype_size(enum weft_dtype dtype);
/* The name in the language, as "uint8", in static storage; NULL for a value outside the enumeration. */
WEFT_API const char *weft_dtype_name(enum weft_dtype dtype);
/* The dtype that the first `length` bytes of `text` name in the language, as "uint8" or "u8";
 * WEFT_DTYPE_COUNT: none. */
WEFT_API enum weft_dtype weft_dtype_from_name(const char *text, size_t length);
/* The DLPack dtype, with one lane; all zero for a value outside the enumeration. */
WEFT_API DLDataType weft_dtype_to_dlpack(enum weft_dtype dtype);
/* Sets *dtype, which must not be NULL. WEFT_UNSUPPORTED: Weft has no such dtype (other codes or widths, several
 * lanes). */
WEFT_API enum weft_status weft_dtype_from_dlpack(DLDataType type, enum weft_dtype *dtype);

/* ---- errors ---- */

enum weft_severity { WEFT_ERROR, WEFT_WARNING, WEFT_NOTE };

/* A half-open range of bytes in the text that an error is about. */
struct weft_span {
    size_t start, end;
};

/* One diagnostic. `code` is stable (it prints as W0042). spans[0] is the place itself, the others are operands.
 * `line` and `column` are those of spans[0].start and count from 1; the column counts characters. If there is no
 * text to point at, span_count and line are 0. `input` is the input whose given type or value the error is about;
 * spans are then places in the text of that type. All pointers belong to the error. */
struct weft_error {
    enum weft_status status;
    enum weft_severity severity;
    int code;
    int span_count;
    struct weft_span spans[3];
    size_t line, column;
    const char *origin;            /* a file's name, "<expr>" or "<args>" */
    const char *source;            /* the line of text that the spans are in; NULL: none */
    size_t source_start;           /* byte offset of `source` in the whole text */
    const char *message;
    const char *input;             /* NULL: none */
    struct weft_error *next;
};

/* Formats one diagnostic, which must not be NULL. If it has a place, the line of text and carets below it are
 * included:
 *     <expr>:1:3: error[W0042]: cannot broadcast ...
 * Writes at most `size` bytes, the final NUL included, and returns the length of the whole text, as snprintf
 * does. `buffer` may be NULL if size is 0. The text ends with a newline. */
WEFT_API size_t weft_error_render(const struct weft_error *error, char *buffer, size_t size);
/* Releases the whole list. Takes NULL. */
WEFT_API void weft_error_destroy(struct weft_error *error);

/* The name that was probably meant by `name`, for messages such as "did you mean ...": the nearest of `count`
 * names; or the nearest dtype, or the dtype that has this name in other languages. The result is one of `names`,
 * or static. NULL: nothing is near. */
WEFT_API const char *weft_nearest_name(const char *name, const char *const *names, size_t count);
WEFT_API const char *weft_nearest_dtype(const char *name);
/* What to write for a function of another language, "write mean(x)" of "average". NULL: not known. Static. */
WEFT_API const char *weft_function_advice(const char *name);
/* What the name of an input in this text may be meant as, for messages where there is no value for it: "if 'x' is a
 * dimension, write max(u, axes=x)", or a label, or a constant of other languages. Release it with weft_free. NULL:
 * nothing else is known, or memory ran out. */
WEFT_API char *weft_name_advice(const char *text, const char *name);

/* ---- contexts ---- */

/* Whether a call may run a first kernel while the C compiler is still at work. First kernels need the module
 * around libtcc. They take about a millisecond to make and are many times slower than good kernels, which the C
 * compiler makes in the background and which then replace them. If there is no C compiler, libtcc makes all
 * kernels. */
enum weft_tier {
    WEFT_TIER_EXACT,               /* if both kernels have the same bits: all rows are exact, math is strict, and
                                    * there are no further flags; otherwise the call waits */
    WEFT_TIER_FAST,                /* always: bits may change, within each row's bound, when the good kernel takes
                                    * over */
    WEFT_TIER_NONE                 /* never: every call waits for the C compiler */
};

/* Where programs run. */
enum weft_target {
    WEFT_TARGET_AUTO,              /* on the GPU for device data, in C on the host otherwise */
    WEFT_TARGET_C,                 /* in C; device data are an error */
    WEFT_TARGET_CUDA               /* on a GPU; host data are copied there and back, see weft_run */
};

struct weft_context_params {
    /* The C compiler: a path, or a name that is looked up in PATH. NULL: the environment's WEFT_CC, else cc.
     * "libtcc": no compiler is started, and all kernels come from the module around libtcc. */
    const char *cc;
    /* Further flags for the compiler, after Weft's own; NULL-terminated. NULL: the words of the environment's
     * WEFT_CFLAGS, separated by white space, else none. The compiler starts in a directory of its own, so paths in
     * flags are absolute. */
    const char *const *cflags;
    /* Receives warnings and notes (errors are returned instead), on the thread that made the call. What goes
     * wrong in the background is passed on by a later call, at the latest by weft_context_destroy. The record
     * lives until the callback returns. NULL: they are dropped. */
    void (*log)(void *user, const struct weft_error *record);
    void *user;
    /* Fast paths to turn off, as words separated by commas, for finding out whether one of them is at fault.
     * docs/debugging.md has the words, and says which target has which. Results stay the same to the bit. NULL: the
     * environment's WEFT_DISABLE, else none. */
    const char *disable;
    /* The directory that keeps kernels for later processes. It is created with mode 0700, and is not used if it
     * is another user's or a symbolic link. "": none. NULL: the environment's WEFT_CACHE, else weft in
     * XDG_CACHE_HOME, else ~/.cache/weft. Problems with it cost time but never a result; the log is told once. */
    const char *cache;
    /* How many threads a run may use, the calling one included; small runs use fewer. 0: the environment's
     * OMP_NUM_THREADS, else the number of processors that the calling thread may use. The library's threads block
     * all signals and sleep between runs. Concurrent runs share them. A run that finds all of them in use, for which
     * the system starts none, or that is called inside a parallel region of OpenMP, computes on its own thread.
     * While a run waits for a thread that has lost its processor to other work, the CPU affinity of that thread, which
     * may be the calling one, is narrowed for a moment. */
    int threads;
    /* The host's own threads, to be used instead; NULL: none. It must call task(data, i) once for
     * each i from 0 to count - 1, in any order and also concurrently, and return when all are done. `count` is at
     * most `threads` (0: the number of processors). `user` is `parallel_user`. Concurrent runs call it
     * concurrently. */
    void (*parallel_for)(void *user, int count, void (*task)(void *data, int index), void *data);
    void *parallel_user;
    /* What may run until the C compiler has finished. */
    enum weft_tier tier;
    /* Where programs run. AUTO: as the environment's WEFT_TARGET (auto, c or cuda) says, else where the data are.
     * The CUDA driver and NVRTC are not looked for before the first run on a GPU. */
    enum weft_target target;
    /* The architecture for which the stages ptx and sass are shown, such as "sm_90". NVRTC must know it; no such
     * GPU needs to be present. Runs always use the architecture of their GPU. NULL: that of the first GPU, else
     * sm_90. */
    const char *arch;
    /* A directory for looking into kernels; "": none. NULL: the environment's WEFT_KEEP, else none. Each kernel's
     * source and binary are kept there under the kernel's name, with line numbers for a debugger, and they are
     * what runs. So neither the cache nor first kernels are used, and programs with other names do not share
     * kernels. docs/debugging.md has examples. Cannot be combined with cc "libtcc". */
    const char *keep;
    /* The stages to show for each program that is compiled and each plan that is made: words of
     * weft_program_stage, separated by commas. They go to the log as notes or, with `keep`, to files in that
     * directory. NULL: the environment's WEFT_DEBUG, else none. */
    const char *debug;
};

struct weft_context;

/* Creates a context; `params` may be NULL for defaults. The C compiler is not started before the first kernel
 * needs it. Kernels stay loaded until the context is destroyed, so a server that sees ever new texts should make
 * a new context from time to time. On a GPU the context also keeps constants and tables of layouts, up to 256 MB,
 * beyond which each run copies them, and a few bytes for each integer division of a text on each stream.
 *
 * The environment is read now, and not later. WEFT_INVALID_ARGUMENT: `disable` or `debug` (or its variable) or
 * WEFT_TARGET contains an unknown word, WEFT_CACHE_SIZE is not a size, `arch` is not a name such as sm_90, or
 * nothing can be kept in `keep`. */
WEFT_API enum weft_status weft_context_create(const struct weft_context_params *params,
                                              struct weft_context **context,
                                              struct weft_error **error);
/* Unloads all kernels, also from GPUs, and ends the C compiler if it is still running. The context's programs
 * must have been destroyed. Waits until the GPUs that the context used have finished everything on their streams,
 * whoever put it there. A graph that captured a run must not be launched any more. No stream may be being
 * captured, because CUDA does not wait for such streams. Takes NULL. */
WEFT_API void weft_context_destroy(struct weft_context *context);

/* Kills the C compilers that the contexts of this process run, and removes their files: for hosts that are about to
 * end by a signal. Calls that wait for a compiler fail, and no further one is started. From a thread that waits for
 * signals (sigwait), not from a handler. */
WEFT_API void weft_cancel(void);

/* Reports what runs on this stream (a cudaStream_t; NULL: the legacy default stream) have remarked since the last call
 * for the stream. Call it after synchronizing the stream: this function does not wait, and what is not finished yet is
 * reported by a later call. WEFT_DIVIDE_BY_ZERO or WEFT_OUT_OF_RANGE, a remark: an integer division met a zero, or take
 * a position outside, also in a run that a CUDA graph replayed; *error has, for each program concerned, the place of
 * the first such operator in its text, and the first one's status is returned. WEFT_DEVICE_ERROR: the GPU's context is
 * lost, by whatever kernel; outputs since then are useless, and every further call will fail. WEFT_OK: neither, also if
 * the context never ran on a GPU. */
WEFT_API enum weft_status weft_context_status(struct weft_context *context, void *stream,
                                              struct weft_error **error);

/* ---- what the machine has ---- */

enum weft_finding_state {
    WEFT_FOUND,
    WEFT_ABSENT,                   /* not there, but programs run on the host without it */
    WEFT_BROKEN                    /* there or needed, but it does not work */
};

/* One thing that weft_doctor looked for. Texts are printable ASCII and newlines. */
struct weft_finding {
    const char *part;              /* such as "C compiler"; findings of a part come one after the other */
    const char *name;              /* such as "gcc" */
    enum weft_finding_state state;
    const char *text;              /* where it is and which version, or what is wrong */
    const char *advice;            /* what to do about it; NULL: nothing */
};

/* Looks for what Weft uses or could use: processors, memory, the temporary directory, C compilers, libmvec,
 * libtcc, the disk cache, NVRTC, the CUDA driver and its GPUs. Compiles, loads and runs a small kernel with each
 * C compiler, without the cache, which takes about a second. `params` are those of a context (NULL: defaults).
 * Calls `tell` on this thread for each finding, which lives until the callback returns. CUDA libraries stay
 * loaded. WEFT_OK: programs can run on the host. WEFT_COMPILER_ERROR: they cannot, and the findings say why. */
WEFT_API enum weft_status weft_doctor(const struct weft_context_params *params,
                                      void (*tell)(void *user, const struct weft_finding *finding),
                                      void *user);

/* ---- the language ---- */

/* A row of the language's tables. Texts are static. */
struct weft_operation {
    const char *names;             /* separated by spaces */
    const char *parameters;        /* likewise */
    const char *form;              /* of an operation "infix", "call", ...; or "conversion", "view", "reduction" */
    const char *signature;         /* of conversions, views and reductions, as "cast(x, dtype)"; else NULL */
    const char *rule, *type;       /* the rule for the result's type, and its meaning; NULL: none */
    int ulp32, ulp64;              /* bounds on the errors of float32 and float64; 0: exact; -1: not stated */
    const char *doc;               /* what it computes */
};

/* Fills in row `index`: operations first, then conversions, views and reductions. False outside the range. */
WEFT_API bool weft_operation_at(size_t index, struct weft_operation *operation);

/* Checks whether the text is a type in the language. The error's places are in the text. WEFT_UNSUPPORTED: it is
 * a type that Weft does not have yet. */
WEFT_API enum weft_status weft_check_type(const char *text, struct weft_error **error);

/* The value of a literal: dense, row-major, and aligned for every dtype. The rank is 0 for a single number or
 * bool. */
struct weft_literal {
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    void *data;
};

/* Reads a literal expression (a number, true, false or an array literal) and converts it to `dtype` as a cast
 * does; WEFT_DTYPE_COUNT: to the type that it has by itself. WEFT_SYNTAX_ERROR: it is no literal. *error, whose
 * spans are places in `text`, says why; it is NULL if `text` is another expression, such as a name. `*literal` is
 * one allocation; release it with weft_free. */
WEFT_API enum weft_status weft_read_literal(const char *text, enum weft_dtype dtype,
                                            struct weft_literal **literal, struct weft_error **error);

/* ---- programs ---- */

enum weft_math {
    WEFT_MATH_STRICT,              /* every node rounds once; nothing is contracted or reordered */
    WEFT_MATH_FAST                 /* may contract, reassociate and approximate up to 16 ulp */
};

/* Which types values have: those of NVIDIA's DALI, or NumPy 2's (docs/language.md, sections 3 and 14). */
enum weft_rules {
    WEFT_RULES_DALI,
    WEFT_RULES_NUMPY
};

struct weft_argument;

/* What the caller knows of an input besides its declaration. */
struct weft_input_type {
    const char *name;
    /* A type in the language: "uint8", "uint8[480, 640, 3]@HWC", "float32[h, ?]", or with named dimensions
     * "float32(b:b, x:s=4, vector:c=(u,v))"; such a type needs no dtype, "(x:s, y:s)", which then comes with the value
     * or the run. NULL: the dtype of the value. */
    const char *type;
    /* A value, so that its type and shape, or those of all samples of a batch, are checked against the others
     * now. Its name is not used, and a run may take other values. Of its data only numbers that views take are
     * read, for weft_program_stage, and only if the pointer is not NULL. NULL: none. */
    const struct weft_argument *value;
    /* Where the value, or each sample of a batch, comes from, for messages: "'photo.png'". NULL: not stated. */
    const char *const *origins;
};

struct weft_compile_params {
    /* The name of the text in diagnostics; NULL: "<expr>". */
    const char *origin;
    /* The kernel, if the text holds several; NULL: the only one. */
    const char *kernel;
    /* Types that are known now, for any of the inputs. The first run brings the others, and the text is checked
     * completely then. */
    const struct weft_input_type *inputs;
    size_t input_count;
    /* Bindings that are results, besides those that the text returns. */
    const char *const *results;
    size_t result_count;
    enum weft_math math;
    /* Unless the text begins with `rules NAME`, which decides; another value than WEFT_RULES_DALI beside it must be the
     * same. */
    enum weft_rules rules;
    /* Inputs that are given by name, here or to a later call, and that the text does not use are fine; otherwise
     * WEFT_NAME_ERROR. */
    bool ignore_unused;
    /* Whether the log is also told of x ^ 2 of integers, as the command tells. */
    bool advise;
};

struct weft_program;

/* Parses the text (NUL-terminated UTF-8; ASCII outside comments), resolves its names and, if all dtypes are
 * known, types it. `params` may be NULL. No kernel is compiled yet. The context must outlive the program. */
WEFT_API enum weft_status weft_compile(struct weft_context *context, const char *text,
                                       const struct weft_compile_params *params,
                                       struct weft_program **program, struct weft_error **error);
/* Gives `inputs` and `results` of weft_compile_params later, when the names are known; the rest of `params` is
 * not used. What was said before of the same input is replaced. The text is not parsed again, and weft_compile's
 * diagnostics are reported again. Only for one thread, and before the first weft_infer, weft_run and the like;
 * otherwise WEFT_INVALID_ARGUMENT. After any other error the program can only be destroyed. */
WEFT_API enum weft_status weft_program_specify(struct weft_program *program,
                                               const struct weft_compile_params *params,
                                               struct weft_error **error);
/* Destroys a program. Its work on streams is still completed, and graphs that captured its runs still work,
 * because kernels belong to the context. Takes NULL. */
WEFT_API void weft_program_destroy(struct weft_program *program);

/* The names of the kernels in a text, in order. `count` is 0 for a plain program. The array is one allocation;
 * release it with weft_free. */
WEFT_API enum weft_status weft_kernel_names(const char *text, const char *origin,
                                            const char ***names, size_t *count,
                                            struct weft_error **error);

/* Inputs and results by position. Declared inputs come first, the others in the order of their first use. Names
 * belong to the program; NULL outside the range. */
WEFT_API size_t weft_program_input_count(const struct weft_program *program);
WEFT_API const char *weft_program_input_name(const struct weft_program *program, size_t index);
WEFT_API size_t weft_program_result_count(const struct weft_program *program);
WEFT_API const char *weft_program_result_name(const struct weft_program *program, size_t index);
/* The names that the text binds, whether they are results or not, in order. They belong to the program; NULL
 * outside the range. */
WEFT_API const char *weft_program_binding_name(const struct weft_program *program, size_t index);

struct weft_input_info {
    const char *name;
    enum weft_dtype dtype;         /* declared or specified; WEFT_DTYPE_COUNT: neither, or it is a number */
    bool number;                   /* of type number: takes an int64, uint64, float64 or bool scalar in host memory */
    struct weft_span span;         /* where the text declares it, or else first uses it */
    bool shapes;                   /* a view takes its elements, so shapes depend on them */
    size_t alignment;              /* of the data, in bytes, for reinterpretations as larger elements, for which dense
                                    * data serve always; 0: that of its elements is enough */
};

/* Describes an input. False outside the range. */
WEFT_API bool weft_program_input(const struct weft_program *program, size_t index,
                                 struct weft_input_info *info);

/* The type of each result in the language, as far as it follows from the types and values of the inputs:
 * "uint8[h, ?, 3]@HWC", or "float32(b:b, x:s=4)" where dimensions have names, without brackets if not even the rank
 * is known, and "?" if some input has no type. An
 * extent that differs between samples is unknown. The array is one allocation; release it with weft_free. */
WEFT_API enum weft_status weft_program_result_types(struct weft_program *program, const char ***types,
                                                    struct weft_error **error);

/* The text of a stage: tokens, ast, types, schedule, groups, ir, c, asm, cuda, ptx, sass; or what a pass leaves:
 * shapes, reductions, lower, materialize, narrow, split, reduce; or html, a page with the program and its stages
 * side by side, linked piece by piece: a document in ASCII that loads nothing. c and cuda are what is the program's own
 * of a kernel, c-full and cuda-full all of it, c-compiled and cuda-compiled what compilers get, in which names are
 * numbers. Types and extents are those given to weft_compile or weft_program_specify; if a stage needs more, the error
 * says what is missing. "asm" runs the C compiler, and so does "html", if there is one; "ptx" and "sass" run NVRTC, and
 * "sass" also the toolkit's nvdisasm or cuobjdump. ptx and sass are for weft_context_params.arch and need no GPU.
 * WEFT_UNSUPPORTED: such a tool is missing. Release *text with weft_free. */
WEFT_API enum weft_status weft_program_stage(struct weft_program *program, const char *stage,
                                             char **text, struct weft_error **error);
/* Releases memory that a function of this header says weft_free releases. Takes NULL. */
WEFT_API void weft_free(void *memory);

/* What NVRTC makes of the CUDA text of a kernel, with strict math and without line information: machine code for
 * an architecture, "sm_90", or PTX for such GPUs and later ones, "compute_90", whose final NUL counts. No GPU is
 * needed. `weft build --target cuda` puts it into C sources. WEFT_UNSUPPORTED: there is no NVRTC.
 * WEFT_INVALID_ARGUMENT: it does not know the architecture, and the message lists those that it knows. Release
 * *code with weft_free. */
WEFT_API enum weft_status weft_cuda_code(struct weft_context *context, const char *text, const char *arch,
                                         void **code, size_t *size, struct weft_error **error);

/* ---- ahead of time ---- */

/* Instruction sets of x86-64 for which a source may be compiled in addition to the compiler's own choice. The
 * best one that the processor has is chosen at run time. */
enum weft_level { WEFT_X86_64_V2 = 1, WEFT_X86_64_V3 = 2, WEFT_X86_64_V4 = 4 };

/* Functions of a kernel: on dense arrays; on any strides; on many samples; the results' extents. */
enum weft_entry { WEFT_ENTRY_DENSE = 1, WEFT_ENTRY_STRIDED = 2, WEFT_ENTRY_BATCH = 4, WEFT_ENTRY_SHAPE = 8 };

/* The files that all kernels in C share: beside those of kernels; not made; made alone, of no text. */
enum weft_support { WEFT_SUPPORT_BESIDE, WEFT_SUPPORT_NONE, WEFT_SUPPORT_ONLY };

struct weft_build_params {
    /* The name of the text in diagnostics, NULL: "<expr>"; and in comments, NULL: the same. */
    const char *origin, *file;
    /* The name of one pair of files for all kernels; NULL: one pair for each kernel. */
    const char *bundle;
    /* For C (or AUTO): a set of enum weft_level, and whether large work uses OpenMP's threads. */
    unsigned levels;
    bool openmp;
    enum weft_target target;
    /* For CUDA: the architectures to make machine code for, such as "sm_90"; none: sm_80, sm_90 and sm_100. */
    const char *const *archs;
    size_t arch_count;
    /* Names of files only: the texts are empty, and NVRTC is not called. */
    bool names_only;
    /* For C: whether weft_support.h and weft_support.c, which all kernels share, are among the files. */
    enum weft_support support;
    /* For C: a set of enum weft_entry, which are made; 0: all. */
    unsigned entries;
};

struct weft_file {
    const char *name, *text;       /* the text is empty with names_only */
};

/* The kernels of a text as C headers and sources that depend on the C library alone, as `weft build` writes them:
 * for each kernel, in order, a header and then its source; then, for C, weft_support.h and weft_support.c, which depend
 * on the version of Weft alone. The same text and `params` give the same files. Those for CUDA contain what NVRTC makes
 * of them, and only they need a context. *error receives warnings, too, also with WEFT_OK. *files is one allocation;
 * release it with weft_free. */
WEFT_API enum weft_status weft_build(struct weft_context *context, const char *text,
                                     const struct weft_build_params *params, struct weft_file **files,
                                     size_t *count, struct weft_error **error);

/* ---- running ---- */

/* An input or an output, by name, or by position if name is NULL. If `batch` is set, `tensors` holds `count`
 * samples of one dtype and one rank; otherwise one tensor (count 0 means 1). All batches of a call have the same
 * count. For a batch without samples `tensors` may be NULL, and its dtype is the declared one. Extents and
 * strides are in elements, as in DLPack; strides NULL: dense, row-major. */
struct weft_argument {
    const char *name;
    const DLTensor *tensors;
    int64_t count;
    bool batch;
};

/* What a result is: its shape is shape[0 .. rank). `name` belongs to the program. A result that depends on a
 * batch is a batch, and `shape` is that of its first sample. If there is no sample it is the declared shape: 0
 * for extents that are not known, and rank 0 if not even the rank is. `layout` follows from the layouts of the
 * inputs' types (docs/language.md, 6.4 and 7.4); "" if there is none. */
struct weft_tensor_info {
    const char *name;
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    char layout[WEFT_MAX_RANK + 1];
    bool batch;
    int64_t count;                 /* samples; 1 for a tensor */
    bool truth;                    /* its elements are 0 and 1 alone: a bool that was cast, as in uint8(x > 1) */
};

/* Describes the results for inputs of these dtypes and shapes, for all samples of batches. Data pointers are not
 * read and may be NULL, except for inputs whose elements a view takes as numbers (reshape(x, s)); the same holds
 * for weft_prepare. `results` must have room for weft_program_result_count entries. */
WEFT_API enum weft_status weft_infer(struct weft_program *program,
                                     const struct weft_argument *inputs, size_t input_count,
                                     struct weft_tensor_info *results, struct weft_error **error);
/* The extents of every sample of one result, given by its position: extents[count][rank], with the count and rank
 * that weft_infer reports for it. */
WEFT_API enum weft_status weft_infer_samples(struct weft_program *program,
                                             const struct weft_argument *inputs, size_t input_count,
                                             size_t result, int64_t *extents,
                                             struct weft_error **error);

/* FROM_DISK: the disk cache, also if another process has just put the kernel there. */
enum weft_kernel_origin {
    WEFT_FROM_MEMORY,
    WEFT_FROM_DISK,
    WEFT_FROM_COMPILER,            /* the machine's, or NVRTC */
    WEFT_FROM_FIRST                /* libtcc, and no better kernel will follow */
};

/* Where one kernel came from, how long that took, and how many threads a run uses for it if there is no other
 * run; 0 threads on a GPU. */
struct weft_kernel_info {
    enum weft_kernel_origin origin;
    double seconds;
    int threads;
    double first_seconds;          /* for libtcc's kernel, which ran until this one came; 0: there was none */
};

struct weft_run_params {
    const struct weft_argument *inputs;
    size_t input_count;
    const struct weft_argument *outputs;
    size_t output_count;
    /* The cudaStream_t on which a run on a GPU is placed; it must belong to the GPU of the operands. NULL: the
     * legacy default stream. Ignored by runs on the host. */
    void *stream;
    /* The number of the first sample of batches, where a call has a part of one: the numbers of samples are a part of
     * what `random` draws (docs/language.md, 12.2). Nothing else depends on it. */
    int64_t first_sample;
};

/* Makes the good kernels for these inputs now, so that weft_run neither waits for a compiler nor begins with
 * slower kernels. Data pointers are not read, except as for weft_infer. Outputs may be absent; they are then
 * assumed to be dense, and to lie where the inputs do. If the tensors' devices name a GPU, kernels are made for
 * it and loaded on it; nothing is put on the stream. If `kernels` is not NULL, it has room for *kernel_count
 * entries. *kernel_count becomes the number of kernels: at least one for each shape of results, and before them
 * those that compute temporaries and tables. With batches each kernel is listed once. */
WEFT_API enum weft_status weft_prepare(struct weft_program *program,
                                       const struct weft_run_params *params,
                                       struct weft_kernel_info *kernels, size_t *kernel_count,
                                       struct weft_error **error);

/* Computes every result into its output. All inputs and all outputs must be given. An output has the result's
 * dtype and shape, and any strides under which it does not overlap itself. If the result depends on a batch, its
 * output is a batch with as many samples. An output may be the very buffer of an input (same address, element
 * size, shape and strides), for a batch sample by sample. Any other overlap, of whichever samples, is
 * WEFT_OVERLAP_ERROR before anything is written. Returns WEFT_DIVIDE_BY_ZERO if an integer division met a
 * zero, WEFT_OUT_OF_RANGE if take met a position outside; of several the first in the text, with its place.
 *
 * Device data: the run is on the GPU of the device operands. They must all be on one GPU, and no output may be
 * host data; otherwise WEFT_INPUT_ERROR. The run is put on `stream` and the call returns without synchronizing.
 * Remarks come from weft_context_status. `params` and what it points to may be changed at once, device data only
 * when the stream has passed the run. Host inputs are copied to the GPU in the order of the stream: kDLCPU is
 * read during the call, kDLCUDAHost when the stream gets there. An input that a view takes as numbers is read
 * during the call and must be host data.
 *
 * Host data alone, with WEFT_TARGET_CUDA: they are copied to the first GPU and back, on streams of Weft's own.
 * The call returns when the outputs are complete, with their remark. While some samples of a batch are computed,
 * others are copied, so the GPU needs memory for only a few of them. The same holds for parts of large tensors if
 * the program has no views and no reductions and its results have one shape.
 *
 * The first run with new kernels makes and loads them, which takes time and may synchronize in the driver. After
 * weft_prepare with the same shapes, dtypes and devices, a run of device tensors allocates nothing and waits for
 * nothing outside the stream, and can be captured into a CUDA graph. The graph holds the addresses of that run,
 * and the values of kDLCPU inputs. The context, but not the program, must live as long as the graph is launched.
 *
 * WEFT_UNSUPPORTED: there is no driver, no GPU or no NVRTC; the message says how to get it. WEFT_OUT_OF_MEMORY:
 * host or GPU; for a GPU the message says how many bytes were wanted. WEFT_DEVICE_ERROR: the driver refused a
 * call; what a kernel does wrong on the GPU is only reported by later calls. WEFT_INVALID_ARGUMENT: `stream`
 * belongs to another GPU. On a GPU some parts of the outputs may have been written when memory for another part
 * is missing, or the driver refuses a later call. After these two errors the outputs are useless. */
WEFT_API enum weft_status weft_run(struct weft_program *program,
                                   const struct weft_run_params *params,
                                   struct weft_error **error);

/* ---- in one call ---- */

/* A dense, row-major tensor in host memory, as inputs and outputs are given: shape[0 .. rank) in elements. Data and
 * shape stay the caller's and are not copied; data are written only where the tensor is an output. Rank 0 takes no
 * shape:
 *
 *     DLTensor x = weft_dense(values, WEFT_FLOAT32, 2, (int64_t[]){480, 640});
 *     DLTensor gain = weft_dense(&number, WEFT_FLOAT32, 0, NULL); */
WEFT_API DLTensor weft_dense(const void *data, enum weft_dtype dtype, int rank, const int64_t *shape);

/* Results that Weft allocated, by position: infos[i] says what result i is, items[i].tensors[0] is its tensor, and
 * items[i].tensors[0 .. items[i].count) are its samples if it is a batch. Tensors are dense, row-major, in host memory
 * and aligned to 64 bytes. `items` can be given to weft_run as its outputs. Everything belongs to the struct, names
 * included, and lives until weft_results_free; {0} has no results. */
struct weft_results {
    size_t count;
    struct weft_tensor_info *infos;
    struct weft_argument *items;
};

/* Allocates what weft_infer says that the results for these inputs are; elements are not set. On an error *results is
 * {0}. */
WEFT_API enum weft_status weft_results_alloc(struct weft_program *program,
                                             const struct weft_argument *inputs, size_t input_count,
                                             struct weft_results *results, struct weft_error **error);
/* Releases the results and leaves {0}. Takes NULL and {0}. */
WEFT_API void weft_results_free(struct weft_results *results);

/* Where a call ends with NULL, compilers warn if that is missing (-Wall). */
#if defined __GNUC__
#define WEFT_ENDS_WITH_NULL __attribute__((sentinel))
#else
#define WEFT_ENDS_WITH_NULL
#endif

/* Computes a text. The inputs are pairs of a name (const char *) and a tensor (const DLTensor *), then NULL, which the
 * macro below adds where it is forgotten:
 *
 *     struct weft_results r;
 *     weft_eval(context, "a * x + b", &r, &error, "a", &a, "x", &x, "b", &b, NULL);
 *     float *out = r.items[0].tensors[0].data;
 *
 * The results are allocated and belong to the caller (weft_results_free), also beside a remark; on an error they are
 * {0}. The context keeps the programs of the 256 texts that were used last, so a text is compiled once. Inputs lie in
 * host memory. With WEFT_TARGET_CUDA they are copied to the GPU and back. Thread safety, statuses and errors are those
 * of weft_compile and weft_run; a name given twice or unknown to the text is WEFT_NAME_ERROR. WEFT_INVALID_ARGUMENT: a
 * tensor is NULL or lies on a GPU. */
WEFT_API enum weft_status weft_eval(struct weft_context *context, const char *text,
                                    struct weft_results *results, struct weft_error **error, ...)
    WEFT_ENDS_WITH_NULL;
#define weft_eval(...) weft_eval(__VA_ARGS__, (const char *)0)
/* The same with arguments, which may be batches, and with parameters, NULL: defaults. Inputs among the parameters have
 * types and no values. A text is compiled once for all calls with the same parameters. */
WEFT_API enum weft_status weft_eval_arguments(struct weft_context *context, const char *text,
                                              const struct weft_compile_params *params,
                                              const struct weft_argument *inputs, size_t input_count,
                                              struct weft_results *results, struct weft_error **error);

/* ---- looking at values ---- */

struct weft_trace_params {
    /* As in weft_run_params, in host memory. Of batches one sample is looked at. */
    const struct weft_argument *inputs;
    size_t input_count;
    /* A position in the results, one number for each dimension, negative ones from the end; NULL: none. At count 0 it
     * is the element of a result of rank 0. Of several results it is that of each in which it lies. */
    const int64_t *at;
    int at_count;
    int64_t sample;                /* the number of that sample, from 0 on */
    int64_t first_sample;          /* as in weft_run_params */
};

/* One value of a program: an expression of its text; what a call such as softmax(x) is made of, which has the text of
 * the call; or a result that a kernel's `->` converts. Numbers and array literals, as they stand in the text, are left
 * out, and so are further uses of a name, unless `at` asks for another element of it. A literal expression has its full
 * value, and the dtype that it has by itself. Numbers are texts, as the language writes them: "true", "-3", "0.1",
 * "inf", "nan"; "" where there is none. */
struct weft_traced {
    const char *name;              /* of the binding or the result that it is; "" if it is neither */
    const char *text;              /* the expression, as written */
    struct weft_span span;         /* its place, in bytes, */
    size_t line, column;           /* and from 1 on; the column counts characters */
    const char *rule;              /* how it is computed: "* in int32, operand 1 from uint8" */
    const char *type;              /* "uint8[480, 640, 3]@HWC" */
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    const char *smallest, *largest; /* of the elements that are not NaN; "" if there are none, or if the value is too
                                    * large for the machine's memory, as `rule` then says */
    double mean;                   /* of those that are finite; NaN if there are none. Of bools the share of true */
    int64_t nan_count, inf_count;
    /* The element from which the result at params->at is computed, through broadcasting, views, selections, joins and
     * positions of take and gather, and its position. NULL and "" where there is none, or there are many, as under a
     * reduction. */
    const int64_t *at;             /* [rank] */
    const char *element;
};

struct weft_trace {
    size_t count;
    struct weft_traced *values;    /* [count] in the order in which they are computed */
};

/* Computes a program and every value on the way, by the kernels and on the target that weft_run would use, and says of
 * each how large its elements are. Exact operations (docs/language.md, 3.4) give the bits that a run gives. For
 * finding a mistake: intermediate values are stored, some at a time, and computed more than once. *trace is one
 * allocation; release it with weft_free. Statuses, remarks and errors are those of weft_run. WEFT_SHAPE_ERROR also:
 * `at` lies in no result. WEFT_INPUT_ERROR also: there is no such sample, or an input lies on a GPU. */
WEFT_API enum weft_status weft_trace(struct weft_program *program, const struct weft_trace_params *params,
                                     struct weft_trace **trace, struct weft_error **error);
/* The same as a table for people, a line for each value; `at` and `at_count` are those of the parameters. Returns a
 * text to be released with weft_free; NULL where memory runs out. */
WEFT_API char *weft_trace_text(const struct weft_trace *trace, const int64_t *at, int at_count);

/* ---- views ---- */

/* A view shows the elements of a tensor, in their order, under another shape (docs/language.md, section 7), or some of
 * them, or in another order (section 9), and copies nothing. The rules are those of a text. */

/* The result of such a call. The data and their device are those of the tensor, and still belong to its owner; so is
 * byte_offset, unless the first element is another one (weft_select, weft_flip). `tensor.shape` and `tensor.strides`
 * point into this struct, so it must not be copied or moved while they are used. Nothing has to be released. */
struct weft_view {
    DLTensor tensor;
    int64_t shape[WEFT_MAX_RANK];
    int64_t strides[WEFT_MAX_RANK];
    char layout[WEFT_MAX_RANK + 1]; /* "": none */
};

/* A NULL pointer stands for an argument that is not given. A pointer with count 0 is an empty list: shape [] is
 * 0-D. */
struct weft_reshape_params {
    const int64_t *shape;          /* one negative extent takes the rest */
    int shape_count;
    const double *rel_shape;       /* factors for the extents that src_dims picks, else for those in the same
                                    * place; not with `shape` */
    int rel_shape_count;
    const int64_t *src_dims;       /* -1 inserts an extent of 1; not with `shape` */
    int src_dims_count;
    const char *layout;            /* of the view; NULL: the tensor's, if it has one letter for each dimension of
                                    * the view */
};

/* `tensor` may be on any device and have any strides. WEFT_INPUT_ERROR: its elements do not lie in memory such
 * that strides can describe the view. `layout` is the tensor's; NULL: none. `view` is set only on success. */
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
/* The same bytes as another type. `shape` NULL: the innermost extent changes by the ratio of the element sizes. */
WEFT_API enum weft_status weft_reinterpret(const DLTensor *tensor, const char *layout,
                                           enum weft_dtype dtype, const int64_t *shape, int shape_count,
                                           struct weft_view *view, struct weft_error **error);

/* An item of a selection, as in x[1:-1, ::-2, 0, ..., None]. */
enum weft_item_kind {
    WEFT_ITEM_SLICE,               /* start:stop:step of a dimension; zeros mean all of it */
    WEFT_ITEM_INDEX,               /* the element at `start`, which drops the dimension */
    WEFT_ITEM_ELLIPSIS,            /* as many full slices as are missing; at most one. Implied at the end */
    WEFT_ITEM_NEW                  /* a new extent of 1 */
};

struct weft_item {
    enum weft_item_kind kind;
    int64_t start, stop;           /* negative ones count from the end */
    int64_t step;                  /* 0: 1 */
    int has_start, has_stop;       /* of a slice: 0: left out */
};

/* Elements by position (rule 9.1): slices are clipped as Python's, an index out of range is WEFT_SHAPE_ERROR. As above,
 * `tensor` may be on any device and have any strides, `layout` is its own or NULL, and `view` is set only on
 * success. */
WEFT_API enum weft_status weft_select(const DLTensor *tensor, const char *layout, const struct weft_item *items,
                                      int item_count, struct weft_view *view, struct weft_error **error);
/* Dimension d of the view is dimension axes[d] of the tensor (rule 9.2). NULL: in reverse order. */
WEFT_API enum weft_status weft_transpose(const DLTensor *tensor, const char *layout, const int64_t *axes,
                                         int axis_count, struct weft_view *view, struct weft_error **error);
/* The elements from the end along these dimensions (rule 9.2). NULL: along all. */
WEFT_API enum weft_status weft_flip(const DLTensor *tensor, const char *layout, const int64_t *axes, int axis_count,
                                    struct weft_view *view, struct weft_error **error);

/* ---- the disk cache ---- */

/* `cache` has the meaning of weft_context_params.cache. A directory that does not exist has no entries.
 * WEFT_CACHE_ERROR: a context would not use the directory. Any number of processes may use it meanwhile. */

/* The directory that a context would use, whether it exists or not; "" for none. Release *path with weft_free. */
WEFT_API enum weft_status weft_cache_path(const char *cache, char **path, struct weft_error **error);

struct weft_cache_entry {
    const char *path;              /* of the file, or of a directory of them that cannot be used */
    const char *key;               /* 32 hexadecimal digits, or the directory's 2 */
    uint64_t size;                 /* of the file, in bytes */
    int64_t used;                  /* last use, to the minute, in seconds since 1970 */
    const char *compiler;          /* the first line of its --version, or NVRTC's version; "" if unknown */
    const char *problem;           /* what is wrong; NULL: nothing */
    const char *expression;        /* the beginning of the text that the kernel was first made for, or its file; others
                                    * may share it. "" if unknown */
};

/* Reads and checks every entry and passes it to `visit`, in no particular order. All pointers are valid during
 * the callback. Nothing is changed; a context replaces a damaged entry when it needs the kernel. */
WEFT_API enum weft_status weft_cache_list(const char *cache,
                                          void (*visit)(void *user,
                                                        const struct weft_cache_entry *entry),
                                          void *user, struct weft_error **error);

/* What was removed. */
struct weft_cache_removed {
    size_t files;
    uint64_t bytes;
    size_t kept;                   /* files that could not be removed: WEFT_CACHE_ERROR */
    int problem;                   /* the errno of one of them; 0: none */
    char name[48];                 /* and its name, or that of a directory whose files are not looked at */
};

/* Removes what dead processes left behind. If the entries take more than `cap` bytes, removes those used longest
 * ago until they do not. UINT64_MAX stands for the environment's WEFT_CACHE_SIZE (bytes, with an optional K, M, G
 * or T), else 256M, which contexts keep to as well. `removed` may be NULL. */
WEFT_API enum weft_status weft_cache_prune(const char *cache, uint64_t cap,
                                           struct weft_cache_removed *removed,
                                           struct weft_error **error);
/* Removes all entries and the cache's other files, and no file that is not Weft's. `removed` may be NULL. */
WEFT_API enum weft_status weft_cache_clear(const char *cache, struct weft_cache_removed *removed,
                                           struct weft_error **error);

#ifdef __cplusplus
}
#endif

#endif
