/* See faults.h. Streams that read or write files are made of cookies here, because those of the C library call its own
 * read and write, which nobody can replace. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* it gives functions other names, which have to be served, too: ALSO */
#include "tests/faults/faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const fault_names[FAULT_KINDS] = {NULL,   "memory", "open", "read", "write", "close",   "move",
                                              "look", "lock",   "map",  "load", "process", "thread"};
static const int errors[FAULT_KINDS] = {0,      ENOMEM, EMFILE, EIO,    ENOSPC, EIO,   EIO,
                                        EACCES, ENOLCK, ENOMEM, ENOENT, EAGAIN, EAGAIN};

static atomic_int armed;           /* the kind */
static atomic_long countdown, blocks;
static atomic_bool for_ever, failed;
static const char *told;           /* FAULT_TOLD */
static bool trace;

/* ---- which call fails ---- */

static void tell(const char *function)
{
    void *stack[48];
    const int fd = told ? (int)syscall(SYS_openat, AT_FDCWD, told, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, function, strlen(function));
        (void)!syscall(SYS_write, fd, "\n", 1L);
        syscall(SYS_close, fd);
    }
    if (trace)
        backtrace_symbols_fd(stack, backtrace(stack, 48), 2);
}

static bool fails(enum fault_kind kind, const char *function)
{
    if (atomic_load_explicit(&armed, memory_order_relaxed) != (int)kind)
        return false;
    const long left = atomic_fetch_sub(&countdown, 1) - 1;
    if (left > 0 || (left < 0 && !for_ever))
        return false;
    failed = true;
    tell(function);
    errno = errors[kind];
    return true;
}

#define FAILS(kind) fails(FAULT_##kind, __func__)

void fault_arm(enum fault_kind kind, long n, bool on)
{
    armed = FAULT_NONE;
    countdown = n;
    for_ever = on;
    failed = false;
    armed = (int)kind;
}

bool fault_failed(void)
{
    return failed;
}

long fault_blocks(void)
{
    return blocks;
}

/* The C library's function of this name. */
#define REAL(name)                                                                                                     \
    ({                                                                                                                 \
        static _Atomic(__typeof__(&name)) real_;                                                                       \
        if (!real_)                                                                                                    \
            real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                        \
        real_;                                                                                                         \
    })

/* The function under another name, which it has where files may be large. */
#define ALSO(name, function) __asm__(".globl " #name "\n.type " #name ", @function\n.set " #name ", " #function "\n");

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&blocks, 1);
    return memory;
}

void *malloc(size_t size)
{
    return counted(FAILS(MEMORY) ? NULL : __libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return counted(FAILS(MEMORY) ? NULL : __libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (FAILS(MEMORY))
        return NULL;
    void *moved = __libc_realloc(memory, size);
    return memory ? moved : counted(moved);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return counted(FAILS(MEMORY) ? NULL : __libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = counted(FAILS(MEMORY) ? NULL : __libc_memalign(alignment, size));
    *memory = made ? made : *memory;
    return made ? 0 : ENOMEM;
}

void free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&blocks, 1);
    __libc_free(memory);
}

/* ---- descriptors ---- */

static mode_t mode_of(int flags, va_list *rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(*rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, &rest);
    va_end(rest);
    return FAILS(OPEN) ? -1 : REAL(openat)(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, &rest);
    va_end(rest);
    return FAILS(OPEN) ? -1 : REAL(openat)(at, path, flags, mode);
}

ALSO(open64, open)
ALSO(openat64, openat)

int dup(int fd)
{
    return FAILS(OPEN) ? -1 : REAL(dup)(fd);
}

int mkdir(const char *path, mode_t mode)
{
    return FAILS(OPEN) ? -1 : REAL(mkdir)(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    return FAILS(OPEN) ? -1 : REAL(mkdirat)(at, path, mode);
}

char *mkdtemp(char *path)
{
    return FAILS(OPEN) ? NULL : REAL(mkdtemp)(path);
}

int memfd_create(const char *name, unsigned flags)
{
    return FAILS(OPEN) ? -1 : REAL(memfd_create)(name, flags);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    return FAILS(READ) ? -1 : REAL(read)(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    return FAILS(READ) ? -1 : REAL(pread)(fd, bytes, size, offset);
}

ALSO(pread64, pread)

ssize_t write(int fd, const void *bytes, size_t size)
{
    return FAILS(WRITE) ? -1 : REAL(write)(fd, bytes, size);
}

int close(int fd)
{
    const bool lost = FAILS(CLOSE);
    const int error = errno, closed = REAL(close)(fd);
    if (lost)
        errno = error;
    return lost ? -1 : closed;
}

/* ---- streams and directories ---- */

static int descriptor_of(void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t read_cookie(void *cookie, char *bytes, size_t size)
{
    return read(descriptor_of(cookie), bytes, size);
}

static ssize_t write_cookie(void *cookie, const char *bytes, size_t size)
{
    size_t done = 0;
    for (ssize_t wrote = 1; done < size && wrote > 0; done += wrote > 0 ? (size_t)wrote : 0)
        wrote = write(descriptor_of(cookie), bytes + done, size - done);
    return (ssize_t)done;
}

static int seek_cookie(void *cookie, off64_t *offset, int whence)
{
    const off64_t at = lseek64(descriptor_of(cookie), *offset, whence);
    *offset = at >= 0 ? at : *offset;
    return at >= 0 ? 0 : -1;
}

static int close_cookie(void *cookie)
{
    return close(descriptor_of(cookie));
}

static bool needs_cookie(int kind)
{
    return kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_CLOSE;
}

static FILE *make_stream(int fd, const char *mode)
{
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode,
                               (cookie_io_functions_t){read_cookie, write_cookie, seek_cookie, close_cookie});
    if (stream)
        stream->_fileno = fd; /* for fileno */
    return stream;
}

static int flags_of(const char *mode)
{
    const int more = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
    return more | (strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY) |
           (strchr(mode, 'e') ? O_CLOEXEC : 0) | (strchr(mode, 'x') ? O_EXCL : 0);
}

FILE *fopen(const char *path, const char *mode)
{
    if (FAILS(OPEN))
        return NULL;
    if (!needs_cookie(armed))
        return REAL(fopen)(path, mode);
    const int fd = REAL(openat)(AT_FDCWD, path, flags_of(mode), 0666);
    FILE *stream = fd >= 0 ? make_stream(fd, mode) : NULL;
    if (!stream && fd >= 0)
        REAL(close)(fd);
    return stream;
}

ALSO(fopen64, fopen)

FILE *fdopen(int fd, const char *mode)
{
    return needs_cookie(armed) ? make_stream(fd, mode) : REAL(fdopen)(fd, mode);
}

DIR *opendir(const char *path)
{
    return FAILS(OPEN) ? NULL : REAL(opendir)(path);
}

struct dirent *readdir(DIR *directory)
{
    return FAILS(READ) ? NULL : REAL(readdir)(directory);
}

ALSO(readdir64, readdir)

ssize_t getdents64(int fd, void *room, size_t size)
{
    return FAILS(READ) ? -1 : REAL(getdents64)(fd, room, size);
}

/* ---- names ---- */

int rename(const char *from, const char *to)
{
    return FAILS(MOVE) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    return FAILS(MOVE) ? -1 : REAL(renameat)(from_at, from, to_at, to);
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    return FAILS(MOVE) ? -1 : REAL(renameat2)(from_at, from, to_at, to, flags);
}

int stat(const char *path, struct stat *status)
{
    return FAILS(LOOK) ? -1 : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
    return FAILS(LOOK) ? -1 : REAL(lstat)(path, status);
}

int fstatat(int at, const char *path, struct stat *status, int flags)
{
    return FAILS(LOOK) ? -1 : REAL(fstatat)(at, path, status, flags);
}

int access(const char *path, int mode)
{
    return FAILS(LOOK) ? -1 : REAL(access)(path, mode);
}

ALSO(stat64, stat)
ALSO(lstat64, lstat)
ALSO(fstatat64, fstatat)

char *getcwd(char *path, size_t size)
{
    return FAILS(LOOK) ? NULL : REAL(getcwd)(path, size);
}

char *realpath(const char *path, char *resolved)
{
    return FAILS(LOOK) ? NULL : REAL(realpath)(path, resolved);
}

/* ---- the rest ---- */

int flock(int fd, int operation)
{
    return FAILS(LOCK) ? -1 : REAL(flock)(fd, operation);
}

int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return command == F_OFD_SETLK && FAILS(LOCK) ? -1 : REAL(fcntl)(fd, command, argument);
}

ALSO(fcntl64, fcntl)

void *mmap(void *place, size_t size, int protection, int flags, int fd, off_t offset)
{
    return FAILS(MAP) ? MAP_FAILED : REAL(mmap)(place, size, protection, flags, fd, offset);
}

ALSO(mmap64, mmap)

/* The loader finds from where it is called which library asks, so its own failure is as good as another. */
void *dlopen(const char *path, int flags)
{
    return REAL(dlopen)(FAILS(LOAD) ? "/there/is/no/such/library" : path, flags);
}

pid_t fork(void)
{
    return FAILS(PROCESS) ? -1 : REAL(fork)();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    return FAILS(PROCESS) ? EAGAIN : REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    return FAILS(THREAD) ? EAGAIN : REAL(pthread_create)(thread, attributes, start, argument);
}

/* ---- as a library that is loaded first ---- */

static enum fault_kind kind_of(const char *name)
{
    for (int i = 1; name && i < FAULT_KINDS; i++)
        if (strcmp(name, fault_names[i]) == 0)
            return (enum fault_kind)i;
    return FAULT_NONE;
}

/* The texts of the settings stay where the process got them. */
__attribute__((constructor)) static void begin(void)
{
    const enum fault_kind kind = kind_of(getenv("FAULT_KIND"));
    const char *at = getenv("FAULT_AT");
    void *stack[1];
    if (!kind || !at)
        return;
    told = getenv("FAULT_TOLD");
    trace = getenv("FAULT_TRACE");
    if (trace)
        backtrace(stack, 1); /* allocates when it is first called */
    unsetenv("LD_PRELOAD");
    unsetenv("FAULT_KIND");
    unsetenv("FAULT_AT");
    unsetenv("FAULT_TOLD");
    unsetenv("FAULT_TRACE");
    FILE *stream = needs_cookie(kind) ? make_stream(STDOUT_FILENO, "w") : NULL;
    stdout = stream ? stream : stdout;
    fault_arm(kind, atol(at), strchr(at, '+'));
}
