/* What a program is for certain types of its inputs: the types of its results, or the text of a stage. A program
 * remembers the types of its last call with new shapes, for notebooks. */
#include "extension.h"

#include <stdio.h>
#include <string.h>

const char describe_doc[] = "describe($module, program, types, stage, /)\n--\n\n"
                            "For types and numbers by name: the text of a stage or, of None, the results' types.";

struct types {
    struct weft_input_type *types;
    struct weft_argument *values;  /* of numbers: one for each type, with */
    DLTensor *tensors;             /* its tensor and */
    struct number *numbers;        /* its value */
    size_t count;
};

/* The type of a tensor of rank 0, such as "float32[]". */
static const char *scalar_type(enum weft_dtype dtype)
{
    static char texts[WEFT_DTYPE_COUNT][16]; /* written under the GIL, with the same text each time */
    snprintf(texts[dtype], sizeof texts[dtype], "%s[]", weft_dtype_name(dtype));
    return texts[dtype];
}

static void add_number(struct types *all, const char *name, const struct number *number)
{
    const size_t i = all->count++;
    all->numbers[i] = *number;
    all->tensors[i] = number_tensor(&all->numbers[i]);
    all->values[i] = (struct weft_argument){.tensors = &all->tensors[i], .count = 1};
    all->types[i] = (struct weft_input_type){.name = name, .type = "number", .value = &all->values[i]};
}

static int read_type(struct types *all, const struct program *program, PyObject *name, PyObject *value)
{
    struct number number = number_read(value);
    const char *text = PyUnicode_Check(value) ? error_utf8(value) : NULL;
    if (!text && !PyErr_Occurred() && number.kind == NUMBER_NONE)
        error_type("the type of an input is", value, "it has to be a str");
    const char *word = PyErr_Occurred() ? NULL : error_utf8(name);
    if (!word)
        return -1;
    bool known = false;
    for (Py_ssize_t i = 0; !known && i < program->input_count; i++) {
        known = PyUnicode_Compare(program->names[i], name) == 0;
        if (!known || text)
            continue;
        if (number.kind == NUMBER_TOO_LARGE)
            return number_refuse(program, i);
        if (program->declared[i] != WEFT_DTYPE_COUNT) {
            text = scalar_type(program->declared[i]);
            continue;
        }
        add_number(all, word, &number);
        return 0;
    }
    if (known || !program->ignore_unused) /* a name that is no input's is left to the library to refuse */
        all->types[all->count++] = (struct weft_input_type){.name = word, .type = text ? text : "number"};
    return 0;
}

static int read_types(struct types *all, const struct program *program, PyObject *dict)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    const size_t room = (size_t)PyDict_Size(dict) + 1;
    all->types = PyMem_Calloc(room, sizeof *all->types);
    all->values = PyMem_Calloc(room, sizeof *all->values);
    all->tensors = PyMem_Calloc(room, sizeof *all->tensors);
    all->numbers = PyMem_Calloc(room, sizeof *all->numbers);
    if (!all->types || !all->values || !all->tensors || !all->numbers) {
        PyErr_NoMemory();
        return -1;
    }
    while (PyDict_Next(dict, &at, &name, &value))
        if (read_type(all, program, name, value) < 0)
            return -1;
    return 0;
}

static PyObject *get_types(struct weft_program *handle, size_t count)
{
    const char **types = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_program_result_types(handle, &types, &error);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    if (status < 0)
        error_raise(status, error);
    else
        weft_error_destroy(error);
    for (size_t r = 0; list && r < count; r++) {
        PyObject *type = PyUnicode_FromString(types[r]);
        if (!type || PyList_Append(list, type) < 0)
            Py_CLEAR(list);
        Py_XDECREF(type);
    }
    weft_free(types);
    return list;
}

static PyObject *get_stage(struct weft_program *handle, const char *stage)
{
    char *text = NULL;
    struct weft_error *error = NULL;
    enum weft_status status;
    Py_BEGIN_ALLOW_THREADS
    status = weft_program_stage(handle, stage, &text, &error);
    Py_END_ALLOW_THREADS
    if (error_check(status, error) < 0) {
        weft_free(text);
        return NULL;
    }
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    weft_free(text);
    return result;
}

static PyObject *describe_compiled(struct program *program, const struct types *all, const char *stage)
{
    struct weft_compile_params params = {.inputs = all->types, .input_count = all->count};
    struct weft_program *handle = NULL;
    PyObject *result = NULL;
    if (program_compile(program, &params, &handle) == 0)
        result = stage ? get_stage(handle, stage) : get_types(handle, (size_t)program->result_count);
    weft_program_destroy(handle);
    return result;
}

PyObject *describe(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *dict, *result = NULL;
    const char *stage;
    struct types all = {0};
    if (!PyArg_ParseTuple(args, "O!O!z:describe", program_type, &object, &PyDict_Type, &dict, &stage))
        return NULL;
    struct program *program = (struct program *)object;
    if (context_check(program->context) == 0 && read_types(&all, program, dict) == 0)
        result = describe_compiled(program, &all, stage);
    PyMem_Free(all.types);
    PyMem_Free(all.values);
    PyMem_Free(all.tensors);
    PyMem_Free(all.numbers);
    return result;
}

/* ---- the types of a call ---- */

static PyObject *number_object(const struct number *number)
{
    switch (number->kind) {
    case NUMBER_BOOL: return PyBool_FromLong(number->value.truth);
    case NUMBER_INTEGER: return PyLong_FromLongLong(number->value.integer);
    case NUMBER_NATURAL: return PyLong_FromUnsignedLongLong(number->value.natural);
    default: return PyFloat_FromDouble(number->value.real);
    }
}

/* "float32[3, 4]" */
static PyObject *type_text(const DLTensor *tensor)
{
    enum weft_dtype dtype = WEFT_DTYPE_COUNT;
    weft_dtype_from_dlpack(tensor->dtype, &dtype);
    PyObject *text = PyUnicode_FromFormat("%s[", weft_dtype_name(dtype));
    for (int d = 0; text && d < tensor->ndim; d++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s%lld", text, d ? ", " : "", (long long)tensor->shape[d]);
        Py_DECREF(text);
        text = longer;
    }
    PyObject *result = text ? PyUnicode_FromFormat("%U]", text) : NULL;
    Py_XDECREF(text);
    return result;
}

int describe_call(const struct call *call)
{
    struct program *program = call->program;
    PyObject *types = PyDict_New();
    int result = types ? 0 : -1;
    for (Py_ssize_t i = 0; !result && i < program->input_count; i++) {
        const struct number *number = &call->operands[i].number;
        PyObject *type = number->kind ? number_object(number) : type_text(call->arguments[i].tensors);
        result = type ? PyDict_SetItem(types, program->names[i], type) : -1;
        Py_XDECREF(type);
    }
    PyObject *old = program->types;
    program->types = types;
    Py_XDECREF(old);
    return result;
}
