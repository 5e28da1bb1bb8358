/* Machine code of CUDA texts, for sources that are made ahead of time (weft_cuda_code), and as listings; see
 * gpu_code_impl.h. */
#include "runtime/api/gpu_code_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compiling ---- */

/* The compute capability of the first GPU. False: there is none, or it cannot be asked. */
static bool first_gpu(struct arena *arena, int *major, int *minor)
{
    int device;
    struct diags unheard = diags_new(arena, NULL);
    const struct cuda_driver *driver = cuda_driver_get(&unheard);
    return driver && driver->cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
           driver->cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
               CUDA_SUCCESS &&
           driver->cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ==
               CUDA_SUCCESS;
}

/* Compiles for the architecture of this name, "sm_90"; NULL: the context's, or that of the first GPU, else sm_90. */
static bool compile(struct weft_context *context, const char *text, enum weft_math math, const char *name,
                    enum nvrtc_form form, struct nvrtc_code *code, struct diags *diags)
{
    struct nvrtc *nvrtc = &context->nvrtc;
    struct nvrtc_arch arch;
    char own[32] = "sm_90";
    int major, minor;
    if (!nvrtc_open(nvrtc, diags))
        return false;
    const char *listed = context->arch ? context->arch : own;
    if (!name && !context->arch && first_gpu(diags->arena, &major, &minor))
        snprintf(own, sizeof own, "sm_%d%d", major, minor);
    if (!nvrtc_named_arch(nvrtc, name ? name : listed, form, &arch, diags))
        return false;
    arch.bare = name != NULL;      /* a listing has lines of the source */
    return nvrtc_compile(nvrtc, text, math, &arch, code, diags);
}

/* "compute_90" is NVRTC's name for PTX. */
bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags)
{
    const bool ptx = strncmp(name, "compute_", 8) == 0;
    return compile(context, text, WEFT_MATH_STRICT, ptx ? arena_printf(diags->arena, "sm_%s", name + 8) : name,
                   ptx ? NVRTC_PTX : NVRTC_CUBIN, code, diags);
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

char *cuda_ptx(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags)
{
    struct nvrtc_code code;
    return compile(context, text, math, NULL, NVRTC_PTX, &code, diags) ? code.bytes : NULL;
}

/* ---- SASS ---- */

/* A disassembler and its arguments for a cubin, with the program's lines if it can show them. */
struct disassembler {
    const char *name;
    const char *const arguments[4];
};

static const struct disassembler disassemblers[] = {
    {"nvdisasm", {"--print-code", "--print-line-info", NULL}},
    {"cuobjdump", {"--dump-sass", NULL}},
};

static const struct disassembler *find(const struct cc *cc, char path[PATH_MAX])
{
    for (size_t i = 0; i < sizeof disassemblers / sizeof *disassemblers; i++)
        if (cuda_find(&cc->environment, CUDA_PROGRAM, disassemblers[i].name, path))
            return &disassemblers[i];
    return NULL;
}

static char *disassemble(const struct cc *cc, const struct disassembler *tool, const char *path,
                         const struct nvrtc_code *code, struct diags *diags)
{
    const struct cc program = {
        .path = (char *)path, .running = cc->running, .environment = cc->environment};
    const char *files[] = {path, NULL, NULL};
    struct job job;
    char *text = NULL;
    bool good = job_open(&job, &program, "log", diags);
    if (good) {
        job.disassembler = true;
        job_add_arguments(&job, files);
        job_add_arguments(&job, tool->arguments);
        files[0] = job.source;
        job_add_arguments(&job, files);
        good = job_write_source(&job, code->bytes, code->size, diags) && job_run(&job, &program, diags);
    }
    if (good && !(text = job_read_output(&job)))
        job_files_failed(diags, "read what the disassembler wrote");
    job_close(&job);
    return text;
}

char *cuda_sass(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags)
{
    char path[PATH_MAX];
    struct nvrtc_code code;
    const struct disassembler *tool = find(&context->cc, path);
    if (!tool) {
        diag_at(diags, DIAG_NO_DISASSEMBLER, NULL, 0);
        return NULL;
    }
    if (!compile(context, text, math, NULL, NVRTC_CUBIN, &code, diags))
        return NULL;
    char *sass = disassemble(&context->cc, tool, path, &code, diags);
    free(code.bytes);
    return sass;
}
