/* Implements materialize.h. Instructions are marked from the results backwards, one piece (a kernel to be) after the
 * other, larger shapes first. Where a piece needs a value that another piece should compute, the value becomes a root
 * of that other piece. So every piece has all its roots when its turn comes, each value is stored once however many
 * kernels read it, and the kernels run in reverse order. */
#include "compiler/ir/materialize.h"

#include "compiler/ir/index_map.h"

#include <string.h>

enum { MAX_WEIGHT = 1 << 20 };

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

struct materializing {
    struct arena *arena;
    const struct kernel *whole;
    unsigned fast;
    int64_t saved;                 /* the least saving, weight times elements */
    struct materialized *materialized;
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
static int add_space(struct materializing *m, int map, const struct shape *shape)
{
    int skip = 0, found = 0;
    struct space own = {.volume = shape_volume(shape)};
    own.map = own.volume == 1 ? 0 : map;
    while (skip < shape->rank && shape->extents[skip] == 1)
        skip++;
    own.shape.rank = shape->rank - skip;
    memcpy(own.shape.extents, shape->extents + skip, (size_t)own.shape.rank * sizeof shape->extents[0]);
    for (; found < m->space_count; found++)
        if (m->spaces[found].map == own.map && shapes_equal(&m->spaces[found].shape, &own.shape))
            return found;
    ARENA_PUSH(m->arena, m->spaces, m->space_count, own);
    return found;
}

/* The space over which a function of two values varies. If they are seen through different maps,
 * it varies over everything. */
static int broadcast(struct materializing *m, int first, int second)
{
    const struct space *x = &m->spaces[first], *y = &m->spaces[second];
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
    return add_space(m, x->map, &both);
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
static int number_under(const struct materializing *m, int map)
{
    const int step = map_taken_step(m->whole->maps, map);
    for (int i = 0; step && i < m->whole->ins_count; i++) {
        const struct ins *ins = &m->whole->ins[i];
        if (ins->kind == INS_TAKE && map_taken_step(m->whole->maps, map_of(m->whole, ins)) == step)
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
static int total_weight(const struct materializing *m, const struct ins *ins)
{
    int64_t divisor;
    int weight = literal_divisor(m->whole, ins, &divisor) ? DIVISOR_WEIGHT : op_weight(ins->op, ins->source);
    bool varies = false;
    for (int k = 0; k < 3; k++) {
        int a = ins->a[k];
        if (a < 0)
            continue;
        varies = varies || is_load(&m->whole->ins[a]) || m->weight[a] > 0;
        weight += k == 0 || a != ins->a[k - 1] ? m->weight[a] : 0;
    }
    return !varies ? 0 : weight < MAX_WEIGHT ? weight : MAX_WEIGHT;
}

/* Under a bounded map a load may give a value that is not in memory, so it varies over everything. The same holds where
 * the 0 of an element that is not there is used. */
static int load_space(struct materializing *m, const struct ins *load, const struct shape *const *access_shapes)
{
    const struct access *access = &m->whole->accesses[load->index];
    const bool absent = access->alone || (load->kind == INS_TAKE && shape_volume(access_shapes[load->index]) == 1);
    return absent || map_reads_value(m->whole, access->map) ? 0 : add_space(m, access->map, access_shapes[load->index]);
}

/* Whether the instruction chooses, by one condition for all elements, between a taken element and another value: what
 * it gives where the position lies outside is no value of what is taken from. */
static bool guards(const struct materializing *m, const struct ins *ins)
{
    const int condition = ins->kind == INS_OP && ins->op == OP_WHERE ? ins->a[0] : -1;
    return condition >= 0 && m->spaces[m->space[condition]].volume == 1;
}

static void analyse(struct materializing *m, int scalar, const struct shape *const *access_shapes)
{
    for (int i = 0; i < m->whole->ins_count; i++) {
        const struct ins *ins = &m->whole->ins[i];
        m->space[i] = is_load(ins) ? load_space(m, ins, access_shapes) : scalar;
        m->depends[i] = NO_TENSOR;
        if (is_load(ins) && m->spaces[m->space[i]].volume != 1)
            m->depends[i] = ins->kind == INS_LOAD && ins->dtype == WEFT_UINT8 ? i : OTHER_TENSORS;
        for (int k = 0; k < 3; k++)
            if (own_operand(ins, k) >= 0) {
                m->space[i] = broadcast(m, m->space[i], m->space[ins->a[k]]);
                m->depends[i] = combine(m->depends[i], m->depends[ins->a[k]]);
            }
        if (ins->kind == INS_WEIGH) { /* it varies with the place, whatever that has */
            m->space[i] = 0;
            m->depends[i] = OTHER_TENSORS;
        }
        if (guards(m, ins) && map_taken_step(m->whole->maps, m->spaces[m->space[i]].map))
            m->space[i] = 0;
        m->weight[i] = ins->kind == INS_OP ? total_weight(m, ins) : 0;
        m->temporary[i] = m->table[i] = -1;
    }
}

/* ---- choosing ---- */

static bool worth_storing(const struct materializing *m, const struct cut *piece, int i)
{
    int64_t own = m->spaces[m->space[i]].volume, elements = m->spaces[piece->space].volume;
    bool there = m->temporary[i] >= 0;
    bool pays = elements >= m->saved / m->weight[i] && own <= m->spaces[0].volume - m->kept;
    return (m->fast & FAST_HOIST) && !(piece->table && m->depends[i] != NO_TENSOR) && own > 0 &&
           own <= elements / MATERIALIZE_RATIO && m->weight[i] >= MATERIALIZE_WEIGHT && (there || pays);
}

static bool worth_a_table(const struct materializing *m, const struct cut *piece, int i)
{
    return (m->fast & FAST_TABLE) && !piece->table && m->depends[i] >= 0 &&
           m->weight[i] >= TABLE_WEIGHT && m->spaces[piece->space].volume >= TABLE_SAVED;
}

static int find_piece(struct materializing *m, int space, bool table)
{
    for (int p = 1; p < m->piece_count; p++)
        if (m->pieces[p].space == space && m->pieces[p].table == table)
            return p;
    ARENA_PUSH(m->arena, m->pieces, m->piece_count, ((struct cut){.space = space, .table = table}));
    return m->piece_count - 1;
}

static const struct shape *space_shape(struct materializing *m, int space)
{
    return arena_copy(m->arena, &m->spaces[space].shape, sizeof(struct shape));
}

/* Makes a piece over `space` store instruction i. */
static void keep(struct materializing *m, int *kept, int i, int space, bool table)
{
    if (kept[i] >= 0)
        return;
    struct materialized *materialized = m->materialized;
    int p = find_piece(m, space, table);
    struct cut *piece = &m->pieces[p];
    const struct temporary temporary = {m->whole->ins[i].dtype, space_shape(m, space)};
    kept[i] = materialized->temporary_count;
    m->kept += m->spaces[space].volume;
    ARENA_PUSH(m->arena, piece->roots, piece->root_count, i);
    ARENA_PUSH(m->arena, materialized->temporaries, materialized->temporary_count, temporary);
}

static enum fate choose(struct materializing *m, int p, int i)
{
    const struct shape entries = {.rank = 1, .extents = {TABLE_ENTRIES}};
    if (worth_storing(m, &m->pieces[p], i)) {
        keep(m, m->temporary, i, m->space[i], false);
        return STORED;
    }
    if (worth_a_table(m, &m->pieces[p], i)) {
        keep(m, m->table, i, add_space(m, 0, &entries), true);
        return LOOKED_UP;
    }
    return COMPUTED;
}

static void need(struct materializing *m, int i)
{
    if (i >= 0 && m->fate[i] == UNUSED)
        m->fate[i] = COMPUTED;
}

/* Whether a piece finds what it reads under this map by numbers that it computes: it does not loop over that itself. */
static bool takes_numbers(const struct materializing *m, const struct cut *piece, int map)
{
    return map != m->spaces[piece->space].map && map_taken_step(m->whole->maps, map);
}

/* Marks the operands that an instruction needs in a piece. The fault of a division does not need the dividend. */
static void need_operands(struct materializing *m, const struct cut *piece, int i)
{
    const struct ins *ins = &m->whole->ins[i];
    const bool divides = ins->kind == INS_FAULT && op_divides(ins->op, ins->source);
    if (ins->kind == INS_TAKE && !takes_numbers(m, piece, map_of(m->whole, ins)))
        return;
    for (int k = divides; k < 3; k++)
        need(m, ins->a[k]);
}

/* Decides the fates of all instructions in piece p. Returns whether it takes any value from other pieces. */
static bool mark(struct materializing *m, int p)
{
    bool cut = false;
    memset(m->fate, UNUSED, (size_t)m->whole->ins_count);
    for (int r = 0; r < m->pieces[p].root_count; r++)
        m->fate[m->pieces[p].roots[r]] = COMPUTED;
    for (int i = m->whole->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &m->whole->ins[i];
        if (p == 0 && (ins->kind == INS_STORE || ins->kind == INS_FAULT))
            m->fate[i] = COMPUTED;
        if (m->fate[i] == UNUSED)
            continue;
        if (m->weight[i] > 0)
            m->fate[i] = (unsigned char)choose(m, p, i);
        if (m->fate[i] == COMPUTED)
            need_operands(m, &m->pieces[p], i);
        if (m->fate[i] == STORED && takes_numbers(m, &m->pieces[p], m->spaces[m->space[i]].map))
            need(m, number_under(m, m->spaces[m->space[i]].map));
        if (m->fate[i] == LOOKED_UP)
            m->fate[m->depends[i]] = COMPUTED;
        cut = cut || m->fate[i] != COMPUTED;
    }
    return cut;
}

/* ---- building a piece's kernel ---- */

/* What load i, or instruction i if it is stored, reads in this piece. The piece loops over the space to which its map
 * leads, so what has the same map is read directly. */
static struct access load_access(const struct materializing *m, const struct cut *piece, int i)
{
    const struct ins *ins = &m->whole->ins[i];
    if (piece->table && m->depends[i] == i)
        return (struct access){TENSOR_BYTES, 0, ins->dtype, 0, false};
    struct access access = {TENSOR_TEMPORARY, m->temporary[i], ins->dtype, m->spaces[m->space[i]].map, false};
    if (m->fate[i] != STORED)
        access = m->whole->accesses[ins->index];
    if (access.map == m->spaces[piece->space].map)
        access.map = 0;
    return access;
}

/* Translates instruction i into the piece. Loads are numbered already, so each access is another one. For now stores
 * are numbered from 0. */
static struct ins translate(struct materializing *m, const struct cut *piece, struct kernel *kernel, int i)
{
    struct ins ins = m->whole->ins[i];
    const struct access table = {TENSOR_TABLE, m->table[i], ins.dtype, 0};
    for (int k = 0; k < 3; k++)
        ins.a[k] = ins.a[k] < 0 ? -1 : m->number[ins.a[k]];
    if (m->fate[i] == LOOKED_UP)
        return (struct ins){INS_LOOKUP, OP_COUNT, ins.dtype, WEFT_UINT8,
                            {m->number[m->depends[i]], -1, -1}, kernel_add_access(kernel, table), ins.span};
    if (m->fate[i] == STORED || is_load(&ins)) {
        const struct access access = load_access(m, piece, i);
        const int number = number_under(m, access.map);
        return (struct ins){number < 0 ? INS_LOAD : INS_TAKE, OP_COUNT, ins.dtype, ins.dtype,
                            {number < 0 ? -1 : m->number[number], -1, -1}, kernel_add_access(kernel, access), ins.span};
    }
    if (ins.kind == INS_LITERAL)
        ins.index = kernel_add_literal(kernel, ins.dtype, m->whole->literals[ins.index]);
    if (ins.kind == INS_NUMBER)
        ins.index = kernel_add_number(kernel, ins.dtype, m->whole->literal_sources[ins.index]);
    if (ins.kind == INS_STORE)
        ins.index -= m->whole->load_count;
    return ins;
}

/* Adds the stores of a piece's roots. The first piece has its stores already. */
static void add_stores(struct materializing *m, const struct cut *piece, struct kernel *kernel)
{
    const struct kernel *whole = m->whole;
    const int *kept = piece->table ? m->table : m->temporary;
    kernel_number_stores(kernel);
    for (int a = whole->load_count; piece == m->pieces && a < whole->access_count; a++)
        kernel_add_access(kernel, whole->accesses[a]);
    for (int r = 0; r < piece->root_count; r++) {
        int root = piece->roots[r];
        enum weft_dtype dtype = whole->ins[root].dtype;
        const struct access access = {piece->table ? TENSOR_TABLE : TENSOR_TEMPORARY, kept[root], dtype, 0};
        kernel_add_ins(kernel, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {m->number[root], -1, -1},
                                            kernel_add_access(kernel, access), whole->ins[root].span});
    }
}

static struct kernel *build(struct materializing *m, const struct cut *piece)
{
    struct kernel *kernel = kernel_like(m->arena, m->whole);
    if (piece != m->pieces) {
        if (kernel->map_count) { /* it goes over its own space */
            kernel->maps = arena_copy(m->arena, kernel->maps, (size_t)kernel->map_count * sizeof *kernel->maps);
            kernel->maps[0].to = space_shape(m, piece->space);
        }
        kernel->results = NULL;
        kernel->result_count = kernel->fault_count = 0;
    }
    int bytes = -1; /* the load that replaces all uint8 tensors in a table's kernel */
    for (int i = 0; i < m->whole->ins_count; i++) {
        bool byte = piece->table && m->depends[i] == i;
        m->number[i] = byte ? bytes : -1;
        if (m->fate[i] == UNUSED || m->number[i] >= 0)
            continue;
        m->number[i] = kernel->ins_count;
        bytes = byte ? kernel->ins_count : bytes;
        kernel_add_ins(kernel, translate(m, piece, kernel, i));
    }
    add_stores(m, piece, kernel);
    return kernel;
}

/* ---- the pass ---- */

/* The piece with the most elements that was not built yet; -1: all were. */
static int next_piece(const struct materializing *m)
{
    int next = -1;
    for (int p = 1; p < m->piece_count; p++)
        if (!m->pieces[p].done && (next < 0 || m->spaces[m->pieces[p].space].volume >
                                                   m->spaces[m->pieces[next].space].volume))
            next = p;
    return next;
}

static void cut_pieces(struct materializing *m)
{
    for (int p; (p = next_piece(m)) >= 0;) {
        mark(m, p);
        m->pieces[p].done = true;
        struct materialized_kernel kernel = {build(m, &m->pieces[p]), space_shape(m, m->pieces[p].space)};
        ARENA_PUSH(m->arena, m->materialized->kernels, m->materialized->count, kernel);
    }
}

struct kernel *materialize(struct arena *arena, struct kernel *whole, const struct shape *shape,
                           const struct shape *const *access_shapes, unsigned fast, int64_t saved,
                           struct materialized *materialized)
{
    struct materializing m = {.arena = arena, .whole = whole, .fast = fast, .saved = saved,
                              .materialized = materialized};
    int *numbers = ARENA_ARRAY(arena, int, 6 * (size_t)whole->ins_count);
    int **const arrays[] = {&m.space, &m.weight, &m.depends, &m.temporary, &m.table, &m.number};
    for (int k = 0; k < 6; k++)
        *arrays[k] = numbers + (ptrdiff_t)k * whole->ins_count;
    m.fate = ARENA_ARRAY(arena, unsigned char, whole->ins_count);
    add_space(&m, 0, shape);
    if (m.spaces[0].volume < 1 || !(fast & (FAST_HOIST | FAST_TABLE)))
        return whole;
    analyse(&m, add_space(&m, 0, &(struct shape){.rank = 0}), access_shapes);
    ARENA_PUSH(arena, m.pieces, m.piece_count, ((struct cut){.done = true}));
    if (!mark(&m, 0))
        return whole;
    struct kernel *rest = build(&m, &m.pieces[0]);
    cut_pieces(&m);
    return rest;
}
