/* Checks names that become names in C: of kernels as functions and files, and of parameters, sizes and results as
 * parameters. All of them are identifiers of C; this file refuses those that C, C++ or other kernels have taken. It
 * also finds names that a source must give up because a kernel uses them. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

enum { MAX_KERNEL_NAME = 48 };     /* with a suffix of Weft's own it still has at most 63
                                      letters, all of which C compares */

enum taken {
#define C_NAMES(id, what, names) TAKEN_##id,
#include "grammar/cnames.def"
    TAKEN_COUNT
};

static const struct taken_row {
    const char *what, *names;
} taken_rows[TAKEN_COUNT] = {
#define C_NAMES(id, what, names) {what, names},
#include "grammar/cnames.def"
};

const char *aot_function(struct arena *arena, const char *kernel, const struct aot_params *params)
{
    return params->target == AOT_CUDA ? arena_printf(arena, "%s_cuda", kernel) : kernel;
}

/* Says what a name already is in C; NULL: nothing. A parameter may have the name of a function. */
static const char *taken_by(const char *name, bool parameter)
{
    const size_t length = strlen(name);
    if (*name == '_' || strstr(name, "__"))
        return "reserved for the compiler";
    if (strncmp(name, "weft_", 5) == 0 || strncmp(name, "WEFT_", 5) == 0)
        return "kept for names that weft adds";
    if (length > 2 && strcmp(name + length - 2, "_t") == 0)
        return "reserved for types of the C library";
    for (int i = 0; i < TAKEN_COUNT; i++)
        if (i != TAKEN_HEADER && !(parameter && i == TAKEN_FUNCTION) &&
            word_index(taken_rows[i].names, name, length) >= 0)
            return taken_rows[i].what;
    return NULL;
}

const char *aot_local(struct arena *arena, const char *name)
{
    static const char own[] = "i j k e p d all from count values tree blocks found next inner arrays quotient multiple "
                              "padded sliced size bits real becomes_infinite power_is_real rounded slice_resolve "
                              "slice_bound lanes c columns at width rows rank any "
                              "decode_1 decode_32 decode_block nearest_1 nearest_32 nearest_block "
                              "encode_1 encode_32 encode_block";
    const size_t length = strlen(name), letters = strcspn(name, "_0123456789"), end = name[letters] ? letters : 0;
    const char *last = strrchr(name, '_');
    static const char *const prefixes[] = {"temporary_", "constant_", "count_", "given_", "join_", "pattern_",
                                           "values_"};
    bool taken = word_index(own, name, length) >= 0 ||
                 word_index(taken_rows[TAKEN_FUNCTION].names, name, length) >= 0 ||
                 (*name == 'i' && strspn(name + 1, "0123456789") == length - 1) ||
                 (end && end < 3 && name[end] == '_');
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        taken = taken || strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        taken = taken || strcmp(type_rows[t].short_name, name) == 0 ||
                (last && strcmp(type_rows[t].short_name, last + 1) == 0);
    return taken ? arena_printf(arena, "given_%s", name) : name;
}

static bool check_name(struct diags *diags, const char *kind, const char *name, struct span span, bool parameter)
{
    const char *taken = taken_by(name, parameter);
    return !taken || diag(diags, DIAG_AOT_NAME, span, name, kind, taken);
}

/* A size variable has no place in the text, so the kernel's name is reported. */
static bool check_parameters(const struct program *program, struct diags *diags)
{
    bool good = true;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        good = check_name(diags, "parameter", symbol->name, symbol->span, true) && good;
    }
    for (int v = 0; v < program->size_variable_count; v++)
        good = check_name(diags, "size", program->size_variables[v], program->name_span, true) && good;
    for (int r = 0; r < program->result_count; r++)
        good = check_name(diags, "result", program->results[r].name, program->results[r].span, true) && good;
    return good;
}

/* ---- kernels and each other ---- */

/* The last ones are for CUDA only. */
static const char *const function_suffixes[] = {"", "_strided", "_shape", "_batch", "_note", "_status",
                                                "_release"};
enum { FUNCTION_SUFFIXES = sizeof function_suffixes / sizeof *function_suffixes, CUDA_SUFFIXES = 2 };

static bool same_ignoring_case(const char *a, const char *b)
{
    for (; *a && small_letter(*a) == small_letter(*b); a++, b++)
        ;
    return small_letter(*a) == small_letter(*b);
}

/* The name that a function of kernel `a` and one of kernel `b` have in common; NULL: none. */
static const char *common_function(struct arena *arena, const char *a, const char *b, bool cuda)
{
    for (int i = 1; i < FUNCTION_SUFFIXES - (cuda ? 0 : CUDA_SUFFIXES); i++) {
        if (strcmp(arena_printf(arena, "%s%s", a, function_suffixes[i]), b) == 0)
            return b;
        if (strcmp(arena_printf(arena, "%s%s", b, function_suffixes[i]), a) == 0)
            return a;
    }
    return NULL;
}

static bool check_pair(const struct program *a, const struct program *b, const struct aot_params *params,
                       struct diags *diags)
{
    const struct span places[] = {b->name_span, a->name_span};
    const char *function = common_function(diags->arena, aot_function(diags->arena, a->name, params),
                                           aot_function(diags->arena, b->name, params), params->target == AOT_CUDA);
    if (function)
        return diag_at(diags, DIAG_AOT_KERNELS, places, 2, b->name, a->name,
                       arena_printf(diags->arena, "both have a function '%s' in C", function));
    if (!params->bundle && same_ignoring_case(a->name, b->name))
        return diag_at(diags, DIAG_AOT_KERNELS, places, 2, b->name, a->name,
                       "they differ in case alone, and where files do not they would be one");
    return true;
}

/* Checks the name of files that will end in .h and .c. */
static bool check_file(struct diags *diags, const char *kind, const char *name, const struct span *place)
{
    char *folded = arena_string(diags->arena, name, strlen(name));
    for (char *c = folded; *c; c++)
        *c = small_letter(*c);
    const bool header = word_index(taken_rows[TAKEN_HEADER].names, folded, strlen(folded)) >= 0;
    return (!header && strcmp(folded, AOT_SUPPORT) != 0) ||
           diag_at(diags, DIAG_AOT_NAME, place, place != NULL, name, kind,
                   header ? taken_rows[TAKEN_HEADER].what : "a file that weft adds");
}

bool aot_check_names(const struct programs *programs, const struct aot_params *params, struct diags *diags)
{
    bool good = !params->bundle || check_file(diags, "bundle", params->bundle, NULL);
    for (int i = 0; i < programs->count; i++) {
        const struct program *program = programs->items[i];
        good = check_name(diags, "kernel", program->name, program->name_span, false) &&
               (params->bundle || check_file(diags, "kernel", aot_function(diags->arena, program->name, params),
                                             &program->name_span)) && good;
        if (strlen(program->name) > MAX_KERNEL_NAME)
            good = diag(diags, DIAG_AOT_LONG, program->name_span, (int)strlen(program->name), MAX_KERNEL_NAME);
        good = check_parameters(program, diags) && good;
        for (int before = 0; before < i; before++)
            good = check_pair(programs->items[before], program, params, diags) && good;
    }
    return good;
}

/* ---- names in generated texts ---- */

/* The names that a source declares or defines itself. */
struct own_names {
    struct map file_scope, macros;
};

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (begins_name(text[length]) || is_digit(text[length]))
        length++;
    return length;
}

/* Adds the identifiers of a line that are followed by a character of `before`, or all of them if `any`.
 * A comment ends the line, and so does what initializes a variable. */
static void add_words(struct map *names, const char *line, const char *before, bool any)
{
    while (*line && *line != '\n' && (any || *line != '=') && strncmp(line, "/*", 2) != 0) {
        const size_t length = begins_name(*line) ? word_length(line) : 0;
        if (length && (any || strchr(before, line[length]))) {
            map_put(names, line, length, 1);
            if (!any && line[length] == '(')
                return; /* its parameters do not count */
        }
        line += length ? length : 1;
    }
}

/* Finds functions, variables, types and enumeration constants in generated text. It declares them in the first column;
 * only constants are indented. */
static void list_names(struct own_names *names, const char *text)
{
    bool constants = false;
    for (const char *line = text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        if (strncmp(line, "#define ", 8) == 0)
            map_put(&names->macros, line + 8, word_length(line + 8), 1);
        constants = strncmp(line, "enum ", 5) == 0 || (constants && *line != '}' && *line != ' ' ? false : constants);
        if (constants)
            add_words(&names->file_scope, line, "", true);
        else if (begins_name(*line))
            add_words(&names->file_scope, line, strncmp(line, "typedef", 7) == 0 ? "" : "([;",
                      strncmp(line, "typedef", 7) == 0);
        constants = constants && !memchr(line, '}', strcspn(line, "\n"));
    }
}

/* Adds a name to `words`, once, if it is in `names`. */
static void add_if_listed(struct arena *arena, const struct map *names, const char *name, struct aot_words *words)
{
    if (map_find(names, name, strlen(name)) < 0)
        return;
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], name) == 0)
            return;
    ARENA_PUSH(arena, words->items, words->count, name);
}

void aot_find_clashes(struct aot_kernel *const *kernels, int count, const char *text, struct aot_words *names,
                      struct aot_words *macros)
{
    struct arena *arena = kernels[0]->arena;
    struct own_names own = {{.arena = arena}, {.arena = arena}};
    *names = *macros = (struct aot_words){NULL, 0};
    list_names(&own, text);
    for (int i = 0; i < count; i++) {
        const struct program *program = kernels[i]->program;
        for (int f = 0; f < FUNCTION_SUFFIXES; f++) {
            const char *function = arena_printf(arena, "%s%s", kernels[i]->function, function_suffixes[f]);
            add_if_listed(arena, &own.file_scope, function, names);
            add_if_listed(arena, &own.macros, function, macros);
        }
        for (int k = 0; k < program->input_count; k++)
            add_if_listed(arena, &own.macros, program->symbols[program->inputs[k]].name, macros);
        for (int v = 0; v < program->size_variable_count; v++)
            add_if_listed(arena, &own.macros, program->size_variables[v], macros);
        for (int r = 0; r < program->result_count; r++)
            add_if_listed(arena, &own.macros, program->results[r].name, macros);
    }
}
