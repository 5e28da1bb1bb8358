/* filter warm | contrast GAIN: a picture (binary PPM, 8 bits) from stdin to stdout. */
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

/* The extents in a kernel's declaration are arguments of its function. A result may be written over the
 * parameter that it is computed from. */
static int run(int argc, char **argv, const struct picture *picture)
{
    static const float middle[3] = {128, 128, 128};
    uint8_t *pixels = picture->pixels;
    const int64_t h = picture->height, w = picture->width;
    if (argc == 2 && strcmp(argv[1], "warm") == 0)
        return warm(pixels, h, w, pixels) ? failed(warm_note()->text) : 0;
    if (argc == 3 && strcmp(argv[1], "contrast") == 0)
        return contrast(pixels, middle, strtof(argv[2], NULL), h, w, pixels)
                   ? failed(contrast_note()->text) : 0;
    return failed("usage: filter warm | contrast GAIN <in.ppm >out.ppm");
}

static bool usable(int extent)
{
    return extent > 0 && extent < 100000;
}

static int change(int argc, char **argv, const struct picture *picture, size_t size)
{
    if (!picture->pixels || fread(picture->pixels, 1, size, stdin) != size)
        return failed("the picture is too large, or cut off");
    if (run(argc, argv, picture))
        return 1;
    printf("P6\n%d %d\n255\n", picture->width, picture->height);
    if (fwrite(picture->pixels, 1, size, stdout) != size || fflush(stdout) != 0)
        return failed("the picture cannot be written");
    return 0;
}

int main(int argc, char **argv)
{
    struct picture picture;
    if (scanf("P6 %d %d 255", &picture.width, &picture.height) != 2 || getchar() == EOF ||
        !usable(picture.width) || !usable(picture.height))
        return failed("this is no binary PPM of 8 bits");
    const size_t size = (size_t)picture.width * (size_t)picture.height * 3;
    picture.pixels = malloc(size);
    const int bad = change(argc, argv, &picture, size);
    free(picture.pixels);
    return bad;
}
