/* The linked page. */
#ifndef WEFT_RUNTIME_API_PAGE_IMPL_H
#define WEFT_RUNTIME_API_PAGE_IMPL_H

#include "runtime/run/run.h"

/* Adds the page of a typed program for inputs that look like these. Errors go to the diagnostics. */
void page_put(struct buf *out, struct weft_program *program, struct typed *typed, const struct tensor *inputs,
              struct diags *diags);

#endif
