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

/* Adds the kernels of what the wanted results read as temporaries: reductions, and positions that are stored. Fills in
 * p->reduced. False with a diagnostic. */
bool lower_temporaries(struct pipeline *p);

#endif
