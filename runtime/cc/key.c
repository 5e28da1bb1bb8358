/* The key of a kernel in C (cache/identity.h). Making it starts no process: the compiler's version follows
 * from its file. A wrapper script is identified by the script. */
#include "runtime/cc/cc.h"

#include "runtime/cc/image_impl.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { PROCESSOR = 512 };          /* bytes of a processor's description */

char *cc_identity(const struct cc *cc)
{
    char path[PATH_MAX];
    return program_find(environment_get(&cc->environment, "PATH"), cc->path, path) ? file_identity(path)
                                                                                     : NULL;
}

/* Describes this processor, for flags such as -march=native. Machines that share a home directory share its
 * cache. */
static const char *describe_processor(char text[PROCESSOR])
{
#if defined __x86_64__
    static const unsigned leaves[] = {1, 7, 0xd, 0x80000001, 0x80000002, 0x80000003, 0x80000004};
    char *to = text;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        __get_cpuid_count(leaves[i], leaves[i] == 0xd, &a, &b, &c, &d);
        if (leaves[i] == 1)
            b = 0, c &= ~(1u << 27); /* depends on the current core; is set by the system */
        to += sprintf(to, "%x %x %x %x ", a, b, c, d);
    }
#else
    memset(text, 0, PROCESSOR);
    gethostname(text, PROCESSOR - 1);
#endif
    return text;
}

bool cc_key_init(struct cache_key *key, const struct cc *cc, const char *identity, const char *text,
                 enum weft_math math)
{
    const struct cc any = {.levels = true, .flags = cc->flags}; /* everything else follows from the identity */
    const char *flags[CC_MAX_FLAGS];
    char bits[32], processor[PROCESSOR];
    struct utsname system;
    snprintf(bits, sizeof bits, "%zu-bit", 8 * sizeof(void *));
    const char *fields[2 * CC_MAX_FLAGS + 8] = {"c", uname(&system) == 0 ? system.machine : "", bits, identity,
                                                cc->vector_functions};
    int count = 5;
    cc_flags(&any, math, false, flags);
    for (int i = 0; flags[i]; i++) {
        fields[count++] = flags[i];
        if (strstr(flags[i], "native"))
            fields[count++] = describe_processor(processor);
    }
    *key = (struct cache_key){.suffix = ".so", .load = image_load_entry};
    return cache_key_fields(key, fields, text);
}
