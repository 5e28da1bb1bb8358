/* Copies of the environment and of lists of strings; see environment.h. */
#include "runtime/base/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

void strings_free(char **strings)
{
    for (char **at = strings; at && *at; at++)
        free(*at);
    free(strings);
}

char **strings_copy(const char *const *strings)
{
    size_t count = 0;
    while (strings[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(strings[i]))) {
            strings_free(copy);
            return NULL;
        }
    return copy;
}

bool environment_init(struct environment *environment)
{
    static const char *const nothing[] = {NULL};
    bool trusted = environ && !getauxval(AT_SECURE); /* a set-user-ID host gets none */
    environment->variables = strings_copy(trusted ? (const char *const *)environ : nothing);
    return environment->variables;
}

void environment_finish(struct environment *environment)
{
    strings_free(environment->variables);
}

const char *environment_get(const struct environment *environment, const char *name)
{
    size_t length = strlen(name);
    for (char **at = environment->variables; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}
