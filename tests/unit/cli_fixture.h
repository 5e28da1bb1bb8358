/* What tests of the command's files share: an pool, and a report whose diagnostics go to memory. */
#ifndef WEFT_TESTS_CLI_FIXTURE_H
#define WEFT_TESTS_CLI_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/base/report.h"
#include "cli/files/tensor.h"

struct fixture {
    struct pool pool;
    struct report report;
    char *told; /* the diagnostics so far, after fixture_told */
    size_t told_size;
};

static int fixture_setup(void **state)
{
    static char *arguments[] = {"run", "a + b", NULL};
    struct fixture *f = calloc(1, sizeof *f);
    if (!f)
        return 1;
    report_init(&f->report, &f->pool, open_memstream(&f->told, &f->told_size), arguments, 2);
    *state = f;
    return 0;
}

static int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    fclose(f->report.stream);
    free(f->told);
    pool_finish(&f->pool);
    free(f);
    return 0;
}

static inline const char *fixture_told(struct fixture *f)
{
    fflush(f->report.stream);
    return f->told;
}

static inline struct tensor make_tensor(enum weft_dtype dtype, int rank, const int64_t *shape,
                                        const void *data)
{
    struct tensor tensor = {.dtype = dtype, .rank = rank, .data = (void *)(uintptr_t)data};
    for (int d = 0; d < rank; d++)
        tensor.shape[d] = shape[d];
    assert_true(tensor_bytes(&tensor, &tensor.size));
    tensor_set_strides(&tensor, false);
    return tensor;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

#endif
