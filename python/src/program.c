/* weft.Program: a compiled text that can be called. Its other methods are weft/_program.py's. */
#include "extension.h"

#include <stdio.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *program_type;

/* Py_TPFLAGS_HAVE_VECTORCALL, which the limited API has from 3.12 on; 3.11 has the same bit. */
enum { HAVE_VECTORCALL = 1 << 11 };

static const char program_doc[] =
    "A compiled text, which weft.compile makes. It is called with its inputs, by position or by name:\n\n"
    ">>> import numpy, weft\n"
    ">>> f = weft.compile('a * x + b')\n"
    ">>> f.inputs, f.results\n"
    "(('a', 'x', 'b'), ('out',))\n"
    ">>> x = numpy.arange(3, dtype=numpy.float32)\n"
    ">>> f(2.0, x, b=x)\n"
    "array([0., 3., 6.], dtype=float32)\n\n"
    "out= takes an array for the result (a tuple for several, a list for a batch), stream= a cudaStream_t as an int\n"
    "for arrays of a GPU. Inputs with these names are given by position, or all of them as one dict. A DataFrame or\n"
    "another mapping alone has the values of several inputs, too. What a call returns and raises is what\n"
    "weft.evaluate does. Several threads may call one program.\n";

/* ---- compiling ---- */

#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
enum { FILE_NAME = 4096 };         /* bytes that a path has at most */

int text_check(PyObject *text)
{
    if (PyUnicode_Check(text))
        return 0;
    const bool file = PyObject_HasAttrString(text, "read") || PyObject_HasAttrString(text, "__fspath__");
    error_type("the text is", text, file ? "it has to be a str, what the file holds, as open(..).read() gives it"
                                         : "it has to be a str");
    return -1;
}

/* Refuses the name of a file, x.weft or x.weft:kernel, which is no program: a dimension stands before [ ]. */
static int refuse_name(const char *bytes)
{
    static const char suffix[] = ".weft";
    const char *at = strstr(bytes, suffix), *after = at ? at + sizeof suffix - 1 : "?";
    const bool kernel = *after == ':' && after[1];
    const size_t word = kernel ? strspn(after + 1, WORD_CHARACTERS) : 0;
    if (!(kernel ? after[1 + word] == '\0' : *after == '\0') || strpbrk(bytes, "\n;(,") || at - bytes > FILE_NAME)
        return 0;
    PyObject *file = PyUnicode_FromStringAndSize(bytes, after - bytes);
    if (file && kernel)
        error_call("the text is the name of a file; write weft.compile(open(%R).read(), kernel='%s')", file, after + 1);
    else if (file)
        error_call("the text is the name of a file; write weft.compile(open(%R).read())", file);
    Py_XDECREF(file);
    return -1;
}

const char *text_bytes(PyObject *text)
{
    Py_ssize_t size;
    if (text_check(text) < 0)
        return NULL;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes && PyErr_ExceptionMatches(PyExc_UnicodeError)) {
        PyErr_Clear();
        error_call("the text has characters that are no Unicode");
    } else if (bytes && strlen(bytes) != (size_t)size) {
        error_call("the text has a NUL character");
        bytes = NULL;
    }
    return bytes && refuse_name(bytes) == 0 ? bytes : NULL;
}

PyObject *program_wanted(PyObject *results)
{
    if (results == Py_None)
        return Py_NewRef(results);
    PyObject *tuple = PyUnicode_Check(results) ? NULL : PySequence_Tuple(results);
    if (!tuple && (PyUnicode_Check(results) || PyErr_ExceptionMatches(PyExc_TypeError))) {
        PyErr_Clear();
        error_type("results is", results, "it has to be a list of names");
    }
    return tuple;
}

/* Names as C strings, which live as long as the tuple. NULL with an exception; *count 0 for None. */
static const char **name_list(PyObject *tuple, size_t *count)
{
    *count = tuple == Py_None ? 0 : (size_t)PyTuple_Size(tuple);
    const char **names = PyMem_Calloc(*count + 1, sizeof *names);
    for (size_t i = 0; names && i < *count; i++) {
        PyObject *name = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        names[i] = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        if (!names[i]) {
            PyErr_Clear();
            error_call("results has to be a list of names");
            PyMem_Free(names);
            return NULL;
        }
    }
    return names ? names : (const char **)PyErr_NoMemory();
}

/* Fills in the names and declared dtypes; they do not change. */
static int read_names(struct program *self)
{
    self->input_count = (Py_ssize_t)weft_program_input_count(self->handle);
    self->result_count = (Py_ssize_t)weft_program_result_count(self->handle);
    self->inputs = PyTuple_New(self->input_count);
    self->results = PyTuple_New(self->result_count);
    self->names = PyMem_Calloc((size_t)self->input_count + 1, sizeof *self->names);
    self->declared = PyMem_Calloc((size_t)self->input_count + 1, sizeof *self->declared);
    self->numbers = PyMem_Calloc((size_t)self->input_count + 1, sizeof *self->numbers);
    if (!self->names || !self->declared || !self->numbers)
        PyErr_NoMemory();
    if (!self->inputs || !self->results || !self->names || !self->declared || !self->numbers)
        return -1;
    for (Py_ssize_t i = 0; i < self->input_count; i++) {
        struct weft_input_info info;
        weft_program_input(self->handle, (size_t)i, &info);
        self->declared[i] = info.dtype;
        self->numbers[i] = info.number;
        self->names[i] = PyUnicode_InternFromString(info.name);
        if (!self->names[i] || PyTuple_SetItem(self->inputs, i, self->names[i]) < 0)
            return -1;
    }
    for (Py_ssize_t r = 0; r < self->result_count; r++) {
        PyObject *name = PyUnicode_InternFromString(weft_program_result_name(self->handle, (size_t)r));
        if (!name || PyTuple_SetItem(self->results, r, name) < 0)
            return -1;
    }
    return 0;
}

static int set_math(const struct program *self, struct weft_compile_params *params)
{
    static const char *const maths[] = {"strict", "fast", NULL};
    const char *word = PyUnicode_Check(self->math) ? PyUnicode_AsUTF8AndSize(self->math, NULL) : "";
    int math = word ? context_word("math", word, maths) : -1;
    params->math = math < 0 ? WEFT_MATH_STRICT : (enum weft_math)math;
    return math < 0 ? -1 : 0;
}

static int compile_with(const struct program *self, struct weft_compile_params *given,
                        const struct weft_compile_params *more, struct weft_program **made)
{
    struct weft_compile_params params = *given;
    struct weft_error *error = NULL;
    enum weft_status status;
    const char *text = text_bytes(self->text);
    const char **names = text && set_math(self, &params) == 0 ? name_list(self->wanted, &params.result_count) : NULL;
    if (!names)
        return -1;
    params.results = names;
    params.rules = self->rules;
    params.kernel = self->kernel == Py_None ? NULL : PyUnicode_AsUTF8AndSize(self->kernel, NULL);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        PyMem_Free(names);
        error_call("kernel is %R; it has to be the name of a kernel in the text", self->kernel);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    status = weft_compile(self->context->handle, text, &params, made, &error);
    Py_END_ALLOW_THREADS
    PyMem_Free(names);
    if (more)
        log_drop_places(); /* they were told when the text was compiled alone */
    return error_check(status, error);
}

/* The type for this name. NULL: there is none. */
static const struct weft_input_type *find_type(const struct weft_compile_params *params, const char *name)
{
    size_t i = 0;
    while (i < params->input_count && strcmp(params->inputs[i].name, name) != 0)
        i++;
    return i < params->input_count ? &params->inputs[i] : NULL;
}

/* Whether another type agrees with the one that was given, as types beside a declaration do (rule 8.3): -1 with an
 * exception. A program that only declares the input says so; where neither has a dtype, any will do. */
static int check_other(const struct program *self, const char *given, const struct weft_input_type *other)
{
    const size_t own = strcspn(given, "([");
    const char *from = own ? given : other->type;
    const int word = (int)strcspn(from, "([");
    const size_t room = 2 * strlen(other->name) + strlen(given) + strlen(from) + 32;
    char *text = PyMem_Malloc(room);
    struct weft_compile_params params = {.inputs = other, .input_count = 1, .rules = self->rules};
    struct weft_program *made = NULL;
    struct weft_error *error = NULL;
    if (!text) {
        PyErr_NoMemory();
        return -1;
    }
    snprintf(text, room, "input %s: %.*s%s\n%s", other->name, word ? word : 7, word ? from : "float32", given + own,
             other->name);
    const enum weft_status status = weft_compile(self->context->handle, text, &params, &made, &error);
    weft_program_destroy(made);
    PyMem_Free(text);
    return error_check(status, error);
}

/* Adds the types that were given, unless there is another one for an input. The list is a new one; NULL with an
 * exception. */
static struct weft_input_type *add_given(const struct program *self, struct weft_compile_params *params)
{
    PyObject *name, *type;
    Py_ssize_t at = 0;
    const size_t own = params->input_count, given = self->given == Py_None ? 0 : (size_t)PyDict_Size(self->given);
    struct weft_input_type *types = PyMem_Calloc(own + given + 1, sizeof *types);
    if (!types)
        return (struct weft_input_type *)PyErr_NoMemory();
    if (own)
        memcpy(types, params->inputs, own * sizeof *types);
    size_t count = own;
    while (given && PyDict_Next(self->given, &at, &name, &type)) {
        const char *word = PyUnicode_Check(name) ? error_utf8(name) : NULL;
        const char *text = word && PyUnicode_Check(type) ? error_utf8(type) : NULL;
        if (!word || !text) {
            if (!PyErr_Occurred())
                error_type("the type of an input is", word ? type : name,
                           "names and types have to be str, as in {'u': '(y, x)'}");
            PyMem_Free(types);
            return NULL;
        }
        const struct weft_input_type *other = find_type(params, word);
        if (!other)
            types[count++] = (struct weft_input_type){.name = word, .type = text};
        else if (strcmp(other->type, "number") != 0 && check_other(self, text, other) < 0) {
            PyMem_Free(types);
            return NULL;
        }
    }
    params->inputs = types;
    params->input_count = count;
    return types;
}

int program_compile(const struct program *self, const struct weft_compile_params *more, struct weft_program **made)
{
    struct weft_compile_params params = more ? *more : (struct weft_compile_params){0};
    struct weft_input_type *types = add_given(self, &params);
    const int result = types ? compile_with(self, &params, more, made) : -1;
    PyMem_Free(types);
    return result;
}

static PyObject *call_vector(PyObject *self, PyObject *const *args, size_t count, PyObject *names);

/* Of a text, math, wanted, kernel and given. */
static struct program *make(PyTypeObject *type, struct context *context, PyObject *const options[5])
{
    struct program *self = (struct program *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    self->call = call_vector;
    self->context = (struct context *)Py_NewRef((PyObject *)context);
    self->text = Py_NewRef(options[0]);
    self->math = Py_NewRef(options[1]);
    self->wanted = Py_NewRef(options[2]);
    self->kernel = Py_NewRef(options[3]);
    self->given = Py_NewRef(options[4]);
    return self;
}

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"text", "results", "math", "rules", "ignore_unused", "context", "kernel", "types", NULL};
    PyObject *text, *wanted = Py_None, *math = NULL, *given = NULL, *kernel = Py_None, *types = Py_None;
    const char *rules = NULL;
    int ignore_unused = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OOzpOOO:Program", names, &text, &wanted, &math, &rules,
                                     &ignore_unused, &given, &kernel, &types))
        return NULL;
    if (types != Py_None && !PyDict_Check(types)) {
        error_type("types is", types, "it has to be a dict of names and types");
        return NULL;
    }
    const int chosen = rules ? context_word("rules", rules, context_rules) : 0;
    struct context *context = chosen < 0 ? NULL : context_get(given);
    PyObject *strict = math ? Py_NewRef(math) : PyUnicode_InternFromString("strict");
    PyObject *tuple = program_wanted(wanted);
    PyObject *own = types == Py_None ? Py_NewRef(types) : PyDict_Copy(types);
    struct program *self = context && strict && tuple && own
                               ? make(type, context, (PyObject *const[]){text, strict, tuple, kernel, own}) : NULL;
    Py_XDECREF(own);
    Py_XDECREF((PyObject *)context);
    Py_XDECREF(strict);
    Py_XDECREF(tuple);
    if (!self)
        return NULL;
    self->ignore_unused = ignore_unused;
    self->rules = rules ? (enum weft_rules)chosen : self->context->rules;
    if (program_compile(self, NULL, &self->handle) < 0 || read_names(self) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

struct program *program_again(struct program *program, const struct weft_compile_params *more)
{
    PyObject *const options[] = {program->text, program->math, program->wanted, program->kernel, program->given};
    struct program *self = make(program_type, program->context, options);
    if (self)
        self->rules = program->rules;
    if (self && (program_compile(self, more, &self->handle) < 0 || read_names(self) < 0))
        Py_CLEAR(self);
    return self;
}

/* ---- the object ---- */

static int program_traverse(PyObject *object, visitproc visit, void *arg)
{
    struct program *self = (struct program *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT((PyObject *)self->context);
    for (int i = 0; i < SPECIALS; i++)
        Py_VISIT(self->specials[i]);
    return 0;
}

/* The program goes before its context. */
static int program_clear(PyObject *object)
{
    struct program *self = (struct program *)object;
    for (int i = 0; i < SPECIALS; i++)
        Py_CLEAR(self->specials[i]);
    for (int i = 0; i < SHAPES; i++) {
        self->shapes[i].size = 0;
        Py_CLEAR(self->shapes[i].recipes);
    }
    return 0;
}

static void program_dealloc(PyObject *object)
{
    struct program *self = (struct program *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    program_clear(object);
    weft_program_destroy(self->handle);
    Py_XDECREF((PyObject *)self->context);
    PyObject *references[] = {self->text, self->math, self->wanted, self->kernel, self->given, self->inputs,
                              self->results, self->types};
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        Py_XDECREF(references[i]);
    PyMem_Free(self->names);
    PyMem_Free(self->declared);
    PyMem_Free(self->numbers);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- calls ---- */

/* out= and stream= are the call's own. */
static void gather_keywords(struct gathered *gathered, PyObject *names, PyObject *const *values, PyObject **out,
                            PyObject **stream)
{
    Py_ssize_t count = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        int option = option_of(name);
        if (option == OPTION_OUT)
            *out = values[i];
        else if (option == OPTION_STREAM)
            *stream = values[i];
        else
            gather_name(gathered, name, values[i]);
    }
}

/* Whether a single value by position has inputs by name: a dict, or a DataFrame or other mapping in place of several
 * inputs of which none is given. A DataFrame of numbers may also be an operand. */
static bool has_inputs(const struct program *self, PyObject *value, PyObject *names)
{
    const Py_ssize_t count = names ? PyTuple_Size(names) : 0;
    bool alone = true;
    for (Py_ssize_t i = 0; i < count; i++)
        alone = alone && option_of(PyTuple_GetItem(names, i)) >= 0;
    const bool column = PyObject_HasAttrString(value, "__array__") && !PyObject_HasAttrString(value, "columns");
    return PyDict_Check(value) || (self->input_count > 1 && alone && !column && is_mapping(value));
}

static PyObject *call(struct program *self, struct asked asked, PyObject *const *args, Py_ssize_t count,
                      PyObject *names)
{
    PyObject *result = NULL, *dict = NULL;
    if (count == 1 && has_inputs(self, args[0], names)) {
        dict = PyDict_Check(args[0]) ? Py_NewRef(args[0]) : mapping_inputs(self, args[0], NULL);
        if (!dict)
            return NULL;
    }
    Py_ssize_t room = count + (names ? PyTuple_Size(names) : 0) + (dict ? PyDict_Size(dict) : 0);
    struct gathered gathered;
    if (gather_begin(&gathered, self, room) == 0) {
        for (Py_ssize_t i = 0; !dict && i < count; i++)
            gather_position(&gathered, i, args[i]);
        gather_keywords(&gathered, names, args + count, &asked.out, &asked.stream);
        if (!dict || gather_dict(&gathered, dict) == 0)
            result = gather_run(&gathered, &asked);
        gather_end(&gathered);
    }
    Py_XDECREF(dict);
    return result;
}

static PyObject *prepare(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return call((struct program *)self, (struct asked){.what = ASKED_PREPARE}, args, count, names);
}

/* The numbers of a position; -1 with an exception where it is no sequence of integers. */
static int read_position(PyObject *at, int64_t *numbers)
{
    const bool single = PyLong_Check(at), listed = PyTuple_Check(at) || PyList_Check(at);
    Py_ssize_t count = single ? 1 : listed ? PySequence_Size(at) : -1;
    for (Py_ssize_t i = 0; i < count && count <= WEFT_MAX_RANK; i++) {
        PyObject *item = single ? Py_NewRef(at) : PySequence_GetItem(at, i);
        PyObject *index = item ? PyNumber_Index(item) : NULL;
        Py_XDECREF(item);
        numbers[i] = index ? PyLong_AsLongLong(index) : -1;
        Py_XDECREF(index);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            count = -1;
        }
    }
    if (count >= 0 && count <= WEFT_MAX_RANK)
        return (int)count;
    error_call("at is %R; it has to be a position in the result, a tuple of ints with one for each dimension", at);
    return -1;
}

/* The position and the sample come first. */
static PyObject *trace(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int64_t numbers[WEFT_MAX_RANK] = {0};
    struct asked asked = {.what = ASKED_TRACE};
    if (count < 2)
        return PyErr_Format(PyExc_TypeError, "_trace takes a position and a sample");
    if (args[0] != Py_None) {
        asked.at = numbers;
        asked.at_count = read_position(args[0], numbers);
    }
    asked.sample = asked.at_count < 0 ? -1 : PyLong_AsLongLong(args[1]);
    return PyErr_Occurred() ? NULL : call((struct program *)self, asked, args + 2, count - 2, names);
}

/* The highest bit of `count` is the interpreter's. */
static PyObject *call_vector(PyObject *self, PyObject *const *args, size_t count, PyObject *names)
{
    return call((struct program *)self, (struct asked){.what = ASKED_RUN}, args, (Py_ssize_t)(count << 1 >> 1), names);
}

static PyObject *split_dict(PyObject *dict, PyObject **values)
{
    PyObject *name, *value, *names = PyTuple_New(PyDict_Size(dict));
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; names && PyDict_Next(dict, &at, &name, &value); i++) {
        values[i] = value;
        PyTuple_SetItem(names, i, Py_NewRef(name));
    }
    return names;
}

/* For f(*args, **named). */
static PyObject *call_tuple(PyObject *self, PyObject *args, PyObject *named)
{
    Py_ssize_t count = PyTuple_Size(args);
    PyObject **values = PyMem_Calloc((size_t)(count + (named ? PyDict_Size(named) : 0) + 1), sizeof *values);
    if (!values)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        values[i] = PyTuple_GetItem(args, i);
    PyObject *names = named ? split_dict(named, values + count) : NULL;
    const struct asked asked = {.what = ASKED_RUN};
    PyObject *result = named && !names ? NULL : call((struct program *)self, asked, values, count, names);
    Py_XDECREF(names);
    PyMem_Free(values);
    return result;
}

static PyMethodDef methods[] = {
    {"_prepare", (PyCFunction)(void (*)(void))prepare, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_trace", (PyCFunction)(void (*)(void))trace, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct program, call), READONLY, NULL},
    {"text", T_OBJECT, offsetof(struct program, text), READONLY, "The text, as it was given."},
    {"inputs", T_OBJECT, offsetof(struct program, inputs), READONLY, "The names of the inputs, in order."},
    {"results", T_OBJECT, offsetof(struct program, results), READONLY, "The names of the results, in order."},
    {"context", T_OBJECT, offsetof(struct program, context), READONLY, "The weft.Context it was compiled in."},
    {"types", T_OBJECT, offsetof(struct program, given), READONLY,
     "The types of inputs that compile was given, by name; None where it was given none. Those of results are what "
     "infer says."},
    {"_math", T_OBJECT, offsetof(struct program, math), READONLY, NULL},
    {"_wanted", T_OBJECT, offsetof(struct program, wanted), READONLY, NULL},
    {"_kernel", T_OBJECT, offsetof(struct program, kernel), READONLY, NULL},
    {"_ignore_unused", T_BOOL, offsetof(struct program, ignore_unused), READONLY, NULL},
    {"_rules", T_INT, offsetof(struct program, rules), READONLY, NULL},
    {"_types", T_OBJECT, offsetof(struct program, types), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

int program_add(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_doc, (void *)program_doc},   {Py_tp_new, program_new},
                                  {Py_tp_dealloc, program_dealloc},
                                  {Py_tp_traverse, program_traverse}, {Py_tp_clear, program_clear},
                                  {Py_tp_call, call_tuple},           {Py_tp_methods, methods},
                                  {Py_tp_members, members},           {0, NULL}};
    static PyType_Spec spec = {"weft.Program", sizeof(struct program), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | HAVE_VECTORCALL, slots};
    program_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return program_type ? PyModule_AddObjectRef(module, "Program", (PyObject *)program_type) : -1;
}
