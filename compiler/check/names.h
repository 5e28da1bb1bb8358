/* The pass that matches dimensions by name (section 8). It rewrites a parsed program so that positions alone are left:
 * operands in another order of dimensions are transposed, and get extents of 1 where they lack a dimension; names among
 * axes become positions; selections along a name become selections by position. What comes after it knows no name, but
 * for the shape pass: dimensions of named nodes never stretch, and messages call them by their names. */
#ifndef WEFT_COMPILER_CHECK_NAMES_H
#define WEFT_COMPILER_CHECK_NAMES_H

#include "compiler/lang/lang.h"

/* Replaces the program by one whose dimensions are positions, made in `arena`; a program without names stays as it is.
 * Types of inputs must be as far as they are known: what is not `last` may still learn that an input is named. Where
 * that matters, the program stays as it is, and says so in names_open. Returns false, with diagnostics, where names do
 * not go together. */
bool match_names(struct arena *arena, struct program **program, struct diags *diags, bool last);

/* What to write for a value without names, of so many dimensions (negative: it is not known): "named(v, \"x:s\")". */
const char *named_advice(struct arena *arena, const char *text, int rank);
/* What to write for it beside `other`, whose dimensions are `dims`: "; name it, as in named(v, \"x:s\")", where `what`
 * is "name it", with those that its own may be, or names of its own where none have its sizes. `own` are its extents,
 * [rank], and `extents` those of `dims`; negative where they are not known. NULL: none of its own are known; those of
 * `dims` are in the types. */
const char *named_beside(struct arena *arena, const char *what, const char *text, int rank, const int64_t *own,
                         const char *other, const struct dims *dims, const int64_t *extents);
/* The text of a type as Weft writes it (rule 8.2): "float32(x:s=4, vector:c=(u,v))". `extents` as in dims_put. */
const char *named_type_text(struct arena *arena, const struct program *program, enum weft_dtype dtype,
                            const struct dims *dims, const int64_t *extents);
/* What the caller says of an input beside its declaration: whether both are named or not, and agree in names, kinds and
 * labels. NULL, or what differs. */
const char *names_differ(struct arena *arena, const struct type *declared, const struct type *said);
/* The dimensions of both, which do not differ: with the labels that either has. */
const struct dims *names_both(struct arena *arena, const struct type *declared, const struct type *said);

#endif
