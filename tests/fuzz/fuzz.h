/* A fuzzing target as the replay test sees it. */
#ifndef WEFT_FUZZ_H
#define WEFT_FUZZ_H

#include "include/weft/weft.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Tries one input, whose bytes each target explains. Returns the first error that any call on it met, WEFT_OK when
 * everything was accepted. Aborts where an invariant is broken. */
enum weft_status fuzz_one(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
