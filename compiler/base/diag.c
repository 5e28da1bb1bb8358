/* Implements diag.h: collects diagnostics, finds names that are nearly right, and exports the list to callers of the
 * library. Reporting is cheap, because places become lines and columns only in diags_export. */
#include "compiler/base/diag.h"

#include <stdlib.h>
#include <string.h>

struct diag_row {
    int number;
    enum weft_severity severity;
    enum weft_status status;
    const char *format;
};

static const struct diag_row rows[DIAG_COUNT] = {
#define DIAG(id, number, severity, status, format)                                                 \
    [DIAG_##id] = {number, WEFT_##severity, WEFT_##status, format},
#include "grammar/diags.def"
};

/* Appends the records from `first` to `last`. */
static void append(struct diags *diags, struct diag *first, struct diag *last)
{
    *(diags->last ? &diags->last->next : &diags->first) = first;
    diags->last = last;
}

static bool add(struct diags *diags, enum diag_id id, const struct span *spans, int count,
                va_list args)
{
    int *counter = rows[id].severity == WEFT_ERROR ? &diags->errors : &diags->warnings;
    jmp_buf env, *outer = diags->arena->out_of_memory;
    if ((*counter)++ >= WEFT_MAX_ERRORS)
        return false;
    if (ARENA_GUARD(diags->arena, env)) {
        diags->arena->out_of_memory = outer;
        diags->out_of_memory = true;
        return false;
    }
    struct diag *record = ARENA_NEW(diags->arena, struct diag);
    *record = (struct diag){.id = id, .source = diags->source, .input = diags->input,
                            .span_count = diags->source ? count : 0,
                            .message = arena_vprintf(diags->arena, rows[id].format, args)};
    for (int i = 0; i < count; i++)
        record->spans[i] = spans[i];
    append(diags, record, record);
    diags->arena->out_of_memory = outer;
    return false;
}

bool diag_add(struct diags *diags, enum diag_id id, struct span span, ...)
{
    va_list args;
    va_start(args, span);
    add(diags, id, &span, 1, args);
    va_end(args);
    return false;
}

bool diag_add_at(struct diags *diags, enum diag_id id, const struct span *spans, int count, ...)
{
    va_list args;
    va_start(args, count);
    add(diags, id, spans, count, args);
    va_end(args);
    return false;
}

void *diag_no_memory(struct diags *diags)
{
    diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    return NULL;
}

enum { NEAREST_MAX = 64 };

static int min3(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* The number of letters to insert, delete, replace or swap with the next one to make the names equal. */
static int edit_distance(const char *a, int n, const char *b, int m)
{
    int rows3[3][NEAREST_MAX + 1];
    int *before = rows3[0], *last = rows3[1], *row = rows3[2];
    for (int j = 0; j <= m; j++)
        last[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        int *oldest = before;
        before = last, last = row, row = oldest;
    }
    return last[m];
}

void diags_append(struct diags *diags, const struct diags *more)
{
    if (more->first)
        append(diags, more->first, more->last);
    diags->errors += more->errors;
    diags->warnings += more->warnings;
    diags->out_of_memory = diags->out_of_memory || more->out_of_memory;
}

const char *diag_nearest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(name);
    if (length < 2 || length > NEAREST_MAX)
        return NULL;
    int best = length < 6 ? 2 : (int)length / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        int gap = abs((int)other - (int)length);
        if (other < 2 || other > NEAREST_MAX || gap > best)
            continue;
        int distance = edit_distance(name, (int)length, names[i], (int)other);
        bool longer = nearest && other > strlen(nearest);   /* has more letters in common */
        if (distance < best || (distance == best && longer))
            best = distance, nearest = names[i];
    }
    return nearest;
}

/* ---- places ---- */

/* Of a longer line only the part around the place is exported. */
enum { LINE_MAX_BYTES = 4096 };

struct lines find_lines(struct arena *arena, const struct source *source)
{
    struct lines lines = {NULL, 0};
    ARENA_PUSH(arena, lines.starts, lines.count, 0);
    for (size_t i = 0; i < source->length; i++)
        if (source->text[i] == '\n')
            ARENA_PUSH(arena, lines.starts, lines.count, (uint32_t)i + 1);
    return lines;
}

int line_of(const struct lines *lines, uint32_t at)
{
    int low = 0, high = lines->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(lines->starts[middle] <= at ? &low : &high) = middle;
    }
    return low;
}

static bool continues_character(const struct source *source, size_t at)
{
    return at < source->length && ((unsigned char)source->text[at] & 0xc0) == 0x80;
}

struct text_place find_place(const struct source *source, size_t at)
{
    at = at < source->length ? at : source->length;
    struct text_place place = {1, 1, 0, at};
    for (size_t i = 0; i < at; i++)
        if (source->text[i] == '\n')
            place.line++, place.start = i + 1;
    for (size_t i = place.start; i < at; i++)
        place.column += !continues_character(source, i);
    while (place.end < source->length && source->text[place.end] != '\n')
        place.end++;
    if (place.end > at && source->text[place.end - 1] == '\r')
        place.end--;
    if (place.end - place.start > LINE_MAX_BYTES) {
        size_t half = LINE_MAX_BYTES / 2;
        place.start = at - place.start > half ? at - half : place.start;
        place.end = place.end - at > half ? at + half : place.end;
    }
    return place;
}

/* ---- export ---- */

/* Copies a text to the memory behind the error. A NUL inside becomes another control character. */
static const char *put(char **room, const char *text, size_t length)
{
    char *copy = *room;
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] ? text[i] : '\1';
    copy[length] = '\0';
    *room += length + 1;
    return copy;
}

static void put_place(struct weft_error *error, char **room, const struct diag *record,
                      const struct text_place *place)
{
    size_t length = record->source->length;
    error->span_count = record->span_count;
    for (int i = 0; i < record->span_count; i++) {
        struct span span = record->spans[i];
        error->spans[i] = (struct weft_span){span.start < length ? span.start : length,
                                             span.end < length ? span.end : length};
    }
    error->line = place->line;
    error->column = place->column;
    error->source_start = place->start;
    error->source = put(room, record->source->text + place->start, place->end - place->start);
}

/* Makes one allocation: the error, followed by its texts. */
static struct weft_error *export_one(const struct diag *record)
{
    const char *origin = record->source && record->source->origin ? record->source->origin : "weft";
    const struct text_place place =
        record->span_count ? find_place(record->source, record->spans[0].start) : (struct text_place){0};
    const char *input = record->input ? record->input : "";
    size_t texts = strlen(record->message) + strlen(origin) + strlen(input) + (place.end - place.start) + 4;
    struct weft_error *error = calloc(1, sizeof *error + texts);
    if (!error)
        return NULL;
    char *room = (char *)(error + 1);
    *error = (struct weft_error){.status = rows[record->id].status, .severity = rows[record->id].severity,
                                 .code = rows[record->id].number};
    error->message = put(&room, record->message, strlen(record->message));
    error->origin = put(&room, origin, strlen(origin));
    error->input = record->input ? put(&room, input, strlen(input)) : NULL;
    if (record->span_count)
        put_place(error, &room, record, &place);
    return error;
}

struct weft_error *diags_export(const struct diags *diags, enum weft_severity severity)
{
    struct weft_error *first = NULL, **end = &first;
    for (int level = WEFT_ERROR; level <= (int)severity; level++)
        for (const struct diag *record = diags->first; record; record = record->next) {
            if ((int)rows[record->id].severity != level)
                continue;
            *end = export_one(record);
            if (!*end)
                return first;
            end = &(*end)->next;
        }
    return first;
}

enum weft_status diag_status(enum diag_id id)
{
    return rows[id].status;
}

enum weft_status diags_status(const struct diags *diags)
{
    for (const struct diag *record = diags->first; record; record = record->next)
        if (rows[record->id].severity == WEFT_ERROR)
            return rows[record->id].status;
    return diags->out_of_memory ? WEFT_OUT_OF_MEMORY : WEFT_OK;
}
