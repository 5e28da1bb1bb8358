/* on_gpu PROGRAM [ARGUMENT...]: runs the program on the GPU, by WEFT_TARGET=cuda in its environment. Where
 * there is none: says which call said so, and ends with 77. */
#include "tests/gpu/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "usage: on_gpu PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    gpu_needed();
    setenv("WEFT_TARGET", "cuda", 1);
    execvp(words[1], words + 1);
    fprintf(stderr, "%s: %s\n", words[1], strerror(errno));
    return 127;
}
