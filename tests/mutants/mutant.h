/* Sites of mutants, see mutants.py. A site holds the original and what it is mutated to; $WEFT_MUTANT chooses the
 * mutant that is active. With $WEFT_MUTANT_MAP, a file of 2 * WEFT_MUTANT_MOST counters, each site that runs counts
 * there how often it was reached, and how often mutated and original had different values. All processes of a test
 * share the file. */
#ifndef WEFT_MUTANT_H
#define WEFT_MUTANT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WEFT_MUTANT_MOST = 4096 };

#define WEFT_MUTANT_SHARED __attribute__((weak, visibility("hidden")))

/* One of each in a program or library, however many files have sites. */
WEFT_MUTANT_SHARED int weft_mutant_active = -1;
WEFT_MUTANT_SHARED unsigned *weft_mutant_map;
WEFT_MUTANT_SHARED int weft_mutant_ready;

WEFT_MUTANT_SHARED __attribute__((constructor(101), no_sanitize_address)) void weft_mutant_start(void)
{
    const char *number = getenv("WEFT_MUTANT"), *path = getenv("WEFT_MUTANT_MAP");
    if (weft_mutant_ready)
        return;
    weft_mutant_ready = 1;
    if (number && *number)
        weft_mutant_active = atoi(number);
    const int file = path && *path ? open(path, O_RDWR) : -1;
    if (file < 0)
        return;
    void *map = mmap(NULL, 2 * WEFT_MUTANT_MOST * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    weft_mutant_map = map == MAP_FAILED ? NULL : (unsigned *)map;
}

static inline __attribute__((unused)) void weft_mutant_count(int at)
{
    __atomic_fetch_add(&weft_mutant_map[at], 1, __ATOMIC_RELAXED);
}

/* Whether the values at a site are compared. */
static inline __attribute__((unused)) int weft_mutant_reached(int id)
{
    if (weft_mutant_map)
        weft_mutant_count(id);
    return weft_mutant_map != NULL;
}

static inline __attribute__((unused)) int weft_mutant_differs(int id, int differs)
{
    if (differs)
        weft_mutant_count(WEFT_MUTANT_MOST + id);
    return differs;
}

/* Whether the mutant is active. Where values are not compared, what is reached may differ. */
static inline __attribute__((unused)) int weft_mutant(int id)
{
    (void)(weft_mutant_reached(id) && weft_mutant_differs(id, 1));
    return weft_mutant_active == id;
}

#define WEFT_MUTANT(id, mutated, original) (weft_mutant(id) ? mutated : original)

/* Both are free of side effects, and the mutated one may be evaluated wherever the original is: for the sanitizers it
 * may not, because it may overflow. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WEFT_MUTANT_SANITIZED
#elif defined __clang__
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define WEFT_MUTANT_SANITIZED
#endif
#endif
#ifdef WEFT_MUTANT_SANITIZED
#define WEFT_MUTANT_VALUE WEFT_MUTANT
#else
#define WEFT_MUTANT_VALUE(id, mutated, original) \
    ((void)(weft_mutant_reached(id) && weft_mutant_differs(id, original != mutated)), \
     weft_mutant_active == (id) ? mutated : original)
#endif

#define WEFT_MUTANT_DROP(id) if (!weft_mutant(id))

#endif
