/* The choice between the first and the good kernel; see tiers_impl.h. */
#include "runtime/kernels/tiers_impl.h"

#include "compiler/emit/emit.h"

#include <dlfcn.h>
#include <time.h>

/* ---- making either kernel ---- */

static bool use_first(struct weft_context *context, const struct kernel_request *request,
                      struct made *made, struct diags *diags)
{
    char log[256] = "";
    double start = clock_seconds();
    if (!first_compile(request->text, &made->first, log, sizeof log))
        return diags && diag_at(diags, DIAG_COMPILER_FAILED, NULL, 0, context->cc.path, "in process", ":\n",
                                log, "");
    *(void **)&made->run = made->first.entry;
    made->info = (struct weft_kernel_info){.origin = WEFT_FROM_FIRST,
                                           .seconds = clock_seconds() - start,
                                           .first_seconds = clock_seconds() - start};
    return true;
}

/* Takes over what was built: a handle of dlopen, or the module of a kernel for a GPU. NULL: nothing. */
static bool use_built(const struct build *build, void *built, enum weft_kernel_origin origin, double start,
                      struct diags *diags, struct made *made)
{
    if (!built)
        return false;
    *made = (struct made){.final = true, .info = {.origin = origin, .seconds = clock_seconds() - start}};
    if (!build->device) {
        made->handle = built;
        *(void **)&made->run = dlsym(built, build->entry);
        return true;
    }
    made->module = built;
    made->function = cuda_function(build->device, built, build->entry, diags);
    if (!made->function)
        cuda_unload(build->device, built);
    return made->function != NULL;
}

/* The log is told what the compiler says about a kernel that it made. */
static bool use_good(const struct build *build, struct diags *diags, struct made *made)
{
    enum weft_kernel_origin origin = WEFT_FROM_COMPILER;
    double start = clock_seconds();
    void *built = build_kernel(build, diags, &origin);
    bool good = use_built(build, built, origin, start, diags, made);
    if (good)
        keep_untold(&build->context->log, diags);
    return good;
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
    struct diags diags = diags_new(failed->arena, NULL);
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

/* Waits for the compiler, on the calling thread. If the machine's C compiler fails, falls back to libtcc, provided
 * that a first kernel would do or that the machine has no compiler. Kernels for GPUs have one tier. */
static bool wait_for_good(const struct build *build, const struct kernel_request *request,
                          struct diags *diags, struct made *made)
{
    struct weft_context *context = build->context;
    struct diags failed = diags_new(diags->arena, NULL);
    if (use_good(build, &failed, made))
        return true;
    bool serves = first_serves(context, request) || (first_allowed(context) && lacks_compiler(&failed));
    if (serves && !request->device && use_first(context, request, made, NULL)) {
        made->final = true;
        log_reason(context, &failed);
        return true;
    }
    diags_append(diags, &failed);
    return false;
}

static struct build build_of(struct weft_context *context, const char *key, const struct kernel_request *request)
{
    return (struct build){context, key, request->text, request->entry ? request->entry : NAME_ENTRY,
                          request->math, request->device, request->label};
}

bool tiers_wait(const struct weft_context *context, const struct kernel_request *request)
{
    return request->device || (!context->only_first && (request->wait || !first_serves(context, request)));
}

bool tiers_find(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made)
{
    const double start = clock_seconds();
    const struct build build = build_of(context, key, request);
    return use_built(&build, build_from_disk(&build), WEFT_FROM_DISK, start, diags, made);
}

bool tiers_make(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made)
{
    const struct build build = build_of(context, key, request);
    *made = (struct made){.final = context->only_first};
    if (context->only_first && !request->device)
        return use_first(context, request, made, diags);
    if (tiers_wait(context, request))
        return wait_for_good(&build, request, diags, made);
    return tiers_find(context, key, request, diags, made) ||
           use_first(context, request, made, NULL) || wait_for_good(&build, request, diags, made);
}

struct improvement {
    struct build build;
    struct made *made;
    bool told, good;
};

static void improve(struct diags *diags, void *user)
{
    struct improvement *improvement = user;
    struct weft_context *context = improvement->build.context;
    improvement->good = use_good(&improvement->build, diags, improvement->made);
    if (!improvement->good && improvement->told && !context->running.cancelled)
        log_reason(context, diags);
}

bool tiers_improve(struct weft_context *context, const char *key, const char *label, enum weft_math math,
                   bool told, struct made *made)
{
    struct improvement improvement = {{context, key, key, NAME_ENTRY, math, NULL, label}, made, told, false};
    *made = (struct made){0};
    guarded_call(NULL, NULL, improve, &improvement, NULL);
    return improvement.good;
}
