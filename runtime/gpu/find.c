/* The places where files of the CUDA toolkit are looked for, in order; see find.h. */
#include "runtime/gpu/find.h"

#include "runtime/cache/cache.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A search in progress. */
struct search {
    const struct environment *environment;
    enum cuda_file kind;
    const char *pattern;
    char *path;                    /* [PATH_MAX], filled with the result */
};

/* A toolkit's directory, or one like it: the value of a variable, if there is one, followed by a glob pattern. */
struct place {
    const char *variable, *pattern;
};

static const struct place named_places[] = {{"CUDA_HOME", ""}, {"CUDA_PATH", ""}};

static const struct place usual_places[] = {
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*"},
    {"CONDA_PREFIX", ""},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*"},
    {NULL, "/usr/local/cuda*"},
    {NULL, "/opt/cuda"},
    {NULL, "/usr/local/lib/python3*/*-packages/nvidia/*"},
    {NULL, "/usr/lib/python3*/*-packages/nvidia/*"},
};

/* The folders of a place that hold its files; NULL-terminated. The place itself comes last. */
static const char *const folders[][4] = {[CUDA_LIBRARY] = {"/lib*", "/targets/*/lib", "", NULL},
                                         [CUDA_PROGRAM] = {"/bin", "", NULL}};

/* The system's folders for libraries, with the machine's name and without. */
static const char *const system_folders[] = {"/usr/lib/%s-linux-gnu", "/lib/%s-linux-gnu",
                                             "/usr/lib64", "/lib64", "/usr/local/lib", "/usr/lib",
                                             "/lib"};
#if defined __x86_64__
#define MACHINE "x86_64"
enum { OUR_MACHINE = EM_X86_64 };
#elif defined __aarch64__
#define MACHINE "aarch64"
enum { OUR_MACHINE = EM_AARCH64 };
#else
#define MACHINE "unknown"          /* there is no CUDA for it */
enum { OUR_MACHINE = EM_NONE };
#endif

/* Whether it is an ELF object for this machine. Libraries for other machines may lie beside it. */
static bool is_library(const char *path)
{
    ElfW(Ehdr) header;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 && read(fd, &header, sizeof header) == sizeof header &&
                memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == OUR_MACHINE &&
                header.e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (fd >= 0)
        close(fd);
    return good;
}

static bool accept(const struct search *search, const char *path)
{
    return search->kind == CUDA_PROGRAM
               ? program_find(NULL, path, search->path)
               : is_library(path) && snprintf(search->path, PATH_MAX, "%s", path) < PATH_MAX;
}

/* libnvrtc.so.13 comes before libnvrtc.so.12, whatever their directories. */
static int higher_first(const void *a, const void *b)
{
    const char *const *first = a, *const *second = b;
    int order = strcmp(strrchr(*second, '/'), strrchr(*first, '/'));
    return order ? order : strcmp(*second, *first);
}

/* Looks in the directories that `start`, taken literally, and the patterns behind it match. */
static bool in_folder(const struct search *search, int length, const char *start, const char *below,
                      const char *folder)
{
    char whole[2 * PATH_MAX];
    glob_t found;
    bool good = false;
    int size = snprintf(whole, sizeof whole, "%.*s%s%s/%s", length, start, below, folder,
                        search->pattern);
    if (*start != '/' || size >= (int)sizeof whole || glob(whole, 0, NULL, &found) != 0)
        return false;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, higher_first);
    for (size_t i = 0; !good && i < found.gl_pathc; i++)
        good = accept(search, found.gl_pathv[i]);
    globfree(&found);
    return good;
}

static bool in_place(const struct search *search, int length, const char *start, const char *below)
{
    for (const char *const *folder = folders[search->kind]; *folder; folder++)
        if (in_folder(search, length, start, below, *folder))
            return true;
    return false;
}

static bool in_places(const struct search *search, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *variable = places[i].variable;
        const char *start = variable ? environment_get(search->environment, variable) : places[i].pattern;
        if (start && in_place(search, (int)strlen(start), start, variable ? places[i].pattern : ""))
            return true;
    }
    return false;
}

/* Looks in a list such as PATH. */
static bool in_list(const struct search *search, const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length && in_folder(search, (int)length, list, "", ""))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static bool in_system(const struct search *search)
{
    const char *path = environment_get(search->environment, "PATH");
    if (search->kind == CUDA_PROGRAM)
        return in_list(search, path ? path : PROGRAM_PATH);
    if (in_list(search, environment_get(search->environment, "LD_LIBRARY_PATH")))
        return true;
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++) {
        char folder[64];
        int length = snprintf(folder, sizeof folder, system_folders[i], MACHINE);
        if (in_folder(search, length, folder, "", ""))
            return true;
    }
    return false;
}

/* Looks in the packages of the Python whose program has this path. */
static bool beside_python(const struct search *search, const char *program)
{
    static const char packages[] = "/lib/python3*/*-packages/nvidia/*";
    const char *end = strrchr(program, '/');
    while (end && end > program && *--end != '/')
        ;
    return end && in_place(search, (int)(end - program), program, packages);
}

/* Looks in the packages of the first python3 in PATH, and of its link's target: a virtual environment's program
 * is a link to the Python that made it. */
static bool in_python(const struct search *search)
{
    char program[PATH_MAX], real[PATH_MAX];
    return program_find(environment_get(search->environment, "PATH"), "python3", program) &&
           (beside_python(search, program) ||
            (realpath(program, real) && beside_python(search, real)));
}

bool cuda_find(const struct environment *environment, enum cuda_file kind, const char *pattern, char path[PATH_MAX])
{
    const struct search search = {environment, kind, pattern, path};
    return in_places(&search, named_places, sizeof named_places / sizeof *named_places) ||
           in_system(&search) ||
           in_places(&search, usual_places, sizeof usual_places / sizeof *usual_places) ||
           in_python(&search);
}

void *library_open(const char *path)
{
    load_begin();
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    load_end();
    return library;
}

const char *library_find(void *library, const struct library_function *functions, size_t count, void *table)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count && !missing; i++) {
        void *symbol = dlsym(library, functions[i].symbol);
        memcpy((char *)table + functions[i].field, &symbol, sizeof symbol);
        missing = symbol || functions[i].optional ? NULL : functions[i].symbol;
    }
    return missing;
}

const char *library_path(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}
