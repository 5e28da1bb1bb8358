/* Making one kernel from the disk or with a compiler; see build.h. This file knows nothing of the table in memory
 * (kernels.c), so any thread may call it. */
#include "runtime/kernels/build.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool probe(struct weft_context *context, const char *identity, struct cc *cc,
                  struct diags *diags)
{
    pthread_mutex_lock(&context->cc_mutex);
    bool good = cc_probe(&context->cc, identity, diags);
    *cc = context->cc;
    pthread_mutex_unlock(&context->cc_mutex);
    return good;
}

bool build_compiler(struct weft_context *context, struct cc *cc, struct diags *diags)
{
    char *identity = cc_identity(&context->cc);
    bool good = probe(context, identity, cc, diags);
    free(identity);
    return good;
}

/* ---- kernels in C and for GPUs ---- */

/* The identity of the compiler that would make it; NULL: unknown, so the disk cannot be used. */
static char *identity_of(const struct build *build)
{
    return build->device ? nvrtc_identity(&build->context->nvrtc)
                         : cc_identity(&build->context->cc);
}

static bool key_of(const struct build *build, const char *identity, struct cache_key *key)
{
    return build->device ? cuda_key_init(key, build->device, identity, build->key, build->math)
                         : cc_key_init(key, &build->context->cc, identity, build->key, build->math);
}

/* A compiler's output, to be kept on disk. */
struct output {
    struct image image;
    char note[128];                /* the compiler's version, in a line */
};

static void *compile_c(const struct build *build, const struct cache_key *disk, const char *identity,
                       struct output *output, struct diags *diags)
{
    static const char *const suffixes[] = {"c", "so"};
    struct cc cc;
    struct kept kept;
    if (!probe(build->context, identity, &cc, diags))
        return NULL;
    snprintf(output->note, sizeof output->note, "%s", cc.version);
    bool keep = keep_files(&kept, build->context->keep, build->entry, disk->name, suffixes);
    void *handle = cc_load(&cc, build->text, build->math, disk->digest, keep ? &kept : NULL,
                           &output->image.fd, diags);
    if (handle && !dlsym(handle, build->entry)) {
        dlclose(handle);
        handle = NULL;
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, "it has no entry");
    }
    return handle;
}

/* The text with line numbers of its kept source, from malloc. NULL: it cannot be kept, or its path would need
 * escapes. */
static char *keep_source(const struct build *build, const struct kept *kept, struct diags *diags)
{
    char *text = NULL;
    bool good = keep_write(kept->source, build->text, strlen(build->text), diags) &&
                !strpbrk(kept->source, "\"\\\n") &&
                asprintf(&text, "#line 1 \"%s\"\n%s", kept->source, build->text) >= 0;
    return good ? text : NULL;
}

static void *compile_cuda(const struct build *build, const struct cache_key *disk, struct output *output,
                          struct diags *diags)
{
    static const char *const suffixes[] = {"cu", "cubin"};
    struct nvrtc *nvrtc = &build->context->nvrtc;
    struct kept kept;
    bool keep = keep_files(&kept, build->context->keep, build->entry, disk->name, suffixes);
    char *text = keep ? keep_source(build, &kept, diags) : NULL;
    void *module = cuda_compile(nvrtc, build->device, text ? text : build->text, build->math,
                                &output->image, diags);
    if (module)
        snprintf(output->note, sizeof output->note, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    if (module && keep)
        keep_write(kept.binary, output->image.bytes, output->image.size, diags);
    free(text);
    return module;
}

/* ---- the disk ---- */

void *build_from_disk(const struct build *build)
{
    struct cache_key disk = {.material = NULL};
    void *handle = NULL;
    bool keep;
    char *identity = build->context->cache ? identity_of(build) : NULL;
    if (identity && key_of(build, identity, &disk))
        handle = cache_find(build->context->cache, &disk, false, &keep);
    cache_key_finish(&disk);
    free(identity);
    return handle;
}

/* Keeps a kernel that was loaded, unless the compiler's file has changed meanwhile. That the disk cannot be used is
 * noted once for a context. */
static void publish(const struct build *build, const struct cache_key *disk, const char *identity,
                    const struct output *output, struct diags *diags)
{
    struct weft_context *context = build->context;
    char *after = identity_of(build);
    bool same = after && strcmp(after, identity) == 0;
    free(after);
    const char *note = build->label ? arena_printf(diags->arena, "%s\n%s", output->note, build->label) : output->note;
    int where;
    if (same && !cache_publish(context->cache, disk, &output->image, note, context->cache_cap, &where) &&
        context->log.tell && !atomic_flag_test_and_set(&context->noted)) {
        const char *problem = cache_problem(errno);
        const char *below = where ? arena_printf(diags->arena, "/%.2s%s%s%s", disk->name, where > 1 ? "/" : "",
                                                 where > 1 ? disk->name : "", where > 1 ? disk->suffix : "")
                                  : "";
        diag_at(diags, DIAG_CACHE_UNUSED, NULL, 0, arena_printf(diags->arena, "%s%s", context->cache, below), problem);
    }
}

static void *compile(const struct build *build, const struct cache_key *disk, const char *identity,
                     bool keep, struct diags *diags)
{
    struct output output = {.image = {.fd = -1}};
    void *handle = build->device ? compile_cuda(build, disk, &output, diags)
                                 : compile_c(build, disk, identity, &output, diags);
    if (handle && identity && build->context->cache && !keep)
        publish(build, disk, identity, &output, diags);
    if (output.image.fd >= 0)
        close(output.image.fd);
    free(output.image.bytes);
    return handle;
}

void *build_kernel(const struct build *build, struct diags *diags, enum weft_kernel_origin *origin)
{
    const char *cache = build->context->cache;
    struct cache_key disk;
    int lock = -1;
    bool keep = false;
    void *handle = NULL;
    char *identity = identity_of(build);
    if (!key_of(build, identity ? identity : "", &disk))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    else {
        *origin = WEFT_FROM_DISK;
        if (identity && cache && !(handle = cache_find(cache, &disk, false, &keep)))
            handle = cache_wait(cache, &disk, &build->context->running.cancelled, &lock, &keep);
        if (!handle) {
            *origin = WEFT_FROM_COMPILER;
            handle = compile(build, &disk, identity, keep, diags);
        }
        cache_unlock(lock);
    }
    cache_key_finish(&disk);
    free(identity);
    return handle;
}
