/* The interface between the library and the module around libtcc, a shared object that the library
 * loads if it is there (tcc.c). The module exports one `const struct first_module` named
 * weft_first. */
#ifndef WEFT_RUNTIME_CC_TCC_MODULE_H
#define WEFT_RUNTIME_CC_TCC_MODULE_H

#include <stdbool.h>
#include <stddef.h>

enum { FIRST_VERSION = 1 };

/* A function of the C library that kernels may call. */
struct first_symbol {
    const char *name;
    void *address;
};

/* A kernel in memory of its own, which is readable and executable but not writable. */
struct first_code {
    void *memory;
    size_t size;
    void *entry;                   /* `weft_kernel` */
};

struct first_module {
    int version;                   /* FIRST_VERSION of the header it was built with */
    /* Compiles a kernel's text. False with a line in `log` (of `size` bytes) if it does not
     * compile, a symbol is missing, or the machine refuses executable memory. From any thread;
     * calls are serialized. */
    bool (*compile)(const char *text, const struct first_symbol *symbols, size_t count,
                    struct first_code *code, char *log, size_t size);
    /* Unmaps the code, which no thread may be running any more, and zeroes the struct. Takes a
     * zeroed one. */
    void (*release)(struct first_code *code);
};

#endif
