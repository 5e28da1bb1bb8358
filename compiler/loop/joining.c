/* Implements joining.h. */
#include "compiler/loop/joining.h"

#include "compiler/loop/access_kinds.h"
#include "compiler/loop/evaluation.h"

#include <string.h>

int library_row(const struct kernel *kernel)
{
    static const struct { enum op op; const char *stage, *acc, *tree; } rows[] = {
#define JOINED(op, stage, acc, tree) {OP_##op, #stage, #acc, #tree},
#include "templates/shared/joins.def"
#undef JOINED
    };
    const struct lanes *lanes = kernel->lanes;
    const char *stage = type_rows[kernel->accesses[kernel->load_count].dtype].short_name;
    const char *acc = type_rows[lanes->acc].short_name;
    const char *tree = lanes->places ? acc : type_rows[lanes->tree].short_name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == join_rows[lanes->join].op && strcmp(rows[i].stage, stage) == 0 &&
            strcmp(rows[i].acc, acc) == 0 && strcmp(rows[i].tree, tree) == 0)
            return (int)i;
    return -1;
}

int load_joined(const struct kernel *kernel, const unsigned char *kinds)
{
    const struct ins *store = kernel->ins;
    while (store->kind != INS_STORE)
        store++;
    const struct ins *value = &kernel->ins[store->a[0]];
    const bool plain = value->kind == INS_LOAD && value->dtype != WEFT_BOOL && kinds[value->index] == ACCESS_UNIT;
    return plain ? value->index : -1;
}

bool joins_as_computed(struct arena *arena, const struct kernel *kernel, const struct geometry *g, unsigned fast)
{
    const unsigned char *const kinds = g->kinds;
    const struct lanes *lanes = kernel->lanes;
    if (!(fast & FAST_JOINS) || !kernel_sums_alike(kernel) || lanes->tiles.row != LANE_COUNT ||
        lanes->tiles.inner > 1 || library_row(kernel) < 0 || load_joined(kernel, kinds) >= 0)
        return false;
    bool joins = true;
    for (int a = 0; a < kernel->load_count; a++)
        joins = joins && (kinds[a] == ACCESS_UNIT || kinds[a] == ACCESS_EXPANDED || kinds[a] == ACCESS_COLUMN ||
                          access_is(kinds[a], STAYS) ||
                          (kinds[a] == ACCESS_PERIODIC && g->period == lanes->tiles.elements &&
                           g->strides[a * (g->groups + 2) + g->groups] == type_rows[kernel->accesses[a].dtype].size));
    struct evaluation evaluation;
    make_evaluation(arena, kernel, kinds, fast, true, &evaluation);
    for (int i = 0; i < kernel->ins_count; i++)
        joins = joins && !evaluation.call[i];
    return joins && !evaluation.slot_count;
}
