/* See join.h. */
#include "tests/random/join.h"

#include <stdio.h>

bool is_joined(const struct formula_view *view)
{
    return view->kind == VIEWS_CONCAT || view->kind == VIEWS_STACK;
}

static int axis_of(const struct formula_view *view, int rank)
{
    return view->sources[0] < 0 ? view->sources[0] + rank + (view->kind == VIEWS_STACK) : view->sources[0];
}

bool join_extents_of(const struct formula_view *view, const struct formula_node *node, const struct extents *shapes,
                     struct extents *out)
{
    const struct extents first = shapes[node->operands[0]];
    const bool stack = view->kind == VIEWS_STACK;
    const int axis = axis_of(view, first.rank);
    *out = first;
    if (axis < 0 || axis >= first.rank + stack || first.rank + stack > FORMULA_RANK)
        return false;
    for (int i = 1; i < node->count; i++) {
        const struct extents *next = &shapes[node->operands[i]];
        if (next->rank != first.rank)
            return false;
        for (int d = 0; d < first.rank; d++)
            if ((stack || d != axis) && next->at[d] != first.at[d])
                return false;
        if (!stack)
            out->at[axis] += next->at[axis];
    }
    for (int d = first.rank; stack && d > axis; d--)
        out->at[d] = first.at[d - 1];
    if (stack)
        out->at[axis] = node->count;
    out->rank += stack;
    return true;
}

int64_t join_source(const struct formula_view *view, const struct formula_node *node, const struct extents *shapes,
                    const struct extents *out, int64_t number, int64_t *which)
{
    const bool stack = view->kind == VIEWS_STACK;
    const int rank = shapes[node->operands[0]].rank, axis = axis_of(view, rank);
    int64_t inner = 1, operand = 0;
    for (int d = axis + 1; d < out->rank; d++)
        inner *= out->at[d];
    int64_t place = number / inner % out->at[axis];
    const int64_t outer = number / inner / out->at[axis];
    for (;; operand++) {
        const int64_t extent = stack ? 1 : shapes[node->operands[operand]].at[axis];
        if (place < extent) {
            *which = operand;
            return (outer * extent + place) * inner + number % inner;
        }
        place -= extent;
    }
}

bool join_any(struct stream *stream, struct formula_view *view, int rank)
{
    const bool stack = rank == 0 || stream_below(stream, 3) == 0;
    *view = (struct formula_view){.kind = stack ? VIEWS_STACK : VIEWS_CONCAT};
    view->sources[0] = (int)stream_below(stream, (uint64_t)(rank + stack));
    if (stream_below(stream, 4) == 0)
        view->sources[0] -= rank + stack;
    view->has_sources = view->sources[0] || stream_below(stream, 2);
    return rank + stack <= FORMULA_RANK;
}

int join_print(char *text, size_t size, const struct formula_view *view)
{
    text[0] = '\0';
    return view->has_sources ? snprintf(text, size, ", axis=%d", view->sources[0]) : 0;
}
