/* Writes a loop as blocks of elements, where some values are computed a block at a time by functions: float16 is
 * brought to float32 and back by instructions for vectors where there are some, and functions of Weft's own take a
 * shorter way where no operand of a block is rare (templates/kernel/math_c.h). Every value has the bits that it has
 * without. */
#include "compiler/emit/plain_impl.h"

#include <string.h>

/* The elements of a block, and fewer than which are not written as blocks. */
enum { TOGETHER = 256, FEW = 64 };

bool plain_is_blocked(struct plain *p, int i)
{
    if (!p->blocked || !p->blocked[i] || p->e->kernel->ins[i].kind == INS_STORE)
        return false;
    p->texts[i] = p->blocked[i];
    return true;
}

/* The function of a block for an operation; NULL: none, as for sqrt, which compilers make vectors of. */
static const char *block_function(struct plain *p, const struct ins *ins, const char **name)
{
    size_t length;
    const char *text =
        ins->kind == INS_OP && ins->op != OP_SQRT && ins->a[0] >= 0 && ins->a[1] < 0 && dtype_is_float(ins->source)
            ? own_block(p->e, ins, &length, name)
            : NULL;
    if (!text)
        return NULL;
    const char *mark = text - 1;
    while (mark[-1] != '\n')
        mark--;
    const char *parts = arena_string(p->e->arena, mark, (size_t)(text - mark));
    const bool other = strstr(parts, "inside") || strstr(parts, "remainders");
    return other ? NULL : arena_string(p->e->arena, text, length);
}

/* Whether an instruction converts what is loaded, element by element in the order of memory. */
static bool is_decoded(struct plain *p, int i)
{
    const struct kernel *kernel = p->e->kernel;
    const struct ins *ins = &kernel->ins[i],
                     *load = ins->kind == INS_OP && ins->a[0] >= 0 ? &kernel->ins[ins->a[0]] : NULL;
    return load && ins->op == OP_DECODE && ins->source == WEFT_FLOAT16 && load->kind == INS_LOAD &&
           !kernel->accesses[load->index].map && !p->host->is_value(p->host->user, load->index) &&
           !p->host->reads_bytes(p->host->user, load->index) &&
           shapes_equal(plain_shape(p, load->index), p->space);
}

/* Whether an instruction makes float16 that is only stored so. */
static bool is_encoded(struct plain *p, int i)
{
    const struct kernel *kernel = p->e->kernel;
    const struct ins *ins = &kernel->ins[i];
    if (kernel->lanes || ins->kind != INS_STORE || kernel->ins[ins->a[0]].kind != INS_OP)
        return false;
    return kernel->ins[ins->a[0]].op == OP_ENCODE && kernel->ins[ins->a[0]].dtype == WEFT_FLOAT16 &&
           !kernel->accesses[ins->index].map;
}

/* The operation that is computed by blocks; -1: there is none, or several. */
static int find_called(struct plain *p)
{
    int found = -1;
    for (int i = 0; i < p->e->kernel->ins_count; i++) {
        const char *name;
        if (block_function(p, &p->e->kernel->ins[i], &name))
            found = found == -1 ? i : -2;
    }
    return found < 0 ? -1 : found;
}

bool plain_find_blocks(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const bool few = shape_known(p->space) && shape_volume(p->space) < FEW;
    bool any = find_called(p) >= 0;
    for (int i = 0; i < kernel->ins_count; i++)
        any = any || is_decoded(p, i) || is_encoded(p, i);
    return any && !few && !p->host->kept && p->known < 0;
}

/* Adds a helper of the skeleton, once, for which `word` stands. */
static void put_helper_once(struct plain *p, const char *section)
{
    size_t length;
    if (!subst_is_new(&p->e->subst, arena_printf(p->e->arena, "block_%s", section)))
        return;
    const char *text = subst_find(p->e->params->target->skeleton, "plain", section, &length);
    buf_add(&p->e->subst.helpers, text, length);
}

/* Adds the function of a block for an operation, once. Returns its name. */
static const char *put_function(struct plain *p, const struct ins *ins)
{
    const char *short_type = short_name(ins->source), *name, *text = block_function(p, ins, &name);
    const char *function = arena_printf(p->e->arena, "block_%s_%s", name, short_type);
    size_t length;
    struct buf unused = buf_new(p->e->arena);
    put_meaning(p->e, &unused, ins, op_meaning(ins->op, ins->source),
                (const char *[]){"x", NULL, NULL});
    if (!subst_is_new(&p->e->subst, function))
        return function;
    subst_parts(&p->e->subst, own_block(p->e, ins, &length, &name));
    buf_printf(&p->e->subst.helpers,
               "#ifdef OWN_MATH\n/* %s of each value; sooner where none is rare. */\n"
               "static void %s(%s *r, int count)\n{\n%s}\n",
               name, function, short_type, text);
    buf_printf(&p->e->subst.helpers,
               "#else\nstatic void %s(%s *r, int count)\n{\n    for (int j = 0; j < count; j++)\n"
               "        r[j] = own_%s(r[j]);\n}\n#endif\n",
               function, short_type, name);
    return function;
}

/* Declares memory for a block of values. */
static const char *put_room(struct plain *p, int i, enum weft_dtype dtype, int elements)
{
    const char *room = arena_printf(p->e->arena, NAME_KEPT, i);
    plain_indent(p);
    buf_printf(p->out, "%s %s[%d];\n", short_name(dtype), room, elements);
    return room;
}

static const char *element_of(struct plain *p, const char *room)
{
    return arena_printf(p->e->arena, "%s[k]", room);
}

static void put_decoded(struct plain *p, int i, int elements, const char *place)
{
    const struct ins *ins = &p->e->kernel->ins[i], *load = &p->e->kernel->ins[ins->a[0]];
    struct buf unused = buf_new(p->e->arena);
    put_meaning(p->e, &unused, ins, op_meaning(ins->op, ins->source),
                (const char *[]){"x", NULL, NULL});
    put_helper_once(p, "decoded");
    const char *room = put_room(p, i, WEFT_FLOAT32, elements);
    plain_indent(p);
    buf_printf(p->out, "decode_block(%s, %s%s%s, count);", room,
               p->host->data(p->host->user, load->index), strcmp(place, "0") == 0 ? "" : " + ",
               strcmp(place, "0") == 0 ? "" : place);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
    p->blocked[i] = element_of(p, room);
}

static void put_called(struct plain *p, int i, int elements, const struct place *place)
{
    const struct ins *ins = &p->e->kernel->ins[i];
    const char *function = put_function(p, ins), *room = put_room(p, i, ins->source, elements);
    const int depth = p->depth;
    plain_loop(p, "k", "count");
    plain_find_needed(p, ins->a[0]);
    plain_body(p, place);
    plain_indent(p);
    buf_printf(p->out, "%s", element_of(p, room));
    plain_assign(p, ins->a[0], plain_name(p, ins->a[0]));
    plain_end(p, depth);
    plain_indent(p);
    buf_printf(p->out, "%s(%s, (int)count);", function, room);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
    p->blocked[i] = element_of(p, room);
}

void plain_begin_blocks(struct plain *p, int elements, const struct place *first,
                        const struct place *place)
{
    const struct kernel *kernel = p->e->kernel;
    const int called = find_called(p);
    p->blocked = ARENA_ARRAY(p->e->arena, const char *, kernel->ins_count + 1);
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_decoded(p, i))
            put_decoded(p, i, elements, place_number(p, first));
    if (called >= 0)
        put_called(p, called, elements, place);
    plain_find_needed(p, -1);
}

void plain_put_blocks(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const char *elements = in_parentheses(p, plain_product(p, p->space, 0));
    const struct place first = {.shape = p->space, .number = "from"},
                       place = {.shape = p->space, .number = "from + k"};
    const int depth = p->depth;
    plain_indent(p);
    buf_printf(p->out, "for (int64_t from = 0; from < %s; from += %d) {\n", elements, TOGETHER);
    p->depth++;
    plain_indent(p);
    buf_printf(p->out, "const int64_t count = %s - from < %d ? %s - from : %d;\n", elements,
               TOGETHER, elements, TOGETHER);
    plain_begin_blocks(p, TOGETHER, &first, &place);
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_encoded(p, i))
            p->blocked[i] = element_of(p, put_room(p, i, WEFT_FLOAT32, TOGETHER));
    plain_find_needed(p, -1);
    plain_loop(p, "k", "count");
    plain_body(p, &place);
    plain_end(p, depth + 1);
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (!is_encoded(p, i))
            continue;
        struct buf unused = buf_new(p->e->arena);
        put_meaning(p->e, &unused, &kernel->ins[ins->a[0]],
                    op_meaning(OP_ENCODE, kernel->ins[ins->a[0]].source),
                    (const char *[]){"x", NULL, NULL});
        put_helper_once(p, "encoded");
        plain_indent(p);
        buf_printf(p->out, "encode_block(%s + from, " NAME_KEPT ", count);\n",
                   p->host->data(p->host->user, ins->index), i);
    }
    plain_end(p, depth);
}
