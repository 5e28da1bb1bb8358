/* Values of the command line: literals, files and batches; a program's inputs among them; results as text. */
#ifndef WEFT_CLI_VALUES_H
#define WEFT_CLI_VALUES_H

#include "cli/values/inputs.h"
#include "cli/values/print.h"
#include "cli/values/value.h"

#endif
