/* Parses files, kernels and statements, and holds the entry points of the parser (parse.h). */
#include "compiler/parse/parse_impl.h"

#include <string.h>

static struct token next_token(struct parser *p)
{
    struct token token = lex_next(&p->lexer);
    token.span.start += p->shift;
    token.span.end += p->shift;
    return token;
}

void parse_advance(struct parser *p)
{
    if (p->failed)
        return;
    p->previous = p->token.span;
    p->token = p->next;
    if (p->token.kind == TOKEN_BAD) {
        parse_report_bad(p->diags, p->source, &p->token);
        parse_fail(p);
    } else if (p->token.kind != TOKEN_END) {
        p->next = next_token(p);
    }
}

void parse_begin(struct parser *p)
{
    p->next = next_token(p);
    parse_advance(p);
    p->previous = (struct span){0, 0};
}

bool parse_accept(struct parser *p, enum token_kind kind)
{
    bool there = p->token.kind == kind && !p->failed;
    if (there)
        parse_advance(p);
    return there;
}

bool parse_more(struct parser *p, enum token_kind closer)
{
    return parse_accept(p, TOKEN_COMMA) && p->token.kind != closer;
}

bool parse_expect(struct parser *p, enum token_kind kind, const char *expected)
{
    return parse_accept(p, kind) || parse_unexpected(p, expected);
}

bool parse_enter(struct parser *p, struct span place)
{
    if (++p->nesting <= MAX_NESTING || p->failed)
        return true;
    diag(p->diags, DIAG_TOO_DEEP, place, MAX_NESTING);
    return parse_fail(p);
}

const char *parse_text(const struct parser *p, struct span span)
{
    return arena_string(p->arena, p->source->text + span.start, span.end - span.start);
}

bool parse_is(const struct parser *p, const struct token *token, const char *text)
{
    return token->kind == TOKEN_NAME &&
           text_is(p->source->text + token->span.start, token->span.end - token->span.start, text);
}

/* Prepares a parser at the first token, or reports that the text is too long. */
static void start(struct parser *p, struct arena *arena, const struct source *source, struct diags *diags)
{
    *p = (struct parser){.arena = arena, .diags = diags, .source = source};
    if (source->length > MAX_SOURCE) {
        diag(diags, DIAG_TOO_LONG, ((struct span){0, 0}), source->length, (int)MAX_SOURCE);
        parse_fail(p);
        return;
    }
    lex_init(&p->lexer, arena, source);
    parse_begin(p);
}

/* Starts a program without nodes, which becomes p->program. */
static struct program *new_program(struct parser *p)
{
    const struct program empty = {.arena = p->arena, .diags = p->diags, .source = p->source,
                                  .symbol_names = {.arena = p->arena}, .size_names = {.arena = p->arena}};
    p->program = arena_copy(p->arena, &empty, sizeof empty);
    p->errors_before = p->diags->errors;
    p->rejected = (struct map){.arena = p->arena};
    p->folded = 0;
    memset(p->constants, 0, sizeof p->constants);
    return p->program;
}

/* ---- statements ---- */

static bool at_kernel(const struct parser *p)
{
    return parse_is(p, &p->token, "kernel") && p->next.kind == TOKEN_NAME;
}

static bool at_input(const struct parser *p)
{
    return parse_is(p, &p->token, "input") && p->next.kind == TOKEN_NAME;
}

static void skip_newlines(struct parser *p)
{
    while (parse_accept(p, TOKEN_NEWLINE))
        ;
}

/* NAME ':' type */
static void declaration(struct parser *p, bool parameter)
{
    struct type type = {0};
    struct span name = p->token.span;
    if (!parse_expect(p, TOKEN_NAME, parameter ? "a parameter's name" : "an input's name") ||
        !parse_expect(p, TOKEN_COLON, "':' and a type"))
        return;
    parse_type_here(p, &type, false);
    if (!p->failed)
        resolve_input(p, name, &type, parameter);
}

static void input(struct parser *p)
{
    if (p->program->name)
        parse_wrong(p, p->token.span, "a kernel's inputs are its parameters; declare this one between its ( )");
    parse_advance(p);
    declaration(p, false);
}

static void binding(struct parser *p)
{
    struct span name = p->token.span;
    parse_advance(p);
    parse_advance(p);
    int node = parse_expression(p);
    if (!p->failed)
        resolve_binding(p, name, node);
}

/* [NAME '='] expr */
static void result(struct parser *p)
{
    struct span name = p->token.span;
    bool named = p->token.kind == TOKEN_NAME && p->next.kind == TOKEN_ASSIGN;
    if (named)
        parse_advance(p), parse_advance(p);
    int node = parse_expression(p);
    if (!p->failed)
        resolve_result(p, named ? &name : NULL, node);
}

static void returned(struct parser *p)
{
    parse_advance(p);
    do
        result(p);
    while (parse_accept(p, TOKEN_COMMA));
}

static void statement(struct parser *p)
{
    if (at_input(p))
        input(p);
    else if (p->token.kind == TOKEN_RETURN)
        returned(p);
    else if (p->token.kind == TOKEN_NAME && p->next.kind == TOKEN_ASSIGN)
        binding(p);
    else
        result(p);
}

/* Reports a statement after `return` or after an expression, which are the last. */
static void check_last(struct parser *p, enum token_kind first, struct span place)
{
    const char *message = "an expression alone is the last statement; name the one before this, as "
                          "y = ..., or return it";
    if (p->failed || p->program->result_count == 0)
        return;
    if (p->token.infix != OP_COUNT)
        message = "a line that goes on is put in ( ); the expression before this one is complete";
    else if (first == TOKEN_RETURN)
        message = "nothing follows 'return'";
    diag_at(p->diags, DIAG_SYNTAX, ((struct span[]){p->token.span, place}), 2, message);
    parse_fail(p);
}

/* The selection that ends before this token and is the last result; NULL if there is none. */
static const struct node *last_selection(const struct parser *p)
{
    const struct program *program = p->program;
    const struct result *last = program->result_count ? &program->results[program->result_count - 1] : NULL;
    const struct node *node = last ? &program->nodes[last->node] : NULL;
    const bool selection = node && node->kind == NODE_VIEW && program->views[node->view].kind == VIEW_SELECT;
    return selection && node->span.end == p->previous.end ? node : NULL;
}

static void end_of_statement(struct parser *p, enum token_kind end, bool declaration)
{
    enum token_kind kind = p->token.kind;
    if (kind == end || kind == TOKEN_END || kind == TOKEN_NEWLINE)
        return;
    const struct node *assigned = kind == TOKEN_ASSIGN ? last_selection(p) : NULL; /* x[0] = 1 */
    if (declaration) {
        parse_unexpected(p, "the end of the statement");
    } else if (assigned) {
        diag_at(p->diags, DIAG_ASSIGNED, ((struct span[]){p->token.span, assigned->span}), 2,
                "where(condition, 1, x)");
        parse_fail(p);
    } else {
        parse_unexpected_after(p, "an operator or the end of the statement");
    }
}

/* Parses a statement and what separates it from the next. */
static void next_statement(struct parser *p, enum token_kind end)
{
    bool declaration = at_input(p);
    if (at_kernel(p))
        parse_wrong(p, p->token.span, "a text holds kernels or one plain program, not both; a kernel stands by itself");
    statement(p);
    end_of_statement(p, end, declaration);
}

/* Parses statements up to `end`, which is not consumed, and resolves the program. */
static void statements(struct parser *p, enum token_kind end)
{
    enum token_kind first = TOKEN_END;
    struct span place = p->token.span;
    skip_newlines(p);
    while (p->token.kind != end && p->token.kind != TOKEN_END) {
        check_last(p, first, place);
        first = p->token.kind;
        place = p->token.span;
        next_statement(p, end);
        place.end = p->previous.end;
        skip_newlines(p);
    }
    if (!p->failed && p->token.kind == end)
        resolve_program(p);
}

/* ---- kernels ---- */

static void parameters(struct parser *p)
{
    struct span opener = p->token.span;
    if (!parse_expect(p, TOKEN_LPAREN, "'(' and the kernel's parameters"))
        return;
    if (p->token.kind != TOKEN_RPAREN)
        do
            declaration(p, true);
        while (parse_more(p, TOKEN_RPAREN));
    parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
}

/* Whether a type says nothing but what a result's may: its dtype and extents. */
static void check_result_type(struct parser *p, const struct type *type, struct span place)
{
    place.end = p->previous.end;
    if (!p->failed && (type->number || type->has_layout || type->dims)) {
        diag(p->diags, DIAG_TYPE_FORM, place, "a result's type has a dtype and extents alone, as in uint8[64, 64, 3]");
        parse_fail(p);
    }
}

/* ['->' type {',' type}]; returns the number of types. */
static int result_types(struct parser *p, struct type **types)
{
    int count = 0;
    if (!parse_accept(p, TOKEN_ARROW))
        return 0;
    do {
        struct type type;
        const struct span place = p->token.span;
        parse_type_here(p, &type, false);
        check_result_type(p, &type, place);
        ARENA_PUSH(p->arena, *types, count, type);
    } while (parse_accept(p, TOKEN_COMMA));
    return count;
}

/* Whether a parameter's type has this size. */
static bool is_given(const struct program *program, int64_t extent)
{
    bool given = extent > EXTENT_VARIABLE;
    for (int i = 0; i < program->input_count; i++) {
        const struct type *type = &program->symbols[program->inputs[i]].type;
        for (int d = 0; d < type->rank; d++)
            given = given || type->extents[d] == extent;
    }
    return given;
}

static void check_sizes(struct parser *p, const struct type *type, struct span place)
{
    const struct program *program = p->program;
    for (int d = 0; d < type->rank; d++)
        if (!is_given(program, type->extents[d])) {
            diag(p->diags, DIAG_TYPE_FORM, place,
                 arena_printf(p->arena, "a size in a result's type is one of a parameter's, and no parameter has '%s'; "
                              "write ? for any extent",
                              program->size_variables[EXTENT_VARIABLE - type->extents[d]]));
            return;
        }
}

static void set_result_types(struct parser *p, const struct type *types, int count, struct span place)
{
    struct program *program = p->program;
    if (p->failed || count == 0)
        return;
    if (count != program->result_count) {
        diag(p->diags, DIAG_RESULT_TYPES, place, count, program->result_count);
        return;
    }
    for (int i = 0; i < count; i++)
        check_sizes(p, &types[i], place);
    for (int i = 0; i < count; i++)
        program->results[i].has_dtype = true, program->results[i].dtype = types[i].dtype,
        program->results[i].type = types[i].ranked ? &types[i] : NULL;
}

/* NAME parameters ['->' dtypes] '{' program '}' */
static void kernel(struct parser *p, struct map *kernels, int index)
{
    struct type *types = NULL;
    struct program *program = new_program(p);
    parse_advance(p);
    program->name_span = p->token.span;
    program->name = parse_text(p, p->token.span);
    if (map_find(kernels, program->name, strlen(program->name)) >= 0)
        diag(p->diags, DIAG_REBOUND, p->token.span, program->name);
    map_put(kernels, program->name, strlen(program->name), index);
    parse_advance(p);
    parameters(p);
    skip_newlines(p);
    struct span arrow = p->token.span;
    int count = result_types(p, &types);
    arrow.end = p->previous.end;
    skip_newlines(p);
    struct span opener = p->token.span;
    if (!parse_expect(p, TOKEN_LBRACE, "'{' and the kernel's statements"))
        return;
    statements(p, TOKEN_RBRACE);
    parse_close(p, opener, TOKEN_RBRACE, "'}'");
    set_result_types(p, types, count, arrow);
}

/* 'rules' NAME, before everything else (rule 14.1). */
static void rules_statement(struct parser *p)
{
    struct source *source = arena_copy(p->arena, p->source, sizeof *source);
    const enum weft_rules given = source->rules;
    if (!parse_is(p, &p->token, "rules") || p->next.kind != TOKEN_NAME)
        return;
    parse_advance(p);
    const struct span name = p->token.span;
    if (!rules_find(p->source->text + name.start, name.end - name.start, &source->rules)) {
        parse_wrong(p, name, "rules of types are dali or numpy");
        return;
    }
    if (given != WEFT_RULES_DALI && given != source->rules)
        parse_wrong(p, name, arena_printf(p->arena, "the text has rules %s, and the option beside it says %s; leave "
                                          "one of them out", rules_of(source->rules)->name, rules_of(given)->name));
    p->source = source;
    parse_advance(p);
    if (!p->failed && p->token.kind != TOKEN_END && !parse_expect(p, TOKEN_NEWLINE, "the end of the statement"))
        return;
    skip_newlines(p);
}

static void file(struct parser *p, struct programs *programs)
{
    struct map kernels = {.arena = p->arena};
    skip_newlines(p);
    rules_statement(p);
    if (!at_kernel(p)) {
        ARENA_PUSH(p->arena, programs->items, programs->count, new_program(p));
        statements(p, TOKEN_END);
        return;
    }
    while (at_kernel(p)) {
        kernel(p, &kernels, programs->count);
        ARENA_PUSH(p->arena, programs->items, programs->count, p->program);
        skip_newlines(p);
    }
    if (p->token.kind != TOKEN_END)
        parse_unexpected(p, "another kernel or the end of the text");
}

bool parse(struct arena *arena, const struct source *source, struct diags *diags,
           struct programs *programs)
{
    struct parser parser;
    int errors = diags->errors;
    *programs = (struct programs){0};
    start(&parser, arena, source, diags);
    file(&parser, programs);
    return diags->errors == errors;
}

bool parse_type(struct program *program, const struct source *source, struct type *type)
{
    struct parser parser;
    struct diags *diags = program->diags;
    const struct source *before = diags->source;
    int errors = diags->errors;
    diags->source = source;
    start(&parser, program->arena, source, diags);
    parser.program = program;
    parse_type_here(&parser, type, true);
    if (parser.token.kind != TOKEN_END)
        parse_unexpected(&parser, "the end of the type");
    diags->source = before;
    return diags->errors == errors;
}

/* ---- values ---- */

/* Rule 2.3: a value is numbers joined by arithmetic operators, which bind at least as tightly as +. Calls are
 * excluded. */
static bool is_value_node(const struct program *program, int index, int root)
{
    const struct node *node = &program->nodes[index];
    if (node->kind == NODE_OP)
        return op_rows[node->op].precedence >= op_rows[OP_ADD].precedence &&
               !is_letter(program->source->text[node->token.start]);
    return node->kind == NODE_LITERAL || (node->kind == NODE_ARRAY && index == root);
}

static bool is_value(const struct program *program, int root)
{
    for (int i = 0; i < program->node_count; i++)
        if (!is_value_node(program, i, root))
            return false;
    return program->symbol_count == 0;
}

/* Copies the diagnostics about array literals to the caller's list. Returns false. */
static bool report_array(const struct diags *from, struct diags *to, const struct source *source)
{
    const struct source *before = to->source;
    to->source = source;
    for (const struct diag *record = from->first; record; record = record->next)
        if (record->id == DIAG_ARRAY)
            diag(to, DIAG_ARRAY, record->spans[0], record->message);
    to->source = before;
    return false;
}

bool parse_value(struct arena *arena, const struct source *source, struct diags *diags,
                 struct program **program)
{
    struct parser parser;
    struct diags own = {.arena = arena, .source = source};
    start(&parser, arena, source, &own);
    *program = new_program(&parser);
    int root = parse_expression(&parser);
    if (own.errors || parser.token.kind != TOKEN_END || !is_value(*program, root))
        return report_array(&own, diags, source);
    resolve_result(&parser, NULL, root);
    resolve_program(&parser);
    (*program)->diags = diags;
    return true;
}
