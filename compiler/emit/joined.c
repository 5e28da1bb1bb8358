/* Finds loads that are made together, because of what uses them.
 *
 * Interleaved loads are gathered into one block where masks that repeat along a row choose among them. Behind stack and
 * concat along a short axis, and lists of positions there, each load gives some elements of a group. Where all of them
 * are in the block of the first, any choice among them gives the same. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

static bool is_load(const struct emitter *e, int i, enum access_kind kind)
{
    return e->kernel->ins[i].kind == INS_LOAD && e->kinds[e->kernel->ins[i].index] == kind;
}

/* Whether the instruction chooses between an interleaved load of its own and something else, which is an interleaved
 * load or chooses again, by a mask. */
static bool chooses(const struct emitter *e, const int *uses, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    if (ins->kind != INS_OP || ins->op != OP_WHERE || !is_load(e, ins->a[0], ACCESS_PERIODIC) ||
        e->kernel->ins[ins->a[0]].dtype != WEFT_BOOL)
        return false;
    for (int k = 1; k < 3; k++)
        if (uses[ins->a[k]] != 1)
            return false;
    return is_load(e, ins->a[1], ACCESS_INTERLEAVED) &&
           (is_load(e, ins->a[2], ACCESS_INTERLEAVED) || chooses(e, uses, ins->a[2]));
}

/* Joins the loads of the chain that ends with instruction i. */
static void join(struct emitter *e, int i)
{
    const struct kernel *kernel = e->kernel;
    struct buf choice = buf_new(e->arena);
    int first = kernel->load_count;
    for (int at = i, end = 0; !end; at = kernel->ins[at].a[2]) {
        const struct ins *ins = &kernel->ins[at];
        end = ins->kind == INS_LOAD;
        const int load = end ? ins->index : kernel->ins[ins->a[1]].index;
        if (!end)
            buf_printf(&choice, NAME_REPEATS "[c] ? %d : ", kernel->ins[ins->a[0]].index, load);
        else
            buf_printf(&choice, "%d", load);
        first = load < first ? load : first;
        e->joined[load] = 0;
    }
    for (int at = i, end = 0; !end; at = kernel->ins[at].a[2]) {
        end = kernel->ins[at].kind == INS_LOAD;
        e->joined[end ? kernel->ins[at].index : kernel->ins[kernel->ins[at].a[1]].index] = first;
    }
    e->choice[first] = choice.text;
    e->chosen[first] = i;
}

void find_joined(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const int *uses = kernel_uses(e->arena, kernel);
    e->joined = ARENA_ARRAY(e->arena, int, kernel->access_count);
    e->choice = ARENA_ARRAY(e->arena, const char *, kernel->access_count);
    e->chosen = ARENA_ARRAY(e->arena, int, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        e->joined[a] = a;
    for (int i = kernel->ins_count - 1; i >= 0; i--) {
        const int load = chooses(e, uses, i) ? kernel->ins[kernel->ins[i].a[1]].index : -1;
        if (load >= 0 && e->joined[load] == load && !e->choice[load]) /* not a part of a longer chain */
            join(e, i);
    }
}

int joined_load(const struct emitter *e, int value)
{
    const struct kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->ins_count - 1; i++)
        if (kernel->ins[i].kind != INS_LOAD && (kernel->ins[i].kind != INS_OP || kernel->ins[i].op != OP_WHERE))
            return -1;
    for (int a = 0; a < kernel->load_count; a++)
        if (e->choice[a] && e->chosen[a] == value)
            return a;
    return -1;
}
