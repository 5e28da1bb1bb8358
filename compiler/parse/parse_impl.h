/* What the parser's files share. Functions are named after the symbols of grammar/grammar.ebnf.
 *
 * Invariant: after a syntax error `failed` is set and every token is TOKEN_END. So loops end by themselves, nothing
 * more is reported, and no node or symbol is added. Recursion is bounded by MAX_NESTING. */
#ifndef WEFT_COMPILER_PARSE_PARSE_IMPL_H
#define WEFT_COMPILER_PARSE_PARSE_IMPL_H

#include "compiler/parse/parse.h"

/* Keeps a function's locals out of the stack frames of recursive functions. */
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
    uint32_t shift;                /* where the lexer's text begins in the source */
    struct token token, next;      /* the current token, and the one after it */
    struct span previous;          /* the token before the current one */
    bool failed;
    int nesting, frames;           /* levels for MAX_NESTING; active calls that parse operators */
    struct program *program;
    int errors_before;             /* diags->errors when this program began */
    int *stack;                    /* nodes of unfinished lists, innermost on top */
    int stack_count, stack_room;
    bool in_numbers;               /* inside an argument of a view that holds numbers, or inside a selection's [ ] */
    int folded;                    /* all nodes before this one have their literal values; used for numbers of views */
    struct map rejected;           /* unknown names of a kernel; each is reported once */
    struct span constants[PARSE_CONSTANTS];      /* where a constant that names can hide was first used */
};

/* parse.c */
/* Reads the first token. */
void parse_begin(struct parser *p);
/* Moves to the next token; reports it if it is a bad one. */
void parse_advance(struct parser *p);
/* Consumes the token if it is of this kind, and says whether it was. */
bool parse_accept(struct parser *p, enum token_kind kind);
/* Consumes a comma of a list in brackets, and says whether an element follows. The list's last comma may trail. */
bool parse_more(struct parser *p, enum token_kind closer);
/* As parse_accept; otherwise reports that `expected` was expected. */
bool parse_expect(struct parser *p, enum token_kind kind, const char *expected);
/* Goes one level deeper; reports DIAG_TOO_DEEP and returns false beyond MAX_NESTING. Undone by --p->nesting. */
bool parse_enter(struct parser *p, struct span place);
/* A copy of the text of a span. */
const char *parse_text(const struct parser *p, struct span span);
/* Whether a token is this name. */
bool parse_is(const struct parser *p, const struct token *token, const char *text);

/* error.c: all return 0 or false and set `failed`, unless said otherwise. */
/* Sets `failed` and makes all further tokens TOKEN_END; reports nothing. */
int parse_fail(struct parser *p);
/* Report a mistake in the text, or more of something than there may be. */
int parse_wrong(struct parser *p, struct span span, const char *message);
int parse_too_many(struct parser *p, struct span span, int most, const char *what);
/* Reports the current token where `expected` is needed, with advice where there is some. */
int parse_unexpected(struct parser *p, const char *expected);
/* Where an expression is complete: says more about the mistake, such as a missing operator. */
int parse_unexpected_after(struct parser *p, const char *expected);
/* Consumes .b.c and returns the last name; "" when none follows. Does not fail. */
const char *parse_path(struct parser *p);
/* Consumes the closing bracket, or reports the opening one. */
bool parse_close(struct parser *p, struct span opener, enum token_kind kind, const char *expected);

/* hints.c: these report nothing. */
/* Advice for a function of this name that is called with another number of arguments. */
const char *parse_arity_habit(const char *name);
/* Advice for what stands behind a dot and is not called. */
const char *parse_attribute_habit(const char *name);
/* Advice for an argument that `function` does not have. */
const char *parse_argument_habit(struct arena *arena, const char *name, const char *function);
/* Returns "; did you mean 'x'?" or "". */
const char *parse_suggest(struct parser *p, const char *name, const char *const *names,
                          size_t count);
const char *parse_suggest_function(struct parser *p, const char *name);
const char *parse_suggest_type(struct parser *p, const char *name);

/* expr.c: these return the index of a node. */
int parse_expression(struct parser *p);
/* An expression whose operators bind at least as tightly as this precedence. */
int parse_operand(struct parser *p, int floor);
/* Adds a node with these operands. */
int parse_add_node(struct parser *p, struct node node, const int *operands, int count);
/* Adds a NODE_POISON for something that was reported. */
int parse_poison(struct parser *p, struct span span);
/* Adds a node to p->stack. */
void parse_push(struct parser *p, int node);

/* Parses a call at its name. Returns the node. */
int parse_call(struct parser *p);

/* positions.c: the node of a selection from `operand`, whose place is `from`, with an ITEM_TENSOR. */
int parse_positions(struct parser *p, const struct view_args *args, int operand, struct span from, struct span span,
                    struct span token);

/* chain.c: whether the current token compares. */
bool parse_at_comparison(const struct parser *p);
/* A comparison, and the operand on its right with its parentheses. */
struct comparison {
    enum op op;
    struct span token;
    int right;
    struct span place;
};
/* Parses the rest of a chain a < b < c behind its first comparison, at the second one. `place` is that of `left`. */
int parse_chain(struct parser *p, int left, struct span place, const struct comparison *first);

/* view.c and select.c */
/* Whether a tuple stands here: parentheses with a comma of their own, or with nothing in them (rule 1.2). */
bool parse_at_tuple(const struct parser *p);
/* Computes the literal values of all nodes added since the last call. False, with a diagnostic, where one from `first`
 * on has none. */
bool parse_fold(struct parser *p, int first);
/* Numbers are not values. The nodes made between begin and end are removed from the program again, unless some of
 * them are size expressions. */
struct mark {
    int nodes, operands, extents;
    bool inside;
};
struct mark parse_numbers_begin(struct parser *p);
void parse_numbers_end(struct parser *p, struct mark mark, bool keep);
/* Parses a number, a list of numbers or, unless numbers->in_text, an input's name, for the argument called `what`. */
void parse_numbers(struct parser *p, struct numbers *numbers, const char *what);
/* Adds the value of a node that was folded, or a size expression, to the numbers of the argument called `what`, or
 * reports that it is none. */
void parse_add_number(struct parser *p, struct numbers *numbers, const struct node *node, const char *what);
/* neighbour.c: parses modes (rule 10.1), `valid`: also "valid"; the nodes of numbers are in modes->items. Parses
 * widths (rule 10.2): one number of each pair into each of the two. */
void parse_modes(struct parser *p, struct modes *modes, bool valid);
void parse_widths(struct parser *p, struct numbers *before, struct numbers *after);
/* axes.c: parses axes (rule 9.5) of views and reductions: an integer, a list, or letters of a layout in quotes. */
void parse_axes(struct parser *p, struct numbers *numbers, const char *what);
/* Takes a bare name of a dimension as the next of the axes. Returns false where another thing stands. */
bool parse_axis_name(struct parser *p, struct numbers *numbers);
/* Reports that one of them does not stand in the text. Returns false. */
bool parse_no_axis(struct parser *p, const struct node *node, const char *what);
/* Parses a layout in quotes; "" for none. */
const char *parse_layout(struct parser *p);

/* reduced.c: parses a literal true or false, or an integer. Where it is wrong, reports that and returns something
 * harmless. `whole`: unless NULL, what to write where an integer stands instead of true or false. */
bool parse_flag(struct parser *p, const char *what, const char *whole);
int64_t parse_whole(struct parser *p, const char *what);

/* recipe.c: makes the nodes of a reduction from the recipe of its row. `operands` are the arguments that are values.
 * Returns the node of the result. */
struct recipe {
    enum reduction reduction;
    int operands[2], operand_count;
    struct numbers axes;
    bool last, keepdims;           /* as in struct reduce_args, struct node */
    int64_t ddof;
    struct span span, token;       /* the call, and the name in it */
};
int parse_recipe(struct parser *p, const struct recipe *recipe);

/* linspace.c: makes the nodes of linspace from `a` to `b`; the view has n. Returns the node of the result. */
int parse_linspace(struct parser *p, const int ends[2], int view, struct span span, struct span token);
/* neighbour.c: parses a word of scatter in quotes. */
enum put parse_put(struct parser *p);
/* The nodes of scatter of x, i and v. */
int parse_scatter(struct parser *p, const int *operands, int view, struct span span, struct span token);
/* The nodes of isclose of x, y, rtol and atol; -1 where one of the last two is not given. */
int parse_isclose(struct parser *p, const int operands[4], struct span span, struct span token);
/* The nodes of nonzero of x; the view has n. */
int parse_nonzero(struct parser *p, int x, int view, struct span span, struct span token);
/* The nodes of random and random_normal of x, with a seed and, unless count is 2, a stream. */
int parse_random(struct parser *p, const int *operands, int count, int view, struct span span, struct span token);

/* Parses the selection at '['. `operand` is selected from; its text begins at `start`. Returns the node. */
int parse_selection(struct parser *p, int operand, uint32_t start);

/* Whether a selection follows an operand: '[', or '.' NAME '['. */
bool parse_at_selection(const struct parser *p);
/* Parses the selection along a named dimension at '.'. Returns the node. */
int parse_dim_selection(struct parser *p, int operand, uint32_t start);

/* size.c: size expressions (rule 1.10) */
/* Whether the numbers of the argument called `what` may be size expressions. */
bool parse_takes_sizes(const char *what);
/* Makes number `numbers->count`, which is to be added, the size expression of a node. */
void parse_add_size(struct parser *p, struct numbers *numbers, int node);
/* Reports that a number of the argument called `what` is no size expression. Returns false. */
bool parse_no_size(struct parser *p, const struct node *node, const char *what);
/* Reports that a size variable is no value. Returns a NODE_POISON. */
int parse_size_variable(struct parser *p, struct span span);

/* type.c */
/* Parses a type. `data`: its dtype may be left out, since it comes with the data (rule 8.3). */
void parse_type_here(struct parser *p, struct type *type, bool data);
/* Parses an extent: an integer, a size variable or '?'. */
int64_t parse_extent(struct parser *p);
/* Parses a dtype. An unknown one is reported; float32 is returned for it. */
enum weft_dtype parse_dtype(struct parser *p);

/* dims.c */
/* Where dimensions stand: in a type, in an argument whose sizes are integers, in one of rename, where a kind may be
 * left out. */
enum dims_form { DIMS_TYPE, DIMS_TEXT, DIMS_RENAME };
extern const struct dims no_dims;
/* Parses the dimensions of a type at its '('. */
const struct dims *parse_dims(struct parser *p);
/* Parses dimensions in quotes, or reports that there are none. */
const struct dims *parse_dims_text(struct parser *p, enum dims_form form);

/* resolve.c: names */
/* The node that a name in an expression becomes. */
int resolve_name(struct parser *p, struct span span);
/* The index of the constant of this name; -1 if there is none. */
int resolve_constant(const char *name);
/* Add a binding, an input or a result to the program, or report why that cannot be. A result's `name` is NULL
 * where the text gives none. */
void resolve_binding(struct parser *p, struct span span, int node);
/* Binds a node to a name that no text can use. Returns the symbol. */
int resolve_hidden(struct parser *p, const char *name, int node);
void resolve_input(struct parser *p, struct span span, const struct type *type, bool parameter);
void resolve_result(struct parser *p, const struct span *name, int node);
/* Numbers the inputs and names the results, at the end of a program. */
void resolve_program(struct parser *p);

#endif
