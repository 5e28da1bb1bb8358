/* Calls: functions of ops.def, casts written as a type's name, cast and wrap. Arguments come by
 * position, then by name; what a row calls them is in its `parameters`. */
#include "compiler/parse.h"

#include <string.h>

struct argument {
    const char *name;              /* NULL: by position */
    struct span name_span, span;
    int node;
    enum weft_dtype dtype;         /* of a type argument */
};

/* What is called. */
struct callee {
    const char *name;
    struct span span;
    enum node_kind kind;           /* NODE_OP, NODE_CAST, NODE_WRAP, NODE_POISON if unknown */
    enum op op;
    enum weft_dtype dtype;
    const char *parameters;
    int arity;
    int type_argument;             /* the position of an argument that is a type; -1: none */
    bool fold;                     /* two or more arguments */
};

struct arguments {
    struct argument *items;
    int count;
};

static bool in_list(const char *name, const char *list)
{
    size_t length;
    const char *word;
    for (int i = 0; (word = word_at(list, i, &length)); i++)
        if (strlen(name) == length && memcmp(word, name, length) == 0)
            return true;
    return false;
}

PARSE_APART static void unknown(struct parser *p, const struct callee *callee)
{
    static const char planned[] = "reshape squeeze expand_dims reinterpret";
    if (p->failed)
        return;
    if (in_list(callee->name, planned))
        diag(p->diags, DIAG_NOT_YET, callee->span, callee->name, "");
    else if (map_find(&p->program->symbol_names, callee->name, strlen(callee->name)) >= 0)
        diag(p->diags, DIAG_SYNTAX, callee->span,
             arena_printf(p->arena, "'%s' is a value, not a function; to multiply write %s * (...)",
                          callee->name, callee->name));
    else
        diag(p->diags, DIAG_UNKNOWN_FUNCTION, callee->span, callee->name,
             parse_suggest_function(p, callee->name));
}

static struct callee conversion(struct callee callee, enum node_kind kind, bool by_type)
{
    callee.kind = kind;
    callee.parameters = by_type ? "x" : "x dtype";
    callee.arity = by_type ? 1 : 2;
    callee.type_argument = by_type ? -1 : 1;
    return callee;
}

PARSE_APART static struct callee find(struct parser *p)
{
    struct span span = p->token.span;
    struct callee callee = {.name = parse_text(p, span), .span = span, .kind = NODE_POISON,
                            .op = OP_COUNT, .parameters = "", .type_argument = -1};
    size_t length = span.end - span.start;
    const struct word *word = lex_word(&p->lexer, callee.name, length);
    callee.dtype = dtype_find(callee.name, length);
    if (callee.dtype != WEFT_DTYPE_COUNT)
        return conversion(callee, NODE_CAST, true);
    if (strcmp(callee.name, "cast") == 0)
        return conversion(callee, NODE_CAST, false);
    if (strcmp(callee.name, "wrap") == 0)
        return conversion(callee, NODE_WRAP, false);
    if (!word || word->function == OP_COUNT)
        return callee;
    callee.kind = NODE_OP;
    callee.op = word->function;
    callee.parameters = op_rows[callee.op].parameters;
    callee.arity = op_arity(callee.op);
    callee.fold = op_rows[callee.op].form == FORM_FOLD;
    return callee;
}

/* ---- reading ---- */

static bool is_parameter(const char *name, const struct callee *callee, int index)
{
    size_t length;
    const char *word = word_at(callee->parameters, index, &length);
    return word && strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool takes_type(const struct callee *callee, const struct argument *argument, int position)
{
    int index = callee->type_argument;
    if (index < 0)
        return false;
    return argument->name ? is_parameter(argument->name, callee, index) : position == index;
}

static struct argument read_argument(struct parser *p, const struct callee *callee, int position)
{
    struct argument argument = {.span = p->token.span, .dtype = WEFT_DTYPE_COUNT};
    if (p->token.kind == TOKEN_NAME && p->next.kind == TOKEN_ASSIGN) {
        argument.name = parse_text(p, p->token.span);
        argument.name_span = p->token.span;
        parse_advance(p), parse_advance(p);
        argument.span = p->token.span;
    }
    if (takes_type(callee, &argument, position))
        argument.dtype = parse_dtype(p);
    else if (p->token.kind == TOKEN_STRING && callee->kind == NODE_POISON)
        parse_advance(p);          /* an unknown function may well take strings */
    else
        argument.node = parse_expression(p);
    argument.span.end = p->previous.end;
    return argument;
}

static void read_arguments(struct parser *p, const struct callee *callee,
                           struct arguments *arguments)
{
    struct span opener = p->token.span;
    bool named = false;
    parse_advance(p);
    if (p->token.kind != TOKEN_RPAREN)
        do {
            struct argument argument = read_argument(p, callee, arguments->count);
            if (named && !argument.name && !p->failed) {
                diag(p->diags, DIAG_SYNTAX, argument.span,
                     "an argument without a name stands before those with one");
                parse_fail(p);
            }
            named = argument.name;
            ARENA_PUSH(p->arena, arguments->items, arguments->count, argument);
        } while (parse_accept(p, TOKEN_COMMA));
    parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
}

/* ---- matching ---- */

static const char *takes(struct parser *p, const struct callee *callee)
{
    size_t length;
    const char *first = word_at(callee->parameters, 0, &length);
    if (callee->fold)
        return "two or more arguments (one is kept for the reduction)";
    if (callee->arity == 1)
        return arena_printf(p->arena, "1 argument (%.*s)", (int)length, first);
    const char *list = "";
    for (int i = 0; (first = word_at(callee->parameters, i, &length)); i++)
        list = arena_printf(p->arena, "%s%s%.*s", list, i ? ", " : "", (int)length, first);
    return arena_printf(p->arena, "%d arguments (%s)", callee->arity, list);
}

static bool wrong_count(struct parser *p, const struct callee *callee, int count)
{
    return diag(p->diags, DIAG_ARITY, callee->span, callee->name, takes(p, callee), count);
}

static const char *parameter_name(struct parser *p, const struct callee *callee, int index)
{
    size_t length;
    const char *word = word_at(callee->parameters, index, &length);
    return arena_string(p->arena, word, length);
}

static bool no_such_argument(struct parser *p, const struct callee *callee,
                             const struct argument *argument)
{
    const char **names = NULL;
    int count = 0;
    for (int i = 0; i < callee->arity; i++)
        ARENA_PUSH(p->arena, names, count, parameter_name(p, callee, i));
    const char *hint = parse_suggest(p, argument->name, names, (size_t)count);
    if (!*hint)
        hint = arena_printf(p->arena, "; it takes %s", takes(p, callee));
    return diag(p->diags, DIAG_UNKNOWN_ARGUMENT, argument->name_span, callee->name, argument->name,
                hint);
}

/* Puts an argument with a name where it belongs. */
static bool place_named(struct parser *p, const struct callee *callee,
                        const struct argument *argument, const struct argument **slots)
{
    for (int i = 0; i < callee->arity; i++) {
        if (!is_parameter(argument->name, callee, i))
            continue;
        if (slots[i])
            return diag(p->diags, DIAG_REPEATED_ARGUMENT, argument->name_span, argument->name,
                        callee->name);
        slots[i] = argument;
        return true;
    }
    return no_such_argument(p, callee, argument);
}

/* Matches arguments to parameters. `slots` has room for all of them; false when reported. */
PARSE_APART static bool match(struct parser *p, const struct callee *callee,
                              const struct arguments *arguments, const struct argument **slots)
{
    int count = arguments->count;
    bool named = count > 0 && arguments->items[count - 1].name;
    if ((callee->fold ? count < 2 : count > callee->arity) || (!named && count < callee->arity))
        return wrong_count(p, callee, count);
    for (int i = 0; i < count; i++)
        if (!arguments->items[i].name)
            slots[i] = &arguments->items[i];
        else if (!place_named(p, callee, &arguments->items[i], slots))
            return false;
    for (int i = 0; i < callee->arity; i++)
        if (!slots[i])
            return diag(p->diags, DIAG_MISSING_ARGUMENT, callee->span, callee->name,
                        parameter_name(p, callee, i));
    return true;
}

PARSE_APART static int make(struct parser *p, const struct callee *callee,
                            const struct argument **slots, int count, struct span span)
{
    struct node node = {.kind = callee->kind, .op = callee->op, .dtype = callee->dtype,
                        .span = span, .token = callee->span};
    int base = p->stack_count;
    for (int i = 0; i < count; i++)
        if (i == callee->type_argument)
            node.dtype = slots[i]->dtype;
        else
            parse_push(p, slots[i]->node);
    int operands = p->stack_count - base;
    p->stack_count = base;
    if (callee->kind != NODE_OP)
        node.op = OP_COUNT;
    else
        node.dtype = 0;
    return parse_add_node(p, node, p->stack + base, operands);
}

int parse_call(struct parser *p)
{
    struct callee callee = find(p);
    struct arguments arguments = {0};
    if (!parse_enter(p, callee.span))
        return 0;
    if (callee.kind == NODE_POISON)
        unknown(p, &callee);
    parse_advance(p);
    read_arguments(p, &callee, &arguments);
    p->nesting--;
    if (p->failed)
        return 0;
    struct span span = {callee.span.start, p->previous.end};
    int count = arguments.count > callee.arity ? arguments.count : callee.arity;
    const struct argument **slots = ARENA_ARRAY(p->arena, const struct argument *, count + 1);
    if (callee.kind == NODE_POISON || !match(p, &callee, &arguments, slots))
        return parse_poison(p, span);
    return make(p, &callee, slots, count, span);
}
