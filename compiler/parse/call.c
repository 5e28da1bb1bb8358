/* Parses calls: functions of ops.def, casts written as a type's name, cast and wrap, views, and reductions. Arguments
 * are given by position, then by name. A row's `parameters` holds their names. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

enum {
    VIEW_POSITIONAL = 2,           /* a view's arguments that may be given by position, besides those that views.def
                                      names */
    BY_NAME = 'w'                  /* the kind of argument that is given by name alone */
};

struct argument {
    const char *name;              /* NULL: given by position */
    struct span name_span, span;
    int node;
    enum weft_dtype dtype;         /* of an argument that is a type */
    struct numbers numbers;
    const char *layout;
    bool flag;
    int64_t whole;
};

/* The function that is called. */
struct callee {
    const char *name;
    struct span span;
    enum node_kind kind;           /* NODE_POISON if unknown */
    enum op op;
    enum view_kind view;
    enum reduction reduction;
    enum weft_dtype dtype;
    const char *parameters;
    const char *kinds;             /* a letter for each parameter, as in views.def; NULL: all are values */
    int arity, required;
    bool fold;                     /* takes two or more arguments */
};

struct arguments {
    struct argument *items;
    int count;
};

PARSE_APART static void unknown(struct parser *p, const struct callee *callee)
{
    const char *habit = parse_call_habit(callee->name);
    if (p->failed)
        return;
    if (map_find(&p->program->symbol_names, callee->name, strlen(callee->name)) >= 0)
        diag(p->diags, DIAG_SYNTAX, callee->span,
             arena_printf(p->arena, "'%s' is a value, not a function; to multiply write %s * (...)",
                          callee->name, callee->name));
    else
        diag(p->diags, DIAG_UNKNOWN_FUNCTION, callee->span, callee->name,
             habit ? arena_printf(p->arena, "; %s", habit)
                   : parse_suggest_function(p, callee->name));
}

/* The callee with these parameters, all of them required. */
static struct callee with_parameters(struct callee callee, enum node_kind kind, const char *parameters,
                                     const char *kinds)
{
    callee.kind = kind;
    callee.parameters = parameters;
    callee.kinds = kinds;
    callee.arity = callee.required = word_count(parameters);
    return callee;
}

static bool has_view(const struct callee *callee)
{
    return callee->kind == NODE_VIEW || callee->kind == NODE_JOIN || callee->kind == NODE_TAKE ||
           callee->kind == NODE_POSITION;
}

static struct callee reduction(struct callee callee)
{
    const struct reduction_row *row = &reduction_rows[callee.reduction];
    callee = with_parameters(callee, NODE_REDUCE, row->parameters, row->kinds);
    callee.required = row->required;
    callee.fold = false;
    return callee;
}

static struct callee view(struct callee callee)
{
    const struct view_row *row = &view_rows[callee.view];
    callee = with_parameters(callee, row->node, row->parameters, row->kinds);
    callee.required = row->required;
    return callee;
}

PARSE_APART static struct callee find(struct parser *p)
{
    const struct span span = p->token.span;
    const char *name = parse_text(p, span);
    const struct word *word = lex_word(&p->lexer, name, strlen(name));
    const enum op op = word ? word->function : OP_COUNT;
    const struct callee callee = {.name = name, .span = span, .kind = NODE_POISON, .op = op, .view = view_find(name),
                                  .reduction = reduction_find(name), .dtype = dtype_find(name, strlen(name)),
                                  .parameters = "", .fold = op != OP_COUNT && op_rows[op].form == FORM_FOLD};
    if (callee.dtype != WEFT_DTYPE_COUNT)
        return with_parameters(callee, NODE_CAST, "x", "x");
    if (strcmp(name, "cast") == 0)
        return with_parameters(callee, NODE_CAST, "x dtype", "xt");
    if (strcmp(name, "wrap") == 0)
        return with_parameters(callee, NODE_WRAP, "x dtype", "xt");
    if (callee.view != VIEW_KIND_COUNT)
        return view(callee);
    if (callee.reduction != REDUCTION_COUNT && !callee.fold)
        return reduction(callee);
    return op == OP_COUNT ? callee : with_parameters(callee, NODE_OP, op_rows[op].parameters, NULL);
}

/* ---- reading ---- */

static char kind_of(const struct callee *callee, int parameter)
{
    return callee->kinds && parameter >= 0 ? callee->kinds[parameter] : 'x';
}

/* The index of the parameter of this name; -1 if there is none. Of axes, axis= and axes= are one (rule 9.5). */
static int parameter_called(const struct callee *callee, const char *name)
{
    const int index = word_index(callee->parameters, name, strlen(name));
    const char *other = strcmp(name, "axis") == 0 ? "axes" : strcmp(name, "axes") == 0 ? "axis" : NULL;
    if (index >= 0 || !other)
        return index;
    return word_index(callee->parameters, other, strlen(other));
}

/* The index of the parameter that an argument is for; -1 if there is none. */
static int parameter_of(const struct callee *callee, const struct argument *argument, int position)
{
    return argument->name             ? parameter_called(callee, argument->name)
           : callee->kind == NODE_JOIN ? 0
           : position < callee->arity && kind_of(callee, position) != BY_NAME ? position
                                      : -1;
}

static const char *parameter_name(struct parser *p, const struct callee *callee, int index)
{
    return word_text(p->arena, callee->parameters, index);
}

/* Says which argument of a reduction is given by name alone; NULL if none is. */
static const char *by_name(struct parser *p, const struct callee *callee)
{
    const char *at = strchr(callee->kinds, BY_NAME);
    return at ? arena_printf(p->arena, "%s has a name, as in %s", parameter_name(p, callee, (int)(at - callee->kinds)),
                             reduction_rows[callee->reduction].signature)
              : NULL;
}

/* Reads an argument according to its kind in views.def. */
static void read_kind(struct parser *p, const struct callee *callee, struct argument *argument,
                      int parameter)
{
    switch (kind_of(callee, parameter)) {
    case 't': argument->dtype = parse_dtype(p); break;
    case 'n': parse_numbers(p, &argument->numbers, parameter_name(p, callee, parameter)); break;
    case 's': parse_numbers(p, &argument->numbers, parameter_name(p, callee, parameter)); break;
    case 'a': case 'r': case 'e':
        parse_axes(p, &argument->numbers, parameter_name(p, callee, parameter));
        break;
    case 'l': argument->layout = parse_layout(p); break;
    case 'b':
        argument->flag = parse_flag(p, parameter_name(p, callee, parameter),
                                    argument->name ? NULL : by_name(p, callee));
        break;
    case BY_NAME: argument->whole = parse_whole(p, parameter_name(p, callee, parameter)); break;
    default: argument->node = parse_expression(p); break;
    }
}

/* The callee for reading an argument: of min and max the reduction, where the argument has a name of its own. */
static struct callee reduction_of(const struct callee *callee, const struct argument *argument)
{
    const bool reduces = callee->fold && argument->name && parameter_of(callee, argument, 0) < 0;
    return reduces && callee->reduction != REDUCTION_COUNT ? reduction(*callee) : *callee;
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
    const struct callee reduces = reduction_of(callee, &argument);
    callee = &reduces;
    int parameter = parameter_of(callee, &argument, position);
    bool unknown = callee->kind == NODE_POISON || (argument.name && parameter < 0);
    if (p->token.kind == TOKEN_STRING && unknown)
        parse_advance(p);          /* an unknown function may take strings */
    else
        read_kind(p, callee, &argument, parameter);
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
            if (named && !argument.name && !p->failed)
                parse_wrong(p, argument.span, "an argument without a name stands before those with one");
            named = argument.name;
            ARENA_PUSH(p->arena, arguments->items, arguments->count, argument);
        } while (parse_more(p, TOKEN_RPAREN));
    parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
}

/* ---- matching ---- */

static const char *takes(struct parser *p, const struct callee *callee)
{
    size_t length;
    const char *first = word_at(callee->parameters, 0, &length);
    if (callee->fold)
        return callee->reduction == REDUCTION_COUNT ? "two or more arguments"
                                                    : "two or more arguments, or one to reduce";
    if (callee->kind == NODE_REDUCE)
        return arena_printf(p->arena, "its arguments as in %s", reduction_rows[callee->reduction].signature);
    if (has_view(callee))
        return arena_printf(p->arena, "its arguments as in %s", view_rows[callee->view].signature);
    if (callee->arity == 1)
        return arena_printf(p->arena, "1 argument (%.*s)", (int)length, first);
    const char *list = "";
    for (int i = 0; (first = word_at(callee->parameters, i, &length)); i++)
        list = arena_printf(p->arena, "%s%s%.*s", list, i ? ", " : "", (int)length, first);
    return arena_printf(p->arena, "%d arguments (%s)", callee->arity, list);
}

/* Whether this says how min or max reduces. */
static bool reduces_with(const struct callee *callee, const char *name)
{
    if (!callee->fold || callee->reduction == REDUCTION_COUNT)
        return false;
    const struct callee other = reduction(*callee);
    return kind_of(&other, parameter_called(&other, name)) != 'x';
}

static bool no_such_argument(struct parser *p, const struct callee *callee,
                             const struct argument *argument)
{
    const char **names = NULL, *habit = parse_argument_habit(p->arena, argument->name, callee->name);
    int count = 0;
    for (int i = 0; i < callee->arity; i++)
        ARENA_PUSH(p->arena, names, count, parameter_name(p, callee, i));
    const char *hint = habit ? arena_printf(p->arena, "; %s", habit)
                       : reduces_with(callee, argument->name)
                           ? arena_printf(p->arena, "; a reduction is of one value, and its axes have a name: %s",
                                          reduction_rows[callee->reduction].signature)
                           : parse_suggest(p, argument->name, names, (size_t)count);
    if (!*hint)
        hint = arena_printf(p->arena, "; it takes %s", takes(p, callee));
    return diag(p->diags, DIAG_UNKNOWN_ARGUMENT, argument->name_span, callee->name, argument->name,
                hint);
}

/* An argument as it stands in the text. */
static const char *given(struct parser *p, const struct argument *argument)
{
    const char *text = parse_text(p, argument->span);
    return argument->name ? arena_printf(p->arena, "%s=%.60s", argument->name, text)
                          : arena_printf(p->arena, "%.60s", text);
}

/* Reports an argument that was given before. */
static bool given_twice(struct parser *p, const struct callee *callee, int parameter, const struct argument *first,
                        const struct argument *second)
{
    return diag_at(p->diags, DIAG_REPEATED_ARGUMENT, ((struct span[]){second->name_span, first->span}), 2,
                   parameter_name(p, callee, parameter), callee->name, given(p, first), given(p, second));
}

/* Puts arguments into their slots. */
static bool place(struct parser *p, const struct callee *callee, const struct arguments *arguments,
                  const struct argument **slots)
{
    for (int i = 0; i < arguments->count; i++) {
        const struct argument *argument = &arguments->items[i];
        const int parameter = argument->name ? parameter_of(callee, argument, i) : i;
        if (parameter < 0)
            return no_such_argument(p, callee, argument);
        if (slots[parameter])
            return given_twice(p, callee, parameter, slots[parameter], argument);
        slots[parameter] = argument;
    }
    return true;
}

/* Matches arguments to parameters. `slots` has room for all of them. False when a mistake was reported. Names are
 * checked before counts: where a name is wrong, that is the mistake, even if there are too many arguments. */
PARSE_APART static bool match(struct parser *p, const struct callee *callee,
                              const struct arguments *arguments, const struct argument **slots)
{
    int count = arguments->count;
    bool named = count > 0 && arguments->items[count - 1].name;
    if (!place(p, callee, arguments, slots))
        return false;
    if ((callee->fold ? count < 2 : count > callee->arity) || (!named && count < callee->required))
        return diag(p->diags, DIAG_ARITY, callee->span, callee->name, takes(p, callee), count);
    if (has_view(callee) && callee->required <= VIEW_POSITIONAL && count > VIEW_POSITIONAL &&
        !strchr("at", kind_of(callee, VIEW_POSITIONAL)) && !arguments->items[VIEW_POSITIONAL].name)
        return diag(p->diags, DIAG_VIEW_ARGUMENT, arguments->items[VIEW_POSITIONAL].span,
                    arena_printf(p->arena,
                                 "a third argument of %s has a name, and numbers stand in one "
                                 "list: %s",
                                 callee->name, view_rows[callee->view].signature));
    for (int i = 0; i < callee->arity; i++)
        if (slots[i] && !slots[i]->name && kind_of(callee, i) == BY_NAME)
            return diag(p->diags, DIAG_REDUCE_ARGUMENT, slots[i]->span, by_name(p, callee));
    for (int i = 0; i < callee->required; i++)
        if (!slots[i])
            return diag(p->diags, DIAG_MISSING_ARGUMENT, callee->span, callee->name,
                        parameter_name(p, callee, i));
    return true;
}

/* The member of view_args for this parameter. */
static struct numbers *numbers_called(struct view_args *args, const char *name)
{
    struct { const char *name; struct numbers *numbers; } members[] = {
        {"shape", &args->shape}, {"rel_shape", &args->rel_shape}, {"src_dims", &args->src_dims},
        {"axes", &args->axes}, {"axis", &args->axes}, {"shifts", &args->shifts}, {"counts", &args->counts},
        {"n", &args->counts}, {"d", &args->axes}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].name, name) == 0)
            return members[i].numbers;
    return NULL;
}

/* Adds a view's arguments to the program and returns their index. -1, with a diagnostic, when they do not go
 * together. */
PARSE_APART static int add_view(struct parser *p, const struct callee *callee,
                                const struct argument **slots)
{
    struct program *program = p->program;
    struct view_args args = {.kind = callee->view, .dtype = WEFT_INT32};
    for (int i = 0; i < callee->arity; i++) {
        const struct argument *slot = callee->kinds[i] == 'x' ? NULL : slots[i];
        if (slot && callee->kinds[i] == 't')
            args.dtype = slot->dtype;
        else if (slot && callee->kinds[i] == 'l')
            args.has_layout = true, args.layout = slot->layout, args.layout_span = slot->span;
        else if (slot)
            *numbers_called(&args, parameter_name(p, callee, i)) = slot->numbers;
    }
    struct span places[2] = {callee->span};
    int count = 1;
    const char *conflict = view_conflict(&args, places, &count);
    if (conflict) {
        diag_at(p->diags, DIAG_VIEW_ARGUMENT, places, count, conflict);
        return -1;
    }
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return program->view_count - 1;
}

/* Makes concat or stack: arguments without a name are the values. */
PARSE_APART static int make_join(struct parser *p, const struct callee *callee, const struct arguments *arguments,
                                 struct span span)
{
    struct program *program = p->program;
    struct view_args args = {.kind = callee->view};
    const struct argument *axis = NULL;
    const int base = p->stack_count;
    for (int i = 0; i < arguments->count; i++) {
        const struct argument *argument = &arguments->items[i];
        const int parameter = parameter_of(callee, argument, i);
        const bool wrong = argument->name && (parameter < 0 || kind_of(callee, parameter) != 'a');
        if (wrong || (argument->name && axis)) {
            p->stack_count = base;
            wrong ? no_such_argument(p, callee, argument) : given_twice(p, callee, parameter, axis, argument);
            return parse_poison(p, span);
        }
        if (argument->name)
            axis = argument, args.axes = argument->numbers;
        else
            parse_push(p, argument->node);
    }
    const int operands = p->stack_count - base;
    p->stack_count = base;
    if (operands < 2)
        return diag(p->diags, DIAG_ARITY, callee->span, callee->name,
                    arena_printf(p->arena, "two or more values, as in %s", view_rows[callee->view].signature),
                    operands),
               parse_poison(p, span);
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return parse_add_node(p, (struct node){.kind = NODE_JOIN, .op = OP_COUNT, .view = program->view_count - 1,
                                           .span = span, .token = callee->span}, p->stack + base, operands);
}

PARSE_APART static int reduce(struct parser *p, const struct callee *callee, const struct argument **slots,
                              struct span span)
{
    struct recipe recipe = {.reduction = callee->reduction, .span = span, .token = callee->span};
    for (int i = 0; i < callee->arity; i++) {
        const struct argument *slot = slots[i];
        switch (kind_of(callee, i)) {
        case 'x': recipe.operands[recipe.operand_count++] = slot->node; break;
        case 'b': recipe.keepdims = slot && slot->flag; break;
        case BY_NAME: recipe.ddof = slot ? slot->whole : 0; break;
        default:
            recipe.axes = slot ? slot->numbers : (struct numbers){.input = -1};
            recipe.last = kind_of(callee, i) == 'e';
        }
    }
    return parse_recipe(p, &recipe);
}

PARSE_APART static int make(struct parser *p, const struct callee *callee,
                            const struct argument **slots, int count, struct span span)
{
    if (callee->kind == NODE_REDUCE)
        return reduce(p, callee, slots, span);
    const bool converts = callee->kind == NODE_CAST || callee->kind == NODE_WRAP;
    struct node node = {.kind = callee->kind, .op = callee->kind == NODE_OP ? callee->op : OP_COUNT,
                        .dtype = converts ? callee->dtype : 0, .span = span, .token = callee->span};
    int base = p->stack_count;
    if (has_view(callee) && (node.view = add_view(p, callee, slots)) < 0)
        return parse_poison(p, span);
    for (int i = 0; i < count; i++)
        if (kind_of(callee, i) == 't' && converts)
            node.dtype = slots[i]->dtype;
        else if (kind_of(callee, i) == 'x')
            parse_push(p, slots[i]->node);
    int operands = p->stack_count - base;
    p->stack_count = base;
    p->program->position_count += callee->kind == NODE_POSITION || callee->kind == NODE_TAKE;
    if (has_view(callee) && callee->view == VIEW_LINSPACE)
        return parse_linspace(p, p->stack + base, node.view, span, callee->span);
    return parse_add_node(p, node, p->stack + base, operands);
}

/* Whether min or max is called as a reduction: at most one argument by position, and none that the operation has. */
static bool reduces(const struct callee *callee, const struct arguments *arguments)
{
    bool reduces = callee->fold && callee->reduction != REDUCTION_COUNT && arguments->count > 0;
    for (int i = 0; i < arguments->count; i++)
        reduces = reduces && (arguments->items[i].name ? parameter_of(callee, &arguments->items[i], i) < 0 : i == 0);
    return reduces;
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
    if (callee.kind == NODE_JOIN)
        return make_join(p, &callee, &arguments, span);
    if (reduces(&callee, &arguments))
        callee = reduction(callee);
    int count = arguments.count > callee.arity ? arguments.count : callee.arity;
    const struct argument **slots = ARENA_ARRAY(p->arena, const struct argument *, count + 1);
    return callee.kind == NODE_POISON || !match(p, &callee, &arguments, slots)
               ? parse_poison(p, span)
               : make(p, &callee, slots, count, span);
}
