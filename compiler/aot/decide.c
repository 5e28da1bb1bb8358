/* Takes out of helpers what their types decide. Helpers are written once for all types, so in the text for one of them
 * some conditions always hold, or never. Branches of `if` and the arms of choices go where a condition is made of sizes
 * of types, casts of numbers, comparisons, && and ||; what is not understood stays as it is. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of texts ---- */

struct value {
    bool known;
    int64_t number;
};

struct reader {
    const char *at, *end;
};

static struct value read_choice(struct reader *r);

static bool takes(struct reader *r, const char *word)
{
    const size_t length = strlen(word);
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    const bool found = (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
    r->at += found ? length : 0;
    return found;
}

static size_t word_length(const struct reader *r)
{
    size_t length = 0;
    while (r->at + length < r->end && (begins_name(r->at[length]) || is_digit(r->at[length])))
        length++;
    return length;
}

/* The type with this short name; -1: none has it. */
static int type_of(const char *word, size_t length)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (text_is(word, length, type_rows[t].short_name))
            return t;
    return -1;
}

/* A number as one of a type: integers of up to 32 bits, and signed ones of 64. */
static struct value cast_to(int type, struct value value)
{
    const int bits = type_rows[type].bits;
    if (!value.known || !dtype_is_integer(type) ||
        (bits == 64 && (type == WEFT_UINT64 && value.number < 0)))
        return type == WEFT_UINT64 && value.known ? (struct value){true, INT64_MAX}
                                                  /* larger than any that stands here */
                                                  : (struct value){false, 0};
    if (bits == 64)
        return value;
    const int64_t low = value.number & ((INT64_C(1) << bits) - 1);
    return (struct value){true, type_rows[type].class == CLASS_SIGNED && low >> (bits - 1)
                                    ? low - (INT64_C(1) << bits)
                                    : low};
}

/* A name, with its arguments or members, has no value; but sizes do. */
static struct value read_word(struct reader *r)
{
    const char *word = r->at;
    const size_t length = word_length(r);
    struct value value = {false, 0};
    r->at += length;
    if (text_is(word, length, "sizeof") && takes(r, "(")) {
        const size_t size = word_length(r);
        const int type = type_of(r->at, size);
        value = (struct value){type >= 0 || text_is(r->at, size, "int") ||
                                   text_is(r->at, size, "unsigned"),
                               type >= 0 ? type_rows[type].size : (int64_t)sizeof(int)};
        r->at += size;
        value.known = takes(r, ")") && value.known;
        return value;
    }
    for (int depth = 0; r->at < r->end && (depth || strchr("([.", *r->at)); r->at++) {
        depth += (*r->at == '(' || *r->at == '[') - (*r->at == ')' || *r->at == ']');
        if (!depth && *r->at == '.')
            r->at += word_length(&(struct reader){r->at + 1, r->end});
    }
    return text_is(word, length, "IS_CONSTANT") || text_is(word, length, "BY_FLOOR") ? (struct value){true, 0} : value;
}

static struct value read_operand(struct reader *r)
{
    if (takes(r, "-")) {
        const struct value value = read_operand(r);
        return (struct value){value.known, -value.number};
    }
    if (takes(r, "(")) {
        const size_t length = word_length(r);
        const int type = type_of(r->at, length);
        if (type >= 0 && r->at[length] == ')') {
            r->at += length + 1;
            return cast_to(type, read_operand(r));
        }
        const struct value value = read_choice(r);
        return (struct value){takes(r, ")") && value.known, value.number};
    }
    const size_t length = word_length(r);
    if (!length || !is_digit(*r->at))
        return read_word(r);
    char *end;
    const struct value value = {true, strtoll(r->at, &end, 10)};
    const bool whole =
        end == r->at + length && (*r->at != '0' || length == 1) && r->at[length] != '.';
    r->at += length;
    return (struct value){whole && value.known, value.number};
}

enum { LEVELS = 5 };

static const char *read_operator(struct reader *r, int level)
{
    static const char *const levels[LEVELS][5] = {
        {"||"}, {"&&"}, {"==", "!="}, {"<= ", ">= ", "< ", "> "}, {"* "}};
    for (int i = 0; i < 5 && levels[level][i]; i++)
        if (takes(r, levels[level][i]))
            return levels[level][i];
    return NULL;
}

static struct value joined(const char *op, struct value a, struct value b)
{
    const int64_t x = a.number, y = b.number;
    int64_t product;
    if (*op == '*')
        return (struct value){!__builtin_mul_overflow(x, y, &product) && a.known && b.known, product};
    if (*op == '|')
        return (struct value){(a.known && b.known) || (a.known && x) || (b.known && y),
                              (a.known && x) || (b.known && y)};
    if (*op == '&')
        return (struct value){(a.known && b.known) || (a.known && !x) || (b.known && !y),
                              a.known && x && b.known && y};
    return (struct value){a.known && b.known, *op == '='     ? x == y
                                              : *op == '!'   ? x != y
                                              : op[1] == '=' ? (*op == '<' ? x <= y : x >= y)
                                              : *op == '<'   ? x < y
                                                             : x > y};
}

static struct value read_level(struct reader *r, int level)
{
    struct value value = level == LEVELS ? read_operand(r) : read_level(r, level + 1);
    for (const char *op; level < LEVELS && (op = read_operator(r, level));)
        value = joined(op, value, read_level(r, level + 1));
    return value;
}

static struct value read_choice(struct reader *r)
{
    return read_level(r, 0);
}

/* Whether a condition holds: 1, never: 0, or is not decided: -1. */
static int decided(const char *text, size_t length)
{
    struct reader r = {text, text + length};
    const struct value value = read_choice(&r);
    while (r.at < r.end && *r.at == ' ')
        r.at++;
    return value.known && r.at == r.end ? value.number != 0 : -1;
}

/* ---- choices ---- */

/* The first of these characters at the depth where the text begins, or its end. */
static const char *find_at_depth(const char *text, const char *end, const char *marks)
{
    for (int depth = 0; text < end; text++) {
        if (!depth && strchr(marks, *text))
            return text;
        depth += (*text == '(' || *text == '[' || *text == '{') -
                 (*text == ')' || *text == ']' || *text == '}');
    }
    return end;
}

/* Adds an expression without arms that are never chosen. */
static void put_expression(struct buf *out, const char *text, const char *end)
{
    const char *mark = find_at_depth(text, end, "?"), *start = text + strspn(text, " ");
    const char *colon = mark;
    for (int open = 1; open && colon < end; colon += colon < end)
        if ((colon = find_at_depth(colon + 1, end, "?:")) < end)
            open += *colon == '?' ? 1 : -1;
    const bool choice = mark < end && colon <= end && colon > mark;
    const int holds = choice ? decided(start, (size_t)(mark - start)) : -1;
    if (holds >= 0) {
        const char *from = holds ? mark + 1 : colon,
                   *to = holds ? colon - 2 : end; /* the colon is passed */
        put_expression(out, from + (*text != ' '), to);
        return;
    }
    if (choice && holds < 0) { /* what never makes it true */
        const char *first = start, *next;
        while ((next = find_at_depth(first, mark, "|")) < mark && decided(first, (size_t)(next - first)) == 0)
            first = next + strspn(next, "| ");
        buf_add(out, text, first > start ? (size_t)(start - text) : 0);
        text = first > start ? first : text;
    }
    const int type = *start == '(' ? type_of(start + 1, strcspn(start + 1, ")")) : -1;
    const char *name = type >= 0 ? type_rows[type].short_name : "";
    const char *top =
        arena_printf(out->arena, "(%s)(~0ull >> (64 - 8 * sizeof(%s) + ((%s)-1 < (%s)1)))", name,
                     name, name, name); /* the largest value */
    if (type >= 0 && dtype_is_integer(type) && type_rows[type].bits < 64 &&
        (size_t)(end - start) == strlen(top) && memcmp(start, top, strlen(top)) == 0) {
        buf_printf(out, "%.*s%lld", (int)(start - text), text,
                   (1ll << (type_rows[type].bits - (type_rows[type].class == CLASS_SIGNED))) - 1);
        return;
    }
    for (; text < end; text++) { /* within parentheses */
        buf_putc(out, *text);
        if (*text != '(' && *text != '{')
            continue;
        const char *close = find_at_depth(text + 1, end, *text == '(' ? ")" : "}");
        for (const char *item = text + 1, *next; item < close; item = next) {
            next = find_at_depth(item, close, ",");
            put_expression(out, item, next);
            if (next < close)
                buf_putc(out, *next++);
        }
        text = close - 1;
    }
}

/* Adds a statement of one line. */
static void put_line(struct buf *out, const char *line, size_t length)
{
    const char *end = line + length, *comment = strstr(line, "/*");
    const char *stop = comment && comment < end ? comment : end, *equals = strstr(line, " = ");
    const char *result = strstr(line, " return ");
    const char *from = result && result < stop   ? result + 7
                       : equals && equals < stop ? equals + 2
                                                 : NULL;
    while (stop > line && (stop[-1] == ' ' || stop[-1] == '\n'))
        stop--;
    if (!from || stop[-1] != ';') {
        buf_add(out, line, length);
        return;
    }
    buf_add(out, line, (size_t)(from - line));
    const char *last = stop - 1;
    for (const char *next; from < last; from = next) { /* declarators */
        next = find_at_depth(from, last, ",");
        const char *own = strstr(from, " = ");
        if (own && own < next) {
            buf_add(out, from, (size_t)(own + 2 - from));
            from = own + 2;
        }
        put_expression(out, from, next);
        if (next < last)
            buf_putc(out, *next++);
    }
    buf_add(out, last, (size_t)(end - last));
}

/* ---- branches ---- */

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

static const char *next_line(const char *line)
{
    return line + strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
}

/* The line behind those that are deeper than this. */
static const char *behind(const char *line, const char *end, size_t indent)
{
    while (line < end && (indent_of(line) > indent || *line == '\n'))
        line = next_line(line);
    return line;
}

struct branch {
    int holds; /* of the condition; `else` always does */
    const char *from, *to;
};

/* Reads a chain of branches. Returns the line behind it; NULL: it is no chain as helpers have them. */
static const char *read_chain(const char *line, const char *end, struct branch *branches,
                              int *count)
{
    enum { MOST = 8 };
    const size_t indent = indent_of(line);
    const char *head = line + indent;
    *count = 0;
    while (*count < MOST) {
        struct branch *own = &branches[(*count)++];
        const bool last = strncmp(head, "if (", 4) != 0;
        const char *close = last ? head : find_at_depth(head + 4, end, ")");
        own->holds = last ? 1 : decided(head + 4, (size_t)(close - head) - 4);
        close += !last;
        close += strspn(close, " ");
        const bool braces = *close == '{';
        close += braces;
        close += strspn(close, " ");
        if (strncmp(close, "/*", 2) == 0)
            close = strstr(close, "*/") + 2;
        if (*close != '\n')
            return NULL;
        own->from = next_line(close);
        own->to = behind(own->from, end, indent);
        const char *next = own->to;
        if (braces && (next >= end || next[indent] != '}'))
            return NULL;
        const char *word = next < end ? next + indent + (braces ? 1 : 0) : next;
        word += next < end ? strspn(word, " ") : 0;
        if (next >= end || strncmp(word, "else", 4) != 0 || (!braces && indent_of(next) != indent))
            return braces ? next_line(next) : next;
        head = word + 4 + strspn(word + 4, " ");
    }
    return NULL;
}

static bool ends_by_return(const char *from, const char *to, size_t indent)
{
    const char *last = NULL;
    for (const char *line = from; line < to; line = next_line(line))
        last = indent_of(line) == indent ? line : last;
    return last && strncmp(last + indent, "return ", 7) == 0;
}

static void put_statements(struct buf *out, const char *from, const char *to, size_t out_of)
{
    for (const char *line = from, *next; line < to; line = next) {
        struct branch branches[8];
        int count, chosen = 0;
        const size_t indent = indent_of(line);
        next = next_line(line);
        const char *after =
            strncmp(line + indent, "if (", 4) == 0 ? read_chain(line, to, branches, &count) : NULL;
        while (after && chosen < count && branches[chosen].holds == 0)
            chosen++;
        const bool all = after && (chosen == count || branches[chosen].holds == 1);
        if (!all) {
            put_line(out, line + (indent < out_of ? indent : out_of),
                     (size_t)(next - line) - (indent < out_of ? indent : out_of));
            continue;
        }
        next = after;
        if (chosen == count)
            continue;
        put_statements(out, branches[chosen].from, branches[chosen].to, out_of + 4);
        if (ends_by_return(branches[chosen].from, branches[chosen].to, indent + 4))
            next = behind(next, to, indent - 1);
    }
}

/* ---- what nothing reads any more ---- */

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static int count_words(const char *from, const char *to, const char *word, size_t length)
{
    int count = 0;
    for (const char *at = from; at < to; at++)
        count += strncmp(at, word, length) == 0 && !begins_name(at[-1]) && !is_digit(at[-1]) &&
                 !begins_name(at[length]) && !is_digit(at[length]) && at[-1] != '.';
    return count;
}

/* Takes back the lines of a type whose variables are not needed: from "    union {" on. */
static void drop_type(struct buf *out)
{
    const char *head = out->text + out->length;
    while (head > out->text && !(head[-1] == '\n' && (strncmp(head, "    union {", 11) == 0 ||
                                                     strncmp(head, "    const union {", 17) == 0)))
        head--;
    if (strncmp(head, "    union {", 11) != 0 && strncmp(head, "    const union {", 17) != 0)
        return;
    out->length = (size_t)(head - out->text);
    out->text[out->length] = '\0';
}

/* "    u8 r;" */
static bool declares_one(const char *line, const char *last)
{
    const char *space = strchr(line + 4, ' ');
    return strncmp(line, "    ", 4) == 0 && begins_name(line[4]) && space && space < last &&
           strncmp(line + 4, "return ", 7) != 0 && space + 1 + strspn(space + 1, NAME_CHARACTERS) == last;
}

/* Adds a declaration without the variables that the body reads nowhere else. Returns whether it left out any. */
static bool put_read(struct buf *out, const char *line, const char *next, const char *body,
                     const char *end)
{
    const bool constant = strncmp(line, "    const ", 10) == 0,
               members = strncmp(line, "    } ", 6) == 0;
    const char *last = next - 2, *from = line;
    const bool bare = declares_one(line, last);
    if ((!constant && !members && !bare) || *last != ';') {
        buf_add(out, line, (size_t)(next - line));
        return false;
    }
    if (constant) { /* the name is the word before " = " */
        const char *equals = strstr(line, " = ");
        from = equals && equals < next ? equals : last;
        while (from > line && (begins_name(from[-1]) || is_digit(from[-1])))
            from--;
    } else {
        from = bare ? strchr(line + 4, ' ') + 1 : line + 6;
    }
    bool dropped = false;
    int kept = 0;
    struct buf list = buf_new(out->arena);
    for (const char *item = from, *to; item < last; item = to) {
        item += strspn(item, " ");
        to = find_at_depth(item, last, ",");
        size_t length = 0;
        while (begins_name(item[length]) || is_digit(item[length]))
            length++;
        const bool read = !length || count_words(body, end, item, length) > 1;
        dropped = dropped || !read;
        if (read)
            buf_printf(&list, "%s%.*s", kept++ ? ", " : "", (int)(to - item), item);
        to += to < last;
    }
    if (kept)
        buf_printf(out, "%.*s%s;\n", (int)(from - line), line, list.text);
    else if (members)
        drop_type(out);
    return dropped;
}

/* Adds a body, until nothing is left out any more. */
static void put_body(struct buf *out, const char *text)
{
    bool again = true;
    while (again) {
        struct buf body = buf_new(out->arena);
        const char *end = text + strlen(text);
        again = false;
        for (const char *line = text, *next; *line; line = next) {
            next = next_line(line);
            again = put_read(&body, line, next, text + 1, end) || again;
        }
        text = body.length ? body.text : "";
    }
    buf_puts(out, text);
}

const char *aot_decided(struct arena *arena, const char *text)
{
    struct buf out = buf_new(arena);
    for (const char *line = text, *next; *line; line = next) {
        next = next_line(line);
        if (*line != '{' || line[1] != '\n') {
            buf_add(&out, line, (size_t)(next - line));
            continue;
        }
        const char *end = strstr(next, "\n}\n"); /* a function's body */
        buf_add(&out, line, (size_t)(next - line));
        struct buf body = buf_new(arena);
        if (end)
            put_statements(&body, next, end + 1, 0);
        if (body.length)
            put_body(&out, body.text);
        next = end ? end + 1 : next;
    }
    return out.length ? out.text : "";
}
