/* What ahead-of-time sources carry, in sections: a call whose operands are good (check.c) and whose loops are planned
 * (plan.c) runs their tiles. */

//: environment
/* The floating-point environment that C programs start with: a -ffast-math build's start-up code makes
 * subnormals 0, and the caller may round otherwise. */
#if defined __SSE__ && defined __GNUC__ && !defined __TINYC__
typedef unsigned environment;

static environment enter(void)
{
    const environment before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}

static void leave(environment before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
typedef fenv_t environment;

static environment enter(void)
{
    environment before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static void leave(environment before)
{
    fesetenv(&before);
}
#endif
//: run
/* What a launch is: tiles of some samples. */
struct launch {
    weft_kernel_fn *run;
    struct weft_args args;
    int64_t tiles;
    double work;
    int faults;
    unsigned char *met;            /* [threads][faults] where a division by zero counted */
    size_t scratch;                /* bytes of a thread, rounded up */
    bool threads;                  /* it may run on several */
};

static void run_tiles(const struct launch *launch, int thread, int64_t begin, int64_t end, unsigned char *met)
{
    struct weft_args args = launch->args;
    args.faults = met;
    args.scratch = args.scratch ? args.scratch + (size_t)thread * launch->scratch : NULL;
    launch->run(&args, begin, end);
    end_stream(args.stream);
}
//: threads
#if defined _OPENMP
/* Work is counted in bytes moved. Measured: waking a sleeping thread takes about as long as SHARE. */
enum { SHARE = 1 << 21, CHUNK = 1 << 20 };

static int count_threads(bool several)
{
    return !several || omp_in_parallel() ? 1 : omp_get_max_threads();
}

/* A thread's share of the tiles; they are taken from a common counter, so it does not matter who is slow. */
static void run_chunks(const struct launch *launch, int64_t chunk)
{
    unsigned char *const met = launch->met + (ptrdiff_t)omp_get_thread_num() * launch->faults;
    const environment before = enter();
#pragma omp for schedule(dynamic)
    for (int64_t begin = 0; begin < launch->tiles; begin += chunk)
        run_tiles(launch, omp_get_thread_num(), begin,
                  begin + chunk < launch->tiles ? begin + chunk : launch->tiles, met);
    leave(before);
}

static void run_launch(const struct launch *launch)
{
    int threads = count_threads(launch->threads);
    if (launch->work < (double)threads * SHARE)
        threads = (int)(launch->work / SHARE);
    if (threads > launch->tiles)
        threads = (int)launch->tiles;
    int64_t chunk = (int64_t)((double)launch->tiles * CHUNK / (launch->work + 1)) + 1;
    if (threads < 2) {
        run_tiles(launch, 0, 0, launch->tiles, launch->met);
        return;
    }
#pragma omp parallel num_threads(threads)
    run_chunks(launch, chunk);
}
#else
static int count_threads(bool several)
{
    (void)several;
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
#endif
//: call
/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    const struct weft_array *one;  /* the only sample's; NULL: `arrays` lists them */
    const struct tensor *tensors;  /* of the only sample, where there is one */
    const int64_t *d;
    char *scratch, *temporaries;
    size_t own;                    /* bytes of temporaries of a sample */
    struct place first;            /* the first remark in the text; line 0: none */
    struct room room;
    int level;                     /* which of the loops run */
};

static struct traffic find_traffic(const struct loop *loop, int class, double touched, double stored)
{
    struct traffic traffic = {.touched = touched, .stored = stored, .weight = loop->weight,
                              .joins = loop->joined, .alone = true};
    for (int a = 0; a < loop->loads; a++) {
        traffic.transposes = traffic.transposes || loop->class[class].kinds[a] == ACCESS_TRANSPOSED;
        traffic.interleaves = traffic.interleaves || loop->class[class].kinds[a] == ACCESS_INTERLEAVED;
        traffic.alone = traffic.alone && loop->access[a].source == FROM_CONSTANT;
    }
    return traffic;
}

/* Rows of a launch: the samples among `count` plans that this class serves. */
static void launch_class(struct call *call, const struct loop *loop, int class, struct plan *plans, int count,
                         struct room room)
{
    struct weft_sample samples[SAMPLES];
    const int threads = count_threads(call->kernel->built->threads);
    unsigned char *const met = LEND(&room, unsigned char, loop->faults * threads); /* of each thread */
    double touched = 0, stored = 0;
    struct launch launch = {.run = loop->class[class].run[call->level], .faults = loop->faults, .met = met,
                            .threads = call->kernel->built->threads,
                            .scratch = (loop->class[class].scratch + LINE - 1) / LINE * LINE};
    memset(met, 0, (size_t)loop->faults * (size_t)threads);
    for (int i = 0; i < count; i++) {
        if (plans[i].class != class || plans[i].tiles == 0)
            continue;
        samples[launch.args.sample_count++] = (struct weft_sample){launch.tiles, &plans[i].walk, plans[i].bases};
        launch.tiles += plans[i].tiles;
        launch.work += plans[i].work;
        touched += plans[i].touched;
        stored += plans[i].stored;
    }
    if (!launch.tiles)
        return;
    launch.args.calls = choose_calls();
    launch.args.samples = samples;
    launch.args.scratch = launch.scratch ? call->scratch : NULL;
    const struct traffic traffic = find_traffic(loop, class, touched, stored);
    launch.args.ahead = fetched_ahead(&traffic);
    launch.args.stream = is_streamed(&traffic);
    launch.args.claim = is_claimed(&traffic);
    run_launch(&launch);
    for (int f = 0; f < loop->faults * threads; f++)
        if (met[f])
            keep_first(&call->first, &loop->fault[f % loop->faults]);
}

/* All loops on samples from `begin` on. */
static void run_samples(struct call *call, int64_t begin, int count)
{
    const struct kernel *const kernel = call->kernel;
    struct room room = call->room;
    int64_t *found_d;
    struct tensor *const own = lend_tensors(&room, kernel, &found_d);
    const struct tensor *const tensors = call->tensors ? call->tensors : own;
    const int64_t *const d = call->tensors ? call->d : found_d;
    struct plan *const plans = LEND(&room, struct plan, count);
    for (int i = 0; i < count; i++)
        lend_plan(&room, &kernel->sizes, &plans[i]);
    for (int p = 0; p < kernel->loops; p++) {
        const struct loop *loop = &kernel->loop[p];
        for (int i = 0; i < count; i++) {
            if (!call->tensors)
                read_sample(kernel, call->arrays, call->steps, begin + i, own, found_d);
            make_plan(kernel, loop, tensors, d,
                      call->temporaries ? call->temporaries + (size_t)i * call->own : NULL, room, &plans[i]);
        }
        for (int c = 0; c < loop->classes; c++)
            launch_class(call, loop, c, plans, count, room);
    }
}

static size_t most_scratch(const struct kernel *kernel)
{
    size_t most = 0;
    for (int p = 0; p < kernel->loops; p++)
        for (int c = 0; c < kernel->loop[p].classes; c++)
            if (kernel->loop[p].class[c].scratch > most)
                most = kernel->loop[p].class[c].scratch;
    return (most + LINE - 1) / LINE * LINE;
}
//: check call
/* Checks every sample; *own becomes the bytes that temporaries of a sample take at most. */
static int check_call(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                      const int64_t *steps, struct tensor *tensors, int64_t *d, struct room room, size_t *own)
{
    for (int64_t i = 0; i < samples; i++) {
        int status = read_sample(kernel, arrays, steps, i, tensors, d);
        status = status ? status : check_overlap(kernel, tensors);
        status = status ? status : check_bytes(kernel, tensors);
        if (status)
            return status;
        const size_t needed = is_empty(kernel, tensors) ? 0 : place_temporary(kernel, kernel->temporaries, d);
        *own = needed > *own ? needed : *own;
    }
    return samples > 1 ? check_samples(kernel, samples, arrays, steps, room) : WEFT_KERNEL_OK;
}

static int check_arguments(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays)
{
    if (samples < 0)
        return tell(WEFT_KERNEL_INVALID_ARGUMENT, NULL, "the number of samples is negative");
    for (int o = 0; samples && o < kernel->inputs + kernel->results; o++)
        if (!arrays[o])
            return tell(WEFT_KERNEL_INVALID_ARGUMENT, kernel->operand[o].name, "its samples are NULL");
    return WEFT_KERNEL_OK;
}
//: run call
/* Samples that are planned together, with memory of about 16 KB. */
static int64_t planned_together(const struct kernel *kernel, int64_t samples)
{
    const int64_t fit = 16384 / (int64_t)plan_room(&kernel->sizes), most = fit < 1 ? 1 : fit < SAMPLES ? fit : SAMPLES;
    return samples < most ? samples : most;
}

static void run_all(struct call *call, int64_t samples)
{
    const int64_t most = planned_together(call->kernel, samples);
    for (int64_t i = 0; i < samples; i += most)
        run_samples(call, i, (int)(samples - i < most ? samples - i : most));
}

/* What the kernels are lent; nothing fails any more once they run. */
static int run_checked(struct call *call, int64_t samples)
{
    const size_t scratch = most_scratch(call->kernel) * (size_t)count_threads(call->kernel->built->threads);
    const size_t together = (size_t)planned_together(call->kernel, samples);
    const bool fits = call->own <= SIZE_MAX / 2 / SAMPLES;
    const size_t bytes = scratch + (fits ? call->own * together : 1);
    char *memory = bytes && fits ? malloc(bytes + LINE) : NULL;
    if (bytes && !memory)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory for values that are computed once");
    call->scratch = memory ? memory + -(uintptr_t)memory % LINE : NULL;
    call->temporaries = memory ? call->scratch + scratch : NULL;
    run_all(call, samples);
    free(memory);
    return tell_remark(&call->first);
}

/* Loops that may not run; the environment is ours. */
static int check_loops(const struct call *call)
{
    return call->kernel->built->fuses[call->level]()
               ? tell(WEFT_KERNEL_UNSUPPORTED, NULL, "its source was compiled with -ffp-contract=fast, "
                                                     "which changes results; compile it without")
               : WEFT_KERNEL_OK;
}

/* The bytes that a call is lent. */
static size_t call_room(const struct kernel *kernel, int64_t samples)
{
    const size_t plans = (size_t)planned_together(kernel, samples) * plan_room(&kernel->sizes);
    return 4 * tensors_room(kernel) + plans + planning_room(&kernel->sizes) +
           (size_t)kernel->sizes.faults * (size_t)count_threads(kernel->built->threads) +
           (size_t)(kernel->inputs + kernel->results) * (sizeof(void *) + sizeof(int64_t)) + 4 * ROUND;
}

/* A sample alone, as a list of samples. */
static void list_one(struct call *call)
{
    const int operands = call->kernel->inputs + call->kernel->results;
    const struct weft_array **const arrays = LEND(&call->room, const struct weft_array *, operands);
    int64_t *const steps = LEND(&call->room, int64_t, operands);
    for (int o = 0; o < operands; o++) {
        arrays[o] = &call->one[o];
        steps[o] = 0;
    }
    call->arrays = arrays;
    call->steps = steps;
}

static int run_in_room(struct call *call, int64_t samples)
{
    if (call->one)
        list_one(call);
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&call->room, call->kernel, &d);
    const environment before = enter();
    int status = check_loops(call);
    status = status ? status : check_call(call->kernel, samples, call->arrays, call->steps, tensors, d, call->room,
                                          &call->own);
    if (samples == 1)
        call->tensors = tensors, call->d = d;
    status = status ? status : run_checked(call, samples);
    leave(before);
    return status;
}

static int run_call(struct call *call, int64_t samples, struct weft_note *note)
{
    _Alignas(ROUND) char own[STACK_ROOM];
    const size_t bytes = call_room(call->kernel, samples);
    char *const memory = bytes > sizeof own ? malloc(bytes) : own;
    call->room.at = memory;
    call->level = find_loops(call->kernel);
    const int status = memory ? run_in_room(call, samples)
                              : tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to plan the call");
    if (memory != own)
        free(memory);
    if (status)
        *note = weft_last_note;
    return status;
}

/* Sample i of operand o is arrays[o][i * steps[o]]. */
ENTRY int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                   const int64_t *steps, struct weft_note *note)
{
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps};
    const int status = check_arguments(kernel, samples, arrays);
    if (status)
        *note = weft_last_note;
    return status ? status : run_call(&call, samples, note);
}

/* One sample: `arrays` has an array of each operand. */
ENTRY int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, struct weft_note *note)
{
    struct call call = {.kernel = kernel, .one = arrays};
    return run_call(&call, 1, note);
}

//: infer
/* Extents of the results from those of the parameters, and from the values of sizes; NULL: there are none. */
static int infer_in_room(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                         int64_t *const *results, struct room room)
{
    struct reach reach;
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&room, kernel, &d);
    const environment before = enter();
    int status = WEFT_KERNEL_OK;
    for (int i = 0; !status && i < kernel->inputs; i++)
        tensors[i].data = values ? (char *)(uintptr_t)values[i] : NULL, /* only read */
        tensors[i].sample = 0,
        status = read_layout(&kernel->operand[i], inputs[i], NULL, &tensors[i], &reach);
    status = status ? status : find_extents(kernel, tensors, d);
    for (int r = 0; !status && r < kernel->results; r++)
        if (kernel->shape[r].rank && !results[r])
            status = tell(WEFT_KERNEL_INPUT_ERROR, kernel->operand[kernel->inputs + r].name, "its shape is NULL");
    for (int r = 0; !status && r < kernel->results; r++)
        for (int k = 0; k < kernel->shape[r].rank; k++)
            results[r][k] = extent(kernel->shape[r].extents[k], d);
    leave(before);
    return status;
}

ENTRY int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                     int64_t *const *results, struct weft_note *note)
{
    _Alignas(ROUND) char own[STACK_ROOM];
    const size_t bytes = tensors_room(kernel);
    char *const memory = bytes > sizeof own ? malloc(bytes) : own;
    const int status = memory ? infer_in_room(kernel, inputs, values, results, (struct room){memory})
                              : tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compute extents");
    if (memory != own)
        free(memory);
    if (status)
        *note = weft_last_note;
    return status;
}
