/* A random program as a tree of its own, with a model of its own of what the language says about it:
 * types, literal expressions and shapes. Nothing of the compiler but its tables (ops.def, types.def,
 * rules.def, promote) is used, so that a mistake in parsing, typing or shapes shows as a difference.
 *
 * Invariant: a node's operands have smaller indices than the node. */
#ifndef WEFT_FORMULA_H
#define WEFT_FORMULA_H

#include "compiler/base/arena.h"
#include "compiler/lang/eval.h"
#include "compiler/lang/reductions.h"

enum {
    FORMULA_NODES = 1500, FORMULA_OPERANDS = 4, FORMULA_INPUTS = 128, FORMULA_RESULTS = 112,
    FORMULA_ELEMENTS = 2048,       /* of all array literals */
    FORMULA_RANK = 6, FORMULA_SAMPLES = 6, FORMULA_VIEWS = 64, FORMULA_ITEMS = 10,
    FORMULA_REDUCTIONS = 64
};

struct extents {
    int rank;
    int64_t at[FORMULA_RANK];
};

enum number_kind { NUMBER_NONE, NUMBER_INTEGER, NUMBER_REAL, NUMBER_BOOL };

/* The full value of a literal expression (rule 2.3), or true / false. */
struct number {
    enum number_kind kind;
    __int128 integer;
    double real;
};

enum formula_kind { FORMULA_INPUT, FORMULA_LITERAL, FORMULA_ARRAY, FORMULA_OP, FORMULA_CAST,
                    FORMULA_WRAP, FORMULA_VIEW, FORMULA_REDUCE };

/* Section 7: the operand's elements, in their order, under another shape. Rule 9.1: some of them. From VIEWS_TRANSPOSE
 * on, rule 9.2: in another order (rearrange.h). Two of rule 9.3 have several operands (join.h). Of VIEWS_INDEX
 * (12.1) the first source is the dimension. The second operand of VIEWS_TAKE are the positions (take.h). VIEWS_ARANGE
 * and VIEWS_LINSPACE have an operand where their length is its extent (series.h). From VIEWS_OFFSET on, section 10
 * (neighbour.h); of VIEWS_GATHER and VIEWS_SAMPLE the second operand are positions (gather.h), those behind them
 * are those of chance.h; VIEWS_SCATTER has x, positions and what is put there (scatter.h). Lists are as written. */
enum view_kind { VIEWS_RESHAPE, VIEWS_SQUEEZE, VIEWS_EXPAND, VIEWS_REINTERPRET, VIEWS_SELECT, VIEWS_TRANSPOSE,
                 VIEWS_FLIP, VIEWS_ROLL, VIEWS_BROADCAST, VIEWS_TILE, VIEWS_REPEAT,
                 VIEWS_CONCAT, VIEWS_STACK, VIEWS_INDEX, VIEWS_TAKE, VIEWS_ARANGE, VIEWS_LINSPACE,
                 VIEWS_OFFSET, VIEWS_PAD, VIEWS_CORRELATE, VIEWS_CONVOLVE,
                 VIEWS_GATHER, VIEWS_SAMPLE, VIEWS_RANDOM, VIEWS_NONZERO, VIEWS_SCATTER, VIEW_KINDS };

struct formula_item {
    enum { ITEMS_INDEX, ITEMS_SLICE, ITEMS_ELLIPSIS, ITEMS_NEW } kind;
    bool has_start, has_stop;
    int64_t start, stop, step;     /* ITEMS_INDEX: start */
};

/* How scatter puts elements. */
enum formula_put { PUTS_SET, PUTS_ADD, PUTS_MUL, PUTS_MIN, PUTS_MAX, PUTS_MEAN, PUT_KINDS };

/* What lies outside along an axis. */
enum formula_word { WORD_NONE, WORD_EDGE, WORD_WRAP, WORD_SYMMETRIC, WORD_REFLECT };

struct formula_mode {
    enum formula_word word;        /* WORD_NONE: a number */
    struct number number;          /* NUMBER_NONE: there is no mode */
};

struct formula_view {
    enum view_kind kind;
    bool has_shape, has_factors, has_sources;
    int count;                     /* of each list there is */
    int64_t shape[FORMULA_RANK];
    double factors[FORMULA_RANK];
    int sources[FORMULA_RANK];     /* src_dims; of squeeze and expand_dims the axes */
    struct formula_item items[FORMULA_ITEMS]; /* VIEWS_SELECT: so many as `count` */
    int64_t after[FORMULA_RANK];   /* of widths; has_shape: one number for all */
    enum formula_put put;
    bool has_mode, listed, valid;
    struct formula_mode modes[FORMULA_RANK]; /* the first is for all unless listed */
};

/* Section 11 (reduction.h). */
struct formula_reduction {
    enum reduction function;
    bool has_axes, keepdims;
    int count, axes[FORMULA_RANK]; /* as written */
    int ddof;
};

struct formula_node {
    enum formula_kind kind;
    enum op op;
    int operands[FORMULA_OPERANDS], count;
    int input;
    int view;                      /* FORMULA_VIEW: of formula->views */
    int reduction;                 /* FORMULA_REDUCE: of formula->reductions */
    int spelling;                  /* which of the row's */
    unsigned manner;               /* random bits for what may be written in several ways */
    int letters;                   /* FORMULA_REDUCE: of the operand's layout, for axes; 0: axes are numbers */
    bool bound;                    /* has a name; nodes used more than once must */
    struct extents extents;        /* FORMULA_ARRAY */
    int elements;                  /* FORMULA_ARRAY, VIEWS_LINSPACE: the first of formula->elements */
    /* Given for inputs, casts, wraps and reinterpret; else from formula_settle: */
    enum weft_dtype dtype;
    enum weft_dtype meeting;       /* what operands are converted to */
    bool by_value;                 /* compares a uint64 with a signed integer */
    struct number number;          /* a literal expression: its value */
    bool batch;                    /* depends on an input that is a batch */
    int place;                     /* offset of the operator in the text; from formula_write */
};

struct formula_input {
    enum weft_dtype dtype;
    bool batch;
    int declared;                  /* enum declaration */
};

/* How an input's type is told: not at all, to weft_compile or in the text; the dtype alone, extents as ?,
 * as numbers, as size variables. */
enum declaration { DECLARE_NOT, DECLARE_DTYPE, DECLARE_RANK, DECLARE_EXTENTS, DECLARE_SIZES,
                   DECLARE_MOST };

struct formula {
    struct formula_node nodes[FORMULA_NODES];
    int count;
    struct formula_input inputs[FORMULA_INPUTS];
    int input_count;
    struct number elements[FORMULA_ELEMENTS];
    int element_count;
    struct formula_view views[FORMULA_VIEWS];
    int view_count;
    struct formula_reduction reductions[FORMULA_REDUCTIONS];
    int reduction_count;
    int results[FORMULA_RESULTS], result_count;
    enum weft_dtype casts[FORMULA_RESULTS];   /* of kernels: the types behind -> */
    bool kernel;                   /* written as a kernel of a .weft file */
    bool in_text;                  /* declarations stand in the text */
    unsigned manner;
};

/* The rest of a node follows from its operands. False where the language has an error. */
bool formula_settle_node(struct formula *formula, int index);
/* All nodes, and the results. */
bool formula_settle(struct formula *formula);
/* Removes what no result needs, inputs too; `kept[old input]` is the new one or -1. */
void formula_prune(struct formula *formula, int kept[FORMULA_INPUTS]);
/* Names what has to have one: nodes used more than once, and those whose values a run has to tell. */
void formula_bind(struct formula *formula);
/* The dtype of a result. */
enum weft_dtype formula_result_dtype(const struct formula *formula, int result);

/* A row that is not exact on this node's operands, or whose bits are partly free (copysign from a NaN, the
 * bits of one): a run has to tell the value, and what is computed from it is exact again. */
bool formula_is_told(const struct formula *formula, const struct formula_node *node);
/* A view of reinterpret that reads a floating type as another. */
bool formula_shows_bits(const struct formula *formula, const struct formula_node *node);
/* Whether this spelling of the row is a sign, so that numbers joined by it are a literal expression. */
bool formula_is_sign(const struct formula_node *node);

/* A literal's value in a type it meets, is cast to or wrapped to. */
enum meeting_kind { MEETS, CASTS, WRAPS };
union scalar number_as(const struct number *number, enum weft_dtype dtype, enum meeting_kind how);
/* The dtype of a literal; WEFT_DTYPE_COUNT when it fits none. */
enum weft_dtype number_dtype(const struct number *number);
/* Whether it may meet the type. */
bool number_meets(const struct number *number, enum weft_dtype dtype);

/* Broadcasts `more` into `into`; false when they do not fit. */
bool extents_broadcast(struct extents *into, const struct extents *more);
int64_t extents_volume(const struct extents *extents);
bool extents_equal(const struct extents *a, const struct extents *b);
/* The shape of one node, from those before it; false where the language has an error. */
bool formula_shape(const struct formula *formula, int node, const struct extents *inputs,
                   struct extents *shapes);
/* The shapes of all nodes from those of the inputs. */
bool formula_shapes(const struct formula *formula, const struct extents *inputs,
                    struct extents *shapes);

#endif
