/* Tensors of more than 2^31 elements, and smaller ones whose elements lie further apart than that: device
 * tensors of uint8, compared element by element. Needs about 5 GB of device memory; skipped where there is
 * less. */
#include "tests/gpu/gpu.h"

#include "include/weft/weft.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BILLIONS ((int64_t)1 << 31)

/* The pattern's period divides no power of two, so that an index cut to 32 bits finds other bytes. */
enum { PERIOD = (64 << 20) + 4099 };

static unsigned char *pattern, *got;
static struct weft_context *context;

static size_t least(size_t a, int64_t b)
{
    return b < (int64_t)a ? (size_t)b : a;
}

static uint64_t filled(int64_t count)
{
    uint64_t address = gpu_alloc((size_t)count);
    for (int64_t at = 0; at < count; at += PERIOD)
        gpu_upload(address + (uint64_t)at, pattern, least(PERIOD, count - at));
    return address;
}

static DLTensor tensor(uint64_t address, int rank, int64_t *shape, int64_t *strides)
{
    return (DLTensor){.data = (void *)(uintptr_t)address, .device = {kDLCUDA, 0}, .ndim = rank,
                      .dtype = {kDLUInt, 8, 1}, .shape = shape, .strides = strides};
}

static void run(const char *text, DLTensor *x, DLTensor *row, DLTensor *out)
{
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    char message[1000] = "";
    const struct weft_argument inputs[] = {{.name = "x", .tensors = x}, {.name = "row", .tensors = row}};
    const struct weft_argument output = {.tensors = out};
    const struct weft_run_params params = {inputs, row ? 2 : 1, &output, 1, gpu_stream()};
    enum weft_status status = weft_compile(context, text, NULL, &program, &error);
    if (status >= 0)
        status = weft_run(program, &params, &error);
    gpu_synchronize(gpu_stream());
    if (status >= 0)
        status = weft_context_status(context, gpu_stream(), &error);
    if (error)
        weft_error_render(error, message, sizeof message);
    if (status != WEFT_OK)
        fail_msg("%s: %s", text, message);
    weft_error_destroy(error);
    weft_program_destroy(program);
}

/* `add` holds what is added to every third element. */
static void check(uint64_t address, int64_t count, const unsigned char add[3])
{
    for (int64_t at = 0; at < count; at += PERIOD) {
        size_t size = least(PERIOD, count - at);
        gpu_download(got, address + (uint64_t)at, size);
        for (size_t i = 0; i < size; i++)
            if (got[i] != (unsigned char)((pattern[i] ^ 0x5a) + add[(at + (int64_t)i) % 3]))
                fail_msg("element %" PRId64 " is %d", at + (int64_t)i, got[i]);
    }
}

static bool has_room(int64_t bytes)
{
    if ((int64_t)gpu_room() > bytes + (1 << 28))
        return true;
    print_message("skipped: %zu MB of device memory are free, %" PRId64 " MB are wanted\n",
                  gpu_room() >> 20, (bytes >> 20) + 256);
    return false;
}

static void contiguous(void **unused)
{
    (void)unused;
    int64_t count = BILLIONS + 12345;
    if (!has_room(2 * count))
        skip();
    uint64_t in = filled(count), to = gpu_alloc((size_t)count);
    gpu_fill(to, 0xa5, (size_t)count);
    DLTensor x = tensor(in, 1, &count, NULL), out = tensor(to, 1, &count, NULL);
    run("wrap(x ^ 90, uint8)", &x, NULL, &out);
    check(to, count, (unsigned char[]){0, 0, 0});
    gpu_free(in), gpu_free(to);
}

static void beside_a_row(void **unused)
{
    (void)unused;
    int64_t shape[] = {BILLIONS / 3 + 5, 3}, three = 3, count = shape[0] * 3;
    const unsigned char add[3] = {1, 20, 77};
    if (!has_room(2 * count))
        skip();
    uint64_t in = filled(count), to = gpu_alloc((size_t)count), little = gpu_alloc(3);
    gpu_upload(little, add, 3);
    gpu_fill(to, 0xa5, (size_t)count);
    DLTensor x = tensor(in, 2, shape, NULL), row = tensor(little, 1, &three, NULL);
    DLTensor out = tensor(to, 2, shape, NULL);
    run("wrap((x ^ 90) + row, uint8)", &x, &row, &out);
    check(to, count, add);
    gpu_free(in), gpu_free(to), gpu_free(little);
}

/* Few elements, far apart. */
static void far_apart(void **unused)
{
    (void)unused;
    enum { COLUMNS = 1000 };
    int64_t shape[] = {2, COLUMNS}, strides[] = {BILLIONS + 77, 1}, count = BILLIONS + 77 + COLUMNS;
    if (!has_room(count))
        skip();
    uint64_t in = filled(count), to = gpu_alloc(2 * COLUMNS);
    DLTensor x = tensor(in, 2, shape, strides), out = tensor(to, 2, shape, NULL);
    run("wrap(x ^ 90, uint8)", &x, NULL, &out);
    gpu_download(got, to, 2 * COLUMNS);
    for (int64_t r = 0; r < 2; r++)
        for (int64_t i = 0; i < COLUMNS; i++)
            assert_int_equal(got[r * COLUMNS + i], pattern[(r * strides[0] + i) % PERIOD] ^ 0x5a);
    gpu_free(in), gpu_free(to);
}

static int begin(void **unused)
{
    (void)unused;
    uint32_t state = 1;
    pattern = malloc(PERIOD), got = malloc(PERIOD);
    for (int i = 0; i < PERIOD; i++) {
        state = state * 1664525u + 1013904223u;
        pattern[i] = (unsigned char)(state >> 24);
    }
    return weft_context_create(NULL, &context, NULL);
}

static int end(void **unused)
{
    (void)unused;
    weft_context_destroy(context);
    free(pattern), free(got);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contiguous), cmocka_unit_test(beside_a_row),
                                       cmocka_unit_test(far_apart)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu wide", tests, begin, end);
}
