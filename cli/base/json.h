/* JSON on standard output. */
#ifndef WEFT_CLI_JSON_H
#define WEFT_CLI_JSON_H

/* A string with its quotes. UTF-8 passes through. */
void json_string(const char *text);
/* ", "name": "text"", for a member that is not the first. */
void json_member(const char *name, const char *text);

#endif
