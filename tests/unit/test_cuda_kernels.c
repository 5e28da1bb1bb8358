/* Kernels for a GPU, from inside: in memory, on disk, loaded and unloaded, with every call that may fail made
 * to fail. On the fake driver and the fake NVRTC of tests/mockcuda, whose directory MOCKCUDA names. */
#include "runtime/cache/cache.h"
#include "runtime/gpu/module.h"
#include "runtime/kernels/kernels.h"
#include "tests/mockcuda/mockcuda.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL(name, body)                                                                         \
    "/* " name " */\n"                                                                             \
    "struct weft_args { long long count; float *x; };\n"                                           \
    "extern \"C\" __global__\n"                                                                     \
    "void weft_kernel(const struct weft_args args)\n"                                              \
    "{\n"                                                                                          \
    "#line 1 \"/weft/" name "\"\n" body "\n"                                                       \
    "}\n"

static const char first[] = KERNEL("first", "args.x[threadIdx.x] *= 2;");
static const char renamed[] = KERNEL("renamed", "args.x[threadIdx.x] *= 2;");
static const char other[] = KERNEL("other", "args.x[threadIdx.x] *= 3;");

static void (*fail_at)(long, int), (*nvrtc_fail_at)(long, int);
static long (*calls)(void), (*nvrtc_calls)(void);
static int (*live)(int);

struct scene {
    char directory[64];
    struct weft_context *context;
    struct cuda_device *device;
    struct arena arena;
    struct diags diags;
};

static void open_context(struct scene *scene, const char *cache)
{
    struct weft_error *error = NULL;
    assert_int_equal(weft_context_create(&(struct weft_context_params){.cache = cache},
                                         &scene->context, &error), WEFT_OK);
    scene->diags = diags_new(&scene->arena, NULL);
    scene->device = cuda_device_get(&scene->context->cuda, 0, &scene->diags);
}

static void reopen(struct scene *scene)
{
    weft_context_destroy(scene->context);
    assert_int_equal(live(1), 0);
    open_context(scene, scene->directory);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    strcpy(scene->directory, "/tmp/weft-cuda-XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    arena_init(&scene->arena);
    fail_at(0, 0);
    nvrtc_fail_at(0, 0);
    open_context(scene, scene->directory);
    assert_non_null(scene->device);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    char command[100];
    weft_context_destroy(scene->context);
    assert_int_equal(live(1), 0);
    snprintf(command, sizeof command, "rm -rf %s", scene->directory);
    assert_int_equal(system(command), 0);
    arena_finish(&scene->arena);
    free(scene);
    return 0;
}

static struct loaded *get(struct scene *scene, const char *text, enum weft_math math,
                          enum weft_kernel_origin *origin)
{
    struct weft_kernel_info info;
    const struct kernel_request request = {.text = text, .math = math, .device = scene->device};
    struct loaded *loaded = kernels_get(scene->context, &request, &scene->diags, &info);
    *origin = info.origin;
    if (loaded)
        assert_non_null(loaded->function);
    return loaded;
}

static enum weft_kernel_origin origin_of(struct scene *scene, const char *text)
{
    enum weft_kernel_origin origin;
    if (!get(scene, text, WEFT_MATH_STRICT, &origin))
        fail_msg("%s", scene->diags.first->message);
    return origin;
}

/* ---- in memory ---- */

static void test_memory(void **state)
{
    struct scene *scene = *state;
    enum weft_kernel_origin origin;
    struct loaded *one = get(scene, first, WEFT_MATH_STRICT, &origin);
    assert_int_equal(origin, WEFT_FROM_COMPILER);
    assert_ptr_equal(get(scene, renamed, WEFT_MATH_STRICT, &origin), one);
    assert_int_equal(origin, WEFT_FROM_MEMORY);
    assert_ptr_not_equal(get(scene, first, WEFT_MATH_FAST, &origin), one);
    assert_int_equal(origin, WEFT_FROM_COMPILER);
    assert_ptr_not_equal(get(scene, other, WEFT_MATH_STRICT, &origin), one);
    assert_int_equal(origin, WEFT_FROM_COMPILER);
    assert_true(one->final);
}

/* The other GPU's is another module of the same code, which the disk has. */
static void test_devices(void **state)
{
    struct scene *scene = *state;
    enum weft_kernel_origin origin;
    struct loaded *one = get(scene, first, WEFT_MATH_STRICT, &origin);
    scene->device = cuda_device_get(&scene->context->cuda, 1, &scene->diags);
    assert_non_null(scene->device);
    struct loaded *two = get(scene, first, WEFT_MATH_STRICT, &origin);
    assert_int_equal(origin, WEFT_FROM_DISK);
    assert_ptr_not_equal(one, two);
    assert_ptr_equal(one->device, cuda_device_get(&scene->context->cuda, 0, &scene->diags));
    assert_ptr_equal(two->device, scene->device);
    assert_null(cuda_device_get(&scene->context->cuda, 2, &scene->diags));
    assert_int_equal(scene->diags.first->id, DIAG_CUDA_ORDINAL);
}

struct want {
    struct scene *scene;
    const char *text;
    struct loaded *loaded;
    enum weft_kernel_origin origin;
};

static void *get_in_thread(void *want_)
{
    struct want *want = want_;
    struct weft_kernel_info info;
    struct arena arena;
    arena_init(&arena);
    struct diags diags = diags_new(&arena, NULL);
    const struct kernel_request request = {.text = want->text, .device = want->scene->device};
    want->loaded = kernels_get(want->scene->context, &request, &diags, &info);
    want->origin = info.origin;
    arena_finish(&arena);
    return NULL;
}

static void test_threads(void **state)
{
    enum { COUNT = 8 };
    struct scene *scene = *state;
    struct want wants[COUNT];
    pthread_t threads[COUNT];
    int compiled = 0;
    for (int i = 0; i < COUNT; i++) {
        wants[i] = (struct want){.scene = scene, .text = i % 2 ? first : renamed};
        assert_int_equal(pthread_create(&threads[i], NULL, get_in_thread, &wants[i]), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], NULL);
        assert_non_null(wants[i].loaded);
        assert_ptr_equal(wants[i].loaded, wants[0].loaded);
        compiled += wants[i].origin == WEFT_FROM_COMPILER;
    }
    assert_int_equal(compiled, 1);
}

/* ---- on disk ---- */

/* Without NVRTC being opened. */
static void test_disk(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    reopen(scene);
    nvrtc_fail_at(0, 0);
    assert_int_equal(origin_of(scene, renamed), WEFT_FROM_DISK);
    assert_int_equal(nvrtc_calls(), 0);
    assert_false(scene->context->nvrtc.open);
    assert_int_equal(origin_of(scene, other), WEFT_FROM_COMPILER);
    assert_true(scene->context->nvrtc.open);
}

struct found {
    int count, damaged;
    char path[200];
};

static void on_entry(void *user, const struct weft_cache_entry *entry)
{
    struct found *found = user;
    size_t length = strlen(entry->path);
    assert_true(length > 6 && strcmp(entry->path + length - 6, ".cubin") == 0);
    snprintf(found->path, sizeof found->path, "%s", entry->path);
    found->count++;
    found->damaged += entry->problem != NULL;
    if (!entry->problem)
        assert_non_null(strstr(entry->compiler, "NVRTC"));
}

static struct found list(const struct scene *scene)
{
    struct found found = {0};
    struct weft_error *error = NULL;
    assert_int_equal(weft_cache_list(scene->directory, on_entry, &found, &error), WEFT_OK);
    return found;
}

/* A bit of the entry's byte number `at` turned, or where that is negative so many bytes cut off. */
static void damage(const char *path, long at)
{
    struct stat status;
    char byte;
    int fd = open(path, O_RDWR);
    assert_int_equal(fstat(fd, &status), 0);
    if (at < 0) {
        assert_int_equal(ftruncate(fd, status.st_size + at > 0 ? status.st_size + at : 0), 0);
    } else {
        assert_int_equal(pread(fd, &byte, 1, at % status.st_size), 1);
        byte ^= 4;
        assert_int_equal(pwrite(fd, &byte, 1, at % status.st_size), 1);
    }
    close(fd);
}

static void test_damage(void **state)
{
    static const long places[] = {0, 100, 5000, -1, -16, -1000, -1000000};
    struct scene *scene = *state;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        damage(list(scene).path, places[i]);
        assert_int_equal(list(scene).damaged, 1);
        reopen(scene);
        assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
        reopen(scene);
        assert_int_equal(origin_of(scene, first), WEFT_FROM_DISK);
        assert_int_equal(list(scene).damaged, 0);
    }
    assert_int_equal(list(scene).count, 1);
}

/* A sound entry that the driver does not take is made anew. */
static void test_entry_that_does_not_load(void **state)
{
    struct scene *scene = *state;
    char nonsense[200] = "\177ELF and so on";
    const struct image image = {.fd = -1, .bytes = nonsense, .size = sizeof nonsense};
    struct cache_key key;
    enum weft_kernel_origin origin;
    struct loaded *loaded = get(scene, first, WEFT_MATH_STRICT, &origin);
    char *identity = nvrtc_identity(&scene->context->nvrtc);
    assert_true(cuda_key_init(&key, scene->device, identity, loaded->key + 1, WEFT_MATH_STRICT));
    assert_true(cache_publish(scene->directory, &key, &image, "NVRTC", UINT64_MAX, &(int){0}));
    assert_int_equal(list(scene).count, 1);
    cache_key_finish(&key);
    free(identity);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_DISK);
}

static void test_sweeping(void **state)
{
    struct scene *scene = *state;
    struct weft_cache_removed removed;
    struct weft_error *error = NULL;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    assert_int_equal(origin_of(scene, other), WEFT_FROM_COMPILER);
    assert_int_equal(list(scene).count, 2);
    assert_int_equal(weft_cache_prune(scene->directory, 1, &removed, &error), WEFT_OK);
    assert_int_equal(removed.files, 2);
    assert_int_equal(list(scene).count, 0);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    assert_int_equal(weft_cache_clear(scene->directory, &removed, &error), WEFT_OK);
    assert_int_equal(list(scene).count, 0);
}

/* Architectures and versions are part of the key. A GPU that is newer than NVRTC gets PTX. */
static void test_key(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    setenv("MOCKCUDA_ARCH", "80", 1);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    setenv("MOCKCUDA_ARCH", "250", 1);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_DISK);
    unsetenv("MOCKCUDA_ARCH");
    assert_int_equal(list(scene).count, 3);
    reopen(scene);
    assert_int_equal(origin_of(scene, first), WEFT_FROM_DISK);
}

/* ---- failures ---- */

static void expect(struct scene *scene, enum diag_id id)
{
    assert_non_null(scene->diags.first);
    if (scene->diags.first->id != id)
        fail_msg("not %d: %s", (int)id, scene->diags.first->message);
    scene->diags = diags_new(&scene->arena, NULL);
}

static void test_load_failures(void **state)
{
    static const struct {
        int code;
        enum diag_id id;
    } rows[] = {
        {CUDA_ERROR_NO_BINARY_FOR_GPU, DIAG_CUDA_IMAGE},
        {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, DIAG_CUDA_IMAGE},
        {CUDA_ERROR_OUT_OF_MEMORY, DIAG_CUDA_MEMORY},
        {CUDA_ERROR_INVALID_VALUE, DIAG_CUDA_CALL},
    };
    struct scene *scene = *state;
    enum weft_kernel_origin origin;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fail_at(3, rows[i].code); /* cuModuleLoadData */
        assert_null(get(scene, first, WEFT_MATH_STRICT, &origin));
        expect(scene, rows[i].id);
        assert_int_equal(list(scene).count, 0);
    }
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
}

/* Each call in turn: an error or a kernel, and afterwards everything works and nothing has leaked. */
static void fail_each(struct scene *scene, bool nvrtc)
{
    for (long n = 1;; n++) {
        char command[100];
        snprintf(command, sizeof command, "rm -rf %s/*", scene->directory);
        assert_int_equal(system(command), 0);
        weft_context_destroy(scene->context);
        (nvrtc ? nvrtc_fail_at : fail_at)(n, 999);
        open_context(scene, scene->directory);
        enum weft_kernel_origin origin;
        bool good = scene->device && get(scene, first, WEFT_MATH_STRICT, &origin);
        assert_true(good || scene->diags.first);
        bool beyond = (nvrtc ? nvrtc_calls : calls)() < n;
        (nvrtc ? nvrtc_fail_at : fail_at)(0, 0);
        scene->diags = diags_new(&scene->arena, NULL);
        scene->device = cuda_device_get(&scene->context->cuda, 0, &scene->diags);
        assert_non_null(scene->device);
        assert_non_null(get(scene, first, WEFT_MATH_STRICT, &origin));
        weft_context_destroy(scene->context);
        assert_int_equal(live(1), 0);
        open_context(scene, scene->directory);
        if (beyond)
            break;
        assert_true(n < 1000);
    }
}

static void test_each_call(void **state)
{
    fail_each(*state, false);
}

static void test_each_call_of_nvrtc(void **state)
{
    fail_each(*state, true);
}

/* A context that is lost takes its modules along. */
static void test_lost_context(void **state)
{
    struct scene *scene = *state;
    enum weft_kernel_origin origin;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    assert_true(cuda_enter(scene->device, &scene->diags));
    fail_at(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_false(CUDA_CALL(scene->device->driver, &scene->diags, cuCtxSynchronize));
    expect(scene, DIAG_CUDA_LOST);
    cuda_leave(scene->device);
    assert_null(get(scene, other, WEFT_MATH_STRICT, &origin));
    assert_int_equal(diags_status(&scene->diags), WEFT_DEVICE_ERROR);
    weft_context_destroy(scene->context); /* does not crash */
    scene->context = NULL;
}

static void test_fork(void **state)
{
    struct scene *scene = *state;
    int status;
    assert_int_equal(origin_of(scene, first), WEFT_FROM_COMPILER);
    pid_t child = fork();
    if (child == 0) {
        enum weft_kernel_origin origin;
        struct loaded *same = get(scene, first, WEFT_MATH_STRICT, &origin);
        struct loaded *none = get(scene, other, WEFT_MATH_STRICT, &origin);
        bool told = diags_status(&scene->diags) == WEFT_DEVICE_ERROR &&
                    scene->diags.first->id == DIAG_CUDA_FORKED;
        weft_context_destroy(scene->context);
        _exit(same && !none && told ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(origin_of(scene, other), WEFT_FROM_COMPILER);
}

static void note_code(void *user, const struct weft_error *record)
{
    *(int *)user = record->code;
}

/* A kernel that cannot be kept runs, and the log is told. It is no remark of the run, whose results are complete. */
static void test_not_kept(void **state)
{
    const struct scene *scene = *state;
    int code = 0;
    char keep[100];
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    snprintf(keep, sizeof keep, "%s/kept", scene->directory);
    const struct weft_context_params params = {.keep = keep, .cache = "", .target = WEFT_TARGET_CUDA,
                                               .log = note_code, .user = &code};
    assert_int_equal(weft_context_create(&params, &context, &error), WEFT_OK);
    assert_int_equal(rmdir(keep), 0);
    assert_int_equal(weft_compile(context, "x + 1", NULL, &program, &error), WEFT_OK);
    float x[] = {1, 2, 3}, out[] = {0, 0, 0};
    int64_t extent = 3;
    DLTensor in = {.data = x, .device = {.device_type = kDLCPU}, .ndim = 1, .shape = &extent};
    in.dtype = weft_dtype_to_dlpack(WEFT_FLOAT32);
    DLTensor result = in;
    result.data = out;
    const struct weft_run_params run = {&(struct weft_argument){.tensors = &in}, 1,
                                        &(struct weft_argument){.tensors = &result}, 1, NULL};
    assert_int_equal(weft_run(program, &run, &error), WEFT_OK);
    assert_null(error);
    assert_int_equal(code, 254);
    assert_true(out[0] == 2 && out[1] == 3 && out[2] == 4);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void find_mock(void)
{
    char path[500];
    snprintf(path, sizeof path, "%s/libcuda.so.1", getenv("MOCKCUDA"));
    void *driver = dlopen(path, RTLD_NOW);
    snprintf(path, sizeof path, "%s/libnvrtc.so.13", getenv("MOCKCUDA"));
    void *nvrtc = dlopen(path, RTLD_NOW);
    if (!driver || !nvrtc) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&fail_at = dlsym(driver, "mockcuda_fail_at");
    *(void **)&calls = dlsym(driver, "mockcuda_calls");
    *(void **)&live = dlsym(driver, "mockcuda_live");
    *(void **)&nvrtc_fail_at = dlsym(nvrtc, "mocknvrtc_fail_at");
    *(void **)&nvrtc_calls = dlsym(nvrtc, "mocknvrtc_calls");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_memory), TEST(test_devices), TEST(test_threads), TEST(test_disk),
        TEST(test_damage), TEST(test_entry_that_does_not_load), TEST(test_sweeping), TEST(test_key),
        TEST(test_load_failures), TEST(test_each_call), TEST(test_each_call_of_nvrtc), TEST(test_fork),
        TEST(test_not_kept),
        TEST(test_lost_context), /* last: no context of that GPU works any more */
    };
    find_mock();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
