/* evaluate EXPR: an expression over x, computed while this program runs. */
#include <math.h>
#include <stdio.h>
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

static void print(const struct weft_tensor_info *info, const void *data)
{
    int64_t count = 1;
    for (int d = 0; d < info->rank; d++)
        count *= info->shape[d];
    printf("%s:", weft_dtype_name(info->dtype));
    for (int64_t i = 0; i < count; i++)
        printf(" %g", element(data, info->dtype, i));
    putchar('\n');
}

int main(int argc, char **argv)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    const DLTensor x = weft_dense(values, WEFT_FLOAT32, 1, (int64_t[]){COUNT});

    struct weft_context *context = NULL;
    struct weft_results results = {0};
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_create(NULL, &context, &error);
    if (status >= 0)
        status = weft_eval(context, argc > 1 ? argv[1] : "x * x", &results, &error, "x", &x, NULL);
    for (size_t r = 0; r < results.count; r++)
        print(&results.infos[r], results.items[r].tensors[0].data);
    print_errors(error);
    weft_error_destroy(error);
    weft_results_free(&results);
    weft_context_destroy(context);
    return status < 0;
}
