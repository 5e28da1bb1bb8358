/* One kernel of one run, on one sample or many: its arguments, and its tiles handed out to threads. */
#ifndef WEFT_LAUNCH_H
#define WEFT_LAUNCH_H

#include "runtime/plan/plan.h"

/* Whoever makes it adds samples; the rest is launch_init's. */
struct launch {
    const struct planned *planned; /* one of those whose samples these are: kernel, literals, remarks */
    struct weft_sample *samples;   /* without those that have no tiles */
    int64_t sample_count, tiles;
    double work, touched, stored;  /* as in struct planned, of all samples */
    int threads;                   /* that may take part, the calling one included */
    char *workers;                 /* [threads] each struct weft_args, then its faults */
    size_t worker_size;
};

/* All that the kernel needs, so that nothing can fail once the first kernel of a run writes. The arena
 * outlives the launch. */
void launch_init(struct launch *launch, const struct weft_context *context, struct arena *arena);
/* Computes all tiles. */
void launch_run(struct launch *launch, struct weft_context *context);
/* Moves *place to the first remark in the text, if any thread made one before it. */
void launch_remark(const struct launch *launch, struct span *place);
/* How many threads so much work takes if it starts now. */
int launch_threads(const struct weft_context *context, double work, int64_t tiles);

#endif
