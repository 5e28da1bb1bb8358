/* Text in lines. */
#ifndef WEFT_CLI_WRAP_H
#define WEFT_CLI_WRAP_H

#include <stdio.h>

/* Writes words in lines of at most `width` columns, all of them indented; the first is begun already. A newline in
 * the text is kept, and one ends it. */
void wrap_text(FILE *file, const char *text, int indent, int width);

#endif
