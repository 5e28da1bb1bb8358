/* What accesses are called, and what stores write to. */
#include "compiler/dump/dump_impl.h"

const char *access_text(struct arena *arena, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    const struct program *program = kernel->program;
    if (access->kind != TENSOR_CONSTANT)
        return access_name(arena, kernel, a);
    struct span span = program->nodes[kernel->constants[access->index].node].span;
    int length = (int)(span.end - span.start);
    char *text = arena_printf(arena, "%.*s%s", length > 24 ? 21 : length,
                              program->source->text + span.start, length > 24 ? "..." : "");
    for (char *c = text; *c; c++)
        *c = *c == '\n' || *c == '\t' || *c == '\r' ? ' ' : *c;
    return text;
}

void put_names(struct buf *buf, const struct kernel *kernel)
{
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        buf_printf(buf, "%s%s", a > kernel->load_count ? ", " : "", access_text(buf->arena, kernel, a));
}

const struct shape *stored_shape(const struct dumped *dumped, int a)
{
    const struct access *access = &dumped->kernel->accesses[a];
    if (access->kind == TENSOR_RESULT)
        return dumped->shapes->nodes[dumped->kernel->program->results[access->index].node];
    return access_is_temporary(access)
               ? dumped->shapes->temporaries[access->index].shape
               : dumped->space;
}

enum weft_dtype stored_dtype(const struct dumped *dumped, int a)
{
    const struct access *access = &dumped->kernel->accesses[a];
    return access->kind == TENSOR_RESULT      ? dumped->kernel->program->results[access->index].dtype
           : access->kind == TENSOR_TEMPORARY ? dumped->shapes->temporaries[access->index].dtype
                                              : access->dtype;
}
