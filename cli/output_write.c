/* See output.h: writing, renaming, and cleaning up when a signal comes in between.
 *
 * Invariant: the name of a temporary file is recorded before the file exists and until it is
 * gone or renamed, so the handler's list is complete whenever it runs. */
#include "cli/npy.h"
#include "cli/npz.h"
#include "cli/output.h"
#include "cli/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* What the handler removes. One run has one set of outputs. */
static struct outputs *volatile current;
/* While signals are held the first one waits: `waiting` is its number. A second one ends the process
 * at once. */
static volatile sig_atomic_t held, waiting;

static void remove_temporaries(void)
{
    for (int i = 0; current && i < current->count; i++)
        if (current->items[i].temporary)
            unlink(current->items[i].temporary);
}

/* Runs in any thread. Installed with SA_RESETHAND: the raised one ends the process, once this
 * returns. */
static void on_signal(int number)
{
    int error = errno;
    if (held) {
        waiting = number;
    } else {
        remove_temporaries();
        raise(number);
    }
    errno = error;
}

void output_catch_signals(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action, old;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = (int)SA_RESETHAND;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write */
}

void output_hold_signals(void)
{
    held = true;
}

void output_release_signals(void)
{
    held = false;
    if (waiting) {
        remove_temporaries();
        raise(waiting);
    }
}

static bool failed(struct report *report, const struct target *target, const char *why)
{
    const char *path = target->destination->path;
    return REPORT_ARGUMENT(report, path, strlen(path), OUTPUT_PATH, path, why);
}

/* Creates a file of a new name in the target's directory; -1 and errno when none can be. */
static int create_temporary(struct report *report, struct target *target)
{
    int length = (int)(strrchr(target->path, '/') - target->path), fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        const char *path = arena_printf(report->arena, "%.*s/.weft-%ld-%d", length, target->path,
                                        (long)getpid(), i);
        target->temporary = path; /* before it exists: no moment in which it could stay behind */
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0)
            target->temporary = NULL;
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0 && target->mode)
        (void)!fchmod(fd, target->mode); /* the replaced file's, where the system lets us */
    return fd;
}

static bool put_tensor(FILE *file, const struct target *target, const struct tensor *tensor,
                       const char *key)
{
    switch (target->kind) {
    case KIND_NPY:
        npy_write(file, tensor);
        break;
    case KIND_NPZ:
        npz_write(file, &key, tensor, 1);
        break;
    default:
        return picture_write(file, tensor);
    }
    return true;
}

/* Writes and closes; a reader of a pipe that is gone is left without a word. */
static bool write_file(struct report *report, const struct target *target, FILE *file,
                       const struct tensor *tensor, const char *key)
{
    errno = 0;
    bool good = put_tensor(file, target, tensor, key) && !ferror(file);
    int error = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good)
        return true;
    if (error == EPIPE)
        report->status = report->status ? report->status : 1;
    else
        failed(report, target, error ? strerror(error) : "the picture could not be compressed");
    return false;
}

static bool write_temporary(struct report *report, struct target *target,
                            const struct tensor *tensor, const char *key)
{
    int fd = create_temporary(report, target);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file)
        return write_file(report, target, file, tensor, key);
    failed(report, target, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

static bool write_direct(struct report *report, struct target *target, const struct tensor *tensor,
                         const char *key)
{
    bool standard = strcmp(target->path, "-") == 0;
    int fd = standard ? dup(STDOUT_FILENO) : open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file)
        return write_file(report, target, file, tensor, key);
    failed(report, target, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

/* The last step: only a directory that changed under us can make it fail. */
static bool rename_all(struct report *report, struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        if (!target->temporary)
            continue;
        if (rename(target->temporary, target->path) != 0)
            return failed(report, target, strerror(errno));
        target->temporary = NULL;
    }
    return true;
}

static bool write_all(struct report *report, struct outputs *outputs, const struct tensor *results,
                      const char *const *names, bool direct)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        const struct tensor *tensor = &results[target->result];
        if (target->direct == direct && !(direct ? write_direct : write_temporary)(
                                            report, target, tensor, names[target->result]))
            return false;
    }
    return true;
}

bool outputs_write(struct report *report, struct outputs *outputs, const struct tensor *results,
                   const char *const *names)
{
    current = outputs;
    bool done = write_all(report, outputs, results, names, false) &&
                write_all(report, outputs, results, names, true);
    output_hold_signals();
    done = done && rename_all(report, outputs);
    remove_temporaries();
    current = NULL;
    output_release_signals();
    return done;
}

enum { STDOUT_BUFFER = 1 << 18 };

/* Of the first write to standard output that failed; the stream itself only knows that one did. */
static int stdout_error;

void output_init(void)
{
    static char buffer[STDOUT_BUFFER]; /* glibc heeds no size without one */
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

void output_puts(const char *text)
{
    errno = 0;
    if (fputs(text, stdout) == EOF && !stdout_error)
        stdout_error = errno;
}

bool output_flush(struct report *report)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    int error = stdout_error ? stdout_error : errno;
    if (error == EPIPE)
        report->status = report->status ? report->status : 1;
    else
        REPORT_FILE(report, "<stdout>", FILE_ERROR, "write it",
                    error ? strerror(error) : "a write failed");
    return false;
}
