/* Creating and destroying contexts. Their settings are read from the environment here and in cc_init, when the context
 * is made, and not later, because the host may change its environment at any time. A misspelt word never stands for a
 * default. */
#include "runtime/api/debug_impl.h"
#include "runtime/api/eval_impl.h"

#include "runtime/cache/cache.h"
#include "runtime/cc/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const fast_words[] = {
#define FAST(id, word, ...) word,
    FAST_PATHS(FAST)
#undef FAST
};

/* ---- sets of words ---- */

/* Reads words separated by commas or spaces as a set, a bit each. Sets *wrong to the first unknown word and
 * *length to its length; NULL: all are known. */
static unsigned read_words(const char *text, const char *const *words, int count, const char **wrong,
                           size_t *length)
{
    unsigned set = 0;
    *wrong = NULL;
    for (text += strspn(text, ", "); *text && !*wrong; text += strspn(text, ", ")) {
        *length = strcspn(text, ", ");
        int i = 0;
        while (i < count && (strlen(words[i]) != *length || memcmp(words[i], text, *length) != 0))
            i++;
        *wrong = i == count ? text : NULL;
        set |= i == count ? 0 : 1u << i;
        text += *length;
    }
    return set;
}

static void choose_fast_paths(struct weft_context *context, const char *disable, struct diags *diags)
{
    const char *words = disable ? disable : getenv("WEFT_DISABLE"), *wrong;
    size_t length;
    context->calls = kernel_calls();
    context->row_bytes = kernel_row_bytes();
    context->fast = kernel_roots_slow() ? FAST_ALL : FAST_ALL & ~FAST_ROOTS;
    context->fast &= ~read_words(words ? words : "", fast_words, FAST_COUNT, &wrong, &length);
    if (wrong)
        diag_at(diags, DIAG_NO_FAST_PATH, NULL, 0, (int)length, wrong,
                list_words(diags->arena, fast_words, FAST_COUNT));
}

static void choose_stages(struct weft_context *context, const char *debug, struct diags *diags)
{
    const char *words = debug ? debug : secure_getenv("WEFT_DEBUG"), *wrong;
    size_t length;
    context->debug = read_words(words ? words : "", stage_names, STAGES_TOLD, &wrong, &length);
    context->observer = context->debug ? &debug_observer : NULL;
    if (wrong)
        diag_at(diags, DIAG_NO_DEBUG_STAGE, NULL, 0, (int)length, wrong,
                list_words(diags->arena, stage_names, STAGES_TOLD));
}

/* ---- the target ---- */

/* Reads WEFT_TARGET. False with a diagnostic. */
static bool read_target(enum weft_target *target, struct diags *diags)
{
    static const char *const words[] = {"auto", "c", "cuda"};
    const char *word = getenv("WEFT_TARGET");
    if (!word || !*word)
        return true;
    for (int i = WEFT_TARGET_AUTO; i <= WEFT_TARGET_CUDA; i++)
        if (strcmp(word, words[i]) == 0) {
            *target = (enum weft_target)i;
            return true;
        }
    return diag_at(diags, DIAG_NO_TARGET, NULL, 0, word);
}

/* sm_, a number of two or three digits, and optionally the letter of a variant, as in sm_90a. */
static bool is_arch(const char *word)
{
    if (strncmp(word, "sm_", 3) != 0)
        return false;
    size_t digits = strspn(word + 3, "0123456789");
    const char *rest = word + 3 + digits;
    return digits >= 2 && digits <= 3 && (!*rest || ((*rest == 'a' || *rest == 'f') && !rest[1]));
}

static void choose_target(struct weft_context *context, const struct weft_context_params *params,
                          struct diags *diags)
{
    context->target = params->target;
    if (context->target == WEFT_TARGET_AUTO)
        read_target(&context->target, diags);
    if (params->arch && !is_arch(params->arch))
        diag_at(diags, DIAG_NO_ARCH, NULL, 0, params->arch);
    else if (params->arch && !(context->arch = strdup(params->arch)))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
}

#ifdef WEFT_SWEEP
/* Only a library for measuring reads WEFT_TUNING (bench/gpu/sweep.py). */
static void choose_tuning(struct weft_context *context, struct diags *diags)
{
    const char *words = getenv("WEFT_TUNING");
    struct tuning tuning = *tuning_for(0);
    size_t length;
    const char *wrong = words ? tuning_read(&tuning, words, &length) : NULL;
    if (wrong)
        diag_at(diags, DIAG_NO_TUNING, NULL, 0, (int)length, wrong, TUNING_WORDS);
    else if (words && !(context->tuning = strdup(words)))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
}
#endif

/* ---- directories ---- */

static void choose_cache(struct weft_context *context, const char *word, struct diags *diags)
{
    bool none = (word && !*word) || !(context->fast & FAST_CACHE) || context->keep;
    if (none || !cache_cap(&context->cache_cap, diags))
        return;
    context->cache = cache_directory(word);
    if (!context->cache)
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    if (context->cache && !*context->cache) {
        free(context->cache);
        context->cache = NULL;
    }
}

static void choose_keep(struct weft_context *context, const char *word, struct diags *diags)
{
    if (keep_open(word, &context->keep, diags) && context->keep && context->only_first)
        diag_at(diags, DIAG_KEEP, NULL, 0, context->keep,
                "libtcc makes kernels in memory; name a C compiler in WEFT_CC");
}

struct order {
    struct weft_context *context;
    const struct weft_context_params *params;
};

static void choose(struct diags *diags, void *user)
{
    const struct order *order = user;
    const struct weft_context_params *params = order->params;
    choose_fast_paths(order->context, params->disable, diags);
    choose_target(order->context, params, diags);
    choose_keep(order->context, params->keep, diags);
    choose_cache(order->context, params->cache, diags);
    choose_stages(order->context, params->debug, diags);
#ifdef WEFT_SWEEP
    choose_tuning(order->context, diags);
#endif
}

/* ---- contexts ---- */

enum weft_status weft_context_create(const struct weft_context_params *params,
                                     struct weft_context **result, struct weft_error **error)
{
    static const struct weft_context_params defaults;
    if (!result)
        return invalid_call(error, "weft_context_create needs a place for the context, found NULL");
    *result = NULL;
    if (params && (params->tier < WEFT_TIER_EXACT || params->tier > WEFT_TIER_NONE))
        return invalid_call(error, "tier of weft_context_params is no enum weft_tier");
    if (params && params->threads < 0)
        return invalid_call(error, "threads of weft_context_params is negative");
    if (params && (params->target < WEFT_TARGET_AUTO || params->target > WEFT_TARGET_CUDA))
        return invalid_call(error, "target of weft_context_params is no enum weft_target");
    int saved = errno;
    struct weft_context *context = calloc(1, sizeof *context);
    params = params ? params : &defaults;
    if (error)
        *error = NULL;
    if (context) {
        log_init(&context->log, params);
        pthread_mutex_init(&context->mutex, NULL);
        nvrtc_init(&context->nvrtc, &context->cc.environment);
        context->tier = params->tier;
        worker_init(context);
    }
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (context && cc_init(&context->cc, params->cc, params->cflags)) {
        context->cc.running = &context->running;
        threads_init(&context->threads, params, environment_get(&context->cc.environment, "OMP_NUM_THREADS"));
        context->only_first = strcmp(context->cc.path, "libtcc") == 0;
        status = guarded_call(NULL, NULL, choose, &(struct order){context, params}, error);
    }
    if (status < 0) {
        weft_context_destroy(context);
        context = NULL;
    }
    *result = context;
    errno = saved;
    return status;
}

void weft_context_destroy(struct weft_context *context)
{
    int saved = errno;
    if (!context)
        return;
    evaluated_finish(context);
    worker_finish(context);
    log_untold(&context->log);
    cuda_devices_wait(&context->cuda);
    kernels_finish(context);
    remarks_finish(&context->remarks);
    cuda_devices_finish(&context->cuda);
    nvrtc_finish(&context->nvrtc);
    cc_finish(&context->cc);
    free(context->cache);
    free(context->keep);
    free(context->arch);
    free(context->tuning);
    pthread_cond_destroy(&context->changed);
    pthread_cond_destroy(&context->worker.wake);
    pthread_mutex_destroy(&context->running.mutex);
    pthread_mutex_destroy(&context->cc_mutex);
    pthread_mutex_destroy(&context->mutex);
    log_finish(&context->log);
    free(context);
    errno = saved;
}

void weft_cancel(void)
{
    workers_cancel();
}

void weft_free(void *memory)
{
    free(memory);
}
