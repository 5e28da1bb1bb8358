/* Python's numbers (rule 2.7 of docs/language.md). Which inputs of a program are numbers is known when it is called. So
 * it is compiled once more for each such set of inputs, and the last programs of this kind are kept. Their values are
 * arguments of the call. */
#include "extension.h"

#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

static struct number read_integer(PyObject *object)
{
    int overflow = 0;
    struct number number = {.kind = NUMBER_INTEGER};
    number.value.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow)
        return number;
    number.kind = NUMBER_NATURAL;
    number.value.natural = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        number = (struct number){.kind = NUMBER_TOO_LARGE};
    }
    return number;
}

static bool is_array(PyObject *object)
{
    PyObject *library = library_of(object);
    PyErr_Clear(); /* reading it as an array will say it */
    return library != Py_None;
}

struct number number_read(PyObject *object)
{
    if (PyFloat_CheckExact(object))
        return (struct number){.kind = NUMBER_REAL, .value.real = PyFloat_AsDouble(object)};
    if (PyBool_Check(object))
        return (struct number){.kind = NUMBER_BOOL, .value.truth = object == Py_True};
    if (PyLong_CheckExact(object) || (PyLong_Check(object) && !is_array(object)))
        return read_integer(object);
    if (PyFloat_Check(object) && !is_array(object))
        return (struct number){.kind = NUMBER_REAL, .value.real = PyFloat_AsDouble(object)};
    return (struct number){.kind = NUMBER_NONE};
}

int number_refuse(const struct program *program, Py_ssize_t index)
{
    error_input(program, index, "input '%U': the integer fits neither int64 nor uint64; give it as a float, as in 1e20",
                PyTuple_GetItem(program->inputs, index));
    return -1;
}

static PyObject *real_text(double value)
{
    char *text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    PyObject *result = text ? PyBytes_FromString(text) : PyErr_NoMemory();
    PyMem_Free(text);
    return result;
}

PyObject *number_text(const struct number *number)
{
    if (number->kind == NUMBER_REAL)
        return real_text(number->value.real);
    if (number->kind == NUMBER_BOOL)
        return PyBytes_FromString(number->value.truth ? "true" : "false");
    char digits[32];
    int length = number->kind == NUMBER_INTEGER ? snprintf(digits, sizeof digits, "%lld",
                                                           (long long)number->value.integer)
                                                : snprintf(digits, sizeof digits, "%llu",
                                                           (unsigned long long)number->value.natural);
    return PyBytes_FromStringAndSize(digits, length);
}

DLTensor number_tensor(struct number *number)
{
    static const enum weft_dtype dtypes[] = {[NUMBER_BOOL] = WEFT_BOOL, [NUMBER_INTEGER] = WEFT_INT64,
                                             [NUMBER_NATURAL] = WEFT_UINT64, [NUMBER_REAL] = WEFT_FLOAT64};
    return (DLTensor){.data = &number->value, .device = {kDLCPU, 0},
                      .dtype = weft_dtype_to_dlpack(dtypes[number->kind])};
}

/* ---- programs ---- */

static struct program *make(struct program *program, const bool *numbers)
{
    struct weft_input_type *types = PyMem_Calloc((size_t)program->input_count + 1, sizeof *types);
    struct weft_compile_params more = {.inputs = types};
    if (!types) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < program->input_count; i++)
        if (numbers[i])
            types[more.input_count++] =
                (struct weft_input_type){.name = PyUnicode_AsUTF8AndSize(program->names[i], NULL), .type = "number"};
    struct program *made = PyErr_Occurred() ? NULL : program_again(program, &more);
    PyMem_Free(types);
    return made;
}

struct program *special_get(struct program *program, const bool *numbers)
{
    const size_t size = (size_t)program->input_count * sizeof *numbers;
    for (int i = 0; i < SPECIALS; i++) {
        struct program *kept = (struct program *)program->specials[i];
        if (kept && memcmp(kept->numbers, numbers, size) == 0)
            return (struct program *)Py_NewRef((PyObject *)kept);
    }
    struct program *made = make(program, numbers);
    if (!made)
        return NULL;
    PyObject **slot = &program->specials[program->next_special++ % SPECIALS], *old = *slot;
    *slot = Py_NewRef((PyObject *)made);
    Py_XDECREF(old);
    return made;
}
