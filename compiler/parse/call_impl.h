/* A call while it is parsed: the function that is called, and its arguments. call.c reads them and makes nodes, match.c
 * says which argument is for which parameter. */
#ifndef WEFT_COMPILER_PARSE_CALL_IMPL_H
#define WEFT_COMPILER_PARSE_CALL_IMPL_H

#include "compiler/parse/parse_impl.h"

enum {
    VIEW_POSITIONAL = 2,           /* a view's arguments that may be given by position, besides those that views.def
                                      names */
    BY_NAME = 'w'                  /* the kind of argument that is given by name alone */
};

struct argument {
    const char *name;              /* NULL: given by position */
    struct span name_span, span;
    int node;
    enum weft_dtype dtype;         /* of an argument that is a type */
    struct numbers numbers, after; /* `after` of widths */
    struct modes modes;
    enum put put;                  /* of a word of scatter */
    const char *layout;
    const struct dims *dims;       /* dimensions in quotes; NULL: the argument is another one */
    bool flag;
    int64_t whole;
};

/* The function that is called. */
struct callee {
    const char *name;
    struct span span;
    enum node_kind kind;           /* NODE_POISON if unknown */
    enum op op;
    enum view_kind view;
    enum reduction reduction;
    enum weft_dtype dtype;
    const char *parameters;
    const char *kinds;             /* a letter for each parameter, as in views.def; NULL: all are values */
    int arity, required;
    bool fold;                     /* takes two or more arguments */
};

struct arguments {
    struct argument *items;
    int count;
};

/* call.c: min or max as the reduction of the same name. */
struct callee call_reduction(struct callee callee);

/* match.c: the letter of a parameter. */
char call_kind(const struct callee *callee, int parameter);
/* The index of the parameter that an argument is for; -1 if there is none. */
int call_parameter(const struct callee *callee, const struct argument *argument, int position);
const char *call_parameter_name(struct parser *p, const struct callee *callee, int index);
/* Says which argument of a reduction is given by name alone; NULL if none is. */
const char *call_by_name(struct parser *p, const struct callee *callee);
bool call_has_view(const struct callee *callee);
/* Reports a call with so many arguments; `takes` says how many there should be. Returns false. */
bool call_wrong_count(struct parser *p, const struct callee *callee, const char *takes, int count);
/* Report an argument that is none of the callee's, and one that was given before. Return false. */
bool call_no_such_argument(struct parser *p, const struct callee *callee, const struct argument *argument);
bool call_given_twice(struct parser *p, const struct callee *callee, int parameter, const struct argument *first,
                      const struct argument *second);
/* Matches arguments to parameters. `slots` has room for all of them. False when a mistake was reported. Names are
 * checked before counts: where a name is wrong, that is the mistake, even if there are too many arguments. */
bool call_match(struct parser *p, const struct callee *callee, const struct arguments *arguments,
                const struct argument **slots);

#endif
