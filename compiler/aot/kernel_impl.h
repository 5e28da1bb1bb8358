/* What the files of compiler/aot share: one kernel on its way to C.
 *
 * Extents that are not known before a call are numbered, `d[i]` in the source: the text's size variables
 * first, then a number for each ? and for what is computed of them. In a struct shape number i is
 * EXTENT_VARIABLE - i, so that shapes with equal extents are surely equal at every call. */
#ifndef WEFT_AOT_KERNEL_H
#define WEFT_AOT_KERNEL_H

#include "compiler/aot/aot.h"
#include "compiler/pipeline.h"

/* What is wrong with a call, as its source tells it. */
struct aot_note {
    struct span span;
    const char *text;
};

/* An extent that is computed from others, besides those of nodes. */
struct aot_computed {
    enum { NOT_COMPUTED, COMPUTED_JOIN, COMPUTED_VOLUME, COMPUTED_GROUPS } how;
    int64_t a, b;                  /* extents: both are joined, or `a` is taken in groups */
    const struct shape *shape;     /* whose volume it is */
    int64_t each, times;           /* groups of so many, at least one, times this */
};

/* A kernel for certain kinds of access. */
struct aot_class {
    const unsigned char *kinds;
    const char *function;          /* its name */
    size_t scratch;
    /* CUDA: */
    struct form form;
    int period;                    /* that it counts on; 0: any */
    bool batch;                    /* for samples in a table, and never for one alone */
    int number;                    /* among all of the file */
};

/* A loop. */
struct aot_part {
    const struct kernel *kernel;
    const struct shape *shape;
    int order;                     /* of the results that it computes or helps */
    struct aot_class *classes;     /* the last one is general */
    int class_count;
    int constant, fault;           /* CUDA: numbers of the first ones in the file */
};

/* What a slice leaves of an extent: equal slices of equal extents are equal. */
struct aot_slice {
    int64_t of, extent;
    struct slice slice;
};

struct aot_kernel {
    struct arena *arena;
    const struct target *target;
    const char *function;          /* see aot_function */
    bool failed;                   /* its code could not be made */
    struct program *program;
    const struct shape **inputs;   /* [input_count] */
    const struct shape **shapes;   /* [node_count] */
    const char **layouts;          /* [node_count] "": none; NULL: not known */
    int extent_count;
    const char **extent_names;     /* for comments: h, extent 0 of img */
    struct aot_computed *computed; /* [extent_count] */
    int computed_count, node_extents; /* the first ones are nodes' */
    struct buf extents;            /* statements that set them and compare them */
    struct aot_note *notes;
    int note_count;
    struct aot_slice *slices;
    int slice_count;
    const struct shape **forms;    /* shapes that have a table of extents in the source */
    int form_count;
    struct aot_part *parts;        /* in the order in which they run: what is hoisted, then results */
    int part_count;
    struct temporary *temporaries;
    int temporary_count;
    unsigned char *replaces;       /* [results][inputs] whether a result may be the input's very buffer */
};

/* names.c: names that C and C++ do not take, or that are taken; false with diagnostics. */
bool aot_check_names(const struct programs *programs, const struct aot_params *params, struct diags *diags);
struct aot_words {
    const char **items;
    int count;
};
/* Names that a source's text declares or defines for itself and that are those of functions or, macros, of
 * parameters as well. */
void aot_find_clashes(struct aot_kernel *const *kernels, int count, const char *text, struct aot_words *names,
                      struct aot_words *macros);

/* extents.c: the shapes of all nodes, and how a call finds them. */
void aot_shapes(struct aot_kernel *k);
/* What two shapes that broadcast together give. */
const struct shape *aot_join(struct aot_kernel *k, const struct shape *a, const struct shape *b, struct span span);
/* The number of a shape's elements; and how many groups of `each` there are in an extent, at least 1, times
 * `times`. */
int64_t aot_volume(struct aot_kernel *k, const struct shape *shape);
int64_t aot_groups(struct aot_kernel *k, int64_t extent, int64_t each, int64_t times);
/* The table of a shape's extents, as "{2, shape_blur_3}". */
const char *aot_form(struct aot_kernel *k, const struct shape *shape);
/* The extent in C: "480", "d[2]". */
const char *aot_extent(struct aot_kernel *k, int64_t extent);

/* parts.c: the loops, but for their functions' texts; false with diagnostics. */
bool aot_divide(struct aot_kernel *k);
/* How an access moves in the kernel for any strides: what is seen by way of views goes by number. */
enum access_kind aot_general_kind(const struct aot_kernel *k, const struct kernel *kernel, int a);
/* The shape of what access `a` of a part leads to. */
const struct shape *aot_access_shape(struct aot_kernel *k, const struct aot_part *part, int a);

/* cuda_classes.c: whether the access is of a parameter that is handed over by value; the classes of a part, from geometries
 * of likely calls (NULL: none). */
bool aot_is_value(const struct aot_kernel *k, const struct access *access);
/* False with a diagnostic where such a parameter's bytes are read as elements of another size. */
bool aot_check_values(const struct aot_kernel *k, const struct aot_part *part);
void aot_cuda_classes(struct aot_kernel *k, struct aot_part *part, const struct geometry *usual,
                      const struct geometry *tiny);

/* cuda_source.c: the source for CUDA; false where `params->compile` failed. */
bool aot_put_device_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                           const struct aot_params *params);

/* source.c */
void aot_put_header(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);
void aot_put_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);

#endif
