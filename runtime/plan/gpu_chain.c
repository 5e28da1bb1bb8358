/* Chains on a GPU (loops.h): a reduction and the kernels behind it over the same points, such as the rows of a softmax,
 * are one launch. Each block of threads takes some points through all of them, so that rows are read from memory
 * once. */
#include "runtime/plan/plan.h"

/* Estimated for GPUs of about 132 multiprocessors, not measured. */
enum {
    NEAR = 128 << 10,              /* bytes of rows that the blocks of a multiprocessor are at: half of a large first
                                      cache */
    LEAST_THREADS = 512,           /* of a multiprocessor all the same */
    MOST = 384 << 10,              /* bytes that a tile reads: a multiprocessor's share of a large second cache */
    BUSY = 64,                     /* so many tiles keep a GPU busy; fewer pay where they are small: */
    SMALL = 64 << 10,              /* bytes that a tile reads */
    CHAIN_ARGS = 4000              /* bytes of arguments of all kernels */
};

/* Bytes of elements that a kernel goes over. */
static int64_t bytes_read(const struct draft *draft)
{
    int64_t widest = 1;
    for (int a = 0; a < draft->kernel->load_count; a++) {
        const int64_t size = type_rows[draft->kernel->accesses[a].dtype].size;
        widest = size > widest && !access_stays(draft->geometry.kinds[a]) ? size : widest;
    }
    return draft->geometry.volume * widest;
}

/* Whether the kernel's blocks of threads can take `together` of `points` at a time. */
static bool takes_points(const struct draft *draft, int64_t points, int64_t together)
{
    const struct kernel *kernel = draft->kernel;
    const struct lanes *lanes = kernel->lanes;
    if (draft->form.many || !draft->geometry.volume)
        return false;
    if (lanes)
        return !lanes->threads.serial && lanes->tiles.points == points && lanes->tiles.together == together &&
               lanes->tiles.windows * lanes->tiles.chunks == 1;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        if (kernel->accesses[a].map)
            return false;
    return leading_dimensions(draft->shape, points) > 0 && draft->geometry.volume % points == 0;
}

/* The number of kernels from k on that can share a launch; *threads become those of a block, and *bytes what a tile of
 * one of them reads. */
static int chain_length(const struct division *division, int k, int *threads, int64_t *bytes)
{
    const struct lanes *lanes = division->drafts[k].kernel->lanes;
    const int64_t points = lanes ? lanes->tiles.points : 1, together = lanes ? lanes->tiles.together : 1;
    size_t words = 0;
    int next = k;
    for (; points > 1 && next < division->count; next++) {
        const struct draft *draft = &division->drafts[next];
        words += form_args_words(&draft->form);
        if (words * sizeof(uint64_t) > CHAIN_ARGS || !takes_points(draft, points, together) ||
            !needs_only_points(division, k, next, points))
            break;
        const int64_t read = bytes_read(draft) / points * together;
        if (read > MOST)
            break;
        *bytes = read > *bytes ? read : *bytes;
        *threads = draft->form.threads > *threads ? draft->form.threads : *threads;
    }
    const int64_t tiles = (points - 1) / together + 1;
    return tiles >= BUSY || *bytes <= SMALL ? next - k : 0;
}

static void share_launch(struct draft *drafts, int count, int threads, int64_t bytes)
{
    const int64_t near = NEAR / (bytes + 1), least = LEAST_THREADS / threads;
    for (int i = 0; i < count; i++) {
        struct form *form = &drafts[i].form;
        form->chained = true;
        form->repeats = form->repeats && form->threads == threads;
        form->threads = threads;
    }
    drafts->chain = count;
    drafts->form.blocks = (int)(near > least ? near : least);
}

void find_gpu_chains(struct division *division)
{
    for (int k = 0; k < division->count; k++) {
        int threads = 0;
        int64_t bytes = 0;
        const int count = chain_length(division, k, &threads, &bytes);
        if (count < 2)
            continue;
        share_launch(&division->drafts[k], count, threads, bytes);
        k += count - 1;
    }
}
