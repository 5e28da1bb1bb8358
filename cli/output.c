/* See output.h: what is checked before anything is computed. */
#include "cli/output.h"

#include "cli/picture.h"
#include "compiler/base/buf.h"

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

/* A file that is not there yet: its directory must be. */
static bool place_new(struct report *report, struct target *target)
{
    const char *path = target->destination->path, *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    const char *directory = slash ? arena_string(report->arena, path, length ? length : 1) : ".";
    const char *found = resolve(report->arena, directory);
    if (!found)
        return cannot_write(
            report, target,
            arena_printf(report->arena, "directory '%s': %s", directory, strerror(errno)));
    if (slash && !slash[1])
        return cannot_write(report, target, "directories are not supported yet");
    target->path = arena_printf(report->arena, "%s/%s", strcmp(found, "/") ? found : "",
                                slash ? slash + 1 : path);
    return access(found, W_OK | X_OK) == 0 ||
           cannot_write(
               report, target,
               arena_printf(report->arena, "directory '%s': %s", directory, strerror(errno)));
}

/* A regular file that will be replaced. */
static bool place_existing(struct report *report, struct target *target, mode_t mode)
{
    target->path = resolve(report->arena, target->destination->path);
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

static bool place(struct report *report, struct target *target)
{
    struct stat status;
    const char *path = target->destination->path, *extension;
    target->kind = kind_of_path(path, &extension);
    target->path = path;
    bool there = strcmp(path, "-") != 0 && stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return cannot_write(report, target, "it is a directory; batches are not supported yet");
    target->direct = strcmp(path, "-") == 0 || (there && !S_ISREG(status.st_mode));
    if (target->direct && target->kind == KIND_UNKNOWN && !extension)
        target->kind = KIND_NPY;
    if (!kind_is_written(target->kind))
        return bad_kind(report, target, extension);
    if (target->direct)
        return strcmp(path, "-") == 0 || access(path, W_OK) == 0 ||
               cannot_write(report, target, strerror(errno));
    return there ? place_existing(report, target, status.st_mode) : place_new(report, target);
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
            if (strcmp(outputs->items[j].path, target->path) == 0) {
                const char *path = target->destination->path;
                return REPORT_ARGUMENT(report, path, strlen(path), OUTPUT_TWICE, path);
            }
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

static bool name_missing(struct report *report, const struct target *target,
                         const char *const *names, size_t count)
{
    struct buf list;
    buf_init(&list, report->arena);
    for (size_t i = 0; i < count; i++)
        buf_printf(&list, i ? ", %s" : "%s", names[i]);
    const char *argument = target->destination->argument;
    return REPORT_ARGUMENT(report, argument, strlen(argument), OUTPUT_NAMELESS, (int)count,
                           list.text);
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
            return REPORT_ARGUMENT(report, target->destination->argument, strlen(name), OUTPUT_NAME,
                                   name, report_hint(report, name, names, all));
        if (name && find_name(names, results, name) < 0 && find_name(list, count, name) < 0)
            list[count++] = name;
    }
    *wanted = list;
    *wanted_count = count;
    return true;
}

static const char *info_type(struct arena *arena, const struct weft_tensor_info *info)
{
    struct tensor tensor = {.dtype = info->dtype, .rank = info->rank};
    memcpy(tensor.shape, info->shape, sizeof info->shape);
    return tensor_type(arena, &tensor);
}

bool outputs_bind(struct report *report, struct outputs *outputs,
                  const struct weft_tensor_info *results, size_t count)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        const char *name = target->destination->name, *path = target->destination->path;
        size_t r = 0;
        while (name && r + 1 < count && strcmp(results[r].name, name) != 0)
            r++;
        target->result = (int)r;
        const struct weft_tensor_info *info = &results[r];
        const char *misfit =
            target->kind == KIND_PNG ? picture_misfit(info->dtype, info->rank, info->shape) : NULL;
        if (misfit)
            return REPORT_ARGUMENT(report, path, strlen(path), PNG_RESULT,
                                   info_type(report->arena, info), misfit);
    }
    return true;
}
