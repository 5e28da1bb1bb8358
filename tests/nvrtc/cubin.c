/* See cubin.h. */
#include "tests/nvrtc/cubin.h"

#include "runtime/kernels/context.h"

#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct nvrtc_arch wanted;

const char *cubin_unavailable(struct weft_context *context, const char *arch)
{
    arena_init(&arena);
    struct diags diags = diags_new(&arena, NULL);
    if (!nvrtc_open(&context->nvrtc, &diags))
        return "there is no NVRTC";
    if (!nvrtc_named_arch(&context->nvrtc, arch, NVRTC_CUBIN, &wanted, &diags))
        return "this NVRTC does not know the architecture";
    return NULL;
}

const char *cubin_complaint(struct weft_context *context, enum weft_math math, const char *text)
{
    struct nvrtc_code code;
    struct diags diags = diags_new(&arena, NULL);
    if (!nvrtc_compile(&context->nvrtc, text, math, &wanted, &code, &diags))
        return diags.first ? diags.first->message : "failed, and nothing was said";
    bool elf = code.size > 4 && memcmp(code.bytes, "\177ELF", 4) == 0;
    free(code.bytes);
    return elf ? NULL : "what came is no cubin";
}

void cubin_finish(void)
{
    arena_finish(&arena);
}
