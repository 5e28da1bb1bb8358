/* Memory for results: what weft_infer says, allocated; and tensors in one line. */
#include "runtime/base/base.h"

#include "include/weft/weft.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

DLTensor weft_dense(const void *data, enum weft_dtype dtype, int rank, const int64_t *shape)
{
    return (DLTensor){.data = (void *)data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = weft_dtype_to_dlpack(dtype),
                      .shape = (int64_t *)shape};
}

/* ---- sizes ---- */

/* The bytes of a tensor; false where they are too many for any memory. */
static bool bytes_of(enum weft_dtype dtype, int rank, const int64_t *shape, size_t *bytes)
{
    size_t size = weft_dtype_size(dtype);
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        empty = empty || shape[d] == 0;
        if (shape[d] && (__builtin_mul_overflow(size, (size_t)shape[d], &size) || size > PTRDIFF_MAX - ALIGNMENT))
            return false;
    }
    *bytes = empty ? 0 : size;
    return true;
}

/* ---- what a result consists of ---- */

/* The extents of all samples of result r, [count][rank], from malloc. NULL with a status. */
static int64_t *extents_of(struct weft_program *program, const struct weft_argument *inputs, size_t input_count,
                           const struct weft_tensor_info *info, size_t r, enum weft_status *status,
                           struct weft_error **error)
{
    const size_t samples = (size_t)info->count, rank = (size_t)info->rank;
    int64_t *extents = calloc(samples * rank + 1, sizeof *extents);
    *status = !extents      ? WEFT_OUT_OF_MEMORY
              : info->batch ? weft_infer_samples(program, inputs, input_count, r, extents, error)
                            : WEFT_OK;
    if (extents && !info->batch)
        memcpy(extents, info->shape, rank * sizeof *extents);
    if (*status < 0) {
        free(extents);
        return NULL;
    }
    return extents;
}

/* The tensors of a result, whose shapes are their own. False: out of memory. */
static bool make_tensors(const struct weft_tensor_info *info, int64_t *extents, struct weft_argument *item)
{
    DLTensor *tensors = calloc((size_t)info->count + 1, sizeof *tensors);
    item->tensors = tensors;
    if (!tensors) {
        free(extents);
        return false;
    }
    tensors[0].shape = extents;    /* freed with the tensors, also where there is no sample */
    for (int64_t i = 0; i < info->count; i++) {
        size_t bytes;
        tensors[i] = weft_dense(NULL, info->dtype, info->rank, extents + i * info->rank);
        if (!bytes_of(info->dtype, info->rank, tensors[i].shape, &bytes))
            return false;
        tensors[i].data = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
        if (!tensors[i].data)
            return false;
        item->count = i + 1;
    }
    return true;
}

static enum weft_status make_result(struct weft_program *program, const struct weft_argument *inputs,
                                    size_t input_count, struct weft_results *results, size_t r,
                                    struct weft_error **error)
{
    struct weft_tensor_info *info = &results->infos[r];
    struct weft_argument *item = &results->items[r];
    enum weft_status status;
    int64_t *extents = extents_of(program, inputs, input_count, info, r, &status, error);
    if (!extents)
        return status;
    item->batch = info->batch;
    return make_tensors(info, extents, item) ? WEFT_OK : WEFT_OUT_OF_MEMORY;
}

/* The names are copied, so that they live as long as the results. */
static bool copy_names(struct weft_results *results)
{
    for (size_t r = 0; r < results->count; r++) {
        results->items[r].name = results->infos[r].name = strdup(results->infos[r].name);
        if (!results->items[r].name)
            return false;
    }
    return true;
}

static enum weft_status make_all(struct weft_program *program, const struct weft_argument *inputs,
                                 size_t input_count, struct weft_results *results, struct weft_error **error)
{
    const size_t count = weft_program_result_count(program);
    results->infos = calloc(count + 1, sizeof *results->infos);
    results->items = calloc(count + 1, sizeof *results->items);
    if (!results->infos || !results->items)
        return WEFT_OUT_OF_MEMORY;
    enum weft_status status = weft_infer(program, inputs, input_count, results->infos, error);
    if (status < 0)
        return status;
    results->count = count;
    if (!copy_names(results))
        return WEFT_OUT_OF_MEMORY;
    for (size_t r = 0; r < count && status >= 0; r++)
        status = make_result(program, inputs, input_count, results, r, error);
    return status;
}

enum weft_status weft_results_alloc(struct weft_program *program, const struct weft_argument *inputs,
                                    size_t input_count, struct weft_results *results, struct weft_error **error)
{
    if (results)
        *results = (struct weft_results){0};
    if (!program || !results || (input_count && !inputs))
        return invalid_call(error, "weft_results_alloc needs a program, inputs and a place for results, found NULL");
    int saved = errno;
    if (error)
        *error = NULL;
    const enum weft_status status = make_all(program, inputs, input_count, results, error);
    if (status < 0)
        weft_results_free(results);
    errno = saved;
    return status;
}

void weft_results_free(struct weft_results *results)
{
    if (!results)
        return;
    for (size_t r = 0; r < results->count; r++) {
        const struct weft_argument *item = &results->items[r];
        for (int64_t i = 0; i < item->count; i++)
            free(item->tensors[i].data);
        if (item->tensors)
            free(item->tensors[0].shape);
        free((void *)item->tensors);
        free((void *)item->name);
    }
    free(results->infos);
    free(results->items);
    *results = (struct weft_results){0};
}
