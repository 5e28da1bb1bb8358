/* weft_doctor: the machine itself, the temporary directory, libtcc and the place of the cache. */
#include "runtime/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value behind `key` and its colon in a file of such lines; false: there is none. */
static bool read_value(const char *path, const char *key, char *value, int size)
{
    FILE *file = fopen(path, "re");
    char line[512], format[32];
    bool found = false;
    snprintf(format, sizeof format, " : %%%d[^\n]", size - 1);
    while (file && !found && fgets(line, sizeof line, file))
        found =
            strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), format, value) == 1;
    if (file)
        fclose(file);
    return found;
}

static void tell_processors(struct doctor *doctor)
{
    char model[256];
    struct utsname system;
    cpu_set_t allowed;
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    int here = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : (int)all;
    if (!read_value("/proc/cpuinfo", "model name", model, sizeof model))
        snprintf(model, sizeof model, "%s", uname(&system) == 0 ? system.machine : "unknown");
    doctor_tell(doctor, "processors", WEFT_FOUND, NULL, "%d of %ld for this process, %s", here, all,
                model);
}

/* The variables that change what Weft does, those that are set. */
static void tell_variables(struct doctor *doctor)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "WEFT_CC", "WEFT_CFLAGS",
                                        "WEFT_DISABLE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value || i == 0)
            doctor_tell(doctor, names[i], WEFT_FOUND, NULL, "%s", value ? value : "not set");
    }
}

static void tell_memory(struct doctor *doctor)
{
    char total[64], available[64];
    if (read_value("/proc/meminfo", "MemTotal", total, sizeof total) &&
        read_value("/proc/meminfo", "MemAvailable", available, sizeof available))
        doctor_tell(doctor, "memory", WEFT_FOUND, NULL, "%.1f GB, %.1f GB available",
                    1024e-9 * strtod(total, NULL), 1024e-9 * strtod(available, NULL));
}

/* Why kernels cannot be compiled in this directory and loaded from it; NULL: they can. */
static const char *directory_problem(const char *directory)
{
    char path[PATH_MAX];
    struct statvfs system;
    if (snprintf(path, sizeof path, "%s/weft-XXXXXX", directory) >= (int)sizeof path)
        return "its name is too long";
    if (!mkdtemp(path))
        return strerror(errno);
    rmdir(path);
    if (statvfs(directory, &system) != 0)
        return strerror(errno);
    if (system.f_flag & ST_NOEXEC)
        return "it is mounted noexec, so that kernels cannot be loaded from it";
    return system.f_blocks && !system.f_bavail ? "it is full" : NULL;
}

static void tell_temporary(struct doctor *doctor)
{
    const char *named = getenv("TMPDIR"), *directory = named && *named ? named : "/tmp";
    const char *problem = directory_problem(directory);
    doctor->temporary = !problem;
    doctor_tell(doctor, "temporary files", problem ? WEFT_BROKEN : WEFT_FOUND,
                problem ? "name a directory of yours in TMPDIR; kernels are compiled there" : NULL,
                "%s%s%s", directory, problem ? ": " : "", problem ? problem : "");
}

void doctor_machine(struct doctor *doctor)
{
    Dl_info library;
    bool known = dladdr(__extension__(void *) weft_doctor, &library) != 0 && library.dli_fname;
    doctor_tell(doctor, "weft", WEFT_FOUND, NULL, "%d.%d.%d, %s", WEFT_VERSION_MAJOR,
                WEFT_VERSION_MINOR, WEFT_VERSION_PATCH, known ? library.dli_fname : "linked in");
    tell_processors(doctor);
    tell_variables(doctor);
    tell_memory(doctor);
    tell_temporary(doctor);
}

/* ---- a compiler in memory ---- */

void doctor_first_call(struct doctor *doctor)
{
    static const char *const names[] = {"libtcc.so.1", "libtcc.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (library && dlsym(library, "tcc_new"))
        doctor_tell(doctor, "libtcc", WEFT_FOUND, NULL, "found; not used by this version");
    else
        doctor_tell(doctor, "libtcc", WEFT_ABSENT, NULL,
                    "not found, not needed: a first call waits for the C compiler");
    if (library)
        dlclose(library);
}

/* ---- the cache ---- */

/* $XDG_CACHE_HOME/weft, else ~/.cache/weft; false when neither is set. A relative XDG_CACHE_HOME
 * does not count, as its specification says. */
static bool cache_directory(char path[PATH_MAX])
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg && *xdg == '/')
        return snprintf(path, PATH_MAX, "%s/weft", xdg) < PATH_MAX;
    return home && *home == '/' && snprintf(path, PATH_MAX, "%s/.cache/weft", home) < PATH_MAX;
}

/* Shortens a path to the part of it that exists. */
static void existing_part(char *path)
{
    char *slash;
    while (access(path, F_OK) != 0 && errno == ENOENT && (slash = strrchr(path, '/')) > path)
        *slash = '\0';
    if (access(path, F_OK) != 0 && errno == ENOENT)
        strcpy(path, "/");
}

void doctor_cache(struct doctor *doctor)
{
    char path[PATH_MAX], existing[PATH_MAX];
    if (!cache_directory(path)) {
        doctor_tell(doctor, "directory", WEFT_ABSENT, "set HOME or XDG_CACHE_HOME",
                    "none: neither XDG_CACHE_HOME nor HOME names a directory");
        return;
    }
    strcpy(existing, path);
    existing_part(existing);
    struct stat status;
    bool there = strcmp(existing, path) == 0;
    const char *problem = stat(existing, &status) != 0         ? strerror(errno)
                          : !S_ISDIR(status.st_mode)           ? "not a directory"
                          : access(existing, W_OK | X_OK) != 0 ? strerror(errno)
                                                               : NULL;
    doctor_tell(doctor, "directory", problem ? WEFT_ABSENT : WEFT_FOUND,
                problem ? "name a directory of yours in XDG_CACHE_HOME" : NULL, "%s%s%s%s%s", path,
                problem ? ", cannot be used: "
                : there ? ", can be written"
                        : ", not made yet",
                problem ? existing : "", problem ? ": " : "", problem ? problem : "");
}
