/* Naming and writing the files of WEFT_KEEP; see keep.h.
 *
 * Invariant: only letters, digits and underscores of the user's text reach a name. Only printable characters reach
 * a comment, and none that end it. */
#include "runtime/cc/keep.h"

#include "compiler/emit/emit.h"
#include "compiler/lang/lang.h"
#include "runtime/base/base.h"
#include "runtime/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXPRESSION = 48, MOST_VALUES = 200, COLUMN = 24, DIGEST = 8 };

static const char entry_word[] = NAME_ENTRY;

/* ---- the directory ---- */

/* Makes the directory if it is missing. Returns NULL, or what is wrong with it: others must not be able to replace
 * our binaries. */
static const char *find_problem(const char *path)
{
    struct stat stat_;
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || stat(path, &stat_) != 0)
        return strerror(errno);
    if (!S_ISDIR(stat_.st_mode))
        return "it is no directory";
    if ((stat_.st_uid != geteuid() && stat_.st_uid != 0) ||
        (stat_.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
        return "it is another user's, or others may write there";
    return access(path, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

bool keep_open(const char *word, char **directory, struct diags *diags)
{
    word = word ? word : secure_getenv("WEFT_KEEP");
    *directory = NULL;
    if (!word || !*word)
        return true;
    *directory = cache_directory(word);
    if (!*directory)
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    const char *problem = find_problem(*directory);
    return !problem || diag_at(diags, DIAG_KEEP, NULL, 0, word, problem);
}

/* ---- names ---- */

/* ASCII only, whatever the locale. */
static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c)
{
    return (small(c) >= 'a' && small(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_length(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && is_word(text[length]))
        length++;
    return length;
}

static void put_word(struct buf *out, const char *word, size_t length)
{
    if (length && out->length && out->text[out->length - 1] != '_')
        buf_putc(out, '_');
    for (size_t i = 0; i < length; i++)
        buf_putc(out, small(word[i]));
}

static void cut(struct buf *name)
{
    name->length = name->length < EXPRESSION ? name->length : EXPRESSION;
    while (name->length && name->text[name->length - 1] == '_')
        name->length--;
    name->text[name->length] = '\0';
}

/* The longest operator at the start of the text, and its *length; OP_COUNT and 1 if there is none. */
static enum op find_operator(const char *text, size_t left, bool prefix, size_t *length)
{
    for (*length = left < 3 ? left : 3; *length > 0; --*length) {
        enum op op = op_find_operator(text, *length, prefix);
        if (op != OP_COUNT)
            return op;
    }
    *length = 1;
    return OP_COUNT;
}

/* Turns an expression into a name. Operators become their rows' names, and everything else that is no word is left
 * out. */
static void put_expression(struct buf *out, const char *text, size_t length)
{
    bool operand = false; /* an operand came before, so an operator is a binary one */
    for (size_t i = 0, step; i < length && out->length < EXPRESSION; i += step) {
        step = word_length(text + i, length - i);
        if (step) {
            put_word(out, text + i, step);
            operand = true;
            continue;
        }
        if (text[i] == '#') {
            while (i + step < length && text[i + step] != '\n')
                step++;
            continue;
        }
        enum op op = find_operator(text + i, length - i, !operand, &step);
        if (op != OP_COUNT)
            put_word(out, op_rows[op].id, strlen(op_rows[op].id));
        if (op != OP_COUNT || strchr("([,", text[i]))
            operand = false;
        else if (strchr(")]", text[i]))
            operand = true;
    }
    cut(out);
}

/* Adds the file's name without folder and extension. False if the origin is no .weft file. */
static bool put_file(struct buf *out, const char *origin)
{
    const char *slash = strrchr(origin, '/'), *name = slash ? slash + 1 : origin;
    size_t length = strlen(name);
    if (length <= 5 || strcmp(name + length - 5, ".weft") != 0)
        return false;
    for (size_t i = 0, step; i < length - 5 && out->length < EXPRESSION; i += step ? step : 1) {
        step = word_length(name + i, length - 5 - i);
        put_word(out, name + i, step);
    }
    cut(out);
    return out->length > 0;
}

const char *keep_name(struct arena *arena, const struct program *program, const struct kernel *kernel)
{
    const struct access *store = kernel ? &kernel->accesses[kernel->load_count] : NULL;
    const struct result *result =
        &program->results[store && store->kind == TENSOR_RESULT ? store->index : 0];
    const struct span span = program->nodes[result->node].span;
    struct buf name = buf_new(arena);
    if (program->name)
        put_word(&name, program->name, strnlen(program->name, EXPRESSION));
    bool called = program->name || put_file(&name, program->source->origin);
    if (!called)
        put_expression(&name, program->source->text + span.start, span.end - span.start);
    else if (store && store->kind == TENSOR_RESULT && program->result_count > 1)
        put_word(&name, result->name, strnlen(result->name, KEEP_NAME - EXPRESSION - 2));
    if (store && store->kind != TENSOR_RESULT)
        buf_printf(&name, store->kind == TENSOR_TABLE ? "_table_%d" : "_temporary_%d", store->index);
    return name.length ? name.text : "program";
}

/* ---- texts ---- */

/* Adds printable characters, on one line, without the end of a comment. */
static void put_comment(struct buf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
        buf_putc(out, c < ' ' || c > '~' || c == '\\' ? '?' : c);
        if (c == '*' && i + 1 < length && text[i + 1] == '/')
            buf_putc(out, ' ');
    }
}

/* Adds a value's name in the text. */
static void put_value(struct buf *out, const struct kernel *kernel, int i, int width)
{
    size_t start = out->length;
    buf_puts(out, shown_value(out->arena, kernel, i));
    while (out->length < start + (size_t)width)
        buf_putc(out, ' ');
}

static void put_operation(struct buf *out, const struct kernel *kernel, const struct ins *ins)
{
    size_t start = out->length;
    const char *id = ins->kind == INS_LOAD      ? "load"
                     : ins_is_argument(ins)     ? "literal"
                     : ins->kind == INS_LOOKUP  ? "lookup"
                     : ins->kind == INS_TAKE    ? "take"
                     : ins->kind == INS_WEIGH   ? "weigh"
                                                : op_rows[ins->op].id;
    for (const char *c = id; *c; c++)
        buf_putc(out, small(*c));
    for (int k = 0; k < 3 && ins->a[k] >= 0; k++) {
        buf_putc(out, ' ');
        put_value(out, kernel, ins->a[k], 0);
    }
    do
        buf_putc(out, ' ');
    while (out->length < start + COLUMN);
}

static void put_line(struct buf *out, const struct kernel *kernel, const struct token_spans *spans, int i)
{
    const struct ins *ins = &kernel->ins[i];
    const struct span span = whole_span(spans, ins->span);
    buf_puts(out, " *   ");
    put_value(out, kernel, i, 5);
    buf_printf(out, " %-9s", type_rows[ins->dtype].name);
    put_operation(out, kernel, ins);
    put_piece(out, kernel->program, span, COLUMN * 2);
    buf_puts(out, "\n");
}

static void put_head(struct buf *out, const struct kernel *kernel)
{
    const struct program *program = kernel->program;
    const struct token_spans spans = find_token_spans(out->arena, program);
    int values = 0;
    buf_puts(out, "/* ");
    put_comment(out, program->source->origin, strlen(program->source->origin));
    for (int a = kernel->load_count; a < kernel->access_count; a++) {
        const struct access *access = &kernel->accesses[a];
        if (access->kind != TENSOR_RESULT)
            continue;
        const struct result *result = &program->results[access->index];
        const struct span span = program->nodes[result->node].span;
        buf_printf(out, "\n * %s = ", result->name);
        put_piece(out, program, span, SIZE_MAX);
    }
    buf_puts(out, "\n * Values, how they are made, and for which part of the program:\n");
    for (int i = 0; i < kernel->ins_count && values < MOST_VALUES; i++)
        if (kernel->ins[i].kind != INS_STORE && kernel->ins[i].kind != INS_FAULT) {
            put_line(out, kernel, &spans, i);
            values++;
        }
    buf_puts(out, " */\n");
}

/* Adds the text without its #line directives, which refer to the program, so that line numbers are those of the
 * kept source. */
static void put_plain_lines(struct buf *out, const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *next; text < end; text = next) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline + 1 : end;
        if (strncmp(text, "#line ", 6) != 0)
            buf_add(out, text, (size_t)(next - text));
    }
}

/* Finds the entry's name in its declaration: the second word of a line. Comments may contain the same name. */
static const char *find_entry(const char *text)
{
    const char *found = text;
    while ((found = strstr(found, entry_word))) {
        const char *before = found++;
        if (before == text || *--before != ' ')
            continue;
        while (before > text && is_word(before[-1]))
            before--;
        if (*before != ' ' && (before == text || before[-1] == '\n'))
            return found - 1;
    }
    return NULL;
}

const char *keep_text(struct arena *arena, const struct kernel *kernel, const char *text, const char **entry)
{
    const char *found = find_entry(text);
    struct buf out = buf_new(arena);
    if (!found)
        return text;
    *entry = arena_printf(arena, "%s_%s", entry_word, keep_name(arena, kernel->program, kernel));
    put_head(&out, kernel);
    put_plain_lines(&out, text, (size_t)(found - text));
    buf_puts(&out, *entry);
    put_plain_lines(&out, found + strlen(entry_word), strlen(found) - strlen(entry_word));
    return out.text;
}

/* ---- files ---- */

bool keep_path(char path[PATH_MAX], const char *directory, const char *name, const char *digest,
               const char *suffix)
{
    return snprintf(path, PATH_MAX, "%s/%s-%.*s.%s", directory, name, DIGEST, digest, suffix) < PATH_MAX - 32;
}

bool keep_write(const char *path, const void *bytes, size_t size, struct diags *diags)
{
    char temporary[PATH_MAX];
    snprintf(temporary, sizeof temporary, "%.*s.%lx.tmp", PATH_MAX - 32, path, (long)getpid());
    return write_file(AT_FDCWD, temporary, path, 0666, bytes, size) ||
           diag_at(diags, DIAG_NOT_KEPT, NULL, 0, path, strerror(errno));
}

bool keep_files(struct kept *kept, const char *directory, const char *entry, const char *digest,
                const char *const suffixes[2])
{
    const char *name = strlen(entry) > strlen(entry_word) ? entry + strlen(entry_word) + 1 : "kernel";
    return directory && keep_path(kept->source, directory, name, digest, suffixes[0]) &&
           keep_path(kept->binary, directory, name, digest, suffixes[1]);
}
