/* Python's numbers. They are literals whose values come with the call (rule 2.7 of docs/language.md), so a program is
 * compiled once more for them, with a line before its text that binds each name to its literal:
 *
 *     k = 0.1;n = 3
 *     x[:n] * k
 *
 * This is cheap, because the values of literals are arguments of a kernel: another value compiles no kernel. The last
 * programs of this kind are kept. */
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

/* Floats of NumPy are Python's as well, but are arrays here. */
struct number number_read(PyObject *object)
{
    if (PyFloat_CheckExact(object))
        return (struct number){.kind = NUMBER_REAL, .value.real = PyFloat_AsDouble(object)};
    if (PyBool_Check(object))
        return (struct number){.kind = NUMBER_BOOL, .value.integer = object == Py_True};
    if (PyLong_Check(object))
        return read_integer(object);
    return (struct number){.kind = NUMBER_NONE};
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
        return PyBytes_FromString(number->value.integer ? "true" : "false");
    char digits[32];
    int length = number->kind == NUMBER_INTEGER ? snprintf(digits, sizeof digits, "%lld",
                                                           (long long)number->value.integer)
                                                : snprintf(digits, sizeof digits, "%llu",
                                                           (unsigned long long)number->value.natural);
    return PyBytes_FromStringAndSize(digits, length);
}

/* ---- the line before the text ---- */

/* "k = 0.1;" */
static int add_binding(PyObject *list, PyObject *name, const struct number *number)
{
    PyObject *literal = number_text(number);
    PyObject *text = literal ? PyUnicode_FromFormat("%U = %s", name, PyBytes_AsString(literal)) : NULL;
    int result = text ? PyList_Append(list, text) : -1;
    Py_XDECREF(literal);
    Py_XDECREF(text);
    return result;
}

static PyObject *binding_line(const struct program *program, const struct number *numbers)
{
    PyObject *list = PyList_New(0), *between = PyUnicode_FromString(";"), *line = NULL;
    int result = list && between ? 0 : -1;
    for (Py_ssize_t i = 0; !result && i < program->input_count; i++)
        if (numbers[i].kind)
            result = add_binding(list, PyTuple_GetItem(program->inputs, i), &numbers[i]);
    if (!result)
        line = PyUnicode_Join(between, list);
    Py_XDECREF(list);
    Py_XDECREF(between);
    return line;
}

static struct program *make(struct program *program, const struct number *numbers)
{
    size_t size = (size_t)program->input_count * sizeof *numbers;
    PyObject *line = binding_line(program, numbers);
    PyObject *text = line ? PyUnicode_FromFormat("%U\n%U", line, program->text) : NULL;
    struct number *kept = PyMem_Malloc(size);
    struct program *made = NULL;
    if (!kept)
        PyErr_NoMemory();
    if (text && kept) {
        memcpy(kept, numbers, size);
        made = program_again(program, text, (int)PyUnicode_GetLength(line) + 1, kept);
    } else {
        PyMem_Free(kept);
    }
    Py_XDECREF(line);
    Py_XDECREF(text);
    return made;
}

/* ---- all ---- */

struct program *special_get(struct program *program, const struct number *numbers)
{
    size_t size = (size_t)program->input_count * sizeof *numbers;
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
