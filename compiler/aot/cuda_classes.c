/* Chooses the CUDA kernels that a loop gets ahead of time: few, and together they serve every call. Dense data gets
 * those that the extents of likely calls ask for, one for the same data with gaps between rows, one for many samples of
 * such data in a table, and beside each of them one for inputs that are not aligned. Any other strides take a general
 * kernel, of which there is one with indices of 32 bits and one with 64. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

enum { ROW_GROUPS = EXACT_GROUPS }; /* outer groups in the kernel for gaps between rows */

bool aot_is_value(const struct aot_kernel *k, const struct access *access)
{
    return access->kind == TENSOR_NUMBER || access_by_value(k->program, k->operands, access);
}

/* Replaces the kinds of accesses to parameters that are passed by value. */
static const unsigned char *with_values(struct aot_kernel *k, const struct kernel *kernel, const unsigned char *kinds)
{
    unsigned char *own = arena_copy(k->arena, kinds, (size_t)kernel->access_count);
    for (int a = 0; a < kernel->load_count; a++)
        if (aot_is_value(k, &kernel->accesses[a]))
            own[a] = ACCESS_VALUE;
    return own;
}

/* Whether `other` serves every call for which `class` would be chosen. */
static bool covers(const struct aot_class *other, const struct aot_class *class, int accesses)
{
    return memcmp(other->kinds, class->kinds, (size_t)accesses) == 0 && other->form.flat == class->form.flat &&
           (other->form.along == ALONG_ANY || other->form.along == class->form.along) &&
           other->form.groups >= class->form.groups && (!other->period || other->period == class->period) &&
           other->form.wide >= class->form.wide;
}

static void add_class(struct aot_kernel *k, struct aot_loop *loop, struct aot_class class)
{
    for (int c = 0; c < loop->class_count; c++)
        if (loop->classes[c].batch == class.batch && covers(&loop->classes[c], &class, loop->kernel->access_count))
            return;
    ARENA_PUSH(k->arena, loop->classes, loop->class_count, class);
}

/* Adds the class for calls with geometry `g`, of a kernel that joins by the numbers of such a call. `fixed`: all likely
 * calls have its period. The extents are only examples, so they do not make indices wide. */
static void add_likely(struct aot_kernel *k, struct aot_loop *loop, const struct geometry *g,
                       const struct kernel *kernel, bool fixed, bool batch)
{
    struct aot_class class = {.kinds = with_values(k, loop->kernel, g->kinds), .batch = batch};
    make_form(kernel, g, tuning_for(0), batch, &class.form);
    if (kernel->lanes)
        form_one_lane(kernel, &class.form);
    class.form.wide = false;
    if (fixed && class.form.repeats)
        class.period = (int)g->period;
    else if (g->period)
        form_any_period(tuning_for(0), &class.form);
    add_class(k, loop, class);
}

/* Adds a partner of class number `of`, for calls whose inputs are not aligned as chunks of their result are. Such
 * inputs are loaded as chunks of words (ACCESS_UNALIGNED), the others as before. */
static void add_partner(struct aot_kernel *k, struct aot_loop *loop, int of)
{
    const struct kernel *kernel = loop->kernel;
    struct aot_class class = loop->classes[of];
    unsigned char *kinds = arena_copy(k->arena, class.kinds, (size_t)kernel->access_count);
    for (int a = 0; a < kernel->load_count; a++)
        if (kinds[a] == ACCESS_UNIT) {
            kinds[a] = ACCESS_UNALIGNED;
            class.form.mixed = true;
        }
    if (class.form.block == 1 || !class.form.mixed)
        return;
    class.kinds = kinds;
    class.form.spare = true;
    loop->classes[of].unaligned = loop->class_count;
    ARENA_PUSH(k->arena, loop->classes, loop->class_count, class);
}

/* Of all classes so far, which are those that compute in chunks. */
static void add_unaligned(struct aot_kernel *k, struct aot_loop *loop)
{
    const int count = loop->class_count;
    for (int c = 0; c < count; c++)
        add_partner(k, loop, c);
}

/* A geometry with just what a form depends on. */
static struct geometry plain_geometry(struct aot_kernel *k, const struct kernel *kernel, unsigned char *kinds,
                                      int groups)
{
    const size_t accesses = (size_t)kernel->access_count, each = (size_t)groups + 2;
    struct geometry g = {.volume = 1, .groups = groups, .kinds = kinds, .fast = k->target->fast & FAST_AHEAD,
                         .strides = ARENA_ARRAY(k->arena, int64_t, accesses * each)};
    for (size_t a = 0; a < accesses; a++)
        for (size_t i = 0; i < each; i++)
            g.strides[a * each + i] = kinds[a] != ACCESS_SCALAR;
    return g;
}

/* Adds a class for rows with gaps between them. Each access is dense along a row, or repeats something short. */
static void add_rows(struct aot_kernel *k, struct aot_loop *loop, const struct geometry *dense)
{
    const struct kernel *kernel = loop->kernel;
    const int outer = loop->shape->rank - 1 - (dense->period > 0), groups = outer < ROW_GROUPS ? outer : ROW_GROUPS;
    if (groups <= dense->groups)
        return;
    for (int a = 0; a < kernel->access_count; a++)
        if (!strchr((const char[]){ACCESS_UNIT, ACCESS_SCALAR, ACCESS_VALUE, ACCESS_PERIODIC, '\0'}, dense->kinds[a]))
            return;
    struct geometry g = plain_geometry(k, kernel, dense->kinds, groups);
    g.period = dense->period;
    add_likely(k, loop, &g, kernel, false, false);
}

/* Adds the classes for any strides. */
static void add_general(struct aot_kernel *k, struct aot_loop *loop)
{
    const struct kernel *kernel = loop->kernel;
    unsigned char *kinds = ARENA_ARRAY(k->arena, unsigned char, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        kinds[a] = aot_is_value(k, &kernel->accesses[a]) ? ACCESS_SCALAR : aot_general_kind(k, kernel, a);
    const int rank = loop->shape->rank, plain = rank ? rank - 1 : 0;
    struct geometry g = plain_geometry(k, kernel, kinds, any_numbered(kernel, kinds) ? MAX_GROUPS - 1 : plain);
    for (int wide = 0; wide < 2; wide++) {
        struct aot_class class = {.kinds = with_values(k, kernel, kinds)};
        g.volume = wide ? INT64_MAX : 1;
        make_form(kernel, &g, tuning_for(0), false, &class.form);
        ARENA_PUSH(k->arena, loop->classes, loop->class_count, class);
    }
}

bool aot_check_values(const struct aot_kernel *k, const struct aot_loop *loop)
{
    const struct program *program = k->program;
    for (int a = 0; a < loop->kernel->load_count; a++) {
        const struct access *access = &loop->kernel->accesses[a];
        const bool parameter = access->kind == TENSOR_INPUT && k->operands[access->index].by_value;
        const struct symbol *symbol = parameter ? &program->symbols[program->inputs[access->index]] : NULL;
        if (symbol && !aot_is_value(k, access))
            return diag(program->diags, DIAG_AOT_VALUE, symbol->span, program->name, symbol->name,
                        type_rows[symbol->type.dtype].name);
    }
    return true;
}

void aot_cuda_classes(struct aot_kernel *k, struct aot_loop *loop, const struct likely *usual,
                      const struct likely *tiny)
{
    const bool fixed = usual && tiny && usual->geometry.period == tiny->geometry.period;
    if (usual)
        add_likely(k, loop, &usual->geometry, usual->kernel, fixed, false);
    if (tiny)
        add_likely(k, loop, &tiny->geometry, tiny->kernel, fixed, false);
    if (usual)
        add_rows(k, loop, &usual->geometry);
    if (usual && !any_numbered(loop->kernel, usual->geometry.kinds))
        add_likely(k, loop, &usual->geometry, usual->kernel, fixed, true);
    add_unaligned(k, loop);
    add_general(k, loop);
}
