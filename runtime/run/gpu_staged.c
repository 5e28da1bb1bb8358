/* Running works on host tensors; see gpu_staged_impl.h. No memory of the caller is written before the kernels
 * of its work have run. On every way out all streams are waited for, because the GPU may be reading or writing
 * memory that the caller pinned. */
#include "runtime/run/gpu_staged_impl.h"

enum { STREAMS = 3 };              /* one work on its way to the GPU, one computing, one on its way back */

struct host_run {
    struct call *call;
    struct cuda_work *const *works;
    int count;
    int begun, ended;              /* how many of the works */
    struct cuda_device *device;
    struct CUstream_st *streams[STREAMS];
};

/* Begins the next work. False with a diagnostic; if run->begun was raised, the work must still be ended. */
static bool begin(struct host_run *run)
{
    struct cuda_work *work = run->works[run->begun];
    if (!work_begin(work, run->streams[run->begun % STREAMS]))
        return false;
    run->begun++;
    return work->launch(work) && work_fetch(work);
}

/* Ends the oldest work that has begun. */
static bool end(struct host_run *run, bool good)
{
    struct cuda_work *work = run->works[run->ended++];
    good = good && work_collect(work);
    work_end(work);
    return good;
}

static bool run_all(struct host_run *run)
{
    bool good = true;
    while (good && run->begun < run->count) {
        if (run->begun - run->ended == STREAMS)
            good = end(run, true);
        good = good && begin(run);
    }
    while (run->ended < run->begun)
        good = end(run, good) && good;
    return good;
}

/* A stream belongs to one call at a time. */
static bool take_streams(struct host_run *run)
{
    for (int i = 0; i < STREAMS && i < run->count; i++)
        if (!(run->streams[i] = cuda_take_stream(run->device, &run->call->diags)))
            return false;
    return true;
}

static bool leave_streams(struct host_run *run, bool good)
{
    struct call *call = run->call;
    for (int i = 0; i < STREAMS; i++) {
        if (!run->streams[i])
            continue;
        int result = cuda_wait(run->device, run->streams[i]);
        good = good && cuda_check(run->device->driver, &call->diags, result, "cuStreamSynchronize");
        cuda_leave_stream(run->device, run->streams[i]);
    }
    return good;
}

void cuda_host_run(struct call *call, struct cuda_work *const *works, int count)
{
    struct host_run run = {.call = call, .works = works, .count = count, .device = works[0]->device};
    struct fault first = no_fault;
    if (!cuda_enter(run.device, &call->diags))
        return;
    bool good = take_streams(&run) && run_all(&run);
    good = leave_streams(&run, good);
    cuda_leave(run.device);
    for (int i = 0; good && i < count; i++)
        work_remark(works[i], &first);
    if (fault_is_any(&first))
        fault_tell(&call->diags, &first);
}
