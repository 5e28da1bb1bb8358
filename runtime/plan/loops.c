/* Divides a typed program on certain shapes into kernels; see loops.h. The pipeline makes the kernels and their
 * loops. This file keeps lowered kernels, limits the number of classes, and places temporaries. */
#include "runtime/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A division in progress. */
struct planning {
    struct weft_program *program;
    struct typed *typed;
    const struct occasion *occasion;
    const struct tensor *outputs;  /* NULL: all are dense */
    struct pipeline pipeline;      /* what each run of it begins with */
    struct division *into;
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

/* A rough estimate: a vector instruction takes about a third of the time of a byte moved. */
static double estimate(const struct kernel *kernel, const struct geometry *g)
{
    double each = kernel_weight(kernel) / 3.0;
    for (int a = 0; a < kernel->access_count; a++)
        each += access_stays(g->kinds[a]) ? 0 : type_rows[kernel->accesses[a].dtype].size;
    return each * (double)g->volume;
}

static void count_traffic(const struct kernel *kernel, const struct geometry *g, struct planned *planned)
{
    for (int a = 0; a < kernel->access_count; a++) {
        double bytes = (double)g->volume * type_rows[kernel->accesses[a].dtype].size;
        bool moves = !access_stays(g->kinds[a]) && g->kinds[a] != ACCESS_PERIODIC;
        planned->touched += moves ? bytes : 0;
        planned->stored += a >= kernel->load_count && !kernel->lanes ? bytes : 0;
    }
}

/* What forms are made by on the GPU that the kernels are for, or on one that stages name. False with a diagnostic. */
static bool find_tuning(struct planning *p, struct tuning *tuning)
{
    struct weft_context *context = p->program->context;
    const int device = p->occasion->device;
    const struct cuda_device *gpu = device ? cuda_device_get(&context->cuda, device - 1, p->pipeline.diags) : NULL;
    const int listed = context->arch ? atoi(context->arch + strlen("sm_")) : 0;
    size_t length;
    *tuning = *tuning_for(gpu ? 10 * gpu->major + gpu->minor : listed);
    if (context->tuning)
        tuning_read(tuning, context->tuning, &length);
    return !device || gpu;
}

/* Numbers the kernels that store parts of the same results; they are behind each other. */
static void count_parts(struct division *division)
{
    for (int k = 0, end; k < division->count; k = end) {
        const int *results = division->drafts[k].kernel->results;
        for (end = k + 1; results && end < division->count && division->drafts[end].kernel->results == results;)
            end++;
        for (int i = k; i < end; i++)
            division->drafts[i].part = i - k + 1, division->drafts[i].parts = end - k;
    }
}

/* Makes the loops of all kernels. False with a diagnostic. */
static bool add_drafts(struct planning *p)
{
    struct tuning tuning;
    if (!find_tuning(p, &tuning))
        return false;
    const struct program *program = p->typed->program;
    struct arena *arena = p->pipeline.arena;
    const struct kernel_program *made = &p->into->program;
    const struct access *wrong;
    struct loop_params params = {
        .target = p->pipeline.target, .fast = p->pipeline.fast, .many = p->occasion->many,
        .placed = true,
        .tuning = &tuning,
        .shapes = {program, p->pipeline.inputs, p->pipeline.shapes, made->temporaries},
        .operands = *p->pipeline.operands};
    const struct access_shapes *shapes = arena_copy(arena, &params.shapes, sizeof params.shapes);
    for (int k = 0; k < made->count; k++) {
        const struct program_kernel *kernel = &made->kernels[k];
        struct loop loop;
        params.kernel = kernel->kernel;
        params.space = kernel->space;
        params.maps = kernel->kernel->maps;
        if (!pipeline_loop(arena, &params, &loop, &wrong))
            return diag_at(p->pipeline.diags, DIAG_VIEW_STRIDES, NULL, 0,
                           program->symbols[program->inputs[wrong->index]].name, type_rows[wrong->dtype].name,
                           type_rows[wrong->dtype].size);
        const struct draft draft = {.kernel = kernel->kernel, .shape = kernel->space, .order = kernel->order,
                                    .geometry = loop.geometry, .form = loop.form, .shapes = shapes,
                                    .views = p->pipeline.views ? p->pipeline.views : program->views};
        ARENA_PUSH(arena, p->into->drafts, p->into->count, draft);
    }
    count_parts(p->into);
    return true;
}

struct emitted *draft_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                           struct typed *typed, const struct target *target, const struct draft *draft)
{
    const struct emit_params params = {target, &draft->form, draft->geometry.kinds,
                                       program->context->cc.vector_functions, draft->geometry.fast};
    return emitted_get(program, typed, arena, scratch, draft->kernel, &params);
}

struct emitted *launched_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                              struct typed *typed, const struct division *division, int k)
{
    const struct draft *drafts = &division->drafts[k];
    const int count = drafts->form.chained ? drafts->chain : 1;
    struct emitted **parts = ARENA_ARRAY(scratch, struct emitted *, count);
    for (int i = 0; i < count; i++)
        parts[i] = draft_text(arena, scratch, program, typed, division->target, &drafts[i]);
    if (count < 2)
        return count ? *parts : NULL;
    return emitted_chain(program, typed, division->target, arena, scratch, parts, count);
}

static const struct weft_lanes *keep_lanes(struct arena *arena, const struct lanes *lanes, const struct geometry *g)
{
    if (!lanes)
        return NULL;
    const struct lane_tiles *t = &lanes->tiles;
    const struct weft_lanes kept = {
        .points = t->points, .elements = t->elements, .inner = t->inner, .rows = g->rows / t->points, .lanes = t->lanes,
        .block = t->block, .width = t->width, .windows = t->windows, .chunk = t->chunk, .chunks = t->chunks,
        .together = t->together, .step = t->step, .kept = t->kept};
    return arena_copy(arena, &kept, sizeof kept);
}

/* The geometry as kernels take it, copied except for the maps: a plan whose program has maps keeps all memory
 * anyway. */
static struct weft_geometry keep_walk(struct arena *arena, const struct kernel *kernel,
                                      const struct geometry *g)
{
    size_t accesses = (size_t)kernel->access_count, groups = (size_t)g->groups;
    bool expanded = g->row_groups > 0;
    int **offsets = expanded || g->period ? arena_copy(arena, g->offsets, accesses * sizeof *g->offsets) : NULL;
    for (size_t a = 0; offsets && a < accesses; a++)
        if (offsets[a])
            offsets[a] = arena_copy(arena, offsets[a],
                                    (size_t)(expanded ? g->columns : g->period) * sizeof *offsets[a]);
    return (struct weft_geometry){
        .rows = g->rows, .columns = g->columns, .tile_rows = g->tiling.tile_rows,
        .tile_columns = g->tiling.tile_columns, .row_tiles = g->tiling.row_tiles, .period = g->period,
        .groups = g->groups, .offsets = offsets, .maps = program_asks_shapes(kernel->program) ? g->maps : NULL,
        .extents = arena_copy(arena, g->extents, groups * sizeof *g->extents),
        .strides = arena_copy(arena, g->strides, accesses * (groups + 2) * sizeof *g->strides),
        .lanes = keep_lanes(arena, kernel->lanes, g),
        .distinct = expanded ? arena_copy(arena, g->distinct, accesses * sizeof *g->distinct) : NULL};
}

void finish_kernel(struct plan *plan, struct arena *scratch, struct weft_program *program,
                   const struct draft *draft, const struct program *filled, const struct shape *const *shapes,
                   struct planned *planned)
{
    const struct kernel *kernel = draft->kernel;
    *planned = (struct planned){.kernel = kernel, .order = draft->order, .shared = draft->shared, .chain = draft->chain,
                                .peel = draft->geometry.peel,
                                .tiles = form_tiles(&draft->form, &draft->geometry),
                                .work = estimate(kernel, &draft->geometry)};
    count_traffic(kernel, &draft->geometry, planned);
    planned->emitted = draft_text(&plan->own, scratch, program, plan->typed, plan->target, draft);
    planned->launched = draft->form.chained ? NULL : planned->emitted;
    planned->kinds = arena_copy(&plan->own, draft->geometry.kinds, (size_t)kernel->access_count);
    planned->starts = arena_copy(&plan->own, draft->geometry.starts,
                                 (size_t)kernel->access_count * sizeof *draft->geometry.starts);
    planned->walk = keep_walk(&plan->own, kernel, &draft->geometry);
    planned->literals = ARENA_ARRAY(&plan->own, unsigned long long, kernel->literal_count);
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel_argument(kernel, i, filled, shapes).bits;
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

/* NULL: out of memory. The program's mutex must be held. */
static struct lowered *make_lowered(struct typed *typed, const int *results, int count, struct diags *diags)
{
    jmp_buf env;
    if (ARENA_GUARD(&typed->arena, env))
        return NULL;
    struct lowered *made = pipeline_lower(&typed->arena, typed->program, results, count, diags);
    made->next = typed->lowered;
    typed->lowered = made;
    return made;
}

/* The lowered kernel of these results, shared by all plans of the instance. */
static const struct lowered *get_lowered(void *user, const int *results, int count)
{
    struct planning *p = user;
    pthread_mutex_lock(&p->program->mutex);
    struct lowered *found = find_lowered(p->typed, results, count);
    found = found ? found : make_lowered(p->typed, results, count, p->pipeline.diags);
    pthread_mutex_unlock(&p->program->mutex);
    return found;
}

/* ---- dividing ---- */

static bool divide_results(struct planning *p)
{
    const struct lowered_store store = {p, get_lowered};
    struct pipeline pipeline = p->pipeline;
    pipeline.store = &store;
    *p->into = (struct division){.target = pipeline.target};
    if (!pipeline_run(&pipeline, PASS_LOWER, PASS_REDUCE))
        return false;
    p->into->program = pipeline.kernels;
    return add_drafts(p);
}

/* A hash of everything that the kernels' texts depend on. A collision only admits one class more. */
static uint64_t division_class(struct arena *arena, const struct division *division)
{
    struct buf key = buf_new(arena);
    for (int k = 0; k < division->count; k++) {
        const struct draft *draft = &division->drafts[k];
        const struct form *form = &draft->form;
        const int words[] = {form->groups, form->wide, form->many, form->threads,
                             form->period, form->block};
        put_instructions(&key, draft->kernel);
        buf_add(&key, (const char *)draft->geometry.kinds, (size_t)draft->kernel->access_count);
        buf_add(&key, (const char *)words, sizeof words);
    }
    return XXH3_64bits(key.text, key.length);
}

/* Whether the instance may have kernels of this class: it has such ones, or not yet too many classes for the
 * target. */
static bool admit(struct weft_program *program, struct typed *typed, struct plan_class class)
{
    bool found = false;
    int count = 0;
    pthread_mutex_lock(&program->mutex);
    for (int i = 0; i < typed->class_count && !found; i++) {
        count += typed->classes[i].target == class.target;
        found = typed->classes[i].target == class.target && typed->classes[i].hash == class.hash;
    }
    if (!found && count < MAX_CLASSES)
        typed->classes[typed->class_count++] = class;
    pthread_mutex_unlock(&program->mutex);
    return found || count < MAX_CLASSES;
}

/* ---- temporaries ---- */

static bool reads_batches(const struct kernel *kernel, const struct tensor *inputs, const bool *own)
{
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        bool kept = access->kind == TENSOR_TEMPORARY || access->kind == TENSOR_TABLE;
        if ((access->kind == TENSOR_INPUT && inputs[access->index].batch) || (kept && own[access->index]))
            return true;
    }
    return false;
}

/* Finds the kernels, and so the temporaries, that are the same for all samples of the plan. */
static void find_shared(struct arena *arena, const struct tensor *inputs, struct division *division)
{
    bool *own = ARENA_ARRAY(arena, bool, division->program.temporary_count);
    for (int k = 0; k < division->program.first_result; k++) {
        struct draft *draft = &division->drafts[k];
        draft->shared = !reads_batches(draft->kernel, inputs, own);
        for (int a = draft->kernel->load_count; a < draft->kernel->access_count; a++)
            own[draft->kernel->accesses[a].index] = !draft->shared;
    }
    division->own = own;
}

void place_temporaries(struct plan *plan, const struct division *division)
{
    int count = division->program.temporary_count;
    if (!count)
        return;
    plan->temporaries = ARENA_ARRAY(&plan->own, size_t, count);
    plan->shared = ARENA_ARRAY(&plan->own, bool, count);
    plan->bytes = ARENA_ARRAY(&plan->own, unsigned char, TABLE_ENTRIES);
    for (int i = 0; i < TABLE_ENTRIES; i++)
        plan->bytes[i] = (unsigned char)i;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &division->program.temporaries[t];
        size_t size = (size_t)type_rows[temporary->dtype].size;
        size_t *total = division->own[t] ? &plan->own_bytes : &plan->shared_bytes;
        plan->shared[t] = !division->own[t];
        plan->temporaries[t] = *total;
        *total += ((size_t)shape_volume(temporary->shape) * size + TEMPORARY_ALIGNMENT - 1) /
                  TEMPORARY_ALIGNMENT * TEMPORARY_ALIGNMENT;
    }
}

bool divide(struct arena *arena, struct weft_program *program, struct typed *typed,
            const struct shape **shapes, struct view_args *views, const struct occasion *occasion,
            struct division *division, struct diags *diags)
{
    const struct target *own = occasion->device ? &target_cuda : &target_c;
    const struct target *target = occasion->target ? occasion->target : own;
    struct planning p = {
        .program = program, .typed = typed, .occasion = occasion, .into = division,
        .outputs = outputs_matter(typed->program, occasion) ? occasion->outputs : NULL,
        .pipeline = {.arena = arena, .program = typed->program, .target = target, .taken = occasion->taken,
                     .dense = !outputs_matter(typed->program, occasion),
                     .values = occasion->filled ? occasion->filled->nodes : NULL,
                     .fast = program->context->fast & target->fast, .shapes = shapes, .views = views, .diags = diags,
                     .inputs = tensor_shapes(arena, occasion->inputs, typed->program->input_count)}};
    const struct operands operands = {strided(arena, occasion, occasion->inputs, typed->program->input_count),
                                      strided(arena, occasion, p.outputs, typed->program->result_count)};
    p.pipeline.operands = &operands;
    if (!divide_results(&p))
        return false;
    if (!admit(program, typed, (struct plan_class){target, division_class(arena, division)})) {
        p.pipeline.fast &= ~(unsigned)(FAST_SPECIAL | FAST_HOIST | FAST_TABLE | FAST_SPLIT);
        if (!divide_results(&p))
            return false;
    }
    find_shared(arena, occasion->inputs, division);
    if (target->chain && p.pipeline.fast & FAST_CHAIN)
        find_gpu_chains(division);
    return true;
}
