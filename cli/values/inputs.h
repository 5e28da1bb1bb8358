/* The inputs of a program on the command line: names matched, values loaded, types put into the
 * language's words. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "cli/commands/script.h"
#include "cli/options/arguments.h"
#include "cli/values/value.h"

struct input {
    const struct assignment *assignment;
    struct value value;
    bool loaded;      /* `value` has dtype and shape; else only a type was given */
    bool file;        /* from files, or from standard input */
    const char *said; /* the type that argument and file give a value, without its shape */
    const char *type; /* for weft_compile, in mode INPUTS_SHAPES the first sample's shape with it */
};

struct inputs {
    struct input *items; /* in the order of the command line */
    int count;
};

/* What is wanted of the values. */
enum inputs_mode {
    INPUTS_DATA,  /* run: every input, with data */
    INPUTS_TYPES, /* check: types too */
    INPUTS_SHAPES /* show: the same, and shapes become part of the types */
};

/* Whether names are inputs, none is given twice and, in mode INPUTS_DATA, none is missing. */
bool inputs_match(struct report *report, const struct weft_program *program,
                  const struct script *script, const struct arguments *arguments,
                  enum inputs_mode mode);
/* Opens every value; data are there only where value_open or the rank says so: values of rank 0 and 1
 * are loaded, since a reshape's extents may be among them. A literal without a type takes the one its
 * input is declared with. */
bool inputs_load(struct report *report, const struct script *script,
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

/* The same for weft_compile and for weft_infer or weft_run, in the report's arena. *count becomes
 * their number; arguments are only those that are loaded.
 * Their data pointers are those of this moment. */
struct weft_input_type *inputs_types(struct arena *arena, const struct inputs *inputs,
                                     size_t *count);
struct weft_argument *inputs_arguments(struct arena *arena, const struct inputs *inputs,
                                       size_t *count);

#endif
