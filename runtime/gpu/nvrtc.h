/* NVRTC, NVIDIA's compiler of CUDA as a library: found and opened when a kernel is compiled first, never
 * linked, with declarations of our own. Versions 11.2 and newer.
 *
 * Invariant: what nvrtc_identity tells is the library that compiles, once it is open; before, the one that
 * would. It stays open until the process ends. */
#ifndef WEFT_NVRTC_H
#define WEFT_NVRTC_H

#include "compiler/base/base.h"

#include <pthread.h>
#include <stdatomic.h>

struct cc;
struct _nvrtcProgram;

/* F(field, arguments); the symbol is nvrtc and the field's name. All are needed. */
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
    const struct environment *environment; /* tells where to look */
    pthread_mutex_t mutex;         /* guards what follows while it is found out */
    char *path;                    /* NULL: not found so far */
    char *identity;                /* of the file, once it is open */
    bool open;                     /* from now on what follows does not change, but for `unknown` */
#define NVRTC_FIELD(field, arguments) int(*field) arguments;
    NVRTC_FUNCTIONS(NVRTC_FIELD)
#undef NVRTC_FIELD
    int major, minor;
    int archs[NVRTC_MAX_ARCHS];    /* that it makes code for: 90 is sm_90; rising */
    int arch_count;
    atomic_uint unknown;           /* a set of its optional options that it does not know */
};

void nvrtc_init(struct nvrtc *nvrtc, const struct environment *environment);
void nvrtc_finish(struct nvrtc *nvrtc);

/* Which library it is: its place, size, time and inode. From malloc; NULL when there is none, or no
 * memory. Opens nothing. */
char *nvrtc_identity(struct nvrtc *nvrtc);
/* Opens it, unless it is. False with a diagnostic (UNSUPPORTED); the next call tries again. */
bool nvrtc_open(struct nvrtc *nvrtc, struct diags *diags);

/* What is to be made of a kernel's text. */
enum nvrtc_form { NVRTC_CUBIN, NVRTC_PTX };
struct nvrtc_arch {
    char name[32];                 /* as NVRTC has it: sm_90, compute_90 */
    enum nvrtc_form form;
    bool bare;                     /* without information of lines, two thirds of a cubin */
};
/* Code for a GPU of this compute capability: a cubin, or where NVRTC is older than the GPU PTX for the
 * newest that it knows, from which the driver makes the rest. False with a diagnostic. */
bool nvrtc_device_arch(const struct nvrtc *nvrtc, int major, int minor, struct nvrtc_arch *arch,
                       struct diags *diags);
/* Code of that form for an architecture that a caller named: "sm_90", "sm_90a". False with a diagnostic
 * that names those that NVRTC knows. */
bool nvrtc_named_arch(const struct nvrtc *nvrtc, const char *name, enum nvrtc_form form,
                      struct nvrtc_arch *arch, struct diags *diags);

/* The options that decide the code, but for the architecture; NULL-terminated. */
void nvrtc_options(enum weft_math math, const char *options[NVRTC_MAX_OPTIONS]);

struct nvrtc_code {
    char *bytes;                   /* from malloc; PTX ends with a NUL that counts */
    size_t size;
};
/* Compiles with an open NVRTC; from any thread, which may have a small stack. False with a diagnostic:
 * INTERNAL_ERROR with the numbered text when NVRTC refused the text, COMPILER_ERROR when it failed. */
bool nvrtc_compile(struct nvrtc *nvrtc, const char *text, enum weft_math math,
                   const struct nvrtc_arch *arch, struct nvrtc_code *code, struct diags *diags);

#endif
