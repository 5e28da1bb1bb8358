/* The inner parts of the fake NVRTC: what stands between its calls (nvrtc.c), the text that gcc
 * gets (nvrtc_text.c) and gcc (nvrtc_gcc.c). */
#ifndef MOCKCUDA_NVRTC_H
#define MOCKCUDA_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

/* As in nvrtc.h of the toolkit. */
enum nvrtc_result {
    NVRTC_OK,
    NVRTC_OUT_OF_MEMORY,
    NVRTC_CREATION_FAILURE,
    NVRTC_INVALID_INPUT,
    NVRTC_INVALID_PROGRAM,
    NVRTC_INVALID_OPTION,
    NVRTC_COMPILATION,
    NVRTC_BUILTIN_FAILURE,
    NVRTC_INTERNAL_ERROR = 11,
};

/* What the options of a compilation come to. */
struct nvrtc_options {
    int arch;     /* 90 */
    bool virtual; /* compute_90: PTX alone */
    bool contract;
};

struct nvrtc_bytes { /* owned */
    char *data;
    size_t size;
};

/* The C text of a kernel's: shim, text, and a function for each kernel that plays a grid. NULL:
 * *problem (static) says why not. The caller frees. */
char *nvrtc_text(const char *text, const char *name, const char **problem);

/* Has gcc compile it; the object, and what gcc said (empty, never NULL). */
bool nvrtc_gcc(const char *text, const struct nvrtc_options *options, struct nvrtc_bytes *object,
               char **log);

#endif
