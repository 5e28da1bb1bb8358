/* Look-up, waiting for other processes, and publication; see cache.h. */
#include "runtime/cache/cache.h"

#include "runtime/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_SECONDS = 10, TOUCH_SECONDS = 60 };

/* ---- entries ---- */

static int open_shard(int root, const struct cache_key *key, bool make)
{
    const char name[] = {key->name[0], key->name[1], '\0'};
    return root < 0 ? -1 : cache_open_directory(root, name, make);
}

static void close_both(int shard, int root)
{
    int saved = errno;
    if (shard >= 0)
        close(shard);
    if (root >= 0)
        close(root);
    errno = saved;
}

/* ---- look-up ---- */

/* Sets the file's time, which is the time of its last use. A time that is less than a minute old
 * stays, so most reads write nothing. */
static void touch(int fd)
{
    struct stat stat;
    time_t now = time(NULL);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    if (fstat(fd, &stat) == 0 && (stat.st_mtime > now || stat.st_mtime < now - TOUCH_SECONDS))
        futimens(fd, times);
}

static void *load_entry(int fd, const struct cache_key *key, const char *path, bool *damaged, bool *keep)
{
    struct entry entry;
    const char *problem;
    void *handle = NULL;
    enum entry_state state = entry_read(fd, &entry, &problem);
    if (state == ENTRY_SOUND && entry.key_size == key->size &&
        memcmp(entry.key, key->material, key->size) == 0) {
        touch(fd);
        handle = key->load(key, fd, &entry, path);
    }
    *damaged = state == ENTRY_DAMAGED;
    *keep = state == ENTRY_UNREADABLE;
    entry_finish(&entry);
    return handle;
}

void *cache_find(const char *path, const struct cache_key *key, bool clean, bool *keep)
{
    char name[CACHE_NAME], *whole = NULL;
    void *handle = NULL;
    bool damaged = false;
    int root = cache_open(path, false), shard = open_shard(root, key, false);
    snprintf(name, sizeof name, "%s%s", key->name, key->suffix);
    *keep = false;
    int fd = shard >= 0 ? openat(shard, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        *keep = shard >= 0 && errno != ENOENT && errno != ELOOP;
    else if (asprintf(&whole, "%s/%.2s/%s", path, name, name) >= 0)
        handle = load_entry(fd, key, whole, &damaged, keep);
    if (damaged && clean && unlinkat(shard, name, 0) != 0 && errno == EISDIR)
        unlinkat(shard, name, AT_REMOVEDIR);
    if (fd >= 0) {
        close(fd);
        free(whole);
    }
    close_both(shard, root);
    return handle;
}

/* ---- the lock ---- */

static off_t key_byte(const struct cache_key *key)
{
    uint64_t hash;
    memcpy(&hash, key->digest, sizeof hash);
    return (off_t)(hash & (sizeof(off_t) < 8 ? 0x3fffffff : 0x3fffffffffffffff)) + 1;
}

static bool lock_key(const char *path, const struct cache_key *key, int *lock)
{
    int root = cache_open(path, true);
    *lock = root >= 0 ? cache_lock_byte(root, key_byte(key)) : -1;
    bool others = *lock < 0 && root >= 0 && errno == EAGAIN;
    close_both(root, -1);
    return !others;
}

void *cache_wait(const char *path, const struct cache_key *key, const atomic_bool *cancelled, int *lock,
                 bool *keep)
{
    struct timespec pause = {.tv_nsec = 1000000};
    double end = clock_seconds() + WAIT_SECONDS;
    void *handle = NULL;
    while (!lock_key(path, key, lock) && clock_seconds() < end && !atomic_load(cancelled)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec += pause.tv_nsec < 20000000 ? pause.tv_nsec / 2 : 0;
        if ((handle = cache_find(path, key, false, keep)))
            return handle;
    }
    handle = cache_find(path, key, *lock >= 0, keep);
    if (handle) {
        cache_unlock(*lock);
        *lock = -1;
    }
    return handle;
}

/* ---- publication ---- */

/* Renames rather than links, which replaces a damaged entry in the same step. There is no fsync,
 * because the checksum finds what a power failure leaves behind. */
static bool write_entry(int shard, const struct cache_key *key, const unsigned char *bytes, size_t size)
{
    char temporary[CACHE_NAME + 48], final[CACHE_NAME];
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    snprintf(final, sizeof final, "%s%s", key->name, key->suffix);
    snprintf(temporary, sizeof temporary, "%s.%lx-%lx-%lx.tmp", key->name, (long)getpid(),
             (long)time.tv_sec, time.tv_nsec);
    return write_file(shard, temporary, final, 0600, bytes, size);
}

bool cache_publish(const char *path, const struct cache_key *key, const struct image *image,
                   const char *note, uint64_t cap, int *where)
{
    size_t size;
    unsigned char *bytes = entry_pack(image, key->material, key->size, note, &size);
    bool good = false;
    *where = 0;
    /* Twice, because another process may clear the shard away between the two steps. */
    for (int attempt = 0; bytes && !good && attempt < 2 && (attempt == 0 || errno == ENOENT); attempt++) {
        int root = cache_open(path, true), shard = open_shard(root, key, true);
        good = shard >= 0 && write_entry(shard, key, bytes, size);
        *where = good || root < 0 ? 0 : shard < 0 ? errno == EPERM || errno == ENOTDIR || errno == ELOOP
                                      : errno == EISDIR ? 2 : 0;
        if (good)
            cache_sweep(root, key->digest[0], cap);
        close_both(shard, root);
    }
    int error = errno;
    free(bytes);
    errno = error;
    return good;
}
