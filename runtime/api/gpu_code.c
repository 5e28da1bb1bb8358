/* weft_cuda_code: machine code of a CUDA text, for sources that are compiled ahead of time. */
#include "runtime/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "sm_90", or "compute_90" as NVRTC calls PTX. */
static bool choose(const struct nvrtc *nvrtc, const char *name, struct nvrtc_arch *arch, struct diags *diags)
{
    const bool ptx = strncmp(name, "compute_", 8) == 0;
    const bool good = nvrtc_named_arch(nvrtc, ptx ? arena_printf(diags->arena, "sm_%s", name + 8) : name,
                                       ptx ? NVRTC_PTX : NVRTC_CUBIN, arch, diags);
    arch->bare = true;
    return good;
}

static enum weft_status make_code(struct weft_context *context, const char *text, const char *name,
                                  struct arena *arena, struct nvrtc_code *code, struct weft_error **error)
{
    struct nvrtc *nvrtc = &context->nvrtc;
    struct nvrtc_arch arch;
    struct diags diags;
    diags_init(&diags, arena, NULL);
    if (nvrtc_open(nvrtc, &diags) && choose(nvrtc, name, &arch, &diags))
        nvrtc_compile(nvrtc, text, WEFT_MATH_STRICT, &arch, code, &diags);
    return finish_call(&context->log, &diags, error);
}

enum weft_status weft_cuda_code(struct weft_context *context, const char *text, const char *arch, void **code,
                                size_t *size, struct weft_error **error)
{
    if (!context || !text || !arch || !code || !size)
        return invalid_call(error, "weft_cuda_code needs a context, a text, an architecture and places for code and size");
    struct arena arena;
    jmp_buf env;
    struct nvrtc_code made = {.bytes = NULL};
    const int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env))
        status = make_code(context, text, arch, &arena, &made, error);
    arena_finish(&arena);
    *code = made.bytes;
    *size = made.size;
    errno = saved;
    return status;
}
