/* See reduction.h. */
#include "tests/random/reduction.h"

#include <stdio.h>

/* ---- types ---- */

int reduction_operands(enum reduction function)
{
    return function == REDUCTION_VECDOT ? 2 : 1;
}

bool reduction_keeps_shape(enum reduction function)
{
    return function == REDUCTION_SOFTMAX;
}

bool reduction_is_told(enum reduction function)
{
    return function == REDUCTION_SOFTMAX || function == REDUCTION_LOGSUMEXP;
}

/* Along one axis, the last if absent. */
static bool has_one_axis(enum reduction function)
{
    return function == REDUCTION_SOFTMAX || function == REDUCTION_VECDOT;
}

bool reduction_takes(enum reduction function, enum weft_dtype from)
{
    return from != WEFT_BOOL || (function != REDUCTION_MIN && function != REDUCTION_MAX);
}

enum weft_dtype reduction_dtype(enum reduction function, enum weft_dtype from)
{
    const bool floats = dtype_is_float(from);
    switch (function) {
    case REDUCTION_SUM: case REDUCTION_PROD: case REDUCTION_VECDOT:
        return floats ? from : type_rows[from].class == CLASS_UNSIGNED ? WEFT_UINT64 : WEFT_INT64;
    case REDUCTION_MIN: case REDUCTION_MAX: return from;
    case REDUCTION_ANY: case REDUCTION_ALL: return WEFT_BOOL;
    case REDUCTION_COUNT_NONZERO: case REDUCTION_ARGMIN: case REDUCTION_ARGMAX: return WEFT_INT64;
    case REDUCTION_MEAN: case REDUCTION_VAR: case REDUCTION_STD: case REDUCTION_NORM: case REDUCTION_MEAN_SQUARE:
    case REDUCTION_RMS: case REDUCTION_SOFTMAX: case REDUCTION_LOGSUMEXP: return floats ? from : WEFT_FLOAT32;
    case REDUCTION_COUNT: break;
    }
    return WEFT_DTYPE_COUNT;
}

/* ---- shapes ---- */

bool reduction_axes(const struct formula_reduction *reduction, int rank, unsigned *axes)
{
    const bool one = has_one_axis(reduction->function);
    *axes = one ? 1u << (rank - (rank > 0)) : (1u << rank) - 1;
    if (one && rank == 0)
        return false;
    if (!reduction->has_axes)
        return true;
    *axes = 0;
    for (int i = 0; i < reduction->count; i++) {
        const int axis = reduction->axes[i] < 0 ? reduction->axes[i] + rank : reduction->axes[i];
        if (axis < 0 || axis >= rank || *axes >> axis & 1)
            return false;
        *axes |= 1u << axis;
    }
    return !one || reduction->count == 1;
}

/* Rule 11.3: least and greatest elements, which softmax and logsumexp are made of, there are only where there are
 * elements. */
static bool needs_elements(enum reduction function)
{
    switch (function) {
    case REDUCTION_MIN: case REDUCTION_MAX: case REDUCTION_ARGMIN: case REDUCTION_ARGMAX: case REDUCTION_SOFTMAX:
    case REDUCTION_LOGSUMEXP: return true;
    default: return false;
    }
}

bool reduction_extents(const struct formula_reduction *reduction, const struct extents *in, struct extents *out)
{
    const struct extents from = *in;
    unsigned axes;
    int64_t reduced = 1, rows = 1;
    if (!reduction_axes(reduction, from.rank, &axes))
        return false;
    out->rank = 0;
    for (int d = 0; d < from.rank; d++) {
        const bool drop = axes >> d & 1;
        *(drop ? &reduced : &rows) *= from.at[d];
        if (!drop || reduction->keepdims)
            out->at[out->rank++] = drop ? 1 : from.at[d];
    }
    if (reduction_keeps_shape(reduction->function))
        *out = from;
    return reduced > 0 || rows == 0 || !needs_elements(reduction->function);
}

int64_t *reduction_offsets(struct arena *arena, const struct extents *space, unsigned chosen,
                           const struct extents *operand, int64_t *count)
{
    int64_t strides[FORMULA_RANK] = {0}, index[FORMULA_RANK] = {0}, stride = 1;
    for (int back = 1; back <= operand->rank; back++) {
        const int64_t extent = operand->at[operand->rank - back];
        strides[space->rank - back] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    *count = 1;
    for (int d = 0; d < space->rank; d++)
        *count *= chosen >> d & 1 ? space->at[d] : 1;
    int64_t *offsets = ARENA_ARRAY(arena, int64_t, *count + 1);
    for (int64_t i = 0; i < *count; i++) {
        offsets[i] = 0;
        for (int d = 0; d < space->rank; d++)
            offsets[i] += index[d] * strides[d];
        for (int d = space->rank - 1; d >= 0; d--) {
            if (!(chosen >> d & 1))
                continue;
            if (++index[d] < space->at[d])
                break;
            index[d] = 0;
        }
    }
    return offsets;
}

/* ---- random ones ---- */

static int below(struct stream *stream, int bound)
{
    return (int)stream_below(stream, (uint64_t)bound);
}

struct formula_reduction reduction_any(struct stream *stream, int rank)
{
    struct formula_reduction reduction = {.function = (enum reduction)below(stream, REDUCTION_COUNT)};
    int all[FORMULA_RANK];
    reduction.keepdims = below(stream, 2) && !has_one_axis(reduction.function);
    if (reduction.function == REDUCTION_VAR || reduction.function == REDUCTION_STD)
        reduction.ddof = (int[]){0, 0, 0, 1, 1, 2, -1, 9}[below(stream, 8)];
    if (below(stream, 4) == 0)
        return reduction;
    reduction.has_axes = true;
    reduction.count = has_one_axis(reduction.function) ? rank > 0 :
                      rank && below(stream, 3)         ? 1
                                                       : below(stream, rank + 1);
    for (int i = 0; i < rank; i++)
        all[i] = i;
    for (int i = 0; i < reduction.count; i++) {
        const int j = i + below(stream, rank - i), kept = all[i];
        all[i] = all[j];
        all[j] = kept;
        reduction.axes[i] = below(stream, 3) ? all[i] : all[i] - rank;
    }
    return reduction;
}

/* ---- text ---- */

static int print_axes(char *text, size_t size, const struct formula_reduction *reduction, bool list)
{
    int at = snprintf(text, size, list ? "[" : "");
    for (int i = 0; i < reduction->count; i++)
        at += snprintf(text + at, size - (size_t)at, i ? ", %d" : "%d", reduction->axes[i]);
    return at + snprintf(text + at, size - (size_t)at, list ? "]" : "");
}

static bool counts_freedom(enum reduction function)
{
    return function == REDUCTION_VAR || function == REDUCTION_STD;
}

/* What stands behind the axes. min and max take it by name alone; `placed`: the axes have no name. */
static void print_rest(char *text, size_t size, const struct formula_reduction *reduction, bool placed, unsigned manner)
{
    const bool counts = counts_freedom(reduction->function), ddof = counts && (reduction->ddof || manner & 8);
    int at = 0;
    text[0] = '\0';
    placed = placed && manner & 1;
    if (reduction->keepdims || (manner & 16 && !has_one_axis(reduction->function)))
        at = snprintf(text, size, ", %s%s", placed ? "" : "keepdims=",
                      reduction->keepdims ? manner & 2 ? "true" : "True" : manner & 2 ? "false" : "False");
    if (ddof)
        snprintf(text + at, size - (size_t)at, ", ddof=%d", reduction->ddof);
}

void reduction_print(char *text, size_t size, const struct formula_reduction *reduction, unsigned manner)
{
    const bool named = reduction->function == REDUCTION_MIN || reduction->function == REDUCTION_MAX || manner & 4;
    int at = 0;
    text[0] = '\0';
    if (reduction->has_axes) {
        at = snprintf(text, size, ", %s", !named ? "" : manner & 32 ? "axes=" : "axis=");
        at += print_axes(text + at, size - (size_t)at, reduction, reduction->count != 1 || manner & 64);
    }
    print_rest(text + at, size - (size_t)at, reduction, reduction->has_axes && !named, manner);
}

void reduction_print_letters(char *text, size_t size, const struct formula_reduction *reduction, int rank)
{
    int at = snprintf(text, size, ", axes=\"");
    for (int i = 0; i < reduction->count; i++)
        at += snprintf(text + at, size - (size_t)at, "%c",
                       'A' + reduction->axes[i] + (reduction->axes[i] < 0 ? rank : 0));
    at += snprintf(text + at, size - (size_t)at, "\"");
    print_rest(text + at, size - (size_t)at, reduction, false, 2);
}
