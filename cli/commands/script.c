/* See script_impl.h. */
#include "cli/commands/script_impl.h"

#include "cli/options/options.h"

#include <errno.h>
#include <string.h>

/* Where ".weft" ends the file's name; NULL for an expression. */
static const char *file_end(const char *argument)
{
    const char *colon = strrchr(argument, ':'), *end = argument + strlen(argument);
    if (colon && is_name(colon + 1, strlen(colon + 1)))
        end = colon;
    bool named = end - argument > 5 && memcmp(end - 5, ".weft", 5) == 0;
    return named && !strchr(argument, '\n') ? end : NULL;
}

/* Reads one byte more than the library takes at most, so that the library reports a text that is too long. */
static bool read_text(struct report *report, FILE *file, struct script *script)
{
    char *text = pool_alloc(report->pool, WEFT_MAX_TEXT + 2);
    size_t size = fread(text, 1, WEFT_MAX_TEXT + 1, file);
    if (ferror(file))
        return REPORT_FILE(report, script->origin, FILE_ERROR, "read it", strerror(errno));
    if (memchr(text, '\0', size))
        return REPORT_FILE(report, script->origin, NUL_BYTE, 0);
    text[size] = '\0';
    script->text = text;
    return true;
}

bool script_load(struct report *report, const char *argument, struct script *script)
{
    *script = (struct script){.text = argument};
    const char *end = file_end(argument);
    if (!end)
        return true;
    script->origin = pool_string(report->pool, argument, (size_t)(end - argument));
    script->kernel = *end ? end + 1 : NULL;
    FILE *file = fopen(script->origin, "re");
    if (!file)
        return REPORT_ARGUMENT(report, argument, (size_t)(end - argument), FILE_ERROR,
                               pool_printf(report->pool, "read '%s'", script->origin),
                               strerror(errno));
    bool done = read_text(report, file, script);
    fclose(file);
    return done;
}

const char *script_origin(const struct script *script)
{
    return script->origin ? script->origin : "<expr>";
}
