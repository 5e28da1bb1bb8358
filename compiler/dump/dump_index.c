/* Which element an access reads or writes, as a formula for each of its dimensions. It is put together from the index
 * map that the kernel's walks are made of (loop/walk.h), step by step. */
#include "compiler/check/check.h"
#include "compiler/dump/dump_impl.h"
#include "compiler/ir/ir.h"

enum { LISTED = 16 };              /* a longer list of positions is cut */

/* ---- shapes ---- */

/* The positions in a shape that is broadcast to the one that `index` is for. */
static struct index narrow_to(const struct index *index, const struct shape *shape)
{
    struct index own = {.rank = shape->rank, .outside = index->outside};
    for (int d = 1; d <= shape->rank; d++)
        own.at[shape->rank - d] = shape->extents[shape->rank - d] == 1 || d > index->rank
                                      ? sum_number(0)
                                      : index->at[index->rank - d];
    return own;
}

struct sum index_number(struct arena *arena, const struct index *index, const struct shape *shape)
{
    struct sum number = sum_number(0);
    for (int d = 0; d < shape->rank; d++)
        number = sum_add(arena, sum_scale(arena, number, shape->extents[d]), index->at[d]);
    return number;
}

struct index number_index_of(struct arena *arena, struct sum number, const struct shape *shape)
{
    struct index index = {.rank = shape->rank, .outside = ""};
    int64_t inner = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        index.at[d] = sum_remainder(arena, sum_quotient(arena, number, inner), shape->extents[d]);
        inner *= shape->extents[d] ? shape->extents[d] : 1;
    }
    return index;
}

/* ---- steps ---- */

/* The position that an axis selects. */
static struct sum follow_axis(struct arena *arena, const struct index_map *step, const struct index *in, int t)
{
    const struct axis *axis = &step->axes[t];
    const int64_t extent = step->to->extents[t];
    int64_t first = axis->slice.start, count;
    if (axis->from < 0)
        return sum_number(first + (first < 0 && !step->outside ? extent : 0));
    if (!step->outside)
        slice_resolve(&axis->slice, extent, &first, &count);
    else if (axis->slice.has_stop)
        first = extent - step->from->extents[axis->from];
    return sum_add(arena, sum_number(first), sum_scale(arena, in->at[axis->from], axis->slice.step));
}

/* Says what is read where a position of a bounded step lies outside. */
static const char *tell_outside(struct arena *arena, const struct dumped *dumped, int a, const struct index_map *step,
                                const struct index *at)
{
    struct buf text = buf_new(arena);
    bool any = false;
    buf_puts(&text, at->outside);
    for (int t = 0; t < step->to->rank; t++) {
        const int64_t extent = step->to->extents[t];
        if ((sum_low(&at->at[t]) >= 0 && sum_high(&at->at[t]) < extent) || step->axes[t].edge)
            continue;
        if (any) {
            buf_puts(&text, " and ");
        } else if (step->outside == OUTSIDE_EDGE) {
            buf_puts(&text, text.length ? "; anything unless " : "anything unless ");
        } else {
            buf_puts(&text, text.length ? "; " : "");
            scalar_print(&text, dumped->kernel->accesses[a].dtype, (union scalar){.bits = step->value});
            buf_puts(&text, " unless ");
        }
        any = true;
        buf_puts(&text, "0 <= ");
        sum_put(&text, &at->at[t]);
        buf_printf(&text, " < %lld", (long long)extent);
    }
    return text.text;
}

/* The position that an edge makes of one that may lie outside. */
static struct sum follow_edge(struct arena *arena, const struct index_map *step, const struct sum *at, int t)
{
    struct buf text = buf_new(arena);
    const int64_t extent = step->to->extents[t];
    if (sum_low(at) >= 0 && sum_high(at) < extent)
        return *at;
    buf_printf(&text, "%s(", mode_word(step->axes[t].edge));
    sum_put(&text, at);
    buf_printf(&text, ", %lld)", (long long)extent);
    return sum_taken(arena, text.text, extent);
}

static struct index follow_axes(struct arena *arena, const struct dumped *dumped, int a, const struct index_map *step,
                                const struct index *in)
{
    struct index at = {.rank = step->to->rank, .outside = in->outside};
    for (int t = 0; t < step->to->rank; t++) {
        at.at[t] = follow_axis(arena, step, in, t);
        if (step->outside == OUTSIDE_WRAP || step->axes[t].edge == EDGE_WRAP)
            at.at[t] = sum_remainder(arena, at.at[t], step->to->extents[t]);
        else if (step->outside && step->axes[t].edge)
            at.at[t] = follow_edge(arena, step, &at.at[t], t);
    }
    if (step->outside == OUTSIDE_VALUE || step->outside == OUTSIDE_EDGE)
        at.outside = tell_outside(arena, dumped, a, step, &at);
    return at;
}

/* ---- elements by numbers that a kernel computes ---- */

static void put_list(struct buf *buf, const struct item *list)
{
    for (int i = 0; i < list->count && i < LISTED; i++)
        buf_printf(buf, i ? ", %lld" : "[%lld", (long long)list->positions[i]);
    buf_puts(buf, list->count > LISTED ? ", ..]" : "]");
}

/* The position that a list or take reads along dimension `axis`, whose text comes from dimensions axis .. of `in`. */
static struct sum taken_position(struct arena *arena, const char *text, const struct index *in, int axis, int rank,
                                 int64_t extent)
{
    struct buf all = buf_new(arena);
    struct index own = {.rank = rank, .outside = ""};
    for (int d = 0; d < rank; d++)
        own.at[d] = in->at[axis + d];
    buf_puts(&all, text);
    put_index(&all, &own);
    return sum_taken(arena, all.text, extent);
}

/* Of gather and sample: along their axes any position, which stands in the last dimension of theirs. */
static struct index follow_gathered(struct arena *arena, const struct dumped *dumped, const struct index_map *step,
                                    const struct node *node, const struct index *in)
{
    const struct program *program = dumped->kernel->program;
    const struct view_args *args = &dumped->views[node->view];
    const struct node *positions = operand_node(program, node, 1);
    const struct shape *shape = dumped->shapes->nodes[program->operands[node->operands + 1]];
    const bool name = positions->kind == NODE_NAME;
    struct index at = {.rank = step->to->rank, .outside = in->outside};
    int axes[WEFT_MAX_RANK], next = shape->rank - 1;
    const int count = gather_axes(args, at.rank, (int)shape->extents[next], axes);
    for (int t = 0; t < at.rank; t++) {
        struct index own = {.rank = shape->rank, .outside = ""};
        struct buf text = buf_new(arena);
        int a = 0;
        while (a < count && axes[a] != t)
            a++;
        for (int d = 0; d < own.rank; d++)
            own.at[d] = d + 1 < own.rank ? in->at[d] : sum_number(a);
        buf_printf(&text, name ? "%s" : "(%s)", expression_text(arena, program, positions->span));
        put_index(&text, &own);
        at.at[t] = a < count ? sum_taken(arena, text.text, step->to->extents[t]) : in->at[next++];
    }
    return at;
}

static struct index follow_taken(struct arena *arena, const struct dumped *dumped, const struct index_map *step,
                                 const struct index *in)
{
    const struct program *program = dumped->kernel->program;
    const struct node *node = &program->nodes[taken_node(step)];
    const struct view_args *args = &dumped->views[node->view];
    struct index at = {.rank = step->to->rank, .outside = in->outside};
    struct buf text = buf_new(arena);
    int axis, rank = 1;
    if (node->kind == NODE_TAKE && args->kind != VIEW_TAKE)
        return follow_gathered(arena, dumped, step, node, in);
    if (node->kind == NODE_TAKE) {
        const int positions = program->operands[node->operands + 1];
        const struct node *operand = &program->nodes[positions];
        const bool name = operand->kind == NODE_NAME;
        axis = view_take_axis(args, step->to->rank);
        rank = dumped->shapes->nodes[positions]->rank;
        buf_printf(&text, name ? "%s" : "(%s)", expression_text(arena, program, operand->span));
    } else {
        struct shape all;
        const int operand = program->operands[node->operands];
        put_list(&text, view_list_taken(args, dumped->shapes->nodes[operand], step->from, &all, &axis));
    }
    for (int t = 0; t < step->to->rank; t++)
        at.at[t] = t == axis ? taken_position(arena, text.text, in, axis, rank, step->to->extents[t])
                             : in->at[t < axis ? t : t - 1 + rank];
    return at;
}

/* ---- the whole way ---- */

struct index find_index(struct arena *arena, const struct dumped *dumped, int a)
{
    const struct kernel *kernel = dumped->kernel;
    const struct access *access = &kernel->accesses[a];
    const struct shape *to = dumped->space;
    struct index index = {.rank = to->rank, .outside = ""};
    int chain[MAX_MAPS], count = 0;
    for (int d = 0; d < to->rank; d++)
        index.at[d] = sum_position(arena, d, to->extents[d]);
    for (int map = access->map; map; map = kernel->maps[map].parent)
        chain[count++] = map;
    if (count && a >= kernel->load_count) { /* the map says where the space is in the result */
        for (int d = 0; d < to->rank; d++)
            index.at[d] = sum_add(arena, index.at[d], sum_number(kernel->maps[access->map].axes[d].slice.start));
        return index;
    }
    if (a >= kernel->load_count && shape_volume(stored_shape(dumped, a)) == shape_volume(to))
        return number_index_of(arena, index_number(arena, &index, to), stored_shape(dumped, a));
    while (count-- > 0) {
        const struct index_map *step = &kernel->maps[chain[count]];
        const struct index in = narrow_to(&index, step->from);
        to = step->to;
        if (step->outside == OUTSIDE_TAKEN)
            index = follow_taken(arena, dumped, step, &in);
        else if (step->axes)
            index = follow_axes(arena, dumped, a, step, &in);
        else {
            index = number_index_of(arena, index_number(arena, &in, step->from), to);
            index.outside = in.outside;
        }
    }
    if (access_reinterprets(kernel->program, access)) {
        const struct index own = narrow_to(&index, to);
        return (struct index){1, {index_number(arena, &own, to)}, own.outside};
    }
    return narrow_to(&index, access_shape(dumped->shapes, kernel, dumped->space, a));
}

void put_index(struct buf *buf, const struct index *index)
{
    for (int d = 0; d < index->rank; d++) {
        buf_puts(buf, d ? ", " : "[");
        sum_put(buf, &index->at[d]);
    }
    buf_puts(buf, index->rank ? "]" : "");
}
