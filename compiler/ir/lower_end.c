/* Ends lowering (lower_impl.h): adds faults for divisions by zero and positions outside, and removes what nothing
 * uses. */
#include "compiler/ir/lower_impl.h"

#include <stdlib.h>

enum { ALWAYS = -2, NEVER = -1 };  /* when a value is used; other numbers are bool instructions that say when */

/* ---- faults ---- */

static int bool_op(struct lowering *l, enum op op, int a, int b)
{
    return ins_add_op(l, op, WEFT_BOOL, WEFT_BOOL, (int[]){a, b, -1}, l->kernel->ins[a].span);
}

static int use_and(struct lowering *l, int use, int condition)
{
    return use == ALWAYS ? condition : bool_op(l, OP_AND, use, condition);
}

static void use_or(struct lowering *l, int *use, int more)
{
    if (*use == NEVER || more == ALWAYS)
        *use = more;
    else if (*use != ALWAYS && *use != more)
        *use = bool_op(l, OP_OR, *use, more);
}

/* For each instruction that computes the number of an element to take, the one that asks whether it is inside, where
 * the value depends on that; else -1. A position that lies outside counts there: in what is taken from, which may be
 * under a reduction, each use of the number only finds an element. */
static const int *find_guards(struct lowering *l)
{
    int *guards = ARENA_ARRAY(l->arena, int, l->kernel->ins_count);
    for (int i = 0; i < l->kernel->ins_count; i++)
        guards[i] = -1;
    for (int g = 0; g < l->guard_count; g++)
        guards[l->guards[g].number] = l->guards[g].inside;
    for (int g = 0; g < l->guard_count; g++)
        if (l->guards[g].inside < 0)
            guards[l->guards[g].number] = -1;
    return guards;
}

/* Passes the use of instruction i on to its operands. An arm of where is used only where it is taken, if that counts
 * of this one: chooses[i], of all if NULL. */
static void pass_use(struct lowering *l, int i, int *uses, const bool *faulty, const int *guards, const bool *chooses)
{
    struct ins ins = l->kernel->ins[i];
    bool select = ins.kind == INS_OP && op_rows[ins.op].rule == RULE_SELECT && (!chooses || chooses[i]);
    for (int k = 0; k < 3; k++) {
        int operand = ins.a[k], use = uses[i];
        if (operand < 0 || !faulty[operand] || (guards[operand] >= 0 && guards[operand] != i))
            continue;
        if (select && k == 1)
            use = use_and(l, use, ins.a[0]);
        if (select && k == 2)
            use = use_and(l, use, bool_op(l, OP_NOT, ins.a[0], -1));
        use_or(l, &uses[operand], use);
    }
}

struct fault_place {
    struct span span;
    int ins;
};

static int by_place(const void *a, const void *b)
{
    const struct fault_place *x = a, *y = b;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* The remark of a division or a position, with the division's text. */
static struct fault fault_of(const struct lowering *l, const struct ins *ins, struct span place)
{
    struct fault fault = {.span = place, .outside = !op_divides(ins->op, ins->source)};
    for (int n = 0; n < l->program->node_count && !fault.outside; n++) {
        const struct node *node = &l->program->nodes[n];
        if (node->kind != NODE_OP || node->own_types || node->operand_count != 2 || node->token.start != place.start)
            continue;
        fault.whole = node->span;
        fault.divisor = operand_node(l->program, node, 1)->span;
    }
    return fault;
}

static void add_faults(struct lowering *l, struct fault_place *places, int count, const int *uses)
{
    struct kernel *kernel = l->kernel;
    if (count)
        qsort(places, (size_t)count, sizeof *places, by_place);
    kernel->faults = ARENA_ARRAY(l->arena, struct fault, count);
    kernel->fault_count = count;
    for (int i = 0; i < count; i++) {
        struct ins fault = kernel->ins[places[i].ins];
        int use = uses[places[i].ins];
        kernel->faults[i] = fault_of(l, &fault, places[i].span);
        ins_add(l, (struct ins){INS_FAULT, fault.op, WEFT_BOOL, fault.source,
                            {fault.a[0], fault.a[1], use == ALWAYS ? -1 : use}, i, fault.span});
    }
}

static void find_faults(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    int count = kernel->ins_count, place_count = 0;
    bool *faulty = ARENA_ARRAY(l->arena, bool, count), *joined = ARENA_ARRAY(l->arena, bool, count);
    bool *modes = ARENA_ARRAY(l->arena, bool, count);
    int *uses = ARENA_ARRAY(l->arena, int, count), *there = ARENA_ARRAY(l->arena, int, count);
    const int *guards = find_guards(l);
    struct fault_place *places = NULL;
    for (int i = 0; i < count; i++) {
        const struct ins *ins = &kernel->ins[i];
        faulty[i] = ins_may_fault(l, ins);
        for (int k = 0; k < 3; k++)
            faulty[i] = faulty[i] || (ins->a[k] >= 0 && faulty[ins->a[k]]);
        uses[i] = there[i] = ins->kind == INS_STORE ? ALWAYS : NEVER;
    }
    for (int i = 0; i < l->joined_count; i++)
        joined[l->joined[i]] = true;
    for (int i = 0; i < l->mode_count; i++)
        modes[l->modes[i]] = true;
    for (int i = count - 1; i >= 0; i--) {
        if (!faulty[i] || uses[i] == NEVER)
            continue;
        if (joined[i])
            uses[i] = there[i];     /* whatever arm the reduction stands in, where there are elements */
        if (ins_may_fault(l, &kernel->ins[i]))
            ARENA_PUSH(l->arena, places, place_count,
                       ((struct fault_place){kernel->ins[i].span, i}));
        pass_use(l, i, uses, faulty, guards, NULL);
        if (l->joined_count)
            pass_use(l, i, there, faulty, guards, modes);
    }
    add_faults(l, places, place_count, uses);
}

/* Makes one instruction of equal divisions or positions, and one fault of those under one condition. The first
 * place in the text stays. */
static void merge_places(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    struct ins *before = kernel->ins;
    int count = kernel->ins_count, *now = ARENA_ARRAY(l->arena, int, count);
    kernel->ins = NULL;
    kernel->ins_count = kernel->fault_count = 0;
    l->holders = NULL;
    l->holder_count = 0;
    l->places_merged = true;
    ins_resize_table(l, 64);
    for (int i = 0; i < count; i++) {
        struct ins ins = before[i];
        for (int k = 0; k < 3; k++)
            ins.a[k] = ins.a[k] < 0 ? -1 : now[ins.a[k]];
        ins.index = ins.kind == INS_FAULT ? -1 : ins.index;
        now[i] = ins_add(l, ins);
    }
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_FAULT) {
            kernel->faults[kernel->fault_count] = fault_of(l, &kernel->ins[i], kernel->ins[i].span);
            kernel->ins[i].index = kernel->fault_count++;
        }
}

void lower_faults(struct lowering *l)
{
    find_faults(l);
    if (l->kernel->fault_count > 1)
        merge_places(l);
}

/* ---- removing what nothing uses ---- */

/* Numbers the marked items; the others become -1. Returns the number of marked items. */
static int number(int *marks, int count)
{
    int next = 0;
    for (int i = 0; i < count; i++)
        marks[i] = marks[i] ? next++ : -1;
    return next;
}

static bool accesses_memory(const struct ins *ins)
{
    return ins->kind == INS_LOAD || ins->kind == INS_TAKE || ins->kind == INS_STORE;
}

void lower_compact(struct lowering *l)
{
    struct kernel *kernel = l->kernel;
    int *live = ARENA_ARRAY(l->arena, int, kernel->ins_count);
    int *literals = ARENA_ARRAY(l->arena, int, kernel->literal_count);
    int *accesses = ARENA_ARRAY(l->arena, int, kernel->access_count);
    for (int i = kernel->ins_count - 1; i >= 0; i--) {
        const struct ins *ins = &kernel->ins[i];
        live[i] |= ins->kind == INS_STORE || ins->kind == INS_FAULT;
        for (int k = 0; live[i] && k < 3; k++)
            if (ins->a[k] >= 0)
                live[ins->a[k]] = 1;
        if (live[i] && ins_is_argument(ins))
            literals[ins->index] = 1;
        if (live[i] && accesses_memory(ins))
            accesses[ins->index] = 1;
    }
    int ins_count = number(live, kernel->ins_count);
    int literal_count = number(literals, kernel->literal_count);
    int access_count = number(accesses, kernel->access_count);
    for (int i = 0; i < kernel->ins_count; i++) {
        struct ins ins = kernel->ins[i];
        if (live[i] < 0)
            continue;
        for (int k = 0; k < 3; k++)
            ins.a[k] = ins.a[k] < 0 ? -1 : live[ins.a[k]];
        if (ins_is_argument(&ins))
            ins.index = literals[ins.index];
        if (accesses_memory(&ins))
            ins.index = accesses[ins.index];
        kernel->ins[live[i]] = ins;
    }
    for (int i = 0; i < kernel->literal_count; i++)
        if (literals[i] >= 0) {
            kernel->literals[literals[i]] = kernel->literals[i];
            kernel->literal_dtypes[literals[i]] = kernel->literal_dtypes[i];
            kernel->literal_sources[literals[i]] = kernel->literal_sources[i];
        }
    for (int i = 0; i < kernel->access_count; i++)
        if (accesses[i] >= 0)
            kernel->accesses[accesses[i]] = kernel->accesses[i];
    kernel->ins_count = ins_count;
    kernel->literal_count = literal_count;
    kernel->access_count = access_count;
    kernel->load_count = access_count - l->store_count;
}
