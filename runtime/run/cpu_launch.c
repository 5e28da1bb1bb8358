/* Runs kernels in C on threads; see cpu_launch_impl.h. Each thread has a range of tiles. It claims chunks of its own
 * until none is left, and then of the others'. So it does not matter how many threads come, and a slow one delays the
 * others by one chunk at most. The bits of an element do not depend on the thread that computes it. */
#include "runtime/run/cpu_launch_impl.h"

#include <fenv.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

_Static_assert(sizeof ((struct weft_patterns *)0)->kept == KEPT_PATTERNS * sizeof(char *), "a pattern has no room");

#define SHARED static
#include "templates/shared/traffic.c"

/* Much memory is asked for in large pages where the system has them: it is new in each call, and the first touch of
 * each small page took as long as the kernels. */
char *lend_aligned(struct arena *arena, size_t size)
{
    enum { MUCH = 4 << 20, PAGE = 4096 };
    char *memory = arena_raw(arena, size + TEMPORARY_ALIGNMENT);
    memory += -(uintptr_t)memory % TEMPORARY_ALIGNMENT;
#ifdef MADV_HUGEPAGE
    if (size >= MUCH)
        madvise(memory + -(uintptr_t)memory % PAGE, size - PAGE, MADV_HUGEPAGE); /* no more than a wish */
#endif
    return memory;
}

enum { LINE = 64 };                /* bytes: threads write to cache lines of their own */

static size_t round_up(size_t size)
{
    return (size + LINE - 1) / LINE * LINE;
}

static int64_t shares(double work, int64_t share)
{
    return work < INT_MAX ? (int64_t)work / share : INT_MAX / share;
}

int launch_threads(const struct weft_context *context, double work, int64_t tiles)
{
    int64_t worth = context->threads.parallel_for ? shares(work, SHARE) : shares(work, AWAKE_SHARE);
    if (worth < 2 || tiles < 2 || !(context->fast & FAST_THREADS))
        return 1;
    int64_t most = threads_most(&context->threads);
    most = most < worth ? most : worth;
    return (int)(most < tiles ? most : tiles);
}

/* Whether the kernels of a chain will not be replaced any more. */
static bool are_final(const struct planned *first)
{
    bool final = true;
    for (int i = 0; i == 0 || i < first->chain; i++)
        final = final && atomic_load(&first[i].loaded->final);
    return final;
}

int launch_threads_beside(const struct weft_context *context, const struct planned *first, double work, int64_t tiles)
{
    const int worth = launch_threads(context, work, tiles);
    const int left = worth < 2 || are_final(first) ? worth : threads_most(&context->threads) - workers_busy(context);
    return left < 1 ? 1 : left < worth ? left : worth;
}

static struct weft_args *worker(const struct launch *launch, int index)
{
    return (struct weft_args *)(launch->workers + (size_t)index * launch->worker_size);
}

static char *at_line(char *memory)
{
    return memory + -(uintptr_t)memory % LINE;
}

/* Memory with any contents. If there are several threads, each begins on a cache line of its own. */
static char *allocate(struct arena *arena, int count, size_t size, bool lines)
{
    char *memory = arena_raw(arena, (size_t)count * size + (lines ? LINE : 0));
    return lines ? at_line(memory) : memory;
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

static bool reads_constants(const struct kernel *kernel)
{
    for (int a = 0; a < kernel->load_count; a++)
        if (kernel->accesses[a].kind != TENSOR_CONSTANT)
            return false;
    return true;
}

static void choose_traffic(const struct launch *launch, const struct weft_context *context,
                           struct weft_args *args)
{
    const struct planned *planned = launch->planned;
    const struct kernel *kernel = planned->kernel;
    if (launch->touched < CHAINED_BYTES) /* the least of all bounds */
        return;
    const struct traffic traffic = {
        .touched = launch->touched, .stored = launch->stored, .joins = kernel->lanes || launch->stored <= 0,
        .weight = kernel_weight(kernel),
        .chains = planned->ahead > 0,
        .transposes = memchr(planned->kinds, ACCESS_TRANSPOSED, (size_t)kernel->load_count),
        .interleaves = memchr(planned->kinds, ACCESS_INTERLEAVED, (size_t)kernel->load_count) ||
                       memchr(planned->kinds, ACCESS_CROSSED, (size_t)kernel->load_count),
        .alone = reads_constants(kernel)};
    args->ahead = fetched_ahead(&traffic);
    if (args->ahead && planned->ahead)
        args->ahead = planned->ahead;
    args->stream = (context->fast & FAST_STREAM) && is_streamed(&traffic) && !writes_in_place(launch);
    args->claim = (context->fast & FAST_STREAM) && is_claimed(&traffic);
}

static void count_scratch(const struct launch *launch, struct scratch *scratch)
{
    const size_t each = round_up(launch->planned->emitted->made.scratch);
    scratch->each = each > scratch->each ? each : scratch->each;
    scratch->threads = launch->threads > scratch->threads ? launch->threads : scratch->threads;
}

/* ---- windows ---- */

enum { OWN_ALIGNMENT = 16 };       /* bytes */

/* What a thread has for them, behind its arguments. */
struct own_sample {
    struct weft_sample sample;
    char **bases;                  /* [accesses] those of the sample */
    char **first;                  /* [windows] where each would begin for the first tile */
};

static size_t window_size(const struct launch *launch)
{
    const size_t pointers = (size_t)launch->planned->kernel->access_count + (size_t)launch->window_count;
    return launch->window_count ? OWN_ALIGNMENT + sizeof(struct own_sample) + pointers * sizeof(char *) : 0;
}

static struct own_sample *own_sample(const struct launch *launch, int index)
{
    const size_t args = sizeof(struct weft_args) + (size_t)launch->planned->kernel->fault_count;
    return (struct own_sample *)((char *)worker(launch, index) + (args / OWN_ALIGNMENT + 1) * OWN_ALIGNMENT);
}

static void make_own_sample(const struct launch *launch, int index)
{
    const size_t accesses = (size_t)launch->planned->kernel->access_count;
    struct own_sample *own = own_sample(launch, index);
    own->sample = launch->samples[0];
    own->bases = (char **)(own + 1);
    own->first = own->bases + accesses;
    memcpy(own->bases, launch->samples[0].bases, accesses * sizeof(char *));
    own->sample.bases = own->bases;
    worker(launch, index)->samples = &own->sample;
}

/* A tile begins so many bytes behind the first one's, so the thread's memory stands for that place. */
static void move_windows(const struct launch *launch, int index, int64_t tile)
{
    struct own_sample *own = launch->window_count ? own_sample(launch, index) : NULL;
    for (int w = 0; w < launch->window_count; w++) {
        const uintptr_t first = (uintptr_t)own->first[w];
        own->bases[launch->windows[w].access] = (char *)(first - (uintptr_t)(tile * launch->windows[w].step));
    }
}

/* ---- a launch ---- */

void launch_init(struct launch *launch, const struct weft_context *context, struct scratch *scratch,
                 struct arena *arena)
{
    const struct planned *planned = launch->planned;
    if (!launch->threads)
        launch->threads = launch_threads_beside(context, planned, launch->work, launch->tiles);
    launch->worker_size = round_up(sizeof(struct weft_args) + (size_t)planned->kernel->fault_count +
                                   window_size(launch));
    launch->workers = allocate(arena, launch->threads, launch->worker_size, launch->threads > 1);
    launch->ranges = launch->threads > 1 ? allocate(arena, launch->threads, LINE, true) : NULL;
    struct weft_args *first = worker(launch, 0);
    *first = (struct weft_args){.calls = context->calls, .samples = launch->samples,
                                .sample_count = launch->sample_count, .literals = planned->literals};
    choose_traffic(launch, context, first);
    for (int i = 0; i < launch->threads; i++) {
        struct weft_args *args = worker(launch, i);
        if (i > 0)
            *args = *first;
        args->faults = (unsigned char *)(args + 1);
        if (planned->kernel->fault_count)
            memset(args->faults, 0, (size_t)planned->kernel->fault_count);
    }
    for (int i = 0; launch->window_count && i < launch->threads; i++)
        make_own_sample(launch, i);
    if (planned->emitted->made.scratch || launch->window_count)
        count_scratch(launch, scratch);
}

void scratch_lend(struct scratch *scratch, const struct launch *launch, struct arena *arena)
{
    const size_t each = scratch->windows + scratch->each;
    if (!scratch->memory)
        scratch->memory = at_line(arena_raw(arena, (size_t)scratch->threads * each + LINE));
    for (int i = 0; i < launch->threads && i < scratch->threads; i++) {
        char *own = scratch->memory + (size_t)i * each;
        worker(launch, i)->scratch = launch->planned->emitted->made.scratch ? own + scratch->windows : NULL;
        for (int w = 0; w < launch->window_count; w++)
            own_sample(launch, i)->first[w] =
                (char *)((uintptr_t)own + launch->windows[w].at + (uintptr_t)launch->windows[w].start);
    }
}

/* What the threads of one launch share. */
struct share {
    const struct launch *launch;
    int64_t most, least;           /* tiles of a chunk */
    fenv_t environment;            /* the calling thread's floating-point environment */
};

/* Tiles that are one thread's, until others have nothing left to do. */
struct range {
    _Atomic int64_t next;          /* the first tile that is not claimed */
    int64_t end;
};

static struct range *range_of(const struct launch *launch, int index)
{
    return (struct range *)(launch->ranges + (size_t)index * LINE);
}

static void divide_tiles(const struct launch *launch)
{
    int64_t each = launch->tiles / launch->threads, more = launch->tiles % launch->threads, begin = 0;
    for (int i = 0; i < launch->threads; i++) {
        int64_t end = begin + each + (i < more);
        *range_of(launch, i) = (struct range){begin, end};
        begin = end;
    }
}

/* Claims half of what is left of a range, within bounds. So chunks are small in the end, and nobody waits long for a
 * thread that loses its processor then. Returns false if nothing is left. */
static bool claim(const struct share *share, struct range *range, int64_t *begin, int64_t *end)
{
    int64_t left = range->end - atomic_load(&range->next), size = left / 2;
    if (left <= 0)
        return false;
    size = size > share->most ? share->most : size < share->least ? share->least : size;
    *begin = atomic_fetch_add(&range->next, size);
    *end = *begin + size < range->end ? *begin + size : range->end;
    return *begin < range->end;
}

/* This is the only place that calls kernels. A good kernel replaces the first one between two chunks. */
static void run_tiles(const struct launch *launch, int index, int64_t begin, int64_t end)
{
    /* gcc's direct call would not read it atomically */
    weft_kernel_fn *run = atomic_load(&launch->planned->loaded->run);
    const struct weft_args *args = worker(launch, index);
    run(args, begin, end);
    end_stream(args->stream);
}

/* Runs these tiles of a kernel, or of all kernels of a chain in turns. */
static void run_chain(const struct launch *launch, int index, int64_t begin, int64_t end)
{
    if (launch->chain < 2) {
        run_tiles(launch, index, begin, end);
        return;
    }
    for (int64_t tile = begin; tile < end; tile++)
        for (int i = 0; i < launch->chain; i++) {
            move_windows(launch + i, index, tile);
            run_tiles(launch + i, index, tile, tile + 1);
        }
}

static void take_chunks(const struct share *share, int index)
{
    const struct launch *launch = share->launch;
    int64_t begin, end;
    for (int i = 0; i < launch->threads; i++)
        while (claim(share, range_of(launch, (index + i) % launch->threads), &begin, &end))
            run_chain(launch, index, begin, end);
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

/* The tiles of so much work, at least one. */
static int64_t tiles_of(const struct launch *launch, double work)
{
    double tiles = launch->work > work ? (double)launch->tiles * work / launch->work : (double)launch->tiles;
    return tiles < 1 ? 1 : (int64_t)tiles;
}

static void run_alone(const struct launch *launch)
{
    int64_t chunk = tiles_of(launch, MOST_CLAIMED);
    for (int64_t begin = 0; begin < launch->tiles; begin += chunk)
        run_chain(launch, 0, begin, chunk < launch->tiles - begin ? begin + chunk : launch->tiles);
}

static void run_together(struct launch *launch, struct weft_context *context)
{
    struct share share = {
        .launch = launch, .most = tiles_of(launch, MOST_CLAIMED), .least = tiles_of(launch, LEAST_CLAIMED)};
    fegetenv(&share.environment);
    divide_tiles(launch);
    threads_run(&context->threads, launch->threads, (int)shares(launch->work, SHARE) - 1, work, &share);
    take_chunks(&share, 0); /* what parallel_for left over, for example because its threads are gone */
}

static void run_all(struct launch *launch, struct weft_context *context)
{
    if (launch->threads == 1)
        run_alone(launch);
    else
        run_together(launch, context);
}

/* Tells each kernel of a launch its part of the time. */
static void count_used(const struct launch *launch, struct weft_context *context, double seconds)
{
    const struct planned *first = launch->planned;
    double work = 0;
    for (int i = 0; i == 0 || i < first->chain; i++)
        work += first[i].work;
    for (int i = 0; i == 0 || i < first->chain; i++)
        kernels_count(context, first[i].loaded, work > 0 ? seconds * first[i].work / work : seconds);
}

void launch_run(struct launch *launch, struct weft_context *context)
{
    bool final = are_final(launch->planned);
    if (!final)
        worker_wake(context);
    for (int i = 0; !final && (i == 0 || i < launch->chain); i++)
        kernels_wait_used(context, launch[i].planned->loaded);
    final = final || are_final(launch->planned);
    const double start = final ? 0 : clock_seconds();
    run_all(launch, context);
    if (!final)
        count_used(launch, context, clock_seconds() - start);
}

static bool is_marked(const struct launch *launch, int f)
{
    bool any = false;
    for (int i = 0; i < launch->threads; i++)
        any = any || worker(launch, i)->faults[f];
    return any;
}

void launch_remark(const struct launch *launch, struct fault *first)
{
    const struct kernel *kernel = launch->planned->kernel;
    for (int f = 0; f < kernel->fault_count; f++)
        if (is_marked(launch, f))
            fault_first(first, &kernel->faults[f]);
}
