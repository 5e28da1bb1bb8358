/* See gpu_batch_impl.h. First everything is laid out (host operands, tables, room for temporaries), then the
 * memory for it is borrowed, and with its addresses the tables are filled and copied. */
#include "runtime/run/gpu_batch_impl.h"

#include "runtime/run/gpu_run_impl.h"

#include <string.h>

enum { SAMPLE_ALIGNMENT = 16 };    /* bytes, of host samples on the GPU: the widest load */

/* A kernel of a stretch's plan. */
struct placed {
    const struct cuda_planned *cuda;
    uint64_t *maps;                /* [accesses] addresses; NULL: none is mapped */
    int64_t geometry;              /* number in the launch's table */
};

/* A stretch on the GPU. */
struct place {
    uint64_t shared, own;          /* addresses of its temporaries */
    struct placed *entries;         /* [kernel_count] */
    uint64_t **samples;            /* [inputs, then results] of host batches: addresses of its samples; NULL
                                      for others */
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
    const struct placed *entry;     /* one of its kernels */
    uint64_t *words;               /* samples, then geometries; none for a kernel on one sample */
    uint64_t address;
    uint64_t *bases, *args;        /* [accesses] of the sample in hand; the kernel's arguments */
    int64_t geometries;
    int64_t samples, tiles;        /* filled so far */
};

struct batch_run {
    struct cuda_work work;         /* first: the work is the run */
    struct call *call;
    struct batch_part parts[PART_COUNT];
    struct deals deals;
    struct deal **order;
    struct table *tables;          /* [deals.count] */
    struct place *places[PART_COUNT]; /* of each stretch */
    int plans;                     /* at most so many in one launch */
    uint64_t *tensors;             /* [inputs, then results] of host tensors: addresses */
};

/* ---- host operands ---- */

/* The operand as a whole: inputs, then results. */
static const struct tensor *operand(const struct call *call, int o)
{
    int inputs = call->typed->program->input_count;
    return o < inputs ? &call->inputs[o] : &call->outputs[o - inputs];
}

static int operand_count(const struct call *call)
{
    return call->typed->program->input_count + call->typed->program->result_count;
}

typedef void add_part(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                      size_t alignment, uint64_t *address);

/* The samples of a stretch, which have one shape and strides. */
static uint64_t *add_samples(struct batch_run *run, const struct stretch *stretch, const struct tensor *of,
                             add_part *add)
{
    struct arena *arena = &run->call->arena;
    uint64_t *addresses = ARENA_ARRAY(arena, uint64_t, stretch->count);
    struct tensor *first = ARENA_NEW(arena, struct tensor);
    tensor_read(&of->samples[stretch->first], true, "", "", first, &run->call->diags);
    for (int64_t i = 0; i < stretch->count; i++) {
        const DLTensor *sample = &of->samples[stretch->first + i];
        struct tensor tensor = *first;
        uintptr_t by = (uintptr_t)sample->data + sample->byte_offset - (uintptr_t)first->data;
        tensor.data = (char *)first->data + by;
        tensor.first += by;
        tensor.end += by;
        add(&run->work, &tensor, first, SAMPLE_ALIGNMENT, &addresses[i]);
    }
    return addresses;
}

/* Whether a kernel of the plan reads or writes it. */
static bool is_used(const struct plan *plan, enum tensor_kind kind, int index)
{
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct kernel *kernel = plan->kernels[k].kernel;
        for (int a = 0; a < kernel->access_count; a++)
            if (kernel->accesses[a].kind == kind && kernel->accesses[a].index == index)
                return true;
    }
    return false;
}

/* Operands [begin, end) as far as they lie on the host. */
static void add_operands(struct batch_run *run, const struct stretch *stretch, struct place *place, int begin,
                         int end, enum tensor_kind kind)
{
    add_part *add = kind == TENSOR_INPUT ? cuda_stage : cuda_bring;
    for (int o = begin; o < end; o++) {
        const struct tensor *tensor = operand(run->call, o);
        if (tensor->device || !is_used(stretch->plan, kind, o - begin))
            continue;
        if (tensor->batch)
            place->samples[o] = add_samples(run, stretch, tensor, add);
        else if (!run->tensors[o])
            add(&run->work, tensor, tensor, 0, &run->tensors[o]);
    }
}

/* ---- laying out ---- */

/* Room for the geometries of all plans. */
static void make_known(struct batch_run *run, struct table *table)
{
    table->known_count = 2;
    while (table->known_count < 2 * (size_t)run->plans)
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

static void add_entry(struct batch_run *run, const struct stretch *stretch, int k, struct placed *entry)
{
    const struct planned *planned = &stretch->plan->kernels[k];
    const struct form *form = &planned->emitted->form;
    struct table *table = &run->tables[stretch->launches[k]];
    entry->cuda = cuda_resident(&run->work, planned);
    if (form->mapped)
        entry->maps = ARENA_ARRAY(&run->call->arena, uint64_t, form->accesses);
    if (!table->known)
        make_known(run, table);
    entry->geometry = find_geometry(table, planned);
    table->entry = entry;
}

static void lay_out_stretch(struct batch_run *run, const struct stretch *stretch, struct place *place)
{
    const struct plan *plan = stretch->plan;
    place->entries = ARENA_ARRAY(&run->call->arena, struct placed, plan->kernel_count);
    place->samples = ARENA_ARRAY(&run->call->arena, uint64_t *, operand_count(run->call));
    add_operands(run, stretch, place, 0, run->call->typed->program->input_count, TENSOR_INPUT);
    for (int k = 0; k < plan->kernel_count; k++)
        if (stretch->launches[k] >= 0)
            add_entry(run, stretch, k, &place->entries[k]);
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
    if (run->call->staged)
        work_expect(&run->work, launch->planned);
    if (!form->many)
        return;
    table->words = ARENA_ARRAY(arena, uint64_t, words);
    work_add(&run->work, (struct cuda_part){.from = table->words, .bytes = words * sizeof *table->words,
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

static void lay_out_outputs(struct batch_run *run, const struct stretch *stretch, struct place *place)
{
    const struct program *program = run->call->typed->program;
    add_operands(run, stretch, place, program->input_count, operand_count(run->call), TENSOR_RESULT);
}

static void each_stretch(struct batch_run *run, void (*visit)(struct batch_run *run, const struct stretch *stretch,
                                                              struct place *place))
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < run->parts[p].count; s++)
            visit(run, &run->parts[p].stretches[s], &run->places[p][s]);
}

static void lay_out(struct batch_run *run)
{
    struct call *call = run->call;
    run->tensors = ARENA_ARRAY(&call->arena, uint64_t, operand_count(call));
    run->tables = ARENA_ARRAY(&call->arena, struct table, run->deals.count);
    for (int p = 0; p < PART_COUNT; p++) {
        run->places[p] = ARENA_ARRAY(&call->arena, struct place, run->parts[p].count);
        run->plans = run->parts[p].count > run->plans ? run->parts[p].count : run->plans;
    }
    each_stretch(run, lay_out_stretch);
    for (int i = 0; i < run->deals.count; i++)
        lay_out_table(run, &run->deals.items[i].launch, &run->tables[i]);
    work_add_remarks(&run->work);
    each_stretch(run, lay_out_outputs);
    each_stretch(run, lay_out_temporaries);
}

/* ---- filling ---- */

/* A stretch of a part, with its place. */
struct at {
    const struct stretch *stretch;
    const struct place *place;
};

static uint64_t operand_address(const struct batch_run *run, const struct at *at, int o, int64_t i)
{
    const struct tensor *tensor = operand(run->call, o);
    if (!tensor->batch)
        return tensor->device ? (uintptr_t)tensor->data : run->tensors[o];
    if (at->place->samples[o])
        return at->place->samples[o][i];
    const DLTensor *sample = &tensor->samples[at->stretch->first + i];
    return (uintptr_t)sample->data + sample->byte_offset;
}

static uint64_t access_address(const struct batch_run *run, const struct at *at, int k, int a, int64_t i)
{
    const struct plan *plan = at->stretch->plan;
    const struct access *access = &plan->kernels[k].kernel->accesses[a];
    int index = access->index;
    switch (access->kind) {
    case TENSOR_INPUT: return operand_address(run, at, index, i);
    case TENSOR_RESULT: return operand_address(run, at, run->call->typed->program->input_count + index, i);
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
    const struct placed *entry = &at->place->entries[k];
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
            table->bases[a] = access_address(run, at, k, a, i) + (uint64_t)planned->starts[a];
        if (form->many)
            cuda_write_sample(planned, table->tiles, table->address + geometry * sizeof *table->words,
                              table->bases, table->words + (size_t)table->samples++ * form_sample_words(form));
        table->tiles += planned->tiles;
    }
}

static void fill_tables(struct batch_run *run)
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < run->parts[p].count; s++) {
            const struct at at = {&run->parts[p].stretches[s], &run->places[p][s]};
            for (int k = 0; k < at.stretch->plan->kernel_count; k++)
                if (at.stretch->launches[k] >= 0)
                    fill_entry(run, &at, k);
        }
}

/* ---- running ---- */

/* False with a diagnostic. */
static bool launch_table(struct batch_run *run, const struct launch *launch, const struct table *table)
{
    uint64_t faults;
    if (!work_faults(&run->work, launch->planned, table->entry->cuda, &faults))
        return false;
    const struct launch_words words = {.tiles = launch->tiles, .faults = faults, .bases = table->bases,
                                   .maps = table->entry->maps, .samples = table->address,
                                   .sample_count = launch->sample_count,
                                   .literals_address = table->entry->cuda->literals.address};
    cuda_write_args(launch->planned, &words, table->args);
    return work_launch(&run->work, launch->planned, table->args, launch->tiles);
}

static bool launch_all(struct cuda_work *work)
{
    struct batch_run *run = (struct batch_run *)work;
    fill_tables(run);
    bool good = work_upload(work);
    for (int i = 0; good && i < run->deals.count; i++) {
        ptrdiff_t at = run->order[i] - run->deals.items;
        good = launch_table(run, &run->deals.items[at].launch, &run->tables[at]);
    }
    return good;
}

static struct cuda_device *find_device(const struct batch_part *parts)
{
    const struct batch_part *samples = &parts[PART_SAMPLES], *plain = &parts[PART_PLAIN];
    return (samples->count ? samples : plain)->stretches->plan->gpu;
}

struct cuda_work *cuda_batch_set_up(struct call *call, const struct batch_part *parts)
{
    struct batch_run *run = ARENA_NEW(&call->arena, struct batch_run);
    run->call = call;
    memcpy(run->parts, parts, sizeof run->parts);
    run->deals.call = call;
    run->deals.parts = run->parts;
    run->order = deals_count(&run->deals);
    if (!run->deals.count)
        return NULL;
    work_open(&run->work, call, find_device(parts), launch_all);
    lay_out(run);
    return &run->work;
}
