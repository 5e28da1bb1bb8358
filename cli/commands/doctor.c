/* weft doctor: what the library finds on this machine, as aligned text or as JSON. */
#include "cli/base/base.h"
#include "cli/commands/commands.h"
#include "cli/outputs/outputs.h"

#include <string.h>

enum {
    STATE_COLUMN = 9,
    NAME_COLUMN = 17,
    TEXT_COLUMN = 2 + STATE_COLUMN + NAME_COLUMN,
    WIDTH = 100
};

struct doctor {
    bool json;
    char part[32]; /* of the last finding; empty before the first */
};

static const char *const states[] = {
    [WEFT_FOUND] = "ok", [WEFT_ABSENT] = "none", [WEFT_BROKEN] = "broken"};

static void tell_text(struct doctor *doctor, const struct weft_finding *finding)
{
    if (strcmp(doctor->part, finding->part) != 0)
        printf("%s%s\n", *doctor->part ? "\n" : "", finding->part);
    printf("  %-*s", STATE_COLUMN, states[finding->state]);
    int length = printf("%-*s", NAME_COLUMN, finding->name);
    if (length > NAME_COLUMN)
        printf("\n%*s", TEXT_COLUMN, "");
    wrap_text(stdout, finding->text, TEXT_COLUMN, WIDTH);
    if (finding->advice) {
        printf("%*s", TEXT_COLUMN, "");
        wrap_text(stdout, finding->advice, TEXT_COLUMN, WIDTH);
    }
}

static void tell_json(const struct doctor *doctor, const struct weft_finding *finding)
{
    fputs(*doctor->part ? ",\n{\"part\": " : "[\n{\"part\": ", stdout);
    json_string(finding->part);
    json_member("name", finding->name);
    json_member("state", states[finding->state]);
    json_member("text", finding->text);
    if (finding->advice)
        json_member("advice", finding->advice);
    putchar('}');
}

static void on_finding(void *user, const struct weft_finding *finding)
{
    struct doctor *doctor = user;
    if (doctor->json)
        tell_json(doctor, finding);
    else
        tell_text(doctor, finding);
    snprintf(doctor->part, sizeof doctor->part, "%s", finding->part);
}

bool command_doctor(struct report *report, const struct arguments *arguments)
{
    struct doctor doctor = {.json = arguments->format && strcmp(arguments->format, "json") == 0};
    enum weft_status status = weft_doctor(NULL, on_finding, &doctor);
    if (doctor.json)
        puts("\n]");
    else
        puts(status == WEFT_OK ? "\nWeft can run programs on this machine."
                               : "\nWeft cannot run programs on this machine: see what is broken.");
    if (status == WEFT_OUT_OF_MEMORY)
        report_library(report, status, &(struct weft_error *){NULL});
    return output_flush(report) && status >= WEFT_OK;
}
