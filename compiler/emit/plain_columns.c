/* Writes reductions along outer dimensions as loops of plain C, for plain_join.c: columns are joined side by side. */
#include "compiler/emit/plain_impl.h"

#include <stdlib.h>

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
    LANES = 512,                   /* more rows have some, up to so many, where any order will do */
    SUMMED = 64                    /* elements that a lane of a narrower type takes */
};

/* Columns that are joined side by side. */
struct columns {
    bool few;                      /* all there are, and fewer than C compilers make vectors of */
    const char *in_hand;
    const char *rows;              /* that have lanes of their own; NULL: one */
    const char *lanes, *room;      /* how many there are, and have room */
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

/* A loop over columns, whose turns do not depend on each other, and may be few. */
static void open_columns(struct plain *p, const char *count, bool few)
{
    plain_indent(p);
    buf_puts(p->out, few ? "INDEPENDENT_FEW\n" : "INDEPENDENT\n");
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

/* Joins so many rows to the lanes: row k to those with number k % rows, where rows have such. */
static void put_rows(struct plain *p, const struct columns *columns, const char *element, const char *count)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    const int depth = p->depth;
    const char *rows = columns->rows;
    const char *lane =
        !rows ? "lanes[c]" : arena_printf(p->e->arena, "lanes[k %% %s * %s + c]", rows, columns->in_hand);
    if (columns->few && rows_go_on(p)) {
        plain_indent(p);
        buf_printf(p->out, "for (int64_t k = 0; k < %s; k += %s) { /* %s rows as one */\n", count, rows,
                   is_digit(*rows) ? rows : "so many");
        p->depth++;
        plain_indent(p);
        buf_printf(p->out, "const int width = (%s - k < %s ? (int)(%s - k) : %s) * %s;\n", count, rows, count, rows,
                   columns->in_hand);
        open_columns(p, "width", ordered);
        put_column(p, element, "c", "lanes[c]");
    } else if (columns->few) {
        plain_loop(p, "c", columns->in_hand);
        plain_loop(p, "k", count);
        put_column(p, element, "c", lane);
    } else {
        plain_loop(p, "k", count);
        open_columns(p, columns->in_hand, false);
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
    buf_printf(p->out, "%s tree[48 * %s], lanes[%s];\n", tree, columns->room, columns->room);
    plain_open_blocks(p, in_parentheses(p, r->elements), 1024);
    put_filled(p, "lanes", columns->room, value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc)));
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

/* So many, each of some rows. */
static const char *product(struct plain *p, int number, const char *rows)
{
    return rows && !is_digit(*rows) ? arena_printf(p->e->arena, "%d * %s", number, rows)
                                    : arena_printf(p->e->arena, "%d", number * (rows ? atoi(rows) : 1));
}

/* In any order; some rows first in a narrower type. */
static void put_any_columns(struct plain *p, const struct joining *r, const struct columns *columns)
{
    const struct lanes *lanes = p->e->kernel->lanes;
    const bool narrow = lanes->acc != lanes->tree, keys = columns_are_keys(p);
    const char *all = narrow ? "all" : "lanes", *nothing = plain_nothing(p);
    const int depth = p->depth;
    plain_indent(p);
    buf_printf(p->out, "%s %s[%s];", keys ? plain_key_type(lanes) : short_name(lanes->tree), all, columns->room);
    plain_put_what(p);
    put_filled(p, all, columns->lanes,
               keys ? arena_printf(p->e->arena, "rank_of_%s(%s)", plain_put_join(p, "column keys"), nothing) : nothing);
    if (!narrow) {
        put_rows(p, columns, "k", in_parentheses(p, r->elements));
    } else {
        plain_open_blocks_of(p, in_parentheses(p, r->elements), product(p, SUMMED, columns->rows));
        plain_indent(p);
        buf_printf(p->out, "%s lanes[%s];\n", short_name(lanes->acc), columns->room);
        put_filled(p, "lanes", columns->lanes, value_code(p->e, lanes->acc, join_absent(lanes->join, lanes->acc)));
        put_rows(p, columns, "from + k", "count");
        put_filled(p, "all", columns->lanes, plain_joined(p, lanes->tree, "all[c]", "lanes[c]"));
        plain_end(p, depth);
    }
    if (!columns->rows)
        return;
    plain_indent(p);
    buf_printf(p->out, "for (%s; rows; rows /= 2)\n",
               is_digit(*columns->rows) ? arena_printf(p->e->arena, "int rows = %d", atoi(columns->rows) / 2)
                                        : "rows /= 2");
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
    open_columns(p, columns->in_hand, false);
    plain_indent(p);
    const char *lane = !r->ordered && lanes->acc != lanes->tree ? "all[c]" : "lanes[c]";
    if (columns_are_keys(p))
        lane = arena_printf(p->e->arena, "value_of_%s(%s)", plain_put_join(p, "column keys"), lane);
    buf_printf(p->out, "%s[%s] = %s;\n", target, result_number(p, columns->inner), lane);
    plain_end(p, depth);
}

/* Joins all columns side by side; `most`: how many these are, where that is known, else more. Of few columns more rows
 * are, unless order matters, so that loops go over many elements. */
static void put_few_columns(struct plain *p, const struct joining *r, const char *target, int most)
{
    struct arena *arena = p->e->arena;
    const bool known = p->e->kernel->lanes->tiles.inner >= 0, more = !r->ordered && rows_go_on(p);
    int rows = ROWS;
    while (known && more && 2 * rows * most <= LANES)
        rows *= 2;
    const int room = !known && more && rows * most < LANES ? LANES : rows * most;
    struct columns columns = {!known || rows_go_on(p), known ? arena_printf(arena, "%d", most) : "columns",
                              arena_printf(arena, "%d", rows), arena_printf(arena, "%d", room),
                              arena_printf(arena, "%d", room), "c"};
    if (!known) {
        plain_indent(p);
        buf_printf(p->out, "const int columns = (int)%s;\n",
                   in_parentheses(p, plain_extent(p, p->e->kernel->lanes->tiles.inner)));
    }
    if (!known && more) {
        const int depth = p->depth;
        plain_indent(p);
        buf_printf(p->out, "int rows = %d; /* that are joined side by side */\n", ROWS);
        plain_indent(p);
        buf_printf(p->out, "while (rows < %d && rows < %s && rows * columns <= %d)\n", LANES / 2,
                   in_parentheses(p, r->elements), LANES / 2);
        p->depth++;
        plain_indent(p);
        buf_puts(p->out, "rows *= 2;\n");
        p->depth = depth;
        columns.rows = "rows", columns.lanes = "rows * columns";
    }
    put_columns(p, r, target, &columns);
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
        const char *lanes = arena_printf(p->e->arena, "%d", rows * together);
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
                    &(struct columns){false, arena_printf(p->e->arena, "%d", together),
                                      r->ordered ? product(p, ROWS, NULL) : NULL, lanes, lanes, "j + c"});
        p->depth--;
        plain_indent(p);
        buf_puts(p->out, "}\n");
    }
    if (few) {
        const bool known = inner >= 0;
        plain_indent(p);
        buf_puts(p->out, known ? "{\n" : arena_printf(p->e->arena, "if (%s < %d) {\n", extent, together));
        p->depth++;
        put_few_columns(p, r, target, known ? (int)inner : together);
    }
    plain_end(p, depth);
}
