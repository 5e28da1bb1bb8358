/* See first_fixture.h. */
#include "tests/unit/first_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- libtcc's compilations, counted (linked with --wrap) ---- */

atomic_int compilations;

bool __real_first_compile(const char *text, struct first_code *code, char *log, size_t size);
bool __wrap_first_compile(const char *text, struct first_code *code, char *log, size_t size);

bool __wrap_first_compile(const char *text, struct first_code *code, char *log, size_t size)
{
    atomic_fetch_add(&compilations, 1);
    return __real_first_compile(text, code, log, size);
}

/* ---- a directory with a compiler in it ---- */

char directory[64], script[96], gate[96], begun[96];
static char temporary[96];

void write_script(const char *body)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n[ \"$1\" = --version ] && exec cc --version\necho $$ >>%s\n%s\n", begun, body);
    fchmod(fileno(file), 0755);
    assert_int_equal(fclose(file), 0);
}

void shell(const char *format, const char *argument)
{
    char command[200];
    snprintf(command, sizeof command, format, argument);
    assert_int_equal(system(command), 0);
}

int set_up(void **state)
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

int tear_down(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    if (*directory)
        shell("rm -rf %s", directory);
    *directory = '\0';
    return 0;
}

void open_gate(void)
{
    close(open(gate, O_CREAT | O_WRONLY, 0600));
}

void need_module(void)
{
    if (!first_available())
        skip();
}

void need_real_processor(void)
{
    const char *loaded_first = getenv("LD_PRELOAD");
    if (loaded_first && strstr(loaded_first, "vgpreload"))
        skip();
}

pid_t compiler(void)
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

void assert_clean(pid_t pid)
{
    struct stat stat_;
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(rmdir(temporary), 0); /* fails unless empty */
    assert_int_equal(mkdir(temporary, 0700), 0);
    assert_int_equal(stat(temporary, &stat_), 0);
}

/* ---- a context, a program, its data ---- */

void on_log(void *user, const struct weft_error *record)
{
    struct told *told = user;
    told->count++;
    told->last = record->code;
    told->thread = pthread_self();
    errno = EIO;
}

const char *const no_flags[] = {NULL};

void open_job(struct task *job, const char *cc, enum weft_tier tier, const char *text,
                     enum weft_math math)
{
    *job = (struct task){.x = calloc(LENGTH, sizeof(float)), .out = calloc(LENGTH, sizeof(float))};
    const struct weft_context_params params = {.cc = cc, .cflags = no_flags, .cache = "", .disable = "",
                                               .tier = tier, .log = on_log, .user = &job->told};
    const struct weft_compile_params how = {.math = math};
    assert_int_equal(weft_context_create(&params, &job->context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(job->context, text, &how, &job->program, NULL), WEFT_OK);
    for (int i = 0; i < LENGTH; i++)
        job->x[i] = (float)(i - LENGTH / 2) * 0.37f;
}

enum weft_status call(struct task *job, bool prepare, struct weft_kernel_info *info)
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

enum weft_status run(struct task *job)
{
    return call(job, false, NULL);
}

struct weft_kernel_info prepare(struct task *job)
{
    struct weft_kernel_info info = {0};
    assert_int_equal(call(job, true, &info), WEFT_OK);
    return info;
}

struct loaded *loaded(const struct task *job)
{
    return job->program->typed->plans.latest->kernels[0].loaded;
}

void close_job(struct task *job)
{
    weft_program_destroy(job->program);
    weft_context_destroy(job->context);
    free(job->x);
    free(job->out);
}
