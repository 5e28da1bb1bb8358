/* Running the C compiler: its files and its process; see job.h. It is started by posix_spawn with an
 * argument vector, never through a shell. */
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

/* ---- files ---- */

bool job_files_failed(struct diags *diags, const char *what)
{
    return diag_at(diags, DIAG_COMPILER_FILES, NULL, 0, what, strerror(errno));
}

bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags)
{
    const char *named = environment_get(&cc->environment, "TMPDIR"), *base = named && *named ? named : "/tmp";
    *job = (struct job){.count = 0};
    char path[PATH_MAX], what[160];
    bool fits = snprintf(path, sizeof path, "%s/weft-XXXXXX", base) < PATH_MAX - 1;
    if (!fits)
        errno = ENAMETOOLONG;
    if (!fits || !mkdtemp(path)) {
        snprintf(what, sizeof what, "make a directory for the C compiler in '%.100s' (TMPDIR)", base);
        return job_files_failed(diags, what);
    }
    strcpy(job->directory, path);
    snprintf(job->source, sizeof job->source, "%s/k.c", path);
    snprintf(job->output, sizeof job->output, "%s/%s", path, output);
    snprintf(job->log, sizeof job->log, "%s/log", path);
    return true;
}

static void empty_directory(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

/* A killed compiler may still be creating its last file, so removal is tried again. */
void job_close(struct job *job)
{
    const struct timespec pause = {0, 1000000};
    if (!*job->directory)
        return;
    empty_directory(job->directory);
    for (int i = 0; rmdir(job->directory) < 0 && errno == ENOTEMPTY && i < 100; i++) {
        nanosleep(&pause, NULL);
        empty_directory(job->directory);
    }
}

bool job_write_source(const struct job *job, const char *bytes, size_t size, struct diags *diags)
{
    int fd = open(job->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write_all(fd, bytes, size);
    if (!good)
        job_files_failed(diags, "write a kernel's source");
    if (fd >= 0)
        close(fd);
    return good;
}

char *job_read(const char *path, size_t most)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0 && text)
        *text = '\0';              /* it is empty */
    if (room > most)
        text[most] = '\0';
    fclose(file);
    return text;
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

/* Finds the program; a name without a slash is looked up in PATH. */
static bool job_program(struct job *job, const struct cc *cc)
{
    return strchr(cc->path, '/')
               ? snprintf(job->program, sizeof job->program, "%s", cc->path) < (int)sizeof job->program
               : program_find(environment_get(&cc->environment, "PATH"), cc->path, job->program);
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
                posix_spawn_file_actions_addopen(&actions, 1, job->log, O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0 &&
                posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0;
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
    int error = good ? posix_spawn(pid, job->program, &actions, &attributes, (char *const *)job->arguments, environment)
                     : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* `known`: the status is known. It is lost if the host ignores SIGCHLD or waits for all children. */
static bool report_failure(const struct job *job, bool known, int status, struct diags *diags)
{
    char *log = job_read(job->log, JOB_MAX_LOG), how[48];
    if (!known)
        snprintf(how, sizeof how, "status unknown");
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    if (job->disassembler)
        diag_at(diags, DIAG_DISASSEMBLER, NULL, 0, job->arguments[0], how, log ? log : "");
    else
        diag_at(diags, DIAG_COMPILER_FAILED, NULL, 0, job->arguments[0], how, log ? log : "");
    free(log);
    return false;
}

/* Starts the compiler and adds it to the list under one lock, so that cc_cancel misses none. Returns an
 * errno. */
static int process_start(struct job *job, struct cc_running *running, char **environment)
{
    pthread_mutex_lock(&running->mutex);
    int error = running->cancelled ? ECANCELED : start(job, environment, &job->process.pid);
    if (!error) {
        job->process.next = running->first;
        running->first = &job->process;
    }
    pthread_mutex_unlock(&running->mutex);
    return error;
}

/* Like waitpid, but removes the process from the list before its number can be reused. */
static pid_t process_wait(struct job *job, struct cc_running *running, int *status)
{
    siginfo_t info;
    TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)job->process.pid, &info, WEXITED | WNOWAIT));
    pthread_mutex_lock(&running->mutex);
    struct cc_process **at = &running->first;
    while (*at != &job->process)
        at = &(*at)->next;
    *at = job->process.next;
    pthread_mutex_unlock(&running->mutex);
    return TEMP_FAILURE_RETRY(waitpid(job->process.pid, status, 0));
}

void cc_cancel(struct cc_running *running)
{
    pthread_mutex_lock(&running->mutex);
    running->cancelled = true;
    for (struct cc_process *process = running->first; process; process = process->next)
        kill(-process->pid, SIGKILL);
    pthread_mutex_unlock(&running->mutex);
}

bool job_run(struct job *job, const struct cc *cc, struct diags *diags)
{
    char tmpdir[PATH_MAX + 16];
    char **environment = job_environment(cc, job->directory, tmpdir, sizeof tmpdir);
    int status = 0;
    if (!environment)
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    int error = job_program(job, cc) ? process_start(job, cc->running, environment) : ENOENT;
    free(environment);
    if (error && job->disassembler)
        return diag_at(diags, DIAG_DISASSEMBLER, NULL, 0, job->arguments[0], strerror(error), "");
    if (error)
        return diag_at(diags, DIAG_NO_COMPILER, NULL, 0, job->arguments[0], strerror(error));
    pid_t pid = job->process.pid, waited = process_wait(job, cc->running, &status);
    if (waited < 0 && !cc->running->cancelled && access(job->output, F_OK) == 0)
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
