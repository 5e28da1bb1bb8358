/* See file.h. */
#include "cli/files/file.h"

#include "cli/files/npy.h"
#include "cli/files/picture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Compares the kind in the name with the content. A pipe can be read only once, so it is .npy if its name does not
 * say otherwise. */
static bool sniff(struct report *report, const char *path, FILE *file, enum kind *kind)
{
    unsigned char bytes[8];
    ssize_t size = pread(fileno(file), bytes, sizeof bytes, 0);
    enum kind content = size < 0 ? KIND_NPY : kind_of_content(bytes, (size_t)size);
    if (*kind == KIND_UNKNOWN && content == KIND_UNKNOWN)
        return REPORT_FILE(report, path, NO_CONTENT,
                           size ? "its content is of no known kind" : "it is empty");
    if (*kind != KIND_UNKNOWN && content != KIND_UNKNOWN && size >= 0 && content != *kind)
        return REPORT_FILE(report, path, WRONG_KIND, kind_extension(*kind),
                           kind_extension(content));
    if (*kind == KIND_NPZ && size == 0)
        return REPORT_FILE(report, path, BAD_NPZ, "it is empty");
    if (*kind == KIND_UNKNOWN)
        *kind = content;
    return true;
}

static FILE *open_file(struct report *report, const char *path, enum kind *kind)
{
    const char *extension;
    FILE *file = fopen(path, "re");
    if (!file)
        REPORT_FILE(report, path, FILE_ERROR, "read it", strerror(errno));
    *kind = kind_of_path(path, &extension);
    if (!file || sniff(report, path, file, kind))
        return file;
    fclose(file);
    return NULL;
}

bool file_kind(struct report *report, const char *path, enum kind *kind)
{
    FILE *file = open_file(report, path, kind);
    if (file)
        fclose(file);
    return file;
}

bool file_read(struct report *report, const char *path, struct tensor *tensor)
{
    enum kind kind;
    bool done;
    FILE *file = open_file(report, path, &kind);
    if (!file)
        return false;
    if (kind == KIND_NPZ)
        done = REPORT_FILE(report, path, BATCH_MEMBER, "it is a .npz, a batch of its own", "");
    else if (kind == KIND_NPY)
        done = npy_read(report, path, fileno(file), tensor);
    else
        done = (kind == KIND_JPEG  ? picture_read_jpeg
                : kind == KIND_PNM ? picture_read_pnm
                                   : picture_read_png)(report, path, file, tensor);
    fclose(file);
    return done;
}
