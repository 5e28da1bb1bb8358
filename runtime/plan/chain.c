/* Chains (plan.h): kernels in a row over the same points, such as the rows of a softmax, whose tile number t needs
 * only tiles number t of those before it. A run goes through all of them tile by tile, so that what one kernel reads or
 * stores is in a cache when the next one wants it. */
#include "runtime/plan/plan.h"

enum {
    NEAR = 1 << 17,                /* bytes that a tile reads, about: it and the next one are half of a small second
                                      cache */
    NEAREST = 1 << 14,             /* where a kernel looks for elements: what it reads again is in the nearest cache */
    LEAST = 1 << 19,               /* bytes of all tiles: less is in a cache anyway */
    ENOUGH = 32,                   /* tiles, for threads to share */
    CACHED = 1 << 19               /* bytes of a tile that a second cache keeps for the next reduction */
};

int leading_dimensions(const struct shape *shape, int64_t points)
{
    int64_t product = 1;
    int d = 0;
    while (d < shape->rank && product < points)
        product *= shape->extents[d++];
    return product == points ? d : -1;
}

/* Whether tiles of the kernel can be any number of `points`. */
static bool divides(const struct draft *draft, const struct planned *planned, int64_t points)
{
    const struct kernel *kernel = draft->kernel;
    const struct lanes *lanes = kernel->lanes;
    for (int a = 0; a < kernel->access_count; a++)
        if (planned->kinds[a] == ACCESS_TURNED || planned->kinds[a] == ACCESS_WOVEN ||
            (a >= kernel->load_count && kernel->accesses[a].map))
            return false;          /* its tiles have a form of their own, or it stores elsewhere */
    if (lanes)
        return lanes->tiles.points == points && lanes->tiles.windows * lanes->tiles.chunks == 1;
    const int64_t rows = planned->walk.rows, columns = planned->walk.columns;
    return planned->tiles && leading_dimensions(draft->shape, points) > 0 &&
           (rows % points == 0 || (rows == 1 && columns % points == 0));
}

/* Whether each point of the kernel needs only the same point of a temporary that it loads. */
static bool loads_point(const struct draft *draft, const struct access *access, const struct shape *stored,
                        int64_t points)
{
    const struct shape *shape = draft->shape;
    const int count = leading_dimensions(shape, points);
    bool same = !access->map && count > 0 && stored->rank == shape->rank && leading_dimensions(stored, points) == count;
    for (int d = 0; same && d < count; d++)
        same = stored->extents[d] == shape->extents[d];
    return same;
}

static bool stores(const struct draft *draft, int temporary)
{
    const struct kernel *kernel = draft->kernel;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        if (kernel->accesses[a].kind != TENSOR_RESULT && kernel->accesses[a].index == temporary)
            return true;
    return false;
}

bool needs_only_points(const struct division *division, int first, int k, int64_t points)
{
    const struct draft *draft = &division->drafts[k];
    const int first_result = division->program.first_result;
    bool good = k < first_result || division->count == first_result + 1;
    for (int a = 0; good && a < draft->kernel->load_count; a++) {
        const struct access *access = &draft->kernel->accesses[a];
        const bool kept = access->kind == TENSOR_TEMPORARY || access->kind == TENSOR_TABLE;
        for (int i = first; good && kept && i < k; i++)
            good = !stores(&division->drafts[i], access->index) ||
                   loads_point(draft, access, division->program.temporaries[access->index].shape, points);
    }
    return good;
}

/* Whether kernel k can follow kernels `first` to k - 1 in a chain. */
static bool follows(const struct plan *plan, const struct division *division, int first, int k, int64_t points)
{
    return divides(&division->drafts[k], &plan->kernels[k], points) && needs_only_points(division, first, k, points);
}

/* Makes the kernel's tiles take `each` points. */
static void retile(struct plan *plan, struct planned *planned, int64_t points, int64_t each)
{
    struct weft_geometry *walk = &planned->walk;
    planned->tiles = (points + each - 1) / each;
    if (walk->lanes) {
        struct weft_lanes *lanes = arena_copy(&plan->own, walk->lanes, sizeof *lanes);
        lanes->together = each;
        walk->lanes = lanes;
    } else if (walk->rows % points == 0) {
        walk->tile_rows = each * (walk->rows / points);
        walk->tile_columns = walk->columns;
        walk->row_tiles = 1;
    } else {
        walk->tile_columns = each * (walk->columns / points);
        walk->row_tiles = planned->tiles;
    }
}

/* Whether the kernel and those before it, from `first` on, reduce the same tiles, and none needs another. */
static bool shares_tiles(const struct plan *plan, const struct division *division, int first, int k)
{
    const struct kernel *kernel = division->drafts[k].kernel;
    bool shares = k < plan->first_result && kernel->lanes && plan->kernels[k].tiles == plan->kernels[first].tiles &&
                  plan->kernels[k].touched <= (double)CACHED * (double)plan->kernels[k].tiles;
    for (int i = first; shares && i < k; i++)
        shares = lanes_match(division->drafts[i].kernel->lanes, kernel->lanes) &&
                 !kernel_loads_from(kernel, division->drafts[i].kernel);
    return shares;
}

/* Makes a chain of the reductions from kernel k on that share tiles. Returns the kernel behind them; k: there are
 * none. */
static int chain_reductions(struct plan *plan, const struct division *division, int k)
{
    int next = k;
    while (next < plan->kernel_count && plan->kernels[k].touched >= LEAST && shares_tiles(plan, division, k, next))
        next++;
    if (next <= k + 1)
        return k;
    plan->kernels[k].chain = next - k;
    return next;
}

/* The bytes from what a tile of the kernel reads in rows to what the next one does; 0: they are not always as many. */
static int64_t tile_bytes(const struct planned *planned, int64_t points, int64_t each)
{
    const struct weft_geometry *walk = &planned->walk;
    if (walk->groups != 1 || walk->rows % points != 0)
        return 0;
    for (int a = 0; a < planned->kernel->load_count; a++)
        if (planned->kinds[a] == ACCESS_UNIT)
            return walk->rows / points * each * walk->strides[a * (walk->groups + 2)];
    return 0;
}

/* How many bytes a tile of the chain reads, about. */
static double near_bytes(const struct division *division, int first, int next)
{
    for (int k = first; k < next; k++) {
        const struct lanes *lanes = division->drafts[k].kernel->lanes;
        if (lanes && lanes->finds)
            return NEAREST;
    }
    return NEAR;
}

void find_chains(struct plan *plan, const struct division *division)
{
    for (int k = 0, next; k < plan->kernel_count; k = next) {
        if ((next = chain_reductions(plan, division, k)) > k)
            continue;
        const struct lanes *lanes = division->drafts[k].kernel->lanes;
        const int64_t points = lanes ? lanes->tiles.points : 1;
        double bytes = 0;
        for (next = k; next < plan->kernel_count && points > 1 && follows(plan, division, k, next, points); next++)
            bytes = plan->kernels[next].touched > bytes ? plan->kernels[next].touched : bytes;
        next = next == k ? k + 1 : next;
        if (next == k + 1 || bytes < LEAST)
            continue;
        const int64_t most = points / ENOUGH, near = (int64_t)(near_bytes(division, k, next) * (double)points / bytes);
        const int64_t each = near < 1 || most < 1 ? 1 : near < most ? near : most;
        for (int i = k; i < next; i++)
            retile(plan, &plan->kernels[i], points, each);
        plan->kernels[k + 1].ahead = tile_bytes(&plan->kernels[k + 1], points, each);
        plan->kernels[k].chain = next - k;
    }
}
