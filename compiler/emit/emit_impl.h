/* What the files of emission share. The names in a kernel are those of generated_names.h. The user's bytes never
 * get here: names in comments are printed from the tree, and they are identifiers. */
#ifndef WEFT_EMITTER_H
#define WEFT_EMITTER_H

#include "compiler/loop/loop.h"
#include "compiler/emit/subst_impl.h"

/* More literals than this are read where they are used: a C compiler would keep each in a register
 * around all loops. */
enum { MAX_NAMED_LITERALS = 64 };

/* Of more copies of rows that weigh so much functions are called where there are none for whole blocks. */
enum { HEAVY = 16, MAX_HEAVY = 64 };

/* The parts of a skeleton that are put together line by line. */
#define SECTIONS(S)                                                                                  \
    S(blocks) S(literals) S(faults) S(buffers) S(tile) S(row) S(operands) S(body) S(results) S(remarks) S(end) \
    S(offsets) S(groups) S(loads)

struct emitter {
    struct arena *arena;
    const struct kernel *kernel;
    const struct emit_params *params;
    const unsigned char *kinds;
    const char *name;              /* of the function; NULL: the text has one kernel */
    struct schedule schedule;
    struct subst subst;
#define MEMBER(name) struct buf name;
    SECTIONS(MEMBER)
#undef MEMBER
    bool baked;                    /* literals are numbers in the text, not arguments */
    const char **told;             /* lines of the target's texts that were met */
    int told_count;
    size_t *lines;                 /* where the program's lines begin, but for the first */
    int own_lines;                 /* of the text, so far */
    int line_count;                /* where the text says from which one a statement comes */
    bool vectors;                  /* the vector types of the prelude are wanted */
    bool heap;                     /* blocks live in the scratch that the caller lends */
    size_t scratch;
    bool calls_rows;               /* heavy rows are functions: there are many */
    bool *called;                  /* [ins] loads and literals that a block call reads */
    int *seen;                     /* [ins] last level that has this value by name */
};

/* The short name of a type, as generated code has it. */
const char *short_name(enum weft_dtype dtype);
/* The name of an instruction's value, or how it is read. */
const char *value_name(struct emitter *e, int i);
/* The name of what an access reads or writes, for a comment. */
const char *access_name(const struct emitter *e, int access);
/* A row's meaning (or fault) on operands of these names. */
void put_meaning(struct emitter *e, struct buf *out, const struct ins *ins, const char *meaning,
                 const char *const names[3]);
/* Makes sure the helper that moves elements of this type is defined. */
void put_helper(struct emitter *e, const char *name, enum weft_dtype dtype);
/* A place for the elements of a block (and `more`): on the stack, or in the scratch. */
void declare_block(struct emitter *e, struct buf *out, enum weft_dtype dtype, const char *name, int more);

/* The next line of the text comes from where the program has this instruction, or from nowhere there. A
 * profiler that shows it takes the names for files; NVRTC puts its working directory before others. */
void emit_line(struct emitter *e, struct buf *out, const struct ins *ins);
void emit_own_line(struct emitter *e, struct buf *out);
/* The section of this name; NULL: there is none. */
struct buf *emit_section(struct emitter *e, const char *name, size_t length);

/* access.c: how blocks come and go. */

/* Elements that the buffer of a load of this kind holds besides a block. */
int pattern_length(enum access_kind kind);
/* Access k; `called`: a function of whole blocks reads it. */
void emit_access(struct emitter *e, int k, bool store, bool called);

/* body.c: what is computed. */

/* A literal as C has it, exactly. */
const char *literal_code(struct emitter *e, int index);

void emit_literal(struct emitter *e, int k, int ins);
/* A value computed outside the blocks, once or once for each row. */
void emit_single(struct emitter *e, int i);
/* The places of values that are kept between loops. */
void emit_slots(struct emitter *e);
void emit_body(struct emitter *e);

#endif
