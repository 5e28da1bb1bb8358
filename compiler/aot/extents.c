/* Open extents as C: the statements with which a call computes them, and compares what must be equal. The rules are
 * those of compiler/check, which asks for a statement where an operand is not known before the call.
 *
 * Invariant: a statement reads only extents that earlier statements set. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

/* ---- operands ---- */

const char *aot_size_name(struct aot_kernel *k, int number)
{
    const struct program *program = k->program;
    if (number < program->size_variable_count)
        return program->size_variables[number];
    for (int i = 0; i < program->input_count; i++)
        for (int d = 0; d < k->inputs[i]->rank; d++)
            if (k->inputs[i]->extents[d] == EXTENT_VARIABLE - number)
                return arena_printf(k->arena, "%s_extent%d", program->symbols[program->inputs[i]].name, d);
    return "";
}

const char *aot_extent(struct aot_kernel *k, int64_t extent)
{
    const int number = extent < 0 ? (int)(EXTENT_VARIABLE - extent) : -1;
    if (k->plain && number >= 0 && number < k->given)
        return aot_local(k->arena, aot_size_name(k, number));
    return extent >= 0 ? arena_printf(k->arena, "%lld", (long long)extent)
                       : arena_printf(k->arena, "d[%lld]", (long long)(EXTENT_VARIABLE - extent));
}

const char *aot_input_value(struct aot_kernel *k, int input, const char *type)
{
    return k->plain ? aot_local(k->arena, k->program->symbols[k->program->inputs[input]].name)
                    : arena_printf(k->arena, "*(const %s *)in[%d].data", type, input);
}

const char *aot_counted(struct aot_kernel *k, const struct shape *shape)
{
    struct buf text = buf_new(k->arena);
    buf_printf(&text, "%d, ", shape->rank);
    for (int d = 0; d < shape->rank; d++)
        buf_printf(&text, "%s%s", d ? ", " : "(const int64_t[]){", aot_extent(k, shape->extents[d]));
    buf_puts(&text, shape->rank ? "}" : "0");
    return text.text;
}

const char *aot_single_count(struct aot_kernel *k, const struct shape *shape)
{
    int64_t known = 1;
    int open = -1;
    for (int d = 0; d < shape->rank; d++) {
        known *= shape->extents[d] >= 0 ? shape->extents[d] : 1;
        open = shape->extents[d] >= 0 ? open : open == -1 ? d : -2;
    }
    if (open == -1)
        return arena_printf(k->arena, "%lld", (long long)known);
    return open >= 0 && known == 1 ? aot_extent(k, shape->extents[open]) : NULL;
}

const char *aot_product(struct aot_kernel *k, const struct shape *shape)
{
    struct buf text = buf_new(k->arena);
    int64_t known = 1;
    for (int d = 0; d < shape->rank; d++)
        if (shape->extents[d] >= 0)
            known *= shape->extents[d];
        else
            buf_printf(&text, "%s%s", text.length ? " * " : "", aot_extent(k, shape->extents[d]));
    if (known != 1 || !text.length)
        buf_printf(&text, "%s%lld", text.length ? " * " : "", (long long)known);
    return text.text;
}

const char *aot_whole(struct aot_kernel *k, int64_t value)
{
    return value == INT64_MIN ? "INT64_MIN" : arena_printf(k->arena, "INT64_C(%lld)", (long long)value);
}

/* A number of a slice. */
static const char *bound_text(struct aot_kernel *k, const struct slice *slice, enum bound bound)
{
    const int64_t value = bound == BOUND_START ? slice->start : bound == BOUND_STOP ? slice->stop : slice->step;
    return slice->open >> bound & 1 ? arena_printf(k->arena, "d[%lld]", (long long)value) : aot_whole(k, value);
}

/* The rank and the table of a shape's extents, which is added if it is new: "2, shape_blur_3". */
static const char *form_text(struct aot_kernel *k, const struct shape *shape)
{
    int found = 0;
    if (shape->rank == 0)
        return "0, NULL";
    while (found < k->form_count && !shapes_equal(k->forms[found], shape))
        found++;
    if (found == k->form_count)
        ARENA_PUSH(k->arena, k->forms, k->form_count, shape);
    return arena_printf(k->arena, "%d, " NAME_SHAPE, shape->rank, k->program->name, found);
}

const char *aot_form(struct aot_kernel *k, const struct shape *shape)
{
    return arena_printf(k->arena, "{%s}", form_text(k, shape));
}

/* How many of a shape's open extents are negative. */
static const char *negatives_text(struct aot_kernel *k, const struct shape *shape)
{
    const char *text = "";
    for (int d = 0; d < shape->rank; d++)
        if (shape->extents[d] <= EXTENT_VARIABLE)
            text = arena_printf(k->arena, "%s%s(%s < 0)", text, *text ? " + " : "", aot_extent(k, shape->extents[d]));
    return text;
}

static const char *factor_text(struct aot_kernel *k, double factor)
{
    struct buf text = buf_new(k->arena);
    buf_double(&text, factor);
    return text.text;
}

/* ---- operations ---- */

/* What stands behind a $ in the rows below. */
static const char *operand_text(struct aot_kernel *k, const struct extent_term *term, char which)
{
    const struct slice *slice = &term->slice;
    switch (which) {
    case 'a': return aot_extent(k, term->a);
    case 'b': return aot_extent(k, term->b);
    case 'c': return aot_extent(k, term->c);
    case 'i': return bound_text(k, slice, BOUND_START);
    case 'j': return bound_text(k, slice, BOUND_STOP);
    case 's': return bound_text(k, slice, BOUND_STEP);
    case 'g': return arena_printf(k->arena, "%d", slice->has_start | slice->has_stop << 1);
    case 'f': return factor_text(k, term->factor);
    case 'v':
        return k->plain
                   ? aot_single_count(k, term->shape)
                         ? aot_single_count(k, term->shape)
                         : arena_printf(k->arena, "weft_count(%s)", aot_counted(k, term->shape))
                   : arena_printf(k->arena, "volume(%s, d)", form_text(k, term->shape));
    case 'n': return negatives_text(k, term->shape);
    case 'l': return term->threads ? "threads_left" : "lanes_left";
    default: return arena_printf(k->arena, "%d", term->threads ? term->threads : term->ordered);
    }
}

/* The value of an operation; of a fact, the condition under which it is not true. */
static const char *term_text(struct aot_kernel *k, const struct extent_term *term)
{
    static const char *const rows[EXTENT_OP_COUNT] = {
        [EXTENT_JOIN] = "$a == 1 ? $b : $a",
        [EXTENT_SUM] = "$a + $b",
        [EXTENT_PRODUCT] = "multiple($a, $b)",
        [EXTENT_QUOTIENT] = "quotient($a, $b)",
        [EXTENT_SCALED] = "rounded($f * (double)$a)",
        [EXTENT_SLICED] = "sliced($a, $i, $j, $s, $g)",
        [EXTENT_VOLUME] = "$v",
        [EXTENT_GROUPS] = "($a > $b ? ($a - 1) / $b + 1 : 1) * $c",
        [EXTENT_FILLED] = "$a < 0 ? $b : $a",
        [EXTENT_NEGATED] = "-$a",
        [EXTENT_PADDED] = "padded($a, $i, $j)",
        [EXTENT_VALID] = "$a < $b ? 0 : $a - $b + 1",
        [EXTENT_AROUND] = "$a ? $a + $b : 0",
        [EXTENT_LANES] = "$l($a, $b, $c, $t)",
        [EXTENT_EQUAL] = "$a != $b",
        [EXTENT_STRETCHES] = "$a != $b && $a != 1",
        [EXTENT_BROADCAST] = "$a != $b && $a != 1 && $b != 1",
        [EXTENT_AT_MOST] = "$a > $b",
        [EXTENT_SOME] = "$a == 0",
        [EXTENT_FEEDS] = "$a == 0 && $v != 0",
        [EXTENT_EXISTS] = "$a < 0",
        [EXTENT_COUNTS] = "$a < 0 || $a > INT64_MAX / 16",
        [EXTENT_NEGATES] = "$a == INT64_MIN",
        [EXTENT_HAS] = "$i < -$a || $i >= $a",
        [EXTENT_STEPS] = "$s == 0",
        [EXTENT_FEW_NEGATIVE] = "$n > $b"};
    struct buf text = buf_new(k->arena);
    for (const char *c = rows[term->op]; *c; c++)
        if (*c == '$')
            buf_puts(&text, operand_text(k, term, *++c));
        else
            buf_putc(&text, *c);
    return text.text;
}

int64_t aot_new_extent(struct aot_kernel *k, const struct extent_term *term)
{
    ARENA_PUSH(k->arena, k->terms, k->extent_count, *term);
    return EXTENT_VARIABLE - (k->extent_count - 1);
}

/* Equal operations have one extent. */
int64_t aot_compute(void *user, const struct extent_term *term)
{
    struct aot_kernel *k = user;
    const struct shape *counted = k->plain && term->op == EXTENT_VOLUME ? term->shape : NULL;
    if (counted && counted->rank == 1 && counted->extents[0] < 0)
        return counted->extents[0];
    for (int e = 0; e < k->extent_count; e++)
        if (extent_terms_equal(&k->terms[e], term))
            return EXTENT_VARIABLE - e;
    const int64_t extent = aot_new_extent(k, term);
    if (!k->plain || term->op != EXTENT_LANES) /* no lanes are kept there */
        buf_printf(&k->extents, "%s = %s;\n", aot_extent(k, extent), term_text(k, term));
    return extent;
}

void aot_refuse(struct aot_kernel *k, const char *condition, struct span span, const char *text)
{
    const struct text_place place = find_place(k->program->source, span.start);
    ARENA_PUSH(k->arena, k->notes, k->note_count, ((struct aot_note){span, text}));
    if (k->plain)
        buf_printf(&k->extents, "if (%s)\n    return weft_tell(WEFT_KERNEL_SHAPE_ERROR, %zu, %zu, 0, \"%s\");\n",
                   condition, place.line, place.column, text);
    else
        buf_printf(&k->extents, "if (%s)\n    return %d; /* %s */\n", condition, k->note_count, text);
}

void aot_require(void *user, const struct extent_term *fact, struct span span, const char *note)
{
    aot_refuse(user, term_text(user, fact), span, note);
}
