/* weft ops: every operation, from the table that is the language (grammar/ops.def). */
#include "cli/base/json.h"
#include "cli/commands/commands.h"
#include "cli/outputs/output.h"
#include "compiler/view.h"

#include <string.h>

enum { NAME_COLUMN = 26, PARAMETER_COLUMN = 16, ACCURACY_COLUMN = 9 };

/* Words separated by `between`, each inside `open` and `close`. */
static void put_words(const char *words, const char *open, const char *close, const char *between)
{
    size_t length;
    const char *word;
    for (int i = 0; (word = word_at(words, i, &length)); i++)
        printf("%s%s%.*s%s", i ? between : "", open, (int)length, word, close);
}

static const char *accuracy(const struct op_row *row, char *text, size_t size)
{
    if (row->ulp32 || row->ulp64)
        snprintf(text, size, row->ulp32 == row->ulp64 ? "%d ulp" : "%d/%d ulp", row->ulp32,
                 row->ulp64);
    else
        snprintf(text, size, "exact");
    return text;
}

static const char *form_name(enum op_form form)
{
    switch (form) {
    case FORM_INFIX:
        return "infix";
    case FORM_RIGHT:
        return "infix, right associative";
    case FORM_CHAINLESS:
        return "infix, not associative";
    case FORM_PREFIX:
        return "prefix";
    case FORM_TERNARY:
        return "x if condition else y, or a call";
    case FORM_FOLD:
        return "call of two or more";
    default:
        return "call";
    }
}

static void print_text(const struct op_row *row)
{
    char text[32];
    printf("%-*s %-*s %-*s %s; %s\n", NAME_COLUMN, row->spellings, PARAMETER_COLUMN,
           row->parameters, ACCURACY_COLUMN, accuracy(row, text, sizeof text), row->doc,
           rule_rows[row->rule].doc);
}

/* A bar ends a cell of a table even inside code. */
static void put_code(const char *text, size_t length)
{
    putchar('`');
    for (size_t c = 0; c < length; c++)
        printf(text[c] == '|' ? "\\|" : "%c", text[c]);
    putchar('`');
}

static void put_cell(const char *words)
{
    size_t length;
    const char *word;
    for (int i = 0; (word = word_at(words, i, &length)); i++) {
        fputs(i ? ", " : "", stdout);
        put_code(word, length);
    }
}

static void print_md(const struct op_row *row)
{
    char text[32];
    fputs("| ", stdout);
    put_cell(row->spellings);
    fputs(" | ", stdout);
    put_words(row->parameters, "", "", ", ");
    printf(" | %s | %s | %s |\n", rule_rows[row->rule].doc, accuracy(row, text, sizeof text),
           row->doc);
}

static void print_json(const struct op_row *row)
{
    fputs("{\"names\": [", stdout);
    put_words(row->spellings, "\"", "\"", ", ");
    fputs("], \"parameters\": [", stdout);
    put_words(row->parameters, "\"", "\"", ", ");
    putchar(']');
    json_member("form", form_name(row->form));
    json_member("rule", rule_rows[row->rule].name);
    json_member("type", rule_rows[row->rule].doc);
    printf(", \"exact\": %s, \"ulp\": {\"float32\": %d, \"float64\": %d}",
           row->ulp32 || row->ulp64 ? "false" : "true", row->ulp32, row->ulp64);
    json_member("doc", row->doc);
    putchar('}');
}

static void print_rows(void (*print)(const struct op_row *), const char *between)
{
    bool first = true;
    for (int op = 0; op < OP_COUNT; op++) {
        if (op_rows[op].form == FORM_INTERNAL)
            continue;
        fputs(first ? "" : between, stdout);
        print(&op_rows[op]);
        first = false;
    }
}

static void print_views(void)
{
    for (int form = 0; form < VIEW_FORM_COUNT; form++)
        printf("  %s\n      %s\n", view_rows[form].signature, view_rows[form].doc);
}

static void print_views_md(void)
{
    for (int form = 0; form < VIEW_FORM_COUNT; form++) {
        fputs("| ", stdout);
        put_code(view_rows[form].signature, strlen(view_rows[form].signature));
        printf(" | %s |\n", view_rows[form].doc);
    }
}

static void print_views_json(void)
{
    for (int form = 0; form < VIEW_FORM_COUNT; form++) {
        const struct view_row *row = &view_rows[form];
        printf(",\n{\"names\": [\"%s\"], \"parameters\": [", row->name);
        put_words(row->parameters, "\"", "\"", ", ");
        putchar(']');
        json_member("form", "view");
        json_member("signature", row->signature);
        json_member("doc", row->doc);
        putchar('}');
    }
}

/* Conversions name a type, so they are no rows of the table. */
static const struct conversion_row {
    const char *names, *parameters, *signature, *doc;
} conversion_rows[] = {
    {"cast", "x dtype", "cast(x, dtype)", "x in that type: halves to even, saturating"},
    {"wrap", "x dtype", "wrap(x, dtype)", "the low bits of an integer as that integer type"},
    {"T", "x", "T(x)", "the same as cast(x, T), for the name T of a type, as in uint8(x)"}};

static void print_conversions_json(void)
{
    for (size_t i = 0; i < sizeof conversion_rows / sizeof *conversion_rows; i++) {
        const struct conversion_row *row = &conversion_rows[i];
        printf(",\n{\"names\": [\"%s\"], \"parameters\": [", row->names);
        put_words(row->parameters, "\"", "\"", ", ");
        putchar(']');
        json_member("form", "conversion");
        json_member("signature", row->signature);
        json_member("type", "the type it names");
        fputs(", \"exact\": true", stdout);
        json_member("doc", row->doc);
        putchar('}');
    }
}

static const char conversions_text[] = "Conversions: cast(x, dtype) and T(x), for a type T: to "
                                       "that type, halves to even, saturating;\n"
                                       "wrap(x, dtype): the low bits of an integer. Arguments may "
                                       "be named, as in cast(x=a, dtype=uint8).";
static const char conversions_md[] =
    "\nConversions are no rows, as they name a type: `cast(x, dtype)` and `T(x)`, for a type `T`, "
    "convert to that type, halves\nto even, saturating; `wrap(x, dtype)` keeps the low bits of an "
    "integer. Arguments may be named, as in\n`cast(x=a, dtype=uint8)`.";

int command_ops(struct report *report, const struct arguments *arguments)
{
    const char *format = arguments->format ? arguments->format : "text";
    if (strcmp(format, "json") == 0) {
        fputs("[\n", stdout);
        print_rows(print_json, ",\n");
        print_conversions_json();
        print_views_json();
        fputs("\n]\n", stdout);
    } else if (strcmp(format, "md") == 0) {
        puts("| names | parameters | type of the result | accuracy | |\n|---|---|---|---|---|");
        print_rows(print_md, "");
        puts(conversions_md);
        puts("\nViews keep the elements and their order, under another shape (rule 7):\n\n| view | |\n|---|---|");
        print_views_md();
    } else {
        print_rows(print_text, "");
        puts(conversions_text);
        puts("Views keep the elements and their order, under another shape:");
        print_views();
    }
    output_flush(report);
    return report->status;
}
