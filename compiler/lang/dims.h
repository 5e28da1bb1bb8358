/* Named dimensions (section 8): what a type says of them, and their text. */
#ifndef WEFT_COMPILER_LANG_DIMS_H
#define WEFT_COMPILER_LANG_DIMS_H

#include "compiler/base/base.h"

#include <stdint.h>

/* The kinds in the order in which merged dimensions are sorted (rule 8.5). */
enum dim_kind { DIM_BATCH, DIM_INSTANCE, DIM_SPATIAL, DIM_CHANNEL, DIM_KIND_COUNT };

struct dim {
    const char *name;
    enum dim_kind kind;            /* DIM_KIND_COUNT: not written, where that is allowed */
    int64_t extent;                /* as in struct type, as far as the text tells; that of labels is their number */
    const char *const *labels;     /* NULL: none */
    int label_count;
    struct span span;
};

/* The dimensions of a named value, in their order. Never changed once made. */
struct dims {
    int rank;
    const struct dim *items;
};

/* The position of a name; -1 if it is none of them. */
int dims_find(const struct dims *dims, const char *name);
/* The kind of this word or letter; DIM_KIND_COUNT if there is none. dim_kind_of_word takes words alone. */
enum dim_kind dim_kind_find(const char *text);
enum dim_kind dim_kind_of_word(const char *text);
const char *dim_kind_word(enum dim_kind kind);
/* Whether a word of the language is no name of a dimension (rule 8.1). */
bool dim_name_is_word(const char *name);
/* Whether two dimensions with labels have the same ones in the same order. */
bool dim_labels_equal(const struct dim *a, const struct dim *b);
/* The position of a label; -1 if there is none. */
int dim_find_label(const struct dim *dim, const char *label);

/* Prints labels as "(u,v)", in quotes where one is no name; at most `most` of them, in whose middle stands "..". */
void dim_put_labels(struct buf *buf, const struct dim *dim, int most);
/* Prints dimensions as "(b:b, x:s=4, vector:c=(u,v))", with these extents where they are numbers or size variables of
 * the program; NULL: those of `dims`. */
struct program;
void dims_put(struct buf *buf, const struct program *program, const struct dims *dims, const int64_t *extents,
              int labels);

#endif
