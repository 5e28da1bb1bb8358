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
    const char *signature, *doc;
};

extern const struct view_row view_rows[VIEW_KIND_COUNT];

/* Whether the row is one of positions, whose nodes are NODE_POSITION. */
static inline bool view_is_position(enum view_kind kind)
{
    return kind == VIEW_INDEX || kind == VIEW_ARANGE || kind == VIEW_LINSPACE;
}

/* Whether the row is of two or more values, and its nodes are NODE_JOIN. */
static inline bool view_is_join(enum view_kind kind)
{
    return kind == VIEW_CONCAT || kind == VIEW_STACK;
}

/* The kind of the nodes that the row's calls become. */
static inline enum node_kind view_node_kind(enum view_kind kind)
{
    return view_is_position(kind) ? NODE_POSITION
           : view_is_join(kind)   ? NODE_JOIN
           : kind == VIEW_TAKE    ? NODE_TAKE
                                  : NODE_VIEW;
}

/* The view of this name; VIEW_KIND_COUNT if there is none. */
enum view_kind view_find(const char *name);

/* Says what is wrong with the set of arguments given (rule 7.3). Returns NULL when they go together. If two conflict,
 * sets `places` to their spans and *count to 2; if one is missing, leaves both unchanged. */
const char *view_conflict(const struct view_args *args, struct span places[2], int *count);

/* What a mask as an item is, and what to write instead. */
const char *view_mask_advice(struct arena *arena, const char *mask, const char *operand);

#endif
