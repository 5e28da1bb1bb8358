/* See view_programs.h. */
#include "tests/diff/view_programs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct node nodes[NODES];
int node_count, results[NODES], result_count;
char text[TEXT];
struct stream stream;
static int length; /* of the text */

int64_t below(int64_t bound)
{
    return (int64_t)stream_below(&stream, (uint64_t)bound);
}

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += vsnprintf(text + length, (size_t)(TEXT - length), format, args);
    va_end(args);
}

/* ---- shapes ---- */

static int64_t volume_of(int rank, const int64_t *shape)
{
    int64_t volume = 1;
    for (int d = 0; d < rank; d++)
        volume *= shape[d];
    return volume;
}

/* Mostly small numbers with common factors, now and then a prime, a one or nothing. */
static int64_t some_extent(void)
{
    static const int64_t extents[] = {1, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 9, 12, 13, 16, 24, 66};
    return below(150) == 0 ? 0 : extents[below(sizeof extents / sizeof *extents)];
}

static void some_shape(struct node *node)
{
    do {
        node->rank = (int)below(TENSOR_RANK);
        for (int d = 0; d < node->rank; d++)
            node->shape[d] = some_extent();
        node->volume = volume_of(node->rank, node->shape);
    } while (node->volume > MOST_ELEMENTS / 4);
}

/* A shape that goes with another: some extents 1, some in front left off. */
static void fitting_shape(struct node *node, const struct node *other)
{
    int skip = other->rank ? (int)below(other->rank + 1) * (int)below(2) : 0;
    node->rank = other->rank - skip;
    for (int d = 0; d < node->rank; d++)
        node->shape[d] = below(2) ? other->shape[d + skip] : 1;
    node->volume = volume_of(node->rank, node->shape);
}

/* Other extents of as many elements: the prime factors in some order, dealt out. */
static void refactor(struct node *node, int64_t volume)
{
    node->rank = volume == 1 ? (int)below(4) : 1 + (int)below(TENSOR_RANK - 1);
    node->volume = volume;
    for (int d = 0; d < node->rank; d++)
        node->shape[d] = 1;
    if (volume == 0)
        node->shape[below(node->rank)] = 0;
    for (int64_t rest = volume, f = 2; rest > 1; f++)
        for (; rest % f == 0; rest /= f)
            node->shape[below(node->rank)] *= f;
}

/* The result's shape in `node`; false where they do not go together. */
static bool broadcast(struct node *node, int count)
{
    node->rank = 0;
    for (int k = 0; k < count; k++)
        node->rank =
            nodes[node->kids[k]].rank > node->rank ? nodes[node->kids[k]].rank : node->rank;
    for (int d = 1; d <= node->rank; d++) {
        int64_t *extent = &node->shape[node->rank - d];
        *extent = 1;
        for (int k = 0; k < count; k++) {
            const struct node *kid = &nodes[node->kids[k]];
            int64_t own = d <= kid->rank ? kid->shape[kid->rank - d] : 1;
            if (own != 1 && *extent != 1 && own != *extent)
                return false;
            *extent = own == 1 ? *extent : own;
        }
    }
    node->volume = volume_of(node->rank, node->shape);
    return node->volume <= MOST_ELEMENTS;
}

/* ---- programs ---- */

static void put_shape(const struct node *node, bool guess)
{
    int left = guess && node->volume && node->rank ? (int)below(node->rank) : -1;
    put("[");
    for (int d = 0; d < node->rank; d++)
        put("%s%" PRId64, d ? ", " : "", d == left ? -1 : node->shape[d]);
    put("]");
}

static void put_view(const struct node *node)
{
    const struct node *kid = &nodes[node->kids[0]];
    int axes = 0;
    for (int d = 0; d < kid->rank; d++)
        axes += kid->shape[d] == 1;
    bool squeezed = axes && kid->rank - axes == node->rank;
    for (int d = 0, to = 0; d < kid->rank && squeezed; d++)
        squeezed = kid->shape[d] == 1 || node->shape[to++] == kid->shape[d];
    if (squeezed) {
        put("squeeze(t%d, axes=[", node->kids[0]);
        for (int d = 0, first = 1; d < kid->rank; d++)
            if (kid->shape[d] == 1) {
                put("%s%d", first ? "" : ", ", d);
                first = 0;
            }
        put("])");
        return;
    }
    put("reshape(t%d, ", node->kids[0]);
    put_shape(node, true);
    put(")");
}

/* Writes the binding of node n. */
static void put_node(int n)
{
    struct node *node = &nodes[n];
    const int *k = node->kids;
    put("t%d = ", n);
    switch (node->kind) {
    case INPUT:
        put("x%d", n);
        break;
    case BYTE:
        put("x%d * 77 ", n), node->place = length, put("%% (x%d + 1)", n);
        break;
    case ADD:
        put("t%d + t%d", k[0], k[1]);
        break;
    case MUL:
        put("t%d * t%d", k[0], k[1]);
        break;
    case MOD:
        put("t%d ", k[0]), node->place = length, put("%% t%d", k[1]);
        break;
    case WHERE:
        put("where(t%d > t%d, t%d, t%d)", k[0], k[1], k[1], k[2]);
        break;
    default:
        put_view(node);
        break;
    }
    put("\n");
}

int arity(enum kind kind)
{
    return kind == WHERE ? 3 : kind == INPUT || kind == BYTE ? 0 : kind == VIEW ? 1 : 2;
}

/* An input, like some other node or like none. */
static void some_input(int n)
{
    nodes[n] = (struct node){.kind = below(4) ? INPUT : BYTE};
    if (n && below(3))
        fitting_shape(&nodes[n], &nodes[below(n)]);
    else
        some_shape(&nodes[n]);
}

static bool some_node(int n)
{
    struct node *node = &nodes[n];
    *node = (struct node){.kind = below(3) == 0 ? VIEW : ADD + below(VIEW - ADD)};
    for (int k = 0; k < 3; k++)
        node->kids[k] = (int)(below(3) ? n - 1 - below(n < 4 ? n : 4) : below(n));
    if (node->kind != VIEW)
        return broadcast(node, arity(node->kind));
    const struct node *kid = &nodes[node->kids[0]];
    if (below(4)) {
        refactor(node, kid->volume);
        return true;
    }
    /* Ones in or out. */
    for (int d = 0; d < kid->rank; d++) {
        if (below(4) == 0 && node->rank < TENSOR_RANK - 1)
            node->shape[node->rank++] = 1;
        if (kid->shape[d] != 1 && node->rank < TENSOR_RANK)
            node->shape[node->rank++] = kid->shape[d];
    }
    node->volume = volume_of(node->rank, node->shape);
    return node->volume == kid->volume;
}

/* Puts extents of 1 into a shape. */
static void insert_ones(struct node *node)
{
    while (node->rank < TENSOR_RANK - 1 && below(3)) {
        int at = (int)below(node->rank + 1);
        memmove(node->shape + at + 1, node->shape + at,
                (size_t)(node->rank++ - at) * sizeof node->shape[0]);
        node->shape[at] = 1;
    }
}

/* Makes extents of 1 larger as long as there is room. */
static void stretch(struct node *node)
{
    for (int d = 0; d < node->rank; d++)
        if (node->shape[d] == 1 && node->volume * 4 <= MOST_ELEMENTS) {
            node->shape[d] = 1 + below(4);
            node->volume *= node->shape[d];
        }
}

/* What goes on from node n - 1: a view of it, or an operation with an input, smaller here and larger there. */
static int go_on(int n)
{
    struct node *node = &nodes[n];
    if (below(2)) {
        *node = (struct node){.kind = VIEW, .kids = {n - 1}};
        refactor(node, nodes[n - 1].volume);
        insert_ones(node);
        return n + 1;
    }
    *node = (struct node){.kind = INPUT};
    fitting_shape(node, &nodes[n - 1]);
    if (below(2) && node->rank == nodes[n - 1].rank) {
        *node = nodes[n - 1];
        node->kind = INPUT;
        stretch(node);
        for (int d = 0; d < node->rank; d++)
            if (below(3) == 0) {
                node->volume /= node->shape[d] ? node->shape[d] : 1;
                node->shape[d] = 1;
            }
        node->volume = volume_of(node->rank, node->shape);
    }
    nodes[n + 1] = (struct node){.kind = ADD + below(MOD - ADD), .kids = {n - 1, n}};
    broadcast(&nodes[n + 1], 2);
    return n + 2;
}

void make_program(void)
{
    int want = 3 + (int)below(NODES - 6), chain = (int)below(3);
    length = 0;
    for (node_count = 0; node_count < want;) {
        if (node_count && chain && below(8)) {
            node_count = go_on(node_count);
        } else {
            if (node_count == 0 || below(4) == 0 || !some_node(node_count))
                some_input(node_count);
            node_count++;
        }
    }
    for (int n = 0; n < node_count; n++)
        put_node(n);
    result_count = 0;
    for (int n = node_count - 1; n >= 0 && result_count < 3; n--)
        if (n == node_count - 1 || below(3) == 0)
            results[result_count++] = n;
    put("return");
    for (int r = 0; r < result_count; r++)
        put("%s r%d = t%d", r ? "," : "", r, results[r]);
}
