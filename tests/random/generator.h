/* What the two halves of making a trial share: the trial in the making, and what chooses. generate.c makes
 * inputs, results and the data, grow.c the nodes between. */
#ifndef WEFT_GENERATOR_H
#define WEFT_GENERATOR_H

#include "tests/random/trial.h"

/* What a program may have. */
struct room {
    int nodes, inputs, results, elements, views, reductions;
};

struct generator {
    struct stream stream;          /* what relatives have in common: types, rows, which extents are 1 */
    struct stream detail;          /* extents, numbers, values */
    struct trial *trial;
    struct arena *arena;
    const struct limits *limits;
    struct room room;
    struct extents envelopes[FORMULA_SAMPLES];
    int64_t most;                  /* elements a node may have */
    enum weft_dtype palette[3];    /* few programs mix all types, or the widest would be everywhere */
    int palette_size;
    bool viewing, reducing;        /* many views, many reductions */
    bool lengthy;                  /* one dimension has more elements than a sum's block, or nearly */
    int uses[FORMULA_NODES];
    int inputs[FORMULA_INPUTS];    /* their nodes */
    struct extents shapes[FORMULA_SAMPLES][FORMULA_NODES];
};

static inline int below(struct generator *g, int bound)
{
    return (int)stream_below(&g->stream, (uint64_t)bound);
}

static inline bool chance(struct generator *g, int one_in)
{
    return below(g, one_in) == 0;
}

static inline int detail_below(struct generator *g, int bound)
{
    return (int)stream_below(&g->detail, (uint64_t)bound);
}

static inline bool detail_chance(struct generator *g, int one_in)
{
    return detail_below(g, one_in) == 0;
}

static inline enum weft_dtype any_dtype(struct generator *g)
{
    return chance(g, 8) ? (enum weft_dtype)below(g, WEFT_DTYPE_COUNT)
                        : g->palette[below(g, g->palette_size)];
}

/* The rank of a part of an envelope of rank `all`, and which of its dimensions are 1, a bit each. */
void any_part(struct generator *g, int all, int *rank, unsigned *stretched);
/* A shape that broadcasts to the envelope. The same bits give shapes alike in all samples. */
struct extents part_of(const struct extents *envelope, int rank, unsigned stretched);
/* The dimensions, of so many inner ones, along which samples differ: a bit each. */
unsigned unlike(const struct generator *g, const struct extents *const *envelopes, int rank);
/* An input whose shapes go with these, one for each sample. */
void add_input(struct generator *g, const struct extents *const *envelopes);

/* Its number. Types and shapes come from settle. */
int add_node(struct generator *g, struct formula_node node);
/* Types and shapes of a new node; false where the language has an error, and where it is too large. */
bool settle(struct generator *g, int index);
/* One node more, with the literals it takes. */
void grow(struct generator *g);
/* A reduction; false where none was found. */
bool grow_reduction(struct generator *g);

#endif
