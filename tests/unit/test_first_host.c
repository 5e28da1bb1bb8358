/* First kernels and the host: neither a process nor a file stays behind when the context or the process
 * ends, or forks, while the C compiler runs; compilers that are missing or fail, and hosts that forbid or
 * hide what libtcc's module needs. */
#include "tests/unit/first_fixture.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_destroy_ends_the_compiler(void **state)
{
    (void)state;
    need_module();
    struct task job;
    write_script("sleep 1000 & touch \"$TMPDIR/left.o\"; wait");
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    pid_t pid = compiler();
    close_job(&job);
    assert_clean(pid);
}

/* A process that ends without destroying its context. */
static void test_exit_ends_the_compiler(void **state)
{
    (void)state;
    need_module();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct task job;
        open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        run(&job);
        compiler();
        exit(0);
    }
    pid_t pid = compiler();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_clean(pid);
}

/* The child has neither the thread nor the compiler of its parent, and makes its own. */
static int use_in_child(struct task *job)
{
    struct weft_kernel_info info = {0};
    if (run(job) != WEFT_OK || job->out[LENGTH - 1] != job->x[LENGTH - 1] + 1)
        return 1;
    open_gate();
    if (call(job, true, &info) != WEFT_OK || info.origin != WEFT_FROM_COMPILER)
        return 2;
    close_job(job);
    return 0;
}

static void test_fork(void **state)
{
    (void)state;
    need_module();
    struct task job;
    int status;
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    compiler();
    pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(&job));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_COMPILER);
    close_job(&job);
}

static void test_without_a_compiler(void **state)
{
    (void)state;
    need_module();
    need_real_processor();
    static const char *const texts[] = {"x * 2 + 1", "cos(x)"};
    for (int i = 0; i < 2; i++) {
        struct task job;
        open_job(&job, "/nonexistent/cc", WEFT_TIER_EXACT, texts[i], WEFT_MATH_STRICT);
        assert_int_equal(run(&job), WEFT_OK);
        assert_true(job.out[LENGTH / 2] == 1);
        assert_int_equal(prepare(&job).origin, WEFT_FROM_FIRST);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(job.told.count, 1);
        assert_int_equal(job.told.last, 97);
        close_job(&job);
        open_job(&job, "/nonexistent/cc", WEFT_TIER_NONE, texts[i], WEFT_MATH_STRICT);
        assert_int_equal(run(&job), WEFT_COMPILER_ERROR);
        close_job(&job);
    }
}

/* The first kernel stays, and the failure is told once. */
static void test_a_compiler_that_fails(void **state)
{
    (void)state;
    need_module();
    struct task job;
    write_script("exit 3");
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_FIRST);
    assert_int_equal(run(&job), WEFT_OK);
    assert_true(loaded(&job)->final);
    assert_int_equal(job.told.count, 1);
    assert_int_equal(job.told.last, 96);
    close_job(&job);
    open_job(&job, script, WEFT_TIER_EXACT, "cos(x)", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_COMPILER_ERROR);
    close_job(&job);
}

/* A library of the host's that forks when it is loaded, and so has the loader's lock, which our thread waits
 * for. */
static void test_fork_inside_dlopen(void **state)
{
    (void)state;
    need_module();
    struct task job;
    char path[120];
    snprintf(path, sizeof path, "%s/forks.c", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <sys/wait.h>\n#include <unistd.h>\n"
          "__attribute__((constructor)) static void on_load(void)\n"
          "{ usleep(700000); pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, 0, 0); }\n", file);
    fclose(file);
    shell("cd %s && cc -shared -fPIC -o forks.so forks.c", directory);
    snprintf(path, sizeof path, "%s/forks.so", directory);
    open_gate();
    alarm(100);
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_COMPILER);
    dlclose(library);
    alarm(0);
    close_job(&job);
}

/* A program that has the library inside and was called by a bare name, in a directory that holds a module
 * of somebody's, does not load that one. */
static void test_module_of_a_stranger(void **state)
{
    (void)state;
    need_module();
    struct stat stat_;
    char path[120];
    int status;
    snprintf(path, sizeof path, "%s/stranger.c", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#include <stdio.h>\n__attribute__((constructor)) static void on_load(void)\n"
                  "{ fclose(fopen(\"%s/loaded\", \"w\")); }\n", directory);
    fclose(file);
    shell("cd %s && mkdir weft && cc -shared -fPIC -o weft/weft-first.so stranger.c", directory);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("WEFT_MODULES");
        if (chdir(directory) == 0)
            execl("/proc/self/exe", "weft", "look", NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/loaded", directory);
    assert_int_not_equal(stat(path, &stat_), 0);
}

/* Where memory cannot become executable the call waits for the C compiler. */
static void test_refused_memory(void **state)
{
    (void)state;
    need_module();
    need_real_processor();
    int status;
    open_gate();
    pid_t child = fork();
    if (child == 0) {
        struct task job;
        if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) != 0)
            _exit(77);
        open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        bool good = run(&job) == WEFT_OK && job.out[0] == job.x[0] + 1 && !loaded(&job)->first.entry;
        close_job(&job);
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "look") == 0) {
        first_available();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(test_destroy_ends_the_compiler),
        TEST(test_exit_ends_the_compiler),
        TEST(test_fork),
        TEST(test_without_a_compiler),
        TEST(test_a_compiler_that_fails),
        TEST(test_fork_inside_dlopen),
        TEST(test_module_of_a_stranger),
        TEST(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
