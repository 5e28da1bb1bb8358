/* Wrapping text. */
#ifndef WEFT_CLI_WRAP_H
#define WEFT_CLI_WRAP_H

#include <stdio.h>

/* Writes text in lines of at most `width` columns, indented by `indent`. The cursor stands at the indent of the first
 * line. Newlines in the text are kept; one is added at the end. */
void wrap_text(FILE *file, const char *text, int indent, int width);

#endif
