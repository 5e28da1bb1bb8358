/* The program a command is about: an expression given as text, or a .weft file and perhaps one of
 * its kernels. */
#ifndef WEFT_CLI_SCRIPT_H
#define WEFT_CLI_SCRIPT_H

#include "cli/base/report.h"
#include "compiler/program.h"

struct script {
    const char *text;   /* NUL-terminated, in the report's arena */
    const char *origin; /* the file's path, or NULL for an expression */
    const char *kernel; /* NULL: the only one */
};

/* `argument` is a file if it ends in .weft or .weft:NAME, else an expression. */
bool script_load(struct report *report, const char *argument, struct script *script);
/* Its tree, for what the library does not tell: declared types and names of bindings. The text has
 * been compiled already, so nothing is reported. NULL when there is none. */
struct program *script_parse(struct report *report, const struct script *script);

#endif
