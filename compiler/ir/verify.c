/* Implements verify.h. */
#include "compiler/ir/verify.h"

#include "compiler/check/check.h"
#include "compiler/ir/index_map.h"
#include "compiler/ir/reduce.h"

const char *verify_program(const struct program *program)
{
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        for (int i = 0; i < node->operand_count; i++)
            if (program->operands[node->operands + i] >= n)
                return "a node stands before its operand";
        if (node->poison)
            return "a checked program holds poison";
        if (node->kind == NODE_OP && node->literal.kind == LITERAL_NONE &&
            node->op != OP_CLAMP && !op_meaning(op_alike(node->op, operand_dtype(program, node)),
                                               operand_dtype(program, node)))
            return "a row has no meaning for the type it was given";
    }
    return NULL;
}

static const char *verify_op(const struct kernel *kernel, const struct ins *ins)
{
    const struct op_row *row = &op_rows[ins->op];
    for (int k = 0; k < op_arity(ins->op) && k < 3; k++) {
        if (ins->a[k] < 0)
            return "a row lacks an operand";
        enum weft_dtype dtype = kernel->ins[ins->a[k]].dtype;
        bool condition = row->rule == RULE_SELECT && k == 0;
        bool order = ins->op == OP_COMPARE64 && k == 1;
        if (dtype != (condition ? WEFT_BOOL : order ? WEFT_UINT64 : ins->source))
            return "an operand has another type than its row works in";
    }
    return op_meaning(ins->op, ins->source) ? NULL : "a row has no meaning for its operands' type";
}

static const char *verify_ins(const struct kernel *kernel, int i)
{
    const struct ins *ins = &kernel->ins[i];
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= i)
            return "an instruction stands before its operand";
    switch (ins->kind) {
    case INS_LOAD:
        return ins->index < kernel->load_count ? NULL : "a load reads what is no input";
    case INS_LITERAL: case INS_NUMBER:
        return ins->index < kernel->literal_count &&
               kernel->literal_dtypes[ins->index] == ins->dtype ? NULL : "a literal has another type";
    case INS_OP:
        return verify_op(kernel, ins);
    case INS_TAKE:
        if (ins->index >= kernel->load_count || !map_taken_step(kernel->maps, kernel->accesses[ins->index].map))
            return "elements are taken where no position is";
        return kernel->ins[ins->a[0]].dtype == WEFT_INT64 ? NULL : "an element taken by something not an int64";
    case INS_LOOKUP:
        if (ins->index >= kernel->load_count || kernel->accesses[ins->index].kind != TENSOR_TABLE)
            return "a look-up reads no table";
        return kernel->ins[ins->a[0]].dtype == WEFT_UINT8 ? NULL : "a look-up by something not a uint8";
    case INS_WEIGH:
        for (int k = 0; k < 3; k++)
            if (kernel->ins[ins->a[k]].kind != INS_LOAD ||
                kernel->ins[ins->a[k]].dtype != (k < 2 ? ins->source : WEFT_INT64))
                return "neighbours are weighed that are no loads";
        return NULL;
    case INS_STORE:
        if (ins->index < kernel->load_count || ins->index >= kernel->access_count)
            return "a store writes what is no result";
        return kernel->ins[ins->a[0]].dtype == ins->dtype ? NULL : "a store of another type";
    case INS_PUT:
        return i + 1 == kernel->ins_count && kernel->load_count > 1 && ins->index == kernel->access_count - 1
                   ? NULL : "a kernel that puts does more, or less";
    case INS_FAULT:
        return ins->a[2] < 0 || kernel->ins[ins->a[2]].dtype == WEFT_BOOL ? NULL
                                                                         : "a remark without a bool";
    }
    return "an instruction of no kind";
}

/* Verifies map number m. */
static const char *verify_map(const struct index_map *map, int m)
{
    uint32_t followed = 0;
    if (map->parent >= m)
        return "a map stands before what it leads to";
    if (map->outside == OUTSIDE_TAKEN)
        return NULL; /* any elements of it may be read, in any order */
    if (!map->axes)
        return shape_known(map->from) && shape_known(map->to) && !shapes_fill(map->from, map->to)
                   ? "a map that loses elements" : NULL;
    for (int d = 0; d < map->to->rank; d++) {
        const struct axis *axis = &map->axes[d];
        const bool steps = axis->slice.step || axis->slice.open; /* an open step is the number of its place */
        if (axis->from >= map->from->rank || (axis->from >= 0 && (followed >> axis->from & 1 || !steps)))
            return "a selection that follows no dimension, or two follow one";
        followed |= axis->from < 0 ? 0 : 1u << axis->from;
    }
    for (int d = 0; d < map->from->rank; d++)
        if (!(followed >> d & 1) && map->from->extents[d] != 1)
            return "a selection that stretches";
    return NULL;
}

/* Whether a store under this map goes to a part of a result: as many neighbours of each dimension as the space has. */
static bool stores_plainly(const struct kernel *kernel, int map)
{
    if (!map)
        return true; /* there may be no maps at all */
    const struct index_map *step = &kernel->maps[map];
    bool plain = !step->parent && step->axes && !step->outside && shapes_equal(step->from, kernel->maps[0].to);
    for (int d = 0; plain && d < step->to->rank; d++)
        plain = step->axes[d].from == d && step->axes[d].slice.step == 1 && step->axes[d].slice.start >= 0;
    return plain;
}

const char *verify_kernel(const struct kernel *kernel)
{
    int stores = 0, reads = 0;
    const char *broken = NULL;
    for (int i = 0; i < kernel->ins_count && !broken; i++) {
        broken = verify_ins(kernel, i);
        const bool puts = kernel->ins[i].kind == INS_PUT;
        stores += kernel->ins[i].kind == INS_STORE || puts;
        reads += kernel->ins[i].kind == INS_LOAD || kernel->ins[i].kind == INS_TAKE ||
                 kernel->ins[i].kind == INS_LOOKUP;
        reads += puts ? 2 : 0;     /* places, and elements */
    }
    for (int a = 0; a < kernel->access_count && !broken; a++)
        if (kernel->accesses[a].map < 0 || (kernel->accesses[a].map && kernel->accesses[a].map >= kernel->map_count))
            broken = "an access under a map that is none";
        else if (a >= kernel->load_count && !stores_plainly(kernel, kernel->accesses[a].map))
            broken = "a store of other elements than neighbours";
    for (int m = 1; m < kernel->map_count && !broken; m++)
        broken = verify_map(&kernel->maps[m], m);
    if (!broken && stores != kernel->access_count - kernel->load_count)
        return "a result is not stored once";
    return !broken && reads != kernel->load_count ? "an access is not loaded by one instruction"
                                                  : broken;
}

/* Marks the temporaries that a kernel stores, or in which what it stores is joined. */
static void mark_stored(const struct program_kernel *kernel, bool *stored)
{
    for (int a = kernel->kernel->load_count; a < kernel->kernel->access_count; a++)
        if (access_is_temporary(&kernel->kernel->accesses[a]))
            stored[kernel->kernel->accesses[a].index] = true;
    if (kernel->reduce)
        stored[kernel->reduce->to] = true;
}

const char *verify_kernels(const struct kernel_program *program)
{
    const char *broken = NULL;
    bool *stored = ARENA_ARRAY(program->arena, bool, program->temporary_count + 1);
    for (int k = 0; k < program->count && !broken; k++) {
        const struct kernel *kernel = program->kernels[k].kernel;
        broken = verify_kernel(kernel);
        for (int a = 0; a < kernel->load_count && !broken; a++) {
            const struct access *access = &kernel->accesses[a];
            const bool temporary = access_is_temporary(access);
            if (temporary && access->index >= program->temporary_count)
                broken = "a temporary that is none";
            else if (temporary && !stored[access->index])
                broken = "a temporary that is read before it is stored";
        }
        mark_stored(&program->kernels[k], stored);
    }
    return broken;
}
