/* Launches kernels on a stream: the only place of the library that calls cuLaunchKernel. Sources ahead of time
 * have templates/aot/cuda_launch.c. */
#include "runtime/run/gpu_work_impl.h"

#include <string.h>

/* Sets *faults to where the kernel writes its remarks: in the work's memory if expected, else in the bytes of the
 * stream; 0: it has no faults. False with a diagnostic. */
static bool find_faults(struct cuda_work *work, const struct planned *planned, const struct cuda_planned *cuda,
                        uint64_t *faults)
{
    *faults = 0;
    for (int i = 0; i < work->remark_count; i++)
        if (work->remarks[i].kernel == planned->kernel)
            *faults = work->remarks[i].address;
    if (*faults || !cuda->site)
        return true;
    *faults = remarks_bytes(&work->call->program->context->remarks, work->device, cuda->site, work->order.stream,
                            &work->call->diags);
    return *faults;
}

bool work_arguments(struct cuda_work *work, const struct planned *planned, const struct cuda_planned *cuda,
                    struct launch_words *launch, uint64_t *args)
{
    if (!find_faults(work, planned, cuda, &launch->faults))
        return false;
    launch->literals_address = cuda->literals.address;
    if (cuda->words) {
        memcpy(args, cuda->words, form_args_words(&planned->emitted->form) * sizeof *args);
        cuda_change_args(planned, launch->faults, launch->bases, args);
    } else {
        cuda_write_args(planned, launch, args);
    }
    return true;
}

bool work_launch(struct cuda_work *work, const struct planned *planned, int64_t tiles, void **args)
{
    const struct cuda_driver *driver = work->device->driver;
    const unsigned blocks = cuda_blocks(planned, tiles, work->device->processors);
    int result = driver->cuLaunchKernel(planned->loaded->function, blocks, 1, 1,
                                        (unsigned)planned->emitted->form.threads, 1, 1, 0, work->order.stream,
                                        args, NULL);
    if (result == CUDA_SUCCESS)
        return true;
    bool handle = result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_CONTEXT ||
                  result == CUDA_ERROR_INVALID_VALUE;
    return !(handle && work_blame_stream(work)) && cuda_check(driver, &work->call->diags, result, "cuLaunchKernel");
}
