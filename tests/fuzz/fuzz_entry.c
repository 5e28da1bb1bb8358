/* Fuzzing: an entry of the cache. The first byte says how the others are meant:
 *   a   as a file
 *   b   as a file whose checksum is right, so that what comes behind it is reached
 *   c   as image, key and note, which are packed and read again; then one byte of the file is changed */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include "runtime/cache/entry.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { CHECKSUM = 16 };

static enum entry_state read_bytes(const uint8_t *data, size_t size, struct entry *entry)
{
    const char *problem = NULL;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    const enum entry_state state = entry_read(fd, entry, &problem);
    CHECK(problem && (state == ENTRY_SOUND || state == ENTRY_DAMAGED));
    close(fd);
    return state;
}

/* Of a sound one all parts lie in the file. */
static enum entry_state check_file(const uint8_t *data, size_t size)
{
    struct entry entry;
    const enum entry_state state = read_bytes(data, size, &entry);
    if (state == ENTRY_SOUND) {
        const char *bytes = (const char *)entry.bytes;
        CHECK(entry.size == size && entry.image_size <= size && entry.key_size <= size - entry.image_size);
        CHECK(entry.key == bytes + entry.image_size && entry.note == entry.key + entry.key_size);
        CHECK(entry.note + strlen(entry.note) < bytes + size);
    }
    entry_finish(&entry);
    return state;
}

static enum entry_state check_with_checksum(const uint8_t *data, size_t size)
{
    XXH128_canonical_t canonical;
    uint8_t *file = malloc(size + CHECKSUM);
    CHECK(file);
    memcpy(file, data, size);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    memcpy(file + size, canonical.digest, CHECKSUM);
    const enum entry_state state = check_file(file, size + CHECKSUM);
    free(file);
    return state;
}

/* The first bytes say how long the image and the key are, and which byte is changed. */
static enum entry_state check_packed(const uint8_t *data, size_t size)
{
    if (size < 3)
        return ENTRY_DAMAGED;
    const size_t image = data[0] % (size - 2), key = data[1] % (size - 2 - image);
    const size_t rest = size - 3 - image - key, at = data[2];
    const char *bytes = (const char *)data + 3;
    char *note = calloc(1, rest + 1);
    CHECK(note);
    memcpy(note, bytes + image + key, rest);
    size_t packed;
    struct entry entry;
    unsigned char *file = entry_pack(&(struct image){-1, (char *)(image ? bytes : ""), image}, bytes + image, key,
                                     note, &packed);
    CHECK(file && read_bytes(file, packed, &entry) == ENTRY_SOUND);
    CHECK(entry.image_size == image && entry.key_size == key && strcmp(entry.note, note) == 0);
    CHECK(memcmp(entry.bytes, bytes, image + key) == 0);
    entry_finish(&entry);
    file[at % packed] ^= 1;
    CHECK(check_file(file, packed) == ENTRY_DAMAGED);
    free(file);
    free(note);
    return ENTRY_SOUND;
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    if (size == 0)
        return WEFT_CACHE_ERROR;
    const enum entry_state state = *data == 'a'   ? check_file(data + 1, size - 1)
                                   : *data == 'b' ? check_with_checksum(data + 1, size - 1)
                                                  : check_packed(data + 1, size - 1);
    return state == ENTRY_SOUND ? WEFT_OK : WEFT_CACHE_ERROR;
}
