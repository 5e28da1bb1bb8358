/* Parses types: dtype [ '[' extents ']' ] [ '@' LAYOUT ], or dtype '(' dimensions ')'. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

/* Reports np.uint8 or types.UINT8: types are named without a module here. */
static enum weft_dtype in_module(struct parser *p, struct span span)
{
    const char *name = parse_path(p);
    span.end = p->previous.end;
    diag(p->diags, DIAG_UNKNOWN_TYPE, span, parse_text(p, span), parse_suggest_type(p, name));
    return WEFT_FLOAT32;
}

PARSE_APART enum weft_dtype parse_dtype(struct parser *p)
{
    struct span span = p->token.span;
    if (!parse_expect(p, TOKEN_NAME, "a type, as uint8 or float32"))
        return WEFT_FLOAT32;
    const char *name = parse_text(p, span);
    enum weft_dtype dtype = dtype_find(name, strlen(name));
    if (p->token.kind == TOKEN_DOT && p->next.kind == TOKEN_NAME && !p->failed)
        return in_module(p, span);
    if (dtype != WEFT_DTYPE_COUNT || p->failed)
        return dtype;
    const bool alone = span.start == 0, /* a type by itself */
               dims = alone && (p->token.kind == TOKEN_COMMA || p->token.kind == TOKEN_COLON);
    diag(p->diags, DIAG_UNKNOWN_TYPE, span, name,
         dims ? "; named dimensions stand in parentheses, as in (y, x, c:c)" : parse_suggest_type(p, name));
    return dims ? (enum weft_dtype)parse_fail(p) : WEFT_FLOAT32;
}

static int64_t size_variable(struct parser *p, struct span span)
{
    struct program *program = p->program;
    const char *name = parse_text(p, span);
    int index = map_find(&program->size_names, name, strlen(name));
    if (index < 0) {
        index = program->size_variable_count;
        map_put(&program->size_names, name, strlen(name), index);
        ARENA_PUSH(p->arena, program->size_variables, program->size_variable_count, name);
    }
    return EXTENT_VARIABLE - index;
}

int64_t parse_extent(struct parser *p)
{
    struct token token = p->token;
    if (parse_accept(p, TOKEN_QUESTION))
        return EXTENT_UNKNOWN;
    if (parse_accept(p, TOKEN_NAME))
        return p->failed ? 0 : size_variable(p, token.span);
    bool integer = token.kind == TOKEN_NUMBER && token.literal.kind == LITERAL_INTEGER;
    if (!integer)
        return parse_unexpected(p, "an extent: an integer, a name or '?'");
    parse_advance(p);
    if (token.literal.integer <= INT64_MAX)
        return (int64_t)token.literal.integer;
    diag(p->diags, DIAG_TYPE_FORM, token.span, "this extent does not fit int64");
    return parse_fail(p);
}

static void extents(struct parser *p, struct type *type)
{
    struct span opener = p->token.span;
    parse_advance(p);
    type->ranked = true;
    if (parse_accept(p, TOKEN_RBRACKET))
        return; /* a scalar: [] */
    do {
        if (type->rank == WEFT_MAX_RANK) {
            parse_too_many(p, p->token.span, WEFT_MAX_RANK, "dimensions");
            return;
        }
        type->extents[type->rank++] = parse_extent(p);
    } while (parse_more(p, TOKEN_RBRACKET));
    parse_close(p, opener, TOKEN_RBRACKET, "',' or ']'");
}

static void layout(struct parser *p, struct type *type)
{
    struct span span = p->token.span;
    if (!parse_expect(p, TOKEN_NAME, "a layout, as HWC"))
        return;
    const char *text = parse_text(p, span);
    size_t length = strlen(text);
    if (!layout_is_good(text) || length > WEFT_MAX_RANK)
        diag(p->diags, DIAG_TYPE_FORM, span, "a layout has one letter for each dimension, as HWC");
    else if (type->ranked && length != (size_t)type->rank)
        diag(p->diags, DIAG_TYPE_FORM, span,
             arena_printf(p->arena, "the layout has %d letter%s, the type %d dimension%s",
                          (int)length, length == 1 ? "" : "s", type->rank,
                          type->rank == 1 ? "" : "s"));
    else
        memcpy(type->layout, text, length + 1), type->has_layout = true;
}

/* `number` (rule 2.7), which has neither extents nor a layout. Returns false where another type stands. */
static bool number(struct parser *p, struct type *type)
{
    const struct span span = p->token.span;
    if (p->token.kind != TOKEN_NAME || strcmp(parse_text(p, span), "number") != 0)
        return false;
    parse_advance(p);
    type->number = type->ranked = true;
    if (p->token.kind == TOKEN_LBRACKET || p->token.kind == TOKEN_AT || p->token.kind == TOKEN_LPAREN) {
        diag(p->diags, DIAG_TYPE_FORM, span_join(span, p->token.span),
             "a number is a single value of the host, without extents and layout; write float64[n] or int64[n] for a "
             "tensor");
        parse_fail(p);
    }
    return true;
}

/* Takes the dimensions at '('. Without any it is a scalar, which is neither named nor positional. */
static void named(struct parser *p, struct type *type)
{
    const struct dims *dims = parse_dims(p);
    type->ranked = true;
    type->rank = dims->rank;
    type->dims = dims->rank ? dims : NULL;
    for (int d = 0; d < dims->rank; d++)
        type->extents[d] = dims->items[d].extent;
    if (p->token.kind == TOKEN_AT && !p->failed) {
        diag(p->diags, DIAG_TYPE_FORM, p->token.span,
             "a type with named dimensions has no layout; their names say more");
        parse_fail(p);
    }
}

void parse_type_here(struct parser *p, struct type *type, bool data)
{
    *type = (struct type){0};
    if (number(p, type))
        return;
    type->any_dtype = data && p->token.kind == TOKEN_LPAREN;
    type->dtype = type->any_dtype ? WEFT_FLOAT32 : parse_dtype(p);
    if (p->token.kind == TOKEN_LPAREN) {
        named(p, type);
        return;
    }
    if (p->token.kind == TOKEN_LBRACKET)
        extents(p, type);
    if (parse_accept(p, TOKEN_AT))
        layout(p, type);
    if (type->has_layout && !type->ranked) {
        type->ranked = true;       /* the number of letters is the number of dimensions */
        type->rank = (int)strlen(type->layout);
        for (int d = 0; d < type->rank; d++)
            type->extents[d] = EXTENT_UNKNOWN;
    }
}
