/* The first kernel: libtcc, in a module that need not be there. */
#ifndef WEFT_FIRST_H
#define WEFT_FIRST_H

#include "runtime/cc/tcc_module.h"

/* Whether the module is there. The first call of the process looks for it: in $WEFT_MODULES, else in
 * the directory `weft` beside the library (or the program it is linked into), else beside it, else where
 * Weft was installed. */
bool first_available(void);
/* Compiles a kernel's text into memory, about a millisecond; false with a line in `log`. Results of
 * rows that are exact have the bits that the machine's compiler gives them. */
bool first_compile(const char *text, struct first_code *code, char *log, size_t size);
/* Where the module is; NULL when it is not available. */
const char *first_path(void);
void first_release(struct first_code *code);

#endif
