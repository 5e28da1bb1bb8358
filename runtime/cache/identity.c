/* See identity.h. A key is made without starting a process: the compiler's version follows from the
 * file it is. A script that calls another compiler is known by the script. */
#include "runtime/cache/identity.h"

#include "runtime/cc/image_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

static bool is_program(const char *path, struct stat *stat_)
{
    return access(path, X_OK) == 0 && stat(path, stat_) == 0 && S_ISREG(stat_->st_mode);
}

bool program_find(const char *list, const char *name, char path[PATH_MAX], struct stat *stat)
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(path, stat);
    for (list = list ? list : PROGRAM_PATH;; list++) {
        int length = (int)strcspn(list, ":");
        if (snprintf(path, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", name) < PATH_MAX &&
            is_program(path, stat))
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
    /* glibc's asprintf writes a byte too far when memory runs out at certain lengths. */
    snprintf(text, sizeof text, "%s -> %s, %lld bytes of %lld.%09ld, inode %llu", path, resolved,
             (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
             (unsigned long long)status.st_ino);
    return strdup(text);
}

char *compiler_identity(const struct cc *cc)
{
    char path[PATH_MAX];
    struct stat stat;
    return program_find(cc_variable(cc, "PATH"), cc->path, path, &stat) ? file_identity(path) : NULL;
}

/* False when memory ran out: a stream in memory need not remember that as its error. */
static bool put(FILE *out, const char *field)
{
    return fputs(field, out) >= 0 && putc('\0', out) != EOF;
}

/* Homes are shared by machines: a flag that means "this one" is as good as the processor's name. */
static bool put_processor(FILE *out)
{
    bool good = true;
#if defined __x86_64__
    static const unsigned leaves[] = {1, 7, 0xd, 0x80000001, 0x80000002, 0x80000003, 0x80000004};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        __get_cpuid_count(leaves[i], leaves[i] == 0xd, &a, &b, &c, &d);
        if (leaves[i] == 1)
            b = 0, c &= ~(1u << 27); /* the core this runs on, and what the system turned on */
        good = fprintf(out, "%x %x %x %x ", a, b, c, d) > 0 && good;
    }
#else
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    good = fputs(name, out) >= 0;
#endif
    return putc('\0', out) != EOF && good;
}

static bool put_material(FILE *out, const struct cc *cc, const char *identity, const char *text,
                         enum weft_math math)
{
    struct utsname system;
    bool good = put(out, "c") && put(out, uname(&system) == 0 ? system.machine : "") &&
                fprintf(out, "%zu-bit", 8 * sizeof(void *)) > 0 && putc('\0', out) != EOF &&
                put(out, identity) && put(out, cc->vector_functions);
    const struct cc any = {.levels = true, .flags = cc->flags}; /* the rest follows from the identity */
    const char *flags[CC_MAX_FLAGS];
    cc_flags(&any, math, false, flags);
    for (int i = 0; good && flags[i]; i++)
        good = put(out, flags[i]) && (!strstr(flags[i], "native") || put_processor(out));
    return good && put(out, "") && fputs(text, out) >= 0;
}

void cache_key_name(const char *material, size_t size, unsigned char digest[16], char name[33])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(material, size));
    memcpy(digest, canonical.digest, 16);
    for (int i = 0; i < 16; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
}

static FILE *begin(struct cache_key *key)
{
    *key = (struct cache_key){.size = 0};
    FILE *out = open_memstream(&key->material, &key->size);
    if (out)
        fprintf(out, "weft kernel %d%c", IDENTITY_FORMAT, '\0'); /* the buffer has room for that */
    return out;
}

static bool end(struct cache_key *key, FILE *out, bool good)
{
    if (!out || fclose(out) != 0 || !good || !key->material) /* the last step allocates too */
        return false;
    cache_key_name(key->material, key->size, key->digest, key->name);
    return true;
}

bool cache_key_init(struct cache_key *key, const struct cc *cc, const char *identity, const char *text,
                    enum weft_math math)
{
    FILE *out = begin(key);
    key->suffix = ".so";
    key->load = image_load_entry;
    return end(key, out, out && put_material(out, cc, identity, text, math));
}

bool cache_key_fields(struct cache_key *key, const char *const *fields, const char *text)
{
    FILE *out = begin(key);
    bool good = out != NULL;
    for (; good && *fields; fields++)
        good = put(out, *fields);
    return end(key, out, good && put(out, "") && fputs(text, out) >= 0);
}

void cache_key_finish(struct cache_key *key)
{
    free(key->material);
    key->material = NULL;
}
