/* Running the C compiler: its files and its process; see job.h. It is started by posix_spawn with an
 * argument vector, never through a shell, and in the folder of its source, which it is given by name: a path may hold
 * anything, and goes into line markers that the assembler reads.
 *
 * Invariant: files are made and removed through the folder's descriptor alone. Whoever may rename the folder cannot
 * lead us into another one. */
#include "runtime/cc/cc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char SOURCE[] = "k.c", LOG[] = "log";

/* ---- files ---- */

bool job_files_failed(struct diags *diags, const char *what)
{
    return diag_at(diags, DIAG_COMPILER_FILES, NULL, 0, what, strerror(errno));
}

/* The directory for temporary files as an absolute path, because the compiler does not start in ours. */
static bool find_base(const struct cc *cc, char path[PATH_MAX])
{
    const char *named = environment_get(&cc->environment, "TMPDIR"), *base = named && *named ? named : "/tmp";
    size_t length = 0;
    *path = '\0';
    if (*base != '/' && getcwd(path, PATH_MAX))
        length = strlen(path);
    bool fits = snprintf(path + length, PATH_MAX - length, "%s%s/weft-XXXXXX", length ? "/" : "", base) <
                (int)(PATH_MAX - length) - 1;
    if (!fits)
        errno = ENAMETOOLONG;
    return fits;
}

static bool is_empty(DIR *list)
{
    int names = 0;
    while (readdir(list))
        names++;
    return names <= 2;
}

/* Makes the folder and opens it. Where others may rename what is ours, another directory may have come into its place
 * meanwhile: then nothing is put there, and nothing removed. Returns NULL and errno. */
static DIR *make_folder(char path[PATH_MAX])
{
    struct stat status;
    if (!mkdtemp(path))
        return NULL;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    bool known = list && fstat(folder, &status) == 0;
    int error = known ? EEXIST : errno;
    if (known && status.st_uid == geteuid() && (status.st_mode & 0777) == 0700 && is_empty(list))
        return list;
    if (list)
        closedir(list);
    else if (folder >= 0)
        close(folder);
    if (!known && error != ENOENT && error != ENOTDIR && error != ELOOP)
        rmdir(path); /* no descriptor or no memory is left */
    errno = error;
    return NULL;
}

/* Makes the folder and lists the job under one lock, so that cc_cancel misses none. */
static bool make_listed(struct job *job, struct cc_running *running)
{
    pthread_mutex_lock(&running->mutex);
    if (running->cancelled)
        errno = ECANCELED;
    else
        job->list = make_folder(job->path);
    if (job->list) {
        job->folder = dirfd(job->list);
        job->running = running;
        job->next = running->first;
        running->first = job;
    }
    pthread_mutex_unlock(&running->mutex);
    return job->list;
}

bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags)
{
    char what[160];
    *job = (struct job){.folder = -1, .start = -1, .source = SOURCE, .name = output};
    if (!find_base(cc, job->path) || !make_listed(job, cc->running)) {
        const char *named = environment_get(&cc->environment, "TMPDIR");
        snprintf(what, sizeof what, "make a directory for the C compiler in '%.100s' (TMPDIR)",
                 named && *named ? named : "/tmp");
        return job_files_failed(diags, what);
    }
    snprintf(job->output, sizeof job->output, "%s/%s", job->path, output);
    return true;
}

/* Takes no memory and no descriptor, of which there may be none left. */
static void empty_folder(const struct job *job)
{
    rewinddir(job->list);
    for (struct dirent *entry; (entry = readdir(job->list));)
        unlinkat(job->folder, entry->d_name, 0);
}

/* Removes the folder once. By its path only an empty directory can go. A killed compiler may still be creating its last
 * file, so removal is tried again. */
static void remove_folder(struct job *job)
{
    const struct timespec pause = {0, 1000000};
    if (job->removed)
        return;
    job->removed = true;
    empty_folder(job);
    for (int i = 0; rmdir(job->path) < 0 && errno == ENOTEMPTY && i < 100; i++) {
        nanosleep(&pause, NULL);
        empty_folder(job);
    }
}

void job_close(struct job *job)
{
    if (job->folder < 0)
        return;
    pthread_mutex_lock(&job->running->mutex);
    struct job **at = &job->running->first;
    while (*at && *at != job)
        at = &(*at)->next;
    if (*at)
        *at = job->next;
    remove_folder(job);
    pthread_mutex_unlock(&job->running->mutex);
    closedir(job->list);
    if (job->start >= 0)
        close(job->start);
}

bool job_write_source(const struct job *job, const char *bytes, size_t size, struct diags *diags)
{
    int fd = openat(job->folder, SOURCE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write_all(fd, bytes, size);
    if (!good)
        job_files_failed(diags, "write a kernel's source");
    if (fd >= 0)
        close(fd);
    return good;
}

bool job_source_at(struct job *job, const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", (int)(slash - path), path);
    job->start = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->start >= 0)
        job->source = slash + 1;
    return job->start >= 0;
}

int job_open_output(const struct job *job)
{
    return openat(job->folder, job->name, O_RDONLY | O_CLOEXEC);
}

static char *read_text(const struct job *job, const char *name, size_t most)
{
    int fd = openat(job->folder, name, O_RDONLY | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *text = NULL;
    size_t room = 0;
    if (!file && fd >= 0)
        close(fd);
    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0 && text)
        *text = '\0';              /* it is empty */
    if (room > most)
        text[most] = '\0';
    fclose(file);
    return text;
}

char *job_read_output(const struct job *job)
{
    return read_text(job, job->name, SIZE_MAX);
}

char *job_read_log(const struct job *job)
{
    return read_text(job, LOG, JOB_MAX_LOG);
}

/* ---- the process ---- */

/* The compiler's environment: the copy, with TMPDIR set to the private directory and LC_ALL=C. PATH is
 * added if it is missing, since gcc finds its own parts by it. */
static char **job_environment(const struct cc *cc, const char *directory, char *tmpdir, size_t size)
{
    char *const *ours = cc->environment.variables;
    size_t count = 0, kept = 0;
    while (ours[count])
        count++;
    char **copy = calloc(count + 4, sizeof *copy);
    snprintf(tmpdir, size, "TMPDIR=%s", directory);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(ours[i], "TMPDIR=", 7) != 0 && strncmp(ours[i], "LC_ALL=", 7) != 0)
            copy[kept++] = ours[i];
    if (copy) {
        copy[kept++] = tmpdir;
        copy[kept++] = (char *)"LC_ALL=C";
        copy[kept] = environment_get(&cc->environment, "PATH") ? NULL : (char *)"PATH=" PROGRAM_PATH;
    }
    return copy;
}

/* Finds the program's absolute path; a name without a slash is looked up in PATH. */
static bool job_program(struct job *job, const struct cc *cc)
{
    char found[PATH_MAX], here[PATH_MAX] = "";
    bool named = strchr(cc->path, '/');
    if (!named && !program_find(environment_get(&cc->environment, "PATH"), cc->path, found))
        return false;
    const char *path = named ? cc->path : found;
    if (*path != '/' && !getcwd(here, sizeof here))
        return false;
    return snprintf(job->program, sizeof job->program, "%s%s%s", here, *here ? "/" : "", path) <
           (int)sizeof job->program;
}

/* Starts the compiler in a process group of its own, with all signals at their defaults. Returns an errno. */
static int start(struct job *job, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    bool good = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                posix_spawn_file_actions_addfchdir_np(&actions, job->folder) == 0 &&
                posix_spawn_file_actions_addopen(&actions, 1, LOG, O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0 &&
                posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
                (job->start < 0 || posix_spawn_file_actions_addfchdir_np(&actions, job->start) == 0);
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 34)
    /* no socket of the host may stay open in it */
    good = good && posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0;
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    const char *named = job->arguments[0];
    if (strchr(named, '/'))
        job->arguments[0] = job->program; /* by which a compiler finds its parts */
    int error = good ? posix_spawn(pid, job->program, &actions, &attributes, (char *const *)job->arguments, environment)
                     : ENOMEM;
    job->arguments[0] = named;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool tells_error(const char *line)
{
    return strstr(line, "error: ") && strncmp(line, "collect2: ", 10) != 0; /* which adds to the linker's words */
}

/* What a compiler said, as its first error: a line, "" where it said nothing. Sets how many lines there are in all. */
static char *first_error(char *log, int *lines)
{
    char *first = NULL, *line = log;
    *lines = 0;
    for (char *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        const bool more = *end;
        *end = '\0';
        *lines += *line != '\0';
        if ((!first && *line) || (tells_error(line) && !tells_error(first)))
            first = line;
        end += more;
    }
    return first ? first : log;
}

/* `known`: the status is known. It is lost if the host ignores SIGCHLD or waits for all children. */
static bool report_failure(const struct job *job, bool known, int status, struct diags *diags)
{
    char *log = job_read_log(job), how[48], rest[96] = "";
    int lines = 0;
    const char *said = log ? first_error(log, &lines) : "";
    if (!known)
        snprintf(how, sizeof how, "status unknown");
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    if (lines > 1)
        snprintf(rest, sizeof rest, "\n(its first error, of %d lines; WEFT_KEEP=dir keeps the source)", lines);
    if (job->disassembler)
        diag_at(diags, DIAG_DISASSEMBLER, NULL, 0, job->arguments[0], how, said);
    else
        diag_at(diags, DIAG_COMPILER_FAILED, NULL, 0, job->arguments[0], how,
                lines ? ":\n" : ", and it said nothing", said, rest);
    free(log);
    return false;
}

/* Starts the compiler under the lock, so that cc_cancel kills it. Returns an errno. */
static int process_start(struct job *job, struct cc_running *running, char **environment)
{
    pthread_mutex_lock(&running->mutex);
    int error = running->cancelled ? ECANCELED : start(job, environment, &job->pid);
    if (error)
        job->pid = 0;
    pthread_mutex_unlock(&running->mutex);
    return error;
}

/* Like waitpid, but forgets the process before its number can be reused. */
static pid_t process_wait(struct job *job, struct cc_running *running, int *status)
{
    siginfo_t info;
    pid_t pid = job->pid;
    TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
    pthread_mutex_lock(&running->mutex);
    job->pid = 0;
    pthread_mutex_unlock(&running->mutex);
    return TEMP_FAILURE_RETRY(waitpid(pid, status, 0));
}

void cc_cancel(struct cc_running *running)
{
    pthread_mutex_lock(&running->mutex);
    running->cancelled = true;
    for (struct job *job = running->first; job; job = job->next)
        if (job->pid)
            kill(-job->pid, SIGKILL);
    for (struct job *job = running->first; job; job = job->next)
        remove_folder(job);
    pthread_mutex_unlock(&running->mutex);
}

bool job_run(struct job *job, const struct cc *cc, struct diags *diags)
{
    char tmpdir[PATH_MAX + 16];
    char **environment = job_environment(cc, job->path, tmpdir, sizeof tmpdir);
    int status = 0;
    if (!environment)
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    int error = job_program(job, cc) ? process_start(job, cc->running, environment) : ENOENT;
    free(environment);
    if (error && job->disassembler)
        return diag_at(diags, DIAG_DISASSEMBLER, NULL, 0, job->arguments[0], strerror(error), "");
    if (error)
        return diag_at(diags, DIAG_NO_COMPILER, NULL, 0, job->arguments[0], strerror(error));
    pid_t pid = job->pid, waited = process_wait(job, cc->running, &status);
    if (waited < 0 && !cc->running->cancelled && faccessat(job->folder, job->name, F_OK, 0) == 0)
        return true; /* the status is lost, because the host ignores SIGCHLD, but the output is there */
    if (waited == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        kill(-pid, SIGKILL); /* the processes that it had started */
    return report_failure(job, waited == pid, status, diags);
}

void job_add_arguments(struct job *job, const char *const *arguments)
{
    for (; *arguments && job->count < JOB_MAX_ARGUMENTS - 1; arguments++)
        job->arguments[job->count++] = *arguments;
}
