/* The reference evaluator of whole programs: every node of a formula on every element, one after the
 * other, each kept in memory in its own type. It shares with the compiler the meaning of a row on single
 * values (compiler/lang/eval.h, itself compared with MPFR in tests/diff) and nothing else: no lowering, no
 * folding, no fusing. */
#ifndef WEFT_EVALUATE_H
#define WEFT_EVALUATE_H

#include "tests/random/trial.h"

struct evaluation {
    struct extents shapes[FORMULA_NODES];
    union scalar *values[FORMULA_NODES];   /* row-major; literals and arrays in their own dtype */
    int place;                     /* of the first operator that divided by zero where used; -1 */
    bool perhaps[FORMULA_NODES];   /* divided by zero where a remark is free: for an element of a reduction that only a
                                      selection leaves out */
};

/* The first node, in order, whose value a run told and which is out of its row's bound. */
struct deviation {
    int node;                      /* -1: none */
    int64_t element;
    double ulp;
};

/* Evaluates one sample. `told[node]` holds what a run computed for nodes with formula_is_told: it is
 * compared with the row's value on the same operands, and what follows goes on from it; where it is NULL
 * the row's own value is taken. `results` are those that count for the place of a division by zero. */
void evaluate(const struct trial *trial, struct arena *arena, int sample,
              union scalar *const *told, struct evaluation *evaluation,
              struct deviation *deviation);
/* Rule 4.4: sets evaluation->place, for a run of these nodes as results. */
void evaluate_place(const struct trial *trial, struct arena *arena, const int *results, int count,
                    struct evaluation *evaluation);
/* A node's element in the type that a result has: as a cast, or as it meets its own. */
union scalar evaluate_result(const struct trial *trial, const struct evaluation *evaluation,
                             int result, int64_t element);

#endif
