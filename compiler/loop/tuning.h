/* The numbers by which forms of CUDA kernels are made: a row for each architecture from which on they hold. Those of
 * all GPUs are in templates/shared/tuning_cuda.h, those of target C in tuning_c.h there. They decide how fast a kernel
 * is, and never what it computes. bench/gpu/sweep.py measures them. */
#ifndef WEFT_COMPILER_LOOP_TUNING_H
#define WEFT_COMPILER_LOOP_TUNING_H

#include <stddef.h>

/* What loads and stores tell the GPU's caches. */
enum hint {
    HINT_LOADS = 1,                /* what is read once stays out of L1 */
    HINT_STORES = 2,               /* what is written goes from L2 first */
    HINT_ROWS = 4                  /* what each row reads again stays in L1 */
};

struct tuning {
    int arch;                      /* 10 * major + minor of the first compute capability for which the row holds */
    int threads;                   /* of a block, where no period asks for others */
    int elements;                  /* of a thread at once, where that is more than a chunk; a power of two */
    int loads;                     /* most bytes that these elements load */
    int bounds;                    /* blocks for which a multiprocessor is to have registers; 0: not said */
    int hints;                     /* a set of enum hint */
    int blocks;                    /* most blocks of a launch for each multiprocessor; 0: one for each tile. Not for
                                      sources ahead of time, which know no multiprocessors */
};

/* The row for GPUs of this architecture. 0: for any, which holds ahead of time and for texts that nobody runs. */
const struct tuning *tuning_for(int arch);
/* Reads words such as "threads=128 bounds=4" into `tuning`. Returns the first that is none, and its length; NULL: all
 * are good. */
const char *tuning_read(struct tuning *tuning, const char *text, size_t *length);
/* What such words may be, for people. */
#define TUNING_WORDS \
    "threads=32..640 (a multiple of 32), elements=1..256, loads=1..1024 (powers of two), bounds=0..32, hints=0..7, " \
    "blocks=0..4096"

#endif
