/* Views at any place of an expression against a reference that computes every node into memory of its
 * own, where a view is a copy. Random programs on inputs of any layout, with fast paths off. Remarks are told
 * as they are used. */
#include "tests/diff/view_programs.h"

#include <cmocka.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tensor inputs[NODES]; /* by node */
static void *rooms[NODES];

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
    long programs = sample_setting("WEFT_PROGRAMS", 30);
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

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests_name("views", tests, NULL, finish);
}
