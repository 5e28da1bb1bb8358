/* Kernels in memory: a table in the context, each text compiled once however many threads ask. */
#include "runtime/internal.h"

#include "runtime/kernels.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The text without comments, behind a letter for how it is compiled: programs that differ in names
 * and in the values of literals share a kernel. */
static char *make_key(const char *text, enum weft_math math)
{
    char *key = malloc(strlen(text) + 2), *to = key;
    if (!key)
        return NULL;
    *to++ = math == WEFT_MATH_FAST ? 'f' : 's';
    while (*text) {
        if (text[0] == '/' && text[1] == '*')
            text = strstr(text + 2, "*/") + 2;
        else
            *to++ = *text++;
    }
    *to = '\0';
    return key;
}

static unsigned hash(const char *key)
{
    uint64_t h = 1469598103934665603u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211u;
    return (unsigned)(h ^ h >> 32) % 256;
}

static void compile(struct weft_context *context, struct loaded *entry, const char *text,
                    enum weft_math math, struct diags *diags)
{
    entry->handle = cc_load(&context->cc, text, math, diags);
    if (entry->handle)
        *(void **)&entry->run = dlsym(entry->handle, "weft_kernel");
    if (entry->handle && !entry->run)
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, "it has no entry");
}

static void unlink_entry(struct loaded **bucket, struct loaded *entry)
{
    while (*bucket != entry)
        bucket = &(*bucket)->next;
    *bucket = entry->next;
}

static void free_entry(struct loaded *entry)
{
    if (entry->handle)
        dlclose(entry->handle);
    free(entry->key);
    free(entry);
}

/* Compiles outside the lock and tells the others. A failed entry leaves the table, so that the next
 * call tries again; the last thread that waited for it frees it. */
static const struct loaded *build(struct weft_context *context, struct loaded **bucket,
                                  struct loaded *entry, const char *text, enum weft_math math,
                                  struct diags *diags)
{
    pthread_mutex_unlock(&context->mutex);
    compile(context, entry, text, math, diags);
    pthread_mutex_lock(&context->mutex);
    entry->state = entry->run ? LOADED_READY : LOADED_FAILED;
    pthread_cond_broadcast(&context->changed);
    if (entry->run)
        return entry;
    unlink_entry(bucket, entry);
    if (entry->waiting == 0)
        free_entry(entry);
    return NULL;
}

static bool await(struct weft_context *context, struct loaded *entry)
{
    entry->waiting++;
    while (entry->state == LOADED_PENDING)
        pthread_cond_wait(&context->changed, &context->mutex);
    bool ready = entry->state == LOADED_READY;
    if (--entry->waiting == 0 && !ready)
        free_entry(entry);
    return ready;
}

static const struct loaded *get(struct weft_context *context, char *key, const char *text,
                                enum weft_math math, struct diags *diags, bool *compiled)
{
    struct loaded **bucket = &context->buckets[hash(key)], *entry;
    for (;;) {
        for (entry = *bucket; entry && strcmp(entry->key, key) != 0; entry = entry->next)
            ;
        if (!entry)
            break;
        /* One that failed while we waited is tried again by us, for a diagnostic of our own. */
        if (entry->state == LOADED_READY || await(context, entry)) {
            free(key);
            return entry;
        }
    }
    entry = calloc(1, sizeof *entry);
    if (!entry) {
        free(key);
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        return NULL;
    }
    *entry = (struct loaded){.next = *bucket, .key = key};
    *bucket = entry;
    *compiled = true;
    return build(context, bucket, entry, text, math, diags);
}

const struct loaded *kernels_get(struct weft_context *context, const char *text, enum weft_math math,
                                 struct diags *diags, struct weft_kernel_info *info)
{
    double start = seconds();
    bool compiled = false;
    char *key = make_key(text, math);
    if (!key) {
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        return NULL;
    }
    pthread_mutex_lock(&context->mutex);
    const struct loaded *entry = get(context, key, text, math, diags, &compiled);
    pthread_mutex_unlock(&context->mutex);
    *info = (struct weft_kernel_info){compiled ? WEFT_FROM_COMPILER : WEFT_FROM_MEMORY,
                                      seconds() - start, 1};
    return entry;
}

/* Unloads everything; no thread uses the context any more. */
void kernels_finish(struct weft_context *context)
{
    for (size_t i = 0; i < sizeof context->buckets / sizeof *context->buckets; i++)
        while (context->buckets[i]) {
            struct loaded *entry = context->buckets[i];
            context->buckets[i] = entry->next;
            free_entry(entry);
        }
}
