/* The inputs of a program on the command line: names matched, values loaded, types put into the
 * language's words. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "cli/options/options.h"
#include "cli/values/value.h"

struct input {
    const struct assignment *assignment;
    struct value value;
    bool loaded;      /* `value` has dtype and shape; else only a type was given */
    bool number;      /* a single literal without a type: a number of the host */
    bool file;        /* from files, or from standard input */
    const char *type; /* that argument and file give, without a file's shape */
};

struct inputs {
    struct input *items; /* in the order of the command line */
    int count;
};

/* What is wanted of the values. */
enum inputs_mode {
    INPUTS_DATA, /* run: every input, with data */
    INPUTS_TYPES /* check and show: types too */
};

/* Whether names are inputs, none is given twice and, in mode INPUTS_DATA, none is missing. Diagnostics point into
 * the program's text. */
bool inputs_match(struct report *report, const struct weft_program *program, const char *origin,
                  const char *text, const struct arguments *arguments, enum inputs_mode mode);
/* Opens every value. Data are loaded only where a view takes them, which decides shapes, and where value_open
 * loads them. A literal without a type gets that of its input's declaration. */
bool inputs_load(struct report *report, const struct weft_program *program,
                 const struct arguments *arguments, enum inputs_mode mode, struct inputs *inputs);
/* How many samples of a batch were left out (arguments.keep_going); of several batches the same ones. */
int inputs_left_out(const struct inputs *inputs);
/* The batch of which a sample could not be read, which ended inputs_load; NULL: it was not that. */
const struct value *inputs_failed(const struct inputs *inputs);
/* The data of all of them. */
bool inputs_read(struct report *report, struct inputs *inputs, int threads);
/* The same, but for batches. */
bool inputs_read_single(struct report *report, struct inputs *inputs, int threads);
void inputs_finish(struct inputs *inputs);
/* The bytes that inputs_read will allocate. */
double inputs_pending(const struct inputs *inputs);
/* The first batch among the program's inputs; NULL: none. */
const struct value *inputs_batch(const struct inputs *inputs, const struct weft_program *program);
/* From now on reports call samples by their names in that batch. */
void inputs_name_samples(struct report *report, const struct inputs *inputs,
                         const struct weft_program *program);

/* For weft_program_specify, and for weft_infer or weft_run. Only inputs that are loaded are arguments. Memory is the
 * report's pool; data pointers are valid until the next value is loaded. */
struct weft_input_type *inputs_types(struct pool *pool, const struct inputs *inputs, size_t *count);
/* The types with each value's shape as part of them; of a batch the first sample's. */
struct weft_input_type *inputs_shaped_types(struct pool *pool, const struct inputs *inputs, size_t *count);
struct weft_argument *inputs_arguments(struct pool *pool, const struct inputs *inputs,
                                       size_t *count);
/* As report_library, but an error about an input marks its argument. */
bool inputs_report(struct report *report, const struct inputs *inputs, enum weft_status status,
                   struct weft_error *const *errors);

#endif
