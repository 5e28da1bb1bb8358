/* Writing .npz, see npz.h: stored entries, every size and offset in the 64-bit form whatever it is,
 * so that there is one form to test. Field by field as APPNOTE.TXT of the zip format has them.
 *
 * Invariant: `offset` is the number of bytes written so far. */
#include "cli/files/npy.h"
#include "cli/files/npz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* 64-bit sizes need 4.5; 1 January 1980, as NumPy. */
enum { VERSION = 45, DATE = 1 << 5 | 1, UTF8_NAME = 1 << 11 };

struct archive {
    FILE *file;
    uint64_t offset;
};

struct entry {
    const char *key;
    uint32_t crc;
    uint64_t size, offset;
};

static void put(struct archive *archive, const void *bytes, size_t size)
{
    if (size)
        fwrite(bytes, 1, size, archive->file);
    archive->offset += size;
}

/* A little-endian number of `size` bytes. */
struct field {
    uint64_t number;
    size_t size;
};

/* Fields up to one of size 0. */
static void put_fields(struct archive *archive, const struct field *fields)
{
    unsigned char bytes[8];
    for (; fields->size; fields++) {
        for (size_t i = 0; i < fields->size; i++)
            bytes[i] = (unsigned char)(fields->number >> 8 * i);
        put(archive, bytes, fields->size);
    }
}

/* Whether a name is to be marked as UTF-8: it is, and plain ASCII would not do. */
static bool is_wide_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    bool wide = false;
    while (*c) {
        int more = *c < 0x80                 ? 0
                   : *c >= 0xc2 && *c < 0xe0 ? 1
                   : (*c & 0xf0) == 0xe0     ? 2
                   : *c >= 0xf0 && *c < 0xf5 ? 3
                                             : -1;
        bool low = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90); /* too long a form */
        bool high = (*c == 0xed && c[1] > 0x9f) || (*c == 0xf4 && c[1] > 0x8f); /* no character */
        if (more < 0 || low || high)
            return false;
        wide |= more > 0;
        for (c++; more > 0; more--)
            if ((*c++ & 0xc0) != 0x80)
                return false;
    }
    return wide;
}

static void put_name(struct archive *archive, const char *key)
{
    put(archive, key, strlen(key));
    put(archive, ".npy", 4);
}

/* What the local header and the central directory have in common, from the version needed up to the
 * length of the name. */
static void put_common(struct archive *archive, const struct entry *entry)
{
    const uint64_t flags = is_wide_utf8(entry->key) ? UTF8_NAME : 0;
    const struct field fields[] = {
        {VERSION, 2}, {flags, 2}, {0, 2},     /* stored */
        {0, 2}, {DATE, 2}, {entry->crc, 4},   /* time and date */
        {UINT32_MAX, 4}, {UINT32_MAX, 4},     /* both sizes: see the extra field */
        {strlen(entry->key) + 4, 2}, {0, 0}};
    put_fields(archive, fields);
}

/* The extra field of 64-bit numbers. */
static void put_sizes(struct archive *archive, const struct entry *entry, size_t extra)
{
    const struct field fields[] = {{1, 2}, {extra, 2}, {entry->size, 8}, {entry->size, 8}, {0, 0}};
    put_fields(archive, fields);
}

static void put_entry(struct archive *archive, struct entry *entry, const struct tensor *tensor)
{
    char header[NPY_MAX_WRITTEN];
    size_t header_size = npy_make_header(tensor, header), bytes = 0;
    tensor_bytes(tensor, &bytes);
    const uLong crc = crc32(0, (const Bytef *)header, (uInt)header_size);
    *entry = (struct entry){entry->key, (uint32_t)crc32_z(crc, tensor->data, bytes), header_size + bytes,
                            archive->offset};
    put_fields(archive, (const struct field[]){{0x04034b50, 4}, {0, 0}});
    put_common(archive, entry);
    put_fields(archive, (const struct field[]){{20, 2}, {0, 0}}); /* bytes of the extra field */
    put_name(archive, entry->key);
    put_sizes(archive, entry, 16);
    put(archive, header, header_size);
    put(archive, tensor->data, bytes);
}

static void put_directory(struct archive *archive, const struct entry *entry)
{
    const struct field made[] = {{0x02014b50, 4}, {3 << 8 | VERSION, 2}, {0, 0}}; /* on Unix */
    const struct field attributes[] = {
        {28, 2},                         /* bytes of the extra field */
        {0, 6},                          /* no comment, disk 0, internal attributes */
        {(uint64_t)0100644 << 16, 4},
        {UINT32_MAX, 4}, {0, 0}};        /* the offset: see the extra field */
    put_fields(archive, made);
    put_common(archive, entry);
    put_fields(archive, attributes);
    put_name(archive, entry->key);
    put_sizes(archive, entry, 24);
    put_fields(archive, (const struct field[]){{entry->offset, 8}, {0, 0}});
}

/* The 64-bit end of the directory and its locator. */
static void put_long_end(struct archive *archive, int count, uint64_t directory)
{
    const uint64_t end = archive->offset, all = (uint64_t)count;
    const struct field fields[] = {
        {0x06064b50, 4}, {44, 8}, {3 << 8 | VERSION, 2}, {VERSION, 2},
        {0, 8},                          /* this disk, the directory's disk */
        {all, 8}, {all, 8}, {end - directory, 8}, {directory, 8},
        {0x07064b50, 4}, {0, 4}, {end, 8}, {1, 4}, {0, 0}};
    put_fields(archive, fields);
}

/* The old end, which refers to the other where there is one: NumPy knows an empty archive by its old
 * end alone. */
static void put_end(struct archive *archive, int count, uint64_t directory)
{
    const uint64_t short_form = count ? UINT16_MAX : 0, long_form = count ? UINT32_MAX : 0;
    const struct field fields[] = {
        {0x06054b50, 4}, {0, 4},         /* disks */
        {short_form, 2}, {short_form, 2}, {long_form, 4}, {long_form, 4},
        {0, 2}, {0, 0}};                 /* no comment */
    if (count)
        put_long_end(archive, count, directory);
    put_fields(archive, fields);
}

struct npz_writer {
    struct archive archive;
    struct entry *entries;
    int count;
};

struct npz_writer *npz_begin(FILE *file, int most)
{
    struct npz_writer *writer = malloc(sizeof *writer);
    struct entry *entries = malloc(((size_t)most + 1) * sizeof *entries);
    if (!writer || !entries) {
        free(writer);
        free(entries);
        return NULL;
    }
    *writer = (struct npz_writer){.archive = {file, 0}, .entries = entries};
    return writer;
}

void npz_put(struct npz_writer *writer, const char *key, const struct tensor *tensor)
{
    struct entry *entry = &writer->entries[writer->count++];
    entry->key = key;
    put_entry(&writer->archive, entry, tensor);
}

void npz_end(struct npz_writer *writer)
{
    struct archive *archive = &writer->archive;
    const uint64_t directory = archive->offset;
    for (int i = 0; i < writer->count; i++)
        put_directory(archive, &writer->entries[i]);
    put_end(archive, writer->count, directory);
    npz_abandon(writer);
}

void npz_abandon(struct npz_writer *writer)
{
    if (writer)
        free(writer->entries);
    free(writer);
}

bool npz_write(FILE *file, const char *const *keys, const struct tensor *tensors, int count)
{
    struct npz_writer *writer = npz_begin(file, count);
    for (int i = 0; writer && i < count; i++)
        npz_put(writer, keys[i], &tensors[i]);
    if (writer)
        npz_end(writer);
    return writer;
}
