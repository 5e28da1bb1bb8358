/* Makes plans: shapes, a schedule, loaded kernels; see plan.h. A plan is made once and then found by its key
 * (plan_cache.c). */
#include "runtime/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_BLOCK = 1 << 10 };     /* bytes: most plans are small, and a batch may need many of them */

/* ---- shapes ---- */

/* The shape that a type declares, with names where it has some. */
static const char *type_shape_text(struct arena *arena, const struct program *program, const struct type *type)
{
    struct buf text = buf_new(arena);
    if (!type->dims)
        return shape_text(arena, program, type_shape(arena, type));
    dims_put(&text, program, type->dims, type->extents, 6);
    return text.text;
}

static const struct shape *input_shape(struct arena *arena, const struct program *program, int input,
                                       const struct tensor *tensor, struct size_values *sizes,
                                       struct diags *diags)
{
    const struct symbol *symbol = &program->symbols[program->inputs[input]];
    const struct type *type = &symbol->type;
    if (tensor->rank == NO_SHAPE)
        return type_shape(arena, type);
    struct shape *shape = ARENA_NEW(arena, struct shape);
    *shape = tensor_shape(tensor);
    if (!type->ranked || tensor->slab)
        return shape;
    int errors = diags->errors;
    bool fits = type->rank == tensor->rank;
    for (int d = 0; d < tensor->rank && fits; d++) {
        int64_t declared = type->extents[d];
        fits = sizes_join(program, sizes, input, &declared, tensor->shape[d], diags);
        if (type->extents[d] <= EXTENT_VARIABLE)
            shape->rigid |= 1u << d;
    }
    if (!fits && diags->errors == errors)
        diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "input", symbol->name,
                shape_text(arena, program, shape), type_shape_text(arena, program, type));
    return shape;
}

const struct shape **plan_shapes(struct arena *arena, const struct program *program, const struct tensor *inputs,
                                 const char ***layouts, struct view_args **views, struct diags *diags)
{
    const struct shape **given = ARENA_ARRAY(arena, const struct shape *, program->input_count);
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    struct size_values sizes;
    sizes_init(&sizes, arena, program);
    for (int i = 0; i < program->input_count; i++)
        given[i] = input_shape(arena, program, i, &inputs[i], &sizes, diags);
    if (diags->errors)
        return NULL;
    struct pipeline pipeline = {.arena = arena, .diags = diags, .program = program, .inputs = given, .shapes = shapes,
                                .contents = numbers_contents(arena, program, inputs)};
    if (views)
        pipeline.views = *views = arena_copy(arena, program->views, (size_t)program->view_count * sizeof **views);
    if (layouts)
        pipeline.layouts = *layouts = ARENA_ARRAY(arena, const char *, program->node_count);
    return pipeline_run(&pipeline, PASS_SHAPES, layouts ? PASS_LAYOUTS : PASS_SHAPES) ? shapes : NULL;
}

/* ---- kernels ---- */

static bool all_exact(const struct kernel *kernel)
{
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_inexact(&kernel->ins[i]))
            return false;
    return true;
}

enum { LABEL = 160 };              /* bytes of a text by which users know a kernel */

/* The text in one line, without comments; statements on lines of their own get a semicolon. */
static const char *one_line(struct arena *arena, const char *text)
{
    struct buf line = buf_new(arena);
    const char *between = "";
    int depth = 0;                 /* of brackets */
    for (; *text && line.length < LABEL; text++) {
        if (*text == '#') {
            text += strcspn(text, "\n") - 1;
        } else if (*text == '\n' && depth == 0) {
            between = "; ";
        } else if (strchr(" \t\r\n", *text)) {
            between = *between ? between : " ";
        } else {
            buf_puts(&line, line.length ? between : "");
            buf_putc(&line, *text);
            between = "";
            depth += strchr("([", *text) ? 1 : strchr(")]", *text) ? -1 : 0;
        }
    }
    return line.text;
}

/* What `weft cache list` calls a kernel: the expression, or the file and what is in it. */
static const char *label_of(const struct weft_program *program, struct arena *arena)
{
    const struct source *source = &program->source;
    const char *name = program->parsed->name;
    if (name)
        return arena_printf(arena, "%.80s:%.80s", source->origin, name);
    const char *text = one_line(arena, source->text);
    return *source->origin == '<' ? text : arena_printf(arena, "%.80s: %s", source->origin, text);
}

/* How much the kernels of a plan matter. */
struct urgency {
    bool wait;                     /* for all good ones */
    bool crowded;                  /* more of them are worth a wait than can be made while first ones run */
    double first;                  /* nanoseconds that libtcc's kernels take together */
};

enum { LATER_PART = 64 };          /* parts of that: a kernel with less than one hardly counts */

/* Where compilers need all processors, first kernels are a loss: they take as long as they save. */
static struct urgency urgency_of(const struct weft_program *program, const struct plan *plan, bool wait)
{
    struct urgency urgency = {.wait = wait};
    int worth = 0;
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct emitted *emitted = plan->kernels[k].launched;
        urgency.first += plan->kernels[k].first;
        worth += emitted && !atomic_load(&emitted->loaded) && kernels_pay(program->context, plan->kernels[k].first);
    }
    urgency.crowded = worth > workers_beside();
    return urgency;
}

static struct kernel_request request_of(struct weft_program *program, const struct plan *plan, int k,
                                        struct arena *scratch, const struct urgency *urgency)
{
    const struct planned *planned = &plan->kernels[k];
    return (struct kernel_request){
        .text = planned->launched->made.text, .math = program->math, .exact = all_exact(planned->kernel),
        .wait = urgency->wait || (urgency->crowded && kernels_pay(program->context, planned->first)),
        .later = planned->first * LATER_PART < urgency->first, .device = plan->gpu,
        .label = label_of(program, scratch)};
}

/* Where several kernels are not there yet, lets all but the last be compiled side by side, from the first one on.
 * Whoever then asks for them from the last one on meets the others half-way. Returns whether some were begun. */
static bool begin_kernels(struct weft_program *program, const struct plan *plan, struct arena *scratch,
                          const struct urgency *urgency)
{
    int before = -1;
    bool begun = false;
    for (int k = 0; k < plan->kernel_count; k++) {
        struct emitted *emitted = plan->kernels[k].launched;
        if (!emitted || atomic_load(&emitted->loaded))
            continue;
        if (before >= 0) {
            const struct kernel_request request = request_of(program, plan, before, scratch, urgency);
            begun = kernels_begin(program->context, &request) || begun;
        }
        before = k;
    }
    return begun;
}

/* Loads kernel k, unless it is loaded. False with a diagnostic. */
static bool load_kernel(struct weft_program *program, struct plan *plan, int k, struct arena *scratch,
                        const struct urgency *urgency, struct diags *diags)
{
    struct weft_context *context = program->context;
    struct planned *planned = &plan->kernels[k];
    struct emitted *emitted = planned->launched;
    planned->loaded = atomic_load(&emitted->loaded);
    if (planned->loaded && planned->loaded->device == plan->gpu &&
        (!urgency->wait || atomic_load(&planned->loaded->final)))
        return true;
    struct kernel_request request = request_of(program, plan, k, scratch, urgency);
    if (context->keep)
        request.text = keep_text(scratch, planned->kernel, request.text, &request.entry);
    planned->loaded = kernels_get(context, &request, diags, &plan->infos[k]);
    atomic_store(&emitted->loaded, planned->loaded);
    return planned->loaded;
}

static bool load_kernels(struct weft_program *program, struct plan *plan, struct arena *scratch, bool wait,
                         struct diags *diags)
{
    const struct urgency urgency = urgency_of(program, plan, wait);
    const bool begun = begin_kernels(program, plan, scratch, &urgency);
    bool good = true;
    for (int i = 0; good && i < plan->kernel_count; i++) {
        const int k = begun ? plan->kernel_count - 1 - i : i;
        plan->infos[k] = (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
        if (plan->kernels[k].launched)
            good = load_kernel(program, plan, k, scratch, &urgency, diags);
    }
    for (int k = 0; good && k < plan->kernel_count; k++)
        if (!plan->kernels[k].launched)
            plan->kernels[k].loaded = plan->kernels[k - 1].loaded;
    return good;
}

/* ---- outputs ---- */

/* Formats the shapes in an arena of its own: running out of the call's memory would jump past the
 * caller's plan_release. */
static bool wrong_shape(const struct program *program, const char *name, const struct tensor *output,
                        const struct shape *expected, struct diags *diags)
{
    const struct shape given = tensor_shape(output);
    struct arena arena;
    jmp_buf env;
    arena_init(&arena);
    if (ARENA_GUARD(&arena, env))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    else
        diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "output", name, shape_text(&arena, program, &given),
                shape_text(&arena, program, expected));
    arena_finish(&arena);
    return false;
}

static bool check_output(const struct plan *plan, int r, const struct tensor *output,
                         struct diags *diags)
{
    const struct program *program = plan->typed->program;
    const struct shape *shape = plan->results[r];
    const char *name = program->results[r].name;
    if (output->dtype != program->results[r].dtype)
        return diag_at(diags, DIAG_WRONG_DTYPE, NULL, 0, "output", name, type_rows[output->dtype].name,
                       type_rows[program->results[r].dtype].name,
                       arena_printf(diags->arena, "; write %s(...) around the result to convert it",
                                    type_rows[output->dtype].name));
    bool same = output->rank == shape->rank;
    for (int d = 0; same && d < output->rank; d++)
        same = output->shape[d] == shape->extents[d];
    return same || wrong_shape(program, name, output, shape, diags);
}

static bool check_outputs(const struct plan *plan, const struct tensor *outputs, struct diags *diags)
{
    bool good = true;
    for (int r = 0; outputs && r < plan->typed->program->result_count; r++)
        if (plan->results[r])
            good = check_output(plan, r, &outputs[r], diags) && good;
    return good;
}

/* ---- making a plan ---- */

static const struct program *filled_program(const struct plan *plan, const struct occasion *occasion)
{
    return occasion->filled ? occasion->filled : plan->typed->program;
}

/* Keeps the shapes of the results that the plan computes, equal ones once. */
static void keep_results(struct plan *plan, const struct shape *const *shapes, const bool *taken)
{
    const struct program *program = plan->typed->program;
    plan->results = ARENA_ARRAY(&plan->own, const struct shape *, program->result_count);
    for (int r = 0; r < program->result_count; r++) {
        const struct shape *shape = shapes[program->results[r].node];
        if (taken && !taken[r])
            continue;
        for (int before = 0; before < r && !plan->results[r]; before++)
            if (plan->results[before] && shapes_equal(plan->results[before], shape))
                plan->results[r] = plan->results[before];
        size_t size = offsetof(struct shape, extents) + (size_t)shape->rank * sizeof shape->extents[0];
        if (!plan->results[r])
            plan->results[r] = arena_copy(&plan->own, shape, size);
    }
}

static bool make_kernels(struct weft_program *program, struct plan *plan, struct arena *scratch,
                         const struct shape **shapes, struct view_args *views, const struct occasion *occasion,
                         struct diags *diags)
{
    const struct plan_observer *observer = program->context->observer;
    struct pipeline made;
    const struct schedule *schedule = &made.schedule;
    if (!schedule_make(scratch, &plan->own, program, plan->typed, shapes, views, occasion, PASS_TEXT, &made, diags))
        return false;
    plan->target = occasion->device ? &target_cuda : &target_c;
    plan->kernel_count = schedule->count;
    plan->first_result = schedule->first_result;
    plan->kernels = ARENA_ARRAY(&plan->own, struct planned, schedule->count);
    plan->infos = ARENA_ARRAY(&plan->own, struct weft_kernel_info, schedule->count);
    for (int k = 0; k < schedule->count; k++)
        keep_kernel(plan, &schedule->kernels[k], filled_program(plan, occasion), shapes, &plan->kernels[k]);
    place_temporaries(plan, schedule, scratch);
    for (int k = 0; observer && k < schedule->count; k++)
        observer->kernel(program, plan->target, schedule, k);
    if (schedule->first_result || program_asks_shapes(plan->typed->program) || plan->typed->program->number_arrays)
        arena_adopt(&plan->own, scratch); /* its kernels and maps are in there */
    return true;
}

/* Finds the GPU that the plan is for, if it is for one. False with a diagnostic. */
static bool find_gpu(struct weft_program *program, struct plan *plan, struct diags *diags)
{
    if (plan->device)
        plan->gpu = cuda_device_get(&program->context->cuda, plan->device - 1, diags);
    return !plan->device || plan->gpu;
}

/* Whether neighbours along channels were told; sets it, too. */
static bool told_of_channels(struct weft_program *program, bool now)
{
    pthread_mutex_lock(&program->mutex);
    const bool before = program->pictured;
    program->pictured |= now;
    pthread_mutex_unlock(&program->mutex);
    return before;
}

/* Tells once, by a call's shapes, of what looks like a picture and has neighbours along its channels. */
static void warn_of_channels(struct weft_program *program, const struct program *filled, struct arena *arena,
                             const struct shape *const *shapes, const char *const *layouts)
{
    struct diags diags = diags_new(arena, &program->source);
    struct program seen = *filled;
    seen.arena = arena;
    seen.diags = &diags;
    if (told_of_channels(program, false))
        return;
    warn_channels(&seen, shapes, layouts);
    if (diags.warnings && !told_of_channels(program, true))
        keep_untold(&program->context->log, &diags);
}

/* Checks the outputs against the results before anything is compiled for them. */
static bool make_plan(struct weft_program *program, struct plan *plan, struct arena *scratch,
                      const struct plan_key *key, const struct occasion *occasion,
                      struct diags *diags)
{
    jmp_buf env;
    if (ARENA_GUARD(&plan->own, env))
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    scratch->out_of_memory = &env;
    plan->key = *key;
    plan->key.numbers = arena_copy(&plan->own, key->numbers, key->size * sizeof *key->numbers);
    const char **layouts;
    struct view_args *views;
    const struct shape **shapes =
        plan_shapes(scratch, filled_program(plan, occasion), occasion->inputs, &layouts, &views, diags);
    if (!shapes)
        return false;
    keep_results(plan, shapes, occasion->taken);
    if (!check_outputs(plan, occasion->outputs, diags))
        return false;
    warn_of_channels(program, filled_program(plan, occasion), scratch, shapes, layouts);
    plan->viewed = find_viewed(&plan->own, plan->typed->program);
    return make_kernels(program, plan, scratch, shapes, views, occasion, diags) && find_gpu(program, plan, diags) &&
           load_kernels(program, plan, scratch, occasion->wait, diags) &&
           (!plan->gpu || cuda_plan(program->context, plan, &program->source, diags));
}

/* Adds it to the table. False with a diagnostic. */
static bool add_plan(struct weft_program *program, struct plan *plan, struct diags *diags)
{
    pthread_mutex_lock(&program->mutex);
    bool added = plans_add(program, &plan->typed->plans, plan);
    pthread_mutex_unlock(&program->mutex);
    return added || diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
}

/* NULL with diagnostics. */
static struct plan *new_plan(struct weft_program *program, struct typed *typed,
                             const struct plan_key *key, const struct occasion *occasion,
                             struct diags *diags)
{
    struct plan *plan = calloc(1, sizeof *plan);
    struct arena scratch;
    if (!plan)
        return diag_no_memory(diags);
    *plan = (struct plan){.typed = typed, .device = occasion->device, .users = 1, .own.block = PLAN_BLOCK};
    arena_init(&scratch);
    struct occasion own = *occasion; /* what is kept is for people */
    own.shown = program->context->keep ? SHOWN_FULL : SHOWN_NOT;
    bool good = make_plan(program, plan, &scratch, key, &own, diags) && add_plan(program, plan, diags);
    arena_finish(&scratch);
    if (good)
        return plan;
    plan_destroy(plan);
    return NULL;
}

struct plan *plan_get(struct weft_program *program, struct typed *typed,
                      const struct occasion *occasion, struct diags *diags)
{
    const struct plan_key key = plan_key(diags->arena, typed->program, occasion);
    pthread_mutex_lock(&program->mutex);
    struct plan *plan = plans_find(&typed->plans, &key);
    pthread_mutex_unlock(&program->mutex);
    if (!plan)
        return new_plan(program, typed, &key, occasion, diags);
    if (check_outputs(plan, occasion->outputs, diags))
        return plan;
    plan_release(plan);
    return NULL;
}

void plan_release(struct plan *plan)
{
    atomic_fetch_sub(&plan->users, 1);
}
