/* Views of a caller's tensor. The compiler's rules give their shape (compiler/check/view.h); this file finds
 * the strides that make it a view without a copy. */
#include "runtime/api/rearranged_impl.h"

#include <errno.h>
#include <string.h>

/* The arguments as the caller gave them. */
struct given {
    enum view_kind kind;
    const DLTensor *tensor;
    const char *layout;            /* of the tensor; NULL: none */
    struct weft_reshape_params params;
    const int64_t *axes;
    int axis_count;
    enum weft_dtype dtype;
    const struct weft_item *items;
    int item_count;
};

/* ---- strides ---- */

/* Dimensions of more than one element. Neighbours that one stride walks are merged. Strides count elements. */
struct groups {
    int count;
    /* room for one more: resizing may split elements */
    int64_t extents[WEFT_MAX_RANK + 1], strides[WEFT_MAX_RANK + 1];
};

static void group(const struct tensor *tensor, struct groups *groups)
{
    groups->count = 0;
    for (int d = 0; d < tensor->rank; d++) {
        int64_t extent = tensor->shape[d], stride = tensor->strides[d], reach;
        int last = groups->count - 1;
        if (extent == 1)
            continue;
        bool merges = last >= 0 && !__builtin_mul_overflow(extent, stride, &reach) &&
                      groups->strides[last] == reach;
        if (merges) {
            groups->extents[last] *= extent;
            groups->strides[last] = stride;
        } else {
            groups->extents[groups->count] = extent;
            groups->strides[groups->count++] = stride;
        }
    }
}

/* Splits each element into `parts`, which are adjacent. */
static bool split(struct groups *groups, int64_t parts)
{
    int last = groups->count - 1;
    for (int g = 0; g <= last; g++)
        if (__builtin_mul_overflow(groups->strides[g], parts, &groups->strides[g]))
            return false;
    if (last >= 0 && groups->strides[last] == parts) {
        groups->extents[last] *= parts;
        groups->strides[last] = 1;
    } else {
        groups->extents[groups->count] = parts;
        groups->strides[groups->count++] = 1;
    }
    return true;
}

/* Joins `parts` adjacent elements into one. False if they are not adjacent. */
static bool join(struct groups *groups, int64_t parts)
{
    int last = groups->count - 1;
    if (last < 0 || groups->strides[last] != 1 || groups->extents[last] % parts)
        return false;
    groups->extents[last] /= parts;
    for (int g = 0; g < last; g++) {
        if (groups->strides[g] % parts)
            return false;
        groups->strides[g] /= parts;
    }
    return true;
}

/* Changes the size of elements, from `from` to `to` bytes. */
static bool resize(struct groups *groups, int64_t from, int64_t to)
{
    return from == to || (from > to ? split(groups, from / to) : join(groups, to / from));
}

static void dense_strides(const struct shape *shape, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape->extents[d] > 1 ? shape->extents[d] : 1;
    }
}

/* Distributes the groups over the dimensions of a shape with as many elements. False if a dimension would
 * need two strides. */
static bool spread(const struct groups *groups, const struct shape *shape, int64_t *strides)
{
    int g = groups->count - 1;
    int64_t left = g >= 0 ? groups->extents[g] : 1, stride = g >= 0 ? groups->strides[g] : 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        int64_t extent = shape->extents[d];
        if (extent > 1 && left == 1 && g > 0) {
            left = groups->extents[--g];
            stride = groups->strides[g];
        }
        strides[d] = stride;
        if (left % extent)
            return false;
        left /= extent;
        stride *= extent;
    }
    return true;
}

/* Finds the strides of a view, and where its first element is behind that of the tensor, in elements. False where there
 * are none. */
static bool find_strides(const struct view_args *args, const struct tensor *tensor, enum weft_dtype to,
                         const struct shape *shape, int64_t *strides, int64_t *first)
{
    struct groups groups;
    *first = 0;
    if (shape_volume(shape) == 0) {
        dense_strides(shape, strides);
        return true;
    }
    if (view_is_by_axes(args->kind)) {
        *first = rearranged_strides(args, tensor, shape, strides);
        return true;
    }
    group(tensor, &groups);
    return resize(&groups, type_rows[tensor->dtype].size, type_rows[to].size) &&
           spread(&groups, shape, strides);
}

/* ---- the call ---- */

/* The strides as the caller gave them; if none, those of a dense tensor. */
static const char *strides_text(struct arena *arena, const DLTensor *from,
                                const struct shape *shape)
{
    struct shape strides = {.rank = shape->rank};
    dense_strides(shape, strides.extents);
    struct buf text = buf_new(arena);
    for (int d = 0; d < shape->rank; d++)
        buf_printf(&text, "%s%lld", d ? ", " : "[",
                   (long long)(from->strides ? from->strides[d] : strides.extents[d]));
    buf_puts(&text, shape->rank ? "]" : "[]");
    return text.text;
}

static const char *layout_of(const struct view_args *args, const char *layout, const struct shape *in,
                             const struct shape *out, struct arena *arena)
{
    uint32_t dropped = 0;
    if (view_is_by_axes(args->kind))
        return layout_by_axes(arena, args, layout);
    if (args->has_layout)
        return args->layout;
    if (args->kind == VIEW_EXPAND_DIMS)
        return "";
    if (args->kind != VIEW_SQUEEZE)
        return strlen(layout) == (size_t)out->rank ? layout : "";
    axes_set(&args->axes, NULL, in->rank, &dropped);
    return layout_without(arena, layout, dropped);
}

static bool read_given(const struct given *given, const struct view_args *args, struct tensor *tensor,
                       struct diags *diags)
{
    struct span places[2];
    int count = 0;
    DLTensor host = *given->tensor;
    host.device.device_type = kDLCPU; /* since no data are touched */
    const char *conflict = view_conflict(args, places, &count), *layout = given->layout;
    if (conflict)
        return diag_at(diags, DIAG_CALL, NULL, 0, conflict);
    if (!tensor_read(&host, false, "argument", "tensor", tensor, diags))
        return false;
    return !layout || !*layout || strlen(layout) == (size_t)tensor->rank ||
           diag_at(diags, DIAG_CALL, NULL, 0,
                   arena_printf(diags->arena,
                                "layout \"%.40s\" does not have one letter for each of the "
                                "tensor's %d dimensions",
                                layout, tensor->rank));
}

static bool is_aligned(const DLTensor *from, enum weft_dtype dtype)
{
    uintptr_t address = (uintptr_t)from->data + from->byte_offset;
    return !from->data || address % (uintptr_t)type_rows[dtype].size == 0;
}

/* A list of whole or of real numbers; the other one is NULL. */
static struct numbers list_numbers(struct arena *arena, const int64_t *whole, const double *real, int count)
{
    const bool given = whole || real;
    struct literal *items = ARENA_ARRAY(arena, struct literal, given ? count + 1 : 1);
    for (int i = 0; i < count && given; i++)
        items[i] = whole ? (struct literal){.kind = LITERAL_INTEGER, .integer = whole[i]}
                         : (struct literal){.kind = LITERAL_REAL, .real = real[i]};
    return (struct numbers){.given = given, .count = given ? count : 0, .items = items, .input = -1};
}

static struct view_args view_args_of(struct arena *arena, const struct given *given)
{
    const struct weft_reshape_params *params = &given->params;
    return (struct view_args){
        .kind = given->kind, .dtype = given->dtype,
        .shape = list_numbers(arena, params->shape, NULL, params->shape_count),
        .rel_shape = list_numbers(arena, NULL, params->rel_shape, params->rel_shape_count),
        .src_dims = list_numbers(arena, params->src_dims, NULL, params->src_dims_count),
        .axes = list_numbers(arena, given->axes, NULL, given->axis_count),
        .has_layout = params->layout != NULL, .layout = params->layout,
        .items = rearranged_items(arena, given->items, given->item_count), .item_count = given->item_count};
}

/* Moves the first element of a tensor by so many bytes. byte_offset has no sign. */
static void move_first(DLTensor *tensor, int64_t bytes)
{
    const uint64_t back = 0 - (uint64_t)bytes;
    if (bytes >= 0)
        tensor->byte_offset += (uint64_t)bytes;
    else if (tensor->byte_offset >= back)
        tensor->byte_offset -= back;
    else {
        tensor->data = (void *)((uintptr_t)tensor->data - (uintptr_t)(back - tensor->byte_offset));
        tensor->byte_offset = 0;
    }
}

static bool make(const struct given *given, struct weft_view *view, struct diags *diags)
{
    struct arena *arena = diags->arena;
    const struct view_args args = view_args_of(arena, given);
    const DLTensor *from = given->tensor;
    struct tensor tensor = {0};
    bool good = true;
    int64_t strides[WEFT_MAX_RANK], first;
    if (!read_given(given, &args, &tensor, diags))
        return false;
    const struct shape in = tensor_shape(&tensor);
    const struct viewed viewed = {.name = "the tensor", .shape = &in, .dtype = tensor.dtype};
    const struct shape *out = view_shape(arena, diags, &viewed, 1, &args, &good);
    if (!good)
        return false;
    bool other = args.kind == VIEW_REINTERPRET;
    enum weft_dtype dtype = other ? args.dtype : tensor.dtype;
    if (!is_aligned(from, dtype))
        return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, "argument", "tensor",
                       "its data is not aligned to the size of an element");
    if (!find_strides(&args, &tensor, dtype, out, strides, &first))
        return diag_at(diags, DIAG_VIEW_COPY, NULL, 0, shape_text(arena, NULL, &in),
                       strides_text(arena, from, &in), shape_text(arena, NULL, out),
                       other ? arena_printf(arena, " of %s", type_rows[dtype].name) : "");
    *view = (struct weft_view){.tensor = {.data = from->data, .byte_offset = from->byte_offset,
                                          .device = from->device, .dtype = weft_dtype_to_dlpack(dtype),
                                          .ndim = out->rank, .shape = view->shape, .strides = view->strides}};
    move_first(&view->tensor, first * type_rows[dtype].size);
    memcpy(view->shape, out->extents, (size_t)out->rank * sizeof *view->shape);
    memcpy(view->strides, strides, (size_t)out->rank * sizeof *view->strides);
    strcpy(view->layout, layout_of(&args, given->layout ? given->layout : "", &in, out, arena));
    return true;
}

/* ---- arguments ---- */

static bool good_count(const void *list, int count)
{
    return !list || (count >= 0 && count <= WEFT_MAX_RANK);
}

/* Returns NULL, or what is wrong with the arguments. */
static const char *check_given(const struct given *given, const struct weft_view *view)
{
    const struct weft_reshape_params *params = &given->params;
    if (!given->tensor || !view)
        return "a view needs a tensor and a place for the view, found NULL";
    if ((given->kind == VIEW_SQUEEZE || given->kind == VIEW_EXPAND_DIMS) && !given->axes)
        return "squeeze and expand_dims need axes, found NULL";
    if (!good_count(params->shape, params->shape_count) ||
        !good_count(params->rel_shape, params->rel_shape_count) ||
        !good_count(params->src_dims, params->src_dims_count) ||
        !good_count(given->axes, given->axis_count))
        return "a list of a view has 0 to 32 numbers";
    const char *items = rearranged_wrong(given->items, given->item_count);
    if (items)
        return items;
    if (given->kind == VIEW_REINTERPRET && (unsigned)given->dtype >= WEFT_DTYPE_COUNT)
        return "the dtype of weft_reinterpret is none of enum weft_dtype";
    if (params->layout &&
        (strlen(params->layout) > WEFT_MAX_RANK || !layout_is_good(params->layout)))
        return "a layout has one letter for each dimension";
    if (given->layout && !layout_is_good(given->layout))
        return "a tensor's layout consists of letters";
    return NULL;
}

struct order {
    const struct given *given;
    struct weft_view *view;
};

static void fulfil(struct diags *diags, void *user)
{
    const struct order *order = user;
    make(order->given, order->view, diags);
}

static enum weft_status perform(const struct given *given, struct weft_view *view,
                                struct weft_error **error)
{
    const char *wrong = check_given(given, view);
    return wrong ? invalid_call(error, wrong)
                 : guarded_call(NULL, NULL, fulfil, &(struct order){given, view}, error);
}

enum weft_status weft_reshape(const DLTensor *tensor, const char *layout,
                              const struct weft_reshape_params *params, struct weft_view *view,
                              struct weft_error **error)
{
    if (!params)
        return invalid_call(error, "weft_reshape needs its params, found NULL");
    return perform(&(struct given){VIEW_RESHAPE, tensor, layout, .params = *params}, view, error);
}

enum weft_status weft_squeeze(const DLTensor *tensor, const char *layout, const int64_t *axes,
                              int axis_count, struct weft_view *view, struct weft_error **error)
{
    return perform(
        &(struct given){VIEW_SQUEEZE, tensor, layout, .axes = axes, .axis_count = axis_count}, view,
        error);
}

enum weft_status weft_expand_dims(const DLTensor *tensor, const int64_t *axes, int axis_count,
                                  struct weft_view *view, struct weft_error **error)
{
    return perform(
        &(struct given){VIEW_EXPAND_DIMS, tensor, .axes = axes, .axis_count = axis_count}, view,
        error);
}

enum weft_status weft_reinterpret(const DLTensor *tensor, const char *layout, enum weft_dtype dtype,
                                  const int64_t *shape, int shape_count, struct weft_view *view,
                                  struct weft_error **error)
{
    return perform(&(struct given){VIEW_REINTERPRET, tensor, layout,
                                   .params = {.shape = shape, .shape_count = shape_count},
                                   .dtype = dtype},
                   view, error);
}

enum weft_status weft_select(const DLTensor *tensor, const char *layout, const struct weft_item *items, int item_count,
                             struct weft_view *view, struct weft_error **error)
{
    return perform(&(struct given){VIEW_SELECT, tensor, layout, .items = items, .item_count = item_count}, view, error);
}

enum weft_status weft_transpose(const DLTensor *tensor, const char *layout, const int64_t *axes, int axis_count,
                                struct weft_view *view, struct weft_error **error)
{
    return perform(&(struct given){VIEW_TRANSPOSE, tensor, layout, .axes = axes, .axis_count = axis_count}, view,
                   error);
}

enum weft_status weft_flip(const DLTensor *tensor, const char *layout, const int64_t *axes, int axis_count,
                           struct weft_view *view, struct weft_error **error)
{
    return perform(&(struct given){VIEW_FLIP, tensor, layout, .axes = axes, .axis_count = axis_count}, view, error);
}
