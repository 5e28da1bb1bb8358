/* Writes a kernel as loops of plain C over dense arrays, for sources made ahead of time that need nothing else. An
 * element's place is worked out from the loops' variables, step by step through the kernel's maps. Values are those of
 * body.c: the rows' meanings, the same helpers, the same comments. What is reduced is joined in the order of rule 11.4
 * by functions of templates/kernel/plain.c. */
#include "compiler/emit/plain_impl.h"

#include <assert.h>
#include <string.h>

static void put_indent(struct plain *p)
{
    buf_printf(p->out, "%*s", 4 * p->depth, "");
}

/* ---- values ---- */

static const char *substituted(struct plain *p, const char *text, enum weft_dtype dtype, const char *operand)
{
    struct buf out = buf_new(p->e->arena);
    const struct tokens tokens = {"", dtype, dtype, false, false, {operand, NULL, NULL}};
    subst_text(&p->e->subst, &out, text, strlen(text), &tokens);
    return out.text;
}

static const char *shown(struct plain *p, const char *name)
{
    struct buf out = buf_new(p->e->arena);
    put_shown(p->e, &out, name, strlen(name));
    return out.text;
}

/* Whether an instruction loads a value that has a name already. */
static bool is_named(struct plain *p, const struct ins *ins)
{
    return ins->kind == INS_LOAD && p->host->is_value(p->host->user, ins->index) &&
           !p->host->reads_bytes(p->host->user, ins->index) && strcmp(type_rows[ins->dtype].load, "A") == 0;
}

/* The name of a value, as it is shown. */
static const char *name_of(struct plain *p, int i)
{
    const struct ins *ins = &p->e->kernel->ins[i];
    return is_named(p, ins) ? p->host->data(p->host->user, ins->index) : shown(p, value_name(p->e, i));
}

static const char *element(struct plain *p, int access, const char *index)
{
    const struct access *a = &p->e->kernel->accesses[access];
    const char *data = p->host->data(p->host->user, access);
    if (a->kind == TENSOR_BYTES)
        return arena_printf(p->e->arena, "(u8)%s", in_parentheses(p, index));
    return index ? arena_printf(p->e->arena, "%s[%s]", data, index) : data;
}

/* Whether an access reads or writes one element, or, in a loop over patterns, what repeats. */
static bool is_single(struct plain *p, int access)
{
    const struct shape *own = plain_shape(p, access);
    for (int d = 0; d < own->rank; d++)
        if (own->extents[d] != 1)
            return false;
    return true;
}

static bool repeats(struct plain *p, int access)
{
    return p->period && !is_single(p, access) && !shapes_equal(plain_shape(p, access), p->space);
}

/* A load from a place, whose path begins there. */
static void put_load(struct plain *p, int i, struct place *place, const char *condition)
{
    const struct ins *ins = &p->e->kernel->ins[i];
    const struct access *access = &p->e->kernel->accesses[ins->index];
    const bool value = p->host->is_value(p->host->user, ins->index);
    const struct shape *own = p->host->shape(p->host->user, ins->index);
    if (!value && access->kind != TENSOR_BYTES && !repeats(p, ins->index) &&
        !p->host->reads_bytes(p->host->user, ins->index))
        place_shrink(p, place, own);
    const char *index = value ? NULL : place_number(p, place), *name = name_of(p, i);
    put_indent(p);
    if (repeats(p, ins->index)) {
        buf_printf(p->out, "const %s %s = %s;\n", short_name(ins->dtype), name,
                   substituted(p, type_rows[ins->dtype].load, ins->dtype,
                               arena_printf(p->e->arena, "pattern_%d[k]", ins->index)));
        return;
    }
    if (p->host->reads_bytes(p->host->user, ins->index)) {
        const char *type = short_name(ins->dtype);
        buf_printf(p->out, "%s %s;\n", type, name);
        put_indent(p);
        buf_printf(p->out, "memcpy(&%s, (const char *)%s + %s * sizeof %s, sizeof %s);\n", name,
                   p->host->data(p->host->user, ins->index), in_parentheses(p, index ? index : "0"), name, name);
        return;
    }
    const char *loaded = substituted(p, type_rows[ins->dtype].load, ins->dtype, element(p, ins->index, index));
    buf_printf(p->out, "const %s %s = ", short_name(ins->dtype), name);
    condition = condition && place->inside ? arena_printf(p->e->arena, "%s && %s", condition, place->inside)
                : condition ? condition : place->inside;
    if (condition)
        buf_printf(p->out, "%s ? %s : (%s)%s;\n", condition, loaded, short_name(ins->dtype),
                   value_code(p->e, ins->dtype, (union scalar){.bits = place->inside ? place->value : 0}));
    else
        buf_printf(p->out, "%s;\n", loaded);
}

static void put_store(struct plain *p, const struct ins *ins, struct place *place, const char *value)
{
    place_shrink(p, place, p->host->shape(p->host->user, ins->index));
    put_indent(p);
    buf_printf(p->out, "%s = %s;\n", element(p, ins->index, place_number(p, place)),
               substituted(p, type_rows[ins->dtype].store, ins->dtype, value));
}

static void put_value(struct plain *p, int i, const char *const names[3])
{
    const struct ins *ins = &p->e->kernel->ins[i];
    struct buf meaning = buf_new(p->e->arena);
    put_meaning(p->e, &meaning, ins, op_meaning(ins->op, ins->source), names);
    put_indent(p);
    buf_printf(p->out, "const %s %s = %s;", short_name(ins->dtype), name_of(p, i), meaning.text);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
}

static void put_fault(struct plain *p, const struct ins *ins, const char *const names[3])
{
    struct buf meaning = buf_new(p->e->arena);
    put_meaning(p->e, &meaning, ins, op_fault(ins->op, ins->source), names);
    put_indent(p);
    buf_printf(p->out, "%s |= (%s)%s%s;\n", p->host->fault(p->host->user, ins->index), meaning.text,
               names[2] ? " & " : "", names[2] ? names[2] : "");
}

/* An element's number in what the taken step leads to; below it the path goes on. */
static void put_taken(struct plain *p, int i, const char *number)
{
    const struct kernel *kernel = p->e->kernel;
    const struct access *access = &kernel->accesses[kernel->ins[i].index];
    const int taken = map_taken_step(kernel->maps, access->map);
    struct place place = {.shape = kernel->maps[taken].to, .number = number};
    place_follow(p, taken, access->map, &place);
    put_load(p, i, &place, arena_printf(p->e->arena, "%s >= 0", number));
}

/* Whether a load is made by what reads it alone. */
static bool is_weighed(const struct kernel *kernel, int load)
{
    bool weighed = false;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3; k++)
            if (kernel->ins[i].a[k] == load && kernel->ins[i].kind != INS_WEIGH)
                return false;
            else
                weighed = weighed || kernel->ins[i].a[k] == load;
    return weighed;
}

/* A sum of weighted neighbours: a loop over its terms, from the element's own place on. */
static void put_weigh(struct plain *p, int i, const struct place *place)
{
    const struct kernel *kernel = p->e->kernel;
    const struct ins *ins = &kernel->ins[i];
    const int x = kernel->ins[ins->a[0]].index;
    const char *name = name_of(p, i), *type = short_name(ins->dtype), *word = subst_unsigned(ins->dtype);
    const char *weights = p->host->data(p->host->user, kernel->ins[ins->a[1]].index);
    const char *runs = p->host->data(p->host->user, kernel->ins[ins->a[2]].index);
    struct place own = *place;
    place_follow(p, 0, kernel->accesses[x].map, &own);
    const char *at = place_number(p, &own);
    put_indent(p);
    buf_printf(p->out, "%s %s = (%s)-(%s)0;", type, name, type, word);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
    put_indent(p);
    buf_printf(p->out, "for (int64_t n = 0, w = 0; n < %s[0]; n++)\n", runs);
    put_indent(p);
    buf_printf(p->out, "    for (int64_t t = 0; t < %s[2 * n + 3]; t++, w++)\n", runs);
    put_indent(p);
    buf_printf(p->out, "        %s = (%s)((%s)%s + (%s)%s[%s + %s[2 * n + 2] + t * %s[1]] * (%s)%s[w]);\n", name, type,
               word, name, word, p->host->data(p->host->user, x), at, runs, runs, word, weights);
}

/* Adds the instructions of one element, but for a store of what is reduced: returns that value. */
static int put_body(struct plain *p, const struct place *place)
{
    const struct kernel *kernel = p->e->kernel;
    int reduced = -1;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        struct place own = *place;
        const char *names[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3; k++)
            names[k] = ins->a[k] >= 0 ? name_of(p, ins->a[k]) : NULL;
        if (ins->kind == INS_LOAD || ins->kind == INS_STORE)
            place_follow(p, 0, kernel->accesses[ins->index].map, &own);
        if (is_named(p, ins) || (ins->kind == INS_LOAD && is_weighed(kernel, i)))
            continue;
        if (ins->kind == INS_WEIGH)
            put_weigh(p, i, place);
        else if (ins->kind == INS_LOAD)
            put_load(p, i, &own, NULL);
        else if (ins->kind == INS_STORE && kernel->lanes)
            reduced = ins->a[0];
        else if (ins->kind == INS_STORE)
            put_store(p, ins, &own, names[0]);
        else if (ins->kind == INS_OP)
            put_value(p, i, names);
        else if (ins->kind == INS_FAULT)
            put_fault(p, ins, names);
        else if (ins->kind == INS_TAKE)
            put_taken(p, i, names[0]);
        else if (ins->kind == INS_LOOKUP)
            put_load(p, i, &(struct place){.shape = plain_shape(p, ins->index), .number = names[0]}, NULL);
    }
    return reduced;
}

/* ---- loops ---- */

static const char *begin_loop(struct plain *p, const char *name, const char *count)
{
    put_indent(p);
    buf_printf(p->out, "for (int64_t %s = 0; %s < %s; %s++) {\n", name, name, count, name);
    p->depth++;
    return name;
}

static void end_loops(struct plain *p, int depth)
{
    while (p->depth > depth) {
        p->depth--;
        put_indent(p);
        buf_puts(p->out, "}\n");
    }
}

/* Whether an access reads or writes the whole space in its order, or one element. */
static bool is_flat(struct plain *p, int access)
{
    return !p->e->kernel->accesses[access].map &&
           (is_single(p, access) || shapes_equal(plain_shape(p, access), p->space));
}

/* Whether an access goes along two neighbouring dimensions of the space as along one. */
static bool goes_on(struct plain *p, int access, int d)
{
    const struct shape *own = plain_shape(p, access);
    const int at = own->rank - p->space->rank + d;
    const bool inner = at + 1 >= 0 && own->extents[at + 1] != 1, outer = at >= 0 && own->extents[at] != 1;
    const bool whole = inner && outer && own->extents[at + 1] == p->space->extents[d + 1] &&
                       own->extents[at] == p->space->extents[d];
    return !p->e->kernel->accesses[access].map && (whole || (!inner && !outer));
}

static bool all_go_on(struct plain *p, int d)
{
    bool all = true;
    for (int a = 0; a < p->e->kernel->access_count; a++)
        all = all && goes_on(p, a, d);
    return all;
}

static bool all_flat(struct plain *p)
{
    bool all = true;
    for (int a = 0; a < p->e->kernel->access_count; a++)
        all = all && is_flat(p, a);
    return all;
}

/* Opens a loop for each dimension of the space, or several that all accesses take as one. */
static void open_loops(struct plain *p, struct place *place)
{
    struct shape *merged = ARENA_NEW(p->e->arena, struct shape);
    place->shape = p->space;
    if (all_flat(p)) {
        place->number = begin_loop(p, "i", plain_product(p, p->space, 0));
        return;
    }
    for (int d = 0, loops = 0; d < p->space->rank; loops++) {
        int last = d;
        const char *name = arena_printf(p->e->arena, "i%d", loops), *count = NULL;
        while (last + 1 < p->space->rank && all_go_on(p, last))
            last++;
        *merged = (struct shape){.rank = last - d + 1};
        memcpy(merged->extents, p->space->extents + d, (size_t)merged->rank * sizeof *merged->extents);
        count = plain_product(p, merged, 0);
        place->digits[d] = strcmp(count, "1") == 0 ? "0" : begin_loop(p, name, count);
        /* the digits of what is merged: all accesses take their number */
        struct place inner = {.shape = arena_copy(p->e->arena, merged, sizeof *merged), .number = place->digits[d]};
        if (last > d)
            place_take_apart(p, &inner);
        for (int k = d; k <= last && last > d; k++)
            place->digits[k] = inner.digits[k - d];
        d = last + 1;
    }
}

/* Declares the literals that the statements name. */
static void put_literals(struct plain *p, struct buf *out, const char *statements)
{
    const struct kernel *kernel = p->e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        if (ins_is_argument(&kernel->ins[i]) && kernel->literal_count <= MAX_NAMED_LITERALS) {
            const int k = kernel->ins[i].index;
            const char *name = arena_printf(p->e->arena, NAME_LITERAL, k), *at = statements;
            while ((at = strstr(at, name)) && is_digit(at[strlen(name)]))
                at++;
            if (!at)
                continue;
            buf_printf(out, "    " "const %s " NAME_LITERAL " = %s;\n", short_name(kernel->literal_dtypes[k]), k,
                       literal_code(p->e, k));
        }
}

enum { MAX_PATTERN = 16, PATTERNS = 64 };

/* The number of innermost elements after which some loads begin again, where these are few and all others go along the
 * space, or stay; 0: none. */
static int64_t find_period(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    int64_t period = 0;
    for (int a = 0; a < kernel->access_count; a++) {
        const struct shape *own = plain_shape(p, a);
        int64_t elements = 1;
        if (kernel->accesses[a].map || is_single(p, a) || shapes_equal(own, p->space)) {
            if (kernel->accesses[a].map)
                return 0;
            continue;
        }
        for (int d = 1; d <= own->rank; d++) {
            const int64_t extent = own->extents[own->rank - d];
            const bool inner = d <= p->space->rank && extent == p->space->extents[p->space->rank - d];
            if (extent < 0 || (extent != 1 && !inner))
                return 0;
            elements *= extent;
        }
        int64_t whole = 1;
        for (int d = 1; d <= p->space->rank && whole < elements; d++)
            whole *= p->space->extents[p->space->rank - d];
        if (a >= kernel->load_count || whole != elements || elements > MAX_PATTERN || (period && period != elements))
            return 0;
        period = elements;
    }
    return period;
}

/* A loop over blocks of whole patterns, so that the C compiler makes vectors of it. */
static void put_patterns(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const char *count = plain_product(p, p->space, 0), *block = plain_extent(p, p->period * PATTERNS);
    const int depth = p->depth;
    for (int a = 0; a < kernel->load_count; a++) {
        if (!repeats(p, a))
            continue;
        const char *type = short_name(kernel->accesses[a].dtype), *data = p->host->data(p->host->user, a);
        put_indent(p);
        buf_printf(p->out, "%s pattern_%d[%s]; /* what repeats after %lld elements */\n",
                   dtype_is_half(kernel->accesses[a].dtype) ? "uint16_t" : type, a, block, (long long)p->period);
        put_indent(p);
        buf_printf(p->out, "for (int k = 0; k < %s; k++)\n", block);
        put_indent(p);
        buf_printf(p->out, "    pattern_%d[k] = %s[k %% %lld];\n", a, data, (long long)p->period);
    }
    put_indent(p);
    buf_printf(p->out, "for (int64_t from = 0; from < %s; from += %s) {\n", count, block);
    p->depth++;
    put_indent(p);
    buf_printf(p->out, "const int64_t count = %s - from < %s ? %s - from : %s;\n", in_parentheses(p, count), block,
               in_parentheses(p, count), block);
    begin_loop(p, "k", "count");
    put_body(p, &(struct place){.shape = p->space, .number = "from + k"});
    end_loops(p, depth);
}

static void put_elements(struct plain *p)
{
    const int depth = p->depth;
    struct place place = {.shape = p->space};
    p->period = find_period(p);
    if (p->period) {
        put_patterns(p);
        return;
    }
    open_loops(p, &place);
    put_body(p, &place);
    end_loops(p, depth);
}

/* ---- reductions ---- */

/* The result of no elements. */
static const char *nothing_of(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    return join_is_sum(lanes->join) ? "0" : value_code(p->e, lanes->tree, join_absent(lanes->join, lanes->tree));
}

/* Two joined values. */
static const char *joined(struct plain *p, enum weft_dtype dtype, const char *a, const char *b)
{
    const enum op op = join_rows[p->e->kernel->lanes->join].op;
    const struct ins ins = {INS_OP, op, dtype, dtype, {-1, -1, -1}};
    struct buf text = buf_new(p->e->arena);
    put_meaning(p->e, &text, &ins, op_meaning(op, dtype), (const char *[]){a, b, NULL});
    return text.text;
}

/* Adds the functions that join values of this kind, once. Returns what stands behind their names. */
static const char *put_join(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const enum op op = join_rows[lanes->join].op;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    const char *of = arena_printf(p->e->arena, "%s_%s", op_name(p->e->arena, op), short_name(lanes->tree));
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    const char *kind = stage == lanes->tree && lanes->acc == lanes->tree
                           ? of : arena_printf(p->e->arena, "%s_%s_%s", of, short_name(stage), short_name(lanes->acc));
    const char *value = stage == lanes->acc ? "values[i + j]"
                                            : arena_printf(p->e->arena, "(%s)values[i + j]", short_name(lanes->acc));
    if (!subst_is_new(&p->e->subst, arena_printf(p->e->arena, "join_%s", kind)))
        return kind;
    assert(!ordered || lanes->acc == lanes->tree);
    const struct { const char *word, *text; } words[] = {
        {"KIND", kind}, {"STAGE", short_name(stage)}, {"ACC", short_name(lanes->acc)},
        {"TREE", short_name(lanes->tree)},
        {"JOIN", joined(p, lanes->acc, "lanes[j]", value)},
        {"GATHERED", joined(p, lanes->tree, "all", "lanes[j]")},
        {"PLANTED", joined(p, lanes->tree, "tree[level][j]", "lanes[j]")},
        {"HARVESTED", joined(p, lanes->tree, "tree[level][j]", "all[j]")},
        {"FOLDED", joined(p, lanes->tree, "all[j]", "all[j + apart]")},
        {"ABSENT", value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc))},
        {"NOTHING", nothing_of(p)}};
    const char *section = ordered ? "ordered" : "any_order";
    size_t length;
    const char *text = subst_find(p->e->params->target->skeleton, "plain", section, &length), *end = text + length;
    while (text < end) {
        const size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        size_t w = 0;
        while (w < sizeof words / sizeof *words && !text_is(text, name, words[w].word))
            w++;
        if (w < sizeof words / sizeof *words)
            buf_puts(&p->e->subst.helpers, words[w].text);
        else
            buf_add(&p->e->subst.helpers, text, name ? name : 1);
        text += name ? name : 1;
    }
    return kind;
}

static const char *whole_extent(struct plain *p, int64_t extent)
{
    return in_parentheses(p, plain_extent(p, extent));
}

/* The place of an element of a reduction's space: that of point p, of its element number `element`, and of that one's
 * inner element j. */
static struct place reduced_place(struct plain *p, const char *element)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    const struct shape *own = p->space;
    const int64_t together[] = {t->points, t->elements, t->inner};
    const char *const digits[] = {t->points == 1 ? "0" : "p", element, t->inner == 1 ? "0" : "j"};
    struct shape *three = ARENA_NEW(p->e->arena, struct shape);
    struct place place = {.shape = own};
    int at = 0;
    for (int i = 0; i < 3; i++) { /* dimensions of 1 may be left out */
        if (at < own->rank && own->extents[at] == together[i])
            place.digits[at++] = digits[i];
        else if (together[i] != 1)
            at = WEFT_MAX_RANK + 1;
    }
    if (at == own->rank)
        return place;
    *three = (struct shape){.rank = 3, .extents = {t->points, t->elements, t->inner}};
    place.number = place_number(p, &(struct place){.shape = three, .digits = {digits[0], digits[1], digits[2]}});
    return place;
}

/* The number of a reduction's result. */
static const char *result_number(struct plain *p)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    const struct shape result = {.rank = 2, .extents = {t->points, t->inner}};
    return place_number(p, &(struct place){.shape = &result, .digits = {"p", "j"}});
}

static void open_points(struct plain *p)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    if (t->points != 1)
        begin_loop(p, "p", plain_extent(p, t->points));
    if (t->inner != 1)
        begin_loop(p, "j", plain_extent(p, t->inner));
}

/* What a search finds: the number of the first element that is true. */
static void put_search(struct plain *p, const char *target)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const struct place place = reduced_place(p, "e");
    const int depth = p->depth;
    open_points(p);
    put_indent(p);
    buf_printf(p->out, "%s[%s] = %s;\n", target, result_number(p),
               literal_code(p->e, p->e->kernel->ins[lanes->absent].index));
    begin_loop(p, "e", plain_extent(p, lanes->tiles.elements));
    const int value = put_body(p, &place);
    put_indent(p);
    buf_printf(p->out, "if (%s) {\n", name_of(p, value));
    p->depth++;
    put_indent(p);
    buf_printf(p->out, "%s[%s] = e;\n", target, result_number(p));
    put_indent(p);
    buf_puts(p->out, "break;\n");
    end_loops(p, depth);
}

static void put_reduction(struct plain *p, const char *target)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const struct place place = reduced_place(p, "from + k");
    const int depth = p->depth;
    const char *elements = whole_extent(p, lanes->tiles.elements), *kind = put_join(p);
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    open_points(p);
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    put_indent(p);
    if (ordered)
        buf_printf(p->out, "%s tree[48][16], values[1024];\n", short_name(lanes->tree));
    else
        buf_printf(p->out, "%s all = %s;\n", short_name(lanes->tree), nothing_of(p));
    put_indent(p);
    if (ordered)
        buf_puts(p->out, "int64_t blocks = 0;\n");
    else
        buf_printf(p->out, "%s values[1024];\n", short_name(stage));
    put_indent(p);
    buf_printf(p->out, "for (int64_t from = 0; from < %s; from += 1024) {\n", elements);
    p->depth++;
    put_indent(p);
    buf_printf(p->out, "const int64_t count = %s - from < 1024 ? %s - from : 1024;\n", elements, elements);
    begin_loop(p, "k", "count");
    const int value = put_body(p, &place);
    put_indent(p);
    buf_printf(p->out, "values[k] = %s;\n", name_of(p, value));
    end_loops(p, p->depth - 1);
    put_indent(p);
    buf_printf(p->out, ordered ? "join_block_%s(tree, blocks++, values, count);\n"
                               : "all = join_%s(all, values, count);\n", kind);
    end_loops(p, p->depth - 1);
    put_indent(p);
    buf_printf(p->out, "%s[%s] = ", target, result_number(p));
    buf_printf(p->out, ordered ? "join_all_%s(tree, blocks);\n" : "all;\n", kind);
    end_loops(p, depth);
}

/* ---- puts ---- */

static void put_puts(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const struct ins *put = &kernel->ins[kernel->ins_count - 1];
    const bool numbers = put->op == OP_NONZERO;
    const char *to = p->host->data(p->host->user, put->index), *places = p->host->data(p->host->user, 0);
    const char *values = p->host->data(p->host->user, 1);
    const char *target = arena_printf(p->e->arena, "%s[k]", to);
    const char *const names[3] = {target, put->a[2] < 0 ? arena_printf(p->e->arena, "%s[e * inner + j]", values)
                                                        : arena_printf(p->e->arena, "%s[0]", values), NULL};
    const char *counts[2];
    const int depth = p->depth;
    struct buf value = buf_new(p->e->arena);
    for (int k = 0; k < 2; k++) {
        const struct ins *ins = &kernel->ins[put->a[k]];
        counts[k] = ins->kind == INS_LOAD ? p->host->data(p->host->user, ins->index) : literal_code(p->e, ins->index);
    }
    put_indent(p);
    buf_printf(p->out, "const int64_t inner = %s;\n", counts[1]);
    if (numbers) {
        put_indent(p);
        buf_puts(p->out, "int64_t next = 0; /* of what was found so far */\n");
    }
    begin_loop(p, "e", counts[0]);
    begin_loop(p, "j", "inner");
    put_indent(p);
    if (numbers)
        buf_printf(p->out, "const int64_t k = %s[e] ? next++ : -1;\n", places);
    else
        buf_printf(p->out, "const int64_t k = %s[e] < 0 ? -1 : (int64_t)%s[e] * inner + j;\n", places, places);
    if (numbers)
        buf_puts(&value, "e");
    else if (put->op == OP_COUNT)
        buf_puts(&value, names[1]);
    else
        put_meaning(p->e, &value, put, op_meaning(put->op, put->dtype), names);
    put_indent(p);
    const char *room = plain_product(p, plain_shape(p, put->index), 0);
    buf_printf(p->out, "if (k >= 0%s)\n", numbers ? arena_printf(p->e->arena, " && k < %s", room) : "");
    p->depth++;
    put_indent(p);
    buf_printf(p->out, "%s = %s;\n", target, value.text);
    p->depth--;
    end_loops(p, depth);
}

char *emit_plain(struct emit_together *together, const struct kernel *kernel, const struct emit_params *params,
                 const struct shape *space, const struct plain_host *host)
{
    struct emitter e;
    emit_begin(together, kernel, params, &e);
    struct buf out = buf_new(e.arena);
    struct plain p = {.e = &e, .host = host, .space = space, .out = &out, .depth = 1};
    if (kernel_puts(kernel))
        put_puts(&p);
    else if (kernel->lanes && kernel->lanes->finds)
        put_search(&p, host->target);
    else if (kernel->lanes)
        put_reduction(&p, host->target);
    else
        put_elements(&p);
    struct buf all = buf_new(e.arena);
    put_literals(&p, &all, out.text);
    buf_puts(&all, out.text);
    emit_finish(together, &e);
    return all.text;
}
