/* The program of a command: an expression, or a .weft file and perhaps the name of one of its kernels. */
#ifndef WEFT_CLI_SCRIPT_H
#define WEFT_CLI_SCRIPT_H

#include "cli/base/base.h"

struct script {
    const char *text;   /* NUL-terminated, in the report's pool */
    const char *origin; /* the file's path or <stdin>, NULL for an expression */
    const char *kernel; /* NULL: the only one */
};

/* `argument` is a file if it ends in .weft or .weft:NAME, standard input if it is -, else an expression. */
bool script_load(struct report *report, const char *argument, struct script *script);
/* What diagnostics call it. */
const char *script_origin(const struct script *script);

#endif
