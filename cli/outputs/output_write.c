/* See outputs.h: writing and renaming.
 *
 * Invariant: a folder is listed while signals wait in which it is made, so a signal finds all of them. */
#define _GNU_SOURCE /* renameat2 */
#include "cli/base/base.h"
#include "cli/files/files.h"
#include "cli/outputs/leftovers_impl.h"
#include "cli/outputs/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* When a signal ends the process, or at the end, in which case what was renamed is no longer in them. */
static void remove_folders(void *outputs_)
{
    struct outputs *outputs = outputs_;
    for (int i = 0; i < outputs->count; i++)
        if (outputs->items[i].pictures >= 0 && !outputs->items[i].renamed)
            folder_empty(outputs->items[i].pictures);
    for (struct folder *folder = outputs->folders; folder; folder = folder->next)
        folder_remove(folder);
}

static void close_all(struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++)
        if (outputs->items[i].pictures >= 0)
            close(outputs->items[i].pictures);
    for (struct folder *folder = outputs->folders; folder; folder = folder->next)
        folder_close(folder);
    outputs->folders = NULL;
}

static bool failed(struct report *report, const struct target *target, const char *path,
                   const char *why)
{
    const char *place = target->destination->path;
    return REPORT_ARGUMENT(report, place, strlen(place), OUTPUT_PATH, path, why);
}

/* Finds or makes the folder in a directory. NULL and errno. */
static struct folder *find_folder(struct pool *pool, struct outputs *outputs, const char *directory)
{
    int count = 0;
    for (struct folder *folder = outputs->folders; folder; folder = folder->next, count++)
        if (strcmp(folder->directory, directory) == 0)
            return folder;
    struct folder *folder = folder_new(pool, directory);
    if (!folder)
        return NULL;
    ending_hold();
    const bool made = folder_make(pool, folder, count);
    const int error = errno;
    folder->next = outputs->folders;
    outputs->folders = folder;
    ending_release();
    errno = error;
    return made ? folder : NULL;
}

/* Makes a file, or a directory for pictures, and opens it; -1 and errno. */
static int make_temporary(const struct target *target, int folder)
{
    const char *name = target->temporary;
    if (!target->directory)
        return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return mkdirat(folder, name, 0777) == 0 ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Makes a temporary file, or directory, in the folder beside the target. */
static int create_temporary(struct report *report, struct outputs *outputs, struct target *target)
{
    size_t length = (size_t)(strrchr(target->path, '/') - target->path);
    const char *beside = pool_string(report->pool, target->path, length ? length : 1);
    target->folder = find_folder(report->pool, outputs, beside);
    if (!target->folder)
        return -1;
    target->temporary = pool_printf(report->pool, "%d", (int)(target - outputs->items));
    int fd = make_temporary(target, target->folder->fd);
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
        return picture_write(file, content->kind, content->tensors);
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

/* One file of a directory. */
static bool write_member(struct report *report, const struct target *target, const struct tensor *tensor, int index)
{
    const char *path = pool_printf(report->pool, "%s%s", target->shown, target->names[index]);
    struct content content = {.tensors = tensor, .kind = target->kind};
    ending_pass();
    return write_file(report, target, path,
                      openat(target->pictures, target->names[index], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666),
                      &content);
}

/* The pictures of one directory. */
struct pictures {
    const struct target *target;
    const struct value *value;
};

static bool write_picture(struct report *report, void *user, int index)
{
    const struct pictures *pictures = user;
    return write_member(report, pictures->target, &pictures->value->samples[index], index);
}

static bool write_temporary(struct report *report, struct outputs *outputs, struct target *target,
                            const struct value *value, const struct content *content, int threads)
{
    const char *path = target->destination->path;
    int fd = create_temporary(report, outputs, target);
    if (fd < 0)
        return failed(report, target, path, strerror(errno));
    if (!target->directory)
        return write_file(report, target, path, fd, content);
    target->pictures = fd;
    struct pictures pictures = {target, value};
    struct work work = {"writing", value->count, threads, write_picture, &pictures};
    return work_do(report, &work);
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

/* The only sample of each result. */
static struct content all_content(struct pool *pool, const struct value *results, const char *const *names, int count)
{
    struct tensor *tensors = POOL_ARRAY(pool, struct tensor, count + 1);
    for (int i = 0; i < count; i++)
        tensors[i] = results[i].samples[0];
    return (struct content){tensors, names, count, KIND_NPZ};
}

/* Whether an array of bytes holds a 1 and nothing above, as where values from 0 to 1 became integers. */
static bool looks_black(const struct tensor *tensor)
{
    const unsigned char *bytes = tensor->data;
    unsigned char most = 0;
    if (tensor->dtype != WEFT_UINT8)
        return false;
    for (size_t i = 0; i < tensor->size; i++)
        most = bytes[i] > most ? bytes[i] : most;
    return most == 1;
}

static bool write_target(struct report *report, struct outputs *outputs, struct target *target,
                         const struct value *results, const char *const *names, int threads)
{
    const struct value *value = &results[target->result];
    struct content content = {value->samples, value->batch ? value->keys : &names[target->result], value->count,
                              target->kind};
    if (target->all)
        content = all_content(report->pool, results, names, target->result_count);
    if (kind_is_picture(target->kind) && !value->batch && !value->truth && looks_black(value->samples))
        REPORT_NOTE(report, target->destination->path, DARK_PICTURE);
    return target->direct ? write_direct(report, target, &content)
                          : write_temporary(report, outputs, target, value, &content, threads);
}

/* ---- renaming ---- */

/* How a file of a merged directory got there: it changed places with another, or there was none. */
enum { EXCHANGED = 1, ALONE = 2 };

/* Brings file i of a merged directory back. */
static void undo_member(const struct target *target, int directory, int i)
{
    const char *name = target->names[i];
    if (target->how[i] == EXCHANGED)
        renameat2(directory, name, target->pictures, name, RENAME_EXCHANGE);
    else if (target->how[i] == ALONE)
        renameat(directory, name, target->pictures, name);
    target->how[i] = 0;
}

static void undo_merge(struct target *target, int directory)
{
    for (int i = 0; i < target->name_count; i++)
        undo_member(target, directory, i);
}

static bool is_directory(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

/* Files change places with those of their names, which so can come back; those that are replaced are then in the
 * temporary directory, which goes. Where the file system exchanges nothing, they are replaced for good. */
static bool merge(struct pool *pool, struct target *target, int directory)
{
    target->how = POOL_ARRAY(pool, unsigned char, target->name_count + 1);
    for (int i = 0; i < target->name_count; i++) {
        const char *name = target->names[i];
        if (!name)
            continue;
        const bool taken = is_directory(directory, name);
        const bool exchanged =
            !taken && renameat2(target->pictures, name, directory, name, RENAME_EXCHANGE) == 0;
        target->how[i] = exchanged ? EXCHANGED : errno == ENOENT ? ALONE : 0;
        if (exchanged || (!taken && renameat(target->pictures, name, directory, name) == 0))
            continue;
        const int error = taken ? EISDIR : errno;
        target->how[i] = 0;
        undo_merge(target, directory);
        errno = error;
        return false;
    }
    return true;
}

static int open_directory(const struct target *target)
{
    return openat(target->folder->parent, strrchr(target->path, '/') + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool merge_one(struct pool *pool, struct target *target)
{
    const int directory = open_directory(target);
    const bool done = directory >= 0 && merge(pool, target, directory);
    const int error = errno;
    if (directory >= 0)
        close(directory);
    errno = error;
    return done;
}

/* A file changes places with the one that it replaces, which can so come back. */
static bool rename_one(struct target *target)
{
    const struct folder *folder = target->folder;
    const char *name = strrchr(target->path, '/') + 1;
    target->exchanged = !target->directory &&
                        renameat2(folder->fd, target->temporary, folder->parent, name, RENAME_EXCHANGE) == 0;
    target->alone = target->directory || errno == ENOENT;
    target->renamed = target->exchanged || renameat(folder->fd, target->temporary, folder->parent, name) == 0;
    return target->renamed;
}

/* What an empty directory was replaced by leaves an empty one. On a file system that exchanges nothing a file that was
 * replaced cannot come back: better the new one than none. */
static void undo_one(struct target *target)
{
    const struct folder *folder = target->folder;
    const char *name = strrchr(target->path, '/') + 1;
    if (target->merged) {
        const int directory = open_directory(target);
        if (directory >= 0)
            undo_merge(target, directory);
        close(directory);
        return;
    }
    if (target->exchanged)
        renameat2(folder->parent, name, folder->fd, target->temporary, RENAME_EXCHANGE);
    else if (target->alone)
        target->renamed = renameat(folder->parent, name, folder->fd, target->temporary) != 0;
    if (target->directory && target->mode)
        mkdirat(folder->parent, name, target->mode);
}

/* A directory keeps the mode of the one it replaces, which may forbid to move it: so that comes last. */
static void keep_modes(const struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const struct target *target = &outputs->items[i];
        if (target->temporary && target->directory && target->mode && !target->merged)
            (void)!fchmod(target->pictures, target->mode);
    }
}

/* The last step, of all outputs or none. */
static bool rename_all(struct report *report, struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const struct target *target = &outputs->items[i];
        if (!target->temporary ||
            (target->merged ? merge_one(report->pool, &outputs->items[i]) : rename_one(&outputs->items[i])))
            continue;
        const int error = errno;
        while (i-- > 0)
            if (outputs->items[i].temporary)
                undo_one(&outputs->items[i]);
        return failed(report, target, target->destination->path, strerror(error));
    }
    keep_modes(outputs);
    return true;
}

static bool write_those(struct report *report, struct outputs *outputs, const struct value *results,
                        const char *const *names, int threads, bool batch, bool direct)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        if (target->batch == batch && target->direct == direct &&
            !write_target(report, outputs, target, results, names, threads))
            return false;
    }
    return true;
}

static void begin(struct outputs *outputs)
{
    outputs->watch = (struct watch){remove_folders, outputs, NULL};
    for (int i = 0; i < outputs->count; i++)
        outputs->items[i].pictures = -1;
    ending_hold();
    ending_watch(&outputs->watch);
    ending_release();
}

static bool end(struct report *report, struct outputs *outputs, bool done)
{
    ending_hold();
    done = done && rename_all(report, outputs);
    remove_folders(outputs);
    ending_forget(&outputs->watch);
    ending_release();
    close_all(outputs);
    outputs->watch.remove = NULL;
    return done;
}

bool outputs_write(struct report *report, struct outputs *outputs, const struct value *results,
                   const char *const *names, int threads)
{
    bool good = true;
    begin(outputs);
    for (int i = 0; i < 4 && good; i++) /* what can be undone comes first */
        good = write_those(report, outputs, results, names, threads, i % 2, i / 2);
    return end(report, outputs, good);
}

/* ---- sample after sample ---- */

bool outputs_stream(const struct outputs *outputs)
{
    bool good = outputs->count > 0;
    for (int i = 0; i < outputs->count; i++)
        good = good && !(outputs->items[i].batch && outputs->items[i].direct);
    return good;
}

static bool open_archive(struct report *report, struct target *target, int fd, int samples)
{
    target->file = fdopen(fd, "w");
    const int error = errno;
    if (!target->file) {
        close(fd);
        return failed(report, target, target->destination->path, strerror(error));
    }
    target->writer = npz_begin(target->file, samples);
    return target->writer || failed(report, target, target->destination->path, "memory ran out");
}

bool outputs_begin(struct report *report, struct outputs *outputs, int samples)
{
    begin(outputs);
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        if (!target->batch)
            continue;
        const int fd = create_temporary(report, outputs, target);
        if (fd < 0)
            return failed(report, target, target->destination->path, strerror(errno));
        if (target->directory)
            target->pictures = fd;
        else if (!open_archive(report, target, fd, samples))
            return false;
    }
    return true;
}

bool outputs_files(struct report *report, struct outputs *outputs, const struct tensor *results, int sample)
{
    for (int i = 0; i < outputs->count; i++) {
        const struct target *target = &outputs->items[i];
        if (target->directory && !write_member(report, target, &results[target->result], sample))
            return false;
    }
    return true;
}

void outputs_leave_out(struct outputs *outputs, int sample)
{
    for (int i = 0; i < outputs->count; i++)
        if (outputs->items[i].directory)
            outputs->items[i].names[sample] = NULL;
}

bool outputs_archives(struct report *report, struct outputs *outputs, const struct tensor *results, const char *key)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        if (!target->writer)
            continue;
        ending_pass();
        errno = 0;
        npz_put(target->writer, key, &results[target->result]);
        if (ferror(target->file))
            return failed(report, target, target->destination->path, errno ? strerror(errno) : "a write failed");
    }
    return true;
}

static bool complete_archive(struct report *report, struct target *target)
{
    errno = 0;
    npz_end(target->writer);
    target->writer = NULL;
    bool good = !ferror(target->file);
    int error = errno;
    if (fclose(target->file) != 0 && good) {
        good = false;
        error = errno;
    }
    target->file = NULL;
    return good || failed(report, target, target->destination->path, error ? strerror(error) : "a write failed");
}

bool outputs_single(struct report *report, struct outputs *outputs, const struct value *results,
                    const char *const *names, int threads)
{
    return write_those(report, outputs, results, names, threads, false, false) &&
           write_those(report, outputs, results, names, threads, false, true);
}

bool outputs_end(struct report *report, struct outputs *outputs, bool good)
{
    if (!outputs->watch.remove)
        return good;               /* nothing was begun */
    for (int i = 0; i < outputs->count; i++)
        if (outputs->items[i].file && good)
            good = complete_archive(report, &outputs->items[i]);
        else if (outputs->items[i].file) {
            npz_abandon(outputs->items[i].writer);
            fclose(outputs->items[i].file);
        }
    return end(report, outputs, good);
}
