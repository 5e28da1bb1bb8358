/* What --help prints. */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

extern const char help_overall[], help_run[], help_show[], help_check[], help_ops[], help_cache[],
    help_doctor[], help_build[];

#endif
