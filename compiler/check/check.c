/* Typing: gives every node its dtype from the inputs' types, by the rules of rules.def. No operation is named here. A
 * literal expression keeps its full value beside its dtype (rule 2.3), and the value is checked against each type it
 * meets. Nodes with mistakes become poison, so that a mistake is reported once and later ones still are: each check
 * of a kind of node returns false where there was one, and check_node then poisons the node. */
#include "compiler/check/check_impl.h"
#include "compiler/check/folded.h"
#include "compiler/check/positions.h"
#include "compiler/check/size.h"

#include "compiler/lang/lang.h"

#include <string.h>

static const char *text_of(const struct program *program, struct span span)
{
    return expression_text(program->arena, program, span);
}

/* The text of a literal, and of one whose value comes with the run that value, too. */
static const char *literal_text(const struct program *program, const struct node *node)
{
    struct buf text = buf_new(program->arena);
    buf_puts(&text, text_of(program, node->span));
    if (node->number) {
        buf_puts(&text, " = ");
        literal_print(&text, &node->literal);
    }
    return text.text;
}

static const char *spelling(struct program *program, enum op op)
{
    return word_text(program->arena, op_rows[op].spellings, 0);
}

/* Whether a literal may become a `dtype`. Reports an overflow. */
static bool check_meeting(struct program *program, const struct node *node, enum weft_dtype dtype)
{
    bool infinite;
    if (node->literal.kind == LITERAL_NONE)
        return true;
    if (!literal_fits(&node->literal, dtype))
        return diag(program->diags, DIAG_LITERAL_RANGE, node->span, literal_text(program, node),
                    type_rows[dtype].name);
    literal_meet(&node->literal, dtype, &infinite);
    return !infinite || diag(program->diags, DIAG_LITERAL_INFINITE, node->span, literal_text(program, node),
                             type_rows[dtype].name);
}

bool check_constant(struct program *program, const struct node *node, enum weft_dtype dtype)
{
    bool good = check_meeting(program, node, dtype);
    if (node->kind != NODE_ARRAY || !good || node->met >> dtype & 1)
        return good;
    for (int i = 0; good && i < node->operand_count; i++)
        good = check_meeting(program, operand_node(program, node, i), dtype);
    program->nodes[node - program->nodes].met |= (unsigned)good << dtype;
    return good;
}

/* An integer that fits no type is an error only where it meets one: 2**100 // 2**90 is 1024. */
static bool check_literal(struct program *program, struct node *node)
{
    const enum weft_dtype dtype = node_literal_dtype(program, node);
    node->dtype = dtype == WEFT_DTYPE_COUNT ? WEFT_INT64 : dtype;
    return true;
}

bool check_width(struct program *program, const struct node *node)
{
    return node->literal.kind == LITERAL_NONE || node_literal_dtype(program, node) != WEFT_DTYPE_COUNT ||
           diag(program->diags, DIAG_LITERAL_WIDE, node->span, literal_text(program, node));
}

static bool check_name(struct program *program, struct node *node)
{
    const struct symbol *symbol = &program->symbols[node->symbol];
    if (symbol->kind == SYMBOL_INPUT) {
        node->dtype = symbol->type.dtype;
        node->number = symbol->type.number;
        node->literal = node->number ? symbol->value : node->literal;
        return symbol->typed;
    }
    const struct node *bound = &program->nodes[symbol->node];
    node->dtype = bound->dtype;
    node->literal = bound->literal;
    node->number = bound->number;
    node->poison = bound->poison;
    return true;
}

/* The first integer type that holds all elements of an array literal; WEFT_DTYPE_COUNT if none does. */
static enum weft_dtype integers_dtype(const struct program *program, const struct node *array)
{
    const enum weft_dtype types[] = {node_rules(program, array)->integer, WEFT_INT64, WEFT_UINT64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int i = 0;
        while (i < array->operand_count && literal_fits(&operand_node(program, array, i)->literal, types[t]))
            i++;
        if (i == array->operand_count)
            return types[t];
    }
    return WEFT_DTYPE_COUNT;
}

/* Integers alone take the first type that holds all of them; other elements are promoted. */
static bool check_array(struct program *program, struct node *node)
{
    bool integers = true;
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *element = operand_node(program, node, i);
        if (!element->poison && element->literal.kind == LITERAL_NONE)
            return diag(program->diags, DIAG_ARRAY_ELEMENT, element->span, text_of(program, element->span));
        if (element->poison || !check_width(program, element))
            return false;
        integers = integers && element->literal.kind == LITERAL_INTEGER;
        program->number_arrays = program->number_arrays || element->number;
    }
    node->dtype = integers && !program->is_value ? integers_dtype(program, node)
                                                 : promoted_operands(program, node, 0);
    return node->dtype < WEFT_DTYPE_COUNT || diag(program->diags, DIAG_ARRAY_INTEGERS, node->span);
}

/* The dtype that follows from the further operands, whose values do not matter. */
static enum weft_dtype ruled_dtype(const struct program *program, const struct node *node)
{
    const struct rules *rules = rules_of(program->source->rules);
    struct meeting_types types = {.rules = rules};
    for (int i = 1; i < node->operand_count; i++)
        types_meet(&types, program, operand_node(program, node, i));
    return type_by_rules(rules, node->rule, types_promoted(&types));
}

static bool check_cast(struct program *program, struct node *node)
{
    const struct node *operand = operand_node(program, node, 0);
    if (node->rule)
        node->dtype = ruled_dtype(program, node);
    enum weft_dtype from = operand->dtype, to = node->dtype;
    if (operand->poison || !check_width(program, operand))
        return false;
    if (node->kind == NODE_CAST || (dtype_is_integer(from) && dtype_is_integer(to)))
        return true;
    if (!dtype_is_integer(from))
        return diag(program->diags, DIAG_WRAP_TYPE, operand->span, text_of(program, operand->span),
                    type_rows[from].name);
    return diag(program->diags, DIAG_WRAP_TYPE, node->token, "the second argument",
                type_rows[to].name);
}

/* What a ^ of floats is meant to be. */
static const char *instead_of_bits(const struct program *program, const struct node *node)
{
    const char *base = text_of(program, operand_node(program, node, 0)->span);
    return node->op != OP_BITXOR ? ""
                                 : arena_printf(program->arena, "a power is %s ** %s; for bits ", base,
                                                text_of(program, operand_node(program, node, 1)->span));
}

/* Reports integers whose common type is a float. */
static bool check_met_float(struct program *program, struct node *node)
{
    const enum weft_dtype dtype = operand_dtype(program, node);
    const char *first = text_of(program, operand_node(program, node, 0)->span);
    if (!dtype_is_float(dtype))
        return true;
    const struct node *last = operand_node(program, node, node->operand_count - 1);
    return diag_at(program->diags, DIAG_FLOAT_BITS, ((struct span[]){node->token, last->span}), 2,
                   spelling(program, node->op),
                   arena_printf(program->arena, "%s with %s", first, text_of(program, last->span)),
                   type_rows[dtype].name, instead_of_bits(program, node), first);
}

static bool check_floats(struct program *program, struct node *node)
{
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i);
        const char *text = text_of(program, operand->span);
        if (dtype_is_float(operand->dtype))
            return diag_at(program->diags, DIAG_FLOAT_BITS, ((struct span[]){node->token, operand->span}), 2,
                           spelling(program, node->op), text, type_rows[operand->dtype].name,
                           instead_of_bits(program, node), text);
    }
    return check_met_float(program, node);
}

static bool check_all_bool(struct program *program, struct node *node)
{
    const struct node *operand = operand_node(program, node, 0);
    return diag_at(program->diags, DIAG_ALL_BOOL, ((struct span[]){node->token, operand->span}), 2,
                   spelling(program, node->op), text_of(program, operand->span));
}

/* Reports an integer division by a literal expression of value 0 (rule 2.4). */
static bool check_divisor(struct program *program, struct node *node, enum weft_dtype operand)
{
    if (node->operand_count < 2 || !op_fault(node->op, operand))
        return true;
    const struct node *divisor = operand_node(program, node, 1);
    return !literal_is_number(&divisor->literal) || divisor->literal.integer != 0 ||
           diag_at(program->diags, DIAG_LITERAL_ZERO, ((struct span[]){node->token, divisor->span}), 2,
                   spelling(program, node->op));
}

/* Reports an integer to a negative literal power, where the rules of types have no value for it. */
static bool check_exponent(struct program *program, struct node *node, enum weft_dtype operand)
{
    const struct literal *exponent = node->op == OP_POW ? &operand_node(program, node, 1)->literal : NULL;
    if (!exponent || exponent->kind != LITERAL_INTEGER || exponent->integer >= 0 || !dtype_is_integer(operand) ||
        node_rules(program, node)->negative_powers)
        return true;
    return diag(program->diags, DIAG_LITERAL_FOLD, node->span,
                "an integer to a negative power; write the base as a real, as in float64(x) ** -1");
}

/* Reports operands that the typing rule forbids, before any conversion. */
static bool check_rule(struct program *program, struct node *node)
{
    const struct rule *rule = node_rule(program, node);
    bool all_bool = true;
    for (int i = 0; i < node->operand_count; i++)
        all_bool = all_bool && operand_node(program, node, i)->dtype == WEFT_BOOL;
    return (rule->floats || check_floats(program, node)) &&
           (rule->all_bool || !all_bool || check_all_bool(program, node));
}

static bool check_op(struct program *program, struct node *node)
{
    if (node_folds(program, node))
        return check_folded(program, node) && check_literal(program, node);
    for (int i = 0; i < node->operand_count; i++)
        if (operand_node(program, node, i)->poison)
            return false;
    for (int i = 0; i < node->operand_count; i++)
        if (!check_width(program, operand_node(program, node, i)))
            return false;
    if (!check_rule(program, node))
        return false;
    const struct op_row *row = &op_rows[node->op];
    enum weft_dtype operand = operand_dtype(program, node);
    for (int i = first_promoted(row); i < node->operand_count; i++) {
        const struct node *from = operand_node(program, node, i);
        bool own = from->dtype == WEFT_UINT64 && compares_by_value(program, node);
        if (!check_constant(program, named_node(program, from), own ? WEFT_UINT64 : operand))
            return false;
    }
    node->dtype = node_rule(program, node)->result == RESULT_BOOL ? WEFT_BOOL : operand;
    return check_divisor(program, node, operand) && check_exponent(program, node, operand);
}

/* Checks the dtype of an input that holds a view's numbers. */
static bool check_numbers(struct program *program, const struct numbers *numbers, const char *what, bool real)
{
    if (!numbers->given || numbers->input < 0)
        return true;
    const struct symbol *symbol = &program->symbols[program->inputs[numbers->input]];
    enum weft_dtype dtype = symbol->type.dtype;
    if (!symbol->typed || dtype_is_integer(dtype) || (real && dtype_is_float(dtype)))
        return true;
    return diag(program->diags, DIAG_VIEW_DTYPE, numbers->span,
                arena_printf(program->arena, "%s holds %s, and input '%s' is %s", what,
                             real ? "numbers" : "whole numbers", symbol->name,
                             type_rows[dtype].name));
}

/* reinterpret to elements of another size is possible only directly on an input, because only the bytes
 * of an input are in memory. */
static bool check_reinterpret(struct program *program, struct node *node, enum weft_dtype to)
{
    const struct node *operand = operand_node(program, node, 0);
    enum weft_dtype from = operand->dtype;
    node->dtype = to;
    if (type_rows[from].size == type_rows[to].size ||
        (named_node(program, operand)->kind == NODE_NAME && !operand->number))
        return true;
    return diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){node->token, operand->span}), 2,
                   arena_printf(program->arena,
                                "inside an expression reinterpret keeps the size of an "
                                "element, and %s is %s; reinterpret an input, or convert first",
                                text_of(program, operand->span), type_rows[from].name));
}

/* A literal that stands for a tensor becomes a tensor of the literal's own type. */
bool check_tensor(struct program *program, const struct node *operand)
{
    return !operand->poison && check_width(program, operand) &&
           check_constant(program, named_node(program, operand), operand->dtype);
}

static bool check_reduce(struct program *program, struct node *node)
{
    const struct node *operand = operand_node(program, node, 0);
    const struct join_row *row = &join_rows[node->join];
    node->dtype = type_by_rule(row->rule, operand->dtype);
    if (!operand->poison && operand->dtype == WEFT_BOOL && row->rule == TYPE_KEEP &&
        rules_of(program->source->rules)->bool_extremes) {
        node->join = join_row_alike(node->join);
        node->extreme = true;
        return check_tensor(program, operand);
    }
    if (operand->poison || (operand->dtype != WEFT_BOOL || row->rule != TYPE_KEEP))
        return check_tensor(program, operand);
    const struct reduce_args *args = &program->reductions[node->reduction];
    return diag(program->diags, DIAG_REDUCE_BOOL, node->token, args->name, text_of(program, args->value.factors[0]),
                args->name);
}

/* Of an operand of which a reduction was checked, too. */
static bool check_position_of(struct program *program, struct node *node)
{
    node->dtype = WEFT_INT64;
    return !operand_node(program, node, 0)->poison;
}

/* The literal or array literal that an operand is, which the names pass may have stretched; else the operand. */
static const struct node *joined_value(const struct program *program, const struct node *operand)
{
    const struct node *value = named_node(program, operand);
    while (value->kind == NODE_VIEW && value->made)
        value = named_node(program, operand_node(program, value, 0));
    return value->kind == NODE_ARRAY || value->literal.kind != LITERAL_NONE ? value : operand;
}

static bool check_view(struct program *program, struct node *node)
{
    const struct view_args *args = &program->views[node->view];
    const struct node *operand = operand_node(program, node, 0);
    node->dtype = args->kind == VIEW_EXTENT ? args->dtype : operand->dtype;
    if (args->part == SCATTER_FULL)
        return check_put(program, node);
    /* what stretches a literal for a join says nothing of it: it meets the join's type */
    return (node->made && joined_value(program, node) != node ? !operand->poison : check_tensor(program, operand)) &&
           check_sizes(program, node) && check_modes(program, node) &&
           check_numbers(program, &args->shape, "shape", false) &&
           check_numbers(program, &args->rel_shape, "rel_shape", true) &&
           check_numbers(program, &args->src_dims, "src_dims", false) &&
           check_numbers(program, &args->axes, "axes", false) &&
           (args->kind != VIEW_REINTERPRET || check_reinterpret(program, node, args->dtype));
}

/* What is put somewhere has the type of what is there; an error at v says so already. */
static bool check_scatter(struct program *program, struct node *node)
{
    bool good = true;
    for (int i = 0; i < node->operand_count; i++)
        good = good && !operand_node(program, node, i)->poison;
    const enum weft_dtype dtype = operand_node(program, node, 0)->dtype;
    const bool exact = program->views[node->view].part == SCATTER_TOTAL && dtype_is_integer(dtype);
    node->dtype = exact ? WEFT_FLOAT64 : dtype;
    return good;
}

/* What such a literal is stretched by has the type that the literal meets. */
static void set_joined_type(struct program *program, const struct node *operand, enum weft_dtype dtype)
{
    for (const struct node *view = named_node(program, operand); view->kind == NODE_VIEW && view->made;
         view = named_node(program, operand_node(program, view, 0)))
        program->nodes[view - program->nodes].dtype = dtype;
}

/* The values' types promote, and array literals meet the outcome with their full values. */
static bool check_join(struct program *program, struct node *node)
{
    struct meeting_types types = {.rules = node_rules(program, node)};
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i), *value = joined_value(program, operand);
        if (operand->poison || !check_width(program, operand))
            return false;
        types_meet(&types, program, value);
    }
    node->dtype = types_promoted(&types);
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i), *value = joined_value(program, operand);
        if (!check_constant(program, named_node(program, value), node->dtype))
            return false;
        if (value != operand)
            set_joined_type(program, operand, node->dtype);
    }
    return true;
}

/* The positions are integers. */
static bool check_take(struct program *program, struct node *node)
{
    const struct node *from = shown_node(program, operand_node(program, node, 0));
    const struct node *positions = shown_node(program, operand_node(program, node, 1));
    const char *text = text_of(program, positions->span), *value = text_of(program, from->span);
    if (program->views[node->view].kind == VIEW_SAMPLE)
        return check_sample(program, node);
    node->dtype = program->views[node->view].part == SCATTER_PLACES ? WEFT_INT64 : from->dtype;
    if (!check_tensor(program, from) || !check_tensor(program, positions) || !check_modes(program, node))
        return false;
    if (dtype_is_integer(positions->dtype))
        return true;
    const struct masked masked = {program->source, from->span, positions->span, value, text, has_dims(program, from)};
    const char *instead = positions->dtype == WEFT_BOOL
                              ? view_mask_advice(program->arena, &masked)
                              : arena_printf(program->arena, "%s; convert it, as in int32(%s)",
                                             type_rows[positions->dtype].name, text);
    if (program->source->text[node->token.start] == '[')
        return diag(program->diags, DIAG_SELECT_ITEM, positions->span,
                    arena_printf(program->arena, "an item of a selection is an integer, and %s is %s", text, instead));
    return diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){positions->span, node->token}), 2,
                   arena_printf(program->arena, "%s reads elements at integer positions, and %s is %s",
                                view_rows[program->views[node->view].kind].name, text, instead));
}

/* The seed and the stream of random are integers. */
static bool check_random(struct program *program, struct node *node)
{
    node->dtype = WEFT_INT64;
    bool good = true;
    for (int i = 1; i < node->operand_count; i++) {
        struct node *value = &program->nodes[program->symbols[operand_node(program, node, i)->symbol].node];
        const char *text = text_of(program, value->span);
        const char *instead = value->literal.kind == LITERAL_REAL   ? "write it without a fraction, as in 7"
                              : value->literal.kind == LITERAL_BOOL ? "write it as 0 or 1"
                              : arena_printf(program->arena, "convert it, as in int64(%s)", text);
        if (value->poison || (check_tensor(program, value) && dtype_is_integer(value->dtype)))
            continue;
        good = dtype_is_integer(value->dtype)
                   ? false
                   : diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){value->span, node->token}), 2,
                             arena_printf(program->arena, "%s of %s is an integer, and %s is %s; %s",
                                          i == 1 ? "the seed" : "the stream",
                                          view_rows[program->views[node->view].kind].name, text,
                                          type_rows[value->dtype].name, instead));
        value->poison = true;      /* what is made of it says no more */
    }
    return good;
}

static bool check_position(struct program *program, struct node *node)
{
    const struct view_args *args = &program->views[node->view];
    node->dtype = args->dtype;
    if ((node->operand_count && operand_node(program, node, 0)->poison) || !check_sizes(program, node))
        return false;
    if (args->part) {
        node->dtype = WEFT_INT64;
        return check_tensor(program, shown_node(program, operand_node(program, node, 0)));
    }
    if (args->kind == VIEW_RANDOM || args->kind == VIEW_RANDOM_NORMAL)
        return check_random(program, node);
    return args->kind != VIEW_INDEX || dtype_is_integer(args->dtype) ||
           diag(program->diags, DIAG_VIEW_DTYPE, node->token,
                arena_printf(program->arena,
                             "index counts in an integer type; convert what it gives, as in %s(index(x, 0))",
                             type_rows[args->dtype].name));
}

static bool check_node(struct program *program, struct node *node)
{
    static bool (*const checks[])(struct program *program, struct node *node) = {
        [NODE_LITERAL] = check_literal,
        [NODE_NAME] = check_name,
        [NODE_OP] = check_op,
        [NODE_CAST] = check_cast,
        [NODE_WRAP] = check_cast,
        [NODE_ARRAY] = check_array,
        [NODE_VIEW] = check_view,
        [NODE_REDUCE] = check_reduce,
        [NODE_CORRELATE] = check_correlate,
        [NODE_JOIN] = check_join,
        [NODE_TAKE] = check_take,
        [NODE_SCATTER] = check_scatter,
        [NODE_COUNT] = check_position_of,
        [NODE_SEARCH] = check_position_of,
        [NODE_POSITION] = check_position,
    };
    const int errors = program->diags->errors;
    const bool good = node->kind != NODE_POISON && checks[node->kind](program, node);
    if (!good) {
        node->poison = true;
        node->dtype = node->literal.kind == LITERAL_NONE ? WEFT_INT32 : node_literal_dtype(program, node);
    }
    if (program->size_count)
        node->size = node_is_size(program, node);
    return program->diags->errors == errors;
}

static bool check_inputs(struct program *program)
{
    bool good = true;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        if (!symbol->typed && symbol->type.number)
            good = diag(program->diags, DIAG_NUMBER_TYPE, symbol->span,
                        arena_printf(program->arena, "the types depend on the value of number '%s'; give one, as in "
                                     "%s=0.5", symbol->name, symbol->name));
        else if (!symbol->typed)
            good = diag(program->diags, DIAG_UNTYPED, symbol->span, symbol->name, symbol->name);
    }
    return good;
}

static bool check_result(struct program *program, struct result *result)
{
    const struct node *node = &program->nodes[result->node];
    if (!node->poison && !check_width(program, node))
        return false;
    if (result->has_dtype || node->poison)
        return !node->poison;
    result->dtype = node->dtype;
    return check_constant(program, named_node(program, node), node->dtype);
}

bool check(struct program *program)
{
    bool good = check_inputs(program);
    program->failure_count = 0;
    program->failures = NULL;
    good = decide_positions(program) && good;
    for (int i = 0; i < program->node_count; i++)
        good = check_node(program, &program->nodes[i]) && good;
    good = report_failures(program) && good;
    for (int i = 0; i < program->result_count; i++)
        good = check_result(program, &program->results[i]) && good;
    return good && program->diags->errors == 0 && resolve_letters(program);
}
