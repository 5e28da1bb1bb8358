/* See picture.h: PNG. libpng reports by longjmp: each entry point sets one jump, and everything that is
 * changed after it lives in a struct of the caller's, never in a local. */
#include "cli/files/picture.h"

#include <png.h>
#include <string.h>

enum { COMPRESSION_LEVEL = 3 };

struct codec {
    struct report *report;
    const char *path;
    FILE *file;
    png_structp png;
    png_infop info;
    struct tensor *tensor;
    bool told; /* the reason was reported before the jump */
};

static void on_error(png_structp png, png_const_charp message)
{
    struct codec *codec = png_get_error_ptr(png);
    if (codec->report && !codec->told)
        REPORT_FILE(codec->report, codec->path, BAD_PNG, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png; /* about colour profiles and the like, which are not read */
    (void)message;
}

static void read_bytes(png_structp png, png_bytep bytes, size_t size)
{
    struct codec *codec = png_get_io_ptr(png);
    if (fread(bytes, 1, size, codec->file) != size)
        png_error(png, ferror(codec->file) ? "it cannot be read" : "it is cut off");
}

/* Errors stay in the stream, to be told when it is closed. */
static void write_bytes(png_structp png, png_bytep bytes, size_t size)
{
    struct codec *codec = png_get_io_ptr(png);
    fwrite(bytes, 1, size, codec->file);
}

static void flush_bytes(png_structp png)
{
    (void)png;
}

static void read_info(struct codec *codec)
{
    png_structp png = codec->png;
    unsigned char signature[8] = {0};
    const size_t got = fread(signature, 1, sizeof signature, codec->file);
    if (got == 0 || png_sig_cmp(signature, 0, sizeof signature))
        png_error(png, ferror(codec->file) ? "it cannot be read" : got ? "it begins as no PNG does" : "it is empty");
    png_set_sig_bytes(png, sizeof signature);
    png_set_user_limits(png, PICTURE_MAX_EXTENT, PICTURE_MAX_EXTENT);
    png_read_info(png, codec->info);
    png_set_expand(png); /* palettes, 1, 2 and 4 bits, transparent colours */
    if (png_get_bit_depth(png, codec->info) == 16 && little_endian())
        png_set_swap(png);
}

void picture_describe(struct tensor *tensor, enum weft_dtype dtype, int64_t height, int64_t width, int64_t channels)
{
    tensor->dtype = dtype;
    tensor->rank = 3;
    memcpy(tensor->shape, (const int64_t[]){height, width, channels}, 3 * sizeof height);
    memcpy(tensor->layout, "HWC", 4);
}

static void describe(struct codec *codec)
{
    png_read_update_info(codec->png, codec->info);
    picture_describe(codec->tensor, png_get_bit_depth(codec->png, codec->info) == 16 ? WEFT_UINT16 : WEFT_UINT8,
                     png_get_image_height(codec->png, codec->info), png_get_image_width(codec->png, codec->info),
                     png_get_channels(codec->png, codec->info));
}

static void read_rows(struct codec *codec, int passes)
{
    struct tensor *tensor = codec->tensor;
    codec->told = !tensor_allocate(codec->report, codec->path, "the picture", tensor);
    if (codec->told)
        png_error(codec->png, "no memory");
    size_t row = png_get_rowbytes(codec->png, codec->info);
    if (row * (size_t)tensor->shape[0] != tensor->size)
        png_error(codec->png, "its rows have an unexpected length");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < tensor->shape[0]; y++)
            png_read_row(codec->png, (png_bytep)tensor->data + (size_t)y * row, NULL);
    png_read_end(codec->png, NULL);
}

static bool guarded_read(struct codec *codec)
{
    if (setjmp(png_jmpbuf(codec->png)))
        return false;
    png_set_read_fn(codec->png, codec, read_bytes);
    read_info(codec);
    int passes = png_set_interlace_handling(codec->png);
    describe(codec);
    if (!codec->tensor->outline)
        read_rows(codec, passes);
    return true;
}

bool picture_read_png(struct report *report, const char *path, FILE *file, struct tensor *tensor)
{
    struct codec codec = {.report = report, .path = path, .file = file, .tensor = tensor};
    codec.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &codec, on_error, on_warning);
    codec.info = codec.png ? png_create_info_struct(codec.png) : NULL;
    bool done =
        codec.info ? guarded_read(&codec) : REPORT_FILE(report, path, BAD_PNG, "out of memory");
    png_destroy_read_struct(&codec.png, &codec.info, NULL);
    if (!done)
        tensor_finish(tensor);
    return done;
}

static void write_rows(struct codec *codec)
{
    const struct tensor *tensor = codec->tensor;
    size_t row = (size_t)tensor->strides[0] * weft_dtype_size(tensor->dtype);
    for (int64_t y = 0; y < tensor->shape[0]; y++)
        png_write_row(codec->png, (png_const_bytep)tensor->data + (size_t)y * row);
    png_write_end(codec->png, NULL);
}

static void write_info(struct codec *codec)
{
    static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    const struct tensor *tensor = codec->tensor;
    int64_t channels = tensor->rank == 3 ? tensor->shape[2] : 1;
    int depth = tensor->dtype == WEFT_UINT16 ? 16 : 8;
    png_set_compression_level(codec->png, COMPRESSION_LEVEL);
    png_set_filter(codec->png, PNG_FILTER_TYPE_BASE, PNG_FAST_FILTERS);
    png_set_IHDR(codec->png, codec->info, (png_uint_32)tensor->shape[1],
                 (png_uint_32)tensor->shape[0], depth, colors[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(codec->png, codec->info);
    if (depth == 16 && little_endian())
        png_set_swap(codec->png);
}

static bool guarded_write(struct codec *codec)
{
    if (setjmp(png_jmpbuf(codec->png)))
        return false;
    png_set_write_fn(codec->png, codec, write_bytes, flush_bytes);
    write_info(codec);
    write_rows(codec);
    return true;
}

bool picture_write_png(FILE *file, const struct tensor *tensor)
{
    struct tensor copy = *tensor;
    struct codec codec = {.file = file, .tensor = &copy};
    codec.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &codec, on_error, on_warning);
    codec.info = codec.png ? png_create_info_struct(codec.png) : NULL;
    bool done = codec.info && guarded_write(&codec);
    png_destroy_write_struct(&codec.png, &codec.info);
    return done;
}
