/* Makes the loops of a kernel ahead of time. Results whose extents are certainly equal share one. Where shapes are
 * open, examples decide what is materialized and which kinds of access are likely: large extents, and small ones for
 * short innermost groups. A call with other kinds takes the general kernel, which is always there. So a bad guess
 * costs time and nothing else. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

/* Examples use multiples of these for open extents: large ones with many divisors, since views may divide them. */
static const int usual_extents[] = {720, 480, 512, 100, 12, 6}, small_extents[] = {4, 6, 3};

enum { LIKELY = 3 };              /* calls for which C kernels are made; see divide */

/* The extents of an example call. */
struct example_call {
    const struct aot_kernel *k;
    const struct shape **shapes;   /* [node_count] shapes in numbers; NULL: views allow none of the examples */
    int64_t *extents;              /* [extent_count] of nodes; others are computed from them */
    int extent_count;
};

static int64_t example_extent(const struct aot_kernel *k, const struct example_call *example, int64_t extent);

/* Computes an extent that is no node's. */
static int64_t compute_extent(const struct aot_kernel *k, const struct example_call *example, struct extent_term term)
{
    struct shape numbers = {0};
    int64_t *const operands[] = {&term.a, &term.b, &term.c};
    for (int i = 0; i < 3; i++)
        *operands[i] = example_extent(k, example, *operands[i]);
    if (term.op == EXTENT_LANES)
        return term.threads ? threads_left(term.a, term.b, term.c, term.threads)
                            : lanes_left(term.a, term.b, term.c, term.ordered);
    for (int d = 0; term.shape && d < term.shape->rank; d++)
        numbers.extents[numbers.rank++] = example_extent(k, example, term.shape->extents[d]);
    term.shape = term.shape ? &numbers : NULL;
    return extent_compute(NULL, &term);
}

static int64_t example_extent(const struct aot_kernel *k, const struct example_call *example, int64_t extent)
{
    const int64_t number = EXTENT_VARIABLE - extent;
    const bool found = extent < 0 && number < example->extent_count && example->extents[number] >= 0;
    return extent >= 0 ? extent : found ? example->extents[number] : compute_extent(k, example, k->terms[number]);
}

static const struct shape *example_shape(struct aot_kernel *k, const struct example_call *example,
                                         const struct shape *shape)
{
    struct shape *numbers = arena_copy(k->arena, shape, sizeof *numbers);
    for (int d = 0; d < shape->rank; d++)
        numbers->extents[d] = example_extent(k, example, shape->extents[d]);
    return numbers;
}

/* Every parameter that sizes are made of is a quarter of `base`. */
static const struct contents *example_contents(struct aot_kernel *k, int base)
{
    struct contents *contents = ARENA_ARRAY(k->arena, struct contents, k->program->input_count + 1);
    struct literal *value = ARENA_NEW(k->arena, struct literal);
    *value = (struct literal){.kind = LITERAL_INTEGER, .integer = base / 4};
    for (int i = 0; i < k->program->input_count; i++)
        contents[i] = (struct contents){1, value};
    return contents;
}

static void example_numbers(const struct numbers *values, const struct numbers *slots, struct example_call *example)
{
    for (int i = 0; slots->sizes && i < slots->count; i++)
        if (slots->items[i].kind == LITERAL_NONE)
            example->extents[EXTENT_VARIABLE - (int64_t)slots->items[i].integer] = (int64_t)values->items[i].integer;
}

/* Takes the values of size expressions from a view. Those of shapes are extents of nodes. */
static void example_bounds(const struct view_args *values, const struct view_args *slots, struct example_call *example)
{
    example_numbers(&values->counts, &slots->counts, example);
    example_numbers(&values->offsets, &slots->offsets, example);
    example_numbers(&values->before, &slots->before, example);
    example_numbers(&values->after, &slots->after, example);
    for (int i = 0; i < slots->item_count; i++) {
        const struct slice *slice = &slots->items[i].slice, *value = &values->items[i].slice;
        const int64_t places[] = {slice->start, slice->stop, slice->step},
                      numbers[] = {value->start, value->stop, value->step};
        for (int b = 0; item_is_number(&slots->items[i]) && b < BOUND_COUNT; b++)
            if (slice->open >> b & 1)
                example->extents[places[b]] = numbers[b];
    }
}

/* Makes an example whose extents are multiples of `base`. False where shapes do not fit. */
static bool try_base(struct aot_kernel *k, int base, struct example_call *example)
{
    const struct program *program = k->program;
    const struct shape **inputs = ARENA_ARRAY(k->arena, const struct shape *, program->input_count);
    struct diags ignored = {.arena = k->arena, .source = program->source};
    *example = (struct example_call){.k = k, .extent_count = k->node_extents,
                                .extents = ARENA_ARRAY(k->arena, int64_t, k->node_extents + 1),
                                .shapes = ARENA_ARRAY(k->arena, const struct shape *, program->node_count)};
    for (int e = 0; e < k->node_extents; e++)
        example->extents[e] = k->terms[e].op == EXTENT_GIVEN ? (int64_t)base * (1 + e % 4) : -1;
    for (int i = 0; i < program->input_count; i++)
        inputs[i] = example_shape(k, example, k->inputs[i]);
    struct view_args *views = arena_copy(k->arena, program->views, (size_t)program->view_count * sizeof *views);
    const struct contents *contents = example_contents(k, base);
    if (!infer_shapes(k->arena, program, &ignored, inputs, contents, NULL, example->shapes, views))
        return false;
    for (int v = 0; v < program->view_count; v++)
        example_bounds(&views[v], &k->views[v], example);
    for (int n = 0; n < program->node_count; n++)
        for (int d = 0; d < k->shapes[n]->rank; d++)
            if (k->shapes[n]->extents[d] < 0)
                example->extents[EXTENT_VARIABLE - k->shapes[n]->extents[d]] = example->shapes[n]->extents[d];
    return true;
}

static struct example_call *make_example(struct aot_kernel *k, const int *bases, size_t count)
{
    struct example_call *example = ARENA_NEW(k->arena, struct example_call);
    for (size_t i = 0; i < count; i++)
        if (try_base(k, bases[i], example))
            return example;
    *example = (struct example_call){.k = k};
    return example;
}

/* ---- loops ---- */

static struct access_shapes shapes_of(const struct aot_kernel *k)
{
    return (struct access_shapes){k->program, k->inputs, k->shapes, k->temporaries};
}

const struct shape *aot_access_shape(struct aot_kernel *k, const struct aot_loop *loop, int a)
{
    const struct access_shapes shapes = shapes_of(k);
    return access_shape(&shapes, loop->kernel, loop->shape, a);
}

static const struct shape *ask_example(void *user, const struct shape *shape)
{
    struct aot_kernel *k = user;
    return k->usual->shapes ? example_shape(k, k->usual, shape) : NULL;
}

static int64_t example_number(void *user, int64_t extent)
{
    const struct example_call *call = user;
    return example_extent(call->k, call, extent);
}

static int64_t example_bound(void *user, int64_t place)
{
    return ((const struct example_call *)user)->extents[place];
}

/* The likely calls for which loops are made. Transposed and gathered operands have tiles of their own, with which only
 * kernels in C with large extents are likely. */
static struct example likely_call(const struct aot_kernel *k, struct example_call *call, unsigned without)
{
    return (struct example){call, example_number, example_bound, call->shapes, without, k->target->device};
}

/* Makes the schedule, with loops for likely calls. */
static bool divide(struct aot_kernel *k, struct schedule *schedule)
{
    struct example_call *usual = make_example(k, usual_extents, sizeof usual_extents / sizeof *usual_extents),
                        *tiny = make_example(k, small_extents, sizeof small_extents / sizeof *small_extents);
    struct open_extents open = aot_open_extents(k);
    const struct example usual_plain = likely_call(k, usual, FAST_TRANSPOSE | FAST_INTERLEAVE),
                         tiny_plain = likely_call(k, tiny, FAST_TRANSPOSE | FAST_INTERLEAVE);
    const struct example examples[] = {likely_call(k, usual, 0), usual_plain, tiny_plain};
    const bool gpu = k->target->chunks; /* where nothing is transposed or gathered */
    k->usual = usual;
    open.example = ask_example;
    struct pipeline pipeline = {.arena = k->arena, .program = k->program, .target = k->target,
                                .fast = k->target->fast & FAST_AHEAD, .inputs = k->inputs, .shapes = k->shapes,
                                .views = k->views, .open = &open, .diags = k->program->diags, .tuning = tuning_for(0),
                                .examples = examples + gpu, .example_count = LIKELY - gpu};
    if (!pipeline_run(&pipeline, PASS_REDUCTIONS, PASS_LOOPS))
        return false;
    *schedule = pipeline.schedule;
    k->temporaries = pipeline.kernels.temporaries;
    k->temporary_count = schedule->temporary_count;
    for (int i = 0; i < schedule->count; i++) {
        const struct scheduled *s = &schedule->kernels[i];
        const struct aot_loop loop = {.kernel = s->kernel, .shape = s->space, .order = s->order};
        ARENA_PUSH(k->arena, k->loops, k->loop_count, loop);
    }
    return true;
}

/* ---- in place ---- */

/* The order of the last results for which a tensor is read or written; -1: none. */
static int last_use(const struct aot_kernel *k, enum tensor_kind kind, int index)
{
    int last = -1;
    for (int p = 0; p < k->loop_count; p++) {
        const struct kernel *kernel = k->loops[p].kernel;
        for (int a = 0; a < kernel->access_count; a++)
            if (kernel->accesses[a].kind == kind && kernel->accesses[a].index == index && k->loops[p].order > last)
                last = k->loops[p].order;
    }
    return last;
}

/* Applies rule 5.4: each loop that reads the input reads only the element that it writes, and no
 * later loop reads the input. */
static void find_replaced(struct aot_kernel *k)
{
    const int inputs = k->program->input_count, results = k->program->result_count;
    const int *viewed = find_viewed(k->arena, k->program);
    k->replaces = ARENA_ARRAY(k->arena, unsigned char, (size_t)inputs * (size_t)results + 1);
    for (int r = 0; r < results; r++)
        for (int i = 0; i < inputs; i++)
            k->replaces[r * inputs + i] =
                viewed[i] < 0 && last_use(k, TENSOR_INPUT, i) <= last_use(k, TENSOR_RESULT, r);
}

bool aot_divide(struct aot_kernel *k)
{
    struct schedule schedule;
    if (!divide(k, &schedule))
        return false;
    k->operands = dense_operands(k->arena, k->inputs, k->program->input_count, k->target->device);
    for (int p = 0; p < k->loop_count; p++)
        if (k->target->chunks && !aot_check_values(k, &k->loops[p]))
            return false;
    for (int p = 0; p < k->loop_count; p++) {
        const struct likely *const *likely = schedule.kernels[p].likely;
        if (k->target->chunks)
            aot_cuda_classes(k, &k->loops[p], likely[0], likely[1]);
        else
            aot_c_classes(k, &k->loops[p], likely, LIKELY);
    }
    find_replaced(k);
    return true;
}
