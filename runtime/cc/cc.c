/* The machine's C compiler: which one it is, its flags, and the jobs for it; job.c runs them. */
#include "runtime/cc/cc.h"

#include "compiler/emit/emit.h"
#include "compiler/lang/lang.h"
#include "runtime/cc/image_impl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the compiler and its vector functions ---- */

static char **split_flags(const char *text)
{
    char **flags = calloc(strlen(text) / 2 + 2, sizeof *flags);
    size_t count = 0;
    for (; flags && *text; text += strspn(text, " \t\n")) {
        size_t length = strcspn(text, " \t\n");
        if (length && !(flags[count++] = strndup(text, length))) {
            strings_free(flags);
            return NULL;
        }
        text += length;
    }
    return flags;
}

/* Finds those functions of rows that libmvec has in vector form, by the symbols of their 256-bit forms. */
static void find_vector_functions(struct cc *cc)
{
    void *library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
    size_t used = 0;
    for (int op = 0; library && op < OP_COUNT; op++) {
        const char *call = strstr(op_rows[op].floating, "F("), *end = call ? strchr(call, ')') : NULL;
        if (!call || op_rows[op].ulp32 == 0)
            continue;
        int length = (int)(end - call - 2);
        const char *v = op_arity((enum op)op) == 2 ? "vv" : "v";
        char symbol[64];
        for (int single = 0; single < 2; single++) {
            snprintf(symbol, sizeof symbol, "_ZGVdN%d%s_%.*s%s", single ? 8 : 4, v, length, call + 2,
                     single ? "f" : "");
            if (dlsym(library, symbol) && used + 32 < sizeof cc->vector_functions)
                used += (size_t)sprintf(cc->vector_functions + used, "%s ",
                                        strrchr(symbol, '_') + 1);
        }
    }
    if (used)
        cc->vector_functions[used - 1] = '\0';
    if (library)
        dlclose(library);
}

bool cc_init(struct cc *cc, const char *path, const char *const *flags)
{
    const char *named = path ? path : secure_getenv("WEFT_CC"), *extra = secure_getenv("WEFT_CFLAGS");
    *cc = (struct cc){.path = strdup(named && *named ? named : "cc")};
    cc->flags = flags ? strings_copy(flags) : split_flags(extra ? extra : "");
    bool copied = environment_init(&cc->environment);
    find_vector_functions(cc);
    return cc->path && cc->flags && copied;
}

void cc_finish(struct cc *cc)
{
    strings_free(cc->flags);
    environment_finish(&cc->environment);
    free(cc->path);
    free(cc->probed);
}

/* ---- flags ---- */

/* The instruction set by name. gcc 11 and clang 12 were the first to know the levels. */
static const char *machine_flag(const struct cc *cc)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return cc->levels ? "-march=x86-64-v4" : "-march=skylake-avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return cc->levels ? "-march=x86-64-v3" : "-march=haswell";
    if (__builtin_cpu_supports("sse4.2"))
        return cc->levels ? "-march=x86-64-v2" : "-march=nehalem";
    return "-march=x86-64";
#else
    (void)cc;
    return "-O3"; /* no choice: the compiler's default */
#endif
}

/* Bytes of vectors of 64 in any order, unless the flags say which processor kernels are for: gcc packs products of
 * bytes by them in a third of the steps. */
static const char *const *processor_flags(const struct cc *cc)
{
    static const char *const flags[][2] = {{NULL}, {"-mavx512vbmi", NULL}};
#if defined __x86_64__
    bool named = false;
    for (char **flag = cc->flags; *flag; flag++)
        named |= strncmp(*flag, "-march=", strlen("-march=")) == 0;
    __builtin_cpu_init();
    return flags[!named && __builtin_cpu_supports("avx512vbmi")];
#else
    (void)cc;
    return flags[0];
#endif
}

/* Without -fno-trapping-math, floor and casts are not vectorized. Under it gcc 12 folds some expressions to
 * zeros of the other sign; dialect.h prevents that (roundsat, fneg). */
static const char *const strict_flags[] = {"-std=gnu11", "-O3", "-fPIC", "-w", "-ffp-contract=off",
                                           "-fno-math-errno", "-fno-trapping-math", "-fno-plt",
#ifdef __x86_64__
                                           "-mprefer-vector-width=512", /* clang's default is narrower */
#endif
                                           NULL};
/* Not -ffast-math itself: a shared object linked with it switches the host to flush-to-zero when it is
 * loaded. */
static const char *const fast_flags[] = {"-ffp-contract=fast", "-fassociative-math",
                                         "-freciprocal-math", "-fno-signed-zeros", NULL};
static const char *const clang_flags[] = {"-fveclib=libmvec", NULL};
/* A loop over short runs took 1.25 of its time where it happened to lie across such a border. gcc 12 ends with an
 * internal error on a max or min of 8- or 16-bit integers under a mask of AVX-512 that reads both operands from memory
 * where they are used (temporary expression replacement). */
static const char *const gcc_flags[] = {"-falign-loops=32", "-fno-tree-ter", NULL};
static const char *const shared_flags[] = {"-shared", "-nostartfiles", NULL};
/* With --as-needed a kernel that calls no function is not linked to them, and loads several times faster. */
static const char *const libraries[] = {"-Wl,--as-needed", "-lmvec", "-lm", NULL};
static const char *const plain_libraries[] = {"-Wl,--as-needed", "-lm", NULL};
static const char *const no_libraries[] = {"-nostdlib", NULL};
static const char *const assembly_flags[] = {"-S", NULL};

int cc_flags(const struct cc *cc, enum weft_math math, bool assembly, const char *flags[CC_MAX_FLAGS])
{
    const char *machine[] = {machine_flag(cc), NULL}, *none[] = {NULL};
    const char *const *groups[] = {machine, strict_flags, processor_flags(cc),
                                   cc->kind == CC_CLANG && cc->vector_functions[0] ? clang_flags : none,
                                   cc->kind == CC_GCC ? gcc_flags : none,
                                   math == WEFT_MATH_FAST ? fast_flags : none,
                                   assembly ? assembly_flags : shared_flags,
                                   (const char *const *)cc->flags};
    int count = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const char *const *flag = groups[i]; *flag && count < CC_MAX_FLAGS - 1; flag++)
            flags[count++] = *flag;
    flags[count] = NULL;
    return count;
}

/* What a kernel is linked to. Reading the libraries takes a linker 6 of the 50 ms in which a small kernel is compiled,
 * so one that calls no function of theirs goes without: what compilers call by themselves (memcpy) is in the host's C
 * library, and what they call nevertheless in the math library, which is there for all (image.c). Processors without
 * fused multiply-adds, and the user's flags, may make calls of other operations, too. */
static const char *const *libraries_of(const struct cc *cc, const char *text)
{
    bool calls = cc->flags[0] || emit_calls_library(text);
#if defined __x86_64__
    __builtin_cpu_init();
    calls = calls || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2");
#elif !defined __aarch64__
    calls = true;
#endif
    return !calls ? no_libraries : cc->vector_functions[0] ? libraries : plain_libraries;
}

/* `lines` adds line numbers, which change no instruction; the user's flags may turn
 * them off. */
static void kernel_command(struct job *job, const struct cc *cc, const char *text, enum weft_math math, bool assembly,
                           bool lines)
{
    job->arguments[job->count++] = cc->path;
    if (lines)
        job->arguments[job->count++] = "-g";
    job->count += cc_flags(cc, math, assembly, job->arguments + job->count);
    const char *files[] = {"-o", job->output, job->source, NULL};
    job_add_arguments(job, files);
    if (!assembly)
        job_add_arguments(job, libraries_of(cc, text));
}

/* Reads the output of --version: "gcc (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6". A version
 * that cannot be read is assumed to be new. */
static void identify(struct cc *cc, const char *text)
{
    const char *clang = strstr(text, "clang"), *number = strstr(text, clang ? "version " : ") ");
    int version = number ? atoi(number + strcspn(number, "0123456789")) : 0;
    cc->kind = clang ? CC_CLANG : CC_GCC;
    snprintf(cc->version, sizeof cc->version, "%.*s", (int)strcspn(text, "\n"), text);
    cc->levels = version == 0 || version >= (clang ? 12 : 11);
}

static bool probe(struct cc *cc, struct diags *diags)
{
    struct job job;
    if (!job_open(&job, cc, "log", diags))
        return false;
    const char *version[] = {cc->path, "--version", NULL};
    job_add_arguments(&job, version);
    bool good = job_run(&job, cc, diags);
    char *log = good ? job_read_log(&job) : NULL;
    if (good)
        identify(cc, log ? log : "");
    free(log);
    job_close(&job);
    return good;
}

bool cc_probe(struct cc *cc, const char *identity, struct diags *diags)
{
    if (cc->kind != CC_UNKNOWN && cc->probed && identity && strcmp(cc->probed, identity) == 0)
        return true;
    char *before = cc->probed;
    cc->probed = NULL; /* until the compiler has answered: it may fail, or a fork come between */
    free(before);
    if (!probe(cc, diags))
        return false;
    cc->probed = identity ? strdup(identity) : NULL;
    return true;
}

/* Writes the source where it is kept, or beside the output if nothing is kept or that fails. */
static bool place_source(struct job *job, const char *text, const struct kept *kept, struct diags *diags)
{
    return (kept && keep_write(kept->source, text, strlen(text), diags) && job_source_at(job, kept->source)) ||
           job_write_source(job, text, strlen(text), diags);
}

static bool compile(struct job *job, const struct cc *cc, const char *text, enum weft_math math,
                    bool assembly, const struct kept *kept, struct diags *diags)
{
    if (!job_open(job, cc, assembly ? "k.s" : "k.so", diags) || !place_source(job, text, kept, diags))
        return false;
    kernel_command(job, cc, text, math, assembly, kept != NULL);
    return job_run(job, cc, diags);
}

/* Loads a copy under the kept name, where debuggers and profilers find it; NULL: it cannot be written or
 * loaded. */
static void *load_kept(int fd, size_t size, const struct kept *kept, struct diags *diags)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0), *handle = NULL;
    const char *problem;
    if (bytes == MAP_FAILED)
        return NULL;
    if (keep_write(kept->binary, bytes, size, diags))
        handle = image_load_file(kept->binary, &problem);
    munmap(bytes, size);
    return handle;
}

/* Opens and loads the compiler's output. The descriptor stays valid when the directory is gone. */
static void *load_output(const struct job *job, const unsigned char *digest, const struct kept *kept, int *image,
                         struct diags *diags)
{
    struct stat stat;
    const char *problem = "the C compiler wrote no file";
    void *handle = NULL;
    *image = job_open_output(job);
    bool good = *image >= 0 && fstat(*image, &stat) == 0;
    if (good && kept)
        handle = load_kept(*image, (size_t)stat.st_size, kept, diags);
    if (good && !handle)
        handle = image_load(*image, (size_t)stat.st_size, digest, job->output, &problem);
    if (!handle)
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, problem);
    return handle;
}

void *cc_load(const struct cc *cc, const char *text, enum weft_math math,
              const unsigned char digest[16], const struct kept *kept, int *image, struct diags *diags)
{
    struct job job;
    void *handle = NULL;
    *image = -1;
    if (compile(&job, cc, text, math, false, kept, diags))
        handle = load_output(&job, digest, kept, image, diags);
    job_close(&job);
    return handle;
}

char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags)
{
    struct job job;
    char *assembly = NULL;
    if (compile(&job, cc, text, math, true, NULL, diags)) {
        assembly = job_read_output(&job);
        if (!assembly)
            job_files_failed(diags, "read the assembly of a kernel");
    }
    job_close(&job);
    return assembly;
}
