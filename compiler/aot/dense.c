/* Writes the source of kernels whose dense entries alone are made: each is one function of plain C11 with loops that C
 * compilers make vectors of (compiler/emit/plain.c), and checks of its arguments. It needs no other file. */
#include "compiler/aot/print_impl.h"

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dense {
    struct aot_kernel *k;
    const struct aot_loop *loop;
    struct emit_together *together;
    struct buf *constants;         /* tables of array literals */
    struct aot_points *points;     /* [loop_count] loops that take turns, from the first one on */
    bool *values; /* [temporary_count] whether it is a value of the point in hand */
};

/* ---- array literals ---- */

static const char *memory_type(enum weft_dtype dtype)
{
    return dtype_is_half(dtype) ? "uint16_t" : dtype == WEFT_BOOL ? "uint8_t" : type_rows[dtype].short_name;
}

static void put_constant(struct dense *dense, int p, const struct kernel *kernel, int index)
{
    struct buf *out = dense->constants;
    const struct constant *constant = &kernel->constants[index];
    const int size = type_rows[constant->dtype].size;
    const int64_t count = (int64_t)constant->bytes / size;
    size_t column = 0;
    buf_printf(out, "\nstatic const %s %s[] = {", memory_type(constant->dtype), aot_constant_name(dense->k, p, index));
    for (int64_t i = 0; i < count; i++) {
        const union scalar value = scalar_load((const char *)constant->data + i * size, constant->dtype);
        const char *text = emit_plain_value(dense->together, constant->dtype, value);
        const bool wrap = column + strlen(text) > 100;
        buf_printf(out, "%s%s", i ? wrap ? "," : ", " : "", wrap ? "\n    " : "");
        column = wrap ? 0 : column + 2;
        buf_puts(out, text);
        column += strlen(text);
    }
    buf_puts(out, count ? "};\n" : "0};\n");
}

/* Whether element i is i, as in tables from which positions are made. */
static bool is_identity(const struct constant *constant)
{
    const unsigned char *data = constant->data;
    bool same = constant->dtype == WEFT_UINT8;
    for (size_t i = 0; same && i < constant->bytes; i++)
        same = data[i] == i;
    return same;
}

static void put_constants(struct dense *dense, int p)
{
    const struct kernel *kernel = dense->k->loops[p].kernel;
    bool *done = ARENA_ARRAY(dense->k->arena, bool, kernel->constant_count + 1);
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        if (access->kind == TENSOR_CONSTANT && !done[access->index] &&
            !is_identity(&kernel->constants[access->index]))
            put_constant(dense, p, kernel, access->index);
        if (access->kind == TENSOR_CONSTANT)
            done[access->index] = true;
    }
}

/* ---- what loops ask ---- */

static const struct access *access_of(struct dense *dense, int a)
{
    return &dense->loop->kernel->accesses[a];
}

static int loop_number(const struct dense *dense)
{
    return (int)(dense->loop - dense->k->loops);
}

static const char *host_extent(void *user, int64_t extent)
{
    return aot_extent(((struct dense *)user)->k, extent);
}

static const char *temporary_name(struct dense *dense, int index)
{
    return arena_printf(dense->k->arena, "temporary_%d", index);
}

/* A number of the call that the loop takes. */
static const char *number_text(struct dense *dense, const struct access *access)
{
    struct aot_kernel *k = dense->k;
    const int slot = access->index < 0 ? -1 : k->number_slots[number_node(access->index)];
    const char *text = slot < 0 ? aot_extent(k, access->index) : arena_printf(k->arena, "d[%d]", slot);
    return access->dtype == WEFT_FLOAT64 ? arena_printf(k->arena, "real(%s)", text) : text;
}

static const char *host_data(void *user, int a)
{
    struct dense *dense = user;
    struct aot_kernel *k = dense->k;
    const struct access *access = access_of(dense, a);
    const int operand = access->index + (access->kind == TENSOR_RESULT ? k->program->input_count : 0);
    switch (access->kind) {
    case TENSOR_INPUT:
    case TENSOR_RESULT: return aot_local(k->arena, aot_operand(k, operand).name);
    case TENSOR_CONSTANT: return aot_constant_name(k, loop_number(dense), access->index);
    case TENSOR_NUMBER: return number_text(dense, access);
    case TENSOR_SAMPLE: return "0";
    default: return temporary_name(dense, access->index);
    }
}

static bool host_is_value(void *user, int a)
{
    struct dense *dense = user;
    const struct access *access = access_of(dense, a);
    return access->kind == TENSOR_NUMBER || access->kind == TENSOR_SAMPLE ||
           (access_is_temporary(access) && dense->values[access->index]) ||
           (access->kind == TENSOR_INPUT && !dense->k->inputs[access->index]->rank);
}

static bool host_is_identity(void *user, int a)
{
    struct dense *dense = user;
    const struct access *access = access_of(dense, a);
    return access->kind == TENSOR_BYTES ||
           (access_is_temporary(access) && dense->k->temporaries[access->index].numbers) ||
           (access->kind == TENSOR_CONSTANT &&
            is_identity(&dense->loop->kernel->constants[access->index]));
}

static bool host_reads_bytes(void *user, int a)
{
    struct dense *dense = user;
    const struct access *access = access_of(dense, a);
    return access->kind == TENSOR_INPUT && aot_operand(dense->k, access->index).dtype != access->dtype;
}

static const char *host_fault(void *user, int fault)
{
    struct dense *dense = user;
    return arena_printf(dense->k->arena, "f_%d_%d", loop_number(dense), fault);
}

static const struct shape *host_shape(void *user, int a)
{
    struct dense *dense = user;
    return aot_access_shape(dense->k, dense->loop, a);
}

/* ---- loops ---- */

/* The loop left out that joins parts which this one would store; the loop itself, where there is none. */
static const struct aot_loop *joining_loop(struct dense *dense, const struct aot_loop *loop)
{
    const struct access *stored = &loop->kernel->accesses[loop->kernel->load_count];
    for (int p = 0; p < dense->k->loop_count && access_is_temporary(stored); p++) {
        const struct aot_loop *other = &dense->k->loops[p];
        const struct access *parts = &other->kernel->accesses[0];
        if (other != loop && aot_is_left_out(dense->k, other) && access_is_temporary(parts) &&
            parts->index == stored->index)
            return joining_loop(dense, other);
    }
    return loop;
}

/* The temporary that a reduction stores; -1: a result. */
static int stored_temporary(struct dense *dense)
{
    const struct kernel *kernel = joining_loop(dense, dense->loop)->kernel;
    const struct access *stored = &kernel->accesses[kernel->load_count];
    return dense->loop->kernel->lanes->alone >= 0 ? dense->loop->kernel->lanes->alone
           : access_is_temporary(stored)          ? stored->index
                                                  : -1;
}

/* The array, or the value, that a reduction stores. */
static const char *target_of(struct dense *dense)
{
    const struct aot_loop *own = dense->loop;
    if (!own->kernel->lanes)
        return NULL;
    if (own->kernel->lanes->alone >= 0)
        return temporary_name(dense, own->kernel->lanes->alone);
    dense->loop = joining_loop(dense, own);
    const char *target = host_data(dense, dense->loop->kernel->load_count);
    dense->loop = own;
    return target;
}

struct place_in {
    int depth, points;
    const char *type; /* of a value that is stored, as in struct plain_host */
    struct buf *rooms;
};

/* The array in which the loop leaves what it joins; NULL: it need not. */
static const char *kept_in(struct dense *dense)
{
    const int result = dense->points[loop_number(dense)].kept;
    return result < 0
               ? NULL
               : aot_local(dense->k->arena,
                           aot_operand(dense->k, dense->k->program->input_count + result).name);
}

static const char *loop_text(struct dense *dense, struct place_in at)
{
    struct form form;
    const struct kernel *kernel = dense->loop->kernel;
    unsigned char *kinds = arena_copy(dense->k->arena, dense->loop->classes[0].kinds, (size_t)kernel->access_count);
    const struct emit_params params = {.target = &target_plain, .form = &form, .kinds = kinds, .shown = SHOWN_FULL};
    const struct plain_host host = {dense,
                                    host_extent,
                                    host_data,
                                    host_is_value,
                                    host_is_identity,
                                    host_reads_bytes,
                                    host_fault,
                                    host_shape,
                                    target_of(dense),
                                    at.type,
                                    at.depth,
                                    at.points,
                                    kept_in(dense),
                                    dense->points[loop_number(dense)].known,
                                    at.rooms};
    block_form(kernel, &form);
    return emit_plain(dense->together, kernel, &params, dense->loop->shape, &host);
}

/* Whether the text has nothing but a loop, a statement or a value's definition in the block where it stands. */
static bool is_one(const char *text, const struct kernel *kernel)
{
    static const char mark[] = "INDEPENDENT\n";
    const char *line = text + strspn(text, " ");
    if (strncmp(line, mark, sizeof mark - 1) == 0)
        line += sizeof mark - 1 + strspn(line + sizeof mark - 1, " ");
    return strncmp(line, "for (", 5) == 0 || strchr(line, '\n')[1] == '\0' ||
           (kernel->lanes && !strstr(text, " c_") && !strstr(text, " all = "));
}

/* What rooms had before. */
static struct buf rooms_before(struct dense *dense, struct buf before)
{
    struct buf rooms = buf_new(dense->k->arena);
    if (before.length)
        buf_add(&rooms, before.text, before.length);
    return rooms;
}

/* Adds a loop. What it declares besides values for those behind it has a block of its own, unless it is the only
 * one. */
static void put_loop(struct buf *out, struct dense *dense, int depth, int points, struct buf *rooms)
{
    const struct kernel *kernel = dense->loop->kernel;
    const int reduced = kernel->lanes ? stored_temporary(dense) : -1, indent = 4 * depth;
    const bool value = reduced >= 0 && dense->values[reduced], alone = dense->k->loop_count == 1;
    const char *type = value ? memory_type(dense->k->temporaries[reduced].dtype) : NULL;
    const struct buf before = rooms_before(dense, *rooms);
    struct buf inside = rooms_before(dense, *rooms); /* what a block declares is not there behind it */
    const char *text = loop_text(dense, (struct place_in){depth, points, type, rooms});
    const bool one = is_one(text, kernel);
    for (int a = kernel->load_count; a < kernel->access_count && !kernel->lanes; a++)
        if (host_is_value(dense, a))
            buf_printf(out, "%*s%s%s %s", indent, "", one ? "const " : "",
                       memory_type(kernel->accesses[a].dtype),
                       one ? "" : arena_printf(dense->k->arena, "%s;\n", host_data(dense, a)));
    if (one || alone) {
        buf_puts(out, out->length && out->text[out->length - 1] == ' ' ? text + indent : text);
        return;
    }
    *rooms = before;
    if (value)
        buf_printf(out, "%*s%s %s;\n", indent, "", type, target_of(dense));
    buf_printf(out, "%*s{\n", indent, "");
    buf_puts(out, loop_text(dense, (struct place_in){depth + 1, points, type ? "" : NULL, &inside}));
    buf_printf(out, "%*s}\n", indent, "");
}

/* Loops that take turns, point by point. Returns the one behind them. */
static int put_turns(struct buf *out, struct dense *dense, int p)
{
    const struct aot_points *points = &dense->points[p];
    struct buf rooms = buf_new(dense->k->arena);
    buf_printf(out,
               "    for (int64_t p = 0; p < %s; p++) { /* each row, of which some values are "
               "computed once */\n",
               points->text);
    for (int i = p; i < points->next; i++) {
        dense->loop = &dense->k->loops[i];
        if (!aot_is_left_out(dense->k, dense->loop))
            put_loop(out, dense, 2, points->dimensions, &rooms);
    }
    buf_puts(out, "    }\n");
    return points->next;
}

/* ---- memory between loops ---- */

/* Whether some loop stores it, in memory. */
static bool is_stored(struct dense *dense, int temporary)
{
    const char *name = temporary_name(dense, temporary);
    const struct aot_loop *before = dense->loop;
    bool stored = false;
    for (int p = 0; p < dense->k->loop_count; p++) {
        const struct aot_loop *loop = dense->loop = &dense->k->loops[p];
        const char *target = target_of(dense);
        for (int a = loop->kernel->load_count;
             a < loop->kernel->access_count && !target && !aot_is_left_out(dense->k, loop); a++)
            stored = stored || (access_is_temporary(&loop->kernel->accesses[a]) &&
                                loop->kernel->accesses[a].index == temporary);
        stored = stored || (target && !aot_is_left_out(dense->k, loop) && strcmp(target, name) == 0);
    }
    dense->loop = before;
    return stored && !dense->values[temporary];
}

enum { FEW_BYTES = 4096 }; /* of a temporary that is an array on the stack */

static bool has_few_bytes(const struct temporary *temporary)
{
    const int64_t count = shape_known(temporary->shape) ? shape_volume(temporary->shape) : -1;
    return count > 0 && count <= FEW_BYTES / type_rows[temporary->dtype].size;
}

static void put_free(struct buf *out, struct dense *dense, const char *indent)
{
    for (int t = 0; t < dense->k->temporary_count; t++)
        if (is_stored(dense, t) && !has_few_bytes(&dense->k->temporaries[t]))
            buf_printf(out, "%sfree(%s);\n", indent, temporary_name(dense, t));
}

/* Adds the memory of temporaries. */
static void put_memory(struct buf *out, struct dense *dense)
{
    struct aot_kernel *k = dense->k;
    struct buf missing = buf_new(k->arena);
    for (int t = 0; t < k->temporary_count; t++) {
        if (!is_stored(dense, t))
            continue;
        const char *type = memory_type(k->temporaries[t].dtype), *name = temporary_name(dense, t);
        const char *count = aot_single_count(k, k->temporaries[t].shape);
        if (has_few_bytes(&k->temporaries[t])) {
            buf_printf(out, "    %s %s[%s];\n", type, name, count);
            continue;
        }
        count = count ? count : arena_printf(k->arena, "weft_count(%s)", aot_counted(k, k->temporaries[t].shape));
        buf_printf(out, "    %s *const %s = weft_lend(%s, sizeof *%s);\n", type, name, count, name);
        buf_printf(&missing, "%s!%s", missing.length ? " || " : "", name);
    }
    if (!missing.length)
        return;
    buf_printf(out, "    if (%s) {\n", missing.text);
    put_free(out, dense, "        ");
    buf_puts(out, "        return weft_tell(WEFT_KERNEL_OUT_OF_MEMORY, 0, 0, 0, \"no memory for values that are "
             "computed once\");\n    }\n");
}

/* ---- remarks ---- */

struct remark {
    struct text_place place;
    const char *name;
    bool outside;
};

static struct remark *list_remarks(struct dense *dense, int *count)
{
    struct remark *remarks = NULL;
    *count = 0;
    for (int p = 0; p < dense->k->loop_count; p++) {
        const struct kernel *kernel = dense->k->loops[p].kernel;
        dense->loop = &dense->k->loops[p];
        for (int f = 0; f < kernel->fault_count && !aot_is_left_out(dense->k, dense->loop); f++)
            ARENA_PUSH(dense->k->arena, remarks, *count,
                       ((struct remark){find_place(dense->k->program->source, kernel->faults[f].span.start),
                                        host_fault(dense, f), kernel->faults[f].outside}));
    }
    for (int i = 1; i < *count; i++) /* the first in the text is told */
        for (int j = i; j > 0 && (remarks[j].place.line < remarks[j - 1].place.line ||
                                  (remarks[j].place.line == remarks[j - 1].place.line &&
                                   remarks[j].place.column < remarks[j - 1].place.column)); j--) {
            const struct remark own = remarks[j];
            remarks[j] = remarks[j - 1];
            remarks[j - 1] = own;
        }
    return remarks;
}

static void put_remarks(struct buf *out, const struct remark *remarks, int count)
{
    for (int i = 0; i < count; i++)
        buf_printf(out, "    if (%s)\n        return weft_tell(%s, %zu, %zu, 0, \"%s\");\n", remarks[i].name,
                   remarks[i].outside ? "WEFT_KERNEL_OUT_OF_RANGE" : "WEFT_KERNEL_DIVIDE_BY_ZERO",
                   remarks[i].place.line, remarks[i].place.column,
                   remarks[i].outside ? "a position lies outside, which gives 0"
                                      : "an integer is divided by zero, which gives 0");
}

/* ---- the function ---- */

static void put_statements(struct buf *out, struct dense *dense)
{
    struct aot_kernel *k = dense->k;
    int faults;
    struct buf rooms = buf_new(k->arena);
    dense->points = aot_find_points(k, &dense->values);
    const struct remark *remarks = list_remarks(dense, &faults);
    for (const char *line = k->extents.text; *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    aot_put_checks(out, k);
    for (int i = 0; i < faults; i++)
        buf_printf(out, "    bool %s = false;\n", remarks[i].name);
    put_memory(out, dense);
    for (int p = 0; p < k->loop_count;) {
        dense->loop = &k->loops[p];
        if (dense->points[p].next) {
            p = put_turns(out, dense, p);
            continue;
        }
        if (!aot_is_left_out(dense->k, dense->loop))
            put_loop(out, dense, 1, 0, &rooms);
        p++;
    }
    put_free(out, dense, "    ");
    put_remarks(out, remarks, faults);
}

/* What begins the definition of a number of the call. */
static const char defines[] = "    d[";

static bool is_definition(const char *line)
{
    return strncmp(line, defines, sizeof defines - 1) == 0;
}

/* Whether a number of the call, "d[2]", is read in a text. */
static bool is_read(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (!begins_name(at[-1]) && !is_digit(at[-1]))
            return true;
    return false;
}

/* Takes definitions that nothing reads out of a text, the last one first: what only they read goes, too. */
static void drop_unread(struct arena *arena, char *text)
{
    for (char *line = text + strlen(text); line > text;) {
        do
            line--;
        while (line > text && line[-1] != '\n');
        const char *name = line + sizeof defines - 3, *next = line + strcspn(line, "\n") + 1;
        if (is_definition(line) && !is_read(next, arena_string(arena, name, strcspn(name, " "))))
            memmove(line, next, strlen(next) + 1);
    }
}

/* Adds statements with variables in place of the numbers of the call, d[0] and so on. Those that nothing reads are left
 * out. */
static void put_numbered(struct buf *out, char *text)
{
    drop_unread(out->arena, text);
    for (const char *line = text, *next; *line; line = next) { /* the first one is indented */
        next = line + strcspn(line, "\n") + 1;
        const bool definition = is_definition(line);
        for (const char *at = strstr(line, "&d["); at && at < next; at = strstr(at + 1, "&d["))
            buf_printf(out, "    int64_t " NAME_NUMBER " = 0;\n",
                       atoi(at + 3)); /* a function gives it */
        buf_puts(out, definition ? "    const int64_t " : "");
        for (line += definition ? 4 : 0; line < next; line++)
            if (strncmp(line, "d[", 2) == 0 && is_digit(line[2]) && !begins_name(line[-1]) &&
                !is_digit(line[-1])) {
                buf_printf(out, NAME_NUMBER, atoi(line + 2));
                line = strchr(line, ']');
            } else {
                buf_putc(out, *line);
            }
    }
}

static void put_function(struct buf *out, struct dense *dense)
{
    struct aot_kernel *k = dense->k;
    struct buf statements = buf_new(k->arena);
    put_statements(&statements, dense);
    if (statements.length && strstr(statements.text, " t_"))
        buf_puts(out, "/* t_: a value, numbered as in weft show --stage ir. Behind a line: its piece of the program, "
                      "and the piece's line and column */\n");
    aot_put_heading(out, k);
    buf_puts(out, "\n{\n");
    if (statements.length)
        put_numbered(out, statements.text);
    buf_puts(out, "    return WEFT_KERNEL_OK;\n}\n\n");
    buf_printf(out, "const struct weft_note *%s_note(void)\n{\n    return &weft_told;\n}\n", k->function);
}

/* ---- the file ---- */

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || !(begins_name(at[-1]) || is_digit(at[-1]))) && !begins_name(at[length]) &&
            !is_digit(at[length]))
            return true;
    return false;
}

/* How long the string or comment is that begins here; 0: none does. */
static size_t quoted(const char *text)
{
    const char *end = NULL;
    if (*text == '"')
        for (end = text + 1; *end != '"'; end++)
            end += *end == '\\';
    else if (strncmp(text, "/*", 2) == 0)
        end = strstr(text, "*/") + 1;
    return end ? (size_t)(end + 1 - text) : 0;
}

/* Adds the functions. What they use of the own text that has a kernel's name is called there as it is above them. */
static void put_functions(struct buf *out, struct aot_kernel *const *kernels, int count, const char *text,
                          const char *body)
{
    static const char begin[] = "\nint ";
    const char *const start = text + sizeof begin - 1;
    struct aot_words names, macros;
    aot_find_clashes(kernels, count, body, &names, &macros);
    for (size_t length; *text; text += length) {
        for (length = 0; begins_name(text[length]) || (length && is_digit(text[length])); length++)
            ;
        bool own = false;
        for (int i = 0; i < names.count; i++)
            own = own || (strlen(names.items[i]) == length && strncmp(names.items[i], text, length) == 0);
        length = length ? length : quoted(text) ? quoted(text) : 1;
        const bool defined = text >= start && strncmp(text - (sizeof begin - 1), begin, sizeof begin - 1) == 0;
        if (own && !defined)
            buf_printf(out, NAME_MOVED, arena_string(out->arena, text, length));
        else
            buf_add(out, text, length);
    }
}

/* Adds the types that the text names. */
static void put_types(struct buf *out, const char *text)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        const struct type_row *row = &type_rows[t];
        const char *storage = dtype_is_half(t) ? "uint16_t" : dtype_is_integer(t)
                                  ? arena_printf(out->arena, "%s_t", row->name) : row->storage;
        const char *value = dtype_is_half(t) ? "int" : t == WEFT_BOOL ? "bool" : storage;
        if (has_word(text, row->short_name))
            buf_printf(out, "typedef %s %s;\n", value, row->short_name);
        if (has_word(text, arena_printf(out->arena, "%s_m", row->short_name)))
            buf_printf(out, "typedef %s %s_m;\n", storage, row->short_name);
    }
}

static bool has_call(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (at > text && !begins_name(at[-1]) && !is_digit(at[-1]) && at[length] == '(')
            return true;
    return false;
}

/* Adds a line with C's names of types, which no other line has to define. */
static void put_c_types(struct buf *out, const char *line, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        const char *type = NULL;
        for (step = 0; begins_name(line[i + step]) || is_digit(line[i + step]); step++)
            ;
        for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
            if (dtype_is_float(t) && strlen(type_rows[t].short_name) == step &&
                strncmp(line + i, type_rows[t].short_name, step) == 0)
                type = type_rows[t].storage;
        step = step ? step : 1;
        buf_add(out, type ? type : line + i, type ? strlen(type) : step);
    }
}

/* Declares the C library's functions that the text calls as such that depend on their operands alone: compilers make
 * vectors of these, but not of functions that set errno. */
static void put_constant_functions(struct buf *out, const char *library, const char *text)
{
    struct buf declared = buf_new(out->arena);
    for (const char *line = library ? library : ""; *line; line += strcspn(line, "\n") + 1) {
        const char *name = line + strcspn(line, " \n") + 1;
        const size_t length = strcspn(name, "(;\n");
        if (name[length] == '(' && has_call(text, arena_string(out->arena, name, length))) {
            put_c_types(&declared, line, strcspn(line, ";"));
            buf_puts(&declared, " __attribute__((const));\n");
        }
    }
    if (declared.length)
        buf_printf(out,
                   "#if defined __GNUC__ /* nobody asks for errno, so vectors can be made of their "
                   "calls */\n%s#endif\n",
                   declared.text);
}

static bool has_floats(const char *text)
{
    return text && (has_word(text, "f32") || has_word(text, "f64") || has_word(text, "float") ||
                    has_word(text, "double"));
}

/* Adds the functions of sizes that the text calls, from those that other sources have. */
static void put_size_functions(struct buf *out, const char *text)
{
    static const char *const names[] = {"quotient", "multiple", "padded", "sliced", "size", "bits", "real",
                                        "becomes_infinite", "power_is_real", "rounded"};
    const char *section = aot_shared_section(out->arena, "tensors");
    if (has_call(text, "sliced")) {
        buf_puts(out, aot_section(out->arena, weft_template_slice_h, "slices"));
        buf_puts(out, aot_section(out->arena, weft_template_slice, "slices"));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(section, arena_printf(out->arena, " %s(", names[i]));
        if (!has_call(text, names[i]) || !at)
            continue;
        while (at[-1] != '\n')
            at--;
        buf_printf(out, "\n%.*s\n", (int)(strstr(at, "\n}\n") + 2 - at), at);
    }
}

/* Whether there are helpers of integers. */
static bool has_integers(const char *helpers)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        char call[16];
        snprintf(call, sizeof call, "_%s(", type_rows[t].short_name);
        if (dtype_is_integer(t) && strstr(helpers, call))
            return true;
    }
    return false;
}

#define IMMINTRIN "#if defined __F16C__ || defined __AVX2__\n#include <immintrin.h>\n#endif\n"

void aot_put_dense_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                          const struct aot_params *params)
{
    struct buf functions = buf_new(out->arena), constants = buf_new(out->arena), body = buf_new(out->arena);
    struct dense dense = {.together = emit_start(out->arena, &target_plain), .constants = &constants};
    for (int i = 0; i < count; i++) {
        dense.k = kernels[i];
        for (int p = 0; p < kernels[i]->loop_count; p++)
            if (!aot_is_left_out(dense.k, &kernels[i]->loops[p]))
                put_constants(&dense, p);
        buf_putc(&functions, '\n');
        put_function(&functions, &dense);
    }
    const char *helpers = aot_plain_helpers(out->arena, emit_common(dense.together, "helpers"), functions.text);
    const char *all = arena_printf(out->arena, "%s%s%s", helpers, constants.text, functions.text);
    const char *library = emit_common(dense.together, "library");
    struct buf sizes = buf_new(out->arena);
    put_size_functions(&sizes, all);
    const bool floats = has_floats(all) || has_floats(sizes.text);
    buf_puts(&body, aot_shared_section(out->arena, floats ? "plain guard" : "plain optimized"));
    if (strstr(all, "(f32)") && strstr(all, "(f64)"))
        buf_puts(&body, aot_shared_section(out->arena, "plain rounded"));
    if (has_word(all, "f64") || (sizes.text && has_word(sizes.text, "double")))
        buf_puts(&body, aot_shared_section(out->arena, "plain constants"));
    if (has_word(all, "INDEPENDENT") || has_word(all, "EACH"))
        buf_puts(&body, aot_shared_section(out->arena, "plain independent"));
    if (has_word(all, "INDEPENDENT_FEW"))
        buf_puts(&body, aot_shared_section(out->arena, "plain few"));
    if (has_word(all, "EACH"))
        buf_puts(&body, aot_shared_section(out->arena, "plain each"));
    buf_putc(&body, '\n');
    put_types(&body, all);
    if (has_word(all, "IS_CONSTANT"))
        buf_puts(&body, "#define IS_CONSTANT(x) 0\n");
    if (sizes.length)
        buf_printf(&body, "#define SHARED static inline\n");
    put_constant_functions(&body, library, all);
    buf_puts(&body, sizes.text);
    if (has_integers(all) || strstr(functions.text, "> 0) - (")) /* a sign's, of an unsigned type, too */
        buf_puts(&body, aot_shared_section(out->arena, "plain warnings"));
    if (has_word(all, "__F16C__"))
        buf_puts(&body, aot_shared_section(out->arena, "plain unused"));
    buf_puts(&body, helpers);
    buf_puts(&body, constants.text);
    buf_puts(&body, aot_shared_section(out->arena, "plain told"));
    if (has_word(all, "weft_count"))
        buf_puts(&body, aot_shared_section(out->arena, "plain count"));
    if (has_word(all, "weft_lend"))
        buf_puts(&body, aot_shared_section(out->arena, "plain memory"));
    const char *includes = arena_printf(
        out->arena, "#include \"%s.h\"\n%s%s%s%s\n", name,
        has_word(all, "__F16C__") || has_word(all, "__AVX2__") || has_word(all, "__AVX512F__") ? IMMINTRIN : "",
        has_word(all, "INFINITY") || has_word(all, "NAN") || (library && *library)
            ? "#include <math.h>\n"
            : "",
        has_word(all, "weft_lend") ? "#include <stdlib.h>\n" : "",
        has_word(all, "memcpy") || strstr(sizes.text, "memcpy") ? "#include <string.h>\n" : "");
    buf_printf(out, "/* Made by weft build from %s. See %s.h. */\n", params->file, name);
    aot_put_body(out, kernels, count, includes, "", body.text);
    put_functions(out, kernels, count, functions.text, body.text);
}
