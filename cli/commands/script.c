/* See script_impl.h. */
#include "cli/commands/script_impl.h"

#include "cli/options/options.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Where ".weft" ends the file's name; NULL for an expression. */
static const char *file_end(const char *argument)
{
    const char *colon = strrchr(argument, ':'), *end = argument + strlen(argument);
    if (colon && is_name(colon + 1, strlen(colon + 1)))
        end = colon;
    bool named = end - argument > 5 && memcmp(end - 5, ".weft", 5) == 0;
    return named && !strchr(argument, '\n') ? end : NULL;
}

static bool too_long(struct report *report, FILE *file, const struct script *script)
{
    struct stat status;
    const bool known = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    const char *size = known ? pool_printf(report->pool, "%lld", (long long)status.st_size)
                             : pool_printf(report->pool, "more than %d", WEFT_MAX_TEXT);
    return REPORT_FILE(report, script->origin, TEXT_LONG, size, WEFT_MAX_TEXT);
}

/* A text that is longer than the library takes is not read to its end. */
static bool read_text(struct report *report, FILE *file, struct script *script)
{
    char *text = pool_alloc(report->pool, WEFT_MAX_TEXT + 2);
    size_t size = fread(text, 1, WEFT_MAX_TEXT + 1, file), length = strlen(text);
    if (ferror(file))
        return REPORT_FILE(report, script->origin, FILE_ERROR, "read it", strerror(errno));
    if (length < size)
        return REPORT_TEXT(report, script->origin, text, (&(struct weft_span){(uint32_t)length, (uint32_t)length}), 1,
                           NUL_BYTE, 0);
    if (size > WEFT_MAX_TEXT)
        return too_long(report, file, script);
    script->text = text;
    return true;
}

bool script_load(struct report *report, const char *argument, struct script *script)
{
    *script = (struct script){.text = argument};
    if (strcmp(argument, "-") == 0) {
        script->origin = "<stdin>";
        return read_text(report, stdin, script);
    }
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
