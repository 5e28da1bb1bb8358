/* An array in memory, with whoever must release it: what every reader fills, every writer takes and
 * the library is given a view of.
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
    void *data;
    void *memory; /* what tensor_finish releases, `size` bytes; NULL: nothing */
    size_t size;
    bool mapped;  /* by mmap, else by malloc */
    bool voids;   /* a .npy calls the elements voids of two bytes, which are bfloat16 if the user says so */
    bool outline; /* set before reading: a reader stops when dtype, rank, shape and layout are known,
                     and `mapped` is whether the data would be */
};

/* Bytes of all elements. False when the product of the extents that are not 0 passes PTRDIFF_MAX:
 * such a shape is refused even where another extent is 0. */
bool tensor_bytes(const struct tensor *tensor, size_t *bytes);
/* Fills strides from dtype, rank and shape, whose tensor_bytes must be good. */
void tensor_set_strides(struct tensor *tensor, bool fortran);
/* Row-major memory for dtype, rank and shape, contents undefined. Reports against `path` when it
 * does not fit into the memory there is; `what` names it, as "the array". */
bool tensor_allocate(struct report *report, const char *path, const char *what,
                     struct tensor *tensor);
void tensor_finish(struct tensor *tensor);
/* A view for the library; valid while `tensor` stays where it is. */
DLTensor tensor_view(struct tensor *tensor);
/* "float32[2, 3]@HW", also what a type of the language looks like. */
const char *tensor_type(struct pool *pool, const struct tensor *tensor);

/* Whether `size` more bytes fit into the memory there is now; reports when not. */
bool memory_check(struct report *report, const char *path, const char *what, double size);
/* The smaller of what the machine and the process's own limit leave, in bytes. */
double memory_available(void);

#endif
