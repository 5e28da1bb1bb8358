/* Choosing a context's settings; see settings_impl.h. They are read from the environment here and in cc_init, when
 * the context is made, and not later, because the host may change its environment at any time. */
#include "runtime/api/settings_impl.h"

#include "runtime/cache/cache.h"
#include "runtime/cc/cc.h"
#include "runtime/api/debug_impl.h"

#include <stdlib.h>
#include <string.h>

static const char *const fast_words[] = {
#define FAST(id, word, what) word,
    FAST_PATHS(FAST)
#undef FAST
};

/* ---- sets of words ---- */

const char *settings_words(struct arena *arena, const char *const *words, int count)
{
    struct buf all;
    buf_init(&all, arena);
    for (int i = 0; i < count; i++)
        buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
    return all.text;
}

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
    context->fast = FAST_ALL & ~read_words(words ? words : "", fast_words, FAST_COUNT, &wrong, &length);
    if (wrong)
        diag_at(diags, DIAG_NO_FAST_PATH, NULL, 0, (int)length, wrong,
                settings_words(diags->arena, fast_words, FAST_COUNT));
}

static void choose_stages(struct weft_context *context, const char *debug, struct diags *diags)
{
    const char *words = debug ? debug : secure_getenv("WEFT_DEBUG"), *wrong;
    size_t length;
    context->debug = read_words(words ? words : "", stage_names, STAGE_COUNT, &wrong, &length);
    context->observer = context->debug ? &debug_observer : NULL;
    if (wrong)
        diag_at(diags, DIAG_NO_DEBUG_STAGE, NULL, 0, (int)length, wrong,
                settings_words(diags->arena, stage_names, STAGE_COUNT));
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
    if (!params->arch)
        return;
    if (!is_arch(params->arch))
        diag_at(diags, DIAG_NO_ARCH, NULL, 0, params->arch);
    else if (!(context->arch = strdup(params->arch)))
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
}

/* ---- directories ---- */

static void choose_cache(struct weft_context *context, const char *word, struct diags *diags)
{
    bool none = (word && !*word) || !(context->fast & FAST_CACHE) || context->keep;
    if (none || !cache_cap(&context->cache_cap, diags))
        return;
    context->cache = cache_place(word);
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

enum weft_status settings_choose(struct weft_context *context, const struct weft_context_params *params,
                                 struct weft_error **error)
{
    struct arena arena;
    struct diags diags;
    jmp_buf env;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, NULL);
        choose_fast_paths(context, params->disable, &diags);
        choose_target(context, params, &diags);
        choose_keep(context, params->keep, &diags);
        choose_cache(context, params->cache, &diags);
        choose_stages(context, params->debug, &diags);
        status = finish_call(NULL, &diags, error);
    }
    arena_finish(&arena);
    return status;
}

void settings_finish(struct weft_context *context)
{
    free(context->cache);
    free(context->keep);
    free(context->arch);
}
