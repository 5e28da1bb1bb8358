/* Arrays as tensors, without a copy. NumPy's arrays and scalars describe themselves by __array_struct__, those of other
 * libraries by DLPack; what has the buffer protocol alone becomes an array of NumPy over the same memory.
 *
 * The capsule that both protocols give keeps the memory, and is not consumed: its destructor releases it. */
#include "extension.h"

#include <stdarg.h>
#include <string.h>

/* NumPy's PyArrayInterface, which its documentation fixes. */
struct array_interface {
    int two, rank;
    char kind;
    int size, flags;
    Py_ssize_t *shape, *strides;
    void *data;
    PyObject *description;
};

enum { DENSE = 0x1, ALIGNED = 0x100, NATIVE = 0x200, WRITABLE = 0x400 };

/* Raises "input 'x': " and what the format says. Always -1. */
static int refuse(const struct role *role, const char *format, ...)
{
    const struct program *program = role->program;
    PyObject *names = role->output ? program->results : program->inputs;
    PyObject *name = role->index < 0 ? NULL : PyTuple_GetItem(names, role->index);
    va_list args;
    va_start(args, format);
    PyObject *why = PyUnicode_FromFormatV(format, args);
    va_end(args);
    const char *what = role->output ? "output" : "input";
    if (why && name)
        error_input(program, role->output ? -1 : role->index, "%s '%U': %U", what, name, why);
    else if (why)
        error_input(program, -1, "%s: %U", what, why);
    Py_XDECREF(why);
    return -1;
}

/* The same with the text of the exception that is set, which it replaces. */
static int refuse_because(const struct role *role, const char *what, PyObject *object)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = PyType_GetQualName(Py_TYPE(object));
    bool other = !PyErr_GivenExceptionMatches(type, PyExc_Exception);
    if (name && (other || PyErr_GivenExceptionMatches(type, PyExc_MemoryError)))
        PyErr_Restore(Py_NewRef(type), Py_XNewRef(value), Py_XNewRef(trace));
    else if (name)
        refuse(role, "the %U %s: %S", name, what, value);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
}

/* ---- NumPy ---- */

static bool is_bfloat16(PyObject *object)
{
    PyObject *answer = PyObject_CallFunctionObjArgs(imports.bfloat16, object, NULL);
    bool result = answer == Py_True;
    Py_XDECREF(answer);
    return result;
}

/* False: the language has no such dtype. */
static bool read_dtype(DLDataType *dtype, const struct array_interface *array, PyObject *object)
{
    uint8_t code = array->kind == 'i'   ? kDLInt
                   : array->kind == 'u' ? kDLUInt
                   : array->kind == 'f' ? kDLFloat
                   : array->kind == 'b' ? weft_dtype_to_dlpack(WEFT_BOOL).code
                   : array->kind == 'V' ? kDLBfloat
                                        : kDLOpaqueHandle;
    enum weft_dtype known;
    *dtype = (DLDataType){code, (uint8_t)(array->size * 8), 1};
    return weft_dtype_from_dlpack(*dtype, &known) == WEFT_OK && (code != kDLBfloat || is_bfloat16(object));
}

static int refuse_dtype(const struct role *role, PyObject *object)
{
    PyErr_Clear();
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    if (!dtype) {
        PyErr_Clear();
        return refuse(role, "its dtype is none of Weft's");
    }
    refuse(role, "its dtype, %S, is none of Weft's: bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, "
           "float64", dtype);
    Py_DECREF(dtype);
    return -1;
}

/* Strides in elements; false: they are no whole elements. */
static bool read_strides(struct seen *seen, const struct array_interface *array)
{
    seen->tensor.strides = NULL;
    if (array->flags & DENSE || array->rank > WEFT_MAX_RANK)
        return true;
    for (int d = 0; d < array->rank; d++) {
        if (array->strides[d] % array->size)
            return false;
        seen->strides[d] = array->strides[d] / array->size;
    }
    seen->tensor.strides = seen->strides;
    return true;
}

static int read_interface(struct seen *seen, PyObject *object, struct role *role);

static int read_copy(struct seen *seen, PyObject *object, struct role *role)
{
    if (role->output)
        return refuse(role, "it is not aligned, or not in this machine's byte order; an output has to be both");
    PyObject *copy = PyObject_CallFunctionObjArgs(imports.copy, object, NULL);
    int result = copy ? read_interface(seen, copy, role) : -1;
    Py_XDECREF(copy);
    return result;
}

/* What an array of its rank cannot lack. */
static int check_shape(int rank, const void *shape, bool needs_strides, const void *strides, const struct role *role)
{
    if (rank > 0 && !shape)
        return refuse(role, "its shape is NULL");
    return rank > 0 && needs_strides && !strides
               ? refuse(role, "its strides are NULL, and its flags do not say that it is dense") : 0;
}

static int use_interface(struct seen *seen, const struct array_interface *array, PyObject *object, struct role *role)
{
    if (!read_dtype(&seen->tensor.dtype, array, object))
        return refuse_dtype(role, object);
    if (role->output && !(array->flags & WRITABLE))
        return refuse(role, "it is read-only");
    if (check_shape(array->rank, array->shape, !(array->flags & DENSE), array->strides, role) < 0)
        return -1;
    if ((array->flags & (ALIGNED | NATIVE)) != (ALIGNED | NATIVE) || !read_strides(seen, array))
        return 1;
    seen->tensor.data = array->data;
    seen->tensor.device = (DLDevice){kDLCPU, 0};
    seen->tensor.ndim = array->rank;
    seen->tensor.shape = (int64_t *)array->shape;
    seen->tensor.byte_offset = 0;
    seen->library = imports.numpy;
    return 0;
}

/* The capsule refers to the array. */
static int read_interface(struct seen *seen, PyObject *object, struct role *role)
{
    PyObject *capsule = PyObject_GetAttr(object, words.array_struct);
    const struct array_interface *array = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    if (array && array->two != 2)
        PyErr_SetString(PyExc_ValueError, "it has another version");
    if (!array || array->two != 2) {
        Py_XDECREF(capsule);
        return refuse_because(role, "has an __array_struct__ that cannot be read", object);
    }
    int result = use_interface(seen, array, object, role);
    if (result == 0)
        seen->held = capsule;
    else
        Py_DECREF(capsule);
    return result > 0 ? read_copy(seen, object, role) : result;
}

/* ---- DLPack ---- */

/* Sets *device; -1 with any exception. */
static int read_device(PyObject *object, DLDevice *device)
{
    int type = 0, id = 0;
    PyObject *pair = PyObject_CallMethodObjArgs(object, words.dlpack_device, NULL);
    PyObject *first = pair ? PySequence_GetItem(pair, 0) : NULL, *second = pair ? PySequence_GetItem(pair, 1) : NULL;
    if (first && second) {
        type = (int)PyLong_AsLong(first); /* may be an enumeration */
        id = (int)PyLong_AsLong(second);
    }
    Py_XDECREF(first);
    Py_XDECREF(second);
    Py_XDECREF(pair);
    *device = (DLDevice){type, id};
    return PyErr_Occurred() ? -1 : 0;
}

/* The stream of a GPU's library that is current, if nobody has said another one. */
static int find_stream(PyObject *library, DLDevice device, struct role *role)
{
    if (!role->stream)
        role->stream = PyObject_CallMethod(library, "stream", "i", device.device_id);
    return role->stream ? 0 : -1;
}

/* export(stream=..). DLPack's word for the legacy default stream is 1. */
static PyObject *call_with_stream(PyObject *export, PyObject *given)
{
    Py_ssize_t stream = PyLong_AsSsize_t(given);
    PyObject *none = PyTuple_New(0), *named = NULL, *capsule = NULL;
    if (!PyErr_Occurred())
        named = Py_BuildValue("{s:n}", "stream", stream ? stream : 1);
    if (none && named)
        capsule = PyObject_Call(export, none, named);
    Py_XDECREF(none);
    Py_XDECREF(named);
    return capsule;
}

static PyObject *get_capsule(PyObject *object, DLDevice device, const struct role *role)
{
    PyObject *export = PyObject_GetAttr(object, words.dlpack);
    if (!export)
        return NULL;
    bool gpu = device.device_type == kDLCUDA;
    PyObject *capsule = gpu ? call_with_stream(export, role->stream) : PyObject_CallNoArgs(export);
    Py_DECREF(export);
    return capsule;
}

static bool is_immutable(PyObject *library)
{
    PyObject *answer = PyObject_GetAttrString(library, "immutable");
    Py_XDECREF(answer); /* True and False stay */
    return answer == Py_True;
}

static int read_dlpack(struct seen *seen, PyObject *object, PyObject *library, struct role *role)
{
    DLDevice device;
    if (role->output && is_immutable(library))
        return refuse(role, "an array of %S is immutable", library);
    if (read_device(object, &device) < 0 ||
        (device.device_type == kDLCUDA && find_stream(library, device, role) < 0))
        return refuse_because(role, "cannot say where it is", object);
    PyObject *capsule = get_capsule(object, device, role);
    const DLManagedTensor *managed = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    if (!managed) {
        Py_XDECREF(capsule);
        return refuse_because(role, "cannot be shared", object);
    }
    if (check_shape(managed->dl_tensor.ndim, managed->dl_tensor.shape, false, NULL, role) < 0) {
        Py_DECREF(capsule);
        return -1;
    }
    seen->tensor = managed->dl_tensor;
    seen->held = capsule;
    seen->library = library;
    return 0;
}

/* ---- all ---- */

PyObject *library_of(PyObject *object)
{
    PyObject *type = (PyObject *)Py_TYPE(object), *found = PyDict_GetItemWithError(imports.libraries, type);
    if (found || PyErr_Occurred())
        return found;
    PyObject *made = PyObject_CallFunctionObjArgs(imports.library_of, type, NULL);
    if (!made || PyDict_SetItem(imports.libraries, type, made) < 0)
        Py_CLEAR(made);
    Py_XDECREF(made); /* the dict has it */
    return made;
}

static int refuse_object(const struct role *role, PyObject *object)
{
    PyObject *name = PyType_GetQualName(Py_TYPE(object));
    if (name && !role->output && (PyUnicode_Check(object) || PyObject_HasAttrString(object, "__fspath__")))
        refuse(role, "the %U is no array; a file is read by a library, as in numpy.load('x.npy') or "
               "imageio.v3.imread('x.png')", name);
    else if (name && role->sample)
        refuse(role, "the %U is no array; a list is a batch of arrays, for one array write numpy.array(..)", name);
    else if (name && role->output)
        refuse(role, "the %U is no array", name);
    else if (name)
        refuse(role, "the %U is no array and no number; give an array, such as numpy.asarray(..), a list of arrays, or "
               "an int, float or bool", name);
    Py_XDECREF(name);
    return -1;
}

/* What NumPy makes an array of: the buffer protocol, __array__, numbers in a list or a range. The array over its memory
 * keeps it from being resized; a copy is no output. */
static int read_buffer(struct seen *seen, PyObject *object, struct role *role)
{
    const bool list = PyList_Check(object) || PyTuple_Check(object);
    const bool numbers = PyRange_Check(object) || (list && !role->sample);
    if (!PyObject_CheckBuffer(object) &&
        (role->output || (!numbers && !PyObject_HasAttrString(object, "__array__"))))
        return refuse_object(role, object);
    PyObject *array = PyObject_CallFunctionObjArgs(imports.as_array, object, NULL);
    if (!array)
        return refuse_because(role, "is no array", object);
    role->column = true;
    int result = read_interface(seen, array, role);
    Py_DECREF(array);
    return result;
}

int seen_read(struct seen *seen, PyObject *object, struct role *role)
{
    if (Py_TYPE(object) == imports.ndarray)
        return read_interface(seen, object, role);
    PyObject *library = library_of(object);
    if (!library)
        return -1;
    const int scalar = library == imports.numpy && role->output ? PyObject_IsInstance(object, imports.generic) : 0;
    if (scalar < 0)
        return -1;
    if (scalar)
        return refuse(role, "a scalar of NumPy is no place for a result; give numpy.empty((), dtype)");
    if (library == imports.numpy)
        return read_interface(seen, object, role);
    if (PyUnicode_Check(library))
        return refuse(role, "%U", library);
    return library == Py_None ? read_buffer(seen, object, role) : read_dlpack(seen, object, library, role);
}
