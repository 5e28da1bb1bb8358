/* A trial from a seed. Programs grow from the inputs: each step takes a row or a conversion and operands
 * for it among what there is, rather what nothing uses yet. Shapes fit by construction: every tensor has
 * some of the extents of one shape, the envelope, and 1 for the others. */
#include "tests/random/trial.h"
#include "tests/random/view.h"

#include <math.h>
#include <string.h>

struct generator {
    struct stream stream;          /* what relatives have in common: types, rows, which extents are 1 */
    struct stream detail;          /* extents, numbers, values */
    struct trial *trial;
    struct arena *arena;
    const struct limits *limits;
    struct extents envelopes[FORMULA_SAMPLES];
    int64_t most;                  /* elements a node may have */
    enum weft_dtype palette[3];    /* few programs mix all types, or the widest would be everywhere */
    int palette_size;
    bool viewing;                  /* many views */
    int uses[FORMULA_NODES];
    int inputs[FORMULA_INPUTS];    /* their nodes */
    struct extents shapes[FORMULA_SAMPLES][FORMULA_NODES];
};

static int below(struct generator *g, int bound)
{
    return (int)stream_below(&g->stream, (uint64_t)bound);
}

static bool chance(struct generator *g, int one_in)
{
    return below(g, one_in) == 0;
}

static int detail_below(struct generator *g, int bound)
{
    return (int)stream_below(&g->detail, (uint64_t)bound);
}

static bool detail_chance(struct generator *g, int one_in)
{
    return detail_below(g, one_in) == 0;
}

/* From low to high, small ones far more often than large. */
static int64_t skewed(struct stream *stream, int64_t low, int64_t high)
{
    double u = ldexp((double)(stream_bits(stream) >> 11), -53);
    return low + (int64_t)floor(exp(u * log((double)(high - low + 1)))) - 1;
}

static enum weft_dtype any_dtype(struct generator *g)
{
    return chance(g, 8) ? (enum weft_dtype)below(g, WEFT_DTYPE_COUNT)
                        : g->palette[below(g, g->palette_size)];
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
    return which == 0 ? 5 << 19 : which < 30 ? 100000 : which < 150 ? 20000 : which < 800 ? 3000 : 300;
}

static struct extents any_envelope(struct generator *g, int rank, int64_t most)
{
    struct extents envelope = {.rank = rank};
    bool empty = chance(g, 40);
    int64_t volume = 1;
    for (int i = 0; i < rank; i++) {
        int64_t extent = any_extent(g), little = 1 + below(g, 3);
        envelope.at[i] = volume * extent > most ? little : extent;
        volume *= envelope.at[i];
    }
    if (most > 100000 && rank > 0 && volume < most)
        envelope.at[below(g, rank)] *= most / volume;
    if (empty && rank > 0)
        envelope.at[below(g, rank)] = 0;
    return envelope;
}

/* A shape that broadcasts to the envelope. The same bits give shapes alike in all samples. */
static struct extents part_of(const struct extents *envelope, int rank, unsigned stretched)
{
    struct extents out = {.rank = rank};
    for (int d = 0; d < rank; d++)
        out.at[d] = stretched >> d & 1 ? 1 : envelope->at[envelope->rank - rank + d];
    return out;
}

static void any_part(struct generator *g, int all, int *rank, unsigned *stretched)
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

/* The dimensions, of so many inner ones, along which samples differ: a bit each. */
static unsigned unlike(const struct generator *g, const struct extents *const *envelopes, int rank)
{
    unsigned bits = 0;
    for (int s = 1; s < g->trial->samples; s++)
        for (int back = 1; back <= rank; back++)
            if (envelopes[s]->at[envelopes[s]->rank - back] !=
                envelopes[0]->at[envelopes[0]->rank - back])
                bits |= 1u << (rank - back);
    return bits;
}

/* ---- numbers ---- */

static struct number any_integer(struct generator *g)
{
    static const int64_t list[] = {127, 128, 255, 256, 32767, 65535, 65536, INT32_MAX,
                                   (int64_t)INT32_MAX + 1, UINT32_MAX, INT64_MAX, INT64_MIN + 1};
    struct number number = {.kind = NUMBER_INTEGER, .integer = detail_below(g, 12)};
    if (detail_chance(g, 6))
        number.integer = list[detail_below(g, sizeof list / sizeof *list)];
    if (detail_chance(g, 40))
        number.integer = (__int128)1 << 63;
    if (detail_chance(g, 6))
        number.integer = -number.integer;
    return number;
}

static struct number any_real(struct generator *g)
{
    static const double list[] = {0.1, 0.5, 1.5, 2.0, 2.5, 3.0, 1e-3, 1e10, 255.5, 1e-40, 1e300,
                                  0.3333333333333333, 3.141592653589793, 65504.0, 1e5, 0.0};
    struct number number = {.kind = NUMBER_REAL};
    number.real = list[detail_below(g, sizeof list / sizeof *list)];
    if (detail_chance(g, 3))
        number.real = stream_value(&g->detail, WEFT_FLOAT64).f64;
    if (detail_chance(g, 5))
        number.real = -number.real;
    if (isnan(number.real))
        number.real = NAN;
    return number;
}

/* One of an array literal's, whose extents are details. */
static struct number any_scalar(struct generator *g)
{
    return detail_chance(g, 12) ? (struct number){.kind = NUMBER_BOOL, .integer = detail_below(g, 2)}
           : detail_chance(g, 3) ? any_real(g) : any_integer(g);
}

static struct number any_number(struct generator *g)
{
    if (chance(g, 12))
        return (struct number){.kind = NUMBER_BOOL, .integer = detail_below(g, 2)};
    return chance(g, 3) ? any_real(g) : any_integer(g);
}

/* ---- nodes ---- */

static int add_node(struct generator *g, struct formula_node node)
{
    struct formula *formula = &g->trial->formula;
    node.manner = (unsigned)stream_bits(&g->stream);
    formula->nodes[formula->count] = node;
    g->uses[formula->count] = 0;
    return formula->count++;
}

/* Types and shapes of a new node; false where the language has an error, and where it is too large. */
static bool settle(struct generator *g, int index)
{
    struct formula *formula = &g->trial->formula;
    bool good = formula_settle_node(formula, index);
    for (int s = 0; s < g->trial->samples && good; s++) {
        struct extents inputs[FORMULA_INPUTS];
        for (int i = 0; i < formula->input_count; i++)
            inputs[i] = trial_input(g->trial, i, s)->extents;
        good = formula_shape(formula, index, inputs, g->shapes[s]) &&
               extents_volume(&g->shapes[s][index]) <= g->most;
    }
    return good;
}

/* Whether the node broadcasts with others, in all samples. */
static bool goes_with(const struct generator *g, int node, const int *others, int count)
{
    for (int s = 0; s < g->trial->samples; s++) {
        struct extents shape = g->shapes[s][node];
        for (int i = 0; i < count; i++)
            if (!extents_broadcast(&shape, &g->shapes[s][others[i]]))
                return false;
    }
    return true;
}

static int literal_node(struct generator *g)
{
    int node = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = any_number(g)});
    settle(g, node);
    return node;
}

/* An array literal: it needs extents that are alike in all samples, and few elements. */
static int array_node(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_ARRAY, .elements = formula->element_count};
    unsigned stretched;
    const struct extents *envelopes[FORMULA_SAMPLES];
    for (int s = 0; s < g->trial->samples; s++)
        envelopes[s] = &g->envelopes[s];
    any_part(g, envelopes[0]->rank, &node.extents.rank, &stretched);
    stretched |= unlike(g, envelopes, node.extents.rank);
    node.extents = part_of(envelopes[0], node.extents.rank, stretched);
    for (int d = 0; d < node.extents.rank; d++)
        if (node.extents.at[d] > 8 || node.extents.at[d] < 1)
            node.extents.at[d] = 1;
    int64_t volume = extents_volume(&node.extents);
    if (node.extents.rank == 0 || volume > 24 || formula->element_count + volume > FORMULA_ELEMENTS)
        return literal_node(g);
    int kind = below(g, 4);
    for (int i = 0; i < volume; i++)
        formula->elements[formula->element_count++] =
            kind == 0 ? any_scalar(g) : kind == 1 ? any_real(g) : any_integer(g);
    int index = add_node(g, node);
    settle(g, index);
    return index;
}

static int unused_node(struct generator *g)
{
    int count = g->trial->formula.count, at = below(g, count);
    for (int i = 0; i < count; i++) {
        int node = (at + count - i) % count;
        if (g->uses[node] == 0 &&
            (g->trial->formula.nodes[node].kind != FORMULA_INPUT || chance(g, 3)))
            return node;
    }
    return at;
}

/* The first operand is seldom a literal: programs would be of literals alone. */
static int any_operand(struct generator *g, bool first)
{
    struct formula *formula = &g->trial->formula;
    int kind = below(g, 20);
    bool constant = kind < (first ? 1 : 5) && formula->count + 8 < FORMULA_NODES;
    if (constant && (!first || chance(g, 3)))
        return kind == 0 ? array_node(g) : literal_node(g);
    if (kind < 6 - 4 * first)
        return g->inputs[below(g, formula->input_count)];
    return kind < 19 ? unused_node(g) : below(g, formula->count);
}

static enum op any_row(struct generator *g)
{
    for (;;) {
        enum op op = (enum op)below(g, OP_COUNT);
        bool costly = op_rows[op].ulp32 > 0 && op_rows[op].form == FORM_CALL;
        if (op_rows[op].form != FORM_INTERNAL && (!costly || chance(g, 3)))
            return op;
    }
}

static int operand_count(struct generator *g, enum op op)
{
    return op_rows[op].form == FORM_FOLD ? 2 + (chance(g, 5) ? 1 + below(g, 2) : 0) : op_arity(op);
}

/* Powers with small exponents are products. */
static int exponent_node(struct generator *g)
{
    struct number number = {.kind = NUMBER_INTEGER, .integer = below(g, 6)};
    if (chance(g, 4))
        number = (struct number){.kind = NUMBER_REAL, .real = below(g, 12) / 2.0};
    int node = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = number});
    settle(g, node);
    return node;
}

/* One that goes with those before it; seldom one of them. */
static int fitting_operand(struct generator *g, const int *before, int count)
{
    int node = any_operand(g, count == 0);
    for (int i = 0; i < 8 && count > 0; i++) {
        bool again = node == before[0] && !chance(g, 5);
        if (!again && goes_with(g, node, before, count))
            break;
        node = any_operand(g, false);
    }
    return node;
}

static struct formula_node any_operation(struct generator *g, enum op op)
{
    struct formula_node node = {.kind = FORMULA_OP, .op = op, .count = operand_count(g, op)};
    size_t length;
    int spellings = 0;
    while (word_at(op_rows[op].spellings, spellings, &length))
        spellings++;
    node.spelling = chance(g, 3) ? below(g, spellings) : 0;
    for (int i = 0; i < node.count; i++)
        node.operands[i] = fitting_operand(g, node.operands, i);
    if ((op == OP_POW || op == OP_FPOW) && chance(g, 2))
        node.operands[1] = exponent_node(g);
    return node;
}

static struct formula_node any_conversion(struct generator *g)
{
    struct formula_node node = {.kind = chance(g, 4) ? FORMULA_WRAP : FORMULA_CAST, .count = 1};
    node.operands[0] = any_operand(g, true);
    node.dtype = any_dtype(g);
    return node;
}

/* What is wrong is taken back, with its new leaves. */
static bool try_node(struct generator *g, struct formula_node node, int before)
{
    struct formula *formula = &g->trial->formula;
    int elements = formula->element_count, index = add_node(g, node);
    if (settle(g, index)) {
        for (int i = 0; i < node.count; i++)
            g->uses[node.operands[i]]++;
        return true;
    }
    formula->count = before;
    formula->element_count = elements;
    return false;
}

/* A row that may divide by zero, or any. */
static enum op dividing_row(struct generator *g)
{
    for (;;) {
        enum op op = any_row(g);
        if (op_fault(op, WEFT_INT32))
            return op;
    }
}

/* The node as an arm of a selection; its new number, or the old one when that is an error. */
static int enclose(struct generator *g, int arm)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count;
    struct formula_node node = any_operation(g, OP_WHERE);
    node.operands[1 + below(g, 2)] = arm;
    return try_node(g, node, before) ? formula->count - 1 : arm;
}

/* What rule 4.4 is about: a quotient in arms of selections, nested ones too, and perhaps elsewhere. */
static bool grow_division(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count;
    if (!try_node(g, any_operation(g, dividing_row(g)), before))
        return false;
    int node = formula->count - 1;
    for (int i = below(g, 4); i > 0 && formula->count + 12 < FORMULA_NODES; i--)
        node = enclose(g, node);
    if (chance(g, 4))
        g->uses[before] = 0;
    return true;
}

/* The same operation once more: what is equal is computed once, and where it stands must not count. */
static bool grow_copy(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int at = below(g, formula->count), before = formula->count;
    return formula->nodes[at].count > 0 && try_node(g, formula->nodes[at], before);
}

/* An input whose shapes go with a node's. */
static void add_input(struct generator *g, const struct extents *const *envelopes);

/* A view; and where it makes a new shape, often an input that goes with it. */
static bool grow_view(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    const struct extents *shapes[FORMULA_SAMPLES];
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 1, .view = formula->view_count};
    int before = formula->count;
    if (formula->view_count == FORMULA_VIEWS)
        return false;
    node.operands[0] = any_operand(g, true);
    for (int s = 0; s < g->trial->samples; s++)
        shapes[s] = &g->shapes[s][node.operands[0]];
    formula->views[formula->view_count++] = view_any(&g->detail, shapes, g->trial->samples);
    node.dtype = any_dtype(g);
    if (!try_node(g, node, before)) {
        formula->view_count--;
        return false;
    }
    for (int s = 0; s < g->trial->samples; s++)
        shapes[s] = &g->shapes[s][formula->count - 1];
    if (formula->input_count < FORMULA_INPUTS && chance(g, 2))
        add_input(g, shapes);
    return true;
}

static void grow(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count, elements = formula->element_count;
    if (g->limits->views && chance(g, g->viewing ? 5 : 60) && grow_view(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (chance(g, 7) && try_node(g, any_conversion(g), before))
        return;
    if ((chance(g, 16) && grow_division(g)) || (chance(g, 16) && grow_copy(g)))
        return;
    formula->count = before;
    formula->element_count = elements;
    for (;;) {
        enum op op = any_row(g);
        for (int attempt = 0; attempt < 8; attempt++) {
            formula->count = before;
            formula->element_count = elements;
            if (try_node(g, any_operation(g, op), before))
                return;
        }
    }
}

/* ---- results ---- */

static void add_result(struct generator *g, int node)
{
    struct formula *formula = &g->trial->formula;
    if (formula->result_count == 12)
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

static void add_input(struct generator *g, const struct extents *const *envelopes)
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
    int64_t most = any_volume(g);
    g->most = 4 * most;
    g->viewing = chance(g, 5);
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
    struct generator g = {.stream = {stream_bits(&form)}, .detail = {stream_bits(&detail)}, .trial = trial,
                          .arena = arena, .limits = limits};
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
    for (int i = below(&g, 4); i >= 0; i--)
        add_input(&g, envelopes);
    for (int i = 0; i < operations && formula->count + 12 < FORMULA_NODES; i++)
        grow(&g);
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
