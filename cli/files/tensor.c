/* See tensor.h. */
#include "cli/files/tensor.h"

#include "cli/files/mapping.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* UNCHECKED: asking how much memory is available takes as long as filling this many bytes. */
enum { DATA_ALIGNMENT = 64, UNCHECKED = 1 << 18 };

bool tensor_bytes(const struct tensor *tensor, size_t *bytes)
{
    size_t size = weft_dtype_size(tensor->dtype);
    bool empty = false;
    for (int i = 0; i < tensor->rank; i++) {
        const int64_t extent = tensor->shape[i];
        empty |= extent == 0;
        if (extent < 0 || (extent && __builtin_mul_overflow(size, (size_t)extent, &size)) || size > PTRDIFF_MAX)
            return false;
    }
    *bytes = empty ? 0 : size;
    return true;
}

void tensor_set_strides(struct tensor *tensor, bool fortran)
{
    int64_t stride = 1;
    for (int i = 0; i < tensor->rank; i++) {
        int d = fortran ? i : tensor->rank - 1 - i;
        tensor->strides[d] = stride;
        stride *= tensor->shape[d] ? tensor->shape[d] : 1;
    }
}

/* The number behind `key` at the beginning of a line; negative if there is none. */
static double read_number(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    char line[256];
    double number = -1;
    while (file && number < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtod(line + strlen(key), NULL);
    if (file)
        fclose(file);
    return number;
}

static double limit_available(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return (double)SIZE_MAX;
    double pages = read_number("/proc/self/statm", "");
    double left = (double)limit.rlim_cur - (pages < 0 ? 0 : pages) * (double)sysconf(_SC_PAGESIZE);
    return left > 0 ? left : 0;
}

/* The smaller of what the machine and the process's own limit leave, in bytes. */
double memory_available(void)
{
    double kilobytes = read_number("/proc/meminfo", "MemAvailable:"), limit = limit_available();
    return kilobytes >= 0 && 1024 * kilobytes < limit ? 1024 * kilobytes : limit;
}

bool memory_check(struct report *report, const char *path, const char *what, double size)
{
    double available = memory_available();
    return size <= available || REPORT_FILE(report, path, FILE_MEMORY, what, report_size(report, size),
                                            report_size(report, available));
}

bool tensor_allocate(struct report *report, const char *path, const char *what,
                     struct tensor *tensor)
{
    size_t size;
    if (!tensor_bytes(tensor, &size) || size > PTRDIFF_MAX - DATA_ALIGNMENT)
        return REPORT_FILE(report, path, FILE_MEMORY, what, "more than 9.2 EB",
                           report_size(report, memory_available()));
    if (size > UNCHECKED && !memory_check(report, path, what, (double)size))
        return false;
    tensor->memory = aligned_alloc(DATA_ALIGNMENT, (size / DATA_ALIGNMENT + 1) * DATA_ALIGNMENT);
    if (!tensor->memory)
        return REPORT_FILE(report, path, FILE_MEMORY, what, report_size(report, (double)size),
                           report_size(report, memory_available()));
    tensor->data = tensor->memory;
    tensor->size = size;
    tensor_set_strides(tensor, false);
    return true;
}

static bool is_dense(const struct tensor *tensor)
{
    int64_t stride = 1;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        if (tensor->shape[d] > 1 && tensor->strides[d] != stride)
            return false;
        stride *= tensor->shape[d];
    }
    return true;
}

/* Copies what is below dimension `d`. */
static char *copy_elements(const struct tensor *tensor, size_t size, int d, const char *from, char *to)
{
    if (d == tensor->rank) {
        memcpy(to, from, size);
        return to + size;
    }
    for (int64_t i = 0; i < tensor->shape[d]; i++)
        to = copy_elements(tensor, size, d + 1, from + i * tensor->strides[d] * (int64_t)size, to);
    return to;
}

bool tensor_make_dense(struct report *report, const char *path, size_t alignment, struct tensor *tensor)
{
    struct tensor dense = *tensor;
    if (is_dense(tensor) && (uintptr_t)tensor->data % alignment == 0)
        return true;
    dense.mapping = NULL;
    if (!tensor_allocate(report, path, "the array", &dense))
        return false;
    if (dense.size)
        copy_elements(tensor, weft_dtype_size(tensor->dtype), 0, tensor->data, dense.data);
    tensor_finish(tensor);
    *tensor = dense;
    return true;
}

void tensor_finish(struct tensor *tensor)
{
    mapping_close(tensor->mapping);
    free(tensor->memory);
    tensor->mapping = NULL;
    tensor->memory = NULL;
}

DLTensor tensor_view(struct tensor *tensor)
{
    return (DLTensor){.data = tensor->data,
                      .device = {.device_type = kDLCPU},
                      .ndim = tensor->rank,
                      .dtype = weft_dtype_to_dlpack(tensor->dtype),
                      .shape = tensor->shape,
                      .strides = tensor->strides};
}

/* The length of a dimension of a type, up to the comma or bracket behind it; *sized is whether it has a size. */
static size_t dim_length(const char *text, bool *sized)
{
    int depth = 0;
    char quote = 0;
    size_t length = 0;
    *sized = *text == '(';         /* labels alone */
    for (; text[length] && (quote || depth || (text[length] != ',' && text[length] != ')')); length++) {
        const char c = text[length];
        quote = quote ? (c == quote ? 0 : quote) : c == '"' || c == '\'' ? c : 0;
        depth += quote ? 0 : (c == '(') - (c == ')');
        *sized = *sized || (!quote && c == '=' && text[length + 1] != '?');
    }
    return length;
}

/* Puts the sizes that are missing into named dimensions. */
static const char *sized_dims(struct pool *pool, const struct tensor *tensor)
{
    const char *made = "(", *text = tensor->dims + 1;
    bool sized;
    for (int d = 0; d < tensor->rank && *text && *text != ')'; d++) {
        text += strspn(text, " ");
        const size_t length = dim_length(text, &sized), name = strcspn(text, "=,)");
        made = sized ? pool_printf(pool, "%s%s%.*s", made, d ? ", " : "", (int)length, text)
                     : pool_printf(pool, "%s%s%.*s=%" PRId64, made, d ? ", " : "", (int)name, text, tensor->shape[d]);
        text += length + (text[length] == ',');
    }
    return pool_printf(pool, "%s)", made);
}

const char *tensor_type(struct pool *pool, const struct tensor *tensor)
{
    const char *extents[WEFT_MAX_RANK];
    if (tensor->dims && tensor->rank)
        return pool_printf(pool, "%s%s", weft_dtype_name(tensor->dtype), sized_dims(pool, tensor));
    for (int i = 0; i < tensor->rank; i++)
        extents[i] = pool_printf(pool, "%" PRId64, tensor->shape[i]);
    return pool_printf(pool, "%s[%s]%s%s", weft_dtype_name(tensor->dtype),
                       pool_join(pool, extents, (size_t)tensor->rank, ", "), tensor->layout[0] ? "@" : "",
                       tensor->layout);
}
