/* Implements shape.h: broadcasting, the shapes of all kinds of nodes, and size variables. */
#include "compiler/check/shape.h"

#include "compiler/check/axes.h"
#include "compiler/check/check.h"
#include "compiler/check/reduced.h"
#include "compiler/check/size.h"
#include "compiler/check/view.h"

#include <string.h>

/* The extent to which x and y, one of which is not known, broadcast. Neither is a 1 that stretches. */
static int64_t join_unequal(const struct open_extents *open, int64_t x, bool x_rigid, int64_t y, bool y_rigid,
                            struct span span)
{
    const bool x_stretches = x < 0 && !x_rigid, y_stretches = y < 0 && !y_rigid;
    const enum extent_op rule = x_stretches && y_stretches   ? EXTENT_BROADCAST
                                : x_stretches || y_stretches ? EXTENT_STRETCHES
                                                             : EXTENT_EQUAL;
    const bool turn = y_stretches && !x_stretches;
    extent_require(open, extent_fact(rule, turn ? y : x, turn ? x : y), span, "two extents do not broadcast");
    if (open && x_stretches && y_stretches)
        return extent_by(open, EXTENT_JOIN, x, y);
    return x >= 0 ? x : y >= 0 || (x_stretches && (y_rigid || x == EXTENT_UNKNOWN)) ? y : x;
}

/* Broadcasts dimension `from` of `b` into dimension `to` of `a`. False where they clash. */
static bool broadcast_extent(const struct open_extents *open, struct shape *a, int to, const struct shape *b, int from,
                             struct span span)
{
    const int64_t x = a->extents[to], y = b->extents[from];
    const bool x_rigid = a->rigid >> to & 1, y_rigid = b->rigid >> from & 1;
    const enum joined joined = join_extents(x, x_rigid, y, y_rigid);
    if (joined == JOINED_SECOND || joined == JOINED_OPEN)
        a->extents[to] = joined == JOINED_SECOND ? y : join_unequal(open, x, x_rigid, y, y_rigid, span);
    a->rigid |= (uint32_t)y_rigid << to;
    return joined != JOINED_CLASH;
}

static void widen(struct shape *shape, int rank)
{
    int shift = rank - shape->rank;
    memmove(shape->extents + shift, shape->extents, (size_t)shape->rank * sizeof(int64_t));
    for (int d = 0; d < shift; d++)
        shape->extents[d] = 1;
    shape->rigid = shift < 32 ? shape->rigid << shift : 0;
    shape->rank = rank;
}

static bool shapes_same(const struct shape *a, const struct shape *b)
{
    return a == b || (shapes_equal(a, b) && a->rigid == b->rigid);
}

const struct shape *shape_join(struct arena *arena, const struct open_extents *open, const struct shape *a,
                               const struct shape *b, struct span span, int *clash)
{
    if (shapes_same(a, b) || b->rank == 0)
        return a;
    if (a->rank == 0)
        return b;
    struct shape *joined = arena_copy(arena, a, sizeof *joined);
    widen(joined, a->rank > b->rank ? a->rank : b->rank);
    for (int d = 1; d <= b->rank; d++)
        if (!broadcast_extent(open, joined, joined->rank - d, b, b->rank - d, span)) {
            *clash = d;
            return NULL;
        }
    return shapes_same(joined, a) ? a : shapes_same(joined, b) ? b : joined;
}

/* The names of a node's dimensions; NULL: it has none. */
static const struct dims *names_of(const struct program *program, const struct node *node)
{
    return program->dims ? program->dims[node - program->nodes] : NULL;
}

static const char *extent_text(struct arena *arena, const struct program *program, int64_t extent)
{
    return extent >= 0                ? arena_printf(arena, "%lld", (long long)extent)
           : extent == EXTENT_UNKNOWN ? "?"
                                      : program->size_variables[EXTENT_VARIABLE - extent];
}

const char *shape_text(struct arena *arena, const struct program *program,
                       const struct shape *shape)
{
    struct buf text = buf_new(arena);
    buf_putc(&text, '[');
    for (int d = 0; d < shape->rank; d++)
        buf_printf(&text, "%s%s", d ? ", " : "", extent_text(arena, program, shape->extents[d]));
    buf_putc(&text, ']');
    return text.text;
}

const char *expression_text(struct arena *arena, const struct program *program, struct span span)
{
    return arena_excerpt(arena, program->source->text + span.start, (int)(span.end - span.start), 37);
}

const char *stretched_text(struct arena *arena, const char *text)
{
    return arena_printf(arena, strpbrk(text, "+-*/%&|^<>= ") ? "(%s)[..., None]" : "%s[..., None]", text);
}

const char *first_along_text(struct arena *arena, const char *text, const char *dim)
{
    return arena_printf(arena, strpbrk(text, "+-*/%&|^<>= ") ? "(%s).%.40s[0]" : "%s.%.40s[0]", text, dim);
}

const char *product_text(struct arena *arena, const struct program *program, const struct product *product)
{
    const char *first = expression_text(arena, program, product->factors[0]);
    return product->count == 1 ? first
                               : arena_printf(arena, "the product of %s and %s", first,
                                              expression_text(arena, program, product->factors[1]));
}

struct span product_span(const struct product *product)
{
    return span_join(product->factors[0], product->factors[product->count - 1]);
}

static const struct shape scalar;

/* The shape pass at work. */
struct inference {
    struct arena *arena;
    const struct program *program;
    struct diags *diags;
    const struct shape *const *inputs;
    const struct contents *contents;
    const struct shape **shapes;   /* of the nodes so far */
    struct view_args *views;       /* NULL, or a place for each view with its size expressions' values */
    struct size *sizes;            /* of the nodes so far; NULL: the program has no size expressions */
    const struct open_extents *open;
    bool good;
    const struct reduce_args *reported; /* the last call of a reduction that is wrong */
};

static const struct shape *operand_shape(const struct inference *s, const struct node *node, int operand)
{
    return s->shapes[s->program->operands[node->operands + operand]];
}

/* Whether two shapes clash in dimension `d`, counted from the end. */
static bool clashes(const struct shape *x, const struct shape *y, int d)
{
    const int a = x->rank - d, b = y->rank - d;
    return a >= 0 && b >= 0 && join_extents(x->extents[a], x->rigid >> a & 1, y->extents[b], y->rigid >> b & 1) ==
                                   JOINED_CLASH;
}

/* The reduction that dropped dimensions of an operand, below operations that keep its rank; NULL if there is none. */
static const struct node *dropping(const struct inference *s, const struct node *node, int operand)
{
    const int rank = operand_shape(s, node, operand)->rank;
    const struct node *value = named_node(s->program, operand_node(s->program, node, operand));
    while (value->kind == NODE_CAST || value->kind == NODE_OP) {
        int i = 0;
        while (value->kind == NODE_OP && i + 1 < value->operand_count && operand_shape(s, value, i)->rank < rank)
            i++;
        value = named_node(s->program, operand_node(s->program, value, i));
    }
    return (value->kind == NODE_REDUCE || value->kind == NODE_SEARCH) && !value->keepdims ? value : NULL;
}

/* How to keep the dimensions that operand `left` or `right` lost. */
static const char *keep_dimensions(const struct inference *s, const struct node *node, int left, int right)
{
    const struct node *reduce = dropping(s, node, left);
    reduce = reduce ? reduce : dropping(s, node, right);
    if (!reduce)
        return "";
    const char *name = s->program->reductions[reduce->reduction].name;
    if (strchr(reduction_rows[reduction_find(name)].kinds, 'b'))
        return "; keepdims=true keeps reduced dimensions, with extent 1";
    return arena_printf(s->arena, "; expand_dims(.., axes=..) puts an extent of 1 where %s dropped a dimension", name);
}

/* What stands under a node that the text does not have; NULL: the text has it. The factors of vecdot are under casts
 * that have the call's place, operands that were aligned by names under views, and both may be bound to hidden names.
 * The nodes of take that compute positions have the place of the operand whose positions they are. */
static const struct node *under(const struct inference *s, const struct node *value)
{
    const struct program *program = s->program;
    if (value->kind == NODE_NAME)
        return program->symbols[value->symbol].hidden ? &program->nodes[program->symbols[value->symbol].node] : NULL;
    const bool aligned = value->kind == NODE_VIEW && value->made && !names_of(program, value);
    if ((value->kind == NODE_CAST && value->rule) || aligned)
        return operand_node(program, value, 0);
    if (value->kind == NODE_REDUCE || value->kind == NODE_SEARCH || !value->operand_count)
        return NULL;
    const struct node *operand = operand_node(program, value, 0);
    const bool same = operand->span.start == value->span.start && operand->span.end == value->span.end;
    return same && (value->made || operand->made) ? operand : NULL;
}

/* An operand as it is written. */
static const struct node *written(const struct inference *s, const struct node *node, int operand)
{
    const struct node *value = operand_node(s->program, node, operand), *inner;
    while ((inner = under(s, value)))
        value = inner;
    return value;
}

static struct span written_span(const struct inference *s, const struct node *node, int operand)
{
    const struct node *value = operand_node(s->program, node, operand);
    while (value->kind == NODE_CAST && value->rule)
        value = named_node(s->program, operand_node(s->program, value, 0));
    return value->span;
}

/* An operand's dimensions with their sizes, or its shape. */
static const char *sides_text(const struct inference *s, const struct node *value)
{
    const struct dims *dims = names_of(s->program, value);
    const struct shape *shape = s->shapes[value - s->program->nodes];
    struct buf text = buf_new(s->arena);
    if (!dims)
        return shape_text(s->arena, s->program, shape);
    dims_put(&text, s->program, dims, shape->extents, 6);
    return text.text;
}

/* How an operand of size 1 along a dimension is constant along it. */
static const char *stretch_advice(const struct inference *s, const struct node *node, const char *dim)
{
    const char *text = first_along_text(s->arena, expression_text(s->arena, s->program, node->span), dim);
    return arena_printf(s->arena, "; %s is constant along %s", text, dim);
}

/* What differs between two named operands, or one that is not named. */
static const char *difference(const struct inference *s, const struct node *a, const struct node *b)
{
    const struct dims *x = names_of(s->program, a), *y = names_of(s->program, b);
    const struct shape *p = s->shapes[a - s->program->nodes], *q = s->shapes[b - s->program->nodes];
    for (int d = 0; x && y && d < x->rank; d++) {
        const int e = dims_find(y, x->items[d].name);
        const int64_t one = p->extents[d], other = e >= 0 ? q->extents[e] : one;
        if (one != other)
            return arena_printf(s->arena, "sizes %s and %s of %s differ%s", extent_text(s->arena, s->program, one),
                                extent_text(s->arena, s->program, other), x->items[d].name,
                                one == 1   ? stretch_advice(s, a, x->items[d].name)
                                : other == 1 ? stretch_advice(s, b, x->items[d].name) : "");
    }
    const char *text = expression_text(s->arena, s->program, (x ? b : a)->span);
    return (x ? b : a)->kind == NODE_ARRAY
               ? arena_printf(s->arena, "%s has another number of elements than the channel dimension", text)
               : arena_printf(s->arena, "%s has no names%s", text,
                              named_beside(s->arena, "give it some", text, (x ? q : p)->rank, (x ? q : p)->extents,
                                           expression_text(s->arena, s->program, (x ? a : b)->span), x ? x : y,
                                           (x ? p : q)->extents));
}

/* Reports operands of a named operation that differ. */
static bool mismatch(const struct inference *s, const struct node *node, int left, int right)
{
    const struct node *a = written(s, node, left), *b = written(s, node, right);
    return diag_at(s->diags, DIAG_DIM_MATCH, ((struct span[]){node->token, a->span, b->span}), 3,
                   expression_text(s->arena, s->program, a->span), sides_text(s, a),
                   expression_text(s->arena, s->program, b->span), sides_text(s, b), difference(s, a, b));
}

/* Dimensions with names never stretch (rule 8.5). */
static const struct shape *stiffen(const struct inference *s, const struct node *node, const struct shape *shape)
{
    const uint32_t all = shape && shape->rank < 32 ? (1u << shape->rank) - 1 : ~0u;
    if (!shape || node->made || !names_of(s->program, node) || (shape->rigid & all) == all)
        return shape;
    struct shape *stiff = arena_copy(s->arena, shape, sizeof *shape);
    stiff->rigid = all;
    return stiff;
}

/* An operand of rank 1 or more beside named ones that is neither named nor aligned, which only its shape tells; -1. */
static int unnamed_operand(const struct inference *s, const struct node *node)
{
    const bool named = names_of(s->program, node) && !node->made;
    for (int i = 0; named && i < node->operand_count; i++) {
        const struct node *operand = operand_node(s->program, node, i), *value = named_node(s->program, operand);
        const bool aligned = operand->kind == NODE_VIEW && operand->made;
        if (!aligned && !names_of(s->program, operand) && value->kind != NODE_ARRAY && operand_shape(s, node, i)->rank)
            return i;
    }
    return -1;
}

/* An array literal beside named operands has an element for each of the last dimension, the channel (rule 8.4). */
static bool array_fits(const struct inference *s, const struct node *node, int i, const struct shape *shape)
{
    const struct node *value = named_node(s->program, operand_node(s->program, node, i));
    return value->kind != NODE_ARRAY || node->made ||
           extent_require(s->open, extent_fact(EXTENT_EQUAL, operand_shape(s, node, i)->extents[0],
                                               shape->extents[shape->rank - 1]), node->token,
                          "an array literal has another number of elements than the channel dimension");
}

static int named_operand(const struct inference *s, const struct node *node)
{
    int i = 0;
    while (i + 1 < node->operand_count && !names_of(s->program, written(s, node, i)))
        i++;
    return i;
}

/* How operand `fewer` would stand for all of the last dimension of operand `more`, as a mask does for the channels of a
 * picture; "" where it would not fit. */
static const char *stretch(const struct inference *s, const struct node *node, int fewer, int more)
{
    const struct shape *x = operand_shape(s, node, fewer), *y = operand_shape(s, node, more);
    bool fits = x->rank > 0 && x->rank + 1 == y->rank;
    for (int d = 0; fits && d < x->rank; d++)
        fits = x->extents[d] == y->extents[d] || x->extents[d] == 1;
    if (!fits)
        return "";
    const char *text = expression_text(s->arena, s->program, written_span(s, node, fewer));
    return arena_printf(s->arena, "; write %s", stretched_text(s->arena, text));
}

/* What to write in place of operands that clash. */
static const char *broadcast_advice(const struct inference *s, const struct node *node, int left, int right)
{
    const char *advice = keep_dimensions(s, node, left, right);
    if (!*advice)
        advice = stretch(s, node, left, right);
    return *advice ? advice : stretch(s, node, right, left);
}

/* Reports that operand `right` clashes with an operand before it in dimension `d`, counted from the end. The message
 * names the first operand with which it clashes. */
static bool clash(const struct inference *s, const struct node *node, int right, int d)
{
    const struct shape *y = operand_shape(s, node, right);
    int left = 0;
    while (left < right && !clashes(operand_shape(s, node, left), y, d))
        left++;
    left = left < right ? left : 0;
    if (names_of(s->program, node))
        return mismatch(s, node, left, right);
    const struct shape *x = operand_shape(s, node, left);
    const struct span a = written_span(s, node, left), b = written_span(s, node, right);
    const char *which = d == 1 ? "the last dimension" : arena_printf(s->arena, "dimension -%d", d);
    return diag_at(s->diags, DIAG_BROADCAST, ((struct span[]){node->token, a, b}), 3,
                   expression_text(s->arena, s->program, b), shape_text(s->arena, s->program, y),
                   expression_text(s->arena, s->program, a), shape_text(s->arena, s->program, x),
                   extent_text(s->arena, s->program, y->extents[y->rank - d]),
                   extent_text(s->arena, s->program, x->extents[x->rank - d]), which,
                   broadcast_advice(s, node, left, right));
}

bool shapes_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank &&
           memcmp(a->extents, b->extents, (size_t)a->rank * sizeof a->extents[0]) == 0;
}

bool shape_known(const struct shape *shape)
{
    for (int d = 0; d < shape->rank; d++)
        if (shape->extents[d] < 0)
            return false;
    return true;
}

static int count_extent(const struct shape *shape, int64_t extent)
{
    int count = 0;
    for (int d = 0; d < shape->rank; d++)
        count += shape->extents[d] == extent;
    return count;
}

bool shapes_fill(const struct shape *a, const struct shape *b)
{
    if (shape_known(a) && shape_known(b))
        return shape_volume(a) == shape_volume(b);
    for (int d = 0; d < a->rank; d++)
        if (a->extents[d] != 1 && count_extent(a, a->extents[d]) != count_extent(b, a->extents[d]))
            return false;
    return a->rank - count_extent(a, 1) == b->rank - count_extent(b, 1);
}

int64_t shape_volume(const struct shape *shape)
{
    int64_t volume = 1;
    bool empty = false;
    for (int d = 0; d < shape->rank; d++) {
        empty = empty || shape->extents[d] == 0;
        if (shape->extents[d] > 0 && __builtin_mul_overflow(volume, shape->extents[d], &volume))
            return -1; /* also when another extent is 0, since strides would overflow all the same */
    }
    return volume > INT64_MAX / 16 ? -1 : empty ? 0 : volume;
}

/* Whether the shape is an operand's, so it was found before. */
static bool is_operands(const struct inference *s, const struct node *node, const struct shape *shape)
{
    int i = 0;
    while (i < node->operand_count && operand_shape(s, node, i) != shape)
        i++;
    return i < node->operand_count;
}

static const struct shape *broadcast(struct inference *s, const struct node *node)
{
    const struct shape *shape = operand_shape(s, node, 0);
    int d;
    if (is_operands(s, node, NULL))
        return NULL;
    const int unnamed = s->program->dims ? unnamed_operand(s, node) : -1;
    if (unnamed >= 0) {
        s->good = mismatch(s, node, named_operand(s, node), unnamed);
        return NULL;
    }
    for (int i = 1; i < node->operand_count; i++) {
        shape = shape_join(s->arena, s->open, shape, operand_shape(s, node, i), node->token, &d);
        if (!shape) {
            s->good = clash(s, node, i, d);
            return NULL;
        }
    }
    for (int i = 0; s->program->dims && names_of(s->program, node) && i < node->operand_count; i++)
        if (!array_fits(s, node, i, shape)) {
            s->good = mismatch(s, node, named_operand(s, node), i);
            return NULL;
        }
    if (!is_operands(s, node, shape) && shape_volume(shape) < 0)
        s->good = diag(s->diags, DIAG_VOLUME, node->span, shape_text(s->arena, s->program, shape));
    return shape;
}

struct shape *shape_new(struct arena *arena, int rank, const int64_t *extents)
{
    struct shape *shape = ARENA_NEW(arena, struct shape);
    shape->rank = rank;
    memcpy(shape->extents, extents, (size_t)rank * sizeof *extents);
    return shape;
}

/* The dtype that VIEW_REINTERPRET reads: that of an input, where it is known. Inside an expression the sizes are
 * equal, so the result's serves. */
static enum weft_dtype viewed_dtype(const struct program *program, const struct node *node,
                                    enum weft_dtype result)
{
    node = named_node(program, node);
    if (node->kind != NODE_NAME)
        return result;
    const struct symbol *symbol = &program->symbols[node->symbol];
    return symbol->typed ? symbol->type.dtype : WEFT_DTYPE_COUNT;
}

/* Operand `i` of a view, of which positions may have none. */
static struct viewed viewed_value(const struct inference *s, const struct node *node, int i)
{
    const struct view_args *args = &s->program->views[node->view];
    const struct node *operand = node->operand_count ? shown_node(s->program, operand_node(s->program, node, i)) : node;
    const bool joined = node->kind == NODE_JOIN && names_of(s->program, node);
    return (struct viewed){
        .program = s->program, .operand = operand->span, .place = node->token,
        .dims = node->operand_count ? names_of(s->program, joined ? written(s, node, i) : operand) : NULL,
        .joined = joined ? names_of(s->program, node) : NULL,
        .name = expression_text(s->arena, s->program, operand->span),
        .shape = node->operand_count ? operand_shape(s, node, i) : NULL,
        .inputs = s->inputs, .contents = s->contents, .sizes = s->sizes, .open = s->open,
        .dtype = viewed_dtype(s->program, operand, args->dtype)};
}

static const struct shape *viewed_shape(struct inference *s, const struct node *node)
{
    const int count = node->operand_count ? node->operand_count : 1;
    struct viewed *values = ARENA_ARRAY(s->arena, struct viewed, count);
    for (int i = 0; i < count; i++)
        values[i] = viewed_value(s, node, i);
    const struct view_args *args = view_resolve(s->arena, s->diags, values, &s->program->views[node->view]);
    s->good = s->good && args;
    if (args && s->views)
        s->views[node->view] = *args;
    return args ? view_shape(s->arena, s->diags, values, count, args, &s->good) : NULL;
}

static bool needs_elements(const struct node *node)
{
    return node->kind == NODE_REDUCE && (join_rows[node->join].fails || node->extreme);
}

/* A reduction without elements that has no value, although the result has an element. */
static bool reduces_nothing(const struct node *node, const struct shape *operand, uint32_t set)
{
    bool nothing = false;
    for (int d = 0; d < operand->rank; d++) {
        nothing = nothing || (set >> d & 1 && operand->extents[d] == 0);
        if (!(set >> d & 1) && operand->extents[d] <= 0)
            return false;
    }
    return nothing && needs_elements(node);
}

/* Has the call find that out where it decides the extents. */
static void require_elements(const struct inference *s, const struct node *node, const struct shape *operand,
                             uint32_t set)
{
    for (int d = 0; d < operand->rank && needs_elements(node); d++)
        if (set >> d & 1)
            extent_require(s->open, extent_fact(EXTENT_SOME, operand->extents[d]), node->token,
                           "%s of no elements: dimension %d has extent 0",
                           s->program->reductions[node->reduction].name, d);
}

/* Finds the dimensions that a node reduces, or reports, once for all nodes of a call, what is wrong with them. */
static bool find_reduced(struct inference *s, const struct node *node, const struct shape *shape, uint32_t *set)
{
    const struct reduce_args *args = &s->program->reductions[node->reduction];
    const char *text = product_text(s->arena, s->program, &args->value);
    const struct viewed value = {.program = s->program, .name = text, .place = node->token,
                                 .operand = product_span(&args->value), .shape = shape};
    if (s->reported == args)
        return false;
    s->reported = args;
    if (args->axes.given && !axes_find(s->arena, s->diags, &value, &args->axes, args->last ? "axis" : "axes", set))
        return false;
    if (!args->axes.given && args->last && !shape->rank)
        return diag(s->diags, DIAG_AXIS, node->token,
                    arena_printf(s->arena, "%s [] has no dimensions to reduce", text));
    *set = reduced_set(args, shape->rank);
    if (reduces_nothing(node, shape, *set))
        return diag(s->diags, DIAG_REDUCE_EMPTY, node->span, args->name, text,
                    shape_text(s->arena, s->program, shape), args->name);
    require_elements(s, node, shape, *set);
    s->reported = NULL;
    return true;
}

static const struct shape *reduce(struct inference *s, const struct node *node)
{
    const struct shape *shape = operand_shape(s, node, 0);
    const struct reduce_args *args = &s->program->reductions[node->reduction];
    uint32_t set;
    if (!shape || axes_open(&args->axes))
        return args->axes.given || args->last || node->keepdims ? NULL : &scalar;
    if (find_reduced(s, node, shape, &set))
        return reduced_shape(s->arena, node, shape, set);
    s->good = false;
    return NULL;
}

static const struct shape *node_shape(struct inference *s, const struct node *node)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &s->program->symbols[node->symbol] : NULL;
    switch (node->kind) {
    case NODE_POISON: break;
    case NODE_LITERAL: return &scalar;
    case NODE_REDUCE: case NODE_COUNT: case NODE_SEARCH: return reduce(s, node);
    case NODE_NAME: return symbol->kind == SYMBOL_INPUT ? s->inputs[symbol->input] : s->shapes[symbol->node];
    case NODE_OP: return broadcast(s, node);
    case NODE_CAST: case NODE_WRAP: return operand_shape(s, node, 0);
    case NODE_ARRAY: return shape_new(s->arena, node->rank, s->program->extents + node->extents);
    case NODE_VIEW: case NODE_CORRELATE: case NODE_POSITION: case NODE_JOIN: case NODE_TAKE: case NODE_SCATTER:
        return viewed_shape(s, node);
    }
    return NULL;
}

bool infer_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct shape *const *inputs, const struct contents *contents, const struct open_extents *open,
                  const struct shape **shapes, struct view_args *views)
{
    struct inference s = {.arena = arena, .program = program, .diags = diags, .inputs = inputs, .contents = contents,
                          .open = open, .shapes = shapes, .views = views, .good = true};
    const struct size_scope scope = {program, inputs, contents, open, shapes,
                                     program->size_count ? ARENA_ARRAY(arena, struct size, program->node_count) : NULL};
    s.sizes = scope.sizes;
    for (int n = 0; n < program->node_count; n++) {
        shapes[n] = stiffen(&s, &program->nodes[n], node_shape(&s, &program->nodes[n]));
        if (s.sizes)
            scope.sizes[n] = node_size(&scope, n);
    }
    return s.good;
}

/* The extent that a result is declared with: that of a size variable is an input's. */
static int64_t declared_extent(const struct program *program, const struct shape *const *inputs, int64_t extent)
{
    for (int i = 0; i < program->input_count && extent <= EXTENT_VARIABLE; i++) {
        const struct type *type = &program->symbols[program->inputs[i]].type;
        for (int d = 0; inputs[i] && type->ranked && d < type->rank && d < inputs[i]->rank; d++)
            if (type->extents[d] == extent)
                return inputs[i]->extents[d];
    }
    return extent;
}

/* Whether a result may have the shape that it is declared with. */
static bool fits_type(struct arena *arena, const struct program *program, const struct result *result,
                      const struct shape *const *inputs, const struct open_extents *open, const struct shape *shape)
{
    bool fits = shape->rank == result->type->rank;
    for (int d = 0; fits && d < shape->rank; d++) {
        const int64_t extent = declared_extent(program, inputs, result->type->extents[d]);
        if (extent != EXTENT_UNKNOWN && extent != shape->extents[d])
            fits = extent_require(open, extent_fact(EXTENT_EQUAL, shape->extents[d], extent), result->span,
                                  "extent %d of result %s is not %s, as declared", d, result->name,
                                  extent_text(arena, program, result->type->extents[d]));
    }
    return fits;
}

bool check_results(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *inputs, const struct open_extents *open,
                   const struct shape *const *shapes)
{
    bool good = true;
    for (int r = 0; r < program->result_count; r++) {
        const struct result *result = &program->results[r];
        const struct shape *shape = shapes[result->node];
        if (result->type && shape && !fits_type(arena, program, result, inputs, open, shape))
            good = diag(diags, DIAG_WRONG_SHAPE, result->span, "result", result->name,
                        shape_text(arena, program, shape),
                        shape_text(arena, program, shape_new(arena, result->type->rank, result->type->extents)));
    }
    return good;
}

struct shape *type_shape(struct arena *arena, const struct type *type)
{
    if (!type->ranked)
        return NULL;
    struct shape *shape = shape_new(arena, type->rank, type->extents);
    for (int d = 0; d < type->rank; d++)
        if (type->extents[d] <= EXTENT_VARIABLE)
            shape->rigid |= 1u << d;
    return shape;
}

/* ---- size variables ---- */

void sizes_init(struct size_values *sizes, struct arena *arena, const struct program *program)
{
    *sizes = (struct size_values){ARENA_ARRAY(arena, struct size_value, program->size_variable_count), ""};
    for (int i = 0; i < program->size_variable_count; i++)
        sizes->items[i].input = -1;
}

int64_t sizes_extent(const struct size_values *sizes, int64_t extent)
{
    const struct size_value *size = extent <= EXTENT_VARIABLE ? &sizes->items[EXTENT_VARIABLE - extent] : NULL;
    return size && size->input >= 0 ? size->extent : extent;
}

/* Sets a size variable to the number that it is in an input. False, with a diagnostic, where it has another value. */
static bool set_size(const struct program *program, struct size_values *sizes, int input, int64_t variable,
                     int64_t number, struct diags *diags)
{
    struct size_value *size = &sizes->items[EXTENT_VARIABLE - variable];
    if (size->input < 0)
        *size = (struct size_value){number, input};
    if (size->extent == number)
        return true;
    return diag_at(diags, DIAG_SIZE_VARIABLE, NULL, 0, program->size_variables[EXTENT_VARIABLE - variable],
                   (long long)size->extent, program->symbols[program->inputs[size->input]].name,
                   (long long)number, program->symbols[program->inputs[input]].name, sizes->where);
}

bool sizes_join(const struct program *program, struct size_values *sizes, int input, int64_t *known, int64_t next,
                 struct diags *diags)
{
    if (*known == EXTENT_UNKNOWN)
        *known = next;
    else if (*known >= 0 && next >= 0)
        return *known == next;
    else if (*known <= EXTENT_VARIABLE && next >= 0)
        return set_size(program, sizes, input, *known, next, diags);
    else if (next <= EXTENT_VARIABLE && *known >= 0)
        return set_size(program, sizes, input, next, *known, diags);
    return true;
}
