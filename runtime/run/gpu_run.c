/* See gpu_run_impl.h. The common case, kernels on one sample whose operands lie on the GPU, borrows nothing:
 * arguments are copied from the plan, addresses put in, and the kernel is launched. */
#include "runtime/run/gpu_run_impl.h"

#include <string.h>

/* ---- host operands ---- */

/* A tensor with gaps, whose other bytes are none of ours. */
static bool has_gaps(const struct tensor *tensor)
{
    return tensor->end - tensor->first > pack_size(tensor);
}

const struct tensor *cuda_inputs(struct call *call, const struct tensor *inputs)
{
    struct arena *arena = &call->arena;
    int count = call->program->parsed->input_count;
    struct tensor *placed = NULL;
    for (int i = 0; call->device && i < count; i++) {
        const struct tensor *tensor = &inputs[i];
        if (tensor->device || tensor->rank == NO_SHAPE || !has_gaps(tensor))
            continue;
        placed = placed ? placed : arena_copy(arena, inputs, (size_t)count * sizeof *inputs);
        placed[i].strides = ARENA_ARRAY(arena, int64_t, tensor->rank);
        pack_strides(tensor, placed[i].strides);
    }
    return placed ? placed : inputs;
}

const struct tensor *cuda_outputs(struct call *call)
{
    struct arena *arena = &call->arena;
    int count = call->program->parsed->result_count;
    struct tensor *dense = NULL;
    for (int r = 0; call->staged && call->outputs && r < count; r++) {
        const struct tensor *tensor = &call->outputs[r];
        if (tensor->dense || tensor->rank == NO_SHAPE)
            continue;
        dense = dense ? dense : arena_copy(arena, call->outputs, (size_t)count * sizeof *dense);
        dense[r].dense = true;
        dense[r].strides = ARENA_ARRAY(arena, int64_t, tensor->rank);
        pack_strides(tensor, dense[r].strides);
    }
    return dense ? dense : call->outputs;
}

void cuda_stage(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address)
{
    struct cuda_part part = {.from = tensor->data, .alignment = alignment, .address = address};
    if (tensor->first == tensor->end)
        return;
    if (has_gaps(tensor)) {
        part.strided = layout;
        part.bytes = pack_size(tensor);
    } else {
        part.from = (const void *)tensor->first;
        part.bytes = tensor->end - tensor->first;
        part.skip = (uintptr_t)tensor->data - tensor->first;
        part.direct = tensor->pinned;
    }
    work_add(work, part);
}

void cuda_bring(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address)
{
    if (tensor->first == tensor->end)
        return;
    work_add(work, (struct cuda_part){.to = tensor->data, .bytes = pack_size(tensor), .alignment = alignment,
                                      .strided = tensor->dense ? NULL : layout,
                                      .direct = tensor->pinned && tensor->dense, .address = address});
}

/* ---- what kernels read besides ---- */

static void stage_source(struct cuda_work *work, struct cuda_source *source)
{
    if (source->bytes && !source->address)
        work_add(work, (struct cuda_part){.from = source->data, .bytes = source->bytes,
                                          .address = &source->address});
}

static bool lies_there(const struct planned *planned)
{
    const struct cuda_planned *cuda = planned->cuda;
    bool there = !cuda->literals.bytes || cuda->literals.address;
    for (int a = 0; a < planned->kernel->access_count; a++)
        there = there && (!cuda->constants[a].bytes || cuda->constants[a].address) &&
                (!cuda->maps[a].bytes || cuda->maps[a].address);
    return there;
}

const struct cuda_planned *cuda_resident(struct cuda_work *work, const struct planned *planned)
{
    struct arena *arena = &work->call->arena;
    size_t count = (size_t)planned->kernel->access_count;
    if (lies_there(planned))
        return planned->cuda;
    struct cuda_planned *own = arena_copy(arena, planned->cuda, sizeof *own);
    own->constants = arena_copy(arena, own->constants, count * sizeof *own->constants);
    own->maps = arena_copy(arena, own->maps, count * sizeof *own->maps);
    stage_source(work, &own->literals);
    for (size_t a = 0; a < count; a++) {
        stage_source(work, &own->constants[a]);
        stage_source(work, &own->maps[a]);
    }
    return own;
}

/* ---- one sample ---- */

/* A kernel of the plan in this run. */
struct shot {
    const struct planned *planned;
    const struct cuda_planned *cuda;
    uint64_t *words, *bases, *maps;
    uint64_t *table, table_address; /* form.many: one sample, and its geometry */
};

struct run {
    struct cuda_work work;         /* first: the work is the run */
    struct call *call;
    const struct plan *plan;
    uint64_t *inputs, *outputs;    /* addresses of their first elements */
    uint64_t temporaries;
    struct shot *shots;
    int shot_count;
};

static void stage_inputs(struct run *run, const struct kernel *kernel)
{
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct tensor *input = &run->call->inputs[access->index];
        if (access->kind != TENSOR_INPUT || run->inputs[access->index])
            continue;
        run->inputs[access->index] = (uintptr_t)input->data;
        if (!input->device)
            cuda_stage(&run->work, input, input, 0, &run->inputs[access->index]);
    }
}

static size_t table_words(const struct form *form)
{
    return form_sample_words(form) + form_geometry_words(form);
}

static void set_up(struct run *run, const struct planned *planned)
{
    struct arena *arena = &run->call->arena;
    const struct form *form = &planned->emitted->form;
    struct shot *shot = &run->shots[run->shot_count++];
    stage_inputs(run, planned->kernel);
    if (run->call->staged)
        work_expect(&run->work, planned);
    shot->planned = planned;
    shot->cuda = cuda_resident(&run->work, planned);
    shot->words = ARENA_ARRAY(arena, uint64_t, form_args_words(form));
    shot->bases = ARENA_ARRAY(arena, uint64_t, form->accesses);
    if (!shot->cuda->words)
        shot->maps = ARENA_ARRAY(arena, uint64_t, form->accesses);
    if (!form->many)
        return;
    shot->table = ARENA_ARRAY(arena, uint64_t, table_words(form));
    work_add(&run->work, (struct cuda_part){.from = shot->table, .bytes = table_words(form) * sizeof(uint64_t),
                                            .address = &shot->table_address});
}

static uint64_t access_address(const struct run *run, const struct shot *shot, int a)
{
    const struct access *access = &shot->planned->kernel->accesses[a];
    switch (access->kind) {
    case TENSOR_INPUT: return run->inputs[access->index];
    case TENSOR_RESULT: return run->outputs[access->index];
    case TENSOR_CONSTANT:
    case TENSOR_BYTES: return shot->cuda->constants[a].address;
    default: return run->temporaries + run->plan->temporaries[access->index];
    }
}

static void write_table(const struct shot *shot)
{
    size_t sample = form_sample_words(&shot->planned->emitted->form);
    cuda_write_sample(shot->planned, 0, shot->table_address + sample * sizeof *shot->table, shot->bases,
                      shot->table);
    cuda_write_geometry(shot->planned, shot->maps, shot->table + sample);
}

static void write_shot(const struct shot *shot, uint64_t faults)
{
    const struct planned *planned = shot->planned;
    const struct form *form = &planned->emitted->form;
    if (shot->cuda->words) {
        memcpy(shot->words, shot->cuda->words, form_args_words(form) * sizeof *shot->words);
        cuda_change_args(planned, faults, shot->bases, shot->words);
        return;
    }
    for (int a = 0; a < form->accesses; a++)
        shot->maps[a] = shot->cuda->maps[a].address;
    const struct launch_words words = {.tiles = planned->tiles, .faults = faults, .bases = shot->bases,
                                   .maps = shot->maps, .samples = shot->table_address, .sample_count = 1,
                                   .literals_address = shot->cuda->literals.address};
    cuda_write_args(planned, &words, shot->words);
    if (form->many)
        write_table(shot);
}

/* False with a diagnostic. */
static bool finish_shot(struct run *run, const struct shot *shot)
{
    uint64_t faults;
    if (!work_faults(&run->work, shot->planned, shot->cuda, &faults))
        return false;
    for (int a = 0; a < shot->planned->kernel->access_count; a++)
        shot->bases[a] = access_address(run, shot, a) + (uint64_t)shot->planned->starts[a];
    write_shot(shot, faults);
    return true;
}

static bool launch_all(struct cuda_work *work)
{
    struct run *run = (struct run *)work;
    bool good = true;
    for (int s = 0; good && s < run->shot_count; s++)
        good = finish_shot(run, &run->shots[s]);
    good = good && work_upload(work);
    for (int s = 0; good && s < run->shot_count; s++)
        good = work_launch(work, run->shots[s].planned, run->shots[s].words, run->shots[s].planned->tiles);
    return good;
}

/* Parts for what comes back; of device outputs just the addresses. */
static void add_outputs(struct run *run)
{
    struct call *call = run->call;
    int count = call->typed->program->result_count;
    run->outputs = ARENA_ARRAY(&call->arena, uint64_t, count);
    for (int r = 0; r < count; r++) {
        const struct tensor *output = &call->outputs[r];
        run->outputs[r] = (uintptr_t)output->data;
        if (!output->device)
            cuda_bring(&run->work, output, output, 0, &run->outputs[r]);
    }
}

struct cuda_work *cuda_set_up(struct call *call, const struct plan *plan)
{
    struct run *run = ARENA_NEW(&call->arena, struct run);
    run->call = call;
    run->plan = plan;
    work_open(&run->work, call, plan->gpu, launch_all);
    run->inputs = ARENA_ARRAY(&call->arena, uint64_t, call->typed->program->input_count);
    run->shots = ARENA_ARRAY(&call->arena, struct shot, plan->kernel_count);
    for (int k = 0; k < plan->kernel_count; k++)
        if (plan->kernels[k].tiles)
            set_up(run, &plan->kernels[k]);
    if (!run->shot_count)
        return NULL;
    work_add_remarks(&run->work);
    add_outputs(run);
    if (plan->shared_bytes)
        work_add(&run->work, (struct cuda_part){.bytes = plan->shared_bytes, .address = &run->temporaries});
    return &run->work;
}
