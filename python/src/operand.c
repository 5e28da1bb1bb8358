/* A value of a call as an argument of weft.h: an array, a list or tuple of arrays (a batch), or a number that the text
 * declares a type for. What call.c cleared can be released. */
#include "extension.h"

static int read_one(struct operand *operand, struct weft_argument *argument, PyObject *object, struct role *role)
{
    if (seen_read(&operand->first, object, role) < 0)
        return -1;
    argument->tensors = &operand->first.tensor;
    argument->count = 1;
    return 0;
}

static int read_samples(struct operand *operand, PyObject *list, struct role *role)
{
    role->sample = true;
    for (Py_ssize_t i = 0; i < operand->count; i++) {
        PyObject *sample = PySequence_GetItem(list, i);
        int result = sample ? seen_read(&operand->samples[i], sample, role) : -1;
        Py_XDECREF(sample); /* what was read holds it */
        if (result < 0)
            return -1;
        operand->tensors[i] = operand->samples[i].tensor;
    }
    return 0;
}

static int read_batch(struct operand *operand, struct weft_argument *argument, PyObject *list, struct role *role)
{
    Py_ssize_t count = PySequence_Size(list);
    if (count < 0)
        return -1;
    operand->samples = PyMem_Calloc((size_t)count + 1, sizeof *operand->samples);
    operand->tensors = PyMem_Calloc((size_t)count + 1, sizeof *operand->tensors);
    if (!operand->samples || !operand->tensors) {
        PyErr_NoMemory();
        return -1;
    }
    operand->count = count;
    if (read_samples(operand, list, role) < 0)
        return -1;
    argument->tensors = operand->tensors;
    argument->count = count;
    argument->batch = true;
    return 0;
}

/* Whether it is a list of numbers, which is an array. */
static bool holds_numbers(PyObject *list)
{
    const Py_ssize_t count = PySequence_Size(list);
    bool numbers = count > 0;
    for (Py_ssize_t i = 0; numbers && i < count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        numbers = item && (PyLong_Check(item) || PyFloat_CheckExact(item));
        Py_XDECREF(item);
    }
    return numbers;
}

int operand_read(struct operand *operand, struct weft_argument *argument, PyObject *object, struct role *role)
{
    bool batch = (PyList_Check(object) || PyTuple_Check(object)) && !holds_numbers(object);
    return batch ? read_batch(operand, argument, object, role) : read_one(operand, argument, object, role);
}

/* Makes it a number of the usual types, where C converts as a cast of the language does. */
static bool convert(struct number *number, enum weft_dtype dtype)
{
    const bool real = number->kind == NUMBER_REAL, integer = number->kind == NUMBER_INTEGER;
    const int64_t whole = integer ? number->value.integer : 0;
    if (dtype == WEFT_FLOAT64 && integer)
        number->value.real = (double)whole;
    else if (dtype == WEFT_FLOAT32 && (real || integer))
        number->value.narrow = real ? (float)number->value.real : (float)whole;
    else if (dtype == WEFT_INT32 && integer && whole == (int32_t)whole)
        number->value.few = (int32_t)whole;
    else
        return (dtype == WEFT_FLOAT64 && real) || (dtype == WEFT_INT64 && integer) ||
               (dtype == WEFT_BOOL && number->kind == NUMBER_BOOL);
    return true;
}

/* As a cast does. */
int operand_read_number(struct operand *operand, struct weft_argument *argument, const struct number *number,
                        enum weft_dtype dtype)
{
    operand->number = *number;
    if (convert(&operand->number, dtype)) {
        operand->first.tensor = (DLTensor){.data = &operand->number.value, .device = {kDLCPU, 0},
                                           .dtype = weft_dtype_to_dlpack(dtype)};
        operand->number.kind = NUMBER_NONE; /* its value is data, as an array's */
        argument->tensors = &operand->first.tensor;
        argument->count = 1;
        return 0;
    }
    struct weft_error *error = NULL;
    PyObject *text = number_text(number);
    if (!text)
        return -1;
    enum weft_status status = weft_read_literal(PyBytes_AsString(text), dtype, &operand->literal, &error);
    Py_DECREF(text);
    if (error_check(status, error) < 0)
        return -1;
    struct weft_literal *literal = operand->literal;
    operand->first.tensor = (DLTensor){.data = literal->data, .device = {kDLCPU, 0}, .ndim = literal->rank,
                                       .dtype = weft_dtype_to_dlpack(literal->dtype), .shape = literal->shape};
    argument->tensors = &operand->first.tensor;
    argument->count = 1;
    return 0;
}

void operand_release(struct operand *operand)
{
    Py_CLEAR(operand->first.held);
    for (Py_ssize_t i = 0; i < operand->count; i++)
        Py_CLEAR(operand->samples[i].held);
    PyMem_Free(operand->samples);
    PyMem_Free(operand->tensors);
    weft_free(operand->literal);
}
