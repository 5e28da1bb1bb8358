/* weft_doctor: NVRTC and the CUDA driver, both opened at run time and never linked. A library stays
 * open: the driver does not bear being unloaded. */
#include "runtime/doctor.h"

#include "runtime/identity.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NVRTC ---- */

/* A directory: a variable's value (NULL: nothing) and a pattern of glob. */
struct place {
    const char *variable, *pattern;
};

/* What somebody named. */
static const struct place named_places[] = {
    {"CUDA_HOME", "/lib*"},
    {"CUDA_HOME", "/targets/*/lib"},
    {"CUDA_PATH", "/lib*"},
};

/* Where the toolkit and pip put libraries that the dynamic linker does not look for. */
static const struct place usual_places[] = {
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"CONDA_PREFIX", "/lib"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/local/cuda*/lib*"},
    {NULL, "/opt/cuda/lib*"},
    {NULL, "/usr/local/lib/python3*/*-packages/nvidia/*/lib"},
    {NULL, "/usr/lib/python3*/*-packages/nvidia/*/lib"},
};

/* The first of the files `pattern` finds, the highest names first, that can be opened. */
static void *open_matching(const char *directory, const char *pattern)
{
    char whole[2 * PATH_MAX];
    glob_t found;
    void *library = NULL;
    int length = snprintf(whole, sizeof whole, "%s%s/libnvrtc.so*", directory, pattern);
    if (length >= (int)sizeof whole || glob(whole, 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = found.gl_pathc; !library && i > 0; i--)
        library = dlopen(found.gl_pathv[i - 1], RTLD_LAZY | RTLD_LOCAL);
    globfree(&found);
    return library;
}

/* The packages of the Python that is first in PATH. */
static void *open_beside_python(void)
{
    char path[PATH_MAX], real[PATH_MAX], *end;
    struct stat status;
    if (!program_find(getenv("PATH"), "python3", path, &status) || !realpath(path, real))
        return NULL;
    for (int i = 0; i < 2; i++)
        if ((end = strrchr(real, '/')))
            *end = '\0';
    return open_matching(real, "/lib/python3*/*-packages/nvidia/*/lib");
}

static void *open_in(const struct place *places, size_t count)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < count; i++) {
        const char *directory = places[i].variable ? getenv(places[i].variable) : "";
        if (directory && (*directory || !places[i].variable))
            library = open_matching(directory, places[i].pattern);
    }
    return library;
}

static void *open_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    void *library = open_in(named_places, sizeof named_places / sizeof *named_places);
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = open_in(usual_places, sizeof usual_places / sizeof *usual_places);
    return library ? library : open_beside_python();
}

static const char *library_path(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}

static void tell_nvrtc(struct doctor *doctor)
{
    void *library = open_nvrtc();
    int (*version)(int *major, int *minor) = NULL;
    int major = 0, minor = 0;
    if (!library) {
        doctor_tell(doctor, "NVRTC", WEFT_ABSENT,
                    "pip install nvidia-cuda-nvrtc, or the CUDA toolkit (Debian: apt-get install "
                    "libnvrtc12); name the toolkit's directory in CUDA_HOME",
                    "libnvrtc is not found");
        return;
    }
    *(void **)&version = dlsym(library, "nvrtcVersion");
    if (version && version(&major, &minor) == 0)
        doctor_tell(doctor, "NVRTC", WEFT_FOUND, NULL, "%d.%d, %s", major, minor,
                    library_path(library));
    else
        doctor_tell(doctor, "NVRTC", WEFT_BROKEN, "install it again", "%s does not say its version",
                    library_path(library));
}

/* ---- the driver ---- */

/* Its functions, in the driver's own types: int for CUresult and CUdevice. */
struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*memory)(size_t *bytes, int device);
    int (*error_name)(int error, const char **name);
};

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, NO_DEVICE = 100 }; /* of cuda.h */

static bool find_functions(void *library, struct driver *driver)
{
    *(void **)&driver->init = dlsym(library, "cuInit");
    *(void **)&driver->version = dlsym(library, "cuDriverGetVersion");
    *(void **)&driver->count = dlsym(library, "cuDeviceGetCount");
    *(void **)&driver->get = dlsym(library, "cuDeviceGet");
    *(void **)&driver->name = dlsym(library, "cuDeviceGetName");
    *(void **)&driver->attribute = dlsym(library, "cuDeviceGetAttribute");
    *(void **)&driver->memory = dlsym(library, "cuDeviceTotalMem_v2");
    *(void **)&driver->error_name = dlsym(library, "cuGetErrorName");
    return driver->init && driver->version && driver->count && driver->get && driver->name &&
           driver->attribute && driver->memory && driver->error_name;
}

static void tell_device(struct doctor *doctor, const struct driver *driver, int ordinal)
{
    char name[256] = "", label[32];
    int device = 0, major = 0, minor = 0;
    size_t bytes = 0;
    snprintf(label, sizeof label, "GPU %d", ordinal);
    int error = driver->get(&device, ordinal);
    if (!error)
        error = driver->name(name, sizeof name, device);
    if (!error)
        error = driver->attribute(&major, CAPABILITY_MAJOR, device);
    if (!error)
        error = driver->attribute(&minor, CAPABILITY_MINOR, device);
    if (!error)
        error = driver->memory(&bytes, device);
    if (error)
        doctor_tell(doctor, label, WEFT_BROKEN, NULL, "the driver cannot describe it (error %d)",
                    error);
    else
        doctor_tell(doctor, label, WEFT_FOUND, NULL, "%s, compute capability %d.%d, %.1f GB", name,
                    major, minor, 1e-9 * (double)bytes);
}

static void tell_devices(struct doctor *doctor, const struct driver *driver)
{
    int error = driver->init(0), count = 0;
    const char *name = NULL;
    if (!error)
        error = driver->count(&count);
    if (!error && count == 0)
        error = NO_DEVICE;
    for (int i = 0; !error && i < count; i++)
        tell_device(doctor, driver, i);
    if (error == NO_DEVICE)
        doctor_tell(doctor, "GPU", WEFT_ABSENT,
                    "in a container, start it with its GPUs (docker run --gpus all); "
                    "CUDA_VISIBLE_DEVICES hides those that it does not name",
                    "the driver sees none");
    else if (error)
        doctor_tell(doctor, "GPU", WEFT_BROKEN,
                    "after the driver was upgraded the machine wants to be started again; "
                    "nvidia-smi says more",
                    "the driver does not start: %s (error %d)",
                    driver->error_name(error, &name) == 0 && name ? name : "unknown", error);
}

static void tell_driver(struct doctor *doctor)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so",
                                        "/usr/lib/wsl/lib/libcuda.so.1"};
    struct driver driver;
    void *library = NULL;
    int version = 0;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        doctor_tell(
            doctor, "driver", WEFT_ABSENT,
            "only for an NVIDIA GPU: install its driver (Debian: apt-get install nvidia-driver)",
            "libcuda.so.1 is not found");
        return;
    }
    if (!find_functions(library, &driver) || driver.version(&version) != 0) {
        doctor_tell(doctor, "driver", WEFT_BROKEN, "install it again", "%s lacks functions",
                    library_path(library));
        return;
    }
    doctor_tell(doctor, "driver", WEFT_FOUND, NULL, "for CUDA %d.%d, %s", version / 1000,
                version % 1000 / 10, library_path(library));
    tell_devices(doctor, &driver);
}

void doctor_cuda(struct doctor *doctor)
{
    doctor_tell(doctor, "target", WEFT_ABSENT, NULL, "this version runs on the CPU only");
    tell_nvrtc(doctor);
    tell_driver(doctor);
}
