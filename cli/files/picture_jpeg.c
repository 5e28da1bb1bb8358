/* See picture.h: JPEG. libjpeg calls back with errors and warnings; both end in one longjmp, and
 * everything that is changed after the jump was set lives in a struct of the caller's.
 *
 * Invariant: on reading, damaged or truncated data are an error. libjpeg only warns and fills the rest with grey. */
#include "cli/files/picture.h"

#include <setjmp.h>

#include <jpeglib.h>

#include <jerror.h>

struct decoder {
    struct jpeg_error_mgr errors; /* first: what libjpeg hands back is cast to the whole */
    struct jpeg_decompress_struct jpeg;
    jmp_buf jump;
    struct report *report;
    const char *path;
    FILE *file;
    struct tensor *tensor;
};

static void on_error(j_common_ptr jpeg)
{
    struct decoder *decoder = (struct decoder *)jpeg->err;
    char message[JMSG_LENGTH_MAX];
    bool ended = jpeg->err->msg_code == JWRN_JPEG_EOF || jpeg->err->msg_code == JERR_INPUT_EMPTY;
    jpeg->err->format_message(jpeg, message);
    REPORT_FILE(decoder->report, decoder->path, BAD_JPEG,
                !ended                  ? message
                : ferror(decoder->file) ? "it cannot be read"
                                        : "it is cut off");
    longjmp(decoder->jump, 1);
}

/* Level -1 is a warning, higher levels are traces. Two warnings are not about the data: an unknown version of JFIF
 * and an unknown transform of Adobe's. */
static void on_message(j_common_ptr jpeg, int level)
{
    int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
        on_error(jpeg);
}

static void on_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

static bool choose_colors(struct decoder *decoder)
{
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr:
        jpeg->out_color_space = jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
        return true;
    case JCS_CMYK:
    case JCS_YCCK:
        return REPORT_FILE(decoder->report, decoder->path, BAD_JPEG,
                           "its colours are CMYK, for print; convert it to RGB first");
    default:
        return REPORT_FILE(decoder->report, decoder->path, BAD_JPEG,
                           "its colours are neither grey nor RGB");
    }
}

/* libjpeg keeps the coefficients, two bytes each, of a picture that has several scans (a progressive one) before it
 * returns the first row. */
static double collected_bytes(struct jpeg_decompress_struct *jpeg)
{
    double bytes = 0;
    for (int i = 0; jpeg_has_multiple_scans(jpeg) && i < jpeg->num_components; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        bytes += 2.0 * DCTSIZE2 * component->width_in_blocks * component->height_in_blocks;
    }
    return bytes;
}

static bool allocate(struct decoder *decoder)
{
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    struct tensor *tensor = decoder->tensor;
    jpeg_calc_output_dimensions(jpeg);
    picture_describe(tensor, WEFT_UINT8, jpeg->output_height, jpeg->output_width, jpeg->output_components);
    double bytes = (double)jpeg->output_height * jpeg->output_width * jpeg->output_components;
    double collected = collected_bytes(jpeg);
    return (!collected || memory_check(decoder->report, decoder->path, "the picture", bytes + collected)) &&
           (tensor->outline || tensor_allocate(decoder->report, decoder->path, "the picture", tensor));
}

static void read_rows(struct decoder *decoder)
{
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    JSAMPLE *data = decoder->tensor->data;
    size_t row = (size_t)decoder->tensor->strides[0];
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height)
        jpeg_read_scanlines(jpeg, (JSAMPROW[]){data + jpeg->output_scanline * row}, 1);
    jpeg_finish_decompress(jpeg); /* reads on to the end's mark, which must be there */
}

static bool guarded_read(struct decoder *decoder)
{
    if (setjmp(decoder->jump))
        return false;
    jpeg_create_decompress(&decoder->jpeg);
    jpeg_stdio_src(&decoder->jpeg, decoder->file);
    jpeg_read_header(&decoder->jpeg, TRUE);
    if (!choose_colors(decoder) || !allocate(decoder))
        return false;
    if (!decoder->tensor->outline)
        read_rows(decoder);
    return true;
}

bool picture_read_jpeg(struct report *report, const char *path, FILE *file, struct tensor *tensor)
{
    struct decoder decoder = {.report = report, .path = path, .file = file, .tensor = tensor};
    decoder.jpeg.err = jpeg_std_error(&decoder.errors);
    decoder.errors.error_exit = on_error;
    decoder.errors.emit_message = on_message;
    decoder.errors.output_message = on_output;
    bool done = guarded_read(&decoder);
    jpeg_destroy_decompress(&decoder.jpeg);
    if (!done)
        tensor_finish(tensor);
    return done;
}

/* ---- writing ---- */

struct encoder {
    struct jpeg_error_mgr errors; /* first, as above */
    struct jpeg_compress_struct jpeg;
    jmp_buf jump;
    FILE *file;
    const struct tensor *tensor;
};

/* Memory ran out, or a write failed, which the stream knows, too. */
static void on_write_error(j_common_ptr jpeg)
{
    longjmp(((struct encoder *)jpeg->err)->jump, 1);
}

static void write_rows(struct encoder *encoder)
{
    struct jpeg_compress_struct *jpeg = &encoder->jpeg;
    const struct tensor *tensor = encoder->tensor;
    const size_t row = (size_t)tensor->strides[0];
    jpeg->image_height = (JDIMENSION)tensor->shape[0];
    jpeg->image_width = (JDIMENSION)tensor->shape[1];
    jpeg->input_components = tensor->rank == 3 ? (int)tensor->shape[2] : 1;
    jpeg->in_color_space = jpeg->input_components == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, PICTURE_QUALITY, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height)
        jpeg_write_scanlines(jpeg, (JSAMPROW[]){(JSAMPLE *)tensor->data + jpeg->next_scanline * row}, 1);
    jpeg_finish_compress(jpeg);
}

static bool guarded_write(struct encoder *encoder)
{
    if (setjmp(encoder->jump))
        return false;
    jpeg_create_compress(&encoder->jpeg);
    jpeg_stdio_dest(&encoder->jpeg, encoder->file);
    write_rows(encoder);
    return true;
}

bool picture_write_jpeg(FILE *file, const struct tensor *tensor)
{
    struct encoder encoder = {.file = file, .tensor = tensor};
    encoder.jpeg.err = jpeg_std_error(&encoder.errors);
    encoder.errors.error_exit = on_write_error;
    encoder.errors.output_message = on_output;
    const bool done = guarded_write(&encoder);
    jpeg_destroy_compress(&encoder.jpeg);
    return done;
}
