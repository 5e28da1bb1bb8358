/* A scene for the cases that test the fake driver and NVRTC: a device, its context, and a module of
 * small kernels. What goes wrong in a case ends its process. */
#ifndef MOCKCUDA_SCENE_H
#define MOCKCUDA_SCENE_H

#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == 0)

enum { COUNT = 1000 };

/* One case: a process of its own. */
struct row {
    const char *name; /* NULL: the last */
    void (*run)(void);
    int ends; /* 0: well; 1, 3, 97: with that status; SIGABRT, SIGSEGV */
    const char *says, *setting;
    /* what the sanitizers say of it where they look after kernels; "": they do not see it */
    const char *sanitizer;
};
extern const struct row mock_plays[], mock_refuses[];

struct scene {
    void *context, *module;
    int device;
};
struct scene begin_on(int device);
struct scene begin(void);
void end(struct scene *scene);

extern const char scene_text[];
/* The image, from malloc; NVRTC has to give this result. */
char *compile(const char *source, const char *arch, size_t *size, int expected);
/* On the default stream where `stream` is NULL. */
void launch(const struct scene *scene, const char *name, unsigned blocks, unsigned threads,
            void *stream, void **parameters);
/* to[i] = 2 * from[i], by vectors of blocks */
void launch_twice(const struct scene *scene, uint64_t to, uint64_t from, int count, void *stream);
/* to[i] += x, by one block */
void launch_add(const struct scene *scene, uint64_t to, float x, int count, void *stream);
/* to[t] = the sum of 63 - t and what stands behind it among 16, for t from `stop` on; in the first of each 16 it is
 * whole. Threads below `stop` meet nobody. */
void launch_meeting(struct scene *scene, uint64_t to, unsigned stop);
uint64_t allocate(size_t size);
void *allocate_pinned(size_t size);
/* 0, 1, 2, ... COUNT of them */
float *numbers(void);

#endif
