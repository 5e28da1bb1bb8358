/* Loading shared objects by the path of their descriptor; see image_impl.h. */
#include "runtime/cc/image_impl.h"

#include "runtime/base/base.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAME_BITS = 64, NAME_SIZE = 32 + 3 * NAME_BITS };

/* Makes a path to the file behind the descriptor. The loader identifies objects by their path, and
 * numbers of descriptors are reused. So the path spells 64 bits of the digest, each as "./" or
 * ".//", and still leads to the same file. */
static void name_descriptor(int fd, const unsigned char digest[16], char name[NAME_SIZE])
{
    char *to = name + sprintf(name, "/proc/self/fd/");
    for (int bit = 0; bit < NAME_BITS; bit++)
        to += sprintf(to, "%s", digest[bit / 8] >> bit % 8 & 1 ? ".//" : "./");
    sprintf(to, "%d", fd);
}

/* Kernels are linked to no library where they should need none (cc.c). Where the C compiler calls a function of one
 * nevertheless, the loader finds it among those that are there for all objects. */
static pthread_once_t shared_math = PTHREAD_ONCE_INIT;

static void share_math(void)
{
    static const char *const names[] = {"libm.so.6", "libm.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !dlopen(names[i], RTLD_NOW | RTLD_GLOBAL); i++)
        ;
}

static void *load_descriptor(int fd, const unsigned char digest[16])
{
    char name[NAME_SIZE];
    name_descriptor(fd, digest, name);
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static int copy_to_memory(int fd, size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    int memory = bytes == MAP_FAILED ? -1 : memfd_create("weft", MFD_CLOEXEC);
    if (memory >= 0 && !write_all(memory, bytes, size)) {
        close(memory);
        memory = -1;
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, size);
    return memory;
}

/* Loads from a copy in memory, for file systems mounted noexec. */
static void *load_copy(int fd, size_t size, const unsigned char digest[16])
{
    int memory = copy_to_memory(fd, size);
    void *handle = memory >= 0 ? load_descriptor(memory, digest) : NULL;
    if (memory >= 0)
        close(memory);
    return handle;
}

/* The text of dlerror without the path that it begins with. */
static const char *last_problem(void)
{
    const char *text = dlerror(), *colon = text ? strstr(text, ": ") : NULL;
    return colon ? colon + 2 : text ? text : "unknown";
}

void *image_load(int fd, size_t size, const unsigned char digest[16], const char *path,
                 const char **problem)
{
    load_begin();
    pthread_once(&shared_math, share_math);
    void *handle = load_descriptor(fd, digest);
    handle = handle ? handle : load_copy(fd, size, digest);
    if (!handle)
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        *problem = last_problem();
    load_end();
    return handle;
}

void *image_load_file(const char *path, const char **problem)
{
    load_begin();
    pthread_once(&shared_math, share_math);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        *problem = last_problem();
    load_end();
    return handle;
}

void *image_load_entry(const struct cache_key *key, int fd, const struct entry *entry,
                       const char *path)
{
    const char *problem;
    return image_load(fd, entry->image_size, key->digest, path, &problem);
}
