/* Pictures: PNG through libpng, both ways. A picture is (h, w, c) with c from 1 to 4, layout HWC,
 * uint8, or uint16 from 16 bits per channel; palettes, fewer bits and transparent colours are
 * expanded.
 *
 * Invariant: memory is taken only after the declared size was compared with what there is. */
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/tensor.h"

bool picture_read(struct report *report, const char *path, FILE *file, struct tensor *tensor);

/* Whether a tensor of this type and shape can be written: uint8 or uint16, (h, w) or (h, w, 1..4),
 * no extent 0, none too large for the format. */
bool picture_fits(enum weft_dtype dtype, int rank, const int64_t *shape);
/* The first rule it breaks, in words; NULL: none. */
const char *picture_misfit(enum weft_dtype dtype, int rank, const int64_t *shape);
/* Writes a dense row-major tensor that fits. False when libpng gave up (out of memory); errors of
 * writing stay in the stream. */
bool picture_write(FILE *file, const struct tensor *tensor);

#endif
