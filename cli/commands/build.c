/* weft build: the kernels of a file as C sources, written, compared or listed.
 *
 * Invariant: all files are written or none (outputs_write). A directory that was created for them is removed if they
 * cannot be written, whatever ends the process. */
#include "cli/commands/commands.h"
#include "cli/commands/script_impl.h"
#include "cli/commands/session_impl.h"
#include "cli/outputs/outputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct build {
    struct report *report;
    const struct arguments *arguments;
    struct script script;
    struct session session;        /* CUDA: NVRTC's */
    struct weft_file *files;
    size_t count;
    const char **paths;            /* [count] and the depfile's */
};

/* ---- what is made ---- */

static bool load(struct build *build)
{
    const char *argument = build->arguments->program;
    struct script *script = &build->script;
    if (!build->arguments->output_count)
        return REPORT_ARGUMENT(build->report, NULL, 0, NO_PROGRAM, "-o DIR", "weft build --help");
    if (build->arguments->support == WEFT_SUPPORT_ONLY)
        return !argument || REPORT_ARGUMENT(build->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                                            "an option, and 'weft build --support only' takes no file");
    if (!script_load(build->report, argument, script))
        return false;
    if (!script->origin)
        return REPORT_ARGUMENT(build->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "a .weft file, and 'weft build' takes no expression");
    return !script->kernel || REPORT_ARGUMENT(build->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                                              "a whole file, and 'weft build' makes all its kernels");
}

/* An option of the other target is an error, not ignored. */
static bool check_options(struct build *build)
{
    const struct arguments *arguments = build->arguments;
    const bool cuda = arguments->cuda;
    const char *option = cuda && arguments->levels    ? "--isa"
                         : cuda && arguments->openmp  ? "--openmp"
                         : cuda && arguments->entries ? "--entries"
                         : cuda && arguments->support ? "--support"
                         : !cuda && arguments->archs ? "--arch"
                                                     : NULL;
    return !option || REPORT_ARGUMENT(build->report, NULL, 0, AOT_OPTION, option, cuda ? "c" : "cuda",
                                      cuda ? "cuda" : "c");
}

static bool make_texts(struct build *build)
{
    struct report *report = build->report;
    const struct arguments *arguments = build->arguments;
    const char *origin = build->script.origin, *slash = origin ? strrchr(origin, '/') : NULL;
    struct weft_error *errors = NULL;
    const struct weft_build_params params = {
        .origin = origin, .file = origin ? report_plain(report, slash ? slash + 1 : origin) : NULL,
        .entries = arguments->entries, .support = arguments->support,
        .bundle = arguments->bundle, .levels = arguments->levels, .openmp = arguments->openmp,
        .target = arguments->cuda ? WEFT_TARGET_CUDA : WEFT_TARGET_C,
        .archs = arguments->archs, .arch_count = (size_t)arguments->arch_count,
        .names_only = arguments->list && !arguments->check};
    return report_library(report, weft_build(build->session.context, build->script.text, &params, &build->files,
                                             &build->count, &errors), &errors);
}

/* ---- where it goes ---- */

static void make_paths(struct build *build)
{
    struct pool *pool = build->report->pool;
    const char *directory = build->arguments->outputs[0].path;
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    build->paths = POOL_ARRAY(pool, const char *, build->count + 1);
    for (size_t i = 0; i < build->count; i++)
        build->paths[i] = pool_printf(pool, "%s%s%s", directory, slash, build->files[i].name);
    build->paths[build->count] = build->arguments->depfile;
}

/* A path as make reads it. */
static const char *make_word(struct pool *pool, const char *path)
{
    char *word = pool_alloc(pool, 2 * strlen(path) + 1), *end = word;
    for (; *path; path++) {
        if (strchr(" #:%$", *path))
            *end++ = *path == '$' ? '$' : '\\';
        *end++ = *path;
    }
    return word;
}

/* Whether all kernels share it: it does not depend on the file. */
static bool is_shared(const struct weft_file *file)
{
    static const char shared[] = "weft_support.";
    return strncmp(file->name, shared, sizeof shared - 1) == 0;
}

static const char *dependencies(const struct build *build)
{
    struct pool *pool = build->report->pool;
    const char **words = POOL_ARRAY(pool, const char *, build->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < build->count; i++)
        if (!is_shared(&build->files[i]))
            words[count++] = make_word(pool, build->paths[i]);
    return pool_printf(pool, "%s: %s\n", pool_join(pool, words, count, " "),
                       make_word(pool, build->script.origin));
}

/* Fails once its files are in it. */
static void remove_directory(void *path)
{
    rmdir(path);
}

/* Creates the directory if it is missing. Then watch->user is its path. */
static bool make_directory(struct build *build, struct watch *watch)
{
    const char *path = build->arguments->outputs[0].path;
    struct stat status;
    ending_hold();
    const bool made = mkdir(path, 0777) == 0;
    const int error = errno;
    *watch = (struct watch){remove_directory, made ? (void *)path : NULL, NULL};
    if (made)
        ending_watch(watch);
    ending_release();
    if (!made && error == EEXIST && stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return REPORT_ARGUMENT(build->report, path, strlen(path), OUTPUT_PATH, path, "there is a file of that name");
    return made || error == EEXIST ||
           REPORT_ARGUMENT(build->report, path, strlen(path), OUTPUT_PATH, path, strerror(error));
}

/* None of the files may replace the one that is read. */
static bool spare_origin(struct build *build)
{
    struct stat origin, status;
    const char *const *path = build->paths;
    if (!build->script.origin || stat(build->script.origin, &origin) != 0)
        return true;
    for (size_t i = 0; i <= build->count && path[i]; i++)
        if (stat(path[i], &status) == 0 && status.st_dev == origin.st_dev && status.st_ino == origin.st_ino)
            return REPORT_ARGUMENT(build->report, path[i], strlen(path[i]), OUTPUT_PATH, path[i],
                                   "it is the file that is read");
    return true;
}

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

/* What all kernels share stays as it is where it is there: a build need not compile it again. */
static bool stays(const struct build *build, int i)
{
    return i < (int)build->count && is_shared(&build->files[i]) && !compare(build->paths[i], build->files[i].text);
}

static bool write_files(struct build *build)
{
    struct pool *pool = build->report->pool;
    const int made = (int)build->count, all = made + (build->arguments->depfile != NULL);
    const char **paths = POOL_ARRAY(pool, const char *, all);
    struct value *texts = POOL_ARRAY(pool, struct value, all);
    struct tensor *tensors = POOL_ARRAY(pool, struct tensor, all);
    struct outputs outputs;
    int count = 0;
    for (int i = 0; i < all; i++) {
        const char *text = i < made ? build->files[i].text : dependencies(build);
        if (stays(build, i))
            continue;
        paths[count] = build->paths[i];
        tensors[count] = (struct tensor){.data = (void *)text, .size = strlen(text)};
        texts[count] = (struct value){.count = 1, .samples = &tensors[count]};
        count++;
    }
    return count == 0 || (outputs_texts(build->report, paths, count, &outputs) &&
                          outputs_write(build->report, &outputs, texts, paths, 1));
}

static bool write_all(struct build *build)
{
    struct watch watch;
    if (!spare_origin(build) || !make_directory(build, &watch))
        return false;
    const bool done = write_files(build);
    ending_hold();
    if (watch.user)
        ending_forget(&watch);
    if (watch.user && !done)
        remove_directory(watch.user);
    ending_release();
    return done;
}

/* ---- --check and --list ---- */

static bool check_files(struct build *build)
{
    bool good = true;
    for (size_t i = 0; i < build->count; i++) {
        const char *wrong = compare(build->paths[i], build->files[i].text), *origin = build->script.origin;
        if (wrong)
            good = REPORT_FILE(build->report, origin ? origin : build->paths[i], AOT_DIFFERS, build->paths[i], wrong);
    }
    return good;
}

static bool list_files(struct build *build)
{
    for (size_t i = 0; i < build->count; i++)
        output_puts(pool_printf(build->report->pool, "%s\n", build->paths[i]));
    return output_flush(build->report);
}

bool command_build(struct report *report, const struct arguments *arguments)
{
    struct build build = {.report = report, .arguments = arguments};
    bool good = check_options(&build) && load(&build);
    if (good && arguments->cuda)
        good = session_open(&build.session, report, (struct weft_context_params){.cache = ""});
    good = good && make_texts(&build);
    session_close(&build.session);
    if (good)
        make_paths(&build);
    if (good && arguments->list)
        good = list_files(&build);
    if (good && arguments->check)
        good = check_files(&build);
    else if (good && !arguments->list)
        good = write_all(&build);
    weft_free(build.files);
    return good;
}
