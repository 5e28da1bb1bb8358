/* The subcommands, one file each. They return false if they failed; the exit status is then the report's, or 1 if that
 * is 0. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "cli/options/options.h"

bool command_run(struct report *report, const struct arguments *arguments);
bool command_trace(struct report *report, const struct arguments *arguments); /* run --trace */
bool command_show(struct report *report, const struct arguments *arguments);
bool command_build(struct report *report, const struct arguments *arguments);
bool command_check(struct report *report, const struct arguments *arguments);
bool command_doctor(struct report *report, const struct arguments *arguments);
bool command_cache(struct report *report, const struct arguments *arguments);
bool command_ops(struct report *report, const struct arguments *arguments);

#endif
