/* Implements surprises.h. */
#include "compiler/dump/surprises.h"

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"

#include <string.h>

enum { MOST = 100 };               /* more of them nobody reads */

/* Once for each place and rule. */
static void add(struct arena *arena, struct surprises *all, struct span span, struct span at, const char *rule,
                const char *text)
{
    bool known = all->count >= MOST;
    for (int i = 0; i < all->count && !known; i++)
        known = all->items[i].span.start == span.start && all->items[i].span.end == span.end &&
                strcmp(all->items[i].rule, rule) == 0;
    if (!known)
        ARENA_PUSH(arena, all->items, all->count, ((struct surprise){span, at, rule, text}));
}

/* ---- types ---- */

enum { DEEP = 16 };

static bool same_text(const struct program *program, const struct node *a, const struct node *b)
{
    const size_t length = a->span.end - a->span.start;
    return length == b->span.end - b->span.start &&
           memcmp(program->source->text + a->span.start, program->source->text + b->span.start, length) == 0;
}

/* Whether no element is negative, as far as the program tells. */
static bool not_negative(const struct program *program, const struct node *node, int depth)
{
    node = named_node(program, node);
    const struct node *a = node->operand_count > 0 ? operand_node(program, node, 0) : NULL;
    const struct node *b = node->operand_count > 1 ? operand_node(program, node, 1) : NULL;
    if (node->literal.kind != LITERAL_NONE)
        return literal_number(&node->literal) >= 0;
    if (type_rows[node->dtype].class == CLASS_UNSIGNED || node->dtype == WEFT_BOOL)
        return true;
    if (depth == DEEP || !a)
        return false;
    if (node->kind == NODE_REDUCE || node->kind == NODE_VIEW || node->kind == NODE_CAST)
        return not_negative(program, a, depth + 1);
    if (node->kind != NODE_OP)
        return false;
    switch (node->op) {
    case OP_ABS: case OP_FABS: case OP_SQUARE: case OP_SQRT: case OP_EXP: case OP_EXP2: case OP_HYPOT: case OP_COSH:
        return true;
    case OP_MUL:
        return same_text(program, a, b) ||
               (not_negative(program, a, depth + 1) && not_negative(program, b, depth + 1));
    case OP_ADD: case OP_DIV:
        return not_negative(program, a, depth + 1) && not_negative(program, b, depth + 1);
    case OP_MAX:
        return not_negative(program, a, depth + 1) || not_negative(program, b, depth + 1);
    default: return false;
    }
}

/* Where an operation of one operand gives NaN though that is none, and what to write. */
static const struct {
    enum op op;
    const char *where, *write;     /* the latter a format of the operand */
} domains[] = {
    {OP_SQRT, "below 0", "sqrt(max(%s, 0))"},       {OP_RSQRT, "below 0", "rsqrt(max(%s, 0))"},
    {OP_LOG, "below 0", "log(max(%s, 0))"},         {OP_LOG2, "below 0", "log2(max(%s, 0))"},
    {OP_LOG10, "below 0", "log10(max(%s, 0))"},     {OP_LOG1P, "below -1", "log1p(max(%s, -1))"},
    {OP_ASIN, "not between -1 and 1", "asin(clamp(%s, -1, 1))"},
    {OP_ACOS, "not between -1 and 1", "acos(clamp(%s, -1, 1))"},
    {OP_ATANH, "not between -1 and 1", "atanh(clamp(%s, -1, 1))"},
    {OP_ACOSH, "below 1", "acosh(max(%s, 1))"}};

/* When an operation gives NaN though no operand is one, and what to write; NULL: it does not, or hardly. */
static const char *nan_where(struct arena *arena, const struct program *program, const struct node *node)
{
    const struct node *a = node->operand_count ? operand_node(program, node, 0) : NULL;
    const struct node *b = node->operand_count > 1 ? operand_node(program, node, 1) : NULL;
    const struct literal *divisor = b ? &named_node(program, b)->literal : NULL;
    const char *whole = expression_text(arena, program, node->span);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (domains[i].op == node->op)
            return strncmp(domains[i].where, "below", 5) == 0 && not_negative(program, a, 0) && node->op != OP_ACOSH
                       ? NULL
                       : arena_printf(arena, "is NaN where its operand is %s; write %s where it may be",
                                      domains[i].where,
                                      arena_printf(arena, domains[i].write, expression_text(arena, program, a->span)));
    switch (node->op) {
    case OP_DIV: case OP_MOD: case OP_FLOORDIV: case OP_FMOD:
        return divisor->kind != LITERAL_NONE && literal_number(divisor) != 0
                   ? NULL
                   : arena_printf(arena, "is NaN where both operands are 0; write where(%s != 0, %s, 0) where they may "
                                         "be", expression_text(arena, program, b->span), whole);
    case OP_POW: case OP_FPOW:
        return (divisor->kind == LITERAL_INTEGER || not_negative(program, a, 0))
                   ? NULL
                   : arena_printf(arena, "is NaN where its base is below 0 and its exponent no whole number; write "
                                         "where(%s >= 0, %s, 0) where it may be",
                                  expression_text(arena, program, a->span), whole);
    default: return NULL;
    }
}

static void look_at_op(struct arena *arena, const struct program *program, const bool *wraps,
                       const struct node *node, struct surprises *all)
{
    const char *type = type_rows[node->dtype].name;
    const char *nan = dtype_is_float(node->dtype) ? nan_where(arena, program, node) : NULL;
    if (wraps[node - program->nodes])
        add(arena, all, node->span, node->token, "3.3",
            arena_printf(arena, "stays %s and may wrap %s; convert an operand first, as in %s", type,
                         wrap_limit(arena, node), wrap_cure(program, wraps, node, false)));
    if (nan)
        add(arena, all, node->span, node->token, "4", nan);
    if (dtype_is_half(node->dtype))
        add(arena, all, node->span, node->token, "3.3",
            arena_printf(arena, "is rounded to %s; convert an operand first, as in float32(%s), for more digits", type,
                         expression_text(arena, program, operand_node(program, node, 0)->span)));
}

/* What the compiler warns of. */
static void look_at_warnings(struct arena *arena, struct program *program, struct surprises *all)
{
    struct diags *before = program->diags, diags = diags_new(arena, program->source);
    program->diags = &diags;
    warn_losses(program);
    program->diags = before;
    for (const struct diag *one = diags.first; one; one = one->next)
        add(arena, all, one->spans[0], one->spans[0], "2.8", one->message);
}

void find_type_surprises(struct arena *arena, struct program *program, struct surprises *all)
{
    const bool *wraps = find_wraps(arena, program);
    look_at_warnings(arena, program, all);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        if (node->literal.kind != LITERAL_NONE || node->made)
            continue;
        if (node->kind == NODE_OP)
            look_at_op(arena, program, wraps, node, all);
        else if (node->kind == NODE_CAST && dtype_is_half(node->dtype) &&
                 type_rows[operand_node(program, node, 0)->dtype].bits > 16)
            add(arena, all, node->span, node->token, "4.6",
                arena_printf(arena, "is rounded to %s; leave the cast out to keep the digits",
                             type_rows[node->dtype].name));
    }
}

/* ---- kernels ---- */

static bool begins_with(const char *text, const char *word)
{
    return text && strncmp(text, word, strlen(word)) == 0;
}

static void look_at_loads(struct arena *arena, const struct scheduled *s, struct surprises *all)
{
    const struct emit_params params = {.target = &target_c, .form = &s->form, .kinds = s->geometry.kinds,
                                       .near = s->geometry.near, .fast = s->geometry.fast};
    const struct access_way *ways = access_ways(arena, s->kernel, &params);
    for (int a = 0; a < s->kernel->load_count; a++) {
        const struct ins *load = kernel_access_ins(s->kernel, a);
        const char *words = ways[a].words;
        if (load && (begins_with(words, "one by one") || begins_with(words, "found by number")))
            add(arena, all, load->span, load->span, "5.2",
                arena_printf(arena, "is read off the fast path: %s; where it is read often, copy it once, so that "
                                    "elements of the last dimension lie side by side", words));
    }
}

/* Whether a kernel computes an operation of this place. */
static bool computes(const struct kernel *kernel, const struct ins *ins)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *other = &kernel->ins[i];
        if (other->kind == INS_OP && other->op == ins->op && other->dtype == ins->dtype &&
            other->span.start == ins->span.start && other->span.end == ins->span.end)
            return true;
    }
    return false;
}

/* Operations that an earlier kernel computes, too. Of parts of a result each computes its own elements. */
static void look_at_repeats(struct arena *arena, const struct schedule *schedule, int k,
                            const struct token_spans *spans, struct surprises *all)
{
    const struct kernel *kernel = schedule->kernels[k].kernel;
    for (int i = kernel->ins_count - 1; i >= 0; i--) { /* what holds others comes last */
        const struct ins *ins = &kernel->ins[i];
        const bool operation = ins->kind == INS_OP && op_rows[ins->op].rule != RULE_CONVERT;
        const struct span whole = whole_span(spans, ins->span);
        bool twice = false;
        for (int before = 0; operation && before < k && !twice; before++)
            twice = schedule->kernels[before].parts <= 1 && computes(schedule->kernels[before].kernel, ins);
        for (int known = 0; twice && known < all->count; known++)
            if (strcmp(all->items[known].rule, "11.5") == 0 && all->items[known].span.start <= whole.start &&
                whole.end <= all->items[known].span.end)
                twice = false;
        if (twice)
            add(arena, all, whole, ins->span, "11.5",
                "is computed by more than one kernel, which is cheaper than to keep it");
    }
}

void find_kernel_surprises(struct arena *arena, const struct schedule *schedule, struct surprises *all)
{
    if (!schedule->count)
        return;
    const struct token_spans spans = find_token_spans(arena, schedule->kernels[0].kernel->program);
    for (int k = 0; k < schedule->count; k++) {
        look_at_loads(arena, &schedule->kernels[k], all);
        look_at_repeats(arena, schedule, k, &spans, all);
    }
}
