/* What all of the command uses: memory, diagnostics, work on threads, text output. */
#ifndef WEFT_CLI_BASE_H
#define WEFT_CLI_BASE_H

#include "cli/base/ending.h"
#include "cli/base/json.h"
#include "cli/base/pool.h"
#include "cli/base/report.h"
#include "cli/base/work.h"
#include "cli/base/wrap.h"

#endif
