/* Parses expressions by precedence climbing over the rows of ops.def. Which operators there are,
 * how tightly they bind, and how they associate is read from these rows alone. */
#include "compiler/parse/parse_impl.h"

#include <math.h>
#include <string.h>

/* Bounds the stack for any mixture of operators: right operands of left-associative operators nest
 * too, at most once per precedence. */
enum { MAX_FRAMES = 4 * MAX_NESTING };

int parse_add_node(struct parser *p, struct node node, const int *operands, int count)
{
    struct program *program = p->program;
    if (p->failed)
        return 0;
    if (program->node_count >= MAX_NODES)
        return parse_too_many(p, node.span, MAX_NODES, "names, numbers and operations");
    node.operands = program->operand_count;
    node.operand_count = count;
    for (int i = 0; i < count; i++)
        ARENA_PUSH(p->arena, program->operands, program->operand_count, operands[i]);
    ARENA_PUSH(p->arena, program->nodes, program->node_count, node);
    return program->node_count - 1;
}

PARSE_APART int parse_poison(struct parser *p, struct span span)
{
    return parse_add_node(p, (struct node){.kind = NODE_POISON, .span = span, .token = span,
                                           .poison = true}, NULL, 0);
}

void parse_push(struct parser *p, int node)
{
    if (p->stack_count == p->stack_room) {
        p->stack = arena_grow(p->arena, p->stack, (size_t)p->stack_room, sizeof *p->stack);
        p->stack_room = p->stack_room ? p->stack_room * 2 : 1;
    }
    p->stack[p->stack_count++] = node;
}

static struct span span_from(const struct parser *p, uint32_t start)
{
    return (struct span){start, p->previous.end};
}

static int climb(struct parser *p, int floor, bool tight);

/* ---- array literals ---- */

struct array {
    int rank;                      /* -1 until the first element is met */
    int64_t extents[WEFT_MAX_RANK];
    bool known[WEFT_MAX_RANK];     /* whether a level of this depth was closed, which sets the extent */
    bool ragged;
};

/* Reports the first irregularity of an array. */
PARSE_APART static void ragged(struct parser *p, struct array *array, struct span place,
                               const char *message)
{
    if (!p->failed && !array->ragged)
        diag(p->diags, DIAG_ARRAY, place, message);
    array->ragged = true;
}

static void array_level(struct parser *p, struct array *array, int level);

static void array_element(struct parser *p, struct array *array, int level)
{
    struct span place = p->token.span;
    bool nested = p->token.kind == TOKEN_LBRACKET;
    if (array->rank < 0 && !nested)
        array->rank = level + 1;
    bool mixed = nested ? array->rank == level + 1 : array->rank != level + 1;
    if (mixed)
        ragged(p, array, place, "an array literal holds numbers or rows, not both side by side");
    if (nested) {
        array_level(p, array, level + 1);
        return;
    }
    int node = parse_expression(p);
    if (!p->failed)
        parse_push(p, node);
}

PARSE_APART static void array_count(struct parser *p, struct array *array, int level, int64_t count,
                        struct span opener)
{
    if (array->known[level] && array->extents[level] != count)
        ragged(p, array, (struct span){opener.start, p->previous.end},
               arena_printf(p->arena,
                            "the rows of an array literal have one length; this has %lld, "
                            "those before %lld",
                            (long long)count, (long long)array->extents[level]));
    array->known[level] = true;
    array->extents[level] = count;
}

static void array_level(struct parser *p, struct array *array, int level)
{
    struct span opener = p->token.span;
    int64_t count = 0;
    if (level >= WEFT_MAX_RANK)
        parse_too_many(p, opener, WEFT_MAX_RANK, "dimensions of an array literal");
    if (!parse_enter(p, opener))
        return;
    parse_advance(p);
    if (p->token.kind == TOKEN_RBRACKET)
        ragged(p, array, span_join(opener, p->token.span),
               p->nesting > 1 ? "an array literal has at least one element; an axis has a name, as in max(x, axis=0)"
                              : "an array literal has at least one element");
    else
        do
            array_element(p, array, level), count++;
        while (parse_more(p, TOKEN_RBRACKET));
    if (parse_close(p, opener, TOKEN_RBRACKET, "',' or ']'"))
        array_count(p, array, level, count, opener);
    p->nesting--;
}

PARSE_APART static int finish_array(struct parser *p, const struct array *array, int count,
                                    struct span span)
{
    struct program *program = p->program;
    struct node node = {.kind = NODE_ARRAY, .rank = array->rank, .extents = program->extent_count,
                        .span = span, .token = span};
    if (array->ragged)
        return parse_poison(p, span);
    if (count > MAX_ARRAY_ELEMENTS)
        return parse_too_many(p, span, MAX_ARRAY_ELEMENTS, "elements of an array literal");
    for (int i = 0; i < array->rank; i++)
        ARENA_PUSH(p->arena, program->extents, program->extent_count, array->extents[i]);
    return parse_add_node(p, node, p->stack + p->stack_count - count, count);
}

static int array(struct parser *p)
{
    struct array *array = ARENA_NEW(p->arena, struct array);
    int base = p->stack_count;
    uint32_t start = p->token.span.start;
    array->rank = -1;
    array_level(p, array, 0);
    int node = p->failed ? 0 : finish_array(p, array, p->stack_count - base, span_from(p, start));
    p->stack_count = base;
    return node;
}

/* ---- operands ---- */

PARSE_APART static int literal(struct parser *p)
{
    struct token token = p->token;
    parse_advance(p);
    return parse_add_node(p, (struct node){.kind = NODE_LITERAL, .span = token.span,
                                           .token = token.span, .literal = token.literal}, NULL, 0);
}

PARSE_APART static int name(struct parser *p)
{
    struct span span = p->token.span;
    parse_advance(p);
    return p->failed ? 0 : resolve_name(p, span);
}

static int grouped(struct parser *p)
{
    struct span opener = p->token.span;
    if (!parse_enter(p, opener))
        return 0;
    parse_advance(p);
    if (p->token.kind == TOKEN_RPAREN)
        return parse_unexpected(p, "a value; a list is written in [ ]");
    int node = parse_expression(p);
    const bool tuple = p->in_numbers && p->token.kind == TOKEN_COMMA;
    parse_close(p, opener, TOKEN_RPAREN,
                tuple ? "an operator or ')'; a list is written in [ ]" : "an operator or ')'");
    p->nesting--;
    return node;
}

/* What to write for a string where a value is expected: it may be a label, or a name in a list of dimensions. */
static const char *string_advice(struct parser *p)
{
    const char *string = parse_text(p, p->token.span), *text = p->source->text, *name = string + 1;
    const uint32_t at = p->token.span.start;
    const int length = (int)strlen(string) - 2;
    bool is_name = length > 0 && length <= 40 && is_letter(*name);
    for (int i = 0; i < length; i++)
        is_name = is_name && (is_letter(name[i]) || is_digit(name[i]) || name[i] == '_');
    const char before = at ? text[at - 1] : ' ', behind = at > 1 ? text[at - 2] : ' ';
    if (before == '[' && (is_letter(behind) || is_digit(behind) || behind == '_' || behind == ']' || behind == ')'))
        return arena_printf(p->arena, "a label stands behind its dimension, as in u.vector[%s]", string);
    if (is_name && at && (before == '[' || before == '('))
        return arena_printf(p->arena, "a string is no value; names of dimensions in a list have no quotes, as in "
                            "[%.*s]", length, name);
    return "a string is no value; it stands as an argument only";
}

static int primary(struct parser *p)
{
    const struct span before = p->previous;
    const bool percent = before.end > before.start && p->source->text[before.start] == '%';
    const char *expected = percent ? "a value; a percentage is a number, as in 1.5 for 150%" : "a value";
    switch (p->token.kind) {
    case TOKEN_NUMBER: return literal(p);
    case TOKEN_NAME: return p->next.kind == TOKEN_LPAREN ? parse_call(p) : name(p);
    case TOKEN_LPAREN: return grouped(p);
    case TOKEN_LBRACKET: return array(p);
    case TOKEN_STRING:
        return parse_wrong(p, p->token.span, string_advice(p));
    case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE:
        return p->nesting == 0 ? parse_unexpected_after(p, expected) : parse_unexpected(p, expected);
    default: return parse_unexpected(p, expected);
    }
}

/* ---- operators ---- */

PARSE_APART static int operation(struct parser *p, enum op op, struct span token, uint32_t start,
                                 const int *operands, int count)
{
    return parse_add_node(p, (struct node){.kind = NODE_OP, .op = op, .span = span_from(p, start),
                                           .token = token}, operands, count);
}

static int too_loose(struct parser *p, enum op op)
{
    const char *spelling = word_text(p->arena, op_rows[op].spellings, 0);
    return parse_wrong(p, p->token.span,
                       arena_printf(p->arena, "'%s' binds looser than the operator before it; put it in "
                                    "parentheses, as (%s x)", spelling, spelling));
}

/* `floor` is the precedence that the place asks for. To the right of a right-associative operator
 * (`tight`), a prefix operator may bind one level looser than that: 2 ** -x. */
static int prefix(struct parser *p, int floor, bool tight)
{
    struct span token = p->token.span;
    enum op op = p->token.prefix;
    int level = op_rows[op].precedence;
    if (level < floor && !(tight && level + 1 == floor))
        return too_loose(p, op);
    if (!parse_enter(p, token))
        return 0;
    parse_advance(p);
    int operand = climb(p, level, false);
    p->nesting--;
    return operation(p, op, token, token.start, &operand, 1);
}

/* a if c else b. The node's operands are condition, a, b. */
static int ternary(struct parser *p, int left, uint32_t start)
{
    struct span token = p->token.span;
    enum op op = p->token.infix;
    int operands[3] = {0, left, 0};
    if (!parse_enter(p, token))
        return 0;
    parse_advance(p);
    operands[0] = climb(p, op_rows[op].precedence + 1, false);
    if (p->token.kind == TOKEN_ELSE)
        parse_advance(p);
    else
        parse_unexpected_after(p, "'else' and what to take where the condition is false");
    operands[2] = climb(p, op_rows[op].precedence, false);
    p->nesting--;
    return operation(p, op, token, start, operands, 3);
}

static int binary(struct parser *p, int left, uint32_t start)
{
    const enum op op = p->token.infix;
    const bool right = op_rows[op].form == FORM_RIGHT;
    const struct span place = {start, p->previous.end};
    struct comparison comparison = {op, p->token.span, 0, {0, 0}};
    if (right && !parse_enter(p, comparison.token))
        return 0;
    parse_advance(p);
    comparison.place.start = p->token.span.start;
    comparison.right = climb(p, op_rows[op].precedence + !right, right);
    p->nesting -= right;
    comparison.place.end = p->previous.end;
    return op_rows[op].form == FORM_CHAINLESS && parse_at_comparison(p)
               ? parse_chain(p, left, place, &comparison)
               : operation(p, op, comparison.token, start, (int[]){left, comparison.right}, 2);
}

static int climb(struct parser *p, int floor, bool tight)
{
    uint32_t start = p->token.span.start;
    if (++p->frames > MAX_FRAMES && !p->failed) {
        diag(p->diags, DIAG_TOO_DEEP, p->token.span, (int)MAX_NESTING);
        parse_fail(p);
    }
    int left = p->failed                      ? 0
               : p->token.prefix != OP_COUNT ? prefix(p, floor, tight)
                                             : primary(p);
    while (parse_at_selection(p))
        left = (p->token.kind == TOKEN_DOT ? parse_dim_selection : parse_selection)(p, left, start);
    while (p->token.infix != OP_COUNT && op_rows[p->token.infix].precedence >= floor)
        left = op_rows[p->token.infix].form == FORM_TERNARY ? ternary(p, left, start) : binary(p, left, start);
    p->frames--;
    return left;
}

int parse_operand(struct parser *p, int floor)
{
    return climb(p, floor, false);
}

int parse_expression(struct parser *p)
{
    return climb(p, 0, false);
}
