/* Keys and the identity of files; see identity.h. */
#include "runtime/cache/identity.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static bool is_program(const char *path)
{
    struct stat status;
    return access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool program_find(const char *list, const char *name, char path[PATH_MAX])
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(path);
    for (list = list ? list : PROGRAM_PATH;; list++) {
        int length = (int)strcspn(list, ":");
        if (snprintf(path, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", name) < PATH_MAX &&
            is_program(path))
            return true;
        list += length;
        if (!*list)
            return false;
    }
}

char *file_identity(const char *path)
{
    char resolved[PATH_MAX], text[2 * PATH_MAX + 128];
    struct stat status;
    if (stat(path, &status) != 0 || !realpath(path, resolved))
        return NULL;
    /* Not asprintf: glibc's writes one byte too far if memory runs out at certain lengths. */
    snprintf(text, sizeof text, "%s -> %s, %lld bytes of %lld.%09ld, inode %llu", path, resolved,
             (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
             (unsigned long long)status.st_ino);
    return strdup(text);
}

/* False: out of memory. Each write is checked, because a stream in memory may not remember its
 * failure. */
static bool put(FILE *out, const char *field)
{
    return fputs(field, out) >= 0 && putc('\0', out) != EOF;
}

void cache_key_name(const char *material, size_t size, unsigned char digest[16], char name[33])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(material, size));
    memcpy(digest, canonical.digest, 16);
    for (int i = 0; i < 16; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
}

bool cache_key_fields(struct cache_key *key, const char *const *fields, const char *text)
{
    FILE *out = open_memstream(&key->material, &key->size);
    bool good = out && fprintf(out, "weft kernel %d%c", IDENTITY_FORMAT, '\0') > 0;
    for (; good && *fields; fields++)
        good = put(out, *fields);
    good = good && put(out, "") && fputs(text, out) >= 0;
    if (!out || fclose(out) != 0 || !good || !key->material) /* fclose allocates, too */
        return false;
    cache_key_name(key->material, key->size, key->digest, key->name);
    return true;
}

void cache_key_finish(struct cache_key *key)
{
    free(key->material);
    key->material = NULL;
}
