/* See job.h. */
#include "tests/threads/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum weft_status status, struct weft_error *error, const char *text)
{
    char message[2000] = "";
    if (status >= 0)
        return;
    weft_error_render(error, message, sizeof message);
    fprintf(stderr, "%s: status %d\n%s", text, status, message);
    abort();
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (!memory)
        abort();
    return memory;
}

/* ---- contexts ---- */

struct part {
    void (*task)(void *data, int index);
    void *data;
    int index;
};

static void *run_part(void *argument)
{
    struct part *part = argument;
    part->task(part->data, part->index);
    return NULL;
}

void job_parallel_for(void *user, int count, void (*task)(void *data, int index), void *data)
{
    pthread_t *threads = allocate((size_t)count * sizeof *threads);
    struct part *parts = allocate((size_t)count * sizeof *parts);
    if (user)
        atomic_fetch_add((atomic_int *)user, count);
    for (int i = 0; i < count - 1; i++) {
        parts[i] = (struct part){task, data, i};
        if (pthread_create(&threads[i], NULL, run_part, &parts[i]) != 0)
            abort();
    }
    task(data, count - 1);
    for (int i = 0; i < count - 1; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    free(parts);
}

struct weft_context *job_context(int threads, bool host)
{
    struct weft_context_params params = {.threads = threads};
    struct weft_context *context = NULL;
    struct weft_error *error = NULL;
    if (host)
        params.parallel_for = job_parallel_for;
    check(weft_context_create(&params, &context, &error), error, "weft_context_create");
    return context;
}

/* ---- jobs ---- */

static size_t volume(const DLTensor *tensor)
{
    size_t count = 1;
    for (int d = 0; d < tensor->ndim; d++)
        count *= (size_t)tensor->shape[d];
    return count;
}

static void add_tensor(struct job *job, int side, int i, enum weft_dtype dtype, int rank,
                       const int64_t *shape)
{
    DLTensor *tensor = &job->tensors[side][i];
    memcpy(job->shapes[side][i], shape, (size_t)rank * sizeof *shape);
    *tensor = (DLTensor){.device = {kDLCPU, 0}, .ndim = rank, .dtype = weft_dtype_to_dlpack(dtype),
                         .shape = job->shapes[side][i]};
    job->sizes[side][i] = volume(tensor) * weft_dtype_size(dtype);
    tensor->data = job->memory[side][i] = allocate(job->sizes[side][i]);
    job->arguments[side][i] = (struct weft_argument){.tensors = tensor};
}

/* Numbers from -8 to 7.9, or any small integers, zeros among them; in 16 bits any floats below 2. */
static void fill(void *memory, size_t size, enum weft_dtype dtype)
{
    uint32_t x = 2463534242u;
    size_t step = weft_dtype_size(dtype);
    for (size_t at = 0; at < size; at += step) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        float f = (float)(x >> 8 & 255) / 16 - 8;
        double d = f;
        uint64_t n = x >> 8 & (dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16 ? 0xbfff : 31);
        const void *from = dtype == WEFT_FLOAT32 ? (void *)&f : dtype == WEFT_FLOAT64 ? (void *)&d : (void *)&n;
        char *to = (char *)memory + at;
        switch (step) { /* calls of memcpy took half of the test's time under ThreadSanitizer */
        case 1: memcpy(to, from, 1); break;
        case 2: memcpy(to, from, 2); break;
        case 4: memcpy(to, from, 4); break;
        default: memcpy(to, from, 8);
        }
    }
}

static void reverse(struct job *job, int i)
{
    DLTensor *tensor = &job->tensors[0][i];
    int64_t stride = -1;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        job->strides[i][d] = stride;
        stride *= tensor->shape[d];
    }
    tensor->strides = job->strides[i];
    tensor->byte_offset = job->sizes[0][i] - tensor->dtype.bits / 8;
}

static void make_outputs(struct job *job, const char *text)
{
    struct weft_error *error = NULL;
    struct weft_tensor_info infos[JOB_TENSORS];
    check(weft_infer(job->program, job->params.inputs, job->params.input_count, infos, &error), error,
          text);
    job->params.output_count = weft_program_result_count(job->program);
    for (size_t r = 0; r < job->params.output_count; r++)
        add_tensor(job, 1, (int)r, infos[r].dtype, infos[r].rank, infos[r].shape);
    check(weft_prepare(job->program, &job->params, NULL, NULL, &error), error, text);
}

struct job *job_copy(const struct job *from, const struct sample *sample)
{
    struct job *job = allocate(sizeof *job);
    job->program = from->program;
    for (int i = 0; i < sample->input_count; i++) {
        const struct operand *operand = &sample->inputs[i];
        add_tensor(job, 0, i, operand->dtype, operand->rank, operand->shape);
        fill(job->memory[0][i], job->sizes[0][i], operand->dtype);
        if (operand->reversed)
            reverse(job, i);
    }
    job->params = (struct weft_run_params){.inputs = job->arguments[0], .outputs = job->arguments[1],
                                           .input_count = (size_t)sample->input_count};
    make_outputs(job, sample->text);
    return job;
}

struct job *job_new(struct weft_context *context, const struct sample *sample)
{
    struct weft_error *error = NULL;
    struct job first = {0};
    check(weft_compile(context, sample->text, NULL, &first.program, &error), error, sample->text);
    return job_copy(&first, sample);
}

void job_free(struct job *job)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < JOB_TENSORS; i++)
            free(job->memory[side][i]);
    free(job);
}

enum weft_status job_run(struct job *job)
{
    for (size_t r = 0; r < job->params.output_count; r++)
        memset(job->memory[1][r], 0xAA, job->sizes[1][r]);
    return weft_run(job->program, &job->params, NULL);
}

bool job_same(const struct job *a, const struct job *b)
{
    bool same = a->params.output_count == b->params.output_count;
    for (size_t r = 0; same && r < a->params.output_count; r++)
        same = a->sizes[1][r] == b->sizes[1][r] &&
               memcmp(a->memory[1][r], b->memory[1][r], a->sizes[1][r]) == 0;
    return same;
}

int job_threads(struct job *job)
{
    struct weft_kernel_info kernels[JOB_TENSORS];
    size_t count = JOB_TENSORS;
    int most = 0;
    if (weft_prepare(job->program, &job->params, kernels, &count, NULL) < 0)
        abort();
    for (size_t k = 0; k < count; k++)
        most = kernels[k].threads > most ? kernels[k].threads : most;
    return most;
}
