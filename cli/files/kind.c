/* See kind.h. */
#include "cli/files/kind.h"

#include <string.h>
#include <strings.h>

/* The most common extension of a kind comes first. */
static const struct {
    const char *extension;
    enum kind kind;
} extensions[] = {{".npy", KIND_NPY},   {".npz", KIND_NPZ}, {".png", KIND_PNG}, {".jpg", KIND_JPEG},
                  {".jpeg", KIND_JPEG}, {".ppm", KIND_PNM}, {".pgm", KIND_PNM}, {".pnm", KIND_PNM}};

static const struct {
    const char *bytes;
    size_t size;
    enum kind kind;
} magics[] = {{"\x93NUMPY", 6, KIND_NPY},
              {"PK", 2, KIND_NPZ},
              {"\x89PNG", 4, KIND_PNG},
              {"\xff\xd8\xff", 3, KIND_JPEG}};

enum kind kind_of_path(const char *path, const char **extension)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    *extension = dot && dot > base ? dot : NULL;
    for (size_t i = 0; *extension && i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(*extension, extensions[i].extension) == 0)
            return extensions[i].kind;
    return KIND_UNKNOWN;
}

const char *kind_extension(enum kind kind)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (extensions[i].kind == kind)
            return extensions[i].extension;
    return NULL;
}

/* "P6" and white space or a comment; the reader says which of P1 to P7 it cannot read. */
static bool is_pnm(const unsigned char *bytes, size_t size)
{
    return size > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' && bytes[2] &&
           strchr(" \t\r\n#", bytes[2]);
}

enum kind kind_of_content(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].size && memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
            return magics[i].kind;
    return is_pnm(bytes, size) ? KIND_PNM : KIND_UNKNOWN;
}

bool kind_is_picture(enum kind kind)
{
    return kind == KIND_PNG || kind == KIND_JPEG || kind == KIND_PNM;
}
