/* See text.h. */
#include "tests/random/text.h"

#include "tests/random/number.h"
#include "tests/random/chance.h"
#include "tests/random/gather.h"
#include "tests/random/join.h"
#include "tests/random/neighbour.h"
#include "tests/random/take.h"
#include "tests/random/rearrange.h"
#include "tests/random/reduction.h"
#include "tests/random/scatter.h"
#include "tests/random/select.h"
#include "tests/random/series.h"
#include "tests/random/size.h"
#include "tests/random/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int room = TEXT_SIZE - text->length;
    int length = vsnprintf(text->bytes + text->length, (size_t)room, format, arguments);
    va_end(arguments);
    text->length += length < room ? length : room - 1;
}

/* ---- types ---- */

const char *input_name(int input)
{
    static char names[FORMULA_INPUTS][16];
    snprintf(names[input], sizeof names[input], input < 8 ? "%c" : "x%d", input < 8 ? 'a' + input : input);
    return names[input];
}

/* Along a dimension of full size an extent may be a size variable, which never stretches. */
static bool is_full(const struct trial *trial, int input, int back)
{
    for (int s = 0; s < trial->samples; s++) {
        const struct extents *own = &trial_input(trial, input, s)->extents;
        for (int i = 0; i < trial->formula.input_count; i++) {
            const struct extents *other = &trial_input(trial, i, s)->extents;
            if (back <= other->rank && other->at[other->rank - back] != own->at[own->rank - back])
                return false;
        }
    }
    return true;
}

/* Array literals stretch, too, and may be the larger ones; views and reductions have extents of their own. */
static bool has_others(const struct formula *formula)
{
    for (int n = 0; n < formula->count; n++)
        if (formula->nodes[n].kind == FORMULA_ARRAY || formula->nodes[n].kind == FORMULA_VIEW ||
            formula->nodes[n].kind == FORMULA_REDUCE)
            return true;
    return false;
}

/* An extent of 1, in any sample. */
static bool has_one(const struct trial *trial, int input, int back)
{
    bool one = false;
    for (int s = 0; s < trial->samples; s++) {
        const struct extents *own = &trial_input(trial, input, s)->extents;
        one = one || own->at[own->rank - back] == 1;
    }
    return one;
}

static bool same_in_samples(const struct trial *trial, int input, int dimension)
{
    const struct sample *samples = trial->inputs[input];
    int count = trial->formula.inputs[input].batch ? trial->samples : 1;
    for (int s = 1; s < count; s++)
        if (samples[s].extents.at[dimension] != samples[0].extents.at[dimension])
            return false;
    return true;
}

void type_write(const struct trial *trial, int input, char *out, size_t size)
{
    const struct formula_input *declared = &trial->formula.inputs[input];
    const struct extents *extents = &trial->inputs[input][0].extents;
    int at = snprintf(out, size, "%s", type_rows[declared->dtype].name);
    if (declared->declared <= DECLARE_DTYPE)
        return;
    at += snprintf(out + at, size - (size_t)at, "[");
    for (int d = 0; d < extents->rank; d++) {
        int back = extents->rank - d;
        at += snprintf(out + at, size - (size_t)at, d ? ", " : "");
        const bool stretches = has_one(trial, input, back) && has_others(&trial->formula);
        if (declared->declared == DECLARE_SIZES && !stretches &&
            is_full(trial, input, back))
            at += snprintf(out + at, size - (size_t)at, "n%d", back);
        else if (declared->declared >= DECLARE_EXTENTS && same_in_samples(trial, input, d))
            at += snprintf(out + at, size - (size_t)at, "%lld", (long long)extents->at[d]);
        else
            at += snprintf(out + at, size - (size_t)at, "?");
    }
    snprintf(out + at, size - (size_t)at, "]");
}

/* ---- expressions ---- */

enum { LOOSEST = 0, PRIMARY = 100 };

static void write_operand(struct trial *trial, struct text *text, int index, int floor);

/* How tight the node's text binds. */
static int precedence(const struct formula_node *node)
{
    enum op_form form = op_rows[node->op].form;
    if (node->kind == FORMULA_LITERAL) {
        bool negative = node->number.kind == NUMBER_INTEGER ? node->number.integer < 0
                                                            : __builtin_signbit(node->number.real);
        return negative ? op_rows[OP_NEG].precedence : PRIMARY;
    }
    if (node->kind != FORMULA_OP || form == FORM_CALL || form == FORM_FOLD)
        return PRIMARY;
    if (form == FORM_TERNARY)
        return node->manner & 16 ? PRIMARY : op_rows[node->op].precedence;
    if (formula_is_sign(node) || node->spelling == 0)
        return op_rows[node->op].precedence;
    return PRIMARY;                /* an operator's second name is a function */
}

static void write_call(struct trial *trial, struct text *text, struct formula_node *node)
{
    size_t length;
    const char *word = word_at(op_rows[node->op].spellings, node->spelling, &length);
    int named = op_rows[node->op].form == FORM_FOLD ? node->count
                                                    : (int)(node->manner >> 6 & 7);
    node->place = text->length;
    put(text, "%.*s(", (int)length, word);
    for (int i = 0; i < node->count; i++) {
        put(text, i ? ", " : "");
        if (i >= named) {
            word = word_at(op_rows[node->op].parameters, i, &length);
            put(text, "%.*s=", (int)length, word);
        }
        write_operand(trial, text, node->operands[i], LOOSEST);
    }
    put(text, ")");
}

static void write_operator(struct trial *trial, struct text *text, struct formula_node *node)
{
    size_t length;
    const struct op_row *row = &op_rows[node->op];
    const char *word = word_at(row->spellings, node->spelling, &length);
    bool prefix = row->form == FORM_PREFIX;
    bool letters = *word >= 'a' && *word <= 'z', spaced = letters || node->manner & 32;
    if (!prefix)
        write_operand(trial, text, node->operands[0], row->precedence + (row->form != FORM_INFIX));
    put(text, spaced && !prefix ? " " : "");
    node->place = text->length;
    put(text, "%.*s%s", (int)length, word, spaced || prefix ? " " : "");
    write_operand(trial, text, node->operands[node->count - 1],
                  row->precedence + (!prefix && row->form != FORM_RIGHT));
}

static void write_ternary(struct trial *trial, struct text *text, struct formula_node *node)
{
    int level = op_rows[node->op].precedence;
    write_operand(trial, text, node->operands[1], level + 1);
    put(text, " ");
    node->place = text->length;
    put(text, "if ");
    write_operand(trial, text, node->operands[0], level + 1);
    put(text, " else ");
    write_operand(trial, text, node->operands[2], level);
}

static void write_op(struct trial *trial, struct text *text, struct formula_node *node)
{
    if (precedence(node) == PRIMARY)
        write_call(trial, text, node);
    else if (op_rows[node->op].form == FORM_TERNARY)
        write_ternary(trial, text, node);
    else
        write_operator(trial, text, node);
}

static void write_array(struct trial *trial, struct text *text, const struct formula_node *node,
                        int dimension, int *next)
{
    char number[64];
    put(text, "[");
    for (int64_t i = 0; i < node->extents.at[dimension]; i++) {
        put(text, i ? ", " : "");
        if (dimension + 1 < node->extents.rank) {
            write_array(trial, text, node, dimension + 1, next);
            continue;
        }
        number_print(number, &trial->formula.elements[*next], (unsigned)*next * 7);
        (*next)++;
        put(text, "%s", number);
    }
    put(text, "]");
}

static void write_conversion(struct trial *trial, struct text *text, struct formula_node *node)
{
    const struct type_row *row = &type_rows[node->dtype];
    bool brief = !(node->manner & 32) &&
                 dtype_find(row->short_name, strlen(row->short_name)) == node->dtype;
    const char *name = brief ? row->short_name : row->name;
    bool call = node->kind == FORMULA_WRAP || node->manner & 16;
    if (call)
        put(text, node->kind == FORMULA_WRAP ? "wrap(" : "cast(");
    else
        put(text, "%s(", name);
    write_operand(trial, text, node->operands[0], LOOSEST);
    if (call)
        put(text, node->manner & 64 ? ", dtype=%s)" : ", %s)", name);
    else
        put(text, ")");
}

static void write_view(struct trial *trial, struct text *text, struct formula_node *node)
{
    static const char *const names[] = {"reshape", "squeeze", "expand_dims", "reinterpret"};
    const struct formula_view *view = &trial->formula.views[node->view];
    char arguments[500];
    if (view->kind == VIEWS_SELECT) {
        write_operand(trial, text, node->operands[0], PRIMARY);
        select_print(arguments, sizeof arguments, view, node->manner >> 4);
        put(text, "%s", arguments);
        return;
    }
    if (is_joined(view)) {
        for (int i = 0; i < node->count; i++) {
            put(text, i ? ", " : view->kind == VIEWS_STACK ? "stack(" : "concat(");
            write_operand(trial, text, node->operands[i], LOOSEST);
        }
        join_print(arguments, sizeof arguments, view);
        put(text, "%s)", arguments);
        return;
    }
    if (is_chance(view)) {
        put(text, "%s(", chance_name(view));
        write_operand(trial, text, node->operands[0], LOOSEST);
        chance_print(arguments, sizeof arguments, view, node->manner >> 4);
        put(text, "%s)", arguments);
        return;
    }
    if (is_scattered(view)) {
        node->place = text->length;
        for (int i = 0; i < node->count; i++) {
            put(text, i ? ", " : "scatter(");
            write_operand(trial, text, node->operands[i], LOOSEST);
        }
        scatter_print(arguments, sizeof arguments, view, node->manner >> 4);
        put(text, "%s)", arguments);
        return;
    }
    if (is_gathered(view)) {
        node->place = text->length;
        put(text, view->kind == VIEWS_GATHER ? "gather(" : "sample(");
        write_operand(trial, text, node->operands[0], LOOSEST);
        put(text, ", ");
        write_operand(trial, text, node->operands[1], LOOSEST);
        gather_print(arguments, sizeof arguments, view, node->manner >> 4);
        put(text, "%s)", arguments);
        return;
    }
    if (is_neighbour(view)) {
        node->place = text->length;
        put(text, "%s(", neighbour_name(view));
        for (int i = 0; i < node->count; i++) {
            put(text, i ? ", " : "");
            write_operand(trial, text, node->operands[i], LOOSEST);
        }
        neighbour_print(arguments, sizeof arguments, view, node->manner >> 4);
        put(text, "%s)", arguments);
        return;
    }
    if (is_taken(view)) {
        node->place = text->length;
        put(text, "take(");
        write_operand(trial, text, node->operands[0], LOOSEST);
        put(text, ", ");
        write_operand(trial, text, node->operands[1], LOOSEST);
        take_print(arguments, sizeof arguments, view);
        put(text, "%s)", arguments);
        return;
    }
    put(text, "%s(", is_rearranged(view)            ? rearrange_name(view)
                     : view->kind == VIEWS_INDEX ? "index"
                                                 : names[view->kind]);
    write_operand(trial, text, node->operands[0], LOOSEST);
    if (is_rearranged(view))
        rearrange_print(arguments, sizeof arguments, view, node->manner >> 4);
    else
        view_print(arguments, sizeof arguments, view, type_rows[node->dtype].name, node->manner >> 4);
    put(text, "%s)", arguments);
}

static void write_series(struct trial *trial, struct text *text, struct formula_node *node)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    char ends[2][64], length[200];
    put(text, view->kind == VIEWS_ARANGE ? "arange(" : "linspace(");
    for (int i = 0; i < 2 && view->kind == VIEWS_LINSPACE; i++) {
        number_print(ends[i], &trial->formula.elements[node->elements + i], node->manner >> 8);
        put(text, "%s, ", ends[i]);
    }
    if (node->count) {
        put(text, "extent(");
        write_operand(trial, text, node->operands[0], LOOSEST);
    }
    series_print(length, sizeof length, view, node->count > 0, node->manner >> 4);
    put(text, "%s)", length);
}

/* Sometimes axes are letters of a layout, which the result gives up. */
static void write_reduction(struct trial *trial, struct text *text, struct formula_node *node)
{
    const struct formula_reduction *reduction = &trial->formula.reductions[node->reduction];
    const int rank = node->letters;
    char arguments[200], layout[FORMULA_RANK + 1] = "ABCDEF";
    const bool letters = rank > 0 && reduction->has_axes && reduction->count > 0;
    layout[rank] = '\0';
    put(text, letters ? "reshape(" : "");
    put(text, "%s(", reduction_rows[reduction->function].name);
    for (int i = 0; i < node->count; i++) {
        put(text, i ? ", " : letters ? "reshape(" : "");
        write_operand(trial, text, node->operands[i], LOOSEST);
    }
    if (letters) {
        reduction_print_letters(arguments, sizeof arguments, reduction, rank);
        put(text, ", layout=\"%s\")%s), layout=\"\")", layout, arguments);
        return;
    }
    reduction_print(arguments, sizeof arguments, reduction, node->manner >> 4);
    put(text, "%s)", arguments);
}

static void write_node(struct trial *trial, struct text *text, int index)
{
    struct formula_node *node = &trial->formula.nodes[index];
    char number[64];
    int next = node->elements;
    switch (node->kind) {
    case FORMULA_INPUT: put(text, "%s", input_name(node->input)); break;
    case FORMULA_LITERAL:
        number_print(number, &node->number, node->manner >> 8);
        put(text, "%s", number);
        break;
    case FORMULA_ARRAY: write_array(trial, text, node, 0, &next); break;
    case FORMULA_OP: write_op(trial, text, node); break;
    case FORMULA_CAST: case FORMULA_WRAP: write_conversion(trial, text, node); break;
    case FORMULA_VIEW:
        (is_series(&trial->formula.views[node->view]) ? write_series : write_view)(trial, text, node);
        break;
    case FORMULA_REDUCE: write_reduction(trial, text, node); break;
    }
}

/* To the right of ** a sign may follow, though it binds looser. */
static void write_operand(struct trial *trial, struct text *text, int index, int floor)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    if (node->bound) {
        put(text, "t%d", index);
        return;
    }
    bool sign = node->kind == FORMULA_OP && op_rows[node->op].form == FORM_PREFIX &&
                op_rows[node->op].precedence + 1 == floor && floor == op_rows[OP_POW].precedence;
    bool enclosed = (precedence(node) < floor && !sign) || (node->manner >> 12) % 8 == 0;
    put(text, enclosed ? "(" : "");
    write_node(trial, text, index);
    put(text, enclosed ? ")" : "");
}

/* ---- programs ---- */

static const char *separator(unsigned manner)
{
    static const char *const list[] = {"\n", "\n", "\n", "; ", " ;\n", "\n\n", "  # t0 = 1\n", "\r\n"};
    return list[manner % 8];
}

/* The parameters that size expressions are made of, which the program's own text tells. */
static void write_sizes(struct text *text, const char *program, bool first)
{
    for (int i = 0; i < SIZE_INPUTS; i++) {
        if (!size_is_used(program, i))
            continue;
        put(text, "%s%s: %s[]", first ? "" : ", ", size_inputs[i].name,
            strcmp(size_inputs[i].type, "number") ? size_inputs[i].type : "int64");
        first = false;
    }
}

static void write_inputs(struct trial *trial, struct text *text, const char *program)
{
    const struct formula *formula = &trial->formula;
    char type[200];
    if (formula->kernel)
        put(text, "kernel f(");
    for (int i = 0; i < formula->input_count; i++) {
        type_write(trial, i, type, sizeof type);
        if (formula->kernel)
            put(text, i ? ", %s: %s" : "%s: %s", input_name(i), type);
        else if (formula->in_text && formula->inputs[i].declared != DECLARE_NOT)
            put(text, "input %s: %s%s", input_name(i), type, separator(formula->manner >> i % 32));
    }
    if (!formula->kernel)
        return;
    write_sizes(text, program, formula->input_count == 0);
    put(text, ") -> ");
    for (int i = 0; i < formula->result_count; i++)
        put(text, i ? ", %s" : "%s", type_rows[formula->casts[i]].name);
    put(text, " {\n");
}

static void write_results(struct trial *trial, struct text *text)
{
    struct formula *formula = &trial->formula;
    int only = formula->results[0];
    if (formula->result_count == 1 && formula->manner & 256 && !formula->nodes[only].bound &&
        formula->nodes[only].kind != FORMULA_INPUT) {
        put(text, formula->manner & 512 ? "return " : "");
        write_operand(trial, text, only, LOOSEST);
        return;
    }
    put(text, "return ");
    for (int i = 0; i < formula->result_count; i++) {
        put(text, i ? ", r%d = " : "r%d = ", i);
        write_operand(trial, text, formula->results[i], LOOSEST);
    }
}

static void write_program(struct trial *trial, struct text *text, const char *program)
{
    struct formula *formula = &trial->formula;
    text->length = 0;
    text->bytes[0] = '\0';
    write_inputs(trial, text, program);
    for (int n = 0; n < formula->count; n++) {
        struct formula_node *node = &formula->nodes[n];
        if (!node->bound)
            continue;
        put(text, "t%d = ", n);
        write_node(trial, text, n);
        put(text, "%s", separator(node->manner >> 16));
    }
    write_results(trial, text);
    put(text, formula->kernel ? "\n}\n" : "");
}

void formula_write(struct trial *trial, struct text *text)
{
    write_program(trial, text, "");
    char *before = trial->formula.kernel ? strdup(text->bytes) : NULL;
    if (before) /* once more, now that it is known which sizes there are */
        write_program(trial, text, before);
    free(before);
}
