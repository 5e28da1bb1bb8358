/* Random whole programs against the reference evaluator:
 *     random --seed 1 --count 1000 --cc libtcc --jobs 2
 * Program i has seed + i, and that number alone repeats it. What fails is made small and printed, with
 * the command that repeats it. Last comes a table of what the programs were made of. */
#include "tests/random/report.h"
#include "tests/random/shrink.h"
#include "tests/sample.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, MOST_FAILURES = 20, PER_CONTEXT = 64, SECONDS = 300 };

struct options {
    uint64_t seed, count;
    int jobs, failures;
    const char *cc, *flags;
    struct limits limits;
    bool quiet;
};

/* Shared by all processes. */
struct shared {
    _Atomic uint64_t next;         /* the first program that nobody has taken */
    _Atomic int failures;
    uint64_t failed[MOST_FAILURES];
    _Atomic uint64_t current[MOST_JOBS];
    struct tally tallies[MOST_JOBS];
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- a worker ---- */

static void note_failure(struct shared *shared, uint64_t seed)
{
    int index = atomic_fetch_add(&shared->failures, 1);
    if (index < MOST_FAILURES)
        shared->failed[index] = seed;
}

static bool run_program(const struct options *options, struct machine *machine,
                        struct shared *shared, int job, uint64_t seed)
{
    static struct trial trial;
    struct outcome outcome;
    struct arena arena;
    arena_init(&arena);
    alarm(SECONDS);
    atomic_store(&shared->current[job], seed);
    trial_generate(&trial, &arena, seed, &options->limits);
    execute(machine, &trial, &arena, &outcome);
    if (outcome.verdict > LIMITED)
        note_failure(shared, seed);
    tally_add(&shared->tallies[job], &trial, outcome.verdict);
    arena_finish(&arena);
    return outcome.verdict <= LIMITED;
}

/* Takes programs in runs that share a context, until there are none or enough have failed. */
static void work(const struct options *options, struct shared *shared, int job)
{
    uint64_t first;
    while ((first = atomic_fetch_add(&shared->next, PER_CONTEXT)) < options->count) {
        struct machine *machine = machine_create(options->cc, options->flags,
                                                 (options->seed + first) / PER_CONTEXT);
        for (uint64_t i = first; i < first + PER_CONTEXT && i < options->count; i++) {
            if (atomic_load(&shared->failures) >= options->failures)
                break;
            run_program(options, machine, shared, job, options->seed + i);
        }
        machine_destroy(machine);
    }
}

static pid_t start(const struct options *options, struct shared *shared, int job)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work(options, shared, job);
        _exit(0);
    }
    return child;
}

/* A worker that dies leaves the seed it was at; another one takes its place. */
static void run_workers(const struct options *options, struct shared *shared)
{
    pid_t children[MOST_JOBS];
    int running = options->jobs, status;
    for (int j = 0; j < options->jobs; j++)
        children[j] = start(options, shared, j);
    while (running > 0) {
        pid_t child = wait(&status);
        if (child < 0)
            return;
        for (int j = 0; j < options->jobs; j++) {
            if (children[j] != child)
                continue;
            running--;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                continue;
            note_failure(shared, atomic_load(&shared->current[j]));
            if (atomic_load(&shared->failures) < options->failures) {
                children[j] = start(options, shared, j);
                running++;
            }
        }
    }
}

/* ---- failures ---- */

static void print_command(const struct options *options, uint64_t seed)
{
    printf("to repeat: random --seed %" PRIu64 " --count 1 --cc %s", seed, options->cc);
    if (*options->flags)
        printf(" --cflags '%s'", options->flags);
    if (options->limits.large)
        printf(" --large");
    if (options->limits.nodes != 60)
        printf(" --max-nodes %d", options->limits.nodes);
    if (options->limits.relatives != 1)
        printf(" --relatives %d", options->limits.relatives);
    if (!options->limits.batches)
        printf(" --no-batches");
    if (!options->limits.views)
        printf(" --no-views");
    if (options->limits.reductions != REDUCTIONS_SOMEWHERE)
        printf(options->limits.reductions == REDUCTIONS_NOT ? " --no-reductions" : " --reductions");
    printf("\n");
}

static void tell_failure(const struct options *options, uint64_t seed)
{
    static struct trial trial;
    struct attempts attempts = {.cc = options->cc, .flags = options->flags, .seconds = 60};
    struct outcome outcome;
    struct arena arena;
    arena_init(&arena);
    trial_generate(&trial, &arena, seed, &options->limits);
    printf("---- seed %" PRIu64 " ----\n", seed);
    fflush(stdout);
    attempt(&attempts, &trial, &outcome);
    if (outcome.verdict <= LIMITED) {
        printf("does not fail alone; the programs before it in its context take part: --seed %" PRIu64
               " --count %d --jobs 1\n", seed - seed % PER_CONTEXT, (int)(seed % PER_CONTEXT) + 1);
    } else {
        int nodes = trial.formula.count;
        printf("%s: %s\n", verdict_names[outcome.verdict], outcome.message);
        fflush(stdout);
        shrink(&attempts, &trial, &arena, &outcome);
        printf("%s: %s\n%d nodes, %d before, %d attempts\n", verdict_names[outcome.verdict],
               outcome.message, trial.formula.count, nodes, attempts.count);
        trial_print(&trial);
    }
    print_command(options, seed);
    fflush(stdout);
    arena_finish(&arena);
}

/* ---- options ---- */

static _Noreturn void usage(void)
{
    puts("usage: random [--seed N] [--count N] [--jobs N] [--cc libtcc|gcc|clang] [--cflags WORDS]\n"
         "              [--max-nodes N] [--large] [--relatives N] [--no-batches] [--no-views]\n"
         "              [--no-reductions] [--reductions] [--failures N] [--quiet] [--print]");
    exit(2);
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = text ? strtoull(text, &end, 0) : 0;
    if (!text || *end || !*text)
        usage();
    return value;
}

static struct options read_options(int count, char **words, bool *print)
{
    struct options options = {.seed = 1, .count = 100, .jobs = 1, .failures = 3, .cc = "cc",
                              .flags = "", .limits = {60, false, true, true, REDUCTIONS_SOMEWHERE, 1}};
    for (int i = 1; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
        i++;
        if (!strcmp(word, "--seed"))
            options.seed = number(value);
        else if (!strcmp(word, "--count"))
            options.count = value && strchr(value, '/') ? (uint64_t)sample_number(value) : number(value);
        else if (!strcmp(word, "--jobs"))
            options.jobs = (int)number(value);
        else if (!strcmp(word, "--failures"))
            options.failures = (int)number(value);
        else if (!strcmp(word, "--max-nodes"))
            options.limits.nodes = (int)number(value);
        else if (!strcmp(word, "--cc") && value)
            options.cc = value;
        else if (!strcmp(word, "--cflags") && value)
            options.flags = value;
        else if (!strcmp(word, "--relatives"))
            options.limits.relatives = (int)number(value);
        else if (i--, !strcmp(word, "--no-batches"))
            options.limits.batches = false;
        else if (!strcmp(word, "--large"))
            options.limits.large = true;
        else if (!strcmp(word, "--no-views"))
            options.limits.views = false;
        else if (!strcmp(word, "--no-reductions"))
            options.limits.reductions = REDUCTIONS_NOT;
        else if (!strcmp(word, "--reductions"))
            options.limits.reductions = REDUCTIONS_EVERYWHERE;
        else if (!strcmp(word, "--quiet"))
            options.quiet = true;
        else if (!strcmp(word, "--print"))
            *print = true;
        else
            usage();
    }
    if (options.jobs < 1 || options.jobs > MOST_JOBS || options.failures < 1 ||
        options.limits.relatives < 1)
        usage();
    return options;
}

static void print_programs(const struct options *options)
{
    static struct trial trial;
    for (uint64_t i = 0; i < options->count; i++) {
        struct arena arena;
        arena_init(&arena);
        trial_generate(&trial, &arena, options->seed + i, &options->limits);
        printf("---- seed %" PRIu64 " ----\n", options->seed + i);
        trial_settle(&trial);
        trial_print(&trial);
        arena_finish(&arena);
    }
}

int main(int count, char **words)
{
    bool print = false;
    struct options options = read_options(count, words, &print);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    if (print) {
        print_programs(&options);
        return 0;
    }
    double began = now();
    run_workers(&options, shared);
    double seconds = now() - began;
    struct tally total = {0};
    for (int j = 0; j < options.jobs; j++)
        tally_join(&total, &shared->tallies[j]);
    int failures = atomic_load(&shared->failures);
    for (int i = 0; i < failures && i < options.failures && i < MOST_FAILURES; i++)
        tell_failure(&options, shared->failed[i]);
    printf("seeds %" PRIu64 " to %" PRIu64 ", %s %s: %" PRIu64 " programs, %" PRIu64
           " skipped, %" PRIu64 " beyond a limit, %d failed, %.1f s, %.1f programs/s, %d jobs\n", options.seed,
           options.seed + options.count - 1, options.cc, options.flags, total.programs,
           total.verdicts[SKIPPED], total.verdicts[LIMITED], failures, seconds,
           (double)total.programs / seconds, options.jobs);
    bool covered = tally_print(&total, options.quiet);
    return failures || !covered;
}
