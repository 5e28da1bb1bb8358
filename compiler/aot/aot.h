/* Ahead of time: the kernels of a text as C headers and sources that depend on the C library alone. */
#ifndef WEFT_AOT_H
#define WEFT_AOT_H

#include "compiler/lang/lang.h"

enum aot_target { AOT_C, AOT_CUDA };

struct aot_params {
    enum aot_target target;
    const char *file;              /* the text's file, without directories, for comments */
    const char *bundle;            /* the name of one pair of files for all kernels; NULL: a pair for each */
    unsigned levels;               /* a set of enum weft_level */
    bool openmp;                   /* threads, where it is compiled with -fopenmp */
    const char *const *archs;      /* CUDA: [arch_count] "sm_90", for which there is machine code */
    int arch_count;
    /* CUDA: code for "sm_90", or PTX for "compute_90", which ends with a NUL that counts. It lives as long as the
     * arena. False: that was told already. NULL: texts are not wanted, only files' names. */
    bool (*compile)(void *user, const char *text, const char *arch, const unsigned char **code, size_t *size);
    void *user;
};

struct aot_file {
    const char *name, *text;
};

/* The function that a kernel becomes, and the files' name: with "_cuda" where it runs on GPUs, so that both kinds may
 * stand beside each other. */
const char *aot_function(struct arena *arena, const char *kernel, const struct aot_params *params);

/* What a text becomes: files in the order of its kernels, a header and then its source. The texts depend on
 * nothing but the arguments, those for CUDA also on NVRTC. False with diagnostics, or where `compile` failed. */
bool aot_build(struct arena *arena, const struct source *source, const struct aot_params *params,
               struct diags *diags, struct aot_file **files, int *count);

#endif
