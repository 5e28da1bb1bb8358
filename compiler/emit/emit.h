/* Emission: the text of a kernel. What differs between targets is data in struct target. */
#ifndef WEFT_EMIT_H
#define WEFT_EMIT_H

#include "compiler/emit/generated_names.h"
#include "compiler/emit/templates.h"
#include "compiler/loop/loop.h"

struct target {
    const char *name;
    const char *skeleton;          /* templates/kernel/kernel.c or its like */
    const char *prelude;           /* helpers that only this target has, as in prelude_c.h */
    const char *accesses;          /* loads and stores, as in access_c.h */
    const char *args;              /* the struct that a kernel is called with */
    const char *function;          /* what a helper's definition begins with */
    const char *boolean;           /* the type of truth values */
    unsigned fast;                 /* the fast paths it has, a set of enum fast_path */
    int64_t launch;                /* instructions on elements that a kernel more takes the time of */
    bool chunks;                   /* it computes in chunks of registers, of the kernel's form: see form.h;
                                      else in blocks of BLOCK, and inexact rows by functions of whole blocks */
    bool device;                   /* its memory is a device's, and its runs stand on streams */
    const char *block;             /* what calls of functions of whole blocks end with: their elements */
    const char *lines;             /* what the text calls itself, where it says from which line of the program a
                                      statement comes; else NULL */
    bool declares;                 /* library functions have to be declared */
};

enum { TARGETS = 2 };
extern const struct target target_c, target_cuda;

/* What a kernel is emitted for. The text depends on nothing else: extents, strides and the values of
 * literals, but for integer divisors, are arguments of the kernel. */
struct emit_params {
    const struct target *target;
    const struct form *form;
    const unsigned char *kinds;    /* of each access, enum access_kind */
    const char *vector_functions;  /* library functions that have vector forms on the machine that
                                      will compile the text, separated by spaces; may be NULL */
    unsigned fast;                 /* a set of enum fast_path */
};

/* The text of the kernel. *scratch becomes the bytes that each thread of a run must lend it: 0 while
 * its blocks fit on a small stack. */
char *emit(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
           size_t *scratch);

/* What the text calls an instruction's value. */
const char *generated_value(struct arena *arena, const struct kernel *kernel, int i);

/* Several kernels in one text, for a source that is compiled ahead of time: each is a function of its own
 * name, literals are numbers in it, and what kernels share is there once. */
struct emit_together;
struct emit_together *emit_start(struct arena *arena, const struct target *target);
/* The function's text. */
char *emit_function(struct emit_together *together, const struct kernel *kernel,
                    const struct emit_params *params, const char *name, size_t *scratch);
/* Of all functions so far: the section "types", "args", "library", "helpers" or "blocks" of the skeleton. */
const char *emit_common(struct emit_together *together, const char *section);
/* The names of the functions in "helpers" and "blocks"; their number. */
const char *const *emit_names(struct emit_together *together, int *count);

#endif
