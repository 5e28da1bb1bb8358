/* filter warm | contrast GAIN: a picture (binary PPM, 8 bits) from stdin to stdout, through a kernel. */
#include "generated/contrast.h"
#include "warm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    int width, height;
    uint8_t *pixels;               /* [height][width][3] */
};

static int failed(const char *what)
{
    fprintf(stderr, "filter: %s\n", what);
    return 1;
}

/* The extents of the kernel's declaration are arguments, and checked; it writes into the picture itself. */
static int run(int argc, char **argv, const struct picture *picture)
{
    static const float middle[3] = {128, 128, 128};
    uint8_t *pixels = picture->pixels;
    if (argc == 2 && strcmp(argv[1], "warm") == 0)
        return warm(pixels, picture->height, picture->width, pixels) ? failed(warm_note()->text) : 0;
    if (argc == 3 && strcmp(argv[1], "contrast") == 0)
        return contrast(pixels, middle, strtof(argv[2], NULL), picture->height, picture->width, pixels)
                   ? failed(contrast_note()->text) : 0;
    return failed("usage: filter warm | contrast GAIN <in.ppm >out.ppm");
}

int main(int argc, char **argv)
{
    struct picture picture;
    if (scanf("P6 %d %d 255", &picture.width, &picture.height) != 2 || getchar() == EOF ||
        picture.width <= 0 || picture.height <= 0 || picture.width > 100000 || picture.height > 100000)
        return failed("this is no binary PPM of 8 bits");
    const size_t size = (size_t)picture.width * (size_t)picture.height * 3;
    picture.pixels = malloc(size);
    int bad = !picture.pixels || fread(picture.pixels, 1, size, stdin) != size ? failed("the picture is cut off") : 0;
    if (!bad && !(bad = run(argc, argv, &picture))) {
        printf("P6\n%d %d\n255\n", picture.width, picture.height);
        bad = fwrite(picture.pixels, 1, size, stdout) != size || fflush(stdout) != 0 ? failed("cannot write") : 0;
    }
    free(picture.pixels);
    return bad;
}
