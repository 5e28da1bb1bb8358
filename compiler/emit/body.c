/* Writes what a kernel computes: literals and single values, then the loops of a block and the calls between them, in
 * the order of evaluation.h. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

/* ---- functions ---- */

/* The divisor as a number for the kernel's text. NULL if it stays an argument. */
static const char *divisor_text(struct emitter *e, const struct ins *ins)
{
    int64_t divisor;
    return (e->params->fast & FAST_DIVISOR) && literal_divisor(e->kernel, ins, &divisor)
               ? arena_printf(e->arena, "(%s)%lld", short_name(ins->source), (long long)divisor)
               : NULL;
}

/* Whether it makes a float of an integer for which not all processors have an instruction. One of int64 to float32 is
 * faster one at a time than by two halves (AMD EPYC, Zen 1). */
static bool is_by_halves(const struct emitter *e, const struct ins *ins)
{
    return !e->params->target->chunks && ins->op == OP_CONVERT &&
           ((ins->source == WEFT_UINT64 && (ins->dtype == WEFT_FLOAT32 || ins->dtype == WEFT_FLOAT64)) ||
            (ins->source == WEFT_INT64 && ins->dtype == WEFT_FLOAT64));
}

const char *ins_meaning(struct emitter *e, const struct ins *ins)
{
    int64_t divisor;
    int shift = 1;
    if (is_by_halves(e, ins))
        return "M(of_whole)(A)";
    if (!e->params->target->chunks && ins->op == OP_ROUNDSAT && type_rows[ins->dtype].size == 8)
        return "M(roundsat_long)(A)";
    if ((ins->op != OP_FLOORDIV && ins->op != OP_MOD) || !(e->params->fast & FAST_DIVISOR) ||
        !literal_divisor(e->kernel, ins, &divisor) || divisor < 2 || divisor & (divisor - 1))
        return op_meaning(ins->op, ins->source);
    while (divisor >> shift > 1)
        shift++;
    return ins->op == OP_MOD ? arena_printf(e->arena, "(T)(A & %lld)", (long long)divisor - 1)
                             : arena_printf(e->arena, "(T)(A >> %d)", shift);
}

/* Adds a row on operands with these names: its meaning, or a call of a function where there are too
 * many copies of heavy rows. */
static void put_row(struct emitter *e, struct buf *out, const struct ins *ins, const char *const names[3])
{
    static const char *const parameters[3] = {"a", "b", "c"};
    const char *type = short_name(ins->source), *meaning = ins_meaning(e, ins);
    int arity = op_arity(ins->op);
    if (!e->calls_rows || op_weight(ins->op, ins->source) < HEAVY || divisor_text(e, ins)) {
        put_meaning(e, out, ins, meaning, names);
        return;
    }
    const char *name = arena_printf(e->arena, NAME_ROW_FUNCTION, op_name(e->arena, ins->op), type);
    buf_printf(out, "%s(%s%s%s%s%s)", name, names[0], arity > 1 ? ", " : "", arity > 1 ? names[1] : "",
               arity > 2 ? ", " : "", arity > 2 ? names[2] : "");
    if (!subst_is_new(&e->subst, name))
        return;
    buf_printf(&e->blocks, "SEPARATE %s %s(%s a", type, name, type);
    for (int k = 1; k < arity; k++)
        buf_printf(&e->blocks, ", %s %c", type, 'a' + k);
    buf_puts(&e->blocks, ")\n{\n    return ");
    put_meaning(e, &e->blocks, ins, meaning, parameters);
    buf_puts(&e->blocks, ";\n}\n");
}

/* ---- literals and kept values ---- */

const char *literal_text(struct emitter *e, int index)
{
    struct buf text = buf_new(e->arena);
    if (e->kernel->literal_sources[index].node >= 0)
        return "comes with the run";
    scalar_print(&text, e->kernel->literal_dtypes[index], e->kernel->literals[index]);
    return text.text;
}

/* A double as a hexadecimal constant. Does not depend on the locale. */
static const char *hexadecimal(struct emitter *e, double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};
    const int exponent = (int)(u.bits >> 52 & 0x7ff);
    if (value == 0)
        return u.bits ? "-0.0" : "0.0";
    unsigned long long fraction = u.bits & 0xfffffffffffff;
    int digits = 13;
    for (; digits && fraction % 16 == 0; fraction /= 16)
        digits--;
    return arena_printf(e->arena, "%s0x%d%s%.*llxp%+d", u.bits >> 63 ? "-" : "", exponent != 0,
                        digits ? "." : "", digits, digits ? fraction : 0,
                        exponent ? exponent - 1023 : -1022);
}

const char *literal_code(struct emitter *e, int index)
{
    return value_code(e, e->kernel->literal_dtypes[index], e->kernel->literals[index]);
}

const char *value_code(struct emitter *e, enum weft_dtype dtype, union scalar value)
{
    const bool wide = type_rows[dtype].bits == 64;
    if (dtype_is_float(dtype) && !dtype_is_half(dtype)) {
        const double real = wide ? value.f64 : (double)value.f32;
        const char *bits = wide ? "u64" : "u32";
        if (real - real != 0 && e->params->target == &target_plain)
            return real != real ? "NAN" : real < 0 ? "-INFINITY" : "INFINITY";
        if (real - real != 0) /* infinite or NaN */
            return arena_printf(e->arena, "*(const %s_m *)&(const %s){0x%llx}", short_name(dtype), bits,
                                (unsigned long long)value.bits);
        return arena_printf(e->arena, "%s%s", hexadecimal(e, real), wide ? "" : "f");
    }
    if (type_rows[dtype].class != CLASS_SIGNED)
        return arena_printf(e->arena, "%llu%s", (unsigned long long)value.bits, wide ? "ull" : "u");
    const long long whole = eval_convert(dtype, WEFT_INT64, true, value).i64;
    if (whole == INT64_MIN)
        return "(-0x7fffffffffffffffll - 1)";
    return arena_printf(e->arena, wide ? "%lldll" : whole == INT32_MIN ? "(-0x7fffffff - 1)" : "%lld", whole);
}

void emit_literal(struct emitter *e, int k, int ins)
{
    enum weft_dtype dtype = e->kernel->literal_dtypes[k];
    const char *type = short_name(dtype);
    const bool baked = e->baked && e->kernel->literal_sources[k].node < 0;
    const size_t start = e->literals.length;
    if (baked && e->kernel->literal_count <= MAX_NAMED_LITERALS)
        buf_printf(&e->literals, "const %s " NAME_LITERAL " = %s; /* %s */\n", type, k, literal_code(e, k),
                   literal_text(e, k));
    else if (e->kernel->literal_count <= MAX_NAMED_LITERALS)
        buf_printf(&e->literals, "const %s " NAME_LITERAL " = *(const %s_m *)&args->literals[%d]; /* %s */\n",
                   type, k, type, k, literal_text(e, k));
    emit_mark(&e->literals, start, &e->kernel->ins[ins]);
    if (!e->called[ins])
        return;
    put_helper(e, "fill", dtype);
    const char *filled = arena_printf(e->arena, NAME_FILLED, k);
    declare_block(e, &e->literals, dtype, filled, 0);
    buf_printf(&e->literals, "fill_%s(%s, %s%s);\n", type, filled, value_name(e, ins), e->params->target->block);
}

static const char *kept_name(struct emitter *e, int i)
{
    return arena_printf(e->arena, NAME_KEPT, i);
}

/* Values in registers have a variable each. */
static void emit_places(struct emitter *e)
{
    const struct evaluation *s = &e->evaluation;
    for (int n = 0; n < s->order_count; n++)
        if (s->slot[s->order[n]] >= 0)
            declare_block(e, &e->operands, e->kernel->ins[s->order[n]].dtype, kept_name(e, s->order[n]), 0);
}

void emit_slots(struct emitter *e)
{
    const struct evaluation *s = &e->evaluation;
    if (e->params->target->chunks) {
        emit_places(e);
        return;
    }
    if (s->slot_count && !e->heap)
        buf_printf(&e->buffers, "ALIGNED u64 slots[%d][BLOCK]; /* values kept between loops */ //~\n",
                   s->slot_count);
    if (s->slot_count && e->heap) {
        buf_printf(&e->buffers, "u64 (*const slots)[BLOCK] = (u64 (*)[BLOCK])(args->scratch + %zu); //~\n",
                   e->scratch);
        e->scratch += (size_t)s->slot_count * BLOCK * sizeof(uint64_t);
    }
    for (int n = 0; n < s->order_count; n++) {
        int i = s->order[n];
        if (s->slot[i] >= 0)
            buf_printf(&e->buffers, "%s_m *const " NAME_KEPT " = (%s_m *)slots[%d]; //~\n",
                       short_name(e->kernel->ins[i].dtype), i, short_name(e->kernel->ins[i].dtype),
                       s->slot[i]);
    }
}

/* ---- the body ---- */

/* Adds a type's text for a load or a store of this operand. */
static void put_move(struct emitter *e, const char *text, enum weft_dtype dtype, const char *operand)
{
    struct tokens tokens = {"", dtype, dtype, false, false, {operand, NULL, NULL}};
    subst_text(&e->subst, &e->body, text, strlen(text), &tokens);
}

void bring(struct emitter *e, int i, int level)
{
    const struct ins *ins = &e->kernel->ins[i];
    bool plain = e->evaluation.rate[i] != RATE_BLOCK ||
                 (ins->kind == INS_LOAD && access_is(e->kinds[ins->index], STAYS));
    if (plain || e->seen[i] == level)
        return;
    e->seen[i] = level;
    const size_t start = e->body.length;
    buf_printf(&e->body, "    const %s %s = ", short_name(ins->dtype), value_name(e, i));
    if (ins->kind == INS_LOAD) {
        const char *element = !e->masking ? NAME_READ "[j]"
                              : e->laned  ? "(j < there ? " NAME_READ "[j] : 0)" : "(j < left ? " NAME_READ "[j] : 0)";
        put_move(e, type_rows[ins->dtype].load, ins->dtype, arena_printf(e->arena, element, ins->index));
    } else {
        buf_printf(&e->body, NAME_KEPT "[j]", i);
    }
    buf_puts(&e->body, ";\n");
    emit_mark(&e->body, start, ins);
}

/* The same for an operand of an instruction, which another may stand for, or an earlier row have computed. */
static const char *bring_operand(struct emitter *e, int i, int operand, int level)
{
    const int value = same_value(e, operand), rows = rows_before(e, i, operand);
    if (rows)
        return bring_earlier(e, value, rows);
    bring(e, value, level);
    return value_name(e, value);
}

static void emit_value(struct emitter *e, int i, int level, const char *const names[3])
{
    const struct ins *ins = &e->kernel->ins[i];
    e->seen[i] = level;
    emit_line(e, &e->body, ins);
    buf_printf(&e->body, "    const %s " NAME_VALUE " = ", short_name(ins->dtype), i);
    if (e->quotient[i]) {
        buf_puts(&e->body, "BLOCK > 1 ? ");
        put_quotient(e, i, names);
        buf_puts(&e->body, " : ");
    }
    put_row(e, &e->body, ins, names);
    buf_puts(&e->body, ";");
    put_origin(e, &e->body, ins);
    buf_puts(&e->body, "\n");
    emit_own_line(e, &e->body);
    if (e->evaluation.slot[i] >= 0)
        buf_printf(&e->body, "    " NAME_KEPT "[j] = " NAME_VALUE ";\n", i, i);
}

/* The helper that takes elements of this access, which it defines. */
static const char *taking_helper(struct emitter *e, const struct ins *ins)
{
    const char *name = e->kinds[ins->index] == ACCESS_BOUNDED ? "taken_bounded" : "taken";
    put_helper(e, name, ins->dtype);
    return arena_printf(e->arena, "%s_%s", name, short_name(ins->dtype));
}

/* Takes one element. */
static void emit_taken(struct emitter *e, int i, int level, const char *number)
{
    const struct ins *ins = &e->kernel->ins[i];
    e->seen[i] = level;
    buf_printf(&e->body, "    const %s " NAME_VALUE " = ", short_name(ins->dtype), i);
    put_move(e, type_rows[ins->dtype].load, ins->dtype,
             arena_printf(e->arena, "%s(bases[%d], s->maps[%d], %s)", taking_helper(e, ins), ins->index, ins->index,
                          number));
    buf_printf(&e->body, "; /* %s */\n", access_name(e->arena, e->kernel, ins->index));
    if (e->evaluation.slot[i] >= 0)
        buf_printf(&e->body, "    " NAME_KEPT "[j] = " NAME_VALUE ";\n", i, i);
}

/* Whether all elements of a block are ones of its row: where it is short, the last one again. */
static bool repeats_ends(const struct emitter *e)
{
    bool repeats = !e->params->target->chunks && !e->kernel->lanes && !e->slide.rows && !e->masked;
    for (int a = 0; a < e->kernel->load_count; a++)
        repeats = repeats && (e->kinds[a] == ACCESS_UNIT || access_is(e->kinds[a], STAYS));
    return repeats;
}

static void emit_ins(struct emitter *e, int i, int level)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *names[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= 0)
            names[k] = bring_operand(e, i, ins->a[k], level);
    const size_t start = e->body.length;
    if (ins->kind == INS_OP) {
        const char *divisor = divisor_text(e, ins);
        names[1] = divisor ? divisor : names[1];
        emit_value(e, i, level, names);
    } else if (ins->kind == INS_TAKE) {
        emit_taken(e, i, level, names[0]);
    } else if (ins->kind == INS_STORE) {
        buf_printf(&e->body, "    %s" NAME_WRITTEN "[j] = ", e->masking && !e->laned ? "if (j < (int)m) " : "",
                   ins->index);
        put_move(e, type_rows[ins->dtype].store, ins->dtype, names[0]);
        buf_puts(&e->body, ";\n");
    } else {
        buf_printf(&e->body, "    " NAME_FAULT " |= (", ins->index);
        put_meaning(e, &e->body, ins, op_fault(ins->op, ins->source), names);
        buf_puts(&e->body, ")");
        if (!repeats_ends(e))
            buf_printf(&e->body, " & (j < %sm)", e->params->target->chunks ? "" : "(int)");
        buf_printf(&e->body, "%s%s;\n", names[2] ? " & " : "", names[2] ? names[2] : "");
    }
    emit_mark(&e->body, start, ins);
}

const char *own_block(struct emitter *e, const struct ins *ins, size_t *length, const char **name)
{
    const char *math = e->params->target->math, *meaning = op_meaning(ins->op, ins->source);
    if (!math || (strncmp(meaning, "F(", 2) != 0 && strncmp(meaning, "N(", 2) != 0))
        return NULL;
    const bool integer = dtype_is_integer(ins->source), wide = integer && type_rows[ins->source].size == 8;
    const char *plain = arena_string(e->arena, meaning + 2, strcspn(meaning + 2, ")"));
    const char *suffix = ins->source == WEFT_FLOAT32 ? "f" : wide ? "_64" : "";
    const char *of_floats = op_meaning(ins->op, WEFT_FLOAT64);
    const bool taken = integer && of_floats && strcmp(of_floats, meaning) == 0; /* the name alone is float64's */
    *name = arena_printf(e->arena, "%s%s", plain, suffix);
    const char *own = taken && !wide ? NULL : subst_find(math, "block", *name, length);
    if (own || !integer || taken)
        return own;
    *name = plain;
    return subst_find(math, "block", plain, length);
}

/* Whether a row's function of a block calls the library, so that it needs to know where that is. */
static bool calls_library(struct emitter *e, const struct ins *ins)
{
    size_t length;
    const char *name, *own = own_block(e, ins, &length, &name), *calls = own ? strstr(own, "calls->") : NULL;
    return calls && calls < own + length;
}

/* Adds the body of a row's function of a block. $single there is the row's meaning for element j. */
static void put_own_block(struct emitter *e, const struct ins *ins, const char *own, size_t length,
                          const char *const *elements)
{
    static const char single[] = "$single", wide[] = "#ifdef WIDE", *const none[3] = {NULL, NULL, NULL};
    const char *end = own + length, *vectors = strstr(own, wide);
    const struct tokens tokens = row_tokens(ins, none);
    subst_parts(&e->subst, own);
    e->vectors = e->vectors || (vectors && vectors < end);
    for (const char *at; (at = strstr(own, single)) && at < end; own = at + sizeof single - 1) {
        subst_text(&e->subst, &e->blocks, own, (size_t)(at - own), &tokens);
        put_meaning(e, &e->blocks, ins, op_meaning(ins->op, ins->source), elements);
    }
    subst_text(&e->subst, &e->blocks, own, (size_t)(end - own), &tokens);
}

void put_block_head(struct emitter *e, struct buf *out, const struct ins *ins, const char *name, const char *type)
{
    size_t length;
    const char *section;
    const bool local = ins->source == WEFT_FLOAT32 && own_block(e, ins, &length, &section);
    buf_printf(out, "%s void %s(%s_m *r", local ? "LOCAL" : "SEPARATE static", name, type);
    for (int k = 0; k < op_arity(ins->op); k++)
        buf_printf(out, ", const %s_m *%c", type, 'a' + k);
    buf_puts(out, calls_library(e, ins) ? ", const struct weft_calls *calls)\n{\n" : ")\n{\n");
}

/* Rows that mean the same have one function. */
const char *block_name(struct emitter *e, const struct ins *ins)
{
    const char *meaning = op_meaning(ins->op, ins->source);
    int op = 0;
    while (op < (int)ins->op && !(op_meaning(op, ins->source) && strcmp(op_meaning(op, ins->source), meaning) == 0))
        op++;
    return arena_printf(e->arena, NAME_BLOCK_FUNCTION, op_name(e->arena, op), short_name(ins->source));
}

/* Our own of float32 may become parts of their loops, so operands stay in registers; of float64 the constants alone
 * would fill those of AVX2. */
void put_block(struct emitter *e, const struct ins *ins)
{
    static const char *const elements[3] = {"a[j]", "b[j]", "c[j]"};
    size_t length;
    const char *section, *own = own_block(e, ins, &length, &section);
    const bool condition = own && dtype_is_float(ins->source);
    put_block_head(e, &e->blocks, ins, block_name(e, ins), short_name(ins->source));
    buf_puts(&e->blocks, condition ? "#ifdef OWN_MATH\n" : "");
    if (own)
        put_own_block(e, ins, own, length, elements);
    buf_puts(&e->blocks, condition ? "#else\n" : "");
    e->subst.replaced = condition && !(strstr(own, "INSIDE(") && strstr(own, "INSIDE(") < own + length);
    if (!own || condition) {
        buf_puts(&e->blocks, "    INDEPENDENT\n    for (int j = 0; j < BLOCK; j++)\n        r[j] = ");
        put_meaning(e, &e->blocks, ins, op_meaning(ins->op, ins->source), elements);
        buf_puts(&e->blocks, ";\n");
    }
    buf_puts(&e->blocks, condition ? "#endif\n}\n" : "}\n");
    e->subst.replaced = false;
}

/* Adds the function that computes a row on a whole block, once. Returns its name. */
static const char *block_function(struct emitter *e, const struct ins *ins)
{
    const char *name = block_name(e, ins), *section;
    const struct buf before = e->blocks;
    size_t length;
    if (!subst_is_new(&e->subst, name))
        return name;
    const bool named = e->subst.by_name && own_block(e, ins, &length, &section);
    if (named)
        e->blocks = buf_new(e->arena);
    put_block(e, ins);
    if (!named)
        return name;
    e->blocks = before;
    subst_name(&e->subst, arena_printf(e->arena, "block_%s", section),
               dtype_is_float(ins->source) ? NULL : &(struct tokens){.t = ins->source});
    return name;
}

/* Adds the function that converts a whole block, once. Returns its name. */
static const char *conversion_function(struct emitter *e, const struct ins *ins)
{
    const char *name = op_block(ins->op);
    struct tokens tokens = {"", ins->dtype, ins->source, true, false, {NULL, NULL, NULL}};
    e->vectors = true;
    subst_helper(&e->subst, name, &tokens, true);
    return arena_printf(e->arena, "%s_%s_%s", name, short_name(ins->source), short_name(ins->dtype));
}

/* The start of a call that sums neighbours, with what it reads. Of a row's end all is there if ends are read whole. */
static void put_weigh(struct emitter *e, struct buf *out, const struct ins *ins, const char *to)
{
    const int x = e->kernel->ins[ins->a[0]].index, weights = e->kernel->ins[ins->a[1]].index;
    const int runs = e->kernel->ins[ins->a[2]].index;
    const char *type = short_name(ins->source), *helper = ins->source == ins->dtype ? "weigh" : "weigh_pairs";
    const char *lists = arena_printf(e->arena, "(const %s_m *)sample->bases[%d], (const i64_m *)sample->bases[%d]",
                                     type, weights, runs);
    if (access_is(e->kinds[x], NUMBERED)) {
        put_helper(e, "weigh_found", ins->source);
        buf_printf(out, "weigh_found_%s(%s, sample->bases[%d], s->maps[%d], p[%d] - sample->bases[%d], i, m, %s", type,
                   to, x, x, x, x, lists);
        return;
    }
    put_helper(e, "weigh_some", ins->source);
    if (e->kinds[x] == ACCESS_UNIT || e->kinds[x] == ACCESS_NEAR) {
        put_helper(e, helper, ins->source);
        e->vectors = true;
        buf_printf(out, "if (m == BLOCK%s)\n    %s_%s(%s, (const %s_m *)p[%d] + i, %s);\nelse\n    ",
                   e->whole ? " || long_row" : "", helper, type, to, type, x, lists);
    }
    const char *step = arena_printf(e->arena, "s->strides[%d * stride + groups]", x);
    buf_printf(out, "weigh_some_%s(%s, p[%d] + i * %s, %s, m, %s", type, to, x, step, step, lists);
}

static void emit_block_call(struct emitter *e, struct buf *out, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *type = short_name(ins->dtype);
    int output = e->evaluation.output[i];
    const size_t start = out->length;
    emit_line(e, out, ins);
    const char *to = arena_printf(e->arena, output < 0 ? NAME_KEPT : NAME_WRITTEN, output < 0 ? i : output);
    if (ins->kind == INS_WEIGH) {
        put_weigh(e, out, ins, to);
    } else if (ins->kind == INS_LOOKUP) {
        put_helper(e, "lookup", ins->dtype);
        buf_printf(out, "lookup_%s(%s, (const %s_m *)sample->bases[%d] /* %s */", type, to, type, ins->index,
                   access_name(e->arena, e->kernel, ins->index));
    } else if (ins->kind == INS_TAKE) {
        buf_printf(out, "%s(%s, sample->bases[%d], s->maps[%d] /* %s */", taking_helper(e, ins), to,
                   ins->index, ins->index, access_name(e->arena, e->kernel, ins->index));
    } else {
        const bool calls = is_block_call(ins, e->params->fast);
        buf_printf(out, "%s(%s", calls ? block_function(e, ins) : conversion_function(e, ins), to);
    }
    for (int k = 0; k < 3; k++) {
        if (ins->a[k] < 0 || ins->kind == INS_WEIGH)
            continue;
        const struct ins *a = &e->kernel->ins[ins->a[k]];
        if (a->kind == INS_LOAD || ins_is_argument(a))
            buf_printf(out, a->kind == INS_LOAD ? ", " NAME_READ : ", " NAME_FILLED, a->index);
        else
            buf_printf(out, ", " NAME_KEPT, ins->a[k]);
    }
    buf_puts(out, is_block_call(ins, e->params->fast) && calls_library(e, ins) ? ", args->calls" : "");
    buf_printf(out, "%s);", e->params->target->block);
    put_origin(e, out, ins);
    buf_puts(out, "\n");
    emit_mark(out, start, ins);
    emit_own_line(e, out);
}

/* A row that is not exact is computed by the same block function as elsewhere. */
void emit_single(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *type = short_name(ins->dtype), *names[3] = {NULL, NULL, NULL};
    struct buf *out = e->evaluation.rate[i] == RATE_ONCE ? &e->literals : &e->row;
    struct buf *blocks = e->evaluation.rate[i] == RATE_ONCE ? &e->literals : &e->buffers;
    if (e->evaluation.call[i]) {
        declare_block(e, blocks, ins->dtype, kept_name(e, i), 0);
        emit_block_call(e, out, i);
        buf_printf(out, "const %s " NAME_VALUE " = " NAME_KEPT "[0];\n", type, i, i);
        return;
    }
    for (int k = 0; k < 3; k++)
        names[k] = ins->a[k] >= 0 ? value_name(e, ins->a[k]) : NULL;
    const size_t start = out->length;
    emit_line(e, out, ins);
    buf_printf(out, "const %s " NAME_VALUE " = ", type, i);
    put_row(e, out, ins, names);
    buf_puts(out, ";");
    put_origin(e, out, ins);
    buf_puts(out, "\n");
    emit_mark(out, start, ins);
    emit_own_line(e, out);
    if (!e->called[i])
        return;
    put_helper(e, "fill", ins->dtype);
    declare_block(e, blocks, ins->dtype, kept_name(e, i), 0);
    buf_printf(out, "fill_%s(" NAME_KEPT ", " NAME_VALUE "%s);\n", type, i, i, e->params->target->block);
}

/* Reads all values that the loop stores before the first store: an output may be the buffer of an input. */
static void bring_stored(struct emitter *e, int first, int end, int level)
{
    for (int n = first; n < end; n++) {
        const struct ins *ins = &e->kernel->ins[e->evaluation.order[n]];
        if (ins->kind == INS_STORE)
            bring_operand(e, e->evaluation.order[n], ins->a[0], level);
    }
}

/* Whether the vectors of a block are written out: where so much is computed of loads that lie near each other, their
 * addresses count. */
static bool is_written_out(const struct emitter *e)
{
    enum { HEAVY = 40 };
    const int loads = e->kernel->load_count;
    return !e->params->target->chunks && !e->slide.rows && kernel_weight(e->kernel) >= HEAVY &&
           memchr(e->kinds, ACCESS_NEAR, (size_t)loads);
}

/* What a loop over the elements of a block begins with. */
static const char *loop_head(const struct emitter *e)
{
    return e->laned   ? (e->masking ? "else EACH(j, ROW) {\n" : "EACH(j, ROW) {\n")
           : e->masking ? "else EACH_OF(j, m) {\n"
                      : arena_printf(e->arena, "INDEPENDENT%s\nfor (int j = 0; j < BLOCK; j++) {\n",
                                     is_written_out(e) ? " WRITTEN_OUT" : "");
}

/* Adds the loop over a block's elements that computes what is not called. */
static void put_loop(struct emitter *e, int first, int end, int level)
{
    const struct kernel *kernel = e->kernel;
    bool open = false, stores = false;
    for (int n = first; n < end; n++) {
        int i = e->evaluation.order[n];
        if (e->evaluation.call[i] || same_value(e, i) != i)
            continue;
        if (!open)
            buf_puts(&e->body, loop_head(e));
        open = true;
        if (kernel->ins[i].kind == INS_STORE && !stores)
            bring_stored(e, n, end, level);
        stores = stores || kernel->ins[i].kind == INS_STORE;
        emit_ins(e, i, level);
    }
    if (open && !level)
        put_for_later(e);
    if (open)
        buf_puts(&e->body, "}\n");
}

/* Adds such a loop for whole blocks, and one over the elements with which a row ends, which computes the same. In the
 * other order, or where the latter is rolled, gcc keeps addresses of whole blocks on the stack, and these took up to
 * 1.4 times as long. */
static void put_masked(struct emitter *e, int first, int end, int level)
{
    struct buf before = e->body, ends = buf_new(e->arena);
    e->body = ends;
    e->masking = true;
    put_loop(e, first, end, level);
    ends = e->body;
    e->body = before;
    e->masking = false;
    for (int i = 0; i < e->kernel->ins_count; i++)
        e->seen[i] = -1;
    buf_puts(&e->body, e->laned ? "if (i + ROW <= column1)\n" : "if (!RARE(m < BLOCK)) //~\n");
    put_loop(e, first, end, level);
    for (const char *line = ends.text, *next; (next = strchr(line, '\n')); line = next + 1)
        buf_printf(&e->body, "%.*s //~\n", (int)(next - line), line);
    for (int k = e->kernel->load_count; k < e->kernel->access_count && !e->laned; k++)
        buf_printf(&e->body, "PUT_PAST(" NAME_PLACE ", " NAME_STREAMED ", " NAME_BUFFER ")\n", k, k, k);
}

/* Adds the loop for whole turns, and to another section what computes the last one of a row: there it may read others
 * behind these, but in the last row of all. */
static void put_laned(struct emitter *e, int first, int end, int level)
{
    const struct buf before = e->body;
    e->body = e->ends;
    put_masked(e, first, end, level);
    e->ends = e->body;
    e->body = before;
    for (int i = 0; i < e->kernel->ins_count; i++)
        e->seen[i] = -1;
    put_loop(e, first, end, level);
}

static void emit_level(struct emitter *e, int first, int end, int level)
{
    const bool copied = e->copied >= 0;
    if (copied)
        buf_printf(&e->body, "if (!" NAME_STREAMED ") {\n", e->kernel->ins[e->kernel->ins_count - 1].index);
    if (e->laned)
        put_laned(e, first, end, level);
    else if (e->masked)
        put_masked(e, first, end, level);
    else
        put_loop(e, first, end, level);
    if (copied)
        buf_puts(&e->body, "}\n");
    for (int n = first; n < end; n++)
        if (e->evaluation.call[e->evaluation.order[n]])
            emit_block_call(e, &e->body, e->evaluation.order[n]);
}

void emit_body(struct emitter *e)
{
    const struct evaluation *s = &e->evaluation;
    for (int first = 0, end; first < s->order_count; first = end) {
        int level = s->level[s->order[first]];
        for (end = first; end < s->order_count && s->level[s->order[end]] == level; end++)
            ;
        emit_level(e, first, end, level);
    }
}
