/* Implements shape.h: broadcasting, the shapes of all kinds of nodes, and size variables. */
#include "compiler/check/shape.h"

#include "compiler/check/check.h"
#include "compiler/check/view.h"

#include <string.h>

/* Broadcasts extent `d` of `b` into extent `to` of `a`. False where they clash. */
static bool broadcast_extent(struct shape *a, int to, const struct shape *b, int d)
{
    const int64_t x = a->extents[to], y = b->extents[d];
    const uint32_t rigid = b->rigid >> d & 1;
    const enum joined joined = join_extents(x, a->rigid >> to & 1, y, rigid);
    /* An unknown extent becomes the known one. A size variable must turn out equal. */
    if (joined == JOINED_SECOND || (joined == JOINED_OPEN && (x == EXTENT_UNKNOWN || (x < 0 && y >= 0))))
        a->extents[to] = y;
    if (x == y || joined == JOINED_SECOND || (joined == JOINED_OPEN && x < 0))
        a->rigid |= rigid << to;
    return joined != JOINED_CLASH;
}

/* Broadcasts `b` into `a`, whose rank is at least b's. Returns -1, or the dimension of `a` that does not fit. */
static int broadcast_into(struct shape *a, const struct shape *b)
{
    int shift = a->rank - b->rank;
    for (int d = b->rank - 1; d >= 0; d--)
        if (!broadcast_extent(a, d + shift, b, d))
            return d + shift;
    return -1;
}

static void widen(struct shape *shape, int rank)
{
    int shift = rank - shape->rank;
    memmove(shape->extents + shift, shape->extents, (size_t)shape->rank * sizeof(int64_t));
    for (int d = 0; d < shift; d++)
        shape->extents[d] = 1;
    shape->rigid = shift < 32 ? shape->rigid << shift : 0;
    shape->rank = rank;
}

static const char *extent_text(struct arena *arena, const struct program *program, int64_t extent)
{
    if (extent >= 0)
        return arena_printf(arena, "%lld", (long long)extent);
    return extent == EXTENT_UNKNOWN ? "?" : program->size_variables[EXTENT_VARIABLE - extent];
}

const char *shape_text(struct arena *arena, const struct program *program,
                       const struct shape *shape)
{
    struct buf text = buf_new(arena);
    buf_putc(&text, '[');
    for (int d = 0; d < shape->rank; d++)
        buf_printf(&text, "%s%s", d ? ", " : "", extent_text(arena, program, shape->extents[d]));
    buf_putc(&text, ']');
    return text.text;
}

const char *expression_text(struct arena *arena, const struct program *program, struct span span)
{
    int length = (int)(span.end - span.start);
    const char *text = program->source->text + span.start;
    return length <= 40 ? arena_printf(arena, "%.*s", length, text)
                        : arena_printf(arena, "%.37s...", text);
}

/* Reports that operand `right` clashes with an operand before it in dimension `d`, counted from the end. The message
 * names the first operand with which it clashes. */
static bool clash(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct node *node, const struct shape *const *operands, int right, int d)
{
    const struct shape *y = operands[right], *x = NULL;
    int left = 0;
    for (; left < right; left++) {
        x = operands[left];
        struct shape one = {.rank = 1, .extents = {0}}, other = one;
        if (x->rank < d || y->rank < d)
            continue;
        one.extents[0] = x->extents[x->rank - d], one.rigid = x->rigid >> (x->rank - d) & 1;
        other.extents[0] = y->extents[y->rank - d], other.rigid = y->rigid >> (y->rank - d) & 1;
        if (!broadcast_extent(&one, 0, &other, 0))
            break;
    }
    if (left == right)
        x = operands[left = 0];
    struct span a = operand_node(program, node, left)->span;
    struct span b = operand_node(program, node, right)->span;
    const char *which = d == 1 ? "the last dimension" : arena_printf(arena, "dimension -%d", d);
    return diag_at(diags, DIAG_BROADCAST, (struct span[]){node->token, a, b}, 3,
                   expression_text(arena, program, b), shape_text(arena, program, y),
                   expression_text(arena, program, a), shape_text(arena, program, x),
                   extent_text(arena, program, y->extents[y->rank - d]),
                   extent_text(arena, program, x->extents[x->rank - d]), which);
}

bool shapes_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank &&
           memcmp(a->extents, b->extents, (size_t)a->rank * sizeof a->extents[0]) == 0;
}

bool shape_known(const struct shape *shape)
{
    for (int d = 0; d < shape->rank; d++)
        if (shape->extents[d] < 0)
            return false;
    return true;
}

static int count_extent(const struct shape *shape, int64_t extent)
{
    int count = 0;
    for (int d = 0; d < shape->rank; d++)
        count += shape->extents[d] == extent;
    return count;
}

bool shapes_fill(const struct shape *a, const struct shape *b)
{
    if (shape_known(a) && shape_known(b))
        return shape_volume(a) == shape_volume(b);
    for (int d = 0; d < a->rank; d++)
        if (a->extents[d] != 1 && count_extent(a, a->extents[d]) != count_extent(b, a->extents[d]))
            return false;
    return a->rank - count_extent(a, 1) == b->rank - count_extent(b, 1);
}

int64_t shape_volume(const struct shape *shape)
{
    int64_t volume = 1;
    bool empty = false;
    for (int d = 0; d < shape->rank; d++) {
        empty = empty || shape->extents[d] == 0;
        if (shape->extents[d] > 0 && __builtin_mul_overflow(volume, shape->extents[d], &volume))
            return -1; /* also when another extent is 0, since strides would overflow all the same */
    }
    return volume > INT64_MAX / 16 ? -1 : empty ? 0 : volume;
}

static const struct shape *broadcast(struct arena *arena, const struct program *program,
                                     struct diags *diags, const struct node *node,
                                     const struct shape *const *operands, bool *good)
{
    int rank = 0;
    bool same = true;
    for (int i = 0; i < node->operand_count; i++) {
        if (!operands[i])
            return NULL;
        rank = operands[i]->rank > rank ? operands[i]->rank : rank;
        same = same && operands[i] == operands[0];
    }
    if (same)
        return operands[0];
    struct shape *shape = arena_copy(arena, operands[0], sizeof *shape);
    widen(shape, rank);
    for (int i = 1; i < node->operand_count; i++) {
        int d = broadcast_into(shape, operands[i]);
        if (d >= 0) {
            *good = clash(arena, program, diags, node, operands, i, rank - d);
            return NULL;
        }
    }
    for (int i = 0; i < node->operand_count; i++)
        if (operands[i]->rank == rank && operands[i]->rigid == shape->rigid &&
            memcmp(operands[i]->extents, shape->extents, (size_t)rank * sizeof(int64_t)) == 0)
            return operands[i];
    if (shape_volume(shape) < 0)
        *good = diag(diags, DIAG_VOLUME, node->span, shape_text(arena, program, shape));
    return shape;
}

static const struct shape *array_shape(struct arena *arena, const struct program *program,
                                       const struct node *node)
{
    struct shape *shape = ARENA_NEW(arena, struct shape);
    shape->rank = node->rank;
    memcpy(shape->extents, program->extents + node->extents, (size_t)node->rank * sizeof(int64_t));
    return shape;
}

static const struct shape *name_shape(const struct program *program, const struct node *node,
                                      const struct shape *const *inputs,
                                      const struct shape *const *shapes)
{
    const struct symbol *symbol = &program->symbols[node->symbol];
    return symbol->kind == SYMBOL_INPUT ? inputs[symbol->input] : shapes[symbol->node];
}

/* The dtype that VIEW_REINTERPRET reads: that of an input, where it is known. Inside an expression the sizes are
 * equal, so the result's serves. */
static enum weft_dtype viewed_dtype(const struct program *program, const struct node *node,
                                    enum weft_dtype result)
{
    node = named_node(program, node);
    if (node->kind != NODE_NAME)
        return result;
    const struct symbol *symbol = &program->symbols[node->symbol];
    return symbol->typed ? symbol->type.dtype : WEFT_DTYPE_COUNT;
}

bool infer_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct shape *const *inputs, const struct shape **shapes)
{
    return infer_shapes_of(arena, program, diags, inputs, NULL, shapes);
}

bool infer_shapes_of(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes)
{
    bool good = true;
    const struct shape *scalar = ARENA_NEW(arena, struct shape);
    int room = 0;
    const struct shape **operands = NULL;
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        if (node->operand_count > room)
            operands = ARENA_ARRAY(arena, const struct shape *, room = node->operand_count * 2);
        for (int i = 0; node->kind == NODE_OP && i < node->operand_count; i++)
            operands[i] = shapes[program->operands[node->operands + i]];
        switch (node->kind) {
        case NODE_POISON: shapes[n] = NULL; break;
        case NODE_LITERAL: case NODE_REDUCE: shapes[n] = scalar; break;
        case NODE_NAME: shapes[n] = name_shape(program, node, inputs, shapes); break;
        case NODE_OP:
            shapes[n] = broadcast(arena, program, diags, node, operands, &good);
            break;
        case NODE_CAST: case NODE_WRAP:
            shapes[n] = shapes[program->operands[node->operands]];
            break;
        case NODE_ARRAY: shapes[n] = array_shape(arena, program, node); break;
        case NODE_VIEW: {
            const struct view_args *args = &program->views[node->view];
            const struct node *operand = operand_node(program, node, 0);
            const struct viewed viewed = {
                .program = program, .operand = operand->span, .place = node->token,
                .name = expression_text(arena, program, operand->span),
                .shape = shapes[operand - program->nodes], .inputs = inputs, .contents = contents,
                .dtype = viewed_dtype(program, operand, args->dtype)};
            shapes[n] = view_shape(arena, diags, &viewed, args, &good);
            break;
        }
        }
    }
    return good;
}

const struct shape *type_shape(struct arena *arena, const struct type *type)
{
    if (!type->ranked)
        return NULL;
    struct shape *shape = ARENA_NEW(arena, struct shape);
    shape->rank = type->rank;
    memcpy(shape->extents, type->extents, sizeof shape->extents);
    for (int d = 0; d < type->rank; d++)
        if (type->extents[d] <= EXTENT_VARIABLE)
            shape->rigid |= 1u << d;
    return shape;
}

/* ---- size variables ---- */

void sizes_init(struct size_values *sizes, struct arena *arena, const struct program *program)
{
    *sizes = (struct size_values){ARENA_ARRAY(arena, struct size_value, program->size_variable_count), ""};
    for (int i = 0; i < program->size_variable_count; i++)
        sizes->items[i].input = -1;
}

int64_t sizes_extent(const struct size_values *sizes, int64_t extent)
{
    const struct size_value *size = extent <= EXTENT_VARIABLE ? &sizes->items[EXTENT_VARIABLE - extent] : NULL;
    return size && size->input >= 0 ? size->extent : extent;
}

/* Sets a size variable to the number that it is in an input. False, with a diagnostic, where it has another value. */
static bool set_size(const struct program *program, struct size_values *sizes, int input, int64_t variable,
                     int64_t number, struct diags *diags)
{
    struct size_value *size = &sizes->items[EXTENT_VARIABLE - variable];
    if (size->input < 0)
        *size = (struct size_value){number, input};
    if (size->extent == number)
        return true;
    return diag_at(diags, DIAG_SIZE_VARIABLE, NULL, 0, program->size_variables[EXTENT_VARIABLE - variable],
                   (long long)size->extent, program->symbols[program->inputs[size->input]].name,
                   (long long)number, program->symbols[program->inputs[input]].name, sizes->where);
}

bool sizes_join(const struct program *program, struct size_values *sizes, int input, int64_t *known, int64_t next,
                 struct diags *diags)
{
    if (*known == EXTENT_UNKNOWN)
        *known = next;
    else if (*known >= 0 && next >= 0)
        return *known == next;
    else if (*known <= EXTENT_VARIABLE && next >= 0)
        return set_size(program, sizes, input, *known, next, diags);
    else if (next <= EXTENT_VARIABLE && *known >= 0)
        return set_size(program, sizes, input, next, *known, diags);
    return true;
}
