/* Batches on a GPU; see gpu_batch_impl.h. Everything is laid out first: host operands, tables, temporaries.
 * Then the memory is borrowed, and the tables are filled with its addresses and copied. */
#include "runtime/run/gpu_batch_impl.h"

#include "runtime/run/gpu_run_impl.h"
#include "runtime/run/overlap_impl.h"

#include <string.h>

enum { SAMPLE_ALIGNMENT = 16 };    /* bytes, of host samples on the GPU: the widest load */

/* A kernel of a segment's plan. */
struct placed {
    const struct cuda_planned *cuda;
    uint64_t *maps;                /* [accesses] addresses; NULL: no access is mapped */
    int64_t geometry;              /* its number in the launch's table */
};

/* What a segment has on the GPU. */
struct place {
    const struct segment *segment;
    uint64_t shared, own;          /* addresses of its temporaries */
    struct placed *entries;        /* [kernel_count] */
    uint64_t **samples;            /* [inputs, then results] for host batches, the samples' addresses; NULL for
                                    * other operands */
};

/* An entry of a launch's hash table of geometries. */
struct known {
    const struct planned *planned; /* NULL: the slot is free */
    int64_t number;
};

/* A launch on the GPU. */
struct table {
    struct known *known;           /* [known_count], a power of two; at most half full */
    size_t known_count;
    const struct placed *entry;    /* one of its kernels, for constants and literals */
    uint64_t *words;               /* samples, then geometries; NULL for a kernel on one sample */
    uint64_t address;
    uint64_t *bases, *args;        /* [accesses] of the current sample; the kernel's arguments */
    int64_t geometries;
    int64_t samples, tiles;        /* that fill_entry has written so far */
};

struct batch_run {
    struct cuda_work work;         /* must be first: a pointer to it is converted back */
    struct batch_part parts[PART_COUNT];
    struct batch_launches launches;
    struct batch_launch **order;
    struct table *tables;          /* [launches.count] */
    struct place *places[PART_COUNT]; /* [segments] of each part */
    int plans;                     /* the most segments of a part */
    uint64_t *tensors;             /* [inputs, then results] addresses of host operands that are no batch */
};

/* ---- host operands ---- */

typedef void add_part(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                      size_t alignment, uint64_t *address);

/* Adds the samples of a segment, which share shape and strides. Returns their addresses, set when the work
 * begins. */
static uint64_t *add_samples(struct batch_run *run, const struct segment *segment, const struct tensor *of,
                             add_part *add)
{
    struct arena *arena = &run->work.call->arena;
    uint64_t *addresses = ARENA_ARRAY(arena, uint64_t, segment->count);
    struct tensor *first = ARENA_NEW(arena, struct tensor);
    tensor_read(&of->samples[segment->first], true, "", "", first, &run->work.call->diags);
    for (int64_t i = 0; i < segment->count; i++) {
        const DLTensor *sample = &of->samples[segment->first + i];
        struct tensor tensor = *first;
        uintptr_t by = (uintptr_t)sample->data + sample->byte_offset - (uintptr_t)first->data;
        tensor.data = (char *)first->data + by;
        tensor.first += by;
        tensor.end += by;
        add(&run->work, &tensor, first, SAMPLE_ALIGNMENT, &addresses[i]);
    }
    return addresses;
}

/* Whether some kernel reads or writes the operand otherwise than by value. */
static bool uses_memory(const struct plan *plan, enum tensor_kind kind, int index)
{
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct planned *planned = &plan->kernels[k];
        for (int a = 0; a < planned->kernel->access_count; a++)
            if (planned->kernel->accesses[a].kind == kind && planned->kernel->accesses[a].index == index &&
                planned->kinds[a] != ACCESS_VALUE)
                return true;
    }
    return false;
}

/* Adds those of the operands [begin, end) that are in host memory. */
static void add_operands(struct batch_run *run, struct place *place, int begin, int end, enum tensor_kind kind)
{
    add_part *add = kind == TENSOR_INPUT ? cuda_stage : cuda_bring;
    for (int o = begin; o < end; o++) {
        const struct tensor *tensor = call_operand(run->work.call, o);
        if (tensor->device || !uses_memory(place->segment->plan, kind, o - begin))
            continue;
        if (tensor->batch)
            place->samples[o] = add_samples(run, place->segment, tensor, add);
        else if (!run->tensors[o])
            add(&run->work, tensor, tensor, 0, &run->tensors[o]);
    }
}

/* ---- laying out ---- */

/* Allocates the hash table, with room for the geometries of all plans. */
static void make_known(struct batch_run *run, struct table *table)
{
    table->known_count = 2;
    while (table->known_count < 2 * (size_t)run->plans)
        table->known_count *= 2;
    table->known = ARENA_ARRAY(&run->work.call->arena, struct known, table->known_count);
}

/* The number of a kernel's geometry in its launch, found or new. */
static int64_t find_geometry(struct table *table, const struct planned *planned)
{
    size_t at = (size_t)((uintptr_t)planned / sizeof *planned * 0x9e3779b97f4a7c15u >> 32);
    while (table->known[at &= table->known_count - 1].planned && table->known[at].planned != planned)
        at++;
    if (!table->known[at].planned)
        table->known[at] = (struct known){planned, table->geometries++};
    return table->known[at].number;
}

static void add_entry(struct batch_run *run, const struct segment *segment, int k, struct placed *entry)
{
    const struct planned *planned = &segment->plan->kernels[k];
    const struct form *form = &planned->emitted->form;
    struct table *table = &run->tables[segment->launches[k]];
    entry->cuda = cuda_resident(&run->work, planned);
    if (form->mapped)
        entry->maps = ARENA_ARRAY(&run->work.call->arena, uint64_t, form->accesses);
    if (!table->known)
        make_known(run, table);
    entry->geometry = find_geometry(table, planned);
    table->entry = entry;
}

static void lay_out_segment(struct batch_run *run, struct place *place)
{
    const struct segment *segment = place->segment;
    const struct plan *plan = segment->plan;
    place->entries = ARENA_ARRAY(&run->work.call->arena, struct placed, plan->kernel_count);
    place->samples = ARENA_ARRAY(&run->work.call->arena, uint64_t *, call_operands(run->work.call));
    add_operands(run, place, 0, run->work.call->typed->program->input_count, TENSOR_INPUT);
    for (int k = 0; k < plan->kernel_count; k++)
        if (segment->launches[k] >= 0)
            add_entry(run, segment, k, &place->entries[k]);
}

/* The word of the table at which a geometry begins. That of the geometry after the last is the table's size. */
static size_t geometry_word(const struct launch *launch, int64_t number)
{
    const struct form *form = &launch->planned->emitted->form;
    return (size_t)launch->sample_count * form_sample_words(form) +
           (size_t)number * form_geometry_words(form);
}

static void lay_out_table(struct batch_run *run, const struct launch *launch, struct table *table)
{
    struct arena *arena = &run->work.call->arena;
    const struct form *form = &launch->planned->emitted->form;
    size_t words = geometry_word(launch, table->geometries);
    table->args = ARENA_ARRAY(arena, uint64_t, form_args_words(form));
    table->bases = ARENA_ARRAY(arena, uint64_t, form->accesses);
    if (run->work.call->staged)
        work_expect(&run->work, launch->planned);
    if (!form->many)
        return;
    table->words = ARENA_ARRAY(arena, uint64_t, words);
    work_add(&run->work, (struct cuda_buffer){.from = table->words, .bytes = words * sizeof *table->words,
                                            .address = &table->address});
}

static void lay_out_temporaries(struct batch_run *run, struct place *place)
{
    const struct plan *plan = place->segment->plan;
    size_t size;
    if (__builtin_mul_overflow(plan->own_bytes, (size_t)place->segment->count, &size))
        arena_fail(&run->work.call->arena);
    if (plan->shared_bytes)
        work_add(&run->work, (struct cuda_buffer){.bytes = plan->shared_bytes, .address = &place->shared});
    if (size)
        work_add(&run->work, (struct cuda_buffer){.bytes = size, .address = &place->own});
}

static void lay_out_outputs(struct batch_run *run, struct place *place)
{
    add_operands(run, place, run->work.call->typed->program->input_count, call_operands(run->work.call),
                 TENSOR_RESULT);
}

static void each_place(struct batch_run *run, void (*visit)(struct batch_run *run, struct place *place))
{
    for (int p = 0; p < PART_COUNT; p++)
        for (int s = 0; s < run->parts[p].count; s++)
            visit(run, &run->places[p][s]);
}

static void lay_out(struct batch_run *run)
{
    struct call *call = run->work.call;
    run->tensors = ARENA_ARRAY(&call->arena, uint64_t, call_operands(call));
    run->tables = ARENA_ARRAY(&call->arena, struct table, run->launches.count);
    for (int p = 0; p < PART_COUNT; p++) {
        run->places[p] = ARENA_ARRAY(&call->arena, struct place, run->parts[p].count);
        run->plans = run->parts[p].count > run->plans ? run->parts[p].count : run->plans;
        for (int s = 0; s < run->parts[p].count; s++)
            run->places[p][s].segment = &run->parts[p].segments[s];
    }
    each_place(run, lay_out_segment);
    for (int i = 0; i < run->launches.count; i++)
        lay_out_table(run, &run->launches.items[i].launch, &run->tables[i]);
    work_add_remarks(&run->work);
    each_place(run, lay_out_outputs);
    each_place(run, lay_out_temporaries);
}

/* ---- filling ---- */

static uint64_t operand_address(const struct batch_run *run, const struct place *place, int o, int64_t i)
{
    const struct tensor *tensor = call_operand(run->work.call, o);
    if (!tensor->batch)
        return tensor->device ? (uintptr_t)tensor->data : run->tensors[o];
    if (place->samples[o])
        return place->samples[o][i];
    const DLTensor *sample = &tensor->samples[place->segment->first + i];
    return (uintptr_t)sample->data + sample->byte_offset;
}

static uint64_t access_address(const struct batch_run *run, const struct place *place, int k, int a, int64_t i)
{
    const struct plan *plan = place->segment->plan;
    const struct access *access = &plan->kernels[k].kernel->accesses[a];
    int index = access->index;
    switch (access->kind) {
    case TENSOR_INPUT: return operand_address(run, place, index, i);
    case TENSOR_RESULT: return operand_address(run, place, run->work.call->typed->program->input_count + index, i);
    case TENSOR_CONSTANT:
    case TENSOR_BYTES: return place->entries[k].cuda->constants[a].address;
    default:
        return plan->temporaries[index] +
               (plan->shared[index] ? place->shared : place->own + (size_t)i * plan->own_bytes);
    }
}

/* Writes the samples of a segment's kernel, and its geometry. */
static void fill_entry(struct batch_run *run, const struct place *place, int k)
{
    const struct planned *planned = &place->segment->plan->kernels[k];
    const struct placed *entry = &place->entries[k];
    const struct form *form = &planned->emitted->form;
    struct table *table = &run->tables[place->segment->launches[k]];
    size_t geometry = geometry_word(&run->launches.items[place->segment->launches[k]].launch, entry->geometry);
    int64_t count = planned->shared ? 1 : place->segment->count;
    const int64_t first = run->work.call->first_sample + place->segment->first;
    for (int a = 0; entry->maps && a < form->accesses; a++)
        entry->maps[a] = entry->cuda->maps[a].address;
    if (form->many)
        cuda_write_geometry(planned, entry->maps, table->words + geometry);
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < form->accesses; a++)
            table->bases[a] = planned->kinds[a] == ACCESS_VALUE
                                  ? cuda_value(run->work.call, &planned->kernel->accesses[a], first + i)
                                  : access_address(run, place, k, a, i) + (uint64_t)planned->starts[a];
        if (form->many)
            cuda_write_sample(planned, table->tiles, table->address + geometry * sizeof *table->words,
                              table->bases, table->words + (size_t)table->samples++ * form_sample_words(form));
        table->tiles += planned->tiles;
    }
}

static void fill_tables(struct batch_run *run, struct place *place)
{
    for (int k = 0; k < place->segment->plan->kernel_count; k++)
        if (place->segment->launches[k] >= 0)
            fill_entry(run, place, k);
}

/* ---- running ---- */

/* False with a diagnostic. */
static bool launch_table(struct batch_run *run, const struct launch *launch, const struct table *table)
{
    struct launch_words words = {.tiles = launch->tiles, .bases = table->bases, .maps = table->entry->maps,
                                 .samples = table->address, .sample_count = launch->sample_count};
    return work_arguments(&run->work, launch->planned, table->entry->cuda, &words, table->args) &&
           work_launch(&run->work, launch->planned, launch->tiles, (void *[]){table->args});
}

static bool launch_all(struct cuda_work *work)
{
    struct batch_run *run = (struct batch_run *)work;
    each_place(run, fill_tables);
    bool good = work_upload(work);
    for (int i = 0; good && i < run->launches.count; i++) {
        ptrdiff_t at = run->order[i] - run->launches.items;
        good = launch_table(run, &run->launches.items[at].launch, &run->tables[at]);
    }
    return good;
}

static struct cuda_device *find_device(const struct batch_part *parts)
{
    const struct batch_part *samples = &parts[PART_SAMPLES], *plain = &parts[PART_PLAIN];
    return (samples->count ? samples : plain)->segments->plan->gpu;
}

struct cuda_work *cuda_batch_set_up(struct call *call, const struct batch_part *parts)
{
    struct batch_run *run = ARENA_NEW(&call->arena, struct batch_run);
    run->launches = (struct batch_launches){.call = call, .parts = run->parts};
    memcpy(run->parts, parts, sizeof run->parts);
    run->order = find_batch_launches(&run->launches);
    if (!run->launches.count)
        return NULL;
    run->work = (struct cuda_work){.call = call, .device = find_device(parts), .launch = launch_all};
    lay_out(run);
    return &run->work;
}
