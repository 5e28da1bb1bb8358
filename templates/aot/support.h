/* What kernels in C made ahead of time share, in sections: how they call weft_support.c. */

//: entries
#if defined __GNUC__ || defined __TINYC__
#define ENTRY __attribute__((visibility("hidden")))
#else
#define ENTRY
#endif
/* The functions of weft_support.c. Copies of it in one program are one: the linker keeps any. They set *note where they
 * do not return WEFT_KERNEL_OK. */

/* Runs the kernel on samples: sample i of operand o is arrays[o][i * steps[o]]. */
ENTRY int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                   const int64_t *steps, struct weft_note *note);
/* On one: `arrays` has an array of each operand. */
ENTRY int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, struct weft_note *note);
/* Extents of results from those of parameters, and from the values of single ones that are sizes. */
ENTRY int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                     int64_t *const *results, struct weft_note *note);

/* What the last call on this thread told of this file's kernels. */
SHARED _Thread_local struct weft_note weft_told;
//: weak
#if defined __GNUC__ || defined __TINYC__
#undef ENTRY
#define ENTRY __attribute__((weak, visibility("hidden")))
#endif
