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

/* What is read at a position outside a dimension of n elements (rule 10.1). */
enum edge {
    EDGE_VALUE,                    /* a value */
    EDGE_CLAMP,                    /* the nearest element */
    EDGE_WRAP,                     /* the element at the position modulo n */
    EDGE_SYMMETRIC,                /* the elements backwards, then forwards again, with the last and the first twice */
    EDGE_REFLECT                   /* the same with the last and the first once */
};
