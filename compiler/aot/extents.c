/* Shapes ahead of time: the shapes of all nodes as far as declarations determine them, and the statements with which a
 * call computes the rest. The rules are those of shape.c and view.c. These have already refused what is wrong at every
 * call; this file handles what depends on the call.
 *
 * Invariant: a statement reads only extents that earlier statements set. */
#include "compiler/aot/kernel_impl.h"

#include "compiler/check/check.h"

#include <limits.h>
#include <string.h>

/* ---- extents ---- */

static int64_t new_extent(struct aot_kernel *k, const char *name, struct aot_computed how)
{
    ARENA_PUSH(k->arena, k->computed, k->computed_count, how);
    ARENA_PUSH(k->arena, k->extent_names, k->extent_count, name);
    return EXTENT_VARIABLE - (k->extent_count - 1);
}

/* Adds an extent and the statement that sets it to `value`. */
static int64_t set_extent(struct aot_kernel *k, const char *name, struct aot_computed how, const char *value)
{
    const int64_t extent = new_extent(k, name, how);
    buf_printf(&k->extents, "%s = %s;\n", aot_extent(k, extent), value);
    return extent;
}

static const struct aot_computed not_computed = {.how = NOT_COMPUTED};

const char *aot_extent(struct aot_kernel *k, int64_t extent)
{
    return extent >= 0 ? arena_printf(k->arena, "%lld", (long long)extent)
                       : arena_printf(k->arena, "d[%lld]", (long long)(EXTENT_VARIABLE - extent));
}

/* The rank and the table of a shape's extents, which is added if it is new: "2, shape_blur_3". */
static const char *form_text(struct aot_kernel *k, const struct shape *shape)
{
    int found = 0;
    if (shape->rank == 0)
        return "0, NULL";
    while (found < k->form_count && !shapes_equal(k->forms[found], shape))
        found++;
    if (found == k->form_count)
        ARENA_PUSH(k->arena, k->forms, k->form_count, shape);
    return arena_printf(k->arena, "%d, " NAME_SHAPE, shape->rank, k->program->name, found);
}

const char *aot_form(struct aot_kernel *k, const struct shape *shape)
{
    return arena_printf(k->arena, "{%s}", form_text(k, shape));
}

/* The number of elements, as C. */
static const char *volume_text(struct aot_kernel *k, const struct shape *shape)
{
    return shape->rank == 0 ? "1" : arena_printf(k->arena, "volume(%s, d)", form_text(k, shape));
}

int64_t aot_volume(struct aot_kernel *k, const struct shape *shape)
{
    return set_extent(k, "a number of elements", (struct aot_computed){.how = COMPUTED_VOLUME, .shape = shape},
                      volume_text(k, shape));
}

int64_t aot_groups(struct aot_kernel *k, int64_t extent, int64_t each, int64_t times)
{
    const char *from = aot_extent(k, extent);
    return set_extent(k, "groups of elements",
                      (struct aot_computed){.how = COMPUTED_GROUPS, .a = extent, .each = each, .times = times},
                      arena_printf(k->arena, "(%s > %lld ? (%s - 1) / %lld + 1 : 1) * %lld", from, (long long)each,
                                   from, (long long)each, (long long)times));
}

int64_t aot_lanes(struct aot_kernel *k, int64_t points, int64_t elements, int64_t inner, bool ordered, int threads)
{
    const struct aot_computed how = {.how = COMPUTED_LANES, .a = points, .b = elements, .each = inner,
                                     .times = threads ? -threads : ordered};
    return set_extent(k, "lanes that are left", how,
                      arena_printf(k->arena, "%s(%s, %s, %s, %d)", threads ? "threads_left" : "lanes_left",
                                   aot_extent(k, points), aot_extent(k, elements), aot_extent(k, inner),
                                   threads ? threads : ordered));
}

int64_t aot_sum(struct aot_kernel *k, int64_t a, int64_t b)
{
    if (a >= 0 && b >= 0)
        return a + b;
    for (int c = 0; c < k->computed_count; c++)
        if (k->computed[c].how == COMPUTED_SUM && k->computed[c].a == a && k->computed[c].b == b)
            return EXTENT_VARIABLE - c;
    return set_extent(k, "a sum of extents", (struct aot_computed){.how = COMPUTED_SUM, .a = a, .b = b},
                      arena_printf(k->arena, "%s + %s", aot_extent(k, a), aot_extent(k, b)));
}

int64_t aot_new_extent(struct aot_kernel *k)
{
    return new_extent(k, NULL, not_computed);
}

void aot_refuse(struct aot_kernel *k, const char *condition, struct span span, const char *text)
{
    ARENA_PUSH(k->arena, k->notes, k->note_count, ((struct aot_note){span, text}));
    buf_printf(&k->extents, "if (%s)\n    return %d; /* %s */\n", condition, k->note_count, text);
}

/* ---- parameters ---- */

/* The first parameter with an extent sets it. The others are compared with it. */
static void declare_extent(struct aot_kernel *k, int input, struct shape *shape, int dim)
{
    const struct symbol *symbol = &k->program->symbols[k->program->inputs[input]];
    const char *what = arena_printf(k->arena, "extent %d of %s", dim, symbol->name);
    const char *given = arena_printf(k->arena, "in[%d].shape[%d]", input, dim);
    int64_t *extent = &shape->extents[dim];
    if (*extent == EXTENT_UNKNOWN)
        *extent = new_extent(k, NULL, not_computed);
    const char **name = *extent < 0 ? &k->extent_names[EXTENT_VARIABLE - *extent] : NULL;
    if (name && !*name) {
        *name = what;
        buf_printf(&k->extents, "%s = %s; /* %s */\n", aot_extent(k, *extent), given, what);
        return;
    }
    const char *expected = name ? *name : aot_extent(k, *extent);
    aot_refuse(k, arena_printf(k->arena, "%s != %s", given, aot_extent(k, *extent)), symbol->span,
           arena_printf(k->arena, "%s is not %s", what, expected));
}

static void declare_inputs(struct aot_kernel *k)
{
    const struct program *program = k->program;
    for (int v = 0; v < program->size_variable_count; v++)
        new_extent(k, NULL, not_computed);
    k->inputs = ARENA_ARRAY(k->arena, const struct shape *, program->input_count);
    for (int i = 0; i < program->input_count; i++) {
        struct shape *shape = type_shape(k->arena, &program->symbols[program->inputs[i]].type);
        for (int d = 0; d < shape->rank; d++)
            declare_extent(k, i, shape, d);
        k->inputs[i] = shape;
    }
}

/* ---- broadcasting ---- */

/* Joins two extents that may differ at a call, neither of which is the number 1. */
static int64_t join_unequal(struct aot_kernel *k, int64_t x, bool x_rigid, int64_t y, bool y_rigid, struct span span)
{
    const char *a = aot_extent(k, x), *b = aot_extent(k, y);
    const char *differ = arena_printf(k->arena, "%s != %s", a, b);
    const char *text = "two extents do not broadcast";
    const bool x_stretches = x < 0 && !x_rigid, y_stretches = y < 0 && !y_rigid;
    if (x_stretches)
        differ = arena_printf(k->arena, "%s && %s != 1", differ, a);
    if (y_stretches)
        differ = arena_printf(k->arena, "%s && %s != 1", differ, b);
    aot_refuse(k, differ, span, text);
    if (!x_stretches || !y_stretches)
        return x >= 0 ? x : y >= 0 ? y : x_stretches ? y : x;
    return set_extent(k, "what two extents broadcast to", (struct aot_computed){.how = COMPUTED_JOIN, .a = x, .b = y},
                      arena_printf(k->arena, "%s == 1 ? %s : %s", a, b, a));
}

/* Broadcasts dimension `from` of `b` into dimension `to` of `a`. */
static void join_extent(struct aot_kernel *k, struct shape *a, int to, const struct shape *b, int from,
                        struct span span)
{
    const int64_t x = a->extents[to], y = b->extents[from];
    const bool x_rigid = a->rigid >> to & 1, y_rigid = b->rigid >> from & 1;
    const enum joined joined = join_extents(x, x_rigid, y, y_rigid);
    if (joined == JOINED_FIRST && x != y)
        return;
    if (joined != JOINED_FIRST)
        a->extents[to] = joined == JOINED_SECOND ? y : join_unequal(k, x, x_rigid, y, y_rigid, span);
    a->rigid |= (uint32_t)y_rigid << to;
}

const struct shape *aot_join(struct aot_kernel *k, const struct shape *a, const struct shape *b, struct span span)
{
    if (a == b || b->rank == 0 || (shapes_equal(a, b) && a->rigid == b->rigid))
        return a;
    if (a->rank == 0)
        return b;
    const int rank = a->rank > b->rank ? a->rank : b->rank;
    struct shape *joined = ARENA_NEW(k->arena, struct shape);
    joined->rank = rank;
    for (int d = 0; d < rank; d++) {
        const int own = d - (rank - a->rank);
        joined->extents[d] = own < 0 ? 1 : a->extents[own];
        joined->rigid |= own < 0 ? 0 : (a->rigid >> own & 1) << d;
    }
    for (int d = b->rank - 1; d >= 0; d--)
        join_extent(k, joined, d + rank - b->rank, b, d, span);
    return shapes_equal(joined, b) && joined->rigid == b->rigid ? b : joined;
}

static const struct shape *join_operands(struct aot_kernel *k, const struct node *node)
{
    const struct shape *shape = k->shapes[k->program->operands[node->operands]];
    for (int i = 1; i < node->operand_count; i++)
        shape = aot_join(k, shape, k->shapes[k->program->operands[node->operands + i]], node->token);
    return shape;
}

/* ---- views ---- */

struct aot_view {
    struct aot_kernel *k;
    const struct node *node;
    const struct view_args *args;
    const struct shape *in;
    struct shape *out;
    int in_size, out_size;         /* bytes of an element if the view counts bytes; else 1 */
};

/* The dimension whose extent is what is left; -1: none. */
static int find_rest(const struct aot_view *v)
{
    const struct numbers *numbers = v->args->shape.given ? &v->args->shape : &v->args->rel_shape;
    for (int d = 0; numbers->given && d < v->out->rank && d < numbers->count; d++)
        if (literal_number(&numbers->items[d]) < 0)
            return d;
    return -1;
}

static const char *scaled(struct arena *arena, const char *text, int size)
{
    return size == 1 ? text : arena_printf(arena, "%s * %d", text, size);
}

/* Sets an extent to `value`. `wrong` is the note where that is negative. */
static void set_checked(struct aot_view *v, int d, const char *value, const char *wrong)
{
    struct aot_kernel *k = v->k;
    v->out->extents[d] = set_extent(k, "an extent of a view", not_computed, value);
    aot_refuse(k, arena_printf(k->arena, "%s < 0", aot_extent(k, v->out->extents[d])), v->node->token, wrong);
}

static void set_rest(struct aot_view *v, int d)
{
    struct aot_kernel *k = v->k;
    struct shape *others = arena_copy(k->arena, v->out, sizeof *others);
    if (v->out->extents[d] >= 0)
        return;
    others->extents[d] = 1;
    set_checked(v, d, arena_printf(k->arena, "quotient(%s, %s)", scaled(k->arena, volume_text(k, v->in), v->in_size),
                                   scaled(k->arena, volume_text(k, others), v->out_size)),
                "the elements of a view do not fill the extents that are given");
}

/* Sets an extent that is a factor times an extent of the operand. */
static void set_relative(struct aot_view *v, int d)
{
    struct aot_kernel *k = v->k;
    const struct view_args *args = v->args;
    const int64_t from = args->src_dims.given ? (int64_t)args->src_dims.items[d].integer : d;
    struct buf factor = buf_new(k->arena);
    if (v->out->extents[d] >= 0)
        return;
    buf_double(&factor, literal_number(&args->rel_shape.items[d]));
    set_checked(v, d, arena_printf(k->arena, "rounded(%s * (double)%s)", factor.text,
                                   aot_extent(k, v->in->extents[from])), "an extent of a view is too large");
}

static void compare_volumes(struct aot_view *v)
{
    struct aot_kernel *k = v->k;
    if ((shape_known(v->in) && shape_known(v->out)) || (v->in_size == v->out_size && shapes_equal(v->in, v->out)))
        return;
    aot_refuse(k, arena_printf(k->arena, "%s != %s", scaled(k->arena, volume_text(k, v->in), v->in_size),
                           scaled(k->arena, volume_text(k, v->out), v->out_size)),
           v->node->token, "a view has another number of elements than what is viewed");
}

static void view_extents(struct aot_view *v)
{
    const int rest = find_rest(v);
    for (int d = 0; v->args->rel_shape.given && d < v->out->rank; d++)
        if (d != rest)
            set_relative(v, d);
    if (rest >= 0)
        set_rest(v, rest);
    else
        compare_volumes(v);
}

/* reinterpret without a shape changes the innermost extent. */
static void innermost_extent(struct aot_view *v)
{
    const int last = v->out->rank - 1;
    if (v->in_size == v->out_size || last < 0 || v->out->extents[last] >= 0)
        return;
    set_checked(v, last, arena_printf(v->k->arena, "quotient(%s * %d, %d)", aot_extent(v->k, v->in->extents[last]),
                                      v->in_size, v->out_size),
                "the innermost extent is no whole number of the elements that it is reinterpreted as");
}

/* Checks that dimensions which squeeze drops have extent 1. */
static void squeezed_extents(struct aot_view *v)
{
    uint32_t set;
    axes_set(&v->args->axes, NULL, v->in->rank, &set);
    for (int d = 0; d < v->in->rank; d++)
        if (set >> d & 1 && v->in->extents[d] < 0)
            aot_refuse(v->k, arena_printf(v->k->arena, "%s != 1", aot_extent(v->k, v->in->extents[d])), v->node->token,
                   arena_printf(v->k->arena, "squeeze drops dimension %d, whose extent is not 1", d));
}

static bool slices_equal(const struct slice *a, const struct slice *b)
{
    return a->open == b->open && a->start == b->start && a->stop == b->stop && a->step == b->step &&
           a->has_start == b->has_start && a->has_stop == b->has_stop;
}

/* The extent that a slice leaves of an extent that only the call knows. */
static int64_t sliced_extent(struct aot_kernel *k, int64_t of, const struct slice *slice)
{
    for (int i = 0; i < k->slice_count; i++)
        if (k->slices[i].of == of && slices_equal(&k->slices[i].slice, slice))
            return k->slices[i].extent;
    const char *value = arena_printf(k->arena, "sliced(%s, %s, %s, %s, %d)", aot_extent(k, of),
                                     aot_bound(k, slice, BOUND_START), aot_bound(k, slice, BOUND_STOP),
                                     aot_bound(k, slice, BOUND_STEP), slice->has_start | slice->has_stop << 1);
    const int64_t extent = set_extent(k, "an extent of a selection", not_computed, value);
    ARENA_PUSH(k->arena, k->slices, k->slice_count, ((struct aot_slice){of, extent, *slice}));
    return extent;
}

/* Checks that an index lies within an extent. One of them at least only the call knows. */
static void check_index(struct aot_kernel *k, int d, int64_t extent, const struct item *item)
{
    const char *of = aot_extent(k, extent), *index = aot_bound(k, &item->slice, BOUND_START);
    aot_refuse(k, arena_printf(k->arena, "%s < -%s || %s >= %s", index, of, index, of), item->span,
               item->slice.open
                   ? arena_printf(k->arena, "an index is out of range of dimension %d", d)
                   : arena_printf(k->arena, "index %lld is out of range: dimension %d is too short",
                                  (long long)item->slice.start, d));
}

/* The same for the positions of a list. */
static void check_list(struct aot_kernel *k, int d, int64_t extent, const struct item *item)
{
    for (int i = 0; i < item->count; i++) {
        struct item one = {.kind = ITEM_INDEX, .slice.start = item->positions[i], .span = item->span};
        check_index(k, d, extent, &one);
    }
}

static void check_step(struct aot_kernel *k, const struct item *item)
{
    if (item->slice.open >> BOUND_STEP & 1)
        aot_refuse(k, arena_printf(k->arena, "%s == 0", aot_bound(k, &item->slice, BOUND_STEP)), item->span,
                   "the step of a slice is 0");
}

static void select_extent(struct aot_view *v, int d, const struct select_axis *axis)
{
    const int64_t extent = v->in->extents[d];
    const struct item *item = axis->item;
    const bool open = extent < 0 || (item && item->slice.open);
    if (!item)
        return;
    if (item->kind == ITEM_LIST && extent < 0)
        check_list(v->k, d, extent, item);
    else if (open && axis->result < 0)
        check_index(v->k, d, extent, item);
    else if (open && item->kind == ITEM_SLICE && !item_keeps_extent(item)) {
        check_step(v->k, item);
        v->out->extents[axis->result] = sliced_extent(v->k, extent, &item->slice);
    }
}

static void selected_extents(struct aot_view *v)
{
    struct select_axis axes[WEFT_MAX_RANK];
    view_select_axes(&v->k->views[v->node->view], v->in->rank, axes);
    for (int d = 0; d < v->in->rank; d++)
        select_extent(v, d, &axes[d]);
}

/* Extents that are size expressions. A negative one takes what is left. */
static void sized_extents(struct aot_view *v)
{
    struct aot_kernel *k = v->k;
    const struct numbers *shape = &v->args->shape;
    const char *negative = "";
    const bool rest = find_rest(v) >= 0;
    int count = 0;
    for (int d = 0; d < v->out->rank; d++) {
        const int n = shape->sizes[d];
        count += n >= 0;
        if (n >= 0)
            v->out->extents[d] = set_extent(k, "an extent of a view", not_computed, aot_size_text(k, n));
        negative = n >= 0 ? arena_printf(k->arena, "%s%s(%s < 0)", negative, *negative ? " + " : "",
                                         aot_extent(k, v->out->extents[d])) : negative;
    }
    if (count + rest > 1)
        aot_refuse(k, arena_printf(k->arena, "%s > %d", negative, !rest), v->node->token,
                   "several extents of a view are negative");
    for (int d = 0; !rest && d < v->out->rank; d++)
        if (shape->sizes[d] >= 0) {
            const char *extent = aot_extent(k, v->out->extents[d]);
            buf_printf(&k->extents, "if (%s < 0) {\n    %s = 1;\n    %s = quotient(%s, %s);\n}\n",
                       extent, extent, extent,
                       scaled(k->arena, volume_text(k, v->in), v->in_size),
                       scaled(k->arena, volume_text(k, v->out), v->out_size));
            aot_refuse(k, arena_printf(k->arena, "%s < 0", extent), v->node->token,
                       "the elements of a view do not fill the extents that are given");
        }
}

/* The extents of broadcast_to. Checks that those which only the call knows go together. */
static void stretched_extents(struct aot_view *v)
{
    const struct numbers *shape = &v->args->shape;
    for (int d = 0; shape->sizes && d < v->out->rank; d++)
        v->out->extents[d] = (int64_t)shape->items[d].integer;
    for (int d = 0; d < v->in->rank; d++) {
        const int64_t extent = v->in->extents[d], to = v->out->extents[d + v->out->rank - v->in->rank];
        const char *text = aot_extent(v->k, extent), *other = aot_extent(v->k, to);
        const bool rigid = extent >= 0 || v->in->rigid >> d & 1;
        if (extent == to || extent == 1 || (extent >= 0 && to >= 0))
            continue;
        aot_refuse(v->k, arena_printf(v->k->arena, rigid ? "%s != %s" : "%s != %s && %s != 1", text, other, text),
                   v->node->token,
                   to < 0 ? arena_printf(v->k->arena, "dimension %d does not broadcast to the extent that is given", d)
                          : arena_printf(v->k->arena, "dimension %d does not broadcast to an extent of %s", d, other));
    }
}

/* Checks that index can count an extent which only the call knows. */
static void indexed_extents(struct aot_view *v)
{
    const int64_t most = view_greatest_extent(v->args);
    for (int d = 0; d < v->out->rank; d++)
        if (v->out->extents[d] < 0 && most < INT64_MAX)
            aot_refuse(v->k, arena_printf(v->k->arena, "%s > %lld", aot_extent(v->k, v->out->extents[d]),
                                          (long long)most),
                   v->node->token, "an extent goes beyond the type in which index counts");
}

/* The extents of tile and repeat. */
static void repeated_extents(struct aot_view *v)
{
    int64_t times[WEFT_MAX_RANK];
    const int added = v->out->rank - v->in->rank;
    view_times(v->args, v->in->rank, v->out->rank, times);
    for (int d = 0; d < v->out->rank; d++)
        if (v->out->extents[d] == EXTENT_UNKNOWN)
            set_checked(v, d, arena_printf(v->k->arena, "multiple(%s, %s)",
                                           aot_extent(v->k, d < added ? 1 : v->in->extents[d - added]),
                                           aot_extent(v->k, times[d])), "an extent of a view is too large");
}

/* The extent of arange and linspace. */
static void counted_extent(struct aot_view *v)
{
    v->out->extents[0] = (int64_t)v->args->counts.items[0].integer;
    if (v->args->kind == VIEW_ARANGE)
        indexed_extents(v);
}

static const struct shape *view_node(struct aot_kernel *k, const struct node *node)
{
    const struct node *from = node->operand_count ? operand_node(k->program, node, 0) : node;
    const struct view_args *args = &k->program->views[node->view];
    const bool bytes = args->kind == VIEW_REINTERPRET;
    const struct viewed viewed = {.program = k->program, .name = "", .place = node->token, .operand = from->span,
                                  .shape = from == node ? NULL : k->shapes[from - k->program->nodes],
                                  .inputs = k->inputs,
                                  .dtype = from->dtype};
    struct diags ignored = {.arena = k->arena, .source = k->program->source};
    bool good = true;
    const struct shape *out = view_shape(k->arena, &ignored, &viewed, args, &good);
    if (!out)
        return viewed.shape; /* was reported before */
    aot_resolve(k, node);
    args = &k->views[node->view];
    struct aot_view v = {.k = k, .node = node, .args = args, .in = viewed.shape,
                         .out = arena_copy(k->arena, out, sizeof *out),
                         .in_size = bytes ? type_rows[from->dtype].size : 1,
                         .out_size = bytes ? type_rows[node->dtype].size : 1};
    if (args->shape.sizes && args->kind != VIEW_BROADCAST_TO)
        sized_extents(&v);
    if (args->kind == VIEW_SQUEEZE)
        squeezed_extents(&v);
    else if (args->kind == VIEW_SELECT)
        selected_extents(&v);
    else if (args->kind == VIEW_INDEX)
        indexed_extents(&v);
    else if (args->kind == VIEW_BROADCAST_TO)
        stretched_extents(&v);
    else if (args->kind == VIEW_TILE || args->kind == VIEW_REPEAT)
        repeated_extents(&v);
    else if (args->counts.sizes)
        counted_extent(&v);
    else if (bytes && !args->shape.given)
        innermost_extent(&v);
    else if (bytes || args->kind == VIEW_RESHAPE)
        view_extents(&v);
    return v.out;
}

/* ---- concat and stack ---- */

/* Joins extents of dimension d that have to be equal. */
static void same_extent(struct aot_kernel *k, const struct node *node, struct shape *out, int d, int64_t next)
{
    int64_t *extent = &out->extents[d];
    if (*extent == next)
        return;
    if (*extent < 0 || next < 0)
        aot_refuse(k, arena_printf(k->arena, "%s != %s", aot_extent(k, *extent), aot_extent(k, next)), node->token,
               arena_printf(k->arena, "values that are joined have different extents in dimension %d", d));
    *extent = next >= 0 ? next : *extent;
}

static const struct shape *join_node(struct aot_kernel *k, const struct node *node)
{
    const struct view_args *args = &k->program->views[node->view];
    const bool concat = args->kind == VIEW_CONCAT;
    struct shape *out = arena_copy(k->arena, k->shapes[k->program->operands[node->operands]], sizeof *out);
    const int axis = view_join_axis(args, out->rank);
    for (int i = 1; i < node->operand_count; i++) {
        const struct shape *next = k->shapes[k->program->operands[node->operands + i]];
        for (int d = 0; d < out->rank; d++)
            if (concat && d == axis)
                out->extents[d] = aot_sum(k, out->extents[d], next->extents[d]);
            else
                same_extent(k, node, out, d, next->extents[d]);
        out->rigid |= next->rigid;
    }
    if (concat)
        out->rigid &= ~(1u << axis);
    else
        view_join_insert(out, axis, node->operand_count);
    return out;
}

static const struct shape *take_node(struct aot_kernel *k, const struct node *node)
{
    const int *operands = &k->program->operands[node->operands];
    struct shape *out = ARENA_NEW(k->arena, struct shape);
    view_taken(k->shapes[operands[0]], view_take_axis(&k->program->views[node->view], k->shapes[operands[0]]->rank),
               k->shapes[operands[1]], out);
    return out;
}

static const struct shape *reduced_node(struct aot_kernel *k, const struct node *node)
{
    const struct shape *operand = k->shapes[k->program->operands[node->operands]];
    const uint32_t set = reduced_set(&k->program->reductions[node->reduction], operand->rank);
    for (int d = 0; d < operand->rank; d++)
        if (set >> d & 1 && operand->extents[d] < 0 && node->kind == NODE_REDUCE && join_rows[node->join].fails)
            aot_refuse(k, arena_printf(k->arena, "%s == 0", aot_extent(k, operand->extents[d])), node->token,
                       arena_printf(k->arena, "%s of no elements: dimension %d has extent 0",
                                    k->program->reductions[node->reduction].name, d));
    return reduced_shape(k->arena, node, operand, set);
}

/* ---- all nodes ---- */

static const struct shape *node_shape(struct aot_kernel *k, const struct node *node, const struct shape *scalar)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &k->program->symbols[node->symbol] : NULL;
    switch (node->kind) {
    case NODE_NAME: return symbol->kind == SYMBOL_INPUT ? k->inputs[symbol->input] : k->shapes[symbol->node];
    case NODE_OP: return join_operands(k, node);
    case NODE_CAST: case NODE_WRAP: return k->shapes[k->program->operands[node->operands]];
    case NODE_ARRAY: return shape_new(k->arena, node->rank, k->program->extents + node->extents);
    case NODE_VIEW: case NODE_POSITION: return view_node(k, node);
    case NODE_JOIN: return join_node(k, node);
    case NODE_TAKE: return take_node(k, node);
    case NODE_REDUCE: case NODE_COUNT: case NODE_SEARCH: return reduced_node(k, node);
    default: return scalar;
    }
}

void aot_shapes(struct aot_kernel *k)
{
    const struct shape *scalar = ARENA_NEW(k->arena, struct shape);
    k->extents = buf_new(k->arena);
    const size_t nodes = (size_t)k->program->node_count;
    bool *sizes = ARENA_ARRAY(k->arena, bool, nodes + 1);
    k->views = arena_copy(k->arena, k->program->views, (size_t)k->program->view_count * sizeof *k->views);
    k->size_slots = ARENA_ARRAY(k->arena, int, nodes + 1);
    k->number_slots = ARENA_ARRAY(k->arena, int, nodes + 1);
    memset(k->size_slots, -1, nodes * sizeof *k->size_slots);
    memset(k->number_slots, -1, nodes * sizeof *k->number_slots);
    find_sizes(k->program, sizes);
    declare_inputs(k);
    k->shapes = ARENA_ARRAY(k->arena, const struct shape *, k->program->node_count);
    for (int n = 0; n < k->program->node_count; n++) {
        k->shapes[n] = node_shape(k, &k->program->nodes[n], scalar);
        if (sizes[n])
            aot_size(k, n);
    }
    k->node_extents = k->extent_count;
}
