/* Implements slide.h. */
#include "compiler/loop/slide.h"

#include <string.h>

enum { MOST_INS = 512 };           /* of a kernel that slides: its loop has fewer */

/* ---- what is computed when ---- */

/* How many rows a load's family reads, but for one; 0: it is alone. */
static int family_rows(const struct near *near, int load)
{
    return near[near[load].first].rows;
}

static bool varies(const struct evaluation *s, int i)
{
    return i >= 0 && s->rate[i] == RATE_BLOCK;
}

/* The row of the loop in which the instruction is computed: a load when its row comes, all else as soon as its operands
 * are there. */
static int find_stage(const struct kernel *kernel, const struct near *near, const struct evaluation *s,
                      const struct slide *slide, int i)
{
    const struct ins *ins = &kernel->ins[i];
    int stage = 0;
    if (ins->kind == INS_LOAD && near[ins->index].still)
        return 0;
    if (ins->kind == INS_LOAD)
        return slide->rows - family_rows(near, ins->index) + near[ins->index].row;
    if (ins->kind == INS_STORE)
        return slide->rows;
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= 0 && slide->stage[ins->a[k]] > stage)
            stage = slide->stage[ins->a[k]];
    return ins_is_argument(ins) || s->rate[i] == RATE_ONCE ? 0 : stage;
}

static int elements_behind(const struct near *near, int load)
{
    return near[load].first == load ? 0 : near[load].elements;
}

/* Whether two loads read the same element in a turn. */
static bool loads_same(const struct near *near, int a, int b)
{
    return near[a].first == near[b].first && family_rows(near, a) &&
           elements_behind(near, a) == elements_behind(near, b);
}

static bool operands_same(const struct slide *slide, const struct evaluation *s, const struct ins *a,
                          const struct ins *b, int stage_a, int stage_b)
{
    for (int k = 0; k < 3; k++) {
        if (a->a[k] == b->a[k] && (stage_a == stage_b || !varies(s, a->a[k])))
            continue;
        if (a->a[k] < 0 || b->a[k] < 0 || slide->same[a->a[k]] != slide->same[b->a[k]] || !varies(s, a->a[k]) ||
            stage_a - slide->stage[a->a[k]] != stage_b - slide->stage[b->a[k]])
            return false;
    }
    return true;
}

/* The first instruction that computes the same in a turn, for whichever row of the result. */
static int find_same(const struct kernel *kernel, const struct near *near, const struct evaluation *s,
                     const struct slide *slide, int i)
{
    const struct ins *ins = &kernel->ins[i];
    if (!varies(s, i) || (ins->kind != INS_LOAD && (ins->kind != INS_OP || s->call[i] || s->slot[i] >= 0)))
        return i;
    for (int b = 0; b < i; b++) {
        const struct ins *other = &kernel->ins[b];
        if (slide->same[b] != b || other->kind != ins->kind || !varies(s, b) || s->level[b] != s->level[i])
            continue;
        if (ins->kind == INS_LOAD ? loads_same(near, other->index, ins->index)
                                  : !s->call[b] && other->op == ins->op && other->dtype == ins->dtype &&
                                        other->source == ins->source &&
                                        operands_same(slide, s, other, ins, slide->stage[b], slide->stage[i]))
            return b;
    }
    return i;
}

/* Notes for how many turns the operands of an instruction are kept. False: it reads them where they are gone, as
 * functions of blocks do, which come behind the loop that keeps values. */
static bool keep_operands(const struct kernel *kernel, const struct evaluation *s, struct slide *slide, int i)
{
    const struct ins *ins = &kernel->ins[i];
    for (int k = 0; k < 3; k++) {
        const int a = ins->a[k], turns = varies(s, a) ? slide->stage[i] - slide->stage[a] : 0;
        if (!turns)
            continue;
        if (s->level[i] || s->call[i] || kernel->ins[a].dtype == WEFT_BOOL)
            return false;
        if (slide->kept[slide->same[a]] < turns)
            slide->kept[slide->same[a]] = turns;
    }
    return true;
}

/* Whether the instruction may be one of a kernel that slides: what comes behind the first loop is of the last row. */
static bool may_slide(const struct kernel *kernel, const struct evaluation *s, const struct slide *slide, int i)
{
    const struct ins *ins = &kernel->ins[i];
    const bool known = ins->kind == INS_LOAD || ins->kind == INS_OP || ins->kind == INS_STORE || ins_is_argument(ins);
    return known && (!varies(s, i) || slide->stage[i] == slide->rows || (!s->level[i] && !s->call[i]));
}

/* Whether it is faster so: loads of a vector along a row mostly cross a cache line, which takes as long as two, and
 * what is kept is loaded and stored. Products that are computed once count, too. */
static bool is_worth_it(const struct kernel *kernel, const struct near *near, const struct slide *slide)
{
    int all = 0, saved = 0;
    for (int i = 0; i < kernel->ins_count; i++) {
        const bool load = kernel->ins[i].kind == INS_LOAD && family_rows(near, kernel->ins[i].index);
        const int own = load ? SLIDE_LOAD : kernel->ins[i].kind == INS_OP ? SLIDE_OP : 0;
        all += own;
        saved += (slide->same[i] != i ? own : 0) - SLIDE_KEEP * slide->kept[i];
    }
    return saved * SLIDE_SAVED >= all;
}

bool find_slide(struct arena *arena, const struct kernel *kernel, const struct near *near,
                const struct evaluation *s, struct slide *slide)
{
    const int count = kernel->ins_count + 1;
    *slide = (struct slide){.stage = ARENA_ARRAY(arena, int, count),
                            .same = ARENA_ARRAY(arena, int, count),
                            .kept = ARENA_ARRAY(arena, int, count)};
    for (int a = 0; near && a < kernel->load_count; a++)
        slide->rows = near[a].rows > slide->rows ? near[a].rows : slide->rows;
    bool slides = slide->rows > 0 && !kernel->fault_count && !kernel->lanes && kernel->ins_count <= MOST_INS;
    for (int i = 0; slides && i < kernel->ins_count; i++) {
        slide->stage[i] = find_stage(kernel, near, s, slide, i);
        slide->same[i] = find_same(kernel, near, s, slide, i);
        slides = may_slide(kernel, s, slide, i) && (slide->same[i] != i || keep_operands(kernel, s, slide, i));
    }
    for (int i = 0; slides && i < kernel->ins_count; i++)
        slide->bytes += slide->kept[i] * type_rows[kernel->ins[i].dtype].size;
    slide->rows = slides && slide->bytes ? slide->rows : 0;
    return slide->rows > 0;
}

void order_slide(struct arena *arena, const struct kernel *kernel, const struct near *near, const struct slide *slide,
                 struct evaluation *s)
{
    int *ready = ARENA_ARRAY(arena, int, kernel->ins_count + 1); /* behind which element of a row */
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        ready[i] = ins->kind == INS_LOAD ? elements_behind(near, ins->index) : 0;
        for (int k = 0; k < 3; k++)
            if (varies(s, ins->a[k]) && slide->stage[ins->a[k]] == slide->stage[i] && ready[ins->a[k]] > ready[i])
                ready[i] = ready[ins->a[k]];
    }
    for (int n = 1; n < s->order_count && !s->level[s->order[n]] && kernel->ins[s->order[n]].kind != INS_STORE; n++) {
        const int i = s->order[n];
        int to = n;
        for (; to > 0 && ready[s->order[to - 1]] > ready[i]; to--)
            s->order[to] = s->order[to - 1];
        s->order[to] = i;
    }
}

/* ---- loads that lie in neighbouring rows ---- */

/* Where load b lies behind load a: whole rows, and elements along a row, which may be fewer than none. False: not
 * throughout, or too far away. */
static bool lies_behind(const struct kernel *kernel, const struct geometry *g, int a, int b, struct near *behind)
{
    const ptrdiff_t each = g->groups + 2;
    const int64_t step = g->strides[a * each + g->groups - 1], apart = g->starts[b] - g->starts[a];
    const int size = type_rows[kernel->accesses[a].dtype].size;
    if (!step || !access_same(&kernel->accesses[a], &kernel->accesses[b]) ||
        memcmp(g->strides + a * each, g->strides + b * each, (size_t)(each - 1) * sizeof *g->strides) != 0)
        return false;
    const int64_t half = (step < 0 ? -step : step) / 2, rows = (apart + (apart < 0 ? -half : half)) / step,
                  rest = apart - rows * step;
    if (rows > SLIDE_ROWS || rows < -SLIDE_ROWS || rest % size || rest > NEAR_MOST * size || rest < -NEAR_MOST * size)
        return false;
    *behind = (struct near){.row = (int)rows, .elements = (int)(rest / size)};
    return true;
}

/* Makes a family of the loads that lie around load a, of which none is in one yet. */
static void find_family(const struct kernel *kernel, const struct geometry *g, int a, struct near *near, bool *done)
{
    int first = a, upper = 0, lower = 0;
    struct near behind;
    for (int b = a; b < kernel->load_count; b++) {
        if (done[b] || (g->kinds[b] != ACCESS_UNIT && g->kinds[b] != ACCESS_NEAR) ||
            !lies_behind(kernel, g, a, b, &behind))
            continue;
        near[b] = behind;
        near[b].first = a;
        first = behind.elements < near[first].elements ? b : first;
        upper = behind.row < upper ? behind.row : upper;
        lower = behind.row > lower ? behind.row : lower;
    }
    const int least = near[first].elements;
    int most = 0;
    for (int b = a; b < kernel->load_count; b++)
        if (!done[b] && near[b].first == a) {
            done[b] = true;
            near[b].elements -= least;
            near[b].row -= upper;
            near[b].first = first;
            most = near[b].elements > most ? near[b].elements : most;
        }
    near[first].elements = most;
    near[first].rows = lower - upper;
}

/* Whether a load reads one element throughout. */
static bool is_still(const struct geometry *g, int a)
{
    bool still = access_is(g->kinds[a], STAYS);
    for (int i = 0; still && i < g->groups; i++)
        still = g->strides[(ptrdiff_t)a * (g->groups + 2) + i] == 0;
    return still;
}

int64_t slide_rows(struct arena *arena, const struct kernel *kernel, struct geometry *g)
{
    struct near *near = ARENA_ARRAY(arena, struct near, kernel->access_count);
    bool *done = ARENA_ARRAY(arena, bool, kernel->load_count + 1);
    unsigned char *kinds = arena_copy(arena, g->kinds, (size_t)kernel->access_count);
    struct evaluation evaluation;
    struct slide slide;
    bool units = g->groups > 0 && g->near && (g->fast & FAST_SLIDE) && kernel->ins_count <= MOST_INS;
    for (int a = 0; units && a < kernel->access_count; a++) {
        near[a].first = a;
        units = a < kernel->load_count || g->kinds[a] == ACCESS_UNIT;
    }
    for (int a = 0; units && a < kernel->load_count; a++)
        near[a].still = is_still(g, a);
    for (int a = 0; units && a < kernel->load_count; a++)
        if (!done[a] && (g->kinds[a] == ACCESS_UNIT || g->kinds[a] == ACCESS_NEAR))
            find_family(kernel, g, a, near, done);
    if (!units)
        return 0;
    for (int a = 0; a < kernel->load_count; a++)
        if (done[a])
            kinds[a] = near[a].first == a ? ACCESS_UNIT : ACCESS_NEAR;
    make_evaluation(arena, kernel, kinds, g->fast, true, &evaluation);
    if (!find_slide(arena, kernel, near, &evaluation, &slide) || !is_worth_it(kernel, near, &slide) ||
        slide.bytes > SLIDE_BYTES / SLIDE_LEAST || g->extents[g->groups - 1] < SLIDE_LEAST_ROWS * slide.rows)
        return 0;
    g->near = near;
    g->kinds = kinds;
    return (int64_t)SLIDE_TILE * slide.rows;
}
