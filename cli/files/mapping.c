/* See mapping.h.
 *
 * Invariant: an entry of the list is never freed, so the handler may walk it at any time, in any thread; a closed one
 * has size 0 and is used again. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "cli/files/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A process may have 65530 maps, and malloc needs some of them. */
enum { MOST = 1 << 14 };

struct mapping {
    struct mapping *next, *next_spare;
    _Atomic(unsigned char *) bytes;
    atomic_size_t size;
    atomic_bool lost;              /* something was read that is gone */
    const char *path;
};

static _Atomic(struct mapping *) first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of entries that are opened and closed */
static struct mapping *spare;      /* those that are closed */
static int count;
static uintptr_t page;

/* Puts zeros in place of the rest of the file, from the page that is gone. */
static bool replace(struct mapping *mapping, uintptr_t address)
{
    const uintptr_t bytes = (uintptr_t)mapping->bytes, end = bytes + mapping->size, from = address & ~(page - 1);
    if (address < bytes || address >= end)
        return false;
    mapping->lost = true;
    return mmap((void *)from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* What is in no mapping of ours faults again, and ends the process. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    bool replaced = false;
    (void)context;
    for (struct mapping *mapping = first; mapping && !replaced; mapping = mapping->next)
        replaced = replace(mapping, (uintptr_t)info->si_addr);
    if (!replaced)
        signal(number, SIG_DFL);
    errno = error;
}

static void catch_faults(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &action, NULL);
}

static struct mapping *find_entry(void)
{
    struct mapping *mapping = spare;
    if (mapping) {
        spare = mapping->next_spare;
        return mapping;
    }
    mapping = count < MOST ? calloc(1, sizeof *mapping) : NULL;
    if (mapping) {
        count++;
        mapping->next = first;
        first = mapping;
    }
    return mapping;
}

struct mapping *mapping_open(const char *path, int fd, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, catch_faults);
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    pthread_mutex_lock(&mutex);
    struct mapping *mapping = find_entry();
    if (mapping) {
        mapping->path = path;
        mapping->bytes = bytes;
        mapping->size = size;
    }
    pthread_mutex_unlock(&mutex);
    if (!mapping)
        munmap(bytes, size);
    return mapping;
}

unsigned char *mapping_bytes(const struct mapping *mapping)
{
    return mapping->bytes;
}

void mapping_close(struct mapping *mapping)
{
    if (!mapping)
        return;
    pthread_mutex_lock(&mutex);
    munmap(mapping->bytes, mapping->size);
    mapping->size = 0;
    if (!mapping->lost) { /* else it has its path to tell */
        mapping->next_spare = spare;
        spare = mapping;
    }
    pthread_mutex_unlock(&mutex);
}

bool mappings_whole(struct report *report)
{
    bool whole = true;
    for (struct mapping *mapping = first; mapping; mapping = mapping->next)
        if (atomic_exchange(&mapping->lost, false))
            whole = REPORT_FILE(report, mapping->path, FILE_CHANGED, "read");
    return whole;
}
