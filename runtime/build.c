/* Making one kernel, wherever from. Knows nothing of the table in memory (kernels.c), so that any
 * thread may call it. */
#include "runtime/build.h"

#include "runtime/cache.h"

#include <dlfcn.h>
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
    char *identity = compiler_identity(&context->cc);
    bool good = probe(context, identity, cc, diags);
    free(identity);
    return good;
}

void *build_from_disk(struct weft_context *context, const char *key, enum weft_math math)
{
    struct cache_key disk = {.material = NULL};
    void *handle = NULL;
    bool keep;
    char *identity = context->cache ? compiler_identity(&context->cc) : NULL;
    if (identity && cache_key_init(&disk, &context->cc, identity, key, math))
        handle = cache_find(context->cache, &disk, false, &keep);
    cache_key_finish(&disk);
    free(identity);
    return handle;
}

/* To the log and not to the call's diagnostics: a result is not less good for it. Kept until the call
 * ends: this may be the worker's thread, and other threads wait for the kernel. */
static void note_once(struct weft_context *context, int problem)
{
    struct arena arena;
    struct diags diags;
    jmp_buf env;
    if (!context->log || atomic_flag_test_and_set(&context->noted))
        return;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, NULL);
        diag_at(&diags, DIAG_CACHE_UNUSED, NULL, 0, context->cache, cache_problem(problem));
        keep_untold(context, &diags);
    }
    arena_finish(&arena);
}

/* A kernel that the loader took is kept, unless the compiler has changed under it. */
static void publish(struct weft_context *context, const struct cache_key *disk, const struct cc *cc,
                    const char *identity, int image)
{
    char *after = compiler_identity(cc);
    bool same = after && strcmp(after, identity) == 0;
    free(after);
    if (same && !cache_publish(context->cache, disk, image, cc->version, context->cache_cap))
        note_once(context, errno);
}

static void *compile(struct weft_context *context, const struct cache_key *disk, const char *identity,
                     const char *text, enum weft_math math, bool keep, struct diags *diags)
{
    struct cc cc;
    int image = -1;
    if (!probe(context, identity, &cc, diags))
        return NULL;
    void *handle = cc_load(&cc, text, math, disk->digest, &image, diags);
    if (handle && !dlsym(handle, "weft_kernel")) {
        dlclose(handle);
        handle = NULL;
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, "it has no entry");
    }
    if (handle && identity && context->cache && !keep)
        publish(context, disk, &cc, identity, image);
    if (image >= 0)
        close(image);
    return handle;
}

void *build_kernel(struct weft_context *context, const char *key, const char *text,
                   enum weft_math math, struct diags *diags, enum weft_kernel_origin *origin)
{
    struct cache_key disk;
    int lock = -1;
    bool keep = false;
    void *handle = NULL;
    char *identity = compiler_identity(&context->cc);
    if (!cache_key_init(&disk, &context->cc, identity ? identity : "", key, math))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    else {
        *origin = WEFT_FROM_DISK;
        if (identity && context->cache && !(handle = cache_find(context->cache, &disk, false, &keep)))
            handle = cache_wait(context->cache, &disk, &context->running.cancelled, &lock, &keep);
        if (!handle) {
            *origin = WEFT_FROM_COMPILER;
            handle = compile(context, &disk, identity, text, math, keep, diags);
        }
        cache_unlock(lock);
    }
    cache_key_finish(&disk);
    free(identity);
    return handle;
}
