/* Types of section 10: numbers outside are of x's type (rule 10.1), and k is an array literal or an input (10.3). And
 * of sample and scatter (rules 12.4 and 12.5). */
#include "compiler/check/check_impl.h"

#include "compiler/lang/lang.h"

/* The common type of two operands of a node that has others. */
static enum weft_dtype meet(const struct program *program, const struct node *node, const struct node *a,
                            const struct node *b)
{
    struct meeting_types types = {.rules = node_rules(program, node)};
    types_meet(&types, program, a);
    types_meet(&types, program, b);
    return types_promoted(&types);
}

static const char *text_of(const struct program *program, const struct node *node)
{
    return expression_text(program->arena, program, node->span);
}

/* ---- numbers outside ---- */

/* What keeps a literal from being of the type; NULL: nothing does. */
static const char *mismatch(struct program *program, const struct literal *literal, enum weft_dtype dtype)
{
    bool infinite;
    if (literal->kind == LITERAL_NONE)
        return "it is no literal expression";
    if ((literal->kind == LITERAL_BOOL) != (dtype == WEFT_BOOL))
        return dtype == WEFT_BOOL ? "write true or false" : "write a number";
    if (literal->kind == LITERAL_REAL && dtype_is_integer(dtype))
        return "write an integer, or convert x";
    literal_meet(literal, dtype, &infinite);
    return !literal_fits(literal, dtype) || infinite ? arena_printf(program->arena, "%s does not hold it",
                                                                    type_rows[dtype].name) : NULL;
}

bool check_modes(struct program *program, const struct node *node)
{
    const struct modes *modes = &program->views[node->view].modes;
    const struct node *x = operand_node(program, node, 0);
    bool good = true;
    for (int i = 0; i < modes->count; i++) {
        const struct mode *mode = &modes->items[i];
        const struct node *number = mode->number < 0 ? NULL : operand_node(program, node, mode->number);
        const char *wrong = !number || number->poison ? NULL : mismatch(program, &number->literal, x->dtype);
        good = good && !(number && number->poison);
        if (wrong)
            good = diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){number->span, x->span}), 2,
                           arena_printf(program->arena, "what lies outside is \"edge\", \"wrap\", \"symmetric\", "
                                        "\"reflect\" or a number of the type of %s, which is %s, and found is %s; %s",
                                        text_of(program, x), type_rows[x->dtype].name, text_of(program, number),
                                        wrong));
    }
    return good;
}

/* ---- scatter ---- */

static bool wrong_put(struct program *program, const struct node *node, const struct node *value, const char *text)
{
    return diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){value->span, node->token}), 2, text);
}

/* Whether v promotes to the type of x, to which it is converted, and x can be joined to by this word. */
bool check_put(struct program *program, struct node *node)
{
    const struct view_args *args = &program->views[node->view];
    const struct node *v = named_node(program, operand_node(program, node, 0));
    const struct node *x = named_node(program, operand_node(program, node, 1));
    const char *type = type_rows[x->dtype].name;
    if (v->poison || x->poison || !check_width(program, v) || !check_width(program, x))
        return false;
    node->dtype = x->dtype;
    if (x->dtype == WEFT_BOOL && args->put != PUT_SET && args->put != PUT_MUL)
        return wrong_put(program, node, x,
                         arena_printf(program->arena, "%s is bool, to which scatter takes \"set\" and \"mul\" alone; "
                                      "convert it, as in uint8(%s)", text_of(program, x), text_of(program, x)));
    const bool literal = v->literal.kind != LITERAL_NONE;
    const char *wrong = literal ? mismatch(program, &v->literal, x->dtype) : NULL;
    if (wrong)
        return wrong_put(program, node, v, arena_printf(program->arena, "what is put into %s has its type, %s, and "
                                                        "found is %s; %s", text_of(program, x), type,
                                                        text_of(program, v), wrong));
    if (literal)
        return check_constant(program, v, x->dtype);
    if (v->kind == NODE_ARRAY && meet(program, node, v, x) == x->dtype)
        return check_constant(program, v, x->dtype);
    return meet(program, node, v, x) == x->dtype ||
           wrong_put(program, node, v,
                     arena_printf(program->arena, "%s is %s, which does not promote to %s, the type of %s; convert it, "
                                  "as in %s(%s)", text_of(program, v), type_rows[v->dtype].name, type,
                                  text_of(program, x), type, text_of(program, v)));
}

/* ---- correlate ---- */

static bool wrong_kernel(struct program *program, const struct node *k, const char *text)
{
    return diag(program->diags, DIAG_VIEW_DTYPE, k->span, text);
}

/* Whether k is an array literal, or an input whose extents are numbers as far as they are declared. */
static bool check_kernel(struct program *program, const struct node *k)
{
    const struct node *value = named_node(program, k);
    const struct symbol *symbol = value->kind == NODE_NAME ? &program->symbols[value->symbol] : NULL;
    if (value->kind == NODE_ARRAY)
        return true;
    if (!symbol || value->number)
        return wrong_kernel(program, k, arena_printf(program->arena, "the kernel is an array literal, as [1, 2, 1], or "
                                                     "an input whose extents are numbers, and %s is neither; pass it "
                                                     "as an input", text_of(program, k)));
    for (int d = 0; symbol->declared && symbol->type.ranked && d < symbol->type.rank; d++)
        if (symbol->type.extents[d] < 0)
            return wrong_kernel(program, k,
                                arena_printf(program->arena, "the extents of the kernel are numbers in its type, as in "
                                             "%s: %s[3, 3], and dimension %d of %s has none", symbol->name,
                                             type_rows[symbol->type.dtype].name, d, symbol->name));
    return true;
}

bool check_correlate(struct program *program, struct node *node)
{
    const struct node *x = operand_node(program, node, 0), *k = operand_node(program, node, 1);
    if (x->poison || k->poison || !check_width(program, x) || !check_kernel(program, k))
        return false;
    node->dtype = meet(program, node, x, k);
    if (node->dtype == WEFT_BOOL)
        return diag_at(program->diags, DIAG_ALL_BOOL, ((struct span[]){node->token, x->span}), 2, "*",
                       text_of(program, x));
    return check_constant(program, named_node(program, x), node->dtype) &&
           check_constant(program, named_node(program, k), node->dtype) && check_modes(program, node);
}

/* ---- sample ---- */

bool check_sample(struct program *program, struct node *node)
{
    const struct node *x = operand_node(program, node, 0), *at = operand_node(program, node, 1);
    if (x->poison || at->poison || !check_width(program, x) || !check_width(program, at))
        return false;
    if (!dtype_is_float(at->dtype))
        return diag_at(program->diags, DIAG_VIEW_DTYPE, ((struct span[]){at->span, node->token}), 2,
                       arena_printf(program->arena, "sample reads at coordinates that are floats, and %s is %s; write "
                                    "gather, or float32(%s)", text_of(program, at), type_rows[at->dtype].name,
                                    text_of(program, at)));
    node->dtype = meet(program, node, at, x);
    return check_constant(program, named_node(program, x), node->dtype) &&
           check_constant(program, named_node(program, at), node->dtype) && check_modes(program, node);
}
