/* See mirror.h. The bytes of all operands are cut into pieces of host memory that do not overlap; each has
 * its place in one allocation on the device, and operands point into that. */
#include "tests/gpu/mirror.h"

#include "tests/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 256, GUARD = 64, PATTERN = 0xa5 };

/* Host memory [low, high), and where low is on the device. */
struct piece {
    char *low, *high;
    uint64_t device;
};

struct mirror {
    const struct weft_program *program;
    const struct weft_run_params *host;
    size_t piece_count, tensor_count;
    struct piece *pieces;          /* [piece_count], rising */
    DLTensor *tensors;             /* [tensor_count], of all arguments */
    struct weft_argument *arguments;         /* inputs, then outputs */
    uint64_t memory;
    size_t bytes;
    bool mixed;                    /* every third input stays on the host */
};

static size_t tensors_in(const struct weft_argument *argument)
{
    return argument->batch ? argument->count : 1;
}

static bool is_host(const DLTensor *tensor)
{
    return tensor->device.device_type == kDLCPU && tensor->data;
}

/* What a tensor's elements reach over; empty when it has none. */
static struct piece reach(const DLTensor *tensor)
{
    char *low = (char *)tensor->data + tensor->byte_offset, *high = low;
    int64_t size = tensor->dtype.bits / 8, dense = 1;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        int64_t stride = tensor->strides ? tensor->strides[d] : dense;
        if (tensor->shape[d] == 0)
            return (struct piece){low, low, 0};
        dense *= tensor->shape[d];
        *(stride < 0 ? &low : &high) += stride * (tensor->shape[d] - 1) * size;
    }
    return (struct piece){low, high + size, 0};
}

/* ---- which operands go to the device ---- */

/* Whether the call itself reads an argument, which must be host data then: a number, or numbers that a view takes.
 * Arguments with names stand in any order. */
static bool is_read(const struct mirror *mirror, size_t argument)
{
    const char *name = mirror->host->inputs[argument].name;
    struct weft_input_info info;
    for (size_t i = name ? 0 : argument; weft_program_input(mirror->program, i, &info); i++)
        if (!name || strcmp(info.name, name) == 0)
            return info.number || info.shapes;
    return false;
}

static bool shares_with_outputs(const struct mirror *mirror, const DLTensor *tensor)
{
    struct piece own = reach(tensor);
    for (size_t i = 0; i < mirror->host->output_count; i++)
        for (size_t s = 0; s < tensors_in(&mirror->host->outputs[i]); s++) {
            struct piece other = reach(&mirror->host->outputs[i].tensors[s]);
            if (own.low < other.high && other.low < own.high)
                return true;
        }
    return false;
}

static bool stays(const struct mirror *mirror, size_t input)
{
    const struct weft_argument *argument = &mirror->host->inputs[input];
    size_t count = tensors_in(argument);
    bool may = (mirror->mixed && input % 3 == 1) || is_read(mirror, input);
    for (size_t s = 0; may && s < count; s++)
        may = !shares_with_outputs(mirror, &argument->tensors[s]);
    return may;
}

static bool goes(const struct mirror *mirror, size_t argument)
{
    return argument >= mirror->host->input_count || !stays(mirror, argument);
}

static const struct weft_argument *given(const struct mirror *mirror, size_t argument)
{
    size_t inputs = mirror->host->input_count;
    return argument < inputs ? &mirror->host->inputs[argument] : &mirror->host->outputs[argument - inputs];
}

/* ---- pieces ---- */

static int by_place(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    return (left->low > right->low) - (left->low < right->low);
}

/* Pieces that overlap or touch become one. */
static void join(struct mirror *mirror)
{
    size_t count = 0;
    qsort(mirror->pieces, mirror->piece_count, sizeof *mirror->pieces, by_place);
    for (size_t i = 0; i < mirror->piece_count; i++) {
        struct piece *piece = &mirror->pieces[i], *last = count ? &mirror->pieces[count - 1] : NULL;
        if (!last || piece->low > last->high)
            mirror->pieces[count++] = *piece;
        else if (piece->high > last->high)
            last->high = piece->high;
    }
    mirror->piece_count = count;
}

/* Each keeps its distance from a line, with a guard before and behind it. */
static void place(struct mirror *mirror)
{
    size_t at = 0;
    for (size_t i = 0; i < mirror->piece_count; i++) {
        struct piece *piece = &mirror->pieces[i];
        at = (at + GUARD + LINE - 1) / LINE * LINE + (uintptr_t)piece->low % LINE;
        piece->device = at;
        at += (size_t)(piece->high - piece->low) + GUARD;
    }
    mirror->bytes = at + LINE;
    mirror->memory = gpu_alloc(mirror->bytes);
    gpu_fill(mirror->memory, PATTERN, mirror->bytes);
    for (size_t i = 0; i < mirror->piece_count; i++) {
        struct piece *piece = &mirror->pieces[i];
        piece->device += mirror->memory;
        gpu_upload(piece->device, piece->low, (size_t)(piece->high - piece->low));
    }
}

/* The piece that holds an address, which is in one. */
static const struct piece *holder(const struct mirror *mirror, const char *address)
{
    size_t low = 0, high = mirror->piece_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(mirror->pieces[middle].low <= address ? &low : &high) = middle;
    }
    return &mirror->pieces[low];
}

static DLTensor moved(const struct mirror *mirror, const DLTensor *tensor)
{
    DLTensor out = *tensor;
    struct piece own = reach(tensor);
    if (!is_host(tensor))
        return out;
    out.device = (DLDevice){kDLCUDA, 0};
    out.data = (void *)(uintptr_t)mirror->memory;
    if (own.low == own.high)
        return out;
    const struct piece *piece = holder(mirror, own.low);
    out.data = (void *)(uintptr_t)(piece->device + (uint64_t)((char *)tensor->data - piece->low));
    return out;
}

/* ---- a call ---- */

static void *allocated(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static void make(struct mirror *mirror)
{
    size_t all = mirror->host->input_count + mirror->host->output_count, at = 0;
    for (size_t i = 0; i < all; i++)
        mirror->tensor_count += tensors_in(given(mirror, i));
    mirror->pieces = allocated(mirror->tensor_count, sizeof *mirror->pieces);
    mirror->tensors = allocated(mirror->tensor_count, sizeof *mirror->tensors);
    mirror->arguments = allocated(all, sizeof *mirror->arguments);
    for (size_t i = 0; i < all; i++)
        for (size_t s = 0; goes(mirror, i) && s < tensors_in(given(mirror, i)); s++) {
            const DLTensor *tensor = &given(mirror, i)->tensors[s];
            struct piece piece = reach(tensor);
            if (is_host(tensor) && piece.low < piece.high)
                mirror->pieces[mirror->piece_count++] = piece;
        }
    join(mirror);
    place(mirror);
    for (size_t i = 0; i < all; i++) {
        mirror->arguments[i] = *given(mirror, i);
        if (!goes(mirror, i) || !mirror->arguments[i].tensors)
            continue;
        mirror->arguments[i].tensors = mirror->tensors + at;
        for (size_t s = 0; s < tensors_in(given(mirror, i)); s++)
            mirror->tensors[at++] = moved(mirror, &given(mirror, i)->tensors[s]);
    }
}

static void check_guard(const unsigned char *bytes, size_t low, size_t high)
{
    for (size_t i = low; i < high; i++)
        if (bytes[i] != PATTERN) {
            fprintf(stderr, "device memory was written outside of any operand\n");
            exit(1);
        }
}

/* Copies the pieces back; between them nothing may have changed. */
static void fetch(const struct mirror *mirror)
{
    unsigned char *bytes = allocated(mirror->bytes, 1);
    size_t behind = 0;
    gpu_download(bytes, mirror->memory, mirror->bytes);
    for (size_t i = 0; i < mirror->piece_count; i++) {
        const struct piece *piece = &mirror->pieces[i];
        size_t at = (size_t)(piece->device - mirror->memory), size = (size_t)(piece->high - piece->low);
        check_guard(bytes, behind, at);
        memcpy(piece->low, bytes + at, size);
        behind = at + size;
    }
    check_guard(bytes, behind, mirror->bytes);
    free(bytes);
}

static void finish(struct mirror *mirror)
{
    gpu_free(mirror->memory);
    free(mirror->pieces);
    free(mirror->tensors);
    free(mirror->arguments);
}

enum weft_status mirror_run(struct weft_context *context, struct weft_program *program,
                            const struct weft_run_params *params, struct weft_error **error)
{
    const char *how = getenv("WEFT_TEST_DEVICE");
    struct weft_error *told = NULL;
    if (!how || !*how)
        return weft_run(program, params, error);
    struct mirror mirror = {.program = program, .host = params, .mixed = strcmp(how, "mixed") == 0};
    make(&mirror);
    const struct weft_run_params moved = {
        .inputs = mirror.arguments, .input_count = params->input_count,
        .outputs = mirror.arguments + params->input_count, .output_count = params->output_count,
        .stream = gpu_stream()};
    enum weft_status status = weft_run(program, &moved, &told);
    if (status >= 0) {
        weft_error_destroy(told);
        gpu_synchronize(moved.stream);
        status = weft_context_status(context, moved.stream, &told);
        fetch(&mirror);
    }
    finish(&mirror);
    if (error)
        *error = told;
    else
        weft_error_destroy(told);
    return status;
}
