/* Memory for work on a GPU, from inside: which blocks are lent again, when idle ones are freed, and constants. On the
 * fake driver, whose directory MOCKCUDA names. */
#include "runtime/kernels/context.h"
#include "runtime/gpu/device.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MEGABYTE = 1 << 20, MANY = 8, OBJECTS = 2 /* of a block: its memory and an event */ };

static int (*live)(int);

struct scene {
    struct weft_context *context;
    struct cuda_device *device;
    struct cuda_order order;
    struct arena arena;
    struct diags diags;
};

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    arena_init(&scene->arena);
    scene->diags = diags_new(&scene->arena, NULL);
    assert_int_equal(weft_context_create(NULL, &scene->context, NULL), WEFT_OK);
    scene->device = cuda_device_get(&scene->context->cuda, 0, &scene->diags);
    assert_non_null(scene->device);
    assert_true(cuda_enter(scene->device, &scene->diags));
    scene->order = cuda_order(scene->device, cuda_take_stream(scene->device, &scene->diags));
    assert_non_null(scene->order.stream);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    cuda_leave_stream(scene->device, scene->order.stream);
    cuda_leave(scene->device);
    weft_context_destroy(scene->context);
    assert_int_equal(live(1), 0);
    arena_finish(&scene->arena);
    free(scene);
    return 0;
}

static struct cuda_lease borrow(struct scene *scene, size_t bytes)
{
    struct cuda_lease lease;
    assert_true(cuda_borrow(scene->device, &scene->order, CUDA_PINNED, bytes, &lease, &scene->diags));
    assert_non_null(lease.host);
    return lease;
}

/* The stream has passed the point where it was given back. */
static void give_back(struct scene *scene, struct cuda_lease lease)
{
    cuda_give_back(scene->device, &scene->order, &lease);
    assert_int_equal(cuda_wait(scene->device, scene->order.stream), CUDA_SUCCESS);
}

/* What is borrowed gets a block of up to four times its size, and the smallest of those. */
static void test_lent_again(void **state)
{
    struct scene *scene = *state;
    const struct cuda_lease large = borrow(scene, 4 * MEGABYTE);
    const struct cuda_lease half = borrow(scene, 2 * MEGABYTE);
    give_back(scene, large);
    const struct cuda_lease quarter = borrow(scene, MEGABYTE);
    assert_ptr_equal(quarter.host, large.host);
    give_back(scene, quarter);
    const struct cuda_lease eighth = borrow(scene, MEGABYTE / 2);
    assert_ptr_not_equal(eighth.host, large.host);
    give_back(scene, half);
    const struct cuda_lease smallest = borrow(scene, MEGABYTE);
    assert_ptr_equal(smallest.host, half.host);
    give_back(scene, eighth);
    give_back(scene, smallest);
}

/* Before the stream is there it is nobody else's. */
static void test_passing(void **state)
{
    struct scene *scene = *state;
    struct cuda_lease first = borrow(scene, MEGABYTE);
    char *const host = first.host;
    cuda_give_back(scene->device, &scene->order, &first);
    const struct cuda_lease second = borrow(scene, MEGABYTE);
    assert_ptr_not_equal(second.host, host);
    give_back(scene, second);
}

/* Idle blocks of more than 256 MB together are freed when a new one is made. */
static void test_freed(void **state)
{
    struct scene *scene = *state;
    struct cuda_lease leases[MANY];
    const int before = live(0);
    for (int i = 0; i < MANY; i++)
        leases[i] = borrow(scene, 64 * MEGABYTE);
    for (int i = 0; i < MANY; i++)
        give_back(scene, leases[i]);
    assert_int_equal(live(0), before + MANY * OBJECTS);
    const struct cuda_lease other = borrow(scene, MEGABYTE);
    assert_int_equal(live(0), before + (4 + 1) * OBJECTS);
    give_back(scene, other);
}

/* Equal bytes are there once. */
static void test_constants(void **state)
{
    struct scene *scene = *state;
    static const int32_t some[] = {1, 2, 3, 4}, same[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 5};
    const uint64_t first = cuda_constant(scene->device, some, sizeof some, &scene->diags);
    const int before = live(0);
    assert_true(first != 0);
    assert_true(cuda_constant(scene->device, same, sizeof same, &scene->diags) == first);
    assert_int_equal(live(0), before);
    const uint64_t second = cuda_constant(scene->device, other, sizeof other, &scene->diags);
    assert_true(second != 0 && second != first);
    assert_true(cuda_constant(scene->device, some, sizeof some - 4, &scene->diags) != first);
}

static void find_mock(void)
{
    char path[500];
    snprintf(path, sizeof path, "%s/libcuda.so.1", getenv("MOCKCUDA"));
    void *driver = dlopen(path, RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&live = dlsym(driver, "mockcuda_live");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(test_lent_again), TEST(test_passing), TEST(test_freed),
                                       TEST(test_constants)};
    find_mock();
    return cmocka_run_group_tests_name("cuda memory", tests, NULL, NULL);
}
