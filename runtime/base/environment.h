/* The environment as it was when a context was made: the host may change its own at any time. */
#ifndef WEFT_ENVIRONMENT_H
#define WEFT_ENVIRONMENT_H

#include <stdbool.h>

struct environment {
    char **variables;              /* "NAME=value", NULL-terminated; a copy */
};

/* Copies that of the process; nothing in a set-user-ID program. False: out of memory. */
bool environment_init(struct environment *environment);
void environment_finish(struct environment *environment);
/* The value of a variable, NULL when it is not set. */
const char *environment_get(const struct environment *environment, const char *name);

/* A list of strings that ends with NULL, from malloc; NULL: out of memory. */
char **strings_copy(const char *const *strings);
/* Takes NULL, and lists that are complete only up to a NULL. */
void strings_free(char **strings);

#endif
