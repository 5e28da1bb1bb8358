/* See files.h. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/files.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void open_report(struct file *file)
{
    static char *arguments[] = {(char *)"run", (char *)"x", NULL};
    report_init(&file->report, &file->pool, open_memstream(&file->told, &file->told_size), arguments, 2);
    CHECK(file->report.stream);
}

static void close_report(struct file *file)
{
    fclose(file->report.stream);
    free(file->told);
}

void file_begin(struct file *file, const uint8_t *data, size_t size)
{
    *file = (struct file){.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    CHECK(file->fd >= 0 && pwrite(file->fd, data, size, 0) == (ssize_t)size);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    open_report(file);
}

FILE *file_stream(const struct file *file)
{
    FILE *stream = fopen(file->path, "re");
    CHECK(stream);
    return stream;
}

void file_check(struct file *file, bool done)
{
    fflush(file->report.stream);
    const bool told = strstr(file->told, "error[W") != NULL;
    CHECK(told == !done);
    CHECK((file->report.status != 0) == !done);
    for (const char *c = file->told; *c; c++)
        CHECK(*c == '\n' || (unsigned char)*c >= ' ');
    close_report(file);
    open_report(file);
}

/* Of the element at `index`, in row-major order, the place in elements. */
static int64_t place(const struct tensor *tensor, int64_t index)
{
    int64_t at = 0;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        at += index % tensor->shape[d] * tensor->strides[d];
        index /= tensor->shape[d];
    }
    return at;
}

static const unsigned char *element(const struct tensor *tensor, int64_t index)
{
    return (const unsigned char *)tensor->data + place(tensor, index) * (int64_t)weft_dtype_size(tensor->dtype);
}

static int64_t count_of(const struct tensor *tensor)
{
    int64_t count = 1;
    for (int d = 0; d < tensor->rank; d++)
        count *= tensor->shape[d];
    return count;
}

void file_check_tensor(const struct tensor *tensor, bool done)
{
    volatile unsigned char last = 0;
    size_t bytes;
    if (!done) {
        CHECK(!tensor->memory && !tensor->mapping);
        return;
    }
    CHECK(tensor->dtype < WEFT_DTYPE_COUNT && tensor->rank >= 0 && tensor->rank <= WEFT_MAX_RANK);
    CHECK(tensor_bytes(tensor, &bytes));
    const size_t size = weft_dtype_size(tensor->dtype);
    for (int64_t i = 0, count = tensor->outline ? 0 : count_of(tensor); i < count; i++)
        for (size_t byte = 0; byte < size; byte++)
            last = element(tensor, i)[byte];
    (void)last;
}

bool file_same(const struct tensor *a, const struct tensor *b, bool outline)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank && strcmp(a->layout, b->layout) == 0;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d];
    for (int64_t i = 0, count = same && !outline ? count_of(a) : 0; same && i < count; i++)
        same = memcmp(element(a, i), element(b, i), weft_dtype_size(a->dtype)) == 0;
    return same;
}

void file_end(struct file *file)
{
    close_report(file);
    pool_finish(&file->pool);
    close(file->fd);
}
