/* See json.h. */
#include "cli/base/json.h"

/* The bytes of the character of UTF-8 that begins here; 0: none does. */
static int character(const unsigned char *c)
{
    const int size = c[0] < 0x80                   ? 1
                     : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                     : (c[0] & 0xf0) == 0xe0       ? 3
                     : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                   : 0;
    for (int i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

void json_put(FILE *file, const char *text)
{
    fputc('"', file);
    for (int size; *text; text += size ? size : 1) {
        size = character((const unsigned char *)text);
        if (!size)
            fputs("\\ufffd", file);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fprintf(file, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", size, text);
    }
    fputc('"', file);
}

void json_string(const char *text)
{
    json_put(stdout, text);
}

void json_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    json_string(text);
}
