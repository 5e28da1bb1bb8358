/* See value.h. A literal is parsed, typed, folded and converted by the compiler: the command has no
 * arithmetic and no conversion of its own. */
#include "cli/value.h"

#include "cli/kind.h"
#include "cli/npy.h"
#include "cli/npz.h"
#include "cli/picture.h"
#include "compiler/check.h"
#include "compiler/literal.h"

#include <errno.h>
#include <fcntl.h>
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

bool value_evaluate(struct report *report, const char *text, enum weft_dtype wanted,
                    struct tensor *tensor)
{
    bool cast = wanted < WEFT_DTYPE_COUNT;
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
    if (absent && strpbrk(path, "*?") && !literal)
        return REPORT_ARGUMENT(report, value, strlen(value), NO_BATCH, path, "a pattern");
    if (absent && extension && !literal && kind_of_path(path, &extension) == KIND_UNKNOWN)
        return bad_extension(report, value, path, extension);
    return REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, path, strerror(reason));
}

/* Completes what the name says by what the content says; they must not disagree. What cannot be
 * looked at without being read, as a pipe, is .npy where its name says nothing. */
static bool sniff(struct report *report, const char *path, FILE *file, enum kind *kind)
{
    unsigned char bytes[8];
    ssize_t size = pread(fileno(file), bytes, sizeof bytes, 0);
    enum kind content = size < 0 ? KIND_NPY : kind_of_content(bytes, (size_t)size);
    if (*kind == KIND_UNKNOWN && content == KIND_UNKNOWN)
        return REPORT_FILE(report, path, NO_CONTENT,
                           size ? "its content is of no known kind" : "it is empty");
    if (*kind != KIND_UNKNOWN && content != KIND_UNKNOWN && size >= 0 && content != *kind)
        return REPORT_FILE(report, path, WRONG_KIND, kind_extension(*kind),
                           kind_extension(content));
    if (*kind == KIND_UNKNOWN)
        *kind = content;
    return true;
}

static bool read_kind(struct report *report, const char *path, const char *key, FILE *file,
                      enum kind kind, struct tensor *tensor)
{
    if (!sniff(report, path, file, &kind))
        return false;
    switch (kind) {
    case KIND_NPY:
        return npy_read(report, path, fileno(file), tensor);
    case KIND_NPZ:
        return npz_read(report, path, key, tensor);
    case KIND_JPEG:
        return picture_read_jpeg(report, path, file, tensor);
    case KIND_PNM:
        return picture_read_pnm(report, path, file, tensor);
    default:
        return picture_read_png(report, path, file, tensor);
    }
}

bool value_read(struct report *report, const char *value, struct tensor *tensor)
{
    if (strcmp(value, "-") == 0)
        return npy_read(report, "<stdin>", STDIN_FILENO, tensor);
    const char *path, *extension, *key = find_key(report, value, &path);
    enum kind kind = kind_of_path(path, &extension);
    struct stat status;
    if (stat(path, &status) != 0)
        return no_file(report, value, path, extension, errno);
    if (S_ISDIR(status.st_mode))
        return REPORT_ARGUMENT(report, value, strlen(value), NO_BATCH, path, "a directory");
    if (kind == KIND_UNKNOWN && extension)
        return bad_extension(report, value, path, extension);
    FILE *file = fopen(path, "re");
    if (!file)
        return REPORT_FILE(report, path, FILE_ERROR, "read it", strerror(errno));
    bool done = read_kind(report, path, key, file, kind, tensor);
    fclose(file);
    return done;
}
