/* A growing text in an arena, always NUL-terminated. All generated text is put together in one. */
#ifndef WEFT_COMPILER_BASE_BUF_H
#define WEFT_COMPILER_BASE_BUF_H

#include "compiler/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct buf {
    struct arena *arena;
    char *text;
    size_t length, capacity;
    struct text_marks *marks;           /* where pieces of it come from; NULL: nobody asks, as in a new one */
};

/* Bytes of a text, and the bytes of a program's text that they come from. Later marks lie behind earlier ones. */
struct text_mark {
    size_t start, end;
    uint32_t from, to;
};
struct text_marks {
    struct text_mark *items;
    int count;
};

/* An empty text. Adding to it jumps when memory runs out, as arena_alloc does. */
struct buf buf_new(struct arena *arena);
void buf_add(struct buf *buf, const char *text, size_t length);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
/* Marks what was added since the length was `start`, if somebody asks. */
void buf_mark(struct buf *buf, size_t start, uint32_t from, uint32_t to);
/* Adds another text with its marks. */
void buf_append(struct buf *buf, const struct buf *text);
/* The mark of a byte; NULL: it has none, or `marks` is NULL. */
const struct text_mark *mark_at(const struct text_marks *marks, size_t at);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the shortest decimal that reads back as the same double, with a point or an exponent; or inf, -inf, nan. It is
 * the same in every locale. */
void buf_double(struct buf *buf, double value);
/* A real of a type with fewer values than double. `same` says whether a decimal that reads as `text` becomes `value`
 * in that type; it is called with `type`, which has no other use. NULL: double. */
void buf_real(struct buf *buf, double value, bool (*same)(double text, double value, int type), int type);

#endif
