/* See buffer.h. */
#include "tests/random/buffer.h"

#include <string.h>

enum { ALIGNMENT = 64, PATTERN = 0xa5 };

void buffer_make(struct buffer *buffer, struct arena *arena, enum weft_dtype dtype,
                 const struct extents *extents, const struct layout *layout)
{
    int64_t first;
    size_t size = weft_dtype_size(dtype);
    buffer->dtype = dtype;
    buffer->extents = *extents;
    int64_t span = layout_strides(layout, extents, buffer->strides, &first);
    if (extents_volume(extents) == 0) /* the other extents may be large */
        span = first = 0;
    buffer->bytes = (size_t)span * size + ALIGNMENT;
    buffer->memory = arena_alloc(arena, buffer->bytes + ALIGNMENT);
    buffer->memory += -(uintptr_t)buffer->memory % ALIGNMENT;
    buffer->copy = arena_alloc(arena, buffer->bytes);
    memset(buffer->memory, PATTERN, buffer->bytes);
    buffer->data = buffer->memory + first * (int64_t)size;
}

/* The place of the next element in row-major order, or of the first. */
static char *element_at(const struct buffer *buffer, int64_t *index, bool next)
{
    int64_t offset = 0;
    for (int d = buffer->extents.rank - 1; next && d >= 0; d--) {
        if (++index[d] < buffer->extents.at[d])
            break;
        index[d] = 0;
    }
    for (int d = 0; d < buffer->extents.rank; d++)
        offset += index[d] * buffer->strides[d];
    return buffer->data + offset * (int64_t)weft_dtype_size(buffer->dtype);
}

void buffer_write(struct buffer *buffer, const union scalar *values)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    for (int64_t e = 0; e < volume; e++)
        scalar_store(element_at(buffer, index, e > 0), buffer->dtype, values[e]);
}

union scalar *buffer_read(const struct buffer *buffer, struct arena *arena)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    union scalar *values = ARENA_ARRAY(arena, union scalar, volume + 1);
    for (int64_t e = 0; e < volume; e++)
        values[e] = scalar_load(element_at(buffer, index, e > 0), buffer->dtype);
    return values;
}

void buffer_note(struct buffer *buffer)
{
    memcpy(buffer->copy, buffer->memory, buffer->bytes);
}

bool buffer_same(const struct buffer *buffer)
{
    return memcmp(buffer->memory, buffer->copy, buffer->bytes) == 0;
}

/* The elements are put back first. */
bool buffer_kept(const struct buffer *buffer, struct arena *arena)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    size_t size = weft_dtype_size(buffer->dtype);
    char *now = arena_copy(arena, buffer->memory, buffer->bytes);
    for (int64_t e = 0; e < volume; e++) {
        ptrdiff_t at = element_at(buffer, index, e > 0) - buffer->memory;
        memcpy(now + at, buffer->copy + at, size);
    }
    return memcmp(now, buffer->copy, buffer->bytes) == 0;
}

DLTensor buffer_tensor(struct buffer *buffer)
{
    return (DLTensor){.data = buffer->data, .device = {kDLCPU, 0}, .ndim = buffer->extents.rank,
                      .dtype = weft_dtype_to_dlpack(buffer->dtype), .shape = buffer->extents.at,
                      .strides = buffer->strides};
}
