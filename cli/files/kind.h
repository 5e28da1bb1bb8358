/* The kinds of files the command reads and writes, told by extension or by content. */
#ifndef WEFT_CLI_KIND_H
#define WEFT_CLI_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* KIND_TEXT is what weft build makes: bytes as they are. */
enum kind { KIND_NPY, KIND_NPZ, KIND_PNG, KIND_JPEG, KIND_PNM, KIND_UNKNOWN, KIND_TEXT };

/* For messages. messages.def and options.def list the kinds, too. */
#define KINDS ".npy, .npz, .png, .jpg and .ppm"

/* From the extension of the last part of a path, in either case. *extension is where it starts, at
 * its dot, NULL when there is none (a leading dot starts no extension). */
enum kind kind_of_path(const char *path, const char **extension);
/* From the first bytes of a file. */
enum kind kind_of_content(const unsigned char *bytes, size_t size);
/* The extension most used, with its dot; NULL for KIND_UNKNOWN. Static storage. */
const char *kind_extension(enum kind kind);
/* Whether it is one of pictures. */
bool kind_is_picture(enum kind kind);

#endif
