/* weft_cuda_code: the machine code of a CUDA text, for sources that are made ahead of time. */
#include "runtime/api/gpu_code_impl.h"

#include <stdlib.h>
#include <string.h>

/* Chooses the architecture: "sm_90", or "compute_90", NVRTC's name for PTX. */
static bool choose(const struct nvrtc *nvrtc, const char *name, struct nvrtc_arch *arch, struct diags *diags)
{
    const bool ptx = strncmp(name, "compute_", 8) == 0;
    const bool good = nvrtc_named_arch(nvrtc, ptx ? arena_printf(diags->arena, "sm_%s", name + 8) : name,
                                       ptx ? NVRTC_PTX : NVRTC_CUBIN, arch, diags);
    arch->bare = true;
    return good;
}

bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags)
{
    struct nvrtc *nvrtc = &context->nvrtc;
    struct nvrtc_arch arch;
    return nvrtc_open(nvrtc, diags) && choose(nvrtc, name, &arch, diags) &&
           nvrtc_compile(nvrtc, text, WEFT_MATH_STRICT, &arch, code, diags);
}

struct order {
    struct weft_context *context;
    const char *text, *arch;
    struct nvrtc_code made;
};

static void make_code(struct diags *diags, void *user)
{
    struct order *order = user;
    cuda_code(order->context, order->text, order->arch, &order->made, diags);
}

enum weft_status weft_cuda_code(struct weft_context *context, const char *text, const char *arch, void **code,
                                size_t *size, struct weft_error **error)
{
    if (!context || !text || !arch || !code || !size)
        return invalid_call(error, "weft_cuda_code needs a context, a text, an architecture and places for code and "
                                   "size");
    struct order order = {.context = context, .text = text, .arch = arch};
    enum weft_status status = guarded_call(&context->log, NULL, make_code, &order, error);
    *code = order.made.bytes;
    *size = order.made.size;
    return status;
}
