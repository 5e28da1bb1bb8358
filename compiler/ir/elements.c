/* Implements elements.h: goes over the nodes, results first, and passes each element on to the operands. Under views it
 * asks the maps by which kernels read them. */
#include "compiler/ir/elements.h"

#include "compiler/ir/lower_impl.h"

#include <string.h>

/* ---- maps ---- */

/* The position of a shape that is read at a position of one to which it broadcasts. */
static void align(const int64_t *at, int rank, const struct shape *shape, int64_t *aligned)
{
    for (int d = 0; d < shape->rank; d++) {
        const int from = d + rank - shape->rank;
        aligned[d] = shape->extents[d] == 1 || from < 0 ? 0 : at[from];
    }
}

static int64_t number_of(const struct shape *shape, const int64_t *at)
{
    int64_t number = 0;
    for (int d = 0; d < shape->rank; d++)
        number = number * shape->extents[d] + at[d];
    return number;
}

static void take_apart(const struct shape *shape, int64_t number, int64_t *at)
{
    for (int d = shape->rank - 1; d >= 0; d--) {
        at[d] = shape->extents[d] ? number % shape->extents[d] : 0;
        number = shape->extents[d] ? number / shape->extents[d] : 0;
    }
}

/* The position along dimension t of a step that selects, at position `at` of step->from. */
static bool along(const struct index_map *step, int t, const int64_t *at, int64_t *position)
{
    const struct axis *axis = &step->axes[t];
    const struct slice *slice = &axis->slice;
    const int64_t extent = step->to->extents[t], above = axis->from < 0 ? 0 : at[axis->from];
    int64_t first = slice->start, count;
    if (step->outside) {
        first = slice->has_stop ? extent - step->from->extents[axis->from] : first;
        *position = first + above;
        return edge_element(step->outside == OUTSIDE_WRAP ? EDGE_WRAP : axis->edge, extent, position);
    }
    if (axis->from < 0)
        first += first < 0 ? extent : 0;
    else
        slice_resolve(slice, extent, &first, &count);
    *position = first + slice->step * above;
    return true;
}

/* Moves a position of what is above a step, a space of this rank, to the one that is read. False: none is, or the
 * kernel computes which. */
static bool take_step_down(const struct index_map *step, int rank, int64_t *at)
{
    int64_t from[WEFT_MAX_RANK];
    align(at, rank, step->from, from);
    if (!step->axes) {
        take_apart(step->to, number_of(step->from, from), at);
        return step->outside == OUTSIDE_NONE;
    }
    bool found = true;
    for (int t = 0; t < step->to->rank; t++)
        found = along(step, t, from, &at[t]) && found;
    return found;
}

/* The same for all steps of a map. */
static bool take_map_down(const struct kernel *kernel, int map, int64_t *at)
{
    const struct index_map *step = &kernel->maps[map];
    return map == 0 ||
           (take_map_down(kernel, step->parent, at) && take_step_down(step, kernel->maps[step->parent].to->rank, at));
}

/* ---- nodes ---- */

static int operand_of(const struct elements *e, const struct node *node, int i)
{
    return e->program->operands[node->operands + i];
}

static const struct shape *shape_of(const struct elements *e, const struct node *node)
{
    return e->shapes[node - e->program->nodes];
}

void elements_use(const struct elements *e, int n, const int64_t *at)
{
    struct element *element = &e->items[n];
    const size_t size = (size_t)e->shapes[n]->rank * sizeof *at;
    if (element->state == ELEMENT_ONE && memcmp(element->at, at, size) != 0)
        element->state = ELEMENT_SEVERAL;
    if (element->state != ELEMENT_NONE)
        return;
    element->state = ELEMENT_ONE;
    memcpy(element->at, at, size);
}

/* An operand that broadcasts. */
static void use_aligned(const struct elements *e, const struct node *node, int i)
{
    int64_t at[WEFT_MAX_RANK];
    const int operand = operand_of(e, node, i);
    align(e->items[node - e->program->nodes].at, shape_of(e, node)->rank, e->shapes[operand], at);
    elements_use(e, operand, at);
}

/* The map of a view alone, and of the one element of a list that is read. */
static int map_of_view(struct lowering *l, const struct node *node, const int64_t *at)
{
    const struct shape *from = l->shapes[node_number(l, node)], *to = l->shapes[operand_index(l, node, 0)];
    const struct view_args *args = &l->views[node->view];
    struct shape all;
    int axis;
    const struct item *list = args->kind == VIEW_SELECT ? view_list_taken(args, to, from, &all, &axis) : NULL;
    return list ? view_element_map(l, node, 0, from, list, list->positions[at[axis]]) : view_operand_map(l, node, 0);
}

static bool find_viewed_element(const struct elements *e, const struct node *node, int64_t *at)
{
    const struct shape *from = shape_of(e, node), *to = e->shapes[operand_of(e, node, 0)];
    struct kernel *kernel = ARENA_NEW(e->arena, struct kernel);
    *kernel = (struct kernel){.arena = e->arena, .program = e->program};
    ARENA_PUSH(e->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = from}));
    struct lowering l = {.arena = e->arena, .program = e->program, .shapes = e->shapes, .values = e->program->nodes,
                         .views = e->views, .kernel = kernel};
    const int map = map_of_view(&l, node, at);
    if (map < 0 || !take_map_down(kernel, map, at))
        return false;
    int64_t above[WEFT_MAX_RANK];
    memcpy(above, at, sizeof above);
    align(above, kernel->maps[map].to->rank, to, at);
    return true;
}

static void use_viewed(const struct elements *e, const struct node *node)
{
    const struct view_args *args = &e->views[node->view];
    const struct shape *from = shape_of(e, node), *to = e->shapes[operand_of(e, node, 0)];
    const int size = type_rows[node->dtype].size, below = type_rows[operand_node(e->program, node, 0)->dtype].size;
    int64_t at[WEFT_MAX_RANK];
    memcpy(at, e->items[node - e->program->nodes].at, sizeof at);
    if (args->kind == VIEW_EXTENT || args->part)
        return;
    if (args->kind == VIEW_REINTERPRET)
        take_apart(to, number_of(from, at) * size / below, at);
    else if (!find_viewed_element(e, node, at))
        return;
    elements_use(e, operand_of(e, node, 0), at);
}

/* The operand of concat or stack that is there. */
static void use_joined(const struct elements *e, const struct node *node)
{
    const struct view_args *args = &e->views[node->view];
    const int axis = view_join_axis(args, e->shapes[operand_of(e, node, 0)]->rank);
    int64_t at[WEFT_MAX_RANK];
    memcpy(at, e->items[node - e->program->nodes].at, sizeof at);
    for (int i = 0; i < node->operand_count; i++) {
        const struct shape *shape = e->shapes[operand_of(e, node, i)];
        const int64_t extent = args->kind == VIEW_STACK ? 1 : shape->extents[axis];
        if (at[axis] < extent) {
            if (args->kind == VIEW_STACK)
                memmove(&at[axis], &at[axis + 1], (size_t)(shape->rank - axis) * sizeof *at);
            elements_use(e, operand_of(e, node, i), at);
            return;
        }
        at[axis] -= extent;
    }
}

/* ---- computed positions ---- */

/* The value of an element of an integer node: of a literal, or of what a run computes. */
static bool integer_at(const struct elements *e, int n, const int64_t *at, int64_t *value)
{
    const struct node *node = named_node(e->program, &e->program->nodes[n]);
    const struct shape *shape = e->shapes[n];
    if (node->kind == NODE_ARRAY)
        node = operand_node(e->program, node, (int)number_of(shape, at));
    if (node->literal.kind == LITERAL_NONE)
        return e->integer(e->user, n, at, value);
    *value = (int64_t)node->literal.integer;
    return node->literal.kind == LITERAL_INTEGER;
}

/* The position of x that is read where `value` was computed, in a dimension of `extent`. */
static bool taken_position(const struct mode *mode, int64_t extent, int64_t *value)
{
    if (mode)
        return edge_element(mode->edge, extent, value);
    *value += *value < 0 ? extent : 0;
    return *value >= 0 && *value < extent;
}

/* take and gather: `count` positions stand in the node's dimensions from `first` on, of `rank`. */
struct taking_element {
    int axes[WEFT_MAX_RANK], count, first, rank;
    bool listed;                   /* gather: they stand along the last dimension of what holds them */
};

static struct taking_element taking_element(const struct view_args *args, const struct shape *x,
                                            const struct shape *positions)
{
    struct taking_element t = {.count = 1, .rank = positions->rank};
    if (args->kind == VIEW_TAKE) {
        t.first = t.axes[0] = view_take_axis(args, x->rank);
        return t;
    }
    t.listed = true;
    t.rank = positions->rank - 1;
    t.count = gather_axes(args, x->rank, (int)positions->extents[t.rank], t.axes);
    return t;
}

static void use_taken(const struct elements *e, const struct node *node)
{
    const struct view_args *args = &e->views[node->view];
    const int x = operand_of(e, node, 0), positions = operand_of(e, node, 1);
    if (args->part || (args->kind != VIEW_TAKE && args->kind != VIEW_GATHER))
        return;
    const struct taking_element t = taking_element(args, e->shapes[x], e->shapes[positions]);
    const int64_t *at = e->items[node - e->program->nodes].at;
    int64_t own[WEFT_MAX_RANK], taken[WEFT_MAX_RANK];
    bool set[WEFT_MAX_RANK] = {false}, found = true;
    memcpy(own, at + t.first, (size_t)t.rank * sizeof *own);
    if (!t.listed)
        elements_use(e, positions, own);
    for (int i = 0; i < t.count; i++) {
        const int axis = t.axes[i];
        if (t.listed)
            own[t.rank] = i;
        set[axis] = true;
        found = integer_at(e, positions, own, &taken[axis]) &&
                taken_position(t.listed ? gather_mode(args, i) : NULL, e->shapes[x]->extents[axis], &taken[axis]) &&
                found;
    }
    for (int d = 0, next = 0; d < e->shapes[x]->rank; d++) {
        next += next == t.first ? t.rank : 0;
        if (!set[d])
            taken[d] = at[next++];
    }
    if (found)
        elements_use(e, x, taken);
}

/* The element in the middle of those that are weighed. */
static void use_weighed(const struct elements *e, const struct node *node)
{
    const struct view_args *args = &e->views[node->view];
    const int x = operand_of(e, node, 0);
    const struct shape *k = e->shapes[operand_of(e, node, 1)];
    int64_t middle[WEFT_MAX_RANK];
    int axes[WEFT_MAX_RANK];
    memcpy(middle, e->items[node - e->program->nodes].at, sizeof middle);
    const int count = neighbour_axes(args, e->shapes[x]->rank, k->rank, axes);
    for (int i = 0; i < count && args->modes.valid; i++)
        middle[axes[i]] += (args->kind == VIEW_CONVOLVE ? k->extents[i] - 1 : k->extents[i]) / 2;
    elements_use(e, x, middle);
}

/* ---- all of it ---- */

static void use_operands(const struct elements *e, const struct node *node)
{
    switch (node->kind) {
    case NODE_OP:
        for (int i = 0; i < node->operand_count; i++)
            use_aligned(e, node, i);
        break;
    case NODE_CAST: case NODE_WRAP: use_aligned(e, node, 0); break; /* others stand for their types */
    case NODE_VIEW: use_viewed(e, node); break;
    case NODE_JOIN: use_joined(e, node); break;
    case NODE_TAKE: use_taken(e, node); break;
    case NODE_CORRELATE: use_weighed(e, node); break;
    case NODE_NAME:
        if (e->program->symbols[node->symbol].kind == SYMBOL_BINDING)
            elements_use(e, e->program->symbols[node->symbol].node, e->items[node - e->program->nodes].at);
        break;
    default: break;
    }
}

void elements_find(const struct elements *e)
{
    for (int n = e->program->node_count - 1; n >= 0; n--)
        if (e->items[n].state == ELEMENT_ONE)
            use_operands(e, &e->program->nodes[n]);
}
