/* weft cache: what is kept on disk, and removing it. */
#include "cli/commands/commands.h"
#include "cli/outputs/outputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct kept {
    struct report *report;
    struct weft_cache_entry *entries; /* copies */
    int count, damaged, closed; /* closed: directories that cannot be used, which count as no kernel */
    uint64_t bytes;
};

static void keep(void *user, const struct weft_cache_entry *entry)
{
    struct kept *kept = user;
    struct pool *pool = kept->report->pool;
    const struct weft_cache_entry copy = {
        .path = pool_printf(pool, "%s", entry->path), .key = pool_printf(pool, "%s", entry->key),
        .size = entry->size, .used = entry->used, .compiler = report_plain(kept->report, entry->compiler),
        .expression = report_plain(kept->report, entry->expression),
        .problem = entry->problem ? pool_printf(pool, "%s", entry->problem) : NULL};
    POOL_PUSH(pool, kept->entries, kept->count, copy);
    const bool closed = strlen(entry->key) == 2;
    kept->closed += closed;
    kept->damaged += entry->problem && !closed;
    kept->bytes += entry->size;
}

static int latest_first(const void *a, const void *b)
{
    const struct weft_cache_entry *first = a, *second = b;
    int by_use = (first->used < second->used) - (first->used > second->used);
    return by_use ? by_use : strcmp(first->key, second->key);
}

/* False when the library failed, which is then reported. */
static bool read_cache(struct report *report, struct kept *kept)
{
    struct weft_error *errors = NULL;
    *kept = (struct kept){.report = report};
    if (!report_library(report, weft_cache_list(NULL, keep, kept, &errors), &errors))
        return false;
    if (kept->count)
        qsort(kept->entries, (size_t)kept->count, sizeof *kept->entries, latest_first);
    return true;
}

static void print_path(struct report *report)
{
    struct weft_error *errors = NULL;
    char *path = NULL;
    if (report_library(report, weft_cache_path(NULL, &path, &errors), &errors))
        puts(*path ? path : "none");
    weft_free(path);
}

static void print_list(struct report *report)
{
    struct kept kept;
    if (!read_cache(report, &kept))
        return;
    for (int i = 0; i < kept.count; i++) {
        const struct weft_cache_entry *entry = &kept.entries[i];
        char when[32] = "";
        time_t used = (time_t)entry->used;
        struct tm parts;
        if (used && localtime_r(&used, &parts))
            strftime(when, sizeof when, "%Y-%m-%d %H:%M", &parts);
        printf("%s  %16s  %9s  %s%s%s\n", entry->key, when, report_size(report, (double)entry->size),
               entry->problem ? entry->problem : entry->expression, entry->problem || !*entry->expression ? "" : "  ",
               entry->problem ? "" : *entry->compiler ? pool_printf(report->pool, "[%s]", entry->compiler) : "");
    }
    const int kernels = kept.count - kept.closed;
    printf("%d %s, %s\n", kernels, kernels == 1 ? "kernel" : "kernels",
           report_size(report, (double)kept.bytes));
}

static void verify(struct report *report)
{
    struct kept kept;
    if (!read_cache(report, &kept))
        return;
    for (int i = 0; i < kept.count; i++) {
        const struct weft_cache_entry *entry = &kept.entries[i];
        if (entry->problem && strlen(entry->key) == 2)
            REPORT_FILE(report, entry->path, CACHE_SHARD, entry->problem);
        else if (entry->problem)
            REPORT_FILE(report, entry->path, CACHE_ENTRY, entry->problem);
    }
    printf("%d sound, %d damaged", kept.count - kept.damaged - kept.closed, kept.damaged);
    printf(kept.closed ? ", %d %s not looked into\n" : "\n", kept.closed,
           kept.closed == 1 ? "directory" : "directories");
}

static void print_removed(struct report *report, const struct weft_cache_removed *removed)
{
    printf("%zu %s removed, %s\n", removed->files, removed->files == 1 ? "file" : "files",
           report_size(report, (double)removed->bytes));
}

static void prune(struct report *report, uint64_t cap)
{
    struct weft_cache_removed removed;
    struct weft_error *errors = NULL;
    if (report_library(report, weft_cache_prune(NULL, cap, &removed, &errors), &errors))
        print_removed(report, &removed);
}

static void clear(struct report *report)
{
    struct weft_cache_removed removed;
    struct weft_error *errors = NULL;
    if (report_library(report, weft_cache_clear(NULL, &removed, &errors), &errors))
        print_removed(report, &removed);
}

bool command_cache(struct report *report, const struct arguments *arguments)
{
    static const char *const actions[] = {"path", "list", "verify", "prune", "clear"};
    const char *action = arguments->program;
    if (strcmp(action, "path") == 0)
        print_path(report);
    else if (strcmp(action, "list") == 0)
        print_list(report);
    else if (strcmp(action, "verify") == 0)
        verify(report);
    else if (strcmp(action, "prune") == 0)
        prune(report, arguments->size);
    else if (strcmp(action, "clear") == 0)
        clear(report);
    else
        REPORT_ARGUMENT(report, action, strlen(action), NO_COMMAND, "cache command", action,
                        report_hint(report, action, actions, 5));
    return output_flush(report);
}
