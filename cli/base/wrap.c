/* See wrap.h. */
#include "cli/base/wrap.h"

#include <string.h>

void wrap_text(FILE *file, const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(file, column > indent ? " %.*s" : "%.*s", length, text);
        text += length;
        if (*text == '\n') {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        text += *text != '\0';
    }
    fputc('\n', file);
}
