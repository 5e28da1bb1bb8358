/* Implements reuse.h. Two values are the same if the same instructions compute them from the same elements, which both
 * kernels load directly. What stands nearest to the results is kept. */
#include "compiler/ir/reuse.h"

enum {
    REUSE_WEIGHT = 8,              /* the least weight of a value that is kept, with what it is computed from; */
    WIDER_WEIGHT = 20,             /* the same where it has more bytes than what it is computed from. Measured: exp of
                                      bytes, 18, takes longer if it is kept */
    MAX_WEIGHT = 1 << 20,
    ROW_BYTES = 1 << 17,           /* of a kept row, at most: it is to stay in a cache beside what was read */
    LEAST_ELEMENTS = 1 << 17,      /* of fewer all kernels' rows are in a cache, and they need not take turns */
    MOST_INSTRUCTIONS = 512        /* of each kernel */
};

struct reusing {
    struct kernel_program *program;
    struct kernel *from;           /* the kernel that reduces */
    const struct kernel *to;       /* the later one */
    const struct shape *space;     /* of both */
    int *equal;                    /* [ins of to] the instruction of `from` with the same value; -1: there is none */
    int *weight;                   /* [ins of to] with all that it depends on; what is shared may count twice */
    int *bytes;                    /* [ins of to] so many it reads for each element; 0: it does not vary along a row */
    bool *needed;                  /* [ins of to] */
    int *kept;                     /* [ins of to] the temporary with its value; -1: it is computed */
};

/* ---- equal values ---- */

static bool same_access(const struct reusing *r, const struct ins *x, const struct ins *y)
{
    const struct access *a = &r->from->accesses[x->index], *b = &r->to->accesses[y->index];
    return access_same(a, b) && !a->map && !b->map;
}

static bool same_argument(const struct reusing *r, const struct ins *x, const struct ins *y)
{
    const struct number_source *a = &r->from->literal_sources[x->index], *b = &r->to->literal_sources[y->index];
    return a->node == b->node && a->how == b->how &&
           r->from->literals[x->index].bits == r->to->literals[y->index].bits;
}

/* Whether instruction x of `from` has the value of instruction y of `to`, the operands of which were compared. */
static bool same_value(const struct reusing *r, const struct ins *x, const struct ins *y)
{
    bool same = x->kind == y->kind && x->op == y->op && x->dtype == y->dtype && x->source == y->source;
    for (int k = 0; same && k < 3; k++)
        same = (y->a[k] < 0 ? -1 : r->equal[y->a[k]]) == x->a[k];
    switch (y->kind) {
    case INS_OP: return same;
    case INS_LOAD: case INS_LOOKUP: return same && same_access(r, x, y);
    case INS_LITERAL: case INS_NUMBER: return same && same_argument(r, x, y);
    default: return false;
    }
}

static void compare(const struct reusing *r, const struct shape *const *loads)
{
    const int64_t volume = shape_volume(r->space);
    for (int i = 0; i < r->to->ins_count; i++) {
        const struct ins *ins = &r->to->ins[i];
        r->equal[i] = r->kept[i] = -1;
        for (int x = 0; x < r->from->ins_count && r->equal[i] < 0; x++)
            r->equal[i] = same_value(r, &r->from->ins[x], ins) ? x : -1;
        r->weight[i] = ins->kind == INS_OP ? op_weight(ins->op, ins->source) : 0;
        r->bytes[i] = ins->kind == INS_LOAD && shape_volume(loads[ins->index]) == volume ? type_rows[ins->dtype].size
                                                                                         : 0;
        for (int k = 0; k < 3; k++)
            if (ins->a[k] >= 0 && (k == 0 || ins->a[k] != ins->a[k - 1])) {
                r->weight[i] += r->weight[ins->a[k]];
                r->bytes[i] += r->bytes[ins->a[k]];
            }
        r->weight[i] = r->weight[i] < MAX_WEIGHT ? r->weight[i] : MAX_WEIGHT;
        r->bytes[i] = r->bytes[i] < MAX_WEIGHT ? r->bytes[i] : MAX_WEIGHT;
    }
}

/* ---- keeping ---- */

/* The temporary in which `from` keeps the value of its instruction x. It stores it, unless it does so already. */
static int keep(const struct reusing *r, int x)
{
    struct kernel *from = r->from;
    const enum weft_dtype dtype = from->ins[x].dtype;
    for (int i = 0; i < from->ins_count; i++)
        if (from->ins[i].kind == INS_STORE && from->ins[i].index > from->load_count && from->ins[i].a[0] == x)
            return from->accesses[from->ins[i].index].index;
    const int temporary = add_temporary(r->program, dtype, r->space);
    r->program->temporaries[temporary].kept = true;
    const int access = kernel_add_access(from, (struct access){TENSOR_TEMPORARY, temporary, dtype, 0, false});
    kernel_add_ins(from, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {x, -1, -1}, access, from->ins[x].span});
    return temporary;
}

/* Whether it is faster to store and load the value than to compute it twice. */
static bool pays(const struct reusing *r, int i)
{
    const struct ins *ins = &r->to->ins[i];
    const int64_t size = type_rows[ins->dtype].size, row = r->space->extents[r->space->rank - 1] * size;
    return ins->kind == INS_OP && r->equal[i] >= 0 && r->bytes[i] && row <= ROW_BYTES &&
           r->weight[i] >= (size > r->bytes[i] ? WIDER_WEIGHT : REUSE_WEIGHT);
}

/* Chooses what is kept. Returns whether anything is. */
static bool choose(const struct reusing *r)
{
    bool any = false;
    for (int i = r->to->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &r->to->ins[i];
        const bool divides = ins->kind == INS_FAULT && op_divides(ins->op, ins->source); /* needs no dividend */
        r->needed[i] = r->needed[i] || ins->kind == INS_STORE || ins->kind == INS_FAULT;
        if (!r->needed[i])
            continue;
        if (pays(r, i)) {
            r->kept[i] = keep(r, r->equal[i]);
            any = true;
            continue;
        }
        for (int k = divides; k < 3; k++)
            if (ins->a[k] >= 0)
                r->needed[ins->a[k]] = true;
    }
    return any;
}

/* Instruction i for the new kernel, in which `number` are the values so far. Stores are numbered from 0. */
static struct ins translate(const struct reusing *r, struct kernel *kernel, const int *number, int i)
{
    struct ins ins = r->to->ins[i];
    if (r->kept[i] >= 0) {
        const struct access access = {TENSOR_TEMPORARY, r->kept[i], ins.dtype, 0, false};
        return (struct ins){INS_LOAD, OP_COUNT, ins.dtype, ins.dtype, {-1, -1, -1}, kernel_add_access(kernel, access),
                            ins.span};
    }
    for (int k = 0; k < 3; k++)
        ins.a[k] = ins.a[k] < 0 ? -1 : number[ins.a[k]];
    if (ins.kind == INS_LOAD || ins.kind == INS_TAKE || ins.kind == INS_LOOKUP)
        ins.index = kernel_add_access(kernel, r->to->accesses[ins.index]);
    if (ins.kind == INS_LITERAL)
        ins.index = kernel_add_literal(kernel, ins.dtype, r->to->literals[ins.index]);
    if (ins.kind == INS_NUMBER)
        ins.index = kernel_add_number(kernel, ins.dtype, r->to->literal_sources[ins.index]);
    if (ins.kind == INS_STORE)
        ins.index -= r->to->load_count;
    return ins;
}

/* The later kernel, which loads what is kept. */
static struct kernel *build(const struct reusing *r)
{
    struct kernel *kernel = kernel_like(r->program->arena, r->to);
    int *number = ARENA_ARRAY(r->program->arena, int, r->to->ins_count);
    for (int i = 0; i < r->to->ins_count; i++)
        number[i] = r->needed[i] ? kernel_add_ins(kernel, translate(r, kernel, number, i)) : -1;
    kernel_number_stores(kernel);
    for (int a = r->to->load_count; a < r->to->access_count; a++)
        kernel_add_access(kernel, r->to->accesses[a]);
    return kernel;
}

/* ---- the pass ---- */

/* Whether a tile of the kernel takes whole rows, each of which it reduces, of the same space. */
static bool reduces_rows(const struct program_kernel *from, const struct shape *space)
{
    const struct kernel *kernel = from->kernel;
    if (!kernel->lanes || kernel->lanes->finds || kernel->lanes->partial || !shapes_equal(from->space, space))
        return false;
    const struct lane_tiles *t = &kernel->lanes->tiles;
    return t->inner == 1 && t->windows * t->chunks == 1 && t->points > 1 &&
           t->elements == space->extents[space->rank - 1] && kernel->ins_count <= MOST_INSTRUCTIONS;
}

/* Whether the kernels from j to before k reduce as many rows, tile by tile: else they take no turns. */
static bool same_rows(const struct kernel_program *program, int j, int k)
{
    const int64_t points = program->kernels[j].kernel->lanes->tiles.points;
    bool same = true;
    for (int i = j + 1; same && i < k; i++) {
        const struct lanes *lanes = program->kernels[i].kernel->lanes;
        same = lanes && !lanes->partial && lanes->tiles.points == points &&
               lanes->tiles.windows * lanes->tiles.chunks == 1;
    }
    return same;
}

void reuse_values(struct kernel_program *program, int k, const struct shape *const *loads)
{
    struct program_kernel *later = &program->kernels[k];
    if (program->count != program->first_result + 1) /* the kernels of several results take no turns */
        return;
    if (!later->space->rank || later->kernel->lanes || shape_volume(later->space) < LEAST_ELEMENTS)
        return;
    for (int j = 0; j < k && later->kernel->ins_count <= MOST_INSTRUCTIONS; j++) {
        const size_t count = (size_t)later->kernel->ins_count;
        if (!reduces_rows(&program->kernels[j], later->space) || !same_rows(program, j, k))
            continue;
        const struct reusing r = {
            .program = program, .from = program->kernels[j].kernel, .to = later->kernel, .space = later->space,
            .equal = ARENA_ARRAY(program->arena, int, count), .weight = ARENA_ARRAY(program->arena, int, count),
            .bytes = ARENA_ARRAY(program->arena, int, count), .needed = ARENA_ARRAY(program->arena, bool, count),
            .kept = ARENA_ARRAY(program->arena, int, count)};
        compare(&r, loads);
        if (choose(&r)) {
            later->kernel = build(&r);
            return;                /* `loads` are those of the kernel as it was */
        }
    }
}
