/* See report.h. */
#include "cli/base/report.h"

#include "compiler/base/buf.h"

#include <stdarg.h>
#include <string.h>

struct row {
    int number;
    enum weft_severity severity;
    enum weft_status status;
};

#define DIAG(id, number, severity, status, format)                                                 \
    [DIAG_##id] = {number, WEFT_##severity, WEFT_##status},
static const struct row rows[DIAG_COUNT] = {
#include "grammar/diags.def"
};

void report_init(struct report *report, struct arena *arena, FILE *stream, char *const *arguments,
                 int argument_count)
{
    struct buf text;
    buf_init(&text, arena);
    for (int i = 0; i < argument_count; i++) {
        if (i)
            buf_putc(&text, ' ');
        buf_puts(&text, arguments[i]);
    }
    *report = (struct report){.arena = arena,
                              .stream = stream,
                              .text = text.text,
                              .arguments = arguments,
                              .argument_count = argument_count};
}

/* "sample 17: ..." with the sample's name. */
static const char *name_sample(struct report *report, const char *message)
{
    int number, length = 0;
    if (sscanf(message, "sample %d:%n", &number, &length) != 1 || !length || number < 0 ||
        number >= report->sample_count)
        return message;
    return arena_printf(report->arena, "sample '%s':%s", report->samples[number], message + length);
}

void report_record(struct report *report, const struct weft_error *record)
{
    if (record->severity != WEFT_ERROR && report->quiet)
        return;
    struct weft_error named = *record;
    named.message = name_sample(report, record->message);
    size_t size = weft_error_render(&named, NULL, 0) + 1;
    char *text = arena_alloc(report->arena, size);
    weft_error_render(&named, text, size);
    fputs(text, report->stream);
    if (record->severity == WEFT_ERROR) {
        int status = record->status == WEFT_INVALID_ARGUMENT && record->code >= 100 ? 2 : 1;
        report->status = status > report->status ? status : report->status;
    }
}

static char *format_text(struct report *report, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(report->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

static struct weft_error make_record(enum diag_id id, const char *origin, const char *message)
{
    const struct row *row = &rows[id];
    return (struct weft_error){.status = row->status,
                               .severity = row->severity,
                               .code = row->number,
                               .origin = origin,
                               .message = message};
}

/* Where `place` lies in the joined text; false when it is in none of the arguments. */
static bool find_offset(const struct report *report, const char *place, size_t *offset)
{
    *offset = 0;
    for (int i = 0; i < report->argument_count; i++) {
        const char *argument = report->arguments[i];
        size_t length = strlen(argument);
        if (place >= argument && place <= argument + length) {
            *offset += (size_t)(place - argument);
            return true;
        }
        *offset += length + 1;
    }
    return false;
}

/* Points the record at bytes of the joined text: the line they are on, line and column from 1. */
static void set_place(struct report *report, struct weft_error *record, size_t offset,
                      size_t length)
{
    const char *text = report->text;
    size_t start = offset, line = 1, column = 1;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    for (size_t i = start; i < offset; i++)
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
    size_t rest = strcspn(text + offset, "\n");
    record->spans[0] = (struct weft_span){offset, offset + (length < rest ? length : rest)};
    record->span_count = 1;
    record->line = line;
    record->column = column;
    record->source = arena_string(report->arena, text + start, strcspn(text + start, "\n"));
    record->source_start = start;
}

bool report_argument(struct report *report, const char *place, size_t length, enum diag_id id,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct weft_error record = make_record(id, "<args>", format_text(report, format, args));
    va_end(args);
    size_t offset;
    if (place && find_offset(report, place, &offset))
        set_place(report, &record, offset, length);
    report_record(report, &record);
    return false;
}

bool report_file(struct report *report, const char *path, enum diag_id id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct weft_error record = make_record(id, path, format_text(report, format, args));
    va_end(args);
    report_record(report, &record);
    return false;
}

static struct weft_span shift_span(struct span span, size_t skip, size_t offset)
{
    size_t start = span.start > skip ? span.start - skip : 0;
    size_t end = span.end > skip ? span.end - skip : 0;
    return (struct weft_span){offset + start, offset + end};
}

bool report_inside(struct report *report, const char *place, size_t skip, const struct diags *diags)
{
    size_t offset, length = strlen(place);
    bool found = find_offset(report, place, &offset);
    for (const struct diag *diag = diags->first; diag; diag = diag->next) {
        struct weft_error record = make_record(diag->id, "<args>", diag->message);
        if (record.severity != WEFT_ERROR)
            continue;
        for (int i = 0; i < diag->span_count && found; i++) {
            struct weft_span span = shift_span(diag->spans[i], skip, offset);
            if (span.start > offset + length || span.end > offset + length)
                span = (struct weft_span){offset, offset + length};
            if (i == 0)
                set_place(report, &record, span.start, span.end - span.start);
            else
                record.spans[record.span_count++] = span;
        }
        report_record(report, &record);
    }
    return false;
}

static const char *status_words(enum weft_status status)
{
    return status == WEFT_OUT_OF_MEMORY ? "out of memory"
           : status == WEFT_COMPILER_ERROR
               ? "the C compiler failed"
               : "the library failed without saying why; please report it";
}

bool report_library(struct report *report, enum weft_status status, struct weft_error *errors)
{
    for (const struct weft_error *error = errors; error; error = error->next)
        report_record(report, error);
    if (status < WEFT_OK && !errors)
        REPORT_FILE(report, "weft", LIBRARY, status_words(status));
    weft_error_destroy(errors);
    if (status < WEFT_OK && !report->status)
        report->status = 1;
    return status >= WEFT_OK;
}

const char *report_hint(struct report *report, const char *name, const char *const *names,
                        size_t count)
{
    const char *near = diag_nearest(name, names, count);
    return near ? arena_printf(report->arena, "; did you mean '%s'?", near) : "";
}

const char *report_size(struct report *report, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 1000 && unit < 6) {
        bytes /= 1000;
        unit++;
    }
    return arena_printf(report->arena, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

/* As weft_error_render cleans a message, which begins after what an empty one has before its
 * newline. */
const char *report_plain(struct report *report, const char *text)
{
    char *line = arena_printf(report->arena, "%s", text);
    for (char *c = line; *c; c++)
        *c = *c == '\n' ? '?' : *c;
    struct weft_error record = {.severity = WEFT_NOTE, .origin = "", .message = ""};
    size_t start = weft_error_render(&record, NULL, 0) - 1;
    record.message = line;
    size_t size = weft_error_render(&record, NULL, 0) + 1;
    char *shown = arena_alloc(report->arena, size);
    weft_error_render(&record, shown, size);
    shown[size - 2] = '\0';
    return shown + start;
}
