/* The extension weft._weft: what its files share. It turns Python's objects into the arguments of weft.h and back, and
 * repeats nothing that the library does. It is written against the limited API of CPython 3.11.
 *
 * As in Python's own headers, a function that returns a pointer or an int returns NULL or -1 with an exception set. All
 * of them need the GIL, and release it around calls of the library that compile or run. */
#ifndef WEFT_PYTHON_EXTENSION_H
#define WEFT_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <stdbool.h>
#include <stdlib.h>
#include <weft/weft.h>

/* ---- objects of other modules (module.c) ---- */

extern struct imports {
    PyTypeObject *ndarray;         /* of NumPy */
    PyObject *generic;             /* of NumPy: what its scalars are */
    PyObject *empty;               /* numpy.empty */
    PyObject *as_array, *copy, *library_of, *bfloat16, *index_of, *indexed; /* of weft._arrays */
    PyObject *libraries;           /* library_of's answers: a dict from types */
    PyObject *numpy;               /* the answer for NumPy's arrays */
    PyObject *make_error, *tell, *missing; /* of weft._errors */
    PyObject *make_results;        /* of weft._results */
    PyObject *in_use;              /* of weft._use: gives the context in use */
    PyObject *again;               /* weft._arrays.again */
} imports;

/* Names that are often looked up. */
extern struct words {
    PyObject *array_struct, *dlpack, *dlpack_device;
    PyObject *options[8];          /* evaluate's keywords; see enum option */
} words;

/* ---- contexts (context.c) ---- */

struct context {
    PyObject_HEAD
    struct weft_context *handle;
    bool closed;
    enum weft_rules rules;         /* of programs that name none */
    PyObject *programs;            /* what evaluate compiled, by text or by text and options */
    PyObject *options;             /* as given: a dict */
};

extern PyTypeObject *context_type;
int context_add(PyObject *module);
/* A new reference to `given` or, if that is NULL or None, to the one in use. weft.Error: it is closed. */
struct context *context_get(PyObject *given);
int context_check(struct context *context);
/* The position of `word` in a list that ends with NULL. `what` names the argument. */
/* The words of enum weft_rules. */
extern const char *const context_rules[];
int context_word(const char *what, const char *word, const char *const *words);

/* ---- programs (program.c, special.c) ---- */

/* A Python number, as a literal of the language has it. */
struct number {
    int64_t kind;                  /* 0, NUMBER_NONE: it is something else */
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        bool truth;
        float narrow;
        int32_t few;
    } value;
};

enum { NUMBER_NONE, NUMBER_BOOL, NUMBER_INTEGER, NUMBER_NATURAL, NUMBER_REAL, NUMBER_TOO_LARGE };

enum { SPECIALS = 16, SHAPES = 4, SHAPE_WORDS = 64 };

/* What weft_infer says of inputs with these dtypes and shapes. */
struct known_shape {
    int64_t words[SHAPE_WORDS];
    size_t size;                   /* of `words`, in bytes; 0: the slot is free */
    PyObject *recipes;             /* for each result what its array is made with */
};

struct program {
    PyObject_HEAD
    PyObject *(*call)(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
    struct context *context;
    struct weft_program *handle;
    PyObject *text, *math, *wanted, *kernel, *given; /* as given; the last one are types: a dict, or None */
    PyObject *inputs, *results;    /* tuples of names */
    PyObject *types;               /* of the last call with new shapes: a dict; NULL: none */
    PyObject **names;              /* those of `inputs` */
    Py_ssize_t input_count, result_count;
    bool ignore_unused;
    enum weft_rules rules;
    enum weft_dtype *declared;     /* of each input; WEFT_DTYPE_COUNT: not declared */
    bool *numbers;                 /* of each input, whether its type is number */
    /* The last of such programs, and the last shapes. */
    PyObject *specials[SPECIALS];
    struct known_shape shapes[SHAPES];
    unsigned next_special, next_shape;
};

extern PyTypeObject *program_type;
int program_add(PyObject *module);
/* -1 with weft.Error where the text is no str. */
int text_check(PyObject *text);
/* The text as the library takes it; NULL with weft.Error, also where it is the name of a file. */
const char *text_bytes(PyObject *text);
/* Compiles the text of a program. `more`: inputs with their types, or NULL. */
int program_compile(const struct program *self, const struct weft_compile_params *more, struct weft_program **made);
/* The names in results= as a new tuple; None for None. */
PyObject *program_wanted(PyObject *results);
/* The same program where these inputs with their types are known. */
struct program *program_again(struct program *program, const struct weft_compile_params *more);

/* A subclass of float or int is a number, too, unless it is an array, as NumPy's floats are. */
struct number number_read(PyObject *object);
/* Raises that an input is NUMBER_TOO_LARGE. Always -1. */
int number_refuse(const struct program *program, Py_ssize_t index);
/* A literal expression, as a new bytes object. */
PyObject *number_text(const struct number *number);
/* A new reference to the program with these inputs as numbers. `numbers` has an entry for each input. */
struct program *special_get(struct program *program, const bool *numbers);
/* The number as a tensor of the library, over its value. */
DLTensor number_tensor(struct number *number);

/* ---- errors (error.c) ---- */

/* Sets the exception for what the library reported, and releases the list. */
void error_raise(enum weft_status status, struct weft_error *list);
/* After a call of the library: -1 with the exception if it failed, else its remarks and warnings become Python's, which
 * may be exceptions. Releases the list. */
int error_check(enum weft_status status, struct weft_error *list);
/* One warning or note, as it was rendered. */
int warning_tell(enum weft_severity severity, const char *text);
/* An error of the package's own: an input (negative: none) of the program cannot be used; the call is wrong. */
void error_input(const struct program *program, Py_ssize_t index, const char *format, ...);
void error_call(const char *format, ...);
/* Inputs that no one gave, as messages: a list with one for each input, None for those that are given. */
void error_missing(const struct program *program, PyObject *messages);
/* A str's text, which lives as long as it; NULL with weft.Error where it has surrogates. */
const char *error_utf8(PyObject *text);
/* The same: "`what` a TYPE; `wanted`". */
void error_type(const char *what, PyObject *object, const char *wanted);

/* ---- the log (log.c) ---- */

/* What a context's log is told, kept for this thread. Needs no GIL. */
void log_keep(void *user, const struct weft_error *error);
extern _Thread_local struct kept *log_first;
/* Warns of what was kept; -1: a warning is an exception. */
int log_tell_all(void);
/* Forgets it, or of it what points at a text, which is said again whenever the text is compiled again. */
void log_drop(void);
void log_drop_places(void);

static inline int log_tell(void)
{
    return log_first ? log_tell_all() : 0;
}

/* ---- arrays (tensor.c) ---- */

/* An array as the library sees it. */
struct seen {
    DLTensor tensor;
    int64_t strides[WEFT_MAX_RANK];
    PyObject *held;                /* keeps the memory */
    PyObject *library;             /* whose array it is; borrowed, of imports.libraries */
};

/* What an array is in a call. */
struct role {
    const struct program *program;
    Py_ssize_t index;              /* of the input or the output */
    bool output, sample;           /* `sample`: one of a batch */
    PyObject *stream;              /* what the arrays' library shall wait for; NULL: not known yet */
    bool column;                   /* set where the object is none of an array library, as a column of pandas */
};

/* Borrowed: what weft._arrays says of the object's type. Py_None: it is no array. A str: why it cannot be used. NULL
 * with an exception. */
PyObject *library_of(PyObject *object);
/* Fills in *seen. An input that cannot be shared is copied. */
int seen_read(struct seen *seen, PyObject *object, struct role *role);

/* ---- calls (operand.c, call.c, result.c) ---- */

/* An input or an output: an array, a batch, or a number that became a tensor. */
struct operand {
    struct seen first;             /* the array */
    struct seen *samples;          /* of a batch */
    DLTensor *tensors;             /* of a batch */
    Py_ssize_t count;
    struct weft_literal *literal;  /* a number of the type that the text declares, converted by the library */
    struct number number;          /* any other number; of NUMBER_NONE perhaps the value of a declared type */
};

int operand_read(struct operand *operand, struct weft_argument *argument, PyObject *object, struct role *role);
int operand_read_number(struct operand *operand, struct weft_argument *argument, const struct number *number,
                        enum weft_dtype dtype);
void operand_release(struct operand *operand);

struct call {
    struct program *program;       /* the caller's */
    struct program *ran;           /* that with its numbers; a reference of its own */
    struct operand *operands;      /* inputs, then outputs */
    struct weft_argument *arguments; /* the same */
    Py_ssize_t input_count, output_count;
    const struct seen *first;      /* the first array; NULL: none */
    PyObject *stream;              /* an int, for data of a GPU; NULL: none */
    bool batch;
    bool columns;                  /* an input is none of an array library, as a column of pandas */
};

/* What is asked of a program on values. */
struct asked {
    enum { ASKED_RUN, ASKED_PREPARE, ASKED_TRACE } what;
    PyObject *out, *stream;        /* of a run; NULL or None if not given */
    const int64_t *at;             /* of a trace, [at_count], as in weft_trace_params; NULL: none */
    int at_count;
    int64_t sample;
};

/* Runs a program on values, one for each input. `out` and `stream`: NULL or None if not given. */
PyObject *call_run(struct program *program, PyObject *const *values, PyObject *out, PyObject *stream);
/* Raises what the library says of values by names (NULL: by position) that are not the program's inputs. */
PyObject *call_refuse(struct program *program, PyObject *const *names, PyObject *const *values, Py_ssize_t count);
/* Makes the kernels: a list of (origin, seconds, threads). */
PyObject *call_prepare(struct program *program, PyObject *const *values);
/* trace.c: (a list of tuples, a table as text). */
PyObject *call_trace(struct program *program, PyObject *const *values, const struct asked *asked);
/* Reads the values, and passes on what `use` makes of the call. */
PyObject *call_inputs(struct program *program, PyObject *const *values,
                      PyObject *(*use)(const struct call *call, const void *user), const void *user);

/* A new array for the only result, or a tuple of several; a batch is a list of them. */
PyObject *results_new(struct call *call);
/* What the caller gets for it. `given`: it is the caller's own. */
PyObject *results_return(const struct call *call, PyObject *arrays, bool given);

/* ---- functions (gather.c, evaluate.c, describe.c) ---- */

enum option {
    OPTION_OUT, OPTION_STREAM, OPTION_MATH, OPTION_RULES, OPTION_RESULTS, OPTION_IGNORE_UNUSED, OPTION_TYPES,
    OPTION_CONTEXT, OPTION_COUNT
};
enum { GATHERED = 12 };

/* The values of a call. */
struct gathered {
    struct program *program;
    PyObject **values;             /* by the program's inputs; NULL: not given */
    PyObject **names, **given;     /* all that were given, with references; a name is NULL by position */
    Py_ssize_t count, room;
    bool wrong;                    /* an unknown name, one given twice, too many */
    PyObject *few[3 * GATHERED];
    PyObject *mapping;             /* the mapping of inputs that evaluate was given, borrowed; NULL: none */
};

/* `room`: the most that may be given. */
int gather_begin(struct gathered *gathered, struct program *program, Py_ssize_t room);
void gather_position(struct gathered *gathered, Py_ssize_t index, PyObject *value);
void gather_name(struct gathered *gathered, PyObject *name, PyObject *value);
int gather_dict(struct gathered *gathered, PyObject *dict);
bool is_mapping(PyObject *object);
/* Of a DataFrame, or another mapping that is no dict, a new dict of the values that the program has names for; without
 * those in `given`, a tuple or NULL. */
PyObject *mapping_inputs(const struct program *program, PyObject *mapping, PyObject *given);
/* Takes what is missing from the caller's locals and globals. */
int gather_frame(struct gathered *gathered);
/* Does what is asked; or says what is wrong with what was given. */
PyObject *gather_run(struct gathered *gathered, const struct asked *asked);
void gather_end(struct gathered *gathered);

extern const char evaluate_doc[], describe_doc[];
/* The option that a keyword is; -1: the name of an input. */
int option_of(PyObject *name);
PyObject *evaluate(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *describe(PyObject *module, PyObject *args);
/* Keeps the types of a call without batches in its program. */
int describe_call(const struct call *call);

#endif
