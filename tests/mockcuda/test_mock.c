/* The fake driver and NVRTC themselves: that they play what CUDA promises, and that whatever is
 * wrong is told. Each case is a process of its own (this program, with the case's name), because
 * most of them end in an abort; what it says and how it ends is compared with its row of the
 * table. */
#include "scene.h"

#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

#ifdef __SANITIZE_ADDRESS__
enum { CHECKED = 0 };
#else
enum { CHECKED = 1 };
#endif

/* What a case says, and its status as waitpid has it. */
static int run_case(const struct row *row, char *said, size_t size)
{
    char *arguments[] = {"test_mock", (char *)row->name, NULL}, *variables[512];
    int ends[2], status, count = 0;
    size_t length = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    for (char **variable = environ; *variable && count < 500; variable++)
        if (strncmp(*variable, "MOCKCUDA_", 9) != 0 || strncmp(*variable, "MOCKCUDA_C", 10) == 0)
            variables[count++] = *variable;
    if (row->setting)
        variables[count++] = (char *)row->setting;
    variables[count] = NULL;
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, variables),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Removes what AddressSanitizer says of itself when fibers first run. */
static void leave_out_warning(char *said)
{
    char *line = strstr(said, "ASan doesn't fully support makecontext/swapcontext"), *end;
    if (!line)
        return;
    while (line > said && line[-1] != '\n')
        line--;
    end = strchr(line, '\n');
    memmove(line, end ? end + 1 : "", end ? strlen(end + 1) + 1 : 1);
}

static void test_case(void **state)
{
    const struct row *row = *state;
    static char said[65536];
    const char *says = !CHECKED && row->sanitizer ? row->sanitizer : row->says;
    if (!CHECKED && row->sanitizer && !*row->sanitizer)
        skip();
    int status = run_case(row, said, sizeof said);
    leave_out_warning(said);
    int end = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    bool by_sanitizer = !CHECKED && row->sanitizer;
    if (!strstr(said, says) || (!*says && !row->ends && *said) ||
        (by_sanitizer ? !status : end != row->ends))
        fail_msg("ends with %d, said:\n%s", end, said);
}

static void add_rows(struct CMUnitTest *tests, int *count, const struct row *rows)
{
    for (int i = 0; rows[i].name; i++)
        tests[(*count)++] =
            (struct CMUnitTest){rows[i].name, test_case, NULL, NULL, (void *)&rows[i]};
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[100];
    int count = 0;
    add_rows(tests, &count, mock_plays);
    add_rows(tests, &count, mock_refuses);
    for (int i = 0; argc > 1 && i < count; i++)
        if (strcmp(argv[1], tests[i].name) == 0) {
            ((const struct row *)tests[i].initial_state)->run();
            return 0;
        }
    return _cmocka_run_group_tests("mock", tests, (size_t)count, NULL, NULL);
}
