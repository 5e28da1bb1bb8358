/* weft_trace: every value of a program. The values are made results of programs of their own, which differ from the
 * given one in nothing else, and go the way of all programs: so they are what the kernels of this target compute. They
 * are taken some at a time, so that not all of them are in memory at once.
 *
 * Values are numbered: the nodes first, then those results that are converted to the type that a kernel declares. Names
 * stand for what they are bound to, and uses of an input for its first one: such a value has a `first`, of which alone
 * something is computed. */
#include "runtime/api/trace_impl.h"

#include "compiler/dump/dump.h"
#include "runtime/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GROUP_VALUES = 64,             /* most results of such a program */
    GROUP_BYTES = 64 << 20,        /* and their bytes, unless one alone has more */
    NOT_COUNTED = -1               /* there was no memory for the operands */
};

/* An element of an integer value, on which depends what take or gather read. */
struct integer {
    int node;
    int64_t at[WEFT_MAX_RANK];
    bool known;
    int64_t value;
};

struct tracing {
    const struct weft_trace_params *params;
    struct call *call;             /* of the given program; its arena has what follows */
    struct weft_argument *inputs;  /* with one sample of each batch */
    const struct program *program; /* typed, with the values of numbers */
    const struct program *base;    /* the same before it is typed */
    const struct shape **shapes;
    const char **layouts;
    struct view_args *views;
    int count;                     /* of values */
    int *first;                    /* [count] */
    int *next_use;                 /* [count] the next value with the same `first`; -1: none */
    const char **names;            /* [count] of those that are a `first`, what they are called; NULL: nothing */
    struct lines lines;            /* of the text */
    int64_t *wrapped;              /* [nodes] how many elements wrapped; NOT_COUNTED */
    bool *listed;                  /* [count] whether it is told of */
    struct element *elements;      /* [count] */
    struct summary *summaries;     /* [count] of those that are a `first` */
    bool *computed;                /* [count] the same: whether there was memory for it */
    const char **texts;            /* [count] the element at its position; NULL: none */
    struct integer *integers;
    int integer_count;
    struct weft_program *part;     /* the program whose results are the values at hand; */
    struct weft_results results;   /* these */
    enum weft_status status;       /* of the first run that had an error, or a remark */
    struct weft_error *error;
    struct weft_trace *trace;      /* the result */
};

static struct arena *arena_of(const struct tracing *t)
{
    return &t->call->arena;
}

/* ---- arguments ---- */

/* The arguments, of batches one sample. False with a diagnostic. */
static bool choose_sample(struct tracing *t)
{
    const struct weft_trace_params *params = t->params;
    struct diags *diags = &t->call->diags;
    bool batch = false;
    t->inputs = ARENA_ARRAY(arena_of(t), struct weft_argument, params->input_count + 1);
    for (size_t i = 0; i < params->input_count; i++) {
        struct weft_argument *input = &t->inputs[i];
        *input = params->inputs[i];
        if (!input->batch || !input->tensors)
            continue;
        if (params->sample < 0 || params->sample >= input->count)
            return diag_at(diags, DIAG_TRACE_SAMPLE, NULL, 0, (long long)params->sample, (long long)input->count);
        input->tensors += params->sample;
        input->count = 1;
        batch = true;
    }
    return batch || !params->sample || diag_at(diags, DIAG_TRACE_NO_BATCH, NULL, 0, (long long)params->sample);
}

static bool read_inputs(struct tracing *t)
{
    struct call *call = t->call;
    call->inputs = read_arguments(call, t->inputs, t->params->input_count, false, true);
    for (int i = 0; call->inputs && i < call->program->parsed->input_count; i++)
        if (call->inputs[i].device)
            diag_at(&call->diags, DIAG_TRACE_DEVICE, NULL, 0, weft_program_input_name(call->program, (size_t)i));
    return !call->diags.errors && find_typed(call);
}

/* The program before it was typed, with the same nodes: dimensions are matched by name. NULL with diagnostics. */
static const struct program *matched(const struct tracing *t)
{
    const struct program *parsed = t->call->program->parsed;
    if (!parsed->names_open)
        return parsed;
    struct program *copy = program_copy(arena_of(t), parsed);
    for (int i = 0; i < copy->input_count; i++) {
        struct symbol *symbol = &copy->symbols[copy->inputs[i]];
        symbol->type.dtype = t->call->inputs[i].dtype;
        symbol->typed = true;
        symbol->seen_rank = t->call->inputs[i].rank + 1;
    }
    copy->diags = &t->call->diags;
    struct pipeline pipeline = {.arena = arena_of(t), .diags = copy->diags, .parsed = copy, .last = true};
    return pipeline_run(&pipeline, PASS_NAMES, PASS_NAMES) ? pipeline.parsed : NULL;
}

/* ---- which values ---- */

/* The result that value n is, converted; NULL: it is a node. */
static const struct result *converted(const struct tracing *t, int n)
{
    return n < t->program->node_count ? NULL : &t->program->results[n - t->program->node_count];
}

static int node_of(const struct tracing *t, int n)
{
    return converted(t, n) ? converted(t, n)->node : n;
}

static enum weft_dtype dtype_of(const struct tracing *t, int n)
{
    return converted(t, n) ? converted(t, n)->dtype : t->program->nodes[n].dtype;
}

static const struct shape *shape_of(const struct tracing *t, int n)
{
    return t->shapes[node_of(t, n)];
}

/* Whether a formula casts a value to the type that it has. */
static bool casts_nothing(const struct tracing *t, const struct node *node)
{
    return node->kind == NODE_CAST && node->made && operand_node(t->program, node, 0)->dtype == node->dtype;
}

static void find_first(struct tracing *t)
{
    const struct program *program = t->program;
    int *uses = ARENA_ARRAY(arena_of(t), int, program->symbol_count);
    t->count = program->node_count + program->result_count;
    t->first = ARENA_ARRAY(arena_of(t), int, t->count);
    memset(uses, -1, (size_t)program->symbol_count * sizeof *uses);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        if (symbol && symbol->kind == SYMBOL_INPUT && uses[node->symbol] < 0)
            uses[node->symbol] = n;
        t->first[n] = !symbol                          ? n
                      : symbol->kind == SYMBOL_BINDING ? t->first[symbol->node]
                                                       : uses[node->symbol];
        if (casts_nothing(t, node))
            t->first[n] = t->first[program->operands[node->operands]];
    }
    for (int n = program->node_count; n < t->count; n++)
        t->first[n] = n;
    t->next_use = ARENA_ARRAY(arena_of(t), int, t->count);
    memset(t->next_use, -1, (size_t)t->count * sizeof *t->next_use);
    for (int n = 0; n < t->count; n++) {
        if (t->first[n] == n)
            continue;
        t->next_use[n] = t->next_use[t->first[n]];
        t->next_use[t->first[n]] = n;
    }
}

static bool is_literal(const struct tracing *t, int n)
{
    return !converted(t, n) && t->program->nodes[n].literal.kind != LITERAL_NONE;
}

/* Whether it is a number as written, with its sign, or a list of them. */
static bool is_written(const struct tracing *t, const struct node *node)
{
    const bool sign = node->kind == NODE_OP && op_rows[node->op].form == FORM_PREFIX &&
                      operand_node(t->program, node, 0)->kind == NODE_LITERAL;
    return node->kind == NODE_LITERAL || node->kind == NODE_ARRAY || sign;
}

/* Whether a node is told of, as far as its kind decides. What is written in the text, and casts by which a formula
 * changes nothing, would hide the rest. */
static bool tells(const struct tracing *t, const struct node *node)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &t->program->symbols[node->symbol] : NULL;
    const bool literal = node->literal.kind != LITERAL_NONE;
    if (node->kind == NODE_POISON || is_written(t, node) || node->poison || node->failed ||
        (literal && (node->made || (symbol && symbol->kind == SYMBOL_BINDING))))
        return false;
    return !(symbol && symbol->hidden) && !casts_nothing(t, node);
}

/* A use of a value that is told of elsewhere is only told of where another element of it is asked for. */
static bool tells_use(const struct tracing *t, int n)
{
    const struct element *own = &t->elements[n], *first = &t->elements[t->first[n]];
    return t->first[n] == n || (own->state == ELEMENT_ONE &&
                                (first->state != ELEMENT_ONE ||
                                 memcmp(own->at, first->at, (size_t)t->shapes[n]->rank * sizeof *own->at) != 0));
}

static void list_values(struct tracing *t)
{
    const struct program *program = t->program;
    const bool *element = dump_array_elements(arena_of(t), program);
    t->listed = ARENA_ARRAY(arena_of(t), bool, t->count);
    for (int r = 0; r < program->result_count; r++) {
        const struct result *result = &program->results[r];
        t->listed[program->node_count + r] = result->has_dtype && result->dtype != program->nodes[result->node].dtype;
        t->elements[program->node_count + r] = t->elements[result->node];
    }
    for (int n = 0; n < program->node_count; n++)
        t->listed[n] = !element[n] && tells(t, &program->nodes[n]) && tells_use(t, n);
    for (int n = 0; n < program->node_count; n++) /* a literal expression is one value */
        for (int i = 0; is_literal(t, n) && i < program->nodes[n].operand_count; i++)
            if (is_literal(t, program->operands[program->nodes[n].operands + i]) &&
                program->nodes[program->operands[program->nodes[n].operands + i]].kind != NODE_NAME)
                t->listed[program->operands[program->nodes[n].operands + i]] = false;
}

/* ---- elements ---- */

static const char *numbers_text(const struct tracing *t)
{
    struct buf text = buf_new(arena_of(t));
    for (int d = 0; d < t->params->at_count; d++)
        buf_printf(&text, d ? ", %lld" : "%lld", (long long)t->params->at[d]);
    return text.text;
}

/* Whether the position lies in a shape; *at then counts from 0. */
static bool lies_in(const struct tracing *t, const struct shape *shape, int64_t *at)
{
    bool lies = shape->rank == t->params->at_count;
    for (int d = 0; lies && d < shape->rank; d++) {
        at[d] = t->params->at[d] + (t->params->at[d] < 0 ? shape->extents[d] : 0);
        lies = at[d] >= 0 && at[d] < shape->extents[d];
    }
    return lies;
}

static bool use_results(struct tracing *t, const struct elements *elements)
{
    const struct result *first = &t->program->results[0];
    const struct shape *shape = t->shapes[first->node];
    struct diags *diags = &t->call->diags;
    int64_t at[WEFT_MAX_RANK];
    bool any = false;
    for (int r = 0; r < t->program->result_count; r++)
        if (lies_in(t, t->shapes[t->program->results[r].node], at)) {
            elements_use(elements, t->program->results[r].node, at);
            any = true;
        }
    if (any)
        return true;
    const char *text = shape_text(arena_of(t), t->program, shape);
    return shape->rank != t->params->at_count
               ? diag(diags, DIAG_TRACE_RANK, first->span, numbers_text(t), t->params->at_count,
                      t->params->at_count == 1 ? "" : "s", first->name, text, shape->rank)
               : diag(diags, DIAG_TRACE_AT, first->span, numbers_text(t), first->name, text);
}

/* Finds an integer, or notes that it is wanted. */
static bool find_integer(void *user, int node, const int64_t *at, int64_t *value)
{
    struct tracing *t = user;
    const int first = t->first[node], rank = t->shapes[first]->rank;
    for (int i = 0; i < t->integer_count; i++)
        if (t->integers[i].node == first && memcmp(t->integers[i].at, at, (size_t)rank * sizeof *at) == 0) {
            *value = t->integers[i].value;
            return t->integers[i].known;
        }
    struct integer wanted = {.node = first};
    memcpy(wanted.at, at, (size_t)rank * sizeof *at);
    ARENA_PUSH(arena_of(t), t->integers, t->integer_count, wanted);
    return false;
}

/* The element as a text; *address, where the value's elements begin, becomes its own. */
static const char *element_at(const struct tracing *t, int n, const int64_t *at, const void **address)
{
    const struct shape *shape = shape_of(t, n);
    int64_t number = 0;
    for (int d = 0; d < shape->rank; d++)
        number = number * shape->extents[d] + at[d];
    const enum weft_dtype dtype = dtype_of(t, n);
    struct buf text = buf_new(arena_of(t));
    *address = (const char *)*address + number * type_rows[dtype].size;
    scalar_print(&text, dtype, scalar_load(*address, dtype));
    return text.text;
}

static void read_integers(struct tracing *t, int node, const void *data)
{
    const enum weft_dtype dtype = t->program->nodes[node].dtype;
    for (int i = 0; i < t->integer_count; i++) {
        struct integer *integer = &t->integers[i];
        const void *address = data;
        if (integer->known || integer->node != node)
            continue;
        element_at(t, node, integer->at, &address);
        integer->value = eval_convert(dtype, WEFT_INT64, false, scalar_load(address, dtype)).i64;
        integer->known = true;
    }
}

/* ---- computing ---- */

static void destroy_part(struct tracing *t)
{
    weft_results_free(&t->results);
    weft_program_destroy(t->part);
    t->part = NULL;
}

/* A program like the given one whose results are these values. */
static void make_part(struct tracing *t, const int *values, int count)
{
    const struct weft_program *whole = t->call->program;
    t->part = calloc(1, sizeof *t->part);
    if (!t->part)
        arena_fail(arena_of(t));
    *t->part = (struct weft_program){.context = whole->context, .source = whole->source, .math = whole->math,
                                     .ignore_unused = true, .alignments = whole->alignments, .warned = true,
                                     .pictured = true};
    pthread_mutex_init(&t->part->mutex, NULL);
    struct arena *arena = &t->part->arena;
    arena->out_of_memory = arena_of(t)->out_of_memory;
    struct program *parsed = t->part->text = t->part->parsed = program_copy(arena, t->base);
    parsed->names_open = false;
    parsed->result_count = count;
    parsed->results = ARENA_ARRAY(arena, struct result, count);
    for (int i = 0; i < count; i++) {
        const int node = node_of(t, values[i]);
        parsed->results[i] = (struct result){.name = arena_printf(arena, "%d", i), .node = node,
                                             .span = parsed->nodes[node].span, .dtype = dtype_of(t, values[i]),
                                             .has_dtype = converted(t, values[i])};
    }
}

/* Keeps what the first run says that has an error, or else a remark. */
static void keep_status(struct tracing *t, enum weft_status status, struct weft_error *error)
{
    if (status < 0 ? t->status >= 0 : t->status == WEFT_OK && status != WEFT_OK) {
        weft_error_destroy(t->error);
        t->status = status;
        t->error = error;
    } else {
        weft_error_destroy(error);
    }
}

static bool run_part(struct tracing *t)
{
    struct weft_error *error = NULL;
    enum weft_status status =
        weft_results_alloc(t->part, t->inputs, t->params->input_count, &t->results, &error);
    if (status >= 0) {
        const struct weft_run_params run = {.inputs = t->inputs, .input_count = t->params->input_count,
                                            .outputs = t->results.items, .output_count = t->results.count,
                                            .first_sample = t->params->first_sample + t->params->sample};
        status = weft_run(t->part, &run, &error);
    }
    keep_status(t, status, error);
    return status >= 0;
}

/* What is done with each value that was computed. */
typedef void look_at(struct tracing *t, int n, const void *data);

static double bytes_of(const struct tracing *t, int n)
{
    return (double)shape_volume(shape_of(t, n)) * type_rows[dtype_of(t, n)].size;
}

/* Whether the machine has memory for a value and for what is beside it. No run stores it but this one. */
static bool fits_memory(const struct tracing *t, int n)
{
    const double available = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return bytes_of(t, n) <= GROUP_BYTES || available <= 0 || bytes_of(t, n) < available / 2;
}

/* Computes these values, each a `first`, in groups; those for which there is no memory are left out. False: a run
 * failed. */
static bool compute(struct tracing *t, const int *values, int count, look_at *look)
{
    int *group = ARENA_ARRAY(arena_of(t), int, GROUP_VALUES);
    bool good = true;
    for (int next = 0; good && next < count;) {
        double bytes = 0;
        int size = 0;
        for (; next < count && size < GROUP_VALUES; next++) {
            const double more = bytes_of(t, values[next]);
            if (size && bytes + more > GROUP_BYTES)
                break;
            if (fits_memory(t, values[next])) {
                group[size++] = values[next];
                bytes += more;
            }
        }
        if (!size)
            break;
        make_part(t, group, size);
        good = run_part(t);
        for (int i = 0; good && i < size; i++)
            look(t, group[i], t->results.items[i].tensors[0].data);
        destroy_part(t);
    }
    return good;
}

/* Computes the integers that are wanted. */
static bool compute_integers(struct tracing *t)
{
    int *values = NULL, count = 0;
    for (int i = 0; i < t->integer_count; i++) {
        bool there = t->integers[i].known;
        for (int k = 0; k < count; k++)
            there = there || values[k] == t->integers[i].node;
        if (!there)
            ARENA_PUSH(arena_of(t), values, count, t->integers[i].node);
    }
    return compute(t, values, count, read_integers);
}

/* Finds the elements. Where positions are computed, those are found first: with each turn more of them. */
static bool find_elements(struct tracing *t)
{
    const int count = t->program->node_count;
    const struct elements elements = {.arena = arena_of(t), .program = t->program, .shapes = t->shapes,
                                      .views = t->views, .items = ARENA_ARRAY(arena_of(t), struct element, t->count),
                                      .integer = find_integer, .user = t};
    t->elements = elements.items;
    if (!t->params->at)
        return true;
    for (int before = -1; before < t->integer_count;) {
        before = t->integer_count;
        memset(elements.items, 0, (size_t)count * sizeof *elements.items);
        if (!use_results(t, &elements))
            return false;
        elements_find(&elements);
        if (t->integer_count > before && !compute_integers(t))
            return false;
    }
    return true;
}

static void look_at_value(struct tracing *t, int n, const void *data)
{
    t->summaries[n] = summary_of(dtype_of(t, n), data, shape_volume(shape_of(t, n)));
    t->computed[n] = true;
    for (int use = n; use >= 0; use = t->next_use[use]) {
        const void *address = data;
        if (t->listed[use] && t->elements[use].state == ELEMENT_ONE)
            t->texts[use] = element_at(t, n, t->elements[use].at, &address);
    }
}

static bool compute_values(struct tracing *t)
{
    int *values = ARENA_ARRAY(arena_of(t), int, t->count), count = 0;
    bool *taken = ARENA_ARRAY(arena_of(t), bool, t->count);
    t->summaries = ARENA_ARRAY(arena_of(t), struct summary, t->count);
    t->computed = ARENA_ARRAY(arena_of(t), bool, t->count);
    t->texts = ARENA_ARRAY(arena_of(t), const char *, t->count);
    for (int n = 0; n < t->count; n++)
        if (t->listed[n] && !is_literal(t, n) && !taken[t->first[n]]) {
            taken[t->first[n]] = true;
            values[count++] = t->first[n];
        }
    return compute(t, values, count, look_at_value);
}

/* ---- integers that wrapped ---- */

/* The operand, computed unless it is a literal; false: there is no memory for it. */
static bool choose_operand(const struct tracing *t, const struct node *node, int i, struct wrap_operand *operand,
                           int *values, int *count)
{
    const int n = t->first[t->program->operands[node->operands + i]];
    const struct node *from = named_node(t->program, operand_node(t->program, node, i));
    bool infinite;
    *operand = (struct wrap_operand){.dtype = dtype_of(t, n), .shape = shape_of(t, n)};
    if (from->literal.kind != LITERAL_NONE) {
        operand->value = literal_meet(&from->literal, node->dtype, &infinite);
        return true;
    }
    values[(*count)++] = n;
    return fits_memory(t, n);
}

/* Counts the elements of one operation. False: a run failed. */
static bool count_wrapped(struct tracing *t, int n)
{
    const struct node *node = &t->program->nodes[n];
    struct wrap_operand operands[2];
    int values[2], count = 0;
    bool fits = true;
    for (int i = 0; i < node->operand_count && i < 2; i++)
        fits = choose_operand(t, node, i, &operands[i], values, &count) && fits;
    if (!fits || node->operand_count > 2) {
        t->wrapped[n] = NOT_COUNTED;
        return true;
    }
    make_part(t, values, count);
    const bool good = run_part(t);
    for (int i = 0, made = 0; good && i < node->operand_count; i++)
        if (named_node(t->program, operand_node(t->program, node, i))->literal.kind == LITERAL_NONE)
            operands[i].data = t->results.items[made++].tensors[0].data;
    if (good)
        t->wrapped[n] = count_wraps(node, shape_of(t, n), operands);
    destroy_part(t);
    return good;
}

static bool may_not_wrap(const struct tracing *t, int n)
{
    const struct node *node = &t->program->nodes[n];
    const struct summary *operands[2] = {NULL};
    for (int i = 0; i < node->operand_count && i < 2; i++) {
        const int operand = t->first[t->program->operands[node->operands + i]];
        operands[i] = t->computed[operand] ? &t->summaries[operand] : NULL;
    }
    return cannot_wrap(t->program, node, operands);
}

static bool find_wrapped(struct tracing *t)
{
    bool good = true;
    t->wrapped = ARENA_ARRAY(arena_of(t), int64_t, t->program->node_count);
    for (int n = 0; good && n < t->program->node_count; n++)
        if (t->listed[n] && t->first[n] == n && t->computed[n] && counts_wraps(&t->program->nodes[n]) &&
            !may_not_wrap(t, n))
            good = count_wrapped(t, n);
    return good;
}

/* ---- what is told ---- */

static const char *type_text(const struct tracing *t, int n)
{
    const int from = node_of(t, n);
    const struct node *node = &t->program->nodes[from];
    const struct dims *dims = t->program->dims ? t->program->dims[from] : NULL;
    const char *layout = t->layouts[from];
    if (is_literal(t, n) && node_literal_dtype(t->program, node) == WEFT_DTYPE_COUNT)
        return "-";
    return dims ? named_type_text(arena_of(t), t->program, dtype_of(t, n), dims, shape_of(t, n)->extents)
                : arena_printf(arena_of(t), "%s%s%s%s", type_rows[dtype_of(t, n)].name,
                               shape_of(t, n)->rank ? shape_text(arena_of(t), t->program, shape_of(t, n)) : "",
                               layout && *layout ? "@" : "", layout ? layout : "");
}

/* Finds what values are called: bindings before results. */
static void find_names(struct tracing *t)
{
    const struct program *program = t->program;
    t->names = ARENA_ARRAY(arena_of(t), const char *, t->count);
    for (int i = 0; i < program->symbol_count; i++) {
        const struct symbol *symbol = &program->symbols[i];
        if (symbol->kind == SYMBOL_BINDING && !symbol->hidden && !t->names[t->first[symbol->node]])
            t->names[t->first[symbol->node]] = symbol->name;
    }
    for (int r = 0; r < program->result_count; r++) {
        const int own = program->node_count + r, node = t->listed[own] ? own : t->first[program->results[r].node];
        t->names[node] = t->names[node] ? t->names[node] : program->results[r].name;
    }
}

static const char *scalar_text(const struct tracing *t, enum weft_dtype dtype, union scalar value)
{
    struct buf text = buf_new(arena_of(t));
    scalar_print(&text, dtype, value);
    return text.text;
}

/* The numbers of a value that was computed. */
static void tell_numbers(const struct tracing *t, int n, struct weft_traced *value)
{
    const struct summary *summary = &t->summaries[t->first[n]];
    if (!t->computed[t->first[n]])
        value->rule = arena_printf(arena_of(t), "%s; too large for this machine's memory", value->rule);
    value->smallest = summary->any ? scalar_text(t, value->dtype, summary->smallest) : "";
    value->largest = summary->any ? scalar_text(t, value->dtype, summary->largest) : "";
    value->mean = t->computed[t->first[n]] ? summary->mean : (double)NAN;
    value->nan_count = summary->nan_count;
    value->inf_count = summary->inf_count;
}

static void tell_literal(const struct tracing *t, const struct literal *literal, struct weft_traced *value)
{
    struct buf text = buf_new(arena_of(t));
    const double number = literal_number(literal);
    literal_print(&text, literal);
    value->smallest = value->largest = isnan(number) ? "" : text.text;
    value->mean = isfinite(number) ? number : (double)NAN;
    value->nan_count = isnan(number);
    value->inf_count = isinf(number) != 0;
    value->element = text.text;
}

/* What happened to digits. */
static void tell_digits(const struct tracing *t, int n, struct buf *rule)
{
    const struct node *node = &t->program->nodes[n];
    const int64_t count = shape_volume(shape_of(t, n));
    if (t->wrapped[t->first[n]] == NOT_COUNTED)
        buf_printf(rule, "; may wrap %s", wrap_limit(arena_of(t), node));
    else
        buf_puts(rule, wrapped_words(arena_of(t), node, t->wrapped[t->first[n]], count));
    for (int i = 0; i < node->operand_count; i++) {
        const int from = t->first[t->program->operands[node->operands + i]];
        if (t->computed[from])
            buf_puts(rule, rounded_words(arena_of(t), t->program, node, i, &t->summaries[from],
                                         shape_volume(shape_of(t, from))));
    }
}

static struct weft_traced tell(const struct tracing *t, int n)
{
    const struct node *node = &t->program->nodes[node_of(t, n)];
    const struct source *source = t->program->source;
    const int line = line_of(&t->lines, node->span.start); /* comments end lines, so what is before it is ASCII */
    struct buf rule = buf_new(arena_of(t));
    if (converted(t, n))
        buf_printf(&rule, "result, cast from %s", type_rows[node->dtype].name);
    else
        dump_node_rule(&rule, t->program, node);
    if (!converted(t, n))
        tell_digits(t, n, &rule);
    struct weft_traced value = {
        .name = t->first[n] == n && t->names[n] ? t->names[n] : "", .span = {node->span.start, node->span.end},
        .text = arena_string(arena_of(t), source->text + node->span.start, node->span.end - node->span.start),
        .line = (size_t)line + 1, .column = node->span.start - t->lines.starts[line] + 1,
        .rule = rule.text, .type = type_text(t, n), .dtype = dtype_of(t, n), .rank = shape_of(t, n)->rank,
        .element = ""};
    memcpy(value.shape, shape_of(t, n)->extents, (size_t)value.rank * sizeof *value.shape);
    if (is_literal(t, n))
        tell_literal(t, &node->literal, &value);
    else
        tell_numbers(t, n, &value);
    if (t->elements[n].state == ELEMENT_ONE)
        value.at = t->elements[n].at;
    if (t->texts[n] || !value.at)
        value.element = t->texts[n] ? t->texts[n] : "";
    return value;
}

static void pack_values(struct tracing *t)
{
    struct weft_traced *values = NULL;
    int count = 0;
    find_names(t);
    t->lines = find_lines(arena_of(t), t->program->source);
    for (int n = 0; n < t->count; n++)
        if (t->listed[n])
            ARENA_PUSH(arena_of(t), values, count, tell(t, n));
    t->trace = trace_pack(values, (size_t)count);
    if (!t->trace)
        arena_fail(arena_of(t));
}

/* ---- the call ---- */

static void trace(struct call *call, const void *user)
{
    struct tracing *t = *(struct tracing *const *)user;
    t->call = call;
    if (!choose_sample(t) || !read_inputs(t))
        return;
    t->program = call_program(call);
    t->base = matched(t);
    if (t->base)
        t->shapes = plan_shapes(arena_of(t), t->program, call->inputs, &t->layouts, &t->views, &call->diags);
    if (!t->shapes)
        return;
    find_first(t);
    if (!find_elements(t))
        return;
    list_values(t);
    if (compute_values(t) && find_wrapped(t))
        pack_values(t);
}

enum weft_status weft_trace(struct weft_program *program, const struct weft_trace_params *params,
                            struct weft_trace **trace_out, struct weft_error **error)
{
    if (trace_out)
        *trace_out = NULL;
    if (!program || !params || !trace_out || (params->input_count && !params->inputs) || params->at_count < 0)
        return invalid_call(error, "weft_trace needs a program, its inputs and a place for the trace, found NULL");
    struct tracing t = {.params = params}, *user = &t;
    const int saved = errno;
    struct weft_error *own = NULL;
    const enum weft_status status = call_make(program, trace, &user, false, &own);
    destroy_part(&t);
    if (status < 0 || !t.status) {
        weft_error_destroy(t.error);
        t.error = own;
        t.status = status;
    }
    if (error)
        *error = t.error;
    else
        weft_error_destroy(t.error);
    if (t.status < 0) {
        free(t.trace);
        t.trace = NULL;
    }
    *trace_out = t.trace;
    errno = saved;
    return t.status;
}
