/* See picture.h: PGM and PPM, as plain text (P2, P3) and as bytes (P5, P6). A header is a magic
 * number, width, height and the largest value, apart by white space; a comment goes from # to the
 * end of its line. One white space character ends it. docs/design/command.md says why no library reads it.
 *
 * Invariant: no sample is above the header's largest value. Only the first picture of a file is
 * read. */
#include "cli/files/picture.h"

#include <string.h>
#include <sys/stat.h>

enum { MAX_SAMPLE = 65535 };

struct reader {
    struct report *report;
    const char *path;
    FILE *file;
    struct tensor *tensor;
    bool plain; /* samples are decimal numbers in text, else bytes, the high one first */
    int64_t largest;
};

static bool refuse(struct reader *reader, const char *why)
{
    return REPORT_FILE(reader->report, reader->path, BAD_PNM, why);
}

static bool ended(struct reader *reader)
{
    return refuse(reader, ferror(reader->file) ? "it cannot be read" : "it is cut off");
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next character; a comment counts as the end of its line. */
static int next(struct reader *reader)
{
    int c = getc(reader->file);
    if (c == '#')
        do
            c = getc(reader->file);
        while (c != '\n' && c != '\r' && c != EOF);
    return c;
}

/* A number of decimal digits, and the one character behind it. `what` is called so in messages. */
static bool read_number(struct reader *reader, const char *what, int64_t most, int64_t *number)
{
    int c = next(reader);
    while (is_space(c))
        c = next(reader);
    if (c == EOF)
        return ended(reader);
    if (c < '0' || c > '9')
        return refuse(reader, pool_printf(reader->report->pool, "%s is not a number", what));
    for (*number = 0; c >= '0' && c <= '9' && *number <= most; c = next(reader))
        *number = *number * 10 + (c - '0');
    if (*number > most)
        return refuse(reader, pool_printf(reader->report->pool, "%s is more than %lld", what,
                                           (long long)most));
    if (c != EOF && !is_space(c))
        return refuse(reader, pool_printf(reader->report->pool, "%s is not a number", what));
    return c != EOF || reader->plain || ended(reader);
}

/* "P6": c is 3. */
static bool read_magic(struct reader *reader, int64_t *channels)
{
    char magic[2] = "";
    if (fread(magic, 1, 2, reader->file) != 2)
        return ended(reader);
    if (magic[0] != 'P' || !magic[1] || !strchr("1234567", magic[1]))
        return refuse(reader, "it does not begin with P2, P3, P5 or P6");
    if (strchr("147", magic[1]))
        return refuse(reader, magic[1] == '7' ? "it is a PAM (P7); convert it to PPM or PNG"
                                              : "it is a bitmap (PBM); convert it to PGM or PNG");
    reader->plain = magic[1] < '5';
    *channels = magic[1] == '3' || magic[1] == '6' ? 3 : 1;
    return true;
}

static bool read_header(struct reader *reader)
{
    int64_t height, width, channels = 1;
    if (!read_magic(reader, &channels) ||
        !read_number(reader, "its width", PICTURE_MAX_EXTENT, &width) ||
        !read_number(reader, "its height", PICTURE_MAX_EXTENT, &height) ||
        !read_number(reader, "its largest value", MAX_SAMPLE, &reader->largest))
        return false;
    picture_describe(reader->tensor, reader->largest > 255 ? WEFT_UINT16 : WEFT_UINT8, height, width, channels);
    return (height && width && reader->largest) || refuse(reader, "its width, height or largest value is 0");
}

static bool read_text(struct reader *reader)
{
    const size_t count = reader->tensor->size / weft_dtype_size(reader->tensor->dtype);
    uint8_t *bytes = reader->tensor->data;
    uint16_t *words = reader->tensor->data;
    for (size_t i = 0; i < count; i++) {
        int64_t number;
        if (!read_number(reader, "a sample", reader->largest, &number))
            return false;
        if (reader->largest > 255)
            words[i] = (uint16_t)number;
        else
            bytes[i] = (uint8_t)number;
    }
    return true;
}

static bool read_bytes(struct reader *reader)
{
    const size_t count = reader->tensor->size / weft_dtype_size(reader->tensor->dtype);
    uint8_t *bytes = reader->tensor->data;
    uint16_t *words = reader->tensor->data;
    bool wide = reader->largest > 255, good = true;
    if (fread(bytes, wide ? 2 : 1, count, reader->file) != count)
        return ended(reader);
    for (size_t i = 0; wide && i < count; i++) {
        words[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
        good &= words[i] <= reader->largest;
    }
    for (size_t i = 0; !wide && i < count; i++)
        good &= bytes[i] <= reader->largest;
    return good || refuse(reader, pool_printf(reader->report->pool, "a sample is more than %lld",
                                               (long long)reader->largest));
}

/* False with an error if the file is too short for its samples, which is known of a regular one (and of one in memory)
 * before memory for them is asked for. */
static bool is_long_enough(struct reader *reader)
{
    struct stat status;
    const int fd = fileno(reader->file);
    size_t size;
    if ((fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) || !tensor_bytes(reader->tensor, &size))
        return true;
    const size_t count = size / weft_dtype_size(reader->tensor->dtype);
    const off_t at = ftello(reader->file);
    if (at < 0 || fseeko(reader->file, 0, SEEK_END) != 0)
        return true;
    const off_t end = ftello(reader->file);
    if (fseeko(reader->file, at, SEEK_SET) != 0 || (size_t)(end - at) >= (reader->plain ? count : size))
        return true;
    return ended(reader);
}

bool picture_read_pnm(struct report *report, const char *path, FILE *file, struct tensor *tensor)
{
    struct reader reader = {.report = report, .path = path, .file = file, .tensor = tensor};
    bool done = read_header(&reader) &&
                (tensor->outline || (is_long_enough(&reader) && tensor_allocate(report, path, "the picture", tensor) &&
                                     (reader.plain ? read_text : read_bytes)(&reader)));
    if (!done)
        tensor_finish(tensor);
    return done;
}
