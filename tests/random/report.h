/* What programs were made of: the proof that a run met every row on every type. */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include "tests/random/execute.h"

struct tally {
    uint64_t programs, nodes, results, elements, in_place, kernels, views, batches;
    uint64_t verdicts[VERDICT_COUNT];
    uint64_t rows[OP_COUNT][WEFT_DTYPE_COUNT];              /* by the type operands are converted to */
    uint64_t casts[WEFT_DTYPE_COUNT][WEFT_DTYPE_COUNT];     /* from, to */
    uint64_t reductions[REDUCTION_COUNT][WEFT_DTYPE_COUNT]; /* by the promoted type of the operands */
    uint64_t view_kinds[VIEW_KINDS];
    uint64_t reducing;             /* programs with reductions */
    uint64_t wraps[WEFT_DTYPE_COUNT][WEFT_DTYPE_COUNT];
    uint64_t ranks[FORMULA_RANK + 1];
    uint64_t sizes[8];             /* programs with up to 1, 2, 4, .. operations */
};

void tally_add(struct tally *tally, const struct trial *trial, enum verdict verdict);
void tally_join(struct tally *into, const struct tally *more);
/* Prints the table, or only what is missing when `quiet`. False when the run was large and a row or a
 * reduction never met a class of types that it has a meaning for (from 1,500 programs on), or a type (from
 * 20,000 on), when a kind of view was not met (from 1,500 on), or when more than one program in a hundred
 * was skipped. */
bool tally_print(const struct tally *tally, bool quiet);

#endif
