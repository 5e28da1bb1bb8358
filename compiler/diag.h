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
    struct span spans[3];
    int span_count;
    const char *message;
    struct diag *next;
};

struct diags {
    struct arena *arena;
    const struct source *source;   /* what spans refer to; NULL: none */
    struct diag *first, *last;
    int errors, warnings;
};

static inline struct span span_join(struct span a, struct span b)
{
    return (struct span){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

void diags_init(struct diags *diags, struct arena *arena, const struct source *source);
/* Adds one diagnostic; beyond WEFT_MAX_ERRORS errors are only counted. Always returns false. The
 * arguments are those of the row's format (checked by the compiler through diag_format). */
bool diag(struct diags *diags, enum diag_id id, struct span span, ...);
/* The same with up to two more places that point at operands. */
bool diag_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...);
/* The name in `names` nearest to `name`, NULL when none is near (a third of its letters differ). */
const char *diag_nearest(const char *name, const char *const *names, size_t count);

/* A copy of the list for the caller of the library: errors first, then (if `warnings`) the rest.
 * NULL when it is empty or memory ran out. Released by weft_error_destroy. */
struct weft_error *diags_export(const struct diags *diags, enum weft_severity severity);
/* The status of the first error, WEFT_OK when there is none. */
enum weft_status diags_status(const struct diags *diags);

#endif
