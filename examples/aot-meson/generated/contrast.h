/* Made by weft build from contrast.weft: change that file, and run weft build again. */
#ifndef WEFT_KERNELS_contrast_H
#define WEFT_KERNELS_contrast_H

#include <stdbool.h>
#include <stdint.h>

#ifndef WEFT_KERNEL_TYPES
#define WEFT_KERNEL_TYPES 1

/* What calls return, a kernel's only some of these; the numbers are those of enum weft_status (weft/weft.h). */
enum weft_kernel_status {
    WEFT_KERNEL_OK = 0,
    /* A remark: the results are complete. */
    WEFT_KERNEL_DIVIDE_BY_ZERO = 1,     /* an integer was divided by zero; its element is 0 */
    WEFT_KERNEL_OUT_OF_RANGE = 2,       /* a position of take lies outside; its element is 0 */
    /* Errors: nothing was written. */
    WEFT_KERNEL_INVALID_ARGUMENT = -1,  /* a negative number of samples, or none where there should be some */
    WEFT_KERNEL_OUT_OF_MEMORY = -2,
    WEFT_KERNEL_SHAPE_ERROR = -6,       /* extents that do not go together, or 0 where there must be elements */
    WEFT_KERNEL_INPUT_ERROR = -7,       /* an array that cannot be used: NULL, not aligned, an extent out of range */
    WEFT_KERNEL_OVERLAP_ERROR = -8,     /* a result overlaps a parameter, another result, or itself */
    /* The source was compiled with options that change results; kernels for GPUs: no driver, no GPU, or none that there
     * is code for. The note says which. */
    WEFT_KERNEL_UNSUPPORTED = -11,
    WEFT_KERNEL_DEVICE_ERROR = -14      /* GPUs: the driver refused a call, or the context is lost */
};

/* More about what a call on this thread returned. */
struct weft_note {
    int status;
    int line, column;                   /* in the file of the kernel, from 1; 0: no place there */
    const char *operand;                /* the parameter or result that it is about, or NULL */
    const char *text;                   /* what is wrong, to be read after the operand's name */
};
#elif WEFT_KERNEL_TYPES != 1
#error "this header and one before it were made by versions of weft that do not go together; make both anew"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- kernel contrast ----
 *
 *     parameter img: uint8[h, w, 3]@HWC
 *     parameter middle: float32[3]
 *     parameter gain: float32[]
 *     result    out: uint8[h, w, 3]@HWC
 */

/* On dense arrays, row-major. Extents that are not numbers are parameters.
 * out may be the very array of img; else no result may overlap a parameter or another result. */
int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out);

/* What the last call of this thread that did not return WEFT_KERNEL_OK has to say; all zero
 * before one. It stays as it is until the next such call. */
const struct weft_note *contrast_note(void);

#ifdef __cplusplus
}
#endif

#endif
