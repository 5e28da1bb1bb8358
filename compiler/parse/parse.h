/* Header of the room parse: turns text into a program of nodes whose names are resolved. It is the first pass; check
 * follows. The grammar is grammar/grammar.ebnf. */
#ifndef WEFT_COMPILER_PARSE_PARSE_H
#define WEFT_COMPILER_PARSE_PARSE_H

#include "compiler/lang/lang.h"

/* Parses a text into `programs`. A syntax error stops the parser. Unknown functions and arguments, wrong arity
 * and rebinding are reported and leave a NODE_POISON. Returns false when an error was reported; `programs` can
 * then still be looked at. */
bool parse(struct arena *arena, const struct source *source, struct diags *diags,
           struct programs *programs);
/* To be called once after parse for each program that is used. Adds a result for each wanted binding that is not a
 * result already. Then warns of bindings and inputs that nothing uses. `wanted` is not kept. A wanted name that is not
 * bound is an error without a place in the text; then false is returned. */
bool parse_results(struct program *program, const char *const *wanted, size_t wanted_count);
/* Parses one type in the language's own words, such as "uint8[480, 640, 3]@HWC". Size variables are added to `program`.
 * Diagnostics go to the program's list, with places in `source`. Returns false when one was an error. */
bool parse_type(struct program *program, const struct source *source, struct type *type);
/* Parses a value on the command line: one literal expression, true, false or an array literal, as a program with one
 * result. Returns false, with nothing reported, when the text is something else. Mistakes in an array literal, such as
 * rows of different lengths, are reported. */
bool parse_value(struct arena *arena, const struct source *source, struct diags *diags,
                 struct program **program);
/* Reports a TOKEN_BAD, and returns false. */
bool parse_report_bad(struct diags *diags, const struct source *source, const struct token *token);
/* The name here of a type of other languages: "float32" for "float" or "FLOAT". NULL if there is none. */
const char *parse_type_habit(const char *name);
/* What is written instead of a function that does not exist here: "write mean(x)" for "average". NULL: not known. */
const char *parse_call_habit(const char *name);
/* What a name in this text may be meant as that it reads as an input, and what to write then: "if 'x' is a dimension,
 * write max(u, axes=x)". NULL: not known. */
const char *parse_meant(struct arena *arena, const struct source *source, const char *name);

#endif
