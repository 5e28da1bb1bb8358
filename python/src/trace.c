/* Program._trace: every value of a program, as the library tells of it. weft/_trace.py makes objects of the tuples. */
#include "extension.h"

#include <string.h>

static PyObject *numbers_tuple(const int64_t *numbers, int count)
{
    PyObject *tuple = numbers ? PyTuple_New(count) : Py_NewRef(Py_None);
    for (int i = 0; tuple && numbers && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (!number)
            Py_CLEAR(tuple);
        else
            PyTuple_SetItem(tuple, i, number);
    }
    return tuple;
}

/* The fields of weft._trace.Traced, in their order. */
static PyObject *traced_tuple(const struct weft_traced *value)
{
    PyObject *shape = numbers_tuple(value->shape, value->rank), *at = numbers_tuple(value->at, value->rank);
    PyObject *tuple = shape && at
                          ? Py_BuildValue("(ssnnsssOssdLLOs)", value->name, value->text, (Py_ssize_t)value->line,
                                          (Py_ssize_t)value->column, value->rule, value->type,
                                          weft_dtype_name(value->dtype), shape, value->smallest, value->largest,
                                          value->mean, (long long)value->nan_count, (long long)value->inf_count, at,
                                          value->element)
                          : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(at);
    return tuple;
}

static PyObject *trace_tuples(const struct weft_trace *trace)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < trace->count; i++) {
        PyObject *one = traced_tuple(&trace->values[i]);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *trace_result(const struct weft_trace *trace, const struct weft_trace_params *params)
{
    char *table = weft_trace_text(trace, params->at, params->at_count);
    PyObject *list = table ? trace_tuples(trace) : PyErr_NoMemory();
    PyObject *text = list ? PyUnicode_DecodeUTF8(table, (Py_ssize_t)strlen(table), "replace") : NULL;
    PyObject *result = text ? PyTuple_Pack(2, list, text) : NULL;
    Py_XDECREF(list);
    Py_XDECREF(text);
    weft_free(table);
    return result;
}

static PyObject *trace_inputs(const struct call *call, const void *user)
{
    const struct asked *asked = user;
    const struct weft_trace_params params = {.inputs = call->arguments, .input_count = (size_t)call->input_count,
                                             .at = asked->at, .at_count = asked->at_count, .sample = asked->sample};
    struct weft_trace *trace = NULL;
    struct weft_error *error = NULL;
    struct weft_program *handle = call->ran->handle;
    enum weft_status status;
    Py_BEGIN_ALLOW_THREADS
    status = weft_trace(handle, &params, &trace, &error);
    Py_END_ALLOW_THREADS
    PyObject *result = error_check(status, error) < 0 ? NULL : trace_result(trace, &params);
    weft_free(trace);
    return result;
}

PyObject *call_trace(struct program *program, PyObject *const *values, const struct asked *asked)
{
    return call_inputs(program, values, trace_inputs, asked);
}
