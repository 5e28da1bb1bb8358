/* What a context owns: a member for each room that keeps state, and the table of kernels. */
#ifndef WEFT_RUNTIME_KERNELS_CONTEXT_H
#define WEFT_RUNTIME_KERNELS_CONTEXT_H

#include "runtime/cc/cc.h"
#include "runtime/gpu/gpu.h"
#include "runtime/kernels/worker.h"

struct weft_context {
    struct weft_context *next;     /* in the list of all contexts of the process */
    struct cc cc;
    pthread_mutex_t cc_mutex;      /* guards what cc_probe finds out */
    struct cc_running running;
    enum weft_tier tier;
    bool only_first;               /* the compiler named is libtcc: it makes all kernels, and they are final */
    const struct weft_calls *calls; /* what kernels in C call */
    unsigned fast;                 /* a set of enum fast_path */
    int row_bytes;                 /* as in struct lowering */
    enum weft_target target;       /* WEFT_TARGET has been applied */
    char *arch;                    /* "sm_90", for stages; NULL: none named */
    char *tuning;                  /* words for tuning_read, of a library for measuring; NULL: none */
    struct threads threads;
    struct cuda_devices cuda;
    struct remarks remarks;
    struct nvrtc nvrtc;
    struct log log;
    char *cache;                   /* the directory of kernels on disk; NULL: none */
    uint64_t cache_cap;            /* bytes; WEFT_CACHE_SIZE when the context was made */
    char *keep;                    /* the directory of WEFT_KEEP; NULL: none; cc/keep.h */
    unsigned debug;                /* stages to show, a bit each; api/debug_impl.h */
    const struct plan_observer *observer; /* shows them; NULL: none to show */
    atomic_flag noted;             /* the log was told that the cache cannot be used */
    _Atomic int64_t compiled;      /* nanoseconds that the C compiler took for the last good kernel; 0: none yet */
    pthread_mutex_t mutex;         /* guards what follows */
    pthread_cond_t changed;
    struct evaluated *evaluated;   /* the programs of weft_eval; api/eval_impl.h */
    struct loaded *buckets[256];
    bool told_no_compiler;
    struct worker worker;
};

#endif
