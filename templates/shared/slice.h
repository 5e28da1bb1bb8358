/* Python's slices, as the library and ahead-of-time sources both know them; slice.c has the function. Before
 * it: int64_t. */

//: slices
/* start:stop:step as written; the step is not 0. */
struct slice {
    int64_t start, stop, step;
    unsigned char has_start, has_stop;
};
