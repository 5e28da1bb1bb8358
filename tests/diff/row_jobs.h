/* Programs that have every row of the language on given dtypes: each row that takes them is a result. */
#ifndef WEFT_ROW_JOBS_H
#define WEFT_ROW_JOBS_H

#include "tests/diff/typing.h"

enum { ROW_JOBS = 96, ROW_TEXT = 20000 };

/* One result of a program. `op` is OP_COUNT for a cast or a wrap to typing.result. */
struct row_job {
    enum op op;
    int arity, arguments[3];       /* which inputs */
    bool wrap;
    struct typing typing;
};

struct row_jobs {
    struct row_job items[ROW_JOBS];
    int count;
    enum weft_dtype dtypes[3];     /* of the inputs */
    int input_count;
};

/* The inputs: a, b, c. */
extern const char *const row_names[3];

/* Functions of one operand, casts and wraps. */
void row_jobs_of_one(enum weft_dtype dtype, struct row_jobs *jobs);
/* Rows of two operands, and those of three, beside a third dtype, in two orders. */
void row_jobs_of_pair(enum weft_dtype a, enum weft_dtype b, struct row_jobs *jobs);

/* All rows, each with operands of one dtype. */
void row_jobs_of_dtype(enum weft_dtype dtype, struct row_jobs *jobs);

/* What a result computes; the whole program. Both return `text`. */
const char *row_job_text(char *text, size_t size, const struct row_job *job);
const char *row_jobs_text(char text[ROW_TEXT], const struct row_jobs *jobs);

#endif
