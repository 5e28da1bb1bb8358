/* Compiling with an open NVRTC; see nvrtc.h. Each compilation runs on a thread of its own, because the
 * caller's thread may have a small stack, a rounding mode in which constants fold to other bits, and
 * pending signals. */
#include "runtime/gpu/nvrtc.h"

#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 64 << 20 };         /* bytes, reserved but mostly never touched */

/* NVRTC's results. */
enum { SUCCESS = 0, NO_MEMORY = 1, INVALID_OPTION = 5, COMPILATION = 6 };

/* The number of compilations in progress. A fork during one leaves NVRTC's locks locked in the child. */
static atomic_int compiling;
static atomic_bool forked;

/* ---- options ---- */

static const char *const common_options[] = {"--std=c++17", "--generate-line-info", "--ftz=false",
                                             NULL};
static const char *const strict_options[] = {"--fmad=false", "--prec-div=true", "--prec-sqrt=true",
                                             NULL};
static const char *const fast_options[] = {"--fmad=true", "--prec-div=false", "--prec-sqrt=false",
                                           NULL};
/* Options that older versions do not know, and that are then left out. In order, they avoid:
 * declarations of headers that kernels do not need; a second cache beside ours; changes to the stack
 * limit of the whole process; warnings. */
static const char *const optional[] = {"--minimal", "--no-cache", "--modify-stack-limit=false",
                                       "--disable-warnings"};
enum { OPTIONAL = sizeof optional / sizeof *optional };

void nvrtc_options(enum weft_math math, const char *options[NVRTC_MAX_OPTIONS])
{
    const char *const *groups[] = {common_options,
                                   math == WEFT_MATH_FAST ? fast_options : strict_options};
    int count = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const char *const *option = groups[i]; *option; option++)
            options[count++] = *option;
    options[count] = NULL;
}

/* ---- one compilation ---- */

struct task {
    struct nvrtc *nvrtc;
    const char *text;
    enum weft_math math;
    const struct nvrtc_arch *arch;
    int result;                    /* of the last call to NVRTC */
    const char *call;              /* the function that returned it */
    char *log;                     /* from malloc; NULL: no log, or out of memory */
    struct nvrtc_code code;
};

static int arguments(const struct task *task, unsigned unknown, char *arch, const char **options)
{
    const char *all[NVRTC_MAX_OPTIONS];
    int count = 0;
    nvrtc_options(task->math, all);
    for (int i = 0; all[i]; i++)
        if (!(task->arch->bare && strcmp(all[i], "--generate-line-info") == 0))
            options[count++] = all[i];
    sprintf(arch, "--gpu-architecture=%s", task->arch->name);
    options[count++] = arch;
    for (int i = 0; i < OPTIONAL; i++)
        if (!(unknown & 1u << i))
            options[count++] = optional[i];
    return count;
}

/* Fetches NVRTC's log. */
static void read_log(struct task *task, struct _nvrtcProgram *program)
{
    size_t size = 0;
    free(task->log);
    task->log = NULL;
    if (task->nvrtc->GetProgramLogSize(program, &size) != SUCCESS || size == 0)
        return;
    task->log = calloc(1, size + 1);
    if (task->log && task->nvrtc->GetProgramLog(program, task->log) != SUCCESS)
        *task->log = '\0';
}

/* The set of optional options that the log mentions. */
static unsigned complained(const char *log)
{
    unsigned set = 0;
    for (int i = 0; log && i < OPTIONAL; i++)
        if (strstr(log, optional[i]))
            set |= 1u << i;
    return set;
}

static void get_code(struct task *task, struct _nvrtcProgram *program)
{
    const struct nvrtc *nvrtc = task->nvrtc;
    struct nvrtc_code *code = &task->code;
    bool ptx = task->arch->form == NVRTC_PTX;
    task->call = ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
    task->result = ptx ? nvrtc->GetPTXSize(program, &code->size)
                       : nvrtc->GetCUBINSize(program, &code->size);
    if (task->result != SUCCESS)
        return;
    code->bytes = calloc(1, code->size + 1);
    task->result = !code->bytes ? NO_MEMORY
                   : ptx        ? nvrtc->GetPTX(program, code->bytes)
                                : nvrtc->GetCUBIN(program, code->bytes);
}

/* Compiles, and repeats it without the options that this NVRTC does not know. */
static void compile_program(struct task *task, struct _nvrtcProgram *program)
{
    struct nvrtc *nvrtc = task->nvrtc;
    const char *options[NVRTC_MAX_OPTIONS];
    char arch[64];
    unsigned unknown = atomic_load(&nvrtc->unknown), more = 0;
    do {
        atomic_fetch_or(&nvrtc->unknown, unknown |= more);
        int count = arguments(task, unknown, arch, options);
        task->call = "nvrtcCompileProgram";
        task->result = nvrtc->CompileProgram(program, count, options);
        if (task->result != SUCCESS)
            read_log(task, program);
        more = task->result == INVALID_OPTION ? complained(task->log) & ~unknown : 0;
    } while (more);
    if (task->result == SUCCESS)
        get_code(task, program);
}

static void *run(void *task_)
{
    struct task *task = task_;
    struct _nvrtcProgram *program = NULL;
    fesetenv(FE_DFL_ENV);
    task->call = "nvrtcCreateProgram";
    task->result = task->nvrtc->CreateProgram(&program, task->text, "/weft/kernel.cu", 0, NULL, NULL);
    if (task->result == SUCCESS)
        compile_program(task, program);
    if (program)
        task->nvrtc->DestroyProgram(&program);
    return NULL;
}

/* ---- the compiler's thread ---- */

static void in_child(void)
{
    if (atomic_load(&compiling))
        atomic_store(&forked, true);
    atomic_store(&compiling, 0);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

static bool start(pthread_t *thread, struct task *task)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool good = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    if (good) {
        good = pthread_create(thread, &attributes, run, task) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return good;
}

/* Runs on the caller's thread if no thread can be started. */
static void run_task(struct task *task)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t thread;
    fenv_t environment;
    pthread_once(&once, watch_forks);
    atomic_fetch_add(&compiling, 1);
    if (start(&thread, task)) {
        pthread_join(thread, NULL);
    } else {
        fegetenv(&environment);
        run(task);
        fesetenv(&environment);
    }
    atomic_fetch_sub(&compiling, 1);
}

/* ---- errors ---- */

/* The text with its #line directives blanked, so that NVRTC's log has the text's own line numbers. */
static const char *plain_lines(struct arena *arena, const char *text)
{
    char *plain = arena_string(arena, text, strlen(text));
    for (char *line = plain; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "#line ", 6) == 0)
            memset(line, ' ', strcspn(line, "\n"));
    }
    return plain;
}

static const char *numbered(struct arena *arena, const char *text)
{
    struct buf out = buf_new(arena);
    for (int number = 1; *text; number++) {
        int length = (int)strcspn(text, "\n");
        buf_printf(&out, "%5d  %.*s\n", number, length, text);
        text += length + (text[length] == '\n');
    }
    return out.text;
}

/* NVRTC refused the text, which is a defect of Weft. */
static bool report_refusal(struct task *task, struct diags *diags)
{
    const struct nvrtc *nvrtc = task->nvrtc;
    const char *plain = plain_lines(diags->arena, task->text);
    task->text = plain;
    run_task(task); /* again, for a log with the numbers of `plain` */
    return diag_at(diags, DIAG_NVRTC_REFUSED, NULL, 0, nvrtc->major, nvrtc->minor, nvrtc->path,
                   task->log ? task->log : "", numbered(diags->arena, plain));
}

/* Another failure is that of NVRTC, such as a missing library. */
static bool report(struct task *task, struct diags *diags)
{
    const struct nvrtc *nvrtc = task->nvrtc;
    if (task->result == NO_MEMORY || (task->log && strstr(task->log, "out of memory")))
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    if (task->result == COMPILATION || task->result == INVALID_OPTION)
        return report_refusal(task, diags);
    return diag_at(diags, DIAG_NVRTC_FAILED, NULL, 0, nvrtc->major, nvrtc->minor, nvrtc->path,
                   task->call, task->result, task->log ? task->log : "");
}

bool nvrtc_compile(struct nvrtc *nvrtc, const char *text, enum weft_math math,
                   const struct nvrtc_arch *arch, struct nvrtc_code *code, struct diags *diags)
{
    struct task task = {.nvrtc = nvrtc, .text = text, .math = math, .arch = arch};
    if (atomic_load(&forked))
        return diag_at(diags, DIAG_CUDA_FORKED, NULL, 0);
    run_task(&task);
    bool good = task.result == SUCCESS || report(&task, diags);
    free(task.log);
    if (good)
        *code = task.code;
    else
        free(task.code.bytes);
    return good;
}
