/* See pair.h. */
#include "tests/gpu/pair.h"

#include "tests/gpu/mirror.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct request {
    enum weft_target target;
    const char *disable, *text;
    enum weft_math math;
    const struct line *inputs, *out;
    int input_count;
};

static DLTensor described(const struct line *line)
{
    return (DLTensor){.data = line->data, .device = {kDLCPU, 0}, .ndim = 1,
                      .dtype = weft_dtype_to_dlpack(line->dtype), .shape = (int64_t *)&line->count};
}

static enum weft_status run(const struct request *request, struct weft_context *context,
                            struct weft_program *program, struct weft_error **error)
{
    static const char *const names[PAIR_INPUTS] = {"a", "b", "c"};
    DLTensor tensors[PAIR_INPUTS], out = described(request->out);
    struct weft_argument inputs[PAIR_INPUTS] = {{0}}, output = {.tensors = &out};
    for (int i = 0; i < request->input_count; i++) {
        tensors[i] = described(&request->inputs[i]);
        inputs[i] = (struct weft_argument){.name = names[i], .tensors = &tensors[i]};
    }
    const struct weft_run_params params = {inputs, (size_t)request->input_count, &output, 1, NULL};
    return request->target == WEFT_TARGET_C ? weft_run(program, &params, error)
                                            : mirror_run(context, program, &params, error);
}

static enum weft_status ask(const struct request *request, char *message, size_t size)
{
    const struct weft_context_params params = {.target = request->target, .disable = request->disable,
                                               .tier = WEFT_TIER_NONE};
    const struct weft_compile_params how = {.math = request->math};
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_create(&params, &context, &error);
    if (status >= 0)
        status = weft_compile(context, request->text, &how, &program, &error);
    if (status >= 0) {
        weft_error_destroy(error);
        status = run(request, context, program, &error);
    }
    if (size)
        *message = '\0';
    if (error && size)
        weft_error_render(error, message, size);
    weft_error_destroy(error);
    weft_program_destroy(program);
    weft_context_destroy(context);
    return status;
}

void pair_run(enum weft_target target, const char *disable, enum weft_math math, const char *text,
              const struct line *inputs, int input_count, const struct line *out)
{
    const struct request request = {target, disable, text, math, inputs, out, input_count};
    char message[2000];
    if (ask(&request, message, sizeof message) < 0)
        fail_msg("%s: %s", text, message);
}

enum weft_status pair_try(enum weft_target target, const char *text, const struct line *inputs,
                          int input_count, const struct line *out, char *message, size_t size)
{
    const struct request request = {target, "", text, WEFT_MATH_STRICT, inputs, out, input_count};
    return ask(&request, message, size);
}

static int is_nan(enum weft_dtype dtype, const void *at)
{
    uint16_t bits;
    float single;
    double wide;
    memcpy(&bits, at, sizeof bits);
    if (dtype == WEFT_FLOAT16)
        return (bits & 0x7fff) > 0x7c00;
    if (dtype == WEFT_BFLOAT16)
        return (bits & 0x7fff) > 0x7f80;
    if (dtype == WEFT_FLOAT32)
        return memcpy(&single, at, sizeof single), isnan(single);
    return dtype == WEFT_FLOAT64 && (memcpy(&wide, at, sizeof wide), isnan(wide));
}

int pair_same(enum weft_dtype dtype, const void *a, const void *b)
{
    bool real = dtype >= WEFT_FLOAT16 && dtype <= WEFT_FLOAT64;
    return memcmp(a, b, weft_dtype_size(dtype)) == 0 || (real && is_nan(dtype, a) && is_nan(dtype, b));
}

void pair_compare(const char *text, const struct line *a, const struct line *b)
{
    size_t size = weft_dtype_size(a->dtype);
    for (int64_t i = 0; i < a->count; i++) {
        const unsigned char *x = (const unsigned char *)a->data + (size_t)i * size;
        const unsigned char *y = (const unsigned char *)b->data + (size_t)i * size;
        if (pair_same(a->dtype, x, y))
            continue;
        uint64_t left = 0, right = 0;
        memcpy(&left, x, size), memcpy(&right, y, size);
        fail_msg("%s: element %lld is %#llx in C and %#llx on the GPU", text, (long long)i,
                 (unsigned long long)left, (unsigned long long)right);
    }
}
