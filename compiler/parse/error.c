/* Reports what the parser cannot read. Places are chosen for the reader: a mistake at the end of a line is shown just
 * after the last word, a bracket that is never closed where it was opened. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

int parse_fail(struct parser *p)
{
    p->failed = true;
    p->token.kind = p->next.kind = TOKEN_END;
    p->token.infix = p->token.prefix = OP_COUNT;
    return 0;
}

int parse_wrong(struct parser *p, struct span span, const char *message)
{
    diag(p->diags, DIAG_SYNTAX, span, message);
    return parse_fail(p);
}

int parse_too_many(struct parser *p, struct span span, int most, const char *what)
{
    diag(p->diags, DIAG_TOO_MANY, span, most, what);
    return parse_fail(p);
}

/* Advice on a character that texts are copied with, at its first byte; "" for others. */
static const char *character_advice(const struct source *source, uint32_t at)
{
    static const struct { const char *bytes, *advice; } characters[] = {
        {"\xe2\x88\x92", "; write '-'"}, {"\xe2\x80\x93", "; write '-'"}, {"\xe2\x80\x94", "; write '-'"},
        {"\xc3\x97", "; write '*'"}, {"\xc2\xb7", "; write '*'"}, {"\xe2\x8b\x85", "; write '*'"},
        {"\xc3\xb7", "; write '/'"}, {"\xc2\xb2", "; write '** 2'"}, {"\xc2\xb3", "; write '** 3'"},
        {"\xe2\x88\x9a", "; write sqrt(x)"}, {"\xcf\x80", "; write pi"}, {"\xe2\x88\x9e", "; write inf"},
        {"\xe2\x89\xa4", "; write '<='"}, {"\xe2\x89\xa5", "; write '>='"}, {"\xe2\x89\xa0", "; write '!='"},
        {"\xe2\x80\x9c", "; write '\"'"}, {"\xe2\x80\x9d", "; write '\"'"},
        {"\xe2\x80\x98", "; write \"'\""}, {"\xe2\x80\x99", "; write \"'\""},
        {"\xc2\xa0", "; write a blank"}};
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        const size_t length = strlen(characters[i].bytes);
        if (at + length <= source->length && memcmp(source->text + at, characters[i].bytes, length) == 0)
            return characters[i].advice;
    }
    return "";
}

bool parse_report_bad(struct diags *diags, const struct source *source, const struct token *token)
{
    const uint32_t at = token->span.start;
    const unsigned byte = (unsigned char)source->text[at];
    switch (token->bad) {
    case DIAG_BAD_BYTE: return diag(diags, DIAG_BAD_BYTE, token->span, byte, character_advice(source, at));
    case DIAG_BAD_NUMBER: return diag(diags, DIAG_BAD_NUMBER, token->span, token->message);
    case DIAG_TOO_MANY: return diag(diags, DIAG_TOO_MANY, token->span, (int)MAX_NAME, token->message);
    default: return diag(diags, DIAG_UNBALANCED, token->span, token->message);
    }
}

static const char *describe(struct parser *p)
{
    static const char *const texts[TOKEN_COUNT] = {
#define TOKEN(id, text) [TOKEN_##id] = text,
#include "grammar/tokens.def"
    };
    const struct token *token = &p->token;
    uint32_t length = token->span.end - token->span.start;
    bool semicolon = token->kind == TOKEN_NEWLINE && p->source->text[token->span.start] == ';';
    if (token->kind == TOKEN_END || token->kind == TOKEN_STRING ||
        (token->kind == TOKEN_NEWLINE && !semicolon))
        return texts[token->kind];
    return arena_printf(p->arena, length > 40 ? "'%.*s...'" : "'%.*s'",
                        (int)(length > 40 ? 40 : length), p->source->text + token->span.start);
}

/* Where to point. The end of a line or text is invisible, so the place is just after the token before it. */
static struct span place_of(const struct parser *p)
{
    const struct token *token = &p->token;
    bool end = token->kind == TOKEN_END || token->kind == TOKEN_NEWLINE;
    bool semicolon = token->kind == TOKEN_NEWLINE && p->source->text[token->span.start] == ';';
    if (!end || semicolon)
        return token->span;
    return (struct span){p->previous.end, p->previous.end};
}

static const struct habit {
    const char *text, *advice;
} habits[] = {
#define HABIT(text, advice) {text, advice},
#include "grammar/hints.def"
};

static bool starts(const struct parser *p, uint32_t at, const char *text)
{
    size_t length = strlen(text);
    return at + length <= p->source->length && memcmp(p->source->text + at, text, length) == 0;
}

/* Whether the habit's text is at the current token, or began with the token before it. */
static bool matches(const struct parser *p, const struct habit *habit)
{
    size_t length = strlen(habit->text);
    struct span here = p->token.span, before = p->previous;
    if (is_letter(habit->text[0]))
        return (here.end - here.start == length && starts(p, here.start, habit->text)) ||
               (before.end - before.start == length && starts(p, before.start, habit->text));
    bool joined = before.end > before.start && before.end == here.start;
    return (starts(p, here.start, habit->text) && length >= here.end - here.start) ||
           (joined && starts(p, before.start, habit->text) && before.start + length > here.start);
}

static const char *advice(const struct parser *p)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (p->token.kind != TOKEN_END && matches(p, &habits[i]))
            return habits[i].advice;
    return NULL;
}

/* Whether the current token is an operator at the beginning of a line. */
static bool goes_on(const struct parser *p)
{
    uint32_t at = p->token.span.start;
    while (at > 0 && (p->source->text[at - 1] == ' ' || p->source->text[at - 1] == '\t'))
        at--;
    return at > 0 && p->source->text[at - 1] == '\n' && p->token.infix != OP_COUNT;
}

/* Whether a list ends in a comma. */
static bool after_comma(const struct parser *p)
{
    enum token_kind kind = p->token.kind;
    bool ends = kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_NEWLINE ||
                kind == TOKEN_END || kind == TOKEN_RBRACE;
    return ends && p->previous.end > p->previous.start && p->source->text[p->previous.start] == ',';
}

/* Whether a comma stands between digits, as many languages write numbers. */
static bool is_decimal_comma(const struct parser *p)
{
    const uint32_t at = p->token.span.start;
    const char *text = p->source->text;
    return at > 0 && at + 1 < p->source->length && text[at - 1] >= '0' && text[at - 1] <= '9' && text[at + 1] >= '0' &&
           text[at + 1] <= '9';
}

int parse_unexpected(struct parser *p, const char *expected)
{
    if (p->failed)
        return 0;
    const char *hint = advice(p);
    if (!hint && p->source->text[p->token.span.start] == ';' && strstr(expected, "']'"))
        hint = "rows are lists of their own, as in [[1, 2], [3, 4]]";
    if (!hint && goes_on(p))
        hint = "an expression goes on over lines inside ( )";
    if (hint)
        expected = arena_printf(p->arena, "%s; %s", expected, hint);
    else if (after_comma(p))
        expected = arena_printf(p->arena, "%s; remove the ',' before it", expected);
    diag(p->diags, DIAG_UNEXPECTED, place_of(p), describe(p), expected);
    return parse_fail(p);
}

const char *parse_path(struct parser *p)
{
    const char *name = "";
    while (p->token.kind == TOKEN_DOT && p->next.kind == TOKEN_NAME) {
        name = parse_text(p, p->next.span);
        parse_advance(p), parse_advance(p);
    }
    return name;
}

static bool is_conversion_name(const char *name)
{
    return strcmp(name, "cast") == 0 || strcmp(name, "wrap") == 0 ||
           dtype_find(name, strlen(name)) != WEFT_DTYPE_COUNT;
}

/* The name before a dot, where it is that of a value; NULL: it is a module's, or something else. */
static const char *receiver_name(struct parser *p, struct span receiver)
{
    static const char *const modules[] = {"np", "numpy", "math", "torch", "F", "tf", "jnp", "jax", "cp", "cupy", "cv2",
                                          "cv", "scipy", "special", "ndimage", "weft", "fn", "pd", "xp", "functional"};
    const char *value = parse_text(p, receiver);
    bool is_value = receiver.end - receiver.start <= 30 && is_letter(*value);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        is_value = is_value && strcmp(value, modules[i]) != 0;
    return is_value ? value : NULL;
}

/* What x.name(..) is here: name(x, ..) where x is a name of a value. */
static const char *as_call(struct parser *p, const char *name, struct span receiver, bool single)
{
    const char *value = receiver_name(p, receiver);
    if (!value || !single)
        return arena_printf(p->arena, "%s(...)", name);
    if (p->token.kind != TOKEN_LPAREN)
        return arena_printf(p->arena, "%s(%s)", name, value);
    return arena_printf(p->arena, p->next.kind == TOKEN_RPAREN ? "%s(%s)" : "%s(%s, ...)", name, value);
}

/* An advice about `x` on the value that stands before the dot. */
static const char *advice_on(struct parser *p, const char *text, struct span receiver)
{
    const char *value = receiver_name(p, receiver), *done = "";
    for (const char *at = text; value && *at; at++) {
        const char before = at > text ? at[-1] : ' ';
        if (*at != 'x' || is_letter(before) || is_digit(before) || strchr("_.", before) || is_letter(at[1]) ||
            is_digit(at[1]) || at[1] == '_')
            continue;
        done = arena_printf(p->arena, "%s%.*s%s", done, (int)(at - text), text, value);
        text = at + 1;
    }
    return *done ? arena_printf(p->arena, "%s%s", done, text) : text;
}

/* What x.astype(type) is here, by the type in the ( ), which may stand in quotes or belong to a module. */
static const char *conversion_advice(struct parser *p, struct span receiver)
{
    const char *value = receiver_name(p, receiver), *at = p->source->text + p->token.span.end;
    const char *word = at += strspn(at, " '\"");
    while (is_letter(*at) || is_digit(*at) || *at == '_' || *at == '.')
        word = *at++ == '.' ? at : word;
    const char *name = arena_printf(p->arena, "%.*s", (int)(at - word), word);
    if (strlen(name) == 2 && is_digit(name[1])) /* NumPy's i4, in bytes */
        name = arena_printf(p->arena, "%c%d", *name, 8 * (name[1] - '0'));
    const char *type = parse_type_habit(name);
    const char *wide = strcmp(name, "float") == 0 ? "float64" : strcmp(name, "int") == 0 ? "int64" : NULL;
    value = value ? value : "x";
    return wide ? arena_printf(p->arena, "write the type's name as a function: %s(%s), or %s(%s)", type, value, wide,
                               value)
                : arena_printf(p->arena, "write the type's name as a function: %s(%s)", type ? type : "uint8", value);
}

/* Reports x.dim.label. */
static void label_by_dot(struct parser *p, struct span dot, struct span receiver, const char *label)
{
    const char *dim = p->source->text + dot.end, *value = parse_text(p, receiver);
    const int length = (int)strcspn(dim, ". \t\r\n");
    const bool is_value = receiver.end - receiver.start <= 30 && is_letter(*value);
    diag(p->diags, DIAG_SYNTAX, dot,
         arena_printf(p->arena, "'.' selects along a named dimension and takes an item in [ ], a label in quotes, as "
                      "in %s.%.*s['%.40s']", is_value ? value : "u", length > 40 ? 40 : length, dim, label));
}

/* What x.transpose(y, x) is here, else how the function is called. */
static const char *view_call(struct parser *p, enum view_kind view, struct span receiver)
{
    const char *value = receiver_name(p, receiver), *text = p->source->text + p->token.span.end;
    const int length = (int)strcspn(text, ")\n");
    bool names = value && view == VIEW_TRANSPOSE && p->token.kind == TOKEN_LPAREN && is_letter(*text) && length <= 60;
    for (int i = 0; i < length && names; i++)
        names = is_letter(text[i]) || is_digit(text[i]) || text[i] == '_' || text[i] == ',' || text[i] == ' ';
    return names ? arena_printf(p->arena, "transpose(%s, [%.*s])", value, length, text) : view_rows[view].signature;
}

/* What u.v may mean: v is a dimension, a label, or a column. */
static const char *dot_advice(struct parser *p, const char *name, struct span receiver)
{
    const char *value = receiver_name(p, receiver);
    value = value ? value : "u";
    return arena_printf(p->arena, "'.' selects along a named dimension and takes an item in [ ], as in %s.%.40s[0] or "
                        "%s.%.40s[1:-1]; the label '%.40s' of a dimension vector is %s.vector['%.40s']; of a DataFrame "
                        "df write %.40s, and weft.evaluate(text, df)", value, name, value, name, name, value, name,
                        name);
}

/* Reports x.y: a function of a module, or a selection along a named dimension. */
static int unexpected_dot(struct parser *p)
{
    const struct span dot = p->token.span;
    const struct span receiver = p->previous.end == dot.start ? p->previous : dot;
    const char *name = parse_path(p);
    const bool single = p->previous.start == dot.end;
    const struct word *word = lex_word(&p->lexer, name, strlen(name));
    enum view_kind view = view_find(name);
    bool reduction = reduction_find(name) != REDUCTION_COUNT;
    const char *attribute = p->token.kind == TOKEN_LPAREN ? NULL : parse_attribute_habit(name);
    const char *habit = attribute ? attribute : parse_call_habit(name), *type = parse_type_habit(name);
    if (habit && single)
        habit = p->token.kind == TOKEN_LPAREN && strstr(habit, "write the type's name") ? conversion_advice(p, receiver)
                                                                                 : advice_on(p, habit, receiver);
    if (view != VIEW_KIND_COUNT)
        diag(p->diags, DIAG_SYNTAX, dot,
             arena_printf(p->arena, "functions are called by their name alone; write %s",
                          view_call(p, view, receiver)));
    else if (habit)
        diag(p->diags, DIAG_SYNTAX, dot,
             arena_printf(p->arena, "there is no '%s'; %s", name, habit));
    else if (type || reduction || (word && word->function != OP_COUNT) || is_conversion_name(name))
        diag(p->diags, DIAG_SYNTAX, dot,
             arena_printf(p->arena, "functions are called by their name alone; write %s",
                          as_call(p, type ? type : name, receiver, single)));
    else if (resolve_constant(name) >= 0)
        diag(p->diags, DIAG_SYNTAX, dot,
             arena_printf(p->arena, "constants are called by their name alone; write %s", name));
    else if (*name && p->token.kind == TOKEN_LPAREN)
        diag(p->diags, DIAG_UNKNOWN_FUNCTION, dot, name, parse_suggest_function(p, name));
    else if (*name && !single)
        label_by_dot(p, dot, receiver, name);
    else
        diag(p->diags, DIAG_SYNTAX, dot,
             dot_advice(p, *name ? name : "x", receiver));
    return parse_fail(p);
}

/* C's conversion: (uint8_t)x, (float)(a + b). NULL: what stands in the ( ) is no type. */
static const char *conversion_of_c(struct parser *p)
{
    const struct span close = p->previous;
    const char *text = p->source->text;
    size_t start = close.start;
    while (start > 0 && (is_letter(text[start - 1]) || is_digit(text[start - 1]) || text[start - 1] == '_'))
        start--;
    if (text[close.start] != ')' || start == 0 || text[start - 1] != '(' || start == close.start)
        return NULL;
    size_t end = close.start;
    if (end - start > 2 && strncmp(text + end - 2, "_t", 2) == 0)
        end -= 2;
    const char *name = arena_printf(p->arena, "%.*s", (int)(end - start), text + start);
    const char *type = parse_type_habit(name);
    return type ? type : dtype_find(name, strlen(name)) != WEFT_DTYPE_COUNT ? name : NULL;
}

/* What a declaration of C, as in `float y = x`, is here; NULL: the text is none. */
static const char *declaration_of_c(struct parser *p)
{
    const char *name = parse_text(p, p->token.span), *before = parse_text(p, p->previous);
    const char *type = parse_type_habit(before);
    if (p->token.kind != TOKEN_NAME || p->next.kind != TOKEN_ASSIGN || (!type && strcmp(before, "auto") != 0))
        return NULL;
    return type ? arena_printf(p->arena, "a name is bound without a type; write %s = %s(...)", name, type)
                : arena_printf(p->arena, "a name is bound without a type; write %s = ...", name);
}

static int missing_operator(struct parser *p)
{
    const char *declaration = declaration_of_c(p);
    if (declaration)
        return parse_wrong(p, p->token.span, declaration);
    const char *conversion = conversion_of_c(p);
    if (conversion)
        return parse_wrong(p, p->token.span, arena_printf(p->arena, "conversions are calls; write %s(...) around the "
                                                          "value", conversion));
    struct span left = p->previous, right = p->token.span;
    const char *text = p->source->text, *message = "an operator is missing between two values";
    int left_size = (int)(left.end - left.start), right_size = (int)(right.end - right.start);
    const struct word *word = lex_word(&p->lexer, text + left.start, (size_t)left_size);
    bool type = dtype_find(text + left.start, (size_t)left_size) != WEFT_DTYPE_COUNT;
    bool item = p->nesting > 0 && p->token.kind == TOKEN_NUMBER;
    const char *behind = text + right.end + strspn(text + right.end, " ");
    const bool argument = p->nesting > 0 && p->token.kind == TOKEN_NAME && behind[0] == '=' && behind[1] != '=';
    const char *format = type || (word && word->function != OP_COUNT)
                             ? "arguments stand in ( ): write %.*s(%.*s)"
                         : argument ? "',' is missing, as in %.*s, %.*s=.."
                         : item     ? "',' or an operator is missing, as in %.*s, %.*s"
                                    : "an operator is missing, as in %.*s * %.*s";
    if (text[left.start] == ')' || text[left.start] == ']')
        message = arena_printf(p->arena, "an operator is missing after '%c'", text[left.start]);
    else if (left_size <= 30 && right_size <= 30 && p->token.kind != TOKEN_LPAREN)
        message = arena_printf(p->arena, format, left_size, text + left.start, right_size,
                               text + right.start);
    return parse_wrong(p, right, message);
}

/* Reports '[' where no selection can be: after a row of an array literal, or after a type. */
static int unexpected_bracket(struct parser *p, const char *expected)
{
    struct span before = p->previous;
    bool type = dtype_find(p->source->text + before.start, before.end - before.start) != WEFT_DTYPE_COUNT;
    if (p->source->text[before.start] == ']' && strstr(expected, "']'"))
        return parse_wrong(p, p->token.span, "',' is missing between two rows of an array literal");
    return type ? parse_wrong(p, p->token.span, "the type of an element stands here, without extents")
                : parse_unexpected(p, expected);
}

int parse_unexpected_after(struct parser *p, const char *expected)
{
    if (p->failed || advice(p))
        return parse_unexpected(p, expected);
    switch (p->token.kind) {
    case TOKEN_DOT:
        return unexpected_dot(p);
    case TOKEN_LBRACKET:
        return unexpected_bracket(p, expected);
    case TOKEN_NAME: case TOKEN_NUMBER: case TOKEN_LPAREN:
        return missing_operator(p);
    case TOKEN_LBRACE:
        return parse_unexpected(p, arena_printf(p->arena, "%s; elements are selected in [ ], as in x[0]", expected));
    case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE:
        diag(p->diags, DIAG_UNBALANCED, p->token.span,
             arena_printf(p->arena, "this '%c' closes nothing",
                          p->source->text[p->token.span.start]));
        return parse_fail(p);
    case TOKEN_COMMA:
        if (is_decimal_comma(p))
            expected = arena_printf(p->arena, "%s; the decimal point of numbers is '.', as in 0.5", expected);
        else if (!p->in_numbers && strncmp(expected, "an operator", 11) == 0)
            expected = arena_printf(p->arena, "%s; several results are 'return a, b', an array is [1, 2]%s", expected,
                                    strstr(expected, "')'") ? ", operands of a call have no ( ) of their own" : "");
        return parse_unexpected(p, expected);
    default:
        return parse_unexpected(p, expected);
    }
}

/* Whether the current token is the first on its line and the bracket was opened on an earlier one. Then the bracket is
 * reported, not the token. */
static bool on_later_line(const struct parser *p, struct span opener)
{
    size_t from = p->previous.end, to = p->token.span.start;
    return opener.end <= from && from < to && memchr(p->source->text + from, '\n', to - from);
}

bool parse_close(struct parser *p, struct span opener, enum token_kind kind, const char *expected)
{
    if (p->failed || parse_accept(p, kind))
        return !p->failed;
    enum token_kind found = p->token.kind;
    char bracket = p->source->text[opener.start];
    if (found == TOKEN_END || (on_later_line(p, opener) && found != TOKEN_RPAREN &&
                               found != TOKEN_RBRACKET && found != TOKEN_RBRACE)) {
        diag(p->diags, DIAG_UNBALANCED, opener,
             arena_printf(p->arena, "this '%c' is never closed", bracket));
        return parse_fail(p);
    }
    if (found == TOKEN_RPAREN || found == TOKEN_RBRACKET || found == TOKEN_RBRACE) {
        diag_at(p->diags, DIAG_UNBALANCED, ((struct span[]){p->token.span, opener}), 2,
                arena_printf(p->arena, "this '%c' does not close '%c'",
                             p->source->text[p->token.span.start], bracket));
        return parse_fail(p);
    }
    return parse_unexpected_after(p, expected);
}
