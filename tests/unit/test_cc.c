/* The C compiler's processes, from inside. The compiler is a script. */
#include "runtime/internal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    diags_init(&scene->diags, &scene->arena, NULL);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_probe_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
