/* The library, when a call of the C library fails: the first of a kind, the second, .. until a run has no failure, and
 * all from the first on, from the second, .. Each life of a program ends in a status or the right result; the same
 * objects work afterwards; and when they are gone no memory and no descriptor is left.
 *
 *     test_library COMPILER DIRECTORY    the compiler of kernels (compiler.sh), a new folder for what it makes
 *     FAULT_ONLY="sum, disk, open"       one case
 * WEFT_STEP: one call in so many fails; WEFT_SHARE: one case in so many. Reports in TAP. */
#define _GNU_SOURCE
#include "tests/faults/faults.h"

#include "include/weft/weft.h"
#include "tests/sample.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 4, COLUMNS = 3, MOST_RESULTS = 3, MOST = 5000 };

struct example {
    const char *name, *text;
    bool batch;
    enum weft_status status; /* that it ends in */
};

static const struct example examples[] = {
    {"clamp", "uint8(clamp(x * [1.25, 0.75, 0.75], 2, 7))", .status = WEFT_OK},
    {"select", "x[1:, ::2] + x[:-1, 1:]", .status = WEFT_OK},
    {"sum", "sum(x, axis=0) / 3", .status = WEFT_OK},
    {"batch", "exp(x) * 0 + x", .batch = true},
    {"literal", "x * [1, 2, 3] + [[4.5], [5], [6], [7]]", .status = WEFT_OK},
    {"results", "mean = sum(x) / 12; return low = min(x), mean, twice = x * 2", .status = WEFT_OK},
    {"syntax", "x + (2 *", .status = WEFT_SYNTAX_ERROR},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static const char kernels[] = "kernel twice(x: float32[n]) { return y = x * 2 }\n"
                              "kernel half(x: uint8[h, w], k: number) { return y = uint8(x * k) }\n";

/* Where kernels come from. */
static const struct mode {
    const char *name;
    enum weft_tier tier;
    bool cache, cleared;
} modes[] = {{"cold", WEFT_TIER_NONE, true, true},
             {"disk", WEFT_TIER_NONE, true, false},
             {"both", WEFT_TIER_FAST, false, true}};
enum { MODES = sizeof modes / sizeof *modes };

static char cache[512];
static const char *compiler;

/* ---- one life of a program ---- */

struct life {
    const struct example *example;
    const struct mode *mode;
    struct weft_context *context;
    struct weft_program *program;
    double results[MOST_RESULTS][2][ROWS * COLUMNS]; /* room for any result of each of the samples */
};

static bool memory_fails;          /* so there may be none for a record */

/* A failure comes with its record, and success without an error. */
static enum weft_status checked(enum weft_status status, struct weft_error **error)
{
    const bool told = *error && (*error)->status < 0;
    if (told && getenv("FAULT_ONLY"))
        fprintf(stderr, "%s\n", (*error)->message);
    weft_error_destroy(*error);
    *error = NULL;
    if ((status < 0) != told && !(memory_fails && !told)) {
        fprintf(stderr, "status %d %s an error's record\n", status, told ? "with" : "without");
        abort();
    }
    return status;
}

static enum weft_status begin(struct life *life)
{
    const struct mode *mode = life->mode;
    const struct weft_context_params params = {.cc = compiler, .tier = mode->tier,
                                               .cache = mode->cache ? cache : "", .threads = 2};
    struct weft_error *error = NULL;
    enum weft_status status = WEFT_OK;
    if (!life->context)
        status = checked(weft_context_create(&params, &life->context, &error), &error);
    if (status >= 0 && !life->program)
        status = checked(weft_compile(life->context, life->example->text, NULL, &life->program, &error), &error);
    return status;
}

/* The sources of kernels ahead of time, and the text of a stage. */
static enum weft_status make_texts(struct life *life)
{
    struct weft_file *files = NULL;
    struct weft_error *error = NULL;
    size_t count;
    char *text = NULL;
    enum weft_status status = checked(weft_build(life->context, kernels, NULL, &files, &count, &error), &error);
    weft_free(files);
    if (status >= 0)
        status = checked(weft_program_stage(life->program, "ast", &text, &error), &error);
    weft_free(text);
    return status;
}

static enum weft_status run(struct life *life)
{
    static float x[2][ROWS * COLUMNS];
    int64_t shape[] = {ROWS, COLUMNS};
    DLTensor samples[2], results[MOST_RESULTS][2];
    struct weft_argument input = {.tensors = samples, .count = 1 + life->example->batch, .batch = life->example->batch};
    struct weft_argument outputs[MOST_RESULTS];
    struct weft_tensor_info infos[MOST_RESULTS];
    struct weft_kernel_info made[4];
    struct weft_error *error = NULL;
    const size_t count = weft_program_result_count(life->program);
    size_t made_count = 4;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[0][i] = (float)i, x[1][i] = (float)i / 2;
    for (int s = 0; s < 2; s++)
        samples[s] = (DLTensor){.data = x[s], .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1},
                                .shape = shape};
    enum weft_status status = checked(weft_infer(life->program, &input, 1, infos, &error), &error);
    for (size_t r = 0; status >= 0 && r < count; r++) {
        for (int s = 0; s < 2; s++)
            results[r][s] = (DLTensor){.data = life->results[r][s], .device = {kDLCPU, 0}, .ndim = infos[r].rank,
                                       .dtype = weft_dtype_to_dlpack(infos[r].dtype), .shape = infos[r].shape};
        outputs[r] = (struct weft_argument){.tensors = results[r], .count = infos[r].count, .batch = infos[r].batch};
    }
    const struct weft_run_params params = {&input, 1, outputs, count, NULL};
    if (status >= 0)
        status = checked(weft_run(life->program, &params, &error), &error);
    if (status >= 0)
        status = checked(weft_prepare(life->program, &params, made, &made_count, &error), &error);
    return status;
}

/* All of it; the first status that is none of success. */
static enum weft_status live(struct life *life)
{
    memset(life->results, 0, sizeof life->results);
    enum weft_status status = begin(life);
    status = status < 0 ? status : run(life);
    return status < 0 ? status : make_texts(life);
}

static void finish(struct life *life)
{
    weft_program_destroy(life->program);
    weft_context_destroy(life->context);
    life->program = NULL;
    life->context = NULL;
}

/* ---- what is left ---- */

static int count_names(const char *path)
{
    DIR *list = opendir(path);
    int count = 0;
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

static void clear_cache(const struct mode *mode)
{
    struct weft_cache_removed removed;
    if (mode->cleared && mode->cache)
        weft_cache_clear(cache, &removed, NULL);
}

struct state {
    long blocks;
    int descriptors, temporaries;
};

static struct state look(void)
{
    return (struct state){fault_blocks(), count_names("/proc/self/fd"), count_names(getenv("TMPDIR"))};
}

/* ---- failing ---- */

struct round {
    struct life *life;
    const double (*expected)[2][ROWS * COLUMNS];
    enum fault_kind kind;
    bool on;
};

static bool is_right(const struct round *round, enum weft_status status)
{
    const struct life *life = round->life;
    return status == life->example->status &&
           (status < 0 || memcmp(life->results, round->expected, sizeof life->results) == 0);
}

/* Fails call n and lives again; what is wrong, NULL: nothing. */
static const char *fail(const struct round *round, long n, bool *failed)
{
    struct life *life = round->life;
    clear_cache(life->mode);
    const struct state before = look();
    fault_arm(round->kind, n, round->on);
    memory_fails = round->kind == FAULT_MEMORY;
    const enum weft_status status = live(life);
    memory_fails = false;
    *failed = fault_failed();
    fault_arm(FAULT_NONE, 0, false);
    const char *wrong = is_right(round, status)  ? NULL
                        : status >= 0            ? "another result"
                        : status == WEFT_INTERNAL_ERROR || !*failed ? "a status of another kind"
                                                 : NULL;
    if (!wrong && !is_right(round, live(life)))
        wrong = "the next run";
    finish(life);
    const struct state after = look();
    if (!wrong && after.descriptors != before.descriptors)
        wrong = "descriptors are left";
    if (!wrong && after.temporaries != before.temporaries)
        wrong = "files are left";
    return !wrong && after.blocks > before.blocks ? "memory is left" : wrong;
}

static int told; /* cases, so far */

static bool fail_each(const struct round *round, const char *name)
{
    const long step = sample_setting("WEFT_STEP", 1);
    long count = 0, problems = 0;
    bool failed = true;
    for (long n = 1; failed && n < MOST; n += step) {
        const char *wrong = fail(round, n, &failed);
        /* Whatever is made once, for a thread or for the process, is no loss: it does not grow. */
        if (wrong && strcmp(wrong, "memory is left") == 0)
            wrong = fail(round, n, &failed);
        if (wrong && problems++ < 3)
            printf("# %ld%s: %s\n", n, round->on ? "+" : "", wrong);
        count += failed;
    }
    printf("%sok %d %s%s: %ld\n", problems ? "not " : "", ++told, name, round->on ? "+" : "", count);
    fflush(stdout);
    return problems == 0;
}

/* ---- all cases ---- */

static bool try_case(int number, int example, int mode, int kind, bool on)
{
    static struct life life, good;
    char name[96];
    snprintf(name, sizeof name, "%s, %s, %s", examples[example].name, modes[mode].name, fault_names[kind]);
    const char *only = getenv("FAULT_ONLY");
    if (only ? strcmp(only, name) != 0 : !sample_chosen(number))
        return true;
    good = life = (struct life){.example = &examples[example], .mode = &modes[mode]};
    for (int i = 0; i < 2; i++) { /* the second has what is made once */
        if (live(&good) != examples[example].status) {
            printf("not ok %d %s: it is wrong without a failure\n", ++told, name);
            return false;
        }
        finish(&good);
    }
    return fail_each(&(struct round){&life, good.results, (enum fault_kind)kind, on}, name);
}

int main(int argc, char **argv)
{
    int number = 0, failures = 0;
    if (argc != 3)
        return 2;
    mkdir(argv[2], 0777);
    char *folder = realpath(argv[2], NULL), *tmp = NULL;
    compiler = realpath(argv[1], NULL);
    if (!folder || !compiler || asprintf(&tmp, "%s/tmp", folder) < 0)
        return 2;
    mkdir(tmp, 0777);
    setenv("TMPDIR", tmp, 1);
    setenv("FAULT_STORE", folder, 1);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    /* Where nothing can be opened or moved any more, nothing can be tidied up. */
    for (int on = 0; on < 2; on++)
        for (int m = 0; m < MODES; m++)
            for (int e = 0; e < EXAMPLES; e++)
                for (int k = 1; k < FAULT_KINDS; k++)
                    if (!on || !(k == FAULT_OPEN || k == FAULT_READ || k == FAULT_MOVE || k == FAULT_LOOK))
                        failures += !try_case(++number, e, m, k, on);
    free(tmp);
    free(folder);
    printf("1..%d\n", told);
    return failures != 0;
}
