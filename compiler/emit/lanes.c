/* What the skeleton of a reduction needs: how its lanes lie, and how two of them are joined. */
#include "compiler/emit/emit_impl.h"

#include <assert.h>
#include <string.h>

int joined_in_place(const struct emitter *e)
{
    return !e->kernel->lanes || e->params->target->chunks ? -1 : load_joined(e->kernel, e->kinds);
}

/* Whether a reduction in C joins integers in the order of its floats. */
static bool joins_keys(const struct emitter *e)
{
    const struct lanes *lanes = e->kernel->lanes;
    return !e->params->target->chunks && dtype_is_float(lanes->tree) && !join_is_ordered(lanes->join, lanes->tree);
}

/* The type in which values of a reduction are joined. */
static enum weft_dtype joined_dtype(const struct emitter *e, enum weft_dtype dtype)
{
    return !joins_keys(e) ? dtype : dtype == WEFT_FLOAT64 ? WEFT_INT64 : WEFT_INT32;
}

static int library_join(const struct emitter *e);

bool is_absent(const struct emitter *e, int i)
{
    const struct lanes *lanes = e->kernel->lanes;
    return lanes && !e->params->target->chunks && !lanes->finds && i == lanes->absent &&
           (!lanes->beside || lanes->places || (library_join(e) >= 0 && !e->laned));
}

/* The types in which a reduction joins values; and `functions` that join two. */
static void put_joins(struct emitter *e, struct buf *out, bool functions)
{
    const struct lanes *lanes = e->kernel->lanes;
    const enum op op = join_rows[lanes->join].op;
    const struct { const char *name; enum weft_dtype dtype; } types[] = {
        {"acc", joined_dtype(e, lanes->acc)}, {"tree", joined_dtype(e, lanes->tree)}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct ins ins = {INS_OP, op, types[i].dtype, types[i].dtype, {-1, -1, -1}};
        const char *type = short_name(types[i].dtype), *name = types[i].name;
        buf_printf(out, "typedef %s_m OWN(%s_t);\n", type, name);
        if (!functions)
            continue;
        buf_printf(out, "/* Joins two elements. */\n%s %s OWN(join_%s)(%s a, %s b)\n{\n    return ",
                   e->params->target->function, type, name, type, type);
        put_meaning(e, out, &ins, op_meaning(op, types[i].dtype), (const char *[]){"a", "b", NULL});
        buf_puts(out, ";\n}\n");
    }
}

/* Whether vectors of lanes stay in registers while blocks are computed. */
static bool keeps_lanes(const struct emitter *e)
{
    const struct lanes *lanes = e->kernel->lanes;
    return join_is_ordered(lanes->join, lanes->tree) && joined_in_place(e) < 0 && !lanes->beside && lanes->tiles.row &&
           BLOCK % lanes->tiles.row == 0;
}

const char *joined_from(const struct emitter *e)
{
    const struct lanes *lanes = e->kernel->lanes;
    return e->laned           ? "values"
           : lanes->beside    ? "stage + (i - column0)"
           : lanes->finds     ? "stage"
           : keeps_lanes(e) ? "values"
                              : "stage + filled";
}

static void put_vector_join(struct emitter *e, struct buf *out, const char *name)
{
    const enum weft_dtype tree = e->kernel->lanes->tree;
    const struct ins ins = {INS_OP, join_rows[e->kernel->lanes->join].op, tree, tree, {-1, -1, -1}};
    buf_printf(out, "#undef join_%s_v\n#define join_%s_v(a, b) (", name, name);
    put_meaning(e, out, &ins, op_meaning(ins.op, tree), (const char *[]){"(a)", "(b)", NULL});
    buf_puts(out, ")\n");
}

/* The type of vectors of what a reduction in C joins, and how two are joined: sums and products of floats by an
 * operator on the machine's. Other vectors have one element, and the C compiler makes longer ones of loops over
 * them. */
static void put_vector(struct emitter *e, struct buf *out, const char *name)
{
    const struct lanes *lanes = e->kernel->lanes;
    if (!join_is_ordered(lanes->join, lanes->tree)) {
        buf_printf(out, "typedef %s_t OWN(%s_v);\n#undef join_%s_v\n#define join_%s_v join_%s\n", name, name, name,
                   name, name);
        return;
    }
    buf_printf(out, "typedef %s OWN(%s_v) VECTORS(%s);\n", short_name(lanes->tree), name, short_name(lanes->tree));
    put_vector_join(e, out, name);
}

/* What joins by a vector need to know of vectors of accumulators. */
static void put_accumulators(struct emitter *e, struct buf *out)
{
    put_vector(e, out, "acc");
    buf_puts(out, "enum { OWN(PER_VECTOR) = sizeof(acc_v) / sizeof(acc_t) };\n");
}

/* The vectors of a reduction that joins by functions of its own. */
static void put_vectors(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const bool vectors = join_is_ordered(lanes->join, lanes->tree);
    const char *type = short_name(lanes->tree);
    put_accumulators(e, out);
    put_vector(e, out, "tree");
    buf_puts(out, vectors ? "typedef acc_v OWN(stage_v);\n" : "typedef stage_t OWN(stage_v);\n");
    if (vectors)
        buf_printf(out, "typedef %s OWN(half_v) HALF_VECTORS(%s);\n", type, type);
    else
        buf_puts(out, "typedef tree_t OWN(half_v);\n");
    buf_puts(out, "#undef OVER\n#undef OVER_HALF\n#undef VECTOR_ROW\n");
    if (vectors && lanes->tiles.row == LANE_COUNT)
        buf_printf(out, "#define VECTOR_ROW %d /* of 64 bytes */\n", LANE_COUNT * type_rows[lanes->tree].size / 64);
    buf_printf(out, "#define OVER(k, count) %s\n",
               vectors ? "for (int k = 0; k < (count) / PER_VECTOR; k++)" : "EACH(k, count)");
    buf_printf(out, "#define OVER_HALF(k) %s\n",
               vectors ? "for (int k = 0; k < HALF * sizeof(tree_t) / sizeof(half_v); k++)" : "EACH(k, HALF)");
}

enum {
    LEVELS = 32,                   /* of the tree: enough for as many blocks as memory holds */
    STAGED = 8                     /* lanes that stay in registers wait for those of the last stage: so many rows are
                                      one */
};

/* Whether a tile has nothing that is looked for: neither the extreme element of the point nor a NaN. */
static void put_passed_over(const struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const char *type = short_name(e->kernel->accesses[lanes->parts].dtype);
    buf_printf(out, "#define PART ((const %s_m *)sample->bases[%d])[run.point * r->chunks + run.part.chunk]\n", type,
               lanes->parts);
    buf_printf(out, "#define PASSED_OVER (PART != ((const %s_m *)sample->bases[%d])[run.point] && "
               "PART == PART)\n", type, lanes->extreme);
}

/* A search's comparison with what it looks for, where it compares elements as they lie in memory; NULL: they are
 * computed, or converted. */
static const struct ins *find_comparison(const struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const int extreme = kernel->lanes->finds ? kernel->lanes->extreme : -1;
    for (int i = 0; extreme >= 0 && i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind != INS_OP || ins->op != OP_EQ)
            continue;
        const struct ins *x = &kernel->ins[ins->a[0]], *sought = &kernel->ins[ins->a[1]];
        if (x->kind == INS_LOAD && e->kinds[x->index] == ACCESS_UNIT && !dtype_is_half(x->dtype) &&
            x->dtype != WEFT_BOOL && sought->kind == INS_LOAD && sought->index == extreme &&
            e->evaluation.rate[ins->a[1]] != RATE_BLOCK && !e->called[ins->a[1]])
            return ins;
    }
    return NULL;
}

/* What a search passes over before it looks closer. */
static void put_scan(struct emitter *e, struct buf *out, const struct ins *comparison)
{
    buf_puts(out, "#undef SOUGHT\n#undef SCANNED\n");
    const struct ins *x = &e->kernel->ins[comparison->a[0]];
    buf_printf(out, "typedef %s_m OWN(sought_t);\ntypedef i%d OWN(sought_bits);\n", short_name(x->dtype),
               8 * type_rows[x->dtype].size);
    buf_printf(out, "#define SOUGHT %s\n#define SCANNED %d\n", value_name(e, comparison->a[1]), x->index);
}

/* How many elements may wait to be joined. */
static int stage_size(const struct emitter *e)
{
    const int row = e->kernel->lanes->tiles.row;
    int stage = row ? row : BLOCK; /* whole blocks, and whole rows of lanes */
    while (stage % BLOCK != 0)
        stage += row;
    return stage * (row ? STAGED : 1);
}

/* What of them is the loop's own, where sources share what joins. */
static void put_own_lanes(struct emitter *e)
{
    const int source = joined_in_place(e);
    buf_printf(&e->literals, "enum { ACCESSES = %d, TARGET = %d, SCRATCH = %zu%s };\n", e->kernel->access_count,
               e->kernel->load_count, e->scratch, source < 0 ? "" : arena_printf(e->arena, ", SOURCE = %d", source));
}

/* How the kernel goes over its lanes, as constants. */
static void put_lanes(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const int row = lanes->tiles.row, source = joined_in_place(e), stage = stage_size(e);
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    const int inner = row ? (int)lanes->tiles.inner : 1;
    buf_printf(out, e->baked ? "enum { OWN(ROW) = %d };\n" : "#undef ROW\n#define ROW %d\n", row);
    buf_printf(out, "enum { OWN(INNER) = %d, OWN(STAGE) = %d, OWN(MAX_LANES) = %d, OWN(WIDTH) = %d, "
               "OWN(SCRATCH) = %zu };\n", inner, stage, MAX_LANES, MAX_WIDTH, e->scratch);
    buf_printf(out, "enum { OWN(SOURCE) = %d, OWN(ORDERED) = %d, OWN(LEVELS) = %d, OWN(SIDE) = %d, OWN(HALF) = %d };\n",
               source < 0 ? 0 : source, ordered, ordered ? LEVELS : 1, ordered || row ? LANE_COUNT : BLOCK,
               LANE_COUNT / 2 * inner);
    buf_printf(out, "typedef %s_m OWN(stage_t);\ntypedef %s_m OWN(out_t);\n",
               short_name(e->kernel->accesses[e->kernel->load_count].dtype), short_name(lanes->tree));
    buf_printf(out, "#undef TARGET\n#define TARGET %d\n", e->kernel->load_count);
}

/* What a search needs besides. */
static void put_search(struct emitter *e, struct buf *out)
{
    if (e->kernel->lanes->beside) {
        const char *const parts[] = {"short_search", "short_stage", "short_elements", "short_staged"};
        memcpy(e->parts, parts, sizeof parts);
        return;
    }
    assert(e->kernel->lanes->tree == WEFT_INT64); /* of positions, as struct weft_run has them */
    const struct ins *comparison = find_comparison(e);
    const char *const parts[] = {comparison ? "scan" : "each", "search"};
    memcpy(e->parts, parts, sizeof parts);
    buf_puts(out, "#undef PASSED_OVER\n");
    if (e->kernel->lanes->parts >= 0)
        put_passed_over(e, out);
    else
        buf_puts(out, "#define PASSED_OVER 0\n");
    if (comparison)
        put_scan(e, out, comparison);
}

/* The functions that the library has for it; -1: none. */
static int library_join(const struct emitter *e)
{
    const struct lane_tiles *tiles = &e->kernel->lanes->tiles;
    const bool none = !(e->params->fast & FAST_JOINS) || (tiles->row && tiles->inner > 1);
    const int row = none ? -1 : library_row(e->kernel);
    return row < 0 ? -1 : 2 * row + !tiles->row;
}

/* Adds the types, and what the functions of joins.c are made with. */
static void put_own_joins(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const char *absent = literal_code(e, e->kernel->ins[lanes->absent].index);
    put_joins(e, out, true);
    put_vectors(e, out);
    if (joins_keys(e))
        buf_printf(out, "#undef KEYS\n#define KEYS %d\n", join_rows[lanes->join].absent < 0 ? 1 : -1);
    if (lanes->beside)
        return;
    buf_printf(out, "#undef ABSENT\n#define ABSENT %s(%s)\n", joins_keys(e) ? "key_of" : "", absent);
    buf_printf(out, "#undef NOTHING\n#define NOTHING %s\n", join_is_sum(lanes->join) ? "0" : "ABSENT");
}

/* Names what stands for an element that is missing. */
static void put_absent(struct emitter *e)
{
    const struct lanes *lanes = e->kernel->lanes;
    buf_printf(&e->literals, joins_keys(e) ? "const %s absent = key_of(%s);\n" : "const %s absent = %s;\n",
               short_name(joined_dtype(e, lanes->acc)), value_name(e, lanes->absent));
}

/* What a kernel needs whose rows the library takes: short ones, or those of whose extremes it keeps the positions.
 * `table` is its member of struct weft_calls, `what` what it does. */
static void put_points(struct emitter *e, struct buf *out, const char *table, int number, const char *what)
{
    const struct lanes *lanes = e->kernel->lanes;
    const bool direct = joined_in_place(e) >= 0;
    const char *const parts[2][2][3] = {{{"lanes", "computed"}, {"lanes", "direct"}},
                                        {{"short_stage", "short_elements", "short_points"}, {"short_points_direct"}}};
    assert(number >= 0);
    memcpy(e->parts, parts[lanes->beside > 0][direct], sizeof parts[0][0]);
    put_joins(e, out, false);
    if (e->laned) {
        e->parts[1] = "short_lanes", e->parts[2] = NULL;
        put_accumulators(e, out);
        buf_printf(out, "enum { OWN(KEPT) = ROW / PER_VECTOR, PARTED = %d };\n", lanes_parted(lanes));
        put_absent(e);
    }
    buf_printf(&e->literals, "const struct weft_join *const join = args->calls->%s[%d]; /* %s%s of %s */\n", table,
               number, what, join_name(e->arena, lanes->join),
               type_rows[lanes->places ? lanes->acc : lanes->tree].name);
}

static void put_short_joining(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const bool direct = joined_in_place(e) >= 0;
    const char *const parts[] = {joins_keys(e) ? "keys" : "plain", "short", direct ? "short_direct" : "short_stage",
                                 direct ? NULL : "short_elements", direct ? NULL : "short_staged"};
    memcpy(e->parts, parts, sizeof parts);
    put_own_joins(e, out);
    buf_puts(out, "#undef WORDS\n");
    if (type_rows[lanes->tree].size >= 4)
        buf_printf(out, "#define WORDS %d\n", 8 * type_rows[lanes->tree].size);
    put_absent(e);
}

/* What joins need besides. */
static void put_joining(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const bool row = lanes->tiles.row, direct = joined_in_place(e) >= 0, kept = keeps_lanes(e);
    const int library = library_join(e);
    int count = 0;
    if (lanes->places || (lanes->beside && library >= 0)) {
        put_points(e, out, lanes->places ? "places" : "joins", lanes->places ? library_row(e->kernel) : library,
                   lanes->places ? "place of " : "");
        return;
    }
    if (lanes->beside) {
        put_short_joining(e, out);
        return;
    }
    if (e->baked) {
        buf_puts(&e->literals, "const struct weft_join *const join = &this_join;\n");
    } else if (library < 0) {
        e->parts[count++] = joins_keys(e) ? "keys" : "plain";
        e->parts[count++] = "own";
        e->parts[count++] = row ? "row" : "columns";
        if (!row)
            e->parts[count++] = direct ? "fold_rows" : "no_rows";
        put_own_joins(e, out);
        buf_puts(&e->literals, "const struct weft_join *const join = &this_join; //~\n");
    } else {
        put_joins(e, out, false);
        if (kept)
            put_accumulators(e, out);
        buf_printf(&e->literals, "const struct weft_join *const join = args->calls->joins[%d]; /* %s of %s */\n",
                   library, join_name(e->arena, lanes->join), type_rows[lanes->tree].name);
    }
    e->parts[count++] = "lanes";
    e->parts[count++] = direct ? "direct" : "computed";
    if (kept) {
        e->parts[count++] = "kept";
        if (e->baked)
            put_vector_join(e, out, "acc");
        else
            buf_puts(out, "enum { OWN(KEPT) = ROW / PER_VECTOR };\n");
    }
}

/* The meaning of a join for the macros T and U. */
static void put_join_meaning(struct buf *out, const char *meaning)
{
    buf_putc(out, '(');
    for (const char *at = meaning; *at; at++) {
        const bool operand = (*at == 'A' || *at == 'B') && !is_word(at[1]) && (at == meaning || !is_word(at[-1]));
        buf_printf(out, operand ? "(%c)" : "%c", operand ? *at - 'A' + 'a' : *at);
    }
    buf_putc(out, ')');
}

/* The defaults are those of the support file: a type is that of what is joined. The loop over what has strides stands
 * there for each join, used or not, and gathers. */
void put_join_macros(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const enum weft_dtype stage = e->kernel->accesses[e->kernel->load_count].dtype;
    const enum op op = join_rows[lanes->join].op;
    const bool row = lanes->tiles.row, ordered = join_is_ordered(lanes->join, lanes->tree);
    const struct { const char *name; enum weft_dtype dtype; } types[] = {
        {"STAGED", stage}, {"OUT", lanes->tree}, {"ACC", lanes->acc}, {"TREE", lanes->tree}};
    put_helper(e, "gather", stage);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (i == 0 || types[i].dtype != stage)
            buf_printf(out, "#define WEFT_%s _%s\n", types[i].name, short_name(types[i].dtype));
    buf_printf(out, "#define WEFT_ROW %d\n", lanes->tiles.row);
    if (row && lanes->tiles.inner > 1)
        buf_printf(out, "#define WEFT_INNER %d\n", (int)lanes->tiles.inner);
    if (stage_size(e) != (row ? STAGED * BLOCK : BLOCK))
        buf_printf(out, "#define WEFT_STAGE %d\n", stage_size(e));
    if (ordered)
        buf_puts(out, "#define WEFT_ORDERED 1\n");
    if (joins_keys(e))
        buf_printf(out, "#define WEFT_KEYS %d\n", join_rows[lanes->join].absent < 0 ? 1 : -1);
    buf_printf(out, "#define WEFT_ABSENT %s\n", literal_code(e, e->kernel->ins[lanes->absent].index));
    if (join_is_sum(lanes->join))
        buf_puts(out, "#define WEFT_NOTHING 0\n");
    buf_puts(out, "#define WEFT_JOIN(T, U, a, b) ");
    put_join_meaning(out, op_meaning(op, joined_dtype(e, lanes->tree)));
    buf_putc(out, '\n');
}

const char *joining_loop(const struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const struct ins *store = kernel->ins;
    while (store->kind != INS_STORE)
        store++;
    const struct ins *value = &kernel->ins[store->a[0]];
    if (kernel->access_count != 2 || value->kind != INS_LOAD || value->dtype == WEFT_BOOL ||
        value->dtype != kernel->accesses[0].dtype)
        return NULL;
    return e->kinds[0] == ACCESS_UNIT ? "direct" : e->kinds[0] == ACCESS_STRIDED ? "strided" : NULL;
}

void emit_walk_part(struct emitter *e, struct buf *out, const char *name, size_t length)
{
    const struct target *target = e->params->target;
    for (int i = 0; i < MAX_PARTS && e->parts[i]; i++) {
        const char *mark = arena_printf(e->arena, "//: %s %.*s\n", e->parts[i], (int)length, name);
        emit_marked(out, target->join_functions, mark, e->own);
        emit_marked(out, target->joins, mark, e->own);
        emit_marked(out, target->search, mark, e->own);
        emit_marked(out, target->shorts, mark, e->own);
    }
}

/* Removes what loads, computes and stores elements. */
static void clear_body(struct emitter *e)
{
    struct buf *const unused[] = {&e->blocks, &e->buffers, &e->band, &e->row, &e->operands, &e->body, &e->results};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        *unused[i] = buf_new(e->arena);
}

/* In C its scratch memory begins at a multiple of 64 bytes. */
void emit_joins(struct emitter *e)
{
    const struct lanes *lanes = e->kernel->lanes;
    struct buf joins = buf_new(e->arena);
    if (e->params->target->chunks) {
        put_joins(e, &joins, true);
        buf_printf(&joins, "#define NOTHING(absent) %s\n", join_is_sum(lanes->join) ? "0" : "(absent)");
        subst_own(&e->joins, joins.text, joins.length, e->own);
        buf_printf(&e->absent, "const %s absent = *(const %s_m *)&args->literals[%d];\n", short_name(lanes->acc),
                   short_name(lanes->acc), e->kernel->ins[lanes->absent].index);
        return;
    }
    if (joined_in_place(e) >= 0)
        clear_body(e);
    e->scratch = (e->scratch + 63) / 64 * 64;
    if (e->baked && !lanes->finds)
        put_own_lanes(e);
    else
        put_lanes(e, &joins);
    (lanes->finds ? put_search : put_joining)(e, &joins);
    subst_own(&e->joins, joins.text, joins.length, e->own);
    if (lanes->finds)
        buf_printf(&e->literals, "const %s absent = %s;\n", short_name(lanes->acc), value_name(e, lanes->absent));
    if (!lanes->tiles.row)
        e->scratch += (size_t)MAX_WIDTH * (size_t)type_rows[lanes->acc].size +
                      (size_t)(MAX_TREE + LEVELS * BLOCK) * (size_t)type_rows[lanes->tree].size;
}
