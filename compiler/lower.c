/* Lowering: the nodes that some results need become flat SSA. Equal instructions are numbered once,
 * constants are folded through the reference evaluator, and divisions by zero become remarks that
 * count only where their value is used (rule 4.4).
 * Invariant: an instruction's operands stand before it; no pass over them recurses. */
#include "compiler/check.h"
#include "compiler/literal.h"
#include "compiler/walk.h"

#include <stdlib.h>
#include <string.h>

enum { ALWAYS = -2, NEVER = -1 };  /* when a value is used; else the index of a bool instruction */

enum meeting { MEET, CAST, WRAP };

/* An array literal in a type it met, under a map. */
struct array_load {
    enum weft_dtype dtype;
    enum meeting how;
    int map, ins, next;
};

/* A node's value under a map: nodes below a view, and below several, have several values. */
struct use {
    int map;
    int value;                     /* instruction; -1 before it has one, and for literals */
    int next;                      /* the node's next use, -1: none */
};

/* Uses of one kernel: twice as many as a program may have nodes. */
enum { MAX_USES = 2 * MAX_NODES };

struct lowering {
    struct arena *arena;
    const struct program *program;
    const struct shape *const *shapes; /* of each node; NULL without views */
    struct kernel *kernel;
    struct use *uses;
    int use_count;
    int *first_use;                /* [node] -1: the results do not depend on it */
    int map;                       /* under which nodes are lowered now */
    int *met;                      /* array literals: first of `loads` for the node, -1: none */
    struct array_load *loads;
    int load_count;
    bool places_merged;            /* divisions in several places of the text may be one */
    unsigned *holders;             /* [ins] a bit for each 16-bit type that surely holds the value */
    int holder_count;
    int *table;                    /* open addressing over instructions */
    uint32_t table_size;           /* a power of two */
};

/* ---- instructions and value numbering ---- */

static uint32_t hash_ins(const struct ins *ins)
{
    uint32_t words[] = {ins->kind, ins->op, ins->dtype, ins->source, (uint32_t)ins->a[0],
                        (uint32_t)ins->a[1], (uint32_t)ins->a[2], (uint32_t)ins->index};
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * 16777619u, hash ^= hash >> 15;
    return hash;
}

/* Until it is known where they are used, divisions in two places are two: each place has its own remark. */
static bool may_merge(const struct lowering *l, const struct ins *a, const struct ins *b)
{
    return l->places_merged || a->kind != INS_OP || !op_fault(a->op, a->source) ||
           a->span.start == b->span.start;
}

static bool same_ins(const struct ins *a, const struct ins *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->source == b->source &&
           a->a[0] == b->a[0] && a->a[1] == b->a[1] && a->a[2] == b->a[2] && a->index == b->index;
}

static void enter(struct lowering *l, int index)
{
    uint32_t slot = hash_ins(&l->kernel->ins[index]) & (l->table_size - 1);
    while (l->table[slot] >= 0)
        slot = (slot + 1) & (l->table_size - 1);
    l->table[slot] = index;
}

static void resize_table(struct lowering *l, uint32_t size)
{
    l->table = ARENA_ARRAY(l->arena, int, size);
    memset(l->table, -1, size * sizeof(int));
    l->table_size = size;
    for (int i = 0; i < l->kernel->ins_count; i++)
        enter(l, i);
}

/* Whether a 16-bit type holds every value that a conversion gives. */
static bool holds(enum weft_dtype half, const struct ins *ins)
{
    const struct type_row *from = &type_rows[ins->source];
    return ins->source == half || ins->op == (half == WEFT_FLOAT16 ? OP_TO_FLOAT16 : OP_TO_BFLOAT16) ||
           (!dtype_is_float(ins->source) && from->bits <= type_rows[half].fraction + 1);
}

static unsigned find_holders(const struct lowering *l, const struct ins *ins)
{
    unsigned holders = 0, all = ~0u;
    bool closed = ins->kind == INS_OP && op_rows[ins->op].closed;
    bool from = ins->kind == INS_OP && op_rows[ins->op].rule == RULE_CONVERT;
    for (int k = 0; closed && k < 3; k++)
        if (ins->a[k] >= 0 && l->kernel->ins[ins->a[k]].dtype == ins->source)
            all &= l->holders[ins->a[k]];
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        union scalar value = ins->kind == INS_LITERAL ? l->kernel->literals[ins->index] : (union scalar){0};
        bool same = ins->kind == INS_LITERAL &&
                    eval_convert(t, ins->dtype, false, eval_convert(ins->dtype, t, false, value)).bits == value.bits;
        if (dtype_is_half(t) && ((from && holds(t, ins)) || (closed && all >> t & 1) || same))
            holders |= 1u << t;
    }
    return holders;
}

/* The number of this instruction: an equal one's where there is one. The earliest place stays. */
static int add(struct lowering *l, struct ins ins)
{
    struct kernel *kernel = l->kernel;
    if ((uint32_t)kernel->ins_count * 2 >= l->table_size)
        resize_table(l, l->table_size * 2);
    uint32_t slot = hash_ins(&ins) & (l->table_size - 1);
    for (; l->table[slot] >= 0; slot = (slot + 1) & (l->table_size - 1)) {
        struct ins *found = &kernel->ins[l->table[slot]];
        if (!same_ins(found, &ins) || !may_merge(l, found, &ins))
            continue;
        if (ins.span.start < found->span.start)
            found->span = ins.span;
        return l->table[slot];
    }
    l->table[slot] = kernel->ins_count;
    ARENA_PUSH(l->arena, l->holders, l->holder_count, find_holders(l, &ins));
    ARENA_PUSH(l->arena, kernel->ins, kernel->ins_count, ins);
    return kernel->ins_count - 1;
}

static int add_literal(struct lowering *l, union scalar value, enum weft_dtype dtype, struct span span)
{
    struct kernel *kernel = l->kernel;
    struct ins ins = {INS_LITERAL, OP_COUNT, dtype, dtype, {-1, -1, -1}, kernel->literal_count, span};
    for (int i = 0; i < kernel->literal_count && i < 64; i++)
        if (kernel->literal_dtypes[i] == dtype && kernel->literals[i].bits == value.bits)
            ins.index = i;
    if (ins.index == kernel->literal_count) {
        int count = kernel->literal_count;
        ARENA_PUSH(l->arena, kernel->literal_dtypes, count, dtype);
        ARENA_PUSH(l->arena, kernel->literals, kernel->literal_count, value);
    }
    return add(l, ins);
}

/* What `node` has in memory. A single element is the same under all maps. */
static int add_load(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype,
                    const struct node *node)
{
    struct kernel *kernel = l->kernel;
    const struct shape *shape = l->shapes ? l->shapes[node - l->program->nodes] : NULL;
    int map = shape && shape_volume(shape) == 1 ? 0 : l->map;
    struct ins ins = {INS_LOAD, OP_COUNT, dtype, dtype, {-1, -1, -1}, 0, node->span};
    for (; ins.index < kernel->access_count; ins.index++) {
        const struct access *access = &kernel->accesses[ins.index];
        if (access->kind == kind && access->index == index && access->dtype == dtype && access->map == map)
            return add(l, ins);
    }
    ARENA_PUSH(l->arena, kernel->accesses, kernel->access_count,
               ((struct access){kind, index, dtype, map}));
    return add(l, ins);
}

static bool is_literal(const struct lowering *l, int ins)
{
    return ins < 0 || l->kernel->ins[ins].kind == INS_LITERAL;
}

static union scalar literal_of(const struct lowering *l, int ins)
{
    return ins < 0 ? (union scalar){0} : l->kernel->literals[l->kernel->ins[ins].index];
}

/* A row on operands of its own dtypes, folded when they are all literals. A row that is not exact is
 * left to the kernel, so that exp(2) has the bits of exp(x) where x is 2. */
static int add_op(struct lowering *l, enum op op, enum weft_dtype source, enum weft_dtype dtype,
                  const int a[3], struct span span)
{
    union scalar v[3];
    bool constant = !dtype_is_float(source) || op_rows[op].ulp32 == 0;
    for (int i = 0; i < 3; i++) {
        constant = constant && is_literal(l, a[i]);
        v[i] = constant ? literal_of(l, a[i]) : (union scalar){0};
    }
    if (constant && !eval_fault(op, source, v[0], v[1], v[2]))
        return add_literal(l, eval_op(op, source, dtype, v[0], v[1], v[2]), dtype, span);
    return add(l, (struct ins){INS_OP, op, dtype, source, {a[0], a[1], a[2]}, 0, span});
}

/* The exponent of a power when it is a small whole literal, else 0. For floats up to 4: as products
 * these stay within 2 ulp, and overflow, underflow and special values come out as pow has them. For
 * integers every whole exponent is a product. */
static int small_exponent(const struct lowering *l, enum op op, enum weft_dtype source, int ins)
{
    bool power = op == OP_POW || op == OP_FPOW;
    if (!power || ins < 0 || l->kernel->ins[ins].kind != INS_LITERAL)
        return 0;
    union scalar value = l->kernel->literals[l->kernel->ins[ins].index];
    union scalar whole = eval_convert(source, WEFT_INT64, true, value);
    union scalar back = eval_convert(WEFT_INT64, source, true, whole);
    int most = dtype_is_float(source) ? 4 : 64;
    return whole.i64 >= 1 && whole.i64 <= most && back.bits == value.bits ? (int)whole.i64 : 0;
}

static int add_power(struct lowering *l, enum weft_dtype dtype, int base, int exponent,
                     struct span span)
{
    int power = -1;
    for (; exponent; exponent /= 2) {
        if (exponent % 2)
            power = power < 0 ? base
                              : add_op(l, OP_MUL, dtype, dtype, (int[]){power, base, -1}, span);
        if (exponent > 1)
            base = add_op(l, OP_MUL, dtype, dtype, (int[]){base, base, -1}, span);
    }
    return power;
}

/* A value rounded to a 16-bit type and brought back is rounded in place, or stays where the type surely
 * holds it. */
static int add_step(struct lowering *l, int value, struct step step, struct span span)
{
    struct ins ins = l->kernel->ins[value];
    bool back = step.op == OP_DECODE && ins.kind == INS_OP && ins.op == OP_ENCODE;
    if (back && l->holders[ins.a[0]] >> ins.dtype & 1)
        return ins.a[0];
    if (back) {
        step.op = ins.dtype == WEFT_FLOAT16 ? OP_TO_FLOAT16 : OP_TO_BFLOAT16;
        value = ins.a[0];
        ins.dtype = step.to;
    }
    return add_op(l, step.op, ins.dtype, step.to, (int[]){value, -1, -1}, span);
}

static int convert(struct lowering *l, int ins, enum weft_dtype to, bool saturate, struct span span)
{
    struct step steps[MAX_STEPS];
    int count = conversion(l->kernel->ins[ins].dtype, to, saturate, steps);
    for (int i = 0; i < count; i++)
        ins = add_step(l, ins, steps[i], span);
    return ins;
}

/* ---- nodes ---- */

static union scalar literal_as(const struct literal *literal, enum weft_dtype dtype, enum meeting how)
{
    bool infinite;
    return how == MEET   ? literal_meet(literal, dtype, &infinite)
           : how == CAST ? literal_cast(literal, dtype)
                         : literal_wrap(literal, dtype);
}

/* Whether two array literals have one shape. */
static bool same_extents(const struct program *program, int a, int b)
{
    const struct node *x = &program->nodes[a], *y = &program->nodes[b];
    return x->rank == y->rank && memcmp(&program->extents[x->extents], &program->extents[y->extents],
                                        (size_t)x->rank * sizeof *program->extents) == 0;
}

/* An array literal's elements in the type they meet; equal ones are one constant. */
static int load_array(struct lowering *l, const struct node *node, enum weft_dtype dtype,
                      enum meeting how)
{
    struct kernel *kernel = l->kernel;
    size_t size = (size_t)type_rows[dtype].size;
    char *data = arena_alloc(l->arena, size * (size_t)node->operand_count);
    for (int i = 0; i < node->operand_count; i++)
        scalar_store(data + (size_t)i * size, dtype,
                     literal_as(&operand_node(l->program, node, i)->literal, dtype, how));
    int index = (int)(node - l->program->nodes), found = 0;
    size_t bytes = size * (size_t)node->operand_count;
    for (; found < kernel->constant_count; found++) {
        const struct constant *c = &kernel->constants[found];
        if (c->dtype == dtype && same_extents(l->program, c->node, index) &&
            memcmp(c->data, data, bytes) == 0)
            break;
    }
    if (found == kernel->constant_count)
        ARENA_PUSH(l->arena, kernel->constants, kernel->constant_count,
                   ((struct constant){index, dtype, data}));
    return add_load(l, TENSOR_CONSTANT, found, dtype, node);
}

/* The same once for each node, type, way and map. */
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

/* Where a node has its value under the present map; -1: nowhere. */
static int find_use(const struct lowering *l, int node, int map)
{
    int use = l->first_use[node];
    while (use >= 0 && l->uses[use].map != map)
        use = l->uses[use].next;
    return use;
}

/* The value of a node as `dtype`: literals and array literals from their full value. */
static int value_as(struct lowering *l, int index, enum weft_dtype dtype, enum meeting how)
{
    const struct node *node = named_node(l->program, &l->program->nodes[index]);
    if (node->kind == NODE_ARRAY)
        return array_as(l, node, dtype, how);
    if (node->literal.kind != LITERAL_NONE)
        return add_literal(l, literal_as(&node->literal, dtype, how), dtype, node->span);
    int use = find_use(l, (int)(node - l->program->nodes), l->map);
    return convert(l, l->uses[use].value, dtype, how == CAST, node->span);
}

static int operand_index(const struct lowering *l, const struct node *node, int i)
{
    return l->program->operands[node->operands + i];
}

static int lower_compare64(struct lowering *l, const struct node *node)
{
    bool swapped = operand_node(l->program, node, 0)->dtype == WEFT_UINT64;
    int s = value_as(l, operand_index(l, node, swapped), WEFT_INT64, MEET);
    int u = value_as(l, operand_index(l, node, !swapped), WEFT_UINT64, MEET);
    int order = add_op(l, OP_COMPARE64, WEFT_INT64, WEFT_INT64, (int[]){s, u, -1}, node->token);
    int zero = add_literal(l, (union scalar){0}, WEFT_INT64, node->token);
    int a[3] = {swapped ? zero : order, swapped ? order : zero, -1};
    return add_op(l, node->op, WEFT_INT64, WEFT_BOOL, a, node->token);
}

/* Operand i, as the type it is converted to, in the one that it is computed in. */
static int operand_as(struct lowering *l, const struct node *node, int i, enum weft_dtype operand)
{
    int value = value_as(l, operand_index(l, node, i), operand, MEET);
    return convert(l, value, type_rows[operand].compute, false, node->token);
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
        a[i] = condition ? value_as(l, operand_index(l, node, i), WEFT_BOOL, MEET)
                         : operand_as(l, node, i, operand);
    }
    int exponent = small_exponent(l, node->op, compute, a[1]);
    int value = exponent ? add_power(l, compute, a[0], exponent, node->token)
                         : add_op(l, node->op, compute, result, a, node->token);
    for (int i = count; i < node->operand_count; i++) {
        int next = operand_as(l, node, i, operand);
        value = add_op(l, node->op, compute, result, (int[]){value, next, -1}, node->token);
    }
    return convert(l, value, node->dtype, false, node->token);
}

/* ---- views ---- */

/* Whether the node is another view of an input's bytes. */
static bool is_cast_input(const struct lowering *l, const struct node *node)
{
    if (node->kind != NODE_VIEW || l->program->views[node->view].form != VIEW_REINTERPRET)
        return false;
    const struct node *from = named_node(l->program, operand_node(l->program, node, 0));
    return from->kind == NODE_NAME && from->dtype != node->dtype &&
           l->program->symbols[from->symbol].kind == SYMBOL_INPUT;
}

/* The map under which a view's operand is read. What reinterprets an input reads elements of the new
 * type in their order. */
static int operand_map(struct lowering *l, const struct node *view, int map)
{
    const struct shape *from = l->shapes[view - l->program->nodes];
    const struct shape *to = l->shapes[operand_index(l, view, 0)];
    struct shape *row = NULL;
    if (is_cast_input(l, view)) {
        to = row = ARENA_NEW(l->arena, struct shape);
        *row = (struct shape){.rank = 1, .extents = {shape_volume(from)}};
    }
    return map_view(l->kernel, map, from, to, row != NULL);
}

static bool add_use(struct lowering *l, int node, int map)
{
    if (map < 0 || l->use_count == MAX_USES)
        return false;
    if (find_use(l, node, map) >= 0)
        return true;
    ARENA_PUSH(l->arena, l->uses, l->use_count, ((struct use){map, -1, l->first_use[node]}));
    l->first_use[node] = l->use_count - 1;
    return true;
}

/* Hands the uses of node n on to its operands. */
static bool pass_uses(struct lowering *l, int n)
{
    const struct program *program = l->program;
    const struct node *node = &program->nodes[n];
    bool good = true;
    if (node->kind == NODE_ARRAY || node->literal.kind != LITERAL_NONE || is_cast_input(l, node))
        return true;
    for (int u = l->first_use[n]; good && u >= 0; u = l->uses[u].next) {
        int map = node->kind == NODE_VIEW ? operand_map(l, node, l->uses[u].map) : l->uses[u].map;
        for (int i = 0; good && i < node->operand_count; i++)
            good = add_use(l, operand_index(l, node, i), map);
        if (node->kind == NODE_NAME && program->symbols[node->symbol].kind == SYMBOL_BINDING)
            good = good && add_use(l, program->symbols[node->symbol].node, map);
    }
    return good;
}

/* Finds out under which maps the results need each node; false with a diagnostic. */
static bool find_uses(struct lowering *l, struct diags *diags)
{
    const struct program *program = l->program;
    for (int i = 0; i < l->kernel->result_count; i++)
        add_use(l, program->results[l->kernel->results[i]].node, 0);
    for (int n = program->node_count - 1; n >= 0; n--)
        if (!pass_uses(l, n))
            return diag(diags, DIAG_TOO_MANY_VIEWS, program->nodes[n].span, MAX_MAPS - 1, MAX_USES);
    return true;
}

/* A view of a value is the value under another map; reinterpreted, its bits. */
static int lower_view(struct lowering *l, const struct node *node)
{
    const struct node *from = operand_node(l->program, node, 0);
    int map = l->map;
    l->map = operand_map(l, node, map);
    if (is_cast_input(l, node)) {
        int input = l->program->symbols[named_node(l->program, from)->symbol].input;
        int value = add_load(l, TENSOR_INPUT, input, node->dtype, node);
        l->map = map;
        return value;
    }
    int value = value_as(l, operand_index(l, node, 0), from->dtype, MEET);
    l->map = map;
    return node->dtype == from->dtype
               ? value
               : add_op(l, reinterpretation(from->dtype, node->dtype), from->dtype, node->dtype,
                        (int[]){value, -1, -1}, node->token);
}

static int lower_node(struct lowering *l, const struct node *node)
{
    switch (node->kind) {
    case NODE_NAME: {
        const struct symbol *symbol = &l->program->symbols[node->symbol];
        if (symbol->kind == SYMBOL_INPUT)
            return add_load(l, TENSOR_INPUT, symbol->input, node->dtype, node);
        return l->uses[find_use(l, symbol->node, l->map)].value;
    }
    case NODE_OP:
        return node->literal.kind == LITERAL_NONE ? lower_op(l, node) : -1;
    case NODE_CAST:
        return value_as(l, operand_index(l, node, 0), node->dtype, CAST);
    case NODE_WRAP:
        return value_as(l, operand_index(l, node, 0), node->dtype, WRAP);
    case NODE_VIEW:
        return lower_view(l, node);
    default:
        return -1; /* literals and arrays appear where they meet a type */
    }
}

static void lower_uses(struct lowering *l)
{
    for (int n = 0; n < l->program->node_count; n++)
        for (int u = l->first_use[n]; u >= 0; u = l->uses[u].next) {
            l->map = l->uses[u].map;
            l->uses[u].value = lower_node(l, &l->program->nodes[n]);
        }
    l->map = 0;
}

static void lower_results(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    kernel->load_count = kernel->access_count;
    for (int i = 0; i < kernel->result_count; i++) {
        const struct result *result = &l->program->results[kernel->results[i]];
        int value = value_as(l, result->node, result->dtype, result->has_dtype ? CAST : MEET);
        /* A literal result may add loads; stores are numbered afterwards. */
        kernel->load_count = kernel->access_count;
        add(l, (struct ins){INS_STORE, OP_COUNT, result->dtype, result->dtype, {value, -1, -1}, i,
                            result->span});
    }
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_STORE)
            kernel->ins[i].index += kernel->load_count;
    for (int i = 0; i < kernel->result_count; i++)
        ARENA_PUSH(l->arena, kernel->accesses, kernel->access_count,
                   ((struct access){TENSOR_RESULT, kernel->results[i],
                                    l->program->results[kernel->results[i]].dtype}));
}

/* ---- divisions by zero ---- */

static bool may_fault(const struct lowering *l, const struct ins *ins)
{
    if (ins->kind != INS_OP || !op_fault(ins->op, ins->source))
        return false;
    const struct ins *divisor = &l->kernel->ins[ins->a[1]];
    return divisor->kind != INS_LITERAL || l->kernel->literals[divisor->index].bits == 0;
}

static int bool_op(struct lowering *l, enum op op, int a, int b)
{
    return add_op(l, op, WEFT_BOOL, WEFT_BOOL, (int[]){a, b, -1}, l->kernel->ins[a].span);
}

static int use_and(struct lowering *l, int use, int condition)
{
    return use == ALWAYS ? condition : bool_op(l, OP_AND, use, condition);
}

static void use_or(struct lowering *l, int *use, int more)
{
    if (*use == NEVER || more == ALWAYS)
        *use = more;
    else if (*use != ALWAYS && *use != more)
        *use = bool_op(l, OP_OR, *use, more);
}

/* Hands instruction i's use on to its operands: an arm of a selection is used where it is taken. */
static void pass_use(struct lowering *l, int i, int *uses, const bool *faulty)
{
    struct ins ins = l->kernel->ins[i];
    bool select = ins.kind == INS_OP && op_rows[ins.op].rule == RULE_SELECT;
    for (int k = 0; k < 3; k++) {
        int operand = ins.a[k], use = uses[i];
        if (operand < 0 || !faulty[operand])
            continue;
        if (select && k == 1)
            use = use_and(l, use, ins.a[0]);
        if (select && k == 2)
            use = use_and(l, use, bool_op(l, OP_NOT, ins.a[0], -1));
        use_or(l, &uses[operand], use);
    }
}

struct fault_place {
    struct span span;
    int ins;
};

static int by_place(const void *a, const void *b)
{
    const struct fault_place *x = a, *y = b;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

static void add_faults(struct lowering *l, struct fault_place *places, int count, const int *uses)
{
    struct kernel *kernel = l->kernel;
    if (count)
        qsort(places, (size_t)count, sizeof *places, by_place);
    kernel->faults = ARENA_ARRAY(l->arena, struct span, count);
    kernel->fault_count = count;
    for (int i = 0; i < count; i++) {
        struct ins fault = kernel->ins[places[i].ins];
        int use = uses[places[i].ins];
        kernel->faults[i] = places[i].span;
        add(l, (struct ins){INS_FAULT, fault.op, WEFT_BOOL, fault.source,
                            {fault.a[0], fault.a[1], use == ALWAYS ? -1 : use}, i, fault.span});
    }
}

static void lower_faults(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    int count = kernel->ins_count, place_count = 0;
    bool *faulty = ARENA_ARRAY(l->arena, bool, count);
    int *uses = ARENA_ARRAY(l->arena, int, count);
    struct fault_place *places = NULL;
    for (int i = 0; i < count; i++) {
        const struct ins *ins = &kernel->ins[i];
        faulty[i] = may_fault(l, ins);
        for (int k = 0; k < 3; k++)
            faulty[i] = faulty[i] || (ins->a[k] >= 0 && faulty[ins->a[k]]);
        uses[i] = ins->kind == INS_STORE ? ALWAYS : NEVER;
    }
    for (int i = count - 1; i >= 0; i--) {
        if (!faulty[i] || uses[i] == NEVER)
            continue;
        if (may_fault(l, &kernel->ins[i]))
            ARENA_PUSH(l->arena, places, place_count,
                       ((struct fault_place){kernel->ins[i].span, i}));
        pass_use(l, i, uses, faulty);
    }
    add_faults(l, places, place_count, uses);
}

/* Equal divisions become one now, and so do remarks under one condition: the first in the text stays. */
static void merge_places(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    struct ins *before = kernel->ins;
    int count = kernel->ins_count, *now = ARENA_ARRAY(l->arena, int, count);
    kernel->ins = NULL;
    kernel->ins_count = kernel->fault_count = 0;
    l->holders = NULL;
    l->holder_count = 0;
    l->places_merged = true;
    resize_table(l, 64);
    for (int i = 0; i < count; i++) {
        struct ins ins = before[i];
        for (int k = 0; k < 3; k++)
            ins.a[k] = ins.a[k] < 0 ? -1 : now[ins.a[k]];
        ins.index = ins.kind == INS_FAULT ? -1 : ins.index;
        now[i] = add(l, ins);
    }
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_FAULT) {
            kernel->faults[kernel->fault_count] = kernel->ins[i].span;
            kernel->ins[i].index = kernel->fault_count++;
        }
}

/* ---- leaving out what nothing uses ---- */

/* New numbers for the items that are marked; -1 for the others. Returns how many there are. */
static int number(int *marks, int count)
{
    int next = 0;
    for (int i = 0; i < count; i++)
        marks[i] = marks[i] ? next++ : -1;
    return next;
}

static void compact(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    int *live = ARENA_ARRAY(l->arena, int, kernel->ins_count);
    int *literals = ARENA_ARRAY(l->arena, int, kernel->literal_count);
    int *accesses = ARENA_ARRAY(l->arena, int, kernel->access_count);
    for (int i = kernel->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &kernel->ins[i];
        live[i] |= ins->kind == INS_STORE || ins->kind == INS_FAULT;
        for (int k = 0; live[i] && k < 3; k++)
            if (ins->a[k] >= 0)
                live[ins->a[k]] = 1;
        if (live[i] && ins->kind == INS_LITERAL)
            literals[ins->index] = 1;
        if (live[i] && (ins->kind == INS_LOAD || ins->kind == INS_STORE))
            accesses[ins->index] = 1;
    }
    int ins_count = number(live, kernel->ins_count);
    int literal_count = number(literals, kernel->literal_count);
    int access_count = number(accesses, kernel->access_count);
    for (int i = 0; i < kernel->ins_count; i++) {
        struct ins ins = kernel->ins[i];
        if (live[i] < 0)
            continue;
        for (int k = 0; k < 3; k++)
            ins.a[k] = ins.a[k] < 0 ? -1 : live[ins.a[k]];
        if (ins.kind == INS_LITERAL)
            ins.index = literals[ins.index];
        if (ins.kind == INS_LOAD || ins.kind == INS_STORE)
            ins.index = accesses[ins.index];
        kernel->ins[live[i]] = ins;
    }
    for (int i = 0; i < kernel->literal_count; i++)
        if (literals[i] >= 0) {
            kernel->literals[literals[i]] = kernel->literals[i];
            kernel->literal_dtypes[literals[i]] = kernel->literal_dtypes[i];
        }
    for (int i = 0; i < kernel->access_count; i++)
        if (accesses[i] >= 0)
            kernel->accesses[accesses[i]] = kernel->accesses[i];
    kernel->ins_count = ins_count;
    kernel->literal_count = literal_count;
    kernel->access_count = access_count;
    kernel->load_count = access_count - kernel->result_count;
}

struct kernel *lower(struct arena *arena, const struct program *program,
                     const struct shape *const *shapes, const int *results, int result_count,
                     struct diags *diags)
{
    struct kernel *kernel = ARENA_NEW(arena, struct kernel);
    *kernel = (struct kernel){.arena = arena, .program = program, .results = results,
                              .result_count = result_count};
    struct lowering l = {.arena = arena, .program = program, .shapes = shapes, .kernel = kernel};
    if (shapes)
        ARENA_PUSH(arena, kernel->maps, kernel->map_count,
                   ((struct index_map){-1, NULL, shapes[program->results[results[0]].node]}));
    l.first_use = ARENA_ARRAY(arena, int, program->node_count);
    l.met = ARENA_ARRAY(arena, int, program->node_count);
    memset(l.first_use, -1, (size_t)program->node_count * sizeof(int));
    memset(l.met, -1, (size_t)program->node_count * sizeof(int));
    resize_table(&l, 64);
    if (!find_uses(&l, diags))
        return NULL;
    lower_uses(&l);
    lower_results(&l);
    lower_faults(&l);
    if (kernel->fault_count > 1)
        merge_places(&l);
    compact(&l);
    return kernel;
}

bool *find_viewed(struct arena *arena, const struct program *program)
{
    enum { NEEDED = 1, VIEWED = 2 };
    bool *viewed = ARENA_ARRAY(arena, bool, program->input_count);
    unsigned char *marks = ARENA_ARRAY(arena, unsigned char, program->node_count);
    for (int r = 0; r < program->result_count; r++)
        marks[program->results[r].node] = NEEDED;
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        unsigned char mark = marks[n] && node->kind == NODE_VIEW ? NEEDED | VIEWED : marks[n];
        for (int i = 0; i < node->operand_count; i++)
            marks[program->operands[node->operands + i]] |= mark;
        if (symbol && symbol->kind == SYMBOL_BINDING)
            marks[symbol->node] |= mark;
        else if (symbol && mark & VIEWED)
            viewed[symbol->input] = true;
    }
    return viewed;
}

unsigned char *find_alignments(struct arena *arena, const struct program *program)
{
    unsigned char *alignments = ARENA_ARRAY(arena, unsigned char, program->input_count);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        if (node->kind != NODE_VIEW || program->views[node->view].form != VIEW_REINTERPRET)
            continue;
        const struct node *from = named_node(program, operand_node(program, node, 0));
        unsigned char size = (unsigned char)type_rows[program->views[node->view].dtype].size;
        if (from->kind == NODE_NAME && alignments[program->symbols[from->symbol].input] < size)
            alignments[program->symbols[from->symbol].input] = size;
    }
    return alignments;
}
