/* See print.h. */
#include "cli/values/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_VALUES = 1000, /* of a result; one of more is shortened */
    MOST_OF_SAMPLE = 36, /* of one of several samples */
    EDGE = 3,           /* to so many values at each end of a dimension, so many samples of a batch */
    LINE = 80,          /* columns */
    NUMBER = 64         /* bytes of a number as text, at most */
};

struct printer {
    FILE *file;
    const struct tensor *tensor;
    int64_t most;                 /* values; a tensor of more is shortened */
    int64_t edges[WEFT_MAX_RANK]; /* values shown at each end; 0: the first alone */
    char value[NUMBER]; /* the one in hand */
    int width; /* of the widest value shown */
    int column, indent;
    bool measuring;
};

/* Whatever decimal mark the process has been given, a point is printed. */
static void put_number(char *value, const char *text)
{
    for (; *text; text++)
        *value++ = (char)((*text >= '0' && *text <= '9') || strchr("+-e", *text) ? *text : '.');
    *value = '\0';
}

/* Floating types: bits of the significand, the least exponent of a normal number in [0.5, 1). */
static const struct format {
    int digits, bottom;
} formats[WEFT_DTYPE_COUNT] = {[WEFT_FLOAT16] = {11, -13}, [WEFT_BFLOAT16] = {8, -125},
                               [WEFT_FLOAT32] = {24, -125}, [WEFT_FLOAT64] = {53, -1021}};

/* The number that 16 bits spell: a fraction, an exponent, a sign. */
static double short_real(const struct format *format, unsigned bits)
{
    unsigned scale = 1u << (format->digits - 1), last = 0x8000 / scale - 1;
    unsigned fraction = bits % scale, exponent = bits % 0x8000 / scale;
    double value = ldexp(fraction, format->bottom - format->digits);
    if (exponent == last)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        value = ldexp(scale + fraction, format->bottom - format->digits + (int)exponent - 1);
    return bits & 0x8000 ? -value : value;
}

/* Whether the type has no value nearer to the decimal that reads as `text`. */
static bool reads_back(const struct format *format, double value, double text)
{
    int exponent;
    double fraction = fabs(frexp(value, &exponent));
    bool edge = fraction == 0.5 && fabs(text) < fabs(value) && exponent > format->bottom;
    exponent = exponent < format->bottom ? format->bottom : exponent;
    return text == value || fabs(text - value) < ldexp(1, exponent - format->digits - 1 - edge);
}

/* The shortest digits that read back; positional up to 1e16, as 150.0, where %e would have 1.5e+02. */
static void put_real(char *shown, const struct format *format, double value)
{
    char text[NUMBER];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*e", digits, value);
    while (!reads_back(format, value, strtod(text, NULL)) && digits++ < 16);
    if (isnan(value) || isinf(value)) {
        strcpy(shown, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    int exponent = atoi(strchr(text, 'e') + 1), places = digits - exponent;
    if (exponent > -5 && exponent < 16)
        snprintf(text, sizeof text, "%.*f", places > 1 ? places : 1, value);
    put_number(shown, text);
}

/* The bits of an element, as those of an unsigned number of its size. */
static uint64_t load_bits(const void *at, size_t size)
{
    switch (size) {
    case 1: return *(const uint8_t *)at;
    case 2: return *(const uint16_t *)at;
    case 4: return *(const uint32_t *)at;
    default: return *(const uint64_t *)at;
    }
}

static void put_value(char *shown, enum weft_dtype dtype, const void *at)
{
    const size_t size = weft_dtype_size(dtype);
    const uint64_t bits = load_bits(at, size), sign = UINT64_C(1) << (8 * size - 1);
    float single;
    double real;
    if (dtype == WEFT_BOOL) {
        strcpy(shown, bits ? "true" : "false");
    } else if (dtype == WEFT_FLOAT64) {
        memcpy(&real, at, size);
        put_real(shown, &formats[dtype], real);
    } else if (dtype == WEFT_FLOAT32) {
        memcpy(&single, at, size);
        put_real(shown, &formats[dtype], (double)single);
    } else if (formats[dtype].digits) {
        put_real(shown, &formats[dtype], short_real(&formats[dtype], (unsigned)bits));
    } else if (dtype >= WEFT_UINT8 && dtype <= WEFT_UINT64) {
        snprintf(shown, NUMBER, "%" PRIu64, bits);
    } else {
        snprintf(shown, NUMBER, "%" PRId64, (int64_t)((bits ^ sign) - sign)); /* extends the sign */
    }
}

/* From the innermost dimension outwards, as long as there is room for another. */
static void choose_edges(struct printer *printer)
{
    const struct tensor *tensor = printer->tensor;
    int64_t count = (int64_t)(tensor->size / weft_dtype_size(tensor->dtype)), room = printer->most;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        int64_t shown = tensor->shape[d] < 2 * EDGE ? tensor->shape[d] : 2 * EDGE;
        bool fits = room / shown > 0;
        printer->edges[d] = count <= printer->most ? tensor->shape[d] : fits ? EDGE : 0;
        room = fits ? room / shown : 0;
    }
}

static void put_text(struct printer *printer, const char *text, int width)
{
    int length = (int)strlen(text);
    for (int i = length; i < width; i++)
        fputc(' ', printer->file);
    fputs(text, printer->file);
    printer->column += length < width ? width : length;
}

static void new_line(struct printer *printer, int indent)
{
    fprintf(printer->file, "\n%*s", indent, "");
    printer->column = indent;
}

static void print_value(struct printer *printer, const char *at)
{
    put_value(printer->value, printer->tensor->dtype, at);
    int length = (int)strlen(printer->value);
    if (!printer->measuring)
        put_text(printer, printer->value, printer->width);
    else if (length > printer->width)
        printer->width = length;
}

/* What stands between two elements of dimension `d`. */
static void separate(struct printer *printer, int d)
{
    int below = printer->tensor->rank - 1 - d;
    put_text(printer, ",", 0);
    if (below == 0 && printer->column + 1 + printer->width < LINE) {
        put_text(printer, " ", 0);
        return;
    }
    if (below > 1)
        fputc('\n', printer->file);
    new_line(printer, printer->indent + d + 1);
}

/* The element, or all elements from dimension `d` on. */
static void print_from(struct printer *printer, int d, const char *at)
{
    const struct tensor *tensor = printer->tensor;
    if (d == tensor->rank) {
        print_value(printer, at);
        return;
    }
    int64_t extent = tensor->shape[d], edge = printer->edges[d];
    int64_t step = tensor->strides[d] * (int64_t)weft_dtype_size(tensor->dtype);
    int64_t head = edge ? edge : 1, tail = edge >= extent - edge ? head : extent - edge;
    if (head > extent)
        head = tail = extent;
    if (!printer->measuring)
        put_text(printer, "[", 0);
    for (int64_t i = 0; i < extent; i++) {
        bool gap = i == head && tail > head;
        if (gap)
            i = tail - 1; /* after the gap, the first of the tail */
        if (i && !printer->measuring)
            separate(printer, d);
        if (!gap)
            print_from(printer, d + 1, at + i * step);
        else if (!printer->measuring)
            put_text(printer, "...", 0);
    }
    if (!printer->measuring)
        put_text(printer, "]", 0);
}

static void print_values(struct printer *printer)
{
    choose_edges(printer);
    printer->measuring = true;
    print_from(printer, 0, printer->tensor->data);
    printer->measuring = false;
    print_from(printer, 0, printer->tensor->data);
}

/* Of a floating type; by bits, since all elements are looked at. */
static void count_specials(const struct tensor *tensor, int d, const char *at, int64_t *nans, int64_t *infinite)
{
    const size_t size = weft_dtype_size(tensor->dtype);
    if (d == tensor->rank) {
        const int width = 8 * (int)size, digits = formats[tensor->dtype].digits;
        const uint64_t sign = UINT64_C(1) << (width - 1);
        const uint64_t infinity = ((UINT64_C(1) << (width - digits)) - 1) << (digits - 1); /* a NaN has more bits */
        const uint64_t bits = load_bits(at, size) & ~sign;
        *nans += bits > infinity;
        *infinite += bits == infinity;
        return;
    }
    for (int64_t i = 0; i < tensor->shape[d]; i++)
        count_specials(tensor, d + 1, at + i * tensor->strides[d] * (int64_t)size, nans, infinite);
}

/* ", 2 nan, 1 inf" of a value that is shortened, where they could stand in what is left out. Returns the columns. */
static int print_specials(FILE *file, const struct tensor *tensor, int64_t most)
{
    int64_t nans = 0, infinite = 0;
    if (!formats[tensor->dtype].digits || tensor->size / weft_dtype_size(tensor->dtype) <= (size_t)most)
        return 0;
    count_specials(tensor, 0, tensor->data, &nans, &infinite);
    const int columns = nans ? fprintf(file, ", %" PRId64 " nan", nans) : 0;
    return columns + (infinite ? fprintf(file, ", %" PRId64 " inf", infinite) : 0);
}

static void print_named(FILE *file, struct pool *pool, const char *name,
                        const struct tensor *tensor, int64_t most)
{
    struct printer printer = {.file = file, .tensor = tensor, .most = most};
    printer.column = fprintf(file, "%s: %s", name, tensor_type(pool, tensor));
    printer.column += print_specials(file, tensor, most) + fprintf(file, " =");
    if (tensor->size && tensor->rank > 1)
        new_line(&printer, 0);
    else
        put_text(&printer, " ", 0);
    printer.indent = printer.column;
    if (tensor->size)
        print_values(&printer);
    else
        fputs("[]", file);
    fputc('\n', file);
}

void print_tensor(FILE *file, struct pool *pool, const char *name, const struct tensor *tensor)
{
    print_named(file, pool, name, tensor, MOST_VALUES);
}

void print_result(struct report *report, FILE *file, const char *name, const struct value *value,
                  enum weft_dtype dtype)
{
    int count = value->count, shown = count < 2 * EDGE ? count : 2 * EDGE;
    if (!value->batch) {
        print_tensor(file, report->pool, name, value->samples);
        return;
    }
    fprintf(file, "%s: %s, %d sample%s\n", name, weft_dtype_name(dtype), count,
            count == 1 ? "" : "s");
    for (int i = 0; i < shown; i++) {
        int sample = i < shown - EDGE ? i : count - shown + i;
        if (count > shown && i == EDGE)
            fputs("...\n", file);
        print_named(file, report->pool, report_plain(report, value->keys[sample]),
                    &value->samples[sample], shown > 1 ? MOST_OF_SAMPLE : MOST_VALUES);
    }
}

/* ---- JSON ---- */

/* What JSON has no number for is a text: "nan", "inf", "-inf". */
static void put_json_value(FILE *file, enum weft_dtype dtype, const void *at)
{
    char shown[NUMBER];
    put_value(shown, dtype, at);
    const bool word = dtype != WEFT_BOOL && strpbrk(shown, "nif");
    fprintf(file, word ? "\"%s\"" : "%s", shown);
}

static void put_json_from(FILE *file, const struct tensor *tensor, int d, const char *at)
{
    if (d == tensor->rank) {
        put_json_value(file, tensor->dtype, at);
        return;
    }
    const int64_t step = tensor->strides[d] * (int64_t)weft_dtype_size(tensor->dtype);
    fputc('[', file);
    for (int64_t i = 0; i < tensor->shape[d]; i++) {
        if (i)
            fputs(", ", file);
        put_json_from(file, tensor, d + 1, at + i * step);
    }
    fputc(']', file);
}

static void put_json_tensor(FILE *file, struct pool *pool, const struct tensor *tensor)
{
    fputs("\"type\": ", file);
    json_put(file, tensor_type(pool, tensor));
    fputs(", \"shape\": [", file);
    for (int d = 0; d < tensor->rank; d++)
        fprintf(file, "%s%" PRId64, d ? ", " : "", tensor->shape[d]);
    fputs("], \"value\": ", file);
    put_json_from(file, tensor, 0, tensor->data);
}

void print_result_json(FILE *file, struct pool *pool, const char *name, const struct value *value,
                       enum weft_dtype dtype)
{
    fputs("{\"name\": ", file);
    json_put(file, name);
    fprintf(file, ", \"dtype\": \"%s\", ", weft_dtype_name(dtype));
    if (!value->batch)
        put_json_tensor(file, pool, value->samples);
    else
        fputs("\"samples\": [", file);
    for (int i = 0; i < value->count && value->batch; i++) {
        fputs(i ? ",\n  {\"key\": " : "\n  {\"key\": ", file);
        json_put(file, value->keys[i]);
        fputs(", ", file);
        put_json_tensor(file, pool, &value->samples[i]);
        fputc('}', file);
    }
    fputs(value->batch ? "]}" : "}", file);
}
