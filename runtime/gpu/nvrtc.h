/* NVRTC, NVIDIA's CUDA compiler as a library: found and opened when the first kernel is compiled, never
 * linked, and declared here. Versions 11.2 and newer.
 *
 * Invariant: nvrtc_identity identifies the library that compiles once it is open, and before that the
 * one that would be opened. It stays open until the process ends. */
#ifndef WEFT_RUNTIME_GPU_NVRTC_H
#define WEFT_RUNTIME_GPU_NVRTC_H

#include "compiler/base/base.h"

#include <pthread.h>
#include <stdatomic.h>

struct _nvrtcProgram;

/* F(field, arguments). The symbol is "nvrtc" followed by the field's name. All functions are needed. */
#define NVRTC_FUNCTIONS(F)                                                                         \
    F(Version, (int *major, int *minor))                                                           \
    F(GetNumSupportedArchs, (int *count))                                                          \
    F(GetSupportedArchs, (int *archs))                                                             \
    F(CreateProgram, (struct _nvrtcProgram * *program, const char *text, const char *name,         \
                      int header_count, const char *const *headers, const char *const *names))     \
    F(DestroyProgram, (struct _nvrtcProgram * *program))                                           \
    F(CompileProgram, (struct _nvrtcProgram * program, int count, const char *const *options))     \
    F(GetCUBINSize, (struct _nvrtcProgram * program, size_t *size))                                \
    F(GetCUBIN, (struct _nvrtcProgram * program, char *bytes))                                     \
    F(GetPTXSize, (struct _nvrtcProgram * program, size_t *size))                                  \
    F(GetPTX, (struct _nvrtcProgram * program, char *text))                                        \
    F(GetProgramLogSize, (struct _nvrtcProgram * program, size_t *size))                           \
    F(GetProgramLog, (struct _nvrtcProgram * program, char *text))

enum { NVRTC_MAX_ARCHS = 64, NVRTC_MAX_OPTIONS = 24 };

/* A member of struct weft_context. */
struct nvrtc {
    const struct environment *environment; /* says where to look */
    pthread_mutex_t mutex;         /* guards what follows until it is open */
    char *path;                    /* NULL: not found yet */
    char *identity;                /* of the opened file */
    bool open;                     /* from now on nothing below changes but `unknown` */
#define NVRTC_FIELD(field, arguments) int(*field) arguments;
    NVRTC_FUNCTIONS(NVRTC_FIELD)
#undef NVRTC_FIELD
    int major, minor;
    int archs[NVRTC_MAX_ARCHS];    /* that it compiles for, ascending; 90 is sm_90 */
    int arch_count;
    atomic_uint unknown;           /* bit set of the optional options that it does not know */
};

/* Opens nothing. `environment` must outlive the struct. */
void nvrtc_init(struct nvrtc *nvrtc, const struct environment *environment);
void nvrtc_finish(struct nvrtc *nvrtc);

/* Identifies the library by its path, size, time and inode. From malloc; NULL: none found, or out of
 * memory. Opens nothing. */
char *nvrtc_identity(struct nvrtc *nvrtc);
/* Opens the library unless it is open. False with a diagnostic (UNSUPPORTED); the next call tries
 * again. */
bool nvrtc_open(struct nvrtc *nvrtc, struct diags *diags);

/* What to compile a kernel's text to. */
enum nvrtc_form { NVRTC_CUBIN, NVRTC_PTX };
struct nvrtc_arch {
    char name[32];                 /* in NVRTC's words: sm_90, compute_90 */
    enum nvrtc_form form;
    bool bare;                     /* without line information, which is two thirds of a cubin */
};
/* Chooses the code for a GPU of this compute capability: a cubin, or if NVRTC is older than the GPU,
 * PTX for the newest architecture that it knows, which the driver compiles further. False with a
 * diagnostic. */
bool nvrtc_device_arch(const struct nvrtc *nvrtc, int major, int minor, struct nvrtc_arch *arch,
                       struct diags *diags);
/* Chooses code of that form for an architecture that a caller named, such as "sm_90" or "sm_90a". False
 * with a diagnostic that lists the known ones. */
bool nvrtc_named_arch(const struct nvrtc *nvrtc, const char *name, enum nvrtc_form form,
                      struct nvrtc_arch *arch, struct diags *diags);

/* Fills `options` with the options that decide the code, except the architecture; NULL-terminated. */
void nvrtc_options(enum weft_math math, const char *options[NVRTC_MAX_OPTIONS]);

struct nvrtc_code {
    char *bytes;                   /* from malloc; the final NUL of PTX counts */
    size_t size;
};
/* Compiles with an open NVRTC, from any thread, even one with a small stack. The caller frees
 * code->bytes. False with a diagnostic: INTERNAL_ERROR with the numbered text if NVRTC refused it,
 * COMPILER_ERROR if it failed otherwise. */
bool nvrtc_compile(struct nvrtc *nvrtc, const char *text, enum weft_math math,
                   const struct nvrtc_arch *arch, struct nvrtc_code *code, struct diags *diags);

#endif
