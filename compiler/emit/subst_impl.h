/* Meanings and helpers as text: replaces the tokens of ops.def and dialect.h (T U S A B C N M F FN FRACTION;
 * T_m and S_m are the types in memory) and those of templates/kernel/access_c.h, and collects the helpers and library
 * functions that the text calls. */
#ifndef WEFT_SUBST_H
#define WEFT_SUBST_H

#include "compiler/emit/emit.h"

struct prototype {
    const char *name;
    enum weft_dtype dtype;
    int arguments;
};

struct subst {
    struct arena *arena;
    const struct target *target;
    struct buf helpers;            /* definitions, each after those it calls */
    const char **names;            /* helpers defined already */
    int name_count;
    struct prototype *prototypes;
    int prototype_count;
};

/* What the tokens stand for. `section` is where N(..) is looked up. */
struct tokens {
    const char *section;
    enum weft_dtype t, s;          /* of T and S */
    bool pair;                     /* S means something: F is for S */
    bool memory;                   /* T is the type in memory */
    const char *a[3];              /* A, B, C; NULL: not replaced */
    int number;                    /* $, in the text of an access, and its */
    const char *name;              /* NAME, VALUE, LOAD(x); NULL: not replaced */
};

void subst_init(struct subst *subst, struct arena *arena, const struct target *target);
void subst_text(struct subst *subst, struct buf *out, const char *text, size_t length,
                const struct tokens *tokens);
/* Makes sure a helper is defined, as N(name), or for a pair M(name), in a text would. */
void subst_helper(struct subst *subst, const char *name, const struct tokens *tokens);

/* The text of `name` in `section` of a template, and its length; NULL: there is none. */
const char *subst_find(const char *text, const char *section, const char *name, size_t *length);

#endif
