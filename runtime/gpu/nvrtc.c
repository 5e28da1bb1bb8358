/* Finding and opening NVRTC, and the architectures that it knows; see nvrtc.h. */
#include "runtime/gpu/nvrtc.h"

#include "runtime/gpu/find.h"
#include "runtime/cache/cache.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding it ---- */

void nvrtc_init(struct nvrtc *nvrtc, const struct environment *environment)
{
    *nvrtc = (struct nvrtc){.environment = environment};
    pthread_mutex_init(&nvrtc->mutex, NULL);
}

void nvrtc_finish(struct nvrtc *nvrtc)
{
    free(nvrtc->path);
    free(nvrtc->identity);
    pthread_mutex_destroy(&nvrtc->mutex);
}

/* The path, searched for until it is found; NULL: not found. The mutex must be held. */
static const char *find(struct nvrtc *nvrtc)
{
    char path[PATH_MAX];
    if (!nvrtc->path && cuda_find(nvrtc->environment, CUDA_LIBRARY, "libnvrtc.so*", path))
        nvrtc->path = strdup(path);
    return nvrtc->path;
}

char *nvrtc_identity(struct nvrtc *nvrtc)
{
    pthread_mutex_lock(&nvrtc->mutex);
    const char *path = find(nvrtc);
    char *identity = NULL;
    if (nvrtc->open)
        identity = nvrtc->identity ? strdup(nvrtc->identity) : NULL;
    else if (path)
        identity = file_identity(path);
    pthread_mutex_unlock(&nvrtc->mutex);
    return identity;
}

/* ---- opening it ---- */

/* For installations that only the dynamic linker's cache leads to. */
static void *open_by_name(void)
{
    static const char *const names[] = {"libnvrtc.so.15", "libnvrtc.so.14", "libnvrtc.so.13",
                                        "libnvrtc.so.12", "libnvrtc.so.11.2"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = library_open(names[i]);
    return library;
}

/* Opens NVRTC's second library, which NVRTC opens by name; the toolkit's copy does not look beside
 * itself. A library that is already open is found by its name. If this fails, NVRTC itself reports it. */
static void open_builtins(const struct nvrtc *nvrtc)
{
    char path[PATH_MAX + 64];
    int length = (int)(strrchr(nvrtc->path, '/') - nvrtc->path);
    snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", length, nvrtc->path, nvrtc->major,
             nvrtc->minor);
    library_open(path);
}

static const char *find_functions(struct nvrtc *nvrtc, void *library)
{
    static const struct library_function functions[] = {
#define FUNCTION(field, arguments) {offsetof(struct nvrtc, field), "nvrtc" #field, false},
        NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    return library_find(library, functions, sizeof functions / sizeof *functions, nvrtc);
}

static int rising(const void *a, const void *b)
{
    const int *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static bool ask(struct nvrtc *nvrtc)
{
    int count = 0;
    if (nvrtc->Version(&nvrtc->major, &nvrtc->minor) != 0 ||
        nvrtc->GetNumSupportedArchs(&count) != 0 || count < 1 || count > NVRTC_MAX_ARCHS ||
        nvrtc->GetSupportedArchs(nvrtc->archs) != 0)
        return false;
    nvrtc->arch_count = count;
    qsort(nvrtc->archs, (size_t)count, sizeof *nvrtc->archs, rising);
    return true;
}

/* The mutex must be held. The library stays open, since closing it would free nothing that matters. */
static bool open_library(struct nvrtc *nvrtc, struct diags *diags)
{
    void *library = find(nvrtc) ? library_open(nvrtc->path) : open_by_name();
    if (!library && nvrtc->path)
        return diag_at(diags, DIAG_NVRTC_BROKEN, NULL, 0, nvrtc->path, dlerror());
    if (!library)
        return diag_at(diags, DIAG_NO_NVRTC, NULL, 0);
    if (!nvrtc->path && !(nvrtc->path = strdup(library_path(library))))
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    const char *missing = find_functions(nvrtc, library);
    if (missing)
        return diag_at(diags, DIAG_NVRTC_OLD, NULL, 0, nvrtc->path, missing);
    if (!ask(nvrtc))
        return diag_at(diags, DIAG_NVRTC_BROKEN, NULL, 0, nvrtc->path, "it does not tell what it is");
    open_builtins(nvrtc);
    nvrtc->identity = file_identity(nvrtc->path);
    nvrtc->open = true;
    return true;
}

bool nvrtc_open(struct nvrtc *nvrtc, struct diags *diags)
{
    pthread_mutex_lock(&nvrtc->mutex);
    bool good = nvrtc->open || open_library(nvrtc, diags);
    pthread_mutex_unlock(&nvrtc->mutex);
    return good;
}

/* ---- architectures ---- */

/* The newest architecture that it knows up to `wanted`; 0: none. */
static int newest_arch(const struct nvrtc *nvrtc, int wanted)
{
    int newest = 0;
    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] <= wanted)
            newest = nvrtc->archs[i];
    return newest;
}

/* "sm_75, sm_80" */
static const char *list_archs(const struct nvrtc *nvrtc, struct arena *arena)
{
    struct buf known = buf_new(arena);
    for (int i = 0; i < nvrtc->arch_count; i++)
        buf_printf(&known, "%ssm_%d", i ? ", " : "", nvrtc->archs[i]);
    return known.text;
}

bool nvrtc_device_arch(const struct nvrtc *nvrtc, int major, int minor, struct nvrtc_arch *arch,
                       struct diags *diags)
{
    int wanted = 10 * major + minor, newest = newest_arch(nvrtc, wanted);
    *arch = (struct nvrtc_arch){.form = newest == wanted ? NVRTC_CUBIN : NVRTC_PTX};
    snprintf(arch->name, sizeof arch->name, "sm_%d", wanted);
    if (!newest)
        return diag_at(diags, DIAG_CUDA_OLD_GPU, NULL, 0, arch->name, nvrtc->major, nvrtc->minor,
                       nvrtc->path, list_archs(nvrtc, diags->arena));
    if (arch->form == NVRTC_PTX)
        snprintf(arch->name, sizeof arch->name, "compute_%d", newest);
    return true;
}

bool nvrtc_named_arch(const struct nvrtc *nvrtc, const char *name, enum nvrtc_form form,
                      struct nvrtc_arch *arch, struct diags *diags)
{
    *arch = (struct nvrtc_arch){.form = form};
    if (strncmp(name, "sm_", 3) != 0 || atoi(name + 3) < 1 || newest_arch(nvrtc, atoi(name + 3)) != atoi(name + 3))
        return diag_at(diags, DIAG_NVRTC_ARCH, NULL, 0, name, nvrtc->major, nvrtc->minor, nvrtc->path,
                       list_archs(nvrtc, diags->arena));
    snprintf(arch->name, sizeof arch->name, "%s_%.8s", form == NVRTC_PTX ? "compute" : "sm", name + 3);
    return true;
}
