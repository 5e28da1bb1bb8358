/* See kind.h. */
#include "cli/kind.h"

#include <string.h>
#include <strings.h>

struct kind_row {
    const char *extension, *magic;
    size_t magic_size;
};

static const struct kind_row rows[] = {[KIND_NPY] = {".npy", "\x93NUMPY", 6},
                                       [KIND_NPZ] = {".npz", "PK", 2},
                                       [KIND_PNG] = {".png", "\x89PNG", 4}};

enum kind kind_of_path(const char *path, const char **extension)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    *extension = dot && dot > base ? dot : NULL;
    for (int k = 0; *extension && k < KIND_UNKNOWN; k++)
        if (strcasecmp(*extension, rows[k].extension) == 0)
            return (enum kind)k;
    return KIND_UNKNOWN;
}

enum kind kind_of_content(const unsigned char *bytes, size_t size)
{
    for (int k = 0; k < KIND_UNKNOWN; k++)
        if (size >= rows[k].magic_size && memcmp(bytes, rows[k].magic, rows[k].magic_size) == 0)
            return (enum kind)k;
    return KIND_UNKNOWN;
}
