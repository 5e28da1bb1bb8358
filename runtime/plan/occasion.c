/* Asks the pipeline for the schedule of a typed program; see occasion.h. This file keeps lowered kernels and texts, and
 * limits the number of classes. */
#include "runtime/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A schedule in progress. */
struct planning {
    struct arena *arena;
    struct arena *kept;            /* for texts */
    struct weft_program *program;
    struct typed *typed;
    const struct target *target;
    struct diags *diags;
};

/* The tensors' shapes. A batch without samples has none, and no kernel asks for it. */
static const struct shape *const *tensor_shapes(struct arena *arena, const struct tensor *tensors, int count)
{
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, count + 1);
    for (int i = 0; i < count; i++) {
        const struct shape shape = tensor_shape(&tensors[i]);
        shapes[i] = arena_copy(arena, &shape, sizeof shape);
    }
    return shapes;
}

static const struct strided *strided(struct arena *arena, const struct occasion *occasion,
                                     const struct tensor *tensors, int count)
{
    struct strided *all = ARENA_ARRAY(arena, struct strided, count + 1);
    for (int i = 0; tensors && i < count; i++)
        all[i] = (struct strided){tensors[i].rank, tensors[i].shape, tensors[i].strides,
                                  is_by_value(occasion, &tensors[i]),
                                  tensor_misalignment(&tensors[i], (uintptr_t)tensors[i].data)};
    return tensors ? all : NULL;
}

/* Whether each input is a batch. */
static const bool *find_batches(struct arena *arena, const struct tensor *inputs, int count)
{
    bool *batches = ARENA_ARRAY(arena, bool, count + 1);
    for (int i = 0; i < count; i++)
        batches[i] = inputs[i].batch;
    return batches;
}

/* What forms are made by on the GPU that the kernels are for, or on one that stages name. False with a diagnostic. */
static bool find_tuning(const struct planning *p, int device, struct tuning *tuning)
{
    struct weft_context *context = p->program->context;
    const struct cuda_device *gpu = device ? cuda_device_get(&context->cuda, device - 1, p->diags) : NULL;
    const int listed = context->arch ? atoi(context->arch + strlen("sm_")) : 0;
    size_t length;
    *tuning = *tuning_for(gpu ? 10 * gpu->major + gpu->minor : listed);
    if (context->tuning)
        tuning_read(tuning, context->tuning, &length);
    return !device || gpu;
}

/* ---- lowered kernels that depend on no shape ---- */

/* The program's mutex must be held. */
static struct lowered *find_lowered(const struct typed *typed, const int *results, int count)
{
    struct lowered *at = typed->lowered;
    while (at && (at->kernel->result_count != count ||
                  memcmp(at->kernel->results, results, (size_t)count * sizeof *results) != 0))
        at = at->next;
    return at;
}

/* NULL: out of memory, or with a diagnostic. The program's mutex must be held. */
static struct lowered *make_lowered(struct typed *typed, const int *results, int count, struct diags *diags)
{
    jmp_buf env;
    if (ARENA_GUARD(&typed->arena, env))
        return NULL;
    struct lowered *made = pipeline_lower(&typed->arena, typed->program, results, count, diags);
    if (!made)
        return NULL;
    made->next = typed->lowered;
    typed->lowered = made;
    return made;
}

/* The lowered kernel of these results, shared by all plans of the instance. */
static const struct lowered *get_lowered(void *user, const int *results, int count)
{
    const struct planning *p = user;
    pthread_mutex_lock(&p->program->mutex);
    struct lowered *found = find_lowered(p->typed, results, count);
    found = found ? found : make_lowered(p->typed, results, count, p->diags);
    pthread_mutex_unlock(&p->program->mutex);
    return found;
}

/* ---- classes ---- */

/* A hash of what strides decide of the kernels' texts: instructions, kinds of accesses, forms. A collision only admits
 * one class more. */
static uint64_t class_hash(struct arena *arena, const struct schedule *schedule)
{
    struct buf key = buf_new(arena);
    for (int k = 0; k < schedule->count; k++) {
        const struct scheduled *s = &schedule->kernels[k];
        put_instructions(&key, s->kernel);
        buf_add(&key, (const char *)s->geometry.kinds, (size_t)s->kernel->access_count);
        form_put(&key, &s->form);
    }
    return XXH3_64bits(key.text, key.length);
}

/* Whether the instance may have kernels of this class: it has such ones, or not yet too many classes for the
 * target. */
static bool admit(void *user, const struct schedule *schedule)
{
    const struct planning *p = user;
    struct typed *typed = p->typed;
    const struct plan_class class = {p->target, class_hash(p->arena, schedule)};
    bool found = false;
    int count = 0;
    pthread_mutex_lock(&p->program->mutex);
    for (int i = 0; i < typed->class_count && !found; i++) {
        count += typed->classes[i].target == class.target;
        found = typed->classes[i].target == class.target && typed->classes[i].hash == class.hash;
    }
    if (!found && count < MAX_CLASSES)
        typed->classes[typed->class_count++] = class;
    pthread_mutex_unlock(&p->program->mutex);
    return found || count < MAX_CLASSES;
}

/* ---- texts ---- */

static const struct kernel_text *get_text(void *user, const struct kernel *const *kernels,
                                          const struct emit_params *params, int count)
{
    const struct planning *p = user;
    return &emitted_get(p->program, p->typed, p->kept, p->arena, kernels, params, count)->made;
}

/* ---- schedules ---- */

bool schedule_make(struct arena *arena, struct arena *kept, struct weft_program *program, struct typed *typed,
                   const struct shape **shapes, struct view_args *views, const struct occasion *occasion,
                   enum pass last, struct pipeline *made, struct diags *diags)
{
    const struct program *tree = typed->program;
    const struct target *own = occasion->device ? &target_cuda : &target_c;
    struct planning p = {arena, kept, program, typed, occasion->target ? occasion->target : own, diags};
    const bool matter = outputs_matter(tree, occasion);
    const struct operands operands = {strided(arena, occasion, occasion->inputs, tree->input_count),
                                      strided(arena, occasion, matter ? occasion->outputs : NULL, tree->result_count)};
    const struct lowered_store store = {&p, get_lowered};
    const struct text_store texts = {&p, get_text};
    struct tuning tuning;
    *made = (struct pipeline){
        .arena = arena, .diags = diags, .program = tree, .target = p.target, .taken = occasion->taken,
        .dense = !matter, .values = occasion->filled ? occasion->filled->nodes : NULL,
        .fast = program->context->fast & p.target->fast,
        .row_bytes = p.target->chunks ? 0 : program->context->row_bytes, .shapes = shapes, .views = views,
        .inputs = tensor_shapes(arena, occasion->inputs, tree->input_count), .operands = &operands, .store = &store,
        .tuning = &tuning, .batches = find_batches(arena, occasion->inputs, tree->input_count),
        .many = occasion->many, .shown = occasion->shown, .admit = admit, .admit_user = &p,
        .vector_functions = program->context->cc.vector_functions, .texts = &texts};
    return find_tuning(&p, occasion->device, &tuning) && pipeline_run(made, PASS_REDUCTIONS, last);
}
