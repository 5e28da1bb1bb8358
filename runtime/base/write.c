/* Writing all of a buffer; see write.h. */
#include "runtime/base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static bool write_loop(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The kernel sends SIGXFSZ to the thread that writes. So the signal is blocked meanwhile, and
 * consumed if it arrived. */
bool write_all(int fd, const void *bytes, size_t size)
{
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    sigpending(&pending);
    bool good = write_loop(fd, bytes, size);
    int error = errno;
    if (!good && error == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return good;
}

bool write_file(int at, const char *temporary, const char *name, mode_t mode, const void *bytes, size_t size)
{
    int fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    bool good = write_all(fd, bytes, size);
    int error = errno;
    if (close(fd) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && renameat(at, temporary, at, name) == 0)
        return true;
    error = good ? errno : error;
    unlinkat(at, temporary, 0);
    errno = error;
    return false;
}
