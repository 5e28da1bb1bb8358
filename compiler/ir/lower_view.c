/* The maps under which operands of views are read (lower_impl.h). Views move no data: they only say where. */
#include "compiler/check/check.h"
#include "compiler/ir/lower_impl.h"

/* Whether the node reads an input's bytes as another type. */
bool view_is_cast_input(const struct lowering *l, const struct node *node)
{
    if (node->kind != NODE_VIEW || l->program->views[node->view].kind != VIEW_REINTERPRET)
        return false;
    const struct node *from = named_node(l->program, operand_node(l->program, node, 0));
    return from->kind == NODE_NAME && from->dtype != node->dtype && !from->number &&
           l->program->symbols[from->symbol].kind == SYMBOL_INPUT;
}

/* The slice that an item takes of a dimension (NULL: all of it). Of lists only those with equal steps come here. */
static struct slice selected_slice(const struct item *item, int64_t extent)
{
    int64_t first, step;
    if (!item || item->kind != ITEM_LIST)
        return item ? item->slice : (struct slice){.step = 1};
    view_list_is_slice(item, extent, &first, &step);
    const int64_t stop = first + step * item->count;
    const bool ends = (stop < 0) == (first < 0); /* else the slice goes on to the dimension's end */
    return (struct slice){.start = first, .stop = ends ? stop : 0, .step = step, .has_start = true, .has_stop = ends};
}

/* The map under which the operand of a view by axes is read. `map` is that of the view. */
static int selection_map(struct lowering *l, const struct node *view, int map)
{
    const struct shape *from = l->shapes[view - l->program->nodes], *to = l->shapes[operand_index(l, view, 0)];
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank);
    struct view_axis selected[WEFT_MAX_RANK];
    struct shape all;
    int axis;
    const struct item *list = view_list_taken(&l->views[view->view], to, from, &all, &axis);
    view_axes(&l->views[view->view], to->rank, selected);
    for (int d = 0; d < to->rank; d++)
        axes[d] = (struct axis){selected[d].result,
                                selected_slice(selected[d].item == list ? NULL : selected[d].item, to->extents[d])};
    if (list) {
        const struct shape *over = arena_copy(l->arena, &all, sizeof all);
        map = take_list_map(l, view, map, from, over);
        from = over;
    }
    return map < 0 ? map : map_select(l->kernel, map, from, to, axes);
}

int view_element_map(struct lowering *l, const struct node *view, int map, const struct shape *from,
                     const struct item *list, int64_t position)
{
    const struct shape *to = l->shapes[operand_index(l, view, 0)];
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank);
    struct view_axis selected[WEFT_MAX_RANK];
    view_axes(&l->views[view->view], to->rank, selected);
    for (int d = 0; d < to->rank; d++)
        axes[d] = selected[d].item == list
                      ? (struct axis){-1, {.start = position + (position < 0 ? to->extents[d] : 0), .step = 1,
                                           .has_start = true}}
                      : (struct axis){selected[d].result, selected_slice(selected[d].item, to->extents[d])};
    return map_select(l->kernel, map, from, to, axes);
}

static int roll_map(struct lowering *l, const struct node *view, int map)
{
    const struct shape *shape = l->shapes[operand_index(l, view, 0)];
    const struct numbers *given = &l->views[view->view].shifts;
    struct shift shifts[WEFT_MAX_RANK];
    struct view_axis axes[WEFT_MAX_RANK];
    view_axes(&l->views[view->view], shape->rank, axes);
    for (int d = 0; d < shape->rank; d++) {
        const struct literal *shift = axes[d].shift < 0 ? NULL : &given->items[axes[d].shift];
        const int64_t number = shift ? (int64_t)shift->integer : 0;
        const bool open = shift && shift->kind == LITERAL_NONE;
        shifts[d] = (struct shift){open ? EXTENT_VARIABLE - number : number, open};
    }
    return map_wrapped(l->kernel, map, shape, shifts);
}

/* tile and repeat: the result's elements in other dimensions, along some of which the operand stretches. */
static int repetition_map(struct lowering *l, const struct node *view, int map)
{
    const struct shape *from = l->shapes[view - l->program->nodes], *to = l->shapes[operand_index(l, view, 0)];
    struct shape *spread = ARENA_NEW(l->arena, struct shape), *once = ARENA_NEW(l->arena, struct shape);
    view_spread(&l->views[view->view], to, spread, once);
    map = map_view(l->kernel, map, from, spread);
    return map < 0 ? map : map_view(l->kernel, map, once, to);
}

/* A reinterpreted input is read as elements of the new type, in order. */
int view_operand_map(struct lowering *l, const struct node *view, int map)
{
    const struct shape *from = l->shapes[view - l->program->nodes];
    const struct shape *to = l->shapes[operand_index(l, view, 0)];
    struct shape *row = NULL;
    const enum view_kind kind = l->program->views[view->view].kind;
    if (kind == VIEW_ROLL)
        return roll_map(l, view, map);
    if (view_is_neighbour(kind))
        return neighbour_map(l, view, map);
    if (kind == VIEW_BROADCAST_TO || kind == VIEW_NAMED || view_is_random(kind) || kind == VIEW_SCATTER)
        return map;                /* the operand stretches further under the same map, or is the same */
    if (kind == VIEW_TILE || kind == VIEW_REPEAT)
        return repetition_map(l, view, map);
    if (view_is_by_axes(kind))
        return selection_map(l, view, map);
    if (view_is_cast_input(l, view) && !shape_known(from)) {
        to = row = arena_copy(l->arena, from, sizeof *from); /* with the same number of elements, in their order */
    } else if (view_is_cast_input(l, view)) {
        to = row = ARENA_NEW(l->arena, struct shape);
        *row = (struct shape){.rank = 1, .extents = {shape_volume(from)}};
    }
    return row ? map_bytes(l->kernel, map, from, to) : map_view(l->kernel, map, from, to);
}
