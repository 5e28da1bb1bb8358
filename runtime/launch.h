/* One kernel of one run: its arguments, and its tiles handed out to threads. */
#ifndef WEFT_LAUNCH_H
#define WEFT_LAUNCH_H

#include "runtime/internal.h"

struct launch {
    const struct planned *planned;
    struct weft_sample sample;
    int threads;                   /* that may take part, the calling one included */
    char *workers;                 /* [threads] each struct weft_args, then its faults */
    size_t worker_size;
};

/* All that the kernel needs, so that nothing can fail once the first kernel of a run writes. `bases`
 * are those of the accesses; they and the arena outlive the launch. */
void launch_init(struct launch *launch, const struct weft_context *context, struct arena *arena,
                 const struct planned *planned, char *const *bases);
/* Computes all tiles. */
void launch_run(struct launch *launch, struct weft_context *context);
/* Whether any thread remarked fault `f`. */
bool launch_fault(const struct launch *launch, int f);
/* How many threads a run of this kernel takes if it starts now. */
int launch_threads(const struct weft_context *context, const struct planned *planned);

#endif
