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

/* A call on the cache; `root` is -1 if there is no directory. */
struct call {
    char *path;
    int root;
};

struct trouble {
    const char *path;
    int problem;
};

static void tell_trouble(struct diags *diags, void *user)
{
    const struct trouble *trouble = user;
    diag_at(diags, DIAG_CACHE, NULL, 0, trouble->path, cache_problem(trouble->problem));
}

static enum weft_status tell(const char *path, int problem, struct weft_error **error)
{
    return guarded_call(NULL, NULL, tell_trouble, &(struct trouble){path, problem}, error);
}

/* It is an error if files could not be removed. */
static enum weft_status tell_kept(const char *path, const struct weft_cache_removed *removed,
                                  struct weft_error **error)
{
    return removed->kept ? tell(path, removed->problem, error) : WEFT_OK;
}

static enum weft_status open_call(const char *cache, struct call *call, struct weft_error **error)
{
    if (error)
        *error = NULL;
    *call = (struct call){.path = cache_place(cache), .root = -1};
    if (!call->path)
        return WEFT_OUT_OF_MEMORY;
    if (*call->path)
        call->root = cache_open(call->path, false);
    bool good = call->root >= 0 || !*call->path || errno == ENOENT;
    return good ? WEFT_OK : tell(call->path, errno, error);
}

static enum weft_status close_call(struct call *call, enum weft_status status, int saved)
{
    if (call->root >= 0)
        close(call->root);
    free(call->path);
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
    *path = cache_place(cache);
    errno = saved;
    return *path ? WEFT_OK : WEFT_OUT_OF_MEMORY;
}

/* ---- listing ---- */

struct listing {
    const char *path;
    void (*visit)(void *user, const struct weft_cache_entry *entry);
    void *user;
};

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

static bool list_file(void *user, const struct cache_file *file)
{
    const struct listing *listing = user;
    struct entry entry = {.bytes = NULL};
    char *path = NULL;
    if (file->kind != CACHE_FILE_ENTRY)
        return true;
    int fd = openat(file->directory, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true; /* removed meanwhile */
    const char *problem = fd >= 0 ? check_file(fd, file->name, &entry) : cache_problem(errno);
    if (asprintf(&path, "%s/%.2s/%s", listing->path, file->name, file->name) >= 0) {
        const char *compiler = entry.note ? entry.note : "";
        char key[33];
        snprintf(key, sizeof key, "%.32s", file->name);
        listing->visit(listing->user, &(struct weft_cache_entry){path, key, file->size, file->used,
                                                                 compiler, problem});
        free(path);
    }
    entry_finish(&entry);
    if (fd >= 0)
        close(fd);
    return true;
}

enum weft_status weft_cache_list(const char *cache,
                                 void (*visit)(void *user, const struct weft_cache_entry *entry),
                                 void *user, struct weft_error **error)
{
    struct call call;
    if (!visit)
        return invalid_call(error, "weft_cache_list needs a function to visit entries, found NULL");
    int saved = errno;
    enum weft_status status = open_call(cache, &call, error);
    struct listing listing = {call.path, visit, user};
    if (call.root >= 0)
        cache_walk(call.root, list_file, &listing);
    return close_call(&call, status, saved);
}

/* ---- removing ---- */

/* Reads the cap from the environment. */
static void read_cap(struct diags *diags, void *cap)
{
    cache_cap(cap, diags);
}

enum weft_status weft_cache_prune(const char *cache, uint64_t cap, struct weft_cache_removed *removed,
                                  struct weft_error **error)
{
    struct weft_cache_removed all = {0};
    struct call call;
    int saved = errno;
    enum weft_status status = open_call(cache, &call, error);
    if (status == WEFT_OK && cap == UINT64_MAX)
        status = guarded_call(NULL, NULL, read_cap, &cap, error);
    if (status == WEFT_OK && call.root >= 0 && !cache_prune(call.root, cap, cap, &all))
        status = WEFT_OUT_OF_MEMORY;
    if (status == WEFT_OK)
        status = tell_kept(call.path, &all, error);
    if (removed)
        *removed = all;
    return close_call(&call, status, saved);
}

enum weft_status weft_cache_clear(const char *cache, struct weft_cache_removed *removed,
                                  struct weft_error **error)
{
    struct weft_cache_removed all = {0};
    struct call call;
    int saved = errno;
    enum weft_status status = open_call(cache, &call, error);
    if (call.root >= 0)
        cache_clear(call.root, &all);
    if (status == WEFT_OK)
        status = tell_kept(call.path, &all, error);
    if (removed)
        *removed = all;
    return close_call(&call, status, saved);
}
