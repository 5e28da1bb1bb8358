/* A formula as text, in the many ways the language has: operators or calls, arguments by position or by
 * name, parentheses where needed or more, bindings or not, several separators. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include "tests/random/trial.h"

enum { TEXT_SIZE = 400000 };

struct text {
    char bytes[TEXT_SIZE];
    int length;
};

/* Writes the program; sets the nodes' places. Bindings are called t0, t1, .. by node, inputs a, b, .. h, x8, ..,
 * results r0, r1, .. or, when the text has but an expression, out. */
void formula_write(struct trial *trial, struct text *text);
/* What an input is called. */
const char *input_name(int input);
/* An input's type as it is declared; "" for none. */
void type_write(const struct trial *trial, int input, char *out, size_t size);

#endif
