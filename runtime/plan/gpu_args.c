/* See gpu_args.h. */
#include "runtime/plan/plan.h"

#include <string.h>

static const struct form *form_of(const struct planned *planned)
{
    return &planned->emitted->form;
}

/* ---- geometry and maps ---- */

#define SHARED static
#define FORM struct form
#include "templates/shared/launch_args.c"

unsigned cuda_blocks(const struct planned *planned, int64_t tiles)
{
    return count_blocks(form_of(planned), tiles);
}

void cuda_write_geometry(const struct planned *planned, const uint64_t *maps, uint64_t *words)
{
    put_geometry(words, form_of(planned), &planned->walk, maps);
}

bool cuda_is_mapped(const struct planned *planned, int access)
{
    return planned->walk.maps && planned->walk.maps[access];
}

size_t cuda_map_words(const struct planned *planned, int access)
{
    return map_words(planned->walk.maps[access], planned->kinds[access] == ACCESS_BOUNDED);
}

void cuda_write_map(const struct planned *planned, int access, uint64_t *words)
{
    put_map(words, planned->walk.maps[access], planned->kinds[access] == ACCESS_BOUNDED, form_of(planned)->wide);
}

/* ---- samples and arguments ---- */

/* Whether chunks may be loaded and stored whole. */
static bool is_dense(const struct planned *planned, const uint64_t *bases)
{
    bool dense = rows_are_whole(form_of(planned), &planned->walk);
    for (int a = 0; a < planned->kernel->access_count; a++)
        dense = dense && (planned->kinds[a] != ACCESS_UNIT ||
                          is_aligned(form_of(planned), &planned->walk, a,
                                     type_rows[planned->kernel->accesses[a].dtype].size, bases[a]));
    return dense;
}

void cuda_write_sample(const struct planned *planned, int64_t first_tile, uint64_t geometry,
                       const uint64_t *bases, uint64_t *words)
{
    put_sample(words, form_of(planned), first_tile, is_dense(planned, bases), geometry, bases);
}

void cuda_write_literals(const struct planned *planned, uint64_t *words)
{
    memcpy(words, planned->literals, (size_t)form_of(planned)->literals * sizeof *words);
}

void cuda_write_args(const struct planned *planned, const struct launch_words *launch, uint64_t *words)
{
    struct launch_words all = *launch;
    all.literals = planned->literals;
    all.dense = !form_of(planned)->many && is_dense(planned, launch->bases);
    put_args(words, form_of(planned), &planned->walk, &all);
}

void cuda_change_args(const struct planned *planned, uint64_t faults, const uint64_t *bases, uint64_t *words)
{
    const struct form *form = form_of(planned);
    uint64_t *to = words + form_args_words(form) - form->accesses;
    words[1] = faults;
    *(to - form_geometry_words(form) - 1) = is_dense(planned, bases);
    memcpy(to, bases, (size_t)form->accesses * sizeof *to);
}
