/* Running out of memory is a status, never an abort, a hang or a leak: every allocation of every call
 * fails in turn, and the same call succeeds afterwards. Allocation is taken over by this file's calloc,
 * malloc and realloc, which the C library allows. */
#define _GNU_SOURCE
#include "include/weft/weft.h"
#include "tests/sample.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define CAN_FAIL 1
#else
#define CAN_FAIL 0
#endif

/* The allocation that fails, counted down; 0: none. */
static int countdown;
static bool failed;
/* Blocks that are allocated and not yet freed. */
static atomic_long blocks;

static bool fails(void)
{
    bool now = countdown > 0 && --countdown == 0;
    failed = failed || now;
    return now;
}

#if CAN_FAIL
/* The C library's function, by name, so that valgrind can put its own there. */
static void *real(void *_Atomic *function, const char *name)
{
    if (!*function)
        *function = dlsym(RTLD_NEXT, name);
    return *function;
}

static void *counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&blocks, 1);
    return memory;
}

void *calloc(size_t count, size_t size)
{
    static void *_Atomic function;
    return counted(fails() ? NULL : ((void *(*)(size_t, size_t))real(&function, "calloc"))(count, size));
}

void *malloc(size_t size)
{
    static void *_Atomic function;
    return counted(fails() ? NULL : ((void *(*)(size_t))real(&function, "malloc"))(size));
}

void *realloc(void *memory, size_t size)
{
    static void *_Atomic function;
    if (fails())
        return NULL;
    void *moved = ((void *(*)(void *, size_t))real(&function, "realloc"))(memory, size);
    return memory ? moved : counted(moved);
}

void free(void *memory)
{
    static void *_Atomic function;
    if (memory)
        atomic_fetch_sub(&blocks, 1);
    ((void (*)(void *))real(&function, "free"))(memory);
}
#endif

struct outcome {
    struct weft_context *context;
    struct weft_program *program;
    float out[8];
};

/* The same data as a batch of samples of two lengths. */
static enum weft_status run_batch(struct outcome *o, const DLTensor *x, const DLTensor *r)
{
    static int64_t lengths[3] = {8, 4, 8};
    static float rest[2][8];
    DLTensor from[3] = {*x, *x, *x}, to[3] = {*r, *r, *r};
    to[1].data = rest[0], to[2].data = rest[1];
    for (int i = 0; i < 3; i++)
        from[i].shape = to[i].shape = &lengths[i];
    struct weft_argument input = {.tensors = from, .count = 3, .batch = true};
    struct weft_argument output = {.tensors = to, .count = 3, .batch = true};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    struct weft_error *error = NULL;
    enum weft_status status = weft_run(o->program, &params, &error);
    weft_error_destroy(error);
    return status;
}

/* The whole life of a program; the first status that is none of success. */
static enum weft_status live(struct outcome *o, const struct weft_context_params *with)
{
    static float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t n[] = {8};
    DLTensor x = {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = n};
    DLTensor r = x;
    r.data = o->out;
    struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    struct weft_error *error = NULL;
    enum weft_status status = WEFT_OK;
    if (!o->context)
        status = weft_context_create(with, &o->context, &error);
    weft_error_destroy(error);
    error = NULL;
    if (status == WEFT_OK && !o->program)
        status = weft_compile(o->context, "exp(x * [2.5]) * 0 + x + 1", NULL, &o->program, &error);
    weft_error_destroy(error);
    error = NULL;
    if (status == WEFT_OK)
        status = weft_run(o->program, &params, &error);
    weft_error_destroy(error);
    return status == WEFT_OK ? run_batch(o, &x, &r) : status;
}

static void finish(struct outcome *o)
{
    weft_program_destroy(o->program);
    weft_context_destroy(o->context);
}

/* Fails the first, the second, .. allocation, or every so many, until none is left to fail. `expected` is what
 * the call gives with memory enough. */
static void fail_every(int step, const struct weft_context_params *with, enum weft_status expected)
{
    int rounds = 0;
    for (failed = true; failed && rounds < 2000; rounds += step) {
        struct outcome o = {0};
        failed = false;
        countdown = rounds + 1;
        enum weft_status status = live(&o, with);
        countdown = 0;
        assert_true(status == expected || (failed && status < 0));
        assert_int_equal(live(&o, with), expected);
        if (expected == WEFT_OK)
            assert_true(o.out[7] == 9);
        finish(&o);
    }
    assert_in_range(rounds, 5, 1999);
}

static void fail_each(const struct weft_context_params *with, enum weft_status expected)
{
    fail_every(1, with, expected);
}

/* Kernels are compiled every time, so at -O0. */
static const char *const quick_flags[] = {"-O0", NULL};

static void test_each_allocation_fails(void **state)
{
    (void)state;
    if (!CAN_FAIL)
        skip();
    fail_every((int)sample_setting("WEFT_STEP", 1),
               &(struct weft_context_params){.cache = "", .cflags = quick_flags}, WEFT_OK);
}

/* All but the first time the kernel comes from the disk. */
static void test_with_a_disk_cache(void **state)
{
    (void)state;
    if (!CAN_FAIL)
        skip();
    fail_each(NULL, WEFT_OK);
}

static void test_with_a_compiler_that_fails(void **state)
{
    (void)state;
    if (!CAN_FAIL)
        skip();
    fail_each(&(struct weft_context_params){.cc = "false", .tier = WEFT_TIER_NONE}, WEFT_COMPILER_ERROR);
}

static void drop(void *user, const struct weft_error *record)
{
    (void)user, (void)record;
}

/* Kernels are compiled every time: fewer times. */
static void test_while_kernels_are_kept(void **state)
{
    char directory[] = "/tmp/weft-memory-XXXXXX", command[64];
    (void)state;
    if (!CAN_FAIL)
        skip();
    assert_non_null(mkdtemp(directory));
    fail_every(7, &(struct weft_context_params){.keep = directory, .debug = "ast,types,ir", .cflags = quick_flags},
               WEFT_OK);
    fail_each(&(struct weft_context_params){.keep = "", .debug = "tokens,types", .log = drop}, WEFT_OK);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* libtcc asks for memory more often than all else, and would end the process where there is none. */
static void test_with_libtcc(void **state)
{
    struct outcome o = {0};
    const struct weft_context_params with = {.cc = "libtcc"};
    (void)state;
    bool there = live(&o, &with) == WEFT_OK;
    finish(&o);
    if (!CAN_FAIL || !there)
        skip();
    fail_each(&with, WEFT_OK);
}

/* A call of `count` inputs, "x1 + x2 ..", whose output has the wrong shape. */
enum { MOST_INPUTS = 40 };

static enum weft_status run_misshapen(struct weft_program *program, int count)
{
    static int64_t ones[WEFT_MAX_RANK], twos[WEFT_MAX_RANK];
    static float data[1], out[1];
    static struct weft_argument inputs[MOST_INPUTS];
    DLTensor x = {.data = data, .device = {kDLCPU, 0}, .ndim = WEFT_MAX_RANK, .dtype = {kDLFloat, 32, 1},
                  .shape = ones};
    DLTensor y = x;
    for (int d = 0; d < WEFT_MAX_RANK; d++)
        ones[d] = 1, twos[d] = 2;
    for (int i = 0; i < count; i++)
        inputs[i] = (struct weft_argument){.tensors = &x};
    y.data = out;
    y.shape = twos;
    struct weft_argument output = {.tensors = &y};
    const struct weft_run_params params = {inputs, (size_t)count, &output, 1, NULL};
    struct weft_error *error = NULL;
    enum weft_status status = weft_run(program, &params, &error);
    weft_error_destroy(error);
    return status;
}

/* What a call has by then taken of its memory differs with the number of inputs, so that for some of them
 * it runs out while the message is written. */
static void test_nothing_stays_behind_a_wrong_output(void **state)
{
    char text[8 * MOST_INPUTS] = "x0";
    struct weft_context *context = NULL;
    (void)state;
    if (!CAN_FAIL)
        skip();
    assert_int_equal(weft_context_create(&(struct weft_context_params){.cache = ""}, &context, NULL), WEFT_OK);
    for (int count = 1; count <= MOST_INPUTS; count++) {
        bool more = true;
        for (int n = 1; more; n++) {
            struct weft_program *program = NULL;
            long before = blocks;
            assert_int_equal(weft_compile(context, text, NULL, &program, NULL), WEFT_OK);
            failed = false;
            countdown = n;
            enum weft_status status = run_misshapen(program, count);
            countdown = 0;
            more = failed;
            assert_int_equal(status, more && status != WEFT_SHAPE_ERROR ? WEFT_OUT_OF_MEMORY : WEFT_SHAPE_ERROR);
            weft_program_destroy(program);
            assert_int_equal(blocks, before);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), " + x%d", count);
    }
    weft_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_nothing_stays_behind_a_wrong_output),
        cmocka_unit_test(test_with_a_disk_cache),
        cmocka_unit_test(test_with_a_compiler_that_fails),
        cmocka_unit_test(test_while_kernels_are_kept),
        cmocka_unit_test(test_with_libtcc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
