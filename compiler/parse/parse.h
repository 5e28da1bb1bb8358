/* Text to a program: nodes with their names resolved. The grammar is grammar/grammar.ebnf. */
#ifndef WEFT_PARSE_H
#define WEFT_PARSE_H

#include "compiler/lang/lang.h"

/* Text to nodes, names resolved. A syntax error stops; unknown functions and arguments,
 * wrong arity and rebinding are reported and go on with NODE_POISON. Returns false when anything
 * was reported as an error (`programs` is then still good for looking at). */
bool parse(struct arena *arena, const struct source *source, struct diags *diags,
           struct programs *programs);
/* To be called once for every program that is used, after parse: appends the bindings wanted besides
 * the results of the text (a name that is a result already adds nothing), then warns of bindings and
 * inputs that nothing uses. `wanted` is not kept. A wanted name that is not bound is an error without
 * a place in the text. */
bool parse_results(struct program *program, const char *const *wanted, size_t wanted_count);
/* One type in the language's words, as "uint8[480, 640, 3]@HWC"; size variables are added to
 * `program`. Diagnostics go to the program's, with places in `source`. */
bool parse_type(struct program *program, const struct source *source, struct type *type);
/* What the command reads as a value on its command line: one literal expression, true, false or an
 * array literal, in a program with one result. False, with nothing reported, when the text is
 * something else; rows of different lengths and the like in an array literal are reported. */
bool parse_value(struct arena *arena, const struct source *source, struct diags *diags,
                 struct program **program);
/* What a type of other languages is called here, "float32" for "float" or "FLOAT"; NULL: none. */
const char *parse_type_habit(const char *name);

#endif
