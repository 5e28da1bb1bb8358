/* See report.h. */
#include "cli/base/report.h"

#include "cli/base/json.h"

#include <string.h>

struct row {
    int number;
    enum weft_status status;
};

#define MESSAGE(id, number, status, format) [MESSAGE_##id] = {number, WEFT_##status},
static const struct row rows[MESSAGE_COUNT] = {
#include "cli/base/messages.def"
};

void report_init(struct report *report, struct pool *pool, FILE *stream, char *const *arguments,
                 int argument_count)
{
    *report = (struct report){.pool = pool,
                              .stream = stream,
                              .text = pool_join(pool, (const char *const *)arguments,
                                                (size_t)argument_count, " "),
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
    return pool_printf(report->pool, "sample '%s':%s", report->samples[number], message + length);
}

/* {"severity": "error", "code": "W0060", "message": .., "origin": "<expr>", "line": 1, "column": 5, "spans": [[4, 5]]};
 * places, in bytes of the whole text, only where there is a text. */
static void put_json(FILE *file, const struct weft_error *record)
{
    static const char *const severities[] = {"error", "warning", "note"};
    fprintf(file, "{\"severity\": \"%s\", \"code\": \"W%04d\", \"message\": ", severities[record->severity],
            record->code);
    json_put(file, record->message);
    fputs(", \"origin\": ", file);
    json_put(file, record->origin);
    if (record->line)
        fprintf(file, ", \"line\": %zu, \"column\": %zu, \"spans\": [", record->line, record->column);
    for (int i = 0; i < record->span_count && record->line; i++)
        fprintf(file, "%s[%zu, %zu]", i ? ", " : "", record->spans[i].start, record->spans[i].end);
    fputs(record->line ? "]}\n" : "}\n", file);
}

static void put_text(struct report *report, const struct weft_error *record)
{
    const size_t size = weft_error_render(record, NULL, 0) + 1;
    char *text = pool_alloc(report->pool, size);
    weft_error_render(record, text, size);
    fputs(text, report->stream);
}

void report_record(struct report *report, const struct weft_error *record)
{
    if (record->severity != WEFT_ERROR && report->quiet)
        return;
    struct weft_error named = *record;
    named.message = name_sample(report, record->message);
    if (report->json)
        put_json(report->stream, &named);
    else
        put_text(report, &named);
    if (record->severity == WEFT_ERROR) {
        int status = record->status == WEFT_INVALID_ARGUMENT && record->code >= 100 ? 2 : 1;
        report->status = status > report->status ? status : report->status;
    }
}

static struct weft_error make_record(struct report *report, enum message id, const char *origin, const char *format,
                                     va_list args)
{
    return (struct weft_error){.status = rows[id].status, .code = rows[id].number, .origin = origin,
                               .message = pool_vprintf(report->pool, format, args)};
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

/* Points the record at bytes of a text: the line they are on, line and column from 1. */
static void set_place(struct report *report, struct weft_error *record, const char *text, size_t offset,
                      size_t length)
{
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
    record->source = pool_string(report->pool, text + start, strcspn(text + start, "\n"));
    record->source_start = start;
}

bool report_argument(struct report *report, const char *place, size_t length, enum message id,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct weft_error record = make_record(report, id, "<args>", format, args);
    va_end(args);
    size_t offset;
    if (place && find_offset(report, place, &offset))
        set_place(report, &record, report->text, offset, length);
    report_record(report, &record);
    return false;
}

bool report_text(struct report *report, const char *origin, const char *text, const struct weft_span *spans,
                 int count, enum message id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct weft_error record = make_record(report, id, origin, format, args);
    va_end(args);
    if (count)
        set_place(report, &record, text, spans[0].start, spans[0].end - spans[0].start);
    for (; record.span_count < count; record.span_count++)
        record.spans[record.span_count] = spans[record.span_count];
    report_record(report, &record);
    return false;
}

void report_note(struct report *report, const char *origin, enum message id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct weft_error record = make_record(report, id, origin, format, args);
    va_end(args);
    record.severity = WEFT_NOTE;
    report_record(report, &record);
}

/* The span moved by `offset`; all of the `length` bytes if it does not lie within them. */
static struct weft_span move_span(struct weft_span span, size_t offset, size_t length)
{
    return span.start > length || span.end > length
               ? (struct weft_span){offset, offset + length}
               : (struct weft_span){offset + span.start, offset + span.end};
}

bool report_inside(struct report *report, const char *place, const struct weft_error *errors)
{
    size_t offset, length = strlen(place);
    bool found = find_offset(report, place, &offset);
    for (const struct weft_error *error = errors; error; error = error->next) {
        struct weft_error record = *error;
        record.origin = "<args>";
        record.span_count = 0;
        for (int i = 0; i < (error->span_count ? error->span_count : 1) && found; i++) {
            struct weft_span all = {0, length}, span = error->span_count ? error->spans[i] : all;
            span = move_span(span, offset, length);
            if (i == 0)
                set_place(report, &record, report->text, span.start, span.end - span.start);
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

bool report_library(struct report *report, enum weft_status status, struct weft_error *const *errors)
{
    for (const struct weft_error *error = *errors; error; error = error->next)
        report_record(report, error);
    if (status < WEFT_OK && !*errors)
        REPORT_FILE(report, "weft", LIBRARY, status_words(status));
    weft_error_destroy(*errors);
    return status >= WEFT_OK;
}

const char *report_hint(struct report *report, const char *name, const char *const *names,
                        size_t count)
{
    const char *near = weft_nearest_name(name, names, count);
    return near ? pool_printf(report->pool, "; did you mean '%s'?", near) : "";
}

const char *report_size(struct report *report, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 6; unit++)
        bytes /= 1000;
    return pool_printf(report->pool, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

/* weft_error_render does the cleaning. The message starts where that of an empty record ends. */
const char *report_plain(struct report *report, const char *text)
{
    char *line = pool_printf(report->pool, "%s", text);
    for (char *c = line; *c; c++)
        *c = *c == '\n' ? '?' : *c;
    struct weft_error record = {.severity = WEFT_NOTE, .origin = "", .message = ""};
    size_t start = weft_error_render(&record, NULL, 0) - 1;
    record.message = line;
    size_t size = weft_error_render(&record, NULL, 0) + 1;
    char *shown = pool_alloc(report->pool, size);
    weft_error_render(&record, shown, size);
    shown[size - 2] = '\0';
    return shown + start;
}
