/* Python's slices, as the library and ahead-of-time sources both know them; slice.c has the function. Before
 * it: int64_t. */

//: slices
/* start:stop:step as written; the step is not 0. */
struct slice {
    int64_t start, stop, step;
    unsigned char has_start, has_stop;
    unsigned char open;            /* ahead of time: a bit for each of the numbers that a call decides, in the order
                                      above, which then is the place of its value among those of the call; else 0 */
};
