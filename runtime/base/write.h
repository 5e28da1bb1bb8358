/* Writing to files without harm to the host process. */
#ifndef WEFT_RUNTIME_BASE_WRITE_H
#define WEFT_RUNTIME_BASE_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes. Returns false and sets errno on failure. A limit on the size of files
 * (RLIMIT_FSIZE) is such a failure, too: no SIGXFSZ is delivered, which would end the host. */
bool write_all(int fd, const void *bytes, size_t size);

#endif
