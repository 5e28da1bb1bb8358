/* Keys of kernels on disk: everything that a kernel's code depends on, and its hash. */
#ifndef WEFT_RUNTIME_CACHE_IDENTITY_H
#define WEFT_RUNTIME_CACHE_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { IDENTITY_FORMAT = 1 };      /* the version of the format on disk */

struct entry;
struct cache_key;

/* Loads the kernel in an entry. `fd` is open on the entry's file, which lies at `path`. Returns a
 * handle; NULL: it cannot be loaded. */
typedef void *cache_loader(const struct cache_key *key, int fd, const struct entry *entry,
                           const char *path);

struct cache_key {
    const char *suffix;            /* of the file name, such as ".so" */
    cache_loader *load;
    void *user;                    /* for `load` */
    char *material;                /* from malloc: fields that each end with a NUL, an empty one, then the text */
    size_t size;
    unsigned char digest[16];      /* XXH3_128bits of the material, in canonical form */
    char name[33];                 /* the digest in hexadecimal digits */
};

#define PROGRAM_PATH "/bin:/usr/bin"

/* Looks up a program as posix_spawnp does, in `list`, a value of PATH; NULL stands for PROGRAM_PATH.
 * Fills `path`. False: there is none. */
bool program_find(const char *list, const char *name, char path[PATH_MAX]);

/* Identifies a file by its path, resolved path, size, time and inode. From malloc; NULL: no such file,
 * or out of memory. */
char *file_identity(const char *path);

/* Makes a key, in which only suffix, loader and user are set, of a NULL-terminated list of fields and a text. False:
 * out of memory. The key must be finished in any case. */
bool cache_key_fields(struct cache_key *key, const char *const *fields, const char *text);
void cache_key_finish(struct cache_key *key);
/* Computes digest and name of a key's material, as in struct cache_key. */
void cache_key_name(const char *material, size_t size, unsigned char digest[16], char name[33]);

#endif
