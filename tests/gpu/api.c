/* See api.h. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void tell(struct weft_error *error, char *message)
{
    *message = '\0';
    if (error)
        weft_error_render(error, message, API_MESSAGE);
    weft_error_destroy(error);
}

static void must(enum weft_status status, struct weft_error *error)
{
    char message[API_MESSAGE];
    tell(error, message);
    if (status != WEFT_OK)
        fail_msg("status %d: %s", status, message);
}

struct weft_context *api_context(enum weft_target target)
{
    const struct weft_context_params params = {.target = target, .tier = WEFT_TIER_NONE};
    struct weft_context *context = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_create(&params, &context, &error);
    must(status, error);
    return context;
}

struct weft_program *api_compile(struct weft_context *context, const char *text)
{
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_compile(context, text, NULL, &program, &error);
    must(status, error);
    return program;
}

struct arguments {
    DLTensor tensors[API_LINES];
    struct weft_argument items[API_LINES];
    size_t count;
};

static void read(const struct api_line *lines, struct arguments *arguments)
{
    size_t i = 0;
    for (; i < API_LINES && lines[i].name; i++) {
        const struct api_line *line = &lines[i];
        DLDevice device = {line->where == API_HOST ? kDLCPU : line->where == API_PINNED ? kDLCUDAHost : kDLCUDA,
                           line->where < 0 ? 0 : line->where};
        arguments->tensors[i] = (DLTensor){.data = line->data, .device = device, .ndim = 1,
                                           .dtype = weft_dtype_to_dlpack(line->dtype),
                                           .shape = (int64_t *)&line->count};
        arguments->items[i] = (struct weft_argument){line->name, &arguments->tensors[i], 1, false};
    }
    arguments->count = i;
}

static enum weft_status perform(struct weft_program *program, const struct api_call *call, bool prepare,
                                struct weft_error **error)
{
    struct arguments inputs, outputs;
    read(call->inputs, &inputs);
    read(call->outputs, &outputs);
    const struct weft_run_params params = {inputs.items, inputs.count, outputs.items, outputs.count, call->stream};
    enum weft_status status = prepare ? weft_prepare(program, &params, NULL, NULL, error)
                                      : weft_run(program, &params, error);
    memset(&inputs, 0xff, sizeof inputs); /* they are ours again */
    memset(&outputs, 0xff, sizeof outputs);
    return status;
}

enum weft_status api_try(struct weft_program *program, const struct api_call *call, char *message)
{
    struct weft_error *error = NULL;
    enum weft_status status = perform(program, call, false, &error);
    tell(error, message);
    return status;
}

void api_run(struct weft_program *program, const struct api_call *call)
{
    struct weft_error *error = NULL;
    enum weft_status status = perform(program, call, false, &error);
    must(status, error);
}

void api_prepare(struct weft_program *program, const struct api_call *call)
{
    struct weft_error *error = NULL;
    enum weft_status status = perform(program, call, true, &error);
    must(status, error);
}

enum weft_status api_status(struct weft_context *context, void *stream, char *message)
{
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_status(context, stream, &error);
    tell(error, message);
    return status;
}

#define COSTLY(x) "sin(sin(sin(sin(sin(sin(sin(sin(sin(sin(sin(sin(" x "))))))))))))"
const char api_parts_text[] = COSTLY("row") " + " COSTLY("column");

void api_parts(struct weft_program *program, uint64_t row, uint64_t column, uint64_t out, void *stream, bool prepare)
{
    int64_t shapes[3][2] = {{API_SIDE, 0}, {API_SIDE, 1}, {API_SIDE, API_SIDE}};
    const uint64_t addresses[] = {row, column, out};
    DLTensor tensors[3];
    size_t kernels = 0;
    for (int t = 0; t < 3; t++)
        tensors[t] = (DLTensor){.data = (void *)(uintptr_t)addresses[t], .device = {kDLCUDA, 0}, .ndim = t ? 2 : 1,
                                .dtype = {kDLFloat, 32, 1}, .shape = shapes[t]};
    const struct weft_argument inputs[] = {{.name = "row", .tensors = &tensors[0]},
                                           {.name = "column", .tensors = &tensors[1]}};
    const struct weft_argument output = {.tensors = &tensors[2]};
    const struct weft_run_params params = {inputs, 2, &output, 1, stream};
    struct weft_error *error = NULL;
    enum weft_status status = prepare ? weft_prepare(program, &params, NULL, &kernels, &error)
                                      : weft_run(program, &params, &error);
    must(status, error);
    assert_int_equal(kernels, prepare ? 3 : 0);
}

uint64_t api_floats(int64_t count, float (*x)(int64_t i))
{
    float *values = malloc((size_t)count * sizeof *values);
    uint64_t address = gpu_alloc((size_t)count * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = x(i);
    gpu_upload(address, values, (size_t)count * sizeof *values);
    free(values);
    return address;
}

uint64_t api_blank(size_t bytes)
{
    uint64_t address = gpu_alloc(bytes);
    gpu_fill(address, 0xff, bytes);
    return address;
}

struct api_line api_on(const char *name, uint64_t address, int64_t count)
{
    return (struct api_line){name, WEFT_FLOAT32, count, (void *)(uintptr_t)address, 0};
}

void api_check(uint64_t address, int64_t count, float (*expected)(int64_t i))
{
    float *got = malloc((size_t)count * sizeof *got);
    gpu_download(got, address, (size_t)count * sizeof *got);
    for (int64_t i = 0; i < count; i++)
        if (got[i] != expected(i))
            fail_msg("element %lld is %g and not %g", (long long)i, (double)got[i], (double)expected(i));
    free(got);
}
