/* correlate with many elements of k: one instruction, which goes over its terms in a loop (INS_WEIGH). It reads a
 * temporary, the operand with what lies around it, where each term is so many elements behind the first one, and two
 * lists: where these are, and their weights. Terms are rounded and joined as elsewhere (rule 10.3). */
#include "compiler/check/check.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/lower_impl.h"

#include <math.h>

/* k, where it is an array literal; else NULL. */
static const struct node *array_of(const struct program *program, const struct node *node)
{
    const struct node *k = named_node(program, &program->nodes[program->operands[node->operands + 1]]);
    return k->kind == NODE_ARRAY ? k : NULL;
}

/* The literal of the term with this number; NULL: it is left out. */
static const struct literal *term_literal(const struct lower_params *p, const struct node *node,
                                          const struct node *array, int number)
{
    const bool backwards = p->program->views[node->view].kind == VIEW_CONVOLVE;
    const int element = backwards ? array->operand_count - 1 - number : number;
    const struct literal *literal = &p->program->nodes[p->program->operands[array->operands + element]].literal;
    return literal_number(literal) == 0 ? NULL : literal;
}

bool weights_are_known(const struct program *program, const struct node *node)
{
    const struct node *array = array_of(program, node);
    bool known = true;
    for (int i = 0; array && known && i < array->operand_count; i++)
        known = !program->nodes[program->operands[array->operands + i]].number;
    return known;
}

/* An operand before it was cast to other integers, which saturates. */
static const struct node *uncast(const struct program *program, const struct node *node, int operand)
{
    const struct node *value = named_node(program, operand_node(program, node, operand));
    while (value->kind == NODE_CAST && dtype_is_integer(value->dtype))
        value = named_node(program, operand_node(program, value, 0));
    return value;
}

/* What its elements are at most, and at least where that is negative; infinite: not known. */
static double most_of(const struct program *program, const struct node *value)
{
    const struct value_range range = range_of_dtype(value->dtype);
    double most = 0;
    if (value->dtype == WEFT_BOOL)
        return 1;
    if (value->kind != NODE_ARRAY)
        return !range.known ? HUGE_VAL : range.lo < 0 ? -(double)range.lo : (double)range.hi;
    for (int i = 0; i < value->operand_count; i++)
        most = fmax(most, fabs(literal_number(&operand_node(program, value, i)->literal)));
    return most;
}

/* Whether int16 holds all that an operand is. */
static bool is_narrow(const struct program *program, const struct node *node, int operand)
{
    const struct node *value = uncast(program, node, operand);
    if (value->kind == NODE_ARRAY)
        return most_of(program, value) <= INT16_MAX;
    return value->dtype == WEFT_BOOL || range_fits(range_of_dtype(value->dtype), WEFT_INT16);
}

bool sums_are_narrow(const struct program *program, const struct node *node)
{
    const struct node *k = uncast(program, node, 1);
    double sum = 0;
    for (int i = 0; k->kind == NODE_ARRAY && i < k->operand_count; i++)
        sum += fabs(literal_number(&operand_node(program, k, i)->literal));
    return k->kind == NODE_ARRAY && sum * most_of(program, uncast(program, node, 0)) <= UINT16_MAX;
}

/* Sums of 16 bits need only the low bits of what they are made of. */
enum weft_dtype weighed_dtype(const struct program *program, const struct node *node)
{
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const bool narrow = type_rows[compute].bits < 32 ||
                        (type_rows[compute].bits == 32 && is_narrow(program, node, 0) && is_narrow(program, node, 1));
    return dtype_is_integer(compute) && narrow ? WEFT_INT16 : compute;
}

/* The terms that are not left out, by their numbers. Returns how many they are. */
static int find_terms(struct arena *arena, const struct lower_params *p, const struct node *node, int **terms)
{
    const struct node *array = array_of(p->program, node);
    const int all = (int)shape_volume(p->shapes[p->program->operands[node->operands + 1]]);
    int count = 0;
    *terms = ARENA_ARRAY(arena, int, all + 1);
    for (int n = 0; n < all; n++)
        if (!array || term_literal(p, node, array, n))
            (*terms)[count++] = n;
    return count;
}

/* Where the terms lie behind the first one of all, in runs along the last axis (templates/kernel/weigh_c.h), by the
 * steps along the axes. Returns how many numbers that is. */
static int find_runs(struct arena *arena, const struct lower_params *p, const struct node *node,
                     const int64_t *steps, int64_t **runs)
{
    const struct shape *k = p->shapes[p->program->operands[node->operands + 1]];
    const int64_t row = k->extents[k->rank - 1];
    int *terms, made = 0;
    const int count = find_terms(arena, p, node, &terms);
    *runs = ARENA_ARRAY(arena, int64_t, 2 * (size_t)count + 2);
    (*runs)[1] = steps[k->rank - 1];
    for (int t = 0; t < count; t++) {
        int64_t number = terms[t], place = 0;
        for (int i = k->rank - 1; i >= 0; number /= k->extents[i--])
            place += number % k->extents[i] * steps[i];
        if (!t || terms[t] != terms[t - 1] + 1 || terms[t] % row == 0)
            (*runs)[2 * ++made] = place;
        (*runs)[2 * made + 1]++;
    }
    (*runs)[0] = made;
    return 2 * made + 2;
}

int count_runs(struct arena *arena, const struct lower_params *p, const struct node *node)
{
    const int64_t steps[WEFT_MAX_RANK] = {0};
    int64_t *runs;
    return find_runs(arena, p, node, steps, &runs);
}

/* The elements of the stored operand from one along each axis to the next one; ahead of time perhaps extents. */
static void find_steps(const struct lowering *l, const struct node *node, int64_t *steps)
{
    const struct shape *from = l->temporaries[l->reduced[node_number(l, node)].border].shape;
    const int count = l->shapes[operand_index(l, node, 1)]->rank;
    int at[WEFT_MAX_RANK];
    neighbour_axes(&l->views[node->view], from->rank, count, at);
    for (int i = 0; i < count; i++) {
        const int behind = from->rank - 1 - at[i];
        steps[i] = extent_by(l->open, EXTENT_VOLUME,
                             .shape = shape_new(l->arena, behind, from->extents + at[i] + 1));
    }
}

/* A constant of several elements, of which the kernel loads the first. */
static int load_list(struct lowering *l, const struct node *node, enum weft_dtype dtype, const void *data, int count)
{
    const struct shape *scalar = ARENA_NEW(l->arena, struct shape);
    const int constant = ins_add_constant(l, node_number(l, node), scalar, dtype, data,
                                          (size_t)count * (size_t)type_rows[dtype].size);
    return ins_add_load_under(l, TENSOR_CONSTANT, constant, dtype, 0, node->token);
}

static int load_weights(struct lowering *l, const struct lower_params *p, const struct node *node, const int *terms,
                        int count)
{
    const struct node *array = array_of(l->program, node);
    const enum weft_dtype dtype = weighed_dtype(l->program, node);
    const int temporary = l->reduced[node_number(l, node)].weights, size = type_rows[dtype].size;
    if (temporary >= 0)
        return ins_add_load_under(l, TENSOR_TABLE, temporary, dtype, 0, node->token);
    char *weights = arena_alloc(l->arena, (size_t)count * (size_t)size);
    for (int t = 0; t < count; t++) {
        const union scalar value = literal_become(term_literal(p, node, array, terms[t]), node->dtype, MEET);
        scalar_store(weights + t * size, dtype, eval_convert(node->dtype, dtype, false, value));
    }
    return load_list(l, node, dtype, weights, count);
}

int weigh_neighbours(struct lowering *l, const struct node *node)
{
    const struct reduced *own = &l->reduced[node_number(l, node)];
    const struct shape *from = l->shapes[node_number(l, node)], *to = l->temporaries[own->border].shape;
    const struct lower_params p = {.program = l->program, .shapes = l->shapes, .views = l->views,
                                   .reduced = l->reduced, .temporaries = l->temporaries};
    const enum weft_dtype dtype = weighed_dtype(l->program, node);
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank + 1);
    int64_t steps[WEFT_MAX_RANK], *runs;
    int *terms;
    const int count = find_terms(l->arena, &p, node, &terms);
    for (int d = 0; d < to->rank; d++) {
        const bool known = from->extents[d] >= 0;
        axes[d] = (struct axis){d, {0, known ? from->extents[d] : 0, 1, true, known}, EDGE_VALUE};
    }
    const int map = map_select(l->kernel, l->map, from, to, axes);
    const int x = ins_add_load_under(l, TENSOR_TEMPORARY, own->border, dtype, map, node->token);
    const int weights = load_weights(l, &p, node, terms, count);
    find_steps(l, node, steps);
    const int numbers = own->runs >= 0 ? 0 : find_runs(l->arena, &p, node, steps, &runs);
    const int places = own->runs >= 0 ? ins_add_load_under(l, TENSOR_TABLE, own->runs, WEFT_INT64, 0, node->token)
                                      : load_list(l, node, WEFT_INT64, runs, numbers);
    const enum weft_dtype sums = dtype == WEFT_INT16 ? WEFT_INT32 : dtype;
    const int sum = ins_add(l, (struct ins){INS_WEIGH, OP_COUNT, sums, dtype, {x, weights, places}, count,
                                            node->token});
    return ins_convert(l, sum, node->dtype, false, node->token);
}

int weights_value(struct lowering *l, const struct node *node)
{
    return ins_convert(l, lower_value_as(l, operand_index(l, node, 1), node->dtype, MEET),
                       weighed_dtype(l->program, node), false, node->token);
}

/* A list over the kernel's space. */
static int load_numbers(struct lowering *l, const struct node *node, const int64_t *numbers, int64_t count)
{
    const int constant = ins_add_constant(l, node_number(l, node), shape_new(l->arena, 1, &count), WEFT_INT64, numbers,
                                          (size_t)count * sizeof *numbers);
    return ins_add_load_under(l, TENSOR_CONSTANT, constant, WEFT_INT64, 0, node->token);
}

/* What is known, and for each step that is not, how often it is taken. */
int runs_value(struct lowering *l, const struct node *node)
{
    const struct lower_params p = {.program = l->program, .shapes = l->shapes};
    const int count = l->shapes[operand_index(l, node, 1)]->rank;
    int64_t steps[WEFT_MAX_RANK], own[WEFT_MAX_RANK] = {0}, *runs, *base;
    find_steps(l, node, steps);
    for (int i = 0; i < count; i++)
        own[i] = steps[i] < 0 ? 0 : steps[i];
    const int numbers = find_runs(l->arena, &p, node, own, &base);
    int value = load_numbers(l, node, base, numbers);
    for (int i = 0; i < count; i++) {
        if (steps[i] >= 0)
            continue;
        for (int j = 0; j < count; j++)
            own[j] = i == j;
        find_runs(l->arena, &p, node, own, &runs);
        runs[0] = 0;
        for (int n = 3; n < numbers; n += 2)
            runs[n] = 0;
        const int step = ins_add_load_under(l, TENSOR_NUMBER, (int)steps[i], WEFT_INT64, 0, node->token);
        const int more = ins_add_op(l, OP_MUL, WEFT_INT64, WEFT_INT64,
                                    (int[]){load_numbers(l, node, runs, numbers), step, -1}, node->token);
        value = ins_add_op(l, OP_ADD, WEFT_INT64, WEFT_INT64, (int[]){value, more, -1}, node->token);
    }
    return value;
}
