/* See outputs.h: can each output hold its result, and what are the samples of a batch called in it? */
#include "cli/outputs/outputs.h"

#include "cli/files/files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What else the user could write than a picture. */
static const char *other_kind(struct report *report, const struct target *target)
{
    return target->directory ? pool_printf(report->pool, "; or write arrays, -o '%s*.npy'", target->shown) : "";
}

static bool misfit(struct report *report, const struct target *target, const struct value *value,
                   int index, const char *why)
{
    const char *path = target->destination->path;
    const char *type = tensor_type(report->pool, &value->samples[index]);
    if (value->batch)
        type = pool_printf(report->pool, "%s in sample '%s'", type, value->keys[index]);
    return REPORT_ARGUMENT(report, path, strlen(path), PICTURE_RESULT, kind_extension(target->kind),
                           picture_takes(target->kind), type, why, other_kind(report, target));
}

/* The first sample that cannot be written, and why; -1: all can. */
static int find_misfit(enum kind kind, const struct value *value, const char **why)
{
    for (int i = 0; i < value->count; i++) {
        const struct tensor *sample = &value->samples[i];
        *why = picture_misfit(kind, sample->dtype, sample->rank, sample->shape);
        if (*why)
            return i;
    }
    return -1;
}

static bool check_pictures(struct report *report, const struct target *target,
                           const struct value *value)
{
    const char *why;
    const int index = find_misfit(target->kind, value, &why);
    return index < 0 || misfit(report, target, value, index, why);
}

/* Whether samples come from pictures, by the names of their files. */
static bool from_pictures(const struct value *value)
{
    const char *extension;
    bool picture = false;
    for (int i = 0; i < value->count; i++)
        picture = picture || kind_is_picture(kind_of_path(value->paths[i], &extension));
    return picture;
}

/* Where the user named no kind: pictures if that is what the results are, and arrays of arrays. */
static void choose_kind(struct target *target, const struct value *value)
{
    const char *why;
    const bool fits = find_misfit(KIND_PNG, value, &why) < 0;
    target->kind = fits || from_pictures(value) ? KIND_PNG : KIND_NPY;
}

/* Whether all samples come from JPEG files. */
static bool from_jpegs(const struct value *value)
{
    const char *extension;
    bool jpegs = value->count > 0;
    for (int i = 0; i < value->count; i++)
        jpegs = jpegs && kind_of_path(value->paths[i], &extension) == KIND_JPEG;
    return jpegs;
}

/* One array goes to a directory: says why it is one, and which file could be meant. */
static bool no_batch(struct report *report, const struct target *target, const struct value *value)
{
    const char *path = target->destination->path, *shown = target->shown, *why;
    const enum kind kind = find_misfit(KIND_PNG, value, &why) < 0 ? KIND_PNG : KIND_NPY;
    const char *extension = target->extension ? target->extension : kind_extension(kind);
    const bool there = target->mode != 0;
    return REPORT_ARGUMENT(report, path, strlen(path), NO_BATCH_RESULT, path,
                           there ? "is a directory, which takes a batch"
                           : target->extension ? "are the files of a batch"
                                               : "ends with a '/', which asks for a directory and so for a batch",
                           there ? pool_printf(report->pool, "%sout%s", shown, extension)
                                 : pool_printf(report->pool, "%.*s%s", (int)strlen(shown) - 1, shown, extension));
}

/* One array into a file, a batch into an archive or a directory. */
static bool check_kind(struct report *report, const struct target *target,
                       const struct value *value)
{
    const char *path = target->destination->path;
    size_t length = strlen(path);
    if (value->batch && !target->directory && target->kind != KIND_NPZ)
        return REPORT_ARGUMENT(report, path, length, BATCH_RESULT, path, kind_extension(target->kind));
    if (value->batch || !target->directory)
        return true;
    if (target->mode || path[length - 1] == '/' || target->extension)
        return no_batch(report, target, value);
    return REPORT_ARGUMENT(report, path, length, NO_EXTENSION, path, KINDS);
}

/* Why a file of the directory cannot have this name; NULL: it can. */
static const char *bad_name(const char *name)
{
    return strchr(name, '/')         ? "it holds a '/'"
           : strlen(name) > NAME_MAX ? "it is too long for a file"
                                     : NULL;
}

struct named {
    const char *name;
    int sample;
};

static int by_name(const void *a, const void *b)
{
    const struct named *first = a, *second = b;
    int order = strcmp(first->name, second->name);
    return order ? order : (first->sample > second->sample) - (first->sample < second->sample);
}

/* What helps where two samples have one name: of one directory a pattern chooses. */
static const char *apart_hint(struct report *report, const char *first, const char *second)
{
    const char *extension;
    const size_t length = (size_t)(strrchr(first, '/') ? strrchr(first, '/') - first + 1 : 0);
    kind_of_path(first, &extension);
    return extension && strncmp(first, second, length) == 0 && !strchr(second + length, '/')
               ? pool_printf(report->pool, "a quoted pattern, as '%.*s*%s', chooses", (int)length, first, extension)
               : "rename one";
}

static bool check_apart(struct report *report, const struct target *target,
                        const struct value *value, const char *const *names)
{
    const char *path = target->destination->path;
    struct named *sorted = POOL_ARRAY(report->pool, struct named, value->count + 1);
    for (int i = 0; i < value->count; i++)
        sorted[i] = (struct named){names[i], i};
    if (value->count)
        qsort(sorted, (size_t)value->count, sizeof *sorted, by_name);
    for (int i = 1; i < value->count; i++)
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            return REPORT_ARGUMENT(report, path, strlen(path), SAMPLE_NAMES, sorted[i].name, path,
                                   value->paths[sorted[i - 1].sample],
                                   value->paths[sorted[i].sample],
                                   apart_hint(report, value->paths[sorted[i - 1].sample],
                                              value->paths[sorted[i].sample]));
    return true;
}

static bool name_files(struct report *report, struct target *target, const struct value *value)
{
    const char *path = target->destination->path;
    target->names = POOL_ARRAY(report->pool, const char *, value->count + 1);
    target->name_count = value->count;
    for (int i = 0; i < value->count; i++) {
        target->names[i] = pool_printf(report->pool, "%s%s", value->keys[i],
                                       target->extension ? target->extension : kind_extension(target->kind));
        const char *why = bad_name(target->names[i]);
        if (why)
            return REPORT_ARGUMENT(report, path, strlen(path), SAMPLE_NAME, target->names[i], path,
                                   why);
    }
    return true;
}

/* What casts to the type of a picture. */
static const char *type_words(const struct value *value)
{
    return value->count ? weft_dtype_name(value->samples[0].dtype) : "uint8";
}

static bool bind(struct report *report, struct target *target, const struct value *value)
{
    if (!check_kind(report, target, value))
        return false;
    if (target->directory && !target->extension)
        choose_kind(target, value);
    if (kind_is_picture(target->kind) && !check_pictures(report, target, value))
        return false;
    if (target->directory && !target->extension && target->kind == KIND_PNG && from_jpegs(value))
        REPORT_NOTE(report, target->destination->path, FROM_JPEG, target->shown);
    if (kind_is_picture(target->kind) && value->truth)
        REPORT_NOTE(report, target->destination->path, BLACK_PICTURE, type_words(value));
    return !value->batch ||
           ((!target->directory || name_files(report, target, value)) &&
            check_apart(report, target, value, target->directory ? target->names : value->keys));
}

/* An archive of all results: of one array each. */
static bool bind_all(struct report *report, struct target *target, const struct value *results,
                     const char *const *names, size_t count)
{
    const char *path = target->destination->path;
    target->result_count = (int)count;
    for (size_t r = 0; r < count; r++)
        if (results[r].batch)
            return REPORT_ARGUMENT(report, path, strlen(path), ALL_BATCH, path, names[r], names[r], names[r]);
    return true;
}

bool outputs_bind(struct report *report, struct outputs *outputs, const struct value *results,
                  const char *const *names, size_t count)
{
    for (int i = 0; i < outputs->count; i++) {
        struct target *target = &outputs->items[i];
        const char *name = target->destination->name;
        size_t r = 0;
        while (name && r + 1 < count && strcmp(names[r], name) != 0)
            r++;
        target->result = (int)r;
        target->batch = !target->all && results[r].batch;
        if (target->all ? !bind_all(report, target, results, names, count) : !bind(report, target, &results[r]))
            return false;
    }
    return true;
}
