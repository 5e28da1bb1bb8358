/* Running programs from tests: tensors of any layout, one context, one call for compile and run.
 * What goes wrong outside the thing under test ends the test with the library's own diagnostic. */
#ifndef WEFT_RUN_H
#define WEFT_RUN_H

#include "compiler/lang/eval.h"
#include "include/weft/weft.h"

enum { TENSOR_RANK = 6 };

/* Strides in elements; `data` points into `memory`. */
struct tensor {
    enum weft_dtype dtype;
    int rank;
    int64_t shape[TENSOR_RANK], strides[TENSOR_RANK];
    void *memory;
    char *data;
};

/* Dense, row-major, zeroed. `shape` may be NULL when rank is 0. */
struct tensor tensor_new(enum weft_dtype dtype, int rank, const int64_t *shape);
/* One dimension. */
struct tensor tensor_line(enum weft_dtype dtype, int64_t length);
void tensor_free(struct tensor *tensor);
/* The element at an index per dimension, or at a position of a dense tensor. */
void *tensor_at(const struct tensor *tensor, const int64_t *index);
union scalar tensor_get(const struct tensor *tensor, int64_t position);
void tensor_set(const struct tensor *tensor, int64_t position, union scalar value);

/* Programs compiled from now on have these fast paths disabled ("" for none), and a context of their
 * own. Programs of the context before must be gone. */
void run_disable(const char *words);
/* Likewise, on at most so many threads; 0: as ever. */
void run_threads(int most);
/* Whether kernels can be had at more than one level of optimization: a C compiler makes them, without flags
 * of WEFT_CFLAGS. */
bool run_has_levels(void);
/* Whether kernels are in C: what is hoisted, and how many classes there are, is another target's own affair. */
bool run_in_c(void);
/* Programs compiled from now on have kernels that are compiled in a fraction of the time, for tests of what
 * no optimizer could break that does not break a like kernel, too. Only where there are levels. */
void run_quickly(bool quickly);
/* Programs compiled from now on have this. */
void run_math(enum weft_math wanted);
/* Makes another context that of the tests, without taking it over, and returns the one before; NULL: the tests make
 * their own. */
struct weft_context *run_swap(struct weft_context *other);
/* Compiles in the tests' context; fails the test when there is an error. */
struct weft_program *run_compile(const char *text);
/* Compiles with these input types and releases the result: the status alone. */
enum weft_status run_status(const char *text, const struct weft_input_type *types, size_t count);
/* Inputs in the order of the program's inputs, outputs in that of its results; on a remark *error,
 * when not NULL, is left to the caller. Fails the test on errors. */
enum weft_status run_program(struct weft_program *program, const struct tensor *inputs,
                             const char *const *names, int input_count,
                             const struct tensor *outputs, int output_count,
                             struct weft_error **error);
/* The same on batches: inputs and outputs of sample 0, then those of sample 1, and so on. */
enum weft_status run_batches(struct weft_program *program, const struct tensor *inputs,
                             const char *const *names, int input_count,
                             const struct tensor *outputs, int output_count, int samples,
                             struct weft_error **error);
/* The status alone, errors too. */
enum weft_status run_try(struct weft_program *program, const struct tensor *inputs,
                         const char *const *names, int input_count,
                         const struct tensor *outputs, int output_count);
/* Makes the kernels for dense outputs: how many there are, and in *fresh how many the context had not
 * seen before. */
size_t run_prepare(struct weft_program *program, const struct tensor *inputs,
                   const char *const *names, int input_count, size_t *fresh);
void run_finish(void);

#endif
