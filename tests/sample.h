/* Which part of its cases a test tries. A setting is the number in an environment variable, or one for each layer
 * of the tests: `quick/again/usual/full`, as 40/20/8/1, of which WEFT_LAYER names one. Without WEFT_LAYER it is the
 * last, all there is. tests/meson.build sets both. */
#ifndef WEFT_SAMPLE_H
#define WEFT_SAMPLE_H

#include <stdbool.h>

/* The number of this layer; a text of fewer numbers goes on with its last. */
long sample_number(const char *text);
/* The same of an environment variable, `otherwise` where it is not set. */
long sample_setting(const char *name, long otherwise);

/* Of a test's cases, numbered 0, 1, .., one in WEFT_SHARE is tried, and the process says at its end how many were
 * left out. WEFT_CASE=n tries case n alone. A loop over two tables covers both when its cases are numbered by
 * sample_pair. */
bool sample_chosen(long number);

/* A number for case (a, b) of a table of `columns` columns. One in so many, up to the smaller extent, meets every row
 * and every column. */
long sample_pair(long a, long b, long columns);

#endif
