/* The head of a kernel's text for people: what it computes, what each array is, and what the words mean that the text
 * has and does not define. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

enum { PIECE = 120, MOST_CALLED = 40, COLUMNS = 116 };

static const struct explained {
    const char *words, *text;
} explained[] =
    {
#define WORDS(words, text) {words, text},
#include "compiler/emit/shown_words.def"
},
  explained_cuda[] = {
#define WORDS(words, text)
#define CUDA_WORDS(words, text) {words, text},
#include "compiler/emit/shown_words.def"
};
enum {
    EXPLAINED = sizeof explained / sizeof *explained,
    EXPLAINED_CUDA = sizeof explained_cuda / sizeof *explained_cuda
};

static void put_stored(const struct emitter *e, struct buf *out, int access)
{
    const struct kernel *kernel = e->kernel;
    const struct program *program = kernel->program;
    const struct access *a = &kernel->accesses[access];
    buf_printf(out, "%s = ", access_name(e->arena, kernel, access));
    if (a->kind == TENSOR_RESULT) {
        put_piece(out, program, program->nodes[program->results[a->index].node].span, PIECE);
        return;
    }
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind != INS_STORE || ins->index != access)
            continue;
        const struct ins *value = &kernel->ins[ins->a[0]];
        const struct lanes *lanes = kernel->lanes;
        if (lanes)
            buf_printf(out, "%s%s ", lanes->finds || lanes->places ? "a place" : join_name(e->arena, lanes->join),
                       value->kind == INS_LOAD ? " of" : ", for");
        const struct span span = whole_span(&e->spans, value->span.end ? value->span : ins->span);
        if (lanes && value->kind == INS_LOAD && kernel->accesses[value->index].kind == TENSOR_TEMPORARY)
            buf_printf(out, "%s, for ", access_name(e->arena, kernel, value->index));
        if (!lanes)
            put_part(e, out, value, span);
        put_piece(out, program, span, PIECE);
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

/* Adds a paragraph, in lines of COLUMNS. */
static void put_wrapped(struct buf *out, const char *text)
{
    const char *between = "\n * ";
    for (size_t column = COLUMNS; *text; between = " ") {
        const size_t length = strcspn(text, " ");
        if (column + length + 1 > COLUMNS && *between == ' ')
            between = "\n *     ";
        column = *between == ' ' ? column + 1 + length : strlen(between) - 1 + length;
        buf_printf(out, "%s%.*s", between, (int)length, text);
        text += length + (text[length] == ' ');
    }
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
        struct buf text = buf_new(e->arena);
        const struct lanes *lanes = e->kernel->lanes;
        const bool joins = lanes && !lanes->finds && !lanes->places && strncmp(name, "join_", 5) == 0;
        buf_printf(&text, joins ? "%s, %s: " : "%s: ", name, joins ? join_name(e->arena, lanes->join) : "");
        if (told)
            put_shown(e, &text, told, strlen(told));
        else if (strncmp(name, "block_", 6) == 0)
            buf_printf(&text, "%.*s of each element of a block", (int)(strrchr(name, '_') - name - 6), name + 6);
        else
            buf_puts(&text, "a helper");
        put_wrapped(out, text.text);
        count++;
    }
}

/* Whether a word of a list is this one, or how it begins. */
static bool is_listed(const char *words, const char *word, size_t length)
{
    for (size_t size; *words; words += size + (words[size] == ' ')) {
        size = strcspn(words, " ");
        const bool begins = words[size - 1] == '*';
        if ((begins ? length >= size : length == size) && memcmp(words, word, begins ? size - 1 : size) == 0)
            return true;
    }
    return false;
}

/* Whether the text has one of the words. */
static bool has_one(const char *text, const char *words)
{
    for (size_t length; *text; text += length ? length : 1) {
        for (length = 0; is_word(text[length]); length++)
            ;
        if (length && is_listed(words, text, length))
            return true;
    }
    return false;
}

/* Whether the text has one of the words that a clause tells; or the clause names none. */
static bool is_told(const struct emitter *e, const char *body, const char *clause, size_t length)
{
    const char *end = strstr(clause, ": ");
    struct buf words = buf_new(e->arena);
    if (!end || end >= clause + length)
        return true;
    for (size_t size; clause < end; clause += size + 2) {
        for (size = 0; is_word(clause[size]); size++)
            ;
        buf_printf(&words, "%s%.*s%s", words.length ? " " : "", (int)size, clause, clause[size - 1] == '_' ? "*" : "");
    }
    return strcmp(words.text, "temporaries") == 0 || has_one(body, words.text);
}

static const char clause_end[] = "; ";

/* The length of the clause that a text begins with; *next: what follows. */
static size_t clause_length(const char *text, const char **next)
{
    const char *end = strstr(text, clause_end);
    const size_t length = end ? (size_t)(end - text) : strlen(text);
    *next = text + length + (end ? sizeof clause_end - 1 : 0);
    return length;
}

/* Adds the clauses of a row that the text needs. */
static void put_clauses(const struct emitter *e, struct buf *out, const char *body, const char *text)
{
    const char *between = "\n * ";
    for (const char *next; *text; text = next) {
        const size_t length = clause_length(text, &next);
        if (!e->part && !is_told(e, body, text, length))
            continue;
        buf_printf(out, "%s%.*s", between, (int)length, text);
        between = clause_end;
    }
}

static void put_words(const struct emitter *e, struct buf *out, const char *body)
{
    const bool cuda = e->params->target == &target_cuda;
    const struct explained *rows = cuda ? explained_cuda : explained;
    for (int i = 0; i < (cuda ? EXPLAINED_CUDA : EXPLAINED) && e->part <= 1;
         i++) /* of parts the first tells all */
        if (has_one(body, rows[i].words) || (cuda && e->part))
            put_clauses(e, out, body, rows[i].text);
}

/* The name that the text has for an access, where it is not the array's own; NULL: it is, or has none. */
static const char *other_name(const struct emitter *e, int a)
{
    const char *shown = e->shown_names[a];
    return shown && is_users(&e->kernel->accesses[a]) && strcmp(shown, access_name(e->arena, e->kernel, a)) != 0
               ? shown : NULL;
}

/* What array an access reads or stores, and how. */
static const char *told_access(const struct emitter *e, const struct access_way *ways, int a)
{
    const struct kernel *kernel = e->kernel;
    const bool joined = a >= kernel->load_count && kernel->lanes;
    const char *type = type_rows[joined ? kernel->lanes->tree : kernel->accesses[a].dtype].name;
    const char *words = ways[a].words ? ways[a].words : "";
    return arena_printf(e->arena, "%s: %s%s%s", access_name(e->arena, kernel, a), type, *words ? ", " : "", words);
}

/* A line for each array and way to read it, with the names of loads in the text, as in "x: float32, by vectors
 * (x, x_2 to x_9)". */
static void put_arrays(const struct emitter *e, struct buf *out, const struct access_way *ways, const char *between)
{
    int count;
    for (int a = 0; a < e->kernel->access_count; a += count, between = "\n * ") {
        const char *told = told_access(e, ways, a);
        const int end = a < e->kernel->load_count ? e->kernel->load_count : e->kernel->access_count;
        for (count = 1; a + count < end && strcmp(told_access(e, ways, a + count), told) == 0; count++)
            ;
        const char *first = other_name(e, a), *last = other_name(e, a + count - 1);
        buf_printf(out, "%s%s", between, told);
        if (count == 1 && first)
            buf_printf(out, " (%s)", first);
        else if (count > 1 && last)
            buf_printf(out, count == 2 ? " (%s, %s)" : " (%s to %s)", first ? first : e->shown_names[a], last);
    }
}

void put_shown_head(struct emitter *e, struct buf *out, const char *body, const char *full)
{
    const struct kernel *kernel = e->kernel;
    const struct access_way *ways = access_ways(e->arena, kernel, e->params);
    const char *between = e->parts_together ? arena_printf(e->arena, "/* part %d of %d: ", e->part, e->parts_together)
                                            : "/* ";
    for (int a = kernel->load_count; a < kernel->access_count; a++, between = "\n * ") {
        buf_puts(out, between);
        put_stored(e, out, a);
    }
    put_arrays(e, out, ways, between);
    put_called(e, out, body, full);
    put_words(e, out, body);
    buf_puts(out, "\n * Lines that are the same for many programs are left out here; --full has them */\n");
}

/* ---- several texts ---- */

/* Whether a line of a head explains words, in place of saying what an array is, or what a helper does. */
static bool is_explanation(const char *line)
{
    bool explains = false;
    for (int i = 0; i < EXPLAINED + EXPLAINED_CUDA && strncmp(line, " * ", 3) == 0 && !explains;
         i++) {
        const char *text = i < EXPLAINED ? explained[i].text : explained_cuda[i - EXPLAINED].text;
        for (const char *next; *text && !explains; text = next) {
            const size_t length = clause_length(text, &next);
            explains = strncmp(line + 3, text, length) == 0;
        }
    }
    return explains;
}

/* What of a line of explanations does not stand in a text before; NULL: nothing. */
static const char *new_clauses(struct arena *arena, const char *line, const char *before)
{
    struct buf kept = buf_new(arena);
    line += strlen(" * ");
    for (const char *next; *line; line = next) {
        const size_t length = clause_length(line, &next);
        if (!strstr(before, arena_string(arena, line, length)))
            buf_printf(&kept, "%s%.*s", kept.length ? clause_end : " * ", (int)length, line);
    }
    return kept.length ? kept.text : NULL;
}

void put_shown_text(struct buf *out, const char *text, int number, int count)
{
    const char *end = strncmp(text, "/* ", 3) == 0 ? strstr(text, " */\n") : NULL;
    const char *before = arena_string(out->arena, out->length ? out->text : "", out->length), *between = "";
    bool drop = false;
    if (count > 1) {
        buf_printf(out, "/* kernel %d of %d%s: ", number, count, number == 1 ? ", each a source of its own" : "");
        text += strlen("/* ");
    }
    for (size_t length; end && text < end; text += length) {
        length = strcspn(text, "\n");
        length = length < (size_t)(end - text) ? length : (size_t)(end - text);
        const char *line = arena_string(out->arena, text, length);
        const bool goes_on = strncmp(line, " *  ", 4) == 0;
        if (!goes_on && is_explanation(line))
            line = new_clauses(out->arena, line, before);
        drop = goes_on ? drop : !line;
        if (!drop) {
            buf_printf(out, "%s%s", between, line);
            between = "\n";
        }
        length += text + length < end;
    }
    buf_puts(out, text);
}
