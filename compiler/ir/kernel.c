/* Implements the small functions of kernel.h. */
#include "compiler/ir/kernel.h"

#include <string.h>

struct kernel *kernel_like(struct arena *arena, const struct kernel *kernel)
{
    const struct kernel empty = {
        .arena = arena, .program = kernel->program, .results = kernel->results, .result_count = kernel->result_count,
        .maps = kernel->maps, .map_count = kernel->map_count,
        .granted_maps = kernel->granted_maps, .constants = kernel->constants,
        .constant_count = kernel->constant_count, .masks = kernel->masks, .mask_count = kernel->mask_count,
        .faults = kernel->faults, .fault_count = kernel->fault_count};
    return arena_copy(arena, &empty, sizeof empty);
}

const struct mask *find_mask(const struct kernel *kernel, const struct access *access)
{
    for (int m = 0; access->kind == TENSOR_CONSTANT && m < kernel->mask_count; m++)
        if (kernel->masks[m].constant == access->index && kernel->masks[m].map == access->map)
            return &kernel->masks[m];
    return NULL;
}

int kernel_add_ins(struct kernel *kernel, struct ins ins)
{
    ARENA_PUSH(kernel->arena, kernel->ins, kernel->ins_count, ins);
    return kernel->ins_count - 1;
}

int kernel_add_access(struct kernel *kernel, struct access access)
{
    ARENA_PUSH(kernel->arena, kernel->accesses, kernel->access_count, access);
    return kernel->access_count - 1;
}

int kernel_add_literal(struct kernel *kernel, enum weft_dtype dtype, union scalar value)
{
    int count = kernel->literal_count;
    ARENA_PUSH(kernel->arena, kernel->literal_dtypes, count, dtype);
    count--;
    ARENA_PUSH(kernel->arena, kernel->literal_sources, count, ((struct number_source){-1, MEET}));
    ARENA_PUSH(kernel->arena, kernel->literals, kernel->literal_count, value);
    return count - 1;
}

int kernel_add_number(struct kernel *kernel, enum weft_dtype dtype, struct number_source source)
{
    const int index = kernel_add_literal(kernel, dtype, (union scalar){0});
    kernel->literal_sources[index] = source;
    return index;
}

union scalar kernel_argument(const struct kernel *kernel, int index, const struct program *program,
                             const struct shape *const *shapes)
{
    const struct number_source source = kernel->literal_sources[index];
    struct literal literal;
    if (source.node < 0)
        return kernel->literals[index];
    const struct node *node = &program->nodes[source.node];
    literal = node->literal;
    if (node->kind == NODE_VIEW) {
        int64_t extent = 0;
        view_extent_of(&program->views[node->view], shapes[program->operands[node->operands]], &extent);
        literal = (struct literal){.kind = LITERAL_INTEGER, .integer = extent};
    }
    return literal_become(&literal, kernel->literal_dtypes[index], source.how);
}

void kernel_number_stores(struct kernel *kernel)
{
    kernel->load_count = kernel->access_count;
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_STORE)
            kernel->ins[i].index += kernel->load_count;
}

bool kernel_weighs(const struct kernel *kernel)
{
    bool weighs = false;
    for (int i = 0; i < kernel->ins_count; i++)
        weighs = weighs || kernel->ins[i].kind == INS_WEIGH;
    return weighs;
}

int kernel_weight(const struct kernel *kernel)
{
    int weight = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        weight += kernel->ins[i].kind == INS_OP      ? op_weight(kernel->ins[i].op, kernel->ins[i].source)
                  : kernel->ins[i].kind == INS_WEIGH ? 2 * kernel->ins[i].index : 0;
    return weight;
}

bool kernel_masks(const struct kernel *kernel)
{
    const int size = type_rows[kernel->accesses[0].dtype].size;
    bool masks = size >= 4 && !kernel->fault_count;
    for (int a = 0; masks && a < kernel->access_count; a++)
        masks = type_rows[kernel->accesses[a].dtype].size == size;
    for (int i = 0; masks && i < kernel->ins_count; i++)
        masks = type_rows[kernel->ins[i].dtype].size == size || kernel->ins[i].dtype == WEFT_BOOL;
    return masks;
}

bool kernel_sums_alike(const struct kernel *kernel)
{
    const struct lanes *lanes = kernel->lanes;
    return !lanes->places && !lanes->finds && join_is_ordered(lanes->join, lanes->tree) && kernel_masks(kernel) &&
           kernel->accesses[kernel->load_count].dtype == lanes->tree;
}

bool kernel_masks_ends(const struct kernel *kernel)
{
    return kernel_masks(kernel) && !kernel->lanes && kernel_weight(kernel) < LIGHT;
}

int64_t literal_value(const struct kernel *kernel, const struct ins *literal)
{
    return eval_convert(literal->dtype, WEFT_INT64, false, kernel->literals[literal->index]).i64;
}

bool literal_divisor(const struct kernel *kernel, const struct ins *ins, int64_t *divisor)
{
    if (ins->kind != INS_OP || !op_divides(ins->op, ins->source) || dtype_is_float(ins->source) ||
        kernel->ins[ins->a[1]].kind != INS_LITERAL)
        return false;
    *divisor = literal_value(kernel, &kernel->ins[ins->a[1]]);
    return *divisor >= -INT32_MAX && *divisor <= INT32_MAX;
}

/* What is written in the text, with the parentheses around it if `whole`; NULL: too much, or on several lines. */
static const char *written(const struct diags *diags, struct span span, bool whole)
{
    const char *text = diags->source->text;
    const bool wrapped = whole && span.start > 0 && span.end > span.start && text[span.start - 1] == '(' &&
                         text[span.end] == ')';
    const int length = (int)(span.end - span.start) + 2 * wrapped;
    const char *part = arena_printf(diags->arena, "%.*s", length, text + span.start - wrapped);
    return length > 0 && length <= 60 && !strchr(part, '\n') && !strchr(part, '#') ? part : NULL;
}

void fault_tell(struct diags *diags, const struct fault *fault)
{
    if (fault->outside) {
        diag(diags, DIAG_OUTSIDE, fault->span);
        return;
    }
    const char *whole = written(diags, fault->whole, false), *divisor = written(diags, fault->divisor, true);
    const bool both = whole && divisor;
    diag(diags, DIAG_ZERO_DIVISOR, fault->span, both ? divisor : "b", both ? whole : "a // b");
}

int *kernel_uses(struct arena *arena, const struct kernel *kernel)
{
    int *uses = ARENA_ARRAY(arena, int, kernel->ins_count);
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3; k++)
            if (kernel->ins[i].a[k] >= 0)
                uses[kernel->ins[i].a[k]]++;
    return uses;
}

const struct ins *kernel_access_ins(const struct kernel *kernel, int access)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const enum ins_kind kind = kernel->ins[i].kind;
        if (kernel->ins[i].index == access && (access < kernel->load_count
                                                   ? kind == INS_LOAD || kind == INS_TAKE || kind == INS_LOOKUP
                                                   : kind == INS_STORE || kind == INS_PUT))
            return &kernel->ins[i];
    }
    return NULL;
}
