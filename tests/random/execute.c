/* See execute.h. */
#include "tests/random/execute.h"

#include "tests/diff/oracle.h"
#include "tests/random/evaluate.h"
#include "tests/random/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {
    "agrees", "skipped", "refused", "wrong type or shape", "wrong value", "wrong remark",
    "out of its row's bound", "written outside of an output", "another run gives other bits",
    "died"};

enum { ARGUMENTS = FORMULA_INPUTS + FORMULA_RESULTS + FORMULA_NODES };

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

/* ---- buffers ---- */

/* A tensor in memory. */
struct buffer {
    enum weft_dtype dtype;
    struct extents extents;
    int64_t strides[FORMULA_RANK];
    char *memory, *copy;           /* [bytes]; what it held before a run */
    size_t bytes;
    char *data;
    DLTensor described;
};

/* One run: the results asked for, and their tensors. */
struct run {
    struct trial *trial;
    struct arena *arena;
    struct weft_program *program;
    struct outcome *outcome;
    int nodes[FORMULA_RESULTS + FORMULA_NODES];   /* of each result, asked for ones behind */
    int result_count;
    struct buffer inputs[FORMULA_INPUTS], outputs[FORMULA_RESULTS + FORMULA_NODES];
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
    char text[1200] = "no diagnostic";
    if (error)
        weft_error_render(error, text, sizeof text);
    weft_error_destroy(error);
    return conclude(outcome, REFUSED, "%s: %s", what, text);
}

static void describe(struct buffer *buffer)
{
    buffer->described = (DLTensor){.data = buffer->data, .device = {kDLCPU, 0},
                                   .ndim = buffer->extents.rank,
                                   .dtype = weft_dtype_to_dlpack(buffer->dtype),
                                   .shape = buffer->extents.at, .strides = buffer->strides};
}

/* Memory filled with a pattern that no run writes by chance. */
static void buffer_make(struct buffer *buffer, struct arena *arena, enum weft_dtype dtype,
                        const struct extents *extents, const struct layout *layout)
{
    int64_t first;
    size_t size = weft_dtype_size(dtype);
    buffer->dtype = dtype;
    buffer->extents = *extents;
    buffer->bytes = (size_t)layout_strides(layout, extents, buffer->strides, &first) * size + 64;
    buffer->memory = arena_alloc(arena, buffer->bytes + 64);
    buffer->memory += -(uintptr_t)buffer->memory % 64;
    buffer->copy = arena_alloc(arena, buffer->bytes);
    memset(buffer->memory, 0xa5, buffer->bytes);
    buffer->data = buffer->memory + first * (int64_t)size;
    describe(buffer);
}

/* Calls with every element's position in memory, in row-major order. */
static char *element_at(const struct buffer *buffer, int64_t *index, bool next)
{
    int64_t offset = 0;
    for (int d = buffer->extents.rank - 1; next && d >= 0; d--) {
        if (++index[d] < buffer->extents.at[d])
            break;
        index[d] = 0;
    }
    for (int d = 0; d < buffer->extents.rank; d++)
        offset += index[d] * buffer->strides[d];
    return buffer->data + offset * (int64_t)weft_dtype_size(buffer->dtype);
}

static void buffer_write(struct buffer *buffer, const union scalar *values)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    for (int64_t e = 0; e < volume; e++)
        scalar_store(element_at(buffer, index, e > 0), buffer->dtype, values[e]);
}

static union scalar *buffer_read(const struct buffer *buffer, struct arena *arena)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    union scalar *values = ARENA_ARRAY(arena, union scalar, volume + 1);
    for (int64_t e = 0; e < volume; e++)
        values[e] = scalar_load(element_at(buffer, index, e > 0), buffer->dtype);
    return values;
}

/* Whether bytes other than the elements are as they were: the elements are put back first. */
static bool buffer_kept(const struct buffer *buffer, struct arena *arena)
{
    int64_t index[FORMULA_RANK] = {0}, volume = extents_volume(&buffer->extents);
    size_t size = weft_dtype_size(buffer->dtype);
    char *now = arena_copy(arena, buffer->memory, buffer->bytes);
    for (int64_t e = 0; e < volume; e++) {
        ptrdiff_t at = element_at(buffer, index, e > 0) - buffer->memory;
        memcpy(now + at, buffer->copy + at, size);
    }
    return memcmp(now, buffer->copy, buffer->bytes) == 0;
}

/* ---- compiling ---- */

static enum weft_dtype output_dtype(const struct run *run, int output)
{
    const struct formula *formula = &run->trial->formula;
    return output < formula->result_count ? formula_result_dtype(formula, output)
                                          : formula->nodes[run->nodes[output]].dtype;
}

/* Types that are not in the text go to weft_compile. */
static size_t told_types(const struct trial *trial, struct weft_input_type *types, char (*room)[208])
{
    const struct formula *formula = &trial->formula;
    size_t count = 0;
    for (int i = 0; i < formula->input_count && !formula->kernel && !formula->in_text; i++) {
        if (formula->inputs[i].declared == DECLARE_NOT)
            continue;
        snprintf(room[i], 4, "%c", 'a' + i);
        type_write(trial, i, room[i] + 4, 204);
        types[count++] = (struct weft_input_type){room[i], room[i] + 4};
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
    struct weft_input_type types[FORMULA_INPUTS];
    struct weft_error *error = NULL;
    struct weft_compile_params params = {.inputs = types, .results = wanted,
                                         .kernel = formula->kernel ? "f" : NULL};
    params.input_count = told_types(trial, types, room);
    formula_write(trial, &text);
    for (int r = 0; r < formula->result_count; r++)
        run->nodes[run->result_count++] = formula->results[r];
    for (int n = 0; n < formula->count && tell; n++)
        if (formula_is_told(&formula->nodes[n])) {
            snprintf(names[n], sizeof names[n], "t%d", n);
            wanted[params.result_count++] = names[n];
            run->nodes[run->result_count++] = n;
        }
    if (weft_compile(machine->context, text.bytes, &params, &run->program, &error) < 0)
        return refuse(run->outcome, "weft_compile", error);
    weft_error_destroy(error);
    return true;
}

/* ---- running ---- */

static void make_inputs(struct run *run)
{
    const struct formula *formula = &run->trial->formula;
    for (int i = 0; i < formula->input_count; i++) {
        const struct sample *sample = &run->trial->inputs[i][0];
        struct buffer *buffer = &run->inputs[i];
        if (!buffer->memory)
            buffer_make(buffer, run->arena, formula->inputs[i].dtype, &sample->extents,
                        &sample->layout);
        buffer_write(buffer, sample->values);
        memcpy(buffer->copy, buffer->memory, buffer->bytes);
    }
}

static void make_outputs(struct run *run, const struct extents *shapes)
{
    static const struct layout dense = {0};
    const struct trial *trial = run->trial;
    for (int r = 0; r < run->result_count; r++) {
        struct buffer *buffer = &run->outputs[r];
        bool own = r < trial->formula.result_count;
        int input = own ? trial->in_place[r] : -1;
        if (input >= 0) {
            *buffer = run->inputs[input];
            buffer->dtype = output_dtype(run, r);
            describe(buffer);
        } else if (!buffer->memory) {
            buffer_make(buffer, run->arena, output_dtype(run, r), &shapes[run->nodes[r]],
                        own ? &trial->outputs[r] : &dense);
        }
        memcpy(buffer->copy, buffer->memory, buffer->bytes);
    }
}

static int fill_inputs(const struct run *run, struct weft_argument *arguments,
                       char (*names)[2])
{
    int count = (int)weft_program_input_count(run->program);
    for (int i = 0; i < run->trial->formula.input_count; i++) {
        names[i][0] = (char)('a' + i);
        names[i][1] = '\0';
        arguments[i] = (struct weft_argument){.name = names[i],
                                              .tensors = &run->inputs[i].described};
    }
    return count;
}

static bool check_infos(struct run *run, const struct extents *shapes)
{
    struct weft_argument arguments[FORMULA_INPUTS];
    struct weft_tensor_info infos[FORMULA_RESULTS + FORMULA_NODES];
    char names[FORMULA_INPUTS][2];
    struct weft_error *error = NULL;
    int inputs = fill_inputs(run, arguments, names);
    if (inputs != run->trial->formula.input_count ||
        weft_program_result_count(run->program) != (size_t)run->result_count)
        return conclude(run->outcome, WRONG_TYPE, "%d inputs and %zu results", inputs,
                        weft_program_result_count(run->program));
    if (weft_infer(run->program, arguments, (size_t)inputs, infos, &error) < 0)
        return refuse(run->outcome, "weft_infer", error);
    for (int r = 0; r < run->result_count; r++) {
        const struct extents *shape = &shapes[run->nodes[r]];
        bool same = infos[r].dtype == output_dtype(run, r) && infos[r].rank == shape->rank;
        for (int d = 0; same && d < shape->rank; d++)
            same = infos[r].shape[d] == shape->at[d];
        if (!same)
            return conclude(run->outcome, WRONG_TYPE, "result %d is %s of rank %d, expected %s %d", r,
                            weft_dtype_name(infos[r].dtype), infos[r].rank,
                            weft_dtype_name(output_dtype(run, r)), shape->rank);
    }
    return true;
}

/* Runs; the place of the remark, or -1. False on an error. */
static bool run_once(struct run *run, int64_t *place)
{
    struct weft_argument arguments[ARGUMENTS];
    char names[FORMULA_INPUTS][2];
    struct weft_error *error = NULL;
    int inputs = fill_inputs(run, arguments, names);
    for (int r = 0; r < run->result_count; r++)
        arguments[inputs + r] = (struct weft_argument){.tensors = &run->outputs[r].described};
    struct weft_run_params params = {.inputs = arguments, .input_count = (size_t)inputs,
                                     .outputs = arguments + inputs,
                                     .output_count = (size_t)run->result_count};
    enum weft_status status = weft_run(run->program, &params, &error);
    if (status < 0)
        return refuse(run->outcome, "weft_run", error);
    *place = status == WEFT_DIVIDE_BY_ZERO && error ? (int64_t)error->spans[0].start : -1;
    weft_error_destroy(error);
    return true;
}

/* ---- comparing ---- */

static bool check_bytes(struct run *run)
{
    for (int r = 0; r < run->result_count; r++)
        if (!buffer_kept(&run->outputs[r], run->arena))
            return conclude(run->outcome, OVERWRITTEN, "bytes between the elements of result %d", r);
    for (int i = 0; i < run->trial->formula.input_count; i++) {
        const struct buffer *buffer = &run->inputs[i];
        bool reused = false;
        for (int r = 0; r < run->trial->formula.result_count; r++)
            reused = reused || run->trial->in_place[r] == i;
        if (!reused && memcmp(buffer->memory, buffer->copy, buffer->bytes) != 0)
            return conclude(run->outcome, OVERWRITTEN, "input %c", 'a' + i);
    }
    return true;
}

static bool check_result(struct run *run, const struct evaluation *evaluation, int r)
{
    const struct buffer *buffer = &run->outputs[r];
    const union scalar *actual = buffer_read(buffer, run->arena);
    int64_t volume = extents_volume(&buffer->extents);
    bool own = r < run->trial->formula.result_count;
    char texts[2][64];
    for (int64_t e = 0; e < volume; e++) {
        union scalar expected = own ? evaluate_result(run->trial, evaluation, r, e)
                                    : evaluation->values[run->nodes[r]][e];
        if (!oracle_same(buffer->dtype, expected, actual[e]))
            return conclude(run->outcome, WRONG_VALUE, "%s%d at element %lld of %lld is %s, not %s",
                            own ? "r" : "t", own ? r : run->nodes[r], (long long)e,
                            (long long)volume, oracle_print(texts[0], buffer->dtype, actual[e]),
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
                    deviation->node, op_rows[node->op].spellings, (long long)deviation->element,
                    deviation->ulp);
}

static bool check_place(struct run *run, struct evaluation *evaluation, int64_t place)
{
    evaluate_place(run->trial, run->arena, run->nodes, run->result_count, evaluation);
    return place == evaluation->place ||
           conclude(run->outcome, WRONG_REMARK, "remark at %lld, expected at %d", (long long)place,
                    evaluation->place);
}

static bool check_all(struct run *run, struct evaluation *evaluation, int64_t place)
{
    for (int r = 0; r < run->result_count; r++)
        if (!check_result(run, evaluation, r))
            return false;
    return check_place(run, evaluation, place) && check_bytes(run);
}

/* Compiles with or without the results that tell inexact rows' values. */
static bool prepare(struct run *run, struct machine *machine, const struct extents *shapes, bool tell)
{
    if (!compile(run, machine, tell))
        return false;
    make_inputs(run);
    make_outputs(run, shapes);
    return check_infos(run, shapes);
}

/* The values of rows that are not exact come from the run. */
static bool judge(struct run *run, struct evaluation *evaluation, int64_t place)
{
    union scalar *told[FORMULA_NODES] = {NULL};
    struct deviation deviation;
    for (int r = run->trial->formula.result_count; r < run->result_count; r++)
        told[run->nodes[r]] = buffer_read(&run->outputs[r], run->arena);
    evaluate(run->trial, run->arena, 0, told, evaluation, &deviation);
    return check_deviation(run, &deviation) && check_all(run, evaluation, place);
}

static bool again(struct run *run, struct evaluation *evaluation)
{
    int64_t place;
    make_inputs(run);
    make_outputs(run, evaluation->shapes);
    if (!run_once(run, &place))
        return false;
    return check_all(run, evaluation, place) ||
           conclude(run->outcome, UNSTEADY, "a second run on the same buffers");
}

/* The program as it is, where extra results made another one of it. */
static void run_plain(struct run *told, struct machine *machine, struct evaluation *evaluation)
{
    struct run run = {.trial = told->trial, .arena = told->arena, .outcome = told->outcome};
    int64_t place;
    if (prepare(&run, machine, evaluation->shapes, false) && run_once(&run, &place))
        check_all(&run, evaluation, place);
    if (run.outcome->verdict != AGREES)
        strncat(run.outcome->message, " (without extra results)",
                sizeof run.outcome->message - strlen(run.outcome->message) - 1);
    weft_program_destroy(run.program);
}

void execute(struct machine *machine, struct trial *trial, struct arena *arena,
             struct outcome *outcome)
{
    struct run run = {.trial = trial, .arena = arena, .outcome = outcome};
    struct extents shapes[FORMULA_NODES], inputs[FORMULA_INPUTS];
    struct evaluation *evaluation = ARENA_NEW(arena, struct evaluation);
    int64_t place;
    *outcome = (struct outcome){AGREES, ""};
    if (!trial_settle(trial)) {
        conclude(outcome, SKIPPED, "the generator's program is wrong");
        return;
    }
    for (int i = 0; i < trial->formula.input_count; i++)
        inputs[i] = trial->inputs[i][0].extents;
    formula_shapes(&trial->formula, inputs, shapes);
    bool good = prepare(&run, machine, shapes, true) && run_once(&run, &place) &&
                judge(&run, evaluation, place) && (!trial->twice || again(&run, evaluation));
    weft_program_destroy(run.program);
    if (good && trial->plain && run.result_count > trial->formula.result_count)
        run_plain(&run, machine, evaluation);
}

/* ---- telling ---- */

static void print_layout(const struct layout *layout, const struct extents *extents)
{
    int64_t strides[FORMULA_RANK], first;
    layout_strides(layout, extents, strides, &first);
    printf("  strides [");
    for (int d = 0; d < extents->rank; d++)
        printf(d ? ", %lld" : "%lld", (long long)strides[d]);
    printf("] from element %lld", (long long)first);
}

static void print_values(const struct sample *sample, enum weft_dtype dtype, struct arena *arena)
{
    struct buf buf;
    int64_t volume = extents_volume(&sample->extents);
    buf_init(&buf, arena);
    for (int64_t e = 0; e < volume && e < 100; e++) {
        buf_puts(&buf, e ? ", " : "");
        scalar_print(&buf, dtype, sample->values[e]);
    }
    printf("[%s%s]", buf.text ? buf.text : "", volume > 100 ? ", ..." : "");
}

static void print_input(struct trial *trial, struct arena *arena, int input)
{
    static const struct layout dense = {0};
    int count = trial->formula.inputs[input].batch ? trial->samples : 1;
    for (int s = 0; s < count; s++) {
        const struct sample *sample = &trial->inputs[input][s];
        printf("%c: %s[", 'a' + input, type_rows[trial->formula.inputs[input].dtype].name);
        for (int d = 0; d < sample->extents.rank; d++)
            printf(d ? ", %lld" : "%lld", (long long)sample->extents.at[d]);
        printf("] = ");
        print_values(sample, trial->formula.inputs[input].dtype, arena);
        if (memcmp(&sample->layout, &dense, sizeof dense) != 0)
            print_layout(&sample->layout, &sample->extents);
        printf("\n");
    }
}

void trial_print(struct trial *trial)
{
    static struct text text;
    static const struct layout dense = {0};
    struct weft_input_type types[FORMULA_INPUTS];
    char room[FORMULA_INPUTS][208];
    struct arena arena;
    arena_init(&arena);
    formula_write(trial, &text);
    printf("%s\n", text.bytes);
    size_t count = told_types(trial, types, room);
    for (size_t i = 0; i < count; i++)
        printf("told to weft_compile: %s: %s\n", types[i].name, types[i].type);
    for (int i = 0; i < trial->formula.input_count; i++)
        print_input(trial, &arena, i);
    for (int r = 0; r < trial->formula.result_count; r++)
        if (trial->in_place[r] >= 0)
            printf("r%d is written to %c\n", r, 'a' + trial->in_place[r]);
        else if (memcmp(&trial->outputs[r], &dense, sizeof dense) != 0)
            printf("r%d has gaps\n", r);
    arena_finish(&arena);
}
