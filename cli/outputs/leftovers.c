/* See leftovers_impl.h. Between creation and locking another process may lock a folder and remove it. So both check,
 * once they hold the lock, that the name still refers to the folder. */
#define _GNU_SOURCE /* O_PATH: a directory may be written to that may not be listed */
#include "cli/outputs/leftovers_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRIES = 100,
    PATIENCE = 100, /* milliseconds */
    MARK_SIZE = 96,
    DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

static const char prefix[] = ".weft-", mark_name[] = "weft";

static bool is_name(const char *name)
{
    static const char digits[] = "0123456789";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    name += sizeof prefix - 1;
    size_t first = strspn(name, digits),
           second = name[first] ? strspn(name + first + 1, digits) : 0;
    return first && name[first] == '-' && second && !name[first + 1 + second];
}

/* False and errno: ENOENT if it does not. */
static bool is_same(int fd, int parent, const char *name)
{
    struct stat open, named;
    if (fstat(fd, &open) != 0 || fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    errno = ENOENT;
    return open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* ---- the mark ---- */

/* It holds the folder's own number, so that a mark that was moved or copied says nothing. */
static bool make_mark(int fd, char mark[MARK_SIZE])
{
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_uid != geteuid())
        return false;
    snprintf(mark, MARK_SIZE, "Unfinished outputs of weft; folder %llu on %llu\n", (unsigned long long)status.st_ino,
             (unsigned long long)status.st_dev);
    return true;
}

static bool write_mark(int fd)
{
    char mark[MARK_SIZE];
    int file = make_mark(fd, mark) ? openat(fd, mark_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool good = file >= 0 && write(file, mark, strlen(mark)) == (ssize_t)strlen(mark);
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return good;
}

static bool has_mark(int fd)
{
    char mark[MARK_SIZE], found[MARK_SIZE];
    struct stat status;
    int file = make_mark(fd, mark) ? openat(fd, mark_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                read(file, found, sizeof found) == (ssize_t)strlen(mark) && memcmp(found, mark, strlen(mark)) == 0;
    if (file >= 0)
        close(file);
    return good;
}

/* ---- removing ---- */

static void empty(int fd, const char *spared);

static void remove_entry(int fd, const char *name)
{
    if (unlinkat(fd, name, 0) == 0 || errno != EISDIR || unlinkat(fd, name, AT_REMOVEDIR) == 0)
        return;
    int inner = openat(fd, name, DIRECTORY);
    if (inner < 0)
        return;
    empty(inner, ".");
    close(inner);
    unlinkat(fd, name, AT_REMOVEDIR);
}

static bool is_removed(const char *name, const char *spared)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, spared) != 0;
}

/* The directories in a folder hold files only. Not by readdir, because there may be no memory left. */
static void empty(int fd, const char *spared)
{
    _Alignas(struct dirent64) char room[4096];
    ssize_t size;
    lseek(fd, 0, SEEK_SET);
    while ((size = getdents64(fd, room, sizeof room)) > 0)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const struct dirent64 *)(room + at);
            if (is_removed(entry->d_name, spared))
                remove_entry(fd, entry->d_name);
            at += entry->d_reclen;
        }
}

/* The mark goes last: as long as anything is left it is known whose it is. By its name only an empty folder can go. */
static void remove_folder(int parent, const char *name, int fd)
{
    for (int i = 0; i < PATIENCE; i++) {
        empty(fd, mark_name);
        unlinkat(fd, mark_name, 0);
        if (is_same(fd, parent, name)
                ? unlinkat(parent, name, AT_REMOVEDIR) == 0 || (errno != ENOTEMPTY && errno != EEXIST)
                : errno == ENOENT)
            break;
        poll(NULL, 0, 1);
    }
}

/* One without a mark was just made, or emptied: if it is empty it goes. */
static void remove_leftover(int parent, const char *name)
{
    int fd = openat(parent, name, DIRECTORY);
    struct stat status;
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        is_same(fd, parent, name)) {
        if (has_mark(fd))
            remove_folder(parent, name, fd);
        else
            unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(fd);
}

static DIR *list_directory(int fd)
{
    int copy = openat(fd, ".", DIRECTORY);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (!list && copy >= 0)
        close(copy);
    return list;
}

static void remove_leftovers(int parent)
{
    DIR *list = list_directory(parent);
    struct dirent *entry;
    while (list && (entry = readdir(list)))
        if (is_name(entry->d_name))
            remove_leftover(parent, entry->d_name);
    if (list)
        closedir(list);
}

/* ---- making ---- */

static bool lock(int fd, int parent, const char *name)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 ? is_same(fd, parent, name) : errno != EWOULDBLOCK)
        return true;
    errno = EEXIST; /* another process took it for a leftover: make another one */
    return false;
}

/* Makes, locks and marks it; -1 and errno. */
static int make(int parent, const char *name)
{
    if (mkdirat(parent, name, 0700) != 0)
        return -1;
    int fd = openat(parent, name, DIRECTORY);
    if (fd >= 0 && lock(fd, parent, name) && write_mark(fd))
        return fd;
    int error = fd < 0 && errno == ENOENT ? EEXIST : errno;
    if (fd >= 0) {
        unlinkat(fd, mark_name, 0);
        close(fd);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
    errno = error;
    return -1;
}

struct folder *folder_new(struct pool *pool, const char *directory)
{
    struct folder *folder = POOL_NEW(pool, struct folder);
    *folder = (struct folder){.directory = directory, .fd = -1};
    folder->parent = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder->parent < 0)
        return NULL;
    remove_leftovers(folder->parent);
    return folder;
}

bool folder_make(struct pool *pool, struct folder *folder, int number)
{
    errno = EEXIST;
    for (int i = 0; i < TRIES && folder->fd < 0 && errno == EEXIST; i++) {
        folder->name = pool_printf(pool, "%s%ld-%d", prefix, (long)getpid(), number * TRIES + i);
        folder->fd = make(folder->parent, folder->name);
    }
    return folder->fd >= 0;
}

void folder_remove(const struct folder *folder)
{
    if (folder->fd >= 0)
        remove_folder(folder->parent, folder->name, folder->fd);
}

void folder_empty(int fd)
{
    empty(fd, ".");
}

void folder_close(struct folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    close(folder->parent);
}
