/* Writes a loop as blocks of elements, some of whose values functions compute for a whole block: float16 is brought to
 * float32 and back by the processor's instructions, small integers are packed by them, and Weft's own functions take a
 * shorter way where no operand of a block is rare (templates/kernel/math_c.h). Every value has the bits that it has
 * without. What stands between such calls is a loop over the block; values that a later loop or a call needs are kept
 * in arrays. */
#include "compiler/emit/plain_impl.h"

#include <string.h>

enum {
    FEW = 64,                      /* fewer are not written as blocks */
    CHUNK = 32,                    /* elements that one call converts */
    IN_A_LINE = 8                  /* arrays that are declared together */
};

/* What computes a value, of a whole block. */
enum call {
    CALL_NONE,                     /* a loop does, element by element */
    CALL_MATH,
    CALL_DECODE,                   /* float16 to float32 */
    CALL_NEAREST,                  /* float32 rounded to float16 */
    CALL_ENCODE,                   /* float32 to float16, which is only stored */
    CALL_WIDEN,                    /* small integers to float32 */
    CALL_STICKY,                   /* float64 to float32 that is rounded once more */
    CALL_NARROW                    /* floats to integers of up to 32 bits, which are only stored */
};

/* An array of a block's values. */
struct room {
    enum weft_dtype dtype;
    const char *name;
    int last;                      /* the last stage that reads it */
};

/* How a kernel is computed by blocks: stages take turns, each a loop and then the calls that take what it left. */
struct blocks {
    struct plain *p;
    const int *uses;               /* [ins] */
    enum call *calls;              /* [ins] */
    int *stages;                   /* [ins] the first stage that can compute it */
    int *last;                     /* [ins] the last stage that reads it, -1: none does */
    bool *same;                    /* [ins] whether it is the same for all elements */
    int last_stage;
    int chunk;                     /* elements of a block, where their number is fixed; 0: a variable says how many */
    const char **arrays;           /* [ins] an array that has the block's values from its start on; NULL: none */
    const struct place *first, *place; /* the block's start, and its element k */
    const struct joined_to *joined;   /* what takes what is reduced; NULL: results are stored */
    struct room *rooms;
    int room_count;
};

/* ---- which values calls compute ---- */

/* The function of a block for an operation; NULL: none, as for sqrt, which compilers make vectors of. */
static const char *block_function(struct plain *p, const struct ins *ins, const char **name)
{
    size_t length;
    const char *text =
        ins->kind == INS_OP && ins->op != OP_SQRT && ins->a[0] >= 0 && ins->a[2] < 0 && dtype_is_float(ins->source)
            ? own_block(p->e, ins, &length, name)
            : NULL;
    if (!text)
        return NULL;
    const char *mark = text - 1;
    while (mark[-1] != '\n')
        mark--;
    const char *parts = arena_string(p->e->arena, mark, (size_t)(text - mark));
    if (strstr(parts, "inside") || strstr(parts, "remainders"))
        return NULL;
    const char *const whole = arena_string(p->e->arena, text, length), *library = strstr(whole, ", calls->");
    return !library ? whole : arena_printf(p->e->arena, "%.*s%s", (int)(library - whole), whole, strchr(library, ')'));
}

/* Whether an access goes along the block, element by element in the order of memory. */
static bool goes_along(struct plain *p, int access)
{
    const struct shape *own = plain_shape(p, access), *space = p->space;
    bool along = !p->e->kernel->accesses[access].map && !p->host->is_value(p->host->user, access) &&
                 !p->host->reads_bytes(p->host->user, access) && !p->host->is_identity(p->host->user, access) &&
                 own->rank >= space->rank - p->inner;
    for (int d = 1; along && d <= space->rank - p->inner; d++)
        along = own->extents[own->rank - d] == space->extents[space->rank - d];
    return along;
}

/* The array that a load reads along the block as values; of float16 as its bits. NULL: none. */
static const char *loaded_array(struct blocks *b, int i)
{
    struct plain *p = b->p;
    const struct ins *ins = &p->e->kernel->ins[i];
    if (ins->kind != INS_LOAD || (ins->dtype != WEFT_FLOAT16 && strcmp(type_rows[ins->dtype].load, "A") != 0))
        return NULL;
    if (plain_repeats(p, ins->index))
        return arena_printf(p->e->arena, "pattern_%d%s", ins->index, p->pattern_start);
    return goes_along(p, ins->index) ? plain_offset(p, ins->index, b->first) : NULL;
}

/* The store that is a value's only use and goes along the block; -1: there is none. */
static int only_store(const struct blocks *b, int i)
{
    const struct kernel *kernel = b->p->e->kernel;
    for (int s = i + 1; s < kernel->ins_count && b->uses[i] == 1; s++)
        if (kernel->ins[s].kind == INS_STORE && kernel->ins[s].a[0] == i)
            return kernel->lanes || goes_along(b->p, kernel->ins[s].index) ? s : -1;
    return -1;
}

/* Whether a value is loaded along the block. */
static bool loads_along(const struct blocks *b, int i)
{
    const struct ins *ins = &b->p->e->kernel->ins[i];
    return ins->kind == INS_LOAD && (plain_repeats(b->p, ins->index) || goes_along(b->p, ins->index));
}

/* Whether the processor rounds to these integers, eight at a time. */
static bool is_narrowed(enum weft_dtype dtype)
{
    return type_rows[dtype].size < 4 || dtype == WEFT_INT32;
}

static enum call call_of(const struct blocks *b, int i)
{
    const struct kernel *kernel = b->p->e->kernel;
    const struct ins *ins = &kernel->ins[i];
    const char *name;
    if (ins->kind != INS_OP)
        return CALL_NONE;
    const bool stored = only_store(b, i) >= 0 && !kernel->lanes;
    if (ins->op == OP_DECODE && ins->source == WEFT_FLOAT16)
        return loads_along(b, ins->a[0]) ? CALL_DECODE : CALL_NONE;
    if (ins->op == OP_CONVERT && ins->dtype == WEFT_FLOAT32 && dtype_is_integer(ins->source) &&
        type_rows[ins->source].size < 4)
        return loads_along(b, ins->a[0]) ? CALL_WIDEN : CALL_NONE;
    if (ins->op == OP_ODD)
        return CALL_STICKY;
    if (ins->op == OP_TO_FLOAT16 && ins->source == WEFT_FLOAT32 && ins->dtype == WEFT_FLOAT32)
        return CALL_NEAREST;
    if (ins->op == OP_ENCODE && ins->dtype == WEFT_FLOAT16 && ins->source == WEFT_FLOAT32)
        return stored ? CALL_ENCODE : CALL_NONE;
    if (ins->op == OP_ROUNDSAT && is_narrowed(ins->dtype))
        return stored ? CALL_NARROW : CALL_NONE;
    return block_function(b->p, ins, &name) ? CALL_MATH : CALL_NONE;
}

/* Whether a value is the same for all elements. */
static bool is_same(const struct blocks *b, int i)
{
    const struct ins *ins = &b->p->e->kernel->ins[i];
    bool same = b->calls[i] == CALL_NONE && i != b->p->known &&
                (ins->kind == INS_OP || ins_is_argument(ins) ||
                 (ins->kind == INS_LOAD && b->p->host->is_value(b->p->host->user, ins->index)));
    for (int k = 0; k < 3; k++)
        same = same && (ins->a[k] < 0 || b->same[ins->a[k]]);
    return same;
}

/* Whether each loop that reads a value computes it: a bool, as C compilers make no vectors of choices by bools in
 * memory, and what is the same for all elements, which they compute before the loop. */
static bool is_computed_again(const struct blocks *b, int i)
{
    return b->same[i] || (b->p->e->kernel->ins[i].dtype == WEFT_BOOL && b->calls[i] == CALL_NONE);
}

/* The values that are computed at all: what an earlier loop left is known. */
static const bool *needed_values(struct plain *p)
{
    plain_find_needed(p, NULL);
    return p->needed;
}

/* What computes each value. Where calls only convert, blocks are so short that C compilers keep them in registers. A
 * loop widens small integers itself, unless other calls make blocks. */
static void find_calls(struct blocks *b, const bool *needed)
{
    const int count = b->p->e->kernel->ins_count;
    bool math = false, other = false;
    for (int i = 0; i < count; i++) {
        b->calls[i] = needed[i] && i != b->p->known ? call_of(b, i) : CALL_NONE;
        math = math || b->calls[i] == CALL_MATH;
        other = other || (b->calls[i] != CALL_NONE && b->calls[i] != CALL_WIDEN);
    }
    for (int i = 0; i < count && !other; i++)
        b->calls[i] = CALL_NONE;
    b->chunk = other && !math && b->p->chunks ? CHUNK : 0;
}

/* The stage of each value, and the last one that reads it. Of several results all are stored in the last one: one may
 * be the buffer of an input that is read before. */
static void find_stages(struct blocks *b)
{
    const struct kernel *kernel = b->p->e->kernel;
    const bool *needed = needed_values(b->p);
    find_calls(b, needed);
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        b->last[i] = -1;
        b->same[i] = is_same(b, i);
        for (int k = 0; k < 3 && i != b->p->known; k++) {
            const int a = ins->a[k], stage = a < 0 ? 0 : b->stages[a] + (b->calls[a] != CALL_NONE);
            b->stages[i] = stage > b->stages[i] ? stage : b->stages[i];
        }
        b->last_stage = needed[i] && b->stages[i] > b->last_stage ? b->stages[i] : b->last_stage;
    }
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        const bool packed = b->calls[i] == CALL_ENCODE || b->calls[i] == CALL_NARROW;
        if (ins->kind == INS_STORE || ins->kind == INS_FAULT || packed)
            b->stages[i] = b->last_stage;
        for (int k = 0; k < 3; k++)
            if (needed[i] && ins->a[k] >= 0 && b->stages[i] > b->last[ins->a[k]])
                b->last[ins->a[k]] = b->stages[i];
    }
    for (int i = kernel->ins_count - 1; i >= 0; i--) /* what is computed once more reads its operands once more */
        for (int k = 0; k < 3; k++)
            if (needed[i] && is_computed_again(b, i) && kernel->ins[i].a[k] >= 0 &&
                b->last[i] > b->last[kernel->ins[i].a[k]])
                b->last[kernel->ins[i].a[k]] = b->last[i];
}

static struct blocks new_blocks(struct plain *p)
{
    struct arena *arena = p->e->arena;
    const int count = p->e->kernel->ins_count + 1;
    struct blocks b = {p, kernel_uses(arena, p->e->kernel), ARENA_ARRAY(arena, enum call, count),
                       ARENA_ARRAY(arena, int, count), ARENA_ARRAY(arena, int, count),
                       ARENA_ARRAY(arena, bool, count), 0, 0, ARENA_ARRAY(arena, const char *, count),
                       NULL, NULL, NULL, NULL, 0};
    find_stages(&b);
    return b;
}

bool plain_has_blocks(struct plain *p)
{
    const struct blocks b = new_blocks(p);
    int64_t elements = 1;
    bool any = false;
    for (int d = p->inner; d < p->space->rank; d++)
        elements *= p->space->extents[d] < 0 || elements >= FEW ? FEW : p->space->extents[d];
    for (int i = 0; i < p->e->kernel->ins_count; i++)
        any = any || b.calls[i] != CALL_NONE;
    return any && elements >= FEW && p->inner < p->space->rank;
}

/* ---- functions ---- */

/* Adds a section of helpers of the skeleton, once, and the row's helper, which it calls. */
static void put_section_once(struct plain *p, const struct ins *ins, const char *section)
{
    size_t length;
    struct buf unused = buf_new(p->e->arena);
    put_meaning(p->e, &unused, ins, op_meaning(ins->op, ins->source), (const char *[]){"x", NULL, NULL});
    if (!subst_is_new(&p->e->subst, arena_printf(p->e->arena, "block_%s", section)))
        return;
    const char *text = plain_section(p, section, &length);
    buf_add(&p->e->subst.helpers, text, length);
}

/* Adds a section of helpers for the types of a conversion, once, and what they call. */
static void put_typed_once(struct plain *p, const struct ins *ins, const char *section, const char *name)
{
    const struct tokens tokens = {section, ins->dtype, ins->source, true, false, {NULL, NULL, NULL}};
    size_t length;
    const char *text = plain_section(p, section, &length);
    struct buf body = buf_new(p->e->arena);
    if (!subst_is_new(&p->e->subst, name))
        return;
    subst_text(&p->e->subst, &body, text, length, &tokens);
    buf_add(&p->e->subst.helpers, body.text, body.length);
}

/* Adds the function that brings small integers to floats or back. Returns its name. */
static const char *put_conversion(struct blocks *b, const struct ins *ins, const char *section)
{
    struct arena *arena = b->p->e->arena;
    const char *types = arena_printf(arena, "%s_%s", short_name(ins->source), short_name(ins->dtype));
    const char *name = arena_printf(arena, "%s_%s", section, types);
    put_typed_once(b->p, ins, section, name);
    if (b->chunk)
        return name;
    name = arena_printf(arena, "%s_block_%s", section, types);
    put_typed_once(b->p, ins, arena_printf(arena, "%s block", section), name);
    return name;
}

/* Adds the function of a block for an operation, once. Returns its name. */
static const char *put_function(struct plain *p, const struct ins *ins)
{
    const char *type = short_name(ins->source), *name, *text = block_function(p, ins, &name);
    const char *function = arena_printf(p->e->arena, "block_%s_%s", name, type);
    const bool two = ins->a[1] >= 0;
    size_t length;
    struct buf single = buf_new(p->e->arena);
    put_meaning(p->e, &single, ins, op_meaning(ins->op, ins->source), (const char *[]){"a[j]", "b[j]", NULL});
    if (!subst_is_new(&p->e->subst, function))
        return function;
    subst_parts(&p->e->subst, own_block(p->e, ins, &length, &name));
    const char *head = arena_printf(p->e->arena, "static void %s(%s *r, const %s *a, %s%s%sint count)\n{\n", function,
                                    type, type, two ? "const " : "", two ? type : "", two ? " *b, " : "");
    const char *library = strncmp(single.text, "own_", 4) == 0 ? single.text + 4 : single.text;
    buf_printf(&p->e->subst.helpers,
               "#ifdef OWN_MATH\n/* %s of each value; sooner where none is rare. r may be a. */\n%s%s}\n"
               "#else\n%s    for (int j = 0; j < count; j++)\n        r[j] = %s;\n}\n#endif\n",
               name, head, text, head, library);
    return function;
}

/* The section of calls that bring values to float16 or back; NULL: others do. */
static const char *half_section(enum call call)
{
    static const char *const sections[] = {[CALL_DECODE] = "decode", [CALL_NEAREST] = "nearest",
                                           [CALL_ENCODE] = "encode", [CALL_NARROW] = NULL};
    return sections[call];
}

/* Adds the function of a call, once. Returns its name. */
static const char *function_of(struct blocks *b, const struct ins *ins, enum call call)
{
    struct plain *p = b->p;
    const char *half = half_section(call);
    if (call == CALL_MATH)
        return put_function(p, ins);
    if (call == CALL_NARROW)
        return put_conversion(b, ins, "narrow");
    if (call == CALL_WIDEN)
        return put_conversion(b, ins, "widen");
    if (call == CALL_STICKY)
        return put_conversion(b, ins, "sticky");
    put_section_once(p, ins, half);
    if (b->chunk)
        return arena_printf(p->e->arena, "%s_%d", half, b->chunk);
    put_section_once(p, ins, arena_printf(p->e->arena, "%s block", half));
    return arena_printf(p->e->arena, "%s_block", half);
}

/* ---- arrays ---- */

/* An array for a value until stage `last`. */
static const char *take_room(struct blocks *b, enum weft_dtype dtype, int stage, int last)
{
    for (int r = 0; r < b->room_count; r++)
        if (b->rooms[r].last < stage && b->rooms[r].dtype == dtype) {
            b->rooms[r].last = last;
            return b->rooms[r].name;
        }
    const struct room room = {dtype, arena_printf(b->p->e->arena, NAME_VALUES, b->room_count + 1), last};
    ARENA_PUSH(b->p->e->arena, b->rooms, b->room_count, room);
    return room.name;
}

/* Declares them, those of a type beside each other. */
static void put_rooms(struct blocks *b, struct buf *out, int elements)
{
    const int indent = 4 * b->p->depth;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        int count = 0;
        for (int r = 0; r < b->room_count; r++) {
            if (b->rooms[r].dtype != (enum weft_dtype)t)
                continue;
            if (count % IN_A_LINE == 0)
                buf_printf(out, "%s%*s_Alignas(64) %s ", count ? ";\n" : "", indent, "", short_name(t));
            buf_printf(out, "%s%s[%d]", count++ % IN_A_LINE ? ", " : "", b->rooms[r].name, elements);
        }
        buf_puts(out, count ? ";\n" : "");
    }
}

/* Notes the array that has a value from now on. */
static void keep(struct blocks *b, int i, const char *array)
{
    b->arrays[i] = array;
    b->p->blocked[i] = arena_printf(b->p->e->arena, "%s[k]", array);
}

/* ---- stages ---- */

/* Whether calls of this stage take a value from an array. */
static bool is_taken(const struct blocks *b, int i, int stage)
{
    const struct kernel *kernel = b->p->e->kernel;
    bool taken = false;
    for (int c = 0; c < kernel->ins_count; c++)
        for (int k = 0; k < 3; k++)
            taken = taken || (kernel->ins[c].a[k] == i && b->calls[c] != CALL_NONE && b->stages[c] == stage);
    return taken;
}

/* Whether the stage's loop leaves a value in an array: a call takes it, or a later loop does, which would have to
 * compute it once more. */
static bool is_kept(struct blocks *b, int i, int stage)
{
    const struct ins *ins = &b->p->e->kernel->ins[i];
    if (b->calls[i] != CALL_NONE || b->arrays[i] || b->last[i] < stage)
        return false;
    const bool computed = ins->kind != INS_LOAD && !ins_is_argument(ins) && ins->kind != INS_STORE;
    return (is_taken(b, i, stage) && !loaded_array(b, i)) ||
           (computed && !is_computed_again(b, i) && b->stages[i] == stage && b->last[i] > stage);
}

/* Whether a call stores its result where it belongs, so that no loop does. */
static bool stores_itself(const struct blocks *b, int i)
{
    const struct kernel *kernel = b->p->e->kernel;
    const int store = only_store(b, i);
    if (b->calls[i] == CALL_NONE || store < 0)
        return false;
    return b->calls[i] == CALL_ENCODE || b->calls[i] == CALL_NARROW ||
           (kernel->access_count == kernel->load_count + 1 &&
            (b->joined ? kernel->ins[store].dtype == kernel->ins[i].dtype
                       : strcmp(type_rows[kernel->ins[store].dtype].store, "A") == 0));
}

/* Whether something is left to do for the last stage's loop. */
static bool has_stores(const struct blocks *b)
{
    const struct kernel *kernel = b->p->e->kernel;
    bool any = false;
    for (int i = 0; i < kernel->ins_count; i++)
        any = any || kernel->ins[i].kind == INS_FAULT ||
              (kernel->ins[i].kind == INS_STORE && !stores_itself(b, kernel->ins[i].a[0]));
    return any;
}

static void put_kept(struct blocks *b, int i, int stage)
{
    struct plain *p = b->p;
    const char *array = take_room(b, p->e->kernel->ins[i].dtype, stage, b->last[i]);
    plain_indent(p);
    buf_printf(p->out, "%s[k]", array);
    plain_assign(p, i, plain_name(p, i));
    b->arrays[i] = array;
}

/* The loop of a stage. */
static void put_stage_loop(struct blocks *b, int stage)
{
    struct plain *p = b->p;
    const struct kernel *kernel = p->e->kernel;
    const bool stores = stage == b->last_stage && has_stores(b);
    const int depth = p->depth;
    bool *wanted = ARENA_ARRAY(p->e->arena, bool, kernel->ins_count + 1), any = stores;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        wanted[i] = is_kept(b, i, stage) ||
                    (stores && (ins->kind == INS_FAULT ||
                                (ins->kind == INS_STORE && !stores_itself(b, ins->a[0]))));
        any = any || wanted[i];
    }
    if (!any)
        return;
    plain_find_needed(p, wanted);
    if (!b->chunk || stores)
        plain_independent(p);
    plain_loop(p, "k", b->chunk ? arena_printf(p->e->arena, "%d", b->chunk) : "count");
    const int value = plain_body(p, b->place);
    for (int i = 0; i < kernel->ins_count; i++)
        if (wanted[i] && kernel->ins[i].kind != INS_FAULT && kernel->ins[i].kind != INS_STORE)
            put_kept(b, i, stage);
    if (stores && b->joined) {
        plain_indent(p);
        buf_puts(p->out, b->joined->element);
        plain_assign(p, value, plain_name(p, value));
    }
    plain_end(p, depth);
    for (int i = 0; i < kernel->ins_count; i++)
        if (wanted[i] && b->arrays[i])
            keep(b, i, b->arrays[i]);
}

/* Where a call's result goes. */
static const char *target_of(struct blocks *b, int i)
{
    const struct kernel *kernel = b->p->e->kernel;
    const struct ins *ins = &kernel->ins[i];
    if (stores_itself(b, i))
        return b->joined ? b->joined->array : plain_offset(b->p, kernel->ins[only_store(b, i)].index, b->first);
    for (int r = 0; r < b->room_count; r++) /* in place, where nothing else reads the operand */
        if (b->arrays[ins->a[0]] && strcmp(b->rooms[r].name, b->arrays[ins->a[0]]) == 0 && b->uses[ins->a[0]] == 1 &&
            b->rooms[r].dtype == ins->dtype) {
            b->rooms[r].last = b->last[i];
            return b->rooms[r].name;
        }
    return take_room(b, ins->dtype, b->stages[i], b->last[i]);
}

/* The operand of a call, as an array. */
static const char *operand_of(struct blocks *b, int i)
{
    return b->arrays[i] ? b->arrays[i] : loaded_array(b, i);
}

static void put_call(struct blocks *b, int i)
{
    struct plain *p = b->p;
    const struct ins *ins = &p->e->kernel->ins[i];
    const char *function = function_of(b, ins, b->calls[i]), *a = operand_of(b, ins->a[0]);
    const char *second = ins->a[1] < 0 ? "" : arena_printf(p->e->arena, ", %s", operand_of(b, ins->a[1]));
    const char *target = target_of(b, i);
    plain_indent(p);
    buf_printf(p->out, "%s(%s, %s%s%s);", function, target, a, second, b->chunk ? "" : ", count");
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
    keep(b, i, target);
}

/* A value that is computed for a call alone needs no name. */
static void find_once(struct blocks *b)
{
    const struct kernel *kernel = b->p->e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3 && b->calls[i] != CALL_NONE; k++) {
            const int a = kernel->ins[i].a[k];
            if (a >= 0 && b->uses[a] == 1 && b->calls[a] == CALL_NONE && kernel->ins[a].kind == INS_OP &&
                kernel->ins[a].dtype != WEFT_BOOL)
                b->p->once[a] = true;
        }
}

void plain_put_stages(struct plain *p, int elements, const struct place *first, const struct place *place,
                      const struct joined_to *joined)
{
    struct blocks b = new_blocks(p);
    struct buf *out = p->out, own = buf_new(p->e->arena);
    b.first = first, b.place = place, b.joined = joined;
    p->blocked = ARENA_ARRAY(p->e->arena, const char *, p->e->kernel->ins_count + 1);
    find_once(&b);
    p->out = &own;
    for (int stage = 0; stage <= b.last_stage; stage++) {
        put_stage_loop(&b, stage);
        for (int i = 0; i < p->e->kernel->ins_count; i++)
            if (b.calls[i] != CALL_NONE && b.stages[i] == stage)
                put_call(&b, i);
    }
    p->out = out;
    p->blocked = NULL;
    put_rooms(&b, out, b.chunk ? b.chunk : elements);
    buf_puts(out, own.length ? own.text : "");
}

const char *plain_single(struct plain *p, int i)
{
    const struct blocks b = new_blocks(p);
    const char *half = half_section(b.calls[i]);
    if (!half)
        return NULL;
    put_section_once(p, &p->e->kernel->ins[i], half);
    return arena_printf(p->e->arena, "%s_1", half);
}

int plain_chunk(struct plain *p)
{
    return new_blocks(p).chunk;
}

bool plain_is_blocked(struct plain *p, int i)
{
    if (!p->blocked || !p->blocked[i] || p->e->kernel->ins[i].kind == INS_STORE)
        return false;
    p->texts[i] = p->blocked[i];
    return true;
}

void plain_open_chunks(struct plain *p, const char *elements, int chunk)
{
    plain_indent(p);
    buf_printf(p->out, "for (int64_t from = 0; from + %d <= %s; from += %d) {\n", chunk, in_parentheses(p, elements),
               chunk);
    p->depth++;
}

void plain_open_rest(struct plain *p, const char *elements, int chunk)
{
    elements = in_parentheses(p, elements);
    plain_indent(p);
    buf_printf(p->out, "for (int64_t from = %s - %s %% %d; from < %s; from++) {\n", elements, elements, chunk,
               elements);
    p->depth++;
}

void plain_open_blocks_of(struct plain *p, const char *elements, const char *together)
{
    elements = in_parentheses(p, elements);
    plain_indent(p);
    buf_printf(p->out, "for (int64_t from = 0; from < %s; from += %s) {\n", elements, together);
    p->depth++;
    plain_indent(p);
    buf_printf(p->out, "const int count = %s - from < %s ? (int)(%s - from) : %s;\n", elements, together, elements,
               together);
}

void plain_open_blocks(struct plain *p, const char *elements, int together)
{
    plain_open_blocks_of(p, elements, arena_printf(p->e->arena, "%d", together));
}
