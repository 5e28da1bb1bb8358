/* A trial: a formula with the data it is run on, and how those lie in memory. From a seed all of it. */
#ifndef WEFT_TRIAL_H
#define WEFT_TRIAL_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* How a tensor lies in memory. Strides follow from it: along the inner dimension first, or the outer
 * one. */
struct layout {
    bool columns;                  /* the first dimension has the smallest stride */
    unsigned char gaps[FORMULA_RANK];   /* elements left out between two along a dimension */
    unsigned backwards, still;     /* dimensions with a negative stride, with stride 0; a bit each */
    int offset;                    /* elements before the first */
};

/* One sample of an input: its elements in row-major order. Along `still` dimensions they are equal. */
struct sample {
    struct extents extents;
    struct layout layout;
    union scalar *values;
};

struct trial {
    uint64_t seed;
    struct formula formula;
    int samples;                   /* in batches; 1 without */
    struct sample inputs[FORMULA_INPUTS][FORMULA_SAMPLES];   /* no batch: the first alone */
    struct layout outputs[FORMULA_RESULTS];
    int in_place[FORMULA_RESULTS]; /* the input whose buffer the output is; -1: a buffer of its own */
    bool plain;                    /* run without the extra results, too */
    bool twice;                    /* run again on the same buffers */
};

struct limits {
    int nodes;                     /* operations, at most */
    bool large;                    /* up to 500 of them, 100 results, 100 inputs; `nodes` does not count */
    bool batches, views;
    enum { REDUCTIONS_NOT, REDUCTIONS_SOMEWHERE, REDUCTIONS_EVERYWHERE } reductions; /* in a part of programs, in all */
    int relatives;                 /* seeds in a row whose programs differ in extents, numbers and values alone,
                                      as far as that goes, and so mostly share their kernels; 1: none */
};

void trial_generate(struct trial *trial, struct arena *arena, uint64_t seed,
                    const struct limits *limits);
/* Makes the elements along still dimensions equal. */
void sample_settle(struct sample *sample);
/* After a change of the formula: in-place outputs that cannot be are given up, inputs follow their
 * formula's. False when the program is wrong now. */
bool trial_settle(struct trial *trial);
/* The shapes of all nodes for each sample; false when some do not broadcast. */
bool trial_shapes(const struct trial *trial, struct extents (*shapes)[FORMULA_NODES]);

static inline const struct sample *trial_input(const struct trial *trial, int input, int sample)
{
    return &trial->inputs[input][trial->formula.inputs[input].batch ? sample : 0];
}

/* Strides in elements; returns the number of elements from the lowest to behind the highest, and in
 * *first that of the first element. */
int64_t layout_strides(const struct layout *layout, const struct extents *extents,
                       int64_t strides[FORMULA_RANK], int64_t *first);

#endif
