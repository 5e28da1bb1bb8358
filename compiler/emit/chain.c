/* Several kernels in one CUDA text, one after the other for the same points (templates/kernel/chain.cu); loop/chain.c
 * decides which. Macros give the functions and types of each names of their own. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

static const char *parameters(struct arena *arena, int count)
{
    struct buf list = buf_new(arena);
    for (int k = 0; k < count; k++)
        buf_printf(&list, "%sconst BY_VALUE struct " NAME_CHAINED " " NAME_PARAMETERS,
                   k ? ", " : "", k, "weft_args", k);
    return list.text;
}

static const char *tiles(struct arena *arena, int count)
{
    struct buf list = buf_new(arena);
    for (int k = 0; k < count; k++)
        buf_printf(&list, "%s" NAME_CHAINED "(&" NAME_PARAMETERS ", tile, points, together);\n        __syncthreads();",
                   k ? "\n        " : "", k, "run_tile", k);
    return list.text;
}

/* Adds the function that calls the kernels' own. */
static void put_entry(struct buf *out, const struct target *target, int count)
{
    struct arena *arena = out->arena;
    const struct { const char *mark, *text; } all[] = {{"$parameters", parameters(arena, count)},
                                                       {"$tiles", tiles(arena, count)},
                                                       {"$first", arena_printf(arena, NAME_PARAMETERS, 0)}};
    size_t length;
    const char *text = subst_find(target->chain, "chain", "entry", &length), *end = text + length;
    for (const char *mark; (mark = memchr(text, '$', (size_t)(end - text)));) {
        size_t i = 0;
        while (strncmp(mark, all[i].mark, strlen(all[i].mark)) != 0)
            i++;
        buf_add(out, text, (size_t)(mark - text));
        buf_puts(out, all[i].text);
        text = mark + strlen(all[i].mark);
    }
    buf_add(out, text, (size_t)(end - text));
}

char *emit_chain(struct arena *arena, const struct kernel *const *kernels, const struct emit_params *params, int count)
{
    struct buf out = buf_new(arena);
    int lines = 0;
    out.marks = params->marks;
    for (int k = 0; k < count; k++) {
        const struct buf part = emit_part(arena, kernels[k], &params[k], k, count, &lines);
        buf_append(&out, &part);
    }
    put_entry(&out, params->target, count);
    return out.text;
}
