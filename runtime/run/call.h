/* One call that takes tensors: what it was given and what it found. Lives on the caller's stack. */
#ifndef WEFT_CALL_H
#define WEFT_CALL_H

#include "runtime/plan/plan.h"

enum { CALL_ROOM = 4096 };         /* bytes that a call has without allocating */

/* Consecutive samples with the same shapes and strides. */
struct stretch {
    struct plan *plan;             /* its users raised for this stretch; NULL: it was not found */
    int64_t first, count;          /* samples */
    char *shared, *own;            /* memory for the plan's temporaries */
    int *launches;                 /* for each kernel of the plan, its launch; -1: it has no tiles */
};

/* What is computed for each sample of the batches, or for all of them once. */
struct batch_part {
    struct stretch *stretches;
    int count;
    const bool *taken;             /* its results */
};

enum { PART_SAMPLES, PART_PLAIN, PART_COUNT };

struct call {
    struct weft_program *program;
    struct arena arena;
    struct arena scratch;          /* for one sample */
    struct diags diags;
    struct tensor *inputs, *outputs; /* by position: of a batch the sample in hand */
    int device;                    /* it runs on, as in struct tensor; 0: in C */
    bool staged;                   /* on a GPU, but all its data are in host memory */
    struct typed *typed;
    struct plan *plan;
    char *temporaries;             /* memory for the plan's temporaries */
    bool batch;                    /* some input is one */
    int64_t samples;               /* of each batch; 1 where there is none */
    int counted;                   /* the input that said so */
    bool *batched;                 /* for each result, whether it depends on a batch */
    struct batch_part parts[PART_COUNT];
    bool slabs;                    /* its samples are parts of tensors (gpu_pieces_impl.h), which were given as */
    struct {
        struct tensor *inputs, *outputs;
    } whole;
};

/* arguments.c: reads all inputs or all outputs into an array by position; what is wrong with them goes
 * to call->diags. NULL when there are too many. */
struct tensor *read_arguments(struct call *call, const struct weft_argument *arguments, size_t given,
                              bool output, bool needs_data);
/* The typed instance for the inputs, and which results are batches. */
bool find_typed(struct call *call);
/* Whether exactly those outputs are batches that have to be, with as many samples. */
bool check_batches(struct call *call, const struct weft_argument *outputs);
/* Goes on to sample `i` of all batches among the inputs, or outputs; what is wrong names the sample. */
enum next next_sample(struct call *call, int64_t i, bool output, bool needs_data);

/* place.c: which device the call is for, from where its tensors lie and the context's target. False with
 * diagnostics. */
bool choose_device(struct call *call);

/* run.c: a call's beginning and its end. `room`: CALL_ROOM bytes on the caller's stack. */
void call_open(struct call *call, struct weft_program *program, void *room);
enum weft_status call_close(struct call *call, struct weft_error **error);
void call_drop(struct call *call);

#endif
