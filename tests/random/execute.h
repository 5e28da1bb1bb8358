/* Runs a trial through the library as a caller would, and compares all that comes back with the
 * evaluator: types, shapes, values, the remark, and that nothing else was written. */
#ifndef WEFT_EXECUTE_H
#define WEFT_EXECUTE_H

#include "tests/random/trial.h"

enum verdict {
    AGREES,
    SKIPPED,                       /* the generator made nothing to run */
    LIMITED,                       /* W0190: more maps than a kernel may have, of values that may not be stored */
    REFUSED,                       /* an error where the evaluator sees none */
    WRONG_TYPE,                    /* dtypes, shapes or names of weft_infer */
    WRONG_VALUE, WRONG_REMARK,
    OUT_OF_BOUND,                  /* a row that is not exact */
    OVERWRITTEN,                   /* bytes that are not the output's */
    UNSTEADY,                      /* another run of the same gives other bits */
    DIED,                          /* of a signal; told by whoever waited for the process */
    VERDICT_COUNT
};

extern const char *const verdict_names[VERDICT_COUNT];

struct outcome {
    enum verdict verdict;
    char message[1500];
};

struct machine;

/* A context. `serial` is the seed of what differs between contexts: how many threads runs are cut for
 * (they are played one after the other, in any order). */
struct machine *machine_create(const char *cc, const char *flags, uint64_t serial);
void machine_destroy(struct machine *machine);

/* Everything is freed with the arena, whose contents are the trial's alone. */
void execute(struct machine *machine, struct trial *trial, struct arena *arena,
             struct outcome *outcome);

/* The types that weft_compile is told, with room for their texts; how many. */
size_t told_types(const struct trial *trial, struct weft_input_type *types, char (*room)[208]);
/* The text, the inputs as the command would take them, and their layouts. */
void trial_print(struct trial *trial);

#endif
