/* Arrays for results: of NumPy, or of the library of the call's first array, on its device. What weft_infer said is
 * kept for the last shapes of a program, unless it depends on the inputs' data. */
#include "extension.h"

#include <string.h>

/* ---- shapes that are known ---- */

/* Writes what the shapes of results depend on; 0: too much to be kept. Returns bytes. */
static size_t describe_inputs(const struct call *call, int64_t words[SHAPE_WORDS])
{
    size_t n = 0;
    words[n++] = (int64_t)(intptr_t)(call->first ? call->first->library : NULL);
    for (Py_ssize_t i = 0; i < call->input_count; i++) {
        const DLTensor *tensor = call->arguments[i].tensors;
        if (call->arguments[i].batch || n + 3 + (size_t)tensor->ndim > SHAPE_WORDS)
            return 0;
        words[n++] = (int64_t)tensor->dtype.code << 40 | (int64_t)tensor->dtype.bits << 32 | tensor->dtype.lanes << 16 |
                     tensor->ndim;
        words[n++] = (int64_t)tensor->device.device_type << 32 | tensor->device.device_id;
        for (int d = 0; d < tensor->ndim; d++)
            words[n++] = tensor->shape[d];
        if (call->operands[i].number.kind)
            words[n++] = call->operands[i].number.value.integer;
    }
    return n * sizeof *words;
}

static PyObject *find_recipes(const struct program *program, const int64_t *words, size_t size)
{
    for (int i = 0; size && i < SHAPES; i++)
        if (program->shapes[i].size == size && memcmp(program->shapes[i].words, words, size) == 0)
            return program->shapes[i].recipes;
    return NULL;
}

static void keep_recipes(struct program *program, const int64_t *words, size_t size, PyObject *recipes)
{
    struct known_shape *slot = &program->shapes[program->next_shape++ % SHAPES];
    PyObject *old = slot->recipes;
    memcpy(slot->words, words, size);
    slot->size = size;
    slot->recipes = Py_NewRef(recipes);
    Py_XDECREF(old);
}

/* ---- what the library says of them ---- */

static int infer(const struct call *call, const struct weft_argument *arguments, struct weft_tensor_info *infos,
                 bool raise)
{
    struct weft_error *error = NULL;
    enum weft_status status;
    struct weft_program *handle = call->ran->handle;
    size_t count = (size_t)call->input_count;
    Py_BEGIN_ALLOW_THREADS
    status = weft_infer(handle, arguments, count, infos, &error);
    Py_END_ALLOW_THREADS
    if (status >= 0)
        return error_check(status, error);
    if (raise && log_tell() < 0)
        PyErr_Clear(); /* a remark that is an exception: the error is another */
    if (raise)
        error_raise(status, error);
    else
        weft_error_destroy(error);
    return -1;
}

/* Whether it says the same without the inputs' data, numbers apart, whose values are kept. */
static bool infers_without_data(const struct call *call, struct weft_tensor_info *infos)
{
    size_t count = (size_t)call->input_count;
    struct weft_argument *arguments = PyMem_Calloc(count + 1, sizeof *arguments);
    DLTensor *tensors = PyMem_Calloc(count + 1, sizeof *tensors);
    bool known = arguments && tensors;
    for (size_t i = 0; known && i < count; i++) {
        tensors[i] = *call->arguments[i].tensors;
        if (!call->operands[i].number.kind)
            tensors[i].data = NULL;
        arguments[i] = (struct weft_argument){.tensors = &tensors[i], .count = 1};
    }
    known = known && infer(call, arguments, infos, false) == 0;
    PyMem_Free(arguments);
    PyMem_Free(tensors);
    return known;
}

static PyObject *shape_tuple(const int64_t *extents, int rank)
{
    PyObject *shape = PyTuple_New(rank);
    for (int d = 0; shape && d < rank; d++) {
        PyObject *extent = PyLong_FromLongLong(extents[d]);
        if (!extent || PyTuple_SetItem(shape, d, extent) < 0)
            Py_CLEAR(shape);
    }
    return shape;
}

/* ---- arrays ---- */

static PyObject *library_of_call(const struct call *call)
{
    return call->first ? call->first->library : imports.numpy;
}

/* The arguments of the function that makes an array: for NumPy (shape, dtype), else (shape, dtype, device's type, its
 * number). */
static PyObject *recipe(const struct call *call, const int64_t *extents, int rank, enum weft_dtype dtype)
{
    PyObject *shape = shape_tuple(extents, rank), *library = library_of_call(call);
    PyObject *type = shape ? PyObject_CallMethod(library, "dtype", "s", weft_dtype_name(dtype)) : NULL;
    DLDevice device = call->first ? call->first->tensor.device : (DLDevice){kDLCPU, 0};
    if (!type) {
        Py_XDECREF(shape);
        return NULL;
    }
    return library == imports.numpy ? Py_BuildValue("(NN)", shape, type)
                                    : Py_BuildValue("(NNii)", shape, type, (int)device.device_type, device.device_id);
}

static PyObject *make_array(const struct call *call, PyObject *recipe)
{
    PyObject *library = library_of_call(call);
    if (library == imports.numpy)
        return PyObject_Call(imports.empty, recipe, NULL);
    PyObject *new = PyObject_GetAttrString(library, "new"), *array = new ? PyObject_Call(new, recipe, NULL) : NULL;
    Py_XDECREF(new);
    return array;
}

static PyObject *make_arrays(const struct call *call, PyObject *recipes)
{
    Py_ssize_t count = PyTuple_Size(recipes);
    if (count == 1)
        return make_array(call, PyTuple_GetItem(recipes, 0));
    PyObject *arrays = PyTuple_New(count);
    for (Py_ssize_t r = 0; arrays && r < count; r++) {
        PyObject *array = make_array(call, PyTuple_GetItem(recipes, r));
        if (!array || PyTuple_SetItem(arrays, r, array) < 0)
            Py_CLEAR(arrays);
    }
    return arrays;
}

static PyObject *make_batch(const struct call *call, size_t r, const struct weft_tensor_info *info)
{
    struct weft_error *error = NULL;
    int64_t *extents = PyMem_Calloc((size_t)info->count * (size_t)info->rank + 1, sizeof *extents);
    if (!extents)
        return PyErr_NoMemory();
    enum weft_status status = weft_infer_samples(call->ran->handle, call->arguments, (size_t)call->input_count, r,
                                                 extents, &error);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    if (status < 0)
        error_raise(status, error);
    else
        weft_error_destroy(error);
    for (int64_t i = 0; list && i < info->count; i++) {
        PyObject *made = recipe(call, extents + i * info->rank, info->rank, info->dtype);
        PyObject *array = made ? make_array(call, made) : NULL;
        if (!array || PyList_Append(list, array) < 0)
            Py_CLEAR(list);
        Py_XDECREF(made);
        Py_XDECREF(array);
    }
    PyMem_Free(extents);
    return list;
}

/* With batches among the arguments. */
static PyObject *make_result(const struct call *call, const struct weft_tensor_info *infos, Py_ssize_t r)
{
    const struct weft_tensor_info *info = &infos[r];
    if (info->batch)
        return make_batch(call, (size_t)r, info);
    PyObject *made = recipe(call, info->shape, info->rank, info->dtype);
    PyObject *array = made ? make_array(call, made) : NULL;
    Py_XDECREF(made);
    return array;
}

static PyObject *make_all(const struct call *call, const struct weft_tensor_info *infos)
{
    Py_ssize_t count = call->program->result_count;
    if (count == 1)
        return make_result(call, infos, 0);
    PyObject *arrays = PyTuple_New(count);
    for (Py_ssize_t r = 0; arrays && r < count; r++) {
        PyObject *one = make_result(call, infos, r);
        if (!one || PyTuple_SetItem(arrays, r, one) < 0)
            Py_CLEAR(arrays);
    }
    return arrays;
}

static PyObject *make_recipes(const struct call *call, const struct weft_tensor_info *infos)
{
    Py_ssize_t count = call->program->result_count;
    PyObject *recipes = PyTuple_New(count);
    for (Py_ssize_t r = 0; recipes && r < count; r++) {
        PyObject *one = recipe(call, infos[r].shape, infos[r].rank, infos[r].dtype);
        if (!one || PyTuple_SetItem(recipes, r, one) < 0)
            Py_CLEAR(recipes);
    }
    return recipes;
}

static PyObject *infer_and_make(struct call *call, struct weft_tensor_info *infos, const int64_t *words, size_t size)
{
    bool keep = size && infers_without_data(call, infos);
    if (!keep && infer(call, call->arguments, infos, true) < 0)
        return NULL;
    if (call->batch)
        return make_all(call, infos);
    PyObject *recipes = describe_call(call) < 0 ? NULL : make_recipes(call, infos);
    if (recipes && keep)
        keep_recipes(call->ran, words, size, recipes);
    PyObject *arrays = recipes ? make_arrays(call, recipes) : NULL;
    Py_XDECREF(recipes);
    return arrays;
}

PyObject *results_new(struct call *call)
{
    int64_t words[SHAPE_WORDS];
    size_t size = describe_inputs(call, words);
    PyObject *recipes = find_recipes(call->ran, words, size);
    if (recipes) {
        Py_INCREF(recipes); /* another thread may take its slot */
        PyObject *arrays = make_arrays(call, recipes);
        Py_DECREF(recipes);
        return arrays;
    }
    struct weft_tensor_info *infos = PyMem_Calloc((size_t)call->program->result_count + 1, sizeof *infos);
    PyObject *arrays = infos ? infer_and_make(call, infos, words, size) : PyErr_NoMemory();
    PyMem_Free(infos);
    return arrays;
}

/* ---- what the caller gets ---- */

/* JAX's arrays are made over the memory that was written. */
static PyObject *finish(const struct call *call, PyObject *array)
{
    PyObject *library = library_of_call(call);
    return library == imports.numpy ? Py_NewRef(array) : PyObject_CallMethod(library, "finish", "(O)", array);
}

static PyObject *finish_all(const struct call *call, PyObject *arrays)
{
    Py_ssize_t count = call->program->result_count;
    PyObject *all = PyTuple_New(count);
    for (Py_ssize_t r = 0; all && r < count; r++) {
        PyObject *one = finish(call, PyTuple_GetItem(arrays, r));
        if (!one || PyTuple_SetItem(all, r, one) < 0)
            Py_CLEAR(all);
    }
    return all;
}

PyObject *results_return(const struct call *call, PyObject *arrays, bool given)
{
    bool one = call->program->result_count == 1;
    PyObject *all = given ? Py_NewRef(arrays) : one ? finish(call, arrays) : finish_all(call, arrays);
    if (one || !all)
        return all;
    PyObject *result = PyObject_CallFunctionObjArgs(imports.make_results, call->program->results, all, NULL);
    Py_DECREF(all);
    return result;
}
