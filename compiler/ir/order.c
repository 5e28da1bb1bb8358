/* How values lie in memory, and in which order reductions therefore read them: where elements are neighbours, whatever
 * the order of the dimensions. This is a matter of time alone. */
#include "compiler/ir/temporaries.h"

#include "compiler/ir/ir.h"

static const struct in_memory unknown = {0, NULL};

static double bytes_of(const struct shape *shape, enum weft_dtype dtype)
{
    return (double)shape_volume(shape) * type_rows[dtype].size;
}

/* Strides of a dense, row-major tensor. */
static struct in_memory dense(struct arena *arena, const struct shape *shape, enum weft_dtype dtype)
{
    int64_t *strides = ARENA_ARRAY(arena, int64_t, shape->rank);
    for (int64_t d = shape->rank - 1, stride = 1; d >= 0; stride *= shape->extents[d], d--)
        strides[d] = stride;
    return (struct in_memory){bytes_of(shape, dtype), strides};
}

static struct in_memory input(const struct lowering *l, int number, const struct shape *shape, enum weft_dtype dtype)
{
    const struct strided *tensor = &l->inputs[number];
    struct in_memory value = dense(l->arena, shape, dtype);
    if (!tensor->strides || tensor->rank != shape->rank)
        return value;
    int64_t *strides = ARENA_ARRAY(l->arena, int64_t, shape->rank);
    for (int d = 0; d < shape->rank; d++)
        strides[d] = shape->extents[d] == 1 ? 0 : tensor->strides[d]; /* that of one element may be anything */
    return (struct in_memory){value.bytes, strides};
}

/* The value as it is broadcast to a shape: where it stretches, it stays at an element. */
static struct in_memory stretched(const struct lowering *l, int operand, const struct shape *to)
{
    const struct shape *from = l->shapes[operand];
    const struct in_memory value = l->memory[operand];
    int64_t *strides = ARENA_ARRAY(l->arena, int64_t, to->rank);
    const int behind = to->rank - from->rank;
    if (!value.strides || behind < 0)
        return unknown;
    for (int d = 0; d < from->rank; d++)
        strides[behind + d] = from->extents[d] == to->extents[behind + d] ? value.strides[d] : 0;
    return (struct in_memory){value.bytes, strides};
}

/* The operand that takes the most memory says how the value is read. */
static struct in_memory of_operands(const struct lowering *l, const struct node *node, int count)
{
    int most = -1;
    for (int i = 0; i < count; i++) {
        const int operand = l->program->operands[node->operands + i];
        if (l->memory[operand].strides && (most < 0 || l->memory[operand].bytes > l->memory[most].bytes))
            most = operand;
    }
    return most < 0 ? unknown : stretched(l, most, l->shapes[node - l->program->nodes]);
}

/* Where nothing but dimensions of one element are added or removed. */
static struct in_memory squeezed(const struct lowering *l, int operand, const struct shape *to)
{
    const struct shape *from = l->shapes[operand];
    const struct in_memory value = l->memory[operand];
    int64_t *strides = ARENA_ARRAY(l->arena, int64_t, to->rank);
    int at = 0;
    for (int d = 0; d < to->rank; d++) {
        if (to->extents[d] == 1)
            continue;
        while (at < from->rank && from->extents[at] == 1)
            at++;
        if (at == from->rank || from->extents[at] != to->extents[d])
            return unknown;
        strides[d] = value.strides[at++];
    }
    while (at < from->rank && from->extents[at] == 1)
        at++;
    return at == from->rank ? (struct in_memory){value.bytes, strides} : unknown;
}

static struct in_memory viewed(const struct lowering *l, const struct node *node)
{
    const int operand = l->program->operands[node->operands];
    const struct view_args *args = &(l->views ? l->views : l->program->views)[node->view];
    const struct shape *from = l->shapes[operand], *to = l->shapes[node - l->program->nodes];
    const struct in_memory value = l->memory[operand];
    struct view_axis axes[WEFT_MAX_RANK];
    int64_t *strides = ARENA_ARRAY(l->arena, int64_t, to->rank);
    if (!value.strides)
        return unknown;
    if (view_axes(args, from->rank, axes) < 0)
        return squeezed(l, operand, to);
    for (int d = 0; d < from->rank; d++) {
        const int64_t step = axes[d].item && axes[d].item->kind == ITEM_SLICE ? axes[d].item->slice.step : 1;
        const bool one = axes[d].result < 0 || from->extents[d] == 1 || to->extents[axes[d].result] == 1;
        if (!one)                  /* else the step may be anything */
            strides[axes[d].result] = value.strides[d] * step;
    }
    return (struct in_memory){args->items ? bytes_of(to, l->program->nodes[operand].dtype) : value.bytes, strides};
}

static struct in_memory find_memory(const struct lowering *l, const struct node *node)
{
    const struct program *program = l->program;
    const struct shape *shape = l->shapes[node - program->nodes];
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    if (!shape || !shape_volume(shape))
        return unknown;            /* of an input that is not at hand, on which nothing wanted depends; or empty */
    if (symbol && symbol->kind == SYMBOL_BINDING)
        return l->memory[symbol->node];
    switch (node->kind) {
    case NODE_NAME: return symbol->kind == SYMBOL_INPUT ? input(l, symbol->input, shape, node->dtype) : unknown;
    case NODE_OP: return of_operands(l, node, node->operand_count);
    case NODE_CAST: case NODE_WRAP: return of_operands(l, node, 1);
    case NODE_VIEW: return viewed(l, node);
    case NODE_REDUCE: case NODE_SEARCH: return dense(l->arena, shape, node->dtype);
    default: return unknown;
    }
}

void find_orders(struct lowering *l)
{
    if (!(l->fast & FAST_ORDER) || !l->inputs || l->joiner != JOIN_TILES)
        return;
    l->memory = ARENA_ARRAY(l->arena, struct in_memory, l->program->node_count);
    for (int n = 0; n < l->program->node_count; n++)
        l->memory[n] = find_memory(l, &l->program->nodes[n]);
}

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* The dimension along which elements lie nearest to each other; -1: it is not known, or a whole dimension is one
 * element. */
static int nearest(const struct lowering *l, int operand)
{
    const struct shape *shape = l->shapes[operand];
    const int64_t *strides = l->memory ? l->memory[operand].strides : NULL;
    int best = -1;
    for (int d = 0; strides && d < shape->rank; d++) {
        if (shape->extents[d] == 1)
            continue;
        if (!strides[d])
            return -1;
        best = best < 0 || distance(strides[d]) <= distance(strides[best]) ? d : best;
    }
    return best;
}

/* The innermost dimension of more than one element where `inner` parallel ones stand behind those of `set`. */
static int innermost(const struct shape *shape, uint32_t set, int inner)
{
    int last[2] = {-1, -1}, parallel = 0;
    for (int d = shape->rank - 1; d >= 0; d--) {
        const bool reduced = set >> d & 1;
        parallel += !reduced;
        if (shape->extents[d] != 1 && last[reduced] < 0 && (reduced || parallel <= inner))
            last[reduced] = d;
    }
    return last[0] >= 0 ? last[0] : last[1];
}

bool lies_in_rows(const struct lowering *l, int n)
{
    const struct shape *shape = l->shapes[n];
    const int best = nearest(l, n);
    return best < 0 || best == innermost(shape, 0, shape->rank);
}

bool lies_across(const struct lowering *l, int operand, uint32_t set)
{
    const int best = nearest(l, operand);
    return best >= 0 && set >> best & 1 && innermost(l->shapes[operand], set, 0) != best;
}

int inner_by_memory(const struct lowering *l, int operand, uint32_t set, bool any_order, int inner)
{
    const struct shape *shape = l->shapes[operand];
    const int best = nearest(l, operand);
    int64_t least = INT64_MAX;
    int count = 0;
    bool found = false;
    if (best < 0 || innermost(shape, set, inner) == best)
        return inner;
    if (set >> best & 1)
        return any_order || innermost(shape, set, 0) == best ? 0 : inner;
    for (int d = 0; d < shape->rank; d++)
        if (set >> d & 1 && shape->extents[d] != 1 && distance(l->memory[operand].strides[d]) < least)
            least = distance(l->memory[operand].strides[d]);
    for (int d = shape->rank - 1; d >= 0; d--) {
        if (set >> d & 1)
            continue;
        if (shape->extents[d] != 1 && distance(l->memory[operand].strides[d]) >= least)
            break;
        found = found || d == best;
        count++;
    }
    return found ? count : inner;
}

void sort_by_memory(const struct lowering *l, int operand, uint32_t set, int *dimensions, int count)
{
    const int best = nearest(l, operand);
    for (int i = 1; best >= 0 && set >> best & 1 && i < count; i++)
        for (int k = i; k > 0 && distance(l->memory[operand].strides[dimensions[k]]) >
                                 distance(l->memory[operand].strides[dimensions[k - 1]]); k--) {
            const int other = dimensions[k];
            dimensions[k] = dimensions[k - 1];
            dimensions[k - 1] = other;
        }
}
