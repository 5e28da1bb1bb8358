/* See json.h. */
#include "cli/base/json.h"

#include <stdio.h>

void json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20) {
            printf("\\u%04x", (unsigned)*text);
            continue;
        }
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

void json_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    json_string(text);
}
