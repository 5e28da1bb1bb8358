/* Implements buf.h. A full buffer moves to memory of at least twice the size. */
#include "compiler/base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct buf *buf, size_t more)
{
    if (buf->length + more + 1 <= buf->capacity)
        return;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
    while (capacity < buf->length + more + 1)
        capacity *= 2;
    char *text = arena_alloc(buf->arena, capacity);
    memcpy(text, buf->text, buf->length + 1);
    buf->text = text;
    buf->capacity = capacity;
}

struct buf buf_new(struct arena *arena)
{
    return (struct buf){.arena = arena, .text = arena_alloc(arena, 1), .capacity = 1};
}

void buf_add(struct buf *buf, const char *text, size_t length)
{
    reserve(buf, length);
    memcpy(buf->text + buf->length, text, length);
    buf->length += length;
    buf->text[buf->length] = '\0';
}

void buf_puts(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_putc(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_mark(struct buf *buf, size_t start, uint32_t from, uint32_t to)
{
    if (buf->marks && buf->length > start)
        ARENA_PUSH(buf->arena, buf->marks->items, buf->marks->count,
                   ((struct text_mark){start, buf->length, from, to}));
}

void buf_append(struct buf *buf, const struct buf *text)
{
    const size_t before = buf->length;
    buf_add(buf, text->text, text->length);
    for (int i = 0; buf->marks && text->marks && i < text->marks->count; i++) {
        struct text_mark mark = text->marks->items[i];
        mark.start += before;
        mark.end += before;
        ARENA_PUSH(buf->arena, buf->marks->items, buf->marks->count, mark);
    }
}

const struct text_mark *mark_at(const struct text_marks *marks, size_t at)
{
    int low = 0, high = marks ? marks->count : 0;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (marks->items[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return marks && low < marks->count && marks->items[low].start <= at ? &marks->items[low] : NULL;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    reserve(buf, (size_t)length);
    vsnprintf(buf->text + buf->length, (size_t)length + 1, format, again);
    va_end(again);
    buf->length += (size_t)length;
}

/* Prints with the fewest digits that read back. The locale's decimal mark becomes a point. */
void buf_real(struct buf *buf, double value, bool (*same)(double, double, int), int type)
{
    if (isnan(value) || isinf(value)) {
        buf_puts(buf, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (back == value || (same && same(back, value, type)))
            break;
    }
    /* Print whole numbers without an exponent where decimal is exact: 1500.0, not 1.5e+03. */
    if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < (same ? 1e7 : 1e15))
        snprintf(text, sizeof text, "%.0f", value);
    bool plain = true;
    for (const char *c = text; *c; c++) {
        bool mark = *c != 'e' && *c != '-' && *c != '+' && (*c < '0' || *c > '9');
        plain = plain && !mark && *c != 'e';
        if (mark)
            buf_putc(buf, '.');
        while (mark && (c[1] & 0x80)) /* the mark may have several bytes */
            c++;
        if (!mark)
            buf_putc(buf, *c);
    }
    if (plain)
        buf_puts(buf, ".0");
}

void buf_double(struct buf *buf, double value)
{
    buf_real(buf, value, NULL, 0);
}
