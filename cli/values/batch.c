/* See batch_impl.h. */
#include "cli/values/batch_impl.h"

#include "cli/base/base.h"
#include "cli/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* An unreadable directory in the middle of a pattern is an error; something that is no directory is not. */
static int on_glob_error(const char *path, int error)
{
    (void)path;
    errno = error;
    return error != ENOENT && error != ENOTDIR;
}

bool value_is_pattern(const char *text)
{
    struct stat status;
    glob_t found = {0};
    if (!strpbrk(text, "*?[") || stat(text, &status) == 0)
        return false;
    bool matches = glob(text, GLOB_NOSORT, NULL, &found) == 0;
    globfree(&found);
    return matches;
}

bool batch_glob(struct report *report, const char *pattern, const char ***paths, int *count)
{
    glob_t found = {0};
    errno = 0;
    int status = glob(pattern, GLOB_NOSORT, on_glob_error, &found);
    int error = errno;
    *count = 0;
    *paths = POOL_ARRAY(report->pool, const char *, found.gl_pathc + 1);
    for (size_t i = 0; status == 0 && i < found.gl_pathc; i++)
        (*paths)[(*count)++] =
            pool_string(report->pool, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    globfree(&found);
    if (*count)
        qsort(*paths, (size_t)*count, sizeof **paths, by_bytes);
    return status == 0 || status == GLOB_NOMATCH ||
           REPORT_FILE(report, pattern, FILE_ERROR, "match it",
                       strerror(status == GLOB_NOSPACE ? ENOMEM : error));
}

bool batch_directory(struct report *report, const char *path, const char ***paths, int *count)
{
    size_t length = strlen(path);
    const char *slash = length && path[length - 1] == '/' ? "" : "/";
    DIR *directory = opendir(path);
    struct dirent *entry;
    *paths = NULL;
    *count = 0;
    if (directory)
        errno = 0;
    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            POOL_PUSH(report->pool, *paths, *count,
                       pool_printf(report->pool, "%s%s%s", path, slash, entry->d_name));
    int error = errno;
    if (directory)
        closedir(directory);
    if (*count)
        qsort(*paths, (size_t)*count, sizeof **paths, by_bytes);
    return !error || REPORT_FILE(report, path, FILE_ERROR, "read it", strerror(error));
}

/* Whether a file without an extension holds nothing that is read. */
static bool is_strange(const char *path)
{
    unsigned char bytes[8];
    FILE *file = fopen(path, "re");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    const bool read = file && !ferror(file);
    if (file)
        fclose(file);
    return read && kind_of_content(bytes, size) == KIND_UNKNOWN;
}

/* Whether a file, for what it is or is called, was hardly meant as a sample: why, else NULL. */
static const char *no_sample(struct report *report, const char *path)
{
    struct stat status;
    const char *extension;
    const enum kind kind = kind_of_path(path, &extension);
    if (stat(path, &status) != 0)
        return NULL;
    if (S_ISDIR(status.st_mode))
        return "a directory";
    if (kind == KIND_UNKNOWN && extension)
        return pool_printf(report->pool, "%s", extension);
    if (kind == KIND_NPZ)
        return "an archive";
    return S_ISREG(status.st_mode) && kind == KIND_UNKNOWN && is_strange(path) ? "of no known kind" : NULL;
}

bool batch_skip(struct report *report, struct value *value)
{
    enum { NAMED = 3 };            /* in the note */
    const char **kept = POOL_ARRAY(report->pool, const char *, value->count + 1), *names = "";
    int count = 0, skipped = 0;
    for (int i = 0; i < value->count; i++) {
        const char *why = no_sample(report, value->paths[i]);
        if (!why)
            kept[count++] = value->paths[i];
        else if (skipped++ < NAMED)
            names = pool_printf(report->pool, "%s%s'%s' (%s)", names, *names ? ", " : "",
                                report_plain(report, value->paths[i]), why);
    }
    if (!skipped)
        return true;
    if (skipped > NAMED)
        names = pool_printf(report->pool, "%s and %d more", names, skipped - NAMED);
    if (!count)
        return REPORT_FILE(report, value->text, NO_SAMPLES, skipped, skipped == 1 ? "file is none" : "files are none",
                           names);
    REPORT_NOTE(report, value->text, SKIPPED, skipped, skipped == 1 ? "file is" : "files are",
                skipped == 1 ? "is no sample" : "are no samples", names);
    value->paths = kept;
    value->count = count;
    return true;
}

/* What the work on samples shares. */
struct reading {
    struct value *value;
    struct npz npz;
    bool *left; /* [value->count] the samples that are left out; NULL: none may be */
};

/* Why a path cannot be a sample; NULL: it can. */
static const char *misfit(struct report *report, const char *path)
{
    struct stat status;
    const char *extension;
    if (stat(path, &status) != 0)
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (!S_ISREG(status.st_mode))
        return "it is no regular file";
    if (kind_of_path(path, &extension) == KIND_UNKNOWN && extension)
        return pool_printf(report->pool,
                            "its extension '%s' is unknown; known are .npy, .png, .jpg and .ppm",
                            extension);
    return NULL;
}

/* Advice for a directory that holds other files, too: a pattern can leave them out. */
static const char *select_hint(struct report *report, const struct value *value)
{
    const char *slash = value->text[strlen(value->text) - 1] == '/' ? "" : "/";
    return value_is_pattern(value->text) ? ""
                                         : pool_printf(report->pool,
                                                        "; a quoted pattern, as '%s%s*.png', "
                                                        "leaves others out",
                                                        value->text, slash);
}

static bool read_sample(struct report *report, const struct reading *reading, int index,
                        struct tensor *tensor)
{
    const struct value *value = reading->value;
    const char *path = value->paths[index];
    if (value->source == VALUE_ARCHIVE)
        return npz_read_array(report, &reading->npz, value->places[index], path, tensor);
    if (value->source == VALUE_ENTRY)
        return npz_read(report, path, value->keys[index], tensor);
    const char *why = value->batch ? misfit(report, path) : NULL;
    return why ? REPORT_FILE(report, path, BATCH_MEMBER, why, select_hint(report, value))
               : file_read(report, path, tensor);
}

static bool outline_sample(struct report *report, void *user, int index)
{
    struct reading *reading = user;
    struct tensor *tensor = &reading->value->samples[index];
    *tensor = (struct tensor){.outline = true};
    bool done = read_sample(report, reading, index, tensor);
    if (done && *tensor->layout)
        tensor_set_strides(tensor, false); /* pictures leave that to tensor_allocate */
    if (!done && reading->left)
        reading->left[index] = true;
    return done;
}

static bool same_outline(const struct tensor *a, const struct tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0;
}

/* Reads a sample, which must fit its outline. */
static bool read_whole(struct report *report, const struct reading *reading, int index, struct tensor *sample)
{
    const struct value *value = reading->value;
    struct tensor tensor = {0};
    if (!read_sample(report, reading, index, &tensor))
        return false;
    if (!same_outline(&value->samples[index], &tensor)) {
        tensor_finish(&tensor);
        return REPORT_FILE(report, value->paths[index], FILE_CHANGED, "read");
    }
    *sample = tensor;
    return !value->alignment || tensor_make_dense(report, value->paths[index], value->alignment, sample);
}

static bool load_sample(struct report *report, void *user, int index)
{
    struct reading *reading = user;
    const bool done = read_whole(report, reading, index, &reading->value->samples[index]);
    if (!done && reading->left)
        reading->left[index] = true;
    return done;
}

static const char *describe(struct pool *pool, const struct tensor *tensor)
{
    return pool_printf(pool, "%s with %d dimension%s", weft_dtype_name(tensor->dtype),
                        tensor->rank, tensor->rank == 1 ? "" : "s");
}

void value_keep(struct pool *pool, struct value *value, const bool *kept)
{
    const struct value all = *value;
    int *places = POOL_ARRAY(pool, int, all.count + 1);
    value->samples = POOL_ARRAY(pool, struct tensor, all.count + 1);
    value->paths = all.paths ? POOL_ARRAY(pool, const char *, all.count + 1) : NULL;
    value->keys = all.keys ? POOL_ARRAY(pool, const char *, all.count + 1) : NULL;
    value->places = all.places ? places : NULL;
    value->count = 0;
    for (int i = 0; i < all.count; i++) {
        if (!kept[i]) {
            tensor_finish(&all.samples[i]);
            continue;
        }
        value->samples[value->count] = all.samples[i];
        if (all.paths)
            value->paths[value->count] = all.paths[i];
        if (all.keys)
            value->keys[value->count] = all.keys[i];
        if (all.places)
            places[value->count] = all.places[i];
        value->count++;
    }
}

/* All samples are like the first of those that were read; others are left out, too, where that may be. */
static bool check_samples(struct report *report, const struct reading *reading)
{
    const struct value *value = reading->value;
    const bool *left = reading->left;
    int first = 0;
    while (left && first < value->count && left[first])
        first++;
    for (int i = first + 1; i < value->count; i++) {
        const struct tensor *sample = &value->samples[i], *model = &value->samples[first];
        if ((left && left[i]) || (sample->dtype == model->dtype && sample->rank == model->rank))
            continue;
        REPORT_FILE(report, value->paths[i], BATCH_MIXED, describe(report->pool, sample), value->paths[first],
                    describe(report->pool, model));
        if (!left)
            return false;
        reading->left[i] = true;
    }
    return true;
}

/* A task for each sample. What cannot be read ends the work, or is left out. */
static bool run(struct report *report, struct reading *reading, int threads,
                bool (*task)(struct report *report, void *user, int index))
{
    struct value *value = reading->value;
    reading->left = value->batch && value->keep_going ? POOL_ARRAY(report->pool, bool, value->count + 1) : NULL;
    struct work work = {"reading", value->count, threads, task, reading, reading->left};
    const bool good = work_do(report, &work) && (task != outline_sample || check_samples(report, reading));
    value->failed = value->batch && !good;
    if (!good || !reading->left)
        return good;
    const int before = value->count;
    for (int i = 0; i < before; i++)
        reading->left[i] = !reading->left[i];
    value_keep(report->pool, value, reading->left);
    value->failed = before && !value->count; /* nothing is left to go on with */
    return !value->failed;
}

static void number_samples(struct report *report, struct value *value)
{
    int *places = POOL_ARRAY(report->pool, int, value->count + 1);
    for (int i = 0; i < value->count; i++)
        places[i] = i;
    value->places = places;
    value->whole = value->count;
}

bool batch_outline_files(struct report *report, struct value *value, int threads)
{
    struct reading reading = {.value = value};
    value->samples = POOL_ARRAY(report->pool, struct tensor, value->count + 1);
    number_samples(report, value);
    return run(report, &reading, threads, outline_sample);
}

bool batch_outline_archive(struct report *report, const char *path, struct value *value)
{
    struct reading reading = {.value = value};
    if (!npz_open(report, path, &reading.npz))
        return false;
    int count = value->count = reading.npz.count;
    value->samples = POOL_ARRAY(report->pool, struct tensor, count + 1);
    value->paths = POOL_ARRAY(report->pool, const char *, count + 1);
    value->keys = reading.npz.keys;
    number_samples(report, value);
    for (int i = 0; i < count; i++)
        value->paths[i] = pool_printf(report->pool, "%s:%s", path, value->keys[i]);
    bool done = run(report, &reading, 1, outline_sample);
    npz_close(&reading.npz);
    return done;
}

static bool load_archive(struct report *report, struct reading *reading)
{
    const char *path = reading->value->text;
    if (!npz_open(report, path, &reading->npz))
        return false;
    bool done = reading->npz.count == reading->value->whole
                    ? run(report, reading, 1, load_sample)
                    : REPORT_FILE(report, path, FILE_CHANGED, "read");
    npz_close(&reading->npz);
    return done;
}

bool batch_load(struct report *report, struct value *value, int threads)
{
    struct reading reading = {.value = value};
    bool done = value->source == VALUE_ARCHIVE ? load_archive(report, &reading)
                                               : run(report, &reading, threads, load_sample);
    if (done)
        value->source = VALUE_READY;
    return done;
}

/* ---- one sample after the other ---- */

struct samples {
    struct reading reading;
    pthread_mutex_t mutex;         /* of the archive */
};

struct samples *samples_open(struct report *report, struct value *value)
{
    struct samples *samples = POOL_NEW(report->pool, struct samples);
    samples->reading.value = value;
    pthread_mutex_init(&samples->mutex, NULL);
    if (value->source != VALUE_ARCHIVE)
        return samples;
    if (!npz_open(report, value->text, &samples->reading.npz))
        return NULL;
    if (samples->reading.npz.count == value->whole)
        return samples;
    REPORT_FILE(report, value->text, FILE_CHANGED, "read");
    samples_close(samples);
    return NULL;
}

bool samples_read(struct report *report, struct samples *samples, int index, struct tensor *tensor)
{
    const bool archive = samples->reading.value->source == VALUE_ARCHIVE;
    if (archive)
        pthread_mutex_lock(&samples->mutex);
    const bool done = read_whole(report, &samples->reading, index, tensor);
    if (archive)
        pthread_mutex_unlock(&samples->mutex);
    return done;
}

void samples_close(struct samples *samples)
{
    if (samples && samples->reading.npz.archive)
        npz_close(&samples->reading.npz);
    if (samples)
        pthread_mutex_destroy(&samples->mutex);
}
