/* Makes the nodes of linspace (rule 12.1): its positions i, which are a NODE_POSITION, and the arithmetic on them. All
 * have the place of the call. A value that is used twice is bound to a hidden name, so nodes stay trees. */
#include "compiler/parse/parse_impl.h"

struct making {
    struct parser *p;
    struct span span, token;       /* the call, and the name in it */
};

static int add(const struct making *m, struct node node, const int *operands, int count)
{
    node.op = node.kind == NODE_OP ? node.op : OP_COUNT;
    node.span = m->span;
    node.own_types = true;
    node.token = m->token;
    return parse_add_node(m->p, node, operands, count);
}

static int literal(const struct making *m, int value)
{
    return add(m, (struct node){.kind = NODE_LITERAL, .literal = {LITERAL_INTEGER, value, 0}}, NULL, 0);
}

static int operation(const struct making *m, enum op op, int a, int b)
{
    return add(m, (struct node){.kind = NODE_OP, .op = op}, (int[]){a, b}, 2);
}

static int choose(const struct making *m, int condition, int a, int b)
{
    return add(m, (struct node){.kind = NODE_OP, .op = OP_WHERE}, (int[]){condition, a, b}, 3);
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
