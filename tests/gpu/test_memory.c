/* Out of device memory: the card is filled, a call says so with the bytes it wanted, and when there is room
 * again the same call works; nothing else went wrong in between. */
#include "tests/gpu/gpu.h"
#include "tests/gpu/pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 4096, COUNT = 16 << 20 };

static uint64_t blocks[BLOCKS];
static int held;

/* Takes what there is, in blocks that halve until no block of `least` bytes is left. */
static void fill_card(size_t least)
{
    for (size_t size = gpu_room(); size >= least;) {
        uint64_t block = held < BLOCKS ? gpu_try_alloc(size) : 0;
        if (block)
            blocks[held++] = block;
        else
            size /= 2;
    }
}

static void empty_card(void)
{
    while (held > 0)
        gpu_free(blocks[--held]);
}

static int always_empty(void **unused)
{
    (void)unused;
    empty_card();
    return 0;
}

static void check_right(const float *in, const float *out)
{
    for (int64_t i = 0; i < COUNT; i++)
        if (out[i] != in[i] * 2 + 1)
            fail_msg("element %lld is %a", (long long)i, out[i]);
}

static void told_and_survived(void **unused)
{
    (void)unused;
    float *in = calloc(COUNT, sizeof *in), *out = calloc(COUNT, sizeof *out);
    char message[2000];
    const struct line from = {WEFT_FLOAT32, COUNT, in}, to = {WEFT_FLOAT32, COUNT, out};
    for (int64_t i = 0; i < COUNT; i++)
        in[i] = (float)(i % 1000);
    assert_int_equal(pair_try(WEFT_TARGET_CUDA, "a * 2 + 1", &from, 1, &to, message, sizeof message), WEFT_OK);
    check_right(in, out);
    memset(out, 0, COUNT * sizeof *out);
    fill_card(COUNT * sizeof *in / 2); /* what is left is room for a stream, and not for an operand */
    assert_int_equal(pair_try(WEFT_TARGET_CUDA, "a * 2 + 1", &from, 1, &to, message, sizeof message),
                     WEFT_OUT_OF_MEMORY);
    if (!strpbrk(message, "0123456789") || !strstr(message, "byte"))
        fail_msg("no bytes are named: %s", message);
    for (int64_t i = 0; i < COUNT; i++)
        assert_true(out[i] == 0);
    empty_card();
    assert_int_equal(pair_try(WEFT_TARGET_CUDA, "a * 2 + 1", &from, 1, &to, message, sizeof message), WEFT_OK);
    check_right(in, out);
    free(in), free(out);
}

/* One context through a failure: what it had before it still has. */
static void the_context_goes_on(void **unused)
{
    (void)unused;
    enum { FEW = 1000 };
    static float small[FEW], result[FEW];
    char message[2000];
    const struct line from = {WEFT_FLOAT32, FEW, small}, to = {WEFT_FLOAT32, FEW, result};
    fill_card(1 << 20);
    /* Small calls may fail or not now; neither may hang, crash or lie. */
    enum weft_status status = pair_try(WEFT_TARGET_CUDA, "a - 3", &from, 1, &to, message, sizeof message);
    if (status != WEFT_OK && status != WEFT_OUT_OF_MEMORY)
        fail_msg("status %d: %s", status, message);
    for (int i = 0; status == WEFT_OK && i < FEW; i++)
        assert_true(result[i] == -3);
    empty_card();
    assert_int_equal(pair_try(WEFT_TARGET_CUDA, "a - 3", &from, 1, &to, message, sizeof message), WEFT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(told_and_survived, always_empty),
                                       cmocka_unit_test_teardown(the_context_goes_on, always_empty)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu memory", tests, NULL, NULL);
}
