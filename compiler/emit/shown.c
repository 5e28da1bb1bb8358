/* What people read of a kernel's text: names of the user's, comments that say which piece of the program a value is,
 * and, unless they ask for all of it, only the lines that are the program's own. Lines of the templates that end with
 * //~ are not, nor is what stands between //~{ and //~}: they are the same for all kernels of a kind. What compilers
 * are given has numbers, so that programs which differ in names share kernels. Both texts differ in identifiers and
 * comments alone. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

enum { PIECE = 60 };

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

bool is_users(const struct access *access)
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

/* "temporary_1"; "literal_1", an array's; NULL: the access is none. */
static const char *own_name(const struct emitter *e, int access)
{
    const struct access *a = &e->kernel->accesses[access];
    int literals = 1;
    for (int before = 0; before < access; before++)
        literals += e->kernel->accesses[before].kind == TENSOR_CONSTANT;
    return a->kind == TENSOR_TEMPORARY  ? arena_printf(e->arena, "temporary_%d", a->index)
           : a->kind == TENSOR_CONSTANT ? arena_printf(e->arena, "literal_%d", literals)
                                        : NULL;
}

/* Inputs and results keep their names. Where several accesses read one, the others have a number behind it, which no
 * other name has. Temporaries and array literals are called so; what else has no name of the user's keeps its
 * number. */
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
    for (int a = 0; a < kernel->access_count; a++) {
        const char *own = is_users(&kernel->accesses[a]) ? NULL : own_name(e, a);
        if (own && !is_taken(e, own))
            e->shown_names[a] = own;
    }
}

bool is_word(char c)
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

const char *shown_value(struct arena *arena, const struct kernel *kernel, int i)
{
    struct emitter e = {.arena = arena, .kernel = kernel};
    struct buf name = buf_new(arena);
    const char *own = generated_value(arena, kernel, i);
    find_shown_names(&e);
    put_shown(&e, &name, own, strlen(own));
    return name.text;
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

/* Whether a call of this function is one row of the table, or a cast. */
static bool is_row(const char *name, size_t length)
{
    bool row = dtype_find(name, length) < WEFT_DTYPE_COUNT;
    for (int op = 0; op < OP_COUNT && !row; op++)
        row = word_index(op_rows[op].spellings, name, length) >= 0;
    return row;
}

void put_part(const struct emitter *e, struct buf *out, const struct ins *ins, struct span span)
{
    const char *text = e->kernel->program->source->text + span.start;
    const char *spelling = ins->kind == INS_OP ? op_rows[ins->op].spellings : "";
    size_t length = 0;
    while (begins_name(text[length]) || (length && is_digit(text[length])))
        length++;
    if (length && text[length] == '(' && *spelling && !is_row(text, length))
        buf_printf(out, begins_name(*spelling) ? "%.*s, for " : ins->a[1] < 0 ? "%.*sa, for " : "a %.*s b, for ",
                   (int)strcspn(spelling, " "), spelling);
}

void put_origin(const struct emitter *e, struct buf *out, const struct ins *ins)
{
    const struct program *program = e->kernel->program;
    if (!e->params->shown || ins->span.end <= ins->span.start)
        return;
    const struct span span = whole_span(&e->spans, ins->span);
    const int line = line_of(&e->lines, span.start);
    buf_puts(out, " /* ");
    put_part(e, out, ins, span);
    put_piece(out, program, span, PIECE);
    buf_printf(out, "  %d:%d */", line + 1, (int)(span.start - e->lines.starts[line]) + 1);
}
