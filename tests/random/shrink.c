/* See shrink.h. A change takes a number and tries what that stands for: whole results and subtrees
 * first, then shapes, ways of writing and layouts, then values. */
#include "tests/random/shrink.h"

#include "tests/random/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ATTEMPTS = 3000 };

/* ---- attempts ---- */

static void run_child(struct attempts *attempts, struct trial *trial, struct outcome *shared)
{
    struct arena arena;
    struct outcome outcome;
    alarm((unsigned)attempts->seconds);
    if (!freopen("/dev/null", "w", stderr))
        _exit(3);
    arena_init(&arena);
    struct machine *machine = machine_create(attempts->cc, attempts->flags, trial->seed / 64);
    execute(machine, trial, &arena, &outcome);
    *shared = outcome;
    _exit(0);
}

void attempt(struct attempts *attempts, struct trial *trial, struct outcome *outcome)
{
    int status = 0;
    struct outcome *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *outcome = (struct outcome){DIED, "cannot make a process"};
    if (shared == MAP_FAILED)
        return;
    attempts->count++;
    pid_t child = fork();
    if (child == 0)
        run_child(attempts, trial, shared);
    if (child > 0 && waitpid(child, &status, 0) == child) {
        *outcome = *shared;
        if (!WIFEXITED(status)) {
            outcome->verdict = DIED;
            snprintf(outcome->message, sizeof outcome->message, "signal %d", WTERMSIG(status));
        }
    }
    munmap(shared, sizeof *shared);
}

/* ---- changes: 1 when something changed, 0 when not, -1 when there are no further numbers ---- */

typedef int change_fn(struct trial *trial, struct arena *arena, int k);

static bool prune(struct trial *trial)
{
    int kept[FORMULA_INPUTS];
    formula_prune(&trial->formula, kept);
    for (int i = 0; i < FORMULA_INPUTS; i++)
        if (kept[i] >= 0 && kept[i] != i)
            memcpy(trial->inputs[kept[i]], trial->inputs[i], sizeof trial->inputs[i]);
    for (int r = 0; r < trial->formula.result_count; r++)
        if (trial->in_place[r] >= 0)
            trial->in_place[r] = kept[trial->in_place[r]];
    return true;
}

static int drop_result(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    (void)arena;
    if (k >= formula->result_count || formula->result_count < 2)
        return -1;
    for (int r = k; r + 1 < formula->result_count; r++) {
        formula->results[r] = formula->results[r + 1];
        formula->casts[r] = formula->casts[r + 1];
        trial->outputs[r] = trial->outputs[r + 1];
        trial->in_place[r] = trial->in_place[r + 1];
    }
    formula->result_count--;
    return prune(trial);
}

/* An inner node as the only result. */
static int keep_one(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    (void)arena;
    if (k >= formula->count)
        return -1;
    if (formula->result_count == 1 && formula->results[0] == k)
        return 0;
    formula->results[0] = k;
    formula->casts[0] = formula->nodes[k].dtype;
    formula->result_count = 1;
    trial->outputs[0] = (struct layout){0};
    trial->in_place[0] = -1;
    return prune(trial);
}

/* Users of a node use its operand instead. */
static int use_operand(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    int index = formula->count - 1 - k / FORMULA_OPERANDS, which = k % FORMULA_OPERANDS;
    (void)arena;
    if (index < 0)
        return -1;
    if (which >= formula->nodes[index].count)
        return 0;
    int other = formula->nodes[index].operands[which];
    for (int n = 0; n < formula->count; n++)
        for (int i = 0; i < formula->nodes[n].count; i++)
            if (formula->nodes[n].operands[i] == index)
                formula->nodes[n].operands[i] = other;
    for (int r = 0; r < formula->result_count; r++)
        if (formula->results[r] == index)
            formula->results[r] = other;
    return prune(trial);
}

/* A node becomes an input that holds its values. */
static int make_input(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    int index = formula->count - 1 - k;
    if (index < 0)
        return -1;
    struct formula_node *node = &formula->nodes[index];
    if (formula->input_count == FORMULA_INPUTS || node->count == 0)
        return 0;
    int input = formula->input_count++;
    for (int s = 0; s < (node->batch ? trial->samples : 1); s++) {
        struct evaluation *evaluation = ARENA_NEW(arena, struct evaluation);
        struct deviation deviation;
        evaluate(trial, arena, s, NULL, evaluation, &deviation);
        trial->inputs[input][s] = (struct sample){.extents = evaluation->shapes[index],
                                                  .values = evaluation->values[index]};
    }
    formula->inputs[input] = (struct formula_input){.dtype = node->dtype, .batch = node->batch};
    *node = (struct formula_node){.kind = FORMULA_INPUT, .input = input, .manner = 1};
    return prune(trial);
}

/* ---- shapes ---- */

/* A sample less, the first or the last, or no batches at all. */
static int drop_sample(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    (void)arena;
    if (k > 2 || trial->samples == 1)
        return -1;
    if (k == 2 || trial->samples == 2)
        for (int i = 0; i < formula->input_count; i++) {
            trial->inputs[i][0] = *trial_input(trial, i, k % 2);
            formula->inputs[i].batch = false;
        }
    for (int i = 0; i < formula->input_count && k == 0; i++)
        if (formula->inputs[i].batch)
            memmove(trial->inputs[i], trial->inputs[i] + 1,
                    sizeof *trial->inputs[i] * (FORMULA_SAMPLES - 1));
    trial->samples = k == 2 ? 1 : trial->samples - 1;
    return 1;
}

/* Keeps `extent` indices of a dimension, from `from` on: the kept elements' old positions, or NULL. */
static int64_t *crop(struct extents *extents, int dimension, int64_t from, int64_t extent,
                     struct arena *arena)
{
    struct extents old = *extents;
    int64_t index[FORMULA_RANK] = {0};
    extents->at[dimension] = extent;
    int64_t volume = extents_volume(extents);
    int64_t *positions = ARENA_ARRAY(arena, int64_t, volume + 1);
    for (int64_t e = 0; e < volume; e++) {
        int64_t at = 0;
        for (int d = 0; d < old.rank; d++)
            at = at * old.at[d] + index[d] + (d == dimension ? from : 0);
        positions[e] = at;
        for (int d = old.rank - 1; d >= 0 && ++index[d] == extents->at[d]; d--)
            index[d] = 0;
    }
    return positions;
}

struct cut {
    int back;
    int64_t old, from, extent;
};

static void cut_sample(struct sample *sample, const struct cut *cut, struct arena *arena)
{
    int d = sample->extents.rank - cut->back;
    if (d < 0 || sample->extents.at[d] != cut->old)
        return;
    int64_t *positions = crop(&sample->extents, d, cut->from, cut->extent, arena);
    int64_t volume = extents_volume(&sample->extents);
    union scalar *values = ARENA_ARRAY(arena, union scalar, volume + 1);
    for (int64_t e = 0; e < volume; e++)
        values[e] = sample->values[positions[e]];
    sample->values = values;
}

static void cut_array(struct formula *formula, struct formula_node *node, const struct cut *cut,
                      struct arena *arena)
{
    int d = node->extents.rank - cut->back;
    if (node->kind != FORMULA_ARRAY || d < 0 || node->extents.at[d] != cut->old)
        return;
    int64_t *positions = crop(&node->extents, d, cut->from, cut->extent, arena);
    for (int e = 0; e < extents_volume(&node->extents); e++)
        formula->elements[node->elements + e] = formula->elements[node->elements + positions[e]];
}

/* The largest extent along a dimension, counted from the right. */
static int64_t extent_of(const struct trial *trial, int back, int sample)
{
    int64_t extent = 1;
    for (int i = 0; i < trial->formula.input_count; i++) {
        const struct extents *own = &trial_input(trial, i, sample)->extents;
        if (back <= own->rank && own->at[own->rank - back] != 1)
            extent = own->at[own->rank - back];
    }
    for (int n = 0; n < trial->formula.count; n++) {
        const struct formula_node *node = &trial->formula.nodes[n];
        if (node->kind == FORMULA_ARRAY && back <= node->extents.rank &&
            node->extents.at[node->extents.rank - back] != 1)
            extent = node->extents.at[node->extents.rank - back];
    }
    return extent;
}

static int cut_shape(struct trial *trial, struct arena *arena, int k)
{
    enum { WAYS = 5 };
    int back = 1 + k / WAYS;
    struct formula *formula = &trial->formula;
    if (back > FORMULA_RANK)
        return -1;
    int64_t old = extent_of(trial, back, 0), half = old / 2;
    const struct cut ways[WAYS] = {{back, old, 0, 1}, {back, old, old - 1, 1}, {back, old, 0, half},
                                   {back, old, old - half, half}, {back, old, 0, old - 1}};
    const struct cut *cut = &ways[k % WAYS];
    if (old < 2 || cut->extent < 1)
        return 0;
    for (int i = 0; i < formula->input_count; i++)
        for (int s = 0; s < (formula->inputs[i].batch ? trial->samples : 1); s++)
            cut_sample(&trial->inputs[i][s], cut, arena);
    for (int n = 0; n < formula->count; n++)
        cut_array(formula, &formula->nodes[n], cut, arena);
    return 1;
}

static void drop_leading(struct extents *extents, int rank)
{
    if (extents->rank != rank)
        return;
    extents->rank--;
    memmove(extents->at, extents->at + 1, sizeof *extents->at * (size_t)extents->rank);
}

/* A leading dimension along which all extents are 1. */
static int drop_dimension(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    int rank = FORMULA_RANK - k;
    (void)arena;
    if (rank < 1)
        return -1;
    for (int s = 0; s < trial->samples; s++)
        if (extent_of(trial, rank, s) != 1)
            return 0;
    for (int i = 0; i < formula->input_count; i++)
        for (int s = 0; s < (formula->inputs[i].batch ? trial->samples : 1); s++)
            drop_leading(&trial->inputs[i][s].extents, rank);
    for (int n = 0; n < formula->count; n++)
        if (formula->nodes[n].kind == FORMULA_ARRAY && formula->nodes[n].extents.rank > 1)
            drop_leading(&formula->nodes[n].extents, rank);
    return 1;
}

/* ---- ways of writing, layouts ---- */

static int simplify(struct trial *trial, struct arena *arena, int k)
{
    struct formula *formula = &trial->formula;
    (void)arena;
    switch (k) {
    case 0: formula->kernel = false; return 1;
    case 1: trial->plain = false; return 1;
    case 2: trial->twice = false; return 1;
    case 3:
        for (int i = 0; i < formula->input_count; i++)
            formula->inputs[i].declared = DECLARE_NOT;
        return 1;
    case 4:
        formula->manner = 0;
        for (int n = 0; n < formula->count; n++) {
            formula->nodes[n].manner = 1 | 16 | 32 | 7 << 6 | 1 << 12;
            formula->nodes[n].spelling = 0;
        }
        return 1;
    case 5:
        for (int r = 0; r < formula->result_count; r++)
            trial->in_place[r] = -1;
        return 1;
    case 6:
        memset(trial->outputs, 0, sizeof trial->outputs);
        return 1;
    }
    if (k - 7 >= formula->input_count)
        return -1;
    for (int s = 0; s < FORMULA_SAMPLES; s++)
        trial->inputs[k - 7][s].layout = (struct layout){0};
    return 1;
}

/* ---- values ---- */

static union scalar small_value(enum weft_dtype dtype, uint8_t value)
{
    return eval_convert(WEFT_UINT8, dtype, false, (union scalar){.u8 = value});
}

/* Whether the elements are the value, or 0 where `zeros` are as good. */
static bool is_already(const struct sample *sample, union scalar value, bool zeros)
{
    int64_t volume = extents_volume(&sample->extents);
    for (int64_t e = 0; e < volume; e++)
        if (sample->values[e].bits != value.bits && (!zeros || sample->values[e].bits != 0))
            return false;
    return true;
}

/* All elements of an input become 0, or 1; or one of the first becomes 0. */
static int simplify_values(struct trial *trial, struct arena *arena, int k)
{
    enum { SINGLE = 40, WAYS = 2 + SINGLE };
    int input = k / WAYS, way = k % WAYS;
    if (input >= trial->formula.input_count)
        return -1;
    struct sample *sample = &trial->inputs[input][0];
    int64_t volume = extents_volume(&sample->extents);
    union scalar value = small_value(trial->formula.inputs[input].dtype, way == 1);
    if (way - 2 >= volume || is_already(sample, value, way == 1) ||
        (way >= 2 && sample->values[way - 2].bits == value.bits))
        return 0;
    sample->values = arena_copy(arena, sample->values, sizeof *sample->values * (size_t)volume);
    for (int64_t e = 0; e < volume; e++)
        if (way < 2 || e == way - 2)
            sample->values[e] = value;
    sample_settle(sample);
    return 1;
}

/* ---- the search ---- */

/* Tries one change; true when the smaller trial fails alike, and is then the trial. */
static bool try_change(struct attempts *attempts, struct trial *trial, struct trial *room,
                       struct outcome *outcome)
{
    struct outcome now;
    if (!trial_settle(room) || memcmp(room, trial, sizeof *trial) == 0)
        return false;
    attempt(attempts, room, &now);
    if (now.verdict != outcome->verdict)
        return false;
    *outcome = now;
    *trial = *room;
    return true;
}

static bool try_all(struct attempts *attempts, struct trial *trial, struct arena *arena,
                    change_fn *change, struct outcome *outcome)
{
    struct trial *room = malloc(sizeof *room);
    bool better = false;
    for (int k = 0; attempts->count < MOST_ATTEMPTS;) {
        *room = *trial;
        int changed = change(room, arena, k);
        if (changed < 0)
            break;
        bool good = changed && try_change(attempts, trial, room, outcome);
        better = better || good;
        k += !good;
    }
    free(room);
    return better;
}

void shrink(struct attempts *attempts, struct trial *trial, struct arena *arena,
            struct outcome *outcome)
{
    static change_fn *const changes[] = {drop_result, keep_one, use_operand, make_input,
                                         drop_sample, cut_shape,
                                         drop_dimension, simplify, simplify_values};
    bool better = trial_settle(trial);
    attempts->count = 0;
    while (better && attempts->count < MOST_ATTEMPTS) {
        better = false;
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            better = try_all(attempts, trial, arena, changes[i], outcome) || better;
    }
}
