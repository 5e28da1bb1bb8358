/* What tests of the front end share: a text parsed, its diagnostics rendered. */
#ifndef WEFT_FRONT_H
#define WEFT_FRONT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/dump/dump.h"
#include "compiler/parse/parse.h"

#include <stdlib.h>
#include <string.h>

struct front {
    struct arena arena;
    jmp_buf out_of_memory;
    struct source source;
    struct diags diags;
    struct programs programs;
    bool good;
};

static inline void front_init(struct front *front, const char *text, size_t length)
{
    arena_init(&front->arena);
    front->arena.out_of_memory = &front->out_of_memory;
    front->source = (struct source){"<expr>", text, length};
    front->diags = diags_new(&front->arena, &front->source);
}

static inline void front_parse(struct front *front, const char *text, size_t length)
{
    front_init(front, text, length);
    if (setjmp(front->out_of_memory))
        fail_msg("out of memory");
    front->good = parse(&front->arena, &front->source, &front->diags, &front->programs);
}

static inline void front_finish(struct front *front)
{
    arena_finish(&front->arena);
}

/* Every diagnostic, drawn. */
static inline const char *front_messages(struct front *front)
{
    char text[4096];
    struct buf buf = buf_new(&front->arena);
    struct weft_error *errors = diags_export(&front->diags, WEFT_NOTE);
    for (const struct weft_error *error = errors; error; error = error->next) {
        assert_true(weft_error_render(error, text, sizeof text) < sizeof text);
        buf_puts(&buf, text);
    }
    weft_error_destroy(errors);
    return buf.text;
}

/* Asserts all that is reported of a text, warnings too. */
static inline void assert_messages(const char *text, const char *expected)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    if (front.good)
        for (int i = 0; i < front.programs.count; i++)
            parse_results(front.programs.items[i], NULL, 0);
    assert_string_equal(front_messages(&front), expected);
    front_finish(&front);
}

#endif
