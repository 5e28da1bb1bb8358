/* The command `weft`: parses the command line and calls the subcommand.
 *
 * Invariant: the exit status is the report's: 0 done, 1 no result, 2 wrong usage. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/outputs/outputs.h"

#include <string.h>
#include <sys/resource.h>

enum { STACK_KB = 256 };

typedef bool run_command(struct report *report, const struct arguments *arguments);

static run_command *const runs[COMMAND_COUNT] = {
    [COMMAND_RUN] = command_run, [COMMAND_SHOW] = command_show, [COMMAND_CHECK] = command_check,
    [COMMAND_BUILD] = command_build, [COMMAND_CACHE] = command_cache, [COMMAND_OPS] = command_ops,
    [COMMAND_DOCTOR] = command_doctor};

static bool print_help(struct report *report, enum command command)
{
    help_print(stdout, command);
    return output_flush(report);
}

static bool print_version(struct report *report)
{
    printf("weft %d.%d.%d\n", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    return output_flush(report);
}

static bool run_one(struct report *report, enum command command, int argc, char **argv)
{
    struct arguments arguments;
    if (!arguments_parse(report, command, argc, argv, &arguments))
        return false;
    return arguments.help      ? print_help(report, command)
           : arguments.version ? print_version(report)
                               : runs[command](report, &arguments);
}

/* weft help [COMMAND]. */
static bool help(struct report *report, int argc, char **argv)
{
    const char *const *names = command_names + 1;
    const int count = COMMAND_COUNT - 1;
    if (argc > 3)
        return REPORT_ARGUMENT(report, argv[3], strlen(argv[3]), NO_ASSIGNMENT, argv[3],
                               "a command, and 'weft help' takes one");
    for (int i = 0; i < count && argc == 3; i++)
        if (strcmp(argv[2], names[i]) == 0)
            return print_help(report, (enum command)(i + 1));
    return argc < 3 ? print_help(report, COMMAND_ALL)
                    : REPORT_ARGUMENT(report, argv[2], strlen(argv[2]), NO_COMMAND, "command", argv[2],
                                      report_hint(report, argv[2], names, (size_t)count));
}

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

static bool dispatch(struct report *report, int argc, char **argv)
{
    static const char *const options[] = {"--help", "--version"};
    const char *const *names = command_names + 1;
    const int count = COMMAND_COUNT - 1;
    if (argc < 2)
        return REPORT_ARGUMENT(report, NULL, 0, NO_PROGRAM, "a command", "weft --help");
    for (int i = 0; i < count; i++)
        if (strcmp(argv[1], names[i]) == 0)
            return run_one(report, (enum command)(i + 1), argc - 1, argv + 1);
    if (is_one_of(argv[1], "--help", "-h", "help"))
        return help(report, argc, argv);
    if (is_one_of(argv[1], "--version", "-V", "version"))
        return print_version(report);
    bool option = argv[1][0] == '-';
    const char *hint = option ? report_hint(report, argv[1], options, 2)
                              : report_hint(report, argv[1], names, (size_t)count);
    if (!option && !*hint && (argc > 2 || !is_name(argv[1], strlen(argv[1]))))
        hint = strcmp(argv[1], "explain") == 0
                   ? "; each message says what to write instead, and its rule is one of docs/language.md"
               : is_one_of(argv[1], "debug", "trace", "inspect")
                   ? "; 'weft run EXPR name=value --trace' prints every value on the way, 'weft show' types and kernels"
               : is_name(argv[1], strlen(argv[1]))
                   ? "; 'weft run EXPR name=value' computes an expression, as in weft run 'uint8(img * 1.5)' "
                     "img=photos/ -o brighter/"
                   : pool_printf(report->pool, "; a program comes behind a command, as in weft run '%s'", argv[1]);
    return REPORT_ARGUMENT(report, argv[1], strlen(argv[1]), NO_COMMAND, option ? "option" : "command",
                           argv[1], hint);
}

/* Deep programs need most of it, threads take the same limit, and without any nothing could be said. */
static bool check_stack(struct report *report)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_KB << 10 ||
           REPORT_FILE(report, "weft", STACK, (unsigned long long)limit.rlim_cur >> 10, STACK_KB);
}

int main(int argc, char **argv)
{
    struct pool pool = {NULL};
    struct report report;
    ending_start();
    output_init();
    report_init(&report, &pool, stderr, argv + 1, argc ? argc - 1 : 0);
    bool good = check_stack(&report) && dispatch(&report, argc, argv);
    ending_pass();
    pool_finish(&pool);
    return good || report.status ? report.status : 1;
}
