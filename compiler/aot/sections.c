/* Finds and prints sections of templates. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

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
