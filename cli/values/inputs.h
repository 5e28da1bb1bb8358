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
/* Opens every value; data are there only where value_open or the rank says so: values of rank 0 and 1
 * are loaded, since a reshape's extents may be among them. A literal without a type takes the one its
 * input is declared with. */
bool inputs_load(struct report *report, const struct weft_program *program,
                 const struct arguments *arguments, enum inputs_mode mode, struct inputs *inputs);
/* The data of all of them. */
bool inputs_read(struct report *report, struct inputs *inputs, int threads);
void inputs_finish(struct inputs *inputs);
/* The bytes that inputs_read will allocate. */
double inputs_pending(const struct inputs *inputs);
/* The first batch in the order of the program, NULL: there is none. */
const struct value *inputs_batch(const struct inputs *inputs, const struct weft_program *program);
/* From now on reports call samples by the names they have in that batch; whether there is one. */
bool inputs_name_samples(struct report *report, const struct inputs *inputs,
                         const struct weft_program *program);

/* The same for weft_program_specify, values to compare included, and for weft_infer or weft_run, in the report's
 * pool. *count becomes their number; arguments are only those that are loaded. Their data pointers are those of
 * this moment. */
struct weft_input_type *inputs_types(struct pool *pool, const struct inputs *inputs, size_t *count);
/* Types with the shape of the value, of a batch of its first sample. */
struct weft_input_type *inputs_shaped_types(struct pool *pool, const struct inputs *inputs, size_t *count);
struct weft_argument *inputs_arguments(struct pool *pool, const struct inputs *inputs,
                                       size_t *count);
/* As report_library, with errors about an input marked in its argument. */
bool inputs_report(struct report *report, const struct inputs *inputs, enum weft_status status,
                   struct weft_error *errors);

#endif
