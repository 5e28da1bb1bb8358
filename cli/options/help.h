/* What --help prints, from options.def. */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

#include "cli/options/arguments.h"

#include <stdio.h>

/* COMMAND_ALL: without a command. */
void help_print(FILE *file, enum command command);

#endif
