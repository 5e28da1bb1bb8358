/* Checks overlaps of operands; see overlap_impl.h. Most batches are settled by a few numbers: their
 * operands lie apart, or their samples are evenly spaced and so form one tensor with another dimension.
 * Otherwise all samples are sorted by address, and only those whose ranges overlap are compared. */
#include "runtime/run/overlap_impl.h"

enum { MOST_SHOWN = 40 };

/* ---- what a plan allows ---- */

int last_use(const struct plan *plan, enum tensor_kind kind, int index)
{
    int last = -1;
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct kernel *kernel = plan->kernels[k].kernel;
        for (int a = 0; a < kernel->access_count; a++)
            if (kernel->accesses[a].kind == kind && kernel->accesses[a].index == index &&
                plan->kernels[k].order > last)
                last = plan->kernels[k].order;
    }
    return last;
}

/* Whether the output may be the input's buffer: every kernel that reads the input reads only the element
 * that it writes, and no later kernel reads the input. */
static bool may_replace(const struct plan *plan, int input, int r)
{
    return plan->viewed[input] < 0 && last_use(plan, TENSOR_INPUT, input) <= last_use(plan, TENSOR_RESULT, r);
}

static const char *input_name(const struct call *call, int input)
{
    const struct program *program = call->typed->program;
    return program->symbols[program->inputs[input]].name;
}

/* The view because of which an output may not be the input's buffer; NULL: there is none. */
static const struct span *view_span(const struct plan *plan, int input)
{
    const int view = plan ? plan->viewed[input] : -1;
    return view < 0 ? NULL : &plan->typed->program->nodes[view].span;
}

static const char *view_text(struct call *call, const struct span *view)
{
    const char *text = call->typed->program->source->text;
    const int length = view ? (int)(view->end - view->start) : 0;
    const bool whole = length <= MOST_SHOWN;
    return !view ? "" : arena_printf(&call->arena,
                                     ", of which '%.*s%s' reads other elements than the one being written",
                                     whole ? length : MOST_SHOWN, text + view->start, whole ? "" : "...");
}

bool check_overlap(struct call *call, int r)
{
    const struct program *program = call->typed->program;
    const struct tensor *inputs = call->slabs ? call->whole.inputs : call->inputs;
    const struct tensor *outputs = call->slabs ? call->whole.outputs : call->outputs, *output = &outputs[r];
    const struct plan *plan = call->slabs ? call->parts[PART_SAMPLES].segments->plan : call->plan;
    const char *what = NULL;
    const struct span *view = NULL;
    for (int i = 0; i < program->input_count && !what; i++) {
        if (!tensors_overlap(output, &inputs[i]))
            continue;
        const bool same = tensors_same(output, &inputs[i]);
        if (same && may_replace(plan, i, r))
            continue;
        view = same ? view_span(plan, i) : NULL;
        what = arena_printf(&call->arena, "input '%s'%s", input_name(call, i), view_text(call, view));
    }
    for (int i = 0; i < r && !what; i++)
        if (tensors_overlap(output, &outputs[i]))
            what = arena_printf(&call->arena, "output '%s'", program->results[i].name);
    return !what || diag_at(&call->diags, DIAG_OVERLAP, view, view != NULL, program->results[r].name, what);
}

/* ---- batches ---- */

/* Operands are numbered: inputs, then outputs. */
static bool is_output(const struct call *call, int o)
{
    return o >= call->typed->program->input_count;
}

/* Whether sample `i` of an output may be the buffer of sample `j` of an input, as far as the program
 * decides it. Results that depend on no batch are computed last. */
static bool may_replace_sample(const struct call *call, const struct plan *plan, int input, int64_t j,
                               int r, int64_t i)
{
    const struct batch_part *plain = &call->parts[PART_PLAIN];
    bool from = call->inputs[input].batch, to = call->batched[r];
    if ((from != to && call->samples > 1) ||
        (to && !from && plain->count && last_use(plain->segments->plan, TENSOR_INPUT, input) >= 0))
        return false;
    return i == j && may_replace(to ? plan : plain->segments->plan, input, r);
}

/* `view`: what forbids that the output is the very buffer of the input; NULL: it is not, or something else does. */
static bool report(struct call *call, int o, int64_t i, int other, int64_t j, const struct span *view)
{
    int inputs = call->typed->program->input_count;
    const char *name = call->typed->program->results[o - inputs].name;
    const char *kind = other < inputs ? "input" : "output";
    const char *whose = other < inputs ? input_name(call, other)
                                       : call->typed->program->results[other - inputs].name;
    const bool batch = call_operand(call, other)->batch;
    const char *sample = batch ? arena_printf(&call->arena, "sample %lld of ", (long long)j) : "";
    const char *what = arena_printf(&call->arena, "%s%s '%s'%s", sample, kind, whose, view_text(call, view));
    if (call_operand(call, o)->batch)
        return diag_at(&call->diags, DIAG_BATCH_OVERLAP, view, view != NULL, (long long)i, name, what);
    return diag_at(&call->diags, DIAG_OVERLAP, view, view != NULL, name, what);
}

/* ---- apart, or evenly spaced ---- */

static bool lie_apart(const struct call *call, const struct occupied *all)
{
    int count = call_operands(call);
    for (int o = 0; o < count; o++) {
        if (!is_output(call, o))
            continue;
        if (call_operand(call, o)->batch && !all[o].ascending)
            return false;
        for (int other = 0; other < count; other++)
            if (other != o && all[o].low < all[other].high && all[other].low < all[o].high)
                return false;
    }
    return true;
}

/* All samples of an operand as one tensor. */
struct whole {
    struct tensor tensor;
    int64_t shape[WEFT_MAX_RANK + 1], strides[WEFT_MAX_RANK + 1];
};

static bool make_whole(const struct call *call, int o, const struct occupied *occupied,
                       struct whole *whole)
{
    const struct tensor *last = call_operand(call, o);
    int64_t size = type_rows[last->dtype].size, samples = last->batch ? call->samples : 1;
    if (last->rank >= WEFT_MAX_RANK || (samples > 1 && (!occupied->even || occupied->step % size != 0)))
        return false;
    whole->tensor = (struct tensor){
        .dtype = last->dtype, .rank = last->rank + 1, .shape = whole->shape, .strides = whole->strides,
        .data = (char *)last->data - (samples > 1 ? (samples - 1) * occupied->step : 0),
        .first = occupied->low, .end = occupied->high};
    whole->shape[0] = samples;
    whole->strides[0] = samples > 1 ? occupied->step / size : 0;
    for (int d = 0; d < last->rank; d++) {
        whole->shape[d + 1] = last->shape[d];
        whole->strides[d + 1] = last->strides[d];
    }
    return true;
}

/* Whether that shows that nothing overlaps. All samples must have the same shapes and strides. */
static bool are_evenly_apart(struct call *call, const struct occupied *all)
{
    int count = call_operands(call), inputs = call->typed->program->input_count;
    struct whole *wholes = ARENA_ARRAY(&call->arena, struct whole, count);
    for (int o = 0; o < count; o++)
        if (!make_whole(call, o, &all[o], &wholes[o]))
            return false;
    for (int o = inputs; o < count; o++) {
        const struct tensor *output = &wholes[o].tensor;
        if (tensor_overlaps_itself(output))
            return false;
        for (int other = 0; other < o; other++) {
            const struct tensor *tensor = &wholes[other].tensor;
            bool replaces = other < inputs && tensors_same(output, tensor) &&
                            may_replace_sample(call, call->parts[PART_SAMPLES].segments->plan, other, 0,
                                               o - inputs, 0);
            if (tensors_overlap(output, tensor) && !replaces)
                return false;
        }
    }
    return true;
}

/* ---- sorted by address ---- */

struct interval {
    uintptr_t first, end;
    int operand, segment;
    int64_t sample;
};

struct sweep {
    struct call *call;
    struct interval *items, *room;
    size_t count;
    size_t *open[2], open_count[2]; /* [inputs, outputs] items whose end is not passed yet */
    const struct span *view;       /* that forbade the last pair to meet; NULL: it was something else */
    size_t left;                   /* comparisons left; without any, overlapping ranges count as overlaps */
};

/* The sample as a tensor. `strides` is memory for its strides. */
static struct tensor sample_tensor(struct call *call, const struct interval *at, int64_t *strides)
{
    const struct tensor *from = call_operand(call, at->operand);
    struct tensor tensor = *from;
    if (!from->batch)
        return tensor;
    tensor.strides = strides;
    tensor_read(&from->samples[at->sample], false, "", "", &tensor, &call->diags);
    return tensor;
}

static size_t list(struct sweep *sweep, int o, const struct batch_part *part, struct interval *to)
{
    int64_t strides[WEFT_MAX_RANK];
    size_t count = 0;
    for (int s = 0; s < part->count; s++) {
        const struct segment *segment = &part->segments[s];
        struct interval at = {.operand = o, .segment = s, .sample = segment->first};
        struct tensor tensor = sample_tensor(sweep->call, &at, strides);
        uintptr_t from = tensor.first - (uintptr_t)tensor.data, end = tensor.end - (uintptr_t)tensor.data;
        int64_t samples = tensor.batch ? segment->count : 1;
        for (int64_t i = 0; i < samples && from != end; i++, at.sample++) {
            const DLTensor *sample = tensor.samples + (tensor.batch ? at.sample : 0);
            uintptr_t data = (uintptr_t)sample->data + sample->byte_offset;
            at.first = data + from;
            at.end = data + end;
            to[count++] = at;
        }
        if (!tensor.batch)
            break;
    }
    return count;
}

static bool list_all(struct sweep *sweep)
{
    struct call *call = sweep->call;
    size_t count = (size_t)call_operands(call), most = 0;
    const struct batch_part *samples = &call->parts[PART_SAMPLES], *plain = &call->parts[PART_PLAIN];
    for (size_t o = 0; o < count; o++)
        most += call_operand(call, (int)o)->batch ? (size_t)call->samples : 1;
    sweep->items = ARENA_ARRAY(&call->arena, struct interval, most);
    sweep->room = ARENA_ARRAY(&call->arena, struct interval, most);
    sweep->open[0] = ARENA_ARRAY(&call->arena, size_t, most);
    sweep->open[1] = ARENA_ARRAY(&call->arena, size_t, most);
    for (size_t o = 0; o < count; o++)
        sweep->count += list(sweep, (int)o,
                             samples->count || call_operand(call, (int)o)->batch ? samples : plain,
                             sweep->items + sweep->count);
    sweep->left = 64 * sweep->count + 4096;
    return sweep->count > 0;
}

/* The end of the run of ascending items that begins at `begin`. */
static size_t ascent(const struct interval *items, size_t begin, size_t count)
{
    size_t end = begin < count ? begin + 1 : count;
    while (end < count && items[end - 1].first <= items[end].first)
        end++;
    return end;
}

/* Merges neighbouring ascending runs until one is left. Items that are almost in order take little time. */
static void sort(struct sweep *sweep)
{
    while (ascent(sweep->items, 0, sweep->count) < sweep->count) {
        const struct interval *from = sweep->items;
        struct interval *to = sweep->room;
        for (size_t begin = 0; begin < sweep->count;) {
            size_t a = begin, middle = ascent(from, begin, sweep->count), b = middle;
            size_t end = ascent(from, middle, sweep->count);
            for (; begin < end; begin++)
                *to++ = b == end || (a < middle && from[a].first <= from[b].first) ? from[a++] : from[b++];
        }
        sweep->room = sweep->items;
        sweep->items = to - sweep->count;
    }
}

/* Whether two samples whose ranges overlap are allowed to. `output` is an output's. */
static bool may_meet(struct sweep *sweep, const struct interval *output, const struct interval *other)
{
    struct call *call = sweep->call;
    int64_t strides[2][WEFT_MAX_RANK];
    const struct tensor a = sample_tensor(call, output, strides[0]);
    const struct tensor b = sample_tensor(call, other, strides[1]);
    const struct batch_part *samples = &call->parts[PART_SAMPLES];
    const struct plan *plan = samples->count ? samples->segments[output->segment].plan : NULL;
    const bool same = !is_output(call, other->operand) && tensors_same(&a, &b);
    sweep->view = same ? view_span(plan, other->operand) : NULL;
    if (sweep->left == 0)
        return false;
    sweep->left--;
    bool replaces = same &&
                    may_replace_sample(call, plan, other->operand, other->sample,
                                       output->operand - call->typed->program->input_count, output->sample);
    return replaces || !tensors_meet(&a, &b);
}

/* Compares an item with the open items of a kind, and drops those that end before it. */
static bool compare(struct sweep *sweep, const struct interval *item, int kind)
{
    size_t *open = sweep->open[kind], kept = 0;
    bool good = true;
    for (size_t i = 0; i < sweep->open_count[kind]; i++) {
        const struct interval *other = &sweep->items[open[i]];
        if (other->end <= item->first)
            continue;
        open[kept++] = open[i];
        const struct interval *output = kind ? other : item;
        const struct interval *second = kind ? item : other;
        if (good && !may_meet(sweep, output, second))
            good = report(sweep->call, output->operand, output->sample, second->operand, second->sample, sweep->view);
    }
    sweep->open_count[kind] = kept;
    return good;
}

bool check_overlaps(struct call *call, const struct occupied *all)
{
    if (lie_apart(call, all) || (call->parts[PART_SAMPLES].count == 1 && are_evenly_apart(call, all)))
        return true;
    struct sweep sweep = {.call = call};
    if (!list_all(&sweep))
        return true;
    sort(&sweep);
    for (size_t i = 0; i < sweep.count; i++) {
        const struct interval *item = &sweep.items[i];
        int kind = is_output(call, item->operand);
        if (!compare(&sweep, item, 1) || (kind && !compare(&sweep, item, 0)))
            return false;
        sweep.open[kind][sweep.open_count[kind]++] = i;
    }
    return true;
}
