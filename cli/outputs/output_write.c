/* See outputs.h: writing, renaming, and cleaning up after a signal.
 *
 * Invariant: the name of a temporary is recorded before it is created and until it is removed or renamed, so the
 * handler's list is always complete. */
#include "cli/base/base.h"
#include "cli/files/files.h"
#include "cli/outputs/leftovers_impl.h"
#include "cli/outputs/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, PATIENCE = 1000 /* milliseconds */ };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* What the handler removes. One run has one set of outputs. */
static struct outputs *volatile current;
/* While signals are held the first one waits: `waiting` is its number. A second one ends the process
 * at once. */
static volatile sig_atomic_t held, waiting;

/* Set when the process is about to end: no thread begins another file. */
static volatile sig_atomic_t ending;

/* If the directory cannot be removed, another thread has just created a file in it. */
static void remove_directory(const struct target *target)
{
    for (int i = 0; i < PATIENCE; i++) {
        for (int f = 0; f < target->file_count; f++)
            unlink(target->files[f]);
        if (rmdir(target->temporary) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
            break;
        poll(NULL, 0, 1);
    }
}

static void remove_temporaries(void)
{
    for (int i = 0; current && i < current->count; i++) {
        const struct target *target = &current->items[i];
        if (target->temporary && target->directory)
            remove_directory(target);
        else if (target->temporary)
            unlink(target->temporary);
    }
}

/* Runs in any thread. Installed with SA_RESETHAND: the raised one ends the process, once this
 * returns. */
static void on_signal(int number)
{
    int error = errno;
    if (held) {
        waiting = number;
    } else {
        ending = true;
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

static bool failed(struct report *report, const struct target *target, const char *path,
                   const char *why)
{
    const char *place = target->destination->path;
    return REPORT_ARGUMENT(report, place, strlen(place), OUTPUT_PATH, path, why);
}

/* Makes a file or directory and opens it; -1 and errno. */
static int make(const struct target *target, const char *path)
{
    if (!target->directory)
        return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (mkdir(path, 0777) != 0)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = errno;
    if (fd < 0)
        rmdir(path);
    errno = error;
    return fd;
}

/* The same, and locks it. */
static int make_locked(const struct target *target, const char *path)
{
    int fd = make(target, path);
    if (fd < 0 || leftovers_lock(fd, path))
        return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

/* Makes one of a new name beside the target; -1 and errno when none can be. */
static int create_temporary(struct report *report, struct target *target)
{
    const int first = (int)(target - current->items) * TRIES; /* each output has names of its own */
    size_t length = (size_t)(strrchr(target->path, '/') - target->path);
    const char *beside = pool_string(report->pool, target->path, length);
    int fd = -1;
    leftovers_remove(report->pool, length ? beside : "/");
    for (int i = 0; i < TRIES && fd < 0; i++) {
        const char *path = leftovers_name(report->pool, beside, first + i);
        target->temporary = path; /* before it exists: no moment in which it could stay behind */
        fd = make_locked(target, path);
        if (fd < 0)
            target->temporary = NULL;
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0 && target->mode && !target->directory)
        (void)!fchmod(fd, target->mode); /* the replaced file's, where the system lets us */
    return fd;
}

/* What goes into one file: a tensor, or all samples of a batch. */
struct content {
    const struct tensor *tensors;
    const char *const *keys; /* of the arrays of an archive */
    int count;
    enum kind kind;
};

static bool put_content(FILE *file, const struct content *content)
{
    switch (content->kind) {
    case KIND_NPY:
        npy_write(file, content->tensors);
        return true;
    case KIND_TEXT:
        return fwrite(content->tensors->data, 1, content->tensors->size, file) == content->tensors->size;
    case KIND_NPZ:
        return npz_write(file, content->keys, content->tensors, content->count);
    default:
        return picture_write(file, content->tensors);
    }
}

/* Writes and closes fd; if fd is -1, reports errno. A closed pipe is not reported. Messages call the file `path`. */
static bool write_file(struct report *report, const struct target *target, const char *path, int fd,
                       const struct content *content)
{
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int error = errno;
    if (!file && fd >= 0)
        close(fd);
    if (!file)
        return failed(report, target, path, strerror(error));
    errno = 0;
    bool good = put_content(file, content) && !ferror(file);
    error = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!good && error != EPIPE)
        failed(report, target, path, error ? strerror(error) : "memory ran out");
    return good;
}

/* The pictures of one directory. */
struct pictures {
    const struct target *target;
    const struct value *value;
};

static bool write_picture(struct report *report, void *user, int index)
{
    const struct pictures *pictures = user;
    const struct target *target = pictures->target;
    const char *directory = target->destination->path;
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    const char *path =
        pool_printf(report->pool, "%s%s%s", directory, slash, target->names[index]);
    struct content content = {.tensors = &pictures->value->samples[index], .kind = KIND_PNG};
    while (ending)
        pause();
    return write_file(report, target, path,
                      open(target->files[index], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666),
                      &content);
}

static bool write_pictures(struct report *report, struct target *target, const struct value *value,
                           int threads)
{
    struct pictures pictures = {target, value};
    struct work work = {"writing", value->count, threads, write_picture, &pictures};
    if (!work_run(report, &work))
        return false;
    if (target->mode)
        (void)!chmod(target->temporary, target->mode);
    return true;
}

/* The paths of the pictures to come, for whoever has to remove them. */
static void list_files(struct report *report, struct target *target, const struct value *value)
{
    target->files = POOL_ARRAY(report->pool, const char *, value->count + 1);
    for (int i = 0; i < value->count; i++)
        target->files[i] =
            pool_printf(report->pool, "%s/%s", target->temporary, target->names[i]);
    target->file_count = value->count;
}

static bool write_temporary(struct report *report, struct target *target, const struct value *value,
                            const struct content *content, int threads)
{
    const char *path = target->destination->path;
    int fd = create_temporary(report, target);
    if (fd < 0)
        return failed(report, target, path, strerror(errno));
    target->lock = fd;
    if (!target->directory) {
        /* The same lock: the file is closed before it is renamed. */
        target->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return write_file(report, target, path, fd, content);
    }
    list_files(report, target, value);
    return write_pictures(report, target, value, threads);
}

static bool write_direct(struct report *report, struct target *target,
                         const struct content *content)
{
    bool standard = strcmp(target->path, "-") == 0;
    return write_file(report, target, target->destination->path,
                      standard ? dup(STDOUT_FILENO)
                               : open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY),
                      content);
}

static bool write_target(struct report *report, struct target *target, const struct value *value,
                         const char *const *name, int threads)
{
    struct content content = {value->samples, value->batch ? value->keys : name, value->count,
                              target->kind};
    return target->direct ? write_direct(report, target, &content)
                          : write_temporary(report, target, value, &content, threads);
}

/* The last step: it fails only if the directory changed meanwhile. */
static bool rename_all(struct report *report, struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        if (!target->temporary)
            continue;
        if (rename(target->temporary, target->path) != 0)
            return failed(report, target, target->destination->path, strerror(errno));
        target->temporary = NULL;
    }
    return true;
}

/* What can be undone comes first. */
static bool write_all(struct report *report, struct outputs *outputs, const struct value *results,
                      const char *const *names, int threads, bool direct)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        int r = target->result;
        if (target->direct == direct &&
            !write_target(report, target, &results[r], &names[r], threads))
            return false;
    }
    return true;
}

static void unlock_all(struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++)
        if (outputs->items[i].lock >= 0)
            close(outputs->items[i].lock);
}

bool outputs_write(struct report *report, struct outputs *outputs, const struct value *results,
                   const char *const *names, int threads)
{
    for (int i = 0; i < outputs->count; i++)
        outputs->items[i].lock = -1;
    current = outputs;
    bool done = write_all(report, outputs, results, names, threads, false) &&
                write_all(report, outputs, results, names, threads, true);
    output_hold_signals();
    done = done && rename_all(report, outputs);
    remove_temporaries();
    current = NULL;
    unlock_all(outputs);
    output_release_signals();
    return done;
}
