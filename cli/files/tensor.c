/* See tensor.h. */
#include "cli/files/tensor.h"


#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* UNCHECKED: asking how much memory is available takes as long as filling this many bytes. */
enum { DATA_ALIGNMENT = 64, UNCHECKED = 1 << 18 };

bool tensor_bytes(const struct tensor *tensor, size_t *bytes)
{
    size_t size = weft_dtype_size(tensor->dtype);
    bool empty = false;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] < 0)
            return false;
        empty |= tensor->shape[i] == 0;
        if (tensor->shape[i] && __builtin_mul_overflow(size, (size_t)tensor->shape[i], &size))
            return false;
        if (size > PTRDIFF_MAX)
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

static double meminfo_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];
    double kilobytes = -1;
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtod(line + 13, NULL);
    if (file)
        fclose(file);
    return kilobytes < 0 ? (double)SIZE_MAX : kilobytes * 1024;
}

static double limit_available(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return (double)SIZE_MAX;
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    char line[256];
    if (file && fgets(line, sizeof line, file))
        pages = strtod(line, NULL);
    if (file)
        fclose(file);
    double left = (double)limit.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE);
    return left > 0 ? left : 0;
}

double memory_available(void)
{
    double machine = meminfo_available(), limit = limit_available();
    return machine < limit ? machine : limit;
}

bool memory_check(struct report *report, const char *path, const char *what, double size)
{
    double available = memory_available();
    if (size <= available)
        return true;
    return REPORT_FILE(report, path, FILE_MEMORY, what, report_size(report, size),
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
    size_t rounded = (size / DATA_ALIGNMENT + 1) * DATA_ALIGNMENT;
    tensor->memory = aligned_alloc(DATA_ALIGNMENT, rounded);
    if (!tensor->memory)
        return REPORT_FILE(report, path, FILE_MEMORY, what, report_size(report, (double)size),
                           report_size(report, memory_available()));
    tensor->data = tensor->memory;
    tensor->size = size;
    tensor->mapped = false;
    tensor_set_strides(tensor, false);
    return true;
}

void tensor_finish(struct tensor *tensor)
{
    if (tensor->memory && tensor->mapped)
        munmap(tensor->memory, tensor->size);
    else
        free(tensor->memory);
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

const char *tensor_type(struct pool *pool, const struct tensor *tensor)
{
    const char *extents[WEFT_MAX_RANK];
    for (int i = 0; i < tensor->rank; i++)
        extents[i] = pool_printf(pool, "%" PRId64, tensor->shape[i]);
    return pool_printf(pool, "%s[%s]%s%s", weft_dtype_name(tensor->dtype),
                       pool_join(pool, extents, (size_t)tensor->rank, ", "), tensor->layout[0] ? "@" : "",
                       tensor->layout);
}
