/* See run.h. */
#include "tests/diff/run.h"

#include "tests/gpu/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ARGUMENTS = 256 };

struct tensor tensor_new(enum weft_dtype dtype, int rank, const int64_t *shape)
{
    struct tensor tensor = {.dtype = dtype, .rank = rank};
    int64_t count = 1;
    for (int d = rank - 1; d >= 0; d--) {
        tensor.shape[d] = shape[d];
        tensor.strides[d] = count;
        count *= shape[d];
    }
    tensor.memory = calloc((size_t)count + 1, weft_dtype_size(dtype));
    assert_non_null(tensor.memory);
    tensor.data = tensor.memory;
    return tensor;
}

struct tensor tensor_line(enum weft_dtype dtype, int64_t length)
{
    return tensor_new(dtype, 1, &length);
}

void tensor_free(struct tensor *tensor)
{
    free(tensor->memory);
    tensor->memory = tensor->data = NULL;
}

void *tensor_at(const struct tensor *tensor, const int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < tensor->rank; d++)
        offset += index[d] * tensor->strides[d];
    return tensor->data + offset * type_rows[tensor->dtype].size;
}

union scalar tensor_get(const struct tensor *tensor, int64_t position)
{
    return scalar_load(tensor->data + position * type_rows[tensor->dtype].size,
                       tensor->dtype);
}

void tensor_set(const struct tensor *tensor, int64_t position, union scalar value)
{
    scalar_store(tensor->data + position * type_rows[tensor->dtype].size, tensor->dtype,
                 value);
}

/* ---- programs ---- */

static struct weft_context *context;

static void fail_with(const char *text, struct weft_error *error)
{
    char message[2000] = "no diagnostic";
    if (error)
        weft_error_render(error, message, sizeof message);
    fprintf(stderr, "%.300s\n%s", text, message);
    weft_error_destroy(error);
    fail();
}

static const char *disabled;       /* NULL: what WEFT_DISABLE says */
static int threads;
static enum weft_math math;
static bool quickly;

static struct weft_context *get_context(void)
{
    static const char *const flags[] = {"-O0", NULL};
    struct weft_error *error = NULL;
    const struct weft_context_params params = {.disable = disabled, .tier = WEFT_TIER_NONE, .threads = threads,
                                               .cflags = quickly ? flags : NULL};
    if (!context && weft_context_create(&params, &context, &error) != WEFT_OK)
        fail_with("weft_context_create", error);
    return context;
}

struct weft_context *run_swap(struct weft_context *other)
{
    struct weft_context *before = context;
    context = other;
    return before;
}

void run_finish(void)
{
    weft_context_destroy(context);
    context = NULL;
}

void run_disable(const char *words)
{
    run_finish();
    disabled = words;
}

void run_threads(int most)
{
    run_finish();
    threads = most;
}

bool run_in_c(void)
{
    const char *target = getenv("WEFT_TARGET"), *device = getenv("WEFT_TEST_DEVICE");
    return !(target && strcmp(target, "cuda") == 0) && !(device && *device);
}

bool run_has_levels(void)
{
    const char *flags = getenv("WEFT_CFLAGS"), *compiler = getenv("WEFT_CC");
    return !(flags && *flags) && !(compiler && strcmp(compiler, "libtcc") == 0) && run_in_c();
}

void run_quickly(bool wanted)
{
    run_finish();
    quickly = wanted;
}

void run_math(enum weft_math wanted)
{
    math = wanted;
}

struct weft_program *run_compile(const char *text)
{
    const struct weft_compile_params params = {.math = math};
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    if (weft_compile(get_context(), text, &params, &program, &error) < 0)
        fail_with(text, error);
    weft_error_destroy(error);
    return program;
}

enum weft_status run_status(const char *text, const struct weft_input_type *types, size_t count)
{
    const struct weft_compile_params params = {.inputs = types, .input_count = count};
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_compile(get_context(), text, &params, &program, &error);
    weft_error_destroy(error);
    weft_program_destroy(program);
    return status;
}

static DLTensor described(struct tensor *tensor)
{
    DLTensor out = {.data = tensor->data, .device = {kDLCPU, 0}, .ndim = tensor->rank,
                    .dtype = weft_dtype_to_dlpack(tensor->dtype), .shape = tensor->shape,
                    .strides = tensor->strides};
    return out;
}

/* The arguments of one call at a time. */
static struct weft_run_params params_of(const struct tensor *inputs, const char *const *names,
                                        int input_count, const struct tensor *outputs,
                                        int output_count)
{
    static struct tensor tensors[2][ARGUMENTS];
    static DLTensor described_[2][ARGUMENTS];
    static struct weft_argument arguments[2][ARGUMENTS];
    for (int i = 0; i < input_count + output_count; i++) {
        int side = i >= input_count, j = side ? i - input_count : i;
        tensors[side][j] = side ? outputs[j] : inputs[j];
        described_[side][j] = described(&tensors[side][j]);
        arguments[side][j] = (struct weft_argument){.name = side || !names ? NULL : names[j],
                                                    .tensors = &described_[side][j]};
    }
    return (struct weft_run_params){
        .inputs = arguments[0], .input_count = (size_t)input_count,
        .outputs = arguments[1], .output_count = (size_t)output_count};
}

enum weft_status run_try(struct weft_program *program, const struct tensor *inputs,
                         const char *const *names, int input_count,
                         const struct tensor *outputs, int output_count)
{
    struct weft_run_params params = params_of(inputs, names, input_count, outputs, output_count);
    return mirror_run(context, program, &params, NULL);
}

enum weft_status run_program(struct weft_program *program, const struct tensor *inputs,
                             const char *const *names, int input_count,
                             const struct tensor *outputs, int output_count,
                             struct weft_error **error)
{
    struct weft_run_params params = params_of(inputs, names, input_count, outputs, output_count);
    struct weft_error *told = NULL;
    enum weft_status status = mirror_run(context, program, &params, &told);
    if (status < 0)
        fail_with("weft_run", told);
    if (error)
        *error = told;
    else
        weft_error_destroy(told);
    return status;
}

/* Sample after sample to argument after argument. */
static void gather(const struct tensor *tensors, int count, int samples, struct tensor *kept, DLTensor *told,
                   struct weft_argument *arguments)
{
    for (int i = 0; i < count; i++) {
        arguments[i] = (struct weft_argument){.tensors = told + i * samples, .count = (size_t)samples,
                                              .batch = true};
        for (int s = 0; s < samples; s++) {
            kept[i * samples + s] = tensors[s * count + i];
            told[i * samples + s] = described(&kept[i * samples + s]);
        }
    }
}

enum weft_status run_batches(struct weft_program *program, const struct tensor *inputs,
                             const char *const *names, int input_count,
                             const struct tensor *outputs, int output_count, int samples,
                             struct weft_error **error)
{
    static struct tensor kept[2][ARGUMENTS];
    static DLTensor told[2][ARGUMENTS];
    static struct weft_argument arguments[2][ARGUMENTS];
    gather(inputs, input_count, samples, kept[0], told[0], arguments[0]);
    gather(outputs, output_count, samples, kept[1], told[1], arguments[1]);
    for (int i = 0; i < input_count; i++)
        arguments[0][i].name = names[i];
    const struct weft_run_params params = {
        .inputs = arguments[0], .input_count = (size_t)input_count,
        .outputs = arguments[1], .output_count = (size_t)output_count};
    enum weft_status status = mirror_run(context, program, &params, error);
    if (status < 0)
        fail_with("weft_run", error ? *error : NULL);
    return status;
}

size_t run_prepare(struct weft_program *program, const struct tensor *inputs,
                   const char *const *names, int input_count, size_t *fresh)
{
    struct weft_run_params params = params_of(inputs, names, input_count, NULL, 0);
    struct weft_kernel_info infos[ARGUMENTS];
    struct weft_error *told = NULL;
    size_t count = ARGUMENTS;
    if (weft_prepare(program, &params, infos, &count, &told) < 0)
        fail_with("weft_prepare", told);
    *fresh = 0;
    for (size_t k = 0; k < count; k++)
        *fresh += infos[k].origin != WEFT_FROM_MEMORY;
    return count;
}
