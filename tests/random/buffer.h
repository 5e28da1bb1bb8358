/* Tensors in memory as trials want them: any strides, any alignment, and a pattern around the elements
 * that tells whether something else was written. */
#ifndef WEFT_BUFFER_H
#define WEFT_BUFFER_H

#include "tests/random/trial.h"

struct buffer {
    enum weft_dtype dtype;
    struct extents extents;
    int64_t strides[FORMULA_RANK];
    char *memory, *copy;           /* [bytes]; what it held before a run */
    size_t bytes;
    char *data;                    /* the first element */
};

void buffer_make(struct buffer *buffer, struct arena *arena, enum weft_dtype dtype,
                 const struct extents *extents, const struct layout *layout);
/* In row-major order. */
void buffer_write(struct buffer *buffer, const union scalar *values);
union scalar *buffer_read(const struct buffer *buffer, struct arena *arena);
/* Notes what it holds. */
void buffer_note(struct buffer *buffer);
/* Whether all bytes, or those between the elements, are as they were noted. */
bool buffer_same(const struct buffer *buffer);
bool buffer_kept(const struct buffer *buffer, struct arena *arena);
/* Points into the buffer. */
DLTensor buffer_tensor(struct buffer *buffer);

#endif
