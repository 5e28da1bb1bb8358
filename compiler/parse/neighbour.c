/* Parses the arguments of neighbours (section 10): modes, which are words in quotes or numbers, and widths, which are
 * pairs. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_VIEW_ARGUMENT, span, message);
}

/* What closes the list, or the tuple, that begins here; TOKEN_END: there is none. */
static enum token_kind closer_of(const struct parser *p)
{
    return p->token.kind == TOKEN_LBRACKET ? TOKEN_RBRACKET : parse_at_tuple(p) ? TOKEN_RPAREN : TOKEN_END;
}

static const char *expected_at(enum token_kind closer)
{
    return closer == TOKEN_RPAREN ? "',' or ')'" : "',' or ']'";
}

/* ---- modes ---- */

/* What to write instead of a word that is no mode. */
static const char *mode_advice(struct parser *p, const char *word, bool valid)
{
    static const struct { const char *word, *ours; } habits[] = {
#define MODE_HABIT(word, ours) {word, ours},
#include "grammar/modes.def"
    };
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(habits[i].word, word) == 0)
            return arena_printf(p->arena, "write %s", habits[i].ours);
    return arena_printf(p->arena, "modes are \"edge\", \"wrap\", \"symmetric\", \"reflect\"%s and numbers",
                        valid ? ", \"valid\"" : "");
}

static void read_word(struct parser *p, struct modes *modes, bool listed, bool valid, struct mode *mode)
{
    const struct span span = p->token.span;
    const char *word = parse_text(p, (struct span){span.start + 1, span.end - 1});
    parse_advance(p);
    mode->edge = mode_find(word);
    if (mode->edge != EDGE_VALUE)
        return;
    const bool whole = strcmp(word, "valid") == 0;
    if (whole && valid && !listed)
        modes->valid = true;
    else if (whole)
        wrong(p, span, valid ? "\"valid\" is for all axes, and stands in no list"
                             : "\"valid\" is a mode of correlate and convolve alone; select what is left, as in "
                               "x[1:-1]");
    else
        wrong(p, span, arena_printf(p->arena, "\"%.40s\" is no mode; %s", word, mode_advice(p, word, valid)));
}

static void read_mode(struct parser *p, struct modes *modes, bool listed, bool valid)
{
    struct mode mode = {.edge = EDGE_VALUE, .number = -1, .span = p->token.span};
    struct mode *items = (struct mode *)modes->items;
    if (p->token.kind == TOKEN_STRING)
        read_word(p, modes, listed, valid, &mode);
    else
        mode.number = parse_expression(p);
    mode.span.end = p->previous.end;
    if (modes->count == WEFT_MAX_RANK)
        diag(p->diags, DIAG_TOO_MANY, mode.span, WEFT_MAX_RANK, "dimensions");
    else
        ARENA_PUSH(p->arena, items, modes->count, mode);
    modes->items = items;
}

PARSE_APART void parse_modes(struct parser *p, struct modes *modes, bool valid)
{
    const struct span opener = p->token.span;
    const enum token_kind closer = closer_of(p);
    *modes = (struct modes){.given = true, .listed = closer != TOKEN_END, .span = opener};
    if (!parse_enter(p, opener))
        return;
    if (modes->listed) {
        parse_advance(p);
        if (p->token.kind == closer)
            wrong(p, span_join(opener, p->token.span), "a list of modes has one for each axis");
        else
            do
                read_mode(p, modes, true, valid);
            while (parse_more(p, closer));
        parse_close(p, opener, closer, expected_at(closer));
    } else {
        read_mode(p, modes, false, valid);
    }
    p->nesting--;
    modes->span.end = p->previous.end;
}

/* ---- words of scatter ---- */

PARSE_APART enum put parse_put(struct parser *p)
{
    static const struct { const char *word, *ours; } habits[] = {
#define PUT_HABIT(word, ours) {word, ours},
#include "grammar/modes.def"
    };
    const struct span span = p->token.span;
    const char *advice = "modes of scatter are \"set\", \"add\", \"mul\", \"min\", \"max\" and \"mean\"";
    if (!parse_accept(p, TOKEN_STRING))
        return parse_unexpected(p, "a mode in quotes, as \"add\""), PUT_SET;
    const char *word = parse_text(p, (struct span){span.start + 1, span.end - 1});
    const enum put put = put_find(word);
    if (put != PUT_COUNT)
        return put;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(habits[i].word, word) == 0)
            advice = arena_printf(p->arena, "write %s", habits[i].ours);
    wrong(p, span, arena_printf(p->arena, "\"%.40s\" is no mode; %s", word, advice));
    return PUT_SET;
}

/* ---- widths ---- */

static void read_width(struct parser *p, struct numbers *numbers, const char *what)
{
    const int first = p->program->node_count, node = parse_expression(p);
    if (p->failed || !parse_fold(p, first))
        return;
    if (numbers->count == WEFT_MAX_RANK)
        diag(p->diags, DIAG_TOO_MANY, p->program->nodes[node].span, WEFT_MAX_RANK, "dimensions");
    else
        parse_add_number(p, numbers, &p->program->nodes[node], what);
}

/* '[' before ',' after ']', or a tuple */
static void read_pair(struct parser *p, struct numbers *before, struct numbers *after, const char *what)
{
    const struct span opener = p->token.span;
    const enum token_kind closer = closer_of(p);
    int count = 0;
    parse_advance(p);
    if (p->token.kind != closer)
        do
            read_width(p, count++ ? after : before, what);
        while (parse_more(p, closer) && count < 2);
    if (p->token.kind != closer && !p->failed)
        parse_wrong(p, p->token.span, "a pair of widths is [before, after]");
    const struct span all = span_join(opener, p->token.span);
    if (parse_close(p, opener, closer, expected_at(closer)) && count != 2)
        wrong(p, all, "a pair of widths is [before, after]");
}

/* Numbers without pairs: of one axis they are before and after. */
static void make_flat(struct parser *p, struct numbers *before, struct numbers *after)
{
    struct numbers all = *before;
    *after = *before;
    after->count = before->count = 0;
    after->sizes = before->sizes = NULL;
    after->items = before->items = NULL;
    if (all.count != 2) {
        wrong(p, before->span, "widths are pairs, [[before, after], ..], one for each axis, or one integer for all");
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct numbers *to = i ? after : before;
        struct literal *items = arena_copy(p->arena, &all.items[i], sizeof *items);
        if (all.sizes && all.sizes[i] >= 0)
            parse_add_size(p, to, all.sizes[i]), p->program->size_count--;
        to->items = items;
        to->count = 1;
    }
    before->flat = after->flat = true;
}

static void read_list(struct parser *p, struct numbers *before, struct numbers *after, const char *what)
{
    const struct span opener = p->token.span;
    const enum token_kind closer = closer_of(p);
    bool pairs = false, numbers = false;
    parse_advance(p);
    if (p->token.kind != closer)
        do {
            const struct span place = p->token.span;
            const bool pair = closer_of(p) != TOKEN_END;
            if (pair)
                read_pair(p, before, after, what);
            else
                read_width(p, before, what);
            if (!p->failed && (pair ? numbers : pairs))
                parse_wrong(p, place, "widths are pairs, [[before, after], ..]; here numbers and pairs are mixed");
            pairs = pairs || pair;
            numbers = numbers || !pair;
        } while (parse_more(p, closer));
    parse_close(p, opener, closer, expected_at(closer));
    before->span.end = after->span.end = p->previous.end;
    if (numbers && !p->failed)
        make_flat(p, before, after);
}

/* The elements of a name that is bound to an array literal. */
static void read_array(struct parser *p, struct numbers *before, struct numbers *after, const struct node *array,
                       const char *what)
{
    const bool pairs = array->rank == 2 && p->program->extents[array->extents + 1] == 2;
    if (array->operand_count > 2 * WEFT_MAX_RANK || (!pairs && array->rank != 1)) {
        wrong(p, before->span, "widths are pairs, [[before, after], ..], one for each axis, or one integer for all");
        return;
    }
    for (int i = 0; i < array->operand_count; i++)
        parse_add_number(p, pairs && i % 2 ? after : before, operand_node(p->program, array, i), what);
    if (!pairs)
        make_flat(p, before, after);
}

static void read_named(struct parser *p, struct numbers *before, struct numbers *after, const char *what)
{
    const int first = p->program->node_count, node = parse_expression(p);
    before->span.end = after->span.end = p->previous.end;
    if (p->failed || !parse_fold(p, first))
        return;
    const struct node *value = named_node(p->program, &p->program->nodes[node]);
    if (value->kind == NODE_ARRAY) {
        read_array(p, before, after, value, what);
        return;
    }
    parse_add_number(p, before, &p->program->nodes[node], what);
    const bool sized = before->sizes != NULL;
    *after = *before;
    p->program->size_count += sized;
}

PARSE_APART void parse_widths(struct parser *p, struct numbers *before, struct numbers *after)
{
    *before = *after = (struct numbers){.given = true, .input = -1, .span = p->token.span};
    if (!parse_enter(p, p->token.span))
        return;
    const struct mark mark = parse_numbers_begin(p);
    const bool listed = closer_of(p) != TOKEN_END;
    (listed ? read_list : read_named)(p, before, after, "widths");
    p->nesting--;
    before->single = after->single = !listed && !before->flat && before->count == 1;
    before->span.end = after->span.end = p->previous.end;
    parse_numbers_end(p, mark, before->sizes || after->sizes);
}
