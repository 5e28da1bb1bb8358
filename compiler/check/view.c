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

const struct shape *view_shape(struct arena *arena, struct diags *diags, const struct viewed *viewed, int count,
                               const struct view_args *args, bool *good)
{
    static bool (*const forms[VIEW_KIND_COUNT])(struct view_walk *) = {
#define VIEW(id, name, parameters, kinds, required, node, shape, ...) [VIEW_##id] = view_##shape,
#include "grammar/views.def"
    };
    struct view_walk walk = {.arena = arena, .diags = diags, .viewed = viewed, .count = count, .args = args,
                             .out = ARENA_NEW(arena, struct shape), .rest = -1};
    if (forms[args->kind](&walk) && check_layout(&walk))
        return walk.out;
    *good = false;
    return NULL;
}
