/* The inner parts of the fake driver. One lock (calls.c) is held inside every call, so nothing here
 * knows of threads. Invariants: an object that was given back stays in memory, marked, so that
 * using it again is told; device memory can be touched only while the fake driver itself, or a
 * kernel on that device, is at work; what an item of a stream does it does when it is carried out,
 * and not before. */
#ifndef MOCKCUDA_MOCK_H
#define MOCKCUDA_MOCK_H

#include "mockcuda.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    CONTEXT_IS_DESTROYED = 709,
    HOST_MEMORY_ALREADY_REGISTERED = 712,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907
};

enum { MAX_DEVICES = 8 };

/* ---- calls.c ---- */

/* Each function of the driver begins with
 *     ENTER();
 * (one that gives something back: `int failed = mock_enter(__func__);`, and goes on all the same)
 * and returns mock_leave(result). */
#define ENTER()                                                                                    \
    do {                                                                                           \
        int failed_ = mock_enter(__func__);                                                        \
        if (failed_)                                                                               \
            return mock_leave(failed_);                                                            \
    } while (0)
int mock_enter(const char *name);
int mock_leave(int result);
/* A number from the environment. */
long long mock_setting(const char *name, long long otherwise);
/* Somebody used the driver as it must not be used, or a kernel did what it may not: says so and
 * aborts. */
_Noreturn void mock_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* 0 where MOCKCUDA_SEED is 0 or not set, else anything below `bound`. */
unsigned mock_random(unsigned bound);
bool mock_seeded(void);
/* The function of the driver that the thread is in. */
const char *mock_call_name(void);
/* Calls back after the lock is given up. */
void mock_call_back(void (*call)(void *), void *user);
/* Calls of the driver from inside a host function are wrong. */
void mock_inside(bool inside);

/* ---- objects ---- */

enum mock_kind { CONTEXT, MEMORY, MODULE, STREAM, EVENT, GRAPH, GRAPH_EXEC, USER_OBJECT, POOL, KINDS };

/* The first member of whatever the driver hands out. */
struct mock_object {
    uint32_t magic;
    enum mock_kind kind;
    bool dead;                /* given back */
    bool counts;              /* not given back is a leak */
    struct CUctx_st *context; /* NULL: of none */
    const char *made_by;      /* the call */
    long number;              /* of the call */
    struct mock_object *next; /* all there ever were */
};
void *mock_new(enum mock_kind kind, size_t size, struct CUctx_st *context);
/* Aborts where it is no such object, or was given back. */
void *mock_valid(const void *object, enum mock_kind kind);
void mock_dead(void *object);
/* How many count as leaks; of one context, or of all (NULL). */
int mock_count_live(const struct CUctx_st *context, bool tell);
struct mock_object *mock_objects(void);

/* ---- devices.c ---- */

struct CUctx_st {
    struct mock_object object;
    int device;
    bool primary;
    int retained;
    int lost;                                /* the error that every call gets */
    struct CUstream_st *legacy, *per_thread; /* made with the context */
};
extern int mock_device_count;
bool mock_is_device(int device);
int mock_arch(int device); /* 90 */
/* The current context; aborts where there is none. */
struct CUctx_st *mock_context(void);
struct CUctx_st *mock_context_or_null(void);

/* ---- memory.c ---- */

enum mock_place { ON_DEVICE, PINNED, MANAGED, REGISTERED };
enum mock_state { RESERVED, LIVE, FREED }; /* reserved: a stream has yet to get to its allocation */

struct mock_memory {
    struct mock_object object;
    enum mock_place place;
    enum mock_state state;
    bool open; /* device memory that can be touched now */
    bool free_called;
    bool pooled; /* by cuMemAllocAsync */
    int device;
    char *begin, *end; /* what was asked for */
    char *pages, *pages_end;
    struct mock_memory *next;
};
extern char *mock_arena;
extern size_t mock_arena_size;
extern struct mock_memory **mock_owners; /* of each page of the arena */

/* Whatever holds the address, also just beside or when it is freed; NULL: nothing of the
 * driver's. */
struct mock_memory *mock_memory_at(const void *address);
/* Makes all memory of a device touchable until the call ends. */
void mock_open_device(int device);
void mock_open_memory(struct mock_memory *memory);
void mock_close_all(void);
/* Aborts unless device, in a context of `device`, may touch these bytes; opens them. */
void mock_check_range(const char *what, const void *address, size_t size, int device);
/* Whether all of it is pinned. */
bool mock_is_pinned(const void *address, size_t size);
struct mock_memory *mock_new_memory(enum mock_place place, size_t size);
/* From here on, or until here, it can be touched. */
void mock_make_live(struct mock_memory *memory);
void mock_end_life(struct mock_memory *memory, enum mock_state state);
/* Memory of the host's own that counts as pinned. */
void mock_register(struct mock_memory *memory);
void mock_unregister(struct mock_memory *memory);
/* Takes bytes off the current device's; false: there are not so many. */
bool mock_count_bytes(size_t size);
void mock_give_back_bytes(const struct mock_memory *memory);
void mock_tell_bytes(int device, size_t *available, size_t *total);
void mock_set_memory(unsigned long long bytes);

/* ---- work.c: streams, events, and the order of work ---- */

struct mock_item {
    void (*run)(struct mock_item *item);
    void (*finish)(struct mock_item *item); /* when it is done, or will never be; may be NULL */
    struct CUctx_st *context;
    struct CUstream_st *stream;
    struct mock_item **waits; /* of other streams; references */
    int wait_count;
    struct mock_item *next; /* in the stream */
    int references;
    bool done, host;            /* host: runs a function of the host */
    bool in_graph;              /* a node: carried out at each launch of its graph */
    double time;                /* when it was done, milliseconds */
    const void *module;         /* that has to stay */
    struct mock_memory *memory; /* to allocate or to free */
    /* what it does */
    void *to;
    const void *from;
    size_t size;
    void *staged; /* a copy of `from`, owned */
    unsigned value, width;
    void (*call)(void *);
    void *user;
    struct CUfunc_st *function;
    unsigned grid[3], block[3];
    struct CUgraphExec_st *exec;
};

struct CUstream_st {
    struct mock_object object;
    unsigned flags;
    bool is_legacy, is_per_thread, blocking; /* blocking: with the legacy stream */
    struct mock_item *head, *last; /* the queue; `last`: the newest, also when done; a reference */
    struct CUstream_st *next;      /* of all that live or have work */
    struct mock_capture *capture;
    int *capture_nodes, capture_node_count; /* what the next node comes after */
};

struct CUevent_st {
    struct mock_object object;
    unsigned flags;
    struct mock_item *item;       /* a reference; NULL: never recorded */
    struct mock_capture *capture; /* recorded in a capture, not the last item */
    int *capture_nodes, capture_node_count;
};

/* The one that a handle stands for, in the current context. */
struct CUstream_st *mock_stream(struct CUstream_st *handle);
/* The same where the context may be another. */
struct CUstream_st *mock_any_stream(struct CUstream_st *handle);
struct CUstream_st *mock_new_stream(struct CUctx_st *context, unsigned flags);
struct mock_item *mock_new_item(void (*run)(struct mock_item *));
void mock_release_item(struct mock_item *item);
/* Puts it on the stream, or into the graph that the stream captures into; takes the reference. */
int mock_enqueue(struct CUstream_st *stream, struct mock_item *item);
/* It comes after that other one (NULL: after nothing). */
void mock_wait_for(struct mock_item *item, struct mock_item *before);
/* Carries it out, and what has to be before it. */
void mock_complete(struct mock_item *item);
/* All work of a context; or nothing of it, ever. */
void mock_drain(struct CUctx_st *context);
void mock_discard(struct CUctx_st *context);
/* Something that nobody waits for, if MOCKCUDA_SEED is set. */
void mock_progress(void);
int mock_pending(const struct CUctx_st *context, const void *module);

/* ---- modules.c ---- */

void mock_run_launch(struct mock_item *item);

/* ---- graphs.c ---- */

int mock_capture_item(struct CUstream_st *stream, struct mock_item *item);
/* A call that a capture forbids: its result, after the capture was made invalid; 0: none forbids
 * it. */
int mock_forbidden_by_capture(void);
int mock_capture_forbids(struct CUstream_st *stream);
/* Ends it, and there is no graph. */
void mock_abandon_capture(struct CUstream_st *stream);
int mock_capture_record(struct CUstream_st *stream, struct CUevent_st *event);
/* In a capture that goes on. */
bool mock_is_captured(struct CUevent_st *event);
int mock_capture_wait(struct CUstream_st *stream, struct CUevent_st *event);

#endif
