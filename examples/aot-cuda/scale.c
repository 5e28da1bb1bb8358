/* scale FACTOR NUMBER ...: prints the numbers times the factor, computed on a GPU, or on the host where there is
 * none. */
#include "memory.h"
#include "scale.h"
#include "scale_cuda.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000 };

/* There and back. False: it did not work. */
static bool use_gpu(const float *x, float factor, int64_t n, float *y)
{
    const size_t bytes = (size_t)n * sizeof *x;
    void *const there = memory_new(bytes), *const result = memory_new(bytes);
    bool good = there && result && memory_fill(there, x, bytes);
    if (good && scale_cuda(there, factor, n, result, NULL) != WEFT_KERNEL_OK) {
        fprintf(stderr, "%s\n", scale_cuda_note()->text);
        good = false;
    }
    good = good && memory_read(y, result, bytes);
    if (there)
        memory_free(there);
    if (result)
        memory_free(result);
    scale_cuda_release();
    return good;
}

static bool compute(const float *x, float factor, int64_t n, float *y)
{
    if (memory_open()) {
        const bool good = use_gpu(x, factor, n, y);
        memory_close();
        if (good)
            return true;
    } else if (scale_cuda(x, factor, 0, y, NULL) == WEFT_KERNEL_UNSUPPORTED) { /* of nothing: says why */
        fprintf(stderr, "%s\n", scale_cuda_note()->text);
    }
    return scale(x, factor, n, y) == WEFT_KERNEL_OK;
}

int main(int argc, char **argv)
{
    static float x[MOST], y[MOST];
    const int n = argc - 2;
    if (n < 1 || n > MOST) {
        fprintf(stderr, "usage: scale FACTOR NUMBER ...\n");
        return 1;
    }
    for (int i = 0; i < n; i++)
        x[i] = strtof(argv[i + 2], NULL);
    if (!compute(x, strtof(argv[1], NULL), n, y))
        return 1;
    for (int i = 0; i < n; i++)
        printf("%g%c", (double)y[i], i + 1 < n ? ' ' : '\n');
    return 0;
}
