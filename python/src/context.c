/* weft.Context: a context of the library, the programs that evaluate compiled in it, and which one is in use. The
 * library's context is destroyed with the object, which every program keeps alive, so closing one only ends its use. */
#include "extension.h"

#include <string.h>
#include <structmember.h>

PyTypeObject *context_type;

static const char context_doc[] =
    "Context(*, cc=None, threads=0, cache=None, target='auto', tier='exact', rules='dali')\n--\n\n"
    "Where programs are compiled and run. Most programs need none: there is a default.\n\n"
    "cc: the C compiler, a path or a name; 'libtcc' starts no compiler. None: $WEFT_CC, else cc.\n"
    "threads: how many a run may use; 0: OMP_NUM_THREADS, else the number of processors.\n"
    "cache: the directory that keeps kernels for later processes; '': none; None: ~/.cache/weft.\n"
    "target: 'auto', where the data are; 'c'; or 'cuda', on a GPU, host data are copied there; an error without one.\n"
    "tier: whether libtcc's kernel may run until the C compiler is done: 'exact', if both have the same bits;\n"
    "'fast', always; 'none', never.\n"
    "rules: the types of programs that name none: 'dali', or 'numpy', NumPy's.\n\n"
    "Raises weft.Error for a value that cannot be used.\n\n"
    ">>> import weft, numpy\n"
    ">>> context = weft.Context(threads=1)\n"
    ">>> int(weft.evaluate('x + 1', x=numpy.int32(2), context=context))\n"
    "3\n";

const char *const context_rules[] = {"dali", "numpy", NULL};

/* The position of `word` in a list that ends with NULL; -1 with an exception. */
int context_word(const char *what, const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    error_call("%s is '%s'; it is one of %s, %s%s%s", what, word, words[0], words[1], words[2] ? ", " : "",
               words[2] ? words[2] : "");
    return -1;
}

/* Looks for the GPU by a program without elements, for which no kernel is made. */
static enum weft_status find_gpu(struct weft_context *context, struct weft_error **error)
{
    struct weft_results results = {0};
    const float place = 0;
    const DLTensor nothing = weft_dense(&place, WEFT_FLOAT32, 1, (int64_t[]){0});
    const enum weft_status status = weft_eval(context, "x + 1", &results, error, "x", &nothing, NULL);
    weft_results_free(&results);
    return status;
}

static int create(struct context *self, const struct weft_context_params *params)
{
    struct weft_error *error = NULL;
    enum weft_status status;
    Py_BEGIN_ALLOW_THREADS
    status = weft_context_create(params, &self->handle, &error);
    if (status >= 0 && params->target == WEFT_TARGET_CUDA)
        status = find_gpu(self->handle, &error);
    Py_END_ALLOW_THREADS
    return error_check(status, error);
}

/* -1 with an exception where no such program is found. */
static int check_compiler(const char *cc)
{
    if (!cc || strcmp(cc, "libtcc") == 0)
        return 0;
    PyObject *shutil = PyImport_ImportModule("shutil");
    PyObject *found = shutil ? PyObject_CallMethod(shutil, "which", "s", cc) : NULL;
    const int result = found && found != Py_None ? 0 : -1;
    if (found == Py_None)
        error_call("cc is '%s', and there is no such program; give the name or path of a C compiler that is installed, "
                   "'libtcc', or none", cc);
    Py_XDECREF(found);
    Py_XDECREF(shutil);
    return result;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const targets[] = {"auto", "c", "cuda", NULL}, *const tiers[] = {"exact", "fast", "none", NULL};
    static char *names[] = {"cc", "threads", "cache", "target", "tier", "rules", NULL};
    struct weft_context_params params = {.log = log_keep};
    const char *target = "auto", *tier = "exact", *rules = "dali";
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$zizsss:Context", names, &params.cc, &params.threads,
                                     &params.cache, &target, &tier, &rules))
        return NULL;
    int chosen = context_word("target", target, targets), first = context_word("tier", tier, tiers);
    const int types = context_word("rules", rules, context_rules);
    if (chosen < 0 || first < 0 || types < 0 || check_compiler(params.cc) < 0)
        return NULL;
    params.target = (enum weft_target)chosen;
    params.tier = (enum weft_tier)first;
    struct context *self = (struct context *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    self->rules = (enum weft_rules)types;
    self->programs = PyDict_New();
    self->options = keywords ? PyDict_Copy(keywords) : PyDict_New();
    if (!self->programs || !self->options || create(self, &params) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int context_traverse(PyObject *object, visitproc visit, void *arg)
{
    struct context *self = (struct context *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->programs);
    Py_VISIT(self->options);
    return 0;
}

static int context_clear(PyObject *object)
{
    Py_CLEAR(((struct context *)object)->programs);
    Py_CLEAR(((struct context *)object)->options);
    return 0;
}

/* What the library says only now cannot be an exception. */
static void destroy(struct context *self)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_BEGIN_ALLOW_THREADS
    weft_context_destroy(self->handle);
    Py_END_ALLOW_THREADS
    if (log_tell() < 0)
        PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, trace);
}

static void context_dealloc(PyObject *object)
{
    struct context *self = (struct context *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    context_clear(object);
    destroy(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *context_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    struct context *self = (struct context *)object;
    self->closed = true;
    PyDict_Clear(self->programs);
    Py_RETURN_NONE;
}

static PyObject *context_status(PyObject *object, PyObject *args)
{
    struct context *self = (struct context *)object;
    struct weft_error *error = NULL;
    Py_ssize_t stream = 0;
    if (!PyArg_ParseTuple(args, "|n:status", &stream) || context_check(self) < 0)
        return NULL;
    enum weft_status status;
    Py_BEGIN_ALLOW_THREADS
    status = weft_context_status(self->handle, (void *)stream, &error);
    Py_END_ALLOW_THREADS
    if (error_check(status, error) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *context_closed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((struct context *)object)->closed);
}

int context_check(struct context *context)
{
    if (context->closed)
        error_call("the context is closed");
    return context->closed ? -1 : 0;
}

struct context *context_get(PyObject *given)
{
    PyObject *found = given && given != Py_None ? Py_NewRef(given) : PyObject_CallNoArgs(imports.in_use);
    if (found && !PyObject_TypeCheck(found, context_type)) {
        error_type("context is", found, "it has to be a weft.Context");
        Py_CLEAR(found);
    }
    if (found && context_check((struct context *)found) < 0)
        Py_CLEAR(found);
    return (struct context *)found;
}

static PyMethodDef context_methods[] = {
    {"close", context_close, METH_NOARGS,
     "close($self, /)\n--\n\nEnds the use of the context: a later call with it or its programs is a weft.Error.\n"
     "Kernels are unloaded when the last of its programs is gone."},
    {"status", context_status, METH_VARARGS,
     "status($self, stream=0, /)\n--\n\nAfter a stream (a cudaStream_t as an int) was synchronized: warns of\n"
     "divisions by zero and positions outside in its runs, and raises weft.Error if the GPU's context is lost."},
    {NULL, NULL, 0, NULL}};

static PyMemberDef context_members[] = {
    {"_options", T_OBJECT, offsetof(struct context, options), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyGetSetDef context_getset[] = {{"closed", context_closed, NULL, "Whether close was called.", NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};

int context_add(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_doc, (void *)context_doc},    {Py_tp_new, context_new},
                                  {Py_tp_dealloc, context_dealloc},    {Py_tp_traverse, context_traverse},
                                  {Py_tp_clear, context_clear},        {Py_tp_methods, context_methods},
                                  {Py_tp_members, context_members},
                                  {Py_tp_getset, context_getset},      {0, NULL}};
    static PyType_Spec spec = {"weft.Context", sizeof(struct context), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    context_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return context_type ? PyModule_AddObjectRef(module, "Context", (PyObject *)context_type) : -1;
}
