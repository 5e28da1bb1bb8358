/* The central structs: what a text becomes, from parse to check. Each pass is one function over
 * struct program; everything lives in its arena and refers to other parts by index.
 *
 * Invariant: a node's operands have smaller indices than the node, so a pass over the nodes in order
 * meets operands first and no pass recurses. */
#ifndef WEFT_PROGRAM_H
#define WEFT_PROGRAM_H

#include "compiler/base/base.h"
#include "compiler/lang/ops.h"
#include "compiler/lang/reductions.h"
#include "compiler/lang/slice.h"
#include "include/weft/weft.h"

/* Bounds, each a diagnostic when passed. */
enum {
    MAX_SOURCE = 1 << 20,          /* bytes of text */
    MAX_NESTING = 1000,            /* brackets, unary operators, right-associative operators */
    MAX_NODES = 100000,
    MAX_INPUTS = 1024,
    MAX_RESULTS = 256,
    MAX_ARRAY_ELEMENTS = 65536,    /* of one array literal */
    MAX_NAME = 255
};

/* An extent that is not a number. Size variable k is EXTENT_VARIABLE - k. */
enum { EXTENT_UNKNOWN = -1, EXTENT_VARIABLE = -2 };

/* A declared type. Without brackets `ranked` is false and rank and extents mean nothing. */
struct type {
    enum weft_dtype dtype;
    bool ranked;
    int rank;
    int64_t extents[WEFT_MAX_RANK];
    bool has_layout;
    char layout[WEFT_MAX_RANK + 1];
};

/* The value of a literal expression: an integer exactly, a real as a double, or true / false. */
enum literal_kind { LITERAL_NONE, LITERAL_INTEGER, LITERAL_REAL, LITERAL_BOOL };

struct literal {
    enum literal_kind kind;
    __int128 integer;              /* LITERAL_INTEGER; 0 or 1 for LITERAL_BOOL */
    double real;                   /* LITERAL_REAL */
};

enum node_kind {
    NODE_POISON,                   /* stands for something already reported */
    NODE_LITERAL,                  /* a number, true or false */
    NODE_NAME,                     /* an input or a binding: `symbol` */
    NODE_OP,                       /* row `op` on its operands, in the order of the row's parameters */
    NODE_CAST,                     /* cast(x, T), T(x): saturating, to `dtype` */
    NODE_WRAP,                     /* wrap(x, T): low bits, to `dtype` */
    NODE_ARRAY,                    /* array literal: operands are its elements in row-major order */
    NODE_VIEW,                     /* reshape and its like, a selection: the operand's elements under
                                      another shape: program->views[view] */
    NODE_REDUCE                    /* row `reduction` over all elements of the operand */
};

/* One argument of a view that holds numbers: literals, or a host tensor read when a run starts. */
struct numbers {
    bool given;
    int count;                     /* of literal ones */
    const struct literal *items;   /* [count], LITERAL_INTEGER or LITERAL_REAL */
    int input;                     /* the input whose elements they are, by position (while parsing: its
                                      symbol); -1: literals */
    struct span span;
};

enum view_form {
#define VIEW(id, ...) VIEW_##id,
#include "grammar/views.def"
    VIEW_FORM_COUNT
};

enum item_kind { ITEM_INDEX, ITEM_SLICE, ITEM_ELLIPSIS, ITEM_NEW };

/* An item of a selection, as written; what an int64_t cannot hold is the number nearest to it. */
struct item {
    enum item_kind kind;
    struct slice slice;            /* ITEM_SLICE; ITEM_INDEX: `start` */
    struct span span;
};

struct view_args {
    enum view_form form;
    struct numbers shape, rel_shape, src_dims, axes;
    bool has_layout;
    const char *layout;            /* "" clears */
    struct span layout_span;
    enum weft_dtype dtype;         /* VIEW_REINTERPRET: of the result */
    const struct item *items;      /* VIEW_SELECT */
    int item_count;
};

struct node {
    enum node_kind kind;
    enum op op;
    enum reduction reduction;      /* NODE_REDUCE */
    int operands, operand_count;   /* program->operands[operands ..] are node indices */
    int symbol;
    int view;                      /* NODE_VIEW */
    int rank;                      /* NODE_ARRAY: extents are program->extents[extents ..] */
    int extents;
    struct span span;              /* the whole expression, without enclosing parentheses */
    struct span token;             /* the operator, function name or the expression itself */
    /* Filled by check (NODE_CAST and NODE_WRAP have dtype from the parser): */
    enum weft_dtype dtype;
    struct literal literal;        /* kind != LITERAL_NONE: a literal expression or bool constant */
    bool poison;                   /* reported already; users stay silent */
    unsigned met;                  /* NODE_ARRAY: dtypes, a bit each, that it was found to fit */
};

enum symbol_kind { SYMBOL_INPUT, SYMBOL_BINDING };

struct symbol {
    const char *name;
    enum symbol_kind kind;
    struct span span;              /* where it is declared, bound, or first used */
    bool declared;                 /* an `input` statement or a kernel parameter: `type` holds */
    bool parameter;                /* of a kernel */
    bool used;
    struct type type;              /* inputs: declared, or given by the caller */
    bool typed;                    /* inputs: dtype is known */
    const struct type *given;      /* inputs: what the caller said besides the declaration, or NULL */
    int input;                     /* SYMBOL_INPUT: its position among the inputs */
    int node;                      /* SYMBOL_BINDING: its expression */
};

struct result {
    const char *name;
    int node;
    struct span span;
    bool has_dtype;                /* a kernel's `-> dtype` */
    enum weft_dtype dtype;         /* filled by check when has_dtype is false */
};

/* One program: a plain text or one kernel of a text. */
struct program {
    struct arena *arena;
    struct diags *diags;
    const struct source *source;
    const char *name;              /* the kernel's; NULL for a plain program */
    struct span name_span;
    struct node *nodes;
    int node_count;
    int *operands;
    int operand_count;
    int64_t *extents;              /* of array literals */
    int extent_count;
    struct view_args *views;
    int view_count;
    int reduction_count;
    struct symbol *symbols;        /* in order of appearance */
    int symbol_count;
    int *inputs;                   /* symbols that are inputs, by position */
    int input_count;
    bool *reads;                   /* inputs, by position, whose elements views take as numbers; NULL: none */
    struct result *results;
    int result_count;
    const char **size_variables;   /* names, index k is extent EXTENT_VARIABLE - k */
    int size_variable_count;
    struct map symbol_names;       /* name to index in symbols */
    struct map size_names;         /* name to index in size_variables */
};

/* All that one text holds: its kernels, or one program without a name. */
struct programs {
    struct program **items;
    int count;
};

static inline const struct node *operand_node(const struct program *program,
                                              const struct node *node, int index)
{
    return &program->nodes[program->operands[node->operands + index]];
}

/* Whether kernels depend on the shapes of nodes beside that of the result. */
static inline bool program_asks_shapes(const struct program *program)
{
    return program->view_count || program->reduction_count;
}

/* Symbol number of a name, -1 when the program has none. */
int program_symbol(const struct program *program, const char *name);

/* The node that a name bound to an expression stands for, through any number of bindings. */
const struct node *named_node(const struct program *program, const struct node *node);
/* The dtype that a NODE_OP's operands are converted to before the operation. */
enum weft_dtype operand_dtype(const struct program *program, const struct node *node);
/* Whether a NODE_OP compares an integer of either sign with a uint64, which no type holds together:
 * by value, through -1, 0, 1 (section 4). */
bool compares_by_value(const struct program *program, const struct node *node);
/* Whether a layout is letters, or nothing. */
bool layout_is_good(const char *text);

#endif
