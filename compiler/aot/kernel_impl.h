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

struct aot_kernel {
    struct arena *arena;
    struct view_args *views;       /* [view_count] with open extents in place of size expressions */
    bool *is_size;                 /* [node_count] whether size expressions consist of it */
    int *number_slots;             /* [node_count] where `d` holds a number that kernels take; -1: nowhere */
    bool takes_numbers;            /* kernels take any */
    const struct target *target;
    const char *function;          /* see aot_function */
    unsigned entries;              /* a set of enum weft_entry */
    bool plain;                    /* it has a dense entry alone, in plain C, where extents have parameters' names */
    int given;                     /* extents that parameters of the dense entry give: the first ones */
    bool failed;                   /* `compile` failed */
    struct program *program;
    const struct shape **inputs;   /* [input_count] */
    const struct strided *operands; /* [input_count] the same, dense; says which of them are passed by value */
    const struct shape **shapes;   /* [node_count] */
    const char **layouts;          /* [node_count] "": no layout; NULL: not known */
    int extent_count;
    struct extent_term *terms;     /* [extent_count] how they are computed */
    int node_extents;              /* the first `node_extents` extents are those of nodes */
    struct buf extents;            /* statements that compute and compare extents */
    struct aot_note *notes;
    int note_count;
    struct emit_host *host;        /* helpers of the statements in `extents` */
    const struct shape **forms;    /* shapes with a table of extents in the source */
    int form_count;
    const struct example_call *usual; /* loops.c: a call with large extents */
    struct aot_loop *loops;        /* in the order in which they run: temporaries, then results */
    int loop_count;
    struct temporary *temporaries;
    int temporary_count;
    unsigned char *replaces;       /* [results][inputs] whether a result may be stored in the very array of an input */
};

/* names.c: a parameter's name where the text of a plain function stands, whose own names step aside for no other. */
const char *aot_local(struct arena *arena, const char *name);
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

/* shapes.c: finds the shapes of all nodes, and writes the statements with which a call computes them. False with a
 * diagnostic. */
bool aot_shapes(struct aot_kernel *k);
/* What writes further statements. */
struct open_extents aot_open_extents(struct aot_kernel *k);

/* extents.c: adds the statement for an operation, unless there is one already, and returns its extent; or one that ends
 * a call where the fact does not hold (struct open_extents). user: the kernel. */
int64_t aot_compute(void *user, const struct extent_term *term);
void aot_require(void *user, const struct extent_term *fact, struct span span, const char *note);
/* The name of a parameter for an extent that is not known. */
const char *aot_size_name(struct aot_kernel *k, int number);
/* Adds an extent, or another number of a call, for which a statement is to be written. */
int64_t aot_new_extent(struct aot_kernel *k, const struct extent_term *term);
/* Adds a statement that ends a call with this note if the condition is true. */
void aot_refuse(struct aot_kernel *k, const char *condition, struct span span, const char *text);

/* sizes.c: adds the statement that computes node n, a size expression (struct open_extents). */
int64_t aot_size(void *user, int n, const struct size *sizes);
/* Adds the statements that compute what kernels take as TENSOR_NUMBER, once there are loops. False with a
 * diagnostic. */
bool aot_numbers(struct aot_kernel *k);

/* The initializer of a struct for a shape's extents, such as "{2, shape_blur_3}". */
const char *aot_form(struct aot_kernel *k, const struct shape *shape);
/* Any number, which is no extent. */
const char *aot_whole(struct aot_kernel *k, int64_t value);
/* An extent in C: "480" or "d[2]", in plain functions "n". */
const char *aot_extent(struct aot_kernel *k, int64_t extent);
/* The value of a parameter without dimensions, of this type of C. */
const char *aot_input_value(struct aot_kernel *k, int input, const char *type);
/* The arguments "rank, extents" of weft_count in a plain function. */
const char *aot_counted(struct aot_kernel *k, const struct shape *shape);
/* How many elements a shape has, if that is a number or one extent; else NULL. */
const char *aot_single_count(struct aot_kernel *k, const struct shape *shape);
/* The product of a shape's extents there, which may be larger than C's integers. */
const char *aot_product(struct aot_kernel *k, const struct shape *shape);

/* loops.c: makes the loops and their classes, but not the texts of functions. Returns false with diagnostics. */
bool aot_divide(struct aot_kernel *k);
/* The shape of what access `a` of a loop reads or writes. */
const struct shape *aot_access_shape(struct aot_kernel *k, const struct aot_loop *loop, int a);

/* classes.c: makes the classes of a loop in C from likely calls, each of which may be NULL. */
void aot_c_classes(struct aot_kernel *k, struct aot_loop *loop, const struct likely *const *likely, int count);
/* The kind of an access in the class for any strides. What is read through views is found by number. */
enum access_kind aot_general_kind(const struct aot_kernel *k, const struct kernel *kernel, int a);

/* cuda_classes.c: whether the access reads a parameter or a number that is passed by value. */
bool aot_is_value(const struct aot_kernel *k, const struct access *access);
/* Returns false, with a diagnostic, where the bytes of such a parameter are read as elements of another size. */
bool aot_check_values(const struct aot_kernel *k, const struct aot_loop *loop);
/* Makes the classes of a loop from likely calls, which may be NULL. */
void aot_cuda_classes(struct aot_kernel *k, struct aot_loop *loop, const struct likely *usual,
                      const struct likely *tiny);

/* cuda_source.c: writes the source for CUDA. Returns false where `params->compile` failed. */
bool aot_put_device_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                           const struct aot_params *params);

/* room.c: whether a call decides numbers of a map's slices. */
bool aot_is_open(const struct index_map *step);
/* tables.c: whether some class has loads of which vectors are gathered. */
bool aot_gathers(const struct aot_loop *loop);

/* source.c: write a header, and the source for C. */
void aot_put_header(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);
void aot_put_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params);

#endif
