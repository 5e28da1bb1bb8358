/* Reports findings of weft_doctor. */
#include "runtime/api/doctor_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *printable(const char *text)
{
    char *copy = malloc(4 * strlen(text) + 1), *to = copy;
    for (; copy && *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\n' || (c >= ' ' && c <= '~'))
            *to++ = (char)c;
        else
            to += sprintf(to, "\\x%02x", c);
    }
    while (copy && to > copy && to[-1] == '\n')
        to--;
    if (copy)
        *to = '\0';
    return copy;
}

void doctor_tell(struct doctor *doctor, const char *name, enum weft_finding_state state,
                 const char *advice, const char *format, ...)
{
    char *raw = NULL, *text, *shown;
    va_list args;
    va_start(args, format);
    if (vasprintf(&raw, format, args) < 0)
        raw = NULL;
    va_end(args);
    text = raw ? printable(raw) : NULL;
    shown = printable(name);
    if (text && shown)
        doctor->tell(doctor->user, &(struct weft_finding){.part = doctor->part,
                                                          .name = shown,
                                                          .state = state,
                                                          .text = text,
                                                          .advice = advice});
    else
        doctor->out_of_memory = true;
    free(raw);
    free(text);
    free(shown);
}
