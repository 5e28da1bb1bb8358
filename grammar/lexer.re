/* The lexer: text to tokens, see compiler/lang/lex.h. re2c makes lexer.c of this file.
 *
 * Invariant: the copied text ends in a NUL that no rule but the last passes, so the scanner needs no
 * bounds. Operators are not listed here: a run of operator characters is cut into the longest
 * spellings of ops.def. */
#include "compiler/lang/lang.h"

#include <string.h>

enum { LONGEST_OPERATOR = 3 };

static struct word *word_of(struct lexer *lexer, const char *text, size_t length)
{
    int index = map_find(&lexer->words, text, length);
    if (index >= 0)
        return &lexer->rows[index];
    map_put(&lexer->words, text, length, lexer->row_count);
    ARENA_PUSH(lexer->arena, lexer->rows, lexer->row_count,
               ((struct word){text, length, TOKEN_NAME, OP_COUNT, OP_COUNT, OP_COUNT}));
    return &lexer->rows[lexer->row_count - 1];
}

/* The first spelling of an operator row is the operator; every other is a function. */
static void add_spelling(struct lexer *lexer, enum op op, int index, const char *text,
                         size_t length)
{
    enum op_form form = op_rows[op].form;
    struct word *word = word_of(lexer, text, length);
    bool infix = form == FORM_INFIX || form == FORM_RIGHT || form == FORM_CHAINLESS;
    bool operator_ = index == 0 && (infix || form == FORM_PREFIX);
    if (operator_)
        word->kind = TOKEN_OPERATOR;
    *(!operator_ ? &word->function : infix ? &word->infix : &word->prefix) = op;
}

static void add_rows(struct lexer *lexer)
{
    size_t length;
    const char *text;
    for (int op = 0; op < OP_COUNT; op++) {
        if (op_rows[op].form == FORM_INTERNAL)
            continue;
        for (int i = 0; (text = word_at(op_rows[op].spellings, i, &length)); i++)
            add_spelling(lexer, (enum op)op, i, text, length);
        if (op_rows[op].form == FORM_TERNARY)
            word_of(lexer, "if", 2)->infix = (enum op)op;
    }
#define KEYWORD(id, text) word_of(lexer, text, strlen(text))->kind = TOKEN_##id;
#include "grammar/tokens.def"
}

void lex_init(struct lexer *lexer, struct arena *arena, const struct source *source)
{
    *lexer = (struct lexer){.arena = arena, .words = {.arena = arena}};
    lexer->text = lexer->cursor = arena_string(arena, source->text, source->length);
    lexer->limit = lexer->text + source->length;
    add_rows(lexer);
}

const struct word *lex_word(const struct lexer *lexer, const char *text, size_t length)
{
    int index = map_find(&lexer->words, text, length);
    return index < 0 ? NULL : &lexer->rows[index];
}

static struct token make(const struct lexer *lexer, enum token_kind kind, const char *start)
{
    return (struct token){
        .kind = kind, .infix = OP_COUNT, .prefix = OP_COUNT,
        .span = {(uint32_t)(start - lexer->text), (uint32_t)(lexer->cursor - lexer->text)}};
}

static struct token bad(const struct lexer *lexer, enum diag_id id, const char *start,
                        const char *message)
{
    struct token token = make(lexer, TOKEN_BAD, start);
    token.bad = id;
    token.message = message;
    return token;
}

static struct token number(const struct lexer *lexer, enum number_form form, const char *start)
{
    struct token token = make(lexer, TOKEN_NUMBER, start);
    const char *message = number_read(lexer->arena, form, start, (size_t)(lexer->cursor - start),
                                      &token.literal);
    return message ? bad(lexer, DIAG_BAD_NUMBER, start, message) : token;
}

static struct token named(const struct lexer *lexer, const char *start)
{
    size_t length = (size_t)(lexer->cursor - start);
    const struct word *word = lex_word(lexer, start, length);
    struct token token = make(lexer, word ? word->kind : TOKEN_NAME, start);
    if (length > MAX_NAME)
        return bad(lexer, DIAG_TOO_MANY, start, "letters in a name");
    if (word && word->kind != TOKEN_NAME)
        token.infix = word->infix, token.prefix = word->prefix;
    return token;
}

static struct token symbol(struct lexer *lexer, const char *start)
{
    for (int length = LONGEST_OPERATOR; length > 0; length--) {
        if (lexer->limit - start < length)
            continue;
        const struct word *word = lex_word(lexer, start, (size_t)length);
        if (!word || word->kind != TOKEN_OPERATOR)
            continue;
        lexer->cursor = start + length;
        struct token token = make(lexer, TOKEN_OPERATOR, start);
        token.infix = word->infix, token.prefix = word->prefix;
        return token;
    }
    return make(lexer, *start == '=' ? TOKEN_ASSIGN : TOKEN_OTHER, start);
}

/* Whether a quote stands right behind a name or a bracket, as in x'. */
static bool follows_operand(const struct lexer *lexer, const char *start)
{
    const char before = start > lexer->text ? start[-1] : ' ';
    return *start == '\'' && (is_letter(before) || (before >= '0' && before <= '9') || before == ')' || before == ']' ||
                              before == '.');
}

static struct token string(struct lexer *lexer, const char *start)
{
    const char *end = start + 1;
    while (*end >= ' ' && *end <= '~' && *end != *start)
        end++;
    if (end < lexer->limit && *end != *start && *end != '\n') {
        lexer->cursor = end + 1;
        return bad(lexer, DIAG_BAD_BYTE, end, NULL);
    }
    bool closed = end < lexer->limit && *end == *start;
    lexer->cursor = end + closed;
    if (!closed)
        return bad(lexer, DIAG_UNBALANCED, start, follows_operand(lexer, start)
                                                      ? "this string is not closed on its line; x' is transpose(x)"
                                                      : "this string is not closed on its line");
    return make(lexer, TOKEN_STRING, start);
}

static void skip_comment(struct lexer *lexer)
{
    const char *end = memchr(lexer->cursor, '\n', (size_t)(lexer->limit - lexer->cursor));
    lexer->cursor = end ? end : lexer->limit;
}

static struct token bracket(struct lexer *lexer, enum token_kind kind, const char *start,
                            int change)
{
    if (lexer->round + change >= 0)
        lexer->round += change;
    return make(lexer, kind, start);
}

/* A NUL ends the text only at its end. */
static struct token byte(struct lexer *lexer, const char *start)
{
    if (start < lexer->limit)
        return bad(lexer, DIAG_BAD_BYTE, start, NULL);
    lexer->cursor = lexer->limit;
    return make(lexer, TOKEN_END, start);
}

struct token lex_next(struct lexer *lexer)
{
    const char *start, *marker;
    for (;;) {
        start = lexer->cursor;
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = "lexer->cursor";
        re2c:define:YYMARKER = marker;
        re2c:yyfill:enable = 0;

        digits   = [0-9] ("_"? [0-9])*;
        xdigits  = [0-9a-fA-F] ("_"? [0-9a-fA-F])*;
        decimal  = "0" ("_"? "0")* | [1-9] ("_"? [0-9])*;
        hex      = "0" [xX] xdigits;
        binary   = "0" [bB] [01] ("_"? [01])*;
        exponent = [eE] [-+]? digits;
        real     = digits "." digits? exponent? | "." digits exponent? | digits exponent
                 | "0" [xX] (xdigits "."? | xdigits? "." xdigits) [pP] [-+]? digits;
        run      = "."? [0-9] [0-9A-Za-z_.]*;

        [ \t\r]+            { continue; }
        "#"                 { skip_comment(lexer); continue; }
        "\n"                { if (lexer->round) continue;
                              return make(lexer, TOKEN_NEWLINE, start); }
        ";"                 { return make(lexer, TOKEN_NEWLINE, start); }
        [A-Za-z_][A-Za-z0-9_]* { return named(lexer, start); }
        decimal             { return number(lexer, NUMBER_DECIMAL, start); }
        hex                 { return number(lexer, NUMBER_HEX, start); }
        binary              { return number(lexer, NUMBER_BINARY, start); }
        real                { return number(lexer, NUMBER_REAL, start); }
        run                 { return number(lexer, NUMBER_WRONG, start); }
        ['"]                { return string(lexer, start); }
        "("                 { return bracket(lexer, TOKEN_LPAREN, start, 1); }
        ")"                 { return bracket(lexer, TOKEN_RPAREN, start, -1); }
        "["                 { return bracket(lexer, TOKEN_LBRACKET, start, 1); }
        "]"                 { return bracket(lexer, TOKEN_RBRACKET, start, -1); }
        "{"                 { return make(lexer, TOKEN_LBRACE, start); }
        "}"                 { return make(lexer, TOKEN_RBRACE, start); }
        ","                 { return make(lexer, TOKEN_COMMA, start); }
        ":"                 { return make(lexer, TOKEN_COLON, start); }
        "."                 { return make(lexer, TOKEN_DOT, start); }
        "..."               { return make(lexer, TOKEN_ELLIPSIS, start); }
        "->"                { return make(lexer, TOKEN_ARROW, start); }
        "?"                 { return make(lexer, TOKEN_QUESTION, start); }
        "@"                 { return make(lexer, TOKEN_AT, start); }
        [!-~]               { return symbol(lexer, start); }
        *                   { return byte(lexer, start); }
        */
    }
}
