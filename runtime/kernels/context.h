/* What a context owns: a member for each room that keeps something, and the table of kernels. */
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include "runtime/cc/cc.h"
#include "runtime/gpu/gpu.h"
#include "runtime/kernels/worker.h"

struct loaded;
struct plan_observer;

struct weft_context {
    struct weft_context *next;     /* all contexts of the process */
    struct cc cc;
    pthread_mutex_t cc_mutex;      /* guards what cc found out */
    struct cc_running running;
    enum weft_tier tier;
    bool only_first;               /* the compiler named is libtcc: it makes all kernels, for good */
    unsigned fast;                 /* a set of enum fast_path */
    enum weft_target target;       /* WEFT_TARGET heeded */
    char *arch;                    /* "sm_90", for stages; NULL: not said */
    struct threads threads;
    struct cuda_devices cuda;
    struct remarks remarks;
    struct nvrtc nvrtc;
    struct log log;
    char *cache;                   /* the directory of kernels on disk; NULL: none */
    uint64_t cache_cap;            /* bytes; WEFT_CACHE_SIZE as it was when the context was made */
    char *keep;                    /* the directory for looking into kernels; NULL: none; cc/keep.h */
    unsigned debug;                /* stages to tell, a bit each; api/debug_impl.h */
    const struct plan_observer *observer; /* who tells them; NULL: there are none */
    atomic_flag noted;             /* that the directory is of no use was said */
    pthread_mutex_t mutex;         /* guards what follows */
    pthread_cond_t changed;
    struct loaded *buckets[256];
    bool told_no_compiler;
    struct worker worker;
};

#endif
