/* One kernel as a file: the image, a shared object or a cubin, of which a loader reads the start and no
 * more than it says itself, and behind it what says whether the file is whole and what it is for:
 *
 *     image | key | note | "WEFTENT1" | sizes of image, key, note | checksum
 *
 * The sizes are 64 bits each, least significant byte first; the checksum is XXH3_128bits, in its
 * canonical form, of everything before it. */
#ifndef WEFT_ENTRY_H
#define WEFT_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

struct entry {
    unsigned char *bytes;          /* the whole file, from malloc */
    size_t size, image_size, key_size;
    const char *key;               /* what the entry is for (identity.h) */
    const char *note;              /* the compiler's version */
};

enum entry_state {
    ENTRY_SOUND,
    ENTRY_DAMAGED,                 /* the content is wrong */
    ENTRY_UNREADABLE               /* the content cannot be known: the device, rights, memory */
};

/* Reads the whole file; `entry` is to be finished whatever comes out, and *problem says in words
 * what is wrong. */
enum entry_state entry_read(int fd, struct entry *entry, const char **problem);
void entry_finish(struct entry *entry);

/* What the compiler made: the `size` bytes at `bytes`, or where that is NULL all that `fd` reads. */
struct image {
    int fd;
    char *bytes;
    size_t size;
};

/* The bytes of an entry for an image, from malloc. NULL with errno. */
unsigned char *entry_pack(const struct image *image, const char *key, size_t key_size,
                          const char *note, size_t *size);

#endif
