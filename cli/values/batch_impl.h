/* Many files, or the arrays of an archive, as one value. */
#ifndef WEFT_CLI_BATCH_H
#define WEFT_CLI_BATCH_H

#include "cli/values/value.h"

/* The files that match a pattern, in bytewise order; *count is 0 if there are none. As in a shell, only a dot matches
 * a leading dot. False after a diagnostic. */
bool batch_glob(struct report *report, const char *pattern, const char ***paths, int *count);
/* The files of a directory, except those whose names begin with a dot. */
bool batch_directory(struct report *report, const char *path, const char ***paths, int *count);

/* Takes out files that are no samples, for what they are or are called, with a note. False after a diagnostic: none is
 * left. */
bool batch_skip(struct report *report, struct value *value);

/* Reads the headers of value->count files, whose paths and source are set. The samples of a batch must agree. */
bool batch_outline_files(struct report *report, struct value *value, int threads);
/* Reads the headers of all arrays of an archive. */
bool batch_outline_archive(struct report *report, const char *path, struct value *value);
/* Reads the data. It is an error if they no longer fit the headers. */
bool batch_load(struct report *report, struct value *value, int threads);

#endif
