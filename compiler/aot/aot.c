/* Implements aot.h. All mistakes in a text are reported before any source is written. */
#include "compiler/aot/print_impl.h"

#include <string.h>

/* ---- requirements on a kernel ---- */

/* Whether a view takes the elements of an input as its numbers; single ones in size expressions are fine. */
static bool takes_elements(const struct program *program, int input)
{
    bool any = false;
    for (int v = 0; v < program->view_count; v++) {
        const struct view_args *args = &program->views[v];
        const struct numbers *const all[] = {&args->shape, &args->rel_shape, &args->src_dims, &args->axes};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            any = any || (all[i]->given && all[i]->input == input);
    }
    return any;
}

/* Ahead of time, ranks must be fixed and the numbers of views must be literals or size expressions. */
static bool check_inputs(const struct program *program)
{
    bool good = true;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        const char *type = type_rows[symbol->type.dtype].name;
        if (!symbol->type.ranked)
            good = diag(program->diags, DIAG_AOT_RANK, symbol->span, symbol->name, type, type, type);
        else if (takes_elements(program, i))
            good = diag(program->diags, DIAG_AOT_NUMBERS, symbol->span, symbol->name);
    }
    return good;
}

/* An array literal of numbers would be a table that each call fills. */
static bool check_arrays(const struct program *program)
{
    bool good = true;
    for (int n = 0; good && program->number_arrays && n < program->node_count; n++)
        for (int i = 0; good && program->nodes[n].kind == NODE_ARRAY && i < program->nodes[n].operand_count; i++)
            good = !operand_node(program, &program->nodes[n], i)->number ||
                   diag(program->diags, DIAG_NOT_YET, operand_node(program, &program->nodes[n], i)->span,
                        "a number in an array literal ahead of time", "; make it a parameter, as float64[n]");
    return good;
}

static bool check_kernel(struct aot_kernel *k)
{
    struct pipeline names = {.arena = k->arena, .diags = k->program->diags, .parsed = k->program, .last = true};
    if (!parse_results(k->program, NULL, 0) || !pipeline_run(&names, PASS_NAMES, PASS_NAMES))
        return false;
    struct program *program = k->program = names.parsed;
    const struct shape **inputs = ARENA_ARRAY(k->arena, const struct shape *, program->input_count);
    const struct shape **shapes = ARENA_ARRAY(k->arena, const struct shape *, program->node_count);
    for (int i = 0; i < program->input_count; i++) {
        struct symbol *symbol = &program->symbols[program->inputs[i]];
        symbol->typed = true;
        inputs[i] = type_shape(k->arena, &symbol->type);
    }
    k->layouts = ARENA_ARRAY(k->arena, const char *, program->node_count);
    struct pipeline pipeline = {.arena = k->arena, .diags = program->diags, .parsed = program, .program = program,
                                .inputs = inputs, .shapes = shapes, .layouts = k->layouts};
    if (!check_inputs(program) ||
        !pipeline_run(&pipeline, PASS_CHECK, PASS_LAYOUTS) || !check_arrays(program))
        return false;
    warn_losses(program);
    warn_channels(program, shapes, k->layouts);
    return true;
}

/* Whether kernels are plain functions that need no support. */
static bool is_plain(const struct aot_params *params)
{
    return params->target == AOT_C && params->entries == WEFT_ENTRY_DENSE;
}

static bool make_kernel(struct arena *arena, struct program *program, const struct aot_params *params,
                        struct aot_kernel *k)
{
    *k = (struct aot_kernel){.arena = arena, .program = program,
                             .target = params->target == AOT_CUDA ? &target_cuda : &target_c,
                             .function = aot_function(arena, program->name, params),
                             .entries = params->entries ? params->entries : AOT_ALL_ENTRIES,
                             .plain = is_plain(params)};
    if (!check_kernel(k))
        return false;
    return aot_shapes(k) && aot_check_parameters(k) && aot_divide(k) && aot_numbers(k) &&
           !program->diags->errors;
}

/* ---- files ---- */

static void add_file(struct arena *arena, const char *name, const char *ending, const char *text,
                     struct aot_file **files, int *count)
{
    ARENA_PUSH(arena, *files, *count, ((struct aot_file){arena_printf(arena, "%s.%s", name, ending), text}));
}

static bool add_pair(struct arena *arena, struct aot_kernel *const *kernels, int count, const char *name,
                     const struct aot_params *params, struct aot_file **files, int *file_count)
{
    struct buf header = buf_new(arena), source = buf_new(arena);
    const bool wanted = params->target == AOT_C || params->compile;
    if (wanted)
        aot_put_header(&header, kernels, count, name, params);
    if (is_plain(params))
        aot_put_dense_source(&source, kernels, count, name, params);
    else if (wanted && params->target == AOT_C)
        aot_put_source(&source, kernels, count, name, params);
    else if (wanted && !aot_put_device_source(&source, kernels, count, name, params))
        return false;
    add_file(arena, name, "h", header.text, files, file_count);
    add_file(arena, name, "c", source.text, files, file_count);
    return true;
}

/* What kernels in C share. */
static void add_support(struct arena *arena, struct aot_file **files, int *count)
{
    struct buf header = buf_new(arena), source = buf_new(arena);
    aot_put_support_header(&header);
    aot_put_support_source(&source);
    add_file(arena, AOT_SUPPORT, "h", header.text, files, count);
    add_file(arena, AOT_SUPPORT, "c", source.text, files, count);
}

bool aot_build(struct arena *arena, const struct source *source, const struct aot_params *params,
               struct diags *diags, struct aot_file **files, int *count)
{
    struct pipeline text = {.arena = arena, .diags = diags, .source = source};
    *files = NULL;
    *count = 0;
    if (params->support == AOT_SUPPORT_ONLY) {
        add_support(arena, files, count);
        return true;
    }
    if (!pipeline_run(&text, PASS_PARSE, PASS_PARSE))
        return false;
    const struct programs programs = text.programs;
    if (!programs.count || !programs.items[0]->name)
        return diag_at(diags, DIAG_AOT_NO_KERNEL, NULL, 0, programs.count ? "one plain program" : "nothing");
    struct aot_kernel *kernels = ARENA_ARRAY(arena, struct aot_kernel, programs.count);
    struct aot_kernel **all = ARENA_ARRAY(arena, struct aot_kernel *, programs.count);
    bool good = aot_check_names(&programs, params, diags);
    for (int i = 0; i < programs.count; i++) {
        all[i] = &kernels[i];
        good = make_kernel(arena, programs.items[i], params, all[i]) && good;
    }
    for (int i = 0; good && !params->bundle && i < programs.count; i++)
        good = add_pair(arena, all + i, 1, all[i]->function, params, files, count);
    if (good && params->bundle)
        good = add_pair(arena, all, programs.count, params->bundle, params, files, count);
    if (good && params->target == AOT_C && params->support == AOT_SUPPORT_BESIDE && !is_plain(params))
        add_support(arena, files, count);
    return good;
}
