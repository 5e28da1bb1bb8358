/* See slice.h. */
#include "compiler/lang/slice.h"

#define SHARED
#include "templates/shared/slice.c"
