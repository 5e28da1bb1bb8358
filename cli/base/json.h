/* JSON on standard output. */
#ifndef WEFT_CLI_JSON_H
#define WEFT_CLI_JSON_H

#include <stdio.h>

/* A string with its quotes. UTF-8 passes through. */
/* To any stream; what is no UTF-8 becomes U+FFFD. */
void json_put(FILE *file, const char *text);
void json_string(const char *text);
/* ", "name": "text"", for a member that is not the first. */
void json_member(const char *name, const char *text);

#endif
