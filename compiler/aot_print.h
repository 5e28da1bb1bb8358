/* What the files share that print ahead-of-time texts. */
#ifndef WEFT_AOT_PRINT_H
#define WEFT_AOT_PRINT_H

#include "compiler/aot_kernel.h"

/* The text of a section of a template, "//: name" to the next one. */
const char *aot_section(struct arena *arena, const char *text, const char *name);

/* aot_tables.c: the constant tables that describe a kernel, and the function that finds its extents. */
void aot_put_tables(struct buf *out, struct aot_kernel *k, const struct aot_params *params);

/* aot_entries.c: what a caller sees, declared and defined. */
void aot_put_declarations(struct buf *out, struct aot_kernel *k, const struct aot_params *params);
void aot_put_entries(struct buf *out, struct aot_kernel *k);
/* False with a diagnostic where two parameters of a function would have one name. */
bool aot_check_parameters(struct aot_kernel *k);

#endif
