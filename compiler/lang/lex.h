/* The lexer: turns text into tokens, one at a time, for the parser. The text may hold any bytes.
 * What is not a token becomes a TOKEN_BAD with a message, which is reported when the parser reaches
 * it. Newlines inside ( ) and [ ] are spaces. */
#ifndef WEFT_COMPILER_LANG_LEX_H
#define WEFT_COMPILER_LANG_LEX_H

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
    enum op infix, prefix;         /* the rows that an operator can mean, else OP_COUNT */
    struct literal literal;        /* TOKEN_NUMBER */
    enum diag_id bad;              /* TOKEN_BAD: the diagnostic to report */
    const char *message;           /* TOKEN_BAD: its argument; DIAG_BAD_BYTE shows the
                                      byte at span.start instead */
};

/* The meanings of a spelling of ops.def or of a keyword. Which one holds depends on where it stands. */
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
    int round;                     /* the number of open ( and [ */
    struct map words;              /* spelling to index in rows */
    struct word *rows;
    int row_count;
};

/* Copies the text, which need not be NUL-terminated, and builds the table of words. */
void lex_init(struct lexer *lexer, struct arena *arena, const struct source *source);
/* Returns the next token. At the end it returns TOKEN_END again and again. A TOKEN_BAD advances no
 * further than the text that it reports. */
struct token lex_next(struct lexer *lexer);
/* The meanings of a spelling; NULL when it is in no table. */
const struct word *lex_word(const struct lexer *lexer, const char *text, size_t length);

/* How a number is spelled, as the lexer found it. NUMBER_WRONG is not a number. */
enum number_form { NUMBER_DECIMAL, NUMBER_HEX, NUMBER_BINARY, NUMBER_REAL, NUMBER_WRONG };

/* Reads a number in the language's spelling, including underscores (number.c). Returns NULL or the
 * message to report. Does not depend on the locale. */
const char *number_read(struct arena *arena, enum number_form form, const char *text,
                        size_t length, struct literal *literal);

#endif
