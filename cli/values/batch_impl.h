/* Many files, or the arrays of an archive, as one value. */
#ifndef WEFT_CLI_BATCH_H
#define WEFT_CLI_BATCH_H

#include "cli/values/value.h"

/* The files that match a pattern, in bytewise order; *count is 0 when none does. Names that begin
 * with a dot match a dot alone. False after a diagnostic. */
bool batch_glob(struct report *report, const char *pattern, const char ***paths, int *count);
/* The files of a directory, but those whose names begin with a dot. */
bool batch_directory(struct report *report, const char *path, const char ***paths, int *count);

/* Outlines of value->count files: paths and source are set. A batch's samples must agree. */
bool batch_outline_files(struct report *report, struct value *value, int threads);
/* Outlines of all arrays of an archive. */
bool batch_outline_archive(struct report *report, const char *path, struct value *value);
/* The data behind the outlines, which they must still fit. */
bool batch_load(struct report *report, struct value *value, int threads);

#endif
