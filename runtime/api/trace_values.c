/* Elements of traced values, and the table of a trace; see trace_impl.h. */
#include "runtime/api/trace_impl.h"

#include "runtime/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

/* Of integers all elements count. */
#define LOOK_AT_INTEGERS(type, member) \
    for (int64_t i = 0; i < count; i++) { \
        const type value = ((const type *)data)[i]; \
        summary.smallest.member = i && summary.smallest.member < value ? summary.smallest.member : value; \
        summary.largest.member = i && summary.largest.member > value ? summary.largest.member : value; \
        sum += (long double)value; \
        summary.rounded += (long double)(float)value != (long double)value; \
    } \
    finite = count

/* Of reals, NaN and infinities are counted. `read` makes a double of element number i, `store` a scalar of one. */
#define LOOK_AT_REALS(read) \
    for (int64_t i = 0; i < count; i++) { \
        const double value = (read); \
        if (isnan(value)) { \
            summary.nan_count++; \
            continue; \
        } \
        low = !summary.any || value < low ? value : low; \
        high = !summary.any || value > high ? value : high; \
        summary.any = true; \
        if (isinf(value)) { \
            summary.inf_count++; \
            continue; \
        } \
        sum += (long double)value; \
        finite++; \
    }

static double real_of(enum weft_dtype dtype, const void *data, int64_t i)
{
    const int size = type_rows[dtype].size;
    return eval_convert(dtype, WEFT_FLOAT64, false, scalar_load((const char *)data + i * size, dtype)).f64;
}

static union scalar scalar_of(enum weft_dtype dtype, double value)
{
    return eval_convert(WEFT_FLOAT64, dtype, false, (union scalar){.f64 = value});
}

struct summary summary_of(enum weft_dtype dtype, const void *data, int64_t count)
{
    struct summary summary = {.any = !dtype_is_float(dtype) && count > 0};
    long double sum = 0;
    double low = 0, high = 0;
    int64_t finite = 0;
    switch (dtype) {
    case WEFT_BOOL: case WEFT_UINT8: LOOK_AT_INTEGERS(uint8_t, u8); break;
    case WEFT_INT8: LOOK_AT_INTEGERS(int8_t, i8); break;
    case WEFT_INT16: LOOK_AT_INTEGERS(int16_t, i16); break;
    case WEFT_INT32: LOOK_AT_INTEGERS(int32_t, i32); break;
    case WEFT_INT64: LOOK_AT_INTEGERS(int64_t, i64); break;
    case WEFT_UINT16: LOOK_AT_INTEGERS(uint16_t, u16); break;
    case WEFT_UINT32: LOOK_AT_INTEGERS(uint32_t, u32); break;
    case WEFT_UINT64: LOOK_AT_INTEGERS(uint64_t, u64); break;
    case WEFT_FLOAT32: LOOK_AT_REALS((double)((const float *)data)[i]); break;
    case WEFT_FLOAT64: LOOK_AT_REALS(((const double *)data)[i]); break;
    default: LOOK_AT_REALS(real_of(dtype, data, i)); break;
    }
    if (dtype_is_float(dtype)) {
        summary.smallest = scalar_of(dtype, low);
        summary.largest = scalar_of(dtype, high);
    }
    summary.mean = finite ? (double)(sum / (long double)finite) : (double)NAN;
    return summary;
}

/* ---- packing ---- */

/* Copies a text, or only counts its bytes where `to` is NULL. */
static const char *put_text(char *to, size_t *at, const char *text)
{
    const size_t size = strlen(text) + 1;
    const char *put = to ? memcpy(to + *at, text, size) : NULL;
    *at += size;
    return put;
}

static size_t put_texts(char *to, size_t at, const struct weft_traced *from, struct weft_traced *value)
{
    value->name = put_text(to, &at, from->name);
    value->text = put_text(to, &at, from->text);
    value->rule = put_text(to, &at, from->rule);
    value->type = put_text(to, &at, from->type);
    value->smallest = put_text(to, &at, from->smallest);
    value->largest = put_text(to, &at, from->largest);
    value->element = put_text(to, &at, from->element);
    return at;
}

struct weft_trace *trace_pack(const struct weft_traced *values, size_t count)
{
    struct weft_traced none;
    size_t texts = 0, numbers = 0;
    for (size_t i = 0; i < count; i++) {
        texts = put_texts(NULL, texts, &values[i], &none);
        numbers += values[i].at ? (size_t)values[i].rank : 0;
    }
    struct weft_trace *trace = malloc(sizeof *trace + count * sizeof *values + numbers * sizeof(int64_t) + texts);
    if (!trace)
        return NULL;
    *trace = (struct weft_trace){count, (struct weft_traced *)(trace + 1)};
    int64_t *at = (int64_t *)(trace->values + count);
    char *text = (char *)(at + numbers);
    for (size_t i = 0, used = 0; i < count; i++) {
        trace->values[i] = values[i];
        used = put_texts(text, used, &values[i], &trace->values[i]);
        if (values[i].at) {
            trace->values[i].at = memcpy(at, values[i].at, (size_t)values[i].rank * sizeof *at);
            at += values[i].rank;
        }
    }
    return trace;
}

/* ---- the table ---- */

enum { MOST_TEXT = 40, MOST_COLUMNS = 9 };

/* The text in one line, shortened. */
static const char *shown_text(struct arena *arena, const struct weft_traced *value)
{
    struct buf line = buf_new(arena);
    if (*value->name && strcmp(value->name, value->text) != 0)
        buf_printf(&line, "%s = ", value->name);
    for (const char *c = value->text; *c; c++)
        if ((unsigned char)*c > ' ')
            buf_putc(&line, *c);
        else if (line.length && line.text[line.length - 1] != ' ')
            buf_putc(&line, ' ');
    return arena_excerpt(arena, line.text, (int)line.length, MOST_TEXT);
}

/* Six digits are enough for people. */
static const char *mean_text(struct arena *arena, double mean)
{
    struct buf text = buf_new(arena);
    char rounded[40];
    if (isnan(mean))
        return "";
    snprintf(rounded, sizeof rounded, "%.5e", mean);
    buf_double(&text, strtod(rounded, NULL));
    return text.text;
}

static const char *position_text(struct arena *arena, const int64_t *at, int count)
{
    struct buf text = buf_new(arena);
    buf_putc(&text, '[');
    for (int d = 0; d < count; d++)
        buf_printf(&text, d ? ", %lld" : "%lld", (long long)at[d]);
    buf_putc(&text, ']');
    return text.text;
}

/* The element with its position. */
static const char *element_text(struct arena *arena, const struct weft_traced *value)
{
    return !value->at     ? ""
           : !value->rank ? value->element
                          : arena_printf(arena, "%s  %s", value->element, position_text(arena, value->at, value->rank));
}

/* Fills in a line of the table, and returns how many columns it has. */
static int fill_line(struct arena *arena, const struct weft_traced *value, bool at, const char **cells)
{
    int count = 0;
    cells[count++] = arena_printf(arena, "%zu:%zu", value->line, value->column);
    cells[count++] = shown_text(arena, value);
    cells[count++] = value->type;
    cells[count++] = value->smallest;
    cells[count++] = value->largest;
    cells[count++] = mean_text(arena, value->mean);
    cells[count++] = value->nan_count ? arena_printf(arena, "%lld", (long long)value->nan_count) : "0";
    cells[count++] = value->inf_count ? arena_printf(arena, "%lld", (long long)value->inf_count) : "0";
    if (at)
        cells[count++] = element_text(arena, value);
    cells[count] = value->rule;
    return count;
}

/* The characters of UTF-8. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* `lines` have `columns` cells and one behind them, whose width does not matter. */
static void put_lines(struct buf *out, const char *(*lines)[MOST_COLUMNS + 1], size_t count, int columns)
{
    int widths[MOST_COLUMNS] = {0};
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < columns; c++)
            widths[c] = width_of(lines[i][c]) > widths[c] ? width_of(lines[i][c]) : widths[c];
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < columns; c++) {
            const int gap = widths[c] - width_of(lines[i][c]), left = c > 2 && c < 8 ? gap : 0;
            buf_printf(out, "%*s%s%*s", left, "", lines[i][c], gap - left + 2, "");
        }
        buf_printf(out, "%s\n", lines[i][columns]);
    }
}

struct table {
    const struct weft_trace *trace;
    const int64_t *at;
    int at_count;
    char *text;                    /* the result, from malloc */
};

static void make_table(struct diags *diags, void *user)
{
    struct table *table = user;
    struct arena *arena = diags->arena;
    struct buf out = buf_new(arena);
    const size_t count = table->trace->count;
    const char *(*lines)[MOST_COLUMNS + 1] = arena_alloc(arena, (count + 1) * sizeof *lines);
    const char *heads[] = {"place", "value", "type", "smallest", "largest", "mean", "nan", "inf",
                           table->at ? position_text(arena, table->at, table->at_count) : "how", "how"};
    memcpy(lines[0], heads, sizeof heads);
    int columns = table->at ? MOST_COLUMNS : MOST_COLUMNS - 1;
    for (size_t i = 0; i < count; i++)
        columns = fill_line(arena, &table->trace->values[i], table->at, lines[i + 1]);
    put_lines(&out, lines, count + 1, columns);
    table->text = strdup(out.text);
}

char *weft_trace_text(const struct weft_trace *trace, const int64_t *at, int at_count)
{
    struct table table = {.trace = trace, .at = at, .at_count = at_count};
    if (trace)
        guarded_call(NULL, NULL, make_table, &table, NULL);
    return table.text;
}
