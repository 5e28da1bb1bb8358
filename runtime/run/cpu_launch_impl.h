/* One kernel of one run in C, on one sample or many: its arguments, and its tiles, which threads
 * claim in chunks. */
#ifndef WEFT_RUNTIME_RUN_CPU_LAUNCH_IMPL_H
#define WEFT_RUNTIME_RUN_CPU_LAUNCH_IMPL_H

#include "runtime/plan/plan.h"

/* launch_init sets what follows `threads`. Its caller sets everything else. */
struct launch {
    const struct planned *planned; /* a kernel of one of the samples' plans, for code, literals and faults */
    struct weft_sample *samples;   /* only those that have tiles */
    int64_t sample_count, tiles;
    double work, touched, stored;  /* of all samples; as in struct planned */
    int chain;                     /* as in struct planned: these launches stand behind this one, with as many
                                      threads */
    const struct window *windows;  /* [window_count] its accesses of which each thread has a tile */
    int window_count;
    int threads;                   /* threads that may take part, the calling one included; 0: launch_init decides */
    char *workers;                 /* [threads] a struct weft_args and its faults each; with windows, a sample */
    size_t worker_size;
    char *ranges;                  /* [threads] of tiles, a cache line each */
};

/* Memory that kernels only use while they compute a tile. Those of a call share it: new memory of megabytes costs more
 * than reading as much. A thread has the same part of it for all of them, since in a chain others may be at another
 * kernel. It begins on a cache line, so that a vector of 64 bytes lies in one, and is not zeroed, which would take
 * longer than small work. What a chain has in windows stands in front: one kernel leaves it to the next. */
struct scratch {
    char *memory;
    size_t windows;                /* bytes of a thread for them; the caller sets it */
    size_t each;                   /* and for what a kernel needs alone */
    int threads;                   /* 0: no kernel needs any */
};

/* Allocates everything that the kernel needs, so that nothing can fail once the first kernel of a run writes; what is
 * shared it adds to *scratch. The arena must outlive the launch. May jump if memory runs out. */
void launch_init(struct launch *launch, const struct weft_context *context, struct scratch *scratch,
                 struct arena *arena);
/* Gives the launch its part of *scratch, unless `threads` is 0, after launch_init of all the launches that share it.
 * May jump if memory runs out. */
void scratch_lend(struct scratch *scratch, const struct launch *launch, struct arena *arena);
/* Computes all tiles, and returns when they are done. */
void launch_run(struct launch *launch, struct weft_context *context);
/* Makes *first the first remark of any thread, if it is further ahead in the text. */
void launch_remark(const struct launch *launch, struct fault *first);
/* How many threads to use for so much work if it starts now. */
int launch_threads(const struct weft_context *context, double work, int64_t tiles);
/* The same for the chain that begins here, whose kernels are loaded. While these are first kernels, none on the
 * processors that compilers are using: it would only put off the good ones. */
int launch_threads_beside(const struct weft_context *context, const struct planned *first, double work, int64_t tiles);

#endif
