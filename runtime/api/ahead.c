/* weft_build: kernels as C sources, made by compiler/aot; for CUDA with the code that NVRTC makes. */
#include "compiler/aot/aot.h"
#include "runtime/api/gpu_code_impl.h"
#include "runtime/api/specify_impl.h"

#include <stdlib.h>
#include <string.h>

/* The GPUs of data centres since 2020. GPUs of the same generation run their code, too; later ones use the PTX. */
static const char *const usual_archs[] = {"sm_80", "sm_90", "sm_100"};

struct order {
    struct weft_context *context;
    const struct weft_build_params *params;
    struct diags *diags;
    struct weft_file *files;       /* the result, in one allocation */
    size_t count;
};

/* Compiles into memory of the arena. Errors of NVRTC are not places in the text, so the source is hidden from
 * them. */
static bool compile(void *user, const char *text, const char *arch, const unsigned char **code, size_t *size)
{
    const struct order *order = user;
    struct diags *diags = order->diags;
    const struct source *source = diags->source;
    struct nvrtc_code made = {.bytes = NULL};
    diags->source = NULL;
    const bool good = cuda_code(order->context, text, arch, &made, diags);
    diags->source = source;
    if (good)
        *code = arena_copy(diags->arena, made.bytes, *size = made.size);
    free(made.bytes);
    return good;
}

static void build(struct diags *diags, void *user)
{
    struct order *order = user;
    const struct weft_build_params *params = order->params;
    const bool cuda = params->target == WEFT_TARGET_CUDA, given = params->arch_count > 0;
    const struct aot_params how = {
        .target = cuda ? AOT_CUDA : AOT_C, .file = params->file ? params->file : diags->source->origin,
        .bundle = params->bundle, .levels = params->levels, .openmp = params->openmp,
        .support = (enum aot_support)params->support, .entries = params->entries,
        .archs = given ? params->archs : usual_archs,
        .arch_count = given ? (int)params->arch_count : (int)(sizeof usual_archs / sizeof *usual_archs),
        .compile = cuda && !params->names_only ? compile : NULL, .user = order};
    struct aot_file *made;
    int count;
    order->diags = diags;
    if (!aot_build(diags->arena, diags->source, &how, diags, &made, &count))
        return;
    const char **texts = ARENA_ARRAY(diags->arena, const char *, 2 * count);
    for (int i = 0; i < count; i++) {
        texts[2 * i] = made[i].name;
        texts[2 * i + 1] = made[i].text;
    }
    /* a struct weft_file is these two pointers */
    order->files = (struct weft_file *)pack_texts(diags->arena, texts, 2 * (size_t)count);
    order->count = (size_t)count;
}

enum weft_status weft_build(struct weft_context *context, const char *text, const struct weft_build_params *params,
                            struct weft_file **files, size_t *count, struct weft_error **error)
{
    static const struct weft_build_params defaults;
    params = params ? params : &defaults;
    if (params->support == WEFT_SUPPORT_ONLY)
        text = "";
    if (!text || !files || !count || (params->arch_count && !params->archs))
        return invalid_call(error, "weft_build needs a text and places for files and their count, found NULL");
    if (params->target == WEFT_TARGET_CUDA && !params->names_only && !context)
        return invalid_call(error, "weft_build needs a context for kernels of CUDA, found NULL");
    const struct source source = {params->origin ? params->origin : "<expr>", text, strlen(text)};
    struct order order = {.context = context, .params = params};
    const enum weft_status status = guarded_remarks(&source, build, &order, error);
    *files = order.files;
    *count = order.count;
    return status;
}
