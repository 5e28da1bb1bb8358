/* See output.h: what is checked before anything is computed. */
#include "cli/outputs/output.h"

#include "cli/files/picture.h"
#include "compiler/base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(struct report *report, const struct target *target, const char *why)
{
    const char *path = target->destination->path;
    return REPORT_ARGUMENT(report, path, strlen(path), OUTPUT_PATH, path, why);
}

/* An absolute path without links, in the arena; NULL and errno when there is none. */
static const char *resolve(struct arena *arena, const char *path)
{
    char *found = realpath(path, NULL);
    const char *copy = found ? arena_string(arena, found, strlen(found)) : NULL;
    int error = errno;
    free(found);
    errno = error;
    return copy;
}

/* A file or directory `path` that is not there yet: what it lies in must be. */
static bool place_new(struct report *report, struct target *target, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    const char *directory = slash ? arena_string(report->arena, path, length ? length : 1) : ".";
    const char *found = resolve(report->arena, directory);
    if (!found)
        return cannot_write(
            report, target,
            arena_printf(report->arena, "directory '%s': %s", directory, strerror(errno)));
    target->path = arena_printf(report->arena, "%s/%s", strcmp(found, "/") ? found : "",
                                slash ? slash + 1 : path);
    return access(found, W_OK | X_OK) == 0 ||
           cannot_write(
               report, target,
               arena_printf(report->arena, "directory '%s': %s", directory, strerror(errno)));
}

/* A regular file or an empty directory that will be replaced. */
static bool place_existing(struct report *report, struct target *target, const char *path,
                           mode_t mode)
{
    target->path = resolve(report->arena, path);
    target->mode = mode & 07777;
    if (!target->path)
        return cannot_write(report, target, strerror(errno));
    size_t length = (size_t)(strrchr(target->path, '/') - target->path);
    const char *directory = arena_string(report->arena, target->path, length ? length : 1);
    return (access(target->path, W_OK) == 0 && access(directory, W_OK | X_OK) == 0) ||
           cannot_write(report, target, strerror(errno));
}

static bool bad_kind(struct report *report, const struct target *target, const char *extension)
{
    const char *path = target->destination->path;
    size_t length = strlen(path);
    if (target->kind != KIND_UNKNOWN)
        return REPORT_ARGUMENT(report, path, length, ONLY_READ, path, extension, KINDS_WRITTEN);
    if (extension)
        return REPORT_ARGUMENT(report, path, length, EXTENSION, path, extension, KINDS_WRITTEN);
    return REPORT_ARGUMENT(report, path, length, NO_EXTENSION, path, KINDS_WRITTEN);
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

/* For a batch of pictures. `status` is NULL when nothing is there. */
static bool place_directory(struct report *report, struct target *target, const struct stat *status)
{
    const char *path = target->destination->path;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *plain = arena_string(report->arena, path, length);
    target->directory = true;
    if (!status && access(plain, F_OK) == 0)
        return cannot_write(report, target, "there is a file of that name");
    if (!status)
        return place_new(report, target, plain);
    if (!is_empty(plain))
        return cannot_write(report, target,
                            "the directory is not empty; name a new or an empty one");
    if (!place_existing(report, target, plain, status->st_mode))
        return false;
    const char *here = resolve(report->arena, ".");
    return !here || strcmp(here, target->path) != 0 ||
           cannot_write(report, target, "it is the current directory; name a new one");
}

static bool place(struct report *report, struct target *target)
{
    struct stat status;
    const char *path = target->destination->path, *extension;
    target->kind = kind_of_path(path, &extension);
    target->path = path;
    bool standard = strcmp(path, "-") == 0, there = !standard && stat(path, &status) == 0;
    bool slash = path[strlen(path) - 1] == '/';
    if (slash || (there ? S_ISDIR(status.st_mode) : !standard && !extension))
        return place_directory(report, target, there ? &status : NULL);
    target->direct = standard || (there && !S_ISREG(status.st_mode));
    if (target->direct && target->kind == KIND_UNKNOWN && !extension)
        target->kind = KIND_NPY;
    if (!kind_is_written(target->kind))
        return bad_kind(report, target, extension);
    if (target->direct)
        return standard || access(path, W_OK) == 0 || cannot_write(report, target, strerror(errno));
    return there ? place_existing(report, target, path, status.st_mode)
                 : place_new(report, target, path);
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
                        arena_printf(report->arena, "it lies inside another output, '%s'",
                                     outer->destination->path));
}

bool outputs_prepare(struct report *report, const struct arguments *arguments,
                     struct outputs *outputs)
{
    outputs->items = ARENA_ARRAY(report->arena, struct target, arguments->output_count + 1);
    for (int i = 0; i < arguments->output_count; i++) {
        struct target *target = &outputs->items[outputs->count++];
        target->destination = &arguments->outputs[i];
        if (!place(report, target))
            return false;
        for (int j = 0; j < i; j++)
            if (!check_apart(report, &outputs->items[j], target))
                return false;
    }
    return true;
}

static bool place_text(struct report *report, struct target *target)
{
    struct stat status;
    const char *path = target->destination->path;
    target->kind = KIND_TEXT;
    if (stat(path, &status) != 0)
        return place_new(report, target, path);
    if (!S_ISREG(status.st_mode))
        return cannot_write(report, target, "something that is no regular file is there");
    return place_existing(report, target, path, status.st_mode);
}

bool outputs_texts(struct report *report, const char *const *paths, int count, struct outputs *outputs)
{
    struct destination *destinations = ARENA_ARRAY(report->arena, struct destination, count);
    *outputs = (struct outputs){ARENA_ARRAY(report->arena, struct target, count), 0};
    for (int i = 0; i < count; i++) {
        struct target *target = &outputs->items[outputs->count++];
        destinations[i] = (struct destination){paths[i], NULL, paths[i]};
        target->destination = &destinations[i];
        target->result = i;
        if (!place_text(report, target))
            return false;
        for (int j = 0; j < i; j++)
            if (!check_apart(report, &outputs->items[j], target))
                return false;
    }
    return true;
}

static int find_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* Names of results, then of bindings. */
static const char **list_names(struct arena *arena, const struct weft_program *program,
                               const struct program *tree, size_t *results, size_t *all)
{
    *results = *all = weft_program_result_count(program);
    int symbols = tree ? tree->symbol_count : 0;
    const char **names = ARENA_ARRAY(arena, const char *, *results + (size_t)symbols + 1);
    for (size_t i = 0; i < *results; i++)
        names[i] = weft_program_result_name(program, i);
    for (int i = 0; i < symbols; i++)
        if (tree->symbols[i].kind == SYMBOL_BINDING)
            names[(*all)++] = tree->symbols[i].name;
    return names;
}

static const char *join(struct arena *arena, const char *const *names, size_t count)
{
    struct buf list;
    buf_init(&list, arena);
    for (size_t i = 0; i < count; i++)
        buf_printf(&list, i ? ", %s" : "%s", names[i]);
    return list.text;
}

static bool name_missing(struct report *report, const struct target *target,
                         const char *const *names, size_t count)
{
    const char *argument = target->destination->argument;
    return REPORT_ARGUMENT(report, argument, strlen(argument), OUTPUT_NAMELESS, (int)count,
                           join(report->arena, names, count));
}

/* No result or binding is called `name`. */
static bool name_unknown(struct report *report, const struct target *target, const char *name,
                         const char *const *names, size_t count)
{
    const char *hint = report_hint(report, name, names, count);
    if (!*hint)
        hint = arena_printf(report->arena, "; it has %s", join(report->arena, names, count));
    return REPORT_ARGUMENT(report, target->destination->argument, strlen(name), OUTPUT_NAME, name,
                           hint);
}

bool outputs_match(struct report *report, const struct outputs *outputs,
                   const struct weft_program *program, const struct program *tree,
                   const char *const **wanted, size_t *wanted_count)
{
    size_t results, all, count = 0;
    const char **names = list_names(report->arena, program, tree, &results, &all);
    const char **list = ARENA_ARRAY(report->arena, const char *, outputs->count + 1);
    for (int i = 0; i < outputs->count; i++) {
        const struct target *target = &outputs->items[i];
        const char *name = target->destination->name;
        if (!name && results != 1)
            return name_missing(report, target, names, results);
        if (name && find_name(names, all, name) < 0)
            return name_unknown(report, target, name, names, all);
        if (name && find_name(names, results, name) < 0 && find_name(list, count, name) < 0)
            list[count++] = name;
    }
    *wanted = list;
    *wanted_count = count;
    return true;
}
