/* Implements wraps.h. Low bits do not depend on whether a sum, difference or product wrapped, so programs that mean to
 * wrap go on with such operations, or with bits. What makes a number of the value sees whether it did: a conversion to
 * another type, a comparison, a division. A cast to the type that a value has changes nothing, so whoever writes
 * uint8(a + b) takes the sum for a wider one: it sees the value, too. */
#include "compiler/check/wraps.h"

#include "compiler/check/shape.h"

#include <string.h>

enum { DEEP = 5 };                  /* how far operands are looked into */

/* ---- what may wrap ---- */

static bool same(const struct program *program, const struct node *a, const struct node *b)
{
    const char *text = program->source->text;
    const size_t length = a->span.end - a->span.start;
    return a == b || (!a->made && !b->made && length == b->span.end - b->span.start &&
                      memcmp(text + a->span.start, text + b->span.start, length) == 0);
}

/* Whether no element of `a` is less than that of `b`: max(x) - min(x), x - x % 8. Of unsigned values. */
static bool at_least(const struct program *program, const struct node *a, const struct node *b, int depth)
{
    a = named_node(program, a);
    b = named_node(program, b);
    if (same(program, a, b) || depth == DEEP)
        return depth < DEEP;
    const bool smaller = b->kind == NODE_OP ? b->op == OP_MIN || b->op == OP_BITAND || b->op == OP_MOD ||
                                                  b->op == OP_FMOD || b->op == OP_FLOORDIV || b->op == OP_TRUNCDIV ||
                                                  b->op == OP_SHR
                                            : b->kind == NODE_REDUCE && b->join == JOIN_LEAST;
    const bool all = b->kind == NODE_OP && (b->op == OP_MIN || b->op == OP_BITAND);
    for (int i = 0; smaller && i < (all ? b->operand_count : 1); i++)
        if (at_least(program, a, operand_node(program, b, i), depth + 1))
            return true;
    const bool larger = a->kind == NODE_OP ? a->op == OP_MAX : a->kind == NODE_REDUCE && a->join == JOIN_GREATEST;
    for (int i = 0; larger && i < a->operand_count; i++)
        if (at_least(program, operand_node(program, a, i), b, depth + 1))
            return true;
    return false;
}

/* Whether an operation in int32 has an operand of 16 bits beside literals alone: x * 60000, x ** 2 of a uint16. */
static bool widened(const struct program *program, const struct node *node)
{
    bool narrow = false;
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i);
        if (operand->literal.kind != LITERAL_NONE && !operand->number)
            continue;
        if (type_rows[operand->dtype].bits > 16 || operand->number)
            return false;
        narrow = true;
    }
    return narrow && node->dtype == WEFT_INT32;
}

/* Many sums or products at once: correlate, and scatter's "add" and "mul". */
static bool is_many(const struct program *program, const struct node *node)
{
    if (node->kind != NODE_SCATTER)
        return node->kind == NODE_CORRELATE;
    const struct view_args *args = &program->views[node->view];
    return args->part == SCATTER_WHOLE && (args->put == PUT_ADD || args->put == PUT_MUL);
}

/* Arithmetic of the text whose result may be larger than its operands, or less than 0. */
static bool grows(const struct program *program, const struct node *node)
{
    const struct type_row *row = &type_rows[node->dtype];
    if (is_many(program, node))
        return (row->class == CLASS_UNSIGNED || row->class == CLASS_SIGNED) && row->bits < 32;
    if (node->kind != NODE_OP || node->literal.kind != LITERAL_NONE || node->own_types || node->made)
        return false;
    if (row->class != CLASS_UNSIGNED && !(row->class == CLASS_SIGNED && (row->bits < 32 || widened(program, node))))
        return false;
    switch (node->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_NEG: case OP_POW: case OP_SQUARE: return true;
    default: return false;
    }
}

struct finding {
    const struct program *program;
    struct value_range *ranges;    /* [node_count] */
    bool *wraps;                   /* [node_count] */
};

static struct value_range operand_range(const struct finding *f, const struct node *node, int i)
{
    return f->ranges[f->program->operands[node->operands + i]];
}

/* A power by one exponent. */
static struct value_range power_range(struct value_range base, struct value_range exponent)
{
    struct value_range power = range_between(1, 1);
    if (exponent.lo != exponent.hi || exponent.lo < 0 || exponent.lo > 64)
        return range_unknown;
    for (int64_t i = 0; i < exponent.lo && power.known; i++)
        power = i == 0 ? base : range_of_op(OP_MUL, (struct value_range[]){power, base, power});
    return power;
}

/* The exact result of an operation; unknown where nothing is known of it. */
static struct value_range exact_range(const struct finding *f, const struct node *node)
{
    struct value_range r[3] = {range_between(0, 0), range_between(0, 0), range_between(0, 0)};
    bool known = node->operand_count <= 3; /* min and max of more may give anything */
    for (int i = first_promoted(&op_rows[node->op]); known && i < node->operand_count; i++) {
        r[i] = operand_range(f, node, i);
        known = r[i].known;
    }
    const struct value_range exact = !known                 ? range_unknown
                                     : node->op == OP_POW ? power_range(r[0], r[1])
                                                          : range_of_op(node->op, r);
    const bool ordered = node->op == OP_SUB && exact.known && type_rows[node->dtype].class == CLASS_UNSIGNED &&
                         at_least(f->program, operand_node(f->program, node, 0), operand_node(f->program, node, 1), 0);
    return ordered ? range_between(0, r[0].hi) : exact;
}

/* Of a correlate with literals, whatever x's elements are. */
static struct value_range range_of_correlate(const struct finding *f, const struct node *node)
{
    const struct node *k = named_node(f->program, operand_node(f->program, node, 1));
    const struct value_range x = range_of_dtype(operand_node(f->program, node, 0)->dtype);
    int64_t lo = 0, hi = 0;
    if (k->kind != NODE_ARRAY || !x.known)
        return range_unknown;
    for (int i = 0; i < k->operand_count; i++) {
        const struct value_range one = operand_range(f, k, i);
        if (!one.known || one.lo < -INT32_MAX || one.hi > INT32_MAX)
            return range_unknown;
        lo += one.lo < 0 ? one.lo * x.hi : one.lo * x.lo;
        hi += one.hi < 0 ? one.hi * x.lo : one.hi * x.hi;
    }
    return range_between(lo, hi);
}

/* The result of an operation or a correlate if it did not wrap; unknown of others. */
static struct value_range unwrapped_range(const struct finding *f, const struct node *node)
{
    return node->kind == NODE_OP          ? exact_range(f, node)
           : node->kind == NODE_CORRELATE ? range_of_correlate(f, node)
                                          : range_unknown;
}

static struct value_range find_range(const struct finding *f, const struct node *node, struct value_range unwrapped)
{
    const struct value_range all = node->dtype == WEFT_BOOL ? range_between(0, 1) : range_of_dtype(node->dtype);
    struct value_range range = unwrapped;
    if (node->literal.kind == LITERAL_INTEGER && !node->number && literal_fits(&node->literal, WEFT_INT64))
        return range_between((int64_t)node->literal.integer, (int64_t)node->literal.integer);
    if (node->kind == NODE_NAME && named_node(f->program, node) != node)
        return f->ranges[named_node(f->program, node) - f->program->nodes];
    if (node->kind == NODE_CAST || (node->kind == NODE_REDUCE && node->join >= JOIN_LEAST) ||
        (node->kind == NODE_VIEW && node->operand_count == 1))
        range = operand_range(f, node, 0);
    if (node->kind == NODE_CAST && range.known && all.known)
        return range_saturated(range, all);
    return range_fits(range, node->dtype) ? range : all;
}

static struct finding find(struct arena *arena, const struct program *program)
{
    struct finding f = {program, ARENA_ARRAY(arena, struct value_range, program->node_count),
                        ARENA_ARRAY(arena, bool, program->node_count)};
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const bool wide = node->dtype == WEFT_UINT64 && node->op == OP_SUB && node->kind == NODE_OP;
        const struct value_range exact = unwrapped_range(&f, node);
        f.ranges[n] = find_range(&f, node, exact);
        f.wraps[n] = grows(program, node) && !range_fits(exact, node->dtype) &&
                     !(wide && at_least(program, operand_node(program, node, 0), operand_node(program, node, 1), 0));
    }
    return f;
}

const bool *find_wraps(struct arena *arena, const struct program *program)
{
    return find(arena, program).wraps;
}

const struct value_range *find_ranges(struct arena *arena, const struct program *program)
{
    return find(arena, program).ranges;
}

const char *wrap_limit(struct arena *arena, const struct node *node)
{
    const struct type_row *row = &type_rows[node->dtype];
    if (row->class == CLASS_UNSIGNED && (node->op == OP_SUB || node->op == OP_NEG))
        return "below 0";
    return row->bits == 64 ? "beyond 2^64 - 1"
                           : arena_printf(arena, "beyond %lld", (long long)range_of_dtype(node->dtype).hi);
}

/* The first operand of the innermost operation that may wrap: converted, it makes all above it as wide. */
static const struct node *to_convert(const struct program *program, const bool *wraps, const struct node *node)
{
    for (int i = 0; i < node->operand_count;) {
        const bool inner = wraps[program->operands[node->operands + i]];
        node = inner ? operand_node(program, node, i) : node;
        i = inner ? 0 : i + 1;
    }
    const struct node *first = operand_node(program, node, 0);
    return first->literal.kind == LITERAL_NONE ? first : operand_node(program, node, 1);
}

/* Whether int32 holds what an operation of 8 or 16 bits computes: not products of 16 bits. */
static bool holds_in_int32(const struct program *program, const bool *wraps, const struct node *node, int depth)
{
    const int bits = type_rows[node->dtype].bits;
    const bool product = node->kind != NODE_OP || node->op == OP_MUL || node->op == OP_POW || node->op == OP_SQUARE;
    if (bits > 16 || (bits == 16 && product) || depth == DEEP)
        return bits <= 8;
    for (int i = 0; i < node->operand_count; i++)
        if (wraps[program->operands[node->operands + i]] &&
            !holds_in_int32(program, wraps, operand_node(program, node, i), depth + 1))
            return false;
    return true;
}

const char *wrap_cure(const struct program *program, const bool *wraps, const struct node *node, bool real)
{
    const char *to = holds_in_int32(program, wraps, node, 0) ? "int32" : real ? "float64" : "int64";
    return arena_printf(program->arena, "%s(%s)", to,
                        expression_text(program->arena, program, to_convert(program, wraps, node)->span));
}

/* ---- what sees it ---- */

/* Whether `where` computes an arm from two values only where their comparison says so: where(a > b, a - b, 0). */
static bool is_guarded(const struct program *program, const struct node *where, const struct node *arm)
{
    const struct node *by = named_node(program, operand_node(program, where, 0)), *value = named_node(program, arm);
    if (by->kind != NODE_OP || op_rows[by->op].rule != RULE_COMPARE || value->kind != NODE_OP || value->op != OP_SUB)
        return false;
    const struct node *a = operand_node(program, by, 0), *b = operand_node(program, by, 1);
    const struct node *x = operand_node(program, value, 0), *y = operand_node(program, value, 1);
    return (same(program, a, x) && same(program, b, y)) || (same(program, a, y) && same(program, b, x));
}

/* Sums and products of 32 bits and more seldom leave them but in hashes and random numbers, which are meant to. */
static bool is_told(const struct program *program, const struct node *node)
{
    return type_rows[node->dtype].bits <= 16 || widened(program, node) || node->op == OP_SUB || node->op == OP_NEG;
}

/* What may wrap in a value, through bindings, views and the arms of where; NULL: nothing. */
static const struct node *find_wrapped(const struct program *program, const bool *wraps, const struct node *node,
                                       int depth)
{
    node = named_node(program, node);
    const bool where = node->kind == NODE_OP && node->op == OP_WHERE;
    const bool passes = node->kind == NODE_VIEW || (node->kind == NODE_CAST && node->made) ||
                        (node->kind == NODE_OP && node->op == OP_PLUS);
    if (wraps[node - program->nodes] && is_told(program, node))
        return node;
    const struct node *found = NULL;
    for (int i = where; depth < DEEP && !found && (where ? i < 3 : passes && i < 1); i++)
        if (!(where && is_guarded(program, node, operand_node(program, node, i))))
            found = find_wrapped(program, wraps, operand_node(program, node, i), depth + 1);
    return found;
}

static bool op_sees(const struct program *program, const struct node *node, int i, enum weft_dtype own)
{
    const enum rule_id rule = op_rows[node->op].rule;
    if (rule == RULE_LOGIC || rule == RULE_TEST || rule == RULE_BITS || node->op == OP_SHL ||
        i < first_promoted(&op_rows[node->op]))
        return false;
    if (node->op == OP_EQ || node->op == OP_NE) {
        const struct literal *other = &operand_node(program, node, 1 - i)->literal;
        if (other->kind == LITERAL_INTEGER && literal_fits(other, own))
            return false;
    }
    if (node->op == OP_WHERE && is_guarded(program, node, operand_node(program, node, i)))
        return false;
    if (operand_dtype(program, node) != own)
        return true;
    switch (node->op) {
    case OP_FLOORDIV: case OP_TRUNCDIV: case OP_MOD: case OP_FMOD: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
    case OP_MIN: case OP_MAX: case OP_CLAMP: case OP_ABS: case OP_SIGN: return true;
    case OP_SHR: return i == 0;
    default: return false;
    }
}

/* Whether a node makes a number of operand `i`, so that it matters whether that wrapped. */
static bool sees(const struct program *program, const struct node *node, int i)
{
    const enum weft_dtype own = operand_node(program, node, i)->dtype;
    switch (node->kind) {
    case NODE_OP: return node->literal.kind == LITERAL_NONE && !node->size && op_sees(program, node, i, own);
    case NODE_CAST: return i == 0 && node->dtype != WEFT_BOOL && (node->dtype != own || !node->made);
    case NODE_REDUCE: return node->join != JOIN_ANY && node->join != JOIN_ALL;
    case NODE_JOIN: case NODE_CORRELATE: return node->dtype != own;
    default: return false;
    }
}

/* For each node how many of its low bits wrap(..) alone keeps: wrap(sum(a * b), uint8) is the same however a * b wraps;
 * 64: others see it, too. */
static const int *find_low_bits(struct arena *arena, const struct program *program)
{
    int *low = ARENA_ARRAY(arena, int, program->node_count);
    for (int n = 0; n < program->node_count; n++)
        low[n] = 64;
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const struct node *of = node->kind == NODE_WRAP ? named_node(program, operand_node(program, node, 0)) : NULL;
        const bool keeps = of && (of->kind == NODE_OP ? of->op == OP_ADD || of->op == OP_SUB || of->op == OP_MUL
                                  : of->kind == NODE_REDUCE ? of->join == JOIN_SUM || of->join == JOIN_PROD
                                                            : is_many(program, of));
        if (keeps)
            low[of - program->nodes] = type_rows[node->dtype].bits;
    }
    return low;
}

static void add_warning(struct program *program, const bool *wraps, const struct node *found, bool real,
                        const struct span *user, const char *before)
{
    const char *type = type_rows[found->dtype].name;
    const struct span places[] = {found->token, user ? *user : found->token};
    diag_at(program->diags, DIAG_WRAP_LOSS, places, user ? 2 : 1,
            expression_text(program->arena, program, found->span), type, wrap_limit(program->arena, found), before,
            wrap_cure(program, wraps, found, real), type);
}

static bool warn_of(struct program *program, const bool *wraps, const struct node *node, int low)
{
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *found =
            sees(program, node, i) ? find_wrapped(program, wraps, operand_node(program, node, i), 0) : NULL;
        if (!found || low <= type_rows[found->dtype].bits)
            continue;
        const bool real = dtype_is_float(node->kind == NODE_OP ? operand_dtype(program, node) : node->dtype);
        const char *user = expression_text(program->arena, program, node->token);
        add_warning(program, wraps, found, real, &node->token,
                    arena_printf(program->arena, " before '%s' uses it", user));
        return true;
    }
    return false;
}

/* What a view, or several, show the elements of. */
static const struct node *viewed(const struct program *program, const struct node *node)
{
    node = named_node(program, node);
    while (node->kind == NODE_VIEW && node->operand_count > 0)
        node = named_node(program, operand_node(program, node, 0));
    return node;
}

/* x[1:] - x[:-1], which is hardly meant modulo 256. Of two inputs only their author knows which is the larger. */
static bool is_step(const struct program *program, const struct node *node)
{
    const bool difference = node->kind == NODE_OP && node->op == OP_SUB && node->operand_count == 2 &&
                            type_rows[node->dtype].class == CLASS_UNSIGNED;
    return difference && same(program, viewed(program, operand_node(program, node, 0)),
                              viewed(program, operand_node(program, node, 1)));
}

/* A result is a conversion where its kernel declares another type. */
static bool warn_of_result(struct program *program, const bool *wraps, const struct result *result)
{
    const struct node *found = find_wrapped(program, wraps, &program->nodes[result->node], 0);
    const enum weft_dtype own = program->nodes[result->node].dtype;
    const bool converts = result->has_dtype && result->dtype != own && result->dtype != WEFT_BOOL;
    if (!found || !(converts || is_step(program, found)))
        return false;
    add_warning(program, wraps, found, dtype_is_float(result->dtype), NULL,
                converts ? arena_printf(program->arena, " before it becomes %s", type_rows[result->dtype].name) : "");
    return true;
}

/* Who counts or weighs in 8 or 16 bits sees the sums themselves, as does who takes a literal's type for wide enough. */
static bool warn_of_many(struct program *program, const bool *wraps, const struct node *node, int low)
{
    const bool own = is_many(program, node) || (node->kind == NODE_OP && widened(program, node));
    if (!wraps[node - program->nodes] || !own || low <= type_rows[node->dtype].bits)
        return false;
    add_warning(program, wraps, node, false, NULL, "");
    return true;
}

bool warn_wraps(struct program *program)
{
    const bool *wraps = find_wraps(program->arena, program);
    const int *low = find_low_bits(program->arena, program);
    for (int n = 0; n < program->node_count; n++)
        if (warn_of_many(program, wraps, &program->nodes[n], low[n]))
            return true;
    for (int n = 0; n < program->node_count; n++)
        if (warn_of(program, wraps, &program->nodes[n], low[n]))
            return true;
    for (int i = 0; i < program->result_count; i++)
        if (warn_of_result(program, wraps, &program->results[i]))
            return true;
    return false;
}
