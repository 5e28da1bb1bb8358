/* Diagnostics: a list to which passes add in one statement, `return diag(d, DIAG_X, span, ...)`. Messages and their
 * stable numbers are rows of grammar/diags.def. Lines, columns and carets are worked out only when the list is
 * exported. */
#ifndef WEFT_COMPILER_BASE_DIAG_H
#define WEFT_COMPILER_BASE_DIAG_H

#include "compiler/base/arena.h"
#include "include/weft/weft.h"

#include <stdint.h>

/* A half-open range of bytes of the source. */
struct span {
    uint32_t start, end;
};

/* A text and the name that diagnostics use for it. The text need not be NUL-terminated. */
struct source {
    const char *origin;
    const char *text;
    size_t length;
    enum weft_rules rules;         /* of types, for the programs in it */
};

/* Where the lines of a source begin, to find the lines of many places quickly. */
struct lines {
    uint32_t *starts;
    int count;
};

struct lines find_lines(struct arena *arena, const struct source *source);
/* The line of a byte, from 0. */
int line_of(const struct lines *lines, uint32_t at);

/* Where a byte is in its source. */
struct text_place {
    size_t line, column;           /* from 1; the column counts characters */
    size_t start, end;             /* of the line, or of the part of it that diagnostics show */
};

struct text_place find_place(const struct source *source, size_t at);

enum diag_id {
#define DIAG(id, number, severity, status, format) DIAG_##id,
#include "grammar/diags.def"
    DIAG_COUNT
};

struct diag {
    enum diag_id id;
    const struct source *source;   /* NULL: no place */
    const char *input;             /* the input that it is about; NULL: none */
    struct span spans[3];
    int span_count;
    const char *message, *apart;   /* added to the message where it is about one sample of a batch; NULL: nothing */
    struct diag *next;
};

struct diags {
    struct arena *arena;
    const struct source *source;   /* the source that spans refer to; NULL: none */
    const char *input;             /* the input at hand, copied into new diagnostics; NULL: none */
    struct diag *first, *last;
    int errors, warnings;
    bool out_of_memory;            /* a diagnostic was lost; reporting never jumps, so it may happen under a lock */
};

static inline struct span span_join(struct span a, struct span b)
{
    return (struct span){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

/* An empty list. Diagnostics are allocated in `arena`; spans refer to `source`, which may be NULL. */
static inline struct diags diags_new(struct arena *arena, const struct source *source)
{
    return (struct diags){.arena = arena, .source = source};
}

/* Whether nothing was reported, nor lost. */
static inline bool diags_empty(const struct diags *diags)
{
    return !diags->first && !diags->out_of_memory;
}

/* Adds one diagnostic and returns false:
 *
 *     bool diag(struct diags *diags, enum diag_id id, struct span span, ...);
 *     bool diag_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...);
 *
 * diag_at takes up to three places; those after the first point at operands. The arguments are those of the row's
 * format. The compiler checks them, so `id` has to be written out as DIAG_X. Beyond WEFT_MAX_ERRORS of one severity,
 * diagnostics are only counted. */
#define diag(diags, id, ...)                                                                       \
    diag_add((0 ? (void)diag_check(id##_FORMAT, __VA_ARGS__) : (void)0, (diags)), id, __VA_ARGS__)
#define diag_at(diags, id, ...)                                                                    \
    diag_add_at((0 ? (void)diag_check_at(id##_FORMAT, __VA_ARGS__) : (void)0, (diags)), id,        \
                __VA_ARGS__)
bool diag_add(struct diags *diags, enum diag_id id, struct span span, ...);
bool diag_add_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...);
/* Reports that memory ran out, and returns NULL. */
void *diag_no_memory(struct diags *diags);

/* Never run. They exist for the compiler to check formats. */
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

/* Moves another list of the same arena to the end of this one. The other list must not be used any more. */
void diags_append(struct diags *diags, const struct diags *more);

/* Returns the name in `names` nearest to `name`, or NULL. Near means at most one edit for fewer than six letters, else
 * at most a third of the letters. */
const char *diag_nearest(const char *name, const char *const *names, size_t count);

/* Returns a copy of the list for the caller of the library: diagnostics at least as severe as `severity`, errors first.
 * NULL when there are none; cut short when memory runs out. The caller releases it with weft_error_destroy. */
struct weft_error *diags_export(const struct diags *diags, enum weft_severity severity);
/* The status of a row. Positive for remarks on results. */
enum weft_status diag_status(enum diag_id id);
/* The status of the first error. Without errors: WEFT_OUT_OF_MEMORY when a diagnostic was lost, else WEFT_OK. */
enum weft_status diags_status(const struct diags *diags);

#endif
