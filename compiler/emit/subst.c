/* Implements subst_impl.h. A text is read identifier by identifier; everything else is copied. */
#include "compiler/emit/subst_impl.h"

#include "compiler/emit/templates.h"

#include <string.h>

void subst_init(struct subst *subst, struct arena *arena, const struct target *target)
{
    *subst = (struct subst){.arena = arena, .target = target};
    subst->helpers = buf_new(arena);
}

/* A section's text lies between its marker line and the next marker, or the next "#" line unless it begins with one.
 * Behind the name may stand those of parts. */
const char *subst_find(const char *text, const char *section, const char *name, size_t *length)
{
    size_t s = strlen(section), n = strlen(name);
    for (const char *mark = text; (mark = strstr(mark, "//: ")); mark += 4) {
        if (strncmp(mark + 4, section, s) != 0 || mark[4 + s] != ' ' ||
            strncmp(mark + 5 + s, name, n) != 0 || !strchr(" \n", mark[5 + s + n]))
            continue;
        const char *start = strchr(mark, '\n') + 1, *end = strstr(start, "\n//: ");
        const char *directive = strstr(start, "\n#");
        bool head = *start == '#';
        if (!end || (directive && directive < end && !head))
            end = directive && !head ? directive : start + strlen(start) - 1;
        *length = (size_t)(end + 1 - start);
        return start;
    }
    return NULL;
}

static const char *type_name(const struct tokens *tokens, struct arena *arena)
{
    const char *name = type_rows[tokens->t].short_name;
    return tokens->memory ? arena_printf(arena, "%s_m", name) : name;
}

const char *subst_unsigned(enum weft_dtype dtype)
{
    return dtype_is_float(dtype)             ? type_rows[dtype].short_name
           : type_rows[dtype].bits == 64 ? "u64"
                                         : "u32";
}

static const char *helper_name(struct subst *subst, const char *name, const struct tokens *tokens,
                               bool pair)
{
    const char *t = type_rows[tokens->t].short_name;
    return pair ? arena_printf(subst->arena, "%s_%s_%s", name, type_rows[tokens->s].short_name, t)
                : arena_printf(subst->arena, "%s_%s", name, t);
}

static bool note(struct arena *arena, struct defined_names *names, struct defined_name name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i].name, name.name) == 0)
            return false;
    ARENA_PUSH(arena, names->items, names->count, name);
    return true;
}

bool subst_is_new(struct subst *subst, const char *name)
{
    return note(subst->arena, &subst->names, (struct defined_name){name, true});
}

void subst_own(struct buf *out, const char *text, size_t length, struct defined_names *names)
{
    static const char mark[] = "OWN(";
    const char *at = arena_string(out->arena, text, length), *next;
    for (; (next = strstr(at, mark)); at = next + 1) {
        buf_add(out, at, (size_t)(next - at));
        at = next + sizeof mark - 1;
        next = strchr(at, ')');
        const char *name = arena_string(out->arena, at, (size_t)(next - at));
        buf_puts(out, name);
        note(out->arena, names, (struct defined_name){name, next[1] == '('});
    }
    buf_puts(out, at);
}

void subst_name(struct subst *subst, const char *word, const struct tokens *tokens)
{
    struct named_helper helper = {.word = word, .typed = tokens != NULL};
    if (tokens)
        helper.t = tokens->t, helper.s = tokens->s, helper.pair = tokens->pair;
    ARENA_PUSH(subst->arena, subst->named, subst->named_count, helper);
}

const char *helper_word(struct arena *arena, const char *section, const char *name)
{
    const bool plain = strcmp(section, "move") == 0 || strcmp(section, name) == 0;
    return plain ? name : arena_printf(arena, "%s_%s", section, name);
}

/* Adds a text without types, which defines its names. */
static void add_part(struct subst *subst, const char *word, const char *text, size_t length)
{
    struct buf unused = buf_new(subst->arena);
    subst_own(subst->by_name ? &unused : &subst->helpers, text, length, &subst->names);
    if (subst->by_name)
        subst_name(subst, word, NULL);
}

void subst_helper(struct subst *subst, const char *name, const struct tokens *tokens, bool pair)
{
    const char *full = helper_name(subst, name, tokens, pair), *text;
    struct tokens inside = *tokens;
    size_t length;
    if (!subst_is_new(subst, full))
        return;
    inside.section = pair ? name : tokens->section;
    inside.a[0] = inside.a[1] = inside.a[2] = NULL;
    text = subst->first ? subst_find(subst->target->prelude, subst->first, name, &length) : NULL;
    text = text ? text : subst_find(subst->target->prelude, inside.section, name, &length);
    const char *const others[] = {subst->target->numbered, subst->target->shuffles, subst->target->transpose,
                                  subst->target->weigh};
    for (size_t i = 0; !text && i < sizeof others / sizeof *others; i++)
        text = others[i] ? subst_find(others[i], inside.section, name, &length) : NULL;
    text = text ? text : subst_find(weft_template_dialect, inside.section, name, &length);
    if (!text)
        return;
    struct buf body = buf_new(subst->arena);
    subst_text(subst, &body, text, length, &inside);
    if (subst->by_name)
        subst_name(subst, helper_word(subst->arena, inside.section, name), &(struct tokens){
            .t = tokens->t, .s = tokens->s, .pair = pair});
    else
        buf_add(&subst->helpers, body.text, body.length);
}

/* Counts the arguments of the call whose "(" is at `text`. */
static int count_arguments(const char *text)
{
    int depth = 0, count = 1;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        count += *text == ',' && depth == 1;
        if (depth == 0)
            break;
    }
    return count;
}

/* The definition that takes the place of a library function; NULL: none does. */
static const char *own_library(struct subst *subst, const char *full, size_t *length)
{
    const char *own = subst_find(subst->target->prelude, "library", full, length);
    return own || !subst->target->math ? own : subst_find(subst->target->math, "library", full, length);
}

void subst_math_head(struct subst *subst, struct buf *out, bool again)
{
    const char *const math = subst->target->math;
    const char *const heads = subst->target->math_head ? subst->target->math_head : math;
    size_t length;
    const char *head = heads ? subst_find(heads, "library", "head", &length) : NULL;
    if (head)
        subst_own(out, head, length, &subst->names);
    const char *words = math ? subst_find(math, "part", "words", &length) : NULL;
    if (words && again)
        buf_puts(out, "#ifndef WORD_TYPES /* this comes once for each instruction set */\n#define WORD_TYPES\n");
    if (words)
        buf_add(out, words, length);
    if (words && again)
        buf_puts(out, "#endif\n");
}

void subst_parts(struct subst *subst, const char *own)
{
    const char *line = own - 1, *end = own - 1, *math = subst->target->math, *other = subst->target->math_head;
    if (!subst->has_math)
        subst_math_head(subst, &subst->helpers, false);
    subst->has_math = true;
    while (line[-1] != '\n')
        line--;
    line += strlen("//: ");
    line += strcspn(line, " ") + 1; /* what follows is the section's name */
    for (line += strcspn(line, "\n "); line < end; line += strcspn(line, "\n ")) {
        const size_t size = strcspn(++line, "\n ");
        const char *name = arena_string(subst->arena, line, size);
        size_t part_length;
        const char *part = other ? subst_find(other, "part", name, &part_length) : NULL;
        part = part || !math ? part : subst_find(math, "part", name, &part_length);
        if (!part || !subst_is_new(subst, arena_printf(subst->arena, "part_%s", name)))
            continue;
        subst_parts(subst, part);
        add_part(subst, helper_word(subst->arena, "part", name), part, part_length);
    }
}

static void add_library(struct subst *subst, struct buf *out, const char *name,
                        const struct tokens *tokens, const char *call)
{
    enum weft_dtype dtype = tokens->pair ? tokens->s : tokens->t;
    const char *full = arena_printf(subst->arena, "%s%s", name, dtype == WEFT_FLOAT32 ? "f" : "");
    size_t length;
    const char *own = own_library(subst, full, &length);
    const bool called = !subst->replaced && strcmp(name, "copysign") != 0; /* which compilers compute themselves */
    buf_printf(out, own ? NAME_OWN_FUNCTION : "%s", full);
    for (int i = 0; i < subst->prototype_count; i++)
        if (strcmp(subst->prototypes[i].name, full) == 0) {
            subst->prototypes[i].called = subst->prototypes[i].called || called;
            return;
        }
    if (own) {
        subst_parts(subst, own);
        add_part(subst, helper_word(subst->arena, "library", full), own, length);
    }
    ARENA_PUSH(subst->arena, subst->prototypes, subst->prototype_count,
               ((struct prototype){full, dtype, count_arguments(call), called}));
}

/* Replaces N(name), M(name) or F(name) at `text`. Returns the text behind it. */
static const char *put_call(struct subst *subst, struct buf *out, const char *text,
                            const struct tokens *tokens)
{
    const char *start = text + 2, *end = strchr(start, ')');
    const char *name = arena_string(subst->arena, start, (size_t)(end - start));
    bool pair = *text == 'M';
    if (*text == 'F') {
        add_library(subst, out, name, tokens, end + 1);
        return end + 1;
    }
    subst_helper(subst, name, tokens, pair);
    buf_puts(out, helper_name(subst, name, tokens, pair));
    return end + 1;
}

/* Replaces LOAD(x), whose "(" is at `text`, by the value of the stored element x. Returns the text behind it. */
static const char *put_load(struct subst *subst, struct buf *out, const char *text, const struct tokens *tokens)
{
    int depth = 0;
    const char *end = text, *load = type_rows[tokens->t].load;
    do
        depth += (*end == '(') - (*end == ')');
    while (end++, depth > 0);
    struct buf stored = buf_new(subst->arena);
    subst_text(subst, &stored, text + 1, (size_t)(end - text) - 2, tokens);
    const struct tokens inside = {.t = tokens->t, .s = tokens->t, .a = {stored.text}};
    subst_text(subst, out, load, strlen(load), &inside);
    return end;
}

static const char *token_text(struct subst *subst, const char *word, size_t length,
                              const struct tokens *tokens)
{
    if (text_is(word, length, "FN"))
        return subst->target->function;
    if (tokens->name && text_is(word, length, "NAME"))
        return tokens->name;
    if (tokens->name && text_is(word, length, "CHOICE"))
        return tokens->choice ? tokens->choice : arena_printf(subst->arena, "%d", tokens->number);
    if (tokens->name && text_is(word, length, "VALUE"))
        return type_rows[tokens->t].short_name;
    if (length == 3 && memcmp(word + 1, "_m", 2) == 0 && (*word == 'S' || *word == 'T'))
        return arena_printf(subst->arena, "%s_m", type_rows[*word == 'S' ? tokens->s : tokens->t].short_name);
    if (text_is(word, length, "FRACTION") && tokens->pair)
        return arena_printf(subst->arena, "%d",
                            type_rows[dtype_is_half(tokens->t) ? tokens->t : tokens->s].fraction);
    if (length != 1)
        return NULL;
    switch (*word) {
    case 'T': return type_name(tokens, subst->arena);
    case 'U': return subst_unsigned(tokens->t);
    case 'S': return tokens->pair ? type_rows[tokens->s].short_name : NULL;
    case 'A': case 'B': case 'C': return tokens->a[*word - 'A'];
    default: return NULL;
    }
}

void subst_text(struct subst *subst, struct buf *out, const char *text, size_t length,
                const struct tokens *tokens)
{
    const char *end = text + length;
    while (text < end) {
        const char *start = text;
        while (text < end && (begins_name(*text) || (text > start && is_digit(*text))))
            text++;
        if (text == start) {
            /* A number with its suffix is not an identifier. */
            bool digits = is_digit(*text);
            if ((*text == '$' || *text == '@') && tokens->name) {
                buf_printf(out, "%d", *text == '$' ? tokens->number : tokens->first);
                text++;
                continue;
            }
            for (text++; digits && text < end && (begins_name(*text) || is_digit(*text)); text++)
                ;
            buf_add(out, start, (size_t)(text - start));
            continue;
        }
        if (text == start + 1 && *text == '(' && strchr("NMF", *start)) {
            text = put_call(subst, out, start, tokens);
            continue;
        }
        if (tokens->name && text_is(start, (size_t)(text - start), "LOAD")) {
            text = put_load(subst, out, text, tokens);
            continue;
        }
        const char *word = token_text(subst, start, (size_t)(text - start), tokens);
        if (word)
            buf_puts(out, word);
        else
            buf_add(out, start, (size_t)(text - start));
    }
}
