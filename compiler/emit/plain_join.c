/* Writes what a kernel joins as loops of plain C, for plain.c: in the order of rule 11.4 where it matters, by functions
 * of templates/kernel/plain.c. */
#include "compiler/emit/plain_impl.h"

#include <assert.h>
#include <string.h>

const char *plain_nothing(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    return join_is_sum(lanes->join)
               ? "0"
               : value_code(p->e, lanes->tree, join_absent(lanes->join, lanes->tree));
}

const char *plain_joined(struct plain *p, enum weft_dtype dtype, const char *a, const char *b)
{
    const enum op op = join_rows[p->e->kernel->lanes->join].op;
    const struct ins ins = {INS_OP, op, dtype, dtype, {-1, -1, -1}};
    struct buf text = buf_new(p->e->arena);
    put_meaning(p->e, &text, &ins, op_meaning(op, dtype), (const char *[]){a, b, NULL});
    return text.text;
}

bool plain_joins_keys(const struct lanes *lanes, enum weft_dtype stage)
{
    const bool extreme = lanes->join == JOIN_LEAST || lanes->join == JOIN_GREATEST;
    return extreme && (lanes->tree == WEFT_FLOAT32 || lanes->tree == WEFT_FLOAT64) &&
           lanes->acc == lanes->tree && stage == lanes->tree;
}

const char *plain_key_type(const struct lanes *lanes)
{
    return lanes->tree == WEFT_FLOAT64 ? "int64_t" : "int32_t";
}

const char *plain_key_before(const struct lanes *lanes)
{
    return lanes->join == JOIN_LEAST ? "<" : ">";
}

/* What stands behind the names of functions that join such values. */
static const char *kind_of(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    const char *of =
        arena_printf(p->e->arena, "%s_%s", op_name(p->e->arena, join_rows[lanes->join].op), short_name(lanes->tree));
    return stage == lanes->tree && lanes->acc == lanes->tree
               ? of
               : arena_printf(p->e->arena, "%s_%s_%s", of, short_name(stage), short_name(lanes->acc));
}

const char *plain_joined_to(struct plain *p, const char *so_far, const char *value)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    return plain_joined(p, lanes->acc, so_far,
                  stage == lanes->acc ? value : arena_printf(p->e->arena, "(%s)%s", short_name(lanes->acc), value));
}

const char *plain_put_join(struct plain *p, const char *section)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    const char *kind = kind_of(p), *absent = value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc));
    if (!subst_is_new(&p->e->subst, arena_printf(p->e->arena, "join_%s_%s", section, kind)))
        return kind;
    assert(!join_is_ordered(lanes->join, lanes->tree) || lanes->acc == lanes->tree);
    const bool wide = lanes->tree == WEFT_FLOAT64, least = lanes->join == JOIN_LEAST;
    const struct {
        const char *word, *text;
    } words[] = {{"KIND", kind},
                 {"STAGE", short_name(stage)},
                 {"ACC", short_name(lanes->acc)},
                 {"TREE", short_name(lanes->tree)},
                 {"JOIN", plain_joined_to(p, "lanes[j]", "values[i + j]")},
                 {"LAST", plain_joined_to(p, "lanes[j]",
                                          arena_printf(p->e->arena, "(i + j < count ? values[i + j] : %s)", absent))},
                 {"GATHERED", plain_joined(p, lanes->tree, "all", "lanes[j]")},
                 {"PLANTED", plain_joined(p, lanes->tree, "tree[level][j]", "lanes[j]")},
                 {"COLUMNS", plain_joined(p, lanes->tree, "tree[level * width + j]", "lanes[j]")},
                 {"FOLDED", plain_joined(p, lanes->tree, "lanes[j]", "lanes[j + apart]")},
                 {"EIGHT", plain_joined(p, lanes->tree, "lanes[j]", "lanes[j + 8]")},
                 {"FOUR", plain_joined(p, lanes->tree, "lanes[j]", "lanes[j + 4]")},
                 {"TWO", plain_joined(p, lanes->tree,
                                      in_parentheses(p, plain_joined(p, lanes->tree, "lanes[0]", "lanes[2]")),
                                      in_parentheses(p, plain_joined(p, lanes->tree, "lanes[1]", "lanes[3]")))},
                 {"ABSENT", absent},
                 {"NOTHING", plain_nothing(p)},
                 {"KEY", plain_key_type(lanes)},
                 {"SIGN", wide ? "63" : "31"},
                 {"MOST", wide ? "INT64_MAX" : "INT32_MAX"},
                 {"WINNER", wide ? (least ? "INT64_MIN" : "INT64_MAX") : least ? "INT32_MIN" : "INT32_MAX"},
                 {"BEFORE", plain_key_before(lanes)}};
    struct buf body = buf_new(p->e->arena);
    size_t length;
    const char *text = plain_section(p, section, &length), *end = text + length;
    while (text < end) {
        const size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        size_t w = 0;
        while (w < sizeof words / sizeof *words && !text_is(text, name, words[w].word))
            w++;
        if (w < sizeof words / sizeof *words)
            buf_puts(&body, words[w].text);
        else
            buf_add(&body, text, name ? name : 1);
        text += name ? name : 1;
    }
    buf_puts(&p->e->subst.helpers, body.text); /* behind the helpers that it calls */
    return kind;
}

/* Adds functions that join values that lie behind each other, once. Returns what stands behind their names. */
static const char *put_row_join(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    const bool keys = !ordered && plain_joins_keys(lanes, p->e->kernel->accesses[p->e->kernel->load_count].dtype);
    return plain_put_join(p, ordered ? "ordered" : keys ? "keys" : "any_order");
}

struct place reduced_place(struct plain *p, const char *element, const char *inner)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    const struct shape *own = p->space;
    const int64_t together[] = {t->points, t->elements, t->inner};
    const char *const digits[] = {t->points == 1 ? "0" : "p", element, t->inner == 1 ? "0" : inner};
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
    place.number = place_number(
        p, &(struct place){.shape = three, .digits = {digits[0], digits[1], digits[2]}});
    return place;
}

const char *result_number(struct plain *p, const char *inner)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    const struct shape result = {.rank = 2, .extents = {t->points, t->inner}};
    return place_number(p, &(struct place){.shape = &result, .digits = {"p", inner}});
}

static void open_points(struct plain *p)
{
    const struct lane_tiles *t = &p->e->kernel->lanes->tiles;
    if (t->points != 1)
        plain_loop(p, "p", plain_extent(p, t->points));
    if (t->inner != 1)
        plain_loop(p, "j", plain_extent(p, t->inner));
}

/* What a search finds: the number of the first element that is true. */
void plain_search(struct plain *p, const char *target)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const struct place place = reduced_place(p, "e", "j");
    const int depth = p->depth;
    if (!p->host->points)
        open_points(p);
    const char *single = p->host->target_type,
               *result =
                   single ? target : arena_printf(p->e->arena, "%s[%s]", target, result_number(p, "j"));
    plain_indent(p);
    buf_printf(p->out, "%s%s%s = %s;\n", single ? single : "", single && *single ? " " : "", result,
               literal_code(p->e, p->e->kernel->ins[lanes->absent].index));
    plain_loop(p, "e", plain_extent(p, lanes->tiles.elements));
    const int value = plain_body(p, &place);
    plain_indent(p);
    buf_printf(p->out, "if (%s) {\n", plain_name(p, value));
    p->depth++;
    plain_indent(p);
    buf_printf(p->out, "%s = e;\n", result);
    plain_indent(p);
    buf_puts(p->out, "break;\n");
    plain_end(p, depth);
}

static const char *offset_text(struct plain *p, const char *array, const char *number)
{
    return strcmp(number, "0") == 0 ? array : arena_printf(p->e->arena, "%s + %s", array, number);
}

/* The array whose elements are joined as they are, one behind the other, from this place on; NULL: there is none. */
static const char *joined_array(struct plain *p, struct place *place)
{
    const struct kernel *kernel = p->e->kernel;
    const struct ins *load = &kernel->ins[0];
    const struct access *access = load->kind == INS_LOAD ? &kernel->accesses[load->index] : NULL;
    const bool alone = kernel->load_count == 1 && kernel->access_count == 2 &&
                       kernel->ins_count == 2 + kernel->literal_count;
    if (!access || !alone || access->map || p->host->is_value(p->host->user, load->index) ||
        p->host->reads_bytes(p->host->user, load->index) ||
        strcmp(type_rows[load->dtype].load, "A") != 0 || kernel->lanes->tiles.inner != 1 ||
        !shapes_equal(plain_shape(p, load->index), p->space))
        return NULL;
    return offset_text(p, p->host->data(p->host->user, load->index), place_number(p, place));
}

/* Finds the name of memory for a loop that joins. An earlier loop in the host's may have declared it; where it is of
 * another type, this one's has the type behind it. Returns whether it is to be declared. */
static bool find_room(struct plain *p, const char **name, enum weft_dtype dtype)
{
    struct buf *rooms = p->rooms;
    const char *before = rooms->text ? rooms->text : "", *own = short_name(dtype);
    if (strstr(before, arena_printf(p->e->arena, " %s;", *name)) &&
        !strstr(before, arena_printf(p->e->arena, "%s %s;", own, *name)))
        *name = arena_printf(p->e->arena, "%s_%s", *name, own);
    const char *room = arena_printf(p->e->arena, " %s %s;", own, *name);
    if (strstr(before, room))
        return false;
    buf_puts(rooms, room);
    return true;
}

/* Declares the memory of a loop that joins: a tree, and values. */
static void put_rooms(struct plain *p, enum weft_dtype tree, enum weft_dtype stage,
                      const char **tree_name, const char **values_name)
{
    const bool has_tree = *tree_name && find_room(p, tree_name, tree);
    const bool has_values = *values_name && find_room(p, values_name, stage);
    if (has_tree || has_values)
        plain_indent(p);
    if (has_tree)
        buf_printf(p->out, "%s %s[48][16]%s", short_name(tree), *tree_name,
                   has_values && tree == stage ? ", " : ";");
    if (has_tree && has_values && tree != stage)
        buf_putc(p->out, ' ');
    if (has_values)
        buf_printf(p->out, "%s%s%s[1024];", has_tree && tree == stage ? "" : short_name(stage),
                   has_tree && tree == stage ? "" : " ", *values_name);
    if (has_tree || has_values)
        buf_putc(p->out, '\n');
}

/* Element by element, where any order gives the same. */
static void put_joined(struct plain *p, const struct joining *r)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const struct place place = reduced_place(p, "e", "j");
    const int depth = p->depth;
    for (int i = 0; i < p->e->kernel->ins_count; i++)
        if (p->e->kernel->ins[i].kind == INS_STORE)
            p->once[p->e->kernel->ins[i].a[0]] = false; /* it may be read twice */
    plain_indent(p);
    buf_printf(p->out, "%s%s = %s;\n", r->declared, r->all, plain_nothing(p));
    plain_loop(p, "e", r->elements);
    const int value = plain_body(p, &place);
    plain_indent(p);
    buf_printf(p->out, "%s = %s;\n", r->all, plain_joined(p, lanes->tree, r->all, plain_name(p, value)));
    plain_end(p, depth);
}

/* Where the least number of the elements is joined for which something holds: that condition; else -1. */
static int searched_condition(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    if (kernel->lanes->join != JOIN_LEAST || kernel->lanes->tiles.inner != 1 || kernel->fault_count)
        return -1;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *where = kernel->ins[i].kind == INS_STORE ? &kernel->ins[kernel->ins[i].a[0]] : NULL;
        if (!where || where->kind != INS_OP || where->op != OP_WHERE)
            continue;
        const struct ins *number = &kernel->ins[where->a[1]], *none = &kernel->ins[where->a[2]];
        if (number->kind == INS_OP && number->op == OP_CONVERT)
            number = &kernel->ins[number->a[0]];
        struct place place = reduced_place(p, "e", "j");
        if (number->kind != INS_LOAD || !p->host->is_identity(p->host->user, number->index) ||
            kernel->accesses[number->index].map || !ins_is_argument(none) ||
            kernel->literals[none->index].i64 != INT64_MAX)
            return -1;
        place_shrink(p, &place, plain_shape(p, number->index));
        return strcmp(place_number(p, &place), "e") == 0 ? where->a[0] : -1;
    }
    return -1;
}

/* The first element for which the condition holds: first a block that has one, and then its element. C compilers make
 * vectors of the former. */
static void put_found(struct plain *p, const struct joining *r, int condition)
{
    const struct place place = reduced_place(p, "from + k", "j");
    const int depth = p->depth;
    bool *wanted = ARENA_ARRAY(p->e->arena, bool, p->e->kernel->ins_count + 1);
    wanted[condition] = true;
    plain_find_needed(p, wanted);
    plain_indent(p);
    buf_printf(p->out, "%s%s = %s;\n", r->declared, r->all, plain_nothing(p));
    plain_open_blocks(p, r->elements, TOGETHER);
    plain_indent(p);
    buf_puts(p->out, "int any = 0;\n");
    plain_loop(p, "k", "count");
    plain_body(p, &place);
    plain_indent(p);
    buf_printf(p->out, "any |= %s;\n", plain_name(p, condition));
    plain_end(p, depth + 1);
    plain_indent(p);
    buf_puts(p->out, "if (!any)\n");
    plain_indent(p);
    buf_puts(p->out, "    continue;\n");
    plain_indent(p);
    buf_puts(p->out, "for (int64_t k = 0; any; k++) {\n");
    p->depth++;
    plain_body(p, &place);
    plain_indent(p);
    buf_printf(p->out, "any = !%s;\n", in_parentheses(p, plain_name(p, condition)));
    plain_indent(p);
    buf_printf(p->out, "%s = from + k;\n", r->all);
    plain_end(p, depth + 1);
    plain_indent(p);
    buf_puts(p->out, "break;\n");
    plain_end(p, depth);
}

void plain_put_what(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind != INS_STORE)
            continue;
        const struct ins *value = &kernel->ins[ins->a[0]];
        const bool load = value->kind == INS_LOAD;
        buf_printf(p->out, " /* %s%s ", join_name(p->e->arena, kernel->lanes->join),
                   load ? " of" : ", for");
        if (load)
            buf_puts(p->out, p->host->data(p->host->user, value->index));
        else
            put_piece(p->out, kernel->program,
                      whole_span(&p->e->spans, value->span.end ? value->span : ins->span), 60);
        buf_puts(p->out, " */");
    }
    buf_putc(p->out, '\n');
}

/* What lies in memory, by one call. Returns whether it does. */
static bool put_row(struct plain *p, const struct joining *r)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    struct place whole = reduced_place(p, "0", "j");
    const char *array = joined_array(p, &whole);
    if (!array || lanes->acc != lanes->tree)
        return false;
    const char *kind = put_row_join(p), *nothing = plain_nothing(p);
    const bool may_be_null = strchr(array, ' ') && lanes->tiles.elements < 0 && lanes->join != JOIN_LEAST &&
                             lanes->join != JOIN_GREATEST; /* no elements: nothing may be added to it */
    if (r->ordered)
        plain_put_join(p, "ordered row");
    plain_indent(p);
    buf_printf(p->out, "%s%s%s = ", r->single && *r->declared ? "const " : "",
               r->single || !r->ordered ? r->declared : "", r->ordered ? r->target : r->all);
    if (may_be_null)
        buf_printf(p->out, "%s ? ", r->elements);
    buf_printf(p->out, "join_%s(%s%s, %s)", kind, r->ordered ? "" : arena_printf(p->e->arena, "%s, ", nothing), array,
               r->elements);
    buf_puts(p->out, may_be_null ? arena_printf(p->e->arena, " : %s;", nothing) : ";");
    plain_put_what(p);
    return true;
}

/* Block by block. */
static void put_blocks(struct plain *p, const struct joining *r)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    struct place first = reduced_place(p, "from", "j"), place = reduced_place(p, "from + k", "j");
    const char *kind = put_row_join(p), *array = joined_array(p, &first),
               *elements = in_parentheses(p, r->elements);
    const char *tree = r->ordered ? "tree" : NULL, *kept = p->host->kept,
               *values = array || kept ? NULL : "values";
    const int depth = p->depth;
    put_rooms(p, lanes->tree, r->stage, &tree, &values);
    values = array ? array : kept ? offset_text(p, kept, place_number(p, &first)) : values;
    const char *element = kept ? arena_printf(p->e->arena, "%s[%s]", kept, place_number(p, &place))
                               : arena_printf(p->e->arena, "%s[k]", values);
    const int last = p->space->rank - 1;
    if (!r->ordered) {
        plain_indent(p);
        buf_printf(p->out, "%s%s = %s;\n", r->declared, r->all, plain_nothing(p));
    }
    plain_open_blocks(p, elements, 1024);
    p->inner = last >= 0 && p->space->extents[last] == lanes->tiles.elements ? last : 0;
    if (!array && !kept && lanes->tiles.inner == 1 && plain_has_blocks(p)) {
        plain_put_stages(p, 1024, &first, &place, &(struct joined_to){values, element});
    } else if (!array) {
        plain_independent(p);
        plain_loop(p, "k", "count");
        const int value = plain_body(p, &place);
        plain_indent(p);
        buf_puts(p->out, element);
        plain_assign(p, value, plain_name(p, value));
        plain_end(p, p->depth - 1);
    }
    plain_indent(p);
    if (r->ordered)
        buf_printf(p->out, "join_block_%s(%s, from / 1024, %s, count);\n", kind, tree, values);
    else
        buf_printf(p->out, "%s = join_%s(%s, %s, count);\n", r->all, kind, r->all, values);
    plain_end(p, depth);
    if (r->ordered) {
        plain_indent(p);
        buf_printf(p->out, "%s%s%s = join_all_%s(%s, %s);",
                   r->single && *r->declared ? "const " : "", r->single ? r->declared : "",
                   r->target, kind, tree, r->elements);
        plain_put_what(p);
    }
}

/* Joins the elements of each point. */
void plain_reduction(struct plain *p, const char *target)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const char *type = p->host->target_type; /* of a value; NULL: it is an array */
    const int depth = p->depth;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    const struct joining r = {plain_extent(p, lanes->tiles.elements),
                              type ? target
                                   : arena_printf(p->e->arena, "%s[%s]", target, result_number(p, "j")),
                              !type   ? arena_printf(p->e->arena, "%s ", short_name(lanes->tree))
                              : *type ? arena_printf(p->e->arena, "%s ", type)
                                      : "",
                              type ? target : "all",
                              stage,
                              join_is_ordered(lanes->join, lanes->tree),
                              type != NULL};
    struct buf own = buf_new(p->e->arena);
    if (!type && plain_has_columns(p)) {
        plain_put_columns(p, &r, target);
        return;
    }
    if (!p->host->points)
        open_points(p);
    if (p->depth > depth)
        p->rooms = &own;
    const int condition = searched_condition(p);
    if (condition >= 0)
        put_found(p, &r, condition);
    else if (!r.ordered && lanes->acc == lanes->tree && !plain_joins_keys(lanes, stage))
        put_joined(p, &r);
    else if (!put_row(p, &r))
        put_blocks(p, &r);
    if (!r.ordered && !type) {
        plain_indent(p);
        buf_printf(p->out, "%s = all;\n", r.target);
    }
    plain_end(p, depth);
}
