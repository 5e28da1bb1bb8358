/* Pictures: PNG through libpng, JPEG through libjpeg, PPM by code of our own, all both ways. JPEG is written with
 * quality 95 and colours of half the resolution, as libjpeg does. A picture is (h, w, c), layout HWC, uint8, or uint16
 * where the file holds more than 8 bits per channel:
 *
 *     PNG   c from 1 to 4; palettes, fewer bits and transparent colours are expanded
 *     JPEG  c is 1 or 3, as stored: EXIF's orientation is not applied. CMYK is an error
 *     PPM   c is 3, PGM 1; values as stored, a maximum below 255 or 65535 scales nothing
 *
 * Invariant: memory is allocated only after the declared size was compared with the memory available. */
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/files/kind.h"
#include "cli/files/tensor.h"

/* The most that PNG and PPM may declare as a height or width; JPEG cannot declare more than 65535. */
enum { PICTURE_MAX_EXTENT = 1000000, PICTURE_QUALITY = 95 };

/* Read `file` from its current position; of an outline only the header. False with a diagnostic, and then no
 * memory is held. */
bool picture_read_png(struct report *report, const char *path, FILE *file, struct tensor *tensor);
bool picture_read_jpeg(struct report *report, const char *path, FILE *file, struct tensor *tensor);
bool picture_read_pnm(struct report *report, const char *path, FILE *file, struct tensor *tensor);

/* Sets dtype, shape and layout of a picture. */
void picture_describe(struct tensor *tensor, enum weft_dtype dtype, int64_t height, int64_t width, int64_t channels);
/* What a kind of picture takes, in words. */
const char *picture_takes(enum kind kind);
/* Why a tensor of this type and shape cannot be written as that kind, in words; NULL: it can. It has no extent 0 and
 * none too large for the format. */
const char *picture_misfit(enum kind kind, enum weft_dtype dtype, int rank, const int64_t *shape);
/* Writes a dense row-major tensor that fits. False when libpng or libjpeg gave up (out of memory); errors of writing
 * stay in the stream. */
bool picture_write(FILE *file, enum kind kind, const struct tensor *tensor);
bool picture_write_png(FILE *file, const struct tensor *tensor);
bool picture_write_jpeg(FILE *file, const struct tensor *tensor);

#endif
