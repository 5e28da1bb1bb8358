/* What the library reports becomes weft.Error or a warning. */
#include "extension.h"

#include <stdarg.h>
#include <string.h>

/* ---- places ---- */

/* The line of `text` around the error's first span. */
static void set_line(struct weft_error *error, const char *text, char **line)
{
    size_t start = error->spans[0].start, begin = start, number = 1;
    while (begin && text[begin - 1] != '\n')
        begin--;
    for (size_t i = 0; i < begin; i++)
        number += text[i] == '\n';
    error->column = 1;
    for (size_t i = begin; i < start; i++)
        error->column += ((unsigned char)text[i] & 0xC0) != 0x80;
    *line = strndup(text + begin, strcspn(text + begin, "\n"));
    error->source = *line;
    error->source_start = begin;
    error->line = number;
}

/* Lets the error point at an input of the program. *line is to be freed. */
static void point_at(const struct program *program, Py_ssize_t index, struct weft_error *error, char **line)
{
    struct weft_input_info info;
    const char *text = PyUnicode_AsUTF8AndSize(program->text, NULL);
    error->span_count = 0;
    error->line = error->column = 0;
    error->source = NULL;
    if (!text || index < 0 || !weft_program_input(program->handle, (size_t)index, &info))
        return;
    error->span_count = 1;
    error->spans[0] = info.span;
    set_line(error, text, line);
}

/* ---- records ---- */

static PyObject *rendered(const struct weft_error *error)
{
    size_t size = weft_error_render(error, NULL, 0);
    char *text = PyMem_Malloc(size + 1);
    if (!text)
        return PyErr_NoMemory();
    weft_error_render(error, text, size + 1);
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    PyMem_Free(text);
    return result;
}

/* (status, code, severity, message, start, end, line, column, text), as weft._errors reads it. */
static PyObject *record(const struct weft_error *error)
{
    PyObject *text = rendered(error);
    if (!text)
        return NULL;
    bool placed = error->span_count > 0;
    PyObject *message = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    return Py_BuildValue("(iiiNnnnnN)", (int)error->status, error->code, (int)error->severity, message,
                         placed ? (Py_ssize_t)error->spans[0].start : (Py_ssize_t)-1,
                         placed ? (Py_ssize_t)error->spans[0].end : (Py_ssize_t)-1, (Py_ssize_t)error->line,
                         (Py_ssize_t)error->column, text);
}

static PyObject *records(const struct weft_error *list)
{
    PyObject *all = PyList_New(0);
    for (const struct weft_error *error = list; all && error; error = error->next) {
        PyObject *one = record(error);
        if (!one || PyList_Append(all, one) < 0)
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

static void set_error(enum weft_status status, PyObject *all)
{
    PyObject *error = all ? PyObject_CallFunction(imports.make_error, "iO", (int)status, all) : NULL;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(all);
}

void error_raise(enum weft_status status, struct weft_error *list)
{
    if (status == WEFT_OUT_OF_MEMORY)
        PyErr_SetString(PyExc_MemoryError, list ? list->message : "out of memory");
    else
        set_error(status, records(list));
    weft_error_destroy(list);
}

/* Consumes the reference. */
static int tell(enum weft_severity severity, PyObject *text)
{
    PyObject *result = text ? PyObject_CallFunction(imports.tell, "iO", (int)severity, text) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

int warning_tell(enum weft_severity severity, const char *text)
{
    return tell(severity, PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"));
}

static int warn(struct weft_error *list)
{
    int result = 0;
    for (const struct weft_error *error = list; !result && error; error = error->next)
        result = tell(error->severity, rendered(error));
    weft_error_destroy(list);
    return result;
}

int error_check(enum weft_status status, struct weft_error *list)
{
    if (status >= 0)
        return (list ? warn(list) : 0) < 0 ? -1 : log_tell();
    log_drop();
    error_raise(status, list);
    return -1;
}

/* ---- the package's own ---- */

static void raise_own(const struct program *program, Py_ssize_t index, struct weft_error *error, PyObject *message)
{
    char *line = NULL;
    error->message = message ? PyUnicode_AsUTF8AndSize(message, NULL) : NULL;
    if (!error->message)
        return;
    if (program)
        point_at(program, index, error, &line);
    set_error(error->status, records(error));
    free(line);
}

/* 77 and 70 are the library's numbers for an unusable tensor and for a wrong call. */
void error_input(const struct program *program, Py_ssize_t index, const char *format, ...)
{
    struct weft_error error = {.status = WEFT_INPUT_ERROR, .code = 77, .origin = "<expr>"};
    va_list args;
    va_start(args, format);
    PyObject *message = PyUnicode_FromFormatV(format, args);
    va_end(args);
    raise_own(program, index, &error, message);
    Py_XDECREF(message);
}

void error_call(const char *format, ...)
{
    struct weft_error error = {.status = WEFT_INVALID_ARGUMENT, .code = 70, .origin = "<args>"};
    va_list args;
    va_start(args, format);
    PyObject *message = PyUnicode_FromFormatV(format, args);
    va_end(args);
    raise_own(NULL, -1, &error, message);
    Py_XDECREF(message);
}

void error_missing(const struct program *program, PyObject *messages)
{
    const Py_ssize_t count = PyList_Size(messages);
    struct weft_error *errors = PyMem_Calloc((size_t)count + 1, sizeof *errors), *last = NULL;
    char **lines = PyMem_Calloc((size_t)count + 1, sizeof *lines);
    bool good = errors && lines;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        PyObject *message = PyList_GetItem(messages, i);
        if (message == Py_None)
            continue;
        errors[i] = (struct weft_error){.status = WEFT_NAME_ERROR, .code = 75, .origin = "<expr>",
                                        .message = PyUnicode_AsUTF8AndSize(message, NULL)};
        good = errors[i].message;
        if (good)
            point_at(program, i, &errors[i], &lines[i]);
        if (last)
            last->next = &errors[i];
        last = &errors[i];
    }
    for (Py_ssize_t i = 0; good && i < count; i++)
        if (errors[i].message) {   /* the first one, which leads to the others */
            set_error(WEFT_NAME_ERROR, records(&errors[i]));
            break;
        }
    for (Py_ssize_t i = 0; lines && i < count; i++)
        free(lines[i]);
    PyMem_Free(lines);
    PyMem_Free(errors);
    if (!PyErr_Occurred())
        PyErr_NoMemory();
}

const char *error_utf8(PyObject *text)
{
    const char *bytes = PyUnicode_AsUTF8AndSize(text, NULL);
    if (!bytes && PyErr_ExceptionMatches(PyExc_UnicodeError)) {
        PyErr_Clear();
        error_call("%A has characters that are no Unicode", text);
    }
    return bytes;
}

void error_type(const char *what, PyObject *object, const char *wanted)
{
    PyObject *name = PyType_GetQualName(Py_TYPE(object));
    if (name)
        error_call("%s of type %U; %s", what, name, wanted);
    Py_XDECREF(name);
}
