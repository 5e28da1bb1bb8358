/* See outputs.h: what is checked before anything is computed. */
#include "cli/outputs/outputs.h"

#include "cli/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

static bool cannot_write(struct report *report, const struct target *target, const char *why)
{
    const char *path = target->destination->path;
    return REPORT_ARGUMENT(report, path, strlen(path), OUTPUT_PATH, path, why);
}

/* An absolute path without links, in the pool; NULL and errno when there is none. */
static const char *resolve(struct pool *pool, const char *path)
{
    char *found = realpath(path, NULL);
    const char *copy = found ? pool_string(pool, found, strlen(found)) : NULL;
    int error = errno;
    free(found);
    errno = error;
    return copy;
}

/* A file or directory that does not exist yet: its directory must. */
static bool place_new(struct report *report, struct target *target, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    const char *directory = slash ? pool_string(report->pool, path, length ? length : 1) : ".";
    const char *found = resolve(report->pool, directory);
    if (found)
        target->path = pool_printf(report->pool, "%s/%s", strcmp(found, "/") ? found : "", slash ? slash + 1 : path);
    return (found && access(found, W_OK | X_OK) == 0) ||
           cannot_write(report, target,
                        pool_printf(report->pool, "directory '%s': %s%s", directory, strerror(errno),
                                     errno == ENOENT ? "; make it first, as by mkdir -p" : ""));
}

/* A regular file or an empty directory that will be replaced. */
static bool place_existing(struct report *report, struct target *target, const char *path,
                           mode_t mode)
{
    target->path = resolve(report->pool, path);
    target->mode = mode & 07777;
    if (!target->path)
        return cannot_write(report, target, strerror(errno));
    size_t length = (size_t)(strrchr(target->path, '/') - target->path);
    const char *directory = pool_string(report->pool, target->path, length ? length : 1);
    return (access(target->path, W_OK) == 0 && access(directory, W_OK | X_OK) == 0) ||
           cannot_write(report, target, strerror(errno));
}

static bool bad_kind(struct report *report, const struct target *target, const char *extension)
{
    const char *path = target->destination->path;
    size_t length = strlen(path);
    if (extension)
        return REPORT_ARGUMENT(report, path, length, EXTENSION, path, extension, KINDS);
    return REPORT_ARGUMENT(report, path, length, NO_EXTENSION, path, KINDS);
}

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    bool empty = directory;
    while (empty && (entry = readdir(directory)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

/* For a batch of files. `status` is NULL when nothing is there. */
static bool place_directory(struct report *report, struct target *target, const char *path, const struct stat *status)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *plain = pool_string(report->pool, path, length);
    target->directory = true;
    target->shown = strcmp(plain, "/") == 0 ? plain : pool_printf(report->pool, "%s/", plain);
    if (!status && access(plain, F_OK) == 0)
        return cannot_write(report, target, "there is a file of that name");
    if (!status)
        return place_new(report, target, plain);
    target->merged = !is_empty(plain);
    if (target->merged && !target->force)
        return cannot_write(report, target,
                            "the directory is not empty; name a new or an empty one, or add --force, which replaces "
                            "files of the same names and keeps the others");
    if (!place_existing(report, target, plain, status->st_mode))
        return false;
    if (target->merged)
        return true;
    const char *here = resolve(report->pool, ".");
    return !here || strcmp(here, target->path) != 0 ||
           cannot_write(report, target, "it is the current directory; name a new one");
}

/* Where links lead that end at nothing; the path itself if it is no such link. */
static const char *follow(struct pool *pool, const char *path)
{
    struct stat status;
    for (int i = 0; i < MOST_LINKS && lstat(path, &status) == 0 && S_ISLNK(status.st_mode); i++) {
        char *to = pool_alloc(pool, (size_t)PATH_MAX + 1);
        const char *slash = strrchr(path, '/');
        if (readlink(path, to, PATH_MAX) < 0)
            break;
        path = *to == '/' || !slash ? to : pool_printf(pool, "%.*s/%s", (int)(slash - path), path, to);
    }
    return path;
}

/* A star and an extension behind a directory: its files, of this kind. */
static bool place_pattern(struct report *report, struct target *target, const char *star, const char *extension)
{
    struct stat status;
    const char *path = target->destination->path;
    const char *directory = star == path ? "." : pool_string(report->pool, path, (size_t)(star - path));
    if (!extension || target->kind == KIND_UNKNOWN || target->kind == KIND_NPZ)
        return bad_kind(report, target, extension);
    target->extension = extension;
    return place_directory(report, target, directory, stat(directory, &status) == 0 ? &status : NULL);
}

static bool place(struct report *report, struct target *target)
{
    struct stat status;
    const char *path = target->destination->path, *extension;
    target->kind = kind_of_path(path, &extension);
    target->path = path;
    bool standard = strcmp(path, "-") == 0, there = !standard && stat(path, &status) == 0;
    if (!standard && !there && errno == ELOOP)
        return cannot_write(report, target, strerror(errno));
    const char *last = strrchr(path, '/');
    last = last ? last + 1 : path;
    if (!there && last[0] == '*' && (!last[1] || strchr(last, '.') == last + 1))
        return place_pattern(report, target, last, extension);
    bool slash = path[strlen(path) - 1] == '/';
    if (slash || (there ? S_ISDIR(status.st_mode) : !standard && !extension))
        return place_directory(report, target, path, there ? &status : NULL);
    target->direct = standard || (there && !S_ISREG(status.st_mode));
    if (target->direct && target->kind == KIND_UNKNOWN && !extension)
        target->kind = KIND_NPY;
    if (target->kind == KIND_UNKNOWN)
        return bad_kind(report, target, extension);
    if (target->direct)
        return standard || access(path, W_OK) == 0 || cannot_write(report, target, strerror(errno));
    return there ? place_existing(report, target, path, status.st_mode)
                 : place_new(report, target, follow(report->pool, path));
}

/* Two outputs to one path, or one inside the directory that is another. */
static bool check_apart(struct report *report, const struct target *a, const struct target *b)
{
    const char *path = b->destination->path;
    if (strcmp(a->path, b->path) == 0)
        return REPORT_ARGUMENT(report, path, strlen(path), OUTPUT_TWICE, path);
    const struct target *outer = strlen(a->path) < strlen(b->path) ? a : b;
    const struct target *inner = outer == a ? b : a;
    size_t length = strlen(outer->path);
    bool inside = outer->directory && strncmp(outer->path, inner->path, length) == 0 &&
                  inner->path[length] == '/';
    return !inside ||
           cannot_write(report, inner,
                        pool_printf(report->pool, "it lies inside another output, '%s'",
                                     outer->destination->path));
}

/* Places one more output, apart from those before it. */
static bool add_output(struct report *report, struct outputs *outputs, const struct destination *destination,
                       bool force, bool (*how)(struct report *report, struct target *target))
{
    struct target *target = &outputs->items[outputs->count];
    *target = (struct target){.destination = destination, .result = outputs->count++, .force = force};
    if (!how(report, target))
        return false;
    for (const struct target *before = outputs->items; before < target; before++)
        if (!check_apart(report, before, target))
            return false;
    return true;
}

bool outputs_prepare(struct report *report, const struct arguments *arguments,
                     struct outputs *outputs)
{
    bool good = true;
    outputs->items = POOL_ARRAY(report->pool, struct target, arguments->output_count + 1);
    for (int i = 0; good && i < arguments->output_count; i++)
        good = add_output(report, outputs, &arguments->outputs[i], arguments->force, place);
    return good;
}

static bool place_text(struct report *report, struct target *target)
{
    struct stat status;
    const char *path = target->destination->path;
    target->kind = KIND_TEXT;
    if (stat(path, &status) != 0)
        return place_new(report, target, follow(report->pool, path));
    return S_ISREG(status.st_mode) ? place_existing(report, target, path, status.st_mode)
                                   : cannot_write(report, target, "something that is no regular file is there");
}

bool outputs_texts(struct report *report, const char *const *paths, int count, struct outputs *outputs)
{
    struct destination *destinations = POOL_ARRAY(report->pool, struct destination, count);
    bool good = true;
    *outputs = (struct outputs){.items = POOL_ARRAY(report->pool, struct target, count)};
    for (int i = 0; good && i < count; i++) {
        destinations[i] = (struct destination){paths[i], NULL, paths[i]};
        good = add_output(report, outputs, &destinations[i], false, place_text);
    }
    return good;
}

static int find_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* Names of results, then of bindings. */
static const char **list_names(struct pool *pool, const struct weft_program *program, size_t *results,
                               size_t *all)
{
    const char **names = NULL, *name;
    int count = 0;
    for (size_t i = 0; (name = weft_program_result_name(program, i)); i++)
        POOL_PUSH(pool, names, count, name);
    *results = (size_t)count;
    for (size_t i = 0; (name = weft_program_binding_name(program, i)); i++)
        POOL_PUSH(pool, names, count, name);
    *all = (size_t)count;
    return names;
}

/* No result or binding is called `name`. */
static bool name_unknown(struct report *report, const struct target *target, const char *name,
                         const char *const *names, size_t count)
{
    const char *hint = report_hint(report, name, names, count);
    if (!*hint)
        hint = pool_printf(report->pool, "; it has %s", pool_join(report->pool, names, count, ", "));
    return REPORT_ARGUMENT(report, target->destination->argument, strlen(name), OUTPUT_NAME, name,
                           hint);
}

bool outputs_match(struct report *report, struct outputs *outputs,
                   const struct weft_program *program, const char *const **wanted, size_t *wanted_count)
{
    size_t results, all, count = 0;
    const char **names = list_names(report->pool, program, &results, &all);
    const char **list = POOL_ARRAY(report->pool, const char *, outputs->count + 1);
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        const char *name = target->destination->name;
        target->all = !name && results != 1 && target->kind == KIND_NPZ && !target->directory;
        if (!name && results != 1 && !target->all)
            return REPORT_ARGUMENT(report, target->destination->argument, strlen(target->destination->argument),
                                   OUTPUT_NAMELESS, (int)results, pool_join(report->pool, names, results, ", "),
                                   target->directory ? "" : "; or -o PATH.npz for all of them");
        if (name && find_name(names, all, name) < 0)
            return name_unknown(report, target, name, names, all);
        if (name && find_name(names, results, name) < 0 && find_name(list, count, name) < 0)
            list[count++] = name;
    }
    *wanted = list;
    *wanted_count = count;
    return true;
}
