/* The inputs of a program on the command line: names matched, values loaded, types put into the
 * language's words. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "cli/arguments.h"
#include "cli/script.h"
#include "cli/value.h"

struct input {
    const struct assignment *assignment;
    struct tensor tensor;
    bool loaded;      /* `tensor` has dtype and shape; else only a type was given */
    bool file;        /* loaded from a file, or from standard input */
    const char *type; /* for weft_compile; NULL: nothing to say before the run */
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
/* Loads every value. A literal without a type takes the one its input is declared with. */
bool inputs_load(struct report *report, const struct script *script,
                 const struct arguments *arguments, enum inputs_mode mode, struct inputs *inputs);
void inputs_finish(struct inputs *inputs);

/* The same for weft_compile and for weft_infer or weft_run, in the report's arena. *count becomes
 * their number; arguments are only those that are loaded. */
struct weft_input_type *inputs_types(struct arena *arena, const struct inputs *inputs,
                                     size_t *count);
struct weft_argument *inputs_arguments(struct arena *arena, struct inputs *inputs, size_t *count);

#endif
