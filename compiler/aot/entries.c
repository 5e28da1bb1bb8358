/* Writes the functions that callers of ahead-of-time kernels see: for each kernel one on dense arrays, one on any
 * strides, one that infers shapes, one for many samples, and one that says more about a failure. Inside them, Weft's
 * own names begin with weft_, which names of parameters do not. */
#include "compiler/aot/print_impl.h"

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"

#include <string.h>

/* Whether a parameter is a single integer that sizes are made of. */
static bool is_size(const struct aot_kernel *k, int number)
{
    const struct program *program = k->program;
    return number < program->input_count && program->reads && program->reads[number] && !k->inputs[number]->rank;
}

/* A type that C lacks is the unsigned integer with its bits. */
static const char *c_type(struct arena *arena, enum weft_dtype dtype)
{
    const struct type_row *row = &type_rows[dtype];
    return dtype_is_half(dtype)      ? arena_printf(arena, "uint%d_t", row->bits)
           : dtype_is_integer(dtype) ? arena_printf(arena, "%s_t", row->name)
           : dtype == WEFT_BOOL      ? "bool"
                                     : row->storage;
}

/* ---- operands ---- */

struct aot_operand aot_operand(struct aot_kernel *k, int number)
{
    const struct program *program = k->program;
    if (number < program->input_count) {
        const struct symbol *symbol = &program->symbols[program->inputs[number]];
        const enum weft_dtype dtype = symbol->type.number ? WEFT_FLOAT64 : symbol->type.dtype;
        return (struct aot_operand){symbol->name, k->inputs[number], dtype, false, input_layout(symbol),
                                    symbol->type.dims};
    }
    const struct result *result = &program->results[number - program->input_count];
    const char *layout = k->layouts[result->node];
    return (struct aot_operand){result->name, k->shapes[result->node], result->dtype, true, layout ? layout : "",
                                program->dims ? program->dims[result->node] : NULL};
}

int aot_operand_count(const struct aot_kernel *k)
{
    return k->program->input_count + k->program->result_count;
}

/* ---- lists of parameters ---- */

enum entry { ENTRY_DENSE, ENTRY_STRIDED, ENTRY_SHAPE, ENTRY_BATCH, ENTRY_COUNT };

static bool is_made(const struct aot_kernel *k, enum entry entry)
{
    static const enum weft_entry bits[ENTRY_COUNT] = {WEFT_ENTRY_DENSE, WEFT_ENTRY_STRIDED, WEFT_ENTRY_SHAPE,
                                                      WEFT_ENTRY_BATCH};
    return k->entries & bits[entry];
}

struct parameter {
    const char *type, *name;
};

struct parameters {
    struct parameter *items;
    int count;
};

static void add_parameter(struct aot_kernel *k, struct parameters *list, const char *type, const char *name)
{
    ARENA_PUSH(k->arena, list->items, list->count, ((struct parameter){type, name}));
}

/* Adds sizes in the order in which parameters use them. */
static void add_sizes(struct aot_kernel *k, struct parameters *list)
{
    bool *done = ARENA_ARRAY(k->arena, bool, k->extent_count + 1);
    for (int i = 0; i < k->program->input_count; i++)
        for (int d = 0; d < k->inputs[i]->rank; d++) {
            const int64_t extent = k->inputs[i]->extents[d];
            if (extent >= 0 || done[EXTENT_VARIABLE - extent])
                continue;
            done[EXTENT_VARIABLE - extent] = true;
            add_parameter(k, list, "int64_t ", aot_size_name(k, (int)(EXTENT_VARIABLE - extent)));
        }
}

/* Adds the data of an operand. A single element is passed by value. */
static void add_data(struct aot_kernel *k, struct parameters *list, const struct aot_operand *o)
{
    const char *form = o->result ? "%s *" : o->shape->rank ? "const %s *" : "%s ";
    add_parameter(k, list, arena_printf(k->arena, form, c_type(k->arena, o->dtype)), o->name);
}

static void add_operand(struct aot_kernel *k, struct parameters *list, enum entry entry, const struct aot_operand *o)
{
    if (entry == ENTRY_DENSE || entry == ENTRY_STRIDED)
        add_data(k, list, o);
    if (entry == ENTRY_STRIDED && o->shape->rank) {
        add_parameter(k, list, "const int64_t *", arena_printf(k->arena, "%s_shape", o->name));
        add_parameter(k, list, "const int64_t *", arena_printf(k->arena, "%s_strides", o->name));
    }
    if (entry == ENTRY_SHAPE && o->shape->rank)
        add_parameter(k, list, o->result ? "int64_t *" : "const int64_t *",
                      arena_printf(k->arena, "%s_shape", o->name));
    if (entry != ENTRY_BATCH)
        return;
    add_parameter(k, list, "const struct weft_array *", o->name);
    if (!o->result)
        add_parameter(k, list, "int64_t ", arena_printf(k->arena, "%s_step", o->name));
}

static struct parameters list_parameters(struct aot_kernel *k, enum entry entry)
{
    struct parameters list = {NULL, 0};
    if (entry == ENTRY_BATCH)
        add_parameter(k, &list, "int64_t ", "weft_samples");
    for (int i = 0; i < aot_operand_count(k); i++) {
        const struct aot_operand o = aot_operand(k, i);
        if (entry == ENTRY_DENSE && i == k->program->input_count)
            add_sizes(k, &list);
        if (entry == ENTRY_SHAPE && is_size(k, i))
            add_parameter(k, &list, "int64_t ", o.name);
        add_operand(k, &list, entry, &o);
    }
    if (k->target->device && entry != ENTRY_SHAPE)
        add_parameter(k, &list, "void *", "weft_stream");
    return list;
}

bool aot_check_parameters(struct aot_kernel *k)
{
    bool good = true;
    for (int entry = 0; entry < ENTRY_COUNT && good; entry++) {
        const struct parameters list = is_made(k, entry) ? list_parameters(k, entry) : (struct parameters){NULL, 0};
        struct map names = {.arena = k->arena};
        for (int i = 0; i < list.count && good; i++) {
            const char *name = list.items[i].name;
            if (map_find(&names, name, strlen(name)) >= 0)
                good = diag(k->program->diags, DIAG_AOT_PARAMETERS, k->program->name_span, k->program->name, name);
            map_put(&names, name, strlen(name), i);
        }
    }
    return good;
}

static const char *entry_name(struct aot_kernel *k, enum entry entry)
{
    static const char *const suffixes[ENTRY_COUNT] = {"", "_strided", "_shape", "_batch"};
    return arena_printf(k->arena, "%s%s", k->function, suffixes[entry]);
}

/* Writes the head of an entry in lines of at most 100 characters. */
static void put_list(struct buf *out, const char *name, const struct parameters *list)
{
    size_t column = strlen("int (") + strlen(name), indent = column;
    buf_printf(out, "int %s(", name);
    for (int i = 0; i < list->count; i++) {
        const size_t length = strlen(list->items[i].type) + strlen(list->items[i].name) + 2;
        const bool wrap = column + length > 100;
        if (i)
            buf_puts(out, wrap ? ",\n" : ", ");
        if (i && wrap)
            buf_printf(out, "%*s", (int)indent, "");
        buf_printf(out, "%s%s", list->items[i].type, list->items[i].name);
        column = (i && wrap ? indent : column) + length;
    }
    buf_puts(out, list->count ? ")" : "void)");
}

static void put_heading(struct buf *out, struct aot_kernel *k, enum entry entry)
{
    const struct parameters list = list_parameters(k, entry);
    put_list(out, entry_name(k, entry), &list);
}

void aot_put_heading(struct buf *out, struct aot_kernel *k)
{
    struct parameters list = list_parameters(k, ENTRY_DENSE);
    for (int i = 0; i < list.count; i++)
        list.items[i].name = aot_local(k->arena, list.items[i].name);
    put_list(out, entry_name(k, ENTRY_DENSE), &list);
}

/* ---- the header ---- */

/* A type with names, inside a comment: what would end the comment, in a label, is told apart. */
static void put_named_type(struct buf *out, struct aot_kernel *k, const struct aot_operand *o)
{
    const char *text = named_type_text(k->arena, k->program, o->dtype, o->dims, o->shape->extents);
    for (; *text; text++)
        buf_printf(out, "%c%s", *text, text[0] == '*' && text[1] == '/' ? " " : "");
}

static void put_type(struct buf *out, struct aot_kernel *k, const struct aot_operand *o)
{
    if (o->dims) {
        put_named_type(out, k, o);
        return;
    }
    buf_printf(out, "%s[", type_rows[o->dtype].name);
    for (int d = 0; d < o->shape->rank; d++) {
        const int64_t extent = o->shape->extents[d];
        const int number = (int)(EXTENT_VARIABLE - extent);
        const bool named = extent < 0 && number < k->program->size_variable_count;
        const char *open = named ? k->program->size_variables[number] : "?";
        buf_printf(out, "%s%s", d ? ", " : "", extent >= 0 ? aot_extent(k, extent) : open);
    }
    buf_printf(out, "]%s%s", *o->layout ? "@" : "", o->layout);
}

/* Writes the kernel's parameters and results as the text declares them. */
static void put_signature(struct buf *out, struct aot_kernel *k)
{
    buf_printf(out, "/* ---- kernel %s ----\n *\n", k->program->name);
    for (int i = 0; i < aot_operand_count(k); i++) {
        const struct aot_operand o = aot_operand(k, i);
        buf_printf(out, " *     %-9s %s: ", o.result ? "result" : "parameter", o.name);
        if (i < k->program->input_count && k->program->symbols[k->program->inputs[i]].type.number)
            buf_puts(out, "number");
        else
            put_type(out, k, &o);
        buf_putc(out, '\n');
    }
    buf_puts(out, " */\n\n");
}

/* Adds what results may share memory with, and ends the comment. `own`: of parameters with the same extents alone, and
 * all is dense. */
static void put_overlap(struct buf *out, struct aot_kernel *k, bool own)
{
    const int inputs = k->program->input_count;
    const char *const first = own ? " * " : " * Where extents and strides are the same, ";
    int told = 0;
    for (int o = inputs; o < aot_operand_count(k); o++) {
        const struct aot_operand result = aot_operand(k, o);
        int count = 0;
        for (int i = 0; i < inputs; i++) {
            const struct aot_operand input = aot_operand(k, i);
            if (!k->replaces[(o - inputs) * inputs + i] || input.dtype != result.dtype || !input.shape->rank ||
                (own && !shapes_equal(input.shape, result.shape)))
                continue;
            if (count++)
                buf_printf(out, " or %s", input.name);
            else
                buf_printf(out, "%s%s may be the very array of %s", told ? ";\n * " : first, result.name, input.name);
        }
        told += count > 0;
    }
    buf_printf(out, "%s result may overlap a parameter or another result. */\n",
               !told ? " * No" : own ? "; else no" : ";\n * else no");
}

static const char *const comments[ENTRY_COUNT] = {
    "/* On dense arrays, row-major. Extents that are not numbers are parameters.\n",
    "/* On arrays with any strides, in elements; strides NULL: dense. Extents that are not numbers broadcast as\n"
    " * NumPy's do; those of a result are what %s_shape gives.\n",
    "/* The extents of the results from those of the parameters. */\n",
    "/* On many samples: sample i of a parameter is parameter[i * step], so step 1 is an array of samples, and step 0\n"
    " * one array for all; results have one for each. Shapes may differ from sample to sample. */\n"};

static void put_declarations(struct buf *out, struct aot_kernel *k)
{
    put_signature(out, k);
    for (int entry = 0; entry < ENTRY_COUNT; entry++) {
        if (!is_made(k, entry))
            continue;
        buf_printf(out, entry == ENTRY_STRIDED ? comments[ENTRY_STRIDED] : "%s",
                   entry == ENTRY_STRIDED ? k->function : comments[entry]);
        if (entry == ENTRY_DENSE || entry == ENTRY_STRIDED)
            put_overlap(out, k, entry == ENTRY_DENSE);
        put_heading(out, k, entry);
        buf_puts(out, ";\n\n");
    }
    if (k->target->device)
        buf_printf(out, "/* Once the caller has synchronized: WEFT_KERNEL_DIVIDE_BY_ZERO where a call since the last "
                   "question\n"
                   " * divided an integer by zero, on whichever stream; its note tells where. */\n"
                   "int %s_status(void);\n\n"
                   "/* Gives back what this file keeps on GPUs: loaded kernels, and constants that they read. All its "
                   "work is\n"
                   " * done by then, and no graph has any left. A later call loads them again. */\n"
                   "void %s_release(void);\n\n", k->function, k->function);
    buf_printf(out, "/* What the last call of this thread that did not return WEFT_KERNEL_OK has to say; all zero\n"
               " * before one. It stays as it is until the next such call. */\n"
               "const struct weft_note *%s_note(void);\n\n", k->function);
}

static const char cuda_comment[] =
    "/* Kernels for NVIDIA's GPUs. Pointers to data lead to memory of the GPU; shapes, strides and arrays without\n"
    " * dimensions stand in the host's, and are read during the call. weft_stream is a CUstream or a cudaStream_t of\n"
    " * that GPU, NULL its legacy default stream. A call puts its work on the stream, in the stream's context, and\n"
    " * waits for nothing; without a stream's handle it is the thread's current context, and where there is none the\n"
    " * first GPU's primary one. The first call on a GPU loads the kernel there, which may synchronize. No CUDA is\n"
    " * needed to compile or link this: link with -ldl. Without a driver, without a GPU, or on one that there is no\n"
    " * code for, calls return WEFT_KERNEL_UNSUPPORTED and note what is missing. */\n\n";

void aot_put_header(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params)
{
    buf_printf(out, "/* Made by weft build from %s: change that file, and run weft build again. */\n", params->file);
    buf_printf(out, "#ifndef " NAME_GUARD "\n#define " NAME_GUARD "\n\n", name, name);
    buf_puts(out, "#include <stdbool.h>\n#include <stdint.h>\n\n");
    buf_puts(out, aot_section(out->arena, weft_template_aot_h, "types"));
    bool arrays = false;
    for (int i = 0; i < count; i++)
        arrays = arrays || !kernels[i]->plain;
    buf_puts(out, arrays ? aot_section(out->arena, weft_template_aot_h, "array") : "");
    buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (params->target == AOT_CUDA)
        buf_puts(out, cuda_comment);
    for (int i = 0; i < count; i++)
        put_declarations(out, kernels[i]);
    buf_puts(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- definitions ---- */

/* Adds an array that the entry's parameters describe. */
static void put_array(struct aot_list *list, struct aot_kernel *k, enum entry entry, int number)
{
    const struct aot_operand o = aot_operand(k, number);
    if (entry == ENTRY_STRIDED && o.shape->rank)
        aot_list_add(list, "WEFT_ARRAY(%s, %s_shape, %s_strides)", o.name, o.name, o.name);
    else if (o.result || !o.shape->rank)
        aot_list_add(list, "WEFT_ARRAY(%s%s, NULL, NULL)", o.result ? "" : "&", o.name);
    else
        aot_list_add(list, "WEFT_ARRAY(%s, " NAME_GIVEN_SHAPE ", NULL)", o.name, number);
}

static void put_shapes(struct buf *out, struct aot_kernel *k)
{
    for (int i = 0; i < k->program->input_count; i++) {
        if (!k->inputs[i]->rank)
            continue;
        buf_printf(out, "    const int64_t " NAME_GIVEN_SHAPE "[] = {", i);
        for (int d = 0; d < k->inputs[i]->rank; d++) {
            const int64_t extent = k->inputs[i]->extents[d];
            const char *text = extent >= 0 ? aot_extent(k, extent) : aot_size_name(k, (int)(EXTENT_VARIABLE - extent));
            buf_printf(out, "%s%s", d ? ", " : "", text);
        }
        buf_puts(out, "};\n");
    }
}

/* Where the last note of the file is. */
static const char *note_of(const struct aot_kernel *k)
{
    return k->target->device ? "&weft_last_note" : "&weft_told";
}

static const char *last_argument(const struct aot_kernel *k)
{
    return k->target->device ? "weft_stream" : note_of(k);
}

static void put_run(struct buf *out, struct aot_kernel *k, enum entry entry)
{
    put_heading(out, k, entry);
    buf_puts(out, "\n{\n");
    if (entry == ENTRY_DENSE)
        put_shapes(out, k);
    struct aot_list list = {out, "    const struct weft_array weft_arrays[] = {", NULL, 0};
    for (int i = 0; i < aot_operand_count(k); i++)
        put_array(&list, k, entry, i);
    aot_list_end(&list, "};\n");
    buf_printf(out, "    return weft_run_one(&" NAME_TABLES ", weft_arrays, %s);\n}\n\n", k->program->name,
               last_argument(k));
}

/* Writes the values of sizes, in the types of their parameters. Returns false if there are none. */
static bool put_values(struct buf *out, struct aot_kernel *k)
{
    struct buf list = buf_new(k->arena);
    bool any = false;
    for (int i = 0; i < k->program->input_count; i++) {
        const struct aot_operand o = aot_operand(k, i);
        const char *type = c_type(k->arena, o.dtype);
        const bool number = k->program->symbols[k->program->inputs[i]].type.number;
        if (is_size(k, i))
            buf_printf(out, "    const %s weft_value_%d = (%s)%s;\n", type, i, type, o.name);
        else if (number) /* no extent depends on it, and NaN passes all checks */
            buf_printf(out, "    const double weft_value_%d = real(INT64_C(0x7ff8000000000000));\n", i);
        any = any || is_size(k, i) || number;
        buf_puts(&list, is_size(k, i) || number ? arena_printf(k->arena, "&weft_value_%d, ", i) : "NULL, ");
    }
    if (any)
        buf_printf(out, "    const void *const weft_values[] = {%sNULL};\n", list.text);
    return any;
}

static void put_shape(struct buf *out, struct aot_kernel *k, enum entry entry)
{
    const int inputs = k->program->input_count;
    put_heading(out, k, entry);
    buf_puts(out, "\n{\n");
    for (int list = 0; list < 2; list++) {
        buf_puts(out, list ? "    int64_t *const weft_results[] = {" : "    const int64_t *const weft_shapes[] = {");
        for (int i = list ? inputs : 0; i < (list ? aot_operand_count(k) : inputs); i++) {
            const struct aot_operand o = aot_operand(k, i);
            buf_printf(out, "%s%s, ", o.shape->rank ? o.name : "NULL", o.shape->rank ? "_shape" : "");
        }
        buf_puts(out, "NULL};\n");
    }
    const char *values = put_values(out, k) ? "weft_values" : "NULL";
    buf_printf(out, "    return weft_infer(&" NAME_TABLES ", weft_shapes, %s, weft_results, %s);\n}\n\n",
               k->program->name, values, note_of(k));
}

static void put_batch(struct buf *out, struct aot_kernel *k, enum entry entry)
{
    put_heading(out, k, entry);
    buf_puts(out, "\n{\n    const struct weft_array *const weft_arrays[] = {");
    for (int i = 0; i < aot_operand_count(k); i++)
        buf_printf(out, "%s%s", i ? ", " : "", aot_operand(k, i).name);
    buf_puts(out, "};\n    const int64_t weft_steps[] = {");
    for (int i = 0; i < aot_operand_count(k); i++)
        buf_printf(out, i < k->program->input_count ? "%s%s_step" : "%s1%.0s", i ? ", " : "", aot_operand(k, i).name);
    buf_printf(out, "};\n    return weft_run(&" NAME_TABLES ", weft_samples, weft_arrays, weft_steps, %s);\n}\n\n",
               k->program->name, last_argument(k));
}

void aot_put_entries(struct buf *out, struct aot_kernel *k)
{
    buf_putc(out, '\n');
    for (int entry = 0; entry < ENTRY_COUNT; entry++)
        if (is_made(k, entry))
            (entry == ENTRY_SHAPE ? put_shape : entry == ENTRY_BATCH ? put_batch : put_run)(out, k, entry);
    if (k->target->device)
        buf_printf(out, "int %s_status(void)\n{\n    return weft_status(&" NAME_TABLES ");\n}\n\n"
                   "void %s_release(void)\n{\n    weft_release();\n}\n\n", k->function, k->program->name, k->function);
    buf_printf(out, "const struct weft_note *%s_note(void)\n{\n    return %s;\n}\n", k->function, note_of(k));
}
