/* What a name may be meant as that the text only reads as an input. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

static const struct habit {
    const char *name, *advice;
} names[] = {
#define NAME_HABIT(name, advice) {name, advice},
#include "grammar/hints.def"
}, calls[] = {
#define DIM_HABIT(function, advice) {function, advice},
#include "grammar/hints.def"
};

/* The tokens of a text. The last one is its end. */
struct tokens {
    struct arena *arena;
    const char *text;
    struct token *items;
    int count;
};

static struct tokens all_tokens(struct arena *arena, const struct source *source)
{
    struct tokens all = {arena, source->text, NULL, 0};
    struct lexer lexer;
    lex_init(&lexer, arena, source);
    do
        ARENA_PUSH(arena, all.items, all.count, lex_next(&lexer));
    while (all.items[all.count - 1].kind != TOKEN_END);
    return all;
}

static bool is(const struct tokens *all, int i, enum token_kind kind)
{
    return i >= 0 && i < all->count && all->items[i].kind == kind;
}

static bool reads(const struct tokens *all, int i, const char *word)
{
    const struct span span = all->items[i].span;
    return text_is(all->text + span.start, span.end - span.start, word);
}

/* From one token to another, or ".." where that is too long to repeat. */
static const char *written(const struct tokens *all, int first, int last)
{
    const size_t start = all->items[first].span.start, length = all->items[last].span.end - start;
    return last < first || length > 60 ? ".." : arena_string(all->arena, all->text + start, length);
}

/* The '(' of the call that has this token among its arguments; -1: none. */
static int call_around(const struct tokens *all, int at)
{
    int depth = 0;
    for (at--; at > 0; at--) {
        if (is(all, at, TOKEN_RPAREN) || is(all, at, TOKEN_RBRACKET))
            depth++;
        else if ((is(all, at, TOKEN_LPAREN) || is(all, at, TOKEN_LBRACKET)) && depth-- == 0)
            return is(all, at, TOKEN_LPAREN) && is(all, at - 1, TOKEN_NAME) ? at : -1;
    }
    return -1;
}

/* The last token of a call's first argument. */
static int first_argument(const struct tokens *all, int call)
{
    int depth = 0, at = call + 1;
    for (; at < all->count - 1; at++) {
        const bool closes = is(all, at, TOKEN_RPAREN) || is(all, at, TOKEN_RBRACKET);
        if (depth == 0 && (closes || is(all, at, TOKEN_COMMA)))
            break;
        depth += is(all, at, TOKEN_LPAREN) || is(all, at, TOKEN_LBRACKET);
        depth -= closes;
    }
    return at - 1;
}

static const char *filled_in(const struct tokens *all, const char *advice, const char *argument, const char *name)
{
    struct buf text = buf_new(all->arena);
    for (; *advice; advice++) {
        if (*advice == '$' || *advice == '%')
            buf_puts(&text, *advice == '$' ? argument : name);
        else
            buf_printf(&text, "%c", *advice);
    }
    return text.text;
}

/* Where a call takes a dimension in another way, or its second operand is a number: max(u, x). */
static const char *as_dimension(const struct tokens *all, int at, const char *name)
{
    const int call = is(all, at - 1, TOKEN_COMMA) || is(all, at - 1, TOKEN_ASSIGN) ? call_around(all, at) : -1;
    if (call < 0)
        return NULL;
    const int last = first_argument(all, call);
    const char *argument = written(all, call + 1, last);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (reads(all, call - 1, calls[i].name))
            return filled_in(all, calls[i].advice, argument, name);
    const bool second = last == at - 2 && is(all, at + 1, TOKEN_RPAREN);
    return second && (reads(all, call - 1, "min") || reads(all, call - 1, "max"))
               ? arena_printf(all->arena, "%s(%s, axes=%s)", written(all, call - 1, call - 1), argument, name) : NULL;
}

const char *parse_meant(struct arena *arena, const struct source *source, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return arena_printf(arena, "if the constant is meant, write %s", names[i].advice);
    const struct tokens all = all_tokens(arena, source);
    for (int at = 0; at < all.count; at++) {
        if (!is(&all, at, TOKEN_NAME) || !reads(&all, at, name))
            continue;
        if (is(&all, at - 1, TOKEN_LBRACKET) && is(&all, at + 1, TOKEN_RBRACKET) && is(&all, at - 2, TOKEN_NAME) &&
            is(&all, at - 3, TOKEN_DOT))
            return arena_printf(arena, "if '%s' is a label, write .%s['%s']", name, written(&all, at - 2, at - 2),
                                name);
        const char *dimension = as_dimension(&all, at, name);
        if (dimension)
            return arena_printf(arena, "if '%s' is a dimension, write %s", name, dimension);
    }
    return NULL;
}
