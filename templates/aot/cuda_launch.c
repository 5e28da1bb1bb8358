/* Calls of ahead-of-time sources for CUDA, and their launches. A call checks all of its operands, and only then gives
 * work to the stream; it waits for nothing. */

//: call
/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    void *stream;
    struct gpu *gpu;
    size_t own;                    /* bytes of a sample's temporaries */
    uint64_t temporaries, table;   /* memory of the GPU; 0: none */
    struct room room;
};

enum {
    MAP_WORDS = MAPPED ? MAPPED * (1 + (MAP_LEVELS + 1) * (3 + 7 * MAX_PIECES)) : 0,
    ONE_ROOM = TABLE_WORDS + MAP_WORDS + 1,
    SAMPLES = BATCH_WORDS ? (4096 + BATCH_WORDS) / BATCH_WORDS : 1, /* of one launch */
    TABLE_ROOM = ONE_ROOM > SAMPLES * BATCH_WORDS ? ONE_ROOM : SAMPLES * BATCH_WORDS,
    LENT_MOST = 64 << 20           /* bytes for temporaries of several samples */
};

/* Takes the addresses to those of element number 0, and returns the number of the first one: see chunks_peel. */
static int peel(const struct loop *loop, const struct plan *plan, uint64_t *bases)
{
    int sizes[ACCESSES], first;
    for (int a = 0; a < loop->accesses; a++)
        sizes[a] = loop->access[a].size;
    if (plan->class->form.groups)
        return 0; /* its rows begin with number 0 */
    first = chunks_peel(plan->class->form.block, loop->loads, loop->accesses, plan->kinds, sizes, bases);
    for (int a = 0; a < loop->accesses; a++)
        if (plan->kinds[a] == ACCESS_UNIT || plan->kinds[a] == ACCESS_STRIDED)
            bases[a] -= (uint64_t)(first * plan->walk.strides[a * (plan->walk.groups + 2)]);
    return first;
}

static bool is_dense(const struct loop *loop, const struct plan *plan, const uint64_t *bases)
{
    bool dense = rows_are_whole(&plan->class->form, &plan->walk);
    for (int a = 0; a < loop->accesses; a++)
        dense = dense && (plan->kinds[a] != ACCESS_UNIT ||
                          is_aligned(&plan->class->form, &plan->walk, a, loop->access[a].size, bases[a]));
    return dense;
}

/* Whether the class for inputs that are not aligned serves: results are aligned, and rows follow one another, so that
 * the words in which narrow elements are loaded lie before a tensor's end. */
static bool only_inputs_are_unaligned(const struct loop *loop, const struct plan *plan, const uint64_t *bases)
{
    bool good = plan->class->unaligned && rows_are_whole(&plan->class->form, &plan->walk);
    for (int a = 0; a < loop->accesses; a++) {
        const long long *strides = plan->walk.strides + (ptrdiff_t)a * (plan->walk.groups + 2);
        if (plan->kinds[a] == ACCESS_UNIT && a >= loop->loads)
            good = good && is_aligned(&plan->class->form, &plan->walk, a, loop->access[a].size, bases[a]);
        for (long long g = 0; a < loop->loads && g < plan->walk.groups; g++)
            good = good && strides[g] >= 0;
    }
    return good;
}

static const struct class *choose_class(const struct loop *loop, const struct class *class, bool unaligned)
{
    return unaligned ? &loop->class[class->unaligned] : class;
}

/* Room for a table, which a kernel reads besides its arguments. A graph would copy what is no longer there. */
static int reserve_table(struct call *call)
{
    int capturing = 0;
    if (call->table)
        return WEFT_KERNEL_OK;
    const int status = CALL(cuStreamIsCapturing, call->stream, &capturing);
    if (!status && capturing)
        return tell(WEFT_KERNEL_UNSUPPORTED, NULL, "this call cannot be captured: its kernel reads elements by their "
                    "numbers, by tables that are made for each call");
    return status ? status : CALL(cuMemAllocAsync, &call->table, TABLE_ROOM * sizeof(uint64_t), call->stream);
}

/* The tables behind the arguments: maps, and where arguments are too many the geometry and the sample. */
static int send_table(struct call *call, const struct loop *loop, const struct plan *plan, struct launch_words *launch,
                      uint64_t *maps)
{
    const struct class *class = plan->class;
    uint64_t table[ONE_ROOM], *to = table;
    const int status = reserve_table(call);
    if (status)
        return status;
    for (int a = 0; a < loop->accesses; a++) {
        maps[a] = call->table + (uint64_t)(to - table) * sizeof *table;
        if (plan->kinds[a] == ACCESS_MAPPED || plan->kinds[a] == ACCESS_BOUNDED)
            to = put_map(to, plan->walk.maps[a], plan->kinds[a] == ACCESS_BOUNDED, class->form.wide);
    }
    if (class->form.many) {
        const uint64_t geometry = call->table + (uint64_t)(to - table) * sizeof *table;
        to = put_geometry(to, &class->form, &plan->walk, maps);
        launch->samples = call->table + (uint64_t)(to - table) * sizeof *table;
        to = put_sample(to, &class->form, 0, launch->dense, geometry, launch->bases);
    }
    return CALL(cuMemcpyHtoDAsync, call->table, table, (size_t)(to - table) * sizeof *table, call->stream);
}

/* `walk` is read where the kernel takes one sample by value. */
static int launch_kernel(const struct call *call, const struct loop *loop, const struct class *class,
                         const struct weft_geometry *walk, struct launch_words launch)
{
    uint64_t words[ARGS_WORDS];
    void *parameters[] = {words};
    launch.faults = loop->faults ? (uint64_t)(uintptr_t)(met + class->fault) : 0;
    launch.literals = class->literal;
    launch.literals_address = class->form.literals_loaded ? call->gpu->constant[class->literal_constant] : 0;
    put_args(words, &class->form, walk, &launch);
    return CALL(cuLaunchKernel, call->gpu->function[class->number], count_blocks(&class->form, launch.tiles), 1, 1,
                (unsigned)class->form.threads, 1, 1, 0, call->stream, parameters, NULL);
}

/* At least one: there are elements, the first of which has number `first`. */
static int64_t count_tiles(const struct plan *plan, int first)
{
    const struct chunk_form *form = &plan->class->form;
    if (plan->walk.lanes)
        return plan->tiles;
    return (plan->walk.rows * plan->walk.columns + first - 1) / (form->block * form->unroll * form->threads) + 1;
}

static int launch(struct call *call, const struct loop *loop, const struct plan *plan, const uint64_t *bases)
{
    uint64_t maps[ACCESSES] = {0}, from[ACCESSES];
    memcpy(from, bases, sizeof from);
    const int first = peel(loop, plan, from);
    const bool dense = is_dense(loop, plan, from), unaligned = !dense && only_inputs_are_unaligned(loop, plan, from);
    struct launch_words launch = {.tiles = count_tiles(plan, first), .dense = 2 * first + (dense || unaligned),
                                  .bases = from, .maps = maps, .sample_count = 1};
    const struct class *const class = choose_class(loop, plan->class, unaligned);
    int status = find_function(call->gpu, class);
    if (!status && (class->form.mapped || class->form.many))
        status = send_table(call, loop, plan, &launch, maps);
    return status ? status : launch_kernel(call, loop, class, &plan->walk, launch);
}

/* Samples that one launch computes: one after the other, and behind the room for them what they are walked by. */
struct table {
    const struct class *class;
    bool unaligned;                /* the class for inputs that are not aligned, which serves aligned ones, too */
    int64_t samples, room, tiles;
    uint64_t words[SAMPLES * BATCH_WORDS + 1];
};

static int launch_table(struct call *call, const struct loop *loop, struct table *table)
{
    const struct launch_words launch = {.tiles = table->tiles, .samples = call->table, .sample_count = table->samples};
    if (!table->samples)
        return WEFT_KERNEL_OK;
    const struct class *const class = choose_class(loop, table->class, table->unaligned);
    int status = find_function(call->gpu, class);
    status = status ? status : CALL(cuMemcpyHtoDAsync, call->table, table->words,
                                    (size_t)table->room * BATCH_WORDS * sizeof *table->words, call->stream);
    table->samples = 0;
    return status ? status : launch_kernel(call, loop, class, NULL, launch);
}

/* Memory for it is there. */
static void add_sample(const struct call *call, const struct loop *loop, const struct plan *plan, uint64_t *bases,
                       struct table *table)
{
    const int first = peel(loop, plan, bases);
    const int64_t sample = 3 + loop->accesses, each = BATCH_WORDS - sample;
    const int64_t at = table->room * sample + table->samples * each;
    if (!table->samples) {
        table->tiles = 0;
        table->unaligned = false;
    }
    const bool dense = is_dense(loop, plan, bases), unaligned = !dense && only_inputs_are_unaligned(loop, plan, bases);
    table->unaligned = table->unaligned || unaligned;
    put_sample(table->words + table->samples * sample, &plan->class->form, table->tiles,
               2 * first + (dense || unaligned), call->table + (uint64_t)at * sizeof *table->words, bases);
    put_geometry(table->words + at, &plan->class->form, &plan->walk, NULL);
    table->class = plan->class;
    table->tiles += count_tiles(plan, first);
    table->samples++;
}

/* One row of more elements than 32 bits count, piece after piece. */
static int launch_pieces(struct call *call, const struct loop *loop, struct plan *plan, uint64_t *bases)
{
    int status = WEFT_KERNEL_OK;
    for (int64_t left = plan->walk.columns; !status && left > 0; left -= PIECE) {
        plan->walk.columns = left < PIECE ? left : PIECE;
        status = launch(call, loop, plan, bases);
        for (int a = 0; a < loop->accesses; a++)
            if (plan->kinds[a] == ACCESS_UNIT)
                bases[a] += (uint64_t)PIECE * (uint64_t)loop->access[a].size;
    }
    return status;
}

/* What stands for the access among the arguments: the address of its first element, or a value. `turn` counts samples
 * that are under way together. */
static uint64_t base_of(const struct call *call, const struct access *access, const struct tensor *tensors,
                        const int64_t *d, int turn)
{
    uint64_t value = 0;
    switch (access->source) {
    case FROM_OPERAND: return (uint64_t)(uintptr_t)tensors[access->index].data;
    case FROM_NUMBER: return (uint64_t)d[access->index];
    case FROM_CONSTANT: return call->gpu->constant[access->index];
    case FROM_TEMPORARY:
        return call->temporaries + (uint64_t)turn * call->own + place_temporary(call->kernel, access->index, d);
    default: memcpy(&value, tensors[access->index].data, (size_t)access->size); return value;
    }
}

/* A loop on one sample, now or with others in the table. */
static int run_loop(struct call *call, const struct loop *loop, const struct tensor *tensors, const int64_t *d,
                    int turn, struct table *table)
{
    struct plan plan;
    uint64_t bases[ACCESSES];
    struct lane_tiles tiles = {.chunks = 0};
    if (!has_work(loop, d) || is_empty(call->kernel, tensors))
        return WEFT_KERNEL_OK;
    const bool nothing = volume(loop->shape.rank, loop->shape.extents, d) == 0;
    if (loop->joined)
        tiles = deal(loop->joined, d);
    for (int a = 0; a < loop->accesses; a++)
        bases[a] = base_of(call, &loop->access[a], tensors, d, turn);
    if (tiles.chunks == 1 && loop->joined->alone >= 0)
        bases[loop->accesses - 1] = call->temporaries + (uint64_t)turn * call->own +
                                    place_temporary(call->kernel, loop->joined->alone, d);
    const struct sizes *const sizes = &call->kernel->sizes;
    const bool together = table && !nothing && plan_kinds(sizes, loop, tensors, d, true, true, call->room, &plan);
    if (nothing)
        plan_nothing(loop, &plan);
    else if (!together && !plan_kinds(sizes, loop, tensors, d, true, false, call->room, &plan))
        plan_kinds(sizes, loop, tensors, d, false, false, call->room, &plan);
    if (loop->joined)
        keep_lanes(&tiles, &plan);
    for (int a = 0; a < loop->accesses; a++)
        bases[a] += (uint64_t)plan.starts[a];
    if (together) {
        add_sample(call, loop, &plan, bases, table);
        return WEFT_KERNEL_OK;
    }
    return plan.divided ? launch_pieces(call, loop, &plan, bases) : launch(call, loop, &plan, bases);
}

/* All loops on samples from `begin` on; table NULL: one after the other. */
static int run_together(struct call *call, int64_t begin, int count, struct table *table)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    int status = WEFT_KERNEL_OK;
    for (int p = 0; !status && p < call->kernel->loops; p++) {
        const struct loop *loop = &call->kernel->loop[p];
        for (int i = 0; !status && i < count; i++) {
            const environment before = enter();
            status = read_sample(call->kernel, call->arrays, call->steps, begin + i, tensors, d);
            leave(before);
            status = status ? status : run_loop(call, loop, tensors, d, i, table);
        }
        if (!status && table)
            status = launch_table(call, loop, table);
    }
    return status;
}

/* How many samples are under way together. A graph would copy a table that is no longer there. */
static int find_together(const struct call *call, int64_t samples, int *together)
{
    int capturing = 0;
    *together = 1;
    if (samples == 1 || !BATCH_WORDS)
        return WEFT_KERNEL_OK;
    const int status = CALL(cuStreamIsCapturing, call->stream, &capturing);
    if (status || capturing)
        return status;
    *together = samples < SAMPLES ? (int)samples : SAMPLES;
    while (*together > 1 && call->own > LENT_MOST / (size_t)*together)
        *together /= 2;
    return WEFT_KERNEL_OK;
}

static int run_samples(struct call *call, int64_t samples)
{
    struct table table;
    int together;
    int status = find_together(call, samples, &together);
    table.samples = 0;
    table.room = together;
    if (!status && together > 1) {
        memset(table.words, 0, (size_t)together * BATCH_WORDS * sizeof *table.words);
        status = reserve_table(call);
    }
    if (!status && call->own)
        status = CALL(cuMemAllocAsync, &call->temporaries, call->own * (size_t)together, call->stream);
    for (int64_t i = 0; !status && i < samples; i += together)
        status = run_together(call, i, samples - i < together ? (int)(samples - i) : together,
                              together > 1 ? &table : NULL);
    return status;
}

/* Memory that was lent goes back in the order of the stream, also where something failed. */
static void give_back(uint64_t address, void *stream)
{
    if (address)
        driver.cuMemFreeAsync(address, stream);
}

static int run_checked(struct call *call, int64_t samples)
{
    void *context;
    bool pushed;
    int status = enter_gpu(call->stream, &call->gpu, &pushed);
    status = status ? status : run_samples(call, samples);
    give_back(call->table, call->stream);
    give_back(call->temporaries, call->stream);
    if (pushed)
        driver.cuCtxPopCurrent(&context);
    return status;
}
//: entries
#define ENTRY SHARED

/* Sample i of operand o is arrays[o][i * steps[o]]. */
SHARED int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                    const int64_t *steps, void *stream)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    int status = check_arguments(kernel, samples, arrays);
    if (status || !samples)
        return status;
    char *const memory = malloc(2 * tensors_room(kernel) + views_room(&kernel->sizes));
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps, .stream = stream, .room = {memory}};
    if (!memory)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to plan the call");
    const environment before = enter();
    status = check_call(kernel, samples, arrays, steps, tensors, d, call.room, &call.own);
    leave(before);
    status = status ? status : run_checked(&call, samples);
    free(memory);
    return status;
}

SHARED int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, void *stream)
{
    const struct weft_array *pointers[OPERANDS];
    const int64_t steps[OPERANDS] = {0};
    for (int o = 0; o < kernel->inputs + kernel->results; o++)
        pointers[o] = &arrays[o];
    return weft_run(kernel, 1, pointers, steps, stream);
}

/* The first remark in the text, of all that the kernel's launches have met since this was last asked. */
SHARED int weft_status(const struct kernel *kernel)
{
    struct place first = {0, 0, 0};
    pthread_mutex_lock(&mutex);
    volatile unsigned char *const bytes = met;
    pthread_mutex_unlock(&mutex);
    for (int p = 0; bytes && p < kernel->loops; p++)
        for (int f = 0; f < kernel->loop[p].faults; f++) {
            volatile unsigned char *const byte = &bytes[kernel->loop[p].class->fault + f];
            if (*byte)
                keep_first(&first, &kernel->loop[p].fault[f]);
            *byte = 0;
        }
    return tell_remark(&first);
}

/* Everything on all GPUs; what the driver refuses is lost with its context. */
SHARED void weft_release(void)
{
    void *context;
    pthread_mutex_lock(&mutex);
    for (struct gpu *next; gpus; gpus = next) {
        next = gpus->next;
        const bool there = driver.cuCtxPushCurrent(gpus->context) == 0;
        if (there)
            empty_gpu(gpus);
        else
            free(gpus);
        if (there && !next && met) { /* the one it came with */
            driver.cuMemFreeHost(met);
            met = NULL;
        }
        if (there)
            driver.cuCtxPopCurrent(&context);
    }
    if (primary)
        driver.cuDevicePrimaryCtxRelease(primary_device);
    primary = NULL;
    pthread_mutex_unlock(&mutex);
}
