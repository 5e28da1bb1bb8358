/* An array in memory and how to release it. Every reader fills one, every writer takes one, and the library gets
 * a view of it.
 *
 * Invariant: `data` is the first element, native byte order, aligned to its element; `strides` are
 * in elements and always filled. Bytes it does not own are not released. */
#ifndef WEFT_CLI_TENSOR_H
#define WEFT_CLI_TENSOR_H

#include "cli/base/base.h"
#include "include/weft/weft.h"

struct tensor {
    enum weft_dtype dtype;
    int rank;
    int64_t shape[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
    char layout[WEFT_MAX_RANK + 1]; /* "" when there is none */
    const char *dims; /* named dimensions, "(x:s, y:s=4)", in which sizes may be left out; NULL when there are none */
    void *data;
    void *memory; /* what tensor_finish releases besides, `size` bytes; NULL: nothing */
    size_t size;
    struct mapping *mapping; /* that `data` lies in; NULL: none */
    bool voids;   /* a .npy calls the elements voids of two bytes, which are bfloat16 if the user says so */
    bool outline; /* set before reading: a reader stops when dtype, rank, shape and layout are known, */
    bool mapped;  /* and this is whether the data would be mapped */
};

/* Whether this machine stores the low byte of a number first. */
static inline bool little_endian(void)
{
    return *(const unsigned char *)&(const uint16_t){1} == 1;
}

/* The bytes of all elements. False if the product of the nonzero extents exceeds PTRDIFF_MAX: such a shape is
 * refused even if another extent is 0. */
bool tensor_bytes(const struct tensor *tensor, size_t *bytes);
/* Copies the data into row-major memory of their own unless they are row-major and aligned so. */
bool tensor_make_dense(struct report *report, const char *path, size_t alignment, struct tensor *tensor);
/* Fills strides from dtype, rank and shape, whose tensor_bytes must be good. */
void tensor_set_strides(struct tensor *tensor, bool fortran);
/* Allocates row-major memory for dtype, rank and shape; its contents are undefined. If there is not enough memory,
 * reports that for `path`; `what` is the subject of the message, as "the array". */
bool tensor_allocate(struct report *report, const char *path, const char *what,
                     struct tensor *tensor);
void tensor_finish(struct tensor *tensor);
/* A view for the library; valid while `tensor` stays where it is. */
DLTensor tensor_view(struct tensor *tensor);
/* "float32[2, 3]@HW" or "float32(x:s=2, y:s=3)", a type as the language writes it. */
const char *tensor_type(struct pool *pool, const struct tensor *tensor);

/* The bytes of memory there are now. */
double memory_available(void);
/* Whether `size` more bytes fit into the memory there is now; reports when not. */
bool memory_check(struct report *report, const char *path, const char *what, double size);

#endif
