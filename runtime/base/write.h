/* Writing to files without harm to the host process. */
#ifndef WEFT_RUNTIME_BASE_WRITE_H
#define WEFT_RUNTIME_BASE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes all bytes. Returns false and sets errno on failure. A limit on the size of files
 * (RLIMIT_FSIZE) is such a failure, too: no SIGXFSZ is delivered, which would end the host. */
bool write_all(int fd, const void *bytes, size_t size);
/* Creates a file in the directory `at`, which appears whole: it is written under a temporary name, which must be new,
 * and then renamed to `name`. Returns false and sets errno on failure; the temporary is gone then. */
bool write_file(int at, const char *temporary, const char *name, mode_t mode, const void *bytes, size_t size);

#endif
