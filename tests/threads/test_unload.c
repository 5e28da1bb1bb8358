/* dlopen, a run on threads, dlclose, and the same again: the library is gone then, so its threads must have ended, and
 * a fork must not call a handler of it. argv[1]: the library's file. */
#include "include/weft/weft.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_UP(handle, name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(handle, #name)

static int64_t shape[] = {2000000};
static float *in, *out;

static int use(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle)
        return puts(dlerror());
    LOOK_UP(handle, weft_context_create);
    LOOK_UP(handle, weft_compile);
    LOOK_UP(handle, weft_run);
    LOOK_UP(handle, weft_program_destroy);
    LOOK_UP(handle, weft_context_destroy);
    const struct weft_context_params params = {.threads = 2};
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    DLTensor x = {.data = in, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor r = x;
    r.data = out;
    struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
    const struct weft_run_params run = {&input, 1, &output, 1, NULL};
    int wrong = p_weft_context_create(&params, &context, NULL) != WEFT_OK ||
                p_weft_compile(context, "x + 1", NULL, &program, NULL) != WEFT_OK ||
                p_weft_run(program, &run, NULL) != WEFT_OK || out[shape[0] - 1] != 1;
    p_weft_program_destroy(program);
    p_weft_context_destroy(context);
    return wrong | dlclose(handle) | (dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL);
}

int main(int argc, char **argv)
{
    int status = 1;
    in = calloc((size_t)shape[0], sizeof *in);
    out = calloc((size_t)shape[0], sizeof *out);
    if (argc != 2 || !in || !out || use(argv[1]))
        return 1;
    usleep(50000);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        _exit(use(argv[1]) != 0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    int again = use(argv[1]);
    free(in);
    free(out);
    return again != 0;
}
