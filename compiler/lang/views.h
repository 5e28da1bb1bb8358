/* The views (section 7): the rows of grammar/views.def as data. */
#ifndef WEFT_COMPILER_LANG_VIEWS_H
#define WEFT_COMPILER_LANG_VIEWS_H

#include "compiler/lang/program.h"

/* A row of views.def. */
struct view_row {
    const char *name;
    const char *parameters;        /* separated by spaces */
    const char *kinds;             /* a letter for each parameter */
    int required;
    enum node_kind node;           /* of the nodes that calls become */
    const char *signature, *doc;
};

extern const struct view_row view_rows[VIEW_KIND_COUNT];

/* The view of this name; VIEW_KIND_COUNT if there is none. */
enum view_kind view_find(const char *name);

/* Whether it is random or random_normal, whose positions are numbers of elements or of samples. */
static inline bool view_is_random(enum view_kind kind)
{
    return kind == VIEW_RANDOM || kind == VIEW_RANDOM_NORMAL;
}

/* Whether each node depends on an input that is a batch, [node_count]. `batches`: [input_count] which inputs are. */
bool *program_batched(struct arena *arena, const struct program *program, const bool *batches);

/* Says what is wrong with the set of arguments given (rule 7.3). Returns NULL when they go together. If two conflict,
 * sets `places` to their spans and *count to 2; if one is missing, leaves both unchanged. */
const char *view_conflict(const struct view_args *args, struct span places[2], int *count);

/* The edge that a mode's word means; EDGE_VALUE: it is none. And the word. */
enum edge mode_find(const char *word);
const char *mode_word(enum edge edge);

/* What scatter does by this word; PUT_COUNT: it is none. The word, and the row that joins; OP_COUNT: none does. */
enum put put_find(const char *word);
const char *put_mode_word(enum put put);
enum op put_op(enum put put);

/* A selection by a mask, x[m], in the text: spans of the operand and of the item, and how both are shown. */
struct masked {
    const struct source *source;
    struct span operand, item;
    const char *value, *mask;
    bool named;                    /* the operand has named dimensions, of which nonzero takes none */
};

/* What a mask as an item is, and what to write instead, which in a reduction depends on it. */
const char *view_mask_advice(struct arena *arena, const struct masked *masked);

#endif
