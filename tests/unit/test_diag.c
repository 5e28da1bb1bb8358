/* Diagnostics: places, carets by display width, hostile bytes, limits, and the table's rows. */
#include "tests/unit/front.h"

#include <stdio.h>

/* Reports spans in a text and returns the drawing. */
static const char *draw(struct front *front, const char *text, size_t length,
                        const struct span *spans, int count)
{
    front_init(front, text, length);
    diag_at(&front->diags, DIAG_SYNTAX, spans, count, "message");
    return front_messages(front);
}

static void assert_drawing(const char *text, const struct span *spans, int count,
                           const char *expected)
{
    struct front front;
    assert_string_equal(draw(&front, text, strlen(text), spans, count), expected);
    front_finish(&front);
}

#define SPANS(...)                                                                                 \
    (struct span[]){__VA_ARGS__}, sizeof((struct span[]){__VA_ARGS__}) / sizeof(struct span)

static void marks_stand_under_their_spans(void **state)
{
    (void)state;
    assert_drawing("out = a * b + 1", SPANS({8, 9}, {6, 7}, {10, 11}),
                   "<expr>:1:9: error[W0009]: message\n"
                   "out = a * b + 1\n"
                   "      ~ ^ ~\n");
    assert_drawing("x\n  yy\nz", SPANS({4, 6}), "<expr>:2:3: error[W0009]: message\n  yy\n  ^^\n");
}

static void the_primary_wins_where_spans_overlap(void **state)
{
    (void)state;
    assert_drawing("abcdef", SPANS({2, 4}, {0, 6}),
                   "<expr>:1:3: error[W0009]: message\nabcdef\n~~^^~~\n");
}

static void ends_are_places(void **state)
{
    (void)state;
    assert_drawing("a +", SPANS({3, 3}), "<expr>:1:4: error[W0009]: message\na +\n   ^\n");
    assert_drawing("", SPANS({0, 0}), "<expr>:1:1: error[W0009]: message\n\n^\n");
    assert_drawing("a\n", SPANS({2, 2}), "<expr>:2:1: error[W0009]: message\n\n^\n");
    assert_drawing("a", SPANS({7, 9}), "<expr>:1:2: error[W0009]: message\na\n ^\n");
}

static void spans_over_lines_are_clipped(void **state)
{
    (void)state;
    assert_drawing("a + (b\n+ c)", SPANS({4, 11}),
                   "<expr>:1:5: error[W0009]: message\na + (b\n    ^^\n");
    assert_drawing("a\nb", SPANS({0, 1}, {2, 3}), "<expr>:1:1: error[W0009]: message\na\n^\n");
    assert_drawing("ab\r\nc", SPANS({1, 4}), "<expr>:1:2: error[W0009]: message\nab\n ^\n");
}

static void carets_count_columns_not_bytes(void **state)
{
    (void)state;
    assert_drawing("\tx y", SPANS({3, 4}),
                   "<expr>:1:4: error[W0009]: message\n        x y\n          ^\n");
    assert_drawing("ab\tx", SPANS({3, 4}),
                   "<expr>:1:4: error[W0009]: message\nab      x\n        ^\n");
    assert_drawing("\xc3\xa9 x", SPANS({3, 4}),
                   "<expr>:1:3: error[W0009]: message\n\xc3\xa9 x\n  ^\n");
    assert_drawing("\xe6\xbc\xa2 x", SPANS({4, 5}),
                   "<expr>:1:3: error[W0009]: message\n\xe6\xbc\xa2 x\n   ^\n");
    assert_drawing("e\xcc\x81 x", SPANS({4, 5}),
                   "<expr>:1:4: error[W0009]: message\ne\xcc\x81 x\n  ^\n");
}

static void hostile_bytes_are_shown_as_question_marks(void **state)
{
    (void)state;
    struct front front;
    const char text[] = "a\0\x1b[31m\x7f\xff\xc0\x80\xe2\x80\xae x";
    const size_t size = sizeof text - 1;
    const char *drawn = draw(&front, text, size, SPANS({size - 1, size}));
    assert_string_equal(drawn, "<expr>:1:13: error[W0009]: message\n"
                               "a??[31m????? x\n"
                               "             ^\n");
    front_finish(&front);
}

static void origins_and_messages_are_cleaned(void **state)
{
    (void)state;
    char text[200];
    struct weft_error error = {.code = 100, .origin = "a\nb\x1b", .message = "one\ntwo\x1b[0m"};
    size_t length = weft_error_render(&error, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "a?b?: error[W0100]: one\ntwo?[0m\n");
}

static void long_lines_are_clipped(void **state)
{
    (void)state;
    struct front front;
    size_t size = 1 << 20;
    char *text = test_malloc(size);
    memset(text, 'a', size);
    text[500000] = 'B';
    const char *drawn = draw(&front, text, size, SPANS({500000, 500001}, {499990, 499995}, {0, 1}));
    char expected[400], left[61], right[40];
    memset(left, 'a', 60), left[60] = '\0';
    memset(right, 'a', 39), right[39] = '\0';
    snprintf(expected, sizeof expected,
             "<expr>:1:500001: error[W0009]: message\n...%sB%s...\n%53s~~~~~     ^\n", left,
             right, "");
    assert_string_equal(drawn, expected);
    front_finish(&front);
    test_free(text);
}

static void line_ends_of_long_lines_are_shown(void **state)
{
    (void)state;
    struct front front;
    char text[151];
    memset(text, 'a', 150);
    text[150] = '\0';
    const char *drawn = draw(&front, text, 150, SPANS({0, 2}));
    assert_true(strstr(drawn, "aaa...\n^^\n") != NULL);
    front_finish(&front);
    drawn = draw(&front, text, 150, SPANS({150, 150}));
    assert_true(strstr(drawn, "\n...aaa") != NULL);
    assert_int_equal(drawn[strlen(drawn) - 2], '^');
    front_finish(&front);
}

static void a_small_buffer_is_filled_and_ended(void **state)
{
    (void)state;
    struct weft_error error = {.code = 1, .origin = "o", .message = "m"};
    char text[8] = "xxxxxxx";
    assert_int_equal(weft_error_render(&error, NULL, 0), 19);
    assert_int_equal(weft_error_render(&error, text, sizeof text), 19);
    assert_string_equal(text, "o: erro");
    assert_int_equal(weft_error_render(&error, text, 1), 19);
    assert_string_equal(text, "");
}

static void errors_come_first_and_are_limited(void **state)
{
    (void)state;
    struct front front;
    front_init(&front, "x", 1);
    for (int i = 0; i < 100; i++) {
        diag(&front.diags, DIAG_UNUSED, ((struct span){0, 1}), "x");
        diag(&front.diags, DIAG_SYNTAX, ((struct span){0, 1}), "m");
    }
    assert_int_equal(front.diags.errors, 100);
    struct weft_error *errors = diags_export(&front.diags, WEFT_ERROR), *error;
    int count = 0;
    for (error = errors; error; error = error->next, count++)
        assert_int_equal(error->severity, WEFT_ERROR);
    assert_int_equal(count, WEFT_MAX_ERRORS);
    weft_error_destroy(errors);
    errors = diags_export(&front.diags, WEFT_WARNING);
    count = 0;
    for (error = errors; error; error = error->next, count++)
        assert_int_equal(error->severity, count < WEFT_MAX_ERRORS ? WEFT_ERROR : WEFT_WARNING);
    assert_int_equal(count, 2 * WEFT_MAX_ERRORS);
    weft_error_destroy(errors);
    front_finish(&front);
}

static void copies_outlive_the_arena(void **state)
{
    (void)state;
    struct front front;
    char text[] = "a b", drawn[200];
    front_parse(&front, text, 3);
    struct weft_error *error = diags_export(&front.diags, WEFT_ERROR);
    front_finish(&front);
    memset(text, 'z', 3);
    weft_error_render(error, drawn, sizeof drawn);
    assert_string_equal(drawn, "<expr>:1:3: error[W0009]: an operator is missing, as in a * b\n"
                               "a b\n"
                               "  ^\n");
    assert_int_equal(error->spans[0].start, 2);
    assert_int_equal(error->status, WEFT_SYNTAX_ERROR);
    weft_error_destroy(error);
    weft_error_destroy(NULL);
}

static void statuses_are_the_first_errors(void **state)
{
    (void)state;
    struct front front;
    front_init(&front, "x", 1);
    assert_int_equal(diags_status(&front.diags), WEFT_OK);
    assert_null(diags_export(&front.diags, WEFT_NOTE));
    diag(&front.diags, DIAG_UNUSED, ((struct span){0, 1}), "x");
    assert_int_equal(diags_status(&front.diags), WEFT_OK);
    diag(&front.diags, DIAG_TOO_DEEP, ((struct span){0, 1}), 3);
    diag(&front.diags, DIAG_SYNTAX, ((struct span){0, 1}), "x");
    assert_int_equal(diags_status(&front.diags), WEFT_LIMIT_ERROR);
    front_finish(&front);
}

static void diagnostics_without_a_text_have_no_place(void **state)
{
    (void)state;
    struct front front;
    front_init(&front, "x", 1);
    front.diags.source = NULL;
    assert_false(diag(&front.diags, DIAG_SYNTAX, ((struct span){0, 1}), "m"));
    assert_string_equal(front_messages(&front), "weft: error[W0009]: m\n");
    front_finish(&front);
}

static void nearest_names(void **state)
{
    (void)state;
    const char *const names[] = {"clip", "clamp", "sin", "sinh", "float32", "maximum", "u8"};
    const size_t count = sizeof names / sizeof *names;
    assert_string_equal(diag_nearest("clmp", names, count), "clamp");
    assert_string_equal(diag_nearest("sn", names, count), "sin");
    assert_string_equal(diag_nearest("isn", names, count), "sin");
    assert_string_equal(diag_nearest("flaot32", names, count), "float32");
    assert_string_equal(diag_nearest("maxium", names, count), "maximum");
    assert_null(diag_nearest("x", names, count));
    assert_null(diag_nearest("gaussian", names, count));
    assert_null(diag_nearest("", names, count));
    char longest[300];
    memset(longest, 'a', 299), longest[299] = '\0';
    assert_null(diag_nearest(longest, names, count));
}

/* Stable numbers are unique, and formats hold only what diag's callers can give. */
static void rows_are_sound(void **state)
{
    (void)state;
    static const struct { int number; const char *format; } rows[] = {
#define DIAG(id, number, severity, status, format) {number, format},
#include "grammar/diags.def"
    };
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(rows[i].number, 1, 9999);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(rows[i].number, rows[j].number);
        assert_null(strstr(rows[i].format, "%n"));
        assert_int_not_equal(rows[i].format[strlen(rows[i].format) - 1], '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_stand_under_their_spans),
        cmocka_unit_test(the_primary_wins_where_spans_overlap),
        cmocka_unit_test(ends_are_places),
        cmocka_unit_test(spans_over_lines_are_clipped),
        cmocka_unit_test(carets_count_columns_not_bytes),
        cmocka_unit_test(hostile_bytes_are_shown_as_question_marks),
        cmocka_unit_test(origins_and_messages_are_cleaned),
        cmocka_unit_test(long_lines_are_clipped),
        cmocka_unit_test(line_ends_of_long_lines_are_shown),
        cmocka_unit_test(a_small_buffer_is_filled_and_ended),
        cmocka_unit_test(errors_come_first_and_are_limited),
        cmocka_unit_test(copies_outlive_the_arena),
        cmocka_unit_test(statuses_are_the_first_errors),
        cmocka_unit_test(diagnostics_without_a_text_have_no_place),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(rows_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
