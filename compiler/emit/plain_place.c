/* Where an element is in the loops that plain.c writes, as texts in C: its place in what a kernel computes, and what
 * the steps of a map make of that. */
#include "compiler/emit/plain_impl.h"

#include <string.h>

const char *plain_extent(struct plain *p, int64_t extent)
{
    return p->host->extent(p->host->user, extent);
}

static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[]";

/* Whether a text is a call of a function, such as "clamped(i - 1, n)". */
static bool is_call(const char *text)
{
    const size_t name = strspn(text, word);
    int depth = 0;
    if (!name || text[name] != '(')
        return false;
    for (text += name; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (!depth)
            break;
    }
    return *text && !text[1];
}

const char *in_parentheses(struct plain *p, const char *text)
{
    return strspn(text, word) == strlen(text) || is_call(text)
               ? text
               : arena_printf(p->e->arena, "(%s)", text);
}

/* A term of a sum: in parentheses if an operator binds less. */
static const char *in_sum(struct plain *p, const char *text)
{
    return strpbrk(text, "?<>=&|") ? in_parentheses(p, text) : text;
}

/* Of a number that was taken apart to "n / (e * r)" and "n / r % e" its digits are put together again: "n / r". NULL:
 * these are none. */
static const char *rejoined(struct plain *p, const char *outer, const char *extent,
                            const char *inner)
{
    const size_t length = strlen(inner), own = strlen(extent);
    if (length < own + 4 || strcmp(inner + length - own, extent) != 0 ||
        memcmp(inner + length - own - 3, " % ", 3) != 0)
        return NULL;
    const char *quotient = arena_string(p->e->arena, inner, length - own - 3),
               *slash = strstr(quotient, " / ");
    const char *number =
        slash ? arena_string(p->e->arena, quotient, (size_t)(slash - quotient)) : quotient;
    const char *whole = slash
                            ? arena_printf(p->e->arena, "%s / (%s * %s)", number, extent, slash + 3)
                            : arena_printf(p->e->arena, "%s / %s", number, extent);
    return strcmp(outer, whole) == 0 ? quotient : NULL;
}

const char *plain_product(struct plain *p, const struct shape *shape, int from)
{
    const char *text = NULL;
    int64_t known = 1;             /* larger ones are none's */
    for (int d = from; d < shape->rank; d++)
        if (shape->extents[d] > 0 && known <= INT64_MAX / shape->extents[d])
            known *= shape->extents[d];
        else if (!shape->extents[d])
            return plain_extent(p, 0);
        else
            text = arena_printf(p->e->arena, "%s%s%s", text ? text : "", text ? " * " : "",
                                in_parentheses(p, plain_extent(p, shape->extents[d])));
    return !text ? plain_extent(p, known)
           : known == 1 ? text : arena_printf(p->e->arena, "%s * %s", text, plain_extent(p, known));
}

const char *place_number(struct plain *p, const struct place *place)
{
    const char *text = NULL;
    for (int d = 0; !place->number && d < place->shape->rank; d++) {
        if (place->shape->extents[d] == 1)
            continue;
        const char *digit = place->digits[d],
                   *extent = in_parentheses(p, plain_extent(p, place->shape->extents[d]));
        const char *whole = text ? rejoined(p, text, extent, digit) : NULL;
        text = !text || strcmp(text, "0") == 0 ? digit
               : whole
                   ? whole
                   : arena_printf(p->e->arena, strcmp(digit, "0") == 0 ? "%s * %s" : "%s * %s + %s",
                                  in_parentheses(p, text), extent, in_sum(p, digit));
    }
    return place->number ? place->number : text ? text : "0";
}

void place_take_apart(struct plain *p, struct place *place)
{
    const struct shape *shape = place->shape;
    const bool none = strcmp(plain_product(p, shape, 0), "0") == 0; /* no elements, so no digits to divide by */
    bool outermost = true;
    for (int d = 0; place->number && d < shape->rank; d++) {
        const char *inner = plain_product(p, shape, d + 1), *number = in_parentheses(p, place->number);
        if (none || shape->extents[d] == 1) {
            place->digits[d] = "0";
            continue;
        }
        const char *rest = strcmp(inner, "1") == 0 ? place->number
                                                   : arena_printf(p->e->arena, "%s / %s", number,
                                                                  in_parentheses(p, inner));
        place->digits[d] = outermost ? rest
                                     : arena_printf(p->e->arena, "%s %% %s", strcmp(inner, "1") == 0 ? number : rest,
                                                    in_parentheses(p, plain_extent(p, shape->extents[d])));
        outermost = false;
    }
    place->number = NULL;
}

void place_shrink(struct plain *p, struct place *place, const struct shape *shape)
{
    const struct shape *whole = place->shape;
    struct place own = {.shape = shape, .inside = place->inside, .value = place->value, .number = place->number};
    if (shapes_equal(shape, whole)) {
        place->shape = shape;
        return;
    }
    place_take_apart(p, place);
    own.number = NULL;
    for (int d = 0; d < shape->rank; d++) {
        const int at = whole->rank - shape->rank + d;
        const bool same = at >= 0 && shape->extents[d] == whole->extents[at];
        own.digits[d] = shape->extents[d] == 1 || at < 0 ? "0"
                        : same || shape->extents[d] >= 0
                            ? place->digits[at]
                            : arena_printf(p->e->arena, "%s == 1 ? 0 : %s", plain_extent(p, shape->extents[d]),
                                           place->digits[at]);
    }
    *place = own;
}

static const char *bound_of(struct plain *p, const struct slice *slice, enum bound bound)
{
    const int64_t value = bound == BOUND_START ? slice->start : bound == BOUND_STOP ? slice->stop : slice->step;
    return slice->open >> bound & 1 ? plain_extent(p, EXTENT_VARIABLE - value)
                                    : arena_printf(p->e->arena, "%lld", (long long)value);
}

const char *plain_section(struct plain *p, const char *name, size_t *length)
{
    const char *mark = arena_printf(p->e->arena, "//: plain %s\n", name);
    const char *text = strstr(p->e->params->target->skeleton, mark) + strlen(mark);
    *length = (size_t)(strstr(text, "//: ") - text);
    return text;
}

/* A helper of the section "//: plain NAME" in templates/kernel/plain.c. */
static const char *plain_helper(struct plain *p, const char *name)
{
    size_t length;
    const char *full = arena_printf(p->e->arena, "weft_%s", name);
    if (subst_is_new(&p->e->subst, full)) {
        const char *text = plain_section(p, name, &length);
        buf_add(&p->e->subst.helpers, text, length);
    }
    return full;
}

/* The first position that an axis of a selection reads. */
static const char *first_of(struct plain *p, const struct index_map *step, const struct axis *axis, const char *extent)
{
    const struct slice *slice = &axis->slice;
    const bool known = !slice->open;
    if (step->outside)
        return slice->has_stop ? arena_printf(p->e->arena, "%s - %s", extent,
                                              in_parentheses(p, plain_extent(p, step->from->extents[axis->from])))
                               : bound_of(p, slice, BOUND_START);
    if (axis->from < 0 && known)
        return slice->start < 0 ? arena_printf(p->e->arena, "%s - %lld", extent, -(long long)slice->start)
                                : bound_of(p, slice, BOUND_START);
    if (axis->from < 0)
        return arena_printf(p->e->arena, "%s(%s, %s)", plain_helper(p, "position"), bound_of(p, slice, BOUND_START),
                            extent);
    if (known && slice->step > 0 && (!slice->has_start || slice->start >= 0))
        return slice->has_start ? bound_of(p, slice, BOUND_START) : "0";
    if (known && slice->step < 0 && !slice->has_start)
        return arena_printf(p->e->arena, "%s - 1", extent);
    return arena_printf(p->e->arena, "%s(%s, %s, %s, %d)", plain_helper(p, "first"), extent,
                        bound_of(p, slice, BOUND_START), bound_of(p, slice, BOUND_STEP), slice->has_start);
}

static const char *position_of(struct plain *p, const struct index_map *step, const struct axis *axis,
                               const struct place *place, const char *extent)
{
    const char *first = first_of(p, step, axis, extent);
    if (axis->from < 0)
        return first;
    const char *digit = in_parentheses(p, place->digits[axis->from]), *by = bound_of(p, &axis->slice, BOUND_STEP);
    if (step->outside == OUTSIDE_WRAP || strcmp(by, "1") == 0)
        by = NULL;
    if (strcmp(digit, "0") == 0)
        return first;
    if (by && strcmp(by, "-1") == 0)
        return arena_printf(p->e->arena, "%s - %s", first, digit);
    digit = by ? arena_printf(p->e->arena, "%s * %s", digit, in_parentheses(p, by)) : digit;
    return strcmp(first, "0") == 0 ? digit
           : *first == '-' && strlen(first) < 19
               ? arena_printf(p->e->arena, "%s - %s", digit, first + 1)
               : arena_printf(p->e->arena, "%s + %s", digit, in_sum(p, first));
}

/* Moves a position that may lie outside to the one that is read, and notes where none is. */
static const char *move_inside(struct plain *p, const struct index_map *step,
                               const struct axis *axis, const struct place *from,
                               struct place *place, const char *position, const char *extent)
{
    static const char *const edges[] = {[EDGE_CLAMP] = "clamped", [EDGE_WRAP] = "wrapped",
                                        [EDGE_SYMMETRIC] = "mirrored", [EDGE_REFLECT] = "reflected"};
    if (step->outside && axis->from >= 0 && strcmp(position, from->digits[axis->from]) == 0 &&
        step->from->extents[axis->from] == step->to->extents[axis - step->axes])
        return position; /* it never does */
    if (step->outside == OUTSIDE_WRAP || (step->outside && edges[axis->edge]))
        return arena_printf(p->e->arena, "%s(%s, %s)",
                            plain_helper(p, step->outside == OUTSIDE_WRAP ? "wrapped" : edges[axis->edge]), position,
                            extent);
    if (step->outside) {
        place->value = step->value;
        const char *own = arena_printf(p->e->arena, "%s(%s, %s)", plain_helper(p, "inside"), position, extent);
        place->inside = place->inside ? arena_printf(p->e->arena, "%s && %s", place->inside, own) : own;
    }
    return position;
}

/* Follows one step of a map. */
static void follow_step(struct plain *p, const struct index_map *step, struct place *place)
{
    struct place own = {.shape = step->to, .inside = place->inside, .value = place->value};
    place_shrink(p, place, step->from);
    own.inside = place->inside;
    if (!step->axes) {
        own.number = place_number(p, place);
        *place = own;
        return;
    }
    place_take_apart(p, place);
    for (int t = 0; t < step->to->rank; t++) {
        const char *extent = in_parentheses(p, plain_extent(p, step->to->extents[t]));
        const char *position = position_of(p, step, &step->axes[t], place, extent);
        own.digits[t] = move_inside(p, step, &step->axes[t], place, &own, position, extent);
    }
    *place = own;
}

void place_follow(struct plain *p, int above, int map, struct place *place)
{
    if (map == above)
        return;
    place_follow(p, above, p->e->kernel->maps[map].parent, place);
    follow_step(p, &p->e->kernel->maps[map], place);
}

const struct shape *plain_shape(struct plain *p, int access)
{
    return p->host->reads_bytes(p->host->user, access) ? p->space : p->host->shape(p->host->user, access);
}
