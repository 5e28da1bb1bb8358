/* Which GPU a call runs on: that of its operands. What does not go together is an error that names it. With one GPU
 * alone only what concerns one is tested. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 3000 };

static float ramp(int64_t i)
{
    return (float)(i % 512) - 100;
}

static float tripled(int64_t i)
{
    return ramp(i) * 3 + 2;
}

/* Of one device. */
struct side {
    void *stream;
    uint64_t x, out;
};

static struct side begin(int device)
{
    gpu_enter_on(device);
    return (struct side){gpu_new_stream(), api_floats(COUNT, ramp), api_blank(COUNT * sizeof(float))};
}

static void end(int device, const struct side *side)
{
    gpu_enter_on(device);
    gpu_end_stream(side->stream);
    gpu_free(side->x);
    gpu_free(side->out);
}

static struct api_call call_on(int device, const struct side *side)
{
    struct api_call call = {.inputs = {api_on("x", side->x, COUNT)}, .outputs = {api_on("out", side->out, COUNT)},
                            .stream = side->stream};
    call.inputs[0].where = call.outputs[0].where = device;
    return call;
}

/* One context, one program, all devices at once, whichever is current on the thread. */
static void all_of_them(void **state)
{
    (void)state;
    struct side sides[8];
    int count = gpu_count();
    float *gain = malloc(sizeof *gain);
    struct weft_context *context = api_context(WEFT_TARGET_AUTO);
    struct weft_program *program = api_compile(context, "x * 3 + gain + float32(5 // int32(gain - 2))");
    char message[API_MESSAGE];
    *gain = 2;
    for (int d = 0; d < count; d++)
        sides[d] = begin(d);
    for (int d = 0; d < count; d++) {
        struct api_call call = call_on(d, &sides[d]);
        call.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, gain, API_HOST};
        api_run(program, &call);
    }
    for (int d = 0; d < count; d++) {
        gpu_enter_on(d);
        gpu_wait(sides[d].stream);
        api_check(sides[d].out, COUNT, tripled);
        assert_int_equal(api_status(context, sides[d].stream, message), WEFT_DIVIDE_BY_ZERO);
        assert_int_equal(api_status(context, sides[d].stream, message), WEFT_OK);
    }
    weft_program_destroy(program);
    weft_context_destroy(context);
    for (int d = 0; d < count; d++)
        end(d, &sides[d]);
    free(gain);
}

static void fails(struct weft_program *program, const struct api_call *call, enum weft_status status,
                  const char *first, const char *second)
{
    char message[API_MESSAGE];
    assert_int_equal(api_try(program, call, message), status);
    if (!strstr(message, first) || !strstr(message, second))
        fail_msg("'%s' and '%s' are not both in: %s", first, second, message);
}

static void what_does_not_go(void **state)
{
    (void)state;
    struct side side = begin(0);
    struct weft_context *context = api_context(WEFT_TARGET_AUTO), *host = api_context(WEFT_TARGET_C);
    struct weft_program *program = api_compile(context, "x * 3 + 2"), *in_c = api_compile(host, "x * 3 + 2");
    struct api_call call = call_on(0, &side);
    float *out = calloc(COUNT, sizeof *out);
    fails(in_c, &call, WEFT_INPUT_ERROR, "'x'", "on GPU 0");
    call.outputs[0] = (struct api_line){"out", WEFT_FLOAT32, COUNT, out, API_HOST};
    fails(program, &call, WEFT_INPUT_ERROR, "'out'", "'x'");
    call = call_on(99, &side);
    fails(program, &call, WEFT_INPUT_ERROR, "99", "");
    call = call_on(0, &side);
    api_run(program, &call); /* and it goes on */
    gpu_wait(side.stream);
    api_check(side.out, COUNT, tripled);
    weft_program_destroy(program);
    weft_program_destroy(in_c);
    weft_context_destroy(context);
    weft_context_destroy(host);
    end(0, &side);
    free(out);
}

/* Shapes and axes have to be on the host: the kernel depends on them. */
static void numbers_of_views(void **state)
{
    (void)state;
    struct side side = begin(0);
    struct weft_context *context = api_context(WEFT_TARGET_AUTO);
    struct weft_program *program = api_compile(context, "input s: int64[1]\nreturn reshape(x, s) * 3 + 2");
    struct api_call call = call_on(0, &side);
    int64_t shape = COUNT;
    char message[API_MESSAGE];
    call.inputs[1] = (struct api_line){"s", WEFT_INT64, 1, &shape, API_HOST};
    call.outputs[0].name = "out";
    api_run(program, &call);
    gpu_wait(side.stream);
    api_check(side.out, COUNT, tripled);
    call.inputs[1].where = 0;
    call.inputs[1].data = (void *)(uintptr_t)side.out;
    assert_int_equal(api_try(program, &call, message), WEFT_INPUT_ERROR);
    assert_non_null(strstr(message, "'s'"));
    weft_program_destroy(program);
    weft_context_destroy(context);
    end(0, &side);
}

static void two_devices(void **state)
{
    (void)state;
    if (gpu_count() < 2)
        skip();
    static float host[COUNT];
    struct side sides[] = {begin(0), begin(1)};
    struct weft_context *context = api_context(WEFT_TARGET_AUTO);
    struct weft_program *program = api_compile(context, "x * 3 + y");
    struct api_call call = call_on(0, &sides[0]);
    call.inputs[1] = (struct api_line){"y", WEFT_FLOAT32, COUNT, (void *)(uintptr_t)sides[1].x, 1};
    fails(program, &call, WEFT_INPUT_ERROR, "'y' is on GPU 1", "on GPU 0");
    call.inputs[1] = (struct api_line){"y", WEFT_FLOAT32, COUNT, (void *)(uintptr_t)sides[0].x, 0};
    call.outputs[0].where = 1;
    fails(program, &call, WEFT_INPUT_ERROR, "'out' is on GPU 1", "on GPU 0");
    call.outputs[0].where = 0;
    call.stream = sides[1].stream;
    fails(program, &call, WEFT_INVALID_ARGUMENT, "stream", "GPU 0");
    call.inputs[1] = (struct api_line){"y", WEFT_FLOAT32, COUNT, host, API_HOST}; /* which takes memory of the GPU */
    fails(program, &call, WEFT_INVALID_ARGUMENT, "stream", "GPU 0");
    call.inputs[1] = (struct api_line){"y", WEFT_FLOAT32, COUNT, (void *)(uintptr_t)sides[0].x, 0};
    call.stream = sides[0].stream;
    api_run(program, &call);
    gpu_enter_on(0);
    gpu_wait(sides[0].stream);
    weft_program_destroy(program);
    weft_context_destroy(context);
    end(0, &sides[0]);
    end(1, &sides[1]);
}

/* Two contexts beside each other, one of which goes. */
static void two_contexts(void **state)
{
    (void)state;
    struct side side = begin(0);
    struct weft_context *contexts[] = {api_context(WEFT_TARGET_AUTO), api_context(WEFT_TARGET_AUTO)};
    struct weft_program *programs[2];
    struct api_call call = call_on(0, &side);
    for (int c = 0; c < 2; c++) {
        programs[c] = api_compile(contexts[c], "x * 3 + 2");
        api_run(programs[c], &call);
    }
    weft_program_destroy(programs[0]);
    weft_context_destroy(contexts[0]);
    gpu_fill(side.out, 0xff, COUNT * sizeof(float));
    api_run(programs[1], &call);
    gpu_wait(side.stream);
    api_check(side.out, COUNT, tripled);
    weft_program_destroy(programs[1]);
    weft_context_destroy(contexts[1]);
    end(0, &side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_them), cmocka_unit_test(what_does_not_go),
                                       cmocka_unit_test(numbers_of_views), cmocka_unit_test(two_devices),
                                       cmocka_unit_test(two_contexts)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu devices", tests, NULL, NULL);
}
