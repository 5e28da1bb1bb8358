/* See picture.h: what can be written as which kind, and PPM and PGM, which are the bytes of a picture behind a short
 * header. */
#include "cli/files/picture.h"

#include <stdlib.h>
#include <string.h>

enum { JPEG_MAX_EXTENT = 65500 };  /* that libjpeg takes */

const char *picture_takes(enum kind kind)
{
    return kind == KIND_PNG    ? "uint8 or uint16 of shape (h, w) or (h, w, 1..4)"
           : kind == KIND_JPEG ? "uint8 of shape (h, w), (h, w, 1) or (h, w, 3)"
                               : "uint8 or uint16 of shape (h, w), (h, w, 1) or (h, w, 3)";
}

/* Why these channels cannot be; NULL: they can. */
static const char *wrong_channels(enum kind kind, int64_t channels)
{
    if (kind == KIND_PNG)
        return channels < 1 || channels > 4 ? "its last extent, the channels, is not 1 to 4" : NULL;
    return channels != 1 && channels != 3 ? "its last extent, the channels, is neither 1 nor 3" : NULL;
}

static bool is_real(enum weft_dtype dtype)
{
    return dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16 || dtype == WEFT_FLOAT32 || dtype == WEFT_FLOAT64;
}

const char *picture_misfit(enum kind kind, enum weft_dtype dtype, int rank, const int64_t *shape)
{
    const bool jpeg = kind == KIND_JPEG;
    const int64_t most = jpeg ? JPEG_MAX_EXTENT : PICTURE_MAX_EXTENT;
    if (dtype == WEFT_BOOL)
        return rank == 3 && shape[2] > 1
                   ? "write uint8(255 * (...)) around the result, which makes 0 and 255 of each channel; a condition "
                     "on mean(x, axes=2) has one"
                   : "write uint8(255 * (...)) around the result, which makes 0 and 255 of it";
    if (dtype != WEFT_UINT8 && (dtype != WEFT_UINT16 || jpeg))
        return is_real(dtype) ? "write uint8(...) around the result, or uint8(255 * (...)) where it is from 0 to 1"
                              : "write uint8(...) around the result";
    if (rank != 2 && rank != 3)
        return "it has neither two nor three dimensions";
    if (shape[0] < 1 || shape[1] < 1)
        return "its height or width is 0";
    if (shape[0] > most || shape[1] > most)
        return jpeg ? "its height or width is more than 65500" : "its height or width is more than 1000000";
    return rank == 3 ? wrong_channels(kind, shape[2]) : NULL;
}

/* Samples of 16 bits have the high byte first. */
static bool write_swapped(FILE *file, const unsigned char *bytes, size_t row, int64_t rows)
{
    unsigned char *turned = malloc(row);
    for (int64_t y = 0; turned && y < rows; y++, bytes += row) {
        for (size_t i = 0; i < row; i += 2) {
            turned[i] = bytes[i + 1];
            turned[i + 1] = bytes[i];
        }
        fwrite(turned, 1, row, file);
    }
    free(turned);
    return turned;
}

static bool write_pnm(FILE *file, const struct tensor *tensor)
{
    const bool wide = tensor->dtype == WEFT_UINT16, colour = tensor->rank == 3 && tensor->shape[2] == 3;
    const size_t row = (size_t)tensor->strides[0] * weft_dtype_size(tensor->dtype);
    fprintf(file, "P%c\n%lld %lld\n%d\n", colour ? '6' : '5', (long long)tensor->shape[1],
            (long long)tensor->shape[0], wide ? 65535 : 255);
    if (wide && little_endian())
        return write_swapped(file, tensor->data, row, tensor->shape[0]);
    fwrite(tensor->data, row, (size_t)tensor->shape[0], file);
    return true;
}

bool picture_write(FILE *file, enum kind kind, const struct tensor *tensor)
{
    return kind == KIND_PNG    ? picture_write_png(file, tensor)
           : kind == KIND_JPEG ? picture_write_jpeg(file, tensor)
                               : write_pnm(file, tensor);
}
