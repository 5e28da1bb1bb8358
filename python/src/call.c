/* Running a program on Python's values: they become its arguments, which of them are numbers chooses the program,
 * results are made, and the library runs without the GIL. */
#include "extension.h"

#include <string.h>

/* Calls with so few inputs and outputs use the stack. */
enum { FEW = 6 };

static int reserve(struct call *call, Py_ssize_t count, struct operand *operands, struct weft_argument *arguments)
{
    call->operands = operands;
    call->arguments = arguments;
    if (count > FEW) {
        call->operands = PyMem_Malloc((size_t)count * sizeof *operands);
        call->arguments = PyMem_Malloc((size_t)count * sizeof *arguments);
    }
    if (!call->operands || !call->arguments) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* The strides of an array are set where they are used. */
static void clear_operand(struct operand *operand)
{
    operand->first.held = NULL;
    operand->first.library = NULL;
    operand->samples = NULL;
    operand->tensors = NULL;
    operand->count = 0;
    operand->literal = NULL;
    operand->number.kind = NUMBER_NONE;
}

static void finish(struct call *call, const struct operand *few)
{
    for (Py_ssize_t i = 0; i < call->input_count + call->output_count; i++)
        operand_release(&call->operands[i]);
    if (call->operands != few) {
        PyMem_Free(call->operands);
        PyMem_Free(call->arguments);
    }
    Py_XDECREF((PyObject *)call->ran);
    Py_XDECREF(call->stream);
}

/* ---- inputs ---- */

/* Arrays of NumPy go with another library's on the host; results are the other one's. */
static bool goes_with(const struct seen *numpys, const struct seen *other)
{
    return numpys->library == imports.numpy && other->tensor.device.device_type == kDLCPU;
}

static int same_library(struct call *call, const struct seen *seen, Py_ssize_t index)
{
    if (!seen->library || (call->first && call->first->library == seen->library))
        return 0;
    if (call->first && goes_with(seen, call->first))
        return 0;
    if (!call->first || goes_with(call->first, seen)) {
        call->first = seen;
        return 0;
    }
    error_input(call->program, index, "input '%U' is of %S, an input before it of %S; the arrays of a call are of one "
                "library", PyTuple_GetItem(call->program->inputs, index), seen->library, call->first->library);
    return -1;
}

static int add_input(struct call *call, PyObject *value, Py_ssize_t index)
{
    struct operand *operand = &call->operands[call->input_count];
    struct weft_argument *argument = &call->arguments[call->input_count++];
    struct role role = {.program = call->program, .index = index, .stream = call->stream};
    clear_operand(operand);
    *argument = (struct weft_argument){0};
    int result = operand_read(operand, argument, value, &role);
    call->stream = role.stream;
    if (result < 0)
        return -1;
    call->batch |= argument->batch;
    call->columns |= role.column;
    for (Py_ssize_t i = 0; i < operand->count; i++)
        if (same_library(call, &operand->samples[i], index) < 0)
            return -1;
    return same_library(call, &operand->first, index);
}

static int add_declared(struct call *call, const struct number *number, enum weft_dtype dtype)
{
    struct operand *operand = &call->operands[call->input_count];
    struct weft_argument *argument = &call->arguments[call->input_count++];
    clear_operand(operand);
    *argument = (struct weft_argument){0};
    return operand_read_number(operand, argument, number, dtype);
}

static void add_number(struct call *call, const struct number *number)
{
    struct operand *operand = &call->operands[call->input_count];
    struct weft_argument *argument = &call->arguments[call->input_count++];
    clear_operand(operand);
    operand->number = *number;
    operand->first.tensor = number_tensor(&operand->number);
    *argument = (struct weft_argument){.tensors = &operand->first.tensor, .count = 1};
}

/* Arrays and numbers become arguments. numbers[i] says which, for the choice of the program. */
static int read_value(struct call *call, PyObject *value, Py_ssize_t i, bool *numbers)
{
    enum weft_dtype declared = call->program->declared[i];
    struct number number = number_read(value);
    numbers[i] = call->program->numbers[i];
    if (number.kind == NUMBER_NONE)
        return add_input(call, value, i);
    if (number.kind == NUMBER_TOO_LARGE)
        return number_refuse(call->program, i);
    if (declared != WEFT_DTYPE_COUNT)
        return add_declared(call, &number, declared);
    numbers[i] = true;
    add_number(call, &number);
    return 0;
}

static int read_values(struct call *call, PyObject *const *values)
{
    struct program *program = call->program;
    bool few[FEW], *numbers = few;
    int result = 0;
    if (program->input_count > FEW)
        numbers = PyMem_Malloc((size_t)program->input_count * sizeof *numbers);
    if (!numbers) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; !result && i < program->input_count; i++)
        result = read_value(call, values[i], i, numbers);
    if (!result) {
        const bool same = memcmp(numbers, program->numbers, (size_t)program->input_count * sizeof *numbers) == 0;
        call->ran = same ? (struct program *)Py_NewRef((PyObject *)program) : special_get(program, numbers);
        result = call->ran ? 0 : -1;
    }
    if (numbers != few)
        PyMem_Free(numbers);
    return result;
}

/* ---- outputs ---- */

/* Of an array, or a tuple for several results; what was given is checked by the library. */
static int add_outputs(struct call *call, PyObject *arrays)
{
    Py_ssize_t count = call->program->result_count;
    for (Py_ssize_t r = 0; r < count; r++) {
        PyObject *array = count == 1 ? arrays : PyTuple_GetItem(arrays, r);
        struct operand *operand = &call->operands[call->input_count + r];
        struct weft_argument *argument = &call->arguments[call->input_count + r];
        struct role role = {.program = call->program, .index = r, .output = true, .stream = call->stream};
        clear_operand(operand);
        *argument = (struct weft_argument){0};
        call->output_count++;
        int result = operand_read(operand, argument, array, &role);
        call->stream = role.stream;
        if (result < 0)
            return -1;
    }
    return 0;
}

/* Of several results a tuple. */
static PyObject *given_outputs(const struct program *program, PyObject *out)
{
    if (program->result_count == 1)
        return Py_NewRef(out);
    bool many = PyTuple_Check(out) || PyList_Check(out);
    if (many && PySequence_Size(out) == program->result_count)
        return PySequence_Tuple(out);
    error_call("out has to be a tuple of %zd arrays, one for each result", program->result_count);
    return NULL;
}

/* ---- the run ---- */

/* A cudaStream_t as an int. */
static int read_stream(PyObject *stream, void **address)
{
    size_t number = stream && PyLong_Check(stream) ? PyLong_AsSize_t(stream) : 0;
    if (PyErr_Occurred() || (stream && !PyLong_Check(stream))) {
        PyErr_Clear();
        error_call("stream is %R; it has to be a cudaStream_t as an int", stream);
        return -1;
    }
    *address = (void *)number;
    return 0;
}

static int run(struct call *call)
{
    struct weft_error *error = NULL;
    struct weft_run_params params = {call->arguments, (size_t)call->input_count, call->arguments + call->input_count,
                                     (size_t)call->output_count, NULL};
    enum weft_status status;
    if (read_stream(call->stream, &params.stream) < 0)
        return -1;
    struct weft_program *handle = call->ran->handle;
    Py_BEGIN_ALLOW_THREADS
    status = weft_run(handle, &params, &error);
    Py_END_ALLOW_THREADS
    return error_check(status, error);
}

static PyObject *run_into(struct call *call, PyObject *arrays, bool given)
{
    if (!arrays || add_outputs(call, arrays) < 0 || run(call) < 0)
        return NULL;
    return results_return(call, arrays, given);
}

/* The index of pandas that all inputs share; None: they have none. NULL with an exception where indexes differ. */
static PyObject *find_index(const struct call *call, PyObject *const *values)
{
    PyObject *list = call->columns ? PyList_New(0) : NULL, *index = NULL;
    if (!call->columns)
        return Py_NewRef(Py_None);
    for (Py_ssize_t i = 0; list && i < call->program->input_count; i++)
        if (PyList_Append(list, values[i]) < 0)
            Py_CLEAR(list);
    if (list)
        index = PyObject_CallFunctionObjArgs(imports.index_of, call->program->inputs, list, NULL);
    Py_XDECREF(list);
    return index;
}

static PyObject *run_arrays(struct call *call, PyObject *out)
{
    bool given = out && out != Py_None;
    PyObject *arrays = given ? given_outputs(call->program, out) : results_new(call);
    PyObject *result = run_into(call, arrays, given);
    Py_XDECREF(arrays);
    return result;
}

static PyObject *run_values(struct call *call, PyObject *const *values, PyObject *out)
{
    PyObject *index = read_values(call, values) < 0 ? NULL : find_index(call, values);
    PyObject *result = index ? run_arrays(call, out) : NULL;
    if (result && index != Py_None && (!out || out == Py_None)) {
        PyObject *arrays = result;
        result = PyObject_CallFunctionObjArgs(imports.indexed, arrays, index, NULL);
        Py_DECREF(arrays);
    }
    Py_XDECREF(index);
    return result;
}

PyObject *call_run(struct program *program, PyObject *const *values, PyObject *out, PyObject *stream)
{
    struct operand few_operands[FEW];
    struct weft_argument few_arguments[FEW];
    struct call call = {.program = program};
    PyObject *result = NULL;
    if (context_check(program->context) < 0)
        return NULL;
    if (stream && stream != Py_None)
        call.stream = Py_NewRef(stream);
    if (reserve(&call, program->input_count + program->result_count, few_operands, few_arguments) == 0)
        result = run_values(&call, values, out);
    finish(&call, few_operands);
    return result;
}

/* ---- other calls ---- */

static PyObject *kernel_list(const struct weft_kernel_info *kernels, size_t count)
{
    static const char *const origins[] = {"memory", "disk", "compiler", "libtcc"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *one = Py_BuildValue("(sdi)", origins[kernels[i].origin], kernels[i].seconds, kernels[i].threads);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *prepare(const struct call *call, const void *user)
{
    (void)user;
    struct weft_kernel_info kernels[256];
    size_t count = 256;
    struct weft_error *error = NULL;
    struct weft_run_params params = {.inputs = call->arguments, .input_count = (size_t)call->input_count};
    enum weft_status status;
    struct weft_program *handle = call->ran->handle;
    Py_BEGIN_ALLOW_THREADS
    status = weft_prepare(handle, &params, kernels, &count, &error);
    Py_END_ALLOW_THREADS
    if (error_check(status, error) < 0)
        return NULL;
    return kernel_list(kernels, count < 256 ? count : 256);
}

PyObject *call_prepare(struct program *program, PyObject *const *values)
{
    return call_inputs(program, values, prepare, NULL);
}

PyObject *call_inputs(struct program *program, PyObject *const *values,
                      PyObject *(*use)(const struct call *call, const void *user), const void *user)
{
    struct operand few_operands[FEW];
    struct weft_argument few_arguments[FEW];
    struct call call = {.program = program};
    PyObject *result = NULL;
    if (context_check(program->context) < 0)
        return NULL;
    if (reserve(&call, program->input_count, few_operands, few_arguments) == 0 && read_values(&call, values) == 0)
        result = use(&call, user);
    finish(&call, few_operands);
    return result;
}

/* ---- calls that cannot be made ---- */

/* The program's input that the i-th of the values given is for; -1: none. */
static Py_ssize_t find_input(const struct program *program, PyObject *name, Py_ssize_t i)
{
    if (!name)
        return i < program->input_count ? i : -1;
    Py_ssize_t index = program->input_count - 1;
    while (index >= 0 && PyUnicode_Compare(program->names[index], name) != 0)
        index--;
    return index;
}

/* What is for no input need not be an array. */
static int add_named(struct call *call, PyObject *name, PyObject *value, Py_ssize_t index)
{
    struct number number = number_read(value);
    int result = 0;
    if (index < 0)
        number = (struct number){.kind = NUMBER_REAL};
    if (number.kind == NUMBER_TOO_LARGE)
        return number_refuse(call->program, index);
    if (number.kind != NUMBER_NONE)
        add_number(call, &number);
    else
        result = add_input(call, value, index);
    if (!result && name) {
        call->arguments[call->input_count - 1].name = error_utf8(name);
        result = call->arguments[call->input_count - 1].name ? 0 : -1;
    }
    return result;
}

static PyObject *refuse(struct call *call)
{
    struct program *program = call->program;
    struct weft_error *error = NULL;
    struct weft_tensor_info *infos = PyMem_Calloc((size_t)program->result_count + 1, sizeof *infos);
    if (!infos)
        return PyErr_NoMemory();
    enum weft_status status = weft_infer(program->handle, call->arguments, (size_t)call->input_count, infos, &error);
    PyMem_Free(infos);
    if (error_check(status, error) < 0)
        return NULL;
    error_call("the values given are not the program's inputs");
    return NULL;
}

PyObject *call_refuse(struct program *program, PyObject *const *names, PyObject *const *values, Py_ssize_t count)
{
    struct operand few_operands[FEW];
    struct weft_argument few_arguments[FEW];
    struct call call = {.program = program};
    int result = reserve(&call, count, few_operands, few_arguments);
    for (Py_ssize_t i = 0; !result && i < count; i++)
        result = add_named(&call, names[i], values[i], find_input(program, names[i], i));
    PyObject *none = result ? NULL : refuse(&call);
    finish(&call, few_operands);
    return none;
}
