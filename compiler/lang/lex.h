/* Tokens, one at a time. The text may hold any bytes; what is no token comes as TOKEN_BAD with the
 * message to report when the parser reaches it. Newlines inside ( ) and [ ] are spaces. */
#ifndef WEFT_LEX_H
#define WEFT_LEX_H

#include "compiler/base/base.h"
#include "compiler/lang/program.h"

enum token_kind {
#define TOKEN(id, text) TOKEN_##id,
#include "grammar/tokens.def"
    TOKEN_COUNT
};

struct token {
    enum token_kind kind;
    struct span span;
    enum op infix, prefix;         /* the rows an operator can mean, else OP_COUNT */
    struct literal literal;        /* TOKEN_NUMBER */
    enum diag_id bad;              /* TOKEN_BAD: what to report, with */
    const char *message;           /* this text, or the byte at span.start for DIAG_BAD_BYTE */
};

/* What a spelling of ops.def or a keyword means, by place. */
struct word {
    const char *text;
    size_t length;
    enum token_kind kind;          /* TOKEN_NAME for functions */
    enum op infix, prefix, function;
};

struct lexer {
    struct arena *arena;
    const char *text;              /* a copy that ends in a NUL */
    const char *cursor, *limit;
    int round;                     /* open ( and [ */
    struct map words;              /* spelling to index */
    struct word *rows;
    int row_count;
};

void lex_init(struct lexer *lexer, struct arena *arena, const struct source *source);
/* The next token; TOKEN_END again and again at the end, and TOKEN_BAD does not advance further
 * than what it reports. */
struct token lex_next(struct lexer *lexer);
/* What a spelling means; NULL when it is in no table. */
const struct word *lex_word(const struct lexer *lexer, const char *text, size_t length);

/* What kind of number a spelling is; chosen by the lexer. */
enum number_form { NUMBER_DECIMAL, NUMBER_HEX, NUMBER_BINARY, NUMBER_REAL, NUMBER_WRONG };

/* number.c: the value of a number in the language's spelling, underscores included. Returns NULL or
 * the message to report. Does not depend on the locale. */
const char *number_read(struct arena *arena, enum number_form form, const char *text,
                        size_t length, struct literal *literal);

#endif
