/* See materialize.h. Instructions are marked from the results backwards, piece by piece, larger shapes
 * first: where a piece needs a value that another should compute, the value becomes a root of that
 * other piece. So every piece has all its roots when its turn comes, each value is stored once
 * however many kernels read it, and the kernels run in the reverse order. */
#include "compiler/ir/materialize.h"

#include "compiler/ir/index_map.h"

#include <string.h>

/* Measured (bench/hoist.py): a look-up takes as long as 24 instructions on a vector. */
enum {
    HOIST_RATIO = 8,               /* at most one element for so many of the kernel */
    HOIST_WEIGHT = 8,              /* at least, of what is hoisted */
    TABLE_WEIGHT = 32,
    TABLE_SAVED = 4096,            /* elements, at least */
    DIVISOR_WEIGHT = 8,            /* of an integer division by a literal */
    MAX_WEIGHT = 1 << 20
};

/* What an instruction depends on: literals and 0-D tensors alone, one uint8 tensor besides (then the
 * number of its load), or more. */
enum { NO_TENSOR = -1, OTHER_TENSORS = -2 };

/* How a piece gets a value: not at all, by computing it, from a temporary, from a table. */
enum fate { UNUSED, COMPUTED, STORED, LOOKED_UP };

/* Where values vary: over a shape that is broadcast into what an index map of the whole kernel leads to. */
struct space {
    int map;
    struct shape shape;
    int64_t volume;
};

struct cut {
    int space;
    bool table;                    /* over all values of a uint8, not over `space` of the tensors */
    bool done;
    int *roots, root_count;        /* instructions that it stores */
};

struct hoisting {
    struct arena *arena;
    const struct kernel *whole;
    unsigned fast;
    int64_t saved;                 /* weight times elements, at least */
    struct hoisted *hoisted;
    struct space *spaces;          /* all different; [0] is the whole kernel's */
    int space_count;
    int *space, *weight, *depends; /* [ins] */
    int *temporary, *table;        /* [ins] where its values are kept; -1: nowhere */
    int64_t kept;                  /* elements of temporaries */
    struct cut *pieces;
    int piece_count;
    unsigned char *fate;           /* [ins] in the piece at hand, enum fate */
    int *number;                   /* [ins] in the kernel being built */
};

/* ---- spaces ---- */

/* The number of a space, leading extents of 1 left off. One element is the same under all maps. */
static int add_space(struct hoisting *h, int map, const struct shape *shape)
{
    int skip = 0, found = 0;
    struct space own = {.volume = shape_volume(shape)};
    own.map = own.volume == 1 ? 0 : map;
    while (skip < shape->rank && shape->extents[skip] == 1)
        skip++;
    own.shape.rank = shape->rank - skip;
    memcpy(own.shape.extents, shape->extents + skip, (size_t)own.shape.rank * sizeof shape->extents[0]);
    for (; found < h->space_count; found++)
        if (h->spaces[found].map == own.map && shapes_equal(&h->spaces[found].shape, &own.shape))
            return found;
    ARENA_PUSH(h->arena, h->spaces, h->space_count, own);
    return found;
}

/* What varies over two spaces. Where they are seen by different maps, it varies over everything. */
static int broadcast(struct hoisting *h, int first, int second)
{
    const struct space *x = &h->spaces[first], *y = &h->spaces[second];
    if (first == second || y->volume == 1)
        return first;
    if (x->volume == 1 || x->map != y->map)
        return x->volume == 1 ? second : 0;
    const struct shape *a = &x->shape, *b = &y->shape;
    struct shape both = a->rank >= b->rank ? *a : *b;
    const struct shape *other = a->rank >= b->rank ? b : a;
    int64_t *extents = both.extents + both.rank - other->rank;
    for (int d = 0; d < other->rank; d++)
        extents[d] = extents[d] == 1 ? other->extents[d] : extents[d];
    return add_space(h, x->map, &both);
}

/* ---- what an instruction is like ---- */

static int combine(int a, int b)
{
    return a == NO_TENSOR || a == b ? b : b == NO_TENSOR ? a : OTHER_TENSORS;
}

/* A value that two operands share counts twice: this only has to tell a lot from a little. */
static int total_weight(const struct hoisting *h, const struct ins *ins)
{
    int64_t divisor;
    bool known = literal_divisor(h->whole, ins, &divisor);
    int weight = known ? DIVISOR_WEIGHT : op_weight(ins->op, ins->source);
    bool varies = false;
    for (int k = 0; k < 3; k++) {
        int a = ins->a[k];
        if (a < 0)
            continue;
        varies = varies || h->whole->ins[a].kind == INS_LOAD || h->weight[a] > 0;
        weight += k == 0 || a != ins->a[k - 1] ? h->weight[a] : 0;
    }
    return !varies ? 0 : weight < MAX_WEIGHT ? weight : MAX_WEIGHT;
}

/* What is read under a bounded map is not what lies there, so it varies over everything. */
static int load_space(struct hoisting *h, const struct ins *load, const struct shape *const *access_shapes)
{
    if (map_is_bounded(h->whole, h->whole->accesses[load->index].map))
        return 0;
    return add_space(h, h->whole->accesses[load->index].map, access_shapes[load->index]);
}

static void analyse(struct hoisting *h, int scalar, const struct shape *const *access_shapes)
{
    for (int i = 0; i < h->whole->ins_count; i++) {
        const struct ins *ins = &h->whole->ins[i];
        h->space[i] = ins->kind == INS_LOAD ? load_space(h, ins, access_shapes) : scalar;
        h->depends[i] = NO_TENSOR;
        if (ins->kind == INS_LOAD && h->spaces[h->space[i]].volume != 1)
            h->depends[i] = ins->dtype == WEFT_UINT8 ? i : OTHER_TENSORS;
        for (int k = 0; k < 3; k++)
            if (ins->a[k] >= 0) {
                h->space[i] = broadcast(h, h->space[i], h->space[ins->a[k]]);
                h->depends[i] = combine(h->depends[i], h->depends[ins->a[k]]);
            }
        h->weight[i] = ins->kind == INS_OP ? total_weight(h, ins) : 0;
        h->temporary[i] = h->table[i] = -1;
    }
}

/* ---- choosing ---- */

static bool worth_storing(const struct hoisting *h, const struct cut *piece, int i)
{
    int64_t own = h->spaces[h->space[i]].volume, elements = h->spaces[piece->space].volume;
    bool there = h->temporary[i] >= 0;
    bool pays = elements >= h->saved / h->weight[i] && own <= h->spaces[0].volume - h->kept;
    return (h->fast & FAST_HOIST) && !(piece->table && h->depends[i] != NO_TENSOR) &&
           own <= elements / HOIST_RATIO && h->weight[i] >= HOIST_WEIGHT && (there || pays);
}

static bool worth_a_table(const struct hoisting *h, const struct cut *piece, int i)
{
    return (h->fast & FAST_TABLE) && !piece->table && h->depends[i] >= 0 &&
           h->weight[i] >= TABLE_WEIGHT && h->spaces[piece->space].volume >= TABLE_SAVED;
}

static int find_piece(struct hoisting *h, int space, bool table)
{
    for (int p = 1; p < h->piece_count; p++)
        if (h->pieces[p].space == space && h->pieces[p].table == table)
            return p;
    ARENA_PUSH(h->arena, h->pieces, h->piece_count, ((struct cut){.space = space, .table = table}));
    return h->piece_count - 1;
}

static const struct shape *space_shape(struct hoisting *h, int space)
{
    return arena_copy(h->arena, &h->spaces[space].shape, sizeof(struct shape));
}

/* Makes sure that a piece over `space` stores instruction i. */
static void keep(struct hoisting *h, int *kept, int i, int space, bool table)
{
    if (kept[i] >= 0)
        return;
    struct hoisted *hoisted = h->hoisted;
    int p = find_piece(h, space, table);
    struct cut *piece = &h->pieces[p];
    const struct temporary temporary = {h->whole->ins[i].dtype, space_shape(h, space)};
    kept[i] = hoisted->temporary_count;
    h->kept += h->spaces[space].volume;
    ARENA_PUSH(h->arena, piece->roots, piece->root_count, i);
    ARENA_PUSH(h->arena, hoisted->temporaries, hoisted->temporary_count, temporary);
}

static enum fate choose(struct hoisting *h, int p, int i)
{
    const struct shape entries = {.rank = 1, .extents = {TABLE_ENTRIES}};
    if (worth_storing(h, &h->pieces[p], i)) {
        keep(h, h->temporary, i, h->space[i], false);
        return STORED;
    }
    if (worth_a_table(h, &h->pieces[p], i)) {
        keep(h, h->table, i, add_space(h, 0, &entries), true);
        return LOOKED_UP;
    }
    return COMPUTED;
}

/* The operands that an instruction needs in a piece: a remark not the dividend. */
static void need_operands(struct hoisting *h, int i)
{
    const struct ins *ins = &h->whole->ins[i];
    for (int k = ins->kind == INS_FAULT; k < 3; k++)
        if (ins->a[k] >= 0 && h->fate[ins->a[k]] == UNUSED)
            h->fate[ins->a[k]] = COMPUTED;
}

/* The fates of all instructions in piece number p; whether it leaves anything to others. */
static bool mark(struct hoisting *h, int p)
{
    bool cut = false;
    memset(h->fate, UNUSED, (size_t)h->whole->ins_count);
    for (int r = 0; r < h->pieces[p].root_count; r++)
        h->fate[h->pieces[p].roots[r]] = COMPUTED;
    for (int i = h->whole->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &h->whole->ins[i];
        if (p == 0 && (ins->kind == INS_STORE || ins->kind == INS_FAULT))
            h->fate[i] = COMPUTED;
        if (h->fate[i] == UNUSED)
            continue;
        if (h->weight[i] > 0)
            h->fate[i] = (unsigned char)choose(h, p, i);
        if (h->fate[i] == COMPUTED)
            need_operands(h, i);
        if (h->fate[i] == LOOKED_UP)
            h->fate[h->depends[i]] = COMPUTED;
        cut = cut || h->fate[i] != COMPUTED;
    }
    return cut;
}

/* ---- the kernel of a piece ---- */

/* Loads are numbered already, so what they read differs. */
static int add_access(struct hoisting *h, struct kernel *kernel, struct access access)
{
    ARENA_PUSH(h->arena, kernel->accesses, kernel->access_count, access);
    return kernel->access_count - 1;
}

static int add_literal(struct hoisting *h, struct kernel *kernel, const struct ins *ins)
{
    int count = kernel->literal_count;
    ARENA_PUSH(h->arena, kernel->literal_dtypes, count, ins->dtype);
    ARENA_PUSH(h->arena, kernel->literals, kernel->literal_count, h->whole->literals[ins->index]);
    return count - 1;
}

/* A piece loops over its space as its map leads there, so what it reads is seen plainly from there. */
static struct access load_access(const struct hoisting *h, const struct cut *piece, int i)
{
    const struct ins *ins = &h->whole->ins[i];
    if (piece->table && h->depends[i] == i)
        return (struct access){TENSOR_BYTES, 0, ins->dtype, 0};
    struct access access = {TENSOR_TEMPORARY, h->temporary[i], ins->dtype, h->spaces[h->space[i]].map};
    if (h->fate[i] != STORED)
        access = h->whole->accesses[ins->index];
    if (access.map == h->spaces[piece->space].map)
        access.map = 0;
    return access;
}

/* The piece's own form of instruction i. Stores are numbered from 0 so far. */
static struct ins translate(struct hoisting *h, const struct cut *piece, struct kernel *kernel, int i)
{
    struct ins ins = h->whole->ins[i];
    const struct access table = {TENSOR_TABLE, h->table[i], ins.dtype, 0};
    for (int k = 0; k < 3; k++)
        ins.a[k] = ins.a[k] < 0 ? -1 : h->number[ins.a[k]];
    if (h->fate[i] == LOOKED_UP)
        return (struct ins){INS_LOOKUP, OP_COUNT, ins.dtype, WEFT_UINT8,
                            {h->number[h->depends[i]], -1, -1}, add_access(h, kernel, table), ins.span};
    if (h->fate[i] == STORED || ins.kind == INS_LOAD)
        return (struct ins){INS_LOAD, OP_COUNT, ins.dtype, ins.dtype, {-1, -1, -1},
                            add_access(h, kernel, load_access(h, piece, i)), ins.span};
    if (ins.kind == INS_LITERAL)
        ins.index = add_literal(h, kernel, &h->whole->ins[i]);
    if (ins.kind == INS_STORE)
        ins.index -= h->whole->load_count;
    return ins;
}

/* Where a piece stores its roots; the first piece has its stores already. */
static void add_stores(struct hoisting *h, const struct cut *piece, struct kernel *kernel)
{
    const struct kernel *whole = h->whole;
    const int *kept = piece->table ? h->table : h->temporary;
    kernel->load_count = kernel->access_count;
    for (int a = whole->load_count; piece == h->pieces && a < whole->access_count; a++)
        ARENA_PUSH(h->arena, kernel->accesses, kernel->access_count, whole->accesses[a]);
    for (int r = 0; r < piece->root_count; r++) {
        int root = piece->roots[r];
        enum weft_dtype dtype = whole->ins[root].dtype;
        const struct ins store = {INS_STORE, OP_COUNT, dtype, dtype, {h->number[root], -1, -1}, r,
                                  whole->ins[root].span};
        ARENA_PUSH(h->arena, kernel->ins, kernel->ins_count, store);
        ARENA_PUSH(h->arena, kernel->accesses, kernel->access_count,
                   ((struct access){piece->table ? TENSOR_TABLE : TENSOR_TEMPORARY, kept[root], dtype, 0}));
    }
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_STORE)
            kernel->ins[i].index += kernel->load_count;
}

static struct kernel *build(struct hoisting *h, const struct cut *piece)
{
    struct kernel *kernel = ARENA_NEW(h->arena, struct kernel);
    *kernel = (struct kernel){.arena = h->arena, .program = h->whole->program,
                              .maps = h->whole->maps, .map_count = h->whole->map_count,
                              .constants = h->whole->constants,
                              .constant_count = h->whole->constant_count};
    if (piece == h->pieces) {
        kernel->results = h->whole->results;
        kernel->result_count = h->whole->result_count;
        kernel->faults = h->whole->faults;
        kernel->fault_count = h->whole->fault_count;
    }
    int bytes = -1; /* the load that stands for all uint8 tensors of a table */
    for (int i = 0; i < h->whole->ins_count; i++) {
        bool byte = piece->table && h->depends[i] == i;
        h->number[i] = byte ? bytes : -1;
        if (h->fate[i] == UNUSED || h->number[i] >= 0)
            continue;
        h->number[i] = kernel->ins_count;
        bytes = byte ? kernel->ins_count : bytes;
        const struct ins ins = translate(h, piece, kernel, i);
        ARENA_PUSH(h->arena, kernel->ins, kernel->ins_count, ins);
    }
    add_stores(h, piece, kernel);
    return kernel;
}

/* ---- all of it ---- */

/* The piece with the most elements that was not yet dealt with; -1: none is left. */
static int next_piece(const struct hoisting *h)
{
    int next = -1;
    for (int p = 1; p < h->piece_count; p++)
        if (!h->pieces[p].done && (next < 0 || h->spaces[h->pieces[p].space].volume >
                                                   h->spaces[h->pieces[next].space].volume))
            next = p;
    return next;
}

static void cut_pieces(struct hoisting *h)
{
    struct part *parts = NULL;
    int count = 0;
    for (int p; (p = next_piece(h)) >= 0;) {
        mark(h, p);
        h->pieces[p].done = true;
        struct part part = {build(h, &h->pieces[p]), space_shape(h, h->pieces[p].space)};
        ARENA_PUSH(h->arena, parts, count, part);
    }
    while (count-- > 0)
        ARENA_PUSH(h->arena, h->hoisted->parts, h->hoisted->count, parts[count]);
}

struct kernel *hoist(struct arena *arena, struct kernel *whole, const struct shape *shape,
                     const struct shape *const *access_shapes, unsigned fast, int64_t saved,
                     struct hoisted *hoisted)
{
    struct hoisting h = {.arena = arena, .whole = whole, .fast = fast, .saved = saved, .hoisted = hoisted};
    int *numbers = ARENA_ARRAY(arena, int, 6 * (size_t)whole->ins_count);
    int **const arrays[] = {&h.space, &h.weight, &h.depends, &h.temporary, &h.table, &h.number};
    for (int k = 0; k < 6; k++)
        *arrays[k] = numbers + (ptrdiff_t)k * whole->ins_count;
    h.fate = ARENA_ARRAY(arena, unsigned char, whole->ins_count);
    add_space(&h, 0, shape);
    if (h.spaces[0].volume < 1 || !(fast & (FAST_HOIST | FAST_TABLE)))
        return whole;
    analyse(&h, add_space(&h, 0, &(struct shape){.rank = 0}), access_shapes);
    ARENA_PUSH(arena, h.pieces, h.piece_count, ((struct cut){.done = true}));
    if (!mark(&h, 0))
        return whole;
    struct kernel *rest = build(&h, &h.pieces[0]);
    cut_pieces(&h);
    return rest;
}
