/* The library's views of a caller's tensor: shapes by the rules of section 7, and strides that walk the
 * same elements in the same order, compared with a list of every element's offset. */
#include "include/weft/weft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4096, ROUNDS = 20000 };

static uint32_t below(uint32_t bound)
{
    static uint32_t x = 88172645;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x % bound;
}

static int64_t volume(const DLTensor *tensor)
{
    int64_t product = 1;
    for (int d = 0; d < tensor->ndim; d++)
        product *= tensor->shape[d];
    return product;
}

/* The offset of element number `index` in row-major order, in elements. */
static int64_t offset(const DLTensor *tensor, int64_t index)
{
    int64_t at = 0;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        at += index % tensor->shape[d] * tensor->strides[d];
        index /= tensor->shape[d];
    }
    return at;
}

/* Whether some strides for `shape` walk the same offsets in the same order. */
static bool view_exists(const DLTensor *tensor, const int64_t *shape, int rank)
{
    int64_t strides[WEFT_MAX_RANK], step = 1;
    DLTensor view = {.ndim = rank, .shape = (int64_t *)shape, .strides = strides};
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = shape[d] > 1 ? offset(tensor, step) - offset(tensor, 0) : 0;
        step *= shape[d];
    }
    for (int64_t i = 0; i < step; i++)
        if (offset(&view, i) != offset(tensor, i))
            return false;
    return true;
}

static void random_tensor(DLTensor *tensor, int64_t *shape, int64_t *strides)
{
    static const int64_t extents[] = {1, 2, 3, 4, 6};
    int64_t dense = 1;
    *tensor = (DLTensor){.ndim = (int)below(5),
                         .dtype = {kDLFloat, 32, 1},
                         .device = {kDLCPU, 0},
                         .shape = shape,
                         .strides = strides};
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        shape[d] = extents[below(5)];
        strides[d] = below(3) ? dense : dense * 2;
        dense = strides[d] * shape[d];
        strides[d] = below(8) ? strides[d] : below(2) ? 0 : -strides[d];
    }
    if (tensor->ndim > 1 && below(4) == 0) {
        int64_t extent = shape[0], stride = strides[0];
        shape[0] = shape[1], strides[0] = strides[1];
        shape[1] = extent, strides[1] = stride;
    }
}

/* Other extents of the same product. */
static int random_shape(int64_t left, int64_t *shape)
{
    int rank = 0;
    while (left > 1 || below(4) == 0) {
        int64_t extent = 1 + below((uint32_t)(left < 12 ? left : 12));
        if (rank < 8 && left % extent == 0) {
            shape[rank++] = extent;
            left /= extent;
        } else if (rank >= 8) {
            shape[rank++] = left;
            left = 1;
        }
        if (rank >= 10)
            break;
    }
    return rank;
}

static void strides_are_found_where_there_are_any(void **state)
{
    (void)state;
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t extents[WEFT_MAX_RANK], steps[WEFT_MAX_RANK], shape[WEFT_MAX_RANK];
        DLTensor tensor;
        struct weft_view view;
        random_tensor(&tensor, extents, steps);
        int rank = random_shape(volume(&tensor), shape);
        const struct weft_reshape_params params = {.shape = shape, .shape_count = rank};
        enum weft_status status = weft_reshape(&tensor, NULL, &params, &view, NULL);
        bool exists = view_exists(&tensor, shape, rank);
        assert_int_equal(status, exists ? WEFT_OK : WEFT_INPUT_ERROR);
        found += exists;
        for (int64_t i = 0; exists && i < volume(&tensor); i++)
            assert_int_equal(offset(&view.tensor, i), offset(&tensor, i));
    }
    assert_in_range(found, ROUNDS / 4, ROUNDS * 9 / 10);
}

/* Bytes of float32 elements as `dtype`, and back: every byte at its place. */
static void reinterpreted_bytes_stay_in_order(void **state)
{
    (void)state;
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_INT32, WEFT_FLOAT64};
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t extents[WEFT_MAX_RANK], steps[WEFT_MAX_RANK];
        DLTensor tensor;
        struct weft_view view;
        enum weft_dtype dtype = dtypes[below(4)];
        int64_t size = (int64_t)weft_dtype_size(dtype);
        random_tensor(&tensor, extents, steps);
        enum weft_status status = weft_reinterpret(&tensor, NULL, dtype, NULL, 0, &view, NULL);
        bool alone = tensor.ndim && extents[tensor.ndim - 1] == 1; /* each lies together, whatever the strides */
        assert_true(status == WEFT_OK || !alone || size >= 4);
        if (status != WEFT_OK)
            continue;
        found++;
        assert_int_equal(volume(&view.tensor) * size, volume(&tensor) * 4);
        for (int64_t byte = 0; byte < volume(&tensor) * 4; byte++)
            assert_int_equal(offset(&view.tensor, byte / size) * size + byte % size,
                             offset(&tensor, byte / 4) * 4 + byte % 4);
    }
    assert_in_range(found, ROUNDS / 4, ROUNDS - 1);
}

/* ---- rel_shape and src_dims, said a second time ---- */

/* Rule 7.2 and 7.3 by the letter; returns the rank, -1 for an error. */
static int expect(const DLTensor *tensor, const struct weft_reshape_params *params, int64_t *out)
{
    bool factors = params->rel_shape, sources = params->src_dims;
    int count = factors ? params->rel_shape_count : params->src_dims_count, rest = -1,
        last = count - 1;
    int64_t known = 1;
    if (factors && sources && params->src_dims_count != count)
        return -1;
    if (factors && !sources &&
        (count > tensor->ndim + 1 || (count == tensor->ndim + 1 && !(params->rel_shape[last] < 0))))
        return -1;
    for (int i = 0; i < count; i++) {
        int64_t from = sources ? params->src_dims[i] : i;
        if (sources && (from < -1 || from >= tensor->ndim))
            return -1;
        out[i] = from < 0 || from >= tensor->ndim ? 1 : tensor->shape[from];
        if (factors && params->rel_shape[i] < 0) {
            if (rest >= 0)
                return -1;
            rest = i;
            continue;
        }
        if (factors) {
            double exact = params->rel_shape[i] * (double)out[i];
            int64_t floor = (int64_t)exact;
            out[i] = floor + (exact - (double)floor >= 0.5);
        }
        known *= out[i];
    }
    if (rest >= 0 && known == 0)
        return -1;
    if (rest >= 0)
        out[rest] = volume(tensor) / known;
    return known * (rest >= 0 ? out[rest] : 1) == volume(tensor) ? count : -1;
}

static void factors_and_sources(void **state)
{
    (void)state;
    static const double factors[] = {-1, -0.25, 0, 0.5, 0.75, 1, 1, 1, 1.5, 2, 1.0 / 3};
    static const int64_t extents[] = {0, 1, 1, 2, 3, 4, 6};
    int found = 0;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        int64_t shape[4], sources[5], expected[5] = {0};
        double chosen[5];
        struct weft_view view;
        DLTensor tensor = {.ndim = (int)below(4),
                           .dtype = {kDLFloat, 32, 1},
                           .device = {kDLCPU, 0},
                           .shape = shape};
        for (int i = 0; i < 4; i++)
            shape[i] = extents[below(7)];
        for (int i = 0; i < 5; i++) {
            chosen[i] = factors[below(11)];
            sources[i] = (int64_t)below((uint32_t)tensor.ndim + 2) - 1 - (below(40) == 0);
        }
        uint32_t which = 1 + below(3);
        const struct weft_reshape_params params = {
            .rel_shape = which & 1 ? chosen : NULL,
            .rel_shape_count = (int)below((uint32_t)tensor.ndim + 2),
            .src_dims = which & 2 ? sources : NULL,
            .src_dims_count = (int)below((uint32_t)tensor.ndim + 2)};
        int rank = expect(&tensor, &params, expected);
        enum weft_status status = weft_reshape(&tensor, NULL, &params, &view, NULL);
        assert_int_equal(status, rank < 0 ? WEFT_SHAPE_ERROR : WEFT_OK);
        if (rank < 0)
            continue;
        found++;
        assert_int_equal(view.tensor.ndim, rank);
        for (int i = 0; i < rank; i++)
            assert_int_equal(view.shape[i], expected[i]);
    }
    assert_in_range(found, 2 * ROUNDS, 16 * ROUNDS);
}

/* ---- rules and errors ---- */

static int64_t extents[] = {2, 1, 3}, transposed[] = {1, 1, 2};
static float data[6];
static const DLTensor tensor = {
    .data = data, .ndim = 3, .dtype = {kDLFloat, 32, 1}, .device = {kDLCPU, 0}, .shape = extents};

static void assert_shape(const struct weft_view *view, const char *expected)
{
    char text[200] = "";
    for (int d = 0; d < view->tensor.ndim; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld:%lld", d ? " " : "",
                 (long long)view->tensor.shape[d], (long long)view->tensor.strides[d]);
    if (*view->layout)
        snprintf(text + strlen(text), sizeof text - strlen(text), " @%s", view->layout);
    assert_string_equal(text, expected);
    assert_ptr_equal(view->tensor.shape, view->shape);
    assert_ptr_equal(view->tensor.strides, view->strides);
    assert_ptr_equal(view->tensor.data, data);
}

/* Takes the address of the error, which the call sets before or after this argument is evaluated. */
static void assert_error(enum weft_status status, enum weft_status expected,
                         struct weft_error **place, const char *message)
{
    struct weft_error *error = *place;
    assert_int_equal(status, expected);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    assert_int_equal(error->status, expected);
    assert_int_equal(error->span_count, 0);
    weft_error_destroy(error);
}

static void reshape(const char *layout, struct weft_reshape_params params, const char *expected)
{
    struct weft_view view;
    struct weft_error *error = NULL;
    weft_reshape(&tensor, layout, &params, &view, &error);
    if (error)
        fail_msg("%s", error->message);
    assert_shape(&view, expected);
}

#define LIST(name, ...)                                                                            \
    .name = __VA_ARGS__, .name##_count = (int)(sizeof __VA_ARGS__ / sizeof *__VA_ARGS__)

static void reshapes(void **state)
{
    (void)state;
    static const int64_t three_two[] = {3, -1}, all[] = {-1}, none[1], swap[] = {2, -1, 0, 1};
    static const double half[] = {0.5, -1}, longer[] = {1, 1, 1, -1};
    reshape(NULL, (struct weft_reshape_params){LIST(shape, three_two)}, "3:2 2:1");
    reshape("HWC", (struct weft_reshape_params){LIST(shape, all)}, "6:1");
    reshape("HWC", (struct weft_reshape_params){LIST(rel_shape, half)}, "1:6 6:1");
    reshape("HWC", (struct weft_reshape_params){LIST(rel_shape, longer)}, "2:3 1:3 3:1 1:1");
    reshape("HWC", (struct weft_reshape_params){LIST(src_dims, swap), .layout = "ABCD"},
            "3:2 1:2 2:1 1:1 @ABCD");
    reshape("HWC", (struct weft_reshape_params){.layout = "CHW"}, "2:3 1:3 3:1 @CHW");
    reshape("HWC", (struct weft_reshape_params){.layout = ""}, "2:3 1:3 3:1");
    struct weft_view view;
    struct weft_error *error = NULL;
    const struct weft_reshape_params scalar = {.shape = none, .shape_count = 0};
    assert_error(
        weft_reshape(&tensor, NULL, &scalar, &view, &error), WEFT_SHAPE_ERROR, &error,
        "cannot reshape the tensor [2, 1, 3] to []: 6 elements against 1 element; one negative "
        "number takes what is left");
    assert_int_equal(weft_reshape(&tensor, "H1C", &(struct weft_reshape_params){.layout = NULL}, &view, NULL),
                     WEFT_INVALID_ARGUMENT);
    int64_t one[] = {1, 1};
    const DLTensor single = {.data = data,
                             .ndim = 2,
                             .dtype = {kDLFloat, 32, 1},
                             .shape = one,
                             .device = {kDLCUDA, 3},
                             .byte_offset = 8};
    assert_int_equal(weft_reshape(&single, NULL, &scalar, &view, &error), WEFT_OK);
    assert_shape(&view, "");
    assert_int_equal(view.tensor.device.device_type, kDLCUDA);
    assert_int_equal(view.tensor.byte_offset, 8);
}

static void squeezes(void **state)
{
    (void)state;
    struct weft_view view;
    struct weft_error *error = NULL;
    const int64_t middle[] = {-2}, first[] = {0}, ends[] = {0, 4}, out[] = {5};
    assert_int_equal(weft_squeeze(&tensor, "HWC", middle, 1, &view, &error), WEFT_OK);
    assert_shape(&view, "2:3 3:1 @HC");
    assert_int_equal(weft_expand_dims(&tensor, ends, 2, &view, &error), WEFT_OK);
    assert_shape(&view, "1:6 2:3 1:3 3:1 1:1");
    assert_error(weft_squeeze(&tensor, NULL, first, 1, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "dimension 0 of the tensor [2, 1, 3] has extent 2; squeeze drops extents of 1");
    assert_error(weft_expand_dims(&tensor, out, 1, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "axes[0] is 5, and the result has 4 dimensions, 0 to 3");
}

static void reinterprets(void **state)
{
    (void)state;
    struct weft_view view;
    struct weft_error *error = NULL;
    const int64_t bytes[] = {-1, 8}, odd[] = {5};
    assert_int_equal(weft_reinterpret(&tensor, "HWC", WEFT_UINT8, bytes, 2, &view, &error),
                     WEFT_OK);
    assert_shape(&view, "3:8 8:1");
    assert_int_equal(view.tensor.dtype.bits, 8);
    assert_int_equal(weft_reinterpret(&tensor, "HWC", WEFT_INT32, NULL, 0, &view, &error), WEFT_OK);
    assert_shape(&view, "2:3 1:3 3:1 @HWC");
    assert_error(
        weft_reinterpret(&tensor, NULL, WEFT_FLOAT64, NULL, 0, &view, &error), WEFT_SHAPE_ERROR,
        &error,
        "the innermost extent of the tensor [2, 1, 3] is 12 bytes long, no multiple of the 8 "
        "of float64");
    assert_error(weft_reinterpret(&tensor, NULL, WEFT_UINT16, odd, 1, &view, &error),
                 WEFT_SHAPE_ERROR, &error,
                 "cannot reinterpret the tensor [2, 1, 3] of float32 to [5] of uint16: 24 bytes "
                 "against 10 bytes");
    DLTensor off = tensor;
    off.byte_offset = 4;
    const int64_t three[] = {3};
    assert_error(weft_reinterpret(&off, NULL, WEFT_FLOAT64, three, 1, &view, &error),
                 WEFT_INPUT_ERROR, &error,
                 "argument 'tensor': its data is not aligned to the size of an element");
}

static void refusals(void **state)
{
    (void)state;
    struct weft_view view = {.tensor.ndim = 77};
    struct weft_error *error = NULL;
    const int64_t six[] = {6}, both[] = {-1, -2};
    const double factor[] = {1};
    DLTensor strided = tensor;
    strided.strides = transposed;
    struct weft_reshape_params params = {LIST(shape, six)};
    assert_error(
        weft_reshape(&strided, NULL, &params, &view, &error), WEFT_INPUT_ERROR, &error,
        "the tensor [2, 1, 3] with strides [1, 1, 2] is no view of shape [6] without a copy: its "
        "elements do not lie in that order; copy it to a dense tensor first");
    params = (struct weft_reshape_params){LIST(shape, six), LIST(rel_shape, factor)};
    assert_error(
        weft_reshape(&tensor, NULL, &params, &view, &error), WEFT_INVALID_ARGUMENT, &error,
        "reshape takes shape or rel_shape, not both: shape holds extents, rel_shape factors of the "
        "input's");
    params = (struct weft_reshape_params){LIST(shape, both)};
    assert_error(weft_reshape(&tensor, NULL, &params, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "shape[0] and shape[1] are both negative; one of them takes what is left");
    params = (struct weft_reshape_params){.layout = "H2O"};
    assert_error(weft_reshape(&tensor, NULL, &params, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a layout has one letter for each dimension");
    params = (struct weft_reshape_params){.layout = "HW"};
    assert_error(weft_reshape(&tensor, NULL, &params, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "layout \"HW\" has 2 letters, and the result [2, 1, 3] has 3 dimensions");
    params = (struct weft_reshape_params){.shape = six, .shape_count = 33};
    assert_error(weft_reshape(&tensor, NULL, &params, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a list of a view has 0 to 32 numbers");
    params.shape_count = 1;
    assert_error(weft_reshape(&tensor, "HW", &params, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "layout \"HW\" does not have one letter for each of the tensor's 3 dimensions");
    assert_error(weft_reshape(&tensor, NULL, NULL, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "weft_reshape needs its params, found NULL");
    assert_error(weft_squeeze(&tensor, NULL, NULL, 0, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "squeeze and expand_dims need axes, found NULL");
    assert_error(weft_reshape(NULL, NULL, &params, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a view needs a tensor and a place for the view, found NULL");
    assert_error(weft_reinterpret(&tensor, NULL, WEFT_DTYPE_COUNT, NULL, 0, &view, &error),
                 WEFT_INVALID_ARGUMENT, &error,
                 "the dtype of weft_reinterpret is none of enum weft_dtype");
    assert_int_equal(view.tensor.ndim, 77);
}

/* An empty tensor may have any strides. */
static void empty(void **state)
{
    (void)state;
    int64_t shape[] = {0, 3}, strides[] = {7, 5};
    const int64_t to[] = {4, 0, 2};
    const DLTensor none = {
        .data = data, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape, .strides = strides};
    DLTensor host = none;
    struct weft_view view;
    host.device.device_type = kDLCPU;
    const struct weft_reshape_params params = {LIST(shape, to)};
    assert_int_equal(weft_reshape(&host, NULL, &params, &view, NULL), WEFT_OK);
    assert_shape(&view, "4:2 0:2 2:1");
}

/* ---- selections, transpose, flip ---- */

/* Bytes from the tensor's data to an element, by its place in every dimension. */
static int64_t address(const DLTensor *of, const int64_t *at, const void *from)
{
    int64_t bytes = (int64_t)((uintptr_t)of->data - (uintptr_t)from) + (int64_t)of->byte_offset;
    for (int d = 0; d < of->ndim; d++)
        bytes += at[d] * of->strides[d] * 4;
    return bytes;
}

/* Moves to the next place of a shape. False behind the last one. */
static bool next_place(const DLTensor *of, int64_t *at)
{
    for (int d = of->ndim - 1; d >= 0; d--) {
        if (++at[d] < of->shape[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Where an element of a view is in the tensor. Filled with each dimension of the view that a dimension of the tensor
 * follows (-1: none), the first element and the step. */
struct follow {
    int dimension;
    int64_t first, step;
};

static void compare_places(const DLTensor *from, const struct weft_view *view, const struct follow *follow)
{
    int64_t at[WEFT_MAX_RANK] = {0}, place[WEFT_MAX_RANK];
    if (volume(&view->tensor) == 0)
        return;
    do {
        for (int d = 0; d < from->ndim; d++)
            place[d] = follow[d].first + (follow[d].dimension < 0 ? 0 : at[follow[d].dimension] * follow[d].step);
        assert_int_equal(address(&view->tensor, at, from->data), address(from, place, from->data));
    } while (next_place(&view->tensor, at));
}

/* An item for a dimension of this extent, and what Python selects by it. Returns the extent that it leaves. */
static int64_t random_item(int64_t extent, struct weft_item *item, struct follow *follow)
{
    int64_t count = 0, first = -1, second = -1;
    *item = (struct weft_item){.kind = WEFT_ITEM_SLICE, .has_start = below(3) > 0, .has_stop = below(3) > 0,
                               .start = (int64_t)below(12) - 6, .stop = (int64_t)below(12) - 6,
                               .step = (int64_t)below(7) - 3};
    const int64_t step = item->step ? item->step : 1, from = step > 0 ? 0 : extent - 1;
    const int64_t start = item->start < 0 ? item->start + extent : item->start;
    const int64_t stop = item->stop < 0 ? item->stop + extent : item->stop;
    for (int64_t i = from; i >= 0 && i < extent; i += step > 0 ? 1 : -1) {
        const bool behind = !item->has_start || (step > 0 ? i >= start : i <= start);
        const bool before = !item->has_stop || (step > 0 ? i < stop : i > stop);
        if (!behind || !before)
            continue;
        first = first < 0 ? i : first;
        if ((i - first) % step == 0 && count++ == 1)
            second = i;
    }
    *follow = (struct follow){follow->dimension, first, count > 1 ? second - first : 1};
    return count;
}

static void selections_are_pythons(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t extents[WEFT_MAX_RANK], steps[WEFT_MAX_RANK], expected[WEFT_MAX_RANK];
        struct weft_item items[2 * WEFT_MAX_RANK];
        struct follow follow[WEFT_MAX_RANK];
        struct weft_view view;
        DLTensor from;
        int count = 0, rank = 0;
        random_tensor(&from, extents, steps);
        from.byte_offset = 64 * below(2);
        from.data = (void *)(uintptr_t)(1 << 20);
        for (int d = 0; d < from.ndim; d++) {
            if (below(6) == 0)
                items[count++] = (struct weft_item){.kind = WEFT_ITEM_NEW}, expected[rank++] = 1;
            follow[d].dimension = rank;
            if (below(4) == 0) {
                const int64_t index = below((uint32_t)extents[d]);
                items[count++] = (struct weft_item){WEFT_ITEM_INDEX, .start = below(2) ? index : index - extents[d]};
                follow[d] = (struct follow){-1, index, 1};
            } else {
                expected[rank++] = random_item(extents[d], &items[count], &follow[d]);
                count++;
            }
        }
        assert_int_equal(weft_select(&from, NULL, items, count, &view, NULL), WEFT_OK);
        assert_int_equal(view.tensor.ndim, rank);
        assert_memory_equal(view.shape, expected, (size_t)rank * sizeof *expected);
        compare_places(&from, &view, follow);
    }
}

static void dimensions_are_reordered_and_flipped(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t extents[WEFT_MAX_RANK], steps[WEFT_MAX_RANK], axes[WEFT_MAX_RANK];
        struct follow follow[WEFT_MAX_RANK];
        struct weft_view view;
        DLTensor from;
        int count = 0;
        random_tensor(&from, extents, steps);
        from.data = (void *)(uintptr_t)(1 << 20);
        for (int d = 0; d < from.ndim; d++) {
            const int at = (int)below((uint32_t)d + 1);
            axes[d] = axes[at];
            axes[at] = d;
        }
        const bool reversed = below(4) == 0;
        for (int d = 0; d < from.ndim; d++)
            follow[reversed ? d : axes[d]] = (struct follow){reversed ? from.ndim - 1 - d : d, 0, 1};
        assert_int_equal(weft_transpose(&from, NULL, reversed ? NULL : axes, from.ndim, &view, NULL), WEFT_OK);
        compare_places(&from, &view, follow);
        for (int d = 0; d < from.ndim; d++) {
            const bool flips = below(2);
            follow[d] = flips ? (struct follow){d, extents[d] - 1, -1} : (struct follow){d, 0, 1};
            if (flips)
                axes[count++] = below(2) ? d : d - from.ndim;
        }
        assert_int_equal(weft_flip(&from, NULL, axes, count, &view, NULL), WEFT_OK);
        compare_places(&from, &view, follow);
    }
}

static void selections_are_checked(void **state)
{
    (void)state;
    struct weft_view view;
    struct weft_error *error = NULL;
    const struct weft_item last = {WEFT_ITEM_INDEX, .start = -1}, far = {WEFT_ITEM_INDEX, .start = 2};
    const struct weft_item several[] = {{WEFT_ITEM_NEW}, {WEFT_ITEM_ELLIPSIS}, {WEFT_ITEM_INDEX, .start = 1}};
    const struct weft_item many[] = {{.kind = 0}, {.kind = 0}, {.kind = 0}, {.kind = 0}};
    const struct weft_item dots[] = {{WEFT_ITEM_ELLIPSIS}, {WEFT_ITEM_ELLIPSIS}}, odd = {(enum weft_item_kind)7};
    const struct weft_item beyond[] = {{WEFT_ITEM_SLICE, INT64_MIN, INT64_MAX, INT64_MIN, 1, 1}};
    const int64_t twice[] = {0, 0}, two[] = {1, 0}, outside[] = {3}, swap[] = {2, 0, 1};
    assert_int_equal(weft_select(&tensor, "HWC", &last, 1, &view, &error), WEFT_OK);
    assert_shape(&view, "1:0 3:1 @WC");
    assert_int_equal(view.tensor.byte_offset, 3 * 4);
    assert_int_equal(weft_select(&tensor, "HWC", several, 3, &view, &error), WEFT_OK);
    assert_shape(&view, "1:1 2:3 1:0");
    assert_int_equal(weft_select(&tensor, NULL, NULL, 0, &view, &error), WEFT_OK);
    assert_shape(&view, "2:3 1:0 3:1");
    assert_int_equal(weft_select(&tensor, NULL, beyond, 1, &view, &error), WEFT_OK);
    assert_shape(&view, "0:3 1:3 3:1");
    assert_int_equal(weft_transpose(&tensor, "HWC", swap, 3, &view, &error), WEFT_OK);
    assert_shape(&view, "3:1 2:3 1:0 @CHW");
    assert_int_equal(weft_flip(&tensor, "HWC", NULL, 0, &view, &error), WEFT_OK);
    assert_shape(&view, "2:-3 1:0 3:-1 @HWC");
    assert_int_equal(view.tensor.byte_offset, 5 * 4);
    assert_error(weft_select(&tensor, NULL, &far, 1, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "item 1 of the selection, index 2, is out of range: dimension 0 of the tensor [2, 1, 3] has extent 2; "
                 "an index is -2 to 1");
    assert_error(weft_select(&tensor, NULL, many, 4, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "the selection has 4 items for dimensions, and the tensor [2, 1, 3] has 3 dimensions; None inserts "
                 "one");
    assert_error(weft_select(&tensor, NULL, dots, 2, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a selection has one WEFT_ITEM_ELLIPSIS, which stands for all dimensions that are left");
    assert_error(weft_select(&tensor, NULL, &odd, 1, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "the kind of an item is none of enum weft_item_kind");
    assert_error(weft_select(&tensor, NULL, NULL, 1, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a selection has 0 to 64 items");
    assert_error(weft_select(NULL, NULL, &last, 1, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a view needs a tensor and a place for the view, found NULL");
    assert_error(weft_transpose(&tensor, NULL, two, 2, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "transpose takes each dimension once, and axes names 2 of the 3 of the tensor [2, 1, 3]");
    assert_error(weft_flip(&tensor, NULL, twice, 2, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "axes[1] is 0, a dimension that axes names already");
    assert_error(weft_flip(&tensor, NULL, outside, 1, &view, &error), WEFT_SHAPE_ERROR, &error,
                 "axes[0] is 3, and the tensor [2, 1, 3] has 3 dimensions, 0 to 2 (from the end -1 to -3)");
    assert_error(weft_flip(&tensor, NULL, outside, 40, &view, &error), WEFT_INVALID_ARGUMENT, &error,
                 "a list of a view has 0 to 32 numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_found_where_there_are_any),
        cmocka_unit_test(reinterpreted_bytes_stay_in_order),
        cmocka_unit_test(factors_and_sources),
        cmocka_unit_test(reshapes),
        cmocka_unit_test(squeezes),
        cmocka_unit_test(reinterprets),
        cmocka_unit_test(refusals),
        cmocka_unit_test(empty),
        cmocka_unit_test(selections_are_pythons),
        cmocka_unit_test(dimensions_are_reordered_and_flipped),
        cmocka_unit_test(selections_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
