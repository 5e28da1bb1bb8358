/* weft_program_stage: the text of any stage of a program, for the input types that are known. */
#include "runtime/api/stage_impl.h"

#include "runtime/kernels/kernels.h"
#include "runtime/api/gpu_code_impl.h"
#include "runtime/api/page_impl.h"

#include "compiler/dump/dump.h"

#include <stdlib.h>
#include <string.h>

const char *const stage_names[STAGE_COUNT] = {
    "tokens", "ast", "types", "schedule", "groups", "ir", "c", "asm", "cuda", "ptx", "sass", "shapes", "reductions",
    "lower", "materialize", "narrow", "split", "reduce", "html"};
const struct target *const stage_targets[STAGE_COUNT] = {
    [STAGE_C] = &target_c, [STAGE_ASM] = &target_c,
    [STAGE_CUDA] = &target_cuda, [STAGE_PTX] = &target_cuda, [STAGE_SASS] = &target_cuda};

const char *list_words(struct arena *arena, const char *const *words, int count)
{
    struct buf all = buf_new(arena);
    for (int i = 0; i < count; i++)
        buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
    return all.text;
}

/* The type of an input. What the caller said takes precedence over the declaration, if it has a shape. */
static const struct type *known_type(const struct symbol *symbol)
{
    return symbol->given && symbol->given->ranked ? symbol->given : &symbol->type;
}

/* Whether the numbers that views take of an input are known. */
static bool has_numbers(const struct weft_program *program, int input)
{
    return program->read && program->read[input].numbers;
}

/* An example of a value for an input whose elements are numbers. */
static const char *example_value(struct arena *arena, const struct type *type)
{
    struct buf text = buf_new(arena);
    const int64_t count = type->rank ? type->extents[0] : 0;
    if (!type->ranked || !type->rank)
        return "3";
    for (int64_t i = 0; i < (count > 0 ? count : 2); i++)
        buf_printf(&text, i ? ", %lld" : "[%lld", (long long)(i < 2 ? 3 - i : 1));
    buf_puts(&text, "]");
    return text.text;
}

/* What of a shape is open, and an example of a type without. */
static const char *open_extents(struct arena *arena, const struct type *type, const char **example)
{
    struct buf open = buf_new(arena), text = buf_new(arena);
    const char *dtype = type_rows[type->dtype].name;
    int count = 0;
    *example = arena_printf(arena, "%s[480, 640, 3]", dtype);
    if (!type->ranked)
        return "shape";
    buf_puts(&text, dtype);
    for (int d = 0; d < type->rank; d++) {
        const bool known = type->extents[d] >= 0;
        buf_printf(&text, d ? ", %lld" : "[%lld", (long long)(known ? type->extents[d] : 480));
        if (!known)
            buf_printf(&open, count++ ? ", %d" : "%d", d);
    }
    buf_puts(&text, "]");
    *example = text.text;
    return arena_printf(arena, count > 1 ? "extents of dimensions %s" : "extent of dimension %s", open.text);
}

/* The rank of an input as far as it is known, else 0. */
static int rank_of(const struct weft_program *program, int input)
{
    return program->shapes && program->shapes[input] ? program->shapes[input]->rank : 0;
}

static bool need(const struct weft_program *whole, enum stage stage, struct diags *diags)
{
    const struct program *program = whole->parsed;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        const struct type *type = known_type(symbol);
        bool sized = type->ranked;
        for (int d = 0; sized && d < type->rank; d++)
            sized = type->extents[d] >= 0;
        if (type->ranked && shape_volume(type_shape(diags->arena, type)) < 0)
            diag_at(diags, DIAG_VOLUME, NULL, 0,
                    shape_text(diags->arena, program, type_shape(diags->arena, type)));
        if (!symbol->typed && type->number)
            diag_at(diags, DIAG_STAGE_NUMBERS, NULL, 0, stage_names[stage], symbol->name, symbol->name, "3");
        else if (!symbol->typed)
            diag_at(diags, DIAG_STAGE_TYPES, NULL, 0, stage_names[stage], "dtype", symbol->name,
                    symbol->name, stage == STAGE_TYPES ? "float32" : "float32[480, 640, 3]", "");
        else if (stage > STAGE_TYPES && !has_numbers(whole, i) &&
                 (symbol->parameter ? program->reads && program->reads[i]
                                    : reads_of_rank(program, i, rank_of(whole, i))))
            diag_at(diags, DIAG_STAGE_NUMBERS, NULL, 0, stage_names[stage], symbol->name,
                    symbol->name, example_value(diags->arena, type));
        else if (stage > STAGE_TYPES && !sized) {
            const char *example, *open = open_extents(diags->arena, type, &example);
            diag_at(diags, DIAG_STAGE_TYPES, NULL, 0, stage_names[stage], open, symbol->name, symbol->name, example,
                    type->ranked ? "" : arena_printf(diags->arena, ", or %s=%s[] for a single number", symbol->name,
                                                     type_rows[type->dtype].name));
        }
    }
    return !diags->errors;
}

/* Dense tensors without data that have the known types. */
static struct tensor *described(struct arena *arena, const struct weft_program *whole, const struct program *program)
{
    struct tensor *tensors = ARENA_ARRAY(arena, struct tensor, program->input_count);
    for (int i = 0; i < program->input_count; i++) {
        const struct type *type = known_type(&program->symbols[program->inputs[i]]);
        int64_t dense = 1;
        tensors[i] = (struct tensor){.dtype = type->dtype, .rank = type->rank, .shape = type->extents,
                                     .strides = ARENA_ARRAY(arena, int64_t, type->rank)};
        if (has_numbers(whole, i)) {
            tensors[i].numbers = whole->read[i].numbers;
            tensors[i].number_count = whole->read[i].number_count;
        }
        for (int d = type->rank - 1; d >= 0; d--) {
            tensors[i].strides[d] = dense;
            if (__builtin_mul_overflow(dense, type->extents[d] ? type->extents[d] : 1, &dense))
                dense = 1;
        }
    }
    return tensors;
}

/* What a compiler makes of a kernel's text, from malloc; NULL with a diagnostic. */
static char *compiled(struct weft_program *program, enum stage stage, const char *kernel,
                      struct diags *diags)
{
    struct cc cc;
    if (stage == STAGE_PTX)
        return cuda_ptx(program->context, kernel, program->math, diags);
    if (stage == STAGE_SASS)
        return cuda_sass(program->context, kernel, program->math, diags);
    return build_compiler(program->context, &cc, diags) ? cc_assembly(&cc, kernel, program->math, diags) : NULL;
}

static void put_compiled(const struct subject *subject, struct buf *out, struct diags *diags)
{
    const struct scheduled *s = &subject->schedule->kernels[subject->kernel];
    char *text = compiled(subject->program, subject->stage, s->launched->text, diags);
    if (text)
        buf_puts(out, text);
    free(text);
}

bool stage_is_text(enum stage stage)
{
    return stage_targets[stage] && stage_targets[stage] != stage_targets[stage - 1];
}

/* The text of a kernel, or of several that are launched together. */
static void put_text(const struct subject *subject, struct buf *out)
{
    const struct schedule *schedule = subject->schedule;
    const char *text = schedule->kernels[subject->kernel].launched->text;
    int number = 0, count = 0;
    for (int k = 0; k < schedule->count; k++) {
        count += schedule->kernels[k].launched != NULL;
        number += schedule->kernels[k].launched && k <= subject->kernel;
    }
    if (subject->shown)
        put_shown_text(out, text, number, count);
    else
        buf_puts(out, text);
}

void stage_put(struct buf *out, const struct subject *subject, struct diags *diags)
{
    const struct schedule *schedule = subject->schedule;
    const struct scheduled *s = schedule ? &schedule->kernels[subject->kernel] : NULL;
    if (subject->stage == STAGE_TOKENS)
        dump_tokens(out, &subject->program->source, diags);
    else if (subject->stage == STAGE_AST)
        dump_ast(out, subject->tree);
    else if (subject->stage == STAGE_TYPES)
        dump_types(out, subject->tree);
    else if (subject->stage == STAGE_SCHEDULE)
        dump_schedule(out, schedule);
    else if (subject->stage == STAGE_GROUPS)
        dump_groups(out, &(struct dumped){s->kernel, s->space, &s->geometry, &s->form, schedule->shapes,
                                          schedule->views, s->chain, s->part, s->parts});
    else if (subject->stage == STAGE_IR)
        dump_ir(out, s->kernel, &s->geometry, &s->form);
    else if (stage_is_text(subject->stage))
        put_text(subject, out);
    else
        put_compiled(subject, out, diags);
}

static void put_kernels(struct weft_program *program, struct typed *typed, enum stage stage, enum shown shown,
                        struct buf *out, struct diags *diags)
{
    struct arena *arena = out->arena;
    struct tensor *inputs = described(arena, program, typed->program);
    const struct target *any = program->context->target == WEFT_TARGET_CUDA ? &target_cuda : &target_c;
    const struct occasion occasion = {.inputs = inputs,
                                      .target = stage_targets[stage] ? stage_targets[stage] : any,
                                      .shown = shown};
    struct pipeline made;
    struct view_args *views;
    const char **layouts;
    const struct shape **shapes = plan_shapes(arena, typed->program, inputs, &layouts, &views, diags);
    const bool of_pass = stage > STAGE_SHAPES;
    const enum pass last = stage_targets[stage] ? PASS_TEXT
                           : of_pass            ? (enum pass)(PASS_REDUCTIONS + (stage - STAGE_REDUCTIONS))
                                                : PASS_CHAIN;
    if (shapes && stage == STAGE_SHAPES)
        dump_shapes(out, typed->program, shapes, layouts);
    if (!shapes || stage == STAGE_SHAPES ||
        !schedule_make(arena, arena, program, typed, shapes, views, &occasion, last, &made, diags))
        return;
    if (of_pass)
        dump_kernels(out, &made.kernels);
    if (stage == STAGE_GROUPS)
        dump_neighbours(out, &made.kernels);
    for (int k = 0; !of_pass && k < (stage == STAGE_SCHEDULE ? 1 : made.schedule.count); k++)
        if (last != PASS_TEXT || made.schedule.kernels[k].launched)
            stage_put(out, &(struct subject){stage, program, typed->program, &made.schedule, k, shown}, diags);
}

/* The ranks of the inputs, where its types depend on them and all are known; else NULL. */
static const int *known_ranks(struct arena *arena, const struct weft_program *program)
{
    const int count = program->parsed->input_count;
    int *ranks = ARENA_ARRAY(arena, int, count + 1);
    for (int i = 0; i < count; i++) {
        if (!program->shapes || !program->shapes[i])
            return NULL;
        ranks[i] = program->shapes[i]->rank;
    }
    return program_reads_ranks(program->parsed) ? ranks : NULL;
}

static void put_stage(struct weft_program *program, enum stage stage, enum shown shown, struct buf *out,
                      struct diags *diags)
{
    const struct program *parsed = program->parsed;
    struct typed *typed;
    if (stage < STAGE_TYPES)
        stage_put(out, &(struct subject){stage, program, parsed}, diags);
    else if (need(program, stage, diags)) {
        enum weft_dtype *dtypes = ARENA_ARRAY(out->arena, enum weft_dtype, parsed->input_count);
        for (int i = 0; i < parsed->input_count; i++)
            dtypes[i] = parsed->symbols[parsed->inputs[i]].type.dtype;
        const int *ranks = known_ranks(out->arena, program);
        const struct program *filled =
            program_has_numbers(parsed) ? program_fill(out->arena, parsed, dtypes, ranks, NULL, diags) : NULL;
        typed = diags->errors ? NULL : program_typed(program, dtypes, ranks, filled, diags);
        if (typed && stage == STAGE_TYPES)
            stage_put(out, &(struct subject){stage, program, typed->program}, diags);
        else if (typed && stage == STAGE_HTML)
            page_put(out, program, typed, described(out->arena, program, typed->program), diags);
        else if (typed)
            put_kernels(program, typed, stage, shown, out, diags);
    }
}

/* A kernel's text may have a word behind its stage, which says for whom it is. */
static enum stage find_stage(const char *name, enum shown *shown)
{
    static const struct { const char *word; enum shown shown; } forms[] = {
        {"", SHOWN_OWN}, {"-full", SHOWN_FULL}, {"-compiled", SHOWN_NOT}};
    *shown = SHOWN_NOT;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const size_t length = strlen(stage_names[stage]);
        if (strncmp(name, stage_names[stage], length) != 0)
            continue;
        for (size_t i = 0; i < (stage_is_text((enum stage)stage) ? sizeof forms / sizeof *forms : 0); i++)
            if (strcmp(name + length, forms[i].word) == 0) {
                *shown = forms[i].shown;
                return (enum stage)stage;
            }
        if (!name[length])
            return (enum stage)stage;
    }
    return STAGE_COUNT;
}

struct order {
    struct weft_program *program;
    const char *name;
    char *text;                    /* the result, from malloc */
};

static void make_stage(struct diags *diags, void *user)
{
    struct order *order = user;
    enum shown shown;
    const enum stage stage = find_stage(order->name, &shown);
    struct buf out = buf_new(diags->arena);
    if (stage == STAGE_COUNT)
        diag_at(diags, DIAG_NO_STAGE, NULL, 0, order->name,
                list_words(diags->arena, stage_names, STAGE_COUNT));
    else
        put_stage(order->program, stage, shown, &out, diags);
    if (!diags->errors && !(order->text = strdup(out.text)))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
}

enum weft_status weft_program_stage(struct weft_program *program, const char *stage, char **text,
                                    struct weft_error **error)
{
    if (!program || !stage || !text)
        return invalid_call(error, "weft_program_stage needs a program, a stage and a place for the text");
    struct order order = {.program = program, .name = stage};
    enum weft_status status = guarded_call(&program->context->log, &program->source, make_stage, &order, error);
    *text = order.text;
    return status;
}
