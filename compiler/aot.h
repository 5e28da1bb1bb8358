/* Ahead of time: the kernels of a text as C headers and sources that depend on the C library alone. */
#ifndef WEFT_AOT_H
#define WEFT_AOT_H

#include "compiler/program.h"

/* Instruction sets of x86-64 that a source may be compiled for besides the compiler's own choice; the
 * best that the processor has is chosen at run time. */
enum aot_level { AOT_V2 = 1, AOT_V3 = 2, AOT_V4 = 4 };

struct aot_params {
    const char *file;              /* the text's file, without directories, for comments */
    const char *bundle;            /* the name of one pair of files for all kernels; NULL: a pair for each */
    unsigned levels;               /* a set of enum aot_level */
    bool openmp;                   /* threads, where it is compiled with -fopenmp */
};

struct aot_file {
    const char *name, *text;
};

/* What a text becomes: files in the order of its kernels, a header and then its source. The texts depend on
 * nothing but the arguments. False with diagnostics. */
bool aot_build(struct arena *arena, const struct source *source, const struct aot_params *params,
               struct diags *diags, struct aot_file **files, int *count);

#endif
