/* Diagnostics on stderr, in the form that all of Weft uses (weft_error_render). Messages and numbers are the rows of
 * messages.def.
 *
 * Invariant: `status` is the exit status so far: 0, 1 after an error, 2 after a row of status INVALID_ARGUMENT
 * (wrong usage). */
#ifndef WEFT_CLI_REPORT_H
#define WEFT_CLI_REPORT_H

#include "cli/base/pool.h"
#include "include/weft/weft.h"

#include <stdbool.h>
#include <stdio.h>

enum message {
#define MESSAGE(id, number, status, format) MESSAGE_##id,
#include "cli/base/messages.def"
    MESSAGE_COUNT
};
#define MESSAGE(id, number, status, format)                                                        \
    __attribute__((unused)) static const char MESSAGE_##id##_FORMAT[] = format;
#include "cli/base/messages.def"

struct report {
    struct pool *pool; /* the command's small allocations; never freed one by one */
    FILE *stream;
    const char *text; /* the arguments, joined by spaces: the text of "<args>" */
    char *const *arguments;
    int argument_count;
    bool quiet; /* drop warnings and notes */
    bool json;  /* one object of JSON a line, in place of text */
    const char *const *samples; /* names for what the library numbers; NULL: none */
    int sample_count;
    int status;
};

/* `arguments` must outlive the report. */
void report_init(struct report *report, struct pool *pool, FILE *stream, char *const *arguments,
                 int argument_count);

/* REPORT_ARGUMENT marks `length` bytes at `place`, which lies in one of the arguments; NULL marks nothing.
 * REPORT_FILE is about a file as a whole. Both take the arguments of the row's format and are always false. */
#define REPORT_ARGUMENT(report, place, length, id, ...)                                            \
    report_argument(report, place, length, MESSAGE_##id, MESSAGE_##id##_FORMAT, __VA_ARGS__)
#define REPORT_FILE(report, path, id, ...)                                                         \
    report_text(report, path, NULL, NULL, 0, MESSAGE_##id, MESSAGE_##id##_FORMAT, __VA_ARGS__)

/* REPORT_NOTE is a note about a file, which --quiet drops. */
#define REPORT_NOTE(report, path, id, ...)                                                         \
    report_note(report, path, MESSAGE_##id, MESSAGE_##id##_FORMAT, ##__VA_ARGS__)
void report_note(struct report *report, const char *origin, enum message id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool report_argument(struct report *report, const char *place, size_t length, enum message id,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* REPORT_TEXT marks `count` places in a program's text. */
#define REPORT_TEXT(report, origin, text, spans, count, id, ...)                                   \
    report_text(report, origin, text, spans, count, MESSAGE_##id, MESSAGE_##id##_FORMAT, __VA_ARGS__)
bool report_text(struct report *report, const char *origin, const char *text, const struct weft_span *spans,
                 int count, enum message id, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Reports the library's errors about the text at `place`, which is the rest of an argument. An error without a span
 * marks all of that text. Does not release the list; always false. */
bool report_inside(struct report *report, const char *place, const struct weft_error *errors);

/* Prints the list that the library returned in *errors and releases it. The library may be called for `status`. An
 * error status without a list, as when memory ran out, gets a message of its own. Returns whether `status` is a success
 * or a remark. */
bool report_library(struct report *report, enum weft_status status, struct weft_error *const *errors);
/* Prints one record (a log callback's) and leaves it to its owner. */
void report_record(struct report *report, const struct weft_error *record);

/* "; did you mean 'X'?" for the name nearest to `name`, "" when none is near. */
const char *report_hint(struct report *report, const char *name, const char *const *names,
                        size_t count);
/* A text from a file made safe for a terminal: one line, with control characters as question marks. */
const char *report_plain(struct report *report, const char *text);
/* A size in words: "12.5 MB". */
const char *report_size(struct report *report, double bytes);

#endif
