/* Index maps and walks against their meaning: for every element of an iteration space the place that is
 * found through random views is the one that counting through all of them gives. */
#include "tests/unit/front.h"

#include "compiler/loop/geometry.h"

#include <string.h>

enum { STEPS = 4, MOST = 3000 };

static uint64_t seed = 1;

static int below(int bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)bound);
}

/* Some shape of so many elements. */
static struct shape factored(int64_t volume)
{
    struct shape shape = {.rank = 1 + below(5)};
    for (int d = 0; d < shape.rank; d++)
        shape.extents[d] = 1;
    for (int64_t f = 2; volume > 1; f++)
        for (; volume % f == 0; volume /= f)
            shape.extents[below(shape.rank)] *= f;
    return shape;
}

static void insert_one(struct shape *shape, int at)
{
    memmove(shape->extents + at + 1, shape->extents + at,
            (size_t)(shape->rank++ - at) * sizeof shape->extents[0]);
    shape->extents[at] = 1;
}

/* What the shape is broadcast to: ones stretched, as long as there is room, and a dimension in front. */
static struct shape stretched(const struct shape *shape)
{
    struct shape out = *shape;
    if (below(3) == 0)
        insert_one(&out, 0);
    for (int d = 0; d < out.rank; d++)
        if (out.extents[d] == 1 && below(3) && shape_volume(&out) * 4 <= MOST)
            out.extents[d] = 2 + below(3);
    return out;
}

/* A chain from a tensor outwards: shape to[k] is seen as from[k] and broadcast to to[k - 1]. */
struct chain {
    struct shape to[STEPS + 1], from[STEPS + 1];
    int steps;
    int64_t strides[WEFT_MAX_RANK]; /* of the tensor over to[steps] */
};

static void make_chain(struct chain *chain)
{
    static const int extents[] = {2, 2, 3, 4, 6, 5};
    chain->steps = below(STEPS + 1);
    struct shape *last = &chain->to[chain->steps];
    *last = (struct shape){.rank = 1 + below(4)};
    for (int d = 0; d < last->rank; d++) {
        last->extents[d] = extents[below(6)];
        chain->strides[d] = below(3) ? below(40) - 10 : 0;
    }
    if (below(2))
        broadcast_strides(last->rank, last->extents, last->rank, last->extents, NULL, 4,
                          chain->strides);
    for (int k = chain->steps; k > 0; k--) {
        chain->from[k] = below(6) ? factored(shape_volume(&chain->to[k])) : chain->to[k];
        if (below(3) && chain->from[k].rank < 6)
            insert_one(&chain->from[k], below(chain->from[k].rank + 1));
        chain->to[k - 1] = stretched(&chain->from[k]);
    }
}

/* Element n of `to` as an element of what is broadcast to it. */
static int64_t shrunk(const struct shape *from, const struct shape *to, int64_t n)
{
    int64_t at = 0, step = 1;
    for (int d = 1; d <= to->rank && d <= from->rank; d++) {
        int64_t extent = from->extents[from->rank - d];
        at += extent == 1 ? 0 : n % to->extents[to->rank - d] * step;
        n /= to->extents[to->rank - d];
        step *= extent;
    }
    return at;
}

static int64_t counted(const struct chain *chain, int64_t n)
{
    int64_t offset = 0;
    for (int k = 1; k <= chain->steps; k++)
        n = shrunk(&chain->from[k], &chain->to[k - 1], n);
    const struct shape *last = &chain->to[chain->steps];
    for (int d = last->rank - 1; d >= 0; n /= last->extents[d--])
        offset += n % last->extents[d] * chain->strides[d];
    return offset;
}

static int64_t taken_apart(const struct pieces *pieces, int64_t n)
{
    int64_t sum = pieces->offset;
    for (int i = 0; i < pieces->count; n /= pieces->at[i++].extent)
        sum += n % pieces->at[i].extent * pieces->at[i].stride;
    return sum;
}

static int64_t walked(const struct walk *walk, int64_t n)
{
    n = taken_apart(&walk->over, n);
    for (int i = 0; i < walk->level_count; i++)
        n = taken_apart(&walk->levels[i].pieces, n);
    return n;
}

/* What walk.h promises of pieces: none is 1, none continues the one inside it. */
static void check_pieces(const struct pieces *pieces, int64_t volume)
{
    for (int i = 0; i < pieces->count; i++) {
        assert_true(pieces->at[i].extent > 1);
        assert_true(i == 0 ||
                    pieces->at[i - 1].extent * pieces->at[i - 1].stride != pieces->at[i].stride);
        volume /= pieces->at[i].extent;
    }
    assert_int_equal(volume, 1);
}

static void walks_find_elements(void **state)
{
    (void)state;
    int levels[STEPS + 2] = {0}, straight = 0;
    for (int round = 0; round < 8000; round++) {
        struct front front;
        struct chain chain;
        struct walk walk;
        struct pieces tensor;
        make_chain(&chain);
        front_parse(&front, "x", 1);
        struct kernel kernel = {.arena = &front.arena};
        ARENA_PUSH(kernel.arena, kernel.maps, kernel.map_count,
                   ((struct index_map){-1, NULL, &chain.to[0]}));
        int map = 0;
        for (int k = 1; k <= chain.steps; k++)
            map = map_view(&kernel, map, &chain.from[k], &chain.to[k]);
        /* Its own last shape: what the map leads to, which need not be the chain's where it is no view. */
        const struct shape *last = &chain.to[chain.steps], *to = kernel.maps[map].to;
        int64_t strides[WEFT_MAX_RANK];
        broadcast_strides(to->rank, to->extents, last->rank, last->extents, NULL, 4, strides);
        for (int d = 1; d <= last->rank; d++)
            if (last->extents[last->rank - d] != 1)
                strides[to->rank - d] = chain.strides[last->rank - d];
        pieces_make(&tensor, to->rank, to->extents, strides);
        walk.levels = ARENA_ARRAY(&front.arena, struct walk_level, map_levels(kernel.maps, map));
        walk_follow(kernel.maps, map, &tensor, &walk);
        int64_t volume = shape_volume(&chain.to[0]);
        for (int by_number = 0; by_number < 2; by_number++) {
            check_pieces(&walk.over, volume);
            for (int64_t n = 0; n < volume; n++)
                assert_int_equal(walked(&walk, n), counted(&chain, n));
            if (by_number == 0) {
                levels[walk.level_count]++;
                walk_number(&walk);
            }
        }
        straight += chain.steps > 1 && map == 0;
        front_finish(&front);
    }
    assert_true(levels[0] > 1000 && levels[1] > 100 && levels[2] > 10 && straight > 10);
}

/* However views follow each other, what is in its order again is under the map it began with. */
static void views_of_views_are_one(void **state)
{
    (void)state;
    struct front front;
    const struct shape whole = {.rank = 2, .extents = {4, 6}},
                       turned = {.rank = 2, .extents = {6, 4}};
    const struct shape row = {.rank = 1, .extents = {24}}, column = {.rank = 2, .extents = {24, 1}};
    front_parse(&front, "x", 1);
    struct kernel kernel = {.arena = &front.arena};
    ARENA_PUSH(kernel.arena, kernel.maps, kernel.map_count, ((struct index_map){-1, NULL, &whole}));
    int map = map_view(&kernel, 0, &whole, &turned);
    assert_int_equal(map, 1);
    assert_int_equal(map_view(&kernel, map, &turned, &whole), 0);
    assert_int_equal(map_view(&kernel, map_view(&kernel, map, &turned, &row), &row, &turned), map);
    int stretched_map = map_view(&kernel, 0, &(struct shape){.rank = 2, .extents = {4, 1}},
                                 &(struct shape){.rank = 1, .extents = {4}});
    assert_true(stretched_map > 1);
    assert_int_equal(map_view(&kernel, 0, &(struct shape){.rank = 2, .extents = {4, 1}},
                              &(struct shape){.rank = 1, .extents = {4}}),
                     stretched_map);
    assert_int_equal(map_view(&kernel, map_view(&kernel, 0, &whole, &column), &column, &whole), 0);
    front_finish(&front);
}

static void too_many_maps_are_told(void **state)
{
    (void)state;
    struct front front;
    const struct shape whole = {.rank = 2, .extents = {2000, 2}};
    front_parse(&front, "x", 1);
    struct kernel kernel = {.arena = &front.arena};
    ARENA_PUSH(kernel.arena, kernel.maps, kernel.map_count, ((struct index_map){-1, NULL, &whole}));
    for (int m = 1; m <= VIEW_MAPS; m++) {
        struct shape *from = ARENA_NEW(&front.arena, struct shape),
                     *to = ARENA_NEW(&front.arena, struct shape);
        *from = (struct shape){.rank = 2, .extents = {2000, 1}};
        *to = (struct shape){.rank = 2, .extents = {m, 2000 + m}}; /* no two are alike */
        assert_int_equal(map_view(&kernel, 0, from, to), m < VIEW_MAPS ? m : -1);
    }
    front_finish(&front);
}

static void bytes_are_reinterpreted(void **state)
{
    (void)state;
    const struct pieces rows = {2, 0, {{8, 4}, {5, 64}}}, spread = {1, 0, {{8, 8}}},
                        odd = {2, 0, {{8, 1}, {5, 12}}};
    struct pieces out;
    assert_true(pieces_reinterpret(&rows, 4, 2, &out));
    assert_int_equal(out.count, 2);
    assert_true(out.at[0].extent == 16 && out.at[0].stride == 2 && out.at[1].stride == 64);
    assert_true(pieces_reinterpret(&rows, 4, 8, &out) && out.at[0].extent == 4);
    assert_true(pieces_reinterpret(&rows, 4, 1, &out) && out.at[0].extent == 32 &&
                out.at[0].stride == 1);
    assert_true(pieces_reinterpret(&spread, 4, 2, &out) && out.count == 2 && out.at[1].stride == 8);
    assert_false(pieces_reinterpret(&spread, 4, 8, &out));
    assert_true(pieces_reinterpret(&odd, 1, 4, &out));
    assert_false(pieces_reinterpret(&odd, 1, 8, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_find_elements),
        cmocka_unit_test(views_of_views_are_one),
        cmocka_unit_test(too_many_maps_are_told),
        cmocka_unit_test(bytes_are_reinterpreted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
