/* See trees.h. */
#include "tests/diff/trees.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int below(struct tree *tree, int bound)
{
    return (int)stream_below(&tree->stream, (uint64_t)bound);
}

static void write_text(struct tree *tree, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tree->length += vsnprintf(tree->text + tree->length, sizeof tree->text - (size_t)tree->length,
                              format, arguments);
    va_end(arguments);
}

static int add_node(struct tree *tree, struct tree_node node)
{
    for (int i = 0; i < node.count; i++)
        node.along |= tree->nodes[node.kids[i]].along;
    tree->nodes[tree->count] = node;
    return tree->count++;
}

/* ---- what a node becomes, before its text ---- */

static bool usable(enum op op)
{
    /* The sign of a NaN is free, and copysign would show it. */
    return op_rows[op].form != FORM_INTERNAL && op != OP_COPYSIGN;
}

static int literal_node(struct tree *tree)
{
    static const double reals[] = {0.1, 0.5, 1e-3, 2.5, 1e10, 255.5, 3.0};
    struct tree_node node = {.kind = TREE_LITERAL};
    bool real = below(tree, 2);
    node.literal.dtype = real ? WEFT_FLOAT64 : WEFT_INT32;
    node.literal.value = (union scalar){0};
    if (real)
        node.literal.value.f64 = reals[below(tree, sizeof reals / sizeof *reals)];
    else
        node.literal.value.i32 = below(tree, 40) == 0 ? 65504 : 1 + below(tree, 40); /* float16 holds them */
    node.typing.result = real ? WEFT_FLOAT32 : WEFT_INT32;
    return add_node(tree, node);
}

static int grow(struct tree *tree, int depth, bool literal);

static int leaf(struct tree *tree)
{
    int which = below(tree, TREE_INPUTS + tree->binding_count);
    if (which >= TREE_INPUTS)
        return tree->bindings[which - TREE_INPUTS];
    return add_node(tree, (struct tree_node){.kind = TREE_INPUT, .input = which,
                                             .typing.result = tree->inputs[which],
                                             .along = tree->along[which]});
}

/* A cast to any dtype, or a wrap between integers. */
static int grow_cast(struct tree *tree, int depth)
{
    struct tree_node node = {.kind = TREE_CAST, .count = 1};
    node.kids[0] = grow(tree, depth - 1, false);
    node.typing.result = below(tree, WEFT_DTYPE_COUNT);
    if (dtype_is_integer(tree->nodes[node.kids[0]].typing.result) &&
        dtype_is_integer(node.typing.result) && below(tree, 2))
        node.kind = TREE_WRAP;
    return add_node(tree, node);
}

/* Grown operands first, then a row of the kind that takes them; else the first operand itself. */
static int grow_row(struct tree *tree, enum tree_kind kind, int depth)
{
    static const int counts[] = {1, 2, 2, 3};
    struct tree_node node = {.kind = kind, .count = counts[below(tree, kind == TREE_CALL ? 2 : 4)]};
    enum weft_dtype dtypes[3];
    int literal = below(tree, 6);
    for (int i = 0; i < node.count; i++) {
        node.kids[i] = grow(tree, depth - 1, i == literal && i > 0);
        dtypes[i] = tree->nodes[node.kids[i]].typing.result;
    }
    for (int attempt = 0; attempt < 200; attempt++) {
        node.op = below(tree, OP_COUNT);
        if (usable(node.op) && op_arity(node.op) == node.count &&
            typing_of(node.op, dtypes, node.count, &node.typing) &&
            typing_exact(node.op, &node.typing) == (kind != TREE_CALL))
            return add_node(tree, node);
    }
    return node.kids[0];
}

static int grow(struct tree *tree, int depth, bool literal)
{
    if (literal)
        return literal_node(tree);
    if (depth == 0 || below(tree, 8) == 0)
        return leaf(tree);
    return below(tree, 6) == 0 ? grow_cast(tree, depth) : grow_row(tree, TREE_OP, depth);
}

/* ---- text ---- */

static int binding_of(const struct tree *tree, int index)
{
    for (int i = 0; i < tree->binding_count; i++)
        if (tree->bindings[i] == index)
            return i;
    return -1;
}

static void write_node(struct tree *tree, int index);

static void write_call(struct tree *tree, const struct tree_node *node, const char *name,
                       int length)
{
    write_text(tree, "%.*s(", length, name);
    for (int i = 0; i < node->count; i++) {
        write_text(tree, i ? ", " : "");
        write_node(tree, node->kids[i]);
    }
    write_text(tree, node->kind == TREE_WRAP ? ", %s)" : ")", type_rows[node->typing.result].name);
}

static void write_op(struct tree *tree, struct tree_node *node)
{
    size_t length;
    const char *word = word_at(op_rows[node->op].spellings, 0, &length);
    enum op_form form = op_rows[node->op].form;
    bool infix = form == FORM_INFIX || form == FORM_CHAINLESS || form == FORM_RIGHT;
    node->place = tree->length;
    if (!infix && form != FORM_PREFIX) {
        write_call(tree, node, word, (int)length);
        return;
    }
    write_text(tree, "(");
    if (infix)
        write_node(tree, node->kids[0]);
    write_text(tree, " ");
    node->place = tree->length;
    write_text(tree, "%.*s ", (int)length, word);
    write_node(tree, node->kids[infix]);
    write_text(tree, ")");
}

static void write_tree(struct tree *tree, int index)
{
    struct tree_node *node = &tree->nodes[index];
    const char *dtype = type_rows[node->typing.result].name;
    switch (node->kind) {
    case TREE_INPUT: write_text(tree, "%c", 'a' + node->input); break;
    case TREE_LITERAL:
        if (node->literal.dtype == WEFT_INT32)
            write_text(tree, "%d", node->literal.value.i32);
        else
            write_text(tree, "%#.17g", node->literal.value.f64);
        break;
    case TREE_OP: case TREE_CALL: write_op(tree, node); break;
    case TREE_CAST: write_call(tree, node, dtype, (int)strlen(dtype)); break;
    case TREE_WRAP: write_call(tree, node, "wrap", 4); break;
    }
}

static void write_node(struct tree *tree, int index)
{
    int binding = binding_of(tree, index);
    if (binding >= 0)
        write_text(tree, "t%d", binding);
    else
        write_tree(tree, index);
}

static void add_binding(struct tree *tree)
{
    int node = grow_row(tree, below(tree, 2) ? TREE_CALL : TREE_OP, 2);
    if (tree->nodes[node].kind == TREE_INPUT || binding_of(tree, node) >= 0)
        return;
    write_text(tree, "t%d = ", tree->binding_count);
    write_tree(tree, node);
    write_text(tree, "\n");
    tree->bindings[tree->binding_count++] = node;
}

void tree_generate(struct tree *tree, uint64_t salt, int dimensions)
{
    static const unsigned along[2][8] = {{0, 1, 1, 1, 0, 1, 1, 1}, {0, 1, 1, 2, 2, 3, 3, 3}};
    memset(tree, 0, sizeof *tree);
    tree->stream = stream_init(salt);
    for (int i = 0; i < TREE_INPUTS; i++) {
        tree->inputs[i] = below(tree, WEFT_DTYPE_COUNT);
        tree->along[i] = along[dimensions - 1][below(tree, dimensions == 1 ? 4 : 8)];
    }
    for (int i = 0; i < TREE_BINDINGS; i++)
        add_binding(tree);
    for (int i = 0; i < tree->binding_count; i++)
        if (tree->nodes[tree->bindings[i]].kind == TREE_CALL) {
            write_text(tree, tree->result_count ? ", t%d" : "return t%d", i);
            tree->results[tree->result_count++] = tree->bindings[i];
        }
    for (int i = 0; i < TREE_PLAIN; i++) {
        int node = grow_row(tree, TREE_OP, 3);
        write_text(tree, tree->result_count ? ", r%d = " : "return r%d = ", i);
        tree->results[tree->result_count++] = node;
        write_node(tree, node);
    }
}

/* ---- values ---- */

/* A literal operand has its full value. */
static void operands_of(const struct tree *tree, const struct tree_node *node,
                        const union scalar *values, struct typed out[3])
{
    for (int i = 0; i < node->count; i++) {
        const struct tree_node *kid = &tree->nodes[node->kids[i]];
        out[i] = kid->kind == TREE_LITERAL
                     ? kid->literal
                     : (struct typed){kid->typing.result, values[node->kids[i]]};
    }
}

static union scalar value_of(const struct tree *tree, const struct tree_node *node,
                             const union scalar *inputs, const union scalar *values)
{
    struct typed o[3];
    operands_of(tree, node, values, o);
    switch (node->kind) {
    case TREE_INPUT: return inputs[node->input];
    case TREE_OP: return typing_value(node->op, &node->typing, o, node->count);
    case TREE_CAST: return oracle_cast(o[0].dtype, node->typing.result, o[0].value);
    case TREE_WRAP: return oracle_convert(o[0].dtype, node->typing.result, o[0].value);
    case TREE_CALL: return values[node - tree->nodes];
    default: return node->literal.value;
    }
}

double tree_call_error(const struct tree *tree, int call, const union scalar *values)
{
    const struct tree_node *node = &tree->nodes[call];
    struct typed o[3];
    operands_of(tree, node, values, o);
    return typing_error(node->op, &node->typing, o, node->count, values[call]);
}

static bool divides_by_zero(const struct tree *tree, const struct tree_node *node,
                            const union scalar *values)
{
    struct typed o[3];
    operands_of(tree, node, values, o);
    return node->kind == TREE_OP && typing_fault(node->op, &node->typing, o, node->count);
}

/* Marks what this element uses: of a selection the condition and the arm taken. */
static void mark_used(const struct tree *tree, int index, const union scalar *values, bool *used)
{
    const struct tree_node *node = &tree->nodes[index];
    if (used[index])
        return;
    used[index] = true;
    bool select = node->kind == TREE_OP && node->op == OP_WHERE;
    for (int i = 0; i < node->count; i++) {
        if (select && i > 0) {
            const struct tree_node *condition = &tree->nodes[node->kids[0]];
            bool taken =
                oracle_convert(condition->typing.result, WEFT_BOOL, values[node->kids[0]]).b1;
            if (taken != (i == 1))
                continue;
        }
        mark_used(tree, node->kids[i], values, used);
    }
}

int tree_evaluate(const struct tree *tree, const union scalar *inputs, union scalar *values)
{
    bool used[TREE_NODES] = {false};
    int first = -1;
    for (int i = 0; i < tree->count; i++)
        values[i] = value_of(tree, &tree->nodes[i], inputs, values);
    for (int i = 0; i < tree->result_count; i++)
        mark_used(tree, tree->results[i], values, used);
    for (int i = 0; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        if (used[i] && divides_by_zero(tree, node, values) && (first < 0 || node->place < first))
            first = node->place;
    }
    return first;
}
