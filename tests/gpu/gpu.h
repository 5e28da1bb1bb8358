/* The CUDA driver for tests, opened at run time: device memory, one stream, and whether there is a GPU at
 * all. It knows nothing of Weft and Weft's own table is not used, so that neither can cover up for the other.
 * A call that fails ends the process with its name: a test that lost its device has nothing more to say. */
#ifndef WEFT_TEST_GPU_H
#define WEFT_TEST_GPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* meson's and automake's word for a test that was skipped. */
enum { GPU_SKIPPED = 77 };

/* NULL: there is a GPU, whose primary context is current on this thread; else which call said that there
 * is none, static. CUDA starts here: not in a process that forks afterwards. */
const char *gpu_missing(void);
/* The same for a test's main: prints the reason as TAP has it and ends with GPU_SKIPPED. */
void gpu_needed(void);

/* For threads other than the one that started. */
void gpu_enter(void);
uint64_t gpu_alloc(size_t bytes);
/* 0 when there is no room. */
uint64_t gpu_try_alloc(size_t bytes);
void gpu_free(uint64_t address);
size_t gpu_room(void);             /* free bytes */
/* Synchronous. */
void gpu_upload(uint64_t to, const void *from, size_t bytes);
void gpu_download(void *to, uint64_t from, size_t bytes);
void gpu_fill(uint64_t at, unsigned char byte, size_t bytes);
/* A stream that waits for no other, made at the first call and kept. */
void *gpu_stream(void);
void gpu_synchronize(void *stream);

/* Several devices: how many there are, and the primary context of one made current on this thread. What follows is
 * done on the current one, and does not change which that is. */
int gpu_count(void);
void gpu_enter_on(int device);
void *gpu_current(void);           /* NULL: none */
void gpu_set_current(void *context);
/* Streams that wait for no other. */
void *gpu_new_stream(void);
void gpu_end_stream(void *stream);
void gpu_wait(void *stream);
/* Pinned host memory that all devices see. */
void *gpu_pinned(size_t bytes);
void gpu_free_pinned(void *memory);
/* A gate on a stream: what comes behind it waits until it is opened, which says whether the stream did wait for
 * that: one that nobody opens in 10 s opens itself. */
struct gpu_gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    int open, forced;
};
void gpu_close(struct gpu_gate *gate, void *stream);
int gpu_open(struct gpu_gate *gate);
/* What is put on the stream between these two is a graph, ready to be launched. */
void gpu_capture(void *stream);
void *gpu_captured(void *stream);
void gpu_replay(void *graph, void *stream);
void gpu_end_graph(void *graph);

/* A function that only the fake driver has (tests/mockcuda/mockcuda.h); NULL: this is a real one. */
void *gpu_mock(const char *name);

#endif
