/* Implements views.h: the table as an array, which arguments go together, and what they come from. */
#include "compiler/lang/views.h"

#include "compiler/lang/size.h"

#include <string.h>

const struct view_row view_rows[VIEW_KIND_COUNT] = {
#define VIEW(id, name, parameters, kinds, required, node, shape, signature, doc) \
    [VIEW_##id] = {#name, parameters, kinds, required, NODE_##node, signature, doc},
#include "grammar/views.def"
};

enum view_kind view_find(const char *name)
{
    int kind = 0;
    name = strcmp(name, "argwhere") == 0 ? "nonzero" : name;
    while (kind < VIEW_KIND_COUNT && strcmp(view_rows[kind].name, name) != 0)
        kind++;
    return (enum view_kind)kind;
}

static const struct { const char *word; enum op op; } put_rows[PUT_COUNT] = {
#define PUT(word, id, op) {word, OP_##op},
#include "grammar/modes.def"
};

enum put put_find(const char *word)
{
    int put = 0;
    while (put < PUT_COUNT && strcmp(put_rows[put].word, word) != 0)
        put++;
    return (enum put)put;
}

const char *put_mode_word(enum put put)
{
    return put_rows[put].word;
}

enum op put_op(enum put put)
{
    return put_rows[put].op;
}

static const struct { const char *word; enum edge edge; } mode_words[] = {
#define MODE(word, edge, doc) {word, EDGE_##edge},
#include "grammar/modes.def"
};

enum edge mode_find(const char *word)
{
    for (size_t i = 0; i < sizeof mode_words / sizeof *mode_words; i++)
        if (strcmp(mode_words[i].word, word) == 0)
            return mode_words[i].edge;
    return EDGE_VALUE;
}

const char *mode_word(enum edge edge)
{
    for (size_t i = 0; i < sizeof mode_words / sizeof *mode_words; i++)
        if (mode_words[i].edge == edge)
            return mode_words[i].word;
    return NULL;
}

const char *view_conflict(const struct view_args *args, struct span places[2], int *count)
{
    const bool name = args->axes.letters || args->axes.names; /* of a dimension: check/names.h says more */
    const bool one = name || (args->axes.count == 1 && args->axes.input < 0 &&
                              args->axes.items[0].kind == LITERAL_INTEGER);
    bool shape = args->shape.given, factors = args->rel_shape.given, sources = args->src_dims.given;
    if (args->kind == VIEW_EXTENT && !one) {
        places[0] = args->axes.span;
        return "extent takes one dimension, a literal integer, as in extent(x, 0) or extent(x, -1)";
    }
    if (args->kind == VIEW_EXTENT && args->dtype == WEFT_BOOL)
        return "an extent is a number, and bool is none; leave dtype out for int32";
    if (args->kind != VIEW_RESHAPE)
        return NULL;
    if (!shape && !factors && !sources && !args->has_layout)
        return "reshape needs a shape, rel_shape, src_dims or layout, as in reshape(x, [2, 3])";
    if (!shape || (!factors && !sources))
        return NULL;
    places[0] = factors ? args->rel_shape.span : args->src_dims.span;
    places[1] = args->shape.span;
    *count = 2;
    return factors ? "reshape takes shape or rel_shape, not both: shape holds extents, rel_shape "
                     "factors "
                     "of the input's"
                   : "src_dims goes with rel_shape or stands alone; the extents of shape are taken "
                     "from "
                     "no dimension";
}

/* The call whose first operand is x[m], as in max(x[m]) and x[m].max(). */
struct around {
    const char *name;              /* NULL: there is none */
    size_t length;
    const char *more;              /* what stands for its other arguments: "" or ", .." */
};

static struct around call_around(const struct masked *masked)
{
    const char *text = masked->source->text, *start = text + masked->operand.start;
    const char *end = text + masked->item.end, *name = start;
    while (start > text && start[-1] == ' ')
        start--;
    end += strspn(end, " ]");
    if (*end == '.') {
        const size_t length = strcspn(end + 1, "( )");
        const char *opening = end + 1 + length;
        return (struct around){*opening == '(' ? end + 1 : NULL, length, opening[*opening != 0] == ')' ? "" : ", .."};
    }
    if (start == text || start[-1] != '(' || !*end || !strchr("),", *end))
        return (struct around){0};
    for (name = start - 1; name > text && (is_letter(name[-1]) || is_digit(name[-1]));)
        name--;
    return (struct around){name, (size_t)(start - 1 - name), *end == ')' ? "" : ", .."};
}

const char *view_mask_advice(struct arena *arena, const struct masked *masked)
{
    static const struct { const char *name, *other; } neutral[] = {
        {"max", "-inf"}, {"min", "inf"}, {"argmax", "-inf"}, {"argmin", "inf"}, {"prod", "1"}, {"all", "true"}};
    const char *mask = masked->mask, *operand = masked->value;
    const struct around around = call_around(masked);
    const char *name = around.name;
    const size_t length = around.length;
    if (name && length == 4 && memcmp(name, "mean", 4) == 0)
        return arena_printf(arena, "a mask; write mean(where(%s, %s, 0)%s) / mean(%s%s)", mask, operand,
                            around.more, mask, around.more);
    for (size_t i = 0; name && i < sizeof neutral / sizeof *neutral; i++)
        if (length == strlen(neutral[i].name) && memcmp(name, neutral[i].name, length) == 0)
            return arena_printf(arena, "a mask; write %s(where(%s, %s, %s)%s)", neutral[i].name, mask, operand,
                                neutral[i].other, around.more);
    const char *first = masked->named ? "" : arena_printf(arena, ", or gather(%s, nonzero(%s, n)) for the first n",
                                                          operand, mask);
    return arena_printf(arena, "a mask; write where(%s, %s, 0), which keeps the shape%s", mask, operand, first);
}

static bool comes_of(const struct numbers *numbers, const bool *batches)
{
    return numbers->given && numbers->input >= 0 && batches[numbers->input];
}

/* Whether a view's arguments come from a batch. */
static bool view_batched(const struct view_args *args, const bool *batches, const bool *nodes)
{
    return comes_of(&args->shape, batches) || comes_of(&args->rel_shape, batches) ||
           comes_of(&args->src_dims, batches) || comes_of(&args->axes, batches) || view_is_marked(args, nodes);
}

bool *program_batched(struct arena *arena, const struct program *program, const bool *batches)
{
    bool *nodes = ARENA_ARRAY(arena, bool, program->node_count + 1);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        if (symbol)
            nodes[n] = symbol->kind == SYMBOL_INPUT ? batches[symbol->input] : nodes[symbol->node];
        if (node->kind == NODE_VIEW || node->kind == NODE_POSITION)
            nodes[n] = view_batched(&program->views[node->view], batches, nodes);
        for (int i = 0; !symbol && i < node->operand_count; i++)
            nodes[n] = nodes[n] || nodes[program->operands[node->operands + i]];
    }
    return nodes;
}
