/* Which target and which architecture a context takes, and what weft_context_status says where nothing
 * ran on a GPU. */
#include "include/weft/weft.h"
#include "runtime/kernels/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct weft_context *context_for(enum weft_target target, const char *arch)
{
    struct weft_context *context = NULL;
    struct weft_error *error = NULL;
    const struct weft_context_params params = {.cache = "", .target = target, .arch = arch};
    assert_int_equal(weft_context_create(&params, &context, &error), WEFT_OK);
    assert_null(error);
    return context;
}

static void refused(enum weft_target target, const char *arch, const char *message)
{
    struct weft_context *context = (struct weft_context *)&message;
    struct weft_error *error = NULL;
    const struct weft_context_params params = {.cache = "", .target = target, .arch = arch};
    assert_int_equal(weft_context_create(&params, &context, &error), WEFT_INVALID_ARGUMENT);
    assert_null(context);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    weft_error_destroy(error);
}

/* The target that a context has whose params say `target`, with WEFT_TARGET set to `word`. */
static enum weft_target chosen(enum weft_target target, const char *word)
{
    assert_int_equal(word ? setenv("WEFT_TARGET", word, 1) : unsetenv("WEFT_TARGET"), 0);
    struct weft_context *context = context_for(target, NULL);
    enum weft_target found = context->target;
    weft_context_destroy(context);
    return found;
}

static void test_target(void **state)
{
    (void)state;
    assert_int_equal(chosen(WEFT_TARGET_AUTO, NULL), WEFT_TARGET_AUTO);
    assert_int_equal(chosen(WEFT_TARGET_AUTO, ""), WEFT_TARGET_AUTO);
    assert_int_equal(chosen(WEFT_TARGET_AUTO, "auto"), WEFT_TARGET_AUTO);
    assert_int_equal(chosen(WEFT_TARGET_AUTO, "c"), WEFT_TARGET_C);
    assert_int_equal(chosen(WEFT_TARGET_AUTO, "cuda"), WEFT_TARGET_CUDA);
    assert_int_equal(chosen(WEFT_TARGET_C, "cuda"), WEFT_TARGET_C);
    assert_int_equal(chosen(WEFT_TARGET_CUDA, "c"), WEFT_TARGET_CUDA);
    assert_int_equal(chosen(WEFT_TARGET_C, "gpu"), WEFT_TARGET_C);
    assert_int_equal(setenv("WEFT_TARGET", "gpu", 1), 0);
    refused(WEFT_TARGET_AUTO, NULL, "WEFT_TARGET is 'gpu'; targets are auto, c and cuda");
    assert_int_equal(unsetenv("WEFT_TARGET"), 0);
    refused((enum weft_target)3, NULL, "target of weft_context_params is no enum weft_target");
    refused((enum weft_target)-1, NULL, "target of weft_context_params is no enum weft_target");
}

static void test_arch(void **state)
{
    (void)state;
    static const char *const good[] = {"sm_75", "sm_90", "sm_90a", "sm_100", "sm_100f"};
    static const char *const bad[] = {"", "sm_", "sm_9", "sm_1000", "sm_90b", "sm_90aa", "90", "compute_90",
                                      "sm_90 -lineinfo"};
    char copy[8], message[200];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(copy, sizeof copy, "%s", good[i]);
        struct weft_context *context = context_for(WEFT_TARGET_C, copy);
        copy[0] = '\0';            /* it was the caller's */
        assert_string_equal(context->arch, good[i]);
        weft_context_destroy(context);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(message, sizeof message,
                 "'%s' is no GPU architecture; give its compute capability, as in sm_90", bad[i]);
        refused(WEFT_TARGET_AUTO, bad[i], message);
    }
}

static void test_status(void **state)
{
    (void)state;
    struct weft_context *context = context_for(WEFT_TARGET_CUDA, NULL);
    struct weft_error *error = (struct weft_error *)context;
    assert_int_equal(weft_context_status(context, NULL, &error), WEFT_OK);
    assert_null(error);
    assert_int_equal(weft_context_status(context, NULL, NULL), WEFT_OK);
    assert_int_equal(weft_context_status(NULL, NULL, &error), WEFT_INVALID_ARGUMENT);
    assert_string_equal(error->message, "weft_context_status needs a context, found NULL");
    weft_error_destroy(error);
    weft_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_target), cmocka_unit_test(test_arch),
                                       cmocka_unit_test(test_status)};
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
