/* See row_jobs.h. */
#include "tests/diff/row_jobs.h"

#include <assert.h>
#include <stdio.h>

const char *const row_names[3] = {"a", "b", "c"};

static void add(struct row_jobs *jobs, struct row_job job)
{
    enum weft_dtype dtypes[3];
    for (int i = 0; i < job.arity; i++)
        dtypes[i] = jobs->dtypes[job.arguments[i]];
    if (job.op != OP_COUNT && !typing_of(job.op, dtypes, job.arity, &job.typing))
        return;
    assert(jobs->count < ROW_JOBS);
    jobs->items[jobs->count++] = job;
}

void row_jobs_of_one(enum weft_dtype dtype, struct row_jobs *jobs)
{
    *jobs = (struct row_jobs){.dtypes = {dtype}, .input_count = 1};
    for (int op = 0; op < OP_COUNT; op++)
        if (op_arity(op) == 1 && op_rows[op].form != FORM_INTERNAL)
            add(jobs, (struct row_job){.op = op, .arity = 1});
    for (int to = 0; to < WEFT_DTYPE_COUNT; to++) {
        struct row_job job = {.op = OP_COUNT, .arity = 1, .typing.result = to};
        add(jobs, job);
        job.wrap = dtype_is_integer(dtype) && dtype_is_integer(to);
        if (job.wrap)
            add(jobs, job);
    }
}

void row_jobs_of_pair(enum weft_dtype a, enum weft_dtype b, struct row_jobs *jobs)
{
    *jobs = (struct row_jobs){.dtypes = {a, b, (3 * a + 5 * b) % WEFT_DTYPE_COUNT}, .input_count = 3};
    for (int op = 0; op < OP_COUNT; op++) {
        struct row_job job = {op, op_arity(op), {0, 1, 2}, false, {0}}, rotated = job;
        if (job.arity < 2 || op_rows[op].form == FORM_INTERNAL)
            continue;
        add(jobs, job);
        rotated.arguments[0] = 2, rotated.arguments[1] = 0, rotated.arguments[2] = 1;
        if (job.arity == 3)
            add(jobs, rotated);
    }
}

void row_jobs_of_dtype(enum weft_dtype dtype, struct row_jobs *jobs)
{
    *jobs = (struct row_jobs){.dtypes = {dtype, dtype, dtype}, .input_count = 3};
    for (int op = 0; op < OP_COUNT; op++)
        if (op_rows[op].form != FORM_INTERNAL)
            add(jobs, (struct row_job){op, op_arity(op), {0, 1, 2}, false, {0}});
}

const char *row_job_text(char *text, size_t size, const struct row_job *job)
{
    const char *operands[3];
    for (int i = 0; i < job->arity; i++)
        operands[i] = row_names[job->arguments[i]];
    if (job->op != OP_COUNT)
        return typing_text(text, size, job->op, operands, job->arity);
    if (job->wrap)
        snprintf(text, size, "wrap(%s, %s)", operands[0], type_rows[job->typing.result].name);
    else
        snprintf(text, size, "%s(%s)", type_rows[job->typing.result].name, operands[0]);
    return text;
}

const char *row_jobs_text(char text[ROW_TEXT], const struct row_jobs *jobs)
{
    size_t length = (size_t)snprintf(text, ROW_TEXT, "return ");
    for (int i = 0; i < jobs->count; i++) {
        char job[200];
        length += (size_t)snprintf(text + length, ROW_TEXT - length, "%sr%d = %s", i ? ", " : "", i,
                                   row_job_text(job, sizeof job, &jobs->items[i]));
    }
    return text;
}
