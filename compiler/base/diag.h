/* Diagnostics: a list that passes add to in one statement, `return diag(d, DIAG_X, span, ...)`.
 * Messages and stable numbers are rows of grammar/diags.def. Lines, columns and carets are worked
 * out only when the list is handed over. */
#ifndef WEFT_DIAG_H
#define WEFT_DIAG_H

#include "compiler/base/arena.h"
#include "include/weft/weft.h"

#include <stdint.h>

/* A half-open range of bytes of the source. */
struct span {
    uint32_t start, end;
};

/* A text and what diagnostics call it. Not NUL-terminated necessarily. */
struct source {
    const char *origin;
    const char *text;
    size_t length;
};

enum diag_id {
#define DIAG(id, number, severity, status, format) DIAG_##id,
#include "grammar/diags.def"
    DIAG_COUNT
};

struct diag {
    enum diag_id id;
    const struct source *source;   /* NULL: no place */
    const char *input;             /* the input it is about, NULL: none */
    struct span spans[3];
    int span_count;
    const char *message;
    struct diag *next;
};

struct diags {
    struct arena *arena;
    const struct source *source;   /* what spans refer to; NULL: none */
    const char *input;             /* the input that is looked at, NULL: none */
    struct diag *first, *last;
    int errors, warnings;
    bool out_of_memory;            /* a diagnostic was lost; reporting never jumps, so it may happen
                                      under a lock */
};

static inline struct span span_join(struct span a, struct span b)
{
    return (struct span){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

void diags_init(struct diags *diags, struct arena *arena, const struct source *source);
/* Adds one diagnostic and returns false:
 *
 *     bool diag(struct diags *diags, enum diag_id id, struct span span, ...);
 *     bool diag_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...);
 *
 * diag_at names up to two more places that point at operands. The arguments are those of the row's
 * format; the compiler checks them, so `id` is written out as DIAG_X. Beyond WEFT_MAX_ERRORS of a
 * severity diagnostics are only counted. */
#define diag(diags, id, ...)                                                                       \
    diag_add((0 ? (void)diag_check(id##_FORMAT, __VA_ARGS__) : (void)0, (diags)), id, __VA_ARGS__)
#define diag_at(diags, id, ...)                                                                    \
    diag_add_at((0 ? (void)diag_check_at(id##_FORMAT, __VA_ARGS__) : (void)0, (diags)), id,        \
                __VA_ARGS__)
bool diag_add(struct diags *diags, enum diag_id id, struct span span, ...);
bool diag_add_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...);

/* Never run: only there for the compiler to check formats. */
#define DIAG(id, number, severity, status, format)                                                 \
    __attribute__((unused)) static const char DIAG_##id##_FORMAT[] = format;
#include "grammar/diags.def"
__attribute__((format(printf, 1, 3))) static inline bool
diag_check(const char *format, struct span span, ...)
{
    (void)format, (void)span;
    return false;
}
__attribute__((format(printf, 1, 4))) static inline bool
diag_check_at(const char *format, const struct span *spans, int count, ...)
{
    (void)format, (void)spans, (void)count;
    return false;
}

/* Adds another list of the same arena at the end; that one must not be used any more. */
void diags_append(struct diags *diags, const struct diags *more);

/* The name in `names` nearest to `name`, NULL when none is near (a third of its letters differ). */
const char *diag_nearest(const char *name, const char *const *names, size_t count);

/* A copy of the list for the caller of the library: what is at least as severe as `severity`, errors
 * first (WEFT_ERROR: errors alone). NULL when it is empty or memory ran out. Released by
 * weft_error_destroy. */
struct weft_error *diags_export(const struct diags *diags, enum weft_severity severity);
/* The status of the first error, WEFT_OK when there is none. */
enum weft_status diags_status(const struct diags *diags);

#endif
