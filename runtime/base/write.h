/* Writing to files from inside a host. */
#ifndef WEFT_WRITE_H
#define WEFT_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes. False with errno; a limit on the size of files (RLIMIT_FSIZE) is such an error, and no
 * SIGXFSZ, which would end the host. */
bool write_all(int fd, const void *bytes, size_t size);

#endif
