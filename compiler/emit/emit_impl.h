/* What the files of this room share. Names in a kernel follow generated_names.h. No byte of the user's text gets here:
 * names in comments are printed from the tree, and they are identifiers. */
#ifndef WEFT_COMPILER_EMIT_EMIT_IMPL_H
#define WEFT_COMPILER_EMIT_EMIT_IMPL_H

#include "compiler/loop/loop.h"
#include "compiler/emit/subst_impl.h"

/* With more literals than this, literals are read where they are used. As variables, a C compiler would keep each of
 * them in a register around all loops. */
enum { MAX_NAMED_LITERALS = 64 };

enum { MAX_PARTS = 9 };

/* The sections of a skeleton that are put together line by line. */
#define SECTIONS(S)                                                                                  \
    S(blocks) S(literals) S(faults) S(buffers) S(bands) S(band) S(rows) S(row) S(turn) S(operands) \
    S(turns) S(along) S(body) S(step) S(ends) S(results) S(remarks) S(end) \
    S(headed) S(joins) S(absent) S(offsets) S(groups) S(loads) S(checks)

struct emitter {
    struct arena *arena;
    const struct kernel *kernel;
    const struct emit_params *params;
    const unsigned char *kinds;
    const char *name;              /* of the function; NULL: the text has a single kernel */
    struct defined_names *own;     /* what the skeleton defines */
    const char *parts[MAX_PARTS];  /* the sections of templates/kernel/join_c.h and search_c.h that a reduction in C
                                      needs, in order; NULL behind the last */
    struct evaluation evaluation;
    struct subst subst;
#define MEMBER(name) struct buf name;
    SECTIONS(MEMBER)
#undef MEMBER
    int part, parts_together;      /* which of the kernels that share a launch it is, from 1; 0: it has its own */
    const char *part_names;        /* what gives the names of such a part a number */
    bool baked;                    /* literals are numbers in the text, not arguments */
    const char **told;             /* lines of the target's texts that were added already, where once is enough */
    int told_count;
    struct lines lines;            /* of the program, where the text says from which one a statement comes */
    int own_lines;                 /* lines of the text so far */
    bool row_head;                 /* what loops over rows need of the prelude */
    bool vectors;                  /* the vector types of the prelude are needed */
    bool shuffles;                 /* what shuffle_c.h begins with is needed */
    bool whole;                    /* ends of rows are read as whole blocks (emit.c) */
    bool masked;                   /* a loop of their own computes them, of light kernels (emit.c) */
    bool masking;                  /* that loop is being written */
    bool laned;                    /* short rows are joined to lanes in registers as they are computed (lanes.c) */
    bool light;                    /* ends of rows are one of these, and little is computed */
    struct slide slide;            /* what rows compute for later ones (compiler/loop/slide.h) */
    unsigned *brought;             /* [ins] bit n: the text has a name for its value of n rows before */
    bool held;                     /* blocks of the result stay in registers until they are stored (emit.c) */
    bool runs;                     /* a turn of the loop computes all whole blocks of a row (emit.c) */
    bool heap;                     /* blocks are in the scratch memory that the caller lends */
    size_t scratch;
    bool calls_rows;               /* heavy rows are functions, because there are many */
    bool *called;                  /* [ins] whether a call of a function of whole blocks reads it */
    bool *quotient;                /* [ins] whether it divides by way of a reciprocal */
    int *joined;                   /* [accesses] the first of the loads that are gathered into one block; often
                                      itself */
    const char **choice;           /* [accesses] of such a first load: which of them gives element c of a group, as C */
    int *chosen;                   /* [accesses] of such a first load: the value that they are chosen for */
    int copied;                    /* the load whose elements are stored as they are, all that is done; -1: more is
                                      done */
    const char **shown_names;      /* [accesses] what people read in place of their numbers; NULL: those. NULL for
                                      compilers */
    struct token_spans spans;      /* where there are such names */
    int *seen;                     /* [ins] the last level in which the value has a name */
};

/* The short name of a type, as in generated code. */
const char *short_name(enum weft_dtype dtype);
/* The name of an instruction's value, or an expression that reads it. */
const char *value_name(struct emitter *e, int i);
/* What the tokens of a row's texts are replaced by, on operands with these names. */
struct tokens row_tokens(const struct ins *ins, const char *const names[3]);
/* The row's meaning; of a division of integers by a power of 2 that rounds down a shift, of its remainder a mask: they
 * take the same bits whatever the signs. */
const char *ins_meaning(struct emitter *e, const struct ins *ins);
/* Adds a row's meaning (or its fault) on operands with these names. */
void put_meaning(struct emitter *e, struct buf *out, const struct ins *ins, const char *meaning,
                 const char *const names[3]);
/* Defines a helper for elements of this type, unless it is defined already. */
void put_helper(struct emitter *e, const char *name, enum weft_dtype dtype);
/* Declares a block of elements, and `more` elements behind it: on the stack, or in the scratch memory. */
void declare_block(struct emitter *e, struct buf *out, enum weft_dtype dtype, const char *name, int more);

/* Adds declarations of the library functions that are called. */
void put_library(struct emitter *e, struct buf *out);

/* Adds a #line directive: the next line comes from the program's line of this instruction, or is the text's own. The
 * file names in it are absolute, because NVRTC prepends its working directory to others; profilers show them. */
void emit_line(struct emitter *e, struct buf *out, const struct ins *ins);
void emit_own_line(struct emitter *e, struct buf *out);
/* Marks what was added since the length was `start` as an instruction's. */
void emit_mark(struct buf *out, size_t start, const struct ins *ins);
/* The section of this name; NULL if there is none. */
struct buf *emit_section(struct emitter *e, const char *name, size_t length);
/* Adds what stands behind the line `mark` of a template, up to the next such line. Notes what it defines. */
void emit_marked(struct buf *out, const char *text, const char *mark, struct defined_names *names);

/* emit.c: begins a kernel of several in one text, and ends it. */
void emit_begin(struct emit_together *together, const struct kernel *kernel, const struct emit_params *params,
                struct emitter *e);
void emit_finish(struct emit_together *together, const struct emitter *e);

/* shown.c: what people read. */

void find_shown_names(struct emitter *e);
/* Adds a line with these names. */
void put_shown(const struct emitter *e, struct buf *out, const char *line, size_t length);
/* Whether an access has a name of the user's. */
bool is_users(const struct access *access);
/* Whether the character may be of a C word. */
bool is_word(char c);
/* The line's length without the mark that it is not the program's own; *own: it has none. */
size_t shown_length(const char *line, size_t length, bool *own);
/* The lines that a condition on the kernel's form leaves out. */
struct condition {
    bool goes_on;                  /* the line before is a directive that this one is a part of */
    int depth;                     /* conditions around the line */
    int from;                      /* the depth of one that is false; 0: none */
};
/* Whether the line is left out of what is the program's own: it is a directive, or stands where a constant of the form
 * says that nothing is. */
bool is_left_out(const struct emitter *e, struct condition *c, const char *line, size_t length);
/* Whether people may do without a section, because it is the same for many kernels. */
bool is_common(const struct emitter *e, const char *name, size_t length);
/* Adds the operation, and "for", where the piece of the program at `span` is a call that several operations make up,
 * such as softmax. */
void put_part(const struct emitter *e, struct buf *out, const struct ins *ins, struct span span);
/* Adds a comment that says which piece of the program this is, and where, for people. */
void put_origin(const struct emitter *e, struct buf *out, const struct ins *ins);
/* shown_head.c: adds what the kernel computes, reads and calls; `body` is what is the program's own of its text, `full`
 * all of it. */
void put_shown_head(struct emitter *e, struct buf *out, const char *body, const char *full);

/* access.c: loads and stores of blocks. */

/* The number of elements that the buffer of access k holds in addition to a block. */
int buffer_room(const struct emitter *e, int k);

/* The first load that is deinterleaved together with load k. There is one such set of a tensor. */
int first_deinterleaved(const struct emitter *e, int k);

/* joined.c */

/* Finds interleaved loads that are gathered together. */
void find_joined(struct emitter *e);
/* Whether the value is the only thing that the kernel computes, all of it such a choice. Returns the first load, or
 * -1. */
int joined_load(const struct emitter *e, int value);

/* Finds the load whose elements the kernel stores as they are, after find_joined. Its blocks are streamed from where
 * they are. */
void find_copied(struct emitter *e);
/* Whether it is copied in runs instead, which the text of its load and store does. */
bool copies_runs(const struct emitter *e);
/* Adds the load or store of access k. `called`: a function of whole blocks reads it. */
void emit_access(struct emitter *e, int k, bool store, bool called);

/* quotient.c: divisions by values that repeat along a row. */

/* Finds those that may be made of a multiplication by a reciprocal. Adds the reciprocals, and the checks that they
 * need. */
void emit_checks(struct emitter *e);
/* Adds such a quotient of operands with these names. */
void put_quotient(struct emitter *e, int i, const char *const names[3]);

/* The text of a kernel that is part number `part` of a chain of `count`: the names that it defines are its own. *lines
 * are those of the text so far. */
struct buf emit_part(struct arena *arena, const struct kernel *kernel, const struct emit_params *params, int part,
                     int count, int *lines);

/* lanes.c: reductions. */

/* The access whose elements a reduction joins as they lie in memory; -1: they are computed, or gathered. */
int joined_in_place(const struct emitter *e);
/* Where a reduction in C puts the elements that it computes. */
const char *joined_from(const struct emitter *e);
/* Whether the instruction is the literal for absent elements, where only functions that join need it. */
bool is_absent(const struct emitter *e, int i);
/* Adds what the skeleton of a reduction needs. */
void emit_joins(struct emitter *e);
/* Adds the macros with which a support file is included for functions that join as this kernel does. */
void put_join_macros(struct emitter *e, struct buf *out);
/* The function there that does all that the kernel does; NULL: there is none. */
const char *joining_loop(const struct emitter *e);
/* Adds the sections of this name that the walk of a reduction in C is filled with. */
void emit_walk_part(struct emitter *e, struct buf *out, const char *name, size_t length);

/* slide.c: kernels that slide. */

/* Adds the loop over rows, and where the row of each access begins. */
void emit_rows(struct emitter *e);
/* The bytes of what is kept for later rows. */
size_t slide_bytes(const struct emitter *e);
/* Declares what is kept for later rows, and says where it is in a block. */
void emit_kept(struct emitter *e);
/* The instruction that stands for this one: where rows slide another may compute the same. */
int same_value(const struct emitter *e, int i);
/* For how many rows an operand was kept before this instruction reads it; 0: it is computed in the same turn. */
int rows_before(const struct emitter *e, int i, int operand);
/* Gives what is kept of an instruction's value a name inside the loop, unless it has one. Returns that. */
const char *bring_earlier(struct emitter *e, int i, int rows);
/* Keeps what this turn computed, at the end of the loop. Its values have names. */
void put_for_later(struct emitter *e);

/* body.c: what is computed. */

/* A literal as exact C. */
const char *literal_code(struct emitter *e, int index);
/* The same as the text has it, or nearly. */
const char *literal_text(struct emitter *e, int index);
/* The same of any value. */
const char *value_code(struct emitter *e, enum weft_dtype dtype, union scalar value);

/* The body of a row's function of a block, where that is more than a loop over the row's meaning, and the name of its
 * section; NULL if it is not. Of 64-bit integers it has _64 behind its name, or serves all integers: T and U are there
 * what they are in meanings. */
const char *own_block(struct emitter *e, const struct ins *ins, size_t *length, const char **name);
/* The function that computes a row on a whole block: its name, how it begins with this name and type, all of it, which
 * goes to the section of blocks. */
const char *block_name(struct emitter *e, const struct ins *ins);
void put_block_head(struct emitter *e, struct buf *out, const struct ins *ins, const char *name, const char *type);
void put_block(struct emitter *e, const struct ins *ins);

/* Adds literal k, which instruction `ins` reads. */
void emit_literal(struct emitter *e, int k, int ins);
/* Gives the value a name inside the loop of this level. */
void bring(struct emitter *e, int i, int level);
/* Adds a value that is computed outside the blocks: once, or once for each row. */
void emit_single(struct emitter *e, int i);
/* Declares the buffers of values that are kept between loops. */
void emit_slots(struct emitter *e);
/* Adds the loops of a block and the calls between them. */
void emit_body(struct emitter *e);

/* put.c: fills the parts of a kernel that puts elements. */
void emit_put(struct emitter *e);

#endif
