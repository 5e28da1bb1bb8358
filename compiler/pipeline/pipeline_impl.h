/* What the files of the pipeline share. */
#ifndef WEFT_COMPILER_PIPELINE_IMPL_H
#define WEFT_COMPILER_PIPELINE_IMPL_H

#include "compiler/pipeline/pipeline.h"

/* How the pipeline lowers, after what it has made so far. */
struct lower_params lower_params(const struct pipeline *p);

/* How the target's kernels join what is reduced. */
enum joiner joiner_of(const struct pipeline *p);

/* The shape, or an example of it in numbers where it is open; NULL if there is no example. */
const struct shape *in_numbers(const struct pipeline *p, const struct shape *shape);

/* order.c: fills in p->memory, where the order of reading is open. */
void find_orders(struct pipeline *p);
/* How many parallel dimensions of the operand follow those of `set`, which are reduced, so that neighbours in memory
 * are read one after the other; `inner` where that is not known, or does not matter. any_order: elements may be reduced
 * in any order of dimensions. */
int inner_by_memory(const struct pipeline *p, int operand, uint32_t set, bool any_order, int inner);
/* Puts reduced dimensions of the operand in the order of memory, outermost first. */
void sort_by_memory(const struct pipeline *p, int operand, uint32_t set, int *dimensions, int count);

/* Adds the kernels of what the wanted results read as temporaries: reductions, and positions that are stored. Fills in
 * p->reduced. False with a diagnostic. */
bool lower_temporaries(struct pipeline *p);

#endif
