/* Implements temporaries.h: the pass REDUCTIONS. */
#include "compiler/ir/temporaries.h"

#include "compiler/ir/ir.h"
#include "compiler/ir/reduce_impl.h"

struct lower_params lower_params(const struct lowering *l)
{
    return (struct lower_params){l->program, program_asks_shapes(l->program) ? l->shapes : NULL, l->values, l->views,
                                 l->open != NULL, l->reduced, l->kernels->temporaries, l->diags, l->open, l->positions,
                                 l->position_count, l->batches, l->room};
}

const struct shape *in_numbers(const struct open_extents *open, const struct shape *shape)
{
    return open ? open->example(open->user, shape) : shape;
}

/* Whether the elements may be reduced in any order of their dimensions. Where argmin and argmax look for an extreme
 * element in row-major order, the reduction that finds it has their order: both have the same tiles. */
static bool any_order(const struct lowering *l, const struct node *node)
{
    const struct program *program = l->program;
    const enum weft_dtype operand = operand_node(program, node, 0)->dtype;
    bool any = l->memory && node->kind == NODE_REDUCE && !join_is_ordered(node->join, join_dtype(node->join, operand));
    for (int n = 0; any && n < program->node_count; n++)
        any = program->nodes[n].kind != NODE_SEARCH || program->nodes[n].reduction != node->reduction;
    return any;
}

/* Whether bools are joined, of which the library takes 64 at a time, whatever the length of their rows. */
static bool joins_bits(const struct lowering *l, const struct node *node)
{
    return node->kind == NODE_REDUCE && (node->join == JOIN_ANY || node->join == JOIN_ALL) && l->fast & FAST_JOINS;
}

/* Whether what are joined as bools are the numbers of an input, as they lie: those of types in joins.def. */
static bool joins_numbers(const struct lowering *l, const struct node *node)
{
    const struct node *from = named_node(l->program, operand_node(l->program, node, 0));
    if (l->joiner != JOIN_TILES || l->open)
        return false;
    const int64_t elements = shape_volume(l->shapes[l->program->operands[node->operands]]);
    const int64_t points = shape_volume(l->shapes[node - l->program->nodes]);
    return joins_bits(l, node) && points && elements > points && from->kind == NODE_NAME &&
           (from->dtype == WEFT_UINT8 || from->dtype == WEFT_INT32 || from->dtype == WEFT_FLOAT32 ||
            from->dtype == WEFT_FLOAT64);
}

static bool is_sum_or_extreme(const struct node *node)
{
    return join_is_sum(node->join) || node->join == JOIN_LEAST || node->join == JOIN_GREATEST;
}

/* Whether the library joins sixteen rows of floats in registers (REGISTER_ROW in joins.c, ymm.inc). */
static bool joins_registers(const struct lowering *l, const struct node *node)
{
    const enum weft_dtype dtype = operand_node(l->program, node, 0)->dtype;
    return is_sum_or_extreme(node) && l->row_bytes && (dtype == WEFT_FLOAT32 || dtype == WEFT_FLOAT64);
}

/* The fewest elements of rows that are reduced side by side. */
static int64_t least_short(const struct lowering *l, const struct node *node)
{
    const bool is_long = operand_node(l->program, node, 0)->dtype == WEFT_FLOAT64;
    return joins_bits(l, node) ? 2 : is_long && joins_registers(l, node) ? SHORT_LONG : SHORT_LEAST;
}

/* Whether a kernel reduces short rows side by side: those of the innermost dimensions. */
static bool are_short(const struct lowering *l, const struct node *node, const struct shape *shape, uint32_t set,
                      int64_t elements)
{
    int64_t innermost = 1;
    for (int d = shape->rank - 1; d >= 0 && (set >> d & 1 || shape->extents[d] == 1); d--)
        innermost *= shape->extents[d];
    return l->joiner == JOIN_TILES && !l->open && l->fast & FAST_EXPAND && innermost == elements &&
           elements >= least_short(l, node) && elements <= SHORT_ROW &&
           shape_volume(shape) / elements >= SHORT_ROWS;
}

/* How many parallel dimensions follow the reduced ones: those that are innermost in the value, so that their elements
 * are neighbours; all of them where so few elements are reduced that lanes would hardly be used. Where extents are open
 * an example decides, and without one there are many elements. */
static int inner_dimensions(const struct lowering *l, const struct node *node, uint32_t set)
{
    enum { FEW = 64 };
    const int operand = l->program->operands[node->operands];
    const struct shape *open = l->shapes[operand];
    int64_t elements = 1, inner = 1;
    int trailing = 0, parallel = 0;
    bool known = true;
    const enum joiner joiner = l->joiner;
    const struct shape *numbers = in_numbers(l->open, open), *shape = numbers ? numbers : open;
    for (int d = shape->rank - 1; joiner != JOIN_KERNELS && d >= 0; d--) {
        const bool reduced = set >> d & 1;
        const int64_t own = shape->extents[d], extent = numbers || own == 0 || own == 1 ? own : 2;
        elements *= reduced ? extent : 1;
        known = known && (!reduced || open->extents[d] >= 0);
        trailing += !reduced && trailing == shape->rank - 1 - d;
        inner *= trailing == shape->rank - d ? extent : 1;
        parallel += !reduced;
    }
    const bool few = joiner == JOIN_THREADS ? known && results_are_inner(elements, inner)
                                            : numbers && elements * inner <= FEW &&
                                                  !are_short(l, node, shape, set, elements);
    if (elements < 2 || few)
        return elements < 2 ? 0 : parallel;
    return inner_by_memory(l, operand, set, any_order(l, node), trailing);
}

/* Whether tiles stop a search once they have what is looked for. Many neighbouring results are computed side by side
 * instead, from the positions of all elements. */
static bool search_stops(const struct lowering *l, const struct node *node)
{
    if (l->joiner != JOIN_TILES || l->open)
        return false;
    const struct shape *shape = l->shapes[l->program->operands[node->operands]];
    const struct shape *points = l->shapes[node - l->program->nodes];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    int64_t inner = 1;
    for (int d = shape->rank - 1, left = inner_dimensions(l, node, set); left; d--)
        if (!(set >> d & 1)) {
            inner *= shape->extents[d];
            left--;
        }
    return inner < SEARCH_RESULTS && shape_volume(shape) > shape_volume(points) && shape_volume(points) > 0;
}

/* The type in which a search's operand is joined to its extreme element. */
static enum weft_dtype extreme_dtype(const struct lowering *l, const struct node *node)
{
    return join_dtype(operand_node(l->program, node, 1)->join, operand_node(l->program, node, 0)->dtype);
}

/* Whether the elements that are reduced lie side by side. */
static bool lie_innermost(const struct lowering *l, const struct node *node)
{
    const int operand = l->program->operands[node->operands];
    const struct shape *shape = l->shapes[operand];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    int64_t parallel = 1;
    int d = shape->rank;
    while (--d >= 0 && (set >> d & 1 || shape->extents[d] == 1))
        ;
    for (; d >= 0; d--)
        parallel *= set >> d & 1 ? 0 : shape->extents[d];
    return parallel && inner_by_memory(l, operand, set, false, 0) == 0;
}

/* Whether a kernel keeps the position of a search's extreme element while it joins it, as one tile takes all of a
 * result: so no other kernel looks for it. The library does that, for the types of joins.def. */
static bool keeps_places(const struct lowering *l, const struct node *node)
{
    const unsigned wanted = FAST_REDUCE | FAST_JOINS | FAST_SKIP;
    if (node->kind != NODE_SEARCH || (l->fast & wanted) != wanted || l->joiner != JOIN_TILES || l->open)
        return false;
    const enum weft_dtype dtype = type_rows[extreme_dtype(l, node)].compute;
    const int64_t points = shape_volume(l->shapes[node - l->program->nodes]);
    const int64_t elements = points ? shape_volume(l->shapes[l->program->operands[node->operands]]) / points : 0;
    return elements > 1 && (lie_innermost(l, node) || search_stops(l, node)) &&
           (dtype == WEFT_FLOAT32 || dtype == WEFT_FLOAT64 || dtype == WEFT_INT32 || dtype == WEFT_INT64 ||
            dtype == WEFT_UINT8) &&
           deal_tiles(points, elements, 1, false, false).tiles.chunks == 1;
}

/* Finds the nodes that the wanted results need. */
static bool *find_needed(const struct lowering *l)
{
    const struct program *program = l->program;
    bool *needed = ARENA_ARRAY(l->arena, bool, program->node_count + 1);
    for (int r = 0; r < program->result_count; r++)
        needed[program->results[r].node] |= !l->taken || l->taken[r];
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        const int operands = !needed[n] || node->kind == NODE_POSITION ? 0
                             : keeps_places(l, node) ? 1 : node->operand_count;
        for (int i = 0; i < operands; i++)
            needed[program->operands[node->operands + i]] = true;
        if (needed[n] && symbol && symbol->kind == SYMBOL_BINDING)
            needed[symbol->node] = true;
    }
    return needed;
}

/* A reduction while it is lowered: its parallel dimensions come first, then those that are reduced. */
struct reducing {
    const struct node *node;
    struct lowered_value value;
    int reduced, inner;            /* as in struct program_kernel */
    enum weft_dtype dtype;         /* in which values are joined */
    enum join join;
    bool finds, places, across;    /* as in struct reduce */
};

/* The number of parallel dimensions behind dimension d. */
static int parallel_behind(uint32_t set, int rank, int d)
{
    int count = 0;
    while (++d < rank)
        count += !(set >> d & 1);
    return count;
}

static struct reducing order_dimensions(const struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const bool places = keeps_places(l, node), searches = node->kind == NODE_SEARCH && !places;
    const bool finds = searches && search_stops(l, node);
    const int operand = l->program->operands[node->operands];
    const struct shape *shape = l->shapes[operand];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    struct shape *space = arena_copy(l->arena, shape, sizeof *shape);
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, shape->rank);
    const int inner = finds || places ? 0 : inner_dimensions(l, node, set);
    int order[WEFT_MAX_RANK], count = 0, ends[3];
    for (int last = 0; last < 3; last++) {
        for (int d = 0; d < shape->rank; d++)
            if ((set >> d & 1 ? 1 : parallel_behind(set, shape->rank, d) < inner ? 2 : 0) == last)
                order[count++] = d;
        ends[last] = count;
    }
    const bool any = any_order(l, node);
    if (any)
        sort_by_memory(l, operand, set, order + ends[0], ends[1] - ends[0]);
    for (int i = 0; i < count; i++) {
        axes[order[i]] = (struct axis){i, {.step = 1}};
        space->extents[i] = shape->extents[order[i]];
    }
    space->rigid = 0;
    const struct lowered_value value = {.node = operand, .space = space, .axes = axes, .positions = -1,
                                        .sought = searches ? l->program->operands[node->operands + 1] : -1};
    const enum join join = places ? operand_node(l->program, node, 1)->join : node->join;
    return (struct reducing){node, value, ends[1] - ends[0], inner,
                             searches ? WEFT_INT64 : join_dtype(join, l->program->nodes[operand].dtype), join, finds,
                             places, !any && lies_across(l, operand, set)};
}

/* The temporary with the final values of an equal reduction; -1: there is none. */
static int find_reduction(const struct lowering *l, const struct program_kernel *kernel)
{
    for (int k = 0; k < l->kernels->count; k++)
        if (reductions_equal(&l->kernels->kernels[k], kernel))
            return l->kernels->kernels[k].reduce->to;
    return -1;
}

/* Adds a kernel that computes what is reduced, unless there is an equal one. Returns the temporary for the final
 * values; -1 with a diagnostic. */
static int add_reduction(struct lowering *l, const struct reducing *reduction, enum value_part part,
                         enum weft_dtype dtype, enum weft_dtype result)
{
    const struct node *node = reduction->node;
    const struct lower_params params = lower_params(l);
    struct lowered_value value = reduction->value;
    const bool as_they_lie = joins_numbers(l, node) && !reduction->inner; /* the library joins these */
    value.dtype = reduction->finds ? WEFT_BOOL : as_they_lie ? operand_node(l->program, node, 0)->dtype : dtype;
    value.part = part;
    value.place = node->token;
    const enum weft_dtype joined = part == PART_LOW ? WEFT_UINT64 : dtype;
    value.temporary = add_temporary(l->kernels, reduction->finds ? WEFT_BOOL : joined, value.space);
    struct kernel *kernel = lower_value(l->arena, &params, &value);
    if (!kernel)
        return -1;
    const int extreme = reduction->finds && l->fast & FAST_SKIP ? l->reduced[value.sought].temporary : -1;
    struct reduce how = {reduction->join, joined, result, reduction->finds, reduction->places, extreme,
                         reduction->across, -1, node->token};
    struct program_kernel whole = {.kernel = kernel, .space = value.space, .reduced = reduction->reduced,
                                   .inner = reduction->inner, .reduce = &how};
    const int found = find_reduction(l, &whole);
    if (found >= 0) {
        l->kernels->temporary_count--; /* of the values, the last one so far */
        return found;
    }
    how.to = add_temporary(l->kernels, result, l->shapes[node - l->program->nodes]);
    whole.reduce = arena_copy(l->arena, &how, sizeof how);
    add_kernel(l->kernels, whole);
    return how.to;
}

/* The temporary with the float64 of sums of high and low bits; -1: there is none yet. */
static int find_total(const struct lowering *l, int high, int low)
{
    for (int k = 0; k < l->kernels->count; k++) {
        const struct kernel *kernel = l->kernels->kernels[k].kernel;
        const struct access *a = kernel->accesses;
        if (!l->kernels->kernels[k].reduce && kernel->load_count == 2 && kernel->access_count == 3 &&
            a[0].kind == TENSOR_TEMPORARY && a[0].index == high && !a[0].map &&
            a[1].kind == TENSOR_TEMPORARY && a[1].index == low && !a[1].map && a[2].dtype == WEFT_FLOAT64)
            return a[2].index;
    }
    return -1;
}

/* The exact sum of 64-bit integers as a float64. */
static int add_exact_total(struct lowering *l, const struct reducing *reduction, enum weft_dtype dtype)
{
    const struct node *node = reduction->node;
    const int high = add_reduction(l, reduction, PART_HIGH, dtype, dtype);
    const int low = high < 0 ? -1 : add_reduction(l, reduction, PART_LOW, dtype, WEFT_UINT64);
    const int found = low < 0 ? -1 : find_total(l, high, low);
    if (low < 0 || found >= 0)
        return found;
    const int to = add_temporary(l->kernels, WEFT_FLOAT64, l->shapes[node - l->program->nodes]);
    add_total(l->kernels, high, low, to, node->token);
    return to;
}

/* Whether the node's value is cheap to compute once more: few operations, all of them exact, and no reduction.
 * `literals`: with arrays of the text. */
static bool is_cheap(const struct lowering *l, int n, bool literals, int *most)
{
    const struct node *node = named_node(l->program, &l->program->nodes[n]);
    bool cheap = (*most)-- > 0 && (node->kind == NODE_NAME || node->kind == NODE_OP || node->kind == NODE_CAST ||
                                   (literals && node->kind == NODE_ARRAY) || node->literal.kind != LITERAL_NONE);
    const int operands = node->kind == NODE_ARRAY ? 0 : node->kind == NODE_CAST ? 1 : node->operand_count;
    cheap = cheap && !(node->kind == NODE_OP && op_rows[node->op].ulp32 > 0);
    for (int i = 0; cheap && i < operands; i++)
        cheap = is_cheap(l, l->program->operands[node->operands + i], literals, most);
    return cheap;
}

/* Whether a reduction joins what is made of the node's value. */
static bool is_joined_again(const struct lowering *l, int n)
{
    const struct program *program = l->program;
    bool *made = ARENA_ARRAY(l->arena, bool, program->node_count + 1), again = false;
    made[n] = true;
    for (int i = n + 1; i < program->node_count; i++) {
        const struct node *node = &program->nodes[i];
        made[i] = made[named_node(program, node) - program->nodes];
        for (int k = 0; k < node->operand_count; k++)
            made[i] = made[i] || made[program->operands[node->operands + k]];
        again = again || (made[i] && node->kind == NODE_REDUCE);
    }
    return again;
}

/* Whether a value is computed from this type alone, and numbers. */
static bool is_of(const struct lowering *l, int n, enum weft_dtype dtype)
{
    const struct node *node = named_node(l->program, &l->program->nodes[n]);
    bool is = node->kind != NODE_NAME || node->dtype == dtype;
    for (int i = 0; is && node->kind == NODE_OP && i < node->operand_count; i++)
        is = is_of(l, l->program->operands[node->operands + i], dtype);
    return is && node->kind != NODE_CAST;
}

/* The most elements of a row of floats that are joined where the value is used, although the library joins sixteen such
 * rows in registers: of float32 from 5 elements of an input on that takes 0.45 to 0.6 of the time, from 7 that are
 * computed 0.5 to 0.85; of float64 from SHORT_LONG of an input on, from 5 computed ones 0.5 to 0.85. In registers of 32
 * bytes computed ones are as those of an input. 0: the library does not. */
static int most_words(const struct lowering *l, int n, const struct shape *reduced)
{
    enum { READ = 4, COMPUTED = 6, COMPUTED_LONG = 4 };
    const struct node *node = &l->program->nodes[n];
    const int operand = l->program->operands[node->operands];
    const struct shape *shape = l->shapes[operand];
    const enum weft_dtype dtype = l->program->nodes[operand].dtype;
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    if (!joins_registers(l, node) || !is_of(l, operand, dtype) ||
        !are_short(l, node, shape, set, shape_volume(reduced)))
        return 0;
    if (l->row_bytes == 32 || named_node(l->program, &l->program->nodes[operand])->kind == NODE_NAME)
        return dtype == WEFT_FLOAT64 ? SHORT_LONG - 1 : READ;
    return dtype == WEFT_FLOAT64 ? COMPUTED_LONG : COMPUTED;
}

/* Whether short rows of bools are reduced or counted, which the library joins. Not what is computed of up to 8 bytes,
 * as 8 uint8 or 4 float16: joined where the value is used, by vectors that are taken apart, such rows take 0.45 to 0.9
 * of the time. */
static bool are_bits(const struct lowering *l, int n, const struct shape *reduced)
{
    const struct node *node = &l->program->nodes[n], *from = operand_node(l->program, node, 0);
    const struct shape *shape = l->shapes[from - l->program->nodes];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    const bool counts = from->dtype == WEFT_BOOL && join_is_sum(node->join);
    if (from->dtype == WEFT_BOOL && from->operand_count)
        from = operand_node(l->program, from, 0); /* of a comparison */
    return (joins_bits(l, node) || (counts && l->fast & FAST_JOINS)) &&
           ((joins_numbers(l, node) && l->row_bytes) ||
            type_rows[from->dtype].size * shape_volume(reduced) > 8) &&
           are_short(l, node, shape, set, shape_volume(reduced));
}

/* Whether the library joins rows of these in registers of 32 bytes or, bytes, in words: from 5 elements on that takes
 * 0.25 to 0.95 of the time of joining them where the value is used (AMD EPYC, Zen 1). */
static bool joins_halves(const struct lowering *l, const struct node *node)
{
    const enum weft_dtype dtype = operand_node(l->program, node, 0)->dtype;
    if (l->row_bytes != 32 || !(l->fast & FAST_JOINS) || !is_sum_or_extreme(node))
        return false;
    switch (dtype) {
    case WEFT_BOOL: return join_is_sum(node->join);
    case WEFT_UINT8: case WEFT_INT32: case WEFT_INT64: case WEFT_UINT64: /* others may become ones of fewer bits */
        return is_of(l, l->program->operands[node->operands], dtype) &&
               (join_is_sum(node->join) || dtype != WEFT_UINT64);
    default: return dtype_is_float(dtype);
    }
}

/* The most elements of a reduction that may be joined where its value is used. A value of each element, which other
 * reductions need, as in softmax: of rows of 3 and 4 that takes 1.1 to 2.3 times as long, but for bytes. */
static int most_few(const struct lowering *l, int n, const struct shape *reduced)
{
    enum { FEW = 8, FEW_HALVES = 4, FEW_BITS = 1, FEW_KEPT = 4, FEW_AGAIN = 2 };
    const struct node *node = &l->program->nodes[n];
    const bool bytes = type_rows[operand_node(l->program, node, 0)->dtype].size == 1;
    if (node->keepdims) /* used by each of them */
        return is_joined_again(l, n) && !bytes ? FEW_AGAIN : FEW_KEPT;
    const int words = most_words(l, n, reduced);
    return are_bits(l, n, reduced) ? FEW_BITS : words ? words : joins_halves(l, node) ? FEW_HALVES : FEW;
}

/* Where few cheap elements are reduced, they are joined where the value is used: nothing is stored, and neighbouring
 * values stand in a vector. Returns their number, else 0. */
static int few_elements(const struct lowering *l, int n, const struct shape *reduced)
{
    enum { COSTS = 8, TIMES = 4, VIEWS = 2 };
    const bool kept = l->program->nodes[n].keepdims;
    int costs = COSTS, times = 0;
    if (!(l->fast & FAST_REDUCE) || !shape_known(reduced) || !shape_volume(reduced) ||
        shape_volume(reduced) > most_few(l, n, reduced) || l->program->view_count > VIEWS ||
        !is_cheap(l, l->program->operands[l->program->nodes[n].operands], !kept || !is_joined_again(l, n), &costs))
        return 0;
    for (int i = 0; i < n; i++)
        times += l->reduced[i].few > 0;
    return times < TIMES ? (int)shape_volume(reduced) : 0; /* each takes maps, whose number is limited */
}

/* The number of elements; where only the call knows it, an extent. */
static int64_t volume_of(const struct lowering *l, const struct shape *shape)
{
    return extent_by(l->open, EXTENT_VOLUME, .shape = shape);
}

/* The temporary with positions over a shape. Adds a kernel that stores them, unless an earlier one does. */
static int stored_positions(struct lowering *l, int n, const struct shape *shape, enum weft_dtype dtype)
{
    for (int i = 0; i < l->position_count; i++)
        if (shapes_equal(l->positions[i].shape, shape) && l->positions[i].dtype == dtype)
            return l->positions[i].temporary;
    const struct stored_positions made = {shape, dtype, store_positions(l->kernels, n, shape, dtype)};
    ARENA_PUSH(l->arena, l->positions, l->position_count, made);
    return made.temporary;
}

/* The positions from which a search takes the first, with extent 1 in dimensions that are not reduced. */
static int search_positions(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const struct shape *shape = l->shapes[l->program->operands[node->operands]];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    const struct shape *own = shape_without(l->arena, shape, ~set, true);
    const bool small = shape_known(own) && shape_volume(own) <= INT32_MAX;
    return stored_positions(l, n, own, small ? WEFT_INT32 : WEFT_INT64);
}

/* Lowers a node whose value other kernels compute, into a temporary. False with a diagnostic. */
static bool lower_reduction(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const enum weft_dtype operand = operand_node(l->program, node, 0)->dtype;
    struct reducing reduction = order_dimensions(l, n);
    const struct shape *space = reduction.value.space;
    const struct shape *reduced =
        shape_new(l->arena, reduction.reduced, space->extents + space->rank - reduction.inner - reduction.reduced);
    struct reduced *made = &l->reduced[n];
    const bool exact = join_rows[node->join].rule == TYPE_TOTAL && dtype_is_integer(operand) &&
                       type_rows[operand].bits == 64;
    if (node->kind == NODE_SEARCH && !reduction.finds && !reduction.places)
        reduction.value.positions = search_positions(l, n);
    if (node->kind == NODE_REDUCE && !exact)
        made->few = few_elements(l, n, reduced);
    if (made->few)
        made->set = reduced_set(&l->program->reductions[node->reduction],
                                l->shapes[l->program->operands[node->operands]]->rank);
    else if (node->kind == NODE_COUNT)
        made->number = volume_of(l, reduced);
    else if (exact)
        made->temporary = add_exact_total(l, &reduction, operand);
    else
        made->temporary = add_reduction(l, &reduction, PART_ALL, reduction.dtype, node->dtype);
    return made->temporary >= 0 || made->few || node->kind == NODE_COUNT;
}

static void lower_positions(struct lowering *l, int n)
{
    if (position_is_stored(l->shapes[n]) && !position_is_sum(l->shapes[n]))
        l->reduced[n].temporary = stored_positions(l, n, l->shapes[n], l->program->nodes[n].dtype);
}

/* A node that takes elements along one dimension, while its positions along the others are stored. */
struct taking {
    struct lowering *l;
    int node;
};

static void store_digit(void *user, const struct shape *shape)
{
    const struct taking *taking = user;
    stored_positions(taking->l, taking->node, shape, WEFT_INT64);
}

/* The dimensions along which a NODE_TAKE has positions. */
static uint32_t taken_axes(const struct lowering *l, const struct node *node)
{
    const struct view_args *args = &l->program->views[node->view];
    const int *operands = &l->program->operands[node->operands];
    const struct shape *value = l->shapes[operands[0]], *positions = l->shapes[operands[1]];
    int at[WEFT_MAX_RANK];
    uint32_t set = 0;
    if (args->kind == VIEW_TAKE)
        return 1u << view_take_axis(args, value->rank);
    const int count = gather_axes(args, value->rank, (int)positions->extents[positions->rank - 1], at);
    for (int i = 0; i < count; i++)
        set |= 1u << at[i];
    return set;
}

/* Stores the positions that take, or a selection with a list, finds elements by. */
static void lower_taking(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const bool selects = node->kind == NODE_VIEW && l->program->views[node->view].kind == VIEW_SELECT;
    struct taking taking = {l, n};
    struct shape all;
    int axis;
    if (node->kind != NODE_TAKE && !selects)
        return;
    const struct view_args *args = &l->program->views[node->view];
    if (args->part)
        return;                    /* places are numbers along the axes alone */
    const struct shape *from = l->shapes[l->program->operands[node->operands]];
    if (!selects)
        take_stored_digits(l->arena, from, taken_axes(l, node), store_digit, &taking);
    else if (view_list_taken(args, from, l->shapes[n], &all, &axis))
        take_stored_digits(l->arena, &all, 1u << axis, store_digit, &taking);
}

bool lower_temporaries(struct lowering *l)
{
    bool good = true;
    const bool again = l->fast & FAST_HOIST && (l->program->reduction_count || any_to_store(l));
    if (!l->program->reduction_count && !l->program->position_count && !again)
        return true;
    find_orders(l);
    const bool *needed = find_needed(l);
    l->room = ARENA_ARRAY(l->arena, int, 2 * (size_t)l->program->node_count + 1);
    l->reduced = ARENA_ARRAY(l->arena, struct reduced, l->program->node_count);
    for (int n = 0; n < l->program->node_count; n++)
        l->reduced[n] = (struct reduced){.temporary = -1, .border = -1, .sums = -1, .weights = -1, .runs = -1};
    const unsigned char *stored = again ? find_stored(l, needed) : NULL;
    for (int n = 0; good && n < l->program->node_count; n++) {
        if (needed[n])
            lower_taking(l, n);
        if (stored && stored[n])
            good = (!(stored[n] & STORE_BORDER) || store_border(l, n, stored[n] & STORE_LOOPED)) &&
                   (!(stored[n] & STORE_LOOPED) || store_weights(l, n)) &&
                   (!(stored[n] & STORE_SUMS) || store_sums(l, n)) &&
                   (!(stored[n] & STORE_VALUE) || store_value(l, n, stored[n] & STORE_TURNS));
        else if (needed[n] && node_is_reduced(&l->program->nodes[n]))
            good = lower_reduction(l, n);
        else if (needed[n] && l->program->nodes[n].kind == NODE_POSITION)
            lower_positions(l, n);
        else if (needed[n] && l->program->nodes[n].kind == NODE_SCATTER)
            good = lower_scatter(l, n);
    }
    return good;
}
