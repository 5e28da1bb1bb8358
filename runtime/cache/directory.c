/* Implements directory.h. */
#include "runtime/cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `base`/`name` as an absolute path without a slash at the end: O_NOFOLLOW would not apply to a link
 * before one. */
static char *make_path(const char *base, const char *name)
{
    char *here = *base == '/' ? strdup("") : getcwd(NULL, 0), *path = NULL;
    if (!here || asprintf(&path, "%s%s%s%s%s", here, *here ? "/" : "", base, *name ? "/" : "", name) < 0)
        path = NULL;
    free(here);
    for (size_t length = path ? strlen(path) : 0; length > 1 && path[length - 1] == '/';)
        path[--length] = '\0';
    return path;
}

char *cache_directory(const char *word)
{
    const char *home = secure_getenv("HOME"), *base = secure_getenv("XDG_CACHE_HOME");
    word = word ? word : secure_getenv("WEFT_CACHE");
    if (word)
        return *word ? make_path(word, "") : strdup("");
    if (base && *base == '/') /* the XDG standard says to ignore a relative one */
        return make_path(base, "weft");
    const bool there = home && *home == '/' && access(home, F_OK) == 0; /* nobody's home is made */
    return there ? make_path(home, ".cache/weft") : strdup("");
}

const char *cache_problem(int error)
{
    switch (error) {
    case EPERM:
        return "it is another user's, or others may write there";
    case ENOTDIR:
    case ELOOP:
        return "a file or a symbolic link is in the way";
    default:
        return strerror(error);
    }
}

int cache_open_directory(int at, const char *name, bool make)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat stat;
    int fd = openat(at, name, flags);
    if (fd < 0 && errno == ENOENT && make && (mkdirat(at, name, 0700) == 0 || errno == EEXIST))
        fd = openat(at, name, flags);
    if (fd < 0 || (fstat(fd, &stat) == 0 && stat.st_uid == geteuid() && !(stat.st_mode & 022)))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Creates the missing directories above the last component. The super-user, often another user by
 * sudo, creates nothing in someone else's directory. */
static bool make_parents(char *path)
{
    struct stat stat_;
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return true;
    *slash = '\0';
    bool good = stat(path, &stat_) == 0;
    if (good && geteuid() == 0 && stat_.st_uid != 0) {
        errno = EPERM;
        good = false;
    } else if (!good && errno == ENOENT) {
        good = make_parents(path) && (mkdir(path, 0700) == 0 || errno == EEXIST);
    }
    *slash = '/';
    return good;
}

int cache_open(const char *path, bool make)
{
    int root = cache_open_directory(AT_FDCWD, path, false);
    if (root >= 0 || errno != ENOENT || !make)
        return root;
    char *copy = strdup(path);
    if (copy && make_parents(copy))
        root = cache_open_directory(AT_FDCWD, path, true);
    free(copy);
    return root;
}

/* ---- locks ---- */

int cache_lock_byte(int root, off_t byte)
{
    int fd = openat(root, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &range) == 0)
        return fd;
    int error = errno == EACCES ? EAGAIN : errno;
    close(fd);
    errno = error;
    return -1;
}

/* Unlocks explicitly: after a fork the child shares the descriptor, so closing ours would not unlock. */
void cache_unlock(int lock)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (lock < 0)
        return;
    fcntl(lock, F_OFD_SETLK, &all);
    close(lock);
}
