/* The lines of stage groups about loads and stores: which element, in which order, how, and together with what. The
 * table in docs/debugging.md has all wordings. Which element comes from the index map (dump_index.c), the order from
 * the geometry's strides, and how from what the emitter chooses (access_ways). */
#include "compiler/dump/dump_impl.h"
#include "compiler/ir/ir.h"

#include <string.h>

/* The accesses of a kernel while they are told. */
struct telling {
    const struct dumped *of;
    const struct access_way *ways;
    int *numbers;                  /* [accesses] of loads, from 1 on; 0 of constants */
};

/* ---- order ---- */

/* How an access goes along one or more groups, innermost first. Those that are one step for it are one. */
struct leg {
    int64_t extent, apart;         /* in elements */
};

static int find_legs(const struct dumped *dumped, int a, struct leg *legs)
{
    const struct geometry *g = dumped->geometry;
    const int size = type_rows[dumped->kernel->accesses[a].dtype].size;
    int count = 0;
    for (int i = g->merged_count - 1; i >= 0; i--) {
        const int64_t apart = g->merged_strides[(ptrdiff_t)i * dumped->kernel->access_count + a] / size;
        if (g->merged[i] == 1)
            continue;
        if (count && legs[count - 1].apart * legs[count - 1].extent == apart)
            legs[count - 1].extent *= g->merged[i];
        else
            legs[count++] = (struct leg){g->merged[i], apart};
    }
    return count;
}

static const char *ordinal(long long number)
{
    const long long tens = number % 100, ones = number % 10;
    return tens >= 11 && tens <= 13 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
}

static void put_step(struct buf *buf, int64_t apart)
{
    enum { FEW = 16 };             /* elements that people count */
    const long long step = apart < 0 ? -apart : apart;
    if (step == 1)
        buf_puts(buf, apart < 0 ? "backwards" : "element after element");
    else if (step <= FEW)
        buf_printf(buf, "every %lld%s element%s", step, ordinal(step), apart < 0 ? ", backwards" : "");
    else
        buf_printf(buf, "%lld elements apart%s", step, apart < 0 ? ", backwards" : "");
}

/* The order of an access that has two strides or more: of the innermost two. */
static void put_runs(struct buf *buf, const struct leg *legs, int count, int64_t columns)
{
    const long long few = legs[0].extent, jump = legs[1].apart < 0 ? -legs[1].apart : legs[1].apart;
    const bool run = legs[0].apart == 1 || legs[0].apart == -1;
    if (!legs[0].apart) {
        put_step(buf, legs[1].apart);
        buf_printf(buf, ", each %lld times", few);
        return;
    }
    const bool all = !legs[1].apart && count == 2;
    if (all)
        buf_printf(buf, "the same %lld elements %s", few, columns == few ? "for each row" : "again and again");
    else
        buf_printf(buf, run ? "runs of %lld" : "groups of %lld", few);
    if (legs[0].apart != 1) {
        buf_puts(buf, run && !all ? ", each " : ", ");
        put_step(buf, legs[0].apart);
    }
    if (all)
        return;
    if (!legs[1].apart)
        buf_printf(buf, ", each %lld times", (long long)legs[1].extent);
    else if (!run || jump != few)
        buf_printf(buf, run ? "; from run to run %lld element%s" : "; from group to group %lld element%s", jump,
                   jump == 1 ? "" : "s");
    if (legs[1].apart < 0)
        buf_printf(buf, ", the last %s first", run ? "run" : "group");
}

/* The further strides, from the innermost to the outermost. */
static void put_again(struct buf *buf, const struct leg *legs, int count)
{
    for (int i = 2; i < count; i++) {
        const long long jump = legs[i].apart < 0 ? -legs[i].apart : legs[i].apart;
        if (!jump)
            buf_printf(buf, "; all of that %lld times", (long long)legs[i].extent);
        else
            buf_printf(buf, "; then again from %lld element%s further %s", jump, jump == 1 ? "" : "s",
                       legs[i].apart < 0 ? "back" : "on");
    }
}

static void put_order(struct buf *buf, const struct dumped *dumped, int a)
{
    struct leg legs[MAX_GROUPS];
    const int count = find_legs(dumped, a, legs);
    const bool stays = access_is(dumped->geometry->kinds[a], STAYS);
    if (!count) {
        buf_puts(buf, "one element");
    } else if (count == 1 && !legs[0].apart) {
        buf_puts(buf, "the same element for all");
    } else if (count == 1) {
        put_step(buf, legs[0].apart);
    } else if (stays) {
        buf_puts(buf, legs[1].apart == 1 ? "one element for each row" : "one element for each row, ");
        if (legs[1].apart != 1)
            put_step(buf, legs[1].apart);
    } else {
        put_runs(buf, legs, count, dumped->geometry->columns);
    }
    put_again(buf, legs, count);
}

/* ---- how ---- */

/* Whether C's helper that gathers a block takes this step by vectors (shuffle_c.h). */
static bool gathers_vectors(const struct geometry *g, int64_t apart, int size)
{
    return g->columns >= BLOCK && (apart == -1 || apart == 2 || apart == 3 || (apart == 4 && size < 8));
}

static const char *strided_way(struct arena *arena, const struct telling *t, int a)
{
    enum { LINE = 64 };
    const struct geometry *g = t->of->geometry;
    const int size = type_rows[t->of->kernel->accesses[a].dtype].size;
    const int64_t bytes = g->strides[(ptrdiff_t)a * (g->groups + 2) + g->groups];
    if (bytes % size == 0 && !g->chunks && a < t->of->kernel->load_count && gathers_vectors(g, bytes / size, size))
        return "by vectors, with shuffles";
    if (g->chunks && !t->of->form->reduces && g->columns > t->of->form->block)
        return arena_printf(arena, "one by one, %lld bytes from thread to thread",
                            (long long)(bytes < 0 ? -bytes : bytes) * t->of->form->block);
    return g->columns > 1 && (bytes >= LINE || bytes <= -LINE) ? "one by one, each in another cache line"
                                                               : "one by one";
}

static void put_way(struct buf *buf, const struct telling *t, int a)
{
    const struct geometry *g = t->of->geometry;
    const char *way = t->ways[a].words ? t->ways[a].words : strided_way(buf->arena, t, a);
    const bool numbered = access_is(g->kinds[a], NUMBERED);
    if (g->volume > 1 || numbered)
        buf_printf(buf, "%s%s", *way && !numbered ? ", " : "", way);
}

/* Says with which other loads it is made. */
static void put_together(struct buf *buf, const struct telling *t, int a)
{
    const struct geometry *g = t->of->geometry;
    const bool interleaved = g->kinds[a] == ACCESS_INTERLEAVED;
    int others = 0, told = 0;
    if (g->kinds[a] == ACCESS_NEAR) {
        buf_printf(buf, ", %d element%s behind load %d", g->near[a].elements, g->near[a].elements == 1 ? "" : "s",
                   t->numbers[g->near[a].first]);
        return;
    }
    for (int b = 0; b < t->of->kernel->load_count; b++)
        others += b != a && t->ways[b].first == t->ways[a].first && g->kinds[b] != ACCESS_NEAR;
    for (int b = 0; b < t->of->kernel->load_count; b++)
        if (b != a && t->ways[b].first == t->ways[a].first && g->kinds[b] != ACCESS_NEAR) {
            if (!told++)
                buf_printf(buf, ", %s load%s %d", interleaved ? "into one block with" : "together with",
                           others > 1 ? "s" : "", t->numbers[b]);
            else
                buf_printf(buf, told < others ? ", %d" : " and %d", t->numbers[b]);
        }
}

/* Says of a load why it is not made together with others that step through the same tensor. */
static void put_alone(struct buf *buf, const struct telling *t, int a)
{
    const struct geometry *g = t->of->geometry;
    const int size = type_rows[t->of->kernel->accesses[a].dtype].size, unread = g->unread[a];
    if (unread)
        buf_printf(buf, ", by itself: %d of every %lld elements %s not read", unread,
                   (long long)g->strides[(ptrdiff_t)a * (g->groups + 2) + g->groups] / size, unread > 1 ? "are" : "is");
}

/* ---- constants ---- */

enum { LISTED = 8 };               /* a constant of more numbers is cut */

/* Whether the elements of a constant are numbers a step apart. */
static bool counts_on(const struct constant *constant, int64_t volume, int64_t *first, int64_t *step)
{
    const int size = type_rows[constant->dtype].size;
    for (int64_t i = 0; i < volume; i++) {
        const union scalar own = scalar_load((const char *)constant->data + i * size, constant->dtype);
        const int64_t value = eval_convert(constant->dtype, WEFT_INT64, false, own).i64;
        if (i == 0)
            *first = value, *step = 0;
        else if (i == 1)
            *step = value - *first;
        else if (value != *first + i * *step)
            return false;
    }
    return volume > 0;
}

static void put_values(struct buf *buf, const struct constant *constant, int64_t volume)
{
    const int size = type_rows[constant->dtype].size;
    for (int64_t i = 0; i < volume && i < LISTED; i++) {
        buf_puts(buf, i ? ", " : "[");
        scalar_print(buf, constant->dtype, scalar_load((const char *)constant->data + i * size, constant->dtype));
    }
    buf_puts(buf, volume > LISTED ? ", ..]" : "]");
}

/* Prints what a constant is that is not in the text: a mask, positions, or a list. */
static void put_made(struct buf *buf, const struct telling *t, int a, const struct index *index)
{
    const struct kernel *kernel = t->of->kernel;
    const struct constant *constant = &kernel->constants[kernel->accesses[a].index];
    const struct mask *mask = find_mask(kernel, &kernel->accesses[a]);
    const int64_t volume = shape_volume(constant->shape);
    struct sum number = index_number(buf->arena, index, constant->shape);
    int64_t first, step;
    if (mask) {
        buf_puts(buf, "mask, true where ");
        sum_put(buf, &number);
        buf_printf(buf, " < %lld", (long long)mask->ones);
    } else if (dtype_is_integer(constant->dtype) && counts_on(constant, volume, &first, &step)) {
        number = sum_add(buf->arena, sum_number(first), sum_scale(buf->arena, number, step));
        buf_puts(buf, "position ");
        sum_put(buf, &number);
    } else {
        put_values(buf, constant, volume);
        put_index(buf, index);
    }
}

/* ---- where it is wanted ---- */

/* The positions at which masks let a value through: of what `text` says, from `low` to before `high`. */
struct wanted {
    const char *text;              /* NULL: everywhere */
    int64_t low, high;
    int64_t top;                   /* the last position that there is */
};

/* The only instruction that reads value i; -1: there are others, or none. */
static int only_user(const struct kernel *kernel, int i)
{
    int user = -1, count = 0;
    for (int at = i + 1; at < kernel->ins_count; at++)
        for (int k = 0; k < 3; k++)
            if (kernel->ins[at].a[k] == i)
                user = at, count++;
    return count == 1 ? user : -1;
}

/* The mask that instruction i loads, true where `number` is less than its `ones`; NULL: none. */
static const struct mask *loaded_mask(struct arena *arena, const struct dumped *dumped, int i, struct sum *number)
{
    const struct kernel *kernel = dumped->kernel;
    const struct ins *ins = &kernel->ins[i];
    const struct mask *mask = ins->kind == INS_LOAD ? find_mask(kernel, &kernel->accesses[ins->index]) : NULL;
    if (!mask)
        return NULL;
    const struct index index = find_index(arena, dumped, ins->index);
    *number = index_number(arena, &index, kernel->constants[mask->constant].shape);
    return *index.outside ? NULL : mask;
}

/* Follows a value as long as one instruction alone reads it, and takes note of the masks that choose it. */
static struct wanted find_wanted(struct arena *arena, const struct dumped *dumped, int a)
{
    const struct kernel *kernel = dumped->kernel;
    struct wanted wanted = {NULL, 0, INT64_MAX, 0};
    int i = 0;
    while (i < kernel->ins_count && (kernel->ins[i].kind != INS_LOAD || kernel->ins[i].index != a))
        i++;
    for (int user; i < kernel->ins_count && (user = only_user(kernel, i)) >= 0; i = user) {
        const struct ins *ins = &kernel->ins[user];
        struct sum number;
        struct buf text = buf_new(arena);
        const bool chosen = ins->kind == INS_OP && ins->op == OP_WHERE && ins->a[0] != i;
        const struct mask *mask = chosen ? loaded_mask(arena, dumped, ins->a[0], &number) : NULL;
        if (!mask)
            continue;
        sum_put(&text, &number);
        if (wanted.text && strcmp(wanted.text, text.text) != 0)
            continue;
        wanted.text = text.text;
        wanted.top = sum_high(&number);
        if (ins->a[1] == i)
            wanted.high = mask->ones < wanted.high ? mask->ones : wanted.high;
        else
            wanted.low = mask->ones > wanted.low ? mask->ones : wanted.low;
    }
    return wanted;
}

static void put_wanted(struct buf *buf, const struct wanted *wanted)
{
    if (wanted->high == wanted->low + 1 || wanted->low == wanted->top)
        buf_printf(buf, ", for %s = %lld", wanted->text, (long long)wanted->low);
    else if (wanted->high == INT64_MAX)
        buf_printf(buf, ", for %s >= %lld", wanted->text, (long long)wanted->low);
    else if (wanted->low == 0)
        buf_printf(buf, ", for %s < %lld", wanted->text, (long long)wanted->high);
    else
        buf_printf(buf, ", for %lld <= %s < %lld", (long long)wanted->low, wanted->text, (long long)wanted->high);
}

/* ---- what ---- */

/* Whether a load reads what an earlier kernel's tiles have, to pass over those that lack what is looked for. */
static bool is_part(const struct kernel *kernel, int a)
{
    return kernel->lanes && kernel->lanes->finds && kernel->lanes->parts == a;
}

static void close_brackets(struct buf *buf, const char *text)
{
    int open = 0;
    for (; *text; text++)
        open += (*text == '[') - (*text == ']');
    while (open-- > 0)
        buf_putc(buf, ']');
}

/* Of a list that a sum of neighbours begins with this access what it holds; else NULL. */
static const char *list_words(const struct kernel *kernel, int a)
{
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind == INS_WEIGH && kernel->ins[ins->a[1]].index == a)
            return "the weights of neighbours";
        if (ins->kind == INS_WEIGH && kernel->ins[ins->a[2]].index == a)
            return "where neighbours lie";
    }
    return NULL;
}

static void put_what(struct buf *buf, const struct telling *t, int a)
{
    const struct kernel *kernel = t->of->kernel;
    const struct access *access = &kernel->accesses[a];
    if (a < kernel->load_count && list_words(kernel, a)) {
        buf_puts(buf, access->kind == TENSOR_TABLE ? access_text(buf->arena, kernel, a) : "constants");
        return;
    }
    if (a < kernel->load_count && access->kind == TENSOR_TABLE) {
        buf_printf(buf, "%s[value]", access_text(buf->arena, kernel, a));
        return;
    }
    if (!t->of->geometry->volume) {
        buf_puts(buf, access_text(buf->arena, kernel, a));
        return;
    }
    struct index index = find_index(buf->arena, t->of, a);
    if (is_part(kernel, a)) /* the map leads to the first tile's; its number is added by the text */
        index.at[1] = sum_taken(buf->arena, "tile", INT64_MAX);
    if (access->kind == TENSOR_CONSTANT && kernel->constants[access->index].shape) {
        put_made(buf, t, a, &index);
    } else {
        const char *name = access_text(buf->arena, kernel, a);
        const bool bytes = access_reinterprets(kernel->program, access);
        buf_printf(buf, bytes ? "(%s as %s)" : "%s", name, type_rows[access->dtype].name);
        if (access->kind == TENSOR_CONSTANT) /* the text of an array literal may be cut */
            close_brackets(buf, name);
        put_index(buf, &index);
    }
    if (*index.outside)
        buf_printf(buf, ", %s", index.outside);
    const struct wanted wanted = t->numbers[a] ? find_wanted(buf->arena, t->of, a) : (struct wanted){.text = NULL};
    if (wanted.text)
        put_wanted(buf, &wanted);
}

static void put_bytes(struct buf *buf, const struct dumped *dumped, int a)
{
    const struct geometry *g = dumped->geometry;
    if (!g->volume || !g->merged_count || access_is(g->kinds[a], NUMBERED))
        return;
    buf_puts(buf, "  (bytes apart");
    for (int i = 0; i < g->merged_count; i++)
        buf_printf(buf, " %lld", (long long)g->merged_strides[(ptrdiff_t)i * dumped->kernel->access_count + a]);
    if (g->starts[a])
        buf_printf(buf, ", from byte %lld", (long long)g->starts[a]);
    buf_puts(buf, ")");
}

/* Whether instructions compute which element is read. */
static bool is_taken(const struct kernel *kernel, int a)
{
    return a < kernel->load_count && kernel->map_count && map_taken_step(kernel->maps, kernel->accesses[a].map);
}

static void put_access(struct buf *buf, const struct telling *t, int a)
{
    const struct dumped *dumped = t->of;
    const struct geometry *g = dumped->geometry;
    const bool load = a < dumped->kernel->load_count;
    buf_puts(buf, load ? (t->numbers[a] ? "  load " : "  const   ") : "  store   ");
    if (t->numbers[a])
        buf_printf(buf, "%-3d", t->numbers[a]);
    buf_printf(buf, "%-8s ", type_rows[load ? dumped->kernel->accesses[a].dtype : stored_dtype(dumped, a)].name);
    put_what(buf, t, a);
    buf_puts(buf, ": ");
    if (!g->volume)
        buf_puts(buf, "nothing");
    else if (load && list_words(dumped->kernel, a))
        buf_puts(buf, list_words(dumped->kernel, a));
    else if (load && dumped->kernel->accesses[a].kind == TENSOR_TABLE)
        buf_puts(buf, "an entry for each value of a uint8");
    else if (is_part(dumped->kernel, a))
        buf_puts(buf, "one element for each tile, says whether it is passed over");
    else if (is_taken(dumped->kernel, a))
        buf_puts(buf, g->chunks ? "where computed positions say, 0 outside; one by one"
                                : "where computed positions say, 0 outside; neighbours in runs, others one by one");
    else {
        if (!access_is(g->kinds[a], NUMBERED))
            put_order(buf, dumped, a);
        put_way(buf, t, a);
        if (load) {
            put_together(buf, t, a);
            put_alone(buf, t, a);
        }
        put_bytes(buf, dumped, a);
    }
    buf_putc(buf, '\n');
}

/* ---- reductions ---- */

/* Finds the reduced dimensions, from `*first` to before `*last`. */
static void find_reduced(const struct dumped *dumped, int *first, int *last)
{
    const struct shape *space = dumped->space;
    int64_t points = 1, inner = 1;
    for (*first = 0; *first < space->rank && points < dumped->kernel->lanes->tiles.points; ++*first)
        points *= space->extents[*first];
    for (*last = space->rank; *last > *first && inner < dumped->kernel->lanes->tiles.inner; --*last)
        inner *= space->extents[*last - 1];
}

static void put_dimensions(struct buf *buf, const struct dumped *dumped, int first, int last, int skip)
{
    bool any = false;
    for (int d = 0; d < dumped->space->rank; d++)
        if ((d >= first && d < last) != skip && dumped->space->extents[d] > 1) {
            buf_printf(buf, any ? ", d%d" : "d%d", d);
            any = true;
        }
}

/* The store of a kernel that joins what it computes. */
static void put_joined(struct buf *buf, const struct dumped *dumped, int a)
{
    const struct lane_tiles *tiles = &dumped->kernel->lanes->tiles;
    const struct shape *to = stored_shape(dumped, a), *space = dumped->space;
    const int64_t results = tiles->points * tiles->inner, volume = shape_volume(to);
    struct sum number = sum_number(0);
    int first, last;
    find_reduced(dumped, &first, &last);
    buf_printf(buf, "  store   %-8s %s", type_rows[stored_dtype(dumped, a)].name,
               access_text(buf->arena, dumped->kernel, a));
    for (int d = 0; d < space->rank; d++)
        if (d < first || d >= last)
            number = sum_add(buf->arena, sum_scale(buf->arena, number, space->extents[d]),
                             sum_position(buf->arena, d, space->extents[d]));
    if (volume == results) {
        const struct index index = number_index_of(buf->arena, number, to);
        put_index(buf, &index);
        buf_printf(buf, ": %lld result%s", (long long)results, results == 1 ? "" : "s, one for each ");
    } else {
        buf_printf(buf, ": %lld values, which another kernel joins to %lld result%s", (long long)volume,
                   (long long)results, results == 1 ? "" : "s, some for each ");
    }
    if (results > 1)
        put_dimensions(buf, dumped, first, last, true);
    if (last > first) {
        buf_puts(buf, ", joined over ");
        put_dimensions(buf, dumped, first, last, false);
    }
    buf_putc(buf, '\n');
}

void put_accesses(struct buf *buf, const struct dumped *dumped)
{
    const struct kernel *kernel = dumped->kernel;
    const struct geometry *g = dumped->geometry;
    const struct emit_params params = {.target = g->chunks ? &target_cuda : &target_c, .form = dumped->form,
                                       .kinds = g->kinds, .near = g->near, .fast = g->fast};
    const struct telling t = {dumped, access_ways(buf->arena, kernel, &params),
                              ARENA_ARRAY(buf->arena, int, kernel->access_count)};
    for (int a = 0, loads = 0; a < kernel->load_count; a++)
        if (kernel->accesses[a].kind != TENSOR_CONSTANT)
            t.numbers[a] = ++loads;
    for (int a = 0; a < kernel->access_count; a++) {
        const struct ins *ins = kernel_access_ins(kernel, a);
        const size_t start = buf->length;
        if (a >= kernel->load_count && kernel->lanes && g->volume)
            put_joined(buf, dumped, a);
        else
            put_access(buf, &t, a);
        if (ins)
            buf_mark(buf, start, ins->span.start, ins->span.end);
    }
}
