/* The table of kernels in memory; see kernels.h. Each text is compiled once, however many threads
 * ask for it, and a second time if its first kernel came from libtcc. */
#include "runtime/kernels/tiers_impl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* One character for how and for which GPU the text is compiled, then the text without comments and
 * #line. So programs that differ only in names and literals share a kernel. */
static char *make_key(const struct kernel_request *request)
{
    const char *text = request->text;
    char *key = malloc(strlen(text) + 2), *to = key;
    bool fast = request->math == WEFT_MATH_FAST;
    if (!key)
        return NULL;
    *to++ = request->device ? (char)(128 + 2 * request->device->ordinal + fast) : fast ? 'f' : 's';
    while (*text) {
        if (text[0] == '/' && text[1] == '*')
            text = strstr(text + 2, "*/") + 2;
        else if (*text == '#' && strncmp(text, "#line ", 6) == 0)
            text += strcspn(text, "\n");
        else
            *to++ = *text++;
    }
    *to = '\0';
    return key;
}

static struct loaded **bucket_of(struct weft_context *context, const char *key)
{
    return &context->buckets[XXH3_64bits(key, strlen(key)) % (sizeof context->buckets / sizeof *context->buckets)];
}

static void free_entry(struct loaded *entry)
{
    if (entry->handle)
        dlclose(entry->handle);
    if (entry->module)
        cuda_unload(entry->device, entry->module);
    first_release(&entry->first);
    free(entry->key);
    free(entry->label);
    free(entry);
}

/* Moves a new kernel into the entry. The mutex must be held. */
static void adopt(struct loaded *entry, const struct made *made)
{
    entry->handle = made->handle ? made->handle : entry->handle;
    entry->first = made->first.memory ? made->first : entry->first;
    entry->module = made->module;
    entry->function = made->function;
    atomic_store(&entry->run, made->run);
    atomic_store(&entry->final, made->final);
    double first = entry->info.first_seconds;
    entry->info = made->info;
    entry->info.first_seconds = first > 0 ? first : made->info.first_seconds;
}

/* Ends what was pending, and wakes the waiting threads. A failed entry is removed from the table, so that the next call
 * tries again; the last thread that waits for it frees it. Returns the entry if it is good. */
static struct loaded *end(struct weft_context *context, struct loaded *entry, bool good, const struct made *made)
{
    struct loaded **bucket = bucket_of(context, entry->key);
    entry->state = good ? LOADED_READY : LOADED_FAILED;
    pthread_cond_broadcast(&context->changed);
    if (good) {
        adopt(entry, made);
        if (!entry->final && !entry->later)
            worker_add(context, entry);
        return entry;
    }
    while (*bucket != entry)
        bucket = &(*bucket)->next;
    *bucket = entry->next;
    if (entry->waiting == 0)
        free_entry(entry);
    return NULL;
}

/* Makes the kernel without holding the mutex. */
static struct loaded *build(struct weft_context *context, struct loaded *entry, const struct kernel_request *request,
                            struct diags *diags)
{
    struct made made;
    entry->queued = false;
    pthread_mutex_unlock(&context->mutex);
    const bool good = tiers_make(context, entry->key + 1, request, diags, &made);
    pthread_mutex_lock(&context->mutex);
    return end(context, entry, good, &made);
}

void kernels_work(struct weft_context *context, struct loaded *entry)
{
    struct made made;
    if (!entry->queued) {
        kernels_improve(context, entry);
        return;
    }
    entry->queued = false;
    pthread_mutex_unlock(&context->mutex);
    const bool good = tiers_improve(context, entry->key + 1, entry->label, entry->math, false, &made);
    pthread_mutex_lock(&context->mutex);
    end(context, entry, good, &made);
}

void kernels_improve(struct weft_context *context, struct loaded *entry)
{
    struct made made;
    entry->building = true;
    pthread_mutex_unlock(&context->mutex);
    bool good = tiers_improve(context, entry->key + 1, entry->label, entry->math, true, &made);
    pthread_mutex_lock(&context->mutex);
    entry->building = false;
    if (good)
        adopt(entry, &made);
    if (good && made.info.origin == WEFT_FROM_COMPILER)
        atomic_store(&context->compiled, (int64_t)(made.info.seconds * 1e9));
    atomic_store(&entry->final, true);
    pthread_cond_broadcast(&context->changed);
}

/* Waits while a thread makes the kernel. False: look again. */
static bool await(struct weft_context *context, struct loaded *entry)
{
    entry->waiting++;
    while (entry->state == LOADED_PENDING && !entry->queued)
        pthread_cond_wait(&context->changed, &context->mutex);
    const bool ready = entry->state == LOADED_READY, failed = entry->state == LOADED_FAILED;
    if (--entry->waiting == 0 && failed)
        free_entry(entry);
    return ready;
}

static struct loaded *look_up(struct weft_context *context, const char *key)
{
    struct loaded *entry = *bucket_of(context, key);
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

/* The entry for this key, ready or queued; NULL: there is none. If its maker fails while this thread waits, it
 * looks again, and so makes the kernel itself and gets a diagnostic of its own. */
static struct loaded *find(struct weft_context *context, const char *key)
{
    for (;;) {
        struct loaded *entry = look_up(context, key);
        if (!entry || entry->queued || entry->state == LOADED_READY || await(context, entry))
            return entry;
    }
}

/* Adds a pending entry, which gets the key. NULL: there is no memory. */
static struct loaded *add(struct weft_context *context, char *key, const struct kernel_request *request)
{
    struct loaded *entry = calloc(1, sizeof *entry), **bucket = bucket_of(context, key);
    if (!entry) {
        free(key);
        return NULL;
    }
    *entry = (struct loaded){.next = *bucket, .key = key, .math = request->math, .device = request->device,
                             .later = request->later, .label = request->label ? strdup(request->label) : NULL};
    *bucket = entry;
    return entry;
}

/* Has the good kernel made after all, if it was put off. The mutex must be held. */
static void hasten(struct weft_context *context, struct loaded *entry)
{
    if (!atomic_exchange(&entry->later, false) || entry->state != LOADED_READY || entry->final)
        return;
    worker_add(context, entry);
}

/* Waits for the thread that makes the good kernel, or makes it here. The mutex must be held. */
static void settle(struct weft_context *context, struct loaded *entry)
{
    while (!entry->final)
        if (entry->building) {
            pthread_cond_wait(&context->changed, &context->mutex);
        } else {
            worker_remove(context, entry);
            kernels_improve(context, entry);
        }
}

static struct loaded *get(struct weft_context *context, char *key,
                          const struct kernel_request *request, struct diags *diags,
                          struct weft_kernel_info *info)
{
    struct loaded *entry = find(context, key);
    if (entry && !entry->queued) {
        free(key);
        if (request->wait)
            settle(context, entry);
        else if (!request->later)
            hasten(context, entry);
        if (entry->begun)
            *info = entry->info;
        entry->begun = false;
        return entry;
    }
    if (entry) {
        free(key);
        worker_remove(context, entry);
    } else if (!(entry = add(context, key, request))) {
        return diag_no_memory(diags);
    }
    entry->begun = false;
    entry = build(context, entry, request, diags);
    if (entry)
        *info = entry->info;
    return entry;
}

bool kernels_begin(struct weft_context *context, const struct kernel_request *request)
{
    char *key = request->device || context->keep || !tiers_wait(context, request) ? NULL : make_key(request);
    struct made made;
    struct diags diags = {.arena = NULL}; /* what is on disk needs none */
    if (!key)
        return false;
    pthread_mutex_lock(&context->mutex);
    const bool known = look_up(context, key);
    struct loaded *entry = known ? NULL : add(context, key, request);
    if (!entry) {
        pthread_mutex_unlock(&context->mutex);
        if (known)
            free(key);
        return true;
    }
    entry->begun = true;
    pthread_mutex_unlock(&context->mutex);
    const bool found = tiers_find(context, entry->key + 1, request, &diags, &made);
    pthread_mutex_lock(&context->mutex);
    if (found) {
        end(context, entry, true, &made);
    } else {
        entry->queued = true;
        pthread_cond_broadcast(&context->changed); /* whoever waits for it may make it */
        worker_add(context, entry);
    }
    pthread_mutex_unlock(&context->mutex);
    return true;
}

struct loaded *kernels_get(struct weft_context *context, const struct kernel_request *request,
                           struct diags *diags, struct weft_kernel_info *info)
{
    char *key = make_key(request);
    *info = (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
    if (!key)
        return diag_no_memory(diags);
    pthread_mutex_lock(&context->mutex);
    struct loaded *entry = get(context, key, request, diags, info);
    pthread_mutex_unlock(&context->mutex);
    return entry;
}

void kernels_settle(struct weft_context *context, struct loaded *loaded,
                    struct weft_kernel_info *info)
{
    pthread_mutex_lock(&context->mutex);
    settle(context, loaded);
    if (info->origin == WEFT_FROM_FIRST)
        *info = loaded->info;
    pthread_mutex_unlock(&context->mutex);
}

enum {
    USUAL_MILLISECONDS = 100,      /* of the compiler for a kernel, before it has made one */
    FIRST_CALLS = 10,              /* calls of a kernel that are expected */
    USED_PART = 16                 /* parts of its time, of which a kernel that was put off may use one */
};

/* Nanoseconds that the compiler takes for a kernel. */
static int64_t usual(const struct weft_context *context)
{
    const int64_t known = atomic_load(&context->compiled);
    return known ? known : USUAL_MILLISECONDS * INT64_C(1000000);
}

bool kernels_pay(const struct weft_context *context, double first)
{
    return first * FIRST_CALLS > (double)usual(context);
}

void kernels_count(struct weft_context *context, struct loaded *loaded, double seconds)
{
    const int64_t now = (int64_t)(seconds * 1e9), used = atomic_fetch_add(&loaded->used, now) + now;
    if (!atomic_load(&loaded->later) || used < usual(context) / USED_PART)
        return;
    pthread_mutex_lock(&context->mutex);
    hasten(context, loaded);
    pthread_mutex_unlock(&context->mutex);
}

void kernels_wait_used(struct weft_context *context, struct loaded *loaded)
{
    struct weft_kernel_info info = {.origin = WEFT_FROM_MEMORY};
    if (!atomic_load(&loaded->final) && atomic_load(&loaded->used) >= usual(context))
        kernels_settle(context, loaded, &info);
}

void kernels_abandon(struct weft_context *context)
{
    for (size_t i = 0; i < sizeof context->buckets / sizeof *context->buckets; i++)
        for (struct loaded **at = &context->buckets[i]; *at;) {
            struct loaded *entry = *at;
            if (entry->state == LOADED_PENDING) {
                worker_remove(context, entry);
                *at = entry->next;
                free_entry(entry);
                continue;
            }
            if (entry->building)
                worker_requeue(context, entry);
            entry->building = false;
            at = &entry->next;
        }
}

void kernels_finish(struct weft_context *context)
{
    for (size_t i = 0; i < sizeof context->buckets / sizeof *context->buckets; i++)
        for (struct loaded *entry = context->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            free_entry(entry);
        }
}
