/* The fuzzing target as the replay test sees it. */
#ifndef WEFT_FUZZ_H
#define WEFT_FUZZ_H

#include "include/weft/weft.h"
#include "compiler/parse/parse.h"

/* The first error any call on the input met, WEFT_OK when everything was accepted. The first two
 * bytes choose the inputs' dtypes and shapes, the rest is the text. Aborts where an invariant of
 * the library is broken. */
enum weft_status fuzz_one(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
