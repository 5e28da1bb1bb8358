/* Loops ahead of time. Results whose extents are surely equal share one. Where shapes are open, what is
 * hoisted and which kinds of access are likely is found out on representative extents: large ones, and small
 * ones for innermost groups that are short. A call that has other kinds takes the general kernel, which is
 * always there, so a bad guess costs time and nothing else. */
#include "compiler/aot/kernel_impl.h"

#include "compiler/ir/ir.h"
#include "compiler/loop/loop.h"

#include <string.h>

/* Multiples of these stand for extents: large, with many divisors, as views may ask for them. */
static const int usual_extents[] = {720, 480, 512, 100, 12, 6}, small_extents[] = {4, 6, 3};

/* Extents of a call as it might be. */
struct example {
    const struct shape **shapes;   /* [node_count], numbers; NULL: views allow none of the examples */
    int64_t *extents;              /* [extent_count] */
};

static int64_t example_extent(const struct example *example, int64_t extent)
{
    return extent >= 0 ? extent : example->extents[EXTENT_VARIABLE - extent];
}

static const struct shape *example_shape(struct aot_kernel *k, const struct example *example,
                                         const struct shape *shape)
{
    struct shape *numbers = arena_copy(k->arena, shape, sizeof *numbers);
    for (int d = 0; d < shape->rank; d++)
        numbers->extents[d] = example_extent(example, shape->extents[d]);
    return numbers;
}

/* Whether all is well with extents that are multiples of `base`. */
static bool try_base(struct aot_kernel *k, int base, struct example *example)
{
    const struct program *program = k->program;
    const struct shape **inputs = ARENA_ARRAY(k->arena, const struct shape *, program->input_count);
    struct diags ignored;
    diags_init(&ignored, k->arena, program->source);
    example->extents = ARENA_ARRAY(k->arena, int64_t, k->extent_count + 1);
    example->shapes = ARENA_ARRAY(k->arena, const struct shape *, program->node_count);
    for (int e = 0; e < k->extent_count; e++)
        example->extents[e] = (int64_t)base * (1 + e % 4);
    for (int i = 0; i < program->input_count; i++)
        inputs[i] = example_shape(k, example, k->inputs[i]);
    if (!infer_shapes(k->arena, program, &ignored, inputs, example->shapes))
        return false;
    for (int n = 0; n < program->node_count; n++)
        for (int d = 0; d < k->shapes[n]->rank; d++)
            if (k->shapes[n]->extents[d] < 0)
                example->extents[EXTENT_VARIABLE - k->shapes[n]->extents[d]] = example->shapes[n]->extents[d];
    return true;
}

static struct example make_example(struct aot_kernel *k, const int *bases, size_t count)
{
    struct example example;
    for (size_t i = 0; i < count; i++)
        if (try_base(k, bases[i], &example))
            return example;
    return (struct example){NULL, NULL};
}

/* ---- loops ---- */

static bool is_reinterpreted(const struct aot_kernel *k, const struct access *access)
{
    return access->kind == TENSOR_INPUT &&
           access->dtype != k->program->symbols[k->program->inputs[access->index]].type.dtype;
}

static bool reinterprets(const struct aot_kernel *k, const struct kernel *kernel)
{
    for (int a = 0; a < kernel->load_count; a++)
        if (is_reinterpreted(k, &kernel->accesses[a]))
            return true;
    return false;
}

const struct shape *aot_access_shape(struct aot_kernel *k, const struct aot_part *part, int a)
{
    static const struct shape bytes = {.rank = 1, .extents = {TABLE_ENTRIES}}, one = {.rank = 0};
    const struct access *access = &part->kernel->accesses[a];
    switch (access->kind) {
    case TENSOR_INPUT: return k->inputs[access->index];
    case TENSOR_CONSTANT: return k->shapes[part->kernel->constants[access->index].node];
    case TENSOR_TEMPORARY: return k->temporaries[access->index].shape;
    case TENSOR_BYTES: return &bytes;
    case TENSOR_TABLE: return a < part->kernel->load_count ? &one : &bytes;
    default: return part->shape;
    }
}

static struct kernel *narrowed(const struct aot_kernel *k, struct kernel *kernel)
{
    return k->target->fast & FAST_NARROW ? narrow(k->arena, kernel) : kernel;
}

/* What a hoisted loop goes over: what its loads broadcast to. It stores temporaries of that shape. */
static void add_hoisted(struct aot_kernel *k, const struct hoisted *hoisted, int from, int order)
{
    const struct span place = k->program->results[0].span;
    for (int t = k->temporary_count; t < hoisted->temporary_count; t++)
        ARENA_PUSH(k->arena, k->temporaries, k->temporary_count,
                   ((struct temporary){hoisted->temporaries[t].dtype, NULL}));
    for (int p = from; p < hoisted->count; p++) {
        struct aot_part part = {.kernel = narrowed(k, hoisted->parts[p].kernel), .order = order};
        const struct kernel *kernel = part.kernel;
        part.shape = ARENA_NEW(k->arena, struct shape);
        for (int a = 0; a < kernel->load_count; a++)
            part.shape = aot_join(k, part.shape, aot_access_shape(k, &part, a), place);
        for (int a = kernel->load_count; a < kernel->access_count; a++)
            k->temporaries[kernel->accesses[a].index].shape = part.shape;
        ARENA_PUSH(k->arena, k->parts, k->part_count, part);
    }
}

/* What the kernel leaves once costly parts of it are taken out. */
static struct kernel *take_out(struct aot_kernel *k, const struct example *example, struct kernel *whole,
                               const struct shape *shape, struct hoisted *hoisted)
{
    const struct shape **shapes = ARENA_ARRAY(k->arena, const struct shape *, whole->load_count + 1);
    const struct aot_part part = {.kernel = whole, .shape = shape};
    if (!example->shapes || reinterprets(k, whole))
        return whole;
    for (int a = 0; a < whole->load_count; a++)
        shapes[a] = example_shape(k, example, aot_access_shape(k, &part, a));
    return hoist(k->arena, whole, example_shape(k, example, shape), shapes, k->target->fast,
                 k->target->launch, hoisted);
}

/* Results of one shape share a loop; those before `first` have one already. */
static const int *same_shape(const struct aot_kernel *k, int first, int *count)
{
    const struct program *program = k->program;
    int *results = NULL;
    *count = 0;
    for (int r = 0; r < program->result_count; r++)
        if (shapes_equal(k->shapes[program->results[r].node], k->shapes[program->results[first].node])) {
            if (r < first)
                return NULL;
            ARENA_PUSH(k->arena, results, *count, r);
        }
    return results;
}

static bool divide(struct aot_kernel *k, const struct example *example)
{
    const struct program *program = k->program;
    struct aot_part *rests = NULL;
    struct hoisted hoisted = {.parts = NULL};
    int rest_count = 0;
    for (int r = 0; r < program->result_count; r++) {
        int count, from = hoisted.count;
        const int *results = same_shape(k, r, &count);
        const struct shape *shape = k->shapes[program->results[r].node];
        if (!results)
            continue;
        struct kernel *whole = lower(k->arena, program, program_asks_shapes(program) ? k->shapes : NULL, results, count,
                                     program->diags);
        if (!whole)
            return false;
        struct kernel *rest = take_out(k, example, whole, shape, &hoisted);
        const struct aot_part part = {.kernel = narrowed(k, rest), .shape = shape, .order = rest_count};
        add_hoisted(k, &hoisted, from, rest_count);
        ARENA_PUSH(k->arena, rests, rest_count, part);
    }
    for (int i = 0; i < rest_count; i++)
        ARENA_PUSH(k->arena, k->parts, k->part_count, rests[i]);
    return true;
}

/* ---- kinds of access ---- */

/* How the access moves in an example; false where its bytes do not lie so. */
static bool example_view(struct aot_kernel *k, const struct example *example, const struct aot_part *part,
                         const struct index_map *maps, int a, struct view *view)
{
    const struct access *access = &part->kernel->accesses[a];
    const struct shape *from = example_shape(k, example, aot_access_shape(k, part, a));
    const struct shape *to = maps[k->target->chunks && aot_is_value(k, access) ? 0 : access->map].to;
    const int size = type_rows[access->dtype].size;
    const bool value = k->target->chunks && aot_is_value(k, access), other = is_reinterpreted(k, access);
    struct pieces pieces, own;
    broadcast_strides(to->rank, to->extents, from->rank, from->extents, NULL, size, view->strides);
    if (value || (!access->map && !other))
        return true;
    pieces_make(&pieces, to->rank, to->extents, view->strides);
    if (other) {
        const int old = type_rows[k->program->symbols[k->program->inputs[access->index]].type.dtype].size;
        pieces_make(&own, 1, &(int64_t){shape_volume(from)}, &(int64_t){old});
        if (!pieces_reinterpret(&own, old, size, &pieces))
            return false;
    }
    view->walk = ARENA_NEW(k->arena, struct walk);
    walk_make(k->arena, maps, access->map, &pieces, view->walk);
    return true;
}

static const struct index_map *example_maps(struct aot_kernel *k, const struct example *example,
                                            const struct aot_part *part)
{
    const int count = part->kernel->map_count;
    struct index_map *maps = ARENA_ARRAY(k->arena, struct index_map, count + 1);
    maps[0] = (struct index_map){.parent = -1, .to = example_shape(k, example, part->shape)};
    for (int m = 1; m < count; m++) {
        const struct index_map *map = &part->kernel->maps[m];
        maps[m] = *map;
        maps[m].from = example_shape(k, example, map->from);
        maps[m].to = example_shape(k, example, map->to);
    }
    return maps;
}

static void add_class(struct aot_kernel *k, struct aot_part *part, const unsigned char *kinds)
{
    const size_t count = (size_t)part->kernel->access_count;
    for (int c = 0; c < part->class_count; c++)
        if (memcmp(part->classes[c].kinds, kinds, count) == 0)
            return;
    ARENA_PUSH(k->arena, part->classes, part->class_count, ((struct aot_class){.kinds = kinds}));
}

/* How an example is walked; NULL where that cannot be told. */
static struct geometry *likely_geometry(struct aot_kernel *k, const struct example *example,
                                        const struct aot_part *part)
{
    const struct kernel *kernel = part->kernel;
    struct view *views = ARENA_ARRAY(k->arena, struct view, kernel->access_count);
    struct geometry *geometry = ARENA_NEW(k->arena, struct geometry);
    if (!example->shapes)
        return NULL;
    const struct index_map *maps = example_maps(k, example, part);
    const struct shape *loop = maps[0].to;
    for (int a = 0; a < kernel->access_count; a++)
        if (!example_view(k, example, part, maps, a, &views[a]))
            return NULL;
    if (shape_volume(loop) < 1)
        return NULL;
    make_geometry(k->arena, kernel, loop->rank, loop->extents, views, k->target->fast & ~(unsigned)FAST_EXPAND,
                  k->target->chunks, geometry);
    return geometry;
}

enum access_kind aot_general_kind(const struct aot_kernel *k, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    if (map_is_bounded(kernel, access->map))
        return ACCESS_BOUNDED;
    return access->map || is_reinterpreted(k, access) ? ACCESS_MAPPED : ACCESS_STRIDED;
}

/* The kernel for any strides. */
static void add_general(struct aot_kernel *k, struct aot_part *part)
{
    const struct kernel *kernel = part->kernel;
    unsigned char *kinds = ARENA_ARRAY(k->arena, unsigned char, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        kinds[a] = aot_general_kind(k, kernel, a);
    ARENA_PUSH(k->arena, part->classes, part->class_count, ((struct aot_class){.kinds = kinds}));
}

/* ---- in place ---- */

/* The order of the last results for which a tensor is read or written; -1: none. */
static int last_use(const struct aot_kernel *k, enum tensor_kind kind, int index)
{
    int last = -1;
    for (int p = 0; p < k->part_count; p++) {
        const struct kernel *kernel = k->parts[p].kernel;
        for (int a = 0; a < kernel->access_count; a++)
            if (kernel->accesses[a].kind == kind && kernel->accesses[a].index == index && k->parts[p].order > last)
                last = k->parts[p].order;
    }
    return last;
}

/* As rule 5.4 has it: every loop that reads the input reads only the element it writes, and none that runs
 * later reads it at all. */
static void find_replaced(struct aot_kernel *k)
{
    const int inputs = k->program->input_count, results = k->program->result_count;
    const bool *viewed = find_viewed(k->arena, k->program);
    k->replaces = ARENA_ARRAY(k->arena, unsigned char, (size_t)inputs * (size_t)results + 1);
    for (int r = 0; r < results; r++)
        for (int i = 0; i < inputs; i++)
            k->replaces[r * inputs + i] =
                !viewed[i] && last_use(k, TENSOR_INPUT, i) <= last_use(k, TENSOR_RESULT, r);
}

static void add_classes(struct aot_kernel *k, const struct example *usual, const struct example *tiny,
                        struct aot_part *part)
{
    const struct geometry *large = likely_geometry(k, usual, part), *little = likely_geometry(k, tiny, part);
    if (k->target->chunks) {
        aot_cuda_classes(k, part, large, little);
        return;
    }
    if (large)
        add_class(k, part, large->kinds);
    if (little)
        add_class(k, part, little->kinds);
    add_general(k, part);
}

bool aot_divide(struct aot_kernel *k)
{
    const struct example usual = make_example(k, usual_extents, sizeof usual_extents / sizeof *usual_extents);
    if (!divide(k, &usual))
        return false;
    const struct example tiny = make_example(k, small_extents, sizeof small_extents / sizeof *small_extents);
    for (int p = 0; p < k->part_count; p++)
        if (k->target->chunks && !aot_check_values(k, &k->parts[p]))
            return false;
    for (int p = 0; p < k->part_count; p++)
        add_classes(k, &usual, &tiny, &k->parts[p]);
    find_replaced(k);
    return true;
}
