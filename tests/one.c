/* In every cmocka program: WEFT_TEST=PATTERN runs the tests whose names match alone, as 'test_call*'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

__attribute__((constructor)) static void choose(void)
{
    const char *pattern = getenv("WEFT_TEST");
    if (pattern && *pattern)
        cmocka_set_test_filter(pattern);
}
