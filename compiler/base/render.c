/* Implements weft_error_render: one diagnostic as text, with the source line it is about and carets
 * below. Both the library and the command use it.
 *
 * Invariant: whatever bytes an error holds, no control character reaches the output, except newlines made here
 * and those of a message of several lines. Carets stand below what they point at. Columns are those of a
 * terminal, where a tab takes up to eight and a character none, one or two. */
#include "include/weft/weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAB = 8, WIDTH = 100, BEFORE = 60 };

struct out {
    char *buffer;
    size_t size, length;
};

static void put(struct out *out, char c)
{
    if (out->length + 1 < out->size)
        out->buffer[out->length] = c;
    out->length++;
}

static void put_text(struct out *out, const char *text)
{
    while (*text)
        put(out, *text++);
}

/* One character: the number of its bytes and of the columns it takes. */
struct glyph {
    size_t bytes, columns;
    bool raw;                      /* whether the bytes themselves may be shown */
};

/* Reads a UTF-8 sequence. Returns its number of bytes; 0 if it is not valid. */
static size_t decode(const char *text, unsigned long *code)
{
    unsigned char lead = (unsigned char)*text;
    size_t bytes = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2
                 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    *code = bytes < 2 ? lead : lead & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    bool overlong = (bytes == 3 && *code < 0x800) || (bytes == 4 && *code < 0x10000);
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return overlong || surrogate || *code > 0x10ffff ? 0 : bytes;
}

struct range {
    unsigned long first, last;
};

static bool in_ranges(unsigned long code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

#define IN_RANGES(code, ranges) in_ranges(code, ranges, sizeof(ranges) / sizeof *(ranges))

/* Control characters, and marks that would reorder or hide the text around them. */
static bool is_control(unsigned long code)
{
    static const struct range controls[] = {
        {0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200b, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    return IN_RANGES(code, controls);
}

static size_t columns_of(unsigned long code)
{
    static const struct range none[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
                                        {0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                        {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    static const struct range two[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
                                       {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    return IN_RANGES(code, none) ? 0 : IN_RANGES(code, two) ? 2 : 1;
}

static struct glyph glyph_at(const char *text, size_t column)
{
    unsigned long code;
    size_t bytes = decode(text, &code);
    if (*text == '\t')
        return (struct glyph){1, TAB - column % TAB, false};
    if (bytes == 0 || is_control(code))
        return (struct glyph){bytes ? bytes : 1, 1, false};
    return (struct glyph){bytes, columns_of(code), true};
}

/* The column at which byte `at` of the line is shown. */
static size_t column_of(const char *line, size_t at)
{
    size_t column = 0;
    for (size_t i = 0; i < at && line[i];) {
        struct glyph glyph = glyph_at(line + i, column);
        i += glyph.bytes;
        column += glyph.columns;
    }
    return column;
}

static void put_glyph(struct out *out, const char *text, struct glyph glyph)
{
    for (size_t i = 0; i < glyph.bytes && glyph.raw; i++)
        put(out, text[i]);
    for (size_t i = 0; i < glyph.columns && *text == '\t'; i++)
        put(out, ' ');
    if (!glyph.raw && *text != '\t')
        put(out, '?');
}

/* Prints a text of the caller. Newlines stay if `lines` is set; other control characters become `?`. */
static void put_clean(struct out *out, const char *text, bool lines)
{
    while (*text) {
        if (*text == '\n' && lines) {
            put(out, *text++);
            continue;
        }
        struct glyph glyph = glyph_at(text, 0);
        if (*text == '\t')
            glyph.columns = 1;
        put_glyph(out, text, glyph);
        text += glyph.bytes;
    }
}

/* The part of a line that is shown: columns [first, last). */
struct window {
    size_t first, last, total;
};

static struct window choose_window(size_t total, size_t at)
{
    struct window window = {0, total, total};
    if (total <= WIDTH)
        return window;
    window.first = at > BEFORE ? at - BEFORE : 0;
    window.last = window.first + WIDTH;
    if (window.last > total)
        window.last = total, window.first = total - WIDTH;
    return window;
}

static void put_line(struct out *out, const char *line, struct window window)
{
    size_t column = 0;
    put_text(out, window.first ? "..." : "");
    while (*line && column < window.last) {
        struct glyph glyph = glyph_at(line, column);
        size_t end = column + glyph.columns;
        if (column >= window.first && end <= window.last)
            put_glyph(out, line, glyph);
        for (size_t i = column; i < end && (column < window.first || end > window.last); i++)
            if (i >= window.first && i < window.last)
                put(out, ' ');     /* half of a wide character at an edge */
        line += glyph.bytes;
        column = end;
    }
    put_text(out, window.last < window.total ? "...\n" : "\n");
}

struct mark {
    size_t first, last;            /* columns */
};

/* The columns that a span covers in the line; empty (first == last) when it lies elsewhere. */
static struct mark mark_of(const struct weft_error *error, int index)
{
    size_t start = error->source_start, end = start + strlen(error->source);
    struct weft_span span = error->spans[index];
    if (span.start > end || span.end < start || (span.end == start && span.start < start))
        return (struct mark){0, 0};
    size_t from = span.start < start ? 0 : span.start - start;
    size_t to = span.end > end ? end - start : span.end - start;
    size_t first = column_of(error->source, from);
    size_t last = to > from ? column_of(error->source, to) : first;
    return (struct mark){first, last > first ? last : first + 1};
}

static char mark_at(const struct mark *marks, int count, size_t column)
{
    for (int i = 0; i < count; i++)
        if (column >= marks[i].first && column < marks[i].last)
            return i == 0 ? '^' : '~';
    return ' ';
}

static void put_marks(struct out *out, const struct mark *marks, int count, struct window window)
{
    size_t last = 0;
    for (int i = 0; i < count; i++)
        last = marks[i].last > last ? marks[i].last : last;
    if (window.last < window.total && last > window.last)
        last = window.last;
    put_text(out, window.first ? "   " : "");
    while (last > window.first && mark_at(marks, count, last - 1) == ' ')
        last--;
    for (size_t column = window.first; column < last; column++)
        put(out, mark_at(marks, count, column));
    put(out, '\n');
}

static void put_source(struct out *out, const struct weft_error *error)
{
    struct mark marks[3];
    int count = error->span_count < 3 ? error->span_count : 3;
    for (int i = 0; i < count; i++)
        marks[i] = mark_of(error, i);
    size_t total = column_of(error->source, strlen(error->source));
    struct window window = choose_window(total, marks[0].first);
    put_line(out, error->source, window);
    put_marks(out, marks, count, window);
}

static void put_header(struct out *out, const struct weft_error *error)
{
    static const char *const severities[] = {"error", "warning", "note"};
    char place[64] = "", code[32];
    if (error->span_count)
        snprintf(place, sizeof place, ":%zu:%zu", error->line, error->column);
    snprintf(code, sizeof code, ": %s[W%04d]: ",
             (unsigned)error->severity < 3 ? severities[error->severity] : "error", error->code);
    put_clean(out, error->origin ? error->origin : "weft", false);
    put_text(out, place);
    put_text(out, code);
    put_clean(out, error->message ? error->message : "", true);
    put(out, '\n');
}

size_t weft_error_render(const struct weft_error *error, char *buffer, size_t size)
{
    struct out out = {buffer, size, 0};
    put_header(&out, error);
    if (error->span_count > 0 && error->source)
        put_source(&out, error);
    if (size)
        buffer[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}

void weft_error_destroy(struct weft_error *error)
{
    while (error) {
        struct weft_error *next = error->next;
        free(error);
        error = next;
    }
}
