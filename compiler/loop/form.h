/* The form of a kernel: how it computes in chunks and how its arguments are laid out. The text has it as
 * constants, and the host deals out tiles and writes arguments by it. Of a C kernel only `block` says
 * something. */
#ifndef WEFT_FORM_H
#define WEFT_FORM_H

#include "compiler/loop/geometry.h"

enum {
    EXACT_GROUPS = 3,              /* so many outer groups are counted exactly; of more there is room for
                                      4, 8, 16, 32 or 64 */
    ARGS_MOST = 4000,              /* bytes of arguments by value; more stand in memory */
    LITERALS_MOST = 256            /* literals by value in a kernel for many samples */
};

struct form {
    int block;                     /* elements that a kernel computes at once: of a chunk */
    int unroll, threads;           /* a tile is so many chunks of so many threads; 0 for C */
    int singles;                   /* elements of a thread at once where chunks are not dense */
    int accesses, literals;
    int groups;                    /* outer groups that there is room for */
    int steps;                     /* strides of an access inside a row: 0, 1, or from period to period, 2 */
    bool flat;                     /* there is a period, */
    int period;                    /* so short that the text knows it; else 0 */
    bool mapped;                   /* some access is walked by number */
    bool wide;                     /* indices and strides take 64 bits */
    bool many;                     /* samples stand in a table; else the only one comes by value */
    bool apart;                    /* literals stand in memory, not in the arguments */
    bool repeats;                  /* all chunks of a thread begin at the same place in their period */
};

/* That of a kernel which computes in blocks. */
void block_form(const struct kernel *kernel, struct form *form);
/* The form of a CUDA kernel on this geometry; `many`: it has to take a table of samples. */
void make_form(const struct kernel *kernel, const struct geometry *geometry, bool many,
               struct form *form);
/* The same kernel without knowing its period. */
void form_any_period(struct form *form);
/* Tiles of a sample with this geometry: none where it is empty. */
int64_t form_tiles(const struct form *form, const struct geometry *geometry);

/* In words of 8 bytes. */
size_t form_geometry_words(const struct form *form);
size_t form_sample_words(const struct form *form);
size_t form_args_words(const struct form *form);

#endif
