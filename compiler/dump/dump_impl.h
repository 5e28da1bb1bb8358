/* What the files of this room share. */
#ifndef WEFT_COMPILER_DUMP_DUMP_IMPL_H
#define WEFT_COMPILER_DUMP_DUMP_IMPL_H

#include "compiler/dump/dump.h"
#include "compiler/dump/sum_impl.h"
#include "compiler/emit/emit.h"

static inline const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

/* ---- dump_names.c ---- */

/* What an access reads or writes: a name, or the text of an array literal, shortened. */
const char *access_text(struct arena *arena, const struct kernel *kernel, int a);
/* Prints what a kernel stores to. */
void put_names(struct buf *buf, const struct kernel *kernel);
/* The shape and the dtype of what a store writes to. */
const struct shape *stored_shape(const struct dumped *dumped, int a);
enum weft_dtype stored_dtype(const struct dumped *dumped, int a);

/* ---- dump_index.c: which element an access reads or writes ---- */

struct index {
    int rank;
    struct sum at[WEFT_MAX_RANK];
    const char *outside;           /* where a value is read instead, and which: "0 unless 0 <= d0 - 1 < 4"; else "" */
};
/* The element that a load reads, or a store without reduced dimensions writes, at the positions d0, d1, .. of what the
 * kernel goes over. Of an input whose bytes are read as another type it is a number. */
struct index find_index(struct arena *arena, const struct dumped *dumped, int a);
/* Element number `number` of a shape, by its positions. */
struct index number_index_of(struct arena *arena, struct sum number, const struct shape *shape);
/* The number of an element. */
struct sum index_number(struct arena *arena, const struct index *index, const struct shape *shape);
/* Prints "[d0, d1]"; nothing where there is one element. */
void put_index(struct buf *buf, const struct index *index);

/* ---- dump_kernel.c ---- */

/* Prints a kernel's instructions, one a line, and how often each is computed. */
void put_kernel_lines(struct buf *buf, const struct kernel *kernel, const struct evaluation *evaluation);

/* ---- dump_access.c ---- */

/* Prints the lines of all accesses. */
void put_accesses(struct buf *buf, const struct dumped *dumped);

#endif
