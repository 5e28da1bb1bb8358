/* Implements split.h. */
#include "compiler/ir/split.h"

#include "compiler/check/check.h"
#include "compiler/ir/index_map.h"

#include <string.h>

/* ---- where to split ---- */

int64_t found_weight(const struct shape *space)
{
    int64_t run = 1;
    for (int d = space->rank - 1; d >= 0 && run == 1; d--)
        run = space->extents[d];
    return NUMBER_WEIGHT + (run > 0 ? RUN_WEIGHT / run : 0);
}

/* Positions of the iteration space in front of which it is cut. */
struct cuts {
    int count[WEFT_MAX_RANK];
    int64_t at[WEFT_MAX_RANK][MOST_PARTS];
    int turning;                   /* loads that else find elements by number */
};

static void add_cut(struct cuts *cuts, int d, int64_t at)
{
    int i = cuts->count[d];
    while (i > 0 && cuts->at[d][i - 1] > at)
        i--;
    if ((i > 0 && cuts->at[d][i - 1] == at) || cuts->count[d] == MOST_PARTS)
        return;
    memmove(&cuts->at[d][i + 1], &cuts->at[d][i], (size_t)(cuts->count[d]++ - i) * sizeof at);
    cuts->at[d][i] = at;
}

/* Cuts where positions pass from one side of `position` to the other. */
static void cut_at(struct cuts *cuts, const struct reach *reach, int64_t position)
{
    const int64_t distance = position - reach->first;
    if (reach->from < 0)
        return;
    const int64_t i = reach->step > 0 ? (distance + reach->step - 1) / reach->step : -distance / -reach->step + 1;
    if ((reach->step > 0) == (distance > 0) && i > 0 && i < reach->count)
        add_cut(cuts, reach->from, i);
}

static void cut_turn(void *user, int d, int64_t at)
{
    add_cut(user, d, at);
}

/* Whether a step moves elements round an end, or reads neighbours. One that goes round in longer rows (concat) is a
 * matter of masks. */
static bool moves(const struct index_map *step)
{
    return step->outside == OUTSIDE_EDGE || step->outside == OUTSIDE_VALUE ||
           (step->outside == OUTSIDE_WRAP && shapes_equal(step->from, step->to));
}

static void find_cuts(const struct kernel *kernel, struct cuts *cuts)
{
    struct reach reach;
    *cuts = (struct cuts){.turning = 0};
    for (int m = 0; m < kernel->mask_count; m++)
        if (kernel->masks[m].constant < 0 &&
            map_reach(kernel, kernel->masks[m].where, kernel->masks[m].dimension, &reach))
            cut_at(cuts, &reach, kernel->masks[m].ones);
    for (int a = 0; a < kernel->load_count; a++) {
        const struct mask *mask = find_mask(kernel, &kernel->accesses[a]);
        if (mask && map_reach(kernel, mask->where, mask->dimension, &reach))
            cut_at(cuts, &reach, mask->ones);
        bool turns = false;
        for (int m = kernel->accesses[a].map; m; m = kernel->maps[m].parent)
            if (moves(&kernel->maps[m])) {
                map_turns(kernel, &kernel->maps[m], cut_turn, cuts);
                turns = true;
            }
        cuts->turning += turns;
    }
}

/* Drops cuts of other spaces than the kernel's, to which maps that it no longer reads anything under lead. */
static void drop_outside(struct cuts *cuts, const struct shape *space)
{
    for (int d = 0; d < space->rank; d++)
        while (cuts->count[d] && cuts->at[d][cuts->count[d] - 1] >= space->extents[d])
            cuts->count[d]--;
}

/* Leaves together what alternates along the innermost dimension, as in stack(r, g, b, axis=-1): each value is then
 * stretched, which is a matter of vectors (ACCESS_INTERLEAVED), and parts of their own would write each cache line
 * again. Neighbours would be found by number, which takes far longer. */
static void keep_alternating(struct cuts *cuts, const struct shape *space)
{
    const int last = space->rank - 1;
    if (last >= 0 && !cuts->turning && space->extents[last] <= INTERLEAVED_MOST &&
        cuts->count[last] == space->extents[last] - 1)
        cuts->count[last] = 0;
}

/* The number of parts; 1 where splitting does not pay. */
static int64_t count_parts(const struct cuts *cuts, const struct shape *space)
{
    const int64_t volume = shape_volume(space);
    int64_t parts = 1;
    for (int d = 0; d < space->rank && parts <= MOST_PARTS; d++)
        parts *= cuts->count[d] + 1;
    const int64_t each = parts <= MOST_PARTS ? volume / parts : 0;
    return each >= LEAST_PART || each * cuts->turning * found_weight(space) >= LAUNCH_C ? parts : 1;
}

/* ---- a part ---- */

struct splitting {
    const struct kernel *whole;
    struct kernel *part;
    int *map;                      /* [maps of the whole] those of the part */
    signed char *known;            /* [ins] of the whole, a bool whose value is known here; -1: it is not */
    int *same;                     /* [ins] the instruction whose value it has here */
    int *number;                   /* [ins] its number in the part; -1: not needed */
};

/* Fills in the part's maps. False where there are too many. */
static bool place_maps(struct splitting *s, const struct shape *piece, const int64_t *first)
{
    struct kernel *part = s->part;
    const struct shape *space = s->whole->maps[0].to;
    struct axis *box = ARENA_ARRAY(part->arena, struct axis, space->rank);
    part->maps = NULL;
    part->map_count = 0;
    ARENA_PUSH(part->arena, part->maps, part->map_count, ((struct index_map){.parent = -1, .to = piece}));
    for (int d = 0; d < space->rank; d++)
        box[d] = (struct axis){d, {first[d], first[d] + piece->extents[d], 1, true, true}};
    s->map[0] = map_select(part, 0, piece, space, box);
    for (int m = 1; m < s->whole->map_count; m++) {
        s->map[m] = map_again(part, s->map[s->whole->maps[m].parent], &s->whole->maps[m]);
        if (s->map[m] < 0)
            return false;
    }
    part->masks = ARENA_ARRAY(part->arena, struct mask, s->whole->mask_count);
    for (int m = 0; m < s->whole->mask_count; m++) {
        part->masks[m] = s->whole->masks[m];
        part->masks[m].map = s->map[part->masks[m].map];
        part->masks[m].where = s->map[part->masks[m].where];
    }
    return true;
}

/* What a load of a true that lies inside bounds gives in the part; -1: it is none, or both. */
static int inside_value(const struct splitting *s, const struct access *access)
{
    const struct index_map *step = &s->whole->maps[access->map];
    return access->kind == TENSOR_CONSTANT && access->dtype == WEFT_BOOL && step->outside == OUTSIDE_VALUE &&
                   s->whole->constants[access->index].bytes == 1 &&
                   *(const unsigned char *)s->whole->constants[access->index].data
               ? map_inside(s->part, s->map[step->parent], step) : -1;
}

/* What a mask gives in the part; -1: both. */
static int mask_value(const struct splitting *s, const struct access *access)
{
    const struct mask *mask = find_mask(s->whole, access);
    struct reach reach;
    if (!mask)
        return inside_value(s, access);
    if (!map_reach(s->part, s->map[mask->where], mask->dimension, &reach))
        return -1;
    const int64_t last = reach.first + reach.step * (reach.count - 1);
    return reach.first < mask->ones && last < mask->ones ? 1 : reach.first >= mask->ones && last >= mask->ones ? 0 : -1;
}

static int known_at(const struct splitting *s, int i)
{
    return i < 0 ? -1 : s->known[s->same[i]];
}

/* Finds what a row on bools of which one is known gives: its value, or the instruction that gives it. */
static void fold(struct splitting *s, int i)
{
    const struct ins *ins = &s->whole->ins[i];
    const int x = known_at(s, ins->a[0]), y = known_at(s, ins->a[1]);
    if (ins->op == OP_WHERE && x >= 0)
        s->same[i] = s->same[ins->a[x ? 1 : 2]];
    else if (ins->op == OP_NOT && x >= 0)
        s->known[i] = (signed char)!x;
    else if ((ins->op == OP_AND || ins->op == OP_OR) && (x >= 0 || y >= 0)) {
        const int value = x >= 0 ? x : y, other = ins->a[x >= 0 ? 1 : 0];
        if (value == (ins->op == OP_OR))
            s->known[i] = (signed char)value;
        else
            s->same[i] = s->same[other];
    }
}

static void find_values(struct splitting *s)
{
    for (int i = 0; i < s->whole->ins_count; i++) {
        const struct ins *ins = &s->whole->ins[i];
        s->same[i] = i;
        s->known[i] = ins->kind == INS_LOAD ? (signed char)mask_value(s, &s->whole->accesses[ins->index]) : -1;
        if (ins->kind == INS_OP && (ins->op == OP_WHERE || ins->source == WEFT_BOOL))
            fold(s, i);
        s->number[i] = -1;
    }
}

/* Whether a store or a remark is of this part. */
static bool is_end(const struct splitting *s, int i)
{
    const struct ins *ins = &s->whole->ins[i];
    return ins->kind == INS_STORE || (ins->kind == INS_FAULT && known_at(s, ins->a[2]) != 0);
}

/* Marks with 0 what the part needs. */
static void find_needed(struct splitting *s)
{
    for (int i = s->whole->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &s->whole->ins[i];
        if (s->number[i] < 0 && !is_end(s, i))
            continue;
        s->number[i] = 0;
        for (int k = 0; k < 3 && s->known[i] < 0; k++)
            if (ins->a[k] >= 0 && !(ins->kind == INS_FAULT && k == 2 && known_at(s, ins->a[2]) > 0))
                s->number[s->same[ins->a[k]]] = 0;
    }
}

static struct ins translate(struct splitting *s, int i)
{
    const struct kernel *whole = s->whole;
    struct ins ins = whole->ins[i];
    for (int k = 0; k < 3; k++)
        ins.a[k] = ins.a[k] < 0 ? -1 : s->number[s->same[ins.a[k]]];
    if (s->known[i] >= 0)
        return (struct ins){INS_LITERAL, OP_COUNT, WEFT_BOOL, WEFT_BOOL, {-1, -1, -1},
                            kernel_add_literal(s->part, WEFT_BOOL, (union scalar){.bits = (uint64_t)s->known[i]}),
                            ins.span};
    if (ins.kind == INS_LITERAL)
        ins.index = kernel_add_literal(s->part, ins.dtype, whole->literals[ins.index]);
    else if (ins.kind == INS_NUMBER)
        ins.index = kernel_add_number(s->part, ins.dtype, whole->literal_sources[ins.index]);
    else if (ins.kind == INS_STORE)
        ins.index -= whole->load_count;
    else if (ins.kind == INS_FAULT && known_at(s, whole->ins[i].a[2]) > 0)
        ins.a[2] = -1;
    else if (ins.kind == INS_LOAD || ins.kind == INS_TAKE || ins.kind == INS_LOOKUP) {
        struct access access = whole->accesses[ins.index];
        access.map = s->map[access.map];
        ins.index = kernel_add_access(s->part, access);
    }
    return ins;
}

/* NULL where there are too many maps. */
static struct kernel *make_part(const struct kernel *whole, const struct shape *piece, const int64_t *first)
{
    const size_t count = (size_t)whole->ins_count;
    struct arena *arena = whole->arena;
    struct splitting s = {.whole = whole, .part = kernel_like(arena, whole),
                          .map = ARENA_ARRAY(arena, int, whole->map_count),
                          .known = ARENA_ARRAY(arena, signed char, count), .same = ARENA_ARRAY(arena, int, count),
                          .number = ARENA_ARRAY(arena, int, count)};
    if (!place_maps(&s, piece, first))
        return NULL;
    find_values(&s);
    find_needed(&s);
    for (int i = 0; i < whole->ins_count; i++)
        if (s.number[i] >= 0)
            s.number[i] = kernel_add_ins(s.part, translate(&s, i));
    kernel_number_stores(s.part);
    for (int a = whole->load_count; a < whole->access_count; a++) {
        struct access access = whole->accesses[a];
        access.map = s.map[access.map];
        kernel_add_access(s.part, access);
    }
    return s.part;
}

/* ---- all parts ---- */

/* Box number `part`: its first position and its extents. */
static const struct shape *find_box(struct arena *arena, const struct cuts *cuts, const struct shape *space,
                                    int64_t part, int64_t *first)
{
    struct shape *piece = arena_copy(arena, space, sizeof *piece);
    for (int d = space->rank - 1; d >= 0; d--) {
        const int count = cuts->count[d] + 1, i = (int)(part % count);
        const int64_t end = i < cuts->count[d] ? cuts->at[d][i] : space->extents[d];
        first[d] = i ? cuts->at[d][i - 1] : 0;
        piece->extents[d] = end - first[d];
        part /= count;
    }
    return piece;
}

void split_kernel(struct kernel_program *program, const struct program_kernel *whole)
{
    const struct kernel *kernel = whole->kernel;
    struct cuts *cuts = ARENA_NEW(program->arena, struct cuts);
    struct program_kernel *parts = NULL;
    int64_t first[WEFT_MAX_RANK], count = 1;
    int made = 0;
    if (kernel->map_count) {
        find_cuts(kernel, cuts);
        drop_outside(cuts, kernel->maps[0].to);
        keep_alternating(cuts, kernel->maps[0].to);
        count = count_parts(cuts, kernel->maps[0].to);
    }
    for (int64_t part = 0; count > 1 && part < count; part++) {
        struct program_kernel piece = *whole;
        piece.space = find_box(program->arena, cuts, kernel->maps[0].to, part, first);
        piece.kernel = make_part(kernel, piece.space, first);
        piece.narrowed = NULL;
        if (!piece.kernel)
            break;
        ARENA_PUSH(program->arena, parts, made, piece);
    }
    for (int part = 0; made == count && part < made; part++)
        split_kernel(program, &parts[part]);
    if (made < count || count == 1)
        add_kernel(program, *whole);
}
