/* What the files of compiler/aot share: one kernel while it is turned into C.
 *
 * Extents that are not known before a call are numbered, and written `d[i]` in the source. The text's size variables
 * come first, then one for each ? and for each extent that is computed from others. In a struct shape, number i is
 * EXTENT_VARIABLE - i. So shapes with equal extents are certainly equal at every call. */
#ifndef WEFT_COMPILER_AOT_KERNEL_IMPL_H
#define WEFT_COMPILER_AOT_KERNEL_IMPL_H

#include "compiler/aot/aot.h"
#include "compiler/pipeline/pipeline.h"

/* A mistake in a call, as the source reports it. */
struct aot_note {
    struct span span;
    const char *text;
};

/* How an extent is computed from others; not for extents of nodes. */
struct aot_computed {
    enum { NOT_COMPUTED, COMPUTED_JOIN, COMPUTED_VOLUME, COMPUTED_GROUPS, COMPUTED_SUM, COMPUTED_LANES } how;
    int64_t a, b;                  /* extents: COMPUTED_JOIN broadcasts both; COMPUTED_GROUPS divides `a`;
                                      COMPUTED_SUM adds both; COMPUTED_LANES: lanes that are left of points `a` with
                                      elements `b` */
    const struct shape *shape;     /* COMPUTED_VOLUME: the shape whose elements are counted */
    int64_t each, times;           /* COMPUTED_GROUPS: groups of `each`, at least one, times `times`; COMPUTED_LANES:
                                      inner elements, and whether the order matters or, negative, a block's threads */
};

/* A kernel for certain kinds of access: a function, or on CUDA a kernel in machine code. */
struct aot_class {
    const unsigned char *kinds;
    const char *function;          /* the name of the function */
    size_t scratch;
    /* CUDA only: */
    struct form form;
    int period;                    /* the period that it requires; 0: any */
    bool batch;                    /* for samples in a table, and never for a single one */
    int unaligned;                 /* the loop's class for the same calls where inputs are not aligned; 0: none */
    int number;                    /* its number in the file */
};

/* A loop: a kernel of the program of kernels, with its classes. */
struct aot_loop {
    const struct kernel *kernel;
    const struct shape *shape;
    int order;                     /* the number of the results' kernel that it is or helps */
    struct aot_class *classes;     /* the last one serves any call */
    int class_count;
    int constant, fault;           /* CUDA: numbers of its first constant and first fault in the file */
};

/* The extent that a slice leaves of another extent. Equal slices of equal extents have equal extents. */
struct aot_slice {
    int64_t of, extent;
    struct slice slice;
};

struct aot_kernel {
    struct arena *arena;
    struct view_args *views;       /* [view_count] with slots in place of size expressions */
    int *size_slots;               /* [node_count] where `d` holds the value of a size expression; -1: nowhere */
    int *number_slots;             /* the same of numbers that kernels take */
    bool takes_numbers;            /* kernels take any */
    const struct target *target;
    const char *function;          /* see aot_function */
    bool failed;                   /* `compile` failed */
    struct program *program;
    const struct shape **inputs;   /* [input_count] */
    const struct strided *operands; /* [input_count] the same, dense; says which of them are passed by value */
    const struct shape **shapes;   /* [node_count] */
    const char **layouts;          /* [node_count] "": no layout; NULL: not known */
    int extent_count;
    const char **extent_names;     /* names for comments: h, extent 0 of img */
    struct aot_computed *computed; /* [extent_count] */
    int computed_count, node_extents; /* the first `node_extents` extents are those of nodes */
    struct buf extents;            /* statements that compute and compare extents */
    struct aot_note *notes;
    int note_count;
    struct aot_slice *slices;
    int slice_count;
    const struct shape **forms;    /* shapes with a table of extents in the source */
    int form_count;
    struct aot_loop *loops;        /* in the order in which they run: temporaries, then results */
    int loop_count;
    struct temporary *temporaries;
    int temporary_count;
    unsigned char *replaces;       /* [results][inputs] whether a result may be stored in the very array of an input */
};

/* names.c: checks that names are not taken by C or C++. Returns false with diagnostics. */
bool aot_check_names(const struct programs *programs, const struct aot_params *params, struct diags *diags);
struct aot_words {
    const char **items;
    int count;
};
/* Finds names that a source's own text declares and kernels also need: `names` are those of kernels' functions.
 * `macros` are macros with the name of a function or of a parameter. */
void aot_find_clashes(struct aot_kernel *const *kernels, int count, const char *text, struct aot_words *names,
                      struct aot_words *macros);

/* extents.c: finds the shapes of all nodes, and writes the statements with which a call computes them. */
void aot_shapes(struct aot_kernel *k);
/* Adds an extent, or another number of a call, for which a statement is to be written. */
int64_t aot_new_extent(struct aot_kernel *k);
/* Adds a statement that ends a call with this note if the condition is true. */
void aot_refuse(struct aot_kernel *k, const char *condition, struct span span, const char *text);

/* sizes.c: adds the statement that computes node n, a size expression, unless it is a literal. */
void aot_size(struct aot_kernel *k, int n);
/* Its value in C: "d[3]" or a number. */
const char *aot_size_text(struct aot_kernel *k, int n);
/* Puts what `d` holds in place of the size expressions of a view, in k->views: slots in items and shifts, extents in
 * counts and in the shape of broadcast_to. */
void aot_resolve(struct aot_kernel *k, const struct node *view);
/* A number of a slice in C. */
const char *aot_bound(struct aot_kernel *k, const struct slice *slice, enum bound bound);
/* Adds the statements that compute what kernels take as TENSOR_NUMBER, once there are loops. False with a
 * diagnostic. */
bool aot_numbers(struct aot_kernel *k);

/* The shape to which two shapes broadcast. */
const struct shape *aot_join(struct aot_kernel *k, const struct shape *a, const struct shape *b, struct span span);
/* The number of a shape's elements. And the number of groups of `each` in an extent, at least 1, times `times`. */
int64_t aot_volume(struct aot_kernel *k, const struct shape *shape);
int64_t aot_groups(struct aot_kernel *k, int64_t extent, int64_t each, int64_t times);
/* How many lanes of each result a reduction leaves to a further loop (lanes_left). */
int64_t aot_lanes(struct aot_kernel *k, int64_t points, int64_t elements, int64_t inner, bool ordered, int threads);
/* The sum of two extents. Equal sums are one extent. */
int64_t aot_sum(struct aot_kernel *k, int64_t a, int64_t b);
/* The initializer of a struct for a shape's extents, such as "{2, shape_blur_3}". */
const char *aot_form(struct aot_kernel *k, const struct shape *shape);
/* An extent in C: "480" or "d[2]". */
const char *aot_extent(struct aot_kernel *k, int64_t extent);

/* loops.c: makes the loops and their classes, but not the texts of functions. Returns false with diagnostics. */
bool aot_divide(struct aot_kernel *k);
/* The kind of an access in the class for any strides. What is read through views is found by number. */
enum access_kind aot_general_kind(const struct aot_kernel *k, const struct kernel *kernel, int a);
/* The shape of what access `a` of a loop reads or writes. */
const struct shape *aot_access_shape(struct aot_kernel *k, const struct aot_loop *loop, int a);

/* cuda_classes.c: whether the access reads a parameter or a number that is passed by value. */
bool aot_is_value(const struct aot_kernel *k, const struct access *access);
/* Returns false, with a diagnostic, where the bytes of such a parameter are read as elements of another size. */
bool aot_check_values(const struct aot_kernel *k, const struct aot_loop *loop);
/* The geometry of a likely call, and the kernel with the numbers by which it joins. */
struct aot_likely {
    struct geometry geometry;
    const struct kernel *kernel;
};
/* Makes the classes of a loop from likely calls, which may be NULL. */
void aot_cuda_classes(struct aot_kernel *k, struct aot_loop *loop, const struct aot_likely *usual,
                      const struct aot_likely *tiny);

/* cuda_source.c: writes the source for CUDA. Returns false where `params->compile` failed. */
bool aot_put_device_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                           const struct aot_params *params);

/* tables.c: whether a call decides numbers of a map's slices. */
bool aot_is_open(const struct index_map *step);
/* Whether some class has loads of which vectors are gathered. */
bool aot_gathers(const struct aot_loop *loop);

/* source.c: write a header, and the source for C. */
void aot_put_header(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);
void aot_put_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);

#endif
