/* A call that looks like the last one takes a shorter way. Here random calls, most of them the same and
 * many wrong in one place, go the shorter way and the long one: status, message and bytes agree. */
#include "include/weft/weft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 12, ROOM = 2 * LENGTH, STEPS = 3000, TENSORS = 3, CHANGES = 20 };

/* A call of "x - y", everything it points at included. */
struct given {
    float data[TENSORS][ROOM];
    char names[TENSORS][8];
    int64_t shapes[TENSORS][3], strides[TENSORS][3];
    DLTensor tensors[TENSORS];     /* x, y, out */
    struct weft_argument arguments[TENSORS + 1];
    size_t input_count, output_count;
};

struct way {
    struct weft_context *context;
    struct weft_program *program;
    struct given given;
    enum weft_status status;
    char message[400];
};

static uint32_t below(uint32_t bound)
{
    static uint32_t x = 88172645;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x % bound;
}

static void plain(struct given *given, bool named)
{
    static const char *const names[] = {"x", "y", "out"};
    *given = (struct given){.input_count = 2, .output_count = 1};
    for (int i = 0; i < TENSORS; i++) {
        for (int j = 0; j < ROOM; j++)
            given->data[i][j] = (float)(i * 100 + j);
        strcpy(given->names[i], names[i]);
        given->shapes[i][0] = 3, given->shapes[i][1] = 4, given->shapes[i][2] = 1;
        given->strides[i][0] = 4, given->strides[i][1] = 1, given->strides[i][2] = 1;
        given->tensors[i] = (DLTensor){.data = given->data[i], .device = {kDLCPU, 0}, .ndim = 2,
                                       .dtype = {kDLFloat, 32, 1}, .shape = given->shapes[i]};
        given->arguments[i] = (struct weft_argument){.name = named ? given->names[i] : NULL,
                                                     .tensors = &given->tensors[i]};
    }
}

/* Changes one thing; the same numbers make the same change. */
static void change(struct given *given, uint32_t what, uint32_t i, uint32_t pick)
{
    DLTensor *tensor = &given->tensors[i];
    struct weft_argument *argument = &given->arguments[i];
    switch (what) {
    case 0: argument->name = given->names[i]; break;
    case 1: argument->name = given->names[i == 2 ? 2 : 1 - i]; break;
    case 2: argument->name = "z"; break;
    case 3: tensor->strides = given->strides[i]; break;
    case 4:
        tensor->strides = given->strides[i];
        given->strides[i][0] = -4;
        tensor->byte_offset = 8 * sizeof(float);
        break;
    case 5: tensor->strides = given->strides[i], given->strides[i][pick % 2] = 0; break;
    case 6: given->shapes[i][0] = 1; break;
    case 7: given->shapes[i][0] = 4, given->shapes[i][1] = 3; break;
    case 8: tensor->ndim = 1, tensor->shape = given->shapes[i] + 1; break;
    case 9: tensor->dtype.code = pick % 2 ? kDLInt : kDLUInt; break;
    case 10: tensor->dtype.bits = 16; break;
    case 11: tensor->dtype.lanes = 2; break;
    case 12: tensor->device.device_type = pick % 2 ? kDLOpenCL : kDLCUDAHost; break;
    case 13: pick % 2 ? (argument->batch = true) : (argument->count = (int64_t)(pick % 8) / 2 - 1); break;
    case 14: pick % 3 == 0   ? (void)(argument->tensors = NULL)
             : pick % 3 == 1 ? (void)(tensor->data = NULL)
                             : (void)(tensor->shape = NULL); break;
    case 15: tensor->data = (char *)tensor->data + pick % 5; break;
    case 16: tensor->data = given->data[pick % TENSORS] + pick % 4; break;
    case 17: pick % 2 ? (given->input_count = pick / 2 % 4) : (given->output_count = pick / 2 % 2); break;
    case 18: tensor->ndim = pick % 2 ? 3 : 0; break;
    case 19: /* all of them, by as much */
        for (int t = 0; t < TENSORS; t++)
            given->tensors[t].data = (char *)given->tensors[t].data + 1 + pick % 4;
        break;
    }
}

static void run(struct way *way)
{
    struct weft_error *error = NULL;
    struct given *given = &way->given;
    const struct weft_run_params params = {given->arguments, given->input_count,
                                           &given->arguments[2], given->output_count, NULL};
    way->status = weft_run(way->program, &params, &error);
    way->message[0] = '\0';
    if (error)
        weft_error_render(error, way->message, sizeof way->message);
    weft_error_destroy(error);
}

static void open_way(struct way *way, const char *disable)
{
    const struct weft_context_params params = {.disable = disable};
    assert_int_equal(weft_context_create(&params, &way->context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(way->context, "x - y", NULL, &way->program, NULL), WEFT_OK);
}

static void compare_ways(bool named)
{
    static struct way ways[2];
    int good = 0, bad = 0;
    open_way(&ways[0], "");
    open_way(&ways[1], "call");
    for (int step = 0; step < STEPS; step++) {
        uint32_t changes = below(4), last[3] = {0};
        plain(&ways[0].given, named);
        plain(&ways[1].given, named);
        for (uint32_t c = 0; c < (changes < 2 ? changes : 0) + (changes == 3); c++) {
            last[0] = below(CHANGES), last[1] = below(TENSORS), last[2] = below(1000);
            for (int w = 0; w < 2; w++)
                change(&ways[w].given, last[0], last[1], last[2]);
        }
        for (int again = 0; again < 2; again++) {
            for (int w = 0; w < 2; w++)
                run(&ways[w]);
            if (ways[0].status != ways[1].status || strcmp(ways[0].message, ways[1].message) != 0 ||
                memcmp(ways[0].given.data, ways[1].given.data, sizeof ways[0].given.data) != 0)
                fail_msg("step %d, change %u of tensor %u (%u): %d %s against %d %s", step, last[0],
                         last[1], last[2], ways[0].status, ways[0].message, ways[1].status,
                         ways[1].message);
        }
        good += ways[0].status >= 0;
        bad += ways[0].status < 0;
    }
    assert_true(good > STEPS / 4 && bad > STEPS / 8);
    for (int w = 0; w < 2; w++) {
        weft_program_destroy(ways[w].program);
        weft_context_destroy(ways[w].context);
    }
}

static void test_by_position(void **state)
{
    (void)state;
    compare_ways(false);
}

static void test_by_name(void **state)
{
    (void)state;
    compare_ways(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_position), cmocka_unit_test(test_by_name)};
    return cmocka_run_group_tests_name("recent", tests, NULL, NULL);
}
