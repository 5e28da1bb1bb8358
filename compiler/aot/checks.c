/* Writes the checks of a plain function's arguments: extents, addresses, and what results overlap. */
#include "compiler/aot/print_impl.h"

#include <string.h>

/* How many elements an operand has. */
struct count {
    const char *text; /* a number or a name; NULL: it is a value */
    const char
        *factors; /* of the variable that is declared for it, as aot_counted has them; else NULL */
};

/* The first of the counts that is as this operand's; the operand itself if there is none before. */
static int first_like(const struct count *counts, int o)
{
    int i = 0;
    while (i < o && !(counts[i].text && strcmp(counts[i].text, counts[o].text) == 0))
        i++;
    return i;
}

/* Finds operand o's count, behind those before it. With several extents that are not known it is a variable. */
static void find_count(struct aot_kernel *k, int o, struct count *counts)
{
    const struct aot_operand own = aot_operand(k, o);
    counts[o].text = aot_single_count(k, own.shape);
    if (!counts[o].text)
        counts[o].factors = aot_counted(k, own.shape);
    for (int i = 0; i < o && !counts[o].text; i++)
        if (counts[i].factors && strcmp(counts[i].factors, counts[o].factors) == 0)
            counts[o] = counts[i];
    if (!counts[o].text)
        counts[o].text = arena_printf(k->arena, "count_%s", own.name);
}

/* Adds the condition under which extents are no array's. */
static void put_extents(struct buf *out, struct aot_kernel *k, const struct shape *shape)
{
    struct buf few = buf_new(k->arena);
    int64_t known = 1;
    const char *first = "";
    for (int d = 0; d < shape->rank; d++) {
        const char *text = aot_extent(k, shape->extents[d]);
        if (shape->extents[d] >= 0) {
            known *= shape->extents[d] ? shape->extents[d] : 1;
            continue;
        }
        bool before = false;
        for (int e = 0; e < d; e++)
            before = before || shape->extents[e] == shape->extents[d];
        if (!before)
            buf_printf(out, "%s < 0 || ", text);
        if (*first)
            buf_printf(&few, " / (%s ? %s : 1)", text, text);
        first = *first ? first : text;
    }
    buf_printf(out, "%s > INT64_MAX / 16", first);
    if (known > 1)
        buf_printf(out, " / %lld", (long long)known);
    buf_puts(out, few.length ? few.text : "");
}

/* Adds the checks of an array: its extents, its address, and, of a result, what it overlaps. */
static void put_check(struct buf *out, struct aot_kernel *k, int o, const struct count *counts)
{
    const int inputs = k->program->input_count;
    const struct aot_operand own = aot_operand(k, o);
    const char *name = aot_local(k->arena, own.name), *count = counts[o].text;
    const bool known = is_digit(*count);
    const int size = type_rows[own.dtype].size;
    if (!known && first_like(counts, o) == o) {
        buf_puts(out, "    if (");
        put_extents(out, k, own.shape);
        buf_printf(out, ") /* so that no size in bytes overflows */\n        return weft_tell(WEFT_KERNEL_INPUT_ERROR, "
                   "0, 0, \"%s\", \"an extent is negative, or too large\");\n", own.name);
        if (counts[o].factors)
            buf_printf(out, "    const int64_t %s = %s;\n", count, aot_product(k, own.shape));
    }
    const char *missing =
        size > 1 ? arena_printf(k->arena, "!%s || (uintptr_t)%s %% sizeof *%s", name, name, name)
                 : arena_printf(k->arena, "!%s", name);
    buf_printf(out, known || size == 1 ? "    if (%s%s%s)\n" : "    if (%s%s(%s))\n",
               known ? "" : count, known ? "" : " && ", missing);
    buf_printf(
        out, "        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, \"%s\", \"it is NULL%s\");\n",
        own.name, size > 1 ? ", or not aligned" : "");
    for (int i = 0; own.result && i < o; i++) {
        const struct aot_operand other = aot_operand(k, i);
        const char *from = aot_local(k->arena, other.name), *elements = counts[i].text;
        if (!elements)
            continue;
        const bool may = i < inputs && k->replaces[(o - inputs) * inputs + i] &&
                         other.dtype == own.dtype && strcmp(elements, count) == 0;
        buf_puts(out, "    if (");
        if (may)
            buf_printf(out, "%s != %s && ", name, from);
        if (strcmp(elements, count) != 0) /* else an empty one meets none */
            buf_printf(out, "%s%s%s%s", known ? "" : count, known ? "" : " && ",
                       is_digit(*elements) ? "" : elements, is_digit(*elements) ? "" : " && ");
        buf_printf(out,
                   "(uintptr_t)%s < (uintptr_t)(%s + %s) && (uintptr_t)%s < (uintptr_t)(%s + %s))\n"
                   "        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, \"%s\", \"it "
                   "overlaps %s\");\n",
                   name, from, elements, from, name, count, own.name, other.name);
    }
}

void aot_put_checks(struct buf *out, struct aot_kernel *k)
{
    struct count *counts = ARENA_ARRAY(k->arena, struct count, aot_operand_count(k) + 1);
    for (int o = 0; o < aot_operand_count(k); o++) {
        const struct aot_operand own = aot_operand(k, o);
        if (own.result || own.shape->rank)
            find_count(k, o, counts);
    }
    for (int o = 0; o < aot_operand_count(k); o++)
        if (counts[o].text)
            put_check(out, k, o, counts);
}
