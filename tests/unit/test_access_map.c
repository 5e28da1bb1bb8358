/* Access maps against their meaning: for every element of an iteration space, what a kernel finds by geometry and
 * tables, as templates/kernel/args.h says, is what following random chains of views, selections, bounded
 * selections and steps that go round finds, position by position. Steps are made from the iteration space downwards. */
#include "tests/unit/front.h"

#include "compiler/ir/ir.h"
#include "compiler/loop/geometry.h"

#include <string.h>

enum { LOADS = 3, STEPS = 6, RANK = 5, MOST = 4000, SIZE = 4, NOWHERE = 1000000000 };

static uint64_t seed = 1;

static int below(int bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)bound);
}

/* ---- random chains ---- */

enum map_step_kind { RESHAPE, SELECT, BOUNDED, ROUND, STEP_KINDS };

/* A step as the test knows it: where the slices begin and how they go is written here a second time. */
struct map_step {
    enum map_step_kind kind;
    struct shape from, to;
    struct axis axes[2 * RANK];    /* of `to` */
    int64_t first[2 * RANK], by[2 * RANK];
    int apart;                     /* ROUND: the dimension that gets another extent; -1: all are shifted */
    int64_t value;
};

struct chain {
    struct map_step steps[STEPS];
    int count;
    struct shape tensor;           /* what is broadcast to the last step's `to`, or to the iteration space */
    int64_t strides[2 * RANK];
};

static struct shape random_shape(int zeros)
{
    struct shape shape = {.rank = below(RANK + 1)};
    for (int d = 0; d < shape.rank; d++) {
        shape.extents[d] = below(4) ? 1 + below(7) : 1;
        if (shape_volume(&shape) > 600)
            shape.extents[d] = 1;
    }
    if (zeros && shape.rank)
        shape.extents[below(shape.rank)] = 0;
    return shape;
}

/* Something that is broadcast to the shape. */
static struct shape shrunk(const struct shape *shape)
{
    int skip = below(4) ? 0 : below(shape->rank + 1);
    struct shape out = {.rank = shape->rank - skip};
    for (int d = 0; d < out.rank; d++)
        out.extents[d] = below(5) ? shape->extents[skip + d] : 1;
    return out;
}

/* Some shape of as many elements. */
static struct shape factored(const struct shape *shape)
{
    struct shape out = {.rank = 1 + below(RANK)};
    int64_t volume = shape_volume(shape);
    for (int d = 0; d < out.rank; d++)
        out.extents[d] = volume ? 1 : below(4);
    if (!volume)
        out.extents[below(out.rank)] = 0;
    for (int64_t f = 2; volume > 1; f++)
        for (; volume % f == 0; volume /= f)
            out.extents[below(out.rank)] *= f;
    return out;
}

/* A slice of `count` elements, written in one of the ways there are; the extent that it is taken of. */
static int64_t random_slice(int64_t count, struct slice *slice, int64_t *first, int64_t *by)
{
    const int64_t step = below(3) ? 1 : 1 + below(3), around = below(3);
    *slice = (struct slice){.step = *by = below(3) ? step : -step};
    if (count == 0) {
        slice->has_start = slice->has_stop = true;
        slice->start = slice->stop = below(3);
        return below(6);
    }
    const int64_t reach = (count - 1) * step, start = below(2) ? 0 : below(3);
    const int64_t extent = start + reach + 1 + (below(2) ? 0 : around);
    *first = *by > 0 ? start : start + reach;
    const int64_t end = (*by > 0 ? start + reach : start) + (*by > 0 ? 1 : -1); /* behind the last one */
    slice->has_start = *first != (*by > 0 ? 0 : extent - 1) || below(2);
    slice->start = below(2) ? *first : *first - extent;
    slice->has_stop = *by > 0 ? end + step <= extent || below(2) : end - step >= -1 || (end >= 0 && below(2));
    slice->stop = end;
    if (*by < 0 && end < 0)
        slice->stop = -extent - 1 - below(2);
    else if (end < extent && below(2))
        slice->stop = end - extent;
    return extent;
}

/* One that may go beyond what is there. */
static int64_t random_bounds(int64_t count, struct slice *slice, int64_t *first, int64_t *by)
{
    const int64_t reach = count > 0 ? count - 1 : 0;
    *by = below(2) ? 1 : below(7) - 3;
    *by += *by == 0;
    *first = below((int)reach + 6) - 3;
    if (*by < 0)
        *first += reach * below(3);
    *slice = (struct slice){.start = *first, .step = *by};
    const int64_t extent = below(8) ? 1 + below((int)reach + 4) : 0;
    if (below(4) == 0) { /* one that ends with the dimension */
        *slice = (struct slice){.step = *by = 1, .has_stop = true};
        *first = extent - count;
    }
    return extent;
}

/* Dimensions that go round: several by a shift, or one that has another extent, too. */
static void random_rounds(struct map_step *step)
{
    const bool shifts = step->from.rank == 0 || below(2);
    step->to = step->from;
    step->apart = shifts ? -1 : below(step->from.rank);
    for (int d = 0; d < step->from.rank; d++) {
        step->axes[d] = (struct axis){.from = d};
        step->first[d] = shifts ? below(30) - 15 : d == step->apart ? below(30) - 15 : 0;
        step->by[d] = 1;
        if (d == step->apart)
            step->to.extents[d] = 1 + below((int)step->from.extents[d] + 3);
    }
}

/* What the step reads: its dimensions in any order, and fixed indices between them. */
static void random_axes(struct map_step *step)
{
    const struct shape *from = &step->from;
    int order[WEFT_MAX_RANK], left = from->rank;
    bool plainly = below(4) == 0;
    for (int d = 0; d < left; d++)
        order[d] = d;
    step->to.rank = 0;
    while (left || (step->to.rank < RANK && below(4) == 0)) {
        int t = step->to.rank, at = left && below(4) == 0 ? below(left) : 0;
        struct axis *axis = &step->axes[t];
        int64_t extent = 0;
        if (left && from->extents[order[at]] == 1 && below(2)) { /* a new dimension */
            memmove(order + at, order + at + 1, (size_t)(--left - at) * sizeof *order);
            continue;
        }
        if (!left || (below(4) == 0 && t + left < 2 * RANK)) {
            extent = step->kind == BOUNDED ? below(4) : 1 + below(4);
            step->first[t] = step->kind == BOUNDED && below(4) == 0 ? below(9) - 3 : below((int)extent + !extent);
            *axis = (struct axis){.from = -1, .slice.start = step->first[t]};
            if (step->kind == SELECT && below(2))
                axis->slice.start -= extent;
        } else {
            axis->from = order[at];
            memmove(order + at, order + at + 1, (size_t)(--left - at) * sizeof *order);
            const int64_t count = from->extents[axis->from];
            extent = plainly ? count
                     : step->kind == SELECT ? random_slice(count, &axis->slice, &step->first[t], &step->by[t])
                                            : random_bounds(count, &axis->slice, &step->first[t], &step->by[t]);
            if (step->kind == BOUNDED && !plainly && step->by[t] == 1 && !axis->slice.has_stop && below(2))
                axis->edge = (enum edge)(1 + below(4));
            if (plainly) {
                axis->slice = (struct slice){.step = step->by[t] = 1};
                step->first[t] = 0;
            }
        }
        step->to.extents[step->to.rank++] = extent;
    }
}

/* A tensor's own extents or what it is stretched from, with gaps, backwards, or all in one place. */
static void random_tensor(const struct shape *last, struct chain *chain)
{
    int64_t dense = SIZE;
    chain->tensor = shrunk(last);
    for (int d = chain->tensor.rank - 1; d >= 0; d--) {
        chain->strides[d] = dense;
        dense *= chain->tensor.extents[d] + (chain->tensor.extents[d] == 0);
    }
    for (int d = 0; d < chain->tensor.rank && below(2); d++)
        chain->strides[d] = below(3) ? (below(60) - 25) * SIZE : 0;
}

static void random_chain(const struct shape *loop, struct chain *chain)
{
    const struct shape *last = loop;
    *chain = (struct chain){.count = 0};
    for (int steps = below(STEPS + 1); chain->count < steps;) {
        struct map_step *step = &chain->steps[chain->count];
        step->kind = (enum map_step_kind)(below(7) % STEP_KINDS);
        step->from = shrunk(last);
        step->value = NOWHERE + below(1000);
        if (step->kind == RESHAPE)
            step->to = factored(&step->from);
        else if (step->kind == ROUND)
            random_rounds(step);
        else
            random_axes(step);
        if (shape_volume(&step->to) > MOST)
            break;
        last = &step->to;
        chain->count++;
    }
    random_tensor(last, chain);
}

/* ---- the oracle ---- */

static void take_apart(const struct shape *shape, int64_t n, int64_t *position)
{
    for (int d = shape->rank - 1; d >= 0; n /= shape->extents[d--])
        position[d] = n % shape->extents[d];
}

static int64_t put_together(const struct shape *shape, const int64_t *position)
{
    int64_t n = 0;
    for (int d = 0; d < shape->rank; d++)
        n = n * shape->extents[d] + position[d];
    return n;
}

/* The position in what is broadcast to `to`. */
static void shrink(const struct shape *from, const struct shape *to, int64_t *position)
{
    int skip = to->rank - from->rank;
    for (int d = 0; d < from->rank; d++)
        position[d] = from->extents[d] == 1 ? 0 : position[d + skip];
}

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

/* Where a position outside leads that is not a value's. */
static int64_t folded(enum edge edge, int64_t position, int64_t extent)
{
    const int64_t twice = edge == EDGE_SYMMETRIC ? 2 * extent : 2 * extent - 2;
    if (edge == EDGE_CLAMP || twice == 0)
        return position < 0 ? 0 : position < extent ? position : extent - 1;
    if (edge == EDGE_WRAP)
        return modulo(position, extent);
    position = modulo(position, twice);
    return position < extent ? position : edge == EDGE_SYMMETRIC ? twice - 1 - position : twice - position;
}

/* Whether there is an element. */
static bool follow(const struct map_step *step, int64_t *position)
{
    int64_t there[2 * RANK] = {0};
    bool inside = true;
    if (step->kind == RESHAPE) {
        take_apart(&step->to, put_together(&step->from, position), position);
        return true;
    }
    for (int t = 0; t < step->to.rank; t++) {
        const int from = step->axes[t].from;
        there[t] = step->first[t] + (from < 0 ? 0 : position[from] * step->by[t]);
        if (step->kind == ROUND)
            there[t] = (there[t] % step->to.extents[t] + step->to.extents[t]) % step->to.extents[t];
        if (step->axes[t].edge && step->to.extents[t])
            there[t] = folded(step->axes[t].edge, there[t], step->to.extents[t]);
        inside = inside && there[t] >= 0 && there[t] < step->to.extents[t];
    }
    assert_true(inside || step->kind == BOUNDED);
    memcpy(position, there, sizeof there);
    return inside;
}

/* Bytes from the tensor's first element, or the value outside. */
static int64_t expected(const struct chain *chain, const struct shape *loop, int64_t n)
{
    int64_t position[2 * RANK] = {0}, offset = 0;
    const struct shape *last = loop;
    take_apart(loop, n, position);
    for (int k = 0; k < chain->count; k++) {
        const struct map_step *step = &chain->steps[k];
        shrink(&step->from, last, position);
        if (!follow(step, position))
            return step->value;
        last = &step->to;
    }
    shrink(&chain->tensor, last, position);
    for (int d = 0; d < chain->tensor.rank; d++)
        offset += position[d] * chain->strides[d];
    return offset;
}

/* ---- what a kernel does ---- */

/* The tables of args.h: mapped and bounded accesses. */
static int64_t looked_up(const long long *map, bool bounded, int64_t row, int64_t column)
{
    int64_t number = column, base = row;
    for (long long levels = *map++; levels > 0; levels--) {
        const long long count = *map++, place = *map++, outside = bounded ? *map++ : 0;
        assert_in_range(count, 1, MAX_PIECES);
        base += place;
        for (long long k = 0; k < count; k++) {
            const int64_t digit = k + 1 < count ? number % map[k] : number;
            number /= map[k];
            assert_true(digit >= 0);
            int64_t read = digit;
            const int64_t low = bounded ? map[2 * count + k] : 0, high = bounded ? map[3 * count + k] : 0;
            if (bounded && (digit < low || digit >= high)) {
                if (!map[4 * count + k])
                    return outside;
                read = low + folded((enum edge)map[4 * count + k], digit - low, high - low);
            }
            assert_true(digit < map[k]);
            base += read * map[count + k];
        }
        map += (bounded ? 5 : 2) * count;
        number = base;
        base = 0;
    }
    return number;
}

static int64_t found(const struct geometry *g, int a, int64_t n)
{
    const int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
    const int64_t period = g->period ? g->period : g->columns, column = n % g->columns;
    int64_t row = n / g->columns, outer = 0;
    for (int i = g->groups - 1; i >= 0; row /= g->extents[i--])
        outer += row % g->extents[i] * strides[i];
    if (access_is(g->kinds[a], NUMBERED)) {
        assert_int_equal(g->starts[a], 0);
        return looked_up(g->maps[a], g->kinds[a] == ACCESS_BOUNDED, outer, column);
    }
    if (g->kinds[a] == ACCESS_EXPANDED)
        return g->starts[a] + outer + g->offsets[a][column];
    if (g->kinds[a] == ACCESS_INTERLEAVED || g->kinds[a] == ACCESS_CROSSED)
        return g->starts[a] + outer + g->offsets[a][column % period] + column / period * strides[g->groups + 1];
    return g->starts[a] + outer + column % period * strides[g->groups] + column / period * strides[g->groups + 1];
}

/* ---- comparing ---- */

struct trial {
    struct arena arena;
    jmp_buf out_of_memory;
    struct kernel kernel;
    struct access accesses[LOADS + 1];
    struct view views[LOADS + 1];
    struct chain chains[LOADS];
    struct shape loop;
};

static int map_round(struct trial *t, int map, const struct map_step *s)
{
    struct shift shifts[2 * RANK];
    for (int d = 0; d < s->from.rank; d++)
        shifts[d] = (struct shift){-s->first[d], false};
    return s->apart < 0 ? map_wrapped(&t->kernel, map, &s->from, shifts)
                        : map_within(&t->kernel, map, &s->from, &s->to, s->apart, s->first[s->apart]);
}

static int chain_map(struct trial *t, const struct chain *chain)
{
    int map = 0;
    for (int k = 0; k < chain->count; k++) {
        const struct map_step *s = &chain->steps[k];
        map = s->kind == RESHAPE  ? map_view(&t->kernel, map, &s->from, &s->to)
              : s->kind == ROUND  ? map_round(t, map, s)
              : s->kind == SELECT ? map_select(&t->kernel, map, &s->from, &s->to, s->axes)
                                  : map_bounded(&t->kernel, map, &s->from, &s->to, s->axes, (uint64_t)s->value);
        assert_true(map >= 0);
    }
    return map;
}

/* As the library makes them (compiler/loop/schedule.c). */
static void make_view(struct trial *t, int a)
{
    const struct chain *chain = &t->chains[a];
    const int map = t->accesses[a].map = chain_map(t, chain);
    const struct shape *to = t->kernel.maps[map].to;
    int64_t elements[2 * RANK];
    struct pieces pieces;
    for (int d = 0; d < chain->tensor.rank; d++)
        elements[d] = chain->strides[d] / SIZE;
    broadcast_strides(to->rank, to->extents, chain->tensor.rank, chain->tensor.extents, elements, SIZE,
                      t->views[a].strides);
    pieces_make(&pieces, to->rank, to->extents, t->views[a].strides);
    t->views[a].walk = NULL;
    if (!pieces.count && !map_is_bounded(&t->kernel, map))
        memset(t->views[a].strides, 0, sizeof t->views[a].strides);
    if (!map || (!pieces.count && !map_is_bounded(&t->kernel, map)) || !shape_volume(&t->loop))
        return;
    t->views[a].walk = ARENA_NEW(&t->arena, struct walk);
    t->views[a].walk->levels = ARENA_ARRAY(&t->arena, struct walk_level, map_levels(t->kernel.maps, map));
    walk_follow(t->kernel.maps, map, &pieces, t->views[a].walk);
    const struct walk *walk = t->views[a].walk;
    assert_true(walk->level_count < map_levels(t->kernel.maps, map));
    for (int i = 0; i <= walk->level_count; i++)
        assert_true((i ? walk->levels[i - 1].pieces.count : walk->over.count) <= map_pieces(t->kernel.maps, map));
}

static void trial_init(struct trial *t)
{
    arena_init(&t->arena);
    t->arena.out_of_memory = &t->out_of_memory;
    t->kernel = (struct kernel){.arena = &t->arena, .accesses = t->accesses, .access_count = LOADS + 1,
                                .load_count = LOADS};
    t->loop = random_shape(below(20) == 0);
    ARENA_PUSH(&t->arena, t->kernel.maps, t->kernel.map_count, ((struct index_map){.parent = -1, .to = &t->loop}));
    for (int a = 0; a <= LOADS; a++)
        t->accesses[a] = (struct access){a < LOADS ? TENSOR_INPUT : TENSOR_RESULT, 0, WEFT_FLOAT32, 0};
    for (int a = 0; a < LOADS; a++)
        random_chain(&t->loop, &t->chains[a]);
    broadcast_strides(t->loop.rank, t->loop.extents, t->loop.rank, t->loop.extents, NULL, SIZE,
                      t->views[LOADS].strides);
    t->views[LOADS].walk = NULL;
}

static int kinds[128], levels[2 * STEPS + 2], offsets;

static void compare(struct trial *t, unsigned fast, bool chunks)
{
    struct geometry g;
    const int64_t volume = shape_volume(&t->loop);
    for (int a = 0; a < LOADS; a++)
        make_view(t, a);
    for (int a = 0; volume && a < LOADS; a++)
        levels[t->views[a].walk ? t->views[a].walk->level_count : 0]++;
    make_geometry(&t->arena, &t->kernel, t->loop.rank, t->loop.extents, t->views, fast, chunks, &g);
    const char *broken = verify_geometry(&t->kernel, &g);
    if (broken)
        fail_msg("%s", broken);
    for (int a = 0; a < LOADS; a++) {
        kinds[g.kinds[a]] += volume > 1;
        offsets += g.starts[a] != 0;
        for (int64_t n = 0; n < volume; n++)
            if (found(&g, a, n) != expected(&t->chains[a], &t->loop, n))
                fail_msg("load %d, element %lld: at %lld, not %lld", a, (long long)n, (long long)found(&g, a, n),
                         (long long)expected(&t->chains[a], &t->loop, n));
    }
}

static void chains_find_elements(void **state)
{
    (void)state;
    for (int round = 0; round < 30000; round++) {
        struct trial t;
        trial_init(&t);
        if (setjmp(t.out_of_memory))
            fail_msg("out of memory");
        compare(&t, round % 2 ? FAST_OF_CUDA : FAST_OF_C, round % 2);
        if (round % 8 == 0)
            compare(&t, 0, false);
        arena_finish(&t.arena);
    }
    for (const char *kind = "sugpnxmb"; *kind; kind++)
        assert_true(kinds[(int)*kind] > 100);
    assert_true(levels[0] > 1000 && levels[1] > 1000 && levels[2] > 1000 && levels[3] > 100 && levels[4] > 50);
    assert_true(offsets > 1000);
}

/* ---- maps that are one ---- */

struct frame {
    struct arena arena;
    jmp_buf out_of_memory;
    struct kernel kernel;
};

static void frame_init(struct frame *f, const struct shape *loop)
{
    arena_init(&f->arena);
    f->arena.out_of_memory = &f->out_of_memory;
    f->kernel = (struct kernel){.arena = &f->arena};
    ARENA_PUSH(&f->arena, f->kernel.maps, f->kernel.map_count, ((struct index_map){.parent = -1, .to = loop}));
}

static void equal_selections_are_one(void **state)
{
    (void)state;
    struct frame f;
    const struct shape four = {.rank = 1, .extents = {4}}, more = {.rank = 2, .extents = {5, 4}},
                       open = {.rank = 1, .extents = {EXTENT_UNKNOWN}}, column = {.rank = 2, .extents = {4, 1}};
    const struct axis all[] = {{0, {.step = 1}}}, also[] = {{0, {.has_start = true, .step = 1}}},
                      reversed[] = {{0, {.step = -1}}}, from_end[] = {{0, {.start = 3, .has_start = true, .step = -1}}},
                      first[] = {{-1, {.start = 0}}, {0, {.step = 1}}}, last[] = {{-1, {.start = 4}}, {0, {.step = 1}}};
    frame_init(&f, &four);
    if (setjmp(f.out_of_memory))
        fail_msg("out of memory");
    assert_int_equal(map_select(&f.kernel, 0, &four, &four, all), 0);
    assert_int_equal(map_select(&f.kernel, 0, &four, &four, also), 0);
    int turned = map_select(&f.kernel, 0, &four, &four, reversed);
    assert_true(turned > 0);
    assert_int_equal(map_select(&f.kernel, 0, &four, &four, from_end), turned);
    assert_true(map_select(&f.kernel, 0, &open, &open, from_end) != map_select(&f.kernel, 0, &open, &open, reversed));
    int row = map_select(&f.kernel, 0, &four, &more, first);
    assert_true(row > 0 && row != map_select(&f.kernel, 0, &four, &more, last));
    assert_int_equal(map_select(&f.kernel, 0, &four, &more, first), row);
    /* A new dimension is a view, and back from it is where it began. */
    f.kernel.maps[0].to = &column;
    assert_int_equal(map_view(&f.kernel, map_select(&f.kernel, 0, &column, &four, all), &four, &column), 0);
    arena_finish(&f.arena);
}

/* However many ways lead there: `y = y[1:] + y[:-1]` again and again. */
static void selections_of_selections_are_one(void **state)
{
    (void)state;
    enum { LINES = 12, LOOP = 5 };
    struct frame f;
    struct shape shapes[LINES + 1];
    const struct axis low[] = {{0, {.start = 1, .has_start = true, .step = 1}}},
                      high[] = {{0, {.stop = -1, .has_stop = true, .step = 1}}};
    for (int k = 0; k <= LINES; k++)
        shapes[k] = (struct shape){.rank = 1, .extents = {LOOP + k}};
    frame_init(&f, &shapes[0]);
    if (setjmp(f.out_of_memory))
        fail_msg("out of memory");
    int maps[LINES + 1] = {0};
    for (int k = 0; k < LINES; k++)
        for (int way = k + 1; way >= 0; way--) {
            int by_low = way ? map_select(&f.kernel, maps[way - 1], &shapes[k], &shapes[k + 1], low) : -1;
            int by_high = way <= k ? map_select(&f.kernel, maps[way], &shapes[k], &shapes[k + 1], high) : by_low;
            assert_true(by_low < 0 || by_high == by_low);
            maps[way] = by_high;
        }
    assert_int_equal(f.kernel.map_count, 1 + LINES * (LINES + 3) / 2);
    arena_finish(&f.arena);
}

static void bounds_differ_by_their_value(void **state)
{
    (void)state;
    struct frame f;
    const struct shape four = {.rank = 1, .extents = {4}}, three = {.rank = 1, .extents = {3}};
    const struct axis all[] = {{0, {.step = 1}}};
    frame_init(&f, &four);
    if (setjmp(f.out_of_memory))
        fail_msg("out of memory");
    int zero = map_bounded(&f.kernel, 0, &four, &three, all, 0), one = map_bounded(&f.kernel, 0, &four, &three, all, 1);
    assert_true(zero > 0 && one > 0 && zero != one);
    assert_int_equal(map_bounded(&f.kernel, 0, &four, &three, all, 1), one);
    assert_true(map_is_bounded(&f.kernel, zero) && !map_is_bounded(&f.kernel, 0));
    assert_true(map_is_bounded(&f.kernel, map_view(&f.kernel, zero, &three, &(struct shape){2, 0, {3, 1}})));
    arena_finish(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_find_elements),
        cmocka_unit_test(equal_selections_are_one),
        cmocka_unit_test(selections_of_selections_are_one),
        cmocka_unit_test(bounds_differ_by_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
