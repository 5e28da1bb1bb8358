/* One call that takes tensors: its arguments and what is found for them. It lives on the caller's stack. */
#ifndef WEFT_RUNTIME_RUN_CALL_H
#define WEFT_RUNTIME_RUN_CALL_H

#include "runtime/plan/plan.h"

enum { CALL_ROOM = 4096 };         /* bytes of stack that a call may use before it allocates */

/* Consecutive samples with the same shapes and strides. */
struct segment {
    struct plan *plan;             /* its users raised for this segment; NULL: none was found */
    int64_t first, count;          /* samples */
    char *shared, *own;            /* memory for the plan's temporaries */
    int *launches;                 /* [kernels of the plan] indices of launches; -1: the kernel has no tiles */
};

/* What is computed for each sample of the batches, or once for all of them. */
struct batch_part {
    struct segment *segments;
    int count;
    const bool *taken;             /* the results that belong to it */
};

enum { PART_SAMPLES, PART_PLAIN, PART_COUNT };

struct call {
    struct weft_program *program;
    struct arena arena;
    struct arena scratch;          /* for one sample, in weft_infer */
    struct diags diags;
    struct tensor *inputs, *outputs; /* by position; for a batch, the current sample */
    int device;                    /* the device to run on, as in struct tensor; 0: in C */
    bool staged;                   /* on a GPU, with all data in host memory */
    struct typed *typed;
    const struct program *filled;  /* the instance's program with the values of this call's numbers; NULL: it has
                                      none */
    struct plan *plan;
    char *temporaries;             /* memory for the plan's temporaries */
    bool batch;                    /* some input is a batch */
    int64_t samples;               /* of each batch; 1 if there is none */
    int counted;                   /* the first input that is a batch */
    bool *batched;                 /* [results] whether it depends on a batch */
    int64_t first_sample;          /* as in weft_run_params */
    int64_t *numbers;              /* [samples] their numbers for TENSOR_SAMPLE; NULL: no kernel reads them yet */
    struct batch_part parts[PART_COUNT];
    bool slabs;                    /* the samples are slabs (gpu_pieces_impl.h) of the tensors in `whole` */
    struct {
        struct tensor *inputs, *outputs;
    } whole;
};

/* The program, typed, with the values of numbers. */
static inline const struct program *call_program(const struct call *call)
{
    return call->filled ? call->filled : call->typed->program;
}

/* Operands by number: inputs, then outputs. */
static inline int call_operands(const struct call *call)
{
    return call->typed->program->input_count + call->typed->program->result_count;
}

static inline struct tensor *call_operand(const struct call *call, int o)
{
    int inputs = call->typed->program->input_count;
    return o < inputs ? &call->inputs[o] : &call->outputs[o - inputs];
}

/* cpu_launch.c: memory for temporaries, not zeroed. May jump if memory runs out. */
char *lend_aligned(struct arena *arena, size_t size);

/* arguments.c: reads all inputs, or all outputs, into an array by position. Errors go to call->diags. NULL:
 * there are too many. */
struct tensor *read_arguments(struct call *call, const struct weft_argument *arguments, size_t given,
                              bool output, bool needs_data);
/* "; did you mean 'X'?" for the input or output whose name is nearest, "" if none is near. */
const char *suggestion(struct arena *arena, const struct program *parsed, const char *name, bool output);
/* Finds the instance for the inputs' dtypes, and which results depend on batches. False with diagnostics. */
bool find_typed(struct call *call);
/* Checks that exactly the outputs that depend on batches are batches, with as many samples. False with
 * diagnostics. */
bool check_batches(struct call *call, const struct weft_argument *outputs);
/* Moves all batches among the inputs, or the outputs, on to sample `i`. Diagnostics name the sample. */
enum next next_sample(struct call *call, int64_t i, bool output, bool needs_data);

/* choose_device.c: chooses the device from where the tensors lie and from the context's target. False with
 * diagnostics. */
bool choose_device(struct call *call);

/* run.c: makes a call. `body` does its work, with memory that is released afterwards. Diagnostics are delivered as by
 * finish_remarks, after which the log is told what was kept for it, or as by finish_call. */
typedef void call_body(struct call *call, const void *user);
enum weft_status call_make(struct weft_program *program, call_body *body, const void *user, bool remarks,
                           struct weft_error **error);

#endif
