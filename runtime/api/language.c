/* The language for other programs: names of types, the table of operations, the values of literals. */
#include "compiler/pipeline/pipeline.h"
#include "runtime/base/base.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

enum weft_dtype weft_dtype_from_name(const char *text, size_t length)
{
    return text ? dtype_find(text, length) : WEFT_DTYPE_COUNT;
}

const char *weft_nearest_name(const char *name, const char *const *names, size_t count)
{
    return name && names ? diag_nearest(name, names, count) : NULL;
}

const char *weft_nearest_dtype(const char *name)
{
    const char *names[WEFT_DTYPE_COUNT];
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        names[t] = type_rows[t].name;
    const char *habit = name ? parse_type_habit(name) : NULL;
    return habit ? habit : weft_nearest_name(name, names, WEFT_DTYPE_COUNT);
}

const char *weft_function_advice(const char *name)
{
    return name ? parse_call_habit(name) : NULL;
}

struct meaning {
    const char *name;
    char *advice;
};

static void find_meaning(struct diags *diags, void *user)
{
    struct meaning *meaning = user;
    const char *advice = parse_meant(diags->arena, diags->source, meaning->name);
    meaning->advice = advice ? strdup(advice) : NULL;
}

char *weft_name_advice(const char *text, const char *name)
{
    struct meaning meaning = {name, NULL};
    if (text && name)
        guarded_call(NULL, &(struct source){"<expr>", text, strlen(text)}, find_meaning, &meaning, NULL);
    return meaning.advice;
}

/* ---- operations ---- */

/* Conversions name a type, so ops.def has no rows for them. */
static const struct weft_operation conversions[] = {
    {"cast", "x dtype", "conversion", "cast(x, dtype)", NULL, "the type it names", 0, 0,
     "x in that type: halves to even, saturating"},
    {"wrap", "x dtype", "conversion", "wrap(x, dtype)", NULL, "the type it names", 0, 0,
     "the low bits of an integer as that integer type"},
    {"T", "x", "conversion", "T(x)", NULL, "the type it names", 0, 0,
     "the same as cast(x, T), for the name T of a type, as in uint8(x)"}};

enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

static const char *const form_names[] = {
    [FORM_INFIX] = "infix", [FORM_RIGHT] = "infix, right associative",
    [FORM_CHAINLESS] = "infix, not associative", [FORM_PREFIX] = "prefix",
    [FORM_TERNARY] = "x if condition else y, or a call", [FORM_CALL] = "call",
    [FORM_FOLD] = "call of two or more"};

static struct weft_operation op_operation(const struct op_row *row)
{
    const struct rule *rule = &rule_rows[row->rule];
    return (struct weft_operation){row->spellings, row->parameters, form_names[row->form], NULL,
                                   rule->name, rule->doc, row->ulp32, row->ulp64, row->doc};
}

static struct weft_operation view_operation(const struct view_row *row)
{
    return (struct weft_operation){row->name, row->parameters, "view", row->signature, NULL, NULL, -1, -1, row->doc};
}

static struct weft_operation reduction_operation(int index)
{
    const struct reduction_row *row = &reduction_rows[index];
    return (struct weft_operation){row->name, row->parameters, "reduction", row->signature, NULL,
                                   row->type, -1, -1, row->doc};
}

bool weft_operation_at(size_t index, struct weft_operation *operation)
{
    size_t before = 0;             /* rows of the tables before this one */
    for (int op = 0; op < OP_COUNT && operation; op++)
        if (op_rows[op].form != FORM_INTERNAL && before++ == index) {
            *operation = op_operation(&op_rows[op]);
            return true;
        }
    if (!operation || index >= before + CONVERSIONS + VIEW_KIND_COUNT + REDUCTION_COUNT)
        return false;
    const int row = (int)(index - before), view = row - CONVERSIONS, reduction = view - VIEW_KIND_COUNT;
    *operation = view < 0        ? conversions[row]
                 : reduction < 0 ? view_operation(&view_rows[view])
                                 : reduction_operation(reduction);
    return true;
}

/* ---- types ---- */

static void check_type(struct diags *diags, void *unused)
{
    struct program program = {.arena = diags->arena, .diags = diags, .source = diags->source,
                              .size_names = {.arena = diags->arena}};
    struct type type;
    (void)unused;
    parse_type(&program, diags->source, &type);
}

enum weft_status weft_check_type(const char *text, struct weft_error **error)
{
    if (!text)
        return invalid_call(error, "weft_check_type needs a text, found NULL");
    return guarded_call(NULL, &(struct source){"<args>", text, strlen(text)}, check_type, NULL, error);
}

/* ---- literals ---- */

/* Checks the elements of an array literal. Names in it are taken to have a type. */
static void check_array(struct program *program, const char *text)
{
    if (text[strspn(text, "+-")] != '[')
        return;
    for (int i = 0; i < program->input_count; i++)
        program->symbols[program->inputs[i]].typed = true;
    pipeline_run(&(struct pipeline){.parsed = program}, PASS_CHECK, PASS_CHECK);
}

/* Replaces the diagnostics by what the parser says about a text that is no literal, if anything. */
static void explain(struct diags *diags)
{
    struct pipeline text = {.arena = diags->arena, .diags = diags, .source = diags->source};
    *diags = diags_new(diags->arena, diags->source);
    if (pipeline_run(&text, PASS_PARSE, PASS_PARSE))
        check_array(text.programs.items[0], diags->source->text);
}

/* Puts a cast around the result. */
static void cast_result(struct program *program, enum weft_dtype dtype)
{
    struct result *result = &program->results[0];
    const struct node *from = &program->nodes[result->node];
    const struct node cast = {.kind = NODE_CAST, .dtype = dtype, .operands = program->operand_count,
                              .operand_count = 1, .span = from->span, .token = from->token};
    ARENA_PUSH(program->arena, program->operands, program->operand_count, result->node);
    result->node = program->node_count;
    ARENA_PUSH(program->arena, program->nodes, program->node_count, cast);
}

/* Copies the value into one allocation. */
static struct weft_literal *store(const struct program *program, const struct node *node, enum weft_dtype dtype)
{
    enum { ALIGNED = (sizeof(struct weft_literal) + 15) / 16 * 16 };
    const bool array = node->kind == NODE_ARRAY;
    const size_t size = (size_t)type_rows[dtype].size, count = array ? (size_t)node->operand_count : 1;
    struct weft_literal *literal = calloc(1, ALIGNED + count * size);
    if (!literal)
        arena_fail(program->arena);
    *literal = (struct weft_literal){.dtype = dtype, .rank = array ? node->rank : 0, .data = (char *)literal + ALIGNED};
    if (array)
        memcpy(literal->shape, program->extents + node->extents, (size_t)node->rank * sizeof *literal->shape);
    for (size_t i = 0; i < count; i++) {
        const struct node *element = array ? operand_node(program, node, (int)i) : node;
        scalar_store((char *)literal->data + i * size, dtype, literal_cast(&element->literal, dtype));
    }
    return literal;
}

struct order {
    enum weft_dtype dtype;
    struct weft_literal *literal;  /* the result; NULL: there is none */
    bool none;                     /* the text is no literal */
};

static void read_literal(struct diags *diags, void *user)
{
    struct order *order = user;
    struct program *program;
    order->none = !parse_value(diags->arena, diags->source, diags, &program);
    if (order->none) {
        explain(diags);
        return;
    }
    const int value = program->results[0].node;
    program->is_value = order->dtype < WEFT_DTYPE_COUNT;
    if (program->is_value)
        cast_result(program, order->dtype);
    if (pipeline_run(&(struct pipeline){.parsed = program}, PASS_CHECK, PASS_CHECK))
        order->literal = store(program, &program->nodes[value], program->results[0].dtype);
}

enum weft_status weft_read_literal(const char *text, enum weft_dtype dtype, struct weft_literal **literal,
                                   struct weft_error **error)
{
    if (!text || !literal)
        return invalid_call(error, "weft_read_literal needs a text and a place for the literal, found NULL");
    struct order order = {.dtype = dtype};
    enum weft_status status = guarded_call(NULL, &(struct source){"<args>", text, strlen(text)}, read_literal, &order,
                                           error);
    *literal = order.literal;
    return order.none && status != WEFT_OUT_OF_MEMORY ? WEFT_SYNTAX_ERROR : status;
}
