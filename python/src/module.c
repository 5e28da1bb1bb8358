/* The module weft._weft. It keeps its objects for the process, so it is for the main interpreter only. */
#include "extension.h"

struct imports imports;
struct words words;

static PyObject *kernel_names(PyObject *module, PyObject *text)
{
    (void)module;
    const char *bytes = text_bytes(text);
    const char **names = NULL;
    size_t count = 0;
    struct weft_error *error = NULL;
    if (!bytes)
        return NULL;
    enum weft_status status = weft_kernel_names(bytes, NULL, &names, &count, &error);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    if (status < 0)
        error_raise(status, error);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    weft_free(names);
    return list;
}

static const char kernels_doc[] = "kernels($module, text, /)\n--\n\n"
                                  "The names of the kernels in a text, such as that of a .weft file; none for a plain\n"
                                  "program. compile(text, kernel=name) compiles one.\n\n"
                                  ">>> import weft\n"
                                  ">>> weft.kernels('kernel twice(x: float32) { return x * 2 }')\n"
                                  "['twice']\n";

/* name_advice(text, name): what else a name of the text may be meant as, or None. */
static PyObject *name_advice(PyObject *module, PyObject *args)
{
    (void)module;
    const char *text, *name;
    if (!PyArg_ParseTuple(args, "ss:name_advice", &text, &name))
        return NULL;
    char *advice = weft_name_advice(text, name);
    PyObject *result = advice ? PyUnicode_FromString(advice) : Py_NewRef(Py_None);
    weft_free(advice);
    return result;
}

static PyMethodDef functions[] = {
    {"evaluate", (PyCFunction)(void (*)(void))evaluate, METH_FASTCALL | METH_KEYWORDS, evaluate_doc},
    {"kernels", kernel_names, METH_O, kernels_doc},
    {"describe", describe, METH_VARARGS, describe_doc},
    {"name_advice", name_advice, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

/* ---- what it uses ---- */

static int find(const char *module, const char *name, PyObject **object)
{
    PyObject *from = PyImport_ImportModule(module);
    *object = from ? PyObject_GetAttrString(from, name) : NULL;
    Py_XDECREF(from);
    return *object ? 0 : -1;
}

static int find_all(void)
{
    imports.libraries = PyDict_New();
    return imports.libraries && find("numpy", "ndarray", (PyObject **)&imports.ndarray) == 0 &&
           find("numpy", "generic", &imports.generic) == 0 &&
                   find("numpy", "empty", &imports.empty) == 0 &&
                   find("weft._arrays", "as_array", &imports.as_array) == 0 &&
                   find("weft._arrays", "again", &imports.again) == 0 &&
                   find("weft._arrays", "index_of", &imports.index_of) == 0 &&
                   find("weft._arrays", "indexed", &imports.indexed) == 0 &&
                   find("weft._arrays", "copy", &imports.copy) == 0 &&
                   find("weft._arrays", "is_bfloat16", &imports.bfloat16) == 0 &&
                   find("weft._arrays", "library_of", &imports.library_of) == 0 &&
                   find("weft._arrays", "NUMPY", &imports.numpy) == 0 &&
                   find("weft._errors", "make", &imports.make_error) == 0 &&
                   find("weft._errors", "tell", &imports.tell) == 0 &&
                   find("weft._errors", "missing", &imports.missing) == 0 &&
                   find("weft._results", "make", &imports.make_results) == 0 &&
                   find("weft._use", "in_use", &imports.in_use) == 0
               ? 0 : -1;
}

static int make_words(void)
{
    static const char *const options[] = {"out", "stream", "math", "rules", "results", "ignore_unused", "types",
                                         "context"};
    words.array_struct = PyUnicode_InternFromString("__array_struct__");
    words.dlpack = PyUnicode_InternFromString("__dlpack__");
    words.dlpack_device = PyUnicode_InternFromString("__dlpack_device__");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!(words.options[i] = PyUnicode_InternFromString(options[i])))
            return -1;
    return words.array_struct && words.dlpack && words.dlpack_device ? 0 : -1;
}

/* An interpreter of its own would share the objects above with the main one. */
static int refuse_subinterpreter(void)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
        return 0;
    PyErr_SetString(PyExc_ImportError, "weft works in the main interpreter only, this is a subinterpreter");
    return -1;
}

#define TEXT(x) #x
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

static int execute(PyObject *module)
{
    const char *version = DOTTED(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    return refuse_subinterpreter() == 0 && PyModule_AddStringConstant(module, "__version__", version) == 0 &&
                   find_all() == 0 && make_words() == 0 && context_add(module) == 0 && program_add(module) == 0
               ? 0 : -1;
}

/* In two phases, so that every interpreter runs `execute`. */
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "weft._weft", .m_methods = functions, .m_slots = slots};

PyMODINIT_FUNC PyInit__weft(void)
{
    return PyModuleDef_Init(&definition);
}
