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
    unsigned char *met;            /* [faults] where a division by zero counted */
    size_t scratch;                /* bytes of a thread, rounded up */
};

static void run_tiles(const struct launch *launch, int thread, int64_t begin, int64_t end, unsigned char *met)
{
    struct weft_args args = launch->args;
    args.faults = met;
    args.scratch = args.scratch ? args.scratch + (size_t)thread * launch->scratch : NULL;
    launch->run(&args, begin, end);
}
//: threads
#if defined _OPENMP
/* Work is counted in bytes moved. Measured: waking a sleeping thread takes about as long as SHARE. */
enum { SHARE = 1 << 21, CHUNK = 1 << 20 };

static int count_threads(void)
{
    return omp_in_parallel() ? 1 : omp_get_max_threads();
}

/* A thread's share of the tiles; they are taken from a common counter, so it does not matter who is slow. */
static void run_chunks(const struct launch *launch, int64_t chunk)
{
    unsigned char met[FAULTS + 1] = {0};
    const environment before = enter();
#pragma omp for schedule(dynamic)
    for (int64_t begin = 0; begin < launch->tiles; begin += chunk)
        run_tiles(launch, omp_get_thread_num(), begin,
                  begin + chunk < launch->tiles ? begin + chunk : launch->tiles, met);
    leave(before);
    for (int f = 0; f < launch->faults; f++)
        if (met[f]) {
#pragma omp atomic write
            launch->met[f] = 1;
        }
}

static void run_launch(const struct launch *launch)
{
    int threads = count_threads();
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
static int count_threads(void)
{
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
#endif
//: no threads
static int count_threads(void)
{
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
//: call
static const struct weft_calls *(*const calls_of[LEVELS])(void) =
    LOOP(kernel_calls);

/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    const struct tensor *tensors;  /* of the only sample, where there is one */
    const int64_t *d;
    char *scratch, *temporaries;
    size_t own;                    /* bytes of temporaries of a sample */
    struct place first;            /* the first remark in the text; line 0: none */
};

static struct traffic find_traffic(const struct loop *loop, int class, double touched, double stored)
{
    struct traffic traffic = {touched, stored, loop->joined, false, false, true};
    for (int a = 0; a < loop->loads; a++) {
        traffic.transposes = traffic.transposes || loop->class[class].kinds[a] == ACCESS_TRANSPOSED;
        traffic.interleaves = traffic.interleaves || loop->class[class].kinds[a] == ACCESS_INTERLEAVED;
        traffic.alone = traffic.alone && loop->access[a].source == FROM_CONSTANT;
    }
    return traffic;
}

/* Rows of a launch: the samples among `count` plans that this class serves. */
static void launch_class(struct call *call, const struct loop *loop, int class, struct plan *plans, int count)
{
    struct weft_sample samples[SAMPLES];
    unsigned char met[FAULTS + 1] = {0};
    double touched = 0, stored = 0;
    struct launch launch = {.run = loop->class[class].run[level()], .faults = loop->faults, .met = met,
                            .scratch = (loop->class[class].scratch + LINE - 1) / LINE * LINE};
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
    launch.args.calls = calls_of[level()]();
    launch.args.samples = samples;
    launch.args.scratch = launch.scratch ? call->scratch : NULL;
    const struct traffic traffic = find_traffic(loop, class, touched, stored);
    launch.args.ahead = fetched_ahead(&traffic);
    launch.args.stream = is_streamed(&traffic);
    launch.args.claim = is_claimed(&traffic);
    run_launch(&launch);
    for (int f = 0; f < loop->faults; f++)
        if (met[f])
            keep_first(&call->first, &loop->fault[f]);
}

/* All loops on samples from `begin` on. */
static void run_samples(struct call *call, int64_t begin, int count)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct plan plans[SAMPLES];
    for (int p = 0; p < call->kernel->loops; p++) {
        const struct loop *loop = &call->kernel->loop[p];
        for (int i = 0; i < count; i++) {
            if (!call->tensors)
                read_sample(call->kernel, call->arrays, call->steps, begin + i, tensors, d);
            make_plan(call->kernel, loop, call->tensors ? call->tensors : tensors, call->tensors ? call->d : d,
                      call->temporaries ? call->temporaries + (size_t)i * call->own : NULL, &plans[i]);
        }
        for (int c = 0; c < loop->classes; c++)
            launch_class(call, loop, c, plans, count);
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
                      const int64_t *steps, struct tensor *tensors, int64_t *d, size_t *own)
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
    return samples > 1 ? check_samples(kernel, samples, arrays, steps) : WEFT_KERNEL_OK;
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
static void run_all(struct call *call, int64_t samples)
{
    for (int64_t i = 0; i < samples; i += SAMPLES)
        run_samples(call, i, samples - i < SAMPLES ? (int)(samples - i) : SAMPLES);
}

/* What the kernels are lent; nothing fails any more once they run. */
static int run_checked(struct call *call, int64_t samples)
{
    const size_t scratch = most_scratch(call->kernel) * (size_t)count_threads();
    const size_t together = samples < SAMPLES ? (size_t)samples : SAMPLES;
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
static int check_loops(void)
{
    static bool (*const fuse[LEVELS])(void) = LOOP(weft_fuses);
    return fuse[level()]() ? tell(WEFT_KERNEL_UNSUPPORTED, NULL, "its source was compiled with -ffp-contract=fast, "
                                                                 "which changes results; compile it without")
                           : WEFT_KERNEL_OK;
}

/* Sample i of operand o is arrays[o][i * steps[o]]. */
SHARED int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                    const int64_t *steps)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps};
    int status = check_arguments(kernel, samples, arrays);
    if (status)
        return status;
    const environment before = enter();
    status = check_loops();
    status = status ? status : check_call(kernel, samples, arrays, steps, tensors, d, &call.own);
    if (samples == 1)
        call.tensors = tensors, call.d = d;
    status = status ? status : run_checked(&call, samples);
    leave(before);
    return status;
}

SHARED int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays)
{
    const struct weft_array *pointers[OPERANDS];
    const int64_t steps[OPERANDS] = {0};
    for (int o = 0; o < kernel->inputs + kernel->results; o++)
        pointers[o] = &arrays[o];
    return weft_run(kernel, 1, pointers, steps);
}
//: infer
/* Extents of the results from those of the parameters, and from the values of sizes. */
SHARED int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                      int64_t *const *results)
{
    struct tensor tensors[OPERANDS];
    struct reach reach;
    int64_t d[EXTENTS];
    const environment before = enter();
    int status = WEFT_KERNEL_OK;
    for (int i = 0; !status && i < kernel->inputs; i++)
        tensors[i].data = (char *)(uintptr_t)values[i], /* only read */
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
