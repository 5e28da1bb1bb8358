/* Which threads a run may use; see threads.h. */
#include "runtime/base/threads.h"

#include "runtime/base/forklock.h"
#include "runtime/base/pool.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* omp_in_parallel of the OpenMP that the process uses; 0: none was found yet. */
static atomic_uintptr_t in_parallel;

/* The library itself does not use OpenMP. A host may, and then all processors have work inside its parallel regions.
 * A library that is found stays loaded, as OpenMP's must anyway. */
static void find_openmp(void)
{
    static const char *const names[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so"};
    load_begin();
    void *found = dlsym(RTLD_DEFAULT, "omp_in_parallel");
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, "omp_in_parallel") : NULL;
    }
    load_end();
    atomic_store(&in_parallel, (uintptr_t)found);
}

static bool inside_openmp(void)
{
    uintptr_t found = atomic_load(&in_parallel);
    return found && ((int (*)(void))found)();
}

int processors(bool allowed)
{
    cpu_set_t set;
    long count = allowed && sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                                        : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

/* The first number of OMP_NUM_THREADS, which may be a list, one for each level of nesting; 0: there is none. */
static int first_number(const char *list)
{
    long number = list ? strtol(list, NULL, 10) : 0;
    return number < 0 || number > INT_MAX ? 0 : (int)number;
}

void threads_init(struct threads *threads, const struct weft_context_params *params, const char *openmp)
{
    int asked = params->threads || params->parallel_for ? params->threads : first_number(openmp);
    if (!atomic_load(&in_parallel))
        find_openmp();
    *threads = (struct threads){.most = asked ? asked : processors(!params->parallel_for),
                                .parallel_for = params->parallel_for, .user = params->parallel_user,
                                .forks = pool_forks()};
}

/* After a fork the host's threads may be gone, unless the context was made after it. As to our own, children of one
 * parent would each take as many as there are processors. */
int threads_most(const struct threads *threads)
{
    if (threads->most == 1 || threads->forks != pool_forks())
        return 1;
    return !threads->parallel_for && inside_openmp() ? 1 : threads->most;
}

void threads_run(const struct threads *threads, int count, int wake, void (*task)(void *data, int index), void *data)
{
    if (count == 1)
        task(data, 0);
    else if (threads->parallel_for)
        threads->parallel_for(threads->user, count, task, data);
    else
        pool_run(&(struct pool_call){count, threads->most, wake, task, data});
}
