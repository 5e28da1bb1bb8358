/* Header of the room aot, ahead of time: turns the kernels of a text into C headers and sources that depend on the C
 * library alone. It uses the same pipeline as a run. */
#ifndef WEFT_COMPILER_AOT_AOT_H
#define WEFT_COMPILER_AOT_AOT_H

#include "compiler/lang/lang.h"

enum aot_target { AOT_C, AOT_CUDA };

/* The name of the files with what kernels in C share, before .h and .c. */
#define AOT_SUPPORT "weft_support"

enum { AOT_ALL_ENTRIES = WEFT_ENTRY_DENSE | WEFT_ENTRY_STRIDED | WEFT_ENTRY_BATCH | WEFT_ENTRY_SHAPE };

/* Whether these are made beside the kernels, or alone. */
enum aot_support { AOT_SUPPORT_BESIDE, AOT_SUPPORT_NONE, AOT_SUPPORT_ONLY };

struct aot_params {
    enum aot_target target;
    const char *file;              /* the text's file for comments, without directories */
    const char *bundle;            /* the name of a single pair of files for all kernels; NULL: a pair for each */
    unsigned levels;               /* a set of enum weft_level */
    bool openmp;                   /* runs on threads if it is compiled with -fopenmp */
    enum aot_support support;
    unsigned entries;              /* a set of enum weft_entry; 0: all */
    const char *const *archs;      /* CUDA: the architectures with machine code, as "sm_90"; [arch_count] */
    int arch_count;
    /* CUDA: compiles `text` to machine code for "sm_90", or to PTX for "compute_90". PTX ends with a NUL, which *size
     * counts. The code lives as long as the arena. Returns false where that failed, which it has reported. NULL: only
     * the names of files are wanted. */
    bool (*compile)(void *user, const char *text, const char *arch, const unsigned char **code, size_t *size);
    void *user;
};

struct aot_file {
    const char *name, *text;
};

/* The name of a kernel's function and of its files. For CUDA it ends in "_cuda", so that both
 * kinds can be in one program. */
const char *aot_function(struct arena *arena, const char *kernel, const struct aot_params *params);

/* Makes the files of a text: for each kernel, in order, a header and then its source; then, for C, those of
 * AOT_SUPPORT. The texts depend on the arguments only, for CUDA also on NVRTC. Returns false with diagnostics, or where
 * `compile` failed. */
bool aot_build(struct arena *arena, const struct source *source, const struct aot_params *params,
               struct diags *diags, struct aot_file **files, int *count);

#endif
