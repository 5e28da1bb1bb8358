/* The rows of options.def. */
#ifndef WEFT_CLI_OPTIONS_IMPL_H
#define WEFT_CLI_OPTIONS_IMPL_H

#include "cli/options/arguments.h"

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "cli/options/options.def"
    OPTION_NOTE
};

/* Columns as in options.def. A note has `word` and `text` alone. */
struct option_row {
    enum option_id id;
    enum command command;
    int letter;
    const char *name, *word, *values, *takes, *text;
};

extern const struct option_row option_rows[];
extern const int option_row_count;

/* Whether a command takes the option. */
static inline bool option_is_for(const struct option_row *row, enum command command)
{
    return row->command == command || row->command == COMMAND_ALL;
}

#endif
