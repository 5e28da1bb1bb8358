/* The rows of grammar/views.def: the forms of views (section 7). */
#ifndef WEFT_VIEWS_H
#define WEFT_VIEWS_H

#include "compiler/lang/program.h"

/* A row of views.def. */
struct view_row {
    const char *name;
    const char *parameters;        /* separated by spaces */
    const char *kinds;             /* a letter for each parameter */
    int required;
    const char *signature, *doc;
};

extern const struct view_row view_rows[VIEW_FORM_COUNT];

/* VIEW_FORM_COUNT: none. */
enum view_form view_find(const char *name);

/* What is wrong with which arguments are given (rule 7.3), NULL when they go together. `places` become
 * those of arguments that do not, *count how many; they stay where one is missing. */
const char *view_conflict(const struct view_args *args, struct span places[2], int *count);

#endif
