/* Compiling first kernels with libtcc, through a module that may be absent. */
#ifndef WEFT_RUNTIME_CC_TCC_H
#define WEFT_RUNTIME_CC_TCC_H

#include "runtime/cc/tcc_module.h"

/* Whether the module is there. The first call of the process looks for it: in $WEFT_MODULES if that
 * is set, else in the directory `weft` beside the library (or the program that it is linked into),
 * beside the library itself, and where Weft was installed. From any thread. */
bool first_available(void);
/* Compiles a kernel's text into memory, in about a millisecond. False with a line in `log`. Exact
 * rows give the same bits as under the machine's compiler. From any thread; compilations are
 * serialized. */
bool first_compile(const char *text, struct first_code *code, char *log, size_t size);
/* The module's path, valid for the life of the process; NULL: it is not available. */
const char *first_path(void);
/* Frees the code, which no thread may be running any more. Takes a zeroed struct. */
void first_release(struct first_code *code);

#endif
