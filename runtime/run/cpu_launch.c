/* Runs kernels in C on threads; see cpu_launch_impl.h. Threads claim chunks of tiles from a common counter
 * until none is left. So it does not matter how many threads come, and a slow one delays the others by
 * one chunk at most. The bits of an element do not depend on the thread that computes it. */
#include "runtime/run/cpu_launch_impl.h"

#include <fenv.h>
#include <limits.h>
#include <stdatomic.h>

/* Units of work, as in struct planned, unless noted. Measured: waking a sleeping OpenMP thread takes
 * about as long as one SHARE. */
enum {
    SHARE = 1 << 21,               /* the least work that is worth a thread */
    CHUNK = 1 << 20,               /* claimed at once */
    CHUNKS = 8,                    /* at least so many for each thread, so that all end together */
    LINE = 64,                     /* bytes: threads write to cache lines of their own */
    FETCHED_BYTES = 4 << 20,       /* of all tensors: from here on inputs are prefetched */
    FETCH_AHEAD = 2048,            /* bytes */
    STREAMED_BYTES = 16 << 20      /* of all outputs: from here on they bypass the caches */
};

static size_t round_up(size_t size)
{
    return (size + LINE - 1) / LINE * LINE;
}

int launch_threads(const struct weft_context *context, double work, int64_t tiles)
{
    int64_t shares = work < INT_MAX ? (int64_t)work / SHARE : INT_MAX / SHARE;
    if (shares < 2 || tiles < 2 || !(context->fast & FAST_THREADS))
        return 1;
    int64_t most = threads_most(&context->threads);
    most = most < shares ? most : shares;
    return (int)(most < tiles ? most : tiles);
}

static struct weft_args *worker(const struct launch *launch, int index)
{
    return (struct weft_args *)(launch->workers + (size_t)index * launch->worker_size);
}

/* If there are several threads, each begins on a cache line of its own. */
static char *allocate(struct arena *arena, int count, size_t size)
{
    char *memory = arena_alloc(arena, (size_t)count * size + (count > 1 ? LINE : 0));
    return count > 1 ? memory + -(uintptr_t)memory % LINE : memory;
}

/* Whether an output is an input's buffer. What was read is in a cache, and is better written there. */
static bool writes_in_place(const struct launch *launch)
{
    const struct kernel *kernel = launch->planned->kernel;
    for (int64_t i = 0; i < launch->sample_count; i++) {
        char *const *bases = launch->samples[i].bases;
        for (int to = kernel->load_count; to < kernel->access_count; to++)
            for (int from = 0; from < kernel->load_count; from++)
                if (bases[to] == bases[from])
                    return true;
    }
    return false;
}

/* Inputs larger than the near caches are prefetched, and large outputs bypass the caches, since a plain
 * store would read the line first. FETCH_AHEAD and STREAMED_BYTES were measured, with and without
 * WEFT_DISABLE=stream (bench/throughput.py --bytes). FETCHED_BYTES was not: below it prefetching makes
 * no difference. */
static void choose_traffic(const struct launch *launch, const struct weft_context *context,
                           struct weft_args *args)
{
    args->ahead = launch->touched >= FETCHED_BYTES ? FETCH_AHEAD : 0;
    args->stream = (context->fast & FAST_STREAM) && launch->stored >= STREAMED_BYTES &&
                   !writes_in_place(launch);
}

void launch_init(struct launch *launch, const struct weft_context *context, struct arena *arena)
{
    const struct planned *planned = launch->planned;
    size_t scratch_size = round_up(planned->emitted->scratch);
    launch->threads = launch_threads(context, launch->work, launch->tiles);
    launch->worker_size = round_up(sizeof(struct weft_args) + (size_t)planned->kernel->fault_count);
    launch->workers = allocate(arena, launch->threads, launch->worker_size);
    char *scratch = scratch_size ? allocate(arena, launch->threads, scratch_size) : NULL;
    struct weft_args all = {.samples = launch->samples, .sample_count = launch->sample_count,
                            .literals = planned->literals};
    choose_traffic(launch, context, &all);
    for (int i = 0; i < launch->threads; i++) {
        struct weft_args *args = worker(launch, i);
        *args = all;
        args->faults = (unsigned char *)(args + 1);
        args->scratch = scratch ? scratch + (size_t)i * scratch_size : NULL;
    }
}

/* What the threads of one launch share. */
struct share {
    const struct launch *launch;
    int64_t chunk;                 /* tiles */
    _Atomic int64_t next;          /* the first tile that is not claimed */
    fenv_t environment;            /* the calling thread's floating-point environment */
};

/* This is the only place that calls kernels. A good kernel replaces the first one between two chunks. */
static void take_chunks(struct share *share, int index)
{
    const struct planned *planned = share->launch->planned;
    const struct weft_args *args = worker(share->launch, index);
    int64_t tiles = share->launch->tiles, begin;
    while ((begin = atomic_fetch_add(&share->next, share->chunk)) < tiles) {
        int64_t end = begin + share->chunk < tiles ? begin + share->chunk : tiles;
        weft_kernel_fn *run = atomic_load(&planned->loaded->run); /* gcc's direct call would not read it atomically */
        run(args, begin, end);
    }
}

static void work(void *data, int index)
{
    struct share *share = data;
    fenv_t own;
    fegetenv(&own);
    fesetenv(&share->environment);
    take_chunks(share, index);
    fesetenv(&own);
}

void launch_run(struct launch *launch, struct weft_context *context)
{
    const struct planned *planned = launch->planned;
    if (!atomic_load(&planned->loaded->final))
        worker_wake(context);
    int64_t tiles = launch->tiles;
    struct share share = {.launch = launch, .chunk = tiles};
    if (launch->work > CHUNK)
        share.chunk = (int64_t)((double)tiles * CHUNK / launch->work);
    if (launch->threads > 1 && share.chunk > tiles / launch->threads / CHUNKS)
        share.chunk = tiles / launch->threads / CHUNKS;
    if (share.chunk < 1)
        share.chunk = 1;
    if (launch->threads == 1) {
        take_chunks(&share, 0);
        return;
    }
    fegetenv(&share.environment);
    threads_run(&context->threads, launch->threads, work, &share);
    take_chunks(&share, 0); /* what parallel_for left over, for example because its threads are gone */
}

static bool is_marked(const struct launch *launch, int f)
{
    bool any = false;
    for (int i = 0; i < launch->threads; i++)
        any = any || worker(launch, i)->faults[f];
    return any;
}

void launch_remark(const struct launch *launch, struct span *place)
{
    const struct kernel *kernel = launch->planned->kernel;
    for (int f = 0; f < kernel->fault_count; f++)
        if (kernel->faults[f].start < place->start && is_marked(launch, f))
            *place = kernel->faults[f];
}
