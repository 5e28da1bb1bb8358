/* Resolves names: what a name means where it is used, which bindings and inputs there are, and what results are called.
 * A plain program's unbound names are inputs; a kernel's names are parameters or bound. */
#include "compiler/parse/parse_impl.h"

#include <math.h>
#include <string.h>

static const struct constant {
    const char *name;
    struct literal literal;
    bool hidden;                   /* a binding or declaration of that name hides it */
} constants[] = {
#define VALUE_BOOL(value) {LITERAL_BOOL, value, 0}
#define VALUE_REAL(value) {LITERAL_REAL, 0, value}
#define CONSTANT(name, kind, value, hidden) {#name, VALUE_##kind(value), hidden},
#include "grammar/tokens.def"
};

enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };
_Static_assert((int)CONSTANT_COUNT <= (int)PARSE_CONSTANTS,
               "struct parser has a place for every constant");

int resolve_constant(const char *name)
{
    for (int i = 0; i < CONSTANT_COUNT; i++)
        if (strcmp(constants[i].name, name) == 0)
            return i;
    return -1;
}

static int add_symbol(struct parser *p, struct symbol symbol)
{
    struct program *program = p->program;
    map_put(&program->symbol_names, symbol.name, strlen(symbol.name), program->symbol_count);
    ARENA_PUSH(p->arena, program->symbols, program->symbol_count, symbol);
    return program->symbol_count - 1;
}

static int add_input(struct parser *p, struct symbol symbol)
{
    struct program *program = p->program;
    if (program->input_count >= MAX_INPUTS)
        return parse_too_many(p, symbol.span, MAX_INPUTS, "inputs");
    symbol.kind = SYMBOL_INPUT;
    symbol.input = program->input_count;
    symbol.node = -1;
    int index = add_symbol(p, symbol);
    ARENA_PUSH(p->arena, program->inputs, program->input_count, index);
    return index;
}

/* ---- uses ---- */

static int use_constant(struct parser *p, struct span span, int index)
{
    if (p->constants[index].end == 0)
        p->constants[index] = span;
    return parse_add_node(p, (struct node){.kind = NODE_LITERAL, .span = span, .token = span,
                                           .literal = constants[index].literal}, NULL, 0);
}

static const char *suggest_symbol(struct parser *p, const char *name)
{
    const struct program *program = p->program;
    const char **names = ARENA_ARRAY(p->arena, const char *, program->symbol_count + 1);
    for (int i = 0; i < program->symbol_count; i++)
        names[i] = program->symbols[i].name;
    return parse_suggest(p, name, names, (size_t)program->symbol_count);
}

/* Reports, once, a name in a kernel that is neither a parameter nor bound. */
static int unknown_name(struct parser *p, const char *name, struct span span)
{
    if (map_find(&p->rejected, name, strlen(name)) < 0) {
        diag(p->diags, DIAG_UNKNOWN_NAME, span, name,
             p->diags->errors < WEFT_MAX_ERRORS ? suggest_symbol(p, name) : "");
        map_put(&p->rejected, name, strlen(name), 1);
    }
    return parse_poison(p, span);
}

int resolve_name(struct parser *p, struct span span)
{
    const char *name = parse_text(p, span);
    int symbol = program_symbol(p->program, name);
    int constant = symbol < 0 ? resolve_constant(name) : -1;
    if (constant >= 0)
        return use_constant(p, span, constant);
    if (symbol < 0 && p->in_numbers && map_find(&p->program->size_names, name, strlen(name)) >= 0)
        return parse_size_variable(p, span);
    if (symbol < 0 && p->program->name)
        return unknown_name(p, name, span);
    if (symbol < 0)
        symbol = add_input(p, (struct symbol){.name = name, .span = span});
    if (p->failed)
        return 0;
    p->program->symbols[symbol].used = true;
    return parse_add_node(p, (struct node){.kind = NODE_NAME, .symbol = symbol, .span = span,
                                           .token = span}, NULL, 0);
}

/* ---- definitions ---- */

/* Whether constants allow the name to become a binding or a declaration. */
static bool free_of_constants(struct parser *p, const char *name, struct span span)
{
    int index = resolve_constant(name);
    if (index < 0)
        return true;
    if (!constants[index].hidden)
        return diag(p->diags, DIAG_SYNTAX, span,
                    arena_printf(p->arena, "'%s' is a constant; give this another name", name));
    if (p->constants[index].end)
        return diag_at(p->diags, DIAG_USED_BEFORE_BOUND,
                       ((struct span[]){p->constants[index], span}), 2, name, "");
    return true;
}

/* Reports, and returns true, where a name is bound or declared already. */
static bool is_taken(struct parser *p, const struct symbol *symbol, struct span span)
{
    const struct span places[] = {span, symbol->span};
    if (symbol->kind == SYMBOL_BINDING)
        diag_at(p->diags, DIAG_REBOUND, places, 2, symbol->name);
    else if (symbol->declared)
        diag_at(p->diags, DIAG_REDECLARED, places, 2, symbol->name);
    return symbol->kind == SYMBOL_BINDING || symbol->declared;
}

void resolve_binding(struct parser *p, struct span span, int node)
{
    const char *name = parse_text(p, span);
    int index = program_symbol(p->program, name);
    if (!free_of_constants(p, name, span))
        return;
    if (index < 0) {
        add_symbol(p, (struct symbol){.name = name, .kind = SYMBOL_BINDING, .span = span,
                                      .input = -1, .node = node});
        return;
    }
    const struct symbol *symbol = &p->program->symbols[index];
    if (!is_taken(p, symbol, span))
        diag_at(p->diags, DIAG_USED_BEFORE_BOUND, ((struct span[]){symbol->span, span}), 2, name,
                symbol->span.start > span.start ? "; give what it becomes another name" : "");
}

/* A name may be declared after its first use; both are the same input. */
void resolve_input(struct parser *p, struct span span, const struct type *type, bool parameter)
{
    const char *name = parse_text(p, span);
    int index = program_symbol(p->program, name);
    if (!free_of_constants(p, name, span))
        return;
    if (index < 0)
        index = add_input(p, (struct symbol){.name = name, .span = span});
    if (p->failed)
        return;
    struct symbol *symbol = &p->program->symbols[index];
    if (is_taken(p, symbol, span))
        return;
    symbol->span = span;
    symbol->declared = true;
    symbol->parameter = parameter;
    symbol->type = *type;
    symbol->typed = !type->number || parameter;
    if (type->number && parameter) { /* a real, whatever it will be */
        symbol->value = (struct literal){.kind = LITERAL_REAL, .real = NAN};
        symbol->type.dtype = WEFT_FLOAT32;
    }
}

int resolve_hidden(struct parser *p, const char *name, int node)
{
    const struct symbol symbol = {.name = name, .kind = SYMBOL_BINDING, .span = p->program->nodes[node].span,
                                  .used = true, .hidden = true, .input = -1, .node = node};
    ARENA_PUSH(p->arena, p->program->symbols, p->program->symbol_count, symbol);
    return p->program->symbol_count - 1;
}

/* ---- results ---- */

static void add_result(struct parser *p, struct result result)
{
    struct program *program = p->program;
    if (program->result_count < MAX_RESULTS)
        ARENA_PUSH(p->arena, program->results, program->result_count, result);
    else
        parse_too_many(p, result.span, MAX_RESULTS, "results");
}

void resolve_result(struct parser *p, const struct span *name, int node)
{
    const struct node *expression = &p->program->nodes[node];
    const char *own = expression->kind == NODE_NAME ? p->program->symbols[expression->symbol].name : NULL;
    add_result(p, (struct result){.name = name ? parse_text(p, *name) : own, .node = node,
                                  .span = name ? *name : expression->span});
}

/* Makes the last binding the result of a program that has none. */
static void default_result(struct parser *p)
{
    struct program *program = p->program;
    for (int i = program->symbol_count - 1; i >= 0; i--) {
        struct symbol *symbol = &program->symbols[i];
        if (symbol->kind != SYMBOL_BINDING || symbol->hidden)
            continue;
        symbol->used = true;
        add_result(p, (struct result){.name = symbol->name, .node = symbol->node,
                                      .span = symbol->span});
        return;
    }
    struct span end = {p->previous.end, p->previous.end};
    if (p->diags->errors == p->errors_before)
        diag(p->diags, DIAG_NO_RESULT, end);
}

static void name_results(struct parser *p)
{
    struct program *program = p->program;
    struct map names = {.arena = p->arena};
    for (int i = 0; i < program->result_count; i++) {
        struct result *result = &program->results[i];
        if (!result->name)
            result->name = program->result_count == 1 ? "out" : arena_printf(p->arena, "out%d", i);
        int other = map_find(&names, result->name, strlen(result->name));
        if (other >= 0)
            diag_at(p->diags, DIAG_RESULT_CLASH,
                    ((struct span[]){result->span, program->results[other].span}), 2, result->name);
        map_put(&names, result->name, strlen(result->name), i);
    }
}

/* Orders the inputs: those that are declared first, in the order of their declarations, then the
 * others as they appeared. */
static void number_inputs(struct parser *p)
{
    struct program *program = p->program;
    int *order = ARENA_ARRAY(p->arena, int, program->input_count + 1), count = 0;
    for (int declared = 1; declared >= 0; declared--) {
        int first = count;
        for (int i = 0; i < program->input_count; i++) {
            const struct symbol *symbol = &program->symbols[program->inputs[i]];
            if (symbol->declared != declared)
                continue;
            int at = count++;
            while (at > first && program->symbols[order[at - 1]].span.start > symbol->span.start)
                order[at] = order[at - 1], at--;
            order[at] = program->inputs[i];
        }
    }
    for (int i = 0; i < count; i++)
        program->inputs[i] = order[i], program->symbols[order[i]].input = i;
}

/* Replaces symbols by positions of inputs in the arguments of views. */
static void number_views(struct program *program)
{
    for (int i = 0; i < program->view_count; i++) {
        struct view_args *args = &program->views[i];
        struct numbers *all[] = {&args->shape, &args->rel_shape, &args->src_dims, &args->axes, &args->shifts,
                                 &args->counts};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (!all[k]->given || all[k]->input < 0)
                continue;
            if (!program->reads)
                program->reads = ARENA_ARRAY(program->arena, unsigned char, program->input_count);
            all[k]->input = program->symbols[all[k]->input].input;
            program->reads[all[k]->input] |= READS_LIST;
        }
    }
}

/* Reports unused parameters, unless there were other errors: a misspelled name leaves the right one unused. */
static void check_parameters(struct parser *p)
{
    if (p->diags->errors > p->errors_before)
        return;
    for (int i = 0; i < p->program->symbol_count; i++) {
        const struct symbol *symbol = &p->program->symbols[i];
        if (symbol->parameter && !symbol->used)
            diag(p->diags, DIAG_UNUSED_PARAMETER, symbol->span, symbol->name);
    }
}

void resolve_program(struct parser *p)
{
    if (p->program->result_count == 0)
        default_result(p);
    name_results(p);
    number_inputs(p);
    number_views(p->program);
    note_sizes(p->program);
    check_parameters(p);
}

/* ---- wanted results ---- */

static bool is_result(const struct program *program, const char *name)
{
    for (int i = 0; i < program->result_count; i++)
        if (strcmp(program->results[i].name, name) == 0)
            return true;
    return false;
}

/* Suggests a binding or a result of a similar name. */
static const char *suggest_wanted(struct program *program, const char *name)
{
    const char **names = NULL;
    int count = 0;
    for (int i = 0; i < program->symbol_count; i++)
        if (program->symbols[i].kind == SYMBOL_BINDING)
            ARENA_PUSH(program->arena, names, count, program->symbols[i].name);
    for (int i = 0; i < program->result_count; i++)
        ARENA_PUSH(program->arena, names, count, program->results[i].name);
    const char *nearest = diag_nearest(name, names, (size_t)count);
    return nearest ? arena_printf(program->arena, "; did you mean '%s'?", nearest) : "";
}

static bool want(struct program *program, const char *name)
{
    int index = program_symbol(program, name);
    if (is_result(program, name))
        return true;
    if (index < 0 || program->symbols[index].kind != SYMBOL_BINDING)
        return diag_at(program->diags, DIAG_UNKNOWN_RESULT, NULL, 0, name, suggest_wanted(program, name));
    struct symbol *symbol = &program->symbols[index];
    symbol->used = true;
    if (program->result_count >= MAX_RESULTS)
        return diag(program->diags, DIAG_TOO_MANY, symbol->span, (int)MAX_RESULTS, "results");
    struct result result = {.name = symbol->name, .node = symbol->node, .span = symbol->span};
    ARENA_PUSH(program->arena, program->results, program->result_count, result);
    return true;
}

/* Warns of min(x, true), which compares with true and does not keep dimensions. */
static void warn_flags(const struct program *program)
{
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const bool fold = node->kind == NODE_OP && op_rows[node->op].form == FORM_FOLD;
        for (int i = 0; fold && i < node->operand_count; i++) {
            const struct node *operand = operand_node(program, node, i);
            const char *name = word_text(program->arena, op_rows[node->op].spellings, 0);
            if (operand->kind == NODE_LITERAL && operand->literal.kind == LITERAL_BOOL)
                diag(program->diags, DIAG_FLAG_OPERAND, operand->span, name, name);
        }
    }
}

bool parse_results(struct program *program, const char *const *wanted, size_t wanted_count)
{
    bool good = true;
    for (size_t i = 0; i < wanted_count; i++)
        good = want(program, wanted[i]) && good;
    for (int i = 0; i < program->symbol_count; i++) {
        const struct symbol *symbol = &program->symbols[i];
        if (!symbol->used && !symbol->parameter)
            diag(program->diags, DIAG_UNUSED, symbol->span, symbol->name);
    }
    warn_flags(program);
    return good;
}
