/* Writes the source of kernels whose dense entries alone are made: each is one function of plain C11 with loops that C
 * compilers make vectors of (compiler/emit/plain.c), and checks of its arguments. It needs no other file. */
#include "compiler/aot/print_impl.h"

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"

#include <stdio.h>
#include <string.h>

struct dense {
    struct aot_kernel *k;
    const struct aot_loop *loop;
    struct emit_together *together;
    struct buf *constants;         /* tables of array literals */
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

static void put_constants(struct dense *dense, int p)
{
    const struct kernel *kernel = dense->k->loops[p].kernel;
    bool *done = ARENA_ARRAY(dense->k->arena, bool, kernel->constant_count + 1);
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        if (access->kind == TENSOR_CONSTANT && !done[access->index])
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
           (access->kind == TENSOR_INPUT && !dense->k->inputs[access->index]->rank);
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

/* Lanes that a loop leaves are joined in the loop itself. */
static bool is_left_out(const struct aot_loop *loop)
{
    return loop->kernel->lanes && loop->kernel->lanes->partial;
}

/* The array that a reduction stores. */
static const char *target_of(struct dense *dense)
{
    const struct kernel *kernel = dense->loop->kernel;
    return !kernel->lanes              ? NULL
           : kernel->lanes->alone >= 0 ? temporary_name(dense, kernel->lanes->alone)
                                       : host_data(dense, kernel->load_count);
}

/* Several have a block each. */
static void put_loop(struct buf *out, struct dense *dense, bool alone)
{
    struct form form;
    const struct kernel *kernel = dense->loop->kernel;
    unsigned char *kinds = arena_copy(dense->k->arena, dense->loop->classes[0].kinds, (size_t)kernel->access_count);
    const struct emit_params params = {.target = &target_plain, .form = &form, .kinds = kinds, .shown = SHOWN_FULL};
    const struct plain_host host = {dense, host_extent, host_data, host_is_value, host_reads_bytes, host_fault,
                                    host_shape, target_of(dense)};
    block_form(kernel, &form);
    const char *text = emit_plain(dense->together, kernel, &params, dense->loop->shape, &host);
    if (alone || strncmp(text, "    for (", 9) == 0) { /* it declares nothing outside of its loop */
        buf_puts(out, text);
        return;
    }
    buf_puts(out, "    {\n");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    buf_puts(out, "    }\n");
}

/* ---- memory between loops ---- */

static bool is_stored(struct dense *dense, int temporary)
{
    const char *name = temporary_name(dense, temporary);
    const struct aot_loop *before = dense->loop;
    bool stored = false;
    for (int p = 0; p < dense->k->loop_count; p++) {
        const struct aot_loop *loop = dense->loop = &dense->k->loops[p];
        const char *target = target_of(dense);
        for (int a = loop->kernel->load_count; a < loop->kernel->access_count && !target && !is_left_out(loop); a++)
            stored = stored || (access_is_temporary(&loop->kernel->accesses[a]) &&
                                loop->kernel->accesses[a].index == temporary);
        stored = stored || (target && !is_left_out(loop) && strcmp(target, name) == 0);
    }
    dense->loop = before;
    return stored;
}

static void put_free(struct buf *out, struct dense *dense, const char *indent)
{
    for (int t = 0; t < dense->k->temporary_count; t++)
        if (is_stored(dense, t))
            buf_printf(out, "%sfree(%s);\n", indent, temporary_name(dense, t));
}

/* How many elements a shape has, if that is a number or one extent; else NULL. */
static const char *single_count(struct aot_kernel *k, const struct shape *shape)
{
    int64_t known = 1;
    int open = -1;
    for (int d = 0; d < shape->rank; d++) {
        known *= shape->extents[d] >= 0 ? shape->extents[d] : 1;
        open = shape->extents[d] >= 0 ? open : open == -1 ? d : -2;
    }
    if (open == -1)
        return arena_printf(k->arena, "%lld", (long long)known);
    return open >= 0 && known == 1 ? aot_extent(k, shape->extents[open]) : NULL;
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
        const char *count = single_count(k, k->temporaries[t].shape);
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
        for (int f = 0; f < kernel->fault_count && !is_left_out(dense->loop); f++)
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

/* How many elements an operand has. */
struct count {
    const char *text;              /* a number or a name; NULL: it is a value */
    const char *factors;           /* of the variable that is declared for it, as aot_counted has them; else NULL */
};

/* The first of the counts that is as this operand's; the operand itself if there is none before. */
static int first_like(const struct count *counts, int o)
{
    int i = 0;
    while (i < o && !(counts[i].text && strcmp(counts[i].text, counts[o].text) == 0))
        i++;
    return i;
}

/* Finds operand o's count, behind those before it. With several extents that are not known it is a variable, which is
 * declared where it is new. */
static void find_count(struct buf *out, struct aot_kernel *k, int o, struct count *counts)
{
    const struct aot_operand own = aot_operand(k, o);
    const struct shape *shape = own.shape;
    counts[o].text = single_count(k, shape);
    if (!counts[o].text)
        counts[o].factors = aot_counted(k, shape);
    for (int i = 0; i < o && !counts[o].text; i++)
        if (counts[i].factors && strcmp(counts[i].factors, counts[o].factors) == 0)
            counts[o] = counts[i];
    if (!counts[o].text) {
        counts[o].text = arena_printf(k->arena, "count_%s", own.name);
        buf_printf(out, "    const int64_t %s = weft_count(%s);\n", counts[o].text, counts[o].factors);
    }
}

/* Adds the checks of an array: its extents, its address, and, of a result, what it overlaps. */
static void put_check(struct buf *out, struct aot_kernel *k, int o, const struct count *counts)
{
    const int inputs = k->program->input_count;
    const struct aot_operand own = aot_operand(k, o);
    const char *name = aot_local(k->arena, own.name), *count = counts[o].text;
    const bool known = is_digit(*count);
    const int size = type_rows[own.dtype].size;
    if (!known && first_like(counts, o) == o)
        buf_printf(out, "    if (%s < 0 || %s > INT64_MAX / 16)\n        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, "
                   "0, \"%s\", \"an extent is negative, or too large\");\n", count, count, own.name);
    buf_printf(out, "    if (%s%s(!%s", known ? "" : count, known ? "" : " && ", name);
    if (size > 1)
        buf_printf(out, " || (uintptr_t)%s %% sizeof *%s", name, name);
    buf_printf(out, "))\n        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, \"%s\", \"it is NULL%s\");\n",
               own.name, size > 1 ? ", or not aligned" : "");
    for (int i = 0; own.result && i < o; i++) {
        const struct aot_operand other = aot_operand(k, i);
        const char *from = aot_local(k->arena, other.name), *elements = counts[i].text;
        if (!elements)
            continue;
        const bool may = i < inputs && k->replaces[(o - inputs) * inputs + i] && other.dtype == own.dtype &&
                         strcmp(elements, count) == 0;
        buf_puts(out, "    if (");
        if (may)
            buf_printf(out, "%s != %s && ", name, from);
        if (strcmp(elements, count) != 0) /* else an empty one meets none */
            buf_printf(out, "%s%s%s%s", known ? "" : count, known ? "" : " && ", is_digit(*elements) ? "" : elements,
                       is_digit(*elements) ? "" : " && ");
        buf_printf(out, "(uintptr_t)%s < (uintptr_t)(%s + %s) && (uintptr_t)%s < (uintptr_t)(%s + %s))\n"
                   "        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, \"%s\", \"it overlaps %s\");\n",
                   name, from, elements, from, name, count, own.name, other.name);
    }
}

static void put_checks(struct buf *out, struct aot_kernel *k)
{
    struct count *counts = ARENA_ARRAY(k->arena, struct count, aot_operand_count(k) + 1);
    for (int o = 0; o < aot_operand_count(k); o++) {
        const struct aot_operand own = aot_operand(k, o);
        if (own.result || own.shape->rank)
            find_count(out, k, o, counts);
    }
    for (int o = 0; o < aot_operand_count(k); o++)
        if (counts[o].text)
            put_check(out, k, o, counts);
}

static void put_function(struct buf *out, struct dense *dense)
{
    struct aot_kernel *k = dense->k;
    int faults;
    const struct remark *remarks = list_remarks(dense, &faults);
    aot_put_heading(out, k);
    buf_puts(out, "\n{\n");
    if (strstr(k->extents.text, "d["))
        buf_printf(out, "    int64_t d[%d]; /* extents, and other numbers of the call */\n    (void)d;\n",
                   k->extent_count + 1);
    for (const char *line = k->extents.text; *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    put_checks(out, k);
    for (int i = 0; i < faults; i++)
        buf_printf(out, "    bool %s = false;\n", remarks[i].name);
    put_memory(out, dense);
    for (int p = 0; p < k->loop_count; p++) {
        dense->loop = &k->loops[p];
        if (!is_left_out(dense->loop))
            put_loop(out, dense, k->loop_count == 1);
    }
    put_free(out, dense, "    ");
    put_remarks(out, remarks, faults);
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

/* Takes out of the helpers what they do not use, and conditions that go on. */
static const char *put_together(struct arena *arena, const char *helpers)
{
    static const char *const types[] = {"union word_f32", "union word_f64", "struct hyperbolic_f32",
                                        "struct hyperbolic_f64"};
    static const char again[] = "#endif\n#ifdef OWN_MATH\n";
    struct buf text = buf_new(arena);
    bool other = false;            /* the condition has another branch */
    for (const char *line = helpers, *next; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        other = strncmp(line, "#if", 3) == 0 ? strncmp(line, again + 7, next - line) != 0
                                             : other || strncmp(line, "#el", 3) == 0;
        if (!other && strncmp(line, again, sizeof again - 1) == 0)
            next = line + sizeof again - 1;
        else {
            const char *end = next;
            for (size_t i = 0; i < sizeof types / sizeof *types; i++)
                if (strncmp(line, types[i], strlen(types[i])) == 0 && !strstr(next, types[i]))
                    end = strstr(line, "};\n") + 3;
            if (end == next)
                buf_add(&text, line, (size_t)(next - line));
            next = end;
        }
    }
    return text.length ? text.text : "";
}

void aot_put_dense_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                          const struct aot_params *params)
{
    struct buf functions = buf_new(out->arena), constants = buf_new(out->arena), body = buf_new(out->arena);
    struct dense dense = {.together = emit_start(out->arena, &target_plain), .constants = &constants};
    for (int i = 0; i < count; i++) {
        dense.k = kernels[i];
        for (int p = 0; p < kernels[i]->loop_count; p++)
            if (!is_left_out(&kernels[i]->loops[p]))
                put_constants(&dense, p);
        buf_putc(&functions, '\n');
        put_function(&functions, &dense);
    }
    const char *helpers = put_together(out->arena, emit_common(dense.together, "helpers"));
    const char *all = arena_printf(out->arena, "%s%s%s", helpers, constants.text, functions.text);
    const char *library = emit_common(dense.together, "library");
    struct buf sizes = buf_new(out->arena);
    put_size_functions(&sizes, all);
    buf_puts(&body, aot_shared_section(out->arena, "plain guard"));
    buf_putc(&body, '\n');
    put_types(&body, arena_printf(out->arena, "%s%s", all, library));
    if (has_word(all, "IS_CONSTANT"))
        buf_puts(&body, "#define IS_CONSTANT(x) 0\n");
    if (sizes.length)
        buf_printf(&body, "#define SHARED static inline\n");
    buf_puts(&body, library);
    buf_puts(&body, sizes.text);
    if (has_integers(helpers))
        buf_puts(&body, aot_shared_section(out->arena, "plain warnings"));
    buf_puts(&body, helpers);
    buf_puts(&body, constants.text);
    buf_puts(&body, aot_shared_section(out->arena, "plain told"));
    if (has_word(all, "weft_count"))
        buf_puts(&body, aot_shared_section(out->arena, "plain count"));
    if (has_word(all, "weft_lend"))
        buf_puts(&body, aot_shared_section(out->arena, "plain memory"));
    const char *includes = arena_printf(
        out->arena, "#include \"%s.h\"\n%s%s%s\n", name,
        has_word(all, "INFINITY") || has_word(all, "NAN") || has_word(all, "FMAF") ? "#include <math.h>\n" : "",
        has_word(all, "weft_lend") ? "#include <stdlib.h>\n" : "",
        has_word(all, "memcpy") || strstr(sizes.text, "memcpy") ? "#include <string.h>\n" : "");
    buf_printf(out, "/* Made by weft build from %s. See %s.h. */\n", params->file, name);
    aot_put_body(out, kernels, count, includes, "", body.text);
    buf_puts(out, functions.text);
}
