/* cli/files/npy.c and cli/files/npy_header.c: what is written reads back; files that lie are diagnostics. */
#include "tests/unit/cli_fixture.h"

#include "cli/files/npy.h"

#include <unistd.h>

/* A file of these bytes, open at its start. */
static FILE *file_of(const void *bytes, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    rewind(file);
    return file;
}

static bool read_bytes(struct fixture *f, const void *bytes, size_t size, struct tensor *tensor)
{
    FILE *file = file_of(bytes, size);
    memset(tensor, 0, sizeof *tensor);
    bool good = npy_read(&f->report, "x.npy", fileno(file), tensor);
    fclose(file);
    return good;
}

/* A version 1.0 file with this dictionary and `data_size` bytes 0, 1, 2 ... */
static size_t make_file(unsigned char *bytes, const char *dictionary, size_t data_size)
{
    size_t length = strlen(dictionary);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (unsigned char)(length & 0xff);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    for (size_t i = 0; i < data_size; i++)
        bytes[10 + length + i] = (unsigned char)i;
    return 10 + length + data_size;
}

static void round_trips(void **state)
{
    struct fixture *f = *state;
    static const unsigned char data[6 * 8] = {1, 0, 1, 1, 0, 1, 7, 200};
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        if (t == WEFT_BFLOAT16)
            continue; /* NumPy has no letter for it */
        struct tensor out = make_tensor((enum weft_dtype)t, 2, (int64_t[]){2, 3}, data), in = {0};
        FILE *file = tmpfile();
        npy_write(file, &out);
        assert_int_equal(ftell(file) % 64, out.size % 64);
        rewind(file);
        assert_true(npy_read(&f->report, "x.npy", fileno(file), &in));
        assert_int_equal(in.dtype, t);
        assert_int_equal(in.rank, 2);
        assert_int_equal(in.strides[0], 3);
        assert_non_null(in.mapping);
        assert_memory_equal(in.data, data, out.size);
        tensor_finish(&in);
        fclose(file);
    }
}

static void scalars_and_empty_arrays(void **state)
{
    struct fixture *f = *state;
    unsigned char bytes[256];
    struct tensor in;
    size_t size = make_file(bytes, "{'descr': '<i4', 'fortran_order': False, 'shape': ()}\n", 4);
    assert_true(read_bytes(f, bytes, size, &in));
    assert_int_equal(in.rank, 0);
    assert_int_equal(*(int32_t *)in.data, 0x03020100);
    tensor_finish(&in);
    size = make_file(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}\n", 0);
    assert_true(read_bytes(f, bytes, size, &in));
    assert_int_equal(in.shape[1], 3);
    tensor_finish(&in);
}

static void orders(void **state)
{
    struct fixture *f = *state;
    unsigned char bytes[256];
    struct tensor in;
    size_t size = make_file(bytes, "{'descr':'>u2','fortran_order':True,'shape':(2,3,),}", 12);
    assert_true(read_bytes(f, bytes, size, &in));
    assert_int_equal(in.strides[0], 1);
    assert_int_equal(in.strides[1], 2);
    assert_int_equal(((uint16_t *)in.data)[1], 0x0203);
    tensor_finish(&in);
}

/* Python 2's 3L, double quotes, other orders of keys, an '=' order, trailing bytes. */
static void unusual_but_good(void **state)
{
    struct fixture *f = *state;
    unsigned char bytes[256];
    struct tensor in;
    size_t size =
        make_file(bytes, " { \"shape\": (3L,), 'descr': '=u1' , \"fortran_order\":\tFalse } ", 40);
    assert_true(read_bytes(f, bytes, size, &in));
    assert_int_equal(in.shape[0], 3);
    assert_int_equal(in.dtype, WEFT_UINT8);
    tensor_finish(&in);
}

static void hostile_headers(void **state)
{
    struct fixture *f = *state;
    static const char *const dictionaries[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f4'}",
        "[]",
        "{'descr'",
        "{'descr':",
        "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ((1,),)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} junk",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': 4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U12', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|V3', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f99999999999', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}"};
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        unsigned char bytes[512];
        struct tensor in;
        f->report.status = 0;
        assert_false(read_bytes(f, bytes, make_file(bytes, dictionaries[i], 4), &in));
        assert_int_equal(f->report.status, 1);
        assert_null(in.memory);
    }
    assert_non_null(strstr(fixture_told(f), "float128"));
    assert_non_null(strstr(fixture_told(f), "complex64"));
    assert_non_null(strstr(fixture_told(f), "x.npy: error[W0111]: not a readable .npy"));
}

static void lying_lengths(void **state)
{
    struct fixture *f = *state;
    unsigned char bytes[256];
    struct tensor in;
    size_t size = make_file(bytes, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}\n", 8);
    for (size_t cut = 0; cut < size; cut++)
        assert_false(read_bytes(f, bytes, cut, &in));
    bytes[9] = 0xff;
    assert_false(read_bytes(f, bytes, size, &in));
    bytes[6] = 2;
    assert_false(read_bytes(f, bytes, size, &in));
    bytes[6] = 4;
    assert_false(read_bytes(f, bytes, size, &in));
}

/* Through a pipe the same file reads the same, for every version. */
static void pipes(void **state)
{
    struct fixture *f = *state;
    for (unsigned char version = 1; version <= 3; version++) {
        unsigned char bytes[256] = {0}, longer[256];
        struct tensor in = {0};
        int ends[2];
        size_t size =
            make_file(bytes, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}\n", 8);
        memcpy(longer, bytes, 10);
        longer[6] = version;
        longer[10] = longer[11] = 0;
        size_t extra = version > 1 ? 2 : 0;
        memcpy(longer + 10 + extra, bytes + 10, size - 10);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], longer, size + extra), size + extra);
        close(ends[1]);
        assert_true(npy_read(&f->report, "<stdin>", ends[0], &in));
        assert_int_equal(((int32_t *)in.data)[1], 0x04050607);
        tensor_finish(&in);
        close(ends[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(round_trips),
                                       TEST(scalars_and_empty_arrays),
                                       TEST(orders),
                                       TEST(unusual_but_good),
                                       TEST(hostile_headers),
                                       TEST(lying_lengths),
                                       TEST(pipes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
