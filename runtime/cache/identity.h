/* What a kernel on disk depends on, and its hash. */
#ifndef WEFT_IDENTITY_H
#define WEFT_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { IDENTITY_FORMAT = 1 };      /* of what is kept on disk; counts up when that changes */

struct entry;
struct cache_key;

/* What an entry holds, ready to run; NULL: it cannot be loaded. `fd` reads the entry's file, which is at
 * `path`. */
typedef void *cache_loader(const struct cache_key *key, int fd, const struct entry *entry,
                           const char *path);

struct cache_key {
    const char *suffix;            /* of the file */
    cache_loader *load;
    void *user;                    /* the loader's */
    char *material;                /* from malloc: fields that each end with a NUL, then the text */
    size_t size;
    unsigned char digest[16];      /* XXH3_128bits of the material, canonical */
    char name[33];                 /* in hexadecimal digits */
};

#define PROGRAM_PATH "/bin:/usr/bin"

/* Looks a program up as posix_spawnp does, in `list`, a value of PATH, or when that is NULL in
 * PROGRAM_PATH; false when there is none. */
bool program_find(const char *list, const char *name, char path[PATH_MAX], struct stat *stat);

/* Which file it is: its place, size, time and inode, as they are now. From malloc; NULL when there is none
 * or no memory. */
char *file_identity(const char *path);

/* The key made of these fields, NULL-terminated, and a text. False: out of memory. */
bool cache_key_fields(struct cache_key *key, const char *const *fields, const char *text);
void cache_key_finish(struct cache_key *key);
/* The name for these key bytes, as in cache_key.name. */
void cache_key_name(const char *material, size_t size, unsigned char digest[16], char name[33]);

#endif
