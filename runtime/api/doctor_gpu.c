/* weft_doctor: finds and asks NVRTC, the CUDA driver and the GPUs, through the functions that
 * programs use. */
#include "runtime/api/doctor_impl.h"

#include "runtime/cc/cc.h"
#include "runtime/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* The message of the first diagnostic; it lives as long as the diagnostics' arena. */
static const char *words(const struct diags *diags)
{
    return diags->first ? diags->first->message : "memory ran out";
}

/* ---- NVRTC ---- */

/* Compiles a small kernel, which also notices if NVRTC's second library is missing. */
static bool try_nvrtc(struct nvrtc *nvrtc, double *took, struct diags *diags)
{
    struct nvrtc_arch arch;
    struct nvrtc_code code;
    double start = clock_seconds();
    int newest = nvrtc->archs[nvrtc->arch_count - 1];
    bool good = nvrtc_device_arch(nvrtc, newest / 10, newest % 10, &arch, diags) &&
                nvrtc_compile(nvrtc, "extern \"C\" __global__ void weft_kernel(float *x) { *x += 1; }",
                              WEFT_MATH_STRICT, &arch, &code, diags);
    *took = 1e3 * (clock_seconds() - start);
    if (good)
        free(code.bytes);
    return good;
}

static void tell_archs(struct doctor *doctor, const struct nvrtc *nvrtc)
{
    char text[8 * NVRTC_MAX_ARCHS] = "";
    for (int i = 0, used = 0; i < nvrtc->arch_count && used < (int)sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " sm_%d", nvrtc->archs[i]);
    doctor_tell(doctor, "architectures", WEFT_FOUND, NULL, "%s", text + 1);
}

/* Returns whether NVRTC compiles. */
static bool tell_nvrtc(struct doctor *doctor, struct nvrtc *nvrtc, struct diags *diags)
{
    double took = 0;
    bool open = nvrtc_open(nvrtc, diags), good = open && try_nvrtc(nvrtc, &took, diags);
    if (!open && diags->first && diags->first->id == DIAG_NO_NVRTC)
        doctor_tell(doctor, "NVRTC", WEFT_ABSENT,
                    "pip install nvidia-cuda-nvrtc, or the CUDA toolkit (Debian: apt-get install "
                    "libnvrtc12); name the toolkit's directory in CUDA_HOME",
                    "libnvrtc is not found");
    else if (!good)
        doctor_tell(doctor, "NVRTC", WEFT_BROKEN, NULL, "%s", words(diags));
    else
        doctor_tell(doctor, "NVRTC", WEFT_FOUND, NULL, "%d.%d, %s, a kernel is ready after %.0f ms",
                    nvrtc->major, nvrtc->minor, nvrtc->path, took);
    if (open)
        tell_archs(doctor, nvrtc);
    return good;
}

/* ---- the driver ---- */

struct gpu {
    char name[256];
    int handle, major, minor;
    size_t bytes;
};

static bool describe(const struct cuda_driver *driver, int ordinal, struct gpu *gpu,
                     struct diags *diags)
{
    return CUDA_CALL(driver, diags, cuDeviceGet, &gpu->handle, ordinal) &&
           CUDA_CALL(driver, diags, cuDeviceGetName, gpu->name, (int)sizeof gpu->name - 1,
                     gpu->handle) &&
           CUDA_CALL(driver, diags, cuDeviceGetAttribute, &gpu->major,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu->handle) &&
           CUDA_CALL(driver, diags, cuDeviceGetAttribute, &gpu->minor,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu->handle) &&
           CUDA_CALL(driver, diags, cuDeviceTotalMem, &gpu->bytes, gpu->handle);
}

/* Reports a GPU, and how NVRTC makes code for it (NULL: NVRTC does not work). Returns whether
 * programs can run on it. */
static bool tell_device(struct doctor *doctor, const struct cuda_driver *driver, int ordinal,
                        const struct nvrtc *nvrtc, struct diags *diags)
{
    struct gpu gpu = {.handle = 0};
    struct nvrtc_arch arch = {.form = NVRTC_CUBIN};
    char label[32], by[96] = "";
    snprintf(label, sizeof label, "GPU %d", ordinal);
    if (!describe(driver, ordinal, &gpu, diags) ||
        (nvrtc && !nvrtc_device_arch(nvrtc, gpu.major, gpu.minor, &arch, diags))) {
        doctor_tell(doctor, label, WEFT_BROKEN, NULL, "%s", words(diags));
        return false;
    }
    if (arch.form == NVRTC_PTX)
        snprintf(by, sizeof by, "; by PTX for %s, since NVRTC is older", arch.name);
    doctor_tell(doctor, label, WEFT_FOUND, NULL, "%s, compute capability %d.%d, %.1f GB%s", gpu.name,
                gpu.major, gpu.minor, 1e-9 * (double)gpu.bytes, by);
    return nvrtc != NULL;
}

/* Returns whether programs can run on some GPU. */
static bool tell_devices(struct doctor *doctor, const struct nvrtc *nvrtc, struct arena *arena)
{
    bool good = false;
    struct diags diags = diags_new(arena, NULL);
    const struct cuda_driver *driver = cuda_driver_get(&diags);
    if (!driver && diags.first && diags.first->id == DIAG_CUDA_NO_GPU)
        doctor_tell(doctor, "GPU", WEFT_ABSENT,
                    "in a container, start it with its GPUs (docker run --gpus all); "
                    "CUDA_VISIBLE_DEVICES hides those that it does not name",
                    "the driver sees none");
    else if (!driver)
        doctor_tell(doctor, "GPU", WEFT_BROKEN,
                    "after the driver was upgraded the machine wants to be started again; "
                    "nvidia-smi says more",
                    "%s", words(&diags));
    for (int i = 0; driver && i < driver->devices; i++) {
        diags = diags_new(arena, NULL);
        good |= tell_device(doctor, driver, i, nvrtc, &diags);
    }
    return good;
}

static bool tell_driver(struct doctor *doctor, const struct nvrtc *nvrtc, struct arena *arena)
{
    struct cuda_driver driver;
    void *library = cuda_driver_open();
    int version = 0;
    if (!library) {
        doctor_tell(
            doctor, "driver", WEFT_ABSENT,
            "only for an NVIDIA GPU: install its driver (Debian: apt-get install nvidia-driver)",
            "libcuda.so.1 is not found");
        return false;
    }
    const char *missing = cuda_driver_find(library, &driver);
    if (missing) {
        doctor_tell(doctor, "driver", WEFT_BROKEN, "install a driver for CUDA 11.2 or newer",
                    "%s has no function %s", driver.path, missing);
        return false;
    }
    if (driver.cuDriverGetVersion(&version) != CUDA_SUCCESS)
        doctor_tell(doctor, "driver", WEFT_BROKEN, "install it again", "%s does not tell its version",
                    driver.path);
    else
        doctor_tell(doctor, "driver", WEFT_FOUND, NULL, "for CUDA %d.%d, %s", version / 1000,
                    version % 1000 / 10, driver.path);
    return tell_devices(doctor, nvrtc, arena);
}

/* ---- all of CUDA ---- */

struct question {
    struct doctor *doctor;
    struct nvrtc nvrtc;
};

static void tell_all(struct diags *diags, void *user)
{
    struct question *question = user;
    struct doctor *doctor = question->doctor;
    if (tell_driver(doctor, tell_nvrtc(doctor, &question->nvrtc, diags) ? &question->nvrtc : NULL, diags->arena))
        doctor_tell(doctor, "target", WEFT_FOUND, NULL, "programs can run on a GPU");
    else
        doctor_tell(doctor, "target", WEFT_ABSENT, NULL, "programs run on the CPU only");
}

void doctor_cuda(struct doctor *doctor)
{
    struct question question = {.doctor = doctor};
    struct cc cc;
    bool good = cc_init(&cc, doctor->params->cc, doctor->params->cflags);
    nvrtc_init(&question.nvrtc, &cc.environment);
    if (!good || guarded_call(NULL, NULL, tell_all, &question, NULL) == WEFT_OUT_OF_MEMORY)
        doctor->out_of_memory = true;
    nvrtc_finish(&question.nvrtc);
    cc_finish(&cc);
}
