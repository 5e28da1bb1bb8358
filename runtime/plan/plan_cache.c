/* The plans of an instance, found by a hash of what they were made for: the device, the rank, extents and strides
 * of each input, those of the outputs if one is not dense, which inputs are batches, the elements of inputs that views
 * take as numbers, and for GPUs how operands are aligned and which inputs are passed by value. */
#include "runtime/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    MAX_PLANS = 4096,              /* plans kept for each instance, besides those in use, */
    MAX_BYTES = 16 << 20,          /* in so many bytes of memory, */
    MIN_PLANS = 64,                /* but at least so many, whatever they take */
    FIRST_BUCKETS = 64,
    LOOKS = 8                      /* plans examined, which may be in use, for each one that is added */
};

void plan_destroy(struct plan *plan)
{
    arena_finish(&plan->own);
    free(plan);
}

static bool is_taken(const struct occasion *occasion, int result)
{
    return !occasion->taken || occasion->taken[result];
}

static int misalignment(const struct tensor *tensor)
{
    return tensor_misalignment(tensor, (uintptr_t)tensor->data);
}

bool outputs_matter(const struct program *program, const struct occasion *occasion)
{
    for (int r = 0; occasion->outputs && r < program->result_count; r++)
        if (is_taken(occasion, r) && (!occasion->outputs[r].dense || misalignment(&occasion->outputs[r])))
            return true;
    return false;
}

static size_t tensor_size(const struct tensor *tensor)
{
    return 1 + (tensor->rank > 0 ? 2 * (size_t)tensor->rank : 0) + (size_t)tensor->number_count;
}

static int64_t *put_tensor(int64_t *to, const struct occasion *occasion, const struct tensor *tensor)
{
    *to++ = (4 * (int64_t)tensor->rank + 2 * is_by_value(occasion, tensor) + tensor->batch) * 16 + misalignment(tensor);
    for (int d = 0; d < tensor->rank; d++) {
        *to++ = tensor->shape[d];
        *to++ = tensor->strides[d];
    }
    for (int i = 0; i < tensor->number_count; i++)
        *to++ = tensor->numbers[i];
    return to;
}

int64_t *plan_key_room(struct arena *arena, const struct program *program,
                       const struct occasion *occasion)
{
    size_t size = 1;
    for (int i = 0; i < program->input_count; i++)
        size += tensor_size(&occasion->inputs[i]);
    for (int r = 0; occasion->outputs && r < program->result_count; r++)
        size += tensor_size(&occasion->outputs[r]);
    return ARENA_ARRAY(arena, int64_t, size);
}

struct plan_key plan_key(struct arena *arena, const struct program *program,
                         const struct occasion *occasion)
{
    bool outputs = outputs_matter(program, occasion);
    int64_t *numbers = occasion->room ? occasion->room : plan_key_room(arena, program, occasion);
    int64_t *to = numbers;
    *to++ = 4 * (int64_t)occasion->device + 2 * occasion->many + outputs;
    for (int i = 0; i < program->input_count; i++)
        to = put_tensor(to, occasion, &occasion->inputs[i]);
    for (int r = 0; outputs && r < program->result_count; r++)
        if (is_taken(occasion, r))
            to = put_tensor(to, occasion, &occasion->outputs[r]);
    size_t size = (size_t)(to - numbers);
    return (struct plan_key){numbers, size, XXH3_64bits(numbers, size * sizeof *numbers)};
}

/* ---- the order of use ---- */

static void unlink_plan(struct plan_table *table, struct plan *plan)
{
    *(plan->later ? &plan->later->earlier : &table->latest) = plan->earlier;
    *(plan->earlier ? &plan->earlier->later : &table->oldest) = plan->later;
}

static void make_latest(struct plan_table *table, struct plan *plan)
{
    plan->later = NULL;
    plan->earlier = table->latest;
    *(table->latest ? &table->latest->later : &table->oldest) = plan;
    table->latest = plan;
}

/* ---- the table ---- */

static struct plan **bucket(const struct plan_table *table, uint64_t hash)
{
    return &table->buckets[hash & (table->bucket_count - 1)];
}

struct plan *plans_find(struct plan_table *table, const struct plan_key *key)
{
    struct plan *plan = table->bucket_count ? *bucket(table, key->hash) : NULL;
    while (plan && (plan->key.hash != key->hash || plan->key.size != key->size ||
                    memcmp(plan->key.numbers, key->numbers, key->size * sizeof *key->numbers) != 0))
        plan = plan->next;
    if (!plan)
        return NULL;
    plan->users++;
    if (plan != table->latest) {
        unlink_plan(table, plan);
        make_latest(table, plan);
    }
    return plan;
}

/* Makes room for one more plan. If memory runs out, an existing table stays as it is. False: there is no table. */
static bool grow(struct plan_table *table)
{
    if ((size_t)table->count < table->bucket_count)
        return true;
    struct plan_table grown = {.bucket_count = table->bucket_count ? 2 * table->bucket_count : FIRST_BUCKETS};
    grown.buckets = calloc(grown.bucket_count, sizeof *grown.buckets);
    if (!grown.buckets)
        return table->bucket_count > 0;
    for (struct plan *plan = table->latest; plan; plan = plan->earlier) {
        struct plan **at = bucket(&grown, plan->key.hash);
        plan->next = *at;
        *at = plan;
    }
    free(table->buckets);
    table->buckets = grown.buckets;
    table->bucket_count = grown.bucket_count;
    return true;
}

static bool is_full(const struct plan_table *table)
{
    return table->count > MAX_PLANS || (table->bytes > MAX_BYTES && table->count > MIN_PLANS);
}

static void drop(struct weft_program *program, struct plan_table *table, struct plan *plan)
{
    struct plan **at = bucket(table, plan->key.hash);
    while (*at != plan)
        at = &(*at)->next;
    *at = plan->next;
    unlink_plan(table, plan);
    table->count--;
    table->bytes -= plan->bytes_kept;
    if (program->recent == plan->recent)
        program->recent = NULL;
    plan_destroy(plan);
}

/* Drops the plan that was used longest ago, or moves it to the front if it has users. */
static void drop_oldest(struct weft_program *program, struct plan_table *table)
{
    struct plan *plan = table->oldest;
    if (plan->users == 0) {
        drop(program, table, plan);
    } else {
        unlink_plan(table, plan);
        make_latest(table, plan);
    }
}

bool plans_add(struct weft_program *program, struct plan_table *table, struct plan *plan)
{
    if (!grow(table))
        return false;
    struct plan **at = bucket(table, plan->key.hash);
    plan->next = *at;
    *at = plan;
    make_latest(table, plan);
    table->count++;
    table->bytes += plan->bytes_kept = plan->own.allocated;
    for (int looks = LOOKS; looks && is_full(table); looks--)
        drop_oldest(program, table);
    return true;
}

void plans_trim(struct weft_program *program, struct plan_table *table)
{
    for (int looks = table->count; looks && is_full(table); looks--)
        drop_oldest(program, table);
}

void plans_destroy(struct plan_table *table)
{
    for (struct plan *plan = table->latest, *next; plan; plan = next) {
        next = plan->earlier;
        plan_destroy(plan);
    }
    free(table->buckets);
}
