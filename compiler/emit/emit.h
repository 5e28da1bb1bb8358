/* Header of the room emit: writes the text of a kernel, in C or CUDA, from its instructions and its form. What differs
 * between targets is data in struct target. */
#ifndef WEFT_COMPILER_EMIT_EMIT_H
#define WEFT_COMPILER_EMIT_EMIT_H

#include "compiler/emit/generated_names.h"
#include "compiler/emit/templates.h"
#include "compiler/loop/loop.h"

struct target {
    const char *name;
    const char *skeleton;          /* templates/kernel/kernel.c or kernel.cu */
    const char *prelude;           /* helpers that only this target has: prelude_c.h, prelude_cuda.h */
    const char *numbered;          /* helpers for elements found by number; NULL: they are in the prelude */
    const char *shuffles;          /* more of them, which gather elements: shuffle_c.h; NULL: none */
    const char *transpose;         /* and which transpose tiles: transpose_c.h; NULL: none */
    const char *weigh;             /* and which sum weighted neighbours: weigh_c.h; NULL: none */
    const char *math;              /* library functions of Weft's own: math_c.h; NULL: none but the prelude's */
    const char *math_head;         /* what these begin with, if not math's own head */
    const char *accesses;          /* loads and stores: access_c.h or access_cuda.h */
    const char *args;              /* the struct with which a kernel is called */
    const char *function;          /* how the definition of a helper begins */
    const char *boolean;           /* the type of truth values */
    unsigned fast;                 /* the fast paths that it supports, a set of enum fast_path */
    int64_t launch;                /* the cost of one more kernel: instructions, times elements */
    const char *reduce;            /* the skeleton of kernels with reduced dimensions; NULL: there are none */
    const char *put;               /* the skeleton of kernels that put elements: put.c or put.cu */
    const char *joins, *search;    /* what that one is filled with in C: join_c.h, search_c.h */
    const char *join_functions;    /* and what it joins with: joins.c */
    const char *short_rows, *shorts; /* the skeleton of those that reduce short rows in C, and what it is filled with */
    const char *chain;             /* the parts of kernels that share a launch (emit_chain); NULL: none do */
    bool chunks;                   /* it computes in chunks of registers, by the kernel's form (form.h). Else it
                                      computes in blocks of BLOCK elements, and has functions of whole blocks for
                                      rows that are not exact */
    bool device;                   /* its memory is a device's, and it runs on streams */
    const char *block;             /* the last arguments in calls of functions of whole blocks: the number of
                                      elements */
    const char *lines;             /* the text's file name in #line directives, which name the program's line of
                                      each statement; NULL: none */
    bool declares;                 /* library functions must be declared */
};

enum { TARGETS = 2 };
extern const struct target target_c, target_cuda;
/* C11 without extensions, for emit_plain alone. */
extern const struct target target_plain;

/* For whom a text is: a compiler; people, all of it, or only what is the program's own (shown.c). */
enum shown { SHOWN_NOT, SHOWN_FULL, SHOWN_OWN };

/* What a kernel's text depends on, besides the kernel. Extents, strides and the values of literals, except integer
 * divisors, are arguments of the kernel. */
struct emit_params {
    const struct target *target;
    const struct form *form;
    const unsigned char *kinds;    /* [accesses] enum access_kind */
    const struct near *near;       /* [accesses] where those of ACCESS_NEAR begin; NULL: there are none */
    const char *vector_functions;  /* library functions with vector forms on the machine that will compile the text,
                                      separated by spaces; may be NULL */
    unsigned fast;                 /* a set of enum fast_path */
    enum shown shown;
    struct text_marks *marks;           /* receives where lines of the text come from; NULL: nobody asks */
};

/* The text of a kernel, or of several that are launched together. */
struct kernel_text {
    char *text;
    size_t scratch;                /* bytes of scratch memory that each thread gives it */
};

/* Returns the text of the kernel. *scratch becomes the number of bytes that each thread of a run must lend it; 0 if its
 * blocks fit on a small stack. */
char *emit(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
           size_t *scratch);

/* Returns the text of one kernel that does what these do, whose forms are chained: each block of threads takes some
 * points through all of them. It is called with the arguments of each. Marks go to those of the first one's
 * parameters. */
char *emit_chain(struct arena *arena, const struct kernel *const *kernels, const struct emit_params *params, int count);

/* How a kernel's text loads or stores an access, for people. */
struct access_way {
    const char *section;           /* of the target's text (templates/kernel/access_*.h) */
    const char *words;             /* NULL: the stride says */
    int first;                     /* of deinterleaved and joined loads the first of those that are made together; else
                                      itself */
};
/* [accesses]. Of `params`, those that matter are the target, the kinds and the fast paths. */
struct access_way *access_ways(struct arena *arena, const struct kernel *kernel, const struct emit_params *params);

/* Adds a piece of the program to a comment: printable characters on one line, at most `most`, and none that end it. */
void put_piece(struct buf *out, const struct program *program, struct span span, size_t most);

/* Adds the text for people of kernel `number` of `count`. Its head explains no word that an earlier one in `out`
 * does. */
void put_shown_text(struct buf *out, const char *text, int number, int count);

/* What an access reads or writes, for people: "img", "temporary 2". */
const char *access_name(struct arena *arena, const struct kernel *kernel, int access);
/* The name of an instruction's value in the text; and in that for people. */
const char *generated_value(struct arena *arena, const struct kernel *kernel, int i);
const char *shown_value(struct arena *arena, const struct kernel *kernel, int i);

/* Several kernels in one text, for a source made ahead of time. Each kernel is a function with its own name. Literals
 * are numbers in the text. What kernels share is there once. */
struct emit_together;
struct emit_together *emit_start(struct arena *arena, const struct target *target);
/* Returns the text of one kernel's function, called *function. Where the support file has it already, it is empty, and
 * *function becomes that one's name. *scratch is as in emit. */
char *emit_function(struct emit_together *together, const struct kernel *kernel,
                    const struct emit_params *params, const char **function, size_t *scratch);
/* Helpers shall be named, not defined: by emit_put_named, which adds inclusions of this file that define them. */
void emit_by_name(struct emit_together *together);
void emit_put_named(struct buf *out, const struct emit_together *together, const char *file);
/* Adds the inclusions of the file that define how those functions join. */
void emit_put_joins(struct buf *out, const struct emit_together *together, const char *file);
/* What that file has for this: macros over types, declarations of all library functions, the helpers. */
void emit_named_types(struct buf *out);
void emit_named_library(struct buf *out);
void emit_named_helpers(struct buf *out);
/* The joins; `types` and `loops` stand before and behind the functions. */
void emit_named_joins(struct buf *out, const char *types, const char *loops);
/* Returns what all functions so far share: the section "types", "args", "library", "helpers" or
 * "blocks" of the skeleton; or "heads", on which helpers and loops of any kernel depend. */
const char *emit_common(struct emit_together *together, const char *section);
/* Whether a text in C may call functions of the C library where own math has what it needs (OWN_MATH). */
bool emit_calls_library(const char *text);
/* Names that a text defines: functions, types and constants of its own. */
struct defined_names {
    struct defined_name {
        const char *name;
        bool function;
    } *items;
    int count;
};
/* Those of helpers, of functions of blocks and, once it was made, of "heads". */
const struct defined_names *emit_names(struct emit_together *together);
/* How many ways of joining they have: what only joins in way i, from 1 on, is NAME_JOINING (generated_names.h). */
int emit_join_count(const struct emit_together *together);

/* How loops over dense arrays name what is the host's, as C. */
struct plain_host {
    void *user;
    const char *(*extent)(void *user, int64_t extent);
    const char *(*data)(void *user, int access); /* an array, or where there is one element a value */
    bool (*is_value)(void *user, int access);
    bool (*is_identity)(void *user, int access); /* element i is i */
    bool (*reads_bytes)(void *user, int access); /* as elements of another type */
    const char *(*fault)(void *user, int fault); /* what is true once there was such a remark */
    const struct shape *(*shape)(void *user, int access); /* as the array lies in memory */
    const char *target;            /* the array that a reduction stores; or a value, */
    const char *target_type;       /* which it declares, of this type; "": the host does. NULL: it is an array */
    int depth;                     /* of the statements: levels of indentation */
    int points;                    /* leading dimensions of the space over which the host's own loop goes: its variable
                                      is p. 0: there is no such loop */
    const char *kept;              /* the array in which a reduction leaves the values that it joins, each at its place
                                      in the space; NULL: nobody asks for these */
    int known;                     /* the instruction whose value such a loop left in this one's result; -1: none */
    struct buf *rooms;             /* receives declarations of memory, and holds those that can be taken */
};
/* Returns the statements that compute a kernel over this space, in a text of target_plain. */
char *emit_plain(struct emit_together *together, const struct kernel *kernel, const struct emit_params *params,
                 const struct shape *space, const struct plain_host *host);

/* A value in such a text. */
const char *emit_plain_value(struct emit_together *together, enum weft_dtype dtype, union scalar value);

/* What the host of such a source computes of numbers: values of operations on doubles, as C. */
struct emit_host;
struct emit_host *emit_host_start(struct arena *arena);
/* The value of a row on doubles of these texts; a bool is 0 or 1. NULL: it has none. */
const char *emit_host_value(struct emit_host *host, enum op op, const char *const operands[3]);
/* Write what stands before and behind the function with these values; `name` is the kernel's. */
void emit_host_begin(struct buf *out, const struct emit_host *host, const char *name);
void emit_host_end(struct buf *out, const struct emit_host *host, const char *name);

#endif
