/* Lowering: makes flat SSA of the nodes that some results need, each under the index maps of the views above it.
 * Divisions by zero and positions outside become faults that count only where the value is used (rule 4.4).
 *
 * Invariant: an instruction's operands come before it, so no pass over instructions recurses. */
#include "compiler/check/check.h"
#include "compiler/lang/lang.h"
#include "compiler/ir/lower_impl.h"

#include <string.h>

/* ---- nodes ---- */

/* Whether two array literals have the same shape. */
static bool same_extents(const struct program *program, int a, int b)
{
    const struct node *x = &program->nodes[a], *y = &program->nodes[b];
    return x->rank == y->rank && memcmp(&program->extents[x->extents], &program->extents[y->extents],
                                        (size_t)x->rank * sizeof *program->extents) == 0;
}

/* Loads an array literal in the type that it meets. Equal ones become one constant. */
static int load_array(struct lowering *l, const struct node *node, enum weft_dtype dtype,
                      enum meeting how)
{
    struct kernel *kernel = l->kernel;
    size_t size = (size_t)type_rows[dtype].size;
    char *data = arena_alloc(l->arena, size * (size_t)node->operand_count);
    for (int i = 0; i < node->operand_count; i++)
        scalar_store(data + (size_t)i * size, dtype,
                     literal_become(&l->values[operand_index(l, node, i)].literal, dtype, how));
    int index = (int)(node - l->program->nodes), found = 0;
    size_t bytes = size * (size_t)node->operand_count;
    for (; found < kernel->constant_count; found++) {
        const struct constant *c = &kernel->constants[found];
        if (c->dtype == dtype && !c->shape && same_extents(l->program, c->node, index) &&
            memcmp(c->data, data, bytes) == 0)
            break;
    }
    if (found == kernel->constant_count)
        ARENA_PUSH(l->arena, kernel->constants, kernel->constant_count,
                   ((struct constant){index, NULL, dtype, data, bytes}));
    return ins_add_load(l, TENSOR_CONSTANT, found, dtype, node);
}

/* An array literal as this type, once for each node, type, kind of conversion, and map. */
static int array_as(struct lowering *l, const struct node *node, enum weft_dtype dtype,
                    enum meeting how)
{
    int *first = &l->met[node - l->program->nodes];
    for (int i = *first; i >= 0; i = l->loads[i].next)
        if (l->loads[i].dtype == dtype && l->loads[i].how == how && l->loads[i].map == l->map)
            return l->loads[i].ins;
    int ins = load_array(l, node, dtype, how);
    ARENA_PUSH(l->arena, l->loads, l->load_count,
               ((struct array_load){dtype, how, l->map, ins, *first}));
    *first = l->load_count - 1;
    return ins;
}

/* The use of a node under a map; -1 if there is none. */
static int find_use(const struct lowering *l, int node, int map)
{
    int use = l->first_use[node];
    while (use >= 0 && l->uses[use].map != map)
        use = l->uses[use].next;
    return use;
}

int lower_value_as(struct lowering *l, int index, enum weft_dtype dtype, enum meeting how)
{
    const struct node *node = named_node(l->program, &l->program->nodes[index]);
    if (node->kind == NODE_ARRAY)
        return array_as(l, node, dtype, how);
    if (node->number)
        return ins_add_number(l, (struct number_source){(int)(node - l->program->nodes), how}, dtype, node->span);
    if (node->literal.kind != LITERAL_NONE)
        return ins_add_literal(l, literal_become(&node->literal, dtype, how), dtype, node->span);
    int use = find_use(l, (int)(node - l->program->nodes), l->map);
    return ins_convert(l, l->uses[use].value, dtype, how == CAST, node->span);
}

/* The value of a cast or a wrap. What converts it has the place of the whole of it. */
static int lower_cast(struct lowering *l, const struct node *node, enum meeting how)
{
    const int index = operand_index(l, node, 0);
    const struct node *from = named_node(l->program, &l->program->nodes[index]);
    if (from->kind == NODE_ARRAY || from->number || from->literal.kind != LITERAL_NONE)
        return lower_value_as(l, index, node->dtype, how);
    const int use = find_use(l, (int)(from - l->program->nodes), l->map);
    return ins_convert(l, l->uses[use].value, node->dtype, how == CAST, node->span);
}

/* What a reduction joins, in the type in which it does. A literal has its own type before, in which 1e-78 is 0. */
static int joined_as(struct lowering *l, int index, enum weft_dtype dtype)
{
    const struct node *node = named_node(l->program, &l->program->nodes[index]);
    const bool literal = node->kind == NODE_ARRAY || node->number || node->literal.kind != LITERAL_NONE;
    if (dtype != WEFT_BOOL)
        return lower_value_as(l, index, dtype, MEET);
    if (!literal || node->dtype == WEFT_BOOL)
        return lower_value_as(l, index, WEFT_BOOL, CAST);
    return ins_convert(l, lower_value_as(l, index, node->dtype, MEET), WEFT_BOOL, true, node->span);
}

static int lower_compare64(struct lowering *l, const struct node *node)
{
    bool swapped = operand_node(l->program, node, 0)->dtype == WEFT_UINT64;
    int s = lower_value_as(l, operand_index(l, node, swapped), WEFT_INT64, MEET);
    int u = lower_value_as(l, operand_index(l, node, !swapped), WEFT_UINT64, MEET);
    int order = ins_add_op(l, OP_COMPARE64, WEFT_INT64, WEFT_INT64, (int[]){s, u, -1}, node->token);
    int zero = ins_add_literal(l, (union scalar){0}, WEFT_INT64, node->token);
    int a[3] = {swapped ? zero : order, swapped ? order : zero, -1};
    return ins_add_op(l, node->op, WEFT_INT64, WEFT_BOOL, a, node->token);
}

/* Operand i, converted to the operation's type, then to the type in which that computes. */
static int operand_as(struct lowering *l, const struct node *node, int i, enum weft_dtype operand)
{
    return ins_convert(l, lower_value_as(l, operand_index(l, node, i), operand, MEET), type_rows[operand].compute,
                       false, node->token);
}

/* clamp of bool. */
static int lower_interval(struct lowering *l, const struct node *node, const int a[3])
{
    const struct interval_row *row = op_interval(node->op);
    const enum op lower = op_alike(row->lower, WEFT_BOOL), upper = op_alike(row->upper, WEFT_BOOL);
    const int value = ins_add_op(l, lower, WEFT_BOOL, WEFT_BOOL, (int[]){a[0], a[1], -1}, node->token);
    return ins_add_op(l, upper, WEFT_BOOL, WEFT_BOOL, (int[]){value, a[2], -1}, node->token);
}

static int lower_op(struct lowering *l, const struct node *node)
{
    const struct op_row *row = &op_rows[node->op];
    enum weft_dtype operand = operand_dtype(l->program, node), compute = type_rows[operand].compute;
    enum weft_dtype result = node->dtype == operand ? compute : node->dtype;
    if (compares_by_value(l->program, node))
        return lower_compare64(l, node);
    int a[3] = {-1, -1, -1}, count = row->form == FORM_FOLD ? 2 : node->operand_count;
    for (int i = 0; i < count; i++) {
        bool condition = row->rule == RULE_SELECT && i == 0;
        a[i] = condition ? lower_value_as(l, operand_index(l, node, i), WEFT_BOOL, MEET)
                         : operand_as(l, node, i, operand);
    }
    const enum op op = op_neighbour(op_alike(node->op, compute), operand);
    int exponent = ins_small_exponent(l, op, compute, a[1]);
    int value = exponent ? ins_add_power(l, compute, a[0], exponent, node->token)
                : op_meaning(op, compute) ? ins_add_op(l, op, compute, result, a, node->token)
                                          : lower_interval(l, node, a);
    for (int i = count; i < node->operand_count; i++) {
        int next = operand_as(l, node, i, operand);
        value = ins_add_op(l, op, compute, result, (int[]){value, next, -1}, node->token);
    }
    return ins_convert(l, value, node->dtype, false, node->token);
}

/* ---- uses ---- */

/* Whether the node is an extent, for which no element is read. */
static bool is_extent(const struct lowering *l, const struct node *node)
{
    return node->kind == NODE_VIEW && l->program->views[node->view].kind == VIEW_EXTENT;
}

bool lower_add_use(struct lowering *l, int node, int map)
{
    if (map < 0 || l->use_count == MAX_USES)
        return false;
    const int use = find_use(l, node, map);
    if (use >= 0 && l->waiting && l->uses[use].state != USE_DONE)
        ARENA_PUSH(l->arena, l->waiting, l->waiting_count, use);
    if (use >= 0)
        return true;
    ARENA_PUSH(l->arena, l->uses, l->use_count, ((struct use){node, map, -1, l->first_use[node], USE_NEW}));
    l->first_use[node] = l->use_count - 1;
    return true;
}

/* How few elements a reduction joins where its value is used; 0: other kernels do. */
static int few_elements(const struct lowering *l, const struct node *node)
{
    return node_is_reduced(node) ? l->reduced[node - l->program->nodes].few : 0;
}

/* The map under which element `number` of the few that a reduction joins is read. `map` is that of the reduction. */
static int element_map(struct lowering *l, const struct node *node, int map, int number)
{
    const struct shape *from = l->shapes[node - l->program->nodes], *to = l->shapes[operand_index(l, node, 0)];
    const uint32_t set = l->reduced[node - l->program->nodes].set;
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank);
    int next = from->rank;
    for (int d = to->rank - 1; d >= 0; d--) {
        const bool reduced = set >> d & 1;
        next -= !reduced || from->rank == to->rank;
        axes[d] = (struct axis){reduced ? -1 : next, {.start = reduced ? number % to->extents[d] : 0, .step = 1}};
        number /= reduced ? (int)to->extents[d] : 1;
    }
    return map_select(l->kernel, map, from, to, axes);
}

/* The map under which what a reduction left is read, where the reduction itself is under `map`: an equal one may have
 * left it, with or without keepdims. -1: there are too many maps. */
static int reduced_map(struct lowering *l, const struct node *node, int map)
{
    const int n = node_number(l, node), temporary = l->reduced[n].temporary;
    return temporary < 0 ? map : map_view(l->kernel, map, l->shapes[n], l->temporaries[temporary].shape);
}

/* Whether the node's value is loaded from a temporary in its place. */
static bool is_stored(const struct lowering *l, const struct node *node)
{
    return l->reduced && l->reduced[node - l->program->nodes].stored;
}

/* Whether the node gives the places of scatter's positions. */
static bool is_places(const struct lowering *l, const struct node *node)
{
    return l->program->views[node->view].part == SCATTER_PLACES;
}

/* Adds uses of a node's operands, for its use under a map. */
static bool pass_use(struct lowering *l, const struct node *node, int map)
{
    const struct program *program = l->program;
    /* further operands of a cast are types, those of a view numbers outside */
    const int operands = node->kind == NODE_CAST || node->kind == NODE_VIEW ? 1 : node->operand_count;
    bool good = true;
    if (is_stored(l, node))
        return true;
    if (node_is_reduced(node) && !few_elements(l, node))
        return reduced_map(l, node, map) >= 0;
    if (node->kind == NODE_POSITION)
        return position_uses(l, node, map);
    if (node->kind == NODE_ARRAY || node->literal.kind != LITERAL_NONE || view_is_cast_input(l, node) ||
        is_extent(l, node))
        return true;
    for (int i = 0; good && i < few_elements(l, node); i++)
        good = lower_add_use(l, operand_index(l, node, 0), element_map(l, node, map, i));
    if (node_is_reduced(node))
        return good;
    if (node->kind == NODE_CORRELATE)
        return correlate_uses(l, node, map);
    if (node->kind == NODE_JOIN || node->kind == NODE_TAKE || join_of_list(l, node))
        return (node->kind != NODE_TAKE ? join_uses : is_places(l, node) ? places_uses : take_uses)(l, node, map);
    map = node->kind == NODE_VIEW ? view_operand_map(l, node, map) : map;
    for (int i = 0; good && i < operands; i++)
        good = lower_add_use(l, operand_index(l, node, i), map);
    if (node->kind == NODE_NAME && program->symbols[node->symbol].kind == SYMBOL_BINDING)
        good = good && lower_add_use(l, program->symbols[node->symbol].node, map);
    return good;
}

/* Finds the maps under which the results need each node. False, with a diagnostic, when there are too many. */
static bool find_uses(struct lowering *l, struct diags *diags)
{
    const struct program *program = l->program;
    for (int n = program->node_count - 1; n >= 0; n--)
        for (int u = l->first_use[n]; u >= 0; u = l->uses[u].next)
            if (!pass_use(l, &program->nodes[n], l->uses[u].map))
                return diag(diags, DIAG_TOO_MANY_VIEWS, program->nodes[n].span, VIEW_MAPS - 1, MAX_USES);
    return true;
}

/* A view of a value is the value under another map. reinterpret takes its bits. */
static int lower_view(struct lowering *l, const struct node *node)
{
    const struct node *from = operand_node(l->program, node, 0);
    int map = l->map;
    if (is_extent(l, node))
        return ins_add_number(l, (struct number_source){(int)(node - l->program->nodes), MEET}, node->dtype,
                              node->span);
    l->map = view_operand_map(l, node, map);
    if (view_is_cast_input(l, node)) {
        int value = ins_add_load(l, TENSOR_INPUT, l->program->symbols[named_node(l->program, from)->symbol].input,
                                 node->dtype, node);
        l->map = map;
        return value;
    }
    const struct node *value_of = named_node(l->program, from);
    const bool meets = l->program->views[node->view].part == SCATTER_FULL ||
                       (node->made && (value_of->kind == NODE_ARRAY || value_of->literal.kind != LITERAL_NONE));
    int value = lower_value_as(l, operand_index(l, node, 0), meets ? node->dtype : from->dtype, MEET);
    l->map = map;
    if (meets)
        return value;
    if (view_is_neighbour(l->program->views[node->view].kind))
        return neighbour_value(l, node, value);
    return node->dtype == from->dtype
               ? value
               : ins_add_op(l, reinterpretation(from->dtype, node->dtype), from->dtype, node->dtype,
                            (int[]){value, -1, -1}, node->token);
}

/* Joins few elements in the order of rule 11.4: each is a lane. */
static int join_few(struct lowering *l, const struct node *node)
{
    enum { MOST = 16 };
    const int operand = operand_index(l, node, 0), few = few_elements(l, node), map = l->map;
    const enum weft_dtype dtype = join_dtype(node->join, l->program->nodes[operand].dtype);
    int values[MOST];
    for (int i = 0; i < few; i++) {
        l->map = element_map(l, node, map, i);
        values[i] = joined_as(l, operand, dtype);
        ARENA_PUSH(l->arena, l->joined, l->joined_count, values[i]);
    }
    l->map = map;
    for (int apart = MOST / 2; apart; apart /= 2)
        for (int i = 0; i < apart && i + apart < few; i++)
            values[i] = ins_add_op(l, join_rows[node->join].op, dtype, dtype, (int[]){values[i], values[i + apart], -1},
                                   node->token);
    return ins_convert(l, values[0], node->dtype, false, node->token);
}

static int lower_node(struct lowering *l, const struct node *node)
{
    if (is_stored(l, node)) {      /* perhaps as the type in which a 16-bit one computes */
        const int temporary = l->reduced[node - l->program->nodes].temporary;
        const int value = ins_add_load(l, TENSOR_TEMPORARY, temporary, l->temporaries[temporary].dtype, node);
        return ins_convert(l, value, node->dtype, false, node->token);
    }
    switch (node->kind) {
    case NODE_NAME: {
        const struct symbol *symbol = &l->program->symbols[node->symbol];
        return symbol->kind == SYMBOL_INPUT
                   ? ins_add_load(l, TENSOR_INPUT, symbol->input, node->dtype, node)
                   : l->uses[find_use(l, symbol->node, l->map)].value;
    }
    case NODE_OP:
        return node->literal.kind == LITERAL_NONE ? lower_op(l, node) : -1;
    case NODE_CAST: /* the factors of vecdot are promoted, which no cast is: uint64 to int64 wraps */
        if (node->rule == TYPE_BOOL)
            return joined_as(l, operand_index(l, node, 0), WEFT_BOOL);
        return lower_cast(l, node, node->rule == TYPE_DOT ? MEET : CAST);
    case NODE_WRAP:
        return lower_cast(l, node, WRAP);
    case NODE_VIEW:
        return join_of_list(l, node) ? join_value(l, node) : lower_view(l, node);
    case NODE_CORRELATE:
        return correlate_value(l, node);
    case NODE_JOIN:
        return join_value(l, node);
    case NODE_TAKE:
        return is_places(l, node) ? places_value(l, node) : take_value(l, node);
    case NODE_POSITION:
        return position_value(l, node);
    case NODE_REDUCE: case NODE_COUNT: case NODE_SEARCH: {
        const struct reduced *from = &l->reduced[node - l->program->nodes];
        if (from->few)
            return join_few(l, node);
        if (from->temporary < 0 && from->number < 0)
            return ins_add_load_under(l, TENSOR_NUMBER, (int)from->number, WEFT_INT64, 0, node->token);
        if (from->temporary < 0)
            return ins_add_literal(l, (union scalar){.i64 = from->number}, node->dtype, node->span);
        const enum weft_dtype dtype = l->temporaries[from->temporary].dtype;
        const int map = l->map;
        l->map = reduced_map(l, node, map);
        const int value = ins_add_load(l, TENSOR_TEMPORARY, from->temporary, dtype, node);
        l->map = map;
        return ins_convert(l, value, node->dtype, false, node->token);
    }
    default:
        return -1; /* literals and array literals are lowered where they meet a type */
    }
}

static void lower_use(struct lowering *l, int use)
{
    l->map = l->uses[use].map;
    const int value = lower_node(l, &l->program->nodes[l->uses[use].node]);
    l->uses[use].value = value;
    l->uses[use].state = USE_DONE;
}

/* Lowers a use behind all others that it needs: its operands, and what the numbers of elements that are taken are
 * computed from, which may be any node. */
static void lower_in_order(struct lowering *l, int use)
{
    ARENA_PUSH(l->arena, l->waiting, l->waiting_count, use);
    while (l->waiting_count) {
        use = l->waiting[l->waiting_count - 1];
        const struct use own = l->uses[use];
        if (own.state == USE_NEW) {
            l->uses[use].state = USE_BEGUN;
            pass_use(l, &l->program->nodes[own.node], own.map);
            take_number_uses(l, own.map);
            continue;
        }
        l->waiting_count--;
        if (own.state == USE_BEGUN)
            lower_use(l, use);
    }
}

/* Operands stand before what they are operands of, so without taken elements the nodes' order is one. */
static void lower_uses(struct lowering *l)
{
    l->waiting = l->taken ? ARENA_ARRAY(l->arena, int, 1) : NULL;
    l->waiting_count = 0;
    for (int n = 0; n < l->program->node_count; n++)
        for (int u = l->first_use[n]; u >= 0; u = l->uses[u].next)
            if (!l->taken)
                lower_use(l, u);
            else if (l->uses[u].state != USE_DONE)
                lower_in_order(l, u);
    l->waiting = NULL;
    l->map = 0;
}

/* Stores a value. For now stores are numbered from 0. */
static void lower_store(struct lowering *l, int value, enum weft_dtype dtype, struct span span)
{
    ins_add(l, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {value, -1, -1}, l->store_count++, span});
}

static void lower_results(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    for (int i = 0; i < kernel->result_count; i++) {
        const struct result *result = &l->program->results[kernel->results[i]];
        const int value = lower_value_as(l, result->node, result->dtype, result->has_dtype ? CAST : MEET);
        lower_store(l, value, result->dtype, result->span);
    }
    kernel_number_stores(kernel);
    for (int i = 0; i < kernel->result_count; i++)
        kernel_add_access(kernel, (struct access){TENSOR_RESULT, kernel->results[i],
                                                  l->program->results[kernel->results[i]].dtype, 0});
}

/* Starts a kernel without instructions over an iteration space; NULL: none matters. */
static void begin(struct lowering *l, struct arena *arena, const struct lower_params *params,
                  const struct shape *space)
{
    const struct program *program = params->program;
    struct kernel *kernel = ARENA_NEW(arena, struct kernel);
    *kernel = (struct kernel){.arena = arena, .program = program};
    *l = (struct lowering){.arena = arena, .program = program, .shapes = params->shapes,
                           .values = params->values ? params->values : program->nodes,
                           .views = params->views ? params->views : program->views,
                           .loads_numbers = params->loads_numbers, .reduced = params->reduced,
                           .temporaries = params->temporaries, .open = params->open, .positions = params->positions,
                           .position_count = params->position_count, .batches = params->batches, .kernel = kernel};
    if (space)
        ARENA_PUSH(arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    const size_t nodes = (size_t)program->node_count;
    l->first_use = params->room ? params->room : ARENA_ARRAY(arena, int, 2 * nodes);
    l->met = l->first_use + nodes;
    memset(l->first_use, -1, 2 * nodes * sizeof(int));
    memset(l->first_access, -1, sizeof l->first_access);
    ins_resize_table(l, 64);
}

static struct kernel *end(struct lowering *l)
{
    lower_faults(l);
    lower_compact(l);
    return l->kernel;
}

struct kernel *lower(struct arena *arena, const struct lower_params *params, const int *results, int result_count)
{
    struct lowering l;
    const int first = params->program->results[results[0]].node;
    begin(&l, arena, params, params->shapes ? params->shapes[first] : NULL);
    l.kernel->results = results;
    l.kernel->result_count = result_count;
    for (int i = 0; i < result_count; i++)
        lower_add_use(&l, params->program->results[results[i]].node, 0);
    if (!find_uses(&l, params->diags))
        return NULL;
    lower_uses(&l);
    lower_results(&l);
    return end(&l);
}

/* 32 bits of an integer of 64. */
static int lower_part(struct lowering *l, int value, enum value_part part, struct span span)
{
    const enum weft_dtype dtype = part == PART_LOW ? WEFT_UINT64 : l->kernel->ins[value].dtype;
    const union scalar number = {.u64 = part == PART_LOW ? UINT32_MAX : 32};
    if (part == PART_ALL)
        return value;
    value = ins_convert(l, value, dtype, false, span);
    return ins_add_op(l, part == PART_LOW ? OP_BITAND : OP_SHR, dtype, dtype,
                      (int[]){value, ins_add_literal(l, number, dtype, span), -1}, span);
}

/* An operand of a search, in the type in which it computes. */
static int searched_as(struct lowering *l, int node, const struct node *search)
{
    const enum weft_dtype dtype = search->dtype;
    return ins_convert(l, lower_value_as(l, node, dtype, MEET), type_rows[dtype].compute, false, search->token);
}

/* Whether an element is what a search looks for, or NaN; or its position. */
static int lower_search(struct lowering *l, const struct lowered_value *value)
{
    const struct node *node = &l->program->nodes[value->node];
    const enum weft_dtype dtype = type_rows[node->dtype].compute;
    const int x = searched_as(l, value->node, node), sought = searched_as(l, value->sought, node);
    int found = ins_add_op(l, OP_EQ, dtype, WEFT_BOOL, (int[]){x, sought, -1}, node->token);
    if (dtype_is_float(dtype)) {
        const int nan = ins_add_op(l, OP_NE, dtype, WEFT_BOOL, (int[]){x, x, -1}, node->token);
        found = ins_add_op(l, OP_OR, WEFT_BOOL, WEFT_BOOL, (int[]){found, nan, -1}, node->token);
    }
    if (value->positions < 0)
        return found;
    const enum weft_dtype stored = l->temporaries[value->positions].dtype;
    const int load = ins_add_load_under(l, TENSOR_TEMPORARY, value->positions, stored, l->map, node->token);
    const int position = ins_convert(l, load, WEFT_INT64, false, node->token);
    const int last = ins_add_literal(l, (union scalar){.i64 = INT64_MAX}, WEFT_INT64, node->token);
    return ins_add_op(l, OP_WHERE, WEFT_INT64, WEFT_INT64, (int[]){found, position, last}, node->token);
}

static int value_like(struct lowering *l, const struct lowered_value *value, struct span span)
{
    const enum weft_dtype dtype = value->like ? value->like->dtype : value->dtype;
    return ins_convert(l, joined_as(l, value->node, dtype), value->dtype, false, span);
}

struct kernel *lower_value(struct arena *arena, const struct lower_params *params, const struct lowered_value *value)
{
    const struct span span = params->program->nodes[value->node].span;
    struct lowering l;
    begin(&l, arena, params, value->space);
    const struct join_piece *piece = l.piece = value->piece;
    const bool computed = value->sums || value->runs; /* of what is stored, or of numbers */
    const int map = piece || computed ? 0
                    : value->around ? border_map(&l, value->around, value->space)
                                    : map_select(l.kernel, 0, value->space, params->shapes[value->node], value->axes);
    if (!computed)
        lower_add_use(&l, value->node, map);
    if (value->sought >= 0)
        lower_add_use(&l, value->sought, map);
    if (!find_uses(&l, params->diags))
        return NULL;
    lower_uses(&l);
    l.map = map;
    const int part = value->sums     ? inner_sums(&l, value->sums, value->space)
                     : value->around ? border_value(&l, value->around, value->space, value->dtype)
                     : value->weights ? weights_value(&l, value->weights)
                     : value->runs   ? runs_value(&l, value->runs)
                     : value->sought < 0 ? lower_part(&l, value_like(&l, value, span), value->part, span)
                                       : lower_search(&l, value);
    const enum weft_dtype dtype = l.kernel->ins[part].dtype;
    lower_store(&l, part, dtype, value->place.end ? value->place : span);
    kernel_number_stores(l.kernel);
    const int to = piece ? map_select(l.kernel, 0, value->space, piece->whole, piece->box) : 0;
    kernel_add_access(l.kernel, (struct access){TENSOR_TEMPORARY, value->temporary, dtype, to});
    return end(&l);
}
