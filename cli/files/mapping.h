/* Files in memory. Others may make a file shorter while it is mapped; reading what is gone ends a process (SIGBUS).
 * Here such reads give zeros, and whoever is about to use results asks mappings_whole first. */
#ifndef WEFT_CLI_MAPPING_H
#define WEFT_CLI_MAPPING_H

#include "cli/base/base.h"

#include <stdbool.h>
#include <stddef.h>

struct mapping;

/* Maps the first `size` bytes of a file, read-only. `path` is used in messages and must live as long as the command.
 * NULL: too many are mapped, or the system refuses. */
struct mapping *mapping_open(const char *path, int fd, size_t size);
unsigned char *mapping_bytes(const struct mapping *mapping);
/* NULL is fine. */
void mapping_close(struct mapping *mapping);
/* Whether everything that was read from mapped files so far was there. Reports each file once that was not. */
bool mappings_whole(struct report *report);

#endif
