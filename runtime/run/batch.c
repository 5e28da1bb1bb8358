/* Runs of batches in C; see batch_impl.h. Plans for all segments are found first, and all checks are made.
 * Then samples are assigned to launches (batch_launches_impl.h), and these run. */
#include "runtime/run/batch_impl.h"
#include "runtime/run/gpu_run_impl.h"
#include "runtime/run/batch_launches_impl.h"
#include "runtime/run/overlap_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding plans ---- */

/* Whether such an error is about the sample, rather than the machine. */
static bool is_samples(enum weft_status status)
{
    return status != WEFT_COMPILER_ERROR && status != WEFT_OUT_OF_MEMORY && status != WEFT_UNSUPPORTED &&
           status != WEFT_INTERNAL_ERROR && status != WEFT_DEVICE_ERROR;
}

/* Begins a segment at the current sample, `i`. */
static bool add_segment(struct call *call, struct batch_part *part, const struct occasion *occasion, int64_t i)
{
    struct diag *last = call->diags.last;
    struct segment *before = part->count ? &part->segments[part->count - 1] : NULL;
    if (before)
        before->count = i - before->first;
    ARENA_PUSH(&call->arena, part->segments, part->count, ((struct segment){.first = i, .count = 1}));
    struct segment *segment = &part->segments[part->count - 1];
    segment->plan = plan_get(call->program, call->typed, occasion, &call->diags);
    if (!segment->plan && !call->slabs && is_samples(diags_status(&call->diags)) &&
        part == &call->parts[PART_SAMPLES])
        blame_sample(&call->diags, last, i);
    return segment->plan != NULL;
}

/* Checks that the part's outputs do not overlap themselves. `i` is the current sample. */
static bool check_themselves(struct call *call, const struct batch_part *part, int64_t i)
{
    const struct program *program = call->typed->program;
    for (int r = 0; call->outputs && r < program->result_count; r++) {
        const char *name = program->results[r].name;
        if (!part->taken[r] || call->outputs[r].dense || !tensor_overlaps_itself(&call->outputs[r]))
            continue;
        if (part == &call->parts[PART_SAMPLES])
            return diag_at(&call->diags, DIAG_BATCH_OVERLAP, NULL, 0, (long long)i, name, "itself");
        return diag_at(&call->diags, DIAG_OVERLAP, NULL, 0, name, "itself");
    }
    return true;
}

static void occupy_all(const struct call *call, struct occupied *occupied, int64_t i)
{
    for (int o = 0; o < call_operands(call); o++)
        if (i == 0 || call_operand(call, o)->batch)
            occupy(&occupied[o], call_operand(call, o), i);
}

static enum next both_next(struct call *call, int64_t i, bool needs_data)
{
    enum next in = next_sample(call, i, false, needs_data);
    enum next out = call->outputs ? next_sample(call, i, true, needs_data) : NEXT_SAME;
    return in > out ? in : out;
}

static bool find_samples(struct call *call, bool needs_data, struct occupied *occupied)
{
    struct batch_part *part = &call->parts[PART_SAMPLES];
    struct occasion occasion = {.inputs = call->inputs, .outputs = call->outputs, .filled = call->filled,
                                .taken = part->taken,
                                .device = call->device, .wait = !needs_data, .many = call->device};
    enum next next = NEXT_OTHER;
    if (call->samples)
        occasion.room = plan_key_room(&call->arena, call->typed->program, &occasion);
    for (int64_t i = 0; i < call->samples; i++) {
        next = i ? both_next(call, i, needs_data) : NEXT_OTHER;
        if (next == NEXT_BAD)
            return false;
        if (next == NEXT_OTHER && call->device) {
            occasion.inputs = cuda_inputs(call, call->inputs);
            occasion.outputs = cuda_outputs(call);
        }
        if (next == NEXT_OTHER && !(check_themselves(call, part, i) && add_segment(call, part, &occasion, i)))
            return false;
        if (needs_data)
            occupy_all(call, occupied, i);
    }
    if (part->count)
        part->segments[part->count - 1].count = call->samples - part->segments[part->count - 1].first;
    else if (needs_data)
        occupy_all(call, occupied, 0);
    return true;
}

/* Finds the plan of the part that depends on no batch, for which batches have neither a shape nor numbers. */
static bool find_plain(struct call *call, bool needs_data)
{
    const struct program *program = call->typed->program;
    struct batch_part *part = &call->parts[PART_PLAIN];
    struct tensor *inputs = arena_copy(&call->arena, call->inputs,
                                       (size_t)program->input_count * sizeof *inputs);
    const struct occasion occasion = {.inputs = cuda_inputs(call, inputs), .outputs = cuda_outputs(call),
                                      .filled = call->filled, .taken = part->taken, .device = call->device,
                                      .wait = !needs_data};
    for (int i = 0; i < program->input_count; i++)
        if (inputs[i].batch) {
            inputs[i].rank = NO_SHAPE;
            inputs[i].numbers = NULL;
            inputs[i].number_count = 0;
        }
    return check_themselves(call, part, 0) && add_segment(call, part, &occasion, 0);
}

/* Fills parts[].taken. Returns whether some results depend on no batch. */
static bool take_parts(struct call *call)
{
    int count = call->typed->program->result_count, plain_count = 0;
    bool *plain = ARENA_ARRAY(&call->arena, bool, count);
    for (int r = 0; r < count; r++)
        plain_count += plain[r] = !call->batched[r];
    call->parts[PART_SAMPLES].taken = call->batched;
    call->parts[PART_PLAIN].taken = plain;
    return plain_count > 0;
}

bool batch_find(struct call *call, bool needs_data)
{
    struct occupied *occupied = ARENA_ARRAY(&call->arena, struct occupied, call_operands(call));
    bool any_plain = take_parts(call);
    return (call->samples || plan_shapes(&call->arena, call_program(call), call->inputs, NULL, NULL, &call->diags)) &&
           find_samples(call, needs_data, occupied) && (!any_plain || find_plain(call, needs_data)) &&
           (!needs_data || call->slabs || check_overlaps(call, occupied));
}

void batch_release(struct call *call)
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < call->parts[p].count; s++)
            if (call->parts[p].segments[s].plan)
                plan_release(call->parts[p].segments[s].plan);
    if (!call->typed)
        return;
    pthread_mutex_lock(&call->program->mutex);
    plans_trim(call->program, &call->typed->plans);
    pthread_mutex_unlock(&call->program->mutex);
}

/* ---- assigning samples ---- */

/* Where the data of an access lie: in the caller's samples, or at a fixed address plus `step` bytes per
 * sample. */
struct origin {
    const DLTensor *samples;       /* those of the segment; NULL: fixed */
    char *fixed;
    size_t step;
};

static struct origin tensor_source(const struct tensor *tensor, const struct segment *segment)
{
    return (struct origin){tensor->batch ? tensor->samples + segment->first : NULL, tensor->data, 0};
}

static struct origin find_source(const struct call *call, const struct segment *segment,
                                 const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    const struct plan *plan = segment->plan;
    switch (access->kind) {
    case TENSOR_INPUT: return tensor_source(&call->inputs[access->index], segment);
    case TENSOR_RESULT: return tensor_source(&call->outputs[access->index], segment);
    case TENSOR_CONSTANT: return (struct origin){.fixed = (void *)kernel->constants[access->index].data};
    case TENSOR_BYTES: return (struct origin){.fixed = (char *)plan->bytes};
    case TENSOR_SAMPLE:
        return (struct origin){.fixed = (char *)(call->numbers + segment->first), .step = sizeof *call->numbers};
    default:
        return plan->shared[access->index]
                   ? (struct origin){.fixed = segment->shared + plan->temporaries[access->index]}
                   : (struct origin){.fixed = segment->own + plan->temporaries[access->index],
                                     .step = plan->own_bytes};
    }
}

/* The numbers of all samples, if the kernel reads them. */
static void number_samples(struct call *call, const struct kernel *kernel)
{
    bool reads = false;
    for (int a = 0; a < kernel->load_count; a++)
        reads = reads || kernel->accesses[a].kind == TENSOR_SAMPLE;
    if (!reads || call->numbers)
        return;
    call->numbers = ARENA_ARRAY(&call->arena, int64_t, call->samples);
    for (int64_t i = 0; i < call->samples; i++)
        call->numbers[i] = call->first_sample + i;
}

/* Appends the segment's samples to a launch. */
static void add_samples(struct call *call, const struct segment *segment,
                        const struct planned *planned, struct batch_launch *to, struct origin *sources)
{
    struct launch *launch = &to->launch;
    size_t accesses = (size_t)planned->kernel->access_count;
    int64_t samples = planned->shared ? 1 : segment->count;
    number_samples(call, planned->kernel);
    for (size_t a = 0; a < accesses; a++)
        sources[a] = find_source(call, segment, planned->kernel, (int)a);
    for (int64_t i = 0; i < samples; i++) {
        char **bases = to->bases + (size_t)launch->sample_count * accesses;
        launch->samples[launch->sample_count++] = (struct weft_sample){launch->tiles, &planned->walk, bases};
        launch->tiles += planned->tiles;
        for (size_t a = 0; a < accesses; a++) {
            const DLTensor *from = sources[a].samples;
            char *base = from ? (char *)from[i].data + from[i].byte_offset
                              : sources[a].fixed + (size_t)i * sources[a].step;
            bases[a] = base + planned->starts[a];
        }
    }
}

static void lend_temporaries(struct arena *arena, struct segment *segment)
{
    const struct plan *plan = segment->plan;
    size_t size;
    if (__builtin_mul_overflow(plan->own_bytes, (size_t)segment->count, &size))
        arena_fail(arena);
    segment->shared = plan->shared_bytes ? lend_aligned(arena, plan->shared_bytes) : NULL;
    segment->own = size ? lend_aligned(arena, size) : NULL;
}

/* Allocates the samples that were counted, and fills the launches with them. */
static void fill_launches(struct batch_launches *launches)
{
    struct arena *arena = &launches->call->arena;
    size_t most = 0;
    for (int i = 0; i < launches->count; i++) {
        struct launch *launch = &launches->items[i].launch;
        size_t accesses = (size_t)launch->planned->kernel->access_count;
        launch->samples = ARENA_ARRAY(arena, struct weft_sample, launch->sample_count);
        launches->items[i].bases = ARENA_ARRAY(arena, char *, (size_t)launch->sample_count * accesses);
        launch->sample_count = launch->tiles = 0;
        most = accesses > most ? accesses : most;
    }
    struct origin *sources = ARENA_ARRAY(arena, struct origin, most);
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < launches->parts[p].count; s++) {
            struct segment *segment = &launches->parts[p].segments[s];
            lend_temporaries(arena, segment);
            for (int k = 0; k < segment->plan->kernel_count; k++)
                if (segment->launches[k] >= 0)
                    add_samples(launches->call, segment, &segment->plan->kernels[k],
                                &launches->items[segment->launches[k]], sources);
        }
}

/* ---- running ---- */

void batch_run(struct call *call)
{
    struct weft_context *context = call->program->context;
    struct batch_launches launches = {.call = call, .parts = call->parts};
    struct fault first = no_fault;
    struct scratch scratch = {0};
    struct batch_launch **order = find_batch_launches(&launches);
    fill_launches(&launches);
    for (int i = 0; i < launches.count; i++)
        launch_init(&order[i]->launch, context, &scratch, &call->arena);
    for (int i = 0; scratch.threads && i < launches.count; i++)
        scratch_lend(&scratch, &order[i]->launch, &call->arena);
    for (int i = 0; i < launches.count; i++) {
        launch_run(&order[i]->launch, context);
        launch_remark(&order[i]->launch, &first);
    }
    if (fault_is_any(&first))
        fault_tell(&call->diags, &first);
}

/* ---- preparing ---- */

/* How a kernel was made, from the plan that made it. The program's mutex must be held. */
static struct weft_kernel_info find_info(const struct call *call, const struct loaded *loaded)
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < call->parts[p].count; s++) {
            const struct plan *plan = call->parts[p].segments[s].plan;
            for (int k = 0; k < plan->kernel_count && !plan->reported; k++)
                if (plan->kernels[k].loaded == loaded && plan->infos[k].origin != WEFT_FROM_MEMORY)
                    return plan->infos[k];
        }
    return (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
}

static void call_reported(struct call *call)
{
    pthread_mutex_lock(&call->program->mutex);
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < call->parts[p].count; s++)
            call->parts[p].segments[s].plan->reported = true;
    pthread_mutex_unlock(&call->program->mutex);
}

size_t batch_kernels(struct call *call, struct weft_kernel_info *kernels, size_t room)
{
    struct weft_context *context = call->program->context;
    struct batch_launches launches = {.call = call, .parts = call->parts};
    struct batch_launch **order = find_batch_launches(&launches);
    size_t count = 0;
    for (int i = 0; i < launches.count; i++) {
        const struct launch *launch = &order[i]->launch;
        struct loaded *loaded = launch->planned->loaded;
        bool told = false;
        for (int before = 0; before < i && !told; before++)
            told = order[before]->launch.planned->loaded == loaded;
        if (told)
            continue;
        pthread_mutex_lock(&call->program->mutex);
        struct weft_kernel_info info = find_info(call, loaded);
        pthread_mutex_unlock(&call->program->mutex);
        kernels_settle(context, loaded, &info);
        info.threads = call->device ? 0 : launch_threads(context, launch->work, launch->tiles);
        if (count < room)
            kernels[count] = info;
        count++;
    }
    call_reported(call);
    return count;
}
