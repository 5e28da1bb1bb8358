/* Reading and writing entries; see entry.h. */
#include "runtime/cache/entry.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const unsigned char magic[8] = "WEFTENT1";

enum { SIZES = sizeof magic, CHECKSUM = SIZES + 3 * 8, FOOTER = CHECKSUM + 16,
       MAX_ENTRY = 256 << 20 };

static void put_size(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_size(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void checksum(const unsigned char *bytes, size_t size, unsigned char sum[16])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
    memcpy(sum, canonical.digest, 16);
}

/* Reads `size` bytes from the start of the file, or fewer if it is shorter, and sets *got to how
 * many. */
static bool read_all(int fd, unsigned char *bytes, size_t size, size_t *got)
{
    ssize_t count = 1;
    for (*got = 0; *got < size && count != 0;) {
        count = pread(fd, bytes + *got, size - *got, (off_t)*got);
        if (count < 0 && errno != EINTR)
            return false;
        *got += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static enum entry_state damaged(const char *what, const char **problem)
{
    *problem = what;
    return ENTRY_DAMAGED;
}

static enum entry_state check(struct entry *entry, const char **problem)
{
    if (entry->size < FOOTER)
        return damaged("it is too short", problem);
    const unsigned char *footer = entry->bytes + entry->size - FOOTER;
    unsigned char sum[16];
    if (memcmp(footer, magic, sizeof magic) != 0)
        return damaged("it does not end as an entry does", problem);
    checksum(entry->bytes, entry->size - 16, sum);
    if (memcmp(footer + CHECKSUM, sum, 16) != 0)
        return damaged("its checksum differs", problem);
    uint64_t image = get_size(footer + SIZES), key = get_size(footer + SIZES + 8),
             note = get_size(footer + SIZES + 16), all = entry->size - FOOTER;
    if (image > all || key > all - image || note != all - image - key || note == 0 || footer[-1])
        return damaged("its lengths differ from the file's", problem);
    entry->image_size = image;
    entry->key_size = key;
    entry->key = (const char *)entry->bytes + image;
    entry->note = entry->key + key;
    return ENTRY_SOUND;
}

enum entry_state entry_read(int fd, struct entry *entry, const char **problem)
{
    struct stat stat;
    *entry = (struct entry){.size = 0};
    *problem = "it cannot be read";
    if (fstat(fd, &stat) != 0)
        return ENTRY_UNREADABLE;
    if (!S_ISREG(stat.st_mode))
        return damaged(S_ISDIR(stat.st_mode) ? "it is a directory" : "it is no regular file", problem);
    if (stat.st_uid != geteuid())
        return damaged("it belongs to another user", problem);
    if (stat.st_size > MAX_ENTRY)
        return damaged("it is too long", problem);
    entry->bytes = malloc((size_t)stat.st_size + 1);
    return entry->bytes && read_all(fd, entry->bytes, (size_t)stat.st_size, &entry->size) ? check(entry, problem)
                                                                                          : ENTRY_UNREADABLE;
}

void entry_finish(struct entry *entry)
{
    free(entry->bytes);
    entry->bytes = NULL;
}

static bool image_size(const struct image *image, size_t *size)
{
    struct stat stat;
    bool known = image->bytes || fstat(image->fd, &stat) == 0;
    *size = image->bytes ? image->size : known ? (size_t)stat.st_size : 0;
    return known;
}

static bool copy_image(const struct image *image, unsigned char *to, size_t size)
{
    size_t got = 0;
    if (!image->bytes)
        return read_all(image->fd, to, size, &got) && got == size;
    memcpy(to, image->bytes, size);
    return true;
}

unsigned char *entry_pack(const struct image *image, const char *key, size_t key_size,
                          const char *note, size_t *size)
{
    size_t note_size = strlen(note) + 1, length;
    if (!image_size(image, &length))
        return NULL;
    *size = length + key_size + note_size + FOOTER;
    unsigned char *bytes = malloc(*size), *to = bytes;
    if (!bytes || !copy_image(image, bytes, length)) {
        free(bytes);
        return NULL;
    }
    memcpy(to += length, key, key_size);
    memcpy(to += key_size, note, note_size);
    memcpy(to += note_size, magic, sizeof magic);
    put_size(to + SIZES, length);
    put_size(to + SIZES + 8, key_size);
    put_size(to + SIZES + 16, note_size);
    checksum(bytes, *size - 16, to + CHECKSUM);
    return bytes;
}
