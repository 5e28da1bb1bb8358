/* What is known of each input's type before anything runs: the declaration in the text, the type
 * beside the value and the value itself, joined. The library compares them too; the command does it
 * first because it can point at the argument that does not fit. */
#ifndef WEFT_CLI_FIT_H
#define WEFT_CLI_FIT_H

#include "cli/values/inputs.h"
#include "compiler/shape.h"

/* The script's tree with the types of its inputs, and in *shapes one for each, as far as they are
 * known: a size variable that has met a number is that number. NULL after reporting what does not
 * fit. */
struct program *inputs_fit(struct report *report, const struct script *script,
                           const struct inputs *inputs, const struct shape ***shapes);

#endif
