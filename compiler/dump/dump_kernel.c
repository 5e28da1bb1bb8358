/* Prints a kernel: its groups and its instructions (dump.h). */
#include "compiler/dump/dump_impl.h"

/* ---- groups ---- */

/* The dimensions of a shape that groups have not used yet, outermost first. */
struct left {
    const struct shape *shape;
    int d;
    int64_t part;                  /* what is left of dimension d; 0: all of it */
    bool across;                   /* a group ended inside a part, so no more can be said */
};

/* Takes of the dimension that is next what a group has of it. 0: its end would be inside a part. */
static int64_t take_part(struct left *left, int64_t extent)
{
    const int64_t part = left->part ? left->part : left->shape->extents[left->d];
    const int64_t taken = part < extent ? part : extent;
    if (part % taken || extent % taken)
        return 0;
    left->part = taken < part ? part / taken : 0;
    left->d += !left->part;
    return taken;
}

/* Prints a group, and the dimensions or parts of dimensions that it consists of, unless it is exactly one dimension. */
static void put_group(struct buf *buf, struct left *left, int64_t extent)
{
    const struct shape *shape = left->shape;
    struct buf parts = buf_new(buf->arena);
    int64_t rest = extent;
    while (left->d < shape->rank && rest > 1 && !left->across) {
        const int64_t all = shape->extents[left->d], taken = take_part(left, rest);
        left->across = !taken;
        rest /= taken ? taken : 1;
        if (taken <= 1 || (taken == all && taken == extent))
            continue;
        buf_puts(&parts, parts.length ? " * " : "");
        buf_printf(&parts, taken == all ? "%lld" : "%lld of %lld", (long long)taken, (long long)all);
    }
    buf_printf(buf, parts.length && !left->across ? "%lld (%s)" : "%lld", (long long)extent, parts.text);
}

static void put_groups(struct buf *buf, const struct shape *shape, const struct geometry *g)
{
    struct left left = {shape, 0, 0, false};
    buf_puts(buf, g->volume ? "  groups: " : "  groups: 0");
    for (int i = 0; i < g->merged_count && g->volume; i++) {
        buf_puts(buf, i ? " x " : "");
        put_group(buf, &left, g->merged[i]);
    }
    buf_puts(buf, g->merged_count ? "\n" : "1\n");
}

/* Prints what is selected of each dimension, as the language writes it: "[4, None, ::-1]". Where the dimensions of the
 * result are in another order, a slice begins with its dimension: "[1 = :, 0 = :]". */
static void put_axes(struct buf *buf, const struct index_map *step)
{
    bool turned = false;
    int last = -1, d = 0;
    for (int t = 0; t < step->to->rank; t++) {
        turned = turned || (step->axes[t].from >= 0 && step->axes[t].from < last);
        last = step->axes[t].from >= 0 ? step->axes[t].from : last;
    }
    buf_puts(buf, "[");
    for (int t = 0; t < step->to->rank; t++) {
        const struct axis *axis = &step->axes[t];
        for (; !turned && d < axis->from; d++)
            buf_puts(buf, "None, ");
        d += axis->from >= 0;
        if (turned && axis->from >= 0)
            buf_printf(buf, "%d = ", axis->from);
        dump_slice(buf, &axis->slice, axis->from < 0);
        buf_puts(buf, t + 1 < step->to->rank ? ", " : "");
    }
    for (bool first = step->to->rank == 0; !turned && d < step->from->rank; d++, first = false)
        buf_puts(buf, first ? "None" : ", None");
    buf_puts(buf, "]");
}

/* Prints what is read outside along each dimension. */
static void put_edges(struct buf *buf, const struct index_map *step)
{
    for (int t = 0; t < step->to->rank; t++)
        buf_printf(buf, "%s%s", t ? ", " : " with ", step->axes[t].edge ? mode_word(step->axes[t].edge) : "anything");
    buf_puts(buf, " outside");
}

/* Prints a map, outer views first. A view is "[4, 6] as [6, 4]": equal element numbers. A selection is
 * "[4] of [4, 6] at [:, 0]". */
static void put_map(struct buf *buf, const struct kernel *kernel, const struct access *access)
{
    int chain[MAX_MAPS], count = 0;
    for (int map = access->map; map; map = kernel->maps[map].parent)
        chain[count++] = map;
    while (count-- > 0) {
        const struct index_map *at = &kernel->maps[chain[count]];
        buf_printf(buf, "%s %s %s", shape_text(buf->arena, kernel->program, at->from),
                   at->axes ? "of" : at->outside == OUTSIDE_TAKEN ? "taken from" : "as",
                   shape_text(buf->arena, kernel->program, at->to));
        if (at->axes) {
            buf_puts(buf, " at ");
            put_axes(buf, at);
        }
        if (at->outside == OUTSIDE_WRAP)
            buf_puts(buf, ", round the end");
        if (at->outside == OUTSIDE_EDGE)
            put_edges(buf, at);
        if (at->outside == OUTSIDE_VALUE) {
            buf_puts(buf, " with ");
            scalar_print(buf, access->dtype, (union scalar){.bits = at->value});
            buf_puts(buf, " outside");
        }
        buf_puts(buf, count ? ", " : "");
    }
}

/* Prints how threads share the elements. */
static void put_chunks(struct buf *buf, const struct geometry *g, const struct form *form)
{
    const int tile = form->threads * form->unroll * form->block;
    if (form->reduces)
        buf_printf(buf, "  %lld row%s of %lld element%s, in %lld tile%s; each thread reads %d at once\n",
                   (long long)g->rows, plural(g->rows), (long long)g->columns, plural(g->columns),
                   (long long)g->tiling.tiles, plural(g->tiling.tiles), form->unroll);
    else
        buf_printf(buf, "  %lld row%s of %lld element%s, in tiles of %d: %d threads, each %d chunk%s of %d element%s\n",
               (long long)g->rows, plural(g->rows), (long long)g->columns, plural(g->columns), tile, form->threads,
               form->unroll, form->unroll == 1 ? "" : "s", form->block, form->block == 1 ? "" : "s");
    if (form->block > 1)
        buf_printf(buf, "  what is not aligned, and the end: %d at once, singly\n", form->singles);
    buf_printf(buf, "  indices of %d bits; %s\n", form->wide ? 64 : 32,
               form->many ? "operands by a table in memory" : "operands by value");
}

/* Prints how the threads of a block share a tile. */
static void put_threads(struct buf *buf, const struct lanes *lanes)
{
    const struct thread_joins *how = &lanes->threads;
    const long long results = (long long)(lanes->tiles.together * lanes->tiles.width);
    const long long blocks = (long long)lanes->tiles.chunk * (lanes->partial ? how->node / LANE_COUNT : 1);
    buf_printf(buf, "\n  %d threads, %lld result%s: ", how->threads, results, plural(results));
    if (how->serial)
        buf_puts(buf, "each thread joins all elements of its own\n");
    else
        buf_printf(buf, "each thread joins one of %d lanes of %lld block%s%s%s\n", LANE_COUNT, blocks / how->beside,
                   plural(blocks / how->beside), how->beside > 1 ? " beside others" : "",
                   lanes->tiles.chunks > 1 ? "; another kernel joins what is left" : "");
}

/* Prints what a kernel joins. */
static void put_joins(struct buf *buf, const struct lanes *lanes)
{
    const struct lane_tiles *t = &lanes->tiles;
    const enum weft_dtype dtype = lanes->places ? lanes->acc : lanes->tree;
    buf_printf(buf, "  reduces: %lld elements for each of %lld x %lld results, by %s in %s",
               (long long)t->elements, (long long)t->points, (long long)t->inner,
               op_name(buf->arena, join_rows[lanes->join].op), type_rows[dtype].name);
    if (lanes->places)
        buf_puts(buf, ", of which the first one's position is kept");
    else if (lanes->finds)
        buf_printf(buf, " of the first position of true%s",
                   lanes->parts < 0 ? "" : ", in tiles that have the extreme element");
    else if (lanes->acc != lanes->tree)
        buf_printf(buf, ", blocks in %s", type_rows[lanes->acc].name);
}

/* Prints what a kernel joins, and how tiles share it. */
static void put_lanes(struct buf *buf, const struct lanes *lanes)
{
    const struct lane_tiles *t = &lanes->tiles;
    const long long blocks = (long long)t->chunk;
    put_joins(buf, lanes);
    if (lanes->threads.threads) {
        put_threads(buf, lanes);
        return;
    }
    buf_printf(buf, "\n  a tile takes %lld block%s of %lld elements, %lld result%s at a time%s\n", blocks,
               plural(blocks), (long long)t->block, (long long)t->width, plural(t->width),
               t->chunks > 1 ? "; another kernel joins what the tiles leave" : "");
}

/* Prints rows, and why they are longer than the innermost group. */
static void put_rows(struct buf *buf, const struct geometry *g, const struct form *form, bool lanes)
{
    int together = g->period ? 2 + g->folded : g->row_groups;
    if (g->chunks) {
        put_chunks(buf, g, form);
        return;
    }
    if (together && g->volume)
        buf_printf(buf, "  rows of %lld are made from the innermost %d, because %lld alone are too short for one\n",
                   (long long)g->columns, together, (long long)g->merged[g->merged_count - 1]);
    buf_printf(buf, "  %lld row%s of %lld element%s, in %lld tile%s", (long long)g->rows, plural(g->rows),
               (long long)g->columns, plural(g->columns), (long long)g->tiling.tiles, plural(g->tiling.tiles));
    if (!lanes)
        buf_printf(buf, " of at most %lld x %lld", (long long)g->tiling.tile_rows, (long long)g->tiling.tile_columns);
    buf_putc(buf, '\n');
    if (g->slides)
        buf_puts(buf, "  rows slide: each loads the last row that it reads, and goes on with what others began\n");
}

/* The dimensions of what an access reads or writes, if they have names. */
static const struct dims *access_dims(const struct kernel *kernel, int a)
{
    const struct program *program = kernel->program;
    const struct access *access = &kernel->accesses[a];
    return access->kind == TENSOR_INPUT    ? program->symbols[program->inputs[access->index]].type.dims
           : access->kind == TENSOR_RESULT && program->dims ? program->dims[program->results[access->index].node]
                                                            : NULL;
}

/* The names of what a kernel goes over: of dimensions of its tensors along which positions are its own, but for a
 * shift. */
static void find_names(struct arena *arena, const struct dumped *dumped, const char **names)
{
    for (int a = dumped->kernel->access_count - 1; a >= 0; a--) {
        const struct dims *dims = access_dims(dumped->kernel, a);
        const struct index index = dims ? find_index(arena, dumped, a) : (struct index){0};
        for (int d = 0; dims && d < index.rank && index.rank == dims->rank; d++) {
            const struct term *term = index.at[d].count == 1 ? index.at[d].terms : NULL;
            if (term && term->times == 1 && term->atom->kind == ATOM_POSITION && !names[term->atom->d])
                names[term->atom->d] = dims->items[d].name;
        }
    }
}

/* Prints the positions d0, d1, .. of what a kernel goes over. */
static void put_space(struct buf *buf, const struct dumped *dumped)
{
    const struct shape *space = dumped->space;
    const char **names = ARENA_ARRAY(buf->arena, const char *, WEFT_MAX_RANK);
    find_names(buf->arena, dumped, names);
    buf_puts(buf, space->rank ? "  goes over" : "  one element");
    for (int d = 0; d < space->rank; d++) {
        buf_printf(buf, "%s d%d < %lld", d ? "," : "", d, (long long)space->extents[d]);
        if (names[d])
            buf_printf(buf, " (%s)", names[d]);
    }
    buf_putc(buf, '\n');
}

/* Prints which part of the results a kernel writes. */
static void put_part(struct buf *buf, const struct dumped *dumped)
{
    const int map = dumped->kernel->accesses[dumped->kernel->load_count].map;
    for (int d = 0; map && d < dumped->space->rank; d++) {
        const long long first = (long long)dumped->kernel->maps[map].axes[d].slice.start;
        buf_printf(buf, "%s%lld:%lld", d ? ", " : ", writes [", first, first + (long long)dumped->space->extents[d]);
    }
    buf_puts(buf, map && dumped->space->rank ? "]" : "");
}

enum { SHOWN_LABELS = 6 };

static void put_heading(struct buf *buf, const struct dumped *dumped)
{
    const struct kernel *kernel = dumped->kernel;
    buf_puts(buf, "kernel ");
    if (dumped->parts > 1)
        buf_printf(buf, "%d of %d ", dumped->part, dumped->parts);
    buf_puts(buf, "for ");
    put_names(buf, kernel);
    const struct dims *dims = access_dims(kernel, kernel->load_count);
    const struct shape *stored = stored_shape(dumped, kernel->load_count);
    buf_putc(buf, ' ');
    if (dims)
        dims_put(buf, kernel->program, dims, stored->extents, SHOWN_LABELS);
    else
        buf_puts(buf, shape_text(buf->arena, kernel->program, stored));
    put_part(buf, dumped);
    buf_putc(buf, '\n');
    put_space(buf, dumped);
}

/* Prints which kernels share its launch. */
static void put_chain(struct buf *buf, const struct dumped *dumped)
{
    const int others = dumped->chain - 1;
    const int64_t points = others > 0 && dumped->form->chained ? dumped->kernel->lanes->tiles.together : 0;
    if (others > 0 && !dumped->form->chained)
        buf_printf(buf, "  takes turns with the next %d kernel%s, tile by tile\n", others, plural(others));
    else if (others > 0)
        buf_printf(buf, "  one launch with %d more kernel%s: a block of threads takes %lld point%s through all of "
                   "them\n", others, plural(others), (long long)points, plural(points));
    else if (dumped->form->chained)
        buf_puts(buf, "  in the launch of the kernel before it\n");
}

void dump_groups(struct buf *buf, const struct dumped *dumped)
{
    const struct kernel *kernel = dumped->kernel;
    const struct geometry *g = dumped->geometry;
    put_heading(buf, dumped);
    put_chain(buf, dumped);
    put_groups(buf, dumped->space, g);
    if (kernel->lanes)
        put_lanes(buf, kernel->lanes);
    put_rows(buf, g, dumped->form, kernel->lanes);
    put_accesses(buf, dumped);
}

/* ---- instructions ---- */

static void put_operands(struct buf *buf, const struct ins *ins)
{
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= 0)
            buf_printf(buf, " %%%d", ins->a[k]);
}

static void put_ins(struct buf *buf, const struct kernel *kernel,
                    const struct evaluation *evaluation, int i)
{
    const struct ins *ins = &kernel->ins[i];
    const char *type = type_rows[ins->dtype].name;
    const char *after = "";
    const size_t start = buf->length;
    const struct lanes *lanes = kernel->lanes;
    if (ins->kind != INS_STORE && ins->kind != INS_FAULT && ins->kind != INS_PUT)
        buf_printf(buf, "  %%%d = ", i);
    switch (ins->kind) {
    case INS_LOAD: case INS_TAKE:
        buf_printf(buf, "%s %s %s", ins->kind == INS_LOAD ? "load" : "take", type,
                   access_text(buf->arena, kernel, ins->index));
        if (kernel->accesses[ins->index].map) {
            buf_puts(buf, "   (");
            put_map(buf, kernel, &kernel->accesses[ins->index]);
            buf_putc(buf, ')');
        }
        if (lanes && lanes->finds && ins->index == lanes->parts)
            after = "   (says of each tile whether it is passed over)";
        break;
    case INS_LITERAL:
        buf_printf(buf, "literal %s ", type);
        scalar_print(buf, ins->dtype, kernel->literals[ins->index]);
        after = lanes && lanes->absent == i ? "   (joined where an element is missing)" : "";
        break;
    case INS_NUMBER:
        buf_printf(buf, "number %s %s", type,
                   expression_text(buf->arena, kernel->program,
                                   kernel->program->nodes[kernel->literal_sources[ins->index].node].span));
        break;
    case INS_OP:
        buf_printf(buf, "%s %s", op_name(buf->arena, ins->op), type);
        after = evaluation->rate[i] == RATE_ONCE  ? "   (once, before the loop)"
                : evaluation->rate[i] == RATE_ROW ? "   (once for each row)"
                : evaluation->call[i]             ? "   (a call for the whole block)"
                                                : "";
        break;
    case INS_PUT:
        buf_printf(buf, "  put %s %s to %s at %s, places and elements of each", type,
                   access_text(buf->arena, kernel, 1), access_text(buf->arena, kernel, ins->index),
                   access_text(buf->arena, kernel, 0));
        break;
    case INS_WEIGH:
        buf_printf(buf, "weigh %s %d neighbours of", type, ins->index);
        after = "   (a call for the whole block)";
        break;
    case INS_LOOKUP:
        buf_printf(buf, "lookup %s %s", type, access_text(buf->arena, kernel, ins->index));
        after = "   (a call for the whole block)";
        break;
    case INS_STORE:
        buf_printf(buf, "  %s %s %s", lanes ? "join" : "store", type, access_text(buf->arena, kernel, ins->index));
        break;
    case INS_FAULT:
        buf_printf(buf, "  remark where %s of", op_name(buf->arena, ins->op));
        after = op_divides(ins->op, ins->source) ? " divides by zero" : " lies outside";
        break;
    }
    put_operands(buf, ins);
    buf_printf(buf, "%s\n", after);
    buf_mark(buf, start, ins->span.start, ins->span.end);
}

void put_kernel_lines(struct buf *buf, const struct kernel *kernel, const struct evaluation *evaluation)
{
    for (int i = 0; i < kernel->ins_count; i++)
        put_ins(buf, kernel, evaluation, i);
}

void dump_ir(struct buf *buf, const struct kernel *kernel, const struct geometry *g,
             const struct form *form)
{
    struct evaluation evaluation;
    make_evaluation(buf->arena, kernel, g->kinds, g->fast, !g->chunks, &evaluation);
    buf_puts(buf, "kernel for ");
    put_names(buf, kernel);
    buf_printf(buf, ": one loop over %lld element%s, in %s of %d\n", (long long)g->volume,
               g->volume == 1 ? "" : "s", g->chunks ? "chunks" : "blocks", form->block);
    if (kernel->lanes) {
        put_joins(buf, kernel->lanes);
        buf_putc(buf, '\n');
    }
    put_kernel_lines(buf, kernel, &evaluation);
}
