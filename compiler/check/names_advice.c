/* What to write for a value without names beside one that has some. */
#include "compiler/check/names.h"

#include <string.h>

enum {
    MOST_CHOICES = 3,              /* that are written */
    MOST_PERMUTED = 4              /* dimensions that are tried in all orders */
};

/* The search for dimensions that a value's could be. */
struct choosing {
    struct arena *arena;
    const char *text;              /* of the value */
    int rank;
    const int64_t *own;            /* [rank] its extents; NULL: not known */
    const struct dims *dims;
    const int64_t *extents;        /* [dims->rank] */
    bool ordered;                  /* in the order of `dims` alone */
    int chosen[WEFT_MAX_RANK];     /* for each of its dimensions */
    const char *found[MOST_CHOICES];
    int count;
};

static bool fits(const struct choosing *c, int at, int d)
{
    const int64_t own = c->own ? c->own[at] : -1, other = c->extents[d];
    bool good = own < 0 || other < 0 || own == other;
    for (int k = at + 1; k < c->rank; k++)
        good = good && (c->ordered ? d < c->chosen[k] : d != c->chosen[k]);
    return good;
}

static void add(struct choosing *c)
{
    struct buf names = buf_new(c->arena);
    for (int k = 0; k < c->rank; k++) {
        const struct dim *dim = &c->dims->items[c->chosen[k]];
        buf_printf(&names, "%s%.40s:%c", k ? ", " : "", dim->name, *dim_kind_word(dim->kind));
    }
    c->found[c->count++] = arena_printf(c->arena, "named(%s, \"%s\")", c->text, names.text);
}

/* Chooses dimensions for those up to `at`, from the right. */
static void choose(struct choosing *c, int at)
{
    if (at < 0) {
        add(c);
        return;
    }
    for (int d = c->dims->rank - 1; d >= 0 && c->count < MOST_CHOICES; d--)
        if (fits(c, at, d)) {
            c->chosen[at] = d;
            choose(c, at - 1);
        }
}

/* Names that `dims` lacks, so many: "k:i, l:i". */
static const char *other_names(struct arena *arena, const struct dims *dims, int rank)
{
    struct buf names = buf_new(arena);
    int count = 0;
    for (const char *letter = "klmnopqrstuvwxyzabcdefghij"; *letter && count < rank; letter++)
        if (dims_find(dims, (const char[]){*letter, 0}) < 0)
            buf_printf(&names, "%s%c:i", count++ ? ", " : "", *letter);
    return names.text;
}

const char *named_beside(struct arena *arena, const char *what, const char *text, int rank, const int64_t *own,
                         const char *other, const struct dims *dims, const int64_t *extents)
{
    int64_t *declared = ARENA_ARRAY(arena, int64_t, dims->rank + 1);
    for (int d = 0; d < dims->rank; d++)
        declared[d] = dims->items[d].extent;
    struct choosing c = {.arena = arena, .text = text, .rank = rank < 0 ? dims->rank : rank, .own = own, .dims = dims,
                         .extents = extents ? extents : declared, .ordered = true};
    if (c.rank <= dims->rank)
        choose(&c, c.rank - 1);
    c.ordered = false;
    if (!c.count && c.rank <= dims->rank && c.rank <= MOST_PERMUTED)
        choose(&c, c.rank - 1);
    if (!c.count)
        return arena_printf(arena, ", and its %s of %s; named(%s, \"%s\") gives it %s of its own",
                            rank == 1 ? "size fits no dimension" : "sizes fit no dimensions", other, text,
                            other_names(arena, dims, c.rank), rank == 1 ? "one" : "some");
    struct buf choices = buf_new(arena);
    for (int i = 0; i < c.count; i++)
        buf_printf(&choices, "%s%s", !i ? "" : i + 1 < c.count ? ", " : " or ", c.found[i]);
    return arena_printf(arena, "; %s, as in %s", what, choices.text);
}
