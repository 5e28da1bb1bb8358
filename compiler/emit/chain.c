/* Several kernels in one CUDA text, one after the other for the same points (templates/kernel/chain.cu). The text of
 * each is as it would be alone: macros give its functions and structs names of their own, and behind it all of its
 * macros are undefined. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

/* A text in the making. */
struct chain_text {
    struct buf out;
    const struct target *target;
    int lines;
};

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static size_t line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

/* Adds a line. Directives that name the text's own lines count those of the whole. */
static void put_line(struct chain_text *chain, const char *line, size_t length)
{
    chain->lines++;
    if (starts(line, "#line ") && strstr(arena_string(chain->out.arena, line, length), chain->target->lines))
        buf_printf(&chain->out, "#line %d \"%s\"\n", chain->lines + 1, chain->target->lines);
    else
        buf_add(&chain->out, line, length);
}

static void put_directive(struct chain_text *chain, const char *line)
{
    put_line(chain, line, strlen(line));
}

/* The name that ends before `end`; its length is 0 where there is none. */
static const char *name_before(const char *line, const char *end, size_t *length)
{
    while (end > line && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > line && (begins_name(begin[-1]) || is_digit(begin[-1])))
        begin--;
    *length = (size_t)(end - begin);
    return begin;
}

/* The function or struct that is defined in a line; *length is 0 where there is none. */
static const char *defined_in(const char *line, size_t line_length, size_t *length)
{
    const bool function = starts(line, "DEVICE ") || starts(line, "SEPARATE ");
    const char *end = function || starts(line, "struct ") ? memchr(line, function ? '(' : '{', line_length) : NULL;
    *length = 0;
    return end ? name_before(line, end, length) : NULL;
}

static void rename_word(struct chain_text *chain, int part, const char *name, size_t length)
{
    const char *own = arena_string(chain->out.arena, name, length);
    put_directive(chain, arena_printf(chain->out.arena, "#define %s " NAME_CHAINED "\n", own, part, own));
}

/* Gives names of their own to what a text defines. Types of elements are the same in all. */
static void put_names(struct chain_text *chain, int part, const char *text)
{
    static const char *const types[] = {"index", "uindex", "tiles_index", "acc_t", "tree_t"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        rename_word(chain, part, types[i], strlen(types[i]));
    for (const char *line = text; *line; line += line_length(line)) {
        size_t length;
        const char *name = defined_in(line, line_length(line), &length);
        if (length)
            rename_word(chain, part, name, length);
    }
}

/* Undefines all macros from `begin` on in the whole text. */
static void forget_macros(struct chain_text *chain, size_t begin)
{
    static const char define[] = "#define ";
    const char *own = arena_string(chain->out.arena, chain->out.text + begin, chain->out.length - begin);
    for (const char *line = own; *line; line += line_length(line))
        if (starts(line, define)) {
            const char *name = line + sizeof define - 1;
            size_t length = 0;
            while (begins_name(name[length]) || is_digit(name[length]))
                length++;
            put_directive(chain, arena_printf(chain->out.arena, "#undef %s\n",
                                               arena_string(chain->out.arena, name, length)));
        }
}

static const char *parameters(struct arena *arena, int count)
{
    struct buf list = buf_new(arena);
    for (int k = 0; k < count; k++)
        buf_printf(&list, "%sconst BY_VALUE struct " NAME_CHAINED " " NAME_PARAMETERS,
                   k ? ", " : "", k, "weft_args", k);
    return list.text;
}

static const char *tiles(struct arena *arena, int count)
{
    struct buf list = buf_new(arena);
    for (int k = 0; k < count; k++)
        buf_printf(&list, "%s" NAME_CHAINED "(&" NAME_PARAMETERS ", tile, points, together);\n        __syncthreads();",
                   k ? "\n        " : "", k, "run_tile", k);
    return list.text;
}

/* Adds the function that calls the kernels' own. */
static void put_entry(struct chain_text *chain, int count)
{
    struct arena *arena = chain->out.arena;
    const struct { const char *mark, *text; } all[] = {{"$parameters", parameters(arena, count)},
                                                       {"$tiles", tiles(arena, count)},
                                                       {"$first", arena_printf(arena, NAME_PARAMETERS, 0)}};
    size_t length;
    const char *text = subst_find(chain->target->chain, "chain", "entry", &length), *end = text + length;
    for (const char *mark; (mark = memchr(text, '$', (size_t)(end - text)));) {
        size_t i = 0;
        while (!starts(mark, all[i].mark))
            i++;
        buf_add(&chain->out, text, (size_t)(mark - text));
        buf_puts(&chain->out, all[i].text);
        text = mark + strlen(all[i].mark);
    }
    buf_add(&chain->out, text, (size_t)(end - text));
}

char *emit_chain(struct arena *arena, const struct target *target, const char *const *texts, int count)
{
    struct chain_text chain = {buf_new(arena), target, 0};
    for (int k = 0; k < count; k++) {
        const size_t begin = chain.out.length;
        put_names(&chain, k, texts[k]);
        for (const char *line = texts[k]; *line; line += line_length(line))
            put_line(&chain, line, line_length(line));
        if (k < count - 1)
            forget_macros(&chain, begin);
    }
    put_entry(&chain, count);
    return chain.out.text;
}
