/* Parses calls: functions of ops.def, casts written as a type's name, cast and wrap, views, and reductions. Arguments
 * are given by position, then by name. A row's `parameters` holds their names. */
#include "compiler/parse/call_impl.h"

#include <string.h>

PARSE_APART static void unknown(struct parser *p, const struct callee *callee)
{
    const char *habit = parse_call_habit(callee->name), *nearest = "";
    if (p->failed)
        return;
    if (!habit)
        nearest = parse_suggest_function(p, callee->name);
    if (!habit && !*nearest && strlen(callee->name) <= 2)
        nearest = arena_printf(p->arena, "; elements of a value %s are %s[..], counted from 0, a product is %s * (..)",
                               callee->name, callee->name, callee->name);
    if (map_find(&p->program->symbol_names, callee->name, strlen(callee->name)) >= 0)
        diag(p->diags, DIAG_SYNTAX, callee->span,
             arena_printf(p->arena, "'%s' is a value, not a function; its elements are %s[..], to multiply write "
                          "%s * (...)", callee->name, callee->name, callee->name));
    else
        diag(p->diags, DIAG_UNKNOWN_FUNCTION, callee->span, callee->name,
             habit ? arena_printf(p->arena, "; %s", habit) : nearest);
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

struct callee call_reduction(struct callee callee)
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
        return call_reduction(callee);
    return op == OP_COUNT ? callee : with_parameters(callee, NODE_OP, op_rows[op].parameters, NULL);
}

/* ---- reading ---- */

/* Reads an argument according to its kind in views.def. */
static void read_kind(struct parser *p, const struct callee *callee, struct argument *argument,
                      int parameter)
{
    switch (call_kind(callee, parameter)) {
    case 't': argument->dtype = parse_dtype(p); break;
    case 'd': case 'q':
        argument->dims = parse_dims_text(p, call_kind(callee, parameter) == 'q' ? DIMS_RENAME : DIMS_TEXT);
        break;
    case 'y': case 'z':
        if (p->token.kind == TOKEN_STRING)
            argument->dims = parse_dims_text(p, DIMS_TEXT);
        else if (call_kind(callee, parameter) == 'z')
            parse_axes(p, &argument->numbers, call_parameter_name(p, callee, parameter));
        else
            parse_numbers(p, &argument->numbers, call_parameter_name(p, callee, parameter));
        break;
    case 'n': case 's':
        parse_numbers(p, &argument->numbers, call_parameter_name(p, callee, parameter));
        break;
    case 'a': case 'r': case 'e':
        parse_axes(p, &argument->numbers, call_parameter_name(p, callee, parameter));
        break;
    case 'm':
        parse_modes(p, &argument->modes, callee->view == VIEW_CORRELATE || callee->view == VIEW_CONVOLVE);
        break;
    case 'j': argument->put = parse_put(p); break;
    case 'p': parse_widths(p, &argument->numbers, &argument->after); break;
    case 'l': argument->layout = parse_layout(p); break;
    case 'b':
        argument->flag = parse_flag(p, call_parameter_name(p, callee, parameter), !argument->name,
                                    call_by_name(p, callee));
        break;
    case BY_NAME: argument->whole = parse_whole(p, call_parameter_name(p, callee, parameter)); break;
    default: argument->node = parse_expression(p); break;
    }
}

/* The callee for reading an argument: of min and max the reduction, where the argument has a name of its own. */
static struct callee reduction_of(const struct callee *callee, const struct argument *argument)
{
    const bool reduces = callee->fold && argument->name && call_parameter(callee, argument, 0) < 0;
    return reduces && callee->reduction != REDUCTION_COUNT ? call_reduction(*callee) : *callee;
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
    int parameter = call_parameter(callee, &argument, position);
    bool unknown = callee->kind == NODE_POISON || (argument.name && parameter < 0);
    if (p->token.kind == TOKEN_STRING && unknown)
        parse_advance(p);          /* an unknown function may take strings */
    else
        read_kind(p, callee, &argument, parameter);
    argument.span.end = p->previous.end;
    return argument;
}

/* What rename(u, x="z") and broadcast_to(u, z=3) are here, at an argument behind the first one whose name is none of
 * the function's; NULL: the text is none of these. */
static const char *dims_by_name(struct parser *p, const struct callee *callee, const struct arguments *arguments)
{
    const bool renames = callee->view == VIEW_RENAME, assigned = p->next.kind == TOKEN_ASSIGN;
    if ((!renames && callee->view != VIEW_BROADCAST_TO) || arguments->count != 1 || p->token.kind != TOKEN_NAME ||
        !assigned || arguments->items[0].name)
        return NULL;
    const struct argument argument = {.name = parse_text(p, p->token.span)};
    if (call_parameter(callee, &argument, 1) > 0)
        return NULL;
    const char *text = p->source->text + p->next.span.end, *value = text + strspn(text, " ");
    value += *value == '"' || *value == '\'';
    const char *own = parse_text(p, arguments->items[0].span);
    const int length = (int)strcspn(value, "\"', )\n");
    if (renames)
        return arena_printf(p->arena, "a dimension and its new name are two arguments; write rename(%.40s, %.40s, "
                            "\"%.*s\")", own, argument.name, length > 40 ? 40 : length, value);
    return arena_printf(p->arena, "dimensions stand in quotes; write broadcast_to(%.40s, \"%.40s:s=%.*s\")", own,
                        argument.name, length > 40 ? 40 : length, value);
}

static void read_arguments(struct parser *p, const struct callee *callee,
                           struct arguments *arguments)
{
    struct span opener = p->token.span;
    bool named = false;
    parse_advance(p);
    if (p->token.kind != TOKEN_RPAREN)
        do {
            const char *advice = dims_by_name(p, callee, arguments);
            if (advice)
                parse_wrong(p, span_join(p->token.span, p->next.span), advice);
            struct argument argument = read_argument(p, callee, arguments->count);
            if (named && !argument.name && !p->failed)
                parse_wrong(p, argument.span, "an argument without a name stands before those with one");
            named = argument.name;
            ARENA_PUSH(p->arena, arguments->items, arguments->count, argument);
        } while (parse_more(p, TOKEN_RPAREN));
    parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
}

/* ---- making ---- */

/* The member of view_args for this parameter. */
static struct numbers *numbers_called(struct view_args *args, const char *name)
{
    struct { const char *name; struct numbers *numbers; } members[] = {
        {"shape", &args->shape}, {"rel_shape", &args->rel_shape}, {"src_dims", &args->src_dims},
        {"axes", &args->axes}, {"axis", &args->axes}, {"shifts", &args->shifts}, {"counts", &args->counts},
        {"n", &args->counts}, {"d", &args->axes}, {"offsets", &args->offsets}};
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
    struct view_args args = {.kind = callee->view, .dtype = rules_of(p->source->rules)->position};
    for (int i = 0; i < callee->arity; i++) {
        const struct argument *slot = callee->kinds[i] == 'x' ? NULL : slots[i];
        if (slot && callee->kinds[i] == 't')
            args.dtype = slot->dtype;
        else if (slot && callee->kinds[i] == 'l')
            args.has_layout = true, args.layout = slot->layout, args.layout_span = slot->span;
        else if (slot && callee->kinds[i] == 'm')
            args.modes = slot->modes;
        else if (slot && callee->kinds[i] == 'j')
            args.put = slot->put, args.put_span = slot->span;
        else if (slot && callee->kinds[i] == 'p')
            args.before = slot->numbers, args.after = slot->after;
        else if (slot && slot->dims)
            args.dims = slot->dims, args.dims_span = slot->span;
        else if (slot)
            *numbers_called(&args, call_parameter_name(p, callee, i)) = slot->numbers;
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
        const int parameter = call_parameter(callee, argument, i);
        const bool wrong = argument->name && (parameter < 0 || !strchr("az", call_kind(callee, parameter)));
        if (wrong || (argument->name && axis)) {
            p->stack_count = base;
            wrong ? call_no_such_argument(p, callee, argument) : call_given_twice(p, callee, parameter, axis, argument);
            return parse_poison(p, span);
        }
        if (argument->name)
            axis = argument, args.axes = argument->numbers, args.dims = argument->dims, args.dims_span = argument->span;
        else
            parse_push(p, argument->node);
    }
    const int operands = p->stack_count - base;
    p->stack_count = base;
    if (operands < 2)
        return call_wrong_count(p, callee, arena_printf(p->arena, "two or more values, as in %s",
                                                        view_rows[callee->view].signature), operands),
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
        switch (call_kind(callee, i)) {
        case 'x': recipe.operands[recipe.operand_count++] = slot->node; break;
        case 'b': recipe.keepdims = slot && slot->flag; break;
        case BY_NAME: recipe.ddof = slot ? slot->whole : 0; break;
        default:
            recipe.axes = slot ? slot->numbers : (struct numbers){.input = -1};
            recipe.last = call_kind(callee, i) == 'e';
        }
    }
    return parse_recipe(p, &recipe);
}

/* Makes the numbers of modes operands, behind the others, which are on the stack from `base` on. */
static void push_modes(struct parser *p, struct modes *modes, int base)
{
    struct mode *items = modes->count ? arena_copy(p->arena, modes->items, (size_t)modes->count * sizeof *items) : NULL;
    for (int i = 0; i < modes->count; i++)
        if (items[i].number >= 0) {
            parse_push(p, items[i].number);
            items[i].number = p->stack_count - base - 1;
        }
    modes->items = items;
}

PARSE_APART static int make_isclose(struct parser *p, const struct callee *callee, const struct argument **slots,
                                    struct span span)
{
    int operands[4];
    for (int i = 0; i < 4; i++)
        operands[i] = slots[i] ? slots[i]->node : -1;
    return parse_isclose(p, operands, span, callee->span);
}

PARSE_APART static int make(struct parser *p, const struct callee *callee,
                            const struct argument **slots, int count, struct span span)
{
    if (callee->kind == NODE_REDUCE)
        return reduce(p, callee, slots, span);
    const bool converts = callee->kind == NODE_CAST || callee->kind == NODE_WRAP;
    if (call_has_view(callee) && callee->view == VIEW_ISCLOSE)
        return make_isclose(p, callee, slots, span);
    struct node node = {.kind = callee->kind, .op = callee->kind == NODE_OP ? callee->op : OP_COUNT,
                        .dtype = converts ? callee->dtype : 0, .span = span, .token = callee->span};
    int base = p->stack_count;
    if (call_has_view(callee) && (node.view = add_view(p, callee, slots)) < 0)
        return parse_poison(p, span);
    for (int i = 0; i < count; i++)
        if (call_kind(callee, i) == 't' && converts)
            node.dtype = slots[i]->dtype;
        else if (call_kind(callee, i) == 'x' && slots[i])
            parse_push(p, slots[i]->node);
    if (call_has_view(callee))
        push_modes(p, &p->program->views[node.view].modes, base);
    int operands = p->stack_count - base;
    p->stack_count = base;
    p->program->named = p->program->named || (call_has_view(callee) && callee->view == VIEW_UNNAMED); /* [] has none */
    p->program->position_count += callee->kind == NODE_POSITION || callee->kind == NODE_TAKE;
    if (call_has_view(callee) && callee->view == VIEW_LINSPACE)
        return parse_linspace(p, p->stack + base, node.view, span, callee->span);
    if (call_has_view(callee) && callee->view == VIEW_NONZERO)
        return parse_nonzero(p, p->stack[base], node.view, span, callee->span);
    if (callee->kind == NODE_SCATTER)
        return parse_scatter(p, p->stack + base, node.view, span, callee->span);
    if (call_has_view(callee) && (callee->view == VIEW_RANDOM || callee->view == VIEW_RANDOM_NORMAL))
        return parse_random(p, p->stack + base, operands, node.view, span, callee->span);
    return parse_add_node(p, node, p->stack + base, operands);
}

/* Whether min or max is called as a reduction: at most one argument by position, and none that the operation has. */
static bool reduces(const struct callee *callee, const struct arguments *arguments)
{
    bool reduces = callee->fold && callee->reduction != REDUCTION_COUNT && arguments->count > 0;
    for (int i = 0; i < arguments->count; i++)
        reduces = reduces && (arguments->items[i].name ? call_parameter(callee, &arguments->items[i], i) < 0 : i == 0);
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
        callee = call_reduction(callee);
    int count = arguments.count > callee.arity ? arguments.count : callee.arity;
    const struct argument **slots = ARENA_ARRAY(p->arena, const struct argument *, count + 1);
    return callee.kind == NODE_POISON || !call_match(p, &callee, &arguments, slots)
               ? parse_poison(p, span)
               : make(p, &callee, slots, count, span);
}
