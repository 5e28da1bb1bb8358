/* What the files share that print ahead-of-time texts. */
#ifndef WEFT_AOT_PRINT_H
#define WEFT_AOT_PRINT_H

#include "compiler/aot/kernel_impl.h"

/* The text of a section of a template, "//: name" to the next one. */
const char *aot_section(struct arena *arena, const char *text, const char *name);
/* That of whichever of templates/aot/aot.c, check.c and run.c has it. */
const char *aot_shared_section(struct arena *arena, const char *name);

/* All sections of a text, without the comment that speaks to the reader of the file. */
void aot_put_sections(struct buf *out, const char *text);
/* The largest of what arrays are made for, as enumeration constants. */
void aot_put_sizes(struct buf *out, struct aot_kernel *const *kernels, int count, int levels);
/* The source: `includes`, `body` with names of its own moved out of the functions' way, and the functions. */
void aot_put_wrapped(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                     const char *body);

/* tables.c: the constant tables that describe a kernel, and the function that finds its extents. */
/* For CUDA, what its classes of kernels are is written by cuda_source.c. */
void aot_put_device_classes(struct buf *out, struct aot_kernel *k, int p, const struct aot_params *params);
const char *aot_constant_name(struct aot_kernel *k, int part, int index);
void aot_put_tables(struct buf *out, struct aot_kernel *k, const struct aot_params *params);

/* entries.c: what a caller sees, declared and defined. */
void aot_put_declarations(struct buf *out, struct aot_kernel *k);
void aot_put_entries(struct buf *out, struct aot_kernel *k);
/* False with a diagnostic where two parameters of a function would have one name. */
bool aot_check_parameters(struct aot_kernel *k);

#endif
