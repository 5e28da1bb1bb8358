/* Writes reductions along outer dimensions as loops of plain C, for plain_join.c: columns are joined side by side. */
#include "compiler/emit/plain_impl.h"

/* How many columns are joined side by side: a line of a cache has them. */
static int columns_together(struct plain *p)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const enum weft_dtype stage = p->e->kernel->accesses[p->e->kernel->load_count].dtype;
    return 64 / type_rows[join_is_ordered(lanes->join, lanes->tree) ? lanes->tree : stage].size;
}

enum {
    FEW_COLUMNS = 8,
    ROWS = 16,                     /* have lanes of their own: those of rule 11.4 */
    SUMMED = 64                    /* elements that a lane of a narrower type takes */
};

/* Columns that are joined side by side. */
struct columns {
    bool few;                      /* all there are, and fewer than C compilers make vectors of */
    const char *in_hand;
    int rows;                      /* that have lanes of their own */
    const char *lanes;             /* room for so many */
    const char *inner;             /* the number of column c */
};

/* Whether what is read goes along rows of columns as along one row, or stays. */
static bool rows_go_on(struct plain *p)
{
    return plain_all_flat(p, p->e->kernel->load_count);
}

bool plain_has_columns(struct plain *p)
{
    const int64_t inner = p->e->kernel->lanes->tiles.inner;
    return !p->host->points && !p->host->kept && (inner < 0 || inner >= FEW_COLUMNS || (inner > 1 && rows_go_on(p)));
}

/* Whether lanes of columns are integers that are ordered as the values are. */
static bool columns_are_keys(struct plain *p)
{
    return plain_joins_keys(p->e->kernel->lanes, p->e->kernel->accesses[p->e->kernel->load_count].dtype);
}

/* Fills an array of lanes. */
static void put_filled(struct plain *p, const char *array, const char *count, const char *value)
{
    plain_indent(p);
    buf_printf(p->out, "for (int c = 0; c < %s; c++)\n", count);
    plain_indent(p);
    buf_printf(p->out, "    %s[c] = %s;\n", array, value);
}

/* A loop over columns, whose turns do not depend on each other. */
static void open_columns(struct plain *p, const char *count)
{
    plain_indent(p);
    buf_puts(p->out, "INDEPENDENT\n");
    plain_indent(p);
    buf_printf(p->out, "for (int c = 0; c < %s; c++) {\n", count);
    p->depth++;
}

/* Joins an element to its lane. */
static void put_column(struct plain *p, const char *element, const char *inner, const char *lane)
{
    const struct place place = reduced_place(p, element, inner);
    const int value = plain_body(p, &place);
    plain_indent(p);
    if (columns_are_keys(p)) {
        const char *type = plain_key_type(p->e->kernel->lanes), *before = plain_key_before(p->e->kernel->lanes);
        buf_printf(p->out, "const %s rank = rank_of_%s(%s);\n", type, plain_put_join(p, "column keys"),
                   plain_name(p, value));
        plain_indent(p);
        buf_printf(p->out, "%s = rank %s %s ? rank : %s;\n", lane, before, lane, lane);
        return;
    }
    buf_printf(p->out, "%s = %s;\n", lane, plain_joined_to(p, lane, in_parentheses(p, plain_name(p, value))));
}

/* Joins so many rows to the lanes: row k to those with number k % 16, where rows have such. */
static void put_rows(struct plain *p, const struct columns *columns, const char *element, const char *count)
{
    const int depth = p->depth;
    const char *lane = columns->rows == 1
                           ? "lanes[c]"
                           : arena_printf(p->e->arena, "lanes[k %% 16 * %s + c]", columns->in_hand);
    if (columns->few && rows_go_on(p)) {
        plain_indent(p);
        buf_printf(p->out, "for (int64_t k = 0; k < %s; k += 16) { /* 16 rows as one */\n", count);
        p->depth++;
        plain_indent(p);
        buf_printf(p->out, "const int width = (%s - k < 16 ? (int)(%s - k) : 16) * %s;\n", count, count,
                   columns->in_hand);
        open_columns(p, "width");
        put_column(p, element, "c", "lanes[c]");
    } else if (columns->few) {
        plain_loop(p, "c", columns->in_hand);
        plain_loop(p, "k", count);
        put_column(p, element, "c", lane);
    } else {
        plain_loop(p, "k", count);
        open_columns(p, columns->in_hand);
        put_column(p, element, columns->inner, lane);
    }
    plain_end(p, depth);
}

/* In the order of rule 11.4. */
static void put_ordered_columns(struct plain *p, const struct joining *r, const struct columns *columns)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const char *tree = short_name(lanes->tree), *kind = plain_put_join(p, "ordered columns");
    const int depth = p->depth;
    plain_indent(p);
    buf_printf(p->out, "%s tree[48 * %s], lanes[%s];\n", tree, columns->lanes, columns->lanes);
    plain_open_blocks(p, in_parentheses(p, r->elements), 1024);
    put_filled(p, "lanes", columns->lanes, value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc)));
    put_rows(p, columns, "from + k", "count");
    plain_indent(p);
    buf_printf(p->out, "plant_%s(tree, from / 1024, lanes, %s);\n", kind, columns->in_hand);
    plain_end(p, depth);
    plain_indent(p);
    buf_printf(p->out, "harvest_%s(tree, %s, lanes, %s);", kind, r->elements, columns->in_hand);
    plain_put_what(p);
}

/* Two lanes of columns, joined. */
static const char *joined_lanes(struct plain *p, const char *a, const char *b)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    return columns_are_keys(p) ? arena_printf(p->e->arena, "%s %s %s ? %s : %s", b, plain_key_before(lanes), a, b, a)
                               : plain_joined(p, lanes->tree, a, b);
}

/* In any order; some rows first in a narrower type. */
static void put_any_columns(struct plain *p, const struct joining *r, const struct columns *columns)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const bool narrow = lanes->acc != lanes->tree, keys = columns_are_keys(p);
    const char *all = narrow ? "all" : "lanes", *nothing = plain_nothing(p);
    const int depth = p->depth;
    plain_indent(p);
    buf_printf(p->out, "%s %s[%s];", keys ? plain_key_type(lanes) : short_name(lanes->tree), all, columns->lanes);
    plain_put_what(p);
    put_filled(p, all, columns->lanes,
               keys ? arena_printf(p->e->arena, "rank_of_%s(%s)", plain_put_join(p, "column keys"), nothing) : nothing);
    if (!narrow) {
        put_rows(p, columns, "k", in_parentheses(p, r->elements));
    } else {
        plain_open_blocks(p, in_parentheses(p, r->elements), SUMMED * columns->rows);
        plain_indent(p);
        buf_printf(p->out, "%s lanes[%s];\n", short_name(lanes->acc), columns->lanes);
        put_filled(p, "lanes", columns->lanes, value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc)));
        put_rows(p, columns, "from + k", "count");
        put_filled(p, "all", columns->lanes, plain_joined(p, lanes->tree, "all[c]", "lanes[c]"));
        plain_end(p, depth);
    }
    if (columns->rows == 1)
        return;
    plain_indent(p);
    buf_puts(p->out, "for (int rows = 8; rows; rows /= 2)\n");
    plain_indent(p);
    buf_printf(p->out, "    for (int c = 0; c < rows * %s; c++)\n", columns->in_hand);
    plain_indent(p);
    buf_printf(p->out, "        %s[c] = %s;\n", all,
               joined_lanes(p, arena_printf(p->e->arena, "%s[c]", all),
                            arena_printf(p->e->arena, "%s[c + rows * %s]", all, columns->in_hand)));
}

/* Joins these columns and stores what comes of them. */
static void put_columns(struct plain *p, const struct joining *r, const char *target, const struct columns *columns)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const int depth = p->depth;
    (r->ordered ? put_ordered_columns : put_any_columns)(p, r, columns);
    open_columns(p, columns->in_hand);
    plain_indent(p);
    const char *lane = !r->ordered && lanes->acc != lanes->tree ? "all[c]" : "lanes[c]";
    if (columns_are_keys(p))
        lane = arena_printf(p->e->arena, "value_of_%s(%s)", plain_put_join(p, "column keys"), lane);
    buf_printf(p->out, "%s[%s] = %s;\n", target, result_number(p, columns->inner), lane);
    plain_end(p, depth);
}

void plain_put_columns(struct plain *p, const struct joining *r, const char *target)
{
    const int64_t inner = p->e->kernel->lanes->tiles.inner;
    const int together = columns_together(p), depth = p->depth;
    const char *extent = in_parentheses(p, plain_extent(p, inner));
    const bool many = inner < 0 || inner >= together, few = inner < together;
    for (int i = 0; i < p->e->kernel->ins_count; i++)
        if (p->e->kernel->ins[i].kind == INS_STORE)
            p->once[p->e->kernel->ins[i].a[0]] = false; /* it may be read twice */
    if (p->e->kernel->lanes->tiles.points != 1)
        plain_loop(p, "p", plain_extent(p, p->e->kernel->lanes->tiles.points));
    if (many) {
        const int rows = r->ordered ? ROWS : 1;
        plain_indent(p);
        if (few)
            buf_printf(p->out, "for (int64_t at = 0; at < %s && %s >= %d; at += %d) {", extent, extent, together,
                       together);
        else
            buf_printf(p->out, "for (int64_t at = 0; at < %s; at += %d) {", extent, together);
        buf_puts(p->out, " /* the last columns with others once more */\n");
        p->depth++;
        plain_indent(p);
        buf_printf(p->out, "const int64_t j = at + %d <= %s ? at : %s - %d;\n", together, extent, extent, together);
        put_columns(p, r, target,
                    &(struct columns){false, arena_printf(p->e->arena, "%d", together), rows,
                                      arena_printf(p->e->arena, "%d", rows * together), "j + c"});
        p->depth--;
        plain_indent(p);
        buf_puts(p->out, "}\n");
    }
    if (few) {
        const bool known = inner >= 0;
        plain_indent(p);
        buf_puts(p->out, known ? "{\n" : arena_printf(p->e->arena, "if (%s < %d) {\n", extent, together));
        p->depth++;
        if (!known) {
            plain_indent(p);
            buf_printf(p->out, "const int columns = (int)%s;\n", extent);
        }
        put_columns(p, r, target,
                    &(struct columns){!known || rows_go_on(p),
                                      known ? arena_printf(p->e->arena, "%d", (int)inner) : "columns", ROWS,
                                      arena_printf(p->e->arena, "%d", ROWS * (known ? (int)inner : together)), "c"});
    }
    plain_end(p, depth);
}
