/* See arguments.h. */
#include "cli/options/arguments.h"

#include "cli/files/files.h"
#include "cli/options/options_impl.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OPTIONS = 24, LONG = 256 }; /* LONG: getopt_long's number of a row without a letter, with its id */

const char *const command_names[COMMAND_COUNT] = {
#define COMMAND(id, name, ...) [COMMAND_##id] = #name,
#include "cli/options/options.def"
};

const struct option_row option_rows[] = {
#define OPTION(id, command, letter, name, word, values, takes, many, brief, text)                  \
    {OPTION_##id, COMMAND_##command, letter, name, word, values, takes, text},
#define NOTE(command, head, text) {OPTION_NOTE, COMMAND_##command, 0, NULL, head, NULL, NULL, text},
#include "cli/options/options.def"
};
const int option_row_count = sizeof option_rows / sizeof *option_rows;

struct parser {
    struct report *report;
    enum command command;
    struct arguments *arguments;
    struct option options[MAX_OPTIONS];
    char letters[2 * MAX_OPTIONS + 3];
};

static int row_number(const struct option_row *row)
{
    return row->letter ? row->letter : LONG + (int)row->id;
}

static void make_tables(struct parser *parser)
{
    int count = 0;
    strcpy(parser->letters, "-:"); /* -: arguments in order; ":" is returned for a missing value */
    for (int i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->name || !option_is_for(row, parser->command))
            continue;
        parser->options[count++] =
            (struct option){row->name, row->word ? required_argument : no_argument, NULL, row_number(row)};
        if (row->letter)
            strcat(parser->letters, (char[]){(char)row->letter, row->word ? ':' : '\0', '\0'});
    }
    parser->options[count] = (struct option){0};
}

static const struct option_row *find_row(const struct parser *parser, int number)
{
    for (int i = 0; i < option_row_count; i++)
        if (row_number(&option_rows[i]) == number && option_is_for(&option_rows[i], parser->command))
            return &option_rows[i];
    return &option_rows[0];
}

/* What a value may be, in words: "auto, c or cuda". */
static const char *takes_text(struct parser *parser, const struct option_row *row)
{
    struct pool *pool = parser->report->pool;
    const char *text = row->takes, *words = row->values;
    for (bool first = true; !row->takes && *words; first = false) {
        const int length = (int)strcspn(words, " ");
        const bool last = !words[length];
        text = first ? pool_string(pool, words, (size_t)length)
                     : pool_printf(pool, "%s%s%.*s", text, last ? " or " : ", ", length, words);
        words += length + !last;
    }
    return text;
}

/* Names the word that a value resembles; a list of words, where one is taken, gets another advice. */
static const char *value_hint(struct parser *parser, const struct option_row *row, const char *value)
{
    enum { MOST = 24 };            /* words of an option */
    struct pool *pool = parser->report->pool;
    const char *names[MOST], *words = row->values ? row->values : "";
    size_t count = 0;
    for (size_t length; *words && count < MOST; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        names[count++] = pool_string(pool, words, length);
    }
    const bool list = strchr(value, ',');
    return count && list && !row->takes ? "; it takes one of them"
           : count && !list             ? report_hint(parser->report, value, names, count)
                                        : "";
}

/* A value that the option does not take, or a part of it. */
static bool bad_value(struct parser *parser, const struct option_row *row, const char *place, size_t length,
                      const char *value)
{
    struct pool *pool = parser->report->pool;
    const char *option = row->letter ? pool_printf(pool, "-%c", row->letter) : pool_printf(pool, "--%s", row->name);
    return REPORT_ARGUMENT(parser->report, place, length, OPTION_VALUE, option, takes_text(parser, row), value,
                           value_hint(parser, row, value));
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
    if (at == end)
        return true;
    const char *text = pool_string(parser->report->pool, at + 1, (size_t)(end - at - 1));
    if (*at == ':')
        assignment->type = text;
    else
        assignment->layout = text;
    bool good = *at == ':' ? *text != '\0' : is_name(text, strlen(text));
    return good || REPORT_ARGUMENT(parser->report, at, (size_t)(end - at), NO_ASSIGNMENT, at,
                                   "':type=value' or '@LAYOUT=value'");
}

/* Whether a text has more opening than closing brackets. */
static bool is_open(const char *text)
{
    int depth = 0;
    for (; *text; text++)
        depth += strchr("([{", *text) ? 1 : strchr(")]}", *text) ? -1 : 0;
    return depth > 0;
}

/* Whether a text is NAME=.., as an input is, with blanks before the '=' or not. */
static bool begins_as_input(const char *text, size_t *length)
{
    *length = strcspn(text, " :@=");
    const char *rest = text + *length + strspn(text + *length, " ");
    return is_name(text, *length) && *rest == '=' && rest[1] != '=';
}

/* What an argument is that belongs to a word before it: a piece of a list or of a position, the program behind its
 * inputs, a kernel behind its file; NULL: none of these. */
static const char *other_word(struct parser *parser, const char *argument)
{
    struct pool *pool = parser->report->pool;
    const struct arguments *arguments = parser->arguments;
    const struct assignment *last = arguments->input_count ? &arguments->inputs[arguments->input_count - 1] : NULL;
    const char *program = arguments->program;
    const size_t size = strlen(program);
    const bool position = argument[strspn(argument, "0123456789,-[] ")] == '\0';
    size_t length;
    if (argument[0] == '-' && argument[1])
        return pool_printf(pool, "name=value; options stand before '--', as in weft %s %s -- '%s'",
                           command_names[parser->command], argument, program);
    if (position && arguments->at_text)
        return pool_printf(pool, "name=value; a position is one word, as in --at %s,%s", arguments->at_text, argument);
    if (last && is_open(last->value))
        return pool_printf(pool, "name=value; quote a list that has blanks, as in '%.*s=[1, 2]'",
                           (int)last->name_length, last->argument);
    if (position && arguments->trace)
        return pool_printf(pool, "name=value; the position of an element is --at %s", argument);
    if (size > 5 && strcmp(program + size - 5, ".weft") == 0 && is_name(argument, strlen(argument)))
        return pool_printf(pool, "name=value; a kernel is named with its file, as in %s:%s", program, argument);
    if (!last && argument[strspn(argument, "+-*/%<>&|^!()0123456789. ")] == '\0' && strpbrk(argument, "+-*/%<>&|^"))
        return pool_printf(pool, "name=value; quote an expression that has blanks: '%s %s ..'", program, argument);
    if (begins_as_input(argument, &length) && argument[length] == ' ')
        return pool_printf(pool, "name=value; write %.*s=VALUE in one word, without blanks", (int)length, argument);
    if (begins_as_input(program, &length) && program[length] == '=' && access(argument, F_OK) != 0)
        return pool_printf(pool, "name=value; the expression comes first: '%s' %s", argument, program);
    return NULL;
}

/* What an argument that is no assignment should have been: a file of a known kind lacks its name, and a type without a
 * value stands behind `=`, where a command takes types. */
static const char *no_assignment(struct parser *parser, const char *argument)
{
    const char *extension;
    const size_t length = strcspn(argument, ":@=");
    const bool types = parser->command == COMMAND_SHOW || parser->command == COMMAND_CHECK;
    if (types && argument[length] == ':' && !strchr(argument, '=') && is_name(argument, length))
        return pool_printf(parser->report->pool, "name=type or name:type=value; write %.*s=%s%s", (int)length, argument,
                           argument[length + 1] == '(' ? "float32" : "", argument + length + 1);
    const bool known = kind_of_path(argument, &extension) != KIND_UNKNOWN;
    const char *other = other_word(parser, argument);
    if (other)
        return other;
    if (!known && is_name(argument, strlen(argument)) && access(argument, F_OK) != 0)
        return pool_printf(parser->report->pool, "name=value; write %s=VALUE in one word, without blanks", argument);
    if (strchr(argument, '=') || (!known && access(argument, F_OK) != 0))
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

/* Whether a file or a directory with values has this name. */
static bool holds_values(const char *path)
{
    const char *extension;
    const size_t length = strlen(path);
    const bool directory = length && path[length - 1] == '/';
    return (directory || kind_of_path(path, &extension) != KIND_UNKNOWN) && access(path, F_OK) == 0;
}

/* What stands where a program belongs: values, alone or as an input; NULL: what may be a program. */
static const char *values_as_program(const char *argument)
{
    size_t length;
    if (holds_values(argument))
        return argument[strlen(argument) - 1] == '/' ? "a directory" : "a file of values";
    return begins_as_input(argument, &length) && argument[length] == '=' && holds_values(argument + length + 1)
               ? "an input"
               : NULL;
}

static bool add_positional(struct parser *parser, const char *argument)
{
    const enum command command = parser->command;
    const char *instead = command == COMMAND_OPS     ? "an option, and 'weft ops' takes one name"
                          : !takes_program(command)  ? "an option, and this command takes nothing else"
                          : command == COMMAND_CACHE ? "an option, and 'weft cache' takes one word"
                          : command == COMMAND_BUILD ? "an option, and 'weft build' takes one file"
                                                     : NULL;
    if (instead && (command == COMMAND_DOCTOR || parser->arguments->program))
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), NO_ASSIGNMENT, argument, instead);
    if (parser->arguments->program)
        return add_assignment(parser, argument);
    const char *what = values_as_program(argument);
    if (what)
        return REPORT_ARGUMENT(parser->report, argument, strlen(argument), FILE_AS_PROGRAM, argument, what,
                               strcmp(what, "an input") == 0 ? "" : "NAME=", argument);
    parser->arguments->program = argument;
    return true;
}

/* The text before the first `=` is a name if it could be one; a path such as ./a=b.npy has none. */
static bool add_output(struct parser *parser, const struct option_row *row, const char *argument)
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
        return bad_value(parser, row, argument, strlen(argument), argument);
    POOL_PUSH(parser->report->pool, arguments->outputs, arguments->output_count, new);
    return true;
}

/* Of weft build: where its files go. */
static bool set_directory(struct parser *parser, const struct option_row *row, const char *argument)
{
    struct arguments *arguments = parser->arguments;
    const struct destination new = {argument, NULL, argument};
    if (!*argument || arguments->output_count)
        return bad_value(parser, row, argument, strlen(argument), argument);
    POOL_PUSH(parser->report->pool, arguments->outputs, arguments->output_count, new);
    return true;
}

/* The position of a word of `length` bytes among a row's values; -1: it is none of them. */
static int find_value(const struct option_row *row, const char *word, size_t length)
{
    const char *value = row->values;
    for (int i = 0; *value; i++) {
        const size_t size = strcspn(value, " ");
        if (size == length && memcmp(value, word, length) == 0)
            return i;
        value += size + (value[size] == ' ');
    }
    return -1;
}

/* Words with commas between, whose values stand in the order of an enumeration of bits. */
static bool set_bits(struct parser *parser, const struct option_row *row, const char *value, unsigned *bits)
{
    for (const char *word = value;; word++) {
        const size_t length = strcspn(word, ",");
        const int found = find_value(row, word, length);
        if (found < 0)
            return bad_value(parser, row, word, length, value);
        *bits |= 1u << found;
        word += length;
        if (!*word)
            return true;
    }
}

static bool set_levels(struct parser *parser, const struct option_row *row, const char *value)
{
    return set_bits(parser, row, value, &parser->arguments->levels);
}

static bool set_entries(struct parser *parser, const struct option_row *row, const char *value)
{
    return set_bits(parser, row, value, &parser->arguments->entries);
}

/* Words with commas between; they stay a text. */
static bool set_stages(struct parser *parser, const struct option_row *row, const char *value)
{
    parser->arguments->stage = value;
    for (const char *word = value;; word++) {
        const size_t length = strcspn(word, ",");
        if (find_value(row, word, length) < 0)
            return bad_value(parser, row, word, length, pool_printf(parser->report->pool, "%.*s", (int)length, word));
        word += length;
        if (!*word)
            return true;
    }
}

static bool set_bundle(struct parser *parser, const struct option_row *row, const char *value)
{
    (void)row;
    parser->arguments->bundle = value;
    return (is_name(value, strlen(value)) && strlen(value) < 200) ||
           REPORT_ARGUMENT(parser->report, value, strlen(value), OPTION_VALUE, "--bundle",
                           "a name of letters, digits and underscores", value, "");
}

/* Catches typing errors; NVRTC knows which architectures there are. */
static bool add_arch(struct parser *parser, const struct option_row *row, const char *value)
{
    struct arguments *arguments = parser->arguments;
    const size_t digits = strlen(value) > 3 ? strspn(value + 3, "0123456789") : 0;
    if (strncmp(value, "sm_", 3) != 0 || value[3] == '0' || digits < 2 || digits > 4 || value[3 + digits])
        return bad_value(parser, row, value, strlen(value), value);
    for (int i = 0; i < arguments->arch_count; i++)
        if (strcmp(arguments->archs[i], value) == 0)
            return true;
    POOL_PUSH(parser->report->pool, arguments->archs, arguments->arch_count, value);
    return true;
}

static bool set_size(struct parser *parser, const struct option_row *row, const char *value)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long size = strtoull(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (!(*value >= '0' && *value <= '9') || errno || (*end && (!unit || end[1])) ||
        size >= UINT64_MAX >> shift)
        return bad_value(parser, row, value, strlen(value), value);
    parser->arguments->size = (uint64_t)size << shift;
    return true;
}

static bool set_threads(struct parser *parser, const struct option_row *row, const char *value)
{
    size_t length = strlen(value);
    parser->arguments->threads = length <= 4 && strspn(value, "0123456789") == length ? atoi(value) : 0;
    return parser->arguments->threads || bad_value(parser, row, value, length, value);
}

/* Integers with commas between, perhaps in brackets, as Python and the table write a position. */
static bool set_at(struct parser *parser, const struct option_row *row, const char *value)
{
    struct arguments *arguments = parser->arguments;
    int64_t *numbers = POOL_ARRAY(parser->report->pool, int64_t, strlen(value) + 1);
    const bool brackets = *value == '[';
    const char *at = value + brackets;
    char *end;
    int count = 0;
    arguments->at_text = value;
    at += strspn(at, " ");
    for (bool more = *at && *at != ']'; more; at += more) {
        errno = 0;
        numbers[count++] = strtoll(at, &end, 10);
        if (end == at || errno)
            return bad_value(parser, row, at, strlen(at), value);
        at = end + strspn(end, " ");
        more = *at == ',';
    }
    if (strcmp(at, brackets ? "]" : "") != 0)
        return bad_value(parser, row, at, strlen(at), value);
    arguments->at = numbers;
    arguments->at_count = count;
    return true;
}

static bool set_sample(struct parser *parser, const struct option_row *row, const char *value)
{
    parser->arguments->sample_text = value;
    return *value || bad_value(parser, row, value, 0, value);
}

/* Catches typing errors; the library knows which architectures there are. */
static bool set_arch(struct parser *parser, const struct option_row *row, const char *value)
{
    parser->arguments->arch = value;
    return (strncmp(value, "sm_", 3) == 0 && strspn(value + 3, "0123456789") >= 2) ||
           bad_value(parser, row, value, strlen(value), value);
}

static bool set_page(struct parser *parser, const struct option_row *row, const char *value)
{
    parser->arguments->page = value;
    return (*value && *value != '-') || bad_value(parser, row, value, 0, value);
}

static bool set_depfile(struct parser *parser, const struct option_row *row, const char *value)
{
    parser->arguments->depfile = value;
    return *value || bad_value(parser, row, value, 0, value);
}

/* `choice`: the position of one of the row's values, which stand in the order of their enumeration. */
static bool set_option(struct parser *parser, const struct option_row *row, const char *value, int choice)
{
    typedef bool setter(struct parser *parser, const struct option_row *row, const char *value);
    struct arguments *arguments = parser->arguments;
    setter *const setters[OPTION_NOTE] = {
        [OPTION_OUTPUT] = add_output, [OPTION_DIRECTORY] = set_directory, [OPTION_BUILT_ARCH] = add_arch,
        [OPTION_BUNDLE] = set_bundle, [OPTION_ISA] = set_levels,          [OPTION_DEPFILE] = set_depfile,
        [OPTION_SIZE] = set_size,     [OPTION_THREADS] = set_threads,     [OPTION_SHOWN_ARCH] = set_arch,
        [OPTION_STAGE] = set_stages,  [OPTION_AT] = set_at,               [OPTION_SAMPLE] = set_sample,
        [OPTION_PAGE] = set_page,     [OPTION_ENTRIES] = set_entries};
    const char **const words[OPTION_NOTE] = {[OPTION_FORMAT] = &arguments->format,
                                             [OPTION_FOUND_FORMAT] = &arguments->format};
    bool *const flags[OPTION_NOTE] = {
        [OPTION_OPENMP] = &arguments->openmp, [OPTION_COMPARE] = &arguments->check, [OPTION_LIST] = &arguments->list,
        [OPTION_SHOWN_FULL] = &arguments->full,
        [OPTION_TIME] = &arguments->time,     [OPTION_FORCE] = &arguments->force, [OPTION_HELP] = &arguments->help,
        [OPTION_KEEP_GOING] = &arguments->keep_going,
        [OPTION_TRACE] = &arguments->trace,
        [OPTION_QUIET] = &parser->report->quiet, [OPTION_VERSION] = &arguments->version};
    if (setters[row->id])
        return setters[row->id](parser, row, value);
    if (words[row->id])
        *words[row->id] = value;
    else if (flags[row->id])
        *flags[row->id] = true;
    else if (row->id == OPTION_RUN_FORMAT || row->id == OPTION_CHECKED_FORMAT)
        parser->report->json = choice; /* text stands first */
    else if (row->id == OPTION_TIER)
        arguments->tier = (enum weft_tier)choice;
    else if (row->id == OPTION_SUPPORT)
        arguments->support = (enum weft_support)choice;
    else if (row->id == OPTION_BUILT_TARGET)
        arguments->cuda = choice;
    else if (row->id == OPTION_MATH || row->id == OPTION_SHOWN_MATH)
        arguments->math = (enum weft_math)choice;
    else if (row->id == OPTION_RULES || row->id == OPTION_SHOWN_RULES || row->id == OPTION_CHECKED_RULES)
        arguments->rules = (enum weft_rules)choice;
    else {
        assert(row->id == OPTION_TARGET || row->id == OPTION_SHOWN_TARGET); /* no option was forgotten here */
        arguments->target = (enum weft_target)choice;
    }
    return true;
}

/* What getopt_long found: its number, 1 for an argument that is no option. */
static bool take(struct parser *parser, int number, char *value)
{
    if (number == 1)
        return add_positional(parser, value);
    const struct option_row *row = find_row(parser, number);
    const int choice = row->values && !row->takes ? find_value(row, value, strlen(value)) : 0;
    return choice < 0 ? bad_value(parser, row, value, strlen(value), value)
                      : set_option(parser, row, value, choice);
}

static bool is_spelled(const struct option_row *row, const char *argument, size_t length)
{
    return row->name && argument[0] == '-' &&
           (argument[1] == '-' ? strlen(row->name) == length - 2 && memcmp(row->name, argument + 2, length - 2) == 0
                               : length > 1 && row->letter == argument[1]);
}

/* Names the command whose option it is, or the option that `argument` resembles, else says how to write an expression
 * that begins with '-'. */
static const char *option_hint(struct parser *parser, const char *argument)
{
    const char *names[MAX_OPTIONS], *hint = "";
    size_t count = 0, length = strcspn(argument, "=");
    for (; parser->options[count].name; count++)
        names[count] = pool_printf(parser->report->pool, "--%s", parser->options[count].name);
    for (int i = 0; i < option_row_count; i++)
        if (is_spelled(&option_rows[i], argument, length) && option_rows[i].command != COMMAND_ALL)
            return pool_printf(parser->report->pool, "; 'weft %s' has one", command_names[option_rows[i].command]);
    if (strncmp(argument, "--", 2) == 0)
        hint = report_hint(parser->report, pool_string(parser->report->pool, argument, length),
                           names, count);
    if (*hint || !takes_program(parser->command))
        return hint;
    return strncmp(argument, "--", 2) == 0 && is_name(argument + 2, length - 2)
               ? pool_printf(parser->report->pool, "; an input is given as %.*s=VALUE, and an expression that begins "
                             "with '-' comes after '--'", (int)length - 2, argument + 2)
               : pool_printf(parser->report->pool, "; an expression that begins with '-' comes after '--', and "
                             "options stand before that: weft %s .. -- '%s'", command_names[parser->command],
                             argument);
}

/* What getopt_long would have printed about `argument`. */
static bool option_error(struct parser *parser, int problem, const char *argument)
{
    size_t length = strlen(argument);
    if (problem == ':')
        return REPORT_ARGUMENT(parser->report, argument, length, OPTION_EMPTY, argument,
                               takes_text(parser, find_row(parser, optopt)));
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
    optind = 0; /* glibc's way to start over */
    opterr = 0;
    for (;;) {
        int before = optind ? optind : 1;
        int letter = getopt_long(argc, argv, parser->letters, parser->options, NULL);
        if (letter == -1)
            break;
        if (letter == '?' || letter == ':')
            return option_error(parser, letter, argv[before]);
        if (!take(parser, letter, optarg))
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
    const char *alone = arguments->trace ? NULL : arguments->at_text ? arguments->at_text : arguments->sample_text;
    if (alone)
        return REPORT_ARGUMENT(report, alone, strlen(alone), TRACE_OPTION, arguments->at_text ? "--at" : "--sample",
                               "says what --trace looks at; add --trace");
    const char *missing = command == COMMAND_CACHE   ? "path, list, verify, prune or clear"
                          : command == COMMAND_BUILD ? "a .weft file"
                                                     : "an expression or a .weft file";
    return arguments->help || arguments->version || !takes_program(command) || arguments->program ||
           arguments->support == WEFT_SUPPORT_ONLY ||
           REPORT_ARGUMENT(report, NULL, 0, NO_PROGRAM, missing, pool_printf(report->pool, "weft %s --help", argv[0]));
}
