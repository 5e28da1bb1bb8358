/* Finds loads that are made together, because of what uses them.
 *
 * Woven loads are gathered into one block where masks that repeat along a row choose among them. Behind stack and
 * concat along a short axis, and lists of positions there, each load gives some elements of a group. Where all of them
 * are in the block of the first, any choice among them gives the same.
 *
 * Parted loads of bytes are taken apart and converted to float32 in one step where all of them are only converted. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

static bool is_load(const struct emitter *e, int i, enum access_kind kind)
{
    return e->kernel->ins[i].kind == INS_LOAD && e->kinds[e->kernel->ins[i].index] == kind;
}

/* Whether the instruction chooses between a woven load of its own and something else, which is a woven load or chooses
 * again, by a mask. */
static bool chooses(const struct emitter *e, const int *uses, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    if (ins->kind != INS_OP || ins->op != OP_WHERE || !is_load(e, ins->a[0], ACCESS_PERIODIC) ||
        e->kernel->ins[ins->a[0]].dtype != WEFT_BOOL)
        return false;
    for (int k = 1; k < 3; k++)
        if (uses[ins->a[k]] != 1)
            return false;
    return is_load(e, ins->a[1], ACCESS_WOVEN) && (is_load(e, ins->a[2], ACCESS_WOVEN) || chooses(e, uses, ins->a[2]));
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
            buf_printf(&choice, NAME_BUFFER "[c] ? %d : ", kernel->ins[ins->a[0]].index, load);
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

/* Whether load k is of bytes that are only converted to float32, whole blocks at a time. */
static bool only_widened(const struct emitter *e, int k)
{
    const struct kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int o = 0; o < 3; o++) {
            const struct ins *ins = &kernel->ins[i], *a = ins->a[o] < 0 ? NULL : &kernel->ins[ins->a[o]];
            const char *block = ins->kind == INS_OP && e->evaluation.call[i] ? op_block(ins->op) : NULL;
            if (a && a->kind == INS_LOAD && a->index == k && (!block || strcmp(block, "widen") != 0))
                return false;
        }
    return type_rows[kernel->accesses[k].dtype].size == 1;
}

void find_apart(struct emitter *e)
{
    e->apart = ARENA_ARRAY(e->arena, bool, e->kernel->access_count);
    for (int a = 0; a < e->kernel->load_count; a++) {
        bool all = !e->params->target->chunks && e->kinds[a] == ACCESS_PARTED;
        for (int b = 0; all && b < e->kernel->load_count; b++)
            all = e->kinds[b] != ACCESS_PARTED || first_parted(e, b) != first_parted(e, a) || only_widened(e, b);
        e->apart[a] = all;
    }
}
