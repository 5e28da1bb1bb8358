/* The values of a call, by position, by name, or from the caller's frame, in the order of the program's inputs. Names
 * are interned, so that pointers tell whether they are equal. What does not fit is left to the library to refuse. */
#include "extension.h"

#include <string.h>

int gather_begin(struct gathered *gathered, struct program *program, Py_ssize_t room)
{
    Py_ssize_t inputs = program->input_count;
    gathered->program = program;
    gathered->count = 0;
    gathered->wrong = false;
    gathered->mapping = NULL;
    room += inputs;
    gathered->values = gathered->few;
    if (room > GATHERED)
        gathered->values = PyMem_Malloc((size_t)(3 * room) * sizeof(PyObject *));
    if (!gathered->values) {
        PyErr_NoMemory();
        return -1;
    }
    gathered->names = gathered->values + room;
    gathered->given = gathered->names + room;
    memset(gathered->values, 0, (size_t)inputs * sizeof(PyObject *));
    return 0;
}

void gather_end(struct gathered *gathered)
{
    for (Py_ssize_t i = 0; i < gathered->count; i++) {
        Py_DECREF(gathered->given[i]);
        Py_XDECREF(gathered->names[i]);
    }
    if (gathered->values != gathered->few)
        PyMem_Free(gathered->values);
}

/* Another thread may replace a global, or a key of a dict, while an array is asked for its memory, so there are
 * references to all. */
static void note(struct gathered *gathered, PyObject *name, PyObject *value)
{
    gathered->names[gathered->count] = Py_XNewRef(name);
    gathered->given[gathered->count++] = Py_NewRef(value);
}

void gather_position(struct gathered *gathered, Py_ssize_t index, PyObject *value)
{
    note(gathered, NULL, value);
    if (index < gathered->program->input_count)
        gathered->values[index] = value;
    else
        gathered->wrong = true;
}

static Py_ssize_t find(const struct program *program, PyObject *name)
{
    for (Py_ssize_t i = 0; i < program->input_count; i++)
        if (program->names[i] == name)
            return i;
    return -1;
}

/* A name of a dict need not be interned. */
static Py_ssize_t find_equal(const struct program *program, PyObject *name)
{
    for (Py_ssize_t i = 0; i < program->input_count; i++)
        if (PyUnicode_Compare(program->names[i], name) == 0)
            return i;
    return -1;
}

void gather_name(struct gathered *gathered, PyObject *name, PyObject *value)
{
    Py_ssize_t index = find(gathered->program, name);
    if (index < 0)
        index = find_equal(gathered->program, name);
    if (index < 0 && gathered->program->ignore_unused)
        return;
    note(gathered, name, value);
    if (index < 0 || gathered->values[index])
        gathered->wrong = true;
    else
        gathered->values[index] = value;
}

int gather_dict(struct gathered *gathered, PyObject *dict)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &name, &value)) {
        if (!PyUnicode_Check(name)) {
            error_call("the name %R of an input is no str", name);
            return -1;
        }
        gather_name(gathered, name, value);
    }
    return 0;
}

PyObject *mapping_inputs(const struct program *program, PyObject *mapping, PyObject *given)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict && i < program->input_count; i++) {
        PyObject *name = program->names[i];
        const int named = given ? PySequence_Contains(given, name) : 0;
        const int there = named ? -(named < 0) : PySequence_Contains(mapping, name);
        PyObject *value = there > 0 ? PyObject_GetItem(mapping, name) : NULL;
        if (there < 0 || (there && !value) || (value && PyDict_SetItem(dict, name, value) < 0))
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

bool is_mapping(PyObject *object)
{
    const bool names = PyObject_HasAttrString(object, "keys") || PyObject_HasAttrString(object, "columns");
    return PyDict_Check(object) || (names && PyMapping_Check(object));
}

/* Borrowed, or NULL, also with an exception. The locals of a class body need not be a dict. */
static PyObject *look_up(PyObject *locals, PyObject *globals, PyObject *name)
{
    PyObject *found = NULL;
    if (locals && PyDict_Check(locals))
        found = PyDict_GetItemWithError(locals, name);
    if (!found && !PyErr_Occurred() && globals)
        found = PyDict_GetItemWithError(globals, name);
    return found;
}

/* Says which names neither the call nor the frame has. */
static void refuse_missing(const struct gathered *gathered)
{
    PyObject *missing = PyList_New(0), *messages = NULL;
    for (Py_ssize_t i = 0; missing && i < gathered->program->input_count; i++)
        if (PyList_Append(missing, gathered->values[i] ? Py_None : gathered->program->names[i]) < 0)
            Py_CLEAR(missing);
    if (missing)
        messages = PyObject_CallFunctionObjArgs(imports.missing, missing,
                                                gathered->mapping ? gathered->mapping : Py_None,
                                                gathered->program->text, NULL);
    if (messages)
        error_missing(gathered->program, messages);
    Py_XDECREF(messages);
    Py_XDECREF(missing);
}

int gather_frame(struct gathered *gathered)
{
    bool whole = true;
    const struct program *program = gathered->program;
    PyObject *locals = NULL, *globals = NULL;
    for (Py_ssize_t i = 0; i < program->input_count; i++) {
        if (gathered->values[i])
            continue;
        locals = locals ? locals : PyEval_GetLocals();
        globals = globals ? globals : PyEval_GetGlobals();
        gathered->values[i] = look_up(locals, globals, program->names[i]);
        if (gathered->values[i])
            note(gathered, program->names[i], gathered->values[i]);
        else
            whole = false;
    }
    if (!whole && !gathered->wrong && !PyErr_Occurred())
        refuse_missing(gathered);
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *gather_run(struct gathered *gathered, const struct asked *asked)
{
    struct program *program = gathered->program;
    bool wrong = gathered->wrong;
    for (Py_ssize_t i = 0; i < program->input_count; i++)
        wrong |= !gathered->values[i];
    if (wrong)
        return call_refuse(program, gathered->names, gathered->given, gathered->count);
    switch (asked->what) {
    case ASKED_PREPARE: return call_prepare(program, gathered->values);
    case ASKED_TRACE: return call_trace(program, gathered->values, asked);
    default: return call_run(program, gathered->values, asked->out, asked->stream);
    }
}
