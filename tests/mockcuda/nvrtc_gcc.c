/* gcc as the compiler of the fake NVRTC: started without a shell, in a directory of its own under $TMPDIR that is gone
 * when it returns (MOCKCUDA_KEEP leaves it there, and what goes wrong in the kernel names it). MOCKCUDA_CC is another
 * compiler, MOCKCUDA_CFLAGS further flags; a cache of kernels does not know of either.
 *
 * Two ways to look after a kernel's accesses: hooks at each of them (plain builds), or the
 * sanitizers' own libraries (where this library is built with AddressSanitizer). */
#define _GNU_SOURCE
#include "nvrtc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#if defined __SANITIZE_ADDRESS__
static const char *const ways[] = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                   "-g1", "-fno-sanitize-address-use-after-scope", NULL};
#else
static const char *const ways[] = {"-fsanitize=kernel-address",
                                   "-fsanitize=alignment",
                                   "--param=asan-instrumentation-with-call-threshold=0",
                                   "--param=asan-stack=0",
                                   "--param=asan-globals=0",
                                   "-DMOCK_CHECKED",
                                   "-nostdlib",
                                   NULL};
#endif

/* What CUDA's C++ takes for an error is one here. */
static const char *const common[] = {"-x",
                                     "c",
                                     "-std=gnu11",
                                     "-O1",
                                     "-shared",
                                     "-fPIC",
                                     "-nostdinc",
                                     "-fvisibility=hidden",
                                     "-fno-strict-aliasing",
                                     "-fno-math-errno",
                                     "-Werror=implicit-function-declaration",
                                     "-Werror=implicit-int",
                                     "-Werror=int-conversion",
                                     "-Werror=incompatible-pointer-types",
                                     "-Werror=discarded-qualifiers",
                                     "-Werror=return-type",
                                     NULL};

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* ---- files ---- */

enum { PATH_SIZE = 4096 };

static const char *in(const char *directory, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", directory, name);
    return path;
}

static struct nvrtc_bytes read_file(const char *path)
{
    struct nvrtc_bytes bytes = {NULL, 0};
    FILE *to = open_memstream(&bytes.data, &bytes.size), *from = fopen(path, "rb");
    char part[16384];
    for (size_t got; from && (got = fread(part, 1, sizeof part, from)) > 0;)
        fwrite(part, 1, got, to);
    if (from)
        fclose(from);
    fclose(to);
    return bytes;
}

static bool write_file(const char *path, const char *text)
{
    FILE *to = fopen(path, "wb");
    bool good = to && fputs(text, to) >= 0;
    return (to && fclose(to) == 0) && good;
}

/* ---- the process ---- */

struct arguments {
    const char *list[64];
    int count;
};

static void add(struct arguments *arguments, const char *argument)
{
    if (arguments->count < 63)
        arguments->list[arguments->count++] = argument;
}

static void add_all(struct arguments *arguments, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        add(arguments, list[i]);
}

/* Words of `text`, which is changed. */
static void add_words(struct arguments *arguments, char *text)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add(arguments, word);
}

/* The caller's thread may have blocked all signals. */
static void let_signals_through(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

static bool run(const struct arguments *arguments, const char *log)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int status = 0;
    let_signals_through(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawnp(&child, arguments->list[0], &actions, &attributes,
                             (char **)arguments->list, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            error = errno;
    if (error)
        fprintf(stderr, "mockcuda: cannot start %s: %s\n", arguments->list[0], strerror(error));
    return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool compile_in(const char *directory, const struct nvrtc_options *options)
{
    char source[PATH_SIZE], object[PATH_SIZE], log[PATH_SIZE], arch[64], text[PATH_SIZE + 32];
    char *flags = strdup(setting("MOCKCUDA_CFLAGS", ""));
    struct arguments arguments = {.count = 0};
    snprintf(arch, sizeof arch, "-DMOCK_ARCH=\"sm_%d\"", options->arch);
    add(&arguments, setting("MOCKCUDA_CC", "gcc"));
    add_all(&arguments, common);
    add_all(&arguments, ways);
    add(&arguments, options->contract ? "-ffp-contract=fast" : "-ffp-contract=off");
    snprintf(text, sizeof text, "-DMOCK_TEXT=\"%s\"", in(directory, "text.cu", source));
    add(&arguments, arch);
    add(&arguments, text);
    add_words(&arguments, flags);
    add(&arguments, "-o");
    add(&arguments, in(directory, "object", object));
    add(&arguments, in(directory, "text.cu", source));
    add(&arguments, "-Wl,-z,defs");
    add(&arguments, "-lm");
    add(&arguments, "-lc");
    add(&arguments, "-lgcc");
    bool good = run(&arguments, in(directory, "log", log));
    free(flags);
    return good;
}

static void remove_files(const char *directory)
{
    char path[PATH_SIZE];
    unlink(in(directory, "text.cu", path));
    unlink(in(directory, "object", path));
    unlink(in(directory, "log", path));
    rmdir(directory);
}

bool nvrtc_gcc(const char *text, const struct nvrtc_options *options, struct nvrtc_bytes *object,
               char **log)
{
    char directory[PATH_SIZE / 2], path[PATH_SIZE];
    snprintf(directory, sizeof directory, "%s/mockcuda-XXXXXX", setting("TMPDIR", "/tmp"));
    *object = (struct nvrtc_bytes){NULL, 0};
    if (!mkdtemp(directory)) {
        *log = strdup("mockcuda: no directory for gcc under $TMPDIR\n");
        return false;
    }
    bool good = write_file(in(directory, "text.cu", path), text) && compile_in(directory, options);
    if (good)
        *object = read_file(in(directory, "object", path));
    *log = read_file(in(directory, "log", path)).data;
    if (!getenv("MOCKCUDA_KEEP"))
        remove_files(directory);
    return good;
}
