/* What the parser's files share. Functions are named for the grammar's symbols (grammar/grammar.ebnf).
 *
 * Invariant: after a syntax error `failed` is set and every token is TOKEN_END, so loops end by
 * themselves, nothing more is reported, and no node or symbol is added. Recursion is bounded by
 * MAX_NESTING. */
#ifndef WEFT_PARSE_IMPL_H
#define WEFT_PARSE_IMPL_H

#include "compiler/parse/parse.h"

/* Keeps a function's locals out of the frames that recursion piles up. */
#if defined __GNUC__
#define PARSE_APART __attribute__((noinline))
#else
#define PARSE_APART
#endif

enum { PARSE_CONSTANTS = 8 };

struct parser {
    struct arena *arena;
    struct diags *diags;
    const struct source *source;
    struct lexer lexer;
    struct token token, next;      /* the current one, and the one after it */
    struct span previous;          /* of the token before the current one */
    bool failed;
    int nesting, frames;
    struct program *program;
    int errors_before;             /* this program */
    int *stack;                    /* nodes gathered for lists, innermost on top */
    int stack_count, stack_room;
    bool in_numbers;               /* inside an argument of a view that holds numbers */
    bool in_items;                 /* inside a selection's [ ] */
    int folded;                    /* nodes before this one have their literal values, for views */
    struct map rejected;           /* unknown names of a kernel, reported once each */
    struct span constants[PARSE_CONSTANTS];      /* where a constant that can be hidden was first used */
};

/* parse.c */
void parse_init(struct parser *p, struct arena *arena, const struct source *source,
                struct diags *diags);
struct program *parse_new_program(struct parser *p);
void parse_program(struct parser *p, enum token_kind end);
void parse_advance(struct parser *p);
/* Takes the token if it is of this kind. */
bool parse_accept(struct parser *p, enum token_kind kind);
bool parse_expect(struct parser *p, enum token_kind kind, const char *expected);
/* One level deeper, or DIAG_TOO_DEEP. Undone by --p->nesting. */
bool parse_enter(struct parser *p, struct span place);
/* The text of a span, copied. */
const char *parse_text(const struct parser *p, struct span span);
bool parse_is(const struct parser *p, const struct token *token, const char *text);

/* error.c; all return 0 or false and set `failed`, unless said otherwise */
int parse_fail(struct parser *p);
int parse_unexpected(struct parser *p, const char *expected);
/* The same where an expression is complete: tells a missing operator and so on. */
int parse_unexpected_after(struct parser *p, const char *expected);
int parse_bad_token(struct parser *p);
/* Goes over .b.c and gives the last name; "" when none follows. Fails nothing. */
const char *parse_path(struct parser *p);
/* Takes the closing bracket or points at the opening one. */
bool parse_close(struct parser *p, struct span opener, enum token_kind kind, const char *expected);

/* habits.c; they fail nothing */
/* What to write instead of a function of other languages; NULL: nothing known. */
const char *parse_call_habit(const char *name);
/* The same for an argument that a function does not have. */
const char *parse_argument_habit(const char *name);
/* "; did you mean 'x'?" or "". */
const char *parse_suggest(struct parser *p, const char *name, const char *const *names,
                          size_t count);
const char *parse_suggest_function(struct parser *p, const char *name);
const char *parse_suggest_type(struct parser *p, const char *name);

/* expr.c; a node's index */
int parse_expression(struct parser *p);
int parse_add_node(struct parser *p, struct node node, const int *operands, int count);
int parse_poison(struct parser *p, struct span span);
void parse_push(struct parser *p, int node);

/* call.c */
int parse_call(struct parser *p);

/* view.c */
/* Gives every operator on literals since the last time its value; false, with a diagnostic, where one
 * has none. */
bool parse_fold(struct parser *p);
/* Numbers are no values: the nodes made between these two are taken out of the program again. */
struct mark {
    int nodes, operands, extents;
    bool inside;
};
struct mark parse_numbers_begin(struct parser *p);
void parse_numbers_end(struct parser *p, struct mark mark);
/* A number, a list of them or an input's name, for the argument called `what`. */
void parse_numbers(struct parser *p, struct numbers *numbers, const char *what);
const char *parse_layout(struct parser *p);

/* select.c */
/* The selection from `operand`, whose text begins at `start`, at its '['. */
int parse_selection(struct parser *p, int operand, uint32_t start);
/* Says that a size variable is no item yet. */
int parse_size_item(struct parser *p, struct span span);

/* type.c */
void parse_type_here(struct parser *p, struct type *type);
enum weft_dtype parse_dtype(struct parser *p);

/* resolve.c: names */
int resolve_name(struct parser *p, struct span span);
int resolve_constant(const char *name);
void resolve_binding(struct parser *p, struct span span, int node);
void resolve_input(struct parser *p, struct span span, const struct type *type, bool parameter);
void resolve_result(struct parser *p, const struct span *name, int node);
/* Numbers the inputs and names the results. */
void resolve_program(struct parser *p);

#endif
