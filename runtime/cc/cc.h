/* Compilers of C: the machine's, which is a process, and libtcc, which is a module. Also what WEFT_KEEP keeps of
 * kernels. */
#ifndef WEFT_CC_H
#define WEFT_CC_H

#include "runtime/base/base.h"
#include "runtime/cache/cache.h"
#include "runtime/cc/job.h"
#include "runtime/cc/keep.h"
#include "runtime/cc/tcc.h"

enum cc_kind { CC_UNKNOWN, CC_GCC, CC_CLANG };

struct cc {
    struct cc_running *running;    /* the context's */
    char *path;                    /* as given, for messages; a name is looked up in PATH */
    enum cc_kind kind;             /* found out when it compiles first, and so is what follows */
    bool levels;                   /* knows -march=x86-64-v3 and the like */
    char version[96];              /* the first line of what --version prints */
    char *probed;                  /* the identity of the program that was asked */
    char **flags;                  /* the user's, NULL-terminated */
    struct environment environment; /* for the compiler too, which may be started in the background */
    char vector_functions[512];    /* for emit */
};

enum { CC_MAX_FLAGS = JOB_MAX_ARGUMENTS - 16 };

/* `path` NULL: $WEFT_CC, else cc. `flags` NULL: those of $WEFT_CFLAGS. False: out of memory. */
bool cc_init(struct cc *cc, const char *path, const char *const *flags);
void cc_finish(struct cc *cc);
/* Finds out which compiler it is, unless it is still the one of this identity (NULL: not known). Starts a
 * process. Not to be called by two threads at once. */
bool cc_probe(struct cc *cc, const char *identity, struct diags *diags);
/* The flags for a kernel, NULL-terminated; their number. */
int cc_flags(const struct cc *cc, enum weft_math math, bool assembly, const char *flags[CC_MAX_FLAGS]);
/* Compiles a kernel's text and loads it: a handle of dlopen. Leaves no process and, but for what is to be `kept`
 * (NULL: nothing), no file. `digest` names the kernel (image_impl.h). *image is a descriptor of the shared object,
 * which the caller closes, or -1. */
void *cc_load(const struct cc *cc, const char *text, enum weft_math math,
              const unsigned char digest[16], const struct kept *kept, int *image, struct diags *diags);
/* The assembly of a kernel's text, from malloc. */
char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags);

/* key.c: which program the compiler is, as file_identity. Starts no process. */
char *cc_identity(const struct cc *cc);
/* The key of a text without comments; `identity` is the compiler's. False: out of memory. */
bool cc_key_init(struct cache_key *key, const struct cc *cc, const char *identity, const char *text,
                 enum weft_math math);

#endif
