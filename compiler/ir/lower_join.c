/* concat and stack (rule 9.3; lower_impl.h). Each value is read under a map of its own, all over the result's space,
 * and masks by position choose among them. Where it is not chosen, a value is read at some element that it has:
 * positions go round. Where only the call knows extents along the axis, a value may have no elements, so there bounded
 * maps read 0 instead, and masks are loads under such maps, too. */
#include "compiler/check/check.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/lower_impl.h"

#include <string.h>

enum {
    MAX_MASK = 4096,               /* a mask of so many positions is dense */
    SHORT_AXIS = 4                 /* along so few elements that lie innermost, each of an input's is a value of its
                                      own: a stretched load, of which kernels gather vectors (ACCESS_INTERLEAVED) */
};

/* One value of a join. */
struct part {
    int operand;                   /* the node */
    int map;                       /* how it is read; -1: there are too many maps */
    int mask, mask_map;            /* the constant that says where this part or one before it stands, and how that is
                                      read; of the last part no matter */
};

struct joining {
    struct lowering *l;
    const struct node *node;
    const struct shape *out;
    int axis, map;
    int first, end;                /* the operands that are joined */
    struct part *parts;
    int count;
};

static const struct shape *shape_of(const struct joining *j, int i)
{
    return j->l->shapes[operand_index(j->l, j->node, i)];
}

/* The shape with another extent along the axis, or only that. */
static struct shape *with_extent(const struct joining *j, const struct shape *shape, int64_t extent)
{
    struct shape *other = arena_copy(j->l->arena, shape, sizeof *other);
    other->extents[j->axis] = extent;
    return other;
}

static struct shape *alone(const struct joining *j, int64_t extent)
{
    struct shape *shape = arena_copy(j->l->arena, j->out, sizeof *shape);
    for (int d = 0; d < shape->rank; d++)
        shape->extents[d] = 1;
    shape->extents[j->axis] = extent;
    return shape;
}

/* ---- masks ---- */

/* The number of a constant of bools, the first `ones` of them true. */
static int add_mask(const struct joining *j, const struct shape *shape, int64_t ones)
{
    struct kernel *kernel = j->l->kernel;
    const size_t bytes = (size_t)shape_volume(shape);
    unsigned char *data = arena_alloc(kernel->arena, bytes);
    memset(data, 1, (size_t)ones);
    for (int c = 0; c < kernel->constant_count; c++) {
        const struct constant *constant = &kernel->constants[c];
        if (constant->shape && constant->dtype == WEFT_BOOL && constant->bytes == bytes &&
            shapes_equal(constant->shape, shape) && memcmp(constant->data, data, bytes) == 0)
            return c;
    }
    const struct constant constant = {(int)(j->node - j->l->program->nodes), shape, WEFT_BOOL, data, bytes};
    ARENA_PUSH(kernel->arena, kernel->constants, kernel->constant_count, constant);
    return kernel->constant_count - 1;
}

/* Keeps what the mask says, for whoever knows which positions a kernel goes over. */
static void note_mask(const struct joining *j, const struct part *part, int64_t ones)
{
    struct kernel *kernel = j->l->kernel;
    const struct mask mask = {part->mask, part->mask_map, j->map, j->out->rank - j->axis, ones};
    for (int m = 0; m < kernel->mask_count; m++)
        if (kernel->masks[m].constant == mask.constant && kernel->masks[m].map == mask.map)
            return;
    ARENA_PUSH(kernel->arena, kernel->masks, kernel->mask_count, mask);
}

/* Sets the mask of the first `ones` of `all` positions. Of many it is [true, false], each as often as the longer of
 * both sides has positions. */
static void set_mask(const struct joining *j, struct part *part, int64_t ones, int64_t all)
{
    struct kernel *kernel = j->l->kernel;
    const int64_t half = ones > all - ones ? ones : all - ones, first = half - ones;
    part->mask_map = j->map;
    if (all <= MAX_MASK) {
        part->mask = add_mask(j, alone(j, all), ones);
        note_mask(j, part, ones);
        return;
    }
    const struct shape *flat = shape_new(j->l->arena, 1, &(int64_t){2 * half});
    const struct shape *sides = shape_new(j->l->arena, 2, (const int64_t[]){2, half});
    const struct shape *once = shape_new(j->l->arena, 2, (const int64_t[]){2, 1});
    const struct axis axis = {j->axis, {first, first + all, 1, true, true}};
    part->mask = add_mask(j, shape_new(j->l->arena, 1, &(int64_t){2}), 1);
    int map = map_select(kernel, j->map, alone(j, all), flat, arena_copy(j->l->arena, &axis, sizeof axis));
    map = map < 0 ? map : map_view(kernel, map, flat, sides);
    part->mask_map = map < 0 ? map : map_view(kernel, map, once, kernel->constants[part->mask].shape);
    note_mask(j, part, ones);
}

/* ---- where extents along the axis are numbers ---- */

/* The map of a value of this shape that stands from position `first` on. */
static int part_map(const struct joining *j, const struct shape *shape, int64_t extent, int64_t first)
{
    struct kernel *kernel = j->l->kernel;
    if (extent == 1)
        return map_view(kernel, j->map, with_extent(j, j->out, 1), shape);
    if (extent == j->out->extents[j->axis])
        return j->map;
    return map_within(kernel, j->map, j->out, shape, j->axis, -first);
}

static int64_t extent_of(const struct joining *j, int i)
{
    const bool stack = j->l->program->views[j->node->view].kind == VIEW_STACK;
    return stack ? 1 : shape_of(j, i)->extents[j->axis];
}

static bool extents_known(const struct joining *j)
{
    for (int i = j->first; i < j->end; i++)
        if (extent_of(j, i) < 0)
            return false;
    return true;
}

static bool is_input(const struct lowering *l, int node)
{
    const struct node *value = named_node(l->program, &l->program->nodes[node]);
    return value->kind == NODE_NAME && !value->number && l->program->symbols[value->symbol].kind == SYMBOL_INPUT;
}

/* The map of element `at` along the axis of an operand. */
static int element_map(const struct joining *j, const struct shape *shape, int64_t at)
{
    struct axis *axes = ARENA_ARRAY(j->l->arena, struct axis, shape->rank);
    for (int d = 0; d < shape->rank; d++)
        axes[d] = (struct axis){d == j->axis ? -1 : d,
                                {.start = d == j->axis ? at : 0, .step = 1, .has_start = d == j->axis}};
    return map_select(j->l->kernel, j->map, with_extent(j, j->out, 1), shape, axes);
}

/* Adds a part in front of position `end`. */
static void add_part(struct joining *j, int operand, int map, int64_t end)
{
    struct part part = {.operand = operand, .map = map};
    if (end < j->out->extents[j->axis])
        set_mask(j, &part, end, j->out->extents[j->axis]);
    j->parts[j->count++] = part;
}

static void list_known(struct joining *j)
{
    int64_t first = 0;
    for (int i = j->first; i < j->end; i++) {
        const int64_t extent = extent_of(j, i);
        const int operand = operand_index(j->l, j->node, i);
        const bool short_axis = j->axis == j->out->rank - 1 && j->out->extents[j->axis] <= SHORT_AXIS;
        for (int64_t at = 0; short_axis && extent > 1 && is_input(j->l, operand) && at < extent; at++)
            add_part(j, operand, element_map(j, shape_of(j, i), at), first + at + 1);
        if (extent > 0 && !(short_axis && extent > 1 && is_input(j->l, operand)))
            add_part(j, operand, part_map(j, shape_of(j, i), extent, first), first + extent);
        first += extent;
    }
}

/* ---- where only the call knows them ---- */

/* The bounded map from `from` to its beginning, or to its end, of shape `to`. */
static int bounded_map(const struct joining *j, int map, const struct shape *from, const struct shape *to, bool end)
{
    struct axis *axes = ARENA_ARRAY(j->l->arena, struct axis, to->rank);
    for (int d = 0; d < to->rank; d++)
        axes[d] = (struct axis){d, {.step = 1}};
    axes[j->axis].slice.has_stop = end;
    return map < 0 ? map : map_bounded(j->l->kernel, map, from, to, axes, 0);
}

/* Takes the last value from the end of what all have together, and goes on with the others. */
static void list_open(struct joining *j)
{
    const int count = j->node->operand_count;
    const struct shape **upto = ARENA_ARRAY(j->l->arena, const struct shape *, count);
    int map = j->map;
    upto[0] = with_extent(j, j->out, extent_of(j, 0));
    for (int i = 1; i < count; i++)
        upto[i] = with_extent(j, j->out, extent_by(j->l->open, EXTENT_SUM, upto[i - 1]->extents[j->axis],
                                                   extent_of(j, i)));
    j->count = count;
    for (int i = count - 1; i > 0; i--) {
        j->parts[i].operand = operand_index(j->l, j->node, i);
        j->parts[i].map = bounded_map(j, map, upto[i], shape_of(j, i), true);
        map = bounded_map(j, map, upto[i], upto[i - 1], false);
        j->parts[i - 1].mask_map = map;
        j->parts[i - 1].mask = add_mask(j, ARENA_NEW(j->l->arena, struct shape), 1);
    }
    j->parts[0].operand = operand_index(j->l, j->node, 0);
    j->parts[0].map = map;
}

/* ---- uses and values ---- */

/* The list of a selection whose elements are joined. */
static const struct item *joined_list(const struct lowering *l, const struct node *node, int *axis)
{
    struct shape all;
    if (node->kind != NODE_VIEW || l->views[node->view].kind != VIEW_SELECT || !is_input(l, operand_index(l, node, 0)))
        return NULL;
    const struct shape *out = l->shapes[node - l->program->nodes], *in = l->shapes[operand_index(l, node, 0)];
    const struct item *list = view_list_taken(&l->views[node->view], in, out, &all, axis);
    return list && *axis == out->rank - 1 && list->count <= SHORT_AXIS && all.extents[*axis] >= 0 ? list : NULL;
}

bool join_of_list(const struct lowering *l, const struct node *node)
{
    int axis;
    return joined_list(l, node, &axis) != NULL;
}

static struct joining list_elements(struct lowering *l, const struct node *node, const struct item *list, int axis,
                                    int map)
{
    struct joining j = {.l = l, .node = node, .out = l->shapes[node - l->program->nodes], .axis = axis, .map = map,
                        .parts = ARENA_ARRAY(l->arena, struct part, list->count)};
    const struct shape *one = with_extent(&j, j.out, 1);
    for (int i = 0; i < list->count; i++)
        add_part(&j, operand_index(l, node, 0), view_element_map(l, node, map, one, list, list->positions[i]), i + 1);
    return j;
}

static struct joining list_parts(struct lowering *l, const struct node *node, int map)
{
    int list_axis;
    const struct item *list = joined_list(l, node, &list_axis);
    if (list)
        return list_elements(l, node, list, list_axis, map);
    const struct shape *out = l->shapes[node - l->program->nodes];
    const struct view_args *args = &l->program->views[node->view];
    const int rank = out->rank - (args->kind == VIEW_STACK);
    const bool piece = l->piece && l->piece->node == node_number(l, node);
    struct joining j = {.l = l, .node = node, .out = piece ? l->kernel->maps[0].to : out,
                        .axis = view_join_axis(args, rank), .map = map, .first = piece ? l->piece->first : 0,
                        .end = piece ? l->piece->first + l->piece->count : node->operand_count,
                        .parts = ARENA_ARRAY(l->arena, struct part, node->operand_count + SHORT_AXIS)};
    if (extents_known(&j))
        list_known(&j);
    else
        list_open(&j);
    return j;
}

bool join_uses(struct lowering *l, const struct node *node, int map)
{
    const struct joining j = list_parts(l, node, map);
    for (int i = 0; i < j.count; i++)
        if ((i + 1 < j.count && j.parts[i].mask_map < 0) || !lower_add_use(l, j.parts[i].operand, j.parts[i].map))
            return false;
    return true;
}

static int value_under(struct lowering *l, const struct part *part, const struct node *node)
{
    l->map = part->map;
    return ins_convert(l, lower_value_as(l, part->operand, node->dtype, MEET), type_rows[node->dtype].compute, false,
                       node->token);
}

int join_value(struct lowering *l, const struct node *node)
{
    const int map = l->map;
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const struct joining j = list_parts(l, node, map);
    int value = j.count ? value_under(l, &j.parts[j.count - 1], node) : -1;
    for (int i = j.count - 2; i >= 0; i--) {
        const int own = value_under(l, &j.parts[i], node);
        l->map = j.parts[i].mask_map;
        const int mask = ins_add_load(l, TENSOR_CONSTANT, j.parts[i].mask, WEFT_BOOL, node);
        value = ins_add_op(l, OP_WHERE, compute, compute, (int[]){mask, own, value}, node->token);
    }
    l->map = map;
    if (!j.count) /* nothing is joined with nothing */
        return ins_add_literal(l, (union scalar){0}, node->dtype, node->token);
    return ins_convert(l, value, node->dtype, false, node->token);
}
