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
static void put_number(struct archive *archive, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    put(archive, bytes, size);
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
    put_number(archive, VERSION, 2);
    put_number(archive, is_wide_utf8(entry->key) ? UTF8_NAME : 0, 2);
    put_number(archive, 0, 2); /* stored */
    put_number(archive, 0, 2); /* time */
    put_number(archive, DATE, 2);
    put_number(archive, entry->crc, 4);
    put_number(archive, UINT32_MAX, 4); /* both sizes: see the extra field */
    put_number(archive, UINT32_MAX, 4);
    put_number(archive, strlen(entry->key) + 4, 2);
}

static void put_sizes(struct archive *archive, const struct entry *entry, size_t extra)
{
    put_number(archive, 1, 2); /* the extra field of 64-bit numbers */
    put_number(archive, extra, 2);
    put_number(archive, entry->size, 8);
    put_number(archive, entry->size, 8);
}

static uint32_t checksum(const char *header, size_t header_size, const unsigned char *data,
                         size_t size)
{
    uLong crc = crc32(0, (const Bytef *)header, (uInt)header_size);
    return (uint32_t)crc32_z(crc, data, size);
}

static void put_entry(struct archive *archive, struct entry *entry, const struct tensor *tensor)
{
    char header[NPY_MAX_WRITTEN];
    size_t header_size = npy_make_header(tensor, header), bytes = 0;
    tensor_bytes(tensor, &bytes);
    entry->offset = archive->offset;
    entry->size = header_size + bytes;
    entry->crc = checksum(header, header_size, tensor->data, bytes);
    put_number(archive, 0x04034b50, 4);
    put_common(archive, entry);
    put_number(archive, 20, 2); /* bytes of the extra field */
    put_name(archive, entry->key);
    put_sizes(archive, entry, 16);
    put(archive, header, header_size);
    put(archive, tensor->data, bytes);
}

static void put_directory(struct archive *archive, const struct entry *entry)
{
    put_number(archive, 0x02014b50, 4);
    put_number(archive, 3 << 8 | VERSION, 2); /* made on Unix */
    put_common(archive, entry);
    put_number(archive, 28, 2); /* bytes of the extra field */
    put_number(archive, 0, 6);  /* no comment, disk 0, internal attributes */
    put_number(archive, (uint64_t)0100644 << 16, 4);
    put_number(archive, UINT32_MAX, 4); /* the offset: see the extra field */
    put_name(archive, entry->key);
    put_sizes(archive, entry, 24);
    put_number(archive, entry->offset, 8);
}

/* The 64-bit end of the directory and its locator. */
static void put_long_end(struct archive *archive, int count, uint64_t directory)
{
    uint64_t end = archive->offset;
    put_number(archive, 0x06064b50, 4);
    put_number(archive, 44, 8);
    put_number(archive, 3 << 8 | VERSION, 2);
    put_number(archive, VERSION, 2);
    put_number(archive, 0, 8); /* this disk, the directory's disk */
    put_number(archive, (uint64_t)count, 8);
    put_number(archive, (uint64_t)count, 8);
    put_number(archive, end - directory, 8);
    put_number(archive, directory, 8);
    put_number(archive, 0x07064b50, 4);
    put_number(archive, 0, 4);
    put_number(archive, end, 8);
    put_number(archive, 1, 4);
}

/* The old end, which refers to the other where there is one: NumPy knows an empty archive by its old
 * end alone. */
static void put_end(struct archive *archive, int count, uint64_t directory)
{
    if (count)
        put_long_end(archive, count, directory);
    put_number(archive, 0x06054b50, 4);
    put_number(archive, 0, 4); /* disks */
    put_number(archive, count ? UINT16_MAX : 0, 2);
    put_number(archive, count ? UINT16_MAX : 0, 2);
    put_number(archive, count ? UINT32_MAX : 0, 4);
    put_number(archive, count ? UINT32_MAX : 0, 4);
    put_number(archive, 0, 2); /* no comment */
}

bool npz_write(FILE *file, const char *const *keys, const struct tensor *tensors, int count)
{
    struct archive archive = {file, 0};
    struct entry *entries = malloc(((size_t)count + 1) * sizeof *entries);
    if (!entries)
        return false;
    for (int i = 0; i < count; i++) {
        entries[i].key = keys[i];
        put_entry(&archive, &entries[i], &tensors[i]);
    }
    uint64_t directory = archive.offset;
    for (int i = 0; i < count; i++)
        put_directory(&archive, &entries[i]);
    put_end(&archive, count, directory);
    free(entries);
    return true;
}
