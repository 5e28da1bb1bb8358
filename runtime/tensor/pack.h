/* Strided elements of a host tensor to dense ones and back. Dense means row-major over the dimensions that
 * have a stride; the others have one element, whatever their extent. */
#ifndef WEFT_PACK_H
#define WEFT_PACK_H

#include <stddef.h>
#include <stdint.h>

struct tensor;

/* Bytes of all of them. */
size_t pack_size(const struct tensor *tensor);
/* Strides, in elements, of the tensor once it is dense. */
void pack_strides(const struct tensor *tensor, int64_t *strides);
/* Bytes [from, from + bytes) of the dense elements, whole ones; `data` is the tensor's. */
void pack(const struct tensor *tensor, const char *data, size_t from, size_t bytes, char *to);
/* The way back: bytes [to, to + bytes) of the dense elements go to their places. */
void unpack(const struct tensor *tensor, char *data, size_t to, size_t bytes, const char *from);

#endif
