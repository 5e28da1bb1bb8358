/* The boundary between the library and the module around libtcc, a shared object of its own that the
 * library loads when it is there (tcc.c). The module exports one `const struct first_module` named
 * weft_first. */
#ifndef WEFT_FIRST_MODULE_H
#define WEFT_FIRST_MODULE_H

#include <stdbool.h>
#include <stddef.h>

enum { FIRST_VERSION = 1 };

/* A function of the C library that a kernel may call. */
struct first_symbol {
    const char *name;
    void *address;
};

/* A kernel in memory of its own: readable and executable, never writable. */
struct first_code {
    void *memory;
    size_t size;
    void *entry;                   /* `weft_kernel` */
};

struct first_module {
    int version;                   /* FIRST_VERSION of the header it was built with */
    /* Compiles a kernel's text. False with a line in `log` (of `size` bytes): it does not compile, a
     * symbol is missing, or the machine refuses executable memory. From any thread, one at a time. */
    bool (*compile)(const char *text, const struct first_symbol *symbols, size_t count,
                    struct first_code *code, char *log, size_t size);
    /* No thread is inside the code any more. Takes zeroes. */
    void (*release)(struct first_code *code);
};

#endif
