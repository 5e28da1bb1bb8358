/* The plans of an instance, kept. */
#ifndef WEFT_PLANS_H
#define WEFT_PLANS_H

#include "compiler/base/base.h"

struct occasion;
struct plan;
struct program;
struct weft_program;

/* What a plan was made for, as numbers; see plans.c. */
struct plan_key {
    int64_t *numbers;
    size_t size;
    uint64_t hash;
};

/* Plans by their keys, and in the order of their use. All zero: empty. */
struct plan_table {
    struct plan **buckets;
    size_t bucket_count;           /* a power of two */
    int count;
    size_t bytes;                  /* that the plans take */
    struct plan *latest, *oldest;
};

/* The key of an occasion; room for it, which does for all samples of its batches. */
int64_t *plan_key_room(struct arena *arena, const struct program *program,
                       const struct occasion *occasion);
struct plan_key plan_key(struct arena *arena, const struct program *program,
                         const struct occasion *occasion);
/* The plan for a key, its users raised, or NULL. The program's mutex is held, here and below. */
struct plan *plans_find(struct plan_table *table, const struct plan_key *key);
/* False: no memory, and the plan is not kept. */
bool plans_add(struct weft_program *program, struct plan_table *table, struct plan *plan);
/* Drops plans that nobody uses while there are too many. */
void plans_trim(struct weft_program *program, struct plan_table *table);
void plans_destroy(struct plan_table *table);

#endif
