/* What people read of a kernel's text: names of the user's, comments that say which piece of the program a value is,
 * and, unless they ask for all of it, only the lines that are the program's own. Lines of the templates that end with
 * //~ are not: they are the same for all kernels of a kind. What compilers are given has numbers, so that programs
 * which differ in names share kernels. Both texts differ in identifiers and comments alone. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

enum { PIECE = 60, TOLD = 90, MOST_CALLED = 40 };

static const char mark[] = "//~";

/* ---- names ---- */

/* The patterns of names that have an access's number, and what stands before its name instead. The others keep the
 * number: other names begin like them, or they are rare. */
static const struct { const char *pattern, *before; } patterns[] = {
    {NAME_LOAD, "in_"}, {NAME_READ, NULL}, {NAME_WRITTEN, NULL}, {NAME_BUFFER, NULL}, {NAME_PLACE, NULL},
    {NAME_ADDRESS, NULL}, {NAME_STREAMED, NULL}};

static bool is_identifier(const char *name)
{
    return *name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_taken(const struct emitter *e, const char *name)
{
    for (int a = 0; a < e->kernel->access_count; a++)
        if (e->shown_names[a] && strcmp(e->shown_names[a], name) == 0)
            return true;
    return false;
}

static bool is_users(const struct access *access)
{
    return access->kind == TENSOR_INPUT || access->kind == TENSOR_RESULT;
}

/* How many accesses before this one read what has this name. */
static int count_before(const struct emitter *e, int access, const char *own)
{
    int count = 0;
    for (int a = 0; a < access; a++)
        count += is_users(&e->kernel->accesses[a]) && strcmp(access_name(e->arena, e->kernel, a), own) == 0;
    return count;
}

/* Inputs and results keep their names. Where several accesses read one, the others have a number behind it, which no
 * other name has. What has no name of the user's keeps its number. */
void find_shown_names(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    e->shown_names = ARENA_ARRAY(e->arena, const char *, kernel->access_count + 1);
    e->spans = find_token_spans(e->arena, kernel->program);
    for (int again = 0; again < 2; again++)
        for (int a = 0; a < kernel->access_count; a++) {
            const char *own = access_name(e->arena, kernel, a);
            const int before = is_users(&kernel->accesses[a]) && is_identifier(own) ? count_before(e, a, own) : -1;
            if (before == 0 && !again)
                e->shown_names[a] = own;
            for (int n = before + 1; before > 0 && again && !e->shown_names[a]; n++) {
                const char *numbered = arena_printf(e->arena, "%s_%d", own, n);
                e->shown_names[a] = is_taken(e, numbered) ? NULL : numbered;
            }
        }
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The access whose number ends this word, which a pattern makes, and what stands before the number; -1: none. */
static int access_of(const struct emitter *e, const char *word, size_t length, const char **before, size_t *size)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        *size = strcspn(patterns[i].pattern, "%");
        if (length <= *size || memcmp(word, patterns[i].pattern, *size) != 0)
            continue;
        int number = 0;
        size_t at = *size;
        while (at < length && word[at] >= '0' && word[at] <= '9' && number < e->kernel->access_count)
            number = 10 * number + (word[at++] - '0');
        if (at < length || number >= e->kernel->access_count)
            continue;
        *before = patterns[i].before ? patterns[i].before : patterns[i].pattern;
        *size = patterns[i].before ? strlen(patterns[i].before) : *size;
        return number;
    }
    return -1;
}

void put_shown(const struct emitter *e, struct buf *out, const char *line, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        const char *before;
        size_t size;
        for (step = 0; i + step < length && is_word(line[i + step]); step++)
            ;
        const int access = step ? access_of(e, line + i, step, &before, &size) : -1;
        step = step ? step : 1;
        if (access >= 0 && e->shown_names[access])
            buf_printf(out, "%.*s%s", (int)size, before, e->shown_names[access]);
        else
            buf_add(out, line + i, step);
    }
}

/* ---- lines ---- */

size_t shown_length(const char *line, size_t length, bool *own)
{
    const size_t size = sizeof mark - 1;
    *own = length < size || memcmp(line + length - size, mark, size) != 0;
    length -= *own ? 0 : size;
    while (!*own && length && line[length - 1] == ' ')
        length--;
    return length;
}

/* ---- what is left out ---- */

bool is_common(const struct emitter *e, const char *name, size_t length)
{
    static const char *const common[] = {"types", "sizes", "args", "library", "helpers", "blocks", "numbers", "samples",
                                         "loops", "joins", "functions", "room", "remarks", "faults"};
    for (size_t i = 0; e->params->shown == SHOWN_OWN && i < sizeof common / sizeof *common; i++)
        if (text_is(name, length, common[i]))
            return true;
    return false;
}

bool is_left_out(const struct emitter *e, struct condition *c, const char *line, size_t length)
{
    struct form_field fields[FORM_FIELD_COUNT];
    static const char word[] = "#if ";
    const bool part = c->goes_on, directive = part || *line == '#';
    c->goes_on = directive && length && line[length - 1] == '\\';
    if (part || !directive)
        return part || c->from > 0;
    if (strncmp(line, "#if", 3) == 0) {
        c->depth++;
        form_fields(e->params->form, fields);
        for (int i = 0; i < FORM_FIELD_COUNT && !c->from; i++)
            if (fields[i].constant && strncmp(line, word, sizeof word - 1) == 0 && !fields[i].value &&
                text_is(line + sizeof word - 1, length - (sizeof word - 1), fields[i].constant))
                c->from = c->depth;
    } else if (strncmp(line, "#el", 3) == 0) {
        c->from = c->from == c->depth ? 0 : c->from ? c->from : c->depth;
    } else if (strncmp(line, "#endif", 6) == 0) {
        c->from = c->from == c->depth ? 0 : c->from;
        c->depth--;
    }
    return true;
}

/* ---- pieces of the program ---- */

void put_piece(struct buf *out, const struct program *program, struct span span, size_t most)
{
    const char *text = program->source->text + span.start;
    const size_t length = span.end - span.start;
    for (size_t i = 0; i < length && i < most; i++) {
        const char c = text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
        buf_putc(out, c < ' ' || c > '~' || c == '\\' ? '?' : c);
        if (i + 1 < length && ((c == '*' && text[i + 1] == '/') || (c == '/' && text[i + 1] == '*')))
            buf_putc(out, ' '); /* a comment neither ends nor begins in it */
    }
    buf_puts(out, length > most ? "..." : "");
}

void put_origin(const struct emitter *e, struct buf *out, const struct ins *ins)
{
    const struct program *program = e->kernel->program;
    if (!e->params->shown || ins->span.end <= ins->span.start)
        return;
    const struct span span = whole_span(&e->spans, ins->span);
    const int line = line_of(&e->lines, span.start);
    buf_puts(out, " /* ");
    put_piece(out, program, span, PIECE);
    buf_printf(out, "  %d:%d */", line + 1, (int)(span.start - e->lines.starts[line]) + 1);
}

/* ---- the head ---- */

static void put_stored(const struct emitter *e, struct buf *out, int access)
{
    const struct kernel *kernel = e->kernel;
    const struct program *program = kernel->program;
    const struct access *a = &kernel->accesses[access];
    buf_printf(out, "%s = ", access_name(e->arena, kernel, access));
    if (a->kind == TENSOR_RESULT) {
        put_piece(out, program, program->nodes[program->results[a->index].node].span, 2 * PIECE);
        return;
    }
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind != INS_STORE || ins->index != access)
            continue;
        const struct ins *value = &kernel->ins[ins->a[0]];
        if (kernel->lanes)
            buf_printf(out, "%s%s ", kernel->lanes->finds ? "a place" : join_name(e->arena, kernel->lanes->join),
                       value->kind == INS_LOAD ? " of" : ", for");
        put_piece(out, program, whole_span(&e->spans, value->span.end ? value->span : ins->span), 2 * PIECE);
    }
}

/* The first sentence of the comment that stands before a definition, or NULL. */
static const char *told_of(struct emitter *e, const char *text, const char *name)
{
    const char *call = arena_printf(e->arena, "%s(", name);
    for (const char *at = text; (at = strstr(at, call)); at++) {
        const char *line = at, *end, *start = NULL;
        if (at > text && is_word(at[-1]))
            continue;
        while (line > text && line[-1] != '\n')
            line--;
        if (*line == ' ' || line < text + 3 || memcmp(line - 3, "*/\n", 3) != 0)
            continue;
        end = line - 3;
        for (const char *c = end; c > text && !start; c--)
            start = c[-1] == '/' && c[0] == '*' ? c + 1 : NULL;
        struct buf told = buf_new(e->arena);
        for (const char *c = start; c && c < end; c++) {
            if (*c == '.' && (c + 1 == end || c[1] == ' ' || c[1] == '\n'))
                break;
            if (*c == '\n' && c + 3 < end)
                c += 2; /* " *" */
            else if (told.length || *c != ' ')
                buf_putc(&told, *c == '\n' ? ' ' : *c);
        }
        if (told.length > TOLD) { /* whole words of it */
            told.length = TOLD;
            while (told.length && told.text[told.length - 1] != ' ')
                told.length--;
            told.text[told.length ? told.length - 1 : 0] = '\0';
            return arena_printf(e->arena, "%s ...", told.text);
        }
        return told.length ? told.text : NULL;
    }
    return NULL;
}

/* Whether the text calls a function that it does not define. */
static bool is_called(const char *body, const char *name, struct arena *arena)
{
    const char *call = arena_printf(arena, "%s(", name);
    bool called = false;
    for (const char *at = body, *line; (at = strstr(at, call)); at++) {
        for (line = at; line > body && line[-1] != '\n'; line--)
            ;
        if (line < at && *line != ' ' && *line != '/')
            return false;
        called = called || at == body || !is_word(at[-1]);
    }
    return called;
}

static void put_called(struct emitter *e, struct buf *out, const char *body, const char *full)
{
    const struct defined_names *names = &e->subst.names;
    int count = 0;
    for (int i = 0; i < names->count && count < MOST_CALLED; i++) {
        const char *name = names->items[i].name;
        if (!is_called(body, name, e->arena))
            continue;
        const char *told = told_of(e, full, name);
        buf_printf(out, "\n * %s: ", name);
        if (told)
            put_shown(e, out, told, strlen(told));
        else
            buf_puts(out, strncmp(name, "block_", 6) == 0 ? "a function of a block of elements" : "a helper");
        count++;
    }
}

void put_shown_head(struct emitter *e, struct buf *out, const char *body, const char *full)
{
    const struct kernel *kernel = e->kernel;
    const struct access_way *ways = access_ways(e->arena, kernel, e->params);
    const char *between = "/* ";
    for (int a = kernel->load_count; a < kernel->access_count; a++, between = "\n * ") {
        buf_puts(out, between);
        put_stored(e, out, a);
    }
    for (int a = 0; a < kernel->access_count; a++, between = "\n * ") {
        buf_printf(out, "%s%s: %s", between, access_name(e->arena, kernel, a),
                   type_rows[kernel->accesses[a].dtype].name);
        if (ways[a].words && *ways[a].words)
            buf_printf(out, ", %s", ways[a].words);
        if (e->shown_names[a] && strcmp(e->shown_names[a], access_name(e->arena, kernel, a)) != 0)
            buf_printf(out, " (%s)", e->shown_names[a]);
    }
    put_called(e, out, body, full);
    buf_puts(out, " */\n");
}
