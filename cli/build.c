/* weft build: the kernels of a file as C sources, written, compared or listed.
 *
 * Invariant: all files are written or none, as outputs_write has it; a directory that was made for them goes
 * again where they could not be written. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/script.h"
#include "compiler/aot.h"
#include "compiler/base/buf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct build {
    struct report *report;
    const struct arguments *arguments;
    struct script script;
    const char *directory;
    struct aot_file *files;
    const char **paths;            /* [count] and the depfile's */
    int count;
};

/* ---- what is made ---- */

static bool load(struct build *build)
{
    const char *argument = build->arguments->program;
    struct script *script = &build->script;
    if (!build->arguments->output_count)
        return REPORT_ARGUMENT(build->report, NULL, 0, NO_PROGRAM, "-o DIR", "weft build --help");
    if (!script_load(build->report, argument, script))
        return false;
    if (!script->origin)
        return REPORT_ARGUMENT(build->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "a .weft file, and 'weft build' takes no expression");
    return !script->kernel || REPORT_ARGUMENT(build->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                                              "a whole file, and 'weft build' makes all its kernels");
}

static bool make_texts(struct build *build)
{
    struct report *report = build->report;
    const char *slash = strrchr(build->script.origin, '/');
    const struct aot_params params = {.file = report_plain(report, slash ? slash + 1 : build->script.origin),
                                      .bundle = build->arguments->bundle, .levels = build->arguments->levels,
                                      .openmp = build->arguments->openmp};
    struct source source = {build->script.origin, build->script.text, strlen(build->script.text)};
    struct diags diags;
    diags_init(&diags, report->arena, &source);
    aot_build(report->arena, &source, &params, &diags, &build->files, &build->count);
    return report_library(report, diags_status(&diags), diags_export(&diags, WEFT_WARNING));
}

/* ---- where it goes ---- */

static void make_paths(struct build *build)
{
    struct arena *arena = build->report->arena;
    const char *directory = build->arguments->outputs[0].path;
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    build->directory = directory;
    build->paths = ARENA_ARRAY(arena, const char *, build->count + 1);
    for (int i = 0; i < build->count; i++)
        build->paths[i] = arena_printf(arena, "%s%s%s", directory, slash, build->files[i].name);
    build->paths[build->count] = build->arguments->depfile;
}

/* A path as make reads it. */
static void put_path(struct buf *out, const char *path)
{
    for (; *path; path++) {
        if (strchr(" #:%", *path))
            buf_putc(out, '\\');
        if (*path == '$')
            buf_putc(out, '$');
        buf_putc(out, *path);
    }
}

static const char *dependencies(const struct build *build)
{
    struct buf out;
    buf_init(&out, build->report->arena);
    for (int i = 0; i < build->count; i++) {
        put_path(&out, build->paths[i]);
        buf_puts(&out, i + 1 < build->count ? " " : ": ");
    }
    put_path(&out, build->script.origin);
    buf_putc(&out, '\n');
    return out.text;
}

/* The directory itself; whether it was made. */
static bool make_directory(struct build *build, bool *made)
{
    const char *path = build->directory;
    struct stat status;
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return true;
    const int error = errno;
    if (error == EEXIST && stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return REPORT_ARGUMENT(build->report, path, strlen(path), OUTPUT_PATH, path, "there is a file of that name");
    return error == EEXIST ||
           REPORT_ARGUMENT(build->report, path, strlen(path), OUTPUT_PATH, path, strerror(error));
}

/* The file that is read may be none of those that are written. */
static bool spare_origin(struct build *build)
{
    struct stat origin, status;
    const char *const *path = build->paths;
    if (stat(build->script.origin, &origin) != 0)
        return true;
    for (int i = 0; i <= build->count && path[i]; i++)
        if (stat(path[i], &status) == 0 && status.st_dev == origin.st_dev && status.st_ino == origin.st_ino)
            return REPORT_ARGUMENT(build->report, path[i], strlen(path[i]), OUTPUT_PATH, path[i],
                                   "it is the file that is read");
    return true;
}

static bool write_files(struct build *build)
{
    struct arena *arena = build->report->arena;
    const int count = build->count + (build->arguments->depfile != NULL);
    struct value *texts = ARENA_ARRAY(arena, struct value, count);
    struct tensor *tensors = ARENA_ARRAY(arena, struct tensor, count);
    struct outputs outputs;
    for (int i = 0; i < count; i++) {
        const char *text = i < build->count ? build->files[i].text : dependencies(build);
        tensors[i] = (struct tensor){.data = (void *)text, .size = strlen(text)};
        texts[i] = (struct value){.count = 1, .samples = &tensors[i]};
    }
    return outputs_texts(build->report, build->paths, count, &outputs) &&
           outputs_write(build->report, &outputs, texts, build->paths, 1);
}

static bool write_all(struct build *build)
{
    bool made;
    if (!spare_origin(build) || !make_directory(build, &made))
        return false;
    if (write_files(build))
        return true;
    if (made)
        rmdir(build->directory);
    return false;
}

/* ---- --check and --list ---- */

/* NULL, or what is wrong with a file. */
static const char *compare(const char *path, const char *text)
{
    char piece[4096];
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? "is missing" : strerror(errno);
    bool same = true;
    size_t size, at = 0, length = strlen(text);
    while (same && (size = fread(piece, 1, sizeof piece, file)) > 0) {
        same = size <= length - at && memcmp(piece, text + at, size) == 0;
        at += size;
    }
    const bool whole = same && at == length && !ferror(file);
    fclose(file);
    return whole ? NULL : "differs from what weft build makes";
}

static bool check_files(struct build *build)
{
    bool good = true;
    for (int i = 0; i < build->count; i++) {
        const char *wrong = compare(build->paths[i], build->files[i].text);
        if (wrong)
            good = REPORT_FILE(build->report, build->script.origin, AOT_DIFFERS, build->paths[i], wrong);
    }
    return good;
}

static bool list_files(struct build *build)
{
    for (int i = 0; i < build->count; i++)
        output_puts(arena_printf(build->report->arena, "%s\n", build->paths[i]));
    return output_flush(build->report);
}

int command_build(struct report *report, const struct arguments *arguments)
{
    struct build build = {.report = report, .arguments = arguments};
    bool good = load(&build) && make_texts(&build);
    if (good)
        make_paths(&build);
    if (good && arguments->list)
        good = list_files(&build);
    if (good && arguments->check)
        good = check_files(&build);
    else if (good && !arguments->list)
        good = write_all(&build);
    if (!good && !report->status)
        report->status = 1;
    return report->status;
}
