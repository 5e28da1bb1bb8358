/* The table of an instance's plans. */
#ifndef WEFT_RUNTIME_PLAN_PLAN_CACHE_H
#define WEFT_RUNTIME_PLAN_PLAN_CACHE_H

#include "compiler/base/base.h"

struct occasion;
struct program;

/* What a plan was made for, as numbers; plan_cache.c lists them. */
struct plan_key {
    int64_t *numbers;
    size_t size;
    uint64_t hash;
};

/* Plans by key, and in the order of their last use. All zero: empty. */
struct plan_table {
    struct plan **buckets;
    size_t bucket_count;           /* a power of two */
    int count;
    size_t bytes;                  /* memory of all plans */
    struct plan *latest, *oldest;
};

/* Whether the kernels depend on the outputs: one that is wanted is not dense, or on a GPU not aligned. */
bool outputs_matter(const struct program *program, const struct occasion *occasion);
/* The key of an occasion, in occasion->room or the arena. plan_key_room allocates room that
 * suffices for all samples of the occasion's batches. */
int64_t *plan_key_room(struct arena *arena, const struct program *program,
                       const struct occasion *occasion);
struct plan_key plan_key(struct arena *arena, const struct program *program,
                         const struct occasion *occasion);
/* The plan for a key, with its users raised; NULL: there is none. Here and below the program's
 * mutex must be held. */
struct plan *plans_find(struct plan_table *table, const struct plan_key *key);
/* Adds a plan, and drops old ones that have no users if there are too many. False: out of
 * memory; the plan is not added. */
bool plans_add(struct weft_program *program, struct plan_table *table, struct plan *plan);
/* Drops plans without users while there are too many. */
void plans_trim(struct weft_program *program, struct plan_table *table);
/* Frees a plan that has no users and is in no table. */
void plan_destroy(struct plan *plan);
/* Destroys all plans. None may have users. */
void plans_destroy(struct plan_table *table);

#endif
