/* Implements view.h; the files view_*.c have the forms. Of an argument's numbers all may be known, only the count, or
 * nothing. What may be correct at the call is never refused. */
#include "compiler/check/view_impl.h"

#include <string.h>

static bool check_layout(const struct view_walk *w)
{
    size_t length = w->args->has_layout ? strlen(w->args->layout) : 0;
    struct numbers place = {.given = true, .span = w->args->layout_span};
    if (!w->out || length == 0 || length == (size_t)w->out->rank)
        return true;
    return view_wrong(w, DIAG_VIEW_RANK, &place,
                      "layout \"%s\" has %zu letter%s, and the result %s has %d "
                      "dimension%s",
                      w->args->layout, length, length == 1 ? "" : "s",
                      shape_text(w->arena, w->viewed->program, w->out), w->out->rank,
                      w->out->rank == 1 ? "" : "s");
}

const struct shape *view_shape(struct arena *arena, struct diags *diags,
                               const struct viewed *viewed, const struct view_args *args,
                               bool *good)
{
    static bool (*const forms[VIEW_KIND_COUNT])(struct view_walk *) = {
        [VIEW_RESHAPE] = view_reshape,
        [VIEW_REINTERPRET] = view_reinterpret,
        [VIEW_SQUEEZE] = view_squeeze,
        [VIEW_EXPAND_DIMS] = view_expand_dims,
        [VIEW_EXTENT] = view_extent,
        [VIEW_SELECT] = view_select,
        [VIEW_TRANSPOSE] = view_transpose,
        [VIEW_FLIP] = view_flip,
        [VIEW_ROLL] = view_roll,
        [VIEW_BROADCAST_TO] = view_broadcast_to,
        [VIEW_TILE] = view_tile,
        [VIEW_REPEAT] = view_repeat,
        [VIEW_INDEX] = view_index,
        [VIEW_ARANGE] = view_arange,
        [VIEW_LINSPACE] = view_linspace};
    struct view_walk walk = {.arena = arena,
                             .diags = diags,
                             .viewed = viewed,
                             .args = args,
                             .out = ARENA_NEW(arena, struct shape),
                             .rest = -1};
    if (forms[args->kind](&walk) && check_layout(&walk))
        return walk.out;
    *good = false;
    return NULL;
}
