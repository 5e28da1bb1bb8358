/* weft_doctor: calls its parts in order, and tries each C compiler and libtcc on a kernel.
 *
 * Invariant: a missing thing is a finding, never a failure. */
#include "runtime/api/doctor_impl.h"

#include "runtime/kernels/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a context can be made from the caller's parameters and the environment. */
static void check_settings(struct doctor *doctor)
{
    struct weft_context *context = NULL;
    struct weft_error *error = NULL;
    doctor->settings = weft_context_create(doctor->params, &context, &error) >= 0;
    doctor->first = context && (context->fast & FAST_FIRST) && context->tier != WEFT_TIER_NONE;
    if (error)
        doctor_tell(doctor, "settings", WEFT_BROKEN, "mend the variable it names, or unset it", "%s",
                    error->message);
    weft_error_destroy(error);
    weft_context_destroy(context);
}

/* ---- a compiler's trial ---- */

enum { TRIAL = 100 }; /* elements: a full block and part of one */

struct trial {
    struct weft_context *context;
    struct weft_program *program;
    struct weft_error *error;
    double seconds;                /* until the kernel was ready */
    float x[TRIAL], out[TRIAL];
};

/* The kernel computes roots of squares plus exp(0), which is i + 1. exp is libmvec's, where available. */
static bool trial_is_right(const struct trial *trial)
{
    for (int i = 0; i < TRIAL; i++) {
        float error = trial->out[i] - (float)(i + 1);
        if (!(error > -1e-3f && error < 1e-3f))
            return false;
    }
    return true;
}

/* Returns NULL, or what went wrong. */
static const char *trial_run(struct trial *trial, const struct doctor *doctor, const char *cc, const char *disable)
{
    struct weft_context_params params = {
        .cc = cc, .cflags = doctor->params->cflags, .disable = disable, .cache = "", .keep = "",
        .debug = "", .target = WEFT_TARGET_C};
    *trial = (struct trial){.context = NULL};
    struct weft_kernel_info info = {.seconds = 0};
    size_t count = 1;
    int64_t extent = TRIAL;
    DLTensor x = {.data = trial->x, .device = {.device_type = kDLCPU}, .ndim = 1, .shape = &extent};
    x.dtype = weft_dtype_to_dlpack(WEFT_FLOAT32);
    DLTensor out = x;
    out.data = trial->out;
    struct weft_argument in = {.tensors = &x}, result = {.tensors = &out};
    struct weft_run_params run = {
        .inputs = &in, .input_count = 1, .outputs = &result, .output_count = 1};
    for (int i = 0; i < TRIAL; i++)
        trial->x[i] = (float)(i * i);
    bool ran = weft_context_create(&params, &trial->context, &trial->error) >= 0 &&
               weft_compile(trial->context, "sqrt(x) + exp(x - x)", NULL, &trial->program, &trial->error) >= 0 &&
               weft_prepare(trial->program, &run, &info, &count, &trial->error) >= 0 &&
               weft_run(trial->program, &run, &trial->error) >= 0;
    trial->seconds = info.seconds;
    if (!ran)
        return trial->error ? trial->error->message : "memory ran out";
    return trial_is_right(trial) ? NULL : "a kernel computed wrong values";
}

static void trial_finish(struct trial *trial)
{
    weft_error_destroy(trial->error);
    weft_program_destroy(trial->program);
    weft_context_destroy(trial->context);
}

/* ---- the compilers ---- */

static const char broken_compiler[] =
    "Debian: apt-get install gcc libc6-dev; another compiler is named in WEFT_CC, as in "
    "WEFT_CC=clang";

static const char *advice(const struct doctor *doctor)
{
    return !doctor->temporary      ? "see the temporary files above"
           : getenv("WEFT_CFLAGS") ? "try again without WEFT_CFLAGS"
                                   : broken_compiler;
}

/* The compiler's version and its instruction set; unchanged if it was not probed. */
static void describe(const struct cc *cc, char *text, size_t size)
{
    const char *flags[CC_MAX_FLAGS];
    cc_flags(cc, WEFT_MATH_STRICT, false, flags);
    if (cc->kind != CC_UNKNOWN)
        snprintf(text, size, "%s, %s, ", cc->version, flags[0]);
}

/* Tries a compiler and returns whether it works. `used`: it is the one that compiles kernels. */
static bool examine(struct doctor *doctor, const char *name, const char *path, bool used)
{
    struct trial trial;
    char text[2 * sizeof trial.context->cc.version] = "";
    const char *problem = trial_run(&trial, doctor, name, "cache,first,threads");
    if (trial.context)
        describe(&trial.context->cc, text, sizeof text);
    if (!problem)
        doctor_tell(doctor, name, WEFT_FOUND, NULL, "%s%s%sa kernel is ready after %.0f ms%s", path,
                    *text ? ", " : "", text, 1e3 * trial.seconds, used ? "; this one is used" : "");
    else
        doctor_tell(doctor, name, WEFT_BROKEN, advice(doctor), "%s, %s%s%s", path, text,
                    used ? "this one is used; " : "", problem);
    doctor->runs |= used && !problem && doctor->settings;
    trial_finish(&trial);
    return !problem;
}

static bool same_program(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Examines another compiler. `used` is the path of the one in use, or "" if that is missing, and `works` the
 * result for it. */
static void examine_other(struct doctor *doctor, const char *name, const char *used, bool works)
{
    char path[PATH_MAX];
    if (!program_find(getenv("PATH"), name, path))
        doctor_tell(doctor, name, WEFT_ABSENT, NULL, "not in PATH; one compiler is enough");
    else if (*used && same_program(path, used))
        doctor_tell(doctor, name, works ? WEFT_FOUND : WEFT_BROKEN, NULL, "%s, the same program", path);
    else
        examine(doctor, name, path, false);
}

/* Whether a word is in a list in which a space precedes each word. */
static bool is_listed(const char *list, const char *word, size_t length)
{
    for (; *list; list += 1 + strcspn(list + 1, " "))
        if (strcspn(list + 1, " ") == length && memcmp(list + 1, word, length) == 0)
            return true;
    return false;
}

/* Lists each function once, whether it exists for float32, float64 or both. */
static void tell_vector_functions(struct doctor *doctor, const struct cc *cc)
{
    char names[sizeof cc->vector_functions + 1] = "";
    for (const char *word = cc->vector_functions; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (!is_listed(names, word, length) &&
            !(word[length - 1] == 'f' && is_listed(names, word, length - 1)))
            sprintf(names + strlen(names), " %.*s", (int)length, word);
        word += length;
    }
    if (*names)
        doctor_tell(doctor, "libmvec", WEFT_FOUND, NULL, "has vector forms of%s", names);
    else
        doctor_tell(doctor, "libmvec", WEFT_ABSENT, "glibc 2.22 or newer has it on x86-64",
                    "libmvec.so.1 is not found: exp, sin and their like take an element at a time");
}

static void find_compilers(struct doctor *doctor)
{
    static const char *const others[] = {"cc", "gcc", "clang"};
    char path[PATH_MAX];
    struct cc cc;
    if (!cc_init(&cc, doctor->params->cc, doctor->params->cflags)) {
        cc_finish(&cc);
        doctor->out_of_memory = true;
        return;
    }
    bool found = program_find(environment_get(&cc.environment, "PATH"), cc.path, path), works = false;
    doctor->no_compiler = !found;
    if (strcmp(cc.path, "libtcc") == 0)
        doctor_tell(doctor, cc.path, WEFT_FOUND, NULL, "makes all kernels: see the first call");
    else if (found)
        works = examine(doctor, cc.path, path, true);
    else
        doctor_tell(doctor, cc.path, WEFT_BROKEN,
                    strchr(cc.path, ' ')
                        ? "WEFT_CC is one program, without flags: those go into WEFT_CFLAGS"
                        : broken_compiler,
                    "this one is used, but is no program%s",
                    strchr(cc.path, '/') ? "" : " in PATH");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], cc.path) != 0)
            examine_other(doctor, others[i], found ? path : "", works);
    tell_vector_functions(doctor, &cc);
    cc_finish(&cc);
}

/* ---- libtcc ---- */

static void try_first_call(struct doctor *doctor)
{
    struct trial trial;
    const char *path = first_path();
    if (!path) {
        doctor_tell(
            doctor, "libtcc", WEFT_ABSENT, NULL,
            "weft-first.so, its module, is not there: a first call waits for the C compiler");
        return;
    }
    const char *problem = trial_run(&trial, doctor, "libtcc", "cache,threads");
    if (!problem)
        doctor_tell(doctor, "libtcc", WEFT_FOUND, NULL, "%s, a kernel is ready after %.1f ms%s",
                    path, 1e3 * trial.seconds, doctor->first ? "" : "; it is turned off");
    else
        doctor_tell(doctor, "libtcc", WEFT_BROKEN, "WEFT_DISABLE=first does without it", "%s, %s",
                    path, problem);
    doctor->runs |= !problem && doctor->no_compiler && doctor->first && doctor->settings;
    trial_finish(&trial);
}

enum weft_status weft_doctor(const struct weft_context_params *params,
                             void (*tell)(void *user, const struct weft_finding *finding),
                             void *user)
{
    static const struct weft_context_params defaults;
    struct doctor doctor = {.params = params ? params : &defaults, .tell = tell, .user = user};
    int saved = errno;
    if (!tell)
        return WEFT_INVALID_ARGUMENT;
    doctor.part = "Machine";
    doctor_machine(&doctor);
    check_settings(&doctor);
    doctor.part = "C compiler";
    find_compilers(&doctor);
    doctor.part = "First call";
    try_first_call(&doctor);
    doctor.part = "Kernel cache";
    doctor_cache(&doctor);
    doctor.part = "CUDA";
    doctor_cuda(&doctor);
    errno = saved;
    return doctor.out_of_memory ? WEFT_OUT_OF_MEMORY : doctor.runs ? WEFT_OK : WEFT_COMPILER_ERROR;
}
