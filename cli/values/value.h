/* A value of the command line: a literal of the language, a file, a .npy on standard input, or a
 * batch: an .npz, a directory or a pattern.
 *
 * A file is read in two steps, so that types, shapes and the memory there is are looked at before
 * the long part begins: value_open reads headers, value_load the data. */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "cli/files/files.h"
#include "cli/options/options.h"

/* Where the data that are not there yet come from. */
enum value_source { VALUE_READY, VALUE_FILES, VALUE_ARCHIVE };

/* One tensor, or the samples of a batch, which have one dtype and one rank. */
struct value {
    const char *text; /* the argument's, what it was made from; NULL: a result */
    enum value_source source;
    bool batch;
    int count; /* 1 for a tensor */
    struct tensor *samples;
    const char **paths; /* what messages call each sample, and where VALUE_FILES lie */
    const char **keys;  /* what outputs call each sample; NULL for a tensor */
};

enum literal { LITERAL_READ, LITERAL_BAD, LITERAL_NONE };

/* A literal of the language, converted to dtype `wanted` as a cast does, or of its own where that is
 * WEFT_DTYPE_COUNT. BAD: one that is wrong, which is then reported. NONE: it is none, and *errors, the caller's,
 * says why. */
enum literal value_literal(struct report *report, const char *text, enum weft_dtype wanted,
                           struct weft_error **errors, struct value *value);

/* Whether text is a pattern that some file matches. */
bool value_is_pattern(const char *text);
/* Anything but a literal, which `errors` say, should nothing else be there. dtype, rank, shape and layout of every sample are filled; what cannot be
 * read twice, as a pipe, is read. `text` points into an argument; `threads` as in struct work. */
bool value_open(struct report *report, const char *text, int threads, const struct weft_error *errors,
                struct value *value);
/* The data. Whoever opened it finishes it. */
bool value_load(struct report *report, struct value *value, int threads);
void value_finish(struct value *value);

/* For the library, with the data pointers of this moment; a name is the caller's to add. */
struct weft_argument value_argument(struct pool *pool, const struct value *value);
/* The bytes that value_load will allocate. */
double value_pending(const struct value *value);
/* The bytes of all samples. */
double value_bytes(const struct value *value);

#endif
