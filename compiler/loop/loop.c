/* Makes the loop of a kernel: views, geometry, form (schedule.h). */
#include "compiler/loop/schedule.h"

#include <assert.h>

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

bool make_loop(struct arena *arena, const struct loop_params *params, struct loop *loop, const struct access **wrong)
{
    const struct kernel *kernel = params->kernel;
    const struct shape *space = params->space;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    if (!make_views(arena, &params->shapes, &params->operands, kernel, params->maps, space, views, wrong))
        return false;
    const struct lane_tiles *lanes = kernel->lanes ? &kernel->lanes->tiles : NULL;
    const bool threads = lanes && kernel->lanes->threads.threads;
    /* rows hold one point */
    const unsigned apart = lanes && (lanes->points > 1 || threads) ? FAST_FLAT | FAST_EXPAND : 0;
    make_geometry(arena, kernel, space->rank, space->extents, views, params->fast & ~apart, params->chunks,
                  &loop->geometry);
    if (lanes && loop->geometry.volume)
        loop->geometry.tiling.tiles =
            (lanes->points + lanes->together - 1) / lanes->together * lanes->windows * lanes->chunks;
    for (int a = 0; a < kernel->load_count; a++)
        if (access_by_value(params->shapes.program, params->operands.inputs, &kernel->accesses[a]))
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
