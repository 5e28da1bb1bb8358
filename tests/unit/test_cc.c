/* The C compiler's processes, from inside. The compiler is a script, mostly. */
#include "runtime/cc/cc.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const unsigned char digest[16] = {1};

struct scene {
    char directory[64], script[80];
    struct cc_running running;
    struct cc cc;
    struct arena arena;
    struct diags diags;
};

static void write_script(const struct scene *scene, const char *body)
{
    FILE *file = fopen(scene->script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fchmod(fileno(file), 0755);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    strcpy(scene->directory, "/tmp/weft-cc-XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    snprintf(scene->script, sizeof scene->script, "%s/cc", scene->directory);
    pthread_mutex_init(&scene->running.mutex, NULL);
    assert_true(cc_init(&scene->cc, scene->script, NULL));
    scene->cc.running = &scene->running;
    arena_init(&scene->arena);
    scene->diags = diags_new(&scene->arena, NULL);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", scene->directory);
    assert_int_equal(system(command), 0);
    cc_finish(&scene->cc);
    arena_finish(&scene->arena);
    free(scene);
    return 0;
}

/* A compiler that did not answer is asked again, and is not taken for the one before it. */
static void test_probe_that_fails(void **state)
{
    struct scene *scene = *state;
    write_script(scene, "echo 'gcc (Some 10.2) 10.2.0'");
    assert_true(cc_probe(&scene->cc, "one", &scene->diags));
    assert_int_equal(scene->cc.kind, CC_GCC);
    assert_false(scene->cc.levels);
    write_script(scene, "exit 1");
    assert_true(cc_probe(&scene->cc, "one", &scene->diags));
    assert_false(cc_probe(&scene->cc, "two", &scene->diags));
    write_script(scene, "echo 'clang version 14.0.6'");
    assert_true(cc_probe(&scene->cc, "two", &scene->diags));
    assert_int_equal(scene->cc.kind, CC_CLANG);
    assert_true(scene->cc.levels);
}

static void *load(void *scene_)
{
    struct scene *scene = scene_;
    int image = -1;
    void *handle = cc_load(&scene->cc, "int answer;", WEFT_MATH_STRICT, digest, NULL, &image, &scene->diags);
    if (image >= 0)
        close(image);
    return handle;
}

/* A host that ignores SIGCHLD loses the status: the file tells, but for that of a compiler we killed. */
static void test_without_a_status(void **state)
{
    struct scene *scene = *state;
    char body[300], marker[80];
    struct stat stat_;
    pthread_t thread;
    void *handle;
    snprintf(marker, sizeof marker, "%s/done", scene->directory);
    snprintf(body, sizeof body, "cc \"$@\"\nstatus=$?\ntouch %s\n[ -e %s/slow ] && sleep 1000\nexit $status",
             marker, scene->directory);
    write_script(scene, body);
    signal(SIGCHLD, SIG_IGN);
    handle = load(scene);
    assert_non_null(handle);
    dlclose(handle);
    unlink(marker);
    snprintf(body, sizeof body, "%s/slow", scene->directory);
    fclose(fopen(body, "w"));
    assert_int_equal(pthread_create(&thread, NULL, load, scene), 0);
    for (int i = 0; i < 10000 && stat(marker, &stat_) != 0; i++)
        usleep(1000);
    cc_cancel(&scene->running);
    assert_int_equal(pthread_join(thread, &handle), 0);
    assert_null(handle);
    assert_non_null(strstr(scene->diags.last->message, "status unknown"));
    signal(SIGCHLD, SIG_DFL);
}

/* A host whose files may not grow gets an error, and no signal. */
static void test_limit_of_files(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit small = {10, 10};
        _exit(setrlimit(RLIMIT_FSIZE, &small) || load(*state) || !((struct scene *)*state)->diags.errors);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A host without any environment. */
static void test_without_a_path(void **state)
{
    struct scene *scene = *state;
    cc_finish(&scene->cc);
    char *path = strdup(getenv("PATH"));
    unsetenv("PATH");
    assert_true(cc_init(&scene->cc, "cc", NULL));
    setenv("PATH", path, 1);
    free(path);
    scene->cc.running = &scene->running;
    void *handle = load(scene);
    assert_non_null(handle);
    dlclose(handle);
}

/* In a set-user-ID program of nobody's: 0 when nothing of the environment is taken, 77 when the system does
 * not know such programs. */
static int look_as_nobody(void)
{
    struct cc cc;
    bool good = cc_init(&cc, NULL, NULL) && strcmp(cc.path, "cc") == 0 && !environment_get(&cc.environment, "PATH") &&
                !environment_get(&cc.environment, "TMPDIR") && !*cc.flags;
    cc_finish(&cc);
    return !getauxval(AT_SECURE) ? 77 : !good;
}

static void test_set_user_id(void **state)
{
    struct scene *scene = *state;
    char command[600];
    if (geteuid() != 0)
        skip();
    snprintf(command, sizeof command,
             "chmod 755 %s && cp /proc/%ld/exe %s && chown 65534 %s && chmod 4755 %s && "
             "WEFT_CC=evil WEFT_CFLAGS=-evil %s look", scene->directory, (long)getpid(), scene->script,
             scene->script, scene->script, scene->script);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* What the host has open without FD_CLOEXEC is not the compiler's. */
static void test_descriptors(void **state)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 34)
    struct scene *scene = *state;
    int fd = dup2(0, 200);
    assert_int_equal(fd, 200);
    write_script(scene, "[ -e /proc/$$/fd/0 ] && ! [ -e /proc/$$/fd/200 ]");
    assert_true(cc_probe(&scene->cc, "one", &scene->diags));
    close(fd);
#else
    (void)state;
    skip();
#endif
}

static const char *instead;       /* a directory that comes into the place of the next one; NULL: none does */

/* The library's, with what another user of a directory in which all may rename could do behind it. */
char *mkdtemp(char *path)
{
    char *(*own)(char *);
    *(void **)&own = dlsym(RTLD_NEXT, "mkdtemp");
    char *made = own(path);
    if (made && instead) {
        assert_int_equal(rmdir(path), 0);
        assert_int_equal(symlink(instead, path), 0);
        instead = NULL;
    }
    return made;
}

/* Nothing is put into a directory that a link leads to, though it looks like the one that was made. */
static void test_link_in_its_place(void **state)
{
    struct scene *scene = *state;
    char other[80];
    write_script(scene, "cc \"$@\"");
    snprintf(other, sizeof other, "%s/other", scene->directory);
    assert_int_equal(mkdir(other, 0700), 0);
    setenv("TMPDIR", scene->directory, 1);
    cc_finish(&scene->cc);
    assert_true(cc_init(&scene->cc, scene->script, NULL));
    unsetenv("TMPDIR");
    scene->cc.running = &scene->running;
    instead = other;
    assert_null(load(scene));
    assert_null(instead);
    assert_non_null(strstr(scene->diags.last->message, scene->directory));
    assert_int_equal(rmdir(other), 0); /* it is empty */
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "look") == 0)
        _exit(look_as_nobody()); /* the leak checker cannot look into such a program */
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_probe_that_fails),
        TEST(test_without_a_status),
        TEST(test_limit_of_files),
        TEST(test_without_a_path),
        TEST(test_set_user_id),
        TEST(test_descriptors),
        TEST(test_link_in_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
