/* Writes a kernel as loops of plain C over dense arrays, for sources made ahead of time that need nothing else. An
 * element's place is worked out from the loops' variables, step by step through the kernel's maps. Values are those of
 * body.c: the rows' meanings, the same helpers, the same comments. What is reduced is joined in the order of rule 11.4
 * by functions of templates/kernel/plain.c. */
#include "compiler/emit/plain_impl.h"

#include <assert.h>
#include <string.h>

/* Longer elements have a line of their own. */
enum { SHORT_ELEMENT = 48 };

void plain_indent(struct plain *p)
{
    buf_printf(p->out, "%*s", 4 * p->depth, "");
}

/* ---- values ---- */

static const char *plain_text(struct plain *p, const char *text, enum weft_dtype dtype,
                              const char *operand)
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

/* The name of a value, as it is shown; or its text, if it is read where it is needed. */
const char *plain_name(struct plain *p, int i)
{
    const struct ins *ins = &p->e->kernel->ins[i];
    return p->texts && p->texts[i] ? p->texts[i]
           : is_named(p, ins)      ? p->host->data(p->host->user, ins->index)
                                   : shown(p, value_name(p->e, i));
}

static const char *element(struct plain *p, int access, const char *index)
{
    const char *data = p->host->data(p->host->user, access);
    if (index && p->host->is_identity(p->host->user, access))
        return arena_printf(p->e->arena, "(%s)%s", short_name(p->e->kernel->accesses[access].dtype),
                            in_parentheses(p, index));
    return index ? arena_printf(p->e->arena, "%s[%s]", data, index) : data;
}

/* An element to read. C compilers make vectors of bytes that are compared with 0, but not of bools. */
static const char *read_element(struct plain *p, int access, const char *index)
{
    if (!index || p->e->kernel->accesses[access].dtype != WEFT_BOOL)
        return element(p, access, index);
    return arena_printf(p->e->arena, "((const unsigned char *)%s)[%s]", p->host->data(p->host->user, access), index);
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

bool plain_repeats(struct plain *p, int access)
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
    if (!value && access->kind != TENSOR_BYTES && !plain_repeats(p, ins->index) &&
        !p->host->reads_bytes(p->host->user, ins->index))
        place_shrink(p, place, own);
    const char *index = value ? NULL : place_number(p, place), *name = plain_name(p, i);
    if (p->host->reads_bytes(p->host->user, ins->index)) {
        const char *type = short_name(ins->dtype);
        plain_indent(p);
        buf_printf(p->out, "%s %s;\n", type, name);
        plain_indent(p);
        buf_printf(p->out, "memcpy(&%s, (const char *)%s + %s * sizeof %s, sizeof %s);\n", name,
                   p->host->data(p->host->user, ins->index), in_parentheses(p, index ? index : "0"), name, name);
        return;
    }
    const char *own_element = plain_repeats(p, ins->index)
                                  ? arena_printf(p->e->arena, "pattern_%d[%s]", ins->index, p->pattern_index)
                                  : read_element(p, ins->index, index);
    const char *loaded = plain_text(p, type_rows[ins->dtype].load, ins->dtype, own_element);
    if (p->once[i] && !condition && !place->inside && strlen(loaded) <= SHORT_ELEMENT) {
        p->texts[i] = loaded;
        return;
    }
    plain_indent(p);
    buf_printf(p->out, "const %s %s = ", short_name(ins->dtype), name);
    condition = condition && place->inside ? arena_printf(p->e->arena, "%s && %s", condition, place->inside)
                : condition ? condition : place->inside;
    if (condition)
        buf_printf(p->out, "%s ? %s : (%s)%s;\n", condition, loaded, short_name(ins->dtype),
                   value_code(p->e, ins->dtype, (union scalar){.bits = place->inside ? place->value : 0}));
    else
        buf_printf(p->out, "%s;\n", loaded);
}

/* Adds ` = value;` behind what is stored to, and the origin of a value that was not named. */
void plain_assign(struct plain *p, int value, const char *text)
{
    buf_printf(p->out, " = %s;", text);
    if (p->texts[value] && p->e->kernel->ins[value].kind == INS_OP)
        put_origin(p->e, p->out, &p->e->kernel->ins[value]);
    buf_putc(p->out, '\n');
}

const char *plain_offset(struct plain *p, int access, const struct place *place)
{
    struct place own = *place;
    place_shrink(p, &own, plain_shape(p, access));
    const char *number = place_number(p, &own), *data = p->host->data(p->host->user, access);
    return strcmp(number, "0") == 0 ? data : arena_printf(p->e->arena, "%s + %s", data, number);
}

static void put_store(struct plain *p, const struct ins *ins, struct place *place, const char *value)
{
    const bool single = p->host->is_value(p->host->user, ins->index);
    place_shrink(p, place, p->host->shape(p->host->user, ins->index));
    plain_indent(p);
    buf_puts(p->out, element(p, ins->index, single ? NULL : place_number(p, place)));
    plain_assign(p, ins->a[0], plain_text(p, type_rows[ins->dtype].store, ins->dtype, value));
}

static void put_value(struct plain *p, int i, const char *const names[3])
{
    const struct ins *ins = &p->e->kernel->ins[i];
    struct buf meaning = buf_new(p->e->arena);
    const char *single = p->rest ? plain_single(p, i) : NULL;
    if (single)
        buf_printf(&meaning, "%s(%s)", single, names[0]);
    else
        put_meaning(p->e, &meaning, ins, ins_meaning(p->e, ins), names);
    if (p->once[i]) {
        p->texts[i] = meaning.text;
        return;
    }
    plain_indent(p);
    buf_printf(p->out, "const %s %s = %s;", short_name(ins->dtype), plain_name(p, i), meaning.text);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
}

static void put_fault(struct plain *p, const struct ins *ins, const char *const names[3])
{
    struct buf meaning = buf_new(p->e->arena);
    put_meaning(p->e, &meaning, ins, op_fault(ins->op, ins->source), names);
    plain_indent(p);
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
    const char *name = plain_name(p, i), *type = short_name(ins->dtype), *word = subst_unsigned(ins->dtype);
    const char *weights = p->host->data(p->host->user, kernel->ins[ins->a[1]].index);
    const char *runs = p->host->data(p->host->user, kernel->ins[ins->a[2]].index);
    struct place own = *place;
    place_follow(p, 0, kernel->accesses[x].map, &own);
    const char *at = place_number(p, &own);
    plain_indent(p);
    buf_printf(p->out, "%s %s = (%s)-(%s)0;", type, name, type, word);
    put_origin(p->e, p->out, ins);
    buf_putc(p->out, '\n');
    plain_indent(p);
    buf_printf(p->out, "for (int64_t n = 0, w = 0; n < %s[0]; n++)\n", runs);
    plain_indent(p);
    buf_printf(p->out, "    for (int64_t t = 0; t < %s[2 * n + 3]; t++, w++)\n", runs);
    plain_indent(p);
    buf_printf(p->out, "        %s = (%s)((%s)%s + (%s)%s[%s + %s[2 * n + 2] + t * %s[1]] * (%s)%s[w]);\n", name, type,
               word, name, word, p->host->data(p->host->user, x), at, runs, runs, word, weights);
}

static int count_letter(const char *meaning, char letter)
{
    int count = 0;
    for (const char *at = meaning; *at; at++)
        count += *at == letter && (at == meaning || !(begins_name(at[-1]) || is_digit(at[-1]))) &&
                 !begins_name(at[1]) && !is_digit(at[1]);
    return count;
}

/* Finds what operations choose from: C compilers would choose between places in memory, and read these one by one. */
static void find_chosen(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    p->chosen = ARENA_ARRAY(p->e->arena, bool, kernel->ins_count + 1);
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3; k++) {
            const struct ins *ins = &kernel->ins[i];
            if (ins->kind == INS_OP && ins->a[k] >= 0 && strchr(op_meaning(ins->op, ins->source), '?'))
                p->chosen[ins->a[k]] = true;
        }
}

/* Finds the values that need no name: operations that are only stored, and loads for one operation, where no store
 * comes between. A bool keeps its name, whose type makes it 0 or 1. */
static void find_once(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const int *uses = kernel_uses(p->e->arena, kernel);
    p->once = ARENA_ARRAY(p->e->arena, bool, kernel->ins_count + 1);
    p->texts = ARENA_ARRAY(p->e->arena, const char *, kernel->ins_count + 1);
    for (int i = 0; i < kernel->ins_count && kernel->access_count == kernel->load_count + 1; i++)
        for (int k = 0; k < 3; k++) {
            const struct ins *ins = &kernel->ins[i],
                             *value = ins->a[k] >= 0 ? &kernel->ins[ins->a[k]] : NULL;
            const bool stored = ins->kind == INS_STORE && k == 0;
            const char *meaning = ins->kind == INS_OP ? op_meaning(ins->op, ins->source) : "";
            if (value && uses[ins->a[k]] == 1 && value->dtype != WEFT_BOOL)
                p->once[ins->a[k]] =
                    value->kind == INS_OP
                        ? stored
                        : value->kind == INS_LOAD &&
                              (stored || (!p->chosen[ins->a[k]] && count_letter(meaning, (char)('A' + k)) == 1));
        }
}

/* A value that an earlier loop left in the result's array is read there. */
static bool put_known(struct plain *p, struct place *place)
{
    p->texts[p->known] = element(p, p->e->kernel->load_count, place_number(p, place));
    return true;
}

/* The first operand that an instruction reads: the fault of a division does not read the dividend. */
static int first_told(const struct ins *ins)
{
    return ins->kind == INS_FAULT && op_divides(ins->op, ins->source);
}

void plain_find_needed(struct plain *p, const bool *wanted)
{
    const struct kernel *kernel = p->e->kernel;
    p->needed = ARENA_ARRAY(p->e->arena, bool, kernel->ins_count + 1);
    for (int i = kernel->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &kernel->ins[i];
        const bool leaf = i == p->known || plain_is_blocked(p, i);
        const bool result = p->known < 0 || ins->kind == INS_STORE || ins->kind == INS_FAULT;
        p->needed[i] = p->needed[i] || (wanted ? wanted[i] : result);
        for (int k = first_told(ins); k < 3; k++)
            if (p->needed[i] && !leaf && ins->a[k] >= 0)
                p->needed[ins->a[k]] = true;
    }
}

/* Names an element of a block's array that operations choose. */
static void put_chosen(struct plain *p, int i)
{
    if (!p->chosen[i] || p->e->kernel->ins[i].dtype == WEFT_BOOL)
        return;
    const char *array = p->texts[i];
    p->texts[i] = NULL;
    plain_indent(p);
    buf_printf(p->out, "const %s %s = %s;\n", short_name(p->e->kernel->ins[i].dtype), plain_name(p, i), array);
}

/* Adds the instructions of one element, but for a store of what is reduced: returns that value. */
int plain_body(struct plain *p, const struct place *place)
{
    const struct kernel *kernel = p->e->kernel;
    int reduced = -1;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        struct place own = *place;
        const char *names[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3; k++)
            names[k] = ins->a[k] >= 0 ? plain_name(p, ins->a[k]) : NULL;
        if (!p->needed[i] || (i == p->known && put_known(p, &own)) || is_named(p, ins))
            continue;
        if (plain_is_blocked(p, i)) {
            put_chosen(p, i);
            continue;
        }
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

void plain_independent(struct plain *p)
{
    if (p->e->kernel->lanes || p->known >= 0) /* no result may be the buffer of an input */
        return;
    plain_indent(p);
    buf_puts(p->out, "INDEPENDENT\n");
}

const char *plain_loop(struct plain *p, const char *name, const char *count)
{
    plain_indent(p);
    buf_printf(p->out, "for (int64_t %s = 0; %s < %s; %s++) {\n", name, name, count, name);
    p->depth++;
    return name;
}

void plain_end(struct plain *p, int depth)
{
    while (p->depth > depth) {
        p->depth--;
        plain_indent(p);
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

bool plain_all_flat(struct plain *p, int accesses)
{
    bool all = true;
    for (int a = 0; a < accesses; a++)
        all = all && is_flat(p, a);
    return all;
}

/* The last of the dimensions that a loop from d on goes over: the host's own, or several that all accesses take as
 * one. */
static int last_dimension(struct plain *p, int d)
{
    int last = d < p->host->points ? p->host->points - 1 : d;
    while (d >= p->host->points && last + 1 < p->space->rank && all_go_on(p, last))
        last++;
    return last;
}

/* The first dimension of the innermost loop; that behind all of them: there is none. */
static int inner_dimension(struct plain *p)
{
    int d = 0;
    if (!p->host->points && plain_all_flat(p, p->e->kernel->access_count))
        return 0;
    while (d < p->space->rank && last_dimension(p, d) + 1 < p->space->rank)
        d = last_dimension(p, d) + 1;
    return d < p->host->points ? p->space->rank : d;
}

/* The digits of an element whose number in these dimensions is known. */
static void take_dimensions_apart(struct plain *p, struct place *place, int d, int last, const char *number)
{
    struct shape *merged = ARENA_NEW(p->e->arena, struct shape);
    *merged = (struct shape){.rank = last - d + 1};
    memcpy(merged->extents, p->space->extents + d, (size_t)merged->rank * sizeof *merged->extents);
    struct place inner = {.shape = merged, .number = number};
    place->digits[d] = number;
    if (last > d)                  /* all accesses take their number */
        place_take_apart(p, &inner);
    for (int k = d; k <= last && last > d; k++)
        place->digits[k] = inner.digits[k - d];
}

static bool has_weights(const struct kernel *kernel)
{
    bool weights = false;
    for (int i = 0; i < kernel->ins_count; i++)
        weights = weights || kernel->ins[i].kind == INS_WEIGH;
    return weights;
}

/* Opens the innermost loop over so many elements, whose number is added to `place`; where `first` is not NULL, as one
 * over blocks, of which that is the first element. */
static const char *open_inner(struct plain *p, const char *name, const char *count, const char **first)
{
    if (first) {
        const int chunk = plain_chunk(p);
        if (chunk)
            plain_open_chunks(p, count, chunk);
        else
            plain_open_blocks(p, count, TOGETHER);
        p->count = count;
        *first = "from";
        return "from + k";
    }
    if (strcmp(count, "1") == 0)
        return "0";
    if (!has_weights(p->e->kernel))
        plain_independent(p);
    return plain_loop(p, name, count);
}

/* Opens a loop for each dimension of the space, or several that all accesses take as one. */
static void open_loops(struct plain *p, struct place *place, struct place *first)
{
    const char *begin = NULL;
    if (!p->host->points && plain_all_flat(p, p->e->kernel->access_count)) {
        place->number = open_inner(p, "i", plain_product(p, p->space, 0), first ? &first->number : NULL);
        return;
    }
    for (int d = 0, loops = 0, last; d < p->space->rank; d = last + 1, loops++) {
        const char *name = arena_printf(p->e->arena, "i%d", loops), *number = "p";
        last = last_dimension(p, d);
        const struct shape below = {.rank = last + 1};
        struct shape *merged = arena_copy(p->e->arena, &below, sizeof below);
        memcpy(merged->extents, p->space->extents, (size_t)(last + 1) * sizeof *merged->extents);
        const char *count = plain_product(p, merged, d);
        if (d >= p->host->points)
            number = d == p->inner             ? open_inner(p, name, count, first ? &begin : NULL)
                     : strcmp(count, "1") == 0 ? "0"
                                               : plain_loop(p, name, count);
        take_dimensions_apart(p, place, d, last, number);
        if (first)
            take_dimensions_apart(p, first, d, last, begin ? begin : number);
    }
}

/* Declares the literals that the statements name. */
static void put_literals(struct plain *p, struct buf *out, const char *statements)
{
    const int indent = 4 * p->host->depth;
    const struct kernel *kernel = p->e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        if (ins_is_argument(&kernel->ins[i]) && kernel->literal_count <= MAX_NAMED_LITERALS) {
            const int k = kernel->ins[i].index;
            const char *name = arena_printf(p->e->arena, NAME_LITERAL, k), *at = statements;
            while ((at = strstr(at, name)) && is_digit(at[strlen(name)]))
                at++;
            if (!at)
                continue;
            const char *code = literal_code(p->e, k);
            const bool told = strstr(code, "0x") && dtype_is_float(kernel->literal_dtypes[k]);
            buf_printf(out, "%*sconst %s " NAME_LITERAL " = %s;%s%s%s\n", indent, "",
                       short_name(kernel->literal_dtypes[k]), k, code, told ? " /* " : "",
                       told ? literal_text(p->e, k) : "", told ? " */" : "");
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
        bool stretched = false;    /* in an inner dimension, so that outer ones do not repeat */
        if (kernel->accesses[a].map || is_single(p, a) || shapes_equal(own, p->space)) {
            if (kernel->accesses[a].map)
                return 0;
            continue;
        }
        for (int d = 1; d <= own->rank; d++) {
            const int64_t extent = own->extents[own->rank - d];
            const bool inner = d <= p->space->rank && extent == p->space->extents[p->space->rank - d];
            if (extent < 0 || (extent != 1 && (!inner || stretched)))
                return 0;
            stretched = stretched || !inner;
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

/* What computes blocks; where these have a fixed number of elements also those behind the last of them. */
static void put_blocks(struct plain *p, int elements, const struct place *first, const struct place *place)
{
    const size_t size = (size_t)p->e->kernel->ins_count + 1;
    const int chunk = plain_chunk(p);
    bool *once = arena_copy(p->e->arena, p->once, size * sizeof *once);
    const char **texts = arena_copy(p->e->arena, p->texts, size * sizeof *texts);
    plain_put_stages(p, elements, first, place, NULL);
    if (!chunk)
        return;
    plain_end(p, p->depth - 1);
    p->once = once, p->texts = texts;
    p->pattern_index = p->period ? p->pattern_start + strlen(" + ") : NULL;
    plain_find_needed(p, NULL);
    plain_open_rest(p, p->count, chunk);
    p->rest = true;
    plain_body(p, first);
    p->rest = false;
}

/* A loop over blocks of whole patterns, so that the C compiler makes vectors of it. */
static void put_patterns(struct plain *p)
{
    const struct kernel *kernel = p->e->kernel;
    const struct place place = {.shape = p->space, .number = "from + k"};
    p->chunks = true, p->pattern_start = "", p->pattern_index = "k";
    const bool blocks = plain_has_blocks(p);
    const int chunk = blocks ? plain_chunk(p) : 0, depth = p->depth;
    const int elements = (int)p->period * (chunk ? chunk : PATTERNS);
    const char *count = plain_product(p, p->space, 0), *block = arena_printf(p->e->arena, "%d", elements);
    for (int a = 0; a < kernel->load_count; a++) {
        if (!plain_repeats(p, a))
            continue;
        const char *type = short_name(kernel->accesses[a].dtype), *data = p->host->data(p->host->user, a);
        plain_indent(p);
        buf_printf(p->out, "%s pattern_%d[%s]; /* what repeats after %lld elements */\n",
                   dtype_is_half(kernel->accesses[a].dtype) ? "uint16_t" : type, a, block, (long long)p->period);
        plain_indent(p);
        buf_printf(p->out, "for (int k = 0; k < %s; k++)\n", block);
        plain_indent(p);
        buf_printf(p->out, "    pattern_%d[k] = %s[k %% %lld];\n", a, data, (long long)p->period);
    }
    if (chunk) {
        p->count = count;
        p->pattern_start = arena_printf(p->e->arena, " + from %% %d", elements);
        p->pattern_index = arena_printf(p->e->arena, "from %% %d + k", elements);
        plain_open_chunks(p, count, chunk);
    } else {
        plain_open_blocks(p, count, elements);
    }
    if (blocks) {
        put_blocks(p, elements, &(struct place){.shape = p->space, .number = "from"}, &place);
    } else {
        plain_independent(p);
        plain_loop(p, "k", "count");
        plain_body(p, &place);
    }
    plain_end(p, depth);
}

static void put_elements(struct plain *p)
{
    const int depth = p->depth;
    struct place place = {.shape = p->space}, first = place;
    p->period = p->host->points ? 0 : find_period(p);
    if (p->period) {
        put_patterns(p);
        return;
    }
    p->inner = inner_dimension(p);
    p->chunks = true;
    const bool blocks = plain_has_blocks(p);
    open_loops(p, &place, blocks ? &first : NULL);
    if (blocks)
        put_blocks(p, TOGETHER, &first, &place);
    else
        plain_body(p, &place);
    plain_end(p, depth);
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
    plain_indent(p);
    buf_printf(p->out, "const int64_t inner = %s;\n", counts[1]);
    if (numbers) {
        plain_indent(p);
        buf_puts(p->out, "int64_t next = 0; /* of what was found so far */\n");
    }
    plain_loop(p, "e", counts[0]);
    plain_loop(p, "j", "inner");
    plain_indent(p);
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
    plain_indent(p);
    const char *room = plain_product(p, plain_shape(p, put->index), 0);
    buf_printf(p->out, "if (k >= 0%s)\n", numbers ? arena_printf(p->e->arena, " && k < %s", room) : "");
    p->depth++;
    plain_indent(p);
    buf_printf(p->out, "%s = %s;\n", target, value.text);
    p->depth--;
    plain_end(p, depth);
}

/* Adds a text without the braces around single statements of loops. */
static void put_without_braces(struct buf *out, const char *text)
{
    for (const char *line = text, *next; *line; line = next) {
        next = strchr(line, '\n') + 1;
        const size_t indent = strspn(line, " "), inner = strspn(next, " ");
        const char *body_end = *next ? strchr(next, '\n') + 1 : next;
        const bool loop =
            strncmp(line + indent, "for (", 5) == 0 && next[-2] == '{' && inner > indent;
        const bool alone = loop && strspn(body_end, " ") == indent &&
                           strncmp(body_end + indent, "}\n", 2) == 0 &&
                           strncmp(next + inner, "const ", 6) != 0;
        buf_add(out, line, (size_t)(next - line) - (alone ? 3 : 0));
        if (!alone)
            continue;
        buf_putc(out, '\n');
        buf_add(out, next, (size_t)(body_end - next));
        next = body_end + indent + 2;
    }
}

char *emit_plain(struct emit_together *together, const struct kernel *kernel, const struct emit_params *params,
                 const struct shape *space, const struct plain_host *host)
{
    struct emitter e;
    emit_begin(together, kernel, params, &e);
    struct buf out = buf_new(e.arena);
    struct plain p = {.e = &e,
                      .host = host,
                      .space = space,
                      .out = &out,
                      .depth = host->depth,
                      .rooms = host->rooms};
    find_chosen(&p);
    find_once(&p);
    p.known = host->known;
    plain_find_needed(&p, NULL);
    if (kernel_puts(kernel))
        put_puts(&p);
    else if (kernel->lanes && kernel->lanes->finds)
        plain_search(&p, host->target);
    else if (kernel->lanes)
        plain_reduction(&p, host->target);
    else
        put_elements(&p);
    struct buf all = buf_new(e.arena);
    put_literals(&p, &all, out.text);
    put_without_braces(&all, out.text);
    emit_finish(together, &e);
    return all.text;
}
