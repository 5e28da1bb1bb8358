/* Implements evaluation.h. It is the first step of making a kernel's text. */
#include "compiler/loop/evaluation.h"

#include "compiler/loop/geometry.h"

#include <string.h>

enum { MAX_LOOP = 128 };           /* most instructions in one loop */

bool is_inexact(const struct ins *ins)
{
    return ins->kind == INS_OP && dtype_is_float(ins->source) && op_rows[ins->op].ulp32 > 0;
}

bool is_block_call(const struct ins *ins, unsigned fast)
{
    if (ins->kind != INS_OP || is_inexact(ins))
        return is_inexact(ins);
    const bool wide = type_rows[ins->source].size == 8;
    return dtype_is_float(ins->source) ? op_remains(ins->op) || (ins->op == OP_SQRT && fast & FAST_ROOTS)
                                       : ins->op == OP_RANDOM || ins->op == OP_POW ||
                                             (wide && op_divides(ins->op, ins->source));
}

/* Whether C compilers make vectors of a division as it stands: by a literal, of 32 bits at most, or by a power of 2. */
static bool divides_in_loop(const struct kernel *kernel, const struct ins *ins)
{
    if (ins->kind != INS_OP || !op_divides(ins->op, ins->source) || !dtype_is_integer(ins->source) ||
        kernel->ins[ins->a[1]].kind != INS_LITERAL)
        return false;
    const struct ins *a = &kernel->ins[ins->a[0]];
    const uint64_t divisor = kernel->literals[kernel->ins[ins->a[1]].index].bits;
    return !(divisor & (divisor - 1)) || (a->kind == INS_OP && type_rows[a->source].size < 8);
}

/* Whether the instruction converts between 8 or 16 bits and float32, in blocks also from floats to int32 or less, from
 * float32 to uint32, and from 32 and 64 bits on the way to 16-bit floats. That many are then converted at once: inside
 * a loop, vectors of one width become several of another, which C compilers do slowly. */
static bool is_block_conversion(const struct ins *ins, bool blocks)
{
    if (ins->kind != INS_OP || !op_block(ins->op))
        return false;
    if (ins->op == OP_ODD || ins->op == OP_ODD_WHOLE)
        return blocks;
    if (blocks && ins->op == OP_ROUNDSAT)
        return ins->dtype == WEFT_INT32 || type_rows[ins->dtype].size <= 2 ||
               (ins->dtype == WEFT_UINT32 && ins->source == WEFT_FLOAT32);
    if (ins->source != WEFT_FLOAT32 && ins->dtype != WEFT_FLOAT32)
        return false;
    enum weft_dtype other = ins->source == WEFT_FLOAT32 ? ins->dtype : ins->source;
    return other == WEFT_FLOAT32 || (other != WEFT_BOOL && type_rows[other].size <= 2);
}

static bool computes(const struct kernel *kernel, const struct evaluation *s, int i)
{
    const struct ins *ins = &kernel->ins[i];
    return ins->kind != INS_LOAD && !ins_is_argument(ins) && s->rate[i] == RATE_BLOCK &&
           (ins->kind != INS_STORE || s->output[i] < 0);
}

static void find_rates(const struct kernel *kernel, const unsigned char *kinds, unsigned fast,
                       bool blocks, struct evaluation *s)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        enum rate rate = ins->kind == INS_OP || ins_is_argument(ins) ? RATE_ONCE : RATE_BLOCK;
        if (ins->kind == INS_LOAD && kinds && (fast & FAST_ROW) &&
            access_is(kinds[ins->index], STAYS))
            rate = RATE_ROW;
        for (int k = 0; k < 3; k++)
            if (ins->a[k] >= 0 && s->rate[ins->a[k]] > rate)
                rate = s->rate[ins->a[k]];
        s->rate[i] = (unsigned char)rate;
        bool converts = (fast & FAST_CONVERT) && rate == RATE_BLOCK && is_block_conversion(ins, blocks);
        const bool calls = is_block_call(ins, fast) && !divides_in_loop(kernel, ins);
        const bool finds = ins->kind == INS_LOOKUP || ins->kind == INS_TAKE || ins->kind == INS_WEIGH;
        s->call[i] = (blocks && (calls || finds)) || converts;
    }
}

static bool is_store(const struct ins *ins)
{
    return ins->kind == INS_STORE;
}

/* Finds a call whose block can be written to the output directly: it must come last, and its only reader must be the
 * only store. Otherwise the output might be the buffer of an input that is read after the call. Taken elements are
 * bytes as they are in memory, where a bool may be another than 0 and 1. */
static void find_output(const struct kernel *kernel, struct evaluation *s)
{
    int store = -1, uses = 0, stores = 0;
    for (int i = 0; i < kernel->ins_count; i++) {
        stores += is_store(&kernel->ins[i]);
        store = is_store(&kernel->ins[i]) ? i : store;
    }
    if (stores != 1)
        return;
    int value = kernel->ins[store].a[0];
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3; k++)
            uses += kernel->ins[i].a[k] == value;
    if (uses == 1 && s->call[value] && kernel->ins[value].kind != INS_TAKE && computes(kernel, s, value) &&
        s->level[value] == s->level_count - 1)
        s->output[store] = s->output[value] = kernel->ins[store].index;
}

/* Assigns levels: an instruction in a loop comes after the calls it depends on, a call after the loop it depends on. */
static void find_levels(const struct kernel *kernel, struct evaluation *s)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        s->output[i] = -1;
        if (is_store(ins) || !computes(kernel, s, i))
            continue; /* stores are done below */
        for (int k = 0; k < 3; k++) {
            if (ins->a[k] < 0 || !computes(kernel, s, ins->a[k]))
                continue;
            bool after = s->call[ins->a[k]] && !s->call[i];
            int level = s->level[ins->a[k]] + after;
            s->level[i] = level > s->level[i] ? level : s->level[i];
        }
        s->level_count = s->level[i] >= s->level_count ? s->level[i] + 1 : s->level_count;
    }
    find_output(kernel, s);
    /* Stores come last, because an output may be the buffer of an input that is read before. */
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_store(&kernel->ins[i]) && s->output[i] < 0) {
            int value = kernel->ins[i].a[0];
            bool late = computes(kernel, s, value) && s->call[value] &&
                        s->level[value] == s->level_count - 1;
            s->level_count += late;
        }
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_store(&kernel->ins[i]))
            s->level[i] = s->level_count - 1;
}

/* Splits loops. A loop of thousands of instructions would take a C compiler minutes. Calls follow the last part of
 * their loop, and stores are in the very last part. */
static void split_levels(struct arena *arena, const struct kernel *kernel, struct evaluation *s)
{
    int *size = ARENA_ARRAY(arena, int, s->level_count);
    int *parts = ARENA_ARRAY(arena, int, s->level_count + 1);
    int *part = ARENA_ARRAY(arena, int, kernel->ins_count);
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (computes(kernel, s, i) && !s->call[i] && !is_store(ins))
            part[i] = size[s->level[i]]++ / MAX_LOOP;
    }
    for (int l = 0; l < s->level_count; l++)
        parts[l + 1] = parts[l] + (size[l] > 0 ? (size[l] - 1) / MAX_LOOP : 0) + 1;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        bool last = s->call[i] || is_store(ins);
        s->level[i] = last ? parts[s->level[i] + 1] - 1 : parts[s->level[i]] + part[i];
    }
    s->level_count = parts[s->level_count];
}

/* Sorts instructions by level. Within the last level stores come after everything else. */
static void sort_by_level(struct arena *arena, const struct kernel *kernel, struct evaluation *s)
{
    int *first = ARENA_ARRAY(arena, int, s->level_count + 2);
    s->order = ARENA_ARRAY(arena, int, kernel->ins_count);
    for (int i = 0; i < kernel->ins_count; i++)
        if (computes(kernel, s, i)) {
            first[s->level[i] + is_store(&kernel->ins[i]) + 1]++;
            s->order_count++;
        }
    for (int l = 0; l <= s->level_count; l++)
        first[l + 1] += first[l];
    for (int i = 0; i < kernel->ins_count; i++)
        if (computes(kernel, s, i))
            s->order[first[s->level[i] + is_store(&kernel->ins[i])]++] = i;
}

/* For each value, the last level that reads it from outside its own loop; -1: none does. */
static int *find_last_uses(struct arena *arena, const struct kernel *kernel, const struct evaluation *s)
{
    int *last = ARENA_ARRAY(arena, int, kernel->ins_count);
    for (int i = 0; i < kernel->ins_count; i++) {
        last[i] = s->call[i] && s->output[i] < 0 ? s->level[i] : -1;
        for (int k = 0; k < 3; k++) {
            int a = kernel->ins[i].a[k];
            if (a < 0 || !computes(kernel, s, a) || (is_store(&kernel->ins[i]) && s->output[i] >= 0))
                continue;
            bool outside = s->level[i] != s->level[a] || s->call[i] || s->call[a];
            if (outside && s->level[i] > last[a])
                last[a] = s->level[i];
        }
    }
    return last;
}

/* Assigns buffers by linear scan over the levels. A buffer is free again once its value was last
 * read in an earlier level. */
static void assign_slots(struct arena *arena, const struct kernel *kernel, struct evaluation *s)
{
    int *last = find_last_uses(arena, kernel, s);
    int *free_slots = NULL, free_count = 0, *busy = NULL, busy_count = 0, level = 0;
    s->slot = ARENA_ARRAY(arena, int, kernel->ins_count);
    memset(s->slot, -1, (size_t)kernel->ins_count * sizeof *s->slot);
    for (int n = 0; n < s->order_count; n++) {
        int i = s->order[n], kept = 0;
        if (last[i] < 0)
            continue;
        for (int b = 0; s->level[i] > level && b < busy_count; b++) {
            if (last[busy[b]] < s->level[i])
                ARENA_PUSH(arena, free_slots, free_count, s->slot[busy[b]]);
            else
                busy[kept++] = busy[b];
        }
        if (s->level[i] > level) {
            busy_count = kept;
            level = s->level[i];
        }
        s->slot[i] = free_count ? free_slots[--free_count] : s->slot_count++;
        ARENA_PUSH(arena, busy, busy_count, i);
    }
}

void make_evaluation(struct arena *arena, const struct kernel *kernel, const unsigned char *kinds,
                   unsigned fast, bool blocks, struct evaluation *evaluation)
{
    *evaluation = (struct evaluation){.level_count = 1,
                                  .level = ARENA_ARRAY(arena, int, kernel->ins_count),
                                  .rate = ARENA_ARRAY(arena, unsigned char, kernel->ins_count),
                                  .call = ARENA_ARRAY(arena, bool, kernel->ins_count),
                                  .output = ARENA_ARRAY(arena, int, kernel->ins_count)};
    find_rates(kernel, kinds, fast, blocks, evaluation);
    find_levels(kernel, evaluation);
    if (blocks)
        split_levels(arena, kernel, evaluation);
    sort_by_level(arena, kernel, evaluation);
    assign_slots(arena, kernel, evaluation);
}
