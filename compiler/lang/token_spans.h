/* Instructions have the places of operators and names of functions; people think of whole expressions. */
#ifndef WEFT_COMPILER_LANG_TOKEN_SPANS_H
#define WEFT_COMPILER_LANG_TOKEN_SPANS_H

#include "compiler/lang/program.h"

struct token_spans {
    struct token_span {
        struct span token, whole;
    } *items;                      /* [count] in the order of tokens, each once */
    int count;
};

struct token_spans find_token_spans(struct arena *arena, const struct program *program);
/* The expression of which this is the operator or the function, the widest where a function is made of several
 * operations; the place itself if it is of none. */
struct span whole_span(const struct token_spans *spans, struct span token);

#endif
