/* The file format of one kernel. The image, a shared object or a cubin, comes first; loaders read
 * only as much as its own header says. The trailer says whether the file is whole and which key it
 * belongs to:
 *
 *     image | key | note | "WEFTENT1" | sizes of image, key, note | checksum
 *
 * The sizes are 64 bits each, least significant byte first. The checksum is XXH3_128bits in
 * canonical form over everything before it. */
#ifndef WEFT_RUNTIME_CACHE_ENTRY_H
#define WEFT_RUNTIME_CACHE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

struct entry {
    unsigned char *bytes;          /* the whole file, from malloc */
    size_t size, image_size, key_size;
    const char *key;               /* not NUL-terminated; see identity.h */
    const char *note;              /* the compiler's version, a newline and what users call the kernel by, or the
                                    * former alone; NUL-terminated */
};

enum entry_state {
    ENTRY_SOUND,
    ENTRY_DAMAGED,                 /* the content is wrong, or the file is another user's */
    ENTRY_UNREADABLE               /* the content is unknown: no rights, a bad device, no memory */
};

/* Reads and checks the whole file. `entry` must be finished in any case. *problem says in words what
 * is wrong; it is set even if nothing is. */
enum entry_state entry_read(int fd, struct entry *entry, const char **problem);
/* Frees the bytes; key and note go with them. */
void entry_finish(struct entry *entry);

/* A compiler's output: the `size` bytes at `bytes`, or the whole file behind `fd` if `bytes` is
 * NULL. */
struct image {
    int fd;
    char *bytes;
    size_t size;
};

/* The bytes of an entry for this image, from malloc, and their *size. NULL with errno. */
unsigned char *entry_pack(const struct image *image, const char *key, size_t key_size,
                          const char *note, size_t *size);

#endif
