/* The disk cache from inside: entries that are cut short or changed anywhere, loading, locks, the
 * place, sweeping. tests/cache drives the same through the command. */
#include "runtime/cache/cache.h"
#include "runtime/cc/cc.h"
#include "runtime/cc/image_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];         /* of one test */

static const char *below(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[1200];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/weft-cache-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("WEFT_CACHE_SIZE");
    run_shell("rm -rf '%s'%s", directory, "");
    return 0;
}

/* A descriptor of a shared object whose function `answer` returns `number`. */
static int make_image(int number)
{
    char name[32], text[64], source[512];
    snprintf(name, sizeof name, "answer%d.c", number);
    snprintf(text, sizeof text, "int answer(void) { return %d; }", number);
    snprintf(source, sizeof source, "%s", below(name));
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    run_shell("cc -shared -fPIC -nostdlib -o '%s.so' '%s'", source, source);
    strcat(source, ".so");
    int fd = open(source, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static int answer(void *handle)
{
    int (*function)(void) = NULL;
    assert_non_null(handle);
    *(void **)&function = dlsym(handle, "answer");
    assert_non_null(function);
    return function();
}

static struct cache_key key_of(const char *text)
{
    const struct cc cc = {.path = "cc", .flags = (char *[]){NULL}};
    struct cache_key key;
    assert_true(cc_key_init(&key, &cc, "some compiler", text, WEFT_MATH_STRICT));
    return key;
}

/* Keeps an image and gives the path of its entry. */
static char *publish(const struct cache_key *key, int number)
{
    char *path;
    int image = make_image(number);
    assert_true(cache_publish(below("c"), key, &(struct image){.fd = image}, "cc 1", UINT64_MAX, &(int){0}));
    close(image);
    assert_true(asprintf(&path, "%s/%.2s/%s.so", below("c"), key->name, key->name) > 0);
    return path;
}

static int find(const struct cache_key *key)
{
    bool keep;
    void *handle = cache_find(below("c"), key, false, &keep);
    int found = handle ? answer(handle) : 0;
    assert_false(keep);
    if (handle)
        dlclose(handle);
    return found;
}

/* ---- entries ---- */

static void test_keys(void **state)
{
    (void)state;
    const struct cc plain = {.path = "cc", .flags = (char *[]){NULL}},
                    flagged = {.path = "cc", .flags = (char *[]){"-Da", "b", NULL}},
                    joined = {.path = "cc", .flags = (char *[]){"-Da b", NULL}},
                    native = {.path = "cc", .flags = (char *[]){"-march=native", NULL}},
                    vector = {.path = "cc", .flags = (char *[]){NULL}, .vector_functions = "exp"};
    const struct {
        const struct cc *cc;
        const char *identity, *text;
        enum weft_math math;
    } rows[] = {{&plain, "i", "t", WEFT_MATH_STRICT},   {&plain, "i", "u", WEFT_MATH_STRICT},
                {&plain, "j", "t", WEFT_MATH_STRICT},   {&plain, "i", "t", WEFT_MATH_FAST},
                {&flagged, "i", "t", WEFT_MATH_STRICT}, {&joined, "i", "t", WEFT_MATH_STRICT},
                {&native, "i", "t", WEFT_MATH_STRICT},  {&vector, "i", "t", WEFT_MATH_STRICT}};
    enum { ROWS = sizeof rows / sizeof *rows };
    struct cache_key keys[ROWS], again;
    for (int i = 0; i < ROWS; i++) {
        assert_true(cc_key_init(&keys[i], rows[i].cc, rows[i].identity, rows[i].text, rows[i].math));
        assert_true(cc_key_init(&again, rows[i].cc, rows[i].identity, rows[i].text, rows[i].math));
        assert_string_equal(keys[i].name, again.name);
        cache_key_finish(&again);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(keys[i].name, keys[j].name);
    }
    for (int i = 0; i < ROWS; i++)
        cache_key_finish(&keys[i]);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct cache_key one = key_of("one"), two = key_of("two");
    struct stat stat_;
    assert_int_equal(find(&one), 0);
    char *path = publish(&one, 1);
    free(publish(&two, 2));
    assert_int_equal(find(&one), 1);
    assert_int_equal(find(&two), 2);
    assert_int_equal(stat(path, &stat_), 0);
    assert_int_equal(stat_.st_mode & 0777, 0600);
    assert_int_equal(stat(below("c"), &stat_), 0);
    assert_int_equal(stat_.st_mode & 0777, 0700);
    free(path);
    cache_key_finish(&one);
    cache_key_finish(&two);
}

/* The entry of another key under this one's name: a miss, not a wrong kernel. */
static void test_other_key(void **state)
{
    (void)state;
    struct cache_key one = key_of("one"), two = key_of("two");
    char *first = publish(&one, 1), *second = publish(&two, 2);
    run_shell("cp '%s' '%s'", first, second);
    assert_int_equal(find(&two), 0);
    assert_int_equal(find(&one), 1);
    free(publish(&two, 2));
    assert_int_equal(find(&two), 2);
    free(first), free(second);
    cache_key_finish(&one);
    cache_key_finish(&two);
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
    struct stat stat_;
    int fd = open(path, O_RDONLY);
    assert_int_equal(fstat(fd, &stat_), 0);
    unsigned char *bytes = malloc((size_t)stat_.st_size);
    *size = (size_t)stat_.st_size;
    assert_int_equal(read(fd, bytes, *size), *size);
    close(fd);
    return bytes;
}

static void test_every_truncation(void **state)
{
    (void)state;
    struct cache_key key = key_of("one");
    char *path = publish(&key, 1);
    size_t size;
    free(read_bytes(path, &size));
    assert_int_equal(find(&key), 1);
    while (size-- > 0) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        assert_int_equal(find(&key), 0);
    }
    free(path);
    cache_key_finish(&key);
}

/* Every byte with one bit and with all bits flipped; then bytes behind the end, and none at all. */
static void test_every_byte(void **state)
{
    (void)state;
    struct cache_key key = key_of("one");
    char *path = publish(&key, 1);
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    int fd = open(path, O_WRONLY);
    for (size_t i = 0; i < size; i++)
        for (int all = 0; all < 2; all++) {
            unsigned char wrong = bytes[i] ^ (all ? 0xff : 1 << i % 8);
            assert_int_equal(pwrite(fd, &wrong, 1, (off_t)i), 1);
            assert_int_equal(find(&key), 0);
            assert_int_equal(pwrite(fd, &bytes[i], 1, (off_t)i), 1);
        }
    assert_int_equal(find(&key), 1);
    assert_int_equal(pwrite(fd, bytes, size, (off_t)size), size); /* twice the entry */
    assert_int_equal(find(&key), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(find(&key), 0);
    close(fd);
    free(bytes);
    free(path);
    cache_key_finish(&key);
}

/* A sound entry whose image is no shared object. */
static void test_image_that_does_not_load(void **state)
{
    (void)state;
    struct cache_key key = key_of("one");
    for (size_t size = 0; size < 1000; size += 100) {
        static const char bytes[1000] = "nonsense";
        int part = open(below("part"), O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_int_equal(write(part, bytes, size), size);
        assert_true(cache_publish(below("c"), &key, &(struct image){.fd = part}, "", UINT64_MAX, &(int){0}));
        close(part);
        assert_int_equal(find(&key), 0);
    }
    cache_key_finish(&key);
}

/* A damaged entry goes when its kernel is about to be made, and so does an empty directory in its place; one with
 * something in it stays. */
static void test_damaged_goes(void **state)
{
    (void)state;
    struct cache_key key = key_of("one");
    char *path = publish(&key, 1);
    bool keep;
    assert_int_equal(truncate(path, 100), 0);
    assert_null(cache_find(below("c"), &key, true, &keep));
    assert_false(keep);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(cache_find(below("c"), &key, false, &keep));
    assert_int_equal(access(path, F_OK), 0);
    assert_null(cache_find(below("c"), &key, true, &keep));
    assert_false(keep);
    assert_int_not_equal(access(path, F_OK), 0);
    char inside[5000];
    snprintf(inside, sizeof inside, "%s/x", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(inside, 0700), 0);
    assert_null(cache_find(below("c"), &key, true, &keep));
    assert_int_equal(access(inside, F_OK), 0);
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(rmdir(path), 0);
    free(path);
    cache_key_finish(&key);
}

/* ---- loading ---- */

/* The loader knows objects by path, and the path holds the number of a descriptor. */
static void test_one_descriptor_two_images(void **state)
{
    (void)state;
    struct cache_key one = key_of("one"), two = key_of("two");
    const char *problem = NULL;
    int first = make_image(1), number = first;
    void *a = image_load(first, 1 << 20, one.digest, "/nonexistent", &problem);
    close(first);
    int second = make_image(2);
    assert_int_equal(second, number);
    void *b = image_load(second, 1 << 20, two.digest, "/nonexistent", &problem);
    assert_int_equal(answer(a), 1);
    assert_int_equal(answer(b), 2);
    dlclose(a);
    dlclose(b);
    close(second);
    first = make_image(1);
    a = image_load(first, 1 << 20, one.digest, "/nonexistent", &problem);
    assert_int_equal(answer(a), 1);
    dlclose(a);
    close(first);
    cache_key_finish(&one);
    cache_key_finish(&two);
}

/* ---- locks ---- */

static void test_lock(void **state)
{
    (void)state;
    int root = cache_open(below("c"), true), first, status;
    assert_true((first = cache_lock_byte(root, 5)) >= 0);
    assert_int_equal(cache_lock_byte(root, 5), -1);
    assert_int_equal(errno, EAGAIN);
    int other = cache_lock_byte(root, 6);
    assert_true(other >= 0);
    cache_unlock(other);
    /* A child has a copy of the descriptor: unlocking must not wait for it. */
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    cache_unlock(first);
    assert_true((first = cache_lock_byte(root, 5)) >= 0);
    cache_unlock(first);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    /* A process that is killed with the lock leaves it free. */
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    if ((child = fork()) == 0) {
        byte = cache_lock_byte(root, 5) >= 0;
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_int_equal(cache_lock_byte(root, 5), -1);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true((first = cache_lock_byte(root, 5)) >= 0);
    cache_unlock(first);
    close(ready[0]), close(ready[1]), close(root);
}

/* ---- the place ---- */

static void place_is(const char *word, const char *expected)
{
    char *place = cache_directory(word);
    assert_string_equal(place, expected);
    free(place);
}

static void test_place(void **state)
{
    (void)state;
    char here[4096], path[5000], *home = strdup(getenv("HOME") ? getenv("HOME") : "/"),
         *base = strdup(getenv("XDG_CACHE_HOME") ? getenv("XDG_CACHE_HOME") : "/");
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/some", here);
    setenv("HOME", "/home/h", 1);
    setenv("XDG_CACHE_HOME", "/x/", 1);
    unsetenv("WEFT_CACHE");
    place_is(NULL, "/x//weft");
    place_is("", "");
    place_is("/a/b//", "/a/b");
    place_is("some/", path);
    setenv("WEFT_CACHE", "some", 1);
    place_is(NULL, path);
    place_is("/a", "/a");
    setenv("WEFT_CACHE", "", 1);
    place_is(NULL, "");
    unsetenv("WEFT_CACHE");
    setenv("XDG_CACHE_HOME", "relative", 1);
    place_is(NULL, ""); /* there is no such home */
    setenv("HOME", "/tmp", 1);
    place_is(NULL, "/tmp/.cache/weft");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    place_is(NULL, "");
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", base, 1);
    free(home), free(base);
}

static void cannot_open(const char *path, int error)
{
    assert_int_equal(cache_open(path, true), -1);
    assert_int_equal(errno, error);
}

static void test_places_that_are_refused(void **state)
{
    (void)state;
    int root = cache_open(below("a/b/c"), true);
    assert_true(root >= 0);
    close(root);
    assert_int_equal(symlink("a", below("link")), 0);
    cannot_open(below("link"), ENOTDIR);
    root = cache_open(below("link/b/c"), true); /* above it links are the user's business */
    assert_true(root >= 0);
    close(root);
    assert_int_equal(mkdir(below("open"), 0700), 0);
    assert_int_equal(chmod(below("open"), 0770), 0);
    cannot_open(below("open"), EPERM);
    close(open(below("file"), O_WRONLY | O_CREAT, 0600));
    cannot_open(below("file"), ENOTDIR);
    cannot_open(below("file/c"), ENOTDIR);
    assert_int_equal(cache_open(below("none"), false), -1);
    assert_int_equal(errno, ENOENT);
    if (geteuid() == 0) {
        assert_int_equal(mkdir(below("theirs"), 0700), 0);
        assert_int_equal(chown(below("theirs"), 12345, 12345), 0);
        cannot_open(below("theirs"), EPERM);
        cannot_open(below("theirs/x/y"), EPERM);
        assert_int_not_equal(access(below("theirs/x"), F_OK), 0);
    }
}

/* ---- sweeping ---- */

static void put_file(int root, const char *name, size_t size, time_t age)
{
    char shard[3] = {name[0], name[1], '\0'}, bytes[1000] = {0};
    const struct timespec times[] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = time(NULL) - age}};
    int fd = cache_open_directory(root, shard, true);
    int file = openat(fd, name, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    while (size > 0) {
        size_t part = size < sizeof bytes ? size : sizeof bytes;
        assert_int_equal(write(file, bytes, part), part);
        size -= part;
    }
    assert_int_equal(futimens(file, times), 0);
    close(file);
    close(fd);
}

static bool has_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "c/%.2s/%s", name, name);
    return access(below(path), F_OK) == 0;
}

#define OLD "00000000000000000000000000000001.so"
#define USED "01000000000000000000000000000001.so"
#define NEW "02000000000000000000000000000001.so"
#define LATER "03000000000000000000000000000001.so"
#define DEAD "00000000000000000000000000000001.1-2.tmp"
#define AHEAD "00000000000000000000000000000001.1-3.tmp"
#define ALIVE "00000000000000000000000000000001.1-4.tmp"

static void fill(int root)
{
    put_file(root, OLD, 4000, 3000);
    put_file(root, USED, 4000, 2000);
    put_file(root, NEW, 4000, 10);
    put_file(root, LATER, 4000, -1000000); /* of a clock that was ahead */
    put_file(root, DEAD, 100, 10000);
    put_file(root, AHEAD, 100, -10000);
    put_file(root, ALIVE, 100, 10);
    put_file(root, "00-not-ours.so", 100000, 10000);
}

static void test_prune(void **state)
{
    (void)state;
    struct weft_cache_removed removed = {0};
    int root = cache_open(below("c"), true);
    fill(root);
    assert_true(cache_prune(root, 16000, 16000, &removed));
    assert_int_equal(removed.files, 2); /* DEAD, AHEAD */
    assert_true(!has_file(DEAD) && !has_file(AHEAD) && has_file(ALIVE));
    assert_true(cache_prune(root, 15999, 9000, &removed));
    assert_true(!has_file(OLD) && !has_file(USED) && has_file(NEW) && has_file(LATER));
    assert_int_equal(removed.files, 4);
    assert_int_equal(removed.bytes, 8200);
    put_file(root, USED, 4000, -5); /* used after the clock was put right: LATER's time is now too */
    struct stat stat_;
    struct timespec now; /* time(NULL) may be a tick behind */
    assert_int_equal(stat(below("c/03/" LATER), &stat_), 0);
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    assert_true(stat_.st_mtime <= now.tv_sec);
    assert_true(cache_prune(root, 0, 0, &removed));
    assert_true(!has_file(NEW) && !has_file(LATER) && !has_file(USED));
    assert_true(has_file("00-not-ours.so") && has_file(ALIVE));
    close(root);
}

/* What a publication does: nothing below the cap, the sweep above it, unless another sweeps. */
static void test_sweep(void **state)
{
    (void)state;
    int root = cache_open(below("c"), true);
    fill(root);
    cache_sweep(root, 0, 1 << 20);
    assert_true(has_file(OLD) && !has_file(DEAD));
    int busy = cache_lock_byte(root, CACHE_SWEEP_BYTE);
    cache_sweep(root, 0, 12 << 10);
    assert_true(has_file(OLD));
    cache_unlock(busy);
    cache_sweep(root, 0, 12 << 10);
    assert_true(!has_file(OLD) && !has_file(USED) && has_file(NEW));
    close(root);
}

static void test_cap(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t cap;
        bool good;
    } rows[] = {{"0", 0, true}, {"123", 123, true}, {"2K", 2048, true}, {"1T", (uint64_t)1 << 40, true},
                {"-1", 256 << 20, false}, {"", 256 << 20, true}, {"1KB", 256 << 20, false},
                {"x", 256 << 20, false}, {"99999999999999T", UINT64_MAX, true}};
    struct arena arena;
    struct diags diags;
    uint64_t cap;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        diags = diags_new(&arena, NULL);
        setenv("WEFT_CACHE_SIZE", rows[i].text, 1);
        assert_int_equal(cache_cap(&cap, &diags), rows[i].good);
        assert_true(cap == rows[i].cap);
        assert_int_equal(diags.errors, !rows[i].good);
    }
    unsetenv("WEFT_CACHE_SIZE");
    assert_true(cache_cap(&cap, &diags) && cap == 256 << 20);
    arena_finish(&arena);
}

/* A context keeps to the size that was set when it was made: the thread that publishes in the background
 * may not read an environment that the host changes. */
static void test_cap_of_a_context(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        const struct weft_context_params params = {.cache = below("c"), .tier = WEFT_TIER_NONE};
        struct weft_context *context = NULL;
        struct weft_program *program = NULL;
        struct weft_cache_removed removed = {0};
        setenv("WEFT_CACHE_SIZE", keeps ? "1M" : "0", 1);
        assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_OK);
        setenv("WEFT_CACHE_SIZE", keeps ? "0" : "1M", 1);
        assert_int_equal(weft_compile(context, "[1, 2] + 1", NULL, &program, NULL), WEFT_OK);
        assert_int_equal(weft_prepare(program, &(struct weft_run_params){.stream = NULL}, NULL, NULL, NULL),
                         WEFT_OK);
        weft_program_destroy(program);
        weft_context_destroy(context);
        assert_int_equal(weft_cache_clear(params.cache, &removed, NULL), WEFT_OK);
        assert_int_equal(removed.files > 0, keeps);
    }
}

static void test_clear(void **state)
{
    (void)state;
    struct weft_cache_removed removed = {0};
    int root = cache_open(below("c"), true);
    fill(root);
    cache_unlock(cache_lock_byte(root, 1));
    cache_clear(root, &removed);
    assert_int_equal(removed.files, 7);
    assert_true(has_file("00-not-ours.so"));
    assert_int_not_equal(access(below("c/lock"), F_OK), 0);
    assert_int_not_equal(access(below("c/01"), F_OK), 0);
    close(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_keys), TEST(test_round_trip), TEST(test_other_key), TEST(test_every_truncation),
        TEST(test_every_byte), TEST(test_image_that_does_not_load),
        TEST(test_damaged_goes), TEST(test_one_descriptor_two_images),
        TEST(test_lock), TEST(test_place), TEST(test_places_that_are_refused), TEST(test_prune),
        TEST(test_sweep), TEST(test_cap), TEST(test_cap_of_a_context), TEST(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
