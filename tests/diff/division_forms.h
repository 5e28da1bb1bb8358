/* The programs of the test of divisions by zero: one division in every form of program, with a reference
 * that evaluates an element as one would by hand. What is random comes from `division_stream`. */
#ifndef WEFT_DIVISION_FORMS_H
#define WEFT_DIVISION_FORMS_H

#include "include/weft/weft.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

enum { A, B, C, D, OPERANDS, RESULTS = 2, PLACES = 4 };

extern struct stream division_stream;
/* From 0 to bound - 1. */
int below(int bound);

/* How the division's operands are written. */
enum manner { PLAIN, AS_INT32, BY_LITERAL, OF_LITERAL, MANNERS };

struct division {
    enum op op;
    enum manner manner;
    int literal;
    enum weft_dtype dtypes[2];     /* of a and b */
    struct typing typing;
    char text[100];
    int place;                     /* of the operator in the text */
};

/* Operation n of the five that may divide by zero. */
struct division make_division(int n, enum manner manner, enum weft_dtype a, enum weft_dtype b);

/* One element under evaluation; `used` tells which places of the text were reached. */
struct element {
    const struct division *division;
    struct typed in[OPERANDS];
    bool used[PLACES];
};

enum { USES_A = 1, USES_B = 2, USES_C = 4, USES_D = 8 };

/* A form of program. In its text @ is the division; ^ stands before an operator that is a place of its own. */
struct form {
    const char *text;
    void (*meaning)(struct element *e, struct typed *results);
    unsigned uses[RESULTS];        /* operands besides those of the division */
};
enum { FORMS = 18 };
extern const struct form forms[FORMS];

struct program {
    const struct form *form;
    struct division division;
    char text[600];
    int places[PLACES], results;
    bool viewed;                   /* the quotient is reshaped, and what it meets has that shape */
    struct weft_program *compiled;
};

/* With a view the quotient, 5 by 67, is seen as 67 by 5. */
void write_program(struct program *p, const struct form *form);

#endif
