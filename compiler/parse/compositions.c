/* Makes the nodes of linspace, random, scatter and nonzero (rules 12.1, 12.2, 12.5 and 12.6): positions, which are
 * NODE_POSITIONs, what is put somewhere, and the arithmetic on them; and of isclose (section 4), which is arithmetic
 * alone. All have the place of the call. A value that is used twice is bound to a hidden name, so nodes stay trees. */
#include "compiler/parse/parse_impl.h"

#include <math.h>

struct making {
    struct parser *p;
    struct span span, token;       /* the call, and the name in it */
};

static int add(const struct making *m, struct node node, const int *operands, int count)
{
    node.op = node.kind == NODE_OP ? node.op : OP_COUNT;
    node.span = node.kind == NODE_NAME ? m->p->program->symbols[node.symbol].span : m->span;
    node.own_types = true;
    node.token = m->token;
    return parse_add_node(m->p, node, operands, count);
}

static int literal(const struct making *m, int value)
{
    return add(m, (struct node){.kind = NODE_LITERAL, .literal = {LITERAL_INTEGER, value, 0}}, NULL, 0);
}

static int real(const struct making *m, double value)
{
    return add(m, (struct node){.kind = NODE_LITERAL, .literal = {LITERAL_REAL, 0, value}}, NULL, 0);
}

static int operation(const struct making *m, enum op op, int a, int b)
{
    return add(m, (struct node){.kind = NODE_OP, .op = op}, (int[]){a, b}, 2);
}

static int choose(const struct making *m, int condition, int a, int b)
{
    return add(m, (struct node){.kind = NODE_OP, .op = OP_WHERE}, (int[]){condition, a, b}, 3);
}

static int apply(const struct making *m, enum op op, int a)
{
    return add(m, (struct node){.kind = NODE_OP, .op = op}, &a, 1);
}

static int wrap(const struct making *m, enum weft_dtype dtype, int node)
{
    return add(m, (struct node){.kind = NODE_WRAP, .dtype = dtype}, &node, 1);
}

static int cast(const struct making *m, enum weft_dtype dtype, int node)
{
    return add(m, (struct node){.kind = NODE_CAST, .dtype = dtype}, &node, 1);
}

/* Names a node; `use` is a use of it. */
static int bind(const struct making *m, const char *name, int node)
{
    return m->p->failed ? 0 : resolve_hidden(m->p, name, node);
}

static int use(const struct making *m, int symbol)
{
    return m->p->failed ? 0 : add(m, (struct node){.kind = NODE_NAME, .symbol = symbol}, NULL, 0);
}

/* ---- linspace ---- */

/* extent(positions, 0) - 1 */
static int last_position(const struct making *m, int positions)
{
    struct program *program = m->p->program;
    const struct literal *zero = arena_copy(m->p->arena, &(struct literal){LITERAL_INTEGER, 0, 0}, sizeof *zero);
    const struct view_args extent = {.kind = VIEW_EXTENT, .dtype = WEFT_INT64,
                                     .axes = {.given = true, .count = 1, .items = zero, .input = -1, .span = m->token}};
    ARENA_PUSH(m->p->arena, program->views, program->view_count, extent);
    const struct node node = {.kind = NODE_VIEW, .view = program->view_count - 1};
    return operation(m, OP_SUB, add(m, node, (int[]){use(m, positions)}, 1), literal(m, 1));
}

/* The type in which positions are counted. */
static enum weft_dtype counted_in(const struct numbers *n)
{
    const bool known = n->input < 0 && n->count && n->items[0].kind == LITERAL_INTEGER &&
                       n->items[0].integer <= INT32_MAX;
    return known ? WEFT_INT32 : WEFT_INT64;
}

int parse_linspace(struct parser *p, const int ends[2], int view, struct span span, struct span token)
{
    const struct making m = {p, span, token};
    const int from = ends[0], to = ends[1]; /* they stand on the stack */
    p->program->views[view].dtype = counted_in(&p->program->views[view].counts);
    const int a = bind(&m, "a of linspace", cast(&m, WEFT_FLOAT64, from));
    const int b = bind(&m, "b of linspace", cast(&m, WEFT_FLOAT64, to));
    const int between = bind(&m, "b - a of linspace", operation(&m, OP_SUB, use(&m, b), use(&m, a)));
    const struct node counted = {.kind = NODE_POSITION, .view = view};
    const int i = bind(&m, "i of linspace", add(&m, counted, (int[]){use(&m, between)}, 1));
    const int end = bind(&m, "last of linspace", cast(&m, WEFT_FLOAT64, last_position(&m, i)));
    const int place = bind(&m, "place of linspace", cast(&m, WEFT_FLOAT64, use(&m, i)));
    int value = operation(&m, OP_MUL, use(&m, place), use(&m, between));
    value = operation(&m, OP_ADD, use(&m, a), operation(&m, OP_DIV, value, use(&m, end)));
    value = choose(&m, operation(&m, OP_EQ, use(&m, place), use(&m, end)), use(&m, b), value);
    value = choose(&m, operation(&m, OP_EQ, use(&m, end), literal(&m, 0)), use(&m, a), value);
    return cast(&m, rules_of(p->source->rules)->spaced, value);
}

/* ---- random ---- */

/* What random's values are made of: hidden names. */
struct drawing {
    struct making m;
    int element, seed, stream;     /* int64: the element's row-major number, the key, sample and stream in one */
};

/* The numbers of x's elements, or that of the sample. Further operands are there to be checked. */
static int numbers_of(const struct making *m, enum view_kind kind, enum chance chance, const int *symbols, int count)
{
    struct program *program = m->p->program;
    const struct view_args args = {.kind = kind, .dtype = WEFT_INT64, .chance = chance};
    int operands[3];
    for (int i = 0; i < count; i++)
        operands[i] = use(m, symbols[i]);
    ARENA_PUSH(m->p->arena, program->views, program->view_count, args);
    return add(m, (struct node){.kind = NODE_POSITION, .view = program->view_count - 1}, operands, count);
}

/* 24 random bits of the element with this number, an int32. */
static int bits(const struct drawing *c, int element)
{
    const int operands[] = {element, use(&c->m, c->seed), use(&c->m, c->stream)};
    return wrap(&c->m, WEFT_INT32, add(&c->m, (struct node){.kind = NODE_OP, .op = OP_RANDOM}, operands, 3));
}

static int scaled(const struct drawing *c, int whole, double by)
{
    return operation(&c->m, OP_MUL, cast(&c->m, WEFT_FLOAT32, whole), real(&c->m, by));
}

/* u * 2^-24 */
static int uniform(const struct drawing *c)
{
    return scaled(c, bits(c, use(&c->m, c->element)), 0x1p-24);
}

/* Box and Muller's: of a pair's words u and v, r = sqrt(-2 log((u + 1) * 2^-24)), and r sin of 2 pi v 2^-24 for the
 * second, r cos of it, which is the sine of a quarter of a turn more, for the first. Turns are reduced to half a turn
 * in integers, so the sine's argument is below pi. */
static int normal(const struct drawing *c)
{
    const struct making *m = &c->m;
    const int u = bits(c, operation(m, OP_BITAND, use(m, c->element), literal(m, -2)));
    const int v = bits(c, operation(m, OP_BITOR, use(m, c->element), literal(m, 1)));
    const int distance = apply(m, OP_LOG, scaled(c, operation(m, OP_ADD, u, literal(m, 1)), 0x1p-24));
    const int r = apply(m, OP_SQRT, operation(m, OP_MUL, distance, literal(m, -2)));
    const int second = operation(m, OP_BITAND, wrap(m, WEFT_INT32, use(m, c->element)), literal(m, 1));
    const int quarter = operation(m, OP_SUB, literal(m, 3 << 22), operation(m, OP_MUL, second, literal(m, 1 << 22)));
    const int turned = operation(m, OP_BITAND, operation(m, OP_ADD, v, quarter), literal(m, (1 << 24) - 1));
    const int half = operation(m, OP_SUB, turned, literal(m, 1 << 23));
    return operation(m, OP_MUL, r, apply(m, OP_SIN, scaled(c, half, 2 * M_PI * 0x1p-24)));
}

int parse_random(struct parser *p, const int *operands, int count, int view, struct span span, struct span token)
{
    static const char *const names[] = {"x of random", "seed of random", "stream of random"};
    struct drawing c = {.m = {p, span, token}};
    const struct making *m = &c.m;
    const enum view_kind kind = p->program->views[view].kind;
    const int given[] = {operands[0], operands[1], count > 2 ? operands[2] : literal(m, 0)};
    int symbols[3];
    for (int i = 0; i < 3; i++)
        symbols[i] = bind(m, names[i], given[i]);
    c.element = bind(m, "element of random", numbers_of(m, kind, CHANCE_ELEMENTS, symbols, 3));
    c.seed = bind(m, "key of random", wrap(m, WEFT_INT64, use(m, symbols[1])));
    const int stream = operation(m, OP_SHL, wrap(m, WEFT_INT64, use(m, symbols[2])), literal(m, 32));
    const int sample = numbers_of(m, kind, CHANCE_SAMPLE, symbols, 1);
    c.stream = bind(m, "sample and stream of random", operation(m, OP_BITOR, stream, sample));
    p->program->views[view].like = symbols[0];
    const int value = kind == VIEW_RANDOM_NORMAL ? normal(&c) : uniform(&c);
    return add(m, (struct node){.kind = NODE_VIEW, .view = view}, &value, 1);
}

/* ---- scatter ---- */

/* What scatter's nodes are made of: hidden names. */
struct putting {
    struct making m;
    const struct view_args *args;
    int x, i, v;                   /* as they are given */
    int front, places;             /* x with the axes first; the places of the positions */
};

/* A view of the call, of which `part` is another. */
static int part_of(const struct putting *s, enum node_kind kind, enum scatter_part part, const int *operands, int count)
{
    struct program *program = s->m.p->program;
    struct view_args args = *s->args;
    args.kind = part == SCATTER_FRONT || part == SCATTER_BACK ? VIEW_TRANSPOSE : VIEW_SCATTER;
    args.part = part;
    ARENA_PUSH(s->m.p->arena, program->views, program->view_count, args);
    return add(&s->m, (struct node){.kind = kind, .view = program->view_count - 1}, operands, count);
}

/* A value with the shape that gather has; `part` SCATTER_FULL: v, which becomes x's type. */
static int spread(const struct putting *s, enum scatter_part part, int value)
{
    return part_of(s, NODE_VIEW, part, (int[]){value, use(&s->m, s->x), use(&s->m, s->i)}, 3);
}

static int put_part(const struct putting *s, enum scatter_part part, int to, int values)
{
    return part_of(s, NODE_SCATTER, part, (int[]){to, use(&s->m, s->places), values}, 3);
}

static int put(const struct putting *s, int to, int values)
{
    return put_part(s, SCATTER_WHOLE, to, values);
}

/* A value converted to the type that follows from x's. */
static int ruled(const struct putting *s, enum type_rule rule, int value)
{
    return add(&s->m, (struct node){.kind = NODE_CAST, .rule = rule}, (int[]){value, use(&s->m, s->front)}, 2);
}

/* A value with the shape of x. */
static int like(const struct putting *s, int value)
{
    return part_of(s, NODE_VIEW, SCATTER_LIKE, (int[]){value, use(&s->m, s->front)}, 2);
}

/* The sum of what was put in a place divided by how many it were, as mean rounds it; where nothing was, x. */
static int mean_of(const struct putting *s)
{
    const struct making *m = &s->m;
    const int none = cast(m, WEFT_INT64, literal(m, 0)), one = cast(m, WEFT_INT64, literal(m, 1));
    const int count = bind(m, "count of scatter", put(s, like(s, none), spread(s, SCATTER_SPREAD, one)));
    const int start = like(s, ruled(s, TYPE_DOT, literal(m, 0)));
    const int values = ruled(s, TYPE_DOT, spread(s, SCATTER_FULL, use(m, s->v)));
    const int dividend = put_part(s, SCATTER_TOTAL, start, values), divisor = ruled(s, TYPE_TOTAL, use(m, count));
    const int mean = ruled(s, TYPE_KEEP, ruled(s, TYPE_FLOAT, operation(m, OP_DIV, dividend, divisor)));
    return choose(m, operation(m, OP_EQ, use(m, count), literal(m, 0)), use(m, s->front), mean);
}

int parse_scatter(struct parser *p, const int *operands, int view, struct span span, struct span token)
{
    struct view_args args = p->program->views[view];
    const bool means = args.put == PUT_MEAN;
    args.put = means ? PUT_ADD : args.put;
    struct putting s = {.m = {p, span, token}, .args = &args};
    const struct making *m = &s.m;
    s.x = bind(m, "x of scatter", operands[0]);
    s.i = bind(m, "i of scatter", operands[1]);
    s.v = bind(m, "v of scatter", operands[2]);
    s.places = bind(m, "places of scatter",
                    part_of(&s, NODE_TAKE, SCATTER_PLACES, (int[]){use(m, s.x), use(m, s.i)}, 2));
    p->program->position_count++;
    s.front = s.x;
    if (args.axes.given)
        s.front = bind(m, "front of scatter", part_of(&s, NODE_VIEW, SCATTER_FRONT, (int[]){use(m, s.x)}, 1));
    const int made = means ? mean_of(&s) : put(&s, use(m, s.front), spread(&s, SCATTER_FULL, use(m, s.v)));
    return args.axes.given ? part_of(&s, NODE_VIEW, SCATTER_BACK, (int[]){made, use(m, s.x)}, 2) : made;
}

/* ---- nonzero ---- */

static int nonzero_part(const struct making *m, enum node_kind kind, enum scatter_part part, const int *operands,
                        int count)
{
    struct program *program = m->p->program;
    const struct view_args args = {.kind = VIEW_NONZERO, .dtype = WEFT_INT64, .part = part};
    ARENA_PUSH(m->p->arena, program->views, program->view_count, args);
    return add(m, (struct node){.kind = kind, .view = program->view_count - 1}, operands, count);
}

/* Elements have row-major numbers, of which positions are the digits. */
int parse_nonzero(struct parser *p, int x, int view, struct span span, struct span token)
{
    const struct making m = {p, span, token};
    struct program *program = p->program;
    const struct literal *one = arena_copy(p->arena, &(struct literal){LITERAL_INTEGER, 1, 0}, sizeof *one);
    const struct view_args column = {.kind = VIEW_EXPAND_DIMS,
                                     .axes = {.given = true, .count = 1, .items = one, .input = -1, .span = token}};
    program->views[view].dtype = WEFT_INT64;
    const int value = bind(&m, "x of nonzero", x), mask = cast(&m, WEFT_BOOL, use(&m, value));
    const int counted = add(&m, (struct node){.kind = NODE_POSITION, .view = view}, NULL, 0);
    const int none = operation(&m, OP_BITOR, counted, literal(&m, -1));
    const int numbers = nonzero_part(&m, NODE_SCATTER, NONZERO_NUMBERS, (int[]){none, mask}, 2);
    ARENA_PUSH(p->arena, program->views, program->view_count, column);
    const struct node expanded = {.kind = NODE_VIEW, .view = program->view_count - 1};
    const int rows = bind(&m, "numbers of nonzero", add(&m, expanded, &numbers, 1));
    const int extents = bind(&m, "extents of nonzero",
                             nonzero_part(&m, NODE_POSITION, NONZERO_EXTENTS, (int[]){use(&m, value)}, 1));
    const int strides = nonzero_part(&m, NODE_POSITION, NONZERO_STRIDES, (int[]){use(&m, value)}, 1);
    const int above = operation(&m, OP_FLOORDIV, use(&m, rows), strides);
    return choose(&m, operation(&m, OP_LT, use(&m, rows), literal(&m, 0)), use(&m, extents),
                  operation(&m, OP_MOD, above, use(&m, extents)));
}

/* ---- isclose ---- */

/* An operand in the type in which isclose compares: the promotion of x and y, a float. */
static int compared(const struct making *m, int x, int y, int value)
{
    const struct node node = {.kind = NODE_CAST, .rule = TYPE_FLOAT};
    return add(m, node, (int[]){value, use(m, x), use(m, y)}, 3);
}

/* The same, bound to a name that is shown as the operand is. */
static int bind_compared(const struct making *m, int x, int y, int operand)
{
    const int symbol = bind(m, "operand of isclose", compared(m, x, y, use(m, operand)));
    if (!m->p->failed)
        m->p->program->symbols[symbol].span = m->p->program->symbols[operand].span;
    return symbol;
}

int parse_isclose(struct parser *p, const int operands[4], struct span span, struct span token)
{
    const struct making m = {p, span, token};
    const int rtol = operands[2] < 0 ? real(&m, 1e-5) : operands[2];
    const int atol = operands[3] < 0 ? real(&m, 1e-8) : operands[3];
    const int x = bind(&m, "x of isclose", operands[0]), y = bind(&m, "y of isclose", operands[1]);
    const int a = bind_compared(&m, x, y, x), b = bind_compared(&m, x, y, y);
    const int relative = operation(&m, OP_MUL, compared(&m, x, y, rtol), apply(&m, OP_FABS, use(&m, b)));
    const int bound = operation(&m, OP_ADD, compared(&m, x, y, atol), relative);
    const int near = operation(&m, OP_LE, apply(&m, OP_FABS, operation(&m, OP_SUB, use(&m, a), use(&m, b))), bound);
    const int within = operation(&m, OP_AND, near, apply(&m, OP_ISFINITE, use(&m, b)));
    return operation(&m, OP_OR, within, operation(&m, OP_EQ, use(&m, a), use(&m, b)));
}
