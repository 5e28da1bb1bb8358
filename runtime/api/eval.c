/* weft_eval: a text computed in one call. Programs are kept in the context, the latest first, under a key that holds
 * all that compiling depends on.
 *
 * Invariant: a program that a call uses has users > 0 and is not removed; the list is guarded by the context's
 * mutex. */
#include "runtime/api/eval_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROGRAMS = 256 };

struct evaluated {
    struct evaluated *next;
    struct weft_program *program;
    int users;
    size_t size;                   /* of the key, in bytes */
    char key[];
};

/* ---- keys ---- */

/* Appends a text with its NUL, where NULL differs from every text. `key` NULL only counts. */
static size_t put_text(char *key, size_t at, const char *text)
{
    const size_t length = text ? strlen(text) + 1 : 0;
    if (key)
        key[at] = text ? 't' : 'n';
    if (key && text)
        memcpy(key + at + 1, text, length);
    return at + 1 + length;
}

/* Writes the key and returns its size; `key` NULL only counts. */
static size_t put_key(char *key, const char *text, const struct weft_compile_params *params)
{
    const char choices[] = {(char)('0' + params->math), (char)('0' + params->rules),
                            params->ignore_unused ? 'u' : 'n', 0};
    size_t at = put_text(key, 0, text);
    at = put_text(key, at, choices);
    at = put_text(key, at, params->origin);
    at = put_text(key, at, params->kernel);
    for (size_t i = 0; i < params->input_count; i++) {
        at = put_text(key, at, params->inputs[i].name);
        at = put_text(key, at, params->inputs[i].type);
    }
    at = put_text(key, at, NULL);  /* between inputs and results */
    for (size_t i = 0; i < params->result_count; i++)
        at = put_text(key, at, params->results[i]);
    return at;
}

/* ---- the list ---- */

/* Takes out the program with the key of `like`, moves it to the front and counts one user more. NULL: there is
 * none. The caller holds the mutex. */
static struct evaluated *find(struct weft_context *context, const struct evaluated *like)
{
    for (struct evaluated **link = &context->evaluated, *item; (item = *link); link = &item->next)
        if (item->size == like->size && memcmp(item->key, like->key, like->size) == 0) {
            *link = item->next;
            item->next = context->evaluated;
            context->evaluated = item;
            item->users++;
            return item;
        }
    return NULL;
}

static void destroy(struct evaluated *item)
{
    if (item)
        weft_program_destroy(item->program);
    free(item);
}

/* Takes out the program that was used longest ago, if there are too many and nobody uses it. The caller holds the
 * mutex. */
static struct evaluated *take_oldest(struct weft_context *context)
{
    struct evaluated **oldest = NULL;
    int count = 0;
    for (struct evaluated **link = &context->evaluated; *link; link = &(*link)->next, count++)
        if (!(*link)->users)
            oldest = link;
    if (!oldest || count <= MOST_PROGRAMS)
        return NULL;
    struct evaluated *item = *oldest;
    *oldest = item->next;
    return item;
}

/* Puts in a new program. Where another thread has meanwhile compiled the same, that one is taken. */
static struct evaluated *put(struct weft_context *context, struct evaluated *item)
{
    pthread_mutex_lock(&context->mutex);
    struct evaluated *found = find(context, item), *old = found ? item : NULL;
    if (!found) {
        item->next = context->evaluated;
        item->users = 1;
        context->evaluated = found = item;
        old = take_oldest(context);
    }
    pthread_mutex_unlock(&context->mutex);
    destroy(old);
    return found;
}

/* Finds or compiles the program, for one more user. NULL with a status. */
static struct evaluated *obtain(struct weft_context *context, const char *text,
                                const struct weft_compile_params *params, enum weft_status *status,
                                struct weft_error **error)
{
    const size_t size = put_key(NULL, text, params);
    struct evaluated *item = malloc(sizeof *item + size);
    *status = item ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    if (!item)
        return NULL;
    *item = (struct evaluated){.size = size};
    put_key(item->key, text, params);
    pthread_mutex_lock(&context->mutex);
    struct evaluated *found = find(context, item);
    pthread_mutex_unlock(&context->mutex);
    if (!found)
        *status = weft_compile(context, text, params, &item->program, error);
    if (!found && *status >= 0)
        return put(context, item);
    free(item);
    return found;
}

static void leave(struct weft_context *context, struct evaluated *item)
{
    pthread_mutex_lock(&context->mutex);
    item->users--;
    pthread_mutex_unlock(&context->mutex);
}

void evaluated_finish(struct weft_context *context)
{
    for (struct evaluated *item = context->evaluated, *next; item; item = next) {
        next = item->next;
        destroy(item);
    }
    context->evaluated = NULL;
}

/* ---- the calls ---- */

/* The first input that is not in host memory, where results are allocated; NULL: none. */
static const struct weft_argument *on_device(const struct weft_argument *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[i].tensors && (inputs[i].count || !inputs[i].batch) &&
            inputs[i].tensors->device.device_type != kDLCPU && inputs[i].tensors->device.device_type != kDLCUDAHost)
            return &inputs[i];
    return NULL;
}

static bool is_cuda(const struct weft_argument *input)
{
    const int device = (int)input->tensors->device.device_type;
    return device == kDLCUDA || device == kDLCUDAManaged;
}

static const char *wrong_params(const struct weft_compile_params *params)
{
    for (size_t i = 0; params->inputs && i < params->input_count; i++)
        if (params->inputs[i].value || !params->inputs[i].name)
            return "an input of weft_eval_arguments' params has a value or no name; values are those of its arguments";
    for (size_t i = 0; params->results && i < params->result_count; i++)
        if (!params->results[i])
            return "a result of weft_compile_params lacks its name, found NULL";
    return (params->input_count && !params->inputs) || (params->result_count && !params->results)
               ? "weft_compile_params counts inputs or results but has none, found NULL"
               : NULL;
}

static enum weft_status evaluate(struct weft_program *program, const struct weft_argument *inputs, size_t count,
                                 struct weft_results *results, struct weft_error **error)
{
    enum weft_status status = weft_results_alloc(program, inputs, count, results, error);
    if (status < 0)
        return status;
    const struct weft_run_params run = {.inputs = inputs, .input_count = count,
                                        .outputs = results->items, .output_count = results->count};
    status = weft_run(program, &run, error);
    if (status < 0)
        weft_results_free(results);
    return status;
}

enum weft_status weft_eval_arguments(struct weft_context *context, const char *text,
                                     const struct weft_compile_params *params,
                                     const struct weft_argument *inputs, size_t input_count,
                                     struct weft_results *results, struct weft_error **error)
{
    static const struct weft_compile_params defaults;
    params = params ? params : &defaults;
    if (results)
        *results = (struct weft_results){0};
    if (!context || !text || !results || (input_count && !inputs))
        return invalid_call(error, "weft_eval needs a context, a text, inputs and a place for results, found NULL");
    const char *wrong = wrong_params(params);
    if (wrong)
        return invalid_call(error, wrong);
    const struct weft_argument *away = on_device(inputs, input_count);
    if (away && is_cuda(away))
        return invalid_call(error, "weft_eval allocates its results in host memory and takes host tensors, and an "
                                   "input lies on a GPU; use weft_compile and weft_run with outputs on that GPU");
    if (away)
        return invalid_call(error, "an input of weft_eval lies on no device that Weft knows; behind each name stands "
                                   "the address of a DLTensor, as of what weft_dense returns");
    int saved = errno;
    enum weft_status status;
    if (error)
        *error = NULL;
    struct evaluated *item = obtain(context, text, params, &status, error);
    if (item) {
        status = evaluate(item->program, inputs, input_count, results, error);
        leave(context, item);
    }
    errno = saved;
    return status;
}

/* Pairs up to NULL in place of a name, or to a tensor that is NULL; *missing is then set. `inputs` NULL only counts. */
static size_t read_pairs(va_list pairs, struct weft_argument *inputs, bool *missing)
{
    size_t count = 0;
    for (const char *name; !*missing && (name = va_arg(pairs, const char *)); count++) {
        const DLTensor *tensor = va_arg(pairs, const DLTensor *);
        *missing = !tensor;
        if (inputs)
            inputs[count] = (struct weft_argument){.name = name, .tensors = tensor};
    }
    return count;
}

enum weft_status (weft_eval)(struct weft_context *context, const char *text, struct weft_results *results,
                             struct weft_error **error, ...)
{
    va_list pairs;
    bool missing = false;
    if (results)
        *results = (struct weft_results){0};
    va_start(pairs, error);
    const size_t count = read_pairs(pairs, NULL, &missing);
    va_end(pairs);
    if (missing)
        return invalid_call(error, "weft_eval takes a name and a tensor for each input, then NULL; a name has no "
                                   "tensor, found NULL");
    int saved = errno;
    struct weft_argument *inputs = calloc(count + 1, sizeof *inputs);
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    if (inputs) {
        va_start(pairs, error);
        read_pairs(pairs, inputs, &missing);
        va_end(pairs);
        status = weft_eval_arguments(context, text, NULL, inputs, count, results, error);
    }
    free(inputs);
    errno = saved;
    return status;
}
