/* See help.h. */
#include "cli/options/help.h"

#include "cli/base/base.h"
#include "cli/options/options_impl.h"

enum { TEXT_COLUMN = 27, WIDTH = 80 };

static const struct text {
    const char *brief, *usage, *about, *after;
} texts[COMMAND_COUNT] = {
#define COMMAND(id, name, brief, usage, about, after) [COMMAND_##id] = {brief, usage, about, after},
#include "cli/options/options.def"
};

/* "  -o, --output PATH", or "      --time". */
static int put_head(FILE *file, const struct option_row *row)
{
    int column = row->letter ? fprintf(file, "  -%c, ", row->letter) : fprintf(file, "      ");
    return column + fprintf(file, "--%s%s%s", row->name, row->word ? " " : "", row->word ? row->word : "");
}

static void put_options(FILE *file, enum command command)
{
    for (int i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->text || !option_is_for(row, command))
            continue;
        int column = row->name ? put_head(file, row) : fprintf(file, "%s", row->word);
        fprintf(file, "%*s", TEXT_COLUMN - column, "");
        wrap_text(file, row->text, TEXT_COLUMN, WIDTH);
    }
}

static void print_overall(FILE *file)
{
    fputs("usage: weft COMMAND [ARGUMENT ...]\n\n"
          "Compiles array expressions into one fused kernel and runs it.\n\n", file);
    for (int i = COMMAND_ALL + 1; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-6s  %s\n", command_names[i], texts[i].brief);
    fputs("\n'weft help COMMAND' says more. Try:\n"
          "  weft run 'clamp(img * gain, 0, 255)' 'img=[10, 100, 200]' gain=1.5\n\n"
          "Exit status: 0 done, 1 the result could not be made, 2 wrong usage.\n", file);
}

void help_print(FILE *file, enum command command)
{
    const struct text *text = &texts[command];
    if (command == COMMAND_ALL) {
        print_overall(file);
        return;
    }
    fprintf(file, "%s\n%s\n", text->usage, text->about);
    put_options(file, command);
    fprintf(file, "\n%s", text->after);
}
