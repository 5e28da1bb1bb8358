/* PTX and SASS of kernels; see gpu_listing_impl.h. */
#include "runtime/api/gpu_listing_impl.h"

#include "runtime/gpu/gpu.h"
#include "runtime/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- compiling ---- */

/* The compute capability of the first GPU. False: there is none, or it cannot be asked. */
static bool first_gpu(struct arena *arena, int *major, int *minor)
{
    struct diags unheard;
    int device;
    diags_init(&unheard, arena, NULL);
    const struct cuda_driver *driver = cuda_driver_get(&unheard);
    return driver && driver->cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
           driver->cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
               CUDA_SUCCESS &&
           driver->cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ==
               CUDA_SUCCESS;
}

static bool choose_arch(struct weft_context *context, enum nvrtc_form form, struct nvrtc_arch *arch,
                        struct diags *diags)
{
    char name[32] = "sm_90";
    int major, minor;
    if (!context->arch && first_gpu(diags->arena, &major, &minor))
        snprintf(name, sizeof name, "sm_%d%d", major, minor);
    return nvrtc_named_arch(&context->nvrtc, context->arch ? context->arch : name, form, arch, diags);
}

static bool compile(struct weft_context *context, const char *text, enum weft_math math,
                    enum nvrtc_form form, struct nvrtc_code *code, struct diags *diags)
{
    struct nvrtc_arch arch;
    return nvrtc_open(&context->nvrtc, diags) && choose_arch(context, form, &arch, diags) &&
           nvrtc_compile(&context->nvrtc, text, math, &arch, code, diags);
}

char *cuda_ptx(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags)
{
    struct nvrtc_code code;
    return compile(context, text, math, NVRTC_PTX, &code, diags) ? code.bytes : NULL;
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
    if (!compile(context, text, math, NVRTC_CUBIN, &code, diags))
        return NULL;
    char *sass = disassemble(&context->cc, tool, path, &code, diags);
    free(code.bytes);
    return sass;
}
