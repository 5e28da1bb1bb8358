/* weft_doctor: the machine, the temporary directory and the disk cache. */
#include "runtime/api/doctor_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Reads the value after `key` and a colon from a file of such lines. False: there is none. */
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

/* Lists the variables that change what Weft does, if they are set; OMP_NUM_THREADS always. */
static void tell_variables(struct doctor *doctor)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "WEFT_CC",         "WEFT_CFLAGS", "WEFT_TARGET",
                                        "WEFT_DISABLE",    "WEFT_CACHE",      "WEFT_CACHE_SIZE",
                                        "WEFT_MODULES",    "WEFT_KEEP",       "WEFT_DEBUG"};
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
    bool known = dladdr(__extension__(void *) weft_context_create, &library) != 0 && library.dli_fname;
    doctor_tell(doctor, "weft", WEFT_FOUND, NULL, "%d.%d.%d, %s", WEFT_VERSION_MAJOR,
                WEFT_VERSION_MINOR, WEFT_VERSION_PATCH, known ? library.dli_fname : "linked in");
    tell_processors(doctor);
    tell_variables(doctor);
    tell_memory(doctor);
    tell_temporary(doctor);
}

/* ---- the cache ---- */

struct count {
    int entries, damaged;
    double bytes;
};

static void count_entry(void *user, const struct weft_cache_entry *entry)
{
    struct count *count = user;
    count->entries++;
    count->damaged += entry->problem != NULL;
    count->bytes += (double)entry->size;
}

/* Whether entries can be written to the directory, or it can be made below the part of its path that
 * exists. Returns 0 or an errno. */
static int writable(const char *directory)
{
    char path[PATH_MAX], *slash;
    struct stat status;
    if (snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path)
        return ENAMETOOLONG;
    while (stat(path, &status) != 0 && errno == ENOENT && (slash = strrchr(path, '/')) &&
           slash > path)
        *slash = '\0';
    if (stat(path, &status) != 0 && errno != ENOENT)
        return errno;
    return access(*path ? path : "/", W_OK | X_OK) == 0 ? 0 : errno;
}

static void tell_cache(struct doctor *doctor, const char *path, const struct count *count)
{
    char damaged[32] = "";
    if (count->damaged)
        snprintf(damaged, sizeof damaged, ", %d damaged", count->damaged);
    doctor_tell(doctor, "directory", WEFT_FOUND,
                *damaged ? "weft cache verify names them; weft cache clear removes all" : NULL,
                "%s, %d kernel%s, %.1f MB%s", path, count->entries, count->entries == 1 ? "" : "s",
                1e-6 * count->bytes, damaged);
}

void doctor_cache(struct doctor *doctor)
{
    struct count count = {0};
    struct weft_error *error = NULL;
    char *path = NULL;
    const char *word = doctor->params->cache;
    enum weft_status status = weft_cache_path(word, &path, &error);
    int problem = status >= 0 && *path ? writable(path) : 0;
    if (status >= 0)
        status = weft_cache_list(word, count_entry, &count, &error);
    if (status == WEFT_OUT_OF_MEMORY)
        doctor->out_of_memory = true;
    else if (status < 0 || problem)
        doctor_tell(doctor, "directory", WEFT_BROKEN,
                    "name a directory of yours in WEFT_CACHE, or none",
                    "%s%s%s; kernels are not kept", error ? error->message : path,
                    error ? "" : ": ", error ? "" : strerror(problem));
    else if (!*path)
        doctor_tell(doctor, "directory", WEFT_ABSENT, "name one in WEFT_CACHE",
                    "none: kernels are not kept for later processes");
    else
        tell_cache(doctor, path, &count);
    weft_error_destroy(error);
    weft_free(path);
}
