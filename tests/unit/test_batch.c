/* cli/base/work.c, cli/values/batch.c and cli/outputs/leftovers.c: what happens between threads, between the two steps
 * of reading, and between processes. */
#include "tests/unit/cli_fixture.h"

#include "cli/base/work.h"
#include "cli/files/npy.h"
#include "cli/outputs/leftovers_impl.h"
#include "cli/values/value.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 200 };

struct tally {
    atomic_int runs[TASKS];
    int bad[3]; /* fail */
};

static bool task(struct report *report, void *user, int index)
{
    struct tally *tally = user;
    atomic_fetch_add(&tally->runs[index], 1);
    pool_alloc(report->pool, 1000);
    for (int i = 0; i < 3; i++)
        if (index == tally->bad[i])
            return REPORT_FILE(report, "x", FILE_ERROR, pool_printf(report->pool, "do %d", index),
                               "told");
    return true;
}

static void every_task_once(void **state)
{
    struct fixture *f = *state;
    for (int threads = 0; threads <= 40; threads += 5) {
        struct tally tally = {.bad = {-1, -1, -1}};
        assert_true(work_do(&f->report, &(struct work){"test", TASKS, threads, task, &tally}));
        for (int i = 0; i < TASKS; i++)
            assert_int_equal(tally.runs[i], 1);
    }
    assert_true(work_do(&f->report, &(struct work){"test", 0, 0, task, NULL}));
}

/* The first that fails is told, it alone, and what comes much later is not begun. */
static void the_first_failure(void **state)
{
    struct fixture *f = *state;
    for (int threads = 1; threads <= 8; threads++) {
        struct tally tally = {.bad = {31, 29, 33}};
        f->report.status = 0;
        assert_false(work_do(&f->report, &(struct work){"test", TASKS, threads, task, &tally}));
        const char *told = fixture_told(f);
        assert_non_null(strstr(told, "cannot do 29: told"));
        assert_null(strstr(told, "do 31"));
        assert_null(strstr(told, "do 33"));
        assert_int_equal(f->report.status, 1);
        assert_int_equal(tally.runs[TASKS - 1], 0);
    }
}

static bool greedy(struct report *report, void *user, int index)
{
    (void)user;
    pool_alloc(report->pool, index == 7 ? SIZE_MAX - 8 : 1000);
    return true;
}

/* The command says so and ends, from whichever thread it is. */
static void a_task_without_memory(void **state)
{
    struct fixture *f = *state;
    char told[64] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        work_do(&f->report, &(struct work){"test", 9, 3, greedy, NULL});
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(ends[0], told, sizeof told - 1) > 0);
    close(ends[0]);
    assert_string_equal(told, "weft: error: out of memory\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static const char *directory(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/weft-test-batch-%ld", (long)getpid());
    return path;
}

static const char *inside(struct fixture *f, const char *name)
{
    return pool_printf(f->report.pool, "%s/%s", directory(), name);
}

static void write_array(const char *path, int64_t extent)
{
    static const float zeros[100];
    struct tensor tensor = make_tensor(WEFT_FLOAT32, 2, (int64_t[]){1, extent}, zeros);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    npy_write(file, &tensor);
    assert_int_equal(fclose(file), 0);
}

/* A file that becomes another between its header and its data is an error, never a wrong shape. */
static void a_file_that_changes(void **state)
{
    struct fixture *f = *state;
    const char *names[] = {inside(f, "a.npy"), inside(f, "b.npy")};
    assert_int_equal(mkdir(directory(), 0700), 0);
    for (int change = 0; change < 3; change++) {
        struct value value = {.keep_going = false};
        write_array(names[0], 3);
        write_array(names[1], 4);
        assert_true(value_open(&f->report, directory(), 2, NULL, &value));
        assert_int_equal(value.count, 2);
        assert_int_equal(value.samples[1].shape[1], 4);
        assert_null(value.samples[1].data);
        if (change == 1)
            write_array(names[1], 5);
        if (change == 2)
            unlink(names[1]);
        assert_int_equal(value_load(&f->report, &value, 2), change == 0);
        value_finish(&value);
        const char *told = fixture_told(f);
        assert_true(change != 1 || strstr(told, "b.npy: error[W0146]: it changed"));
        assert_true(change != 2 || strstr(told, "b.npy: error[W0138]: "));
    }
    unlink(names[0]);
    rmdir(directory());
}

static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

static struct folder *make_folder(struct pool *pool, int number)
{
    struct folder *folder = folder_new(pool, directory());
    assert_non_null(folder);
    assert_true(folder_make(pool, folder, number));
    return folder;
}

static const char *path_of(struct pool *pool, const struct folder *folder)
{
    return pool_printf(pool, "%s/%s", directory(), folder->name);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void leftovers(void **state)
{
    struct fixture *f = *state;
    struct pool *pool = f->report.pool;
    assert_int_equal(mkdir(directory(), 0700), 0);
    struct folder *first = make_folder(pool, 0), *second = make_folder(pool, 1);
    const char *a = path_of(pool, first), *b = path_of(pool, second);
    put(pool_printf(pool, "%s/0", a), "half of a result");
    assert_int_equal(mkdir(pool_printf(pool, "%s/1", b), 0700), 0);
    put(pool_printf(pool, "%s/1/x.png", b), "a picture");
    folder_close(second);
    folder_close(folder_new(pool, directory()));
    assert_true(there(a) && !there(b));
    folder_close(first);
    folder_close(folder_new(pool, directory()));
    assert_false(there(a));
    assert_int_equal(rmdir(directory()), 0);
}

/* Of a leftover's name, but somebody's own, also with the mark of another folder in it. */
static void no_leftovers(void **state)
{
    struct fixture *f = *state;
    struct pool *pool = f->report.pool;
    assert_int_equal(mkdir(directory(), 0700), 0);
    const char *mine = pool_printf(pool, "%s/.weft-1-0", directory());
    const char *precious = pool_printf(pool, "%s/thesis", mine), *mark = pool_printf(pool, "%s/weft", mine);
    const char *file = pool_printf(pool, "%s/.weft-1-1", directory());
    assert_int_equal(mkdir(mine, 0700), 0);
    put(precious, "years of work");
    put(file, "more");
    folder_close(folder_new(pool, directory()));
    assert_true(there(precious) && there(file));
    struct folder *folder = make_folder(pool, 0);
    assert_int_equal(rename(pool_printf(pool, "%s/weft", path_of(pool, folder)), mark), 0);
    folder_remove(folder);
    folder_close(folder);
    folder_close(folder_new(pool, directory()));
    assert_true(there(precious) && there(mark));
    unlink(precious), unlink(mark), unlink(file), rmdir(mine);
    assert_int_equal(rmdir(directory()), 0);
}

/* It is emptied where it is, and a directory that came into its place is left alone. */
static void a_renamed_folder(void **state)
{
    struct fixture *f = *state;
    struct pool *pool = f->report.pool;
    assert_int_equal(mkdir(directory(), 0700), 0);
    struct folder *folder = make_folder(pool, 0);
    const char *path = path_of(pool, folder), *away = pool_printf(pool, "%s/away", directory());
    const char *precious = pool_printf(pool, "%s/thesis", path);
    put(pool_printf(pool, "%s/0", path), "half of a result");
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    put(precious, "years of work");
    folder_remove(folder);
    folder_close(folder);
    assert_true(there(precious));
    assert_int_equal(rmdir(away), 0);
    unlink(precious), rmdir(path);
    assert_int_equal(rmdir(directory()), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_task_once),       TEST(the_first_failure),
                                       TEST(a_task_without_memory), TEST(a_file_that_changes),
                                       TEST(leftovers),         TEST(no_leftovers),
                                       TEST(a_renamed_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
