/* Warm calls of weft_run on tiny tensors, for overhead.py: under callgrind only the counted calls are
 * collected; elsewhere the requests to callgrind do nothing and the time per call is printed.
 *
 *     overhead TEXT OPERANDS ELEMENTS named|placed|batch CALLS
 *
 * With `batch` each tensor is a batch of one sample. */
#include "include/weft/weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum { MAX_OPERANDS = 3, MAX_ELEMENTS = 4096, WARM = 20 };

static float data[MAX_OPERANDS + 1][MAX_ELEMENTS];
static int64_t shape[1];

static void check(enum weft_status status, struct weft_error *error)
{
    char text[2000] = "";
    if (status >= 0)
        return;
    if (error)
        weft_error_render(error, text, sizeof text);
    fprintf(stderr, "status %d: %s\n", status, text);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"a", "b", "c"};
    DLTensor tensors[MAX_OPERANDS + 1];
    struct weft_argument arguments[MAX_OPERANDS + 1] = {{0}};
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    if (argc != 6)
        return 2;
    int operands = atoi(argv[2]), calls = atoi(argv[5]);
    shape[0] = atoi(argv[3]);
    for (int i = 0; i <= operands; i++) {
        for (int j = 0; j < MAX_ELEMENTS; j++)
            data[i][j] = (float)(i + j);
        tensors[i] = (DLTensor){.data = data[i], .device = {kDLCPU, 0}, .ndim = shape[0] > 0,
                                .dtype = {kDLFloat, 32, 1}, .shape = shape};
        arguments[i].tensors = &tensors[i];
        arguments[i].count = arguments[i].batch = strcmp(argv[4], "batch") == 0;
        if (i < operands && strcmp(argv[4], "named") == 0)
            arguments[i].name = names[i];
    }
    if (strncmp(argv[1], "sum", 3) == 0)
        tensors[operands].ndim = 0;
    const struct weft_run_params params = {arguments, (size_t)operands, &arguments[operands], 1, NULL};
    check(weft_context_create(NULL, &context, &error), error);
    check(weft_compile(context, argv[1], NULL, &program, &error), error);
    check(weft_prepare(program, &params, NULL, NULL, &error), error); /* waits for the good kernel */
    for (int i = 0; i < WARM; i++)
        check(weft_run(program, &params, &error), error);
    CALLGRIND_ZERO_STATS;
    double start = now();
    for (int i = 0; i < calls; i++)
        weft_run(program, &params, NULL);
    double seconds = now() - start;
    CALLGRIND_DUMP_STATS;
    printf("%.1f\n", 1e9 * seconds / calls);
    weft_program_destroy(program);
    weft_context_destroy(context);
    return 0;
}
