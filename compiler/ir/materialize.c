/* Implements materialize.h. Instructions are marked from the results backwards, one piece (a kernel to be) after the
 * other, larger shapes first. Where a piece needs a value that another piece should compute, the value becomes a root
 * of that other piece. So every piece has all its roots when its turn comes, each value is stored once however many
 * kernels read it, and the kernels run in reverse order. */
#include "compiler/ir/materialize.h"

#include "compiler/ir/index_map.h"

#include <string.h>

/* TABLE_WEIGHT follows a measurement (bench/hoist.py): a look-up takes as long as 24 vector instructions. */
enum {
    HOIST_RATIO = 8,               /* the kernel has at least this many elements for each one stored */
    HOIST_WEIGHT = 8,              /* the least weight of a value that is stored */
    TABLE_WEIGHT = 32,
    TABLE_SAVED = 4096,            /* the least number of elements for which a table is made */
    DIVISOR_WEIGHT = 8,            /* weight of an integer division by a literal */
    MAX_WEIGHT = 1 << 20
};

/* The tensors that an instruction depends on, besides literals and tensors of one element: none; one uint8 tensor (the
 * number of its load); or others. */
enum { NO_TENSOR = -1, OTHER_TENSORS = -2 };

/* How a piece gets a value: it does not need it, computes it, loads it from a temporary, or looks it up in a table. */
enum fate { UNUSED, COMPUTED, STORED, LOOKED_UP };

/* What a value varies over: a shape that is broadcast into the space to which a map of the whole kernel leads. */
struct space {
    int map;
    struct shape shape;
    int64_t volume;
};

/* A piece: a kernel to be. */
struct cut {
    int space;
    bool table;                    /* over all values of a uint8, instead of the tensors' elements */
    bool done;
    int *roots, root_count;        /* the instructions whose values it stores */
};

struct hoisting {
    struct arena *arena;
    const struct kernel *whole;
    unsigned fast;
    int64_t saved;                 /* the least saving, weight times elements */
    struct hoisted *hoisted;
    struct space *spaces;          /* all different; [0] is that of the whole kernel */
    int space_count;
    int *space, *weight, *depends; /* [ins] */
    int *temporary, *table;        /* [ins] the temporary or table with its values; -1: none */
    int64_t kept;                  /* number of elements of all temporaries */
    struct cut *pieces;
    int piece_count;
    unsigned char *fate;           /* [ins] an enum fate, for the piece at hand */
    int *number;                   /* [ins] its number in the kernel that is being built */
};

/* ---- spaces ---- */

/* Returns the number of a space, adding it if it is new. Leading extents of 1 are dropped. A single element is
 * the same under all maps. */
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

/* The space over which a function of two values varies. If they are seen through different maps,
 * it varies over everything. */
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

/* ---- properties of instructions ---- */

static bool is_load(const struct ins *ins)
{
    return ins->kind == INS_LOAD || ins->kind == INS_TAKE;
}

/* The map of a load. */
static int map_of(const struct kernel *kernel, const struct ins *load)
{
    return kernel->accesses[load->index].map;
}

/* The operands on which the space of a value depends. Elements that are taken vary over what they are taken from,
 * whatever their numbers depend on. */
static int own_operand(const struct ins *ins, int k)
{
    return ins->kind == INS_TAKE ? -1 : ins->a[k];
}

/* The instruction that computes the numbers by which elements are found under this map; -1: it takes none. */
static int number_under(const struct hoisting *h, int map)
{
    const int step = map_taken_step(h->whole->maps, map);
    for (int i = 0; step && i < h->whole->ins_count; i++) {
        const struct ins *ins = &h->whole->ins[i];
        if (ins->kind == INS_TAKE && map_taken_step(h->whole->maps, map_of(h->whole, ins)) == step)
            return ins->a[0];
    }
    return -1;
}

static int combine(int a, int b)
{
    return a == NO_TENSOR || a == b ? b : b == NO_TENSOR ? a : OTHER_TENSORS;
}

/* The weight of an instruction and all that it depends on. Shared values may count twice: it only has to tell a lot
 * from a little. 0 if no load is involved. */
static int total_weight(const struct hoisting *h, const struct ins *ins)
{
    int64_t divisor;
    int weight = literal_divisor(h->whole, ins, &divisor) ? DIVISOR_WEIGHT : op_weight(ins->op, ins->source);
    bool varies = false;
    for (int k = 0; k < 3; k++) {
        int a = ins->a[k];
        if (a < 0)
            continue;
        varies = varies || is_load(&h->whole->ins[a]) || h->weight[a] > 0;
        weight += k == 0 || a != ins->a[k - 1] ? h->weight[a] : 0;
    }
    return !varies ? 0 : weight < MAX_WEIGHT ? weight : MAX_WEIGHT;
}

/* Under a bounded map a load may give a value that is not in memory, so it varies over everything. The same holds where
 * the 0 of an element that is not there is used. */
static int load_space(struct hoisting *h, const struct ins *load, const struct shape *const *access_shapes)
{
    const struct access *access = &h->whole->accesses[load->index];
    const bool absent = access->alone || (load->kind == INS_TAKE && shape_volume(access_shapes[load->index]) == 1);
    return absent || map_is_bounded(h->whole, access->map) ? 0 : add_space(h, access->map, access_shapes[load->index]);
}

static void analyse(struct hoisting *h, int scalar, const struct shape *const *access_shapes)
{
    for (int i = 0; i < h->whole->ins_count; i++) {
        const struct ins *ins = &h->whole->ins[i];
        h->space[i] = is_load(ins) ? load_space(h, ins, access_shapes) : scalar;
        h->depends[i] = NO_TENSOR;
        if (is_load(ins) && h->spaces[h->space[i]].volume != 1)
            h->depends[i] = ins->kind == INS_LOAD && ins->dtype == WEFT_UINT8 ? i : OTHER_TENSORS;
        for (int k = 0; k < 3; k++)
            if (own_operand(ins, k) >= 0) {
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

/* Makes a piece over `space` store instruction i. */
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

static void need(struct hoisting *h, int i)
{
    if (i >= 0 && h->fate[i] == UNUSED)
        h->fate[i] = COMPUTED;
}

/* Whether a piece finds what it reads under this map by numbers that it computes: it does not loop over that itself. */
static bool takes_numbers(const struct hoisting *h, const struct cut *piece, int map)
{
    return map != h->spaces[piece->space].map && map_taken_step(h->whole->maps, map);
}

/* Marks the operands that an instruction needs in a piece. The fault of a division does not need the dividend. */
static void need_operands(struct hoisting *h, const struct cut *piece, int i)
{
    const struct ins *ins = &h->whole->ins[i];
    const bool divides = ins->kind == INS_FAULT && op_divides(ins->op, ins->source);
    if (ins->kind == INS_TAKE && !takes_numbers(h, piece, map_of(h->whole, ins)))
        return;
    for (int k = divides; k < 3; k++)
        need(h, ins->a[k]);
}

/* Decides the fates of all instructions in piece p. Returns whether it takes any value from other pieces. */
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
            need_operands(h, &h->pieces[p], i);
        if (h->fate[i] == STORED && takes_numbers(h, &h->pieces[p], h->spaces[h->space[i]].map))
            need(h, number_under(h, h->spaces[h->space[i]].map));
        if (h->fate[i] == LOOKED_UP)
            h->fate[h->depends[i]] = COMPUTED;
        cut = cut || h->fate[i] != COMPUTED;
    }
    return cut;
}

/* ---- building a piece's kernel ---- */

/* What load i, or instruction i if it is stored, reads in this piece. The piece loops over the space to which its map
 * leads, so what has the same map is read directly. */
static struct access load_access(const struct hoisting *h, const struct cut *piece, int i)
{
    const struct ins *ins = &h->whole->ins[i];
    if (piece->table && h->depends[i] == i)
        return (struct access){TENSOR_BYTES, 0, ins->dtype, 0, false};
    struct access access = {TENSOR_TEMPORARY, h->temporary[i], ins->dtype, h->spaces[h->space[i]].map, false};
    if (h->fate[i] != STORED)
        access = h->whole->accesses[ins->index];
    if (access.map == h->spaces[piece->space].map)
        access.map = 0;
    return access;
}

/* Translates instruction i into the piece. Loads are numbered already, so each access is another one. For now stores
 * are numbered from 0. */
static struct ins translate(struct hoisting *h, const struct cut *piece, struct kernel *kernel, int i)
{
    struct ins ins = h->whole->ins[i];
    const struct access table = {TENSOR_TABLE, h->table[i], ins.dtype, 0};
    for (int k = 0; k < 3; k++)
        ins.a[k] = ins.a[k] < 0 ? -1 : h->number[ins.a[k]];
    if (h->fate[i] == LOOKED_UP)
        return (struct ins){INS_LOOKUP, OP_COUNT, ins.dtype, WEFT_UINT8,
                            {h->number[h->depends[i]], -1, -1}, kernel_add_access(kernel, table), ins.span};
    if (h->fate[i] == STORED || is_load(&ins)) {
        const struct access access = load_access(h, piece, i);
        const int number = number_under(h, access.map);
        return (struct ins){number < 0 ? INS_LOAD : INS_TAKE, OP_COUNT, ins.dtype, ins.dtype,
                            {number < 0 ? -1 : h->number[number], -1, -1}, kernel_add_access(kernel, access), ins.span};
    }
    if (ins.kind == INS_LITERAL)
        ins.index = kernel_add_literal(kernel, ins.dtype, h->whole->literals[ins.index]);
    if (ins.kind == INS_NUMBER)
        ins.index = kernel_add_number(kernel, ins.dtype, h->whole->literal_sources[ins.index]);
    if (ins.kind == INS_STORE)
        ins.index -= h->whole->load_count;
    return ins;
}

/* Adds the stores of a piece's roots. The first piece has its stores already. */
static void add_stores(struct hoisting *h, const struct cut *piece, struct kernel *kernel)
{
    const struct kernel *whole = h->whole;
    const int *kept = piece->table ? h->table : h->temporary;
    kernel_number_stores(kernel);
    for (int a = whole->load_count; piece == h->pieces && a < whole->access_count; a++)
        kernel_add_access(kernel, whole->accesses[a]);
    for (int r = 0; r < piece->root_count; r++) {
        int root = piece->roots[r];
        enum weft_dtype dtype = whole->ins[root].dtype;
        const struct access access = {piece->table ? TENSOR_TABLE : TENSOR_TEMPORARY, kept[root], dtype, 0};
        kernel_add_ins(kernel, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {h->number[root], -1, -1},
                                            kernel_add_access(kernel, access), whole->ins[root].span});
    }
}

static struct kernel *build(struct hoisting *h, const struct cut *piece)
{
    struct kernel *kernel = kernel_like(h->arena, h->whole);
    if (piece != h->pieces) {
        kernel->results = NULL;
        kernel->result_count = kernel->fault_count = 0;
    }
    int bytes = -1; /* the load that replaces all uint8 tensors in a table's kernel */
    for (int i = 0; i < h->whole->ins_count; i++) {
        bool byte = piece->table && h->depends[i] == i;
        h->number[i] = byte ? bytes : -1;
        if (h->fate[i] == UNUSED || h->number[i] >= 0)
            continue;
        h->number[i] = kernel->ins_count;
        bytes = byte ? kernel->ins_count : bytes;
        kernel_add_ins(kernel, translate(h, piece, kernel, i));
    }
    add_stores(h, piece, kernel);
    return kernel;
}

/* ---- the pass ---- */

/* The piece with the most elements that was not built yet; -1: all were. */
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
    for (int p; (p = next_piece(h)) >= 0;) {
        mark(h, p);
        h->pieces[p].done = true;
        struct hoisted_kernel kernel = {build(h, &h->pieces[p]), space_shape(h, h->pieces[p].space)};
        ARENA_PUSH(h->arena, h->hoisted->kernels, h->hoisted->count, kernel);
    }
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
