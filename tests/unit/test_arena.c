/* Memory of the compiler: arenas, growing arrays, texts and maps. */
#include "tests/unit/front.h"

static void allocations_are_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (size_t size = 0; size < 300; size++) {
        unsigned char *memory = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
    }
    unsigned char *large = arena_alloc(&arena, 1 << 20);
    assert_int_equal(large[(1 << 20) - 1], 0);
    arena_finish(&arena);
}

static void memory_of_any_contents_is_apart(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char *before = NULL;
    for (size_t size = 1; size < 1 << 20; size *= 2) {
        char *memory = arena_raw(&arena, size), *zeroed = arena_alloc(&arena, 40);
        assert_int_equal((uintptr_t)memory % 16, 0);
        memset(memory, 0xff, size);
        for (int i = 0; i < 40; i++)
            assert_int_equal(zeroed[i], 0);
        if (size > 1 << 15)
            assert_ptr_equal(zeroed, before + 48); /* the newest block serves on */
        before = zeroed;
    }
    arena.limit = arena.allocated + 100000;
    jmp_buf env;
    if (!ARENA_GUARD(&arena, env)) {
        arena_raw(&arena, 100001);
        fail_msg("more than the limit was handed out");
    }
    arena_finish(&arena);
}

static void lent_memory_comes_first(void **state)
{
    (void)state;
    _Alignas(16) char lent[256];
    struct arena arena;
    arena_init(&arena);
    memset(lent, 0xff, sizeof lent);
    arena_lend(&arena, lent, sizeof lent);
    for (int i = 0; i < 100; i++) {
        char *memory = arena_alloc(&arena, 40);
        bool inside = memory >= lent && memory < lent + sizeof lent;
        assert_int_equal(inside, i < 5); /* 48 bytes each */
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (int j = 0; j < 40; j++)
            assert_int_equal(memory[j], 0);
        memset(memory, 0xff, 40);
    }
    assert_non_null(arena_alloc(&arena, 0));
    arena_finish(&arena);
}

static void arrays_keep_their_elements(void **state)
{
    (void)state;
    struct arena arena;
    int *array = NULL, count = 0;
    arena_init(&arena);
    for (int i = 0; i < 10000; i++)
        ARENA_PUSH(&arena, array, count, i);
    assert_int_equal(count, 10000);
    for (int i = 0; i < count; i++)
        assert_int_equal(array[i], i);
    arena_finish(&arena);
}

static void running_out_jumps(void **state)
{
    (void)state;
    struct arena arena;
    jmp_buf env;
    arena_init(&arena);
    arena.limit = 1000;
    if (ARENA_GUARD(&arena, env)) {
        arena_finish(&arena);
        return;
    }
    for (;;)
        assert_non_null(arena_alloc(&arena, 100));
}

/* Whether parsing ends within a limit of memory. */
static bool parses_within(size_t limit)
{
    const char *text = "input x: f32[h, 3]@HC\ny = clamp(x * [1, 2, 3], 0, 255) + oops(1)\ny";
    struct front front;
    front_init(&front, text, strlen(text));
    front.arena.limit = limit;
    volatile bool ended = setjmp(front.out_of_memory) == 0;
    if (ended)
        assert_false(parse(&front.arena, &front.source, &front.diags, &front.programs));
    front_finish(&front);
    return ended;
}

static void parsing_survives_any_limit(void **state)
{
    (void)state;
    size_t limit = 16;
    assert_false(parses_within(limit));
    while (!parses_within(limit))
        limit += 160;
}

static void texts_grow(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct buf buf = buf_new(&arena);
    for (int i = 0; i < 1000; i++)
        buf_printf(&buf, "%d,", i);
    assert_int_equal(buf.length, 3890);
    assert_memory_equal(buf.text + buf.length - 8, "998,999,", 9);
    assert_string_equal(arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(arena_string(&arena, "abcdef", 3), "abc");
    arena_finish(&arena);
}

static void maps_find_what_was_put(void **state)
{
    (void)state;
    struct arena arena;
    struct map map;
    arena_init(&arena);
    map = (struct map){.arena = &arena};
    assert_int_equal(map_find(&map, "x", 1), -1);
    for (int i = 0; i < 5000; i++) {
        const char *key = arena_printf(&arena, "name%d", i);
        map_put(&map, key, strlen(key), i);
    }
    for (int i = 0; i < 5000; i++) {
        const char *key = arena_printf(&arena, "name%d", i);
        assert_int_equal(map_find(&map, key, strlen(key)), i);
    }
    assert_int_equal(map.count, 5000);
    map_put(&map, "name7 and more", 5, 70);
    assert_int_equal(map_find(&map, "name7", 5), 70);
    assert_int_equal(map_find(&map, "name5000", 8), -1);
    assert_int_equal(map.count, 5000);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed_and_aligned),
        cmocka_unit_test(memory_of_any_contents_is_apart),
        cmocka_unit_test(lent_memory_comes_first),
        cmocka_unit_test(arrays_keep_their_elements),
        cmocka_unit_test(running_out_jumps),
        cmocka_unit_test(parsing_survives_any_limit),
        cmocka_unit_test(texts_grow),
        cmocka_unit_test(maps_find_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
