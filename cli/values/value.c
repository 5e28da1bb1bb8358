/* See value.h. Literals are read and converted by the library: the command has no arithmetic and no conversion
 * of its own. */
#include "cli/values/value.h"

#include "cli/files/files.h"
#include "cli/values/batch_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A value of one tensor, without data yet. */
static struct tensor *make_tensor(struct report *report, const char *text, const char *path,
                                  struct value *value)
{
    *value = (struct value){.text = text, .count = 1, .samples = POOL_NEW(report->pool, struct tensor),
                            .paths = POOL_NEW(report->pool, const char *)};
    value->paths[0] = path;
    return value->samples;
}

/* Into memory of its own. */
static enum literal take_literal(struct report *report, const char *text, const struct weft_literal *literal,
                                 struct value *value)
{
    struct tensor *tensor = make_tensor(report, text, "<args>", value);
    tensor->dtype = literal->dtype;
    tensor->rank = literal->rank;
    memcpy(tensor->shape, literal->shape, sizeof tensor->shape);
    if (!tensor_allocate(report, "<args>", "the literal", tensor))
        return LITERAL_BAD;
    memcpy(tensor->data, literal->data, tensor->size);
    return LITERAL_READ;
}

/* The literal as a number of the host: an integer in 64 bits, a real in float64. A real that is too large for float32,
 * the type of reals, still is a number. */
static enum weft_status read_number(const char *text, struct weft_literal **read, struct weft_error **errors)
{
    enum { INFINITE = 45 };        /* the message that a real does not fit float32 */
    enum weft_status status = weft_read_literal(text, WEFT_DTYPE_COUNT, read, errors);
    const bool large = *errors && (*errors)->code == INFINITE && !strchr(text, '[');
    const bool single = status == WEFT_OK && !(*read)->rank;
    const enum weft_dtype dtype = single ? (*read)->dtype : WEFT_DTYPE_COUNT;
    if (!large && dtype != WEFT_INT32 && dtype != WEFT_FLOAT32)
        return status;
    weft_error_destroy(*errors);
    weft_free(status == WEFT_OK ? *read : NULL);
    return weft_read_literal(text, dtype == WEFT_INT32 ? WEFT_INT64 : WEFT_FLOAT64, read, errors);
}

enum literal value_literal(struct report *report, const char *text, enum weft_dtype wanted, bool number,
                           struct weft_error **errors, struct value *value)
{
    struct weft_literal *read;
    enum weft_status status =
        number ? read_number(text, &read, errors) : weft_read_literal(text, wanted, &read, errors);
    if (status == WEFT_SYNTAX_ERROR)
        return LITERAL_NONE;
    if (*errors)
        report_inside(report, text, *errors);
    else
        report_library(report, status, errors);
    enum literal result = status == WEFT_OK ? take_literal(report, text, read, value) : LITERAL_BAD;
    weft_free(read);
    return result;
}

/* "file.npz:key", unless a file has that whole name. */
static const char *find_key(struct report *report, const char *value, const char **path)
{
    struct stat status;
    const char *colon = strstr(value, ".npz:");
    *path = value;
    if (!colon || stat(value, &status) == 0)
        return NULL;
    *path = pool_string(report->pool, value, (size_t)(colon - value) + 4);
    return colon + 5;
}

static bool bad_extension(struct report *report, const char *value, const char *path,
                          const char *extension)
{
    return REPORT_ARGUMENT(report, value, strlen(value), EXTENSION, path, extension, KINDS);
}

/* Whether a value that names no file was meant as a literal. */
static bool looks_literal(const char *value, const char *extension)
{
    static const char digits[] = "0123456789";
    size_t sign = strspn(value, "+-");
    if (strchr("[(", value[sign]))
        return true;
    bool number =
        strspn(value + sign, digits) || (value[sign] == '.' && strspn(value + sign + 1, digits));
    return number && (!extension || !extension[1] || strchr(digits, extension[1]));
}

/* What is wrong with a value that names nothing: quotes of its own, a blank at its start, a call. NULL: neither. */
static const char *odd_value(struct report *report, const char *value)
{
    const size_t length = strlen(value);
    if (length > 2 && strchr("'\"", *value) && value[length - 1] == *value)
        return pool_printf(report->pool, "it has quotes of its own; write %.*s without them", (int)length - 2,
                           value + 1);
    if (*value == ' ')
        return "it begins with a blank";
    const size_t name = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789");
    return name && value[name] == '(' && value[length - 1] == ')'
               ? "a value is no call; write the literal itself, as in [1, 2], or the file's name"
               : NULL;
}

/* Nothing has that name: what was it meant to be? */
static bool no_file(struct report *report, const char *value, const char *path,
                    const char *extension, int reason, const struct weft_error *errors)
{
    bool absent = reason == ENOENT || reason == ENOTDIR || reason == ENAMETOOLONG;
    bool literal = absent && looks_literal(value, extension);
    if (literal && errors)
        return report_inside(report, value, errors);
    const char *odd = absent ? odd_value(report, value) : NULL;
    if (odd)
        return REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, path, odd);
    if (absent && strpbrk(path, "*?[") && !literal)
        return REPORT_ARGUMENT(report, value, strlen(value), GLOB_EMPTY, path);
    if (absent && extension && !literal && kind_of_path(path, &extension) == KIND_UNKNOWN)
        return bad_extension(report, value, path, extension);
    return REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, path, strerror(reason));
}

/* A file's name without directory and known extension. */
static const char *file_key(struct pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *extension;
    bool known = kind_of_path(path, &extension) != KIND_UNKNOWN;
    return pool_string(pool, base, known ? (size_t)(extension - base) : strlen(base));
}

static bool open_files(struct report *report, int threads, struct value *value)
{
    value->batch = true;
    value->source = VALUE_FILES;
    if (!batch_skip(report, value))
        return false;
    value->keys = POOL_ARRAY(report->pool, const char *, value->count + 1);
    for (int i = 0; i < value->count; i++)
        value->keys[i] = file_key(report->pool, value->paths[i]);
    return batch_outline_files(report, value, threads);
}

static bool open_archive(struct report *report, struct value *value)
{
    value->batch = true;
    value->source = VALUE_ARCHIVE;
    return batch_outline_archive(report, value->text, value);
}

/* A regular file: a batch or one tensor. */
static bool open_file(struct report *report, const char *path, struct value *value)
{
    enum kind kind;
    if (!file_kind(report, path, &kind))
        return false;
    if (kind == KIND_NPZ)
        return open_archive(report, value);
    make_tensor(report, value->text, path, value);
    value->source = VALUE_FILES;
    return batch_outline_files(report, value, 1);
}

/* One array of an archive. */
static bool open_entry(struct report *report, const char *path, const char *key, struct value *value)
{
    make_tensor(report, value->text, path, value);
    value->source = VALUE_ENTRY;
    value->keys = POOL_NEW(report->pool, const char *);
    value->keys[0] = key;
    return batch_outline_files(report, value, 1);
}

/* There is something under the value's name. */
static bool open_path(struct report *report, const struct stat *status, const char *path,
                      const char *key, int threads, struct value *value)
{
    const char *extension;
    if (S_ISDIR(status->st_mode))
        return batch_directory(report, path, &value->paths, &value->count) &&
               open_files(report, threads, value);
    if (kind_of_path(path, &extension) == KIND_UNKNOWN && extension)
        return bad_extension(report, value->text, path, extension);
    if (key)
        return open_entry(report, path, key, value);
    return S_ISREG(status->st_mode) ? open_file(report, path, value)
                                    : file_read(report, path, make_tensor(report, value->text, path, value));
}

/* Opens the files that match a pattern; *found: there are any. False after a diagnostic. */
static bool open_pattern(struct report *report, const char *text, int threads, struct value *value,
                         bool *found)
{
    *found = false;
    if (!strpbrk(text, "*?["))
        return true;
    if (!batch_glob(report, text, &value->paths, &value->count))
        return false;
    *found = value->count > 0;
    return !*found || open_files(report, threads, value);
}

/* Refuses data that are larger than memory before any of them is read. The samples of a batch need not lie there
 * together. */
static bool check_memory(struct report *report, const struct value *value)
{
    int largest = 0;
    for (int i = 1; i < value->count; i++)
        if (value_sample_pending(value, i) > value_sample_pending(value, largest))
            largest = i;
    const double pending = value->count ? value_sample_pending(value, largest) : 0;
    return !pending || memory_check(report, value->paths[largest],
                                    *value->samples[largest].layout ? "the picture" : "the array", pending);
}

bool value_open(struct report *report, const char *text, int threads, const struct weft_error *errors,
                struct value *value)
{
    struct stat status;
    const char *path, *extension, *key = find_key(report, text, &path);
    bool found;
    *value = (struct value){.text = text, .keep_going = value->keep_going};
    if (strcmp(text, "-") == 0)
        return npy_read(report, "<stdin>", STDIN_FILENO,
                        make_tensor(report, text, "<stdin>", value));
    if (stat(path, &status) == 0)
        return open_path(report, &status, path, key, threads, value) && check_memory(report, value);
    int reason = errno;
    if (!open_pattern(report, text, threads, value, &found))
        return false;
    if (found)
        return check_memory(report, value);
    kind_of_path(path, &extension);
    return no_file(report, text, path, extension, reason, errors);
}

bool value_make_dense(struct report *report, struct value *value, size_t alignment)
{
    value->alignment = alignment;
    for (int i = 0; i < value->count; i++) {
        struct tensor *sample = &value->samples[i];
        if (!sample->outline && !tensor_make_dense(report, value->paths[i], alignment, sample))
            return false;
        if (sample->outline)
            tensor_set_strides(sample, false);
    }
    return true;
}

bool value_load(struct report *report, struct value *value, int threads)
{
    return value->source == VALUE_READY || batch_load(report, value, threads);
}

void value_finish(struct value *value)
{
    for (int i = 0; value->samples && i < value->count; i++)
        tensor_finish(&value->samples[i]);
}

static double sample_bytes(const struct tensor *tensor)
{
    size_t bytes;
    return tensor_bytes(tensor, &bytes) ? (double)bytes : (double)SIZE_MAX;
}

double value_sample_pending(const struct value *value, int index)
{
    const struct tensor *sample = &value->samples[index];
    return sample->outline && !sample->mapped ? sample_bytes(sample) : 0;
}

double value_pending(const struct value *value)
{
    double total = 0;
    for (int i = 0; i < value->count; i++)
        total += value_sample_pending(value, i);
    return total;
}

double value_bytes(const struct value *value)
{
    double total = 0;
    for (int i = 0; i < value->count; i++)
        total += sample_bytes(&value->samples[i]);
    return total;
}

double value_sample_bytes(const struct value *value, int index)
{
    return sample_bytes(&value->samples[index]);
}

struct weft_argument value_argument(struct pool *pool, const struct value *value)
{
    DLTensor *views = POOL_ARRAY(pool, DLTensor, value->count + 1);
    for (int i = 0; i < value->count; i++)
        views[i] = tensor_view(&value->samples[i]);
    return (struct weft_argument){.tensors = views, .count = value->count, .batch = value->batch};
}
