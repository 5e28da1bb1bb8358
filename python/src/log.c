/* The log of the library's contexts. What it is told during a call, without the GIL, is kept for the thread that made
 * the call, which has Python's warnings of it afterwards. */
#include "extension.h"

#include <string.h>

struct kept {
    struct kept *next;
    enum weft_severity severity;
    bool placed;                   /* it points at the text */
    char text[];
};

_Thread_local struct kept *log_first;
static _Thread_local struct kept *last;

static void append(struct kept *kept)
{
    if (log_first)
        last->next = kept;
    else
        log_first = kept;
    last = kept;
}

/* Where there is no memory for a warning, there is none. */
void log_keep(void *user, const struct weft_error *error)
{
    (void)user;
    size_t size = weft_error_render(error, NULL, 0) + 1;
    struct kept *kept = malloc(sizeof *kept + size);
    if (!kept)
        return;
    *kept = (struct kept){.severity = error->severity, .placed = error->span_count > 0};
    weft_error_render(error, kept->text, size);
    append(kept);
}

static struct kept *take(void)
{
    struct kept *kept = log_first;
    if (kept)
        log_first = kept->next;
    return kept;
}

int log_tell_all(void)
{
    int result = 0;
    for (struct kept *kept = take(); kept; kept = take()) {
        if (!result)
            result = warning_tell(kept->severity, kept->text);
        free(kept);
    }
    return result;
}

void log_drop(void)
{
    for (struct kept *kept = take(); kept; kept = take())
        free(kept);
}

void log_drop_places(void)
{
    struct kept *kept = log_first;
    log_first = NULL;
    while (kept) {
        struct kept *next = kept->next;
        kept->next = NULL;
        if (kept->placed)
            free(kept);
        else
            append(kept);
        kept = next;
    }
}
