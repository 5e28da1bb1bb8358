/* The command line and --help, from options.def. */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include "cli/options/arguments.h"
#include "cli/options/help.h"

#endif
