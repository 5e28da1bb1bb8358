/* What a program is for certain types of its inputs: the types of its results, or the text of a stage. A program
 * remembers the types of its last call with new shapes, for notebooks. */
#include "extension.h"

#include <stdio.h>
#include <string.h>

const char describe_doc[] = "describe($module, program, types, stage, /)\n--\n\n"
                            "For types and numbers by name: the text of a stage or, of None, the results' types.";

struct types {
    struct weft_input_type *types;
    struct number *numbers;
    size_t count;
    bool any;
};

/* The type of a tensor of rank 0, such as "float32[]". */
static const char *scalar_type(enum weft_dtype dtype)
{
    static char texts[WEFT_DTYPE_COUNT][16]; /* written under the GIL, with the same text each time */
    snprintf(texts[dtype], sizeof texts[dtype], "%s[]", weft_dtype_name(dtype));
    return texts[dtype];
}

static int read_type(struct types *all, const struct program *program, PyObject *name, PyObject *value)
{
    struct number number = number_read(value);
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!text && !PyErr_Occurred() && number.kind == NUMBER_NONE)
        error_call("the type of an input is a %S; it has to be a str", (PyObject *)Py_TYPE(value));
    if (PyErr_Occurred())
        return -1;
    for (Py_ssize_t i = 0; !text && i < program->input_count; i++) {
        if (PyUnicode_Compare(program->names[i], name) != 0)
            continue;
        if (number.kind == NUMBER_TOO_LARGE) {
            error_input(program, i, "input '%U': the integer does not fit int64 or uint64", name);
            return -1;
        }
        if (program->declared[i] != WEFT_DTYPE_COUNT) {
            text = scalar_type(program->declared[i]);
            continue;
        }
        all->numbers[i] = number;
        all->any = true;
        return 0;
    }
    all->types[all->count++] = (struct weft_input_type){.name = PyUnicode_AsUTF8AndSize(name, NULL), .type = text};
    return 0;
}

static int read_types(struct types *all, const struct program *program, PyObject *dict)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    all->types = PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof *all->types);
    all->numbers = PyMem_Calloc((size_t)program->input_count + 1, sizeof *all->numbers);
    if (!all->types || !all->numbers) {
        PyErr_NoMemory();
        return -1;
    }
    while (PyDict_Next(dict, &at, &name, &value))
        if (read_type(all, program, name, value) < 0)
            return -1;
    return 0;
}

static PyObject *get_types(struct weft_program *handle, size_t count, const struct program *base,
                           const struct program *program)
{
    const char **types = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_program_result_types(handle, &types, &error);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    if (status < 0)
        error_raise(base, program, status, error);
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

static PyObject *get_stage(struct weft_program *handle, const char *stage, const struct program *base,
                           const struct program *program)
{
    char *text = NULL;
    struct weft_error *error = NULL;
    enum weft_status status;
    Py_BEGIN_ALLOW_THREADS
    status = weft_program_stage(handle, stage, &text, &error);
    Py_END_ALLOW_THREADS
    if (status < 0) {
        error_raise(base, program, status, error);
        return NULL;
    }
    weft_error_destroy(error);
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    weft_free(text);
    return result;
}

static PyObject *describe_compiled(struct program *base, struct program *program, const struct types *all,
                                   const char *stage)
{
    struct weft_compile_params params = {.inputs = all->types, .input_count = all->count};
    struct weft_program *handle = NULL;
    if (program_compile(base, program, &params, &handle) < 0)
        return NULL;
    PyObject *result = stage ? get_stage(handle, stage, base, program)
                             : get_types(handle, (size_t)base->result_count, base, program);
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
    struct program *base = (struct program *)object, *program = NULL;
    if (context_check(base->context) == 0 && read_types(&all, base, dict) == 0)
        program = all.any ? special_get(base, all.numbers) : (struct program *)Py_NewRef(object);
    if (program)
        result = describe_compiled(base, program, &all, stage);
    Py_XDECREF((PyObject *)program);
    PyMem_Free(all.types);
    PyMem_Free(all.numbers);
    return result;
}

/* ---- the types of a call ---- */

static PyObject *number_object(const struct number *number)
{
    switch (number->kind) {
    case NUMBER_BOOL: return PyBool_FromLong(number->value.integer != 0);
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
    const struct number *numbers = call->ran == program ? NULL : call->ran->numbers;
    PyObject *types = PyDict_New();
    Py_ssize_t next = 0;
    int result = types ? 0 : -1;
    for (Py_ssize_t i = 0; !result && i < program->input_count; i++) {
        bool number = numbers && numbers[i].kind;
        PyObject *type = number ? number_object(&numbers[i]) : type_text(call->arguments[next++].tensors);
        result = type ? PyDict_SetItem(types, program->names[i], type) : -1;
        Py_XDECREF(type);
    }
    PyObject *old = program->types;
    program->types = types;
    Py_XDECREF(old);
    return result;
}
