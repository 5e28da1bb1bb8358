/* Walking, pruning and clearing the cache's files; see sweep.h. Files whose names are not the cache's
 * are neither counted nor touched. */
#include "runtime/cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STALE_SECONDS = 3600 };

/* ---- walking ---- */

static enum cache_file_kind file_kind(const char *name)
{
    size_t length = strlen(name);
    if (strspn(name, "0123456789abcdef") != 32 || length >= CACHE_NAME + 48)
        return CACHE_FILE_OTHER;
    return strcmp(name + 32, ".so") == 0 || strcmp(name + 32, ".cubin") == 0 ? CACHE_FILE_ENTRY
           : strcmp(name + length - 4, ".tmp") == 0                          ? CACHE_FILE_TEMPORARY
                                                                             : CACHE_FILE_OTHER;
}

static bool walk_shard(int root, int shard, cache_visitor *visit, void *user)
{
    char name[3];
    struct stat stat;
    snprintf(name, sizeof name, "%02x", (unsigned)shard & 255);
    int fd = cache_open_directory(root, name, false);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory) {
        struct cache_file closed = {.kind = CACHE_FILE_CLOSED, .problem = errno, .directory = root};
        strcpy(closed.name, name);
        if (fd >= 0)
            close(fd);
        const bool ours = closed.problem != ENOENT && closed.problem != ENOTDIR && closed.problem != ELOOP;
        return !ours || visit(user, &closed);
    }
    bool good = true;
    for (struct dirent *file; good && (file = readdir(directory));) {
        struct cache_file found = {.kind = file_kind(file->d_name), .directory = fd};
        if (found.kind == CACHE_FILE_OTHER || strncmp(file->d_name, name, 2) != 0 ||
            fstatat(fd, file->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        strcpy(found.name, file->d_name);
        found.size = (uint64_t)stat.st_size;
        found.used = stat.st_mtime;
        good = visit(user, &found);
    }
    closedir(directory);
    return good;
}

bool cache_walk(int root, cache_visitor *visit, void *user)
{
    for (int shard = 0; shard < CACHE_SHARDS; shard++)
        if (!walk_shard(root, shard, visit, user))
            return false;
    return true;
}

/* ---- the cap ---- */

bool cache_cap(uint64_t *cap, struct diags *diags)
{
    static const char units[] = "KMGT";
    const char *text = secure_getenv("WEFT_CACHE_SIZE");
    char *end = NULL;
    *cap = (uint64_t)256 << 20;
    if (!text || !*text)
        return true;
    unsigned long long size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    if (!end || (*end && (!unit || end[1])))
        return diag_at(diags, DIAG_CACHE_SIZE, NULL, 0, text);
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    *cap = size > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)size << shift;
    return true;
}

struct survey {
    time_t now;
    uint64_t bytes;
    FILE *entries;                 /* a stream of struct cache_file in memory; NULL: count bytes only */
    struct weft_cache_removed *removed;
};

/* Also an empty directory in a file's place. */
static void remove_file(struct weft_cache_removed *removed, int directory, const struct cache_file *file)
{
    if (file->kind == CACHE_FILE_CLOSED ||
        (unlinkat(directory, file->name, 0) != 0 &&
         (errno != EISDIR || unlinkat(directory, file->name, AT_REMOVEDIR) != 0))) {
        const int error = file->kind == CACHE_FILE_CLOSED ? file->problem : errno;
        if (error != ENOENT) { /* ENOENT: another process removed it first */
            removed->kept++;
            removed->problem = error;
            memcpy(removed->name, file->name, sizeof removed->name);
            removed->name[sizeof removed->name - 1] = '\0';
        }
        return;
    }
    removed->files++;
    removed->bytes += file->size;
}

/* Counts an entry, or removes a stale temporary. A last use in the future comes from a wrong clock
 * and is set to now; otherwise the entry would outlive all others. */
static bool look(void *user, const struct cache_file *file)
{
    struct survey *survey = user;
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    bool stale = file->used < survey->now - STALE_SECONDS || file->used > survey->now + STALE_SECONDS;
    if (file->kind == CACHE_FILE_CLOSED)
        return true;
    if (file->kind == CACHE_FILE_TEMPORARY) {
        if (stale)
            remove_file(survey->removed, file->directory, file);
        return true;
    }
    survey->bytes += file->size;
    if (file->used > survey->now)
        utimensat(file->directory, file->name, times, AT_SYMLINK_NOFOLLOW);
    struct cache_file entry = *file;
    entry.used = file->used < survey->now ? file->used : survey->now;
    return !survey->entries || fwrite(&entry, sizeof entry, 1, survey->entries) == 1;
}

static int older_first(const void *a, const void *b)
{
    const struct cache_file *first = a, *second = b;
    return (first->used > second->used) - (first->used < second->used);
}

static void remove_entry(int root, const struct cache_file *file, struct weft_cache_removed *removed)
{
    const char name[] = {file->name[0], file->name[1], '\0'};
    int shard = cache_open_directory(root, name, false);
    if (shard < 0)
        return;
    remove_file(removed, shard, file);
    close(shard);
}

bool cache_prune(int root, uint64_t cap, uint64_t enough, struct weft_cache_removed *removed)
{
    char *list = NULL;
    size_t size = 0;
    struct survey survey = {.now = time(NULL), .entries = open_memstream(&list, &size), .removed = removed};
    bool good = survey.entries && cache_walk(root, look, &survey);
    good = survey.entries && fclose(survey.entries) == 0 && good;
    const struct cache_file *files = (const struct cache_file *)list;
    if (good)
        qsort(list, size / sizeof *files, sizeof *files, older_first);
    if (survey.bytes <= cap)
        enough = cap;
    for (size_t i = 0; good && i < size / sizeof *files && survey.bytes > enough; i++) {
        remove_entry(root, &files[i], removed);
        survey.bytes -= files[i].size;
    }
    free(list);
    return good;
}

/* Keys are hashes, so the size of one shard tells how much all of them hold. */
void cache_sweep(int root, int shard, uint64_t cap)
{
    struct weft_cache_removed removed = {0};
    struct survey survey = {.now = time(NULL), .removed = &removed};
    walk_shard(root, shard, look, &survey);
    if (survey.bytes <= cap / CACHE_SHARDS)
        return;
    int lock = cache_lock_byte(root, CACHE_SWEEP_BYTE);
    if (lock >= 0)
        cache_prune(root, cap, cap - cap / 8, &removed); /* a margin: not every new entry prunes */
    cache_unlock(lock);
}

/* ---- clearing ---- */

static bool clear_file(void *user, const struct cache_file *file)
{
    remove_file(user, file->directory, file);
    return true;
}

void cache_clear(int root, struct weft_cache_removed *removed)
{
    char name[3];
    cache_walk(root, clear_file, removed);
    for (int shard = 0; shard < CACHE_SHARDS; shard++) {
        snprintf(name, sizeof name, "%02x", (unsigned)shard);
        unlinkat(root, name, AT_REMOVEDIR); /* fails if something else is in it */
    }
    unlinkat(root, "lock", 0);
}
