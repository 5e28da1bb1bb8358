/* The first kernel, from inside: libtcc's runs until the C compiler is done, has the same bits, and
 * neither a process nor a file stays behind whenever the context or the process ends. The C compiler
 * is a script that waits for a file, the gate. */
#include "runtime/internal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LENGTH = 300000, THREADS = 8, POLLS = 10000 };

/* ---- libtcc's compilations, counted (linked with --wrap) ---- */

static atomic_int compilations;

bool __real_first_compile(const char *text, struct first_code *code, char *log, size_t size);
bool __wrap_first_compile(const char *text, struct first_code *code, char *log, size_t size);

bool __wrap_first_compile(const char *text, struct first_code *code, char *log, size_t size)
{
    atomic_fetch_add(&compilations, 1);
    return __real_first_compile(text, code, log, size);
}

/* ---- a directory with a compiler in it ---- */

static char directory[64], script[96], gate[96], begun[96], temporary[96];

static void write_script(const char *body)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n[ \"$1\" = --version ] && exec cc --version\necho $$ >>%s\n%s\n", begun, body);
    fchmod(fileno(file), 0755);
    assert_int_equal(fclose(file), 0);
}

static void shell(const char *format, const char *argument)
{
    char command[200];
    snprintf(command, sizeof command, format, argument);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    char body[200];
    (void)state;
    if (!first_available())
        return 0;
    strcpy(directory, "/tmp/weft-first-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(script, sizeof script, "%s/cc", directory);
    snprintf(gate, sizeof gate, "%s/gate", directory);
    snprintf(begun, sizeof begun, "%s/begun", directory);
    snprintf(temporary, sizeof temporary, "%s/tmp", directory);
    assert_int_equal(mkdir(temporary, 0700), 0);
    setenv("TMPDIR", temporary, 1);
    snprintf(body, sizeof body, "while [ ! -e %s ]; do sleep 0.01; done\nexec cc \"$@\"", gate);
    write_script(body);
    atomic_store(&compilations, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    if (*directory)
        shell("rm -rf %s", directory);
    *directory = '\0';
    return 0;
}

static void open_gate(void)
{
    close(open(gate, O_CREAT | O_WRONLY, 0600));
}

static void need_module(void)
{
    if (!first_available())
        skip();
}

/* Under valgrind a program that is not there seems to start, and memory that may never become
 * executable ends valgrind itself. */
static void need_real_processor(void)
{
    const char *loaded_first = getenv("LD_PRELOAD");
    if (loaded_first && strstr(loaded_first, "vgpreload"))
        skip();
}

/* Waits until the compiler has been started; its process number. */
static pid_t compiler(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int pid = 0;
    for (int i = 0; i < POLLS && pid == 0; i++) {
        FILE *file = fopen(begun, "r");
        if (!file || fscanf(file, "%d", &pid) != 1)
            nanosleep(&pause, NULL);
        if (file)
            fclose(file);
    }
    assert_true(pid > 0);
    return pid;
}

/* Neither the compiler nor a file of it is there. */
static void assert_clean(pid_t pid)
{
    struct stat stat_;
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(rmdir(temporary), 0); /* fails unless empty */
    assert_int_equal(mkdir(temporary, 0700), 0);
    assert_int_equal(stat(temporary, &stat_), 0);
}

/* ---- a context, a program, its data ---- */

struct told {
    int count, last;               /* records; the last one's code */
    pthread_t thread;              /* that it came from */
};

struct job {
    struct weft_context *context;
    struct weft_program *program;
    struct told told;
    float *x, *out;
};

static void on_log(void *user, const struct weft_error *record)
{
    struct told *told = user;
    told->count++;
    told->last = record->code;
    told->thread = pthread_self();
    errno = EIO;
}

static const char *const no_flags[] = {NULL};

static void job_open(struct job *job, const char *cc, enum weft_tier tier, const char *text,
                     enum weft_math math)
{
    *job = (struct job){.x = calloc(LENGTH, sizeof(float)), .out = calloc(LENGTH, sizeof(float))};
    const struct weft_context_params params = {.cc = cc, .cflags = no_flags, .cache = "", .disable = "",
                                               .tier = tier, .log = on_log, .user = &job->told};
    const struct weft_compile_params how = {.math = math};
    assert_int_equal(weft_context_create(&params, &job->context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(job->context, text, &how, &job->program, NULL), WEFT_OK);
    for (int i = 0; i < LENGTH; i++)
        job->x[i] = (float)(i - LENGTH / 2) * 0.37f;
}

static enum weft_status call(struct job *job, bool prepare, struct weft_kernel_info *info)
{
    int64_t n[] = {LENGTH};
    size_t count = 1;
    DLTensor x = {.data = job->x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = n};
    DLTensor out = x;
    out.data = job->out;
    struct weft_argument input = {.tensors = &x}, output = {.tensors = &out};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    return prepare ? weft_prepare(job->program, &params, info, &count, NULL)
                   : weft_run(job->program, &params, NULL);
}

static enum weft_status run(struct job *job)
{
    return call(job, false, NULL);
}

static struct weft_kernel_info prepare(struct job *job)
{
    struct weft_kernel_info info = {0};
    assert_int_equal(call(job, true, &info), WEFT_OK);
    return info;
}

static struct loaded *loaded(const struct job *job)
{
    return job->program->typed->plans.latest->kernels[0].loaded;
}

static void job_close(struct job *job)
{
    weft_program_destroy(job->program);
    weft_context_destroy(job->context);
    free(job->x);
    free(job->out);
}

static const char *const exact[] = {
    "x + 1", "x * 2 - floor(x) // 3", "sqrt(x) + x ** 2", "int32(x) // 7 % 5", "uint8(x)", "x % 1.5",
    "where(x > 3, round(x), -x)", "fma(x, x, -x)", "uint64(x) * 3", "float64(uint64(int64(x))) / 3",
};

/* ---- tests ---- */

/* The pointer changes, the bits do not. */
static void test_takes_over(void **state)
{
    (void)state;
    need_module();
    struct job job;
    job_open(&job, script, WEFT_TIER_EXACT, "floor(x) // 3 + sqrt(x) * round(x) - x ** 2", WEFT_MATH_STRICT);
    float *first = malloc(LENGTH * sizeof *first);
    assert_int_equal(run(&job), WEFT_OK);
    memcpy(first, job.out, LENGTH * sizeof *first);
    struct loaded *kernel = loaded(&job);
    weft_kernel_fn *before = kernel->run;
    assert_false(kernel->final);
    assert_ptr_equal(*(void **)&before, kernel->first.entry);
    compiler();
    open_gate();
    struct weft_kernel_info info = prepare(&job);
    assert_int_equal(info.origin, WEFT_FROM_COMPILER);
    assert_true(info.first_seconds > 0 && info.seconds > 0);
    assert_true(kernel->final && kernel->handle);
    assert_true(kernel->run != before);
    memset(job.out, 0, LENGTH * sizeof(float));
    assert_int_equal(run(&job), WEFT_OK);
    assert_memory_equal(job.out, first, LENGTH * sizeof *first);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_MEMORY);
    assert_int_equal(atomic_load(&compilations), 1);
    assert_int_equal(job.told.count, 0);
    free(first);
    job_close(&job);
}

/* Programs of one argument whose result may have any type: both compilers, byte for byte. */
static void compare(const char *text)
{
    struct job job[2];
    int64_t n[] = {LENGTH};
    void *out[2];
    for (int i = 0; i < 2; i++) {
        struct weft_tensor_info info;
        struct weft_error *error = NULL;
        job_open(&job[i], i ? "cc" : "libtcc", WEFT_TIER_NONE, text, WEFT_MATH_STRICT);
        DLTensor x = {.data = job[i].x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1},
                      .shape = n}, r = x;
        struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
        assert_int_equal(weft_infer(job[i].program, &input, 1, &info, NULL), WEFT_OK);
        r.dtype = weft_dtype_to_dlpack(info.dtype);
        r.data = out[i] = calloc(LENGTH, 8);
        const struct weft_run_params params = {&input, 1, &output, 1, NULL};
        assert_int_equal(weft_run(job[i].program, &params, &error), WEFT_OK);
        assert_null(error);
    }
    assert_int_equal(atomic_load(&compilations), 1);
    atomic_store(&compilations, 0);
    if (memcmp(out[0], out[1], LENGTH * 8) != 0)
        fail_msg("other bits: %s", text);
    for (int i = 0; i < 2; i++) {
        job_close(&job[i]);
        free(out[i]);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    need_module();
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        compare(exact[i]);
}

/* Numbers in the kernel's text have a point whatever the host's locale has. */
static void test_locale(void **state)
{
    (void)state;
    need_module();
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    compare("x // 0.7");
    setlocale(LC_ALL, "C");
}

/* Who waits, and who does not. */
static void test_tiers(void **state)
{
    (void)state;
    need_module();
    static const struct {
        enum weft_tier tier;
        const char *text;
        enum weft_math math;
        bool first;
    } cases[] = {{WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT, true},
                 {WEFT_TIER_EXACT, "x + 1", WEFT_MATH_FAST, false},
                 {WEFT_TIER_EXACT, "exp(x)", WEFT_MATH_STRICT, false},
                 {WEFT_TIER_FAST, "exp(x)", WEFT_MATH_STRICT, true},
                 {WEFT_TIER_FAST, "x + 1", WEFT_MATH_FAST, true},
                 {WEFT_TIER_NONE, "x + 1", WEFT_MATH_STRICT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job job;
        atomic_store(&compilations, 0);
        if (!cases[i].first)
            open_gate();
        job_open(&job, script, cases[i].tier, cases[i].text, cases[i].math);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), cases[i].first);
        assert_int_equal(loaded(&job)->final, !cases[i].first);
        open_gate();
        struct weft_kernel_info info = prepare(&job);
        assert_int_equal(info.origin, WEFT_FROM_COMPILER);
        assert_int_equal(info.first_seconds > 0, cases[i].first);
        job_close(&job);
        unlink(gate);
    }
}

/* The user's flags may change bits. */
static void test_flags_wait(void **state)
{
    (void)state;
    need_module();
    static const char *const flags[] = {"-ffp-contract=fast", NULL};
    for (int i = 0; i < 2; i++) {
        struct job job;
        const struct weft_context_params params = {.cc = script, .cflags = flags, .cache = "",
                                                   .tier = i ? WEFT_TIER_FAST : WEFT_TIER_EXACT};
        open_gate();
        job_open(&job, script, WEFT_TIER_EXACT, "x * x + x", WEFT_MATH_STRICT);
        weft_program_destroy(job.program);
        weft_context_destroy(job.context);
        assert_int_equal(weft_context_create(&params, &job.context, NULL), WEFT_OK);
        assert_int_equal(weft_compile(job.context, "x * x + x", NULL, &job.program, NULL), WEFT_OK);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), i);
        job_close(&job);
    }
}

static void test_prepare_waits(void **state)
{
    (void)state;
    need_module();
    struct job job;
    open_gate();
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    struct weft_kernel_info info = prepare(&job);
    assert_int_equal(info.origin, WEFT_FROM_COMPILER);
    assert_true(info.first_seconds == 0);
    assert_int_equal(atomic_load(&compilations), 0);
    job_close(&job);
}

static void test_destroy_ends_the_compiler(void **state)
{
    (void)state;
    need_module();
    struct job job;
    write_script("sleep 1000 & touch \"$TMPDIR/left.o\"; wait");
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    pid_t pid = compiler();
    job_close(&job);
    assert_clean(pid);
}

/* A process that ends without destroying its context. */
static void test_exit_ends_the_compiler(void **state)
{
    (void)state;
    need_module();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct job job;
        job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        run(&job);
        compiler();
        exit(0);
    }
    pid_t pid = compiler();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_clean(pid);
}

/* The child has neither the thread nor the compiler of its parent, and makes its own. */
static int use_in_child(struct job *job)
{
    struct weft_kernel_info info = {0};
    if (run(job) != WEFT_OK || job->out[LENGTH - 1] != job->x[LENGTH - 1] + 1)
        return 1;
    open_gate();
    if (call(job, true, &info) != WEFT_OK || info.origin != WEFT_FROM_COMPILER)
        return 2;
    job_close(job);
    return 0;
}

static void test_fork(void **state)
{
    (void)state;
    need_module();
    struct job job;
    int status;
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    compiler();
    pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(&job));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_COMPILER);
    job_close(&job);
}

static void test_without_a_compiler(void **state)
{
    (void)state;
    need_module();
    need_real_processor();
    static const char *const texts[] = {"x * 2 + 1", "cos(x)"};
    for (int i = 0; i < 2; i++) {
        struct job job;
        job_open(&job, "/nonexistent/cc", WEFT_TIER_EXACT, texts[i], WEFT_MATH_STRICT);
        assert_int_equal(run(&job), WEFT_OK);
        assert_true(job.out[LENGTH / 2] == 1);
        assert_int_equal(prepare(&job).origin, WEFT_FROM_FIRST);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(job.told.count, 1);
        assert_int_equal(job.told.last, 97);
        job_close(&job);
        job_open(&job, "/nonexistent/cc", WEFT_TIER_NONE, texts[i], WEFT_MATH_STRICT);
        assert_int_equal(run(&job), WEFT_COMPILER_ERROR);
        job_close(&job);
    }
}

/* The first kernel stays, and the failure is told once. */
static void test_a_compiler_that_fails(void **state)
{
    (void)state;
    need_module();
    struct job job;
    write_script("exit 3");
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_FIRST);
    assert_int_equal(run(&job), WEFT_OK);
    assert_true(loaded(&job)->final);
    assert_int_equal(job.told.count, 1);
    assert_int_equal(job.told.last, 96);
    job_close(&job);
    job_open(&job, script, WEFT_TIER_EXACT, "cos(x)", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_COMPILER_ERROR);
    job_close(&job);
}

static void *run_in_thread(void *job)
{
    return run(job) == WEFT_OK ? job : NULL;
}

/* First calls at once: libtcc compiles once, and the C compiler too. */
static void test_many_threads(void **state)
{
    (void)state;
    need_module();
    struct job job, jobs[THREADS];
    pthread_t threads[THREADS];
    void *good;
    char line[32];
    int lines = 0;
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = job;
        jobs[i].out = calloc(LENGTH, sizeof(float));
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
        assert_true(jobs[i].out[LENGTH - 1] == job.x[LENGTH - 1] + 1);
        free(jobs[i].out);
    }
    assert_int_equal(atomic_load(&compilations), 1);
    open_gate();
    prepare(&job);
    FILE *file = fopen(begun, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        lines++;
    fclose(file);
    assert_int_equal(lines, 1);
    job_close(&job);
}

/* A kernel on disk is as quick to get, and better. */
static void test_disk_first(void **state)
{
    (void)state;
    need_module();
    setenv("WEFT_CACHE", directory, 1);
    for (int i = 0; i < 2; i++) {
        struct job job;
        job_open(&job, "cc", WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        weft_program_destroy(job.program);
        weft_context_destroy(job.context);
        const struct weft_context_params params = {.cc = "cc", .cflags = no_flags};
        assert_int_equal(weft_context_create(&params, &job.context, NULL), WEFT_OK);
        assert_int_equal(weft_compile(job.context, "x + 1", NULL, &job.program, NULL), WEFT_OK);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), 1);
        assert_int_equal(prepare(&job).origin, i ? WEFT_FROM_DISK : WEFT_FROM_COMPILER);
        job_close(&job);
    }
    unsetenv("WEFT_CACHE");
}

/* A program with a cache where none can be: a file. */
static void job_without_cache(struct job *job, enum weft_tier tier,
                              void (*log)(void *user, const struct weft_error *record), void *user)
{
    job_open(job, script, tier, "x + 1", WEFT_MATH_STRICT);
    weft_program_destroy(job->program);
    weft_context_destroy(job->context);
    const struct weft_context_params params = {.cc = script, .cflags = no_flags, .cache = script,
                                               .disable = "", .tier = tier, .log = log, .user = user};
    assert_int_equal(weft_context_create(&params, &job->context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(job->context, "x + 1", NULL, &job->program, NULL), WEFT_OK);
}

/* What happens in the background is told in the thread of a later call, the end of the context being the
 * last, and errno is the caller's. */
static void test_log_waits_for_a_call(void **state)
{
    (void)state;
    need_module();
    const struct timespec pause = {.tv_nsec = 1000000};
    open_gate();
    for (int destroy = 0; destroy < 2; destroy++) {
        struct job job;
        job_without_cache(&job, WEFT_TIER_EXACT, on_log, &job.told);
        assert_int_equal(run(&job), WEFT_OK);
        for (int i = 0; i < POLLS && !loaded(&job)->final; i++)
            nanosleep(&pause, NULL);
        assert_true(loaded(&job)->final);
        assert_int_equal(job.told.count, 0);
        errno = 0;
        if (!destroy)
            assert_int_equal(run(&job), WEFT_OK);
        else
            job_close(&job);
        assert_int_equal(errno, 0);
        assert_int_equal(job.told.count, 1);
        assert_int_equal(job.told.last, 94);
        assert_true(pthread_equal(job.told.thread, pthread_self()));
        if (!destroy)
            job_close(&job);
    }
}

static void on_log_run(void *user, const struct weft_error *record)
{
    struct job *job = user;
    on_log(&job->told, record);
    assert_int_equal(run(job), WEFT_OK);
}

/* A log that uses what it is told about. */
static void test_log_runs(void **state)
{
    (void)state;
    need_module();
    struct job job;
    open_gate();
    alarm(100);
    job_without_cache(&job, WEFT_TIER_NONE, on_log_run, &job);
    assert_int_equal(run(&job), WEFT_OK);
    assert_int_equal(job.told.count, 1);
    alarm(0);
    job_close(&job);
}

/* A library of the host's that forks when it is loaded, and so has the loader's lock, which our thread waits
 * for. */
static void test_fork_inside_dlopen(void **state)
{
    (void)state;
    need_module();
    struct job job;
    char path[120];
    snprintf(path, sizeof path, "%s/forks.c", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <sys/wait.h>\n#include <unistd.h>\n"
          "__attribute__((constructor)) static void on_load(void)\n"
          "{ usleep(700000); pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, 0, 0); }\n", file);
    fclose(file);
    shell("cd %s && cc -shared -fPIC -o forks.so forks.c", directory);
    snprintf(path, sizeof path, "%s/forks.so", directory);
    open_gate();
    alarm(100);
    job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_COMPILER);
    dlclose(library);
    alarm(0);
    job_close(&job);
}

/* A program that has the library inside and was called by a bare name, in a directory that holds a module
 * of somebody's, does not load that one. */
static void test_module_of_a_stranger(void **state)
{
    (void)state;
    need_module();
    struct stat stat_;
    char path[120];
    int status;
    snprintf(path, sizeof path, "%s/stranger.c", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#include <stdio.h>\n__attribute__((constructor)) static void on_load(void)\n"
                  "{ fclose(fopen(\"%s/loaded\", \"w\")); }\n", directory);
    fclose(file);
    shell("cd %s && mkdir weft && cc -shared -fPIC -o weft/weft-first.so stranger.c", directory);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("WEFT_MODULES");
        if (chdir(directory) == 0)
            execl("/proc/self/exe", "weft", "look", NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/loaded", directory);
    assert_int_not_equal(stat(path, &stat_), 0);
}

/* Where memory cannot become executable the call waits for the C compiler. */
static void test_refused_memory(void **state)
{
    (void)state;
    need_module();
    need_real_processor();
    int status;
    open_gate();
    pid_t child = fork();
    if (child == 0) {
        struct job job;
        if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) != 0)
            _exit(77);
        job_open(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        bool good = run(&job) == WEFT_OK && job.out[0] == job.x[0] + 1 && !loaded(&job)->first.entry;
        job_close(&job);
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "look") == 0) {
        first_available();
        return 0;
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_takes_over),
        TEST(test_same_bits),
        TEST(test_locale),
        TEST(test_tiers),
        TEST(test_flags_wait),
        TEST(test_prepare_waits),
        TEST(test_destroy_ends_the_compiler),
        TEST(test_exit_ends_the_compiler),
        TEST(test_fork),
        TEST(test_without_a_compiler),
        TEST(test_a_compiler_that_fails),
        TEST(test_many_threads),
        TEST(test_disk_first),
        TEST(test_log_waits_for_a_call),
        TEST(test_log_runs),
        TEST(test_fork_inside_dlopen),
        TEST(test_module_of_a_stranger),
        TEST(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
