/* Calls of weft_run without an interpreter in between, for gpu.py. */
#include <time.h>

typedef int run_function(void *program, const void *params, void *error);

/* Seconds that so many calls took on the host; negative when one failed. */
double calls(run_function *run, void *program, const void *params, long count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; i++)
        if (run(program, params, 0) < 0)
            return -1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}
