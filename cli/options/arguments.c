/* See arguments.h. */
#include "cli/options/arguments.h"

#include "cli/files/kind.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OPTIONS = 16 };

struct option_row {
    const char *name;
    int letter;        /* what getopt_long returns; a letter that users write, or above */
    unsigned commands; /* which commands take it */
    const char *takes; /* in words; NULL: no value */
};

enum {
    OPTION_MATH = 256,
    OPTION_TIER,
    OPTION_TARGET,
    OPTION_ARCH,
    OPTION_THREADS,
    OPTION_TIME,
    OPTION_STAGE,
    OPTION_FORMAT,
    OPTION_PLAIN_FORMAT,
    OPTION_SIZE,
    OPTION_BUILD_TARGET,
    OPTION_BUILD_ARCH,
    OPTION_BUNDLE,
    OPTION_ISA,
    OPTION_OPENMP,
    OPTION_DEPFILE,
    OPTION_CHECK,
    OPTION_LIST
};
enum {
    ALL_COMMANDS = COMMAND_RUN | COMMAND_SHOW | COMMAND_CHECK | COMMAND_OPS | COMMAND_CACHE |
                   COMMAND_DOCTOR | COMMAND_BUILD
};

static const struct option_row option_rows[] = {
    {"output", 'o', COMMAND_RUN, "a path, or name=path"},
    {"output", 'o', COMMAND_BUILD, "one directory"},
    {"target", OPTION_BUILD_TARGET, COMMAND_BUILD, "c or cuda"},
    {"arch", OPTION_BUILD_ARCH, COMMAND_BUILD, "a GPU's architecture, as in sm_90"},
    {"bundle", OPTION_BUNDLE, COMMAND_BUILD, "a name for one pair of files"},
    {"isa", OPTION_ISA, COMMAND_BUILD, "x86-64-v2, x86-64-v3 and x86-64-v4, or some of them, with commas between"},
    {"openmp", OPTION_OPENMP, COMMAND_BUILD, NULL},
    {"depfile", OPTION_DEPFILE, COMMAND_BUILD, "a path"},
    {"check", OPTION_CHECK, COMMAND_BUILD, NULL},
    {"list", OPTION_LIST, COMMAND_BUILD, NULL},
    {"math", OPTION_MATH, COMMAND_RUN | COMMAND_SHOW, "strict or fast"},
    {"tier", OPTION_TIER, COMMAND_RUN, "exact, fast or none"},
    {"target", OPTION_TARGET, COMMAND_RUN | COMMAND_SHOW, "auto, c or cuda"},
    {"arch", OPTION_ARCH, COMMAND_SHOW, "a GPU's architecture, as in sm_90"},
    {"threads", OPTION_THREADS, COMMAND_RUN, "a number from 1 to 9999"},
    {"time", OPTION_TIME, COMMAND_RUN, NULL},
    {"stage", OPTION_STAGE, COMMAND_SHOW,
     "tokens, ast, types, groups, ir, c, asm, cuda, ptx, sass or all"},
    {"format", OPTION_FORMAT, COMMAND_OPS, "text, md or json"},
    {"format", OPTION_PLAIN_FORMAT, COMMAND_DOCTOR, "text or json"},
    {"size", OPTION_SIZE, COMMAND_CACHE, "a number of bytes, as in 64M"},
    {"quiet", 'q', ALL_COMMANDS, NULL},
    {"help", 'h', ALL_COMMANDS, NULL},
    {"version", 'V', ALL_COMMANDS, NULL}};

enum { OPTION_ROWS = sizeof option_rows / sizeof *option_rows };

struct parser {
    struct report *report;
    enum command command;
    struct arguments *arguments;
    struct option options[MAX_OPTIONS];
    char letters[2 * MAX_OPTIONS + 3];
};

static void make_tables(struct parser *parser)
{
    int count = 0;
    strcpy(parser->letters, "-:"); /* arguments in order; a missing value is told apart */
    for (int i = 0; i < OPTION_ROWS; i++) {
        const struct option_row *row = &option_rows[i];
        if (!(row->commands & parser->command))
            continue;
        int takes = row->takes ? required_argument : no_argument;
        parser->options[count++] = (struct option){row->name, takes, NULL, row->letter};
        if (row->letter < 256)
            strcat(parser->letters, (char[]){(char)row->letter, row->takes ? ':' : '\0', '\0'});
    }
    parser->options[count] = (struct option){0};
}

static const struct option_row *find_row(const struct parser *parser, int letter)
{
    for (int i = 0; i < OPTION_ROWS; i++)
        if (option_rows[i].letter == letter && option_rows[i].commands & parser->command)
            return &option_rows[i];
    return &option_rows[0];
}

bool is_name(const char *text, size_t length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    if (length == 0 || (text[0] >= '0' && text[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr(letters, text[i]))
            return false;
    return true;
}

/* The first `=` outside brackets, NULL when there is none. */
static const char *find_equals(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += strchr("([{", *text) ? 1 : strchr(")]}", *text) ? -1 : 0;
        if (*text == '=' && depth <= 0)
            return text;
    }
    return NULL;
}

/* What follows the name: ":type" or "@LAYOUT", up to `end`. */
static bool split_type(struct parser *parser, const char *at, const char *end,
                       struct assignment *assignment)
{
    struct pool *pool = parser->report->pool;
    if (at == end)
        return true;
    const char *text = pool_string(pool, at + 1, (size_t)(end - at - 1));
    if (*at == ':')
        assignment->type = text;
    else
        assignment->layout = text;
    bool good = *at == ':' ? *text != '\0' : is_name(text, strlen(text));
    return good || REPORT_ARGUMENT(parser->report, at, (size_t)(end - at), NO_ASSIGNMENT, at,
                                   "':type=value' or '@LAYOUT=value'");
}

/* What an argument should be that is no assignment: a file of a known kind wants its name. */
static const char *no_assignment(struct parser *parser, const char *argument)
{
    const char *extension;
    if (strchr(argument, '=') || kind_of_path(argument, &extension) == KIND_UNKNOWN)
        return "name=value, name:type=value or name@LAYOUT=value";
    return pool_printf(parser->report->pool,
                        parser->command == COMMAND_RUN
                            ? "name=value; write NAME=%s for an input, -o %s for an output"
                            : "name=value; write NAME=%s for an input",
                        argument, argument);
}

static bool add_assignment(struct parser *parser, const char *argument)
{
    struct arguments *arguments = parser->arguments;
    const char *equals = find_equals(argument);
    size_t length = strcspn(argument, ":@=");
    if (!equals || !is_name(argument, length))
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               no_assignment(parser, argument));
    if (!equals[1])
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "name=value: the value is missing");
    struct assignment new = {.argument = argument, .name_length = length, .value = equals + 1};
    new.name = pool_string(parser->report->pool, argument, length);
    if (!split_type(parser, argument + length, equals, &new))
        return false;
    POOL_PUSH(parser->report->pool, arguments->inputs, arguments->input_count, new);
    return true;
}

static bool takes_program(enum command command)
{
    return command != COMMAND_OPS && command != COMMAND_DOCTOR;
}

static bool add_positional(struct parser *parser, const char *argument)
{
    if (!takes_program(parser->command))
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "an option, and this command takes nothing else");
    if (parser->arguments->program && parser->command == COMMAND_CACHE)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "an option, and 'weft cache' takes one word");
    if (parser->arguments->program && parser->command == COMMAND_BUILD)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "an option, and 'weft build' takes one file");
    if (parser->arguments->program)
        return add_assignment(parser, argument);
    const char *extension;
    if (kind_of_path(argument, &extension) != KIND_UNKNOWN && access(argument, F_OK) == 0)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), FILE_AS_PROGRAM,
                               argument, argument);
    parser->arguments->program = argument;
    return true;
}

/* The text before the first `=` is a name if it could be one; a path such as ./a=b.npy has none. */
static bool add_output(struct parser *parser, const char *argument)
{
    struct arguments *arguments = parser->arguments;
    size_t length = strcspn(argument, "=");
    struct destination new = {.argument = argument, .path = argument};
    if (*argument == '=')
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument,
                               "PATH or name=PATH: the result's name is empty; a file of this name "
                               "is written as ./=...");
    if (argument[length] && is_name(argument, length)) {
        new.name = pool_string(parser->report->pool, argument, length);
        new.path = argument + length + 1;
    }
    if (!*new.path)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), OPTION_VALUE, "-o",
                               find_row(parser, 'o')->takes, argument);
    POOL_PUSH(parser->report->pool, arguments->outputs, arguments->output_count, new);
    return true;
}

/* Of weft build: where its files go. */
static bool set_directory(struct parser *parser, const char *argument)
{
    struct arguments *arguments = parser->arguments;
    const struct destination new = {argument, NULL, argument};
    if (!*argument || arguments->output_count)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), OPTION_VALUE, "-o",
                               find_row(parser, 'o')->takes, argument);
    POOL_PUSH(parser->report->pool, arguments->outputs, arguments->output_count, new);
    return true;
}

static bool set_levels(struct parser *parser, const char *value)
{
    static const char *const names[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    static const unsigned bits[] = {WEFT_X86_64_V2, WEFT_X86_64_V3, WEFT_X86_64_V4};
    for (const char *word = value, *end;; word = end + 1) {
        int found = 0;
        end = word + strcspn(word, ",");
        while (found < 3 && (strlen(names[found]) != (size_t)(end - word) ||
                             memcmp(names[found], word, (size_t)(end - word)) != 0))
            found++;
        if (found == 3)
            return REPORT_ARGUMENT(parser->report, word, (size_t)(end - word), OPTION_VALUE, "--isa",
                                   find_row(parser, OPTION_ISA)->takes, value);
        parser->arguments->levels |= bits[found];
        if (!*end)
            return true;
    }
}

static bool set_bundle(struct parser *parser, const char *value)
{
    parser->arguments->bundle = value;
    return (is_name(value, strlen(value)) && strlen(value) < 200) ||
           REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE, "--bundle",
                           "a name of letters, digits and underscores", value);
}

/* What is a name of an architecture NVRTC knows; this catches the slip of a hand. */
static bool add_arch(struct parser *parser, const char *value)
{
    struct arguments *arguments = parser->arguments;
    const size_t digits = strlen(value) > 3 ? strspn(value + 3, "0123456789") : 0;
    if (strncmp(value, "sm_", 3) != 0 || value[3] == '0' || digits < 2 || digits > 4 || value[3 + digits])
        return REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE, "--arch",
                               find_row(parser, OPTION_BUILD_ARCH)->takes, value);
    for (int i = 0; i < arguments->arch_count; i++)
        if (strcmp(arguments->archs[i], value) == 0)
            return true;
    POOL_PUSH(parser->report->pool, arguments->archs, arguments->arch_count, value);
    return true;
}

/* One of a few words, of which `words` has `count`; its position in *choice. */
static bool choose(struct parser *parser, int letter, const char *value, const char *const *words,
                   int count, int *choice)
{
    for (*choice = 0; *choice < count; ++*choice)
        if (strcmp(words[*choice], value) == 0)
            return true;
    const struct option_row *row = find_row(parser, letter);
    return REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE,
                           pool_printf(parser->report->pool, "--%s", row->name), row->takes,
                           value);
}

static bool set_size(struct parser *parser, const char *value)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long size = strtoull(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (!(*value >= '0' && *value <= '9') || errno || (*end && (!unit || end[1])) ||
        size >= UINT64_MAX >> shift)
        return REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE, "--size",
                               find_row(parser, OPTION_SIZE)->takes, value);
    parser->arguments->size = (uint64_t)size << shift;
    return true;
}

static bool set_threads(struct parser *parser, const char *value)
{
    size_t length = strlen(value);
    bool digits = length <= 4 && strspn(value, "0123456789") == length;
    parser->arguments->threads = digits ? atoi(value) : 0;
    if (parser->arguments->threads == 0)
        return REPORT_ARGUMENT(parser->report, value, length, OPTION_VALUE, "--threads",
                               find_row(parser, OPTION_THREADS)->takes, value);
    return true;
}

/* Whether there is such a GPU the library knows, or NVRTC; this catches the slip of a hand. */
static bool set_arch(struct parser *parser, const char *value)
{
    parser->arguments->arch = value;
    if (strncmp(value, "sm_", 3) == 0 && strspn(value + 3, "0123456789") >= 2)
        return true;
    return REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE, "--arch",
                           find_row(parser, OPTION_ARCH)->takes, value);
}

static bool set_option(struct parser *parser, int letter, char *value)
{
    static const char *const maths[] = {"strict", "fast"}, *const targets[] = {"auto", "c", "cuda"},
                             *const build_targets[] = {"c", "cuda"},
                             *const tiers[] = {"exact", "fast", "none"},
                             *const formats[] = {"text", "md", "json"},
                             *const plain_formats[] = {"text", "json"},
                             *const stages[] = {"tokens", "ast", "types", "groups",
                                                "ir",     "c",   "asm",   "cuda",
                                                "ptx",    "sass", "all"};
    static const int stage_count = sizeof stages / sizeof *stages;
    struct arguments *arguments = parser->arguments;
    int choice;
    switch (letter) {
    case 1:
        return add_positional(parser, value);
    case 'o':
        return parser->command == COMMAND_BUILD ? set_directory(parser, value) : add_output(parser, value);
    case OPTION_BUILD_TARGET:
        if (!choose(parser, letter, value, build_targets, 2, &choice))
            return false;
        arguments->cuda = choice;
        return true;
    case OPTION_BUILD_ARCH:
        return add_arch(parser, value);
    case OPTION_BUNDLE:
        return set_bundle(parser, value);
    case OPTION_ISA:
        return set_levels(parser, value);
    case OPTION_OPENMP:
        return arguments->openmp = true;
    case OPTION_DEPFILE:
        arguments->depfile = value;
        return *value || REPORT_ARGUMENT(parser->report, value, 0, OPTION_VALUE, "--depfile", "a path", value);
    case OPTION_CHECK:
        return arguments->check = true;
    case OPTION_LIST:
        return arguments->list = true;
    case 'q':
        return parser->report->quiet = true;
    case 'h':
        return arguments->help = true;
    case 'V':
        return arguments->version = true;
    case OPTION_TIME:
        return arguments->time = true;
    case OPTION_THREADS:
        return set_threads(parser, value);
    case OPTION_TARGET:
        if (!choose(parser, letter, value, targets, 3, &choice))
            return false;
        arguments->target = (enum weft_target)choice; /* so do these */
        return true;
    case OPTION_ARCH:
        return set_arch(parser, value);
    case OPTION_TIER:
        if (!choose(parser, letter, value, tiers, 3, &choice))
            return false;
        arguments->tier = (enum weft_tier)choice; /* the words stand in its order */
        return true;
    case OPTION_FORMAT:
        arguments->format = value;
        return choose(parser, letter, value, formats, 3, &choice);
    case OPTION_PLAIN_FORMAT:
        arguments->format = value;
        return choose(parser, letter, value, plain_formats, 2, &choice);
    case OPTION_SIZE:
        return set_size(parser, value);
    case OPTION_STAGE:
        arguments->stage = value;
        return choose(parser, letter, value, stages, stage_count, &choice);
    default:
        if (!choose(parser, letter, value, maths, 2, &choice))
            return false;
        arguments->math = choice ? WEFT_MATH_FAST : WEFT_MATH_STRICT;
        return true;
    }
}

/* The known option that `argument` resembles, else how an expression may look like one. */
static const char *option_hint(struct parser *parser, const char *argument)
{
    const char *names[MAX_OPTIONS], *hint = "";
    size_t count = 0, length = strcspn(argument, "=");
    for (; parser->options[count].name; count++)
        names[count] = pool_printf(parser->report->pool, "--%s", parser->options[count].name);
    if (strncmp(argument, "--", 2) == 0)
        hint = report_hint(parser->report, pool_string(parser->report->pool, argument, length),
                           names, count);
    return *hint || !takes_program(parser->command)
               ? hint
               : "; an expression that begins with '-' comes after '--'";
}

/* What getopt_long would have printed about `argument`. */
static bool option_error(struct parser *parser, int problem, const char *argument)
{
    size_t length = strlen(argument);
    if (problem == ':') {
        const struct option_row *row = find_row(parser, optopt);
        return REPORT_ARGUMENT(parser->report, argument, length, OPTION_EMPTY, argument,
                               row->takes);
    }
    if (strncmp(argument, "--", 2) == 0 && optopt)
        return REPORT_ARGUMENT(parser->report, argument, length, OPTION_EMPTY,
                               pool_printf(parser->report->pool, "--%s", find_row(parser, optopt)->name),
                               "no value");
    return REPORT_ARGUMENT(parser->report, argument, length, NO_OPTION,
                           (int)(length < 80 ? length : 80), argument,
                           option_hint(parser, argument));
}

static bool parse_all(struct parser *parser, int argc, char **argv)
{
    optind = 0; /* start over: glibc's word for it */
    opterr = 0;
    for (;;) {
        int before = optind ? optind : 1;
        int letter = getopt_long(argc, argv, parser->letters, parser->options, NULL);
        if (letter == -1)
            break;
        if (letter == '?' || letter == ':')
            return option_error(parser, letter, argv[before]);
        if (!set_option(parser, letter, optarg))
            return false;
    }
    for (; optind < argc; optind++)
        if (!add_positional(parser, argv[optind]))
            return false;
    return true;
}

bool arguments_parse(struct report *report, enum command command, int argc, char **argv,
                     struct arguments *arguments)
{
    *arguments = (struct arguments){.size = UINT64_MAX};
    struct parser parser = {.report = report, .command = command, .arguments = arguments};
    make_tables(&parser);
    if (!parse_all(&parser, argc, argv))
        return false;
    if (arguments->help || arguments->version || !takes_program(command) || arguments->program)
        return true;
    return REPORT_ARGUMENT(report, NULL, 0, NO_PROGRAM,
                           command == COMMAND_CACHE   ? "path, list, verify, prune or clear"
                           : command == COMMAND_BUILD ? "a .weft file"
                                                      : "an expression or a .weft file",
                           pool_printf(report->pool, "weft %s --help", argv[0]));
}
