/* What is read as neighbours again and again (section 10), or between its elements (rule 12.4): a 3 x 3 of a 3 x 3 of a
 * 3 x 3 is 729 evaluations of what lies below. So is what many reductions join: the n-th of a chain `t = t / sum(t)` is
 * n divisions. A value whose evaluations together cost more than storing and loading it is stored, over its own shape,
 * by a kernel of its own, once; so is one that a kernel has not maps enough to evaluate. The decision goes from the
 * results down: what is stored is evaluated once. */
#include "compiler/ir/temporaries.h"

#include "compiler/check/check.h"
#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/reduce_impl.h"
#include "compiler/ir/split.h"

enum { MOST_WEIGHT = 1 << 20 };

/* Of each node. */
struct evaluations {
    int64_t *weight;               /* of computing one element, with all below */
    int64_t *plain, *moved;        /* how often it is evaluated for an element of the results: by those that read it
                                      where they are (the most), and as a neighbour (their sum) */
    int64_t *orders;               /* under how many maps it is read, about */
    int64_t *inlined, *joined;     /* in how many kernels it is evaluated, about: as a part of other values (the most),
                                      and as what a reduction joins (their sum) */
    bool *faults;                  /* it may make a remark, which counts only where it is used */
    bool *apart;                   /* kernels that read it do not take turns by its rows */
    bool *seen;                    /* it is read otherwise than element by element: under a view, reduced, stretched */
};

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

static bool is_sample(const struct lowering *l, const struct node *node)
{
    return node->kind == NODE_TAKE && l->program->views[node->view].kind == VIEW_SAMPLE;
}

static bool is_stencil(const struct lowering *l, const struct node *node)
{
    return node->kind == NODE_CORRELATE || is_sample(l, node) ||
           (node->kind == NODE_VIEW && view_is_neighbour(l->program->views[node->view].kind));
}

/* Whether a value is in a temporary whatever is decided here. */
static bool is_there(const struct node *node)
{
    return node_is_reduced(node) || node->kind == NODE_POSITION || node->kind == NODE_SCATTER;
}

/* Along how many axes sample reads between elements. */
static int count_sampled(const struct lowering *l, const struct node *node)
{
    const struct shape *positions = l->shapes[l->program->operands[node->operands + 1]];
    const struct numbers *axes = &l->program->views[node->view].axes;
    return axes->given ? axes->count : (int)positions->extents[positions->rank - 1];
}

/* How many neighbours the node reads for each element. */
static int64_t count_neighbours(const struct lowering *l, const struct node *node)
{
    int64_t count = 0;
    if (is_sample(l, node))
        return INT64_C(1) << count_sampled(l, node);
    if (node->kind != NODE_CORRELATE)
        return 1;
    const struct node *k = named_node(l->program, operand_node(l->program, node, 1));
    if (k->kind != NODE_ARRAY)
        return shape_volume(l->shapes[l->program->operands[node->operands + 1]]);
    for (int i = 0; i < k->operand_count; i++)
        count += literal_number(&operand_node(l->program, k, i)->literal) != 0;
    return count;
}

/* Under how many maps the coordinates of a sample are read: those along each axis alone. 1 of other nodes. */
static int64_t count_coordinates(const struct lowering *l, const struct node *node)
{
    return is_sample(l, node) ? 2 * count_sampled(l, node) + 2 : 1;
}

/* ---- from the inputs up ---- */

static int64_t own_weight(const struct lowering *l, const struct node *node)
{
    switch (node->kind) {
    case NODE_OP: return op_weight(node->op, operand_dtype(l->program, node));
    case NODE_CAST: case NODE_WRAP: case NODE_JOIN: return 2;
    default: return 0;
    }
}

static bool may_fault(const struct lowering *l, const struct node *node)
{
    if (node->kind == NODE_TAKE) {
        const struct view_args *args = &l->program->views[node->view];
        return args->kind == VIEW_TAKE || !gather_mode(args, 0);
    }
    if (node->kind != NODE_OP)
        return false;
    const struct node *divisor = operand_node(l->program, node, node->operand_count - 1);
    const bool known = divisor->literal.kind != LITERAL_NONE && !divisor->number;
    return op_fault(node->op, operand_dtype(l->program, node)) && !known;
}

/* Whether an operand has so few elements that a kernel of its own computes it (materialize.c). */
static bool is_hoisted(const struct lowering *l, int n, int operand)
{
    const struct shape *own = l->shapes[n], *from = l->shapes[operand];
    return shape_known(own) && shape_known(from) && shape_volume(from) <= shape_volume(own) / MATERIALIZE_RATIO;
}

static void weigh(const struct lowering *l, int n, struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const struct symbol *symbol = node->kind == NODE_NAME ? &l->program->symbols[node->symbol] : NULL;
    const bool there = is_there(node) || node->literal.kind != LITERAL_NONE;
    int64_t weight = own_weight(l, node);
    e->faults[n] = !there && may_fault(l, node);
    for (int i = 0; !there && i < node->operand_count; i++) {
        const int operand = l->program->operands[node->operands + i];
        weight += is_hoisted(l, n, operand) ? 0 : e->weight[operand];
        e->faults[n] = e->faults[n] || e->faults[operand];
    }
    if (symbol && symbol->kind == SYMBOL_BINDING) {
        weight = e->weight[symbol->node];
        e->faults[n] = e->faults[symbol->node];
    }
    if (node->kind == NODE_CORRELATE || is_sample(l, node))
        weight = at_most(count_neighbours(l, node), MOST_WEIGHT) * (at_most(weight, MOST_WEIGHT) + 2);
    e->weight[n] = there ? 0 : at_most(weight, MOST_WEIGHT);
}

/* ---- from the results down ---- */

/* Whether a reduction's tiles have whole points, which are rows of its operand, so that its kernel takes turns with
 * others over these rows. Of shorter ones results lie side by side in its loop (temporaries.c). */
static bool joins_rows(const struct lowering *l, const struct node *node)
{
    const struct shape *shape = l->shapes[l->program->operands[node->operands]];
    const uint32_t set = reduced_set(&l->program->reductions[node->reduction], shape->rank);
    int64_t points = 1, elements = 1;
    int d = 0;
    if (!shape_known(shape) || node->kind != NODE_REDUCE)
        return false;
    for (; d < shape->rank && !(set >> d & 1); d++)
        points *= shape->extents[d];
    for (; d < shape->rank && set >> d & 1; d++)
        elements *= shape->extents[d];
    if (d < shape->rank || points < 2 || elements < SHORT_LEAST)
        return false;
    const struct lane_tiles tiles = deal_tiles(points, elements, 1, true, false).tiles;
    return tiles.windows * tiles.chunks == 1;
}

static bool has_batches(const struct lowering *l)
{
    bool any = false;
    for (int i = 0; l->batches && i < l->program->input_count; i++)
        any = any || l->batches[i];
    return any;
}

/* Whether all of the value stays in a cache until it is used. */
static bool is_small(const struct lowering *l, int n)
{
    return shape_volume(l->shapes[n]) <= KERNELS_NEAR / type_rows[l->program->nodes[n].dtype].size;
}

/* Whether what is stored of the value is read in the order in which it is computed, and stays in a cache until then. */
static bool stays_near(const struct lowering *l, int n, const struct evaluations *e)
{
    const bool turns = l->fast & FAST_CHAIN && !l->apart && e->joined[n] && !e->apart[n] && !has_batches(l);
    return l->joiner == JOIN_TILES && shape_known(l->shapes[n]) && lies_in_rows(l, n) && (turns || is_small(l, n));
}

/* Whether a value is worth storing that kernels evaluate again for so much weight. */
static bool pays_in_kernels(const struct lowering *l, int n, int64_t elements, int64_t weight,
                            const struct evaluations *e)
{
    return weight >= KERNELS_WEIGHT ||
           (weight >= KERNELS_WEIGHT_NEAR && stays_near(l, n, e) &&
            elements >= 2 * l->launch / at_most(weight, MOST_WEIGHT));
}

/* Whether a kernel that read the value, and what lies below it, would have too many maps. */
static bool has_many_maps(const struct lowering *l, const struct node *node, int64_t orders, int64_t below)
{
    if (l->most_orders == MOST_ORDERS)
        return orders > 1 && is_stencil(l, node) && below > MOST_ORDERS;
    return orders > l->most_orders && node->kind != NODE_ARRAY && node->literal.kind == LITERAL_NONE && !is_there(node);
}

/* Decides of one value. */
static struct neighbours decide(const struct lowering *l, int n, const struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const int64_t maps = count_neighbours(l, node) + count_coordinates(l, node);
    struct neighbours all = {.node = n, .fate = STORED_HEAVY, .evaluations = e->plain[n] + e->moved[n],
                             .maps = e->orders[n] * at_most(maps, MOST_WEIGHT)};
    const struct shape *shape = l->shapes[n];
    all.elements = shape_known(shape) ? shape_volume(shape) : -1;
    all.more = (all.evaluations - 1) * e->weight[n];
    const int64_t in_kernels = (e->inlined[n] + e->joined[n] - 1) * e->weight[n];
    if (e->faults[n])
        all.fate = AGAIN_REMARKS;
    else if (has_many_maps(l, node, e->orders[n], all.maps))
        all.fate = STORED_MAPS;
    else if (pays_in_kernels(l, n, all.elements, in_kernels, e))
        all.fate = STORED_KERNELS, all.more = in_kernels;
    else if (!e->moved[n] || all.more < NEIGHBOUR_WEIGHT)
        all.fate = AGAIN_LIGHT;
    else if (all.elements >= 0 && all.elements < l->launch / at_most(all.more, MOST_WEIGHT) + 1)
        all.fate = AGAIN_SMALL;
    return all;
}

/* Decides, and notes it where there is something to decide. Returns whether the value is stored. */
static bool worth_storing(const struct lowering *l, int n, const struct evaluations *e)
{
    struct kernel_program *kernels = l->kernels;
    if (l->program->nodes[n].kind == NODE_NAME)
        return false;
    if (is_wide_join(l, n) && !e->faults[n])
        return true;
    const struct neighbours all = decide(l, n, e);
    if (all.fate == STORED_MAPS || (e->moved[n] && e->weight[n] && all.evaluations > 1))
        ARENA_PUSH(l->arena, kernels->neighbours, kernels->neighbour_count, all);
    return all.fate >= STORED_HEAVY;
}

/* Whether a value that is stored is only worth it where kernels take turns by its rows. */
static bool needs_turns(const struct lowering *l, int n, const struct evaluations *e)
{
    return shape_known(l->shapes[n]) && !is_small(l, n) && stays_near(l, n, e) &&
           decide(l, n, e).fate == STORED_KERNELS &&
           (e->inlined[n] + e->joined[n] - 1) * e->weight[n] < KERNELS_WEIGHT;
}

/* How often each element of the first operand is read as a neighbour, where the node is evaluated so often. The
 * elements around coordinates may be few of many, or the same again and again. */
static int64_t count_reads(const struct lowering *l, const struct node *node, int64_t count)
{
    const struct shape *own = l->shapes[node - l->program->nodes];
    const struct shape *from = l->shapes[l->program->operands[node->operands]];
    const int64_t reads = at_most(count * at_most(count_neighbours(l, node), MOST_WEIGHT), MOST_WEIGHT);
    if (!is_sample(l, node))
        return reads;
    if (!shape_known(own) || !shape_known(from) || !shape_volume(from))
        return 0;
    const double each = (double)reads * (double)shape_volume(own) / (double)shape_volume(from);
    return each < MOST_WEIGHT ? (int64_t)each : MOST_WEIGHT;
}

/* Whether all elements of an operand are evaluated for a value that is computed of it. */
static bool reads_all(const struct lowering *l, const struct node *node, int operand)
{
    const struct shape *own = l->shapes[node - l->program->nodes], *from = l->shapes[operand];
    return shape_known(own) && shape_known(from) ? shape_volume(own) >= shape_volume(from) : own->rank >= from->rank;
}

/* Passes down whether kernels that read an operand may take turns by its rows. */
static void pass_rows(const struct lowering *l, int n, int operand, bool stored, struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const bool casts = node->kind == NODE_CAST || node->kind == NODE_WRAP, plain = casts || node->kind == NODE_OP;
    const bool same = plain && shapes_equal(l->shapes[operand], l->shapes[n]) && (stored || !e->apart[n]);
    const bool reads = node->kind != NODE_COUNT && (!casts || operand == l->program->operands[node->operands]);
    if (reads)                     /* not the shape or the type alone */
        e->apart[operand] = e->apart[operand] || (node_is_reduced(node) ? !joins_rows(l, node) : !same);
}

/* Passes down in how many kernels an operand is evaluated. */
static void pass_kernels(const struct lowering *l, int n, int operand, bool stored, struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const bool apart = stored || is_there(node) || !reads_all(l, node, operand);
    const int64_t kernels = apart ? 1 : e->inlined[n] + e->joined[n];
    if (node_is_reduced(node) && node->kind != NODE_COUNT)
        e->joined[operand]++;
    else if (e->inlined[operand] < kernels)
        e->inlined[operand] = kernels;
}

/* The space of a correlate's operand with what lies around it. */
static struct shape around(const struct lowering *l, const struct node *node)
{
    const struct shape *k = l->shapes[l->program->operands[node->operands + 1]];
    struct shape shape = *l->shapes[l->program->operands[node->operands]];
    int at[WEFT_MAX_RANK];
    const int count = neighbour_axes(&l->views[node->view], shape.rank, k->rank, at);
    for (int i = 0; i < count && !l->views[node->view].modes.valid; i++)
        shape.extents[at[i]] = extent_by(l->open, EXTENT_AROUND, shape.extents[at[i]], k->extents[i] - 1);
    return shape;
}

/* Whether a correlate's operand may be stored. */
static bool may_be_stored(const struct lowering *l, const struct node *node, const struct evaluations *e)
{
    return node->kind == NODE_CORRELATE && l->joiner == JOIN_TILES &&
           !e->faults[l->program->operands[node->operands]] && count_neighbours(l, node);
}

/* Whether a correlate may be computed of its operand with what lies around it. */
static bool may_have_border(const struct lowering *l, const struct node *node, const struct evaluations *e)
{
    return !l->open && may_be_stored(l, node, e) && !l->views[node->view].modes.valid && l->fast & FAST_SPLIT;
}

/* Whether a kernel of all terms slides (slide.h), and so is faster than a loop over them: k has several rows of several
 * elements, the result is no small one, and no products of integers are added in pairs (weigh_c.h). */
static bool would_slide(const struct lowering *l, const struct node *node)
{
    const struct shape *k = l->shapes[l->program->operands[node->operands + 1]],
                       *x = l->shapes[l->program->operands[node->operands]];
    int several = 0;
    for (int d = 0; d < k->rank; d++)
        several += k->extents[d] > 2;
    return several > 1 && dtype_is_float(node->dtype) && !l->open && (l->fast & FAST_SLIDE) && (l->fast & FAST_SPLIT) &&
           shape_volume(x) >= NEAR_PART;
}

/* From how many terms on a loop goes over them. */
static int64_t least_looped(const struct lowering *l, const struct node *node)
{
    if (dtype_is_integer(node->dtype) && sums_are_narrow(l->program, node))
        return LOOPED_NARROW;
    return would_slide(l, node) ? LOOPED_SLIDING : LOOPED_LEAST;
}

/* Whether a correlate's terms are so many that a loop goes over them, which reads the operand with what lies around it.
 * Notes it. */
static bool worth_a_loop(const struct lowering *l, int n, const struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    if (!(l->fast & FAST_WEIGH) || !may_be_stored(l, node, e) || count_neighbours(l, node) < least_looped(l, node) ||
        !weights_are_known(l->program, node))
        return false;
    const struct shape space = around(l, node);
    const int operand = l->program->operands[node->operands];
    if (shape_known(&space) && shape_volume(&space) < 1)
        return false;
    const struct neighbours all = {.node = operand, .fate = STORED_LOOPED, .evaluations = count_neighbours(l, node),
                                   .more = least_looped(l, node)};
    ARENA_PUSH(l->arena, l->kernels->neighbours, l->kernels->neighbour_count, all);
    return true;
}

/* Whether a correlate's operand is stored with what lies around it: where the edges of the result would be so many
 * parts, or such small ones, that it is not split, and all of it would be found by number. Notes it. */
static bool worth_a_border(const struct lowering *l, int n, const struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    if (!may_have_border(l, node, e))
        return false;
    const int operand = l->program->operands[node->operands];
    const struct shape *k = l->shapes[l->program->operands[node->operands + 1]], space = around(l, node);
    const int64_t volume = shape_volume(l->shapes[operand]), parts = shape_volume(k), more = shape_volume(&space);
    const int64_t count = count_neighbours(l, node), found = count * found_weight(&space);
    const int64_t most = at_most(count / 2, BORDER_MOST); /* times the operand's elements */
    if ((parts <= MOST_PARTS && volume / parts >= LEAST_PART) || volume <= l->launch / found || more < 0 ||
        more / volume >= most)
        return false;
    const struct neighbours all = {.node = operand, .fate = parts > MOST_PARTS ? STORED_BORDER : STORED_SMALL_BORDER,
                                   .evaluations = count, .more = parts, .elements = volume};
    ARENA_PUSH(l->arena, l->kernels->neighbours, l->kernels->neighbour_count, all);
    return true;
}

/* What storing and loading a byte of an element takes, where they are so many in all. */
static int64_t byte_weight(int64_t bytes)
{
    return bytes < BYTES_NEAR ? BYTE_WEIGHT_NEAR : bytes < BYTES_FAR ? BYTE_WEIGHT : BYTE_WEIGHT_FAR;
}

/* Whether a correlate of integers is summed along its last dimensions first, where its array literal is an outer
 * product. Both sums read what is stored. Notes it. */
static bool worth_sums(const struct lowering *l, int n, bool bordered, const struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const struct lower_params params = lower_params(l);
    const struct factors *factors = l->fast & FAST_SEPARATE && may_have_border(l, node, e)
                                        ? find_factors(l->arena, &params, node) : NULL;
    if (!factors)
        return false;
    const struct shape space = around(l, node);
    const int64_t volume = shape_volume(l->shapes[n]), more = shape_volume(&space);
    const int64_t count = count_neighbours(l, node), saved = 2 * (count - factors->terms);
    if (saved <= 0)
        return false;
    const enum weft_dtype operand = l->program->nodes[l->program->operands[node->operands]].dtype;
    const int64_t bytes = type_rows[operand].size + type_rows[factors->dtype].size;
    const int64_t weight = byte_weight(at_most(volume, INT64_C(1) << 40) * bytes);
    const bool pays = saved >= weight * (bytes - (bordered ? type_rows[operand].size : 0)) &&
                      volume > 2 * l->launch / saved && more >= 0 && more / 2 <= volume;
    const struct neighbours all = {.node = n, .fate = pays ? STORED_SUMS : AGAIN_SUMS, .evaluations = count,
                                   .more = factors->terms};
    l->reduced[n].factors = factors;
    ARENA_PUSH(l->arena, l->kernels->neighbours, l->kernels->neighbour_count, all);
    return pays;
}

/* Passes down what is read otherwise than element by element. A value that is stored begins anew. */
static void pass_seen(const struct lowering *l, int n, bool stored, struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const struct symbol *symbol = node->kind == NODE_NAME ? &l->program->symbols[node->symbol] : NULL;
    const bool plain = node->kind == NODE_OP || node->kind == NODE_CAST || node->kind == NODE_WRAP;
    const bool seen = (e->seen[n] && !stored) || !plain;
    if (symbol && symbol->kind == SYMBOL_BINDING)
        e->seen[symbol->node] = e->seen[symbol->node] || e->seen[n];
    for (int i = 0; i < node->operand_count; i++) {
        const int operand = l->program->operands[node->operands + i];
        e->seen[operand] = e->seen[operand] || seen || !shapes_equal(l->shapes[operand], l->shapes[n]);
    }
}

static void pass_down(const struct lowering *l, int n, int stored, struct evaluations *e)
{
    const struct node *node = &l->program->nodes[n];
    const struct symbol *symbol = node->kind == NODE_NAME ? &l->program->symbols[node->symbol] : NULL;
    /* other kernels go over what is below */
    const bool apart = stored & STORE_VALUE || is_there(node);
    const int64_t count = apart ? 1 : at_most(e->plain[n] + e->moved[n], MOST_WEIGHT);
    const int64_t orders = apart ? 1 : e->orders[n];
    if (symbol && symbol->kind == SYMBOL_BINDING) {
        if (e->orders[symbol->node] < orders)
            e->orders[symbol->node] = orders;
        e->moved[symbol->node] = at_most(e->moved[symbol->node] + e->moved[n], MOST_WEIGHT);
        if (e->plain[symbol->node] < e->plain[n])
            e->plain[symbol->node] = e->plain[n];
        e->joined[symbol->node] += e->joined[n];
        e->apart[symbol->node] = e->apart[symbol->node] || e->apart[n];
        if (e->inlined[symbol->node] < e->inlined[n])
            e->inlined[symbol->node] = e->inlined[n];
    }
    for (int i = 0; i < node->operand_count; i++) {
        const int operand = l->program->operands[node->operands + i];
        const int64_t maps = i > 0 ? count_coordinates(l, node)
                                   : is_stencil(l, node) ? count_neighbours(l, node) : 1;
        const int64_t below = at_most(orders * at_most(maps, MOST_WEIGHT), MOST_WEIGHT);
        pass_kernels(l, n, operand, stored & STORE_VALUE, e);
        pass_rows(l, n, operand, stored & STORE_VALUE, e);
        if (i == 0 && stored & STORE_BORDER)
            e->orders[operand] += e->orders[operand] < MOST_WEIGHT;
        else if (maps > 1)         /* uses as they are share a map */
            e->orders[operand] = at_most(e->orders[operand] + below, MOST_WEIGHT);
        else if (e->orders[operand] < below)
            e->orders[operand] = below;
        if (i == 0 && is_stencil(l, node))
            e->moved[operand] = at_most(e->moved[operand] + (stored & STORE_BORDER ? 1 : count_reads(l, node, count)),
                                        MOST_WEIGHT);
        else if (e->plain[operand] < count)
            e->plain[operand] = count;
    }
}

unsigned char *find_stored(const struct lowering *l, const bool *needed)
{
    const int count = l->program->node_count;
    int64_t *room = ARENA_ARRAY(l->arena, int64_t, 6 * (size_t)count + 1);
    struct evaluations e = {.faults = ARENA_ARRAY(l->arena, bool, count + 1),
                            .apart = ARENA_ARRAY(l->arena, bool, count + 1),
                            .seen = ARENA_ARRAY(l->arena, bool, count + 1)};
    int64_t **const numbers[] = {&e.weight, &e.plain, &e.moved, &e.orders, &e.inlined, &e.joined};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = room + i * (size_t)count;
    unsigned char *stored = ARENA_ARRAY(l->arena, unsigned char, count + 1);
    for (int n = 0; n < count; n++)
        if (needed[n])
            weigh(l, n, &e);
    for (int r = 0; r < l->program->result_count; r++)
        if (!l->taken || l->taken[r])
            e.plain[l->program->results[r].node] = e.orders[l->program->results[r].node] =
                e.inlined[l->program->results[r].node] = 1;
    for (int n = count - 1; n >= 0; n--) {
        if (!needed[n])
            continue;
        const bool bordered = worth_a_border(l, n, &e), summed = worth_sums(l, n, bordered, &e);
        const bool looped = !summed && worth_a_loop(l, n, &e), value = worth_storing(l, n, &e) || (looped && e.seen[n]);
        stored[n] = (unsigned char)((value ? STORE_VALUE : 0) | (bordered || summed || looped ? STORE_BORDER : 0) |
                                    (summed ? STORE_SUMS : 0) | (looped ? STORE_LOOPED : 0) |
                                    (value && needs_turns(l, n, &e) ? STORE_TURNS : 0));
        pass_down(l, n, stored[n], &e);
        pass_seen(l, n, value, &e);
    }
    return stored;
}

bool any_to_store(const struct lowering *l)
{
    bool any = false;
    for (int n = 0; n < l->program->node_count; n++)
        any = any || is_stencil(l, &l->program->nodes[n]) || is_wide_join(l, n);
    return any;
}

/* Adds the kernel that stores a value over its space. Returns the temporary, or -1. */
static int store(struct lowering *l, struct lowered_value value)
{
    const enum weft_dtype dtype = value.part == PART_LOW ? WEFT_UINT64 : value.dtype;
    value.sought = value.positions = -1;
    value.temporary = add_temporary(l->kernels, dtype, value.space);
    const struct lower_params params = lower_params(l);
    struct kernel *kernel = lower_value(l->arena, &params, &value);
    if (kernel)
        add_kernel(l->kernels, (struct program_kernel){.kernel = kernel, .space = value.space});
    return kernel ? value.temporary : -1;
}

int store_as(struct lowering *l, int n, enum weft_dtype dtype)
{
    return store_part(l, n, NULL, dtype, PART_ALL);
}

int store_part(struct lowering *l, int n, const struct node *like, enum weft_dtype dtype, enum value_part part)
{
    const struct shape *space = l->shapes[n];
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, space->rank + 1);
    for (int d = 0; d < space->rank; d++)
        axes[d] = (struct axis){d, {.step = 1}, EDGE_VALUE};
    return store(l, (struct lowered_value){.node = n, .dtype = dtype, .like = like, .part = part, .space = space,
                                            .axes = axes});
}

static bool same_value(const struct program *program, int a, int b)
{
    const struct node *x = named_node(program, &program->nodes[a]), *y = named_node(program, &program->nodes[b]);
    return x == y || (x->kind == NODE_NAME && y->kind == NODE_NAME && x->symbol == y->symbol && x->dtype == y->dtype);
}

/* Whether two correlates read the same neighbours of one value. */
static bool same_border(const struct lowering *l, const struct node *a, const struct node *b)
{
    const int *in_a = &l->program->operands[a->operands], *in_b = &l->program->operands[b->operands];
    const int rank = l->shapes[in_a[0]]->rank, last = l->shapes[in_a[1]]->rank;
    int at_a[WEFT_MAX_RANK], at_b[WEFT_MAX_RANK];
    if (!same_value(l->program, in_a[0], in_b[0]) || !shapes_equal(l->shapes[in_a[1]], l->shapes[in_b[1]]))
        return false;
    if (l->views[a->view].modes.valid != l->views[b->view].modes.valid)
        return false;
    const int count = neighbour_axes(&l->views[a->view], rank, last, at_a);
    neighbour_axes(&l->views[b->view], rank, last, at_b);
    for (int i = 0; i < count; i++) {
        const struct mode *x = neighbour_mode(&l->views[a->view], i), *y = neighbour_mode(&l->views[b->view], i);
        if (at_a[i] != at_b[i] || x->edge != y->edge ||
            (x->edge == EDGE_VALUE && (x->number >= 0 || y->number >= 0)))
            return false;
    }
    return true;
}

/* Whether two correlates read the same neighbours as the same type. */
static bool share_border(const struct lowering *l, int n, int m)
{
    const struct node *a = &l->program->nodes[n], *b = &l->program->nodes[m];
    return l->reduced[m].border >= 0 && l->reduced[m].looped == l->reduced[n].looped &&
           (!l->reduced[n].looped ||
            (a->dtype == b->dtype && weighed_dtype(l->program, a) == weighed_dtype(l->program, b))) &&
           same_border(l, a, b);
}

bool store_border(struct lowering *l, int n, bool looped)
{
    const struct node *node = &l->program->nodes[n];
    const int operand = l->program->operands[node->operands];
    const struct shape space = around(l, node);
    l->reduced[n].looped = looped;
    for (int m = 0; m < n && l->reduced[n].border < 0; m++)
        if (share_border(l, n, m))
            l->reduced[n].border = l->reduced[m].border;
    if (l->reduced[n].border >= 0)
        return true;
    const enum weft_dtype dtype = looped ? weighed_dtype(l->program, node) : l->program->nodes[operand].dtype;
    const int temporary = store(l, (struct lowered_value){.node = operand, .dtype = dtype,
                                                          .space = arena_copy(l->arena, &space, sizeof space),
                                                          .around = node});
    l->reduced[n].border = temporary;
    return temporary >= 0;
}

/* Stores where terms are, which only the call knows. */
static bool store_runs(struct lowering *l, int n)
{
    const struct lower_params params = lower_params(l);
    const int64_t count = count_runs(l->arena, &params, &l->program->nodes[n]);
    l->reduced[n].runs = store(l, (struct lowered_value){.node = n, .dtype = WEFT_INT64, .runs = &l->program->nodes[n],
                                                         .space = shape_new(l->arena, 1, &count)});
    return l->reduced[n].runs >= 0;
}

bool store_weights(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const int k = l->program->operands[node->operands + 1];
    const struct shape *space = l->shapes[k];
    const bool backwards = l->views[node->view].kind == VIEW_CONVOLVE;
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, space->rank + 1);
    if (l->open && !store_runs(l, n))
        return false;
    if (named_node(l->program, &l->program->nodes[k])->kind == NODE_ARRAY)
        return true;
    for (int d = 0; d < space->rank; d++)
        axes[d] = (struct axis){d, {backwards ? space->extents[d] - 1 : 0, 0, backwards ? -1 : 1, true, false},
                                EDGE_VALUE};
    l->reduced[n].weights = store(l, (struct lowered_value){.node = k, .dtype = weighed_dtype(l->program, node),
                                                            .space = space, .axes = axes, .weights = node});
    return l->reduced[n].weights >= 0;
}

bool store_sums(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const struct factors *factors = l->reduced[n].factors;
    const struct shape *k = l->shapes[l->program->operands[node->operands + 1]];
    struct shape *space = arena_copy(l->arena, l->shapes[n], sizeof *space);
    int at[WEFT_MAX_RANK];
    neighbour_axes(&l->views[node->view], space->rank, k->rank, at);
    for (int i = 0; i < factors->split; i++)
        space->extents[at[i]] += k->extents[i] - 1;
    const int sums = store(l, (struct lowered_value){.node = n, .dtype = factors->dtype, .space = space, .sums = node});
    if (sums >= 0)
        l->kernels->temporaries[sums].within = factors->range;
    l->reduced[n].sums = sums;
    return sums >= 0;
}

bool store_value(struct lowering *l, int n, bool turns)
{
    if (is_wide_join(l, n))
        return store_wide_join(l, n);
    const int temporary = store_as(l, n, l->program->nodes[n].dtype);
    if (temporary < 0)
        return false;
    l->kernels->temporaries[temporary].turns = turns;
    l->reduced[n].temporary = temporary;
    l->reduced[n].stored = true;
    return true;
}
