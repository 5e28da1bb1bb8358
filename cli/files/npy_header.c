/* The header of a .npy: a Python dictionary literal with three keys, read by a small scanner that
 * accepts what NumPy writes and reads, and nothing else. See npy.h.
 *
 * Invariant: the scanner never passes `end`, and `at` only grows. */
#include "cli/files/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    struct report *report;
    const char *path;
    const char *at, *end;
};

static bool bad(struct scan *scan, const char *what)
{
    return REPORT_FILE(scan->report, scan->path, BAD_NPY, what);
}

static void skip_space(struct scan *scan)
{
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at)
        scan->at++;
}

static bool take(struct scan *scan, char c)
{
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_word(struct scan *scan, const char *word)
{
    skip_space(scan);
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

/* A quoted string without escapes, copied. */
static bool take_string(struct scan *scan, const char **text)
{
    skip_space(scan);
    if (scan->at == scan->end || (*scan->at != '\'' && *scan->at != '"'))
        return false;
    char quote = *scan->at++;
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != quote)
        scan->at++;
    if (scan->at == scan->end)
        return false;
    *text = pool_string(scan->report->pool, start, (size_t)(scan->at++ - start));
    return true;
}

static bool take_extent(struct scan *scan, int64_t *extent)
{
    skip_space(scan);
    const char *start = scan->at;
    *extent = 0;
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
        if (__builtin_mul_overflow(*extent, 10, extent) ||
            __builtin_add_overflow(*extent, *scan->at - '0', extent))
            return false;
    bool digits = scan->at > start;
    if (digits && scan->at < scan->end && *scan->at == 'L') /* Python 2 wrote 3L */
        scan->at++;
    return digits;
}

static bool take_shape(struct scan *scan, struct tensor *tensor)
{
    if (!take(scan, '('))
        return bad(scan, "its shape is not a tuple");
    tensor->rank = 0;
    bool comma = true;
    while (!take(scan, ')')) {
        if (tensor->rank == WEFT_MAX_RANK)
            return bad(scan, "it has more than 32 dimensions");
        if (!comma || !take_extent(scan, &tensor->shape[tensor->rank]))
            return bad(scan, "its shape holds something else than extents from 0 to 2**63 - 1");
        tensor->rank++;
        comma = take(scan, ',');
    }
    return true;
}

/* What a dtype is called that Weft does not have. */
static const char *foreign_name(struct scan *scan, const char *descr, char kind, int size)
{
    struct pool *pool = scan->report->pool;
    switch (kind) {
    case 'f':
        return pool_printf(pool, "float%d", size < 100 ? size * 8 : 0);
    case 'c':
        return pool_printf(pool, "complex%d", size < 100 ? size * 8 : 0);
    case 'O':
        return "object";
    case 'U':
    case 'S':
    case 'a':
        return pool_printf(pool, "string (%.20s)", descr);
    case 'M':
    case 'm':
        return pool_printf(pool, "date or time (%.20s)", descr);
    case 'V':
        return "void";
    default:
        return pool_printf(pool, "'%.20s'", descr);
    }
}

/* NumPy's letter for each dtype; it has no bfloat16 and keeps its bytes. */
static const char kinds[WEFT_DTYPE_COUNT] = {
    [WEFT_BOOL] = 'b',   [WEFT_INT8] = 'i',    [WEFT_INT16] = 'i',  [WEFT_INT32] = 'i',
    [WEFT_INT64] = 'i',  [WEFT_UINT8] = 'u',   [WEFT_UINT16] = 'u', [WEFT_UINT32] = 'u',
    [WEFT_UINT64] = 'u', [WEFT_FLOAT16] = 'f', [WEFT_BFLOAT16] = 'V', [WEFT_FLOAT32] = 'f',
    [WEFT_FLOAT64] = 'f'};

static bool find_dtype(char kind, int size, enum weft_dtype *dtype)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (kinds[t] == kind && (int)weft_dtype_size((enum weft_dtype)t) == size) {
            *dtype = (enum weft_dtype)t;
            return true;
        }
    return false;
}

/* "<f4", "|u1", "?": an optional order, a letter, a size. */
static bool read_descr(struct scan *scan, const char *descr, struct npy_header *header,
                       struct tensor *tensor)
{
    const char *at = descr;
    char order = *at && strchr("<>|=", *at) ? *at++ : '=';
    char kind = *at ? *at++ : '\0';
    size_t digits = strspn(at, "0123456789");
    int size = digits && digits < 4 ? atoi(at) : 0;
    if (kind == '?' && !*at)
        kind = 'b', size = 1, digits = 0;
    if (at[digits] || !find_dtype(kind, size, &tensor->dtype)) {
        const char *name =
            foreign_name(scan, descr, at[digits] && kind != 'M' && kind != 'm' ? '\0' : kind, size);
        return REPORT_FILE(scan->report, scan->path, NPY_DTYPE, name);
    }
    tensor->voids = kind == 'V';
    header->swap = size > 1 && order == (little_endian() ? '>' : '<');
    return true;
}

static bool take_descr(struct scan *scan, struct npy_header *header, struct tensor *tensor)
{
    const char *descr;
    skip_space(scan);
    if (scan->at < scan->end && (*scan->at == '[' || *scan->at == '('))
        return REPORT_FILE(scan->report, scan->path, NPY_DTYPE, "a structure of fields");
    return take_string(scan, &descr) ? read_descr(scan, descr, header, tensor)
                                     : bad(scan, "its descr is not a string");
}

/* One `'key': value`; `seen` has a bit for each of the three keys. */
static bool take_entry(struct scan *scan, unsigned *seen, struct npy_header *header,
                       struct tensor *tensor)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *key;
    unsigned k = 0;
    if (!take_string(scan, &key) || !take(scan, ':'))
        return bad(scan, "its header is not a dictionary");
    while (k < 3 && strcmp(keys[k], key) != 0)
        k++;
    if (k == 3 || *seen & 1u << k)
        return bad(scan, "its header has an unknown or repeated key");
    *seen |= 1u << k;
    if (k == 0)
        return take_descr(scan, header, tensor);
    if (k == 2)
        return take_shape(scan, tensor);
    header->fortran = take_word(scan, "True");
    return header->fortran || take_word(scan, "False") ||
           bad(scan, "its fortran_order is neither True nor False");
}

static bool take_dictionary(struct scan *scan, struct npy_header *header, struct tensor *tensor)
{
    unsigned seen = 0;
    if (!take(scan, '{'))
        return bad(scan, "its header is not a dictionary");
    bool comma = true;
    while (!take(scan, '}')) {
        if (!comma)
            return bad(scan, "its header is not a dictionary");
        if (!take_entry(scan, &seen, header, tensor))
            return false;
        comma = take(scan, ',');
    }
    skip_space(scan);
    return (seen == 7 && scan->at == scan->end) || bad(scan, "its header lacks a key or goes on after its end");
}

bool npy_data_start(struct report *report, const char *path, const unsigned char *bytes,
                    size_t size, size_t *data_start)
{
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return REPORT_FILE(report, path, BAD_NPY, "it does not start as one");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return REPORT_FILE(report, path, BAD_NPY, "its version is not 1.0, 2.0 or 3.0");
    bool long_form = bytes[6] > 1;
    if (long_form && size < 12)
        return REPORT_FILE(report, path, BAD_NPY, "its header is cut off");
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (long_form)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > NPY_MAX_HEADER)
        return REPORT_FILE(report, path, BAD_NPY, "its header is longer than 1 MiB");
    *data_start = length + (long_form ? 12 : 10);
    return true;
}

bool npy_parse(struct report *report, const char *path, const unsigned char *bytes,
               struct npy_header *header, struct tensor *tensor)
{
    *header = (struct npy_header){0};
    if (!npy_data_start(report, path, bytes, NPY_PRELUDE, &header->data_start))
        return false;
    const char *text = (const char *)bytes;
    struct scan scan = {report, path, text + (bytes[6] > 1 ? 12 : 10), text + header->data_start};
    if (!take_dictionary(&scan, header, tensor))
        return false;
    if (!tensor_bytes(tensor, &header->data_size))
        return bad(&scan, "its shape has more elements than a machine can hold");
    tensor_set_strides(tensor, header->fortran);
    return true;
}

size_t npy_make_header(const struct tensor *tensor, char header[NPY_MAX_WRITTEN])
{
    size_t size = weft_dtype_size(tensor->dtype), room = NPY_MAX_WRITTEN, length = 10;
    char order = size == 1 || kinds[tensor->dtype] == 'V' ? '|' : little_endian() ? '<' : '>';
    length += (size_t)snprintf(header + length, room - length,
                               "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (", order,
                               kinds[tensor->dtype], size);
    for (int i = 0; i < tensor->rank; i++)
        length += (size_t)snprintf(header + length, room - length, i ? ", %" PRId64 : "%" PRId64,
                                   tensor->shape[i]);
    length +=
        (size_t)snprintf(header + length, room - length, tensor->rank == 1 ? ",), }" : "), }");
    size_t whole = (length / 64 + 1) * 64; /* a space or newline always fits: data at 64 bytes */
    memset(header + length, ' ', whole - length);
    header[whole - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((whole - 10) & 0xff);
    header[9] = (char)((whole - 10) >> 8);
    return whole;
}
