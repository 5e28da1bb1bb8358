/* Finds the shapes of all nodes ahead of time, from those of the parameters, whose extents are mostly open. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

struct open_extents aot_open_extents(struct aot_kernel *k)
{
    return (struct open_extents){.user = k, .arena = k->arena, .compute = aot_compute, .require = aot_require,
                                 .size = aot_size};
}

/* ---- parameters ---- */

/* The first parameter with an extent sets it. The others are compared with it. */
static void declare_extent(struct aot_kernel *k, const char **names, int input, struct shape *shape, int dim)
{
    const struct symbol *symbol = &k->program->symbols[k->program->inputs[input]];
    const char *what = arena_printf(k->arena, "extent %d of %s", dim, symbol->name);
    const char *given = arena_printf(k->arena, "in[%d].shape[%d]", input, dim);
    int64_t *extent = &shape->extents[dim];
    const bool own = *extent == EXTENT_UNKNOWN;
    if (own)
        *extent = aot_new_extent(k, &(struct extent_term){0});
    if (k->plain)
        return; /* the entry's parameters are the extents */
    const char **name = *extent < 0 && !own ? &names[EXTENT_VARIABLE - *extent] : NULL;
    if (own || (name && !*name)) {
        buf_printf(&k->extents, "%s = %s; /* %s */\n", aot_extent(k, *extent), given, what);
        if (name)
            *name = what;
        return;
    }
    aot_refuse(k, arena_printf(k->arena, "%s != %s", given, aot_extent(k, *extent)), symbol->span,
           arena_printf(k->arena, "%s is not %s", what, name ? *name : aot_extent(k, *extent)));
}

static void declare_inputs(struct aot_kernel *k)
{
    const struct program *program = k->program;
    const char **names = ARENA_ARRAY(k->arena, const char *, program->size_variable_count + 1);
    for (int v = 0; v < program->size_variable_count; v++)
        aot_new_extent(k, &(struct extent_term){0});
    k->inputs = ARENA_ARRAY(k->arena, const struct shape *, program->input_count);
    for (int i = 0; i < program->input_count; i++) {
        struct shape *shape = type_shape(k->arena, &program->symbols[program->inputs[i]].type);
        for (int d = 0; d < shape->rank; d++)
            declare_extent(k, names, i, shape, d);
        k->inputs[i] = shape;
    }
}

bool aot_shapes(struct aot_kernel *k)
{
    const struct program *program = k->program;
    const struct open_extents open = aot_open_extents(k);
    const size_t nodes = (size_t)program->node_count;
    k->extents = buf_new(k->arena);
    k->host = emit_host_start(k->arena);
    k->views = ARENA_ARRAY(k->arena, struct view_args, program->view_count + 1);
    k->shapes = ARENA_ARRAY(k->arena, const struct shape *, nodes);
    k->is_size = ARENA_ARRAY(k->arena, bool, nodes + 1);
    k->number_slots = ARENA_ARRAY(k->arena, int, nodes + 1);
    memset(k->number_slots, -1, nodes * sizeof *k->number_slots);
    find_sizes(program, k->is_size);
    declare_inputs(k);
    k->given = k->extent_count;
    const bool good =
        infer_shapes(k->arena, program, program->diags, k->inputs, NULL, &open, k->shapes, k->views) &&
        check_results(k->arena, program, program->diags, k->inputs, &open, k->shapes);
    k->node_extents = k->extent_count;
    return good;
}
