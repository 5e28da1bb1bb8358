/* See value.h. A literal is evaluated as the program it is, so that the command has no
 * arithmetic and no conversion of its own. */
#include "cli/value.h"

#include "cli/kind.h"
#include "cli/npy.h"
#include "cli/npz.h"
#include "cli/picture.h"
#include "compiler/program.h"

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

static bool run_literal(struct session *session, struct weft_program *program, bool compute,
                        struct tensor *tensor)
{
    struct weft_tensor_info info;
    struct weft_error *errors = NULL;
    enum weft_status status = weft_infer(program, NULL, 0, &info, &errors);
    if (!report_library(session->report, status, errors))
        return false;
    tensor->dtype = info.dtype;
    tensor->rank = info.rank;
    memcpy(tensor->shape, info.shape, sizeof info.shape);
    if (!compute)
        return true;
    if (!tensor_allocate(session->report, "<args>", "the literal", tensor))
        return false;
    DLTensor view = tensor_view(tensor);
    struct weft_argument output = {.tensors = &view};
    struct weft_run_params params = {.outputs = &output, .output_count = 1};
    errors = NULL;
    status = weft_run(program, &params, &errors);
    return report_library(session->report, status, errors);
}

bool value_evaluate(struct session *session, const char *text, enum weft_dtype wanted, bool compute,
                    struct tensor *tensor)
{
    const char *name = wanted < WEFT_DTYPE_COUNT ? weft_dtype_name(wanted) : NULL;
    struct script script = {.text = text, .origin = "<args>"};
    if (name)
        script.text = arena_printf(session->report->arena, "%s(%s)", name, text);
    struct weft_program *program =
        session_compile(session, &script, (struct weft_compile_params){0});
    bool done = program && run_literal(session, program, compute, tensor);
    weft_program_destroy(program);
    if (!done)
        tensor_finish(tensor);
    return done;
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
    return REPORT_ARGUMENT(report, value, strlen(value), EXTENSION, path, extension, KIND_NAMES);
}

/* Nothing has that name: what was it meant to be? */
static bool no_file(struct report *report, const char *value, const char *path,
                    const char *extension, int reason)
{
    bool number = strchr("+-.[0123456789", *path) && strncmp(path, "./", 2) != 0 &&
                  strncmp(path, "../", 3) != 0;
    if (reason == ENOENT && strpbrk(path, "*?") && !number)
        return REPORT_ARGUMENT(report, value, strlen(value), NO_BATCH, path, "a pattern");
    if (reason == ENOENT && extension && !number && kind_of_path(path, &extension) == KIND_UNKNOWN)
        return bad_extension(report, value, path, extension);
    return REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, path, strerror(reason));
}

static bool sniff(struct report *report, const char *path, FILE *file, enum kind *kind)
{
    unsigned char bytes[8];
    ssize_t size = pread(fileno(file), bytes, sizeof bytes, 0);
    *kind = size < 0 ? KIND_NPY : kind_of_content(bytes, (size_t)size); /* a pipe is .npy */
    return *kind != KIND_UNKNOWN ||
           REPORT_FILE(report, path, NO_CONTENT, "its content is of no known kind");
}

static bool read_kind(struct report *report, const char *path, const char *key, FILE *file,
                      enum kind kind, struct tensor *tensor)
{
    if (kind == KIND_UNKNOWN && !sniff(report, path, file, &kind))
        return false;
    switch (kind) {
    case KIND_NPY:
        return npy_read(report, path, fileno(file), tensor);
    case KIND_NPZ:
        return npz_read(report, path, key, tensor);
    default:
        return picture_read(report, path, file, tensor);
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
