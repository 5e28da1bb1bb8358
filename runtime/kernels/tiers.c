/* The choice between the first and the good kernel; see tiers_impl.h. */
#include "runtime/kernels/tiers_impl.h"

#include "compiler/lang/lang.h"

#include <dlfcn.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- making either kernel ---- */

static bool use_first(struct weft_context *context, const struct kernel_request *request,
                      struct made *made, struct diags *diags)
{
    char log[256] = "";
    double start = seconds();
    if (!first_compile(request->text, &made->first, log, sizeof log))
        return diags && diag_at(diags, DIAG_COMPILER_FAILED, NULL, 0, context->cc.path, "in process",
                                log);
    *(void **)&made->run = made->first.entry;
    made->info = (struct weft_kernel_info){.origin = WEFT_FROM_FIRST,
                                           .seconds = seconds() - start,
                                           .first_seconds = seconds() - start};
    return true;
}

static bool use_handle(const struct build *build, void *handle, enum weft_kernel_origin origin, double start,
                       struct made *made)
{
    char entry[KEEP_ENTRY];
    if (!handle)
        return false;
    kernel_entry(build->text, entry);
    made->handle = handle;
    *(void **)&made->run = dlsym(handle, entry);
    made->final = true;
    made->info = (struct weft_kernel_info){.origin = origin, .seconds = seconds() - start};
    return true;
}

static bool use_good(const struct build *build, struct diags *diags, struct made *made)
{
    enum weft_kernel_origin origin = WEFT_FROM_COMPILER;
    double start = seconds();
    void *handle = build_kernel(build, diags, &origin);
    return use_handle(build, handle, origin, start, made);
}

/* Kernels for GPUs have one tier. */
static bool use_module(const struct build *build, struct diags *diags, struct made *made)
{
    enum weft_kernel_origin origin = WEFT_FROM_COMPILER;
    double start = seconds();
    char entry[KEEP_ENTRY];
    kernel_entry(build->text, entry);
    made->module = build_kernel(build, diags, &origin);
    made->function = made->module ? cuda_function(build->device, made->module, entry, diags) : NULL;
    made->final = true;
    made->info = (struct weft_kernel_info){.origin = origin, .seconds = seconds() - start};
    if (made->module && !made->function)
        cuda_unload(build->device, made->module);
    return made->function != NULL;
}

/* ---- messages ---- */

static bool lacks_compiler(const struct diags *diags)
{
    return diags->first && diags->first->id == DIAG_NO_COMPILER;
}

/* Adds to `diags` why libtcc's kernel stays. That there is no compiler is said once for a context. */
static void add_reason(struct weft_context *context, const struct diags *failed, struct diags *diags)
{
    if (!failed->first)
        return;
    if (!lacks_compiler(failed)) {
        diag_at(diags, DIAG_FIRST_STAYS, NULL, 0, failed->first->message);
        return;
    }
    pthread_mutex_lock(&context->mutex);
    bool told = context->told_no_compiler;
    context->told_no_compiler = true;
    pthread_mutex_unlock(&context->mutex);
    if (!told)
        diag_at(diags, DIAG_FIRST_ALONE, NULL, 0, failed->first->message);
}

static void log_reason(struct weft_context *context, const struct diags *failed)
{
    struct diags diags;
    diags_init(&diags, failed->arena, NULL);
    add_reason(context, failed, &diags);
    keep_untold(&context->log, &diags);
}

/* ---- the choice ---- */

static bool first_allowed(const struct weft_context *context)
{
    return (context->fast & FAST_FIRST) && !context->keep && context->tier != WEFT_TIER_NONE &&
           first_available();
}

/* Whether a first kernel may run until the good one is ready: both have the same bits, or the user
 * accepts other bits. The user's flags could change bits, as -ffp-contract=fast does. */
static bool first_serves(const struct weft_context *context, const struct kernel_request *request)
{
    bool same = request->exact && request->math == WEFT_MATH_STRICT && !*context->cc.flags;
    return first_allowed(context) && (same || context->tier == WEFT_TIER_FAST);
}

/* Waits for the machine's compiler, on the calling thread. If it fails, falls back to libtcc, provided
 * that a first kernel would do or that the machine has no compiler. */
static bool wait_for_good(const struct build *build, const struct kernel_request *request,
                          struct diags *diags, struct made *made)
{
    struct weft_context *context = build->context;
    struct diags failed;
    diags_init(&failed, diags->arena, NULL);
    if (use_good(build, &failed, made)) {
        keep_untold(&context->log, &failed); /* warnings and notes */
        return true;
    }
    bool serves = first_serves(context, request) || (first_allowed(context) && lacks_compiler(&failed));
    if (serves && use_first(context, request, made, NULL)) {
        made->final = true;
        log_reason(context, &failed);
        return true;
    }
    diags_append(diags, &failed);
    return false;
}

bool tiers_make(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made)
{
    double start = seconds();
    const struct build build = {context, key, request->text, request->math, request->device};
    *made = (struct made){.final = context->only_first};
    if (request->device)
        return use_module(&build, diags, made);
    if (context->only_first)
        return use_first(context, request, made, diags);
    if (request->wait || !first_serves(context, request))
        return wait_for_good(&build, request, diags, made);
    return use_handle(&build, build_from_disk(&build), WEFT_FROM_DISK, start, made) ||
           use_first(context, request, made, NULL) || wait_for_good(&build, request, diags, made);
}

bool tiers_improve(struct weft_context *context, const char *key, enum weft_math math,
                   struct made *made)
{
    struct arena arena;
    struct diags diags;
    jmp_buf env;
    bool good = false;
    *made = (struct made){0};
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, NULL);
        good = use_good(&(struct build){context, key, key, math, NULL}, &diags, made);
        if (good)
            keep_untold(&context->log, &diags);
        else if (!context->running.cancelled)
            log_reason(context, &diags);
    }
    arena_finish(&arena);
    return good;
}
