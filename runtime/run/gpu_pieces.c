/* Cutting host data into pieces; see gpu_pieces_impl.h. A slab is a range of one dimension, with one index of
 * each outer dimension and all of the inner ones. Operands that are the same for all slabs go to the GPU with
 * each piece, so pieces grow with their size.
 *
 * Invariant: no output of a piece is an operand of another piece, except of the part that depends on no batch,
 * which comes last. Overlaps are judged on what the caller gave, sample by sample. */
#include "runtime/run/gpu_pieces_impl.h"

#include "runtime/run/gpu_batch_impl.h"

#include <string.h>

enum { PIECE_BYTES = 16 << 20, SHARED_TIMES = 2 };

/* ---- whether to cut ---- */

struct cut {
    struct call *call;
    const struct shape *shape;     /* of every result */
    int d;                         /* the dimension that is cut into ranges */
    int64_t length, pieces;        /* of a slab along d, except the last; slabs along d */
    int64_t count;                 /* of slabs in all */
};

static int64_t extent_at(const int64_t *extents, int rank, const struct shape *shape, int d)
{
    int at = d - (shape->rank - rank);
    return at < 0 ? 1 : extents[at];
}

/* The shape that all results have and to which all inputs broadcast; NULL: there is none. */
static const struct shape *common_shape(const struct call *call, const struct shape *const *shapes)
{
    const struct program *program = call->typed->program;
    const struct shape *shape = shapes[program->results[0].node];
    for (int r = 1; r < program->result_count; r++)
        if (!shapes_equal(shape, shapes[program->results[r].node]))
            return NULL;
    for (int i = 0; i < program->input_count; i++) {
        const struct tensor *input = &call->inputs[i];
        if (input->rank > shape->rank)
            return NULL;
        for (int d = 0; d < shape->rank; d++) {
            int64_t extent = extent_at(input->shape, input->rank, shape, d);
            if (extent != 1 && extent != shape->extents[d])
                return NULL;
        }
    }
    return shape;
}

static bool outputs_fit(const struct call *call, const struct shape *shape)
{
    const struct program *program = call->typed->program;
    for (int r = 0; call->outputs && r < program->result_count; r++) {
        const struct tensor *output = &call->outputs[r];
        if (output->rank != shape->rank || output->dtype != program->results[r].dtype)
            return false;
        for (int d = 0; d < shape->rank; d++)
            if (output->shape[d] != shape->extents[d])
                return false;
    }
    return true;
}

/* Bytes of a slab for each element of a result, at most. */
static int64_t element_bytes(const struct call *call)
{
    const struct program *program = call->typed->program;
    int64_t bytes = 0;
    for (int r = 0; r < program->result_count; r++)
        bytes += type_rows[program->results[r].dtype].size;
    for (int i = 0; i < program->input_count; i++)
        bytes += type_rows[call->inputs[i].dtype].size;
    return bytes;
}

/* Chooses the dimension and the length. False: everything is small, or there is nothing. */
static bool choose(struct cut *cut)
{
    const struct shape *shape = cut->shape;
    double most = (double)PIECE_BYTES / (double)element_bytes(cut->call), inner = 1;
    for (int d = 0; d < shape->rank; d++)
        inner *= (double)shape->extents[d];
    if (inner <= 2 * most)
        return false;
    for (cut->d = 0; cut->d < shape->rank; cut->d++) {
        inner /= (double)shape->extents[cut->d];
        if (inner <= most)
            break;
    }
    int64_t extent = shape->extents[cut->d], length = (int64_t)(most / inner);
    cut->pieces = (extent + length - 1) / length;
    cut->length = (extent + cut->pieces - 1) / cut->pieces;
    cut->pieces = (extent + cut->length - 1) / cut->length;
    cut->count = cut->pieces;
    for (int d = 0; d < cut->d; d++)
        cut->count *= shape->extents[d];
    return cut->count > 1;
}

/* Whether all array literals are the same in every slab. */
static bool arrays_fit(const struct cut *cut, const struct shape *const *shapes)
{
    const struct program *program = cut->call->typed->program;
    for (int n = 0; n < program->node_count; n++)
        for (int d = 0; program->nodes[n].kind == NODE_ARRAY && d <= cut->d; d++)
            if (shapes[n]->rank > cut->shape->rank ||
                extent_at(shapes[n]->extents, shapes[n]->rank, cut->shape, d) != 1)
                return false;
    return true;
}

/* ---- cutting ---- */

/* The offset of a slab's first element, in elements. `strides` are the tensor's. */
static int64_t slab_offset(const struct cut *cut, const struct tensor *tensor, const int64_t *strides, int64_t slab)
{
    int skip = cut->shape->rank - tensor->rank;
    int64_t row = slab / cut->pieces;
    int64_t offset = cut->d < skip ? 0 : slab % cut->pieces * cut->length * strides[cut->d - skip];
    for (int d = cut->d - 1; d >= skip; d--) {
        offset += row % cut->shape->extents[d] * strides[d - skip];
        row /= cut->shape->extents[d];
    }
    return offset;
}

static int64_t *slab_shape(const struct cut *cut, const struct tensor *tensor, int64_t length)
{
    int skip = cut->shape->rank - tensor->rank;
    int64_t *shape = arena_copy(&cut->call->arena, tensor->shape, (size_t)tensor->rank * sizeof *shape);
    for (int d = skip; d <= cut->d; d++)
        shape[d - skip] = d < cut->d || shape[d - skip] == 1 ? 1 : length;
    return shape;
}

static bool is_cut(const struct cut *cut, const struct tensor *tensor)
{
    bool any = false;
    for (int d = 0; d <= cut->d; d++)
        any = any || extent_at(tensor->shape, tensor->rank, cut->shape, d) != 1;
    return any;
}

/* Makes the tensor a batch of slabs, if they differ. Its strides are resolved, so they are 0 for extents of 1. */
static void cut_tensor(const struct cut *cut, struct tensor *tensor, bool needs_data)
{
    if (!is_cut(cut, tensor))
        return;
    int64_t *strides = tensor->strides, last = cut->shape->extents[cut->d] - (cut->pieces - 1) * cut->length;
    int64_t *full = slab_shape(cut, tensor, cut->length), *rest = slab_shape(cut, tensor, last);
    DLTensor *slabs = ARENA_ARRAY(&cut->call->arena, DLTensor, cut->count);
    for (int64_t s = 0; s < cut->count; s++) {
        int64_t offset = slab_offset(cut, tensor, strides, s) * type_rows[tensor->dtype].size;
        slabs[s] = (DLTensor){.data = tensor->data ? (char *)tensor->data + offset : NULL,
                              .device = tensor->samples->device, .ndim = tensor->rank,
                              .dtype = tensor->samples->dtype, .strides = strides,
                              .shape = s % cut->pieces == cut->pieces - 1 ? rest : full};
    }
    tensor->strides = NULL;
    tensor->samples = slabs;
    tensor->batch = tensor->slab = true;
    tensor_read(slabs, needs_data, "", "", tensor, &cut->call->diags); /* what is good as a whole is good in parts */
}

static void cut_all(const struct cut *cut, bool needs_data)
{
    struct call *call = cut->call;
    size_t inputs = (size_t)call->typed->program->input_count;
    size_t results = (size_t)call->typed->program->result_count;
    call->whole.inputs = arena_copy(&call->arena, call->inputs, inputs * sizeof *call->inputs);
    if (call->outputs)
        call->whole.outputs = arena_copy(&call->arena, call->outputs, results * sizeof *call->outputs);
    for (size_t i = 0; i < inputs; i++)
        cut_tensor(cut, &call->inputs[i], needs_data);
    for (size_t r = 0; call->outputs && r < results; r++)
        cut_tensor(cut, &call->outputs[r], needs_data);
    call->batch = call->slabs = true;
    call->samples = cut->count;
    call->batched = ARENA_ARRAY(&call->arena, bool, results);
    memset(call->batched, true, results);
}

bool cuda_cut(struct call *call, bool needs_data)
{
    const struct program *program = call->typed->program;
    struct cut cut = {.call = call};
    if (!call->staged || call->batch || program_asks_shapes(program))
        return true;
    const char **layouts;
    const struct shape **shapes = plan_shapes(&call->arena, call_program(call), call->inputs, &layouts, NULL,
                                              &call->diags);
    if (!shapes)
        return false;
    cut.shape = common_shape(call, shapes);
    if (cut.shape && outputs_fit(call, cut.shape) && choose(&cut) && arrays_fit(&cut, shapes))
        cut_all(&cut, needs_data);
    return true;
}

/* ---- pieces of batches ---- */

struct packing {
    struct call *call;
    size_t most;                   /* bytes of a piece, unless one sample has more */
    struct batch_part parts[PART_COUNT]; /* the current piece */
    size_t bytes;                  /* of the current piece */
    struct cuda_work **works;
    int count;
};

static size_t sample_size(const struct tensor *tensor, int64_t sample)
{
    size_t bytes = (size_t)type_rows[tensor->dtype].size;
    for (int d = 0; d < tensor->rank; d++)
        bytes *= (size_t)tensor->samples[sample].shape[d];
    return bytes;
}

/* Bytes of all batches in one sample, or of all operands that are no batch. */
static size_t operand_bytes(const struct call *call, bool batches, int64_t sample)
{
    const struct program *program = call->typed->program;
    size_t bytes = 0;
    for (int i = 0; i < program->input_count; i++)
        if (call->inputs[i].batch == batches)
            bytes += sample_size(&call->inputs[i], batches ? sample : 0);
    for (int r = 0; r < program->result_count; r++)
        if (call->outputs[r].batch && batches)
            bytes += sample_size(&call->outputs[r], sample);
    return bytes;
}

static void end_piece(struct packing *pieces)
{
    struct cuda_work *work = cuda_batch_set_up(pieces->call, pieces->parts);
    if (work)
        ARENA_PUSH(&pieces->call->arena, pieces->works, pieces->count, work);
    for (int p = 0; p < PART_COUNT; p++)
        pieces->parts[p] = (struct batch_part){.taken = pieces->parts[p].taken};
    pieces->bytes = 0;
}

static void add_segment(struct packing *pieces, const struct segment *segment)
{
    struct batch_part *part = &pieces->parts[PART_SAMPLES];
    size_t size = operand_bytes(pieces->call, true, segment->first) + segment->plan->own_bytes;
    for (int64_t done = 0; done < segment->count;) {
        if (pieces->bytes && pieces->bytes + size > pieces->most)
            end_piece(pieces);
        int64_t left = segment->count - done;
        size_t fit = size ? (pieces->most - pieces->bytes) / size : SIZE_MAX;
        fit = fit ? fit : 1;       /* a sample that is larger than a piece gets its own */
        int64_t count = (uint64_t)left < fit ? left : (int64_t)fit;
        ARENA_PUSH(&pieces->call->arena, part->segments, part->count,
                   ((struct segment){.plan = segment->plan, .first = segment->first + done, .count = count}));
        pieces->bytes += (size_t)count * size;
        done += count;
    }
}

struct cuda_work **cuda_pieces(struct call *call, int *count)
{
    const struct batch_part *samples = &call->parts[PART_SAMPLES];
    struct packing pieces = {.call = call};
    pieces.most = PIECE_BYTES + SHARED_TIMES * operand_bytes(call, false, 0);
    for (int p = 0; p < PART_COUNT; p++)
        pieces.parts[p].taken = call->parts[p].taken;
    for (int s = 0; s < samples->count; s++)
        add_segment(&pieces, &samples->segments[s]);
    pieces.parts[PART_PLAIN] = call->parts[PART_PLAIN];
    end_piece(&pieces);
    *count = pieces.count;
    return pieces.works;
}
