/* The command line: options, read by getopt_long, and name[:type][@LAYOUT]=value, split at the first = outside
 * brackets.
 *
 * Invariant: texts taken from an argument point into it, so that a diagnostic can mark them. */
#ifndef WEFT_CLI_ARGUMENTS_H
#define WEFT_CLI_ARGUMENTS_H

#include "cli/base/base.h"
#include "include/weft/weft.h"

enum command {
    COMMAND_ALL,
#define COMMAND(id, ...) COMMAND_##id,
#include "cli/options/options.def"
    COMMAND_COUNT
};

/* By command; NULL for COMMAND_ALL. */
extern const char *const command_names[COMMAND_COUNT];

/* name=value, name:type=value, name@LAYOUT=value. */
struct assignment {
    const char *argument;             /* the whole of it */
    size_t name_length;               /* it starts the argument */
    const char *name, *type, *layout; /* copies; type and layout are NULL when not given */
    const char *value;
};

/* -o PATH or -o name=PATH. */
struct destination {
    const char *argument;
    const char *name; /* a copy; NULL: the only result */
    const char *path;
};

struct arguments {
    const char *program; /* EXPR or FILE.weft[:kernel], or what to do with the cache; NULL: none */
    struct assignment *inputs;
    int input_count;
    struct destination *outputs;
    int output_count;
    enum weft_math math;
    enum weft_rules rules;
    enum weft_tier tier;
    enum weft_target target;
    const char *arch;           /* NULL: not given */
    int threads;                /* 0: not given */
    bool time, full, force, keep_going, help, version;
    const char *bundle, *depfile; /* NULL: not given */
    unsigned levels, entries;     /* sets of enum weft_level and enum weft_entry */
    enum weft_support support;
    bool openmp, check, list, cuda; /* cuda: what is built */
    const char **archs;           /* of what is built, each once */
    int arch_count;
    const char *page;           /* of --html; NULL: not given */
    const char *stage, *format; /* NULL: not given; stages with commas between */
    bool trace;
    const int64_t *at;          /* [at_count] of --at; NULL: not given */
    int at_count;
    const char *at_text, *sample_text; /* NULL: not given */
    uint64_t size;              /* in bytes; UINT64_MAX: not given */
};

/* argv[0] is the subcommand's name. False after reporting wrong usage. --quiet is set in `report`. */
bool arguments_parse(struct report *report, enum command command, int argc, char **argv,
                     struct arguments *arguments);
/* Whether text is a name of the language. */
bool is_name(const char *text, size_t length);

#endif
