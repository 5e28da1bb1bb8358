/* Makes the loop of a kernel: views, geometry, form (schedule.h). */
#include "compiler/loop/schedule.h"

#include "compiler/loop/joining.h"

#include <assert.h>
#include <string.h>

/* The addresses of the accesses, modulo 16. Memory of Weft's own is aligned. */
static const unsigned char *misalignments(struct arena *arena, const struct loop_params *params)
{
    const struct kernel *kernel = params->kernel;
    unsigned char *all = ARENA_ARRAY(arena, unsigned char, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct operands *operands = &params->operands;
        if (access->kind == TENSOR_INPUT)
            all[a] = (unsigned char)operands->inputs[access->index].misalignment;
        else if (access->kind == TENSOR_RESULT && operands->results)
            all[a] = (unsigned char)operands->results[access->index].misalignment;
    }
    return all;
}

/* ---- short rows ---- */

/* The most elements that a short row of the kernel has. `direct`: they are joined as they lie in memory. */
static int64_t most_short(const struct kernel *kernel, bool direct)
{
    const struct lanes *lanes = kernel->lanes;
    bool narrow = false;
    if (direct && (lanes->join == JOIN_LEAST || lanes->join == JOIN_GREATEST) && !lanes->places &&
        type_rows[lanes->tree].size >= 4)
        return SHORT_EXTREMES;
    for (int a = 0; a < kernel->load_count; a++)
        narrow = narrow || type_rows[kernel->accesses[a].dtype].size < type_rows[lanes->tree].size;
    const bool whole = lanes->tiles.elements % BLOCK == 0, integers = !dtype_is_float(lanes->tree);
    return whole && integers && join_is_sum(lanes->join) ? SHORT_WHOLE : narrow ? SHORT_NARROW : SHORT_ROW;
}

/* Whether the kernel may reduce rows side by side, of which one tile takes all of a point: short ones, or others that
 * are joined as they are computed. */
static bool may_be_short(const struct loop_params *params)
{
    const struct lanes *lanes = params->kernel->lanes;
    const unsigned wanted = FAST_SPECIAL | FAST_FLAT | FAST_EXPAND;
    return lanes && !lanes->threads.threads && !lanes->partial && (params->fast & wanted) == wanted &&
           lanes->tiles.points > 1 && lanes->tiles.inner == 1 && lanes->tiles.windows * lanes->tiles.chunks == 1 &&
           lanes->tiles.elements <= LANED_MOST;
}

/* Makes the geometry of such a kernel, as if it stored all of its elements. Returns how many points a row has, if these
 * are some, else 0. */
static int64_t make_short(struct arena *arena, const struct loop_params *params, const struct view *views,
                          struct geometry *geometry)
{
    const struct kernel *kernel = params->kernel;
    const int64_t each = kernel->lanes->tiles.elements;
    const struct shape *const space = params->space;
    struct view *own = ARENA_ARRAY(arena, struct view, kernel->access_count), *stored = &own[kernel->load_count];
    memcpy(own, views, sizeof *own * (size_t)kernel->access_count);
    *stored = (struct view){.start = 0};
    for (int64_t d = space->rank - 1, step = type_rows[kernel->accesses[kernel->load_count].dtype].size; d >= 0; d--) {
        stored->strides[d] = space->extents[d] == 1 ? 0 : step;
        step *= space->extents[d];
    }
    make_geometry(arena, kernel, space->rank, space->extents, own, params->fast, false, geometry);
    const bool across = memchr(geometry->kinds, ACCESS_ACROSS, (size_t)kernel->load_count);
    return across || geometry->columns % each || geometry->last_columns % each || geometry->columns < 2 * each
               ? 0
               : geometry->columns / each;
}

bool make_loop(struct arena *arena, const struct loop_params *params, struct loop *loop, const struct access **wrong)
{
    const struct kernel *kernel = params->kernel;
    const struct shape *space = params->space;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    if (!make_views(arena, &params->shapes, &params->operands, kernel, params->maps, space, views, wrong))
        return false;
    const struct lane_tiles *lanes = kernel->lanes ? &kernel->lanes->tiles : NULL;
    const bool threads = lanes && kernel->lanes->threads.threads;
    /* neighbours that are weighed lie beside each other, or a step apart */
    const unsigned weighed = kernel_weighs(kernel) ? FAST_FLAT | FAST_EXPAND | FAST_INTERLEAVE | FAST_TRANSPOSE : 0;
    /* rows hold one point */
    const unsigned apart = weighed | (lanes && (lanes->points > 1 || threads) ? FAST_FLAT | FAST_EXPAND : 0);
    loop->beside = may_be_short(params) ? make_short(arena, params, views, &loop->geometry) : 0;
    loop->laned = loop->beside && joins_as_computed(arena, kernel, &loop->geometry, params->fast);
    if (loop->beside && !loop->laned &&
        (lanes->elements > most_short(kernel, load_joined(kernel, loop->geometry.kinds) >= 0) ||
         loop->geometry.period > MAX_PERIOD))
        loop->beside = 0;
    if (!loop->beside)
        make_geometry(arena, kernel, space->rank, space->extents, views, params->fast & ~apart, params->chunks,
                      &loop->geometry);
    if (lanes && loop->geometry.volume)
        loop->geometry.tiling.tiles =
            (lanes->points + lanes->together - 1) / lanes->together * lanes->windows * lanes->chunks;
    for (int a = 0; a < kernel->load_count; a++)
        if (access_by_value(params->shapes.program, params->operands.inputs, &kernel->accesses[a]) ||
            (params->chunks && kernel->accesses[a].kind == TENSOR_SAMPLE))
            loop->geometry.kinds[a] = ACCESS_VALUE;
    if (params->chunks) {
        make_form(kernel, &loop->geometry, params->tuning, params->many, &loop->form);
        if (params->placed)
            align_chunks(kernel, misalignments(arena, params), &loop->geometry, &loop->form);
    } else {
        block_form(kernel, &loop->form);
    }
    assert(!verify_geometry(kernel, &loop->geometry));
    return true;
}
