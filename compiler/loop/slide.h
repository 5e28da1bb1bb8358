/* Kernels that slide down a tensor: where each row of the result reads several neighbouring rows, as those of a 5 x 5
 * do, a turn of the loop reads one new row and computes all that it gives to this row of the result and to those that
 * come before and after it. What is begun goes on from row to row. So an element is loaded once for each place along
 * the row, not once for each of k, and a product that two rows of the result want is computed once. Each value is
 * still computed by the same operations in the same order, so bits are the same. */
#ifndef WEFT_COMPILER_LOOP_SLIDE_H
#define WEFT_COMPILER_LOOP_SLIDE_H

#include "compiler/loop/evaluation.h"
#include "compiler/loop/geometry.h"

struct slide {
    int rows;                      /* of the loop before a row of the result, in which it is begun; 0: none slide */
    int *stage;                    /* [ins] in which of these rows, from 0 on, the value is computed; at last `rows` */
    int *same;                     /* [ins] the first instruction that computes the same in that turn; often itself */
    int *kept;                     /* [ins] for how many turns the value is kept, in memory */
    int bytes;                     /* of all that is kept of one element */
};

/* Finds what a kernel whose loads lie so (struct near) computes when. Returns false where it cannot slide: then
 * slide->rows is 0. */
bool find_slide(struct arena *arena, const struct kernel *kernel, const struct near *near,
                const struct evaluation *evaluation, struct slide *slide);
/* Changes the order of evaluation so that what a load gives to all sums comes before the next load: few values are in
 * registers then. */
void order_slide(struct arena *arena, const struct kernel *kernel, const struct near *near, const struct slide *slide,
                 struct evaluation *evaluation);
/* Lets the loads of a kernel slide, where that is worth it: changes near and kinds. Returns how many rows a tile should
 * have, since the first ones of each are begun for it alone; 0: nothing slides. */
int64_t slide_rows(struct arena *arena, const struct kernel *kernel, struct geometry *g);

#endif
