/* Assigns samples of batches to launches; see batch_launches_impl.h. */
#include "runtime/run/batch_launches_impl.h"

#include <stdlib.h>
#include <string.h>

static bool same_code(const struct planned *a, const struct planned *b)
{
    const struct kernel *x = a->kernel, *y = b->kernel;
    return a->loaded == b->loaded && x->fault_count == y->fault_count &&
           x->literal_count == y->literal_count && a->emitted->made.scratch == b->emitted->made.scratch &&
           (!x->literal_count || /* then there may be no array; the same holds of faults */
            memcmp(a->literals, b->literals, (size_t)x->literal_count * sizeof *a->literals) == 0) &&
           (!x->fault_count || x->faults == y->faults ||
            memcmp(x->faults, y->faults, (size_t)x->fault_count * sizeof *x->faults) == 0);
}

/* Finds or adds the launch of a kernel. `guess` is where the segment before had it. */
static int find_launch(struct batch_launches *launches, int64_t place, const struct planned *planned, int guess)
{
    const struct batch_launch *items = launches->items;
    if (guess >= 0 && guess < launches->count && items[guess].place == place &&
        same_code(items[guess].launch.planned, planned))
        return guess;
    for (int i = 0; i < launches->count; i++)
        if (items[i].place == place && same_code(items[i].launch.planned, planned))
            return i;
    ARENA_PUSH(&launches->call->arena, launches->items, launches->count,
               ((struct batch_launch){.launch = {.planned = planned}, .place = place}));
    return launches->count - 1;
}

static int64_t place_of(const struct plan *plan, int part, int k)
{
    const bool result = k >= plan->first_result;
    return ((int64_t)part * 2 + result) * (1 << 24) + (result ? k - plan->first_result : k);
}

/* Counts the segment's samples and work for each launch. */
static void count_segment(struct batch_launches *launches, int part, struct segment *segment,
                          const struct segment *before)
{
    const struct plan *plan = segment->plan;
    segment->launches = ARENA_ARRAY(&launches->call->arena, int, plan->kernel_count);
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct planned *planned = &plan->kernels[k];
        int guess = before && k < before->plan->kernel_count ? before->launches[k] : -1;
        int64_t samples = planned->shared ? 1 : segment->count;
        segment->launches[k] = -1;
        if (!planned->tiles)
            continue;
        int at = segment->launches[k] = find_launch(launches, place_of(plan, part, k), planned, guess);
        struct launch *launch = &launches->items[at].launch;
        launch->sample_count += samples;
        launch->tiles += samples * planned->tiles;
        launch->work += (double)samples * planned->work;
        launch->touched += (double)samples * planned->touched;
        launch->stored += (double)samples * planned->stored;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct batch_launch *x = *(const struct batch_launch *const *)a, *y = *(const struct batch_launch *const *)b;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : (x > y) - (x < y);
}

struct batch_launch **find_batch_launches(struct batch_launches *launches)
{
    for (int p = 0; p < PART_COUNT; p++) {
        const struct batch_part *part = &launches->parts[p];
        for (int s = 0; s < part->count; s++)
            count_segment(launches, p, &part->segments[s], s ? &part->segments[s - 1] : NULL);
    }
    struct batch_launch **order = ARENA_ARRAY(&launches->call->arena, struct batch_launch *, launches->count);
    for (int i = 0; i < launches->count; i++)
        order[i] = &launches->items[i];
    if (launches->count)
        qsort(order, (size_t)launches->count, sizeof *order, by_place);
    return order;
}
