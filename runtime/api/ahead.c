/* weft_build: kernels as C sources, made by compiler/aot; for CUDA with the code that NVRTC makes. */
#include "compiler/aot/aot.h"
#include "runtime/api/gpu_code_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The GPUs of data centres since 2020. GPUs of the same generation run their code, too; later ones use the PTX. */
static const char *const usual_archs[] = {"sm_80", "sm_90", "sm_100"};

struct building {
    struct weft_context *context;
    struct arena arena;
    struct diags diags;
};

/* Compiles into memory of the arena. Errors of NVRTC are not places in the text, so the source is hidden from
 * them. */
static bool compile(void *user, const char *text, const char *arch, const unsigned char **code, size_t *size)
{
    struct building *building = user;
    const struct source *source = building->diags.source;
    struct nvrtc_code made = {.bytes = NULL};
    building->diags.source = NULL;
    const bool good = cuda_code(building->context, text, arch, &made, &building->diags);
    building->diags.source = source;
    if (good)
        *code = arena_copy(&building->arena, made.bytes, *size = made.size);
    free(made.bytes);
    return good;
}

/* The list and all its texts in one allocation; NULL: out of memory. */
static struct weft_file *pack_files(const struct aot_file *files, int count)
{
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size += strlen(files[i].name) + strlen(files[i].text) + 2;
    struct weft_file *list = malloc((size_t)count * sizeof *list + size);
    char *room = list ? (char *)(list + count) : NULL;
    for (int i = 0; list && i < count; i++) {
        list[i].name = strcpy(room, files[i].name);
        room += strlen(room) + 1;
        list[i].text = strcpy(room, files[i].text);
        room += strlen(room) + 1;
    }
    return list;
}

static enum weft_status build(struct building *building, const struct source *source,
                              const struct weft_build_params *params, struct weft_file **files, size_t *count)
{
    const bool cuda = params->target == WEFT_TARGET_CUDA, given = params->arch_count > 0;
    const struct aot_params how = {
        .target = cuda ? AOT_CUDA : AOT_C, .file = params->file ? params->file : source->origin,
        .bundle = params->bundle, .levels = params->levels, .openmp = params->openmp,
        .archs = given ? params->archs : usual_archs,
        .arch_count = given ? (int)params->arch_count : (int)(sizeof usual_archs / sizeof *usual_archs),
        .compile = cuda && !params->names_only ? compile : NULL, .user = building};
    struct aot_file *made;
    int made_count;
    diags_init(&building->diags, &building->arena, source);
    if (!aot_build(&building->arena, source, &how, &building->diags, &made, &made_count))
        return diags_status(&building->diags);
    *files = pack_files(made, made_count);
    *count = (size_t)made_count;
    return *files ? WEFT_OK : WEFT_OUT_OF_MEMORY;
}

enum weft_status weft_build(struct weft_context *context, const char *text, const struct weft_build_params *params,
                            struct weft_file **files, size_t *count, struct weft_error **error)
{
    static const struct weft_build_params defaults;
    params = params ? params : &defaults;
    if (!text || !files || !count || (params->arch_count && !params->archs))
        return invalid_call(error, "weft_build needs a text and places for files and their count, found NULL");
    if (params->target == WEFT_TARGET_CUDA && !params->names_only && !context)
        return invalid_call(error, "weft_build needs a context for kernels of CUDA, found NULL");
    struct building building = {.context = context};
    const struct source source = {params->origin ? params->origin : "<expr>", text, strlen(text)};
    jmp_buf env;
    const int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    *files = NULL;
    *count = 0;
    arena_init(&building.arena);
    if (!ARENA_GUARD(&building.arena, env)) {
        status = build(&building, &source, params, files, count);
        if (error)
            *error = diags_export(&building.diags, WEFT_WARNING);
    }
    arena_finish(&building.arena);
    errno = saved;
    return status;
}
