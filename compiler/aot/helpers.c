/* Makes of helpers, as kernels in C have them, those of a plain source: C11 alone, without what it does not need. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <string.h>

/* Helpers as C11 has them: the C library's fused multiply-adds, where the processor has some, else its functions; and
 * functions of a block of as many elements as a call has. */
static const char *with_words(struct arena *arena, const char *text)
{
    static const struct {
        const char *from, *to;
    } words[] = {{"#ifdef OWN_MATH", "#ifdef __FMA__ /* else the C library's, whose last bits may differ */"},
                 {"FMAF(", "fmaf("},
                 {"FMAD(", "fma("},
                 {"EACH(j, BLOCK)", "INDEPENDENT for (int j = 0; j < count; j++)"},
                 {"ALIGNED ", ""},
                 {"[BLOCK]", "[1024]"},
                 {"BLOCK", "count"}};
    struct buf out = buf_new(arena);
    for (size_t i, length, count = sizeof words / sizeof *words; *text; text += length) {
        const bool inside = begins_name(*text) && out.length && (begins_name(out.text[out.length - 1]) ||
                                                                 is_digit(out.text[out.length - 1]));
        for (i = inside ? count : 0;
             i < count && strncmp(text, words[i].from, strlen(words[i].from)) != 0; i++)
            ;
        length = i < count ? strlen(words[i].from) : 1;
        buf_add(&out, i < count ? words[i].to : text, i < count ? strlen(words[i].to) : 1);
    }
    return out.length ? out.text : "";
}

/* Where the C library's function is called, that is a name for it. */
static const char *with_names(struct arena *arena, const char *text)
{
    static const char call[] = "#else\nstatic inline ";
    struct buf out = buf_new(arena);
    for (const char *next; (next = strstr(text, call));) {
        const char *name = next + sizeof call - 1 + strcspn(next + sizeof call - 1, " ") + 1;
        const size_t length = strcspn(name, "(");
        const char *body = strstr(name, "\n{\n    return "), *end = strstr(name, "\n}\n");
        const char *called =
            arena_printf(arena, "\n{\n    return %.*s(", (int)length - 4, name + 4);
        const bool alone = body && end && strncmp(name, "own_", 4) == 0 &&
                           strncmp(body, called, strlen(called)) == 0 &&
                           strchr(body + 3, '\n') == end;
        buf_add(&out, text, (size_t)(next - text));
        if (alone)
            buf_printf(&out, "#else\n#define %.*s %.*s\n", (int)length, name, (int)length - 4,
                       name + 4);
        else
            buf_add(&out, next, (size_t)(name - next));
        text = alone ? end + 3 : name;
    }
    buf_puts(&out, text);
    return out.text;
}

/* How often a function is named: macros are given names, too. */
static int count_calls(const char *text, const char *name)
{
    int count = 0;
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        count += !begins_name(at[length]) && !is_digit(at[length]) &&
                 (at == text || (!begins_name(at[-1]) && !is_digit(at[-1])));
    return count;
}

/* The text behind the branch without a function, which gives its name to another; NULL: there is no such branch. */
static const char *other_name(struct arena *arena, const char *text, const char *name)
{
    const char *define = arena_printf(arena, "#else\n#define %s ", name);
    return strncmp(text, define, strlen(define)) == 0 ? strchr(text + strlen("#else\n"), '\n') + 1 : NULL;
}

/* Without functions that nothing calls, as where branches went. `rest`: what stands behind. */
static const char *without_uncalled(struct arena *arena, const char *text, const char *rest)
{
    static const char begin[] = "static inline ";
    bool again = true;
    while (again) {
        struct buf out = buf_new(arena);
        again = false;
        for (const char *line = text, *next; *line; line = next) {
            next = strchr(line, '\n') + 1;
            const bool defines = strncmp(line, begin, sizeof begin - 1) == 0;
            const char *open = defines ? strchr(line, '(') : NULL, *name = open;
            while (name && (begins_name(name[-1]) || is_digit(name[-1])))
                name--;
            const char *own = name ? arena_string(arena, name, (size_t)(open - name)) : "";
            const char *end = defines ? strstr(line, "\n}\n") : NULL;
            const int calls = end ? count_calls(text, own) + count_calls(rest, own) : 0;
            const char *other = end ? other_name(arena, end + 3, own) : NULL;
            if (!end || calls > 1 + (other != NULL)) {
                buf_add(&out, line, (size_t)(next - line));
                continue;
            }
            char *comment = out.length ? strstr(out.text + out.length - 3, "*/\n") : NULL;
            while (comment && comment > out.text && strncmp(comment, "/*", 2) != 0)
                comment--;
            if (comment && comment > out.text && comment[-1] != '\n')
                comment = NULL; /* a directive's */
            if (comment)
                out.length = (size_t)(comment - out.text);
            if (comment)
                *comment = '\0';
            next = other ? other : end + 3;
            again = true;
        }
        text = out.length ? out.text : "";
    }
    return text;
}

/* Takes out of the helpers what they do not use, and conditions that go on. */
const char *aot_plain_helpers(struct arena *arena, const char *helpers, const char *rest)
{
    static const char *const types[] = {"union word_f32",        "union word_f64",   "struct hyperbolic_f32",
                                        "struct hyperbolic_f64", "struct angle_f64", "struct pair_f32",
                                        "struct pair_f64"};
    static const char again[] = "#endif\n#ifdef OWN_MATH\n";
    struct buf text = buf_new(arena);
    bool other = false; /* the condition has another branch */
    for (const char *line = helpers, *next; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        other = strncmp(line, "#if", 3) == 0 ? strncmp(line, again + 7, next - line) != 0
                                             : other || strncmp(line, "#el", 3) == 0;
        if (!other && strncmp(line, again, sizeof again - 1) == 0)
            next = line + sizeof again - 1;
        else {
            const char *end = NULL; /* of a type that nothing needs */
            for (size_t i = 0; i < sizeof types / sizeof *types; i++)
                if (strncmp(line, types[i], strlen(types[i])) == 0 && !strstr(next, types[i]) &&
                    !strstr(next, arena_printf(arena, "%.*s##", (int)strlen(types[i]) - 3,
                                               types[i]))) /* in a macro */
                    end = strstr(line, "};\n") + 3;
            if (!end)
                buf_add(&text, line, (size_t)(next - line));
            next = end ? end : next;
        }
    }
    const char *own = with_names(arena, with_words(arena, text.length ? text.text : ""));
    return without_uncalled(arena, aot_decided(arena, own), rest);
}
