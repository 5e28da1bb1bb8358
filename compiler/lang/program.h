/* The central structs, which parse fills and check completes. Each pass is one function over struct program. Everything
 * lives in its arena and refers to other parts by index.
 *
 * Invariant: a node's operands have smaller indices than the node. So a pass over the nodes in order meets operands
 * first, and no pass recurses. */
#ifndef WEFT_COMPILER_LANG_PROGRAM_H
#define WEFT_COMPILER_LANG_PROGRAM_H

#include "compiler/base/base.h"
#include "compiler/lang/dims.h"
#include "compiler/lang/ops.h"
#include "compiler/lang/reductions.h"
#include "compiler/lang/slice.h"
#include "include/weft/weft.h"

/* Limits. Exceeding one is a diagnostic. */
enum {
    MAX_SOURCE = 1 << 20,          /* bytes of text */
    MAX_NESTING = 1000,            /* brackets, unary operators, right-associative operators */
    MAX_NODES = 100000,
    MAX_INPUTS = 1024,
    MAX_RESULTS = 256,
    MAX_ARRAY_ELEMENTS = 65536,    /* of one array literal */
    MAX_NAME = 255
};

/* Extents that are not numbers. Size variable k is EXTENT_VARIABLE - k. */
enum { EXTENT_UNKNOWN = -1, EXTENT_VARIABLE = -2 };

/* The value of a literal expression: an exact integer, a real as a double, or true or false. */
enum literal_kind { LITERAL_NONE, LITERAL_INTEGER, LITERAL_REAL, LITERAL_BOOL };

struct literal {
    enum literal_kind kind;
    __int128 integer;              /* LITERAL_INTEGER; 0 or 1 for LITERAL_BOOL */
    double real;                   /* LITERAL_REAL */
    bool called;                   /* computed with a call: where it becomes infinite, that is no error (rule 2.4) */
};

/* A declared type. Without brackets `ranked` is false and rank and extents mean nothing. */
struct type {
    enum weft_dtype dtype;
    bool number;                   /* a number of the host (rule 2.7); its dtype follows from its value */
    bool ranked;
    int rank;
    int64_t extents[WEFT_MAX_RANK];
    bool has_layout;
    char layout[WEFT_MAX_RANK + 1];
    const struct dims *dims;       /* names of the dimensions (section 8); NULL: they have none */
    bool any_dtype;                /* the dtype is not written, and comes with the data (rule 8.3) */
};

enum node_kind {
    NODE_POISON,                   /* stands for something that was already reported */
    NODE_LITERAL,                  /* a number, true or false */
    NODE_NAME,                     /* the input or binding `symbol` */
    NODE_OP,                       /* row `op` on its operands, in the order of the row's parameters */
    NODE_CAST,                     /* cast(x, T), T(x): saturating, to `dtype` */
    NODE_WRAP,                     /* wrap(x, T): low bits, to `dtype` */
    NODE_ARRAY,                    /* array literal: operands are its elements in row-major order */
    NODE_VIEW,                     /* reshape and its like, or a selection: the operand's elements under another
                                      shape, program->views[view] */
    NODE_REDUCE,                   /* the operand's elements joined by row `join`, along the axes of
                                       program->reductions[reduction] */
    NODE_COUNT,                    /* how many elements of the operand these axes reduce; an int64 */
    NODE_SEARCH,                   /* the row-major position, among what these axes reduce, of the first element of the
                                      first operand that equals the second one's, or is NaN; int64 */
    NODE_CORRELATE,                /* correlate or convolve of the first operand with the second one:
                                      program->views[view] */
    NODE_JOIN,                     /* concat or stack of the operands: program->views[view] */
    NODE_TAKE,                     /* take: the first operand's elements at the positions that are the second one;
                                      program->views[view] */
    NODE_SCATTER,                  /* scatter: the first operand, whose axes come first, with the third one's elements
                                      at the places that are the second one; program->views[view] */
    NODE_POSITION                  /* index, arange, linspace, or random's numbers: program->views[view]. Of an operand
                                      only the shape matters */
};

/* A bare name among axes. `text` is NULL where there is another thing. */
struct axis_name {
    const char *text;
    struct span span;
};

/* A view's argument that holds numbers: literals and size expressions, or a tensor on the host that is read when a run
 * starts. */
struct numbers {
    bool given;
    bool in_text;                  /* axes (rule 9.5): no input holds them */
    const char *letters;           /* axes that are letters of a layout (rule 9.5), as written; else NULL */
    int rank;                      /* of `letters`: the number of dimensions of that layout, -1 where one names nothing.
                                      Filled by check, as are the items, which are then the letters' positions; NULL
                                      before that */
    const struct axis_name *names; /* [count] names of dimensions among the axes (rule 8.11); NULL: there are none */
    int count;                     /* the number of literals and size expressions */
    const struct literal *items;   /* [count], LITERAL_INTEGER or LITERAL_REAL; LITERAL_NONE: not known, `integer` is
                                      EXTENT_UNKNOWN or ahead of time an open extent */
    const int *sizes;              /* [count] the nodes of size expressions (rule 1.10), -1 for literals; NULL: none */
    int input;                     /* the input that holds the numbers, by position (while parsing: its symbol); -1:
                                      literals */
    bool single, flat;             /* widths: one number for all axes; or two numbers without a pair around them, which
                                      are before and after of one axis */
    struct span span;
};

/* What neighbours outside are along an axis, or along all (rule 10.1). */
struct mode {
    enum edge edge;
    int number;                    /* EDGE_VALUE: the operand of the node that is read there (while parsing, its node);
                                      -1: none */
    struct span span;
};
struct modes {
    bool given, listed;
    bool valid;                    /* only neighbours inside are read, and the result has fewer elements */
    int count;
    const struct mode *items;      /* [count], at most one for all axes where they are not listed */
    struct span span;
};

/* The places of a value, or of two that are multiplied. */
struct product {
    struct span factors[2];
    int count;
};

/* What a call of a reduction has in common for all nodes that it becomes. */
struct reduce_args {
    const char *name;
    struct numbers axes;
    bool last;                     /* where they are not given, the last dimension is meant; else all of them */
    bool keepdims;                 /* as in the text */
    struct product value;          /* what is reduced, for messages */
    int operands[2];               /* the nodes of these values */
};

enum view_kind {
#define VIEW(id, ...) VIEW_##id,
#include "grammar/views.def"
    VIEW_KIND_COUNT
};

/* ITEM_TENSOR: while parsing, positions that are a value, or may be one; the selection then becomes a take. ITEM_LABELS
 * and ITEM_TAKE stand in x.d[..] alone, and other items replace them (check/names.h). */
enum item_kind {
    ITEM_INDEX, ITEM_SLICE, ITEM_LIST, ITEM_ELLIPSIS, ITEM_NEW, ITEM_TENSOR, ITEM_LABELS, ITEM_TAKE
};

/* The numbers of an item that may be size expressions (rule 1.10). */
enum bound { BOUND_START, BOUND_STOP, BOUND_STEP, BOUND_COUNT };

/* An item of a selection, as written. Literals beyond int64_t are replaced by the nearest one. */
struct item {
    enum item_kind kind;
    struct slice slice;            /* ITEM_SLICE; ITEM_INDEX: `start` */
    int sizes[BOUND_COUNT];        /* nodes of size expressions; -1: the number is in `slice`. 0 for other items */
    bool open;                     /* a number in `slice` is not known */
    const int64_t *positions;      /* ITEM_LIST: the elements taken, [count]; negative ones count from the end */
    int count;
    const char *const *labels;     /* ITEM_LABELS: the elements taken, [count] */
    bool drops;                    /* ITEM_LABELS: a single one, whose dimension is dropped */
    int node;                      /* ITEM_TAKE: the positions */
    struct span span;
};

/* Whether an item is for a dimension of the operand. */
static inline bool item_takes(const struct item *item)
{
    return item->kind == ITEM_INDEX || item->kind == ITEM_SLICE || item->kind == ITEM_LIST;
}
/* Whether an item has numbers that may be size expressions. */
static inline bool item_is_number(const struct item *item)
{
    return item->kind == ITEM_INDEX || item->kind == ITEM_SLICE;
}

struct view_args {
    enum view_kind kind;
    struct numbers shape, rel_shape, src_dims, axes, shifts, counts;
    struct numbers offsets, before, after; /* VIEW_OFFSET; VIEW_PAD: its widths */
    struct modes modes;
    bool has_layout;
    const char *layout;            /* "" clears the layout */
    struct span layout_span;
    enum weft_dtype dtype;         /* VIEW_REINTERPRET, VIEW_EXTENT, VIEW_INDEX: the type of the result */
    enum chance {                  /* random: the values, which have names of dimensions as symbol `like` has; int64: */
        CHANCE_VALUES,
        CHANCE_ELEMENTS,           /* the row-major numbers of the elements */
        CHANCE_SAMPLE              /* the number of the sample in its batch */
    } chance;
    int like;
    enum put {                     /* VIEW_SCATTER: what becomes of several elements in one place (grammar/modes.def) */
#define PUT(word, id, op) PUT_##id,
#include "grammar/modes.def"
        PUT_COUNT
    } put;
    struct span put_span;
    enum scatter_part {            /* the nodes that scatter becomes: */
        SCATTER_WHOLE,
        SCATTER_TOTAL,             /* NODE_SCATTER: sums with which a mean begins, of integers exact, as float64 */
        SCATTER_PLACES,            /* NODE_TAKE of x, i: of each position its number among x's elements along axes */
        SCATTER_FULL,              /* NODE_VIEW of v, x, i: v with the shape that gather has, of x's type */
        SCATTER_SPREAD,            /* the same of another value, which keeps its type */
        SCATTER_LIKE,              /* NODE_VIEW of a value and x: with x's shape */
        SCATTER_FRONT, SCATTER_BACK, /* VIEW_TRANSPOSE: the axes come first, or go back to where they were */
        NONZERO_NUMBERS,           /* NODE_SCATTER of -1s and a mask: the row-major numbers of true elements */
        NONZERO_EXTENTS, NONZERO_STRIDES /* NODE_POSITION of x, int64 [rank]: the extents; how many elements lie from
                                      one position along a dimension to the next */
    } part;
    const struct item *items;      /* VIEW_SELECT */
    int item_count;
    const char *dim;               /* VIEW_SELECT: x.d[..], whose only item is for this dimension; NULL: x[..] */
    struct span dim_span;
    const char *dim_habit;         /* advice where .d is an attribute of other languages; or NULL */
    const struct dims *dims;       /* an argument that is a text of dimensions (rule 8.12); NULL: there is none */
    struct span dims_span;
};

/* The arguments of a view that may be size expressions, by number; NULL behind the last. */
static inline const struct numbers *view_sized(const struct view_args *args, int i)
{
    const struct numbers *const all[] = {&args->shape, &args->counts, &args->shifts, &args->offsets, &args->before,
                                         &args->after};
    return i < (int)(sizeof all / sizeof *all) ? all[i] : NULL;
}

struct node {
    enum node_kind kind;
    enum op op;
    enum join join;                /* NODE_REDUCE */
    bool extreme;                  /* NODE_REDUCE: any or all as max or min of bool, which have no value of nothing */
    int reduction;                 /* NODE_REDUCE, NODE_COUNT, NODE_SEARCH */
    bool keepdims;                 /* NODE_REDUCE, NODE_SEARCH: reduced dimensions stay, with extent 1 */
    bool made;                     /* by the recipe of program->reductions[reduction], or to align an operand by name */
    bool own_types;                /* made by the compiler, which converts where it has to: section 3 promotes it under
                                      any rules */
    enum type_rule rule;           /* NODE_CAST: unless TYPE_GIVEN, the dtype follows from the further operands, which
                                      stand for their types alone */
    int operands, operand_count;   /* program->operands[operands ..] are node indices */
    int symbol;
    int view;                      /* NODE_VIEW */
    int choice;                    /* NODE_TAKE, NODE_VIEW: unless 0, program->views[choice - 1] selects instead if the
                                      node program->operands[operands + 1] is a single integer */
    int rank;                      /* NODE_ARRAY: extents are program->extents[extents ..] */
    int extents;
    struct span span;              /* the whole expression, without enclosing parentheses */
    struct span token;             /* the operator, the function name, or the expression itself */
    /* Filled by check (NODE_CAST and NODE_WRAP have dtype from the parser): */
    enum weft_dtype dtype;
    struct literal literal;        /* unless LITERAL_NONE, the value of a literal expression or bool constant */
    bool number;                   /* `literal` depends on inputs of type number: its value comes with the run */
    bool failed;                   /* a literal expression without a value, which no result needs as numbers are now */
    bool poison;                   /* was already reported; nodes that use it stay silent */
    unsigned met;                  /* NODE_ARRAY: a bit for each dtype that it was found to fit */
    bool size;                     /* it may be a size expression, as far as the text and its types tell; set where
                                      program->size_count */
};

enum symbol_kind { SYMBOL_INPUT, SYMBOL_BINDING };

struct symbol {
    const char *name;
    enum symbol_kind kind;
    struct span span;              /* where it is declared, bound or first used */
    bool declared;                 /* by an `input` statement or as a kernel parameter; `type` is valid */
    bool parameter;                /* a parameter of a kernel */
    bool used;
    bool hidden;                   /* made by the compiler; no text can name it */
    struct type type;              /* inputs: as declared, or as given by the caller */
    bool typed;                    /* inputs: whether the dtype is known */
    int seen_rank;                 /* inputs: 1 more than the rank of the tensor at hand; 0: not known */
    struct literal value;          /* inputs of type number: the value, or an example; LITERAL_NONE: none is known */
    const struct type *given;      /* inputs: what the caller says in addition to the declaration, or NULL */
    int input;                     /* SYMBOL_INPUT: its position among the inputs */
    int node;                      /* SYMBOL_BINDING: its expression */
};

/* The elements of a 1-D tensor; the element of one without dimensions. */
enum { READS_LIST = 1, READS_SINGLE = 2 };

struct result {
    const char *name;
    int node;
    struct span span;
    bool has_dtype;                /* the kernel declares it: `-> dtype` */
    enum weft_dtype dtype;         /* filled by check when has_dtype is false */
    const struct type *type;       /* extents that are declared: `-> uint8[64, 64, 3]`; NULL: none are */
};

/* A literal expression that has no value, such as 1 / 0. It is a mistake unless it stands in an arm of where or if else
 * that is not taken (rule 2.3). */
struct failure {
    int node;
    const char *message;
};

/* One program: a plain text, or one kernel of a text. */
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
    bool number_arrays;            /* set by check: an array literal holds numbers, so it depends on their values */
    int size_count;                /* of size expressions in views */
    struct failure *failures;      /* [failure_count] found by check */
    int failure_count;
    struct reduce_args *reductions;
    int reduction_count, position_count; /* the latter of whatever may want positions in a temporary */
    struct symbol *symbols;        /* in order of appearance */
    int symbol_count;
    int *inputs;                   /* symbols that are inputs, by position */
    int input_count;
    int choice_count;              /* of nodes with a `choice` */
    unsigned char *reads;          /* [input_count] how views take the input's elements as numbers: READS_LIST,
                                      READS_SINGLE or both; NULL: none */
    struct result *results;
    int result_count;
    bool is_value;                 /* the text is a value whose dtype is given: an array's elements need no common
                                      one */
    const char **size_variables;   /* names; index k is extent EXTENT_VARIABLE - k */
    int size_variable_count;
    struct map symbol_names;       /* name to index in symbols */
    struct map size_names;         /* name to index in size_variables */
    bool named;                    /* the text has names of dimensions, or what could be one */
    bool names_open;               /* it needs names of inputs whose types are not known */
    const struct dims *const *dims; /* [node_count] of named nodes, else NULL; NULL: no node is named */
};

/* Everything that one text holds: its kernels, or one program without a name. */
struct programs {
    struct program **items;
    int count;
};

static inline const struct node *operand_node(const struct program *program,
                                              const struct node *node, int index)
{
    return &program->nodes[program->operands[node->operands + index]];
}

/* Whether the value is computed from elements along axes, those of program->reductions[node->reduction]. */
static inline bool node_is_reduced(const struct node *node)
{
    return node->kind == NODE_REDUCE || node->kind == NODE_COUNT || node->kind == NODE_SEARCH;
}

/* Whether kernels depend on the shapes of nodes other than the result. */
static inline bool program_asks_shapes(const struct program *program)
{
    return program->view_count || program->reduction_count; /* positions have views' arguments */
}

/* Whether types depend on the ranks of inputs that come without a type: whether a position is a single integer, and
 * whether a value without names may stand beside named ones. */
static inline bool program_reads_ranks(const struct program *program)
{
    return program->choice_count || program->names_open;
}

/* The rank of an input, as far as it is known; -1: it is not. */
static inline int symbol_rank(const struct symbol *symbol)
{
    return symbol->type.number ? 0 : symbol->type.ranked ? symbol->type.rank : symbol->seen_rank - 1;
}

/* The index of a name in `symbols`; -1 when the program has none of that name. */
int program_symbol(const struct program *program, const char *name);

/* Whether correlate or convolve take their weights from the input. */
bool input_is_weights(const struct program *program, int input);

/* The node that a name stands for, through any number of bindings. Other nodes are returned as they are. */
const struct node *named_node(const struct program *program, const struct node *node);
/* Whether a node's dimensions have names (section 8), after they were matched. */
static inline bool has_dims(const struct program *program, const struct node *node)
{
    return program->dims && program->dims[node - program->nodes];
}
/* The node that messages show in place of a use of a hidden name: what it is bound to. */
const struct node *shown_node(const struct program *program, const struct node *node);
/* rules.c: the dtype to which a NODE_OP's operands are converted before the operation. */
enum weft_dtype operand_dtype(const struct program *program, const struct node *node);
/* rules.c: whether a NODE_OP compares a signed integer with a uint64. No type holds both, so they are compared by
 * value, through -1, 0, 1 (section 4). */
bool compares_by_value(const struct program *program, const struct node *node);
/* Whether a layout consists of letters only. It may be empty. */
bool layout_is_good(const char *text);

#endif
