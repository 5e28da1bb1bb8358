/* The texts of an instance's kernels, so that a new shape in a known class emits nothing. A key holds everything
 * that a text is made from, except what the instance and its context fix: names and spellings, and the vector
 * functions. */
#include "runtime/plan/text_cache.h"

#include <string.h>

enum { MAX_EMITTED = 64 };         /* kept for each instance */

void put_instructions(struct buf *key, const struct kernel *kernel)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        const int words[] = {(int)ins->kind, (int)ins->op, (int)ins->dtype, (int)ins->source,
                             ins->a[0], ins->a[1], ins->a[2], ins->index};
        buf_add(key, (const char *)words, sizeof words);
    }
}

static void add_lanes(struct buf *key, const struct lanes *lanes)
{
    const struct thread_joins *how = &lanes->threads;
    const struct lane_tiles *tiles = &lanes->tiles;
    const int words[] = {(int)join_rows[lanes->join].op, (int)lanes->acc, (int)lanes->tree, tiles->row,
                         tiles->row ? (int)tiles->inner : 0, tiles->width == 1 && how->threads, lanes->finds,
                         how->threads, how->serial, lanes->partial, how->node, how->levels, how->beside,
                         lanes->beside > 0, lanes->laned, lanes_parted(lanes), lanes->places};
    buf_add(key, (const char *)words, sizeof words);
}

/* Texts do not name temporaries, unless they are shown: which accesses have the same one is all that matters. Returns
 * the first of the kernels' accesses that has it, counted through all of them. */
static int first_with(const struct kernel *const *kernels, const struct access *access)
{
    int first = 0;
    for (int k = 0;; first += kernels[k++]->access_count)
        for (int a = 0; a < kernels[k]->access_count; a++) {
            const struct access *other = &kernels[k]->accesses[a];
            if (other->kind == access->kind && other->index == access->index)
                return first + a;
        }
}

/* Adds the last of the kernels to the key. The counts come first, so that no two lists can run into each other. */
static void make_key(struct buf *key, const struct kernel *const *kernels, int last, const struct emit_params *params)
{
    const struct kernel *kernel = kernels[last];
    const int counts[] = {kernel->ins_count, kernel->access_count, kernel->load_count,
                          kernel->literal_count, kernel->fault_count, (int)params->fast,
                          (int)params->shown};
    buf_add(key, (const char *)&params->target, sizeof params->target);
    buf_add(key, (const char *)counts, sizeof counts);
    form_put(key, params->form);
    put_instructions(key, kernel);
    if (kernel->lanes)
        add_lanes(key, kernel->lanes);
    for (int a = 0; a < kernel->access_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct near near = params->near ? params->near[a] : (struct near){.first = a};
        const bool numbered = access_is_temporary(access) && !params->shown;
        const int words[] = {(int)access->kind, numbered ? first_with(kernels, access) : access->index,
                             (int)access->dtype, params->kinds[a], near.first, near.elements,
                             near.row, near.rows, near.still};
        buf_add(key, (const char *)words, sizeof words);
    }
    for (int i = 0; i < kernel->literal_count; i++) {
        const int dtype = (int)kernel->literal_dtypes[i];
        buf_add(key, (const char *)&dtype, sizeof dtype);
        buf_add(key, (const char *)&kernel->literals[i], sizeof kernel->literals[i]);
    }
}

/* The program's mutex must be held. */
static struct emitted *find(const struct typed *typed, const struct buf *key)
{
    struct emitted *at = typed->emitted;
    while (at && (at->size != key->length || memcmp(at->key, key->text, key->length) != 0))
        at = at->next;
    return at;
}

static struct emitted *copy(struct arena *arena, const struct emitted *made)
{
    struct emitted *kept = ARENA_NEW(arena, struct emitted);
    *kept = (struct emitted){.key = arena_copy(arena, made->key, made->size), .size = made->size,
                             .made = {arena_string(arena, made->made.text, strlen(made->made.text)),
                                      made->made.scratch},
                             .form = made->form};
    return kept;
}

/* Copies what was emitted into the instance. NULL: it has too many texts, or out of memory. The program's mutex
 * must be held. */
static struct emitted *keep(struct typed *typed, const struct emitted *made)
{
    jmp_buf env;
    if (typed->emitted_count == MAX_EMITTED || ARENA_GUARD(&typed->arena, env))
        return NULL;
    struct emitted *kept = copy(&typed->arena, made);
    kept->next = typed->emitted;
    typed->emitted = kept;
    typed->emitted_count++;
    return kept;
}

static struct emitted *find_made(struct weft_program *program, struct typed *typed, const struct buf *key)
{
    pthread_mutex_lock(&program->mutex);
    struct emitted *found = find(typed, key);
    pthread_mutex_unlock(&program->mutex);
    return found;
}

/* Another thread may have added it meanwhile. */
static struct emitted *add_made(struct weft_program *program, struct typed *typed, struct arena *arena,
                                const struct buf *key, const struct emitted *made)
{
    pthread_mutex_lock(&program->mutex);
    struct emitted *found = find(typed, key);
    found = found ? found : keep(typed, made);
    pthread_mutex_unlock(&program->mutex);
    return found ? found : copy(arena, made);
}

/* The key of a chain begins as none of a kernel does, with no target. */
struct emitted *emitted_get(struct weft_program *program, struct typed *typed, struct arena *arena,
                            struct arena *scratch, const struct kernel *const *kernels,
                            const struct emit_params *params, int count)
{
    const struct target *none = NULL;
    struct buf key = buf_new(scratch);
    if (count > 1)
        buf_add(&key, (const char *)&none, sizeof none);
    for (int i = 0; i < count; i++)
        make_key(&key, kernels, i, &params[i]);
    struct emitted *found = find_made(program, typed, &key);
    if (found)
        return found;
    struct emitted made = {.key = key.text, .size = key.length, .form = *params->form};
    made.made.text = count > 1 ? emit_chain(scratch, kernels, params, count)
                               : emit(scratch, *kernels, params, &made.made.scratch);
    return add_made(program, typed, arena, &key, &made);
}
