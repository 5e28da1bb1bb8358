/* Arrays as tensors, without a copy. NumPy's arrays and scalars describe themselves by __array_struct__, those of other
 * libraries by DLPack; what has the buffer protocol alone becomes an array of NumPy over the same memory.
 *
 * The capsule that both protocols give keeps the memory, and is not consumed: its destructor releases it. */
#include "extension.h"

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

/* "input 'x': it is ...". */
static int refuse(const struct role *role, const char *why, PyObject *object)
{
    const struct program *program = role->program;
    PyObject *name = PyTuple_GetItem(role->output ? program->results : program->inputs, role->index);
    if (!name)
        return -1;
    PyObject *type = PyType_GetQualName(Py_TYPE(object));
    if (type)
        error_input(program, role->output ? -1 : role->index, "%s '%U': a %U %s", role->output ? "output" : "input",
                    name, type, why);
    Py_XDECREF(type);
    return -1;
}

/* The same with the text of the exception that is set. */
static int refuse_because(const struct role *role, const char *why, PyObject *object)
{
    PyObject *type, *value, *trace, *text;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *all = value ? PyUnicode_FromFormat("%s: %S", why, value) : NULL;
    text = all ? PyUnicode_AsUTF8String(all) : NULL;
    if (text)
        refuse(role, PyBytes_AsString(text), object);
    Py_XDECREF(all);
    Py_XDECREF(text);
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

/* False: the language has no such dtype. The library judges the width. */
static bool read_dtype(DLDataType *dtype, const struct array_interface *array, PyObject *object)
{
    uint8_t code = array->kind == 'i'   ? kDLInt
                   : array->kind == 'u' ? kDLUInt
                   : array->kind == 'f' ? kDLFloat
                   : array->kind == 'b' ? weft_dtype_to_dlpack(WEFT_BOOL).code
                   : array->kind == 'c' ? kDLComplex
                                        : kDLBfloat;
    *dtype = (DLDataType){code, (uint8_t)(array->size * 8), 1};
    return code != kDLBfloat || (array->kind == 'V' && array->size == 2 && is_bfloat16(object));
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
        return refuse(role, "is not aligned or not in this machine's byte order, which an output must be", object);
    PyObject *copy = PyObject_CallFunctionObjArgs(imports.copy, object, NULL);
    int result = copy ? read_interface(seen, copy, role) : -1;
    Py_XDECREF(copy);
    return result;
}

static int use_interface(struct seen *seen, const struct array_interface *array, PyObject *object, struct role *role)
{
    if (!read_dtype(&seen->tensor.dtype, array, object))
        return refuse(role, "has a dtype that is none of Weft's: bool, int8 to int64, uint8 to uint64, float16, "
                      "bfloat16, float32, float64", object);
    if (role->output && !(array->flags & WRITABLE))
        return refuse(role, "is read-only", object);
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
    if (!array || array->two != 2) {
        Py_XDECREF(capsule);
        return refuse(role, "has an __array_struct__ that cannot be read", object);
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

/* DLPack's word for a stream: 1 is the legacy default. */
static PyObject *get_capsule(PyObject *object, DLDevice device, struct role *role)
{
    PyObject *export = PyObject_GetAttr(object, words.dlpack);
    if (!export || device.device_type != kDLCUDA)
        return export ? PyObject_CallNoArgs(export) : NULL;
    Py_ssize_t stream = PyLong_AsSsize_t(role->stream);
    PyObject *none = PyTuple_New(0), *named = Py_BuildValue("{s:n}", "stream", stream ? stream : 1);
    PyObject *capsule = none && named ? PyObject_Call(export, none, named) : NULL;
    Py_XDECREF(none);
    Py_XDECREF(named);
    Py_DECREF(export);
    return capsule;
}

static int read_dlpack(struct seen *seen, PyObject *object, PyObject *library, struct role *role)
{
    DLDevice device;
    if (read_device(object, &device) < 0 ||
        (device.device_type == kDLCUDA && find_stream(library, device, role) < 0))
        return refuse_because(role, "cannot say where it is", object);
    PyObject *capsule = get_capsule(object, device, role);
    const DLManagedTensor *managed = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    if (!managed) {
        Py_XDECREF(capsule);
        return refuse_because(role, "cannot be shared", object);
    }
    seen->tensor = managed->dl_tensor;
    seen->held = capsule;
    seen->library = library;
    return 0;
}

/* ---- all ---- */

/* Borrowed: what weft._arrays says of the object's type. Py_None: it is no array. */
static PyObject *library_of(PyObject *object)
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

/* What has the buffer protocol. The array over its memory keeps it from being resized. */
static int read_buffer(struct seen *seen, PyObject *object, struct role *role)
{
    PyObject *array = PyObject_CallFunctionObjArgs(imports.as_array, object, NULL);
    if (!array)
        return refuse_because(role, "is no array", object);
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
    if (library == imports.numpy)
        return read_interface(seen, object, role);
    return library == Py_None ? read_buffer(seen, object, role) : read_dlpack(seen, object, library, role);
}
