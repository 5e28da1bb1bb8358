/* evaluate EXPR: an expression over x, compiled and run while this program runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

enum { COUNT = 10 };

static void print_errors(const struct weft_error *error)
{
    char text[2048];
    for (; error; error = error->next) {
        weft_error_render(error, text, sizeof text);
        fputs(text, stderr);
    }
}

/* Elements of 16-bit floats have no type in C: float32(...) in the expression converts them. */
static double element(const void *data, enum weft_dtype dtype, int64_t i)
{
    switch (dtype) {
    case WEFT_BOOL:
    case WEFT_UINT8: return ((const uint8_t *)data)[i];
    case WEFT_UINT16: return ((const uint16_t *)data)[i];
    case WEFT_UINT32: return ((const uint32_t *)data)[i];
    case WEFT_UINT64: return (double)((const uint64_t *)data)[i];
    case WEFT_INT8: return ((const int8_t *)data)[i];
    case WEFT_INT16: return ((const int16_t *)data)[i];
    case WEFT_INT32: return ((const int32_t *)data)[i];
    case WEFT_INT64: return (double)((const int64_t *)data)[i];
    case WEFT_FLOAT32: return ((const float *)data)[i];
    case WEFT_FLOAT64: return ((const double *)data)[i];
    default: return NAN;
    }
}

/* Runs the program on x, into memory made for whatever it computes. */
static enum weft_status run(struct weft_program *program, const struct weft_argument *input,
                            struct weft_error **error)
{
    struct weft_tensor_info info;
    enum weft_status status = weft_infer(program, input, 1, &info, error);
    if (status < 0)
        return status;
    void *data = calloc(COUNT, weft_dtype_size(info.dtype));
    DLTensor out = {.data = data, .device = {kDLCPU, 0}, .ndim = info.rank,
                    .dtype = weft_dtype_to_dlpack(info.dtype), .shape = info.shape};
    const struct weft_argument output = {.tensors = &out};
    status = weft_run(program, &(struct weft_run_params){.inputs = input, .input_count = 1,
                                                         .outputs = &output, .output_count = 1}, error);
    if (status >= 0) {
        printf("%s:", weft_dtype_name(info.dtype));
        for (int64_t i = 0; i < (info.rank ? info.shape[0] : 1); i++)
            printf(" %g", element(data, info.dtype, i));
        putchar('\n');
    }
    free(data);
    return status;
}

int main(int argc, char **argv)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    DLTensor x = {.data = values, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1},
                  .shape = (int64_t[]){COUNT}};
    const struct weft_argument input = {.name = "x", .tensors = &x};

    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_create(NULL, &context, &error);
    if (status >= 0)
        status = weft_compile(context, argc > 1 ? argv[1] : "x * x", NULL, &program, &error);
    if (status >= 0)
        status = run(program, &input, &error);
    print_errors(error);
    weft_error_destroy(error);
    weft_program_destroy(program);
    weft_context_destroy(context);
    return status < 0;
}
