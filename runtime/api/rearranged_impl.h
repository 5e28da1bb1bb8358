/* Views of a caller's tensor that select or reorder elements: selections, transpose and flip. */
#ifndef WEFT_RUNTIME_API_REARRANGED_IMPL_H
#define WEFT_RUNTIME_API_REARRANGED_IMPL_H

#include "runtime/run/run.h"

#include "compiler/check/check.h"

/* Fills the strides of such a view of shape `out`, whose arguments are right. Returns where its first element is behind
 * that of the tensor. All count elements. */
int64_t rearranged_strides(const struct view_args *args, const struct tensor *tensor, const struct shape *out,
                           int64_t *strides);
/* The items as those of a text. */
const struct item *rearranged_items(struct arena *arena, const struct weft_item *items, int count);
/* Returns NULL, or what is wrong with items, whatever the tensor. */
const char *rearranged_wrong(const struct weft_item *items, int count);

#endif
