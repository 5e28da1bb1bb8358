/* A trial from a seed. Programs grow from the inputs (grow.c). Shapes fit by construction: every tensor has
 * some of the extents of one shape, the envelope, and 1 for the others. */
#include "tests/random/generator.h"

#include <math.h>
#include <string.h>

enum { LARGE = 500 };              /* operations of a large program, at most */

static const struct room small = {128, 8, 12, 256, 16, 12},
    large = {FORMULA_NODES, 100, 100, FORMULA_ELEMENTS, FORMULA_VIEWS, FORMULA_REDUCTIONS};

/* From low to high, small ones far more often than large. */
static int64_t skewed(struct stream *stream, int64_t low, int64_t high)
{
    double u = ldexp((double)(stream_bits(stream) >> 11), -53);
    return low + (int64_t)floor(exp(u * log((double)(high - low + 1)))) - 1;
}

/* ---- shapes ---- */

static int64_t any_extent(struct generator *g)
{
    static const int64_t small[] = {2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17},
                         blocks[] = {31, 32, 33, 62, 63, 64, 65, 66, 97, 127, 128, 129, 191};
    switch (below(g, 24)) {
    case 0: return 1;
    case 1: case 2: case 3: return skewed(&g->detail, 2, 3000);
    case 4: case 5: case 6: case 7: case 8: case 9:
        return blocks[detail_below(g, sizeof blocks / sizeof *blocks)];
    case 10: case 11: case 12: return skewed(&g->detail, 2, 200);
    default: return small[detail_below(g, sizeof small / sizeof *small)];
    }
}

/* How many elements results may have. */
static int64_t any_volume(struct generator *g)
{
    int which = below(g, 3000);
    if (g->limits->large)
        return which < 400 ? 2000 : 200;
    return which == 0 ? 5 << 19 : which < 30 ? 100000 : which < 150 ? 20000 : which < 800 ? 3000 : 300;
}

/* Around the sizes of blocks of a sum. */
static int64_t long_extent(struct generator *g)
{
    static const int64_t list[] = {1023, 1024, 1025, 2047, 2049, 3000, 4097, 5120, 16384, 16385};
    return list[detail_below(g, sizeof list / sizeof *list)];
}

static struct extents any_envelope(struct generator *g, int rank, int64_t most)
{
    struct extents envelope = {.rank = rank};
    bool empty = chance(g, 40);
    const int long_one = g->lengthy && rank > 0 ? below(g, rank) : -1;
    int64_t volume = 1;
    if (long_one >= 0)
        volume = envelope.at[long_one] = long_extent(g);
    for (int i = 0; i < rank; i++) {
        if (i == long_one)
            continue;
        int64_t extent = any_extent(g), little = g->lengthy ? 1 : 1 + below(g, 3);
        envelope.at[i] = volume * extent > most ? little : extent;
        volume *= envelope.at[i];
    }
    if (most > 100000 && rank > 0 && volume < most)
        envelope.at[below(g, rank)] *= most / volume;
    if (empty && rank > 0)
        envelope.at[below(g, rank)] = 0;
    return envelope;
}

struct extents part_of(const struct extents *envelope, int rank, unsigned stretched)
{
    struct extents out = {.rank = rank};
    for (int d = 0; d < rank; d++)
        out.at[d] = stretched >> d & 1 ? 1 : envelope->at[envelope->rank - rank + d];
    return out;
}

void any_part(struct generator *g, int all, int *rank, unsigned *stretched)
{
    int kind = below(g, 12);
    *rank = all;
    *stretched = 0;
    if (kind == 0)
        *rank = 0;
    else if (kind == 1)
        *stretched = ~0u;
    else if (kind > 6) {
        *rank = below(g, all + 1);
        *stretched = (unsigned)stream_bits(&g->stream);
    }
}

unsigned unlike(const struct generator *g, const struct extents *const *envelopes, int rank)
{
    unsigned bits = 0;
    for (int s = 1; s < g->trial->samples; s++)
        for (int back = 1; back <= rank; back++)
            if (envelopes[s]->at[envelopes[s]->rank - back] !=
                envelopes[0]->at[envelopes[0]->rank - back])
                bits |= 1u << (rank - back);
    return bits;
}

/* ---- results ---- */

static void add_result(struct generator *g, int node)
{
    struct formula *formula = &g->trial->formula;
    if (formula->result_count == g->room.results)
        return;
    enum weft_dtype own = formula->nodes[node].dtype;
    formula->casts[formula->result_count] = chance(g, 3) ? any_dtype(g) : own;
    formula->results[formula->result_count++] = node;
}

static void add_results(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    for (int n = formula->count - 1; n >= 0; n--)
        if (g->uses[n] == 0 && formula->nodes[n].count > 0)
            add_result(g, n);
    if (chance(g, 10))
        add_result(g, below(g, formula->count));
    for (int i = g->limits->large ? below(g, g->room.results) : 0; i > 0; i--) {
        const int node = below(g, formula->count);
        if (formula->nodes[node].count > 0)
            add_result(g, node);
    }
}

/* ---- data ---- */

static struct layout any_layout(struct generator *g, bool input)
{
    struct layout layout = {0};
    if (!chance(g, input ? 3 : 4))
        return layout;
    layout.columns = chance(g, 4);
    layout.offset = detail_below(g, 16);
    for (int d = 0; d < FORMULA_RANK; d++) {
        layout.gaps[d] = (unsigned char)(chance(g, 3) ? below(g, 4) : 0);
        layout.backwards |= (unsigned)chance(g, 5) << d;
        layout.still |= (unsigned)(input && chance(g, 8)) << d;
    }
    return layout;
}

/* All manners of values, or few values, so that comparisons and divisions meet equal ones and zeros. */
static void fill(struct generator *g, struct sample *sample, enum weft_dtype dtype)
{
    int64_t volume = extents_volume(&sample->extents);
    int kind = detail_below(g, 6);
    union scalar few[4];
    for (int i = 0; i < 4; i++) {
        few[i] = stream_value(&g->detail, dtype);
        if (kind == 0)
            few[i] = eval_convert(WEFT_UINT8, dtype, false, (union scalar){.u8 = (uint8_t)i});
    }
    sample->values = ARENA_ARRAY(g->arena, union scalar, volume + 1);
    for (int64_t e = 0; e < volume; e++)
        sample->values[e] = kind < 2 ? few[detail_below(g, 4)] : stream_value(&g->detail, dtype);
    sample_settle(sample);
}

void add_input(struct generator *g, const struct extents *const *envelopes)
{
    struct trial *trial = g->trial;
    int input = trial->formula.input_count++, rank, samples;
    struct formula_input *formula = &trial->formula.inputs[input];
    unsigned stretched;
    any_part(g, envelopes[0]->rank, &rank, &stretched);
    bool mixed = chance(g, 4);     /* one-element samples beside larger ones */
    formula->dtype = any_dtype(g);
    formula->declared = chance(g, 2) ? below(g, DECLARE_MOST) : DECLARE_NOT;
    formula->batch = trial->samples > 1 && !chance(g, 3);
    samples = formula->batch ? trial->samples : 1;
    if (!formula->batch)
        stretched |= unlike(g, envelopes, rank);
    for (int s = 0; s < samples; s++) {
        struct sample *sample = &trial->inputs[input][s];
        if (mixed)
            stretched = (unsigned)(stream_bits(&g->stream) & stream_bits(&g->stream));
        if (mixed && !formula->batch)
            stretched |= unlike(g, envelopes, rank);
        sample->extents = part_of(envelopes[s], rank, stretched);
        sample->layout = any_layout(g, true);
        fill(g, sample, formula->dtype);
    }
    g->inputs[input] = add_node(g, (struct formula_node){.kind = FORMULA_INPUT, .input = input});
    settle(g, g->inputs[input]);
}

static void choose_outputs(struct generator *g)
{
    struct trial *trial = g->trial;
    struct formula *formula = &trial->formula;
    for (int r = 0; r < formula->result_count; r++) {
        trial->outputs[r] = any_layout(g, false);
        trial->in_place[r] = chance(g, 4) && formula->input_count ? below(g, formula->input_count) : -1;
    }
}

static void follow(struct trial *trial, const int *kept)
{
    for (int i = 0; i < FORMULA_INPUTS; i++)
        if (kept[i] >= 0 && kept[i] != i)
            memcpy(trial->inputs[kept[i]], trial->inputs[i], sizeof trial->inputs[i]);
}

static void choose_shapes(struct generator *g)
{
    g->viewing = chance(g, 5);
    g->reducing = g->limits->reductions == REDUCTIONS_EVERYWHERE || (g->limits->reductions && chance(g, 2));
    g->lengthy = g->reducing && !g->limits->large && chance(g, 12);
    const int64_t most = g->lengthy ? 20000 : any_volume(g);
    g->most = 4 * most;
    int rank = (int[]){0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6}[below(g, 12)];
    if (g->limits->batches && chance(g, 4) && most <= 20000)
        g->trial->samples = 2 + below(g, FORMULA_SAMPLES - 1);
    g->envelopes[0] = any_envelope(g, rank, most);
    for (int s = 1; s < g->trial->samples; s++) {
        g->envelopes[s] = any_envelope(g, rank, most / 2 + 1);
        for (int d = 0; d < rank; d++)
            if (chance(g, 2))
                g->envelopes[s].at[d] = g->envelopes[0].at[d];
        if (extents_volume(&g->envelopes[s]) > 2 * most)
            g->envelopes[s] = g->envelopes[0];
    }
}

static int operation_count(struct generator *g, int64_t volume)
{
    if (g->limits->large)
        return LARGE / 4 + below(g, LARGE * 3 / 4 + 1);
    int most = g->limits->nodes < 60 ? g->limits->nodes : 60;
    int count = chance(g, 24) ? 1 + below(g, 60) : (int)skewed(&g->stream, 1, 16);
    if (volume > 100000)
        most = most < 4 ? most : 4;
    return count < most ? count : most;
}

void trial_generate(struct trial *trial, struct arena *arena, uint64_t seed,
                    const struct limits *limits)
{
    /* A state is a sum: two seeds' must not lie a few steps apart. */
    struct stream form = {seed / (uint64_t)limits->relatives}, detail = {~seed};
    static struct generator g;
    g = (struct generator){.stream = {stream_bits(&form)}, .detail = {stream_bits(&detail)}, .trial = trial,
                           .arena = arena, .limits = limits, .room = limits->large ? large : small};
    struct formula *formula = &trial->formula;
    int kept[FORMULA_INPUTS];
    memset(trial, 0, sizeof *trial);
    trial->seed = seed;
    trial->samples = 1;
    choose_shapes(&g);
    g.palette_size = 1 + below(&g, 3);
    for (int i = 0; i < 3; i++)
        g.palette[i] = (enum weft_dtype)below(&g, WEFT_DTYPE_COUNT);
    int operations = operation_count(&g, extents_volume(&g.envelopes[0]));
    const struct extents *envelopes[FORMULA_SAMPLES];
    for (int s = 0; s < trial->samples; s++)
        envelopes[s] = &g.envelopes[s];
    for (int i = below(&g, limits->large ? large.inputs : 4); i >= 0; i--)
        add_input(&g, envelopes);
    for (int i = 0; i < operations && formula->count + 12 < g.room.nodes; i++)
        grow(&g);
    if (limits->reductions == REDUCTIONS_EVERYWHERE && formula->reduction_count == 0)
        grow_reduction(&g);
    add_results(&g);
    formula->kernel = chance(&g, 8);
    formula->in_text = chance(&g, 2);
    formula->manner = (unsigned)stream_bits(&g.stream);
    trial->plain = chance(&g, 3);
    trial->twice = chance(&g, 4);
    formula_prune(formula, kept);
    follow(trial, kept);
    choose_outputs(&g);
}
