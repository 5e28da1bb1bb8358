/* weft ops: lists operations, conversions, views and reductions, or says more of one. */
#include "cli/base/base.h"
#include "cli/commands/commands.h"
#include "cli/outputs/outputs.h"

#include <string.h>

enum { NAME_COLUMN = 26, PARAMETER_COLUMN = 16, ACCURACY_COLUMN = 9 };

/* Words separated by `between`, each inside `open` and `close`. */
static void put_words(const char *words, const char *open, const char *close, const char *between)
{
    for (int i = 0; *words; i++) {
        const int length = (int)strcspn(words, " ");
        printf("%s%s%.*s%s", i ? between : "", open, length, words, close);
        words += length + (words[length] == ' ');
    }
}

static const char *accuracy(const struct weft_operation *operation, char *text, size_t size)
{
    const int ulp32 = operation->ulp32, ulp64 = operation->ulp64;
    if (ulp32 || ulp64)
        snprintf(text, size, ulp32 == ulp64 ? "%d ulp" : "%d/%d ulp", ulp32, ulp64);
    else
        snprintf(text, size, "exact");
    return text;
}

static void print_text(const struct weft_operation *operation)
{
    char text[32];
    if (operation->signature)
        printf("  %s\n      %s%s%s\n", operation->signature, operation->doc, operation->type ? "; " : "",
               operation->type ? operation->type : "");
    else
        printf("%-*s %-*s %-*s %s; %s\n", NAME_COLUMN, operation->names, PARAMETER_COLUMN,
               operation->parameters, ACCURACY_COLUMN, accuracy(operation, text, sizeof text),
               operation->doc, operation->type);
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
    for (int i = 0; *words; i++) {
        const size_t length = strcspn(words, " ");
        fputs(i ? ", " : "", stdout);
        put_code(words, length);
        words += length + (words[length] == ' ');
    }
}

static void print_md(const struct weft_operation *operation)
{
    char text[32];
    fputs("| ", stdout);
    if (operation->signature) {
        put_code(operation->signature, strlen(operation->signature));
        printf("%s%s | %s |\n", operation->type ? " | " : "", operation->type ? operation->type : "",
               operation->doc);
        return;
    }
    put_cell(operation->names);
    fputs(" | ", stdout);
    put_words(operation->parameters, "", "", ", ");
    printf(" | %s | %s | %s |\n", operation->type, accuracy(operation, text, sizeof text), operation->doc);
}

static void print_json(const struct weft_operation *operation)
{
    const bool exact = !operation->ulp32 && !operation->ulp64;
    fputs("{\"names\": [", stdout);
    put_words(operation->names, "\"", "\"", ", ");
    fputs("], \"parameters\": [", stdout);
    put_words(operation->parameters, "\"", "\"", ", ");
    putchar(']');
    json_member("form", operation->form);
    if (operation->rule)
        json_member("rule", operation->rule);
    if (operation->signature)
        json_member("signature", operation->signature);
    if (operation->type)
        json_member("type", operation->type);
    if (operation->ulp32 >= 0)
        printf(", \"exact\": %s", exact ? "true" : "false");
    if (operation->rule)
        printf(", \"ulp\": {\"float32\": %d, \"float64\": %d}", operation->ulp32, operation->ulp64);
    json_member("doc", operation->doc);
    putchar('}');
}

/* Rows of this form; NULL: operations. */
static void print_rows(const char *form, void (*print)(const struct weft_operation *))
{
    struct weft_operation row;
    for (size_t i = 0; weft_operation_at(i, &row); i++)
        if (form ? strcmp(row.form, form) == 0 : !row.signature)
            print(&row);
}

/* Whether the row has this name; a type has the row T(x). */
static bool is_called(const struct weft_operation *row, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = row->names; *word;) {
        const size_t size = strcspn(word, " ");
        if (size == length && memcmp(word, name, length) == 0)
            return true;
        word += size + (word[size] == ' ');
    }
    return strcmp(row->names, "T") == 0 && weft_dtype_from_name(name, length) != WEFT_DTYPE_COUNT;
}

/* Those of a name; NULL: all. */
static void print_all_json(const char *name)
{
    struct weft_operation row;
    bool first = true;
    for (size_t i = 0; weft_operation_at(i, &row); i++) {
        if (name && !is_called(&row, name))
            continue;
        fputs(first ? "[\n" : ",\n", stdout);
        first = false;
        print_json(&row);
    }
    fputs("\n]\n", stdout);
}

/* ---- one name ---- */

/* "clamp(value, lo, hi)", "left + right", "-input". */
static void put_use(const struct weft_operation *row, const char *name)
{
    const int first = (int)strcspn(row->parameters, " ");
    const bool word = *name >= 'a' && *name <= 'z';
    const bool between = strcmp(name, "and") == 0 || strcmp(name, "or") == 0, before = strcmp(name, "not") == 0;
    if (row->signature) {
        fputs(row->signature, stdout);
    } else if (strncmp(row->form, "infix", 5) == 0 && (!word || between)) {
        printf("%.*s %s %s", first, row->parameters, name, row->parameters + first + 1);
    } else if (strcmp(row->form, "prefix") == 0 && (!word || before)) {
        printf("%s%s%s", name, word ? " " : "", row->parameters);
    } else {
        printf("%s(", name);
        put_words(row->parameters, "", "", ", ");
        printf(strstr(row->form, "or more") ? ", ..)" : ")");
        if (strstr(row->form, " if "))
            fputs(", or x if condition else y", stdout);
    }
}

static void print_one(const struct weft_operation *row, const char *name)
{
    char text[32];
    put_use(row, strcmp(row->names, "T") == 0 ? "T" : name);
    printf("\n    %s\n", row->doc);
    if (row->type)
        printf("    type: %s\n", row->type);
    if (row->ulp32 >= 0)
        printf("    accuracy: %s\n", accuracy(row, text, sizeof text));
    if (strchr(row->names, ' ')) {
        fputs("    names: ", stdout);
        put_words(row->names, "", "", ", ");
        putchar('\n');
    }
}

/* All rows of a name: - stands for two operations. */
static bool print_named(struct report *report, const char *name, const char *format)
{
    struct weft_operation row;
    const char **names = NULL;
    int count = 0, found = 0;
    for (size_t i = 0; weft_operation_at(i, &row); i++) {
        found += is_called(&row, name);
        for (const char *word = row.names; *word; word += strspn(word, " ")) {
            POOL_PUSH(report->pool, names, count, pool_string(report->pool, word, strcspn(word, " ")));
            word += strcspn(word, " ");
        }
    }
    if (!found)
        return REPORT_ARGUMENT(report, name, strlen(name), NO_COMMAND, "operation", name,
                               weft_function_advice(name)
                                   ? pool_printf(report->pool, "; %s", weft_function_advice(name))
                                   : report_hint(report, name, names, (size_t)count));
    if (strcmp(format, "json") == 0) {
        print_all_json(name);
        return output_flush(report);
    }
    for (size_t i = 0; weft_operation_at(i, &row); i++)
        if (is_called(&row, name) && strcmp(format, "md") == 0)
            print_md(&row);
        else if (is_called(&row, name))
            print_one(&row, name);
    return output_flush(report);
}

static const char conversions_text[] = "Conversions: cast(x, dtype) and T(x), for a type T: to "
                                       "that type, halves to even, saturating;\n"
                                       "wrap(x, dtype): the low bits of an integer. Arguments may "
                                       "be named, as in cast(x=a, dtype=uint8).";
static const char conversions_md[] =
    "\nConversions are no rows, as they name a type: `cast(x, dtype)` and `T(x)`, for a type `T`, "
    "convert to that type, halves\nto even, saturating; `wrap(x, dtype)` keeps the low bits of an "
    "integer. Arguments may be named, as in\n`cast(x=a, dtype=uint8)`.";

bool command_ops(struct report *report, const struct arguments *arguments)
{
    const char *format = arguments->format ? arguments->format : "text";
    if (arguments->program)
        return print_named(report, arguments->program, format);
    if (strcmp(format, "json") == 0) {
        print_all_json(NULL);
    } else if (strcmp(format, "md") == 0) {
        puts("| names | parameters | type of the result | accuracy | |\n|---|---|---|---|---|");
        print_rows(NULL, print_md);
        puts(conversions_md);
        puts("\nViews say where elements are read (sections 7 and 9), and positions are their numbers (section 12):\n\n"
             "| view | |\n|---|---|");
        print_rows("view", print_md);
        puts("\nReductions join the elements of some dimensions, or of all (section 11):\n\n"
             "| reduction | type of the result | |\n|---|---|---|");
        print_rows("reduction", print_md);
    } else {
        print_rows(NULL, print_text);
        puts(conversions_text);
        puts("Views say where elements are read, and positions are their numbers:");
        print_rows("view", print_text);
        puts("Reductions join the elements of some dimensions, or of all:");
        print_rows("reduction", print_text);
    }
    return output_flush(report);
}
