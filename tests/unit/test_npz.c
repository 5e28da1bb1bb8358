/* cli/files/npz.c and cli/files/npz_write.c: archives read back, and broken ones are diagnostics. */
#include "tests/unit/cli_fixture.h"

#include "cli/files/npz.h"

#include <unistd.h>

static const float numbers[] = {1.5f, -2, 3};
static const uint8_t letters[] = {7, 8};

/* Two arrays, "a" and "b"; or the first alone. Returns the size. */
static long write_archive(const char *path, int count)
{
    struct tensor tensors[] = {make_tensor(WEFT_FLOAT32, 1, (int64_t[]){3}, numbers),
                               make_tensor(WEFT_UINT8, 2, (int64_t[]){2, 1}, letters)};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    npz_write(file, (const char *[]){"a", "b"}, tensors, count);
    long size = ftell(file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static const char *path_of(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/weft-test-npz-%ld.npz", (long)getpid());
    return path;
}

static void round_trip(void **state)
{
    struct fixture *f = *state;
    const char *path = path_of();
    struct tensor in = {0};
    write_archive(path, 2);
    assert_true(npz_read(&f->report, path, "b", &in));
    assert_int_equal(in.dtype, WEFT_UINT8);
    assert_memory_equal(in.data, letters, 2);
    tensor_finish(&in);
    assert_true(npz_read(&f->report, path, "a.npy", &in));
    assert_memory_equal(in.data, numbers, sizeof numbers);
    tensor_finish(&in);
    unlink(path);
}

static void keys(void **state)
{
    struct fixture *f = *state;
    const char *path = path_of();
    struct tensor in = {0};
    write_archive(path, 2);
    assert_false(npz_read(&f->report, path, "c", &in));
    assert_non_null(strstr(fixture_told(f), "one of its keys: a, b"));
    unlink(path);
}

/* All arrays in order, data or outline; whether all could be read. */
static bool read_all(struct fixture *f, const char *path, bool outline, int *count)
{
    struct npz npz;
    bool good = npz_open(&f->report, path, &npz);
    *count = npz.count;
    for (int i = 0; good && i < npz.count; i++) {
        struct tensor in = {.outline = outline};
        good = npz_read_array(&f->report, &npz, i, npz.keys[i], &in);
        assert_true(!good || (in.memory == NULL) == outline);
        assert_true(!good || *npz.keys[i] != 'b' || in.shape[0] == 2);
        tensor_finish(&in);
    }
    npz_close(&npz);
    return good;
}

static void in_order(void **state)
{
    struct fixture *f = *state;
    const char *path = path_of();
    int count;
    for (int arrays = 0; arrays <= 2; arrays++)
        for (int outline = 0; outline < 2; outline++) {
            write_archive(path, arrays);
            assert_true(read_all(f, path, outline, &count));
            assert_int_equal(count, arrays);
        }
    unlink(path);
}

/* Every cut of an archive is an error; every flipped byte gives an error or some array. */
static void damage(void **state)
{
    struct fixture *f = *state;
    const char *path = path_of();
    unsigned char bytes[4096];
    int count;
    long size = write_archive(path, 1);
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), size);
    fclose(file);
    for (long at = 0; at < size; at++) {
        assert_int_equal(truncate(path, size - 1 - at), 0);
        assert_false(read_all(f, path, false, &count));
    }
    for (long at = 0; at < size; at++) {
        bytes[at] ^= 0x41;
        file = fopen(path, "w");
        fwrite(bytes, 1, (size_t)size, file);
        fclose(file);
        bytes[at] ^= 0x41;
        read_all(f, path, false, &count);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(round_trip), TEST(keys), TEST(in_order), TEST(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
