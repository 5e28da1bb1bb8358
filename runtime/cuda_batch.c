/* See cuda_batch.h. First everything is laid out (host operands, tables, room for temporaries), then the
 * memory for it is borrowed, and with its addresses the tables are filled and copied. */
#include "runtime/cuda_batch.h"

#include "runtime/cuda_run.h"

enum { SAMPLE_ALIGNMENT = 16 };    /* bytes, of host samples on the GPU: the widest load */

/* A kernel of a stretch's plan. */
struct entry {
    const struct cuda_planned *cuda;
    uint64_t *maps;                /* [accesses] addresses; NULL: none is mapped */
    int64_t geometry;              /* number in the launch's table */
};

/* A stretch on the GPU. */
struct place {
    uint64_t shared, own;          /* addresses of its temporaries */
    struct entry *entries;         /* [kernel_count] */
    uint64_t **samples;            /* [inputs] of host batches: addresses of its samples, else NULL */
};

/* A geometry of a launch's table. */
struct known {
    const struct planned *planned; /* NULL: a free slot */
    int64_t number;
};

/* A launch on the GPU. */
struct table {
    struct known *known;           /* [known_count], a power of two, at most half full */
    size_t known_count;
    const struct entry *entry;     /* one of its kernels */
    uint64_t *words;               /* samples, then geometries; none for a kernel on one sample */
    uint64_t address;
    uint64_t *bases, *args;        /* [accesses] of the sample in hand; the kernel's arguments */
    int64_t geometries;
    int64_t samples, tiles;        /* filled so far */
};

struct batch_run {
    struct cuda_work work;
    struct call *call;
    struct deals deals;
    struct deal **order;
    struct table *tables;          /* [deals.count] */
    struct place *places[PART_COUNT]; /* of each stretch */
    uint64_t *inputs;              /* of host tensors: their addresses */
};

/* ---- host operands ---- */

/* The samples of a stretch, which have one shape and strides. */
static uint64_t *stage_samples(struct batch_run *run, const struct stretch *stretch, const struct tensor *input)
{
    struct arena *arena = &run->call->arena;
    uint64_t *addresses = ARENA_ARRAY(arena, uint64_t, stretch->count);
    struct tensor *first = ARENA_NEW(arena, struct tensor);
    first->alignment = input->alignment;
    tensor_read(&input->samples[stretch->first], true, "", "", first, &run->call->diags);
    for (int64_t i = 0; i < stretch->count; i++) {
        const DLTensor *sample = &input->samples[stretch->first + i];
        struct tensor tensor = *first;
        uintptr_t by = (uintptr_t)sample->data + sample->byte_offset - (uintptr_t)first->data;
        tensor.data = (char *)first->data + by;
        tensor.first += by;
        tensor.end += by;
        cuda_stage(&run->work, &tensor, first, SAMPLE_ALIGNMENT, &addresses[i]);
    }
    return addresses;
}

static bool is_read(const struct plan *plan, int input)
{
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct kernel *kernel = plan->kernels[k].kernel;
        for (int a = 0; a < kernel->load_count; a++)
            if (kernel->accesses[a].kind == TENSOR_INPUT && kernel->accesses[a].index == input)
                return true;
    }
    return false;
}

static void stage_inputs(struct batch_run *run, const struct stretch *stretch, struct place *place)
{
    struct call *call = run->call;
    int count = call->typed->program->input_count;
    place->samples = ARENA_ARRAY(&call->arena, uint64_t *, count);
    for (int i = 0; i < count; i++) {
        const struct tensor *input = &call->inputs[i];
        if (input->device || !is_read(stretch->plan, i))
            continue;
        if (input->batch)
            place->samples[i] = stage_samples(run, stretch, input);
        else if (!run->inputs[i])
            cuda_stage(&run->work, input, input, 0, &run->inputs[i]);
    }
}

/* ---- laying out ---- */

/* Room for the geometries of at most so many plans. */
static void make_known(struct batch_run *run, struct table *table, int plans)
{
    table->known_count = 2;
    while (table->known_count < 2 * (size_t)plans)
        table->known_count *= 2;
    table->known = ARENA_ARRAY(&run->call->arena, struct known, table->known_count);
}

/* The number of a kernel's geometry in its launch. */
static int64_t find_geometry(struct table *table, const struct planned *planned)
{
    size_t at = (size_t)((uintptr_t)planned / sizeof *planned * 0x9e3779b97f4a7c15u >> 32);
    while (table->known[at &= table->known_count - 1].planned && table->known[at].planned != planned)
        at++;
    if (!table->known[at].planned)
        table->known[at] = (struct known){planned, table->geometries++};
    return table->known[at].number;
}

static void add_entry(struct batch_run *run, const struct stretch *stretch, int k, int plans,
                      struct entry *entry)
{
    const struct planned *planned = &stretch->plan->kernels[k];
    const struct form *form = &planned->emitted->form;
    struct table *table = &run->tables[stretch->launches[k]];
    entry->cuda = cuda_resident(&run->work, planned);
    if (form->mapped)
        entry->maps = ARENA_ARRAY(&run->call->arena, uint64_t, form->accesses);
    if (!table->known)
        make_known(run, table, plans);
    entry->geometry = find_geometry(table, planned);
    table->entry = entry;
}

static void lay_out_stretch(struct batch_run *run, const struct stretch *stretch, int plans,
                            struct place *place)
{
    const struct plan *plan = stretch->plan;
    place->entries = ARENA_ARRAY(&run->call->arena, struct entry, plan->kernel_count);
    stage_inputs(run, stretch, place);
    for (int k = 0; k < plan->kernel_count; k++)
        if (stretch->launches[k] >= 0)
            add_entry(run, stretch, k, plans, &place->entries[k]);
}

/* Where a geometry stands in the table, and where the table ends. */
static size_t geometry_word(const struct launch *launch, int64_t number)
{
    const struct form *form = &launch->planned->emitted->form;
    return (size_t)launch->sample_count * form_sample_words(form) +
           (size_t)number * form_geometry_words(form);
}

static void lay_out_table(struct batch_run *run, const struct launch *launch, struct table *table)
{
    struct arena *arena = &run->call->arena;
    const struct form *form = &launch->planned->emitted->form;
    size_t words = geometry_word(launch, table->geometries);
    table->args = ARENA_ARRAY(arena, uint64_t, form_args_words(form));
    table->bases = ARENA_ARRAY(arena, uint64_t, form->accesses);
    if (!form->many)
        return;
    table->words = ARENA_ARRAY(arena, uint64_t, words);
    work_add(&run->work, (struct cuda_part){.data = table->words, .bytes = words * sizeof *table->words,
                                            .address = &table->address});
}

static void lay_out_temporaries(struct batch_run *run, const struct stretch *stretch, struct place *place)
{
    const struct plan *plan = stretch->plan;
    size_t size;
    if (__builtin_mul_overflow(plan->own_bytes, (size_t)stretch->count, &size))
        arena_fail(&run->call->arena);
    if (plan->shared_bytes)
        work_add(&run->work, (struct cuda_part){.bytes = plan->shared_bytes, .address = &place->shared});
    if (size)
        work_add(&run->work, (struct cuda_part){.bytes = size, .address = &place->own});
}

static void lay_out(struct batch_run *run)
{
    struct call *call = run->call;
    run->inputs = ARENA_ARRAY(&call->arena, uint64_t, call->typed->program->input_count);
    run->tables = ARENA_ARRAY(&call->arena, struct table, run->deals.count);
    for (int p = 0; p < PART_COUNT; p++) {
        const struct batch_part *part = &call->parts[p];
        run->places[p] = ARENA_ARRAY(&call->arena, struct place, part->count);
        for (int s = 0; s < part->count; s++)
            lay_out_stretch(run, &part->stretches[s], part->count, &run->places[p][s]);
    }
    for (int i = 0; i < run->deals.count; i++)
        lay_out_table(run, &run->deals.items[i].launch, &run->tables[i]);
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < call->parts[p].count; s++)
            lay_out_temporaries(run, &call->parts[p].stretches[s], &run->places[p][s]);
}

/* ---- filling ---- */

/* A stretch of a part, with its place. */
struct at {
    const struct stretch *stretch;
    const struct place *place;
};

static uint64_t tensor_address(const struct tensor *tensor, const uint64_t *samples, uint64_t staged,
                               const struct stretch *stretch, int64_t i)
{
    if (!tensor->batch)
        return tensor->device ? (uintptr_t)tensor->data : staged;
    if (samples)
        return samples[i];
    const DLTensor *sample = &tensor->samples[stretch->first + i];
    return (uintptr_t)sample->data + sample->byte_offset;
}

static uint64_t access_address(const struct batch_run *run, const struct at *at, int k, int a, int64_t i)
{
    const struct plan *plan = at->stretch->plan;
    const struct access *access = &plan->kernels[k].kernel->accesses[a];
    const struct call *call = run->call;
    int index = access->index;
    switch (access->kind) {
    case TENSOR_INPUT:
        return tensor_address(&call->inputs[index], at->place->samples[index], run->inputs[index], at->stretch, i);
    case TENSOR_RESULT: return tensor_address(&call->outputs[index], NULL, 0, at->stretch, i);
    case TENSOR_CONSTANT:
    case TENSOR_BYTES: return at->place->entries[k].cuda->constants[a].address;
    default:
        return plan->temporaries[index] +
               (plan->shared[index] ? at->place->shared : at->place->own + (size_t)i * plan->own_bytes);
    }
}

/* The samples of a kernel of a stretch, and its geometry. */
static void fill_entry(struct batch_run *run, const struct at *at, int k)
{
    const struct planned *planned = &at->stretch->plan->kernels[k];
    const struct entry *entry = &at->place->entries[k];
    const struct form *form = &planned->emitted->form;
    struct table *table = &run->tables[at->stretch->launches[k]];
    size_t geometry = geometry_word(&run->deals.items[at->stretch->launches[k]].launch, entry->geometry);
    int64_t count = planned->shared ? 1 : at->stretch->count;
    for (int a = 0; entry->maps && a < form->accesses; a++)
        entry->maps[a] = entry->cuda->maps[a].address;
    if (form->many)
        cuda_write_geometry(planned, entry->maps, table->words + geometry);
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < form->accesses; a++)
            table->bases[a] = access_address(run, at, k, a, i);
        if (form->many)
            cuda_write_sample(planned, table->tiles, table->address + geometry * sizeof *table->words,
                              table->bases, table->words + (size_t)table->samples++ * form_sample_words(form));
        table->tiles += planned->tiles;
    }
}

static void fill_tables(struct batch_run *run)
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < run->call->parts[p].count; s++) {
            const struct at at = {&run->call->parts[p].stretches[s], &run->places[p][s]};
            for (int k = 0; k < at.stretch->plan->kernel_count; k++)
                if (at.stretch->launches[k] >= 0)
                    fill_entry(run, &at, k);
        }
}

/* ---- running ---- */

/* False with a diagnostic. */
static bool launch_table(struct batch_run *run, const struct launch *launch, const struct table *table)
{
    struct remark_site *site = table->entry->cuda->site;
    uint64_t faults = 0;
    if (site)
        faults = remarks_bytes(run->call->program->context, run->work.device, site, run->work.order.stream,
                               run->work.diags);
    if (site && !faults)
        return false;
    const struct cuda_call call = {.tiles = launch->tiles, .faults = faults, .bases = table->bases,
                                   .maps = table->entry->maps, .samples = table->address,
                                   .sample_count = launch->sample_count,
                                   .literals = table->entry->cuda->literals.address};
    cuda_write_args(launch->planned, &call, table->args);
    return work_launch(&run->work, launch->planned, table->args, launch->tiles);
}

/* The context is current. */
static void launch_all(struct batch_run *run)
{
    fill_tables(run);
    bool good = work_upload(&run->work);
    for (int i = 0; good && i < run->deals.count; i++) {
        ptrdiff_t at = run->order[i] - run->deals.items;
        good = launch_table(run, &run->deals.items[at].launch, &run->tables[at]);
    }
}

static struct cuda_device *find_device(const struct call *call)
{
    const struct batch_part *samples = &call->parts[PART_SAMPLES], *plain = &call->parts[PART_PLAIN];
    return (samples->count ? samples : plain)->stretches->plan->gpu;
}

void cuda_batch_run(struct call *call, void *stream)
{
    struct batch_run run = {.call = call, .deals.call = call};
    run.order = deals_count(&run.deals);
    if (!run.deals.count)
        return;
    work_open(&run.work, call, find_device(call), stream);
    lay_out(&run);
    if (work_begin(&run.work)) {
        launch_all(&run);
        work_end(&run.work);
    }
}
