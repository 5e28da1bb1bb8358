/* Programs on data of their own, run under any context and from any thread. */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include "include/weft/weft.h"

enum { JOB_TENSORS = 4, JOB_RANK = 4 };

struct operand {
    enum weft_dtype dtype;
    int rank;
    int64_t shape[JOB_RANK];
    bool reversed;                 /* negative strides */
};

/* A program and its inputs, in the order of the text. */
struct sample {
    const char *text;
    struct operand inputs[JOB_TENSORS];
    int input_count;
};

struct job {
    struct weft_program *program;
    DLTensor tensors[2][JOB_TENSORS]; /* inputs, outputs */
    int64_t shapes[2][JOB_TENSORS][JOB_RANK], strides[JOB_TENSORS][JOB_RANK];
    void *memory[2][JOB_TENSORS];
    size_t sizes[2][JOB_TENSORS];  /* bytes */
    struct weft_argument arguments[2][JOB_TENSORS];
    struct weft_run_params params;
};

/* A context that uses so many threads, the library's or, if `host`, through job_parallel_for. */
struct weft_context *job_context(int threads, bool host);
/* A parallel-for of one new thread for each index but the last. `user`, when not NULL, is an atomic_int
 * to which `count` is added. */
void job_parallel_for(void *user, int count, void (*task)(void *data, int index), void *data);

/* Compiled and with data, the same each time; its kernels are ready. Ends the process when it cannot. */
struct job *job_new(struct weft_context *context, const struct sample *sample);
/* Another set of buffers for the program of a job, which must outlive it. */
struct job *job_copy(const struct job *job, const struct sample *sample);
void job_free(struct job *job);
/* Fills the outputs with 0xAA and runs. */
enum weft_status job_run(struct job *job);
bool job_same(const struct job *a, const struct job *b);
/* Of the kernel that uses the most. */
int job_threads(struct job *job);

#endif
