/* See take.h. */
#include "tests/random/take.h"

#include <stdio.h>

bool is_taken(const struct formula_view *view)
{
    return view->kind == VIEWS_TAKE;
}

static int axis_of(const struct formula_view *view, int rank)
{
    return view->sources[0] < 0 ? view->sources[0] + rank : view->sources[0];
}

bool take_extents(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                  struct extents *out)
{
    const int axis = axis_of(view, from->rank);
    *out = (struct extents){0};
    if (axis < 0 || axis >= from->rank || from->rank - 1 + positions->rank > FORMULA_RANK)
        return false;
    for (int d = 0; d < from->rank; d++)
        if (d != axis)
            out->at[out->rank++] = from->at[d];
        else
            for (int p = 0; p < positions->rank; p++)
                out->at[out->rank++] = positions->at[p];
    return true;
}

/* The number of elements of all dimensions from `first` on. */
static int64_t behind(const struct extents *extents, int first)
{
    int64_t count = 1;
    for (int d = first; d < extents->rank; d++)
        count *= extents->at[d];
    return count;
}

int64_t take_position(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                      int64_t number)
{
    return number / behind(from, axis_of(view, from->rank) + 1) % behind(positions, 0);
}

int64_t take_source(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                    int64_t number, __int128 position)
{
    const int axis = axis_of(view, from->rank);
    const int64_t inner = behind(from, axis + 1), outer = number / inner / behind(positions, 0);
    if (position < 0)
        position += from->at[axis];
    return position < 0 || position >= from->at[axis]
               ? -1 : (outer * from->at[axis] + (int64_t)position) * inner + number % inner;
}

bool take_any(struct stream *stream, struct formula_view *view, int rank)
{
    *view = (struct formula_view){.kind = VIEWS_TAKE};
    if (rank == 0)
        return false;
    view->sources[0] = (int)stream_below(stream, (uint64_t)rank);
    if (stream_below(stream, 4) == 0)
        view->sources[0] -= rank;
    view->has_sources = view->sources[0] || stream_below(stream, 2);
    view->has_shape = stream_below(stream, 2); /* the axis has its name before it */
    return true;
}

int take_print(char *text, size_t size, const struct formula_view *view)
{
    text[0] = '\0';
    return view->has_sources ? snprintf(text, size, view->has_shape ? ", axis=%d" : ", %d", view->sources[0]) : 0;
}
