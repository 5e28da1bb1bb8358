/* weft_doctor as a host calls it: statuses, findings in parts, nothing left changed. What it says is
 * tested with the command. */
#include "include/weft/weft.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    int findings, parts;
    char part[64], broken[64]; /* the last part, the first broken finding */
};

static void on_finding(void *user, const struct weft_finding *finding)
{
    struct seen *seen = user;
    assert_true(*finding->name && *finding->text);
    for (const char *c = finding->text; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
    seen->findings++;
    seen->parts += strcmp(seen->part, finding->part) != 0;
    strncpy(seen->part, finding->part, sizeof seen->part - 1);
    if (finding->state == WEFT_BROKEN && !*seen->broken)
        strncpy(seen->broken, finding->name, sizeof seen->broken - 1);
}

static void test_findings(void **state)
{
    (void)state;
    struct seen seen = {0};
    errno = 1234;
    assert_int_equal(weft_doctor(NULL, on_finding, &seen), WEFT_OK);
    assert_int_equal(errno, 1234);
    assert_int_equal(seen.parts, 5);
    assert_true(seen.findings > 10);
}

static void test_params(void **state)
{
    (void)state;
    const char *const flags[] = {"--no-such-flag-at-all", NULL};
    struct seen seen = {0};
    struct weft_context_params params = {.cc = "no\x01such", .disable = "first"};
    assert_int_equal(weft_doctor(&params, on_finding, &seen), WEFT_COMPILER_ERROR);
    assert_string_equal(seen.broken, "no\\x01such");
    params = (struct weft_context_params){.cflags = flags};
    assert_int_equal(weft_doctor(&params, on_finding, &seen), WEFT_COMPILER_ERROR);
    assert_int_equal(weft_doctor(NULL, NULL, NULL), WEFT_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_findings),
                                       cmocka_unit_test(test_params)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
