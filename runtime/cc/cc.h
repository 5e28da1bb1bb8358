/* C compilers: the machine's, which runs as a process, libtcc, which is a module, and the files of kernels that
 * WEFT_KEEP keeps. */
#ifndef WEFT_RUNTIME_CC_CC_H
#define WEFT_RUNTIME_CC_CC_H

#include "runtime/base/base.h"
#include "runtime/cache/cache.h"
#include "runtime/cc/job.h"
#include "runtime/cc/keep.h"
#include "runtime/cc/tcc.h"

enum cc_kind { CC_UNKNOWN, CC_GCC, CC_CLANG };

struct cc {
    struct cc_running *running;    /* belongs to the context */
    char *path;                    /* as given, for messages; a name without a slash is looked up in PATH */
    enum cc_kind kind;             /* set by cc_probe, and so is what follows */
    bool levels;                   /* it knows -march=x86-64-v3 and the like */
    char version[96];              /* the first line that --version prints */
    char *probed;                  /* the identity of the program that was probed */
    char **flags;                  /* the user's, NULL-terminated */
    struct environment environment; /* a copy, for compilers that are started in the background */
    char vector_functions[512];    /* the vector functions of libmvec, for emit */
};

enum { CC_MAX_FLAGS = JOB_MAX_ARGUMENTS - 16 };

/* Initializes `cc`; cc_finish must be called in any case. A NULL `path` stands for $WEFT_CC, else cc; NULL
 * `flags` for those of $WEFT_CFLAGS. False: out of memory. */
bool cc_init(struct cc *cc, const char *path, const char *const *flags);
void cc_finish(struct cc *cc);
/* Finds out which compiler it is by starting it, unless it was already probed under this identity (NULL:
 * unknown). False with a diagnostic. Not to be called by two threads at once. */
bool cc_probe(struct cc *cc, const char *identity, struct diags *diags);
/* Fills `flags` with those for a kernel, NULL-terminated, and returns their number. */
int cc_flags(const struct cc *cc, enum weft_math math, bool assembly, const char *flags[CC_MAX_FLAGS]);
/* Compiles a kernel's text and loads it. Returns a handle of dlopen; NULL with a diagnostic. Leaves no process
 * behind, and no files except those of `kept` (NULL: none). `digest` names the kernel (image_impl.h). *image is
 * a descriptor of the shared object, which the caller closes, or -1. */
void *cc_load(const struct cc *cc, const char *text, enum weft_math math,
              const unsigned char digest[16], const struct kept *kept, int *image, struct diags *diags);
/* The assembly of a kernel's text, from malloc; NULL with a diagnostic. */
char *cc_assembly(const struct cc *cc, const char *text, enum weft_math math, struct diags *diags);

/* Identifies the compiler's program, as file_identity does. Starts no process. From malloc; NULL: no such
 * program, or out of memory. */
char *cc_identity(const struct cc *cc);
/* Makes the key on disk of a text without comments. `identity` is the compiler's. False: out of memory. */
bool cc_key_init(struct cache_key *key, const struct cc *cc, const char *identity, const char *text,
                 enum weft_math math);

#endif
