/* Compiles templates/shared/slice.c for the library. Sources made ahead of time carry the same file. */
#include "compiler/lang/slice.h"

#define SHARED
#include "templates/shared/slice.c"
