/* What ahead-of-time headers begin with, each of them: they may be included together, and beside weft/weft.h. */
//: types
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
//: array

#ifndef WEFT_KERNEL_ARRAY
#define WEFT_KERNEL_ARRAY 1
/* An array in memory. Extents and strides count elements, the outermost dimension first; strides NULL: dense,
 * row-major; a result's shape NULL: the one that it has by the parameters. Data are aligned to their elements. Of an
 * array without dimensions only `data` counts. */
struct weft_array {
    void *data;                         /* a parameter's is only read */
    const int64_t *shape, *strides;
};
#endif
