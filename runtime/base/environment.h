/* A copy of the environment, made with the context, because the host may change its own at any
 * time. It never changes afterwards, so any thread may read it. */
#ifndef WEFT_RUNTIME_BASE_ENVIRONMENT_H
#define WEFT_RUNTIME_BASE_ENVIRONMENT_H

#include <stdbool.h>

struct environment {
    char **variables;              /* "NAME=value", NULL-terminated; a copy */
};

/* Copies the environment of the process. The copy is empty in a set-user-ID program. False: out
 * of memory. */
bool environment_init(struct environment *environment);
void environment_finish(struct environment *environment);
/* The value of a variable, which the environment owns; NULL: not set. */
const char *environment_get(const struct environment *environment, const char *name);

/* A copy of a NULL-terminated list and its strings, for strings_free; NULL: out of memory. */
char **strings_copy(const char *const *strings);
/* Frees such a list and its strings. The list may be NULL. */
void strings_free(char **strings);

#endif
