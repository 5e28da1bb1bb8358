/* Prints what passes make between types and the loops of kernels (dump.h): shapes, programs of kernels, schedules. */
#include "compiler/dump/dump_impl.h"

void dump_shapes(struct buf *buf, const struct program *program, const struct shape *const *shapes,
                 const char *const *layouts)
{
    for (int n = 0; n < program->node_count; n++) {
        const char *layout = layouts[n] ? layouts[n] : "";
        buf_printf(buf, "%s: %s%s%s%s\n", expression_text(buf->arena, program, program->nodes[n].span),
                   type_rows[program->nodes[n].dtype].name,
                   shapes[n] ? shape_text(buf->arena, program, shapes[n]) : "[?]", *layout ? "@" : "", layout);
    }
}

/* ---- programs of kernels ---- */

static void put_reduce(struct buf *buf, const struct program_kernel *kernel)
{
    const int first = kernel->space->rank - kernel->inner - kernel->reduced;
    buf_printf(buf, "  its %s is joined over", kernel->reduce->finds ? "first position of true" : "store");
    for (int d = first; d < first + kernel->reduced; d++)
        buf_printf(buf, "%s d%d", d > first ? "," : "", d);
    buf_printf(buf, ", by %s in %s, to temporary %d%s\n", join_name(buf->arena, kernel->reduce->join),
               type_rows[kernel->reduce->dtype].name, kernel->reduce->to,
               kernel->reduce->places ? ", which gets the first one's position" : "");
}

void dump_kernels(struct buf *buf, const struct kernel_program *program)
{
    for (int k = 0; k < program->count; k++) {
        const struct program_kernel *kernel = &program->kernels[k];
        struct evaluation evaluation;
        make_evaluation(buf->arena, kernel->kernel, NULL, 0, false, &evaluation);
        buf_puts(buf, "kernel for ");
        put_names(buf, kernel->kernel);
        buf_printf(buf, " over %s\n", shape_text(buf->arena, program->program, kernel->space));
        if (kernel->reduce)
            put_reduce(buf, kernel);
        put_kernel_lines(buf, kernel->kernel, &evaluation);
    }
}

/* ---- neighbours ---- */

static void put_fate(struct buf *buf, const struct neighbours *all)
{
    const long long more = (long long)all->more, elements = (long long)all->elements;
    switch (all->fate) {
    case AGAIN_REMARKS:
        buf_puts(buf, "computed for each, as remarks of it count only where it is used");
        break;
    case AGAIN_LIGHT:
        buf_printf(buf, "computed for each, which takes %lld instruction%s more; storing and loading it takes %d", more,
                   plural(more), NEIGHBOUR_WEIGHT);
        break;
    case AGAIN_SMALL:
        buf_printf(buf, "computed for each, which takes %lld instructions more, but for %lld element%s alone; one more "
                   "kernel takes longer", more, elements, plural(elements));
        break;
    case STORED_HEAVY:
        buf_printf(buf, "stored once, which saves %lld instructions; storing and loading it takes %d", more,
                   NEIGHBOUR_WEIGHT);
        break;
    case STORED_KERNELS:
        buf_printf(buf, "stored once, which saves %lld instructions in several kernels; storing and loading it "
                   "takes %d",
                   more, more < KERNELS_WEIGHT ? KERNELS_WEIGHT_NEAR : KERNELS_WEIGHT);
        break;
    case STORED_MAPS:
        buf_printf(buf, "stored once, as what it reads would be read in %lld orders, too many for a kernel",
                   (long long)all->maps);
        break;
    case STORED_BORDER:
        buf_printf(buf, "stored once with what lies around it, as edges would be %lld parts, and %d are the most", more,
                   MOST_PARTS);
        break;
    case STORED_SMALL_BORDER:
        buf_printf(buf, "stored once with what lies around it, as edges would be %lld parts, too many for "
                   "%lld element%s", more, elements, plural(elements));
        break;
    case STORED_LOOPED:
        buf_printf(buf, "stored once with what lies around it; a loop goes over them, as they are %lld or more", more);
        break;
    case STORED_SUMS:
        buf_printf(buf, "integers times an outer product: summed along its last dimensions first and stored, which "
                   "leaves %lld", more);
        break;
    case AGAIN_SUMS:
        buf_printf(buf, "integers times an outer product: summed at once; in two passes %lld are left, and storing "
                   "what these read takes longer", more);
        break;
    }
}

void dump_neighbours(struct buf *buf, const struct kernel_program *program)
{
    for (int i = 0; i < program->neighbour_count; i++) {
        const struct neighbours *all = &program->neighbours[i];
        const struct span span = program->program->nodes[all->node].span;
        const size_t start = buf->length;
        buf_printf(buf, "neighbours of %s, %lld evaluation%s: ", expression_text(buf->arena, program->program, span),
                   (long long)all->evaluations, plural(all->evaluations));
        put_fate(buf, all);
        buf_putc(buf, '\n');
        buf_mark(buf, start, span.start, span.end);
    }
}

/* ---- schedules ---- */

/* The line began where the length was `start`. */
static void put_kernel(struct buf *buf, const struct schedule *schedule, int k, size_t start)
{
    const struct scheduled *s = &schedule->kernels[k];
    const long long tiles = (long long)form_tiles(&s->form, &s->geometry);
    buf_printf(buf, "kernel %d for ", k + 1);
    put_names(buf, s->kernel);
    buf_printf(buf, " over %s", shape_text(buf->arena, s->kernel->program, s->space));
    if (!s->form.chained || s->chain) /* on a GPU the tiles are those of the first */
        buf_printf(buf, ", in %lld tile%s", tiles, tiles == 1 ? "" : "s");
    buf_puts(buf, s->shared || k >= schedule->first_result ? "\n" : ", for each sample\n");
    const struct ins *store = kernel_access_ins(s->kernel, s->kernel->load_count);
    if (store)
        buf_mark(buf, start, store->span.start, store->span.end);
}

/* Prints the launch that begins with kernel k. Returns the kernel behind it. */
static int put_launch(struct buf *buf, const struct schedule *schedule, int k, int number)
{
    const struct scheduled *s = &schedule->kernels[k];
    const size_t start = buf->length;
    buf_printf(buf, "launch %d: ", number);
    if (!s->chain) {
        put_kernel(buf, schedule, k, start);
        return k + 1;
    }
    buf_printf(buf, "kernels %d %s %d take turns, tile by tile%s\n", k + 1, s->chain > 2 ? "to" : "and", k + s->chain,
               s->form.chained ? ", in one kernel of the GPU" : "");
    for (int i = k; i < k + s->chain; i++) {
        const size_t line = buf->length;
        buf_puts(buf, "  ");
        put_kernel(buf, schedule, i, line);
    }
    return k + s->chain;
}

void dump_schedule(struct buf *buf, const struct schedule *schedule)
{
    for (int k = 0, number = 1; k < schedule->count; number++)
        k = put_launch(buf, schedule, k, number);
    for (int t = 0; t < schedule->temporary_count; t++) {
        const struct temporary *temporary = &schedule->temporaries[t];
        const struct lifetime *lifetime = &schedule->lifetimes[t];
        const long long bytes = (long long)shape_volume(temporary->shape) * type_rows[temporary->dtype].size;
        if (lifetime->to < 0)
            continue;              /* later passes left nothing that uses it */
        buf_printf(buf, "temporary %d: %s%s, %lld bytes, ", t, type_rows[temporary->dtype].name,
                   shape_text(buf->arena, schedule->shapes->program, temporary->shape), bytes);
        if (lifetime->window.bytes)
            buf_printf(buf, "of which each thread has a tile, %lld", (long long)lifetime->window.bytes);
        else
            buf_puts(buf, lifetime->shared ? "once for all samples" : "for each sample");
        buf_printf(buf, "; from kernel %d to kernel %d\n", lifetime->from + 1, lifetime->to + 1);
    }
}
