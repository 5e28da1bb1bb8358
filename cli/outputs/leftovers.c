/* See leftovers_impl.h. Between creation and locking another process may lock a temporary and remove it. So both
 * check, once they hold the lock, that the path still refers to the file. */
#include "cli/outputs/leftovers_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = ".weft-";

const char *leftovers_name(struct pool *pool, const char *directory, int number)
{
    return pool_printf(pool, "%s/%s%ld-%d", directory, prefix, (long)getpid(), number);
}

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

/* Whether `path` is what `fd` is open on. */
static bool is_same(int fd, const char *path)
{
    struct stat open, named;
    return fstat(fd, &open) == 0 && lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

bool leftovers_lock(int fd, const char *path)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? is_same(fd, path) : errno != EWOULDBLOCK;
}

static void remove_tree(struct pool *pool, const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(pool_printf(pool, "%s/%s", path, entry->d_name));
    if (directory)
        closedir(directory);
    rmdir(path);
}

static void remove_one(struct pool *pool, const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || status.st_uid != geteuid() ||
        !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_same(fd, path)) {
        if (S_ISDIR(status.st_mode))
            remove_tree(pool, path);
        else
            unlink(path);
    }
    close(fd);
}

void leftovers_remove(struct pool *pool, const char *directory)
{
    DIR *list = opendir(directory);
    struct dirent *entry;
    while (list && (entry = readdir(list)))
        if (is_name(entry->d_name))
            remove_one(pool, pool_printf(pool, "%s/%s", directory, entry->d_name));
    if (list)
        closedir(list);
}
