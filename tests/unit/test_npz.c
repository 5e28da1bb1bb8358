/* cli/npz.c and cli/npz_write.c: archives read back, and broken ones are diagnostics. */
#include "tests/unit/cli_fixture.h"

#include "cli/npz.h"

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
    assert_false(npz_read(&f->report, path, NULL, &in));
    assert_non_null(strstr(fixture_told(f), "one of its keys: a, b"));
    assert_false(npz_read(&f->report, path, "c", &in));
    write_archive(path, 1);
    assert_true(npz_read(&f->report, path, NULL, &in));
    tensor_finish(&in);
    write_archive(path, 0);
    assert_false(npz_read(&f->report, path, NULL, &in));
    assert_non_null(strstr(fixture_told(f), "it holds no array"));
    unlink(path);
}

/* Every cut of an archive is an error; every flipped byte gives an error or some array. */
static void damage(void **state)
{
    struct fixture *f = *state;
    const char *path = path_of();
    unsigned char bytes[4096];
    struct tensor in = {0};
    long size = write_archive(path, 1);
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), size);
    fclose(file);
    for (long at = 0; at < size; at++) {
        assert_int_equal(truncate(path, size - 1 - at), 0);
        assert_false(npz_read(&f->report, path, NULL, &in));
    }
    for (long at = 0; at < size; at++) {
        bytes[at] ^= 0x41;
        file = fopen(path, "w");
        fwrite(bytes, 1, (size_t)size, file);
        fclose(file);
        bytes[at] ^= 0x41;
        if (npz_read(&f->report, path, NULL, &in))
            tensor_finish(&in);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(round_trip), TEST(keys), TEST(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
