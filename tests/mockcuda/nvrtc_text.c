/* From a kernel's text to the C that gcc compiles. The text itself is left as it is, line by line,
 * but for the words `extern "C"`, which become blanks; behind it comes a function for each kernel
 * that plays a grid. A kernel without extern "C" has no such function: its name in a cubin would be
 * another. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char weft_template_shim[];

struct piece {
    const char *begin, *end;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_quoted(const char *p)
{
    const char quote = *p++;
    for (; *p && *p != quote; p++)
        p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

/* Past the comment, literal or word that begins here, else past one byte. */
static const char *skip_token(const char *p)
{
    const char *end = NULL;
    if (p[0] == '/' && p[1] == '*')
        return (end = strstr(p + 2, "*/")) ? end + 2 : p + strlen(p);
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (*p == '"' || *p == '\'')
        return skip_quoted(p);
    if (!is_word(*p))
        return p + 1;
    while (is_word(*p))
        p++;
    return p;
}

static const char *skip_blank(const char *p)
{
    while (isspace((unsigned char)*p) || (p[0] == '/' && (p[1] == '*' || p[1] == '/')))
        p = skip_token(p);
    return p;
}

static bool is(struct piece piece, const char *word)
{
    return (size_t)(piece.end - piece.begin) == strlen(word) &&
           memcmp(piece.begin, word, strlen(word)) == 0;
}

/* Past the bracket that closes the one at p. */
static const char *skip_brackets(const char *p)
{
    int depth = 0;
    do {
        depth += (*p == '(') - (*p == ')');
        p = skip_token(p);
    } while (*p && depth);
    return p;
}

/* ---- the functions behind the text ---- */

static struct piece last_word(struct piece declaration)
{
    struct piece word = {NULL, NULL};
    for (const char *p = declaration.begin; p < declaration.end;) {
        const char *end = skip_token(p);
        if (is_word(*p))
            word = (struct piece){p, end};
        p = end;
    }
    return word;
}

/* The declaration that begins at p: up to a comma, or up to the end. */
static struct piece next_parameter(const char *p, const char *end)
{
    struct piece parameter = {p, p};
    while (parameter.end < end && *parameter.end != ',')
        parameter.end =
            *parameter.end == '(' ? skip_brackets(parameter.end) : skip_token(parameter.end);
    return parameter;
}

enum parts { MEMBERS, TABLE, VALUES };

/* The parameters as members of a struct, as rows that say where they stand, or as values of a
 * call. */
static int write_parameters(FILE *out, struct piece name, struct piece list, enum parts parts)
{
    int count = 0;
    for (const char *p = list.begin; p < list.end; count++) {
        struct piece whole = next_parameter(p, list.end), word = last_word(whole);
        if (!word.begin || is(word, "void"))
            return 0;
        int length = (int)(word.end - word.begin), name_length = (int)(name.end - name.begin);
        if (parts == MEMBERS)
            fprintf(out, " %.*s;", (int)(whole.end - whole.begin), whole.begin);
        else if (parts == VALUES)
            fprintf(out, "%sp->%.*s", count ? ", " : "", length, word.begin);
        else
            fprintf(out, " {sizeof((struct mock_of_%.*s *)0)->%.*s,", name_length, name.begin,
                    length, word.begin),
                fprintf(out, " __builtin_offsetof(struct mock_of_%.*s, %.*s)},", name_length,
                        name.begin, length, word.begin);
        p = whole.end < list.end ? whole.end + 1 : list.end;
    }
    return count;
}

/* `waits`: its threads may wait for each other. */
static void write_kernel(FILE *out, struct piece name, struct piece list, bool waits)
{
    int n = (int)(name.end - name.begin);
    const char *s = name.begin;
    fprintf(out, "struct mock_of_%.*s {", n, s);
    int count = write_parameters(out, name, list, MEMBERS);
    fprintf(out,
            " };\n_Static_assert(sizeof(struct mock_of_%.*s) <= 4096, \"parameters above 4096 "
            "bytes\");\n",
            n, s);
    fprintf(out, "static void mock_thread_%.*s(const void *parameters)\n{\n", n, s);
    fprintf(out, "    const struct mock_of_%.*s *p = parameters;\n    (void)p;\n    %.*s(", n, s, n, s);
    write_parameters(out, name, list, VALUES);
    fprintf(out, ");\n}\nstatic void mock_run_%.*s(const void *parameters, const unsigned *grid,\n", n, s);
    fprintf(out, "    const unsigned *block, int backward)\n{\n");
    fprintf(out, "    mock_%sgrid(mock_thread_%.*s, parameters, grid, block, backward);\n", waits ? "waiting_" : "",
            n, s);
    fprintf(out, "}\nstatic const struct mock_parameter mock_table_%.*s[] = {", n, s);
    write_parameters(out, name, list, TABLE);
    fprintf(out, " {0, 0}};\nMOCK_PUBLIC const struct mock_kernel mock_kernel_%.*s = {\n", n, s);
    fprintf(out, "    mock_run_%.*s, mock_table_%.*s, %d, sizeof(struct mock_of_%.*s)};\n", n, s, n,
            s, count, n, s);
}

/* The definition that follows the word __global__; a declaration alone is passed over. */
static void find_kernel(FILE *out, const char *p, bool waits)
{
    for (p = skip_blank(p); *p && *p != ';' && *p != '{'; p = skip_blank(p)) {
        struct piece word = {p, skip_token(p)};
        const char *bracket = skip_blank(word.end);
        p = word.end;
        if (*bracket != '(' || !is_word(*word.begin))
            continue;
        p = skip_brackets(bracket);
        if (is(word, "__launch_bounds__"))
            continue;
        if (*skip_blank(p) == '{')
            write_kernel(out, word, (struct piece){bracket + 1, p - 1}, waits);
        return;
    }
}

/* ---- the text ---- */

/* Past extern "C", or NULL. */
static const char *linkage_end(struct piece word)
{
    if (!is(word, "extern"))
        return NULL;
    const char *p = skip_blank(word.end);
    return strncmp(p, "\"C\"", 3) == 0 ? p + 3 : NULL;
}

static void write_blanks(FILE *out, const char *p, const char *end)
{
    for (; p < end; p++)
        fputc(*p == '\n' ? '\n' : ' ', out);
}

/* A part of the text, without the words extern "C". */
static void write_part(FILE *out, const char *p, const char *end)
{
    for (const char *next; p < end; p = next) {
        next = skip_token(p);
        const char *after = linkage_end((struct piece){p, next});
        if (after)
            write_blanks(out, p, next = after);
        else
            fwrite(p, 1, (size_t)(next - p), out);
    }
}

/* Past the line that begins with #, and those that continue it. */
static const char *directive_end(const char *p)
{
    while (*p && *p != '\n')
        p += (p[0] == '\\' && p[1] == '\n') ? 2 : 1;
    return p;
}

static bool contains(struct piece piece, const char *word)
{
    for (const char *p = piece.begin, *next; p < piece.end; p = next) {
        next = skip_token(p);
        if (is((struct piece){p, next}, word))
            return true;
    }
    return false;
}

/* The name that a directive defines as __global__ and more, say KERNEL; empty: it does not. */
static struct piece find_marker(struct piece line)
{
    const char *p = skip_blank(line.begin + 1), *end = skip_token(p), *name = skip_blank(end);
    struct piece marker = {name, skip_token(name)};
    if (!is((struct piece){p, end}, "define") || !contains(line, "__global__"))
        return (struct piece){NULL, NULL};
    return marker;
}

static bool same(struct piece a, struct piece b)
{
    return a.begin && a.end - a.begin == b.end - b.begin &&
           memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

/* Whether threads of the text's kernels may wait for each other. */
static bool threads_wait(const char *text)
{
    const struct piece whole = {text, text + strlen(text)};
    return contains(whole, "__syncthreads") || contains(whole, "__syncwarp") || contains(whole, "__shfl_down_sync");
}

/* What begins a kernel: `extern "C" __global__`, or a name that stands for it. */
static const char *write_text(FILE *out, FILE *behind, const char *text)
{
    struct piece marker = {NULL, NULL};
    const bool waits = threads_wait(text);
    bool linkage = false, line_begins = true;
    for (const char *p = text, *end; *p; p = end) {
        bool directive = *p == '#' && line_begins;
        end = directive ? directive_end(p) : skip_token(p);
        struct piece piece = {p, end};
        const char *after = directive ? NULL : linkage_end(piece);
        if (after && *skip_blank(after) == '{')
            return "extern \"C\" with braces is nothing that mockcuda plays";
        linkage = after || (linkage && *p != ';' && *p != '}');
        if ((linkage && is(piece, "__global__")) || (!directive && same(marker, piece)))
            find_kernel(behind, end, waits);
        if (directive && find_marker(piece).begin)
            marker = find_marker(piece);
        line_begins = *p == '\n' || (line_begins && isspace((unsigned char)*p));
        end = after ? after : end;
        write_part(out, p, end);
    }
    return NULL;
}

char *nvrtc_text(const char *text, const char *name, const char **problem)
{
    char *whole = NULL, *rest = NULL;
    size_t whole_size = 0, rest_size = 0;
    FILE *out = open_memstream(&whole, &whole_size), *behind = open_memstream(&rest, &rest_size);
    if (!out || !behind)
        abort();
    fprintf(out, "#line 1 \"mockcuda_shim.h\"\n%s#line 1 \"%s\"\n", weft_template_shim, name);
    *problem = write_text(out, behind, text);
    fclose(behind);
    fprintf(out, "\n#line 1 \"mockcuda_grid.c\"\n%s", rest);
    fclose(out);
    free(rest);
    if (*problem) {
        free(whole);
        whole = NULL;
    }
    return whole;
}
