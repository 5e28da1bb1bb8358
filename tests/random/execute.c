/* See execute.h. */
#include "tests/random/execute.h"

#include "tests/diff/oracle.h"
#include "tests/gpu/mirror.h"
#include "tests/random/buffer.h"
#include "tests/random/evaluate.h"
#include "tests/random/size.h"
#include "tests/random/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {
    "agrees", "skipped", "beyond a limit", "refused", "wrong type or shape", "wrong value", "wrong remark",
    "out of its row's bound", "written outside of an output", "another run gives other bits",
    "died"};

enum { FORMULA_OUTPUTS = FORMULA_RESULTS + FORMULA_NODES };

/* ---- contexts ---- */

struct machine {
    struct weft_context *context;
    struct stream order;
};

/* Plays threads: the tasks one after the other, beginning anywhere. */
static void play(void *user, int count, void (*task)(void *data, int index), void *data)
{
    struct machine *machine = user;
    int first = (int)stream_below(&machine->order, (uint64_t)count);
    for (int i = 0; i < count; i++)
        task(data, (first + i) % count);
}

static const char *const *words(const char *flags)
{
    static char copy[1000];
    static const char *list[64];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", flags);
    for (char *word = strtok(copy, " "); word && count < 63; word = strtok(NULL, " "))
        list[count++] = word;
    list[count] = NULL;
    return list;
}

struct machine *machine_create(const char *cc, const char *flags, uint64_t serial)
{
    struct machine *machine = calloc(1, sizeof *machine);
    struct weft_error *error = NULL;
    struct weft_context_params params = {.cc = cc, .cflags = words(flags), .cache = "",
                                         .tier = WEFT_TIER_NONE, .threads = 1};
    machine->order.state = serial;
    if (serial % 3 == 0) {
        params.threads = 2 + (int)(serial % 5);
        params.parallel_for = play;
        params.parallel_user = machine;
    }
    if (weft_context_create(&params, &machine->context, &error) == WEFT_OK)
        return machine;
    char message[1000];
    weft_error_render(error, message, sizeof message);
    fputs(message, stderr);
    exit(2);
}

void machine_destroy(struct machine *machine)
{
    if (machine)
        weft_context_destroy(machine->context);
    free(machine);
}

/* ---- one run ---- */

/* A program with its buffers. What is run is all samples at once, as batches, or one of them. */
struct run {
    struct trial *trial;
    struct arena *arena;
    struct weft_context *context;
    struct weft_program *program;
    struct outcome *outcome;
    const struct extents (*shapes)[FORMULA_NODES];        /* of each sample */
    int nodes[FORMULA_OUTPUTS];    /* of each result; those asked for stand behind */
    int result_count;
    bool sizes[SIZE_INPUTS];       /* the inputs that size expressions are made of */
    struct buffer (*inputs)[FORMULA_SAMPLES], (*outputs)[FORMULA_SAMPLES];
    int only;                      /* the sample that is run alone; -1: all */
};

static bool conclude(struct outcome *outcome, enum verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome->verdict = verdict;
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse(struct outcome *outcome, const char *what, struct weft_error *error)
{
    enum { MANY_MAPS = 190 };
    char text[1200] = "no diagnostic";
    const bool limited = error && error->code == MANY_MAPS;
    if (error)
        weft_error_render(error, text, sizeof text);
    weft_error_destroy(error);
    return conclude(outcome, limited ? LIMITED : REFUSED, "%s: %s", what, text);
}

static bool is_batch(const struct run *run, int output)
{
    return run->trial->formula.nodes[run->nodes[output]].batch;
}

static enum weft_dtype output_dtype(const struct run *run, int output)
{
    const struct formula *formula = &run->trial->formula;
    return output < formula->result_count ? formula_result_dtype(formula, output)
                                          : formula->nodes[run->nodes[output]].dtype;
}

/* ---- compiling ---- */

/* Types that are not in the text go to weft_compile. */
size_t told_types(const struct trial *trial, struct weft_input_type *types, char (*room)[208])
{
    const struct formula *formula = &trial->formula;
    size_t count = 0;
    for (int i = 0; i < formula->input_count && !formula->kernel && !formula->in_text; i++) {
        if (formula->inputs[i].declared == DECLARE_NOT)
            continue;
        type_write(trial, i, room[i], sizeof room[i]);
        types[count++] = (struct weft_input_type){input_name(i), room[i]};
    }
    return count;
}

static bool compile(struct run *run, struct machine *machine, bool tell)
{
    static struct text text;
    struct trial *trial = run->trial;
    const struct formula *formula = &trial->formula;
    char room[FORMULA_INPUTS][208], names[FORMULA_NODES][16];
    const char *wanted[FORMULA_NODES];
    struct weft_input_type types[FORMULA_INPUTS + SIZE_INPUTS];
    struct weft_error *error = NULL;
    struct weft_compile_params params = {.inputs = types, .results = wanted,
                                         .kernel = formula->kernel ? "f" : NULL};
    params.input_count = told_types(trial, types, room);
    formula_write(trial, &text);
    for (int i = 0; i < SIZE_INPUTS; i++) {
        run->sizes[i] = size_is_used(text.bytes, i);
        if (run->sizes[i] && !formula->kernel) /* a kernel declares its parameters */
            types[params.input_count++] = (struct weft_input_type){size_inputs[i].name, size_inputs[i].type};
    }
    for (int r = 0; r < formula->result_count; r++)
        run->nodes[run->result_count++] = formula->results[r];
    for (int n = 0; n < formula->count && tell; n++)
        if (formula_is_told(formula, &formula->nodes[n])) {
            snprintf(names[n], sizeof names[n], "t%d", n);
            wanted[params.result_count++] = names[n];
            run->nodes[run->result_count++] = n;
        }
    if (weft_compile(machine->context, text.bytes, &params, &run->program, &error) < 0)
        return refuse(run->outcome, "weft_compile", error);
    weft_error_destroy(error);
    run->inputs = arena_alloc(run->arena, sizeof *run->inputs * (size_t)(formula->input_count + 1));
    run->outputs = arena_alloc(run->arena, sizeof *run->outputs * (size_t)run->result_count);
    return true;
}

/* ---- buffers ---- */

static void make_input(struct run *run, int input, int s)
{
    const struct sample *sample = &run->trial->inputs[input][s];
    struct buffer *buffer = &run->inputs[input][s];
    if (!buffer->memory)
        buffer_make(buffer, run->arena, run->trial->formula.inputs[input].dtype, &sample->extents,
                    &sample->layout);
    buffer_write(buffer, sample->values);
    buffer_note(buffer);
}

static void make_output(struct run *run, int r, int s)
{
    static const struct layout dense = {0};
    const struct trial *trial = run->trial;
    struct buffer *buffer = &run->outputs[r][s];
    bool own = r < trial->formula.result_count;
    int input = own ? trial->in_place[r] : -1;
    if (input >= 0) {
        *buffer = run->inputs[input][s];
        buffer->dtype = output_dtype(run, r);
    } else if (!buffer->memory) {
        buffer_make(buffer, run->arena, output_dtype(run, r), &run->shapes[s][run->nodes[r]],
                    own ? &trial->outputs[r] : &dense);
    }
    buffer_note(buffer);
}

/* Inputs hold their values again, outputs whatever they held. */
static void make_buffers(struct run *run)
{
    const struct trial *trial = run->trial;
    for (int i = 0; i < trial->formula.input_count; i++)
        for (int s = 0; s < (trial->formula.inputs[i].batch ? trial->samples : 1); s++)
            make_input(run, i, s);
    for (int r = 0; r < run->result_count; r++)
        for (int s = 0; s < (is_batch(run, r) ? trial->samples : 1); s++)
            make_output(run, r, s);
}

/* ---- arguments ---- */

/* One call's. */
struct call {
    struct weft_argument *arguments;         /* inputs, then outputs */
    int inputs;
};

static struct weft_argument argument(struct run *run, struct buffer *buffers, bool batch)
{
    int samples = batch && run->only < 0 ? run->trial->samples : 1;
    int first = batch && run->only > 0 ? run->only : 0;
    DLTensor *tensors = ARENA_ARRAY(run->arena, DLTensor, samples);
    for (int s = 0; s < samples; s++)
        tensors[s] = buffer_tensor(&buffers[first + s]);
    return (struct weft_argument){.tensors = tensors, .count = samples,
                                  .batch = batch && run->only < 0};
}

static struct weft_argument size_argument(struct arena *arena, int input)
{
    const struct size_input *from = &size_inputs[input];
    const bool number = strcmp(from->type, "number") == 0;
    const enum weft_dtype dtype = number ? WEFT_INT64 : weft_dtype_from_name(from->type, strlen(from->type));
    DLTensor *tensor = ARENA_NEW(arena, DLTensor);
    *tensor = (DLTensor){.data = (void *)(uintptr_t)from->value, .device = {kDLCPU, 0},
                         .dtype = weft_dtype_to_dlpack(dtype)};
    return (struct weft_argument){.name = from->name, .tensors = tensor, .count = 1};
}

static struct call arguments_of(struct run *run)
{
    const struct formula *formula = &run->trial->formula;
    struct call call = {ARENA_ARRAY(run->arena, struct weft_argument,
                                    formula->input_count + SIZE_INPUTS + run->result_count),
                        formula->input_count};
    for (int i = 0; i < formula->input_count; i++) {
        call.arguments[i] = argument(run, run->inputs[i], formula->inputs[i].batch);
        call.arguments[i].name = input_name(i);
    }
    for (int i = 0; i < SIZE_INPUTS; i++)
        if (run->sizes[i])
            call.arguments[call.inputs++] = size_argument(run->arena, i);
    for (int r = 0; r < run->result_count; r++)
        call.arguments[call.inputs + r] = argument(run, run->outputs[r], is_batch(run, r));
    return call;
}

/* ---- what weft_infer says ---- */

static bool check_info(struct run *run, const struct weft_tensor_info *info, int r)
{
    const struct extents *shape = &run->shapes[0][run->nodes[r]];
    bool batch = is_batch(run, r);
    bool same = info->dtype == output_dtype(run, r) && info->rank == shape->rank &&
                info->batch == batch && info->count == (batch ? run->trial->samples : 1);
    for (int d = 0; same && d < shape->rank; d++)
        same = info->shape[d] == shape->at[d];
    return same || conclude(run->outcome, WRONG_TYPE,
                            "result %d is %s of rank %d, %s of %lld, expected %s %d", r,
                            weft_dtype_name(info->dtype), info->rank,
                            info->batch ? "a batch" : "a tensor", (long long)info->count,
                            weft_dtype_name(output_dtype(run, r)), shape->rank);
}

static bool check_samples(struct run *run, const struct call *call, int r)
{
    int rank = run->shapes[0][run->nodes[r]].rank;
    int64_t extents[FORMULA_SAMPLES * FORMULA_RANK];
    struct weft_error *error = NULL;
    if (weft_infer_samples(run->program, call->arguments, (size_t)call->inputs, (size_t)r, extents,
                           &error) < 0)
        return refuse(run->outcome, "weft_infer_samples", error);
    for (int s = 0; s < (is_batch(run, r) ? run->trial->samples : 1); s++)
        for (int d = 0; d < rank; d++)
            if (extents[s * rank + d] != run->shapes[s][run->nodes[r]].at[d])
                return conclude(run->outcome, WRONG_TYPE, "extent %d of sample %d of result %d is %lld",
                                d, s, r, (long long)extents[s * rank + d]);
    return true;
}

static bool check_infos(struct run *run)
{
    struct call call = arguments_of(run);
    struct weft_tensor_info infos[FORMULA_OUTPUTS];
    struct weft_error *error = NULL;
    if (weft_program_input_count(run->program) != (size_t)call.inputs ||
        weft_program_result_count(run->program) != (size_t)run->result_count)
        return conclude(run->outcome, WRONG_TYPE, "%zu inputs and %zu results",
                        weft_program_input_count(run->program),
                        weft_program_result_count(run->program));
    if (weft_infer(run->program, call.arguments, (size_t)call.inputs, infos, &error) < 0)
        return refuse(run->outcome, "weft_infer", error);
    for (int r = 0; r < run->result_count; r++)
        if (!check_info(run, &infos[r], r) || !check_samples(run, &call, r))
            return false;
    return true;
}

/* Runs; the place of the remark, or -1. False on an error. */
static bool run_once(struct run *run, int64_t *place)
{
    struct weft_error *error = NULL;
    struct call call = arguments_of(run);
    struct weft_run_params params = {.inputs = call.arguments, .input_count = (size_t)call.inputs,
                                     .outputs = call.arguments + call.inputs,
                                     .output_count = (size_t)run->result_count};
    enum weft_status status = mirror_run(run->context, run->program, &params, &error);
    if (status < 0)
        return refuse(run->outcome, "weft_run", error);
    *place = status > WEFT_OK && error ? (int64_t)error->spans[0].start : -1;
    weft_error_destroy(error);
    return true;
}

/* ---- comparing ---- */

static bool check_bytes(struct run *run)
{
    const struct trial *trial = run->trial;
    for (int r = 0; r < run->result_count; r++)
        for (int s = 0; s < (is_batch(run, r) ? trial->samples : 1); s++)
            if (!buffer_kept(&run->outputs[r][s], run->arena))
                return conclude(run->outcome, OVERWRITTEN,
                                "bytes between the elements of sample %d of result %d", s, r);
    for (int i = 0; i < trial->formula.input_count; i++) {
        bool reused = false;
        for (int r = 0; r < trial->formula.result_count; r++)
            reused = reused || trial->in_place[r] == i;
        for (int s = 0; s < (trial->formula.inputs[i].batch ? trial->samples : 1); s++)
            if (!reused && !buffer_same(&run->inputs[i][s]))
                return conclude(run->outcome, OVERWRITTEN, "sample %d of input %s", s, input_name(i));
    }
    return true;
}

static bool check_result(struct run *run, const struct evaluation *evaluation, int r, int s)
{
    const struct buffer *buffer = &run->outputs[r][is_batch(run, r) ? s : 0];
    const union scalar *actual = buffer_read(buffer, run->arena);
    int64_t volume = extents_volume(&buffer->extents);
    bool own = r < run->trial->formula.result_count;
    char texts[2][64];
    for (int64_t e = 0; e < volume; e++) {
        union scalar expected = own ? evaluate_result(run->trial, evaluation, r, e)
                                    : evaluation->values[run->nodes[r]][e];
        if (!oracle_same(buffer->dtype, expected, actual[e]))
            return conclude(run->outcome, WRONG_VALUE,
                            "%s%d at element %lld of %lld of sample %d is %s, not %s",
                            own ? "r" : "t", own ? r : run->nodes[r], (long long)e,
                            (long long)volume, s, oracle_print(texts[0], buffer->dtype, actual[e]),
                            oracle_print(texts[1], buffer->dtype, expected));
    }
    return true;
}

static bool check_deviation(struct run *run, const struct deviation *deviation)
{
    const struct formula_node *node;
    if (deviation->node < 0)
        return true;
    node = &run->trial->formula.nodes[deviation->node];
    return conclude(run->outcome, OUT_OF_BOUND, "t%d (%s) at element %lld is off by %g ulp",
                    deviation->node, node->kind == FORMULA_REDUCE
                                         ? reduction_rows[run->trial->formula.reductions[node->reduction].function].name
                                         : op_rows[node->op].spellings, (long long)deviation->element,
                    deviation->ulp);
}

/* Whether a remark at this place is free (rule 4.4). */
static bool is_free(const struct run *run, const struct evaluation *evaluation, int64_t place)
{
    bool found = false;
    for (int n = 0; n < run->trial->formula.count; n++)
        found = found || (evaluation->perhaps[n] && run->trial->formula.nodes[n].place == place);
    return found;
}

/* The first place of the samples that were run. */
static bool check_place(struct run *run, struct evaluation *evaluations, int64_t place)
{
    int64_t expected = -1;
    bool free = false;
    for (int s = 0; s < run->trial->samples; s++) {
        if (run->only >= 0 && s != run->only)
            continue;
        evaluate_place(run->trial, run->arena, run->nodes, run->result_count, &evaluations[s]);
        if (evaluations[s].place >= 0 && (expected < 0 || evaluations[s].place < expected))
            expected = evaluations[s].place;
        free = free || is_free(run, &evaluations[s], place);
    }
    return place == expected || (free && (expected < 0 || place < expected)) || conclude(run->outcome, WRONG_REMARK,
                                         "remark at %lld, expected at %lld", (long long)place,
                                         (long long)expected);
}

static bool check_all(struct run *run, struct evaluation *evaluations, int64_t place)
{
    for (int s = 0; s < run->trial->samples; s++)
        for (int r = 0; r < run->result_count && (run->only < 0 || s == run->only); r++)
            if (!check_result(run, &evaluations[s], r, s))
                return false;
    return check_place(run, evaluations, place) && check_bytes(run);
}

/* ---- trials ---- */

/* Compiles with or without the results that tell inexact rows' values. */
static bool prepare(struct run *run, struct machine *machine, bool tell)
{
    if (!compile(run, machine, tell))
        return false;
    make_buffers(run);
    return check_infos(run);
}

/* The values of rows that are not exact come from the run. */
static bool judge(struct run *run, struct evaluation *evaluations, int64_t place)
{
    struct deviation deviation;
    for (int s = 0; s < run->trial->samples; s++) {
        union scalar *told[FORMULA_NODES] = {NULL};
        for (int r = run->trial->formula.result_count; r < run->result_count; r++)
            told[run->nodes[r]] = buffer_read(&run->outputs[r][is_batch(run, r) ? s : 0], run->arena);
        evaluate(run->trial, run->arena, s, told, &evaluations[s], &deviation);
        if (!check_deviation(run, &deviation))
            return false;
    }
    return check_all(run, evaluations, place);
}

static void add_note(struct outcome *outcome, const char *note)
{
    size_t length = strlen(outcome->message);
    if (outcome->verdict != AGREES)
        snprintf(outcome->message + length, sizeof outcome->message - length, " (%s)", note);
}

static bool again(struct run *run, struct evaluation *evaluations)
{
    int64_t place;
    make_buffers(run);
    bool good = run_once(run, &place) && check_all(run, evaluations, place);
    add_note(run->outcome, "in a second run on the same buffers");
    return good;
}

/* Every sample alone gives the same bits. */
static bool one_by_one(struct run *run, struct evaluation *evaluations)
{
    int64_t place;
    bool good = true;
    for (int s = 0; s < run->trial->samples && good; s++) {
        run->only = s;
        make_buffers(run);
        good = run_once(run, &place) && check_all(run, evaluations, place);
    }
    run->only = -1;
    add_note(run->outcome, "as a sample alone");
    return good;
}

/* The program as it is, where extra results made another one of it. */
static void run_plain(const struct run *told, struct machine *machine,
                      struct evaluation *evaluations)
{
    struct run run = {.trial = told->trial, .arena = told->arena, .outcome = told->outcome,
                      .context = machine->context, .shapes = told->shapes, .only = -1};
    int64_t place;
    if (prepare(&run, machine, false) && run_once(&run, &place))
        check_all(&run, evaluations, place);
    add_note(run.outcome, "without extra results");
    weft_program_destroy(run.program);
}

void execute(struct machine *machine, struct trial *trial, struct arena *arena,
             struct outcome *outcome)
{
    struct extents shapes[FORMULA_SAMPLES][FORMULA_NODES];
    struct run run = {.trial = trial, .arena = arena, .outcome = outcome, .only = -1,
                      .context = machine->context,
                      .shapes = (const struct extents (*)[FORMULA_NODES])shapes};
    struct evaluation *evaluations = ARENA_ARRAY(arena, struct evaluation, trial->samples);
    int64_t place;
    *outcome = (struct outcome){AGREES, ""};
    if (!trial_settle(trial) || !trial_shapes(trial, shapes)) {
        conclude(outcome, SKIPPED, "the generator's program is wrong");
        return;
    }
    bool good = prepare(&run, machine, true) && run_once(&run, &place) &&
                judge(&run, evaluations, place) && (!trial->twice || again(&run, evaluations)) &&
                (trial->samples == 1 || one_by_one(&run, evaluations));
    weft_program_destroy(run.program);
    if (good && trial->plain && run.result_count > trial->formula.result_count)
        run_plain(&run, machine, evaluations);
}
