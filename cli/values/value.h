/* A value of the command line: a literal of the language, a file, a .npy on standard input, or a
 * batch: an .npz, a directory or a pattern.
 *
 * A file is read in two steps: value_open reads the header, value_load the data. So types, shapes and available
 * memory are checked before the long part begins. */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "cli/files/files.h"
#include "cli/options/options.h"

/* Where data that are not loaded yet come from. */
enum value_source { VALUE_READY, VALUE_FILES, VALUE_ARCHIVE, VALUE_ENTRY };

/* One tensor, or the samples of a batch, which have one dtype and one rank. */
struct value {
    const char *text; /* the argument's, what it was made from; NULL: a result */
    enum value_source source;
    bool batch;
    size_t alignment; /* data are made row-major and aligned so as they are loaded; 0: they stay as they are */
    int count; /* 1 for a tensor */
    bool truth; /* of a result: as in struct weft_tensor_info */
    struct tensor *samples;
    const char **paths; /* what messages call each sample, and where VALUE_FILES lie */
    const int *places;  /* of a batch from files: which of all its samples each is; of an archive, which array */
    int whole;          /* how many these are, with those that were left out */
    bool keep_going;    /* samples that cannot be read, or do not fit the first, are left out */
    bool failed;        /* some could not be read, which ended the work */
    const char **keys;  /* what outputs call each sample, or which array of an archive VALUE_ENTRY is; else NULL */
};

enum literal { LITERAL_READ, LITERAL_BAD, LITERAL_NONE };

/* Reads a literal of the language and converts it to dtype `wanted` as a cast does; WEFT_DTYPE_COUNT: keeps its own
 * dtype. `number`: a single value becomes int64, uint64, float64 or bool, in which it is exact. BAD: the literal has an
 * error, which was reported. NONE: the text is no literal; *errors says why and is the caller's to release. */
enum literal value_literal(struct report *report, const char *text, enum weft_dtype wanted, bool number,
                           struct weft_error **errors, struct value *value);

/* Whether text is a pattern that some file matches. */
bool value_is_pattern(const char *text);
/* Leaves a batch the samples that are `kept`. */
void value_keep(struct pool *pool, struct value *value, const bool *kept);
/* Opens anything but a literal; value->keep_going is the caller's. Fills dtype, rank, shape and layout of every
 * sample; a pipe, which cannot be read twice, is read completely. If there is no such file, `errors` may say why the
 * text is no literal. `text` points into an argument; `threads` as in struct work. */
bool value_open(struct report *report, const char *text, int threads, const struct weft_error *errors,
                struct value *value);
/* Data are row-major from now on, and aligned as given in bytes. */
bool value_make_dense(struct report *report, struct value *value, size_t alignment);
/* Reads the data. */
bool value_load(struct report *report, struct value *value, int threads);
void value_finish(struct value *value);

/* The samples of a batch that is not loaded, one after the other, from any threads. NULL after a diagnostic. */
struct samples *samples_open(struct report *report, struct value *value);
/* Sample `index`, which is the caller's to finish. It is an error if it no longer fits its outline. */
bool samples_read(struct report *report, struct samples *samples, int index, struct tensor *tensor);
/* NULL is fine. */
void samples_close(struct samples *samples);

/* For the library: without a name, and with the data pointers as they are now. */
struct weft_argument value_argument(struct pool *pool, const struct value *value);
/* The bytes that value_load will allocate, for all samples and for one. */
double value_pending(const struct value *value);
double value_sample_pending(const struct value *value, int index);
/* The bytes of all samples, and of one; a shape whose size overflows counts as SIZE_MAX. */
double value_bytes(const struct value *value);
double value_sample_bytes(const struct value *value, int index);

#endif
