/* The machine's C compiler: started with posix_spawn and an argument vector, never a shell, in a
 * private directory that is gone afterwards, whatever happened. */
#include "runtime/identity.h"
#include "runtime/image.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ARGUMENTS = CC_MAX_FLAGS + 16, MAX_LOG = 4096 };

/* ---- what the compiler is ---- */

static void free_flags(char **flags)
{
    for (char **flag = flags; flag && *flag; flag++)
        free(*flag);
    free(flags);
}

static char **split_flags(const char *text)
{
    char **flags = calloc(strlen(text) / 2 + 2, sizeof *flags);
    size_t count = 0;
    for (; flags && *text; text += strspn(text, " \t\n")) {
        size_t length = strcspn(text, " \t\n");
        if (length && !(flags[count++] = strndup(text, length))) {
            free_flags(flags);
            return NULL;
        }
        text += length;
    }
    return flags;
}

static char **copy_strings(const char *const *flags)
{
    size_t count = 0;
    while (flags[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(flags[i]))) {
            free_flags(copy);
            return NULL;
        }
    return copy;
}

/* The library functions that libmvec has in vector form: those that rows call, asked by the name of
 * their form for 256-bit vectors. */
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
    const char *named = path ? path : getenv("WEFT_CC"), *extra = getenv("WEFT_CFLAGS");
    *cc = (struct cc){.path = strdup(named && *named ? named : "cc")};
    cc->flags = flags ? copy_strings(flags) : split_flags(extra ? extra : "");
    static const char *const nothing[] = {NULL};
    cc->environment = copy_strings(environ ? (const char *const *)environ : nothing);
    find_vector_functions(cc);
    return cc->path && cc->flags && cc->environment;
}

const char *cc_variable(const struct cc *cc, const char *name)
{
    size_t length = strlen(name);
    for (char **at = cc->environment; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

void cc_finish(struct cc *cc)
{
    free_flags(cc->flags);
    free_flags(cc->environment);
    free(cc->path);
    free(cc->probed);
}

/* ---- running it ---- */

struct job {
    char directory[PATH_MAX];      /* private; empty before it is made */
    char program[PATH_MAX];
    char source[PATH_MAX + 16], output[PATH_MAX + 16], log[PATH_MAX + 16];
    const char *arguments[MAX_ARGUMENTS];
    int count;
    struct cc_process process;
};

static bool files_failed(struct diags *diags, const char *what)
{
    return diag_at(diags, DIAG_COMPILER_FILES, NULL, 0, what, strerror(errno));
}

static bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags)
{
    const char *base = cc_variable(cc, "TMPDIR");
    *job = (struct job){.count = 0};
    char path[PATH_MAX];
    if (!base || !*base)
        base = "/tmp";
    const bool fits = snprintf(path, sizeof path, "%s/weft-XXXXXX", base) < PATH_MAX - 1;
    if (!fits)
        errno = ENAMETOOLONG;
    if (!fits || !mkdtemp(path)) {
        char what[160];
        snprintf(what, sizeof what, "make a directory for the C compiler in '%.100s' (TMPDIR)", base);
        return files_failed(diags, what);
    }
    strcpy(job->directory, path);
    snprintf(job->source, sizeof job->source, "%s/k.c", path);
    snprintf(job->output, sizeof job->output, "%s/%s", path, output);
    snprintf(job->log, sizeof job->log, "%s/log", path);
    return true;
}

static void empty_directory(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

/* Removes the directory and whatever the compiler left in it. What was killed may still be creating
 * its last file. */
static void job_close(struct job *job)
{
    const struct timespec pause = {0, 1000000};
    if (!*job->directory)
        return;
    empty_directory(job->directory);
    for (int i = 0; rmdir(job->directory) < 0 && errno == ENOTEMPTY && i < 100; i++) {
        nanosleep(&pause, NULL);
        empty_directory(job->directory);
    }
}

static bool write_file(const char *path, const char *text, struct diags *diags)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t left = strlen(text);
    ssize_t written = 0;
    while (fd >= 0 && left > 0 && ((written = write(fd, text, left)) > 0 || errno == EINTR))
        if (written > 0)
            text += written, left -= (size_t)written;
    bool good = fd >= 0 && left == 0;
    if (!good)
        files_failed(diags, "write a kernel's source");
    if (fd >= 0)
        close(fd);
    return good;
}

static char *read_file(const char *path, size_t most)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t length = 0, capacity = 0;
    while (file && length < most) {
        if (length + 1 >= capacity) {
            char *grown = realloc(text, capacity = capacity ? capacity * 2 : 8192);
            if (!grown)
                break;
            text = grown;
        }
        size_t got = fread(text + length, 1, capacity - length - 1, file);
        length += got;
        if (!got)
            break;
    }
    if (file)
        fclose(file);
    if (text)
        text[length < most ? length : most] = '\0';
    return text;
}

/* The environment of the compiler: ours, with its temporary files in the private directory. */
static char **job_environment(char *const *ours, const char *directory, char *tmpdir, size_t size)
{
    size_t count = 0, kept = 0;
    while (ours[count])
        count++;
    char **copy = calloc(count + 3, sizeof *copy);
    snprintf(tmpdir, size, "TMPDIR=%s", directory);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(ours[i], "TMPDIR=", 7) != 0 && strncmp(ours[i], "LC_ALL=", 7) != 0)
            copy[kept++] = ours[i];
    if (copy) {
        copy[kept++] = tmpdir;
        copy[kept] = (char *)"LC_ALL=C";
    }
    return copy;
}

/* Where the compiler is: a name without a slash is looked up. */
static bool job_program(struct job *job, const struct cc *cc)
{
    struct stat stat;
    if (!strchr(cc->path, '/'))
        return program_find(cc_variable(cc, "PATH"), cc->path, job->program, &stat);
    return snprintf(job->program, sizeof job->program, "%s", cc->path) < (int)sizeof job->program;
}

/* Starts the compiler in a process group of its own, all signals at their defaults. */
static int start(struct job *job, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, 1, job->log, O_WRONLY | O_CREAT | O_TRUNC,
                                                 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawn(pid, job->program, &actions, &attributes,
                            (char *const *)job->arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool report_failure(const struct job *job, int status, struct diags *diags)
{
    char *log = read_file(job->log, MAX_LOG), how[48];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    diag_at(diags, DIAG_COMPILER_FAILED, NULL, 0, job->arguments[0], how, log ? log : "");
    free(log);
    return false;
}

/* Starts the compiler and enters it into the list, in one step: cc_cancel misses none. */
static int process_start(struct job *job, struct cc_running *running, char **environment)
{
    pthread_mutex_lock(&running->mutex);
    int error = running->cancelled ? ECANCELED : start(job, environment, &job->process.pid);
    if (!error) {
        job->process.next = running->first;
        running->first = &job->process;
    }
    pthread_mutex_unlock(&running->mutex);
    return error;
}

/* As waitpid. The process leaves the list before its number can belong to another. */
static pid_t process_wait(struct job *job, struct cc_running *running, int *status)
{
    pid_t waited;
    siginfo_t info;
    while (waitid(P_PID, (id_t)job->process.pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&running->mutex);
    struct cc_process **at = &running->first;
    while (*at != &job->process)
        at = &(*at)->next;
    *at = job->process.next;
    pthread_mutex_unlock(&running->mutex);
    while ((waited = waitpid(job->process.pid, status, 0)) < 0 && errno == EINTR)
        ;
    return waited;
}

void cc_cancel(struct cc_running *running)
{
    pthread_mutex_lock(&running->mutex);
    running->cancelled = true;
    for (struct cc_process *process = running->first; process; process = process->next)
        kill(-process->pid, SIGKILL);
    pthread_mutex_unlock(&running->mutex);
}

static bool job_run(struct job *job, const struct cc *cc, struct diags *diags)
{
    char tmpdir[PATH_MAX + 16];
    char **environment = job_environment(cc->environment, job->directory, tmpdir, sizeof tmpdir);
    int status = 0;
    if (!environment)
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    int error = job_program(job, cc) ? process_start(job, cc->running, environment) : ENOENT;
    free(environment);
    if (error)
        return diag_at(diags, DIAG_NO_COMPILER, NULL, 0, job->arguments[0], strerror(error));
    pid_t pid = job->process.pid, waited = process_wait(job, cc->running, &status);
    if (waited < 0 && access(job->output, F_OK) == 0)
        return true; /* a host that ignores SIGCHLD: the status is lost, the file is there */
    if (waited == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        kill(-pid, SIGKILL); /* what the driver had started */
    return report_failure(job, status, diags);
}

static void add_flags(struct job *job, const char *const *flags)
{
    for (; *flags && job->count < MAX_ARGUMENTS - 1; flags++)
        job->arguments[job->count++] = *flags;
}

/* ---- its flags ---- */

/* The instruction set in words that the compiler knows: levels came with gcc 11 and clang 12. */
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
    return "-O3"; /* the compiler's own choice */
#endif
}

/* Without -fno-trapping-math floor and casts do not vectorize. What gcc 12 folds under it to other
 * zeros is kept from it in dialect.h (roundsat, fneg). */
static const char *const strict_flags[] = {"-std=gnu11", "-O3", "-fPIC", "-w", "-ffp-contract=off",
                                           "-fno-math-errno", "-fno-trapping-math", "-fno-plt",
#ifdef __x86_64__
                                           "-mprefer-vector-width=512", /* clang prefers less */
#endif
                                           NULL};
/* Single flags only: -ffast-math and its like put the host into flush-to-zero when loaded. */
static const char *const fast_flags[] = {"-ffp-contract=fast", "-fassociative-math",
                                         "-freciprocal-math", "-fno-signed-zeros", NULL};
static const char *const clang_flags[] = {"-fveclib=libmvec", NULL};
static const char *const shared_flags[] = {"-shared", "-nostartfiles", NULL};
/* A kernel that calls nothing loads without them, which is several times faster. */
static const char *const libraries[] = {"-Wl,--as-needed", "-lmvec", "-lm", NULL};
static const char *const plain_libraries[] = {"-Wl,--as-needed", "-lm", NULL};
static const char *const assembly_flags[] = {"-S", NULL};

int cc_flags(const struct cc *cc, enum weft_math math, bool assembly, const char *flags[CC_MAX_FLAGS])
{
    const char *machine[] = {machine_flag(cc), NULL}, *none[] = {NULL};
    const char *const *groups[] = {machine, strict_flags,
                                   cc->kind == CC_CLANG && cc->vector_functions[0] ? clang_flags : none,
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

static void kernel_command(struct job *job, const struct cc *cc, enum weft_math math, bool assembly)
{
    job->arguments[job->count++] = cc->path;
    job->count += cc_flags(cc, math, assembly, job->arguments + job->count);
    const char *files[] = {"-o", job->output, job->source, NULL};
    add_flags(job, files);
    if (!assembly)
        add_flags(job, cc->vector_functions[0] ? libraries : plain_libraries);
}

/* Reads what --version printed: "gcc (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6". A
 * version that cannot be read is taken for a new one. */
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
    add_flags(&job, version);
    bool good = job_run(&job, cc, diags);
    char *log = good ? read_file(job.log, MAX_LOG) : NULL;
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
    free(cc->probed);
    cc->probed = identity ? strdup(identity) : NULL;
    return probe(cc, diags);
}

static bool compile(struct job *job, const struct cc *cc, const char *text, enum weft_math math,
                    bool assembly, struct diags *diags)
{
    if (!job_open(job, cc, assembly ? "k.s" : "k.so", diags) || !write_file(job->source, text, diags))
        return false;
    kernel_command(job, cc, math, assembly);
    return job_run(job, cc, diags);
}

/* Opens and loads what the compiler made; the descriptor outlives the directory. */
static void *load_output(const struct job *job, const unsigned char *digest, int *image,
                         struct diags *diags)
{
    struct stat stat;
    const char *problem = "the C compiler wrote no file";
    void *handle = NULL;
    *image = open(job->output, O_RDONLY | O_CLOEXEC);
    if (*image >= 0 && fstat(*image, &stat) == 0)
        handle = image_load(*image, (size_t)stat.st_size, digest, job->output, &problem);
    if (!handle)
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, problem);
    return handle;
}

void *cc_load(const struct cc *cc, const char *text, enum weft_math math,
              const unsigned char digest[16], int *image, struct diags *diags)
{
    struct job job;
    void *handle = NULL;
    *image = -1;
    if (compile(&job, cc, text, math, false, diags))
        handle = load_output(&job, digest, image, diags);
    job_close(&job);
    return handle;
}

char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags)
{
    struct job job;
    char *assembly = NULL;
    if (compile(&job, cc, text, math, true, diags)) {
        assembly = read_file(job.output, SIZE_MAX);
        if (!assembly)
            files_failed(diags, "read the assembly of a kernel");
    }
    job_close(&job);
    return assembly;
}
