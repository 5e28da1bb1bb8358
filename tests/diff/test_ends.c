/* Kernels read nothing before or behind an input, and write nothing around an output, however they load whole vectors:
 * each operand begins or ends at a page that nobody may touch. Beside this machine's instructions those of
 * x86-64-v2 to v4, which others have. Results are those of libtcc's kernels, which have no vectors. */
#include "include/weft/weft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { LONG = 1003, WHOLE = 1024, ROOM = 1 << 18, RANK = 2 };

struct program {
    const char *text;
    enum weft_dtype dtype;
    int64_t shape[RANK];
};

static const struct program programs[] = {
    {"transpose(x)", WEFT_UINT8, {LONG, 3}},
    {"transpose(x)", WEFT_FLOAT32, {LONG, 2}},
    {"x[:, 0] ^ x[:, 1] ^ x[:, 2] ^ x[:, 3]", WEFT_UINT8, {LONG, 4}},
    {"x[:, 0] + x[:, 1] * x[:, 2]", WEFT_FLOAT32, {LONG, 3}},
    {"x[:, ::2]", WEFT_UINT8, {3, LONG}},
    {"x[:, ::-1]", WEFT_UINT8, {LONG, 3}},
    {"transpose(x)", WEFT_UINT8, {4, LONG}},
    {"transpose(x)", WEFT_UINT8, {3, LONG}},
    {"transpose(x)", WEFT_FLOAT32, {3, LONG}},
    {"transpose(x)", WEFT_FLOAT64, {2, LONG}},
    {"repeat(x, 2, axis=1)", WEFT_UINT8, {LONG, 3}},
    {"transpose(x)", WEFT_UINT8, {LONG, 40}},
    {"transpose(x)", WEFT_FLOAT32, {LONG, 16}},
    {"transpose(x)", WEFT_UINT8, {64, 1024}},
    {"transpose(x)", WEFT_UINT8, {70, 900}},
    {"0.25 * x[:, 0] + 0.5 * x[:, 1] + 0.125 * x[:, 2]", WEFT_UINT8, {LONG, 3}},
    {"0.25 * x[:, 0] + 0.5 * x[:, 1] + 0.125 * x[:, 2]", WEFT_UINT8, {WHOLE, 3}},
    {"float32(x[:, 0]) - x[:, 1]", WEFT_INT8, {WHOLE, 2}},
    {"sum(x, axes=1)", WEFT_FLOAT32, {150, 100}},
    {"x * [1, 2, 3]", WEFT_FLOAT32, {133, 1}},
    {"x * [1, 2, 3, 4]", WEFT_UINT8, {LONG, 1}},
    {"x * [1, 2]", WEFT_FLOAT64, {600, 1}},
    {"x - [1, 2]", WEFT_UINT8, {LONG, 1}},
    {"x - [1, 2, 3, 4, 5]", WEFT_UINT8, {301, 1}},
    {"x ^ [1, 2, 3]", WEFT_INT16, {LONG, 1}},
    {"x + [1, 2, 3, 4, 5, 6, 7]", WEFT_FLOAT16, {99, 1}},
    {"x // [1, 2, 3, 4, 5, 6, 7, 8, 9]", WEFT_INT32, {77, 1}},
    {"x // [1, 2]", WEFT_INT64, {333, 1}},
    {"float64([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]) * x", WEFT_FLOAT64, {25, 1}},
    {"sum(x, axes=1)", WEFT_FLOAT32, {37, 5}},
    {"max(x, axes=1)", WEFT_FLOAT32, {34, 8}},
    {"sum(x, axes=1)", WEFT_FLOAT32, {50, 16}},
    {"min(x, axes=1)", WEFT_FLOAT32, {35, 17}},
    {"sum(x, axes=1)", WEFT_FLOAT32, {6, 2500}},
    {"any(x, axes=1)", WEFT_FLOAT32, {150, 3}},
    {"all(x, axes=1)", WEFT_BOOL, {100, 33}},
    {"argmax(x, axis=1)", WEFT_FLOAT32, {37, 9}},
    {"std(x, axes=1)", WEFT_FLOAT32, {37, 9}},
    {"sum(x * x[36], axes=1)", WEFT_FLOAT32, {37, 45}},
    {"norm(x - x[23], axes=1)", WEFT_FLOAT64, {24, 1041}},
    {"norm(x, axes=1)", WEFT_FLOAT32, {5, 2500}},
    {"std(x, axes=1)", WEFT_FLOAT64, {30, 101}},
    {"max(abs(x - mean(x, axes=1, keepdims=true)), axes=1)", WEFT_FLOAT32, {31, 67}},
    {"any(x > mean(x, axes=1, keepdims=true), axes=1)", WEFT_FLOAT32, {100, 17}},
    {"argmin(x, axis=1)", WEFT_FLOAT32, {37, 100}},
    {"sum(x, axes=1)", WEFT_FLOAT64, {37, 5}},
    {"sum(x, axes=1)", WEFT_FLOAT64, {37, 13}},
    {"max(x, axes=1)", WEFT_FLOAT64, {34, 8}},
    {"min(x, axes=1)", WEFT_FLOAT64, {35, 19}},
    {"argmax(x, axis=1)", WEFT_FLOAT64, {37, 3}},
    {"argmin(x, axis=1)", WEFT_FLOAT64, {37, 20}},
    {"argmax(x, axis=1)", WEFT_FLOAT64, {19, 150}},
    {"argmax(x, axis=1)", WEFT_INT64, {37, 7}},
    {"x / x[:, :1]", WEFT_FLOAT64, {30, 150}},
    {"argmax(x, axis=1)", WEFT_UINT8, {37, 5}},
    {"argmin(x, axis=1)", WEFT_UINT8, {37, 11}},
    {"argmax(x, axis=1)", WEFT_UINT8, {37, 41}},
    {"argmin(x, axis=1)", WEFT_UINT8, {17, 300}},
    {"max(x, axes=1)", WEFT_UINT8, {37, 5}},
    {"max(x, axes=1)", WEFT_UINT8, {37, 11}},
    {"min(x, axes=1)", WEFT_UINT8, {37, 23}},
    {"min(x, axes=1)", WEFT_UINT8, {37, 70}},
    {"any(x, axes=1)", WEFT_FLOAT64, {150, 3}},
    {"all(x, axes=1)", WEFT_INT32, {150, 33}},
    {"any(x, axes=1)", WEFT_UINT8, {37, 70}},
    {"all(x, axes=1)", WEFT_FLOAT32, {5, 2500}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static char *pages[2];             /* an input's and an output's ROOM bytes, between two pages that are closed */

static int open_pages(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int p = 0; p < 2; p++) {
        char *all = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED || mprotect(all + page, ROOM, PROT_READ | PROT_WRITE) != 0)
            return 1;
        pages[p] = all + page;
    }
    return 0;
}

static DLTensor tensor(char *data, enum weft_dtype dtype, int rank, int64_t *shape)
{
    return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = weft_dtype_to_dlpack(dtype),
                      .shape = shape};
}

static size_t bytes_of(enum weft_dtype dtype, int rank, const int64_t *shape)
{
    size_t bytes = weft_dtype_size(dtype);
    for (int d = 0; d < rank; d++)
        bytes *= (size_t)shape[d];
    return bytes;
}

/* Runs it with operands at the beginning or at the end of their pages. Returns where the result is. */
static const char *run(struct weft_context *context, const struct program *own, bool at_end, size_t *size)
{
    struct weft_program *program = NULL;
    struct weft_tensor_info info;
    int64_t shape[RANK] = {own->shape[0], own->shape[1]};
    const size_t bytes = bytes_of(own->dtype, RANK, shape);
    char *const from = pages[0] + (at_end ? ROOM - bytes : 0);
    DLTensor x = tensor(from, own->dtype, RANK, shape);
    const struct weft_argument input = {.name = "x", .tensors = &x};
    for (size_t i = 0; i < bytes; i++)
        from[i] = (char)(weft_dtype_size(own->dtype) == 1 ? i * 41 + i / 251 : i % 4 == 3 ? 0x3f : i * 7);
    assert_int_equal(weft_compile(context, own->text, NULL, &program, NULL), WEFT_OK);
    assert_int_equal(weft_infer(program, &input, 1, &info, NULL), WEFT_OK);
    *size = bytes_of(info.dtype, info.rank, info.shape);
    char *const to = pages[1] + (at_end ? ROOM - *size : 0);
    DLTensor result = tensor(to, info.dtype, info.rank, (int64_t *)info.shape);
    const struct weft_argument output = {.tensors = &result};
    memset(to, 0x5a, *size);
    assert_int_equal(weft_run(program, &(struct weft_run_params){&input, 1, &output, 1, NULL}, NULL), WEFT_OK);
    weft_program_destroy(program);
    return to;
}

static void test_ends(void **state)
{
    (void)state;
    static char expected[ROOM];
#if defined __x86_64__
    static const char *const sets[][2] = {{"-march=x86-64-v2"}, {"-march=x86-64-v3"}, {"-march=x86-64-v4"}};
    const struct weft_context_params ways[] = {{.cc = "libtcc"}, {.tier = WEFT_TIER_NONE},
                                               {.tier = WEFT_TIER_NONE, .cflags = sets[0]},
                                               {.tier = WEFT_TIER_NONE, .cflags = sets[1]},
                                               {.tier = WEFT_TIER_NONE, .cflags = sets[2]}};
    const int count = 3 + !!__builtin_cpu_supports("avx2") + !!__builtin_cpu_supports("avx512bw");
#else
    const struct weft_context_params ways[] = {{.cc = "libtcc"}, {.tier = WEFT_TIER_NONE}};
    const int count = 2;
#endif
    struct weft_context *contexts[sizeof ways / sizeof *ways];
    for (int w = 0; w < count; w++)
        assert_int_equal(weft_context_create(&ways[w], &contexts[w], NULL), WEFT_OK);
    for (int p = 0; p < PROGRAMS; p++)
        for (int turn = 0; turn < 2 * count; turn++) {
            size_t size;
            const char *found = run(contexts[turn / 2], &programs[p], turn % 2, &size);
            if (turn == 0)
                memcpy(expected, found, size);
            else if (memcmp(expected, found, size) != 0)
                fail_msg("%s, way %d", programs[p].text, turn / 2);
        }
    for (int w = 0; w < count; w++)
        weft_context_destroy(contexts[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests_name("ends", tests, open_pages, NULL);
}
