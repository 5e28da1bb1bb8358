/* What the command tells its user: diagnostics on stderr in the one form all of Weft uses, drawn
 * by weft_error_render. Messages and numbers are rows 100-149 of grammar/diags.def.
 *
 * Invariant: `status` is what the process exits with, the gravest so far: 0, 1 for an error, 2
 * for a row of status INVALID_ARGUMENT (wrong usage). */
#ifndef WEFT_CLI_REPORT_H
#define WEFT_CLI_REPORT_H

#include "compiler/base/arena.h"
#include "compiler/diag.h"

#include <stdbool.h>
#include <stdio.h>

struct report {
    struct arena *arena; /* the command's small allocations; never freed one by one */
    FILE *stream;
    const char *text; /* the arguments, joined by spaces: the text of "<args>" */
    char *const *arguments;
    int argument_count;
    bool quiet; /* drop warnings and notes */
    const char *const *samples; /* names for what the library numbers; NULL: none */
    int sample_count;
    int status;
};

/* `arguments` must outlive the report. */
void report_init(struct report *report, struct arena *arena, FILE *stream, char *const *arguments,
                 int argument_count);

/* REPORT_ARGUMENT: `length` bytes at `place`, inside one of the arguments, are marked; a place that
 * is NULL marks nothing. REPORT_FILE: about a file as a whole. Both take the arguments of the row's
 * format and are always false. */
#define REPORT_ARGUMENT(report, place, length, id, ...)                                            \
    report_argument(report, place, length, DIAG_##id, DIAG_##id##_FORMAT, __VA_ARGS__)
#define REPORT_FILE(report, path, id, ...)                                                         \
    report_file(report, path, DIAG_##id, DIAG_##id##_FORMAT, __VA_ARGS__)

bool report_argument(struct report *report, const char *place, size_t length, enum diag_id id,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
bool report_file(struct report *report, const char *path, enum diag_id id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Errors of the compiler about a text that stands at `place` in one of the arguments, after `skip`
 * bytes that do not. Always false. */
bool report_inside(struct report *report, const char *place, size_t skip,
                   const struct diags *diags);

/* Prints what the library returned and releases it. An error status without a list, as when memory
 * ran out, is told in words. Returns whether `status` is a success or a remark. */
bool report_library(struct report *report, enum weft_status status, struct weft_error *errors);
/* Prints one record (a log callback's) and leaves it to its owner. */
void report_record(struct report *report, const struct weft_error *record);

/* "; did you mean 'X'?" for the name nearest to `name`, "" when none is near. */
const char *report_hint(struct report *report, const char *name, const char *const *names,
                        size_t count);
/* What a file says, fit for a terminal: one line, controls as question marks. */
const char *report_plain(struct report *report, const char *text);
/* A size in words: "12.5 MB". */
const char *report_size(struct report *report, double bytes);

#endif
