/* Compiles and warm calls of one text twice, by names and by positions, for names.py: callgrind dumps what each takes,
 * compiles first.
 *
 *     names COUNT TEXT TEXT {NAME TYPE TYPE EXTENTS}
 *
 * Of each input come its type by names and by positions, and its extents, as 4,5,3; its elements are float32. A compile
 * is weft_compile and weft_prepare, with kernels that are there. */
#include "include/weft/weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { MOST = 8, RANK = 8, WARM = 5 };

static struct weft_argument inputs[MOST];
static DLTensor tensors[MOST];
static int64_t extents[MOST][RANK];

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

/* Reads extents, and makes a tensor of them. */
static void make_tensor(int i, char *text)
{
    int64_t count = 1;
    DLTensor *tensor = &tensors[i];
    *tensor = (DLTensor){.device = {kDLCPU, 0}, .dtype = {kDLFloat, 32, 1}, .shape = extents[i]};
    for (; *text; text += *text == ',')
        count *= extents[i][tensor->ndim++] = strtoll(text, &text, 10);
    float *elements = calloc((size_t)count, sizeof *elements);
    for (int64_t k = 0; k < count; k++)
        elements[k] = (float)(k % 7);
    tensor->data = elements;
    inputs[i].tensors = tensor;
    inputs[i].count = 1;
}

static struct weft_program *compile(struct weft_context *context, const char *text,
                                    const struct weft_input_type *types, size_t count)
{
    const struct weft_compile_params params = {.inputs = types, .input_count = count};
    struct weft_program *program;
    struct weft_error *error = NULL;
    check(weft_compile(context, text, &params, &program, &error), error);
    return program;
}

int main(int argc, char **argv)
{
    struct weft_input_type types[2][MOST] = {{{0}}};
    struct weft_context *context = NULL;
    struct weft_error *error = NULL;
    const int repeats = argc > 3 ? atoi(argv[1]) : 0;
    const size_t count = (size_t)(argc - 4) / 4;
    if (argc < 8 || count > MOST)
        return 2;
    for (size_t i = 0; i < count; i++) {
        inputs[i].name = argv[4 + 4 * i];
        for (int how = 0; how < 2; how++)
            types[how][i] = (struct weft_input_type){.name = inputs[i].name, .type = argv[5 + 4 * i + how]};
        make_tensor((int)i, argv[7 + 4 * i]);
    }
    check(weft_context_create(NULL, &context, &error), error);
    for (int how = 0; how < 2; how++) {
        struct weft_program *program = compile(context, argv[2 + how], types[how], count);
        struct weft_results results;
        check(weft_results_alloc(program, inputs, count, &results, &error), error);
        const struct weft_run_params params = {inputs, count, results.items, results.count, NULL};
        check(weft_prepare(program, &params, NULL, NULL, &error), error); /* waits for the good kernel */
        for (int i = -WARM; i < repeats; i++) {
            if (i == 0)
                CALLGRIND_ZERO_STATS;
            struct weft_program *again = compile(context, argv[2 + how], types[how], count);
            check(weft_prepare(again, &params, NULL, NULL, &error), error);
            weft_program_destroy(again);
        }
        CALLGRIND_DUMP_STATS;
        for (int i = -WARM; i < repeats; i++) {
            if (i == 0)
                CALLGRIND_ZERO_STATS;
            check(weft_run(program, &params, &error), error);
        }
        CALLGRIND_DUMP_STATS;
        weft_results_free(&results);
        weft_program_destroy(program);
    }
    weft_context_destroy(context);
    return 0;
}
