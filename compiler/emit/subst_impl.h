/* Meanings and helpers as text. Replaces the tokens of ops.def and dialect.h (T U S A B C N M F FN FRACTION; T_m
 * and S_m are the types in memory) and those of templates/kernel/access_*.h. Collects the helpers and library
 * functions that the text calls. */
#ifndef WEFT_COMPILER_EMIT_SUBST_IMPL_H
#define WEFT_COMPILER_EMIT_SUBST_IMPL_H

#include "compiler/emit/emit.h"

struct prototype {
    const char *name;
    enum weft_dtype dtype;
    int arguments;
    bool called;                   /* also where own math takes the place of functions */
};

/* A helper whose text stands in the support file, for the types that a kernel's source names (by_name.c). */
struct named_helper {
    const char *word;              /* names it there, behind WEFT_ */
    enum weft_dtype t, s;          /* its types */
    bool typed, pair;              /* it has a type; it has both */
};

struct subst {
    struct arena *arena;
    bool by_name;                  /* helpers are named, not defined */
    struct named_helper *named;
    int named_count;
    const struct target *target;
    const char *first;             /* the section in which helpers are looked up first; NULL: none */
    struct buf helpers;            /* definitions, each after those it calls */
    struct defined_names names;        /* what is defined already */
    bool has_math;                 /* the types and macros of own library functions are among the helpers */
    struct prototype *prototypes;
    int prototype_count;
    bool replaced;                 /* what is added calls them only where there is no own math */
};

/* What the tokens are replaced by. N(..) is looked up in `section`. */
struct tokens {
    const char *section;
    enum weft_dtype t, s;          /* the types T and S */
    bool pair;                     /* S has a meaning, and F is for S */
    bool memory;                   /* T means the type in memory */
    const char *a[3];              /* A, B and C; NULL: not replaced */
    int number, first;             /* $ and @ in the text of an access */
    const char *choice;            /* CHOICE in the text of an access; NULL: its number */
    const char *name;              /* NAME in the text of an access; NULL: NAME, VALUE, LOAD(x), $ and @ are not
                                      replaced */
};

void subst_init(struct subst *subst, struct arena *arena, const struct target *target);
/* Adds `length` bytes of `text` with its tokens replaced. */
void subst_text(struct subst *subst, struct buf *out, const char *text, size_t length,
                const struct tokens *tokens);
/* Adds what own library functions begin with. again: the text has it more than once. */
void subst_math_head(struct subst *subst, struct buf *out, bool again);
/* Defines a helper unless it is defined already, as N(name), or M(name) for a pair, in a text would. */
void subst_helper(struct subst *subst, const char *name, const struct tokens *tokens, bool pair);
/* Adds a helper to those that are named. tokens NULL: it has no type. */
void subst_name(struct subst *subst, const char *word, const struct tokens *tokens);
/* The unsigned type that U stands for beside T. */
const char *subst_unsigned(enum weft_dtype dtype);
/* by_name.c: adds the inclusions of the support file that define what is named. */
void subst_put_named(struct buf *out, const struct subst *subst, const char *file);
/* The word that names a helper of a section. */
const char *helper_word(struct arena *arena, const char *section, const char *name);
/* Notes the name of a function. False if it was noted before. */
bool subst_is_new(struct subst *subst, const char *name);
/* Adds, each once, the parts that the marker line in front of this section of the math names, and what all need. */
void subst_parts(struct subst *subst, const char *own);
/* Adds `length` bytes of a text, in which OWN(name) marks what it defines: becomes the name, which is noted. */
void subst_own(struct buf *out, const char *text, size_t length, struct defined_names *names);

/* The text of `name` in `section` of a template; *length becomes its length. NULL if there is none. */
const char *subst_find(const char *text, const char *section, const char *name, size_t *length);

#endif
