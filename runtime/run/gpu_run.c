/* Runs of one sample on a GPU; see gpu_run_impl.h. The common case, operands in device memory, borrows
 * nothing: the arguments are copied from the plan, addresses are filled in, and the kernel is launched. */
#include "runtime/run/gpu_run_impl.h"

#include <string.h>

/* ---- host operands ---- */

/* Whether there are bytes between its elements, which must not be written. */
static bool has_gaps(const struct tensor *tensor)
{
    return tensor->end - tensor->first > pack_size(tensor);
}

/* The tensors as they are on the GPU, where those that are packed have no gaps. Returns `tensors` itself if none is. */
static const struct tensor *packed(struct call *call, const struct tensor *tensors, int count, bool outputs)
{
    struct arena *arena = &call->arena;
    struct tensor *copy = NULL;
    for (int i = 0; i < count; i++) {
        const struct tensor *tensor = &tensors[i];
        if (tensor->rank == NO_SHAPE || (outputs ? tensor->dense : tensor->device || !has_gaps(tensor)))
            continue;
        copy = copy ? copy : arena_copy(arena, tensors, (size_t)count * sizeof *copy);
        copy[i].dense = outputs || tensor->dense;
        copy[i].strides = ARENA_ARRAY(arena, int64_t, tensor->rank);
        pack_strides(tensor, copy[i].strides);
    }
    return copy ? copy : tensors;
}

const struct tensor *cuda_inputs(struct call *call, const struct tensor *inputs)
{
    return call->device ? packed(call, inputs, call->program->parsed->input_count, false) : inputs;
}

const struct tensor *cuda_outputs(struct call *call)
{
    const struct tensor *outputs = call->outputs;
    return call->staged && outputs ? packed(call, outputs, call->program->parsed->result_count, true) : outputs;
}

void cuda_stage(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address)
{
    if (tensor->first == tensor->end)
        return;
    if (has_gaps(tensor))
        work_add(work, (struct cuda_buffer){.from = tensor->data, .bytes = pack_size(tensor), .strided = layout,
                                          .alignment = alignment, .address = address});
    else
        work_add(work, (struct cuda_buffer){.from = (const void *)tensor->first, .bytes = tensor->end - tensor->first,
                                          .skip = (uintptr_t)tensor->data - tensor->first,
                                          .direct = tensor->pinned, .alignment = alignment, .address = address});
}

void cuda_bring(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address)
{
    if (tensor->first == tensor->end)
        return;
    work_add(work, (struct cuda_buffer){.to = tensor->data, .bytes = pack_size(tensor), .alignment = alignment,
                                      .strided = tensor->dense ? NULL : layout,
                                      .direct = tensor->pinned && tensor->dense, .address = address});
}

uint64_t cuda_value(const struct call *call, const struct access *access, int64_t sample)
{
    uint64_t word = (uint64_t)sample;
    if (access->kind == TENSOR_SAMPLE)
        return word;
    const struct tensor *tensor = &call->inputs[access->index];
    word = 0;
    memcpy(&word, tensor->data, (size_t)type_rows[tensor->dtype].size);
    return word;
}

/* ---- constants, maps and literals ---- */

static void stage_source(struct cuda_work *work, struct cuda_source *source)
{
    if (source->bytes && !source->address)
        work_add(work, (struct cuda_buffer){.from = source->data, .bytes = source->bytes,
                                          .address = &source->address});
}

const struct cuda_planned *cuda_resident(struct cuda_work *work, const struct planned *planned)
{
    struct arena *arena = &work->call->arena;
    size_t count = (size_t)planned->kernel->access_count;
    if (planned->cuda->resident)
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

/* A launch of one of the plan's kernels in this run. */
struct gpu_launch {
    const struct planned *planned;
    const struct cuda_planned *cuda;
    uint64_t *args, *bases, *maps;
    uint64_t *table, table_address; /* form.many: a table of one sample and its geometry */
};

struct run {
    struct cuda_work work;         /* must be first: a pointer to it is converted back */
    const struct plan *plan;
    uint64_t *inputs, *outputs;    /* addresses of the first elements */
    uint64_t temporaries;
    struct gpu_launch *launches;   /* those of a chain are one */
    int launch_count;
    void **args;                   /* [launch_count] */
};

static void stage_inputs(struct run *run, const struct planned *planned)
{
    const struct kernel *kernel = planned->kernel;
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct tensor *input = &run->work.call->inputs[access->index];
        if (access->kind != TENSOR_INPUT || planned->kinds[a] == ACCESS_VALUE || run->inputs[access->index])
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
    struct arena *arena = &run->work.call->arena;
    const struct form *form = &planned->emitted->form;
    struct gpu_launch *launch = &run->launches[run->launch_count++];
    stage_inputs(run, planned);
    if (run->work.call->staged)
        work_expect(&run->work, planned);
    *launch = (struct gpu_launch){.planned = planned, .cuda = cuda_resident(&run->work, planned),
                          .args = ARENA_ARRAY(arena, uint64_t, form_args_words(form)),
                          .bases = ARENA_ARRAY(arena, uint64_t, form->accesses)};
    if (!launch->cuda->words)
        launch->maps = ARENA_ARRAY(arena, uint64_t, form->accesses);
    if (!form->many)
        return;
    launch->table = ARENA_ARRAY(arena, uint64_t, table_words(form));
    work_add(&run->work, (struct cuda_buffer){.from = launch->table, .bytes = table_words(form) * sizeof(uint64_t),
                                            .address = &launch->table_address});
}

static uint64_t access_address(const struct run *run, const struct gpu_launch *launch, int a)
{
    const struct access *access = &launch->planned->kernel->accesses[a];
    switch (access->kind) {
    case TENSOR_INPUT: return run->inputs[access->index];
    case TENSOR_RESULT: return run->outputs[access->index];
    case TENSOR_CONSTANT:
    case TENSOR_BYTES: return launch->cuda->constants[a].address;
    default: return run->temporaries + run->plan->temporaries[access->index];
    }
}

static void write_table(const struct gpu_launch *launch)
{
    size_t sample = form_sample_words(&launch->planned->emitted->form);
    cuda_write_sample(launch->planned, 0, launch->table_address + sample * sizeof *launch->table, launch->bases,
                      launch->table);
    cuda_write_geometry(launch->planned, launch->maps, launch->table + sample);
}

/* Fills in addresses, which are known now. */
static void finish_launch(const struct run *run, const struct gpu_launch *launch)
{
    const struct form *form = &launch->planned->emitted->form;
    for (int a = 0; a < form->accesses; a++)
        launch->bases[a] = launch->planned->kinds[a] == ACCESS_VALUE
                               ? cuda_value(run->work.call, &launch->planned->kernel->accesses[a], 0)
                               : access_address(run, launch, a) + (uint64_t)launch->planned->starts[a];
    for (int a = 0; launch->maps && a < form->accesses; a++)
        launch->maps[a] = launch->cuda->maps[a].address;
    if (form->many)
        write_table(launch);
}

static bool launch_all(struct cuda_work *work)
{
    struct run *run = (struct run *)work;
    for (int s = 0; s < run->launch_count; s++)
        finish_launch(run, &run->launches[s]);
    bool good = work_upload(work);
    for (int s = 0; good && s < run->launch_count; s++) {
        const struct gpu_launch *launch = &run->launches[s];
        struct launch_words words = {.tiles = launch->planned->tiles, .bases = launch->bases, .maps = launch->maps,
                                     .samples = launch->table_address, .sample_count = 1};
        good = work_arguments(work, launch->planned, launch->cuda, &words, launch->args);
        run->args[s] = launch->args;
    }
    for (int s = 0, next; good && s < run->launch_count; s = next) {
        const struct planned *planned = run->launches[s].planned;
        good = work_launch(work, planned, planned->tiles, &run->args[s]);
        next = s + (planned->chain ? planned->chain : 1);
    }
    return good;
}

/* Adds buffers for outputs in host memory; for others just the addresses. */
static void add_outputs(struct run *run)
{
    struct call *call = run->work.call;
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
    *run = (struct run){.work = {.call = call, .device = plan->gpu, .launch = launch_all}, .plan = plan,
                        .inputs = ARENA_ARRAY(&call->arena, uint64_t, call->typed->program->input_count),
                        .launches = ARENA_ARRAY(&call->arena, struct gpu_launch, plan->kernel_count),
                        .args = ARENA_ARRAY(&call->arena, void *, plan->kernel_count)};
    for (int k = 0; k < plan->kernel_count; k++)
        if (plan->kernels[k].tiles)
            set_up(run, &plan->kernels[k]);
    if (!run->launch_count)
        return NULL;
    work_add_remarks(&run->work);
    add_outputs(run);
    if (plan->shared_bytes)
        work_add(&run->work, (struct cuda_buffer){.bytes = plan->shared_bytes, .address = &run->temporaries});
    return &run->work;
}
