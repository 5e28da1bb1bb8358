/* Header of the room lang: the language as data. Operations, types, views and reductions (the tables in grammar/),
 * their meanings, literals, tokens, and the structs of a program. */
#ifndef WEFT_COMPILER_LANG_LANG_H
#define WEFT_COMPILER_LANG_LANG_H

#include "compiler/lang/dims.h"
#include "compiler/lang/eval.h"
#include "compiler/lang/fast_paths.h"
#include "compiler/lang/fold.h"
#include "compiler/lang/lex.h"
#include "compiler/lang/literal.h"
#include "compiler/lang/ops.h"
#include "compiler/lang/program.h"
#include "compiler/lang/range.h"
#include "compiler/lang/reductions.h"
#include "compiler/lang/rules.h"
#include "compiler/lang/size.h"
#include "compiler/lang/slice.h"
#include "compiler/lang/token_spans.h"
#include "compiler/lang/views.h"

#endif
