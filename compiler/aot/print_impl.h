/* What the files that print ahead-of-time sources share. */
#ifndef WEFT_COMPILER_AOT_PRINT_IMPL_H
#define WEFT_COMPILER_AOT_PRINT_IMPL_H

#include "compiler/aot/kernel_impl.h"

/* cuda_code.c: the table of a loop's classes, and their machine code. */
void aot_put_device_classes(struct buf *out, struct aot_kernel *k, int p, const struct aot_params *params);
/* The number of the newest of the architectures, as 90. */
int aot_newest(const struct aot_params *params);
/* The number of the constant that holds a loop's literals, if they are in memory. It follows the loop's own
 * constants. */
int aot_literal_constant(const struct aot_loop *loop);

/* sections.c: the text of a section of a template: from "//: name" to the next section. */
const char *aot_section(struct arena *arena, const char *text, const char *name);
/* A section from whichever of templates/aot/aot.c, check.c and run.c has the section. */
const char *aot_shared_section(struct arena *arena, const char *name);

/* A section of a template. `text` NULL: as for aot_shared_section; `name` NULL: all sections of the template. */
struct aot_section {
    const char *text, *name;
};
/* Adds these sections, with an empty line before each. */
void aot_put_sections(struct buf *out, const struct aot_section *sections, size_t count);
/* room.c: adds the sizes that arrays need, as enumeration constants. */
void aot_put_sizes(struct buf *out, struct aot_kernel *const *kernels, int count, int levels);
/* Adds the same for one kernel, as an initializer. */
void aot_put_own_sizes(struct buf *out, struct aot_kernel *k);
/* source.c: adds `includes`, then `body`, and then the functions for callers. The body's names give way to those of
 * kernels, and so do those of `header`, which it includes. */
void aot_put_wrapped(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                     const char *header, const char *body);

/* The same without those functions. */
void aot_put_body(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                  const char *header, const char *body);

/* dense.c: writes the source of kernels in plain C. */
void aot_put_dense_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                          const struct aot_params *params);

/* points.c: loops of a plain function that take turns, one point of a reduction at a time. */
struct aot_points {
    int next;                      /* the loop behind those that take turns from this one on; 0: none begin here */
    int dimensions;                /* the leading ones of all their spaces that hold the points */
    const char *text;              /* how many points there are */
    int kept;                      /* of any loop: the result in whose array it leaves the values that it joins, */
    int known;                     /* which the loop that stores the result takes from there, of this instruction. -1:
                                      none */
};
/* [loop_count]. *values: [temporary_count] whether it is needed within a turn alone, one value for each point. */
struct aot_points *aot_find_points(struct aot_kernel *k, bool **values);
/* Whether a plain function does without the loop: it joins lanes that another leaves, which there leaves none, or
 * stores the numbers of elements, which are known where they are read. */
bool aot_is_left_out(const struct aot_kernel *k, const struct aot_loop *loop);

/* helpers.c: the helpers of a plain source, as C11 has them, without what it does not need. `rest` calls them. */
const char *aot_plain_helpers(struct arena *arena, const char *helpers, const char *rest);
/* decide.c: helpers without what their types decide. */
const char *aot_decided(struct arena *arena, const char *text);

/* checks.c: adds the checks of a plain function's arguments. */
void aot_put_checks(struct buf *out, struct aot_kernel *k);

/* support.c: the files that all kernels in C share. */
enum { AOT_SUPPORT_NUMBER = WEFT_VERSION_MAJOR * 10000 + WEFT_VERSION_MINOR * 100 + WEFT_VERSION_PATCH };
void aot_put_support_header(struct buf *out);
void aot_put_support_source(struct buf *out);

/* sections.c: a list in braces, which takes one line, or as many as it needs. `begin` stands in front of it. */
struct aot_list {
    struct buf *out;
    const char *begin;
    const char **items;
    int count;
};
void aot_list_add(struct aot_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void aot_list_end(struct aot_list *list, const char *end);

/* Parameters, then results. */
struct aot_operand {
    const char *name;
    const struct shape *shape;
    enum weft_dtype dtype;
    bool result;
    const char *layout;            /* "": no layout */
    const struct dims *dims;       /* its names; NULL: it has none */
};
struct aot_operand aot_operand(struct aot_kernel *k, int number);
int aot_operand_count(const struct aot_kernel *k);

/* tables.c: the constant tables that describe a kernel, and the function that computes its extents. */
/* The name of an array literal's data in the source. */
const char *aot_constant_name(struct aot_kernel *k, int loop, int index);
void aot_put_tables(struct buf *out, struct aot_kernel *k, const struct aot_params *params);

/* entries.c: defines the functions for callers. */
void aot_put_entries(struct buf *out, struct aot_kernel *k);
/* Adds the head of the dense function, in a text of plain C. */
void aot_put_heading(struct buf *out, struct aot_kernel *k);
/* Returns false, with a diagnostic, where two parameters of a function would have the same name. */
bool aot_check_parameters(struct aot_kernel *k);

#endif
