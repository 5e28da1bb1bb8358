/* Fuzzing: a file of kernels, read as `weft build` reads it, and the sources that are made of it. The first byte,
 * letters from a in the corpus, chooses instruction sets, OpenMP, the target and one file for all; the rest is the
 * file. Made twice the files are the same; their names are plain and differ; their text is printable ASCII. */
#include "tests/fuzz/files.h"

#include "cli/commands/script_impl.h"

#include <string.h>
#include <unistd.h>

/* A name for each file in memory that ends as the command wants it. */
static char folder[] = "/tmp/weft-fuzz-XXXXXX", link_name[64];

static void remove_folder(void)
{
    unlink(link_name);
    rmdir(folder);
}

static const char *name_file(const struct file *file)
{
    if (!*link_name) {
        CHECK(mkdtemp(folder));
        snprintf(link_name, sizeof link_name, "%s/k.weft", folder);
        atexit(remove_folder);
    }
    unlink(link_name);
    CHECK(symlink(file->path, link_name) == 0);
    return link_name;
}

static void check_name(const char *name)
{
    CHECK(*name && *name != '.' && strlen(name) < 256);
    for (const char *c = name; *c; c++)
        CHECK((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
              *c == '.');
}

static void check_files(const struct weft_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_name(files[i].name);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(files[i].name, files[j].name) != 0);
        for (const char *c = files[i].text; *c; c++)
            CHECK((*c >= ' ' && *c <= '~') || *c == '\n' || *c == '\t');
    }
}

static enum weft_status build(struct file *file, const char *text, const struct weft_build_params *params,
                              struct weft_file **files, size_t *count)
{
    struct weft_error *errors = NULL;
    *files = NULL;
    *count = 0;
    const enum weft_status status = weft_build(NULL, text, params, files, count, &errors);
    CHECK(status != WEFT_INTERNAL_ERROR && (status >= 0) == (*files != NULL));
    CHECK(report_library(&file->report, status, &errors) == (status >= 0));
    file_check(file, status >= 0);
    check_files(*files, *count);
    return status;
}

static enum weft_status build_twice(struct file *file, const char *text, unsigned choice)
{
    struct weft_build_params params = {.origin = "k.weft", .file = "k.weft", .levels = choice & 7, .openmp = choice & 8,
                                       .bundle = choice & 16 ? "all" : NULL,
                                       .entries = choice % 3 ? 0 : choice / 3 % 16};
    struct weft_file *first, *second;
    size_t count, again;
    if (choice & 32) { /* its texts need NVRTC */
        params.target = WEFT_TARGET_CUDA;
        params.levels = 0;
        params.openmp = false;
        params.names_only = true;
    }
    const enum weft_status status = build(file, text, &params, &first, &count);
    CHECK(build(file, text, &params, &second, &again) == status && count == again);
    for (size_t i = 0; i < count; i++)
        CHECK(strcmp(first[i].name, second[i].name) == 0 && strcmp(first[i].text, second[i].text) == 0);
    weft_free(first);
    weft_free(second);
    return status;
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    struct file file;
    struct script script;
    enum weft_status status = WEFT_SYNTAX_ERROR;
    if (size == 0)
        return status;
    file_begin(&file, data + 1, size - 1);
    const bool done = script_load(&file.report, name_file(&file), &script);
    file_check(&file, done);
    CHECK(!done || (script.origin && !script.kernel && strlen(script.text) == size - 1));
    if (done)
        status = build_twice(&file, script.text, (unsigned)(*data - 'a'));
    file_end(&file);
    return status;
}
