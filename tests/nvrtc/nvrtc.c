/* NVRTC takes every kernel: no GPU is needed, and nothing is run.
 *
 *     nvrtc ARCH rows PART PARTS    every row on every pair of dtypes, a part of the programs
 *     nvrtc ARCH some               every function, cast and wrap, and every row on some pairs
 *     nvrtc ARCH fast               the same with math=fast
 *     nvrtc ARCH golden DIRECTORY   the texts DIRECTORY/NAME.cuda (see golden.py)
 *
 * Each program makes a cubin. Prints TAP; all is skipped where there is no NVRTC, or one that does not know
 * the architecture. */
#include "include/weft/weft.h"
#include "tests/diff/row_jobs.h"
#include "tests/nvrtc/cubin.h"
#include "tests/sample.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suite {
    struct weft_context *context;
    const char *arch;
    enum weft_math math;
    int count, failed;
};

static void judge(struct suite *suite, const char *what, const char *complaint)
{
    suite->count++;
    suite->failed += complaint != NULL;
    printf("%sok %d - %s on %s\n", complaint ? "not " : "", suite->count, what, suite->arch);
    for (const char *line = complaint; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        printf("# %.*s\n", (int)strcspn(line, "\n"), line);
    fflush(stdout);
}

/* The texts of several kernels stand one after the other. Changes `text`. */
static const char *compile_all(struct suite *suite, char *text)
{
    while (*text) {
        char *kernel = strstr(text, "weft_kernel("), *end = kernel ? strstr(kernel, "\n}\n") : NULL;
        if (!end)
            return "the text has no kernel";
        char next = end[3];
        end[3] = '\0';
        const char *complaint = cubin_complaint(suite->context, suite->math, text);
        if (complaint)
            return complaint;
        text = end + 3;
        *text = next;
    }
    return NULL;
}

/* ---- rows ---- */

static struct weft_program *compile_program(struct suite *suite, const char *text,
                                            const struct row_jobs *jobs)
{
    struct weft_input_type types[3];
    char names[3][40];
    struct weft_program *program = NULL;
    for (int i = 0; i < jobs->input_count; i++) {
        snprintf(names[i], sizeof names[i], "%s[1000, 3]", type_rows[jobs->dtypes[i]].name);
        types[i] = (struct weft_input_type){row_names[i], names[i]};
    }
    const struct weft_compile_params params = {
        .inputs = types, .input_count = (size_t)jobs->input_count, .math = suite->math};
    weft_compile(suite->context, text, &params, &program, NULL);
    return program;
}

static void check_jobs(struct suite *suite, const struct row_jobs *jobs, const char *what)
{
    char program_text[ROW_TEXT], *text = NULL;
    struct weft_program *program = compile_program(suite, row_jobs_text(program_text, jobs), jobs);
    if (!program || weft_program_stage(program, "cuda-compiled", &text, NULL) != WEFT_OK)
        judge(suite, what, "Weft makes no kernel of it");
    else
        judge(suite, what, compile_all(suite, text));
    weft_free(text);
    weft_program_destroy(program);
}

static void check_one(struct suite *suite, enum weft_dtype dtype)
{
    char what[100];
    struct row_jobs jobs;
    row_jobs_of_one(dtype, &jobs);
    snprintf(what, sizeof what, "%d of one %s", jobs.count, type_rows[dtype].name);
    check_jobs(suite, &jobs, what);
}

static void check_pair(struct suite *suite, enum weft_dtype a, enum weft_dtype b)
{
    char what[100];
    struct row_jobs jobs;
    row_jobs_of_pair(a, b, &jobs);
    snprintf(what, sizeof what, "%d of %s and %s", jobs.count, type_rows[a].name, type_rows[b].name);
    check_jobs(suite, &jobs, what);
}

static void check_rows(struct suite *suite, int part, int parts)
{
    int number = 0;
    for (int a = 0; a < WEFT_DTYPE_COUNT; a++) {
        if (number++ % parts == part)
            check_one(suite, a);
        for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
            if (number++ % parts == part && sample_chosen(sample_pair(a, b, WEFT_DTYPE_COUNT)))
                check_pair(suite, a, b);
    }
}

/* Every dtype beside itself: what rows have helpers for. Where a part is tried, each architecture has its own. */
static void check_some(struct suite *suite)
{
    const int turn = atoi(suite->arch + strcspn(suite->arch, "0123456789"));
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        if (!sample_chosen(t + turn))
            continue;
        check_one(suite, t);
        check_pair(suite, t, t);
    }
}

/* ---- golden texts ---- */

static void check_file(struct suite *suite, const char *directory, const char *name)
{
    static char text[1 << 20];
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    judge(suite, name, length ? compile_all(suite, text) : "it cannot be read");
}

static void check_golden(struct suite *suite, const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *end = strrchr(entries[i]->d_name, '.');
        if (end && strcmp(end, ".cuda") == 0)
            check_file(suite, directory, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (!suite->count)
        judge(suite, "golden texts", "there are none");
}

static int run(struct suite *suite, int count, char **words)
{
    const char *reason = cubin_unavailable(suite->context, suite->arch);
    if (reason)
        return printf("1..0 # skip %s\n", reason) < 0;
    if (strcmp(words[0], "rows") == 0 && count == 3)
        check_rows(suite, atoi(words[1]), atoi(words[2]));
    else if (strcmp(words[0], "golden") == 0 && count == 2)
        check_golden(suite, words[1]);
    else
        check_some(suite);
    printf("1..%d\n", suite->count);
    return suite->failed > 0;
}

int main(int argc, char **argv)
{
    struct suite suite = {.arch = argv[1]};
    if (argc < 3 || weft_context_create(&(struct weft_context_params){.arch = argv[1], .cache = ""},
                                        &suite.context, NULL) != WEFT_OK)
        return 2;
    suite.math = strcmp(argv[2], "fast") == 0 ? WEFT_MATH_FAST : WEFT_MATH_STRICT;
    int status = run(&suite, argc - 2, argv + 2);
    cubin_finish();
    weft_context_destroy(suite.context);
    return status;
}
