/* Views at any place of an expression against a reference that computes every node into memory of its
 * own, where a view is a copy. Random programs over random shapes, the boundaries of which divide or do not,
 * on inputs of any layout; with fast paths off, and on threads. Remarks are told as they are used. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <cmocka.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 24, MOST_ELEMENTS = 6000, TEXT = 8000 };

enum kind { INPUT, BYTE, ADD, MUL, MOD, WHERE, VIEW };

/* A binding: its values in full, and which of its elements the results use. */
struct node {
    enum kind kind;
    int kids[3], rank;
    int64_t shape[TENSOR_RANK], volume;
    int32_t *values;
    bool *used, needed;
    int place; /* of a division in the text */
};

static struct node nodes[NODES];
static int node_count, results[NODES], result_count;
static char text[TEXT];
static int length;
static struct stream stream;
static struct tensor inputs[NODES]; /* by node */
static void *rooms[NODES];

static int64_t below(int64_t bound)
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

static int arity(enum kind kind)
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

static void make_program(void)
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

/* ---- the reference ---- */

/* The element of kid k that element i of a node is made from. */
static int64_t source(const struct node *node, int k, int64_t i)
{
    const struct node *kid = &nodes[node->kids[k]];
    int64_t at = 0, step = 1;
    if (node->kind == VIEW)
        return i;
    for (int d = 1; d <= node->rank; d++) {
        int64_t place = i % node->shape[node->rank - d];
        i /= node->shape[node->rank - d];
        if (d > kid->rank)
            continue;
        at += kid->shape[kid->rank - d] == 1 ? 0 : place * step;
        step *= kid->shape[kid->rank - d];
    }
    return at;
}

static int32_t modulo(int32_t a, int32_t b)
{
    int64_t m = b ? (int64_t)a % b : 0;
    return (int32_t)(m != 0 && (m < 0) != (b < 0) ? m + b : m);
}

static void evaluate(struct node *node)
{
    for (int64_t i = 0; i < node->volume; i++) {
        int32_t v[3] = {0};
        for (int k = 0; k < arity(node->kind); k++)
            v[k] = nodes[node->kids[k]].values[source(node, k, i)];
        switch (node->kind) {
        case ADD:
            node->values[i] = (int32_t)((uint32_t)v[0] + (uint32_t)v[1]);
            break;
        case MUL:
            node->values[i] = (int32_t)((uint32_t)v[0] * (uint32_t)v[1]);
            break;
        case MOD:
            node->values[i] = modulo(v[0], v[1]);
            break;
        case WHERE:
            node->values[i] = v[0] > v[1] ? v[1] : v[2];
            break;
        case VIEW:
            node->values[i] = v[0];
            break;
        default:
            break;
        }
    }
}

/* Which elements of its kids a node uses: of arms those that are taken. */
static void use_kids(const struct node *node)
{
    for (int64_t i = 0; i < node->volume; i++) {
        if (!node->used[i])
            continue;
        int64_t at[3] = {0};
        for (int k = 0; k < arity(node->kind); k++)
            at[k] = source(node, k, i);
        bool taken = node->kind == WHERE &&
                     nodes[node->kids[0]].values[at[0]] > nodes[node->kids[1]].values[at[1]];
        for (int k = 0; k < arity(node->kind); k++)
            if (node->kind != WHERE || k < 2 || !taken)
                nodes[node->kids[k]].used[at[k]] = true;
    }
}

/* Where the remark points; -1: there is none. */
static long expected_place(void)
{
    long place = -1;
    for (int r = 0; r < result_count; r++)
        memset(nodes[results[r]].used, true, (size_t)nodes[results[r]].volume);
    for (int n = node_count - 1; n >= 0; n--) {
        const struct node *node = &nodes[n];
        use_kids(node);
        for (int64_t i = 0; i < node->volume && node->kind == MOD; i++)
            if (node->used[i] && nodes[node->kids[1]].values[source(node, 1, i)] == 0)
                place = node->place;
    }
    return place;
}

/* ---- inputs ---- */

/* The elements of a tensor somewhere in memory: dense, spread, backwards, transposed, or all one. */
static void lay_out(int n)
{
    struct node *node = &nodes[n];
    enum weft_dtype dtype = node->kind == BYTE ? WEFT_UINT8 : WEFT_INT32;
    struct tensor room = tensor_line(dtype, node->volume * 4 + 8), *t = &inputs[n];
    int64_t size = (int64_t)weft_dtype_size(dtype), stride = 1, layout = below(6);
    *t = room;
    rooms[n] = room.memory;
    t->rank = node->rank;
    for (int k = 0; k < node->rank; k++) {
        int d = layout == 1 ? k : node->rank - 1 - k;
        t->shape[d] = node->shape[d];
        t->strides[d] = layout == 4 && below(2) ? 0 : stride;
        stride *= t->strides[d]
                      ? (node->shape[d] ? node->shape[d] : 1) * (layout == 2 && k < 2 ? 2 : 1)
                      : 1;
    }
    for (int d = 0; d < node->rank && layout == 3 && node->volume; d++)
        if (below(2)) {
            t->data += t->strides[d] * (t->shape[d] - 1) * size;
            t->strides[d] = -t->strides[d];
        }
    for (int64_t i = 0; i < node->volume * 4 + 8; i++)
        scalar_store((char *)room.memory + i * size, dtype,
                     (union scalar){.i32 = dtype == WEFT_UINT8 ? (int32_t)below(256)
                                                               : (int32_t)below(2001) - 1000});
    for (int64_t i = 0; i < node->volume; i++) {
        int64_t index[TENSOR_RANK] = {0}, rest = i;
        for (int d = node->rank - 1; d >= 0; rest /= node->shape[d--])
            index[d] = rest % node->shape[d];
        int32_t x =
            dtype == WEFT_UINT8 ? *(uint8_t *)tensor_at(t, index) : *(int32_t *)tensor_at(t, index);
        node->values[i] = node->kind == BYTE ? modulo(x * 77, x + 1) : x;
    }
}

static void make_values(void)
{
    for (int n = 0; n < node_count; n++) {
        nodes[n].values = calloc((size_t)nodes[n].volume + 1, sizeof(int32_t));
        nodes[n].used = calloc((size_t)nodes[n].volume + 1, 1);
        if (arity(nodes[n].kind) == 0)
            lay_out(n);
        else
            evaluate(&nodes[n]);
    }
}

static void free_values(void)
{
    for (int n = 0; n < node_count; n++) {
        free(nodes[n].values);
        free(nodes[n].used);
        free(rooms[n]);
        rooms[n] = NULL;
    }
}

/* ---- programs against the reference ---- */

static const char *const variants[] = {
    "",    "flat",   "special", "hoist, table",
    "row", "narrow", "hoist",   "flat, special, hoist, table, row, narrow, divisor, stream"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void fail_at(const char *variant, const char *what, int64_t at)
{
    fprintf(stderr, "%s\nwithout '%s': %s %" PRId64 " (seed %" PRIu64 ")\n", text, variant, what,
            at, values_seed());
    for (int n = 0; n < node_count; n++) {
        fprintf(stderr, "t%d: %" PRId64 " elements of", n, nodes[n].volume);
        for (int d = 0; d < nodes[n].rank; d++)
            fprintf(stderr, " %" PRId64 "(%" PRId64 ")", nodes[n].shape[d],
                    arity(nodes[n].kind) ? 0 : inputs[n].strides[d]);
        fprintf(stderr, "\n");
    }
    fail();
}

static void check_variant(const char *variant, long place)
{
    struct tensor in[NODES], out[NODES];
    const char *names[NODES];
    struct weft_error *remark = NULL;
    run_disable(variant);
    struct weft_program *program = run_compile(text);
    int count = (int)weft_program_input_count(program);
    for (int i = 0; i < count; i++) {
        names[i] = weft_program_input_name(program, (size_t)i);
        in[i] = inputs[atoi(names[i] + 1)];
    }
    for (int r = 0; r < result_count; r++)
        out[r] = tensor_new(WEFT_INT32, nodes[results[r]].rank, nodes[results[r]].shape);
    run_program(program, in, names, count, out, result_count, &remark);
    long told = remark ? (long)remark->spans[0].start : -1;
    weft_error_destroy(remark);
    weft_program_destroy(program);
    if (told != place)
        fail_at(variant, "the remark is at", told);
    for (int r = 0; r < result_count; r++) {
        for (int64_t i = 0; i < nodes[results[r]].volume; i++)
            if (tensor_get(&out[r], i).i32 != nodes[results[r]].values[i])
                fail_at(variant, "another value at", i + r * 1000000);
        tensor_free(&out[r]);
    }
}

static void test_programs(void **state)
{
    (void)state;
    long programs = values_setting("WEFT_PROGRAMS", 30);
    for (long n = 0; n < programs; n++) {
        stream = stream_init((uint64_t)n + 31000);
        make_program();
        make_values();
        long place = expected_place();
        check_variant("", place);
        check_variant(variants[1 + n % (VARIANTS - 1)], place);
        free_values();
    }
}

/* ---- bits of rows that are not exact ---- */

enum { DOWN = 30, ALONG = 77, VOLUME = DOWN * ALONG };

/* The same program with and without the view: element n is element n, to the bit. */
static void test_bits(void **state)
{
    (void)state;
    const int64_t column[] = {DOWN, 1}, whole[] = {DOWN, ALONG}, turned[] = {ALONG, DOWN};
    struct tensor in[] = {tensor_new(WEFT_FLOAT32, 2, column), tensor_line(WEFT_FLOAT32, ALONG),
                          tensor_line(WEFT_FLOAT32, DOWN)};
    struct tensor plain = tensor_new(WEFT_FLOAT32, 2, whole),
                  seen = tensor_new(WEFT_FLOAT32, 2, turned);
    static const char *const names[] = {"x", "y", "z"};
    stream = stream_init(3);
    for (int64_t i = 0; i < ALONG; i++) {
        tensor_set(&in[1], i, (union scalar){.f32 = (float)below(1000) / 100});
        tensor_set(&in[0], i % DOWN, (union scalar){.f32 = (float)below(1000) / 100});
        tensor_set(&in[2], i % DOWN, (union scalar){.f32 = (float)below(1000) / 100});
    }
    for (int v = 0; v < VARIANTS; v++) {
        run_disable(variants[v]);
        struct weft_program *program = run_compile("exp(sin(x) + y) + exp(x)");
        run_program(program, in, names, 2, &plain, 1, NULL);
        weft_program_destroy(program);
        program = run_compile("reshape(exp(sin(x) + y) + exp(x), [77, 30]) * cos(z)");
        run_program(program, in, names, 3, &seen, 1, NULL);
        weft_program_destroy(program);
        struct weft_program *cosine = run_compile("cos(z)");
        struct tensor cosines = tensor_line(WEFT_FLOAT32, DOWN);
        run_program(cosine, in + 2, names + 2, 1, &cosines, 1, NULL);
        weft_program_destroy(cosine);
        for (int64_t i = 0; i < VOLUME; i++)
            assert_true(tensor_get(&seen, i).f32 ==
                        tensor_get(&plain, i).f32 * tensor_get(&cosines, i % DOWN).f32);
        tensor_free(&cosines);
    }
    tensor_free(&in[0]);
    tensor_free(&in[1]);
    tensor_free(&in[2]);
    tensor_free(&plain);
    tensor_free(&seen);
}

/* ---- threads ---- */

static void test_threads(void **state)
{
    (void)state;
    enum { A = 1800, B = 2500 };
    struct tensor in[] = {tensor_new(WEFT_INT32, 2, (int64_t[]){A, 1}), tensor_line(WEFT_INT32, B),
                          tensor_new(WEFT_INT32, 2, (int64_t[]){B, 1})};
    struct tensor out = tensor_new(WEFT_INT32, 2, (int64_t[]){B, A});
    static const char *const names[] = {"x", "y", "z"};
    int32_t *x = in[0].memory, *y = in[1].memory, *z = in[2].memory;
    for (int i = 0; i < B; i++) {
        x[i % A] = i * 7919;
        y[i] = i * 31 - 5;
        z[i] = i - 900;
    }
    run_disable("");
    for (int most = 1; most <= 3; most++) {
        run_threads(most);
        struct weft_program *program = run_compile("reshape(x * y + x, [2500, 1800]) - z");
        memset(out.memory, 0x55, sizeof(int32_t) * A * B);
        run_program(program, in, names, 3, &out, 1, NULL);
        for (int64_t n = 0; n < (int64_t)A * B; n++) {
            uint32_t u =
                (uint32_t)x[n / B] * (uint32_t)y[n % B] + (uint32_t)x[n / B] - (uint32_t)z[n / A];
            assert_int_equal(((int32_t *)out.memory)[n], (int32_t)u);
        }
        weft_program_destroy(program);
    }
    run_threads(0);
    for (int k = 0; k < 3; k++)
        tensor_free(&in[k]);
    tensor_free(&out);
}

/* ---- many classes ---- */

enum { LAYOUTS = 7, ELEMENTS = 48 };

/* 48 numbers in their order, somewhere in memory. */
static struct tensor in_layout(int layout, int first)
{
    static const struct {
        int rank;
        int64_t shape[3], strides[3];
    } layouts[LAYOUTS] = {{1, {48}, {1}},
                          {1, {48}, {3}},
                          {2, {8, 6}, {9, 1}},
                          {2, {16, 3}, {1, 17}},
                          {2, {6, 8}, {10, 1}},
                          {2, {12, 4}, {-4, 1}},
                          {3, {3, 4, 4}, {30, -6, 1}}};
    struct tensor t = tensor_line(WEFT_INT32, 400);
    t.rank = layouts[layout].rank;
    t.data += 200 * sizeof(int32_t);
    for (int d = 0; d < t.rank; d++) {
        t.shape[d] = layouts[layout].shape[d];
        t.strides[d] = layouts[layout].strides[d];
    }
    for (int64_t i = 0; i < ELEMENTS; i++) {
        int64_t index[TENSOR_RANK] = {0}, rest = i;
        for (int d = t.rank - 1; d >= 0; rest /= t.shape[d--])
            index[d] = rest % t.shape[d];
        *(int32_t *)tensor_at(&t, index) = first + (int32_t)i;
    }
    return t;
}

/* One program on all pairs of layouts: more than it gets kernels of its own for. */
static void test_classes(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "y"};
    struct tensor out = tensor_new(WEFT_INT32, 3, (int64_t[]){2, 6, 4});
    run_disable("");
    struct weft_program *program =
        run_compile("reshape(x, [-1, 6, 4]) * 1000 + reshape(y, [2, -1, 4])");
    for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++) {
        struct tensor in[] = {in_layout(pair % LAYOUTS, 7), in_layout(pair / LAYOUTS, 100)};
        run_program(program, in, names, 2, &out, 1, NULL);
        for (int64_t i = 0; i < ELEMENTS; i++)
            assert_int_equal(tensor_get(&out, i).i32, (7 + i) * 1000 + 100 + i);
        tensor_free(&in[0]);
        tensor_free(&in[1]);
    }
    weft_program_destroy(program);
    tensor_free(&out);
}

/* ---- an output that is an input's buffer ---- */

static void check_in_place(const char *program_text, enum weft_status expected)
{
    static const char *const names[] = {"a", "b"};
    const int64_t shape[] = {4, 6};
    struct tensor in[] = {tensor_new(WEFT_INT32, 2, shape), tensor_line(WEFT_INT32, 24)};
    struct weft_program *program = run_compile(program_text);
    int count = (int)weft_program_input_count(program);
    if (run_try(program, in, names, count, in, 1) != expected)
        fail_msg("%s", program_text);
    weft_program_destroy(program);
    tensor_free(&in[0]);
    tensor_free(&in[1]);
}

static void test_in_place(void **state)
{
    (void)state;
    run_disable("");
    check_in_place("a + reshape(b, [4, 6])", WEFT_OK);
    check_in_place("a + reshape(reshape(a, [6, 4]), [4, 6])", WEFT_OVERLAP_ERROR);
    check_in_place("a + int32(reshape(exp(a), [4, 6]))", WEFT_OVERLAP_ERROR);
    check_in_place("t = reshape(a, [24])\nreturn r = a + reshape(b, [4, 6])", WEFT_OK);
}

/* ---- too many ways to read one value ---- */

static void test_limit(void **state)
{
    (void)state;
    char program_text[4000];
    int at = sprintf(program_text, "y0 = x + 1\n");
    /* As many shapes over and over: few maps, however long the chain. */
    for (int k = 1; k <= 40; k++)
        at += sprintf(program_text + at, "y%d = reshape(y%d, [%d, %d]) + reshape(y%d, [%d, %d])\n",
                      k, k - 1, k % 2 ? 2 : 3, k % 2 ? 3 : 2, k - 1, k % 2 ? 2 : 3, k % 2 ? 3 : 2);
    struct tensor in = tensor_new(WEFT_INT32, 1, (int64_t[]){6});
    struct tensor out = tensor_new(WEFT_INT32, 2, (int64_t[]){3, 2});
    static const char *const names[] = {"x"};
    for (int64_t i = 0; i < 6; i++)
        tensor_set(&in, i, (union scalar){.i32 = (int32_t)i});
    run_disable("");
    struct weft_program *program = run_compile(program_text);
    run_program(program, &in, names, 1, &out, 1, NULL);
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(tensor_get(&out, i).i32, (int32_t)((uint64_t)(i + 1) << 40));
    weft_program_destroy(program);
    tensor_free(&out);
    /* Each line doubles the ways, and the elements. */
    at = sprintf(program_text, "y0 = reshape(x, [6])\n");
    for (int k = 1, n = 6; k <= 10; k++, n *= 2)
        at += sprintf(program_text + at,
                      "y%d = reshape(reshape(y%d, [%d, 1, 2]) + reshape(y%d, [%d, 2, 1]), [-1])\n",
                      k, k - 1, n / 2, k - 1, n / 2);
    out = tensor_line(WEFT_INT32, 6 * 1024);
    program = run_compile(program_text);
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_LIMIT_ERROR);
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&out);
}

/* ---- reinterpret ---- */

static bool is_float(enum weft_dtype t)
{
    return t == WEFT_FLOAT16 || t == WEFT_BFLOAT16 || t == WEFT_FLOAT32 || t == WEFT_FLOAT64;
}

/* Bytes of which no element of the type is NaN, whose bits may change, and a bool is 0 or 1. */
static void fill(void *memory, enum weft_dtype dtype, int64_t count)
{
    size_t size = weft_dtype_size(dtype);
    for (int64_t i = 0; i < count; i++) {
        unsigned char *element = (unsigned char *)memory + (size_t)i * size;
        for (size_t b = 0; b < size; b++)
            element[b] = (unsigned char)(dtype == WEFT_BOOL ? below(2) : below(256));
        element[size - 1] =
            is_float(dtype) && (element[size - 1] & 0x7c) == 0x7c ? 3 : element[size - 1];
    }
}

/* What stands at byte `offset` of the rows one behind the other. */
static unsigned char byte_of(const struct tensor *in, int64_t row_bytes, int64_t offset)
{
    int64_t size = (int64_t)weft_dtype_size(in->dtype);
    const int64_t index[] = {offset / row_bytes, offset % row_bytes / size};
    return ((unsigned char *)tensor_at(in, index))[offset % size];
}

/* The rows of an input, which may lie apart, as another type. */
static void check_reinterpret(enum weft_dtype from, enum weft_dtype to, int64_t gap, bool inside)
{
    enum { ROWS = 5, ROW = 48 };
    int64_t old = (int64_t)weft_dtype_size(from), size = (int64_t)weft_dtype_size(to);
    struct tensor in = tensor_new(from, 2, (int64_t[]){ROWS, (ROW + gap) / old});
    struct tensor out = tensor_new(to, 3, (int64_t[]){3, ROWS * ROW / size / 3, 1});
    char program_text[200];
    static const char *const names[] = {"x", "y"};
    struct tensor inputs_[] = {in, tensor_line(WEFT_BOOL, 1)};
    fill(in.memory, from, ROWS * (ROW + gap) / old);
    inputs_[0].shape[1] = ROW / old;
    sprintf(program_text,
            inside ? "reshape(reinterpret(where(y, x, x), %s), [3, -1, 1])"
                   : "reinterpret(x, %s, shape=[3, %lld, 1])",
            weft_dtype_name(to), (long long)(ROWS * ROW / size / 3));
    const char *const swapped[] = {"y", "x"};
    struct tensor given[] = {inputs_[inside], inputs_[!inside]};
    run_disable("");
    struct weft_program *program = run_compile(program_text);
    run_program(program, given, inside ? swapped : names, 1 + inside, &out, 1, NULL);
    for (int64_t i = 0; i < ROWS * ROW; i++) {
        unsigned char expected = byte_of(&inputs_[0], ROW, i);
        if (((unsigned char *)out.memory)[i] != (to == WEFT_BOOL ? expected != 0 : expected))
            fail_msg("%s on %s, rows %d bytes apart: byte %d", program_text, weft_dtype_name(from),
                     (int)gap, (int)i);
    }
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&inputs_[1]);
    tensor_free(&out);
}

static void test_reinterpret(void **state)
{
    (void)state;
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++)
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++)
            for (int inside = 0; inside < 2; inside++)
                if (!inside || weft_dtype_size(from) == weft_dtype_size(to))
                    check_reinterpret(from, to, (from + to) % 2 * 16, inside);
}

/* Elements that do not lie together, or not at places for the new type. */
static void test_reinterpret_apart(void **state)
{
    (void)state;
    static const char *const names[] = {"x"};
    struct tensor in = tensor_new(WEFT_UINT8, 2, (int64_t[]){8, 64}),
                  out = tensor_line(WEFT_FLOAT32, 8);
    struct weft_program *program = run_compile("reinterpret(x, float32, shape=[8])");
    in.shape[1] = 4;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_OK);
    in.strides[1] = 2;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_INPUT_ERROR);
    in.strides[0] = 1, in.strides[1] = 64;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_INPUT_ERROR);
    in.strides[0] = 62, in.strides[1] = 1;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_INPUT_ERROR);
    in.strides[0] = 4, in.data += 2;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_INPUT_ERROR);
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&out);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),    cmocka_unit_test(test_bits),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_classes),
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_limit),
        cmocka_unit_test(test_reinterpret), cmocka_unit_test(test_reinterpret_apart)};
    return cmocka_run_group_tests_name("views", tests, NULL, finish);
}
