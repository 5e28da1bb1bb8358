/* The public functions of the disk cache: its path, listing, pruning and clearing. */
#include "runtime/base/base.h"
#include "runtime/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one call ---- */

/* A call on the cache. */
struct order {
    const char *cache;             /* names the directory, as in weft_context_params */
    void (*visit)(void *user, const struct weft_cache_entry *entry);
    void *user;
    uint64_t cap;
    bool all;                      /* whatever the cap */
    char *path;                    /* of the directory; "": none */
    int root;                      /* its descriptor; -1: there is no directory */
    struct weft_cache_removed removed;
};

static bool report(const struct order *order, int problem, struct diags *diags)
{
    return diag_at(diags, DIAG_CACHE, NULL, 0, order->path, cache_problem(problem));
}

/* Tells one of the files that are still there. */
static void report_kept(const struct order *order, struct diags *diags)
{
    const char *name = order->removed.name;
    const bool shard = strlen(name) == 2;
    diag_at(diags, DIAG_CACHE_KEPT, NULL, 0,
            arena_printf(diags->arena, "%s/%.2s%s%s", order->path, name, shard ? "" : "/", shard ? "" : name),
            cache_problem(order->removed.problem));
}

/* False with a diagnostic. */
static bool open_cache(struct order *order, struct diags *diags)
{
    order->path = cache_directory(order->cache);
    if (!order->path)
        arena_fail(diags->arena);
    order->root = *order->path ? cache_open(order->path, false) : -1;
    return order->root >= 0 || !*order->path || errno == ENOENT || report(order, errno, diags);
}

static enum weft_status perform(struct order *order, call_work *work, struct weft_error **error)
{
    int saved = errno;
    order->root = -1;
    enum weft_status status = guarded_call(NULL, NULL, work, order, error);
    if (order->root >= 0)
        close(order->root);
    free(order->path);
    errno = saved;
    return status;
}

enum weft_status weft_cache_path(const char *cache, char **path, struct weft_error **error)
{
    if (!path)
        return invalid_call(error, "weft_cache_path needs a place for the path, found NULL");
    int saved = errno;
    if (error)
        *error = NULL;
    *path = cache_directory(cache);
    errno = saved;
    return *path ? WEFT_OK : WEFT_OUT_OF_MEMORY;
}

/* ---- listing ---- */

static const char *check_file(int fd, const char *name, struct entry *entry)
{
    const char *problem = NULL;
    unsigned char digest[16];
    char right[33];
    if (entry_read(fd, entry, &problem) != ENTRY_SOUND)
        return problem;
    cache_key_name(entry->key, entry->key_size, digest, right);
    return strncmp(name, right, 32) == 0 ? NULL : "its name is not the hash of its key";
}

static bool list_closed(const struct order *order, const struct cache_file *shard)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", order->path, shard->name) >= 0) {
        order->visit(order->user, &(struct weft_cache_entry){.path = path, .key = shard->name, .compiler = "",
                                                             .problem = cache_problem(shard->problem),
                                                             .expression = ""});
        free(path);
    }
    return true;
}

static bool list_file(void *user, const struct cache_file *file)
{
    const struct order *order = user;
    struct entry entry = {.bytes = NULL};
    char *path = NULL;
    if (file->kind == CACHE_FILE_CLOSED)
        return list_closed(order, file);
    if (file->kind != CACHE_FILE_ENTRY)
        return true;
    int fd = openat(file->directory, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true; /* removed meanwhile */
    const char *problem = fd >= 0 ? check_file(fd, file->name, &entry) : cache_problem(errno);
    if (asprintf(&path, "%s/%.2s/%s", order->path, file->name, file->name) >= 0) {
        const char *note = entry.note ? entry.note : "", *label = strchr(note, '\n');
        const int length = label ? (int)(label - note) : (int)strlen(note);
        char key[33], compiler[256];
        snprintf(key, sizeof key, "%.32s", file->name);
        snprintf(compiler, sizeof compiler, "%.*s", length, note);
        order->visit(order->user, &(struct weft_cache_entry){path, key, file->size, file->used, compiler, problem,
                                                             label ? label + 1 : ""});
        free(path);
    }
    entry_finish(&entry);
    if (fd >= 0)
        close(fd);
    return true;
}

static void list(struct diags *diags, void *user)
{
    struct order *order = user;
    if (open_cache(order, diags) && order->root >= 0)
        cache_walk(order->root, list_file, order);
}

enum weft_status weft_cache_list(const char *cache,
                                 void (*visit)(void *user, const struct weft_cache_entry *entry),
                                 void *user, struct weft_error **error)
{
    if (!visit)
        return invalid_call(error, "weft_cache_list needs a function to visit entries, found NULL");
    return perform(&(struct order){.cache = cache, .visit = visit, .user = user}, list, error);
}

/* ---- removing ---- */

/* Removes all, or what is beyond the cap. It is an error if files could not be removed. */
static void remove_files(struct diags *diags, void *user)
{
    struct order *order = user;
    uint64_t cap = order->cap;
    if (!open_cache(order, diags) || (!order->all && cap == UINT64_MAX && !cache_cap(&cap, diags)) || order->root < 0)
        return;
    if (order->all)
        cache_clear(order->root, &order->removed);
    else if (!cache_prune(order->root, cap, cap, &order->removed))
        arena_fail(diags->arena);
    if (order->removed.kept)
        report_kept(order, diags);
}

static enum weft_status remove_some(struct order order, struct weft_cache_removed *removed, struct weft_error **error)
{
    enum weft_status status = perform(&order, remove_files, error);
    if (removed)
        *removed = order.removed;
    return status;
}

enum weft_status weft_cache_prune(const char *cache, uint64_t cap, struct weft_cache_removed *removed,
                                  struct weft_error **error)
{
    return remove_some((struct order){.cache = cache, .cap = cap}, removed, error);
}

enum weft_status weft_cache_clear(const char *cache, struct weft_cache_removed *removed,
                                  struct weft_error **error)
{
    return remove_some((struct order){.cache = cache, .all = true}, removed, error);
}
