/* Implements kernel_program.h. */
#include "compiler/ir/kernel_program.h"

#include "compiler/ir/verify.h"

#include <assert.h>
#include <string.h>

int add_temporary(struct kernel_program *program, enum weft_dtype dtype, const struct shape *shape)
{
    const struct temporary temporary = {.dtype = dtype, .shape = shape};
    ARENA_PUSH(program->arena, program->temporaries, program->temporary_count, temporary);
    return program->temporary_count - 1;
}

void add_kernel(struct kernel_program *program, struct program_kernel kernel)
{
    assert(!verify_kernel(kernel.kernel));
    ARENA_PUSH(program->arena, program->kernels, program->count, kernel);
}

void add_kernel_first(struct kernel_program *program, struct program_kernel kernel)
{
    add_kernel(program, kernel);
    memmove(program->kernels + 1, program->kernels, (size_t)(program->count - 1) * sizeof kernel);
    program->kernels[0] = kernel;
}
