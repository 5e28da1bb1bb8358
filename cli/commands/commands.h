/* The subcommands, one file each. They return the exit status. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "cli/options/options.h"

int command_run(struct report *report, const struct arguments *arguments);
int command_show(struct report *report, const struct arguments *arguments);
int command_build(struct report *report, const struct arguments *arguments);
int command_check(struct report *report, const struct arguments *arguments);
int command_doctor(struct report *report, const struct arguments *arguments);
int command_cache(struct report *report, const struct arguments *arguments);
int command_ops(struct report *report, const struct arguments *arguments);

#endif
