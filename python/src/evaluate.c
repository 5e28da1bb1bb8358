/* weft.evaluate. The programs that it compiles are kept in their context: by text alone if no option says how, so that
 * the usual call looks up one string. */
#include "extension.h"

/* Programs that a context keeps for evaluate. */
enum { MOST_PROGRAMS = 1024 };

const char evaluate_doc[] =
    "evaluate($module, text, inputs=None, /, *, out=None, math='strict', rules=None, results=None, "
    "ignore_unused=False, types=None, context=None, stream=None, **named)\n--\n\n"
    "Computes an expression of the Weft language on arrays, in one pass and without temporaries.\n\n"
    "text: the expression, or statements and a return; never evaluated as Python.\n"
    "inputs, named: the values of its names, arrays of any shape that broadcast. Names that are not given are taken\n"
    "from the caller's locals and globals. An array is one of NumPy, PyTorch, JAX, CuPy, or whatever has DLPack or\n"
    "the buffer protocol; it is not copied, unless it is unaligned or in foreign byte order. A list of arrays is a\n"
    "batch. A Python number takes part like a literal: with float32 x, x * 0.1 is float32.\n"
    "out: an array for the result (a tuple for several, a list for a batch) of its dtype and shape; it may be an\n"
    "input.\n"
    "math: 'strict', or 'fast', which may reorder and approximate.\n"
    "rules: 'dali', or 'numpy', with which values have NumPy's dtypes; None: the context's.\n"
    "results: names bound in the text that are results, too.\n"
    "ignore_unused: whether names that the text does not use may be given.\n"
    "types: types of inputs in the language, by name, as {'u': '(y, x)'}, which names dimensions.\n"
    "context: a weft.Context; None: the one in use.\n"
    "stream: a cudaStream_t as an int, for arrays of a GPU; None: that library's current stream.\n\n"
    "Returns a new array of the inputs' library, on their device; several results as a weft.Results; of a batch a\n"
    "list. Dtype and shape follow from the inputs' by the rules of the language.\n\n"
    "Raises weft.Error (a ValueError) that points at the place in the text; MemoryError. Warns with weft.Remark of\n"
    "integer divisions by zero and of positions outside.\n\n"
    ">>> import numpy, weft\n"
    ">>> img = numpy.array([[10, 20, 30], [180, 190, 200]], numpy.uint8)\n"
    ">>> gain = numpy.array([1.25, 0.75, 0.75], numpy.float32)\n"
    ">>> weft.evaluate('uint8(clamp(img * gain, 128, 255))')\n"
    "array([[128, 128, 128],\n"
    "       [225, 142, 150]], dtype=uint8)\n";

struct options {
    PyObject *values[OPTION_COUNT];
    bool any_of_program;           /* math, rules, results or ignore_unused */
};

int option_of(PyObject *name)
{
    int option = OPTION_COUNT - 1;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name); /* a name of f(**dict) may not be */
    while (option >= 0 && words.options[option] != name)
        option--;
    Py_DECREF(name);
    return option;
}

static void read_options(struct options *options, PyObject *const *values, PyObject *names, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        int option = option_of(PyTuple_GetItem(names, i));
        if (option < 0)
            continue;
        options->values[option] = values[i];
        options->any_of_program |= option >= OPTION_MATH && option <= OPTION_TYPES;
    }
}

/* ---- programs that are kept ---- */

/* The types as something that can be a key. */
static PyObject *types_key(PyObject *types)
{
    if (!types || types == Py_None)
        return Py_NewRef(Py_None);
    if (!PyDict_Check(types)) {
        error_type("types is", types, "it has to be a dict of names and types");
        return NULL;
    }
    PyObject *name, *type;
    for (Py_ssize_t at = 0; PyDict_Next(types, &at, &name, &type);)
        if (!PyUnicode_Check(type)) {
            error_type("the type of an input is", type, "it has to be a str, as in types={'u': '(y, x)'}");
            return NULL;
        }
    PyObject *items = PyDict_Items(types), *key = items ? PyFrozenSet_New(items) : NULL;
    Py_XDECREF(items);
    return key;
}

static PyObject *make_key(const struct options *options, PyObject *text)
{
    PyObject *const *values = options->values, *results = values[OPTION_RESULTS];
    if (!options->any_of_program)
        return Py_NewRef(text);
    PyObject *names = results ? program_wanted(results) : Py_NewRef(Py_None);
    PyObject *math = values[OPTION_MATH], *unused = values[OPTION_IGNORE_UNUSED], *rules = values[OPTION_RULES];
    PyObject *types = names ? types_key(values[OPTION_TYPES]) : NULL;
    PyObject *key = types ? PyTuple_Pack(6, text, math ? math : Py_None, rules ? rules : Py_None, names,
                                         unused ? unused : Py_None, types)
                          : NULL;
    Py_XDECREF(types);
    Py_XDECREF(names);
    return key;
}

static struct program *compile(struct context *context, const struct options *options, PyObject *text)
{
    PyObject *const *values = options->values;
    PyObject *args = PyTuple_Pack(1, text), *named = PyDict_New();
    int result = args && named ? PyDict_SetItemString(named, "context", (PyObject *)context) : -1;
    for (int i = OPTION_MATH; !result && i <= OPTION_TYPES; i++)
        if (values[i])
            result = PyDict_SetItem(named, words.options[i], values[i]);
    PyObject *program = result ? NULL : PyObject_Call((PyObject *)program_type, args, named);
    Py_XDECREF(args);
    Py_XDECREF(named);
    return (struct program *)program;
}

static struct program *compile_and_keep(struct context *context, const struct options *options, PyObject *text,
                                        PyObject *key)
{
    struct program *program = compile(context, options, text);
    if (!program)
        return NULL;
    if (PyDict_Size(context->programs) >= MOST_PROGRAMS)
        PyDict_Clear(context->programs);
    if (PyDict_SetItem(context->programs, key, (PyObject *)program) < 0)
        Py_CLEAR(program);
    return program;
}

/* A new reference. */
static struct program *find_program(struct context *context, const struct options *options, PyObject *text)
{
    PyObject *key = make_key(options, text);
    PyObject *found = key ? PyDict_GetItemWithError(context->programs, key) : NULL;
    struct program *program = (struct program *)Py_XNewRef(found);
    if (key && !found && !PyErr_Occurred())
        program = compile_and_keep(context, options, text, key);
    Py_XDECREF(key);
    return program;
}

static struct program *program_of(const struct options *options, PyObject *text)
{
    struct context *context = context_get(options->values[OPTION_CONTEXT]);
    struct program *program = context ? find_program(context, options, text) : NULL;
    Py_XDECREF((PyObject *)context);
    return program;
}

/* ---- the call ---- */

static PyObject *run(struct program *program, const struct options *options, PyObject *inputs, PyObject *mapping,
                     PyObject *const *values, PyObject *names, Py_ssize_t count)
{
    struct gathered gathered;
    PyObject *result = NULL;
    if (gather_begin(&gathered, program, count + (inputs ? PyDict_Size(inputs) : 0)) < 0)
        return NULL;
    gathered.mapping = mapping;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        if (option_of(name) < 0)
            gather_name(&gathered, name, values[i]);
    }
    if ((!inputs || gather_dict(&gathered, inputs) == 0) && gather_frame(&gathered) == 0)
        result = gather_run(&gathered, &(struct asked){.out = options->values[OPTION_OUT],
                                                       .stream = options->values[OPTION_STREAM]});
    gather_end(&gathered);
    return result;
}

static bool check(PyObject *const *args, Py_ssize_t count)
{
    if (count < 1 || count > 2)
        error_call("evaluate takes a text and perhaps a dict of inputs by position; give others by name");
    else if (text_check(args[0]) == 0 && count == 2 && args[1] != Py_None && !is_mapping(args[1]))
        error_type("the inputs are", args[1], "they have to be a dict or another mapping, such as a "
                   "DataFrame; an array is given by the name it has in the text, as in x=array");
    return !PyErr_Occurred();
}

static PyObject *attempt(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (!check(args, count))
        return NULL;
    struct options options = {0};
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    PyObject *inputs = count == 2 && args[1] != Py_None ? args[1] : NULL, *const whole = inputs;
    read_options(&options, args + count, names, named);
    struct program *program = program_of(&options, args[0]);
    const bool mapping = program && inputs && !PyDict_Check(inputs);
    inputs = mapping ? mapping_inputs(program, inputs, names) : Py_XNewRef(inputs);
    PyObject *result = NULL;
    if (program && (inputs || !mapping))
        result = run(program, &options, inputs, whole, args + count, names, named);
    Py_XDECREF(inputs);
    Py_XDECREF((PyObject *)program);
    return result;
}

/* Values of xarray, which have names, are met here first: the call is made once more, by weft/xarray.py, unless there
 * are none. Then the exception stays. */
static PyObject *again(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *type, *value, *trace, *named = NULL, *result = NULL;
    if (!count)
        return NULL;
    const Py_ssize_t named_count = names ? PyTuple_Size(names) : 0;
    PyErr_Fetch(&type, &value, &trace);
    named = PyDict_New();
    for (Py_ssize_t i = 0; named && i < named_count; i++)
        PyDict_SetItem(named, PyTuple_GetItem(names, i), args[count + i]);
    if (named)
        result = PyObject_CallFunctionObjArgs(imports.again, args[0], count > 1 ? args[1] : Py_None, named, NULL);
    Py_XDECREF(named);
    if (!result || result != Py_NotImplemented) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return result;
    }
    Py_DECREF(result);
    PyErr_Restore(type, value, trace);
    return NULL;
}

PyObject *evaluate(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *result = attempt(args, count, names);
    return result ? result : again(args, count, names);
}
