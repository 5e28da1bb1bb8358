/* Parses named dimensions (rule 8.1): of a type, and of an argument in quotes (rule 8.12). */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

const struct dims no_dims;

/* The dimensions while they are parsed. */
struct dim_list {
    struct parser *p;
    struct dim *items;
    int count;
    enum dims_form form;
};

/* ---- labels ---- */

/* Adds a label, unless it is wrong. */
static void add_label(struct parser *p, struct dim *dim, struct map *seen, struct span span)
{
    const bool quoted = p->source->text[span.start] == '"' || p->source->text[span.start] == '\'';
    const char *label = parse_text(p, quoted ? (struct span){span.start + 1, span.end - 1} : span);
    const char **labels = (const char **)dim->labels;
    if (!*label || strchr(label, ','))
        diag(p->diags, DIAG_DIM_NAME, span,
             *label ? "a label has no comma, which stands between labels" : "a label is not empty");
    else if (map_find(seen, label, strlen(label)) >= 0)
        diag(p->diags, DIAG_DIM_NAME, span,
             arena_printf(p->arena, "label '%.60s' stands twice; each element has a label of its own", label));
    map_put(seen, label, strlen(label), 1);
    ARENA_PUSH(p->arena, labels, dim->label_count, label);
    dim->labels = labels;
    dim->extent = dim->label_count;
}

/* '(' label {',' label} [','] ')' */
static void labels(struct parser *p, struct dim *dim)
{
    struct map seen = {.arena = p->arena};
    const struct span opener = p->token.span;
    parse_advance(p);
    do {
        const struct span span = p->token.span;
        if (p->token.kind != TOKEN_STRING && p->token.kind != TOKEN_NAME) {
            parse_unexpected(p, "a label: a name, or any text in quotes");
            return;
        }
        parse_advance(p);
        add_label(p, dim, &seen, span);
    } while (parse_more(p, TOKEN_RPAREN));
    parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
}

/* ---- names, kinds and sizes ---- */

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_DIM_NAME, span, message);
}

/* Reports a kind that there is not. */
static void unknown_kind(struct parser *p, struct span span, const char *text)
{
    static const char *const words[] = {"batch", "instance", "spatial", "channel"};
    wrong(p, span, arena_printf(p->arena, "there is no kind '%.40s' of dimensions%s; kinds are b (batch), i "
                                "(instance), s (spatial) and c (channel)", text, parse_suggest(p, text, words, 4)));
}

static void kind(struct parser *p, struct dim *dim)
{
    const struct span span = p->token.span;
    if (!parse_expect(p, TOKEN_NAME, "a kind: b, i, s or c"))
        return;
    const char *text = parse_text(p, span);
    dim->kind = dim_kind_find(text);
    if (dim->kind == DIM_KIND_COUNT) {
        unknown_kind(p, span, text);
        dim->kind = DIM_SPATIAL;
    }
}

/* Sets the kind where none is written. */
static void default_kind(struct dim_list *list, struct dim *dim)
{
    const enum dim_kind word = dim_kind_of_word(dim->name);
    const bool letter = strlen(dim->name) == 1;
    if (dim->kind == DIM_KIND_COUNT && list->form != DIMS_RENAME) {
        dim->kind = dim->labels ? DIM_CHANNEL : DIM_SPATIAL;
        if (!dim->labels && !letter) {
            wrong(list->p, dim->span,
                  arena_printf(list->p->arena, "the kind of dimension '%.40s' is not written, as in %.40s:%c for a "
                               "%s one; kinds are b (batch), i (instance), s (spatial) and c (channel)", dim->name,
                               dim->name, *dim_kind_word(word != DIM_KIND_COUNT ? word : DIM_SPATIAL),
                               dim_kind_word(word != DIM_KIND_COUNT ? word : DIM_SPATIAL)));
            return;
        }
    }
    if (word != DIM_KIND_COUNT && dim->kind != word && dim->kind != DIM_KIND_COUNT)
        wrong(list->p, dim->span, arena_printf(list->p->arena, "'%s' is the word for dimensions of a kind, so a "
                                               "dimension of this name is of that kind; give this one another name",
                                               dim->name));
}

/* '=' (INTEGER | NAME | '?' | labels) */
static void size(struct dim_list *list, struct dim *dim)
{
    struct parser *p = list->p;
    const struct span span = p->token.span;
    if (list->form == DIMS_RENAME && p->token.kind != TOKEN_LPAREN)
        wrong(p, span, "a dimension that gets another name keeps its size, which is not written");
    if (p->token.kind == TOKEN_LPAREN)
        labels(p, dim);
    else if (list->form == DIMS_TYPE || p->token.kind == TOKEN_NUMBER)
        dim->extent = parse_extent(p);
    else
        parse_unexpected(p, "a size, which is an integer here, or labels in ( )");
}

/* The name of a dimension. NULL, with a diagnostic, where there is none. */
static const char *name(struct dim_list *list)
{
    struct parser *p = list->p;
    const struct span span = p->token.span;
    const char *text = parse_text(p, span);
    if (span.end > span.start && dim_name_is_word(text)) {
        wrong(p, span, arena_printf(p->arena, "'%s' is a word of the language and names no dimension", text));
        parse_fail(p);
        return NULL;
    }
    return parse_expect(p, TOKEN_NAME, "a dimension, as x:s, b:b=8 or vector:c=(u,v)") ? text : NULL;
}

/* NAME [':' kind] ['=' size] | labels */
static void dimension(struct dim_list *list)
{
    struct parser *p = list->p;
    struct dim dim = {.name = "vector", .kind = DIM_KIND_COUNT, .extent = EXTENT_UNKNOWN, .span = p->token.span};
    if (p->token.kind == TOKEN_LPAREN) {
        dim.kind = DIM_CHANNEL;
        labels(p, &dim);
    } else if ((dim.name = name(list))) {
        if (parse_accept(p, TOKEN_COLON))
            kind(p, &dim);
        if (parse_accept(p, TOKEN_ASSIGN))
            size(list, &dim);
    }
    if (p->failed)
        return;
    dim.span.end = p->previous.end;
    default_kind(list, &dim);
    if (list->count == WEFT_MAX_RANK)
        parse_too_many(p, dim.span, WEFT_MAX_RANK, "dimensions");
    else if (dims_find(&(struct dims){list->count, list->items}, dim.name) >= 0)
        wrong(p, dim.span, arena_printf(p->arena, "dimension '%.60s' stands twice", dim.name));
    else
        ARENA_PUSH(p->arena, list->items, list->count, dim);
}

static const struct dims *finish(const struct dim_list *list)
{
    const struct dims dims = {list->count, list->items};
    list->p->program->named = true;
    return arena_copy(list->p->arena, &dims, sizeof dims);
}

const struct dims *parse_dims(struct parser *p)
{
    struct dim_list list = {.p = p, .form = DIMS_TYPE};
    const struct span opener = p->token.span;
    parse_advance(p);
    if (p->token.kind != TOKEN_RPAREN)
        do
            dimension(&list);
        while (parse_more(p, TOKEN_RPAREN));
    if (p->token.kind == TOKEN_NAME)
        parse_wrong(p, p->token.span, "',' is missing between two dimensions");
    else
        parse_close(p, opener, TOKEN_RPAREN, "',' or ')'");
    return finish(&list);
}

/* ---- in quotes ---- */

const struct dims *parse_dims_text(struct parser *p, enum dims_form form)
{
    const struct span span = p->token.span;
    struct parser inner = {.arena = p->arena, .diags = p->diags, .source = p->source, .program = p->program,
                           .lexer = p->lexer, .shift = p->shift + span.start + 1};
    struct dim_list list = {.p = &inner, .form = form};
    if (!parse_accept(p, TOKEN_STRING)) {
        parse_unexpected(p, form == DIMS_RENAME ? "names of dimensions in quotes, as \"z\" or \"z:i, w\""
                                                : "dimensions in quotes, as \"x:s, vector:c=(u,v)\"");
        return &no_dims;
    }
    const size_t length = span.end - span.start - 2;
    inner.lexer.text = inner.lexer.cursor = arena_string(p->arena, p->source->text + span.start + 1, length);
    inner.lexer.limit = inner.lexer.cursor + length;
    parse_begin(&inner);
    inner.previous = (struct span){span.start + 1, span.start + 1};
    if (inner.token.kind != TOKEN_END)
        do
            dimension(&list);
        while (parse_more(&inner, TOKEN_END));
    if (inner.token.kind == TOKEN_NAME)
        parse_wrong(&inner, inner.token.span, "',' is missing between two dimensions");
    else if (inner.token.kind != TOKEN_END)
        parse_unexpected(&inner, "',' or the end of the dimensions");
    return finish(&list);
}
