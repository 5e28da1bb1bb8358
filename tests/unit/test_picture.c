/* cli/files/picture*.c: pictures of every kind are read, PNG is written too; damaged ones are
 * diagnostics. */
#include "tests/unit/cli_fixture.h"

#include "cli/files/picture.h"

#include <jpeglib.h>

typedef bool read_fn(struct report *report, const char *path, FILE *file, struct tensor *tensor);

static bool read_memory(struct fixture *f, read_fn *read, const void *bytes, size_t size,
                        struct tensor *tensor)
{
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "r");
    bool done = read(&f->report, "x", file, tensor);
    assert_true(done || !tensor->memory);
    fclose(file);
    return done;
}

/* Cut off at every length it is refused; with any one byte changed it is read or refused. */
static void damage_all(struct fixture *f, read_fn *read, unsigned char *bytes, size_t size)
{
    static const unsigned char flips[] = {0x01, 0x11, 0x80, 0xff};
    struct tensor in = {0};
    for (size_t cut = 1; cut < size; cut++)
        assert_false(read_memory(f, read, bytes, cut, &in));
    for (size_t at = 0; at < size; at++)
        for (size_t flip = 0; flip < sizeof flips; flip++) {
            bytes[at] ^= flips[flip];
            if (read_memory(f, read, bytes, size, &in))
                tensor_finish(&in);
            bytes[at] ^= flips[flip];
        }
}

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
            assert_true(picture_write(file, KIND_PNG, &out));
            rewind(file);
            assert_true(picture_read_png(&f->report, "x.png", file, &in));
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
    assert_null(picture_misfit(KIND_PNG, WEFT_UINT8, 2, (int64_t[]){1, 1}));
    assert_null(picture_misfit(KIND_PNG, WEFT_UINT16, 3, (int64_t[]){1, 1, 4}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_UINT8, 3, (int64_t[]){1, 1, 5}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_UINT8, 3, (int64_t[]){1, 1, 0}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_UINT8, 2, (int64_t[]){0, 1}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_UINT8, 1, (int64_t[]){4}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_UINT8, 2, (int64_t[]){1, INT64_MAX}));
    assert_non_null(picture_misfit(KIND_PNG, WEFT_FLOAT32, 2, (int64_t[]){1, 1}));
}

static void png_damage(void **state)
{
    struct fixture *f = *state;
    static const uint8_t data[4 * 4 * 3] = {1, 2, 3};
    unsigned char bytes[1024];
    struct tensor out = make_tensor(WEFT_UINT8, 3, (int64_t[]){4, 4, 3}, data);
    FILE *file = tmpfile();
    assert_true(picture_write(file, KIND_PNG, &out));
    rewind(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    damage_all(f, picture_read_png, bytes, size);
    assert_non_null(strstr(fixture_told(f), "x: error[W0115]: not a readable .png"));
}

/* ---- JPEG, made by libjpeg ---- */

enum { HEIGHT = 19, WIDTH = 21 };

struct jpeg {
    J_COLOR_SPACE from, stored;
    int channels, restart;
    bool progressive, arithmetic;
};

/* Smooth, so that little is lost. */
static int pixel(int y, int x, int c)
{
    return (y * (5 + c) + x * (7 - 2 * c) + 20 * c) % 256;
}

/* The bytes from malloc. */
static unsigned char *make_jpeg(const struct jpeg *want, unsigned long *size)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    *size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, size);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = want->channels;
    jpeg.in_color_space = want->from;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, want->stored);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    jpeg.restart_interval = (unsigned)want->restart;
    jpeg.arith_code = want->arithmetic;
    jpeg.optimize_coding = !want->arithmetic;
    if (want->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        JSAMPLE row[WIDTH * 4];
        for (int i = 0; i < WIDTH * want->channels; i++)
            row[i] = (JSAMPLE)pixel(y, i / want->channels, i % want->channels);
        jpeg_write_scanlines(&jpeg, (JSAMPROW[]){row}, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return bytes;
}

static const struct jpeg jpegs[] = {{JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 0, false, false},
                                    {JCS_RGB, JCS_YCbCr, 3, 0, false, false},
                                    {JCS_RGB, JCS_YCbCr, 3, 2, false, false},
                                    {JCS_RGB, JCS_YCbCr, 3, 0, true, false},
                                    {JCS_RGB, JCS_YCbCr, 3, 0, false, true},
                                    {JCS_RGB, JCS_RGB, 3, 0, false, false}};
enum { JPEGS = sizeof jpegs / sizeof *jpegs };

static void jpeg_is_read(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < JPEGS; i++) {
        unsigned long size;
        unsigned char *bytes = make_jpeg(&jpegs[i], &size);
        struct tensor in = {0};
        assert_true(read_memory(f, picture_read_jpeg, bytes, size, &in));
        assert_int_equal(in.dtype, WEFT_UINT8);
        assert_int_equal(in.rank, 3);
        assert_int_equal(in.shape[0], HEIGHT);
        assert_int_equal(in.shape[1], WIDTH);
        assert_int_equal(in.shape[2], jpegs[i].channels);
        assert_string_equal(in.layout, "HWC");
        const uint8_t *data = in.data;
        for (int p = 0; p < HEIGHT * WIDTH * jpegs[i].channels; p++) {
            int at = p / jpegs[i].channels;
            int wanted = pixel(at / WIDTH, at % WIDTH, p % jpegs[i].channels);
            assert_in_range(data[p] + 4 - wanted, 0, 8);
        }
        tensor_finish(&in);
        free(bytes);
    }
}

static void jpeg_damage(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < JPEGS; i++) {
        unsigned long size;
        unsigned char *bytes = make_jpeg(&jpegs[i], &size);
        damage_all(f, picture_read_jpeg, bytes, size);
        free(bytes);
    }
    assert_non_null(strstr(fixture_told(f), "x: error[W0119]: not a readable .jpg: it is cut off"));
    assert_non_null(strstr(fixture_told(f), "Corrupt JPEG data"));
}

static void jpeg_refused(void **state)
{
    struct fixture *f = *state;
    const struct jpeg cmyk = {JCS_CMYK, JCS_CMYK, 4, 0, false, false},
                      ycck = {JCS_CMYK, JCS_YCCK, 4, 0, false, false};
    struct tensor in = {0};
    for (int i = 0; i < 2; i++) {
        unsigned long size;
        unsigned char *bytes = make_jpeg(i ? &ycck : &cmyk, &size);
        assert_false(read_memory(f, picture_read_jpeg, bytes, size, &in));
        free(bytes);
    }
    assert_non_null(strstr(fixture_told(f), "its colours are CMYK"));
    assert_false(read_memory(f, picture_read_jpeg, "\x89PNG....", 8, &in));
    assert_non_null(strstr(fixture_told(f), "Not a JPEG file: starts with 0x89 0x50"));
}

/* ---- PPM and PGM ---- */

/* Samples as 16-bit numbers, whatever the dtype. */
static void expect_pnm(struct fixture *f, const char *bytes, size_t size, const int64_t *shape,
                       enum weft_dtype dtype, const uint16_t *samples)
{
    struct tensor in = {0};
    assert_true(read_memory(f, picture_read_pnm, bytes, size, &in));
    assert_int_equal(in.dtype, dtype);
    assert_int_equal(in.rank, 3);
    assert_string_equal(in.layout, "HWC");
    for (int d = 0; d < 3; d++)
        assert_int_equal(in.shape[d], shape[d]);
    for (size_t i = 0; i < in.size / weft_dtype_size(dtype); i++)
        assert_int_equal(dtype == WEFT_UINT8 ? ((uint8_t *)in.data)[i] : ((uint16_t *)in.data)[i],
                         samples[i]);
    tensor_finish(&in);
}
#define EXPECT_PNM(text, h, w, c, dtype, ...)                                                      \
    expect_pnm(f, text, sizeof text - 1, (int64_t[]){h, w, c}, dtype, (uint16_t[]){__VA_ARGS__})

static void pnm_is_read(void **state)
{
    struct fixture *f = *state;
    EXPECT_PNM("P6\n2 1\n255\nabcdef", 1, 2, 3, WEFT_UINT8, 'a', 'b', 'c', 'd', 'e', 'f');
    EXPECT_PNM("P5 1 2 255\tab and more", 2, 1, 1, WEFT_UINT8, 'a', 'b');
    EXPECT_PNM("P5 1 2 255\n#\n", 2, 1, 1, WEFT_UINT8, '#', '\n');
    EXPECT_PNM("P5# one\n1 #two\r2\n# three\n255# four\n\n#", 2, 1, 1, WEFT_UINT8, '\n', '#');
    EXPECT_PNM("P5 2 1 7\n\0\7", 1, 2, 1, WEFT_UINT8, 0, 7);
    EXPECT_PNM("P5 2 1 65535\n\1\2\377\376", 1, 2, 1, WEFT_UINT16, 258, 65534);
    EXPECT_PNM("P6 1 1 256\n\0\1\1\0\0\0", 1, 1, 3, WEFT_UINT16, 1, 256, 0);
    EXPECT_PNM("P2 3 1 15 0 7\n15", 1, 3, 1, WEFT_UINT8, 0, 7, 15);
    EXPECT_PNM("P3 1 1 1000 # c\n1000 0 # d\n 007\n", 1, 1, 3, WEFT_UINT16, 1000, 0, 7);
}

static void pnm_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text, *told;
    } cases[] = {{"P6 2 1 255\nabcde", "it is cut off"},
                 {"P6 2 1 255", "it is cut off"},
                 {"P2 2 1 255 3", "it is cut off"},
                 {"P6 2 1 # 255\nabcdef", "its largest value is not a number"},
                 {"P", "it is cut off"},
                 {"P4 8 1 a", "it is a bitmap"},
                 {"P1 1 1 1", "it is a bitmap"},
                 {"P7\nWIDTH 1", "it is a PAM"},
                 {"P8 1 1 255 1", "it does not begin with"},
                 {"hello", "it does not begin with"},
                 {"P6 x 1 255\n", "its width is not a number"},
                 {"P6 -1 1 255\n", "its width is not a number"},
                 {"P6 1 1x 255\n", "its height is not a number"},
                 {"P6 1 1 1.5\n", "its largest value is not a number"},
                 {"P6 1 1 65536\nabc", "its largest value is more than 65535"},
                 {"P6 1 1 99999999999999999999999\nabc", "its largest value is more than 65535"},
                 {"P6 1000001 1 255\nabc", "its width is more than 1000000"},
                 {"P6 0 1 255\nabc", "its width, height or largest value is 0"},
                 {"P6 1 1 0\nabc", "its width, height or largest value is 0"},
                 {"P5 1 1 7\na", "a sample is more than 7"},
                 {"P5 1 1 300\n\2\2", "a sample is more than 300"},
                 {"P2 1 1 7 8", "a sample is more than 7"},
                 {"P2 1 1 7 -1", "a sample is not a number"}};
    struct tensor in = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t before = strlen(fixture_told(f));
        assert_false(read_memory(f, picture_read_pnm, cases[i].text, strlen(cases[i].text), &in));
        assert_non_null(strstr(fixture_told(f) + before, "x: error[W0126]: not a readable .ppm"));
        assert_non_null(strstr(fixture_told(f) + before, cases[i].told));
    }
}

static void pnm_damage(void **state)
{
    struct fixture *f = *state;
    char wide[] = "P6\n# c\n2 2\n999\n\1\2\1\2\1\2\1\2\1\2\1\2\1\2\1\2\1\2\1\2\1\2\1\2",
         text[] = "P3 2 1 255 1 2 3 4 5 6";
    damage_all(f, picture_read_pnm, (unsigned char *)wide, sizeof wide - 1);
    damage_all(f, picture_read_pnm, (unsigned char *)text, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(round_trips),  TEST(what_fits),   TEST(png_damage),
                                       TEST(jpeg_is_read), TEST(jpeg_damage), TEST(jpeg_refused),
                                       TEST(pnm_is_read),  TEST(pnm_refused), TEST(pnm_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
