/* See value.h. A literal is parsed, typed, folded and converted by the compiler: the command has no
 * arithmetic and no conversion of its own. */
#include "cli/values/value.h"

#include "cli/files/file.h"
#include "cli/files/npy.h"
#include "cli/files/npz.h"
#include "cli/values/batch.h"
#include "compiler/check.h"
#include "compiler/literal.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool value_is_literal(struct report *report, const char *text)
{
    struct source *source = ARENA_NEW(report->arena, struct source);
    struct diags *diags = ARENA_NEW(report->arena, struct diags);
    struct program *program;
    *source = (struct source){"<args>", text, strlen(text)};
    diags_init(diags, report->arena, source);
    return parse_value(report->arena, source, diags, &program);
}

/* `prefix` and the value, typed, in the arena; NULL after reporting what is wrong with it. */
static const struct program *check_text(struct report *report, const char *prefix,
                                        const char *value)
{
    struct source *source = ARENA_NEW(report->arena, struct source);
    struct diags *diags = ARENA_NEW(report->arena, struct diags);
    struct programs programs = {0};
    const char *text = arena_printf(report->arena, *prefix ? "%s(%s)" : "%s%s", prefix, value);
    *source = (struct source){"<args>", text, strlen(text)};
    diags_init(diags, report->arena, source);
    if (parse(report->arena, source, diags, &programs) && programs.count == 1 &&
        check(programs.items[0]))
        return programs.items[0];
    report_inside(report, value, *prefix ? strlen(prefix) + 1 : 0, diags);
    return NULL;
}

static void store(struct tensor *tensor, int index, const struct node *node)
{
    size_t size = weft_dtype_size(tensor->dtype);
    scalar_store((char *)tensor->data + (size_t)index * size, tensor->dtype,
                 literal_cast(&node->literal, tensor->dtype));
}

static void store_all(const struct program *program, const struct node *node, struct tensor *tensor)
{
    if (node->kind != NODE_ARRAY)
        store(tensor, 0, node);
    for (int i = 0; node->kind == NODE_ARRAY && i < node->operand_count; i++)
        store(tensor, i, operand_node(program, node, i));
}

/* A value of one tensor, without data yet. */
static struct tensor *make_tensor(struct report *report, const char *text, const char *path,
                                  struct value *value)
{
    *value = (struct value){.text = text, .count = 1};
    value->samples = ARENA_NEW(report->arena, struct tensor);
    value->paths = ARENA_NEW(report->arena, const char *);
    value->paths[0] = path;
    return value->samples;
}

bool value_evaluate(struct report *report, const char *text, enum weft_dtype wanted,
                    struct value *value)
{
    bool cast = wanted < WEFT_DTYPE_COUNT;
    struct tensor *tensor = make_tensor(report, text, "<args>", value);
    const struct program *program = check_text(report, cast ? weft_dtype_name(wanted) : "", text);
    if (!program)
        return false;
    const struct node *node = &program->nodes[program->results[0].node];
    tensor->dtype = node->dtype;
    if (cast)
        node = operand_node(program, node, 0);
    tensor->rank = node->kind == NODE_ARRAY ? node->rank : 0;
    for (int d = 0; d < tensor->rank; d++)
        tensor->shape[d] = program->extents[node->extents + d];
    if (!tensor_allocate(report, "<args>", "the literal", tensor))
        return false;
    store_all(program, node, tensor);
    return true;
}

/* "file.npz:key" where no file has that whole name. */
static const char *find_key(struct report *report, const char *value, const char **path)
{
    struct stat status;
    const char *colon = strstr(value, ".npz:");
    *path = value;
    if (!colon || stat(value, &status) == 0)
        return NULL;
    *path = arena_string(report->arena, value, (size_t)(colon - value) + 4);
    return colon + 5;
}

static bool bad_extension(struct report *report, const char *value, const char *path,
                          const char *extension)
{
    return REPORT_ARGUMENT(report, value, strlen(value), EXTENSION, path, extension, KINDS_READ);
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

/* Whether an array literal holds what it may; names in it stand for something of a type. */
static bool check_array(struct program *program, const char *value)
{
    if (value[strspn(value, "+-")] != '[')
        return true;
    for (int i = 0; i < program->input_count; i++)
        program->symbols[program->inputs[i]].typed = true;
    return check(program);
}

/* What the parser says of it, if it says anything. */
static bool report_literal(struct report *report, const char *value)
{
    struct source *source = ARENA_NEW(report->arena, struct source);
    struct diags *diags = ARENA_NEW(report->arena, struct diags);
    struct programs programs;
    *source = (struct source){"<args>", value, strlen(value)};
    diags_init(diags, report->arena, source);
    if (parse(report->arena, source, diags, &programs) && check_array(programs.items[0], value))
        return false;
    report_inside(report, value, 0, diags);
    return true;
}

/* Nothing has that name: what was it meant to be? */
static bool no_file(struct report *report, const char *value, const char *path,
                    const char *extension, int reason)
{
    bool absent = reason == ENOENT || reason == ENOTDIR || reason == ENAMETOOLONG;
    bool literal = absent && looks_literal(value, extension);
    if (literal && report_literal(report, value))
        return false;
    if (absent && strpbrk(path, "*?[") && !literal)
        return REPORT_ARGUMENT(report, value, strlen(value), GLOB_EMPTY, path);
    if (absent && extension && !literal && kind_of_path(path, &extension) == KIND_UNKNOWN)
        return bad_extension(report, value, path, extension);
    return REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, path, strerror(reason));
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

/* A file's name without directory and known extension. */
static const char *file_key(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *extension;
    bool known = kind_of_path(path, &extension) != KIND_UNKNOWN;
    return arena_string(arena, base, known ? (size_t)(extension - base) : strlen(base));
}

static bool open_files(struct report *report, int threads, struct value *value)
{
    value->batch = true;
    value->source = VALUE_FILES;
    value->keys = ARENA_ARRAY(report->arena, const char *, value->count + 1);
    for (int i = 0; i < value->count; i++)
        value->keys[i] = file_key(report->arena, value->paths[i]);
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
        return npz_read(report, path, key, make_tensor(report, value->text, path, value));
    if (S_ISREG(status->st_mode))
        return open_file(report, path, value);
    return file_read(report, path, make_tensor(report, value->text, path, value));
}

/* Are there files of that pattern? *found tells; false after a diagnostic. */
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

/* Headers of data that lie together as large as memory are refused before any of them is read. */
static bool check_memory(struct report *report, const struct value *value)
{
    const char *what = value->batch                                ? "the batch"
                       : value->count && *value->samples[0].layout ? "the picture"
                                                                   : "the array";
    const char *path = value->batch ? value->text : value->paths[0];
    double pending = value_pending(value);
    return !pending || memory_check(report, path, what, pending);
}

bool value_open(struct report *report, const char *text, int threads, struct value *value)
{
    struct stat status;
    const char *path, *extension, *key = find_key(report, text, &path);
    bool found;
    *value = (struct value){.text = text};
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
    return no_file(report, text, path, extension, reason);
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

/* Of one sample; a product that passes all bounds counts as endless. */
static double sample_bytes(const struct tensor *tensor)
{
    size_t bytes;
    return tensor_bytes(tensor, &bytes) ? (double)bytes : (double)SIZE_MAX;
}

double value_pending(const struct value *value)
{
    double total = 0;
    for (int i = 0; i < value->count; i++)
        if (value->samples[i].outline && !value->samples[i].mapped)
            total += sample_bytes(&value->samples[i]);
    return total;
}

double value_bytes(const struct value *value)
{
    double total = 0;
    for (int i = 0; i < value->count; i++)
        total += sample_bytes(&value->samples[i]);
    return total;
}

struct weft_argument value_argument(struct arena *arena, const struct value *value)
{
    DLTensor *views = ARENA_ARRAY(arena, DLTensor, value->count + 1);
    for (int i = 0; i < value->count; i++)
        views[i] = tensor_view(&value->samples[i]);
    return (struct weft_argument){.tensors = views, .count = value->count, .batch = value->batch};
}
