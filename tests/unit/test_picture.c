/* cli/picture.c: pictures of every kind that is written read back; damaged ones are diagnostics. */
#include "tests/unit/cli_fixture.h"

#include "cli/picture.h"

static void round_trips(void **state)
{
    struct fixture *f = *state;
    static uint16_t data[5 * 3 * 4];
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = (uint16_t)(i * 1103 + 259);
    for (int channels = 0; channels <= 4; channels++)
        for (int wide = 0; wide < 2; wide++) {
            struct tensor in = {0},
                          out = make_tensor(wide ? WEFT_UINT16 : WEFT_UINT8, channels ? 3 : 2,
                                            (int64_t[]){5, 3, channels}, data);
            FILE *file = tmpfile();
            assert_true(picture_write(file, &out));
            rewind(file);
            assert_true(picture_read(&f->report, "x.png", file, &in));
            fclose(file);
            assert_int_equal(in.dtype, out.dtype);
            assert_int_equal(in.rank, 3);
            assert_int_equal(in.shape[2], channels ? channels : 1);
            assert_string_equal(in.layout, "HWC");
            assert_memory_equal(in.data, data, out.size);
            tensor_finish(&in);
        }
}

static void what_fits(void **state)
{
    (void)state;
    assert_true(picture_fits(WEFT_UINT8, 2, (int64_t[]){1, 1}));
    assert_true(picture_fits(WEFT_UINT16, 3, (int64_t[]){1, 1, 4}));
    assert_false(picture_fits(WEFT_UINT8, 3, (int64_t[]){1, 1, 5}));
    assert_false(picture_fits(WEFT_UINT8, 3, (int64_t[]){1, 1, 0}));
    assert_false(picture_fits(WEFT_UINT8, 2, (int64_t[]){0, 1}));
    assert_false(picture_fits(WEFT_UINT8, 1, (int64_t[]){4}));
    assert_false(picture_fits(WEFT_UINT8, 2, (int64_t[]){1, INT64_MAX}));
    assert_false(picture_fits(WEFT_FLOAT32, 2, (int64_t[]){1, 1}));
}

static void damage(void **state)
{
    struct fixture *f = *state;
    static const uint8_t data[4 * 4 * 3] = {1, 2, 3};
    unsigned char bytes[1024];
    struct tensor in = {0}, out = make_tensor(WEFT_UINT8, 3, (int64_t[]){4, 4, 3}, data);
    FILE *file = tmpfile();
    assert_true(picture_write(file, &out));
    rewind(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 1; cut < size; cut++) {
        file = fmemopen(bytes, cut, "r");
        assert_false(picture_read(&f->report, "x.png", file, &in));
        assert_null(in.memory);
        fclose(file);
    }
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x11;
        file = fmemopen(bytes, size, "r");
        if (picture_read(&f->report, "x.png", file, &in))
            tensor_finish(&in);
        fclose(file);
        bytes[at] ^= 0x11;
    }
    assert_non_null(strstr(fixture_told(f), "x.png: error[W0115]: not a readable .png"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(round_trips), TEST(what_fits), TEST(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
