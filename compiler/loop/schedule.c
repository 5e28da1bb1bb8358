/* Implements schedule.h: the pass LOOPS. */
#include "compiler/loop/schedule.h"

#include <string.h>

/* ---- costs ---- */

/* A rough estimate: a vector instruction takes about a third of the time of a byte moved, joining an element as long as
 * storing it. */
static double estimate(const struct kernel *kernel, const struct geometry *g)
{
    double each = kernel_weight(kernel) / 3.0;
    for (int a = 0; a < kernel->access_count; a++) {
        const bool joined = kernel->lanes && a >= kernel->load_count;
        each += access_is(g->kinds[a], STAYS) && !joined ? 0 : type_rows[kernel->accesses[a].dtype].size;
    }
    return each * (double)g->volume;
}

/* Whether a load before this one reads about the same, as those of neighbours do. */
static bool reads_again(const struct scheduled *s, int a)
{
    const struct geometry *g = &s->geometry;
    const size_t each = (size_t)g->groups + 2;
    const struct access *access = &s->kernel->accesses[a];
    bool again = false;
    for (int b = 0; !again && a < s->kernel->load_count && b < a; b++) {
        const int64_t apart = g->starts[a] < g->starts[b] ? g->starts[b] - g->starts[a] : g->starts[a] - g->starts[b];
        again = access_same(&s->kernel->accesses[b], access) && !access_is(g->kinds[a], NUMBERED) &&
                !access_is(g->kinds[b], NUMBERED) && apart <= g->volume / 4 * type_rows[access->dtype].size &&
                memcmp(g->strides + a * each, g->strides + b * each, (each - 1) * sizeof *g->strides) == 0;
    }
    return again;
}

double bytes_moved(const struct scheduled *s, int a)
{
    const enum access_kind kind = s->geometry.kinds[a];
    return access_is(kind, STAYS) || kind == ACCESS_PERIODIC || reads_again(s, a)
               ? 0
               : (double)s->geometry.volume * type_rows[s->kernel->accesses[a].dtype].size;
}

static void count_traffic(struct scheduled *s)
{
    for (int a = 0; a < s->kernel->access_count; a++) {
        const double bytes = (double)s->geometry.volume * type_rows[s->kernel->accesses[a].dtype].size;
        s->touched += bytes_moved(s, a);
        s->stored += a >= s->kernel->load_count && !s->kernel->lanes ? bytes : 0;
    }
}

/* The bytes from what a row reads to what a later one does that begins about FETCH_AHEAD bytes on, where rows are short
 * and lie apart, so that what follows a row is not what is read next; 0: they do not, or not alike in all loads. */
static int64_t bytes_to_row(const struct scheduled *s)
{
    enum { LONG_ROWS = 4 };        /* of so many times FETCH_AHEAD: most of a row follows itself */
    const struct geometry *g = &s->geometry;
    int64_t ahead = 0;
    for (int a = 0; g->groups && g->volume && !g->chunks && a < s->kernel->load_count; a++) {
        const int64_t *const strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
        const int64_t row = g->columns * type_rows[s->kernel->accesses[a].dtype].size, jump = strides[g->groups - 1],
                      rows = row < FETCH_AHEAD ? (FETCH_AHEAD + row / 2) / row : 1;
        if ((g->kinds[a] != ACCESS_UNIT && g->kinds[a] != ACCESS_INTERLEAVED) || !jump)
            continue;
        if (jump == row || row > LONG_ROWS * FETCH_AHEAD || rows >= g->extents[g->groups - 1] ||
            (ahead && ahead != rows * jump))
            return 0;
        ahead = rows * jump;
    }
    return ahead;
}

/* Whether both kernels store parts of the same results, or of the same temporary. */
static bool are_parts(const struct scheduled *a, const struct scheduled *b)
{
    const struct access *first = &a->kernel->accesses[a->kernel->load_count];
    const bool temporary = a->kernel->access_count > a->kernel->load_count && access_is_temporary(first) && first->map;
    return a == b || (a->kernel->results && a->kernel->results == b->kernel->results) ||
           (temporary && kernel_stores(b->kernel, first->index));
}

/* Numbers the kernels that store parts of the same results; they are behind each other, and go to memory as one launch
 * would. */
static void join_parts(struct schedule *schedule)
{
    for (int k = 0, end; k < schedule->count; k = end) {
        struct scheduled *first = &schedule->kernels[k];
        double touched = 0, stored = 0;
        for (end = k; end < schedule->count && are_parts(first, &schedule->kernels[end]); end++) {
            touched += schedule->kernels[end].touched;
            stored += schedule->kernels[end].stored;
        }
        for (int i = k; i < end; i++) {
            schedule->kernels[i].part = i - k + 1;
            schedule->kernels[i].parts = end - k;
            schedule->kernels[i].touched = touched;
            schedule->kernels[i].stored = stored;
        }
    }
}

/* ---- lifetimes ---- */

/* Whether the kernel reads anything of which each sample has its own; what elements are put to counts. */
static bool reads_batches(const struct schedule *schedule, const struct kernel *kernel, const bool *batches)
{
    bool reads = false;
    for (int a = 0; !reads && a < (kernel_puts(kernel) ? kernel->access_count : kernel->load_count); a++) {
        const struct access *access = &kernel->accesses[a];
        reads = access->kind == TENSOR_INPUT
                    ? batches[access->index]
                    : access->kind == TENSOR_SAMPLE ||
                          (access_is_temporary(access) && !schedule->lifetimes[access->index].shared);
    }
    return reads;
}

/* Where samples put elements of their own, or store a part of a temporary, each has all of it for itself, parts that
 * are the same for all too. */
static void part_samples(struct schedule *schedule, int k)
{
    const struct kernel *kernel = schedule->kernels[k].kernel;
    for (int a = kernel->load_count; a < kernel->access_count && k < schedule->first_result; a++) {
        const int to = kernel->accesses[a].index;
        for (int i = 0; i < k; i++) {
            if (!kernel_stores(schedule->kernels[i].kernel, to))
                continue;
            if (!schedule->kernels[i].shared)
                schedule->kernels[k].shared = false;
            else if (!schedule->kernels[k].shared)
                schedule->kernels[i].shared = false;
        }
    }
}

/* Finds the kernels, and so the temporaries, that are the same for all samples, and what reads these last. */
static void find_lifetimes(struct schedule *schedule, const bool *batches)
{
    for (int i = 0; batches && i < schedule->shapes->program->input_count; i++)
        schedule->batched = schedule->batched || batches[i];
    for (int k = 0; k < schedule->count; k++) {
        struct scheduled *s = &schedule->kernels[k];
        s->shared = k < schedule->first_result && !reads_batches(schedule, s->kernel, batches);
        part_samples(schedule, k);
        for (int a = 0; a < s->kernel->access_count; a++) {
            const struct access *access = &s->kernel->accesses[a];
            struct lifetime *lifetime = access_is_temporary(access) ? &schedule->lifetimes[access->index] : NULL;
            if (lifetime && a < s->kernel->load_count)
                lifetime->to = k;
            else if (lifetime)
                *lifetime = (struct lifetime){s->shared, lifetime->to < 0 ? k : lifetime->from, k, {0}};
        }
    }
}

/* ---- the pass ---- */

/* A schedule without loops. */
static struct schedule start_schedule(const struct kernel_program *program, const struct loop_params *params)
{
    struct arena *arena = program->arena;
    struct schedule schedule = {.kernels = ARENA_ARRAY(arena, struct scheduled, program->count + 1),
                                .count = program->count, .first_result = program->first_result,
                                .temporaries = program->temporaries, .temporary_count = program->temporary_count,
                                .lifetimes = ARENA_ARRAY(arena, struct lifetime, program->temporary_count + 1),
                                .shapes = arena_copy(arena, &params->shapes, sizeof params->shapes)};
    for (int k = 0; k < program->count; k++)
        schedule.kernels[k] = (struct scheduled){.kernel = program->kernels[k].kernel,
                                                 .space = program->kernels[k].space,
                                                 .order = program->kernels[k].order};
    for (int t = 0; t < program->temporary_count; t++)
        schedule.lifetimes[t].to = -1;
    return schedule;
}

static struct loop_params of_kernel(const struct loop_params *params, const struct scheduled *s)
{
    struct loop_params own = *params;
    own.kernel = s->kernel;
    own.space = s->space;
    own.maps = s->kernel->maps;
    return own;
}

/* Empties the loops of kernels of whose temporaries no element is needed, since what reads them has none: they would
 * only leave remarks. Those of scatter's positions are left, though x is empty. A kernel may store to what an earlier
 * one stored. */
static void skip_unneeded(struct arena *arena, struct schedule *schedule)
{
    bool *needed = ARENA_ARRAY(arena, bool, schedule->temporary_count + 1);
    bool *read = ARENA_ARRAY(arena, bool, schedule->temporary_count + 1);
    for (int k = schedule->count; k-- > 0;) {
        struct geometry *g = &schedule->kernels[k].geometry;
        const struct kernel *kernel = schedule->kernels[k].kernel;
        bool used = k >= schedule->first_result || kernel_puts(kernel);
        for (int a = kernel->load_count; a < kernel->access_count; a++)
            used = used || !access_is_temporary(&kernel->accesses[a]) || !read[kernel->accesses[a].index] ||
                   needed[kernel->accesses[a].index];
        if (!used)
            g->volume = g->tiling.tiles = 0;
        for (int a = 0; a < kernel->access_count; a++)
            if (access_is_temporary(&kernel->accesses[a])) {
                read[kernel->accesses[a].index] = true;
                needed[kernel->accesses[a].index] |= g->tiling.tiles || kernel_puts(kernel);
            }
    }
}

bool make_schedule(const struct kernel_program *program, const struct loop_params *params, const bool *batches,
                   struct schedule *schedule, const struct access **wrong)
{
    *schedule = start_schedule(program, params);
    for (int k = 0; k < program->count; k++) {
        struct scheduled *s = &schedule->kernels[k];
        const struct loop_params own = of_kernel(params, s);
        struct loop loop;
        if (!make_loop(program->arena, &own, &loop, wrong))
            return false;
        s->geometry = loop.geometry;
        s->form = loop.form;
        if (loop.beside) {
            struct lanes *lanes = arena_copy(program->arena, s->kernel->lanes, sizeof *lanes);
            lanes->beside = loop.beside;
            lanes->laned = loop.laned && lanes->tiles.elements * type_rows[lanes->tree].size >= LANED_LEAST;
            s->kernel->lanes = lanes;
        }
        s->work = estimate(s->kernel, &s->geometry);
        count_traffic(s);
        s->ahead = bytes_to_row(s);
    }
    skip_unneeded(program->arena, schedule);
    join_parts(schedule);
    find_lifetimes(schedule, batches);
    return true;
}

void make_open_schedule(const struct kernel_program *program, const struct loop_params *params,
                        const struct example *examples, int count, struct schedule *schedule)
{
    *schedule = start_schedule(program, params);
    for (int k = 0; k < program->count; k++) {
        struct scheduled *s = &schedule->kernels[k];
        const struct loop_params own = of_kernel(params, s);
        s->likely = ARENA_ARRAY(program->arena, const struct likely *, count);
        for (int e = 0; e < count; e++)
            s->likely[e] = make_likely(program->arena, &own, program->temporary_count, &examples[e]);
    }
}
