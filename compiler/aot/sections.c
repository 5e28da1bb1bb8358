/* Finds and prints sections of templates. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *aot_section(struct arena *arena, const char *text, const char *name)
{
    const char *mark = arena_printf(arena, "//: %s\n", name);
    const char *start = strstr(text, mark) + strlen(mark), *end = strstr(start, "\n//: ");
    return arena_string(arena, start, end ? (size_t)(end + 1 - start) : strlen(start));
}

const char *aot_shared_section(struct arena *arena, const char *name)
{
    const char *const texts[] = {weft_template_aot, weft_template_aot_check, weft_template_aot_plan,
                                 weft_template_aot_run};
    const char *mark = arena_printf(arena, "//: %s\n", name);
    int at = 0;
    while (at < 3 && !strstr(texts[at], mark))
        at++;
    return aot_section(arena, texts[at], name);
}

/* Adds all sections of a template, without the comment before the first one. */
static void put_all(struct buf *out, const char *text)
{
    text = strstr(text, "//: ");
    while (*text) {
        const size_t line = strcspn(text, "\n");
        if (strncmp(text, "//: ", 4) == 0)
            buf_putc(out, '\n');
        else
            buf_add(out, text, line + 1);
        text += line + (text[line] == '\n');
    }
}

void aot_put_sections(struct buf *out, const struct aot_section *sections, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = sections[i].text, *name = sections[i].name;
        if (name)
            buf_printf(out, "\n%s", text ? aot_section(out->arena, text, name) : aot_shared_section(out->arena, name));
        else
            put_all(out, text);
    }
}

/* ---- lists ---- */

enum { COLUMNS = 118 };

void aot_list_add(struct aot_list *list, const char *format, ...)
{
    char text[256];
    struct buf item = buf_new(list->out->arena);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof text)
        buf_puts(&item, text);
    va_start(arguments, format);
    if (length >= (int)sizeof text) {
        char *longer = ARENA_ARRAY(list->out->arena, char, length + 1);
        vsnprintf(longer, (size_t)length + 1, format, arguments);
        buf_puts(&item, longer);
    }
    va_end(arguments);
    ARENA_PUSH(list->out->arena, list->items, list->count, item.text);
}

void aot_list_end(struct aot_list *list, const char *end)
{
    static const char indent[] = "    ";
    size_t whole = strlen(list->begin) + strlen(end), column = COLUMNS;
    for (int i = 0; i < list->count; i++)
        whole += strlen(list->items[i]) + 2;
    const bool one = whole <= COLUMNS;
    buf_puts(list->out, list->begin);
    for (int i = 0; i < list->count; i++) {
        const size_t length = strlen(list->items[i]) + 2;
        const bool wraps = !one && column + length > COLUMNS;
        const size_t own = strspn(list->begin, " ");
        buf_printf(list->out, "%s%.*s%s%s", wraps ? "\n" : i ? " " : "", wraps ? (int)own : 0, list->begin,
                   wraps ? indent : "", list->items[i]);
        buf_puts(list->out, i + 1 < list->count ? "," : "");
        column = wraps ? own + sizeof indent - 1 + length : column + length;
    }
    buf_puts(list->out, end);
}
