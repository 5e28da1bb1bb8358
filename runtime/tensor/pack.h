/* Copies strided elements of a host tensor to dense ones and back. Dense means row-major over the
 * dimensions that have a stride. A dimension of stride 0 counts as one element, whatever its extent,
 * unless that is 0. */
#ifndef WEFT_RUNTIME_TENSOR_PACK_H
#define WEFT_RUNTIME_TENSOR_PACK_H

#include <stddef.h>
#include <stdint.h>

struct tensor;

/* The bytes that all dense elements take. */
size_t pack_size(const struct tensor *tensor);
/* Writes the strides, in elements, that the tensor has once it is packed. */
void pack_strides(const struct tensor *tensor, int64_t *strides);
/* Copies bytes [from, from + bytes) of the dense elements to `to`. They must be whole elements. `data`
 * points to the tensor's first element. */
void pack(const struct tensor *tensor, const char *data, size_t from, size_t bytes, char *to);
/* The reverse: copies `bytes` bytes into the tensor, as bytes [to, to + bytes) of the dense elements. */
void unpack(const struct tensor *tensor, char *data, size_t to, size_t bytes, const char *from);

#endif
