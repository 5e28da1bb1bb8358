/* Writes the C source of CUDA kernels ahead of time: machine code as arrays of words, tables, a launcher
 * (templates/aot/cuda_*.c), and the functions for callers. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers over a whole file ---- */

struct device_sizes {
    int classes, constants, faults; /* the numbers of all of them */
    size_t args, table, batch;     /* in words, the largest of any class */
};

static void number_loop(struct aot_loop *loop, struct device_sizes *sizes)
{
    loop->constant = sizes->constants;
    loop->fault = sizes->faults;
    sizes->constants = aot_literal_constant(loop) + 1;
    sizes->faults += loop->kernel->fault_count;
    for (int c = 0; c < loop->class_count; c++) {
        const struct form *form = &loop->classes[c].form;
        const size_t args = form_args_words(form), table = form_sample_words(form) + form_geometry_words(form);
        loop->classes[c].number = sizes->classes++;
        sizes->args = args > sizes->args ? args : sizes->args;
        if (loop->classes[c].batch)
            sizes->batch = table > sizes->batch ? table : sizes->batch;
        else if (form->many)
            sizes->table = table > sizes->table ? table : sizes->table;
    }
}

static struct device_sizes number_all(struct aot_kernel *const *kernels, int count)
{
    struct device_sizes sizes = {.constants = 0};
    for (int i = 0; i < count; i++)
        for (int p = 0; p < kernels[i]->loop_count; p++)
            number_loop(&kernels[i]->loops[p], &sizes);
    return sizes;
}

static void put_device_sizes(struct buf *out, const struct device_sizes *sizes, const struct aot_params *params)
{
    buf_printf(out, "\nenum {\n    CLASSES = %d, /* kernels on the GPU */\n    CONSTANTS = %d,\n    FAULT_BYTES = %d,\n"
               "    ARGS_WORDS = %zu, /* of a kernel's arguments */\n    TABLE_WORDS = %zu, /* and behind them */\n"
               "    BATCH_WORDS = %zu, /* of one of many samples */\n"
               "    CODES = %d /* machine code and PTX of each */\n};\n",
               sizes->classes, sizes->constants, sizes->faults, sizes->args, sizes->table, sizes->batch,
               params->arch_count + 1);
}

/* ---- architectures ---- */

/* How kernels compute: the form of each. */
static void put_form(struct buf *out)
{
    struct form_field fields[FORM_FIELD_COUNT];
    form_fields(&(struct form){.block = 1}, fields);
    buf_puts(out, "\n/* How a kernel computes, and how its arguments are laid out. */\nstruct chunk_form {\n");
    for (int i = 0; i < FORM_FIELD_COUNT; i++)
        buf_printf(out, "    int %s;\n", fields[i].name);
    buf_puts(out, "};\n");
}

static void put_archs(struct buf *out, const struct aot_params *params)
{
    buf_puts(out, "\n#define ARCHITECTURES \"");
    for (int a = 0; a < params->arch_count; a++)
        buf_printf(out, "%s, ", params->archs[a]);
    buf_printf(out, "and from sm_%d on\"\n", aot_newest(params));
}

static void put_codes(struct buf *out, const struct aot_params *params)
{
    buf_puts(out, "\nstatic const struct code codes[CODES] = {");
    for (int a = 0; a < params->arch_count; a++)
        buf_printf(out, "{%d, false}, ", atoi(params->archs[a] + 3));
    buf_printf(out, "{%d, true}};\n", aot_newest(params));
}

/* ---- constants ---- */

static bool is_loaded(const struct kernel *kernel, int constant)
{
    for (int a = 0; a < kernel->load_count; a++)
        if (kernel->accesses[a].kind == TENSOR_CONSTANT && kernel->accesses[a].index == constant)
            return true;
    return false;
}

static bool loads_literals(const struct aot_loop *loop)
{
    for (int c = 0; c < loop->class_count; c++)
        if (loop->classes[c].form.literals_loaded)
            return true;
    return false;
}

/* Adds the row of an array of this name; NULL: of none. */
static void put_constant(struct buf *out, const char *name)
{
    if (name)
        buf_printf(out, "    {%s, sizeof %s},\n", name, name);
    else
        buf_puts(out, "    {NULL, 0},\n");
}

static void put_loop_constants(struct buf *out, struct aot_kernel *k, int p)
{
    const struct aot_loop *loop = &k->loops[p];
    const char *literals = arena_printf(k->arena, NAME_LITERALS, k->program->name, p);
    for (int i = 0; i < loop->kernel->constant_count; i++)
        put_constant(out, is_loaded(loop->kernel, i) ? aot_constant_name(k, p, i) : NULL);
    put_constant(out, loads_literals(loop) ? literals : NULL);
}

/* ---- the whole source ---- */

/* What does not depend on the kernels. The code of calls comes before the tables, which use its structs. */
static const struct aot_section support[] = {
    {NULL, "shape"}, {weft_template_slice_h, NULL}, {weft_template_slice, NULL}, {weft_template_walk_h, NULL},
    {weft_template_tuning_c, "processor"}, {weft_template_tuning_cuda, "gpu"},
    {access_kinds_section, NULL}, {weft_template_grouping_h, NULL}, {weft_template_walk, NULL},
    {weft_template_grouping, NULL},
    {weft_template_chunks, NULL}, {weft_template_lanes_h, NULL}, {weft_template_lanes, "threads"},
    {weft_template_tensor, NULL}, {NULL, "tables"}, {weft_template_aot_cuda_plan, "classes"}, {NULL, "loops"},
    {NULL, "tensors"}, {NULL, "reading"}, {NULL, "room"}, {NULL, "meet"}, {NULL, "check"}, {NULL, "samples"},
    {NULL, "plan"}, {weft_template_aot_cuda_driver, "driver"},
    {weft_template_aot_cuda_gpus, NULL}, {weft_template_aot_cuda_plan, "plan"}, {NULL, "views"},
    {NULL, "joins"}, {weft_template_aot_cuda_plan, "class"}, {NULL, "keep lanes"}, {NULL, "keep"},
    {weft_template_aot_cuda_plan, "form"}, {weft_template_launch_args_h, NULL}, {weft_template_launch_args, NULL},
    {weft_template_aot_cuda_plan, "kinds"},
    {NULL, "environment"}, {weft_template_aot_cuda_launch, "call"}, {NULL, "check call"},
    {weft_template_aot_cuda_launch, "entries"}, {NULL, "infer"}};

static void put_body(struct buf *out, struct aot_kernel *const *kernels, int count, const struct aot_params *params)
{
    const struct device_sizes sizes = number_all(kernels, count);
    aot_put_sections(out, (const struct aot_section[]){{NULL, "guard"}, {NULL, "shared"}}, 2);
    buf_puts(out, weft_template_args);
    aot_put_sizes(out, kernels, count, 1);
    put_device_sizes(out, &sizes, params);
    put_form(out);
    put_archs(out, params);
    aot_put_sections(out, support, sizeof support / sizeof *support);
    put_codes(out, params);
    for (int i = 0; i < count; i++)
        aot_put_tables(out, kernels[i], params);
    buf_puts(out, "\nstatic const struct constant constants[CONSTANTS] = {\n");
    for (int i = 0; i < count; i++)
        for (int p = 0; p < kernels[i]->loop_count; p++)
            put_loop_constants(out, kernels[i], p);
    buf_puts(out, "};\n");
}

bool aot_put_device_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                           const struct aot_params *params)
{
    const char *includes = arena_printf(out->arena, "#include \"%s.h\"\n\n%s", name,
                                        aot_section(out->arena, weft_template_aot_cuda_driver, "includes"));
    struct buf body = buf_new(out->arena);
    put_body(&body, kernels, count, params);
    buf_printf(out, "/* Made by weft build from %s. See %s.h. */\n", params->file, name);
    buf_puts(out, aot_shared_section(out->arena, "language"));
    aot_put_wrapped(out, kernels, count, includes, "", body.text);
    buf_puts(out, aot_shared_section(out->arena, "language end"));
    for (int i = 0; i < count; i++)
        if (kernels[i]->failed)
            return false;
    return true;
}
