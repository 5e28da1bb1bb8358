/* See launch.h. Threads take chunks of tiles from a common counter until none is left, so it does not
 * matter how many of them come, and a slow one holds nobody up for longer than a chunk. Which thread
 * computes an element makes no difference to its bits. */
#include "runtime/launch.h"

#include <fenv.h>
#include <stdatomic.h>

/* Work is counted as struct planned does. Measured: waking a sleeping thread of OpenMP takes about as
 * long as SHARE. */
enum {
    SHARE = 1 << 21,               /* the least that is worth a thread */
    CHUNK = 1 << 20,               /* taken at once */
    CHUNKS = 8,                    /* for each thread at least, so that all end together */
    LINE = 64                      /* bytes: two threads do not write into the same */
};

static size_t round_up(size_t size)
{
    return (size + LINE - 1) / LINE * LINE;
}

int launch_threads(const struct weft_context *context, const struct planned *planned)
{
    int64_t shares = planned->work / SHARE, tiles = planned->geometry.tiles;
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

/* On lines of its own when another thread has its neighbour. */
static char *allocate(struct arena *arena, int count, size_t size)
{
    char *memory = arena_alloc(arena, (size_t)count * size + (count > 1 ? LINE : 0));
    return count > 1 ? memory + -(uintptr_t)memory % LINE : memory;
}

/* What is in a cache already, because it was read, is better left there. */
static bool writes_in_place(const struct kernel *kernel, char *const *bases)
{
    for (int to = kernel->load_count; to < kernel->access_count; to++)
        for (int from = 0; from < kernel->load_count; from++)
            if (bases[to] == bases[from])
                return true;
    return false;
}

void launch_init(struct launch *launch, const struct weft_context *context, struct arena *arena,
                 const struct planned *planned, char *const *bases)
{
    int faults = planned->kernel->fault_count;
    size_t scratch_size = round_up(planned->emitted->scratch);
    bool streams = planned->streams && !writes_in_place(planned->kernel, bases);
    launch->planned = planned;
    launch->sample = planned->sample;
    launch->sample.bases = bases;
    launch->threads = launch_threads(context, planned);
    launch->worker_size = round_up(sizeof(struct weft_args) + (size_t)faults);
    launch->workers = allocate(arena, launch->threads, launch->worker_size);
    char *scratch = scratch_size ? allocate(arena, launch->threads, scratch_size) : NULL;
    for (int i = 0; i < launch->threads; i++) {
        struct weft_args *args = worker(launch, i);
        *args = (struct weft_args){.samples = &launch->sample, .sample_count = 1,
                                   .literals = planned->literals, .ahead = planned->ahead,
                                   .stream = streams,
                                   .faults = (unsigned char *)(args + 1),
                                   .scratch = scratch ? scratch + (size_t)i * scratch_size : NULL};
    }
}

/* What the threads of one launch share. */
struct share {
    const struct launch *launch;
    int64_t chunk;                 /* tiles */
    _Atomic int64_t next;          /* the first tile that nobody has taken */
    fenv_t environment;            /* the calling thread's: rounding, subnormals */
};

/* The one place that calls kernels. A good kernel takes over from the first one between two chunks. */
static void take_chunks(struct share *share, int index)
{
    const struct planned *planned = share->launch->planned;
    const struct weft_args *args = worker(share->launch, index);
    int64_t tiles = planned->geometry.tiles, begin;
    while ((begin = atomic_fetch_add(&share->next, share->chunk)) < tiles) {
        int64_t end = begin + share->chunk < tiles ? begin + share->chunk : tiles;
        weft_kernel_fn *run = atomic_load(&planned->loaded->run); /* gcc's call itself reads plainly */
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
    int64_t tiles = planned->geometry.tiles;
    struct share share = {.launch = launch, .chunk = tiles};
    if (planned->work > CHUNK)
        share.chunk = (int64_t)((double)tiles * CHUNK / (double)planned->work);
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
    take_chunks(&share, 0); /* what a host's parallel_for left, whose threads are gone, say */
}

bool launch_fault(const struct launch *launch, int f)
{
    bool any = false;
    for (int i = 0; i < launch->threads; i++)
        any = any || worker(launch, i)->faults[f];
    return any;
}
