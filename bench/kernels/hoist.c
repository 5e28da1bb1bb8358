/* The fused loop one would write by hand for exp(row) + exp(column), for hoist.py: once with libmvec's
 * exp declared, once in a file's own words. */
#include <math.h>
#include <stddef.h>

#ifdef VECTOR_EXP
__attribute__((simd("notinbranch"), const)) double exp(double);
#endif

void SUM(size_t n, double *restrict to, const double *restrict row, const double *restrict column)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[i * n + j] = exp(row[j]) + exp(column[i]);
}

/* The same with nothing left for the C compiler to take out of the inner loop. */
void FUSED(size_t n, double *restrict to, const double *restrict row, const double *restrict column)
{
    for (size_t k = 0; k < n * n; k++)
        to[k] = exp(row[k % n]) + exp(column[k / n]);
}
